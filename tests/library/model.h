/* model.h - a gather, scatter, stitch or partition said in a line of text, laid
 * out, run and compared with plain loops over rows. test_loops, test_drawn and
 * test_counts share it.
 *
 *     "gather,rows i8,i64 b4,64 r100 n300 odds5 zero,keep"
 *
 * Words and keys with numbers set the fields of a job; commas make a job of
 * each choice, in all combinations, and 3:9 is all numbers from 3 to 9. Of
 * choices behind a '?' one is drawn each time; `turn` has no meaning but how
 * often that is. What a text does not say is as in KEYS.
 *
 * Of an output the whole block is compared, canaries before and after it and
 * the gaps between its rows and all, and of a report everything. Tables hold
 * neither 0 nor FRESH, so rows that are zero, untouched or right are told
 * apart. Tables and indices end with the last byte of their block, for the
 * sanitizers, if no bytes are to lie beside them. Include it after ndgather.h.
 */
#ifndef NDG_TEST_MODEL_H
#define NDG_TEST_MODEL_H

#include "../lib/test.h"
#include "../lib/descs.h"
#include "../lib/oracle.h"

#include <limits.h>

#define NOISE  (1 << 20)
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static random_source dice;

HELPER int one_in(int n) { return random_below(&dice, n) == 0; }

/* ---- bytes ---------------------------------------------------------------*/

static unsigned char noise[NOISE];

HELPER void noise_make(void)
{
    ptrdiff_t i;
    random_fill(&dice, noise, NOISE);
    for (i = 0; i < NOISE; i++)
        if (noise[i] == 0 || noise[i] == FRESH) noise[i] ^= 0x3C;
}

HELPER int is_all(const unsigned char *p, ptrdiff_t n, int byte)
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

HELPER void *grab(ptrdiff_t n)
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
HELPER block block_new(ptrdiff_t span, int align, ptrdiff_t margin, int byte)
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

HELPER void span_axis(ptrdiff_t *low, ptrdiff_t *high, ptrdiff_t extent,
                      ptrdiff_t stride)
{
    if (stride < 0) *low += (extent - 1) * stride;
    else *high += (extent - 1) * stride;
}

/* ---- bad indices ---------------------------------------------------------*/

HELPER int count_fits(const ndg_bad *got, const ndg_bad *want, int exact)
{
    if (exact) return got->count == want->count;
    return got->count >= 1 && got->count <= want->count;
}

HELPER int64_t type_max(int type)
{
    static const int64_t max[INDEX_TYPES] = {
        INT32_MAX, INT8_MAX, INT16_MAX, INT64_MAX,
        UINT8_MAX, UINT16_MAX, UINT32_MAX, -1
    };
    return max[type];
}

HELPER int64_t type_min(int type)
{
    static const int64_t min[INDEX_TYPES] = {
        INT32_MIN, INT8_MIN, INT16_MIN, INT64_MIN, 0, 0, 0, 0
    };
    return min[type];
}

#define BAD_KINDS 8

/* A value that extent makes bad, as far as the type can hold one. The last
 * kinds are good in their low half. */
HELPER int64_t bad_value(int type, ptrdiff_t extent, int kind)
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

/* ---- what a text says ----------------------------------------------------*/

enum { VALUES = 100000, PARTS = 1000, LISTS = 200, DEEP = 5, CANARIES = 64 };

/* How it is called. */
enum { GATHER, ROWS, CHECKED, STITCH, THIRDS, TOTAL, TENSORS, PARALLEL, TALLY,
       DEAL, DEAL_THIRDS, AT_ONCE, SCATTER, SCATTER_THIRDS };

/* How indices follow each other. NEAR: within `spread` rows, the first and the
 * last of 1024 just so far apart. LOW, HIGH: the first or the last row, but
 * the other each 16th time. SHUFFLED: each once, if there are so many. PAIRS:
 * every other one is 0, the others count up. SLOW: each four times. HOPS: every
 * second row. BROKEN: runs of some three. EDGES: runs that break about where a
 * chunk of 64 ends. LAST_TWO: by turns. */
enum { RANDOM, UP, RUNS, DOWN, SAME, NEAR, SHUFFLED, LOW, HIGH, PAIRS, SLOW,
       HOPS, BROKEN, EDGES, LAST_TWO };

/* What becomes of an index that is spoilt. WILD: any value, maybe a good one;
 * OFF: one more; AGAIN: that of the row before; WIDE: 2^32 more. */
enum { BAD, WILD, OFF, AGAIN, WIDE };

/* The room of each part: what it needs; more; one too little in one. */
enum { EXACT, ROOMY, SHORT };

/* A table is [batches, lines, outer, r, p, q, v, x pieces of b bytes], indices
 * are [batches, lines, n, d], out is [batches, lines, outer, n, x of b]. What
 * lies between two things is in bytes, behind the one that is named. A scatter
 * has out for a table and its data where a gather has out. */
#define KEYS(X)                                                               \
    X(way, 0) X(type, NDG_I32) X(policy, NDG_ERROR) X(ends, 0) X(d, 1)        \
    X(batches, 1) X(lines, 1) X(outer, 1)                                     \
    X(n, 1)                     /* index rows, of each list of a stitch */    \
    X(r, 100) X(p, 4) X(q, 4) X(v, 4) /* extents that indices name */         \
    X(b, 4) X(x, 1)                                                           \
    X(e, 0)                     /* an element; else a divisor of b up to 16 */\
    X(gap, 0) X(pad, 0) X(apart, 0)   /* behind pieces, rows, all of p */     \
    X(togap, 0) X(topad, 0) X(toline, 0) X(tobatch, 0)                        \
    X(atpad, 0) X(atline, 0)                                                  \
    X(planes, 0) X(toplanes, 0) X(atplanes, 0) /* pieces, components apart */ \
    X(back, 0) X(atback, 0)     /* the last row of r, the last index first */ \
    X(flat, 0)                  /* bit k: component k moves nothing */        \
    X(hop, 0) X(use, 0)         /* from row to row of r; how many are named */\
    X(top, 0)                   /* 1: these are the last ones, not the first */\
    X(step, 0)                  /* from outer to outer */                     \
    X(still, 0)                 /* all in one place: batches 1, outer steps */\
                                /* 2; 4: batches of indices */                \
    X(nd, 0)                    /* by gather_nd, also of one component */     \
    X(align, 16) X(tableat, AT_FRONT) X(idsat, AT_FRONT)                      \
    X(beside, 0)                /* so many bytes beside table and indices */  \
    X(slack, 0)                 /* room that is told of behind out */         \
    X(first, 0) X(last, 0)      /* what is run: 0 and less from the end */    \
    X(cuts, 0)                  /* 1: in all pairs of ranges, and some of 3 */\
    X(order, RANDOM) X(from, 0) X(spread, -1)                                 \
    X(run, 0)                   /* so many count up there, to the last row */ \
    X(bad, -1)                  /* which row is; -2 is the last one */        \
    X(every, 0) X(each, 0) X(odds, 0) /* and after it; one in so many; by */  \
                                /* chance */                                  \
    X(kind, BAD) X(comp, -1)                                                  \
    X(mask, 0) X(add, 0)        /* of indices, as desc.index_mask and _add */ \
    X(byhand, 0)                /* as if the plan were made by hand */        \
    X(lists, 1) X(uneven, 0) X(total, 0) X(gaps, NDG_GAPS_ZERO) X(marks, 0)   \
    X(dealt, 0)                                                               \
    X(parts, 1) X(where, -1) X(room, EXACT)   /* where: type of positions */  \
    X(turn, 0)

#define FIELD(name, usual) ptrdiff_t name;
typedef struct job { KEYS(FIELD) } job;

/* ---- text ----------------------------------------------------------------*/

typedef struct word { const char *name; size_t at; ptrdiff_t value; } word;

#define KEY(name, usual) { #name, offsetof(job, name), usual },
static const word job_keys[] = { KEYS(KEY) { 0, 0, 0 } };

