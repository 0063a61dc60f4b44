/* test_hostile_common.c - input made to break all operations alike, and
 * reports: see hostile.h. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "hostile.h"

/* ---- the same class, without a number ------------------------------------*/

/* Indices that change between a check and a run. */
static void index_buffer_changed_between_check_and_use(void)
{
    uint8_t            idx[4] = { 0, 1, 2, 3 };
    unsigned char      out[8], parts[2][4];
    ndg_gather_desc    d = gather_of(ndg_dims1(4), ndg_dims1(4));
    ndg_gather_plan    p;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    sp;
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_partition_plan tp;
    ndg_list           list;
    void              *outs[2];
    ptrdiff_t          total, counts[2], cursors[2], limits[2];
    d.index_type = s.index_type = t.index_type = NDG_U8;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS(ndg_gather_check(&p, idx, 0, 4, &r), NDG_OK);
    idx[2] = 99;
    IS(ndg_gather_run(&p, out, 4, "abcd", idx, &r), NDG_E_INDEX);
    /* a stitch writes at most the rows it was told of */
    idx[2] = 2;
    memset(&list, 0, sizeof list);
    list.indices = idx;
    list.data = "abcd";
    list.count = 4;
    s.elem_size = 1;
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    IS(ndg_stitch_total(&sp, &list, 1, &total, &r), NDG_OK);
    idx[1] = 4;
    memset(out, FRESH, 8);
    IS(ndg_stitch_run(&sp, out, 4, total, &list, 1, 0, 0, &r), NDG_E_INDEX);
    CHECK(r.bad.position == 1 && r.bad.value == 4 && r.bad.extent == 4);
    CHECK(all_fresh(out + 4, 4));
    /* a partition writes at most what was counted */
    t.data = t.partitions = ndg_dims1(4);
    t.elem_size = 1;
    t.num_partitions = 2;
    memcpy(idx, "\0\0\1\1", 4);
    memset(parts, FRESH, sizeof parts);
    outs[0] = parts[0];
    outs[1] = parts[1];
    IS(ndg_plan_partition(&tp, &t, &r), NDG_OK);
    IS(ndg_partition_count(&tp, idx, 0, 4, counts, &r), NDG_OK);
    idx[2] = 0;
    IS(ndg_partition_run(&tp, outs, 0, "abcd", idx, 4, counts, cursors, &r),
       NDG_E_CAPACITY);
    CHECK(r.item == 0 && r.value == 2 && r.bound == 3);
    CHECK(parts[0][0] == 'a' && parts[0][1] == 'b');
    CHECK(all_fresh(parts[0] + 2, 2) && all_fresh(parts[1] + 1, 3));
    memset(parts, FRESH, sizeof parts);
    cursors[0] = cursors[1] = 0;
    limits[0] = limits[1] = 1;
    IS(ndg_partition_run_range(&tp, outs, 0, "abcd", idx, 0, 4, cursors,
                               limits, &r), NDG_E_CAPACITY);
    CHECK(parts[0][0] == 'a' && all_fresh(parts[0] + 1, 3));
    CHECK(all_fresh(parts[1] + 1, 3));
    idx[2] = 1;
    idx[3] = 2;
    IS(ndg_partition_run(&tp, outs, 0, "abcd", idx, 4, counts, cursors, &r),
       NDG_E_INDEX);
}

/* ---- shapes --------------------------------------------------------------*/

/* One extent of 0 makes any others harmless. */
static void zero_beside_huge(void)
{
    ndg_gather_desc    d = gather_of(ndg_dims4(BIG, 0, BIG, BIG),
                                     ndg_dims1(3));
    ndg_gather_plan    p;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    sp;
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_partition_plan tp;
    int32_t            idx[3] = { 0, 5, 7 };
    ndg_list           list;
    void              *outs[1];
    ptrdiff_t          counts[1], cursors[1];
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.out_bytes == 0 && p.rows == 3);
    IS(ndg_gather_run(&p, 0, 0, 0, idx, &r), NDG_OK);
    idx[1] = -1;
    IS(ndg_gather_run(&p, 0, 0, 0, idx, &r), NDG_E_INDEX);
    d.indices = ndg_dims3(0, BIG, BIG);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.rows == 0);
    IS(ndg_gather_run(&p, 0, 0, 0, 0, &r), NDG_OK);
    d.params = ndg_dims2(3, 4);
    d.indices = ndg_dims3(BIG, 0, 2);
    IS(ndg_plan_gather_nd(&p, &d, &r), NDG_OK);
    CHECK(p.rows == 0 && p.out_bytes == 0);
    s.slice = ndg_dims3(BIG, BIG, 0);
    s.elem_size = BIG;
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    CHECK(ndg_stitch_out_bytes(&sp, BIG) == 0);
    memset(&list, 0, sizeof list);
    list.indices = idx;
    list.count = 1;
    IS(ndg_stitch_run(&sp, 0, 0, 3, &list, 1, 0, 0, &r), NDG_OK);
    t.data = ndg_dims4(3, BIG, 0, BIG);
    t.partitions = ndg_dims1(3);
    t.elem_size = 8;
    t.num_partitions = 1;
    IS(ndg_plan_partition(&tp, &t, &r), NDG_OK);
    CHECK(ndg_partition_out_bytes(&tp, 3) == 0 && tp.rows == 3);
    idx[1] = idx[2] = 0;
    counts[0] = 3;
    outs[0] = 0;
    IS(ndg_partition_run(&tp, outs, 0, 0, idx, 3, counts, cursors, &r),
       NDG_OK);
    CHECK(cursors[0] == 3);
}

