/* test_engine_partition.c - every path of the loops of a partition, against
 * plain loops over rows: see engine.h. */
#ifndef TEST_NAME
#define TEST_NAME "test_engine_partition"
#endif
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "engine.h"

#define PARTS   1000
#define WORKERS 3

typedef struct deal {
    int       type, position_type, policy, positions;
    ptrdiff_t parts, rows, bytes, elem;
    ptrdiff_t data_row, index_row, out_row;
    ptrdiff_t margin;
    int       out_align, data_align, index_align;
    int64_t   v[MOST];
} deal;

/* The outputs lie in one block, `gap` bytes between them; so do positions. */
typedef struct dealer {
    const deal        *d;
    block              data, index, out, where;
    unsigned char     *data0, *want, *want_where;
    ptrdiff_t          count[PARTS];
    void              *outs[PARTS], *positions[PARTS];
    ptrdiff_t          limit[WORKERS * PARTS], cursor[WORKERS * PARTS];
    ndg_report         report;
    ndg_partition_plan plan;
} dealer;

static deal deal_new(int type, ptrdiff_t parts, ptrdiff_t bytes, ptrdiff_t rows)
{
    deal d;
    memset(&d, 0, sizeof d);
    d.type = type;
    d.position_type = random_below(&dice, INDEX_TYPES);
    if (index_bytes(d.position_type) == 1 && rows > 128)
        d.position_type = NDG_I32;
    d.positions = !one_in(3);
    d.parts = parts;
    d.rows = rows;
    d.bytes = d.data_row = d.out_row = bytes;
    d.elem = 1;
    d.index_row = index_bytes(type);
    d.margin = one_in(2) ? 0 : 64;
    d.out_align = random_align(64);
    d.data_align = random_align(16);
    d.index_align = random_align(8);
    return d;
}

static void deal_spread(deal *d)
{
    if (one_in(2)) d->out_row += 1 + random_below(&dice, 70);
    if (one_in(2)) d->index_row += 3;
    if (one_in(2)) d->data_row += 5;
    if (one_in(4)) d->data_row = -d->data_row;
    else if (one_in(6)) d->data_row = 0;
}

/* Ids: at random, in blocks, in turn, all the same. */
static void deal_ids(deal *d, int kind)
{
    ptrdiff_t most = d->parts, i;
    if (index_bytes(d->type) == 1 && most > 127) most = 127;
    for (i = 0; i < d->rows; i++)
        d->v[i] = kind == 0 ? random_below(&dice, (int)most)
                : kind == 1 ? i * most / d->rows
                : kind == 2 ? i % most : most - 1;
}

static int deal_holds(const deal *d, ptrdiff_t i)
{
    return d->v[i] >= 0 && d->v[i] < d->parts;
}

static void expect_bad_ids(dealer *t)
{
    const deal *d = t->d;
    ndg_bad    *b = &t->report.bad;
    ptrdiff_t   i;
    for (i = d->rows - 1; i >= 0; i--) {
        if (deal_holds(d, i)) continue;
        b->count++;
        b->position = i;
        b->value = d->v[i];
        b->is_u64 = d->type == NDG_U64 && d->v[i] < 0;
        b->extent = d->parts;
    }
    if (b->count) t->report.op = NDG_OP_DYNAMIC_PARTITION;
    if (b->count == 0 || d->policy == NDG_DROP) return;
    t->report.status = NDG_E_INDEX;
    t->report.operand = NDG_ARG_PARTITIONS;
}