#define IS(key, name, value) { name, offsetof(job, key), value },
static const word job_words[] = {
    IS(way, "gather", GATHER) IS(way, "rows", ROWS) IS(way, "check", CHECKED)
    IS(way, "stitch", STITCH) IS(way, "thirds", THIRDS) IS(way, "total", TOTAL)
    IS(way, "tensors", TENSORS) IS(way, "parallel", PARALLEL)
    IS(way, "tally", TALLY) IS(way, "deal", DEAL)
    IS(way, "deals", DEAL_THIRDS) IS(way, "once", AT_ONCE)
    IS(way, "scatter", SCATTER) IS(way, "scatters", SCATTER_THIRDS)
    IS(type, "i32", NDG_I32) IS(type, "i8", NDG_I8) IS(type, "i16", NDG_I16)
    IS(type, "i64", NDG_I64) IS(type, "u8", NDG_U8) IS(type, "u16", NDG_U16)
    IS(type, "u32", NDG_U32) IS(type, "u64", NDG_U64)
    IS(policy, "default", NDG_DEFAULT) IS(policy, "error", NDG_ERROR)
    IS(policy, "zero", NDG_ZERO) IS(policy, "fill", NDG_FILL)
    IS(policy, "clip", NDG_CLIP) IS(policy, "wrap", NDG_WRAP)
    IS(policy, "keep", NDG_KEEP) IS(policy, "drop", NDG_DROP)
    IS(policy, "valid", NDG_ASSUME_VALID)
    IS(order, "random", RANDOM) IS(order, "up", UP) IS(order, "runs", RUNS)
    IS(order, "down", DOWN) IS(order, "same", SAME) IS(order, "near", NEAR)
    IS(order, "shuffled", SHUFFLED) IS(order, "low", LOW)
    IS(order, "high", HIGH) IS(order, "pairs", PAIRS) IS(order, "slow", SLOW)
    IS(order, "hops", HOPS) IS(order, "broken", BROKEN)
    IS(order, "edges", EDGES) IS(order, "lasttwo", LAST_TWO)
    IS(kind, "wild", WILD) IS(kind, "off", OFF) IS(kind, "again", AGAIN)
    IS(kind, "wide", WIDE)
    IS(gaps, "holes", NDG_GAPS_KEEP) IS(gaps, "whole", NDG_GAPS_ERROR)
    IS(room, "roomy", ROOMY) IS(room, "short", SHORT) { 0, 0, 0 }
};

static const char *job_text;    /* what the job at hand is of */
static long        job_number;  /* and which of its jobs it is */

static ptrdiff_t *job_field(job *j, const word *w)
{
    return (ptrdiff_t *)(void *)((char *)j + w->at);
}

static job job_new(void)
{
    const word *w;
    job         j;
    for (w = job_keys; w->name; w++) *job_field(&j, w) = w->value;
    return j;
}

static const word *word_of(const word *w, const char *s, size_t n)
{
    while (w->name && (strlen(w->name) != n || memcmp(w->name, s, n))) w++;
    return w->name ? w : 0;
}

static void job_each(job j, const char *s, void (*visit)(const job *));

/* Goes on with each choice that stands between s and end, or with the one of
 * this number, but those which this machine's sizes cannot hold. Returns how
 * many there are. Without `visit` they are only counted. */
static long job_choices(job j, const char *s, const char *end, long which,
                        void (*visit)(const job *))
{
    const word *key = 0;
    long        count = 0;
    for (; s < end; s += *s == ',') {
        const size_t n = strcspn(s, ", ");
        const size_t name = strcspn(s, "-0123456789, ");
        const word  *w = word_of(job_words, s, n);
        char        *stop = 0;
        long long    i, last;
        if (name > 0 && !w) key = word_of(job_keys, s, name);
        if (!w && !key) {
            printf("no word or key: %s, in %s\n", s, job_text);
            exit(3);
        }
        i = last = w ? w->value : strtoll(s + name, &stop, 10);
        if (stop && *stop == ':') last = strtoll(stop + 1, 0, 10);
        for (; i <= last; i++) {
            if ((which >= 0 && which != count++) || !visit) continue;
            *job_field(&j, w ? w : key) = (ptrdiff_t)i;
            if ((ptrdiff_t)i == i) job_each(j, end, visit);
        }
        s += n;
    }
    return count;
}

/* Calls `visit` with each job that j becomes by the rest of a text. */
static void job_each(job j, const char *s, void (*visit)(const job *))
{
    const char *end;
    long        which = -1;
    s += strspn(s, " ");
    end = s + strcspn(s, " ");
    if (*s == '?') {
        s++;
        which = random_below(&dice, (int)job_choices(j, s, end, LONG_MAX, 0));
    }
    if (s == end) {
        job_number++;
        visit(&j);
    }
    job_choices(j, s, end, which, visit);
}

static void jobs_of(const char *text, void (*visit)(const job *))
{
    job_text = text;
    job_number = 0;
    job_each(job_new(), text, visit);
}

/* ---- arrays --------------------------------------------------------------*/

/* If there is an arena, all arrays lie in it, always at the same place. */
enum { PAGE = 4096, TABLE_ROOM = 3 << 20, IDS_ROOM = 1 << 20,
       OUT_ROOM = 6 << 20, SCRATCH_ROOM = 1 << 16,
       ROOM = TABLE_ROOM + IDS_ROOM + OUT_ROOM + SCRATCH_ROOM };

static unsigned char *arena;
static block          table, ids, out, marks;
static unsigned char *want;             /* what is expected of out's block */
static ndg_report     said;             /* and what is said */
static int            exact;            /* else good rows may be missing */

/* So many bytes of the arena, from a place in it on. */
static block arena_at(ptrdiff_t at, ptrdiff_t span, ptrdiff_t room)
{
    block b;
    if (span > room) {
        printf("%s: %ld bytes do not fit\n", job_text, (long)span);
        exit(3);
    }
    b.bytes = b.at = arena + at;
    b.size = span;
    return b;
}

static void table_new(const job *j, ptrdiff_t span)
{
    ptrdiff_t i, n;
    if (arena) {
        table = arena_at(0, span, TABLE_ROOM);
        return;
    }
    table = block_new(span, (int)j->tableat, j->beside, 0);
    for (i = 0; i < span; i += n) {
        n = span - i < NOISE ? span - i : NOISE;
        memcpy(table.at + i, noise + random_below(&dice, (int)(NOISE - n + 1)),
               (size_t)n);
    }
}

/* What lies beside indices is good, or bad. */
static void ids_new(const job *j, ptrdiff_t span)
{
    const int byte = arena || job_number & 1 ? 0 : 0xFF;
    if (!arena) ids = block_new(span, (int)j->idsat, j->beside, byte);
    else ids = arena_at(TABLE_ROOM, span, IDS_ROOM);
    if (ids.size) memset(ids.bytes, byte, (size_t)ids.size);
}

static void out_fresh(void) { memset(out.bytes, FRESH, (size_t)out.size); }

static void out_new(ptrdiff_t span, ptrdiff_t align)
{
    if (!arena) {
        out = block_new(span, (int)align, CANARIES, FRESH);
    } else {
        out = arena_at(TABLE_ROOM + IDS_ROOM + PAGE - CANARIES + align,
                       span + 2 * CANARIES, OUT_ROOM - 2 * PAGE);
        out.at += CANARIES;
    }
    out_fresh();
    want = (unsigned char *)grab(out.size);
    memset(want, FRESH, (size_t)out.size);
    want += out.at - out.bytes;
    memset(&said, 0, sizeof said);
    exact = 1;
}

static void arrays_free(void)
{
    free(want - (out.at - out.bytes));
    if (arena) return;
    free(table.bytes);
    free(ids.bytes);
    free(out.bytes);
}

/* Whether all of out's block is as expected; where some may be missing, bytes
 * may be as they were, or zero if there were to be no gaps. */
static int out_right(int zeroed)
{
    const unsigned char *w = want - (out.at - out.bytes), *g = out.bytes;
    ptrdiff_t            i;
    if (exact) return !memcmp(g, w, (size_t)out.size);
    for (i = 0; i < out.size; i++)
        if (g[i] != w[i] && g[i] != FRESH && !(zeroed && g[i] == 0)) return 0;
    return 1;
}

static void job_judge(int status, const ndg_report *r, int bytes, int count)
{
    CHECKF(bytes, "%s, job %ld: other bytes", job_text, job_number);
    CHECKF(status == r->status && report_same(r, &said, 0)
           && count_fits(&r->bad, &said.bad, count),
           "%s, job %ld: %s, not %s", job_text, job_number, report_text(r),
           report_text(&said));
}

/* What a test does before a plan is made, and before it runs. */
#ifndef BEFORE_PLAN
#define BEFORE_PLAN() ((void)0)
#endif
#ifndef BEFORE_CALL
#define BEFORE_CALL() ((void)0)
#endif

