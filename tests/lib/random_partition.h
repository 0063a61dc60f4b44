/* random_partition.h - dynamic_partition and its parts: plans, counts, runs,
 * ranges with starts, positions, capacities, and what is refused. */
#ifndef NDG_TEST_RANDOM_PARTITION_H
#define NDG_TEST_RANDOM_PARTITION_H

#include "random_stitch.h"

#define PARTS_MOST 300

typedef struct part_memory {
    array     out, want, at, want_at;     /* at: positions */
    ptrdiff_t rows;                       /* that it gets */
} part_memory;

typedef struct partition_case {
    ndg_partition_desc d;
    verdict            v;
    int                lead, positions;   /* lead: axes of partitions */
    array              data, ids, slice, got_slice, row;  /* row: that of out */
    array              data_rows, id_rows;        /* [rows] + slice, [rows] */
    oracle_partition   p;
    ptrdiff_t          rows, cells, row_span, out_stride, first, last;
    part_memory       *part;
    void             **outs, **ats;
    ptrdiff_t         *sizes, *counts, *cursors;  /* sizes: as they should be */
    ndg_report         exact;
    ndg_partition_plan plan[ENGINES];
} partition_case;

static partition_case pa;

static void print_partition(void)
{
    const ndg_partition_desc *d = &pa.d;
    printf("    partition: type %d, position_type %d, policy %d, overlap %d, "
        "out_stride %ld, parts %ld, rows %ld: %ld ... %ld\n", d->index_type,
        d->position_type, d->policy, d->overlap, (long)d->out_stride,
        (long)d->num_partitions, (long)pa.rows, (long)pa.first, (long)pa.last);
    array_print("data", &pa.data);
    array_print("partitions", &pa.ids);
    array_print("out_slice", &pa.got_slice);
}

/* ---- from choices to a desc ----------------------------------------------*/

static ptrdiff_t take_parts(choices *in, int extreme)
{
    const int b = take(in);
    if (extreme && b >= 224) return take_number(in);
    return b < 200 ? 1 + b % 9 : b < 250 ? 1 + b % 70 : PARTS_MOST - b + 250;
}

/* Strides of the leading axes that fold to one step. */
static void fold_lead(array *a, ptrdiff_t step)
{
    size_t s = (size_t)step;
    int    i;
    for (i = pa.lead - 1; i >= 0; i--) {
        a->stride[i] = (ptrdiff_t)s;
        s *= (size_t)a->dim[i];
    }
}

/* The slice is what is behind the leading axes of data. */
static void find_slice(void)
{
    const array *a = &pa.data;
    array       *s = &pa.slice;
    const int    n = a->rank - pa.lead;
    memset(s, 0, sizeof *s);
    s->rank = n > 0 ? n : 0;
    s->elem = a->elem;
    s->strided = 1;
    if (n < 1) return;
    memcpy(s->dim, a->dim + pa.lead, (size_t)n * sizeof *s->dim);
    memcpy(s->stride, a->stride + pa.lead, (size_t)n * sizeof *s->dim);
}

/* Strides: of the slice any, of the leading axes one step, as a rule. */
static void take_partition_strides(choices *in)
{
    const int how = take(in);
    array    *a = &pa.data, *x = &pa.ids, row;
    int       i;
    find_slice();
    row = pa.slice;
    row.strided = 0;
    if (how & 1) take_strides(in, &row);
    array_pack(a);
    if (how & 3) {
        ptrdiff_t step = (int8_t)take(in);
        if (how & 4) step *= take(in);
        if (how & 8) step = take_number(in);
        a->strided = 1;
        for (i = 0; i < row.rank && how & 1; i++)
            a->stride[pa.lead + i] = row.stride[i];
        fold_lead(a, step);
    }
    array_pack(x);
    if (how & 16) {
        x->strided = 1;
        fold_lead(x, how & 32 ? take_number(in) : (int8_t)take(in));
    }
    if (how & 64 && pa.lead) {        /* rows that do not fold, perhaps */
        a = how & 128 ? x : a;
        a->strided = 1;
        a->stride[take(in) % pa.lead] = (int8_t)take(in);
    }
}

