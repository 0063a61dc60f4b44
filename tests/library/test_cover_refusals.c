/* test_cover_refusals.c - what no other test looks at in the refusals, found by
 * tests/coverage and tests/mutation: their figures, a missing report, plan or
 * array where a call can do without one or must say so, and what each tensor of
 * a stitch can have wrong. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"
#include "../lib/test.h"

#include <string.h>

static ndg_report r;

/* The call gives this status, and the report says what it is about. */
#define REFUSES(call, want, who)                                              \
    do {                                                                      \
        const int got_ = (call);                                              \
        CHECKF(got_ == (want) && r.status == got_ && r.operand == (who),      \
               "%s gives %d on %d, not %s on %s", #call, got_, r.operand,     \
               #want, #who);                                                  \
    } while (0)

static void nobody_there(void)
{
    const ptrdiff_t dims[2] = { 3, 4 };
    const ndg_shape shape = ndg_dims(2, dims, 0);
    ndg_report      a, was;
    ndg_gather_plan none;
    ptrdiff_t       counts[2] = { 5, 6 }, cursors[2] = { 7, 8 };
    memset(&a, 0, sizeof a);
    a.status = NDG_E_RANK;
    a.op = NDG_OP_GATHER;
    was = a;
    ndg_report_merge(&a, NULL);
    ndg_report_merge(NULL, &a);
    ndg_report_merge(NULL, NULL);
    CHECK(!memcmp(&a, &was, sizeof a));

    CHECK(ndg_unravel(7, &shape, 2, NULL, 1) == -1);
    CHECK(ndg_unravel(7, &shape, 2, NULL, 0) == 2);

    memset(&none, 0, sizeof none);
    REFUSES(ndg_gather_fits(&none, NULL, 0, NULL, NULL, 0, 0, &r), NDG_E_NULL,
            NDG_ARG_PLAN);
    REFUSES(ndg_gather_fits(NULL, NULL, 0, NULL, NULL, 0, 0, &r), NDG_E_NULL,
            NDG_ARG_PLAN);

    CHECK(ndg_stitch_out_bytes(NULL, 1) == -1);
    CHECK(ndg_partition_out_bytes(NULL, 1) == -1);

    ndg_partition_starts(NULL, cursors, 1, 2);
    ndg_partition_starts(counts, NULL, 1, 2);
    CHECK(counts[0] == 5 && counts[1] == 6);
    CHECK(cursors[0] == 7 && cursors[1] == 8);
}

/* Rows of 2 bytes by one index each; what is wrong is said of input `item`. */
static void tensors(void)
{
    const uint8_t    data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    int64_t          index[4] = { 0, 1, 2, 3 };
    uint8_t          out[16];
    ptrdiff_t        total = -1;
    ndg_stitch_desc  d = NDG_ZERO_INIT;
    ndg_stitch_input in[2];
    ndg_stitch_plan  plan;
    int              k;
    memset(in, 0, sizeof in);
    for (k = 0; k < 2; k++) {
        in[k].indices = index;
        in[k].data = data;
        in[k].indices_shape = ndg_dims1(4);
        in[k].data_shape = ndg_dims2(4, 2);
    }
    d.elem_size = 1;
    d.index_type = NDG_I64;
#define STITCH ndg_dynamic_stitch(out, sizeof out, &total, in, 2, &d, &r)
    CHECK(STITCH == NDG_OK && total == 4 && !memcmp(out, data, 8));

    /* more rows than there can be */
    index[2] = INT64_MAX;
    REFUSES(STITCH, NDG_E_OVERFLOW, NDG_ARG_OUT);
    CHECK(total == 0);
    index[2] = INT64_MAX - 1;
    REFUSES(STITCH, NDG_E_OVERFLOW, NDG_ARG_OUT);
    index[2] = -1;
    CHECK(ndg_parallel_dynamic_stitch(out, sizeof out, &total, in, 2, &d, NULL)
          == NDG_E_INDEX);
    CHECK(ndg_parallel_dynamic_stitch(out, sizeof out, &total, in, 2, &d, &r)
          == NDG_E_INDEX && r.op == NDG_OP_PARALLEL_DYNAMIC_STITCH);

    d.slice = ndg_dims1(2);
    CHECK(ndg_plan_stitch(&plan, &d, &r) == NDG_OK);
    CHECK(ndg_stitch_out_bytes(&plan, -1) == -1);
    CHECK(ndg_stitch_out_bytes(&plan, 3) == 6);
}

static void partitions(void)
{
    const uint8_t      data[4] = { 1, 2, 3, 4 }, ids[4] = { 1, 0, 1, 1 };
    uint8_t            a[4] = { 0 }, b[4] = { 0 }, p0[4] = { 9 }, p1[4] = { 9 };
    void              *outs[2], *positions[2];
    ptrdiff_t          counts[2], cursors[2];
    const ptrdiff_t    capacity[2] = { 4, 4 };
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    outs[0] = a;
    outs[1] = b;
    positions[0] = p0;
    positions[1] = p1;
    d.data = ndg_dims1(4);
    d.partitions = ndg_dims1(4);
    d.elem_size = 1;
    d.num_partitions = 2;
    d.index_type = d.position_type = NDG_U8;
    CHECK(ndg_dynamic_partition(outs, NULL, capacity, counts, data, ids, &d,
                                NULL) == NDG_OK);
    CHECK(counts[0] == 1 && counts[1] == 3 && a[0] == 2 && b[0] == 1
          && b[1] == 3 && b[2] == 4);
    d.num_partitions = 0;
    CHECK(ndg_dynamic_partition(outs, NULL, capacity, counts, data, ids, &d,
                                NULL) == NDG_E_COUNT);
    d.num_partitions = 2;

    /* positions alone: rows of no bytes, and neither outs nor data */
    d.data = ndg_dims2(4, 0);
    CHECK(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    CHECK(ndg_partition_count(&plan, ids, 0, 4, counts, &r) == NDG_OK);
    CHECK(ndg_partition_run(&plan, NULL, positions, NULL, ids, 4, counts,
                            cursors, &r) == NDG_OK);
    CHECK(cursors[0] == 1 && cursors[1] == 3);
    CHECK(p0[0] == 1 && p1[0] == 0 && p1[1] == 2 && p1[2] == 3);
}

/* One row needs no stride; of a size that is taken, the bytes beside it. */
static void just_enough(void)
{
    uint8_t          bytes[16] = { 0 }, index[4] = { 0, 1, 0, 1 };
    char             line[100];
    ptrdiff_t        total;
    ndg_gather_plan  plan;
    ndg_gather_desc  d = NDG_ZERO_INIT;
    ndg_stitch_desc  s = NDG_ZERO_INIT;
    ndg_stitch_input in;
    ndg_list         list;
    d.indices = ndg_dims1(4);
    d.index_type = s.index_type = NDG_U8;
    d.elem_size = s.elem_size = 1;
    d.params = ndg_dims2(3, 0);
    CHECK(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    CHECK(plan.rows == 4 && ndg_gather_out_bytes(&plan, 1, 3) == 0);
    d.params = ndg_dims2(2, 2);
    CHECK(ndg_gather_out_dims(&d, NULL, 2) == 2);
    CHECK(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    REFUSES(ndg_gather_run(&plan, bytes, 8, bytes + 7, index, &r),
            NDG_E_OVERLAP, NDG_ARG_PARAMS);
    CHECK(r.value == 0 && r.bound == 0);
    CHECK(ndg_gather_run(&plan, bytes, 8, bytes + 8, index, &r) == NDG_OK);
    r.status = 99;
    ndg_report_text(line, sizeof line, &r, NULL);
    CHECK(!strcmp(line, "no such status"));
    memset(&in, 0, sizeof in);
    in.indices = index;
    in.data = bytes + 12;
    in.indices_shape = ndg_dims1(1);
    in.data_shape = ndg_dims2(1, 1);
    s.slice = ndg_dims1(1);
    memset(&list, 0xA5, sizeof list);
    CHECK(ndg_list_from(&list, &in, &s, &r) == NDG_OK && list.count == 1
          && list.index_stride == 0 && list.data_stride == 0);
    in.indices_shape = ndg_dims1(2);
    in.data_shape = ndg_dims2(2, 1);
    CHECK(ndg_dynamic_stitch(bytes, 2, &total, &in, 1, &s, &r) == NDG_OK
          && total == 2);
    CHECK(!strcmp(ndg_arg_text(0), "nothing"));
}

/* What a part of a run touches may overlap what another part does. */
static void apart(void)
{
    uint8_t            bytes[20], index[4] = { 0, 1, 0, 1 }, more[8] = { 0 };
    void              *outs[2];
    ptrdiff_t          cursors[2] = { 0, 0 };
    const ptrdiff_t    limits[2] = { 2, 2 };
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    weave;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan split;
    ndg_list           list = NDG_ZERO_INIT;
    memset(bytes, 0, sizeof bytes);

    /* no rows at all, in the midst of the indices, and of the data */
    s.slice = ndg_dims1(2);
    s.elem_size = 1;
    s.index_type = NDG_U8;
    list.indices = index;
    list.data = more;
    list.count = 4;
    CHECK(ndg_plan_stitch(&weave, &s, &r) == NDG_OK);
    CHECK(ndg_stitch_run_range(&weave, index + 2, 0, 2, &list, 1, 0, 0, NULL, 0,
                               &r) == NDG_OK);
    CHECK(ndg_stitch_run_range(&weave, more + 2, 0, 2, &list, 1, 0, 0, NULL, 0,
                               &r) == NDG_OK);
    CHECK(ndg_stitch_run_range(&weave, more + 1, 4, 2, &list, 1, 2, 2, NULL, 0,
                               &r) == NDG_OK);
    CHECK(ndg_stitch_run_range(&weave, NULL, 0, 2, &list, 1, 2, 2, NULL, 0,
                               &r) == NDG_OK);
    list.data = NULL;
    CHECK(ndg_stitch_run_range(&weave, bytes, 4, 2, &list, 1, 1, 1, NULL, 0,
                               &r) == NDG_OK);
    list.data = more;
    s.gaps = NDG_GAPS_ERROR;
    CHECK(ndg_plan_stitch(&weave, &s, &r) == NDG_OK);
    CHECK(ndg_stitch_run_range(&weave, bytes, 4, 2, &list, 1, 1, 1, NULL, 0,
                               &r) == NDG_OK);

    /* of no rows the first bad index ends it, with scratch and without */
    CHECK(ndg_stitch_run(&weave, NULL, 0, 0, &list, 1, more + 7, 1, &r)
          == NDG_E_INDEX && r.bad.count == 1);
    s.gaps = NDG_GAPS_ZERO;
    CHECK(ndg_plan_stitch(&weave, &s, &r) == NDG_OK);
    CHECK(ndg_stitch_run(&weave, NULL, 0, 0, &list, 1, NULL, 0, &r)
          == NDG_E_INDEX && r.bad.count == 1);

    /* an id in what is written, of a row of the range or of another; they lie
       3 bytes apart */
    d.data = ndg_dims2(4, 2);
    d.partitions = ndg_strided1(4, 3);
    d.elem_size = 1;
    d.num_partitions = 2;
    d.index_type = NDG_U8;
    CHECK(ndg_plan_partition(&split, &d, &r) == NDG_OK);
    outs[0] = bytes;
    outs[1] = bytes + 4;
    CHECK(ndg_partition_run_range(&split, outs, NULL, more, bytes + 4, 2, 4,
                                  cursors, limits, &r) == NDG_OK);
    cursors[0] = cursors[1] = 0;
    REFUSES(ndg_partition_run_range(&split, outs, NULL, more, bytes + 4, 1, 2,
                                    cursors, limits, &r), NDG_E_OVERLAP,
            NDG_ARG_PARTITIONS);
    CHECK(r.item == 1 && r.value == 0 && r.bound == 0);
}

int main(void)
{
    nobody_there();
    just_enough();
    apart();
    tensors();
    partitions();
    return test_end("test_cover_refusals");
}
