/* random_stitch.h - dynamic_stitch and its parts: plans, totals, runs, ranges,
 * scratch, gaps, tensors in one call, and what is refused. */
#ifndef NDG_TEST_RANDOM_STITCH_H
#define NDG_TEST_RANDOM_STITCH_H

#include "random.h"

#define LISTS 4

typedef struct stitch_case {
    ndg_stitch_desc  d;
    verdict          v;
    array            slice, got_slice, row;       /* row: that of out */
    ptrdiff_t        cells, out_stride, row_span;
    oracle_stitch    s;
    array            indices[LISTS], data[LISTS]; /* [count], [count] + slice */
    ndg_list         lists[LISTS];
    int              repeats[LISTS];  /* 1: its rows, 2: its indices */
    int              apart[LISTS];    /* as only a tensor can be */
    int              any_apart, scratch, twice, wrong;
    ptrdiff_t        most;            /* the total that the lists ask for */
    array            out, want;
    ndg_report       exact, all;      /* all: of ndg_stitch_total */
    ndg_stitch_plan  plan[ENGINES];
} stitch_case;

static stitch_case st;

static void print_stitch(void)
{
    const ndg_stitch_desc *d = &st.d;
    int                    m;
    printf("    stitch: type %d, policy %d, gaps %d, overlap %d, out_stride "
           "%ld, total %ld, rows %ld ... %ld, scratch %d\n", d->index_type,
           d->policy, d->gaps, d->overlap, (long)d->out_stride,
           (long)st.s.total, (long)st.s.first, (long)st.s.last, st.scratch);
    array_print("slice", &st.slice);
    array_print("out_slice", &st.got_slice);
    for (m = 0; m < st.s.n; m++) {
        array_print("indices", &st.indices[m]);
        array_print("data", &st.data[m]);
    }
}

/* ---- from choices to a desc ----------------------------------------------*/

/* Bytes between rows of out: a few more than a row has, or packed. */
HELPER ptrdiff_t take_out_stride(choices *in, const array *row, int given)
{
    const wide end = array_end(row);
    return given && end < LARGEST / 4 ? (ptrdiff_t)end + take(in) % 9 : 0;
}

static void spoil_stitch(choices *in)
{
    ndg_stitch_desc *d = &st.d;
    array           *got = &st.got_slice;
    switch (below(in, 64)) {
    case 1: d->policy = take_wrong(in); break;
    case 2: d->index_type = take_wrong(in); break;
    case 3: d->gaps = take_wrong(in); break;
    case 4: d->overlap = take_wrong(in); break;
    case 5: d->features = (unsigned)take_wrong(in); break;
    case 6: d->elem_size = take_number(in); break;
    case 7: d->out_stride = take_number(in); break;
    case 8: d->out_stride += (int8_t)take(in); break;
    case 9: got->rank = below(in, 5); break;
    case 10: if (got->rank) got->dim[0] = take(in); break;
    case 11: d->policy = take(in) % 8; break;
    case 12: if (st.slice.rank) st.slice.dim[0] = take_number(in);
             break;
    default: break;
    }
}

static void take_stitch(choices *in)
{
    const int        flags = take(in), extreme = flags >= 224, more = take(in);
    ndg_stitch_desc *d = &st.d;
    array           *slice = &st.slice, *got = &st.got_slice;
    int              rank;
    memset(&st, 0, sizeof st);
    slice->elem = take_elem(in);
    rank = take_rank(in);
    take_dims(in, slice, rank, rank > 3, extreme);
    d->policy = row_policies[flags & 3];
    d->index_type = more & 7;
    d->gaps = (more >> 3) % 3;
    d->overlap = flags >> 2 & 1;
    take_strides(in, slice);
    st.row = *slice;
    st.row.strided = 0;
    array_pack(&st.row);
    if (more & 64) {
        *got = *slice;
        take_out_strides(in, got);
    }
    d->out_stride = take_out_stride(in, got->strided ? got : &st.row,
                                    more & 128);
    d->elem_size = slice->elem;
    spoil_stitch(in);
    slice->elem = got->elem = d->elem_size;
    if (!slice->strided) array_pack(slice);
    if (!got->strided) array_pack(got);
    d->slice = array_ndg(slice);
    d->out_slice = array_ndg(got);
}

