#!/bin/sh
# stack.sh [long] - the stack of each public function, run on a stack of its own
# that was painted (stack.c), against the figures of the manual in ndgather.h,
# under >>guarantees, Stack: both engines, by the newest gcc and clang at three
# levels; `long`: by all versions at every level. Fast code at -O0, which nobody
# gets who does not ask for it, has a figure of its own in the manual
# ("NDG_SMALL=0 at -O0 N"), or is judged by the general one. Of a Cortex-M0+
# size.sh knows the frames. Tells the deepest function of each build; build/stack
# has all. Last line: stack: N passed, N failed.
. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
: "${CC:=cc}" "${CXX:=c++}"
B=build/stack
mkdir -p $B
log=$B/log; about='FAILED: '

# from FAMILY LEAST: what is found of it, the oldest first.
from() {
    found "$1" "$2" | while read -r c; do echo "$("$c" -dumpversion) $c"; done |
        sort -n | sed 's/.* //'
}

# ---- what the manual says ----------------------------------------------------

# Both its lines as one, without the comment's stars.
said=$(sed -n '/^ \* Stack  /,/^ \* Stability/p' ndgather.h |
    sed '$d; s/^ \* //' | tr -s '\n ' '  ')
figure() { echo "$said" | sed -n "s/.*$1.*/\\1/p"; }
any=$(figure 'Under \([0-9.]*\) KiB')
m0=$(figure 'Cortex-M0+ with -Os \([0-9.]*\) KiB,')
m0_rows=$(figure ', \([0-9.]*\) KiB in ndg_gather_rows')
for f in "$any" "$m0" "$m0_rows"; do
    case $f in
    '' | *[!0-9.]*) no "ndgather.h" "a figure is not where it was: <$said>" ;;
    esac
done
[ "$failed" = 0 ] || { tally stack; exit 1; }
in_bytes() { awk -v k="$1" 'BEGIN { printf "%d\n", k * 1024 }'; }
o0=$(figure 'at -O0: \([0-9.]*\) KiB')

# Every function that a program can call.
sed -n 's/^NDG_API .*[ *]\(ndg_[a-z_0-9]*\) *(.*/\1/p' ndgather.h |
    sort -u >$B/functions

# ---- measuring ---------------------------------------------------------------

# under FILE KIB: that no function of it reaches what the manual says, and that
# each public one is there.
under() {
    sort "$1" | awk '{ print $1 }' | diff $B/functions - || return 1
    awk -v most="$(in_bytes "$2")" '
        $2 >= most { print; n = 1 }
        END { exit n }' "$1"
}

# measured COMPILER LEVEL ENGINE: leaves build/stack/NAME, and its line.
measured() {
    name=$1$2.$3
    $1 "$2" -w -DNDG_SMALL="$3" -DNDGATHER_IMPLEMENTATION \
        -DNDGI_FAR_BYTES=4096 -DNDGI_STREAM_BYTES=16384 \
        -x c -c ndgather.h -o "$B/$name.o" >"$B/$name.log" 2>&1 &&
        $1 -std=c99 -O1 -I. tests/forms/stack.c "$B/$name.o" -o "$B/$name.x" \
            >"$B/$name.log" 2>&1 &&
        limit 120 "$B/$name.x" >"$B/$name" 2>"$B/$name.log"
}

compilers="$(from gcc 8 | tail -n 1) $(from clang 10 | tail -n 1)"
[ "${1-}" != long ] || compilers="$(from gcc 8) $(from clang 10)"
cat >$B/probe.c <<'END'
#include <ucontext.h>
int main(void) { ucontext_t c; return getcontext(&c); }
END
list=
for c in $compilers; do
    if $c $B/probe.c -o $B/probe >$log 2>&1 && $B/probe; then list="$list $c"
    else skip stack "$c has no ucontext.h here"; fi
done
[ -n "$list" ] || skip stack "neither gcc nor clang: nothing is measured"

# Two at a time: of each compiler and level, either engine.
for c in $list; do
    levels='-O0 -O2 -Os'
    [ "${1-}" != long ] || levels='-O0 -O1 -O2 -O3 -Os -Og'
    for level in $levels; do
        rm -f "$B/$c$level.0" "$B/$c$level.1"
        measured "$c" "$level" 0 & one=$!
        measured "$c" "$level" 1 & other=$!
        wait $one; wait $other
        line=
        for engine in 0 1; do
            name=$c$level.$engine
            if [ -s "$B/$name" ]; then
                most=$any
                case $level,$engine in -O0,0) most=${o0:-$any} ;; esac
                check "$c $level, NDG_SMALL=$engine: not under $most KiB" \
                    under "$B/$name" "$most"
                deepest=$(sort -k2n "$B/$name" | tail -n 1)
                rows=$(sed -n 's/^ndg_gather_rows //p' "$B/$name")
                line="$line  NDG_SMALL=$engine: $deepest, ndg_gather_rows $rows"
            else
                bad "$name: not measured"; cat "$B/$name.log"
            fi
        done
        echo "$c $level$line"
    done
done

# ---- a Cortex-M0+: by size.sh's table of -Os, static -------------------------

# below WHAT BYTES KIB: a figure of the manual is rounded to a tenth.
below() {
    echo "Cortex-M0+ -Os, $1: $2 bytes; the manual says $3 KiB"
    if awk -v b="$2" -v k="$3" 'BEGIN { exit !(b > 0 && b / 1024 < k + 0.05) }'
    then ok
    else bad "$1: <$2> bytes are more, or none"; fi
}
if have "${ARM_CC:-arm-none-eabi-gcc}"; then
    if [ build/firmware/sizes -nt ndgather.h ]; then    # measured already
        cp build/firmware/sizes $B/size
    else
        CC=/nonexistent sh tests/forms/size.sh >$B/size 2>$log
    fi
    # The column of stack beside that of the code: one row, or the most.
    cell() { awk -v row="$1" -F ' *[|] *' '
        !/^[|]/ && n { exit }
        /Cortex-M0[+] code/ { n = 1 }
        n && (row == "" || index($2, row) == 1) && $4 + 0 > most { most = $4 }
        END { print most }' $B/size; }
    below "the deepest of all" "$(cell '')" "$m0"
    below ndg_gather_rows "$(cell '`ndg_gather_rows')" "$m0_rows"
else
    skip stack "no arm-none-eabi-gcc: the Cortex-M0+ is not measured"
fi
tally stack
