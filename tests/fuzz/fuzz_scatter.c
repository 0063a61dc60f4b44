/* fuzz_scatter.c - scatter_nd, and indices that are masked and added to: plans
 * of any small shape, run whole, in ranges and in one call by each engine, and
 * compared with plain loops over coordinates (oracle.h). */
#include "fuzz.h"
#include "../lib/oracle.h"

#define CELLS_MOST 3000
#define SLOTS_MOST 300

typedef struct scatter_case {
    ndg_scatter_desc d;
    oracle_gather    g;                 /* params: out */
    array            out, indices, data, want;
    ndg_report       exact;
} scatter_case;

static scatter_case the;

static void print_case(void)
{
    const scatter_case *c = &the;
    printf("scatter: out rank %d, indices rank %d, type %d, batch %d, policy "
           "%d, negative %d, gaps %d, elem %ld, mask %llx, add %lld\n",
           c->out.rank, c->indices.rank, c->d.index_type, c->d.batch_dims,
           c->d.policy, c->d.negative, c->d.gaps, (long)c->out.elem,
           (unsigned long long)c->d.index_mask, (long long)c->d.index_add);
}

/* An array in one of the layouts that its role allows. */
static void take_array(input *in, array *a, int rank, const ptrdiff_t *dims,
                       ptrdiff_t elem, int output)
{
    static const int outs[4] = { LAYOUT_C, LAYOUT_PADDED, LAYOUT_PERMUTED,
                                 LAYOUT_EXPLICIT };
    const int layout = output ? outs[below(in, 4)] : below(in, LAYOUT_COUNT);
    int       i;
    array_shape(a, rank, dims, elem, layout, 0);
    for (i = 0; i < rank && !output && a->strided; i++)
        if (below(in, 8) == 7) a->stride[i] = 0;
    array_measure(a);
    array_alloc(a, below(in, 9), below(in, 9));
}

static int take_case(input *in, scatter_case *c)
{
    static const int     policy[4] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP,
                                       NDG_ASSUME_VALID };
    static const int64_t masks[8] = { 0, 0, 0, 3, 0xFF, INT64_MIN, -1,
                                      INT64_MAX };
    ptrdiff_t     out[6], at[6], to[6], cells = 1;
    const int     rank = 1 + below(in, 4), b = below(in, rank < 2 ? 1 : 2);
    const int     depth = below(in, rank - b + 1), rows = below(in, 3);
    const int     more = take(in), flags = take(in);
    random_source dice;
    int           i, n = 0, m = 0, k, way;
    memset(c, 0, sizeof *c);
    for (i = 0; i < rank; i++) out[i] = below(in, more & 1 ? 9 : 5);
    for (i = 0; i < b; i++) at[n++] = to[m++] = out[i];
    for (i = 0; i < rows; i++) at[n++] = to[m++] = below(in, more & 2 ? 40 : 6);
    at[n++] = depth;
    for (i = b + depth; i < rank; i++) to[m++] = out[i];
    for (i = 0; i < m; i++) cells *= to[i] ? to[i] : 1;
    for (i = 0; i < rank; i++) cells *= out[i] ? out[i] : 1;
    if (cells > 40 * CELLS_MOST) return 0;
    c->d.elem_size = take_elem(in);
    c->d.index_type = below(in, INDEX_TYPES);
    c->d.batch_dims = b;
    c->d.policy = policy[flags & 3];
    c->d.negative = flags >> 2 & 1;
    c->d.gaps = flags & 8 ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    c->d.index_mask = masks[below(in, 8)];
    if (flags & 16) c->d.index_add = (int8_t)take(in);
    if (flags & 32) c->d.index_add = (int64_t)take_number(in);
    take_array(in, &c->out, rank, out, c->d.elem_size, 1);
    take_array(in, &c->indices, n, at, index_bytes(c->d.index_type), 0);
    take_array(in, &c->data, m, to, c->d.elem_size, 0);
    dice.state = (uint64_t)take(in);
    random_fill(&dice, c->data.block, c->data.block_bytes);
    way = below(in, VALUES_WAYS);
    {
        ptrdiff_t at_[ARRAY_RANK] = { 0 }, j;
        for (j = 0; j < c->indices.size; j++) {
            k = (int)at_[n - 1];
            put_index(array_at(&c->indices, at_), c->d.index_type, out[b + k],
                      way, &dice, in);
            coords_next(n, c->indices.dim, at_);
        }
    }
    c->d.out = array_ndg(&c->out);
    c->d.indices = array_ndg(&c->indices);
    c->d.data = array_ndg(&c->data);
    c->g.op = NDG_OP_GATHER_ND;
    c->g.batch_dims = b;
    c->g.policy = c->d.policy;
    c->g.negative = c->d.negative;
    c->g.index_type = c->d.index_type;
    c->g.mask = c->d.index_mask;
    c->g.add = c->d.index_add;
    c->g.params = &c->out;
    c->g.indices = &c->indices;
    return 1;
}

