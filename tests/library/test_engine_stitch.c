/* test_engine_stitch.c - every path of the loops of a stitch, against plain
 * loops over rows: see engine.h. */
#ifndef TEST_NAME
#define TEST_NAME "test_engine_stitch"
#endif
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "engine.h"

#define LISTS   3
#define ENTRIES 256

typedef struct weave {
    int       type, policy, gaps, scratch, lists;
    ptrdiff_t bytes, elem, total;
    ptrdiff_t out_row;                 /* bytes between rows of out */
    ptrdiff_t count[LISTS], data_row[LISTS], index_row;
    ptrdiff_t margin;
    int       out_align, data_align, index_align;
    int64_t   v[LISTS][ENTRIES];
} weave;

typedef struct loom {
    const weave    *w;
    block           data[LISTS], index[LISTS], out;
    ndg_list        list[LISTS];
    unsigned char  *want;
    ndg_report      report;
    int             exact;
    ndg_stitch_plan plan;
} loom;

static weave weave_new(int type, ptrdiff_t bytes, ptrdiff_t total)
{
    weave w;
    int   m;
    memset(&w, 0, sizeof w);
    w.type = type;
    w.bytes = w.out_row = bytes;
    w.elem = 1;
    w.total = total;
    w.lists = 1 + random_below(&dice, LISTS);
    w.index_row = index_bytes(type);
    w.margin = one_in(2) ? 0 : 64;
    w.scratch = one_in(2);
    w.gaps = one_in(3) ? NDG_GAPS_KEEP : NDG_GAPS_ZERO;
    for (m = 0; m < LISTS; m++) w.data_row[m] = bytes;
    w.out_align = random_align(64);
    w.data_align = random_align(16);
    w.index_align = random_align(8);
    return w;
}

enum { PERMUTED, IN_ORDER, DUPLICATES, SOME, STITCH_KINDS };

/* Deals the rows of out to the lists: each once, in order or not, or at
 * random with duplicates and holes. */
static void weave_deal(weave *w, int kind)
{
    ptrdiff_t row[ENTRIES], i, k, t;
    int       m;
    for (i = 0; i < w->total; i++)
        row[i] = kind < DUPLICATES ? i : random_below(&dice, (int)w->total);
    for (i = w->total - 1; i > 0 && kind == PERMUTED; i--) {
        k = random_below(&dice, (int)i + 1);
        t = row[i]; row[i] = row[k]; row[k] = t;
    }
    for (i = 0; i < w->total; i++) {
        if (kind == SOME && one_in(3)) continue;
        m = kind == IN_ORDER ? (int)(i * w->lists / w->total)
                             : random_below(&dice, w->lists);
        w->v[m][w->count[m]++] = row[i];
    }
}

/* Rows apart on any side; backward data. */
static void weave_spread(weave *w)
{
    int m;
    if (one_in(2)) w->out_row += 1 + random_below(&dice, 70);
    if (one_in(2)) w->index_row += 3;
    for (m = 0; m < w->lists; m++) {
        if (one_in(2)) w->data_row[m] += 5;
        if (one_in(4)) w->data_row[m] = -w->data_row[m];
    }
}

static void expect_entry(loom *l, int m, ptrdiff_t j)
{
    const weave  *w = l->w;
    const int64_t v = w->v[m][j];
    ndg_bad      *b = &l->report.bad;
    if (v >= 0 && v < w->total) {
        memcpy(l->want + (l->out.at - l->out.bytes) + v * w->out_row,
               (const unsigned char *)l->list[m].data + j * w->data_row[m],
               (size_t)w->bytes);
        return;
    }
    if (b->count++) return;
    b->list = m;
    b->position = j;
    b->value = v;
    b->is_u64 = w->type == NDG_U64 && v < 0;
    b->extent = w->total;
}

