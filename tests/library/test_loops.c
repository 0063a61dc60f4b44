/* test_loops.c - the loops of the fast engine, one test each and named after
 * it, with inputs known to reach that loop, against plain loops over rows.
 *
 * A case compares the whole block of an output, canaries before and after it
 * and between its rows and all, and the whole report. Tables hold neither 0 nor
 * FRESH, so rows that are zero, untouched or right are told apart. What is
 * expected is what ndgather.h promises; only which inputs reach which loop is
 * taken from its private parts. tests/mutation shows that each loop is in fact
 * looked after. Run with the name of one test, it runs just that. */
#ifndef TEST_NAME
#define TEST_NAME "test_loops"
#endif
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/test.h"
#include "../lib/arrays.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define MARGIN 64              /* canaries on each side of an output */
#define VALUES 40000           /* indices of a case */
#define NOISE  (5 << 18)       /* bytes of the largest table: over 1 MiB */
#define DEEP   4               /* components of an index row */
#define PARTS  300             /* parts of a partition */

static int64_t     value[VALUES];      /* the indices of the case at hand */
static const char *test;
static int         cases;

/* ---- bytes and numbers ---------------------------------------------------*/

static random_source dice = { 1 };

/* 0 ... n-1 */
static int64_t some(int64_t n)
{
    return (int64_t)(random_bits(&dice) % (uint64_t)n);
}

static unsigned char noise[NOISE];

static void noise_make(void)
{
    ptrdiff_t i;
    for (i = 0; i < NOISE; i++) {
        noise[i] = (unsigned char)(1 + some(255));
        if (noise[i] == FRESH) noise[i] = 1;
    }
}

static void *grab(ptrdiff_t n)
{
    void *p = malloc((size_t)n + !n);
    if (!p) {
        printf("out of memory\n");
        exit(2);
    }
    return p;
}

/* span bytes of noise, exact to the byte. */
static unsigned char *table_new(ptrdiff_t span)
{
    unsigned char *p = (unsigned char *)grab(span);
    if (span > NOISE) exit(3);
    memcpy(p, noise + some(NOISE - span + 1), (size_t)span);
    return p;
}

/* An output of span bytes at `align` modulo 64 between canaries, and what is
 * expected in all of its bytes. */
typedef struct block {
    unsigned char *bytes, *at, *want, *want_at;
    ptrdiff_t      size;
} block;

static void block_clear(block *b)
{
    memset(b->bytes, FRESH, (size_t)b->size);
}

static block block_new(ptrdiff_t span, int align)
{
    block     b;
    ptrdiff_t lead;
    b.size = span + 2 * MARGIN + 63;
    b.bytes = (unsigned char *)grab(b.size);
    b.want = (unsigned char *)grab(b.size);
    lead = MARGIN + (ptrdiff_t)(((uintptr_t)align - (uintptr_t)b.bytes) & 63);
    b.at = b.bytes + lead;
    b.want_at = b.want + lead;
    block_clear(&b);
    memset(b.want, FRESH, (size_t)b.size);
    return b;
}

/* Whether the block is as expected; after an error, good rows may be missing:
 * what was there before may be found, too, which may be zeroes. */
static int block_right(const block *b, int error, int zeroed)
{
    ptrdiff_t i;
    if (!error) return !memcmp(b->bytes, b->want, (size_t)b->size);
    for (i = 0; i < b->size; i++)
        if (b->bytes[i] != b->want[i] && b->bytes[i] != FRESH
            && !(zeroed && b->bytes[i] == 0)) return 0;
    return 1;
}

static void block_free(block *b)
{
    free(b->bytes);
    free(b->want);
}

static int divisor(ptrdiff_t bytes)      /* the largest up to 16 */
{
    int d = 16;
    while (bytes % d) d--;
    return d;
}

/* ---- indices -------------------------------------------------------------*/

static const int types[] = { NDG_I32, NDG_I8, NDG_I16, NDG_I64, NDG_U8,
                             NDG_U16, NDG_U32, NDG_U64 };

static int is_signed(int type) { return type < NDG_U8; }

/* The largest number of a type; of NDG_U64 its bits. */
static int64_t high(int type)
{
    static const int64_t most[8] = {
        INT32_MAX, INT8_MAX, INT16_MAX, INT64_MAX, UINT8_MAX, UINT16_MAX,
        UINT32_MAX, -1
    };
    return most[type];
}

static int64_t low(int type) { return is_signed(type) ? -high(type) - 1 : 0; }

/* A good index. */
static int64_t good_value(int type, int ends, ptrdiff_t extent)
{
    const int64_t most = type == NDG_U64 ? INT64_MAX : high(type);
    int64_t       v = some(extent - 1 < most ? extent : most + 1);
    if (ends && is_signed(type) && some(2)) v = -1 - v;
    return v;
}

/* A bad one: by turns below, just above, the largest there is, the smallest;
 * where a type cannot name so many, the only one it can, if any. */
static int64_t bad_value(int type, int ends, ptrdiff_t extent, int turn)
{
    if (type != NDG_U64 && extent >= high(type))
        return is_signed(type) ? -1 : 0;
    switch (turn & 3) {
    case 0:  return !is_signed(type) ? high(type) : ends ? -extent - 1 : -1;
    case 1:  return extent;
    case 2:  return high(type);
    default: return is_signed(type) ? low(type) : extent + 1;
    }
}

/* Where v leads: 0 ... extent-1, or -1 for nowhere. */
static ptrdiff_t place(int64_t v, int type, ptrdiff_t extent, int policy,
                       int negative, int *bad)
{
    const int big = type == NDG_U64 && v < 0;
    int64_t   m;
    if (!big && v < 0 && negative == NDG_NEGATIVE_FROM_END) v += extent;
    if (!big && v >= 0 && v < extent) return (ptrdiff_t)v;
    *bad = 1;
    if (extent == 0) return -1;
    if (policy == NDG_CLIP) return !big && v < 0 ? 0 : extent - 1;
    if (policy != NDG_WRAP) return -1;
    if (big) return (ptrdiff_t)((uint64_t)v % (uint64_t)extent);
    m = v % extent;
    return (ptrdiff_t)(m < 0 ? m + extent : m);
}

static void note_bad(ndg_report *r, int op, ptrdiff_t list, ptrdiff_t position,
                     int k, int64_t v, int type, ptrdiff_t extent)
{
    r->op = op;
    if (r->bad.count++) return;
    r->bad.list = list;
    r->bad.position = position;
    r->bad.component = k;
    r->bad.is_u64 = type == NDG_U64 && v < 0;
    r->bad.value = v;
    r->bad.extent = extent;
}

static int is_error(int policy)
{
    return policy == NDG_DEFAULT || policy == NDG_ERROR;
}

static void refuse(ndg_report *r, int op, int operand)
{
    r->status = NDG_E_INDEX;
    r->op = op;
    r->operand = operand;
}

/* That a report is the one expected; `exact`: also the count of bad rows. */
static void report_check(const ndg_report *r, const ndg_report *w, int exact,
                         const char *what)
{
    const int same = r->status == w->status && r->op == w->op
        && r->operand == w->operand && r->axis == w->axis
        && r->item == w->item && r->value == w->value && r->bound == w->bound
        && r->rows.holes == 0 && r->rows.duplicates == 0;
    CHECKF(same, "%s, case %d: %s says status %d op %d operand %d item %ld %ld"
           " %ld, not %d %d %d %ld %ld %ld", test, cases, what, r->status,
           r->op, r->operand, (long)r->item, (long)r->value, (long)r->bound,
           w->status, w->op, w->operand, (long)w->item, (long)w->value,
           (long)w->bound);
    CHECKF(exact ? r->bad.count == w->bad.count
                 : 0 < r->bad.count && r->bad.count <= w->bad.count,
           "%s, case %d: %s counts %ld bad, not %ld", test, cases, what,
           (long)r->bad.count, (long)w->bad.count);
    if (w->bad.count == 0 || r->bad.count == 0) return;
    CHECKF(r->bad.list == w->bad.list && r->bad.position == w->bad.position
           && r->bad.component == w->bad.component
           && r->bad.is_u64 == w->bad.is_u64 && r->bad.value == w->bad.value
           && r->bad.extent == w->bad.extent,
           "%s, case %d: %s names bad %ld, %ld, %d: %ld for %ld, not %ld, %ld,"
           " %d: %ld for %ld", test, cases, what, (long)r->bad.list,
           (long)r->bad.position, r->bad.component, (long)r->bad.value,
           (long)r->bad.extent, (long)w->bad.list, (long)w->bad.position,
           w->bad.component, (long)w->bad.value, (long)w->bad.extent);
}

static void bytes_check(const block *b, int error, int zeroed,
                        const char *what)
{
    CHECKF(block_right(b, error, zeroed), "%s, case %d: %s writes other bytes",
           test, cases, what);
}

/* ---- gathers -------------------------------------------------------------*/

/* table [batches, lines, outer, extent..., elems], indices [batches, lines, n,
 * depth], out [batches, lines, outer, n, elems]; its rows are numbered over
 * batches, lines and n. Outer is 1 unless the depth is. */
typedef struct gather {
    int       type, policy, negative, depth;
    ptrdiff_t batches, lines, n, outer, extent[DEEP], elems, elem;
    ptrdiff_t first, last;              /* the range that is run */
    ptrdiff_t from_gap, to_gap;         /* bytes between elements */
    ptrdiff_t from_pad, to_pad, at_pad; /* between rows, and index rows */
    ptrdiff_t line_pad, batch_pad;      /* between lines and batches of out */
    ptrdiff_t at_line_pad;              /* between lines of indices */
    int       from_planes, to_planes;   /* each element in a plane of its own */
    int       from_back;                /* the table's last row lies first */
    int       flat;                     /* bit k: component k is not looked
                                           at, all that it names is the same */
    ptrdiff_t part_pad;                 /* between the rows of component 0 */
    int       at_back, at_planes;       /* likewise, of indices; components */
    int       align;                    /* of out */
    int       unchosen;                 /* as if the plan were made by hand */

    ptrdiff_t from_batch, from_line, from_outer, stride[DEEP], from_elem;
    ptrdiff_t to_batch, to_line, to_outer, to_row, to_elem;
    ptrdiff_t at_batch, at_line, at_row, at_part;
} gather;

/* n packed rows of `bytes` bytes from a packed table of `rows`, by good
 * indices. */
static gather gather_new(int type, ptrdiff_t rows, ptrdiff_t bytes,
                         ptrdiff_t n)
{
    gather g;
    int    k;
    memset(&g, 0, sizeof g);
    g.type = type;
    g.depth = 1;
    g.batches = g.lines = g.outer = 1;
    g.n = g.last = n;
    for (k = 0; k < DEEP; k++) g.extent[k] = rows;
    g.elem = divisor(bytes);
    g.elems = bytes / g.elem;
    return g;
}

static ptrdiff_t rows_of(const gather *g)
{
    return g->batches * g->lines * g->n;
}

static void good_values(gather *g)
{
    ptrdiff_t i;
    g->last = rows_of(g);
    if (g->last * g->depth > VALUES) exit(4);
    for (i = 0; i < g->last * g->depth; i++)
        value[i] = good_value(g->type, g->negative,
                              g->extent[i % g->depth]);
}

/* Makes component k of a row bad. */
static void spoil(const gather *g, ptrdiff_t row, int k, int turn)
{
    value[row * g->depth + k] = bad_value(g->type, g->negative, g->extent[k],
                                          turn);
}

static void gather_lay_out(gather *g)
{
    const ptrdiff_t size = index_bytes(g->type);
    ptrdiff_t       step;
    int             k;
    g->from_elem = g->elem + g->from_gap;
    step = (g->from_planes ? g->elem : g->from_elem * g->elems) + g->from_pad;
    for (k = g->depth - 1; k >= 0; k--) {
        if (k == 0 && g->depth > 1) step += g->part_pad;
        g->stride[k] = g->flat >> k & 1 ? 0 : step;
        if (g->stride[k]) step *= g->extent[k];
    }
    if (g->from_planes) {
        g->from_elem = step;
        step *= g->elems;
    }
    g->from_outer = step;
    g->from_line = step * g->outer;
    g->from_batch = g->from_line * g->lines;
    g->to_elem = g->elem + g->to_gap;
    g->to_row = (g->to_planes ? g->elem : g->to_elem * g->elems) + g->to_pad;
    g->to_outer = g->to_row * g->n;
    if (g->to_planes) {
        g->to_elem = g->to_outer;
        g->to_outer *= g->elems;
    }
    g->to_line = g->to_outer * g->outer + g->line_pad;
    g->to_batch = g->to_line * g->lines + g->batch_pad;
    g->at_row = (g->at_planes ? size : size * g->depth) + g->at_pad;
    g->at_part = g->at_planes ? g->at_row * g->n : size;
    g->at_line = g->at_row * g->n * (g->at_planes ? g->depth : 1)
               + g->at_line_pad;
    g->at_batch = g->at_line * g->lines;
    if (g->at_back) g->at_row = -g->at_row;
    if (g->from_back) g->stride[0] = -g->stride[0];
}

static ptrdiff_t to_offset(const gather *g, ptrdiff_t row, ptrdiff_t o)
{
    const ptrdiff_t line = row / g->n;
    return line / g->lines * g->to_batch + line % g->lines * g->to_line
         + o * g->to_outer + row % g->n * g->to_row;
}

