/* fuzz_gather.c - gather_nd, gather and batch_gather: plans of any shape and
 * size, run, checked, cut into ranges and refused. */
#include "fuzz.h"

#define ROWS_MOST  4096
#define CELLS_MOST 20000

/* One loop of the operation: what a step adds to each address. */
typedef struct axis { ptrdiff_t extent, params, indices, out; } axis;

typedef struct gather_case {
    int             op, batch_dims, axis;     /* as a caller gives them */
    int             b, a, depth;              /* resolved */
    int             out_given, null;
    view            params, indices, out, got_out;
    ndg_gather_desc d;
    verdict         v;
    int             row_axes, slice_axes;
    axis            row[VIEW_RANK], slice[VIEW_RANK];
    ptrdiff_t       rows, cells;              /* cells: elements of a slice */
} gather_case;

/* ---- from bytes to a desc ------------------------------------------------*/

static void take_dims(input *in, view *a, int rank, int extreme)
{
    int i;
    a->rank = rank;
    for (i = 0; i < rank; i++)
        a->dim[i] = take_extent(in, rank > 5, extreme);
}

static void take_nd(input *in, gather_case *c, int extreme)
{
    int R = 1 + take_rank(in), K = 1 + take_rank(in), i, b;
    R = R > 24 ? 24 : R;
    take_dims(in, &c->params, R, extreme);
    take_dims(in, &c->indices, K, extreme);
    b = take(in) % 4 == 3 ? take(in) % K : 0;
    b = b > R ? R : b;
    for (i = 0; i < b; i++) c->indices.dim[i] = c->params.dim[i];
    c->indices.dim[K - 1] = take(in) % (R - b + 1);
    if (R - b > 2 && take(in) % 4) c->indices.dim[K - 1] %= 4;
    c->batch_dims = b;
}

static void take_plain(input *in, gather_case *c, int extreme)
{
    int R = 1 + take_rank(in), K = take_rank(in), i, b, a;
    R = R > 24 ? 24 : R;
    take_dims(in, &c->params, R, extreme);
    take_dims(in, &c->indices, K, extreme);
    b = take(in) % 4 > 1 ? take(in) % (K + 1) : 0;
    b = b >= R ? R - 1 : b;
    for (i = 0; i < b; i++) c->indices.dim[i] = c->params.dim[i];
    a = b + take(in) % (R - b);
    i = take(in);
    c->batch_dims = i & 1 && b < K ? b - K : b;
    c->axis = i & 2 ? a - R : a == b ? 0 : a;
}

static void take_batch(input *in, gather_case *c, int extreme)
{
    int R = 1 + take_rank(in), K = 1 + take_rank(in) % R, i;
    R = R > 24 ? 24 : R;
    K = K > R ? R : K;
    take_dims(in, &c->params, R, extreme);
    take_dims(in, &c->indices, K, extreme);
    for (i = 0; i < K - 1; i++) c->indices.dim[i] = c->params.dim[i];
}

/* ---- what the manual says of it ------------------------------------------*/

static void may_be_any_shape(verdict *v)
{
    int s;
    for (s = NDG_E_RANK; s < NDG_STATUS_COUNT; s++) maybe(v, s);
}

static void option_flaws(const gather_case *c, verdict *v)
{
    const ndg_gather_desc *d = &c->d;
    if (d->elem_size < 1) flaw(v, NDG_E_TYPE);
    if (d->index_type < 0 || d->index_type > NDG_U64) flaw(v, NDG_E_TYPE);
    if (d->policy < 0 || d->policy > NDG_ASSUME_VALID) flaw(v, NDG_E_OPTION);
    if (d->negative < 0 || d->negative > 1) flaw(v, NDG_E_OPTION);
    if (d->overlap < 0 || d->overlap > 1) flaw(v, NDG_E_OPTION);
    if (d->features) flaw(v, NDG_E_OPTION);
    if (d->policy == NDG_FILL && d->elem_size > 16) {
        flaw(v, NDG_E_OPTION);
        maybe(v, NDG_E_TYPE);
    }
    if (c->op != NDG_OP_GATHER && c->axis) flaw(v, NDG_E_AXIS);
    if (c->op == NDG_OP_BATCH_GATHER && c->batch_dims)
        flaw(v, NDG_E_BATCH_DIMS);
}

