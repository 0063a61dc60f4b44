/* job.h - one operation of the benchmark, its arrays, and the loops beside it:
 * what a side is told. A side is the functions of an ndgather.h as they are
 * called here; `make bench` has one, `make bench-versus` two. Its plans are its
 * own; what it is told, and all buffers, are the same for both. Linux only. */
#ifndef NDG_BENCH_JOB_H
#define NDG_BENCH_JOB_H

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loops.h"

enum {
    MOST_WINDOWS = 64, MOST_LISTS = 8, MOST_HERE = 2, MOST_THREADS = 2,
    MOST_PARTS = 16384,
    SLOTS = MOST_THREADS * MOST_PARTS    /* parts of all windows, or threads */
};

typedef struct job job;

/* ---- a run ---------------------------------------------------------------*/
/* What a run had to say: a side its report, a hand loop its bad position. */
typedef struct { int status; ptrdiff_t count, position, hand; } answer;

/* One worker's share of a run: rows first ... last-1, `reps` times over; its
 * calls are numbered on from `from`. `variant` tells apart what has one
 * function. */
typedef struct {
    job      *j;
    int       variant, worker;
    ptrdiff_t first, last;
    long      from, reps;
    answer    said;
} call;

typedef void run_fn(call *k);

/* ---- a side --------------------------------------------------------------*/
enum {
    PLAN_GATHER, PLAN_ND, PLAN_BATCH, PLAN_STITCH, PLAN_PARTITION, PLAN_SCATTER
};

/* Bytes that a side's plan takes at most. Both sides have it at one place. */
enum { ROOM = 2048 };

/* What of the structs both sides share, the larger ones by their size. */
enum { LAYOUT = 10 };
#define SIDE_LAYOUT                                                           \
    { sizeof(ndg_gather_desc), sizeof(ndg_stitch_desc),                       \
      sizeof(ndg_partition_desc), sizeof(ndg_list), sizeof(ndg_shape),        \
      offsetof(ndg_gather_desc, elem_size), offsetof(ndg_gather_desc, policy),\
      offsetof(ndg_gather_desc, fill), offsetof(ndg_stitch_desc, gaps),       \
      offsetof(ndg_partition_desc, num_partitions) }

/* Which header a side was built from. */
typedef struct { const char *hash; long lines; size_t layout[LAYOUT]; } origin;

/* A desc to a plan in `room`; returns the status. report: an ndg_report. */
typedef int plan_fn(int op, void *room, const void *desc, void *report);

/* RUN_SPLIT counts and moves; of RUN_PARTITION the parts are counted. */
enum {
    RUN_GATHER, RUN_ROWS, RUN_ONCE, RUN_PLAN, RUN_STITCH, RUN_SPLIT,
    RUN_PARTITION, RUN_SCATTER, WAYS
};

typedef struct { origin from; plan_fn *plan; run_fn *run[WAYS]; } side;

/* ---- a job ---------------------------------------------------------------*/
enum {
    GATHER, AXIS1, BATCH, ND, STITCH, PARTITION, SCATTER, ROWS, ONCE, PLAN, OPS
};

/* Call number c uses window c & mask of its inputs, `step` bytes of indices
 * (and `data_step` bytes of data) apart, so that no two calls in a row see the
 * same. Windows may overlap. */
struct job {
    int         kind, ours;          /* ours: which run of a side */
    int         type, policy, negative, depth, threads;
    ptrdiff_t   row, n;              /* n: as the hand loop is told */
    ptrdiff_t   per;                 /* figures are for so many rows; or 1 */
    ptrdiff_t   index_rows;          /* indices checked in a call */
    ptrdiff_t   index_step;          /* bytes between rows of them; 0: packed */
    ptrdiff_t   id_stride;           /* of partition ids, in bytes */
    ptrdiff_t   dim[DIMS];
    const byte *table, *indices;
    ptrdiff_t   step, data_step;
    long        mask;
    byte       *out, *want;
    ptrdiff_t   out_bytes;

    void       *room;                /* the plan of the side that runs */
    byte        kept[MOST_HERE][ROOM];   /* the plan of each */
    int         missing;             /* a side has none: an old header */
    int         plan_op;
    const void *plan_desc;

    int         loops;               /* by hand: how many of the two */
    hand_fn    *hand[2];
    stitch_fn  *hand_stitch[2];
    part_fn    *hand_part;
    move_fn    *hand_move[2];

    int         clear, find_total;   /* before a stitch */
    ndg_list    lists[MOST_WINDOWS][MOST_LISTS];
    ptrdiff_t   list_count, total;

    ptrdiff_t   parts;               /* of each window, or thread: so many */
    void       *outs[SLOTS], *places[SLOTS];
    ptrdiff_t   counts[SLOTS], cursors[SLOTS];
    int         positions, no_rows;

    double      bytes_per_row;       /* read and written, of large cells */
    ptrdiff_t   footprint;           /* bytes of distinct rows gathered */
    const byte *line_indices;        /* of gather_nd: linear */
    int         line_width;
    line_fn    *line;
    store_fn   *store;

    pthread_barrier_t barrier;

    /* Last, as a later header's may be longer; a side sees plan_desc alone. */
    ndg_partition_desc partition;
    ndg_stitch_desc    stitch;
    ndg_gather_desc    gather;
#if NDG_VERSION >= 10100
    ndg_scatter_desc   scatter;
#endif
};

static inline const byte *window(const job *j, long call)
{
    return j->indices + (call & j->mask) * j->step;
}

/* All workers wait for each other. */
static inline void meet(job *j)
{
    if (j->threads > 1) pthread_barrier_wait(&j->barrier);
}

#endif
