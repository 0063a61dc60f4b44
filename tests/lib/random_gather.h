/* random_gather.h - gather_nd, gather and batch_gather: plans of any shape and
 * size, run, checked, cut into ranges and refused. The same case serves for
 * what are gathers in other clothes: scatter_nd and gather_rows. */
#ifndef NDG_TEST_RANDOM_GATHER_H
#define NDG_TEST_RANDOM_GATHER_H

#include "random.h"

typedef struct gather_case {
    ndg_gather_desc d;
    oracle_gather   g;                  /* its op is one of the three gathers */
    int             op;
    verdict         v;
    int             fits;               /* what the shapes are to each other */
    int             null, whole;        /* whole: params are all there */
    array           params, indices, out, got_out, want;
    ptrdiff_t       rows, cells, first, last;
    ndg_report      exact;
    ndg_gather_plan plan[ENGINES];
} gather_case;

static gather_case ga;

static void print_gather(void)
{
    const ndg_gather_desc *d = &ga.d;
    printf("    op %d, batch_dims %d, axis %d, type %d, policy %d, "
           "negative %d, overlap %d, mask %llx, add %lld, rows %ld ... %ld\n",
           ga.op, d->batch_dims, d->axis, d->index_type, d->policy,
           d->negative, d->overlap, (unsigned long long)d->index_mask,
           (long long)d->index_add, (long)ga.first, (long)ga.last);
    array_print("params", &ga.params);
    array_print("indices", &ga.indices);
    array_print("out given", &ga.got_out);
    array_print("out", &ga.out);
}

/* ---- from choices to a desc ----------------------------------------------*/

/* Ranks that batch_dims and axis mostly fit. */
HELPER void take_gather_dims(choices *in, oracle_gather *g, array *p,
                             array *x, int extreme)
{
    const int nd = g->op == NDG_OP_GATHER_ND;
    int       R = 1 + take_rank(in), K = take_rank(in), i, b = 0, a;
    R = R > 24 ? 24 : R;
    if (nd) K++;
    if (g->op == NDG_OP_BATCH_GATHER) K = 1 + K % R;
    take_dims(in, p, R, R > 5, extreme);
    take_dims(in, x, K, K > 5, extreme);
    if (g->op == NDG_OP_BATCH_GATHER) b = K - 1;
    else if (take(in) % 4 > 1 + nd) b = take(in) % (K + !nd);
    if (b > R - !nd) b = R - !nd;
    for (i = 0; i < b; i++) x->dim[i] = p->dim[i];
    if (nd) {
        x->dim[K - 1] = take(in) % (R - b + 1);
        if (R - b > 2 && take(in) % 4) x->dim[K - 1] %= 4;
        g->batch_dims = b;
    } else if (g->op == NDG_OP_GATHER) {
        a = b + take(in) % (R - b);
        i = take(in);
        g->batch_dims = i & 1 && b < K ? b - K : b;
        g->axis = i & 2 ? a - R : a == b ? 0 : a;
    }
}

/* Often none, else what a user or an enemy would give. */
HELPER void take_change(choices *in, int64_t *mask, int64_t *add)
{
    static const int64_t masks[8] = { 0, 0x7F, 3, 0xFF, INT64_MIN, -1,
                                      INT64_MAX, 0x00FFFFFF };
    static const int64_t sums[4] = { INT64_MAX, INT64_MIN, -1,
                                     INT64_C(1) << 32 };
    const int how = take(in);
    *mask = masks[how & 7];
    if (how & 8) *add = (int8_t)take(in);
    if ((how & 56) == 56) *add = sums[how >> 6];
}

/* One thing wrong. */
static void spoil_gather(choices *in)
{
    ndg_gather_desc *d = &ga.d;
    oracle_gather   *g = &ga.g;
    switch (below(in, 64)) {
    case 1: d->policy = take_wrong(in); break;
    case 2: d->index_type = take_wrong(in); break;
    case 3: d->negative = take_wrong(in); break;
    case 4: d->overlap = take_wrong(in); break;
    case 5: d->features = (unsigned)take_wrong(in); break;
    case 6: d->elem_size = take_number(in); break;
    case 7: g->batch_dims = take_wrong(in); break;
    case 8: g->axis = take_wrong(in); break;
    case 9: case 10: spoil_dims(in, &ga.params); break;
    case 11: case 12: spoil_dims(in, &ga.indices); break;
    case 13: g->batch_dims = (int8_t)take(in); break;
    case 14: g->axis = (int8_t)take(in); break;
    case 15: ga.null = 1 + below(in, 4); break;
    case 16: case 17: spoil_dims(in, &ga.got_out); break;
    case 18: ga.got_out.rank = below(in, 5); break;
    case 19: ga.params.rank = below(in, 3); break;
    case 20: ga.indices.rank = below(in, 3); break;
    case 21: g->batch_dims = below(in, 9) - 4; break;
    case 22: g->axis = below(in, 11) - 5; break;
    default: break;
    }
}

