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

static gather_case gather;

static void print_gather(void)
{
    const ndg_gather_desc *d = &gather.d;
    printf("    op %d, batch_dims %d, axis %d, type %d, policy %d, "
           "negative %d, overlap %d, mask %llx, add %lld, rows %ld ... %ld\n",
           gather.op, d->batch_dims, d->axis, d->index_type, d->policy,
           d->negative, d->overlap, (unsigned long long)d->index_mask,
           (long long)d->index_add, (long)gather.first, (long)gather.last);
    array_print("params", &gather.params);
    array_print("indices", &gather.indices);
    array_print("out given", &gather.got_out);
    array_print("out", &gather.out);
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
    ndg_gather_desc *d = &gather.d;
    oracle_gather   *g = &gather.g;
    switch (below(in, 64)) {
    case 1: d->policy = take_wrong(in); break;
    case 2: d->index_type = take_wrong(in); break;
    case 3: d->negative = take_wrong(in); break;
    case 4: d->overlap = take_wrong(in); break;
    case 5: d->features = (unsigned)take_wrong(in); break;
    case 6: d->elem_size = take_number(in); break;
    case 7: g->batch_dims = take_wrong(in); break;
    case 8: g->axis = take_wrong(in); break;
    case 9: case 10: spoil_dims(in, &gather.params); break;
    case 11: case 12: spoil_dims(in, &gather.indices); break;
    case 13: g->batch_dims = (int8_t)take(in); break;
    case 14: g->axis = (int8_t)take(in); break;
    case 15: gather.null = 1 + below(in, 4); break;
    case 16: case 17: spoil_dims(in, &gather.got_out); break;
    case 18: gather.got_out.rank = below(in, 5); break;
    case 19: gather.params.rank = below(in, 3); break;
    case 20: gather.indices.rank = below(in, 3); break;
    case 21: g->batch_dims = below(in, 9) - 4; break;
    case 22: g->axis = below(in, 11) - 5; break;
    default: break;
    }
}

/* Shapes and options of a gather; params may be an output. */
static void take_gather_desc(choices *in, int op, int more, int options,
                             int extreme, int backwards)
{
    ndg_gather_desc *d = &gather.d;
    oracle_gather   *g = &gather.g;
    array           *p = &gather.params, *o = &gather.got_out;
    memset(&gather, 0, sizeof gather);
    gather.op = g->op = op;
    g->params = p;
    g->indices = &gather.indices;
    p->elem = o->elem = gather.out.elem = d->elem_size = take_elem(in);
    d->index_type = more % 8;
    d->policy = options % 8;
    d->negative = options >> 3 & 1;
    d->overlap = options >> 4 & 1;
    take_gather_dims(in, g, p, &gather.indices, extreme);
    gather.indices.elem = index_bytes(d->index_type);
    if ((more & 24) == 24) take_change(in, &d->index_mask, &d->index_add);
    (backwards ? take_out_strides : take_strides)(in, p);
    take_strides(in, &gather.indices);
    if (more & 64 && oracle_gather_status(g) == NDG_OK) {
        o->rank = oracle_gather_dims(g, o->dim);
        (backwards ? take_strides : take_out_strides)(in, o);
    }
}

static void take_gather(choices *in)
{
    const int        flags = take(in), more = take(in), options = take(in);
    ndg_gather_desc *d = &gather.d;
    int              i;
    take_gather_desc(in, NDG_OP_GATHER_ND + flags % 3, more, options,
                     flags >= 208, 0);
    for (i = 0; i < 16; i++) d->fill[i] = (unsigned char)(129 + i);
    spoil_gather(in);
    if (d->elem_size == gather.params.elem) return;
    gather.params.elem = gather.got_out.elem = gather.out.elem = d->elem_size;
    array_pack(&gather.params);
    array_pack(&gather.got_out);
}

