/* test_engine.c - every path of the loops that read, check and copy, against
 * plain loops over rows.
 *
 * What is done to an output is predicted for its whole block, canaries before
 * and after it, gaps between rows and all, and compared at once. Half of the
 * blocks end with the last byte of their array, for the sanitizers. No table
 * holds the bytes 0 and FRESH, so rows that are zero, untouched or right are
 * told apart. */
#ifndef TEST_NAME
#define TEST_NAME "test_engine"
#endif
#define NDGATHER_IMPLEMENTATION
#include "../../ndgather.h"

#include "../lib/test.h"
#include "../lib/oracle.h"

#define MOST   1024          /* index rows of a case */
#define DEPTH  5
#define NOISE  (1 << 20)     /* bytes of the largest table */
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static random_source dice;

static int one_in(int n) { return random_below(&dice, n) == 0; }

static ptrdiff_t some(const ptrdiff_t *of, int n)
{
    return of[random_below(&dice, n)];
}

static const ptrdiff_t edge_counts[] = {
    0, 1, 2, 3, 7, 8, 63, 64, 65, 127, 128, 129, 200, 1000
};

/* ---- bytes ---------------------------------------------------------------*/

static unsigned char noise[NOISE];

static void noise_make(void)
{
    ptrdiff_t i;
    random_fill(&dice, noise, NOISE);
    for (i = 0; i < NOISE; i++)
        if (noise[i] == 0 || noise[i] == FRESH) noise[i] ^= 0x3C;
}

static int is_all(const unsigned char *p, ptrdiff_t n, int byte)
{
    return n == 0 || (p[0] == byte && !memcmp(p, p + 1, (size_t)n - 1));
}

/* An array in memory of its own: at an address of `align` modulo 64 with margin
 * bytes or more before it, or AT_FRONT of them; margin bytes after it. */
enum { AT_FRONT = -1 };

typedef struct block {
    unsigned char *bytes, *at;
    ptrdiff_t      size;
} block;

static void *grab(ptrdiff_t n)
{
    void *p = malloc((size_t)n + !n);
    if (!p) {
        printf("out of memory\n");
        exit(2);
    }
    return p;
}

/* Where malloc will put it is guessed, from where it put the last; after two
 * wrong guesses there is room for any, and maybe more than margin behind. */
static block block_new(ptrdiff_t span, int align, ptrdiff_t margin, int byte)
{
    static uintptr_t guess;
    const uintptr_t  least = (uintptr_t)margin, want = (uintptr_t)align;
    block            b;
    uintptr_t        lead = 0;
    int              tries;
    for (tries = align == AT_FRONT ? 3 : 0; tries < 3; tries++) {
        lead = tries < 2 ? least + ((want - least - guess) & 63) : least + 63;
        b.size = (ptrdiff_t)lead + span + margin;
        b.bytes = (unsigned char *)grab(b.size);
        guess = (uintptr_t)b.bytes & 63;
        if (tries == 2 || ((guess + lead) & 63) == want) break;
        free(b.bytes);
    }
    if (tries == 2) lead = least + ((want - least - guess) & 63);
    if (tries == 3) {
        lead = least;
        b.size = margin + span + margin;
        b.bytes = (unsigned char *)grab(b.size);
    }
    b.at = b.bytes + lead;
    if (b.size) memset(b.bytes, byte, (size_t)b.size);
    return b;
}

static void block_noise(block *b, ptrdiff_t span)
{
    if (span > NOISE) exit(3);
    if (span == 0) return;
    memcpy(b->at, noise + random_bits(&dice) % (uint64_t)(NOISE - span + 1),
           (size_t)span);
}

static int random_align(int n)
{
    return one_in(4) ? AT_FRONT : random_below(&dice, n);
}

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