/* Ranks below zero, and ranks without extents, where no report tells of it. */
static void ranks_that_are_none(void)
{
    static const int rank[4] = { -1, INT_MIN, INT_MAX, 5 };
    ndg_gather_desc  d;
    ndg_gather_plan  p;
    ptrdiff_t        dims[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, at[4];
    int              i;
    for (i = 0; i < 4; i++) {
        ndg_shape evil = NDG_ZERO_INIT;
        evil.rank = rank[i];
        d = gather_of(evil, ndg_dims1(1));
        CHECK(ndg_plan_gather_nd(&p, &d, &r) != NDG_OK);
        CHECK(ndg_plan_batch_gather(&p, &d, &r) != NDG_OK);
        CHECK(ndg_gather_out_dims(&d, dims, 8) == -1);
        CHECK(ndg_unravel(0, &evil, 1, at, 4) == -1);
    }
    for (i = 1; i < 8; i++) {
        d = gather_of(ndg_dims(i, 0, i % 2 ? 0 : dims), ndg_dims1(1));
        REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_RANK, NDG_ARG_PARAMS);
    }
    d = gather_of(ndg_dims(-9, dims, 0), ndg_dims1(1));
    CHECK(ndg_plan_gather(&p, &d, &r) != NDG_OK);
}

/* Axes of 2 whose strides do not fold: `n` levels in the slice. */
static void levels_16_and_17(void)
{
    ptrdiff_t          dims[18], strides[18], out_dims[18], step = 2;
    ndg_gather_desc    d;
    ndg_gather_plan    p;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    sp;
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_partition_plan tp;
    unsigned char     *params;
    int                i, n;
    for (i = 17; i >= 0; i--) {
        dims[i] = 2;
        strides[i] = step;
        step = step * 2 + 1;
    }
    /* fifteen of the slice and one of the rows */
    d = gather_of(ndg_dims(16, dims + 2, strides + 2), ndg_dims1(2));
    params = (unsigned char *)malloc((size_t)step);
    for (i = 0; i < step; i++) params[i] = (unsigned char)(i * 31 >> 3);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.out_bytes == 65536);
    if (p.out_bytes == 65536) {
        array          a, x, o, got;
        oracle_gather  g;
        const ptrdiff_t two = 2;
        const int32_t  idx[2] = { 1, 0 };
        array_shape(&a, 16, dims + 2, 1, LAYOUT_C, 0);
        for (i = 0; i < 16; i++) a.stride[i] = strides[i + 2];
        a.base = params;
        array_shape(&x, 1, &two, 4, LAYOUT_C, 0);
        array_alloc(&x, 0, 0);
        memcpy(x.base, idx, 8);
        memset(&g, 0, sizeof g);
        g.op = NDG_OP_GATHER;
        g.params = &a;
        g.indices = &x;
        CHECK(oracle_gather_status(&g) == NDG_OK);
        n = oracle_gather_dims(&g, out_dims);
        array_shape(&o, n, out_dims, 1, LAYOUT_C, 0);
        array_alloc(&o, 0, 0);
        array_twin(&got, &o);
        oracle_gather_write(&g, &o, 0, 2);
        IS(ndg_gather_run(&p, got.base, got.high, params, x.base, &r), NDG_OK);
        CHECK(array_same(&o, &got));
        array_free(&x);
        array_free(&o);
        array_free(&got);
    }
    d = gather_of(ndg_dims(17, dims + 1, strides + 1), ndg_dims1(2));
    r = report_stale();
    IS(ndg_plan_gather(&p, &d, &r), NDG_E_LEVELS);
    SAYS(17, 16);
    d = gather_of(ndg_dims(18, dims, strides), ndg_dims1(2));
    IS(ndg_plan_gather(&p, &d, &r), NDG_E_LEVELS);
    free(params);
    /* the slice of a stitch and of a partition */
    s.elem_size = t.elem_size = 1;
    t.num_partitions = 1;
    s.slice = ndg_dims(16, dims + 2, strides + 2);
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    s.slice = ndg_dims(17, dims + 1, strides + 1);
    REFUSES(ndg_plan_stitch(&sp, &s, &r), NDG_E_LEVELS, NDG_ARG_SLICE);
    SAYS(17, 16);
    t.data = ndg_dims(17, dims + 1, strides + 1);
    t.partitions = ndg_dims1(2);
    IS(ndg_plan_partition(&tp, &t, &r), NDG_OK);
    t.data = ndg_dims(18, dims, strides);
    IS(ndg_plan_partition(&tp, &t, &r), NDG_E_LEVELS);
    SAYS(17, 16);
}

