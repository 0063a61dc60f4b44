/* test_engine_gather.c - every path of the loops of the gathers, against plain
 * loops over rows: see engine.h. */
#ifndef TEST_NAME
#define TEST_NAME "test_engine_gather"
#endif
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "engine.h"

#define DEPTH 5

static ptrdiff_t some(const ptrdiff_t *of, int n)
{
    return of[random_below(&dice, n)];
}

static const ptrdiff_t edge_counts[] = {
    0, 1, 2, 3, 7, 8, 63, 64, 65, 127, 128, 129, 200, 1000
};

/* p plus an offset that may lead out of what p points into. */
static unsigned char *far_from(unsigned char *p, ptrdiff_t offset)
{
    return (unsigned char *)((uintptr_t)p + (uintptr_t)offset);
}

/* ---- gathers: a case -----------------------------------------------------*/

enum { ROWS = NDG_OP_GATHER_ROWS, ND = NDG_OP_GATHER_ND, G = NDG_OP_GATHER };

/* table [batch, outer, extent..., elems], indices [batch, n, depth], out
 * [batch, outer, n, elems]. ROWS has one batch, and as ND one outer. With a
 * line, n is two axes, the inner one of `line` rows. */
typedef struct job {
    int       op, type, policy, negative, overlap, depth;
    ptrdiff_t batch, outer, n, elems, elem;
    ptrdiff_t extent[DEPTH];
    ptrdiff_t from_batch, from_outer, stride[DEPTH], from_elem;
    ptrdiff_t out_batch, out_outer, out_row, out_elem;
    ptrdiff_t index_batch, index_row, index_part;
    ptrdiff_t line, out_line, index_line;
    ptrdiff_t first, last;      /* what is run; the indices end with it */
    ptrdiff_t slack;            /* told of out, beyond its end */
    ptrdiff_t margin;
    int       out_align, table_align, index_align;
} job;

enum { INDEX_PACKED, INDEX_PADDED, INDEX_PLANAR, INDEX_BACKWARD, INDEX_ONE,
       INDEX_LAYOUTS };

/* Strides of a table whose rows are `pad` bytes apart. */
static void job_table(job *j, ptrdiff_t pad)
{
    ptrdiff_t step = j->elem * j->elems + pad;
    int       k;
    j->from_elem = j->elem;
    for (k = j->depth - 1; k >= 0; k--) {
        j->stride[k] = step;
        step *= j->extent[k];
    }
    j->from_outer = step;
    j->from_batch = step * j->outer;
}

static void job_out(job *j, ptrdiff_t pad)
{
    j->out_elem = j->elem;
    j->out_row = j->elem * j->elems + pad;
    j->out_outer = j->out_row * j->n;
    j->out_batch = j->out_outer * j->outer;
}

/* Each element of a row in a plane of its own. */
static void job_out_planes(job *j)
{
    j->out_row = j->elem;
    j->out_elem = j->elem * j->n + 3;
    j->out_outer = j->out_elem * j->elems;
    j->out_batch = j->out_outer * j->outer;
}

static void job_indices(job *j, int layout)
{
    const ptrdiff_t size = index_bytes(j->type), depth = j->depth;
    j->index_part = size;
    j->index_row = size * depth;
    if (layout == INDEX_PADDED) j->index_row += 5;
    if (layout == INDEX_PLANAR) {
        j->index_row = size;
        j->index_part = size * j->n;
    }
    j->index_batch = layout == INDEX_PADDED ? j->index_row * j->n
                                            : size * depth * j->n;
    if (layout == INDEX_BACKWARD) j->index_row = -j->index_row;
    if (layout == INDEX_ONE) j->index_batch = 0;    /* all batches share */
}

/* A plain case of n rows of `bytes` bytes; elements of e bytes if they fit. */
static job job_new(int op, int type, ptrdiff_t rows, ptrdiff_t bytes,
                   ptrdiff_t n, ptrdiff_t e)
{
    job j;
    memset(&j, 0, sizeof j);
    j.op = op;
    j.type = type;
    j.depth = 1;
    j.batch = j.outer = 1;
    j.n = j.last = n;
    j.elem = e > 0 && bytes % e == 0 ? e : 1;
    j.elems = bytes / j.elem;
    j.extent[0] = rows;
    j.margin = one_in(2) ? 0 : 64;
    j.slack = one_in(2) ? 0 : j.margin;
    j.out_align = random_align(64);
    j.table_align = random_align(16);
    j.index_align = random_align(8);
    job_table(&j, 0);
    job_out(&j, 0);
    job_indices(&j, INDEX_PACKED);
    return j;
}

/* Makes two axes of n, that fold neither in out nor in the indices. */
static void job_lines(job *j, ptrdiff_t line)
{
    const ptrdiff_t lines = j->n / line;
    j->line = line;
    j->out_line = j->out_row * line + 7;
    j->out_outer = j->out_line * lines;
    j->out_batch = j->out_outer * j->outer;
    j->index_line = j->index_row * line + 3;
    j->index_batch = j->index_line * lines + 2;
}

static ptrdiff_t out_at(const job *j, ptrdiff_t row, ptrdiff_t o)
{
    const ptrdiff_t i = row % j->n, at = row / j->n * j->out_batch
                                       + o * j->out_outer;
    if (!j->line) return at + i * j->out_row;
    return at + i / j->line * j->out_line + i % j->line * j->out_row;
}

static ptrdiff_t index_at(const job *j, ptrdiff_t row, ptrdiff_t k)
{
    const ptrdiff_t i = row % j->n, at = row / j->n * j->index_batch
                                       + k * j->index_part;
    if (!j->line) return at + i * j->index_row;
    return at + i / j->line * j->index_line + i % j->line * j->index_row;
}

/* Bytes before and behind the first element of the table. */
static void table_span(const job *j, ptrdiff_t *low, ptrdiff_t *high)
{
    int k;
    *low = 0;
    *high = j->elem;
    span_axis(low, high, j->elems, j->from_elem);
    for (k = 0; k < j->depth; k++)
        span_axis(low, high, j->extent[k], j->stride[k]);
    span_axis(low, high, j->outer, j->from_outer);
    span_axis(low, high, j->batch, j->from_batch);
    for (k = 0; k < j->depth; k++)
        if (j->extent[k] == 0) *low = *high = 0;
}

/* The first index that is there: where a block ends with its array, it begins
 * with the range, too. */
static ptrdiff_t first_index(const job *j)
{
    return j->batch == 1 && j->margin == 0 ? j->first : 0;
}

