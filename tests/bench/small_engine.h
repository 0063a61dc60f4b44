/* small_engine.h - what every group of small.c uses: buffers, indices, the
 * comparison of ours with the hand loop, the clock. */
#ifndef NDG_SMALL_ENGINE_H
#define NDG_SMALL_ENGINE_H

#ifdef __linux__
#include <sched.h>
#include <sys/mman.h>
#endif

#include "small_job.h"
#ifdef VERSUS
#include "versus.h"
#endif

/* Bytes of the buffers. The big ones are made for the cells from DRAM only. */
#define TABLE_BYTES (512 * KIB)
#define POOL_BYTES  (512 * KIB)       /* for each of the shares of "bad" */
#define OUT_BYTES   (1024 * KIB)
#define BIG_TABLE   (256 * MIB)
#define BIG_OUT     (64 * MIB)
#define GUARD       ((ptrdiff_t)64)   /* behind out: nobody may write there */

enum { SHARES = 5, MOST_SIDES = 2 * SHARES, NAME = 64 };

static struct {
    byte *table, *out, *want, *pool[SHARES], *spoilt;
    byte *big_table, *big_out, *big_want, *big_pool;
    void *room;
} mem;

/* What NDG_FILL writes, repeated: a row of any size begins here. */
static byte fill_row[1024];

/* What the last run had to say. */
static answer said;

static ptrdiff_t cursors[MOST_PARTS];

/* Results of hand loops end here, so that they must be computed. */
static volatile ptrdiff_t sink;

static int quick, check;             /* BENCH=quick, BENCH=check */
static const char *only;             /* else: part of the names to run */

/* ---- small things --------------------------------------------------------*/
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

/* ---- who is under test ---------------------------------------------------*/
#ifdef VERSUS
extern const small_side small_old, small_new;
static const small_side *const here[] = { &small_old, &small_new };
#else
static const small_side *const here[] = { &small_here };
#endif
enum { HERE = sizeof here / sizeof here[0] };

/* Plans are made, kept and run at one place, so that none lies better. */
static void load_plan(const job *j, int side)
{
    memcpy(j->room, j->kept[side], ROOM);
}

/* Returns the status of the last; an older one may not know the desc. */
static int make_plan(job *j, int op, const void *desc)
{
    int i, status = 0;
    for (i = 0; i < HERE; i++) {
        memset(j->room, 0, ROOM);
        status = here[i]->plan(op, j->room, desc, NULL);
        memcpy(j->kept[i], j->room, ROOM);
        if (i < HERE - 1 && status) j->missing = 1;
    }
    return status;
}

/* ---- who runs beside ours ------------------------------------------------*/
static void run_hand_loop(const job *j, hand_fn *loop, long from, long reps,
                          answer *to)
{
    ptrdiff_t bad = -1;
    long      r;
    for (r = from; r < from + reps; r++)
        bad = loop(j->out, j->table, window(j, r), j->n, j->dim);
    sink = to->hand = bad;
}

static void run_hand(const job *j, long from, long reps, answer *to)
{
    run_hand_loop(j, j->hand, from, reps, to);
}

static void run_other(const job *j, long from, long reps, answer *to)
{
    run_hand_loop(j, j->other, from, reps, to);
}

static void run_hand_stitch(const job *j, long from, long reps, answer *to)
{
    ptrdiff_t bad = -1;
    long      r;
    for (r = from; r < from + reps; r++)
        bad = j->hand_stitch(j->out, j->lists[r & j->mask], j->list_count,
                             j->total);
    sink = to->hand = bad;
}

static void run_hand_part(const job *j, long from, long reps, answer *to)
{
    ptrdiff_t bad = -1;
    long      r;
    for (r = from; r < from + reps; r++) {
        const long w = r & j->mask;
        bad = j->hand_part(j->outs[w], j->places[w],
                           j->table + w * j->data_step, window(j, r), j->n,
                           j->parts, j->cursors);
    }
    sink = to->hand = bad;
}