static void spoil_partition(choices *in)
{
    ndg_partition_desc *d = &pa.d;
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
    case 10: if (pa.ids.rank) pa.ids.dim[0] = take(in); break;
    case 11: pa.ids.rank = below(in, 25); break;
    case 12: if (pa.got_slice.rank) pa.got_slice.dim[0] = take(in);
             break;
    case 13: pa.got_slice.rank = below(in, 4); break;
    case 14: d->policy = below(in, 8); break;
    default: break;
    }
}

static void take_partition(choices *in)
{
    const int flags = take(in), extreme = flags >= 208, more = take(in);
    ndg_partition_desc *d = &pa.d;
    array              *a = &pa.data, *x = &pa.ids;
    array              *got = &pa.got_slice;
    int                 rank;
    memset(&pa, 0, sizeof pa);
    a->elem = take_elem(in);
    d->policy = row_policies[flags & 3];
    d->overlap = flags >> 2 & 1;
    d->index_type = more & 7;
    d->position_type = more >> 3 & 7;
    d->num_partitions = take_parts(in, extreme);
    rank = take_rank(in);
    pa.lead = x->rank = take_rank(in);
    if (rank > 24 - pa.lead) rank = 24 - pa.lead;
    take_dims(in, a, pa.lead + rank, pa.lead + rank > 5, extreme);
    memcpy(x->dim, a->dim, sizeof x->dim);
    x->elem = index_bytes(d->index_type);
    take_partition_strides(in);
    find_slice();
    pa.row = pa.slice;
    array_pack(&pa.row);
    if (more & 64) {
        *got = pa.slice;
        take_out_strides(in, got);
        pa.row = *got;
    }
    got->elem = a->elem;
    d->out_stride = take_out_stride(in, &pa.row, more & 128);
    d->elem_size = a->elem;
    spoil_partition(in);
    a->elem = got->elem = d->elem_size;
    if (d->index_type >= 0 && d->index_type < INDEX_TYPES)
        x->elem = index_bytes(d->index_type);
    if (!a->strided) array_pack(a);
    if (!x->strided) array_pack(x);
    if (!got->strided) array_pack(got);
    d->data = array_ndg(a);
    d->partitions = array_ndg(x);
    d->out_slice = array_ndg(got);
}

/* ---- what the manual says of it ------------------------------------------*/

/* Whether the leading axes are one step apart; the step goes to *step. */
static int folds(const array *a, ptrdiff_t *step)
{
    wide next = 0;
    int  i, any = 0;
    *step = 0;
    for (i = pa.lead - 1; i >= 0; i--) {
        if (a->dim[i] == 1) continue;
        if (!any++) *step = a->stride[i];
        else if ((wide)a->stride[i] != next) return 0;
        next = (wide)a->stride[i] * (wide)a->dim[i];
    }
    return 1;
}

/* Rows that are one step apart, and the arrays of them. */
static void fold_flaws(verdict *v)
{
    const wide rows = array_cells(&pa.ids);
    array      scalar = pa.ids;
    ptrdiff_t  step, id_step;
    const int  data = folds(&pa.data, &step);
    const int  ids = folds(&pa.ids, &id_step);
    flaw_if(v, rows > LARGEST, NDG_E_OVERFLOW);
    if (!data || !ids) {
        maybe(v, NDG_E_STRIDE);
        if (rows > 0 && array_cells(&pa.slice) > 0) v->must = 1;
    }
    pa.rows = rows > LARGEST || rows < 0 ? 0 : (ptrdiff_t)rows;
    scalar.rank = 0;
    array_prepend(&pa.data_rows, &pa.slice, pa.rows, step);
    array_prepend(&pa.id_rows, &scalar, pa.rows, id_step);
}

