/* fuzz_partition.c - dynamic_partition and its parts: plans, counts, runs,
 * ranges with starts, positions, capacities, and what is refused. */
#include "fuzz.h"

#define PARTS_MOST 300
#define ROWS_MOST  4096
#define WORK_MOST  20000

typedef struct part_memory {
    view           out, positions;
    unsigned char *fresh, *expect, *fresh_at, *expect_at;
    ptrdiff_t      rows;        /* that it gets */
} part_memory;

typedef struct partition_case {
    ndg_partition_desc d;
    verdict            v;
    int                lead;         /* axes of partitions */
    view               data, ids, slice, got_slice, out_slice;
    ptrdiff_t          rows, cells, row_step, id_step;
    ptrdiff_t          row_span, out_stride, parts;
    ptrdiff_t          first, last;
    int                positions;
    part_memory       *part;
    void             **outs, **ats;
    ptrdiff_t         *counts, *cursors;
    ndg_report         want;
} partition_case;

static partition_case c;

static void print_case(void)
{
    printf("    type %d, position_type %d, policy %d, overlap %d, out_stride "
           "%ld, parts %ld, rows %ld: %ld ... %ld\n", c.d.index_type,
           c.d.position_type, c.d.policy, c.d.overlap, (long)c.d.out_stride,
           (long)c.d.num_partitions, (long)c.rows, (long)c.first,
           (long)c.last);
    view_print("data", &c.data);
    view_print("partitions", &c.ids);
    view_print("out_slice", &c.got_slice);
}

/* ---- from bytes to a desc ------------------------------------------------*/

static ptrdiff_t take_parts(input *in, int extreme)
{
    const int b = take(in);
    if (extreme && b >= 224) return take_number(in);
    return b < 200 ? 1 + b % 9 : b < 250 ? 1 + b % 70 : PARTS_MOST - b + 250;
}

/* Strides of the leading axes that fold to one step. */
static void fold_lead(view *a, int lead, ptrdiff_t step)
{
    size_t s = (size_t)step;
    int    i;
    for (i = lead - 1; i >= 0; i--) {
        a->stride[i] = (ptrdiff_t)s;
        s *= (size_t)a->dim[i];
    }
}

static void take_dims(input *in, int extreme)
{
    const int rank = take_rank(in);
    view     *a = &c.data;
    int       i, few;
    c.lead = take_rank(in);
    few = c.lead + rank > 5;
    c.lead = c.lead > 24 ? 24 : c.lead;
    a->rank = c.lead + (rank > 24 - c.lead ? 24 - c.lead : rank);
    for (i = 0; i < a->rank; i++) a->dim[i] = take_extent(in, few, extreme);
    c.ids.rank = c.lead;
    for (i = 0; i < c.lead; i++) c.ids.dim[i] = a->dim[i];
}

/* Strides: of the slice any, of the leading axes one step, as a rule. */
static void take_layout(input *in)
{
    const int how = take(in);
    view     *a = &c.data, row;
    int       i;
    memset(&row, 0, sizeof row);
    row.elem = a->elem;
    row.rank = a->rank - c.lead;
    for (i = 0; i < row.rank; i++) row.dim[i] = a->dim[c.lead + i];
    if (how & 1) take_strides(in, &row);
    view_pack(a);
    if (how & 3) {
        ptrdiff_t step = (int8_t)take(in);
        if (how & 4) step *= take(in);
        if (how & 8) step = take_number(in);
        a->strided = 1;
        view_pack(row.strided ? a : &row);
        for (i = 0; i < row.rank && (how & 1); i++)
            a->stride[c.lead + i] = row.stride[i];
        fold_lead(a, c.lead, step);
    }
    view_pack(&c.ids);
    if (how & 16) {
        c.ids.strided = 1;
        fold_lead(&c.ids, c.lead, how & 32 ? take_number(in)
                                           : (int8_t)take(in));
    }
    if (how & 64 && c.lead) {        /* rows that do not fold, perhaps */
        view *b = how & 128 ? &c.ids : a;
        b->strided = 1;
        b->stride[take(in) % c.lead] = (int8_t)take(in);
    }
}

