#!/bin/sh
# test_cli.sh - the command-line tool, black box, from its contract alone.
#
#     sh tests/tool/test_cli.sh          from the project's root
#
# Needs build/ndgather (or $NDGATHER), build/mknpy (or $MKNPY), POSIX sh and
# coreutils. Works in a folder of its own under build/ and removes it.

. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
umask 022

root=$(pwd)
full_path() { case $1 in /*) echo "$1" ;; *) echo "$root/$1" ;; esac; }
tool=$(full_path "${NDGATHER:-build/ndgather}")
mk=$(full_path "${MKNPY:-build/mknpy}")
for f in "$tool" "$mk"; do
    if [ ! -x "$f" ]; then
        echo "cli: $f is missing"
        echo "cli: 0 passed, 1 failed"
        exit 1
    fi
done

T=$(mktemp -d "$root/build/cli.XXXXXX" 2>/dev/null || mktemp -d) || exit 1
trap 'chmod -R u+w "$T"; rm -rf "$T"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cd "$T" || exit 1
mkdir o

# ---- running ----------------------------------------------------------------

limit=${NDG_TIMEOUT:-20}    # seconds for a run; the hostile ones have $quick
quick=${NDG_QUICK:-1}

# run ARGS: sets rc; stdout in so, stderr in se, its first two lines in line
# and more. $as runs it as another user, where that is called for.
as=
run() {
    # shellcheck disable=SC2086
    timeout -k 1 "$limit" $as "$tool" "$@" >so 2>se </dev/null
    said $?
}
# said STATUS: of a run; sets rc, and line and more from se.
said() {
    rc=$1 line='' more=''
    { IFS= read -r line; IFS= read -r more; } <se
}

# The names in o/, the output folder.
names() { set -- o/* o/.[!.]*; names="$*"; }
only_out='o/out.npy o/.[!.]*'
nothing='o/* o/.[!.]*'
clean() { rm -rf o/* o/.[!.]*; }

# quiet_run: what is wrong with the last run as a success, in $why.
judge_success() {
    why=
    names
    if [ $rc != 0 ]; then why="exit $rc, stderr: $line"
    elif [ -s so ]; then why="stdout: $(head -n 1 so)"
    elif [ -s se ]; then why="stderr: $line"
    elif [ "$names" != "$only_out" ]; then why="left $names"
    fi
}

# good LABEL DUMP ARGS: success; the output as mknpy dumps it. Twice, the
# second time with three threads.
good() {
    label=$1 want=$2
    shift 2
    rm -f o/out.npy
    run "$@" -o o/out.npy
    judge_success
    if [ -z "$why" ]; then
        got=$("$mk" dump o/out.npy 2>&1)
        [ "$got" = "$want" ] || why="want <$want> got <$got>"
    fi
    if [ -z "$why" ]; then
        mv o/out.npy once
        run "$@" --threads 3 -o o/out.npy
        judge_success
        [ -n "$why" ] || cmp -s once o/out.npy || why="other bytes"
        why=${why:+with three threads: $why}
    fi
    rm -f o/out.npy once
    if [ -z "$why" ]; then ok; else no "$label" "$why"; fi
}

# What is wrong with the last run as a failure of status $1, in $why.
judge_failure() {
    why=
    if [ $rc != "$1" ]; then why="exit $rc, not $1; stderr: $line"
    elif [ -s so ]; then why="stdout: $(head -n 1 so)"
    elif [ -z "$line" ]; then why="no line on stderr"
    elif [ -n "$more" ]; then why="a second line: $more"
    fi
}

# both STATUS ARGS: a failure, then again over an existing OUT with threads;
# sets why, and first to the line.
both() {
    status=$1
    shift
    rm -rf o/out.npy
    run "$@" -o o/out.npy
    judge_failure "$status"
    first=$line
    names
    [ -n "$why" ] || [ "$names" = "$nothing" ] || why="left $names"
    rm -rf o/out.npy
    [ -z "$why" ] || return
    echo old >o/out.npy
    case " $* " in
    *" --threads "*) run "$@" -o o/out.npy ;;
    *) run "$@" -o o/out.npy --threads 3 ;;
    esac
    judge_failure "$status"
    names
    old=$(cat o/out.npy)
    if [ -n "$why" ]; then why="with three threads over an old OUT: $why"
    elif [ "$names" != "$only_out" ]; then why="left $names"
    elif [ "$old" != old ]; then why="the existing OUT was changed"
    elif [ "$line" != "$first" ]; then why="then says <$line>"
    fi
    rm -f o/out.npy
}

# fails LABEL LINE ARGS: exit 1 with exactly this line (after "ndgather: OP: ").
fails() {
    label=$1 want="ndgather: $3: $2"
    shift 2
    both 1 "$@"
    [ -n "$why" ] || [ "$first" = "$want" ] || why="want <$want> got <$first>"
    if [ -z "$why" ]; then ok; else no "$label" "$why"; fi
}

# likes LABEL GLOB ARGS: exit 1 with a line like this.
likes() {
    label=$1 want="ndgather: $3: $2"
    shift 2
    both 1 "$@"
    if [ -z "$why" ]; then
        # shellcheck disable=SC2254
        case $first in
        $want) ;;
        *) why="want <$want> got <$first>" ;;
        esac
    fi
    if [ -z "$why" ]; then ok; else no "$label" "$why"; fi
}

# usage LABEL ARGS: exit 2, at most four lines, a hint, nothing made.
usage() {
    label=$1
    shift
    rm -rf o/out.npy
    run "$@"
    why=
    names
    lines=$(wc -l <se)
    if [ $rc != 2 ]; then why="exit $rc, not 2; stderr: $line"
    elif [ -s so ]; then why="stdout: $(head -n 1 so)"
    elif [ "$lines" -lt 1 ] || [ "$lines" -gt 4 ]; then why="$lines lines"
    elif [ "$names" != "$nothing" ]; then why="left $names"
    else
        case $line in ndgather:*) ;; *) why="begins: $line" ;; esac
    fi
    rm -rf o/out.npy
    if [ -z "$why" ]; then ok; else no "usage: $label" "$why"; fi
}

# split LABEL DUMPS ARGS: a partition; its parts as mknpy dumps them, without
# '<i4', "; " between.
split() {
    label=$1 want=$2
    shift 2
    clean
    run "$@" -o o/q
    if [ $rc != 0 ]; then no "$label" "exit $rc: $line"; return; fi
    is "$label: silence" '' "$(cat so se)"
    all='' k=0
    while [ -e o/q.$k.npy ]; do
        all="$all; $("$mk" dump o/q.$k.npy 2>&1 | sed 's/^<i4 //')"
        k=$((k + 1))
    done
    is "$label" "$want" "${all#; }"
    set -- o/* o/.[!.]*
    is "$label: files" $((k + 1)) $#
    clean
}

# p DESCR SHAPE [VALUES], i ...: the files p.npy and i.npy.
p() { "$mk" p.npy "$@"; }
i() { "$mk" i.npy "$@"; }

# table: a case on each line of standard input:
#
#     OP OPTIONS : ARRAY ; ARRAY ; ARRAY = DUMP       success, with this output
#     ...                                = ! LINE     fails with this line
#     ...                                = ~ GLOB     or with one like this
#     dynamic_partition ...              = DUMP; ...  success, with these parts
#
# ARRAY is DESCR SHAPE VALUES, after F in Fortran order; . is the one before.
# They are p.npy, i.npy, d.npy, x.npy ... '<i4' is left out. OP stitch is both
# stitches. A line that ends in \ goes on in the next, and # begins what is said
# of it.
array() {       # array [-F] FILE [DESCR] SHAPE VALUES
    set_order=
    if [ "$1" = -F ]; then set_order=-F; shift; fi
    set_file=$1
    shift
    case $1 in '('*) set -- '<i4' "$@" ;; esac
    "$mk" $set_order "$set_file" "$@"
}
table() {
    while IFS= read -r row; do
        case $row in ''|'#'*) continue ;; esac
        while [ "${row%\\}" != "$row" ] && IFS= read -r next; do
            row=${row%\\}${next#    }
        done
        row=${row%%  # *}
        left=${row%% = *}
        arrays=${left#* : }
        left=${left%% : *}
        files=
        for file in p i d x y z; do
            array=${arrays%% ; *}
            files="$files $file.npy"
            # shellcheck disable=SC2086
            case $array in
            .) ;;
            'F '*) array -F $file.npy ${array#F } ;;
            *) array $file.npy $array ;;
            esac
            [ "$array" != "$arrays" ] || break
            arrays=${arrays#* ; }
        done
        # shellcheck disable=SC2086
        set -- $files ${left#"${left%% *}"}
        case $left in
        stitch*) case_of dynamic_stitch "$@"
                 case_of parallel_dynamic_stitch "$@" ;;
        *) case_of "${left%% *}" "$@" ;;
        esac
    done
}
case_of() {     # case_of OP ARGS: of $row
    case $row in
    *' = ! '*) fails "$row" "${row#* = ! }" "$@" ;;
    *' = ~ '*) likes "$row" "${row#* = ~ }" "$@" ;;
    dynamic_partition*) split "$row" "${row#* = }" "$@" ;;
    *' = ('*) good "$row" "<i4 ${row#* = }" "$@" ;;
    *) good "$row" "${row#* = }" "$@" ;;
    esac
}

# repeat N TEXT
repeat() { awk -v n="$1" -v s="$2" 'BEGIN { while (n-- > 0) printf "%s", s }'; }

# ---- help, version ----------------------------------------------------------

ops='gather_nd gather batch_gather dynamic_stitch parallel_dynamic_stitch
dynamic_partition scatter_nd'

run --version
is "--version: status" 0 $rc
is "--version: one line" 1 "$(wc -l <so | tr -d ' ')"
version=$(sed -n '1s/.* v\([0-9.]*\) .*/\1/p' "$root/ndgather.h")
case $(cat so) in
*"$version"*) ok ;;
*) no "--version" "want $version got $(cat so)" ;;
esac
run --help
is "--help: status" 0 $rc
is "--help: stderr" "" "$line"
for word in $ops --bad-index --negative --gaps --axis --batch-dims --threads \
    --quiet --progress -o -n; do
    if grep -q -e "$word" so; then ok; else no "--help" "no word on $word"; fi
done
for op in $ops; do
    run "$op" --help
    is "$op --help: status" 0 $rc
    is "$op --help: stderr" "" "$line"
    if grep -q "$op" so; then ok; else no "$op --help" "does not name it"; fi
done
run gather no.npy --help
is "--help wins over missing operands" 0 $rc

# ---- what the ops give -------------------------------------------------------

# A few cases of each, of the documents of TensorFlow and ONNX, too. What they
# give for arrays, types, layouts and policies of all kinds, cli_random.py
# compares with plain loops, cli_numpy.py and cli_onnx.py with those libraries.
table <<'END'
gather_nd : (2,2) ; (2,2) 0 0 1 1 = (2,) 0 3  # document 1
gather_nd : . ; (2,1,1) 1 0 = (2,1,2) 2 3 0 1  # document 7
gather_nd --batch-dims 1 : (2,2,2) ; (2,1) 1 0 = (2,2) 2 3 4 5  # document 15
gather_nd --batch-dims=1 : . ; (2,1,2) 1 0 0 1 = (2,1) 2 5  # document 17
gather_nd : |S1 (2,3) a b c d e f ; <i8 (2,1) 1 0 = |S1 (2,3) d e f a b c
gather_nd : (2,3) ; (2,) 1 2 = () 5  # one vector, a scalar out
gather_nd : . ; (2,0) = (2,2,3) 0 1 2 3 4 5 0 1 2 3 4 5  # depth 0
gather_nd --batch-dims 2 : . ; (2,3,0) = (2,3) 0 1 2 3 4 5
gather_nd : . ; (4,0,1) = (4,0,3)  # no rows in rank 3
gather_nd : (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2) 7 8 ; (2,16) 0 0 0 0 0 0 0 0 0 0 \
    0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 = (2,) 8 7