/* Shapes and options of a gather; params may be an output. */
static void take_gather_desc(choices *in, int op, int more, int options,
                             int extreme, int backwards)
{
    ndg_gather_desc *d = &ga.d;
    oracle_gather   *g = &ga.g;
    array           *p = &ga.params, *o = &ga.got_out;
    memset(&ga, 0, sizeof ga);
    ga.op = g->op = op;
    g->params = p;
    g->indices = &ga.indices;
    p->elem = o->elem = ga.out.elem = d->elem_size = take_elem(in);
    d->index_type = more % 8;
    d->policy = options % 8;
    d->negative = options >> 3 & 1;
    d->overlap = options >> 4 & 1;
    take_gather_dims(in, g, p, &ga.indices, extreme);
    ga.indices.elem = index_bytes(d->index_type);
    if ((more & 24) == 24) take_change(in, &d->index_mask, &d->index_add);
    (backwards ? take_out_strides : take_strides)(in, p);
    take_strides(in, &ga.indices);
    if (more & 64 && oracle_gather_status(g) == NDG_OK) {
        o->rank = oracle_gather_dims(g, o->dim);
        (backwards ? take_strides : take_out_strides)(in, o);
    }
}

static void take_gather(choices *in)
{
    const int        flags = take(in), more = take(in), options = take(in);
    ndg_gather_desc *d = &ga.d;
    int              i;
    take_gather_desc(in, NDG_OP_GATHER_ND + flags % 3, more, options,
                     flags >= 208, 0);
    for (i = 0; i < 16; i++) d->fill[i] = (unsigned char)(129 + i);
    spoil_gather(in);
    if (d->elem_size == ga.params.elem) return;
    ga.params.elem = ga.got_out.elem = ga.out.elem = d->elem_size;
    array_pack(&ga.params);
    array_pack(&ga.got_out);
}

/* What the oracle is told of a desc, and the desc of shapes. */
static void finish_gather(void)
{
    ndg_gather_desc *d = &ga.d;
    oracle_gather   *g = &ga.g;
    if (d->index_type >= 0 && d->index_type < INDEX_TYPES)
        ga.indices.elem = index_bytes(d->index_type);
    if (!ga.params.strided) array_pack(&ga.params);
    if (!ga.indices.strided) array_pack(&ga.indices);
    if (!ga.got_out.strided) array_pack(&ga.got_out);
    g->policy = d->policy;
    g->negative = d->negative;
    g->index_type = d->index_type;
    g->mask = d->index_mask;
    g->add = d->index_add;
    g->fill = d->fill;
    d->batch_dims = g->batch_dims;
    d->axis = g->axis;
    d->params = array_ndg(&ga.params);
    d->indices = array_ndg(&ga.indices);
    d->out = array_ndg(&ga.got_out);
    if (ga.null == 1) d->params = ndg_dims(-1, NULL, NULL);
    if (ga.null == 2) d->indices = ndg_dims(7, NULL, NULL);
    if (ga.null == 3) {
        d->params.rank = 9;
        d->params.dims = NULL;
    }
}

/* ---- what the manual says of it ------------------------------------------*/

/* What strides and long index vectors may be refused for. */
HELPER void level_flaws(const oracle_gather *g, int strided, verdict *v)
{
    int i, n = 0;
    for (i = 0; i < g->params->rank; i++) n += g->params->dim[i] != 1;
    for (i = 0; i < g->indices->rank; i++) n += g->indices->dim[i] != 1;
    if (strided && n > NDG_MAX_LEVELS) maybe(v, NDG_E_LEVELS);
    if (oracle_depth(g) <= NDG_MAX_DEPTH) return;
    maybe(v, NDG_E_LEVELS);
    if (array_cells(g->indices) > 0) v->must = 1;
}

