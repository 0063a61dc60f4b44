#!/bin/sh
# test_forms.sh - the ways a vendor builds the header: included twice, before
# and after anything else, in two units, static in two units, C beside C++,
# after hostile macros, renamed beside the original, freestanding, small at -O2
# and fast at -Os; and what its object file holds and which macros it leaves.
# FULL=1, as in make check: all with the fast engine, and at more levels.
. tests/lib/lib.sh
CC=${CC:-cc}; CXX=${CXX:-c++}; FULL=${FULL-}
B=build/forms; mkdir -p $B
log=$B/log; log_by='head -n 5'

# not COMMAND...: it says no, with status 1; another one is of what cannot run.
not() {
    "$@"
    not_status=$?
    [ $not_status = 1 ] || { echo "status $not_status"; false; }
}
src() { f=$B/$1; shift; printf '%s\n' "$@" >"$f"; }
# built WHAT COMMAND...: builds a program, which then ends with 0.
built() {
    what=$1; shift
    step "$what" "$@" -o $B/x && step "$what, run" $B/x
}

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

# Without -O the engine is small, and no form depends on which it is; how the
# fast one parses is seen for itself.
c="$CC -std=c99 -I."; [ -z "$FULL" ] || c="$c -O1"
for f in impl user other static1 hostile hostuser nostr renamed; do
    # shellcheck disable=SC2086
    step "compile $f" $c -c $B/$f.c -o $B/$f.o
    step "parse $f" $c -O1 -fsyntax-only -c $B/$f.c -o $B/x.o
done
# shellcheck disable=SC2086
{
built "included five times" $c $B/twice.c
for f in order late; do built "included $f" $c $B/$f.c; done
built "hostile macros" $c $B/hostuser.o $B/hostile.o
built "two users, one implementation" $c $B/user.o $B/other.o $B/impl.o
built "static in two units" $c $B/static1.o $B/static2.c
built "static in one, extern in another" \
    $c $B/static2.c $B/other.o $B/impl.o
built "a renamed copy beside the original" \
    $c $B/both.c $B/impl.o $B/renamed.o
step "another version is refused" not $c -E $B/version.c
}

# gnu89 emits every inline function that is not static: twice, if there is one.
# shellcheck disable=SC2086
if $c -fgnu89-inline -c $B/user.c -o $B/x.o 2>/dev/null; then
    step "gnu89 inline" $c -fgnu89-inline -c $B/other.c -o $B/y.o
    step "gnu89 inline, linked" $CC $B/x.o $B/y.o $B/impl.o -o $B/x
fi

# names ARGUMENT...: what nm says, in $B/nm; it says something.
names() { nm "$@" >$B/nm && [ -s $B/nm ]; }

# symbols UNIT LEVEL: what the object needs and gives.
symbols() {
    : >$B/gives
    # shellcheck disable=SC2086
    step "compile $1 $2 for symbols" $CC -std=c99 "$2" -DNDEBUG \
        -fno-stack-protector -U_FORTIFY_SOURCE -fno-pic -I. -w \
        -c "$B/$1.c" -o $B/nm.o && step "nm, $1 $2" names -P $B/nm.o || return
    awk '$2 == "U" { print $1 }' $B/nm >$B/needs
    awk '$2 ~ /^[A-TV-Zi]$/ { print $1 }' $B/nm >$B/gives
    case $($CC --version 2>/dev/null) in
    *tcc*) ;;
    *)  step "$1 $2: needs memcpy, and memset of a compiler" \
            not grep -vE '^mem(cpy|set)$' $B/needs
        step "$1 $2: no writable data, nothing weak" \
            not grep -E ' [DdBbCcGgSsWwVvu] ' $B/nm
        case $1$2 in
        impl-Os) step "small at -Os" not grep ndgi_run_packed $B/nm ;;
        impl-O2) step "fast at -O2" grep ndgi_run_packed $B/nm ;;
        esac ;;
    esac
    case $1 in
    static*) step "static mode gives nothing" not grep -v '^other$' $B/gives ;;
    *)  step "$1 $2: there are globals" grep '^ndg_gather$' $B/gives
        step "$1 $2: every global is ndg_*" not grep -v '^ndg_[a-z]' $B/gives ;;
    esac
}

