/* naive.h - the loops that a careful user would write: one for each row size
 * known to the compiler, and one that calls memcpy with a variable size. Each
 * checks every index with a branch and stops at the first bad one. */
#ifndef NDG_BENCH_NAIVE_H
#define NDG_BENCH_NAIVE_H

#include "loops.h"

#define ALL_SIZES(X)                                                          \
    X(1) X(2) X(4) X(8) X(12) X(16) X(20) X(32) X(48) X(64) X(100) X(128)     \
    X(256) X(300) X(512) X(1024) X(4096) X(16384)
#define FEW_SIZES(X) X(4) X(16) X(64) X(256) X(1024)   /* stitch, partition */

#define HAND_HEAD(name)                                                       \
NOINLINE ptrdiff_t name(byte *out, const byte *table, const void *indices,    \
                        ptrdiff_t n, const ptrdiff_t *dim)

/* ---- gather, along any axis ----------------------------------------------*/
#define GATHER_LOOP(name, T, SIZE)                                            \
HAND_HEAD(name)                                                               \
{                                                                             \
    const ptrdiff_t groups = dim[GROUPS], room = dim[PITCH];                  \
    const ptrdiff_t step = dim[APART], extent = dim[0], row = dim[ROW];       \
    const T *idx = (const T *)indices;                                        \
    ptrdiff_t g, i;                                                           \
    (void)row;                                                                \
    for (g = 0; g < groups; g++, table += room, idx += step)                  \
        for (i = 0; i < n; i++, out += SIZE) {                                \
            const T v = idx[i];                                               \
            if (v < 0 || v >= extent) return g * n + i;                       \
            memcpy(out, table + (ptrdiff_t)v * SIZE, (size_t)(SIZE));         \
        }                                                                     \
    return -1;                                                                \
}