gather : (3,2) ; (2,) 2 0 = (2,2) 4 5 0 1  # rows
gather : . ; () 1 = (2,) 2 3  # a scalar index
gather --axis -1 : . ; (1,3) 1 1 0 = (3,1,3) 1 1 0 3 3 2 5 5 4
gather --axis=-2 : . ; . = (1,3,2) 2 3 2 3 0 1
gather --axis 1 : . ; (0,) = (3,0)  # no indices
gather : (3,) 7 8 9 ; () 2 = () 9  # a scalar out
gather --batch-dims=-1 --axis 1 : (2,3,2) ; (2,2) 2 0 1 1 = (2,2,2) 4 5 0 1 8 \
    9 8 9
gather --batch-dims -2 --axis 1 : . ; . = (2,2,2,2) 4 5 0 1 2 3 2 3 10 11 6 7 \
    8 9 8 9
batch_gather : . ; . = (2,2,2) 4 5 0 1 8 9 8 9
gather --batch-dims 1 --axis -1 : (2,2,3) ; . = (2,2,2) 2 0 5 3 7 7 10 10
gather --batch-dims 1 --axis 0 : . ; . = ~ *batch_dims*axis*
gather --batch-dims -1 --axis 0 : . ; . = ~ *batch_dims*axis*
gather --batch-dims 1 --axis -3 : . ; . = ~ *batch_dims*axis*
gather --batch-dims -1 --axis 0 : (2,3) ; (1,) 1 = (1,3) 3 4 5
batch_gather : . ; . = (1,3) 3 4 5  # rank 1
batch_gather : (0,3) ; (0,2) = (0,2)  # no batches

stitch : () 6 ; (2,) 61 62 ; (2,) 4 1 ; (2,2) 41 42 11 12 ; (2,2) 5 2 0 3 ; \
    (2,2,2) 51 52 21 22 1 2 31 32 = (7,2) 1 2 11 12 21 22 31 32 41 42 51 52 61 \
    62  # document 18

# Of Fortran order.
gather --axis 1 : F (2,3) 0 1 2 3 4 5 ; (2,) 1 0 = (2,2) 1 0 4 3
gather_nd : . ; F >i8 (2,2) 1 2 0 1 = (2,) 5 1
gather : . ; F (2,2) 0 9 0 7 = ! indices[0,1] = 9 is not in [0, 2) (and 1 more)
stitch : F (2,2) 3 1 3 2 ; F (2,2,2) = (4,2) 0 0 2 3 6 7 4 5  # the last wins
stitch : F (2,2) 3 -1 -2 2 ; . = ! indices[0][0,1] = -1 is out of range (and 1 \
    more)
dynamic_partition -n 2 : F (2,3,2) ; F (2,3) 0 1 0 1 1 0 = (3,2) 0 1 4 5 10 \
    11; (3,2) 2 3 6 7 8 9
dynamic_partition -n 2 : . ; F (2,3) 0 5 0 9 1 0 = ! partitions[0,1] = 5 is \
    not in [0, 2) (and 1 more)

# An empty table is judged by its indices.
gather_nd : (3,0) ; (1,1) 0 = (1,0)  # no columns
gather_nd : . ; (2,1) 2 3 = ! indices[1] = [3] does not index into params \
    shape [3,0]
gather : . ; (2,) 1 3 = ! indices[1] = 3 is not in [0, 3)
gather : . ; (2,) 1 2 = (2,0)  # empty slices
gather_nd : (0,3) ; (1,2) 0 0 = ! indices[0] = [0, 0] does not index into \
    params shape [0,3]
gather --axis 1 : . ; (1,) 3 = ! indices[0] = 3 is not in [0, 3)
gather --axis 1 : . ; (1,) 2 = (0,1)  # no outer
END
p '<i4' "($(repeat 63 1,)3)" 7 8 9
i '<i4' '(1,)' 2
good "gather: rank 64" "<i4 ($(repeat 63 1,)1) 9" \
    gather p.npy i.npy --axis -1

"$mk" x.npy '<f4' '(6,)' 0.1 -1 5.2 4.3 -1 7.4
"$mk" ids.npy '<i4' '(6,)' 1 0 1 1 0 1
"$mk" n.npy '<i4' '(6,)'
run dynamic_partition x.npy ids.npy -n 2 -o o/x
is "document 19: status" 0 $rc
run dynamic_partition n.npy ids.npy -n 2 -o o/n
names
is "document 19: names" \
    'o/n.0.npy o/n.1.npy o/x.0.npy o/x.1.npy o/.[!.]*' "$names"
is "document 19: part 0" '<i4 (2,) 1 4' "$("$mk" dump o/n.0.npy)"
is "document 19: part 1" '<i4 (4,) 0 2 3 5' "$("$mk" dump o/n.1.npy)"
is "document 19: minus ones" '<f4 (2,) -1 -1' "$("$mk" dump o/x.0.npy)"
run dynamic_stitch o/n.0.npy o/x.0.npy o/n.1.npy o/x.1.npy -o back.npy
is "document 19: back" "$("$mk" dump x.npy)" "$("$mk" dump back.npy)"
clean

# ---- options, anywhere and in both spellings ---------------------------------

p '<i4' '(2,3)'
i '<i4' '(2,)' 2 0
cols='<i4 (2,2) 2 0 5 3'
spelling() {    # spelling LABEL ARGS: must write o/out.npy with $cols
    label=$1
    shift
    run "$@"
    judge_success
    [ -n "$why" ] || [ "$("$mk" dump o/out.npy)" = "$cols" ] || why="wrong data"
    rm -f o/out.npy
    if [ -z "$why" ]; then ok; else no "options: $label" "$why"; fi
}
spelling "after" gather p.npy i.npy -o o/out.npy --axis 1 --threads 1
spelling "before the operands" gather -o o/out.npy --axis 1 p.npy i.npy
spelling "between" gather p.npy --axis=1 -o o/out.npy i.npy
spelling "before the op" --axis 1 gather p.npy i.npy -o o/out.npy
spelling "-o before the op" -o o/out.npy gather p.npy i.npy --axis=1
spelling "all of them" gather p.npy i.npy --bad-index error --negative bad \
    --axis 1 --batch-dims 0 --threads 3 --quiet -o o/out.npy
spelling "all with =" gather p.npy i.npy --bad-index=error --negative=bad \
    --axis=1 --batch-dims=0 --threads=3 -q -o o/out.npy
spelling "-q" -q gather p.npy i.npy -o o/out.npy --axis 1
spelling "--threads 1000000" gather p.npy i.npy -o o/out.npy --axis 1 \
    --threads 1000000
cp p.npy -- -p.npy
cp i.npy -- --axis
spelling "-- ends them" gather --axis 1 -o o/out.npy -- -p.npy --axis
spelling "-- before the op" --axis 1 -o o/out.npy -- gather -p.npy --axis
spelling "-- in the middle" gather --axis 1 -o o/out.npy p.npy -- --axis
rm -f -- -p.npy --axis
run gather p.npy i.npy --progress -o o/out.npy --axis 1
is "--progress: status" 0 $rc
is "--progress: stdout" '' "$(cat so)"
is "--progress: data" "$cols" "$("$mk" dump o/out.npy)"
rm -f o/out.npy

# ---- usage errors -----------------------------------------------------------

g="gather p.npy i.npy -o o/out.npy"
n="gather_nd p.npy i.npy -o o/out.npy"
b="batch_gather p.npy i.npy -o o/out.npy"
s="dynamic_stitch i.npy d.npy -o o/out.npy"
ps="parallel_dynamic_stitch i.npy d.npy -o o/out.npy"
q="dynamic_partition p.npy i.npy -o o/out"
c="scatter_nd p.npy i.npy p.npy -o o/out.npy"
usage "nothing"
usage "only options" --threads 2
usage "unknown op" frobnicate p.npy i.npy -o o/out.npy
usage "op in capitals" GATHER p.npy i.npy -o o/out.npy
usage "empty op" '' p.npy i.npy -o o/out.npy
usage "no -o" gather p.npy i.npy
usage "no -o, partition" dynamic_partition p.npy i.npy -n 2
usage "no -o, stitch" dynamic_stitch i.npy p.npy
usage "one operand" gather p.npy -o o/out.npy
usage "no operands" gather_nd -o o/out.npy
usage "three operands" gather p.npy i.npy i.npy -o o/out.npy
usage "three operands, partition" \
    dynamic_partition p.npy i.npy i.npy -n 2 -o o/o
for words in \
    "$g --frobnicate" "$g --frobnicate=1" "$g -z" "$g --axi 1" "$g --Axis 1" \
    "$g --axis" "$g --axis x" "$g --axis 1x" "$g --axis 1.0" "$g --axis=" \
    "$g --axis 0x1" "$g --axis --" "$g --axis 99999999999999999999999" \
    "$g --batch-dims one" "$g --batch-dims" "$g -n 2" "$g --gaps zero" \
    "$g --bad-index" "$g --bad-index maybe" "$g --bad-index drop" \
    "$g --bad-index fill" "$g --bad-index=" "$g --bad-index Error" \
    "$g --negative" "$g --negative good" "$g --negative=" \
    "$g --threads" "$g --threads 0" "$g --threads -1" "$g --threads two" \
    "$g --threads=" "$g --threads 1.5" "$g --threads 2x" \
    "$g --threads 99999999999999999999999" \
    "gather p.npy i.npy -o" "$g --quiet=yes" "$g --progress=no" \
    "$n --batch-dims -1" "$n --batch-dims=-1" "$n --axis 0" "$n -n 2" \
    "$n --gaps zero" "$n --bad-index drop" "$n --batch-dims 1,2" \
    "$b --batch-dims 1" "$b --axis 1" "$b -n 2" "$b --gaps error" \
    "$s --axis 0" "$s --batch-dims 0" "$s --negative bad" "$s -n 2" \
    "$s --bad-index zero" "$s --bad-index clip" "$s --bad-index wrap" \
    "$s --bad-index fill=0" "$s --gaps" "$s --gaps maybe" "$s p.npy" \
    "$ps --axis 0" "$ps --bad-index zero" "$ps p.npy" "$ps --gaps=drop" \
    "dynamic_stitch -o o/out.npy" "dynamic_stitch i.npy -o o/out.npy" \
    "parallel_dynamic_stitch i.npy -o o/out.npy" \
    "$q" "$q -n" "$q -n 0" "$q -n -1" "$q -n 1048577" "$q -n two" "$q -n 2.0" \
    "$q -n 99999999999999999999999" "$q -n 2 --negative bad" \
    "$q -n 2 --bad-index zero" "$q -n 2 --axis 0" "$q -n 2 --gaps zero" \
    "$q -n 2 --threads 0" "$q -n 2 --batch-dims 0" \
    "$c --axis 0" "$c -n 2" "$c --batch-dims -1" "$c --batch-dims=x" \
    "$c --batch-dims" "$c --bad-index zero" "$c --bad-index clip" \
    "$c --bad-index wrap" "$c --bad-index fill=0" "$c --bad-index keep" \
    "$c --bad-index=" "$c --gaps" "$c --gaps error" "$c --gaps drop" \
    "$c --gaps=" "$c --negative" "$c --negative=good" "$c --threads 0" \
    "$c p.npy" "$c --frobnicate" "scatter_nd p.npy i.npy -o o/out.npy" \
    "scatter_nd -o o/out.npy" "scatter_nd p.npy i.npy p.npy"