/* ---- what the manual says of it ------------------------------------------*/

/* What is said of the rows of outputs; slice and row are those of data and of
 * out. Returns whether they have sizes. */
HELPER int row_flaws(const array *slice, const array *got, array *row,
                     ptrdiff_t out_stride, verdict *v)
{
    *row = *slice;
    row->strided = 0;
    array_pack(row);
    if (layout_flaws(got, slice, 1, v)) *row = *got;
    if (!array_flaws(slice, v)) return 0;
    flaw_if(v, out_stride < 0, NDG_E_STRIDE);
    flaw_if(v, out_stride && (wide)out_stride < array_end(row), NDG_E_STRIDE);
    return 1;
}

static void foretell_stitch(void)
{
    const ndg_stitch_desc *d = &st.d;
    const array           *slice = &st.slice, *got = &st.got_slice;
    verdict               *v = &st.v;
    option_flaws(d->elem_size, d->index_type, d->policy, 0, d->overlap,
                 d->features, v);
    flaw_if(v, d->gaps < 0 || d->gaps > NDG_GAPS_KEEP, NDG_E_OPTION);
    if ((slice->strided || got->strided) && slice->rank > NDG_MAX_LEVELS)
        maybe(v, NDG_E_LEVELS);
    if (!row_flaws(slice, got, &st.row, d->out_stride, v) || v->must)
        return;
    st.cells = (ptrdiff_t)array_cells(slice);
    st.row_span = (ptrdiff_t)array_end(&st.row);
    st.out_stride = d->out_stride ? d->out_stride : st.row_span;
    st.s.indices = st.indices;
    st.s.data = st.data;
    st.s.index_type = d->index_type;
    st.s.policy = d->policy;
    st.s.gaps = d->gaps;
}

static int plan_stitch(ndg_report *r)
{
    ndg_stitch_plan *plan = &st.plan[turn];
    ndg_report       again;
    int              got;
    memset(plan, 0x5A, sizeof *plan);
    got = engines[turn]->plan_stitch(plan, &st.d, r);
    if (got == NDG_OK)
        EXPECT(plan->out_rank == 1 + st.slice.rank && plan->row.bytes
               == st.cells * st.slice.elem && (!st.cells || (plan->row.out_span
               == st.row_span && plan->row.out_stride == st.out_stride)),
               "bytes %ld, stride %ld", (long)plan->row.bytes,
               (long)plan->row.out_stride);
    else
        EXPECT(all_zero(plan, sizeof *plan) && engines[turn]->stitch_run(plan,
                   NULL, 0, 0, NULL, 0, NULL, 0, &again) == NDG_E_NULL,
               "a refused plan");
    return got;
}

/* ---- lists ---------------------------------------------------------------*/

static ptrdiff_t take_count(choices *in)
{
    static const short many[4] = { 100, 300, 1030, 2100 };
    const int b = take(in);
    if (b >= 252) return many[b - 252];
    return b < 128 ? b % 8 : b - 128;
}

/* A list, or what only a tensor can be: rows that repeat, or strides of its
 * own inside a row. Returns 0 if it is too large. */