static void foretell_partition(void)
{
    const ndg_partition_desc *d = &pa.d;
    verdict                  *v = &pa.v;
    array                    *a = &pa.data, *x = &pa.ids;
    int                       i, differs = 0;
    wide                      low, high;
    option_flaws(d->elem_size, d->index_type, d->policy, 0, d->overlap,
                 d->features, v);
    flaw_if(v, d->position_type < 0 || d->position_type > NDG_U64, NDG_E_TYPE);
    flaw_if(v, d->num_partitions < 1, NDG_E_COUNT);
    if ((wide)d->num_partitions * (wide)sizeof(ptrdiff_t) > LARGEST)
        maybe(v, NDG_E_OVERFLOW);      /* so many counts cannot be */
    if (x->rank > a->rank) {
        flaw(v, NDG_E_RANK);
        maybe(v, NDG_E_SHAPE);
        maybe(v, NDG_E_OVERFLOW);
        return;
    }
    pa.lead = x->rank;
    for (i = 0; i < pa.lead; i++) differs |= x->dim[i] != a->dim[i];
    flaw_if(v, differs, NDG_E_SHAPE);
    find_slice();
    if (a->rank > NDG_MAX_LEVELS && (a->strided || x->strided
                                     || pa.got_slice.strided))
        maybe(v, NDG_E_LEVELS);
    if (!(array_flaws(a, v) & array_flaws(x, v))) return;
    array_span(&pa.slice, &low, &high);        /* without rows, too */
    if (array_cells(&pa.slice) * (wide)a->elem > LARGEST
        || high - low > LARGEST)
        maybe(v, NDG_E_OVERFLOW);
    fold_flaws(v);
    pa.slice.strided = 0;                      /* it is no array's */
    i = row_flaws(&pa.slice, &pa.got_slice, &pa.row, d->out_stride, v);
    pa.slice.strided = 1;
    if (!i || v->must) return;
    pa.cells = (ptrdiff_t)array_cells(&pa.slice);
    pa.row_span = (ptrdiff_t)array_end(&pa.row);
    pa.out_stride = d->out_stride ? d->out_stride : pa.row_span;
    pa.p.data = &pa.data_rows;
    pa.p.ids = &pa.id_rows;
    pa.p.index_type = d->index_type;
    pa.p.policy = d->policy;
    pa.p.parts = d->num_partitions;
}

static int plan_partition(ndg_report *r)
{
    ndg_partition_plan *plan = &pa.plan[turn];
    ndg_report          again;
    int                 got;
    memset(plan, 0x5A, sizeof *plan);
    got = engines[turn]->plan_partition(plan, &pa.d, r);
    if (got == NDG_OK)
        EXPECT(plan->rows == pa.rows && plan->num_partitions == pa.p.parts
            && plan->out_rank == 1 + pa.slice.rank && (!pa.cells || !pa.rows
            || plan->row.out_stride == pa.out_stride), "%ld rows, stride %ld",
            (long)plan->rows, (long)plan->row.out_stride);
    else
        EXPECT(all_zero(plan, sizeof *plan) && engines[turn]->partition_count(
            plan, NULL, 0, 0, NULL, &again) == NDG_E_NULL, "a refused plan");
    return got;
}

/* ---- memory and the answer -----------------------------------------------*/

/* Memory for the rows of the range alone. */
static int afford_rows(array *a)
{
    array two = *a;
    wide  low, high, x, y;
    two.dim[0] = pa.last > pa.first;
    array_span(&two, &low, &high);
    x = (wide)pa.first * (wide)a->stride[0];
    y = ((wide)pa.last - 1) * (wide)a->stride[0];
    if (low == high) x = y = 0;
    return affordable(a, low + (x < y ? x : y), high + (x < y ? y : x));
}

static int take_partition_memory(choices *in)
{
    array        *x = &pa.id_rows, *a = &pa.data_rows;
    value_source  from = take_values(in, pa.d.policy == NDG_ASSUME_VALID);
    random_source noise = from.dice;
    ptrdiff_t     i;
    if (!afford_rows(x) || !afford_rows(a)) return 0;
    take_memory(in, x);
    take_memory(in, a);
    array_noise(a, &noise);
    for (i = pa.first; i < pa.last; i++)
        put_value(array_at(x, &i), pa.d.index_type, pa.p.parts, &from);
    return 1;
}

