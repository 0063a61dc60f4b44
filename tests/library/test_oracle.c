/* test_oracle.c - thousands of random shapes against the oracle of oracle.h.
 *
 * Every form of every op, in random layouts, element sizes, index types and
 * policies, whole and in random ranges run in random order. A case comes from
 * its seed alone, and a failure prints it: `test_oracle SEED` runs only it. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include "../lib/oracle.h"

#ifndef ORACLE_CASES
#define ORACLE_CASES 150000
#endif

/* More rows than any test would ask for. */
#define TOO_MANY 1000

static random_source rnd;
static uint64_t      case_seed;
static int64_t       before;          /* the last index made */
static char          context[300];

#define SEE(ok)                                                               \
    CHECKF(ok, "seed %llu: %s: %s", (unsigned long long)case_seed, context,   \
           #ok)

/* The check may call what fills r: it comes first, the text after. */
#define SEE_REPORT(ok, r)                                                     \
    do {                                                                      \
        int seen_ = !!(ok);                                                   \
        CHECKF(seen_, "seed %llu: %s: %s: %s",                                \
               (unsigned long long)case_seed, context, #ok,                   \
               seen_ ? "" : report_text(r));                                  \
    } while (0)

static int roll(int n) { return random_below(&rnd, n); }

/* ---- random arrays -------------------------------------------------------*/

/* Extents are small, for every coordinate to matter, and now and then long,
 * to cross whatever the library does in chunks. */
static ptrdiff_t random_extent(void)
{
    if (!roll(150)) return 1 + roll(roll(2) ? 100 : 3000);
    return roll(14) ? 1 + roll(4) : 0;
}

/* Whether the oracle can do it before long. */
static int is_small(const ptrdiff_t *dims, int rank, ptrdiff_t most)
{
    double n = 1;
    int    i;
    for (i = 0; i < rank; i++) n *= (double)dims[i];
    return n <= (double)most;
}

/* Where n ranges of rows meet: cut[0] = 0 ... cut[n] = rows. */
static void random_cuts(ptrdiff_t *cut, int n, ptrdiff_t rows)
{
    int i;
    cut[0] = 0;
    cut[n] = rows;
    for (i = 1; i < n; i++)
        cut[i] = cut[i - 1] + roll((int)(rows - cut[i - 1]) + 1);
}

/* 0 ... n-1, shuffled inside out. */
static void random_order(int *order, int n)
{
    int i, k;
    for (i = 0; i < n; i++) {
        k = roll(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
}

/* Random strides. The first `fold` axes fold to one; an output's are positive
 * and nested, an input's may be negative or zero. */
static void random_strides(array *a, int fold, int output)
{
    int       order[ARRAY_RANK], inner = a->rank - fold, i, k;
    ptrdiff_t step = a->elem + (roll(3) ? 0 : roll(6));
    random_order(order, inner);
    for (i = 0; i < inner; i++) order[i] = a->rank - 1 - order[i];
    if (roll(3))
        for (i = 0; i < inner; i++) order[i] = a->rank - 1 - i;
    for (i = 0; i < inner; i++) {
        k = order[i];
        a->stride[k] = step;
        step *= a->dim[k] ? a->dim[k] : 1;
        if (!roll(3)) step += roll(7);
        if (output) continue;
        if (!roll(4)) a->stride[k] = -a->stride[k];
        if (!roll(9)) a->stride[k] = 0;
    }
    if (fold && !output && !roll(3)) step = -step;
    for (k = fold - 1; k >= 0; k--) {
        a->stride[k] = step;
        step *= a->dim[k] ? a->dim[k] : 1;
    }
    a->strided = 1;
    array_measure(a);
}

/* An array of these extents, strided or not, with or without margins. */
static void random_array(array *a, int rank, const ptrdiff_t *dims,
                         ptrdiff_t elem, int fold, int output)
{
    ptrdiff_t margin = roll(2) ? 0 : 1 + roll(16);
    array_shape(a, rank, dims, elem, LAYOUT_C, 0);
    if (roll(2)) random_strides(a, fold, output);
    array_alloc(a, margin, roll(2) ? 0 : margin);
    if (!output) random_fill(&rnd, a->block, a->block_bytes);
}

/* A value for an index: mostly good, sometimes not, by `mood`; in mood 4 in
 * runs that count up. */
static int64_t random_index(int type, ptrdiff_t extent, int mood, int from_end)
{
    static const int64_t edge[] = {
        INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, INT16_MIN, INT16_MAX,
        INT8_MIN, INT8_MAX, -1, UINT8_MAX, UINT16_MAX, UINT32_MAX, -2
    };
    int64_t v = extent ? roll((int)extent) : 0;
    if (mood == 4 && roll(30)) v = before + 1;
    before = v;
    if (mood == 4 && v < extent && index_holds(type, v, 0)) return v;
    if (from_end && extent && roll(2)) v -= extent;
    if ((mood == 1 || mood == 4) && !roll(20)) mood = 3;
    if (mood == 2 && !roll(2)) mood = 3;
    if (mood == 3) v = roll(3) ? v + roll(13) - 6 : edge[roll(13)];
    if (index_holds(type, v, type == NDG_U64)) return v;
    v = extent && !from_end && mood < 3 ? roll((int)extent) : roll(127);
    return index_holds(type, v, 0) ? v : roll(127);
}

static void random_indices(array *a, int type, int rank, const ptrdiff_t *dims,
                           int fold)
{
    random_array(a, rank, dims, index_bytes(type), fold, 0);
}

static ptrdiff_t random_elem(void)
{
    static const int usual[] = { 1, 2, 4, 8, 12, 16 };
    return roll(2) ? usual[roll(6)] : 1 + roll(40);
}

/* ---- gathers -------------------------------------------------------------*/

typedef struct gather_job {
    oracle_gather   g;
    ndg_gather_desc desc;
    array           params, indices, out, want;
    int             backwards;          /* params are the out of a scatter */
    unsigned char   fill[16];
    ptrdiff_t       rows;
    ndg_report      exact;
} gather_job;

static int plan_gather(const gather_job *j, ndg_gather_plan *p, ndg_report *r)
{
    if (j->g.op == NDG_OP_GATHER_ND) return ndg_plan_gather_nd(p, &j->desc, r);
    if (j->g.op == NDG_OP_GATHER) return ndg_plan_gather(p, &j->desc, r);
    return ndg_plan_batch_gather(p, &j->desc, r);
}

static int call_gather(const gather_job *j, ptrdiff_t bytes, ndg_report *r)
{
    const unsigned char *p = j->params.base, *x = j->indices.base;
    if (j->g.op == NDG_OP_GATHER_ND)
        return ndg_gather_nd(j->out.base, bytes, p, x, &j->desc, r);
    if (j->g.op == NDG_OP_GATHER)
        return ndg_gather(j->out.base, bytes, p, x, &j->desc, r);
    return ndg_batch_gather(j->out.base, bytes, p, x, &j->desc, r);
}

static int out_dims(const gather_job *j, ptrdiff_t *dims, int cap)
{
    if (j->g.op == NDG_OP_GATHER_ND)
        return ndg_gather_nd_out_dims(&j->desc, dims, cap);
    if (j->g.op == NDG_OP_GATHER)
        return ndg_gather_out_dims(&j->desc, dims, cap);
    return ndg_batch_gather_out_dims(&j->desc, dims, cap);
}

/* Random ranks, extents, batch_dims and axis that mostly fit each other. */
static int random_gather_shape(gather_job *j, int type)
{
    ptrdiff_t p[ARRAY_RANK], x[ARRAY_RANK];
    int       b = roll(3), depth = roll(5) ? 1 + roll(3) : roll(5);
    int       outer, tail = roll(3), rows = roll(roll(4) ? 3 : 5), pr = 0;
    int       xr = 0, i;
    outer = roll(2) * roll(3);
    if (j->g.op == NDG_OP_GATHER_ND) outer = 0;
    else depth = 1;
    if (j->g.op == NDG_OP_BATCH_GATHER) { outer = 0; rows = 1; }
    for (i = 0; i < b; i++) p[pr++] = x[xr++] = random_extent();
    for (i = 0; i < outer + depth + tail && pr < 6; i++)
        p[pr++] = random_extent();
    for (i = 0; i < rows; i++) x[xr++] = random_extent();
    if (j->g.op == NDG_OP_GATHER_ND) x[xr++] = depth;
    j->g.batch_dims = b;
    j->g.axis = b + outer;
    if (!roll(3)) j->g.axis -= pr;              /* counted from the end */
    if (!roll(3) && xr) j->g.batch_dims = b - xr;
    if (j->g.op == NDG_OP_GATHER_ND && j->g.batch_dims < 0) j->g.batch_dims = b;
    if (!outer && !roll(3)) j->g.axis = 0;
    if (!roll(8)) {                             /* anything may happen */
        pr = roll(5);
        xr = roll(4);
        for (i = 0; i < pr; i++) p[i] = roll(4);
        for (i = 0; i < xr; i++) x[i] = roll(4);
        j->g.batch_dims = roll(9) - 4;
        j->g.axis = roll(11) - 5;
    }
    if (j->g.op == NDG_OP_BATCH_GATHER) j->g.batch_dims = j->g.axis = 0;
    if (j->g.op == NDG_OP_GATHER_ND) j->g.axis = 0;
    if (!is_small(p, pr, 20000) || !is_small(x, xr, 5000)) return 0;
    random_array(&j->params, pr, p, random_elem(), 0, j->backwards);
    random_indices(&j->indices, type, xr, x, 0);
    return 1;
}

static void fill_indices(gather_job *j)
{
    ptrdiff_t c[ARRAY_RANK] = { 0 }, i;
    int       mood = roll(5), last = j->indices.rank - 1;
    if (j->g.policy == NDG_ASSUME_VALID) mood = 0;
    for (i = 0; i < j->indices.size; i++) {
        int       k = j->g.op == NDG_OP_GATHER_ND ? (int)c[last] : 0;
        ptrdiff_t extent = j->params.dim[j->g.a + k];
        int64_t   v = random_index(j->g.index_type, extent, mood,
                                   j->g.negative == NDG_NEGATIVE_FROM_END);
        if (mood == 0 && extent) {
            int bad;
            oracle_index(v, 0, extent, NDG_ERROR, j->g.negative, &bad);
            if (bad) v = roll(extent > 127 ? 127 : (int)extent);
        }
        if (j->g.mask) v = v < 128 ? v | roll(2) << 8 : v;
        if (j->g.add > -99 && j->g.add < 99 && v > -99 && v < 9999)
            v -= j->g.add;
        index_put(array_at(&j->indices, c), j->g.index_type, v);
        coords_next(j->indices.rank, j->indices.dim, c);
    }
}

/* Often none, else what a user or an enemy would give. */
static void random_change(gather_job *j)
{
    static const int64_t mask[] = { 0, 0, 0xFF, 0x7F, 3, INT64_MIN, -1,
                                    INT64_MAX, 0x00FFFFFF };
    static const int64_t add[] = { 0, 0, -32, 1, -1, 40, INT64_MAX, INT64_MIN,
                                   INT64_C(1) << 32 };
    j->g.mask = j->g.add = 0;
    if (!roll(3)) {
        j->g.mask = mask[roll(9)];
        j->g.add = add[roll(roll(3) ? 6 : 9)];
    }
    j->desc.index_mask = j->g.mask;
    j->desc.index_add = j->g.add;
}

/* What a refusal must say, where the manual is definite. */
static void see_gather_refusal(const gather_job *j, const ndg_report *r)
{
    const array *p = &j->params, *x = &j->indices;
    int          i;
    SEE_REPORT(r->op == j->g.op && !r->bad.count, r);
    if (r->status == NDG_E_RANK) {
        int at_params = p->rank < 1;
        SEE_REPORT(r->operand == (at_params ? NDG_ARG_PARAMS : NDG_ARG_INDICES)
                   && r->value == 0 && r->bound == 1, r);
    } else if (r->status == NDG_E_AXIS) {
        SEE_REPORT(r->value == j->g.axis && r->bound == p->rank, r);
    } else if (r->status == NDG_E_DEPTH) {
        SEE_REPORT(r->value == x->dim[x->rank - 1]
                   && r->bound == p->rank - j->g.batch_dims, r);
    } else if (r->status == NDG_E_BATCH_SHAPE) {
        for (i = 0; p->dim[i] == x->dim[i];) i++;
        SEE_REPORT(r->axis == i && r->value == x->dim[i]
                   && r->bound == p->dim[i], r);
    } else if (r->status == NDG_E_BATCH_DIMS && j->g.op == NDG_OP_GATHER_ND) {
        int who = j->g.b < 0 ? NDG_ARG_BATCH_DIMS
                : j->g.b >= x->rank ? NDG_ARG_INDICES : NDG_ARG_PARAMS;
        SEE_REPORT(r->operand == who && r->value == j->g.b, r);
    }
}

/* Every byte of out: rows that are good right or untouched, all else so. */
static void see_stopped_out(gather_job *j)
{
    ptrdiff_t     c[ARRAY_RANK] = { 0 }, i;
    unsigned char fresh[40];
    array         rest;
    memset(fresh, FRESH, sizeof fresh);
    array_twin(&rest, &j->out);
    for (i = 0; i < rest.size; i++, coords_next(rest.rank, rest.dim, c))
        if (!memcmp(array_at(&rest, c), array_at(&j->want, c),
                    (size_t)rest.elem))
            memcpy(array_at(&rest, c), fresh, (size_t)rest.elem);
    for (i = 0; i < rest.block_bytes && rest.block[i] == FRESH;) i++;
    SEE(i == rest.block_bytes);
    array_free(&rest);
}

/* A run's report: that of the oracle, and under ERROR at least one bad row. */
static void see_gather_report(const gather_job *j, const ndg_report *r,
                              int exact)
{
    const ndg_report *w = &j->exact;
    SEE_REPORT(r->status == w->status, r);
    if (!w->bad.count) { SEE_REPORT(report_clean(r), r); return; }
    SEE_REPORT(bad_same(&r->bad, &w->bad, exact || !w->status), r);
    SEE_REPORT(r->bad.count >= 1 && r->bad.count <= w->bad.count, r);
    if (w->status) SEE_REPORT(r->op == j->g.op, r);
}

static void see_gather_out(gather_job *j)
{
    if (j->exact.status) see_stopped_out(j);
    else SEE(array_same(&j->out, &j->want));
}

/* One range alone, with a buffer that ends where its rows end. */
static void see_gather_capacity(gather_job *j, const ndg_gather_plan *plan)
{
    ptrdiff_t  first = roll((int)j->rows + 1);
    ptrdiff_t  last = first + roll((int)(j->rows - first) + 1), need;
    ndg_report r = report_stale(), want;
    array      alone;
    array_twin(&alone, &j->out);
    array_fresh(&alone);
    array_fresh(&j->out);
    oracle_gather_write(&j->g, &alone, first, last, &need);
    want = oracle_gather_report(&j->g, first, last);
    if (need > 0) {
        SEE_REPORT(ndg_gather_run_range(plan, j->out.base, need - 1,
                                        j->params.base, j->indices.base, first,
                                        last, &r) == NDG_E_CAPACITY, &r);
        SEE_REPORT(r.value == need - 1 && r.bound == need
                   && r.operand == NDG_ARG_OUT && r.op == j->g.op, &r);
        SEE(j->out.block_bytes == 0 || j->out.block[0] == FRESH);
    }
    r = report_stale();
    SEE_REPORT(ndg_gather_run_range(plan, j->out.base, need, j->params.base,
                                    j->indices.base, first, last, &r)
               == want.status, &r);
    SEE_REPORT(bad_same(&r.bad, &want.bad, !want.status), &r);
    if (!want.status) SEE(array_same(&j->out, &alone));
    r = report_stale();
    SEE(ndg_gather_check(plan, j->indices.base, first, last, &r)
        == want.status);
    SEE_REPORT(bad_same(&r.bad, &want.bad, 1), &r);
    array_free(&alone);
}

/* out right before and after what a range reads of `in`, and a byte nearer. */
static void see_touching(gather_job *j, const ndg_gather_plan *plan,
                         const array *in, oracle_span read,
                         oracle_span written, ptrdiff_t first, ptrdiff_t last)
{
    ptrdiff_t      lead = in->base - in->block, room = j->out.high + 2;
    size_t         bytes = (size_t)(in->block_bytes + 2 * room);
    unsigned char *block = (unsigned char *)malloc(bytes);
    unsigned char *base = block + room + lead;
    int            side, over, is_params = in == &j->params;
    if (!block) exit(2);
    for (side = 0; side < 2; side++)
        for (over = 0; over < 2; over++) {
            ndg_report     r;
            unsigned char *out = side ? base + read.high - written.low - over
                                      : base + read.low - written.high + over;
            memset(block, FRESH, bytes);
            memcpy(block + room, in->block, (size_t)in->block_bytes);
            ndg_gather_run_range(plan, out, written.high,
                                 is_params ? base : j->params.base,
                                 is_params ? j->indices.base : base, first,
                                 last, &r);
            SEE_REPORT((r.status == NDG_E_OVERLAP) == over, &r);
            if (over)
                SEE_REPORT(r.operand == (is_params ? NDG_ARG_PARAMS
                                                   : NDG_ARG_INDICES), &r);
        }
    free(block);
}

static void see_gather_overlap(gather_job *j, const ndg_gather_plan *plan)
{
    ptrdiff_t   first = roll((int)j->rows + 1);
    ptrdiff_t   last = first + roll((int)(j->rows - first) + 1);
    oracle_span read, written, all;
    oracle_gather_spans(&j->g, &j->out, first, last, &read, &written);
    if (written.high < written.low) return;
    if (read.low < read.high)
        see_touching(j, plan, &j->indices, read, written, first, last);
    all.low = j->params.low;
    all.high = j->params.high;
    if (all.low < all.high)
        see_touching(j, plan, &j->params, all, written, first, last);
}

/* The rows in up to five ranges, in random order. */
static void see_gather_ranges(gather_job *j, const ndg_gather_plan *plan,
                              const ndg_report *whole)
{
    ptrdiff_t  cut[6];
    int        order[5], n = 1 + roll(5), i;
    ndg_report sum;
    memset(&sum, 0, sizeof sum);
    random_cuts(cut, n, j->rows);
    random_order(order, n);
    array_fresh(&j->out);
    for (i = 0; i < n; i++) {
        ndg_report r = report_stale();
        ndg_gather_run_range(plan, j->out.base, plan->out_bytes,
                             j->params.base, j->indices.base, cut[order[i]],
                             cut[order[i] + 1], &r);
        ndg_report_merge(&sum, &r);
    }
    see_gather_report(j, &sum, 0);
    SEE_REPORT(whole->status ? report_same_failure(&sum, whole)
                             : report_same(&sum, whole, 1), &sum);
    see_gather_out(j);
}

static void see_gather(gather_job *j)
{
    ndg_gather_plan plan;
    ndg_report      r = report_stale(), whole = report_stale();
    ptrdiff_t       dims[ARRAY_RANK] = { 0 };
    int             rank, i;
    SEE_REPORT(plan_gather(j, &plan, &r) == NDG_OK && report_clean(&r), &r);
    if (r.status) return;
    rank = out_dims(j, dims, ARRAY_RANK);
    SEE(rank == j->out.rank && plan.out_rank == rank);
    for (i = 0; i < j->out.rank; i++) SEE(dims[i] == j->out.dim[i]);
    SEE(plan.out_bytes == j->out.high && plan.rows == j->rows);
    SEE_REPORT(ndg_gather_run(&plan, j->out.base, plan.out_bytes,
                              j->params.base, j->indices.base, &whole)
               == j->exact.status, &whole);
    see_gather_report(j, &whole, 0);
    see_gather_out(j);
    r = report_stale();
    SEE(ndg_gather_check(&plan, j->indices.base, 0, j->rows, &r)
        == j->exact.status);
    see_gather_report(j, &r, 1);
    see_gather_ranges(j, &plan, &whole);
    see_gather_capacity(j, &plan);
    see_gather_overlap(j, &plan);
    array_fresh(&j->out);
    r = report_stale();
    SEE(call_gather(j, plan.out_bytes, &r) == j->exact.status);
    see_gather_report(j, &r, 0);
    see_gather_out(j);
}

static const char *const policy_name[] = {
    "default", "error", "zero", "fill", "clip", "wrap", "keep", "assume"
};

static void random_gather(void)
{
    gather_job j;
    ndg_report r = report_stale();
    ptrdiff_t  dims[ARRAY_RANK];
    int        want, rank = 0, type = roll(INDEX_TYPES);
    memset(&j, 0, sizeof j);
    j.g.op = NDG_OP_GATHER_ND + roll(3);
    j.g.index_type = type;
    j.g.policy = roll(8);
    j.g.negative = roll(2);
    while (!random_gather_shape(&j, type)) continue;
    if (j.params.elem > 16 && j.g.policy == NDG_FILL) j.g.policy = NDG_KEEP;
    random_fill(&rnd, j.fill, 16);
    j.g.fill = j.fill;
    j.g.params = &j.params;
    j.g.indices = &j.indices;
    memcpy(j.desc.fill, j.fill, 16);
    j.desc.params = array_ndg(&j.params);
    j.desc.indices = array_ndg(&j.indices);
    j.desc.elem_size = j.params.elem;
    j.desc.index_type = type;
    j.desc.batch_dims = j.g.batch_dims;
    j.desc.axis = j.g.axis;
    j.desc.policy = j.g.policy;
    j.desc.negative = j.g.negative;
    random_change(&j);
    sprintf(context, "op %d %s %s negative %d elem %d ranks %d %d batch %d "
            "axis %d mask %llx add %lld", j.g.op, index_name(type),
            policy_name[j.g.policy], j.g.negative, (int)j.params.elem,
            j.params.rank, j.indices.rank, j.g.batch_dims, j.g.axis,
            (unsigned long long)j.g.mask, (long long)j.g.add);
    want = oracle_gather_status(&j.g);
    if (!want) rank = oracle_gather_dims(&j.g, dims);
    if (!want && !is_small(dims, rank, 30000)) {
        array_free(&j.params);
        array_free(&j.indices);
        return;
    }
    if (want) {
        ndg_gather_plan plan;
        SEE_REPORT(plan_gather(&j, &plan, &r) == want && r.status == want, &r);
        see_gather_refusal(&j, &r);
        SEE(out_dims(&j, dims, ARRAY_RANK) == -1);
    } else {
        fill_indices(&j);
        random_array(&j.out, rank, dims, j.params.elem, 0, 1);
        if (j.out.strided) j.desc.out = array_ndg(&j.out);
        array_twin(&j.want, &j.out);
        j.rows = oracle_rows(&j.g);
        /* zero strides and overlaps may have made a good index bad */
        j.exact = oracle_gather_report(&j.g, 0, j.rows);
        if (j.g.policy == NDG_ASSUME_VALID && j.exact.bad.count)
            j.g.policy = j.desc.policy = NDG_KEEP;
        oracle_gather_write(&j.g, &j.want, 0, j.rows, 0);
        see_gather(&j);
        array_free(&j.out);
        array_free(&j.want);
    }
    array_free(&j.params);
    array_free(&j.indices);
}

/* ---- scatter_nd ----------------------------------------------------------*/

/* j.params is out here, and j.out is data. */
typedef struct scatter_job {
    gather_job       j;
    ndg_scatter_desc desc;
    ptrdiff_t        slots;
    int              clears;
} scatter_job;

static void see_scatter_report(const scatter_job *s, const ndg_report *r)
{
    ndg_report x = *r;
    if (x.op == NDG_OP_SCATTER_ND) x.op = s->j.g.op;
    else SEE_REPORT(x.op == NDG_OP_NONE, r);
    see_gather_report(&s->j, &x, 0);
}

static void see_scatter_out(const scatter_job *s, const array *want)
{
    if (!s->j.exact.status) SEE(array_same(&s->j.params, want));
}

/* Ranges in random order, and one alone with no byte to spare. */
static void see_scatter_ranges(scatter_job *s, const ndg_scatter_plan *plan,
                               const ndg_report *whole)
{
    array     *out = &s->j.params, alone;
    ptrdiff_t  cut[6];
    int        order[5], n = 1 + roll(5), i;
    ndg_report sum, r;
    memset(&sum, 0, sizeof sum);
    random_cuts(cut, n, s->slots);
    random_order(order, n);
    array_fresh(out);
    for (i = 0; i < n; i++) {
        ptrdiff_t first = cut[order[i]], last = cut[order[i] + 1];
        if (first == last && s->slots) continue;
        r = report_stale();
        ndg_scatter_run_range(plan, out->base, out->high, s->j.out.base,
                              s->j.indices.base, first, last, &r);
        ndg_report_merge(&sum, &r);
        if (!s->slots) break;
    }
    see_scatter_report(s, &sum);
    SEE_REPORT(whole->status ? report_same_failure(&sum, whole)
                             : report_same(&sum, whole, 1), &sum);
    see_scatter_out(s, &s->j.want);
    if (!s->slots || !out->size) return;
    array_twin(&alone, out);
    array_fresh(&alone);
    array_fresh(out);
    i = roll(n);
    oracle_scatter_write(&s->j.g, &alone, &s->j.out, cut[i], cut[i + 1],
                         s->clears);
    ndg_scatter_run_range(plan, out->base, out->high, s->j.out.base,
                          s->j.indices.base, cut[i], cut[i + 1], &r);
    see_scatter_out(s, &alone);
    array_free(&alone);
    if (n > 1) return;
    SEE_REPORT(ndg_scatter_run(plan, out->base, out->high - 1, s->j.out.base,
                               s->j.indices.base, &r) == NDG_E_CAPACITY
               && r.value == out->high - 1 && r.bound == out->high
               && r.operand == NDG_ARG_OUT, &r);
}

static void see_scatter(scatter_job *s)
{
    gather_job      *j = &s->j;
    ndg_scatter_plan plan;
    ndg_report       r = report_stale(), whole = report_stale();
    SEE_REPORT(ndg_plan_scatter_nd(&plan, &s->desc, &r) == NDG_OK
               && report_clean(&r), &r);
    if (r.status) return;
    s->slots = oracle_slots(&j->g);
    SEE(plan.out_bytes == j->params.high && plan.slots == s->slots
        && plan.by.rows == j->rows);
    SEE_REPORT(ndg_scatter_run(&plan, j->params.base, plan.out_bytes,
                               j->out.base, j->indices.base, &whole)
               == j->exact.status, &whole);
    see_scatter_report(s, &whole);
    see_scatter_out(s, &j->want);
    r = report_stale();
    SEE(ndg_scatter_check(&plan, j->indices.base, 0, j->rows, &r)
        == j->exact.status);
    see_scatter_report(s, &r);
    see_scatter_ranges(s, &plan, &whole);
    array_fresh(&j->params);
    r = report_stale();
    SEE(ndg_scatter_nd(j->params.base, plan.out_bytes, j->out.base,
                       j->indices.base, &s->desc, &r) == j->exact.status);
    see_scatter_report(s, &r);
    see_scatter_out(s, &j->want);
    if (j->out.high > j->out.low && j->params.size) {
        SEE(ndg_scatter_run(&plan, j->out.base + j->out.low, plan.out_bytes,
                            j->out.base, j->indices.base, &r)
            == NDG_E_OVERLAP);
        SEE_REPORT(r.operand == NDG_ARG_DATA && r.op == NDG_OP_SCATTER_ND, &r);
    }
}

static void random_scatter(void)
{
    static const int policy[3] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP };
    scatter_job s;
    gather_job *j = &s.j;
    ptrdiff_t   dims[ARRAY_RANK];
    ndg_report  r = report_stale();
    int         want, rank = 0, type = roll(INDEX_TYPES);
    memset(&s, 0, sizeof s);
    j->backwards = 1;
    j->g.op = NDG_OP_GATHER_ND;
    j->g.index_type = type;
    j->g.policy = policy[roll(3)];
    j->g.negative = roll(2);
    s.clears = roll(2);
    while (!random_gather_shape(j, type)) continue;
    j->g.params = &j->params;
    j->g.indices = &j->indices;
    random_change(j);
    s.desc.out = array_ndg(&j->params);
    s.desc.indices = array_ndg(&j->indices);
    s.desc.elem_size = j->params.elem;
    s.desc.index_type = type;
    s.desc.batch_dims = j->g.batch_dims;
    s.desc.policy = j->g.policy;
    s.desc.negative = j->g.negative;
    s.desc.gaps = s.clears ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    s.desc.index_mask = j->g.mask;
    s.desc.index_add = j->g.add;
    sprintf(context, "scatter %s policy %d negative %d elem %d ranks %d %d "
            "batch %d gaps %d mask %llx add %lld", index_name(type),
            j->g.policy, j->g.negative, (int)j->params.elem, j->params.rank,
            j->indices.rank, j->g.batch_dims, s.desc.gaps,
            (unsigned long long)j->g.mask, (long long)j->g.add);
    want = oracle_gather_status(&j->g);
    if (want) {
        ndg_scatter_plan plan;
        SEE_REPORT(ndg_plan_scatter_nd(&plan, &s.desc, &r) == want
                   && r.status == want && r.op == NDG_OP_SCATTER_ND, &r);
    } else if (rank = oracle_gather_dims(&j->g, dims),
               is_small(dims, rank, 4000) && oracle_slots(&j->g) < 200) {
        fill_indices(j);
        random_array(&j->out, rank, dims, j->params.elem, 0, 0);
        if (j->out.strided) s.desc.data = array_ndg(&j->out);
        array_twin(&j->want, &j->params);
        j->rows = oracle_rows(&j->g);
        j->exact = oracle_gather_report(&j->g, 0, j->rows);
        oracle_scatter_write(&j->g, &j->want, &j->out, 0, oracle_slots(&j->g),
                             s.clears);
        see_scatter(&s);
        array_free(&j->out);
        array_free(&j->want);
    }
    array_free(&j->params);
    array_free(&j->indices);
}

/* ---- gather_rows ---------------------------------------------------------*/

static void random_rows(void)
{
    gather_job j;
    ptrdiff_t  p[2], x[1], o[2], stride;
    ndg_report r = report_stale();
    int        type = roll(INDEX_TYPES);
    memset(&j, 0, sizeof j);
    j.g.op = NDG_OP_GATHER;
    j.g.index_type = type;
    do j.g.policy = roll(8); while (j.g.policy == NDG_FILL);
    p[0] = random_extent();
    p[1] = 1 + roll(40);
    x[0] = roll(3) ? roll(70) : roll(40) ? roll(4) : roll(2000);
    o[0] = x[0];
    o[1] = p[1];
    array_shape(&j.params, 2, p, 1, LAYOUT_C, 0);
    stride = roll(2) ? 0 : p[1] + roll(9);
    if (stride && !roll(3)) stride = -stride;
    if (stride) j.params.stride[0] = stride;
    array_measure(&j.params);
    array_alloc(&j.params, roll(5), 0);
    random_fill(&rnd, j.params.block, j.params.block_bytes);
    array_shape(&j.indices, 1, x, index_bytes(type), LAYOUT_C, 0);
    array_alloc(&j.indices, roll(5), 0);
    array_shape(&j.out, 2, o, 1, LAYOUT_C, 0);
    array_alloc(&j.out, roll(5), roll(5));
    array_twin(&j.want, &j.out);
    j.g.params = &j.params;
    j.g.indices = &j.indices;
    j.g.axis = 0;
    sprintf(context, "gather_rows %s %s rows %d of %d stride %d count %d",
            index_name(type), policy_name[j.g.policy], (int)p[0], (int)p[1],
            (int)stride, (int)x[0]);
    SEE(oracle_gather_status(&j.g) == NDG_OK);
    fill_indices(&j);
    j.exact = oracle_gather_report(&j.g, 0, x[0]);
    if (j.g.policy == NDG_ASSUME_VALID && j.exact.bad.count)
        j.g.policy = NDG_KEEP;
    oracle_gather_write(&j.g, &j.want, 0, x[0], 0);
    j.g.op = NDG_OP_GATHER_ROWS;
    SEE_REPORT(ndg_gather_rows(j.out.base, j.out.high, j.params.base, p[0],
                               p[1], stride, j.indices.base, type, x[0],
                               j.g.policy, &r) == j.exact.status, &r);
    see_gather_report(&j, &r, 0);
    see_gather_out(&j);
    if (j.out.high) {
        array_fresh(&j.out);
        SEE(ndg_gather_rows(j.out.base, j.out.high - 1, j.params.base, p[0],
                            p[1], stride, j.indices.base, type, x[0],
                            j.g.policy, &r) == NDG_E_CAPACITY);
        SEE_REPORT(r.value == j.out.high - 1 && r.bound == j.out.high
                   && r.op == NDG_OP_GATHER_ROWS, &r);
    }
    array_free(&j.params);
    array_free(&j.indices);
    array_free(&j.out);
    array_free(&j.want);
}

/* ---- stitch --------------------------------------------------------------*/

#define LISTS 4

typedef struct stitch_job {
    oracle_stitch    s;
    array            indices[LISTS], data[LISTS], out, want;
    ndg_stitch_input input[LISTS];
    ndg_list         list[LISTS];
    ndg_stitch_desc  desc;
    ndg_report       exact;
} stitch_job;

/* A run's report, with what scratch counts and without. */
static void see_stitch_report(const stitch_job *j, const ndg_report *r,
                              int with_scratch)
{
    const ndg_report *w = &j->exact;
    SEE_REPORT(r->status == w->status, r);
    if (w->status == NDG_E_INDEX) {
        SEE_REPORT(bad_same(&r->bad, &w->bad, 0) && r->bad.count >= 1
                   && r->bad.count <= w->bad.count
                   && r->op == NDG_OP_DYNAMIC_STITCH, r);
        return;
    }
    if (w->bad.count) SEE_REPORT(bad_same(&r->bad, &w->bad, 1), r);
    else SEE_REPORT(r->bad.count == 0, r);
    if (w->status == NDG_E_GAP)
        SEE_REPORT(r->value == w->rows.first_hole && r->bound == j->s.total, r);
    SEE_REPORT(r->rows.holes == (with_scratch ? w->rows.holes : 0)
               && r->rows.first_hole == (with_scratch ? w->rows.first_hole : 0)
               && r->rows.duplicates == (with_scratch ? w->rows.duplicates
                                                      : 0), r);
}

static void see_stitch_whole(stitch_job *j, const ndg_stitch_plan *plan,
                             int with_scratch, ndg_report *whole)
{
    ptrdiff_t bytes = with_scratch ? ndg_stitch_scratch_bytes(plan, j->s.total)
                                   : 0;
    void     *scratch = with_scratch ? malloc((size_t)bytes + !bytes) : 0;
    ptrdiff_t i;
    if (scratch) memset(scratch, 0xCC, (size_t)bytes);   /* need not be clear */
    array_fresh(&j->out);
    *whole = report_stale();
    ndg_stitch_run(plan, j->out.base, j->out.high, j->s.total, j->list, j->s.n,
                   scratch, bytes, whole);
    see_stitch_report(j, whole, with_scratch);
    if (j->exact.status == NDG_OK) {
        SEE(array_same(&j->out, &j->want));
    } else if (j->exact.status == NDG_E_GAP) {
        for (i = 0; i < j->out.block_bytes && j->out.block[i] == FRESH;) i++;
        SEE(i == j->out.block_bytes);
    }
    free(scratch);
}

static void see_stitch_ranges(stitch_job *j, const ndg_stitch_plan *plan,
                              int with_scratch, const ndg_report *whole)
{
    ptrdiff_t  cut[6];
    int        order[5], n = 1 + roll(5), i;
    ndg_report sum;
    if (!j->s.total) return;
    memset(&sum, 0, sizeof sum);
    random_cuts(cut, n, j->s.total);
    random_order(order, n);
    array_fresh(&j->out);
    for (i = 0; i < n; i++) {
        ptrdiff_t  first = cut[order[i]], last = cut[order[i] + 1], bytes;
        ndg_report r = report_stale();
        void      *scratch;
        if (first == last) continue;    /* only one range has row 0 */
        bytes = with_scratch ? ndg_stitch_scratch_bytes(plan, last - first)
                             : 0;
        scratch = with_scratch ? malloc((size_t)bytes + !bytes) : 0;
        ndg_stitch_run_range(plan, j->out.base, j->out.high, j->s.total,
                             j->list, j->s.n, first, last, scratch, bytes, &r);
        ndg_report_merge(&sum, &r);
        free(scratch);
    }
    see_stitch_report(j, &sum, with_scratch);
    SEE_REPORT(whole->status == NDG_E_INDEX ? report_same_failure(&sum, whole)
                                            : report_same(&sum, whole, 1),
               &sum);
    if (j->exact.status == NDG_OK) SEE(array_same(&j->out, &j->want));
}

static void see_stitch_capacity(stitch_job *j, const ndg_stitch_plan *plan)
{
    ptrdiff_t  first, last, need, i;
    ndg_report r = report_stale();
    if (j->exact.status || !j->out.size) return;
    if (j->s.gaps == NDG_GAPS_ERROR) return;    /* scratch would come first */
    first = roll((int)j->s.total);
    last = first + 1 + roll((int)(j->s.total - first));
    need = j->out.high - (j->s.total - last) * j->out.stride[0];
    array_fresh(&j->out);
    SEE_REPORT(ndg_stitch_run_range(plan, j->out.base, need - 1, j->s.total,
                                    j->list, j->s.n, first, last, 0, 0, &r)
               == NDG_E_CAPACITY, &r);
    SEE_REPORT(r.value == need - 1 && r.bound == need
               && r.operand == NDG_ARG_OUT, &r);
    for (i = 0; i < j->out.block_bytes && j->out.block[i] == FRESH;) i++;
    SEE(i == j->out.block_bytes);
    SEE_REPORT(ndg_stitch_run_range(plan, j->out.base, need, j->s.total,
                                    j->list, j->s.n, first, last, 0, 0, &r)
               == NDG_OK, &r);
}

static void see_stitch_call(stitch_job *j, ptrdiff_t total)
{
    ndg_stitch_desc d = j->desc;
    ndg_report      r = report_stale();
    ptrdiff_t       got = -5;
    int             parallel = roll(2), status;
    if (d.gaps == NDG_GAPS_ERROR) return;
    d.slice = ndg_dims(-1, 0, 0);
    array_fresh(&j->out);
    status = (parallel ? ndg_parallel_dynamic_stitch : ndg_dynamic_stitch)
        (j->out.base, j->out.high, &got, j->input, j->s.n, &d, &r);
    if (j->exact.bad.count && j->s.policy != NDG_DROP) {
        SEE_REPORT(status == NDG_E_INDEX && r.bad.count >= 1
                   && r.bad.list == j->exact.bad.list
                   && r.bad.position == j->exact.bad.position
                   && r.bad.value == j->exact.bad.value, &r);
        return;
    }
    SEE_REPORT(status == NDG_OK && got == total, &r);
    SEE(array_same(&j->out, &j->want));
}

/* Lists, their total, and out for a number of rows that is not always it. */
static void make_stitch(stitch_job *j)
{
    ptrdiff_t slice[ARRAY_RANK], dims[ARRAY_RANK];
    int       type = j->s.index_type, rank = roll(3), mood = roll(3), m, i;
    ptrdiff_t elem = random_elem(), most = 1 + roll(roll(9) ? 9 : 120), k;
    array     inner;
    do for (i = 0; i < rank; i++) slice[i] = random_extent();
    while (!is_small(slice, rank, 200));
    array_shape(&inner, rank, slice, elem, LAYOUT_C, 0);
    if (roll(2)) random_strides(&inner, 0, 0);
    j->s.n = 1 + roll(LISTS);
    for (m = 0; m < j->s.n; m++) {
        array    *x = &j->indices[m], *d = &j->data[m];
        int       lead = roll(3);
        ptrdiff_t c[ARRAY_RANK] = { 0 }, step;
        do for (i = 0; i < lead; i++) dims[i] = random_extent();
        while (!is_small(dims, lead, 500));
        random_indices(x, type, lead, dims, lead);
        for (k = 0; k < x->size; k++) {
            index_put(array_at(x, c), type,
                      random_index(type, most, mood, 0) & (mood ? -1 : 127));
            coords_next(lead, x->dim, c);
        }
        /* the slice's strides are the same in each list, the rows' are not */
        for (i = 0; i < rank; i++) dims[lead + i] = slice[i];
        array_shape(d, lead + rank, dims, elem, LAYOUT_C, 0);
        if (inner.strided) {
            step = inner.high - inner.low + roll(5);
            if (step < elem) step = elem;       /* an empty slice */
            if (!roll(3)) step = -step;
            for (i = 0; i < rank; i++) d->stride[lead + i] = inner.stride[i];
            for (i = lead - 1; i >= 0; i--) {
                d->stride[i] = step;
                step *= dims[i] ? dims[i] : 1;
            }
            d->strided = 1;
            array_measure(d);
        }
        array_alloc(d, roll(3), 0);
        random_fill(&rnd, d->block, d->block_bytes);
        j->input[m].indices = x->base;
        j->input[m].data = d->base;
        j->input[m].indices_shape = array_ndg(x);
        j->input[m].data_shape = array_ndg(d);
    }
    j->desc.elem_size = elem;
    j->desc.index_type = type;
    j->desc.policy = j->s.policy;
    j->desc.gaps = j->s.gaps;
    j->desc.slice = array_ndg(&inner);
}

static void make_stitch_out(stitch_job *j, ptrdiff_t total)
{
    ptrdiff_t dims[ARRAY_RANK];
    int       i, lead = j->indices[0].rank, rank = j->data[0].rank - lead;
    array_free(&j->out);
    array_free(&j->want);
    j->s.total = dims[0] = total;
    for (i = 0; i < rank; i++) dims[i + 1] = j->data[0].dim[lead + i];
    random_array(&j->out, rank + 1, dims, j->desc.elem_size, 1, 1);
    j->desc.out_stride = j->out.strided ? j->out.stride[0] : 0;
    j->desc.out_slice = ndg_dims(0, 0, 0);
    if (j->out.strided)
        j->desc.out_slice = ndg_dims(rank, j->out.dim + 1, j->out.stride + 1);
    array_twin(&j->want, &j->out);
    j->exact = oracle_stitch_report(&j->s);
    oracle_stitch_write(&j->s, &j->want);
}

static void see_stitch(stitch_job *j, ptrdiff_t total)
{
    ndg_stitch_plan plan;
    ndg_report      r = report_stale(), whole;
    int             scratch, m;
    make_stitch_out(j, total);
    SEE_REPORT(ndg_plan_stitch(&plan, &j->desc, &r) == NDG_OK
               && report_clean(&r), &r);
    if (r.status) return;
    SEE(plan.out_rank == j->out.rank);
    SEE(ndg_stitch_out_bytes(&plan, total) == j->out.high);
    for (m = 0; m < j->s.n; m++) {
        r = report_stale();
        SEE_REPORT(ndg_list_from(&j->list[m], &j->input[m], &j->desc, &r)
                   == NDG_OK && report_clean(&r), &r);
        SEE(j->list[m].count == j->indices[m].size);
    }
    for (scratch = j->s.gaps == NDG_GAPS_ERROR; scratch < 2; scratch++) {
        see_stitch_whole(j, &plan, scratch, &whole);
        see_stitch_ranges(j, &plan, scratch, &whole);
    }
    see_stitch_capacity(j, &plan);
}

static void random_stitch(void)
{
    stitch_job      j;
    ndg_stitch_plan plan;
    ndg_bad         bad;
    ndg_report      r = report_stale();
    ptrdiff_t       total, got = -5;
    static const int policy[3] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP };
    int             m, refused;
    memset(&j, 0, sizeof j);
    j.s.index_type = roll(INDEX_TYPES);
    j.s.policy = policy[roll(3)];
    j.s.gaps = roll(3);
    j.s.indices = j.indices;
    j.s.data = j.data;
    make_stitch(&j);
    sprintf(context, "stitch %d lists %s policy %d gaps %d elem %d", j.s.n,
            index_name(j.s.index_type), j.s.policy, j.s.gaps,
            (int)j.desc.elem_size);
    total = oracle_stitch_total(&j.s, &bad);
    SEE(ndg_plan_stitch(&plan, &j.desc, &r) == NDG_OK);
    for (m = 0; m < j.s.n; m++)
        SEE(ndg_list_from(&j.list[m], &j.input[m], &j.desc, &r) == NDG_OK);
    /* a large index may ask for more rows than can be */
    if (total < TOO_MANY) {
        refused = bad.count && j.s.policy != NDG_DROP;
        r = report_stale();
        SEE_REPORT(ndg_stitch_total(&plan, j.list, j.s.n, &got, &r)
                   == (refused ? NDG_E_INDEX : NDG_OK), &r);
        SEE(got == (refused ? 0 : total));
        bad.extent = r.bad.extent;      /* of which the manual says nothing */
        SEE_REPORT(bad.count ? bad_same(&r.bad, &bad, 1) : !r.bad.count, &r);
        see_stitch(&j, total);
        see_stitch_call(&j, total);
    }
    see_stitch(&j, roll(roll(20) ? 12 : 300));
    for (m = 0; m < j.s.n; m++) {
        array_free(&j.indices[m]);
        array_free(&j.data[m]);
    }
    array_free(&j.out);
    array_free(&j.want);
}

/* ---- partition -----------------------------------------------------------*/

#define PARTS 6

typedef struct partition_job {
    oracle_partition   p;
    array              data, ids, out[PARTS], want[PARTS];
    ptrdiff_t         *at[PARTS];            /* expected positions */
    unsigned char     *got[PARTS];           /* written ones */
    void              *outs[PARTS], *positions[PARTS];
    ptrdiff_t          size[PARTS];
    ndg_partition_desc desc;
    ndg_report         exact;
    int                with_positions;
} partition_job;

static void partition_fresh(partition_job *j)
{
    int k;
    for (k = 0; k < j->p.parts; k++) {
        array_fresh(&j->out[k]);
        memset(j->got[k], FRESH, (size_t)j->size[k] * 8 + 1);
    }
}

static void see_partition_out(partition_job *j)
{
    ptrdiff_t i, step = index_bytes(j->desc.position_type);
    int       k, is_u64;
    for (k = 0; k < j->p.parts; k++) {
        SEE(array_same(&j->out[k], &j->want[k]));
        for (i = 0; j->with_positions && i < j->size[k]; i++)
            SEE(index_get(j->got[k] + i * step, j->desc.position_type, &is_u64)
                == j->at[k][i]);
        i = j->with_positions ? j->size[k] * step : 0;
        SEE(j->got[k][i] == FRESH);
    }
}

static void see_partition_ranges(partition_job *j,
                                 const ndg_partition_plan *plan)
{
    ptrdiff_t  cut[5], counts[4 * PARTS], cursors[4 * PARTS];
    ptrdiff_t  parts = j->p.parts, rows = j->ids.size;
    int        n = 1 + roll(4), i, k;
    ndg_report sum;
    memset(&sum, 0, sizeof sum);
    random_cuts(cut, n, rows);
    for (i = n; i-- > 0;) {
        ndg_report r = report_stale();
        ptrdiff_t  want[PARTS];
        ndg_report e = oracle_partition_count(&j->p, cut[i], cut[i + 1], want);
        SEE_REPORT(ndg_partition_count(plan, j->ids.base, cut[i], cut[i + 1],
                                       counts + i * parts, &r) == e.status,
                   &r);
        SEE_REPORT(bad_same(&r.bad, &e.bad, 1), &r);
        for (k = 0; k < parts && !e.status; k++)
            SEE(counts[i * parts + k] == want[k]);
        ndg_report_merge(&sum, &r);
    }
    SEE_REPORT(sum.status == j->exact.status
               && bad_same(&sum.bad, &j->exact.bad, 1), &sum);
    if (j->exact.status) return;
    ndg_partition_starts(counts, cursors, n, parts);
    for (k = 0; k < parts; k++)
        SEE(cursors[k] == 0 && counts[(n - 1) * parts + k] == j->size[k]);
    partition_fresh(j);
    memset(&sum, 0, sizeof sum);
    for (i = n; i-- > 0;) {
        ndg_report r = report_stale();
        SEE_REPORT(ndg_partition_run_range(plan, j->outs,
                       j->with_positions ? j->positions : 0, j->data.base,
                       j->ids.base, cut[i], cut[i + 1], cursors + i * parts,
                       counts + i * parts, &r) == NDG_OK, &r);
        ndg_report_merge(&sum, &r);
        for (k = 0; k < parts; k++)
            SEE(cursors[i * parts + k] == counts[i * parts + k]);
    }
    SEE_REPORT(bad_same(&sum.bad, &j->exact.bad, 1) && !sum.status, &sum);
    see_partition_out(j);
}

static void see_partition(partition_job *j)
{
    ndg_partition_plan plan;
    ndg_report         r = report_stale();
    ptrdiff_t          counts[PARTS], cursors[PARTS];
    void *const       *positions = j->with_positions ? j->positions : 0;
    int                k;
    SEE_REPORT(ndg_plan_partition(&plan, &j->desc, &r) == NDG_OK
               && report_clean(&r), &r);
    if (r.status) return;
    SEE(plan.rows == j->ids.size && plan.out_rank == j->out[0].rank);
    r = report_stale();
    SEE(ndg_partition_count(&plan, j->ids.base, 0, j->ids.size, counts, &r)
        == j->exact.status);
    SEE_REPORT(bad_same(&r.bad, &j->exact.bad, 1), &r);
    if (!j->exact.bad.count) SEE_REPORT(report_clean(&r), &r);
    for (k = 0; k < j->p.parts && !j->exact.status; k++) {
        SEE(counts[k] == j->size[k]);
        SEE(ndg_partition_out_bytes(&plan, j->size[k]) == j->out[k].high);
    }
    partition_fresh(j);
    r = report_stale();
    SEE_REPORT(ndg_partition_run(&plan, j->outs, positions, j->data.base,
                                 j->ids.base, j->ids.size, j->size, cursors,
                                 &r) == j->exact.status, &r);
    SEE_REPORT(bad_same(&r.bad, &j->exact.bad, !j->exact.status), &r);
    if (!j->exact.status) see_partition_out(j);
    see_partition_ranges(j, &plan);
    partition_fresh(j);
    r = report_stale();
    SEE_REPORT(ndg_dynamic_partition(j->outs, positions, j->size, counts,
                                     j->data.base, j->ids.base, &j->desc, &r)
               == j->exact.status, &r);
    SEE_REPORT(bad_same(&r.bad, &j->exact.bad, !j->exact.status), &r);
    if (!j->exact.status) see_partition_out(j);
}

static void make_partition(partition_job *j)
{
    ptrdiff_t dims[ARRAY_RANK], c[ARRAY_RANK] = { 0 }, i;
    int       lead = roll(4), rank = roll(3), k, mood = roll(3);
    int       type = j->p.index_type;
    do for (k = 0; k < lead + rank; k++) dims[k] = random_extent();
    while (!is_small(dims, lead + rank, 20000) || !is_small(dims, lead, 5000));
    random_indices(&j->ids, type, lead, dims, lead);
    for (i = 0; i < j->ids.size; i++) {
        int64_t v = random_index(type, j->p.parts, mood, 0);
        if (!mood && (v < 0 || v >= j->p.parts)) v = 0;
        index_put(array_at(&j->ids, c), type, v);
        coords_next(lead, j->ids.dim, c);
    }
    random_array(&j->data, lead + rank, dims, random_elem(), lead, 0);
    j->exact = oracle_partition_count(&j->p, 0, j->ids.size, j->size);
    dims[0] = 0;
    for (k = 0; k < rank; k++) dims[k + 1] = j->data.dim[lead + k];
    array_shape(&j->out[0], rank + 1, dims, j->data.elem, LAYOUT_C, 1);
    if (roll(2)) random_strides(&j->out[0], 1, 1);
    for (k = 0; k < j->p.parts; k++) {
        j->out[k] = j->out[0];
        j->out[k].dim[0] = j->size[k];
        array_measure(&j->out[k]);
    }
    for (k = 0; k < j->p.parts; k++) {
        array_alloc(&j->out[k], roll(3), roll(3));
        array_twin(&j->want[k], &j->out[k]);
        j->outs[k] = j->out[k].base;
        j->at[k] = (ptrdiff_t *)calloc((size_t)j->size[k] + 1,
                                       sizeof *j->at[k]);
        j->got[k] = (unsigned char *)malloc((size_t)j->size[k] * 8 + 1);
        if (!j->at[k] || !j->got[k]) exit(2);
        j->positions[k] = j->got[k];
        oracle_partition_write(&j->p, k, &j->want[k], j->at[k]);
    }
    if (j->out[0].strided) {
        j->desc.out_stride = j->out[0].stride[0];
        j->desc.out_slice = ndg_dims(rank, j->out[0].dim + 1,
                                     j->out[0].stride + 1);
    }
}

static void random_partition(void)
{
    partition_job j;
    int           k;
    static const int policy[3] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP };
    memset(&j, 0, sizeof j);
    j.p.index_type = roll(INDEX_TYPES);
    j.p.policy = policy[roll(3)];
    j.p.parts = 1 + roll(PARTS);
    j.p.data = &j.data;
    j.p.ids = &j.ids;
    make_partition(&j);
    j.desc.data = array_ndg(&j.data);
    j.desc.partitions = array_ndg(&j.ids);
    j.desc.elem_size = j.data.elem;
    j.desc.num_partitions = j.p.parts;
    j.desc.index_type = j.p.index_type;
    do j.desc.position_type = roll(INDEX_TYPES);
    while (!index_holds(j.desc.position_type, j.ids.size, 0));
    j.desc.policy = j.p.policy;
    j.with_positions = roll(3) > 0;
    sprintf(context, "partition %s positions %s policy %d parts %d ranks %d %d "
            "elem %d", index_name(j.p.index_type),
            index_name(j.desc.position_type), j.p.policy, (int)j.p.parts,
            j.data.rank, j.ids.rank, (int)j.data.elem);
    see_partition(&j);
    for (k = 0; k < j.p.parts; k++) {
        array_free(&j.out[k]);
        array_free(&j.want[k]);
        free(j.at[k]);
        free(j.got[k]);
    }
    array_free(&j.data);
    array_free(&j.ids);
}

