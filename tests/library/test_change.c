/* test_change.c - index_mask and index_add: (v & mask) + add is what is judged
 * and used, and v is what the report says. Small cases with their answers
 * written out, in every operation that has them; ndg_index_changed beside
 * 128-bit sums by hand; many rows beside a plain loop.
 *
 * params of shape [2,3] are abcdef; in an output '.' is a byte that stayed as
 * it was, '0' a zero byte, '#' the fill. A bad report reads "count position
 * component value extent". */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "tables.h"

/* ---- ndg_index_changed ---------------------------------------------------*/

/* An integer of 128 bits: high * 2^64 + low. */
typedef struct wide { int64_t high; uint64_t low; } wide;

static wide wide_of(int64_t v, int is_u64)
{
    wide w;
    w.low = (uint64_t)v;
    w.high = v < 0 && !is_u64 ? -1 : 0;
    return w;
}

/* The sum, a digit of 32 bits at a time. */
static wide wide_sum(wide a, wide b)
{
    const uint64_t digit = UINT64_C(0xFFFFFFFF);
    uint64_t       low = (a.low & digit) + (b.low & digit);
    uint64_t       high = (a.low >> 32) + (b.low >> 32) + (low >> 32);
    wide           sum;
    sum.low = (low & digit) | (high & digit) << 32;
    sum.high = a.high + b.high + (int64_t)(high >> 32);
    return sum;
}

/* The nearest that 64 bits hold, with a sign or without. */
static int64_t nearest(wide w, int *is_u64)
{
    *is_u64 = 0;
    if (w.high > 0) {
        *is_u64 = 1;
        return -1;
    }
    if (w.high < -1 || (w.high == -1 && w.low < (uint64_t)INT64_MIN))
        return INT64_MIN;
    *is_u64 = w.high == 0 && w.low > (uint64_t)INT64_MAX;
    return (int64_t)w.low;
}

static void see_changed(int64_t v, int is_u64, int64_t mask, int64_t add)
{
    int     got_u64 = is_u64, want_u64 = is_u64;
    int64_t got = ndg_index_changed(v, &got_u64, mask, add), want = v;
    if (mask) want &= mask;
    want_u64 = want < 0 && is_u64;      /* without the top bit it has a sign */
    want = nearest(wide_sum(wide_of(want, want_u64), wide_of(add, 0)),
                   &want_u64);
    CHECKF(got == want && !got_u64 == !want_u64,
           "(%lld%s & %lld) + %lld is %lld, u64 %d; not %lld, u64 %d",
           (long long)v, is_u64 ? " as a u64" : "", (long long)mask,
           (long long)add, (long long)got, got_u64, (long long)want, want_u64);
}

static void changed_at_the_edges(void)
{
    static const int64_t edge[] = {
        0, 1, 2, 31, 32, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
        INT32_MAX, INT64_C(1) << 31, INT64_C(0xFFFFFFFF), INT64_C(1) << 32,
        INT64_C(1) << 62, INT64_MAX - 1, INT64_MAX, -1, -2, -32, -128, -129,
        -256, -32768, -65536, INT32_MIN, -(INT64_C(1) << 32),
        -(INT64_C(1) << 62), INT64_MIN + 1, INT64_MIN, INT64_C(0x00FF00FF),
        INT64_C(0x5555555555555555), -INT64_C(0x5555555555555556)
    };
    enum { EDGES = sizeof edge / sizeof edge[0] };
    random_source some = { 1 };
    int           i, j, k;
    for (i = 0; i < EDGES; i++)
        for (j = 0; j < EDGES; j++)
            for (k = 0; k < EDGES; k++) {
                see_changed(edge[i], 0, edge[j], edge[k]);
                if (edge[i] < 0) see_changed(edge[i], 1, edge[j], edge[k]);
            }
    for (i = 0; i < 200000; i++) {
        const int     shift = random_below(&some, 64);
        const int64_t v = (int64_t)(random_bits(&some) >> shift);
        const int64_t mask = (int64_t)(random_bits(&some) >> (shift / 2));
        const int64_t add = (int64_t)random_bits(&some) >> (63 - shift);
        see_changed(v, v < 0 && shift < 2, i & 1 ? mask : 0, add);
    }
}

