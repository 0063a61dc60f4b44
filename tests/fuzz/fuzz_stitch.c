/* fuzz_stitch.c - dynamic_stitch and its parts: plans, totals, runs, ranges,
 * scratch, gaps, tensors in one call, and what is refused. */
#include "fuzz.h"

#define LISTS     4
#define ROWS_MOST 4096
#define WORK_MOST 20000

typedef struct stitch_list {
    view      indices, data;   /* of [count] and of [count] + slice */
    ptrdiff_t index_stride, data_stride;    /* as a caller gives them */
    int       repeats;                      /* 1: its rows, 2: its indices */
    int       apart;                        /* as only a tensor can be */
} stitch_list;

typedef struct stitch_case {
    ndg_stitch_desc d;
    verdict         v;
    view            slice, got_slice, out;    /* out: [rows of the range] */
    ptrdiff_t       cells, out_stride, row_span;
    int             n;
    int             apart;      /* a list is as only tensors can be */
    stitch_list     list[LISTS];
    ndg_list        lists[LISTS];
    ptrdiff_t       total, most, first, last;
    int             scratch;
    ptrdiff_t      *owner_list, *owner_row;   /* of each row of the range */
    ndg_report      want;       /* of the range, as scratch makes it */
    ndg_report      all;        /* of ndg_stitch_total */
    unsigned char  *fresh, *expect;
} stitch_case;

static stitch_case c;

static void print_case(void)
{
    int m;
    printf("    type %d, policy %d, gaps %d, overlap %d, out_stride %ld, total "
           "%ld, rows %ld ... %ld, scratch %d\n", c.d.index_type, c.d.policy,
           c.d.gaps, c.d.overlap, (long)c.d.out_stride, (long)c.total,
           (long)c.first, (long)c.last, c.scratch);
    view_print("slice", &c.slice);
    view_print("out_slice", &c.got_slice);
    for (m = 0; m < c.n; m++) {
        printf("    list %d: strides %ld %ld\n", m,
               (long)c.list[m].index_stride, (long)c.list[m].data_stride);
        view_print("indices", &c.list[m].indices);
        view_print("data", &c.list[m].data);
    }
}

/* ---- from bytes to a desc ------------------------------------------------*/

static void spoil(input *in)
{
    ndg_stitch_desc *d = &c.d;
    const int        how = below(in, 64);
    switch (how) {
    case 1: d->policy = take_wrong(in); break;
    case 2: d->index_type = take_wrong(in); break;
    case 3: d->gaps = take_wrong(in); break;
    case 4: d->overlap = take_wrong(in); break;
    case 5: d->features = (unsigned)take_wrong(in); break;
    case 6: d->elem_size = take_number(in); break;
    case 7: d->out_stride = take_number(in); break;
    case 8: d->out_stride += (int8_t)take(in); break;
    case 9: c.got_slice.rank = below(in, 5); break;
    case 10: if (c.got_slice.rank) c.got_slice.dim[0] = take(in); break;
    case 11: d->policy = take(in) % 8; break;
    case 12: if (c.slice.rank) c.slice.dim[0] = take_number(in); break;
    default: break;
    }
}

static void take_desc(input *in)
{
    static const int policies[4] = {
        NDG_DEFAULT, NDG_ERROR, NDG_DROP, NDG_ASSUME_VALID
    };
    const int flags = take(in), extreme = flags >= 224, more = take(in);
    wide      low, high;
    int       i;
    memset(&c, 0, sizeof c);
    c.slice.elem = take_elem(in);
    c.slice.rank = take_rank(in);
    for (i = 0; i < c.slice.rank; i++)
        c.slice.dim[i] = take_extent(in, c.slice.rank > 3, extreme);
    c.d.policy = policies[flags & 3];
    c.d.index_type = more & 7;
    c.d.gaps = (more >> 3) % 3;
    c.d.overlap = flags >> 2 & 1;
    take_strides(in, &c.slice);
    c.out = c.slice;
    c.out.strided = 0;
    if (more & 64) {
        c.got_slice = c.slice;
        take_out_strides(in, &c.got_slice);
    }
    c.got_slice.elem = c.slice.elem;
    view_span(more & 64 && c.got_slice.strided ? &c.got_slice : &c.out, &low,
              &high);
    if (more & 128 && high < MOST / 4)
        c.d.out_stride = (ptrdiff_t)high + take(in) % 9;
    c.d.elem_size = c.slice.elem;
    spoil(in);
    c.slice.elem = c.got_slice.elem = c.d.elem_size;
    if (!c.slice.strided) view_pack(&c.slice);
    if (!c.got_slice.strided) view_pack(&c.got_slice);
}

/* ---- what the manual says of it ------------------------------------------*/

