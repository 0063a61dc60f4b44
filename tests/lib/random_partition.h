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

static partition_case split;

static void print_partition(void)
{
    const ndg_partition_desc *d = &split.d;
    printf("    partition: type %d, position_type %d, policy %d, overlap %d, "
           "out_stride %ld, parts %ld, rows %ld: %ld ... %ld\n",
           d->index_type, d->position_type, d->policy, d->overlap,
           (long)d->out_stride, (long)d->num_partitions, (long)split.rows,
           (long)split.first, (long)split.last);
    array_print("data", &split.data);
    array_print("partitions", &split.ids);
    array_print("out_slice", &split.got_slice);
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
    for (i = split.lead - 1; i >= 0; i--) {
        a->stride[i] = (ptrdiff_t)s;
        s *= (size_t)a->dim[i];
    }
}

/* The slice is what is behind the leading axes of data. */
static void find_slice(void)
{
    const array *a = &split.data;
    array       *s = &split.slice;
    const int    n = a->rank - split.lead;
    memset(s, 0, sizeof *s);
    s->rank = n > 0 ? n : 0;
    s->elem = a->elem;
    s->strided = 1;
    if (n < 1) return;
    memcpy(s->dim, a->dim + split.lead, (size_t)n * sizeof *s->dim);
    memcpy(s->stride, a->stride + split.lead, (size_t)n * sizeof *s->dim);
}

/* Strides: of the slice any, of the leading axes one step, as a rule. */
static void take_partition_strides(choices *in)
{
    const int how = take(in);
    array    *a = &split.data, *x = &split.ids, row;
    int       i;
    find_slice();
    row = split.slice;
    row.strided = 0;
    if (how & 1) take_strides(in, &row);
    array_pack(a);
    if (how & 3) {
        ptrdiff_t step = (int8_t)take(in);
        if (how & 4) step *= take(in);
        if (how & 8) step = take_number(in);
        a->strided = 1;
        for (i = 0; i < row.rank && how & 1; i++)
            a->stride[split.lead + i] = row.stride[i];
        fold_lead(a, step);
    }
    array_pack(x);
    if (how & 16) {
        x->strided = 1;
        fold_lead(x, how & 32 ? take_number(in) : (int8_t)take(in));
    }
    if (how & 64 && split.lead) {        /* rows that do not fold, perhaps */
        a = how & 128 ? x : a;
        a->strided = 1;
        a->stride[take(in) % split.lead] = (int8_t)take(in);
    }
}

static void spoil_partition(choices *in)
{
    ndg_partition_desc *d = &split.d;
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
    case 10: if (split.ids.rank) split.ids.dim[0] = take(in); break;
    case 11: split.ids.rank = below(in, 25); break;
    case 12: if (split.got_slice.rank) split.got_slice.dim[0] = take(in);
             break;
    case 13: split.got_slice.rank = below(in, 4); break;
    case 14: d->policy = below(in, 8); break;
    default: break;
    }
}