/* ---- indices -------------------------------------------------------------*/

static int64_t value[VALUES];           /* those of the job at hand */

/* Index i, below `rows`. */
static ptrdiff_t index_of(const job *j, ptrdiff_t i, ptrdiff_t rows)
{
    static ptrdiff_t start;
    const ptrdiff_t  spread = j->spread < 0 ? rows - 1 : j->spread;
    const uint64_t   any = random_bits(&dice);
    if (j->run && i >= j->from && i < j->from + j->run)
        return rows - j->run + i - j->from;
    switch (j->order) {
    case UP:       return (j->from + i) % rows;
    case DOWN:     return rows - 1 - i % rows;
    case SAME:     return rows / 2;
    case LOW:      return i % 16 ? 0 : rows - 1;
    case HIGH:     return i % 16 ? rows - 1 : 0;
    case SHUFFLED: return (i * 7919 + 11) % rows;
    case PAIRS:    return i & 1 ? 0 : (9 + i / 2) % rows;
    case SLOW:     return i / 4 % rows;
    case LAST_TWO: return rows - 1 - (i & 1) % rows;
    case HOPS:     return (j->from + 2 * i) % rows;
    case BROKEN: case EDGES:
        if (i == 0 || (j->order == BROKEN ? one_in(3)
                       : (i + 1) % 64 <= 2 && one_in(2)))
            start = (ptrdiff_t)(any % (uint64_t)rows) - i;
        return (start + i + rows) % rows;
    case RUNS:
        if (i % 300 == 0) start = (ptrdiff_t)(any % (uint64_t)rows);
        return (start + i % 300) % rows;
    case NEAR:
        return i % 1024 == 0 ? 0 : i % 1024 == 1023 ? spread
             : (ptrdiff_t)(any % (uint64_t)(spread + 1));
    default:       return (ptrdiff_t)(any % (uint64_t)rows);
    }
}

/* Whether row i of n is spoilt. */
static int is_bad(const job *j, ptrdiff_t i, ptrdiff_t n)
{
    const ptrdiff_t bad = j->bad < -1 ? n + j->bad + 1 : j->bad;
    if (j->policy == NDG_ASSUME_VALID) return 0;
    if (j->odds && one_in((int)j->odds)) return 1;
    if (j->each && i % j->each == j->each / 2) return 1;
    return bad >= 0 && (i == bad || (j->every && i > bad
                                     && (i - bad) % j->every == 0));
}

/* Any value of a type: about the extent, at an edge of 32 or 64 bits, or of any
 * magnitude. v if it cannot hold that. */
static int64_t wild_value(int type, int64_t v, ptrdiff_t extent)
{
    const int64_t low = random_below(&dice, 7) - 3;
    int64_t       w = (int64_t)random_bits(&dice);
    switch (random_below(&dice, 7)) {
    case 0:  w = extent + low; break;
    case 1:  w = -(int64_t)extent + low; break;
    case 2:  w = INT64_C(1) << random_below(&dice, 62); break;
    case 3:  w = type_max(type) - 3 - low; break;
    case 4:  w = type_min(type) + 3 + low; break;
    case 5:  w /= INT64_C(1) << random_below(&dice, 62); break;
    default: w = (INT64_C(1) << (31 + random_below(&dice, 3))) + low; break;
    }
    return index_holds(type, w, type == NDG_U64) ? w : v;
}

/* What becomes of row i's index v. */
static int64_t spoilt(const job *j, int64_t v, ptrdiff_t i, ptrdiff_t extent)
{
    const int     type = (int)j->type;
    const int64_t above = (int64_t)((uint64_t)v + (UINT64_C(1) << 32));
    switch (j->kind) {
    case WILD:  return wild_value(type, v, extent);
    case OFF:   return v + 1;
    case AGAIN: return i ? value[i - 1] : v;
    case WIDE:  return index_holds(type, above, 0) ? above : type_max(type);
    default:    return bad_value(type, extent, random_below(&dice, BAD_KINDS));
    }
}

/* What becomes v by the mask and the sum, if the type can hold such a value. */
static int64_t unchanged(const job *j, int64_t v)
{
    const int64_t any = j->mask ? (int64_t)random_bits(&dice) : 0;
    v = (int64_t)((uint64_t)v - (uint64_t)j->add);
    return j->mask ? (v & j->mask) | (any & ~(int64_t)j->mask) : v;
}

/* As many of an extent as the type can name. */
static ptrdiff_t named(const job *j, ptrdiff_t extent)
{
    const int64_t most = type_max((int)j->type);
    return most >= 0 && extent > most ? (ptrdiff_t)most + 1 : extent;
}

/* Puts an index at a place; before the next one lies what counts up from it. */
static void ids_put(const job *j, ptrdiff_t at, int64_t v)
{
    const ptrdiff_t size = index_bytes((int)j->type);
    const ptrdiff_t room = ids.size - (ids.at - ids.bytes) - j->beside;
    if (at < 0 || at + size > room) return;     /* of no row that is run */
    index_put(ids.at + at, (int)j->type, v);
    if (j->d == 1 && j->atpad >= size && at + 2 * size <= room)
        index_put(ids.at + at + size, (int)j->type,
                  (int64_t)((uint64_t)v + 1));
}

static void note_bad(int op, ptrdiff_t list, ptrdiff_t position, ptrdiff_t k,
                     int64_t v, int type, ptrdiff_t extent)
{
    said.op = op;
    if (said.bad.count++) return;
    said.bad.list = list;
    said.bad.position = position;
    said.bad.component = (int)k;
    said.bad.is_u64 = type == NDG_U64 && v < 0;
    said.bad.value = v;
    said.bad.extent = extent;
}

static void refuse(int status, int op, int operand)
{
    said.status = status;
    said.op = op;
    said.operand = operand;
    exact = 0;
}

/* Runs units first ... last-1 of what is at work. */
typedef int range_function(const job *j, ptrdiff_t first, ptrdiff_t last,
                           ndg_report *r);

/* Two ranges or three, the last of them first or not. Their reports add up. */
static int run_cut(const job *j, range_function *run, const ptrdiff_t *cut,
                   int parts, int backward, ndg_report *r)
{
    ndg_report part;
    int        k;
    memset(r, 0, sizeof *r);
    for (k = 0; k < parts; k++) {
        const ptrdiff_t *c = cut + (backward ? parts - 1 - k : k);
        part = report_stale();
        CHECKF(run(j, c[0], c[1], &part) == part.status, "%s, job %ld: status",
               job_text, job_number);
        ndg_report_merge(r, &part);
    }
    return r->status;
}

/* Every cut of first ... last in two, and some in three; `judge` sees what is
 * left by each. */
static void run_cuts(const job *j, ptrdiff_t first, ptrdiff_t last,
                     range_function *run,
                     void (*judge)(const job *, int, ndg_report *))
{
    ptrdiff_t  cut[4];
    ndg_report r;
    int        backward;
    cut[0] = first;
    for (cut[1] = first; cut[1] <= last; cut[1]++) {
        backward = (int)(cut[1] & 1);
        cut[2] = last;
        out_fresh();
        judge(j, run_cut(j, run, cut, 2, backward, &r), &r);
        if (cut[1] % 7) continue;
        cut[2] = cut[1] + random_below(&dice, (int)(last - cut[1]) + 1);
        cut[3] = last;
        out_fresh();
        judge(j, run_cut(j, run, cut, 3, one_in(2), &r), &r);
    }
}

static int is_error(const job *j)
{
    return j->policy == NDG_DEFAULT || j->policy == NDG_ERROR;
}

/* ---- gathers -------------------------------------------------------------*/

/* Where each thing lies, in bytes; of a stitch or a partition too. */
static struct layout {
    ptrdiff_t elem, elems, rows, first, last;
    ptrdiff_t from, from_x, from_row, from_outer, from_line, from_batch;
    ptrdiff_t stride[DEEP], extent[DEEP], use[DEEP];
    ptrdiff_t row_span, to_x, to_row, to_outer, to_line, to_batch, to_span;
    ptrdiff_t at, at_row, at_part, at_line, at_batch;
} lay;

static ndg_gather_plan gather_plan;
static const unsigned char fill[16] = {
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF6, 0xF7, 0xF8,
    0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE6, 0xE7, 0xE8
};

/* What of so many units is run. */
static void lay_range(const job *j, ptrdiff_t units)
{
    lay.first = j->first;
    lay.last = j->last <= 0 ? units + j->last
             : j->last < units ? j->last : units;
}

