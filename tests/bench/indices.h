/* indices.h - the indices of the benchmark: of any type, in any pattern. */
#ifndef NDG_BENCH_INDICES_H
#define NDG_BENCH_INDICES_H

#include "job.h"

/* ---- numbers of any type -------------------------------------------------*/
static ptrdiff_t below(ptrdiff_t limit)               /* 0 ... limit-1 */
{
    return (ptrdiff_t)((random64() >> 32) * (uint64_t)limit >> 32);
}

static const char *const type_name[8] = {
    "i32", "i8", "i16", "i64", "u8", "u16", "u32", "u64"
};
static const int type_width[8] = { 4, 1, 2, 8, 1, 2, 4, 8 };

static int is_signed(int type) { return type <= NDG_I64; }

/* The largest number of the type; of 64 bits, INT64_MAX. */
static int64_t largest(int type)
{
    const int bits = 8 * type_width[type] - is_signed(type);
    return bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

static void put_index(byte *at, int type, int64_t v)
{
    const uint8_t  v8 = (uint8_t)v;
    const uint16_t v16 = (uint16_t)v;
    const uint32_t v32 = (uint32_t)v;
    switch (type_width[type]) {
    case 1:  memcpy(at, &v8, 1);   break;
    case 2:  memcpy(at, &v16, 2);  break;
    case 4:  memcpy(at, &v32, 4);  break;
    default: memcpy(at, &v, 8);
    }
}

/* A uint64_t above INT64_MAX comes out negative: it is bad as well. */
static int64_t get_index(const byte *at, int type)
{
    int8_t   i8;
    int16_t  i16;
    int32_t  i32;
    int64_t  i64;
    uint16_t u16;
    uint32_t u32;
    switch (type) {
    case NDG_I8:  memcpy(&i8, at, 1);  return i8;
    case NDG_I16: memcpy(&i16, at, 2); return i16;
    case NDG_I32: memcpy(&i32, at, 4); return i32;
    case NDG_U8:  return *at;
    case NDG_U16: memcpy(&u16, at, 2); return u16;
    case NDG_U32: memcpy(&u32, at, 4); return u32;
    default:      memcpy(&i64, at, 8); return i64;
    }
}

/* A bad one: below zero if the type can, just past the end, or far past. */
static int64_t bad_index(int type, ptrdiff_t extent)
{
    const ptrdiff_t way = below(3);
    if (way == 0 && is_signed(type)) return -1 - below(2 * extent);
    if (way == 2) return largest(type) - below(50);
    return extent + below(4);
}

/* ---- patterns ------------------------------------------------------------*/
enum {
    UNIFORM, ZIPF, SEQUENTIAL, REVERSED, SORTED, EQUAL, RUNS, PERMUTATION,
    INTERLEAVE, TWICE, HOLES,         /* of a stitch */
    SKEWED                            /* of a partition: 90 % in one */
};
static const char *const pattern_name[] = {
    "uniform", "zipf", "sequential", "reversed", "sorted", "equal", "runs",
    "perm", "interleave", "twice", "holes", "skewed"
};

static double fraction(void)                          /* in [0, 1) */
{
    return (double)(random64() >> 11) / 9007199254740992.0;
}

/* A rank r >= 1 with a probability close to r^-1.05. An octave 2^j ... 2^(j+1)
 * weighs 2^-0.05 of the one before it; inside, 1/r is 3.5 % off at most. */
static uint64_t zipf(uint64_t limit)
{
    const double fall = 0.96593632892484554;          /* 2^-0.05 */
    uint64_t low, r;
    double   u, all = 1.0, part = 1.0;
    for (low = 1; low <= limit / 2; low *= 2) all += part *= fall;
    for (;;) {
        u = fraction() * all;
        for (low = 1, part = 1.0; u >= part && low <= limit / 2; low *= 2) {
            u -= part;
            part *= fall;
        }
        do r = low + (uint64_t)below((ptrdiff_t)low);
        while (fraction() * (double)r > (double)low);
        if (r <= limit) return r;
    }
}

/* Scatters ranks over the rows, so that popular rows are not neighbours. */
static uint32_t scattered(uint64_t r, uint64_t rows)
{
    r *= 0x9e3779b97f4a7c15u;
    r ^= r >> 29;
    r *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)((r >> 32) * rows >> 32);
}

