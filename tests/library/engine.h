/* engine.h - what test_engine_gather, _stitch and _partition share.
 *
 * They take every path of the loops that read, check and copy, against plain
 * loops over rows. What is done to an output is predicted for its whole block,
 * canaries before and after it, gaps between rows and all, and compared at
 * once. Half of the blocks end with the last byte of their array, for the
 * sanitizers. No table holds the bytes 0 and FRESH, so rows that are zero,
 * untouched or right are told apart. Include it after ndgather.h. */
#ifndef NDG_TEST_ENGINE_H
#define NDG_TEST_ENGINE_H

#include "../lib/test.h"
#include "../lib/oracle.h"

#define MOST   1024          /* index rows of a case */
#define NOISE  (1 << 20)     /* bytes of the largest table */
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static random_source dice;

HELPER int one_in(int n) { return random_below(&dice, n) == 0; }

/* ---- bytes ---------------------------------------------------------------*/

static unsigned char noise[NOISE];

HELPER void noise_make(void)
{
    ptrdiff_t i;
    random_fill(&dice, noise, NOISE);
    for (i = 0; i < NOISE; i++)
        if (noise[i] == 0 || noise[i] == FRESH) noise[i] ^= 0x3C;
}

HELPER int is_all(const unsigned char *p, ptrdiff_t n, int byte)
{
    return n == 0 || (p[0] == byte && !memcmp(p, p + 1, (size_t)n - 1));
}

/* An array in memory of its own: at an address of `align` modulo 64 with margin
 * bytes or more before it, or AT_FRONT of them; margin bytes after it. */
enum { AT_FRONT = -1 };

typedef struct block {
    unsigned char *bytes, *at;
    ptrdiff_t      size;
} block;

HELPER void *grab(ptrdiff_t n)
{
    void *p = malloc((size_t)n + !n);
    if (!p) {
        printf("out of memory\n");
        exit(2);
    }
    return p;
}

/* Where malloc will put it is guessed, from where it put the last; after two
 * wrong guesses there is room for any, and maybe more than margin behind. */
HELPER block block_new(ptrdiff_t span, int align, ptrdiff_t margin, int byte)
{
    static uintptr_t guess;
    const uintptr_t  least = (uintptr_t)margin, want = (uintptr_t)align;
    block            b;
    uintptr_t        lead = 0;
    int              tries;
    for (tries = align == AT_FRONT ? 3 : 0; tries < 3; tries++) {
        lead = tries < 2 ? least + ((want - least - guess) & 63) : least + 63;
        b.size = (ptrdiff_t)lead + span + margin;
        b.bytes = (unsigned char *)grab(b.size);
        guess = (uintptr_t)b.bytes & 63;
        if (tries == 2 || ((guess + lead) & 63) == want) break;
        free(b.bytes);
    }
    if (tries == 2) lead = least + ((want - least - guess) & 63);
    if (tries == 3) {
        lead = least;
        b.size = margin + span + margin;
        b.bytes = (unsigned char *)grab(b.size);
    }
    b.at = b.bytes + lead;
    if (b.size) memset(b.bytes, byte, (size_t)b.size);
    return b;
}

HELPER void block_noise(block *b, ptrdiff_t span)
{
    if (span > NOISE) exit(3);
    if (span == 0) return;
    memcpy(b->at, noise + random_bits(&dice) % (uint64_t)(NOISE - span + 1),
           (size_t)span);
}

HELPER int random_align(int n)
{
    return one_in(4) ? AT_FRONT : random_below(&dice, n);
}

HELPER void span_axis(ptrdiff_t *low, ptrdiff_t *high, ptrdiff_t extent,
                      ptrdiff_t stride)
{
    if (stride < 0) *low += (extent - 1) * stride;
    else *high += (extent - 1) * stride;
}

/* ---- bad indices ---------------------------------------------------------*/

HELPER int count_fits(const ndg_bad *got, const ndg_bad *want, int exact)
{
    if (exact) return got->count == want->count;
    return got->count >= 1 && got->count <= want->count;
}

HELPER int64_t type_max(int type)
{
    static const int64_t max[INDEX_TYPES] = {
        INT32_MAX, INT8_MAX, INT16_MAX, INT64_MAX,
        UINT8_MAX, UINT16_MAX, UINT32_MAX, -1
    };
    return max[type];
}

HELPER int64_t type_min(int type)
{
    static const int64_t min[INDEX_TYPES] = {
        INT32_MIN, INT8_MIN, INT16_MIN, INT64_MIN, 0, 0, 0, 0
    };
    return min[type];
}

#define BAD_KINDS 8

/* A value that extent makes bad, as far as the type can hold one. The last
 * kinds are good in their low half. */
HELPER int64_t bad_value(int type, ptrdiff_t extent, int kind)
{
    const ptrdiff_t size = index_bytes(type);
    const int64_t   half = (int64_t)1 << (size == 8 ? 32 : 4 * size);
    int64_t         v;
    switch (kind) {
    case 0:  v = extent; break;
    case 1:  v = -1; break;
    case 2:  v = type_min(type); break;
    case 3:  v = type_max(type); break;
    case 4:  v = -(int64_t)extent - 1; break;
    case 5:  v = size > 1 ? half + 1 : extent + 1; break;
    case 6:  v = size > 1 ? -half + 1 : -2; break;
    default: v = type == NDG_U64 ? INT64_MIN + 1 : 2 * (int64_t)extent; break;
    }
    if (index_holds(type, v, type == NDG_U64 && kind != 1 && kind != 6))
        return v;
    return index_holds(type, extent, 0) ? extent : type_max(type);
}

#endif