/* Resolves axis and batch_dims; the flaws of these and of the ranks. */
static int resolve_nd(gather_case *c, verdict *v)
{
    const int R = c->params.rank, K = c->indices.rank, b = c->batch_dims;
    ptrdiff_t depth;
    if (R < 1 || K < 1) return flaw(v, NDG_E_RANK), 0;
    if (b < 0 || b >= K || b > R) return flaw(v, NDG_E_BATCH_DIMS), 0;
    depth = c->indices.dim[K - 1];
    if (depth > R - b) return flaw(v, NDG_E_DEPTH), 0;
    c->depth = (int)depth;
    c->a = c->b = b;
    if (depth > 16) {
        maybe(v, NDG_E_LEVELS);
        if (view_size(&c->indices) > 0) v->must = 1;
    }
    return 1;
}

static int resolve_plain(gather_case *c, verdict *v)
{
    const int R = c->params.rank, K = c->indices.rank;
    int       b = c->batch_dims, a = c->axis;
    c->depth = 1;
    if (R < 1) return flaw(v, NDG_E_RANK), 0;
    if (c->op == NDG_OP_BATCH_GATHER) {
        if (K < 1) return flaw(v, NDG_E_RANK), 0;
        a = b = K - 1;
    } else {
        if (a < -R || a >= R) return flaw(v, NDG_E_AXIS), 0;
        if (b < -K || b > K) return flaw(v, NDG_E_BATCH_DIMS), 0;
        if (b < 0) b += K;
        if (a < 0) a += R;
        else if (a == 0) a = b;
    }
    if (b >= R || b > a) return flaw(v, NDG_E_BATCH_DIMS), 0;
    c->a = a;
    c->b = b;
    return 1;
}

/* Extents of the output, and the loops of rows and of slices. */
static void make_loops(gather_case *c)
{
    const view *p = &c->params, *x = &c->indices;
    view       *o = &c->out;
    const int   n = x->rank - (c->op == NDG_OP_GATHER_ND);
    int         i, to = 0;
    for (i = 0; i < c->a; i++) o->dim[to++] = p->dim[i];
    for (i = c->b; i < n; i++) o->dim[to++] = x->dim[i];
    for (i = c->a + c->depth; i < p->rank; i++) o->dim[to++] = p->dim[i];
    o->rank = to;
    o->elem = p->elem;
    c->row_axes = n;
}

static void step_loops(gather_case *c)
{
    const view *p = &c->params, *x = &c->indices, *o = &c->out;
    const int   n = c->row_axes;
    int         i, k = 0;
    for (i = 0; i < n; i++) {
        c->row[i].extent = x->dim[i];
        c->row[i].params = i < c->b ? p->stride[i] : 0;
        c->row[i].indices = x->stride[i];
        c->row[i].out = o->stride[i < c->b ? i : c->a + i - c->b];
    }
    for (i = c->b; i < p->rank; i++) {
        if (i >= c->a && i < c->a + c->depth) continue;
        c->slice[k].extent = p->dim[i];
        c->slice[k].params = p->stride[i];
        c->slice[k].out = o->stride[i < c->a ? i : i - c->depth + n - c->b];
        k++;
    }
    c->slice_axes = k;
}

static wide loop_size(const axis *a, int n)
{
    wide size = 1;
    int  i, empty = 0;
    for (i = 0; i < n; i++) {
        size *= (wide)a[i].extent;
        if (a[i].extent == 0) empty = 1;
    }
    return empty ? 0 : size;
}

static void level_flaws(const gather_case *c, verdict *v)
{
    const view *all[3];
    int         i, k, strided = 0, long_axes = 0;
    all[0] = &c->params;
    all[1] = &c->indices;
    all[2] = &c->out;
    for (k = 0; k < 3; k++) {
        strided |= all[k]->strided;
        for (i = 0; k < 2 && i < all[k]->rank; i++)
            long_axes += all[k]->dim[i] != 1;
    }
    if (strided && long_axes > NDG_MAX_LEVELS) maybe(v, NDG_E_LEVELS);
}

static void shape_flaws(gather_case *c, verdict *v)
{
    wide rows, cells;
    int  i;
    for (i = 0; i < c->b; i++)
        if (c->params.dim[i] != c->indices.dim[i])
            flaw(v, NDG_E_BATCH_SHAPE);
    view_flaws(&c->params, v);
    view_flaws(&c->indices, v);
    if (v->must) return;
    make_loops(c);
    if (layout_flaws(&c->got_out, &c->out, v)) c->out = c->got_out;
    else view_pack(&c->out);
    step_loops(c);
    rows = loop_size(c->row, c->row_axes);
    cells = loop_size(c->slice, c->slice_axes);
    if (rows > MOST) flaw(v, NDG_E_OVERFLOW);
    if (view_size(&c->out) * (wide)c->out.elem > MOST)
        flaw(v, NDG_E_OVERFLOW);
    if (cells * (wide)c->out.elem > MOST) maybe(v, NDG_E_OVERFLOW);
    level_flaws(c, v);
    if (v->must) return;
    c->rows = (ptrdiff_t)rows;
    c->cells = cells > MOST ? PTRDIFF_MAX : (ptrdiff_t)cells;
}

