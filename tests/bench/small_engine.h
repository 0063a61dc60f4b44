/* small_engine.h - what every group of small.c uses: buffers, indices, the
 * comparison of ours with the hand loop, the clock, results and their lines. */
#ifndef NDG_SMALL_ENGINE_H
#define NDG_SMALL_ENGINE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sched.h>
#include <sys/mman.h>
#endif

#define NOINLINE static __attribute__((noinline))

#define KIB ((ptrdiff_t)1024)
#define MIB (1024 * KIB)

/* Bytes of the buffers. The big ones are made for the cells from DRAM only. */
#define TABLE_BYTES (512 * KIB)
#define POOL_BYTES  (256 * KIB)       /* for each of the shares of "bad" */
#define OUT_BYTES   (512 * KIB)
#define BIG_TABLE   (256 * MIB)
#define BIG_OUT     (64 * MIB)
#define GUARD       ((ptrdiff_t)64)   /* behind out: nobody may write there */

enum { SHARES = 5, MOST_WINDOWS = 64, MOST_PARTS = 64, MOST_LISTS = 8,
       MOST_SIDES = 2 * SHARES, MOST_RESULTS = 3000, MOST_GROUPS = 8,
       NAME = 64 };

typedef unsigned char byte;

static struct {
    byte *table, *out, *want, *pool[SHARES], *spoilt;
    byte *big_table, *big_out, *big_want, *big_pool;
} mem;

/* What NDG_FILL writes, repeated: a row of any size begins here. */
static byte fill_row[1024];

/* ---- a job: one operation, its arrays, and the hand loops beside it ------*/
typedef ptrdiff_t hand_fn(byte *out, const byte *table, const void *indices,
                          ptrdiff_t n, const ptrdiff_t *dim);
typedef ptrdiff_t stitch_fn(byte *out, const ndg_list *lists, ptrdiff_t n,
                            ptrdiff_t total);
typedef ptrdiff_t part_fn(void *const *outs, void *const *places,
                          const byte *data, const byte *ids, ptrdiff_t n,
                          ptrdiff_t parts, ptrdiff_t *cursors);

enum { GATHER, STITCH, PARTITION };

/* Call number c uses window c & mask of its inputs, `step` bytes of indices
 * (and `data_step` bytes of data) apart, so that no two calls in a row see the
 * same. Windows may overlap. */
typedef struct {
    int         kind, type, policy, negative, depth;
    ptrdiff_t   row, n;              /* n: as the hand loop is told */
    ptrdiff_t   index_rows;          /* indices checked in a call */
    ptrdiff_t   id_stride;           /* of partition ids, in bytes */
    ptrdiff_t   dim[3];              /* extents; more for some hand loops */
    const byte *table, *indices;
    ptrdiff_t   step, data_step;
    long        mask;
    byte       *out, *want;
    ptrdiff_t   out_bytes;

    ndg_gather_plan    gather;
    hand_fn           *hand, *other; /* other: a second hand loop, or NULL */
    ndg_stitch_plan    stitch;
    ndg_list           lists[MOST_WINDOWS][MOST_LISTS];
    ptrdiff_t          list_count, total;
    stitch_fn         *hand_stitch;
    ndg_partition_plan partition;
    void              *outs[MOST_WINDOWS][MOST_PARTS];
    void              *places[MOST_WINDOWS][MOST_PARTS];
    ptrdiff_t          counts[MOST_WINDOWS][MOST_PARTS];
    ptrdiff_t          parts;
    int                positions;
    part_fn           *hand_part;
} job;

typedef void run_fn(const job *j, long from, long reps);

/* What the last run had to say. */
static struct { int status; ndg_report report; ptrdiff_t hand; } said;

/* Results of hand loops end here, so that they must be computed. */
static volatile ptrdiff_t sink;

static int quick, check;             /* BENCH=quick, BENCH=check */
static const char *only;             /* else: part of the names to run */

/* ---- small things --------------------------------------------------------*/
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }
static ptrdiff_t fewer(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

static uint64_t seed = 88172645463325252u;

static uint64_t random64(void)                        /* xorshift64 */
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static ptrdiff_t below(ptrdiff_t limit)               /* 0 ... limit-1 */
{
    return (ptrdiff_t)((random64() >> 32) * (uint64_t)limit >> 32);
}

static int wanted(const char *name)
{
    return quick || check || !only || strstr(name, only) != NULL;
}

static byte *buffer(ptrdiff_t bytes)
{
    const size_t at = bytes >= 2 * MIB ? (size_t)(2 * MIB) : 4096;
    void *p = NULL;
    if (posix_memalign(&p, at, (size_t)(bytes + GUARD))) {
        printf("no memory for the buffers\n");
        exit(1);
    }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= 2 * MIB) madvise(p, (size_t)bytes, MADV_HUGEPAGE);
#endif
    memset(p, 1, (size_t)(bytes + GUARD));
    return (byte *)p;
}