do
    # shellcheck disable=SC2086
    usage "$words" $words
done
for words in "$g --frobnicate" "frobnicate x" "$g --threads 0"; do
    # shellcheck disable=SC2086
    run $words
    if grep -q -i -e help -e usage se; then ok
    else no "usage: $words" "no hint: $line"
    fi
done
usage "a control byte in the op" "$(printf 'ga\033[31m\nther')" p.npy i.npy \
    -o o/out.npy
is "usage: no control bytes" '' "$(tr -d '[:print:]\n' <se)"

# ---- types -------------------------------------------------------------------

# All of them: cli_random.py and cli_numpy.py.
table <<'END'
gather : <i2 (5,) 10 11 12 13 14 ; |i1 (3,) 4 0 2 = <i2 (3,) 14 10 12
gather : . ; >u2 (3,) 4 0 2 = <i2 (3,) 14 10 12
gather_nd : >f8 (2,) 0 1 ; <u4 (2,1) 1 0 = >f8 (2,) 1 0
gather : <c8 (2,) 0 1 ; >i8 (2,) 1 0 = <c8 (2,) 1:0 0:0
gather : |V3 (2,) 000102 101112 ; . = |V3 (2,) 101112 000102
stitch : <u8 (2,) 2 0 ; >U3 (2,) a b = >U3 (3,) b  a
gather_nd : (2,) ; <f4 (2,1) 0 1 = ~ *i.npy*f4*
stitch : <M8[s] (2,) 0 1 ; (2,) = ~ *p.npy*M8*
dynamic_partition -n 2 : (2,) ; |b1 (2,) 0 1 = ~ *i.npy*b1*
gather : (5,) ; [('a','<i4')]@4 (2,) 00000000 01000000 = ~ *i.npy*
END
"$mk" raw i.npy "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }" 16
likes "indices: objects" '*i.npy*O*' gather p.npy i.npy

# ---- bad indices: the lines -------------------------------------------------

table <<'END'
gather_nd : (2,2) ; (1,2,2) 0 1 0 7 = ! indices[0,1] = [0, 7] does not index \
    into params shape [2,2]
gather_nd : . ; (2,) 0 7 = ! indices = [0, 7] does not index into params shape \
    [2,2]
gather_nd : . ; (4,2) 5 5 0 0 -1 9 0 2 = ! indices[0] = [5, 5] does not index \
    into params shape [2,2] (and 2 more)
gather_nd --batch-dims 1 : . ; (2,2,1) 0 1 0 3 = ! indices[1,1] = [3] does not \
    index into params shape [2,2]
gather_nd --negative from-end : . ; (2,1) 0 -3 = ! indices[1] = [-3] does not \
    index into params shape [2,2]
gather : (3,) ; (3,) -4 -3 -1 = ! indices[0] = -4 is not in [0, 3) (and 2 more)
gather --negative from-end : . ; . = ! indices[0] = -4 is not in [-3, 3)
gather : . ; () 7 = ! indices = 7 is not in [0, 3)  # gather, scalar
gather --negative=from-end : . ; . = ! indices = 7 is not in [-3, 3)
gather : . ; <u8 (2,) 1 18446744073709551615 = ! indices[1] = \
    18446744073709551615 is not in [0, 3)
gather --negative from-end : . ; . = ! indices[1] = 18446744073709551615 is \
    not in [-3, 3)
gather : . ; >i8 (2,) 1 -9223372036854775808 = ! indices[1] = \
    -9223372036854775808 is not in [0, 3)
gather --negative from-end : . ; . = ! indices[1] = -9223372036854775808 is \
    not in [-3, 3)
batch_gather : (2,3) ; (2,2) 0 3 -1 0 = ! indices[0,1] = 3 is not in [0, 3) \
    (and 1 more)

stitch : (2,) 0 1 ; (2,) 0 1 ; (3,) 4 -2 -3 ; (3,) ; (3,) 4 -2 -3 ; (3,) = ! \
    indices[1][1] = -2 is out of range (and 3 more)
stitch : |i1 () -4 ; () 9 ; <i8 (2,3) 0 1 -4 3 4 5 ; (2,3) = ! indices[0] = -4 \
    is out of range (and 1 more)  # the first list wins
stitch : <i8 (2,3) 0 1 -4 3 4 5 ; (2,3) = ! indices[0][0,2] = -4 is out of range

dynamic_partition -n 2 : (3,) ; (3,) -1 1 9 = ! partitions[0] = -1 is not in \
    [0, 2) (and 1 more)
dynamic_partition -n 2 : . ; () 9 = ! partitions = 9 is not in [0, 2)
dynamic_partition -n 1048576 : (2,2) ; <u8 (2,2) 0 18446744073709551615 1 0 = \
    ! partitions[0,1] = 18446744073709551615 is not in [0, 1048576)
END

# ---- policies ---------------------------------------------------------------

table <<'END'
gather --bad-index zero : (3,2) ; (4,) -1 1 5 -4 = (4,2) 0 0 2 3 0 0 0 0
gather --bad-index=fill=-1 --negative from-end : . ; . = (4,2) 4 5 2 3 -1 -1 \
    -1 -1
gather --bad-index clip : . ; . = (4,2) 0 1 2 3 4 5 0 1
gather --bad-index wrap : . ; . = (4,2) 4 5 2 3 4 5 4 5
gather --negative from-end --bad-index error : . ; (2,) -1 -3 = (2,2) 4 5 0 1
gather --bad-index wrap : (10,) ; <u8 (3,) 18446744073709551615 \
    9223372036854775808 12 = (3,) 5 8 2
gather --bad-index clip : . ; . = (3,) 9 9 9  # u64: clip
gather --bad-index wrap --negative from-end : . ; . = (3,) 5 8 2
gather --bad-index wrap : . ; <i8 (2,) -9223372036854775808 \
    9223372036854775807 = (2,) 2 7
gather --bad-index clip : . ; . = (2,) 0 9  # i64: clip
gather --bad-index clip : (0,2) ; (2,) 0 -1 = ! indices[0] = 0 is not in [0, \
    0) (and 1 more)
gather --bad-index clip --negative from-end : . ; . = ~ indices[[]0[]] = 0 is \
    not in *, 0) (and 1*
gather --bad-index fill=7 : . ; . = (2,2) 7 7 7 7  # extent 0: fill
gather_nd --bad-index wrap : . ; (1,2) 0 9 = ! indices[0] = [0, 9] does not \
    index into params shape [0,2]

# fill=V; of every type: cli_numpy.py
gather --bad-index fill=-2.5 : >f2 (1,) 0 ; (1,) 9 = >f2 (1,) -2.5
gather --bad-index fill=18446744073709551615 : <u8 (1,) 0 ; . = <u8 (1,) \
    18446744073709551615
gather --bad-index fill=true : |b1 (1,) 0 ; . = |b1 (1,) 1
gather --bad-index fill=abc : |S5 (1,) x ; . = |S5 (1,) abc
gather --bad-index fill=2.5 : >c16 (1,) 0 ; . = >c16 (1,) 2.5:0
gather --bad-index fill=0x0102030441 : [('a','<i4'),('b','|S1')]@5 (1,) \
    0000000000 ; . = [('a','<i4'),('b','|S1')] (1,) 0102030441
gather --bad-index fill=1 : . ; . = ~ *
gather --bad-index fill=128 : |i1 (1,) 0 ; . = ~ *
gather --bad-index fill=1x : <i4 (1,) 0 ; . = ~ *
gather --bad-index fill=abc : . ; (1,) 0 = ~ *  # also where it is not needed
gather_nd --bad-index fill=6 : (2,2) ; (1,1) 5 = (1,2) 6 6
batch_gather --bad-index fill=6 : . ; (2,2) 5 0 0 -1 = (2,2) 6 0 2 6
END
p '<U2' '(1,)' x
i '<i4' '(1,)' 9
good "fill: UTF-8" '<U2 (1,) n\u00e9' \
    gather p.npy i.npy --bad-index "fill=$(printf 'n\303\251')"
likes "fill: no UTF-8" '*' \
    gather p.npy i.npy --bad-index "fill=$(printf '\377\376')"

# ---- shapes that do not fit -------------------------------------------------

table <<'END'
gather : () 5 ; (1,) 0 = ~ params must be at least 1 dimensional*
gather_nd : . ; . = ~ params must be at least a vector*  # a scalar table
batch_gather : . ; . = ~ *  # a scalar table
gather_nd : (2,3) ; () 0 = ~ indices must be at least a vector*
batch_gather : . ; . = ~ *  # a scalar index
gather_nd : . ; (1,3) 0 0 0 = ~ index innermost dimension length must be <= \
    params rank; saw: 3 vs. 2*
gather_nd --batch-dims 1 : . ; (2,2) 0 0 0 0 = ~ index innermost dimension \
    length must be <= params rank; saw: 2 vs. 2*
gather_nd --batch-dims 2 : . ; . = ~ *batch_dims*  # batch_dims = rank(indices)
END
"$mk" vectors.npy '<i4' '(1,17)' :zero
"$mk" deep.npy '|u1' '(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)' 7
fails "gather_nd: vectors of 17" \
    'index vectors of 17 components: at most 16 are allowed' \
    gather_nd deep.npy vectors.npy
"$mk" vectors.npy '<i4' '(1,)' 0
"$mk" -F deep.npy '|u1' '(2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2)' :iota
fails "gather: Fortran order of 18 axes" \
    'deep.npy: its axes fold to more than 16 levels of strides' \
    gather deep.npy vectors.npy
table <<'END'
gather_nd --batch-dims 1000 : (2,3) ; (2,2) 0 0 0 0 = ~ *batch_dims*
gather_nd --batch-dims 3 : . ; (2,3,4,0) = ~ *batch_dims*
gather_nd --batch-dims 1 : . ; (3,1) 0 0 0 = ~ *params.shape*0*2*3*
gather_nd --batch-dims 2 : (2,3,4) ; (3,2,1) 0 0 0 0 0 0 = ~ *
END
p '<i4' '(2,3)'
i '<i4' '(2,)' 0 0
for axis in 2 -3 1000 -2147483648 2147483647; do
    likes "gather: --axis $axis" '*is rank 2*' gather p.npy i.npy --axis $axis
done
likes "gather: --axis 2, words" \
    'Shape must be at least rank 3 but is rank 2: no axis 2*' \
    gather p.npy i.npy --axis 2
for axis in 4294967296 -4294967295 9223372036854775807 -9223372036854775808; do
    # Whether it is a number that parses is not said: 1 or 2, never a wrap.
    run gather p.npy i.npy --axis=$axis -o o/out.npy
    names
    case $rc,$names in
    1,"$nothing"|2,"$nothing") ok ;;
    *) no "gather: --axis $axis" "exit $rc, $names" ;;
    esac
    run gather p.npy i.npy --batch-dims=$axis -o o/out.npy
    names
    case $rc,$names in
    1,"$nothing"|2,"$nothing") ok ;;
    *) no "gather: --batch-dims $axis" "exit $rc, $names" ;;
    esac
