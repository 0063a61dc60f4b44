/* test_change.c - index_mask and index_add: (v & mask) + add is what is judged
 * and used. Here is ndg_index_changed, beside sums of 128 bits and with both
 * sides written out. (What uses it is in test_tables and test_drawn, what is
 * said of it in test_report.) */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include "../lib/oracle.h"

static void see_changed(int64_t v, int is_u64, int64_t mask, int64_t add)
{
    int           got_u64 = is_u64, want_u64 = is_u64;
    const int64_t got = ndg_index_changed(v, &got_u64, mask, add);
    const int64_t want = oracle_changed(v, &want_u64, mask, add);
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

int main(void)
{
    changed_by_hand();
    changed_at_the_edges();
    return test_end("test_change");
}