static int take_list(choices *in, int m)
{
    array           scalar, slice = st.slice;
    ndg_list       *l = &st.lists[m];
    const ptrdiff_t size = index_bytes(st.d.index_type);
    int             how;
    l->count = take_count(in);
    how = take(in);
    memset(&scalar, 0, sizeof scalar);
    scalar.elem = size;
    if (how & 1) l->index_stride = (int8_t)take(in);
    if (how & 2) l->data_stride = (int8_t)take(in);
    if (how & 4) l->data_stride *= take(in);
    if (array_has_gaps(&slice) && !l->data_stride)
        l->data_stride = st.row_span + (st.row_span < PTRDIFF_MAX);
    if ((how & 24) == 24) {
        st.apart[m] = st.any_apart = 1;
        st.repeats[m] = how >> 5 & 3;
        if (how < 32) take_strides(in, &slice);
        if (!slice.strided) array_pack(&slice);
        if (!afford(&slice)) return 0;          /* also if there is no row */
    }
    array_prepend(&st.indices[m], &scalar, l->count, st.repeats[m] & 2 ? 0
                  : l->index_stride ? l->index_stride : size);
    array_prepend(&st.data[m], &slice, l->count, st.repeats[m] & 1 ? 0
        : l->data_stride ? l->data_stride : st.cells * st.slice.elem);
    return afford(&st.indices[m]) && afford(&st.data[m]);
}

static void fill_list(choices *in, int m, ptrdiff_t most)
{
    array        *x = &st.indices[m], *a = &st.data[m];
    value_source  from = take_values(in, st.d.policy == NDG_ASSUME_VALID);
    const int     in_turn = below(in, 3) == 0;
    random_source noise = from.dice;
    ptrdiff_t     i;
    take_memory(in, x);
    take_memory(in, a);
    array_noise(a, &noise);
    for (i = 0; i < x->dim[0]; i++)
        if (in_turn) index_put(array_at(x, &i), st.d.index_type, i);
        else put_value(array_at(x, &i), st.d.index_type, most, &from);
    st.lists[m].indices = x->base;
    st.lists[m].data = a->base;
}

static int take_lists(choices *in)
{
    ptrdiff_t most = 1 + take_count(in), entries = 0;
    int       m, n = take(in) % (LISTS + 1);
    if (most > 2000 && take(in) & 1) most = PTRDIFF_MAX;
    for (m = 0; m < n; m++) {
        if (!take_list(in, m)) return 0;
        fill_list(in, m, most);
        st.s.n = m + 1;
        entries += st.lists[m].count;
    }
    return entries <= ROWS_MOST
        && (wide)entries * (wide)st.cells <= (wide)4 * CELLS_MOST;
}

/* Bytes of so many rows. Rows of no bytes span none, whatever lies between. */
static wide bytes_of_rows(ptrdiff_t rows)
{
    if (rows <= 0 || st.row_span == 0) return 0;
    return ((wide)rows - 1) * (wide)st.out_stride + (wide)st.row_span;
}

static void check_total(void)
{
    ptrdiff_t  total = -7;
    ndg_report r = report_stale();
    const int  got = engines[turn]->stitch_total(&st.plan[turn],
                         st.lists, st.s.n, &total, &r);
    if (st.all.status == NDG_OK
        && (st.most < 0 || bytes_of_rows(st.most) > LARGEST))
        EXPECT(got == NDG_E_OVERFLOW && total == 0, "%d: %s", got,
               report_text(&r));
    else {
        same_report(got, &r, &st.all, 1);
        EXPECT(total == (got == NDG_OK ? st.most : 0), "total %ld, not "
               "%ld", (long)total, (long)st.most);
    }
}

/* Whether so many rows fit, and end near enough for memory to be there. */
static int lie_near(ptrdiff_t rows)
{
    return bytes_of_rows(rows) <= LARGEST
        && (wide)rows * (wide)st.out_stride <= 1e12L;
}

