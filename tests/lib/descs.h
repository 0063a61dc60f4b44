/* descs.h - what is to be gathered, scattered or dealt out, and a list of what
 * is stitched, in a line each. What they do not name is zero: indices of 32
 * bits, of which a bad one is an error. A test that wants more of a desc sets
 * it there. Include it after ndgather.h. */
#ifndef NDG_TEST_DESCS_H
#define NDG_TEST_DESCS_H

static inline ndg_gather_desc gather_of(ptrdiff_t elem, ndg_shape params,
                                        ndg_shape indices)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    d.params = params;
    d.indices = indices;
    d.elem_size = elem;
    return d;
}

static inline ndg_scatter_desc scatter_of(ptrdiff_t elem, ndg_shape out,
                                          ndg_shape indices)
{
    ndg_scatter_desc d = NDG_ZERO_INIT;
    d.out = out;
    d.indices = indices;
    d.elem_size = elem;
    return d;
}

/* Data, whose first axes are those of its ids. */
static inline ndg_partition_desc partition_of(ptrdiff_t elem, ndg_shape data,
                                              ndg_shape ids, ptrdiff_t parts)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    d.data = data;
    d.partitions = ids;
    d.elem_size = elem;
    d.num_partitions = parts;
    return d;
}

/* Packed. */
static inline ndg_list list_of(const void *indices, const void *data,
                               ptrdiff_t count)
{
    ndg_list l = NDG_ZERO_INIT;
    l.indices = indices;
    l.data = data;
    l.count = count;
    return l;
}

#endif
