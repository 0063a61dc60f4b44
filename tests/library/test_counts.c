/* test_counts.c - what the fast engine does to get its results, counted. A
 * threshold or a choice of loop that is wrong changes no result; it only takes
 * longer, which no clock tells reliably. So the header is included here with
 * functions in place of what it is built on (a copy, a prefetch, a store past
 * the caches, a fence, a branch deemed rare, the reading of an index) that do
 * the same and count it. They are called as the source says, whatever the
 * compiler makes of it: the counts are the same with each and at any level.
 *
 * A cell is one call of an op. Its result is compared with a plain loop's, its
 * counts with those in counts.h. Those are no promise: who changes the engine
 * on purpose has the table written anew and reads in the diff what it costs.
 *
 *     build/test_counts                        compares
 *     build/test_counts write >tests/library/counts.h
 *     build/test_counts show WORD              the counts of cells so named
 *
 * What must hold however the engine is written is said at the end, as limits.
 * A far table is one of more than 64 KiB here, and more than 256 KiB of output
 * are streamed: so cells at these sizes stay small. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/test.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { FAR = 1 << 16, STREAM = 1 << 18 };

/* ---- what is counted -----------------------------------------------------*/

/* Copies and their bytes; indices read; branches deemed rare, which tell which
 * loop it was; turns from indices to rows, which tell how many are taken at a
 * time; lines asked for, and those that were used, but not at once; copies in
 * out and table more than a page from the one before; stores of 16 bytes past
 * the caches, and fences. */
enum { COPIES, BYTES, READS, BRANCHES, TURNS, ASKED, MET, JUMPS, STORED, FENCES,
       COUNTS };

static const char *const count_name[COUNTS] = {
    "copies", "bytes copied", "indices read", "rare branches",
    "turns to rows", "lines asked for", "lines asked for in time", "jumps",
    "streamed stores", "fences"
};

static long counted[COUNTS];
static long misplaced;          /* streamed stores at no multiple of 16 */

/* All arrays of a cell lie in here, at addresses that differ by the same in
 * each build: what lies elsewhere, on the stack, is not looked at. */
enum { PAGE = 4096, TABLE = 3 << 20, INDICES = 1 << 20, OUT = 6 << 20,
       SCRATCH = 1 << 16, ROOM = TABLE + INDICES + OUT + SCRATCH };

static unsigned char arrays[ROOM + PAGE], *arena;

/* When a line was asked for, in pieces written to arrays; 0: it was not. */
static long      asked_at[ROOM / 64 + 1], now = 1, started;
static ptrdiff_t last_from, last_to;
static int       reading;       /* no row since the last index */

/* Where p lies in the arrays; negative: elsewhere. */
static ptrdiff_t place_of(uintptr_t p)
{
    const uintptr_t at = p - (uintptr_t)arena;
    return at < ROOM ? (ptrdiff_t)at : -1;
}

static void used(ptrdiff_t at, ptrdiff_t n)
{
    ptrdiff_t line = at / 64;
    const ptrdiff_t last = (at + n - 1) / 64;
    for (; n > 0 && line <= last && line <= ROOM / 64; line++) {
        counted[MET] += asked_at[line] >= started && now - asked_at[line] >= 8;
        asked_at[line] = 0;
    }
}

static void step_to(ptrdiff_t *last, ptrdiff_t at)
{
    counted[JUMPS] += at - *last >= PAGE || *last - at >= PAGE;
    *last = at;
}

static void count_moved(void *d, const void *s, ptrdiff_t n)
{
    const ptrdiff_t to = place_of((uintptr_t)d), from = place_of((uintptr_t)s);
    if (from >= 0) used(from, n);
    if (to < 0) return;
    used(to, n);
    now++;
    counted[TURNS] += reading;
    reading = 0;
    step_to(&last_to, to);
    if (from >= 0) step_to(&last_from, from);
}

static void *count_copy(void *d, const void *s, size_t n)
{
    counted[COPIES]++;
    counted[BYTES] += (long)n;
    count_moved(d, s, (ptrdiff_t)n);
    return memcpy(d, s, n);
}

#undef NDG_SMALL
#define NDG_SMALL 0
#undef NDG_STATIC               /* a program that has another copy linked */
#define NDG_STATIC
#undef NDGI_FAR_BYTES
#define NDGI_FAR_BYTES    ((ptrdiff_t)FAR)
#undef NDGI_STREAM_BYTES
#define NDGI_STREAM_BYTES ((ptrdiff_t)STREAM)
#undef NDG_MEMCPY
#define NDG_MEMCPY(d, s, n) count_copy((d), (s), (n))
#undef NDGATHER_IMPLEMENTATION
#define NDGATHER_IMPLEMENTATION

/* 64 bits, GNU C and SSE2: all is counted. */
#if defined(__GNUC__) && !defined(__TINYC__) && defined(__SSE2__) \
    && defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ == 8
#define COUNTED 1

typedef long long sse __attribute__((vector_size(16), may_alias));

static void count_prefetch(const void *p)
{
    const ptrdiff_t at = place_of((uintptr_t)p);
    counted[ASKED]++;
    if (at >= 0) asked_at[at / 64] = now;
}

static void count_store(void *to, sse v)
{
    counted[STORED]++;
    misplaced += (uintptr_t)to % 16 != 0;
    count_moved(to, to, 16);
    memcpy(to, &v, 16);
}

static void count_read(void)
{
    counted[READS]++;
    reading = 1;
}

static int count_branch(int x)
{
    counted[BRANCHES]++;
    return x;
}

#ifdef __clang__
#pragma GCC diagnostic ignored "-Wkeyword-macro"
#endif
#define __builtin_prefetch(p, rw, where)  count_prefetch(p)
#define __builtin_expect(x, value)        count_branch(x)
#define __builtin_nontemporal_store(v, p) count_store((p), (v))
#define __builtin_ia32_movntdq(p, v)      count_store((p), (v))
#define __builtin_ia32_sfence()           (void)counted[FENCES]++
#define __asm__(...)                      count_read()
#include "ndgather.h"
#undef __builtin_prefetch
#undef __builtin_expect
#undef __builtin_nontemporal_store
#undef __builtin_ia32_movntdq
#undef __builtin_ia32_sfence
#undef __asm__

#else
#define COUNTED 0
#include "ndgather.h"
#endif
#include "../lib/arrays.h"

static unsigned char *table, *ids, *out, *scratch;
static unsigned char  want_room[OUT], *want;

/* ---- the table -----------------------------------------------------------*/

typedef struct row { const char *name; long count[COUNTS]; } row;

static const row expected[] = {
#include "counts.h"
    { 0, { 0 } }
};

enum { COMPARE, WRITE, SHOW };

static char        name[160];           /* of the cell at hand */
static int         mode, cell;
static int         limiting;            /* it is none of the table */
static const char *shown;

static void begin(void)
{
    memset(counted, 0, sizeof counted);
    started = ++now;
    now += 8;
    last_from = last_to = reading = 0;
}

static void print_cell(void)
{
    int k;
    printf("    { \"%s\",\n      {", name);
    for (k = 0; k < COUNTS; k++) printf("%s %ld", k ? "," : "", counted[k]);
    printf(" } },\n");
}

/* Ends a cell of so many rows, whose result is right or not. */
static void end(ptrdiff_t rows, int right)
{
    const row *e = &expected[cell < COUNT(expected) ? cell
                                                    : COUNT(expected) - 1];
    int        k;
    if (limiting) {
        CHECKF(right, "%s: another result than a plain loop's", name);
        return;
    }
    cell++;
    if (mode == WRITE || (mode == SHOW && strstr(name, shown))) print_cell();
    CHECKF(right, "%s: another result than a plain loop's", name);
    CHECKF(misplaced == 0, "%s: %ld streamed stores at no multiple of 16",
           name, misplaced);
    misplaced = 0;
    if (mode != COMPARE || !COUNTED) return;
    CHECKF(e->name && !strcmp(e->name, name), "cell %d is \"%s\", in counts.h "
           "it is \"%s\": have it written anew", cell, name,
           e->name ? e->name : "none");
    if (!e->name || strcmp(e->name, name)) return;
    for (k = 0; k < COUNTS; k++)
        CHECKF(counted[k] == e->count[k], "%s: %ld %s, not %ld: %.3f a row, "
               "not %.3f", name, counted[k], count_name[k], e->count[k],
               (double)counted[k] / (double)(rows + !rows),
               (double)e->count[k] / (double)(rows + !rows));
}

/* ---- numbers and indices -------------------------------------------------*/

static random_source dice;

/* 0 ... n-1 */
static ptrdiff_t some(ptrdiff_t n)
{
    return (ptrdiff_t)(random_bits(&dice) % (uint64_t)n);
}

static const char *const policy_name[] = {
    "default", "error", "zero", "fill", "clip", "wrap", "keep", "valid"
};

static int is_signed(int type) { return type < NDG_U8; }

/* The largest number of a type that an int64_t holds. */
static int64_t high(int type)
{
    static const int64_t most[8] = {
        INT32_MAX, INT8_MAX, INT16_MAX, INT64_MAX, UINT8_MAX, UINT16_MAX,
        UINT32_MAX, INT64_MAX
    };
    return most[type];
}

/* What becomes of v in 0 ... extent-1; -1: it has no place. */
static ptrdiff_t place(int64_t v, ptrdiff_t extent, int policy, int negative,
                       int *bad)
{
    int64_t m;
    if (v < 0 && negative == NDG_NEGATIVE_FROM_END) v += extent;
    if (v >= 0 && v < extent) return (ptrdiff_t)v;
    *bad = 1;
    if (policy == NDG_CLIP) return v < 0 ? 0 : extent - 1;
    if (policy != NDG_WRAP) return -1;
    m = v % extent;
    return (ptrdiff_t)(m < 0 ? m + extent : m);
}

/* A bad index of a type that has one. */
static int64_t bad_value(int type, ptrdiff_t extent, int ends, ptrdiff_t turn)
{
    const int64_t up = extent > high(type) ? high(type) : extent;
    if (turn % 3 == 0 || (!is_signed(type) && turn % 3 == 1)) return up;
    if (turn % 3 == 2 && high(type) > extent) return high(type);
    return is_signed(type) ? (ends ? -extent - 1 : -1) : up;
}

/* How indices follow each other. NEAR: within `spread` rows; the first and the
 * last of 1024 just so far apart. LOW, HIGH: the first or the last row, but the
 * other each 16th time. */
enum { RANDOM, UP, RUNS, DOWN, SAME, NEAR, SHUFFLED, LOW, HIGH };
static const char *const order_name[] = {
    "random", "up", "runs", "down", "same", "near", "shuffled", "low", "high"
};