static void spoil(input *in)
{
    ndg_partition_desc *d = &c.d;
    switch (below(in, 64)) {
    case 1: d->policy = take_wrong(in); break;
    case 2: d->index_type = take_wrong(in); break;
    case 3: d->position_type = take_wrong(in); break;
    case 4: d->overlap = take_wrong(in); break;
    case 5: d->features = (unsigned)take_wrong(in); break;
    case 6: d->elem_size = take_number(in); break;
    case 7: d->out_stride = take_number(in); break;
    case 8: d->out_stride += (int8_t)take(in); break;
    case 9: d->num_partitions = take_number(in); break;
    case 10: if (c.ids.rank) c.ids.dim[0] = take(in); break;
    case 11: c.ids.rank = below(in, 25); break;
    case 12: if (c.got_slice.rank) c.got_slice.dim[0] = take(in); break;
    case 13: c.got_slice.rank = below(in, 4); break;
    case 14: d->policy = below(in, 8); break;
    default: break;
    }
}

static void make_slice(void)
{
    const int n = c.data.rank - c.lead;
    int       i;
    c.slice.rank = n > 0 ? n : 0;
    c.slice.elem = c.data.elem;
    c.slice.strided = 1;
    for (i = 0; i < n; i++) {
        c.slice.dim[i] = c.data.dim[c.lead + i];
        c.slice.stride[i] = c.data.stride[c.lead + i];
    }
}

static void take_desc(input *in)
{
    static const int policies[4] = {
        NDG_DEFAULT, NDG_ERROR, NDG_DROP, NDG_ASSUME_VALID
    };
    const int flags = take(in), extreme = flags >= 208, more = take(in);
    wide      low, high;
    memset(&c, 0, sizeof c);
    c.data.elem = take_elem(in);
    c.d.policy = policies[flags & 3];
    c.d.overlap = flags >> 2 & 1;
    c.d.index_type = more & 7;
    c.d.position_type = more >> 3 & 7;
    c.d.num_partitions = take_parts(in, extreme);
    c.ids.elem = index_bytes(c.d.index_type);
    take_dims(in, extreme);
    take_layout(in);
    make_slice();
    if (more & 64) {
        c.got_slice = c.slice;
        take_out_strides(in, &c.got_slice);
    }
    c.got_slice.elem = c.data.elem;
    c.out_slice = more & 64 ? c.got_slice : c.slice;
    if (!(more & 64)) view_pack(&c.out_slice);
    view_span(&c.out_slice, &low, &high);
    if (more & 128 && high < MOST / 4)
        c.d.out_stride = (ptrdiff_t)high + take(in) % 9;
    c.d.elem_size = c.data.elem;
    spoil(in);
    c.data.elem = c.got_slice.elem = c.d.elem_size;
    if (c.d.index_type >= 0 && c.d.index_type < INDEX_TYPES)
        c.ids.elem = index_bytes(c.d.index_type);
    if (!c.data.strided) view_pack(&c.data);
    if (!c.ids.strided) view_pack(&c.ids);
    if (!c.got_slice.strided) view_pack(&c.got_slice);
}

/* ---- what the manual says of it ------------------------------------------*/

static void option_flaws(verdict *v)
{
    const ndg_partition_desc *d = &c.d;
    const int p = d->policy;
    if (d->elem_size < 1) flaw(v, NDG_E_TYPE);
    if (d->index_type < 0 || d->index_type > NDG_U64) flaw(v, NDG_E_TYPE);
    if (d->position_type < 0 || d->position_type > NDG_U64)
        flaw(v, NDG_E_TYPE);
    if (p != NDG_DEFAULT && p != NDG_ERROR && p != NDG_DROP
        && p != NDG_ASSUME_VALID) flaw(v, NDG_E_OPTION);
    if (d->overlap < 0 || d->overlap > 1) flaw(v, NDG_E_OPTION);
    if (d->features) flaw(v, NDG_E_OPTION);
    if (d->num_partitions < 1) flaw(v, NDG_E_COUNT);
    if ((wide)d->num_partitions * (wide)sizeof(ptrdiff_t) > MOST)
        maybe(v, NDG_E_OVERFLOW);      /* so many counts cannot be */
}

/* Whether the leading axes are one step apart; the step goes to *step. */
static int folds(const view *a, int lead, ptrdiff_t *step)
{
    wide next = 0;
    int  i, any = 0;
    *step = 0;
    for (i = lead - 1; i >= 0; i--) {
        if (a->dim[i] == 1) continue;
        if (!any++) *step = a->stride[i];
        else if ((wide)a->stride[i] != next) return 0;
        next = (wide)a->stride[i] * (wide)a->dim[i];
    }
    return 1;
}