static ptrdiff_t at_offset(const gather *g, ptrdiff_t row, int k)
{
    const ptrdiff_t line = row / g->n;
    return line / g->lines * g->at_batch + line % g->lines * g->at_line
         + row % g->n * g->at_row + k * g->at_part;
}

static const unsigned char fill[16] = {
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF6, 0xF7, 0xF8,
    0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE6, 0xE7, 0xE8
};
static const unsigned char zeroes[4096];

/* The plain loop: what becomes of out, and what is said. */
static void gather_expect(const gather *g, const unsigned char *table,
                          const block *out, ndg_report *w)
{
    const int op = g->depth == 1 ? NDG_OP_GATHER : NDG_OP_GATHER_ND;
    ptrdiff_t row, o, e;
    memset(w, 0, sizeof *w);
    for (row = g->first; row < g->last; row++) {
        const ptrdiff_t line = row / g->n;
        ptrdiff_t       from = line / g->lines * g->from_batch
                             + line % g->lines * g->from_line;
        int             k, found = 1, any = 0;
        for (k = 0; k < g->depth; k++) {
            const int64_t   v = value[row * g->depth + k];
            int             bad = 0;
            const ptrdiff_t p = place(v, g->type, g->extent[k], g->policy,
                                      g->negative, &bad);
            if (p < 0) found = 0;
            else from += p * g->stride[k];
            if (bad && !any++)
                note_bad(w, op, 0, row, k, v, g->type, g->extent[k]);
        }
        if (!found && g->policy != NDG_ZERO && g->policy != NDG_FILL
            && g->policy != NDG_KEEP)
            refuse(w, op, NDG_ARG_INDICES);
        for (o = 0; o < g->outer; o++)
            for (e = 0; e < g->elems; e++) {
                unsigned char *to = out->want_at + to_offset(g, row, o)
                                  + e * g->to_elem;
                if (found)
                    memcpy(to, table + from + o * g->from_outer
                           + e * g->from_elem, (size_t)g->elem);
                else if (g->policy == NDG_ZERO)
                    memcpy(to, zeroes, (size_t)g->elem);
                else if (g->policy == NDG_FILL)
                    memcpy(to, fill, (size_t)g->elem);
            }
    }
}

static void gather_plan(const gather *g, ndg_gather_plan *p)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;
    ptrdiff_t       dims[3][8], steps[3][8];
    int             k, n = 0, m = 0, q = 0, status;
#define AXIS(a, rank, extent, step) \
    (dims[a][rank] = (extent), steps[a][(rank)++] = (step))
    AXIS(0, n, g->batches, g->from_batch);
    AXIS(1, m, g->batches, g->at_batch);
    AXIS(2, q, g->batches, g->to_batch);
    AXIS(0, n, g->lines, g->from_line);
    AXIS(1, m, g->lines, g->at_line);
    AXIS(2, q, g->lines, g->to_line);
    if (g->depth == 1) {
        AXIS(0, n, g->outer, g->from_outer);
        AXIS(2, q, g->outer, g->to_outer);
    }
    for (k = 0; k < g->depth; k++) AXIS(0, n, g->extent[k], g->stride[k]);
    AXIS(1, m, g->n, g->at_row);
    AXIS(2, q, g->n, g->to_row);
    if (g->depth != 1) AXIS(1, m, g->depth, g->at_part);
    AXIS(0, n, g->elems, g->from_elem);
    AXIS(2, q, g->elems, g->to_elem);
    d.params = ndg_dims(n, dims[0], steps[0]);
    d.indices = ndg_dims(m, dims[1], steps[1]);
    d.out = ndg_dims(q, dims[2], steps[2]);
    d.elem_size = g->elem;
    d.index_type = g->type;
    d.batch_dims = 2;
    d.axis = g->depth == 1 ? 3 : 0;
    d.policy = g->policy;
    d.negative = g->negative;
    memcpy(d.fill, fill, sizeof d.fill);
    status = g->depth == 1 ? ndg_plan_gather(p, &d, &r)
                           : ndg_plan_gather_nd(p, &d, &r);
    CHECKF(status == NDG_OK, "%s, case %d: plan %d, operand %d, axis %d", test,
           cases, status, r.operand, r.axis);
    if (g->unchosen) memset(&p->loop, 0, sizeof p->loop);
}

/* Whether ndg_gather_rows can say it, too. */
static int is_rows(const gather *g)
{
    return g->depth == 1 && g->batches * g->lines * g->outer == 1
        && g->from_gap + g->to_gap + g->to_pad + g->at_pad == 0
        && !g->from_planes && !g->to_planes && !g->from_back && !g->at_back
        && !g->flat
        && g->policy != NDG_FILL && g->negative == NDG_NEGATIVE_BAD
        && g->first == 0 && g->last == g->n;
}

/* One case: a run, a check and, where it can, ndg_gather_rows. */
static void gather_check(gather *g)
{
    ndg_gather_plan p;
    ndg_report      r, w;
    block           out;
    unsigned char  *table, *indices, *params, *at;
    ptrdiff_t       span = g->elem, first = 0, index_span, bytes, row;
    int             k, error;
    cases++;
    gather_lay_out(g);
    span += (g->elems - 1) * g->from_elem + (g->batches - 1) * g->from_batch
          + (g->lines - 1) * g->from_line + (g->outer - 1) * g->from_outer;
    for (k = 0; k < g->depth; k++) {
        const ptrdiff_t reach = (g->extent[k] - 1) * g->stride[k];
        if (reach < 0) first = -reach;
        span += reach < 0 ? -reach : reach;
    }
    for (k = 0; k < g->depth; k++)
        if (g->extent[k] == 0) span = 0;
    table = table_new(span);
    params = table + first;
    index_span = (g->batches - 1) * g->at_batch + (g->lines - 1) * g->at_line
        + (g->n - 1) * (g->at_back ? -g->at_row : g->at_row)
        + (g->depth - 1) * g->at_part + index_bytes(g->type);
    indices = (unsigned char *)grab(g->depth ? index_span : 0);
    if (g->depth) memset(indices, 0, (size_t)index_span);
    at = indices + (g->at_back ? -(g->n - 1) * g->at_row : 0);
    for (row = 0; row < rows_of(g); row++)
        for (k = 0; k < g->depth; k++)
            index_put(at + at_offset(g, row, k), g->type,
                  value[row * g->depth + k]);
    bytes = to_offset(g, rows_of(g) - 1, g->outer - 1)
          + (g->elems - 1) * g->to_elem + g->elem;
    out = block_new(bytes, g->align);
    gather_expect(g, params, &out, &w);
    error = w.status != 0;
    gather_plan(g, &p);
    ndg_gather_run_range(&p, out.at, bytes, params, at, g->first, g->last, &r);
    report_check(&r, &w, !error, "run");
    bytes_check(&out, error, 0, "run");
    ndg_gather_check(&p, at, g->first, g->last, &r);
    report_check(&r, &w, 1, "check");
    if (is_rows(g)) {
        block_clear(&out);
        ndg_gather_rows(out.at, bytes, params, g->extent[0],
                        g->elem * g->elems, g->stride[0], at, g->type, g->n,
                        g->policy, &r);
        if (w.bad.count) w.op = NDG_OP_GATHER_ROWS;
        report_check(&r, &w, !error, "rows");
        bytes_check(&out, error, 0, "rows");
    }
    block_free(&out);
    free(table);
    free(indices);
    if (g->from_back) g->stride[0] = -g->stride[0];
}

/* Rows of each kind: as one constant, in two pieces. */
static const ptrdiff_t kinds[] = { 1, 2, 4, 8, 16, 3, 7, 12, 31, 40, 64, 65,
                                   128 };

static void test_packed(void)
{
    static const ptrdiff_t counts[] = { 1, 3, 4, 6, 64 };
    int i, t, c, b;
    for (i = 0; i < COUNT(kinds); i++)
        for (t = 0; t < COUNT(types); t++) {
            for (c = 0; c < COUNT(counts); c++) {
                gather g = gather_new(types[t], 100, kinds[i], counts[c]);
                good_values(&g);
                gather_check(&g);
                g.from_pad = 5;
                g.first = counts[c] / 2;
                gather_check(&g);
            }
            for (b = 0; b < 9; b++) {
                gather g = gather_new(types[t], 100, kinds[i], 9);
                g.policy = b & 1 ? NDG_ERROR : NDG_DEFAULT;
                good_values(&g);
                spoil(&g, b, 0, b + i);
                gather_check(&g);
            }
        }
    for (t = 0; t < COUNT(types); t++) {      /* all that a type can say */
        gather g = gather_new(types[t], 300, 4, 200);
        good_values(&g);
        gather_check(&g);
        value[150] = is_signed(g.type) ? -1 : 0;
        gather_check(&g);
    }
}

/* Tables of about as many rows as an index type can name: by a loop for rows
 * in one piece, and by chunks; also from the end. */
static void test_limit(void)
{
    static const ptrdiff_t extents[] = { 126, 127, 128, 129, 254, 255, 256,
                                         257, 32767, 32768, 65535, 65536 };
    int t, e, p, depth, form;
    for (t = 0; t < COUNT(types); t++)
        for (e = 0; e < COUNT(extents); e++)
            for (p = 0; p < 3; p++)
                for (depth = 1; depth < 4; depth++)
                    for (form = 0; form < 6; form++) {
                        gather    g = gather_new(types[t], 1, 4, 90);
                        const int k = depth - 1;
                        g.depth = depth;
                        g.extent[k] = extents[e];
                        if (form % 3 == 2) g.elem = g.elems = g.from_gap = 2;
                        g.to_pad = form % 3 == 1;
                        if (form > 2) g.negative = NDG_NEGATIVE_FROM_END;
                        g.policy = p == 0 ? NDG_ERROR : p == 1 ? NDG_KEEP
                                                               : NDG_CLIP;
                        good_values(&g);
                        value[50 * depth + k] = high(g.type);
                        value[60 * depth + k] = low(g.type);
                        value[70 * depth + k] = g.extent[k] - 1 < high(g.type)
                                              ? g.extent[k] - 1 : 0;
                        if (p > 0 && depth > 1) value[10 * depth] = 5;
                        gather_check(&g);
                    }
}

/* Rows that are copied by a call each. */
static void test_packed_calls(void)
{
    static const ptrdiff_t sizes[] = { 129, 200, 1000 };
    int i, t, b;
    for (i = 0; i < COUNT(sizes); i++)
        for (t = 0; t < COUNT(types); t++)
            for (b = 0; b < 5; b++) {
                gather g = gather_new(types[t], 60, sizes[i], 20);
                good_values(&g);
                g.from_pad = b & 1;
                if (b > 1) spoil(&g, 3 * b, 0, b);
                gather_check(&g);
            }
}

static const int soft[] = { NDG_ZERO, NDG_FILL, NDG_KEEP, NDG_CLIP, NDG_WRAP,
                            NDG_ERROR, NDG_DEFAULT };

/* Of these, the policies under which bad rows do not end a run; less WRAP,
 * which test_placed is for. */
enum { SOFT = 4 };

/* Values that do not fit 32 bits, or only just; some are a good index in their
 * lower half. As bits of NDG_U64 those below 0 are the largest. */
static const int64_t edges[] = {
    INT32_MAX, INT64_C(1) << 31, (INT64_C(1) << 31) + 1, UINT32_MAX,
    INT64_C(1) << 32, (INT64_C(1) << 32) + 1, (INT64_C(1) << 33) - 1,
    (INT64_C(1) << 62) + 2, INT64_MAX - 1, INT64_MAX, INT32_MIN + 1, INT32_MIN,
    (int64_t)INT32_MIN - 1, -(int64_t)UINT32_MAX, -(INT64_C(1) << 32),
    1 - (INT64_C(1) << 32), INT64_MIN, INT64_MIN + 1,
    INT64_MIN + (INT64_C(1) << 31), INT64_MIN + (INT64_C(1) << 32), -1, -2
};

static int is_of_type(int64_t v, int type)
{
    return type == NDG_U64 || (low(type) <= v && v <= high(type));
}

/* n rows by vectors of `depth` indices that may count from the end. */
static gather vectors_new(int type, int depth, int ends, ptrdiff_t bytes,
                          ptrdiff_t n)
{
    gather g = gather_new(type, depth == 1 ? 100 : 9, bytes, n);
    g.depth = depth;
    g.extent[1] = 5;
    g.extent[2] = 3;
    g.extent[3] = 2;
    g.negative = ends ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
    return g;
}

/* Indices of any type that become numbers of 32 bits, some rows at a time: a
 * bad one among the first, at a boundary, among the last; values that do not
 * fit 32 bits; as few rows as there may be. */