/* The same with both sides written out. */
static void changed_by_hand(void)
{
    static const struct {
        int64_t v; int u64; int64_t mask, add, want; int want_u64;
    } hand[] = {
        { 5, 0, 0, 0, 5, 0 }, { -5, 0, 0, 0, -5, 0 }, { -1, 1, 0, 0, -1, 1 },
        { 0x1234, 0, 0xFF, 0, 0x34, 0 }, { 0x1234, 0, 0xFF, 1, 0x35, 0 },
        { 'A', 0, 0, -32, 33, 0 }, { 31, 0, 0, -32, -1, 0 },
        { -1, 0, 0xFF, 0, 255, 0 }, { -1, 1, 0xFF, 0, 255, 0 },
        { -1, 0, -1, 0, -1, 0 }, { -1, 1, -1, 0, -1, 1 },
        { -2, 0, INT64_MAX, 0, INT64_MAX - 1, 0 },
        { -2, 1, INT64_MAX, 0, INT64_MAX - 1, 0 },
        { 7, 0, INT64_MIN, 3, 3, 0 }, { -7, 0, INT64_MIN, 0, INT64_MIN, 0 },
        { -7, 1, INT64_MIN, 0, INT64_MIN, 1 },
        /* up to 2^63 and over it: a uint64_t; over that: the largest */
        { INT64_MAX, 0, 0, 1, INT64_MIN, 1 },
        { INT64_MAX, 0, 0, INT64_MAX, -2, 1 },
        { INT64_MIN, 1, 0, 1, INT64_MIN + 1, 1 }, { -2, 1, 0, 1, -1, 1 },
        { -1, 1, 0, 1, -1, 1 }, { -1, 1, 0, INT64_MAX, -1, 1 },
        { -2, 1, 0, 2, -1, 1 },
        /* down from a uint64_t, and below INT64_MIN: the least */
        { INT64_MIN, 1, 0, -1, INT64_MAX, 0 }, { -1, 1, 0, -1, -2, 1 },
        { -1, 1, 0, INT64_MIN, INT64_MAX, 0 },
        { INT64_MIN, 1, 0, INT64_MIN, 0, 0 },
        { INT64_MIN, 0, 0, 0, INT64_MIN, 0 },
        { INT64_MIN, 0, 0, -1, INT64_MIN, 0 },
        { -1, 0, 0, INT64_MIN, INT64_MIN, 0 },
        { 0, 0, 0, INT64_MIN, INT64_MIN, 0 },
        { -1, 0, 0, INT64_MAX, INT64_MAX - 1, 0 },
        { INT64_MIN, 0, 0, INT64_MAX, -1, 0 },
        { INT64_MIN, 0, INT64_MAX, INT64_MAX, INT64_MAX, 0 }
    };
    size_t i;
    for (i = 0; i < sizeof hand / sizeof hand[0]; i++) {
        int     u64 = hand[i].u64;
        int64_t got = ndg_index_changed(hand[i].v, &u64, hand[i].mask,
                                        hand[i].add);
        CHECKF(got == hand[i].want && u64 == hand[i].want_u64,
               "line %d: %lld, u64 %d", (int)i, (long long)got, u64);
    }
}

/* ---- tables --------------------------------------------------------------*/

enum { ND = NDG_OP_GATHER_ND, G = NDG_OP_GATHER, BG = NDG_OP_BATCH_GATHER,
       S = NDG_OP_SCATTER_ND };

/* Of a scatter `out` is what out becomes with NDG_GAPS_KEEP, and `params` the
 * shape of out; data are letters as params are. */
typedef struct change_case {
    const char *name;
    int         op;
    const char *params;
    int         batch_dims, axis;
    const char *indices, *values;
    int64_t     mask, add;
    int         policy;
    const char *out, *bad;
    int         negative, status;
} change_case;