static wide lead_size(void)
{
    view a = c.ids;
    a.rank = c.lead;
    return view_size(&a);
}

static void rows_flaws(verdict *v)
{
    const wide rows = lead_size();
    const int  data = folds(&c.data, c.lead, &c.row_step);
    const int  ids = folds(&c.ids, c.lead, &c.id_step);
    if (rows > MOST) flaw(v, NDG_E_OVERFLOW);
    if (!data || !ids) {
        maybe(v, NDG_E_STRIDE);
        if (rows > 0 && view_size(&c.slice) > 0) v->must = 1;
    }
    c.rows = rows > MOST || rows < 0 ? 0 : (ptrdiff_t)rows;
}

static void foretell(void)
{
    verdict *v = &c.v;
    wide     low, high;
    int      i, differs = 0;
    option_flaws(v);
    if (c.ids.rank > c.data.rank) {
        flaw(v, NDG_E_RANK);
        maybe(v, NDG_E_SHAPE);
        maybe(v, NDG_E_OVERFLOW);
        return;
    }
    c.lead = c.ids.rank;
    for (i = 0; i < c.lead; i++) differs |= c.ids.dim[i] != c.data.dim[i];
    if (differs) flaw(v, NDG_E_SHAPE);
    make_slice();
    view_flaws(&c.data, v);
    view_flaws(&c.ids, v);
    c.out_slice = c.slice;
    c.out_slice.strided = 0;
    view_pack(&c.out_slice);
    if (layout_flaws(&c.got_slice, &c.slice, v)) c.out_slice = c.got_slice;
    if (c.data.rank > NDG_MAX_LEVELS && (c.data.strided || c.ids.strided
                                         || c.got_slice.strided))
        maybe(v, NDG_E_LEVELS);
    view_span(&c.slice, &low, &high);    /* without rows, too */
    if (view_size(&c.slice) * (wide)c.slice.elem > MOST || high - low > MOST)
        maybe(v, NDG_E_OVERFLOW);
    rows_flaws(v);
    for (i = 0; i < c.data.rank; i++) if (c.data.dim[i] < 0) return;
    view_span(&c.out_slice, &low, &high);
    if (c.d.out_stride < 0) flaw(v, NDG_E_STRIDE);
    if (c.d.out_stride && (wide)c.d.out_stride < high) flaw(v, NDG_E_STRIDE);
    if (v->must) return;
    c.cells = view_size(&c.slice) > MOST ? 0 : (ptrdiff_t)view_size(&c.slice);
    c.row_span = high > MOST ? 0 : (ptrdiff_t)high;
    c.out_stride = c.d.out_stride ? c.d.out_stride : c.row_span;
    c.parts = c.d.num_partitions;
}

static int make_plans(ndg_partition_plan *plan)
{
    ndg_report r, first;
    int        got, want = -1;
    c.d.data = view_ndg(&c.data);
    c.d.partitions = view_ndg(&c.ids);
    c.d.out_slice = view_ndg(&c.got_slice);
    for (turn = 0; turn < ENGINES; turn++) {
        r = report_stale();
        memset(&plan[turn], 0x5A, sizeof *plan);
        got = engines[turn]->plan_partition(&plan[turn], &c.d, &r);
        judge(&c.v, got, &r);
        if (turn == 0) {
            want = got;
            first = r;
        }
        EXPECT(got == want && report_same(&r, &first, 1), "%s",
               report_text(&r));
        if (got != NDG_OK) {
            say(engines[turn], &r, &c.d.partitions);
            EXPECT(engines[turn]->partition_count(&plan[turn], NULL, 0, 0,
                       NULL, &r) == NDG_E_NULL, "counted");
            continue;
        }
        EXPECT(plan[turn].rows == c.rows && plan[turn].num_partitions
               == c.parts, "%ld rows", (long)plan[turn].rows);
        EXPECT(plan[turn].out_rank == 1 + c.slice.rank, "rank");
        EXPECT(!c.cells || !c.rows || plan[turn].row.out_stride
               == c.out_stride, "stride");
    }
    return want == NDG_OK;
}

/* ---- memory and the answer -----------------------------------------------*/

