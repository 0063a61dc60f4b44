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

static stitch_case stitch;

static void print_stitch(void)
{
    const ndg_stitch_desc *d = &stitch.d;
    int                    m;
    printf("    stitch: type %d, policy %d, gaps %d, overlap %d, out_stride "
           "%ld, total %ld, rows %ld ... %ld, scratch %d\n", d->index_type,
           d->policy, d->gaps, d->overlap, (long)d->out_stride,
           (long)stitch.s.total, (long)stitch.s.first, (long)stitch.s.last,
           stitch.scratch);
    array_print("slice", &stitch.slice);
    array_print("out_slice", &stitch.got_slice);
    for (m = 0; m < stitch.s.n; m++) {
        array_print("indices", &stitch.indices[m]);
        array_print("data", &stitch.data[m]);
    }
}

/* ---- from choices to a desc ----------------------------------------------*/

/* Bytes between rows of out: a few more than a row has, or packed. */
HELPER ptrdiff_t take_out_stride(choices *in, const array *row, int given)
{
    wide low, high;
    array_span(row, &low, &high);
    return given && high < LARGEST / 4 ? (ptrdiff_t)high + take(in) % 9 : 0;
}

static void spoil_stitch(choices *in)
{
    ndg_stitch_desc *d = &stitch.d;
    array           *got = &stitch.got_slice;
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
    case 12: if (stitch.slice.rank) stitch.slice.dim[0] = take_number(in);
             break;
    default: break;
    }
}

static const int list_policies[4] = {
    NDG_DEFAULT, NDG_ERROR, NDG_DROP, NDG_ASSUME_VALID
};