done
for b in 2 -2 1000; do
    likes "gather: --batch-dims $b" \
        "Expected batch_dims in the range \\[-1, 1\\], but got $b*" \
        gather p.npy i.npy --batch-dims $b
done
table <<'END'
gather --batch-dims 2 : (2,3) ; (2,3,1) 0 0 0 0 0 0 = ~ batch_dims (2) must be \
    less than rank(params) (2)*
batch_gather : . ; . = ~ *  # rank(indices) - 1 = rank(params)
gather --batch-dims 2 --axis 1 : (2,3,4) ; . = ~ batch_dims (2) must be less \
    than or equal to axis (1)*
gather --batch-dims 1 : . ; (3,1) 0 0 0 = ~ params.shape\[0\]: 2 should be \
    equal to indices.shape\[0\]: 3*
batch_gather : . ; . = ~ params.shape\[0\]: 2 should be equal to \
    indices.shape\[0\]: 3*
END

# ---- stitches ---------------------------------------------------------------

table <<'END'
stitch : (2,) 0 2 ; <i2 (2,2) 1 2 3 4 = <i2 (3,2) 1 2 0 0 3 4  # a gap is zero
stitch : . ; . ; |u1 (2,) 2 5 ; <i2 (2,2) 5 6 7 8 = <i2 (6,2) 1 2 0 0 5 6 0 0 \
    0 0 7 8  # duplicates: the last wins
stitch : (0,) ; <i2 (0,3) = <i2 (0,3)
stitch --gaps error : . ; . = <i2 (0,3)
stitch : (1,) 2 ; <i2 (1,0) = <i2 (3,0)  # empty slices count rows
stitch --gaps error --bad-index error : . ; . = ! row 0 of 3 is not written
stitch : <i8 (1,) 35184372088832 ; . = <i2 (35184372088833,0)
stitch --gaps error : . ; . = ~ row 0 of *
stitch : <i8 (1,) 9223372036854775807 ; . = ~ *
stitch --bad-index drop : (4,) 0 -1 1 -7 ; <i2 (4,) 10 11 12 13 = <i2 (2,) 10 12
stitch --bad-index drop --gaps error : . ; . = <i2 (2,) 10 12
stitch --bad-index drop : (2,) -1 -7 ; <i2 (2,4) = <i2 (0,4)
stitch --bad-index drop --gaps error : (3,) 6 -1 0 ; <i2 (3,) = ~ row 1 of 7 \
    is not written*
stitch --gaps error : (6,) 0 1 2 6 5 4 ; <i2 (6,) = ! row 3 of 7 is not written
stitch --gaps=error : . ; . = ! row 3 of 7 is not written
stitch --gaps error : (6,) 5 1 2 0 3 4 ; . = <i2 (6,) 3 1 2 4 5 0

# What does not fit.
stitch : (2,) 0 2 ; <i2 (2,2) 1 2 3 4 ; |u1 (2,) 2 5 ; >i2 (2,2) = ~ *
stitch : . ; . ; . ; <u2 (2,2) = ~ *
stitch : . ; . ; (1,5) 0 1 2 3 4 ; <i2 (5,) = ~ data[[]1].shape = [[]5] does \
    not start with indices[[]1].shape = [[]1,5]*
stitch : . ; . ; (2,) 0 1 ; <i2 (2,3) = ~ Need data[[]0].shape[[]1:] = \
    data[[]1].shape[[]1:], got*
stitch : . ; . ; (0,) ; <i2 (0,3) = ~ Need data*
stitch : . ; . ; (2,) 0 -1 ; <i2 (5,3) = ! indices[1][1] = -1 is out of range
stitch --bad-index drop : . ; . ; . ; . = ~ data*
stitch : (1,5) 0 1 2 3 4 ; <i2 (5,) = ~ data[[]0].shape = [[]5] does not start \
    with indices[[]0].shape = [[]1,5]*

# Sizes nobody has.
stitch : <i8 (1,) 4611686018427387904 ; <i2 (1,4) = ~ *
stitch : <i8 (1,) 9223372036854775807 ; . = ~ *
stitch : <i8 (1,) 2305843009213693951 ; . = ~ *
stitch : <u8 (1,) 18446744073709551615 ; . = ~ *
stitch : >u8 (1,) 9223372036854775808 ; . = ~ *
stitch --gaps error : . ; . = ~ *
stitch : <i8 (1,) 35184372088832 ; . = ~ *
stitch --gaps error : . ; . = ~ *
END
"$mk" i0.npy '<i4' '(2,)' 0 2; "$mk" d0.npy '<i2' '(2,2)' 1 2 3 4
"$mk" i1.npy '|u1' '(2,)' 2 5; "$mk" d1.npy '<i2' '(2,2)' 5 6 7 8
set --
j=0
while [ $j -lt 100 ]; do
    set -- "$@" i0.npy d0.npy i1.npy d1.npy
    j=$((j + 1))
done
good "200 pairs" '<i2 (6,2) 1 2 0 0 5 6 0 0 0 0 7 8' dynamic_stitch "$@"

# ---- dynamic_partition ------------------------------------------------------

table <<'END'
dynamic_partition -n 2 : (4,2) ; (4,) 1 0 0 1 = (2,2) 2 3 4 5; (2,2) 0 1 6 7
dynamic_partition -n 4 : . ; . = (2,2) 2 3 4 5; (2,2) 0 1 6 7; (0,2); (0,2)
dynamic_partition -n 2 --bad-index drop : . ; (4,) 0 -1 5 1 = (1,2) 0 1; (1,2) \
    6 7
dynamic_partition -n 2 --bad-index drop : . ; (4,) 9 -1 5 2 = (0,2); (0,2)
dynamic_partition -n 2 : (0,3) ; (0,) = (0,3); (0,3)  # no rows
dynamic_partition -n 2 : (3,0) ; (3,) 1 1 0 = (1,0); (2,0)  # empty slices
dynamic_partition -n 1 : () 5 ; () 0 = (1,) 5  # scalars
dynamic_partition -n 2 : (3,1) ; (2,1) 0 0 = ~ data.shape must start with \
    partitions.shape, got data.shape = \[3,1\], partitions.shape = \[2,1\]*
dynamic_partition -n 2 : (3,) ; (3,1) 0 0 0 = ~ data.shape must start with*
END
i '<i4' '(3,)' 0 1 2
likes "partition: -n of a million" '*' dynamic_partition p.npy n.npy -n 1048576

p '<i4' '(300,)'
i '<i4' '(300,)' :iota,200
clean
# shellcheck disable=SC3045
(ulimit -n 80; timeout 20 "$tool" dynamic_partition p.npy i.npy -n 200 \
    -o o/q) >so 2>se </dev/null