/* What each part becomes. */
static void want_parts(void)
{
    ptrdiff_t i, k;
    int64_t   v;
    int       is_u64;
    memset(pa.cursors, 0, (size_t)pa.p.parts * sizeof *pa.cursors);
    for (i = pa.first; i < pa.last; i++) {
        ptrdiff_t row;
        k = oracle_part(&pa.p, i, &v, &is_u64);
        if (k < 0) continue;
        row = pa.cursors[k]++;
        index_put(array_at(&pa.part[k].want_at, &row), pa.d.position_type, i);
        if (pa.cells)
            oracle_copy_row(&pa.part[k].want, row, &pa.data_rows, i);
    }
}

static int take_parts_memory(choices *in)
{
    array     scalar;
    ptrdiff_t k;
    wide      all = 0;
    memset(&scalar, 0, sizeof scalar);
    scalar.elem = index_bytes(pa.d.position_type);
    for (k = 0; k < pa.p.parts; k++) {
        part_memory *p = &pa.part[k];
        p->rows = pa.sizes[k];
        array_prepend(&p->out, &pa.row, p->rows, pa.out_stride);
        array_prepend(&p->at, &scalar, p->rows, scalar.elem);
        all += array_end(&p->out);
        if (all > (wide)BYTES_MOST) return 0;
        afford(&p->out);
        afford(&p->at);
        take_memory(in, &p->out);
        take_memory(in, &p->at);
        p->want = take_twin(&p->out);
        p->want_at = take_twin(&p->at);
        pa.outs[k] = p->out.base;
        pa.ats[k] = p->at.base;
    }
    want_parts();
    return 1;
}

/* ---- runs ----------------------------------------------------------------*/

static void fresh_parts(void)
{
    ptrdiff_t k;
    for (k = 0; k < pa.p.parts; k++) {
        array_fresh(&pa.part[k].out);
        array_fresh(&pa.part[k].at);
    }
}

static void untouched_parts(void)
{
    ptrdiff_t k;
    for (k = 0; k < pa.p.parts; k++) {
        untouched(&pa.part[k].out);
        untouched(&pa.part[k].at);
    }
}

/* After an error good rows may have been written, or not. */
static void see_parts(int positions, int how)
{
    ptrdiff_t k;
    for (k = 0; k < pa.p.parts; k++) {
        part_memory *p = &pa.part[k];
        same_bytes(&p->out, &p->want, how);
        if (positions) same_bytes(&p->at, &p->want_at, how);
        else untouched(&p->at);
    }
}

static void see_partition(int got, const ndg_report *r, int positions)
{
    same_report(got, r, &pa.exact, 0);
    see_parts(positions, got ? HALF : ALL);
}

static void see_numbers(const ptrdiff_t *got, const ptrdiff_t *want)
{
    ptrdiff_t k;
    for (k = 0; k < pa.p.parts; k++)
        EXPECT(got[k] == want[k], "part %ld: %ld, not %ld", (long)k,
               (long)got[k], (long)want[k]);
}

/* Positions, where they are asked for and all of the range fit their type. */
static int positions_fit(void)
{
    return pa.first == pa.last
        || index_holds(pa.d.position_type, pa.last - 1, 0);
}

static void *const *positions(void)
{
    return pa.positions && positions_fit() ? pa.ats : NULL;
}

static void check_count(void)
{
    ndg_report r = report_stale();
    int        got;
    memset(pa.counts, 0x5A, (size_t)pa.p.parts * sizeof *pa.counts);
    got = engines[turn]->partition_count(&pa.plan[turn],
              pa.id_rows.base, pa.first, pa.last, pa.counts, &r);
    same_report(got, &r, &pa.exact, 1);
    see_numbers(pa.counts, pa.sizes);
    if (r.bad.count) say(engines[turn], &r, &pa.d.partitions);
}