static void foretell(gather_case *c)
{
    verdict  *v = &c->v;
    const int nd = c->op == NDG_OP_GATHER_ND;
    option_flaws(c, v);
    if (!(nd ? resolve_nd : resolve_plain)(c, v)) {
        may_be_any_shape(v);
        return;
    }
    shape_flaws(c, v);
    if (v->must && v->may >> NDG_E_SHAPE & 1) may_be_any_shape(v);
}

/* ---- one thing wrong -----------------------------------------------------*/

static void spoil_shape(input *in, view *a)
{
    const int how = take(in);
    if (a->rank < 1) return;
    a->dim[how % a->rank] = how & 128 ? take_number(in) : take(in) % 30;
}

static void spoil(input *in, gather_case *c)
{
    ndg_gather_desc *d = &c->d;
    switch (below(in, 64)) {
    case 1: d->policy = take_wrong(in); break;
    case 2: d->index_type = take_wrong(in); break;
    case 3: d->negative = take_wrong(in); break;
    case 4: d->overlap = take_wrong(in); break;
    case 5: d->features = (unsigned)take_wrong(in); break;
    case 6: d->elem_size = take_number(in); break;
    case 7: c->batch_dims = take_wrong(in); break;
    case 8: c->axis = take_wrong(in); break;
    case 9: case 10: spoil_shape(in, &c->params); break;
    case 11: case 12: spoil_shape(in, &c->indices); break;
    case 13: c->batch_dims = (int8_t)take(in); break;
    case 14: c->axis = (int8_t)take(in); break;
    case 15: c->null = 1 + below(in, 4); break;
    case 16: case 17: spoil_shape(in, &c->got_out); break;
    case 18: c->got_out.rank = below(in, 5); break;
    case 19: c->params.rank = below(in, 3); break;
    case 20: c->indices.rank = below(in, 3); break;
    default: break;
    }
}

static void take_case(input *in, gather_case *c)
{
    const int flags = take(in), extreme = flags >= 208;
    const int more = take(in), options = take(in);
    int       i;
    memset(c, 0, sizeof *c);
    c->op = NDG_OP_GATHER_ND + flags % 3;
    c->params.elem = take_elem(in);
    c->d.policy = options % 8;
    c->d.negative = options >> 3 & 1;
    c->d.overlap = options >> 4 & 1;
    c->d.index_type = more % 8;
    if (c->op == NDG_OP_GATHER_ND) take_nd(in, c, extreme);
    else if (c->op == NDG_OP_GATHER) take_plain(in, c, extreme);
    else take_batch(in, c, extreme);
    c->d.elem_size = c->params.elem;
    for (i = 0; i < 16; i++) c->d.fill[i] = (unsigned char)(129 + i);
    c->indices.elem = index_bytes(c->d.index_type);
    take_strides(in, &c->params);
    take_strides(in, &c->indices);
    if (more & 64) {         /* an out of its own */
        verdict   v = { 0, 0 };
        const int nd = c->op == NDG_OP_GATHER_ND;
        if ((nd ? resolve_nd : resolve_plain)(c, &v)) make_loops(c);
        c->got_out = c->out;
        take_out_strides(in, &c->got_out);
    }
    spoil(in, c);
    if (c->d.elem_size != c->params.elem) {
        c->params.elem = c->got_out.elem = c->d.elem_size;
        view_pack(&c->params);
        view_pack(&c->got_out);
    }
    if (c->d.index_type >= 0 && c->d.index_type < INDEX_TYPES)
        c->indices.elem = index_bytes(c->d.index_type);
    if (!c->params.strided) view_pack(&c->params);
    if (!c->indices.strided) view_pack(&c->indices);
    if (!c->got_out.strided) view_pack(&c->got_out);
}

/* ---- plans ---------------------------------------------------------------*/

static int plan_with(const engine *e, int op, ndg_gather_plan *plan,
                     const ndg_gather_desc *d, ndg_report *r)
{
    *r = report_stale();
    memset(plan, 0x5A, sizeof *plan);
    if (op == NDG_OP_GATHER_ND) return e->plan_gather_nd(plan, d, r);
    if (op == NDG_OP_GATHER) return e->plan_gather(plan, d, r);
    return e->plan_batch_gather(plan, d, r);
}