is "200 parts with 80 open files" 0 $?
is "200 parts: silence" '' "$(cat so se)"
set -- o/* o/.[!.]*
is "200 parts: files" 201 $#
is "200 parts: the first" '<i4 (2,) 0 200' "$("$mk" dump o/q.0.npy)"
is "200 parts: the last" '<i4 (1,) 199' "$("$mk" dump o/q.199.npy)"

# A late error: the last name cannot be replaced, so none is.
# shellcheck disable=SC2012
state() { ls -lA o | awk '{ print $1, $5, $NF }'; cat o/q.0.npy; }
broken() {      # broken LABEL: the partition into o/q must fail and change o/
    before=$(state)
    run dynamic_partition p.npy i.npy -n 200 -o o/q
    judge_failure 1
    after=$(state)
    [ -n "$why" ] || [ "$before" = "$after" ] || why="o/ has changed"
    case $line in *q.199.npy*) ;; *) why="names no file: $line" ;; esac
    if [ -z "$why" ]; then ok; else no "partition: $1" "$why"; fi
}
clean
echo old >o/q.0.npy
mkdir o/q.199.npy
broken "the last OUT is a folder"
rmdir o/q.199.npy
mkfifo o/q.199.npy
broken "the last OUT is a FIFO"
rm -f o/q.199.npy
ln -s q.199.npy o/q.199.npy
broken "the last OUT is a loop of links"
clean
run dynamic_partition p.npy i.npy -n 200 -o none/q
judge_failure 1
is "partition: no such folder" '' "$why"
run dynamic_partition p.npy i.npy -n 200 -o o
is "partition: a prefix that is a folder's name" 0 $rc
is "partition: its files" '<i4 (1,) 199' "$("$mk" dump o.199.npy)"
rm -f o.*.npy
cp p.npy o/q.1.npy
run dynamic_partition o/q.1.npy i.npy -n 200 -o o/q
is "partition: OUT is DATA" 0 $rc
is "partition: OUT is DATA: data" '<i4 (2,) 1 201' "$("$mk" dump o/q.1.npy)"
clean

# ---- scatter_nd -------------------------------------------------------------

d() { "$mk" d.npy "$@"; }
run scatter_nd --help
is "scatter_nd --help: names its arrays" 1 "$(grep -c \
    'usage: ndgather scatter_nd INTO.npy INDICES.npy DATA.npy -o OUT' so)"
for word in --bad-index --negative --gaps --batch-dims --threads keep; do
    if grep -q -e "$word" so; then ok
    else no "scatter_nd --help" "no word on $word"; fi
done

table <<'END'
scatter_nd : (8,) 1 2 3 4 5 6 7 8 ; (4,1) 4 3 1 7 ; (4,) 9 10 11 12 = (8,) 1 \
    11 3 10 9 6 7 12
scatter_nd --gaps=keep --bad-index error --negative bad --batch-dims 0 -q : . \
    ; . ; . = (8,) 1 11 3 10 9 6 7 12
scatter_nd --gaps zero : (2,3) ; (3,2) 0 2 1 0 1 2 ; (3,) 70 71 72 = (2,3) 0 0 \
    70 71 0 72
scatter_nd : . ; (2,) 1 1 ; () 9 = (2,3) 0 1 2 3 9 5  # one vector
scatter_nd : . ; (2,0) ; (2,2,3) = (2,3) 6 7 8 9 10 11
scatter_nd --gaps zero : . ; (0,0) ; (0,2,3) = (2,3) 0 0 0 0 0 0
scatter_nd : . ; (4,1) 1 0 1 1 ; (4,3) = (2,3) 3 4 5 9 10 11  # the last writer
scatter_nd --batch-dims=1 --gaps zero : . ; (2,2,1) 2 0 1 1 ; (2,2) 70 71 72 \
    73 = (2,3) 71 0 70 0 73 0
scatter_nd : |u1 (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2) 7 8 ; (1,16) 0 0 0 0 0 0 0 \
    0 0 0 0 0 0 0 0 1 ; |u1 (1,) 9 = |u1 (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2) 7 9
scatter_nd : (0,3) ; (0,1) ; (0,3) = (0,3)  # no slots, no rows

# Types of indices and elements, byte orders, Fortran order.
scatter_nd : >c8 (3,) 0 1 0 ; >u2 (1,1) 1 ; >c8 (1,) 0 = >c8 (3,) 0:0 0:0 0:0
scatter_nd : . ; |b1 (1,1) 1 ; . = ~ *i.npy*b1*
scatter_nd : . ; <M8[s] (1,1) 1 ; . = ~ *i.npy*M8*
scatter_nd : [('a','<i4'),('b','|S1')]@5 (2,) 0000000000 0102030441 ; |i1 \
    (1,1) 1 ; [('a','<i4'),('b','|S1')]@5 (1,) 0506070842 = \
    [('a','<i4'),('b','|S1')] (2,) 0000000000 0506070842
scatter_nd : F (2,3) ; F >i8 (2,2) 1 2 0 1 ; (2,) 70 71 = (2,3) 0 71 2 3 4 70
scatter_nd : (2,3) ; (2,1) 1 0 ; F (2,3) 10 11 12 13 14 15 = (2,3) 13 14 15 10 \
    11 12  # Fortran DATA

# What a bad index does.
scatter_nd : (2,3) ; (4,2) 0 7 1 -1 0 0 -1 -3 ; (4,) 70 71 72 73 = ! \
    indices[0] = [0, 7] does not index into shape [2,3] (and 2 more)
scatter_nd --negative from-end : . ; . ; . = ! indices[0] = [0, 7] does not \
    index into shape [2,3]
scatter_nd --bad-index drop --gaps zero : . ; . ; . = (2,3) 72 0 0 0 0 0
scatter_nd --bad-index drop --negative from-end : . ; . ; . = (2,3) 72 1 2 73 \
    4 71
scatter_nd : . ; (2,) 0 7 ; () 70 = ! indices = [0, 7] does not index into \
    shape [2,3]
scatter_nd --batch-dims 1 : . ; (2,2,1) 0 1 0 3 ; (2,2) 70 71 72 73 = ! \
    indices[1,1] = [3] does not index into shape [2,3]
scatter_nd --batch-dims 1 --bad-index drop : . ; . ; . = (2,3) 70 71 2 72 4 5
scatter_nd --negative from-end : . ; <u8 (1,2) 1 18446744073709551615 ; (1,) \
    70 = ! indices[0] = [1, 18446744073709551615] does not index into shape [2,3]
scatter_nd --negative from-end : . ; >i8 (1,2) -9223372036854775808 0 ; (1,) \
    70 = ! indices[0] = [-9223372036854775808, 0] does not index into shape [2,3]
scatter_nd : (3,0) ; (2,1) 0 3 ; (2,0) = ! indices[1] = [3] does not index \
    into shape [3,0]
scatter_nd --bad-index drop : (0,3) ; . ; (2,3) = (0,3)  # no slots, drop
END

# What does not fit.
odd() {         # odd LABEL GLOB OPTIONS
    label=$1 want=$2
    shift 2
    likes "scatter_nd: $label" "$want" scatter_nd p.npy i.npy d.npy "$@"
}
p '<i4' '(2,3)'
i '<i4' '(2,1)' 1 0
for t in '>i4' '<u4' '<f4' '<i8' '<i2' '|S4' '|V4' '<M8[s]'; do
    case $t in
    '|V4') d "$t" '(2,3)' 00 00 00 00 00 00 ;;
    *) d "$t" '(2,3)' :zero ;;
    esac
    odd "DATA of $t" "d.npy: descr is '${t%[*}*', but that of p.npy is '<i4'"
done
table <<'END'
scatter_nd : [('a','<i4')]@4 (2,) 00000000 01000000 ; (1,1) 1 ; \
    [('b','<i4')]@4 (1,) 05000000 = ~ d.npy: descr is *'b'*, but that of p.npy \
    is *'a'*
scatter_nd : |S3 (2,) a b ; . ; |S5 (1,) c = ~ d.npy: descr is '|S5', but that \
    of p.npy is '|S3'
scatter_nd : (2,3) ; (2,1) 1 0 ; (3,3) = ~ data, axis 0: 3 where *2*
scatter_nd : . ; . ; (2,4) = ~ data, axis 1: 4 where *3*  # too long rows
scatter_nd : . ; . ; (2,) = ~ data has rank 1, *2 is needed  # no slice
scatter_nd : . ; . ; (2,3,1) = ~ data has rank 3, *2 is needed  # an axis more
scatter_nd : . ; () 0 ; (2,3) = ~ indices *1*  # a scalar index
scatter_nd : . ; (1,3) 0 0 0 ; . = ~ indices, axis 1: 3 components for 2 axes \
    of *
scatter_nd --batch-dims 1 : . ; (2,2) 0 0 0 0 ; . = ~ indices, axis 1: 2 \
    components for 1 axes of *
END
for n in 2 1000 9223372036854775807; do
    odd "--batch-dims $n" '*batch_dims*' --batch-dims $n
done
table <<'END'
scatter_nd --batch-dims 3 : (2,3) ; (2,3,4,0) ; (2,3) = ~ *batch_dims*
scatter_nd --batch-dims 1 : . ; (3,1) 0 0 0 ; . = ~ indices, axis 0: 3 where *2
scatter_nd : () 5 ; (0,) ; () 6 = ~ *rank 0*1*  # a scalar INTO
scatter_nd : |u1 (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1) 7 ; (1,17) :zero ; |u1 \
    (1,1) 9 = ~ *17 components*16*
scatter_nd : F |u1 (2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2) ; (0,1) ; |u1 \
    (0,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2) = ! p.npy: its axes fold to more \
    than 16 levels of strides
END
"$mk" raw d.npy "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}" 11
odd "DATA cut short" '*d.npy*'
rm -f d.npy
odd "no DATA" '*d.npy*'

# OUT is one of the three.
for f in p i d; do
    p '<i4' '(3,)' 7 8 9
    i '<i4' '(1,1)' 1
    d '<i4' '(1,)' 5
    run scatter_nd p.npy i.npy d.npy -o $f.npy --threads 2
    is "scatter_nd: OUT is $f.npy" "0 <i4 (3,) 7 5 9" \
        "$rc $("$mk" dump $f.npy)$(cat so se)"
done
p '<i4' '(2,)' 1 0
run scatter_nd p.npy p.npy p.npy -o p.npy
judge_failure 1
is "scatter_nd: one file for all is no fit" " <i4 (2,) 1 0" \
    "$why $("$mk" dump p.npy)"
p '<i4' '(3,)' 7 8 9
i '<i4' '(1,1)' 3
d '<i4' '(1,)' 5
run scatter_nd p.npy i.npy d.npy -o p.npy
is "scatter_nd: INTO stays on an error" '1 <i4 (3,) 7 8 9' \
    "$rc $("$mk" dump p.npy)"
clean

# ---- where the output goes --------------------------------------------------

p '<i4' '(2,)' 7 8
i '<i4' '(2,)' 1 0
new='<i4 (2,) 8 7'
put() {         # put LABEL OUT: success, silent, OUT holds $new
    run gather p.npy i.npy -o "$2"
    if [ $rc != 0 ]; then no "out: $1" "exit $rc: $line"; return; fi
    is "out: $1: silence" '' "$(cat so se)"
    is "out: $1: data" "$new" "$("$mk" dump "$2")"
}
cannot() {      # cannot LABEL OUT: exit 1, one line
    run gather p.npy i.npy -o "$2"
    judge_failure 1
    case $line in
    "ndgather: gather: "*) ;;
    *) why="${why:-begins: $line}" ;;
    esac
    if [ -z "$why" ]; then ok; else no "out: $1" "$why"; fi
}
# shellcheck disable=SC2012
listing() { ls -A "$1" | tr '\n' ' '; }

echo old >o/out.npy
put "replaces a file" o/out.npy
is "out: replaces a file: names" "out.npy " "$(listing o)"
chmod 444 o/out.npy
put "replaces a read-only file" o/out.npy
rm -f o/out.npy
put "in the current folder" here.npy
put "by an absolute name" "$T/there.npy"
rm -f here.npy there.npy
put "a name without suffix" o/out
long=$(repeat 251 x).npy
put "a name of 255 bytes" "o/$long"
is "out: a name of 255 bytes: names" 2 "$(listing o | wc -w | tr -d ' ')"
clean
put "a name with odd bytes" "o/$(printf 'a b\n\033\303\251*[')"
is "out: a name with odd bytes: names" 1 "$(find o -type f | grep -c o/a)"
clean
run dynamic_partition p.npy i.npy -n 2 -o "o/$(repeat 249 x)"
is "out: parts with names of 255 bytes" 0 $rc
is "out: parts with names of 255 bytes: names" 2 \
    "$(listing o | wc -w | tr -d ' ')"
clean
cannot "a name of 300 bytes" "o/$(repeat 300 x)"
cannot "a folder" o
cannot "a folder with a slash" o/
cannot "the current folder" .
cannot "no such folder" none/out.npy
cannot "a file as folder" p.npy/out.npy
cannot "a name that ends with a slash" o/out.npy/
is "out: nothing was made" '' "$(listing o)"
case $line in *out.npy*) ok ;; *) no "out: names the file" "$line" ;; esac
mkfifo o/fifo
cannot "a FIFO" o/fifo
is "out: the FIFO stays" 'fifo ' "$(listing o)"
if [ -p o/fifo ]; then ok; else no "out: the FIFO stays" "it is gone"; fi
ln -s fifo o/link
cannot "a link to a FIFO" o/link
clean
if mknod o/null c 1 3 2>/dev/null; then
    cannot "a device" o/null
    if [ -c o/null ]; then ok; else no "out: the device stays" "it is gone"; fi
    rm -f o/null
elif [ ! -w /dev ]; then
    cannot "a device" /dev/null
else
    skip "cli: OUT a device" "cannot make one to try it on"
fi

mkdir t
echo old >t/real.npy
ln -s ../t/real.npy o/link.npy
put "through a link" o/link.npy
is "out: the link stays" ../t/real.npy "$(readlink o/link.npy)"
is "out: its target is replaced" "$new" "$("$mk" dump t/real.npy)"
is "out: nothing else by the link" 'link.npy ' "$(listing o)"
is "out: nothing else by the target" 'real.npy ' "$(listing t)"
ln -s link.npy o/two.npy
put "through two links" o/two.npy
is "out: both links stay" 'link.npy ../t/real.npy' \
    "$(readlink o/two.npy) $(readlink o/link.npy)"
echo old >t/real.npy
run gather p.npy none.npy -o o/link.npy
is "out: the target stays on an error" old "$(cat t/real.npy)"
is "out: the link stays on an error" ../t/real.npy "$(readlink o/link.npy)"
ln -s "$T/t/fresh.npy" o/dangling.npy
put "through a dangling link" o/dangling.npy
is "out: a dangling link stays" "$T/t/fresh.npy" "$(readlink o/dangling.npy)"
ln -s loop o/loop
cannot "a loop of links" o/loop
ln -s ../t o/folder
cannot "a link to a folder" o/folder
ln -s ../none/x o/nowhere
cannot "a link into no folder" o/nowhere
clean
ln -s ../t/real.npy o/q.1.npy
run dynamic_partition p.npy i.npy -n 2 -o o/q
is "out: a part through a link" 'out <i4 (1,) 7' \
    "out $("$mk" dump t/real.npy)"
is "out: the part's link stays" ../t/real.npy "$(readlink o/q.1.npy)"
clean
rm -rf t

p '<i4' '(2,)' 7 8
put "the same as PARAMS" p.npy
p '<i4' '(2,)' 7 8
put "the same as PARAMS, spelled otherwise" ./o/../p.npy
p '<i4' '(2,)' 7 8
ln p.npy o/hard.npy
put "a hard link of PARAMS" o/hard.npy
is "out: the other name keeps its bytes" '<i4 (2,) 7 8' "$("$mk" dump p.npy)"
clean
ln -s ../p.npy o/soft.npy
put "a symbolic link to PARAMS" o/soft.npy
clean
p '<i4' '(2,)' 7 8
put "the same as INDICES" i.npy
i '<i4' '(2,)' 1 0
run dynamic_stitch i.npy p.npy -o p.npy
is "out: the same as DATA" "0 $new" "$rc $("$mk" dump p.npy)"
run gather i.npy i.npy -o i.npy
is "out: one file for all" '0 <i4 (2,) 0 1' "$rc $("$mk" dump i.npy)"
p '<i4' '(2,)' 7 8
i '<i4' '(2,)' 1 9
before=$(cksum <p.npy)
run gather p.npy i.npy -o p.npy
is "out: PARAMS stays on an error" "1 $before" "$rc $(cksum <p.npy)"
i '<i4' '(2,)' 1 0

mkdir locked
echo old >locked/out.npy
chmod 555 locked
if (: >locked/probe) 2>/dev/null; then        # root: try as nobody
    rm -f locked/probe
    chmod 755 .
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    $as "$tool" --version >so 2>&1 || as=none
fi
if [ "$as" = none ]; then
    as=
    skip "cli: unwritable folder" "this user (root?) may write anywhere"
else
    cannot "an unwritable folder" locked/new.npy
    cannot "an unwritable folder, OUT is there" locked/out.npy
    is "out: an unwritable folder stays" "old out.npy " \
        "$(cat locked/out.npy) $(listing locked)"
    chmod 000 i.npy
    likes "in: an unreadable file" '*i.npy*' gather p.npy i.npy
    chmod 644 i.npy
fi
as=
chmod 755 locked
rm -rf locked

# Standard streams that are closed or full.
if [ -c /dev/full ]; then
    for words in --help --version "gather --help"; do
        # shellcheck disable=SC2086
        timeout 10 "$tool" $words >/dev/full 2>se
        is "$words on a full disk" "1 1" "$? $(wc -l <se | tr -d ' ')"
    done
fi
{ sleep 0.1; "$tool" --help 2>se; echo $? >status; } | :
is "--help into a closed pipe" "1 1" "$(cat status) $(wc -l <se | tr -d ' ')"
{   sleep 0.1
    "$tool" gather p.npy none.npy -o o/out.npy 2>&1
    echo $? >status
} | :
is "an error into a closed pipe" 1 "$(cat status)"
for stream in 0 1 2 all; do
    case $stream in
    0) "$tool" gather p.npy i.npy -o o/out.npy <&- >so 2>se ;;
    1) "$tool" gather p.npy i.npy -o o/out.npy >&- 2>se ;;
    2) "$tool" gather p.npy i.npy -o o/out.npy 2>&- >so ;;
    all) "$tool" gather p.npy i.npy -o o/out.npy <&- 2>&- >&- ;;
    esac
    is "closed stream $stream" "0 $new" "$? $("$mk" dump o/out.npy 2>&1)"
    rm -f o/out.npy
done
"$tool" gather p.npy none.npy -o o/out.npy <&- 2>&- >&-
is "an error with closed streams" "1 " "$? $(listing o)"
i '<i4' '(2,)' 1 9
echo old >o/out.npy
"$tool" gather p.npy i.npy -o o/out.npy <&- 2>&- >&-
is "an error with closed streams, OUT stays" "1 old" "$? $(cat o/out.npy)"
clean
i '<i4' '(2,)' 1 0

# Eight at once, one OUT.
"$mk" many.npy '<i4' '(50000,)'
for j in 1 2 3 4 5 6 7 8; do
    { "$tool" gather many.npy many.npy -o o/out.npy >so.$j 2>&1
      echo $? >>so.$j; } &
done
wait
is "eight at once: status" "0 0 0 0 0 0 0 0 " "$(cat so.? | tr '\n' ' ')"
is "eight at once: names" 'out.npy ' "$(listing o)"
tail -c 200000 many.npy >want
tail -c 200000 o/out.npy | cmp -s - want
is "eight at once: data" 0 $?
clean
rm -f so.? many.npy

# ---- no room ----------------------------------------------------------------

p '|u1' '(1,1000000)' :zero
i '<i4' '(2,)' 0 0
"$mk" n.npy '|i1' '(1,)' 0
"$mk" row.npy '|u1' '(1000000,)' :zero
for where in fresh existing; do
    for op in gather dynamic_partition dynamic_stitch scatter_nd; do
        case $op in
        scatter_nd) words="scatter_nd p.npy n.npy row.npy -o o/out.npy" ;;
        gather) words="gather p.npy i.npy -o o/out.npy" ;;
        dynamic_stitch) words="dynamic_stitch n.npy p.npy -o o/out.npy" ;;
        *) words="dynamic_partition p.npy n.npy -n 1 -o o/out" ;;
        esac
        name=out.npy
        [ $op != dynamic_partition ] || name=out.0.npy
        kept=
        if [ $where = existing ]; then
            echo old >o/$name
            kept="$name old"
        fi
        # shellcheck disable=SC2086
        (ulimit -f 1000; exec timeout 10 "$tool" $words) >so 2>se </dev/null
        said $?
        judge_failure 1
        is "file-size limit: $op, $where" '' "$why"
        is "file-size limit: $op, $where: left" "$kept" \
            "$(listing o)$(cat o/$name 2>/dev/null)"
        clean
    done
done

# A file system of 256 KiB, in a mount namespace of its own.
cat >disk.sh <<'END'
# disk.sh TOOL SIZE: prints a line for each check: LABEL|STATUS|LINES|LEFT
mount -t tmpfs -o "size=$2" tmpfs o || exit 9
tool=$1
try() {
    label=$1
    shift
    timeout 10 "$tool" "$@" >so 2>se </dev/null
    echo "$label|$?|$(wc -l <se | tr -d ' ')|$(ls -A o | tr '\n' ' ')$(cat so)"
}
try gather gather p.npy i.npy -o o/out.npy
try stitch dynamic_stitch n.npy p.npy -o o/out.npy
try partition dynamic_partition p.npy n.npy -n 1 -o o/q
try scatter scatter_nd p.npy n.npy row.npy -o o/out.npy
try "many parts" dynamic_partition many.npy ids.npy -n 200 -o o/q
echo old >o/out.npy
try "gather over an OUT" gather p.npy i.npy -o o/out.npy
try "stitch over an OUT" dynamic_stitch n.npy p.npy -o o/out.npy
try "a small one" gather ids.npy n.npy -o o/out.npy
echo old >o/out.npy
mount -o remount,ro o || exit 0
try "read-only" gather ids.npy n.npy -o o/new.npy
try "read-only over an OUT" gather ids.npy n.npy -o o/out.npy
END
"$mk" many.npy '|u1' '(300,1000)' :zero
"$mk" ids.npy '|u1' '(300,)' :iota,200
flags=
for f in -m -rm; do
    if unshare $f mount -t tmpfs tmpfs o 2>/dev/null; then flags=$f; break; fi
done
if [ -z "$flags" ]; then
    skip "cli: full disk" "cannot mount a small one here"
else
    unshare $flags sh disk.sh "$tool" 256k >disk.out 2>disk.err
    while IFS='|' read -r label status lines left; do
        case $label in
        "a small one") want="0 0 out.npy " ;;
        *" over an OUT"|read-only) want="1 1 out.npy " ;;
        *) want="1 1 " ;;
        esac
        is "full disk: $label" "$want" "$status $lines $left"
    done <disk.out
    [ "$(wc -l <disk.out)" -ge 8 ]
    is "full disk: checks" 0 $?
fi

# shrunk LABEL FILE: the last run must have ended with one line on FILE.
shrunk() {
    said $rc
    case $rc in 0|98) skip "cli: shrinking $1" "it ended before"; return ;; esac
    judge_failure 1
    case $line in
    "ndgather: gather: "*"$2"*) ;;
    *) why="${why:-says: $line}" ;;
    esac
    is "shrinking $1" '' "$why"
}

# ---- signals ----------------------------------------------------------------

free=$(df -Pk . | awk 'NR == 2 { print $4 }')
p '|u1' '(1,1048576)' :zero
i '|i1' '(2048,)' :zero
if [ "${free:-0}" -lt 4000000 ]; then
    skip "cli: signals" "needs 4 GB of disk, for a moment"
else
    for act in INT TERM INT+30 TERM+100; do
        echo old >o/out.npy
        "$mk" when o $act "$tool" gather p.npy i.npy -o o/out.npy >so 2>se
        rc=$?
        if [ $rc = 98 ]; then skip "cli: $act" "it ended before"; continue; fi
        [ $rc != 0 ] && [ $rc != 97 ]
        is "$act: status $rc" 0 $?
        is "$act: what is left" 'out.npy old' "$(listing o)$(cat o/out.npy)"
        clean
        "$mk" when o $act "$tool" gather p.npy i.npy -o o/out.npy >so 2>se
        is "$act: nothing is left" '' "$(listing o)"
        is "$act: stdout" '' "$(cat so)"
        clean
    done
    echo old >o/out.npy
    "$mk" when o KILL+20 "$tool" gather p.npy i.npy -o o/out.npy >so 2>se
    is "KILL: status" 137 $?
    is "KILL: OUT is whole" old "$(cat o/out.npy)"
    "$mk" n.npy '<i4' '(2,)' 1 0
    run gather n.npy n.npy -o o/out.npy
    is "KILL: the next run" "0 <i4 (2,) 0 1" \
        "$rc $("$mk" dump o/out.npy)"
    clean
    "$mk" ids.npy '|u1' '(2048,)' :zero
    "$mk" big.npy '|u1' '(2048,1048576)' :zero
    echo old >o/q.0.npy
    "$mk" when o TERM+20 "$tool" dynamic_partition big.npy ids.npy -n 100 \
        -o o/q >so 2>se
    rc=$?
    if [ $rc = 98 ]; then skip "cli: TERM of a partition" "it ended before"
    else is "TERM: partition" 'q.0.npy old' "$(listing o)$(cat o/q.0.npy)"
    fi
    clean
    i '<i4' '(2048,)' :iota
    # To one page; and to a length that ends in the same page: no fault there.
    sizes="4096 2147483700"
    if [ "${NDG_SANITIZER-}" = thread ]; then
        sizes=4096
        skip "cli: shrinking PARAMS without a fault" "too slow under TSan"
    fi
    for size in $sizes; do
        "$mk" big.npy '|u1' '(2048,1048576)' :zero
        echo old >o/out.npy
        "$mk" when o "cut:$size:big.npy" "$tool" gather big.npy i.npy \
            -o o/out.npy >so 2>se
        rc=$?
        shrunk "PARAMS to $size" big.npy
        is "a shrinking input: what is left" 'out.npy old' \
            "$(listing o)$(cat o/out.npy)"
        clean
    done
    # INDICES, while they are checked.
    "$mk" n.npy '<i4' '(3,0)'
    for d in '<i8' '>i8'; do
        "$mk" big.npy "$d" '(134217728,)' :zero
        "$tool" gather n.npy big.npy -o o/out.npy >so 2>se &
        sleep 0.05
        truncate -s 4096 big.npy
        wait $!
        rc=$?
        shrunk "INDICES" big.npy
        clean
    done
    clean
    rm -f big.npy
fi

# ---- hostile files ----------------------------------------------------------

p '<i4' '(3,)'
i '<i4' '(1,)' 0

# refuse LABEL [FILE]: as PARAMS, and as INDICES and DATA of other ops: one
# line that names the file, exit 1, within a second, nothing made.
refuse() {
    name=${2:-h.npy}
    why=
    tries=0
    while :; do
        run_hostile "$name"
        # A busy machine gets a second chance.
        tries=$((tries + 1))
        if [ $rc != 124 ] || [ $tries = 2 ]; then break; fi
    done
    judge_failure 1
    names
    [ -n "$why" ] || [ "$names" = "$nothing" ] || why="left $names"
    case $line in
    "ndgather: $op: "*) ;;
    *) why="${why:-begins: $line}" ;;
    esac
    case $line in
    *"$name"*) ;;
    *) why="${why:-does not name the file: $line}" ;;
    esac
    junk=$(tr -d '[:print:]\n' <se | wc -c)
    [ "$junk" -eq 0 ] || why="${why:-control bytes on stderr}"
    clean
    if [ -z "$why" ]; then ok; else no "hostile: $1 ($op)" "$why"; fi
}
run_hostile() {
    case $turn in
    0) turn=1 op=gather
        set -- gather "$1" i.npy -o o/out.npy ;;
    1) turn=2 op=gather_nd
        set -- gather_nd p.npy "$1" -o o/out.npy ;;
    2) turn=3 op=dynamic_stitch
        set -- dynamic_stitch i.npy "$1" -o o/out.npy ;;
    *) turn=0 op=dynamic_partition
        set -- dynamic_partition "$1" i.npy -n 2 -o o/out ;;
    esac
    timeout -k 1 "$quick" "$tool" "$@" >so 2>se </dev/null
    said $?
}
turn=0

# raw LABEL HEADER [BYTES [mknpy options]]: a file with this header.
raw() {
    label=$1 header=$2 bytes=${3:-12}
    shift 2
    [ $# = 0 ] || shift
    "$mk" raw "$@" h.npy "$header" "$bytes"
    refuse "$label"
}
# An i4 array of 3, for control, and parts of its header.
D="'descr': '<i4'" F="'fortran_order': False" S="'shape': (3,)"
"$mk" raw h.npy "{$D, $F, $S}" 12
good "header: plain" '<i4 (1,) 0' gather h.npy i.npy
"$mk" raw -n h.npy "{$D, $F, $S}" 12
good "header: no padding, no newline" '<i4 (1,) 0' gather h.npy i.npy
for h in "{\"descr\": \"<i4\", \"fortran_order\": False, \"shape\": (3,)}" \
    "{  'descr'  :  '<i4'  ,$F , 'shape' :( 3 , ) } " "{$S,$F,$D}"; do
    "$mk" raw -v 2 h.npy "$h" 12
    good "header: $h" '<i4 (1,) 0' gather h.npy i.npy
done
# (Others that are read, and more that are not: cli_numpy.py.)
raw "3L in 3.0" "{$D, $F, 'shape': (3L,)}" 12 -v 3
"$mk" raw h.npy "{$D, 'fortran_order': True, 'shape': ()}" 4
"$mk" d.npy '<i4' '()' 0
good "header: a scalar in Fortran order" '<i4 (1,) 0' \
    dynamic_stitch d.npy h.npy
"$mk" raw -v 2 h.npy "{$D, $F, $S}$(repeat 70000 ' ')" 12
good "header: 70000 bytes of padding in 2.0" '<i4 (1,) 0' gather h.npy i.npy

# Keys: one is missing, is there twice, is no key.
for h in "$F, $S" "$D, $S" "$D, $F" "" "$D, $D, $F, $S" "$D, $F, $F, $S" \
    "$D, $F, $S, $S" "$S, $F, $S" "$D, $F, $S, 'more': 1" "'a': 1, $D, $F, $S" \
    "$D, $F, $S, '': 1" "'descrs': '<i4', $F, $S" "'desc': '<i4', $F, $S" \
    "'Descr': '<i4', $F, $S" "$D, $F, 1: (3,)" "descr: '<i4', $F, $S"; do
    raw "keys: $h" "{$h}"
done

# Values of wrong types.
for v in 4 None "" "['<i4']" "[('a', '|O')]" "[('a', [('b', '|O')])]" \
    "[('a', '<i4'" "[('a', '<i4', (4294967296, 4294967296))]" \
    "[('a', '<i4', (9223372036854775807,))]" "[('a', '<i4') ('b', '<i4')]" \
    "'|O'" "'<f3'" "'|S99999999999999999999'" "'|V18446744073709551617'" \
    "'<i4294967300'" "'<M8[xx]'" "'<f4 <f4'" "'$(printf '<i4\033[31m')'" \
    "'$(printf '<q\n4')'" "'$(printf '<\303\251')'"; do
    raw "descr: $v" "{'descr': $v, $F, $S}"
done
for v in 0 1 None "'True'" "'False'" true TRUE Truee Tru "" "(True)x" "()" ; do
    raw "fortran_order: $v" "{$D, 'fortran_order': $v, $S}"
done
for v in 3 "(3)" "[3]" "'(3,)'" None "{3}" "(3.0,)" "(3e0,)" "('3',)" \
    "(None,)" "((3,),)" "(3,,)" "(,3)" "(,)" "(3 1)" "(3;)" "(3," "3,)" "" \
    "(-3,)" "(-1,)" "(-0,3,-1)" "(3,-1)" "(-1,-3)" "(--3,)" "(-,)" "(3,1)0" \
    "(9223372036854775807,)" "(9223372036854775808,)" \
    "(18446744073709551616,)" "(18446744073709551619,)" \
    "(99999999999999999999999999999999999,)" "(4294967296,4294967296)" \
    "(4294967296,4294967296,3)" "(2147483648,2147483648,2)" \
    "(0,9223372036854775807,9223372036854775807)" \
    "(1099511627776,0,1099511627776)" \
    "(9223372036854775807,9223372036854775807,0)" \
    "(4611686018427387904,4,0)" "(-1,0)" "(0,-1)" "(0,99999999999999999999)"; do
    case $v in *0,*|*,0*) bytes=0 ;; *) bytes=12 ;; esac
    raw "shape: $v" "{$D, $F, 'shape': $v}" $bytes
done

# Text that is no such dictionary.
for v in "" "{" "}" "[]" "()" "3" "None" "descr" "$D, $F, $S" "{$D, $F, $S" \
    "$D, $F, $S}" "{$D $F, $S}" "{$D,, $F, $S}" "{,$D, $F, $S}" \
    "{$D; $F; $S}" "{$D, $F, $S}}" "{$D, $F, $S} x" "{$D, $F, $S}, 1" \
    "{$D, $F, $S}{}" "{{$D, $F, $S}}" "[$D, $F, $S]" "({$D, $F, $S})x" \
    "{'descr' '<i4', $F, $S}" "{'descr'= '<i4', $F, $S}" \
    "{'descr': '<i4\", $F, $S}" "{'descr: '<i4', $F, $S}" \
    "dict(descr='<i4', fortran_order=False, shape=(3,))" \
    "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), \\x7d" \
    "$(printf '\033[2J\a')" "$(repeat 5000 '{')" "$(repeat 60000 a)"; do
    raw "header: $(printf %.60s "$v")" "$v"
done

# Depth, length, rank.
raw "rank 5000" "{$D, $F, 'shape': ($(repeat 5000 1,)3)}"
raw "rank 5000, empty" "{$D, $F, 'shape': ($(repeat 5000 0,)3)}" 0
raw "rank 50000 in 2.0" "{$D, $F, 'shape': ($(repeat 50000 1,)3)}" 12 -v 2
raw "shape in 60000 parentheses" "{$D, $F, 'shape': $(repeat 60000 '(')" 12
raw "descr in 30000 brackets" "{$F, $S, 'descr': $(repeat 30000 '[')" 12
deep=$(repeat 9000 "[('a',")
raw "a structure 9000 deep" \
    "{'descr': $deep'<i4'$(repeat 9000 ')]'), $F, $S}" 12 -v 2
raw "30000 fields of nothing" "{'descr': [$(repeat 8000 '(),')], $F, $S}"
raw "a number of 60000 digits" "{$D, $F, 'shape': ($(repeat 60000 9),)}"
raw "a descr of 60000 digits" "{'descr': '<i$(repeat 60000 4)', $F, $S}"
raw "a string of 60000 quotes" "{'descr': $(repeat 30000 "''"), $F, $S}"

# Versions and lengths.
for v in 0.0 0.1 1.1 1.255 2.1 3.1 4.0 255.0 255.255; do
    raw "version $v" "{$D, $F, $S}" 12 -m $v
done
for n in 0 1 10 53 54 200 300 65535; do
    raw "header length $n of 118" "{$D, $F, $S}" 12 -l $n
done
for n in 0 1 2147483647 2147483648 4294967295 4294967200 65536; do
    raw "header length $n in 2.0" "{$D, $F, $S}" 12 -v 2 -l $n
    raw "header length $n in 3.0" "{$D, $F, $S}" 12 -v 3 -l $n
done
raw "1.0 read as 2.0" "{$D, $F, $S}" 12 -v 1 -m 2.0
raw "2.0 read as 1.0" "{$D, $F, $S}" 12 -v 2 -m 1.0
for n in 0 11 13 16 1000000000; do
    raw "$n bytes of data for 12" "{$D, $F, $S}" $n
done
raw "a scalar without data" "{$D, $F, 'shape': ()}" 0
raw "an empty array with data" "{$D, $F, 'shape': (0,)}" 4
raw "UTF-8 that is none in 3.0" \
    "{'descr': [('$(printf '\377\300')', '<i4')], $F, $S}" 12 -v 3
"$mk" h0.npy '<i4' '(3,)'
for n in 0 1 5 6 7 8 9 10 11 12 50 127 128 139; do
    head -c $n h0.npy >h.npy
    refuse "cut to $n bytes"
done
printf 'PK\003\004 an archive' >h.npy
refuse "a zip file"
{ printf '\222'; tail -c +2 h0.npy; } >h.npy
refuse "another first byte"
{ head -c 5 h0.npy; printf 'X'; tail -c +7 h0.npy; } >h.npy
refuse "another magic"
{ head -c 30 h0.npy; printf '\000'; tail -c +32 h0.npy; } >h.npy
refuse "a NUL in the header"
{ head -c 120 h0.npy; printf '\000'; tail -c +122 h0.npy; } >h.npy
refuse "a NUL in the padding"
head -c 4096 "$mk" >h.npy
refuse "a program"
head -c 100000 /dev/zero >h.npy
refuse "zeros"
{ printf '\223NUMPY\001\000\166\000'; head -c 118 "$mk"; } >h.npy
refuse "rubbish for a header"

# Things that are no files.
mkdir h.d
for f in h.d . none.npy none/x.npy p.npy/x.npy "$(repeat 300 x)"; do
    refuse "no file: $f" "$f"
done
mkfifo h.fifo
for j in 1 2 3 4; do refuse "a FIFO ($j)" h.fifo; done
ln -s h.loop h.loop
refuse "a loop of links" h.loop
for f in /dev/null /dev/zero /dev/full /dev/random; do
    if [ -c $f ]; then
        refuse "$f" $f
        refuse "$f again" $f
    fi
done
run gather '' i.npy -o o/out.npy
judge_failure 1
is "hostile: an empty name" '' "$why"
bad=$(printf 'no\n\033[31m\177\001.npy')
run gather "$bad" i.npy -o o/out.npy
judge_failure 1
is "control bytes in a name" '' "$why"
is "control bytes in a name: escaped" '' "$(tr -d '[:print:]\n' <se)"
run gather p.npy i.npy -o "$bad/out.npy"
judge_failure 1
is "control bytes in OUT" '' "$why"
is "control bytes in OUT: escaped" '' "$(tr -d '[:print:]\n' <se)"
cp p.npy "$bad"
run gather "$bad" i.npy -o o/out.npy
is "control bytes in a good name" "0 " "$rc $(cat se)"
rm -f "$bad"
clean
ln -s p.npy h.npy.link
good "in: a symbolic link" '<i4 (1,) 0' gather h.npy.link i.npy

# No allocation that a header asks for.
for h in "{$D, $F, 'shape': (2305843009213693951,)}" \
    "{'descr': '|V4611686018427387904', $F, 'shape': (1,)}" \
    "{$D, $F, 'shape': ($(repeat 20000 1,)3)}"; do
    "$mk" raw -v 2 -l 4294967295 h.npy "$h" 12
    "$mk" rss 65536 "$tool" gather h.npy i.npy -o o/out.npy >so 2>se
    is "memory of a hostile length" 1 $?
    "$mk" raw -v 2 h.npy "$h" 12
    "$mk" rss 65536 "$tool" gather h.npy i.npy -o o/out.npy >so 2>se
    is "memory of a hostile header" 1 $?
done

# ---- versions of the output -------------------------------------------------

i '|i1' '(1,)' 0
head_of() { "$mk" head "$1" | cut -c 1-3; }
latin=$(printf '\303\251')      # e acute: Latin-1, too
"$mk" raw -v 3 h.npy "{'descr': [('$latin', '<i4')], $F, $S}" 12
run gather h.npy i.npy -o o/out.npy
is "out: a Latin-1 name" "0 1.0" "$rc $(head_of o/out.npy)"
is "out: a Latin-1 name in Latin-1" "[('$(printf '\351')', '<i4')]" \
    "$("$mk" dump o/out.npy | sed 's/ (1,).*//')"