/* Strides at the ends of what there is, which nobody takes. */
static void huge_strides(void)
{
    static const ptrdiff_t huge[3] = { BIG, PTRDIFF_MIN, -BIG };
    ndg_gather_desc        d;
    ndg_gather_plan        p;
    ndg_stitch_desc        s = NDG_ZERO_INIT;
    ndg_stitch_plan        sp;
    int32_t                idx[1] = { 0 };
    char                   out = 0;
    int                    i;
    for (i = 0; i < 3; i++) {
        d = gather_of(ndg_strided1(1, huge[i]), ndg_strided1(1, huge[i]));
        d.out = ndg_strided1(1, BIG);
        IS(ndg_gather(&out, 1, "a", idx, &d, &r), NDG_OK);
        CHECK(out == 'a');
        out = 0;
    }
    d = gather_of(ndg_dims1(1), ndg_dims1(2));
    d.out = ndg_strided1(2, BIG - 1);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.out_bytes == BIG);
    s.elem_size = 1;
    s.out_stride = BIG;
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    CHECK(ndg_stitch_out_bytes(&sp, 1) == 1);
    CHECK(ndg_stitch_out_bytes(&sp, 2) == -1);
    CHECK(ndg_stitch_out_bytes(&sp, 0) == 0);
}

/* `want`, or for -1 any refusal. */
static void is_or_refused(int status, int want)
{
    CHECKF(want < 0 ? status != NDG_OK : status == want, "%d, not %d: %s",
           status, want, report_text(&r));
}

/* Outputs in which elements would share bytes. */
static void out_strides_that_cannot_be(void)
{
    static const struct { ptrdiff_t a, b, elem; int status; } try[] = {
        { 3, 1, 1, NDG_OK }, { 1, 2, 1, NDG_OK }, { 7, 2, 1, NDG_OK },
        { 6, 2, 2, NDG_OK }, { 0, 1, 1, NDG_E_STRIDE },
        { 3, 0, 1, NDG_E_STRIDE }, { -3, 1, 1, NDG_E_STRIDE },
        { 3, -1, 1, NDG_E_STRIDE }, { 2, 1, 1, NDG_E_STRIDE },
        { 1, 1, 1, NDG_E_STRIDE }, { 6, 1, 2, NDG_E_STRIDE },
        { 5, 2, 2, NDG_E_STRIDE },
        /* nothing is shared here, but the strides do not nest */
        { 3, 2, 1, NDG_E_STRIDE },
        /* two reasons to refuse; which one is told is not laid down */
        { PTRDIFF_MIN, 1, 1, -1 }, { 3, PTRDIFF_MIN, 1, -1 }
    };
    ndg_gather_desc    d;
    ndg_gather_plan    p;
    ndg_stitch_desc    s;
    ndg_stitch_plan    sp;
    ndg_partition_desc t;
    ndg_partition_plan tp;
    ptrdiff_t          dims[2] = { 2, 3 }, strides[2];
    size_t             i;
    for (i = 0; i < sizeof try / sizeof try[0]; i++) {
        strides[0] = try[i].a;
        strides[1] = try[i].b;
        d = gather_of(ndg_dims2(4, 3), ndg_dims1(2));
        d.elem_size = try[i].elem;
        d.out = ndg_dims(2, dims, strides);
        r = report_stale();
        is_or_refused(ndg_plan_gather(&p, &d, &r), try[i].status);
        if (try[i].status) CHECK(r.operand == NDG_ARG_OUT);
        memset(&s, 0, sizeof s);
        s.elem_size = try[i].elem;
        s.slice = ndg_dims2(2, 3);
        s.out_slice = ndg_dims(2, dims, strides);
        is_or_refused(ndg_plan_stitch(&sp, &s, &r), try[i].status);
        memset(&t, 0, sizeof t);
        t.elem_size = try[i].elem;
        t.num_partitions = 1;
        t.data = ndg_dims3(1, 2, 3);
        t.partitions = ndg_dims1(1);
        t.out_slice = ndg_dims(2, dims, strides);
        is_or_refused(ndg_plan_partition(&tp, &t, &r), try[i].status);
    }
}

/* The stride of an axis that has one step is never taken. */
static void strides_of_axes_of_1(void)
{
    static const ptrdiff_t wild[4] = { 0, -977, PTRDIFF_MIN, BIG };
    ptrdiff_t          dims[3] = { 2, 1, 3 }, strides[3] = { 3, 0, 1 };
    ndg_gather_desc    d;
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_input   in;
    uint8_t            idx[6] = { 5, 4, 3, 2, 1, 0 };
    char               out[8];
    void              *outs[6];
    ndg_list           list;
    ptrdiff_t          total, counts[6], capacity[6] = { 1, 1, 1, 1, 1, 1 };
    int                i, k;
    memset(&in, 0, sizeof in);
    for (k = 0; k < 6; k++) outs[k] = out + k;
    for (i = 0; i < 4; i++) {
        strides[1] = wild[i];
        d = gather_of(ndg_dims(3, dims, strides), ndg_dims1(1));
        d.index_type = NDG_U8;
        IS(ndg_gather(out, 3, "abcdef", idx + 4, &d, &r), NDG_OK);
        CHECK(!memcmp(out, "def", 3));
        d = gather_of(ndg_dims1(6), ndg_dims(3, dims, strides));
        d.index_type = NDG_U8;
        IS(ndg_gather(out, 6, "abcdef", idx, &d, &r), NDG_OK);
        CHECK(!memcmp(out, "fedcba", 6));
        t.data = t.partitions = ndg_dims(3, dims, strides);
        t.elem_size = s.elem_size = 1;
        t.num_partitions = 6;
        t.index_type = s.index_type = NDG_U8;
        IS(ndg_dynamic_partition(outs, 0, capacity, counts, "abcdef", idx, &t,
                                 &r), NDG_OK);
        CHECK(!memcmp(out, "fedcba", 6));
        in.indices = idx;
        in.data = "uvwxyz";
        in.indices_shape = in.data_shape = ndg_dims(3, dims, strides);
        IS(ndg_dynamic_stitch(out, 6, &total, &in, 1, &s, &r), NDG_OK);
        CHECK(total == 6 && !memcmp(out, "zyxwvu", 6));
        s.slice = ndg_dims(2, dims + 1, strides + 1);
        in.indices_shape = ndg_dims1(2);
        in.data_shape = ndg_dims3(2, 1, 3);
        IS(ndg_list_from(&list, &in, &s, &r), NDG_OK);
        CHECK(list.count == 2);
    }
}