static int take_range(input *in)
{
    const int how = take(in);
    c.first = 0;
    c.last = c.rows;
    c.positions = how & 1;
    if (how & 2 || c.rows > ROWS_MOST) {
        size_t at = (size_t)take_number(in) % ((size_t)c.rows + 1);
        c.first = (ptrdiff_t)at;
        c.last = take_more(in, c.first, c.rows);
        if (how & 4) c.first = 0;
    }
    if (c.last - c.first > ROWS_MOST || c.parts > PARTS_MOST) return 0;
    return !c.cells || c.last - c.first <= WORK_MOST / c.cells;
}

/* Memory for the rows of the range alone; data of all the plan's rows where
 * that is not too much, as overlaps are looked for. */
static int span_rows(view *a, const view *of, ptrdiff_t step)
{
    wide low, high, x, y;
    view row = *of;
    a->low = a->high = 0;
    if (c.first == c.last) return 1;
    view_span(&row, &low, &high);
    if (low == high) return 1;
    x = (wide)c.first * (wide)step;
    y = ((wide)c.last - 1) * (wide)step;
    low += x < y ? x : y;
    high += x < y ? y : x;
    if (!affordable(low, high)) return 0;
    a->low = (ptrdiff_t)low;
    a->high = (ptrdiff_t)high;
    return 1;
}

static int make_inputs(input *in)
{
    random_source dice = { (uint64_t)take(in) };
    const int     way = below(in, VALUES_WAYS);
    view          scalar;
    ptrdiff_t     i;
    memset(&scalar, 0, sizeof scalar);
    scalar.elem = c.ids.elem;
    if (!span_rows(&c.ids, &scalar, c.id_step)) return 0;
    if (!span_rows(&c.data, &c.slice, c.row_step)) return 0;
    view_alloc(&c.ids, below(in, 16));
    view_alloc(&c.data, below(in, 16));
    view_noise(&c.data, &dice);
    for (i = c.first; i < c.last; i++)
        put_index(view_at(&c.ids, i * c.id_step), c.d.index_type, c.parts,
                  way, &dice, in);
    return 1;
}

/* The part of row i, or -1. */
static ptrdiff_t part_of(ptrdiff_t i, int64_t *v, int *is_u64)
{
    *v = index_get(view_at(&c.ids, i * c.id_step), c.d.index_type, is_u64);
    return !*is_u64 && *v >= 0 && *v < c.parts ? (ptrdiff_t)*v : -1;
}

static void count_rows(void)
{
    ndg_bad  *b = &c.want.bad;
    int64_t   v;
    int       is_u64;
    ptrdiff_t i, k;
    for (i = c.first; i < c.last; i++) {
        k = part_of(i, &v, &is_u64);
        if (k >= 0) {
            c.part[k].rows++;
            continue;
        }
        if (b->count++) continue;
        b->position = i;
        b->value = v;
        b->is_u64 = is_u64;
        b->extent = c.parts;
    }
    if (!b->count) return;
    c.want.op = NDG_OP_DYNAMIC_PARTITION;
    if (c.d.policy == NDG_DROP) return;
    c.want.status = NDG_E_INDEX;
    c.want.operand = NDG_ARG_PARTITIONS;
}

static int make_outs(input *in)
{
    const size_t words = (size_t)c.parts * sizeof(void *);
    ptrdiff_t    k;
    wide         all = 0;
    c.outs = (void **)grab(words);
    c.ats = (void **)grab(words);
    for (k = 0; k < c.parts; k++) {
        part_memory *p = &c.part[k];
        const wide   last = (wide)p->rows - 1;
        p->out.elem = c.data.elem;
        p->positions.elem = index_bytes(c.d.position_type);
        if (p->rows && c.cells)
            all += last * (wide)c.out_stride + (wide)c.row_span;
        if (all > (wide)BYTES_MOST) return 0;
        if (p->rows && c.cells)
            p->out.high = (ptrdiff_t)(last * (wide)c.out_stride)
                        + c.row_span;
        p->positions.high = p->rows * p->positions.elem;
        view_alloc(&p->out, below(in, 16));
        view_alloc(&p->positions, below(in, 16));
        p->fresh = view_copy(&p->out);
        p->expect = view_copy(&p->out);
        p->fresh_at = view_copy(&p->positions);
        p->expect_at = view_copy(&p->positions);
        c.outs[k] = p->out.base;
        c.ats[k] = p->positions.base;
    }
    return 1;
}