/* In ranges, each of which was counted; the reports add up. */
static void run_partition_cuts(const ranges *cuts)
{
    const engine   *e = engines[turn];
    const ptrdiff_t parts = pa.p.parts;
    ptrdiff_t      *counts = grab_words(parts * cuts->n);
    ptrdiff_t      *cursors = grab_words(parts * cuts->n);
    ptrdiff_t      *want = grab_words(parts);
    ndg_report      sum = NDG_ZERO_INIT, r, exact;
    int             w, i, got;
    fresh_parts();
    for (w = 0; w < cuts->n; w++) {
        r = report_stale();
        got = e->partition_count(&pa.plan[turn], pa.id_rows.base,
                  cuts->cut[w], cuts->cut[w + 1], counts + w * parts, &r);
        exact = oracle_partition_count(&pa.p, cuts->cut[w],
                                       cuts->cut[w + 1], want);
        same_report(got, &r, &exact, 1);
        see_numbers(counts + w * parts, want);
    }
    e->partition_starts(counts, cursors, cuts->n, parts);
    memset(want, 0, (size_t)parts * sizeof *want);
    see_numbers(cursors, want);
    see_numbers(counts + (cuts->n - 1) * parts, pa.sizes);
    for (i = 0; i < cuts->n; i++) {
        w = cuts->order[i];
        r = report_stale();
        e->partition_run_range(&pa.plan[turn], pa.outs, positions(),
            pa.data_rows.base, pa.id_rows.base, cuts->cut[w],
            cuts->cut[w + 1], cursors + w * parts, counts + w * parts, &r);
        e->report_merge(&sum, &r);
        if (!pa.exact.status)
            see_numbers(cursors + w * parts, counts + w * parts);
    }
    see_partition(sum.status, &sum, positions() != NULL);
}

static int run_all_rows(ndg_report *r)
{
    *r = report_stale();
    fresh_parts();
    return engines[turn]->partition_run(&pa.plan[turn], pa.outs, positions(),
        pa.data_rows.base, pa.id_rows.base, pa.last, pa.counts, pa.cursors, r);
}

/* sizes: what each part holds. Of this call counts are the cursors. */
static int partition_at_once(void *const *outs, void *const *ats,
                             const ptrdiff_t *sizes, const void *data,
                             ndg_report *r)
{
    *r = report_stale();
    fresh_parts();
    memset(pa.cursors, 0x5A, (size_t)pa.p.parts * sizeof *pa.cursors);
    return engines[turn]->dynamic_partition(outs, ats, sizes, pa.cursors,
        data, pa.id_rows.base, &pa.d, r);
}

/* All rows from 0 on: by counts, in one call, and what that asks for where no
 * part is given anything. */
static void run_partition_whole(void)
{
    const void *data = pa.data_rows.base;
    ptrdiff_t  *none;
    ndg_report  r;
    int         got;
    if (pa.first) return;
    got = run_all_rows(&r);
    see_partition(got, &r, positions() != NULL);
    if (got == NDG_OK) see_numbers(pa.cursors, pa.counts);
    if (pa.last != pa.rows) return;
    got = partition_at_once(pa.outs, positions(), pa.counts, data, &r);
    if (got == NDG_OK) see_partition(got, &r, positions() != NULL);
    else same_report(got, &r, &pa.exact, 0), untouched_parts();
    if (got == NDG_OK) see_numbers(pa.cursors, pa.counts);
    if (pa.exact.status || !pa.cells) return;
    none = grab_words(pa.p.parts);
    got = partition_at_once(NULL, NULL, none, turn ? data : NULL, &r);
    EXPECT(got == (pa.rows > pa.exact.bad.count ? NDG_E_CAPACITY : NDG_OK),
           "%s", report_text(&r));
    see_numbers(pa.cursors, pa.counts);
}

/* That nothing is written of part k from row n on. */
static void fresh_from(ptrdiff_t k, ptrdiff_t n)
{
    const array *o = &pa.part[k].out;
    ptrdiff_t    at;
    for (at = n * pa.out_stride; at < o->high && o->base[at] == FRESH;)
        at++;
    EXPECT(at >= o->high, "written beyond row %ld of part %ld", (long)n,
           (long)k);
}

/* Parts that begin at some row of theirs, with more room than they need or,
 * once in a while, less: rows are where the cursors say, and no others. */