if have nm; then
    case $($CC --version 2>/dev/null) in
    *tcc*) skip symbols "tcc makes memmove of struct copies" ;;
    esac
    [ -z "$FULL" ] || symbols nostr -O2
    symbols nostr -Os; symbols static1 -O2; symbols impl -Os; symbols impl -O2
else
    skip symbols "no nm"
    : >$B/gives
fi

# ---- NDG_SMALL: the engine, at any level -------------------------------------

# Says what a gather_nd by a plan gives, as sums over the output and its report,
# and the sizes of the plans: it has to say the same with either engine.
# planned() and run() may lie in another file, built with the other one. (That
# each engine gives what all calls promise, the C tests see at -O2 and -Os.)
src results.h '#include <stdint.h>' '#include "ndgather.h"' \
    'int planned(ndg_gather_plan *p, ptrdiff_t bytes, int policy);' \
    'int run(const ndg_gather_plan *p, void *out, ptrdiff_t out_bytes,' \
    '        const void *params, const void *at, ndg_report *r);'
# 300 pairs (y, x) into 20 rows of 10.
src planned.c '#define NDG_STATIC' "$imp" '#include "results.h"' \
    'int planned(ndg_gather_plan *p, ptrdiff_t bytes, int policy) {' \
    '    ndg_gather_desc d = NDG_ZERO_INIT;' \
    '    d.params = ndg_dims2(20, 10); d.indices = ndg_dims2(300, 2);' \
    '    d.elem_size = bytes; d.policy = policy;' \
    '    return ndg_plan_gather_nd(p, &d, NULL); }'
src run.c '#define NDG_STATIC' "$imp" '#include "results.h"' \
    'int run(const ndg_gather_plan *p, void *out, ptrdiff_t out_bytes,' \
    '        const void *params, const void *at, ndg_report *r)' \
    '{ return ndg_gather_run(p, out, out_bytes, params, at, r); }'
cat >$B/results.c <<'END'
#include <stdio.h>
#include <string.h>
#define NDGATHER_IMPLEMENTATION
#include "results.h"

static unsigned char table[200 * 64], out[300 * 64];
static int32_t       pairs[300][2];

static void say(ptrdiff_t bytes, int policy, int status, const ndg_report *r)
{
    unsigned long sum = 0;
    size_t        i;
    /* after an error good rows may be written or not */
    for (i = 0; i < sizeof out && !status; i++)
        sum = (sum * 31 + out[i]) & 0xffffffff;
    printf("%d %d: %08lx %d %ld %ld\n", (int)bytes, policy, sum, status,
           (long)r->bad.position, policy > NDG_ERROR ? (long)r->bad.count : 0);
    memset(out, 7, sizeof out);
}

int main(void)
{
    static const int bytes[] = { 1, 2, 3, 4, 8, 12, 16, 24, 32, 64 };
    ndg_gather_plan plan;
    ndg_report      r;
    int             i, n, policy, status;
    for (i = 0; i < (int)sizeof table; i++) table[i] = (unsigned char)(i * 37);
    for (i = 0; i < 300; i++) {
        pairs[i][0] = i * 7919 % 21;                   /* some are bad */
        pairs[i][1] = i * 31 % 10;
    }
    for (n = 0; n < 10; n++)
        for (policy = NDG_ERROR; policy <= NDG_KEEP; policy++) {
            status = planned(&plan, bytes[n], policy);
            if (!status)
                status = run(&plan, out, 300 * bytes[n], table, pairs, &r);
            say(bytes[n], policy, status, &r);
        }
    printf("%d %d %d %d\n", (int)sizeof(ndg_gather_plan),
           (int)sizeof(ndg_stitch_plan), (int)sizeof(ndg_partition_plan),
           (int)sizeof(ndg_report));
    return 0;
}
END

