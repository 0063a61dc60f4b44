#!/bin/sh
# versus.sh - builds the ndgather.h of commit REV and the one at hand into one
# program and runs it: `make bench-versus REV=COMMIT`. See bench.c for BENCH.
# CC, CFLAGS and LDFLAGS are as in the Makefile. Run from the root.
#
# Both are compiled alike, functions and loops at multiples of 64 bytes. What is
# built is kept in build/versus, and built anew when something has changed.
set -e
CC=${CC:-cc}
HERE=tests/bench
STRICT='-std=c99 -Wall -Wextra -Wpedantic'
ALIGN='-falign-functions=64 -falign-loops=64'

if [ -z "$REV" ]; then
    echo 'usage: make bench-versus REV=COMMIT [BENCH=quick|check|PART]' >&2
    exit 2
fi
commit=$(git rev-parse --verify --quiet "$REV^{commit}") || {
    echo "bench-versus: there is no commit $REV" >&2
    exit 2
}
commit=$(git rev-parse --short "$commit")
B=build/versus/$commit
mkdir -p "$B" build/versus/now
copy() { cmp -s "$1" "$2" || cp "$1" "$2"; }
git show "$commit:ndgather.h" >"$B/at.h"
copy "$B/at.h" "$B/ndgather.h"
copy ndgather.h build/versus/now/ndgather.h

# object NAME FOLDER SOURCE FLAGS ...: compiled, if anything is newer; with the
# header of FOLDER.
object() {
    o=$2/$1.o
    folder=$2 source=$3
    shift 3
    set -- $CC "-I$folder" -I. $STRICT $CFLAGS "$@" -c "$source" -o "$o"
    if [ -f "$o" ] && [ "$(cat "$o.cmd" 2>/dev/null)" = "$*" ] &&
       [ -z "$(find $HERE "$folder/ndgather.h" -name '*.[ch]' -newer "$o")" ]
    then return 0; fi
    rm -f "$o.cmd"
    "$@" || return 1
    echo "$*" >"$o.cmd"
}

# side NAME FOLDER: a header with its own functions hidden.
side() {
    hash=$(git hash-object "$2/ndgather.h" | cut -c1-12)
    lines=$(wc -l <"$2/ndgather.h" | tr -d ' ')
    object "$1" "$2" $HERE/side.c $ALIGN "-DSIDE=$1" \
        "-DSIDE_HASH=\"$hash\"" "-DSIDE_LINES=$lines" || return 1
    ${OBJCOPY:-objcopy} "--keep-global-symbol=$1" "$2/$1.o" "$2/$1.side.o"
}

echo "bench-versus: $commit beside the header at hand, $CC $CFLAGS $ALIGN"
N=build/versus/now
{ side side_old "$B" && side side_new $N; } & sides=$!
status=0
object bench $N $HERE/bench.c -DVERSUS $ALIGN || status=1
wait $sides || status=1
[ $status = 0 ] || { echo "bench-versus: it does not build" >&2; exit 1; }
$CC $CFLAGS $LDFLAGS $N/bench.o "$B/side_old.side.o" $N/side_new.side.o \
    -o "$B/versus" -lpthread
BENCH=$BENCH "$B/versus"
