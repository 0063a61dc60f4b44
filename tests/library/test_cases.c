/* test_cases.c - every case of tests/cases, in every form the library has.
 *
 * A case runs as one call, as plan + run and in every split of its rows into
 * two ranges; in every index type that holds its values, in every listed
 * element type, with strided, reversed and permuted arrays, aligned and not.
 * Buffers are exact, and bytes that are not the result's must stay. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include "../lib/cases.h"
#include "../lib/descs.h"

/* The form that is running, for failure messages. */
static char context[300];

#define SEE(ok) CHECKF(ok, "%s: %s", context, #ok)

/* The check may call what fills r: it comes first, the text after. */
#define SEE_REPORT(ok, r)                                                     \
    do {                                                                      \
        int seen_ = !!(ok);                                                   \
        CHECKF(seen_, "%s: %s: %s", context, #ok,                             \
               seen_ ? "" : report_text(r));                                  \
    } while (0)

typedef struct variant {
    const char *dtype;
    int         index_type;
    int         in_layout, index_layout, out_layout;
    ptrdiff_t   offset;         /* misaligns every buffer */
    int         negative_axis;
} variant;

static void set_context(const test_case *c, const variant *v)
{
    sprintf(context, "%.120s [%s %s layouts %d %d %d offset %d axis %d]",
            c->name, v->dtype, index_name(v->index_type), v->in_layout,
            v->index_layout, v->out_layout, (int)v->offset, v->negative_axis);
}

/* ---- what a case asks for ------------------------------------------------*/

static int status_of(const test_case *c)
{
    static const struct { const char *name; int status; } kind[] = {
        { "index", NDG_E_INDEX }, { "rank", NDG_E_RANK },
        { "depth", NDG_E_DEPTH }, { "axis", NDG_E_AXIS },
        { "batch_dims", NDG_E_BATCH_DIMS },
        { "batch_shape", NDG_E_BATCH_SHAPE }, { "shape", NDG_E_SHAPE },
        { "count", NDG_E_COUNT }, { "dtype", NDG_E_TYPE }
    };
    size_t i;
    if (!c->error) return NDG_OK;
    for (i = 0; i < sizeof kind / sizeof kind[0]; i++)
        if (!strcmp(c->error, kind[i].name)) return kind[i].status;
    return -1;
}

/* Why a case cannot be put to a C function, or NULL. */
static const char *cannot(const test_case *c)
{
    int i;
    for (i = 0; i < c->n_indices; i++)
        if (dtype_index(c->indices[i].dtype) < 0)
            return "index types are integers by construction here";
    if (c->n_indices && c->n_data && c->n_indices != c->n_data)
        return "an input is a pair of arrays, so the lists cannot differ";
    return 0;
}

/* Elements of a tensor into an array in its layout. */
static void store_tensor(array *a, const tensor *t, const char *dtype)
{
    unsigned char *bytes = tensor_bytes(t, dtype);
    array_store(a, bytes);
    free(bytes);
}

/* An array of the case in a layout, with its values. */
static void make_input(array *a, const tensor *t, const char *dtype,
                       int layout, int fold, ptrdiff_t offset)
{
    array_shape(a, t->rank, t->dim, dtype_bytes(dtype), layout, fold);
    array_alloc(a, offset, 0);
    store_tensor(a, t, dtype);
}

static void make_indices(array *a, const tensor *t, int type, int layout,
                         int fold, ptrdiff_t offset)
{
    ptrdiff_t coords[ARRAY_RANK] = { 0 }, i;
    array_shape(a, t->rank, t->dim, index_bytes(type), layout, fold);
    array_alloc(a, offset, 0);
    for (i = 0; i < a->size; i++) {
        index_put(array_at(a, coords), type, strtoll(t->word[i], 0, 10));
        coords_next(a->rank, a->dim, coords);
    }
}

static int all_fit(const tensor *t, int type)
{
    ptrdiff_t i;
    for (i = 0; i < t->size; i++)
        if (!index_holds(type, strtoll(t->word[i], 0, 10), 0)) return 0;
    return 1;
}

/* The row-major position that the case expects. */
static ptrdiff_t bad_position(const test_case *c, const ptrdiff_t *dims)
{
    ptrdiff_t p = 0;
    int       i;
    for (i = 0; i < c->n_bad_position; i++)
        p = p * dims[i] + (ptrdiff_t)c->bad_position[i];
    return p;
}

/* The report against bad_list, bad_position and bad_value. `axes` of `shape`
 * count rows; `extent` gives what each component had to stay under. */
static void check_bad(const test_case *c, const ndg_report *r,
                      const ndg_shape *shape, int axes, const ptrdiff_t *extent)
{
    ptrdiff_t coords[CASE_COORDS] = { 0 };
    int       k = r->bad.component, i, got;
    SEE_REPORT(r->status == NDG_E_INDEX, r);
    SEE_REPORT(r->bad.count >= 1 && r->bad.count <= c->bad_more + 1, r);
    SEE_REPORT(r->bad.list == c->bad_list && !r->bad.is_u64, r);
    got = ndg_unravel(r->bad.position, shape, axes, coords, CASE_COORDS);
    SEE_REPORT(got == axes && got == c->n_bad_position, r);
    for (i = 0; i < axes; i++)
        SEE_REPORT(coords[i] == c->bad_position[i], r);
    SEE_REPORT(k >= 0 && k < c->n_bad_value, r);
    if (k < 0 || k >= c->n_bad_value) return;
    SEE_REPORT(r->bad.value == c->bad_value[k], r);
    SEE_REPORT(r->bad.extent == extent[k], r);
    for (i = 0; i < k; i++)
        SEE_REPORT(c->bad_value[i] >= 0 && c->bad_value[i] < extent[i], r);
}

/* ---- gathers -------------------------------------------------------------*/

typedef int plan_function(ndg_gather_plan *, const ndg_gather_desc *,
                          ndg_report *);
typedef int call_function(void *, ptrdiff_t, const void *, const void *,
                          const ndg_gather_desc *, ndg_report *);
typedef int dims_function(const ndg_gather_desc *, ptrdiff_t *, int);

typedef struct gather_op {
    const char    *name;
    int            op;
    plan_function *plan;
    call_function *call;
    dims_function *dims;
} gather_op;