/* Rows without an entry, and entries over earlier ones. */
static void expect_marks(loom *l)
{
    const weave    *w = l->w;
    ndg_row_counts *rows = &l->report.rows;
    char            named[ENTRIES] = { 0 };
    ptrdiff_t       j;
    int             m;
    for (m = 0; m < w->lists; m++)
        for (j = 0; j < w->count[m]; j++) {
            const int64_t v = w->v[m][j];
            if (v < 0 || v >= w->total) continue;
            rows->duplicates += named[v];
            named[v] = 1;
        }
    for (j = w->total - 1; j >= 0; j--)
        if (!named[j]) {
            rows->first_hole = j;
            rows->holes++;
        }
}

static void expect_weave(loom *l)
{
    const weave   *w = l->w;
    ndg_report    *r = &l->report;
    unsigned char *rows;
    ptrdiff_t      j;
    int            m;
    l->want = (unsigned char *)grab(l->out.size);
    rows = l->want + (l->out.at - l->out.bytes);
    memset(l->want, FRESH, (size_t)l->out.size);
    memset(r, 0, sizeof *r);
    for (j = 0; j < w->total && w->gaps == NDG_GAPS_ZERO; j++)
        memset(rows + j * w->out_row, 0, (size_t)w->bytes);
    for (m = 0; m < w->lists; m++)
        for (j = 0; j < w->count[m]; j++) expect_entry(l, m, j);
    if (w->scratch) expect_marks(l);
    if (r->bad.count && w->policy != NDG_DROP) {
        r->status = NDG_E_INDEX;
        r->operand = NDG_ARG_INDICES;
    } else if (w->gaps == NDG_GAPS_ERROR && r->rows.holes) {
        r->status = NDG_E_GAP;
        r->operand = NDG_ARG_OUT;
        r->value = r->rows.first_hole;
        r->bound = w->total;
    }
    l->exact = r->status == NDG_OK;
    if (!l->exact || r->bad.count) r->op = NDG_OP_DYNAMIC_STITCH;
}

static void loom_list(loom *l, int m)
{
    const weave    *w = l->w;
    const ptrdiff_t n = w->count[m], size = index_bytes(w->type);
    ptrdiff_t       low = 0, high = 0, j;
    if (n > 0) {
        high = w->bytes;
        span_axis(&low, &high, n, w->data_row[m]);
    }
    l->data[m] = block_new(high - low, w->data_align, w->margin, 0);
    block_noise(&l->data[m], high - low);
    l->index[m] = block_new(n ? (n - 1) * w->index_row + size : 0,
                            w->index_align, w->margin, one_in(2) ? 1 : 0xFF);
    for (j = 0; j < n; j++)
        index_put(l->index[m].at + j * w->index_row, w->type, w->v[m][j]);
    l->list[m].indices = l->index[m].at;
    l->list[m].data = l->data[m].at - low;
    l->list[m].count = n;
    l->list[m].index_stride = w->index_row == size ? 0 : w->index_row;
    l->list[m].data_stride = w->data_row[m] == w->bytes ? 0 : w->data_row[m];
}

static void loom_make(loom *l, const weave *w)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ptrdiff_t       span = w->total ? (w->total - 1) * w->out_row + w->bytes
                                    : 0;
    int             m;
    l->w = w;
    for (m = 0; m < w->lists; m++) loom_list(l, m);
    l->out = block_new(span, w->out_align, w->margin, FRESH);
    expect_weave(l);
    d.slice = ndg_dims1(w->bytes / w->elem);
    d.elem_size = w->elem;
    d.out_stride = w->out_row == w->bytes ? 0 : w->out_row;
    d.index_type = w->type;
    d.policy = w->policy;
    d.gaps = w->gaps;
    CHECK(ndg_plan_stitch(&l->plan, &d, 0) == NDG_OK);
    CHECK(ndg_stitch_out_bytes(&l->plan, w->total) == span);
}

static void loom_free(loom *l)
{
    int m;
    for (m = 0; m < l->w->lists; m++) {
        free(l->data[m].bytes);
        free(l->index[m].bytes);
    }
    free(l->out.bytes);
    free(l->want);
}