static const change_case table[] = {
    /* a handle: a generation above, a place below */
    { "handles", G, "3", 0, 0, "3", "258 512 769", 0xFF, 0, NDG_ERROR, "cab",
      "", 0, 0 },
    { "handles, a bad one", G, "3", 0, 0, "3", "258 515 769", 0xFF, 0,
      NDG_ZERO, "c0b", "1 1 0 515 3", 0, 0 },
    { "a generation of i8", G, "4", 0, 0, "4", "16 -13 34 -111", 3, 0,
      NDG_ERROR, "adcb", "", 0, 0 },
    { "a generation of u8", G, "4", 0, 0, "4", "240 255 1 130", 3, 0,
      NDG_ERROR, "adbc", "", 0, 0 },
    { "of u16", G, "4", 0, 0, "3", "65535 32769 256", 3, 0, NDG_ERROR, "dba",
      "", 0, 0 },
    { "of i32", G, "4", 0, 0, "3", "-2147483646 2147483647 -1", 3, 0,
      NDG_ERROR, "cdd", "", 0, 0 },
    { "of u32", G, "4", 0, 0, "3", "4294967295 4294967294 2147483648", 3, 0,
      NDG_ERROR, "dca", "", 0, 0 },
    { "of i64", G, "4", 0, 0, "3", MIN64 " " MAX64 " -2", 3, 0, NDG_ERROR,
      "adc", "", 0, 0 },
    { "of u64", G, "4", 0, 0, "3", MAXU " " HALF " 9223372036854775809", 3, 0,
      NDG_ERROR, "dab", "", 0, 0 },
    { "in a vector", ND, "2,3", 0, 0, "3,2", "16 34 49 0 17 18", 15, 0,
      NDG_ERROR, "cdf", "", 0, 0 },
    { "in a vector, bad", ND, "2,3", 0, 0, "3,2", "16 34 18 3 17 19", 15, 0,
      NDG_FILL, "c##", "2 1 0 18 2", 0, 0 },
    { "of rows", G, "3,2", 0, 0, "2", "98 64", 15, 0, NDG_ERROR, "efab", "", 0,
      0 },
    { "axis 1", G, "2,3", 0, 1, "2", "66 32", 15, 0, NDG_ERROR, "cafd", "", 0,
      0 },
    { "batch", G, "2,3", 1, 0, "2,2", "66 32 17 18", 15, 0, NDG_ERROR, "caef",
      "", 0, 0 },
    { "batch_gather", BG, "2,3", 0, 0, "2,1", "66 33", 15, 0, NDG_ERROR, "ce",
      "", 0, 0 },
    { "an empty mask is off", G, "3", 0, 0, "2", "2 1", 0, 0, NDG_ERROR, "cb",
      "", 0, 0 },
    { "all bits", G, "3", 0, 0, "2", "2 -1", -1, 0, NDG_KEEP, "c.",
      "1 1 0 -1 3", 0, 0 },
    /* a font that begins at ' ' */
    { "the font", G, "96", 0, 0, "4", "32 35 33 127", 0, -32, NDG_KEEP,
      "adb.", "1 3 0 127 26", 0, 0 },
    { "too low", G, "3", 0, 0, "3", "33 31 34", 0, -32, NDG_KEEP, "b.c",
      "1 1 0 31 3", 0, 0 },
    { "too high", G, "3", 0, 0, "3", "33 35 34", 0, -32, NDG_ERROR, "b.c",
      "1 1 0 35 3", 0, NDG_E_INDEX },
    { "by default", G, "3", 0, 0, "3", "33 2 34", 0, -32, NDG_DEFAULT, "b.c",
      "1 1 0 2 3", 0, NDG_E_INDEX },
    { "upwards", G, "3", 0, 0, "3", "-5 -4 -3", 0, 5, NDG_ERROR, "abc", "", 0,
      0 },
    { "upwards, bad", G, "3", 0, 0, "3", "-6 -5 -2", 0, 5, NDG_ZERO, "0a0",
      "2 0 0 -6 3", 0, 0 },
    { "u8 below 0", G, "3", 0, 0, "3", "0 31 32", 0, -32, NDG_ZERO, "00a",
      "2 0 0 0 3", 0, 0 },
    { "i8 beyond i8", G, "3", 0, 0, "2", "-128 127", 0, 128, NDG_ZERO, "a0",
      "1 1 0 127 3", 0, 0 },
    { "u8 beyond u8", G, "3", 0, 0, "2", "255 1", 0, 1, NDG_ZERO, "0c",
      "1 0 0 255 3", 0, 0 },
    { "i32 beyond i32", G, "3", 0, 0, "2", "2147483647 -1", 0, 1, NDG_ZERO,
      "0a", "1 0 0 2147483647 3", 0, 0 },
    { "u32 is not wrapped", G, "3", 0, 0, "2", "4294967295 1", 0, 1, NDG_ZERO,
      "0c", "1 0 0 4294967295 3", 0, 0 },
    { "an add of 2^32", G, "3", 0, 0, "3", "-4294967296 -4294967295 0", 0,
      INT64_C(1) << 32, NDG_ZERO, "ab0", "1 2 0 0 3", 0, 0 },
    { "minus 2^32 of u32", G, "3", 0, 0, "2", "4294967295 0", 0,
      -(INT64_C(1) << 32), NDG_ZERO, "00", "2 0 0 4294967295 3", 0, 0 },
    { "both", G, "3", 0, 0, "3", "289 290 34", 0xFF, -32, NDG_ERROR, "bcc", "",
      0, 0 },
    { "both, bad", G, "3", 0, 0, "3", "289 260 34", 0xFF, -32, NDG_FILL, "b#c",
      "1 1 0 260 3", 0, 0 },
    { "the mask comes first", G, "4", 0, 0, "2", "3 7", 3, 1, NDG_KEEP, "..",
      "2 0 0 3 4", 0, 0 },
    /* what 64 bits do not hold stays at the end */
    { "over the top", G, "3", 0, 0, "2", MAX64 " 0", 0, INT64_MAX, NDG_ZERO,
      "00", "2 0 0 " MAX64 " 3", 0, 0 },
    { "below the bottom", G, "3", 0, 0, "1", MIN64, 0, -1, NDG_ZERO, "0",
      "1 0 0 " MIN64 " 3", 0, 0 },
    { "max u64 and 1", G, "3", 0, 0, "1", MAXU, 0, 1, NDG_ZERO, "0",
      "1 0 0 " MAXU " 3", 0, 0 },
    { "down from 2^63", G, "3", 0, 0, "3",
      HALF " 9223372036854775809 9223372036854775810", 0, INT64_MIN, NDG_ERROR,
      "abc", "", 0, 0 },
    { "not down enough", G, "3", 0, 0, "1", MAXU, 0, INT64_MIN, NDG_ZERO, "0",
      "1 0 0 " MAXU " 3", 0, 0 },
    { "up from the least", G, "3", 0, 0, "1", MIN64, INT64_MIN, INT64_MAX,
      NDG_ZERO, "0", "1 0 0 " MIN64 " 3", 0, 0 },
    { "up by the most", G, "3", 0, 0, "3",
      "-9223372036854775807 -9223372036854775806 -9223372036854775805", 0,
      INT64_MAX, NDG_ERROR, "abc", "", 0, 0 },
    /* from the end, of what it has become */
    { "from the end", G, "3", 0, 0, "3", "31 30 29", 0, -32, NDG_ERROR, "cba",
      "", 1, 0 },
    { "from the end, bad", G, "3", 0, 0, "3", "31 28 35", 0, -32, NDG_ZERO,
      "c00", "2 1 0 28 3", 1, 0 },
    { "up to the end", G, "3", 0, 0, "2", "-6 -4", 0, 5, NDG_ERROR, "cb", "", 1,
      NDG_OK },
    { "masked, from no end", G, "4", 0, 0, "2", "-1 -2", 3, 0, NDG_ERROR, "dc",
      "", 1, 0 },
    { "max u64, all bits", G, "3", 0, 0, "1", MAXU, -1, 0, NDG_ZERO, "0",
      "1 0 0 " MAXU " 3", 1, 0 },
    { "a vector from its end", ND, "2,3", 0, 0, "2,2", "4 4 3 2", 0, -5,
      NDG_ERROR, "fa", "", 1, 0 },
    /* CLIP and WRAP take it as it has become */
    { "clipped", G, "3", 0, 0, "4", "31 32 34 99", 0, -32, NDG_CLIP, "aacc",
      "2 0 0 31 3", 0, 0 },
    { "clipped handles", G, "3", 0, 0, "2", "263 257", 0xFF, 0, NDG_CLIP, "cb",
      "1 0 0 263 3", 0, 0 },
    { "clipped, over the top", G, "3", 0, 0, "1", MAX64, 0, 1, NDG_CLIP, "c",
      "1 0 0 " MAX64 " 3", 0, 0 },
    { "clipped, below", G, "3", 0, 0, "1", MIN64, 0, INT64_MIN, NDG_CLIP, "a",
      "1 0 0 " MIN64 " 3", 0, 0 },
    { "clipped u64", G, "3", 0, 0, "1", MAXU, 0, INT64_MAX, NDG_CLIP, "c",
      "1 0 0 " MAXU " 3", 0, 0 },
    { "wrapped", G, "3", 0, 0, "5", "31 32 34 35 30", 0, -32, NDG_WRAP,
      "cacab", "3 0 0 31 3", 0, 0 },
    /* 2^63 is 2 modulo 3, 2^64 - 1 is 0, -2^63 is 1 */
    { "wrapped, over the top", G, "3", 0, 0, "1", MAX64, 0, 1, NDG_WRAP, "c",
      "1 0 0 " MAX64 " 3", 0, 0 },
    { "wrapped, below", G, "3", 0, 0, "1", MIN64, 0, -1, NDG_WRAP, "b",
      "1 0 0 " MIN64 " 3", 0, 0 },
    { "wrapped, max u64", G, "3", 0, 0, "1", MAXU, 0, 1, NDG_WRAP, "a",
      "1 0 0 " MAXU " 3", 0, 0 },
    { "wrapped, of a vector", ND, "2,3", 0, 0, "2,2", "7 7 5 4", 0, -5,
      NDG_WRAP, "cc", "2 0 0 7 2", 0, 0 },
    { "clipped over nothing", G, "0", 0, 0, "1", "32", 0, -32, NDG_CLIP, ".",
      "1 0 0 32 0", 0, NDG_E_INDEX },
    { "proved", G, "3", 0, 0, "3", "289 290 32", 0xFF, -32, NDG_ASSUME_VALID,
      "bca", "", 0, 0 },
    { "no slices", G, "3,0", 0, 0, "2", "33 35", 0, -32, NDG_ZERO, "",
      "1 1 0 35 3", 0, 0 },
    { "a scalar", G, "3", 0, 0, "", "33", 0, -32, NDG_ERROR, "b", "", 0, 0 },
    { "batch, bad", G, "2,3", 1, 0, "2,2", "66 35 17 18", 15, 0, NDG_ZERO,
      "c0ef", "1 1 0 35 3", 0, 0 },
    { "batch_gather, font", BG, "2,3", 0, 0, "2,2", "32 34 31 33", 0, -32,
      NDG_WRAP, "acfe", "1 2 0 31 3", 0, 0 },
    { "batch, vectors", ND, "2,3", 1, 0, "2,1", "34 33", 0, -32, NDG_ERROR,
      "ce", "", 0, 0 },
    /* scatter_nd */
    { "to handles", S, "4", 0, 0, "3,1", "259 512 769", 0xFF, 0, NDG_ERROR,
      "bc.a", "", 0, 0 },
    { "to a bad handle", S, "4", 0, 0, "3,1", "259 516 769", 0xFF, 0, NDG_DROP,
      ".c.a", "1 1 0 516 4", 0, 0 },
    { "to the font", S, "3,2", 0, 0, "2,1", "34 32", 0, -32, NDG_ERROR,
      "cd..ab", "", 0, 0 },
    { "to a vector", S, "2,3", 0, 0, "2,2", "17 34 16 32", 15, 0, NDG_ERROR,
      "b....a", "", 0, 0 },
    { "to a bad vector", S, "2,3", 0, 0, "2,2", "17 35 16 32", 15, 0,
      NDG_DEFAULT, "b.....", "1 0 1 35 3", 0, NDG_E_INDEX },
    { "to the end", S, "3", 0, 0, "2,1", "31 29", 0, -32, NDG_ERROR, "b.a", "",
      1, 0 },
    { "to below the end", S, "3", 0, 0, "2,1", "31 28", 0, -32, NDG_DROP,
      "..a", "1 1 0 28 3", 1, 0 },
    { "the last handle", S, "3", 0, 0, "3,1", "17 33 49", 15, 0, NDG_ERROR,
      ".c.", "", 0, 0 },
    { "to a batch", S, "2,3", 1, 0, "2,1,1", "34 33", 0, -32, NDG_ERROR,
      "..a.b.", "", 0, 0 },
    { "to i8", S, "4", 0, 0, "2,1", "-125 -16", 15, 0, NDG_ERROR, "b..a", "", 0,
      0 },
    { "to u64", S, "3", 0, 0, "3,1",
      HALF " 9223372036854775810 " MAXU, 0, INT64_MIN, NDG_DROP, "a.b",
      "1 2 0 " MAXU " 3", 0, 0 },
    { "to max u64 and 1", S, "3", 0, 0, "2,1", MAXU " 1", 0, 1, NDG_DROP,
      "..b", "1 0 0 " MAXU " 3", 0, 0 },
    { "to min i64", S, "3", 0, 0, "2,1", MIN64 " 1", 0, -1, NDG_DROP, "b..",
      "1 0 0 " MIN64 " 3", 0, 0 },
    { "to proved ones", S, "3", 0, 0, "2,1", "290 32", 0xFF, -32,
      NDG_ASSUME_VALID, "b.a", "", 0, 0 },
    { "to no slot", S, "0", 0, 0, "1,1", "32", 0, -32, NDG_DROP, "",
      "1 0 0 32 0", 0, 0 }
};

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

