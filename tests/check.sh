#!/bin/sh
# check.sh [PART ...] - what takes more than a C compiler: the strict warnings
# of every compiler here; with the newest gcc and clang the ways to build the
# header, and the C tests under sanitizers (WHOLE=1: with every one); the tool
# under sanitizers, and beside NumPy, TensorFlow and ONNX; the firmware and
# the sizes; the archive; the C tests on every platform (platforms.sh), as a
# table at the end; the programs with libraries of their field. `make check` is
# with BRIEF=1: the newest compilers, one platform of each kind, fewer random
# cases, no mutants and no stack; a third of the time that `make check-all`
# takes. Parts:
# warnings forms full (what make test leaves) sanitize tool valgrind peers
# firmware dist stack uses platforms cuda fuzz prove coverage mutation. A part
# whose tool is missing is named and skipped. Run from the root after `make test`
# has built build/. Last line: check: N passed, N failed.
. tests/lib/lib.sh
CC=${CC:-cc}; CXX=${CXX:-c++}; PYTHON=${PYTHON:-python3}; WHOLE=${WHOLE-}
BRIEF=${BRIEF-}; FULL=1; export BRIEF FULL
B=build/check
mkdir -p $B
about='FAILED: '; log=$B/log
tests=$(for t in tests/library/test_*.c; do basename "$t" .c; done)

parts=$*

# step: that of lib.sh; and tells what the command says that it skips.
: >$B/skipped
step() {
    step_what=$1; shift
    check "$step_what: $*" "$@" || return
    [ ! -s $B/log ] || skips $B/log $B/skipped
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
    for f in near far; do
        flags=; [ $f = near ] || flags=$far_flags
        # shellcheck disable=SC2086
        step "$suite_name $f" "$@" -std=c99 -I. $flags -c tests/lib/functions.c \
            -o $B/$f.o
    done
    for t in $tests; do
        # shellcheck disable=SC2046
        step "$suite_name $t" "$@" -std=c99 -I. "tests/library/$t.c" \
            $(linkage "$t" $B) -o "$B/$t" || { bad=1; continue; }
        step "$suite_name $t" "$B/$t" || { bad=1; continue; }
        n=$(counted $B/log)
        [ -n "$n" ] || { bad "$suite_name $t: no count"; bad=1; }
        n=${n% *}
        sum=$((sum + ${n:-0}))
    done
    echo "$suite_name: $sum checks$([ $bad = 0 ] || echo ', some FAILED')"
}

# newest FAMILY: the last of its compilers.
newest() { echo "$compilers" | grep "^$1" | tail -n 1; }

# cxx_of COMPILER: its C++ compiler.
cxx_of() {
    case $1 in
    gcc*) echo "g++${1#gcc}" ;;
    clang*) echo "clang++${1#clang}" ;;
    *) echo "$CXX" ;;
    esac
}

compilers=$(found gcc 12; found clang 14)
[ -n "$compilers" ] || compilers=$CC
latest=$(newest gcc; newest clang)
if [ -z "$latest" ] || [ -n "$WHOLE" ]; then latest=$compilers; fi
[ -z "$BRIEF" ] || compilers=$latest
# all WORD...: these, or with BRIEF the first of them.
all() { if [ -n "$BRIEF" ]; then echo "$1"; else echo "$*"; fi; }

# only_parses COMPILER: what makes clang stop there, which at every level warns
# of what its parser sees.
only_parses() { case $1 in clang*) echo -fsyntax-only ;; esac; }

# took PART: notes the seconds since the part before it ended.
took() {
    now=$(date +%s)
    echo "$1 took $((now - began)) s" >>$B/times
    began=$now
}