static void test_numbers(void)
{
    static const ptrdiff_t bad[] = { -1, 0, 2, 31, 32, 63, 64, 127, 128, 129,
                                     198, 199 };
    static const ptrdiff_t counts[] = { 1, 3, 4, 5, 31, 32, 33, 63, 64, 65,
                                        127, 128, 129, 192 };
    int t, depth, ends, p, b, e, turn = 0;
    for (t = 0; t < COUNT(types); t++)
        for (depth = 1; depth <= DEEP; depth++)
            for (ends = 0; ends < 2; ends++) {
                for (p = 0; p < COUNT(soft); p++)
                    for (b = 0; b < COUNT(bad); b++, turn++) {
                        gather g = vectors_new(types[t], depth, ends, kinds[
                                               turn % COUNT(kinds)], 200);
                        if (b & 1) g.batches = 2;
                        if (b & 1) g.n = 100;
                        if (b & 1) g.batch_pad = turn & 1;
                        g.policy = soft[p];
                        good_values(&g);
                        if (bad[b] >= 0) spoil(&g, bad[b], turn % depth, turn);
                        gather_check(&g);
                    }
                for (e = 0; e < 4 * COUNT(edges); e++, turn++) {
                    gather    g = vectors_new(types[t], depth, ends, 4, 200);
                    const int k = e % depth;
                    const int64_t v = edges[e / 4];
                    if (!is_of_type(v, g.type)) continue;
                    g.policy = soft[turn % COUNT(soft)];
                    good_values(&g);
                    value[bad[1 + turn % (COUNT(bad) - 1)] * depth + k] = v;
                    if (e & 1) value[150 * depth + depth - 1] = v;
                    gather_check(&g);
                }
                for (e = 0; e < 2 * COUNT(counts); e++, turn++) {
                    gather g = vectors_new(types[t], depth, ends, kinds[
                                           turn % COUNT(kinds)],
                                           counts[e / 2]);
                    g.policy = turn & 1 ? NDG_ERROR : NDG_WRAP;
                    good_values(&g);
                    if (e & 1) spoil(&g, g.n - 1, depth - 1, turn);
                    gather_check(&g);
                }
            }
}

/* Rows of which some are bad: of every kind, by one index and by more. */
static void test_places(void)
{
    int i, t, p, depth, ends;
    ptrdiff_t at;
    for (i = 0; i < COUNT(kinds); i++)
        for (t = 0; t < COUNT(types); t++)
            for (p = 0; p < COUNT(soft); p++)
                for (depth = 1; depth <= DEEP; depth++)
                    for (ends = 0; ends < 2; ends++) {
                        gather g = vectors_new(types[t], depth, ends, kinds[i],
                                               depth == 1 ? 320 : 140);
                        g.policy = soft[p];
                        g.from_pad = p & 1;
                        good_values(&g);
                        for (at = 3; at < g.n - 5; at += 1 + (int)some(5))
                            spoil(&g, at, (int)some(depth), (int)some(4));
                        for (at = 20; at < g.n; at += 20)
                            spoil(&g, at, (int)(at / 20) % depth, t);
                        gather_check(&g);
                    }
}

/* The same where an axis is as long as it may be, and one row longer; has a row
 * or two; or none. What no memory could hold is one row, at a stride of 0. */
static void test_places_extents(void)
{
    static const ptrdiff_t extents[] = { 1, 2, 300, 1 << 20, 1300003, 1 << 30,
                                         (1 << 30) + 1, INT32_MAX,
                                         PTRDIFF_MAX / 8, 0 };
    int t, p, x, form, i;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(soft); p++)
            for (x = 0; x < COUNT(extents); x++)
                for (form = 0; form < 8; form++) {
                    gather g = gather_new(types[t], 1, 1, 150);
                    const ptrdiff_t extent = extents[x];
                    const int       depth = 1 + form % 4 / 2;
                    const int       k = form % 4 == 3;
                    if (extent > 300 && (t + p) % 2 && depth == 1) continue;
                    g.depth = depth;
                    if (extent < 1 << 20) g.elem = 4;
                    g.extent[k] = extent;
                    g.extent[!k] = extent > 300 && sizeof(ptrdiff_t) == 4
                                   ? 1 : 2;
                    g.flat = (depth > 1 && extent > 300)
                          || (depth == 1 && extent > NOISE)
                          || form % 4 == 1 ? 1 << k : 0;
                    g.negative = form & 4 ? NDG_NEGATIVE_FROM_END
                                          : NDG_NEGATIVE_BAD;
                    g.policy = soft[p];
                    g.last = 150;
                    for (i = 0; i < 150 * depth; i++)
                        value[i] = g.extent[i % depth] == 0 ? some(3)
                                 : good_value(g.type, g.negative,
                                              g.extent[i % depth]);
                    for (i = 7; i < 150; i += 3) {
                        int64_t v = i % 4 == 0 ? extent - 1
                                  : i % 4 == 1 ? extent : i % 4 == 2 ? -extent
                                                        : -extent - 1;
                        if (i > 90) v = edges[i % COUNT(edges)];
                        if (i > 120 && extent && !(i & 1))
                            v %= 2 * (int64_t)extent;
                        if (is_of_type(v, g.type)) value[i * depth + k] = v;
                    }
                    gather_check(&g);
                }
}

/* The unit of places: the strides' common power of two, or none. */
static void test_unit(void)
{
    static const ptrdiff_t bytes[] = { 1, 2, 4, 3, 64, 40, 128, 12, 1 };
    static const ptrdiff_t pad[]   = { 0, 0, 0, 1, 0,  24, 0,   52, 63 };
    static const ptrdiff_t part[]  = { 0, 1, 2, 6, 64, 4096 };
    int i, k, p, depth, form, b;
    for (i = 0; i < COUNT(bytes); i++)
        for (k = 0; k < COUNT(part); k++)
            for (p = 0; p < SOFT + 1; p++)
                for (depth = 1; depth < 4; depth++)
                    for (form = 0; form < 4; form++) {
                        gather g = vectors_new(form & 1 ? NDG_I64 : NDG_I32,
                                               depth, 0, bytes[i], 90);
                        g.from_pad = pad[i];
                        g.part_pad = part[k];
                        g.from_back = form == 2;
                        g.flat = form == 3 ? 1 + (k & 1) * 6 : 0;
                        g.policy = soft[p];
                        good_values(&g);
                        for (b = 5; b < 90; b += 4)
                            spoil(&g, b, b % depth, b / 4);
                        gather_check(&g);
                    }
}

/* Rows that lie 2^31 - 1 bytes apart, and more: the last ones that places
 * reach, and those beyond. Only the lines around them are ever touched. */
static void test_unit_reach(void)
{
    static const unsigned char want[] = { 1, 2, 0, 3, 4, 2 };
    const int32_t   index[] = { 0, 1, 1, 2, 2, 1, 1, 0, 1, 3, 1, 2 };
    const ptrdiff_t far_off = INT32_MAX;
    unsigned char   *memory = 0, out[6];
    int             over;
    if (sizeof far_off > 4) memory = (unsigned char *)malloc((size_t)far_off
                                                             + 9);
    if (!memory) {
        printf("skip: unit_reach: no 2 GiB\n");
        return;
    }
    for (over = 0; over < 2; over++) {
        ndg_gather_desc d = NDG_ZERO_INIT;
        ndg_report      r;
        const ptrdiff_t step = far_off - 3 + over;
        cases++;
        memory[1] = 1;
        memory[step] = 3;
        memory[step + 2] = 2;
        memory[step + 3] = 4;
        d.params = ndg_strided3(2, step, 4, 1, 1, 1);
        d.indices = ndg_dims2(6, 2);
        d.elem_size = 1;
        d.index_type = NDG_I32;
        d.policy = NDG_ZERO;
        ndg_gather_nd(out, 6, memory, index, &d, &r);
        CHECKF(r.status == NDG_OK && r.bad.count == 1,
               "%s, case %d: status %d, %ld bad", test, cases, r.status,
               (long)r.bad.count);
        CHECKF(!memcmp(out, want, sizeof want), "%s, case %d: other rows: %d "
               "%d %d %d %d %d", test, cases, out[0], out[1], out[2], out[3],
               out[4], out[5]);
    }
    free(memory);
}

/* On by places or, long rows, by chunks for as long as there are bad rows, then
 * with the chosen loop. */
static void test_run_chunks(void)
{
    static const ptrdiff_t bad[] = { 0, 39, 40, 255, 256, 257, 600, 777, 1033,
                                     1499 };
    int t, p, b, k;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < SOFT; p++)
            for (b = 0; b < COUNT(bad); b++) {
                gather g = gather_new(types[t], 90, b & 2 ? 129 : 4, 1500);
                g.policy = soft[p];
                good_values(&g);
                for (k = b; k < COUNT(bad); k += 1 + (b & 1))
                    spoil(&g, bad[k], 0, k + t);
                gather_check(&g);
            }
}

/* Rows by one, two or three indices, with any steps between rows, index rows
 * and components. */
static void test_any(void)
{
    static const ptrdiff_t sizes[] = { 1, 4, 7, 12, 64, 129 };
    int i, t, form, b, depth;
    for (i = 0; i < COUNT(sizes); i++)
        for (t = 0; t < COUNT(types); t++)
            for (form = 0; form < 9; form++)
                for (b = 0; b < 9; b++) {
                    gather g = gather_new(types[t], 50, sizes[i], 40);
                    g.depth = depth = 1 + b / 3;
                    if (depth > 1) g.extent[0] = 3 + (i & 1);
                    if (depth > 1) g.extent[1] = 9;
                    if (depth > 2) g.extent[2] = i & 2 ? 2 : 7;
                    g.to_pad = form == 0 || form == 5 || form == 6 ? 3 : 0;
                    g.at_pad = form == 1 || form == 5 ? 5 : 0;
                    g.at_back = form == 2;
                    g.from_back = form == 3;
                    g.to_pad += form == 3;
                    g.at_planes = form == 8;
                    if (form == 4) g.batches = 3;
                    if (form > 4 && form < 8) {    /* batches in one go */
                        g.n = form == 7 ? 1 : 10;
                        g.batches = form == 7 ? 40 : 4;
                        g.batch_pad = form == 5 ? 9 : 0;
                    }
                    good_values(&g);
                    g.policy = b % 3 == 1 ? NDG_ERROR : NDG_KEEP;
                    if (b % 3) spoil(&g, 13, depth - 1, t);
                    if (b % 3) spoil(&g, 33, 0, i);
                    gather_check(&g);
                }
}

/* Rows of each kind, by indices that lie apart and may be negative. */
static void test_any_kinds(void)
{
    int i, t, depth, ends, b;
    for (i = 0; i < COUNT(kinds); i++)
        for (t = 0; t < COUNT(types); t++)
            for (depth = 1; depth < 4; depth++)
                for (ends = 0; ends < 2; ends++)
                    for (b = -1; b < depth; b++) {
                        gather g = gather_new(types[t], 6, kinds[i], 30);
                        g.depth = depth;
                        g.extent[1] = 4;
                        g.extent[2] = 11;
                        g.negative = ends ? NDG_NEGATIVE_FROM_END
                                          : NDG_NEGATIVE_BAD;
                        g.at_planes = i & 1;
                        g.at_pad = i & 1 ? 0 : 1 + (t & 1);
                        g.to_pad = i % 3;
                        g.policy = i & 2 ? NDG_ERROR : NDG_ZERO;
                        good_values(&g);
                        if (b >= 0) spoil(&g, 17, b, i + t);
                        gather_check(&g);
                    }
}

static void test_tuples_from_end(void)
{
    int t, p, b;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(soft); p++)
            for (b = 0; b < 6; b++) {
                gather g = gather_new(types[t], 100, 4, b == 5 ? 400 : 50);
                g.negative = NDG_NEGATIVE_FROM_END;
                g.policy = soft[p];
                good_values(&g);
                value[7] = is_signed(g.type) ? -100 : 0;
                value[8] = is_signed(g.type) ? -1 : 99;
                if (b) spoil(&g, 4 + 8 * b, 0, b - 1);
                gather_check(&g);
            }
    for (t = 0; t < COUNT(types); t++)         /* more rows than a type names */
        for (b = 0; b < 2; b++) {
            gather g = gather_new(types[t], 300, 4, b ? 400 : 50);
            good_values(&g);
            g.negative = NDG_NEGATIVE_FROM_END;
            g.policy = NDG_ZERO;
            value[7] = is_signed(g.type) ? -1 : 0;
            value[8] = is_signed(g.type) ? -128 : 0;
            gather_check(&g);
        }
    for (t = 0; t < COUNT(types); t++)         /* so many beside a bad one */
        for (p = 0; p < COUNT(soft); p++) {
            gather g = gather_new(types[t], 200, 4, 90);
            g.depth = 2;
            g.extent[1] = 50;
            g.negative = NDG_NEGATIVE_FROM_END;
            g.policy = soft[p];
            good_values(&g);
            spoil(&g, 33, 1, p);
            gather_check(&g);
        }
}