static ptrdiff_t cell_offset(const view *a, ptrdiff_t cell)
{
    ptrdiff_t at[VIEW_RANK], offset = 0;
    int       i;
    split_position(cell, a->rank, a->dim, at);
    for (i = 0; i < a->rank; i++) offset += at[i] * a->stride[i];
    return offset;
}

static void make_expected(void)
{
    ptrdiff_t i, j, k, row, *next = c.cursors;
    int64_t   v;
    int       is_u64;
    memset(next, 0, (size_t)c.parts * sizeof *next);
    for (i = c.first; i < c.last; i++) {
        part_memory *p;
        k = part_of(i, &v, &is_u64);
        if (k < 0) continue;
        p = &c.part[k];
        row = next[k]++;
        index_put(p->expect_at + p->positions.lead + row * p->positions.elem,
                  c.d.position_type, i);
        for (j = 0; j < c.cells; j++)
            memcpy(p->expect + p->out.lead + row * c.out_stride
                   + cell_offset(&c.out_slice, j),
                   view_at(&c.data, i * c.row_step
                           + cell_offset(&c.slice, j)),
                   (size_t)c.data.elem);
    }
}

/* ---- runs ----------------------------------------------------------------*/

static void refresh(void)
{
    ptrdiff_t k;
    for (k = 0; k < c.parts; k++) {
        part_memory *p = &c.part[k];
        memcpy(p->out.block, p->fresh, (size_t)view_bytes(&p->out));
        memcpy(p->positions.block, p->fresh_at,
               (size_t)view_bytes(&p->positions));
    }
}

/* half: after an error good rows may have been written, or not. */
static void compare_parts(int positions, int half)
{
    ptrdiff_t k;
    for (k = 0; k < c.parts; k++) {
        part_memory *p = &c.part[k];
        same_bytes(&p->out, p->expect, p->fresh, half);
        same_bytes(&p->positions, positions ? p->expect_at : p->fresh_at,
                   p->fresh_at, half);
    }
}

static void untouched(void)
{
    ptrdiff_t k;
    for (k = 0; k < c.parts; k++) {
        part_memory *p = &c.part[k];
        same_bytes(&p->out, p->fresh, p->fresh, 0);
        same_bytes(&p->positions, p->fresh_at, p->fresh_at, 0);
    }
}

static void compare_report(int got, const ndg_report *r, int exact)
{
    const ndg_report *w = &c.want;
    EXPECT(got == w->status && r->status == got && report_same(r, w, exact)
           && r->bad.count >= !!w->bad.count && r->bad.count <= w->bad.count,
           "%d: %s, want %s", got, report_text(r), report_text(w));
}

/* Whether all positions of the range fit their type. */
static int positions_fit(void)
{
    return c.first == c.last
           || index_holds(c.d.position_type, c.last - 1, 0);
}

static void check_count(const engine *e, const ndg_partition_plan *plan)
{
    ndg_report r = report_stale();
    ptrdiff_t  k;
    int        got;
    memset(c.counts, 0x5A, (size_t)c.parts * sizeof *c.counts);
    got = e->partition_count(plan, c.ids.base, c.first, c.last, c.counts,
                             &r);
    compare_report(got, &r, 1);
    for (k = 0; k < c.parts; k++)
        EXPECT(c.counts[k] == c.part[k].rows, "part %ld: %ld, not %ld",
               (long)k, (long)c.counts[k], (long)c.part[k].rows);
    if (r.bad.count) say(e, &r, &c.d.partitions);
}

/* In ranges, each of which was counted; the reports add up. */
static void run_cuts(const engine *e, const ndg_partition_plan *plan,
                     const ptrdiff_t *cut, int n)
{
    const size_t words = (size_t)c.parts * (size_t)n;
    ptrdiff_t   *counts = (ptrdiff_t *)grab(words * sizeof *counts);
    ptrdiff_t   *cursors = (ptrdiff_t *)grab(words * sizeof *cursors);
    ndg_report   sum = { 0 }, r;
    int          w, positions = c.positions && positions_fit();
    ptrdiff_t    k;
    refresh();
    for (w = 0; w < n; w++)
        e->partition_count(plan, c.ids.base, cut[w], cut[w + 1],
                           counts + w * c.parts, &r);
    e->partition_starts(counts, cursors, n, c.parts);
    for (w = n; w-- > 0;) {
        r = report_stale();
        e->partition_run_range(plan, c.outs, positions ? c.ats : NULL,
                c.data.base, c.ids.base, cut[w], cut[w + 1],
                cursors + w * c.parts, counts + w * c.parts, &r);
        e->report_merge(&sum, &r);
        if (c.want.status) continue;
        for (k = 0; k < c.parts; k++)
            EXPECT(cursors[w * c.parts + k] == counts[w * c.parts + k],
                   "worker %d stops before its limit of part %ld", w, (long)k);
    }
    compare_report(sum.status, &sum, !c.want.status);
    compare_parts(positions, c.want.status != NDG_OK);
    free(counts);
    free(cursors);
}