static void lay_pieces(const job *j, ptrdiff_t rows)
{
    memset(&lay, 0, sizeof lay);
    for (lay.elem = 16; j->b % lay.elem; lay.elem--) continue;
    if (j->e && j->b % j->e == 0) lay.elem = j->e;
    lay.elems = j->b / lay.elem;
    lay.rows = rows;
    lay_range(j, rows);
    lay.from_x = j->b + j->gap;
    lay.from_row = (j->planes ? j->b : lay.from_x * j->x) + j->pad;
    lay.to_x = j->b + j->togap;
    lay.row_span = (j->x - 1) * lay.to_x + j->b;
    lay.to_row = (j->toplanes ? j->b : lay.to_x * j->x) + j->topad;
    lay.at_part = index_bytes((int)j->type);
    lay.at_row = lay.at_part * (j->atplanes ? 1 : j->d) + j->atpad;
}

static ptrdiff_t gather_to(const job *j, ptrdiff_t row, ptrdiff_t o)
{
    const ptrdiff_t line = row / j->n;
    return line / j->lines * lay.to_batch + line % j->lines * lay.to_line
         + o * lay.to_outer + row % j->n * lay.to_row;
}

static ptrdiff_t gather_at(const job *j, ptrdiff_t row, ptrdiff_t k)
{
    const ptrdiff_t line = row / j->n;
    return lay.at + line / j->lines * lay.at_batch
         + line % j->lines * lay.at_line + row % j->n * lay.at_row
         + k * lay.at_part;
}

static void lay_table(const job *j)
{
    const ptrdiff_t extent[DEEP] = { j->r, j->p, j->q, j->v, j->v };
    ptrdiff_t       step = lay.from_row, k;
    for (k = j->d - 1; k >= 0; k--) {
        lay.extent[k] = extent[k];
        lay.use[k] = k == 0 && j->use ? j->use : extent[k];
        if (k == 0 && j->d > 1) step += j->apart;
        if (k == 0 && j->hop) step = j->hop;
        lay.stride[k] = j->flat >> k & 1 ? 0 : step;
        if (lay.stride[k]) step *= lay.use[k];
    }
    if (step < 0) step = -step;
    if (j->planes) {
        lay.from_x = step;
        step *= j->x;
    }
    lay.from_outer = j->step ? j->step : step;
    lay.from_line = j->outer > 1 ? step + lay.from_outer * (j->outer - 1)
                                 : step;
    lay.from_batch = lay.from_line * j->lines;
    if (j->back) lay.stride[0] = -lay.stride[0];
    if (j->still & 1) lay.from_batch = 0;
    if (j->still & 2) lay.from_outer = 0;
}

static void lay_out(const job *j)
{
    lay_pieces(j, j->batches * j->lines * j->n);
    lay_table(j);
    lay.to_outer = lay.to_row * j->n;
    if (j->toplanes) {
        lay.to_x = lay.to_outer;
        lay.to_outer *= j->x;
    }
    lay.to_line = lay.to_outer * j->outer + j->toline;
    lay.to_batch = lay.to_line * j->lines + j->tobatch;
    lay.to_span = lay.rows == 0 ? 0
                : gather_to(j, lay.rows - 1, j->outer - 1)
                + (j->x - 1) * lay.to_x + j->b;
    if (j->atplanes) lay.at_part = lay.at_row * j->n;
    lay.at_line = lay.at_row * j->n * (j->atplanes ? j->d : 1) + j->atline;
    lay.at_batch = j->still & 4 ? 0 : lay.at_line * j->lines;
    if (!j->atback) return;
    lay.at = (j->n - 1) * lay.at_row;
    lay.at_row = -lay.at_row;
}

/* Indices of one batch are there for the range alone. */
static void gather_ids(const job *j)
{
    ptrdiff_t low = 0, high = index_bytes((int)j->type), n = j->n;
    if (j->batches * j->lines == 1 && !j->atback && !arena) {
        n = lay.last - lay.first;
        lay.at -= lay.first * lay.at_row;
    }
    span_axis(&low, &high, j->batches, lay.at_batch);
    span_axis(&low, &high, j->lines, lay.at_line);
    span_axis(&low, &high, n, j->atback ? -lay.at_row : lay.at_row);
    span_axis(&low, &high, j->d, lay.at_part);
    ids_new(j, j->d && n ? high : 0);
}

/* The bytes of the table; and where it begins. */
static ptrdiff_t table_span(const job *j)
{
    ptrdiff_t low = 0, high = j->b;
    int       k;
    span_axis(&low, &high, j->x, lay.from_x);
    span_axis(&low, &high, j->outer, lay.from_outer);
    span_axis(&low, &high, j->lines, lay.from_line);
    span_axis(&low, &high, j->batches, lay.from_batch);
    for (k = 0; k < j->d; k++)
        span_axis(&low, &high, lay.use[k], lay.stride[k]);
    for (k = 0; k < j->d; k++) if (lay.extent[k] == 0) low = high = 0;
    lay.from = -low;
    if (j->top) lay.from -= (lay.extent[0] - lay.use[0]) * lay.stride[0];
    return high - low;
}

static void gather_values(const job *j)
{
    const ptrdiff_t lines = j->lines * j->n;
    unsigned char   held[8];
    ptrdiff_t       use[DEEP], all = 1, row, k;
    int             is_u64;
    for (k = 0; k < j->d; k++) {
        use[k] = named(j, lay.use[k] ? lay.use[k] : 3);
        if (use[k] > PTRDIFF_MAX / all) use[k] = PTRDIFF_MAX / all;
        all *= use[k];
    }
    if (lay.rows * j->d > VALUES) exit(4);
    for (row = 0; row < lay.rows; row++) {
        const int       bad = is_bad(j, row, lay.rows);
        const ptrdiff_t comp = j->comp >= 0 || !j->d ? j->comp
                             : random_below(&dice, (int)j->d);
        ptrdiff_t       at = index_of(j, row, all);
        for (k = j->d - 1; k >= 0; k--) {
            int64_t v = at % use[k];
            at /= use[k];
            if (j->top && k == 0) v += lay.extent[0] - lay.use[0];
            if (j->ends && one_in(2)
                && index_holds((int)j->type, v - lay.extent[k], 0))
                v -= lay.extent[k];
            v = unchanged(j, v);
            if (bad && k == comp)
                v = spoilt(j, v, row * j->d + k, lay.extent[k]);
            if (j->still & 4 && row >= lines) v = value[row % lines * j->d + k];
            index_put(held, (int)j->type, v);
            v = index_get(held, (int)j->type, &is_u64);
            value[row * j->d + k] = v;
            ids_put(j, gather_at(j, row, k), v);
        }
    }
}

static ptrdiff_t slot;                  /* of the row that was looked up last */

/* Where a row leads in the table; -1: nowhere. Notes a bad one. */
static ptrdiff_t gather_from(const job *j, int op, ptrdiff_t row)
{
    const ptrdiff_t line = row / j->n;
    ptrdiff_t       from = lay.from + line / j->lines * lay.from_batch
                         + line % j->lines * lay.from_line;
    int             k, found = 1, any = 0;
    slot = line;
    for (k = 0; k < j->d; k++) {
        const int64_t v = value[row * j->d + k];
        int           bad, is_u64 = j->type == NDG_U64 && v < 0;
        const int64_t w = oracle_changed(v, &is_u64, j->mask, j->add);
        const ptrdiff_t at = oracle_index(w, is_u64, lay.extent[k],
                                          (int)j->policy, (int)j->ends, &bad);
        if (at < 0) found = 0;
        else from += at * lay.stride[k];
        slot = slot * lay.extent[k] + at;
        if (bad && !any++) {
            note_bad(op, 0, row, k, v, (int)j->type, lay.extent[k]);
            said.bad.changed = j->mask || j->add;
            said.bad.from_end = j->ends && (j->type < NDG_U8 || j->add);
        }
    }
    return found ? from : -1;
}

/* One piece in out: a copy, zeroes, copies of the fill, or nothing. */
static void expect_piece(const job *j, unsigned char *to, ptrdiff_t from)
{
    ptrdiff_t i;
    if (from >= 0) memcpy(to, table.at + from, (size_t)j->b);
    else if (j->policy == NDG_ZERO) memset(to, 0, (size_t)j->b);
    else if (j->policy == NDG_FILL)
        for (i = 0; i < j->b; i++) to[i] = fill[i % lay.elem];
}

