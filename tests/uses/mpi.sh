#!/bin/sh
# mpi.sh - examples/mpi: a table that is spread over the ranks of a job
#
#     sh tests/uses/mpi.sh          from the project's root
#
# Builds the example with Open MPI's mpicc over ${CC:-cc} and runs it on 1 to 8
# ranks of this machine. What it writes is compared with what the command-line
# tool makes of the whole table, and by NumPy where $PYTHON has that. Ranks are
# killed, files cut short, memory is limited, and copies with a mistake in them
# have to be noticed. With `long` more ranks are killed, more options compared.
# Without mpicc or mpirun it is skipped.

. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
. tests/tool/programs.sh

have mpicc || { skip mpi 'no mpicc'; tally mpi; exit; }
have mpirun || { skip mpi 'no mpirun'; tally mpi; exit; }
case $(mpirun --version 2>/dev/null) in
*'Open MPI'*) ;;
*) skip mpi 'mpirun is not of Open MPI'; tally mpi; exit ;;
esac
long=${1:-}
OMPI_CC=${CC:-cc}; export OMPI_CC
OMPI_ALLOW_RUN_AS_ROOT=1; export OMPI_ALLOW_RUN_AS_ROOT
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
OMPI_MCA_mpi_yield_when_idle=1; export OMPI_MCA_mpi_yield_when_idle
S=examples/mpi

# job RANKS COMMAND...: in $T; sets rc, so and se
job() {
    ranks=$1
    shift
    so=$(cd "$T" && limit 60 mpirun -q --oversubscribe --bind-to none \
        -np "$ranks" "$@" 2>se </dev/null); rc=$?
    se=$(cat "$T/se")
}