/* The sizes of what is no array that was given. */
static void gather_size_flaws(int output, verdict *v)
{
    const oracle_gather *g = &ga.g;
    const wide           rows = oracle_rows(g), cells = oracle_slice(g);
    array               *o = &ga.out;
    o->rank = oracle_gather_dims(g, o->dim);
    if (layout_flaws(&ga.got_out, o, output, v)) *o = ga.got_out;
    else array_pack(o);
    flaw_if(v, rows > LARGEST, NDG_E_OVERFLOW);
    flaw_if(v, array_cells(o) * (wide)o->elem > LARGEST, NDG_E_OVERFLOW);
    if (cells * (wide)o->elem > LARGEST) maybe(v, NDG_E_OVERFLOW);
    level_flaws(g, g->params->strided || g->indices->strided || o->strided, v);
    ga.rows = rows > LARGEST ? 0 : (ptrdiff_t)rows;
    ga.cells = cells > LARGEST ? PTRDIFF_MAX : (ptrdiff_t)cells;
}

/* All that can be said of the shapes; output: of that which is made. */
static void gather_shape_flaws(int output, verdict *v)
{
    const int sound = array_flaws(&ga.params, v)
                    & array_flaws(&ga.indices, v);
    ga.fits = oracle_gather_status(&ga.g);
    if (ga.fits || !sound || ga.null) {
        if (v->may || ga.null || ga.got_out.rank) maybe_any_shape(v);
        flaw(v, ga.null ? NDG_E_NULL : sound ? ga.fits : NDG_E_SHAPE);
        return;
    }
    if (!v->must) gather_size_flaws(output, v);
    if (v->must && v->may >> NDG_E_SHAPE & 1) maybe_any_shape(v);
}

static void foretell_gather(void)
{
    const ndg_gather_desc *d = &ga.d;
    verdict               *v = &ga.v;
    option_flaws(d->elem_size, d->index_type, d->policy, 1, d->overlap,
                 d->features, v);
    flaw_if(v, d->negative < 0 || d->negative > 1, NDG_E_OPTION);
    if (d->policy == NDG_FILL && d->elem_size > 16) {
        flaw(v, NDG_E_OPTION);
        maybe(v, NDG_E_TYPE);
    }
    flaw_if(v, ga.op != NDG_OP_GATHER && d->axis, NDG_E_AXIS);
    flaw_if(v, ga.op == NDG_OP_BATCH_GATHER && d->batch_dims,
            NDG_E_BATCH_DIMS);
    gather_shape_flaws(1, v);
}

/* Where the manual is definite of shapes that do not fit each other. */
static void see_misfit(const ndg_report *r)
{
    const oracle_gather *g = &ga.g;
    const array         *p = g->params, *x = g->indices;
    const int            of_params = ga.op == NDG_OP_SCATTER_ND
                                   ? NDG_ARG_OUT : NDG_ARG_PARAMS;
    int                  i = 0, who = NDG_ARG_INDICES;
    if (r->status == NDG_E_RANK) {
        if (p->rank < 1) who = of_params;
        EXPECT(r->operand == who && r->value == 0 && r->bound == 1, "%s",
               report_text(r));
    } else if (r->status == NDG_E_AXIS) {
        EXPECT(r->value == g->axis && r->bound == p->rank, "%s",
               report_text(r));
    } else if (r->status == NDG_E_DEPTH) {
        EXPECT(r->value == x->dim[x->rank - 1]
               && r->bound == p->rank - g->batch_dims, "%s", report_text(r));
    } else if (r->status == NDG_E_BATCH_SHAPE) {
        while (p->dim[i] == x->dim[i]) i++;
        EXPECT(r->axis == i && r->value == x->dim[i] && r->bound == p->dim[i],
               "%s", report_text(r));
    } else if (r->status == NDG_E_BATCH_DIMS && g->op == NDG_OP_GATHER_ND) {
        if (g->b < 0) who = NDG_ARG_BATCH_DIMS;
        else if (g->b < x->rank) who = of_params;
        EXPECT(r->operand == who && r->value == g->b, "%s", report_text(r));
    }
}

/* ---- plans ---------------------------------------------------------------*/

static int gather_out_dims(ptrdiff_t *dims, int cap)
{
    const engine          *e = engines[turn];
    const ndg_gather_desc *d = &ga.d;
    return (ga.op == NDG_OP_GATHER_ND ? e->gather_nd_out_dims
            : ga.op == NDG_OP_GATHER ? e->gather_out_dims
            : e->batch_gather_out_dims)(d, dims, cap);
}