/* Index i of n, below `rows`. SHUFFLED: each once, if n is `rows`. */
static ptrdiff_t index_of(int order, ptrdiff_t i, ptrdiff_t rows,
                          ptrdiff_t spread)
{
    static ptrdiff_t start;
    switch (order) {
    case UP:       return i % rows;
    case DOWN:     return rows - 1 - i % rows;
    case SAME:     return rows / 2;
    case LOW:      return i % 16 ? 0 : rows - 1;
    case HIGH:     return i % 16 ? rows - 1 : 0;
    case SHUFFLED: return (i * 7919 + 11) % rows;
    case RUNS:
        if (i % 300 == 0) start = some(rows);
        return (start + i % 300) % rows;
    case NEAR:
        return i % 1024 == 0 ? 0 : i % 1024 == 1023 ? spread
                                                    : some(spread + 1);
    default:       return some(rows);
    }
}

/* Which indices are bad. ONE: in the middle. FEW: one in 1024. */
enum { NONE, ONE, FEW, HALF, ALL };
static const char *const bads_name[] = { "no", "one", "few", "half", "all" };

static int is_bad(int bads, ptrdiff_t i, ptrdiff_t n)
{
    switch (bads) {
    case ONE:  return i == n / 2;
    case FEW:  return i % 1024 == 500;
    case HALF: return some(2) == 0;
    default:   return bads == ALL;
    }
}

/* Whether a block of out is as expected; after an error what was not written
 * yet is as it was. */
static int same(ptrdiff_t span, int error)
{
    ptrdiff_t i;
    if (!error) return !memcmp(out - 64, want - 64, (size_t)span + 128);
    for (i = -64; i < span + 64; i++)
        if (out[i] != want[i] && out[i] != FRESH) return 0;
    return 1;
}

/* Ends the test if a cell was made that is larger than there is room for. */
static void fits(ptrdiff_t size, ptrdiff_t most)
{
    if (size <= most) return;
    printf("%s: %ld do not fit into %ld\n", name, (long)size, (long)most);
    exit(3);
}

/* An output of span bytes, at align modulo 64, and what is expected of it. */
static void out_new(ptrdiff_t span, int align)
{
    out = arena + TABLE + INDICES + PAGE + align;
    want = want_room + PAGE + align;
    fits(span, OUT - 3 * PAGE);
    memset(out - 64, FRESH, (size_t)span + 128);
    memset(want - 64, FRESH, (size_t)span + 128);
}

/* ---- gathers -------------------------------------------------------------*/

enum { DEEP = 5 };

/* How it is called: gather_rows, or a plan, of which all or some rows are run,
 * or checked. */
enum { ROWS, RUN, RANGE, CHECKED };
static const char *const way_name[] = {
    "rows", "gather", "range", "check"
};

/* params [batches, outer, rows, deep..., inner] of `bytes`, indices [batches,
 * n, depth], out [batches, outer, n, inner]; outer is 1 unless the depth is. */
typedef struct gather {
    int       way, type, policy, negative, depth, order, bads, align;
    ptrdiff_t rows, deep, bytes, n, inner, outer, batches, spread;
    ptrdiff_t from_gap, from_pad;   /* bytes between elements, between rows */
    ptrdiff_t to_gap, to_pad, at_pad;
    ptrdiff_t outer_step;           /* unless 0, bytes from outer to outer */
} gather;

static gather gather_new(int way, ptrdiff_t rows, ptrdiff_t bytes, ptrdiff_t n)
{
    gather g;
    memset(&g, 0, sizeof g);
    g.way = way;
    g.rows = rows;
    g.bytes = bytes;
    g.n = n;
    g.depth = 1;
    g.deep = 4;
    g.inner = g.outer = g.batches = 1;
    g.align = 16;
    g.policy = NDG_ERROR;
    return g;
}

static void say(const char *label, ptrdiff_t value, ptrdiff_t usual)
{
    if (value != usual)
        sprintf(name + strlen(name), " %s %ld", label, (long)value);
}

static void gather_name(const gather *g)
{
    sprintf(name, "%s %s %ldB of %ld n %ld %s", way_name[g->way],
            index_name(g->type), (long)g->bytes, (long)g->rows, (long)g->n,
            order_name[g->order]);
    if (g->bads || g->policy != NDG_ERROR)
        sprintf(name + strlen(name), " %s bad %s", bads_name[g->bads],
                policy_name[g->policy]);
    if (g->negative) strcat(name, " ends");
    say("depth", g->depth, 1);
    say("inner", g->inner, 1);
    say("outer", g->outer, 1);
    say("batches", g->batches, 1);
    say("align", g->align, 16);
    say("spread", g->spread, 0);
    say("gap", g->from_gap, 0);
    say("pad", g->from_pad, 0);
    say("to_gap", g->to_gap, 0);
    say("to_pad", g->to_pad, 0);
    say("at_pad", g->at_pad, 0);
    say("step", g->outer_step, 0);
}

/* Where each thing lies, in bytes. */
typedef struct layout {
    ptrdiff_t elem, elems, from_elem, from_row, stride[DEEP], extent[DEEP];
    ptrdiff_t from_outer, from_batch, to_elem, to_row, to_outer, to_batch;
    ptrdiff_t width, at_row, at_batch;
} layout;

static layout lay_out(const gather *g)
{
    layout    l;
    ptrdiff_t step;
    int       k;
    l.elem = 16;
    while (g->bytes % l.elem) l.elem--;
    l.elems = g->bytes / l.elem;
    l.from_elem = g->bytes + g->from_gap;
    step = l.from_elem * g->inner + g->from_pad;
    for (k = g->depth - 1; k >= 0; k--) {
        l.stride[k] = step;
        l.extent[k] = k ? g->deep : g->rows;
        step *= l.extent[k];
    }
    l.from_outer = g->outer_step ? g->outer_step : step;
    l.from_batch = g->outer > 1 ? step + l.from_outer * (g->outer - 1) : step;
    l.to_elem = g->bytes + g->to_gap;
    l.to_row = l.to_elem * g->inner + g->to_pad;
    l.to_outer = l.to_row * g->n;
    l.to_batch = l.to_outer * g->outer;
    l.width = index_bytes(g->type);
    l.at_row = l.width * g->depth + g->at_pad;
    l.at_batch = l.at_row * g->n;
    return l;
}

static const unsigned char fill[16] = {
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF6, 0xF7, 0xF8,
    0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE6, 0xE7, 0xE8
};

/* One element in out: a copy, zeroes, copies of the fill, or nothing. */
static void expect_one(const gather *g, const layout *l, ptrdiff_t to,
                       const unsigned char *from)
{
    ptrdiff_t i;
    if (from) memcpy(want + to, from, (size_t)g->bytes);
    else if (g->policy == NDG_ZERO) memset(want + to, 0, (size_t)g->bytes);
    else if (g->policy == NDG_FILL)
        for (i = 0; i < g->bytes; i++) want[to + i] = fill[i % l->elem];
}

/* Writes an index row and, where one goes over row by row, its results;
 * returns whether it is bad. */
static int gather_row(const gather *g, const layout *l, ptrdiff_t batch,
                      ptrdiff_t i, int expect)
{
    const ptrdiff_t most = g->depth > 1 || g->rows <= high(g->type)
                         ? g->rows : (ptrdiff_t)high(g->type) + 1;
    unsigned char  *at = ids + batch * l->at_batch + i * l->at_row;
    const ptrdiff_t turn = batch * g->n + i;
    const int       spoilt = is_bad(g->bads, turn, g->n * g->batches);
    ptrdiff_t       rows = most, r, from = batch * l->from_batch, o, s;
    int             k, bad = 0, gone = 0;
    for (k = 1; k < g->depth; k++) rows *= g->deep;
    r = index_of(g->order, turn, rows, g->spread);
    for (k = g->depth - 1; k >= 0; k--) {
        int64_t   v = r % l->extent[k];
        ptrdiff_t p;
        r /= l->extent[k];
        if (g->negative && is_signed(g->type) && turn % 2)
            v -= l->extent[k];
        if (spoilt && k == turn % g->depth)
            v = bad_value(g->type, l->extent[k], g->negative, turn);
        index_put(at + k * l->width, g->type, v);
        p = place(v, l->extent[k], g->policy, g->negative, &bad);
        if (p < 0) gone = 1;
        else from += p * l->stride[k];
    }
    for (o = 0; expect && o < g->outer; o++)
        for (s = 0; s < g->inner; s++)
            expect_one(g, l, batch * l->to_batch + o * l->to_outer
                       + i * l->to_row + s * l->to_elem,
                       gone ? 0 : table + from + o * l->from_outer
                       + s * l->from_elem);
    return bad;
}

/* The desc of it. Shapes of many axes stay here until the plan is made. */
static void gather_describe(ndg_gather_desc *d, const gather *g,
                            const layout *l)
{
    static ptrdiff_t dims[3][12], steps[3][12];
    int              n[3] = { 0, 0, 0 }, k;
#define AXIS(a, extent, bytes)                                                \
    (dims[a][n[a]] = (extent), steps[a][n[a]++] = (bytes))
    memset(d, 0, sizeof *d);
    if (g->batches > 1) {
        AXIS(0, g->batches, l->from_batch);
        AXIS(1, g->batches, l->at_batch);
        AXIS(2, g->batches, l->to_batch);
        d->batch_dims = 1;
    }
    if (g->outer > 1) {
        AXIS(0, g->outer, l->from_outer);
        AXIS(2, g->outer, l->to_outer);
        d->axis = d->batch_dims + 1;
    }
    for (k = 0; k < g->depth; k++) AXIS(0, l->extent[k], l->stride[k]);
    AXIS(1, g->n, l->at_row);
    if (g->depth > 1) AXIS(1, g->depth, l->width);
    AXIS(2, g->n, l->to_row);
    if (g->inner > 1) {
        AXIS(0, g->inner, l->from_elem);
        AXIS(2, g->inner, l->to_elem);
    }
    AXIS(0, l->elems, l->elem);
    AXIS(2, l->elems, l->elem);
#undef AXIS
    d->params = ndg_dims(n[0], dims[0], steps[0]);
    d->indices = ndg_dims(n[1], dims[1], steps[1]);
    d->out = ndg_dims(n[2], dims[2], steps[2]);
    d->elem_size = l->elem;
    d->index_type = g->type;
    d->policy = g->policy;
    d->negative = g->negative;
    memcpy(d->fill, fill, sizeof fill);
}