static void weave_failed(const weave *w, const char *what)
{
    CHECKF(0, "stitch, %s: %s policy %d gaps %d scratch %d; %ld rows of %ld"
           " bytes, %ld apart, %d lists %ld %ld %ld; aligned %d %d %d,"
           " margin %ld", what, index_name(w->type), w->policy, w->gaps,
           w->scratch, (long)w->total, (long)w->bytes, (long)w->out_row,
           w->lists, (long)w->count[0], (long)w->count[1], (long)w->count[2],
           w->out_align, w->data_align, w->index_align, (long)w->margin);
}

/* Whether some entry brings these bytes to this row. */
static int brings(const loom *l, ptrdiff_t row, const unsigned char *bytes)
{
    const weave *w = l->w;
    ptrdiff_t    j;
    int          m;
    for (m = 0; m < w->lists; m++)
        for (j = 0; j < w->count[m]; j++)
            if (w->v[m][j] == row
                && !memcmp(bytes, (const unsigned char *)l->list[m].data
                           + j * w->data_row[m], (size_t)w->bytes)) return 1;
    return 0;
}

/* After an error a row may be as it was, zero if gaps are, or any entry's. */
static void forgive_weave(const loom *l, unsigned char *want)
{
    const weave *w = l->w;
    ptrdiff_t    row;
    for (row = 0; row < w->total; row++) {
        const ptrdiff_t at = l->out.at - l->out.bytes + row * w->out_row;
        const unsigned char *got = l->out.bytes + at;
        if (is_all(got, w->bytes, FRESH) || brings(l, row, got)
            || (w->gaps == NDG_GAPS_ZERO && is_all(got, w->bytes, 0)))
            memcpy(want + at, got, (size_t)w->bytes);
    }
}

static void loom_judge(const loom *l, const ndg_report *r)
{
    const weave   *w = l->w;
    ndg_report     want = l->report;
    unsigned char *bytes = (unsigned char *)grab(l->out.size);
    int            good;
    memcpy(bytes, l->want, (size_t)l->out.size);
    if (!l->exact) forgive_weave(l, bytes);
    if (!l->exact && w->gaps == NDG_GAPS_KEEP) want.rows = r->rows;
    if (want.status == NDG_E_INDEX) want.rows = r->rows;
    good = !memcmp(l->out.bytes, bytes, (size_t)l->out.size);
    if (good) CHECK(1);
    else weave_failed(w, "bytes");
    good = report_same(r, &want, 0)
        && count_fits(&r->bad, &want.bad, want.status != NDG_E_INDEX);
    if (good) CHECK(1);
    else weave_failed(w, report_text(r));
    free(bytes);
}

static void loom_part(const loom *l, ptrdiff_t first, ptrdiff_t last,
                      ndg_report *r)
{
    const weave    *w = l->w;
    const ptrdiff_t n = w->scratch
                      ? ndg_stitch_scratch_bytes(&l->plan, last - first) : 0;
    const ptrdiff_t bytes = ndg_stitch_out_bytes(&l->plan, w->total);
    block           marks = block_new(n, first & 63, w->margin, 0xAA);
    const ptrdiff_t lead = marks.at - marks.bytes;
    void           *scratch = w->scratch ? marks.at : 0;
    int             status;
    *r = report_stale();
    status = first == 0 && last == w->total
           ? ndg_stitch_run(&l->plan, l->out.at, bytes, w->total, l->list,
                            w->lists, scratch, n, r)
           : ndg_stitch_run_range(&l->plan, l->out.at, bytes, w->total,
                                  l->list, w->lists, first, last, scratch, n,
                                  r);
    if (status != r->status || !is_all(marks.bytes, lead, 0xAA)
        || !is_all(marks.at + n, w->margin, 0xAA))
        weave_failed(w, "status or scratch");
    free(marks.bytes);
}

static void loom_run(loom *l, const ptrdiff_t *cut, int parts, int backward)
{
    ndg_report sum = NDG_ZERO_INIT, r;
    int        k;
    memset(l->out.bytes, FRESH, (size_t)l->out.size);
    for (k = 0; k < parts; k++) {
        const ptrdiff_t *c = cut + (backward ? parts - 1 - k : k);
        loom_part(l, c[0], c[1], &r);
        ndg_report_merge(&sum, &r);
    }
    loom_judge(l, &sum);
}