/* The plan says what the manual says. */
static void see_gather_plan(const ndg_gather_plan *plan)
{
    const array *o = &ga.out;
    ptrdiff_t    dims[ARRAY_RANK];
    int          i;
    EXPECT((wide)plan->out_bytes == array_end(o) && plan->rows == ga.rows
           && plan->out_rank == o->rank, "%ld out_bytes, %ld rows, rank %d",
           (long)plan->out_bytes, (long)plan->rows, plan->out_rank);
    if (ga.cells < PTRDIFF_MAX / o->elem)
        EXPECT(plan->slice_bytes == ga.cells * o->elem || !ga.rows,
               "slices of %ld", (long)plan->slice_bytes);
    memset(dims, 0x5A, sizeof dims);
    EXPECT(gather_out_dims(dims, o->rank) == o->rank, "out_dims");
    for (i = 0; i < o->rank; i++)
        EXPECT(dims[i] == o->dim[i], "extent %d is %ld", i, (long)dims[i]);
}

static int plan_gather(ndg_report *r)
{
    const engine          *e = engines[turn];
    const ndg_gather_desc *d = ga.null == 4 ? NULL : &ga.d;
    ndg_gather_plan       *plan = &ga.plan[turn];
    ndg_report             again;
    ptrdiff_t              dims[ARRAY_RANK];
    int                    got, rank;
    memset(plan, 0x5A, sizeof *plan);
    got = (ga.op == NDG_OP_GATHER_ND ? e->plan_gather_nd : ga.op
        == NDG_OP_GATHER ? e->plan_gather : e->plan_batch_gather)(plan, d, r);
    if (got == NDG_OK) {
        see_gather_plan(plan);
        return got;
    }
    EXPECT(r->op == ga.op, "op %d", r->op);
    if (got == ga.fits) see_misfit(r);
    EXPECT(all_zero(plan, sizeof *plan), "a refused plan");
    rank = d ? gather_out_dims(dims, ARRAY_RANK) : -1;
    EXPECT(rank == -1 || !ga.fits, "out_dims of rank %d", rank);
    EXPECT(e->gather_run(plan, NULL, 0, NULL, NULL, &again) == NDG_E_NULL,
           "a refused plan ran");
    return got;
}

/* ---- memory --------------------------------------------------------------*/

/* An index for each component of these rows. */
HELPER void fill_indices(choices *in, const oracle_gather *g, ptrdiff_t first,
                         ptrdiff_t last)
{
    const array *x = g->indices;
    value_source from = take_values(in, g->policy == NDG_ASSUME_VALID);
    ptrdiff_t    row[ARRAY_RANK], i;
    int          k;
    for (i = first; i < last; i++) {
        coords_of(i, oracle_row_axes(g), x->dim, row);
        for (k = 0; k < oracle_depth(g); k++) {
            if (g->op == NDG_OP_GATHER_ND) row[x->rank - 1] = k;
            put_value(array_at(x, row), g->index_type,
                      g->params->dim[g->a + k], &from);
        }
    }
}

/* Memory of indices and of out for these rows alone, and of params: all, or
 * what the good rows read. And the report of all bad rows. */
static int take_gather_memory(choices *in)
{
    oracle_gather *g = &ga.g;
    array         *p = &ga.params, *x = &ga.indices, *o = &ga.out;
    random_source  dice;
    oracle_span    read, written;
    oracle_gather_spans(g, o, ga.first, ga.last, &read, &written);
    if (!affordable(x, (wide)read.low, (wide)read.high)
        || !affordable(o, (wide)written.low, (wide)written.high)) return 0;
    take_memory(in, x);
    fill_indices(in, g, ga.first, ga.last);
    ga.whole = afford(p);
    if (!ga.whole) {
        read = oracle_gather_reads(g, ga.first, ga.last);
        if (!affordable(p, (wide)read.low, (wide)read.high)) return 0;
    }
    dice = take_dice(in);
    take_memory(in, p);
    if (!p->base && array_end(p) > 0) p->base = p->block;
    array_noise(p, &dice);
    take_memory(in, o);
    ga.exact = oracle_gather_report(g, ga.first, ga.last);
    if (ga.exact.op) ga.exact.op = ga.op;
    return 1;
}