/* ---- capacity, ranges ----------------------------------------------------*/

static void out_short_by_one(void)
{
    ndg_gather_desc    d = gather_of(ndg_dims2(4, 3), ndg_dims1(2));
    ndg_gather_plan    p;
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    sp;
    ndg_list           list;
    ndg_stitch_input   in;
    int32_t            idx[2] = { 3, 1 };
    unsigned char      out[16];
    void              *outs[2];
    ptrdiff_t          capacity[2] = { 1, 0 }, counts[2], total;
    memset(out, FRESH, sizeof out);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    REFUSES(ndg_gather_run(&p, out, 5, "abcdefghijkl", idx, &r),
            NDG_E_CAPACITY, NDG_ARG_OUT);
    SAYS(5, 6);
    REFUSES(ndg_gather(out, 5, "abcdefghijkl", idx, &d, &r), NDG_E_CAPACITY,
            NDG_ARG_OUT);
    REFUSES(ndg_gather_run_range(&p, out, 2, "abcdefghijkl", idx, 0, 1, &r),
            NDG_E_CAPACITY, NDG_ARG_OUT);
    SAYS(2, 3);
    REFUSES(ndg_gather_run_range(&p, out, 5, "abcdefghijkl", idx, 1, 2, &r),
            NDG_E_CAPACITY, NDG_ARG_OUT);
    SAYS(5, 6);
    REFUSES(ndg_gather_run(&p, out, PTRDIFF_MIN, "abcdefghijkl", idx, &r),
            NDG_E_CAPACITY, NDG_ARG_OUT);
    CHECK(all_fresh(out, sizeof out));
    IS(ndg_gather_run_range(&p, out, 3, "abcdefghijkl", idx, 0, 1, &r),
       NDG_OK);
    CHECK(!memcmp(out, "jkl", 3) && all_fresh(out + 3, 13));
    IS(ndg_gather_run(&p, out, 6, "abcdefghijkl", idx, &r), NDG_OK);
    CHECK(!memcmp(out, "jkldef", 6) && all_fresh(out + 6, 10));
    /* stitch */
    memset(out, FRESH, sizeof out);
    memset(&list, 0, sizeof list);
    memset(&in, 0, sizeof in);
    s.elem_size = 2;
    in.indices = list.indices = idx;
    in.data = list.data = "abcd";
    list.count = 2;
    in.indices_shape = in.data_shape = ndg_dims1(2);
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    REFUSES(ndg_stitch_run(&sp, out, 7, 4, &list, 1, 0, 0, &r),
            NDG_E_CAPACITY, NDG_ARG_OUT);
    SAYS(7, 8);
    REFUSES(ndg_stitch_run_range(&sp, out, 3, 4, &list, 1, 1, 2, 0, 0, &r),
            NDG_E_CAPACITY, NDG_ARG_OUT);
    SAYS(3, 4);
    REFUSES(ndg_dynamic_stitch(out, 7, &total, &in, 1, &s, &r),
            NDG_E_CAPACITY, NDG_ARG_OUT);
    SAYS(7, 8);
    CHECK(total == 4 && all_fresh(out, sizeof out));
    IS(ndg_stitch_run_range(&sp, out, 4, 4, &list, 1, 1, 2, 0, 0, &r), NDG_OK);
    CHECK(!memcmp(out + 2, "cd", 2) && all_fresh(out + 4, 12));
    IS(ndg_dynamic_stitch(out, 8, &total, &in, 1, &s, &r), NDG_OK);
    CHECK(!memcmp(out, "\0\0cd\0\0ab", 8) && all_fresh(out + 8, 8));
    IS(ndg_stitch_run(&sp, out, 8, -1, &list, 1, 0, 0, &r), NDG_E_RANGE);
    IS(ndg_stitch_run(&sp, out, BIG, BIG, &list, 1, 0, 0, &r),
       NDG_E_OVERFLOW);
    /* partition */
    memset(out, FRESH, sizeof out);
    idx[0] = 0;
    outs[0] = out;
    outs[1] = out + 8;
    t.data = t.partitions = ndg_dims1(2);
    t.elem_size = 1;
    t.num_partitions = 2;
    r = report_stale();
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, "ab", idx, &t, &r),
       NDG_E_CAPACITY);
    CHECK(counts[0] == 1 && counts[1] == 1 && r.item == 1);
    SAYS(0, 1);
    CHECK(all_fresh(out, sizeof out));
    capacity[1] = 1;
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, "ab", idx, &t, &r),
       NDG_OK);
    CHECK(out[0] == 'a' && out[8] == 'b' && all_fresh(out + 1, 7));
    capacity[0] = -1;
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, "ab", idx, &t, &r),
       NDG_E_CAPACITY);
}

/* ---- overlap -------------------------------------------------------------*/

