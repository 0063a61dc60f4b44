/* emul_language.h - CUDA's own words, for a C++ compiler that knows none.
 *
 * A part of cuda_emul.h: the marks of functions, the types that a kernel's
 * coordinates and widest loads have, and NDGI_SHARED, by which a kernel of
 * ndgather_cuda.cuh declares shared memory. All that is compiled on the
 * emulator uses this. What no kernel here needs is not there: the compiler
 * will say so. */
#ifndef EMUL_LANGUAGE_H
#define EMUL_LANGUAGE_H

#define __host__
#define __device__
#define __global__
#define __launch_bounds__(...)
#define NDGI_SHARED(type, name, count) \
    type *const name = \
        (type *)emu_shared(EMU_HERE, sizeof(type) * (size_t)(count))

struct dim3 {
    unsigned x, y, z;
    EMU_NOSAN constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
        : x(a), y(b), z(c) {}
};

struct uint3 { unsigned x, y, z; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };

#endif
