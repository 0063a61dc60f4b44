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

/* Rows by changed indices, beside what each alone should give: few and many,
 * by every type, where sums leave 32 bits and where negative ones count from
 * the end. */
enum { ROWS = 100, MOST = 700 };
static int32_t table[ROWS], out[MOST];

static void gather_changed(const ndg_gather_desc *d, const void *indices)
{
    const ptrdiff_t n = d->indices.dim[0], step = index_bytes(d->index_type);
    ptrdiff_t       i, bad = 0;
    ndg_report      r;
    for (i = 0; i < n; i++) out[i] = -7;
    ndg_gather(out, sizeof out, table, indices, d, &r);
    for (i = 0; i < n; i++) {
        int       u64, odd;
        int64_t   v = index_get((const char *)indices + i * step,
                                d->index_type, &u64);
        ptrdiff_t at;
        int32_t   want = d->policy == NDG_KEEP ? -7 : 0;
        v = oracle_changed(v, &u64, d->index_mask, d->index_add);
        at = oracle_index(v, u64, ROWS, d->policy, d->negative, &odd);
        bad += odd;
        if (at >= 0) want = table[at];
        CHECKF(out[i] == want, "type %d, mask %lld, add %lld, policy %d, "
               "negative %d, n %d: row %d is %d, not %d", d->index_type,
               (long long)d->index_mask, (long long)d->index_add, d->policy,
               d->negative, (int)n, (int)i, (int)out[i], (int)want);
    }
    CHECKF(r.status == NDG_OK && r.bad.count == bad,
           "status %d, %d bad, not %d", r.status, (int)r.bad.count, (int)bad);
}

static void gathers(void)
{
    static const int64_t masks[] = {
        0, 0x7F, 0xFFF, INT32_MAX, INT64_C(0xFFFFFFFF), -1, INT64_MIN
    };
    static const int64_t adds[] = {
        0, -32, 5, INT32_MAX, INT32_MIN, INT32_MAX / 2 + 1, INT32_MIN / 2 - 1,
        INT64_C(1) << 40
    };
    static const int     policies[] = {
        NDG_ZERO, NDG_CLIP, NDG_WRAP, NDG_KEEP
    };
    static const int     counts[] = { 1, 5, 40, MOST };
    static int64_t       indices[MOST];
    random_source        some = { 2 };
    int                  i, m, a, k;
    for (i = 0; i < ROWS; i++) table[i] = 1000 + i;
    for (m = 0; m < 7; m++) for (a = 0; a < 8; a++) for (k = 0; k < 64; k++) {
        ndg_gather_desc d = NDG_ZERO_INIT;
        ptrdiff_t       n = counts[k & 3];
        d.params = ndg_dims1(ROWS);
        d.indices = ndg_dims1(n);
        d.elem_size = sizeof *table;
        d.index_type = k >> 2 & 7;
        d.negative = k >> 5 & 1;
        d.policy = policies[random_below(&some, 4)];
        d.index_mask = masks[m];
        d.index_add = adds[a];
        for (i = 0; i < n; i++) {
            const int64_t v = (int64_t)(random_bits(&some)
                                        >> random_below(&some, 64));
            const int64_t near = random_below(&some, ROWS) - adds[a];
            index_put((char *)indices + i * index_bytes(d.index_type),
                      d.index_type, random_below(&some, 8) ? near : v);
        }
        gather_changed(&d, indices);
    }
}

int main(void)
{
    changed_by_hand();
    changed_at_the_edges();
    gathers();
    return test_end("test_change");
}