static void take_partition(choices *in)
{
    const int flags = take(in), extreme = flags >= 208, more = take(in);
    ndg_partition_desc *d = &split.d;
    array              *a = &split.data, *x = &split.ids;
    array              *got = &split.got_slice;
    int                 rank;
    memset(&split, 0, sizeof split);
    a->elem = take_elem(in);
    d->policy = list_policies[flags & 3];
    d->overlap = flags >> 2 & 1;
    d->index_type = more & 7;
    d->position_type = more >> 3 & 7;
    d->num_partitions = take_parts(in, extreme);
    rank = take_rank(in);
    split.lead = x->rank = take_rank(in);
    if (rank > 24 - split.lead) rank = 24 - split.lead;
    take_dims(in, a, split.lead + rank, split.lead + rank > 5, extreme);
    memcpy(x->dim, a->dim, sizeof x->dim);
    x->elem = index_bytes(d->index_type);
    take_partition_strides(in);
    find_slice();
    split.row = split.slice;
    array_pack(&split.row);
    if (more & 64) {
        *got = split.slice;
        take_out_strides(in, got);
        split.row = *got;
    }
    got->elem = a->elem;
    d->out_stride = take_out_stride(in, &split.row, more & 128);
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
    for (i = split.lead - 1; i >= 0; i--) {
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
    const wide rows = array_cells(&split.ids);
    array      scalar = split.ids;
    ptrdiff_t  step, id_step;
    const int  data = folds(&split.data, &step);
    const int  ids = folds(&split.ids, &id_step);
    flaw_if(v, rows > LARGEST, NDG_E_OVERFLOW);
    if (!data || !ids) {
        maybe(v, NDG_E_STRIDE);
        if (rows > 0 && array_cells(&split.slice) > 0) v->must = 1;
    }
    split.rows = rows > LARGEST || rows < 0 ? 0 : (ptrdiff_t)rows;
    scalar.rank = 0;
    array_prepend(&split.data_rows, &split.slice, split.rows, step);
    array_prepend(&split.id_rows, &scalar, split.rows, id_step);
}

static void foretell_partition(void)
{
    const ndg_partition_desc *d = &split.d;
    verdict                  *v = &split.v;
    array                    *a = &split.data, *x = &split.ids;
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
    split.lead = x->rank;
    for (i = 0; i < split.lead; i++) differs |= x->dim[i] != a->dim[i];
    flaw_if(v, differs, NDG_E_SHAPE);
    find_slice();
    if (a->rank > NDG_MAX_LEVELS && (a->strided || x->strided
                                     || split.got_slice.strided))
        maybe(v, NDG_E_LEVELS);
    if (!(array_flaws(a, v) & array_flaws(x, v))) return;
    array_span(&split.slice, &low, &high);        /* without rows, too */
    if (array_cells(&split.slice) * (wide)a->elem > LARGEST
        || high - low > LARGEST)
        maybe(v, NDG_E_OVERFLOW);
    fold_flaws(v);
    split.slice.strided = 0;                      /* it is no array's */
    i = row_flaws(&split.slice, &split.got_slice, &split.row, d->out_stride,
                  v);
    split.slice.strided = 1;
    if (!i || v->must) return;
    array_span(&split.row, &low, &high);
    split.cells = (ptrdiff_t)array_cells(&split.slice);
    split.row_span = (ptrdiff_t)high;
    split.out_stride = d->out_stride ? d->out_stride : split.row_span;
    split.p.data = &split.data_rows;
    split.p.ids = &split.id_rows;
    split.p.index_type = d->index_type;
    split.p.policy = d->policy;
    split.p.parts = d->num_partitions;
}

static int plan_partition(ndg_report *r)
{
    ndg_partition_plan *plan = &split.plan[turn];
    ndg_report          again;
    int                 got;
    memset(plan, 0x5A, sizeof *plan);
    got = engines[turn]->plan_partition(plan, &split.d, r);
    if (got == NDG_OK)
        EXPECT(plan->rows == split.rows && plan->num_partitions
               == split.p.parts && plan->out_rank == 1 + split.slice.rank
               && (!split.cells || !split.rows || plan->row.out_stride
                   == split.out_stride), "%ld rows, stride %ld",
               (long)plan->rows, (long)plan->row.out_stride);
    else
        EXPECT(all_zero(plan, sizeof *plan) && engines[turn]->partition_count(
                   plan, NULL, 0, 0, NULL, &again) == NDG_E_NULL,
               "a refused plan");
    return got;
}

/* ---- memory and the answer -----------------------------------------------*/

/* Memory for the rows of the range alone. */
static int afford_rows(array *a)
{
    array two = *a;
    wide  low, high, x, y;
    two.dim[0] = split.last > split.first;
    array_span(&two, &low, &high);
    x = (wide)split.first * (wide)a->stride[0];
    y = ((wide)split.last - 1) * (wide)a->stride[0];
    if (low == high) x = y = 0;
    return affordable(a, low + (x < y ? x : y), high + (x < y ? y : x));
}

static int take_partition_memory(choices *in)
{
    array        *x = &split.id_rows, *a = &split.data_rows;
    value_source  from = take_values(in, split.d.policy == NDG_ASSUME_VALID);
    random_source noise = from.dice;
    ptrdiff_t     i;
    if (!afford_rows(x) || !afford_rows(a)) return 0;
    take_memory(in, x);
    take_memory(in, a);
    array_noise(a, &noise);
    for (i = split.first; i < split.last; i++)
        put_value(array_at(x, &i), split.d.index_type, split.p.parts, &from);
    return 1;
}

/* What each part becomes. */
static void want_parts(void)
{
    ptrdiff_t i, k;
    int64_t   v;
    int       is_u64;
    memset(split.cursors, 0, (size_t)split.p.parts * sizeof *split.cursors);
    for (i = split.first; i < split.last; i++) {
        ptrdiff_t row;
        k = oracle_part(&split.p, i, &v, &is_u64);
        if (k < 0) continue;
        row = split.cursors[k]++;
        index_put(array_at(&split.part[k].want_at, &row),
                  split.d.position_type, i);
        if (split.cells)
            oracle_copy_row(&split.part[k].want, row, &split.data_rows, i);
    }
}

static int take_parts_memory(choices *in)
{
    array     scalar;
    ptrdiff_t k;
    wide      low, high, all = 0;
    memset(&scalar, 0, sizeof scalar);
    scalar.elem = index_bytes(split.d.position_type);
    for (k = 0; k < split.p.parts; k++) {
        part_memory *p = &split.part[k];
        p->rows = split.sizes[k];
        array_prepend(&p->out, &split.row, p->rows, split.out_stride);
        array_prepend(&p->at, &scalar, p->rows, scalar.elem);
        array_span(&p->out, &low, &high);
        all += high;
        if (all > (wide)BYTES_MOST) return 0;
        p->out.high = (ptrdiff_t)high;
        p->at.high = p->rows * scalar.elem;
        take_memory(in, &p->out);
        take_memory(in, &p->at);
        array_twin(&p->want, &p->out);
        array_twin(&p->want_at, &p->at);
        split.outs[k] = p->out.base;
        split.ats[k] = p->at.base;
    }
    want_parts();
    return 1;
}

/* ---- runs ----------------------------------------------------------------*/

static void fresh_parts(void)
{
    ptrdiff_t k;
    for (k = 0; k < split.p.parts; k++) {
        array_fresh(&split.part[k].out);
        array_fresh(&split.part[k].at);
    }
}

static void untouched_parts(void)
{
    ptrdiff_t k;
    for (k = 0; k < split.p.parts; k++) {
        untouched(&split.part[k].out);
        untouched(&split.part[k].at);
    }
}

/* After an error good rows may have been written, or not. */
static void see_parts(int positions, int how)
{
    ptrdiff_t k;
    for (k = 0; k < split.p.parts; k++) {
        part_memory *p = &split.part[k];
        same_bytes(&p->out, &p->want, how);
        if (positions) same_bytes(&p->at, &p->want_at, how);
        else untouched(&p->at);
    }
}

static void see_partition(int got, const ndg_report *r, int positions)
{
    same_report(got, r, &split.exact, 0);
    see_parts(positions, got ? HALF : ALL);
}

static void see_numbers(const ptrdiff_t *got, const ptrdiff_t *want)
{
    ptrdiff_t k;
    for (k = 0; k < split.p.parts; k++)
        EXPECT(got[k] == want[k], "part %ld: %ld, not %ld", (long)k,
               (long)got[k], (long)want[k]);
}

/* Positions, where they are asked for and all of the range fit their type. */
static int positions_fit(void)
{
    return split.first == split.last
        || index_holds(split.d.position_type, split.last - 1, 0);
}

static void *const *positions(void)
{
    return split.positions && positions_fit() ? split.ats : NULL;
}

static void check_count(void)
{
    ndg_report r = report_stale();
    int        got;
    memset(split.counts, 0x5A, (size_t)split.p.parts * sizeof *split.counts);
    got = engines[turn]->partition_count(&split.plan[turn],
              split.id_rows.base, split.first, split.last, split.counts, &r);
    same_report(got, &r, &split.exact, 1);
    see_numbers(split.counts, split.sizes);
    if (r.bad.count) say(engines[turn], &r, &split.d.partitions);
}

/* In ranges, each of which was counted; the reports add up. */
static void run_partition_cuts(const ranges *cuts)
{
    const engine   *e = engines[turn];
    const ptrdiff_t parts = split.p.parts;
    ptrdiff_t      *counts = grab_words(parts * cuts->n);
    ptrdiff_t      *cursors = grab_words(parts * cuts->n);
    ptrdiff_t      *want = grab_words(parts);
    ndg_report      sum = NDG_ZERO_INIT, r, exact;
    int             w, i, got;
    fresh_parts();
    for (w = 0; w < cuts->n; w++) {
        r = report_stale();
        got = e->partition_count(&split.plan[turn], split.id_rows.base,
                  cuts->cut[w], cuts->cut[w + 1], counts + w * parts, &r);
        exact = oracle_partition_count(&split.p, cuts->cut[w],
                                       cuts->cut[w + 1], want);
        same_report(got, &r, &exact, 1);
        see_numbers(counts + w * parts, want);
    }
    e->partition_starts(counts, cursors, cuts->n, parts);
    memset(want, 0, (size_t)parts * sizeof *want);
    see_numbers(cursors, want);
    see_numbers(counts + (cuts->n - 1) * parts, split.sizes);
    for (i = 0; i < cuts->n; i++) {
        w = cuts->order[i];
        r = report_stale();
        e->partition_run_range(&split.plan[turn], split.outs, positions(),
            split.data_rows.base, split.id_rows.base, cuts->cut[w],
            cuts->cut[w + 1], cursors + w * parts, counts + w * parts, &r);
        e->report_merge(&sum, &r);
        if (!split.exact.status)
            see_numbers(cursors + w * parts, counts + w * parts);
    }
    see_partition(sum.status, &sum, positions() != NULL);
    free(counts);
    free(cursors);
    free(want);
}

static int run_all_rows(ndg_report *r)
{
    *r = report_stale();
    fresh_parts();
    return engines[turn]->partition_run(&split.plan[turn], split.outs,
        positions(), split.data_rows.base, split.id_rows.base, split.last,
        split.counts, split.cursors, r);
}

/* sizes: what each part holds. Of this call counts are the cursors. */
static int partition_at_once(void *const *outs, void *const *ats,
                             const ptrdiff_t *sizes, const void *data,
                             ndg_report *r)
{
    *r = report_stale();
    fresh_parts();
    memset(split.cursors, 0x5A, (size_t)split.p.parts * sizeof *split.cursors);
    return engines[turn]->dynamic_partition(outs, ats, sizes, split.cursors,
        data, split.id_rows.base, &split.d, r);
}

/* All rows from 0 on: by counts, in one call, and what that asks for where no
 * part is given anything. */
static void run_partition_whole(void)
{
    const void *data = split.data_rows.base;
    ptrdiff_t  *none;
    ndg_report  r;
    int         got;
    if (split.first) return;
    got = run_all_rows(&r);
    see_partition(got, &r, positions() != NULL);
    if (got == NDG_OK) see_numbers(split.cursors, split.counts);
    if (split.last != split.rows) return;
    got = partition_at_once(split.outs, positions(), split.counts, data, &r);
    if (got == NDG_OK) see_partition(got, &r, positions() != NULL);
    else same_report(got, &r, &split.exact, 0), untouched_parts();
    if (got == NDG_OK) see_numbers(split.cursors, split.counts);
    if (split.exact.status || !split.cells) return;
    none = grab_words(split.p.parts);
    got = partition_at_once(NULL, NULL, none, turn ? data : NULL, &r);
    EXPECT(got == (split.rows > split.exact.bad.count ? NDG_E_CAPACITY
                                                      : NDG_OK), "%s",
           report_text(&r));
    see_numbers(split.cursors, split.counts);
    free(none);
}

/* That nothing is written of part k from row n on. */
static void fresh_from(ptrdiff_t k, ptrdiff_t n)
{
    const array *o = &split.part[k].out;
    ptrdiff_t    at;
    for (at = n * split.out_stride; at < o->high && o->base[at] == FRESH;)
        at++;
    EXPECT(at >= o->high, "written beyond row %ld of part %ld", (long)n,
           (long)k);
}

/* Parts that begin at some row of theirs, with more room than they need or,
 * once in a while, less: rows are where the cursors say, and no others. */
static void run_room(choices *in)
{
    const ptrdiff_t    parts = split.p.parts;
    ndg_partition_plan apart = split.plan[turn];
    ndg_report         r = report_stale();
    const int          how = take(in);
    ptrdiff_t         *limit, k, first = how & 1 ? take(in) % 5 : 0;
    void             **outs;
    int                got, less = 0;
    if ((wide)split.out_stride * (ROWS_MOST + 16) > LARGEST) return;
    limit = grab_words(parts);
    outs = (void **)grab((size_t)parts * sizeof *outs);
    apart.overlap = NDG_OVERLAP_DISJOINT;     /* of more room than is there */
    for (k = 0; k < parts; k++) {
        const ptrdiff_t rows = split.part[k].rows;
        const int       b = take(in);
        limit[k] = first + rows + (b < 128 ? 0 : b % 9);
        if (how & 2 && rows && b % 7 == 3) {
            limit[k] = first + b % rows;
            less = 1;
        }
        split.cursors[k] = first;
        outs[k] = (void *)((uintptr_t)(split.outs[k] ? split.outs[k] : limit)
                           - (uintptr_t)(first * split.out_stride));
    }
    fresh_parts();
    got = engines[turn]->partition_run_range(&apart, outs, NULL,
              split.data_rows.base, split.id_rows.base, split.first,
              split.last, split.cursors, limit, how & 4 ? NULL : &r);
    EXPECT(got == split.exact.status || (less && got == NDG_E_CAPACITY), "%d",
           got);
    if (!less && !(how & 4)) same_report(got, &r, &split.exact, 0);
    see_parts(0, got ? HALF : ALL);
    for (k = 0; k < parts; k++) {
        const ptrdiff_t rows = split.cursors[k] - first;
        EXPECT(rows >= 0 && rows <= split.part[k].rows
               && split.cursors[k] <= limit[k]
               && (got != NDG_OK || rows == split.part[k].rows), "cursor %ld",
               (long)split.cursors[k]);
        fresh_from(k, rows);
    }
    free(limit);
    free(outs);
}

/* One part has a row less room than it needs. */
static void run_short(choices *in)
{
    const ptrdiff_t k = take(in) % split.p.parts;
    ndg_report      r;
    int             got;
    if (split.first || !split.counts[k] || split.exact.status) return;
    split.counts[k]--;
    got = run_all_rows(&r);
    EXPECT(got == NDG_E_CAPACITY && r.item == k && r.value == split.counts[k]
           && r.operand == NDG_ARG_OUT && split.cursors[k] == split.counts[k],
           "%s", report_text(&r));
    see_parts(positions() != NULL, HALF);
    fresh_from(k, split.counts[k]);
    if (split.last == split.rows) {
        got = partition_at_once(split.outs, NULL, split.counts,
                                split.data_rows.base, &r);
        EXPECT(got == NDG_E_CAPACITY && r.item == k
               && r.value == split.counts[k] && r.bound == split.counts[k] + 1
               && split.cursors[k] == r.bound, "%s", report_text(&r));
        untouched_parts();
    }
    split.counts[k]++;
}

static void refuse_rows_of(void *const *ats, const void *data, const void *ids,
                           ptrdiff_t a, ptrdiff_t b, int status, int operand)
{
    ndg_report r = report_stale();
    refused(engines[turn]->partition_run_range(&split.plan[turn], split.outs,
                ats, data, ids, a, b, split.cursors, split.counts, &r), &r,
            status, operand);
}

static void refuse_partition(ptrdiff_t far)
{
    const ptrdiff_t a = split.first, b = split.last;
    const void     *data = split.data_rows.base, *ids = split.id_rows.base;
    ptrdiff_t       k, *at = split.cursors;
    fresh_parts();
    memset(at, 0, (size_t)split.p.parts * sizeof *at);
    if (b > a) refuse_rows_of(NULL, data, NULL, a, b, NDG_E_NULL,
                              NDG_ARG_PARTITIONS);
    for (k = 0; k < split.p.parts && !split.counts[k];) k++;
    if (b > a && split.cells && k < split.p.parts) {
        refuse_rows_of(NULL, NULL, ids, a, b, NDG_E_NULL, NDG_ARG_DATA);
        split.outs[k] = NULL;
        refuse_rows_of(NULL, data, ids, a, b, NDG_E_NULL, NDG_ARG_OUT);
        split.outs[k] = split.part[k].out.base;
    }
    if (b > a && split.positions && !positions_fit())
        refuse_rows_of(split.ats, data, ids, a, b, NDG_E_OVERFLOW,
                       NDG_ARG_POSITIONS);
    if (b > a && positions() && k < split.p.parts
        && index_bytes(split.d.position_type) > 1) {
        at[k] = PTRDIFF_MAX / 2;           /* its place cannot be addressed */
        split.counts[k] = PTRDIFF_MAX / 2 + 1;
        refuse_rows_of(split.ats, data, ids, a, b, NDG_E_OVERFLOW,
                       NDG_ARG_POSITIONS);
        split.counts[k] = split.sizes[k];
        at[k] = 0;
    }
    if (far >= 0)
        far = far < PTRDIFF_MAX - split.rows ? split.rows + 1 + far : -1;
    refuse_rows_of(NULL, data, ids, far, far, NDG_E_RANGE, 0);
    refuse_rows_of(NULL, data, ids, 0, far, NDG_E_RANGE, 0);
    if (b > a) refuse_rows_of(NULL, data, ids, b, a, NDG_E_RANGE, 0);
    untouched_parts();
}

/* One part lies in data, or in partitions. */
static void overlap_partition(choices *in)
{
    const ptrdiff_t k = take(in) % split.p.parts;
    const int       data = below(in, 2);
    const array    *o = &split.part[k].out;
    ndg_report      r = report_stale();
    overlap         both;
    if (split.d.overlap || split.first || split.last != split.rows
        || !take_overlap(in, data ? &split.data_rows : &split.id_rows, o,
                         &both)) return;
    memset(split.cursors, 0, (size_t)split.p.parts * sizeof *split.cursors);
    fresh_parts();
    split.outs[k] = both.out;
    if (both.shared)
        refused(engines[turn]->partition_run(&split.plan[turn], split.outs,
                    NULL, data ? both.in : split.data_rows.base,
                    data ? split.id_rows.base : both.in, split.rows,
                    split.counts, split.cursors, &r), &r, NDG_E_OVERLAP, 0);
    split.outs[k] = o->base;
    untouched_parts();
    free(both.block);
}

/* ---- a case --------------------------------------------------------------*/

static void run_partition(choices *in)
{
    ptrdiff_t far;
    ranges    cuts;
    choices   rest;
    take_ranges(in, split.first, split.last, &cuts);
    far = take_number(in);
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        check_count();
        refuse_partition(far);
        overlap_partition(in);
        if (split.d.policy == NDG_ASSUME_VALID && split.exact.bad.count)
            continue;
        run_partition_whole();
        run_partition_cuts(&cuts);
        run_short(in);
        run_room(in);
    }
}