/* ---- tables and outputs larger than any cache ----------------------------*/

/* 24 MiB of rows, whole and in two ranges, against a plain loop. */
static void large(ptrdiff_t row_bytes, int sorted)
{
    ptrdiff_t       rows = ((ptrdiff_t)8 << 20) / row_bytes, i, bad = 0;
    ptrdiff_t       count = 3 * rows, bytes = count * row_bytes;
    unsigned char  *table = (unsigned char *)malloc((size_t)(rows * row_bytes));
    unsigned char  *out = (unsigned char *)malloc((size_t)bytes);
    uint32_t       *pick = (uint32_t *)malloc((size_t)count * 4);
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r, part;
    int             form;
    rnd.state = case_seed = (uint64_t)row_bytes;
    sprintf(context, "large, rows of %d", (int)row_bytes);
    if (!table || !out || !pick) {
        printf("skip: rows of %d: no memory\n", (int)row_bytes);
        free(table);
        free(out);
        free(pick);
        return;
    }
    for (i = 0; i < rows * row_bytes; i++)
        table[i] = (unsigned char)(((uint32_t)i * 2654435761u) >> 13);
    for (i = 0; i < count; i++) {
        uint64_t u = sorted ? (uint64_t)i / 3 : random_bits(&rnd);
        pick[i] = (uint32_t)(u % ((uint64_t)rows + (sorted ? 0 : 5)));
        bad += pick[i] >= (uint32_t)rows;
    }
    d.params = ndg_dims1(rows);
    d.indices = ndg_dims1(count);
    d.elem_size = row_bytes;
    d.index_type = NDG_U32;
    d.policy = NDG_ZERO;
    SEE(ndg_plan_gather(&plan, &d, &r) == NDG_OK && plan.out_bytes == bytes);
    for (form = 0; form < 3; form++) {
        ptrdiff_t wrong = 0, cut = count / 2 + 3;
        memset(out, FRESH, (size_t)bytes);
        memset(&r, 0, sizeof r);
        if (form == 0) {
            ndg_gather_run(&plan, out, bytes, table, pick, &r);
        } else if (form == 1) {
            ndg_gather_rows(out, bytes, table, rows, row_bytes, 0, pick,
                            NDG_U32, count, NDG_ZERO, &r);
        } else {
            ndg_gather_run_range(&plan, out, bytes, table, pick, cut, count,
                                 &r);
            ndg_gather_run_range(&plan, out, bytes, table, pick, 0, cut, &part);
            ndg_report_merge(&r, &part);
        }
        SEE_REPORT(r.status == NDG_OK && r.bad.count == bad, &r);
        for (i = 0; i < count; i++) {
            unsigned char *o = out + i * row_bytes;
            ptrdiff_t      k;
            if (pick[i] < (uint32_t)rows)
                wrong += !!memcmp(o, table + (ptrdiff_t)pick[i] * row_bytes,
                                  (size_t)row_bytes);
            else
                for (k = 0; k < row_bytes; k++) wrong += o[k] != 0;
        }
        SEE(wrong == 0);
    }
    free(table);
    free(out);
    free(pick);
}

static void random_case(uint64_t seed)
{
    case_seed = seed;
    rnd.state = seed;
    before = 0;
    switch (roll(7)) {
    case 0:  random_stitch(); break;
    case 1:  random_partition(); break;
    case 2:  random_rows(); break;
    case 3:  random_scatter(); break;
    default: random_gather(); break;
    }
}

int main(int argc, char **argv)
{
    uint64_t i;
    if (argc > 1) {
        random_case((uint64_t)strtoull(argv[1], 0, 10));
    } else {
        for (i = 1; i <= ORACLE_CASES; i++) random_case(i);
        large(4, 0);
        large(16, 1);
        large(60, 0);
        large(64, 0);
        large(1024, 0);
        large(5000, 1);
        printf("%d random cases, seeds 1 to %d\n", ORACLE_CASES, ORACLE_CASES);
    }
    return test_end("test_oracle");
}