static int gather_call(const gather *g, const layout *l, ptrdiff_t first,
                       ptrdiff_t last, ptrdiff_t span, ndg_report *r)
{
    ndg_gather_desc d;
    ndg_gather_plan p;
    if (g->way == ROWS) {
        begin();
        return ndg_gather_rows(out, span, table, g->rows, g->bytes,
                               l->stride[0], ids, g->type, g->n, g->policy, r);
    }
    gather_describe(&d, g, l);
    if ((g->depth > 1 ? ndg_plan_gather_nd : ndg_plan_gather)(&p, &d, r))
        return r->status;
    begin();
    if (g->way == RANGE)
        return ndg_gather_run_range(&p, out, span, table, ids, first, last, r);
    if (g->way == CHECKED)
        return ndg_gather_check(&p, ids, 0, p.rows, r);
    return ndg_gather_run(&p, out, span, table, ids, r);
}

static void gather_run(const gather *g)
{
    const layout    l = lay_out(g);
    const ptrdiff_t rows = g->n * g->batches;
    const ptrdiff_t first = g->way == RANGE ? rows / 9 : 0;
    const ptrdiff_t last = g->way == RANGE ? rows - rows / 7 : rows;
    const ptrdiff_t span = l.to_batch * g->batches;
    const int       fails = g->policy == NDG_ERROR && g->bads;
    ndg_report      r;
    ptrdiff_t       i, bads = 0;
    int             status;
    gather_name(g);
    fits(l.from_batch * g->batches, TABLE);
    fits(l.at_batch * g->batches, INDICES);
    dice.state = 1;
    out_new(span, g->align);
    for (i = 0; i < rows; i++) {
        const int within = i >= first && i < last;
        const int bad = gather_row(g, &l, i / g->n, i % g->n,
                                   within && g->way != CHECKED);
        bads += bad && within;
    }
    status = gather_call(g, &l, first, last, span, &r);
    end(rows, same(span, fails)
        && status == (fails && bads ? NDG_E_INDEX : NDG_OK)
        && (r.bad.count == bads || (fails && g->way != CHECKED)));
}

/* ---- cells of gathers ----------------------------------------------------*/

static const int sizes[] = { 1, 2, 3, 4, 5, 8, 9, 12, 16, 17, 24, 31, 32, 33,
                             63, 64, 65, 96, 100, 128, 129, 200, 2047, 2048,
                             4096 };

/* Rows of a table of half the bytes that make it far, and of so many that two
 * are seldom near each other by chance. */
static ptrdiff_t near_rows(ptrdiff_t bytes) { return FAR / 2 / bytes; }
static ptrdiff_t far_rows(ptrdiff_t bytes) { return 8 * FAR / bytes; }

static void gathers_by_size(void)
{
    int k, far;
    for (k = 0; k < COUNT(sizes); k++)
        for (far = 0; far < 2; far++) {
            const ptrdiff_t b = sizes[k];
            gather g = gather_new(ROWS, far ? far_rows(b) : near_rows(b), b,
                                  b > 200 ? 90 : 700);
            if (far || k % 2 == 0) gather_run(&g);
            if (k % 5) continue;
            g.way = RUN;
            g.negative = far ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
            gather_run(&g);
        }
}

/* About each number of rows at which another way is taken: n of the first of
 * these, which ends with 0. */
static void gathers_of(const int *n, gather g)
{
    for (; *n; n++) {
        g.n = *n;
        gather_run(&g);
    }
}

static void gathers_by_count(void)
{
    static const int near[] = { 1, 16, 256, 257, 1025, 0 };
    static const int runs[] = { 256, 257, 271, 272, 1024, 1039, 17500, 0 };
    static const int far[] = { 64, 65, 1024, 1025, 1088, 1089, 16385, 16448,
                               16449, 0 };
    static const int chunks[] = { 40, 65, 81, 1025, 0 };
    static const int pairs[] = { 64, 65, 127, 128, 129, 16448, 16449, 0 };
    gather           g = gather_new(ROWS, near_rows(4), 4, 0);
    gathers_of(near, g);
    g.order = UP;
    gathers_of(runs, g);
    g.rows = far_rows(4);
    g.order = RANDOM;
    gathers_of(far, g);
    g.type = NDG_I16;
    gathers_of(chunks, g);
    g = gather_new(RUN, far_rows(24) / 4, 24, 0);
    g.depth = 2;
    gathers_of(pairs, g);
    g.type = NDG_I64;
    gathers_of(pairs, g);
}

/* Tables and outputs about the sizes that make them far and streamed. */
static void gathers_at_limits(void)
{
    static const int bytes[] = { 1, 4, 64, 200 };
    static const int longs[] = { 4095, 4096, 4097, 8192 };
    static const int large[] = { STREAM - 64, STREAM, STREAM + 64 };
    static const int lines[] = { 64, 128, 192, 65 };
    static const int aligns[] = { 0, 32, 1 };
    int k, i, turn;
    for (k = 0; k < COUNT(bytes); k++)
        for (i = -1; i <= 1; i++) {
            gather g = gather_new(ROWS, FAR / bytes[k] + i, bytes[k], 100);
            if (i >= 0) gather_run(&g);
            g.way = RUN;
            g.n = 300;
            if (k) gather_run(&g);
        }
    for (k = 0; k < COUNT(longs); k++)
        for (i = 0; i <= 1; i++) {
            gather g = gather_new(ROWS, 12, longs[k],
                                  STREAM / longs[k] + i);
            g.align = 0;
            gather_run(&g);
        }
    for (k = 0; k < COUNT(large); k++)
        for (i = 1; i <= 2; i++) {
            gather g = gather_new(ROWS, 2, large[k], i);
            g.align = 0;
            if (k == 1) g.way = RUN;
            gather_run(&g);
        }
    for (k = 0; k < COUNT(lines); k++)
        for (i = -1; i < COUNT(aligns); i++)
            for (turn = 0; turn < 2; turn++) {
                gather g = gather_new(ROWS, far_rows(lines[k]), lines[k],
                                      STREAM / lines[k] + (i >= 0));
                g.align = aligns[i < 0 ? 0 : i];
                g.order = turn ? UP : RANDOM;
                if (i > 1) g.way = RUN;
                if (turn && k % 3) continue;
                gather_run(&g);
                if (turn || i != 0) continue;
                g.type = NDG_I16;
                gather_run(&g);
                g.type = NDG_I64;
                g.way = RUN;
                g.rows /= 4;
                g.depth = 2;
                gather_run(&g);
                g.type = NDG_I32;
                gather_run(&g);
                g.depth = 1;
                g.negative = NDG_NEGATIVE_FROM_END;
                gather_run(&g);
            }
}

static void gathers_by_type(void)
{
    int type, ends;
    for (type = 0; type < 8; type++)
        for (ends = 0; ends < 2; ends++) {
            gather g = gather_new(ends ? RUN : ROWS, 100, 8, 1000);
            g.type = type;
            g.negative = ends;
            gather_run(&g);
            g.rows = far_rows(8);
            gather_run(&g);
            g.rows = 100;
            g.way = CHECKED;
            g.bads = FEW;
            g.depth = 1 + ends;
            if (type % 2 == ends) gather_run(&g);
            if (ends && !is_signed(type)) continue;
            g.way = RUN;
            g.depth = 1;
            g.policy = type % 2 ? NDG_WRAP : NDG_CLIP;
            g.bads = HALF;
            gather_run(&g);
        }
}

static void gathers_by_policy(void)
{
    static const int policies[] = { NDG_ERROR, NDG_ZERO, NDG_FILL, NDG_CLIP,
                                    NDG_WRAP, NDG_KEEP };
    static const int bytes[] = { 4, 24, 200 };
    int k, i, bads;
    for (k = 0; k < COUNT(policies); k++)
        for (i = 0; i < COUNT(bytes); i++)
            for (bads = ONE; bads <= HALF; bads++) {
                gather g = gather_new(RUN, near_rows(bytes[i]), bytes[i],
                                      bads == ONE ? 60 : 2100);
                g.policy = policies[k];
                g.bads = bads;
                if (bads == HALF || k < 2) gather_run(&g);
                if (bads != HALF) continue;
                g.rows = far_rows(bytes[i]);
                if (k % 2 == 0 && i) gather_run(&g);
                g.rows = near_rows(bytes[i]) / 4;
                g.depth = 2;
                if (k % 2) gather_run(&g);
                g.depth = 3;
                g.rows = far_rows(bytes[i]) / 8;
                g.type = NDG_I64;
                g.negative = NDG_NEGATIVE_FROM_END;
                if (i == 1) gather_run(&g);
            }
    for (k = 0; k < 3; k++) {           /* all; few, in runs, near and far */
        gather g = gather_new(RUN, near_rows(4), 4, 2100);
        g.policy = NDG_ZERO;
        g.bads = k ? FEW : ALL;
        g.order = k ? UP : RANDOM;
        if (k == 2) g.rows = far_rows(4);
        gather_run(&g);
    }
    for (i = 0; i < 5; i++) {           /* long rows of zeroes and of fills */
        static const int longs[] = { 65, 2048, 2049, 5000, 50000 };
        gather g = gather_new(RUN, 3, longs[i], 5);
        g.bads = ALL;
        g.policy = NDG_ZERO;
        gather_run(&g);
        g.policy = NDG_FILL;
        gather_run(&g);
    }
}

static void gathers_by_depth(void)
{
    static const int bytes[] = { 4, 64, 128, 129 };
    static const int types[] = { NDG_I32, NDG_I64, NDG_U16 };
    int depth, k, i, far;
    for (depth = 2; depth <= DEEP; depth++)
        for (k = 0; k < COUNT(bytes); k++)
            for (i = 0; i < COUNT(types); i++)
                for (far = 0; far < 2; far++) {
                    const ptrdiff_t b = bytes[k];
                    gather g = gather_new(RUN, 0, b, 300);
                    g.rows = (far ? far_rows(b) : near_rows(b))
                           / (1 << 2 * (depth - 1));
                    g.depth = depth;
                    g.type = types[i];
                    if (g.rows < 2) g.rows = 2;
                    if (i == 2 && (depth > 2 || k != 1)) continue;
                    if (!far && (depth == 5 || (i && k))) continue;
                    if (k == 2 && depth > 3) continue;
                    gather_run(&g);
                    if (k != 0 || !far) continue;
                    g.negative = NDG_NEGATIVE_FROM_END;
                    gather_run(&g);
                }
}

