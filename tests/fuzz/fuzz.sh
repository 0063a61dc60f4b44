#!/bin/sh
# fuzz.sh [SECONDS] - the fuzz targets: their corpora first, in every build
# there is, then SECONDS of fuzzing each (10 if not said; 0: none). A target
# holds three builds of ndgather.h side by side, the fast, the small and the one
# to which all arrays are far, and compares each with plain loops; `launch` has
# the launchers of ndgather_cuda.cuh, on the emulator, and 64 bits.
#
#     sh tests/fuzz/fuzz.sh            about three minutes on one core
#     sh tests/fuzz/fuzz.sh 3600       an hour for each target
#     sh tests/fuzz/fuzz.sh afl 60     by AFL++ (afl-clang-fast)
#     sh tests/fuzz/fuzz.sh merge      keeps of what was found the inputs that
#                                      are worth it, in tests/fuzz/corpus
#
# With clang-19 or clang it is libFuzzer under ASan and UBSan; without, gcc and
# standalone.c. FUZZ_CLANG, FUZZ_GCC name others; FUZZ_HEADER is a folder with
# another ndgather.h; FUZZ_TARGETS are less than all. What is found stays in
# build/fuzz/. From the root. Last line: N passed, N failed.
#
# shellcheck disable=SC2012,SC2034,SC2046,SC2086
. tests/lib/lib.sh
B=build/fuzz
H=${FUZZ_HEADER:-.}
F=tests/fuzz
targets=${FUZZ_TARGETS:-gather scatter stitch partition rows npy launch}
mkdir -p $B/found
log=$B/log; about='FAILED: '; log_by='tail -n 40'
GCC=${FUZZ_GCC:-gcc}

# works COMPILER FLAG...: whether a target can be built so, and run.
works() {
    echo '#include <stddef.h>
        int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n);
        int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n)
        { return d && n == 77; }
        int main_(void); int main_(void) { return 0; }' >$B/probe.c
    "$@" $B/probe.c -o $B/probe >/dev/null 2>&1 &&
        $B/probe -runs=1 >/dev/null 2>&1
}
clang=''
for c in ${FUZZ_CLANG:-clang-19 clang}; do
    if [ -z "$clang" ] && have "$c" && works "$c" -fsanitize=fuzzer,address
    then clang=$c; fi
done

W='-g -Wall -Wextra'
SAN='-fsanitize=address,undefined -fno-sanitize-recover=all'

# engines FOLDER COMPILER FLAG...: the three builds of the header.
engines() {
    d=$1; shift
    mkdir -p "$d"
    set -- "$@" -std=c99 -I$H -I.
    "$@" -DENGINE=engine_fast -DNDG_SMALL=0 -c $F/engine.c -o "$d/fast.o" &&
    "$@" -DENGINE=engine_small -DNDG_SMALL=1 -c $F/engine.c -o "$d/small.o" &&
    "$@" -DENGINE=engine_far -DNDG_SMALL=0 $far_flags \
        -c $F/engine.c -o "$d/far.o"
}

# target FOLDER NAME COMPILER FLAG...: a program of a target.
target() {
    d=$1; t=$2; shift 2
    case $t in
    npy) set -- "$@" -std=c99 $F/fuzz_npy.c ;;
    launch) set -- "$@" -fno-sanitize=vptr -x c++ $F/fuzz_launch.cpp -x none \
                -lstdc++ -lpthread ;;
    *) set -- "$@" -std=c99 $F/fuzz_$t.c "$d/fast.o" "$d/small.o" "$d/far.o" ;;
    esac
    "$@" -I$H -I. -o "$d/fuzz_$t"
}