/* ---- runs ----------------------------------------------------------------*/

/* Status, report and every byte. After an error good rows may be there. */
static void see_gather(int got, const ndg_report *r)
{
    same_report(got, r, &ga.exact, 0);
    same_bytes(&ga.out, &ga.want, got ? HALF : ALL);
}

static const ndg_gather_plan *gather_plan;        /* that runs */

static int run_gather_rows(void *out, ptrdiff_t room, ptrdiff_t first,
                           ptrdiff_t last, ndg_report *r)
{
    return engines[turn]->gather_run_range(gather_plan, out, room,
        ga.params.base, ga.indices.base, first, last, r);
}

static int gather_at_once(void *out, ptrdiff_t room, const void *params,
                          const void *indices, ndg_report *r)
{
    const engine *e = engines[turn];
    return (ga.op == NDG_OP_GATHER_ND ? e->gather_nd
            : ga.op == NDG_OP_GATHER ? e->gather : e->batch_gather)(
        out, room, params, indices, &ga.d, r);
}

static void run_gather_whole(void)
{
    const engine *e = engines[turn];
    ndg_report    r = report_stale();
    int           got;
    array_fresh(&ga.out);
    if (ga.first == 0 && ga.last == ga.rows) {
        got = e->gather_run(gather_plan, ga.out.base, ga.out.high,
                            ga.params.base, ga.indices.base, &r);
        see_gather(got, &r);
        array_fresh(&ga.out);
        r = report_stale();
        got = gather_at_once(ga.out.base, ga.out.high, ga.params.base,
                             ga.indices.base, &r);
    } else {
        got = run_gather_rows(ga.out.base, ga.out.high, ga.first, ga.last, &r);
    }
    see_gather(got, &r);
    if (r.bad.count) say(e, &r, &ga.d.indices);
}

/* The check counts all, under every policy. */
static void see_check(int got, const ndg_report *r)
{
    ndg_report w = ga.exact;
    oracle_judge(&w, w.op, NDG_ARG_INDICES, w.status != NDG_OK
                 || ga.d.policy == NDG_ASSUME_VALID);
    same_report(got, r, &w, 1);
}

static void run_gather_check(void)
{
    ndg_report r = report_stale();
    const int  got = engines[turn]->gather_check(gather_plan,
        ga.indices.base, ga.first, ga.last, &r);
    see_check(got, &r);
}

/* A call that plans, too, refuses the same. */
static void refuse_gather_at_once(void)
{
    const void      *p = ga.params.base, *x = ga.indices.base;
    const ptrdiff_t  need = ga.out.high;
    ndg_report       r = report_stale();
    refused(gather_at_once(ga.out.base, need - 1, p, x, &r), &r,
            NDG_E_CAPACITY, NDG_ARG_OUT);
    refused(gather_at_once(NULL, need, p, x, &r), &r, NDG_E_NULL,
            NDG_ARG_OUT);
    if (p && array_cells(&ga.params) > 0)
        refused(gather_at_once(ga.out.base, need, NULL, x, &r), &r, NDG_E_NULL,
                NDG_ARG_PARAMS);
    if (oracle_depth(&ga.g))
        refused(gather_at_once(ga.out.base, need, p, NULL, &r), &r, NDG_E_NULL,
                NDG_ARG_INDICES);
}

/* What is refused before a byte is written, besides: inputs that are NULL. */
static void refuse_gather(ptrdiff_t far)
{
    const engine    *e = engines[turn];
    const void      *p = ga.params.base, *x = ga.indices.base;
    const ptrdiff_t  need = ga.out.high, a = ga.first, b = ga.last;
    ndg_report       r = report_stale();
    refuse_runs(&ga.out, run_gather_rows, ga.op, a, b, far);
    EXPECT(e->gather_fits(gather_plan, ga.out.base, need, p, x, a, b, &r)
           == NDG_OK && report_clean(&r), "%s", report_text(&r));
    EXPECT(e->gather_out_bytes(gather_plan, a, b) == need || a == b,
           "need %ld", (long)need);
    EXPECT(e->gather_out_bytes(gather_plan, far, far) == -1
           && (a == b || e->gather_out_bytes(gather_plan, b, a) == -1),
           "out_bytes");
    if (need && p && array_cells(&ga.params) > 0)
        refused(e->gather_run_range(gather_plan, ga.out.base, need, NULL, x, a,
                                    b, &r), &r, NDG_E_NULL, NDG_ARG_PARAMS);
    if (b > a && oracle_depth(&ga.g))
        refused(e->gather_run_range(gather_plan, ga.out.base, need, p, NULL, a,
                                    b, &r), &r, NDG_E_NULL, NDG_ARG_INDICES);
    if (need && a == 0 && b == ga.rows && b > 0) refuse_gather_at_once();
    untouched(&ga.out);
}