/* Indices about as far from each other as is taken to be near. */
static void gathers_by_order(void)
{
    static const int bytes[] = { 4, 16, 64, 200 };
    static const int widths[] = { NDG_I32, NDG_I64, NDG_I16 };
    int k, i, order;
    for (k = 0; k < COUNT(bytes); k++) {
        for (i = -1; i <= 1; i++) {
            gather g = gather_new(ROWS, far_rows(bytes[k]), bytes[k], 3000);
            g.order = NEAR;
            g.spread = 16384 / bytes[k] + i;
            if (k == 3) g.n = 1100;
            gather_run(&g);
        }
        for (order = UP; order <= SAME; order++)
            for (i = 0; i < COUNT(widths); i++) {
                gather g = gather_new(ROWS, far_rows(bytes[k]), bytes[k],
                                      2500);
                g.order = order;
                g.type = widths[i];
                if (k == 3) g.n = 1100;
                if (i && order != UP) continue;
                if (k % 2 && order != UP) continue;
                gather_run(&g);
            }
    }
    for (i = 0; i <= 1; i++) {          /* what is near ends within a row */
        gather g = gather_new(ROWS, far_rows(5), 5, 3000);
        g.order = NEAR;
        g.spread = 16384 / 5 + i;
        gather_run(&g);
    }
    for (k = 62; k <= 65; k++) {        /* runs are looked for below 64 */
        gather g = gather_new(ROWS, 600, k, 600);
        g.order = UP;
        gather_run(&g);
    }
}

/* Arrays with gaps, each kind by itself. */
static void gathers_apart(void)
{
    static const int bytes[] = { 4, 64, 100, 200 };
    int k, i, far;
    for (k = 0; k < COUNT(bytes); k++)
        for (far = 0; far < 2; far++)
            for (i = 0; i < 4; i++) {
                const ptrdiff_t b = bytes[k];
                gather g = gather_new(RUN, far ? far_rows(b) : near_rows(b) / 2,
                                      b, 600);
                if (i == 0) g.at_pad = 4;
                if (i == 1) g.from_pad = 8;
                if (i == 2) g.to_pad = b == 64 ? 64 : 4;
                if (i == 3) g.way = RANGE;
                g.align = 0;
                if (far || i < 3) gather_run(&g);
                g.bads = FEW;
                g.policy = far ? NDG_KEEP : NDG_CLIP;
                if (i == 0) gather_run(&g);
                g.bads = NONE;
                if (i != 1 || k) continue;
                g.order = UP;
                g.way = ROWS;
                gather_run(&g);
            }
}

/* Ranges that begin somewhere behind the first row: how many rows there are is
 * what counts, not where they end. */
static void gathers_in_ranges(void)
{
    gather g = gather_new(RANGE, near_rows(4), 4, 300);
    g.order = UP;
    gather_run(&g);
    g = gather_new(RANGE, far_rows(64), 64, STREAM / 64 + 900);
    g.align = 0;
    gather_run(&g);
}

/* An axis in the middle: step by step, unless steps lie within each other. */
static void gathers_along_an_axis(void)
{
    static const int bytes[] = { 4, 64, 2048 };
    static const int counts[] = { 64, 65, 300 };
    int k, i;
    for (k = 0; k < COUNT(bytes); k++)
        for (i = 0; i < COUNT(counts); i++) {
            gather g = gather_new(RUN, far_rows(bytes[k]) / 3 + 1, bytes[k],
                                  counts[i]);
            g.outer = 3;
            if (k == 2) g.rows = 25;
            gather_run(&g);
            if (i < 2) continue;
            g.outer_step = (g.rows - 1) * g.bytes;
            gather_run(&g);
            g.outer_step += 1;
            gather_run(&g);
            g.outer_step = 0;
            g.outer = 9;
            g.rows = near_rows(bytes[k]) / 9 + 1;
            gather_run(&g);
            if (k == 2) continue;
            g.bads = HALF;
            g.policy = NDG_ZERO;
            gather_run(&g);
        }
}

/* Few rows and many in each batch. */
static void gathers_in_batches(void)
{
    static const int counts[] = { 3, 15, 16, 65, 257, 256 };
    static const int bytes[] = { 4, 200 };
    int k, i, far;
    for (k = 0; k < COUNT(counts); k++)
        for (i = 0; i < COUNT(bytes); i++)
            for (far = 0; far < 2; far++) {
                const ptrdiff_t b = bytes[i];
                gather g = gather_new(RUN, 0, b, counts[k]);
                g.batches = k == 4 ? 3 : 20;
                g.rows = (far ? far_rows(b) : near_rows(b)) / g.batches;
                if (!far || k % 2 || i == 0) gather_run(&g);
                if (i != 0) continue;
                g.depth = 2;
                g.rows = g.rows / 4 + 1;
                g.negative = NDG_NEGATIVE_FROM_END;
                gather_run(&g);
                if (k < 2 || far) continue;
                g.depth = 1;
                g.outer = 2;
                gather_run(&g);
            }
}

/* Bad ones in batches of a far table: where each lies is asked for. */
static void gathers_bad_in_batches(void)
{
    gather g = gather_new(RUN, far_rows(4) / 16, 4, 300);
    g.batches = 4;
    g.depth = 2;
    g.bads = HALF;
    g.policy = NDG_ZERO;
    gather_run(&g);
}

/* Rows in pieces: few and many; and so many that they go by blocks. */
static void gathers_in_pieces(void)
{
    static const int pieces[] = { 7, 8, 9, 102, 103 };
    static const int few[] = { 1024, 1025 };
    int k, bads, far;
    for (k = 0; k < COUNT(pieces); k++)
        for (bads = NONE; bads <= HALF; bads += HALF)
            for (far = 0; far < 2; far++) {
                gather g = gather_new(RUN, 0, 4, pieces[k] > 100 ? 90 : 300);
                g.rows = (far ? FAR * 3 / 2 : FAR / 2) / 8 / pieces[k];
                g.inner = pieces[k];
                g.from_gap = 4;
                g.bads = bads;
                g.policy = bads ? NDG_ZERO : NDG_ERROR;
                if (!far || k < 3) gather_run(&g);
                if (k != 1) continue;
                g.policy = NDG_KEEP;
                gather_run(&g);
                g.bytes = 200;
                g.rows = far ? 70 : 20;
                gather_run(&g);
            }
    for (k = 0; k < COUNT(few); k++) {
        gather g = gather_new(RUN, 12, 4, 4);
        g.inner = few[k];
        g.from_gap = 4;
        gather_run(&g);
        g.to_gap = 60;
        gather_run(&g);
    }
    for (k = 0; k < 4; k++) {           /* in planes, one after the other */
        gather g = gather_new(RUN, k < 2 ? 3000 : 700, 4, k < 2 ? 2000 : 40);
        g.outer = 3 + 3 * (k % 2);
        g.inner = k < 2 ? 2 : 9;
        g.from_gap = 4;
        gather_run(&g);
    }
    for (k = 240; k <= 241; k++) {      /* blocks of so many rows of 4096 */
        gather g = gather_new(RUN, 40, 4, 17);
        g.inner = k;
        g.from_gap = 4;
        gather_run(&g);
    }
    for (k = 0; k < 2; k++) {           /* far ones that are long: asked for */
        gather g = gather_new(RUN, 20, 2048, 100);
        g.inner = 3;
        g.from_gap = 64 * k;
        g.to_gap = 64;
        g.align = 0;
        gather_run(&g);
    }
    for (k = 0; k < 3; k++) {           /* streamed, if lines stay whole */
        gather g = gather_new(RUN, 500, 64, 600);
        g.inner = k ? 9 : 3;
        g.to_gap = k == 1 ? 4 : 64;
        g.align = 0;
        gather_run(&g);
    }
}

/* Elements of a view, by vectors of indices: axes may stand still, run
 * backward, or be longer than memory is: only `used` of each are named. */
typedef struct view {
    int       way, depth, type, policy, bads;
    ptrdiff_t elem, n, extent[3], stride[3], used[3];
} view;

static view view_new(ptrdiff_t n, int type)
{
    view v;
    memset(&v, 0, sizeof v);
    v.way = RUN;
    v.n = n;
    v.type = type;
    v.elem = 4;
    v.bads = HALF;
    v.policy = NDG_ZERO;
    return v;
}

static void view_axis(view *v, ptrdiff_t extent, ptrdiff_t stride,
                      ptrdiff_t used)
{
    v->extent[v->depth] = extent;
    v->stride[v->depth] = stride;
    v->used[v->depth++] = used;
}

static void view_name(const view *v)
{
    int k;
    sprintf(name, "view %s %s %ldB n %ld", way_name[v->way],
            index_name(v->type), (long)v->elem, (long)v->n);
    for (k = 0; k < v->depth; k++)
        sprintf(name + strlen(name), " %ld by %ld", (long)v->extent[k],
                (long)v->stride[k]);
    if (v->bads)
        sprintf(name + strlen(name), " %s bad %s", bads_name[v->bads],
                policy_name[v->policy]);
}

/* Writes the indices, and what is expected; returns how many rows are bad. */
static ptrdiff_t view_fill(const view *v, const unsigned char *first)
{
    unsigned char *at = ids;
    ptrdiff_t      i, offset, bads = 0;
    int            k;
    for (i = 0; i < v->n; i++) {
        const int bad = is_bad(v->bads, i, v->n);
        for (offset = 0, k = 0; k < v->depth; k++) {
            const ptrdiff_t x = some(v->used[k]);
            index_put(at, v->type, bad && k == i % v->depth ? -1 : x);
            at += index_bytes(v->type);
            offset += x * v->stride[k];
        }
        bads += bad;
        if (bad) memset(want + i * v->elem, 0, (size_t)v->elem);
        else memcpy(want + i * v->elem, first + offset, (size_t)v->elem);
    }
    return bads;
}

static void view_describe(ndg_gather_desc *d, const view *v,
                          const ptrdiff_t *shape)
{
    memset(d, 0, sizeof *d);
    d->params = ndg_dims(v->depth, v->extent, v->stride);
    d->indices = ndg_dims(2, shape, 0);
    d->elem_size = v->elem;
    d->index_type = v->type;
    d->policy = v->policy;
    d->overlap = NDG_OVERLAP_DISJOINT;
}

/* The plan's rows that take their loop at once, in *few. */
static int view_call(const view *v, const unsigned char *first, ptrdiff_t *few,
                     ndg_report *r)
{
    ptrdiff_t       shape[2];
    ndg_gather_desc d;
    ndg_gather_plan p;
    shape[0] = v->n;
    shape[1] = v->depth;
    *few = 0;
    if (v->way == ROWS) {
        begin();
        return ndg_gather_rows(out, v->n * v->elem, first, v->extent[0],
                               v->elem, v->stride[0], ids, v->type, v->n,
                               v->policy, r);
    }
    view_describe(&d, v, shape);
    if (ndg_plan_gather_nd(&p, &d, r)) return -1;
#if COUNTED
    *few = p.loop.few;
#endif
    begin();
    return ndg_gather_run(&p, out, v->n * v->elem, first, ids, r);
}