/* Out is what the case says; after an error good rows may be missing. */
static int is_right(const change_case *t, const unsigned char *out)
{
    size_t i, n = strlen(t->out);
    int    right = out[n] == '.';
    if (!t->status) return picture_is(out, t->out);
    for (i = 0; i < n; i++)
        right &= out[i] == '.' || out[i] == (unsigned char)t->out[i];
    return right;
}

/* What a call of case t gave. */
#define GAVE(how, exact)                                                      \
    CHECKF(r.status == t->status && is_right(t, out)                          \
           && bad_is(&r.bad, t->bad, exact)                                   \
           && r.bad.changed == (r.bad.count && (t->mask || t->add)),          \
           "%s, %s, %s: %.*s %s", t->name,                                    \
           index_name(type), how, (int)bytes, (char *)out, report_text(&r))

static void gather_one(const change_case *t, int type, const void *values,
                       const ptrdiff_t *p, int pr, const ptrdiff_t *x, int xr)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r = report_stale(), part;
    unsigned char   out[MOST];
    ptrdiff_t       bytes = (ptrdiff_t)strlen(t->out), i;
    d.params = ndg_dims(pr, p, 0);
    d.indices = ndg_dims(xr, x, 0);
    d.elem_size = 1;
    d.index_type = type;
    d.batch_dims = t->batch_dims;
    d.axis = t->axis;
    d.policy = t->policy;
    d.negative = t->negative;
    d.fill[0] = '#';
    d.index_mask = t->mask;
    d.index_add = t->add;
    memset(out, '.', sizeof out);
    call_of(t->op, out, bytes, alphabet, values, &d, &r);
    GAVE("one call", !t->status);
    i = plan_of(t->op, &plan, &d, &r);
    CHECKF(i == NDG_OK && plan.index_mask == t->mask
           && plan.index_add == t->add, "%s: plan: %s", t->name,
           report_text(&r));
    memset(out, '.', sizeof out);
    ndg_gather_run(&plan, out, bytes, alphabet, values, &r);
    GAVE("a plan", !t->status);
    memset(out, '.', sizeof out);
    memset(&r, 0, sizeof r);
    for (i = plan.rows; i-- > 0;) {
        ndg_gather_run_range(&plan, out, bytes, alphabet, values, i, i + 1,
                             &part);
        ndg_report_merge(&r, &part);
    }
    GAVE("each row", 1);
    ndg_gather_check(&plan, values, 0, plan.rows, &r);
    GAVE("a check", 1);
}