static int out_dims_with(const engine *e, const gather_case *c,
                         ptrdiff_t *dims, int cap)
{
    if (c->op == NDG_OP_GATHER_ND) return e->gather_nd_out_dims(&c->d, dims,
                                                                cap);
    if (c->op == NDG_OP_GATHER) return e->gather_out_dims(&c->d, dims, cap);
    return e->batch_gather_out_dims(&c->d, dims, cap);
}

static void finish_desc(gather_case *c)
{
    c->d.batch_dims = c->batch_dims;
    c->d.axis = c->axis;
    c->d.params = view_ndg(&c->params);
    c->d.indices = view_ndg(&c->indices);
    c->d.out = view_ndg(&c->got_out);
    if (c->null == 1) c->d.params = ndg_dims(-1, NULL, NULL);
    if (c->null == 2) c->d.indices = ndg_dims(7, NULL, NULL);
    if (c->null == 3) {
        c->d.params.rank = 9;
        c->d.params.dims = NULL;
    }
    if (c->null) {
        flaw(&c->v, NDG_E_NULL);
        may_be_any_shape(&c->v);
    }
}

static int all_zero(const void *p, size_t n)
{
    const unsigned char *at = (const unsigned char *)p;
    while (n--) if (*at++) return 0;
    return 1;
}

/* The plan says what the manual says. */
static void compare_plan(const engine *e, gather_case *c,
                         const ndg_gather_plan *plan)
{
    ptrdiff_t dims[VIEW_RANK];
    wide      low, high;
    int       i, cap = c->out.rank;
    view_span(&c->out, &low, &high);
    EXPECT((wide)plan->out_bytes == high, "%ld out_bytes",
           (long)plan->out_bytes);
    EXPECT(plan->rows == c->rows, "%ld rows, not %ld", (long)plan->rows,
           (long)c->rows);
    EXPECT(plan->out_rank == c->out.rank, "rank %d", plan->out_rank);
    if (c->cells < PTRDIFF_MAX / c->out.elem)
        EXPECT(plan->slice_bytes == c->cells * c->out.elem || !c->rows,
               "slices of %ld", (long)plan->slice_bytes);
    memset(dims, 0x5A, sizeof dims);
    EXPECT(out_dims_with(e, c, dims, cap) == cap, "out_dims");
    for (i = 0; i < cap; i++)
        EXPECT(dims[i] == c->out.dim[i], "extent %d is %ld", i,
               (long)dims[i]);
}

/* Plans by each engine. Returns whether it was accepted. */
static int make_plans(gather_case *c, ndg_gather_plan *plan)
{
    ndg_report r, first;
    ptrdiff_t  dims[1];
    int        got, want = -1;
    for (turn = 0; turn < ENGINES; turn++) {
        const engine *e = engines[turn];
        const ndg_gather_desc *d = c->null == 4 ? NULL : &c->d;
        got = plan_with(e, c->op, &plan[turn], d, &r);
        judge(&c->v, got, &r);
        if (turn == 0) {
            want = got;
            first = r;
        }
        EXPECT(got == want && report_same(&r, &first, 1), "%s",
               report_text(&r));
        if (got == NDG_OK) {
            compare_plan(e, c, &plan[turn]);
            continue;
        }
        EXPECT(r.op == c->op, "op %d", r.op);
        say(e, &r, d ? &d->indices : NULL);
        EXPECT(all_zero(&plan[turn], sizeof *plan), "a refused plan");
        if (d) out_dims_with(e, c, dims, 0);
        EXPECT(e->gather_run(&plan[turn], NULL, 0, NULL, NULL, &r)
               == NDG_E_NULL, "ran");
    }
    return want == NDG_OK;
}

/* ---- runs ----------------------------------------------------------------*/

enum { ROW_GOOD, ROW_LOST, ROW_STOPS };

typedef struct gather_run {
    ptrdiff_t      first, last, n, need;
    ptrdiff_t     *index, *from, *to;      /* offsets of each row */
    ptrdiff_t     *cell_from, *cell_to;    /* and of each cell in one */
    char          *state;
    int            bad;                    /* whether the run ends in error */
    int            whole;                  /* params are all there */
    ndg_report     want;
    unsigned char *expect, *fresh;         /* blocks of out */
} gather_run;

static void free_run(gather_run *run)
{
    free(run->index);
    free(run->from);
    free(run->to);
    free(run->cell_from);
    free(run->cell_to);
    free(run->state);
    free(run->expect);
    free(run->fresh);
}

static ptrdiff_t *grab_offsets(ptrdiff_t n)
{
    return (ptrdiff_t *)grab((size_t)n * sizeof(ptrdiff_t));
}