static const gather_op gather_ops[3] = {
    { "gather_nd", NDG_OP_GATHER_ND, ndg_plan_gather_nd, ndg_gather_nd,
      ndg_gather_nd_out_dims },
    { "gather", NDG_OP_GATHER, ndg_plan_gather, ndg_gather,
      ndg_gather_out_dims },
    { "batch_gather", NDG_OP_BATCH_GATHER, ndg_plan_batch_gather,
      ndg_batch_gather, ndg_batch_gather_out_dims }
};

typedef struct gather_job {
    const test_case *c;
    const variant   *v;
    const gather_op *op;
    ndg_gather_desc  desc;
    array            params, indices, out, want;
    int              axes;                    /* of indices, that count rows */
    ptrdiff_t        rows;
    ptrdiff_t        extent[ARRAY_RANK];      /* of each component */
} gather_job;

static void gather_desc_of(gather_job *j)
{
    const test_case *c = j->c;
    j->desc = gather_of(j->params.elem, array_ndg(&j->params),
                        array_ndg(&j->indices));
    j->desc.index_type = j->v->index_type;
    j->desc.policy = policy_of(c);
    j->desc.negative = c->from_end ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
    if (j->op->op == NDG_OP_BATCH_GATHER) return;
    j->desc.batch_dims = (int)c->batch_dims;
    if (j->op->op == NDG_OP_GATHER)
        j->desc.axis = (int)(j->v->negative_axis ? c->negative_axis : c->axis);
}

/* Rows and extents of an op whose ranks are right. */
static void gather_extents(gather_job *j)
{
    const array *p = &j->params, *x = &j->indices;
    int          b = j->desc.batch_dims, a = j->desc.axis, i;
    j->axes = x->rank;
    if (j->op->op == NDG_OP_GATHER_ND) {
        j->axes = x->rank - 1;
        for (i = 0; i < x->dim[x->rank - 1]; i++)
            j->extent[i] = p->dim[b + i];
    } else {
        if (j->op->op == NDG_OP_BATCH_GATHER) b = x->rank - 1;
        if (b < 0) b += x->rank;
        if (!a) a = b;
        if (a < 0) a += p->rank;
        j->extent[0] = p->dim[a];
    }
    j->rows = 1;
    for (i = 0; i < j->axes; i++) j->rows *= x->dim[i];
}

static void gather_refused(const gather_job *j, int want)
{
    ndg_gather_plan plan;
    ndg_report      r = report_stale();
    ptrdiff_t       dims[ARRAY_RANK];
    unsigned char   byte = FRESH;
    memset(&plan, FRESH, sizeof plan);
    SEE_REPORT(j->op->plan(&plan, &j->desc, &r) == want, &r);
    SEE_REPORT(r.status == want && r.op == j->op->op && !r.bad.count, &r);
    SEE(!plan.rows && !plan.out_bytes && !plan.elem_size && !plan.depth);
    SEE(ndg_gather_run(&plan, &byte, 1, &byte, &byte, &r) == NDG_E_NULL);
    SEE(j->op->dims(&j->desc, dims, ARRAY_RANK) == -1);
    r = report_stale();
    SEE_REPORT(j->op->call(&byte, 1, j->params.base, j->indices.base, &j->desc,
                           &r) == want, &r);
    SEE(r.status == want && byte == FRESH);
}

/* Two ranges must add up to what the whole gave. */
static void gather_splits(gather_job *j, const ndg_gather_plan *plan,
                          const ndg_report *whole)
{
    ptrdiff_t s;
    int       failed = whole->status != NDG_OK;
    for (s = 0; s <= j->rows; s++) {
        ndg_report a = report_stale(), b = report_stale();
        array_fresh(&j->out);
        /* the later range first: the order of ranges must not matter */
        ndg_gather_run_range(plan, j->out.base, plan->out_bytes, j->params.base,
                             j->indices.base, s, j->rows, &b);
        ndg_gather_run_range(plan, j->out.base, plan->out_bytes, j->params.base,
                             j->indices.base, 0, s, &a);
        ndg_report_merge(&a, &b);
        SEE_REPORT(failed ? report_same_failure(&a, whole)
                          : report_same(&a, whole, 1), &a);
        if (!failed) SEE(array_same(&j->out, &j->want));
    }
}

static void gather_run(gather_job *j)
{
    const test_case *c = j->c;
    ndg_gather_plan  plan, copy;
    ndg_report       r = report_stale(), whole = report_stale();
    ptrdiff_t        dims[ARRAY_RANK];
    int              want = status_of(c), i;
    gather_extents(j);
    memset(&plan, FRESH, sizeof plan);
    SEE_REPORT(j->op->plan(&plan, &j->desc, &r) == NDG_OK, &r);
    if (r.status) return;
    SEE_REPORT(report_clean(&r), &r);
    SEE(plan.rows == j->rows);
    if (c->n_expect) {
        const tensor *e = &c->expect[0];
        SEE(plan.out_rank == e->rank);
        SEE(plan.out_bytes == (j->out.size ? j->out.high : 0));
        SEE(j->op->dims(&j->desc, dims, ARRAY_RANK) == e->rank);
        for (i = 0; i < e->rank; i++) SEE(dims[i] == e->dim[i]);
    }
    copy = plan;        /* a plan is plain data: its copy is as good */
    SEE_REPORT(ndg_gather_run(&copy, j->out.base, plan.out_bytes,
                              j->params.base, j->indices.base, &whole) == want,
               &whole);
    if (want == NDG_OK) {
        SEE(array_same(&j->out, &j->want));
        if (j->desc.policy == NDG_ERROR)
            SEE_REPORT(report_clean(&whole), &whole);
    } else {
        check_bad(c, &whole, &j->desc.indices, j->axes, j->extent);
    }
    r = report_stale();
    SEE(ndg_gather_check(&plan, j->indices.base, 0, j->rows, &r) == want);
    SEE_REPORT(report_same(&r, &whole, want == NDG_OK), &r);
    if (c->has_bad) SEE_REPORT(r.bad.count == c->bad_more + 1, &r);
    gather_splits(j, &plan, &whole);
    array_fresh(&j->out);
    r = report_stale();
    SEE(j->op->call(j->out.base, plan.out_bytes, j->params.base,
                    j->indices.base, &j->desc, &r) == want);
    SEE_REPORT(report_same(&r, &whole, want == NDG_OK), &r);
    if (want == NDG_OK) SEE(array_same(&j->out, &j->want));
    SEE(j->op->call(j->out.base, plan.out_bytes, j->params.base,
                    j->indices.base, &j->desc, 0) == want);
}