static void scatter_one(const change_case *t, int type, const void *values,
                        const ptrdiff_t *p, int pr, const ptrdiff_t *x, int xr)
{
    ndg_scatter_desc d = NDG_ZERO_INIT;
    ndg_scatter_plan plan;
    ndg_report       r = report_stale(), part;
    unsigned char    out[MOST];
    ptrdiff_t        bytes = (ptrdiff_t)strlen(t->out), i;
    d.out = ndg_dims(pr, p, 0);
    d.indices = ndg_dims(xr, x, 0);
    d.elem_size = 1;
    d.index_type = type;
    d.batch_dims = t->batch_dims;
    d.policy = t->policy;
    d.negative = t->negative;
    d.gaps = NDG_GAPS_KEEP;
    d.index_mask = t->mask;
    d.index_add = t->add;
    memset(out, '.', sizeof out);
    ndg_scatter_nd(out, bytes, alphabet, values, &d, &r);
    GAVE("one call", !t->status);
    i = ndg_plan_scatter_nd(&plan, &d, &r);
    CHECKF(i == NDG_OK && plan.by.index_mask == t->mask
           && plan.by.index_add == t->add, "%s: plan: %s", t->name,
           report_text(&r));
    memset(out, '.', sizeof out);
    ndg_scatter_run(&plan, out, bytes, alphabet, values, &r);
    GAVE("a plan", !t->status);
    memset(out, '.', sizeof out);
    memset(&r, 0, sizeof r);
    for (i = plan.slots; i-- > 0;) {
        ndg_scatter_run_range(&plan, out, bytes, alphabet, values, i, i + 1,
                              &part);
        ndg_report_merge(&r, &part);
    }
    if (plan.slots) GAVE("each slot", 0);
    ndg_scatter_check(&plan, values, 0, plan.by.rows, &r);
    GAVE("a check", 1);
}

