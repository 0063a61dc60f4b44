#!/bin/sh
# check.sh [PART ...] - what takes more than a C compiler: the C tests under
# sanitizers, on 32 bits and with other compilers and levels; the strict
# warnings; the tool under sanitizers; the tool beside NumPy, TensorFlow and
# ONNX. Parts: warnings forms sanitize m32 compilers tool valgrind peers.
# A part whose tool is missing is named and skipped. Run from the root after
# `make test` has built build/. Last line: N passed, N failed.
CC=${CC:-cc}; CXX=${CXX:-c++}; PYTHON=${PYTHON:-python3}
B=build/check
mkdir -p $B
passed=0; failed=0
tests=$(for t in tests/test_*.c; do basename "$t" .c; done)

have() { command -v "$1" >/dev/null 2>&1; }
skip() { echo "skip: $1: $2"; }
wanted() { [ -z "$parts" ] || case " $parts " in *" $1 "*) ;; *) false ;; esac; }
parts=$*

# step NAME COMMAND...: one check; what it says is shown if it fails.
step() {
    step_name=$1; shift
    if "$@" >$B/log 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $step_name: $*"
        tail -n 15 $B/log
        return 1
    fi
}

# works COMPILER FLAG...: whether it builds and runs a program so.
works() {
    echo '#include <string.h>
          int main(void) { return (int)strlen(""); }' >$B/probe.c
    "$@" $B/probe.c -o $B/probe >/dev/null 2>&1 && $B/probe
}

# suite NAME COMPILER FLAG...: the C tests, built and run so.
suite() {
    suite_name=$1; shift
    sum=0; bad=0
    for t in $tests; do
        step "$suite_name $t" "$@" -std=c99 -I. "tests/$t.c" -o "$B/$t" || {
            bad=1; continue; }
        step "$suite_name $t" "$B/$t" || bad=1
        n=$(tail -n 1 $B/log | sed -n 's/^[a-z_]*: \([0-9]*\) passed.*/\1/p')
        sum=$((sum + ${n:-0}))
    done
    echo "$suite_name: $sum checks$([ $bad = 0 ] || echo ', some FAILED')"
}

compilers=
for c in gcc clang; do if have $c; then compilers="$compilers $c"; fi; done
[ -n "$compilers" ] || compilers=$CC

if wanted warnings; then
    W="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
       -Wundef -Wcast-qual -Wdouble-promotion -Werror"
    printf '#include "ndgather.h"\nextern int tail;\n' >$B/header.c
    for n in impl static nostr; do
        case $n in
        static) d='#define NDG_STATIC' ;;
        nostr) d='#define NDG_NO_STRINGS' ;;
        *) d= ;;
        esac
        printf '%s\n#define NDGATHER_IMPLEMENTATION\n#include "ndgather.h"\nextern int tail;\n' \
            "$d" >$B/$n.c
    done
    n=$passed
    for c in $compilers; do
        for s in c99 c11 c17 c2x; do
            for o in -O0 -O2 -Os; do
                for f in header impl static nostr; do
                    # shellcheck disable=SC2086
                    step "$c -std=$s $o $f" $c -std=$s $o $W \
                        -Wstrict-prototypes -Wmissing-prototypes -I. \
                        -c $B/$f.c -o $B/w.o
                done
            done
        done
        # shellcheck disable=SC2086
        for f in examples/*.c; do
            step "$c $f" $c -std=c99 -O2 $W -Wstrict-prototypes \
                -Wmissing-prototypes -I. -c "$f" -o $B/w.o
        done
    done
    for c in g++ clang++; do
        have $c || { skip "warnings $c" "not installed"; continue; }
        for s in c++11 c++14 c++17 c++20 c++2b; do
            for f in header impl static nostr; do
                # shellcheck disable=SC2086
                step "$c -std=$s $f" $c -std=$s -O2 $W -I. -x c++ \
                    -c $B/$f.c -o $B/w.o
            done
        done
        for f in hello experts strings vertices tilemap text route jobs; do
            # shellcheck disable=SC2086
            step "$c $f" $c -std=c++11 $W -I. -x c++ -c examples/$f.c \
                -o $B/w.o
        done
    done
    echo "warnings: $((passed - n)) compiles without one"
fi

if wanted sanitize; then
    for c in $compilers; do
        if works $c -fsanitize=address,undefined; then
            suite "ASan and UBSan, $c" $c -O1 -g \
                -fsanitize=address,undefined -fno-sanitize-recover=undefined
        else
            skip "sanitize $c" "it cannot link the sanitizers"
        fi
    done
fi

if wanted m32; then
    for c in $compilers; do
        if works $c -m32; then suite "32 bits, $c" $c -m32 -O2
        else skip "m32 $c" "no 32-bit libraries"; fi
    done
fi

if wanted compilers; then
    for c in $compilers; do
        for o in -O0 -O3 -Os; do suite "$c $o" $c $o; done
    done
    if have tcc; then suite tcc tcc
    else skip tcc "not installed"; fi
fi

# tool_under COMPILER SANITIZER: the command line's tests on such a build. Slow
# builds get more time than the contract's second.
tool_under() {
    if ! have "$1" || ! works "$1" -fsanitize="$2"; then
        skip "tool $1 $2" "not installed, or without this sanitizer"
        return
    fi
    step "tool $1 $2" "$1" -std=c99 -O1 -g -fsanitize="$2" -I. \
        examples/ndgather.c -o $B/ndgather -lpthread || return
    NDGATHER=$B/ndgather NDG_SANITIZER=$2 NDG_TIMEOUT=120 NDG_QUICK=8 \
        step "command line, $1 $2" sh tests/test_cli.sh
    tail -n 1 $B/log | sed "s/^cli:/command line, $1 $2:/"
}

if wanted tool; then
    tool_under gcc address,undefined
    tool_under clang thread
fi

if wanted valgrind; then
    if have valgrind; then
        for t in test_api test_tables; do
            step "valgrind $t" valgrind -q --error-exitcode=9 build/$t
        done
        echo "valgrind: test_api, test_tables"
    else
        skip valgrind "not installed"
    fi
fi

if wanted peers; then
    for t in cli_numpy cli_onnx cli_tensorflow; do
        if step "$t" "$PYTHON" tests/peers/$t.py; then tail -n 1 $B/log; fi
    done
fi

echo
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