/* Which rows. Returns 0 if there are too many to go over. */
static int take_range(input *in, const gather_case *c, gather_run *run)
{
    const int how = take(in);
    run->first = 0;
    run->last = c->rows;
    if (how % 4 == 3 || c->rows > ROWS_MOST) {
        const size_t all = (size_t)c->rows + 1;
        run->first = (ptrdiff_t)((size_t)take_number(in) % all);
        run->last = take_more(in, run->first, c->rows);
    }
    run->n = run->last - run->first;
    if (c->cells && run->n && c->cells > CELLS_MOST / run->n) return 0;
    return run->n <= ROWS_MOST
           && (wide)run->n * (wide)c->cells * (wide)c->out.elem
              <= (wide)BYTES_MOST;
}

/* Offsets of each row, and of each cell of a row. */
static void make_offsets(const gather_case *c, gather_run *run)
{
    ptrdiff_t at[VIEW_RANK], dim[VIEW_RANK], i;
    int       k;
    run->index = grab_offsets(run->n);
    run->from = grab_offsets(run->n);
    run->to = grab_offsets(run->n);
    run->state = (char *)grab((size_t)run->n);
    for (k = 0; k < c->row_axes; k++) dim[k] = c->row[k].extent;
    for (i = 0; i < run->n; i++) {
        split_position(run->first + i, c->row_axes, dim, at);
        run->index[i] = run->from[i] = run->to[i] = 0;
        for (k = 0; k < c->row_axes; k++) {
            advance(&run->index[i], at[k], c->row[k].indices);
            advance(&run->from[i], at[k], c->row[k].params);
            advance(&run->to[i], at[k], c->row[k].out);
        }
    }
    i = run->n ? c->cells : 0;
    run->cell_from = grab_offsets(i);
    run->cell_to = grab_offsets(i);
    for (k = 0; k < c->slice_axes; k++) dim[k] = c->slice[k].extent;
    while (i-- > 0) {
        split_position(i, c->slice_axes, dim, at);
        run->cell_from[i] = run->cell_to[i] = 0;
        for (k = 0; k < c->slice_axes; k++) {
            advance(&run->cell_from[i], at[k], c->slice[k].params);
            advance(&run->cell_to[i], at[k], c->slice[k].out);
        }
    }
}

/* Memory for the indices of these rows alone, and their values. */
static int make_indices(input *in, gather_case *c, gather_run *run)
{
    view         *x = &c->indices;
    random_source dice = { (uint64_t)take(in) };
    const int     way = below(in, VALUES_WAYS), lead = below(in, 16);
    const ptrdiff_t step = c->op == NDG_OP_GATHER_ND
                           ? x->stride[x->rank - 1] : 0;
    ptrdiff_t     i;
    int           k;
    x->low = x->high = 0;
    for (i = 0; i < run->n; i++)
        for (k = 0; k < c->depth; k++)
            widen(&x->low, &x->high, run->index[i] + k * step, x->elem);
    if (!affordable((wide)x->low, (wide)x->high)) return 0;
    view_alloc(x, lead);
    for (i = 0; i < run->n; i++)
        for (k = 0; k < c->depth; k++)
            put_index(view_at(x, run->index[i] + k * step), c->d.index_type,
                      c->params.dim[c->a + k], way, &dice, in);
    return 1;
}

static int stops(const gather_case *c)
{
    int k;
    if (c->d.policy == NDG_DEFAULT || c->d.policy == NDG_ERROR) return 1;
    if (c->d.policy != NDG_CLIP && c->d.policy != NDG_WRAP) return 0;
    for (k = 0; k < c->depth; k++)
        if (c->params.dim[c->a + k] == 0) return 1;
    return 0;
}

/* Looks up one row: its place in params, its state, and what is bad. */
static void look_row(const gather_case *c, gather_run *run, ptrdiff_t i)
{
    const view *x = &c->indices;
    const ptrdiff_t step = c->op == NDG_OP_GATHER_ND
                           ? x->stride[x->rank - 1] : 0;
    ndg_bad    *b = &run->want.bad;
    int         k, bad, is_u64, any = 0, lost = 0;
    for (k = 0; k < c->depth; k++) {
        const ptrdiff_t n = c->params.dim[c->a + k];
        int64_t   v = index_get(view_at(x, run->index[i] + k * step),
                                c->d.index_type, &is_u64);
        ptrdiff_t at = look_up(v, is_u64, n, c->d.policy, c->d.negative,
                               &bad);
        if (at < 0) lost = 1;
        else advance(&run->from[i], at, c->params.stride[c->a + k]);
        if (bad && !any++ && !b->count) {
            b->component = k;
            b->is_u64 = is_u64;
            b->value = v;
            b->extent = n;
            b->position = run->first + i;
        }
    }
    if (any) b->count++;
    run->state[i] = any && stops(c) ? ROW_STOPS : lost ? ROW_LOST : ROW_GOOD;
}