/* Runs it; returns the plan's rows that take their loop at once. */
static ptrdiff_t view_run(const view *v)
{
    unsigned char *first = table;
    ndg_report     r;
    ptrdiff_t      bads, few, low = 0, high = v->elem;
    int            k, status;
    for (k = 0; k < v->depth; k++) {
        const ptrdiff_t reach = (v->used[k] - 1) * v->stride[k];
        if (reach < 0) low += reach;
        else high += reach;
    }
    view_name(v);
    fits(high - low, TABLE);
    fits(v->n * v->depth * index_bytes(v->type), INDICES);
    first -= low;
    dice.state = 1;
    out_new(v->n * v->elem, 16);
    bads = view_fill(v, first);
    status = view_call(v, first, &few, &r);
    end(v->n, status == NDG_OK && r.bad.count == bads
        && same(v->n * v->elem, 0));
    return few;
}

/* Bad ones go by places as long as each axis has at most 2^30 rows, and all
 * that indices add is less than 2^31 units, which divide every stride. */
static void views_of_places(void)
{
#if COUNTED
    static const int types[] = { NDG_I32, NDG_I64 };
    const ptrdiff_t  most = INT32_MAX, gib = (ptrdiff_t)1 << 30;
    int              k, i;
    for (k = 0; k < COUNT(types); k++)
        for (i = 0; i <= 1; i++) {
            view v = view_new(600, types[k]);
            view_axis(&v, gib + i, 0, 9);
            view_axis(&v, 100, 4, 100);
            view_run(&v);
        }
    for (i = -1; i <= 1; i++) {         /* about the longest reach there is */
        view v = view_new(600, NDG_I32), w = v, x = v;
        view_axis(&v, 2, 4 * (most - 9 + i), 1);
        view_axis(&v, 10, 4, 10);
        view_run(&v);
        w.elem = x.elem = 1;
        view_axis(&w, 2, most - 9 + i, 1);
        view_axis(&w, 10, 1, 10);
        view_run(&w);
        view_axis(&x, 1, 100, 1);
        view_axis(&x, 2, most - 9 + i, 1);
        view_axis(&x, 10, 1, 10);
        view_run(&x);
    }
    for (i = 0; i <= 1; i++) {          /* more bytes than that, not units */
        view v = view_new(600, NDG_I32);
        view_axis(&v, 2, i ? 64 * most : 4 * gib, 1);
        view_axis(&v, 10, i ? 64 : 4, 10);
        view_run(&v);
    }
#endif
}

/* Axes that stand still or run backward; by places only if they are alone. */
static void views_backward(void)
{
    int k, far;
    for (k = 0; k < 4; k++) {
        view v = view_new(600, NDG_I32);
        if (k) view_axis(&v, 5, k == 1 ? 0 : k == 2 ? -400 : 400, 5);
        view_axis(&v, 100, k ? 4 : -4, 100);
        view_run(&v);
    }
    for (k = 0; k < 3; k++)             /* what is far begins below the first */
        for (far = 0; far < 2; far++) {
            const ptrdiff_t rows = far ? far_rows(4) : near_rows(4);
            view v = view_new(700, NDG_I32);
            v.bads = NONE;
            v.way = k ? RUN : ROWS;
            if (k == 2) view_axis(&v, 2, -4 * rows, 2);
            view_axis(&v, rows, -4, rows);
            view_run(&v);
        }
}

static void gathers_of_views(void)
{
    views_of_places();
    views_backward();
}

static void all_gathers(void)
{
    gathers_by_size();
    gathers_by_count();
    gathers_at_limits();
    gathers_by_type();
    gathers_by_policy();
    gathers_by_depth();
    gathers_by_order();
    gathers_apart();
    gathers_in_ranges();
    gathers_along_an_axis();
    gathers_in_batches();
    gathers_bad_in_batches();
    gathers_in_pieces();
    gathers_of_views();
}

/* ---- stitches ------------------------------------------------------------*/

/* A plan's run, in one or in three ranges; how large out has to be; or
 * dynamic_stitch, or by its other name. */
enum { WHOLE, THIRDS, TOTAL, TENSORS, PARALLEL };
static const char *const stitch_name[] = {
    "stitch", "thirds", "total", "tensors", "parallel"
};

/* `lists` lists of n rows each, of `inner` pieces of `bytes`. Dealt: list m
 * has each lists-th index from m on; else they follow each other. */
typedef struct stitch {
    int       way, type, policy, gaps, marks, order, bads, align, dealt;
    ptrdiff_t lists, n, total, bytes, inner, from_gap, from_pad, to_pad, at_pad;
} stitch;

static stitch stitch_new(ptrdiff_t lists, ptrdiff_t n, ptrdiff_t bytes)
{
    stitch s;
    memset(&s, 0, sizeof s);
    s.lists = lists;
    s.n = n;
    s.total = lists * n;
    s.bytes = bytes;
    s.inner = 1;
    s.align = 16;
    s.order = SHUFFLED;
    s.policy = NDG_DROP;
    return s;
}

static void stitch_say(const stitch *s)
{
    static const char *const gaps[] = { "zero", "error", "keep" };
    sprintf(name, "%s %s %ldB %ld x %ld to %ld %s, %s",
            stitch_name[s->way], index_name(s->type), (long)s->bytes,
            (long)s->lists, (long)s->n, (long)s->total,
            order_name[s->order], gaps[s->gaps]);
    if (s->bads)
        sprintf(name + strlen(name), " %s bad %s", bads_name[s->bads],
                policy_name[s->policy]);
    if (s->marks) strcat(name, " marks");
    if (s->dealt) strcat(name, " dealt");
    say("inner", s->inner, 1);
    say("align", s->align, 16);
    say("gap", s->from_gap, 0);
    say("pad", s->from_pad, 0);
    say("to_pad", s->to_pad, 0);
    say("at_pad", s->at_pad, 0);
}

enum { LISTS = 200 };

/* How rows of a stitch or a partition lie. */
typedef struct rows {
    ptrdiff_t elem, elems, from_elem, from_row, to_row, at_row;
} rows;

static rows rows_of(ptrdiff_t bytes, ptrdiff_t inner, int type,
                    ptrdiff_t from_gap, ptrdiff_t from_pad, ptrdiff_t to_pad,
                    ptrdiff_t at_pad)
{
    rows l;
    l.elem = 16;
    while (bytes % l.elem) l.elem--;
    l.elems = bytes / l.elem;
    l.from_elem = bytes + from_gap;
    l.from_row = l.from_elem * inner + from_pad;
    l.to_row = bytes * inner + to_pad;
    l.at_row = index_bytes(type) + at_pad;
    return l;
}

static void copy_pieces(unsigned char *to, const unsigned char *from,
                        ptrdiff_t bytes, ptrdiff_t inner, ptrdiff_t step)
{
    for (; inner > 0; inner--, to += bytes, from += step)
        memcpy(to, from, (size_t)bytes);
}

/* Writes the indices and what is expected; returns how many are bad. */
static ptrdiff_t stitch_fill(const stitch *s, const rows *l)
{
    ptrdiff_t m, i, bads = 0;
    for (i = 0; s->way != TOTAL && s->gaps == NDG_GAPS_ZERO && i < s->total;
         i++)
        memset(want + i * l->to_row, 0, (size_t)(s->bytes * s->inner));
    for (m = 0; m < s->lists; m++)
        for (i = 0; i < s->n; i++) {
            const ptrdiff_t at = m * s->n + i;
            const ptrdiff_t turn = s->dealt ? i * s->lists + m : at;
            int64_t         v = index_of(s->order, turn, s->total, 0);
            if (is_bad(s->bads, at, s->n * s->lists)) {
                v = s->way == TOTAL ? -1 : bad_value(s->type, s->total, 0, at);
                bads++;
            } else if (s->way != TOTAL) {
                copy_pieces(want + v * l->to_row, table + at * l->from_row,
                            s->bytes, s->inner, l->from_elem);
            }
            index_put(ids + at * l->at_row, s->type, v);
        }
    return bads;
}

static ndg_shape stitch_slice(const stitch *s, const rows *l, ptrdiff_t n)
{
    return n ? ndg_strided3(n, l->from_row, s->inner, l->from_elem, l->elems,
                            l->elem)
             : ndg_strided2(s->inner, l->from_elem, l->elems, l->elem);
}

static int stitch_tensors(const stitch *s, const rows *l,
                          const ndg_stitch_desc *d, ptrdiff_t span,
                          ndg_report *r)
{
    static ndg_stitch_input in[LISTS];
    ptrdiff_t               m, total = -1;
    int                     status;
    memset(in, 0, sizeof in);
    for (m = 0; m < s->lists; m++) {
        in[m].indices = ids + m * s->n * l->at_row;
        in[m].data = table + m * s->n * l->from_row;
        if (s->n > 1) in[m].indices_shape = ndg_strided1(s->n, l->at_row);
        in[m].data_shape = stitch_slice(s, l, s->n > 1 ? s->n : 0);
    }
    begin();
    status = (s->way == TENSORS ? ndg_dynamic_stitch
              : ndg_parallel_dynamic_stitch)(out, span, &total, in, s->lists,
                                             d, r);
    return total != s->total ? -1 : status;
}

static int stitch_lists(const stitch *s, const rows *l,
                        const ndg_stitch_desc *d, ptrdiff_t span,
                        ndg_report *r)
{
    static ndg_list list[LISTS];
    ndg_stitch_plan p;
    ndg_report      part;
    ptrdiff_t       m, size, total;
    if (ndg_plan_stitch(&p, d, r)) return -1;
    memset(list, 0, sizeof list);
    for (m = 0; m < s->lists; m++) {
        list[m].indices = ids + m * s->n * l->at_row;
        list[m].data = table + m * s->n * l->from_row;
        list[m].count = s->n;
        list[m].index_stride = l->at_row;
        list[m].data_stride = l->from_row;
    }
    size = s->marks ? ndg_stitch_scratch_bytes(&p, s->total) : 0;
    fits(size, SCRATCH);
    begin();
    if (s->way == TOTAL)
        return ndg_stitch_total(&p, list, s->lists, &total, r);
    if (s->way == WHOLE)
        return ndg_stitch_run(&p, out, span, s->total, list, s->lists,
                              size ? scratch : 0, size, r);
    memset(r, 0, sizeof *r);
    for (m = 0; m < 3; m++) {
        ndg_stitch_run_range(&p, out, span, s->total, list, s->lists,
                             s->total * m / 3, s->total * (m + 1) / 3,
                             size ? scratch : 0, size, &part);
        ndg_report_merge(r, &part);
    }
    return r->status;
}