static void option_flaws(verdict *v)
{
    const ndg_stitch_desc *d = &c.d;
    const int p = d->policy;
    if (d->elem_size < 1) flaw(v, NDG_E_TYPE);
    if (d->index_type < 0 || d->index_type > NDG_U64) flaw(v, NDG_E_TYPE);
    if (p != NDG_DEFAULT && p != NDG_ERROR && p != NDG_DROP
        && p != NDG_ASSUME_VALID) flaw(v, NDG_E_OPTION);
    if (d->gaps < 0 || d->gaps > NDG_GAPS_KEEP) flaw(v, NDG_E_OPTION);
    if (d->overlap < 0 || d->overlap > 1) flaw(v, NDG_E_OPTION);
    if (d->features) flaw(v, NDG_E_OPTION);
}

/* The row of an output: a layout of its own, or C order. */
static void slice_flaws(verdict *v, const view *slice, const view *got,
                        view *out)
{
    *out = *slice;
    out->strided = 0;
    view_pack(out);
    view_flaws(slice, v);
    if (layout_flaws(got, slice, v)) *out = *got;
    if ((slice->strided || got->strided) && slice->rank > NDG_MAX_LEVELS)
        maybe(v, NDG_E_LEVELS);
}

static void foretell(void)
{
    verdict *v = &c.v;
    wide     low, high;
    int      i;
    option_flaws(v);
    slice_flaws(v, &c.slice, &c.got_slice, &c.out);
    for (i = 0; i < c.slice.rank; i++) if (c.slice.dim[i] < 0) return;
    if (c.d.elem_size < 1) return;
    view_span(&c.out, &low, &high);
    if (c.d.out_stride < 0) flaw(v, NDG_E_STRIDE);
    if (c.d.out_stride && (wide)c.d.out_stride < high) flaw(v, NDG_E_STRIDE);
    if (v->must) return;
    c.cells = (ptrdiff_t)view_size(&c.slice);
    c.row_span = (ptrdiff_t)high;
    c.out_stride = c.d.out_stride ? c.d.out_stride : c.row_span;
}

static int make_plans(ndg_stitch_plan *plan)
{
    ndg_report r, first;
    int        got, want = -1;
    c.d.slice = view_ndg(&c.slice);
    c.d.out_slice = view_ndg(&c.got_slice);
    for (turn = 0; turn < ENGINES; turn++) {
        r = report_stale();
        memset(&plan[turn], 0x5A, sizeof *plan);
        got = engines[turn]->plan_stitch(&plan[turn], &c.d, &r);
        judge(&c.v, got, &r);
        if (turn == 0) {
            want = got;
            first = r;
        }
        EXPECT(got == want && report_same(&r, &first, 1), "%s",
               report_text(&r));
        if (got != NDG_OK) {
            say(engines[turn], &r, NULL);
            EXPECT(engines[turn]->stitch_run(&plan[turn], NULL, 0, 0, NULL, 0,
                       NULL, 0, &r) == NDG_E_NULL, "ran");
            continue;
        }
        EXPECT(plan[turn].out_rank == 1 + c.slice.rank, "rank");
        EXPECT(plan[turn].row.bytes == c.cells * c.slice.elem, "bytes %ld",
               (long)plan[turn].row.bytes);
        EXPECT(!c.cells || plan[turn].row.out_span == c.row_span, "span");
        EXPECT(!c.cells || plan[turn].row.out_stride == c.out_stride,
               "stride %ld", (long)plan[turn].row.out_stride);
    }
    return want == NDG_OK;
}

/* ---- lists ---------------------------------------------------------------*/

/* A view of count rows, stride apart, in front of the axes of a slice. */
static void prepend(view *a, const view *slice, ptrdiff_t count,
                    ptrdiff_t stride)
{
    int i;
    memset(a, 0, sizeof *a);
    a->rank = 1 + slice->rank;
    a->elem = slice->elem;
    a->strided = 1;
    a->dim[0] = count;
    a->stride[0] = stride;
    for (i = 0; i < slice->rank; i++) {
        a->dim[1 + i] = slice->dim[i];
        a->stride[1 + i] = slice->stride[i];
    }
}

static ptrdiff_t take_count(input *in)
{
    static const short many[4] = { 100, 300, 1030, 2100 };
    const int b = take(in);
    if (b >= 252) return many[b - 252];
    return b < 128 ? b % 8 : b - 128;
}

/* Exact memory for a list; its spans are small. */
static int take_list(input *in, stitch_list *l)
{
    view            scalar, slice = c.slice;
    const ptrdiff_t count = take_count(in);
    const int       how = take(in), gaps = view_has_gaps(&c.slice);
    const ptrdiff_t size = index_bytes(c.d.index_type);
    wide            low, high;
    memset(&scalar, 0, sizeof scalar);
    scalar.elem = size;
    if (how & 1) l->index_stride = (int8_t)take(in);
    if (how & 2) l->data_stride = (int8_t)take(in);
    if (how & 4) l->data_stride *= take(in);
    if (gaps && !l->data_stride)
        l->data_stride = c.row_span + (c.row_span < PTRDIFF_MAX);
    if ((how & 24) == 24) {
        l->apart = 1;
        l->repeats = how >> 5 & 3;
        if (how < 32) take_strides(in, &slice);
        if (!slice.strided) view_pack(&slice);
        view_span(&slice, &low, &high);
        if (!affordable(low, high)) return 0;   /* also if there is no row */
    }
    prepend(&l->indices, &scalar, count, l->repeats & 2 ? 0
            : l->index_stride ? l->index_stride : size);
    prepend(&l->data, &slice, count, l->repeats & 1 ? 0
            : l->data_stride ? l->data_stride : c.cells * c.slice.elem);
    view_span(&l->indices, &low, &high);
    if (!affordable(low, high)) return 0;
    l->indices.low = (ptrdiff_t)low;
    l->indices.high = (ptrdiff_t)high;
    view_span(&l->data, &low, &high);
    if (!affordable(low, high)) return 0;
    l->data.low = (ptrdiff_t)low;
    l->data.high = (ptrdiff_t)high;
    return 1;
}