/* The shape of out where the case gives none: by the library, in C order. */
static void gather_out_shape(gather_job *j)
{
    const tensor *e = &j->c->expect[0];
    ptrdiff_t     dims[ARRAY_RANK] = { 0 };
    int           rank;
    if (e->dtype) {
        array_shape(&j->out, e->rank, e->dim, j->params.elem, j->v->out_layout,
                    0);
    } else {
        rank = j->op->dims(&j->desc, dims, ARRAY_RANK);
        SEE(rank >= 0);
        array_shape(&j->out, rank < 0 ? 0 : rank, dims, j->params.elem,
                    j->v->out_layout, 0);
    }
    if (j->v->out_layout != LAYOUT_C) j->desc.out = array_ndg(&j->out);
    array_alloc(&j->out, j->v->offset, 0);
    array_twin(&j->want, &j->out);
    if (e->dtype) store_tensor(&j->want, e, j->v->dtype);
}

static void gather_variant(const test_case *c, const variant *v)
{
    gather_job j;
    int        i, want = status_of(c);
    memset(&j, 0, sizeof j);
    j.c = c;
    j.v = v;
    for (i = 0; i < 3; i++)
        if (!strcmp(c->op, gather_ops[i].name)) j.op = &gather_ops[i];
    set_context(c, v);
    make_input(&j.params, &c->params, v->dtype, v->in_layout, 0, v->offset);
    make_indices(&j.indices, &c->indices[0], v->index_type, v->index_layout, 0,
                 v->offset);
    gather_desc_of(&j);
    if (want != NDG_OK && want != NDG_E_INDEX) {
        gather_refused(&j, want);
    } else {
        gather_out_shape(&j);
        gather_run(&j);
        array_free(&j.out);
        array_free(&j.want);
    }
    array_free(&j.params);
    array_free(&j.indices);
}

/* ---- scatters ------------------------------------------------------------*/

typedef struct scatter_job {
    const test_case *c;
    ndg_scatter_desc desc;
    array            out, before, want, indices, data;
    ptrdiff_t        extent[ARRAY_RANK];      /* of each component */
} scatter_job;

/* out holds again what it held before. */
static void scatter_begin(scatter_job *j)
{
    if (j->out.block_bytes)
        memcpy(j->out.block, j->before.block, (size_t)j->out.block_bytes);
}

static void scatter_refused(scatter_job *j, int want)
{
    ndg_scatter_plan plan;
    ndg_report       r = report_stale();
    memset(&plan, FRESH, sizeof plan);
    SEE_REPORT(ndg_plan_scatter_nd(&plan, &j->desc, &r) == want, &r);
    SEE_REPORT(r.status == want && r.op == NDG_OP_SCATTER_ND && !r.bad.count,
               &r);
    SEE(!plan.slots && !plan.out_bytes && !plan.by.rows && !plan.by.elem_size);
    SEE(ndg_scatter_run(&plan, j->out.base, j->out.high, j->data.base,
                        j->indices.base, &r) == NDG_E_NULL);
    r = report_stale();
    SEE_REPORT(ndg_scatter_nd(j->out.base, j->out.high, j->data.base,
                              j->indices.base, &j->desc, &r) == want, &r);
    SEE(r.status == want && array_same(&j->out, &j->before));
}

/* Two ranges must add up to what the whole gave. */
static void scatter_splits(scatter_job *j, const ndg_scatter_plan *plan,
                           const ndg_report *whole)
{
    ptrdiff_t s;
    int       failed = whole->status != NDG_OK;
    for (s = 0; s <= plan->slots; s++) {
        ndg_report a = report_stale(), b = report_stale();
        scatter_begin(j);
        /* the later range first: the order of ranges must not matter */
        ndg_scatter_run_range(plan, j->out.base, plan->out_bytes, j->data.base,
                              j->indices.base, s, plan->slots, &b);
        if (s) {
            SEE_REPORT(report_clean(&b), &b);
            ndg_scatter_run_range(plan, j->out.base, plan->out_bytes,
                                  j->data.base, j->indices.base, 0, s, &a);
            ndg_report_merge(&b, &a);
        }
        SEE_REPORT(failed ? report_same_failure(&b, whole)
                          : report_same(&b, whole, 1), &b);
        if (!failed) SEE(array_same(&j->out, &j->want));
    }
}

static void scatter_run(scatter_job *j)
{
    const test_case *c = j->c;
    const array     *x = &j->indices;
    ndg_scatter_plan plan, copy;
    ndg_report       r = report_stale(), whole = report_stale();
    ptrdiff_t        rows = 1;
    int              want = status_of(c), b = (int)c->batch_dims, i;
    for (i = 0; i < x->rank - 1; i++) rows *= x->dim[i];
    for (i = 0; i < x->dim[x->rank - 1]; i++)
        j->extent[i] = j->out.dim[b + i];
    memset(&plan, FRESH, sizeof plan);
    SEE_REPORT(ndg_plan_scatter_nd(&plan, &j->desc, &r) == NDG_OK, &r);
    if (r.status) return;
    SEE_REPORT(report_clean(&r), &r);
    SEE(plan.by.rows == rows);
    SEE(plan.out_bytes == (j->out.size ? j->out.high : 0));
    copy = plan;        /* a plan is plain data: its copy is as good */
    SEE_REPORT(ndg_scatter_run(&copy, j->out.base, plan.out_bytes,
                               j->data.base, x->base, &whole) == want, &whole);
    if (want == NDG_OK) SEE(array_same(&j->out, &j->want));
    else check_bad(c, &whole, &j->desc.indices, x->rank - 1, j->extent);
    if (want == NDG_OK && j->desc.policy == NDG_ERROR)
        SEE_REPORT(report_clean(&whole), &whole);
    r = report_stale();
    SEE(ndg_scatter_check(&plan, x->base, 0, rows, &r) == want);
    SEE_REPORT(report_same(&r, &whole, want == NDG_OK), &r);
    if (c->has_bad) SEE_REPORT(r.bad.count == c->bad_more + 1, &r);
    scatter_splits(j, &plan, &whole);
    scatter_begin(j);
    r = report_stale();
    SEE(ndg_scatter_nd(j->out.base, plan.out_bytes, j->data.base, x->base,
                       &j->desc, &r) == want);
    SEE_REPORT(report_same(&r, &whole, want == NDG_OK), &r);
    if (want == NDG_OK) SEE(array_same(&j->out, &j->want));
    SEE(ndg_scatter_nd(j->out.base, plan.out_bytes, j->data.base, x->base,
                       &j->desc, 0) == want);
}