#define GATHER_BOTH(SIZE)                                                     \
    GATHER_LOOP(gather32_##SIZE, int32_t, SIZE)                               \
    GATHER_LOOP(gather64_##SIZE, int64_t, SIZE)
ALL_SIZES(GATHER_BOTH)
GATHER_LOOP(gather32_memcpy, int32_t, row)
GATHER_LOOP(gather64_memcpy, int64_t, row)

static hand_fn *find_gather(ptrdiff_t row, int width)
{
    switch (row) {
#define GATHER_CASE(SIZE) \
    case SIZE: return width == 8 ? gather64_##SIZE : gather32_##SIZE;
    ALL_SIZES(GATHER_CASE)
    default: return NULL;
    }
}

/* ---- gather_nd, K written out --------------------------------------------*/
#define ND_BAD(k) (at[k] < 0 || at[k] >= d##k)
#define ND_LOOP(name, T, K, SIZE, BAD, LINEAR)                                \
HAND_HEAD(name)                                                               \
{                                                                             \
    const ptrdiff_t row = dim[ROW], d0 = dim[0], d1 = dim[1];                 \
    const ptrdiff_t d2 = dim[2], d3 = dim[3];                                 \
    const T *at = (const T *)indices;                                         \
    ptrdiff_t i;                                                              \
    (void)row; (void)d1; (void)d2; (void)d3;                                  \
    for (i = 0; i < n; i++, out += SIZE, at += K) {                           \
        if (BAD) return i;                                                    \
        memcpy(out, table + (LINEAR) * SIZE, (size_t)(SIZE));                 \
    }                                                                         \
    return -1;                                                                \
}

#define ND_BAD_1 ND_BAD(0)
#define ND_BAD_2 ND_BAD_1 || ND_BAD(1)
#define ND_BAD_3 ND_BAD_2 || ND_BAD(2)
#define ND_BAD_4 ND_BAD_3 || ND_BAD(3)
#define ND_AT_1  (ptrdiff_t)at[0]
#define ND_AT_2  (ND_AT_1 * d1 + (ptrdiff_t)at[1])
#define ND_AT_3  (ND_AT_2 * d2 + (ptrdiff_t)at[2])
#define ND_AT_4  (ND_AT_3 * d3 + (ptrdiff_t)at[3])
#define ND_SIZES(T, bits, K)                                                  \
    ND_LOOP(nd##bits##_##K##_4, T, K, 4, ND_BAD_##K, ND_AT_##K)               \
    ND_LOOP(nd##bits##_##K##_64, T, K, 64, ND_BAD_##K, ND_AT_##K)             \
    ND_LOOP(nd##bits##_##K##_memcpy, T, K, row, ND_BAD_##K, ND_AT_##K)
ND_SIZES(int32_t, 32, 1)    ND_SIZES(int64_t, 64, 1)
ND_SIZES(int32_t, 32, 2)    ND_SIZES(int64_t, 64, 2)
ND_SIZES(int32_t, 32, 3)    ND_SIZES(int64_t, 64, 3)
ND_SIZES(int32_t, 32, 4)    ND_SIZES(int64_t, 64, 4)

/* row 4 or 64, or 0 for the memcpy loop. */
static hand_fn *find_nd(ptrdiff_t row, int width, int depth)
{
#define ND_ENTRY(bits, K)                                                     \
    { nd##bits##_##K##_4, nd##bits##_##K##_64, nd##bits##_##K##_memcpy }
    static hand_fn *const all[2][4][3] = {
        { ND_ENTRY(32, 1), ND_ENTRY(32, 2), ND_ENTRY(32, 3), ND_ENTRY(32, 4) },
        { ND_ENTRY(64, 1), ND_ENTRY(64, 2), ND_ENTRY(64, 3), ND_ENTRY(64, 4) }
    };
    if (row != 0 && row != 4 && row != 64) return NULL;
    return all[width == 8][depth - 1][row == 4 ? 0 : row == 64 ? 1 : 2];
}

/* ---- dynamic_stitch ------------------------------------------------------*/
/* BAD(v, total): how an entry is judged; FIX: what is done with a bad one. */
#define STITCH_LOOP(name, T, SIZE, BAD, FIX)                                  \
NOINLINE ptrdiff_t name(byte *out, const ndg_list *lists, ptrdiff_t n,        \
                        ptrdiff_t total, ptrdiff_t row)                       \
{                                                                             \
    ptrdiff_t m, i;                                                           \
    (void)row;                                                                \
    for (m = 0; m < n; m++) {                                                 \
        const T    *at = (const T *)lists[m].indices;                         \
        const byte *data = (const byte *)lists[m].data;                       \
        for (i = 0; i < lists[m].count; i++, data += SIZE) {                  \
            const T v = at[i];                                                \
            if (BAD(v, total)) { FIX }                                        \
            memcpy(out + (ptrdiff_t)v * SIZE, data, (size_t)(SIZE));          \
        }                                                                     \
    }                                                                         \
    return -1;                                                                \
}
#define BY_SIGN(v, total) ((v) < 0 || (v) >= (total))
#define BY_SIZE(v, total) ((size_t)(v) >= (size_t)(total))
#define STITCH_END return i;
#define STITCH_ON  continue;

#define STITCH_BOTH(SIZE)                                                     \
    STITCH_LOOP(stitch32_##SIZE, int32_t, SIZE, BY_SIGN, STITCH_END)          \
    STITCH_LOOP(stitch64_##SIZE, int64_t, SIZE, BY_SIGN, STITCH_END)
FEW_SIZES(STITCH_BOTH)
STITCH_LOOP(stitch32_memcpy, int32_t, row, BY_SIGN, STITCH_END)
STITCH_LOOP(stitch64_memcpy, int64_t, row, BY_SIGN, STITCH_END)

static stitch_fn *find_stitch(ptrdiff_t row, int width)
{
    switch (row) {
#define STITCH_CASE(SIZE) \
    case SIZE: return width == 8 ? stitch64_##SIZE : stitch32_##SIZE;
    FEW_SIZES(STITCH_CASE)
    default: return NULL;
    }
}

/* ---- dynamic_partition ---------------------------------------------------*/
#define COUNT_LOOP(name, T)                                                   \
NOINLINE ptrdiff_t name(const void *ids, ptrdiff_t n, ptrdiff_t parts,        \
                        ptrdiff_t *count)                                     \
{                                                                             \
    const T *idx = (const T *)ids;                                            \
    ptrdiff_t i;                                                              \
    memset(count, 0, (size_t)parts * sizeof *count);                          \
    for (i = 0; i < n; i++) {                                                 \
        if (idx[i] < 0 || idx[i] >= parts) return i;                          \
        count[idx[i]]++;                                                      \
    }                                                                         \
    return -1;                                                                \
}
COUNT_LOOP(count32, int32_t)
COUNT_LOOP(count64, int64_t)

/* The ids were checked when they were counted. */
#define MOVE_LOOP(name, T, SIZE, PLACE)                                       \
NOINLINE void name(byte **at, int32_t **place, const byte *data,              \
                   const void *ids, ptrdiff_t first, ptrdiff_t last,          \
                   ptrdiff_t row)                                             \
{                                                                             \
    const T *idx = (const T *)ids;                                            \
    ptrdiff_t i;                                                              \
    (void)row; (void)place;                                                   \
    for (i = first; i < last; i++) {                                          \
        const T v = idx[i];                                                   \
        memcpy(at[v], data + i * SIZE, (size_t)(SIZE));                       \
        at[v] += SIZE;                                                        \
        if (PLACE) *place[v]++ = (int32_t)i;                                  \
    }                                                                         \
}

#define MOVE_ALL(SIZE)                                                        \
    MOVE_LOOP(move32_##SIZE, int32_t, SIZE, 0)                                \
    MOVE_LOOP(move64_##SIZE, int64_t, SIZE, 0)                                \
    MOVE_LOOP(move32p_##SIZE, int32_t, SIZE, 1)                               \
    MOVE_LOOP(move64p_##SIZE, int64_t, SIZE, 1)
FEW_SIZES(MOVE_ALL)
MOVE_LOOP(move32_memcpy, int32_t, row, 0)
MOVE_LOOP(move64_memcpy, int64_t, row, 0)
MOVE_LOOP(move32p_memcpy, int32_t, row, 1)
MOVE_LOOP(move64p_memcpy, int64_t, row, 1)

static move_fn *find_move(ptrdiff_t row, int width, int positions)
{
#define MOVE_PICK(SIZE)                                                       \
    (positions ? (width == 8 ? move64p_##SIZE : move32p_##SIZE)               \
               : (width == 8 ? move64_##SIZE : move32_##SIZE))
    switch (row) {
#define MOVE_CASE(SIZE) case SIZE: return MOVE_PICK(SIZE);
    FEW_SIZES(MOVE_CASE)
    case 0:  return MOVE_PICK(memcpy);
    default: return NULL;
    }
}

#endif