/* Counts the parts and lays their outputs out. */
static void dealer_parts(dealer *t)
{
    const deal     *d = t->d;
    const ptrdiff_t size = index_bytes(d->position_type);
    const ptrdiff_t gap = d->margin ? 8 : 0;
    ptrdiff_t       i, k, out = 0, where = 0;
    memset(t->count, 0, sizeof t->count);
    for (i = 0; i < d->rows; i++)
        if (deal_holds(d, i)) t->count[d->v[i]]++;
    for (k = 0; k < d->parts; k++) {
        out += t->count[k] * d->out_row + gap;
        where += t->count[k] * size + gap;
    }
    t->out = block_new(out, d->out_align, d->margin, FRESH);
    t->where = block_new(where, d->index_align, d->margin, FRESH);
    for (k = out = where = 0; k < d->parts; k++) {
        t->outs[k] = t->out.at + out;
        t->positions[k] = t->where.at + where;
        out += t->count[k] * d->out_row + gap;
        where += t->count[k] * size + gap;
    }
}

static void expect_deal(dealer *t)
{
    const deal *d = t->d;
    ptrdiff_t   at[PARTS] = { 0 }, i;
    t->want = (unsigned char *)grab(t->out.size);
    t->want_where = (unsigned char *)grab(t->where.size);
    if (t->out.size) memset(t->want, FRESH, (size_t)t->out.size);
    if (t->where.size) memset(t->want_where, FRESH, (size_t)t->where.size);
    for (i = 0; i < d->rows; i++) {
        const int64_t k = d->v[i];
        if (!deal_holds(d, i)) continue;
        memcpy(t->want + ((unsigned char *)t->outs[k] - t->out.bytes)
               + at[k] * d->out_row, t->data0 + i * d->data_row,
               (size_t)d->bytes);
        if (d->positions)
            index_put(t->want_where
                      + ((unsigned char *)t->positions[k] - t->where.bytes)
                      + at[k] * index_bytes(d->position_type),
                      d->position_type, i);
        at[k]++;
    }
}

static void dealer_desc(const deal *d, ndg_partition_desc *desc)
{
    ptrdiff_t dims[2], strides[2];
    dims[0] = d->rows;
    dims[1] = d->bytes / d->elem;
    strides[0] = d->data_row;
    strides[1] = d->elem;
    memset(desc, 0, sizeof *desc);
    desc->data = ndg_dims(2, dims, strides);
    desc->partitions = ndg_strided1(d->rows, d->index_row);
    desc->out_stride = d->out_row == d->bytes ? 0 : d->out_row;
    desc->elem_size = d->elem;
    desc->num_partitions = d->parts;
    desc->index_type = d->type;
    desc->position_type = d->position_type;
    desc->policy = d->policy;
}

static void dealer_make(dealer *t, const deal *d)
{
    const ptrdiff_t    size = index_bytes(d->type);
    ndg_partition_desc desc;
    ptrdiff_t          low = 0, high = d->bytes, i;
    t->d = d;
    span_axis(&low, &high, d->rows, d->data_row);
    t->data = block_new(high - low, d->data_align, d->margin, 0);
    block_noise(&t->data, high - low);
    t->data0 = t->data.at - low;
    t->index = block_new((d->rows - 1) * d->index_row + size, d->index_align,
                         d->margin, one_in(2) ? 0 : 0xFF);
    for (i = 0; i < d->rows; i++)
        index_put(t->index.at + i * d->index_row, d->type, d->v[i]);
    memset(&t->report, 0, sizeof t->report);
    dealer_parts(t);
    expect_bad_ids(t);
    expect_deal(t);
    dealer_desc(d, &desc);
    CHECK(ndg_plan_partition(&t->plan, &desc, 0) == NDG_OK);
}

static void dealer_free(dealer *t)
{
    free(t->data.bytes);
    free(t->index.bytes);
    free(t->out.bytes);
    free(t->where.bytes);
    free(t->want);
    free(t->want_where);
}

static void deal_failed(const deal *d, const char *what)
{
    CHECKF(0, "partition, %s: %s, %s positions %d, policy %d; %ld rows of %ld"
           " bytes to %ld parts; apart %ld %ld; aligned %d %d %d, margin %ld",
           what, index_name(d->type), index_name(d->position_type),
           d->positions, d->policy, (long)d->rows, (long)d->bytes,
           (long)d->parts, (long)d->data_row, (long)d->out_row, d->out_align,
           d->data_align, d->index_align, (long)d->margin);
}