# begin FOLDER SCRIPT ARGUMENT...: one that counts for itself in its last line;
# count SCRIPT adds that up.
begin() {
    folder=$1; script=$2; shift 2
    COMPILERS=$compilers sh "tests/$folder/$script.sh" "$@" >"$B/said.$script"
    echo $? >"$B/ended.$script"
    took "$script"
}
count() {
    sed '$d' "$B/said.$1"
    # shellcheck disable=SC2046
    set -- "$1" "$(cat "$B/ended.$1")" $(counted "$B/said.$1") 0 1
    passed=$((passed + $3)); failed=$((failed + $4))
    # One that has not failed ends with 0.
    [ "$4" != 0 ] || [ "$2" = 0 ] || bad "$1 ended with $2"
}
rm -f $B/said.* $B/ended.*
: >$B/times
began=$(date +%s)
uses='game lv2 mpi python bindings'
cuda='emul asan race clang nvcc resources sass'
[ -z "$BRIEF" ] || cuda='asan sass'
# The scripts that count for themselves: what is done here has another lane
# beside it, which begins with them, and helps it in the end. The seeded faults
# of cuda are of the audit: here mutants are.
scripts='coverage platforms cuda uses firmware dist fuzz prove'
seconds=10; [ -z "$BRIEF" ] || seconds=0
[ -z "$BRIEF" ] || export FUZZ_TARGETS="gather scatter"
export PYTHON
# group NAME: those that one lane runs in this order, if they are wanted: stack
# reads what firmware leaves.
group() {
    case $1 in
    uses) ! wanted uses || echo "$uses" ;;
    firmware)
        ! wanted firmware || echo firmware
        [ -n "$BRIEF" ] || ! wanted stack || echo stack ;;
    *) ! wanted "$1" || echo "$1" ;;
    esac
}
rm -rf $B/lane; mkdir $B/lane
lane() {
    for g in $scripts; do
        each=$(group "$g")
        [ -n "$each" ] && mkdir "$B/lane/$g" 2>/dev/null || continue
        for p in $each; do
            # shellcheck disable=SC2086
            case $g in
            coverage) begin coverage coverage ;;
            cuda) begin cuda cuda $cuda ;;
            uses) begin uses $p ;;
            fuzz) begin fuzz fuzz $seconds ;;
            prove) begin proof prove ndgather.h exhaustive z3 ;;
            *) begin forms $p ;;
            esac
        done
    done
}
lane &

if wanted warnings; then
    W="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
       -Wundef -Wcast-qual -Wdouble-promotion -Werror"
    C="$W -Wstrict-prototypes -Wmissing-prototypes"
    printf '#include "ndgather.h"\nextern int tail;\n' >$B/header.c
    for n in impl static nostr assert; do
        case $n in
        static) d='#define NDG_STATIC' ;;
        nostr) d='#define NDG_NO_STRINGS' ;;
        assert) d='extern void failed(void);