/* Packed index vectors, and what only looks like it. */
static void test_tuples(void)
{
    static const ptrdiff_t sizes[] = { 1, 2, 4, 8, 16, 3, 7, 12, 31, 64, 129,
                                       300 };
    int i, t, depth, b;
    for (i = 0; i < COUNT(sizes); i++)
        for (t = 0; t < COUNT(types); t++)
            for (depth = 2; depth <= DEEP; depth++)
                for (b = -1; b < depth; b++) {
                    gather g = gather_new(types[t], 7, sizes[i],
                                          t == 3 ? 300 : 30);
                    g.depth = depth;
                    g.extent[1] = 5;
                    g.extent[2] = i & 1 ? 11 : 3;
                    good_values(&g);
                    g.policy = i & 1 ? NDG_ERROR : NDG_ZERO;
                    if (b >= 0) spoil(&g, 17, b, i + t);
                    if (b >= 0) spoil(&g, 21, 1, 1);
                    gather_check(&g);
                }
    for (t = 0; t < COUNT(types); t++)         /* as many as a type can say */
        for (depth = 2; depth < 4; depth++)
            for (b = 0; b < depth; b++)
                for (i = 0; i < 2; i++) {
                    gather g = gather_new(types[t], 2, i ? 32 : 4, 30);
                    g.depth = depth;
                    g.extent[b] = 300;
                    good_values(&g);
                    gather_check(&g);
                    value[20 * depth + b] = is_signed(g.type) ? -1 : 0;
                    gather_check(&g);
                }
    for (t = 0; t < COUNT(types); t++)         /* narrow as if wide; apart, */
        for (depth = 2; depth < 4; depth++)    /* though rows follow closely */
            for (b = 0; b < 4; b++) {
                gather    g = gather_new(types[t], 9, b & 1 ? 12 : 4, 80);
                const int wide = (int)(8 / index_bytes(g.type));
                g.depth = depth;
                good_values(&g);
                for (i = 0; b < 2 && i < 80 * depth; i++)
                    if (i % wide) value[i] = 0;
                g.at_planes = b > 1;
                g.at_pad = b > 1 ? (depth - 1) * index_bytes(g.type) : 0;
                gather_check(&g);
            }
}

/* Rows first and last of a block are so far apart that it is not near. */
static void far_apart(const gather *g)
{
    ptrdiff_t i;
    for (i = 0; i < g->last; i++)
        if (i % 1024 == 0) value[i * g->depth] = 0;
        else if (i % 1024 == 1023 || i == g->last - 1)
            value[i * g->depth] = g->extent[0] - 1;
}

/* Far rows are asked for ahead, to the last but NDGI_AHEAD. */
static void test_packed_ahead(void)
{
    static const ptrdiff_t sizes[] = { 1, 2, 4, 8, 16, 3, 7, 12, 31, 40, 64,
                                       65, 128, 16, 17 };
    int i, b;
    for (i = 0; i < COUNT(sizes); i++)
        for (b = 0; b < 6; b++) {
            /* the last two exceed a megabyte */
            gather g = gather_new(b & 1 ? NDG_U32 : NDG_I32, i > 12 ? 70000
                                  : 16384 / sizes[i] + 50, sizes[i],
                                  b == 5 ? 17000 : 65 + 200 * b);
            g.from_pad = b == 4 ? 1 : 0;
            good_values(&g);
            far_apart(&g);
            g.policy = b == 3 ? NDG_ERROR : b == 4 ? NDG_KEEP : NDG_ZERO;
            if (b > 1) spoil(&g, 40 + 90 * (b - 2), 0, b);
            if (b > 2) spoil(&g, 250, 0, b);
            gather_check(&g);
        }
}

/* Rows of one index and of more: all good, or some bad. */
static void test_find(void)
{
    static const int depths[] = { 1, 2, 3, 4 };
    int t, p, ends, d, b, i;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(soft); p++)
            for (ends = 0; ends < 2; ends++)
                for (d = 0; d < COUNT(depths); d++)
                    for (b = 0; b < 3; b++) {
                        gather g = gather_new(types[t], 6, d == 1 ? 80 : 4,
                                              130);
                        g.depth = depths[d];
                        g.extent[1] = 9;
                        g.extent[3] = 3;
                        g.from_gap = d == 0;
                        g.at_planes = d > 0 && d < 3 && b == 1;
                        g.at_pad = d == 3 ? 3 : 0;
                        g.negative = ends ? NDG_NEGATIVE_FROM_END
                                          : NDG_NEGATIVE_BAD;
                        g.policy = soft[p];
                        good_values(&g);
                        for (i = 0; b && i < 20; i++)
                            spoil(&g, 65 * (b - 1) + 3 * i, i % g.depth,
                                  i + b);
                        if (b && g.depth > 1) spoil(&g, 71, 0, 0);
                        if (b && g.depth > 1) spoil(&g, 71, 1, 1);
                        gather_check(&g);
                    }
    for (t = 0; t < COUNT(types); t++)         /* more rows than a type names */
        for (b = 0; b < 3; b++) {
            gather g = gather_new(types[t], 300, 6, 100);
            g.from_gap = 1;
            g.policy = b == 2 ? NDG_ZERO : NDG_ERROR;
            good_values(&g);
            if (b) value[70] = is_signed(g.type) ? -1 : 0;
            gather_check(&g);
        }
    for (t = 0; t < COUNT(types); t++)         /* one bad index, and no more */
        for (d = 1; d <= DEEP; d++)
            for (i = 0; i < d; i++)
                for (b = 0; b < 4; b++) {
                    gather g = gather_new(types[t], 6, 24, 130);
                    g.depth = d;
                    g.extent[1] = 9;
                    g.extent[3] = 3;
                    g.at_planes = b & 1;
                    g.at_pad = 1;
                    g.policy = b & 2 ? NDG_ZERO : NDG_ERROR;
                    good_values(&g);
                    spoil(&g, 100, i, b + t);
                    gather_check(&g);
                }
}

/* The same of rows in two pieces, which go by chunks from the first on. */
static void test_find_pieces(void)
{
    int t, p, ends, d, b, i;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(soft); p++)
            for (ends = 0; ends < 2; ends++)
                for (d = 1; d <= DEEP; d++)
                    for (b = -1; b < d; b++) {
                        gather g = gather_new(types[t], 6, 4, 95);
                        g.depth = d;
                        g.extent[1] = 9;
                        g.extent[2] = 2;
                        g.elem = g.elems = 2;
                        g.from_gap = 1;
                        g.at_planes = b == 0;
                        g.at_pad = b == 1;
                        g.negative = ends ? NDG_NEGATIVE_FROM_END
                                          : NDG_NEGATIVE_BAD;
                        g.policy = soft[p];
                        good_values(&g);
                        for (i = 33; b >= 0 && i < 95; i += 7)
                            spoil(&g, i, b, i);
                        for (i = 35; b >= 0 && i < 95; i += 14)
                            spoil(&g, i, 0, i / 2);
                        gather_check(&g);
                    }
    for (t = 0; t < COUNT(types); t++)         /* more rows than a type names */
        for (p = 0; p < COUNT(soft); p++)
            for (d = 1; d < 4; d++)
                for (ends = 0; ends < 2; ends++) {
                    gather g = gather_new(types[t], 2, 4, 60);
                    g.depth = d;
                    g.extent[d - 1] = 300;
                    g.elem = g.elems = 2;
                    g.to_gap = 1;
                    g.negative = ends ? NDG_NEGATIVE_FROM_END
                                      : NDG_NEGATIVE_BAD;
                    g.policy = soft[p];
                    good_values(&g);
                    value[41 * d - 1] = is_signed(g.type) ? -1 : 0;
                    if (d > 1) spoil(&g, 50, 0, t);
                    gather_check(&g);
                }
}

/* Where CLIP and WRAP place every edge of every type: as numbers, and one by
 * one. */
static void test_placed(void)
{
    static const ptrdiff_t extents[] = { 1, 2, 3, 7, 97, 120, 1000, 65521 };
    static const int64_t   from[] = {
        0, 1, 2, 119, 120, 121, 65520, 65521, INT32_MAX, UINT32_MAX,
        INT64_C(1) << 32, (INT64_C(1) << 32) + 1, INT64_C(3) << 33,
        INT64_MAX - 1, INT64_MAX
    };
    int t, e, i;
    for (t = 0; t < COUNT(types); t++)
        for (e = 0; e < 8 * COUNT(extents); e++) {
            gather        g = gather_new(types[t], extents[e / 8], 2, 300);
            const int64_t most = high(g.type);
            g.policy = e & 1 ? NDG_CLIP : NDG_WRAP;
            g.negative = e & 2 ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
            if (e & 4) g.elem = 1, g.elems = 2, g.from_gap = 1;
            g.last = 300;
            for (i = 0; i < 300; i++) {
                int64_t v = i < COUNT(from) ? from[i]
                          : i < 2 * COUNT(from) ? -from[i - COUNT(from)]
                          : i == 40 ? INT64_MIN
                          : some(INT64_MAX) - INT64_MAX / 2;
                if (i > 40) v /= INT64_C(1) << some(62);
                if (g.type == NDG_U64 && (i & 1)) v ^= INT64_MIN;
                if (g.type != NDG_U64 && (v > most || v < low(g.type)))
                    v = g.type == NDG_I64 ? v : v & most;
                value[i] = v;
            }
            gather_check(&g);
        }
}

/* Chunks that take rows of several batches, and of parts of them. */
static void test_near(void)
{
    int form, b, d;
    for (form = 0; form < 8; form++)
        for (d = 0; d < 4; d++)
            for (b = 0; b < 3; b++) {
                gather g = gather_new(NDG_I16, 12, d == 2 ? 80 : 4, 10);
                g.depth = d;
                g.batches = 9;
                g.lines = form & 1 ? 2 : 1;
                g.batch_pad = form & 2 ? 5 : 0;
                g.at_pad = form & 4 ? 1 : 0;
                g.line_pad = form == 5 ? 3 : 0;
                g.from_gap = d == 1;
                good_values(&g);
                g.first = b * 7;
                g.last -= b * 4;
                g.policy = form & 1 ? NDG_ZERO : NDG_WRAP;
                if (b && d) spoil(&g, 61, 0, 1);
                if (b && d) spoil(&g, 64 + b, d - 1, 2);
                gather_check(&g);
            }
}

/* Short loops inside others: of two and of three loops over rows, by ranges
 * that begin and end anywhere, and are a chunk long, or one row off. */
static void test_near_short(void)
{
    static const ptrdiff_t inner[] = { 1, 3, 5, 15, 16, 17 };
    static const ptrdiff_t first[] = { 0, 1, 7, 16, 18, 40, 46 };
    static const ptrdiff_t n[] = { 1, 2, 15, 39, 40, 41, 79, 80, 81, 0 };
    int i, a, b, form;
    for (i = 0; i < COUNT(inner); i++)
        for (a = 0; a < COUNT(first); a++)
            for (b = 0; b < COUNT(n); b++)
                for (form = 0; form < 8; form++) {
                    gather g = gather_new(form & 1 ? NDG_U8 : NDG_I32, 5, 4,
                                          inner[i]);
                    g.lines = form & 2 ? 4 : 1;
                    g.batches = 130 / (inner[i] * g.lines) + 1;
                    g.line_pad = form & 2 ? 3 : 0;
                    g.batch_pad = form == 1 || form == 2 ? 5 : 0;
                    g.at_back = form == 3 || form == 5;
                    g.at_pad = form == 4;
                    g.depth = form < 4 ? 1 : 1 + (a + b) % 3;
                    g.extent[2] = 2;
                    if (form & 4) g.from_gap = g.elem = g.elems = 2;
                    good_values(&g);
                    g.first = first[a];
                    if (n[b]) g.last = g.first + n[b];
                    gather_check(&g);
                }
}

/* Packed batches of few rows, a table each: every kind of row and type of
 * index, ranges that begin and end within a batch; all good, or a bad row at
 * the first, the last, in the middle. */
static void test_batches(void)
{
    static const ptrdiff_t inner[] = { 2, 3, 4, 16, 63, 64, 65, 255, 256 };
    int i, t, k, form;
    for (i = 0; i < COUNT(inner); i++)
        for (k = 0; k < COUNT(kinds); k++)
            for (t = 0; t < COUNT(types); t++)
                for (form = 0; form < 6; form++) {
                    gather g = gather_new(types[t], 1 + (i + k + form) % 7,
                                          kinds[k], inner[i]);
                    g.lines = form == 5 ? 2 : 1;
                    g.batches = 2 + 300 / (inner[i] * g.lines);
                    g.line_pad = form == 5 ? 3 : 0;
                    g.at_line_pad = form == 0 && (k & 1) ? 5 : 0;
                    good_values(&g);
                    if (form & 1) g.first = inner[i] + (k + t) % inner[i];
                    if (form & 2) g.last -= 1 + (k + 3 * t) % inner[i];
                    g.policy = form == 4 ? soft[(k + t) % COUNT(soft)]
                                         : NDG_ERROR;
                    if (form == 3) spoil(&g, g.first + t, 0, k);
                    if (form == 4) spoil(&g, g.first, 0, t);
                    if (form == 4) spoil(&g, g.last - 1, 0, k);
                    if (form == 4) spoil(&g, (g.first + g.last) / 2, 0, k);
                    gather_check(&g);
                }
}

/* Bad rows of such loops under each policy: the first, in the middle, or the
 * last of a range; one, or several. */