static void scatter_variant(const test_case *c, const variant *v)
{
    const tensor *shape = c->has_out ? &c->out : &c->into;
    scatter_job   j;
    int           want = status_of(c);
    memset(&j, 0, sizeof j);
    j.c = c;
    set_context(c, v);
    make_input(&j.data, &c->data[0], v->dtype, v->in_layout, 0, v->offset);
    make_indices(&j.indices, &c->indices[0], v->index_type, v->index_layout, 0,
                 v->offset);
    array_shape(&j.out, shape->rank, shape->dim, dtype_bytes(v->dtype),
                v->out_layout, 0);
    array_alloc(&j.out, v->offset, 0);
    if (!c->has_out) store_tensor(&j.out, &c->into, v->dtype);
    array_twin(&j.before, &j.out);
    array_twin(&j.want, &j.out);
    if (c->n_expect) {
        SEE(c->expect[0].rank == shape->rank
            && c->expect[0].size == shape->size);
        store_tensor(&j.want, &c->expect[0], v->dtype);
    }
    j.desc = scatter_of(j.out.elem, array_ndg(&j.out), array_ndg(&j.indices));
    j.desc.data = array_ndg(&j.data);
    j.desc.index_type = v->index_type;
    j.desc.batch_dims = (int)c->batch_dims;
    j.desc.policy = policy_of(c);
    j.desc.negative = c->from_end ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
    j.desc.gaps = c->has_out ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    if (want != NDG_OK && want != NDG_E_INDEX) scatter_refused(&j, want);
    else scatter_run(&j);
    array_free(&j.out);
    array_free(&j.before);
    array_free(&j.want);
    array_free(&j.indices);
    array_free(&j.data);
}

/* ---- stitches ------------------------------------------------------------*/

typedef struct stitch_job {
    const test_case *c;
    const variant   *v;
    int              parallel, n;
    array            indices[CASE_LISTS], data[CASE_LISTS];
    ndg_stitch_input input[CASE_LISTS];
    ndg_list         list[CASE_LISTS];
    ndg_stitch_desc  desc;
    array            out, want;
    ptrdiff_t        out_bytes, total;
    ndg_row_counts   rows;                /* what scratch should count */
} stitch_job;

static int stitch_call(const stitch_job *j, void *out, ptrdiff_t bytes,
                       ptrdiff_t *total, ndg_report *r)
{
    ndg_stitch_desc d = j->desc;
    /* "desc->slice is not read": a slice that no plan would take */
    d.slice = ndg_dims(-7, 0, 0);
    return (j->parallel ? ndg_parallel_dynamic_stitch : ndg_dynamic_stitch)
        (out, bytes, total, j->input, j->n, &d, r);
}

/* Holes and duplicates, counted from the values of the case. */
static void stitch_rows(stitch_job *j)
{
    unsigned char *named = (unsigned char *)calloc((size_t)j->total + 1, 1);
    ptrdiff_t      i;
    int            m;
    if (!named) exit(2);
    memset(&j->rows, 0, sizeof j->rows);
    for (m = 0; m < j->n; m++)
        for (i = 0; i < j->c->indices[m].size; i++) {
            long long v = strtoll(j->c->indices[m].word[i], 0, 10);
            if (v < 0 || v >= j->total) continue;
            j->rows.duplicates += named[v];
            named[v] = 1;
        }
    for (i = j->total; i-- > 0;)
        if (!named[i]) {
            j->rows.holes++;
            j->rows.first_hole = i;
        }
    free(named);
}

static void stitch_whole(stitch_job *j, const ndg_stitch_plan *plan,
                         int want, int with_scratch, ndg_report *whole)
{
    ptrdiff_t need = ndg_stitch_scratch_bytes(plan, j->total);
    void     *scratch = with_scratch ? malloc((size_t)need + !need) : 0;
    SEE(need == (j->total + 7) / 8);
    array_fresh(&j->out);
    *whole = report_stale();
    SEE_REPORT(ndg_stitch_run(plan, j->out.base, j->out_bytes, j->total,
                              j->list, j->n, scratch, with_scratch ? need : 0,
                              whole) == want, whole);
    if (want == NDG_OK) {
        SEE(array_same(&j->out, &j->want));
        SEE_REPORT(!whole->bad.count, whole);
        SEE_REPORT(whole->rows.holes == (with_scratch ? j->rows.holes : 0)
                   && whole->rows.first_hole
                       == (with_scratch ? j->rows.first_hole : 0)
                   && whole->rows.duplicates
                       == (with_scratch ? j->rows.duplicates : 0), whole);
    }
    free(scratch);
}

static void stitch_splits(stitch_job *j, const ndg_stitch_plan *plan,
                          int with_scratch, const ndg_report *whole)
{
    ptrdiff_t s;
    int       failed = whole->status != NDG_OK;
    for (s = 0; s <= j->total; s++) {
        ptrdiff_t  n1 = ndg_stitch_scratch_bytes(plan, s);
        ptrdiff_t  n2 = ndg_stitch_scratch_bytes(plan, j->total - s);
        void      *w1 = with_scratch ? malloc((size_t)n1 + !n1) : 0;
        void      *w2 = with_scratch ? malloc((size_t)n2 + !n2) : 0;
        ndg_report a = report_stale(), b = report_stale();
        array_fresh(&j->out);
        if (s < j->total)
            ndg_stitch_run_range(plan, j->out.base, j->out_bytes, j->total,
                                 j->list, j->n, s, j->total, w2,
                                 with_scratch ? n2 : 0, &b);
        else
            memset(&b, 0, sizeof b);
        if (s > 0)
            ndg_stitch_run_range(plan, j->out.base, j->out_bytes, j->total,
                                 j->list, j->n, 0, s, w1,
                                 with_scratch ? n1 : 0, &a);
        else
            memset(&a, 0, sizeof a);
        ndg_report_merge(&a, &b);
        if (j->total)
            SEE_REPORT(failed ? report_same_failure(&a, whole)
                              : report_same(&a, whole, 1), &a);
        if (!failed) SEE(array_same(&j->out, &j->want));
        free(w1);
        free(w2);
    }
}

/* Whether data has the axes of indices first. */
static int data_fits(const tensor *indices, const tensor *data)
{
    int i;
    for (i = 0; i < indices->rank; i++)
        if (i >= data->rank || data->dim[i] != indices->dim[i]) return 0;
    return 1;
}