/* Whether it is a gather along an axis. */
static int is_axis(const job *j) { return j->d == 1 && !j->nd; }

static void gather_expect(const job *j)
{
    const int op = j->way == ROWS ? NDG_OP_GATHER_ROWS
                 : is_axis(j) ? NDG_OP_GATHER : NDG_OP_GATHER_ND;
    ptrdiff_t row, o, x;
    for (row = lay.first; row < lay.last; row++) {
        const ptrdiff_t from = gather_from(j, op, row);
        if (from < 0 && (is_error(j) || j->policy == NDG_CLIP
                         || j->policy == NDG_WRAP))
            refuse(NDG_E_INDEX, op, NDG_ARG_INDICES);
        for (o = 0; o < j->outer && j->way != CHECKED; o++)
            for (x = 0; x < j->x; x++)
                expect_piece(j, want + gather_to(j, row, o) + x * lay.to_x,
                             from < 0 ? -1 : from + o * lay.from_outer
                             + x * lay.from_x);
    }
}

static ndg_gather_desc gather_desc(const job *j)
{
    static ptrdiff_t dims[3][12], steps[3][12];
    ndg_gather_desc  d = NDG_ZERO_INIT;
    int              n[3] = { 0, 0, 0 }, k;
#define AXIS(a, extent, bytes)                                                \
    (dims[a][n[a]] = (extent), steps[a][n[a]++] = (bytes))
#define AXES(extent, from, at, to)                                            \
    (AXIS(0, extent, from), AXIS(1, extent, at), AXIS(2, extent, to))
    AXES(j->batches, lay.from_batch, lay.at_batch, lay.to_batch);
    AXES(j->lines, lay.from_line, lay.at_line, lay.to_line);
    if (is_axis(j)) AXIS(0, j->outer, lay.from_outer);
    if (is_axis(j)) AXIS(2, j->outer, lay.to_outer);
    for (k = 0; k < j->d; k++) AXIS(0, lay.extent[k], lay.stride[k]);
    AXIS(1, j->n, lay.at_row);
    if (!is_axis(j)) AXIS(1, j->d, lay.at_part);
    AXIS(2, j->n, lay.to_row);
    AXIS(0, j->x, lay.from_x);
    AXIS(2, j->x, lay.to_x);
    AXIS(0, lay.elems, lay.elem);
    AXIS(2, lay.elems, lay.elem);
    d.params = ndg_dims(n[0], dims[0], steps[0]);
    d.indices = ndg_dims(n[1], dims[1], steps[1]);
    d.out = ndg_dims(n[2], dims[2], steps[2]);
    d.elem_size = lay.elem;
    d.index_type = (int)j->type;
    d.batch_dims = 2;
    d.axis = is_axis(j) ? 3 : 0;
    d.policy = (int)j->policy;
    d.negative = (int)j->ends;
    d.overlap = j->use ? NDG_OVERLAP_DISJOINT : NDG_OVERLAP_CHECK;
    d.index_mask = j->mask;
    d.index_add = j->add;
    memcpy(d.fill, fill, sizeof fill);
    return d;
}

static int gather_describe(const job *j)
{
    const ndg_gather_desc d = gather_desc(j);
    ndg_report            r;
    int                   status;
    BEFORE_PLAN();
    status = (is_axis(j) ? ndg_plan_gather
              : ndg_plan_gather_nd)(&gather_plan, &d, &r);
    CHECKF(status == NDG_OK, "%s, job %ld: no plan: %s", job_text, job_number,
           report_text(&r));
    if (j->byhand) memset(&gather_plan.loop, 0, sizeof gather_plan.loop);
    return status;
}

/* p plus an offset that may lead out of what p points into. */
static void *from_far(unsigned char *p, ptrdiff_t offset)
{
    return (void *)((uintptr_t)p + (uintptr_t)offset);
}

static int gather_range(const job *j, ptrdiff_t first, ptrdiff_t last,
                        ndg_report *r)
{
    const void     *params = from_far(table.at, lay.from);
    const void     *at = from_far(ids.at, lay.at);
    const ptrdiff_t room = lay.to_span + j->slack;
    BEFORE_CALL();
    if (j->way == ROWS)
        return ndg_gather_rows(out.at, room, params, j->r, j->b, lay.stride[0],
                               at, (int)j->type, j->n, (int)j->policy, r);
    if (j->way == CHECKED)
        return ndg_gather_check(&gather_plan, at, first, last, r);
    if (first > 0 || last < lay.rows)
        return ndg_gather_run_range(&gather_plan, out.at, room, params, at,
                                    first, last, r);
    return ndg_gather_run(&gather_plan, out.at, room, params, at, r);
}

static void gather_judge(const job *j, int status, ndg_report *r)
{
    job_judge(status, r, out_right(0), exact || j->way == CHECKED);
}

/* Whether a table is no larger than may be, were all of it there. */
static int table_is(const job *j)
{
    ptrdiff_t room = PTRDIFF_MAX / (j->batches * j->lines * j->outer * j->b
                                    * j->x), k;
    for (k = 0; k < j->d; k++) room /= lay.extent[k] ? lay.extent[k] : 1;
    return room > 0;
}

/* Whether there is such a call. */
static int gather_is(const job *j)
{
    const int packed = is_axis(j) && !(j->gap | j->togap | j->topad | j->atpad
                                       | j->atback | j->flat | j->ends
                                       | j->first | j->last | j->cuts
                                       | j->mask | j->add)
        && j->batches * j->lines * j->outer * j->x == 1;
    return table_is(j) && lay.first <= lay.last
        && (j->outer == 1 || is_axis(j))
        && (j->policy != NDG_FILL || j->e <= 16)
        && (j->way != ROWS || (packed && j->policy != NDG_FILL));
}

static void gather_run(const job *j)
{
    ndg_report r = report_stale();
    int        status;
    lay_out(j);
    if (!gather_is(j)) return;
    table_new(j, table_span(j));
    gather_ids(j);
    out_new(lay.to_span, j->align);
    gather_values(j);
    gather_expect(j);
    if (j->policy == NDG_ASSUME_VALID && said.bad.count) {
        arrays_free();                  /* of a type that holds no good ones */
        return;
    }
    if (j->way == ROWS || !gather_describe(j)) {
        status = gather_range(j, lay.first, lay.last, &r);
        gather_judge(j, status, &r);
        if (j->cuts)
            run_cuts(j, lay.first, lay.last, gather_range, gather_judge);
    }
    arrays_free();
}

/* ---- scatters ------------------------------------------------------------*/

static ndg_scatter_plan scatter_plan;
static ptrdiff_t        slots;

/* Where a slot lies in out. */
static ptrdiff_t slot_at(const job *j, ptrdiff_t s)
{
    ptrdiff_t at = lay.from, k;
    for (k = j->d - 1; k >= 0; k--) {
        at += s % lay.extent[k] * lay.stride[k];
        s /= lay.extent[k];
    }
    return at + s / j->lines * lay.from_batch + s % j->lines * lay.from_line;
}

static void scatter_expect(const job *j)
{
    ptrdiff_t s, row, x;
    for (s = lay.first; s < lay.last && j->gaps == NDG_GAPS_ZERO; s++)
        for (x = 0; x < j->x; x++)
            memset(want + slot_at(j, s) + x * lay.from_x, 0, (size_t)j->b);
    for (row = 0; row < lay.rows; row++) {
        const ptrdiff_t to = gather_from(j, NDG_OP_SCATTER_ND, row);
        if (to < 0 && is_error(j))
            refuse(NDG_E_INDEX, NDG_OP_SCATTER_ND, NDG_ARG_INDICES);
        if (to < 0 || slot < lay.first || slot >= lay.last) continue;
        for (x = 0; x < j->x; x++)
            memcpy(want + to + x * lay.from_x,
                   table.at + gather_to(j, row, 0) + x * lay.to_x,
                   (size_t)j->b);
    }
    if (lay.first == 0 && j->policy != NDG_ASSUME_VALID) return;
    memset(&said, 0, sizeof said);      /* another range tells of the bad */
    exact = 1;
}

/* After an error any of the rows that go to a slot may be there, or zeroes. */
static int slots_right(const job *j)
{
    const unsigned char *w = want - (out.at - out.bytes), *g = out.bytes;
    ptrdiff_t            i;
    if (exact) return out_right(0);
    for (i = 0; i < out.size; i++)
        if (w[i] == FRESH && g[i] != FRESH && (j->gaps || g[i])) return 0;
    return 1;
}