static void test_near_bad(void)
{
    static const ptrdiff_t inner[] = { 1, 3, 5, 15, 16, 17 };
    int i, p, b, depth, form, k;
    for (i = 0; i < COUNT(inner); i++)
        for (p = 0; p < COUNT(soft); p++)
            for (depth = 1; depth < 4; depth++)
                for (form = 0; form < 4; form++)
                    for (b = 0; b < 6; b++) {
                        gather g = gather_new(types[(i + p + b) & 7], 5, 12,
                                              inner[i]);
                        g.depth = depth;
                        g.lines = form & 1 ? 3 : 1;
                        g.batches = 100 / (inner[i] * g.lines) + 1;
                        g.line_pad = form & 1 ? 4 : 0;
                        g.batch_pad = form & 2 ? 7 : 0;
                        g.negative = b & 1 ? NDG_NEGATIVE_FROM_END
                                           : NDG_NEGATIVE_BAD;
                        g.policy = soft[p];
                        good_values(&g);
                        g.first = b == 1 ? 2 : b == 2 ? inner[i] : 0;
                        if (b > 1) g.last -= 1 + inner[i] / 2;
                        if (b != 3) spoil(&g, g.first, 0, p);
                        if (b != 2) spoil(&g, g.last - 1, depth - 1, b);
                        for (k = 37; b > 2 && k < 70; k += b)
                            spoil(&g, k, k % depth, k);
                        gather_check(&g);
                    }
}

static void test_move_rows(void)
{
    int i, p, b, k;
    for (i = 0; i < COUNT(kinds); i++)
        for (p = 0; p < COUNT(soft); p++)
            for (b = 0; b < 3; b++) {
                gather g = gather_new(NDG_I32, 12, kinds[i], 130);
                g.depth = 2;
                g.at_pad = 2;
                g.to_pad = b;
                g.policy = soft[p];
                good_values(&g);
                for (k = 0; b && k < 130; k += b + (int)some(3))
                    spoil(&g, k, k & 1, k);
                gather_check(&g);
            }
    for (i = 0; i < COUNT(kinds); i++)         /* a few steps of each row */
        for (b = 2; b < 8; b++) {
            gather g = gather_new(NDG_I64, 40, kinds[i], 100);
            g.elem = kinds[i];
            g.elems = b;
            g.from_gap = b & 1;
            g.to_gap = 2;
            good_values(&g);
            gather_check(&g);
        }
}

static void test_move_steps(void)
{
    static const ptrdiff_t elem[] = { 1, 2, 4, 8, 16, 3, 7, 12, 31, 64, 65,
                                      130 };
    static const ptrdiff_t steps[] = { 2, 8, 150 };
    int i, s, p, b, k;
    for (i = 0; i < COUNT(elem); i++)
        for (s = 0; s < COUNT(steps); s++)
            for (p = 0; p < SOFT + 2; p++)
                for (b = 0; b < 3; b++) {
                    gather g = gather_new(NDG_U16, 20, elem[i],
                                          b == 2 ? 3 : 70);
                    if (soft[p] == NDG_FILL && elem[i] > 16) continue;
                    if (s == 2 && elem[i] > 16 && b < 2) continue;
                    g.elem = elem[i];
                    g.elems = steps[s];
                    g.from_gap = 3;
                    g.to_gap = 1 + (s & 1);
                    g.outer = p & 1 ? 3 : 1;
                    g.policy = soft[p];
                    good_values(&g);
                    for (k = 1; b && k < g.n; k += 1 + (int)some(20))
                        spoil(&g, k, 0, k);
                    gather_check(&g);
                }
    for (p = 0; p < SOFT; p++)         /* whole lines, where none begins */
        for (b = 0; b < 6; b++) {
            gather g = gather_new(NDG_U16, 20, 64, 70);
            if (soft[p] == NDG_FILL && b < 3) continue;
            g.elem = b < 3 ? 64 : 16;
            g.elems = b < 3 ? 3 + 6 * (b & 1) : 12;
            g.to_gap = b == 0 ? 8 : b == 1 ? 1 : 0;
            g.to_pad = -g.elems * (64 + g.to_gap) & 63;
            if (b == 2) g.to_planes = 1, g.to_pad = 4;
            if (b > 2) g.batches = 2;
            if (b == 3) g.batch_pad = 4;
            if (b == 4) g.outer = 3, g.to_pad = 3;
            if (b == 5) g.line_pad = 12;
            g.from_gap = b < 3;
            g.policy = soft[p];
            good_values(&g);
            if (p & 1) spoil(&g, 33, 0, b);
            gather_check(&g);
        }
    for (p = 0; p < SOFT; p++)           /* steps that are packed in out */
        for (i = 0; i < COUNT(elem); i++) {
            gather g = gather_new(NDG_U16, 20, elem[i], 40);
            if (soft[p] == NDG_FILL && elem[i] > 16) continue;
            g.elem = elem[i];
            g.elems = elem[i] > 16 ? 9 : 230;
            g.from_gap = 1;
            g.policy = soft[p];
            good_values(&g);
            for (k = 1; k < g.n; k += 7) spoil(&g, k, 0, k);
            gather_check(&g);
        }
    for (p = 0; p < SOFT; p++)                 /* long pieces of a bad row */
        for (b = 0; b < 3; b++) {
            gather g = gather_new(NDG_U16, 20, 130 + 117 * b, 40);
            g.outer = 2;
            g.policy = soft[p];
            good_values(&g);
            for (k = 1; k < g.n; k += 7) spoil(&g, k, 0, k);
            gather_check(&g);
        }
}

/* As many steps as go by fours, and some more or less: of rows that are good,
 * filled, kept or placed. */
static void test_copy_steps(void)
{
    static const ptrdiff_t elem[] = { 1, 2, 4, 8, 16, 3, 12, 64 };
    int i, steps, p, b, k;
    for (i = 0; i < COUNT(elem); i++)
        for (steps = 1; steps <= 9; steps++)
            for (p = 0; p < COUNT(soft); p++)
                for (b = 0; b < 4; b++) {
                    gather g = gather_new(NDG_U16, 20, elem[i], 50);
                    if (soft[p] == NDG_FILL && elem[i] > 16) continue;
                    g.elem = elem[i];
                    g.elems = steps;
                    g.from_gap = b & 1 ? 3 : 0;
                    g.to_gap = b & 1 ? 0 : 2;
                    g.to_pad = 1;
                    if (b == 2) g.to_planes = 1, g.to_gap = 0;
                    if (b == 3) g.from_planes = 1;
                    g.policy = soft[p];
                    good_values(&g);
                    for (k = 1; k < g.n; k += 7) spoil(&g, k, 0, k / 7);
                    gather_check(&g);
                }
}

/* Long rows, of which some are bad. */
static void test_move(void)
{
    static const ptrdiff_t sizes[] = { 129, 200, 390, 1001, 1024 };
    int i, p, b, k;
    for (i = 0; i < COUNT(sizes); i++)
        for (p = 0; p < COUNT(soft); p++)
            for (b = 0; b < 2; b++) {
                gather g = gather_new(NDG_I32, 40, sizes[i], 70);
                g.policy = soft[p];
                g.to_pad = b;
                good_values(&g);
                for (k = 2; k < g.n; k += 9) spoil(&g, k, 0, k);
                gather_check(&g);
            }
}

/* Long rows, which go past the caches a chunk at a time. */
static void test_move_lines(void)
{
    static const ptrdiff_t sizes[] = { 2048, 2112, 4096 };
    static const ptrdiff_t counts[] = { 39, 40, 41, 65, 80, 128, 191 };
    int i, n, b;
    for (i = 0; i < COUNT(sizes); i++)
        for (n = 0; n < COUNT(counts); n++)
            for (b = 0; b < 4; b++) {
                gather g = gather_new(NDG_I32, 40, sizes[i], counts[n]);
                good_values(&g);
                far_apart(&g);
                g.policy = b == 3 ? NDG_CLIP : NDG_ZERO;
                if (b == 2) g.align = 16;
                if (b == 1) spoil(&g, 30, 0, 1);
                if (b > 1) spoil(&g, g.n > 64 ? 64 : g.n - 1, 0, 1);
                gather_check(&g);
            }
    for (n = 65; n < 200; n += 63) {           /* in two pieces */
        gather g = gather_new(NDG_I32, 40, 4096, n);
        g.elem = 2048;
        g.elems = 2;
        g.from_gap = 64;
        good_values(&g);
        gather_check(&g);
    }
    for (i = 0; i < COUNT(sizes); i++)         /* of two loops over them */
        for (n = 5; n < 60; n += 12)
            for (b = 0; b < 4; b++) {
                gather g = gather_new(NDG_I64, 3, sizes[i], n);
                g.batches = 1 + 150 / n / (1 + i);
                g.depth = 1 + (b & 1);
                g.extent[1] = 2;
                g.batch_pad = b & 2 ? 128 : 0;
                good_values(&g);
                g.first = b;
                g.policy = NDG_ZERO;
                if (b > 1) spoil(&g, 45, 0, n);
                gather_check(&g);
            }
}

/* What becomes of a chunk with bad rows: the error that ends the run, or none.
 */
static void test_next_chunk(void)
{
    static const ptrdiff_t bad[] = { 0, 39, 40, 41, 63, 64, 65, 79, 80, 127,
                                     128, 199 };
    int b, p, k, d;
    for (b = 0; b < COUNT(bad); b++)
        for (p = 0; p < COUNT(soft); p++)
            for (d = 1; d < 3; d++) {
                gather g = gather_new(NDG_I32, 30, 80, 200);
                g.depth = d;
                g.from_pad = g.to_pad = 1;
                g.policy = soft[p];
                good_values(&g);
                for (k = b; k < COUNT(bad); k++) spoil(&g, bad[k], d - 1, k);
                gather_check(&g);
            }
}

/* Rows of no index at all, over nothing, and by indices that are not judged. */
static void test_find_none(void)
{
    int k, p, d;
    for (k = 0; k < 6; k++) {                  /* no index */
        gather g = gather_new(NDG_I32, 1, 12, k & 1 ? 100 : 7);
        g.depth = 0;
        g.batches = k & 1 ? 2 : 30;
        g.to_pad = k & 2;
        g.batch_pad = k > 3 ? 3 : 0;
        good_values(&g);
        gather_check(&g);
    }
    for (k = 0; k < 2; k++)
        for (p = 0; p < COUNT(soft); p++) {    /* over nothing */
            gather g = gather_new(NDG_I32, 30, 8, 150);
            g.depth = 2;
            good_values(&g);
            g.extent[k] = 0;
            g.policy = soft[p];
            gather_check(&g);
        }
    for (d = 1; d < 5; d++) {
        gather g = gather_new(NDG_I8, 30, 80, 200);
        g.depth = d;
        g.extent[0] = 5;
        g.extent[1] = 7;
        if (d > 2) g.extent[2] = g.extent[3] = 3;
        g.negative = NDG_NEGATIVE_FROM_END;
        good_values(&g);
        g.policy = NDG_ASSUME_VALID;
        gather_check(&g);
    }
}

/* What is put in place of bad rows: zeroes, or fill over and over, in rows of
 * every kind and of every element, in one piece or step by step. */
static void test_move_put(void)
{
    static const ptrdiff_t elem[] = { 1, 2, 3, 4, 5, 8, 12, 16 };
    int i, n, p, form, k;
    for (i = 0; i < COUNT(elem); i++)
        for (n = 1; n <= 128; n *= 2)
            for (p = 0; p < SOFT + 1; p++)
                for (form = 0; form < 2; form++) {
                    gather g = gather_new(NDG_I32, 9, elem[i] * n, 140);
                    g.elem = elem[i];
                    g.elems = n;
                    if (form && n > 16) continue;
                    g.to_gap = form;
                    g.to_pad = p & 1;
                    g.policy = soft[p];
                    good_values(&g);
                    for (k = 3; k < g.n; k += 1 + (int)some(9))
                        spoil(&g, k, 0, k);
                    gather_check(&g);
                }
}

/* Which row is named, and how many are counted. */
static void test_blame(void)
{
    static const int where[] = { 0, 1, 39, 40, 63, 64, 70, 129, 255, 256, 511,
                                 700 };
    int b, c, p, form;
    for (form = 0; form < 4; form++)
        for (p = 0; p < SOFT + 1; p++)
            for (b = 0; b < COUNT(where); b++)
                for (c = b; c < COUNT(where); c++) {
                    gather g = gather_new(NDG_I64, 30, form == 1 ? 80 : 8,
                                          720);
                    g.depth = form == 1 ? 2 : 1;
                    g.to_pad = form == 2;
                    if (form == 3) {
                        g.n = 24;
                        g.batches = 30;
                    }
                    g.policy = soft[p];
                    good_values(&g);
                    spoil(&g, where[b], g.depth - 1, b);
                    spoil(&g, where[c], 0, c);
                    gather_check(&g);
                }
}

/* ---- runs and blocks -----------------------------------------------------*/