/* The same lists as tensors, of as many rows as the largest index asks for. */
static void loom_tensors(loom *l)
{
    const weave     *w = l->w;
    ndg_stitch_input in[LISTS];
    ndg_stitch_desc  d = NDG_ZERO_INIT;
    ndg_report       r = report_stale();
    ptrdiff_t        total = 0, got, j, dims[2], strides[2];
    unsigned char   *rows = l->want + (l->out.at - l->out.bytes);
    int              m;
    for (m = 0; m < w->lists; m++) {
        in[m].indices = l->list[m].indices;
        in[m].data = l->list[m].data;
        in[m].indices_shape = ndg_strided1(w->count[m], w->index_row);
        dims[0] = w->count[m];      strides[0] = w->data_row[m];
        dims[1] = w->bytes;         strides[1] = 1;
        in[m].data_shape = ndg_dims(2, dims, strides);
        for (j = 0; j < w->count[m]; j++)
            if (w->v[m][j] >= total) total = (ptrdiff_t)w->v[m][j] + 1;
    }
    d.elem_size = 1;
    d.out_stride = w->out_row;
    d.index_type = w->type;
    memset(l->out.bytes, FRESH, (size_t)l->out.size);
    for (j = total; j < w->total; j++)
        memset(rows + j * w->out_row, FRESH, (size_t)w->bytes);
    ndg_dynamic_stitch(l->out.at, ndg_stitch_out_bytes(&l->plan, total), &got,
                       in, w->lists, &d, &r);
    if (got != total) weave_failed(w, "total");
    loom_judge(l, &r);
}

/* The whole, and two ranges; with cuts, two and three in all places. */
static void weave_check(const weave *w, int cuts)
{
    loom      l;
    ptrdiff_t cut[4] = { 0, 0, 0, 0 }, at;
    cut[1] = w->total;
    loom_make(&l, w);
    loom_run(&l, cut, 1, 0);
    for (at = 0; at <= w->total && w->total; at++) {
        if (!cuts) at = random_below(&dice, (int)w->total + 1);
        cut[1] = at;
        cut[2] = w->total;
        loom_run(&l, cut, 2, at & 1);
        if (!cuts) break;
        cut[2] = at + random_below(&dice, (int)(w->total - at) + 1);
        cut[3] = w->total;
        if (at % 7 == 0) loom_run(&l, cut, 3, one_in(2));
    }
    if (!w->scratch && w->gaps == NDG_GAPS_ZERO && !l.report.bad.count)
        loom_tensors(&l);
    loom_free(&l);
}

static ptrdiff_t weave_total(int round, int type)
{
    static const ptrdiff_t totals[] = { 1, 2, 7, 20, 63, 64, 65, 100, 127, 128,
                                        129, 200 };
    const ptrdiff_t n = totals[round % COUNT(totals)];
    return index_bytes(type) == 1 && n > 100 ? 100 : n;
}

/* Rows of every size, at every alignment of out. */
static void test_stitch_sizes(void)
{
    int s, a;
    for (s = 1; s <= 300; s++)
        for (a = 0; a < 64; a += 1 + (s > 64)) {
            const int type = (a + s) % INDEX_TYPES;
            weave     w = weave_new(type, s, weave_total(a / 2 + s, type));
            w.out_align = (a + s) % 64;
            w.elem = s % 4 == 0 && one_in(2) ? 4 : 1;
            weave_deal(&w, (a / 3 + s) % STITCH_KINDS);
            if (one_in(3)) weave_spread(&w);
            weave_check(&w, 0);
        }
}

static void test_stitch_bad(void)
{
    static const int policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP };
    int              at, kind, p, m;
    for (at = 0; at < 100; at++)
        for (kind = 0; kind < BAD_KINDS; kind++)
            for (p = 0; p < 3; p++) {
                weave w = weave_new((at + kind + p) % INDEX_TYPES,
                                    1 + random_below(&dice, 70), 100);
                w.policy = policies[p];
                weave_deal(&w, at % STITCH_KINDS);
                if (one_in(3)) weave_spread(&w);
                m = kind % w.lists;
                if (w.count[m] == 0) continue;
                w.v[m][at % w.count[m]] = bad_value(w.type, 100, kind);
                if (one_in(3)) w.v[m][w.count[m] - 1]
                    = bad_value(w.type, 100, kind ^ 1);
                weave_check(&w, 0);
            }
}