/* All rows from 0 on: by counts, and in one call. */
static void run_whole(const engine *e, const ndg_partition_plan *plan)
{
    const int  positions = c.positions && positions_fit();
    ndg_report r = report_stale();
    ptrdiff_t  k;
    int        got;
    if (c.first) return;
    refresh();
    got = e->partition_run(plan, c.outs, positions ? c.ats : NULL,
            c.data.base, c.ids.base, c.last, c.counts, c.cursors, &r);
    compare_report(got, &r, !c.want.status);
    compare_parts(positions, got != NDG_OK);
    for (k = 0; k < c.parts && got == NDG_OK; k++)
        EXPECT(c.cursors[k] == c.counts[k], "cursor %ld", (long)k);
    if (c.last != c.rows) return;
    refresh();
    r = report_stale();
    memset(c.cursors, 0x5A, (size_t)c.parts * sizeof *c.cursors);
    got = e->dynamic_partition(c.outs, positions ? c.ats : NULL, c.counts,
                               c.cursors, c.data.base, c.ids.base, &c.d, &r);
    compare_report(got, &r, !c.want.status);
    if (got == NDG_OK) compare_parts(positions, 0);
    else untouched();
    for (k = 0; k < c.parts && got == NDG_OK; k++)
        EXPECT(c.cursors[k] == c.counts[k], "count %ld", (long)k);
}

/* What each part needs, by giving none anything. */
static void run_question(const engine *e)
{
    ndg_report r = report_stale();
    ptrdiff_t *none, k, rows = 0;
    int        got;
    if (c.first || c.last != c.rows || c.want.status || !c.cells) return;
    none = (ptrdiff_t *)grab_zeros((size_t)c.parts * sizeof *none);
    for (k = 0; k < c.parts; k++) rows += c.counts[k];
    got = e->dynamic_partition(NULL, NULL, none, c.cursors,
                               turn ? c.data.base : NULL, c.ids.base, &c.d, &r);
    EXPECT(got == (rows ? NDG_E_CAPACITY : NDG_OK), "%s", report_text(&r));
    for (k = 0; k < c.parts; k++)
        EXPECT(c.cursors[k] == c.counts[k], "count %ld", (long)k);
    free(none);
}

/* That nothing is written of part k from row n on. */
static void fresh_from(ptrdiff_t k, ptrdiff_t n)
{
    const part_memory *p = &c.part[k];
    ptrdiff_t          at;
    if (!c.cells || n >= p->rows) return;
    at = p->out.lead + n * c.out_stride;
    EXPECT(!memcmp(p->out.block + at, p->fresh + at,
                   (size_t)(view_bytes(&p->out) - at)),
           "written beyond row %ld of part %ld", (long)n, (long)k);
}

/* Parts that begin at some row of theirs, with more room than they need or,
 * once in a while, less: rows are where the cursors say, and no others. */
