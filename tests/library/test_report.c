/* test_report.c - all that is refused, and what ndg_report_text says of it:
 * each pair of a status and an operand that the library can return, by lines of
 * text (refusals.h says what they mean); and whether random calls return a pair
 * that is missing here. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "refusals.h"

/* What all plans have in common. */
static const line common_lines[] = {
    R("plan 0", NOTHING, "plan is NULL, or was not made"),
    R("desc 0", NOTHING, "desc is NULL"),
    W("0|-1|-4|-5|MIN", "elem *", TYPE,
      "elem_size is *: give the bytes of one element"),
    W("8|9|11|-1|INTMIN|INTMAX", "type *", TYPE,
      "index_type is *, not in 0 ... 7"),
    W("1|2|4|5", "features *", OPTION, "features is *: leave it 0"),
    W("2|5|8|-1|INTMIN|INTMAX", "overlap *", OPTION,
      "overlap is *, not in 0 ... 1"),
};

/* What none but a gather takes. */
static const line policy_lines[] = {
    W("2|3|4|5|8|-1|INTMIN|INTMAX", "policy *", OPTION,
      "policy is *, which this operation does not take"),
    W("0|1|6|7", "policy *", ACCEPTED, ""),
};

/* ---- gathers -------------------------------------------------------------*/

