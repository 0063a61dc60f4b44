/* random.h - random cases: choices become numbers, shapes and arrays, hostile
 * ones too. Choices are the bytes of a fuzzer's input, or come from a seed.
 *
 * random_gather.h and its sisters are written from the manual of ndgather.h and
 * know nothing of what is inside: they make a case of an op, ask oracle.h for
 * status, report and bytes, and then each engine. The memory of a case is
 * exactly what it has a right to touch, so a sanitizer sees what is beside it.
 *
 * Who includes it has ENGINES engines[], with engine_names[], and may say what
 * GIVE_UP does. */
#ifndef NDG_TEST_RANDOM_H
#define NDG_TEST_RANDOM_H

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include "oracle.h"

#ifndef GIVE_UP
#define GIVE_UP() abort()
#endif

static int  turn;                /* which engine is at work */
static long met;                 /* expectations that were */
static void (*describe)(void);   /* prints the case that is at work */

/* Whatever is not as the manual says ends the program, with a word why. */
#define EXPECT(ok, ...)                                                       \
    do {                                                                      \
        if (ok) met++;                                                        \
        else unmet(__FILE__, __LINE__, #ok, __VA_ARGS__);                     \
    } while (0)

static void unmet(const char *file, int line, const char *what,
                  const char *format, ...)
{
    va_list args;
    printf("%s:%d: engine %s: %s: ", file, line, engine_names[turn], what);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    if (describe) describe();
    fflush(stdout);
    GIVE_UP();
}

/* With FUZZ_TELL in the environment each case is printed before it runs. */
HELPER void tell(void (*how)(void))
{
    describe = how;
    if (getenv("FUZZ_TELL")) how();
    fflush(stdout);
}

static void  **kept;
static size_t  kept_count, kept_room;

/* Memory of a case, which lasts until it is over. None is larger than some 100
 * KiB. Without one nothing more can be said, of this case and of those behind
 * it: that is no success. */
HELPER void *keep(void *p)
{
    if (kept_count == kept_room) {
        kept_room = 2 * kept_room + 64;
        kept = (void **)realloc(kept, kept_room * sizeof *kept);
    }
    if (!p || !kept) {
        printf("out of memory\n");
        exit(2);
    }
    return kept[kept_count++] = p;
}

HELPER void *grab(size_t n) { return keep(calloc(n + !n, 1)); }

HELPER void release(void)
{
    while (kept_count) free(kept[--kept_count]);
}

HELPER ptrdiff_t *grab_words(ptrdiff_t n)
{
    return (ptrdiff_t *)grab((size_t)n * sizeof(ptrdiff_t));
}

/* ---- choices -------------------------------------------------------------*/

typedef struct choices {
    const uint8_t *at, *end;
    int            endless;       /* not these bytes, but those of the dice */
    random_source  dice;
} choices;

/* The next byte; 0 where there are no more. */
HELPER int take(choices *in)
{
    if (in->endless) return (int)(random_bits(&in->dice) >> 40 & 255);
    return in->at < in->end ? *in->at++ : 0;
}

HELPER int below(choices *in, int n) { return take(in) % n; }

/* What makes the many values that need not be chosen one by one. */
HELPER random_source take_dice(choices *in)
{
    random_source dice;
    dice.state = in->endless ? random_bits(&in->dice) : (uint64_t)take(in);
    return dice;
}

/* Signed sizes at which arithmetic breaks, and their neighbours. */
HELPER ptrdiff_t take_number(choices *in)
{
    static const ptrdiff_t near[16] = {
        0, 1, PTRDIFF_MAX, PTRDIFF_MIN, PTRDIFF_MAX / 2, PTRDIFF_MIN / 2,
        PTRDIFF_MAX / 3, PTRDIFF_MAX / 16, 32768, 65536, INT_MAX,
        (ptrdiff_t)1 << (sizeof(ptrdiff_t) * 4), 46341, 1 << 20, 255, 16
    };
    const int    which = below(in, 16);
    const size_t base = (size_t)near[wide_is_exact() ? which : which | 14];
    return (ptrdiff_t)(base + (size_t)(int8_t)take(in));
}

/* from + the next byte, or most if that is less; from is at most that. */
HELPER ptrdiff_t take_more(choices *in, ptrdiff_t from, ptrdiff_t most)
{
    const int more = take(in);
    return most - from < more ? most : from + more;
}

/* An int as an option may hold it when it is wrong. */
HELPER int take_wrong(choices *in)
{
    static const int wrong[8] = { -1, 8, INT_MIN, INT_MAX, 9, 16, 255, 2 };
    return wrong[below(in, 8)];
}

/* An extent: mostly small. Extreme ones only where asked for. */
HELPER ptrdiff_t take_extent(choices *in, int crowded, int extreme)
{
    static const short some[8] = { 0, 0, 64, 100, 257, 300, 1030, 2050 };
    const int b = take(in);
    if (extreme && b >= 224) return take_number(in);
    if (crowded) return b % 5 == 4 ? 2 : b == 255 ? 0 : 1;
    if (b < 128) return 1 + b % 4;
    if (b < 192) return b % 8;
    if (b < 224) return b - 190;
    if (b < 248) return b % 3;
    return some[b - 248];
}

/* A rank: mostly small, at most 24. */
HELPER int take_rank(choices *in)
{
    const int b = take(in);
    return b < 216 ? b % 5 : b % 25;
}

HELPER ptrdiff_t take_elem(choices *in)
{
    static const short size[32] = {
        4, 4, 4, 8, 8, 1, 1, 2, 2, 16, 16, 3, 5, 6, 7, 9, 12, 13, 15, 17, 24,
        31, 32, 33, 48, 63, 64, 65, 128, 256, 2048, 5000
    };
    return size[below(in, 32)];
}

/* first ... last in up to 5 ranges that are run in the order of order[]. */
typedef struct ranges {
    int       n, order[5];
    ptrdiff_t cut[6];
} ranges;

HELPER void take_ranges(choices *in, ptrdiff_t first, ptrdiff_t last,
                        ranges *r)
{
    int i, k;
    r->n = 1 + below(in, 5);
    r->cut[0] = first;
    r->cut[r->n] = last;
    for (i = 1; i < r->n; i++) {
        const ptrdiff_t left = last - r->cut[i - 1];
        r->cut[i] = r->cut[i - 1] + (left > 0 ? take(in) * 7 % (left + 1) : 0);
    }
    for (i = 0; i < r->n; i++) {         /* shuffled inside out */
        k = below(in, i + 1);
        r->order[i] = r->order[k];
        r->order[k] = i;
    }
}

/* ---- arrays --------------------------------------------------------------*/

HELPER void take_dims(choices *in, array *a, int rank, int crowded,
                      int extreme)
{
    int i;
    a->rank = rank;
    for (i = 0; i < rank; i++) a->dim[i] = take_extent(in, crowded, extreme);
}

/* Axes nested in an order that is chosen, with gaps, and backwards too where
 * an input array is meant. */
HELPER void take_nested(choices *in, array *a, int backwards)
{
    char   done[ARRAY_RANK] = { 0 };
    size_t step = (size_t)a->elem + (size_t)below(in, 3);
    int    i, n;
    for (n = 0; n < a->rank; n++) {
        const int how = take(in);
        i = how % a->rank;
        while (done[i]) i = (i + 1) % a->rank;
        done[i] = 1;
        a->stride[i] = (ptrdiff_t)(step);
        if (backwards && how & 128) a->stride[i] = (ptrdiff_t)(0 - step);
        if (a->dim[i] > 0) step *= (size_t)a->dim[i];
        if (how & 64) step += (size_t)(how >> 4 & 3);
    }
}

HELPER void take_raw(choices *in, array *a)
{
    int i;
    for (i = 0; i < a->rank; i++) {
        const int b = take(in);
        a->stride[i] = b < 224 ? (ptrdiff_t)(int8_t)b : take_number(in);
        if (b % 4 == 0 && b < 128) a->stride[i] = 0;
    }
}

/* Strides of an input array: of most arrays none. */
HELPER void take_strides(choices *in, array *a)
{
    const int how = below(in, 8);
    array_pack(a);
    a->strided = how > 3;
    if (how == 5 || how == 6) take_nested(in, a, 1);
    if (how == 7) take_raw(in, a);
}

/* Strides of an output. */
HELPER void take_out_strides(choices *in, array *a)
{
    const int how = below(in, 16);
    array_pack(a);
    a->strided = how > 7;
    if (how > 8 && how < 15) take_nested(in, a, 0);
    if (how == 15) take_raw(in, a);
}

HELPER void array_print(const char *name, const array *a)
{
    int i;
    printf("    %s: elem %ld, bytes %ld ... %ld, [", name, (long)a->elem,
           (long)a->low, (long)a->high);
    for (i = 0; i < a->rank; i++) printf(" %ld", (long)a->dim[i]);
    printf(" ]");
    if (a->strided) printf(" strides");
    for (i = 0; i < a->rank && a->strided; i++)
        printf(" %ld", (long)a->stride[i]);
    printf("\n");
}

/* One extent is another, or one too large. */
HELPER void spoil_dims(choices *in, array *a)
{
    const int how = take(in);
    if (a->rank < 1) return;
    a->dim[how % a->rank] = how & 128 ? take_number(in) : take(in) % 30;
}

/* An axis of count steps in front of those of a slice. */
HELPER void array_prepend(array *a, const array *slice, ptrdiff_t count,
                          ptrdiff_t stride)
{
    const array s = *slice;
    memset(a, 0, sizeof *a);
    a->rank = 1 + s.rank;
    a->elem = s.elem;
    a->strided = 1;
    a->dim[0] = count;
    a->stride[0] = stride;
    memcpy(a->dim + 1, s.dim, (size_t)s.rank * sizeof *s.dim);
    memcpy(a->stride + 1, s.stride, (size_t)s.rank * sizeof *s.dim);
}

/* ---- memory --------------------------------------------------------------*/

#define ROWS_MOST  4096
#define CELLS_MOST 20000
#define BYTES_MOST ((ptrdiff_t)1 << 17)

/* Which of so many rows. Returns 0 if they are too many to go over. */
HELPER int take_rows(choices *in, int cut, ptrdiff_t rows, wide cells,
                     ptrdiff_t *first, ptrdiff_t *last)
{
    *first = 0;
    *last = rows;
    if (cut || rows > ROWS_MOST) {
        *first = (ptrdiff_t)((size_t)take_number(in) % ((size_t)rows + 1));
        *last = take_more(in, *first, rows);
    }
    return *last - *first <= ROWS_MOST
        && (wide)(*last - *first) * cells <= (wide)CELLS_MOST;
}

/* Whether the bytes low ... high-1 can be had as memory of its own, behind a
 * base at a true address. Then they are the array's. */
HELPER int affordable(array *a, wide low, wide high)
{
    const wide far = sizeof(void *) > 4 ? 1e12L : 1e8L;
    if (high - low > (wide)BYTES_MOST || low < -far || high > far) return 0;
    a->low = (ptrdiff_t)low;
    a->high = (ptrdiff_t)high;
    return 1;
}

HELPER int afford(array *a)
{
    wide low, high;
    array_span(a, &low, &high);
    return affordable(a, low, high);
}

/* Memory for these bytes, of any alignment, of mostly no byte more behind. */
HELPER void take_memory(choices *in, array *a)
{
    const int lead = below(in, 16);
    array_alloc(a, lead, lead % 4 == 3 ? lead : 0);
    keep(a->block);
}

HELPER array take_twin(const array *a)
{
    array twin;
    array_twin(&twin, a);
    keep(twin.block);
    return twin;
}

HELPER unsigned char *array_first(const array *a)
{
    return (unsigned char *)((uintptr_t)a->base + (uintptr_t)a->low);
}

/* Bytes 1 ... 127: neither 0 nor FRESH. */
HELPER void array_noise(const array *a, random_source *dice)
{
    const ptrdiff_t n = a->high - a->low;
    unsigned char  *to = a->base ? array_first(a) : a->block;
    uint64_t        bits = 0;
    ptrdiff_t       i;
    for (i = 0; i < n; i++, bits >>= 8) {
        if (i % 8 == 0) bits = random_bits(dice);
        to[i] = (unsigned char)(1 + (bits & 127) % 127);
    }
}

/* What scatters, stitches and partitions take. */
static const int row_policies[4] = {
    NDG_DEFAULT, NDG_ERROR, NDG_DROP, NDG_ASSUME_VALID
};

/* How much of what is wanted must be there: all; or a byte may be fresh, too;
 * or it may be any, but what is to stay fresh is. */
enum { ALL, HALF, SOME };

HELPER void same_bytes(const array *a, const array *want, int how)
{
    ptrdiff_t i = 0;
    if (array_same(a, want)) i = a->block_bytes;
    while (i < a->block_bytes && (a->block[i] == want->block[i] || (how == HALF
                                  && a->block[i] == FRESH) || (how == SOME
                                  && want->block[i] != FRESH))) i++;
    EXPECT(i == a->block_bytes, "byte %ld of %ld is %02x, not %02x", (long)i,
        (long)a->block_bytes, (unsigned)a->block[i], (unsigned)want->block[i]);
}

HELPER void untouched(const array *a)
{
    ptrdiff_t i;
    for (i = 0; i < a->block_bytes && a->block[i] == FRESH;) i++;
    EXPECT(i == a->block_bytes, "a refusal wrote byte %ld", (long)i);
}

/* An input and an output in one block, so that they share some bytes, or none
 * but touch. */
typedef struct overlap {
    unsigned char *block, *in, *out;      /* bases */
    ptrdiff_t      shared;
} overlap;

/* Returns 0 if one of them has no bytes. */
HELPER int take_overlap(choices *in, const array *a, const array *o,
                        overlap *p)
{
    const ptrdiff_t na = a->high - a->low, no = o->high - o->low;
    const int       behind = below(in, 2), b = take(in);
    if (!na || !no) return 0;
    p->shared = b < 128 ? b & 1 : b - 126;
    if (p->shared > na) p->shared = na;
    if (p->shared > no) p->shared = no;
    p->block = (unsigned char *)grab((size_t)(na + no));
    memset(p->block, FRESH, (size_t)(na + no));
    p->in = p->block + (behind ? no - p->shared : 0);
    p->out = p->block + (behind ? 0 : na - p->shared);
    memcpy(p->in, array_first(a), (size_t)na);
    p->in = (unsigned char *)((uintptr_t)p->in - (uintptr_t)a->low);
    p->out = (unsigned char *)((uintptr_t)p->out - (uintptr_t)o->low);
    return 1;
}

/* ---- index values --------------------------------------------------------*/

enum { VALUES_GOOD, VALUES_MIXED, VALUES_RAW, VALUES_INPUT, VALUES_RUNS,
       VALUES_WAYS };

typedef struct value_source {
    int           way;
    choices      *in;
    random_source dice;
    int64_t       before;
} value_source;

HELPER value_source take_values(choices *in, int valid)
{
    value_source v;
    v.dice = take_dice(in);
    v.way = below(in, VALUES_WAYS);
    if (valid && v.way != VALUES_RAW) v.way = VALUES_GOOD;
    v.in = in;
    v.before = -1;
    return v;
}

/* A bad value, or a good one far from the small ones. */
HELPER int64_t hostile_value(random_source *dice, ptrdiff_t extent)
{
    const int64_t n = extent;
    switch (random_below(dice, 10)) {
    case 0:  return n;
    case 1:  return -1;
    case 2:  return INT64_MIN;
    case 3:  return INT64_MAX;
    case 4:  return -n - 1;
    case 5:  return -n;
    case 6:  return n - 1;
    case 7:  return (int64_t)1 << 32;
    case 8:  return n < INT32_MAX ? 3 * n + 1 : n;
    default: return (int64_t)1 << random_below(dice, 63);
    }
}

/* An index for an extent, in one of the ways; in VALUES_RUNS in runs that
 * count up. */
HELPER int64_t random_value(value_source *s, ptrdiff_t extent)
{
    random_source *dice = &s->dice;
    ptrdiff_t      room = extent < 8 || random_below(dice, 2) ? extent : 8;
    int64_t        v;
    if (s->way == VALUES_INPUT) return (int8_t)take(s->in);
    if (room > 4096) room = 4096;
    v = room > 0 ? (int64_t)(random_bits(dice) % (uint64_t)room) : 0;
    if (s->way == VALUES_RUNS && random_below(dice, 30)) v = s->before + 1;
    if (s->way == VALUES_RUNS && v >= extent) v = 0;
    s->before = v;
    if (s->way == VALUES_MIXED && random_below(dice, 8) == 0)
        v = hostile_value(dice, extent);
    if (s->way == VALUES_RUNS && random_below(dice, 40) == 0)
        v = hostile_value(dice, extent);
    return v;
}

HELPER void put_value(void *to, int type, ptrdiff_t extent, value_source *s)
{
    if (s->way == VALUES_RAW) random_fill(&s->dice, to, index_bytes(type));
    else index_put(to, type, random_value(s, extent));
}

/* ---- plans ---------------------------------------------------------------*/

/* A refusal that is known, before anything was written. */
HELPER void refused(int got, const ndg_report *r, int status, int operand)
{
    EXPECT(got == status && r->status == status && r->op && (!operand
        || r->operand == operand) && !r->bad.count,
        "got %d, not %d about %d: %s", got, status, operand, report_text(r));
}

/* The report as a line: the length is right at any capacity. */
HELPER void say(const engine *e, const ndg_report *r, const ndg_shape *indices)
{
    const ptrdiff_t n = e->report_text(NULL, 0, r, indices);
    char           *whole, *part;
    EXPECT(n > 0 && n < 1000, "%ld characters", (long)n);
    whole = (char *)grab((size_t)n + 1);
    part = (char *)grab((size_t)n / 2 + 1);
    EXPECT(e->report_text(whole, n + 1, r, indices) == n
           && (ptrdiff_t)strlen(whole) == n, "%s", whole);
    EXPECT(e->report_text(part, n / 2 + 1, r, indices) == n
           && (ptrdiff_t)strlen(part) == n / 2
           && !memcmp(whole, part, (size_t)(n / 2)), "%s", part);
}

/* A plan is as foretold. */
HELPER void judge(const verdict *v, int got, const ndg_report *r)
{
    EXPECT(got >= 0 && got < NDG_STATUS_COUNT, "status %d", got);
    if (got == NDG_OK) {
        EXPECT(!v->must, "accepted, flaws %x", v->may);
        EXPECT(report_clean(r), "%s", report_text(r));
        return;
    }
    EXPECT(v->may >> got & 1, "flaws %x: %s", v->may, report_text(r));
    EXPECT(r->status == got && r->operand && r->op && !r->bad.count, "%s",
           report_text(r));
}

/* A plan by each engine, as foretold, and by all the same. Returns the status
 * of the last, the same for all, with its report. */
HELPER int plan_by_all(const verdict *v, int (*plan)(ndg_report *),
                       const ndg_shape *shape, ndg_report *r)
{
    ndg_report first = NDG_ZERO_INIT;
    int        got, want = -1;
    for (turn = 0; turn < ENGINES; turn++) {
        *r = report_stale();
        got = plan(r);
        judge(v, got, r);
        if (turn == 0) {
            want = got;
            first = *r;
        }
        EXPECT(got == want && report_same(r, &first, 1), "%s", report_text(r));
        if (got != NDG_OK) say(engines[turn], r, shape);
    }
    turn = 0;
    return want;
}

/* A run's report is the one that was foretold. After an error not all bad rows
 * need have been counted, where that is not asked for. */
HELPER void same_report(int got, const ndg_report *r, const ndg_report *want,
                        int exact)
{
    EXPECT(got == want->status && r->status == got, "got %d: %s, want %s",
           got, report_text(r), report_text(want));
    if (exact || got != NDG_E_INDEX)
        EXPECT(report_same(r, want, 1), "%s, want %s", report_text(r),
               report_text(want));
    else
        EXPECT(report_same_failure(r, want) && r->bad.count >= 1
               && r->bad.count <= want->bad.count, "%s, want %s",
               report_text(r), report_text(want));
}

/* Runs units first ... last-1 of what is at work, with out of so many bytes. */
typedef int run_function(void *out, ptrdiff_t room, ptrdiff_t first,
                         ptrdiff_t last, ndg_report *r);

/* Each range by itself; the reports add up. `empty`: also those of no rows. */
HELPER ndg_report run_ranges(array *out, const ranges *cuts, int empty,
                             run_function *run)
{
    ndg_report sum = NDG_ZERO_INIT, r;
    int        i;
    array_fresh(out);
    for (i = 0; i < cuts->n; i++) {
        const ptrdiff_t *cut = &cuts->cut[cuts->order[i]];
        if (cut[0] == cut[1] && !empty) continue;
        r = report_stale();
        run(out->base, out->high, cut[0], cut[1], &r);
        engines[turn]->report_merge(&sum, &r);
    }
    return sum;
}

/* What every run refuses before it writes: no room, no memory, no such rows:
 * far is none (0: this op has no ranges). */
HELPER void refuse_runs(array *out, run_function *run, int op,
                        ptrdiff_t first, ptrdiff_t last, ptrdiff_t far)
{
    const ptrdiff_t need = out->high;
    ndg_report      r = report_stale();
    void           *o = out->base;
    array_fresh(out);
    if (first < last && need > 0) {
        refused(run(o, need - 1, first, last, &r), &r, NDG_E_CAPACITY,
                NDG_ARG_OUT);
        EXPECT(r.value == need - 1 && r.bound == need && r.op == op, "%s",
               report_text(&r));
        refused(run(o, -1, first, last, &r), &r, NDG_E_CAPACITY, NDG_ARG_OUT);
        refused(run(NULL, need, first, last, &r), &r, NDG_E_NULL, NDG_ARG_OUT);
    }
    if (far) {
        refused(run(o, need, far, far, &r), &r, NDG_E_RANGE, NDG_ARG_FIRST);
        refused(run(o, need, 0, far, &r), &r, NDG_E_RANGE, NDG_ARG_LAST);
    }
    if (far && first < last)
        refused(run(o, need, last, first, &r), &r, NDG_E_RANGE, NDG_ARG_LAST);
    untouched(out);
}

/* A number that is none of so many rows. */
HELPER ptrdiff_t take_far(choices *in, ptrdiff_t rows)
{
    const ptrdiff_t far = take_number(in);
    if (far < 0) return far;
    return far < PTRDIFF_MAX - rows ? rows + 1 + far : -1;
}

HELPER int all_zero(const void *p, size_t n)
{
    const unsigned char *at = (const unsigned char *)p;
    while (n--) if (*at++) return 0;
    return 1;
}

#endif