/* plan, lists, total, run. */
static void stitch_planned(stitch_job *j, int want)
{
    ndg_stitch_plan plan;
    ndg_report      r = report_stale(), whole;
    ptrdiff_t       total = -5;
    int             m, scratch;
    memset(&plan, FRESH, sizeof plan);
    SEE_REPORT(ndg_plan_stitch(&plan, &j->desc, &r) == NDG_OK
               && report_clean(&r), &r);
    for (m = 0; m < j->n; m++) {
        int fits = data_fits(&j->c->indices[m], &j->c->data[m]);
        r = report_stale();
        SEE_REPORT(ndg_list_from(&j->list[m], &j->input[m], &j->desc, &r)
                   == (fits ? NDG_OK : NDG_E_SHAPE)
                   && report_clean(&r) == fits, &r);
        if (!fits) return;  /* a bad index too, but lists show shapes first */
    }
    r = report_stale();
    SEE_REPORT(ndg_stitch_total(&plan, j->list, j->n, &total, &r) == want, &r);
    if (want == NDG_OK) {
        SEE(total == j->total && report_clean(&r));
        SEE(ndg_stitch_out_bytes(&plan, total) == j->out_bytes);
        SEE(plan.out_rank == j->out.rank);
    } else {
        SEE(total == 0);
        SEE_REPORT(r.bad.count == j->c->bad_more + 1, &r);
    }
    for (scratch = 0; scratch < 2; scratch++) {
        stitch_whole(j, &plan, want, scratch, &whole);
        if (want != NDG_OK) {
            SEE_REPORT(whole.bad.list == r.bad.list
                       && whole.bad.position == r.bad.position
                       && whole.bad.value == r.bad.value, &whole);
            SEE_REPORT(whole.bad.extent == j->total, &whole);
        }
        stitch_splits(j, &plan, scratch, &whole);
    }
}

static void stitch_one_call(stitch_job *j, int want)
{
    ndg_report r = report_stale();
    ptrdiff_t  total = -5, extent[1];
    int        m;
    array_fresh(&j->out);
    SEE_REPORT(stitch_call(j, j->out.base, j->out_bytes, &total, &r) == want,
               &r);
    SEE_REPORT(r.status == want, &r);
    if (want == NDG_OK) {
        SEE(total == j->total && report_clean(&r));
        SEE(array_same(&j->out, &j->want));
        /* the size query */
        total = -5;
        SEE(stitch_call(j, 0, 0, &total, &r)
            == (j->out_bytes ? NDG_E_CAPACITY : NDG_OK));
        SEE(total == j->total);
        if (j->out_bytes)
            SEE_REPORT(r.value == 0 && r.bound == j->out_bytes, &r);
        SEE(stitch_call(j, j->out.base, j->out_bytes, &total, 0) == NDG_OK);
        return;
    }
    SEE_REPORT(r.op == (j->parallel ? NDG_OP_PARALLEL_DYNAMIC_STITCH
                                    : NDG_OP_DYNAMIC_STITCH), &r);
    if (want != NDG_E_INDEX) return;
    m = (int)j->c->bad_list;
    extent[0] = r.bad.extent;
    check_bad(j->c, &r, &j->input[m].indices_shape,
              j->c->indices[m].rank, extent);
}

/* Refused shapes: some list does not match the slice of list 0. */
static void stitch_refused(stitch_job *j, int want)
{
    ndg_report r;
    int        m, refused = 0;
    for (m = 0; m < j->n; m++)
        if (ndg_list_from(&j->list[m], &j->input[m], &j->desc, &r) != NDG_OK) {
            SEE_REPORT(r.status == want, &r);
            refused++;
        }
    SEE(refused > 0);
}

static void stitch_out(stitch_job *j, int want)
{
    const tensor  *e = &j->c->expect[0], *d = &j->c->data[0];
    int            lead = j->c->indices[0].rank, i, m;
    ptrdiff_t      dims[ARRAY_RANK], k;
    dims[0] = 1;                    /* where the case gives no result */
    for (m = 0; m < j->n; m++)
        for (k = 0; k < j->c->indices[m].size; k++) {
            long long v = strtoll(j->c->indices[m].word[k], 0, 10);
            if (v >= dims[0]) dims[0] = (ptrdiff_t)v + 1;
        }
    for (i = lead; i < d->rank; i++) dims[i - lead + 1] = d->dim[i];
    if (want == NDG_OK) {
        SEE(e->rank == d->rank - lead + 1);
        dims[0] = e->dim[0];
    }
    array_shape(&j->out, d->rank - lead + 1, dims, j->data[0].elem,
                j->v->out_layout, 1);
    if (j->v->out_layout != LAYOUT_C) {
        j->desc.out_stride = j->out.stride[0];
        j->desc.out_slice = ndg_dims(j->out.rank - 1, j->out.dim + 1,
                                     j->out.stride + 1);
    }
    array_alloc(&j->out, j->v->offset, 0);
    array_twin(&j->want, &j->out);
    j->total = dims[0];
    j->out_bytes = j->out.high;
    if (want != NDG_OK) return;
    store_tensor(&j->want, e, j->v->dtype);
    stitch_rows(j);
}

static void stitch_variant(const test_case *c, const variant *v)
{
    stitch_job j;
    int        m, want = status_of(c), lead = c->indices[0].rank;
    memset(&j, 0, sizeof j);
    j.c = c;
    j.v = v;
    j.n = c->n_indices;
    j.parallel = !strncmp(c->op, "parallel", 8);
    set_context(c, v);
    for (m = 0; m < j.n; m++) {
        make_indices(&j.indices[m], &c->indices[m], v->index_type,
                     v->index_layout, c->indices[m].rank, v->offset);
        make_input(&j.data[m], &c->data[m], v->dtype, v->in_layout,
                   c->indices[m].rank < c->data[m].rank ? c->indices[m].rank
                                                        : c->data[m].rank,
                   v->offset);
        j.input[m].indices = j.indices[m].base;
        j.input[m].data = j.data[m].base;
        j.input[m].indices_shape = array_ndg(&j.indices[m]);
        j.input[m].data_shape = array_ndg(&j.data[m]);
    }
    if (lead <= c->data[0].rank)
        j.desc.slice = ndg_dims(c->data[0].rank - lead, c->data[0].dim + lead,
                                j.data[0].strided ? j.data[0].stride + lead
                                                  : 0);
    j.desc.elem_size = j.data[0].elem;
    j.desc.index_type = v->index_type;
    j.desc.policy = policy_of(c);
    if (want == NDG_OK || want == NDG_E_INDEX) {
        stitch_out(&j, want);
        stitch_planned(&j, want);
        stitch_one_call(&j, want);
        array_free(&j.out);
        array_free(&j.want);
    } else {
        stitch_refused(&j, want);
        stitch_one_call(&j, want);
    }
    for (m = 0; m < j.n; m++) {
        array_free(&j.indices[m]);
        array_free(&j.data[m]);
    }
}