static void test_run_start(void)
{
    static const int run_types[] = { NDG_I32, NDG_I64, NDG_U32, NDG_U64 };
    int t, k, kind, n;
    for (t = 0; t < COUNT(run_types); t++)
        for (kind = 0; kind < 9; kind++)
            for (k = 1; k < 60; k += 1 + (k > 36) * 7)
                for (n = 17; n < 70; n += n < 36 ? 3 : 23) {
                    gather g = gather_new(run_types[t], 1300, 4, 1024 + n);
                    ptrdiff_t i;
                    if (k >= n || (kind > 3 && k % 5 != 1)) continue;
                    good_values(&g);
                    g.policy = NDG_ZERO;
                    for (i = 0; i < g.n; i++) value[i] = 9 + i;
                    for (i = 0; kind > 6 && i < 1024; i++)   /* all are bad, */
                        value[i] = (kind == 7 ? 1400 : 277) + i;  /* or one */
                    i = 1024 + k;
                    if (kind == 0) value[i] += 1;
                    if (kind == 1) value[i] -= 2;
                    if (kind == 2) value[i] += INT64_C(1) << 32;
                    if (kind == 2 && index_bytes(g.type) == 4)
                        value[i] = high(g.type);
                    if (kind == 3 && k > 1) {
                        value[i] = value[i - 1];
                        value[i - 1]++;
                    }
                    if (kind == 4) value[i - 1024] += 1;
                    if (kind == 5) value[1023 - k] = 7;
                    for (; kind == 6 && i < g.n - 1 && i < 1040 + k; i++)
                        value[i]++;
                    gather_check(&g);
                }
}

static void test_copy_run(void)
{
    static const ptrdiff_t sizes[] = { 1, 4, 7, 12, 40, 64, 128 };
    int i, t, b;
    for (i = 0; i < COUNT(sizes); i++)
        for (t = 0; t < COUNT(types); t++)
            for (b = 0; b < 6; b++) {
                gather    g = gather_new(types[t], 1100, sizes[i], 1060);
                ptrdiff_t k;
                if (index_bytes(g.type) < 4) continue;
                good_values(&g);
                g.policy = b == 3 ? NDG_ERROR : NDG_KEEP;
                g.align = 7 * b;
                g.from_pad = b == 2 ? 1 : 0;
                for (k = 0; k < g.n; k++) value[k] = k + 10 * b + (b == 4);
                if (b == 5) value[500] = 3;
                gather_check(&g);
            }
    for (i = 0; i < COUNT(sizes); i++)         /* pairs that look like it */
        for (b = 0; b < 2; b++) {
            gather g = gather_new(b ? NDG_U16 : NDG_I16, 1200, sizes[i],
                                  2100);
            int    k;
            good_values(&g);
            for (k = 0; k < g.n; k++) value[k] = k & 1 ? 0 : 9 + k / 2;
            gather_check(&g);
        }
}

/* Whether a block is near decides which loop runs it, and nothing else. */
static void test_is_near(void)
{
    int t, b;
    ptrdiff_t k;
    for (t = 0; t < COUNT(types); t++)
        for (b = 0; b < 6; b++) {
            gather g = gather_new(types[t], 100, b & 1 ? 400 : 32, 300);
            good_values(&g);
            for (k = 0; k < g.n; k++) value[k] = k / 4 % 90;
            if (b > 3) far_apart(&g);
            if (b > 1) spoil(&g, 222, 0, b);
            g.policy = NDG_ZERO;
            gather_check(&g);
        }
}

static void test_run_block(void)
{
    static const ptrdiff_t bad[] = { 0, 900, 1023, 1024, 2500, 2999 };
    static const int       loose[] = { NDG_ERROR, NDG_ZERO, NDG_WRAP };
    int b, p, k, t;
    for (t = 0; t < COUNT(types); t++)
        for (b = 0; b <= COUNT(bad); b++)
            for (p = 0; p < COUNT(loose); p++) {
                gather g = gather_new(types[t], 100, 8, 3000);
                g.policy = loose[p];
                good_values(&g);
                for (k = b; k < COUNT(bad); k++) spoil(&g, bad[k], 0, k);
                gather_check(&g);
            }
    for (b = 0; b < 6; b++) {        /* more than 16 Ki far rows, and a rest */
        gather g = gather_new(b & 1 ? NDG_I64 : NDG_I32, 5000, 4, 16384 + 40);
        good_values(&g);
        far_apart(&g);
        value[16384] = value[g.n - 1] = 5;     /* which is near */
        g.policy = b > 3 ? NDG_ERROR : NDG_ZERO;
        if (b > 1) spoil(&g, 16390, 0, b);
        gather_check(&g);
    }
}

/* A bad row in the middle of a batch: on from there with the chosen loop. */
static void test_run_job(void)
{
    int form, b, p;
    for (form = 0; form < 8; form++)
        for (p = 0; p < COUNT(soft); p++)
            for (b = 0; b < 24; b++) {
                gather g = gather_new(NDG_I32, 20, 12, form & 4 ? 31 : 10);
                g.batches = form & 4 ? 12 : 40;
                g.batch_pad = form & 1 ? 4 : 0;
                g.to_pad = form & 2;
                g.policy = soft[p];
                good_values(&g);
                spoil(&g, 11 * b + 3, 0, b);
                if (b & 1) spoil(&g, 11 * b + 3 + 65, 0, b);
                gather_check(&g);
            }
    for (form = 0; form < 4; form++)           /* of one batch */
        for (b = 0; b < 300; b += 43) {
            gather g = gather_new(NDG_I32, 9, 12, 600);
            g.depth = form & 1 ? 2 : 1;
            g.negative = form & 1 ? NDG_NEGATIVE_BAD : NDG_NEGATIVE_FROM_END;
            g.policy = form & 2 ? NDG_KEEP : NDG_WRAP;
            good_values(&g);
            spoil(&g, b, 0, b);
            spoil(&g, b + 200, 0, b);
            if (b & 1) g.last = 560;
            gather_check(&g);
        }
}

/* Ranges that begin and end inside batches, short and long ones. */
static void test_advance(void)
{
    static const ptrdiff_t first[] = { 0, 1, 9, 10, 11, 30, 57, 119 };
    int form, i, j, n;
    for (form = 0; form < 6; form++)
        for (n = 10; n < 50; n += 30)
            for (i = 0; i < COUNT(first); i++)
                for (j = 0; j < COUNT(first); j++) {
                    gather g = gather_new(NDG_I32, 15, 4, n);
                    g.batches = 4;
                    g.lines = 3;
                    g.batch_pad = form < 4 ? 7 : 0;
                    g.to_pad = form == 1 ? 2 : 0;
                    g.line_pad = form & 1 ? 5 : 0;
                    if (form == 2) g.depth = 2;
                    if (form == 3) g.from_gap = 1;
                    g.policy = j & 1 ? NDG_ERROR : NDG_ZERO;
                    good_values(&g);
                    if (j & 2) spoil(&g, first[i], 0, j);
                    if (j & 4) spoil(&g, 12 * n - 1 - first[i], 0, j);
                    g.first = first[i];
                    g.last -= first[j];
                    if (g.first < g.last) gather_check(&g);
                }
}

/* Outer steps, each of which leaves behind all that indices can name. */
static void test_apart(void)
{
    static const ptrdiff_t sizes[] = { 4, 12, 80, 130 };
    int i, p, form, b;
    for (i = 0; i < COUNT(sizes); i++)
        for (p = 0; p < COUNT(soft); p++)
            for (form = 0; form < 5; form++)
                for (b = 0; b < 2; b++) {
                    gather g = gather_new(NDG_I16, 20, sizes[i], 70);
                    g.outer = form == 1 ? 1 : 3;
                    if (form == 1 || form == 2) {
                        g.from_planes = 1;
                        g.to_gap = 1;
                    }
                    if (form == 3) g.batches = 2;
                    if (form == 4) g.negative = NDG_NEGATIVE_FROM_END;
                    g.policy = soft[p];
                    good_values(&g);
                    if (b) spoil(&g, 66, 0, p);
                    if (b) spoil(&g, 68, 0, i);
                    gather_check(&g);
                }
}

/* A plan that its user has filled in: all of its rows go by chunks. */
static void test_unchosen(void)
{
    int form, b;
    for (form = 0; form < 6; form++)
        for (b = 0; b < 3; b++) {
            gather g = gather_new(NDG_I32, 20, 12, form == 4 ? 400 : 70);
            g.unchosen = 1;
            if (form == 1) g.to_pad = 2;
            if (form == 2) g.depth = 2;
            if (form == 3) g.outer = 3;
            if (form == 5) g.batches = 3;
            g.policy = b == 1 ? NDG_ERROR : NDG_ZERO;
            good_values(&g);
            if (b) spoil(&g, 33, 0, form);
            if (form == 1) g.first = 5;
            gather_check(&g);
        }
    {   /* out is refused where it lies over the indices */
        ndg_gather_desc d = NDG_ZERO_INIT;
        ndg_gather_plan p;
        ndg_report      r;
        int32_t         both[40];
        memset(both, 0, sizeof both);
        d.params = ndg_dims1(NOISE / 4);
        d.indices = ndg_dims1(20);
        d.elem_size = 4;
        CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK);
        memset(&p.loop, 0, sizeof p.loop);
        CHECK(ndg_gather_run(&p, both + 19, 80, noise, both, &r)
              == NDG_E_OVERLAP && r.operand == NDG_ARG_INDICES);
        CHECK(ndg_gather_run(&p, both + 20, 80, noise, both, &r) == NDG_OK);
    }
}

/* ---- stitches ------------------------------------------------------------*/

typedef struct stitch {
    int       type, policy, gaps;
    ptrdiff_t total, first, last, elems, elem, lists, count[3];
    ptrdiff_t from_gap, to_gap;           /* bytes between elements */
    ptrdiff_t from_pad, to_pad, at_pad;   /* and between rows and indices */
    int       align;
} stitch;

/* One list of n rows of `bytes` bytes, named at most once. */
static stitch stitch_new(int type, ptrdiff_t total, ptrdiff_t bytes,
                         ptrdiff_t n)
{
    stitch    s;
    ptrdiff_t i;
    memset(&s, 0, sizeof s);
    s.type = type;
    s.total = s.last = total;
    s.elem = divisor(bytes);
    s.elems = bytes / s.elem;
    s.lists = 1;
    s.count[0] = n;
    if (total > VALUES || n > total) exit(5);
    for (i = 0; i < total; i++) value[i] = i;
    for (i = 0; i < n; i++) {
        const int64_t j = i + some(total - i), v = value[i];
        value[i] = value[j];
        value[j] = v;
    }
    return s;
}

static void stitch_check(const stitch *s)
{
    const ptrdiff_t from_elem = s->elem + s->from_gap;
    const ptrdiff_t to_elem = s->elem + s->to_gap, at = index_bytes(s->type)
                                                        + s->at_pad;
    const ptrdiff_t from_row = from_elem * s->elems + s->from_pad;
    const ptrdiff_t to_row = to_elem * s->elems + s->to_pad;
    const ptrdiff_t out_span = (s->elems - 1) * to_elem + s->elem;
    const ptrdiff_t bytes = (s->total - 1) * to_row + out_span;
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    ndg_list        list[3];
    ndg_report      r, w;
    unsigned char  *data[3], *indices[3];
    block           out = block_new(bytes, s->align);
    ptrdiff_t       m, i, e, k = 0;
    cases++;
    memset(&w, 0, sizeof w);
    for (i = s->first; i < s->last && s->gaps == NDG_GAPS_ZERO; i++)
        for (e = 0; e < s->elems; e++)
            memset(out.want_at + i * to_row + e * to_elem, 0,
                   (size_t)s->elem);
    for (m = 0; m < s->lists; m++) {
        const ptrdiff_t n = s->count[m];
        data[m] = table_new(n ? (n - 1) * from_row + (s->elems - 1) * from_elem
                                + s->elem : 0);
        indices[m] = (unsigned char *)grab(n ? (n - 1) * at
                                               + index_bytes(s->type) : 0);
        for (i = 0; i < n; i++, k++) {
            int             bad = 0;
            const ptrdiff_t row = place(value[k], s->type, s->total, s->policy,
                                        0, &bad);
            index_put(indices[m] + i * at, s->type, value[k]);
            if (s->at_pad >= index_bytes(s->type) && i < n - 1)
                index_put(indices[m] + i * at + index_bytes(s->type), s->type,
                      value[k] + 1);           /* between: not an index */
            if (bad && s->first == 0)
                note_bad(&w, NDG_OP_DYNAMIC_STITCH, m, i, 0, value[k], s->type,
                         s->total);
            if (bad || row < s->first || row >= s->last) continue;
            for (e = 0; e < s->elems; e++)
                memcpy(out.want_at + row * to_row + e * to_elem, data[m]
                       + i * from_row + e * from_elem, (size_t)s->elem);
        }
        list[m].indices = indices[m];
        list[m].data = data[m];
        list[m].count = n;
        list[m].index_stride = at;
        list[m].data_stride = from_row;
    }
    if (w.bad.count && is_error(s->policy))
        refuse(&w, NDG_OP_DYNAMIC_STITCH, NDG_ARG_INDICES);
    d.slice = ndg_strided1(s->elems, from_elem);
    d.out_slice = ndg_strided1(s->elems, to_elem);
    d.out_stride = to_row;
    d.elem_size = s->elem;
    d.index_type = s->type;
    d.policy = s->policy;
    d.gaps = s->gaps;
    CHECK(ndg_plan_stitch(&p, &d, &r) == NDG_OK);
    ndg_stitch_run_range(&p, out.at, bytes, s->total, list, s->lists, s->first,
                         s->last, 0, 0, &r);
    report_check(&r, &w, !w.status, "stitch");
    bytes_check(&out, w.status, s->gaps == NDG_GAPS_ZERO, "stitch");
    for (m = 0; m < s->lists; m++) {
        free(data[m]);
        free(indices[m]);
    }
    block_free(&out);
}