static void stitch_run(const stitch *s)
{
    const rows l = rows_of(s->bytes, s->inner, s->type, s->from_gap,
                           s->from_pad, s->to_pad, s->at_pad);
    const ptrdiff_t span = l.to_row * s->total - s->to_pad;
    ndg_stitch_desc d;
    ndg_report      r;
    ptrdiff_t       bads;
    int             status, fails;
    stitch_say(s);
    fits(s->lists, LISTS);
    fits(l.from_row * s->n * s->lists, TABLE);
    fits(l.at_row * s->n * s->lists, INDICES);
    dice.state = 1;
    out_new(span, s->align);
    memset(&d, 0, sizeof d);
    d.slice = stitch_slice(s, &l, 0);
    d.out_stride = l.to_row;
    d.elem_size = l.elem;
    d.index_type = s->type;
    d.policy = s->policy;
    d.gaps = s->gaps;
    bads = stitch_fill(s, &l);
    status = s->way >= TENSORS ? stitch_tensors(s, &l, &d, span, &r)
                               : stitch_lists(s, &l, &d, span, &r);
    fails = bads && s->policy != NDG_DROP;
    if (fails && s->way == WHOLE)       /* gaps are zeroed first */
        end(s->n * s->lists, status == NDG_E_INDEX);
    else
        end(s->n * s->lists, same(span, 0) && r.bad.count == bads
            && status == (fails ? NDG_E_INDEX : NDG_OK));
}

/* ---- cells of stitches ---------------------------------------------------*/

static void stitches_by_size(void)
{
    static const int kinds[] = { SHUFFLED, UP, RANDOM };
    int k, i, far;
    for (k = 0; k < COUNT(sizes); k++)
        for (far = 0; far < 2; far++)
            for (i = 0; i < COUNT(kinds); i++) {
                const ptrdiff_t b = sizes[k];
                const ptrdiff_t n = far ? FAR * 5 / 4 / b : FAR / 2 / b;
                stitch s = stitch_new(1, n < 1500 || far ? n : 1500, b);
                if (b < 3 && far) continue;
                if (!far && k % 3) continue;
                s.order = kinds[i];
                if (i && (k % 4 || !far)) continue;
                if (i == 2) s.gaps = k % 8 ? NDG_GAPS_KEEP : NDG_GAPS_ZERO;
                stitch_run(&s);
            }
}

static void stitches_of(const int *n, stitch s)
{
    for (; *n; n++) {
        s.n = *n;
        stitch_run(&s);
    }
}

static void stitches_by_count(void)
{
    static const int near[] = { 1, 256, 257, 1025, 0 };
    static const int far[] = { 64, 65, 128, 129, 5000, 0 };
    static const int runs[] = { 64, 65, 257, 272, 1024, 1040, 5000, 0 };
    static const int chunks[] = { 19, 20, 21, 41, 64, 65, 300, 0 };
    stitch           s = stitch_new(1, 1, 8);
    s.gaps = NDG_GAPS_KEEP;
    s.order = RANDOM;
    s.total = FAR / 16;
    stitches_of(near, s);
    s.total = FAR / 4;
    stitches_of(far, s);
    s.order = UP;
    stitches_of(runs, s);
    s.way = THIRDS;
    s.order = RANDOM;
    stitches_of(chunks, s);
    s.way = WHOLE;
    s.bytes = 24;
    s.total /= 3;
    stitches_of(chunks, s);
}

static void stitches_of_lists(void)
{
    int k, way;
    for (way = WHOLE; way <= PARALLEL; way++)
        for (k = 0; k < 8; k++) {
            stitch s = stitch_new(9, 300, 16);
            if (way == PARALLEL && k) continue;
            if (way == TOTAL && k > 2 && k != 5) continue;
            s.way = way;
            s.dealt = k == 1 || k == 2;
            if (k == 2) s.order = UP;
            if (k == 3) s.lists = LISTS, s.n = 1, s.total = LISTS;
            if (k == 4) s.lists = 90, s.n = 17, s.total = 90 * 17;
            if (k == 5) s.from_pad = s.to_pad = 8, s.at_pad = 4;
            if (k == 6) s.inner = 3, s.from_gap = 16;
            if (k == 7) s.order = UP, s.lists = 3, s.n = 2000, s.total = 6000;
            s.type = k % 2 ? NDG_I64 : NDG_I32;
            stitch_run(&s);
        }
}

static void stitches_by_type(void)
{
    int type, k;
    for (type = 0; type < 8; type++)
        for (k = 0; k < 4; k++) {
            stitch s = stitch_new(1, 100, 12);
            s.type = type;
            if (index_bytes(type) > 1) s.n = s.total = 7000 - 4000 * (k % 2);
            if (k == 3) s.bads = type % 2 ? FEW : HALF;
            if (k == 2) s.way = TOTAL;
            if (k == 1) s.order = UP;
            if (k != 1 || index_bytes(type) > 2) stitch_run(&s);
        }
}

static void stitches_with_gaps(void)
{
    int gaps, k, far;
    for (gaps = NDG_GAPS_ZERO; gaps <= NDG_GAPS_KEEP; gaps++)
        for (k = 0; k < 6; k++)
            for (far = 0; far < 2; far++) {
                stitch s = stitch_new(1, far ? 20000 : 2000, 4);
                s.gaps = gaps;
                s.marks = k % 2 || gaps == NDG_GAPS_ERROR;
                if (k == 2) s.bads = ONE, s.policy = NDG_ERROR;
                if (k == 3) s.to_pad = 4;
                if (k > 3) s.bads = HALF;
                if (gaps == NDG_GAPS_ERROR && k > 0) continue;
                if (gaps == NDG_GAPS_KEEP && far) continue;
                if (k == 4) s.n /= 2;
                stitch_run(&s);
            }
    for (k = -1; k <= 1; k++) {         /* zeroed past the caches or not */
        stitch s = stitch_new(1, 100, 64);
        s.total = STREAM / 64 + k;
        s.align = 0;
        stitch_run(&s);
        s.align = 1;
        stitch_run(&s);
        s.bytes = 100;
        s.total = STREAM / 100 + k;
        stitch_run(&s);
    }
}

/* Outputs about the size that makes them streamed, and long rows. */
static void stitches_at_limits(void)
{
    static const int bytes[] = { 4, 64, 128, 200, 2048 };
    int k, i, order;
    for (k = 0; k < COUNT(bytes); k++)
        for (i = -1; i <= 1; i++)
            for (order = 0; order < 2; order++) {
                stitch s = stitch_new(1, 1000, bytes[k]);
                s.total = STREAM / bytes[k] + i;
                if (s.n > s.total) s.n = s.total;
                s.gaps = NDG_GAPS_KEEP;
                s.align = 0;
                s.order = order ? UP : RANDOM;
                if (i < 0 || (order && k % 2)) continue;
                stitch_run(&s);
                s.total = FAR / bytes[k] + i;
                if (k == 3 || s.n > s.total) s.n = s.total;
                stitch_run(&s);
            }
    for (k = 0; k < 4; k++) {           /* lists that differ in kind */
        stitch s = stitch_new(4, 1100, 64);
        s.align = k % 2 ? 0 : 16;
        s.bads = k < 2 ? NONE : FEW;
        stitch_run(&s);
        s.way = THIRDS;
        stitch_run(&s);
    }
}

static void all_stitches(void)
{
    stitches_by_size();
    stitches_by_count();
    stitches_of_lists();
    stitches_by_type();
    stitches_with_gaps();
    stitches_at_limits();
}

/* ---- partitions ----------------------------------------------------------*/

/* Only counted; run in one or in three ranges; at once. */
enum { TALLIED, DEALT, PARTLY, AT_ONCE };
static const char *const partition_name[] = {
    "count", "partition", "partition ranges", "dynamic_partition"
};

/* The room of each part: what it needs; more; one too little in one. */
enum { EXACT, ROOMY, SHORT };
static const char *const room_name[] = { "exact", "roomy", "short" };

enum { PARTS = 300 };

typedef struct partition {
    int       way, type, where, policy, order, bads, align, roomy;
    ptrdiff_t parts, n, bytes, inner, from_gap, from_pad, to_pad, at_pad;
} partition;

static partition partition_new(ptrdiff_t parts, ptrdiff_t n, ptrdiff_t bytes)
{
    partition t;
    memset(&t, 0, sizeof t);
    t.way = DEALT;
    t.parts = parts;
    t.n = n;
    t.bytes = bytes;
    t.inner = 1;
    t.align = 16;
    t.where = -1;
    t.policy = NDG_DROP;
    return t;
}

static void partition_say(const partition *t)
{
    sprintf(name, "%s %s %ldB P %ld n %ld %s %s", partition_name[t->way],
            index_name(t->type), (long)t->bytes, (long)t->parts, (long)t->n,
            order_name[t->order], room_name[t->roomy]);
    if (t->where >= 0)
        sprintf(name + strlen(name), " positions %s", index_name(t->where));
    if (t->bads)
        sprintf(name + strlen(name), " %s bad %s", bads_name[t->bads],
                policy_name[t->policy]);
    say("inner", t->inner, 1);
    say("align", t->align, 16);
    say("gap", t->from_gap, 0);
    say("pad", t->from_pad, 0);
    say("to_pad", t->to_pad, 0);
    say("at_pad", t->at_pad, 0);
}

static ptrdiff_t part_needs[PARTS], part_room[PARTS], part_at[PARTS];
static ptrdiff_t part_counts[3 * PARTS], part_cursors[3 * PARTS];
static ptrdiff_t part_ids[40000];               /* -1: bad */
static void     *part_outs[PARTS], *part_wheres[PARTS];

/* Writes the ids, and counts; returns how many are bad. */
static ptrdiff_t partition_ids(const partition *t, const rows *l)
{
    ptrdiff_t i, bads = 0;
    memset(part_needs, 0, sizeof part_needs);
    fits(t->n, COUNT(part_ids));
    fits(t->parts, PARTS);
    for (i = 0; i < t->n; i++) {
        int64_t v = index_of(t->order, i, t->parts, 0);
        part_ids[i] = (ptrdiff_t)v;
        if (is_bad(t->bads, i, t->n)) {
            v = bad_value(t->type, t->parts, 0, i);
            part_ids[i] = -1;
            bads++;
        } else {
            part_needs[v]++;
        }
        index_put(ids + i * l->at_row, t->type, v);
    }
    return bads;
}

/* Puts the parts and their positions one behind the other; returns the bytes
 * of all. */
static ptrdiff_t partition_outs(const partition *t, const rows *l)
{
    ptrdiff_t k, at = 0;
    out_new(0, t->align);
    for (k = 0; k < t->parts; k++) {
        part_room[k] = part_needs[k] + (t->roomy == ROOMY ? 5 : 0)
                     - (t->roomy == SHORT && k == t->parts / 2);
        part_at[k] = at;
        part_outs[k] = out + at + (part_room[k] == 0);  /* no rows: anywhere */
        at += part_room[k] * l->to_row;
        at = (at + 63) / 64 * 64;
        if (t->where < 0) continue;
        part_wheres[k] = out + at;
        at += part_room[k] * index_bytes(t->where);
        at = (at + 63) / 64 * 64;
    }
    out_new(at, t->align);
    return at;
}