static void fill_list(input *in, stitch_list *l, ptrdiff_t most)
{
    random_source dice = { (uint64_t)take(in) };
    const int     way = below(in, VALUES_WAYS), in_turn = below(in, 3) == 0;
    ptrdiff_t     i;
    view_alloc(&l->indices, below(in, 16));
    view_alloc(&l->data, below(in, 16));
    view_noise(&l->data, &dice);
    for (i = 0; i < l->indices.dim[0]; i++) {
        unsigned char *to = view_at(&l->indices, i * l->indices.stride[0]);
        if (in_turn) index_put(to, c.d.index_type, i);
        else put_index(to, c.d.index_type, most, way, &dice, in);
    }
}

static int take_lists(input *in)
{
    ptrdiff_t most = 1 + take_count(in), rows = 0;
    int       m, n = take(in) % (LISTS + 1);
    if (most > 2000 && take(in) & 1) most = PTRDIFF_MAX;
    for (m = 0; m < n; m++) {
        stitch_list *l = &c.list[m];
        if (!take_list(in, l)) return 0;
        fill_list(in, l, most);
        c.n = m + 1;
        if (l->apart) c.apart = 1;
        rows += l->indices.dim[0];
        c.lists[m].indices = l->indices.base;
        c.lists[m].data = l->data.base;
        c.lists[m].count = l->indices.dim[0];
        c.lists[m].index_stride = l->index_stride;
        c.lists[m].data_stride = l->data_stride;
    }
    return rows <= ROWS_MOST && (!c.cells || rows <= 4 * WORK_MOST / c.cells);
}

/* ---- the answer ----------------------------------------------------------*/

static int64_t index_of(int m, ptrdiff_t j, int *is_u64)
{
    const view *x = &c.list[m].indices;
    return index_get(view_at(x, j * x->stride[0]), c.d.index_type, is_u64);
}

/* Whether entry j of list m is good for extent; if not it goes to *bad. For a
 * total, PTRDIFF_MAX and above are good, and ask for too many rows. */
static int entry_good(int m, ptrdiff_t j, ptrdiff_t extent, ndg_bad *bad,
                      int64_t *v)
{
    int is_u64;
    *v = index_of(m, j, &is_u64);
    if (!is_u64 && *v >= 0 && *v < extent) return 1;
    if (!is_u64 && *v >= PTRDIFF_MAX && bad == &c.all.bad) return 1;
    if (bad->count++) return 0;
    bad->list = m;
    bad->position = j;
    bad->value = *v;
    bad->is_u64 = is_u64;
    bad->extent = extent;
    return 0;
}

static void want_index_error(ndg_report *r)
{
    if (!r->bad.count) return;
    r->op = NDG_OP_DYNAMIC_STITCH;
    if (c.d.policy == NDG_DROP) return;
    r->status = NDG_E_INDEX;
    r->operand = NDG_ARG_INDICES;
}

static void find_total(void)
{
    int64_t   v;
    ptrdiff_t j;
    int       m;
    c.most = 0;
    for (m = 0; m < c.n; m++)
        for (j = 0; j < c.list[m].indices.dim[0]; j++)
            if (entry_good(m, j, PTRDIFF_MAX, &c.all.bad, &v)
                && v >= c.most && c.most >= 0)
                c.most = v >= PTRDIFF_MAX ? -1 : (ptrdiff_t)v + 1;
    want_index_error(&c.all);
}

/* Rows of no bytes span none, whatever lies between them. */
static int fits_rows(ptrdiff_t rows)
{
    if (rows <= 0 || c.row_span == 0) return rows >= 0;
    return ((wide)rows - 1) * (wide)c.out_stride + (wide)c.row_span <= MOST;
}

static void check_total(const engine *e, const ndg_stitch_plan *plan)
{
    ptrdiff_t  total = -7;
    ndg_report r = report_stale();
    const int  got = e->stitch_total(plan, c.lists, c.n, &total, &r);
    if (c.all.status == NDG_OK && !fits_rows(c.most)) {
        EXPECT(got == NDG_E_OVERFLOW && total == 0, "%d: %s", got,
               report_text(&r));
        return;
    }
    EXPECT(got == c.all.status && report_same(&r, &c.all, 1), "%s, want %s",
           report_text(&r), report_text(&c.all));
    EXPECT(total == (got == NDG_OK ? c.most : 0), "total %ld, not %ld",
           (long)total, (long)c.most);
}