/* Rows of the output, and which of them run: a range, if all are too many. */
static int take_total(choices *in)
{
    const int      how = st.any_apart ? 0 : take(in);
    oracle_stitch *s = &st.s;
    s->total = st.most;
    if (how & 1 && s->total < PTRDIFF_MAX - 8) s->total += take(in) % 8;
    if (how & 2) s->total = take(in);
    if (how & 4 && s->total < PTRDIFF_MAX / 4) s->total *= 3;
    if ((how & 6) == 6) s->total = take_number(in);
    if (s->total < 0) return 0;
    s->last = s->total;
    if (how & 8 || s->total > ROWS_MOST || !lie_near(s->total)) {
        s->first = take_number(in);
        if (s->first < 0) s->first = -(s->first + 1);
        if (s->total < PTRDIFF_MAX) s->first %= s->total + 1;
        if (how & 16) s->first = 0;
        s->last = take_more(in, s->first, s->total);
    }
    st.scratch = how >> 5 & 1 || st.d.gaps == NDG_GAPS_ERROR;
    return lie_near(s->last)
        && (wide)(s->last - s->first) * (wide)st.cells <= CELLS_MOST;
}

/* What out becomes: rows of lists, and gaps. */
static void want_stitch(void)
{
    oracle_stitch *s = &st.s;
    ptrdiff_t     *list = grab_words(s->last - s->first);
    ptrdiff_t     *row = grab_words(s->last - s->first), i;
    st.exact = oracle_stitch_owners(s, list, row);
    if (!st.scratch) memset(&st.exact.rows, 0, sizeof st.exact.rows);
    for (i = 0; i < s->last - s->first && st.cells; i++)
        if (list[i] >= 0)
            oracle_copy_row(&st.want, s->first + i, &st.data[list[i]], row[i]);
        else if (s->gaps == NDG_GAPS_ZERO)
            oracle_set_row(&st.want, s->first + i, 0);
}

static int take_stitch_out(choices *in)
{
    const oracle_stitch *s = &st.s;
    array               *o = &st.out;
    wide                 low = 0, high = 0;
    array_prepend(o, &st.row, s->total, st.out_stride);
    if (s->last > s->first && st.cells) {
        low = (wide)s->first * (wide)st.out_stride;
        high = bytes_of_rows(s->last);
    }
    if (!affordable(o, low, high)) return 0;
    take_memory(in, o);
    st.want = take_twin(o);
    want_stitch();
    return 1;
}

/* ---- runs ----------------------------------------------------------------*/

/* Whether row i of out is as it is there, gaps included. */
static int row_same(const array *a, ptrdiff_t i)
{
    const ptrdiff_t at = i * st.out_stride;
    return !memcmp(st.out.base + at, a->base + at, (size_t)st.row_span);
}

/* After an error a row is as it was, a gap, or what an index names. */
static int row_is_some(array *fresh, ptrdiff_t i)
{
    const oracle_stitch *s = &st.s;
    ptrdiff_t            m, j;
    int                  is_u64, found = row_same(fresh, i);
    if (!found && s->gaps == NDG_GAPS_ZERO) {
        oracle_set_row(fresh, i, 0);
        found = row_same(fresh, i);
    }
    for (m = 0; m < s->n && !found; m++)
        for (j = 0; j < st.lists[m].count && !found; j++) {
            if (oracle_entry(s, m, j, &is_u64) != i || is_u64) continue;
            oracle_copy_row(fresh, i, &st.data[m], j);
            found = row_same(fresh, i);
        }
    oracle_set_row(fresh, i, FRESH);
    return found;
}

/* After an error not all rows are done, but those that are are whole, and what
 * is between them is not touched. Every refusal leaves all as it was. */
static void see_stitch(int got, const ndg_report *r)
{
    array     fresh;
    ptrdiff_t i;
    same_report(got, r, &st.exact, 0);
    if (got == NDG_OK) {
        same_bytes(&st.out, &st.want, ALL);
    } else if (got != NDG_E_INDEX) {
        untouched(&st.out);
    } else {
        same_bytes(&st.out, &st.want, SOME);
        array_twin(&fresh, &st.out);
        array_fresh(&fresh);
        for (i = st.s.first; i < st.s.last && st.cells; i++)
            EXPECT(row_is_some(&fresh, i), "row %ld is of no list", (long)i);
        array_free(&fresh);
    }
}

