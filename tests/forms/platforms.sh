#!/bin/sh
# platforms.sh [TEXT] - the C tests, all case files among them, built and run
# on every platform whose compiler and emulator are here, some at a time; TEXT
# chooses those with it in their line. A platform must run as many cases as
# build/test_cases does here. At -O2 the newest gcc and clang of this machine
# have all of the tests, as have one platform of each kind; what is left,
# those with cases and with hostile input; WHOLE=1: all everywhere; BRIEF=1: one
# of each kind, and of all of them some tests. Prints a
# table: name, what the program itself says of the machine, compiler,
# emulator, cases, checks; then what is skipped and the packages it needs.
# Last line: platforms: N passed, N failed.
# (Lists of words, and paths without blanks, stand without quotes.)
# shellcheck disable=SC2046,SC2086,SC2231
. tests/lib/lib.sh
COMPILERS=${COMPILERS:-gcc clang}
WHOLE=${WHOLE-}
BRIEF=${BRIEF-}
B=build/check/platforms
rm -rf $B; mkdir -p $B/include
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}


version() {     # version COMPILER: its family and number
    case $("$1" --version 2>/dev/null || "$1" -v 2>&1) in
    *clang*) echo "clang $("$1" -dumpversion)" ;;
    *tcc*) "$1" -v | sed 's/^tcc version \([^ ]*\).*/tcc \1/' ;;
    *) echo "gcc $("$1" -dumpfullversion)" ;;
    esac
}

# ---- one platform ------------------------------------------------------------

# Says on which machine it runs, from the inside.
cat >$B/probe.c <<'PROBE'
#include <errno.h>
#include <stdio.h>
int main(void)
{
    const union { int i; char c; } one = { 1 };
    printf("%d bits, %s-endian\n", (int)sizeof(char *) * 8,
           one.c ? "little" : "big");
#ifdef __wasm__
    errno = 0;                  /* printf asked whether it is a terminal */
#endif
    return errno;
}
PROBE
src() { f=$B/$1; shift; printf '%s\n' "$@" '#include "ndgather.h"' >$f; }
src header.c
src impl.c '#define NDGATHER_IMPLEMENTATION'
src static.c '#define NDG_STATIC' '#define NDGATHER_IMPLEMENTATION'
src nostr.c '#define NDG_NO_STRINGS' '#define NDGATHER_IMPLEMENTATION'
# For targets without a system's headers.
cat >$B/include/string.h <<'STRING'
#include <stddef.h>
#ifdef __cplusplus
extern "C"
#endif
void *memcpy(void *d, const void *s, size_t n);
STRING

emulate() {     # emulate EMULATOR PROGRAM
    case $1 in
    native) limit 600 "$2" ;;
    wine)
        limit 600 wine "$2" >$D/wine 2>/dev/null
        set -- $?
        tr -d '\r' <$D/wine
        return "$1" ;;
    wasm) limit 600 "${PYTHON:-python3}" tests/forms/wasm.py "$2" ;;
    *) ASAN_OPTIONS=detect_leaks=0 limit 600 $1 "$2" ;;
    esac
}

# The cases that a test_cases ran, of all: "523 of 527".
cases_of() {
    sed -n 's/^tests.*: \([0-9]*\) cases, \([0-9]*\) of them skipped$/\1 \2/p' \
        "$1" | awk '{ n += $1; s += $2 } END { print n - s " of " n + 0 }'
}

# try COMMAND...: one check of this platform; the log is shown if it fails.
try() {
    if "$@" >$D/log 2>&1; then good=$((good + 1)); return; fi
    bad=$((bad + 1))
    { echo "FAILED: $name: $*"; tail -n 12 $D/log; } >>$D/failures
    false
}