/* Whether so many rows fit, and end near enough for memory to be there. */
static int lie_near(ptrdiff_t rows)
{
    return fits_rows(rows) && (wide)rows * (wide)c.out_stride <= 1e12L;
}

/* Rows of the output, and which of them run: a range, if all are too many. */
static int take_rows(input *in)
{
    const int how = c.apart ? 0 : take(in);
    c.total = c.most;
    if (how & 1 && c.most < PTRDIFF_MAX - 8) c.total = c.most + take(in) % 8;
    if (how & 2) c.total = take(in);
    if (how & 4 && c.total < PTRDIFF_MAX / 4) c.total *= 3;
    if ((how & 6) == 6) c.total = take_number(in);
    if (c.total < 0) return 0;
    c.last = c.total;
    if (how & 8 || c.total > ROWS_MOST || !lie_near(c.total)) {
        c.first = take_number(in);
        if (c.first < 0) c.first = -(c.first + 1);
        if (c.total < PTRDIFF_MAX) c.first %= c.total + 1;
        if (how & 16) c.first = 0;
        c.last = take_more(in, c.first, c.total);
    }
    if (!lie_near(c.last)) return 0;
    c.scratch = how >> 5 & 1 || c.d.gaps == NDG_GAPS_ERROR;
    return c.cells == 0
           || (c.last - c.first) * c.cells <= WORK_MOST;
}

static void find_owners(void)
{
    const ptrdiff_t n = c.last - c.first;
    ndg_row_counts *rows = &c.want.rows;
    int64_t         v;
    ptrdiff_t       j, k;
    int             m;
    c.owner_list = (ptrdiff_t *)grab((size_t)n * sizeof(ptrdiff_t));
    c.owner_row = (ptrdiff_t *)grab((size_t)n * sizeof(ptrdiff_t));
    for (j = 0; j < n; j++) c.owner_list[j] = -1;
    for (m = 0; m < c.n; m++)
        for (j = 0; j < c.list[m].indices.dim[0]; j++) {
            if (!entry_good(m, j, c.total, &c.want.bad, &v)) continue;
            if (v < c.first || v >= c.last) continue;
            k = (ptrdiff_t)v - c.first;
            if (c.owner_list[k] >= 0) rows->duplicates++;
            c.owner_list[k] = m;
            c.owner_row[k] = j;
        }
    for (j = n; j-- > 0;)
        if (c.owner_list[j] < 0) {
            rows->holes++;
            rows->first_hole = c.first + j;
        }
}

static void find_want(void)
{
    const int reports = c.first == 0 && (c.last > 0 || c.total == 0);
    ndg_report *w = &c.want;
    find_owners();
    if (!reports) memset(&w->bad, 0, sizeof w->bad);
    if (w->rows.holes && c.d.gaps == NDG_GAPS_ERROR) {
        w->status = NDG_E_GAP;
        w->op = NDG_OP_DYNAMIC_STITCH;
        w->operand = NDG_ARG_OUT;
        w->value = w->rows.first_hole;
        w->bound = c.total;
    }
    if (w->bad.count && c.d.policy != NDG_DROP) w->value = w->bound = 0;
    want_index_error(w);
    if (!c.scratch) memset(&w->rows, 0, sizeof w->rows);
}

static ptrdiff_t cell_offset(const view *a, int skip, ptrdiff_t cell)
{
    ptrdiff_t at[VIEW_RANK], offset = 0;
    int       i;
    split_position(cell, a->rank - skip, a->dim + skip, at);
    for (i = skip; i < a->rank; i++) offset += at[i - skip] * a->stride[i];
    return offset;
}

static int make_out(input *in)
{
    const ptrdiff_t n = c.last - c.first;
    if (n && c.cells) {
        c.out.low = c.first * c.out_stride;
        c.out.high = (c.last - 1) * c.out_stride + c.row_span;
    }
    if (!affordable((wide)c.out.low, (wide)c.out.high)) return 0;
    view_alloc(&c.out, below(in, 16));
    c.fresh = view_copy(&c.out);
    c.expect = view_copy(&c.out);
    return 1;
}

/* Row i of out, in its block or in a copy of that. */
static unsigned char *row_in(unsigned char *block, ptrdiff_t i)
{
    return block + c.out.lead - c.out.low + i * c.out_stride;
}

static void make_expected(void)
{
    ptrdiff_t i, j;
    for (i = c.first; i < c.last; i++) {
        const ptrdiff_t m = c.owner_list[i - c.first];
        for (j = 0; j < c.cells; j++) {
            unsigned char *to = row_in(c.expect, i)
                              + cell_offset(&c.out, 0, j);
            if (m >= 0) {
                const view *a = &c.list[m].data;
                memcpy(to, view_at(a, c.owner_row[i - c.first] * a->stride[0]
                                   + cell_offset(a, 1, j)),
                       (size_t)c.slice.elem);
            } else if (c.d.gaps == NDG_GAPS_ZERO) {
                memset(to, 0, (size_t)c.slice.elem);
            }
        }
    }
}

/* ---- runs ----------------------------------------------------------------*/

