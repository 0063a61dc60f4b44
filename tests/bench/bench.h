/* bench.h - what every contestant of the benchmark sees: the cell that is run,
 * the buffers it runs in, and the clock. Linux only. */
#ifndef NDG_BENCH_H
#define NDG_BENCH_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE static __attribute__((noinline))
#define INLINE   static inline __attribute__((always_inline))

#define KIB ((ptrdiff_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

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

    ndg_gather_plan    gather;
    ndg_gather_desc    desc;
    ndg_stitch_plan    stitch;
    ndg_stitch_desc    stitch_desc;
    ndg_partition_plan partition;
    ndg_partition_desc partition_desc;
    ndg_list           list[MOST_LISTS];

    gather_fn *naive_gather[2];         /* typed, and with memcpy calls */
    stitch_fn *naive_stitch[2];
    move_fn   *naive_move[2];
    line_fn   *line;
    store_fn  *store;

    pthread_barrier_t barrier;
    int               status[MOST_THREADS];
    ptrdiff_t         bad[MOST_THREADS];   /* first bad position, or -1 */
    double            began[MOST_THREADS], ended[MOST_THREADS];
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

static struct { byte *table, *out, *want, *indices, *linear; } mem;

/* Of partitions: [threads][parts]. */
static ptrdiff_t counts[MOST_THREADS * MOST_PARTS];
static ptrdiff_t cursors[MOST_THREADS * MOST_PARTS];
static byte     *naive_at[MOST_THREADS * MOST_PARTS];
static int32_t  *naive_place[MOST_THREADS * MOST_PARTS];
static void     *outs[MOST_PARTS], *places[MOST_PARTS];

/* Sums of what ceilings read end here, so that they must be read. */
static volatile unsigned sink;

/* The indices of repetition r: the next window of the pool, so that a short
 * gather from a large table does not find its rows in the cache. */
static const byte *window(const work *w, const byte *pool, ptrdiff_t row_bytes,
                          long r)
{
    const ptrdiff_t at = (w->cursor + r) & (w->windows - 1);
    return pool + at * w->n * row_bytes;
}

/* The same loop for one worker's share. Shares of several groups do not
 * occur. */
static loop share(const call *k)
{
    loop l = k->w->l;
    if (l.groups == 1) l.per = k->last - k->first;
    return l;
}

/* All workers wait for each other. */
static void meet(work *w)
{
    if (w->threads > 1) pthread_barrier_wait(&w->barrier);
}

/* BENCH=quick halves the rows of large cells; their buffers are cold still. */
static int quick;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }
static ptrdiff_t fewer(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

/* ---- buffers, processors -------------------------------------------------*/
/* Aligned to 2 MiB, in huge pages where the system grants them, touched. */
static byte *buffer(ptrdiff_t bytes)
{
    const uintptr_t huge = 2 << 20;
    void *p = mmap(NULL, (size_t)bytes + huge, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        printf("no memory for the buffers\n");
        exit(1);
    }
    p = (byte *)p + (huge - (uintptr_t)p % huge) % huge;
    madvise(p, (size_t)bytes, MADV_HUGEPAGE);
    memset(p, 1, (size_t)bytes);
    return (byte *)p;
}

static cpu_set_t allowed;      /* at the start, before anything is pinned */

/* Binds this thread to the number-th processor it may use. */
static void pin(int number)
{
    cpu_set_t one;
    size_t    which;
    int       seen = 0;
    CPU_ZERO(&one);
    for (which = 0; which < CPU_SETSIZE; which++)
        if (CPU_ISSET(which, &allowed) && seen++ == number)
            CPU_SET(which, &one);
    if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one);
}

#endif