# temps: the temporary files that are left
temps() { (cd "$T" && ls ./*.tmp 2>/dev/null); }

# refused LABEL WANT STATUS: of the last job: that line and nothing else, no
# output, no temporary file
refused() {
    is "$1: status" "${3:-1}" "$rc"
    is "$1: stdout" '' "$so"
    is "$1: stderr" "$2" "$se"
    is "$1: files" '' "$(temps)$(ls "$T/out.npy" 2>/dev/null)"
}

# gathered TABLE IDS: whether out.npy is, byte by byte, what the tool makes of
# them; bad ids are zeros.
gathered() {
    "$T/ndgather" gather "$T/$1" "$T/$2" --bad-index zero -o "$T/want" &&
        cmp "$T/want" "$T/out.npy"
}

# right LABEL TABLE IDS: the last job was good, its output is right
right() {
    is "$1: status" 0 "$rc"
    is "$1: stderr" "${4:-}" "$se"
    is "$1: bytes" '' "$(gathered "$2" "$3" 2>&1)"
    is "$1: files" '' "$(temps)"
}

# ---- building ----------------------------------------------------------------

tidy "$S"/*.[ch] "$S"/*.md "$S"/*.py "$S"/*.sh tests/uses/mpi*
system=''
for i in $(mpicc --showme:incdirs); do system="$system -isystem $i"; done
# shellcheck disable=SC2086
is 'lookup: warnings' '' "$(mpicc $strict_c -O2 $system -I. $S/lookup.c \
    -o "$T/lookup" 2>&1)"
is 'costs: warnings' '' "$(mpicc -std=c99 -O2 -Wall -Wextra -Wpedantic -I. \
    $S/costs.c -o "$T/costs" 2>&1)"
is 'data: warnings' '' "$(${CC:-cc} -std=c99 -O2 -Wall -Wextra -Wpedantic \
    $S/data.c -o "$T/data" -lm 2>&1)"
mpicc -O0 -I. $S/lookup.c tests/uses/mpi_trace.c -o "$T/traced" || exit 1
${CC:-cc} -std=c99 -O2 -I. examples/tool/ndgather.c -o "$T/ndgather" \
    -lpthread || exit 1
${CC:-cc} -O2 tests/lib/mknpy.c -o "$T/mknpy" || exit 1
if [ ! -x "$T/lookup" ] || [ ! -x "$T/data" ]; then tally mpi; exit; fi

cat >"$T/start.sh" <<'END'
echo $$ >"pid.$OMPI_COMM_WORLD_RANK"
exec "$@"
END

(cd "$T" && ./data table table.npy 5003 20 &&
    ./data ids uniform.npy 30001 5003 uniform &&
    ./data ids skewed.npy 30001 5003 skewed &&
    ./data ids bad.npy 30001 5003 uniform 9 &&
    ./data ids many.npy 4000000 5003 uniform) || exit 1

# ---- the same bytes, whatever the ranks --------------------------------------

for ids in skewed uniform; do
    ranks_of='1 2 4 8'
    if [ $ids = uniform ] && [ -z "$long" ]; then ranks_of='1 4'; fi
    sums=''
    for n in $ranks_of; do
        job "$n" ./lookup -b 1000 table.npy $ids.npy out.npy
        right "$ids, $n ranks" table.npy $ids.npy
        is "$ids, $n ranks: stdout" '' "$so"
        sums="$sums$(cksum <"$T/out.npy")
"
        rm -f "$T/out.npy"
    done
    is "$ids: the same file" 1 "$(printf '%s' "$sums" | sort -u | wc -l |
        tr -d ' ')"
done
n=3
for o in '-a' '-s' ${long:+'-a -s' '-b 77 -a' '-b 20000'}; do
    # shellcheck disable=SC2086
    job "$n" ./lookup $o table.npy skewed.npy out.npy
    right "$n ranks, $o" table.npy skewed.npy
    rm -f "$T/out.npy"
    n=$((9 - n))
done

python=$(command -v "${PYTHON:-python3}")
case $python in /*|'') ;; *) python=$(pwd)/$python ;; esac
if [ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null; then
    job 4 ./lookup table.npy skewed.npy out.npy
    is 'NumPy' True "$(cd "$T" && "$python" -c 'import numpy as np
print(np.array_equal(np.load("table.npy")[np.load("skewed.npy")],
                     np.load("out.npy")))')"
    rm -f "$T/out.npy"
else skip 'mpi: NumPy' 'no numpy'; fi

# ---- shapes ------------------------------------------------------------------

# shape LABEL RANKS TABLE-DESCR TABLE-SHAPE IDS-SHAPE ID...
shape() {
    label=$1 n=$2
    (cd "$T" && ./mknpy t.npy "$3" "$4" :iota) || exit 1
    ids=$5
    shift 5
    (cd "$T" && ./mknpy i.npy '<i8' "$ids" "$@") || exit 1
    job "$n" ./lookup -b 2 t.npy i.npy out.npy
    right "$label" t.npy i.npy
    rm -f "$T/out.npy"
}
shape 'three axes, two of ids' 3 '<i2' '(7,2,3)' '(2,2)' 6 0 6 3
shape 'one id' 2 '<f8' '(5,2)' '()' 4
shape 'no ids' 2 '<f8' '(5,2)' '(0,)'
shape 'rows of one element' 4 '<u1' '(9,)' '(5,)' 8 0 4 4 1
shape 'rows of nothing' 2 '<u1' '(9,0)' '(3,)' 8 0 4
shape 'big-endian rows' 2 '>i4' '(9,3)' '(3,)' 8 0 4
shape 'fewer rows than ranks' 4 '<u1' '(2,3)' '(3,)' 1 0 1

# ---- what is asked, and what is under way ------------------------------------

# 10 rows on 4 ranks are 3, 3, 3 and 1: each rank asks the others for the rest,
# once in its one batch: 30 of 4000
(cd "$T" && ./data table ten.npy 10 4 && ./data ids of_ten.npy 4000 10 uniform)
job 4 ./lookup -b 1000 -t 2 ten.npy of_ten.npy out.npy
right 'asked once' ten.npy of_ten.npy
is 'asked once: rows from other ranks' 0.0075 "$(printf '%s\n' "$so" |
    sed 's/.*moved_per_id=\([0-9.]*\).*/\1/')"
job 4 ./lookup -a -b 1000 -t 2 ten.npy of_ten.npy
is 'asked as often: status' 0 "$rc"
is 'asked as often: about 3 in 4' 1 "$(printf '%s\n' "$so" |
    grep -c 'moved_per_id=0\.7[0-5]')"
rm -f "$T/out.npy"
job 2 ./traced -b 1000 -t 2 table.npy uniform.npy
is 'the next exchange is under way' '3 under way at once' \
    "$(printf '%s\n' "$so" | tail -n 1)"
job 2 ./traced -s -b 1000 -t 2 table.npy uniform.npy
is 'step by step it is not' '1 under way at once' \
    "$(printf '%s\n' "$so" | tail -n 1)"

# ---- bad ids -----------------------------------------------------------------

line='lookup: gather: indices[1666] = 5003 is not in [0, 5003); 9 bad'
for n in 1 8 ${long:+2 4}; do
    job "$n" ./lookup -b 500 table.npy bad.npy out.npy
    refused "bad ids, $n ranks" "$line: nothing is written"
done
job 4 ./lookup -z -b 500 table.npy bad.npy out.npy
right 'bad ids are zeros' table.npy bad.npy "$line"
rm -f "$T/out.npy"
job 3 ./lookup -a -z -b 500 table.npy bad.npy out.npy
right 'bad ids are zeros, all asked' table.npy bad.npy "$line"
rm -f "$T/out.npy"
(cd "$T" && ./mknpy t.npy '<i4' '(7,2)' :iota &&
    ./mknpy i.npy '<i8' '(3,2)' 0 1 2 -9223372036854775808 \
        9223372036854775807 7) || exit 1
job 3 ./lookup t.npy i.npy out.npy
refused 'coordinates' 'lookup: gather: indices[1,1] = -9223372036854775808 '\
'is not in [0, 7); 3 bad: nothing is written'
(cd "$T" && ./mknpy t.npy '<i4' '(0,2)') || exit 1
job 2 ./lookup -z t.npy i.npy out.npy
right 'a table of no rows' t.npy i.npy \
    'lookup: gather: indices[0,0] = 0 is not in [0, 0); 6 bad'
rm -f "$T/out.npy"

# ---- more table than memory --------------------------------------------------

# shellcheck disable=SC3045
if (ulimit -v 450000) 2>/dev/null; then
    # 512 MB, of which nobody may map more than 460.8 MB, code and all
    (cd "$T" && ./data table large.npy 2000000 64 &&
        ./data ids far.npy 100000 2000000 uniform) || exit 1
    for n in 8 ${long:+4}; do
        job "$n" sh -c 'ulimit -v 450000 && exec "$@"' x \
            ./lookup -b 4096 large.npy far.npy out.npy
        right "$n ranks, little memory" large.npy far.npy
        rm -f "$T/out.npy"
    done
    job 1 sh -c 'ulimit -v 450000 && exec "$@"' x \
        ./lookup -b 4096 large.npy far.npy out.npy
    refused '1 rank, little memory' 'lookup: rank 0 cannot map its 512000000 '\
'bytes of large.npy: Cannot allocate memory'
    rm -f "$T/large.npy" "$T/far.npy"
    job 2 sh -c 'ulimit -v 450000 && exec "$@"' x \
        ./lookup -b 16777216 table.npy uniform.npy out.npy
    refused 'little memory, large batches' \
        'lookup: rank 0: no memory for batches of 16777216 ids'
else skip 'mpi: little memory' 'no ulimit -v'; fi

# ---- a rank is killed, a file is cut short -----------------------------------

# during RANKS ACTION: starts a long job in the background, acts once its
# temporary file is there, and waits for the end; sets rc and se
during() {
    (cd "$T" && rm -f pid.* && exec mpirun -q --oversubscribe --bind-to none \
        -np "$1" sh ./start.sh ./lookup -b 2 "$2" "$3" out.npy) \
        >"$T/so" 2>"$T/se" </dev/null &
    launcher=$!
    tries=0
    while [ -z "$(temps)" ] && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    shift 3
    "$@"
    wait $launcher; rc=$?
    so=$(cat "$T/so"); se=$(cat "$T/se")
}
strike() { kill -9 "$(cat "$T/pid.$1")"; }
for victim in '1 0' '8 5' ${long:+'2 1' '4 0' '4 2' '8 7'}; do
    during "${victim% *}" table.npy many.npy strike "${victim#* }"
    refused "rank ${victim#* } of ${victim% *} is killed" \
        "lookup: rank ${victim#* } was lost: out.npy is not written" 137
done
echo before >"$T/out.npy"
during 4 table.npy many.npy strike 0
is 'killed: status' 137 "$rc"
is 'killed: what was there' before "$(cat "$T/out.npy")"
is 'killed: files' '' "$(temps)"
rm -f "$T/out.npy"

stop() { kill -TERM $launcher; }
during 4 table.npy many.npy stop
refused 'stopped' \
    'lookup: stopped, or a rank elsewhere was lost: out.npy is not written' 1

# Only the end of a page can be missed; a whole table of them is cut off.
cut_short() { : >"$T/$1"; }
was_cut() {     # was_cut WHAT: the job has ended in one line and left nothing
    is "$1 cut short: status" 1 "$rc"
    is "$1 cut short: stderr" 1 "$(printf '%s\n' "$se" | grep -cxE \
    'lookup: rank [01]: cut.npy cannot be read any more: was it cut short\?')"
    is "$1 cut short: lines" 1 "$(printf '%s\n' "$se" | wc -l | tr -d ' ')"
    is "$1 cut short: files" '' "$(temps)$(ls "$T/out.npy" 2>/dev/null)"
}
cp "$T/table.npy" "$T/cut.npy"
during 2 cut.npy many.npy cut_short cut.npy
was_cut 'a table'
cp "$T/many.npy" "$T/cut.npy"
during 2 table.npy cut.npy cut_short cut.npy
was_cut ids
rm -f "$T/cut.npy"

# shellcheck disable=SC3045
if (ulimit -f 40000) 2>/dev/null; then
    job 2 sh -c 'ulimit -f 40000 && exec "$@"' x ./lookup table.npy many.npy \
        out.npy
    refused 'no room' 'lookup: out.npy: File too large'
else skip 'mpi: no room' 'no ulimit -f'; fi
rm -f "$T/many.npy"

# ---- refusals ----------------------------------------------------------------

(cd "$T" && ./mknpy i4.npy '<i4' '(3,)' 0 1 2 &&
    ./mknpy swapped.npy '>i8' '(3,)' 0 1 2 &&
    ./mknpy scalar.npy '<i4' '()' 5 && ./mknpy -F columns.npy '<i4' '(3,2)' &&
    ./mknpy raw lie.npy "{'descr': '<f4', 'fortran_order': False, \
'shape': (1000000, 1000000), }" 100 && echo text >text.npy &&
    : >empty.npy && mkdir folder) || exit 1
# shellcheck disable=SC2162
while IFS='|' read arguments want; do
    # shellcheck disable=SC2086
    job 2 ./lookup $arguments
    refused "$arguments" "lookup: $want"
done <<'END'
none.npy uniform.npy out.npy|none.npy: No such file or directory
table.npy none.npy out.npy|none.npy: No such file or directory
text.npy uniform.npy out.npy|text.npy: it is not a .npy file
empty.npy uniform.npy out.npy|empty.npy: it is empty
folder uniform.npy out.npy|folder: it is no regular file
lie.npy uniform.npy out.npy|lie.npy: it holds 100 bytes of data, its shape \
needs 4000000000000
columns.npy uniform.npy out.npy|columns.npy: it is in Fortran order, whose \
rows do not lie together
scalar.npy uniform.npy out.npy|scalar.npy: it has no rows: its rank is 0
table.npy i4.npy out.npy|i4.npy: ids are int64, in this machine's byte order
table.npy swapped.npy out.npy|swapped.npy: ids are int64, in this machine's \
byte order
table.npy uniform.npy none/out.npy|none/out.npy: No such file or directory
table.npy uniform.npy folder|folder: it is there and is no regular file
table.npy uniform.npy /dev/null|/dev/null: it is there and is no regular file
END
# as on machines with copies of their own
job 2 sh -c 'cd "$OMPI_COMM_WORLD_RANK" && exec ../lookup t.npy \
    ../uniform.npy ../out.npy' || :
mkdir "$T/0" "$T/1"
cp "$T/table.npy" "$T/0/t.npy"
cp "$T/ten.npy" "$T/1/t.npy"
job 2 sh -c 'cd "$OMPI_COMM_WORLD_RANK" && exec ../lookup t.npy \
    ../uniform.npy ../out.npy'
refused 'another table' 'lookup: rank 1 sees other files than rank 0'

usage='usage: lookup [-a] [-b IDS] [-s] [-t TIMES] [-z] '\
'TABLE.npy IDS.npy ROWS.npy
       (IDS: 1 to 16777216, TIMES: 1 to 1000; with -t ROWS.npy may be left out)'
for a in '' 'table.npy uniform.npy' '-b 1x table.npy uniform.npy out.npy' \
    ${long:+'table.npy' '-x table.npy uniform.npy o' \
    '-b 0 table.npy uniform.npy out.npy' \
    '-t 0 table.npy uniform.npy out.npy' \
    '-b 99999999999999999999 table.npy uniform.npy out.npy' \
    'table.npy uniform.npy out.npy more'}; do
    # shellcheck disable=SC2086
    job 2 ./lookup $a
    refused "<$a>" "$usage" 2
done

# ---- copies with a mistake are noticed ---------------------------------------

# wrong WHAT FILE EDIT: a copy with that edit no longer gives the file
# that it should, or says something else
wrong() {
    what=$1 file=$2 edit=$3
    rm -rf "$T/copy"
    mkdir -p "$T/copy/mpi" "$T/copy/tool"
    cp $S/*.[ch] "$T/copy/mpi"
    cp examples/tool/npy.h "$T/copy/tool"
    edited "$S/$file" "$T/copy/mpi/$file" "$edit"
    mpicc -O0 -w -I. "$T/copy/mpi/lookup.c" -o "$T/broken" 2>"$T/log" ||
        { no "$what" "<$edit> does not compile"; cat "$T/log"; }
    job 3 ./broken -z -b 500 table.npy bad.npy out.npy
    if [ "$rc" = 0 ] && [ "$se" = "$line" ] &&
        gathered table.npy bad.npy >/dev/null 2>&1
    then no "$what" 'not noticed'; else ok; fi
    rm -f "$T/out.npy"
}
wrong 'where a part begins' lookup.c \
    's/b->ask_at\[k\] = (int)at/b->ask_at[k] = 0/'
wrong 'whose row' array.h 's/s\.each \* rank : total/s.each * rank + 1 : total/'
wrong 'the place in the file' lookup.c '/r\.bad\.position +=/d'
wrong 'reports of other ranks' lookup.c 's/ndg_report_merge(&sum, &one)//'
wrong 'met before' lookup.c 's/m->id != id)/m->id != id \&\& 0)/'
wrong 'a piece left out' lookup.c \
    's/PIECE = 4096/PIECE = 50/; s/wanted; at = last)/wanted; at = last + 9)/'
wrong 'a slot too few' lookup.c 's/SLOTS = 3/SLOTS = 2/'

tally mpi
