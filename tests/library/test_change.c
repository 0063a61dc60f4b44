/* test_change.c - index_mask and index_add: (v & mask) + add is what is judged
 * and used, and v is what the report says. Here is ndg_index_changed, beside
 * sums of 128 bits and with both sides written out, and what a report says.
 * (Small cases are in test_tables, many rows in test_drawn.) */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include "../lib/oracle.h"

/* ---- ndg_index_changed ---------------------------------------------------*/

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

/* ---- reports -------------------------------------------------------------*/

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
    words();
    return test_end("test_change");
}