run gather o/out.npy i.npy -o o/again.npy
is "out: a Latin-1 name in and out" 0 "$(cmp o/out.npy o/again.npy; echo $?)"
clean

# ---- large files ------------------------------------------------------------

# 5 GiB, a hole: rows of 64 KiB, with marks in the first, a middle and the last.
if "$mk" big.npy '|u1' '(81920,65536)' :zero 2>/dev/null &&
    [ "$(wc -c <big.npy)" -gt 5000000000 ]; then
    "$mk" poke big.npy 0 aa
    "$mk" poke big.npy 4294967296 bb
    "$mk" poke big.npy 5368709119 cc
    i '<i4' '(10,)' 0 65536 81919 5 4 3 2 1 81918 0
    "$mk" rss 65536 "$tool" gather big.npy i.npy -o o/out.npy >so 2>se
    is "10 rows of 5 GiB in 64 MiB of memory" "0 " "$? $(cat se)"
    is "10 rows of 5 GiB: marks" "252 273 314 252 " "$(tail -c +129 o/out.npy |
        od -An -v -t o1 -w65536 | awk '
        $1 == "252" || $1 == "273" { printf "%s ", $1 }
        $NF == "314" { printf "%s ", $NF }')"
    i '<i8' '(3,2)' 65536 0 81919 65535 0 0
    "$mk" rss 65536 "$tool" gather_nd big.npy i.npy -o o/out.npy >so 2>se
    is "gather_nd in 5 GiB" "|u1 (3,) 187 204 170" "$("$mk" dump o/out.npy)"
    "$mk" raw h.npy "{'descr': '|u1', 'fortran_order': True, \
'shape': (65536,81920)}" 5368709120
    "$mk" ii.npy '<i8' '(1,2)' 65535 81919
    "$mk" poke h.npy 5368709119 cc
    "$mk" rss 65536 "$tool" gather_nd h.npy ii.npy -o o/out.npy >so 2>se
    is "gather_nd in 5 GiB of Fortran order" "|u1 (1,) 204" \
        "$("$mk" dump o/out.npy)"
    # A header of 4 GiB that the file has room for.
    "$mk" raw -v 2 -l 4294967295 h.npy "{$D, $F, $S}" 5368709120
    timeout 5 "$mk" rss 65536 "$tool" gather h.npy ii.npy -o o/out.npy \
        >so 2>se
    is "a header of 4 GiB" "1 1" "$? $(wc -l <se | tr -d ' ')"
    # Foreign indices: no copy of all of them.
    "$mk" h.npy '>i8' '(67108864,)' :zero
    "$mk" n.npy '<i4' '(3,0)'
    # shellcheck disable=SC3045
    if (ulimit -v 800000 && "$tool" --version && :) >so 2>&1; then
        (ulimit -v 800000; exec timeout 20 "$tool" gather n.npy h.npy \
            -o o/out.npy) >so 2>se
        is "512 MiB of foreign indices in 800 MB" "0 <i4 (67108864,0)" \
            "$? $("$mk" dump o/out.npy)"
    else
        skip "cli: foreign indices in little memory" "ulimit -v forbids any"
    fi
    # An output the disk cannot hold: at once, and nothing is written.
    i '|i1' '(100000,2,10)' :zero
    "$mk" one.npy '|u1' '(1,5368709120)' :zero
    timeout 2 "$tool" gather one.npy i.npy -o o/out.npy >so 2>se
    said $?
    judge_failure 1
    is "an output of 10 PB" '' "$why"