static void run_room(input *in, const engine *e,
                     const ndg_partition_plan *plan)
{
    ndg_partition_plan apart = *plan;
    ndg_report         r = report_stale();
    const int          how = take(in);
    ptrdiff_t         *limit, k, first = how & 1 ? take(in) % 5 : 0;
    void             **outs;
    int                got, less = 0;
    if ((wide)c.out_stride * (ROWS_MOST + 16) > MOST) return;
    limit = (ptrdiff_t *)grab((size_t)c.parts * sizeof *limit);
    outs = (void **)grab((size_t)c.parts * sizeof *outs);
    apart.overlap = NDG_OVERLAP_DISJOINT;     /* of more room than is there */
    for (k = 0; k < c.parts; k++) {
        const ptrdiff_t rows = c.part[k].rows;
        const int       b = take(in);
        limit[k] = first + rows + (b < 128 ? 0 : b % 9);
        if (how & 2 && rows && b % 7 == 3) {
            limit[k] = first + b % rows;
            less = 1;
        }
        c.cursors[k] = first;
        outs[k] = (void *)((uintptr_t)(c.outs[k] ? c.outs[k] : limit)
                           - (uintptr_t)(first * c.out_stride));
    }
    refresh();
    got = e->partition_run_range(&apart, outs, NULL, c.data.base, c.ids.base,
                                 c.first, c.last, c.cursors, limit,
                                 how & 4 ? NULL : &r);
    EXPECT(got == c.want.status || (less && got == NDG_E_CAPACITY), "%d", got);
    if (!less && !(how & 4)) compare_report(got, &r, !c.want.status);
    compare_parts(0, got != NDG_OK);
    for (k = 0; k < c.parts; k++) {
        const ptrdiff_t rows = c.cursors[k] - first;
        EXPECT(rows >= 0 && rows <= c.part[k].rows
               && c.cursors[k] <= limit[k], "cursor %ld", (long)c.cursors[k]);
        EXPECT(got != NDG_OK || rows == c.part[k].rows, "rows %ld", (long)rows);
        fresh_from(k, rows);
    }
    free(limit);
    free(outs);
}

/* One part has a row less room than it needs. */
static void run_short(input *in, const engine *e,
                      const ndg_partition_plan *plan)
{
    const ptrdiff_t k = take(in) % c.parts;
    ndg_report      r = report_stale();
    int             got;
    if (c.first || !c.counts[k] || c.want.status) return;
    c.counts[k]--;
    refresh();
    got = e->partition_run(plan, c.outs, NULL, c.data.base, c.ids.base,
                           c.last, c.counts, c.cursors, &r);
    EXPECT(got == NDG_E_CAPACITY && r.item == k
           && r.value == c.counts[k] && r.operand == NDG_ARG_OUT, "%s",
           report_text(&r));
    compare_parts(0, 1);
    fresh_from(k, c.counts[k]);
    EXPECT(c.cursors[k] == c.counts[k], "cursor %ld", (long)c.cursors[k]);
    if (c.last == c.rows) {
        refresh();
        got = e->dynamic_partition(c.outs, NULL, c.counts, c.cursors,
                                   c.data.base, c.ids.base, &c.d, &r);
        EXPECT(got == NDG_E_CAPACITY && r.item == k && r.value == c.counts[k]
               && r.bound == c.counts[k] + 1 && c.cursors[k] == r.bound, "%s",
               report_text(&r));
        untouched();
    }
    c.counts[k]++;
}

/* Whether all outputs are apart: nothing else can be asked here. */
static void run_refusals(const engine *e, const ndg_partition_plan *plan,
                         ptrdiff_t far)
{
    const int  live = c.last > c.first, copies = c.cells > 0;
    ndg_report r = report_stale();
    void     **o = c.outs;
    ptrdiff_t  k, *at = c.cursors;
    refresh();
    memset(at, 0, (size_t)c.parts * sizeof *at);
#define RUN(o, ats, d, x, a, b) \
    e->partition_run_range(plan, o, ats, d, x, a, b, at, c.counts, &r)
    if (live)
        refused(RUN(o, NULL, c.data.base, NULL, c.first, c.last), &r,
                NDG_E_NULL, NDG_ARG_PARTITIONS);
    for (k = 0; k < c.parts && !c.counts[k]; k++) {}
    if (live && copies && k < c.parts) {
        refused(RUN(o, NULL, NULL, c.ids.base, c.first, c.last), &r,
                NDG_E_NULL, NDG_ARG_DATA);
        o[k] = NULL;
        refused(RUN(o, NULL, c.data.base, c.ids.base, c.first, c.last), &r,
                NDG_E_NULL, NDG_ARG_OUT);
        o[k] = c.part[k].out.base;
    }
    if (live && c.positions && !positions_fit())
        refused(RUN(o, c.ats, c.data.base, c.ids.base, c.first, c.last), &r,
                NDG_E_OVERFLOW, NDG_ARG_POSITIONS);
    if (live && c.positions && positions_fit() && k < c.parts
        && index_bytes(c.d.position_type) > 1) {
        const ptrdiff_t rows = c.counts[k];
        at[k] = PTRDIFF_MAX / 2;           /* its place cannot be addressed */
        c.counts[k] = PTRDIFF_MAX / 2 + 1;
        refused(RUN(o, c.ats, c.data.base, c.ids.base, c.first, c.last), &r,
                NDG_E_OVERFLOW, NDG_ARG_POSITIONS);
        c.counts[k] = rows;
        at[k] = 0;
    }
    if (far >= 0) far = far < PTRDIFF_MAX - c.rows ? c.rows + 1 + far : -1;
    refused(RUN(o, NULL, c.data.base, c.ids.base, far, far), &r, NDG_E_RANGE,
            0);
    refused(RUN(o, NULL, c.data.base, c.ids.base, 0, far), &r, NDG_E_RANGE,
            0);
    if (live)
        refused(RUN(o, NULL, c.data.base, c.ids.base, c.last, c.first), &r,
                NDG_E_RANGE, 0);
#undef RUN
    untouched();
}