static void out_over_an_input(void)
{
    unsigned char      b[64];
    ndg_gather_desc    d = gather_of(ndg_dims1(8), ndg_dims1(4));
    ndg_gather_plan    p;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_input   in;
    ndg_partition_desc t = NDG_ZERO_INIT;
    void              *outs[2];
    ptrdiff_t          total, capacity[2] = { 4, 4 }, counts[2];
    int                i;
    d.index_type = s.index_type = t.index_type = NDG_U8;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    memset(b, 0, sizeof b);
    /* params at 16 ... 23, out of 4 before, over and after it */
    for (i = 10; i < 28; i++) {
        int over = i > 12 && i < 24;
        r = report_stale();
        IS(ndg_gather_run(&p, b + i, 4, b + 16, b + 40, &r),
           over ? NDG_E_OVERLAP : NDG_OK);
        if (over) CHECK(r.operand == NDG_ARG_PARAMS);
        IS(ndg_gather_rows(b + i, 4, b + 16, 8, 1, 0, b + 40, NDG_U8, 4, 0,
                           &r), over ? NDG_E_OVERLAP : NDG_OK);
        /* indices at 16 ... 19 */
        over = i > 12 && i < 20;
        IS(ndg_gather_run(&p, b + i, 4, b + 40, b + 16, &r),
           over ? NDG_E_OVERLAP : NDG_OK);
        if (over) CHECK(r.operand == NDG_ARG_INDICES);
    }
    /* a range reads its own indices only, and writes its own rows only */
    for (i = 0; i < 8; i++) b[i] = (uint8_t)i;
    d.indices = ndg_dims1(8);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS(ndg_gather_run_range(&p, b + 4, 2, "abcdefgh", b, 0, 2, &r), NDG_OK);
    CHECK(b[4] == 'a' && b[5] == 'b');
    IS(ndg_gather_run_range(&p, b + 1, 2, "abcdefgh", b, 0, 2, &r),
       NDG_E_OVERLAP);
    /* params with negative strides lie before their pointer */
    d.params = ndg_strided1(8, -1);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS(ndg_gather_run_range(&p, b + 17, 1, b + 23, b, 0, 1, &r),
       NDG_E_OVERLAP);
    IS(ndg_gather_run_range(&p, b + 24, 1, b + 23, b, 0, 1, &r), NDG_OK);
    /* stitch: out at 16, 4 rows */
    memset(&in, 0, sizeof in);
    in.indices_shape = in.data_shape = ndg_dims1(4);
    s.elem_size = 1;
    memcpy(b, "\0\1\2\3", 4);
    in.indices = b;
    for (i = 10; i < 24; i++) {
        int over = i > 12 && i < 20;
        in.data = b + i;
        r = report_stale();
        IS(ndg_dynamic_stitch(b + 16, 4, &total, &in, 1, &s, &r),
           over ? NDG_E_OVERLAP : NDG_OK);
        if (over) CHECK(r.operand == NDG_ARG_DATA && r.item == 0);
    }
    in.data = "abcd";
    r = report_stale();
    IS(ndg_dynamic_stitch(b + 3, 4, &total, &in, 1, &s, &r), NDG_E_OVERLAP);
    CHECK(r.operand == NDG_ARG_INDICES && b[3] == 3);
    /* partition */
    t.data = t.partitions = ndg_dims1(4);
    t.elem_size = 1;
    t.num_partitions = 2;
    memcpy(b, "\0\1\0\1", 4);
    outs[0] = b + 32;
    outs[1] = b + 17;
    r = report_stale();
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, b + 16, b, &t, &r),
       NDG_E_OVERLAP);
    CHECK(r.operand == NDG_ARG_DATA && r.item == 1);
    outs[1] = b + 3;
    r = report_stale();
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, b + 16, b, &t, &r),
       NDG_E_OVERLAP);
    CHECK(r.operand == NDG_ARG_PARTITIONS && r.item == 1 && b[3] == 1);
    outs[1] = b + 20;
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, b + 16, b, &t, &r),
       NDG_OK);
}

/* Two channels in one buffer: the spans meet, the elements do not. */
static void disjoint_by_word(void)
{
    unsigned char      b[8];
    uint8_t            idx[4] = { 3, 2, 1, 0 };
    ndg_gather_desc    d = gather_of(ndg_strided1(4, 2), ndg_dims1(4));
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_input   in;
    ndg_partition_desc t = NDG_ZERO_INIT;
    void              *outs[1];
    ptrdiff_t          total, capacity[1] = { 4 }, counts[1];
    d.out = ndg_strided1(4, 2);
    d.index_type = s.index_type = t.index_type = NDG_U8;
    memcpy(b, "a.b.c.d.", 8);
    IS(ndg_gather(b + 1, 7, b, idx, &d, &r), NDG_E_OVERLAP);
    CHECK(!memcmp(b, "a.b.c.d.", 8));
    d.overlap = NDG_OVERLAP_DISJOINT;
    IS(ndg_gather(b + 1, 7, b, idx, &d, &r), NDG_OK);
    CHECK(!memcmp(b, "adbccbda", 8));
    memset(&in, 0, sizeof in);
    in.indices = idx;
    in.indices_shape = ndg_dims1(4);
    in.data = b;
    in.data_shape = ndg_strided1(4, 2);
    s.elem_size = 1;
    s.out_stride = 2;
    memcpy(b, "a.b.c.d.", 8);
    IS(ndg_dynamic_stitch(b + 1, 7, &total, &in, 1, &s, &r), NDG_E_OVERLAP);
    s.overlap = NDG_OVERLAP_DISJOINT;
    IS(ndg_dynamic_stitch(b + 1, 7, &total, &in, 1, &s, &r), NDG_OK);
    CHECK(!memcmp(b, "adbccbda", 8));
    t.data = ndg_strided1(4, 2);
    t.partitions = ndg_dims1(4);
    t.elem_size = t.num_partitions = 1;
    t.out_stride = 2;
    memcpy(b, "a.b.c.d.", 8);
    memset(idx, 0, 4);
    outs[0] = b + 1;
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, b, idx, &t, &r),
       NDG_E_OVERLAP);
    t.overlap = NDG_OVERLAP_DISJOINT;
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, b, idx, &t, &r),
       NDG_OK);
    CHECK(!memcmp(b, "aabbccdd", 8));
}