/* Whether a run would begin with arrays at these places. run: it runs; 2: all
 * in one call, if these are all rows. */
typedef int fits_function(void *out, const void *data, const void *indices,
                          int run, ndg_report *r);

/* Data or indices overlap what is written. */
static void overlap_gather(choices *in, const array *data, int data_arg,
                           const array *written, fits_function *fits)
{
    const int   indices = below(in, 2);
    const int   arg = indices ? NDG_ARG_INDICES : data_arg;
    const void *p = data->base, *x = ga.indices.base;
    ndg_report  r = report_stale();
    overlap     both;
    int         got;
    if (!take_overlap(in, indices ? &ga.indices : data, written, &both))
        return;
    *(indices ? &x : &p) = both.in;
    got = fits(both.out, p, x, 0, &r);
    if (!both.shared || ga.d.overlap != NDG_OVERLAP_CHECK) {
        EXPECT(got == NDG_OK, "%ld shared: %s", (long)both.shared,
               report_text(&r));
    } else {
        refused(got, &r, NDG_E_OVERLAP, arg);
        refused(fits(both.out, p, x, 1, &r), &r, NDG_E_OVERLAP, arg);
        refused(fits(both.out, p, x, 2, &r), &r, NDG_E_OVERLAP, arg);
    }
}

static int gather_fits(void *out, const void *p, const void *x, int run,
                       ndg_report *r)
{
    const engine *e = engines[turn];
    if (run == 2 && ga.first == 0 && ga.last == ga.rows)
        return gather_at_once(out, ga.out.high, p, x, r);
    if (run) return e->gather_run_range(gather_plan, out, ga.out.high, p,
                                        x, ga.first, ga.last, r);
    return e->gather_fits(gather_plan, out, ga.out.high, p, x,
                          ga.first, ga.last, r);
}

/* A plan is data: that of another engine does, and one that names no loop, as
 * if it were filled in by hand. */
static void run_other_plans(void)
{
    ndg_gather_plan other = ga.plan[(turn + 1) % ENGINES];
    gather_plan = &other;
    if (ENGINES > 1) run_gather_whole();
    memset(&other.loop, 0, sizeof other.loop);
    run_gather_whole();
}

static void run_gather(choices *in)
{
    const ptrdiff_t far = take_far(in, ga.rows);
    ndg_report      sum;
    ranges          cuts;
    choices         rest;
    take_ranges(in, ga.first, ga.last, &cuts);
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        gather_plan = &ga.plan[turn];
        run_gather_check();
        refuse_gather(far);
        if (ga.whole)
            overlap_gather(in, &ga.params, NDG_ARG_PARAMS, &ga.out,
                           gather_fits);
        if (ga.d.policy == NDG_ASSUME_VALID && ga.exact.bad.count)
            continue;
        run_gather_whole();
        sum = run_ranges(&ga.out, &cuts, 1, run_gather_rows);
        see_gather(sum.status, &sum);
        run_other_plans();
    }
}

HELPER void try_gather(choices *in)
{
    ndg_report r;
    take_gather(in);
    finish_gather();
    foretell_gather();
    tell(print_gather);
    if (plan_by_all(&ga.v, plan_gather, &ga.d.indices, &r)) return;
    if (!take_rows(in, take(in) % 4 == 3, ga.rows, (wide)ga.cells,
                   &ga.first, &ga.last)) return;
    if (take_gather_memory(in)) {
        ga.want = take_twin(&ga.out);
        oracle_gather_write(&ga.g, &ga.want, ga.first, ga.last);
        /* Params that are not all there lie apart from out: our word for it. */
        if (!ga.whole) ga.d.overlap = NDG_OVERLAP_DISJOINT;
        EXPECT(ga.whole || !plan_by_all(&ga.v, plan_gather, NULL, &r),
               "accepted before");
        run_gather(in);
    }
}

#endif