else
    skip "cli: a 5 GiB table" "cannot make a sparse file"
fi
clean
rm -f big.npy one.npy h.npy

# ---- threads ----------------------------------------------------------------

"$mk" table.npy '<i4' '(1000,)'
"$mk" i.npy '<i4' '(200000,)' :rand,1,1000
run gather table.npy i.npy -o o/out.npy
tail -c 800000 i.npy >want
tail -c 800000 o/out.npy | cmp -s - want
is "a table of its own indices" 0 $?
"$mk" table.npy '<f4' '(1000,5)'
"$mk" cols.npy '<f4' '(10,5)'
"$mk" nd.npy '|u1' '(200000,2)' :rand,2,5
"$mk" bg.npy '<u2' '(1000,200)' :rand,3,5
"$mk" st.npy '<u4' '(200000,)' :rand,4,150000
"$mk" data.npy '<f8' '(200000,3)'
tail -c 4800000 data.npy >want
"$mk" ids.npy '|u1' '(200000,)' :rand,5,7
"$mk" rows.npy '<i4' '(200000,)'
"$mk" wide.npy '<i4' '(300,500)'
"$mk" sc.npy '<u2' '(200000,2)' :rand,9,300
"$mk" cube.npy '<f8' '(5,5,3)'
for n in 1 2 7 64; do
    for words in "gather table.npy i.npy" "gather cols.npy bg.npy --axis 1" \
        "gather_nd table.npy nd.npy" "batch_gather table.npy bg.npy" \
        "dynamic_stitch st.npy data.npy i.npy data.npy" \
        "parallel_dynamic_stitch st.npy data.npy i.npy data.npy" \
        "scatter_nd wide.npy sc.npy rows.npy" \
        "scatter_nd wide.npy sc.npy rows.npy --gaps zero" \
        "scatter_nd cube.npy nd.npy data.npy"; do
        name=o/$(echo "$words" | tr -d ' ./-')
        # shellcheck disable=SC2086
        run $words -o "$name.$n" --threads $n
        [ $rc = 0 ] && [ ! -s se ] && cmp -s "$name.1" "$name.$n"
        is "threads $n: $words" 0 $?
        [ $n = 1 ] || rm -f "$name.$n"
    done
    run dynamic_partition data.npy ids.npy -n 7 -o o/d$n --threads $n
    same=$rc
    run dynamic_partition rows.npy ids.npy -n 7 -o o/r$n --threads $n
    for k in 0 1 2 3 4 5 6; do
        cmp -s o/d$n.$k.npy o/d1.$k.npy && cmp -s o/r$n.$k.npy o/r1.$k.npy ||
            same="$same part $k"
    done
    is "threads $n: partition" 0 "$same"
    set --
    for k in 6 0 5 1 4 2 3; do set -- "$@" o/r$n.$k.npy o/d$n.$k.npy; done
    run dynamic_stitch "$@" -o o/back.npy --threads $n
    tail -c 4800000 o/back.npy | cmp -s - want
    is "threads $n: partition and stitch undo each other" 0 $?
    rm -f o/back.npy