static void dealer_fresh(dealer *t)
{
    if (t->out.size) memset(t->out.bytes, FRESH, (size_t)t->out.size);
    if (t->where.size) memset(t->where.bytes, FRESH, (size_t)t->where.size);
}

/* After an error, places may be as they were, a row and its position each. */
static void forgive_deal(dealer *t)
{
    const deal     *d = t->d;
    const ptrdiff_t size = index_bytes(d->position_type);
    ptrdiff_t       k, i;
    for (k = 0; k < d->parts; k++)
        for (i = 0; i < t->count[k]; i++) {
            unsigned char  *row = (unsigned char *)t->outs[k] + i * d->out_row;
            unsigned char  *p = (unsigned char *)t->positions[k] + i * size;
            if (is_all(row, d->bytes, FRESH))
                memcpy(row, t->want + (row - t->out.bytes), (size_t)d->bytes);
            if (d->positions && is_all(p, size, FRESH))
                memcpy(p, t->want_where + (p - t->where.bytes), (size_t)size);
        }
}

static void dealer_judge(dealer *t, const ndg_report *r)
{
    const int bad = t->report.status == NDG_E_INDEX;
    int       good;
    if (t->report.status) forgive_deal(t);
    good = !memcmp(t->out.bytes, t->want, (size_t)t->out.size)
        && !memcmp(t->where.bytes, t->want_where, (size_t)t->where.size);
    if (good) CHECK(1);
    else deal_failed(t->d, "bytes");
    good = report_same(r, &t->report, 0)
        && count_fits(&r->bad, &t->report.bad, !bad);
    if (good) CHECK(1);
    else deal_failed(t->d, report_text(r));
}

/* Counts of the ranges cut[0] ... cut[n], made into limits. */
static void dealer_count(dealer *t, const ptrdiff_t *cut, int n)
{
    const deal *d = t->d;
    ndg_report  sum = NDG_ZERO_INIT, r;
    ptrdiff_t  *count = t->limit, i, k;
    int         w, good = 1;
    for (w = 0; w < n; w++, count += d->parts) {
        r = report_stale();
        ndg_partition_count(&t->plan, t->index.at, cut[w], cut[w + 1], count,
                            &r);
        ndg_report_merge(&sum, &r);
        for (i = cut[w]; i < cut[w + 1]; i++)
            if (deal_holds(d, i)) count[d->v[i]]--;
        for (k = 0; k < d->parts; k++) good = good && count[k] == 0;
        for (i = cut[w]; i < cut[w + 1]; i++)
            if (deal_holds(d, i)) count[d->v[i]]++;
    }
    if (good && report_same(&sum, &t->report, 1)) CHECK(1);
    else deal_failed(d, "count");
    ndg_partition_starts(t->limit, t->cursor, n, d->parts);
}

static void dealer_ranges(dealer *t, const ptrdiff_t *cut, int n, int backward)
{
    const ptrdiff_t parts = t->d->parts;
    void *const    *positions = t->d->positions ? t->positions : 0;
    ndg_report      sum = NDG_ZERO_INIT, r;
    int             w, k;
    dealer_fresh(t);
    dealer_count(t, cut, n);
    for (k = 0; k < n; k++) {
        w = backward ? n - 1 - k : k;
        r = report_stale();
        if (ndg_partition_run_range(&t->plan, t->outs, positions, t->data0,
                                    t->index.at, cut[w], cut[w + 1],
                                    t->cursor + w * parts,
                                    t->limit + w * parts, &r) != r.status)
            deal_failed(t->d, "status");
        ndg_report_merge(&sum, &r);
    }
    if (!sum.status && memcmp(t->cursor, t->limit, (size_t)n * (size_t)parts
                              * sizeof *t->cursor))
        deal_failed(t->d, "cursors");
    dealer_judge(t, &sum);
}