/* Slices of several runs, in more rows than are taken at a time; in two ranges,
 * of which the first meets a row that is dropped. */
static void test_stitch_slices(void)
{
    enum { ROWS = 700, RUNS = 3, RUN = 5, STEP = 8, ROW = 3 * STEP };
    static const ptrdiff_t dims[2] = { RUNS, RUN }, strides[2] = { STEP, 1 };
    static unsigned char   data[ROWS * RUNS * RUN], out[ROWS * ROW];
    static unsigned char   want[ROWS * ROW];
    static int32_t         idx[ROWS];
    const ptrdiff_t        cut = random_below(&dice, ROWS);
    ndg_stitch_desc        d = NDG_ZERO_INIT;
    ndg_stitch_plan        p;
    ndg_list               list = { 0, 0, ROWS, 0, 0 };
    ndg_report             r, all = NDG_ZERO_INIT;
    int                    i, k;
    memcpy(data, noise, sizeof data);
    memset(out, FRESH, sizeof out);
    memset(want, FRESH, sizeof want);
    for (i = 0; i < ROWS; i++) idx[i] = (i * 11 + 3) % ROWS;
    idx[ROWS / 2] = -1;
    for (i = 0; i < ROWS; i++)
        for (k = 0; k < RUNS && idx[i] >= 0; k++)
            memcpy(want + idx[i] * ROW + k * STEP, data + (i * RUNS + k) * RUN,
                   RUN);
    d.slice = ndg_dims(2, dims, 0);
    d.out_slice = ndg_dims(2, dims, strides);
    d.out_stride = ROW;
    d.elem_size = 1;
    d.gaps = NDG_GAPS_KEEP;
    d.policy = NDG_DROP;
    list.indices = idx;
    list.data = data;
    CHECK(ndg_plan_stitch(&p, &d, &r) == NDG_OK && p.row.levels == 1);
    CHECK(ndg_stitch_run_range(&p, out, sizeof out, ROWS, &list, 1, 0, cut, 0,
                               0, &r) == NDG_OK);
    ndg_report_merge(&all, &r);
    CHECK(ndg_stitch_run_range(&p, out, sizeof out, ROWS, &list, 1, cut, ROWS,
                               0, 0, &r) == NDG_OK);
    ndg_report_merge(&all, &r);
    CHECK(!memcmp(out, want, sizeof out));
    CHECK(all.bad.count == 1 && all.bad.position == ROWS / 2);
}

/* Small ones in all cuts; gaps that are errors, and no check at all. */
static void test_stitch_cuts(void)
{
    static const int policies[] = { NDG_DEFAULT, NDG_DROP, NDG_ASSUME_VALID };
    int              i;
    for (i = 0; i < 60; i++) {
        weave w = weave_new(i % INDEX_TYPES, 1 + random_below(&dice, 80),
                            weave_total(i, i % INDEX_TYPES));
        if (w.total > 70) w.total = 70;
        w.policy = policies[i % 3];
        weave_deal(&w, i / 3 % STITCH_KINDS);
        if (i & 1) weave_spread(&w);
        if (i % 5 == 0) w.gaps = NDG_GAPS_ERROR;
        if (w.gaps == NDG_GAPS_ERROR) w.scratch = 1;
        if (i % 3 == 1 && w.count[0] > 0)
            w.v[0][i % w.count[0]] = bad_value(w.type, w.total, i % BAD_KINDS);
        weave_check(&w, 1);
    }
}

int main(void)
{
    int i;
    noise_make();
    dice.state = UINT64_C(0x8ee480706e1805c5);      /* as good as any */
    test_stitch_sizes();
    test_stitch_bad();
    test_stitch_cuts();
    for (i = 0; i < 20; i++) test_stitch_slices();
    return test_end(TEST_NAME);
}
