/* test_report.c - what ndg_report_text says: each pair of a status and an
 * operand that the library can return, by a real call; and whether random calls
 * return a pair that is missing here. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include <string.h>

enum { STATUSES = NDG_STATUS_COUNT, ARGS = NDG_ARG_OUT_STRIDE + 1 };

static unsigned char seen[STATUSES][ARGS];
static ndg_report    r;
static unsigned char box[4096];        /* where arrays are that fit */
static const int32_t ids[8] = { 0, 1, 2, 0, 1, 2, 0, 1 };

/* The line of the last call is this one, at any capacity. */
static void says(int line, const ndg_shape *shape, const char *want) {
    char            text[256], part[256];
    const ptrdiff_t n = ndg_report_text(text, sizeof text, &r, shape);
    ptrdiff_t       cap;
    seen[r.status][r.operand] = 1;
    test_check(!strcmp(text, want), __FILE__, line, "\"%s\", not \"%s\"", text,
               want);
    test_check(n == (ptrdiff_t)strlen(text), __FILE__, line, "length %ld",
               (long)n);
    test_check(ndg_report_text(NULL, 0, &r, shape) == n
               && ndg_report_text(NULL, PTRDIFF_MIN, &r, shape) == n, __FILE__,
               line, "without a buffer");
    for (cap = 0; cap <= n + 1; cap++) {
        ptrdiff_t kept = cap > n ? n : cap - 1;
        memset(part, '~', sizeof part);
        test_check(ndg_report_text(part, cap, &r, shape) == n
                   && part[cap] == '~'
                   && (cap == 0 || (!memcmp(part, text, (size_t)kept)
                                    && part[kept] == 0)),
                   __FILE__, line, "cap %ld", (long)cap);
    }
}

#define SAYS(call, want)           ((void)(call), says(__LINE__, NULL, want))
#define SAYS_AT(call, shape, want) ((void)(call), says(__LINE__, shape, want))

/* ---- gathers -------------------------------------------------------------*/
static ndg_gather_desc desc;
static ndg_gather_plan plan;

/* params [3,4] of 4 bytes, by two indices: what each case begins with. */
static ndg_gather_desc *begin(void) {
    memset(&desc, 0, sizeof desc);
    desc.params = ndg_dims2(3, 4);
    desc.indices = ndg_dims1(2);
    desc.elem_size = 4;
    return &desc;
}

