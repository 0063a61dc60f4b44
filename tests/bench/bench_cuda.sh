#!/bin/sh
# bench_cuda.sh [quick|full|build|sweep] - ndgather_cuda.cuh beside the
# ceilings, naive kernels, CUB, PyTorch, CuPy and JAX: `make bench-cuda`. Run
# from the root.
#
# full (the default) measures every cell, or what there is time for, and writes
# tests/bench/RESULTS_CUDA.md; quick takes a minute and writes no page; build
# only builds. All results are in build/cuda-bench and, if
# OUT is set, copied there. BUDGET=SECONDS for it all (530); NVCC the compiler,
# else on the PATH or in /usr/local/cuda/bin, NVCCFLAGS more flags for it; ARCH:
# see cuda_card.sh. sweep runs quick with each of the flags in SWEEP (blocks of
# 128, 256 and 512 threads), OP=partition, say, of only these; built beforehand
# by SWEEP=... build. PYTHON one that has the peers, PEERS=torch,cupy,jax: those
# that it has not are left out. Without nvcc, a GPU or Python it says so, has
# measured nothing and exits 0.
. tests/lib/lib.sh
B=build/cuda-bench
PAGE=tests/bench/RESULTS_CUDA.md
mode=${1:-full}
PYTHON=${PYTHON:-python3}
BUDGET=${BUDGET:-530}
began=$(date +%s)

left() { echo $((BUDGET - $(date +%s) + began)); }
nothing() { skip bench_cuda "$1: nothing was measured"; exit 0; }

case $mode in
quick|full|build|sweep) ;;
*) echo "usage: bench_cuda.sh [quick|full|build|sweep]" >&2; exit 2 ;;
esac
if [ $mode = sweep ] && [ -z "$SWEEP" ]; then
    SWEEP='-DNDG_CUDA_BLOCK=128 -DNDG_CUDA_BLOCK=256 -DNDG_CUDA_BLOCK=512'
fi
mkdir -p $B
. tests/cuda/cuda_card.sh
[ -z "$why" ] || nothing "$why"

# ---- build -------------------------------------------------------------------

TOOLKIT=$("$NVCC" --version | sed -n 's/.*release.*, V//p')
export TOOLKIT
build() {
    # shellcheck disable=SC2086
    "$NVCC" -std=c++17 -O3 -arch="$arch" -Xcompiler -fPIC -shared $NVCCFLAGS \
        $flag -I. tests/bench/bench_cuda.cu -o "$B/libbench$flag.so"
}
for flag in '' $SWEEP; do
    cp tests/bench/bench_cuda.cu $B/source
    echo "// $flag" >>$B/source
    if ! built build $B/source ndgather.h ndgather_cuda.cuh \
        tests/cuda/cuda_plans.h; then
        head -n 30 $B/log
        echo "FAILED: bench_cuda: it does not build${flag:+ with $flag}"
        exit 1
    fi
done
echo "built for $arch in $((BUDGET - $(left))) s"
[ "$mode" != build ] || exit 0
have "$PYTHON" || nothing "no $PYTHON"

# ---- measure -----------------------------------------------------------------

# measure FLAG MODE RESULTS SECONDS PEERS: a little longer, to give up in good
# order.
measure() {
    PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 limit $(($4 + 15)) \
        "$PYTHON" tests/bench/bench_cuda_peers.py "$B/libbench$1.so" "$2" \
        "$3" --seconds "$4" --peers "$5"
}
if [ "$mode" = sweep ]; then
    for flag in $SWEEP; do
        echo "== $flag"
        measure "$flag" quick "$B/sweep$flag.jsonl" "$(left)" ''
        [ -z "$OUT" ] || cp "$B/sweep$flag.jsonl" "$OUT/"
    done
    exit
fi
results=$B/$mode.jsonl
rm -f "$results" $B/RESULTS_CUDA.md
measured() { grep -q '"times"' "$results" 2>/dev/null; }
# Some time is kept for the page.
measure '' "$mode" "$results" $(($(left) - 25)) "${PEERS-torch,cupy,jax}" \
    >$B/output 2>&1
status=$?
cat $B/output
if [ $status != 0 ]; then echo "FAILED: bench_cuda: status $status"; fi
# A peer that broke the process must not cost all.
if ! measured && [ "$(left)" -gt 40 ]; then
    echo "once more, without the peers"
    cp "$results" $B/broken.jsonl 2>/dev/null
    measure '' "$mode" "$results" $(($(left) - 25)) ''
fi

# ---- publish -----------------------------------------------------------------

if measured &&
    "$PYTHON" -B tests/bench/bench_cuda_page.py "$results" \
        --out $B/RESULTS_CUDA.md
then
    cp $B/RESULTS_CUDA.md $PAGE
fi
if [ -n "$OUT" ]; then
    for f in "$results" $B/broken.jsonl $B/output $B/RESULTS_CUDA.md; do
        if [ -f "$f" ]; then cp "$f" "$OUT/"; fi
    done
fi
echo "$((BUDGET - $(left))) s in all"
exit $status