static void look_rows(const gather_case *c, gather_run *run)
{
    ptrdiff_t i;
    memset(&run->want, 0, sizeof run->want);
    for (i = 0; i < run->n; i++) look_row(c, run, i);
    if (!run->want.bad.count) return;
    run->want.op = c->op;
    run->bad = stops(c);
    if (run->bad) {
        run->want.status = NDG_E_INDEX;
        run->want.operand = NDG_ARG_INDICES;
    }
}

/* Memory for params: all of it, or what the good rows read. */
static int make_params(input *in, gather_case *c, gather_run *run)
{
    view         *p = &c->params;
    random_source dice = { (uint64_t)take(in) };
    wide          low, high;
    ptrdiff_t     i, j;
    const int     lead = below(in, 16);
    view_span(p, &low, &high);
    run->whole = affordable(low, high);
    p->low = run->whole ? (ptrdiff_t)low : 0;
    p->high = run->whole ? (ptrdiff_t)high : 0;
    for (i = 0; i < run->n && !run->whole; i++)
        for (j = 0; j < c->cells && run->state[i] == ROW_GOOD; j++)
            widen(&p->low, &p->high, run->from[i] + run->cell_from[j],
                  p->elem);
    if (!affordable((wide)p->low, (wide)p->high)) return 0;
    view_alloc(p, lead);
    if (!p->base && high != low) p->base = p->block;
    view_noise(p, &dice);
    return 1;
}

static int make_out(input *in, gather_case *c, gather_run *run)
{
    view     *o = &c->out;
    ptrdiff_t i, j;
    const int lead = below(in, 16);
    o->low = o->high = 0;
    for (i = 0; i < run->n; i++)
        for (j = 0; j < c->cells; j++)
            widen(&o->low, &o->high, run->to[i] + run->cell_to[j], o->elem);
    if (!affordable((wide)o->low, (wide)o->high)) return 0;
    run->need = o->high;
    view_alloc(o, lead);
    run->fresh = view_copy(o);
    return 1;
}

/* What out becomes. Bad rows of an error stay as they are. */
static void make_expected(const gather_case *c, gather_run *run)
{
    const view *o = &c->out;
    ptrdiff_t   i, j;
    run->expect = view_copy(o);
    for (i = 0; i < run->n; i++)
        for (j = 0; j < c->cells; j++) {
            unsigned char *to = run->expect + o->lead - o->low + run->to[i]
                              + run->cell_to[j];
            if (run->state[i] == ROW_GOOD)
                memcpy(to, view_at(&c->params, run->from[i]
                                   + run->cell_from[j]), (size_t)o->elem);
            else if (run->state[i] == ROW_LOST && c->d.policy == NDG_ZERO)
                memset(to, 0, (size_t)o->elem);
            else if (run->state[i] == ROW_LOST && c->d.policy == NDG_FILL)
                memcpy(to, c->d.fill, (size_t)o->elem);
        }
}

static void refresh(const gather_case *c, const gather_run *run)
{
    memcpy(c->out.block, run->fresh, (size_t)view_bytes(&c->out));
}

static void untouched(const gather_case *c, const gather_run *run)
{
    EXPECT(!memcmp(c->out.block, run->fresh, (size_t)view_bytes(&c->out)),
           "a refusal wrote");
}

/* Status, report and every byte. After an error good rows may be there. */
static void compare_run(const gather_case *c, const gather_run *run, int got,
                        const ndg_report *r)
{
    const ndg_report *w = &run->want;
    EXPECT(got == w->status && r->status == got, "got %d: %s, want %s", got,
           report_text(r), report_text(w));
    EXPECT(report_same(r, w, !run->bad) && r->bad.count >= !!w->bad.count
           && r->bad.count <= w->bad.count, "%s, want %s", report_text(r),
           report_text(w));
    same_bytes(&c->out, run->expect, run->fresh, run->bad);
}

static int one_call(const engine *e, const gather_case *c, ptrdiff_t room,
                    ndg_report *r)
{
    void       *o = c->out.base;
    const void *p = c->params.base, *x = c->indices.base;
    if (c->op == NDG_OP_GATHER_ND) return e->gather_nd(o, room, p, x, &c->d,
                                                       r);
    if (c->op == NDG_OP_GATHER) return e->gather(o, room, p, x, &c->d, r);
    return e->batch_gather(o, room, p, x, &c->d, r);
}