/* What is expected, up to the row that finds no room. */
static int partition_expect(const partition *t, const rows *l)
{
    ptrdiff_t used[PARTS] = { 0 }, i;
    for (i = 0; i < t->n; i++) {
        const ptrdiff_t k = part_ids[i];
        if (k < 0 && t->policy != NDG_DROP) return NDG_E_INDEX;
        if (k < 0) continue;
        if (used[k] == part_room[k]) return NDG_E_CAPACITY;
        copy_pieces(want + part_at[k] + used[k] * l->to_row,
                    table + i * l->from_row, t->bytes, t->inner, l->from_elem);
        if (t->where >= 0)
            index_put(want + ((unsigned char *)part_wheres[k] - out)
                      + used[k] * index_bytes(t->where), t->where, i);
        used[k]++;
    }
    return NDG_OK;
}

static int partition_call(const partition *t, const ndg_partition_desc *d,
                          ndg_report *r)
{
    void *const       *wheres = t->where >= 0 ? part_wheres : 0;
    ndg_partition_plan p;
    ndg_report         part;
    int                w, status = NDG_OK;
    if (ndg_plan_partition(&p, d, r)) return -1;
    begin();
    if (t->way == TALLIED)
        return ndg_partition_count(&p, ids, 0, t->n, part_counts, r);
    if (t->way == DEALT)
        return ndg_partition_run(&p, part_outs, wheres, table, ids, t->n,
                                 part_room, part_cursors, r);
    if (t->way == AT_ONCE)
        return ndg_dynamic_partition(part_outs, wheres, part_room, part_counts,
                                     table, ids, d, r);
    memset(r, 0, sizeof *r);
    for (w = 0; w < 3; w++)
        ndg_partition_count(&p, ids, t->n * w / 3, t->n * (w + 1) / 3,
                            part_counts + w * t->parts, &part);
    ndg_partition_starts(part_counts, part_cursors, 3, t->parts);
    for (w = 0; w < 3; w++) {
        status = ndg_partition_run_range(&p, part_outs, wheres, table, ids,
                                         t->n * w / 3, t->n * (w + 1) / 3,
                                         part_cursors + w * t->parts,
                                         part_counts + w * t->parts, &part);
        ndg_report_merge(r, &part);
        if (status) return status;
    }
    return NDG_OK;
}

static void partition_run(const partition *t)
{
    const rows l = rows_of(t->bytes, t->inner, t->type, t->from_gap,
                           t->from_pad, t->to_pad, t->at_pad);
    ndg_partition_desc d;
    ndg_report         r;
    ptrdiff_t          bads, span;
    int                status, expect = NDG_OK, right;
    partition_say(t);
    fits(l.from_row * t->n, TABLE);
    fits(l.at_row * t->n, INDICES);
    dice.state = 1;
    bads = partition_ids(t, &l);
    span = partition_outs(t, &l);
    memset(&d, 0, sizeof d);
    d.data = ndg_strided3(t->n, l.from_row, t->inner, l.from_elem, l.elems,
                          l.elem);
    d.partitions = ndg_strided1(t->n, l.at_row);
    d.out_stride = l.to_row;
    d.elem_size = l.elem;
    d.num_partitions = t->parts;
    d.index_type = t->type;
    d.position_type = t->where < 0 ? NDG_I32 : t->where;
    d.policy = t->policy;
    if (t->way != TALLIED) expect = partition_expect(t, &l);
    else if (bads && t->policy != NDG_DROP) expect = NDG_E_INDEX;
    status = partition_call(t, &d, &r);
    right = status == expect && same(span, 0);
    if (t->way == TALLIED)
        right &= !memcmp(part_counts, part_needs,
                         (size_t)t->parts * sizeof *part_counts);
    end(t->n, right && (expect || r.bad.count == bads));
}

/* ---- cells of partitions -------------------------------------------------*/

static const int parts_of[] = { 1, 2, 3, 63, 64, 65, 300 };

static void partitions_counted(void)
{
    int k, i, bads;
    for (k = 0; k < COUNT(parts_of); k++)
        for (i = -1; i <= 1; i++)
            for (bads = NONE; bads <= HALF; bads++) {
                partition t = partition_new(parts_of[k],
                                            4 * parts_of[k] + i, 4);
                t.way = TALLIED;
                t.bads = bads;
                if (i < 1 && (bads || k % 2)) continue;
                if (bads) t.n = 3000;
                if (bads == ONE && k % 3) continue;
                partition_run(&t);
                if (i < 1 || k % 3 || bads == ONE) continue;
                t.at_pad = 4;
                t.n = 2001;
                t.type = NDG_I64;
                partition_run(&t);
            }
}

static void partitions_by_parts(void)
{
    static const int bytes[] = { 4, 24, 64, 200 };
    int k, i, far;
    for (k = 0; k < COUNT(parts_of); k++)
        for (i = 0; i < COUNT(bytes); i++)
            for (far = 0; far < 2; far++) {
                const ptrdiff_t b = bytes[i];
                partition t = partition_new(parts_of[k],
                                            FAR / b + (far ? 1 : 0), b);
                if (i % 2 && far) t.where = NDG_I32;
                if (k % 3 == 1) t.type = NDG_U8;
                if (parts_of[k] > 200) t.type = NDG_U16;
                if (!far && (i + k) % 3) continue;
                partition_run(&t);
            }
}

static void partitions_by_size(void)
{
    int k;
    for (k = 0; k < COUNT(sizes); k++) {
        partition t = partition_new(5, 300, sizes[k]);
        t.align = 0;
        t.where = k % 4 ? -1 : NDG_I64;
        if (t.bytes < 32 || k % 2) partition_run(&t);
        t.parts = 2;
        t.where = -1;
        t.roomy = k % 2 ? EXACT : ROOMY;
        if (t.bytes <= 16 || k % 4 == 0) partition_run(&t);
    }
    for (k = 0; k < 10; k++) {          /* for two parts */
        partition t = partition_new(2, 2000, 8);
        t.type = k == 1 ? NDG_I64 : k == 2 ? NDG_U8 : NDG_I32;
        if (k == 3) t.bytes = 12;
        if (k == 4) t.at_pad = 4;
        if (k == 5) t.order = SAME, t.roomy = ROOMY;
        if (k == 6) t.roomy = SHORT;
        if (k == 7) t.bads = FEW;
        if (k == 8) t.bads = HALF;
        if (k == 9) t.order = UP;
        partition_run(&t);
        t.way = PARTLY;
        if (k % 4 == 0) partition_run(&t);
    }
}

/* For two parts, of which one gets less than the other has; which have room for
 * 64 rows each; and ranges too short for tables. */
static void partitions_uneven(void)
{
    int k;
    for (k = 0; k < 4; k++) {
        partition t = partition_new(2, 2000, 8);
        t.order = k == 0 ? LOW : k == 1 ? HIGH : k == 2 ? NEAR : SAME;
        partition_run(&t);
        t.way = PARTLY;
        partition_run(&t);
    }
    for (k = -1; k <= 1; k++) {
        partition t = partition_new(2, 128 + 2 * k, 8);
        t.order = UP;
        partition_run(&t);
    }
    for (k = 0; k < 2; k++) {
        partition t = partition_new(63, 3 * 200, 4);
        t.way = PARTLY;
        t.type = k ? NDG_I64 : NDG_I32;
        partition_run(&t);
    }
    for (k = 0; k < 2; k++) {           /* streamed; three get nothing */
        partition t = partition_new(5, STREAM / 64 + k, 64);
        t.order = LOW;
        t.align = 0;
        partition_run(&t);
    }
}

static void partitions_by_type(void)
{
    int type, k;
    for (type = 0; type < 8; type++)
        for (k = type % 2; k < 4; k++) {
            partition t = partition_new(100, 3000, 12);
            t.type = type;
            t.where = k ? -1 : type;
            if (type == NDG_I8 || type == NDG_U8)
                t.where = k ? -1 : NDG_I16;
            if (k == 1) t.bads = HALF;
            if (k == 2) t.way = AT_ONCE;
            if (k == 3) t.bads = ONE, t.policy = NDG_ERROR;
            partition_run(&t);
            if (k < 3) continue;
            t.way = TALLIED;
            partition_run(&t);
        }
}

static void partitions_apart(void)
{
    static const int lines[] = { 64, 128, 1024, 63 };
    int k, i;
    for (k = 0; k < 7; k++)
        for (i = 0; i < 2; i++) {
            partition t = partition_new(9, i ? 9000 : 900, 16);
            if (k == 0) t.from_pad = 8;
            if (k == 1) t.to_pad = 8;
            if (k == 2) t.at_pad = 4;
            if (k == 3) t.inner = 3, t.from_gap = 4;
            if (k == 4) t.roomy = SHORT;
            if (k == 5) t.order = RUNS;
            if (k == 6) t.way = PARTLY, t.where = NDG_I32;
            partition_run(&t);
        }
    for (k = 0; k < COUNT(lines); k++)  /* streamed, or not */
        for (i = 0; i < 3; i++) {
            partition t = partition_new(5, STREAM / lines[k] + (i > 0),
                                        lines[k]);
            t.align = i == 2 ? 16 : 0;
            partition_run(&t);
            t.where = NDG_I32;
            partition_run(&t);
        }
}

static void all_partitions(void)
{
    partitions_counted();
    partitions_by_parts();
    partitions_by_size();
    partitions_uneven();
    partitions_by_type();
    partitions_apart();
}

/* ---- limits, whatever the table says --------------------------------------*/

/* That so much is counted, at most or at least. */
static void at_most(int what, ptrdiff_t most, const char *why)
{
    if (!COUNTED) return;
    CHECKF(counted[what] <= (long)most, "%s: %ld %s, more than %ld: %s", name,
           counted[what], count_name[what], (long)most, why);
}

static void at_least(int what, ptrdiff_t least, const char *why)
{
    if (!COUNTED) return;
    CHECKF(counted[what] >= (long)least, "%s: %ld %s, fewer than %ld: %s",
           name, counted[what], count_name[what], (long)least, why);
}

/* Pieces in which a row is copied. */
static ptrdiff_t pieces_of(ptrdiff_t bytes)
{
    return bytes > 128 || (bytes <= 16 && (bytes & (bytes - 1)) == 0) ? 1 : 2;
}

/* A call has some fixed costs, in copies, and looks for runs, in the first and
 * last index of each 2048. */
static ptrdiff_t beside(ptrdiff_t n) { return 40 + n / 32; }

/* Good indices: each is read once and its row is copied once, from near tables
 * without a prefetch; from far ones each line is asked for, but those of 64
 * rows, and most of them in time. A row that is asked for has its index read
 * once more, which is no check. */