static void scatter_judge(const job *j, int status, ndg_report *r)
{
    job_judge(status, r, slots_right(j), exact);
}

static int scatter_range(const job *j, ptrdiff_t first, ptrdiff_t last,
                         ndg_report *r)
{
    const ptrdiff_t room = scatter_plan.out_bytes + j->slack;
    const void     *at = from_far(ids.at, lay.at);
    BEFORE_CALL();
    if (first > 0 || last < slots)
        return ndg_scatter_run_range(&scatter_plan, out.at, room, table.at, at,
                                     first, last, r);
    return ndg_scatter_run(&scatter_plan, out.at, room, table.at, at, r);
}

static void scatter_describe(const job *j)
{
    const ndg_gather_desc g = gather_desc(j);
    ndg_scatter_desc      d = scatter_of(g.elem_size, g.params, g.indices);
    ndg_report            r;
    d.data = g.out;
    d.index_type = g.index_type;
    d.batch_dims = g.batch_dims;
    d.policy = g.policy;
    d.negative = g.negative;
    d.gaps = (int)j->gaps;
    d.index_mask = g.index_mask;
    d.index_add = g.index_add;
    BEFORE_PLAN();
    CHECKF(ndg_plan_scatter_nd(&scatter_plan, &d, &r) == NDG_OK
           && scatter_plan.slots == slots, "%s, job %ld: no plan: %s",
           job_text, job_number, report_text(&r));
}

static void scatter_run(const job *given)
{
    job        j = *given;
    ndg_report r = report_stale();
    ptrdiff_t  cut[4], k;
    int        status;
    j.nd = 1;                               /* index vectors, always */
    j.first = j.last = 0;                   /* which are of slots here */
    lay_out(&j);
    slots = j.batches * j.lines;
    for (k = 0; k < j.d; k++) slots *= lay.extent[k];
    table_new(&j, lay.to_span);
    gather_ids(&j);
    out_new(table_span(&j), j.align);
    gather_values(&j);
    lay_range(given, slots);
    if (lay.last < lay.first || j.way == SCATTER_THIRDS) {
        lay.first = 0;
        lay.last = slots;
    }
    scatter_expect(&j);
    scatter_describe(&j);
    cut[0] = 0;
    cut[1] = slots / 3;
    cut[2] = slots * 2 / 3;
    cut[3] = slots;
    status = j.way == SCATTER_THIRDS
           ? run_cut(&j, scatter_range, cut, 3, (int)(job_number & 1), &r)
           : scatter_range(&j, lay.first, lay.last, &r);
    scatter_judge(&j, status, &r);
    if (j.cuts) run_cuts(&j, 0, slots, scatter_range, scatter_judge);
    arrays_free();
}

/* ---- stitches ------------------------------------------------------------*/

/* Bytes of out: of no rows, none. */
static ptrdiff_t stitch_span(void)
{
    return lay.rows == 0 ? 0 : (lay.rows - 1) * lay.to_row + lay.row_span;
}

static void copy_row(const job *j, unsigned char *to, ptrdiff_t from)
{
    ptrdiff_t x;
    for (x = 0; x < j->x; x++)
        memcpy(to + x * lay.to_x, table.at + from + x * lay.from_x,
               (size_t)j->b);
}

/* The entries of list m begin with this one of all: of uneven ones each list
 * has more than the one before it. */
static ptrdiff_t list_start(const job *j, ptrdiff_t m)
{
    if (!j->uneven) return m * j->n;
    return j->n * m * m / j->lists;
}

static ptrdiff_t list_with(const job *j, ptrdiff_t i)
{
    ptrdiff_t m = 0;
    while (list_start(j, m + 1) <= i) m++;
    return m;
}

/* Whether the rows of list m lie the last one first. */
static int is_back(const job *j, ptrdiff_t m) { return j->back >> m % 8 & 1; }

static ptrdiff_t entry_from(const job *j, ptrdiff_t i)
{
    const ptrdiff_t m = list_with(j, i);
    if (is_back(j, m)) i = list_start(j, m) + list_start(j, m + 1) - 1 - i;
    return i * lay.from_row;
}

static void stitch_values(const job *j)
{
    const ptrdiff_t n = j->lists * j->n;
    ptrdiff_t       i;
    if (n > VALUES) exit(4);
    for (i = 0; i < n; i++) {
        const ptrdiff_t turn = j->dealt ? i % j->n * j->lists + i / j->n : i;
        value[i] = index_of(j, turn, named(j, lay.rows));
        if (is_bad(j, i, n)) value[i] = spoilt(j, value[i], i, lay.rows);
        ids_put(j, i * lay.at_row, value[i]);
    }
}

/* Where one call makes all rows that are asked for, and no more. */
static void tensor_rows(const job *j)
{
    ptrdiff_t i;
    for (lay.rows = i = 0; i < j->lists * j->n; i++)
        if (value[i] >= lay.rows) lay.rows = (ptrdiff_t)value[i] + 1;
    lay.last = lay.rows;
    lay.to_span = stitch_span();
}

/* After an error a row may be that of an entry which is not the last. */
static void stitch_forgive(const job *j)
{
    ptrdiff_t i, x;
    for (i = 0; i < j->lists * j->n; i++) {
        const int64_t v = value[i];
        if (v < lay.first || v >= lay.last) continue;
        for (x = 0; x < j->x; x++)
            if (memcmp(out.at + v * lay.to_row + x * lay.to_x, table.at
                       + entry_from(j, i) + x * lay.from_x, (size_t)j->b))
                break;
        if (x == j->x) copy_row(j, want + v * lay.to_row, entry_from(j, i));
    }
}

/* Rows without an entry, and entries over earlier ones. */
static void expect_marks(const job *j)
{
    char     *seen = (char *)grab(lay.rows);
    ptrdiff_t i;
    memset(seen, 0, (size_t)lay.rows);
    for (i = 0; i < j->lists * j->n; i++) {
        if (value[i] < 0 || value[i] >= lay.rows) continue;
        said.rows.duplicates += seen[value[i]];
        seen[value[i]] = 1;
    }
    for (i = lay.rows - 1; i >= 0; i--) {
        if (seen[i]) continue;
        said.rows.first_hole = i;
        said.rows.holes++;
    }
    free(seen);
}

static void bad_entry(const job *j, ptrdiff_t i, ptrdiff_t extent)
{
    const ptrdiff_t m = list_with(j, i);
    note_bad(NDG_OP_DYNAMIC_STITCH, m, i - list_start(j, m), 0, value[i],
             (int)j->type, extent);
}

static void stitch_expect(const job *j)
{
    ptrdiff_t i, x;
    for (i = lay.first; i < lay.last && j->gaps == NDG_GAPS_ZERO; i++)
        for (x = 0; x < j->x; x++)
            memset(want + i * lay.to_row + x * lay.to_x, 0, (size_t)j->b);
    for (i = 0; i < j->lists * j->n; i++) {
        const int64_t v = value[i];
        if (v >= lay.first && v < lay.last)
            copy_row(j, want + v * lay.to_row, entry_from(j, i));
        else if (lay.first == 0 && (v < 0 || v >= lay.rows))
            bad_entry(j, i, lay.rows);
    }
    if (j->marks && j->way <= THIRDS) expect_marks(j);
    if (said.bad.count && is_error(j)) {
        refuse(NDG_E_INDEX, NDG_OP_DYNAMIC_STITCH, NDG_ARG_INDICES);
    } else if (j->gaps == NDG_GAPS_ERROR && said.rows.holes) {
        refuse(NDG_E_GAP, NDG_OP_DYNAMIC_STITCH, NDG_ARG_OUT);
        said.value = said.rows.first_hole;
        said.bound = lay.rows;
    }
}

/* How many rows are asked for: more than the largest index, less the bad. */
static ptrdiff_t total_expect(const job *j)
{
    ptrdiff_t rows = 0, i;
    int       over = 0;
    for (i = 0; i < j->lists * j->n; i++)
        if (value[i] < 0) bad_entry(j, i, PTRDIFF_MAX);
        else if (value[i] >= PTRDIFF_MAX) over = 1;
        else if (value[i] >= rows) rows = (ptrdiff_t)value[i] + 1;
    if (said.bad.count && is_error(j))
        refuse(NDG_E_INDEX, NDG_OP_DYNAMIC_STITCH, NDG_ARG_INDICES);
    else if (over)
        refuse(NDG_E_OVERFLOW, NDG_OP_DYNAMIC_STITCH, NDG_ARG_OUT);
    return said.status ? 0 : rows;
}