# engine WHICH FLAG...: the library so built holds it, and gives what the other
# gave. A loop of the fast engine is looked for.
loop='[Tt] _?ndgi_run_packed'
engine() {
    which=$1; shift
    for f in results planned run; do
        # shellcheck disable=SC2086
        step "the $which engine, $f" $CC -std=c99 "$@" -DNDG_NO_STRINGS -I. \
            -I$B -c $B/$f.c -o $B/$f.$which.o
    done
    gives_results "the $which engine" "$which" "$which" "$which"
    have nm || return
    step "nm, the $which engine" names "$B/results.$which.o" || return
    case $which in
    small) step "the small engine has no loop" not grep -E "$loop" $B/nm ;;
    *)     step "the fast engine has a loop" grep -E "$loop" $B/nm ;;
    esac
}
# gives_results NAME ENGINE PLANS RUNS: each of the three by that engine.
gives_results() {
    # shellcheck disable=SC2086
    step "$1: link" $CC "$B/results.$2.o" "$B/planned.$3.o" "$B/run.$4.o" \
        -o $B/x &&
        step "$1: run" sh -c "$B/x >$B/printed" || return
    [ -f $B/results ] || cp $B/printed $B/results
    step "$1: the same results" cmp $B/results $B/printed
}
rm -f $B/results
engine small -O2 -DNDG_SMALL=1
engine fast -Os -DNDG_SMALL=0
gives_results "a plan of the small engine run by the fast" fast small fast
gives_results "a plan of the fast engine run by the small" small fast small
step "many results" [ "$(sort -u $B/results | wc -l)" -ge 50 ]
cp $B/results.small.o $B/x.o
engine small -O2 -DNDG_SMALL
step "NDG_SMALL alone is 1" cmp $B/results.small.o $B/x.o
# text ENGINE: the bytes of its code and constants, without the words
text() { size $B/results.$1.o | awk 'NR == 2 { print $1 }'; }
if have size; then
    # tcc does not optimise: neither engine gets what makes it what it is.
    case $CC in *tcc*) of=2 in=3 ;; *) of=1 in=2 ;; esac
    step "the small engine at -O2 is under $of/$in of the fast at -Os" \
        [ $(($(text small) * in)) -lt $(($(text fast) * of)) ]
fi

# macros UNIT: the names it ends with; tcc lists each #define and #undef.
macros() {
    $CC -std=c99 -O2 -dM -E -I. "$B/$1" | sed 's/(.*//' |
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
    step "macros of the header" leaves sys.c user.c '^(NDG|NDGI|NDGATHER)_'
    step "macros of the implementation" leaves sysuser.c sysimpl.c \
        '^(NDG|NDGATHER)_'
else
    skip macros "this compiler lists none"
fi

# includes FILE: the headers of it, in $B/deps; ours is one.
includes() {
    $CC -std=c99 -ffreestanding -M -I. "$1" >$B/deps &&
        grep -q 'ndgather\.h' $B/deps
}
case $($CC --version 2>/dev/null) in
*tcc*) skip freestanding "tcc links its own start-up" ;;
*)  # shellcheck disable=SC2086
    levels=-Os; [ -z "$FULL" ] || levels='-Os -Og -O1 -O2 -O3'
    [ -n "$FULL" ] || skip "freestanding at -Og to -O3" "make check does"
    step "freestanding link" $CC -std=c99 ${FULL:+-O2} -w -ffreestanding \
        -fno-builtin -fno-stack-protector -nostdlib -static -I. $B/free.c -o $B/x
    src free2.c '#define NDG_ASSERT(x) ((void)0)' '#include "free.c"'
    step "freestanding, its headers" includes $B/free2.c
    step "freestanding includes <stddef.h> and <stdint.h> only" not \
        grep -E '/(string|assert|stdlib|stdio|math|errno|time)\.h' $B/deps
    src bare.c "$imp" "$inc" \
        'void *memcpy(void *d, const void *s, size_t n) {' \
        '    volatile unsigned char *a = d; const unsigned char *b = s;' \
        '    while (n--) *a++ = *b++; return d; }' \
        'void *memset(void *d, int c, size_t n);' \
        'void *memset(void *d, int c, size_t n) {' \
        '    volatile unsigned char *a = d;' \
        '    while (n--) *a++ = (unsigned char)c; return d; }' \
        'void _start(void); void _start(void) { for (;;) { } }'
    sed '/^void \*memcpy/i void *memcpy(void *, const void *, size_t);' \
        $B/bare.c >$B/bare2.c
    for level in $levels; do
        # shellcheck disable=SC2086
        step "the program's memcpy and memset are enough at $level" $CC \
            -std=c99 $level -w -ffreestanding -fno-stack-protector -nostdlib -static \
            -I. $B/bare2.c -lgcc -o $B/x
    done
    step "without a C library, its headers" includes $B/bare2.c
    step "no <string.h> where there is no C library" not \
        grep -E '/string\.h' $B/deps ;;