static void compare(const scatter_case *c, int got, const ndg_report *r)
{
    ndg_report w = c->exact;
    const int  valid = c->d.policy == NDG_ASSUME_VALID;
    if (valid) memset(&w, 0, sizeof w);         /* bad rows are dropped */
    EXPECT(got == w.status && r->status == got, "got %d: %s, want %s", got,
           report_text(r), report_text(&w));
    EXPECT(bad_same(&r->bad, &w.bad, !got), "%s, want %s", report_text(r),
           report_text(&w));
    if (!got) EXPECT(array_same(&c->out, &c->want), "other bytes");
}

/* Ranges from the last to the first: the same bytes and report. */
static void run_ranges(const engine *e, scatter_case *c,
                       const ndg_scatter_plan *plan, const ptrdiff_t *cut,
                       int n)
{
    ndg_report sum = { 0 }, r;
    int        k;
    array_fresh(&c->out);
    for (k = n; k-- > 0;) {
        if (cut[k] == cut[k + 1] && plan->slots) continue;
        e->scatter_run_range(plan, c->out.base, c->out.high, c->data.base,
                             c->indices.base, cut[k], cut[k + 1], &r);
        e->report_merge(&sum, &r);
        if (!plan->slots) break;
    }
    compare(c, sum.status, &sum);
}

static void run_case(input *in, scatter_case *c)
{
    ndg_scatter_plan plan;
    ndg_report       r;
    ptrdiff_t        cut[4] = { 0, 0, 0, 0 };
    int              got, want = oracle_gather_status(&c->g);
    const ptrdiff_t  slots = want ? 0 : oracle_slots(&c->g);
    EXPECT(want == NDG_OK, "the case is wrong: %d", want);
    if (slots > SLOTS_MOST) return;
    array_twin(&c->want, &c->out);
    c->exact = oracle_gather_report(&c->g, 0, oracle_rows(&c->g));
    oracle_scatter_write(&c->g, &c->want, &c->data, 0, slots,
                         c->d.gaps == NDG_GAPS_ZERO);
    cut[3] = slots;
    cut[1] = below(in, (int)slots + 1);
    cut[2] = cut[1] + below(in, (int)(slots - cut[1]) + 1);
    for (turn = 0; turn < ENGINES; turn++) {
        const engine *e = engines[turn];
        got = e->plan_scatter_nd(&plan, &c->d, &r);
        EXPECT(got == NDG_OK && plan.slots == slots
               && plan.out_bytes == c->out.high, "plan: %s", report_text(&r));
        array_fresh(&c->out);
        got = e->scatter_run(&plan, c->out.base, c->out.high, c->data.base,
                             c->indices.base, &r);
        compare(c, got, &r);
        if (r.bad.count) say(e, &r, &c->d.indices);
        run_ranges(e, c, &plan, cut, 3);
        array_fresh(&c->out);
        got = e->scatter_nd(c->out.base, c->out.high, c->data.base,
                            c->indices.base, &c->d, &r);
        compare(c, got, &r);
        if (c->out.high > 0 && plan.by.run_bytes)
            EXPECT(e->scatter_fits(&plan, c->out.base, c->out.high - 1,
                                   c->data.base, c->indices.base, 0, slots, &r)
                   == NDG_E_CAPACITY, "a byte less: %s", report_text(&r));
        got = e->scatter_check(&plan, c->indices.base, 0, plan.by.rows, &r);
        EXPECT(c->d.policy == NDG_ASSUME_VALID || got == c->exact.status,
               "check: %d", got);
        EXPECT(bad_same(&r.bad, &c->exact.bad, 1), "check: %s",
               report_text(&r));
    }
    array_free(&c->want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = { data, data + size };
    describe = print_case;
    if (take_case(&in, &the)) {
        run_case(&in, &the);
        array_free(&the.out);
        array_free(&the.indices);
        array_free(&the.data);
    }
    return 0;
}