static int stitch_rows(void *out, ptrdiff_t room, ptrdiff_t a, ptrdiff_t b,
                       void *scratch, ptrdiff_t bytes, ndg_report *r)
{
    return engines[turn]->stitch_run_range(&st.plan[turn], out, room,
        st.s.total, st.lists, st.s.n, a, b, scratch, bytes, r);
}

/* Rows a ... b-1, with scratch of exactly the bytes it asks for. */
static int run_stitch_rows(void *out, ptrdiff_t room, ptrdiff_t a,
                           ptrdiff_t b, ndg_report *r)
{
    ptrdiff_t n;
    void     *s;
    if (!st.scratch || a > b || b - a > ROWS_MOST)
        return stitch_rows(out, room, a, b, NULL, 0, r);
    n = engines[turn]->stitch_scratch_bytes(&st.plan[turn], b - a);
    EXPECT(n >= (b - a + 7) / 8 && n <= b - a + 8, "scratch of %ld", (long)n);
    s = grab((size_t)n);
    memset(s, 0xCC, (size_t)n);                   /* it need not be clear */
    return stitch_rows(out, room, a, b, s, n, r);
}

static void run_stitch_whole(void)
{
    const oracle_stitch *s = &st.s;
    ndg_report           r = report_stale();
    int                  got;
    array_fresh(&st.out);
    got = run_stitch_rows(st.out.base, st.out.high, s->first, s->last, &r);
    see_stitch(got, &r);
    if (got || r.bad.count) say(engines[turn], &r, NULL);
    if (s->first || s->last != s->total || st.scratch) return;
    array_fresh(&st.out);
    r = report_stale();
    got = engines[turn]->stitch_run(&st.plan[turn], st.out.base,
        st.out.high, s->total, st.lists, s->n, NULL, 0, &r);
    see_stitch(got, &r);
}

/* In ranges. A gap that one of them refuses keeps only its own rows. */
static void run_stitch_cuts(const ranges *cuts)
{
    const oracle_stitch *s = &st.s;
    ndg_report           sum;
    if (s->last == s->first && s->total) return;
    sum = run_ranges(&st.out, cuts, !s->total, run_stitch_rows);
    if (sum.status != NDG_E_GAP) see_stitch(sum.status, &sum);
    else same_report(sum.status, &sum, &st.exact, 1);
}

/* The bytes of `rows` rows: -1 if there are not so many; no run of them. */
static void check_out_bytes(ptrdiff_t rows)
{
    const engine *e = engines[turn];
    const wide    bytes = bytes_of_rows(rows);
    const int     huge = rows < 0 || bytes > LARGEST;
    ndg_report    r = report_stale();
    EXPECT(e->stitch_out_bytes(&st.plan[turn], rows)
           == (huge ? -1 : (ptrdiff_t)bytes), "bytes of %ld rows", (long)rows);
    if (huge && st.d.gaps != NDG_GAPS_ERROR)
        refused(e->stitch_run(&st.plan[turn], st.out.base, PTRDIFF_MAX, rows,
                    st.lists, st.s.n, NULL, 0, &r), &r, rows < 0 ? NDG_E_RANGE
                    : NDG_E_OVERFLOW, rows < 0 ? 0 : NDG_ARG_OUT);
}

