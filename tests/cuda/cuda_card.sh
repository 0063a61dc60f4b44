# cuda_card.sh - sourced by what needs a GPU, from the root, after lib.sh, with
# B set to a folder that is there. Finds NVCC (else on the PATH or in
# /usr/local/cuda/bin) and builds $B/probe. Sets arch to the card's or, without
# one, why to a reason. ARCH=sm_90, say, is believed: then no card is looked for,
# and what is built can be carried to one.
# shellcheck disable=SC2034

if [ -z "$NVCC" ]; then
    NVCC=nvcc
    if ! have nvcc && [ -x /usr/local/cuda/bin/nvcc ]; then
        NVCC=/usr/local/cuda/bin/nvcc
    fi
fi
cat >"$B/probe.cu" <<'END'
#include <cstdio>
#include <cuda_runtime.h>
int main() {
    int n = 0, major = 0, minor = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n < 1) return 3;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    std::printf("sm_%d%d\n", major, minor);
    return 0;
}
END
arch=$ARCH; why=
if ! have "$NVCC"; then why="no nvcc"
elif [ -n "$arch" ]; then :
elif ! "$NVCC" "$B/probe.cu" -o "$B/probe" >"$B/log" 2>&1; then why="nvcc fails"
elif ! arch=$("$B/probe"); then why="no GPU"; fi

# built COMMAND FILE...: runs COMMAND, whose output goes to $B/log, unless it
# was last run on these very files, for this card and with these NVCCFLAGS.
built() {
    built_sum=$(shift; { echo "$arch $NVCCFLAGS"; cat "$@"; } | cksum)
    [ "$built_sum" != "$(cat "$B/$1.sum" 2>/dev/null)" ] || return 0
    rm -f "$B/$1.sum"
    "$1" >"$B/log" 2>&1 && echo "$built_sum" >"$B/$1.sum"
}