static void index_span(const job *j, ptrdiff_t *low, ptrdiff_t *high)
{
    const ptrdiff_t n = j->batch == 1 ? j->last - first_index(j) : j->n;
    *low = *high = 0;
    if (n == 0 || j->depth == 0) return;
    *high = index_bytes(j->type);
    span_axis(low, high, j->line ? j->line : n, j->index_row);
    if (j->line) span_axis(low, high, n / j->line, j->index_line);
    span_axis(low, high, j->depth, j->index_part);
    span_axis(low, high, j->batch, j->index_batch);
}

static ptrdiff_t out_span(const job *j)
{
    const ptrdiff_t n = j->batch == 1 ? j->last : j->n;
    if (n == 0 || j->elems == 0) return 0;
    return out_at(j, (j->batch - 1) * j->n + n - 1, j->outer - 1)
         + (j->elems - 1) * j->out_elem + j->elem;
}

/* ---- gathers: the plain loops --------------------------------------------*/

static const unsigned char fill_bytes[16] = {
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7,
    0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF
};
static const unsigned char zero_bytes[4096];

/* One row: from `from`, or every element the same. */
static void row_put(const job *j, unsigned char *to, const unsigned char *from,
                    ptrdiff_t from_elem)
{
    ptrdiff_t e;
    if (from_elem == j->elem && j->out_elem == j->elem)
        memcpy(to, from, (size_t)(j->elems * j->elem));
    else
        for (e = 0; e < j->elems; e++)
            memcpy(to + e * j->out_elem, from + e * from_elem,
                   (size_t)j->elem);
}

static int row_fresh(const job *j, const unsigned char *row)
{
    ptrdiff_t e;
    if (j->out_elem == j->elem) return is_all(row, j->elems * j->elem, FRESH);
    for (e = 0; e < j->elems; e++)
        if (!is_all(row + e * j->out_elem, j->elem, FRESH)) return 0;
    return 1;
}

typedef struct scene {
    job             j;
    const int64_t  *v;         /* [batch, n, depth] */
    block           table, index, out;
    unsigned char  *params, *indices;      /* with all coordinates 0 */
    unsigned char  *want;      /* what becomes of all of out's block */
    ndg_report      report;    /* what is said */
    int             exact;     /* an error may leave rows out */
    ndg_gather_plan plan;
} scene;

/* Where an index row leads in the table: 0 if nowhere. Notes a bad one. */
static int expect_index(scene *s, ptrdiff_t row, ptrdiff_t *offset)
{
    const job *j = &s->j;
    ndg_bad   *b = &s->report.bad;
    int        k, bad, any = 0, found = 1;
    *offset = row / j->n * j->from_batch;
    for (k = 0; k < j->depth; k++) {
        const int64_t v = s->v[row * j->depth + k];
        const int     is_u64 = j->type == NDG_U64 && v < 0;
        ptrdiff_t     at = oracle_index(v, is_u64, j->extent[k], j->policy,
                                        j->negative, &bad);
        if (at < 0) found = 0;
        else *offset += at * j->stride[k];
        if (!bad || any++) continue;
        if (b->count++) continue;
        b->position = row;
        b->component = k;
        b->value = v;
        b->is_u64 = is_u64;
        b->extent = j->extent[k];
        b->from_end = j->negative == NDG_NEGATIVE_FROM_END
                   && j->type < NDG_U8;
    }
    return found;
}

static void expect_row(scene *s, ptrdiff_t row)
{
    const job     *j = &s->j;
    ptrdiff_t      offset, o;
    const int      found = expect_index(s, row, &offset);
    for (o = 0; o < j->outer; o++) {
        unsigned char *to = s->want + (s->out.at - s->out.bytes)
                          + out_at(j, row, o);
        if (found)
            row_put(j, to, s->params + offset + o * j->from_outer,
                    j->from_elem);
        else if (j->policy == NDG_ZERO) row_put(j, to, zero_bytes, 0);
        else if (j->policy == NDG_FILL) row_put(j, to, fill_bytes, 0);
        else if (j->policy != NDG_KEEP) s->exact = 0;
    }
}

static void expect(scene *s)
{
    ptrdiff_t row;
    s->want = (unsigned char *)grab(s->out.size);
    memset(s->want, FRESH, (size_t)s->out.size);
    memset(&s->report, 0, sizeof s->report);
    s->exact = 1;
    for (row = s->j.first; row < s->j.last; row++) expect_row(s, row);
    if (s->report.bad.count) s->report.op = s->j.op;
    if (s->exact) return;
    s->report.status = NDG_E_INDEX;
    s->report.operand = NDG_ARG_INDICES;
}

/* ---- gathers: the library ------------------------------------------------*/

static void push(ptrdiff_t *dims, ptrdiff_t *strides, int *rank,
                 ptrdiff_t extent, ptrdiff_t stride)
{
    dims[*rank] = extent;
    strides[(*rank)++] = stride;
}

static void push_rows(const job *j, ptrdiff_t *dims, ptrdiff_t *strides,
                      int *rank, ptrdiff_t row, ptrdiff_t line)
{
    if (j->line) push(dims, strides, rank, j->n / j->line, line);
    push(dims, strides, rank, j->line ? j->line : j->n, row);
}

static void job_desc(const job *j, ndg_gather_desc *d, ptrdiff_t (*dim)[16])
{
    ptrdiff_t *p = dim[0], *ps = dim[1], *o = dim[2], *os = dim[3];
    ptrdiff_t  x[4], xs[4];
    int        k, np = 0, no = 0, nx = 0;
    push(p, ps, &np, j->batch, j->from_batch);
    push(o, os, &no, j->batch, j->out_batch);
    push(x, xs, &nx, j->batch, j->index_batch);
    if (j->op == G) {
        push(p, ps, &np, j->outer, j->from_outer);
        push(o, os, &no, j->outer, j->out_outer);
    }
    for (k = 0; k < j->depth; k++)
        push(p, ps, &np, j->extent[k], j->stride[k]);
    push_rows(j, o, os, &no, j->out_row, j->out_line);
    push_rows(j, x, xs, &nx, j->index_row, j->index_line);
    if (j->op == ND) push(x, xs, &nx, j->depth, j->index_part);
    push(p, ps, &np, j->elems, j->from_elem);
    push(o, os, &no, j->elems, j->out_elem);
    d->params = ndg_dims(np, p, ps);
    d->out = ndg_dims(no, o, os);
    d->indices = ndg_dims(nx, x, xs);
}