#define NDG_ASSERT(x) ((x) ? (void)0 : failed())' ;;
        *) d= ;;
        esac
        printf '%s\n#define NDGATHER_IMPLEMENTATION\n#include "ndgather.h"\nextern int tail;\n' \
            "$d" >$B/$n.c
    done
    n=$passed
    forms='header impl static nostr assert'
    [ -z "$BRIEF" ] || forms='impl nostr'
    # What a later standard alone can say, its syntax pass says.
    for c in $compilers; do
        only=$(only_parses "$c")
        levels='O0 O3 Os'; [ -z "$BRIEF" ] || levels=
        for s in "c99 -O2" ${levels:+"c99 -O0" "c99 -O3" "c99 -Os"} \
            "c11 -fsyntax-only" "c17 -fsyntax-only" "c2x -fsyntax-only"; do
            # shellcheck disable=SC2086
            for f in $forms; do
                # shellcheck disable=SC2086
                step "$c -std=$s $f" "$c" -std=$s $only $C -I. -c $B/$f.c \
                    -o $B/w.o
            done
        done
        # shellcheck disable=SC2086
        [ -z "$only" ] ||
            step "$c -O2" "$c" -std=c99 -O2 $C -I. -c $B/impl.c -o $B/w.o
        # Either engine where the other is the default.
        for s in "1 -O2" "1 -O3" "1 -Og" "0 -O0" "0 -Os"; do
            for std in "-std=c99 $C" "-x c++ -std=c++11 $W"; do
                # shellcheck disable=SC2086
                step "$c NDG_SMALL=$s" "$c" $std -DNDG_SMALL=$s $only -I. \
                    -c $B/impl.c -o $B/w.o
            done
        done
        # A static copy in use, too: there the optimiser sees through all calls.
        for f in examples/*.c examples/tool/*.c examples/gpt/*.c; do
            # shellcheck disable=SC2086
            step "$c $f" "$c" -std=c99 -O2 $only $C -I. -c "$f" -o $B/w.o
        done
    done
    for c in $(newest gcc); do
        [ -z "$BRIEF" ] || continue
        for f in examples/*.c examples/tool/*.c examples/gpt/*.c; do
            for o in $(all -Os -O3); do
                # shellcheck disable=SC2086
                step "$c $o $f" "$c" -std=c99 $o -DNDG_STATIC $C -I. -c "$f" \
                    -o $B/w.o
            done
        done
    done
    # Sanitizers add branches, of which gcc used to warn.
    # shellcheck disable=SC2086
    for c in $latest; do
        for s in $(all address,undefined undefined); do
            works "$c" -fsanitize=$s || continue
            step "$c -fsanitize=$s" "$c" -std=c99 -O2 $C -fsanitize=$s -I. \
                -c $B/impl.c -o $B/w.o
        done
    done
    # One function of a static copy, as its user has it: gcc sees through most.
    functions=$(sed -n 's/^NDG_API .*[ *]\(ndg_[a-z_0-9]*\) *(.*/\1/p' \
        ndgather.h | sort -u)
    for f in $functions; do
        printf '%s\n' '#define NDG_STATIC' '#define NDGATHER_IMPLEMENTATION' \
            '#include "ndgather.h"' 'extern void (*volatile user)(void);' \
            "void use(void) { user = (void (*)(void))$f; }" >$B/one.c
        for c in $(newest gcc); do
            [ -z "$BRIEF" ] || continue
            step "$c $f alone" "$c" -O2 -Wall -Wextra -Werror -I. \
                -c $B/one.c -o $B/w.o
        done
    done
    for c in $compilers; do
        only=$(only_parses "$c")
        c=$(cxx_of "$c")
        have "$c" || { skip "warnings $c" "not installed"; continue; }
        last=-O2; [ -z "$BRIEF" ] || last=-fsyntax-only
        for s in "c++11 -O2" "c++14 -fsyntax-only" "c++17 -fsyntax-only" \
            "c++20 -fsyntax-only" "c++2b $last"; do
            # shellcheck disable=SC2086
            for f in $forms; do
                # shellcheck disable=SC2086
                step "$c -std=$s $f" "$c" -std=$s $only $W -I. -x c++ \
                    -c $B/$f.c -o $B/w.o
            done
        done
        for f in hello experts strings vertices tilemap text route jobs quant \
            gpt/step; do
            # shellcheck disable=SC2086
            step "$c $f" "$c" -std=c++11 -fsyntax-only $W -I. -x c++ \
                examples/$f.c
        done
        # shellcheck disable=SC2086
        step "$c views" "$c" -std=c++17 -O2 $W -I. -c examples/views.cpp \
            -o $B/w.o
    done
    echo "warnings: $((passed - n)) compiles without one"
    took warnings
fi

if wanted forms; then
    # shellcheck disable=SC2046,SC2086
    for c in $(all $latest tcc); do
        have "$c" || { skip "forms $c" "not installed"; continue; }
        if CC=$c CXX=$(cxx_of "$c") step "forms $c" \
            sh tests/forms/test_forms.sh
        then
            tail -n 1 $B/log | sed "s/^forms:/forms, $c:/"
        fi
    done
    took forms
fi

if wanted full; then
    step "the most axes" build/test_cover_most
    for t in cuda/test_cuda tool/test_examples tool/test_readme; do
        if step $t sh tests/$t.sh; then tail -n 1 $B/log; fi
    done
    took full
fi