/* Changes the desc, plans, and compares what is said. */
#define PLAN(op, change, want)                                                \
    do { begin(); change; SAYS(ndg_plan_##op(&plan, &desc, &r), want); }      \
    while (0)

static void gather_plans(void) {
    const ptrdiff_t six[6] = { 1, 1, 1, 1, 1, 1 }, huge = PTRDIFF_MAX;
    static ptrdiff_t deep[20], none[20];
    int i;
    for (i = 0; i < 20; i++) { deep[i] = 1 + i % 2; none[i] = 1; }
    SAYS(ndg_plan_gather(NULL, begin(), &r),
         "gather: plan is NULL, or was not made");
    SAYS(ndg_plan_gather(&plan, NULL, &r), "gather: desc is NULL");
    PLAN(gather, desc.elem_size = 0,
         "gather: elem_size is 0: give the bytes of one element");
    PLAN(gather, desc.index_type = 8,
         "gather: index_type is 8, not in 0 ... 7");
    PLAN(gather, desc.features = 5, "gather: features is 5: leave it 0");
    PLAN(gather, desc.overlap = 2, "gather: overlap is 2, not in 0 ... 1");
    PLAN(gather, desc.policy = 8, "gather: policy is 8, not in 0 ... 7");
    PLAN(gather, desc.negative = -1, "gather: negative is -1, not in 0 ... 1");
    PLAN(gather, (desc.policy = NDG_FILL, desc.elem_size = 32),
         "gather: fill holds 16 bytes, elem_size is 32");
    PLAN(gather, desc.params.rank = -2,
         "gather: params has rank -2, at least 0 is needed");
    PLAN(gather, desc.indices = ndg_dims(2, NULL, NULL),
         "gather: indices has rank -1, at least 0 is needed");
    PLAN(gather, (desc.params = ndg_dims(6, six, NULL),
                  desc.params.dims = NULL),
         "gather: the dims of params, of rank 6, are NULL");
    PLAN(gather, (desc.indices = ndg_dims(6, six, NULL),
                  desc.indices.dims = NULL),
         "gather: the dims of indices, of rank 6, are NULL");
    PLAN(gather, (desc.params = ndg_dims(6, six, NULL),
                  desc.params.strided = 1),
         "gather: the strides of params, of rank 6, are NULL");
    PLAN(gather, desc.params = ndg_dims2(3, -4),
         "gather: params, axis 1: an extent of -4");
    PLAN(gather, desc.indices = ndg_dims1(-1),
         "gather: indices, axis 0: an extent of -1");
    PLAN(gather, desc.params = ndg_dims2(huge, 4),
         "gather: params: a size is larger than PTRDIFF_MAX");
    PLAN(gather, desc.indices = ndg_dims2(huge, 4),
         "gather: indices: a size is larger than PTRDIFF_MAX");
    PLAN(gather, desc.params = ndg_dims(0, NULL, NULL),
         "gather: params has rank 0, at least 1 is needed");
    PLAN(gather_nd, desc.indices = ndg_dims(0, NULL, NULL),
         "gather_nd: indices has rank 0, at least 1 is needed");
    PLAN(gather, desc.axis = 5, "gather: no axis 5: params has rank 2");
    PLAN(gather_nd, desc.axis = 1, "gather_nd: axis is 1, but this operation "
         "takes none: leave it 0");
    PLAN(gather_nd, desc.batch_dims = -1,
         "gather_nd: batch_dims is -1, at least 0 is needed");
    PLAN(batch_gather, desc.batch_dims = 2,
         "batch_gather: batch_dims is 2: leave it 0");
    PLAN(gather, desc.batch_dims = 2,
         "gather: batch_dims is 2, but indices has rank 1");
    PLAN(gather, (desc.batch_dims = 2, desc.indices = ndg_dims2(3, 4)),
         "gather: batch_dims is 2, but params has rank 2");
    PLAN(gather, (desc.batch_dims = 1, desc.axis = -2),
         "gather: batch_dims is 1, but axis is 0");
    PLAN(gather_nd, desc.indices = ndg_dims2(2, 3),
         "gather_nd: indices, axis 1: 3 components for 2 axes of params");
    PLAN(gather_nd, (desc.indices = ndg_dims2(2, 17),
                     desc.params = ndg_dims(20, deep, NULL)),
         "gather_nd: indices, axis 1: 17 components, at most 16 are possible");
    PLAN(gather, (desc.batch_dims = 1, desc.indices = ndg_dims2(2, 2)),
         "gather: indices, axis 0: 2 where params has 3");
    PLAN(gather, desc.out = ndg_strided1(8, 4),
         "gather: out has rank 1, 2 is needed");
    PLAN(gather, desc.out = ndg_dims(0, NULL, six),
         "gather: out has rank 0, 2 is needed");
    PLAN(gather, desc.out = ndg_dims(-1, NULL, NULL),
         "gather: out has rank -1, at least 0 is needed");
    PLAN(gather, desc.out = ndg_strided2(2, 8, 4, 4),
         "gather: out, axis 0: a stride of 8 where 16 is needed");
    PLAN(gather, desc.out = ndg_strided2(2, 20, 5, 4),
         "gather: out, axis 1: 5 where 4 is needed");
    PLAN(gather, desc.out = ndg_strided2(-2, 20, 5, 4),
         "gather: out, axis 0: an extent of -2");
    PLAN(gather, (desc.out = ndg_dims(6, six, six), desc.out.dims = NULL),
         "gather: the dims of out, of rank 6, are NULL");
    PLAN(gather, (desc.indices = ndg_strided1(huge / 4, 0),
                  desc.params = ndg_dims1(3), desc.elem_size = 8),
         "gather: out: a size is larger than PTRDIFF_MAX");
    for (i = 0; i < 20; i++) { deep[i] = 2; none[i] = i % 2 ? 8 : 12; }
    PLAN(gather, desc.params = ndg_dims(20, deep, none),
         "gather: params: strides that take more than 16 loops");
}

static void gather_runs(void) {
    static const int32_t  bad[6] = { 0, 7, -1, 1, 1, 7 };
    static const int32_t  two[4] = { 1, 5, 7, -2 };
    static const uint64_t big[1] = { UINT64_MAX };
    const ndg_shape pairs = ndg_dims3(2, 1, 2), grid = ndg_dims2(2, 3);
    const ndg_shape scalar = ndg_dims(0, NULL, NULL);
    ndg_shape       lost = ndg_dims(6, (const ptrdiff_t[6]){ 1, 1 }, NULL);
    lost.dims = NULL;
    begin();
    ndg_plan_gather(&plan, &desc, &r);
    SAYS(ndg_gather_run(NULL, box, 32, ids, ids, &r),
         "plan is NULL, or was not made");
    SAYS(ndg_gather_run(&plan, box, 32, NULL, ids, &r),
         "gather: params is NULL");
    SAYS(ndg_gather_run(&plan, box, 32, ids, NULL, &r),
         "gather: indices is NULL");
    SAYS(ndg_gather_run(&plan, NULL, 32, ids, ids, &r), "gather: out is NULL");
    SAYS(ndg_gather_run(&plan, box, 28, ids, ids, &r),
         "gather: out holds 28 bytes, 32 are needed");
    SAYS(ndg_gather_run(&plan, box, -1, ids, ids, &r),
         "gather: out holds -1 bytes, 32 are needed");
    SAYS(ndg_gather_run(&plan, box, 32, box + 8, ids, &r),
         "gather: params overlaps out");
    SAYS(ndg_gather_run(&plan, box, 32, box + 64, box, &r),
         "gather: indices overlaps out");
    SAYS(ndg_gather_run_range(&plan, box, 32, ids, ids, 3, 4, &r),
         "gather: first is 3, not in 0 ... 2");
    SAYS(ndg_gather_run_range(&plan, box, 32, ids, ids, 1, 5, &r),
         "gather: last is 5, not in first to 2");
    SAYS(ndg_gather_run(&plan, box, 32, box + 64, ids, &r), "done");
    SAYS(ndg_gather_run(&plan, box, 32, box + 64, bad, &r),
         "gather: indices[1] = 7 is not in [0, 3)");
    desc.negative = NDG_NEGATIVE_FROM_END;
    ndg_plan_gather(&plan, &desc, &r);
    SAYS(ndg_gather_run(&plan, box, 32, box + 64, bad, &r),
         "gather: indices[1] = 7 is not in [-3, 3)");
    desc.negative = NDG_NEGATIVE_BAD;
    desc.indices = grid;
    ndg_plan_gather(&plan, &desc, &r);
    SAYS_AT(ndg_gather_check(&plan, bad, 0, 6, &r), &grid,
            "gather: indices[0,1] = 7 is not in [0, 3); at least 3 bad");
    desc.policy = NDG_ZERO;
    ndg_plan_gather(&plan, &desc, &r);
    SAYS_AT(ndg_gather_run(&plan, box, 96, box + 128, bad, &r), &grid,
            "gather: indices[0,1] = 7 is not in [0, 3); 3 bad");
    SAYS(0, "gather: indices[1] = 7 is not in [0, 3); 3 bad");
    SAYS_AT(0, &lost, "gather: indices[1] = 7 is not in [0, 3); 3 bad");
    desc.indices = pairs;
    desc.params = ndg_dims2(2, 6);
    ndg_plan_gather_nd(&plan, &desc, &r);
    SAYS_AT(ndg_gather_run(&plan, box, 8, box + 64, two, &r), &pairs,
            "gather_nd: indices[1,0] component 0 = 7 is not in [0, 2)");
    desc.indices = ndg_dims1(2);
    ndg_plan_gather_nd(&plan, &desc, &r);
    SAYS_AT(ndg_gather_run(&plan, box, 4, box + 64, bad, &r), &desc.indices,
            "gather_nd: indices component 1 = 7 is not in [0, 6)");
    SAYS_AT(0, &scalar,
            "gather_nd: indices[0] component 1 = 7 is not in [0, 6)");
    desc.indices = scalar;
    desc.index_type = NDG_U64;
    desc.params = ndg_dims1(0);
    ndg_plan_gather(&plan, &desc, &r);
    SAYS_AT(ndg_gather_run(&plan, box, 4, box + 64, big, &r), &scalar,
            "gather: indices = 18446744073709551615 is not in [0, 0)");
    SAYS(ndg_gather_rows(box, 16, ids, 2, 16, 0, ids, NDG_I32, 1, NDG_FILL,
                         &r),
         "gather_rows: policy is 3, which this operation does not take");
    SAYS(ndg_gather_rows(box, 16, ids, -2, 16, 0, ids, NDG_I32, 1, 0, &r),
         "gather_rows: params, axis 0: an extent of -2");
    SAYS(ndg_gather_rows(box, 16, ids, 2, -16, 0, ids, NDG_I32, 1, 0, &r),
         "gather_rows: params, axis 1: an extent of -16");
    SAYS(ndg_gather_rows(box, 16, ids, 2, 16, 0, ids, NDG_I32, -1, 0, &r),
         "gather_rows: indices, axis 0: an extent of -1");
    SAYS(ndg_gather_rows(box, 16, ids, 2, 8, 0, bad, NDG_I32, 2, NDG_KEEP, &r),
         "gather_rows: indices[1] = 7 is not in [0, 2)");
}

/* ---- stitches ------------------------------------------------------------*/
static ndg_stitch_desc  woven;
static ndg_stitch_plan  weave;
static ndg_stitch_input pair[2];
static ndg_list         list[3];
static ptrdiff_t        total;

/* Slices [2] of 4 bytes; two pairs of [3] and [3,2]. */
static void stitch_begin(void) {
    int m;
    memset(&woven, 0, sizeof woven);
    woven.slice = ndg_dims1(2);
    woven.elem_size = 4;
    for (m = 0; m < 2; m++) {
        pair[m].indices = ids;
        pair[m].data = box + 64 * (m + 1);
        pair[m].indices_shape = ndg_dims1(3);
        pair[m].data_shape = ndg_dims2(3, 2);
    }
    ndg_plan_stitch(&weave, &woven, &r);
    for (m = 0; m < 2; m++) ndg_list_from(&list[m], &pair[m], &woven, &r);
}

#define STITCH_PLAN(change, want)                                             \
    do { stitch_begin(); change;                                              \
         SAYS(ndg_plan_stitch(&weave, &woven, &r), "dynamic_stitch: " want);  \
    } while (0)
#define STITCH_RUN(change, want)                                              \
    do { stitch_begin(); change;                                              \
         SAYS(ndg_stitch_run(&weave, box, 24, 3, list, 2, NULL, 0, &r),       \
              "dynamic_stitch: " want); } while (0)
#define LIST(change, want)                                                    \
    do { stitch_begin(); change;                                              \
         SAYS(ndg_list_from(list, pair, &woven, &r),                          \
              "dynamic_stitch: " want); } while (0)
#define STITCH(change, want)                                                  \
    do { stitch_begin(); change;                                              \
         SAYS(ndg_dynamic_stitch(box, 24, &total, pair, 2, &woven, &r),       \
              "dynamic_stitch: " want); } while (0)

static void stitches(void) {
    static const int32_t bad[3] = { 0, -4, 1 }, gap[3] = { 0, 2, 2 };
    const ptrdiff_t huge = PTRDIFF_MAX;
    static ptrdiff_t deep[20], step[20];
    int i;
    for (i = 0; i < 20; i++) { deep[i] = 2; step[i] = i % 2 ? 8 : 12; }
    STITCH_PLAN(woven.elem_size = -1,
                "elem_size is -1: give the bytes of one element");
    STITCH_PLAN(woven.index_type = 9, "index_type is 9, not in 0 ... 7");
    STITCH_PLAN(woven.features = 1, "features is 1: leave it 0");
    STITCH_PLAN(woven.overlap = -1, "overlap is -1, not in 0 ... 1");
    STITCH_PLAN(woven.policy = NDG_CLIP,
                "policy is 4, which this operation does not take");
    STITCH_PLAN(woven.gaps = 3, "gaps is 3, not in 0 ... 2");
    STITCH_PLAN(woven.slice.rank = -1,
                "slice has rank -1, at least 0 is needed");
    STITCH_PLAN((woven.slice = ndg_dims(20, deep, NULL),
                 woven.slice.dims = NULL),
                "the dims of slice, of rank 20, are NULL");
    STITCH_PLAN(woven.slice = ndg_dims1(-2), "slice, axis 0: an extent of -2");
    STITCH_PLAN(woven.slice = ndg_dims1(huge),
                "slice: a size is larger than PTRDIFF_MAX");
    STITCH_PLAN(woven.slice = ndg_dims(20, deep, step),
                "slice: strides that take more than 16 loops");
    STITCH_PLAN(woven.out_slice = ndg_dims2(1, 2),
                "out_slice has rank 2, 1 is needed");
    STITCH_PLAN(woven.out_slice = ndg_dims1(3),
                "out_slice, axis 0: 3 where 2 is needed");
    STITCH_PLAN(woven.out_slice = ndg_strided1(2, 2),
                "out_slice, axis 0: a stride of 2 where 4 is needed");
    STITCH_PLAN((woven.out_slice = ndg_dims(20, deep, step),
                 woven.out_slice.dims = NULL),
                "the dims of out_slice, of rank 20, are NULL");
    STITCH_PLAN(woven.out_slice = ndg_strided1(2, huge),
                "out: a size is larger than PTRDIFF_MAX");
    STITCH_PLAN(woven.out_stride = 7,
                "out_stride is 7, at least 8 is needed");
    SAYS(ndg_plan_stitch(NULL, &woven, &r),
         "dynamic_stitch: plan is NULL, or was not made");
    SAYS(ndg_plan_stitch(&weave, NULL, &r), "dynamic_stitch: desc is NULL");

    SAYS(ndg_list_from(NULL, pair, &woven, &r),
         "dynamic_stitch: inputs is NULL");
    LIST(pair->indices_shape.rank = -1,
         "indices of list 0 has rank -1, at least 0 is needed");
    LIST(pair->data_shape.rank = -1,
         "data of list 0 has rank -1, at least 0 is needed");
    LIST((pair->indices_shape = ndg_dims(20, deep, NULL),
          pair->indices_shape.dims = NULL),
         "the dims of indices of list 0, of rank 20, are NULL");
    LIST((pair->data_shape = ndg_dims(20, deep, NULL),
          pair->data_shape.dims = NULL),
         "the dims of data of list 0, of rank 20, are NULL");
    LIST(pair->indices_shape = ndg_dims1(-3),
         "indices of list 0, axis 0: an extent of -3");
    LIST(pair->indices_shape = ndg_dims1(huge),
         "indices of list 0: a size is larger than PTRDIFF_MAX");
    LIST(pair->data_shape = ndg_dims1(huge),
         "data of list 0: a size is larger than PTRDIFF_MAX");
    LIST(pair->data_shape = ndg_dims2(3, 5),
         "slice, axis 0: 5 where 2 is needed");
    LIST(pair->data_shape = ndg_dims3(3, 2, 1),
         "slice, axis 1: 1 where no axis is expected");
    LIST(pair->data_shape = ndg_dims1(3), "slice has no axis 0, of 2");
    LIST(pair->data_shape = ndg_strided2(3, 16, 2, 8),
         "slice, axis 0: a stride of 8 where 4 is needed");
    LIST(pair->indices_shape = ndg_strided1(3, 0),
         "indices of list 0, axis 0: a stride of 0 where 1 is needed");
    LIST(pair->data_shape = ndg_strided2(3, 0, 2, 4),
         "data of list 0, axis 0: a stride of 0 where 1 is needed");
    stitch_begin();
    pair[1].data_shape = ndg_dims2(5, 2);
    SAYS_AT(ndg_dynamic_stitch(box, 24, &total, pair, 2, &woven, &r),
            &pair[1].indices_shape, "dynamic_stitch: data of list 1, axis 0: "
            "5 where indices have 3");
    STITCH(pair[1].data_shape = ndg_dims2(5, 2),
           "data of list 1, axis 0: 5 where 3 is needed");
    STITCH(pair[1].data_shape = ndg_dims2(3, 4),
           "slice of list 1, axis 0: 4 where 2 is needed");
    STITCH(pair[1].indices = bad,
           "indices[1] of list 1 = -4 is not in [0, PTRDIFF_MAX)");
    STITCH(pair[1].indices = NULL, "indices of list 1 is NULL");
    STITCH(woven.gaps = 4, "gaps is 4, not in 0 ... 2");
    stitch_begin();
    SAYS(ndg_dynamic_stitch(box, 24, &total, pair, 0, &woven, &r),
         "dynamic_stitch: 0 inputs, at least 1 are needed");
    SAYS(ndg_dynamic_stitch(box, 24, NULL, pair, 2, &woven, &r),
         "dynamic_stitch: total is NULL");
    SAYS(ndg_parallel_dynamic_stitch(box, 24, &total, NULL, 2, &woven, &r),
         "parallel_dynamic_stitch: inputs is NULL");
    stitch_begin();
    SAYS(ndg_parallel_dynamic_stitch(box, 20, &total, pair, 2, &woven, &r),
         "parallel_dynamic_stitch: out holds 20 bytes, 24 are needed");

    STITCH_RUN(list[1].count = -2, "count of list 1 is -2, at least 0 is "
               "needed");
    STITCH_RUN(list[1].indices = NULL, "indices of list 1 is NULL");
    STITCH_RUN(list[1].data = NULL, "data of list 1 is NULL");
    STITCH_RUN(list[1].data = box, "data of list 1 overlaps out");
    STITCH_RUN(list[0].indices = box, "indices of list 0 overlaps out");
    STITCH_RUN((list[1].count = huge, list[1].index_stride = 4),
               "indices of list 1: a size is larger than PTRDIFF_MAX");
    STITCH_RUN((list[1].count = huge / 8, list[1].data_stride = 64),
               "data of list 1: a size is larger than PTRDIFF_MAX");
    STITCH_RUN((woven.slice = ndg_strided1(2, 8), list[1].data_stride = 0,
                ndg_plan_stitch(&weave, &woven, &r)),
               "data of list 1, axis 0: a stride of 0 where 12 is needed");
    STITCH_RUN(list[1].indices = bad,
               "indices[1] of list 1 = -4 is not in [0, 3)");
    stitch_begin();
    SAYS(ndg_stitch_run(&weave, box, 24, 3, list, -1, NULL, 0, &r),
         "dynamic_stitch: -1 inputs, at least 0 are needed");
    SAYS(ndg_stitch_run(&weave, box, 24, 3, NULL, 2, NULL, 0, &r),
         "dynamic_stitch: inputs is NULL");
    SAYS(ndg_stitch_run(&weave, box, 23, 3, list, 2, NULL, 0, &r),
         "dynamic_stitch: out holds 23 bytes, 24 are needed");
    SAYS(ndg_stitch_run(&weave, NULL, 24, 3, list, 2, NULL, 0, &r),
         "dynamic_stitch: out is NULL");
    SAYS(ndg_stitch_run(&weave, box, 24, huge, list, 2, NULL, 0, &r),
         "dynamic_stitch: out: a size is larger than PTRDIFF_MAX");
    SAYS(ndg_stitch_run_range(&weave, box, 24, 3, list, 2, 4, 4, NULL, 0, &r),
         "dynamic_stitch: first is 4, not in 0 ... 3");
    SAYS(ndg_stitch_run_range(&weave, box, 24, 3, list, 2, 0, 4, NULL, 0, &r),
         "dynamic_stitch: last is 4, not in first to 3");
    SAYS(ndg_stitch_total(&weave, list, 2, NULL, &r),
         "dynamic_stitch: total is NULL");
    weave.gaps = NDG_GAPS_ERROR;
    SAYS(ndg_stitch_run(&weave, box, 24, 3, list, 2, NULL, 0, &r),
         "dynamic_stitch: scratch holds 0 bytes, 1 are needed");
    list[0].indices = list[1].indices = gap;
    SAYS(ndg_stitch_run(&weave, box, 24, 3, list, 2, box + 256, 64, &r),
         "dynamic_stitch: row 1 of 3 is named by no index");
    weave.gaps = NDG_GAPS_KEEP;
    SAYS(ndg_stitch_run(&weave, box, 40, 5, list, 2, box + 256, 64, &r),
         "done; row 1 is named by no index; 3 such rows");
    weave.policy = NDG_DROP;
    list[1].indices = bad;
    SAYS(ndg_stitch_run(&weave, box, 24, 3, list, 2, box + 256, 64, &r),
         "dynamic_stitch: indices[1] of list 1 = -4 is not in [0, 3)");
}

/* ---- partitions ----------------------------------------------------------*/
static ndg_partition_desc split;
static ndg_partition_plan dealt;
static void              *outs[3], *where[3];
static ptrdiff_t          counts[3], cursors[3];

/* Eight rows of [2], of 4 bytes, dealt into 3 parts. */
static void split_begin(void) {
    int k;
    memset(&split, 0, sizeof split);
    split.data = ndg_dims2(8, 2);
    split.partitions = ndg_dims1(8);
    split.elem_size = 4;
    split.num_partitions = 3;
    ndg_plan_partition(&dealt, &split, &r);
    for (k = 0; k < 3; k++) {
        outs[k] = box + 1024 + 64 * k;
        where[k] = box + 2048 + 64 * k;
        counts[k] = 8;
    }
}

#define SPLIT_PLAN(change, want)                                              \
    do { split_begin(); change;                                               \
         SAYS(ndg_plan_partition(&dealt, &split, &r),                         \
              "dynamic_partition: " want); } while (0)
#define SPLIT_RUN(change, want)                                               \
    do { split_begin(); change;                                               \
         SAYS(ndg_partition_run(&dealt, outs, where, box, ids, 8, counts,     \
                                cursors, &r), "dynamic_partition: " want);    \
    } while (0)

static void partitions(void) {
    static const int32_t bad[8] = { 0, 1, 2, 2, 9, 1, -1, 0 };
    const ptrdiff_t  huge = PTRDIFF_MAX;
    static ptrdiff_t deep[20], step[20];
    int i;
    for (i = 0; i < 20; i++) { deep[i] = 2; step[i] = i % 2 ? 8 : 12; }
    SPLIT_PLAN(split.num_partitions = 0,
               "num_partitions is 0, at least 1 is needed");
    SPLIT_PLAN(split.num_partitions = huge,
               "num_partitions: a size is larger than PTRDIFF_MAX");
    SPLIT_PLAN(split.position_type = -1,
               "position_type is -1, not in 0 ... 7");
    SPLIT_PLAN(split.elem_size = 0,
               "elem_size is 0: give the bytes of one element");
    SPLIT_PLAN(split.index_type = 8, "index_type is 8, not in 0 ... 7");
    SPLIT_PLAN(split.features = 2, "features is 2: leave it 0");
    SPLIT_PLAN(split.overlap = 2, "overlap is 2, not in 0 ... 1");
    SPLIT_PLAN(split.policy = NDG_ZERO,
               "policy is 2, which this operation does not take");
    SPLIT_PLAN(split.data.rank = -1,
               "data has rank -1, at least 0 is needed");
    SPLIT_PLAN(split.partitions.rank = -1,
               "partitions has rank -1, at least 0 is needed");
    SPLIT_PLAN((split.data = ndg_dims(20, deep, NULL), split.data.dims = NULL),
               "the dims of data, of rank 20, are NULL");
    SPLIT_PLAN((split.partitions = ndg_dims(20, deep, NULL),
                split.partitions.dims = NULL),
               "the dims of partitions, of rank 20, are NULL");
    SPLIT_PLAN(split.data = ndg_dims2(-8, 2),
               "data, axis 0: an extent of -8");
    SPLIT_PLAN(split.partitions = ndg_dims1(-8),
               "partitions, axis 0: an extent of -8");
    SPLIT_PLAN(split.data = ndg_dims2(huge, 2),
               "data: a size is larger than PTRDIFF_MAX");
    SPLIT_PLAN(split.partitions = ndg_dims1(huge),
               "partitions: a size is larger than PTRDIFF_MAX");
    SPLIT_PLAN(split.data = ndg_dims2(7, 2),
               "data, axis 0: 7 where 8 is needed");
    split_begin();
    split.data = ndg_dims2(7, 2);
    SAYS_AT(ndg_plan_partition(&dealt, &split, &r), &split.partitions,
            "dynamic_partition: data, axis 0: 7 where partitions have 8");
    SPLIT_PLAN((split.data = ndg_dims3(4, 2, 2),
                split.partitions = ndg_strided2(4, 12, 2, 4)),
               "partitions, axis 0: a stride of 12 where 8 is needed");
    SPLIT_PLAN((split.data = ndg_strided3(4, 40, 2, 8, 2, 4),
                split.partitions = ndg_dims2(4, 2)),
               "data, axis 0: a stride of 40 where 16 is needed");
    SPLIT_PLAN(split.out_slice = ndg_dims2(1, 2),
               "out_slice has rank 2, 1 is needed");
    SPLIT_PLAN(split.out_slice = ndg_dims1(3),
               "out_slice, axis 0: 3 where 2 is needed");
    SPLIT_PLAN(split.out_slice = ndg_strided1(2, 0),
               "out_slice, axis 0: a stride of 0 where 4 is needed");
    SPLIT_PLAN(split.out_slice = ndg_strided1(2, huge),
               "out: a size is larger than PTRDIFF_MAX");
    SPLIT_PLAN((split.out_slice = ndg_dims(20, deep, NULL),
                split.out_slice.dims = NULL),
               "the dims of out_slice, of rank 20, are NULL");
    SPLIT_PLAN(split.out_stride = 4,
               "out_stride is 4, at least 8 is needed");
    SPLIT_PLAN((split.partitions = ndg_dims(0, NULL, NULL),
                split.data = ndg_dims(20, deep, step)),
               "slice: strides that take more than 16 loops");
    SPLIT_PLAN((split.partitions = ndg_dims1(0),
                split.data = ndg_dims2(0, huge)),
               "slice: a size is larger than PTRDIFF_MAX");
    SAYS(ndg_plan_partition(NULL, &split, &r),
         "dynamic_partition: plan is NULL, or was not made");
    SAYS(ndg_plan_partition(&dealt, NULL, &r),
         "dynamic_partition: desc is NULL");

    SPLIT_RUN(outs[1] = NULL, "out of part 1 is NULL");
    SPLIT_RUN(where[2] = NULL, "positions of part 2 is NULL");
    SPLIT_RUN(counts[2] = -1, "counts of part 2 is -1, at least 0 is needed");
    SPLIT_RUN(counts[1] = 2,
              "out of part 1 holds 2 rows, at least 3 are needed");
    SPLIT_RUN(counts[1] = huge,
              "out: a size is larger than PTRDIFF_MAX");
    SPLIT_RUN(outs[2] = box + 60, "data overlaps out of part 2");
    SPLIT_RUN(outs[1] = (void *)(uintptr_t)(ids + 1),
              "partitions overlaps out of part 1");
    split_begin();
    SAYS(ndg_partition_run(NULL, outs, where, box, ids, 8, counts, cursors,
                           &r),
         "dynamic_partition: plan is NULL, or was not made");
    SAYS(ndg_partition_run(&dealt, NULL, where, box, ids, 8, counts, cursors,
                           &r),
         "dynamic_partition: out of part 0 is NULL");
    SAYS(ndg_partition_run(&dealt, outs, where, NULL, ids, 8, counts, cursors,
                           &r), "dynamic_partition: data is NULL");
    SAYS(ndg_partition_run(&dealt, outs, where, box, NULL, 8, counts, cursors,
                           &r), "dynamic_partition: partitions is NULL");
    SAYS(ndg_partition_run(&dealt, outs, where, box, ids, 8, NULL, cursors,
                           &r), "dynamic_partition: counts is NULL");
    SAYS(ndg_partition_run(&dealt, outs, where, box, ids, 9, counts, cursors,
                           &r),
         "dynamic_partition: last is 9, not in first to 8");
    SAYS(ndg_partition_count(&dealt, ids, 9, 9, counts, &r),
         "dynamic_partition: first is 9, not in 0 ... 8");
    SAYS(ndg_partition_count(&dealt, bad, 0, 8, counts, &r),
         "dynamic_partition: partitions[4] = 9 is not in [0, 3); "
         "at least 2 bad");
    split.policy = NDG_DROP;
    split.partitions = ndg_dims2(2, 4);
    split.data = ndg_dims3(2, 4, 2);
    ndg_plan_partition(&dealt, &split, &r);
    SAYS_AT(ndg_partition_run(&dealt, outs, where, box, bad, 8, counts,
                              cursors, &r), &split.partitions,
            "dynamic_partition: partitions[1,0] = 9 is not in [0, 3); 2 bad");
    split_begin();
    counts[1] = 1;
    SAYS(ndg_dynamic_partition(outs, where, counts, cursors, box, ids, &split,
                               &r),
         "dynamic_partition: out of part 1 holds 1 rows, "
         "at least 3 are needed");
    SAYS(ndg_dynamic_partition(outs, where, NULL, cursors, box, ids, &split,
                               &r), "dynamic_partition: counts is NULL");
    split_begin();
    split.data = split.partitions = ndg_strided1(129, 0);
    split.position_type = NDG_I8;
    ndg_plan_partition(&dealt, &split, &r);
    SAYS(ndg_partition_run(&dealt, outs, where, box, ids, 129, counts, cursors,
                           &r), "dynamic_partition: positions: 128 is more "
         "than their type holds, 127");
    split_begin();
    cursors[1] = huge / 4;
    counts[1] = huge;
    SAYS(ndg_partition_run_range(&dealt, outs, where, box, ids, 0, 8, cursors,
                                 counts, &r),
         "dynamic_partition: positions: a size is larger than PTRDIFF_MAX");
}

/* ---- scatters ------------------------------------------------------------*/
static ndg_scatter_desc placed;
static ndg_scatter_plan place;

/* out [3,4] of 4 bytes, two rows of it. */
static void scatter_begin(void) {
    memset(&placed, 0, sizeof placed);
    placed.out = ndg_dims2(3, 4);
    placed.indices = ndg_dims2(2, 1);
    placed.elem_size = 4;
}

#define SCATTER_PLAN(change, want)                                            \
    do { scatter_begin(); change;                                             \
         SAYS(ndg_plan_scatter_nd(&place, &placed, &r), "scatter_nd: " want); \
    } while (0)

/* What only a scatter says; test_scatter has all of its refusals. */
static void scatters(void) {
    static const int32_t bad[4] = { 0, 7, -1, 1 };
    static ptrdiff_t deep[20], step[20];
    const ndg_shape grid = ndg_dims3(2, 2, 1);
    ptrdiff_t bytes = 8;
    int i;
    for (i = 20; i-- > 0;) {
        deep[i] = 2;
        step[i] = bytes;
        bytes = 2 * bytes + 4;
    }
    SCATTER_PLAN(placed.gaps = NDG_GAPS_ERROR,
                 "gaps is 1, which this operation does not take");
    SCATTER_PLAN((placed.batch_dims = 3,
                  placed.indices = ndg_dims4(3, 4, 1, 0)),
                 "batch_dims is 3, but out has rank 2");
    SCATTER_PLAN(placed.batch_dims = 1,
                 "indices, axis 0: 2 where out has 3");
    SCATTER_PLAN(placed.indices = ndg_dims2(2, 3),
                 "indices, axis 1: 3 components for 2 axes of out");
    SCATTER_PLAN(placed.out = ndg_dims(20, deep, step),
                 "out: strides that take more than 16 loops");
    SCATTER_PLAN(placed.data = ndg_dims2(3, 4),
                 "data, axis 0: 3 where 2 is needed");
    scatter_begin();
    placed.data = ndg_dims2(3, 4);
    SAYS_AT(ndg_plan_scatter_nd(&place, &placed, &r), &placed.indices,
            "scatter_nd: data, axis 0: 3 where indices have 2");
    scatter_begin();
    placed.policy = NDG_DROP;
    placed.indices = grid;
    ndg_plan_scatter_nd(&place, &placed, &r);
    SAYS_AT(ndg_scatter_run(&place, box, 48, box + 64, bad, &r), &grid,
            "scatter_nd: indices[0,1] component 0 = 7 is not in [0, 3); 2 bad");
    SAYS(ndg_scatter_run(&place, box, 47, box + 64, bad, &r),
         "scatter_nd: out holds 47 bytes, 48 are needed");
    SAYS(ndg_scatter_run(&place, box, 48, box + 40, bad, &r),
         "scatter_nd: data overlaps out");
    SAYS(ndg_scatter_run(&place, box, 48, NULL, bad, &r),
         "scatter_nd: data is NULL");
}

/* ---- random calls --------------------------------------------------------*/
static uint32_t state = 1;

/* One of n numbers. */
static ptrdiff_t pick(const ptrdiff_t *from, int n) {
    state = state * 1664525u + 1013904223u;
    return from[(state >> 16) % (uint32_t)n];
}

static ptrdiff_t below(ptrdiff_t n) {
    state = state * 1664525u + 1013904223u;
    return (ptrdiff_t)((state >> 16) % (uint32_t)n);
}

/* Mostly `usual`. */
static int mostly(int usual, int low, int high) {
    return below(8) ? usual : low + (int)below(high - low + 1);
}

static ndg_shape any_shape(void) {
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

static void *maybe(const void *p) {
    return below(8) ? (void *)(uintptr_t)p : NULL;
}

/* Fewer bytes are needed than there are, or the run is refused. */
static void random_gather(void) {
    static const ndg_gather_plan zero;
    begin();
    desc.elem_size = mostly(4, -1, 2);
    desc.index_type = mostly(0, -1, 8);
    desc.policy = mostly(0, -1, 8);
    desc.negative = mostly(0, -1, 2);
    desc.overlap = mostly(0, -1, 2);
    desc.features = (unsigned)mostly(0, 0, 1);
    desc.axis = mostly(0, -3, 3);
    desc.batch_dims = mostly(0, -2, 3);
    if (below(2)) desc.params = any_shape();
    if (below(2)) desc.indices = any_shape();
    if (!below(4)) desc.out = any_shape();
    plan = zero;
    if (below(3) == 0) ndg_plan_gather(&plan, &desc, &r);
    else if (below(2)) ndg_plan_gather_nd(&plan, &desc, &r);
    else ndg_plan_batch_gather(&plan, &desc, &r);
    if (r.status || plan.out_bytes > 512 || plan.source_high > 512
        || plan.source_low < -512 || plan.rows > 8 || plan.overlap
        || desc.indices.strided) return;
    ndg_gather_run_range(&plan, maybe(box + 2048), below(600),
                         maybe(box + 1024 + 4 * below(500)), maybe(box + 3072),
                         mostly(0, -1, 3), mostly((int)plan.rows, 0, 9), &r);
}

static void random_stitch(void) {
    stitch_begin();
    woven.elem_size = mostly(4, -1, 2);
    woven.index_type = mostly(0, -1, 8);
    woven.policy = mostly(0, -1, 8);
    woven.gaps = mostly(0, -1, 3);
    woven.overlap = mostly(0, -1, 2);
    woven.features = (unsigned)mostly(0, 0, 1);
    woven.out_stride = mostly(0, 0, 32);
    if (!below(4)) woven.slice = any_shape();
    if (!below(4)) woven.out_slice = any_shape();
    if (!below(4)) pair[1].indices_shape = any_shape();
    if (!below(4)) pair[1].data_shape = any_shape();
    if (below(2)) ndg_plan_stitch(&weave, &woven, &r);
    else ndg_list_from(list, pair + 1, &woven, &r);
}

static void random_partition(void) {
    split_begin();
    split.elem_size = mostly(4, -1, 2);
    split.index_type = mostly(0, -1, 8);
    split.position_type = mostly(0, -1, 8);
    split.policy = mostly(0, -1, 8);
    split.overlap = mostly(0, -1, 2);
    split.features = (unsigned)mostly(0, 0, 1);
    split.out_stride = mostly(0, 0, 32);
    split.num_partitions = mostly(3, -1, 4);
    if (below(2)) split.partitions = any_shape();
    if (below(2)) split.data = any_shape();
    if (!below(4)) split.out_slice = any_shape();
    ndg_plan_partition(&dealt, &split, &r);
}

static void random_scatter(void) {
    scatter_begin();
    placed.elem_size = mostly(4, -1, 2);
    placed.index_type = mostly(0, -1, 8);
    placed.policy = mostly(0, -1, 8);
    placed.negative = mostly(0, -1, 2);
    placed.gaps = mostly(0, -1, 3);
    placed.overlap = mostly(0, -1, 2);
    placed.features = (unsigned)mostly(0, 0, 1);
    placed.batch_dims = mostly(0, -2, 3);
    if (below(2)) placed.out = any_shape();
    if (below(2)) placed.indices = any_shape();
    if (!below(4)) placed.data = any_shape();
    ndg_plan_scatter_nd(&place, &placed, &r);
    if (r.status || place.out_bytes > 512 || place.by.source_high > 512
        || place.by.source_low < -512 || place.by.rows > 8 || place.by.overlap
        || placed.indices.strided) return;
    ndg_scatter_run_range(&place, maybe(box + 2048), below(600),
                          maybe(box + 1024 + 4 * below(500)),
                          maybe(box + 3072), mostly(0, -1, 3),
                          mostly((int)place.slots, 0, 9), &r);
}

/* No call returns a pair without a line above. */
static void random_calls(void) {
    long i;
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
static void words(void) {
    int i;
    memset(&r, 0, sizeof r);
    SAYS(0, "done");
    for (i = 0; i < ARGS; i++) CHECK(*ndg_arg_text(i));
    CHECK(!strcmp(ndg_arg_text(NDG_ARG_OUT_STRIDE), "out_stride"));
    CHECK(!strcmp(ndg_arg_text(NDG_ARG_PARAMS), "params"));
    CHECK(!strcmp(ndg_arg_text(NDG_ARG_ELEM_SIZE), "elem_size"));
    CHECK(!strcmp(ndg_arg_text(ARGS), "no such argument"));
    CHECK(!strcmp(ndg_arg_text(-1), "no such argument"));
    CHECK(ndg_report_text(NULL, 0, NULL, NULL) > 0);
}

/* Any report, also one that no call returns, makes a line. */
static void any_report(void) {
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

int main(void) {
    gather_plans();
    gather_runs();
    stitches();
    partitions();
    scatters();
    words();
    random_calls();
    any_report();
    return test_end("test_report");
}