esac

# NDG_TYPE_OF: the right name of each type, and none for what is no index.
is() { echo "typedef char is_$1[NDG_TYPE_OF(($2 *)0) == NDG_$3 ? 1 : -1];"; }
types() {
    n=0
    for t in int8_t:I8 int16_t:I16 int32_t:I32 int64_t:I64 uint8_t:U8 \
        uint16_t:U16 uint32_t:U32 uint64_t:U64 short:I16 int:I32 \
        'signed char':I8 'unsigned char':U8 'unsigned short':U16 unsigned:U32 \
        'long long':I64 'unsigned long long':U64; do
        for c in '' 'const '; do n=$((n + 1)); is $n "$c${t%:*}" "${t#*:}"; done
    done
    echo 'typedef char is_long[(NDG_TYPE_OF((long *)0) == NDG_I64)' \
        '== (sizeof(long) == 8) ? 1 : -1];'
    echo 'typedef char is_ulong[(NDG_TYPE_OF((unsigned long *)0) == NDG_U64)' \
        '== (sizeof(long) == 8) ? 1 : -1];'
}
{ echo "$inc"; types; echo "$main"; } >$B/types.c
if $CC -std=c11 -I. -E -dM $B/types.c 2>/dev/null | grep -q NDG_TYPE_OF; then
    # shellcheck disable=SC2086
    step "NDG_TYPE_OF in C11" $CC -std=c11 -I. -c $B/types.c -o $B/x.o
    for t in float double void char _Bool 'int *' 'struct ndg_shape'; do
        src no.c "$inc" "int f($t *p); int f($t *p) { return NDG_TYPE_OF(p); }"
        # shellcheck disable=SC2086
        step "NDG_TYPE_OF refuses $t" not $CC -std=c11 -I. -c $B/no.c -o $B/x.o
    done
else
    skip NDG_TYPE_OF "no C11"
fi

if have "$CXX"; then
    # a C++ unit that names every function of the C object
    {   cat $B/user.c
        echo 'extern "C" int other(void); typedef void (*function)(void);'
        echo 'extern function all[]; function all[] = { (function)other,'
        sed 's/.*/(function)&,/' $B/gives
        echo '0 };'; } >$B/user.cc
    built "C++ user of a C implementation" "$CXX" -std=c++11 -I. $B/user.cc \
        $B/other.o $B/impl.o
    cp $B/impl.c $B/impl.cc
    step "C++ implementation" "$CXX" -std=c++11 -I. -c $B/impl.cc -o $B/x.o
    built "C user of a C++ implementation" "$CXX" $B/user.o $B/x.o
    cp $B/hostile.c $B/hostile.cc
    step "hostile, C++" "$CXX" -std=c++11 -I. -c $B/hostile.cc -o $B/x.o
    cp $B/static1.c $B/static1.cc; cp $B/static2.c $B/static2.cc
    built "static in two C++ units" \
        "$CXX" -std=c++11 -w -I. $B/static1.cc $B/static2.cc
    {   echo "$inc"
        echo 'int main() { int bad = 0;'
        types | sed -e 's/typedef char [a-z_0-9]*\[/bad |= !(/' \
            -e 's/ ? 1 : -1\];/);/'
        echo 'unsigned short a[3]; bad |= NDG_TYPE_OF(a) != NDG_U16;'
        echo 'return bad; }'; } >$B/types.cc
    built "NDG_TYPE_OF in C++" "$CXX" -std=c++11 -I. $B/types.cc
    for t in float double void char bool 'int *' ndg_shape; do
        src no.cc "$inc" "int f($t *p) { return NDG_TYPE_OF(p); }"
        step "NDG_TYPE_OF refuses $t in C++" \
            not "$CXX" -std=c++11 -I. -c $B/no.cc -o $B/x.o
    done
else
    skip "C++" "no C++ compiler"
fi

tally forms