static void fill_random(byte *to, ptrdiff_t bytes)
{
    ptrdiff_t i;
    for (i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t v = random64();
        memcpy(to + i, &v, 8);
    }
}

/* ---- indices of any type -------------------------------------------------*/
static const char *const type_name[8] = {
    "i32", "i8", "i16", "i64", "u8", "u16", "u32", "u64"
};
static const int type_width[8] = { 4, 1, 2, 8, 1, 2, 4, 8 };

static int is_signed(int type) { return type <= NDG_I64; }

/* The largest number of the type; of 64 bits, INT64_MAX. */
static int64_t largest(int type)
{
    const int bits = 8 * type_width[type] - is_signed(type);
    return bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

static void put_index(byte *at, int type, int64_t v)
{
    const uint8_t  v8 = (uint8_t)v;
    const uint16_t v16 = (uint16_t)v;
    const uint32_t v32 = (uint32_t)v;
    switch (type_width[type]) {
    case 1:  memcpy(at, &v8, 1);   break;
    case 2:  memcpy(at, &v16, 2);  break;
    case 4:  memcpy(at, &v32, 4);  break;
    default: memcpy(at, &v, 8);
    }
}

/* A uint64_t above INT64_MAX comes out negative: it is bad as well. */
static int64_t get_index(const byte *at, int type)
{
    int8_t   i8;
    int16_t  i16;
    int32_t  i32;
    int64_t  i64;
    uint16_t u16;
    uint32_t u32;
    switch (type) {
    case NDG_I8:  memcpy(&i8, at, 1);  return i8;
    case NDG_I16: memcpy(&i16, at, 2); return i16;
    case NDG_I32: memcpy(&i32, at, 4); return i32;
    case NDG_U8:  return *at;
    case NDG_U16: memcpy(&u16, at, 2); return u16;
    case NDG_U32: memcpy(&u32, at, 4); return u32;
    default:      memcpy(&i64, at, 8); return i64;
    }
}

/* A bad one: below zero if the type can, just past the end, or far past. */
static int64_t bad_index(int type, ptrdiff_t extent)
{
    const ptrdiff_t way = below(3);
    if (way == 0 && is_signed(type)) return -1 - below(2 * extent);
    if (way == 2) return largest(type) - below(50);
    return extent + below(4);
}

/* ---- is it right? --------------------------------------------------------*/
typedef struct { ptrdiff_t first, count; } bad_rows;

static void add_bad(bad_rows *b, ptrdiff_t position)
{
    if (b->count++ == 0) b->first = position;
}

static int out_of(const job *j, const byte *at, ptrdiff_t extent)
{
    int64_t v = get_index(at, j->type);
    if (v < 0 && j->negative == NDG_NEGATIVE_FROM_END) v += extent;
    return v < 0 || v >= extent;
}

/* The bad index rows of a window, found slowly. */
static bad_rows scan(const job *j, long window)
{
    const ptrdiff_t width = type_width[j->type];
    const byte     *at = j->indices + window * j->step;
    bad_rows  b = { -1, 0 };
    ptrdiff_t i, m;
    int       k, bad;
    if (j->kind == STITCH)
        for (m = 0; m < j->list_count; m++) {
            const ndg_list *l = &j->lists[window][m];
            for (i = 0; i < l->count; i++)
                if (out_of(j, (const byte *)l->indices + i * width, j->total))
                    add_bad(&b, i);
        }
    if (j->kind == PARTITION)
        for (i = 0; i < j->n; i++)
            if (out_of(j, at + i * j->id_stride, j->parts)) add_bad(&b, i);
    if (j->kind == GATHER)
        for (i = 0; i < j->index_rows; i++) {
            for (bad = k = 0; k < j->depth; k++, at += width)
                bad |= out_of(j, at, j->dim[k]);
            if (bad) add_bad(&b, i);
        }
    return b;
}

static int right, wrong;

static int complain(const char *name, const char *what)
{
    printf("WRONG: %s: %s\n", name, what);
    wrong++;
    return 0;
}

/* Runs one side on one window, into an out full of 0xee. */
static void run_once(const job *j, run_fn *run, long window)
{
    memset(j->out, 0xee, (size_t)(j->out_bytes + GUARD));
    said.hand = -1;
    run(j, window, 1);
}

/* Whether ours says what the scan found and writes what the hand loop did. */
static int same_window(const char *name, const job *j, run_fn *ours,
                       run_fn *hand, long window)
{
    const bad_rows  b = scan(j, window);
    const int       stops = j->policy == NDG_DEFAULT;
    const ndg_bad  *seen = &said.report.bad;
    const size_t    bytes = (size_t)(j->out_bytes + GUARD);
    run_once(j, hand, window);
    if (stops && said.hand != b.first) return complain(name, "hand: position");
    memcpy(j->want, j->out, bytes);
    run_once(j, ours, window);
    if (said.status != (stops && b.count ? NDG_E_INDEX : NDG_OK))
        return complain(name, "status");
    if ((seen->count > 0) != (b.count > 0)) return complain(name, "bad");
    if (b.count && seen->position != b.first)
        return complain(name, "bad.position");
    if (b.count && !stops && seen->count != b.count)
        return complain(name, "bad.count");
    if ((!stops || !b.count) && memcmp(j->want, j->out, bytes))
        return complain(name, "bytes");
    return 1;
}

/* All windows; of what is large, two of them. */
static int same(const char *name, const job *j, run_fn *ours, run_fn *hand)
{
    long w, last = j->mask;
    if (j->out_bytes > OUT_BYTES && last > 1) last = 1;
    for (w = 0; w <= last; w++)
        if (!same_window(name, j, ours, hand, w)) return 0;
    return 1;
}

/* ---- the clock -----------------------------------------------------------*/
typedef struct {
    run_fn    *run;
    const job *j;
    long       reps;
    double     best;                 /* ns for one call */
} side;

static side   sides[MOST_SIDES];
static int    side_count;
static long   turn;                  /* calls so far: windows go on and on */
static int    rounds = 9;
static double shortest = 2e5;        /* ns that a timing takes, or more */

static void enter(run_fn *run, const job *j)
{
    side *s = &sides[side_count++];
    s->run = run;
    s->j = j;
    s->reps = 1;
    s->best = 1e30;
}

static double timed(side *s)
{
    double t = now();
    s->run(s->j, turn, s->reps);
    t = now() - t;
    turn += s->reps;
    return t;
}

/* Warms up, too. Of two timings the shorter one counts: a longer one may have
 * been interrupted. */
static void find_reps(side *s)
{
    while (least(timed(s), timed(s)) < shortest) s->reps *= 2;
}

/* ns of a loop that takes longer while others load the machine. */
static double gauge(void)
{
    static uint64_t v[8];
    double t = now();
    long   i;
    int    k;
    for (i = 0; i < 4000; i++)
        for (k = 0; k < 8; k++) v[k] = v[k] * 3 + (uint64_t)i;
    t = now() - t;
    sink = (ptrdiff_t)v[0];
    return t;
}

/* Waits until the gauge is near its best again: 0.2 s at most, 20 s in all. */
static void wait_for_quiet(void)
{
    static double best = 1e30, left = 20e9;
    const struct timespec pause = { 0, 2000000 };
    const double from = now();
    double t = gauge();
    while (t > 1.1 * best && now() - from < least(2e8, left)) {
        nanosleep(&pause, NULL);
        t = least(gauge(), gauge());
        best = least(best, t);
    }
    best = least(best, t);
    left -= now() - from;
}

static void run_rounds(void)
{
    int r, i;
    for (r = 0; r < rounds; r++)
        for (i = 0; i < side_count; i++) {
            side *s = &sides[r % 2 ? side_count - 1 - i : i];
            s->best = least(s->best, timed(s) / (double)s->reps);
        }
}

static void run_sides(void)
{
    int i;
    for (i = 0; i < side_count; i++) find_reps(&sides[i]);
    run_rounds();
}

/* ---- results -------------------------------------------------------------*/
/* A goal: a ratio to the hand loop, or to whatever else ours is held against,
 * or 0; and the ns that a call may always take, or 0. Either is enough. */
typedef struct { double ratio, ns; } goal;

typedef struct {
    char      name[NAME];
    ptrdiff_t n;
    double    ours, hand, over;      /* over > 1: the goal is missed */
    goal      g;
} result;

static result results[MOST_RESULTS];
static int    done;
static char   groups[MOST_GROUPS][16];
static int    group_count;
static const char *pending_head;     /* to be printed before the first line */

/* How many times the goal ours takes. */
static double over_goal(double ours, double hand, goal g)
{
    double over = 1e30;
    if (g.ratio > 0) over = least(over, ours / hand / g.ratio);
    if (g.ns > 0)    over = least(over, ours / g.ns);
    return over;
}

static result *record(const char *name, ptrdiff_t n, double ours, double hand,
                      goal g)
{
    result *r = &results[done < MOST_RESULTS - 1 ? done++ : done];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->n = n;
    r->ours = ours;
    r->hand = hand;
    r->g = g;
    r->over = over_goal(ours, hand, g);
    return r;
}

static const char *goal_text(char *text, size_t size, goal g)
{
    if (g.ratio > 0) snprintf(text, size, "%.2fx", g.ratio);
    else             snprintf(text, size, "%.0fns", g.ns);
    return text;
}

/* The name of a group and the head of its columns. */
static void begin_group(const char *name, const char *head)
{
    snprintf(groups[group_count++], sizeof groups[0], "%s", name);
    pending_head = head;
}

static void print_head(void)
{
    if (pending_head) printf("\n%s\n", pending_head);
    pending_head = NULL;
}

#define COMMON_HEAD                                                           \
    "                                           n    ours ns    hand ns"       \
    "   ns/row   ratio    goal"

/* One line; `note` is printed at the end. */
static void print_result(const result *r, const char *note)
{
    char text[24];
    print_head();
    printf("%-34s %9ld %10.1f %10.1f %8.3f %7.2f %7s %s%s\n", r->name,
           (long)r->n, r->ours, r->hand, r->ours / (double)r->n,
           r->ours / r->hand, goal_text(text, sizeof text, r->g),
           r->over > 1 ? "<" : "", note);
    fflush(stdout);
}

/* Whether a goal is missed by so little that it may be a disturbance. */
static int is_near(double over) { return over > 1 && over < 2.5; }

/* Times ours beside one or two hand loops, the better of which counts. After a
 * near miss all get as many rounds again, twice at most, when it is quiet. */
static result *contest(const char *name, const job *j, ptrdiff_t n,
                       run_fn *ours, run_fn *hand, run_fn *other, goal g)
{
    double best;
    int    attempt;
    side_count = 0;
    enter(ours, j);
    enter(hand, j);
    if (other) enter(other, j);
    run_sides();
    for (attempt = 0; ; attempt++) {
        best = sides[1].best;
        if (other) best = least(best, sides[2].best);
        if (attempt == 2 || !is_near(over_goal(sides[0].best, best, g))) break;
        wait_for_quiet();
        run_rounds();
    }
    return record(name, n, sides[0].best, best, g);
}

/* Compares, then times and prints, as the mode wants. */
static void try_cell(const char *name, const job *j, ptrdiff_t n, run_fn *ours,
                     run_fn *hand, run_fn *other, goal g)
{
    if (!same(name, j, ours, hand)) return;
    if (other && !same(name, j, ours, other)) return;
    right++;
    if (!check) print_result(contest(name, j, n, ours, hand, other, g), "");
}

/* ---- summary -------------------------------------------------------------*/
static int worse(const void *a, const void *b)
{
    const double x = ((const result *)a)->over, y = ((const result *)b)->over;
    return (x < y) - (x > y);
}

/* Whether a result's name begins with the group's and a slash. */
static int is_of(const result *r, const char *group)
{
    const size_t n = strlen(group);
    return !strncmp(r->name, group, n) && r->name[n] == '/';
}

/* Results are sorted, the worst first. */
static void print_group(const char *group)
{
    const result *worst = NULL;
    int i, cells = 0, missed = 0;
    for (i = 0; i < done; i++) {
        if (!is_of(&results[i], group)) continue;
        if (!worst) worst = &results[i];
        cells++;
        missed += results[i].over > 1;
    }
    if (worst)
        printf("%-10s %6d %6d %7d   %6.2f  %s\n", group, cells, cells - missed,
               missed, worst->over, worst->name);
}

static void print_summary(void)
{
    char text[24];
    int  i, missed = 0;
    qsort(results, (size_t)done, sizeof results[0], worse);
    while (missed < done && results[missed].over > 1) missed++;
    printf("\n%-10s %6s %6s %7s   %6s  %s\n", "group", "cells", "met",
           "missed", "x goal", "worst");
    for (i = 0; i < group_count; i++) print_group(groups[i]);
    printf("%-10s %6d %6d %7d\n", "all", done, done - missed, missed);
    if (missed) printf("\nmissed, worst first (times the goal)\n");
    for (i = 0; i < missed; i++)
        printf("%7.2f  %-32s %9.1f %9.1f %7.2f %7s\n", results[i].over,
               results[i].name, results[i].ours, results[i].hand,
               results[i].ours / results[i].hand,
               goal_text(text, sizeof text, results[i].g));
}

#endif