static void run_whole(const engine *e, const gather_case *c,
                      const gather_run *run, const ndg_gather_plan *plan)
{
    ndg_report r = report_stale();
    int        got;
    refresh(c, run);
    if (run->first == 0 && run->last == c->rows) {
        got = e->gather_run(plan, c->out.base, run->need, c->params.base,
                            c->indices.base, &r);
        compare_run(c, run, got, &r);
        refresh(c, run);
        r = report_stale();
        got = one_call(e, c, run->need, &r);
    } else {
        got = e->gather_run_range(plan, c->out.base, run->need,
                                  c->params.base, c->indices.base,
                                  run->first, run->last, &r);
    }
    compare_run(c, run, got, &r);
    if (r.bad.count) say(e, &r, &c->d.indices);
}

/* In ranges, in any order: the same bytes, and reports that add up. */
static void run_cuts(const engine *e, const gather_case *c,
                     const gather_run *run, const ndg_gather_plan *plan,
                     const ptrdiff_t *cut, int n)
{
    ndg_report sum = { 0 }, r;
    int        k;
    refresh(c, run);
    for (k = n; k-- > 0;) {
        r = report_stale();
        e->gather_run_range(plan, c->out.base, run->need, c->params.base,
                            c->indices.base, cut[k], cut[k + 1], &r);
        e->report_merge(&sum, &r);
    }
    compare_run(c, run, sum.status, &sum);
}

/* The check counts all, under every policy. */
static void run_check(const engine *e, const gather_case *c,
                      const gather_run *run, const ndg_gather_plan *plan)
{
    ndg_report r = report_stale(), w = run->want;
    int        got;
    if (c->d.policy == NDG_ASSUME_VALID && w.bad.count) {
        w.status = NDG_E_INDEX;
        w.operand = NDG_ARG_INDICES;
    }
    got = e->gather_check(plan, c->indices.base, run->first, run->last, &r);
    EXPECT(got == w.status && report_same(&r, &w, 1), "%d: %s, want %s", got,
           report_text(&r), report_text(&w));
}

/* What is refused before a byte is written: no room, no memory, no rows. */
static void run_refusals(const engine *e, const gather_case *c,
                         const gather_run *run, const ndg_gather_plan *plan,
                         ptrdiff_t far)
{
    const void *p = c->params.base, *x = c->indices.base;
    void       *o = c->out.base;
    ndg_report  r = report_stale();
    const int   live = run->n > 0 && c->cells > 0;
    refresh(c, run);
#define RUN(o, room, p, x, a, b) \
    e->gather_run_range(plan, o, room, p, x, a, b, &r)
    EXPECT(e->gather_fits(plan, o, run->need, p, x, run->first, run->last, &r)
           == NDG_OK && report_clean(&r), "%s", report_text(&r));
    EXPECT(e->gather_out_bytes(plan, run->first, run->last) == run->need
           || !run->n, "need %ld", (long)run->need);
    if (live) {
        refused(RUN(o, run->need - 1, p, x, run->first, run->last), &r,
                NDG_E_CAPACITY, NDG_ARG_OUT);
        EXPECT(r.value == run->need - 1 && r.bound == run->need, "%s",
               report_text(&r));
        refused(RUN(o, -1, p, x, run->first, run->last), &r, NDG_E_CAPACITY,
                NDG_ARG_OUT);
        refused(RUN(NULL, run->need, p, x, run->first, run->last), &r,
                NDG_E_NULL, NDG_ARG_OUT);
    }
    if (live && p && view_size(&c->params) > 0)
        refused(RUN(o, run->need, NULL, x, run->first, run->last), &r,
                NDG_E_NULL, NDG_ARG_PARAMS);
    if (run->n && c->depth)
        refused(RUN(o, run->need, p, NULL, run->first, run->last), &r,
                NDG_E_NULL, NDG_ARG_INDICES);
    far = far < 0 ? far : c->rows < PTRDIFF_MAX - far ? c->rows + 1 + far
                                                      : PTRDIFF_MIN;
    refused(RUN(o, run->need, p, x, far, far), &r, NDG_E_RANGE, 0);
    refused(RUN(o, run->need, p, x, 0, far), &r, NDG_E_RANGE, 0);
    if (run->n)
        refused(RUN(o, run->need, p, x, run->last, run->first), &r,
                NDG_E_RANGE, 0);
#undef RUN
    EXPECT(e->gather_out_bytes(plan, far, far) == -1, "out_bytes");
    untouched(c, run);
}

/* ---- overlaps ------------------------------------------------------------*/

