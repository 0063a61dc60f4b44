/* ceiling.h - what the machine allows, measured beside the contestants.
 *
 *   line   loads one word of every line of the same rows, by the same indices:
 *          plain, or prefetching 16, 64 or 128 rows ahead. Rows under 128 bytes
 *   bus    copies as many bytes as rows are written: memcpy, streaming stores,
 *          rep movsb. The source is as large as the rows gathered are together,
 *          so that it comes from where they come from
 *   store  writes whole rows where a stitch writes them, and reads no data
 *
 * Each is a lower bound, and the largest that applies is the ceiling: line and
 * bus for a gather of rows under 128 bytes, bus for longer ones (loads of one
 * word a line would flatter them) and a partition, bus and store for a stitch.
 * Outputs under 4 KiB have no bus: there a call costs more than the copy. */
#ifndef NDG_BENCH_CEILING_H
#define NDG_BENCH_CEILING_H

#include "naive.h"       /* the row sizes */

#if defined(__x86_64__)
#include <immintrin.h>
#define BENCH_X86 1
#else
#define BENCH_X86 0
#endif

/* ---- line ----------------------------------------------------------------*/
/* A word of every line of a row: rows whose size divides 64 have one line. */
INLINE unsigned touch(const byte *p, int size)
{
    unsigned sum = p[0];
    if (size > 64) sum += p[64];
    if (64 % size) sum += p[size - 1];
    return sum;
}

INLINE void ahead(const byte *p, int size, int level)
{
    if (level == 2) {
        __builtin_prefetch(p, 0, 2);
        if (size > 64) __builtin_prefetch(p + 64, 0, 2);
        if (64 % size) __builtin_prefetch(p + size - 1, 0, 2);
    } else {
        __builtin_prefetch(p, 0, 3);
        if (size > 64) __builtin_prefetch(p + 64, 0, 3);
        if (64 % size) __builtin_prefetch(p + size - 1, 0, 3);
    }
}

/* level 0 prefetches nothing. The last rows of a group prefetch the first of
 * the next one. */
#define LINE_BODY(name, T)                                                    \
INLINE unsigned name(const byte *table, const T *idx, ptrdiff_t n,            \
                     const ptrdiff_t *dim, int size, int distance, int level) \
{                                                                             \
    const ptrdiff_t groups = dim[GROUPS], room = dim[PITCH];                  \
    const ptrdiff_t step = dim[APART], far = distance;                        \
    const ptrdiff_t lead = level ? n - far : n;                               \
    unsigned  a = 0, b = 0, c = 0, d = 0;                                     \
    ptrdiff_t g, i;                                                           \
    for (g = 1; g <= groups; g++, table += room, idx += step) {               \
        for (i = 0; i + 4 <= lead; i += 4) {                                  \
            if (level) {                                                      \
                ahead(table + (ptrdiff_t)idx[i + far] * size, size, level);   \
                ahead(table + (ptrdiff_t)idx[i + far + 1] * size, size,       \
                      level);                                                 \
                ahead(table + (ptrdiff_t)idx[i + far + 2] * size, size,       \
                      level);                                                 \
                ahead(table + (ptrdiff_t)idx[i + far + 3] * size, size,       \
                      level);                                                 \
            }                                                                 \
            a += touch(table + (ptrdiff_t)idx[i] * size, size);               \
            b += touch(table + (ptrdiff_t)idx[i + 1] * size, size);           \
            c += touch(table + (ptrdiff_t)idx[i + 2] * size, size);           \
            d += touch(table + (ptrdiff_t)idx[i + 3] * size, size);           \
        }                                                                     \
        for (; i < n; i++) {                                                  \
            if (level && i + far >= n && i + far < 2 * n && g < groups)       \
                ahead(table + room +                                          \
                      (ptrdiff_t)idx[step + i + far - n] * size, size,        \
                      level);                                                 \
            a += touch(table + (ptrdiff_t)idx[i] * size, size);               \
        }                                                                     \
    }                                                                         \
    return a + b + c + d;                                                     \
}
LINE_BODY(line32, int32_t)
LINE_BODY(line64, int64_t)

#define LINE_SIZES(X) X(1) X(2) X(4) X(8) X(12) X(16) X(20) X(32) X(48)       \
                      X(64) X(100)