/* The ranges one after the other, each with all the room that is left. */
static void dealer_chain(dealer *t, const ptrdiff_t *cut, int n)
{
    void *const *positions = t->d->positions ? t->positions : 0;
    ndg_report   sum = NDG_ZERO_INIT, r;
    int          w;
    if (t->report.status) return;
    dealer_fresh(t);
    memset(t->cursor, 0, (size_t)t->d->parts * sizeof *t->cursor);
    for (w = 0; w < n; w++) {
        ndg_partition_run_range(&t->plan, t->outs, positions, t->data0,
                                t->index.at, cut[w], cut[w + 1], t->cursor,
                                t->count, &r);
        ndg_report_merge(&sum, &r);
    }
    if (memcmp(t->cursor, t->count, (size_t)t->d->parts * sizeof *t->cursor))
        deal_failed(t->d, "cursors of a chain");
    dealer_judge(t, &sum);
}

static void dealer_run(dealer *t)
{
    const deal  *d = t->d;
    void *const *positions = d->positions ? t->positions : 0;
    ndg_report   r = report_stale();
    int          good;
    dealer_fresh(t);
    ndg_partition_run(&t->plan, t->outs, positions, t->data0, t->index.at,
                      d->rows, t->count, t->cursor, &r);
    good = r.status || !memcmp(t->cursor, t->count,
                               (size_t)d->parts * sizeof *t->cursor);
    if (!good) deal_failed(d, "cursors");
    dealer_judge(t, &r);
}

static void dealer_one_call(dealer *t)
{
    const deal        *d = t->d;
    ndg_partition_desc desc;
    ndg_report         r = report_stale();
    dealer_fresh(t);
    dealer_desc(d, &desc);
    ndg_dynamic_partition(t->outs, d->positions ? t->positions : 0, t->count,
                          t->cursor, t->data0, t->index.at, &desc, &r);
    if (memcmp(t->cursor, t->count, (size_t)d->parts * sizeof *t->cursor))
        deal_failed(d, "counts");
    dealer_judge(t, &r);
}

static dealer the_dealer;

static void deal_check(const deal *d, int cuts)
{
    dealer   *t = &the_dealer;
    ptrdiff_t cut[4] = { 0, 0, 0, 0 }, at;
    dealer_make(t, d);
    dealer_run(t);
    if (one_in(4)) dealer_one_call(t);
    for (at = 0; at <= d->rows; at++) {
        if (!cuts) at = random_below(&dice, (int)d->rows + 1);
        cut[1] = at;
        cut[2] = d->rows;
        dealer_ranges(t, cut, 2, at & 1);
        dealer_chain(t, cut, 2);
        if (!cuts) break;
        cut[2] = at + random_below(&dice, (int)(d->rows - at) + 1);
        cut[3] = d->rows;
        if (at % 7 == 0) dealer_ranges(t, cut, 3, one_in(2));
    }
    dealer_free(t);
}

static const ptrdiff_t part_counts[] = { 1, 2, 3, 8, 64, 65, 256, 1000 };
static const ptrdiff_t deal_rows[] = { 1, 7, 63, 64, 65, 127, 128, 129, 200 };

/* Rows of every size to few parts and to many. */
static void test_partition_sizes(void)
{
    int s, i;
    for (s = 1; s <= 300; s++)
        for (i = 0; i < 24; i++) {
            deal d = deal_new((i + s) % INDEX_TYPES,
                              part_counts[i % (i < 20 ? 5 : 8)], s,
                              deal_rows[(i / 2 + s) % COUNT(deal_rows)]);
            d.out_align = (24 * s + i) % 64;
            d.elem = s % 8 == 0 && one_in(2) ? 8 : 1;
            deal_ids(&d, (i + s / 3) % 4);
            if (one_in(3)) deal_spread(&d);
            deal_check(&d, 0);
        }
}