static void scene_plan(scene *s)
{
    const job      *j = &s->j;
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;
    ptrdiff_t       dim[4][16];
    int             status;
    job_desc(j, &d, dim);
    d.batch_dims = 1;
    d.axis = j->op == G ? 2 : 0;
    d.elem_size = j->elem;
    d.index_type = j->type;
    d.policy = j->policy;
    d.negative = j->negative;
    d.overlap = j->overlap;
    memcpy(d.fill, fill_bytes, sizeof d.fill);
    status = j->op == G ? ndg_plan_gather(&s->plan, &d, &r)
                        : ndg_plan_gather_nd(&s->plan, &d, &r);
    CHECKF(status == NDG_OK, "plan: status %d, operand %d, axis %d",
           status, r.operand, r.axis);
}

static void scene_indices(scene *s)
{
    const job      *j = &s->j;
    const ptrdiff_t first = first_index(j);
    const ptrdiff_t last = j->batch == 1 ? j->last : j->batch * j->n;
    ptrdiff_t       row, k;
    for (row = first; row < last; row++)
        for (k = 0; k < j->depth; k++)
            index_put(far_from(s->indices, index_at(j, row, k)), j->type,
                      s->v[row * j->depth + k]);
}

/* Bytes of no index are bad ones, or zero, which is good. */
static void scene_make(scene *s, const job *j, const int64_t *v)
{
    ptrdiff_t low, high;
    s->j = *j;
    s->v = v;
    table_span(j, &low, &high);
    s->table = block_new(high - low, j->table_align, j->margin, 0);
    block_noise(&s->table, high - low);
    s->params = s->table.at - low;
    index_span(j, &low, &high);
    s->index = block_new(high - low, j->index_align, j->margin,
                         one_in(3) ? 0 : one_in(2) ? 0x7F : 0xFF);
    s->indices = far_from(s->index.at - low,
                          -first_index(j) * j->index_row);
    s->out = block_new(out_span(j), j->out_align, j->margin, FRESH);
    scene_indices(s);
    expect(s);
    if (j->op != ROWS) scene_plan(s);
}

static void scene_free(scene *s)
{
    free(s->table.bytes);
    free(s->index.bytes);
    free(s->out.bytes);
    free(s->want);
}

static int run_part(const scene *s, ptrdiff_t first, ptrdiff_t last,
                    ndg_report *r)
{
    const job      *j = &s->j;
    const ptrdiff_t bytes = out_span(j) + j->slack;
    if (j->op == ROWS)
        return ndg_gather_rows(s->out.at, bytes, s->params, j->extent[0],
                               j->elem * j->elems,
                               j->stride[0] == j->elem * j->elems
                               ? 0 : j->stride[0],
                               s->indices, j->type, j->n, j->policy, r);
    if (first == 0 && last == j->batch * j->n)
        return ndg_gather_run(&s->plan, s->out.at, bytes, s->params,
                              s->indices, r);
    return ndg_gather_run_range(&s->plan, s->out.at, bytes, s->params,
                                s->indices, first, last, r);
}

static void job_failed(const job *j, const char *what)
{
    CHECKF(0, "%s: op %d %s policy %d%s depth %d; %ld x %ld bytes of %ld,"
           " %ld rows, %ld batches, %ld outer; strides %ld %ld;"
           " rows %ld ... %ld; aligned %d %d %d, margin %ld", what, j->op,
           index_name(j->type), j->policy, j->negative ? " from end" : "",
           j->depth, (long)j->elems, (long)j->elem, (long)j->extent[0],
           (long)j->n, (long)j->batch, (long)j->outer, (long)j->stride[0],
           (long)j->out_row, (long)j->first, (long)j->last, j->out_align,
           j->table_align, j->index_align, (long)j->margin);
}

/* An error may have left any good row as it was, but whole. */
static void forgive(const scene *s, unsigned char *want)
{
    const job      *j = &s->j;
    const ptrdiff_t lead = s->out.at - s->out.bytes;
    ptrdiff_t       row, o, at, e;
    for (row = j->first; row < j->last; row++)
        for (o = 0; o < j->outer; o++) {
            at = lead + out_at(j, row, o);
            if (!row_fresh(j, s->out.bytes + at)) continue;
            for (e = 0; e < j->elems; e++)
                memset(want + at + e * j->out_elem, FRESH, (size_t)j->elem);
        }
}

/* What a run has left against what was predicted. */
static void scene_judge(const scene *s, const ndg_report *r)
{
    unsigned char *want = s->want;
    int            good;
    if (!s->exact) {
        want = (unsigned char *)grab(s->out.size);
        memcpy(want, s->want, (size_t)s->out.size);
        forgive(s, want);
    }
    good = !memcmp(s->out.bytes, want, (size_t)s->out.size);
    if (good) CHECK(1);
    else job_failed(&s->j, "bytes");
    if (want != s->want) free(want);
    good = report_same(r, &s->report, 0)
        && count_fits(&r->bad, &s->report.bad, s->exact);
    if (good) CHECK(1);
    else job_failed(&s->j, "report");
}

/* Runs ranges cut[0] ... cut[parts], maybe the last first, and judges. */
static void scene_run(scene *s, const ptrdiff_t *cut, int parts, int backward)
{
    ndg_report sum = NDG_ZERO_INIT, r;
    int        w;
    memset(s->out.bytes, FRESH, (size_t)s->out.size);
    for (w = 0; w < parts; w++) {
        const ptrdiff_t *c = cut + (backward ? parts - 1 - w : w);
        r = report_stale();
        if (run_part(s, c[0], c[1], &r) != r.status)
            job_failed(&s->j, "status");
        ndg_report_merge(&sum, &r);
    }
    scene_judge(s, &sum);
}

/* What ndg_gather_check says of two ranges. */
static void scene_check(const scene *s)
{
    const job      *j = &s->j;
    const ptrdiff_t at = j->first
                       + random_below(&dice, (int)(j->last - j->first) + 1);
    ndg_report      r = report_stale(), q = report_stale();
    ndg_gather_check(&s->plan, s->indices, j->first, at, &r);
    ndg_gather_check(&s->plan, s->indices, at, j->last, &q);
    ndg_report_merge(&r, &q);
    if (report_same(&r, &s->report, 1)) CHECK(1);
    else job_failed(j, "check");
}

/* The whole, and whether its indices are good. */
static void job_check(const job *j, const int64_t *v)
{
    scene     s;
    ptrdiff_t cut[2];
    cut[0] = j->first;
    cut[1] = j->last;
    scene_make(&s, j, v);
    scene_run(&s, cut, 1, 0);
    if (j->op != ROWS) scene_check(&s);
    scene_free(&s);
}