static void take_stitch(choices *in)
{
    const int        flags = take(in), extreme = flags >= 224, more = take(in);
    ndg_stitch_desc *d = &stitch.d;
    array           *slice = &stitch.slice, *got = &stitch.got_slice;
    int              rank;
    memset(&stitch, 0, sizeof stitch);
    slice->elem = take_elem(in);
    rank = take_rank(in);
    take_dims(in, slice, rank, rank > 3, extreme);
    d->policy = list_policies[flags & 3];
    d->index_type = more & 7;
    d->gaps = (more >> 3) % 3;
    d->overlap = flags >> 2 & 1;
    take_strides(in, slice);
    stitch.row = *slice;
    stitch.row.strided = 0;
    array_pack(&stitch.row);
    if (more & 64) {
        *got = *slice;
        take_out_strides(in, got);
    }
    d->out_stride = take_out_stride(in, got->strided ? got : &stitch.row,
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
    wide low, high;
    *row = *slice;
    row->strided = 0;
    array_pack(row);
    if (layout_flaws(got, slice, 1, v)) *row = *got;
    if (!array_flaws(slice, v)) return 0;
    array_span(row, &low, &high);
    flaw_if(v, out_stride < 0, NDG_E_STRIDE);
    flaw_if(v, out_stride && (wide)out_stride < high, NDG_E_STRIDE);
    return 1;
}

static void foretell_stitch(void)
{
    const ndg_stitch_desc *d = &stitch.d;
    const array           *slice = &stitch.slice, *got = &stitch.got_slice;
    verdict               *v = &stitch.v;
    wide                   low, high;
    option_flaws(d->elem_size, d->index_type, d->policy, 0, d->overlap,
                 d->features, v);
    flaw_if(v, d->gaps < 0 || d->gaps > NDG_GAPS_KEEP, NDG_E_OPTION);
    if ((slice->strided || got->strided) && slice->rank > NDG_MAX_LEVELS)
        maybe(v, NDG_E_LEVELS);
    if (!row_flaws(slice, got, &stitch.row, d->out_stride, v) || v->must)
        return;
    array_span(&stitch.row, &low, &high);
    stitch.cells = (ptrdiff_t)array_cells(slice);
    stitch.row_span = (ptrdiff_t)high;
    stitch.out_stride = d->out_stride ? d->out_stride : stitch.row_span;
    stitch.s.indices = stitch.indices;
    stitch.s.data = stitch.data;
    stitch.s.index_type = d->index_type;
    stitch.s.policy = d->policy;
    stitch.s.gaps = d->gaps;
}

static int plan_stitch(ndg_report *r)
{
    ndg_stitch_plan *plan = &stitch.plan[turn];
    ndg_report       again;
    int              got;
    memset(plan, 0x5A, sizeof *plan);
    got = engines[turn]->plan_stitch(plan, &stitch.d, r);
    if (got == NDG_OK)
        EXPECT(plan->out_rank == 1 + stitch.slice.rank && plan->row.bytes
               == stitch.cells * stitch.slice.elem
               && (!stitch.cells || (plan->row.out_span == stitch.row_span
                   && plan->row.out_stride == stitch.out_stride)),
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
    array           scalar, slice = stitch.slice;
    ndg_list       *l = &stitch.lists[m];
    const ptrdiff_t size = index_bytes(stitch.d.index_type);
    int             how;
    wide            low, high;
    l->count = take_count(in);
    how = take(in);
    memset(&scalar, 0, sizeof scalar);
    scalar.elem = size;
    if (how & 1) l->index_stride = (int8_t)take(in);
    if (how & 2) l->data_stride = (int8_t)take(in);
    if (how & 4) l->data_stride *= take(in);
    if (array_has_gaps(&slice) && !l->data_stride)
        l->data_stride = stitch.row_span + (stitch.row_span < PTRDIFF_MAX);
    if ((how & 24) == 24) {
        stitch.apart[m] = stitch.any_apart = 1;
        stitch.repeats[m] = how >> 5 & 3;
        if (how < 32) take_strides(in, &slice);
        if (!slice.strided) array_pack(&slice);
        array_span(&slice, &low, &high);        /* also if there is no row */
        if (!affordable(&slice, low, high)) return 0;
    }
    array_prepend(&stitch.indices[m], &scalar, l->count,
                  stitch.repeats[m] & 2 ? 0
                  : l->index_stride ? l->index_stride : size);
    array_prepend(&stitch.data[m], &slice, l->count, stitch.repeats[m] & 1 ? 0
                  : l->data_stride ? l->data_stride
                  : stitch.cells * stitch.slice.elem);
    array_span(&stitch.indices[m], &low, &high);
    if (!affordable(&stitch.indices[m], low, high)) return 0;
    array_span(&stitch.data[m], &low, &high);
    return affordable(&stitch.data[m], low, high);
}

static void fill_list(choices *in, int m, ptrdiff_t most)
{
    array        *x = &stitch.indices[m], *a = &stitch.data[m];
    value_source  from = take_values(in, stitch.d.policy == NDG_ASSUME_VALID);
    const int     in_turn = below(in, 3) == 0;
    random_source noise = from.dice;
    ptrdiff_t     i;
    take_memory(in, x);
    take_memory(in, a);
    array_noise(a, &noise);
    for (i = 0; i < x->dim[0]; i++)
        if (in_turn) index_put(array_at(x, &i), stitch.d.index_type, i);
        else put_value(array_at(x, &i), stitch.d.index_type, most, &from);
    stitch.lists[m].indices = x->base;
    stitch.lists[m].data = a->base;
}

static int take_lists(choices *in)
{
    ptrdiff_t most = 1 + take_count(in), entries = 0;
    int       m, n = take(in) % (LISTS + 1);
    if (most > 2000 && take(in) & 1) most = PTRDIFF_MAX;
    for (m = 0; m < n; m++) {
        if (!take_list(in, m)) return 0;
        fill_list(in, m, most);
        stitch.s.n = m + 1;
        entries += stitch.lists[m].count;
    }
    return entries <= ROWS_MOST
        && (wide)entries * (wide)stitch.cells <= (wide)4 * CELLS_MOST;
}

/* Bytes of so many rows. Rows of no bytes span none, whatever lies between. */
static wide bytes_of_rows(ptrdiff_t rows)
{
    if (rows <= 0 || stitch.row_span == 0) return 0;
    return ((wide)rows - 1) * (wide)stitch.out_stride + (wide)stitch.row_span;
}

static void check_total(void)
{
    ptrdiff_t  total = -7;
    ndg_report r = report_stale();
    const int  got = engines[turn]->stitch_total(&stitch.plan[turn],
                         stitch.lists, stitch.s.n, &total, &r);
    if (stitch.all.status == NDG_OK
        && (stitch.most < 0 || bytes_of_rows(stitch.most) > LARGEST))
        EXPECT(got == NDG_E_OVERFLOW && total == 0, "%d: %s", got,
               report_text(&r));
    else {
        same_report(got, &r, &stitch.all, 1);
        EXPECT(total == (got == NDG_OK ? stitch.most : 0), "total %ld, not "
               "%ld", (long)total, (long)stitch.most);
    }
}

/* Whether so many rows fit, and end near enough for memory to be there. */
static int lie_near(ptrdiff_t rows)
{
    return bytes_of_rows(rows) <= LARGEST
        && (wide)rows * (wide)stitch.out_stride <= 1e12L;
}

/* Rows of the output, and which of them run: a range, if all are too many. */
static int take_total(choices *in)
{
    const int      how = stitch.any_apart ? 0 : take(in);
    oracle_stitch *s = &stitch.s;
    s->total = stitch.most;
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
    stitch.scratch = how >> 5 & 1 || stitch.d.gaps == NDG_GAPS_ERROR;
    return lie_near(s->last)
        && (wide)(s->last - s->first) * (wide)stitch.cells <= CELLS_MOST;
}

/* What out becomes: rows of lists, and gaps. */
static void want_stitch(void)
{
    oracle_stitch *s = &stitch.s;
    ptrdiff_t     *list = grab_words(s->last - s->first);
    ptrdiff_t     *row = grab_words(s->last - s->first), i;
    stitch.exact = oracle_stitch_owners(s, list, row);
    if (!stitch.scratch) memset(&stitch.exact.rows, 0,
                                sizeof stitch.exact.rows);
    for (i = 0; i < s->last - s->first && stitch.cells; i++)
        if (list[i] >= 0)
            oracle_copy_row(&stitch.want, s->first + i, &stitch.data[list[i]],
                            row[i]);
        else if (s->gaps == NDG_GAPS_ZERO)
            oracle_set_row(&stitch.want, s->first + i, 0);
    free(list);
    free(row);
}

static int take_stitch_out(choices *in)
{
    const oracle_stitch *s = &stitch.s;
    array               *o = &stitch.out;
    wide                 low = 0, high = 0;
    array_prepend(o, &stitch.row, s->total, stitch.out_stride);
    if (s->last > s->first && stitch.cells) {
        low = (wide)s->first * (wide)stitch.out_stride;
        high = bytes_of_rows(s->last);
    }
    if (!affordable(o, low, high)) return 0;
    take_memory(in, o);
    array_twin(&stitch.want, o);
    want_stitch();
    return 1;
}

/* ---- runs ----------------------------------------------------------------*/

/* Whether row i of out is as it is there, gaps included. */
static int row_same(const array *a, ptrdiff_t i)
{
    const ptrdiff_t at = i * stitch.out_stride;
    return !memcmp(stitch.out.base + at, a->base + at,
                   (size_t)stitch.row_span);
}

/* After an error a row is as it was, a gap, or what an index names. */
static int row_is_some(array *fresh, ptrdiff_t i)
{
    const oracle_stitch *s = &stitch.s;
    ptrdiff_t            m, j;
    int                  is_u64, found = row_same(fresh, i);
    if (!found && s->gaps == NDG_GAPS_ZERO) {
        oracle_set_row(fresh, i, 0);
        found = row_same(fresh, i);
    }
    for (m = 0; m < s->n && !found; m++)
        for (j = 0; j < stitch.lists[m].count && !found; j++) {
            if (oracle_entry(s, m, j, &is_u64) != i || is_u64) continue;
            oracle_copy_row(fresh, i, &stitch.data[m], j);
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
    same_report(got, r, &stitch.exact, 0);
    if (got == NDG_OK) {
        same_bytes(&stitch.out, &stitch.want, ALL);
    } else if (got != NDG_E_INDEX) {
        untouched(&stitch.out);
    } else {
        same_bytes(&stitch.out, &stitch.want, SOME);
        array_twin(&fresh, &stitch.out);
        array_fresh(&fresh);
        for (i = stitch.s.first; i < stitch.s.last && stitch.cells; i++)
            EXPECT(row_is_some(&fresh, i), "row %ld is of no list", (long)i);
        array_free(&fresh);
    }
}

static int stitch_rows(void *out, ptrdiff_t room, ptrdiff_t a, ptrdiff_t b,
                       void *scratch, ptrdiff_t bytes, ndg_report *r)
{
    return engines[turn]->stitch_run_range(&stitch.plan[turn], out, room,
        stitch.s.total, stitch.lists, stitch.s.n, a, b, scratch, bytes, r);
}

/* Rows a ... b-1, with scratch of exactly the bytes it asks for. */
static int run_stitch_rows(ptrdiff_t a, ptrdiff_t b, ndg_report *r)
{
    const ptrdiff_t n = engines[turn]->stitch_scratch_bytes(
                            &stitch.plan[turn], b - a);
    unsigned char  *s = NULL;
    int             got;
    EXPECT(n >= (b - a + 7) / 8 && n <= b - a + 8, "scratch of %ld", (long)n);
    if (stitch.scratch) s = (unsigned char *)grab((size_t)n);
    if (s) memset(s, 0xCC, (size_t)n);            /* it need not be clear */
    got = stitch_rows(stitch.out.base, stitch.out.high, a, b, s, s ? n : 0, r);
    free(s);
    return got;
}

static void run_stitch_whole(void)
{
    const oracle_stitch *s = &stitch.s;
    ndg_report           r = report_stale();
    int                  got;
    array_fresh(&stitch.out);
    got = run_stitch_rows(s->first, s->last, &r);
    see_stitch(got, &r);
    if (got || r.bad.count) say(engines[turn], &r, NULL);
    if (s->first || s->last != s->total || stitch.scratch) return;
    array_fresh(&stitch.out);
    r = report_stale();
    got = engines[turn]->stitch_run(&stitch.plan[turn], stitch.out.base,
        stitch.out.high, s->total, stitch.lists, s->n, NULL, 0, &r);
    see_stitch(got, &r);
}

/* In ranges. A gap that one of them refuses keeps only its own rows. */
static void run_stitch_cuts(const ranges *cuts)
{
    const oracle_stitch *s = &stitch.s;
    ndg_report           sum;
    if (s->last == s->first && s->total) return;
    array_fresh(&stitch.out);
    sum = run_ranges(cuts, !s->total, run_stitch_rows);
    if (sum.status != NDG_E_GAP) see_stitch(sum.status, &sum);
    else same_report(sum.status, &sum, &stitch.exact, 1);
}

/* The bytes of `rows` rows: -1 if there are not so many; no run of them. */
static void check_out_bytes(ptrdiff_t rows)
{
    const engine *e = engines[turn];
    const wide    bytes = bytes_of_rows(rows);
    const int     huge = rows < 0 || bytes > LARGEST;
    ndg_report    r = report_stale();
    EXPECT(e->stitch_out_bytes(&stitch.plan[turn], rows)
           == (huge ? -1 : (ptrdiff_t)bytes), "bytes of %ld rows", (long)rows);
    if (huge && stitch.d.gaps != NDG_GAPS_ERROR)
        refused(e->stitch_run(&stitch.plan[turn], stitch.out.base,
                    PTRDIFF_MAX, rows, stitch.lists, stitch.s.n, NULL, 0, &r),
                &r, rows < 0 ? NDG_E_RANGE : NDG_E_OVERFLOW,
                rows < 0 ? 0 : NDG_ARG_OUT);
}

static void refuse_stitch(ptrdiff_t far)
{
    const engine    *e = engines[turn];
    const ptrdiff_t  need = stitch.out.high, total = stitch.s.total;
    const ptrdiff_t  a = stitch.s.first, b = stitch.s.last;
    const int        strict = stitch.d.gaps == NDG_GAPS_ERROR;
    ndg_report       r = report_stale();
    unsigned char    s[1];
    void            *o = stitch.out.base;
    array_fresh(&stitch.out);
    if (stitch.scratch && b - a > 8) {
        refused(stitch_rows(o, need, a, b, s, 1, &r), &r, NDG_E_SCRATCH,
                NDG_ARG_SCRATCH);
        if (strict)
            refused(stitch_rows(o, need, a, b, NULL, 0, &r), &r,
                    NDG_E_SCRATCH, NDG_ARG_SCRATCH);
    }
    if (!strict && need) {
        refused(stitch_rows(o, need - 1, a, b, NULL, 0, &r), &r,
                NDG_E_CAPACITY, NDG_ARG_OUT);
        EXPECT(r.value == need - 1 && r.bound == need, "%s", report_text(&r));
        refused(stitch_rows(NULL, need, a, b, NULL, 0, &r), &r, NDG_E_NULL,
                NDG_ARG_OUT);
    }
    if (!strict)
        refused(e->stitch_run_range(&stitch.plan[turn], o, need, total,
                    stitch.lists, -1, a, b, NULL, 0, &r), &r, NDG_E_COUNT,
                NDG_ARG_INPUTS);
    if (!strict && stitch.s.n)
        refused(e->stitch_run_range(&stitch.plan[turn], o, need, total, NULL,
                    stitch.s.n, a, b, NULL, 0, &r), &r, NDG_E_NULL,
                NDG_ARG_INPUTS);
    check_out_bytes(far);
    if (far >= 0) far = far < PTRDIFF_MAX - total ? total + 1 + far : -1;
    refused(stitch_rows(o, need, far, far, NULL, 0, &r), &r, NDG_E_RANGE, 0);
    refused(stitch_rows(o, need, 0, far, NULL, 0, &r), &r, NDG_E_RANGE, 0);
    untouched(&stitch.out);
    check_out_bytes(total);
}

/* Makes a list one that is not there, or has sizes that cannot be. Returns
 * what that may be refused for. */
static unsigned spoil_list(choices *in, ndg_list *l, int how)
{
    const ptrdiff_t size = index_bytes(stitch.d.index_type);
    const int       some = stitch.s.first < stitch.s.last && l->count;
    if (how == 0 && some) l->indices = NULL;
    else if (how == 1 && some && stitch.cells) l->data = NULL;
    else if (how == 2) l->count = -1 - take(in);
    else if (how == 3) {
        l->count = PTRDIFF_MAX;
        l->index_stride = take_number(in);
        if (l->index_stride == 1 || l->index_stride == -1 || size == 1)
            return 0;
        return 1u << NDG_E_OVERFLOW;
    } else if (how == 4 && stitch.cells && l->count > 1
               && array_has_gaps(&stitch.slice)) {
        l->data_stride = 0;
        return 1u << NDG_E_STRIDE;
    } else return 0;
    return how < 2 ? 1u << NDG_E_NULL : 1u << NDG_E_COUNT | 1u << NDG_E_SHAPE;
}

static void refuse_list(choices *in)
{
    const int  m = stitch.s.n ? below(in, (int)stitch.s.n) : 0;
    const int  how = below(in, 5);
    ndg_list   kept = stitch.lists[m];
    ndg_report r = report_stale();
    ptrdiff_t  total;
    unsigned   may;
    int        got;
    if (!stitch.s.n) return;
    may = spoil_list(in, &stitch.lists[m], how);
    array_fresh(&stitch.out);
    if (may) {
        unsigned char *s = (unsigned char *)grab(ROWS_MOST);
        got = stitch_rows(stitch.out.base, stitch.out.high, stitch.s.first,
                          stitch.s.last, s, ROWS_MOST, &r);
        free(s);
        EXPECT(got > 0 && may >> got & 1 && r.item == m && r.status == got
               && r.operand, "may %x: %s", may, report_text(&r));
        untouched(&stitch.out);
        if (how == 0 || how == 2 || how == 3) {
            got = engines[turn]->stitch_total(&stitch.plan[turn],
                      stitch.lists, stitch.s.n, &total, &r);
            EXPECT(got > 0 && total == 0, "%s", report_text(&r));
        }
    }
    stitch.lists[m] = kept;
}

static void overlap_stitch(choices *in)
{
    const int  m = stitch.s.n ? below(in, (int)stitch.s.n) : 0;
    const int  data = below(in, 2);
    ndg_list   kept = stitch.lists[m];
    ndg_report r = report_stale();
    overlap    both;
    if (!stitch.s.n || stitch.d.overlap || stitch.d.gaps == NDG_GAPS_ERROR
        || !take_overlap(in, data ? &stitch.data[m] : &stitch.indices[m],
                         &stitch.out, &both)) return;
    if (both.shared) {
        *(data ? &stitch.lists[m].data : &stitch.lists[m].indices) = both.in;
        refused(stitch_rows(both.out, stitch.out.high, stitch.s.first,
                            stitch.s.last, NULL, 0, &r), &r, NDG_E_OVERLAP,
                data ? NDG_ARG_DATA : NDG_ARG_INDICES);
        EXPECT(r.item == m, "%s", report_text(&r));
    }
    stitch.lists[m] = kept;
    free(both.block);
}

/* ---- tensors -------------------------------------------------------------*/

/* Each list as two tensors, its count cut in two axes where it can be, or one
 * entry in none. */
static void make_input(int m, ndg_stitch_input *t, array *x, array *a)
{
    *x = stitch.indices[m];
    *a = stitch.data[m];
    if (stitch.twice && x->dim[0] % 2 == 0) {
        array xs = *x, as = *a;
        xs.dim[0] = as.dim[0] = x->dim[0] / 2;
        array_prepend(x, &xs, 2, xs.stride[0] * xs.dim[0]);
        array_prepend(a, &as, 2, as.stride[0] * as.dim[0]);
    } else if (stitch.twice && x->dim[0] == 1) {
        const array as = *a;
        x->rank = 0;
        a->rank--;
        memcpy(a->dim, as.dim + 1, (size_t)a->rank * sizeof *a->dim);
        memcpy(a->stride, as.stride + 1, (size_t)a->rank * sizeof *a->dim);
    }
    t->indices = stitch.indices[m].base;
    t->data = stitch.data[m].base;
    t->indices_shape = array_ndg(x);
    t->data_shape = array_ndg(a);
}

static void check_list_from(int m, const ndg_stitch_input *t)
{
    const array *x = &stitch.indices[m], *a = &stitch.data[m];
    ndg_list     got;
    ndg_report   r = report_stale();
    const int    status = engines[turn]->list_from(&got, t, &stitch.d, &r);
    const int    repeats = x->dim[0] > 1
                        && (!x->stride[0] || (stitch.cells && !a->stride[0]));
    EXPECT(status == (repeats ? NDG_E_STRIDE : NDG_OK)
           || (status == NDG_E_STRIDE && stitch.apart[m]
               && !stitch.repeats[m]), "%s", report_text(&r));
    if (status != NDG_OK) return;
    EXPECT(got.count == x->dim[0] && got.indices == x->base
           && got.data == a->base, "another list");
    if (got.count < 2) return;
    EXPECT((got.index_stride ? got.index_stride : x->elem) == x->stride[0],
           "index stride %ld", (long)got.index_stride);
    EXPECT(!stitch.cells || (got.data_stride ? got.data_stride
                             : stitch.cells * stitch.slice.elem)
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
    if (how > 1 && !stitch.cells) return;   /* of extents that may be huge */
    memcpy(t, right, sizeof t);
    if (how < 2) {
        if (!stitch.lists[m].count) return;
        if (how && (!stitch.cells || !stitch.s.total)) return;
        *(how ? &t[m].data : &t[m].indices) = NULL;
        want = NDG_E_NULL;
    } else if (how == 2) {
        if (!x->rank) return;
        a->dim[0]++;
    } else if (how == 3) {
        if (stitch.s.n == 1 && a->rank > x->rank) return;   /* another slice */
        if (a->rank == 0) return;
        a->rank--;
    } else {
        if (stitch.s.n == 1) return;
        a->dim[a->rank] = 2;
        a->stride[a->rank++] = a->elem;
    }
    if (how > 1) t[m].data_shape = array_ndg(a);
    array_fresh(&stitch.out);
    got = engines[turn]->dynamic_stitch(stitch.out.base, stitch.out.high,
              &total, t, stitch.s.n, &stitch.d, &r);
    EXPECT(got == want && r.status == got && r.op && r.operand
           && total == (how == 1 ? stitch.most : 0), "%d, not %d: total %ld: "
           "%s", got, want, (long)total, report_text(&r));
    untouched(&stitch.out);
}

/* All in one call. */
static void run_tensors(const ndg_stitch_input *t)
{
    const engine    *e = engines[turn];
    ndg_stitch_desc  d = stitch.d;
    ndg_report       r = report_stale();
    ptrdiff_t        total = -7;
    int              got;
    array_fresh(&stitch.out);
    d.slice = ndg_dims(-1, NULL, NULL);              /* it is not read */
    got = (stitch.twice ? e->dynamic_stitch : e->parallel_dynamic_stitch)(
            stitch.out.base, stitch.out.high, &total, t, stitch.s.n, &d, &r);
    EXPECT(!r.op || (r.op == NDG_OP_PARALLEL_DYNAMIC_STITCH) == !stitch.twice,
           "op %d", r.op);
    if (r.op) r.op = NDG_OP_DYNAMIC_STITCH;
    EXPECT(total == (got == NDG_E_INDEX ? 0 : stitch.most), "total %ld",
           (long)total);
    if (got == NDG_E_INDEX) {
        same_report(got, &r, &stitch.all, 1);
        untouched(&stitch.out);
        return;
    }
    if (r.bad.extent == PTRDIFF_MAX) r.bad.extent = stitch.exact.bad.extent;
    see_stitch(got, &r);
    total = -7;
    got = e->dynamic_stitch(NULL, 0, &total, t, stitch.s.n, &stitch.d, &r);
    EXPECT(got == (stitch.out.high ? NDG_E_CAPACITY : NDG_OK)
           && total == stitch.most && (!got || r.bound == stitch.out.high),
           "%s", report_text(&r));
}

static void see_tensors(void)
{
    static array         x[LISTS], a[LISTS];
    const oracle_stitch *s = &stitch.s;
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
                    &stitch.d, &r), &r, NDG_E_COUNT, NDG_ARG_INPUTS);
    if (!s->n || s->gaps == NDG_GAPS_ERROR || s->first || stitch.scratch
        || s->last != s->total || s->total != stitch.most
        || stitch.slice.rank > 12) return;
    run_tensors(t);
    m = (int)(stitch.wrong % s->n);
    if (stitch.exact.status != NDG_E_INDEX)
        refuse_tensor(t, m, stitch.wrong / LISTS % 5, &x[m], &a[m]);
}

/* ---- a case --------------------------------------------------------------*/

static void run_stitch(choices *in)
{
    ranges    cuts;
    choices   rest;
    ptrdiff_t far;
    take_ranges(in, stitch.s.first, stitch.s.last, &cuts);
    if (!stitch.s.total) cuts.n = 1;              /* each would report */
    stitch.twice = below(in, 2);
    stitch.wrong = take(in);
    far = take_number(in);
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        if (!stitch.any_apart) {
            refuse_stitch(far);
            refuse_list(in);
            overlap_stitch(in);
            if (stitch.d.policy == NDG_ASSUME_VALID && stitch.exact.bad.count)
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
    stitch.most = oracle_stitch_total(&stitch.s, &stitch.all);
    for (turn = 0; turn < ENGINES && !stitch.any_apart; turn++) check_total();
    turn = 0;
    if (!take_total(in)) return;
    if (stitch.d.policy == NDG_ASSUME_VALID && stitch.all.bad.count) return;
    if (take_stitch_out(in)) run_stitch(in);
}

HELPER void try_stitch(choices *in)
{
    ndg_report r;
    int        m;
    take_stitch(in);
    foretell_stitch();
    tell(print_stitch);
    if (plan_by_all(&stitch.v, plan_stitch, NULL, &r)) return;
    see_lists(in);
    for (m = 0; m < LISTS; m++) {
        array_free(&stitch.indices[m]);
        array_free(&stitch.data[m]);
    }
    array_free(&stitch.out);
    array_free(&stitch.want);
}

#endif