static void shuffle(uint32_t *v, ptrdiff_t n)
{
    ptrdiff_t i;
    for (i = 0; i < n; i++) v[i] = (uint32_t)i;
    for (i = n - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)below(i + 1), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}

/* Runs of ascending rows, their lengths geometric with mean 8. */
static void short_runs(uint32_t *v, ptrdiff_t n, ptrdiff_t rows)
{
    uint32_t  at = 0;
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        if (i == 0 || at + 1 >= (uint64_t)rows || below(8) == 0)
            at = (uint32_t)below(rows);
        else
            at++;
        v[i] = at;
    }
}

/* n row numbers of 0 ... rows-1. */
static void pattern_rows(uint32_t *v, ptrdiff_t n, ptrdiff_t rows, int pattern)
{
    ptrdiff_t i, m = fewer(n, rows);
    switch (pattern) {
    case RUNS:        short_runs(v, n, rows);                        return;
    case PERMUTATION: shuffle(v, m);
                      for (i = m; i < n; i++) v[i] = v[i - m];
                      return;
    default: break;
    }
    for (i = 0; i < n; i++)
        switch (pattern) {
        case ZIPF:       v[i] = scattered(zipf((uint64_t)rows),
                                          (uint64_t)rows);           break;
        case SEQUENTIAL: v[i] = (uint32_t)(i % rows);                break;
        case REVERSED:   v[i] = (uint32_t)(rows - 1 - i % rows);     break;
        case SORTED:     v[i] = (uint32_t)(((double)i + fraction()) *
                                           (double)rows / (double)n); break;
        case EQUAL:      v[i] = (uint32_t)(rows / 2);                break;
        default:         v[i] = (uint32_t)below(rows);
        }
}

/* Output rows of a stitch: every row of *total by a permutation, or in `lists`
 * interleaved lists, or each twice, or every other one. */
static void stitch_rows(uint32_t *v, ptrdiff_t n, int pattern, int lists)
{
    ptrdiff_t i, m = n / lists;
    switch (pattern) {
    case INTERLEAVE:
        for (i = 0; i < n; i++) v[i] = (uint32_t)(i % m * lists + i / m);
        break;
    case TWICE:
        shuffle(v, n / 2);
        shuffle(v + n / 2, n / 2);
        break;
    default:
        shuffle(v, n);
        if (pattern == HOLES) for (i = 0; i < n; i++) v[i] = v[i] * 2 + 1;
    }
}

/* Partition ids: uniform, 90 % in one, or ascending. */
static void part_ids(uint32_t *v, ptrdiff_t n, int parts, int pattern)
{
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        v[i] = (uint32_t)below(parts);
        if (pattern == SKEWED && below(10) != 0) v[i] = (uint32_t)parts / 2;
        if (pattern == SORTED) v[i] = (uint32_t)(i * parts / n);
    }
}

/* How many bits of a bitmap in `scratch` the rows v[0 ... n-1] set. */
static ptrdiff_t distinct(const uint32_t *v, ptrdiff_t n, ptrdiff_t rows,
                          byte *scratch)
{
    ptrdiff_t i, found = 0;
    memset(scratch, 0, (size_t)(rows / 8 + 1));
    for (i = 0; i < n; i++) {
        const byte bit = (byte)(1 << v[i] % 8);
        found += !(scratch[v[i] / 8] & bit);
        scratch[v[i] / 8] |= bit;
    }
    return found;
}

#endif
