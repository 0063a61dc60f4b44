/* small_job.h - one operation of small.c, its arrays, and the hand loops beside
 * it: what a side is told. */
#ifndef NDG_SMALL_JOB_H
#define NDG_SMALL_JOB_H

#include "basics.h"
#include "side.h"

enum { MOST_WINDOWS = 64, MOST_PARTS = 64, MOST_LISTS = 8, MOST_HERE = 2 };

typedef unsigned char byte;

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
    int         kind, ours;          /* ours: which run of a side */
    int         type, policy, negative, depth;
    ptrdiff_t   row, n;              /* n: as the hand loop is told */
    ptrdiff_t   index_rows;          /* indices checked in a call */
    ptrdiff_t   index_step;          /* bytes between rows of them; 0: packed */
    ptrdiff_t   id_stride;           /* of partition ids, in bytes */
    ptrdiff_t   dim[3];              /* extents; more for some hand loops */
    const byte *table, *indices;
    ptrdiff_t   step, data_step;
    long        mask;
    byte       *out, *want;
    ptrdiff_t   out_bytes;

    void       *room;                /* the plan of the side that runs */
    byte        kept[MOST_HERE][ROOM];   /* the plan of each */
    int         missing;             /* a side has none: an old header */

    hand_fn    *hand, *other;        /* other: a second hand loop, or NULL */
    ndg_list    lists[MOST_WINDOWS][MOST_LISTS];
    ptrdiff_t   list_count, total;
    stitch_fn  *hand_stitch;
    void       *outs[MOST_WINDOWS][MOST_PARTS];
    void       *places[MOST_WINDOWS][MOST_PARTS];
    ptrdiff_t   counts[MOST_WINDOWS][MOST_PARTS];
    ptrdiff_t  *cursors;
    ptrdiff_t   parts;
    int         positions, no_rows;
    part_fn    *hand_part;
} job;

static inline const byte *window(const job *j, long call)
{
    return j->indices + (call & j->mask) * j->step;
}

/* What a run had to say: a side its report, a hand loop its bad position. */
typedef struct { int status; ptrdiff_t count, position, hand; } answer;

typedef void run_fn(const job *j, long from, long reps, answer *said);

enum { RUN_PLAN, RUN_ROWS, RUN_STITCH, RUN_PARTITION, WAYS };

typedef struct {
    origin   from;
    plan_fn *plan;
    run_fn  *run[WAYS];
} small_side;

#endif