/* ---- partition -----------------------------------------------------------*/

typedef struct partition_job {
    const test_case   *c;
    const variant     *v;
    int                parts;
    ptrdiff_t          rows;
    array              data, ids;
    array              out[CASE_PARTS], want[CASE_PARTS];
    void              *outs[CASE_PARTS], *positions[CASE_PARTS];
    ptrdiff_t          size[CASE_PARTS];
    ndg_partition_desc desc;
} partition_job;

static void partition_fresh(partition_job *j)
{
    int k;
    for (k = 0; k < j->parts; k++) {
        array_fresh(&j->out[k]);
        memset(j->positions[k], FRESH, (size_t)j->size[k] * 4);
    }
}

/* Every output byte, and the position of every row by counting. */
static void partition_right(partition_job *j)
{
    ptrdiff_t seen[CASE_PARTS] = { 0 }, i;
    int       k;
    for (k = 0; k < j->parts; k++) SEE(array_same(&j->out[k], &j->want[k]));
    for (i = 0; i < j->rows; i++) {
        long long id = strtoll(j->c->partitions.word[i], 0, 10);
        int32_t   at;
        if (id < 0 || id >= j->parts) continue;
        memcpy(&at, (char *)j->positions[id] + seen[id]++ * 4, 4);
        SEE(at == i);
    }
}

/* Weaves the parts together again: the input must come back. */
static void partition_undo(partition_job *j)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan plan;
    ndg_list        list[CASE_PARTS];
    ndg_report      r;
    array           back;
    ptrdiff_t       dims[ARRAY_RANK], total;
    int             lead = j->ids.rank, k, i;
    if (j->desc.policy == NDG_DROP) return;
    dims[0] = j->rows;
    for (i = lead; i < j->data.rank; i++) dims[i - lead + 1] = j->data.dim[i];
    array_shape(&back, j->data.rank - lead + 1, dims, j->data.elem, LAYOUT_C,
                1);
    array_alloc(&back, 0, 0);
    d.elem_size = j->data.elem;
    d.slice = ndg_dims(j->out[0].rank - 1, j->out[0].dim + 1,
                       j->out[0].strided ? j->out[0].stride + 1 : 0);
    SEE(ndg_plan_stitch(&plan, &d, &r) == NDG_OK);
    for (k = 0; k < j->parts; k++) {
        list[k] = list_of(j->positions[k], j->outs[k], j->size[k]);
        list[k].data_stride = j->desc.out_stride;
    }
    SEE(ndg_stitch_total(&plan, list, j->parts, &total, &r) == NDG_OK);
    SEE(total == j->rows);
    SEE_REPORT(ndg_stitch_run(&plan, back.base, back.high, total, list,
                              j->parts, 0, 0, &r) == NDG_OK, &r);
    {
        unsigned char *bytes = tensor_bytes(&j->c->data[0], j->v->dtype);
        SEE(!memcmp(back.block, bytes, (size_t)(back.high)));
        free(bytes);
    }
    array_free(&back);
}

static void partition_splits(partition_job *j, const ndg_partition_plan *plan)
{
    ptrdiff_t counts[2 * CASE_PARTS], cursors[2 * CASE_PARTS], s;
    int       k;
    for (s = 0; s <= j->rows; s++) {
        ndg_report a = report_stale(), b = report_stale();
        ptrdiff_t *c2 = counts + j->parts, *at2 = cursors + j->parts;
        ndg_partition_count(plan, j->ids.base, 0, s, counts, &a);
        ndg_partition_count(plan, j->ids.base, s, j->rows, c2, &b);
        ndg_report_merge(&a, &b);
        SEE_REPORT(!a.status, &a);
        ndg_partition_starts(counts, cursors, 2, j->parts);
        for (k = 0; k < j->parts; k++)
            SEE(cursors[k] == 0 && counts[k] == at2[k] && c2[k] == j->size[k]);
        partition_fresh(j);
        SEE(ndg_partition_run_range(plan, j->outs, j->positions, j->data.base,
                                    j->ids.base, s, j->rows, at2, c2, &b)
            == NDG_OK);
        SEE(ndg_partition_run_range(plan, j->outs, j->positions, j->data.base,
                                    j->ids.base, 0, s, cursors, counts, &a)
            == NDG_OK);
        for (k = 0; k < j->parts; k++)
            SEE(cursors[k] == counts[k] && at2[k] == c2[k]);
        partition_right(j);
    }
}

static void partition_good(partition_job *j)
{
    ndg_partition_plan plan;
    ndg_report         r = report_stale(), again;
    ptrdiff_t          counts[CASE_PARTS], cursors[CASE_PARTS];
    int                k;
    memset(&plan, FRESH, sizeof plan);
    SEE_REPORT(ndg_plan_partition(&plan, &j->desc, &r) == NDG_OK
               && report_clean(&r), &r);
    SEE(plan.rows == j->rows && plan.out_rank == j->out[0].rank);
    r = report_stale();
    SEE(ndg_partition_count(&plan, j->ids.base, 0, j->rows, counts, &r)
        == NDG_OK);
    if (j->desc.policy != NDG_DROP) SEE_REPORT(report_clean(&r), &r);
    for (k = 0; k < j->parts; k++) {
        SEE(counts[k] == j->size[k]);
        SEE(ndg_partition_out_bytes(&plan, counts[k]) == j->out[k].high);
    }
    partition_fresh(j);
    again = report_stale();
    SEE(ndg_partition_run(&plan, j->outs, j->positions, j->data.base,
                          j->ids.base, j->rows, counts, cursors, &again)
        == NDG_OK);
    SEE_REPORT(report_same(&r, &again, 1), &again);
    for (k = 0; k < j->parts; k++) SEE(cursors[k] == j->size[k]);
    partition_right(j);
    partition_undo(j);
    partition_splits(j, &plan);
    partition_fresh(j);
    again = report_stale();
    SEE(ndg_dynamic_partition(j->outs, j->positions, j->size, counts,
                              j->data.base, j->ids.base, &j->desc, &again)
        == NDG_OK);
    SEE_REPORT(report_same(&r, &again, 1), &again);
    for (k = 0; k < j->parts; k++) SEE(counts[k] == j->size[k]);
    partition_right(j);
}