# replay NAME FOLDER: the corpora through a build.
replay() {
    for t in $targets; do
        if [ ! -d $F/corpus/$t ]; then skip "$1 $t" "no corpus"; continue; fi
        check "$1 replays $t" "$2/fuzz_$t" $F/corpus/$t/* ||
            echo "(build $2/fuzz_$t)"
    done
}

# figure NAME: one of libFuzzer's last figures, in $log.
figure() { sed -n "s/^stat::$1: *//p" $log | tail -n 1; }
edges() { grep -o 'cov: [0-9]*' $log | tail -n 1 | sed 's/cov: //'; }

# The files that libFuzzer and AFL begin with.
begin_with() {
    mkdir -p "$B/found/$1"
    [ -d $F/corpus/$1 ] && cp $F/corpus/$1/* "$B/found/$1/"
    [ -n "$(ls "$B/found/$1")" ] || printf '0123456789' >"$B/found/$1/any"
}

fuzz() {
    for t in $targets; do
        begin_with "$t"
        more=250
        [ $t = npy ] && more=400
        # -timeout: so slow an input would be a find, too.
        if check "fuzz_$t" $B/clang/fuzz_$t -max_total_time="$1" -timeout=20 \
            -max_len=$more -len_control=0 -print_final_stats=1 \
            -artifact_prefix=$B/found-$t- "$B/found/$t"
        then
            echo "fuzz_$t: $(figure number_of_executed_units) executions," \
                "$(edges) edges, nothing found"
        else
            grep -m 1 'random[_a-z]*\.h:\|fuzz_[a-z]*\.c\|ndgather[_a-z]*.c*u*h:\|ERROR: ' $log
            ls $B/found-$t-* 2>/dev/null
        fi
    done
}

# Without libFuzzer: changed inputs of the corpus, of a seed.
random() {
    for t in $targets; do
        n=$(($1 * 200))
        if check "fuzz_$t -n $n" limit 600 "$2/fuzz_$t" -n $n -S 1 \
            -o "$B/found-$t" $(ls $F/corpus/$t/* 2>/dev/null)
        then echo "fuzz_$t: $(cat $log) more or less at random, nothing found"
        fi
    done
}

afl() {
    if ! have afl-clang-fast || ! have afl-fuzz; then
        skip afl "no afl-clang-fast"
        return
    fi
    step "AFL++ engines" engines $B/afl afl-clang-fast $W -O2 || return
    for t in $targets; do
        step "AFL++ fuzz_$t" target $B/afl $t afl-clang-fast $W -O2 \
            $F/standalone.c || continue
        begin_with "$t"
        rm -rf "$B/afl/out-$t"
        AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 \
        AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_FAST_CAL=1 \
            check "afl-fuzz $t" afl-fuzz -V "$1" -i "$B/found/$t" \
            -o "$B/afl/out-$t" -- $B/afl/fuzz_$t @@ || continue
        s=$B/afl/out-$t/default
        [ -f "$s/fuzzer_stats" ] || s=$B/afl/out-$t
        value() { sed -n "s/^$1 *: *//p" "$s/fuzzer_stats"; }
        crashes=$(value saved_crashes)
        if [ "${crashes:-1}" = 0 ]; then ok
        else bad "afl-fuzz $t: $crashes crashes in $s"; fi
        echo "fuzz_$t: $(value execs_done) executions by AFL++," \
            "$(value edges_found) edges, $crashes crashes"
    done
}

# A smallest set of inputs that reach every edge that all of them do.
merge() {
    for t in $targets; do
        begin_with "$t"
        rm -rf "$B/merged"; mkdir -p "$B/merged"
        $B/clang/fuzz_$t -set_cover_merge=1 -use_counters=0 -max_len=300 \
            "$B/merged" "$B/found/$t" >$log 2>&1 || { bad merge; return; }
        rm -rf "$F/corpus/$t"; mkdir -p "$F/corpus/$t"
        for f in "$B"/merged/*; do
            cp "$f" "$F/corpus/$t/$(basename "$f" | cut -c1-12)"
        done
        echo "$t: $(ls "$F/corpus/$t" | wc -l) inputs"
    done
}

build_clang() {
    step "$clang engines" engines $B/clang $clang $W -O1 $loose $SAN \
        -fsanitize=fuzzer-no-link || return
    for t in $targets; do
        step "$clang fuzz_$t" target $B/clang $t $clang $W -O1 $SAN \
            -fsanitize=fuzzer
    done
}

# build NAME COMPILER FLAG...: by way of standalone.c.
build() {
    name=$1; shift
    step "$name engines" engines $B/$name "$@" $W || return
    for t in $targets; do
        step "$name fuzz_$t" target $B/$name $t "$@" $W $F/standalone.c ||
            return
    done
}

[ -n "$clang" ] || [ "$1" = afl ] ||
    skip "libFuzzer" "no clang-19 or clang that has it"
case ${1:-10} in
afl) afl "${2:-60}" ;;
merge) build_clang && merge ;;
*)
    seconds=${1:-10}
    if [ -n "$clang" ]; then
        build_clang && replay "$clang, ASan, UBSan" $B/clang
        [ "$seconds" = 0 ] || fuzz "$seconds"
    elif have "$GCC"; then
        build gcc "$GCC" -O1 $loose $SAN && replay "$GCC, ASan, UBSan" $B/gcc
        [ "$seconds" = 0 ] || random "$seconds" $B/gcc
    fi
    if have "$GCC"; then
        build gcc2 "$GCC" -O2 && replay "$GCC -O2" $B/gcc2
        m32="-m32 -O1 $loose -fsanitize=address"
        works "$GCC" $m32 -Dmain_=main || m32="-m32 -O1 $loose"
        if works "$GCC" $m32 -Dmain_=main; then
            targets=$(echo " $targets " | sed 's/ launch / /')
            build m32 "$GCC" $m32 && replay "$GCC $m32" $B/m32
            [ "$seconds" = 0 ] || random "$seconds" $B/m32
        else skip "-m32" "$GCC does not"
        fi
    else skip gcc "there is none"
    fi ;;
esac
tally fuzz
