/* loops.h - what the loops by hand and the bounds of ceiling.h are given. */
#ifndef NDG_BENCH_LOOPS_H
#define NDG_BENCH_LOOPS_H

#include "basics.h"

/* Each returns the first bad position, or -1. dim: the extents; what else a
 * loop has to know stands there, too. Of a gather in groups n is for each, and
 * group g reads its table at g * dim[PITCH] bytes and its indices at
 * g * dim[APART] numbers. */
enum { GROUPS = 4, PITCH, APART, ROW, DIMS };
typedef ptrdiff_t hand_fn(byte *out, const byte *table, const void *indices,
                          ptrdiff_t n, const ptrdiff_t *dim);
typedef ptrdiff_t stitch_fn(byte *out, const ndg_list *lists, ptrdiff_t n,
                            ptrdiff_t total, ptrdiff_t row);
typedef ptrdiff_t part_fn(void *const *outs, void *const *places,
                          const byte *data, const byte *ids, ptrdiff_t n,
                          ptrdiff_t parts, ptrdiff_t *cursors);
typedef void move_fn(byte **at, int32_t **place, const byte *data,
                     const void *ids, ptrdiff_t first, ptrdiff_t last,
                     ptrdiff_t row);

/* Of ceiling.h. */
typedef unsigned line_fn(const byte *table, const void *indices, ptrdiff_t n,
                         const ptrdiff_t *dim, int distance, int level);
typedef void store_fn(byte *out, const void *indices, ptrdiff_t n, int mode);

#endif