static void refresh(void)
{
    memcpy(c.out.block, c.fresh, (size_t)view_bytes(&c.out));
}

static void untouched(void)
{
    EXPECT(!memcmp(c.out.block, c.fresh, (size_t)view_bytes(&c.out)),
           "a refusal wrote");
}

/* Whether row i of out holds row j of list m. */
static int row_holds(ptrdiff_t i, int m, ptrdiff_t j)
{
    const view          *a = &c.list[m].data;
    const unsigned char *row = row_in(c.out.block, i);
    ptrdiff_t            k;
    for (k = 0; k < c.cells; k++)
        if (memcmp(row + cell_offset(&c.out, 0, k),
                   view_at(a, j * a->stride[0] + cell_offset(a, 1, k)),
                   (size_t)c.slice.elem)) return 0;
    return 1;
}

/* Whether all cells of row i are some byte. */
static int row_is(ptrdiff_t i, int byte)
{
    const unsigned char *row = row_in(c.out.block, i);
    ptrdiff_t            k, z;
    for (k = 0; k < c.cells; k++)
        for (z = 0; z < c.slice.elem; z++)
            if (row[cell_offset(&c.out, 0, k) + z] != byte) return 0;
    return 1;
}

/* After an error a row is as it was, a gap, or what an index names. */
static void check_row(ptrdiff_t i)
{
    int       m, is_u64;
    ptrdiff_t j;
    if (row_is(i, FRESH) || (c.d.gaps == NDG_GAPS_ZERO && row_is(i, 0)))
        return;
    for (m = 0; m < c.n; m++)
        for (j = 0; j < c.list[m].indices.dim[0]; j++)
            if (index_of(m, j, &is_u64) == i && !is_u64
                && row_holds(i, m, j)) return;
    EXPECT(0, "row %ld is of no list", (long)i);
}

/* After an error not all rows are done, but those that are are whole, and what
 * is between them is not touched. Every refusal leaves all as it was. */
static void compare_run(int got, const ndg_report *r)
{
    const ndg_report *w = &c.want;
    ptrdiff_t         i;
    EXPECT(got == w->status && r->status == got, "%d: %s, want %s", got,
           report_text(r), report_text(w));
    if (got == NDG_E_INDEX) {
        EXPECT(report_same_failure(r, w) && r->bad.count >= 1
               && r->bad.count <= w->bad.count, "%s, want %s",
               report_text(r), report_text(w));
        for (i = 0; i < view_bytes(&c.out); i++)
            if (c.expect[i] == FRESH)
                EXPECT(c.out.block[i] == FRESH, "byte %ld",
                       (long)(i - c.out.lead));
        for (i = c.first; i < c.last; i++) check_row(i);
        return;
    }
    EXPECT(report_same(r, w, 1), "%s, want %s", report_text(r),
           report_text(w));
    if (got != NDG_OK) {
        untouched();
        return;
    }
    same_bytes(&c.out, c.expect, c.fresh, 0);
}

/* Rows a ... b-1, with scratch of exactly the bytes it asks for. */
static int run_rows(const engine *e, const ndg_stitch_plan *plan, ptrdiff_t a,
                    ptrdiff_t b, ndg_report *r)
{
    const ptrdiff_t n = e->stitch_scratch_bytes(plan, b - a);
    unsigned char  *s = NULL;
    int             got;
    EXPECT(n >= (b - a + 7) / 8 && n <= b - a + 8, "scratch of %ld", (long)n);
    if (c.scratch) s = (unsigned char *)grab((size_t)n);
    *r = report_stale();
    got = e->stitch_run_range(plan, c.out.base, c.out.high, c.total, c.lists,
                              c.n, a, b, s, s ? n : 0, r);
    free(s);
    return got;
}

static void run_whole(const engine *e, const ndg_stitch_plan *plan)
{
    ndg_report r = report_stale();
    int        got;
    refresh();
    got = run_rows(e, plan, c.first, c.last, &r);
    compare_run(got, &r);
    if (got || r.bad.count) say(e, &r, NULL);
    if (c.first || c.last != c.total || c.scratch) return;
    refresh();
    r = report_stale();
    got = e->stitch_run(plan, c.out.base, c.out.high, c.total, c.lists, c.n,
                        NULL, 0, &r);
    compare_run(got, &r);
}

/* In ranges. A gap that one of them refuses keeps only its own rows. */
static void run_cuts(const engine *e, const ndg_stitch_plan *plan,
                     const ptrdiff_t *cut, int n)
{
    ndg_report sum = { 0 }, r;
    int        k;
    refresh();
    for (k = n; k-- > 0;) {
        if (c.total ? cut[k] == cut[k + 1] : k > 0) continue;
        run_rows(e, plan, cut[k], cut[k + 1], &r);
        e->report_merge(&sum, &r);
    }
    if (c.last == c.first && c.total) return;
    EXPECT(sum.status == c.want.status, "%s, want %s", report_text(&sum),
           report_text(&c.want));
    if (sum.status != NDG_E_GAP) compare_run(sum.status, &sum);
    else EXPECT(report_same(&sum, &c.want, 1), "%s, want %s",
                report_text(&sum), report_text(&c.want));
}