# ran TEST: runs $D/x.exe, and adds up its last line. What it skips is told at
# the end; one that has checked nothing is no step.
ran() {
    try emulate "$emulator" $D/x.exe || return
    cp $D/log $D/said
    n=$(tail -n 1 $D/said | sed -n "s/^$1: \([0-9]*\) passed, 0 failed\$/\1/p")
    grep '^skip: ' $D/said >>$D/skips
    if [ "$n" = 0 ]; then
        good=$((good - 1))
        skip "$1" "nothing of it on $name" >>$D/skips
        return
    fi
    try test -n "$n" || return
    checks=$((checks + n))
    [ "$1" != test_cases ] || try test "$(cases_of $D/said)" = "$all"
}

# suite FLAG...: every C test, whole; some: those with the cases and hostile
# input, where another compiler of the same machine had all, or in exact memory.
some() {
    only="tests/library/test_[act]*.c tests/library/test_hostile_*.c"
    suite "$@"
}
suite() {
    try $command "$@" -std=c99 -I. -c tests/lib/functions.c -o $D/near.o
    try $command "$@" -std=c99 -I. $far_flags -c tests/lib/functions.c \
        -o $D/far.o
    for t in ${only:-tests/library/test_*.c}; do
        t=$(basename "$t" .c)
        case $t in                          # what says more nowhere else
        test_moving_memory_*|test_counts) continue ;;
        test_cover_most)                    # a minute, on 32 bits
            case "$WHOLE $command" in 1*' -m32'*) ;; *) continue ;; esac ;;
        esac
        try $command "$@" -std=c99 -I. "tests/library/$t.c" \
            $(linkage "$t" $D) -o $D/x.exe && ran "$t"
    done
    measured=$all
}

# linked OBJECT...: the C tests that take their functions from elsewhere.
linked() {
    for t in $D/test_*.o; do
        try $command "$t" "$@" -o $D/x.exe && ran "$(basename "$t" .o)"
    done
}

# users FLAG...: the C tests without the functions, as objects.
users() {
    for t in "$@"; do
        sed '/define NDGATHER_IMPLEMENTATION/d' "tests/library/$t.c" >$D/$t.c
        try $command $random -std=c99 -O1 -I. -Itests/library -c $D/$t.c \
            -o $D/$t.o
    done
}

# Implementations in every standard, each under the same C99 users.
standards() {
    users test_cases test_tables
    for s in "$@"; do
        try "$maker" -std="$s" -O2 -I. -x "${s%%[0-9]*}" -c $B/impl.c \
            -o $D/i && linked $D/i
    done
    measured="$# x $all"
}

# A cl.exe's implementation as clang makes it, under mingw's users and library.
msvc_run() {
    users test_cases test_tables test_api test_oracle test_hostile_common \
        test_hostile_gather test_hostile_partition
    try "$maker" $msvc -O2 -I. -c $B/impl.c -o $D/i && linked $D/i
    measured=$all
}

# A cl.exe's view of the header, as clang has it, and that of phones and Macs;
# some warnings are of taste.
msvc="--target=x86_64-pc-windows-msvc -ffreestanding -I$B/include"
others="aarch64-linux-android21 armv7a-linux-androideabi21 arm64-apple-macos12
    arm64-apple-ios15 x86_64-apple-macos12"
taste="-Wno-unknown-warning-option -Wno-unsafe-buffer-usage -Wno-switch-default
    -Wno-extra-semi-stmt -Wno-old-style-cast -Wno-zero-as-null-pointer-constant
    -Wno-c++98-compat-pedantic -Wno-used-but-marked-unused"
other_syntax() {
    for t in $others; do
        for s in c99 c++11; do
            for u in header impl static nostr; do
                try "$maker" --target=$t -ffreestanding -I$B/include -O2 \
                    -std=$s -x "${s%%[0-9]*}" -Wall -Wextra -Wpedantic \
                    -Wconversion -Wshadow -Werror -I. -c $B/$u.c -o $D/o
            done
        done
    done
}
msvc_syntax() {
    for s in c99 c11 c17 c2x c++11 c++14 c++17 c++20 c++2b; do
        for u in header impl static nostr; do
            try "$maker" $msvc -fsyntax-only -std=$s -x "${s%%[0-9]*}" \
                -Weverything $taste -Werror -I. $B/$u.c
        done
    done
}