/* ---- reports -------------------------------------------------------------*/

/* A report such as a call could leave; ties are frequent. */
static ndg_report random_report(random_source *s)
{
    ndg_report x;
    memset(&x, 0, sizeof x);
    if (random_below(s, 3)) {
        x.status = random_below(s, 4);
        if (x.status) {
            x.op = 1 + random_below(s, 2);
            x.operand = random_below(s, 3);
            x.axis = random_below(s, 2);
            x.item = random_below(s, 2);
            x.value = random_below(s, 3) - 1;
            x.bound = random_below(s, 2);
        }
    }
    if (random_below(s, 3)) {
        x.bad.count = random_below(s, 6) ? 1 + random_below(s, 9)
                                         : BIG - random_below(s, 3);
        x.bad.list = random_below(s, 2);
        x.bad.position = random_below(s, 4);
        /* one position has one value, unless the indices change meanwhile */
        x.bad.component = random_below(s, 3);
        x.bad.value = random_below(s, 3) - 1;
        x.bad.is_u64 = random_below(s, 2);
        x.bad.extent = random_below(s, 3);
    }
    if (random_below(s, 3)) {
        x.rows.holes = random_below(s, 3) ? random_below(s, 9) : BIG;
        x.rows.first_hole = x.rows.holes ? random_below(s, 9) : 0;
        x.rows.duplicates = random_below(s, 3) ? random_below(s, 9) : BIG - 1;
    }
    return x;
}

static void merging_is_algebra(void)
{
    random_source s = { 20 };
    int           i;
    for (i = 0; i < 100000; i++) {
        ndg_report a = random_report(&s), b = random_report(&s);
        ndg_report c = random_report(&s), zero, ab, ba, x, y;
        memset(&zero, 0, sizeof zero);
        ab = a;
        ndg_report_merge(&ab, &b);
        ba = b;
        ndg_report_merge(&ba, &a);
        CHECKF(report_same(&ab, &ba, 1), "a+b is not b+a: %s %s",
               report_text(&a), report_text(&b));
        x = ab;
        ndg_report_merge(&x, &c);
        y = b;
        ndg_report_merge(&y, &c);
        ba = a;
        ndg_report_merge(&ba, &y);
        CHECKF(report_same(&x, &ba, 1), "(a+b)+c is not a+(b+c): %s %s %s",
               report_text(&a), report_text(&b), report_text(&c));
        x = a;
        ndg_report_merge(&x, &zero);
        CHECK(report_same(&x, &a, 1));
        ndg_report_merge(&zero, &a);
        CHECK(report_same(&zero, &a, 1));
        ndg_report_merge(&x, 0);
        CHECK(report_same(&x, &a, 1));
        CHECK(ab.status == (a.status > b.status ? a.status : b.status));
    }
}

static void merging_adds_up(void)
{
    ndg_report a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.status = NDG_E_INDEX;
    a.op = NDG_OP_GATHER;
    a.bad.count = BIG - 3;
    a.bad.position = 9;
    a.bad.value = 90;
    a.bad.extent = 5;
    a.rows.holes = 2;
    a.rows.first_hole = 6;
    a.rows.duplicates = 1;
    b.bad.count = 3;
    b.bad.position = 4;
    b.bad.value = 40;
    b.bad.is_u64 = 1;
    b.bad.component = 2;
    b.bad.extent = 6;
    b.rows.holes = 5;
    b.rows.first_hole = 3;
    b.rows.duplicates = 7;
    ndg_report_merge(&a, &b);
    CHECK(a.status == NDG_E_INDEX && a.op == NDG_OP_GATHER);
    CHECK(a.bad.count == BIG && a.bad.position == 4 && a.bad.value == 40);
    CHECK(a.bad.is_u64 == 1 && a.bad.component == 2 && a.bad.extent == 6);
    CHECK(a.rows.holes == 7 && a.rows.first_hole == 3);
    CHECK(a.rows.duplicates == 8);
    ndg_report_merge(&a, &b);
    CHECK(a.bad.count == BIG);                      /* saturated */
    /* a smaller list comes before a smaller position */
    memset(&a, 0, sizeof a);
    a.bad.count = b.bad.count = 1;
    a.bad.list = 0;
    a.bad.position = 100;
    a.bad.value = 1;
    b.bad.list = 1;
    b.bad.position = 0;
    ndg_report_merge(&b, &a);
    CHECK(b.bad.list == 0 && b.bad.position == 100 && b.bad.count == 2);
    /* a hole that is not there does not win */
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    b.rows.holes = 1;
    b.rows.first_hole = 12;
    ndg_report_merge(&a, &b);
    CHECK(a.rows.first_hole == 12 && a.rows.holes == 1);
}