/* Every cut in two, and some in three. */
static void job_cuts(const job *j, const int64_t *v)
{
    scene     s;
    ptrdiff_t cut[4], at;
    if (j->op == ROWS) return;
    scene_make(&s, j, v);
    cut[0] = j->first;
    for (at = j->first; at <= j->last; at++) {
        cut[1] = at;
        cut[2] = j->last;
        scene_run(&s, cut, 2, at & 1);
        if (at % 7) continue;
        cut[2] = at + random_below(&dice, (int)(j->last - at) + 1);
        cut[3] = j->last;
        scene_run(&s, cut, 3, one_in(2));
    }
    scene_free(&s);
}

/* ---- index patterns ------------------------------------------------------*/

enum { UNIFORM, FORWARD, BACKWARD, EQUAL, LAST, FIRST, SHORT_RUNS, CHUNK_RUNS,
       EVERY_OTHER, LAST_TWO, PATTERNS };

static int run_breaks(int pattern, ptrdiff_t i)
{
    if (pattern == UNIFORM) return 1;
    if (pattern == SHORT_RUNS) return one_in(3);
    if (pattern != CHUNK_RUNS) return 0;
    return (i % 64 <= 1 || i % 64 == 63) && one_in(2);
}

/* Row i goes to a slice, counted in row-major order, of `total`. */
static void pattern_slices(ptrdiff_t *to, ptrdiff_t n, ptrdiff_t total,
                           int pattern)
{
    const ptrdiff_t step = pattern == EQUAL ? 0 : pattern == BACKWARD ? -1
                         : pattern == EVERY_OTHER ? 2 : 1;
    ptrdiff_t       at = random_below(&dice, (int)total), i;
    for (i = 0; i < n; i++) {
        if (run_breaks(pattern, i)) at = random_below(&dice, (int)total);
        to[i] = pattern == LAST ? total - 1 : pattern == FIRST ? 0
              : pattern == LAST_TWO ? total - 1 - (total > 1 ? i & 1 : 0) : at;
        at = (at + step + total) % total;
    }
}

/* Good indices of a case. Some count from the end where that is allowed. */
static void fill_values(const job *j, int64_t *v, int pattern)
{
    static ptrdiff_t to[MOST * 8];
    const ptrdiff_t  rows = j->batch * j->n;
    ptrdiff_t        total = 1, row;
    int              k;
    for (k = 0; k < j->depth; k++) total *= j->extent[k];
    pattern_slices(to, rows, total, pattern);
    for (row = 0; row < rows; row++)
        for (k = j->depth - 1; k >= 0; k--) {
            int64_t at = to[row] % j->extent[k];
            to[row] /= j->extent[k];
            if (j->negative && one_in(2)
                && index_holds(j->type, at - j->extent[k], 0))
                at -= j->extent[k];
            v[row * j->depth + k] = at;
        }
    for (row = j->n; row < rows && j->index_batch == 0; row++)
        for (k = 0; k < j->depth; k++)
            v[row * j->depth + k] = v[row % j->n * j->depth + k];
}

/* Rows that a type can name, of a table of about 32 KiB and `most` rows. */
static ptrdiff_t table_rows(int type, ptrdiff_t bytes, ptrdiff_t most)
{
    ptrdiff_t rows = 32768 / (bytes + 1) + 3;
    if (rows > most) rows = most;
    if (index_bytes(type) == 1 && rows > 101) rows = 101;
    return rows;
}

/* A policy that takes elements of this size, and any values if it must. */
static int some_policy(const job *j)
{
    int policy;
    do policy = random_below(&dice, NDG_ASSUME_VALID + 1);
    while (policy == NDG_FILL && (j->elem > 16 || j->op == ROWS));
    return policy;
}

/* ---- gathers: good indices -----------------------------------------------*/

static int64_t values[MOST * DEPTH * 4];

/* Any layout that the form takes. */
static void random_layout(job *j)
{
    static const ptrdiff_t pads[] = { 0, 0, 0, 0, 1, 3, 4, 16, 60, 64, 65 };
    int                    kind = random_below(&dice, 16);
    if (j->op == ROWS) {
        job_table(j, some(pads, COUNT(pads)));
        return;
    }
    job_table(j, some(pads, COUNT(pads)));
    job_out(j, some(pads, COUNT(pads)));
    job_indices(j, random_below(&dice, INDEX_LAYOUTS - 1));
    if (kind < 3) j->stride[0] = -j->stride[0];
    if (kind == 3) j->stride[0] = 0;
    if (kind == 4) j->stride[0] = j->elem;       /* rows that overlap */
    if (kind == 5) j->from_elem = 0;
    if (kind == 6 && j->elems < 40) job_out_planes(j);
    if (kind == 7 && j->elems < 40 && j->n < 200) {
        j->from_elem = 2 * j->elem;
        j->stride[0] = 2 * j->stride[0] + 1;
    }
}

/* Rows of every size, at every alignment of out. */
static void test_sizes(void)
{
    static const int form[] = { ROWS, ROWS, G, ND };
    ptrdiff_t        bytes;
    int              s, a;
    for (s = 1; s <= 304; s++)
        for (a = 0; a < 64; a++) {
            const int type = (a + s) % INDEX_TYPES;
            job       j;
            bytes = s <= 300 ? s : s == 301 ? 512 : s == 302 ? 1000
                  : s == 303 ? 1024 : 4096;
            j = job_new(form[(a / 3 + s) % 4], type,
                        table_rows(type, bytes, 300), bytes,
                        edge_counts[(5 * a + s) % COUNT(edge_counts)],
                        1 << random_below(&dice, 5));
            j.out_align = a;
            j.table_align = (3 * a + a / 16 + s) % 16;
            j.index_align = (a / 8 + s) % 8;
            j.policy = some_policy(&j);
            random_layout(&j);
            fill_values(&j, values, (a / 5 + s) % PATTERNS);
            job_check(&j, values);
        }
}

/* Every index type, pattern and count, for the sizes with loops of their own
 * and some others. */
static void test_types(void)
{
    static const ptrdiff_t sizes[] = {
        1, 2, 3, 4, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128
    };
    int s, type, c, pattern;
    for (s = 0; s < COUNT(sizes); s++)
        for (type = 0; type < INDEX_TYPES; type++)
            for (c = 0; c < COUNT(edge_counts); c++)
                for (pattern = 0; pattern < PATTERNS; pattern++) {
                    const int op = (s + type + c + pattern) % 3;
                    job j = job_new(op == 0 ? ROWS : op == 1 ? ND : G, type,
                                    table_rows(type, sizes[s], 1103), sizes[s],
                                    edge_counts[c], sizes[s]);
                    j.policy = some_policy(&j);
                    fill_values(&j, values, pattern);
                    job_check(&j, values);
                }
}