static void span_axis(ptrdiff_t *low, ptrdiff_t *high, ptrdiff_t extent,
                      ptrdiff_t stride)
{
    if (stride < 0) *low += (extent - 1) * stride;
    else *high += (extent - 1) * stride;
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
    if (s->exact) return;
    s->report.status = NDG_E_INDEX;
    s->report.op = s->j.op;
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

static int count_fits(const ndg_bad *got, const ndg_bad *want, int exact)
{
    if (exact) return got->count == want->count;
    return got->count >= 1 && got->count <= want->count;
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

static int64_t type_max(int type)
{
    static const int64_t max[INDEX_TYPES] = {
        INT32_MAX, INT8_MAX, INT16_MAX, INT64_MAX,
        UINT8_MAX, UINT16_MAX, UINT32_MAX, -1
    };
    return max[type];
}

static int64_t type_min(int type)
{
    static const int64_t min[INDEX_TYPES] = {
        INT32_MIN, INT8_MIN, INT16_MIN, INT64_MIN, 0, 0, 0, 0
    };
    return min[type];
}

#define BAD_KINDS 8

/* A value that extent makes bad, as far as the type can hold one. The last
 * kinds are good in their low half. */
static int64_t bad_value(int type, ptrdiff_t extent, int kind)
{
    const ptrdiff_t size = index_bytes(type);
    const int64_t   half = (int64_t)1 << (size == 8 ? 32 : 4 * size);
    int64_t         v;
    switch (kind) {
    case 0:  v = extent; break;
    case 1:  v = -1; break;
    case 2:  v = type_min(type); break;
    case 3:  v = type_max(type); break;
    case 4:  v = -(int64_t)extent - 1; break;
    case 5:  v = size > 1 ? half + 1 : extent + 1; break;
    case 6:  v = size > 1 ? -half + 1 : -2; break;
    default: v = type == NDG_U64 ? INT64_MIN + 1 : 2 * (int64_t)extent; break;
    }
    if (index_holds(type, v, type == NDG_U64 && kind != 1 && kind != 6))
        return v;
    return index_holds(type, extent, 0) ? extent : type_max(type);
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

/* ---- stitch --------------------------------------------------------------*/

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
    r->op = l->exact ? 0 : NDG_OP_DYNAMIC_STITCH;
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

/* ---- partition -----------------------------------------------------------*/

#define PARTS   1000
#define WORKERS 3

typedef struct deal {
    int       type, position_type, policy, positions;
    ptrdiff_t parts, rows, bytes, elem;
    ptrdiff_t data_row, index_row, out_row;
    ptrdiff_t margin;
    int       out_align, data_align, index_align;
    int64_t   v[MOST];
} deal;

/* The outputs lie in one block, `gap` bytes between them; so do positions. */
typedef struct dealer {
    const deal        *d;
    block              data, index, out, where;
    unsigned char     *data0, *want, *want_where;
    ptrdiff_t          count[PARTS];
    void              *outs[PARTS], *positions[PARTS];
    ptrdiff_t          limit[WORKERS * PARTS], cursor[WORKERS * PARTS];
    ndg_report         report;
    ndg_partition_plan plan;
} dealer;

static deal deal_new(int type, ptrdiff_t parts, ptrdiff_t bytes, ptrdiff_t rows)
{
    deal d;
    memset(&d, 0, sizeof d);
    d.type = type;
    d.position_type = random_below(&dice, INDEX_TYPES);
    if (index_bytes(d.position_type) == 1 && rows > 128)
        d.position_type = NDG_I32;
    d.positions = !one_in(3);
    d.parts = parts;
    d.rows = rows;
    d.bytes = d.data_row = d.out_row = bytes;
    d.elem = 1;
    d.index_row = index_bytes(type);
    d.margin = one_in(2) ? 0 : 64;
    d.out_align = random_align(64);
    d.data_align = random_align(16);
    d.index_align = random_align(8);
    return d;
}

static void deal_spread(deal *d)
{
    if (one_in(2)) d->out_row += 1 + random_below(&dice, 70);
    if (one_in(2)) d->index_row += 3;
    if (one_in(2)) d->data_row += 5;
    if (one_in(4)) d->data_row = -d->data_row;
    else if (one_in(6)) d->data_row = 0;
}

/* Ids: at random, in blocks, in turn, all the same. */
static void deal_ids(deal *d, int kind)
{
    ptrdiff_t most = d->parts, i;
    if (index_bytes(d->type) == 1 && most > 127) most = 127;
    for (i = 0; i < d->rows; i++)
        d->v[i] = kind == 0 ? random_below(&dice, (int)most)
                : kind == 1 ? i * most / d->rows
                : kind == 2 ? i % most : most - 1;
}

static int deal_holds(const deal *d, ptrdiff_t i)
{
    return d->v[i] >= 0 && d->v[i] < d->parts;
}

static void expect_bad_ids(dealer *t)
{
    const deal *d = t->d;
    ndg_bad    *b = &t->report.bad;
    ptrdiff_t   i;
    for (i = d->rows - 1; i >= 0; i--) {
        if (deal_holds(d, i)) continue;
        b->count++;
        b->position = i;
        b->value = d->v[i];
        b->is_u64 = d->type == NDG_U64 && d->v[i] < 0;
        b->extent = d->parts;
    }
    if (b->count == 0 || d->policy == NDG_DROP) return;
    t->report.status = NDG_E_INDEX;
    t->report.op = NDG_OP_DYNAMIC_PARTITION;
    t->report.operand = NDG_ARG_PARTITIONS;
}

/* Counts the parts and lays their outputs out. */
static void dealer_parts(dealer *t)
{
    const deal     *d = t->d;
    const ptrdiff_t size = index_bytes(d->position_type);
    const ptrdiff_t gap = d->margin ? 8 : 0;
    ptrdiff_t       i, k, out = 0, where = 0;
    memset(t->count, 0, sizeof t->count);
    for (i = 0; i < d->rows; i++)
        if (deal_holds(d, i)) t->count[d->v[i]]++;
    for (k = 0; k < d->parts; k++) {
        out += t->count[k] * d->out_row + gap;
        where += t->count[k] * size + gap;
    }
    t->out = block_new(out, d->out_align, d->margin, FRESH);
    t->where = block_new(where, d->index_align, d->margin, FRESH);
    for (k = out = where = 0; k < d->parts; k++) {
        t->outs[k] = t->out.at + out;
        t->positions[k] = t->where.at + where;
        out += t->count[k] * d->out_row + gap;
        where += t->count[k] * size + gap;
    }
}

static void expect_deal(dealer *t)
{
    const deal *d = t->d;
    ptrdiff_t   at[PARTS] = { 0 }, i;
    t->want = (unsigned char *)grab(t->out.size);
    t->want_where = (unsigned char *)grab(t->where.size);
    if (t->out.size) memset(t->want, FRESH, (size_t)t->out.size);
    if (t->where.size) memset(t->want_where, FRESH, (size_t)t->where.size);
    for (i = 0; i < d->rows; i++) {
        const int64_t k = d->v[i];
        if (!deal_holds(d, i)) continue;
        memcpy(t->want + ((unsigned char *)t->outs[k] - t->out.bytes)
               + at[k] * d->out_row, t->data0 + i * d->data_row,
               (size_t)d->bytes);
        if (d->positions)
            index_put(t->want_where
                      + ((unsigned char *)t->positions[k] - t->where.bytes)
                      + at[k] * index_bytes(d->position_type),
                      d->position_type, i);
        at[k]++;
    }
}

static void dealer_desc(const deal *d, ndg_partition_desc *desc)
{
    ptrdiff_t dims[2], strides[2];
    dims[0] = d->rows;
    dims[1] = d->bytes / d->elem;
    strides[0] = d->data_row;
    strides[1] = d->elem;
    memset(desc, 0, sizeof *desc);
    desc->data = ndg_dims(2, dims, strides);
    desc->partitions = ndg_strided1(d->rows, d->index_row);
    desc->out_stride = d->out_row == d->bytes ? 0 : d->out_row;
    desc->elem_size = d->elem;
    desc->num_partitions = d->parts;
    desc->index_type = d->type;
    desc->position_type = d->position_type;
    desc->policy = d->policy;
}

static void dealer_make(dealer *t, const deal *d)
{
    const ptrdiff_t    size = index_bytes(d->type);
    ndg_partition_desc desc;
    ptrdiff_t          low = 0, high = d->bytes, i;
    t->d = d;
    span_axis(&low, &high, d->rows, d->data_row);
    t->data = block_new(high - low, d->data_align, d->margin, 0);
    block_noise(&t->data, high - low);
    t->data0 = t->data.at - low;
    t->index = block_new((d->rows - 1) * d->index_row + size, d->index_align,
                         d->margin, one_in(2) ? 0 : 0xFF);
    for (i = 0; i < d->rows; i++)
        index_put(t->index.at + i * d->index_row, d->type, d->v[i]);
    memset(&t->report, 0, sizeof t->report);
    dealer_parts(t);
    expect_bad_ids(t);
    expect_deal(t);
    dealer_desc(d, &desc);
    CHECK(ndg_plan_partition(&t->plan, &desc, 0) == NDG_OK);
}

static void dealer_free(dealer *t)
{
    free(t->data.bytes);
    free(t->index.bytes);
    free(t->out.bytes);
    free(t->where.bytes);
    free(t->want);
    free(t->want_where);
}

static void deal_failed(const deal *d, const char *what)
{
    CHECKF(0, "partition, %s: %s, %s positions %d, policy %d; %ld rows of %ld"
           " bytes to %ld parts; apart %ld %ld; aligned %d %d %d, margin %ld",
           what, index_name(d->type), index_name(d->position_type),
           d->positions, d->policy, (long)d->rows, (long)d->bytes,
           (long)d->parts, (long)d->data_row, (long)d->out_row, d->out_align,
           d->data_align, d->index_align, (long)d->margin);
}

static void dealer_fresh(dealer *t)
{
    if (t->out.size) memset(t->out.bytes, FRESH, (size_t)t->out.size);
    if (t->where.size) memset(t->where.bytes, FRESH, (size_t)t->where.size);
}

/* After an error, places may be as they were, a row and its position each. */
static void forgive_deal(dealer *t)
{
    const deal     *d = t->d;
    const ptrdiff_t size = index_bytes(d->position_type);
    ptrdiff_t       k, i;
    for (k = 0; k < d->parts; k++)
        for (i = 0; i < t->count[k]; i++) {
            unsigned char  *row = (unsigned char *)t->outs[k] + i * d->out_row;
            unsigned char  *p = (unsigned char *)t->positions[k] + i * size;
            if (is_all(row, d->bytes, FRESH))
                memcpy(row, t->want + (row - t->out.bytes), (size_t)d->bytes);
            if (d->positions && is_all(p, size, FRESH))
                memcpy(p, t->want_where + (p - t->where.bytes), (size_t)size);
        }
}

static void dealer_judge(dealer *t, const ndg_report *r)
{
    const int bad = t->report.status == NDG_E_INDEX;
    int       good;
    if (t->report.status) forgive_deal(t);
    good = !memcmp(t->out.bytes, t->want, (size_t)t->out.size)
        && !memcmp(t->where.bytes, t->want_where, (size_t)t->where.size);
    if (good) CHECK(1);
    else deal_failed(t->d, "bytes");
    good = report_same(r, &t->report, 0)
        && count_fits(&r->bad, &t->report.bad, !bad);
    if (good) CHECK(1);
    else deal_failed(t->d, report_text(r));
}

/* Counts of the ranges cut[0] ... cut[n], made into limits. */
static void dealer_count(dealer *t, const ptrdiff_t *cut, int n)
{
    const deal *d = t->d;
    ndg_report  sum = NDG_ZERO_INIT, r;
    ptrdiff_t  *count = t->limit, i, k;
    int         w, good = 1;
    for (w = 0; w < n; w++, count += d->parts) {
        r = report_stale();
        ndg_partition_count(&t->plan, t->index.at, cut[w], cut[w + 1], count,
                            &r);
        ndg_report_merge(&sum, &r);
        for (i = cut[w]; i < cut[w + 1]; i++)
            if (deal_holds(d, i)) count[d->v[i]]--;
        for (k = 0; k < d->parts; k++) good = good && count[k] == 0;
        for (i = cut[w]; i < cut[w + 1]; i++)
            if (deal_holds(d, i)) count[d->v[i]]++;
    }
    if (good && report_same(&sum, &t->report, 1)) CHECK(1);
    else deal_failed(d, "count");
    ndg_partition_starts(t->limit, t->cursor, n, d->parts);
}

static void dealer_ranges(dealer *t, const ptrdiff_t *cut, int n, int backward)
{
    const ptrdiff_t parts = t->d->parts;
    void *const    *positions = t->d->positions ? t->positions : 0;
    ndg_report      sum = NDG_ZERO_INIT, r;
    int             w, k;
    dealer_fresh(t);
    dealer_count(t, cut, n);
    for (k = 0; k < n; k++) {
        w = backward ? n - 1 - k : k;
        r = report_stale();
        if (ndg_partition_run_range(&t->plan, t->outs, positions, t->data0,
                                    t->index.at, cut[w], cut[w + 1],
                                    t->cursor + w * parts,
                                    t->limit + w * parts, &r) != r.status)
            deal_failed(t->d, "status");
        ndg_report_merge(&sum, &r);
    }
    if (!sum.status && memcmp(t->cursor, t->limit, (size_t)n * (size_t)parts
                              * sizeof *t->cursor))
        deal_failed(t->d, "cursors");
    dealer_judge(t, &sum);
}

static void dealer_run(dealer *t)
{
    const deal  *d = t->d;
    void *const *positions = d->positions ? t->positions : 0;
    ndg_report   r = report_stale();
    int          good;
    dealer_fresh(t);
    ndg_partition_run(&t->plan, t->outs, positions, t->data0, t->index.at,
                      d->rows, t->count, t->cursor, &r);
    good = r.status || !memcmp(t->cursor, t->count,
                               (size_t)d->parts * sizeof *t->cursor);
    if (!good) deal_failed(d, "cursors");
    dealer_judge(t, &r);
}

static void dealer_one_call(dealer *t)
{
    const deal        *d = t->d;
    ndg_partition_desc desc;
    ndg_report         r = report_stale();
    dealer_fresh(t);
    dealer_desc(d, &desc);
    ndg_dynamic_partition(t->outs, d->positions ? t->positions : 0, t->count,
                          t->cursor, t->data0, t->index.at, &desc, &r);
    if (memcmp(t->cursor, t->count, (size_t)d->parts * sizeof *t->cursor))
        deal_failed(d, "counts");
    dealer_judge(t, &r);
}

static dealer the_dealer;

static void deal_check(const deal *d, int cuts)
{
    dealer   *t = &the_dealer;
    ptrdiff_t cut[4] = { 0, 0, 0, 0 }, at;
    dealer_make(t, d);
    dealer_run(t);
    if (one_in(4)) dealer_one_call(t);
    for (at = 0; at <= d->rows; at++) {
        if (!cuts) at = random_below(&dice, (int)d->rows + 1);
        cut[1] = at;
        cut[2] = d->rows;
        dealer_ranges(t, cut, 2, at & 1);
        if (!cuts) break;
        cut[2] = at + random_below(&dice, (int)(d->rows - at) + 1);
        cut[3] = d->rows;
        if (at % 7 == 0) dealer_ranges(t, cut, 3, one_in(2));
    }
    dealer_free(t);
}

static const ptrdiff_t part_counts[] = { 1, 2, 3, 8, 64, 65, 256, 1000 };
static const ptrdiff_t deal_rows[] = { 1, 7, 63, 64, 65, 127, 128, 129, 200 };

/* Rows of every size to few parts and to many. */
static void test_partition_sizes(void)
{
    int s, i;
    for (s = 1; s <= 300; s++)
        for (i = 0; i < 24; i++) {
            deal d = deal_new((i + s) % INDEX_TYPES,
                              part_counts[i % (i < 20 ? 5 : 8)], s,
                              deal_rows[(i / 2 + s) % COUNT(deal_rows)]);
            d.out_align = (24 * s + i) % 64;
            d.elem = s % 8 == 0 && one_in(2) ? 8 : 1;
            deal_ids(&d, (i + s / 3) % 4);
            if (one_in(3)) deal_spread(&d);
            deal_check(&d, 0);
        }
}

/* Every number of parts with every type of id and of position. */
static void test_partition_types(void)
{
    static const ptrdiff_t sizes[] = { 1, 4, 8, 12, 16, 20, 32, 64 };
    int p, type, position;
    for (p = 0; p < COUNT(part_counts); p++)
        for (type = 0; type < INDEX_TYPES; type++)
            for (position = 0; position < INDEX_TYPES; position++) {
                const int small = index_bytes(position) == 1;
                deal d = deal_new(type, part_counts[p],
                                  sizes[(p + type + position) % 8],
                                  small ? 128 : type % 2 ? 1000 : 321);
                d.position_type = position;
                d.positions = 1;
                deal_ids(&d, (type + position) % 4);
                deal_check(&d, 0);
            }
}

static void test_partition_bad(void)
{
    static const int policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP };
    int              at, kind, p;
    for (at = 0; at < 200; at++)
        for (kind = 0; kind < 4; kind++)
            for (p = 0; p < 3; p++) {
                deal d = deal_new((at + p) % INDEX_TYPES,
                                  part_counts[(at + kind) % 6],
                                  1 + random_below(&dice, 40), 200);
                d.policy = policies[p];
                deal_ids(&d, at % 4);
                d.v[at] = bad_value(d.type, d.parts, kind + 4 * (at & 1));
                if (one_in(3))
                    d.v[at / 2] = bad_value(d.type, d.parts, kind);
                deal_check(&d, 0);
            }
}

/* Small ones in all cuts, dropped rows among them. */
static void test_partition_cuts(void)
{
    static const int policies[] = { NDG_DEFAULT, NDG_DROP, NDG_ASSUME_VALID };
    int              i;
    for (i = 0; i < 60; i++) {
        deal d = deal_new(i % INDEX_TYPES, part_counts[i % 5],
                          1 + random_below(&dice, 80), 66 + i % 70);
        d.policy = policies[i % 3];
        deal_ids(&d, i / 3 % 4);
        if (i & 1) deal_spread(&d);
        if (i % 3 == 1)
            d.v[i] = bad_value(d.type, d.parts, i / 3 % BAD_KINDS);
        deal_check(&d, 1);
    }
}

/* One part too small by a row: no row is written past its end. */
static void test_partition_full(void)
{
    dealer   *t = &the_dealer;
    ptrdiff_t i, k, row;
    int       round;
    for (round = 0; round < 600; round++) {
        deal       d = deal_new(round % INDEX_TYPES, part_counts[round % 5],
                                1 + round % 100, 200);
        ndg_report r = report_stale();
        deal_ids(&d, round % 4);
        k = (ptrdiff_t)d.v[random_below(&dice, 200)];
        dealer_make(t, &d);
        for (i = row = 0; i < d.rows; i++) if (d.v[i] == k) row = i;
        i = t->count[k] - 1;
        memset(t->want + ((unsigned char *)t->outs[k] - t->out.bytes)
               + i * d.out_row, FRESH, (size_t)d.bytes);
        if (d.positions)
            memset(t->want_where
                   + ((unsigned char *)t->positions[k] - t->where.bytes)
                   + i * index_bytes(d.position_type), FRESH,
                   (size_t)index_bytes(d.position_type));
        t->count[k] = i;
        ndg_partition_run(&t->plan, t->outs, d.positions ? t->positions : 0,
                          t->data0, t->index.at, d.rows, t->count, t->cursor,
                          &r);
        t->report.status = NDG_E_CAPACITY;
        t->report.op = NDG_OP_DYNAMIC_PARTITION;
        t->report.operand = NDG_ARG_OUT;
        t->report.item = k;
        t->report.value = i;
        t->report.bound = i + 1;
        dealer_judge(t, &r);
        dealer_free(t);
    }
}

int main(void)
{
    int i;
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
    test_stitch_sizes();
    test_stitch_bad();
    test_stitch_cuts();
    for (i = 0; i < 20; i++) test_stitch_slices();
    test_partition_sizes();
    test_partition_types();
    test_partition_bad();
    test_partition_cuts();
    test_partition_full();
    return test_end(TEST_NAME);
}