/* What the oracle is told of a desc, and the desc of shapes. */
static void finish_gather(void)
{
    ndg_gather_desc *d = &gather.d;
    oracle_gather   *g = &gather.g;
    if (d->index_type >= 0 && d->index_type < INDEX_TYPES)
        gather.indices.elem = index_bytes(d->index_type);
    if (!gather.params.strided) array_pack(&gather.params);
    if (!gather.indices.strided) array_pack(&gather.indices);
    if (!gather.got_out.strided) array_pack(&gather.got_out);
    g->policy = d->policy;
    g->negative = d->negative;
    g->index_type = d->index_type;
    g->mask = d->index_mask;
    g->add = d->index_add;
    g->fill = d->fill;
    d->batch_dims = g->batch_dims;
    d->axis = g->axis;
    d->params = array_ndg(&gather.params);
    d->indices = array_ndg(&gather.indices);
    d->out = array_ndg(&gather.got_out);
    if (gather.null == 1) d->params = ndg_dims(-1, NULL, NULL);
    if (gather.null == 2) d->indices = ndg_dims(7, NULL, NULL);
    if (gather.null == 3) {
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
    const oracle_gather *g = &gather.g;
    const wide           rows = oracle_rows(g), cells = oracle_slice(g);
    array               *o = &gather.out;
    o->rank = oracle_gather_dims(g, o->dim);
    if (layout_flaws(&gather.got_out, o, output, v)) *o = gather.got_out;
    else array_pack(o);
    flaw_if(v, rows > LARGEST, NDG_E_OVERFLOW);
    flaw_if(v, array_cells(o) * (wide)o->elem > LARGEST, NDG_E_OVERFLOW);
    if (cells * (wide)o->elem > LARGEST) maybe(v, NDG_E_OVERFLOW);
    level_flaws(g, g->params->strided || g->indices->strided || o->strided, v);
    gather.rows = rows > LARGEST ? 0 : (ptrdiff_t)rows;
    gather.cells = cells > LARGEST ? PTRDIFF_MAX : (ptrdiff_t)cells;
}

/* All that can be said of the shapes; output: of that which is made. */
static void gather_shape_flaws(int output, verdict *v)
{
    const int sound = array_flaws(&gather.params, v)
                    & array_flaws(&gather.indices, v);
    gather.fits = oracle_gather_status(&gather.g);
    if (gather.fits || !sound || gather.null) {
        if (v->may || gather.null || gather.got_out.rank) maybe_any_shape(v);
        flaw(v, gather.null ? NDG_E_NULL : sound ? gather.fits : NDG_E_SHAPE);
        return;
    }
    if (!v->must) gather_size_flaws(output, v);
    if (v->must && v->may >> NDG_E_SHAPE & 1) maybe_any_shape(v);
}

static void foretell_gather(void)
{
    const ndg_gather_desc *d = &gather.d;
    verdict               *v = &gather.v;
    option_flaws(d->elem_size, d->index_type, d->policy, 1, d->overlap,
                 d->features, v);
    flaw_if(v, d->negative < 0 || d->negative > 1, NDG_E_OPTION);
    if (d->policy == NDG_FILL && d->elem_size > 16) {
        flaw(v, NDG_E_OPTION);
        maybe(v, NDG_E_TYPE);
    }
    flaw_if(v, gather.op != NDG_OP_GATHER && d->axis, NDG_E_AXIS);
    flaw_if(v, gather.op == NDG_OP_BATCH_GATHER && d->batch_dims,
            NDG_E_BATCH_DIMS);
    gather_shape_flaws(1, v);
}

/* Where the manual is definite of shapes that do not fit each other. */
static void see_misfit(const ndg_report *r)
{
    const oracle_gather *g = &gather.g;
    const array         *p = g->params, *x = g->indices;
    int                  i = 0, who = NDG_ARG_INDICES;
    if (r->status == NDG_E_RANK) {
        if (p->rank < 1) who = NDG_ARG_PARAMS;
        EXPECT((r->operand == who || r->operand == NDG_ARG_OUT)
               && r->value == 0 && r->bound == 1, "%s", report_text(r));
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
        else if (g->b < x->rank) who = NDG_ARG_PARAMS;
        EXPECT((r->operand == who || (who == NDG_ARG_PARAMS
                                      && r->operand == NDG_ARG_OUT))
               && r->value == g->b, "%s", report_text(r));
    }
}

/* ---- plans ---------------------------------------------------------------*/

static int gather_out_dims(ptrdiff_t *dims, int cap)
{
    const engine          *e = engines[turn];
    const ndg_gather_desc *d = &gather.d;
    return (gather.op == NDG_OP_GATHER_ND ? e->gather_nd_out_dims
            : gather.op == NDG_OP_GATHER ? e->gather_out_dims
            : e->batch_gather_out_dims)(d, dims, cap);
}

/* The plan says what the manual says. */
static void see_gather_plan(const ndg_gather_plan *plan)
{
    const array *o = &gather.out;
    ptrdiff_t    dims[ARRAY_RANK];
    wide         low, high;
    int          i;
    array_span(o, &low, &high);
    EXPECT((wide)plan->out_bytes == high && plan->rows == gather.rows
           && plan->out_rank == o->rank, "%ld out_bytes, %ld rows, rank %d",
           (long)plan->out_bytes, (long)plan->rows, plan->out_rank);
    if (gather.cells < PTRDIFF_MAX / o->elem)
        EXPECT(plan->slice_bytes == gather.cells * o->elem || !gather.rows,
               "slices of %ld", (long)plan->slice_bytes);
    memset(dims, 0x5A, sizeof dims);
    EXPECT(gather_out_dims(dims, o->rank) == o->rank, "out_dims");
    for (i = 0; i < o->rank; i++)
        EXPECT(dims[i] == o->dim[i], "extent %d is %ld", i, (long)dims[i]);
}

static int plan_gather(ndg_report *r)
{
    const engine          *e = engines[turn];
    const ndg_gather_desc *d = gather.null == 4 ? NULL : &gather.d;
    ndg_gather_plan       *plan = &gather.plan[turn];
    ndg_report             again;
    ptrdiff_t              dims[ARRAY_RANK];
    int                    got, rank;
    memset(plan, 0x5A, sizeof *plan);
    got = (gather.op == NDG_OP_GATHER_ND ? e->plan_gather_nd
           : gather.op == NDG_OP_GATHER ? e->plan_gather
           : e->plan_batch_gather)(plan, d, r);
    if (got == NDG_OK) {
        see_gather_plan(plan);
        return got;
    }
    EXPECT(r->op == gather.op, "op %d", r->op);
    if (got == gather.fits) see_misfit(r);
    EXPECT(all_zero(plan, sizeof *plan), "a refused plan");
    rank = d ? gather_out_dims(dims, ARRAY_RANK) : -1;
    EXPECT(rank == -1 || !gather.fits, "out_dims of rank %d", rank);
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
    oracle_gather *g = &gather.g;
    array         *p = &gather.params, *x = &gather.indices, *o = &gather.out;
    random_source  dice;
    oracle_span    read, written;
    wide           low, high;
    oracle_gather_spans(g, o, gather.first, gather.last, &read, &written);
    if (!affordable(x, (wide)read.low, (wide)read.high)
        || !affordable(o, (wide)written.low, (wide)written.high)) return 0;
    take_memory(in, x);
    fill_indices(in, g, gather.first, gather.last);
    array_span(p, &low, &high);
    gather.whole = affordable(p, low, high);
    if (!gather.whole) {
        read = oracle_gather_reads(g, gather.first, gather.last);
        if (!affordable(p, (wide)read.low, (wide)read.high)) return 0;
    }
    dice = take_dice(in);
    take_memory(in, p);
    if (!p->base && high != low) p->base = p->block;
    array_noise(p, &dice);
    take_memory(in, o);
    gather.exact = oracle_gather_report(g, gather.first, gather.last);
    if (gather.exact.op) gather.exact.op = gather.op;
    return 1;
}

/* ---- runs ----------------------------------------------------------------*/

/* Status, report and every byte. After an error good rows may be there. */
static void see_gather(int got, const ndg_report *r)
{
    same_report(got, r, &gather.exact, 0);
    same_bytes(&gather.out, &gather.want, got ? HALF : ALL);
}

static const ndg_gather_plan *gather_plan;        /* that runs */

static int run_gather_rows(ptrdiff_t first, ptrdiff_t last, ndg_report *r)
{
    return engines[turn]->gather_run_range(gather_plan, gather.out.base,
        gather.out.high, gather.params.base, gather.indices.base, first, last,
        r);
}

static int gather_at_once(ndg_report *r)
{
    const engine *e = engines[turn];
    return (gather.op == NDG_OP_GATHER_ND ? e->gather_nd
            : gather.op == NDG_OP_GATHER ? e->gather : e->batch_gather)(
        gather.out.base, gather.out.high, gather.params.base,
        gather.indices.base, &gather.d, r);
}

static void run_gather_whole(void)
{
    const engine *e = engines[turn];
    ndg_report    r = report_stale();
    int           got;
    array_fresh(&gather.out);
    if (gather.first == 0 && gather.last == gather.rows) {
        got = e->gather_run(gather_plan, gather.out.base, gather.out.high,
                            gather.params.base, gather.indices.base, &r);
        see_gather(got, &r);
        array_fresh(&gather.out);
        r = report_stale();
        got = gather_at_once(&r);
    } else {
        got = run_gather_rows(gather.first, gather.last, &r);
    }
    see_gather(got, &r);
    if (r.bad.count) say(e, &r, &gather.d.indices);
}

/* The check counts all, under every policy. */
static void see_check(int got, const ndg_report *r)
{
    ndg_report w = gather.exact;
    oracle_judge(&w, w.op, NDG_ARG_INDICES, w.status != NDG_OK
                 || gather.d.policy == NDG_ASSUME_VALID);
    same_report(got, r, &w, 1);
}

static void run_gather_check(void)
{
    ndg_report r = report_stale();
    const int  got = engines[turn]->gather_check(gather_plan,
        gather.indices.base, gather.first, gather.last, &r);
    see_check(got, &r);
}

/* What is refused before a byte is written: no room, no memory, no rows. */
static void refuse_gather(ptrdiff_t far)
{
    const engine    *e = engines[turn];
    const void      *p = gather.params.base, *x = gather.indices.base;
    void            *o = gather.out.base;
    const ptrdiff_t  need = gather.out.high, a = gather.first, b = gather.last;
    ndg_report       r = report_stale();
    const int        live = b > a && gather.cells > 0;
    array_fresh(&gather.out);
#define RUN(o, room, p, x, a, b)                                              \
    e->gather_run_range(gather_plan, o, room, p, x, a, b, &r)
    EXPECT(e->gather_fits(gather_plan, o, need, p, x, a, b, &r) == NDG_OK
           && report_clean(&r), "%s", report_text(&r));
    EXPECT(e->gather_out_bytes(gather_plan, a, b) == need || a == b,
           "need %ld", (long)need);
    if (live) {
        refused(RUN(o, need - 1, p, x, a, b), &r, NDG_E_CAPACITY, NDG_ARG_OUT);
        EXPECT(r.value == need - 1 && r.bound == need
               && r.op == gather.op, "%s", report_text(&r));
        refused(RUN(o, -1, p, x, a, b), &r, NDG_E_CAPACITY, NDG_ARG_OUT);
        refused(RUN(NULL, need, p, x, a, b), &r, NDG_E_NULL, NDG_ARG_OUT);
    }
    if (live && p && array_cells(&gather.params) > 0)
        refused(RUN(o, need, NULL, x, a, b), &r, NDG_E_NULL, NDG_ARG_PARAMS);
    if (b > a && oracle_depth(&gather.g))
        refused(RUN(o, need, p, NULL, a, b), &r, NDG_E_NULL, NDG_ARG_INDICES);
    if (far >= 0)
        far = gather.rows < PTRDIFF_MAX - far ? gather.rows + 1 + far
                                              : PTRDIFF_MIN;
    refused(RUN(o, need, p, x, far, far), &r, NDG_E_RANGE, 0);
    refused(RUN(o, need, p, x, 0, far), &r, NDG_E_RANGE, 0);
    if (b > a) refused(RUN(o, need, p, x, b, a), &r, NDG_E_RANGE, 0);
#undef RUN
    EXPECT(e->gather_out_bytes(gather_plan, far, far) == -1, "out_bytes");
    untouched(&gather.out);
}

/* Whether a run would begin with arrays at these places; `run`: it runs. */
typedef int fits_function(void *out, const void *data, const void *indices,
                          int run, ndg_report *r);

/* Data or indices overlap what is written. */
static void overlap_gather(choices *in, const array *data, int data_arg,
                           const array *written, fits_function *fits)
{
    const int   indices = below(in, 2);
    const int   arg = indices ? NDG_ARG_INDICES : data_arg;
    const void *p = data->base, *x = gather.indices.base;
    ndg_report  r = report_stale();
    overlap     both;
    int         got;
    if (!take_overlap(in, indices ? &gather.indices : data, written, &both))
        return;
    *(indices ? &x : &p) = both.in;
    got = fits(both.out, p, x, 0, &r);
    if (!both.shared || gather.d.overlap != NDG_OVERLAP_CHECK) {
        EXPECT(got == NDG_OK, "%ld shared: %s", (long)both.shared,
               report_text(&r));
    } else {
        refused(got, &r, NDG_E_OVERLAP, arg);
        refused(fits(both.out, p, x, 1, &r), &r, NDG_E_OVERLAP, arg);
    }
    free(both.block);
}

static int gather_fits(void *out, const void *p, const void *x, int run,
                       ndg_report *r)
{
    const engine *e = engines[turn];
    if (run) return e->gather_run_range(gather_plan, out, gather.out.high, p,
                                        x, gather.first, gather.last, r);
    return e->gather_fits(gather_plan, out, gather.out.high, p, x,
                          gather.first, gather.last, r);
}

/* A plan is data: that of another engine does, and one that names no loop, as
 * if it were filled in by hand. */
static void run_other_plans(void)
{
    ndg_gather_plan other = gather.plan[(turn + 1) % ENGINES];
    gather_plan = &other;
    if (ENGINES > 1) run_gather_whole();
    memset(&other.loop, 0, sizeof other.loop);
    run_gather_whole();
}

static void run_gather(choices *in)
{
    const ptrdiff_t far = take_number(in);
    ndg_report      sum;
    ranges          cuts;
    choices         rest;
    take_ranges(in, gather.first, gather.last, &cuts);
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        gather_plan = &gather.plan[turn];
        run_gather_check();
        refuse_gather(far);
        if (gather.whole)
            overlap_gather(in, &gather.params, NDG_ARG_PARAMS, &gather.out,
                           gather_fits);
        if (gather.d.policy == NDG_ASSUME_VALID && gather.exact.bad.count)
            continue;
        run_gather_whole();
        array_fresh(&gather.out);
        sum = run_ranges(&cuts, 1, run_gather_rows);
        see_gather(sum.status, &sum);
        run_other_plans();
    }
}

static void free_gather(void)
{
    array_free(&gather.params);
    array_free(&gather.indices);
    array_free(&gather.out);
    array_free(&gather.want);
}

HELPER void try_gather(choices *in)
{
    ndg_report r;
    take_gather(in);
    finish_gather();
    foretell_gather();
    tell(print_gather);
    if (plan_by_all(&gather.v, plan_gather, &gather.d.indices, &r)) return;
    if (!take_rows(in, take(in) % 4 == 3, gather.rows, (wide)gather.cells,
                   &gather.first, &gather.last)) return;
    if (take_gather_memory(in)) {
        array_twin(&gather.want, &gather.out);
        oracle_gather_write(&gather.g, &gather.want, gather.first,
                            gather.last);
        /* Params that are not all there lie apart from out: our word for it. */
        if (!gather.whole) gather.d.overlap = NDG_OVERLAP_DISJOINT;
        EXPECT(gather.whole || !plan_by_all(&gather.v, plan_gather, NULL, &r),
               "accepted before");
        run_gather(in);
    }
    free_gather();
}

#endif