static void partition_bad(partition_job *j)
{
    ndg_partition_plan plan;
    ndg_report         r = report_stale(), again = report_stale();
    ptrdiff_t          counts[CASE_PARTS], extent[1];
    ptrdiff_t          s;
    extent[0] = j->desc.num_partitions;
    SEE(ndg_plan_partition(&plan, &j->desc, &r) == NDG_OK);
    r = report_stale();
    SEE(ndg_partition_count(&plan, j->ids.base, 0, j->rows, counts, &r)
        == NDG_E_INDEX);
    check_bad(j->c, &r, &j->desc.partitions, j->ids.rank, extent);
    SEE_REPORT(r.bad.count == j->c->bad_more + 1, &r);
    SEE_REPORT(r.bad.position == bad_position(j->c, j->ids.dim), &r);
    for (s = 0; s <= j->rows; s++) {
        ndg_report a, b;
        ndg_partition_count(&plan, j->ids.base, 0, s, counts, &a);
        ndg_partition_count(&plan, j->ids.base, s, j->rows, counts, &b);
        ndg_report_merge(&b, &a);
        SEE_REPORT(report_same(&r, &b, 1), &b);
    }
    SEE(ndg_dynamic_partition(j->outs, j->positions, j->size, counts,
                              j->data.base, j->ids.base, &j->desc, &again)
        == NDG_E_INDEX);
    check_bad(j->c, &again, &j->desc.partitions, j->ids.rank, extent);
}

static void partition_variant(const test_case *c, const variant *v)
{
    partition_job j;
    int           want = status_of(c), lead = c->partitions.rank, k, i;
    ptrdiff_t     dims[ARRAY_RANK];
    memset(&j, 0, sizeof j);
    j.c = c;
    j.v = v;
    j.parts = (int)c->num_partitions;
    if (j.parts < 1 || j.parts > CASE_PARTS) {
        CHECKF(0, "%s: num_partitions %d", c->name, j.parts);
        return;
    }
    j.rows = c->partitions.size;
    set_context(c, v);
    make_input(&j.data, &c->data[0], v->dtype, v->in_layout,
               lead < c->data[0].rank ? lead : c->data[0].rank, v->offset);
    make_indices(&j.ids, &c->partitions, v->index_type, v->index_layout, lead,
                 v->offset);
    j.desc = partition_of(j.data.elem, array_ndg(&j.data), array_ndg(&j.ids),
                          j.parts);
    j.desc.index_type = v->index_type;
    j.desc.policy = policy_of(c);
    for (k = 0; k < j.parts; k++) {
        j.size[k] = want == NDG_OK ? c->expect[k].dim[0] : 2;
        dims[0] = j.size[k];
        for (i = lead; i < c->data[0].rank; i++)
            dims[i - lead + 1] = c->data[0].dim[i];
        array_shape(&j.out[k], lead <= c->data[0].rank
                    ? c->data[0].rank - lead + 1 : 1, dims, j.data.elem,
                    v->out_layout, 1);
        array_alloc(&j.out[k], v->offset, 0);
        array_twin(&j.want[k], &j.out[k]);
        j.outs[k] = j.out[k].base;
        j.positions[k] = malloc((size_t)j.size[k] * 4 + 1);
        if (want == NDG_OK) {
            SEE(c->expect[k].rank == j.out[k].rank);
            store_tensor(&j.want[k], &c->expect[k], v->dtype);
        }
    }
    if (v->out_layout != LAYOUT_C) {
        j.desc.out_stride = j.out[0].stride[0];
        j.desc.out_slice = ndg_dims(j.out[0].rank - 1, j.out[0].dim + 1,
                                    j.out[0].stride + 1);
    }
    if (want == NDG_OK) {
        partition_good(&j);
    } else if (want == NDG_E_INDEX) {
        partition_bad(&j);
    } else {
        ndg_partition_plan plan;
        ndg_report         r = report_stale();
        SEE_REPORT(ndg_plan_partition(&plan, &j.desc, &r) == want, &r);
        SEE_REPORT(r.status == want && r.op == NDG_OP_DYNAMIC_PARTITION, &r);
        SEE(ndg_dynamic_partition(j.outs, 0, j.size, j.size, j.data.base,
                                  j.ids.base, &j.desc, &r) == want);
    }
    for (k = 0; k < j.parts; k++) {
        array_free(&j.out[k]);
        array_free(&j.want[k]);
        free(j.positions[k]);
    }
    array_free(&j.data);
    array_free(&j.ids);
}

/* ---- all of a case -------------------------------------------------------*/

static void run_variant(const test_case *c, const variant *v)
{
    if (!strcmp(c->op, "dynamic_partition")) partition_variant(c, v);
    else if (!strcmp(c->op, "scatter_nd")) scatter_variant(c, v);
    else if (strstr(c->op, "stitch")) stitch_variant(c, v);
    else gather_variant(c, v);
}

static int index_type_fits(const test_case *c, int type)
{
    int i;
    if (c->partitions.dtype) return all_fit(&c->partitions, type);
    for (i = 0; i < c->n_indices; i++)
        if (!all_fit(&c->indices[i], type)) return 0;
    return 1;
}

/* Layouts of inputs, indices and out that are tried together. Out strides are
 * positive, so out takes the layouts that have none below zero. */
static void run_layouts(const test_case *c, variant v)
{
    static const int out_layout[LAYOUT_COUNT] = {
        LAYOUT_C, LAYOUT_EXPLICIT, LAYOUT_PADDED, LAYOUT_PERMUTED,
        LAYOUT_PERMUTED, LAYOUT_PADDED
    };
    int l;
    for (l = 1; l < LAYOUT_COUNT; l++) {
        v.offset = l & 1;
        v.in_layout = l;
        v.index_layout = v.out_layout = LAYOUT_C;
        run_variant(c, &v);
        v.in_layout = LAYOUT_C;
        v.index_layout = l;
        run_variant(c, &v);
        v.index_layout = LAYOUT_C;
        v.out_layout = out_layout[l];
        run_variant(c, &v);
        v.in_layout = l;
        v.index_layout = LAYOUT_COUNT - l;
        v.offset = !v.offset;
        run_variant(c, &v);
    }
}

