/* indices.h - the index patterns of the benchmark. */
#ifndef NDG_BENCH_INDICES_H
#define NDG_BENCH_INDICES_H

#include "bench.h"

static uint32_t below(uint64_t limit)                 /* 0 ... limit-1 */
{
    return (uint32_t)((random64() >> 32) * limit >> 32);
}

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
        do r = low + below(low); while (fraction() * (double)r > (double)low);
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
        const uint32_t j = below((uint64_t)i + 1), t = v[i];
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
            at = below((uint64_t)rows);
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
        default:         v[i] = below((uint64_t)rows);
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
        v[i] = below((uint64_t)parts);
        if (pattern == SKEWED && below(10) != 0) v[i] = (uint32_t)parts / 2;
        if (pattern == SORTED) v[i] = (uint32_t)(i * parts / n);
    }
}

/* Writes number i of an index array of `width` bytes each. */
static void put_index(void *array, ptrdiff_t i, int width, int64_t v)
{
    if (width == 8) ((int64_t *)array)[i] = v;
    else            ((int32_t *)array)[i] = (int32_t)v;
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