/* Every number of rows. */
static void test_counts(void)
{
    static const ptrdiff_t sizes[] = { 1, 2, 4, 8, 12, 16, 24, 32, 64 };
    int n, type, k;
    for (n = 0; n <= 260; n++)
        for (type = 0; type < INDEX_TYPES; type++)
            for (k = 0; k < 3; k++) {
                job j = job_new(k == 0 ? ROWS : k == 1 ? G : ND, type, 90,
                                sizes[(n + type + k) % COUNT(sizes)], n, 8);
                fill_values(&j, values, (n + k) % 2 ? UNIFORM : SHORT_RUNS);
                if (n > 0 && type % 2) {
                    j.policy = NDG_CLIP + (n & 1);
                    values[n - 1] = bad_value(type, 90, n % BAD_KINDS);
                }
                job_check(&j, values);
            }
}

/* Rows that are large themselves. */
static void test_large_rows(void)
{
    static const ptrdiff_t sizes[] = { 2047, 2048, 4095, 4097, 8192, 16387,
                                       65536, 100001 };
    int s, a;
    for (s = 0; s < COUNT(sizes); s++)
        for (a = 0; a < 64; a += 1 + 2 * (s > 3)) {
            job j = job_new(a & 1 ? ROWS : G, a % INDEX_TYPES, 7, sizes[s],
                            1 + random_below(&dice, s > 3 ? 5 : 20), 1);
            j.out_align = a;
            j.policy = some_policy(&j);
            fill_values(&j, values, (a / 2) % PATTERNS);
            job_check(&j, values);
        }
}

/* Runs of neighbours of every length around a chunk, beginning anywhere. */
static void test_runs(void)
{
    static const ptrdiff_t sizes[] = { 1, 4, 8, 12, 16, 24, 32, 64, 100 };
    static const ptrdiff_t starts[] = { 0, 1, 5, 62, 63, 64, 65 };
    ptrdiff_t              length, i;
    int                    s, k, kind;
    for (length = 1; length <= 132; length += length == 6 ? 24
                                            : length == 34 ? 28
                                            : length == 67 ? 58 : 1)
        for (s = 0; s < COUNT(sizes); s++)
            for (k = 0; k < COUNT(starts); k++)
                for (kind = 0; kind < 3; kind++) {
                    job j = job_new(kind ? G : ROWS, NDG_I32, 150, sizes[s],
                                    200, sizes[s]);
                    if (kind == 1) job_out(&j, 4);
                    if (kind == 2) job_table(&j, 4);
                    fill_values(&j, values, UNIFORM);
                    for (i = 0; i < length && starts[k] + i < 200; i++)
                        values[starts[k] + i] = 150 - length + i;
                    job_check(&j, values);
                }
}

/* The largest indices of the narrow types: 8 bits and 16, signed or not. */
static void test_wide_tables(void)
{
    static const int       types[] = { NDG_I8, NDG_U8, NDG_I16, NDG_U16 };
    static const ptrdiff_t rows[] = { 128, 256, 32768, 65536 };
    int                    t, pattern, b;
    for (t = 0; t < 4; t++)
        for (pattern = 0; pattern < PATTERNS; pattern++)
            for (b = 1; b <= 8; b *= 2) {
                job j = job_new(b == 2 ? G : ROWS, types[t], rows[t], b, 200,
                                b);
                fill_values(&j, values, pattern);
                values[77] = rows[t] - 1;
                if (one_in(2)) {
                    j.policy = NDG_CLIP + (b & 1);
                    values[random_below(&dice, 200)]
                        = bad_value(types[t], rows[t], 1 + pattern % 7);
                }
                job_check(&j, values);
            }
}

/* An extent that only 64 bits hold, of a table that is one row. */
static void test_huge_extents(void)
{
    int type, policy, b;
    for (type = 0; type < INDEX_TYPES; type++)
        for (policy = 0; policy <= NDG_ASSUME_VALID; policy++)
            for (b = 1; b <= 128; b *= 2) {
                const ptrdiff_t most = PTRDIFF_MAX / 256;
                job j = job_new(policy & 1 ? G : ND, type, 1, b, 130, 1);
                ptrdiff_t i;
                j.extent[0] = most;
                j.stride[0] = 0;
                j.policy = policy;
                for (i = 0; i < j.n; i++) {
                    int64_t v = type_max(type) - i % 3;
                    if (v < 0 || v >= most) v = most - 1 - i % 9;
                    if (!index_holds(type, v, 0)) v = i % 100;
                    if (i % 50 == 40 && policy != NDG_ASSUME_VALID)
                        v = bad_value(type, most, (int)(i / 50));
                    values[i] = v;
                }
                job_check(&j, values);
            }
}

#if PTRDIFF_MAX > 2147483647

static int no_room;

enum { FAR_ROWS, FAR_PLAN, FAR_BACKWARD, FAR_FORMS };

static int far_call(unsigned char *out, unsigned char *table, ptrdiff_t rows,
                    ptrdiff_t stride, ptrdiff_t bytes,
                    unsigned char *indices, int type, ptrdiff_t n, int form)
{
    const ptrdiff_t dims[2] = { rows, bytes };
    ptrdiff_t       strides[2] = { 0, 1 };
    ndg_gather_desc d = NDG_ZERO_INIT;
    strides[0] = form == FAR_BACKWARD ? -stride : stride;
    d.params = ndg_dims(2, dims, strides);
    d.indices = ndg_dims2(n, 1);
    d.elem_size = 1;
    d.index_type = type;
    d.overlap = form == FAR_BACKWARD ? NDG_OVERLAP_DISJOINT : 0;
    if (form != FAR_ROWS)
        return ndg_gather_nd(out, n * bytes, table, indices, &d, 0);
    return ndg_gather_rows(out, n * bytes, table, rows, bytes, stride, indices,
                           type, n, NDG_ZERO, 0);
}

/* Offsets above 2^32: row 0 would lie far from the block, which holds the last
 * `used` rows only, and behind them out and the indices. */
