#!/bin/sh
# test_forms.sh - the ways a vendor builds the header: included twice, in two
# units, static in two units, C beside C++, after hostile macros, renamed
# beside the original, freestanding; and what its object file holds.
CC=${CC:-cc}; CXX=${CXX:-c++}
B=build/forms
mkdir -p $B
passed=0; failed=0

have() { command -v "$1" >/dev/null 2>&1; }
ok() {          # ok NAME COMMAND...
    name=$1; shift
    if "$@" >$B/log 2>&1; then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "$name: $*"; head -n 5 $B/log; fi
}
not() { if "$@" >/dev/null 2>&1; then false; fi; }
src() { f=$B/$1; shift; printf '%s\n' "$@" >"$f"; }

inc='#include "ndgather.h"'
imp='#define NDGATHER_IMPLEMENTATION'
main='int main(void) { return ndg_version() != NDG_VERSION; }'
src impl.c "$imp" "$inc"
src user.c "$inc" "$main"
src other.c "$inc" 'int other(void); int other(void) { return ndg_version(); }'
src twice.c "$inc" "$inc" "$imp" "$inc" "$imp" "$inc" "$inc" "$main"
src static1.c '#define NDG_STATIC' "$imp" "$inc"
src static2.c '#define NDG_STATIC' "$imp" "$inc" "$main"
src version.c '#define NDG_VERSION 1' "$inc"
src hostile.c '#include <stddef.h>' '#include <stdint.h>' \
    '#include <string.h>' '#define min(a, b) ((a) < (b) ? (a) : (b))' \
    '#define max(a, b) ((a) > (b) ? (a) : (b))' '#define near' '#define far' \
    '#define small char' '#define I 1' '#define BYTE unsigned char' \
    '#define free(p) other_free(p)' '#define index other_index' "$imp" "$inc"
src free.c '#include <stddef.h>' \
    'void *my_copy(void *d, const void *s, size_t n);' \
    '#define NDG_MEMCPY(d, s, n) my_copy((d), (s), (n))' "$imp" "$inc" \
    'void *my_copy(void *d, const void *s, size_t n) {' \
    '    volatile unsigned char *a = d; const unsigned char *b = s;' \
    '    while (n--) *a++ = *b++; return d; }' \
    'void *memcpy(void *d, const void *s, size_t n);' \
    'void *memcpy(void *d, const void *s, size_t n)' \
    '{ return my_copy(d, s, n); }' \
    'void _start(void); void _start(void) { for (;;) { } }'
sed -e 's/ndg_/my_ndg_/g' -e 's/NDG_/MY_NDG_/g' -e 's/ndgi_/my_ndgi_/g' \
    -e 's/NDGI_/MY_NDGI_/g' ndgather.h >$B/renamed.h
src renamed.c "$imp" '#include "renamed.h"'

c="$CC -std=c99 -O1 -I."
for f in impl user other static1 hostile renamed; do
    # shellcheck disable=SC2086
    ok "compile $f" $c -c $B/$f.c -o $B/$f.o
done
# shellcheck disable=SC2086
{
ok "included five times" $c $B/twice.c -o $B/x
ok "included five times, run" $B/x
ok "two users, one implementation" $c $B/user.o $B/other.o $B/impl.o -o $B/x
ok "two users, one implementation, run" $B/x
ok "static in two units" $c $B/static1.o $B/static2.c -o $B/x
ok "static in two units, run" $B/x
ok "static in one, extern in another" $c $B/static2.c $B/impl.o -o $B/x
ok "a renamed copy beside the original" \
    $c $B/user.o $B/impl.o $B/renamed.o -o $B/x
ok "another version is refused" not $c -E $B/version.c
}

if have nm; then
    # shellcheck disable=SC2086
    ok "compile for symbols" $CC -std=c99 -O2 -DNDEBUG -fno-stack-protector \
        -U_FORTIFY_SOURCE -fno-pic -I. -c $B/impl.c -o $B/nm.o
    nm -P $B/nm.o >$B/nm
    awk '$2 == "U" { print $1 }' $B/nm >$B/needs
    awk '$2 ~ /^[A-TV-Z]$/ { print $1 }' $B/nm >$B/gives
    case $($CC --version 2>/dev/null) in
    *tcc*) echo "skip: symbols: tcc makes memmove of struct copies" ;;
    *)  ok "needs memcpy, and memset of a compiler" \
            not grep -vE '^mem(cpy|set)$' $B/needs
        ok "no writable data" not grep -E ' [dDbBcC] ' $B/nm ;;
    esac
    ok "every global is ndg_*" not grep -v '^ndg_[a-z]' $B/gives
    nm -P $B/static1.o | awk '$2 ~ /^[TDRB]$/' >$B/gives
    ok "static mode gives nothing" not grep . $B/gives
else
    echo "skip: symbols: no nm"
fi

case $($CC --version 2>/dev/null) in
*tcc*) echo "skip: freestanding: tcc links its own start-up" ;;
*)  ok "freestanding link" $CC -std=c99 -O2 -w -ffreestanding -fno-builtin \
        -fno-stack-protector -nostdlib -static -I. $B/free.c -o $B/x ;;
esac

if have "$CXX"; then
    sed 's/^int main/extern "C" int other(void); int main/' $B/user.c \
        >$B/user.cc
    ok "C++ user of a C implementation" "$CXX" -std=c++11 -I. $B/user.cc \
        $B/other.o $B/impl.o -o $B/x
    ok "C++ user of a C implementation, run" $B/x
    cp $B/impl.c $B/impl.cc
    ok "C++ implementation" "$CXX" -std=c++11 -I. -c $B/impl.cc -o $B/x.o
    ok "C user of a C++ implementation" "$CXX" $B/user.o $B/x.o -o $B/x
else
    echo "skip: C++: no C++ compiler"
fi

echo "forms: $passed passed, $failed failed"
[ $failed = 0 ]