#define LINE_LOOP(name, T, body, SIZE)                                        \
NOINLINE unsigned name(const byte *table, const void *indices, ptrdiff_t n,   \
                       const ptrdiff_t *dim, int distance, int level)         \
{                                                                             \
    const T *idx = (const T *)indices;                                        \
    if (level == 0) return body(table, idx, n, dim, SIZE, 0, 0);              \
    if (level == 2) return body(table, idx, n, dim, SIZE, distance, 2);       \
    return body(table, idx, n, dim, SIZE, distance, 3);                       \
}
#define LINE_BOTH(SIZE)                                                       \
    LINE_LOOP(line32_##SIZE, int32_t, line32, SIZE)                           \
    LINE_LOOP(line64_##SIZE, int64_t, line64, SIZE)
LINE_SIZES(LINE_BOTH)

static line_fn *find_line(ptrdiff_t row, int width)
{
    switch (row) {
#define LINE_CASE(SIZE) \
    case SIZE: return width == 8 ? line64_##SIZE : line32_##SIZE;
    LINE_SIZES(LINE_CASE)
    default: return NULL;
    }
}

/* The ways of line: how many rows ahead, into which cache. */
enum { LINES = 5 };
static const int line_distance[LINES] = { 0, 16, 64, 128, 64 };
static const int line_level[LINES]    = { 0, 2, 2, 2, 3 };

/* ---- bus -----------------------------------------------------------------*/
NOINLINE void copy_plain(byte *to, const byte *from, size_t n)
{
    memcpy(to, from, n);
}

#if BENCH_X86
NOINLINE void copy_rep(byte *to, const byte *from, size_t n)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

#define COPY_STREAM(name, vector, load, stream)                               \
NOINLINE void name(byte *to, const byte *from, size_t n)                      \
{                                                                             \
    const size_t step = sizeof(vector);                                       \
    size_t       i = (step - (uintptr_t)to % step) % step;                    \
    if (i > n) i = n;                                                         \
    memcpy(to, from, i);                                                      \
    for (; i + 4 * step <= n; i += 4 * step) {                                \
        const vector a = load((const void *)(from + i));                      \
        const vector b = load((const void *)(from + i + step));               \
        const vector c = load((const void *)(from + i + 2 * step));           \
        const vector d = load((const void *)(from + i + 3 * step));           \
        stream((void *)(to + i), a);                                          \
        stream((void *)(to + i + step), b);                                   \
        stream((void *)(to + i + 2 * step), c);                               \
        stream((void *)(to + i + 3 * step), d);                               \
    }                                                                         \
    memcpy(to + i, from + i, n - i);                                          \
    _mm_sfence();                                                             \
}
#define LOAD128(p)   _mm_loadu_si128((const __m128i *)(p))
#define STORE128(p, v) _mm_stream_si128((__m128i *)(p), v)
COPY_STREAM(copy_stream, __m128i, LOAD128, STORE128)

#define LOAD512(p)   _mm512_loadu_si512(p)
#define STORE512(p, v) _mm512_stream_si512((__m512i *)(p), v)
__attribute__((target("avx512f")))
COPY_STREAM(copy_wide, __m512i, LOAD512, STORE512)

enum { COPIES = 4 };
#define ALL_COPIES { copy_plain, copy_stream, copy_rep, copy_wide }
#else
enum { COPIES = 1 };
#define ALL_COPIES { copy_plain }
#endif
static void (*const copy_ways[COPIES])(byte *, const byte *, size_t) =
    ALL_COPIES;

/* The last one needs AVX-512. */
static int copies(void)
{
#if BENCH_X86
    if (!__builtin_cpu_supports("avx512f")) return COPIES - 1;
#endif
    return COPIES;
}

/* ---- store ---------------------------------------------------------------*/
/* mode 0 stores, 1 prefetches the target 64 rows ahead, 2 streams. */
INLINE void store_row(byte *to, int size, int mode)
{
#if BENCH_X86
    const __m128i v = _mm_set1_epi8(0x5a);
    int i;
    if (size % 16 == 0) {
        for (i = 0; i < size; i += 16)
            if (mode == 2) _mm_stream_si128((__m128i *)(void *)(to + i), v);
            else           _mm_storeu_si128((__m128i *)(void *)(to + i), v);
        return;
    }
#endif
    (void)mode;
    memset(to, 0x5a, (size_t)size);
}

#define STORE_BODY(name, T)                                                   \
INLINE void name(byte *out, const T *idx, ptrdiff_t n, int size, int mode)    \
{                                                                             \
    const ptrdiff_t lead = mode == 1 ? n - 64 : 0;                            \
    ptrdiff_t i;                                                              \
    int       j;                                                              \
    for (i = 0; i < lead; i++) {                                              \
        for (j = 0; j < size; j += 64)                                        \
            __builtin_prefetch(out + (ptrdiff_t)idx[i + 64] * size + j, 1,    \
                               2);                                            \
        store_row(out + (ptrdiff_t)idx[i] * size, size, 0);                   \
    }                                                                         \
    for (; i < n; i++)                                                        \
        store_row(out + (ptrdiff_t)idx[i] * size, size, mode);                \
}
STORE_BODY(store32, int32_t)
STORE_BODY(store64, int64_t)

#define STORE_LOOP(name, T, body, SIZE)                                       \
NOINLINE void name(byte *out, const void *indices, ptrdiff_t n, int mode)     \
{                                                                             \
    const T *idx = (const T *)indices;                                        \
    if (mode == 0)      body(out, idx, n, SIZE, 0);                           \
    else if (mode == 1) body(out, idx, n, SIZE, 1);                           \
    else                body(out, idx, n, SIZE, 2);                           \
}
#define STORE_BOTH(SIZE)                                                      \
    STORE_LOOP(store32_##SIZE, int32_t, store32, SIZE)                        \
    STORE_LOOP(store64_##SIZE, int64_t, store64, SIZE)
FEW_SIZES(STORE_BOTH)

static store_fn *find_store(ptrdiff_t row, int width)
{
    switch (row) {
#define STORE_CASE(SIZE) \
    case SIZE: return width == 8 ? store64_##SIZE : store32_##SIZE;
    FEW_SIZES(STORE_CASE)
    default: return NULL;
    }
}

enum { STORES = 3 };

/* Streaming stores are not in order: this waits for them. */
static void stores_end(void)
{
#if BENCH_X86
    _mm_sfence();
#endif
}

#endif