static void far_rows(int type, ptrdiff_t top, ptrdiff_t stride, int used,
                     ptrdiff_t bytes, int form)
{
    const ptrdiff_t rows = top + 1, size = index_bytes(type), n = 100;
    const ptrdiff_t high = (used - 1) * stride + bytes;
    const ptrdiff_t away = form == FAR_BACKWARD ? top * stride
                                                : -(rows - used) * stride;
    unsigned char  *mem = (unsigned char *)grab(high + n * (bytes + size));
    unsigned char  *out = mem + high, *indices = out + n * bytes;
    unsigned char  *table = far_from(mem, away);
    int             i, status, good = 1;
    for (i = 0; i < used; i++)
        memcpy(mem + i * stride, noise + i, (size_t)bytes);
    for (i = 0; i < n; i++)
        index_put(indices + i * size, type,
                  form == FAR_BACKWARD ? top - i * 7 % used
                                       : rows - used + i * 7 % used);
    if ((away < 0) == ((uintptr_t)table < (uintptr_t)mem)) {
        status = far_call(out, table, rows, stride, bytes, indices, type, n,
                          form);
        for (i = 0; i < n; i++)
            if (memcmp(out + i * bytes, noise + i * 7 % used, (size_t)bytes))
                good = 0;
        CHECKF(status == NDG_OK && good, "far rows: %s, status %d, %ld bytes,"
               " form %d", index_name(type), status, (long)bytes, form);
    } else {
        no_room++;
    }
    free(mem);
}

#endif

static void test_far_rows(void)
{
#if PTRDIFF_MAX > 2147483647
    static const ptrdiff_t sizes[] = { 1, 4, 8, 12, 16, 20, 32, 64, 100 };
    int s, k, t;
    for (s = 0; s < COUNT(sizes); s++)
        for (k = 0; k < FAR_FORMS; k++) {
            static const int wide[] = { NDG_I32, NDG_U32, NDG_I64, NDG_U64 };
            for (t = 0; t < 4; t++) {
                far_rows(wide[t], 70000, 65544, 16, sizes[s], k);
                far_rows(wide[t], 40000, 65544, 16, sizes[s], k);
            }
            far_rows(NDG_I16, 32767, 150000, 3, sizes[s], k);
            far_rows(NDG_U16, 65535, 70000, 5, sizes[s], k);
            far_rows(NDG_I8, 127, (ptrdiff_t)1 << 25, 1, sizes[s], k);
            far_rows(NDG_U8, 255, (ptrdiff_t)1 << 25, 1, sizes[s], k);
        }
    if (no_room)
        printf("skip: %d tables of far rows: no addresses below\n", no_room);
#else
    printf("skip: tables of far rows: addresses have 32 bits\n");
#endif
}

/* ---- gathers: bad indices ------------------------------------------------*/

/* One bad index at every place, of every kind, under every policy. */
static void test_one_bad(void)
{
    static const ptrdiff_t sizes[] = { 4, 8, 64, 1, 12, 100, 16, 3, 33, 2 };
    static const int       form[] = { ROWS, G, ND };
    int at, policy, kind, f;
    for (at = 0; at < 200; at++)
        for (policy = 0; policy < NDG_ASSUME_VALID; policy++)
            for (kind = 0; kind < 4; kind++)
                for (f = 0; f < 3; f++) {
                    const int type = (at + policy + kind / 2) % INDEX_TYPES;
                    job       j = job_new(form[f], type, 100,
                                          sizes[(at / 8 + kind) % 10], 200,
                                          4);
                    if (j.op == ROWS && policy == NDG_FILL) continue;
                    j.policy = policy;
                    if (j.op != ROWS && at % 3 == 0) job_out(&j, 5);
                    if (at % 5 == 0) job_table(&j, 7);
                    fill_values(&j, values, (at + f) % PATTERNS);
                    values[at] = bad_value(type, 100,
                                           (kind + 4 * (at & 1)) % BAD_KINDS);
                    job_check(&j, values);
                }
}

/* The 64 bits of an index all count: the extremes, and what is good but for
 * its upper half, everywhere. */
static void test_one_bad_wide(void)
{
    int at, kind, t;
    for (at = 0; at < 200; at += 3)
        for (kind = 0; kind < BAD_KINDS; kind++)
            for (t = 0; t < 2; t++) {
                job j = job_new(at & 1 ? ROWS : ND, t ? NDG_U64 : NDG_I64, 60,
                                (ptrdiff_t)1 << at % 7, 200, 8);
                do j.policy = some_policy(&j);
                while (j.policy == NDG_ASSUME_VALID);
                fill_values(&j, values, at % PATTERNS);
                values[at] = bad_value(j.type, 60, kind);
                job_check(&j, values);
            }
}

static void sprinkle(const job *j, int64_t *v, int odds)
{
    const ptrdiff_t n = j->batch * j->n * j->depth;
    ptrdiff_t       i, k;
    if (j->policy == NDG_ASSUME_VALID) return;
    for (i = 0; i < n; i++)
        if (one_in(odds))
            v[i] = bad_value(j->type, j->extent[i % j->depth],
                             random_below(&dice, BAD_KINDS));
    for (i = j->n; i < j->batch * j->n && j->index_batch == 0; i++)
        for (k = 0; k < j->depth; k++)
            v[i * j->depth + k] = v[i % j->n * j->depth + k];
}

/* Several bad indices: all of them, most, few. */
static void test_many_bad(void)
{
    static const int form[] = { ROWS, G, ND };
    int              i;
    for (i = 0; i < 4000; i++) {
        const int       type = i % INDEX_TYPES;
        const ptrdiff_t bytes = 1 + random_below(&dice, i % 3 ? 24 : 300);
        job j = job_new(form[i % 3], type, table_rows(type, bytes, 80), bytes,
                        edge_counts[i % COUNT(edge_counts)],
                        1 << random_below(&dice, 5));
        if (j.n > 200) j.n = j.last = 190;
        j.negative = j.op == ROWS ? 0 : i / 3 & 1;
        j.policy = some_policy(&j);
        random_layout(&j);
        fill_values(&j, values, i % PATTERNS);
        sprinkle(&j, values, 1 + i % 61);
        job_check(&j, values);
    }
}

/* Tables without a row: everything is bad, and nothing may be read. */
static void test_no_rows(void)
{
    int policy, type, f;
    for (policy = 0; policy < NDG_ASSUME_VALID; policy++)
        for (type = 0; type < INDEX_TYPES; type++)
            for (f = 0; f < 2; f++) {
                job j = job_new(f ? G : ROWS, type, 1, 8, 70, 8);
                if (j.op == ROWS && policy == NDG_FILL) continue;
                j.policy = policy;
                fill_values(&j, values, UNIFORM);
                j.extent[0] = 0;
                job_table(&j, 0);
                job_check(&j, values);
            }
}

/* ---- gathers: depth, batches, axes ---------------------------------------*/