/* Every number of parts with every type of id and of position. */
static void test_partition_types(void)
{
    static const ptrdiff_t sizes[] = { 1, 4, 8, 12, 16, 20, 32, 64 };
    int p, type, position;
    for (p = 0; p < COUNT(part_counts); p++)
        for (type = 0; type < INDEX_TYPES; type++)
            for (position = 0; position < INDEX_TYPES; position++) {
                const int small = index_bytes(position) == 1;
                deal d = deal_new(type, part_counts[p],
                                  sizes[(p + type + position) % 8],
                                  small ? 128 : type % 2 ? 1000 : 321);
                d.position_type = position;
                d.positions = 1;
                deal_ids(&d, (type + position) % 4);
                deal_check(&d, 0);
            }
}

static void test_partition_bad(void)
{
    static const int policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP };
    int              at, kind, p;
    for (at = 0; at < 200; at++)
        for (kind = 0; kind < 4; kind++)
            for (p = 0; p < 3; p++) {
                deal d = deal_new((at + p) % INDEX_TYPES,
                                  part_counts[(at + kind) % 6],
                                  1 + random_below(&dice, 40), 200);
                d.policy = policies[p];
                deal_ids(&d, at % 4);
                d.v[at] = bad_value(d.type, d.parts, kind + 4 * (at & 1));
                if (one_in(3))
                    d.v[at / 2] = bad_value(d.type, d.parts, kind);
                deal_check(&d, 0);
            }
}

/* Small ones in all cuts, dropped rows among them. */
static void test_partition_cuts(void)
{
    static const int policies[] = { NDG_DEFAULT, NDG_DROP, NDG_ASSUME_VALID };
    int              i;
    for (i = 0; i < 60; i++) {
        deal d = deal_new(i % INDEX_TYPES, part_counts[i % 5],
                          1 + random_below(&dice, 80), 66 + i % 70);
        d.policy = policies[i % 3];
        deal_ids(&d, i / 3 % 4);
        if (i & 1) deal_spread(&d);
        if (i % 3 == 1)
            d.v[i] = bad_value(d.type, d.parts, i / 3 % BAD_KINDS);
        deal_check(&d, 1);
    }
}

/* One part too small by a row: no row is written past its end. */
static void test_partition_full(void)
{
    dealer   *t = &the_dealer;
    ptrdiff_t i, k, row;
    int       round;
    for (round = 0; round < 600; round++) {
        deal       d = deal_new(round % INDEX_TYPES, part_counts[round % 5],
                                1 + round % 100, 200);
        ndg_report r = report_stale();
        deal_ids(&d, round % 4);
        k = (ptrdiff_t)d.v[random_below(&dice, 200)];
        dealer_make(t, &d);
        for (i = row = 0; i < d.rows; i++) if (d.v[i] == k) row = i;
        i = t->count[k] - 1;
        memset(t->want + ((unsigned char *)t->outs[k] - t->out.bytes)
               + i * d.out_row, FRESH, (size_t)d.bytes);
        if (d.positions)
            memset(t->want_where
                   + ((unsigned char *)t->positions[k] - t->where.bytes)
                   + i * index_bytes(d.position_type), FRESH,
                   (size_t)index_bytes(d.position_type));
        t->count[k] = i;
        ndg_partition_run(&t->plan, t->outs, d.positions ? t->positions : 0,
                          t->data0, t->index.at, d.rows, t->count, t->cursor,
                          &r);
        t->report.status = NDG_E_CAPACITY;
        t->report.op = NDG_OP_DYNAMIC_PARTITION;
        t->report.operand = NDG_ARG_OUT;
        t->report.item = k;
        t->report.value = i;
        t->report.bound = i + 1;
        dealer_judge(t, &r);
        dealer_free(t);
    }
}

int main(void)
{
    noise_make();
    dice.state = UINT64_C(0x17cb41c4d18a7955);      /* as good as any */
    test_partition_sizes();
    test_partition_types();
    test_partition_bad();
    test_partition_cuts();
    test_partition_full();
    return test_end(TEST_NAME);
}
