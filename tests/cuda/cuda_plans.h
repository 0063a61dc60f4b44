/* cuda_plans.h - the plans of the tests of ndgather_cuda.cuh, in a line each:
 * what is to be gathered, stitched or dealt out, and planned(it). A test that
 * wants more of a plan changes the desc before. */
#ifndef CUDA_PLANS_H
#define CUDA_PLANS_H

#include "../lib/descs.h"

/* Rows of params, of elements of so many bytes, by indices of 32 bits. */
static inline ndg_gather_desc rows_of(ptrdiff_t elem, ndg_shape params,
                                      ndg_shape indices,
                                      int policy = NDG_DEFAULT)
{
    ndg_gather_desc d = gather_of(elem, params, indices);
    d.policy = policy;
    return d;
}

/* Rows of so many bytes for parts, by ids of 32 bits. */
static inline ndg_partition_desc split_of(ptrdiff_t rows, ptrdiff_t bytes,
                                          ptrdiff_t parts)
{
    return partition_of(1, ndg_dims2(rows, bytes), ndg_dims1(rows), parts);
}

/* Elements of so many bytes from lists. */
static inline ndg_stitch_desc weave_of(ptrdiff_t elem, int policy = NDG_DEFAULT,
                                       int gaps = NDG_GAPS_ZERO)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    d.elem_size = elem;
    d.policy = policy;
    d.gaps = gaps;
    return d;
}

/* The plan of a desc, which must have one; a gather's by rows of indices. */
template <class P, class D>
static inline P planned_by(int (*plan)(P *, const D *, ndg_report *),
                           const D &d)
{
    P          p;
    ndg_report r;
    CHECK(plan(&p, &d, &r) == NDG_OK);
    return p;
}

static inline ndg_gather_plan planned(const ndg_gather_desc &d)
{
    return planned_by(ndg_plan_gather_nd, d);
}

/* The same along an axis. */
static inline ndg_gather_plan planned_axis(const ndg_gather_desc &d)
{
    return planned_by(ndg_plan_gather, d);
}

static inline ndg_scatter_plan planned(const ndg_scatter_desc &d)
{
    return planned_by(ndg_plan_scatter_nd, d);
}

static inline ndg_stitch_plan planned(const ndg_stitch_desc &d)
{
    return planned_by(ndg_plan_stitch, d);
}

static inline ndg_partition_plan planned(const ndg_partition_desc &d)
{
    return planned_by(ndg_plan_partition, d);
}

#endif