static void run_case(const test_case *c)
{
    const tensor *values = c->params.dtype ? &c->params : &c->data[0];
    const tensor *ids = c->partitions.dtype ? &c->partitions : &c->indices[0];
    variant       v;
    int           t, i;
    memset(&v, 0, sizeof v);
    v.dtype = values->dtype;
    v.index_type = dtype_index(ids->dtype);
    SEE(index_type_fits(c, v.index_type));
    for (t = 0; t < INDEX_TYPES; t++) {
        variant w = v;
        w.index_type = t;
        if (index_type_fits(c, t)) run_variant(c, &w);
    }
    for (i = 0; i < c->n_index_dtypes; i++) {
        t = dtype_index(c->index_dtypes[i]);
        SEE(t >= 0 && index_type_fits(c, t));      /* so it was run above */
    }
    for (i = 0; i < c->n_dtypes; i++) {
        variant w = v;
        w.dtype = c->dtypes[i];
        run_variant(c, &w);
        w.offset = 1;
        run_variant(c, &w);
    }
    v.offset = 1;
    run_variant(c, &v);
    if (c->has_negative_axis) {
        v.negative_axis = 1;
        run_variant(c, &v);
        v.negative_axis = 0;
    }
    run_layouts(c, v);
}

static void run_file(const char *path, int want_cases)
{
    case_file f;
    test_case c;
    int       got, cases = 0, skipped = 0;
    if (!case_open(&f, path)) {
        CHECKF(0, "cannot read %s", path);
        return;
    }
    while ((got = case_read(&f, &c)) > 0) {
        const char *why = cannot(&c);
        cases++;
        if (why) {
            printf("skip: %s: %s\n", c.name, why);
            skipped++;
        } else {
            run_case(&c);
        }
        case_free(&c);
    }
    CHECKF(got == 0, "%s: %s", path, f.problem);
    CHECKF(cases == want_cases, "%s: %d cases, not %d", path, cases,
           want_cases);
    printf("%s: %d cases, %d of them skipped\n", path, cases, skipped);
    free(f.text);
}

/* ---- the reader and the encoders themselves ------------------------------*/

static void encoders(void)
{
    CHECK(small_float(1, 5, 10, 0) == 0x3C00);
    CHECK(small_float(-2, 5, 10, 0) == 0xC000);
    CHECK(small_float(65504, 5, 10, 0) == 0x7BFF);
    CHECK(small_float(65520, 5, 10, 0) == 0x7C00);
    CHECK(small_float(1.0 / 16777216, 5, 10, 0) == 0x0001);
    CHECK(small_float(0.1, 5, 10, 0) == 0x2E66);
    CHECK(small_float(1, 8, 7, 0) == 0x3F80);
    CHECK(small_float(3.140625, 8, 7, 0) == 0x4049);
    CHECK(small_float(1, 5, 2, 0) == 0x3C);
    CHECK(small_float(1, 4, 3, 1) == 0x38);
    CHECK(small_float(448, 4, 3, 1) == 0x7E);
    CHECK(small_float(-0.0, 4, 3, 1) == 0x80);
    CHECK(small_float(1e30, 4, 3, 1) == 0x7F);
}

/* A reader that swallowed a damaged line would hide cases. */
static void reader_is_strict(void)
{
    static const char *const good =
        "case: gather/x\nsource: s\nop: gather\npolicy: error\n"
        "params: int32 [2] 1 2\nindices: int32 [] 1\nexpect: int32 [] 2\n";
    static const char *const find[] = {
        "1 2", "[2]", "error", "op:", "int32 [] 1", "source: s\n", "[] 2",
        "gather/x", "expect", "params: ", "op: ", "[2] 1"
    };
    static const char *const make[] = {
        "1", "[2", "mistake", "ops:", "int33 [] 1", "", "[] 2 ", "ab/x",
        "expect1", "params:", "axis: 1 \nop: ", "[2]  1"
    };
    size_t    i;
    case_file f;
    test_case c;
    for (i = 0; i <= sizeof find / sizeof find[0]; i++) {
        char        text[400];
        const char *at = i ? strstr(good, find[i - 1]) : good;
        size_t      before = (size_t)(at - good);
        memcpy(text, good, before);
        strcpy(text + before, i ? make[i - 1] : "");
        strcat(text, at + (i ? strlen(find[i - 1]) : 0));
        memset(&f, 0, sizeof f);
        f.text = f.next = text;
        if (i) CHECKF(case_read(&f, &c) == -1, "%s is not %s", make[i - 1],
                      find[i - 1]);
        else CHECK(case_read(&f, &c) == 1 && c.expect[0].size == 1);
        case_free(&c);
    }
}

/* A scatter has an array or a shape, not both; nothing else has either. */
static void reader_of_scatters(void)
{
    static const struct { const char *op, *line; int fits; } try_[] = {
        { "scatter_nd", "into: int32 [2] 1 2\n", 1 },
        { "scatter_nd", "out: [2]\n", 1 },
        { "scatter_nd", "", 0 },
        { "scatter_nd", "out: [2]\nout: [2]\n", 0 },
        { "scatter_nd", "out: [2]\ninto: int32 [2] 1 2\n", 0 },
        { "scatter_nd", "out: int32 [2]\n", 0 },
        { "scatter_nd", "out: [-2]\n", 0 },
        { "scatter_nd", "into: int32 [2] 1\n", 0 },
        { "scatter_nd", "out: [2]\nparams: int32 [2] 1 2\n", 0 },
        { "gather", "params: int32 [2] 1 2\n", 0 },
        { "dynamic_stitch", "", 1 },
        { "dynamic_stitch", "out: [2]\n", 0 },
        { "dynamic_stitch", "into: int32 [2] 1 2\n", 0 }
    };
    size_t i;
    for (i = 0; i < sizeof try_ / sizeof try_[0]; i++) {
        char      text[400];
        case_file f;
        test_case c;
        sprintf(text, "case: %s/x\nsource: s\nop: %s\npolicy: error\n%s"
                "indices: int32 [1,1] 1\ndata: int32 [1] 5\n"
                "expect: int32 [2] 1 5\n", try_[i].op, try_[i].op,
                try_[i].line);
        memset(&f, 0, sizeof f);
        f.text = f.next = text;
        CHECKF(case_read(&f, &c) == (try_[i].fits ? 1 : -1), "%s, %s",
               try_[i].op, try_[i].line);
        case_free(&c);
    }
}

int main(void)
{
    encoders();
    reader_of_scatters();
    reader_is_strict();
    run_file("tests/cases/tf.txt", 556);
    run_file("tests/cases/onnx.txt", 19);
    run_file("tests/cases/ort.txt", 82);
    return test_end("test_cases");
}