static ndg_list        list[LISTS];
static ndg_stitch_plan stitch_plan;

static void stitch_lists(const job *j)
{
    ptrdiff_t m;
    for (m = 0; m < j->lists; m++) {
        const ptrdiff_t at = list_start(j, m), n = list_start(j, m + 1) - at;
        list[m] = list_of(ids.at + at * lay.at_row,
                          table.at + at * lay.from_row, n);
        list[m].index_stride = lay.at_row;
        list[m].data_stride = lay.from_row;
        if (!is_back(j, m) || n == 0) continue;
        list[m].data = table.at + (at + n - 1) * lay.from_row;
        list[m].data_stride = -lay.from_row;
    }
}

static int stitch_tensors(const job *j, const ndg_stitch_desc *d,
                          ndg_report *r)
{
    static ndg_stitch_input in[LISTS];
    ptrdiff_t               m, total = -1;
    int                     status;
    memset(in, 0, sizeof in);
    for (m = 0; m < j->lists; m++) {
        const ndg_list *l = &list[m];
        in[m].indices = l->indices;
        in[m].data = l->data;
        if (l->count != 1)
            in[m].indices_shape = ndg_strided1(l->count, lay.at_row);
        in[m].data_shape = l->count != 1
            ? ndg_strided3(l->count, l->data_stride, j->x, lay.from_x,
                           lay.elems, lay.elem)
            : ndg_strided2(j->x, lay.from_x, lay.elems, lay.elem);
    }
    status = (j->way == TENSORS ? ndg_dynamic_stitch
              : ndg_parallel_dynamic_stitch)(out.at, lay.to_span, &total, in,
                                             j->lists, d, r);
    CHECKF(total == lay.rows, "%s, job %ld: %ld rows, not %ld", job_text,
           job_number, (long)total, (long)lay.rows);
    return status;
}

static int stitch_total(const job *j, ndg_report *r)
{
    const ptrdiff_t rows = total_expect(j);
    ptrdiff_t       total = -7;
    int             status;
    status = ndg_stitch_total(&stitch_plan, list, j->lists, &total, r);
    CHECKF(total == rows, "%s, job %ld: %ld rows, not %ld", job_text,
           job_number, (long)total, (long)rows);
    return status;
}

/* With scratch for these rows, of any alignment, and bytes beside it. */
static int stitch_range(const job *j, ptrdiff_t first, ptrdiff_t last,
                        ndg_report *r)
{
    const ptrdiff_t size = j->marks ? ndg_stitch_scratch_bytes(
                                          &stitch_plan, last - first) : 0;
    const ptrdiff_t room = lay.to_span + j->slack;
    void           *scratch;
    int             status;
    if (!arena) marks = block_new(size, (int)first & 63, j->beside, 0xAA);
    else marks = arena_at(ROOM - SCRATCH_ROOM, size, SCRATCH_ROOM);
    scratch = size ? marks.at : 0;
    if (first == 0 && last == lay.rows)
        status = ndg_stitch_run(&stitch_plan, out.at, room, lay.rows, list,
                                j->lists, scratch, size, r);
    else
        status = ndg_stitch_run_range(&stitch_plan, out.at, room, lay.rows,
                                      list, j->lists, first, last, scratch,
                                      size, r);
    if (arena) return status;
    CHECKF(is_all(marks.bytes, marks.at - marks.bytes, 0xAA)
           && is_all(marks.at + size, j->beside, 0xAA), "%s, job %ld: bytes"
           " beside scratch", job_text, job_number);
    free(marks.bytes);
    return status;
}

static void stitch_judge(const job *j, int status, ndg_report *r)
{
    if (!exact && j->way != TOTAL) stitch_forgive(j);
    if (!exact && (j->gaps == NDG_GAPS_KEEP || r->status == NDG_E_INDEX))
        said.rows = r->rows;
    job_judge(status, r, out_right(j->gaps == NDG_GAPS_ZERO), exact
              || j->way == TOTAL || said.status != NDG_E_INDEX);
}

static void stitch_run(const job *j)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_report      r = report_stale();
    const ptrdiff_t n = j->lists * j->n;
    const int       tensors = j->way == TENSORS || j->way == PARALLEL;
    ptrdiff_t       cut[4];
    int             status;
    lay_pieces(j, j->total ? j->total : n);
    lay.to_span = stitch_span();
    table_new(j, n ? (n - 1) * lay.from_row + (j->x - 1) * lay.from_x + j->b
                   : 0);
    ids_new(j, n ? (n - 1) * lay.at_row + index_bytes((int)j->type) : 0);
    if (j->way != STITCH) lay.first = 0, lay.last = lay.rows;
    if (lay.last < lay.first) lay.last = lay.first;
    out_new(lay.to_span, j->align);
    stitch_values(j);
    if (tensors) tensor_rows(j);
    if (j->way != TOTAL) stitch_expect(j);
    d.slice = ndg_strided2(j->x, lay.from_x, lay.elems, lay.elem);
    d.out_slice = ndg_strided2(j->x, lay.to_x, lay.elems, lay.elem);
    d.out_stride = lay.to_row;
    d.elem_size = lay.elem;
    d.index_type = (int)j->type;
    d.policy = (int)j->policy;
    d.gaps = (int)j->gaps;
    stitch_lists(j);
    BEFORE_PLAN();
    CHECK(ndg_plan_stitch(&stitch_plan, &d, &r) == NDG_OK);
    BEFORE_CALL();
    cut[0] = 0;
    cut[1] = lay.rows / 3;
    cut[2] = lay.rows * 2 / 3;
    cut[3] = lay.rows;
    status = tensors ? stitch_tensors(j, &d, &r)
           : j->way == TOTAL ? stitch_total(j, &r)
           : j->way == THIRDS ? run_cut(j, stitch_range, cut, 3, 0, &r)
           : stitch_range(j, lay.first, lay.last, &r);
    stitch_judge(j, status, &r);
    if (j->cuts) run_cuts(j, lay.first, lay.last, stitch_range, stitch_judge);
    arrays_free();
}

/* ---- partitions ----------------------------------------------------------*/

static ptrdiff_t part_needs[PARTS], part_room[PARTS], part_at[PARTS];
static ptrdiff_t part_used[PARTS];
static ptrdiff_t part_counts[3 * PARTS], part_cursors[3 * PARTS];
static void     *part_outs[PARTS], *part_wheres[PARTS];

/* Rows of data: packed, or the last one first, or all of them one. */
static ptrdiff_t deal_step(const job *j)
{
    return j->flat ? 0 : j->back ? -lay.from_row : lay.from_row;
}

static unsigned char *deal_data(const job *j)
{
    return table.at + (j->back && !j->flat ? (j->n - 1) * lay.from_row : 0);
}

static void *const *part_places(const job *j)
{
    return j->where >= 0 ? part_wheres : 0;
}

static int is_part(const job *j, int64_t v) { return v >= 0 && v < j->parts; }

static void partition_values(const job *j)
{
    ptrdiff_t i;
    memset(part_needs, 0, sizeof part_needs);
    if (j->n > VALUES || j->parts > PARTS) exit(4);
    for (i = 0; i < j->n; i++) {
        value[i] = index_of(j, i, named(j, j->parts));
        if (is_bad(j, i, j->n)) value[i] = spoilt(j, value[i], i, j->parts);
        if (is_part(j, value[i])) part_needs[value[i]]++;
        ids_put(j, i * lay.at_row, value[i]);
    }
}

/* Puts the parts and their positions one behind the other. */
static void partition_outs(const job *j)
{
    ptrdiff_t k, at = 0, where[PARTS];
    for (k = 0; k < j->parts; k++) {
        const int short_of = j->room == SHORT && j->way == DEAL
                          && k == j->parts / 2 && part_needs[k];
        part_room[k] = part_needs[k] + (j->room == ROOMY ? 5 : 0) - short_of;
        part_at[k] = at;
        at = (at + part_room[k] * lay.to_row + 63) & -64;
        where[k] = at;
        if (j->where < 0) continue;
        at = (at + part_room[k] * index_bytes((int)j->where) + 63) & -64;
    }
    out_new(at, j->align);
    for (k = 0; k < j->parts; k++) {
        part_outs[k] = out.at + part_at[k] + (part_room[k] == 0);
        part_wheres[k] = out.at + where[k];
    }
}

