#!/bin/sh
# test_cuda.sh - the CUDA companion without a GPU: every kernel as plain C++ on
# the emulator of cuda_emul.h, beside the small engine (FULL=1: the fast one), and
# the emulator's own tests. `make check` adds FULL=1, sanitizers and the CUDA
# compilers (cuda.sh), `make test-cuda` a device. From the project's root.
. tests/lib/lib.sh
B=build/test-cuda; mkdir -p $B
CXX=${CXX:-c++}
if ! echo 'int main() { return 0; }' >$B/probe.cpp ||
    ! $CXX -std=c++11 $B/probe.cpp -o $B/probe 2>/dev/null; then
    skip test_cuda "no C++ compiler"
    tally test_cuda
    exit
fi
for t in emul/test_cuda_emul test_cuda test_cuda_cover test_cuda_launch; do
    program=$B/${t#*/}
    status=0
    if $CXX -std=c++11 -O1 $small_engine -I. tests/cuda/$t.cpp -o "$program" \
        >$B/log 2>&1; then
        CUDA_ROUNDS=100 "$program" 100 >$B/log 2>&1
        status=$?
    fi
    # shellcheck disable=SC2046
    set -- $(counted $B/log) 0 1
    [ "$2" = 0 ] || head -n 40 $B/log
    passed=$((passed + $1)); failed=$((failed + $2))
    if [ "$2" = 0 ] && [ $status != 0 ]; then
        bad "${t#*/} counts no failure but exits $status"
    fi
done
tally test_cuda