static const line gather_lines[] = {
    OF("gather"),
    W("8|-1|INTMIN|INTMAX", "policy *", OPTION, "policy is *, not in 0 ... 7"),
    W("2|-1|INTMIN|INTMAX", "negative *", OPTION,
      "negative is *, not in 0 ... 1"),
    W("17|32", "policy 3 elem *", OPTION,
      "fill holds 16 bytes, elem_size is *"),
    R("policy 3 elem 16", ACCEPTED, ""),
    W("-1|-2|INTMIN", "params rank*", RANK,
      "params has rank *, at least 0 is needed"),
    W("-1|INTMIN", "indices rank*", RANK,
      "indices has rank *, at least 0 is needed"),
    W("-1|INTMIN", "out rank*", RANK, "out has rank *, at least 0 is needed"),
    R("indices none2", RANK, "indices has rank -1, at least 0 is needed"),
    W("5|6|7", "params lost*", NOTHING,
      "the dims of params, of rank *, are NULL"),
    W("5|INTMAX", "indices lost6 indices rank*", NOTHING,
      "the dims of indices, of rank *, are NULL"),
    W("5|INTMAX", "params lost6 params rank*", NOTHING,
      "the dims of params, of rank *, are NULL"),
    W("5|6|INTMAX", "out lost6 out rank*", NOTHING,
      "the dims of out, of rank *, are NULL"),
    R("params lost6s", NOTHING, "the strides of params, of rank 6, are NULL"),
    W("-4|MIN|MIN+1|-MAX", "params 3,*", SHAPE,
      "params, axis 1: an extent of *"),
    W("-1|MIN|MIN+1|-MAX", "indices *", SHAPE,
      "indices, axis 0: an extent of *"),
    W("-1|MIN|MIN+1|-MAX", "params 0,2 indices *,1", SHAPE,
      "indices, axis 0: an extent of *"),
    /* Sizes that overflow, and those next to them. */
    W("MAX/2+1|MAX", "params *,4", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    W("1|MAX", "elem 1 indices 1 params *", ACCEPTED, ""),
    R("elem 2 indices 1 params MAX", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("elem 2 indices 1 params MAX/2", ACCEPTED, ""),
    R("elem 2 indices 1 params MAX/2+1", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("elem 1 indices 1 params MAX,2,1", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("elem 1 indices 1 params MAX,MAX,MAX,MAX", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("elem 1 indices 1 params half-1,half-1", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("elem MAX indices 1 params 1", ACCEPTED, ""),
    R("elem MAX indices 1 params 2", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    W("MAX/4+1|MAX", "params 1 indices *", OVERFLOWS,
      "indices: a size is larger than PTRDIFF_MAX"),
    R("params 1 elem 1 indices MAX/4", ACCEPTED, ""),
    R("params 1 elem 1 type 4 indices MAX", ACCEPTED, ""),
    R("elem 1 params 1,MAX/4 indices 4", ACCEPTED, ""),
    R("elem 1 params 1,MAX/4 indices 5", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    R("params 3 elem 8 indices MAX/4:0", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    R("params MAX,0,MAX,MAX indices 3", ACCEPTED, ""),
    R("params MAX,0,MAX,MAX indices 0,MAX,MAX", ACCEPTED, ""),
    /* Spans that no ptrdiff_t holds, and strides that nobody takes. */
    W("MAX|MIN|-MAX", "elem 1 params 2:*", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    W("MAX|MIN|-MAX", "elem 1 params 1:*", ACCEPTED, ""),
    W("MAX|MIN|-MAX", "elem 1 params 0:*", ACCEPTED, ""),
    W("MAX|MIN|-MAX", "params 2 indices 2:*", OVERFLOWS,
      "indices: a size is larger than PTRDIFF_MAX"),
    W("MAX|MIN|-MAX", "params 2 indices 1:*", ACCEPTED, ""),
    R("elem 1 params 1 out 2:MAX", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    R("elem 1 params 1 out 2:MAX-1", ACCEPTED, ""),
    R("elem 1 params 1 indices 1 out 1:MAX", ACCEPTED, ""),
    W("MAX/2|-MAX/2", "elem 1 params 2:MAX/2+1,2:*", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("elem 1 params 2:-MAX/2-1,2:MAX/2", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("elem 1 params 2:-MAX/2,2:MAX/2", ACCEPTED, ""),
    R("params twos16", ACCEPTED, ""),
    W("17|20", "params twos*", LEVELS,
      "params: strides that take more than 16 loops"),
    /* Ranks, axes and batches. */
    R("params ()", RANK, "params has rank 0, at least 1 is needed"),
    R("indices ()", ACCEPTED, ""),
    W("5|2|-3|INTMIN|INTMIN+1|INTMAX", "axis *", AXIS,
      "no axis *: params has rank 2"),
    W("2|3|4", "params 2,2 indices 2 batch *", BATCH_DIMS,
      "batch_dims is *, but indices has rank 1"),
    W("INTMIN|INTMIN+1|INTMAX|-3", "params 2,2 indices 1 batch *", BATCH_DIMS,
      "batch_dims is *, but indices has rank 1"),
    R("batch 2 indices 3,4", BATCH_DIMS,
      "batch_dims is 2, but params has rank 2"),
    R("batch 1 params 2 indices 2", BATCH_DIMS,
      "batch_dims is 1, but params has rank 1"),
    R("batch 1 axis -2", BATCH_DIMS, "batch_dims is 1, but axis is 0"),
    R("batch 2 params 2,2,2 indices 2,2,1 axis 1", BATCH_DIMS,
      "batch_dims is 2, but axis is 1"),
    R("batch 1 indices 2,2", BATCH_SHAPE,
      "indices, axis 0: 2 where params has 3"),
    R("batch 1 params 2,3,4 indices 2,5", ACCEPTED, ""),
    R("batch -1 params 2,3,4 indices 2,5", ACCEPTED, ""),
    /* Outs of another shape, and such in which elements would share bytes. */
    R("out 8:4", RANK, "out has rank 1, 2 is needed"),
    R("out 2,4,1", RANK, "out has rank 3, 2 is needed"),
    R("out strided", RANK, "out has rank 0, 2 is needed"),
    R("out 2:8,4:4", STRIDE,
      "out, axis 0: a stride of 8 where 16 is needed"),
    R("out 2:20,5:4", SHAPE, "out, axis 1: 5 where 4 is needed"),
    R("out 3:20,4:4", SHAPE, "out, axis 0: 3 where 2 is needed"),
    R("out 2,0", SHAPE, "out, axis 1: 0 where 4 is needed"),
    R("out -2:20,5:4", SHAPE, "out, axis 0: an extent of -2"),
    R("out 2:4,4:8", ACCEPTED, ""),
    R("out 2:4,4:11", ACCEPTED, ""),
    R("out 2:28,4:4", ACCEPTED, ""),
    R("out 2:24,4:8", STRIDE, "out, axis 0: a stride of 24 where 28 is needed"),
    W("0|-16", "out 2:*,4:4", STRIDE,
      "out, axis 0: a stride of * where 4 is needed"),
    W("0|-4|3|2", "out 2:16,4:*", STRIDE,
      "out, axis 1: a stride of * where 4 is needed"),
    R("out 2:4,4:7", STRIDE, "out, axis 1: a stride of 7 where 8 is needed"),
    R("out 2:12,4:8", STRIDE, "out, axis 0: a stride of 12 where 28 is needed"),
    R("elem 1 out 2:3,4:1", STRIDE,
      "out, axis 0: a stride of 3 where 4 is needed"),

    OF("gather_nd"),
    W("8|-1|INTMIN|INTMAX", "indices 2,1 policy *", OPTION,
      "policy is *, not in 0 ... 7"),
    R("indices ()", RANK, "indices has rank 0, at least 1 is needed"),
    R("params ()", RANK, "params has rank 0, at least 1 is needed"),
    R("axis 1", AXIS, "axis is 1, but this operation takes none: leave it 0"),
    W("-1|INTMIN|INTMIN+1|-3", "batch *", BATCH_DIMS,
      "batch_dims is *, at least 0 is needed"),
    W("1|2|INTMAX", "batch *", BATCH_DIMS,
      "batch_dims is *, but indices has rank 1"),
    R("batch 2 params 2 indices 2,2,1", BATCH_DIMS,
      "batch_dims is 2, but params has rank 1"),
    R("batch 2 params 2,2,2 indices 2,3,1", BATCH_SHAPE,
      "indices, axis 1: 3 where params has 2"),
    R("indices 2,3", DEPTH,
      "indices, axis 1: 3 components for 2 axes of params"),
    R("batch 1 params 2,2,2 indices 2,3", DEPTH,
      "indices, axis 1: 3 components for 2 axes of params"),
    R("type 4 params 1 indices MAX/3,3", DEPTH,
      "indices, axis 1: 3 components for 1 axes of params"),
    R("type 4 params 1,1 indices MAX,2", OVERFLOWS,
      "indices: a size is larger than PTRDIFF_MAX"),
    R("params 0 elem 1 indices half,half,0", OVERFLOWS,
      "indices: a size is larger than PTRDIFF_MAX"),
    R("elem 1 params 1,MAX/4 indices 5,1", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    R("indices MAX,0,2", ACCEPTED, ""),
    R("indices 2,17 params deep20", LEVELS,
      "indices, axis 1: 17 components, at most 16 are possible"),
    R("indices 1,16 params deep20", ACCEPTED, ""),
    OF("batch_gather"),
    R("batch 2", BATCH_DIMS, "batch_dims is 2: leave it 0"),
    R("indices ()", RANK, "indices has rank 0, at least 1 is needed"),
    R("params 2,2,2 indices 2,3,1", BATCH_SHAPE,
      "indices, axis 1: 3 where params has 2"),

    OF("gather once"),
    R("desc 0", NOTHING, "desc is NULL"),
    R("from null", NOTHING, "params is NULL"),
    R("at null", NOTHING, "indices is NULL"),
    R("to null", NOTHING, "out is NULL"),
    R("room 31", CAPACITY, "out holds 31 bytes, 32 are needed"),
    R("params 0 indices () type 7 put -1 shape ()", INDEX,
      "indices = 18446744073709551615 is not in [0, 0)"),
    R("type 4 add -32 put 65,34", INDEX,
      "indices[0] = 65, by index_mask and index_add, is not in [0, 3)"),
    OF("gather_nd once"),
    R("desc 0", NOTHING, "desc is NULL"),
    R("indices 2,1 to null", NOTHING, "out is NULL"),
    R("params 2,6 indices 2,1,2 put 1,5,7,-2 shape 2,1,2", INDEX,
      "indices[1,0] component 0 = 7 is not in [0, 2)"),
    R("params 2,6 indices 2 put 0,7 shape 2", INDEX,
      "indices component 1 = 7 is not in [0, 6)"),
    R("params 2,6 indices 2 put 0,7 shape ()", INDEX,
      "indices[0] component 1 = 7 is not in [0, 6)"),
    OF("gather run"),
    W("0|2", "plan *", NOTHING, "plan is NULL, or was not made"),
    R("from null", NOTHING, "params is NULL"),
    R("at null", NOTHING, "indices is NULL"),
    R("to null", NOTHING, "out is NULL"),
    W("28|31|-1|0|MIN", "room *", CAPACITY, "out holds * bytes, 32 are needed"),
    R("put 0,7", INDEX, "indices[1] = 7 is not in [0, 3)"),
    R("put 0,7 negative 1", INDEX, "indices[1] = 7 is not in [-3, 3)"),
    R("put 0,1,7,-1,1,7 indices 2,3 policy 2 room 96 shape 2,3", ACCEPTED,
      "indices[0,2] = 7 is not in [0, 3); 3 bad"),
    R("put 0,1,7,-1,1,7 indices 2,3 policy 2 room 96", ACCEPTED,
      "indices[2] = 7 is not in [0, 3); 3 bad"),
    R("put 0,1,7,-1,1,7 indices 2,3 policy 2 room 96 shape lost6", ACCEPTED,
      "indices[2] = 7 is not in [0, 3); 3 bad"),
    R("from 8", OVERLAP, "params overlaps out"),
    R("from 31", OVERLAP, "params overlaps out"),
    R("from 32", ACCEPTED, ""),
    R("to 1024 from 1071", ACCEPTED, ""),
    R("at 0", OVERLAP, "indices overlaps out"),
    R("to 1024 from 983", OVERLAP, "params overlaps out"),
    OF("gather range"),
    W("0|2", "plan * first 0 last 0", NOTHING, "plan is NULL, or was not made"),
    W("3|-1|MIN|MAX", "first * last 4", RANGE, "first is *, not in 0 ... 2"),
    W("5|0|MAX|MIN", "first 1 last *", RANGE, "last is *, not in first to 2"),
    W("15|-1|0", "last 1 room *", CAPACITY, "out holds * bytes, 16 are needed"),
    R("first 1 room 31", CAPACITY, "out holds 31 bytes, 32 are needed"),
    R("to null from null at null first 2", ACCEPTED, ""),
    OF("gather check"),
    W("0|2", "plan * first 0 last 0", NOTHING, "plan is NULL, or was not made"),
    R("at null", NOTHING, "indices is NULL"),
    R("at null first 2", ACCEPTED, ""),
    W("3|-1|MIN|MAX", "first * last 4", RANGE, "first is *, not in 0 ... 2"),
    W("5|0|MAX|MIN", "first 1 last *", RANGE, "last is *, not in first to 2"),
    R("put 0,7,-1,1,1,7 indices 2,3 last 6 shape 2,3", INDEX,
      "indices[0,1] = 7 is not in [0, 3); at least 3 bad"),
    OF("gather fits"),
    W("0|2", "plan * first 0 last 0", NOTHING, "plan is NULL, or was not made"),
    R("from null", NOTHING, "params is NULL"),
    R("at null", NOTHING, "indices is NULL"),
    R("to null", NOTHING, "out is NULL"),
    W("28|31|-1|0", "room *", CAPACITY, "out holds * bytes, 32 are needed"),
    W("3|-1|MIN|MAX", "first * last 4", RANGE, "first is *, not in 0 ... 2"),
    W("5|0|MAX|MIN", "first 1 last *", RANGE, "last is *, not in first to 2"),
    R("from 31", OVERLAP, "params overlaps out"),
    R("at 28", OVERLAP, "indices overlaps out"),
    R("", ACCEPTED, ""),

    /* One row goes another way than many. */
    OF("gather rows"),
    W("1|2", "count * row_type 8", TYPE, "index_type is 8, not in 0 ... 7"),
    W("-1|INTMIN|INTMAX", "row_type *", TYPE,
      "index_type is *, not in 0 ... 7"),
    W("-1|INTMIN|INTMAX", "count 1 row_type *", TYPE,
      "index_type is *, not in 0 ... 7"),
    W("3|8|-1|INTMIN|INTMAX", "row_policy *", OPTION,
      "policy is *, which this operation does not take"),
    W("3|8|-1|INTMIN|INTMAX", "count 1 row_policy *", OPTION,
      "policy is *, which this operation does not take"),
    R("row_policy 6 put 0,7", ACCEPTED, "indices[1] = 7 is not in [0, 2)"),
    W("1|2", "count * to null", NOTHING, "out is NULL"),
    W("1|2", "count * from null", NOTHING, "params is NULL"),
    W("1|2", "count * at null", NOTHING, "indices is NULL"),
    R("count 1 rows 2 row_bytes 1 room 1 to null", NOTHING, "out is NULL"),
    W("-2|-1|MIN", "rows *", SHAPE, "params, axis 0: an extent of *"),
    W("-2|-1|MIN", "count 1 rows *", SHAPE, "params, axis 0: an extent of *"),
    W("-16|-1", "row_bytes *", SHAPE, "params, axis 1: an extent of *"),
    W("-16|-1", "count 1 row_bytes *", SHAPE,
      "params, axis 1: an extent of *"),
    W("-1|MIN", "count *", SHAPE, "indices, axis 0: an extent of *"),
    W("31|-1|0", "room *", CAPACITY, "out holds * bytes, 32 are needed"),
    W("15|-1|0", "count 1 room *", CAPACITY,
      "out holds * bytes, 16 are needed"),
    W("1|2", "count * rows MAX", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    W("1|2", "count * rows MAX/2+2 row_bytes 2", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("count 1 row_bytes MAX", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    R("row_bytes MAX", OVERFLOWS, "out: a size is larger than PTRDIFF_MAX"),
    W("MAX|MIN", "row_stride *", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    W("MAX|MIN", "count 1 row_stride *", OVERFLOWS,
      "params: a size is larger than PTRDIFF_MAX"),
    W("MAX", "count 1 rows 1 row_bytes *", CAPACITY,
      "out holds 32 bytes, * are needed"),
    R("rows 1 row_bytes MAX", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    W("MAX|MAX/4+1", "count *", OVERFLOWS,
      "indices: a size is larger than PTRDIFF_MAX"),
    R("count MAX/4 row_bytes 5", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    /* Windows that overlap end where the last one does. */
    R("to 1027 room 3 row_bytes 3 row_stride 1 count 1", OVERLAP,
      "params overlaps out"),
    R("to 1028 room 3 row_bytes 3 row_stride 1 count 1", ACCEPTED, ""),
    /* A stride that no row uses is no reason to multiply by it. */
    R("rows 100 row_bytes 0 row_stride MAX/2 to null from null room 0",
      ACCEPTED, ""),
};

/* ---- stitches ------------------------------------------------------------*/

static const line stitch_lines[] = {
    OF("stitch"),
    W("3|6|-1|INTMIN|INTMAX", "gaps *", OPTION, "gaps is *, not in 0 ... 2"),
    W("-1|INTMIN", "slice rank*", RANK,
      "slice has rank *, at least 0 is needed"),
    W("5|20|INTMAX", "slice lost6 slice rank*", NOTHING,
      "the dims of slice, of rank *, are NULL"),
    W("-1|-2|MIN|MIN+1|-MAX", "slice 0,*", SHAPE,
      "slice, axis 1: an extent of *"),
    R("slice MAX", OVERFLOWS, "slice: a size is larger than PTRDIFF_MAX"),
    R("elem MAX slice MAX,MAX,0", ACCEPTED, ""),
    R("slice twos16", ACCEPTED, ""),
    W("17|20", "slice twos*", LEVELS,
      "slice: strides that take more than 16 loops"),
    R("out_slice 1,2", RANK, "out_slice has rank 2, 1 is needed"),
    R("out_slice 3", SHAPE, "out_slice, axis 0: 3 where 2 is needed"),
    W("2|0|3|-4", "out_slice 2:*", STRIDE,
      "out_slice, axis 0: a stride of * where 4 is needed"),
    R("slice 2,4 out_slice 2:24,4:8", STRIDE,
      "out_slice, axis 0: a stride of 24 where 28 is needed"),
    R("slice 2,4 out_slice 2:4,4:7", STRIDE,
      "out_slice, axis 1: a stride of 7 where 8 is needed"),
    W("8|11", "slice 2,4 out_slice 2:4,4:*", ACCEPTED, ""),
    R("out_slice lost20", NOTHING,
      "the dims of out_slice, of rank 20, are NULL"),
    R("out_slice 2:MAX", OVERFLOWS, "out: a size is larger than PTRDIFF_MAX"),
    W("7|1|-1", "out_stride *", STRIDE,
      "out_stride is *, at least 8 is needed"),
    R("out_stride 8", ACCEPTED, ""),
    R("elem 1 out_stride MAX", ACCEPTED, ""),

    OF("list"),
    R("lists 0", NOTHING, "inputs is NULL"),
    R("totals 0", NOTHING, "inputs is NULL"),
    R("desc 0", NOTHING, "desc is NULL"),
    R("indices0 rank-1", RANK,
      "indices of list 0 has rank -1, at least 0 is needed"),
    R("data0 rank-1", RANK,
      "data of list 0 has rank -1, at least 0 is needed"),
    R("indices0 lost20", NOTHING,
      "the dims of indices of list 0, of rank 20, are NULL"),
    R("data0 lost20", NOTHING,
      "the dims of data of list 0, of rank 20, are NULL"),
    R("indices0 -3", SHAPE, "indices of list 0, axis 0: an extent of -3"),
    R("indices0 MAX", OVERFLOWS,
      "indices of list 0: a size is larger than PTRDIFF_MAX"),
    R("data0 MAX", OVERFLOWS,
      "data of list 0: a size is larger than PTRDIFF_MAX"),
    R("data0 3,5", SHAPE, "slice, axis 0: 5 where 2 is needed"),
    R("data0 3,2,1", SHAPE, "slice, axis 1: 1 where no axis is expected"),
    R("slice 1 data0 3,1,3", SHAPE,
      "slice, axis 1: 3 where no axis is expected"),
    R("data0 3", SHAPE, "slice has no axis 0, of 2"),
    R("data0 2,2", SHAPE, "data of list 0, axis 0: 2 where 3 is needed"),
    R("data0 ()", SHAPE, "data of list 0 has no axis 0, of 3"),
    R("data0 3:16,2:8", STRIDE,
      "slice, axis 0: a stride of 8 where 4 is needed"),
    R("slice 2:8", STRIDE, "slice, axis 0: a stride of 4 where 8 is needed"),
    R("slice 2:-4", STRIDE, "slice, axis 0: a stride of 4 where -4 is needed"),
    R("indices0 3:0", STRIDE,
      "indices of list 0, axis 0: a stride of 0 where 1 is needed"),
    R("data0 3:0,2:4", STRIDE,
      "data of list 0, axis 0: a stride of 0 where 1 is needed"),
    R("indices0 2,3 data0 2:70,3:16,2:4", STRIDE,
      "data of list 0, axis 0: a stride of 70 where 48 is needed"),
    R("indices0 2:70,3:4 data0 2,3,2", STRIDE,
      "indices of list 0, axis 0: a stride of 70 where 12 is needed"),
    R("", ACCEPTED, ""),

    OF("stitch once"),
    R("data1 3,4", SHAPE, "slice of list 1, axis 0: 4 where 2 is needed"),
    R("data1 5,2", SHAPE, "data of list 1, axis 0: 5 where 3 is needed"),
    R("data0 5,2", SHAPE, "data of list 0, axis 0: 5 where 3 is needed"),
    R("data0 3,-2", SHAPE, "data of list 0, axis 1: an extent of -2"),
    R("indices1 rank-1", RANK,
      "indices of list 1 has rank -1, at least 0 is needed"),
    R("indices1 2:8,2:8 data1 2,2,2", STRIDE,
      "indices of list 1, axis 0: a stride of 8 where 16 is needed"),
    R("indices0 2,2 data0 2:8,2:8,2:4", STRIDE,
      "data of list 0, axis 0: a stride of 8 where 16 is needed"),
    R("indices1 2,2 data1 2:8,2:8,2:4", STRIDE,
      "data of list 1, axis 0: a stride of 8 where 16 is needed"),
    R("ids1 null", NOTHING, "indices of list 1 is NULL"),
    R("ids0 null", NOTHING, "indices of list 0 is NULL"),
    R("gaps 4", OPTION, "gaps is 4, not in 0 ... 2"),
    /* (Lists are pairs, so CVE-2022-41883, fewer of one kind, cannot be.) */
    W("0|-1", "inputs *", COUNT, "* inputs, at least 1 are needed"),
    R("data1 5,2 shape 3", SHAPE,
      "data of list 1, axis 0: 5 where indices have 3"),
    R("inputs_put1 0,-4,1", INDEX,
      "indices[1] of list 1 = -4 is not in [0, PTRDIFF_MAX)"),
    R("totals 0", NOTHING, "total is NULL"),
    R("lists 0", NOTHING, "inputs is NULL"),
    R("desc 0", NOTHING, "desc is NULL"),
    R("to null", NOTHING, "out is NULL"),
    R("room 23", CAPACITY, "out holds 23 bytes, 24 are needed"),
    W("1|7", "out_stride *", STRIDE, "out_stride is *, at least 8 is needed"),
    OF("parallel once"),
    R("lists 0", NOTHING, "inputs is NULL"),
    R("rows1 null", NOTHING, "data of list 1 is NULL"),
    R("room 20", CAPACITY, "out holds 20 bytes, 24 are needed"),

    OF("stitch total"),
    W("0|2", "plan *", NOTHING, "plan is NULL, or was not made"),
    R("totals 0", NOTHING, "total is NULL"),
    R("lists 0", NOTHING, "inputs is NULL"),
    R("inputs -1", COUNT, "-1 inputs, at least 0 are needed"),
    R("at0 null", NOTHING, "indices of list 0 is NULL"),
    R("count1 -1", COUNT, "count of list 1 is -1, at least 0 is needed"),
    R("from0 null", ACCEPTED, ""),
    /* A slice that reaches far backward, in rows that go forward: 999 bytes are
     * left, for as many steps of one. */
    R("elem 1 type 4 slice 2:-MAX+1000 at0 0 count0 100 step0 1000",
      OVERFLOWS, "data of list 0: a size is larger than PTRDIFF_MAX"),
    R("elem 1 type 4 slice 2:-MAX+1000 at0 0 count0 1000 step0 2",
      OVERFLOWS, "data of list 0: a size is larger than PTRDIFF_MAX"),
    R("elem 1 type 4 slice 2:-MAX+1000 at0 0 count0 1000 step0 1 inputs 1",
      ACCEPTED, ""),
    R("elem 1 type 4 slice 2:-MAX+1000 at0 0 count0 1 step0 2 inputs 1",
      ACCEPTED, ""),
    OF("stitch run"),
    W("0|2", "plan *", NOTHING, "plan is NULL, or was not made"),
    W("-2|-1|MIN", "count1 *", COUNT,
      "count of list 1 is *, at least 0 is needed"),
    R("at1 null", NOTHING, "indices of list 1 is NULL"),
    R("from1 null", NOTHING, "data of list 1 is NULL"),
    R("at1 null count1 0", ACCEPTED, ""),
    R("from1 0", OVERLAP, "data of list 1 overlaps out"),
    R("at0 0", OVERLAP, "indices of list 0 overlaps out"),
    R("count1 MAX atstep1 4", OVERFLOWS,
      "indices of list 1: a size is larger than PTRDIFF_MAX"),
    R("count1 MAX/8 step1 64", OVERFLOWS,
      "data of list 1: a size is larger than PTRDIFF_MAX"),
    R("slice 2:8 step0 16", STRIDE,
      "data of list 1, axis 0: a stride of 0 where 12 is needed"),
    R("inputs -1", COUNT, "-1 inputs, at least 0 are needed"),
    R("lists 0", NOTHING, "inputs is NULL"),
    W("23|0|-1", "room *", CAPACITY, "out holds * bytes, 24 are needed"),
    R("to null", NOTHING, "out is NULL"),
    W("MAX|MAX/8+1", "total * room MAX", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    R("gaps 1", SCRATCH, "scratch holds 0 bytes, 1 are needed"),
    R("total -1", RANGE, "first is 0, not in 0 ... -1"),
    R("put1 0,-4,1", INDEX, "indices[1] of list 1 = -4 is not in [0, 3)"),
    R("policy 6 put1 0,-4,1", ACCEPTED,
      "indices[1] of list 1 = -4 is not in [0, 3)"),
    R("gaps 1 put0 0,2,2 put1 0,2,2 scratch 256 marks 64", GAP,
      "row 1 of 3 is named by no index"),
    R("gaps 2 put0 0,2,2 put1 0,2,2 scratch 256 marks 64 room 40 total 5",
      ACCEPTED, "done; row 1 is named by no index; 3 such rows"),
    R("gaps 2 put0 0,1,4 scratch 256 marks 64 room 40 total 5", ACCEPTED,
      "done; row 3 is named by no index"),
    OF("stitch range"),
    W("0|2", "plan *", NOTHING, "plan is NULL, or was not made"),
    W("4|-1|MIN|MAX", "first * last 4", RANGE, "first is *, not in 0 ... 3"),
    W("4|0|MAX|MIN", "first 1 last *", RANGE, "last is *, not in first to 3"),
    R("first 1 last 2 room 15", CAPACITY, "out holds 15 bytes, 16 are needed"),
    R("slice 1 elem 1 total 1 last 1 inputs 1 count0 1 room 1 to null",
      NOTHING, "out is NULL"),
    R("to null room 0 lists 0 inputs 0 total MAX/8 first MAX/8 last MAX/8",
      ACCEPTED, ""),
};

/* ---- partitions ----------------------------------------------------------*/

static const line partition_lines[] = {
    OF("partition"),
    W("0|-1|-2|MIN", "parts *", COUNT,
      "num_partitions is *, at least 1 is needed"),
    R("parts MAX/4+1", OVERFLOWS,
      "num_partitions: a size is larger than PTRDIFF_MAX"),
    R("parts MAX", OVERFLOWS,
      "num_partitions: a size is larger than PTRDIFF_MAX"),
    W("-1|8|11|INTMIN|INTMAX", "position *", TYPE,
      "position_type is *, not in 0 ... 7"),
    W("-1|INTMIN", "data rank*", RANK, "data has rank *, at least 0 is needed"),
    W("-1|INTMIN", "ids rank*", RANK,
      "partitions has rank *, at least 0 is needed"),
    W("5|20|INTMAX", "data lost6 data rank*", NOTHING,
      "the dims of data, of rank *, are NULL"),
    W("5|20|INTMAX", "ids lost6 ids rank*", NOTHING,
      "the dims of partitions, of rank *, are NULL"),
    R("data -8,2", SHAPE, "data, axis 0: an extent of -8"),
    R("data 8,-3", SHAPE, "data, axis 1: an extent of -3"),
    R("ids -8", SHAPE, "partitions, axis 0: an extent of -8"),
    W("-1|MIN|MIN+1|-MAX", "data *,3 ids *", SHAPE,
      "data, axis 0: an extent of *"),
    R("data MAX,2", OVERFLOWS, "data: a size is larger than PTRDIFF_MAX"),
    R("ids MAX", OVERFLOWS, "partitions: a size is larger than PTRDIFF_MAX"),
    R("data 7,2", SHAPE, "data, axis 0: 7 where 8 is needed"),
    R("data 7,2 shape 8", SHAPE, "data, axis 0: 7 where partitions have 8"),
    R("data 4,2,2 ids 4:12,2:4", STRIDE,
      "partitions, axis 0: a stride of 12 where 8 is needed"),
    R("data 4:40,2:8,2:4 ids 4,2", STRIDE,
      "data, axis 0: a stride of 40 where 16 is needed"),
    R("out_slice 1,2", RANK, "out_slice has rank 2, 1 is needed"),
    W("3|5", "out_slice *", SHAPE, "out_slice, axis 0: * where 2 is needed"),
    W("0|3|-4", "out_slice 2:*", STRIDE,
      "out_slice, axis 0: a stride of * where 4 is needed"),
    R("data 8,2,4 out_slice 2:24,4:8", STRIDE,
      "out_slice, axis 0: a stride of 24 where 28 is needed"),
    W("8|11", "data 8,2,4 out_slice 2:4,4:*", ACCEPTED, ""),
    R("out_slice 2:MAX", OVERFLOWS, "out: a size is larger than PTRDIFF_MAX"),
    R("out_slice lost20", NOTHING,
      "the dims of out_slice, of rank 20, are NULL"),
    W("4|7|-1", "out_stride *", STRIDE,
      "out_stride is *, at least 8 is needed"),
    R("out_stride 8", ACCEPTED, ""),
    R("ids () data twos16", ACCEPTED, ""),
    W("17|20", "ids () data twos*", LEVELS,
      "slice: strides that take more than 16 loops"),
    R("ids 0 data 0,MAX", OVERFLOWS,
      "slice: a size is larger than PTRDIFF_MAX"),
    R("elem 1 ids 0 data 0,half,half", OVERFLOWS,
      "slice: a size is larger than PTRDIFF_MAX"),
    R("ids 3 data 3,MAX,0,MAX", ACCEPTED, ""),

    OF("partition count"),
    W("0|2", "plan *", NOTHING, "plan is NULL, or was not made"),
    W("9|-1|MIN|MAX", "first * last 9", RANGE, "first is *, not in 0 ... 8"),
    W("9|0|MAX|MIN", "first 1 last *", RANGE, "last is *, not in first to 8"),
    R("at null first 8", ACCEPTED, ""),
    R("at null", NOTHING, "partitions is NULL"),
    R("counts 0", NOTHING, "counts is NULL"),
    R("put 0,1,2,2,9,1,-1,0", INDEX,
      "partitions[4] = 9 is not in [0, 3); at least 2 bad"),
    OF("partition run"),
    W("0|2", "plan *", NOTHING, "plan is NULL, or was not made"),
    R("to1 null", NOTHING, "out of part 1 is NULL"),
    R("where2 null", NOTHING, "positions of part 2 is NULL"),
    R("room2 -1", COUNT, "counts of part 2 is -1, at least 0 is needed"),
    R("room1 2", CAPACITY, "out of part 1 holds 2 rows, at least 3 are needed"),
    R("room1 MAX", OVERFLOWS, "out: a size is larger than PTRDIFF_MAX"),
    R("to2 1084", OVERLAP, "data overlaps out of part 2"),
    R("to1 ids", OVERLAP, "partitions overlaps out of part 1"),
    R("outs 0", NOTHING, "out of part 0 is NULL"),
    R("from null", NOTHING, "data is NULL"),
    R("at null", NOTHING, "partitions is NULL"),
    R("counts 0", NOTHING, "counts is NULL"),
    R("cursors 0", NOTHING, "counts is NULL"),
    W("9|-1", "last *", RANGE, "last is *, not in first to 8"),
    R("policy 6 ids 2,4 data 2,4,2 put 0,1,2,2,9,1,-1,0 shape 2,4", ACCEPTED,
      "partitions[1,0] = 9 is not in [0, 3); 2 bad"),
    R("data 129:0 ids 129:0 position 1 last 129", OVERFLOWS,
      "positions: 128 is more than their type holds, 127"),
    OF("partition range"),
    W("0|2", "plan *", NOTHING, "plan is NULL, or was not made"),
    R("counts 0", NOTHING, "counts is NULL"),
    R("cursors 0", NOTHING, "counts is NULL"),
    W("9|-1|MIN|MAX", "first * last 9", RANGE, "first is *, not in 0 ... 8"),
    W("9|0|MAX|MIN", "first 1 last *", RANGE, "last is *, not in first to 8"),
    R("cursor1 -3", COUNT, "counts of part 1 is -3, at least 0 is needed"),
    R("room0 -4", COUNT, "counts of part 0 is -4, at least 0 is needed"),
    R("cursor1 MAX/4 room1 MAX", OVERFLOWS,
      "positions: a size is larger than PTRDIFF_MAX"),
    OF("partition once"),
    R("desc 0", NOTHING, "desc is NULL"),
    R("outs 0", NOTHING, "out of part 0 is NULL"),
    R("counts 0", NOTHING, "counts is NULL"),
    R("cursors 0", NOTHING, "counts is NULL"),
    R("from null", NOTHING, "data is NULL"),
    R("at null", NOTHING, "partitions is NULL"),
    R("parts 0", COUNT, "num_partitions is 0, at least 1 is needed"),
    W("1|0|-1", "room1 *", CAPACITY, "out of part 1 holds * rows, at least 3"
      " are needed"),
};

/* ---- scatters ------------------------------------------------------------*/

static const line scatter_lines[] = {
    OF("scatter"),
    W("2|-1|8|INTMAX|INTMIN", "negative *", OPTION,
      "negative is *, not in 0 ... 1"),
    W("3|-1|8|INTMAX|INTMIN", "gaps *", OPTION, "gaps is *, not in 0 ... 2"),
    R("gaps 1", OPTION, "gaps is 1, which this operation does not take"),
    W("-2|-1|INTMIN", "out rank*", RANK,
      "out has rank *, at least 0 is needed"),
    W("-1|INTMIN", "indices rank*", RANK,
      "indices has rank *, at least 0 is needed"),
    R("indices none2", RANK, "indices has rank -1, at least 0 is needed"),
    W("-1|INTMIN", "data rank*", RANK, "data has rank *, at least 0 is needed"),
    R("out ()", RANK, "out has rank 0, at least 1 is needed"),
    R("indices ()", RANK, "indices has rank 0, at least 1 is needed"),
    W("5|6|INTMAX", "out lost6 out rank*", NOTHING,
      "the dims of out, of rank *, are NULL"),
    W("5|6|INTMAX", "indices lost6 indices rank*", NOTHING,
      "the dims of indices, of rank *, are NULL"),
    W("5|6|INTMAX", "data lost6 data rank*", NOTHING,
      "the dims of data, of rank *, are NULL"),
    R("out lost6s", NOTHING, "the strides of out, of rank 6, are NULL"),
    R("indices lost6s", NOTHING, "the strides of indices, of rank 6, are NULL"),
    R("data lost6s", NOTHING, "the strides of data, of rank 6, are NULL"),
    R("data 2", RANK, "data has rank 1, 2 is needed"),
    R("data 2,4,1", RANK, "data has rank 3, 2 is needed"),
    R("data strided", RANK, "data has rank 0, 2 is needed"),
    R("indices 2,2 data 2,1", RANK, "data has rank 2, 1 is needed"),
    R("out deep20 data 2", RANK, "data has rank 1, 20 is needed"),
    W("-4|MIN|MIN+1|-MAX", "out 3,*", SHAPE, "out, axis 1: an extent of *"),
    W("-1|MIN|MIN+1|-MAX", "out 0,*,5", SHAPE, "out, axis 1: an extent of *"),
    W("-2|MIN|MIN+1|-MAX", "indices *,0,1", SHAPE,
      "indices, axis 0: an extent of *"),
    R("indices 2,-1", SHAPE, "indices, axis 1: an extent of -1"),
    W("-1|MIN|MIN+1|-MAX", "data *,4", SHAPE, "data, axis 0: an extent of *"),
    R("data 2,-4", SHAPE, "data, axis 1: an extent of -4"),
    /* Data that is not [b, n, slice]; vectors that are too long. */
    W("3|0", "data *,4", SHAPE, "data, axis 0: * where 2 is needed"),
    R("data 2,5", SHAPE, "data, axis 1: 5 where 4 is needed"),
    R("out 3,0 data 2,1", SHAPE, "data, axis 1: 1 where 0 is needed"),
    R("batch 1 indices 3,2,1 data 3,3", SHAPE,
      "data, axis 1: 3 where 2 is needed"),
    R("batch 1 indices 3,2,1 data 2,2", SHAPE,
      "data, axis 0: 2 where 3 is needed"),
    R("indices 2,3", DEPTH, "indices, axis 1: 3 components for 2 axes of out"),
    R("batch 1 indices 3,2,2", DEPTH,
      "indices, axis 2: 2 components for 1 axes of out"),
    W("MAX", "indices * type 4", DEPTH,
      "indices, axis 0: * components for 2 axes of out"),
    R("out deep20 indices 2,17", LEVELS,
      "indices, axis 1: 17 components, at most 16 are possible"),
    W("-1|INTMIN", "batch *", BATCH_DIMS,
      "batch_dims is *, at least 0 is needed"),
    W("2|INTMAX", "batch *", BATCH_DIMS,
      "batch_dims is *, but indices has rank 2"),
    R("batch 3 indices 3,4,1,0", BATCH_DIMS,
      "batch_dims is 3, but out has rank 2"),
    R("batch 1", BATCH_SHAPE, "indices, axis 0: 2 where out has 3"),
    R("batch 2 indices 3,5,1,0", BATCH_SHAPE,
      "indices, axis 1: 5 where out has 4"),
    R("batch 2 indices 3,4,0", ACCEPTED, ""),
    W("8", "out 3:*,4:4", STRIDE,
      "out, axis 0: a stride of * where 16 is needed"),
    W("0|-16", "out 3:*,4:4", STRIDE,
      "out, axis 0: a stride of * where 4 is needed"),
    W("-4|3", "out 3:16,4:*", STRIDE,
      "out, axis 1: a stride of * where 4 is needed"),
    R("out 3:4,4:11", STRIDE, "out, axis 1: a stride of 11 where 12 is needed"),
    R("out 3:MAX,4:4", OVERFLOWS, "out: a size is larger than PTRDIFF_MAX"),
    W("MAX|MIN|-MAX", "indices 2:*,1:4", OVERFLOWS,
      "indices: a size is larger than PTRDIFF_MAX"),
    W("MAX|MIN|-MAX", "data 2:*,4:4", OVERFLOWS,
      "data: a size is larger than PTRDIFF_MAX"),
    W("MAX|MIN|-MAX", "indices 1:*,1:* data 1:*,4:4 out 3:16,4:4", ACCEPTED,
      ""),
    R("out 1:MAX,3:16,4:4 indices 1,2 data 1:0,4:4", ACCEPTED, ""),
    /* Two spans that are too long only together, in both directions. */
    R("elem 1 data 2:MAX/2+1,4:MAX/8", ACCEPTED, ""),
    R("elem 1 data 2:MAX/2+1,4:MAX/6+1", OVERFLOWS,
      "data: a size is larger than PTRDIFF_MAX"),
    R("elem 1 data 2:-MAX/2-1,4:MAX/6+1", OVERFLOWS,
      "data: a size is larger than PTRDIFF_MAX"),
    /* Also if no row goes there, as gaps may be zeroed. */
    R("out nest16", ACCEPTED, ""),
    R("out nest20", LEVELS, "out: strides that take more than 16 loops"),
    R("out nest20 indices 0,1", LEVELS,
      "out: strides that take more than 16 loops"),
    /* Products that overflow, and those that an extent of 0 makes harmless. */
    R("out MAX,4", OVERFLOWS, "out: a size is larger than PTRDIFF_MAX"),
    R("out MAX/4+1,1", OVERFLOWS, "out: a size is larger than PTRDIFF_MAX"),
    R("out MAX/4,1", ACCEPTED, ""),
    R("indices MAX,1", OVERFLOWS, "indices: a size is larger than PTRDIFF_MAX"),
    R("indices MAX:0,1:0", OVERFLOWS,
      "indices: a size is larger than PTRDIFF_MAX"),
    R("data 2,MAX", OVERFLOWS, "data: a size is larger than PTRDIFF_MAX"),
    R("out 3,MAX/16 indices 9,1", OVERFLOWS,
      "data: a size is larger than PTRDIFF_MAX"),
    R("out 3,MAX/16 indices 9,1 data 9:0,MAX/16:0", OVERFLOWS,
      "data: a size is larger than PTRDIFF_MAX"),
    R("out 1 elem MAX/2+1", OVERFLOWS,
      "data: a size is larger than PTRDIFF_MAX"),
    R("out MAX,MAX,0 indices 2,2", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    R("out MAX,MAX,0", ACCEPTED, ""),
    R("indices MAX,0,1", ACCEPTED, ""),
    R("indices 0,MAX,1", ACCEPTED, ""),

    R("indices 2,2,1 data 2,3,4 shape 2,2,1", SHAPE,
      "data, axis 1: 3 where indices have 2"),

    OF("scatter once"),
    R("desc 0", NOTHING, "desc is NULL"),
    R("indices 2 type 7 put -1,1 shape 2", INDEX,
      "indices component 0 = 18446744073709551615 is not in [0, 3)"),
    R("mask -1 add -32 put 5,32", INDEX, "indices[0] component 0 = 5, by"
      " index_mask and index_add, is not in [0, 3)"),
    R("room 47", CAPACITY, "out holds 47 bytes, 48 are needed"),
    OF("scatter run"),
    W("0|2", "plan *", NOTHING, "plan is NULL, or was not made"),
    R("to null", NOTHING, "out is NULL"),
    R("from null", NOTHING, "data is NULL"),
    R("at null", NOTHING, "indices is NULL"),
    W("47|0|-1", "room *", CAPACITY, "out holds * bytes, 48 are needed"),
    R("from 47", OVERLAP, "data overlaps out"),
    R("at 47", OVERLAP, "indices overlaps out"),
    R("indices 2,2,1 policy 6 put 0,7,-1,1 shape 2,2,1", ACCEPTED,
      "indices[0,1] component 0 = 7 is not in [0, 3); 2 bad"),
    R("indices 2,2,1 policy 6 put 0,7,-1,1", ACCEPTED,
      "indices[1] component 0 = 7 is not in [0, 3); 2 bad"),
    OF("scatter range"),
    W("0|2", "plan * first 0 last 0", NOTHING, "plan is NULL, or was not made"),
    W("-1|4|MIN|MAX", "first * last 4", RANGE, "first is *, not in 0 ... 3"),
    W("4|0|MAX|MIN", "first 1 last *", RANGE, "last is *, not in first to 3"),
    OF("scatter fits"),
    W("0|2", "plan * first 0 last 0", NOTHING, "plan is NULL, or was not made"),
    R("room 31 last 2", CAPACITY, "out holds 31 bytes, 32 are needed"),
    R("first 2 last 1", RANGE, "last is 1, not in first to 3"),
    OF("scatter check"),
    W("0|2", "plan * first 0 last 0", NOTHING, "plan is NULL, or was not made"),
    R("at null last 2", NOTHING, "indices is NULL"),
    R("last 3", RANGE, "last is 3, not in first to 2"),
    R("first 3", RANGE, "first is 3, not in 0 ... 2"),
    R("last 2 put 7,-1 shape 2,1", INDEX,
      "indices[0] component 0 = 7 is not in [0, 3); at least 2 bad"),
    R("last 2 put 7,-1", INDEX,
      "indices[0] component 0 = 7 is not in [0, 3); at least 2 bad"),
    R("indices 2,2,1 last 4 put 0,7,-1,1 shape 2,2,1", INDEX,
      "indices[0,1] component 0 = 7 is not in [0, 3); at least 2 bad"),
    R("indices 2,2,1 first 2 last 4 put 0,7,-1,1 shape 2,2,1", INDEX,
      "indices[1,0] component 0 = -1 is not in [0, 3)"),
    OF("scatter rows"),
    W("1|2", "count * row_type 8", TYPE, "index_type is 8, not in 0 ... 7"),
    W("2|3|4|5|8|-1|INTMIN|INTMAX", "row_policy *", OPTION,
      "policy is *, which this operation does not take"),
    R("row_policy 7", ACCEPTED, ""),
    R("row_policy 6 put 0,7", ACCEPTED, "indices[1] = 7 is not in [0, 2)"),
    R("put -1,7", INDEX, "indices[0] = -1 is not in [0, 2)"),
    R("count 1 put -1", INDEX, "indices[0] = -1 is not in [0, 2)"),
    W("1|2", "count * to null", NOTHING, "out is NULL"),
    W("1|2", "count * from null", NOTHING, "data is NULL"),
    W("1|2", "count * at null", NOTHING, "indices is NULL"),
    R("count 0 to null from null at null room 0", ACCEPTED, ""),
    R("row_bytes 0 to null from null room 0", ACCEPTED, ""),
    R("rows 0 to null from null room 0 row_policy 6 put 0,1", ACCEPTED,
      "indices[0] = 0 is not in [0, 0); 2 bad"),
    W("-2|-1|MIN", "rows *", SHAPE, "out, axis 0: an extent of *"),
    W("-16|-1", "row_bytes *", SHAPE, "out, axis 1: an extent of *"),
    W("-1|MIN", "count *", SHAPE, "indices, axis 0: an extent of *"),
    W("31|-1|0", "room *", CAPACITY, "out holds * bytes, 32 are needed"),
    R("room 31 row_stride 24 count 1", CAPACITY,
      "out holds 31 bytes, 40 are needed"),
    W("15|1|-16|-1", "row_stride *", STRIDE,
      "out, axis 0: a stride of * where 16 is needed"),
    R("rows 1 row_stride 1 count 1", ACCEPTED, ""),
    W("1|2", "count * rows MAX", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    W("MAX", "count 1 rows 1 row_bytes *", CAPACITY,
      "out holds 48 bytes, * are needed"),
    R("row_bytes MAX", OVERFLOWS, "data: a size is larger than PTRDIFF_MAX"),
    W("MAX|MIN", "row_stride *", OVERFLOWS,
      "out: a size is larger than PTRDIFF_MAX"),
    W("MAX|MAX/4+1", "count *", OVERFLOWS,
      "indices: a size is larger than PTRDIFF_MAX"),
    R("from 31", OVERLAP, "data overlaps out"),
    R("at 31", OVERLAP, "indices overlaps out"),
    R("from 32 at 1024", ACCEPTED, ""),
};

/* ---- what lines cannot say -----------------------------------------------*/

#define SAYS(call, shape, want)                                               \
    do {                                                                      \
        (void)(call);                                                         \
        sprintf(doing, "line %d", __LINE__);                                  \
        see_words(shape, want);                                               \
    } while (0)

/* In an array of as many axes as a line names, and of more. */
static void many_axes(void)
{
    static const int32_t bad[1] = { 9 };
    ptrdiff_t            ones[17];
    int                  k;
    for (k = 0; k < 17; k++) ones[k] = 1;
    bench_begin('g');
    is_gather = NDG_OP_GATHER;
    b.at = bad;
    for (k = 16; k < 18; k++) {
        b.g.indices = ndg_dims(k, ones, NULL);
        SAYS(gather_once(&r), &b.g.indices, k == 16 ? "gather: indices"
             "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0] = 9 is not in [0, 3)"
             : "gather: indices[0] = 9 is not in [0, 3)");
    }
}

/* ---- random calls --------------------------------------------------------*/
static uint32_t state = 1;

/* One of n numbers. */
static ptrdiff_t pick(const ptrdiff_t *from, int n)
{
    state = state * 1664525u + 1013904223u;
    return from[(state >> 16) % (uint32_t)n];
}

static ptrdiff_t below(ptrdiff_t n)
{
    state = state * 1664525u + 1013904223u;
    return (ptrdiff_t)((state >> 16) % (uint32_t)n);
}

/* Mostly `usual`. */
static int mostly(int usual, int low, int high)
{
    return below(8) ? usual : low + (int)below(high - low + 1);
}

static ndg_shape any_shape(void)
{
    static const ptrdiff_t extents[] = { 0, 1, 2, 2, 3, 3, 4, 8, -1,
                                         PTRDIFF_MAX / 4, PTRDIFF_MAX };
    static const ptrdiff_t strides[] = { 0, 4, 4, 8, 8, 12, 16, 32, -4, 1,
                                         PTRDIFF_MAX, PTRDIFF_MIN };
    static ptrdiff_t dims[8][20], steps[8][20];
    static int       turn;
    ndg_shape s;
    int       k, rank = below(8) ? (int)below(4) : (int)below(20);
    turn = (turn + 1) % 8;
    for (k = 0; k < rank; k++) {
        dims[turn][k] = pick(extents, below(8) ? 8 : 11);
        steps[turn][k] = pick(strides, below(8) ? 8 : 12);
    }
    s = ndg_dims(rank, dims[turn], below(3) ? NULL : steps[turn]);
    if (rank > 4 && below(4) == 0) s.dims = NULL;
    return s;
}

static void *maybe(const void *p)
{
    return below(8) ? (void *)(uintptr_t)p : NULL;
}

/* The options that all descs have. */
#define ANY_OPTIONS(d)                                                        \
    ((d)->elem_size = mostly(4, -1, 2), (d)->index_type = mostly(0, -1, 8),   \
     (d)->policy = mostly(0, -1, 8), (d)->overlap = mostly(0, -1, 2),         \
     (d)->features = (unsigned)mostly(0, 0, 1))

/* Fewer bytes are needed than there are, or no run is made. */
static int is_small(const ndg_gather_plan *p, ptrdiff_t out_bytes)
{
    return !r.status && out_bytes <= 512 && p->source_high <= 512
        && p->source_low >= -512 && p->rows <= 8 && !p->overlap;
}

/* Places and rows of a run; `units`: as many as there are. */
static void any_run(ptrdiff_t units)
{
    b.to = maybe(box + 2048);
    b.room = below(600);
    b.from = maybe(box + 1024 + 4 * below(500));
    b.at = maybe(box + 3072);
    b.first = mostly(0, -1, 3);
    b.last = mostly((int)units, 0, 9);
}

static void random_gather(void)
{
    ndg_gather_desc *d = &b.g;
    bench_begin('g');
    ANY_OPTIONS(d);
    d->negative = mostly(0, -1, 2);
    d->axis = mostly(0, -3, 3);
    d->batch_dims = mostly(0, -2, 3);
    if (below(2)) d->params = any_shape();
    if (below(2)) d->indices = any_shape();
    if (!below(4)) d->out = any_shape();
    memset(&made, 0, sizeof made);
    is_gather = NDG_OP_GATHER_ND + (int)below(3);
    plan_gather(&r);
    if (!is_small(&made.g, made.g.out_bytes) || d->indices.strided) return;
    any_run(made.g.rows);
    gather_range(&r);
}

static void random_stitch(void)
{
    ndg_stitch_desc *d = &b.s;
    bench_begin('s');
    ANY_OPTIONS(d);
    d->gaps = mostly(0, -1, 3);
    d->out_stride = mostly(0, 0, 32);
    if (!below(4)) d->slice = any_shape();
    if (!below(4)) d->out_slice = any_shape();
    if (!below(4)) b.in[0].indices_shape = any_shape();
    if (!below(4)) b.in[0].data_shape = any_shape();
    if (below(2)) plan_stitch(&r);
    else list_from(&r);
}

static void random_partition(void)
{
    ndg_partition_desc *d = &b.p;
    bench_begin('p');
    ANY_OPTIONS(d);
    d->position_type = mostly(0, -1, 8);
    d->out_stride = mostly(0, 0, 32);
    d->num_partitions = mostly(3, -1, 4);
    if (below(2)) d->partitions = any_shape();
    if (below(2)) d->data = any_shape();
    if (!below(4)) d->out_slice = any_shape();
    plan_partition(&r);
}

static void random_scatter(void)
{
    ndg_scatter_desc *d = &b.x;
    bench_begin('x');
    ANY_OPTIONS(d);
    d->negative = mostly(0, -1, 2);
    d->gaps = mostly(0, -1, 3);
    d->batch_dims = mostly(0, -2, 3);
    if (below(2)) d->out = any_shape();
    if (below(2)) d->indices = any_shape();
    if (!below(4)) d->data = any_shape();
    plan_scatter(&r);
    if (!is_small(&made.x.by, made.x.out_bytes) || d->indices.strided) return;
    any_run(made.x.slots);
    scatter_range(&r);
}

/* No call returns a pair without a line above. */
static void random_calls(void)
{
    long i;
    memset(box, 0, sizeof box);             /* indices that are good */
    for (i = 0; i < 400000; i++) {
        if (i % 4 == 0) random_gather();
        else if (i % 4 == 1) random_stitch();
        else if (i % 4 == 2) random_scatter();
        else random_partition();
        CHECKF(seen[r.status][r.operand], "status %d of operand %d has no line",
               r.status, r.operand);
    }
}

/* ---- what else there is --------------------------------------------------*/
static void words(void)
{
    int i;
    memset(&r, 0, sizeof r);
    SAYS(0, NULL, "done");
    bench_begin('p');
    b.p.data = ndg_dims2(7, 2);
    plan_partition(&r);
    r.axis = 1;                 /* which partitions do not have */
    SAYS(0, &b.p.partitions,
         "dynamic_partition: data, axis 1: 7 where 8 is needed");
    for (i = 0; i < ARGS; i++) CHECK(*ndg_arg_text(i));
    for (i = 1; i < STATUSES; i++)
        CHECKF(memchr(seen[i], 1, ARGS) != NULL, "status %d has no line", i);
    CHECK(!strcmp(ndg_arg_text(NDG_ARG_OUT_STRIDE), "out_stride"));
    CHECK(!strcmp(ndg_arg_text(NDG_ARG_PARAMS), "params"));
    CHECK(!strcmp(ndg_arg_text(NDG_ARG_ELEM_SIZE), "elem_size"));
    CHECK(!strcmp(ndg_arg_text(ARGS), "no such argument"));
    CHECK(!strcmp(ndg_arg_text(-1), "no such argument"));
    CHECK(ndg_report_text(NULL, 0, NULL, NULL) > 0);
}

/* Any report, also one that no call returns, makes a line. */
static void any_report(void)
{
    const ndg_shape shape = ndg_dims3(2, 0, 5);
    char            text[300];
    int             status, operand, op;
    for (status = -2; status < STATUSES + 2; status++)
        for (operand = -2; operand < ARGS + 2; operand++)
            for (op = -2; op < NDG_OP_SCATTER_ND + 3; op++) {
                ptrdiff_t n;
                memset(&r, 0, sizeof r);
                r.status = status;
                r.operand = operand;
                r.op = op;
                r.axis = r.bad.component = INT32_MIN;
                r.value = r.bound = r.bad.value = INT64_MIN;
                r.item = r.bad.list = r.bad.position = PTRDIFF_MIN;
                r.bad.extent = PTRDIFF_MIN;
                r.bad.count = op & 1 ? PTRDIFF_MAX : 0;
                n = ndg_report_text(text, sizeof text, &r, &shape);
                CHECK(n > 0 && n < (ptrdiff_t)sizeof text
                      && text[n] == 0 && !strchr(text, '\n'));
            }
}

#define LINES(of) lines(of, sizeof of / sizeof *(of))

int main(void)
{
    static const line plans[] = { OF("gather"), OF("gather_nd"),
                                  OF("batch_gather"), OF("stitch"),
                                  OF("partition"), OF("scatter") };
    int k;
    for (k = 0; k < 6; k++) {
        lines(&plans[k], 1);
        LINES(common_lines);
        if (k > 2) LINES(policy_lines);
    }
    LINES(gather_lines);
    LINES(stitch_lines);
    LINES(partition_lines);
    LINES(scatter_lines);
    many_axes();
    words();
    random_calls();
    any_report();
    return test_end("test_report");
}