static void unravel(void)
{
    ndg_shape s = ndg_dims3(2, 3, 4), big = ndg_dims4(BIG, 1, 1, 1), zero;
    ptrdiff_t c[4] = { 9, 9, 9, 9 };
    CHECK(ndg_unravel(23, &s, 3, c, 4) == 3);
    CHECK(c[0] == 1 && c[1] == 2 && c[2] == 3 && c[3] == 9);
    CHECK(ndg_unravel(5, &s, 2, c, 4) == 2 && c[0] == 1 && c[1] == 2);
    CHECK(ndg_unravel(1, &s, 1, c, 4) == 1 && c[0] == 1);
    c[0] = 9;
    CHECK(ndg_unravel(0, &s, 0, c, 4) == 0 && c[0] == 9);
    CHECK(ndg_unravel(0, &s, 0, NULL, 4) == 0);
    CHECK(ndg_unravel(1, &s, 1, NULL, 4) == -1);
    CHECK(ndg_unravel(23, &s, 3, c, 1) == 3 && c[0] == 1);
    CHECK(ndg_unravel(23, &s, 3, 0, 0) == 3);
    CHECK(ndg_unravel(23, &s, 4, c, 4) == -1);
    CHECK(ndg_unravel(23, &s, -1, c, 4) == -1);
    CHECK(ndg_unravel(23, 0, 1, c, 4) == -1);
    CHECK(ndg_unravel(BIG - 1, &big, 4, c, 4) == 4 && c[0] == BIG - 1);
    /* no position lies in an empty array; it must not divide by it either */
    zero = ndg_dims2(3, 0);
    ndg_unravel(5, &zero, 2, c, 4);
}

static void every_status_has_a_text(void)
{
    int i, k;
    for (i = 0; i < NDG_STATUS_COUNT; i++) {
        const char *text = ndg_status_text(i);
        CHECK(text && *text);
        for (k = 0; k < i; k++) CHECK(strcmp(text, ndg_status_text(k)) != 0);
    }
    CHECK(ndg_status_text(-1) && ndg_status_text(NDG_STATUS_COUNT));
    CHECK(ndg_status_text(INT_MIN) && ndg_status_text(INT_MAX));
}

/* ---- corners -------------------------------------------------------------*/

/* Scratch, indices and positions at odd addresses. */
static void misaligned(void)
{
    unsigned char      b[256];
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    sp;
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_list           list;
    double             x[3] = { 1, 2, 3 };
    void              *outs[1], *positions[1];
    ptrdiff_t          counts[1], capacity[1] = { 3 };
    int                type, is_u64;
    for (type = 0; type < INDEX_TYPES; type++) {
        ptrdiff_t step = index_bytes(type);
        memset(b, FRESH, sizeof b);
        memset(&list, 0, sizeof list);
        index_put(b + 1, type, 2);
        index_put(b + 1 + step, type, 0);
        index_put(b + 1 + 2 * step, type, 1);
        memcpy(b + 33, x, sizeof x);
        list.indices = b + 1;
        list.data = b + 33;
        list.count = 3;
        memset(&s, 0, sizeof s);
        s.elem_size = 8;
        s.index_type = type;
        IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
        IS(ndg_stitch_run(&sp, b + 67, 24, 3, &list, 1, b + 101, 16, &r),
           NDG_OK);
        CHECK(!memcmp(b + 67, &x[1], 16) && !memcmp(b + 83, &x[0], 8));
        memset(&t, 0, sizeof t);
        t.data = t.partitions = ndg_dims1(3);
        t.elem_size = 8;
        t.num_partitions = 1;
        t.index_type = t.position_type = type;
        memset(b + 1, 0, (size_t)(3 * step));
        outs[0] = b + 131;
        positions[0] = b + 203;
        IS(ndg_dynamic_partition(outs, positions, capacity, counts, b + 33,
                                 b + 1, &t, &r), NDG_OK);
        CHECK(!memcmp(b + 131, x, 24));
        CHECK(index_get(b + 203 + 2 * step, type, &is_u64) == 2);
    }
}

/* A range of no rows needs no room, however large the whole is; and what it
 * needs is apart from what only other ranges read. */
static void ranges_by_themselves(void)
{
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    sp;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan p;
    uint8_t            ids[32] = { 0 };
    const uint8_t      data[32] = { 9, 8, 7 };
    void              *outs[1];
    ptrdiff_t          cursor = 0, limit = 4;
    s.elem_size = 2;
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    IS(ndg_stitch_run_range(&sp, NULL, 0, PTRDIFF_MAX, NULL, 0, PTRDIFF_MAX,
                            PTRDIFF_MAX, NULL, 0, &r), NDG_OK);
    d.data = ndg_dims1(32);
    d.partitions = ndg_dims1(32);
    d.elem_size = 1;
    d.num_partitions = 1;
    d.index_type = NDG_U8;
    outs[0] = ids;                   /* over ids that rows 20 ... do not read */
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    IS(ndg_partition_run_range(&p, outs, NULL, data, ids, 20, 24, &cursor,
                               &limit, &r), NDG_OK);
    cursor = 0;
    IS(ndg_partition_run_range(&p, outs, NULL, data, ids, 2, 6, &cursor,
                               &limit, &r), NDG_E_OVERLAP);
}