static run_fn *hand_of(const job *j)
{
    return j->kind == STITCH    ? run_hand_stitch
         : j->kind == PARTITION ? run_hand_part : run_hand;
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
        for (i = 0; i < j->index_rows; i++, at += j->index_step ?
                                       j->index_step : j->depth * width) {
            for (bad = k = 0; k < j->depth; k++)
                bad |= out_of(j, at + k * width, j->dim[k]);
            if (bad) add_bad(&b, i);
        }
    return b;
}

static int right, wrong;

/* who: of here[]; HERE is the hand loop. */
static int complain(const char *name, int who, const char *what)
{
    printf("WRONG: %s: %s%s\n", name, who == HERE ? "by hand: " :
           HERE > 1 ? who ? "new: " : "old: " : "", what);
    wrong++;
    return 0;
}

/* Runs one side on one window, into an out full of 0xee. */
static void run_once(const job *j, run_fn *run, long window)
{
    memset(j->out, 0xee, (size_t)(j->out_bytes + GUARD));
    said.hand = -1;
    run(j, window, 1, &said);
}

/* Whether ours says what the scan found and writes what the hand loop did. */
static int same_window(const char *name, const job *j, run_fn *hand,
                       long window)
{
    const bad_rows  b = scan(j, window);
    const int       stops = j->policy == NDG_DEFAULT;
    const size_t    bytes = (size_t)(j->out_bytes + GUARD);
    int i;
    run_once(j, hand, window);
    if (stops && said.hand != b.first) return complain(name, HERE, "position");
    memcpy(j->want, j->out, bytes);
    for (i = 0; i < HERE; i++) {
        load_plan(j, i);
        run_once(j, here[i]->run[j->ours], window);
        if (said.status != (stops && b.count ? NDG_E_INDEX : NDG_OK))
            return complain(name, i, "status");
        if ((said.count > 0) != (b.count > 0)) return complain(name, i, "bad");
        if (b.count && said.position != b.first)
            return complain(name, i, "bad.position");
        if (b.count && !stops && said.count != b.count)
            return complain(name, i, "bad.count");
        if ((!stops || !b.count) && memcmp(j->want, j->out, bytes))
            return complain(name, i, "bytes");
    }
    return 1;
}

/* All windows; of what is large, two of them. */
static int same_as(const char *name, const job *j, run_fn *hand)
{
    long w, last = j->mask;
#ifdef VERSUS
    if (j->missing) {
        versus_skip(name);
        return 0;
    }
#endif
    if (j->out_bytes > OUT_BYTES && last > 1) last = 1;
    for (w = 0; w <= last; w++)
        if (!same_window(name, j, hand, w)) return 0;
    return 1;
}

/* As the loop by hand, and as the other one, if there are two. */
static int same(const char *name, const job *j)
{
    return same_as(name, j, hand_of(j)) &&
           (!j->other || same_as(name, j, run_other));
}

/* ---- the clock -----------------------------------------------------------*/
typedef struct {
    run_fn    *run;
    const job *j;
    int        here;                 /* whose plan; HERE: needs none */
    long       reps;
    double     best;                 /* ns for one call */
} side;

static side   sides[MOST_SIDES];
static int    side_count;
static long   turn;                  /* calls so far: windows go on and on */
static double shortest = 2e5;        /* ns that a timing takes, or more */

static void enter(run_fn *run, const job *j)
{
    side *s = &sides[side_count++];
    s->run = run;
    s->j = j;
    s->here = HERE;
    s->reps = 1;
    s->best = 1e30;
}

static void enter_ours(const job *j, int who)
{
    enter(here[who]->run[j->ours], j);
    sides[side_count - 1].here = who;
}

static double timed(side *s)
{
    double t;
    if (s->here < HERE) load_plan(s->j, s->here);
    t = now();
    s->run(s->j, turn, s->reps, &said);
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

/* A goal: a ratio to the hand loop, or to whatever else ours is held against,
 * or 0; and the ns that a call may always take, or 0. Either is enough. */
typedef struct { double ratio, ns; } goal;

static goal goal_of(double ratio, double ns)
{
    goal g;
    g.ratio = ratio;
    g.ns = ns;
    return g;
}

#define COMMON_HEAD                                                           \
    "                                           n    ours ns    hand ns"       \
    "   ns/row   ratio    goal"

#endif
