#!/bin/sh
# test_cuda_device.sh [MODE ...] - ndgather_cuda.cuh on a GPU, against the CPU
# library: `make test-cuda`. Run from the root. Builds test_cuda_device.cu, runs
# every mode of it, then a few cases under compute-sanitizer's four tools.
# BUDGET=SECONDS for it all (530); SEED for the random cases; NVCC the compiler,
# else on the PATH or in /usr/local/cuda/bin; ARCH: see cuda_card.sh.
#
# Modes: cases offsets paths graphs random huge memcheck racecheck initcheck
# synccheck; build only builds. Prints ok, skip or FAILED for each;
# what found no time is FAILED. Without nvcc or a GPU it says so, has tested
# nothing and exits 0. Last line: test_cuda_device: N passed, N failed, in
# checks.
. tests/lib/lib.sh
B=build/cuda-device
BUDGET=${BUDGET:-530}
SEED=${SEED:-1}
modes=${*:-cases offsets paths graphs random huge memcheck racecheck initcheck
synccheck}
log=$B/log
began=$(date +%s)

spent() { echo $(($(date +%s) - began)); }
finish() {
    if [ -n "$OUT" ] && [ -f $B/all.log ]; then
        cp $B/all.log "$OUT/test_cuda_device.log"
    fi
    tally test_cuda_device
    exit
}
nothing() { skip test_cuda_device "$1: nothing was tested"; finish; }

mkdir -p $B
: >$B/all.log
. tests/cuda/cuda_card.sh
[ -z "$why" ] || nothing "$why"

# ---- the program -------------------------------------------------------------

build() {
    # shellcheck disable=SC2086
    "$NVCC" -std=c++17 -arch="$arch" -lineinfo -Werror all-warnings \
        -Xcompiler -Wall,-Wextra,-Wno-missing-field-initializers $NVCCFLAGS \
        -I. tests/cuda/test_cuda_device.cu -o $B/test
}
if ! built build ndgather.h ndgather_cuda.cuh tests/cuda/*.cu tests/cuda/*.h \
    tests/lib/*.h
then
    head -n 30 $log
    bad "tests/cuda/test_cuda_device.cu does not compile"
    finish
fi
echo "built for $arch in $(spent) s"
[ "$modes" != build ] || exit 0
$B/test device

# step NAME SECONDS COMMAND...: counts its checks. At most so long, and no
# longer than there is time left.
step() {
    name=$1; most=$2; shift 2
    left=$((BUDGET - $(spent)))
    if [ $left -lt 5 ]; then bad "$name: no time left"; return; fi
    if [ "$most" -gt $left ]; then most=$left; fi
    start=$(date +%s)
    limit "$most" "$@" >$log 2>&1
    status=$?
    { echo "== $name"; cat $log; } >>$B/all.log
    grep '^skip: ' $log
    # shellcheck disable=SC2046
    set -- $(counted $log) 0 0
    passed=$((passed + $1)); failed=$((failed + $2))
    if [ $status = 0 ] && [ "$1" -gt 0 ] && [ "$2" = 0 ]; then
        echo "ok: $name: $1 checks, $(($(date +%s) - start)) s"
        return
    fi
    grep -v '^skip: ' $log | head -n 25
    case $status in
    124) bad "$name: still running after $most s" ;;
    *)   bad "$name: status $status" ;;
    esac
}

# One tool of compute-sanitizer, over a few cases. Some virtual machines do not
# let it near the card.
tool() {
    if ! have "$sanitizer"; then
        skip "$1" "no compute-sanitizer"
        return
    fi
    left=$((BUDGET - $(spent)))
    if [ $left -lt 20 ]; then bad "$1: no time left"; return; fi
    if ! limit $((left < 60 ? left : 60)) "$sanitizer" --tool "$1" \
        --error-exitcode 9 $B/probe >$log 2>&1 && grep -q 'not supported' $log
    then
        skip "$1" "compute-sanitizer does not support this device"
        return
    fi
    step "$1" $((BUDGET / 7)) "$sanitizer" --tool "$1" --error-exitcode 9 \
        $B/test sanitize $((BUDGET / 25)) "$SEED"
}
sanitizer=compute-sanitizer
have $sanitizer || sanitizer=$(dirname "$(command -v "$NVCC")")/$sanitizer
have "$sanitizer" || sanitizer=/usr/local/cuda/bin/compute-sanitizer

for m in $modes; do
    case $m in
    cases|offsets|paths) step "$m" 100 $B/test "$m" ;;
    graphs)  step "$m" 60 $B/test "$m" ;;
    random) step "$m" $((BUDGET / 4)) $B/test random $((BUDGET / 8)) "$SEED" ;;
    huge)   step "$m" $((BUDGET / 3)) $B/test huge ;;
    memcheck|racecheck|initcheck|synccheck) tool "$m" ;;
    *)      bad "no mode $m" ;;
    esac
done
echo "$(spent) s in all"
finish