/* One part lies in data, or in partitions. */
static void run_overlap(input *in, const engine *e,
                        const ndg_partition_plan *plan)
{
    const ptrdiff_t k = take(in) % c.parts;
    const int       data = below(in, 2);
    const view     *a = data ? &c.data : &c.ids, *o = &c.part[k].out;
    const ptrdiff_t na = a->high - a->low, no = o->high;
    ptrdiff_t       shared = 1 + take(in);
    unsigned char  *block, *at;
    ndg_report      r = report_stale();
    if (c.d.overlap || !na || !no || c.first || c.last != c.rows) return;
    if (shared > na) shared = na;
    if (shared > no) shared = no;
    block = (unsigned char *)grab((size_t)(na + no));
    memcpy(block, a->block + a->lead, (size_t)na);
    at = (unsigned char *)((uintptr_t)block - (uintptr_t)a->low);
    c.outs[k] = block + na - shared;
    memset(c.cursors, 0, (size_t)c.parts * sizeof *c.cursors);
    refresh();
    refused(e->partition_run(plan, c.outs, NULL, data ? at : c.data.base,
                data ? c.ids.base : at, c.rows, c.counts, c.cursors, &r), &r,
            NDG_E_OVERLAP, 0);
    c.outs[k] = o->base;
    untouched();
    free(block);
}

/* ---- a case --------------------------------------------------------------*/

static void run_all(input *in, const ndg_partition_plan *plan)
{
    ptrdiff_t       cut[CUTS];
    const int       n = take_cuts(in, c.first, c.last, cut);
    const ptrdiff_t far = take_number(in);
    const input     rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        const engine *e = engines[turn];
        *in = rest;
        check_count(e, &plan[turn]);
        run_refusals(e, &plan[turn], far);
        run_overlap(in, e, &plan[turn]);
        if (c.d.policy == NDG_ASSUME_VALID && c.want.bad.count) continue;
        run_whole(e, &plan[turn]);
        run_cuts(e, &plan[turn], cut, n);
        run_short(in, e, &plan[turn]);
        run_room(in, e, &plan[turn]);
        run_question(e);
    }
}

static void run_case(input *in, const ndg_partition_plan *plan)
{
    const size_t words = (size_t)c.parts * sizeof(ptrdiff_t);
    if (!take_range(in) || !make_inputs(in)) return;
    c.part = (part_memory *)grab_zeros((size_t)c.parts * sizeof *c.part);
    c.counts = (ptrdiff_t *)grab(words);
    c.cursors = (ptrdiff_t *)grab(words);
    count_rows();
    if (!make_outs(in)) return;
    make_expected();
    run_all(in, plan);
}

static void free_case(void)
{
    ptrdiff_t k;
    for (k = 0; c.part && k < c.parts; k++) {
        part_memory *p = &c.part[k];
        view_free(&p->out);
        view_free(&p->positions);
        free(p->fresh);
        free(p->expect);
        free(p->fresh_at);
        free(p->expect_at);
    }
    view_free(&c.data);
    view_free(&c.ids);
    free(c.part);
    free(c.outs);
    free(c.ats);
    free(c.counts);
    free(c.cursors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ndg_partition_plan plan[ENGINES];
    input                     in;
    in.at = data;
    in.end = data + size;
    take_desc(&in);
    foretell();
    tell(print_case);
    if (make_plans(plan)) run_case(&in, plan);
    free_case();
    return 0;
}