/* Leaves two words by turns on the stack, where the variables of the next call
 * will lie. Returns the first. */
static int leave_on_stack(int even, int odd)
{
    volatile int words[3000];
    int          i;
    for (i = 0; i < 3000; i++) words[i] = i % 2 ? odd : even;
    return words[0];
}

/* What lies on the stack changes nothing: no variable is read that was not set
 * before. IS, after two words a and b were left there: */
static int (*volatile leave)(int, int) = leave_on_stack;    /* not inlined */
#define IS_AFTER(call, want) IS((leave(a, b), call), want)

static const int32_t good_ids[3] = { 2, 0, 1 }, bad_ids[4] = { 2, -1, 0, 1 };

static void gathers_after(int a, int b)
{
    ndg_gather_desc d = gather_of(ndg_dims2(2, 3), ndg_dims(0, 0, 0));
    ndg_gather_plan p;
    char            out[6];
    /* a step of one row, and all of them in one */
    d.axis = 1;
    IS_AFTER(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS_AFTER(ndg_gather_run(&p, out, 2, "abcdef", good_ids, &r), NDG_OK);
    CHECK(!memcmp(out, "cf", 2));
    IS_AFTER(ndg_gather_run(&p, out, 2, "abcdef", bad_ids + 1, &r),
             NDG_E_INDEX);
    d.axis = 0;
    d.params = ndg_dims2(3, 2);
    d.indices = ndg_dims1(3);
    d.policy = NDG_ZERO;
    IS_AFTER(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS_AFTER(ndg_gather_run(&p, out, 6, "abcdef", bad_ids, &r), NDG_OK);
    CHECK(!memcmp(out, "ef\0\0ab", 6) && r.bad.count == 1);
    IS_AFTER(ndg_gather_rows(out, 6, "abcdef", 3, 2, 0, good_ids, NDG_I32, 3,
                             NDG_DEFAULT, &r), NDG_OK);
    CHECK(!memcmp(out, "efabcd", 6));
    IS_AFTER(ndg_gather_rows(out, 6, "abcdef", 3, 2, 0, bad_ids, NDG_I32, 3,
                             NDG_DEFAULT, &r), NDG_E_INDEX);
    CHECK(r.bad.position == 1 && r.bad.value == -1);
}

static void stitches_after(int a, int b)
{
    ndg_stitch_desc s = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    ndg_list        list;
    char            out[6];
    ptrdiff_t       total;
    memset(&list, 0, sizeof list);
    list.indices = good_ids;
    list.data = "abcdef";
    list.count = 3;
    s.elem_size = 2;
    IS_AFTER(ndg_plan_stitch(&p, &s, &r), NDG_OK);
    IS_AFTER(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_OK);
    IS_AFTER(ndg_stitch_run(&p, out, 6, total, &list, 1, 0, 0, &r), NDG_OK);
    CHECK(total == 3 && !memcmp(out, "cdefab", 6));
    list.indices = bad_ids;
    IS_AFTER(ndg_stitch_run(&p, out, 6, 3, &list, 1, 0, 0, &r), NDG_E_INDEX);
    CHECK(r.bad.position == 1 && r.bad.value == -1);
    IS_AFTER(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_E_INDEX);
}

static void partitions_after(int a, int b)
{
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_partition_plan p;
    char               parts[2][6];
    void              *outs[2];
    ptrdiff_t          counts[2], cursors[2];
    t.data = ndg_dims2(3, 2);
    t.partitions = ndg_dims1(3);
    t.elem_size = 1;
    t.num_partitions = 2;
    outs[0] = parts[0];
    outs[1] = parts[1];
    IS_AFTER(ndg_plan_partition(&p, &t, &r), NDG_OK);
    IS_AFTER(ndg_partition_count(&p, good_ids + 1, 0, 2, counts, &r), NDG_OK);
    CHECK(counts[0] == 1 && counts[1] == 1);
    IS_AFTER(ndg_partition_count(&p, bad_ids, 0, 3, counts, &r), NDG_E_INDEX);
    CHECK(r.bad.position == 0 && r.bad.value == 2 && r.bad.count == 2);
    counts[0] = counts[1] = 3;
    IS_AFTER(ndg_partition_run(&p, outs, 0, "abcdef", bad_ids + 1, 3, counts,
                               cursors, &r), NDG_E_INDEX);
    CHECK(r.bad.position == 0 && r.bad.value == -1);
}

static void whatever_lies_on_the_stack(void)
{
    static const int words[7][2] = { { 0, 0 }, { 1, 1 }, { 1, 0 }, { 2, 2 },
                                     { 64, 0 }, { -1, -1 }, { INT_MAX, 0 } };
    int i;
    for (i = 0; i < 7; i++) {
        gathers_after(words[i][0], words[i][1]);
        stitches_after(words[i][0], words[i][1]);
        partitions_after(words[i][0], words[i][1]);
    }
}

int main(void)
{
    index_buffer_changed_between_check_and_use();
    zero_beside_huge();
    ranks_that_are_none();
    levels_16_and_17();
    huge_strides();
    out_strides_that_cannot_be();
    strides_of_axes_of_1();
    out_short_by_one();
    out_over_an_input();
    disjoint_by_word();
    merging_is_algebra();
    merging_adds_up();
    unravel();
    misaligned();
    ranges_by_themselves();
    whatever_lies_on_the_stack();
    every_status_has_a_text();
    return test_end("test_hostile_common");
}