# platform NUMBER NAME PACKAGES EMULATOR MAKER COMMAND KIND...: runs it all
# and leaves its line of the table.
platform() {
    D=$B/$1; name=$2; packages=$3; emulator=$4; maker=$5; command=$6
    shift 6
    good=0; bad=0; checks=0; measured=; machine=; random=
    if ! have "$maker" || { [ "$emulator" != none ] &&
        ! { $command $B/probe.c -o $D/x.exe &&
            emulate "$emulator" $D/x.exe >$D/machine; } >$D/log 2>&1; }; then
        printf 'skip: %s: needs %s\n' "$name" "$packages" >$D/line
        return
    fi
    [ "$emulator" = none ] || machine=$(cat $D/machine)
    case $emulator in
    native|none) ;;
    *) random=-DORACLE_CASES=6000 ;;
    esac
    only=
    case $1 in
    suite) shift; suite $random "$@" ;;
    *) "$@" ;;
    esac
    [ $checks != 0 ] || checks=$good
    case $bad,$measured in
    0,) result="$checks checks" ;;
    0,*) result="$measured cases, $checks checks" ;;
    *) result="FAILED $bad of $((good + bad)) steps" ;;
    esac
    printf 'platform  %-25s %-22s %-13s %-12s %s\n' "$name" "$machine" \
        "$(version "$maker")" "$emulator" "$result" >$D/line
    echo $good $bad >$D/counts
}

# ---- the platforms -----------------------------------------------------------

newest_gcc=$(printf '%s\n' $COMPILERS | grep gcc | tail -n 1)
newest_clang=$(printf '%s\n' $COMPILERS | grep clang | tail -n 1)
# row NAME PACKAGES EMULATOR MAKER COMMAND KIND: MAKER compiles the header, and
# COMMAND builds the programs.
row() { echo "$1|$2|$3|$4|$5|$6"; }
# kind_if TEST: all tests if that is true, or with WHOLE; else some.
kind_if() {
    if [ -n "$WHOLE" ] || [ "$@" ]; then echo suite; else echo some; fi
}
# brief: of the list, one platform of each kind, with some tests.
brief() {
    if [ -z "$BRIEF" ]; then cat; return; fi
    sed 's/|suite\([^|]*\)$/|some\1/' | grep -e "^$newest_gcc -" -e '^tcc|' \
        -e "^$newest_clang -Os" -e '^s390x' -e '^arm|' -e '^aarch64|' \
        -e '^wasm32' -e '^Windows|' -e "^$newest_clang -m32" \
        -e "^MSVC target.*|$newest_clang|" |
        grep -v -e "^$newest_gcc -O2" -e "^$newest_gcc -O3"
}
list() {
    for c in $COMPILERS; do
        levels="-O2 -Os" new=           # of one that is not the newest
        case $c in "$newest_gcc"|"$newest_clang") levels="-O0 $levels -O3" new=1
        esac
        for o in $levels; do
            row "$c $o" "$c" native $c $c "$(kind_if "$new$o" = 1-O2) $o"
        done
        row "$c -m32" "gcc-multilib or gcc-12-multilib" native $c \
            "$c -m32 $headers32" "$(kind_if "$c" = "$newest_gcc") -O2"
        [ -n "$new$WHOLE" ] || continue
        row "$c C99 to C23" "$c" native $c $c "standards c99 c11 c17 c2x"
        case $c in
        gcc*) x=g++${c#gcc} p=g++ ;;
        *) x=$(echo "$c" | sed 's/clang/clang++/') p=$c ;;
        esac
        row "$x C++11 to C++23" $p native "$x" $c \
            "standards c++11 c++14 c++17 c++20 c++2b"
    done
    for c in gcc clang-14 clang-19; do      # those to name if they are missing
        case $versions in
        *"$(echo "$c" | tr - ' ')"[.\ ]*) ;;
        *) row "$c" "$c" native "$c" "$c" "suite -O2" ;;
        esac
    done
    row tcc tcc native tcc tcc suite
    while read -r n c e; do
        kind=suite
        case $n,$WHOLE in arm,|riscv64,|ppc,) kind=some ;; esac
        row "$n" "gcc-$c libc6-dev-$e-cross qemu-user" "qemu-$n" "$c-gcc" \
            "$c-gcc -static" "$kind -O2"
    done <<'CROSS'