static void spoil_entry(const stitch *s, ptrdiff_t entry, int turn)
{
    value[entry] = bad_value(s->type, 0, s->total, turn);
}

static const int drop[] = { NDG_DROP, NDG_ERROR, NDG_DEFAULT };

/* To all of out, by indices of 4 bytes. */
static void test_pick_whole(void)
{
    int i, p, form, b;
    for (i = 0; i <= COUNT(kinds); i++)
        for (p = 0; p < COUNT(drop); p++)
            for (form = 0; form < 6; form++)
                for (b = 0; b < 3; b++) {
                    stitch s = stitch_new(form & 1 ? NDG_U32 : NDG_I32, 90,
                                          i == COUNT(kinds) ? 129 : kinds[i],
                                          70);
                    s.policy = drop[p];
                    s.gaps = form & 1 ? NDG_GAPS_KEEP : NDG_GAPS_ZERO;
                    s.from_pad = form == 2 ? 3 : 0;
                    s.to_pad = form == 3 ? 5 : 0;
                    s.at_pad = form == 4 ? 1 : 0;
                    s.align = form == 5 ? 4 : 0;
                    if (b) spoil_entry(&s, 37, form + b);
                    if (b) spoil_entry(&s, 38 * b, i);
                    stitch_check(&s);
                }
}

/* Rows whose indices count up are one copy. */
static void test_copy_run_scattered(void)
{
    int i, b, k;
    for (i = 0; i < COUNT(kinds); i++)
        for (b = 0; b < 13; b++) {
            stitch s = stitch_new(NDG_I32, 1300, kinds[i], b == 4 ? 17
                                  : b == 12 ? 500 : 1024 + 3 * b);
            s.policy = b == 2 ? NDG_ERROR : NDG_DROP;
            s.align = b;
            s.from_pad = b == 7 ? 1 : 0;
            s.to_pad = b == 8 ? 2 : 0;
            s.at_pad = b == 9 ? 1 : 0;
            for (k = 0; k < s.count[0]; k++) value[k] = k + 20 * b + 7;
            if (b == 3) value[5] = 3;
            if (b == 1) value[800] = 1290;
            if (b == 10 || b == 11) value[1024 + b] = 2;
            if (b == 5) s.first = 200;         /* a range takes its own only */
            if (b == 6) s.last = 700;
            if (b == 12) s.at_pad = 4;         /* as if they counted up */
            for (k = 0; b == 12 && k < 500; k++) value[k] = 9 + 2 * k;
            stitch_check(&s);
        }
    for (i = 0; i < COUNT(kinds); i++) {       /* pairs that look like it */
        stitch s = stitch_new(NDG_U16, 2300, kinds[i], 2100);
        for (k = 0; k < 2100; k++) value[k] = k & 1 ? 0 : 9 + k / 2;
        stitch_check(&s);
    }
}

/* Which entries a range picks. */
static void test_pick(void)
{
    int t, i, b, p;
    for (t = 0; t < COUNT(types); t++)
        for (i = 0; i < 6; i++)
            for (p = 0; p < 2; p++)
                for (b = 0; b < 2; b++) {
                    stitch s = stitch_new(types[t], 120, 12, 119);
                    s.policy = drop[p];
                    s.gaps = b ? NDG_GAPS_KEEP : NDG_GAPS_ZERO;
                    s.first = i < 2 ? 0 : 10 * i;
                    s.last = i == 0 ? 120 : i == 1 ? 1 : 30 + 15 * i;
                    s.at_pad = b;
                    if (b) spoil_entry(&s, 67, t + i);
                    if (b) spoil_entry(&s, 100, t + i + 1);
                    stitch_check(&s);
                }
    for (t = 0; t < COUNT(types); t++)         /* more rows than a type names */
        for (b = 0; b < 3; b++) {
            stitch s = stitch_new(types[t], 300, 4, 100);
            for (i = 0; i < 100; i++) value[i] = i ^ 5;
            s.policy = NDG_DROP;
            s.first = b == 1 ? 200 : 0;
            s.last = b == 2 ? 299 : 300;
            spoil_entry(&s, 67, 0);
            stitch_check(&s);
        }
}

/* More entries than one look takes, of which a few are wanted, or many. */
static void test_pick_many(void)
{
    int i, b, k;
    for (i = 0; i < 4; i++)
        for (b = 0; b < 3; b++) {
            stitch s = stitch_new(i & 1 ? NDG_I64 : NDG_I16, 2000, 4, 1999);
            s.policy = drop[b & 1];
            s.gaps = NDG_GAPS_KEEP;
            s.first = i < 2 ? 0 : 700;
            s.last = i < 2 ? 900 : 708;
            for (k = 300; b && k < 1900; k += 123) spoil_entry(&s, k, k);
            stitch_check(&s);
        }
}

/* Scattered rows in one piece and in several, packed or not. */
static void test_move_scattered(void)
{
    int i, steps, b;
    for (i = 0; i <= COUNT(kinds); i++)
        for (steps = 1; steps < 4; steps++)
            for (b = 0; b < 3; b++) {
                stitch s = stitch_new(b ? NDG_I64 : NDG_I32, 100, 4, 90);
                s.elem = i == COUNT(kinds) ? 200 : kinds[i];
                s.elems = steps;
                s.from_gap = steps > 1 ? 1 : 0;
                s.to_gap = steps == 3 ? 2 : 0;
                s.from_pad = b;
                s.to_pad = b == 2 ? 3 : 0;
                s.last = b == 1 ? 60 : 100;
                stitch_check(&s);
            }
}

/* Block after block, list after list; to all of out or to some of it. */
static void test_run_scattered(void)
{
    static const ptrdiff_t bad[] = { 0, 63, 64, 1023, 1024, 1100, 2900 };
    int t, p, b, k, c;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(drop); p++)
            for (b = 0; b <= COUNT(bad); b++) {
                stitch s = stitch_new(types[t], 3500, 4, 3000);
                if (index_bytes(s.type) == 1) continue;
                s.policy = drop[p];
                for (k = b; k < COUNT(bad); k++) spoil_entry(&s, bad[k], k);
                stitch_check(&s);
            }
    for (c = 0; c < 3; c++)                    /* the later entry wins */
        for (b = 0; b < 3; b++) {
            stitch s = stitch_new(c ? NDG_I64 : NDG_I32, 200, 7, 200);
            s.lists = 3;
            s.count[0] = 0;
            s.count[1] = 130;
            s.count[2] = 70;
            s.policy = NDG_DROP;
            for (k = 0; k < 200; k++) value[k] = some(50 + 75 * b);
            if (b) spoil_entry(&s, 130, b);
            if (c == 2) s.last = 40;
            stitch_check(&s);
        }
}

/* The rows that indices ask for. */
static void test_peak(void)
{
    static const ptrdiff_t counts[] = { 1, 2, 70 };
    int t, c, b, p, k;
    for (t = 0; t < COUNT(types); t++)
        for (c = 0; c < COUNT(counts); c++)
            for (b = 0; b < 9; b++)
                for (p = 0; p < 2; p++) {
                    const ptrdiff_t n = counts[c], at = index_bytes(types[t])
                                                        + (b & 1);
                    ndg_stitch_desc d = NDG_ZERO_INIT;
                    ndg_stitch_plan plan;
                    ndg_list        list[2];
                    ndg_report      r, w;
                    unsigned char  *indices = (unsigned char *)grab(
                        (2 * n - 1) * at + index_bytes(types[t]));
                    ptrdiff_t       total = -7, rows = 0;
                    cases++;
                    for (k = 0; k < 2 * n; k++) value[k] = some(100);
                    if (b == 2) value[n - 1] = 120;
                    if (b == 3) value[n] = 127;
                    if (b > 3 && is_signed(types[t]))
                        value[b == 4 ? 0 : n] = b & 1 ? -1 : low(types[t]);
                    if (b > 3 && types[t] == NDG_U64) value[b == 4] = -b;
                    if (b > 5) value[2 * n - 1] = 126;
                    if (b == 8 && index_bytes(types[t]) == 8)
                        value[2 * n - 1] = INT64_MAX;
                    memset(&w, 0, sizeof w);
                    for (k = 0; k < 2 * n; k++) {
                        index_put(indices + k * at, types[t], value[k]);
                        if (value[k] < 0)
                            note_bad(&w, NDG_OP_DYNAMIC_STITCH, k / n, k % n,
                                     0, value[k], types[t], PTRDIFF_MAX);
                        else if (value[k] >= rows && value[k] < INT64_MAX)
                            rows = (ptrdiff_t)value[k] + 1;
                    }
                    if (w.bad.count && drop[p] != NDG_DROP) {
                        refuse(&w, NDG_OP_DYNAMIC_STITCH, NDG_ARG_INDICES);
                        rows = 0;
                    }
                    if (!w.status && value[2 * n - 1] == INT64_MAX) {
                        refuse(&w, NDG_OP_DYNAMIC_STITCH, NDG_ARG_OUT);
                        w.status = NDG_E_OVERFLOW;
                        rows = 0;
                    }
                    for (k = 0; k < 2; k++) {
                        list[k].indices = indices + k * n * at;
                        list[k].data = noise;
                        list[k].count = n;
                        list[k].index_stride = at;
                        list[k].data_stride = 0;
                    }
                    d.elem_size = 1;
                    d.index_type = types[t];
                    d.policy = drop[p];
                    CHECK(ndg_plan_stitch(&plan, &d, &r) == NDG_OK);
                    ndg_stitch_total(&plan, list, 2, &total, &r);
                    report_check(&r, &w, 1, "total");
                    CHECKF(total == rows, "%s, case %d: %ld rows, not %ld",
                           test, cases, (long)total, (long)rows);
                    free(indices);
                }
}

/* ---- partitions ----------------------------------------------------------*/

typedef struct split {
    int       type, positions, policy;    /* positions: their type, or -1 */
    ptrdiff_t rows, parts, first, last, elems, elem;
    ptrdiff_t from_gap, to_gap, from_pad, to_pad, at_pad;
    ptrdiff_t tight;                      /* a part short of a row, or -1 */
    ptrdiff_t spare;                      /* rows that each part could take */
    int       align;                      /* of each part */
} split;

static split split_new(int type, ptrdiff_t parts, ptrdiff_t bytes,
                       ptrdiff_t rows)
{
    split     s;
    ptrdiff_t i;
    memset(&s, 0, sizeof s);
    s.type = type;
    s.positions = -1;
    s.rows = s.last = rows;
    s.parts = parts;
    s.elem = divisor(bytes);
    s.elems = bytes / s.elem;
    s.tight = -1;
    for (i = 0; i < rows; i++) value[i] = good_value(type, 0, parts);
    return s;
}

static void spoil_id(const split *s, ptrdiff_t row, int turn)
{
    value[row] = bad_value(s->type, 0, s->parts, turn);
}

/* A partition whose arrays are there. */
typedef struct parting {
    const split       *s;
    ndg_partition_plan plan;
    unsigned char     *data, *ids;
    block              out[PARTS], place[PARTS];
    ptrdiff_t          cursor[PARTS], start[PARTS], limit[PARTS], end[PARTS];
} parting;

static ptrdiff_t to_row_of(const split *s)
{
    return (s->elem + s->to_gap) * s->elems + s->to_pad;
}

static ptrdiff_t from_row_of(const split *s)
{
    return (s->elem + s->from_gap) * s->elems + s->from_pad;
}

/* Counts the rows of each part, and checks that the library does so too. */
static void split_count(parting *t)
{
    const split *s = t->s;
    ptrdiff_t    counts[PARTS], want[PARTS], i;
    ndg_report   r, w;
    memset(&w, 0, sizeof w);
    memset(want, 0, sizeof want);
    memset(t->start, 0, sizeof t->start);
    for (i = 0; i < s->last; i++) {
        int             bad = 0;
        const ptrdiff_t k = place(value[i], s->type, s->parts, 0, 0, &bad);
        if (i < s->first) {
            if (!bad) t->start[k]++;
        } else if (bad) note_bad(&w, NDG_OP_DYNAMIC_PARTITION, 0, i, 0,
                                 value[i], s->type, s->parts);
        else want[k]++;
    }
    if (w.bad.count && is_error(s->policy))
        refuse(&w, NDG_OP_DYNAMIC_PARTITION, NDG_ARG_PARTITIONS);
    ndg_partition_count(&t->plan, t->ids, s->first, s->last, counts, &r);
    report_check(&r, &w, 1, "count");
    CHECKF(!memcmp(counts, want, (size_t)s->parts * sizeof *want),
           "%s, case %d: other counts", test, cases);
    for (i = 0; i < s->parts; i++)
        t->limit[i] = t->start[i] + want[i] + s->spare
                    - (i == s->tight && want[i] > 0);
}