/* The bytes of `rows` rows: -1 if there are not so many; no run of them. */
static void check_out_bytes(const engine *e, const ndg_stitch_plan *plan,
                            ptrdiff_t rows)
{
    const wide bytes = rows > 0 && c.cells ? ((wide)rows - 1)
                     * (wide)c.out_stride + (wide)c.row_span : 0;
    const int  huge = rows < 0 || bytes > MOST;
    ndg_report r = report_stale();
    EXPECT(e->stitch_out_bytes(plan, rows) == (huge ? -1 : (ptrdiff_t)bytes),
           "bytes of %ld rows", (long)rows);
    if (huge && c.d.gaps != NDG_GAPS_ERROR)
        refused(e->stitch_run(plan, c.out.base, PTRDIFF_MAX, rows, c.lists,
                              c.n, NULL, 0, &r), &r,
                rows < 0 ? NDG_E_RANGE : NDG_E_OVERFLOW,
                rows < 0 ? 0 : NDG_ARG_OUT);
}

static void run_refusals(const engine *e, const ndg_stitch_plan *plan,
                         ptrdiff_t far)
{
    const ptrdiff_t need = c.out.high;
    ndg_report      r = report_stale();
    unsigned char   s[1];
    void           *o = c.out.base;
    refresh();
#define RUN(o, room, a, b, s, ns) \
    e->stitch_run_range(plan, o, room, c.total, c.lists, c.n, a, b, s, ns, &r)
    if (c.scratch && c.last - c.first > 8) {
        refused(RUN(o, need, c.first, c.last, s, 1), &r, NDG_E_SCRATCH,
                NDG_ARG_SCRATCH);
        if (c.d.gaps == NDG_GAPS_ERROR)
            refused(RUN(o, need, c.first, c.last, NULL, 0), &r,
                    NDG_E_SCRATCH, NDG_ARG_SCRATCH);
    }
    if (c.d.gaps != NDG_GAPS_ERROR && need) {
        refused(RUN(o, need - 1, c.first, c.last, NULL, 0), &r,
                NDG_E_CAPACITY, NDG_ARG_OUT);
        EXPECT(r.value == need - 1 && r.bound == need, "%s", report_text(&r));
        refused(RUN(NULL, need, c.first, c.last, NULL, 0), &r, NDG_E_NULL,
                NDG_ARG_OUT);
    }
    if (c.d.gaps != NDG_GAPS_ERROR) {
        refused(e->stitch_run_range(plan, o, need, c.total, c.lists, -1,
                    c.first, c.last, NULL, 0, &r), &r, NDG_E_COUNT,
                NDG_ARG_INPUTS);
        if (c.n)
            refused(e->stitch_run_range(plan, o, need, c.total, NULL, c.n,
                        c.first, c.last, NULL, 0, &r), &r, NDG_E_NULL,
                    NDG_ARG_INPUTS);
    }
    check_out_bytes(e, plan, far);
    if (far >= 0) far = far < PTRDIFF_MAX - c.total ? c.total + 1 + far : -1;
    refused(RUN(o, need, far, far, NULL, 0), &r, NDG_E_RANGE, 0);
    refused(RUN(o, need, 0, far, NULL, 0), &r, NDG_E_RANGE, 0);
#undef RUN
    untouched();
    check_out_bytes(e, plan, c.total);
}

/* A list that is not there, or has sizes that cannot be. */
static void run_bad_list(input *in, const engine *e,
                         const ndg_stitch_plan *plan)
{
    const int  m = c.n ? below(in, c.n) : 0, how = below(in, 5);
    ndg_list   kept = c.lists[m], *l = &c.lists[m];
    ndg_report r = report_stale();
    ptrdiff_t  total;
    unsigned   may = 0;
    int        got;
    if (!c.n) return;
    if (how < 2 && c.first == c.last) return;
    if (how == 0 && l->count) l->indices = NULL, may = 1u << NDG_E_NULL;
    if (how == 1 && l->count && c.cells)
        l->data = NULL, may = 1u << NDG_E_NULL;
    if (how == 2) l->count = -1 - take(in);
    if (how == 3) l->count = PTRDIFF_MAX, l->index_stride = take_number(in);
    if (how == 2) may = 1u << NDG_E_COUNT | 1u << NDG_E_SHAPE;
    if (how == 3) may = 1u << NDG_E_OVERFLOW;
    if (how == 3 && (l->index_stride == 1 || l->index_stride == -1
                     || (!l->index_stride && index_bytes(c.d.index_type) == 1)
                     || index_bytes(c.d.index_type) == 1)) may = 0;
    if (how == 4 && c.cells && l->count > 1 && view_has_gaps(&c.slice))
        l->data_stride = 0, may = 1u << NDG_E_STRIDE;
    refresh();
    if (may) {
        unsigned char *s = (unsigned char *)grab(ROWS_MOST);
        got = e->stitch_run_range(plan, c.out.base, c.out.high, c.total,
                c.lists, c.n, c.first, c.last, s, ROWS_MOST, &r);
        free(s);
        EXPECT(got > 0 && may >> got & 1 && r.item == m, "may %x: %s", may,
               report_text(&r));
        EXPECT(r.status == got && r.operand, "%s", report_text(&r));
        untouched();
        if (how == 0 || how == 2 || how == 3) {
            got = e->stitch_total(plan, c.lists, c.n, &total, &r);
            EXPECT(got > 0 && total == 0, "%s", report_text(&r));
        }
    }
    *l = kept;
}