static void refuse_stitch(ptrdiff_t far)
{
    const engine          *e = engines[turn];
    const ndg_stitch_plan *plan = &st.plan[turn];
    const ptrdiff_t        need = st.out.high, a = st.s.first, b = st.s.last;
    ndg_report             r = report_stale();
    unsigned char          s[1];
    void                  *o = st.out.base;
    refuse_runs(&st.out, run_stitch_rows, NDG_OP_DYNAMIC_STITCH, a, b, far);
    if (st.scratch && b > a) {
        const ptrdiff_t n = e->stitch_scratch_bytes(plan, b - a);
        refused(stitch_rows(o, need, a, b, s, n - 1, &r), &r, NDG_E_SCRATCH,
                NDG_ARG_SCRATCH);
        EXPECT(r.value == n - 1 && r.bound == n, "%s", report_text(&r));
    }
    if (st.d.gaps == NDG_GAPS_ERROR) {
        if (b > a)
            refused(stitch_rows(o, need, a, b, NULL, 0, &r), &r, NDG_E_SCRATCH,
                    NDG_ARG_SCRATCH);
    } else {
        refused(e->stitch_run_range(plan, o, need, st.s.total, st.lists, -1, a,
                    b, NULL, 0, &r), &r, NDG_E_COUNT, NDG_ARG_INPUTS);
        if (st.s.n)
            refused(e->stitch_run_range(plan, o, need, st.s.total, NULL,
                st.s.n, a, b, NULL, 0, &r), &r, NDG_E_NULL, NDG_ARG_INPUTS);
    }
    check_out_bytes(far);
    check_out_bytes(st.s.total);
    untouched(&st.out);
}

/* Makes a list one that is not there, or has sizes that cannot be. Returns
 * what that may be refused for. */
static unsigned spoil_list(choices *in, ndg_list *l, int how)
{
    const ptrdiff_t size = index_bytes(st.d.index_type);
    const int       some = st.s.first < st.s.last && l->count;
    if (how == 0 && some) l->indices = NULL;
    else if (how == 1 && some && st.cells) l->data = NULL;
    else if (how == 2) l->count = -1 - take(in);
    else if (how == 3) {
        l->count = PTRDIFF_MAX;
        l->index_stride = take_number(in);
        if (l->index_stride == 1 || l->index_stride == -1 || size == 1)
            return 0;
        return 1u << NDG_E_OVERFLOW;
    } else if (how == 4 && st.cells && l->count > 1
               && array_has_gaps(&st.slice)) {
        l->data_stride = 0;
        return 1u << NDG_E_STRIDE;
    } else return 0;
    return how < 2 ? 1u << NDG_E_NULL : 1u << NDG_E_COUNT | 1u << NDG_E_SHAPE;
}

static void refuse_list(choices *in)
{
    const int  m = st.s.n ? below(in, (int)st.s.n) : 0;
    const int  how = below(in, 5);
    ndg_list   kept = st.lists[m];
    ndg_report r = report_stale();
    ptrdiff_t  total;
    unsigned   may;
    int        got;
    if (!st.s.n) return;
    may = spoil_list(in, &st.lists[m], how);
    array_fresh(&st.out);
    if (may) {
        unsigned char *s = (unsigned char *)grab(ROWS_MOST);
        got = stitch_rows(st.out.base, st.out.high, st.s.first,
                          st.s.last, s, ROWS_MOST, &r);
        EXPECT(got > 0 && may >> got & 1 && r.item == m && r.status == got
               && r.operand, "may %x: %s", may, report_text(&r));
        untouched(&st.out);
        if (how == 0 || how == 2 || how == 3) {
            got = engines[turn]->stitch_total(&st.plan[turn],
                      st.lists, st.s.n, &total, &r);
            EXPECT(got > 0 && total == 0, "%s", report_text(&r));
        }
    }
    st.lists[m] = kept;
}

static void overlap_stitch(choices *in)
{
    const int  m = st.s.n ? below(in, (int)st.s.n) : 0;
    const int  data = below(in, 2);
    ndg_list   kept = st.lists[m];
    ndg_report r = report_stale();
    overlap    both;
    if (!st.s.n || st.d.overlap || st.d.gaps == NDG_GAPS_ERROR
        || !take_overlap(in, data ? &st.data[m] : &st.indices[m],
                         &st.out, &both)) return;
    if (both.shared) {
        *(data ? &st.lists[m].data : &st.lists[m].indices) = both.in;
        refused(stitch_rows(both.out, st.out.high, st.s.first, st.s.last, NULL,
            0, &r), &r, NDG_E_OVERLAP, data ? NDG_ARG_DATA : NDG_ARG_INDICES);
        EXPECT(r.item == m, "%s", report_text(&r));
    }
    st.lists[m] = kept;
}