static void see_split(choices *in)
{
    const size_t parts = (size_t)split.p.parts;
    const int    how = take(in);
    split.positions = how & 1;
    if (!take_rows(in, how & 2, split.rows, (wide)split.cells, &split.first,
                   &split.last) || split.p.parts > PARTS_MOST) return;
    if (how & 4 && split.last <= ROWS_MOST
        && (wide)split.last * (wide)split.cells <= CELLS_MOST) split.first = 0;
    if (!take_partition_memory(in)) return;
    split.part = (part_memory *)grab(parts * sizeof *split.part);
    split.outs = (void **)grab(parts * sizeof(void *));
    split.ats = (void **)grab(parts * sizeof(void *));
    split.sizes = grab_words(split.p.parts);
    split.counts = grab_words(split.p.parts);
    split.cursors = grab_words(split.p.parts);
    split.exact = oracle_partition_count(&split.p, split.first, split.last,
                                         split.sizes);
    if (take_parts_memory(in)) run_partition(in);
}

HELPER void try_partition(choices *in)
{
    ndg_report r;
    ptrdiff_t  k;
    take_partition(in);
    foretell_partition();
    tell(print_partition);
    if (plan_by_all(&split.v, plan_partition, &split.d.partitions, &r)) return;
    see_split(in);
    for (k = 0; split.part && k < split.p.parts; k++) {
        array_free(&split.part[k].out);
        array_free(&split.part[k].want);
        array_free(&split.part[k].at);
        array_free(&split.part[k].want_at);
    }
    array_free(&split.data_rows);
    array_free(&split.id_rows);
    free(split.part);
    free(split.outs);
    free(split.ats);
    free(split.sizes);
    free(split.counts);
    free(split.cursors);
}

#endif