static void tables(void)
{
    size_t i;
    int    type;
    for (i = 0; i < sizeof table / sizeof table[0]; i++)
        for (type = 0; type < INDEX_TYPES; type++) {
            const change_case *t = &table[i];
            unsigned char      values[MOST * 8];
            ptrdiff_t          p[4], x[4];
            int pr = dims_of(t->params, p), xr = dims_of(t->indices, x);
            if (!all_hold(type, t->values)) continue;
            if (pr == 1 && p[0] > 26) p[0] = 26;
            put_all(values, type, t->values);
            if (t->op == S) scatter_one(t, type, values, p, pr, x, xr);
            else gather_one(t, type, values, p, pr, x, xr);
        }
}

/* The sentence has v as it was found. */
static void words(void)
{
    static const uint8_t id[2] = { 'A', '#' };
    static const int64_t least[1] = { INT64_MIN };
    ndg_gather_desc      d = NDG_ZERO_INIT;
    ndg_scatter_desc     s = NDG_ZERO_INIT;
    ndg_report           r;
    char                 out[8], line[120];
    d.params = ndg_dims1(3);
    d.indices = ndg_dims1(2);
    d.elem_size = 1;
    d.index_type = NDG_U8;
    d.index_add = -32;
    CHECK(ndg_gather(out, 2, "abc", id, &d, &r) == NDG_E_INDEX);
    CHECK(r.bad.value == 65 && r.bad.extent == 3 && !r.bad.is_u64
          && r.bad.changed);
    ndg_report_text(line, sizeof line, &r, &d.indices);
    CHECK(!strcmp(line, "gather: indices[0] = 65, by index_mask and "
                        "index_add, is not in [0, 3); at least 2 bad")
          || !strcmp(line, "gather: indices[0] = 65, by index_mask and "
                           "index_add, is not in [0, 3)"));
    s.out = ndg_dims1(3);
    s.indices = ndg_dims2(1, 1);
    s.elem_size = 1;
    s.index_type = NDG_I64;
    s.index_mask = INT64_MIN;
    s.index_add = INT64_MAX;
    CHECK(ndg_scatter_nd(out, 3, "a", least, &s, &r) == NDG_E_INDEX);
    CHECK(r.bad.value == INT64_MIN && r.bad.extent == 3);
    ndg_report_text(line, sizeof line, &r, &s.indices);
    CHECK(!strcmp(line, "scatter_nd: indices[0] component 0 = "
                        "-9223372036854775808, by index_mask and index_add, "
                        "is not in [0, 3)"));
    s.index_mask = s.index_add = 0;
    CHECK(ndg_scatter_nd(out, 3, "a", least, &s, &r) == NDG_E_INDEX
          && !r.bad.changed);
    ndg_report_text(line, sizeof line, &r, &s.indices);
    CHECK(!strcmp(line, "scatter_nd: indices[0] component 0 = "
                        "-9223372036854775808 is not in [0, 3)"));
}

/* ---- many rows -----------------------------------------------------------*/

enum { ROWS = 5000, EXTENT = 90 };

