# cuda_card.sh - sourced by what needs a GPU, from the root, after lib.sh, with
# B set to a folder that is there. Finds NVCC (else on the PATH or in
# /usr/local/cuda/bin) and builds $B/probe. Sets arch to the card's or, without
# one, why to a reason.
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
arch=; why=
if ! have "$NVCC"; then why="no nvcc"
elif ! "$NVCC" "$B/probe.cu" -o "$B/probe" >"$B/log" 2>&1; then why="nvcc fails"
elif ! arch=$("$B/probe"); then why="no GPU"; fi