static void limit_good_gathers(void)
{
    int k;
    for (k = 0; k < COUNT(sizes); k++) {
        const ptrdiff_t b = sizes[k], n = b > 200 ? 100 : 1000;
        gather          g = gather_new(ROWS, near_rows(b), b, n);
        gather_run(&g);
        at_most(READS, n + beside(n), "an index is read once");
        at_most(COPIES, n + pieces_of(b) * n + beside(n), "a row is copied "
                "once");
        at_most(ASKED, 0, "the table is near");
        if (b < 64 && b >= 4) at_most(STORED, 0, "out is small");
        g.rows = 16 * FAR / b;          /* few are near by chance */
        gather_run(&g);
        at_most(READS, n + beside(n), "an index is read once");
        at_most(COPIES, 2 * n + pieces_of(b) * n + beside(n), "a row is "
                "copied once");
        if (b >= 2048) continue;        /* the processor asks for these */
        at_least(ASKED, (n - 64) * ((b + 63) / 64), "the table is far");
        at_most(ASKED, n * ((b + 63) / 64 + 1), "a line is asked for once");
        at_least(MET, (n - 64) / 2, "what is asked for is used later");
    }
}

/* Rows that follow each other are one copy, up to 2048 of them. */
static void limit_runs(void)
{
    static const int bytes[] = { 4, 12, 16, 48 };
    int k;
    for (k = 0; k < COUNT(bytes); k++) {
        gather g = gather_new(ROWS, 16384, bytes[k], 4096);
        stitch s = stitch_new(1, 4096, bytes[k]);
        g.order = s.order = UP;
        gather_run(&g);
        at_most(COPIES, 4096 + 4 + 40, "each index is looked at, and 2048 "
                "rows are one copy");
        at_most(ASKED, 0, "a run is not random");
        s.gaps = NDG_GAPS_KEEP;
        stitch_run(&s);
        at_most(COPIES, 4096 + 4 + 40, "each index is looked at, and 2048 "
                "rows are one copy");
    }
}

/* A bad row in 1024 makes 256 rows go another way, which copies a row once,
 * too; but indices may be read twice there, to count and name the bad. */
static void limit_few_bad(void)
{
    static const int policies[] = { NDG_ZERO, NDG_CLIP, NDG_WRAP, NDG_KEEP };
    static const int bytes[] = { 4, 24, 64, 200 };
    int k, i, far;
    for (k = 0; k < COUNT(policies); k++)
        for (i = 0; i < COUNT(bytes); i++)
            for (far = 0; far < 2; far++) {
                const ptrdiff_t b = bytes[i];
                gather g = gather_new(ROWS, far ? far_rows(b) : near_rows(b),
                                      b, 8192);
                long none, read;
                gather_run(&g);
                none = counted[COPIES];
                read = counted[READS];
                g.policy = policies[k];
                g.bads = FEW;
                gather_run(&g);
                if (b < 200) at_most(COPIES, none + 8 * 40, "eight bad rows");
                at_most(READS, read + 8 * 40, "eight bad rows");
            }
}

/* Half of them bad: each time 256 rows go the way of bad ones, and before that
 * the fast way is tried, and whether there is a run. */
static void limit_many_bad(void)
{
    static const int policies[] = { NDG_ZERO, NDG_CLIP, NDG_WRAP, NDG_KEEP };
    int k;
    for (k = 0; k < COUNT(policies); k++) {
        gather g = gather_new(ROWS, 5000, 4, 8192);
        g.policy = policies[k];
        g.bads = HALF;
        gather_run(&g);
        at_most(READS, 8192 + 32 * 20, "256 rows go the way of bad ones");
        at_most(COPIES, 2 * 8192 + 32 * 20, "a row is copied once");
        at_most(BRANCHES, 4 * 8192, "bad rows are no branch");
    }
}

/* Lines of large outputs go past the caches: four stores each, no other, and
 * one fence. None where out is not that large. */
static void limit_streams(void)
{
    static const int bytes[] = { 64, 128, 256 };
    int k, order;
    for (k = 0; k < COUNT(bytes); k++)
        for (order = RANDOM; order <= UP; order++) {
            const ptrdiff_t b = bytes[k];
            gather          g = gather_new(ROWS, far_rows(b), b, STREAM / b);
            g.align = 0;
            g.order = order;
            gather_run(&g);
            at_most(STORED, 0, "out is not large");
            at_most(FENCES, 0, "nothing was streamed");
            g.n++;
            gather_run(&g);
            at_least(STORED, g.n * b / 16, "out is large");
            at_most(STORED, g.n * b / 16, "a byte is written once");
            at_least(FENCES, 1, "what was streamed comes first");
            at_most(FENCES, 1, "one fence will do");
        }
}

/* Checks read each index once, of any depth, and copy no rows. */
static void limit_checks(void)
{
    int depth;
    for (depth = 1; depth <= 4; depth++) {
        gather g = gather_new(CHECKED, 40, 4, 2000);
        g.depth = depth;
        gather_run(&g);
        at_most(READS, depth * 2000, "an index is read once");
        /* Of several components each is a copy, and the lanes that judge it. */
        at_most(COPIES, depth == 1 ? 2040 : 9 * depth * 500 + 100,
                "no row is copied");
        g.way = RUN;
        gather_run(&g);
        at_most(READS, depth * (2000 + beside(2000)), "an index is read once");
        at_most(COPIES, (1 + 2 * depth) * 2000 + beside(2000), "a row is "
                "copied once");
    }
}

/* A gather along an axis reads its indices once a step, or once in all. */
static void limit_axes(void)
{
    gather g = gather_new(RUN, 400, 64, 300);
    g.outer = 3;
    gather_run(&g);
    at_most(READS, 3 * (300 + 40), "an index is read once in each step");
    at_most(JUMPS, 3 * 300 * 2, "a step is done before the next");
}

/* Stitches and partitions: each index is read once, a row copied once. Lines of
 * many far parts are asked for. */
static void limit_scatters(void)
{
    static const int bytes[] = { 4, 16, 24, 64, 200 };
    int k, far;
    for (k = 0; k < COUNT(bytes); k++)
        for (far = 0; far < 2; far++) {
            const ptrdiff_t b = bytes[k], n = (far ? 2 * FAR : FAR / 2) / b;
            const ptrdiff_t lines = (b + 63) / 64;
            stitch          s = stitch_new(1, n, b);
            partition       t = partition_new(32, n, b);
            s.gaps = NDG_GAPS_KEEP;
            stitch_run(&s);
            at_most(READS, n + beside(n), "an index is read once");
            at_most(COPIES, (1 + far) * n + pieces_of(b) * n + beside(n),
                    "a row is copied once");
            at_most(ASKED, 0, "no copy waits for the line it writes to");
            partition_run(&t);
            at_most(READS, n, "an id is read once");
            at_most(COPIES, n + pieces_of(b) * n + 40, "a row is copied once");
            if (far && b < 64) at_least(ASKED, n, "parts are far");
            if (!far) at_most(ASKED, 0, "parts are near");
            at_most(ASKED, n * (lines + 1), "a line is asked for once");
            t.way = TALLIED;
            partition_run(&t);
            at_most(READS, n, "an id is read once");
            at_most(COPIES, n + 40, "nothing is copied");
            at_most(BRANCHES, 0, "ids are counted without any");
        }
}

#if COUNTED
/* The rows that a plan takes at once. */
static ptrdiff_t few_of(const gather *g)
{
    const layout    l = lay_out(g);
    ndg_gather_desc d;
    ndg_gather_plan p;
    gather_describe(&d, g, &l);
    return ndg_plan_gather(&p, &d, 0) ? -1 : p.loop.few;
}

static void few_are(ptrdiff_t few, ptrdiff_t want, const char *which)
{
    CHECKF(few == want, "%s: %ld rows are taken at once, not %ld", which,
           (long)few, (long)want);
}

/* Few rows take their loop at once: 256 from a near table, 64 from a far one;
 * but no more than are written past the caches. */
static void limit_few(void)
{
    gather g = gather_new(RUN, 100, 4, 9);
    view   near = view_new(9, NDG_I32), far = near;
    few_are(few_of(&g), 256, "near");
    g.rows = far_rows(4);
    few_are(few_of(&g), 64, "far");
    g.to_pad = 4;
    few_are(few_of(&g), 64, "not packed");
    g = gather_new(RUN, 100, 4, 9);
    g.batches = 9;
    few_are(few_of(&g), 256, "batches");
    g.outer = 2;
    few_are(few_of(&g), 0, "along an axis");
    g = gather_new(RUN, 2, STREAM, 9);
    few_are(few_of(&g), 1, "as long as may be");
    g.bytes += 16;
    few_are(few_of(&g), 0, "longer");
    g.bytes = STREAM / 3;
    few_are(few_of(&g), 3, "long");
    view_axis(&near, FAR / 4, -4, 9);
    few_are(view_run(&near), 256, "backward, near");
    view_axis(&far, FAR / 4 + 1, -4, 9);
    few_are(view_run(&far), 64, "backward, far");
}
#endif

static void all_limits(void)
{
    limiting = 1;
    limit_good_gathers();
    limit_runs();
    limit_few_bad();
    limit_many_bad();
    limit_streams();
    limit_checks();
    limit_axes();
    limit_scatters();
#if COUNTED
    limit_few();
#endif
}

/* ---- all of it -----------------------------------------------------------*/

int main(int argc, char **argv)
{
    ptrdiff_t i;
    arena = arrays + (-(uintptr_t)arrays & (PAGE - 1));
    table = arena;
    ids = arena + TABLE;
    scratch = arena + TABLE + INDICES + OUT;
    dice.state = 7;
    for (i = 0; i < TABLE; i++) {
        table[i] = (unsigned char)(1 + some(255));
        if (table[i] == FRESH) table[i] = 1;
    }
    if (argc == 2 && !strcmp(argv[1], "write")) mode = WRITE;
    if (mode == WRITE)
        printf("/* counts.h - what test_counts.c counts, as it wrote it: of "
               "each cell copies,\n * bytes copied, indices read, rare "
               "branches, turns from indices to rows, lines\n * asked for, "
               "those asked for in time, jumps, streamed stores, fences. */\n"
               );
    if (argc == 3 && !strcmp(argv[1], "show")) mode = SHOW, shown = argv[2];
    all_gathers();
    all_stitches();
    all_partitions();
    if (mode != COMPARE) return test_failed ? 1 : 0;
    CHECKF(!COUNTED || !expected[cell < COUNT(expected) ? cell : 0].name,
           "counts.h has other cells than the %d there are: have it written "
           "anew", cell);
    all_limits();
    if (!COUNTED)
        printf("skip: test_counts: what is counted is that of 64 bits, GNU C "
               "and SSE2; only results were compared\n");
    return test_end("test_counts");
}
