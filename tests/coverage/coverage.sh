#!/bin/sh
# coverage.sh [PART ...] - what of the headers the tests reach, by clang's
# source-based coverage. Parts, all of them by default:
#
#   fast   ndgather.h's fast code: the C tests and the corpora of tests/fuzz
#   small  the same of NDG_SMALL=1
#   cuda   ndgather_cuda.cuh through the emulator: tests/cuda/test_cuda*.cpp
#
# Lines, branches and MC/DC: that each condition of each decision has alone
# decided it. All must be reached, but what stands in
# exclusions.txt, which says why; and what stands there must not be reached.
# coverage.py counts. From the root. It needs clang-19 and llvm-19 (CLANG,
# CLANGXX, LLVM_COV and LLVM_PROFDATA name others) and python3; what is missing
# is named. COVERAGE_SKIP: tests to leave out, to see what they alone reach.
# Last line: coverage: N passed, M failed.
#
# shellcheck disable=SC2034,SC2086
. tests/lib/lib.sh
PYTHON=${PYTHON:-python3}
B=build/coverage
mkdir -p $B
log=$B/log; about='FAILED: '
parts=$*
for p in $parts; do
    case $p in
    fast|small|cuda) ;;
    *) echo "coverage.sh: no part $p" >&2; exit 2 ;;
    esac
done

# tool NAME: NAME-19, or NAME if it is of LLVM 19 or later.
tool() {
    if have "$1-19"; then echo "$1-19"; return; fi
    for t in "$1" "/usr/lib/llvm-19/bin/$1"; do
        have "$t" || continue
        v=$("$t" --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p' |
            head -n 1)
        if [ "${v:-0}" -ge 19 ]; then echo "$t"; return; fi
    done
}
CLANG=${CLANG:-$(tool clang)}
CLANGXX=${CLANGXX:-$(tool clang++)}
LLVM_COV=${LLVM_COV:-$(tool llvm-cov)}
LLVM_PROFDATA=${LLVM_PROFDATA:-$(tool llvm-profdata)}
if [ -z "$CLANG" ] || [ -z "$LLVM_COV" ] || [ -z "$LLVM_PROFDATA" ] ||
    ! have "$PYTHON"; then
    skip coverage "it takes clang-19, llvm-19 and python3"
    tally coverage
    exit
fi

COVER='-fprofile-instr-generate -fcoverage-mapping'
# A static function is known by the file that is compiled: one name for all, so
# that the programs' counts of it are one.
ONE='-fcoverage-mcdc -Xclang -main-file-name -Xclang test.c'

# run NAME PROGRAM ARGUMENT...: it must succeed; leaves its counts.
run() {
    run_name=$1; shift
    LLVM_PROFILE_FILE=$D/$run_name.profraw check "$part $run_name" "$@"
}

# build NAME COMPILER FLAG...: keeps what clang says of what it cannot measure.
build() {
    build_name=$1; shift
    check "$part $build_name builds" "$@" || return
    grep 'warning: unsupported MC/DC' $log >>$D/unmeasured
    return 0
}

# count HEADER PROGRAM...: reads the counts of these programs and judges them.
count() {
    header=$1; shift
    if ! cmp -s $header $D/$header; then
        bad "$part: $header has changed meanwhile"; return
    fi
    $LLVM_PROFDATA merge $D/*.profraw -o $D/counts || {
        bad "$part: no counts"; return; }
    objects=$1; shift
    for o in "$@"; do objects="$objects -object $o"; done
    # It warns of functions that a program does not use: they count nowhere.
    if ! $LLVM_COV export -instr-profile $D/counts -skip-functions \
        -skip-expansions $objects "$PWD/$header" >$D/counts.json 2>$log ||
        ! $LLVM_COV show -instr-profile $D/counts -show-mcdc \
            -show-branches=count $objects "$PWD/$header" >$D/shown 2>$log
    then bad "$part: llvm-cov"; cat $log; return; fi
    $PYTHON tests/coverage/coverage.py $part $header $D \
        tests/coverage/exclusions.txt >$D/said
    sed '$d' $D/said
    # shellcheck disable=SC2046
    set -- $(counted $D/said) 0 1
    passed=$((passed + $1)); failed=$((failed + $2))
}

# engine NUMBER: a build of ndgather.h, NDG_SMALL=NUMBER. Its functions are
# compiled once for all tests that are linked to them.
engine() {
    objects=
    for f in near far; do
        flags=; [ $f = near ] || flags=$far_flags
        build $f $CLANG -std=c99 -O1 $loose -DNDG_SMALL=$1 -I. $flags $COVER \
            $ONE -c tests/lib/functions.c -o $D/$f.o || return
    done
    for t in tests/library/test_*.c; do
        t=$(basename $t .c)
        case $1:$t in                   # by chance; always the fast code
        *:test_moving_memory*|1:test_counts) continue ;;
        esac
        case " $COVERAGE_SKIP " in *" $t "*) continue ;; esac
        build $t $CLANG -std=c99 -O1 $loose -I. -DNDG_SMALL=$1 $COVER $ONE \
            tests/library/$t.c $(linkage $t $D) -o $D/$t || continue
        run $t $D/$t
        objects="$objects $D/$t"
    done
    case " $COVERAGE_SKIP " in *" fuzz "*) ;; *) corpora $1 ;; esac
    count ndgather.h $objects
}

# corpora NUMBER: the inputs of the fuzz targets. A target holds three builds
# of ndgather.h; those of this engine count.
corpora() {
    F=tests/fuzz
    for e in fast:0 small:1 far:0; do
        c=
        if [ ${e#*:} = $1 ]; then c="$COVER $ONE"; fi
        far=
        [ $e != far:0 ] || far=$far_flags
        build engine_${e%:*} $CLANG -std=c99 -O1 $loose -I. \
            -DENGINE=engine_${e%:*} -DNDG_SMALL=${e#*:} $far $c \
            -c $F/engine.c -o $D/${e%:*}.o || return
    done
    for t in gather stitch partition rows; do
        [ -d $F/corpus/$t ] || continue
        build fuzz_$t $CLANG -std=c99 -O1 -I. $COVER $F/standalone.c \
            $F/fuzz_$t.c $D/fast.o $D/small.o $D/far.o -o $D/fuzz_$t ||
            continue
        run fuzz_$t $D/fuzz_$t $F/corpus/$t/*
        objects="$objects $D/fuzz_$t"
    done
}

cuda() {
    if [ -z "$CLANGXX" ]; then skip cuda "no clang++-19"; return; fi
    objects=
    for t in tests/cuda/test_cuda.cpp tests/cuda/test_cuda_*.cpp; do
        t=$(basename $t .cpp)
        case " $COVERAGE_SKIP " in *" $t "*) continue ;; esac
        build $t $CLANGXX -std=c++11 -O1 -I. $COVER $ONE tests/cuda/$t.cpp \
            -o $D/$t || continue
        CUDA_ROUNDS=100 run $t $D/$t 100
        objects="$objects $D/$t"
    done
    count ndgather_cuda.cuh $objects
}

for part in fast small cuda; do
    wanted $part || continue
    D=$B/$part
    rm -rf ${D:?}; mkdir -p $D
    : >$D/unmeasured
    cp ndgather.h ndgather_cuda.cuh $D/
    case $part in
    fast) engine 0 ;;
    small) engine 1 ;;
    cuda) cuda ;;
    esac
done
tally coverage