static void run_room(choices *in)
{
    const ptrdiff_t    parts = pa.p.parts;
    ndg_partition_plan apart = pa.plan[turn];
    ndg_report         r = report_stale();
    const int          how = take(in);
    ptrdiff_t         *limit, k, first = how & 1 ? take(in) % 5 : 0;
    void             **outs;
    int                got, less = 0;
    if ((wide)pa.out_stride * (ROWS_MOST + 16) > LARGEST) return;
    limit = grab_words(parts);
    outs = (void **)grab((size_t)parts * sizeof *outs);
    apart.overlap = NDG_OVERLAP_DISJOINT;     /* of more room than is there */
    for (k = 0; k < parts; k++) {
        const ptrdiff_t rows = pa.part[k].rows;
        const int       b = take(in);
        limit[k] = first + rows + (b < 128 ? 0 : b % 9);
        if (how & 2 && rows && b % 7 == 3) {
            limit[k] = first + b % rows;
            less = 1;
        }
        pa.cursors[k] = first;
        outs[k] = (void *)((uintptr_t)(pa.outs[k] ? pa.outs[k] : limit)
                           - (uintptr_t)(first * pa.out_stride));
    }
    fresh_parts();
    got = engines[turn]->partition_run_range(&apart, outs, NULL,
              pa.data_rows.base, pa.id_rows.base, pa.first,
              pa.last, pa.cursors, limit, how & 4 ? NULL : &r);
    EXPECT(got == pa.exact.status || (less && got == NDG_E_CAPACITY), "%d",
           got);
    if (!less && !(how & 4)) same_report(got, &r, &pa.exact, 0);
    see_parts(0, got ? HALF : ALL);
    for (k = 0; k < parts; k++) {
        const ptrdiff_t rows = pa.cursors[k] - first;
        EXPECT(rows >= 0 && rows <= pa.part[k].rows && pa.cursors[k]
               <= limit[k] && (got != NDG_OK || rows == pa.part[k].rows),
               "cursor %ld", (long)pa.cursors[k]);
        fresh_from(k, rows);
    }
}

/* One part has a row less room than it needs. */
static void run_short(choices *in)
{
    const ptrdiff_t k = take(in) % pa.p.parts;
    ndg_report      r;
    int             got;
    if (pa.first || !pa.counts[k] || pa.exact.status) return;
    pa.counts[k]--;
    got = run_all_rows(&r);
    EXPECT(got == NDG_E_CAPACITY && r.item == k && r.value == pa.counts[k]
           && r.operand == NDG_ARG_OUT && pa.cursors[k] == pa.counts[k],
           "%s", report_text(&r));
    see_parts(positions() != NULL, HALF);
    fresh_from(k, pa.counts[k]);
    if (pa.last == pa.rows) {
        got = partition_at_once(pa.outs, NULL, pa.counts,
                                pa.data_rows.base, &r);
        EXPECT(got == NDG_E_CAPACITY && r.item == k
               && r.value == pa.counts[k] && r.bound == pa.counts[k] + 1
               && pa.cursors[k] == r.bound, "%s", report_text(&r));
        untouched_parts();
    }
    pa.counts[k]++;
}

static void refuse_rows_of(void *const *ats, const void *data, const void *ids,
                           ptrdiff_t a, ptrdiff_t b, int status, int operand)
{
    ndg_report r = report_stale();
    refused(engines[turn]->partition_run_range(&pa.plan[turn], pa.outs, ats,
        data, ids, a, b, pa.cursors, pa.counts, &r), &r, status, operand);
}