/* ---- overlaps ------------------------------------------------------------*/

static void run_overlap(input *in, const engine *e,
                        const ndg_stitch_plan *plan)
{
    const int       m = c.n ? below(in, c.n) : 0, data = below(in, 2);
    const view     *a = data ? &c.list[m].data : &c.list[m].indices;
    const ptrdiff_t na = a->high - a->low, no = c.out.high - c.out.low;
    ndg_list        kept = c.lists[m];
    ptrdiff_t       shared = take(in);
    unsigned char  *block, *at;
    ndg_report      r = report_stale();
    if (!c.n || !na || !no || c.d.overlap || c.d.gaps == NDG_GAPS_ERROR)
        return;
    if (shared > na) shared = na;
    if (shared > no) shared = no;
    if (!shared) return;
    block = (unsigned char *)grab((size_t)(na + no));
    memset(block, FRESH, (size_t)(na + no));
    memcpy(block, a->block + a->lead, (size_t)na);
    at = (unsigned char *)((uintptr_t)block - (uintptr_t)a->low);
    *(data ? &c.lists[m].data : &c.lists[m].indices) = at;
    at = (unsigned char *)((uintptr_t)block + (uintptr_t)(na - shared)
                           - (uintptr_t)c.out.low);
    refused(e->stitch_run_range(plan, at, c.out.high, c.total, c.lists, c.n,
                c.first, c.last, NULL, 0, &r), &r, NDG_E_OVERLAP,
            data ? NDG_ARG_DATA : NDG_ARG_INDICES);
    EXPECT(r.item == m, "%s", report_text(&r));
    c.lists[m] = kept;
    free(block);
}

/* ---- tensors -------------------------------------------------------------*/

/* Each list as two tensors, its count cut in two axes where it can be. */
static void make_input(int m, int twice, ndg_stitch_input *t, view *x,
                       view *a)
{
    const stitch_list *l = &c.list[m];
    int                i;
    *x = l->indices;
    *a = l->data;
    if (twice && x->dim[0] % 2 == 0) {
        for (i = a->rank; i > 0; i--) {
            a->dim[i] = a->dim[i - 1];
            a->stride[i] = a->stride[i - 1];
        }
        a->rank++;
        x->rank = 2;
        x->dim[1] = x->dim[0] / 2;
        x->stride[1] = x->stride[0];
        x->dim[0] = 2;
        x->stride[0] *= x->dim[1];
        a->dim[1] = x->dim[1];
        a->dim[0] = 2;
        a->stride[0] = a->stride[1] * a->dim[1];
    }
    t->indices = l->indices.base;
    t->data = l->data.base;
    t->indices_shape = view_ndg(x);
    t->data_shape = view_ndg(a);
}

static void check_list_from(const engine *e, int m,
                            const ndg_stitch_input *t)
{
    const stitch_list *l = &c.list[m];
    ndg_list           got;
    ndg_report         r = report_stale();
    const int          status = e->list_from(&got, t, &c.d, &r);
    const int          repeats = l->indices.dim[0] > 1
                       && (!l->indices.stride[0]
                           || (c.cells && !l->data.stride[0]));
    EXPECT(status == (repeats ? NDG_E_STRIDE : NDG_OK)
           || (status == NDG_E_STRIDE && l->apart && !l->repeats), "%s",
           report_text(&r));
    if (status != NDG_OK) return;
    EXPECT(got.count == l->indices.dim[0] && got.indices == l->indices.base
           && got.data == l->data.base, "another list");
    if (got.count < 2) return;
    EXPECT((got.index_stride ? got.index_stride
                             : index_bytes(c.d.index_type))
           == l->indices.stride[0], "index stride %ld",
           (long)got.index_stride);
    EXPECT(!c.cells || (got.data_stride ? got.data_stride
                                        : c.cells * c.slice.elem)
           == l->data.stride[0], "data stride %ld", (long)got.data_stride);
}

/* Of tensors that fit, one is not there, or has an extent or a rank that the
 * others do not have: refused with nothing written. */
