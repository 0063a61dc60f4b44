#!/bin/sh
# test_forms.sh - the ways a vendor builds the header: included twice, before
# and after anything else, in two units, static in two units, C beside C++,
# after hostile macros, renamed beside the original, freestanding; and what its
# object file holds and which macros it leaves.
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
src static1.c '#define NDG_STATIC' "$imp" "$inc" \
    'int other(void); int other(void) { return ndg_version(); }'
src static2.c '#define NDG_STATIC' "$imp" "$inc" \
    'int other(void); int main(void) { return ndg_version() != other(); }'
src nostr.c '#define NDG_NO_STRINGS' "$imp" "$inc"
src order.c "$inc" "$imp" '#include <string.h>' '#include <stdlib.h>' \
    "$inc" '#include <stddef.h>' '#include <stdint.h>' "$inc" "$main"
src late.c '#include <stdlib.h>' '#include <stdio.h>' '#include <limits.h>' \
    "$inc" "$imp" "$inc" '#include <assert.h>' '#include <string.h>' "$main"
src version.c '#define NDG_VERSION 1' "$inc"
# What <windows.h>, <complex.h>, <curses.h>, X11 and old systems define.
src hostile.h '#include <stddef.h>' '#include <stdint.h>' \
    '#include <string.h>' '#include <assert.h>' \
    '#define min(a, b) ((a) < (b) ? (a) : (b))' \
    '#define max(a, b) ((a) > (b) ? (a) : (b))' \
    '#define free(p) other_free(p)' '#define index other_index'
for m in near far small:char hyper:double I:1 BYTE:'unsigned char' IN OUT \
    OPTIONAL CONST:const VOID:void ERROR:0 NO_ERROR:0L TRUE:1 FALSE:0 \
    CALLBACK:x interface:struct DELETE:7 STRICT:1 IGNORE:0 INFINITE:9 \
    GetMessage:GetMessageA None:0L Bool:int Status:int Success:0 Always:2 \
    unix:1 linux:1 major:other minor:other BIG:1 OK:0 ERR:-1 PASCAL:x \
    cdecl:x huge:x; do
    n=${m%%:*}; m=${m#"$n"}
    echo "#define $n ${m#:}" >>$B/hostile.h
done
src hostile.c '#include "hostile.h"' "$imp" "$inc"
src hostuser.c '#include "hostile.h"' "$inc" "$main"
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
src renamed.c "$imp" '#include "renamed.h"' \
    'int renamed(unsigned char *); int renamed(unsigned char *out) {' \
    '    static const unsigned char t[3] = { 1, 2, 3 }, p[3] = { 2, 9, 0 };' \
    '    return my_ndg_gather_rows(out, 3, t, 3, 1, 0, p, MY_NDG_U8, 3,' \
    '                              MY_NDG_ZERO, NULL); }'
src both.c "$inc" 'int renamed(unsigned char *); int main(void) {' \
    '    static const unsigned char t[3] = { 1, 2, 3 }, p[3] = { 2, 9, 0 };' \
    '    unsigned char a[3], b[3];' \
    '    return ndg_gather_rows(a, 3, t, 3, 1, 0, p, NDG_U8, 3, NDG_CLIP, 0)' \
    '        || renamed(b) || a[0] != 3 || a[1] != 3 || a[2] != 1' \
    '        || b[0] != 3 || b[1] != 0 || b[2] != 1; }'

c="$CC -std=c99 -O1 -I."
for f in impl user other static1 hostile hostuser nostr renamed; do
    # shellcheck disable=SC2086
    ok "compile $f" $c -c $B/$f.c -o $B/$f.o
done
# shellcheck disable=SC2086
{
ok "included five times" $c $B/twice.c -o $B/x
ok "included five times, run" $B/x
for f in order late; do
    ok "included $f" $c $B/$f.c -o $B/x && ok "included $f, run" $B/x
done
ok "hostile macros" $c $B/hostuser.o $B/hostile.o -o $B/x
ok "hostile macros, run" $B/x
ok "two users, one implementation" $c $B/user.o $B/other.o $B/impl.o -o $B/x
ok "two users, one implementation, run" $B/x
ok "static in two units" $c $B/static1.o $B/static2.c -o $B/x
ok "static in two units, run" $B/x
ok "static in one, extern in another" \
    $c $B/static2.c $B/other.o $B/impl.o -o $B/x
ok "static in one, extern in another, run" $B/x
ok "a renamed copy beside the original" \
    $c $B/both.c $B/impl.o $B/renamed.o -o $B/x
ok "a renamed copy beside the original, run" $B/x
ok "another version is refused" not $c -E $B/version.c
}

# gnu89 emits every inline function that is not static: twice, if there is one.
# shellcheck disable=SC2086
if $c -fgnu89-inline -c $B/user.c -o $B/x.o 2>/dev/null; then
    ok "gnu89 inline" $c -fgnu89-inline -c $B/other.c -o $B/y.o
    ok "gnu89 inline, linked" $CC $B/x.o $B/y.o $B/impl.o -o $B/x
fi

# symbols UNIT LEVEL: what the object needs and gives.
symbols() {
    # shellcheck disable=SC2086
    ok "compile $1 $2 for symbols" $CC -std=c99 "$2" -DNDEBUG \
        -fno-stack-protector -U_FORTIFY_SOURCE -fno-pic -I. -w \
        -c "$B/$1.c" -o $B/nm.o
    nm -P $B/nm.o >$B/nm
    awk '$2 == "U" { print $1 }' $B/nm >$B/needs
    awk '$2 ~ /^[A-TV-Zi]$/ { print $1 }' $B/nm >$B/gives
    case $($CC --version 2>/dev/null) in
    *tcc*) ;;
    *)  ok "$1 $2: needs memcpy, and memset of a compiler" \
            not grep -vE '^mem(cpy|set)$' $B/needs
        ok "$1 $2: no writable data, nothing weak" \
            not grep -E ' [DdBbCcGgSsWwVvu] ' $B/nm ;;
    esac
    case $1 in
    static*) ok "static mode gives nothing" not grep -v '^other$' $B/gives ;;
    *) ok "$1 $2: every global is ndg_*" not grep -v '^ndg_[a-z]' $B/gives ;;
    esac
}