if wanted sanitize; then
    lanes=
    # It walks over axes for a minute, for the sake of one comparison.
    [ -n "$WHOLE" ] || tests=$(echo "$tests" | grep -vx test_cover_most)
    [ -z "$BRIEF" ] || tests=$(echo "$tests" | grep -e _hostile_ -e _refusals \
        -e _api -e _oracle -e _scatter -e _change -e _engine_partition)
    cases=50000; [ -z "$BRIEF" ] || cases=15000
    asan='-fsanitize=address,undefined -fno-sanitize-recover=undefined'
    # shellcheck disable=SC2046,SC2086
    for c in $(all $latest); do
        if works "$c" -fsanitize=address,undefined; then
            suite "ASan and UBSan, $c" "$c" -O1 -g $loose \
                -DORACLE_CASES=$cases $asan
            if [ -n "$lanes" ]; then continue; fi
            # Once: that of a processor without vectors, the small engine and,
            # unless WHOLE, what compiles an engine of its own.
            lanes=1
            [ -n "$WHOLE" ] || tests=$(echo "$tests" | grep -vx -e test_hooks \
                -e test_moving -e test_cover_stream -e test_counts)
            step "one lane, $c" "$c" -std=c99 -O1 -g $loose -DNDGI_SIMD=0 -I. \
                $asan tests/library/test_loops.c -o $B/test_loops_lane &&
                step "one lane, $c" $B/test_loops_lane
            for t in test_hostile_gather test_hostile_partition test_scatter; do
                step "small engine, $c" "$c" -std=c99 -O1 -g $loose \
                    -DNDG_SMALL=1 -I. $asan tests/library/$t.c \
                    -o $B/${t}_small && step "small engine, $c" $B/${t}_small
            done
        else
            skip "sanitize $c" "it cannot link the sanitizers"
        fi
    done
    # What is read before it is written: with each function called, as it tells
    # of what they are given, too.
    for c in $(newest clang); do
        [ -z "$BRIEF" ] || continue
        if works "$c" -fsanitize=memory; then
            suite "MSan, $c" "$c" -O1 -g -fno-inline $loose -DNDG_SMALL=0 \
                -DORACLE_CASES=3000 -fsanitize=memory
        else skip "sanitize memory" "$c cannot link it"; fi
    done
    # What overflows on 32 bits only.
    tests=$(echo "$tests" | grep -e _hostile_ -e _refusals -e _api)
    for c in $(newest gcc); do
        if works "$c" -m32 -fsanitize=undefined; then
            suite "UBSan, $c -m32" "$c" -m32 -O1 $loose -fsanitize=undefined \
                -fno-sanitize-recover=undefined
        else
            skip "sanitize -m32" "$c does not, with gcc-multilib it does"
        fi
    done
    took sanitize
fi

# tool_under COMPILER SANITIZER: the command line's tests on such a build. Slow
# builds get more time than the contract's second.
tool_under() {
    if ! have "$1" || ! works "$1" -fsanitize="$2"; then
        skip "tool $1 $2" "not installed, or without this sanitizer"
        return
    fi
    step "tool $1 $2" "$1" -std=c99 -O1 -g $loose -fsanitize="$2" -I. \
        examples/tool/ndgather.c -o $B/ndgather -lpthread || return
    NDGATHER=$B/ndgather NDG_SANITIZER=$2 NDG_TIMEOUT=120 \
        NDG_QUICK=$([ -n "$BRIEF" ] && echo 30 || echo 8) \
        step "command line, $1 $2" sh tests/tool/test_cli.sh
    tail -n 1 $B/log | sed "s/^cli:/command line, $1 $2:/"
    NDGATHER=$B/ndgather step "random cases, $1 $2" \
        "$PYTHON" tests/tool/cli_random.py 2 60
    NDGATHER=$B/ndgather step "fills and headers, $1 $2" \
        "$PYTHON" tests/tool/cli_numpy.py 2 60
}

if wanted tool; then
    tool_under gcc address,undefined
    tool_under clang thread
    took tool
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
    took valgrind
fi

if wanted peers; then
    # shellcheck disable=SC2046
    for t in $(all 'cli_numpy cli_random' cli_onnx); do
        if step "$t" "$PYTHON" tests/tool/$t.py; then
            tail -n 1 $B/log | grep -v '^skip: '
        fi
    done
    took peers
fi

lane
if wanted mutation && [ -z "$BRIEF" ]; then
    if ! have gcc; then
        skip mutation "no gcc"
    else
        for h in '' 'cuda 20'; do
            # shellcheck disable=SC2086
            if CC=gcc CXX=g++ step "mutation $h" "$PYTHON" \
                tests/mutation/mutate.py $h; then tail -n 2 $B/log; fi
        done
    fi
    took mutation
fi
wait
for g in $scripts; do
    for p in $(group "$g"); do count "$p"; done
done

echo
cat $B/times
tally check && [ $passed != 0 ]