done
"$mk" dump o/gathertablenpyinpy.1 | cut -d ' ' -f 1-8 >start
is "threads: the first row" "<f4 (200000,5) $("$mk" dump i.npy |
    awk '{ for (j = 0; j < 5; j++) printf "%s ", 5 * $3 + j }')" \
    "$(awk '{ print $0 " " }' start | cut -d ' ' -f 1-7) "
clean

# Errors: the first one and the exact count, from a count of our own.
"$mk" i.npy '<i4' '(200000,)' :rand,6,1003
"$mk" i2.npy '<i4' '(400,500)' :rand,6,1003
"$mk" table.npy '<i4' '(1000,)'
"$mk" dump i.npy | tr ' ' '\n' | tail -n +3 | awk '
    $1 >= 1000 { if (!n++) { at = NR - 1; v = $1 } }
    END { print at, v, n - 1 }' >found
read -r at value others <found
for n in 1 2 7; do
    fails "threads $n: error of gather" "indices[$at] = $value is not in \
[0, 1000) (and $others more)" gather table.npy i.npy --threads $n
    fails "threads $n: error of gather, rank 2" "indices[$((at / 500)),\
$((at % 500))] = $value is not in [0, 1000) (and $others more)" \
        gather table.npy i2.npy --threads $n
    fails "threads $n: error of partition" "partitions[$at] = $value is not in \
[0, 1000) (and $others more)" dynamic_partition i.npy i.npy -n 1000 --threads $n
done
"$mk" i.npy '|i1' '(200000,)' :rand,7,129
"$mk" data.npy '|u1' '(200000,)'
"$mk" dump i.npy | tr ' ' '\n' | tail -n +3 | awk '
    $1 < 0 { if (!n++) { at = NR - 1; v = $1 } }
    END { print at, v, n + n - 1 }' >found
read -r at value others <found
for n in 1 2 7; do
    fails "threads $n: error of stitch" "indices[0][$at] = $value is out of \
range (and $others more)" dynamic_stitch i.npy data.npy i.npy data.npy \
        --threads $n
    fails "threads $n: error of parallel stitch" "indices[1][$at] = $value is \
out of range (and $(((others - 1) / 2)) more)" parallel_dynamic_stitch \
        st.npy data.npy i.npy data.npy --threads $n
done
"$mk" nd.npy '<i2' '(100000,2)' :rand,8,1001
"$mk" table.npy '|u1' '(1000,1000)'
"$mk" ones.npy '|u1' '(100000,)'
"$mk" dump nd.npy | tr ' ' '\n' | tail -n +3 | awk '
    NR % 2 { a = $1; next }
    a > 999 || $1 > 999 { if (!n++) { at = (NR - 1) / 2; v = a ", " $1 } }
    END { printf "%d;%s;%d\n", at, v, n - 1 }' >found
IFS=';' read -r at value others <found
for n in 1 2 7; do
    fails "threads $n: error of gather_nd" "indices[$at] = [$value] does not \
index into params shape [1000,1000] (and $others more)" \
        gather_nd table.npy nd.npy --threads $n
    fails "threads $n: error of scatter_nd" "indices[$at] = [$value] does not \
index into shape [1000,1000] (and $others more)" \
        scatter_nd table.npy nd.npy ones.npy --threads $n
done

tally cli