if have nm; then
    case $($CC --version 2>/dev/null) in
    *tcc*) echo "skip: symbols: tcc makes memmove of struct copies" ;;
    esac
    symbols nostr -O2; symbols static1 -O2; symbols impl -Os; symbols impl -O2
else
    echo "skip: symbols: no nm"
    : >$B/gives
fi

# macros UNIT: the names it ends with; tcc lists each #define and #undef.
macros() {
    $CC -std=c99 -dM -E -I. "$B/$1" | sed 's/(.*//' |
        awk '$1 == "#define" { on[$2] = 1 } $1 == "#undef" { delete on[$2] }
             END { for (m in on) print m }' | sort
}
# leaves BEFORE AFTER PATTERN: AFTER defines no macro but BEFORE's and these.
leaves() {
    macros "$1" >$B/m1; macros "$2" >$B/m2
    comm -13 $B/m1 $B/m2 >$B/m3
    grep -q '^NDG_VERSION$' $B/m2 || return 1
    not grep -Ev "$3" $B/m3
}
src sys.c '#include <stddef.h>' '#include <stdint.h>'
src sysuser.c '#include <string.h>' '#include <assert.h>' "$inc"
src sysimpl.c '#include <string.h>' '#include <assert.h>' "$imp" "$inc"
if macros user.c 2>/dev/null | grep -q '^NDG_VERSION$'; then
    ok "macros of the header" leaves sys.c user.c '^(NDG|NDGI|NDGATHER)_'
    ok "macros of the implementation" leaves sysuser.c sysimpl.c \
        '^(NDG|NDGATHER)_'
else
    echo "skip: macros: this compiler lists none"
fi

case $($CC --version 2>/dev/null) in
*tcc*) echo "skip: freestanding: tcc links its own start-up" ;;
*)  # shellcheck disable=SC2086
    ok "freestanding link" $CC -std=c99 -O2 -w -ffreestanding -fno-builtin \
        -fno-stack-protector -nostdlib -static -I. $B/free.c -o $B/x
    src free2.c '#define NDG_ASSERT(x) ((void)0)' '#include "free.c"'
    $CC -std=c99 -ffreestanding -M -I. $B/free2.c >$B/deps
    ok "freestanding includes <stddef.h> and <stdint.h> only" not \
        grep -E '/(string|assert|stdlib|stdio|math|errno|time)\.h' $B/deps ;;
esac

if have "$CXX"; then
    # a C++ unit that names every function of the C object
    {   cat $B/user.c
        echo 'extern "C" int other(void); typedef void (*function)(void);'
        echo 'extern function all[]; function all[] = { (function)other,'
        sed 's/.*/(function)&,/' $B/gives
        echo '0 };'; } >$B/user.cc
    ok "C++ user of a C implementation" "$CXX" -std=c++11 -I. $B/user.cc \
        $B/other.o $B/impl.o -o $B/x
    ok "C++ user of a C implementation, run" $B/x
    cp $B/impl.c $B/impl.cc
    ok "C++ implementation" "$CXX" -std=c++11 -I. -c $B/impl.cc -o $B/x.o
    ok "C user of a C++ implementation" "$CXX" $B/user.o $B/x.o -o $B/x
    ok "C user of a C++ implementation, run" $B/x
    cp $B/hostile.c $B/hostile.cc
    ok "C++ implementation, hostile macros" \
        "$CXX" -std=c++11 -I. -c $B/hostile.cc -o $B/x.o
    cp $B/static1.c $B/static1.cc; cp $B/static2.c $B/static2.cc
    ok "static in two C++ units" \
        "$CXX" -std=c++11 -w -I. $B/static1.cc $B/static2.cc -o $B/x
    ok "static in two C++ units, run" $B/x
else
    echo "skip: C++: no C++ compiler"
fi

echo "forms: $passed passed, $failed failed"
[ $failed = 0 ]