/* ---- tensors -------------------------------------------------------------*/

/* Each list as two tensors, its count cut in two axes where it can be, or one
 * entry in none. */
static void make_input(int m, ndg_stitch_input *t, array *x, array *a)
{
    *x = st.indices[m];
    *a = st.data[m];
    if (st.twice && x->dim[0] % 2 == 0) {
        array xs = *x, as = *a;
        xs.dim[0] = as.dim[0] = x->dim[0] / 2;
        array_prepend(x, &xs, 2, xs.stride[0] * xs.dim[0]);
        array_prepend(a, &as, 2, as.stride[0] * as.dim[0]);
    } else if (st.twice && x->dim[0] == 1) {
        const array as = *a;
        x->rank = 0;
        a->rank--;
        memcpy(a->dim, as.dim + 1, (size_t)a->rank * sizeof *a->dim);
        memcpy(a->stride, as.stride + 1, (size_t)a->rank * sizeof *a->dim);
    }
    t->indices = st.indices[m].base;
    t->data = st.data[m].base;
    t->indices_shape = array_ndg(x);
    t->data_shape = array_ndg(a);
}

static void check_list_from(int m, const ndg_stitch_input *t)
{
    const array *x = &st.indices[m], *a = &st.data[m];
    ndg_list     got;
    ndg_report   r = report_stale();
    const int    status = engines[turn]->list_from(&got, t, &st.d, &r);
    const int    repeats = x->dim[0] > 1
                        && (!x->stride[0] || (st.cells && !a->stride[0]));
    EXPECT(status == (repeats ? NDG_E_STRIDE : NDG_OK)
           || (status == NDG_E_STRIDE && st.apart[m]
               && !st.repeats[m]), "%s", report_text(&r));
    if (status != NDG_OK) return;
    EXPECT(got.count == x->dim[0] && got.indices == x->base
           && got.data == a->base, "another list");
    if (got.count < 2) return;
    EXPECT((got.index_stride ? got.index_stride : x->elem) == x->stride[0],
           "index stride %ld", (long)got.index_stride);
    EXPECT(!st.cells || (got.data_stride ? got.data_stride
                             : st.cells * st.slice.elem)
           == a->stride[0], "data stride %ld", (long)got.data_stride);
}

/* Of tensors that fit, one is not there, or has an extent or a rank that the
 * others do not have: refused with nothing written. */
static void refuse_tensor(const ndg_stitch_input *right, int m, int how,
                          const array *x, array *a)
{
    ndg_stitch_input t[LISTS];
    ndg_report       r = report_stale();
    ptrdiff_t        total = -7;
    int              got, want = NDG_E_SHAPE;
    if (how > 1 && !st.cells) return;   /* of extents that may be huge */
    memcpy(t, right, sizeof t);
    if (how < 2) {
        if (!st.lists[m].count) return;
        if (how && (!st.cells || !st.s.total)) return;
        *(how ? &t[m].data : &t[m].indices) = NULL;
        want = NDG_E_NULL;
    } else if (how == 2) {
        if (!x->rank) return;
        a->dim[0]++;
    } else if (how == 3) {
        if (st.s.n == 1 && a->rank > x->rank) return;   /* another slice */
        if (a->rank == 0) return;
        a->rank--;
    } else {
        if (st.s.n == 1) return;
        a->dim[a->rank] = 2;
        a->stride[a->rank++] = a->elem;
    }
    if (how > 1) t[m].data_shape = array_ndg(a);
    array_fresh(&st.out);
    got = engines[turn]->dynamic_stitch(st.out.base, st.out.high,
              &total, t, st.s.n, &st.d, &r);
    EXPECT(got == want && r.status == got && r.op && r.operand
           && total == (how == 1 ? st.most : 0), "%d, not %d: total %ld: "
           "%s", got, want, (long)total, report_text(&r));
    untouched(&st.out);
}