static void run_wrong_tensor(const engine *e, const ndg_stitch_input *right,
                             int m, int how, view *x, view *a)
{
    ndg_stitch_input t[LISTS];
    ndg_report       r = report_stale();
    ptrdiff_t        total = -7;
    int              got, want = NDG_E_SHAPE;
    if (how > 1 && !c.cells) return;        /* of extents that may be huge */
    memcpy(t, right, sizeof t);
    if (how < 2) {
        if (!c.list[m].indices.dim[0]) return;
        if (how && (!c.cells || !c.total)) return;
        *(how ? &t[m].data : &t[m].indices) = NULL;
        want = NDG_E_NULL;
    } else if (how == 2) {
        a->dim[0]++;
    } else if (how == 3) {
        if (c.n == 1 && a->rank > x->rank) return;    /* another slice */
        a->rank--;
    } else {
        if (c.n == 1) return;
        a->dim[a->rank] = 2;
        a->stride[a->rank++] = a->elem;
    }
    if (how > 1) t[m].data_shape = view_ndg(a);
    refresh();
    got = e->dynamic_stitch(c.out.base, c.out.high, &total, t, c.n, &c.d, &r);
    EXPECT(got == want && r.status == got && r.op && r.operand, "%d, not %d: "
           "%s", got, want, report_text(&r));
    EXPECT(total == (how == 1 ? c.most : 0), "total %ld", (long)total);
    untouched();
}

static void run_tensors(const engine *e, int twice, int wrong)
{
    static view      x[LISTS], a[LISTS];
    ndg_stitch_input t[LISTS];
    ndg_stitch_desc  d = c.d;
    ndg_report       r = report_stale();
    ptrdiff_t        total = -7;
    int              m, got;
    for (m = 0; m < c.n; m++) {
        make_input(m, twice, &t[m], &x[m], &a[m]);
        check_list_from(e, m, &t[m]);
    }
    if (!c.n) {
        got = e->dynamic_stitch(NULL, 0, &total, t, 0, &c.d, &r);
        refused(got, &r, NDG_E_COUNT, NDG_ARG_INPUTS);
    }
    if (!c.n || c.d.gaps == NDG_GAPS_ERROR || c.first || c.scratch
        || c.last != c.total || c.total != c.most || c.slice.rank > 12)
        return;
    refresh();
    d.slice = ndg_dims(-1, NULL, NULL);              /* it is not read */
    got = (twice ? e->dynamic_stitch : e->parallel_dynamic_stitch)(
            c.out.base, c.out.high, &total, t, c.n, &d, &r);
    EXPECT(!r.op || (r.op == NDG_OP_PARALLEL_DYNAMIC_STITCH) == !twice,
           "op %d", r.op);
    if (r.op) r.op = NDG_OP_DYNAMIC_STITCH;
    if (got == NDG_E_INDEX) {
        EXPECT(report_same(&r, &c.all, 1), "%s, want %s", report_text(&r),
               report_text(&c.all));
        EXPECT(total == 0, "total %ld", (long)total);
        untouched();
        return;
    }
    EXPECT(total == c.most, "total %ld", (long)total);
    if (r.bad.extent == PTRDIFF_MAX) r.bad.extent = c.want.bad.extent;
    compare_run(got, &r);
    total = -7;
    got = e->dynamic_stitch(NULL, 0, &total, t, c.n, &c.d, &r);
    EXPECT(got == (c.out.high ? NDG_E_CAPACITY : NDG_OK) && total == c.most,
           "%s", report_text(&r));
    EXPECT(!got || r.bound == c.out.high, "%s", report_text(&r));
    m = wrong % c.n;
    run_wrong_tensor(e, t, m, wrong / LISTS % 5, &x[m], &a[m]);
}

/* ---- a case --------------------------------------------------------------*/

static void run_all(input *in, const ndg_stitch_plan *plan)
{
    ptrdiff_t   cut[CUTS];
    const int   n = take_cuts(in, c.first, c.last, cut);
    const int   twice = below(in, 2), wrong = take(in);
    ptrdiff_t   far = take_number(in);
    const input rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        const engine *e = engines[turn];
        const ndg_stitch_plan *p = &plan[turn];
        *in = rest;
        if (c.apart) {
            run_tensors(e, twice, wrong);
            continue;
        }
        run_refusals(e, p, far);
        run_bad_list(in, e, p);
        run_overlap(in, e, p);
        if (c.d.policy == NDG_ASSUME_VALID && c.want.bad.count) continue;
        run_whole(e, p);
        run_cuts(e, p, cut, n);
        run_tensors(e, twice, wrong);
    }
}

static void run_case(input *in, const ndg_stitch_plan *plan)
{
    if (!take_lists(in)) return;
    find_total();
    for (turn = 0; turn < ENGINES && !c.apart; turn++)
        check_total(engines[turn], &plan[turn]);
    turn = 0;
    if (!take_rows(in)) return;
    find_want();
    if (c.d.policy == NDG_ASSUME_VALID && c.all.bad.count) return;
    if (make_out(in)) {
        make_expected();
        run_all(in, plan);
    }
}

static void free_case(void)
{
    int m;
    for (m = 0; m < LISTS; m++) {
        view_free(&c.list[m].indices);
        view_free(&c.list[m].data);
    }
    view_free(&c.out);
    free(c.owner_list);
    free(c.owner_row);
    free(c.fresh);
    free(c.expect);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ndg_stitch_plan plan[ENGINES];
    input                  in;
    in.at = data;
    in.end = data + size;
    take_desc(&in);
    foretell();
    tell(print_case);
    if (make_plans(plan)) run_case(&in, plan);
    free_case();
    return 0;
}