static job nd_case(int depth, ptrdiff_t bytes, int type, ptrdiff_t n)
{
    static const ptrdiff_t extents[DEPTH][DEPTH] = {
        { 97 }, { 7, 13 }, { 3, 5, 7 }, { 2, 3, 4, 5 }, { 3, 2, 1, 4, 5 }
    };
    job j = job_new(ND, type, 1, bytes, n, 1 << random_below(&dice, 5));
    j.depth = depth;
    memcpy(j.extent, extents[depth - 1], sizeof j.extent);
    job_table(&j, 0);
    job_indices(&j, INDEX_PACKED);
    return j;
}

/* Index vectors of 1 to 5, good and bad, forward and from the end. */
static void test_depths(void)
{
    static const ptrdiff_t sizes[] = { 1, 2, 3, 4, 7, 8, 12, 16, 20, 32, 64, 65,
                                       100, 128 };
    int depth, s, c, round;
    for (depth = 1; depth <= DEPTH; depth++)
        for (s = 0; s < COUNT(sizes); s++)
            for (c = 1; c < COUNT(edge_counts); c++)
                for (round = 0; round < 8; round++) {
                    job j = nd_case(depth, sizes[s],
                                    (s + c + round) % INDEX_TYPES,
                                    edge_counts[c]);
                    if (j.n == 1000 && round > 1) continue;
                    j.negative = round & 1;
                    j.policy = some_policy(&j);
                    if (round & 2) random_layout(&j);
                    if (round & 2 && one_in(3))
                        j.stride[depth - 1] = -j.stride[depth - 1];
                    fill_values(&j, values, (s + c + 2 * round) % PATTERNS);
                    if (round & 4) sprinkle(&j, values, 7 + 50 * (c & 3));
                    job_check(&j, values);
                }
}

/* No component at all: every row is the whole table. */
static void test_depth_0(void)
{
    int c, b;
    for (c = 0; c < COUNT(edge_counts); c++)
        for (b = 1; b <= 200; b = b * 2 + 1) {
            job j = nd_case(1, b, c % INDEX_TYPES, edge_counts[c]);
            j.depth = 0;
            j.batch = j.n < 200 ? 1 + c % 3 : 1;
            j.last = j.batch * j.n;
            job_table(&j, one_in(2) ? 5 : 0);
            job_out(&j, one_in(2) ? 5 : 0);
            job_indices(&j, INDEX_PACKED);
            job_check(&j, values);
        }
}

/* One bad component at every place of every row. */
static void test_bad_components(void)
{
    int depth, at, policy;
    for (depth = 2; depth <= DEPTH; depth++)
        for (at = 0; at < 130 * depth; at++)
            for (policy = 0; policy < NDG_ASSUME_VALID; policy += 2) {
                job j = nd_case(depth, at % 2 ? 4 : 64, at % INDEX_TYPES, 130);
                const int p = policy + (at & 1);
                if (p == NDG_ASSUME_VALID) continue;
                if (p == NDG_FILL && j.elem > 16) continue;
                j.policy = p;
                j.negative = at / 2 & 1;
                fill_values(&j, values, at % PATTERNS);
                values[at] = bad_value(j.type, j.extent[at % depth],
                                       at / 3 % BAD_KINDS);
                job_check(&j, values);
            }
}

/* A batch axis, an axis before the one gathered, or both. */
static job axis_case(int round)
{
    static const ptrdiff_t sizes[] = { 4, 64, 1, 12, 8, 3, 2, 16, 100 };
    static const ptrdiff_t counts[] = { 1, 2, 5, 31, 63, 64, 65, 100 };
    static const ptrdiff_t batches[] = { 1, 2, 3, 5, 70 };
    static const ptrdiff_t outers[] = { 1, 2, 7 };
    const ptrdiff_t        bytes = sizes[round % 9];
    job j = job_new(round % 4 ? G : ND, round / 3 % INDEX_TYPES, 29, bytes,
                    some(counts, 8), round % 2 ? bytes : 1);
    j.batch = j.n > 5 ? some(batches, 4) : some(batches, 5);
    j.outer = j.op == G && j.batch <= 5 ? some(outers, 3) : 1;
    j.last = j.batch * j.n;
    j.negative = one_in(4);
    j.policy = some_policy(&j);
    job_table(&j, 0);
    job_out(&j, 0);
    job_indices(&j, one_in(5) ? INDEX_ONE : INDEX_PACKED);
    if (one_in(3)) random_layout(&j);
    if (one_in(4) && j.out_elem == j.elem && j.index_batch > 0
        && j.index_row > 0 && j.index_part == index_bytes(j.type))
        job_lines(&j, j.n % 4 == 0 ? j.n / 4 : j.n % 5 == 0 ? 5 : j.n);
    if (one_in(8)) j.from_batch = 0;
    if (one_in(8)) j.from_outer = 0;
    return j;
}

static void test_axes(void)
{
    int i;
    for (i = 0; i < 5000; i++) {
        job j = axis_case(i);
        fill_values(&j, values, random_below(&dice, PATTERNS));
        if (i % 3 == 0) sprinkle(&j, values, 5 + i % 100);
        job_check(&j, values);
    }
}

/* ---- gathers: ranges -----------------------------------------------------*/

static job cut_case(int round)
{
    const ptrdiff_t bytes = 1 + random_below(&dice, round % 2 ? 20 : 100);
    job j = round % 3 == 0 ? axis_case(round)
          : round % 3 == 1 ? nd_case(1 + round % DEPTH, bytes,
                                     round % INDEX_TYPES, 130 + round % 3)
          : job_new(G, round % INDEX_TYPES, 90, bytes, 126 + round % 5, bytes);
    j.policy = some_policy(&j);
    if (round % 3 && one_in(2)) random_layout(&j);
    return j;
}

static void test_cuts(void)
{
    int i;
    for (i = 0; i < 150; i++) {
        job j = cut_case(i);
        if (j.batch * j.n > 200) continue;
        fill_values(&j, values, i % PATTERNS);
        if (i & 4) sprinkle(&j, values, 10 + i % 80);
        job_cuts(&j, values);
    }
}

/* A range reads no index before or behind it, and writes nothing there: the
 * arrays end with it, or bad indices stand before it. */
