/* basics.h - what the benchmarks begin with: the clock, random numbers, the
 * root of a product. No libm: `make` links none. */
#ifndef NDG_BENCH_BASICS_H
#define NDG_BENCH_BASICS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned char byte;

#define NOINLINE static __attribute__((noinline))
#define INLINE   static inline __attribute__((always_inline))

#define KIB ((ptrdiff_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#ifndef BENCH_FLAGS
#define BENCH_FLAGS "flags unknown"
#endif
#if defined(__clang__)
#define BENCH_COMPILER __VERSION__
#else
#define BENCH_COMPILER "gcc " __VERSION__
#endif

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline double least(double a, double b) { return a < b ? a : b; }

static inline ptrdiff_t fewer(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static uint64_t seed = 88172645463325252u;

static inline uint64_t random64(void)                 /* xorshift64 */
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static inline void fill_random(void *to, ptrdiff_t bytes)
{
    ptrdiff_t i;
    for (i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t v = random64();
        memcpy((byte *)to + i, &v, 8);
    }
}

/* x with x^n = product, by halving. */
static inline double nth_root(double product, int n)
{
    double low = 0, high = 1e4;
    int    i, k;
    for (i = 0; i < 80; i++) {
        const double x = (low + high) / 2;
        double p = 1;
        for (k = 0; k < n && p < 1e290; k++) p *= x;
        if (p < product) low = x;
        else             high = x;
    }
    return low;
}

#endif
