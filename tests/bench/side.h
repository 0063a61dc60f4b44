/* side.h - what is under test: the functions of an ndgather.h, as small.c and
 * bench.c call them. `make bench` and `make bench-small` have one side, `make
 * bench-versus` has two. A side's plans are its own; what it is told, and all
 * buffers, are the same for both. */
#ifndef NDG_BENCH_SIDE_H
#define NDG_BENCH_SIDE_H

#include "basics.h"

enum { PLAN_GATHER, PLAN_ND, PLAN_BATCH, PLAN_STITCH, PLAN_PARTITION };

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

#ifndef SIDE_HASH
#define SIDE_HASH  ""
#define SIDE_LINES 0
#endif
#define SIDE_ORIGIN { SIDE_HASH, SIDE_LINES, SIDE_LAYOUT }

/* A desc to a plan in `room`; returns the status. report: an ndg_report. */
typedef int plan_fn(int op, void *room, const void *desc, void *report);

#define SIDE_PLAN                                                             \
static int side_plan(int op, void *room, const void *desc, void *report)      \
{                                                                             \
    const ndg_gather_desc *d = (const ndg_gather_desc *)desc;                 \
    ndg_gather_plan       *p = (ndg_gather_plan *)room;                       \
    ndg_report            *r = (ndg_report *)report;                          \
    switch (op) {                                                             \
    case PLAN_ND:    return ndg_plan_gather_nd(p, d, r);                      \
    case PLAN_BATCH: return ndg_plan_batch_gather(p, d, r);                   \
    case PLAN_STITCH:                                                         \
        return ndg_plan_stitch((ndg_stitch_plan *)room,                       \
                               (const ndg_stitch_desc *)desc, r);             \
    case PLAN_PARTITION:                                                      \
        return ndg_plan_partition((ndg_partition_plan *)room,                 \
                                  (const ndg_partition_desc *)desc, r);       \
    default:         return ndg_plan_gather(p, d, r);                         \
    }                                                                         \
}                                                                             \
typedef char gather_plan_fits[sizeof(ndg_gather_plan) <= ROOM ? 1 : -1];      \
typedef char stitch_plan_fits[sizeof(ndg_stitch_plan) <= ROOM ? 1 : -1];      \
typedef char part_plan_fits[sizeof(ndg_partition_plan) <= ROOM ? 1 : -1];

#endif