static void test_ranges_alone(void)
{
    int i;
    for (i = 0; i < 3000; i++) {
        const ptrdiff_t bytes = 1 + random_below(&dice, 40);
        const int       type = i % INDEX_TYPES;
        job       j = i & 1 ? nd_case(1 + i % DEPTH, bytes, type, 300)
                            : job_new(G, type, 90, bytes, 300, 1);
        ptrdiff_t k;
        j.policy = some_policy(&j);
        if (i % 3 == 0) job_out(&j, 3);
        fill_values(&j, values, i % PATTERNS);
        j.last = 1 + random_below(&dice, 299);
        j.first = random_below(&dice, (int)j.last + 1);
        for (k = 0; k < j.n * j.depth; k++)
            if (k / j.depth < j.first || k / j.depth >= j.last)
                values[k] = type_max(j.type);
        job_check(&j, values);
    }
}

/* Batches of three axes, of which two would be one in some array, but not in
 * all; or would, were another axis between them. */
enum { APART, AS_ONE, BY_THE_INNER_STRIDE, BY_THE_INNER_EXTENT, FORMS };

typedef struct axes {
    ptrdiff_t stride[3], row;
} axes;

static axes axes_new(int form, const ptrdiff_t extent[3], ptrdiff_t row)
{
    axes a;
    a.row = row;
    a.stride[2] = row;
    a.stride[1] = 50 * row;
    a.stride[0] = form == AS_ONE ? a.stride[1] * extent[1]
                : form == BY_THE_INNER_STRIDE ? a.stride[2] * extent[1]
                : form == BY_THE_INNER_EXTENT ? a.stride[1] * extent[2]
                                              : 400 * row;
    return a;
}

/* Whether no two batches lie in one place. */
static int axes_apart(int form, const ptrdiff_t extent[3])
{
    return form == BY_THE_INNER_STRIDE ? extent[1] >= extent[2]
         : form == BY_THE_INNER_EXTENT ? extent[2] >= extent[1] : 1;
}

static ptrdiff_t axes_at(const axes *a, const ptrdiff_t i[3])
{
    return i[0] * a->stride[0] + i[1] * a->stride[1] + i[2] * a->stride[2];
}

static void outer_axes(const int form[3], const ptrdiff_t extent[3])
{
    enum { N = 3, ROOM = 600 * 5, FAR_OFF = 0xEE };
    static unsigned char table[ROOM], index[ROOM], out[ROOM], want[ROOM];
    const axes      from = axes_new(form[0], extent, 5);
    const axes      ids = axes_new(form[1], extent, N);
    const axes      to = axes_new(form[2], extent, N);
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;
    ptrdiff_t       i[3], k;
    for (k = 0; k < ROOM; k++) {
        table[k] = (unsigned char)(1 + k % 251);
        index[k] = (unsigned char)(k * 7 % 5);
    }
    memset(out, FAR_OFF, ROOM);
    memset(want, FAR_OFF, ROOM);
    for (i[0] = 0; i[0] < extent[0]; i[0]++)
        for (i[1] = 0; i[1] < extent[1]; i[1]++)
            for (i[2] = 0; i[2] < extent[2]; i[2]++)
                for (k = 0; k < N; k++)
                    want[axes_at(&to, i) + k] =
                        table[axes_at(&from, i) + index[axes_at(&ids, i) + k]];
    d.params = ndg_strided4(extent[0], from.stride[0], extent[1],
                            from.stride[1], extent[2], from.stride[2], 5, 1);
    d.indices = ndg_strided4(extent[0], ids.stride[0], extent[1],
                             ids.stride[1], extent[2], ids.stride[2], N, 1);
    d.out = ndg_strided4(extent[0], to.stride[0], extent[1], to.stride[1],
                         extent[2], to.stride[2], N, 1);
    d.elem_size = 1;
    d.index_type = NDG_U8;
    d.axis = d.batch_dims = 3;
    ndg_gather(out, ROOM, table, index, &d, &r);
    CHECKF(r.status == NDG_OK && !memcmp(out, want, ROOM),
           "batches %ld x %ld x %ld, forms %d %d %d: status %d or wrong bytes",
           (long)extent[0], (long)extent[1], (long)extent[2], form[0], form[1],
           form[2], r.status);
}

static void test_outer_axes(void)
{
    static const ptrdiff_t extents[][3] = { { 2, 3, 2 }, { 2, 3, 4 },
                                            { 2, 2, 3 }, { 2, 3, 3 } };
    int form[3], e, k;
    for (e = 0; e < 4; e++)
        for (k = 0; k < FORMS * FORMS * FORMS; k++) {
            form[0] = k % FORMS;
            form[1] = k / FORMS % FORMS;
            form[2] = k / FORMS / FORMS;
            if (axes_apart(form[2], extents[e])) outer_axes(form, extents[e]);
        }
}

/* Two batches of indices, each for all slices before the axis: axes that do not
 * fold in params, so that slices and batches are loops of the plan. */
static void test_batches_of_slices(void)
{
    enum { BATCHES = 2, A = 2, B = 3, EXTENT = 10, N = 40,
           BYTES = BATCHES * A * B * N };
    unsigned char   table[160], index[BATCHES * N], out[BYTES], want[BYTES];
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan p;
    ndg_report      r;
    ptrdiff_t       batch, a, b, k, at = 0;
    for (k = 0; k < 160; k++) table[k] = (unsigned char)(1 + k);
    for (k = 0; k < BATCHES * N; k++) index[k] = (unsigned char)(k * 7 % 10);
    memset(out, FRESH, BYTES);
    for (batch = 0; batch < BATCHES; batch++)
        for (a = 0; a < A; a++)
            for (b = 0; b < B; b++)
                for (k = 0; k < N; k++)
                    want[at++] = table[batch * 80 + a * 40 + b * 10
                                       + index[batch * N + k]];
    d.params = ndg_strided4(BATCHES, 80, A, 40, B, 10, EXTENT, 1);
    d.indices = ndg_dims2(BATCHES, N);
    d.batch_dims = 1;
    d.axis = 3;
    d.elem_size = 1;
    d.index_type = NDG_U8;
    CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK);
    CHECK(p.copy_levels == 2 && p.row_levels == 2);
    CHECK(ndg_gather_run(&p, out, BYTES, table, index, &r) == NDG_OK);
    CHECK(!memcmp(out, want, BYTES));
}

int main(void)
{
    noise_make();
    test_sizes();
    test_types();
    test_counts();
    test_large_rows();
    test_runs();
    test_wide_tables();
    test_huge_extents();
    test_far_rows();
    test_one_bad();
    test_one_bad_wide();
    test_many_bad();
    test_no_rows();
    test_depths();
    test_depth_0();
    test_bad_components();
    test_axes();
    test_cuts();
    test_ranges_alone();
    test_outer_axes();
    test_batches_of_slices();
    return test_end(TEST_NAME);
}