/* All in one call. */
static void run_tensors(const ndg_stitch_input *t)
{
    const engine    *e = engines[turn];
    ndg_stitch_desc  d = st.d;
    ndg_report       r = report_stale();
    ptrdiff_t        total = -7;
    int              got;
    array_fresh(&st.out);
    d.slice = ndg_dims(-1, NULL, NULL);              /* it is not read */
    got = (st.twice ? e->dynamic_stitch : e->parallel_dynamic_stitch)(
            st.out.base, st.out.high, &total, t, st.s.n, &d, &r);
    EXPECT(!r.op || (r.op == NDG_OP_PARALLEL_DYNAMIC_STITCH) == !st.twice,
           "op %d", r.op);
    if (r.op) r.op = NDG_OP_DYNAMIC_STITCH;
    EXPECT(total == (got == NDG_E_INDEX ? 0 : st.most), "total %ld",
           (long)total);
    if (got == NDG_E_INDEX) {
        same_report(got, &r, &st.all, 1);
        untouched(&st.out);
        return;
    }
    if (r.bad.extent == PTRDIFF_MAX) r.bad.extent = st.exact.bad.extent;
    see_stitch(got, &r);
    total = -7;
    got = e->dynamic_stitch(NULL, 0, &total, t, st.s.n, &st.d, &r);
    EXPECT(got == (st.out.high ? NDG_E_CAPACITY : NDG_OK) && total == st.most
           && (!got || r.bound == st.out.high), "%s", report_text(&r));
}

static void see_tensors(void)
{
    static array         x[LISTS], a[LISTS];
    const oracle_stitch *s = &st.s;
    ndg_stitch_input     t[LISTS];
    ndg_report           r = report_stale();
    ptrdiff_t            total = -7;
    int                  m;
    for (m = 0; m < s->n; m++) {
        make_input(m, &t[m], &x[m], &a[m]);
        check_list_from(m, &t[m]);
    }
    if (!s->n)
        refused(engines[turn]->dynamic_stitch(NULL, 0, &total, t, 0,
                    &st.d, &r), &r, NDG_E_COUNT, NDG_ARG_INPUTS);
    if (!s->n || s->gaps == NDG_GAPS_ERROR || s->first || st.scratch || s->last
        != s->total || s->total != st.most || st.slice.rank > 12) return;
    run_tensors(t);
    m = (int)(st.wrong % s->n);
    if (st.exact.status != NDG_E_INDEX)
        refuse_tensor(t, m, st.wrong / LISTS % 5, &x[m], &a[m]);
}

/* ---- a case --------------------------------------------------------------*/

static void run_stitch(choices *in)
{
    ranges    cuts;
    choices   rest;
    ptrdiff_t far;
    take_ranges(in, st.s.first, st.s.last, &cuts);
    if (!st.s.total) cuts.n = 1;              /* each would report */
    st.twice = below(in, 2);
    st.wrong = take(in);
    far = take_far(in, st.s.total);
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        if (!st.any_apart) {
            refuse_stitch(far);
            refuse_list(in);
            overlap_stitch(in);
            if (st.d.policy == NDG_ASSUME_VALID && st.exact.bad.count)
                continue;
            run_stitch_whole();
            run_stitch_cuts(&cuts);
        }
        see_tensors();
    }
}

static void see_lists(choices *in)
{
    if (!take_lists(in)) return;
    st.most = oracle_stitch_total(&st.s, &st.all);
    for (turn = 0; turn < ENGINES && !st.any_apart; turn++) check_total();
    turn = 0;
    if (!take_total(in)) return;
    if (st.d.policy == NDG_ASSUME_VALID && st.all.bad.count) return;
    if (take_stitch_out(in)) run_stitch(in);
}

HELPER void try_stitch(choices *in)
{
    ndg_report r;
    take_stitch(in);
    foretell_stitch();
    tell(print_stitch);
    if (plan_by_all(&st.v, plan_stitch, NULL, &r) == NDG_OK) see_lists(in);
}

#endif