s390x s390x-linux-gnu s390x
ppc powerpc-linux-gnu powerpc
arm arm-linux-gnueabihf armhf
riscv64 riscv64-linux-gnu riscv64
aarch64 aarch64-linux-gnu arm64
CROSS
    p="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
    row "aarch64, ASan" "$p" "qemu-aarch64 -L /usr/aarch64-linux-gnu" \
        aarch64-linux-gnu-gcc "aarch64-linux-gnu-gcc" \
        "some -O1 -fsanitize=address"
    for c in $newest_clang; do
        row "aarch64 $c" "$p" qemu-aarch64 $c \
            "$c --target=aarch64-linux-gnu -static" "some -O2"
        row "wasm32" "wasi-libc, lld-19, libclang-rt-19-dev-wasm32, wasmtime of\
 pip" wasm $c "$c --target=wasm32-wasi -Wl,-z,stack-size=1048576" "suite -O2"
        row "Android, macOS, iOS: objects" $c none $c $c other_syntax
    done
    m=x86_64-w64-mingw32-gcc; p="gcc-mingw-w64-x86-64 wine"
    row "Windows" "$p" wine $m "$m -static" "suite -O2"
    for c in $COMPILERS; do
        case $c in
        clang*)
            row "Windows, MSVC's ABI" "$p" wine $c "$m -static" msvc_run
            row "MSVC target, syntax only" $c none $c $c msvc_syntax ;;
        esac
    done
}

# The 32-bit headers of gcc-12-multilib lack <asm/>, which is the 64-bit one.
headers32="-idirafter /usr/include/$(gcc -print-multiarch 2>/dev/null)"
versions=$(for c in $COMPILERS; do version "$c"; done)
list | brief | grep -e "${1-}" >$B/list
build/test_cases >$B/cases
all=$(cases_of $B/cases)

export WINEPREFIX="$PWD/$B/wine" WINEDEBUG=-all
export WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe='
unset DISPLAY
if have wine && grep -q '|wine|' $B/list; then
    wine wineboot -i >$B/log 2>&1       # once, before two need it
fi

# lane: runs whatever no other lane has taken.
lane() {
    i=100
    while IFS='|' read -r name packages emulator maker command kind; do
        i=$((i + 1))
        mkdir $B/$i 2>/dev/null || continue
        platform $i "$name" "$packages" "$emulator" "$maker" "$command" \
            $kind </dev/null
    done <$B/list
}
for _ in $(seq "$JOBS"); do lane & done
wait
if have wineserver && [ -d $B/wine ]; then wineserver -k; rm -rf $B/wine; fi

cat $B/1*/failures 2>/dev/null
cat $B/1*/line | sort -s -k1,1
cat $B/1*/skips 2>/dev/null | sort -u
[ "$(cat $B/1*/line | wc -l)" -eq "$(wc -l <$B/list)" ] || {
    echo "FAILED: a platform left no line"; echo 0 1 >$B/101/counts; }
echo "cases: those in tests/cases; the rest ask for what C's types rule out"
cat $B/1*/counts 2>/dev/null | awk '{ p += $1; f += $2 }
    END { printf "platforms: %d passed, %d failed\n", p, f; exit f || !p }'