/* The plain loop, up to the row that ends the run. */
static void split_expect(parting *t, ndg_report *w)
{
    const split *s = t->s;
    ptrdiff_t    i, e;
    memset(w, 0, sizeof *w);
    memcpy(t->end, t->start, sizeof t->end);
    for (i = s->first; i < s->last && !w->status; i++) {
        int             bad = 0;
        const ptrdiff_t k = place(value[i], s->type, s->parts, 0, 0, &bad);
        if (bad) {
            note_bad(w, NDG_OP_DYNAMIC_PARTITION, 0, i, 0, value[i], s->type,
                     s->parts);
            if (is_error(s->policy))
                refuse(w, NDG_OP_DYNAMIC_PARTITION, NDG_ARG_PARTITIONS);
        } else if (t->end[k] == t->limit[k]) {
            refuse(w, NDG_OP_DYNAMIC_PARTITION, NDG_ARG_OUT);
            w->status = NDG_E_CAPACITY;
            w->item = k;
            w->value = t->limit[k];
            w->bound = t->limit[k] + 1;
        } else {
            const ptrdiff_t row = t->end[k]++;
            for (e = 0; e < s->elems; e++)
                memcpy(t->out[k].want_at + row * to_row_of(s)
                       + e * (s->elem + s->to_gap), t->data
                       + i * from_row_of(s) + e * (s->elem + s->from_gap),
                       (size_t)s->elem);
            if (s->positions >= 0)
                index_put(t->place[k].want_at + row * index_bytes(s->positions),
                      s->positions, i);
        }
    }
}

/* What lies behind the rows that a part was given is untouched. */
static void split_compare(parting *t, ptrdiff_t k)
{
    const split *s = t->s;
    ptrdiff_t    row, e;
    for (row = t->cursor[k]; row < t->end[k]; row++) {
        for (e = 0; e < s->elems; e++)
            memset(t->out[k].want_at + row * to_row_of(s)
                   + e * (s->elem + s->to_gap), FRESH, (size_t)s->elem);
        if (s->positions >= 0)
            memset(t->place[k].want_at + row * index_bytes(s->positions), FRESH,
                   (size_t)index_bytes(s->positions));
    }
    bytes_check(&t->out[k], 0, 0, "part");
    bytes_check(&t->place[k], 0, 0, "positions");
}

static void split_check(const split *s)
{
    static parting     t;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_report         r, w;
    void              *outs[PARTS], *places[PARTS];
    const ptrdiff_t    at = index_bytes(s->type) + s->at_pad;
    ptrdiff_t          dims[2], steps[2], i;
    int                done = 1;
    cases++;
    t.s = s;
    dims[0] = s->rows;
    dims[1] = s->elems;
    steps[0] = from_row_of(s);
    steps[1] = s->elem + s->from_gap;
    d.data = ndg_dims(2, dims, steps);
    d.partitions = ndg_strided1(s->rows, at);
    d.out_slice = ndg_strided1(s->elems, s->elem + s->to_gap);
    d.out_stride = to_row_of(s);
    d.elem_size = s->elem;
    d.num_partitions = s->parts;
    d.index_type = s->type;
    d.position_type = s->positions < 0 ? NDG_I32 : s->positions;
    d.policy = s->policy;
    CHECK(ndg_plan_partition(&t.plan, &d, &r) == NDG_OK);
    t.data = table_new((s->rows - 1) * steps[0] + (s->elems - 1) * steps[1]
                       + s->elem);
    t.ids = (unsigned char *)grab((s->rows - 1) * at + index_bytes(s->type));
    for (i = 0; i < s->rows; i++)
        index_put(t.ids + i * at, s->type, value[i]);
    split_count(&t);
    for (i = 0; i < s->parts; i++) {
        t.out[i] = block_new(t.limit[i] * to_row_of(s), s->align);
        t.place[i] = block_new(s->positions < 0 ? 0
                               : t.limit[i] * index_bytes(s->positions), 0);
        outs[i] = t.out[i].at;
        places[i] = t.place[i].at;
    }
    split_expect(&t, &w);
    memcpy(t.cursor, t.start, sizeof t.cursor);
    ndg_partition_run_range(&t.plan, outs, s->positions < 0 ? 0 : places,
                            t.data, t.ids, s->first, s->last, t.cursor,
                            t.limit, &r);
    report_check(&r, &w, w.status != NDG_E_INDEX, "partition");
    for (i = 0; i < s->parts; i++) {
        done &= w.status ? t.start[i] <= t.cursor[i] && t.cursor[i] <= t.end[i]
                         : t.cursor[i] == t.end[i];
        if (w.status == NDG_E_CAPACITY && i == w.item)
            done &= t.cursor[i] == t.limit[i];
    }
    CHECKF(done, "%s, case %d: other cursors", test, cases);
    for (i = 0; i < s->parts; i++) {
        if (done) split_compare(&t, i);
        block_free(&t.out[i]);
        block_free(&t.place[i]);
    }
    free(t.data);
    free(t.ids);
}

/* Rows and ids that are packed, and not quite. */
static void test_deal_rows(void)
{
    int i, p, form, b;
    for (i = 0; i <= COUNT(kinds); i++)
        for (p = 0; p < COUNT(drop); p++)
            for (form = 0; form < 6; form++)
                for (b = 0; b < 4; b++) {
                    split s = split_new(form & 1 ? NDG_U32 : NDG_I32, 5,
                                        i == COUNT(kinds) ? 192 : kinds[i],
                                        90);
                    s.policy = drop[p];
                    s.from_pad = form == 1 ? 3 : 0;
                    s.to_pad = form == 2 ? 5 : 0;
                    s.at_pad = form == 3 ? 1 : 0;
                    if (form > 3) s.positions = form == 4 ? NDG_I32 : NDG_U8;
                    if (form == 5) s.first = 21;
                    if (b & 1) spoil_id(&s, 70, i + form);
                    if (b & 2) s.tight = 3;
                    split_check(&s);
                }
}

/* By ids of every width; positions of every width. */
static void test_deal_widths(void)
{
    int t, p, form, b;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(drop); p++)
            for (form = 0; form < 9; form++)
                for (b = 0; b < 6; b++) {
                    split s = split_new(types[t], 5, form == 1 ? 129 : 12,
                                        255);
                    s.policy = drop[p];
                    s.positions = form < 8 ? types[form] : -1;
                    if (s.positions == NDG_I8) s.last = 120;
                    s.from_pad = s.to_pad = form == 2 ? 3 : 0;
                    s.at_pad = form & 1 ? 1 : 0;
                    s.first = form == 5 ? 9 : 0;
                    if (b > 1) spoil_id(&s, 3 + 32 * (b - 2), b + form);
                    if (b > 2) spoil_id(&s, 101, t);
                    if (b & 1) s.tight = form % 5;
                    split_check(&s);
                }
}

/* Bad ids among good ones, which are dropped, or end the run. */
static void test_deal_dropped(void)
{
    static const ptrdiff_t bad[] = { 0, 1, 64, 200, 255, 256, 700, 1199 };
    int t, p, b, k, tight;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(drop); p++)
            for (b = 0; b <= COUNT(bad); b++)
                for (tight = 0; tight < 2; tight++) {
                    split s = split_new(types[t], b & 1 ? 9
                                        : b & 2 ? PARTS : 200, 4, 1200);
                    s.policy = drop[p];
                    s.spare = b & 2;
                    s.tight = tight ? b % 9 : -1;
                    for (k = b; k < COUNT(bad); k += 1 + (b & 1))
                        spoil_id(&s, bad[k], k);
                    split_check(&s);
                }
}

/* Two parts. */
static void test_deal_two(void)
{
    int i, p, b, k, type;
    for (i = 0; i <= COUNT(kinds); i++)
        for (p = 0; p < COUNT(drop); p++)
            for (type = 0; type < 2; type++)
                for (b = 0; b < 12; b++) {
                    split s = split_new(type ? NDG_U32 : NDG_I32, 2,
                                        i == COUNT(kinds) ? 192 : kinds[i],
                                        300);
                    s.policy = drop[p];
                    s.first = b == 1 ? 33 : 0;
                    s.last = b == 2 ? 290 : 300;
                    if (b == 3) s.tight = type;
                    if (b == 4) spoil_id(&s, 150, i);
                    for (k = 9; b == 5 && k < 300; k += 1 + (int)some(60))
                        spoil_id(&s, k, k);
                    if (b == 6) spoil_id(&s, 100, 1);      /* the id 2 */
                    for (k = 0; (b == 7 || b == 11) && k < 300; k++)
                        value[k] = k < 150;
                    if (b == 11) s.first = 20;
                    if (b == 11) s.tight = 1;
                    s.from_pad = b == 8 ? 1 : 0;
                    s.to_pad = b == 9 ? 3 : 0;
                    s.at_pad = b == 10 ? 2 : 0;
                    split_check(&s);
                }
}

/* Which loop deals: two parts or more, by ids that only look packed, to parts
 * that do or do not begin where a line does. */
static void test_deal(void)
{
    static const ptrdiff_t sizes[] = { 1, 4, 8, 16, 64, 96, 192 };
    int i, t, parts, form;
    for (i = 0; i < COUNT(sizes); i++)
        for (t = 0; t < COUNT(types); t++)
            for (parts = 1; parts < 4; parts++)
                for (form = 0; form < 5; form++) {
                    split s = split_new(types[t], parts, sizes[i], 200);
                    s.policy = form & 1 ? NDG_DROP : NDG_ERROR;
                    s.at_pad = form < 3 && index_bytes(s.type) < 4
                             ? 4 - index_bytes(s.type) : 0;
                    s.align = form == 2 ? 32 : 0;
                    if (form == 3) s.positions = NDG_I64;
                    if (form == 4) s.elems *= 2;
                    if (form == 4) s.from_gap = 1;
                    if (form == 1) spoil_id(&s, 70, t);
                    if (form == 1) spoil_id(&s, 199, i);
                    split_check(&s);
                }
}

static void count_check(const split *s)
{
    split t = *s;
    t.positions = -1;
    split_check(&t);
}

/* Few parts and many, by packed ids and others. */
static void test_tally(void)
{
    static const ptrdiff_t parts[] = { 1, 3, 64, 65, 300 };
    int t, p, n, form;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(parts); p++)
            for (n = 1; n < 500; n += n < 9 ? 1 : 163)
                for (form = 0; form < 3; form++) {
                    split s = split_new(types[t], parts[p], 1, n);
                    s.at_pad = form == 1 ? 2 : 0;
                    s.first = form == 2 && n > 3 ? 3 : 0;
                    count_check(&s);
                }
}

/* Bad ids among those that are counted. */
static void test_count_ids(void)
{
    static const ptrdiff_t parts[] = { 1, 7, 64, 100, 300 };
    int t, p, b, k, c;
    for (t = 0; t < COUNT(types); t++)
        for (p = 0; p < COUNT(parts); p++)
            for (b = 0; b < 10; b++)
                for (c = 0; c < 2; c++) {
                    split s = split_new(types[t], parts[p], 1, 700);
                    s.policy = drop[c];
                    s.first = b == 9 ? 5 : 0;
                    s.at_pad = b & 1;
                    for (k = 29 * b; k < 690; k += b < 5 ? 300 : 13)
                        spoil_id(&s, k, b + (b < 5 ? 0 : k));
                    count_check(&s);
                }
}

/* ---- past the caches -----------------------------------------------------*/

/* Zeroes and long copies, at every distance from a line. */
static void test_stream(void)
{
    int a, b;
    ptrdiff_t k;
    for (a = 0; a < 64; a += 3)
        for (b = 0; b < 2; b++) {
            stitch s = stitch_new(NDG_I32, 1500 + a, 7, b ? 1200 : 2);
            s.align = a;
            if (b)
                for (k = 0; k < 1200; k++) value[k] = k + a;
            stitch_check(&s);
        }
    for (a = 0; a < 64; a += 5) {
        gather g = gather_new(NDG_I32, 1400, 3, 1100);
        good_values(&g);
        g.align = a;
        for (k = 0; k < g.n; k++) value[k] = k + a;
        gather_check(&g);
    }
}

/* ---- all -----------------------------------------------------------------*/

int main(int argc, char **argv)
{
#define TEST(name) { #name, test_##name }
    static const struct {
        const char *name;
        void      (*run)(void);
    } tests[] = {
        TEST(packed), TEST(limit), TEST(packed_calls), TEST(packed_ahead),
        TEST(any), TEST(any_kinds), TEST(tuples_from_end), TEST(tuples),
        TEST(near), TEST(near_short), TEST(batches), TEST(near_bad),
        TEST(find), TEST(find_pieces), TEST(placed), TEST(numbers),
        TEST(places), TEST(places_extents), TEST(unit), TEST(unit_reach),
        TEST(find_none), TEST(move_put), TEST(next_chunk), TEST(move_rows),
        TEST(move_steps), TEST(copy_steps), TEST(move), TEST(move_lines),
        TEST(blame), TEST(run_chunks), TEST(run_start), TEST(copy_run),
        TEST(is_near), TEST(run_block), TEST(run_job), TEST(advance),
        TEST(apart), TEST(unchosen), TEST(pick_whole),
        TEST(copy_run_scattered), TEST(pick), TEST(pick_many),
        TEST(move_scattered), TEST(run_scattered), TEST(peak), TEST(tally),
        TEST(count_ids), TEST(deal_rows), TEST(deal_widths),
        TEST(deal_dropped), TEST(deal_two), TEST(deal), TEST(stream)
    };
    int i;
    noise_make();
    for (i = 0; i < COUNT(tests); i++) {
        if (argc > 1 && strcmp(argv[1], tests[i].name)) continue;
        test = tests[i].name;
        cases = 0;
        tests[i].run();
    }
    return test_end(TEST_NAME);
}