static unsigned char many_at[ROWS * 8], many_rows[EXTENT * 16];
static unsigned char many_out[ROWS * 16], many_want[ROWS * 16];

/* a - b, wrapped. */
static int64_t less(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Where v goes: 0 ... EXTENT-1, -1: nowhere, and whether it is bad. */
static int goes_to(int64_t v, int is_u64, int64_t mask, int64_t add,
                   int policy, int from_end, int *bad)
{
    wide w;
    if (mask) v &= mask;
    w = wide_sum(wide_of(v, v < 0 && is_u64), wide_of(add, 0));
    v = nearest(w, &is_u64);
    *bad = 0;
    if (from_end && !is_u64 && v < 0 && v >= -EXTENT) v += EXTENT;
    if (!is_u64 && v >= 0 && v < EXTENT) return (int)v;
    *bad = 1;
    if (policy == NDG_CLIP) return v < 0 && !is_u64 ? 0 : EXTENT - 1;
    if (policy != NDG_WRAP) return -1;
    if (is_u64) return (int)((uint64_t)v % EXTENT);
    v %= EXTENT;
    return (int)(v < 0 ? v + EXTENT : v);
}

/* The rows that were gathered, back to where they came from. */
static void many_back(const ndg_gather_desc *d, ptrdiff_t bytes)
{
    static unsigned char table_want[EXTENT * 16], table_out[EXTENT * 16];
    const ptrdiff_t      w = index_bytes(d->index_type);
    ndg_scatter_desc     s = NDG_ZERO_INIT;
    ndg_report           r;
    ptrdiff_t            n;
    int                  is_u64, bad;
    memset(table_want, '.', sizeof table_want);
    memset(table_out, '.', sizeof table_out);
    for (n = 0; n < ROWS; n++) {
        int64_t v = index_get(many_at + n * w, d->index_type, &is_u64);
        int     at = goes_to(v, is_u64, d->index_mask, d->index_add, NDG_DROP,
                             d->negative, &bad);
        many_out[n * bytes] = (unsigned char)n;     /* to tell them apart */
        if (at >= 0) memcpy(table_want + at * bytes, many_out + n * bytes,
                            (size_t)bytes);
    }
    s.out = d->params;
    s.indices = d->indices;
    s.elem_size = 1;
    s.index_type = d->index_type;
    s.policy = d->policy;
    s.negative = d->negative;
    s.gaps = NDG_GAPS_KEEP;
    s.index_mask = d->index_mask;
    s.index_add = d->index_add;
    ndg_scatter_nd(table_out, EXTENT * bytes, many_out, many_at, &s, &r);
    CHECKF(!r.status && !memcmp(table_out, table_want, sizeof table_want),
           "scatter, %s of %ld bytes, policy %d: %s",
           index_name(d->index_type), (long)bytes, d->policy, report_text(&r));
}

static void many_of(int type, ptrdiff_t bytes, int policy, int from_end,
                    int64_t mask, int64_t add, random_source *some)
{
    const ptrdiff_t  w = index_bytes(type);
    ndg_gather_desc  d = NDG_ZERO_INIT;
    ndg_report       r, want, half;
    ndg_gather_plan  plan;
    ptrdiff_t        n, count = 0;
    int              is_u64, bad, at, wild = policy != NDG_ASSUME_VALID;
    memset(&want, 0, sizeof want);
    for (n = 0; n < ROWS; n++) {
        /* mostly what becomes good, at times any bits */
        int64_t v = less(random_below(some, EXTENT), add);
        if (mask) v = (v & mask) | ((int64_t)random_bits(some) & ~mask);
        if (wild && !random_below(some, 40)) v = (int64_t)random_bits(some);
        index_put(many_at + n * w, type, v);
        v = index_get(many_at + n * w, type, &is_u64);
        at = goes_to(v, is_u64, mask, add, policy, from_end, &bad);
        if (!wild && bad) {         /* another width, another value: proved */
            for (at = 0; at < 256; at++) {
                index_put(many_at + n * w, type, less(at, add));
                v = index_get(many_at + n * w, type, &is_u64);
                goes_to(v, is_u64, mask, add, policy, from_end, &bad);
                if (!bad) break;
            }
            if (bad) return;        /* there is none in this type */
            at = goes_to(v, is_u64, mask, add, policy, from_end, &bad);
        }
        if (bad && !count++) {
            want.bad.position = n;
            want.bad.value = v;
            want.bad.is_u64 = is_u64;
            want.bad.changed = (mask | add) != 0;
            want.bad.from_end = from_end && (type < NDG_U8 || add);
            want.bad.extent = EXTENT;
        }
        memset(many_want + n * bytes, policy == NDG_KEEP ? '.' :
               policy == NDG_FILL ? '#' : 0, (size_t)bytes);
        if (at >= 0) memcpy(many_want + n * bytes, many_rows + at * bytes,
                            (size_t)bytes);
    }
    want.bad.count = count;
    d.params = ndg_dims2(EXTENT, bytes);
    d.indices = ndg_dims1(ROWS);
    d.elem_size = 1;
    d.index_type = type;
    d.policy = policy;
    d.fill[0] = '#';
    d.negative = from_end ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
    d.index_mask = mask;
    d.index_add = add;
    memset(many_out, '.', sizeof many_out);
    ndg_gather(many_out, ROWS * bytes, many_rows, many_at, &d, &r);
    CHECKF(!r.status && !memcmp(many_out, many_want, (size_t)(ROWS * bytes))
           && bad_same(&r.bad, &want.bad, 1), "%s of %ld bytes, policy %d, "
           "mask %lld add %lld: %s", index_name(type), (long)bytes, policy,
           (long long)mask, (long long)add, report_text(&r));
    d.indices = ndg_dims2(ROWS, 1);             /* the same as vectors */
    CHECK(ndg_plan_gather_nd(&plan, &d, &r) == NDG_OK);
    memset(many_out, '.', sizeof many_out);
    n = random_below(some, ROWS + 1);
    ndg_gather_run_range(&plan, many_out, ROWS * bytes, many_rows, many_at, n,
                         ROWS, &r);
    ndg_gather_run_range(&plan, many_out, ROWS * bytes, many_rows, many_at, 0,
                         n, &half);
    ndg_report_merge(&r, &half);
    CHECKF(!r.status && !memcmp(many_out, many_want, (size_t)(ROWS * bytes))
           && bad_same(&r.bad, &want.bad, 1), "vectors, %s of %ld bytes, "
           "policy %d: %s", index_name(type), (long)bytes, policy,
           report_text(&r));
    CHECK(ndg_gather_check(&plan, many_at, 0, ROWS, &r) == NDG_OK
          && bad_same(&r.bad, &want.bad, 1));
    if (policy != NDG_KEEP && policy != NDG_ASSUME_VALID) return;
    if (policy == NDG_KEEP || !wild) many_back(&d, bytes);
}

static void many(void)
{
    static const ptrdiff_t bytes[6] = { 1, 2, 4, 8, 12, 16 };
    static const int policy[6] = { NDG_ZERO, NDG_FILL, NDG_CLIP, NDG_WRAP,
                                   NDG_KEEP, NDG_ASSUME_VALID };
    static const struct { int64_t mask, add; } change[8] = {
        { 0x7F, 0 }, { 0, -32 }, { 0x7F, -32 }, { 0, 3 }, { -1, 1 },
        { 0, INT64_MIN }, { INT64_MAX, 1 }, { 0x7F, INT64_C(1) << 33 }
    };
    random_source some = { 7 };
    int           type, b, p, c;
    random_fill(&some, many_rows, sizeof many_rows);
    for (type = 0; type < INDEX_TYPES; type++)
        for (b = 0; b < 6; b++)
            for (p = 0; p < 6; p++)
                for (c = 0; c < 8; c++)
                    many_of(type, bytes[b], policy[p], (b + c) & 1,
                            change[c].mask, change[c].add, &some);
}

/* Indices that count up are one copy, but not if they are changed: rows go to,
 * or come from, what they become. The last ones become bad. */
static void counting_up(void)
{
    static int32_t indices[300], data[300], out[300];
    ndg_scatter_desc d = NDG_ZERO_INIT;
    ndg_gather_desc  g = NDG_ZERO_INIT;
    ndg_report       r;
    int              i, status, wrong = 0;
    for (i = 0; i < 300; i++) {
        indices[i] = i;
        data[i] = 1000 + i;
    }
    d.out = ndg_dims1(300);
    d.indices = ndg_dims2(300, 1);
    d.elem_size = 4;
    d.index_add = 7;
    d.policy = NDG_DROP;
    status = ndg_scatter_nd(out, sizeof out, data, indices, &d, &r);
    for (i = 0; i < 300; i++) wrong += out[i] != (i < 7 ? 0 : 1000 + i - 7);
    CHECKF(status == NDG_OK && wrong == 0 && r.bad.count == 7
           && r.bad.position == 293 && r.bad.value == 293, "scattered: %d "
           "wrong, %d bad", wrong, (int)r.bad.count);
    d.policy = NDG_ERROR;
    CHECKF(ndg_scatter_nd(out, sizeof out, data, indices, &d, &r)
           == NDG_E_INDEX && r.bad.position == 293, "scattered, an error");
    g.params = g.indices = ndg_dims1(300);
    g.elem_size = 4;
    g.index_add = 7;
    g.policy = NDG_ZERO;
    status = ndg_gather(out, sizeof out, data, indices, &g, &r);
    for (wrong = i = 0; i < 300; i++)
        wrong += out[i] != (i < 293 ? 1007 + i : 0);
    CHECKF(status == NDG_OK && wrong == 0 && r.bad.count == 7, "gathered: %d "
           "wrong, %d bad", wrong, (int)r.bad.count);
}

int main(void)
{
    changed_by_hand();
    counting_up();
    changed_at_the_edges();
    tables();
    words();
    many();
    return test_end("test_change");
}