static void refuse_partition(ptrdiff_t far)
{
    const ptrdiff_t a = pa.first, b = pa.last;
    const void     *data = pa.data_rows.base, *ids = pa.id_rows.base;
    ptrdiff_t       k, *at = pa.cursors;
    fresh_parts();
    memset(at, 0, (size_t)pa.p.parts * sizeof *at);
    if (b > a) refuse_rows_of(NULL, data, NULL, a, b, NDG_E_NULL,
                              NDG_ARG_PARTITIONS);
    for (k = 0; k < pa.p.parts && !pa.counts[k];) k++;
    if (b > a && pa.cells && k < pa.p.parts) {
        refuse_rows_of(NULL, NULL, ids, a, b, NDG_E_NULL, NDG_ARG_DATA);
        pa.outs[k] = NULL;
        refuse_rows_of(NULL, data, ids, a, b, NDG_E_NULL, NDG_ARG_OUT);
        pa.outs[k] = pa.part[k].out.base;
    }
    if (b > a && pa.positions && !positions_fit())
        refuse_rows_of(pa.ats, data, ids, a, b, NDG_E_OVERFLOW,
                       NDG_ARG_POSITIONS);
    if (b > a && positions() && k < pa.p.parts
        && index_bytes(pa.d.position_type) > 1) {
        at[k] = PTRDIFF_MAX / 2;           /* its place cannot be addressed */
        pa.counts[k] = PTRDIFF_MAX / 2 + 1;
        refuse_rows_of(pa.ats, data, ids, a, b, NDG_E_OVERFLOW,
                       NDG_ARG_POSITIONS);
        pa.counts[k] = pa.sizes[k];
        at[k] = 0;
    }
    refuse_rows_of(NULL, data, ids, far, far, NDG_E_RANGE, 0);
    refuse_rows_of(NULL, data, ids, 0, far, NDG_E_RANGE, 0);
    if (b > a) refuse_rows_of(NULL, data, ids, b, a, NDG_E_RANGE, 0);
    untouched_parts();
}

/* One part lies in data, or in partitions. */
static void overlap_partition(choices *in)
{
    const ptrdiff_t k = take(in) % pa.p.parts;
    const int       data = below(in, 2);
    const array    *o = &pa.part[k].out;
    ndg_report      r = report_stale();
    overlap         both;
    if (pa.d.overlap || pa.first || pa.last != pa.rows) return;
    if (!take_overlap(in, data ? &pa.data_rows : &pa.id_rows, o, &both))
        return;
    memset(pa.cursors, 0, (size_t)pa.p.parts * sizeof *pa.cursors);
    fresh_parts();
    pa.outs[k] = both.out;
    if (both.shared)
        refused(engines[turn]->partition_run(&pa.plan[turn], pa.outs,
                    NULL, data ? both.in : pa.data_rows.base,
                    data ? pa.id_rows.base : both.in, pa.rows,
                    pa.counts, pa.cursors, &r), &r, NDG_E_OVERLAP, 0);
    pa.outs[k] = o->base;
    untouched_parts();
}

/* ---- a case --------------------------------------------------------------*/

static void run_partition(choices *in)
{
    ptrdiff_t far;
    ranges    cuts;
    choices   rest;
    take_ranges(in, pa.first, pa.last, &cuts);
    far = take_far(in, pa.rows);
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        check_count();
        refuse_partition(far);
        overlap_partition(in);
        if (pa.d.policy == NDG_ASSUME_VALID && pa.exact.bad.count)
            continue;
        run_partition_whole();
        run_partition_cuts(&cuts);
        run_short(in);
        run_room(in);
    }
}

static void see_split(choices *in)
{
    const size_t parts = (size_t)pa.p.parts;
    const int    how = take(in);
    pa.positions = how & 1;
    if (!take_rows(in, how & 2, pa.rows, (wide)pa.cells, &pa.first,
                   &pa.last) || pa.p.parts > PARTS_MOST) return;
    if (how & 4 && pa.last <= ROWS_MOST
        && (wide)pa.last * (wide)pa.cells <= CELLS_MOST) pa.first = 0;
    if (!take_partition_memory(in)) return;
    pa.part = (part_memory *)grab(parts * sizeof *pa.part);
    pa.outs = (void **)grab(parts * sizeof(void *));
    pa.ats = (void **)grab(parts * sizeof(void *));
    pa.sizes = grab_words(pa.p.parts);
    pa.counts = grab_words(pa.p.parts);
    pa.cursors = grab_words(pa.p.parts);
    pa.exact = oracle_partition_count(&pa.p, pa.first, pa.last, pa.sizes);
    if (take_parts_memory(in)) run_partition(in);
}

HELPER void try_partition(choices *in)
{
    ndg_report r;
    take_partition(in);
    foretell_partition();
    tell(print_partition);
    if (plan_by_all(&pa.v, plan_partition, &pa.d.partitions, &r) == NDG_OK)
        see_split(in);
}

#endif