/* The input and out in one block, so that they share some bytes, or touch. */
static void run_overlap(input *in, const gather_case *c,
                        const gather_run *run, const ndg_gather_plan *plan)
{
    const int       indices = below(in, 2), behind = below(in, 2);
    const view     *a = indices ? &c->indices : &c->params, *o = &c->out;
    const ptrdiff_t na = a->high - a->low, no = o->high - o->low;
    ptrdiff_t       shared = take(in);
    unsigned char  *block, *at_a, *at_o;
    ndg_report      r = report_stale();
    int             got;
    if (!na || !no || !run->whole) return;
    if (shared > na) shared = na;
    if (shared > no) shared = no;
    block = (unsigned char *)grab((size_t)(na + no));
    at_a = behind ? block + no - shared : block;
    at_o = behind ? block : block + na - shared;
    memset(block, FRESH, (size_t)(na + no));
    memcpy(at_a, a->block + a->lead, (size_t)na);
    at_a = (unsigned char *)((uintptr_t)at_a - (uintptr_t)a->low);
    at_o = (unsigned char *)((uintptr_t)at_o - (uintptr_t)o->low);
    got = engines[turn]->gather_fits(plan, at_o, run->need,
            indices ? c->params.base : at_a, indices ? at_a : c->indices.base,
            run->first, run->last, &r);
    if (shared && c->d.overlap == NDG_OVERLAP_CHECK)
        refused(got, &r, NDG_E_OVERLAP,
                indices ? NDG_ARG_INDICES : NDG_ARG_PARAMS);
    else
        EXPECT(got == NDG_OK, "%ld shared: %s", (long)shared,
               report_text(&r));
    if (got != NDG_OK)
        refused(engines[turn]->gather_run_range(plan, at_o, run->need,
                    indices ? c->params.base : at_a,
                    indices ? at_a : c->indices.base, run->first, run->last,
                    &r), &r, NDG_E_OVERLAP, 0);
    free(block);
}

/* ---- a case --------------------------------------------------------------*/

/* A plan is data: that of another engine does, and one that names no loop, as
 * if it were filled in by hand. */
static void run_other_plans(const engine *e, gather_case *c, gather_run *run,
                            const ndg_gather_plan *plan)
{
    ndg_gather_plan other = plan[(turn + 1) % ENGINES];
    run_whole(e, c, run, &other);
    memset(&other.loop, 0, sizeof other.loop);
    run_whole(e, c, run, &other);
}

static void run_all(input *in, gather_case *c, gather_run *run,
                    const ndg_gather_plan *plan)
{
    ptrdiff_t cut[CUTS], far = take_number(in);
    const int n = take_cuts(in, run->first, run->last, cut);
    const input rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        const engine *e = engines[turn];
        run_check(e, c, run, &plan[turn]);
        run_refusals(e, c, run, &plan[turn], far);
        *in = rest;
        run_overlap(in, c, run, &plan[turn]);
        if (c->d.policy == NDG_ASSUME_VALID && run->want.bad.count) continue;
        run_whole(e, c, run, &plan[turn]);
        run_cuts(e, c, run, &plan[turn], cut, n);
        run_other_plans(e, c, run, plan);
    }
}

/* Params that are not all there lie apart from out by the caller's word. */
static void plan_again(gather_case *c, ndg_gather_plan *plan)
{
    c->d.overlap = NDG_OVERLAP_DISJOINT;
    EXPECT(make_plans(c, plan), "accepted before");
}

static void run_case(input *in, gather_case *c, ndg_gather_plan *plan)
{
    gather_run run;
    memset(&run, 0, sizeof run);
    if (!take_range(in, c, &run)) return;
    make_offsets(c, &run);
    if (make_indices(in, c, &run)) {
        look_rows(c, &run);
        if (make_params(in, c, &run) && make_out(in, c, &run)) {
            make_expected(c, &run);
            if (!run.whole) plan_again(c, plan);
            run_all(in, c, &run, plan);
        }
    }
    view_free(&c->indices);
    view_free(&c->params);
    view_free(&c->out);
    free_run(&run);
}

static gather_case c;

static void print_case(void)
{
    printf("    op %d, batch_dims %d, axis %d, type %d, policy %d, "
           "negative %d, overlap %d\n", c.op, c.batch_dims, c.axis,
           c.d.index_type, c.d.policy, c.d.negative, c.d.overlap);
    view_print("params", &c.params);
    view_print("indices", &c.indices);
    view_print("out given", &c.got_out);
    view_print("out", &c.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ndg_gather_plan plan[ENGINES];
    input                  in;
    in.at = data;
    in.end = data + size;
    take_case(&in, &c);
    foretell(&c);
    finish_desc(&c);
    tell(print_case);
    if (make_plans(&c, plan)) run_case(&in, &c, plan);
    return 0;
}