static void id_bad(const job *j, ptrdiff_t i)
{
    note_bad(NDG_OP_DYNAMIC_PARTITION, 0, i, 0, value[i], (int)j->type,
             j->parts);
    if (is_error(j))
        refuse(NDG_E_INDEX, NDG_OP_DYNAMIC_PARTITION, NDG_ARG_PARTITIONS);
}

static void part_full(ptrdiff_t k)
{
    refuse(NDG_E_CAPACITY, NDG_OP_DYNAMIC_PARTITION, NDG_ARG_OUT);
    said.item = k;
    said.value = part_room[k];
    said.bound = part_room[k] + 1;
}

/* Whether all ids are counted first, and with them the bad. */
static int is_counted(const job *j)
{
    return j->way == TALLY || j->way == AT_ONCE;
}

/* What is expected, up to the row that ends it. */
static void partition_expect(const job *j)
{
    ptrdiff_t i;
    memset(part_used, 0, sizeof part_used);
    for (i = 0; i < j->n && (!said.status || is_counted(j)); i++) {
        const ptrdiff_t k = (ptrdiff_t)value[i];
        if (!is_part(j, value[i])) id_bad(j, i);
        else if (j->way == TALLY || said.status) continue;
        else if (part_used[k] == part_room[k]) part_full(k);
        else {
            copy_row(j, want + part_at[k] + part_used[k] * lay.to_row,
                     (deal_data(j) - table.at) + i * deal_step(j));
            if (j->where >= 0)
                index_put(want + ((unsigned char *)part_wheres[k] - out.at)
                          + part_used[k] * index_bytes((int)j->where),
                          (int)j->where, i);
            part_used[k]++;
        }
    }
}

static void partition_judge(const job *j, int status, ndg_report *r)
{
    job_judge(status, r, out_right(0), said.status != NDG_E_INDEX
              || is_counted(j));
}

static ndg_partition_plan deal_plan;

/* Rows first ... last-1, of what was counted before: w is which range it is. */
static int deal_range(const job *j, int w, ptrdiff_t first, ptrdiff_t last,
                      ndg_report *r)
{
    return ndg_partition_run_range(&deal_plan, part_outs, part_places(j),
                                   deal_data(j), ids.at, first, last,
                                   part_cursors + w * j->parts,
                                   part_counts + w * j->parts, r);
}

/* Ranges, each of which is counted before; up to the first that fails. */
static int deal_ranges(const job *j, const ptrdiff_t *cut, int n, int backward,
                       ndg_report *r)
{
    const size_t bytes = (size_t)(n * j->parts) * sizeof *part_counts;
    ndg_report   part;
    int          w, k;
    memset(r, 0, sizeof *r);
    for (w = 0; w < n; w++)
        ndg_partition_count(&deal_plan, ids.at, cut[w], cut[w + 1],
                            part_counts + w * j->parts, &part);
    ndg_partition_starts(part_counts, part_cursors, n, j->parts);
    for (k = 0; k < n && !r->status; k++) {
        w = backward ? n - 1 - k : k;
        deal_range(j, w, cut[w], cut[w + 1], &part);
        ndg_report_merge(r, &part);
    }
    CHECKF(r->status || !memcmp(part_cursors, part_counts, bytes),
           "%s, job %ld: cursors of %d ranges", job_text, job_number, n);
    return r->status;
}

/* One range after the other, each with all the room that is left. */
static int deal_chain(const job *j, const ptrdiff_t *cut, int n, ndg_report *r)
{
    const size_t bytes = (size_t)j->parts * sizeof *part_counts;
    ndg_report   part;
    int          w;
    memset(r, 0, sizeof *r);
    memset(part_cursors, 0, bytes);
    memcpy(part_counts, part_room, bytes);
    for (w = 0; w < n; w++) {
        deal_range(j, 0, cut[w], cut[w + 1], &part);
        ndg_report_merge(r, &part);
    }
    CHECKF(!memcmp(part_cursors, part_needs, bytes), "%s, job %ld: cursors of a"
           " chain", job_text, job_number);
    return r->status;
}

/* Every cut in two, run both ways and as a chain, and some in three. */
static void deal_cuts(const job *j)
{
    ptrdiff_t  cut[4] = { 0, 0, 0, 0 };
    ndg_report r;
    for (; cut[1] <= j->n; cut[1]++) {
        cut[2] = j->n;
        out_fresh();
        partition_judge(j, deal_ranges(j, cut, 2, cut[1] & 1, &r), &r);
        out_fresh();
        partition_judge(j, deal_chain(j, cut, 2, &r), &r);
        if (cut[1] % 7) continue;
        cut[2] = cut[1] + random_below(&dice, (int)(j->n - cut[1]) + 1);
        cut[3] = j->n;
        out_fresh();
        partition_judge(j, deal_ranges(j, cut, 3, one_in(2), &r), &r);
    }
}

static int partition_call(const job *j, const ndg_partition_desc *d,
                          ndg_report *r)
{
    ptrdiff_t cut[4];
    BEFORE_CALL();
    if (j->way == TALLY)
        return ndg_partition_count(&deal_plan, ids.at, 0, j->n, part_counts,
                                   r);
    if (j->way == DEAL)
        return ndg_partition_run(&deal_plan, part_outs, part_places(j),
                                 deal_data(j), ids.at, j->n, part_room,
                                 part_cursors, r);
    if (j->way == AT_ONCE)
        return ndg_dynamic_partition(part_outs, part_places(j), part_room,
                                     part_counts, deal_data(j), ids.at, d, r);
    cut[0] = 0;
    cut[1] = j->n / 3;
    cut[2] = j->n * 2 / 3;
    cut[3] = j->n;
    return deal_ranges(j, cut, 3, 0, r);
}

static int numbers_right(const job *j)
{
    const size_t bytes = (size_t)j->parts * sizeof *part_counts;
    ptrdiff_t    k;
    int          right = 1;
    if (j->way == TALLY) return !memcmp(part_counts, part_needs, bytes);
    if (j->way != DEAL) return 1;
    for (k = 0; k < j->parts; k++)
        right &= said.status ? part_cursors[k] <= part_room[k]
                             : part_cursors[k] == part_needs[k];
    return right && (said.status != NDG_E_CAPACITY
                     || part_cursors[said.item] == part_room[said.item]);
}

static void partition_run(const job *j)
{
    ndg_partition_desc d;
    ndg_report         r = report_stale();
    if (j->where >= 0 && !index_holds((int)j->where, j->n - 1, 0)) return;
    lay_pieces(j, j->n);
    table_new(j, ((j->flat ? 1 : j->n) - 1) * lay.from_row
                 + (j->x - 1) * lay.from_x + j->b);
    ids_new(j, (j->n - 1) * lay.at_row + index_bytes((int)j->type));
    partition_values(j);
    partition_outs(j);
    partition_expect(j);
    d = partition_of(lay.elem, ndg_strided3(j->n, deal_step(j), j->x,
                                            lay.from_x, lay.elems, lay.elem),
                     ndg_strided1(j->n, lay.at_row), j->parts);
    d.out_slice = ndg_strided2(j->x, lay.to_x, lay.elems, lay.elem);
    d.out_stride = lay.to_row;
    d.index_type = (int)j->type;
    d.position_type = j->where < 0 ? NDG_I32 : (int)j->where;
    d.policy = (int)j->policy;
    BEFORE_PLAN();
    CHECK(ndg_plan_partition(&deal_plan, &d, &r) == NDG_OK);
    partition_judge(j, partition_call(j, &d, &r), &r);
    CHECKF(numbers_right(j), "%s, job %ld: other counts or cursors", job_text,
           job_number);
    if (j->cuts) deal_cuts(j);
    arrays_free();
}

static void job_run(const job *j)
{
    (j->way <= CHECKED ? gather_run : j->way <= PARALLEL ? stitch_run
     : j->way <= AT_ONCE ? partition_run : scatter_run)(j);
}

typedef struct test { const char *name, *text; } test;

/* All jobs of these tests, or of those that are so named. */
HELPER void run_all(const test *t, int n, const char *name)
{
    for (; n > 0; n--, t++) {
        const long before = test_passed + test_failed;
        if (name && strcmp(name, t->name)) continue;
        jobs_of(t->text, job_run);
        CHECKF(before != test_passed + test_failed, "%s: is nothing", t->text);
    }
}

#endif
