/* work.h - a cell of the benchmark at work: what every contestant is told.
 * Linux only. */
#ifndef NDG_BENCH_WORK_H
#define NDG_BENCH_WORK_H

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "basics.h"
#include "side.h"

/* A cell's rows are cut so that the output stays in bounds: with a table of
 * 1 GiB, and twice the output for a stitch with holes, all buffers together
 * take 2.2 GiB. */
#define TABLE_BYTES  GIB
#define OUT_BYTES    (512 * MIB)
#define OUT_LARGE    (256 * MIB)      /* output of a cell that is to miss L3 */
#define OUT_SMALL    (256 * KIB)      /* ... and of one that is to fit L2 */
#define POOL         (4 * MIB)        /* index rows, in numbers */
#define INDEX_BYTES  (POOL * 4 * 8)   /* four int64_t each */
#define LARGE_TABLE  (32 * MIB)       /* above: misses L3 */
#define MOST_PARTS   16384
#define MOST_LISTS   4
#define MOST_THREADS 2
#define MOST_ROUNDS  7
#define MOST_HERE    2

typedef unsigned char byte;

/* ---- a cell: one line of the table in cells.h ----------------------------*/
enum {
    GATHER, AXIS1, BATCH, ND, STITCH, PARTITION, ROWS, ONCE, PLAN, OPS
};

enum {
    UNIFORM, ZIPF, SEQUENTIAL, REVERSED, SORTED, EQUAL, RUNS, PERMUTATION,
    INTERLEAVE, TWICE, HOLES,         /* of a stitch */
    SKEWED                            /* of a partition: 90 % in one */
};

enum { I64 = 1, BAD = 2, X2 = 4, POSITIONS = 8, TOTAL = 16, ZERO = 32 };

typedef struct {
    int       quick;     /* whether BENCH=quick runs it */
    int       op;
    ptrdiff_t row;       /* bytes */
    ptrdiff_t table;     /* bytes of table, or of data */
    int       pattern;
    ptrdiff_t n;         /* rows gathered; 0: as many as suit the table */
    int       arg;       /* groups of axis 1 and batch, K, parts, plan's op */
    int       flags;
} cell;

/* ---- a cell at work ------------------------------------------------------*/
/* What a gather loop runs over: `groups` times `per` rows, of which group g
 * reads its table at g * room bytes and its indices at g * step numbers. */
typedef struct {
    ptrdiff_t groups, per, room, step, extent, row;
    ptrdiff_t dim[4];    /* of gather_nd */
} loop;

typedef ptrdiff_t gather_fn(byte *out, const byte *table, const void *indices,
                            const loop *l);
typedef ptrdiff_t stitch_fn(byte *out, const byte *data, const void *indices,
                            ptrdiff_t n, ptrdiff_t total, ptrdiff_t row);
typedef void move_fn(byte **at, int32_t **place, const byte *data,
                     const void *ids, ptrdiff_t first, ptrdiff_t last,
                     ptrdiff_t row);
typedef unsigned line_fn(const byte *table, const void *indices, const loop *l,
                         int distance, int level);
typedef void store_fn(byte *out, const void *indices, ptrdiff_t n, int mode);

typedef struct {
    const cell *c;
    char        name[64];
    int         width, depth, threads, lists, holes;
    ptrdiff_t   row, n, total;          /* total: rows of output */
    ptrdiff_t   out_bytes;
    ptrdiff_t   windows, cursor;        /* of n index rows each, in the pool */
    ptrdiff_t   footprint;              /* bytes of distinct rows gathered */
    double      bytes_per_row;          /* read and written, as 2R + I */
    loop        l;

    byte       *out;
    const byte *table, *indices;
    const byte *line_indices;           /* of gather_nd: linear */
    int         line_width;

    void              *room;            /* the plan of the side that runs */
    byte               kept[MOST_HERE][ROOM];   /* the plan of each */
    int                missing;         /* a side has none: an old header */
    int                plan_op;
    const void        *plan_desc;
    ndg_list           list[MOST_LISTS];

    gather_fn *naive_gather[2];         /* typed, and with memcpy calls */
    stitch_fn *naive_stitch[2];
    move_fn   *naive_move[2];
    line_fn   *line;
    store_fn  *store;

    ptrdiff_t  *counts, *cursors;       /* of partitions: [threads][parts] */
    void      **outs, **places;

    pthread_barrier_t barrier;
    int               status[MOST_THREADS];
    ptrdiff_t         bad[MOST_THREADS];   /* first bad position, or -1 */
    double            began[MOST_THREADS], ended[MOST_THREADS];

    /* Last, as a later header's may be longer. */
    ndg_partition_desc partition_desc;
    ndg_stitch_desc    stitch_desc;
    ndg_gather_desc    desc;
} work;

/* One share of a run: rows first ... last-1, `reps` times over. `variant` tells
 * apart contestants with one function. */
typedef struct {
    work     *w;
    int       variant, worker;
    ptrdiff_t first, last;
    long      reps;
} call;

typedef void contest_fn(const call *k);

/* The indices of repetition r: the next window of the pool, so that a short
 * gather from a large table does not find its rows in the cache. */
static inline const byte *window(const work *w, const byte *pool,
                                 ptrdiff_t row_bytes, long r)
{
    const ptrdiff_t at = (w->cursor + r) & (w->windows - 1);
    return pool + at * w->n * row_bytes;
}

/* The same loop for one worker's share. Shares of several groups do not
 * occur. */
static inline loop share(const call *k)
{
    loop l = k->w->l;
    if (l.groups == 1) l.per = k->last - k->first;
    return l;
}

/* All workers wait for each other. */
static inline void meet(work *w)
{
    if (w->threads > 1) pthread_barrier_wait(&w->barrier);
}

/* ---- a side, as this benchmark calls it ----------------------------------*/
enum { RUN_GATHER, RUN_ROWS, RUN_ONCE, RUN_PLAN, RUN_STITCH, RUN_PARTITION,
       WAYS };

typedef struct {
    origin      from;
    plan_fn    *plan;
    contest_fn *run[WAYS];
} large_side;

#endif
