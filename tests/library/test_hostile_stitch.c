/* test_hostile_stitch.c - input made to break a stitch: see hostile.h. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "hostile.h"

/* ---- the advisories ------------------------------------------------------*/

/* DynamicStitch, negative indices: written through before they were checked. */
static void cve_2023_25659(void)
{
    const int32_t    idx[2] = { 0, (int32_t)-559038737 };    /* 0xdeadbeef */
    const char       data[2] = { 'a', 'b' };
    unsigned char    out[64];
    ndg_stitch_input in;
    ndg_stitch_desc  d = NDG_ZERO_INIT;
    ndg_stitch_plan  p;
    ndg_list         list = NDG_ZERO_INIT;
    ptrdiff_t        total = 7;
    memset(&in, 0, sizeof in);
    memset(out, FRESH, sizeof out);
    in.indices = idx;
    in.data = data;
    in.indices_shape = in.data_shape = ndg_dims1(2);
    d.elem_size = 1;
    IS(ndg_dynamic_stitch(out, sizeof out, &total, &in, 1, &d, &r),
       NDG_E_INDEX);
    CHECK(total == 0 && r.bad.position == 1 && r.bad.value == idx[1]);
    CHECK(r.operand == NDG_ARG_INDICES);
    CHECK(all_fresh(out, sizeof out));
    list.indices = idx;
    list.data = data;
    list.count = 2;
    total = 7;
    IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
    IS(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_E_INDEX);
    CHECK(total == 0 && r.bad.position == 1 && r.bad.value == idx[1]);
    CHECK(r.operand == NDG_ARG_INDICES);
    d.policy = NDG_DROP;
    IS(ndg_dynamic_stitch(out, sizeof out, &total, &in, 1, &d, &r), NDG_OK);
    CHECK(total == 1 && out[0] == 'a' && all_fresh(out + 1, 63));
}

/* ---- the same class, without a number ------------------------------------*/

/* The largest index an output can have, and the next. */
static void max_plus_one_wrapping(void)
{
    static const struct { int type; int64_t v; int64_t total; } try[] = {
        { NDG_I8, INT8_MAX, 128 }, { NDG_U8, 255, 256 },
        { NDG_I16, INT16_MAX, 32768 }, { NDG_U16, 65535, 65536 },
        { NDG_I32, INT32_MAX, INT64_C(2147483648) },
        { NDG_U32, UINT32_MAX, INT64_C(4294967296) },
        { NDG_I64, INT64_MAX, -1 }, { NDG_I64, INT64_MAX - 1, INT64_MAX },
        { NDG_U64, INT64_MAX, -1 }, { NDG_U64, INT64_MAX - 1, INT64_MAX }
    };
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    ndg_list        list;
    unsigned char   bytes[8];
    ptrdiff_t       total;
    size_t          i;
    memset(&list, 0, sizeof list);
    list.indices = bytes;
    list.data = "a";
    list.count = 1;
    d.elem_size = 1;
    for (i = 0; i < sizeof try / sizeof try[0]; i++) {
        int ok = try[i].total > 0 && try[i].total <= (int64_t)BIG;
        d.index_type = try[i].type;
        index_put(bytes, try[i].type, try[i].v);
        total = -3;
        IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
        IS(ndg_stitch_total(&p, &list, 1, &total, &r),
           ok ? NDG_OK : NDG_E_OVERFLOW);
        CHECKF(total == (ok ? (ptrdiff_t)try[i].total : 0), "%lld: total %ld",
               (long long)try[i].v, (long)total);
    }
    /* the rows can be, their bytes cannot */
    d.elem_size = 16;
    d.index_type = NDG_I64;
    index_put(bytes, NDG_I64, BIG / 16 - 1);
    IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
    IS(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_OK);
    CHECK(total == BIG / 16);
    index_put(bytes, NDG_I64, BIG / 16);
    IS(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_E_OVERFLOW);
    CHECK(total == 0 && !r.bad.count);
}

/* ---- capacity, ranges ----------------------------------------------------*/

static void scratch_missing_or_short(void)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    ndg_list        list;
    uint8_t         idx[3] = { 0, 20, 3 };
    unsigned char   out[21], scratch[32];
    ptrdiff_t       need;
    memset(&list, 0, sizeof list);
    memset(out, FRESH, sizeof out);
    list.indices = idx;
    list.data = "abc";
    list.count = 3;
    d.elem_size = 1;
    d.index_type = NDG_U8;
    d.gaps = NDG_GAPS_ERROR;
    IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
    need = ndg_stitch_scratch_bytes(&p, 21);
    CHECK(need >= 3 && need <= 31);
    REFUSES(ndg_stitch_run(&p, out, 21, 21, &list, 1, 0, 0, &r),
            NDG_E_SCRATCH, NDG_ARG_SCRATCH);
    SAYS(0, need);
    REFUSES(ndg_stitch_run(&p, out, 21, 21, &list, 1, scratch, need - 1, &r),
            NDG_E_SCRATCH, NDG_ARG_SCRATCH);
    SAYS(need - 1, need);
    r = report_stale();
    IS(ndg_stitch_run(&p, out, 21, 21, &list, 1, scratch + 1, need, &r),
       NDG_E_GAP);
    SAYS(1, 21);
    CHECK(r.rows.holes == 18 && r.rows.first_hole == 1);
    CHECK(all_fresh(out, sizeof out));
    /* a range needs the bits of its own rows */
    need = ndg_stitch_scratch_bytes(&p, 1);
    IS(ndg_stitch_run_range(&p, out, 21, 21, &list, 1, 20, 21, scratch + 1,
                            need, &r), NDG_OK);
    CHECK(out[20] == 'b' && all_fresh(out, 20));
    IS(ndg_stitch_run_range(&p, out, 21, 21, &list, 1, 19, 20, scratch + 1,
                            need, &r), NDG_E_GAP);
    SAYS(19, 21);
}

/* ---- corners -------------------------------------------------------------*/

/* "Packed" has no meaning for a slice with gaps: its list gives a stride. */
static void packed_lists_of_slices_with_gaps(void)
{
    const int32_t   data[2][4] = { { 1, 0, 2, 0 }, { 3, 0, 4, 0 } };
    const int32_t   rows[2] = { 0, 1 };
    int32_t         out[2][2] = { { 0 } };
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    ndg_list        list = NDG_ZERO_INIT;
    d.slice = ndg_strided1(2, 8);
    d.elem_size = 4;
    list.indices = rows;
    list.data = data;
    list.count = 2;
    IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
    IS(ndg_stitch_run(&p, out, sizeof out, 2, &list, 1, NULL, 0, &r),
       NDG_E_STRIDE);
    SAYS(0, 12);                /* from the first byte of a row to its last */
    list.data_stride = sizeof data[0];
    IS(ndg_stitch_run(&p, out, sizeof out, 2, &list, 1, NULL, 0, &r), NDG_OK);
    CHECK(out[0][0] == 1 && out[0][1] == 2 && out[1][0] == 3);
    CHECK(out[1][1] == 4);
    /* a slice that runs backward has none */
    d.slice = ndg_strided1(2, -4);
    list.data = &data[0][1];
    list.data_stride = 0;
    IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
    IS(ndg_stitch_run(&p, out, sizeof out, 2, &list, 1, NULL, 0, &r), NDG_OK);
    CHECK(out[0][0] == 0 && out[0][1] == 1 && out[1][0] == 0);
    CHECK(out[1][1] == 2);
}

/* Of more rows than can be addressed a range is a range all the same: rows that
 * are not its own, whose places wrap around, are left to others. */
static void rows_beyond_all_addresses(void)
{
    enum { ROWS = 10, BYTES = 64, COUNT = 24 };
    static unsigned char  out[ROWS * BYTES], data[COUNT * BYTES];
    const ptrdiff_t       wraps = (ptrdiff_t)(SIZE_MAX / BYTES) + 1;
    int64_t               wide[COUNT];
    int32_t               narrow[COUNT];
    ndg_stitch_desc       d = NDG_ZERO_INIT;
    ndg_stitch_plan       p;
    ndg_report            r;
    ndg_list              list = { 0, 0, COUNT, 0, 0 };
    int                   i, k;
    memset(data, 7, sizeof data);
    d.elem_size = BYTES;
    d.policy = NDG_DROP;
    for (k = 0; k < 2; k++) {
        if (k == 1 && wraps > INT32_MAX) break;
        for (i = 0; i < COUNT; i++) wide[i] = (int64_t)wraps + i % ROWS;
        wide[5] = 3;
        wide[9] = -1;                   /* those before it are judged, too */
        wide[COUNT - 1] = 8;
        for (i = 0; i < COUNT; i++) narrow[i] = (int32_t)wide[i];
        d.index_type = k ? NDG_I32 : NDG_I64;
        list.indices = k ? (const void *)narrow : (const void *)wide;
        list.data = data;
        IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
        IS(ndg_stitch_run_range(&p, out, sizeof out, wraps + ROWS, &list, 1, 0,
                                ROWS, 0, 0, &r), NDG_OK);
        CHECK(r.bad.count == 1 && r.bad.position == 9 && r.bad.value == -1);
        for (i = 0; i < ROWS; i++)
            CHECK(out[i * BYTES] == (i == 3 || i == 8 ? 7 : 0));
    }
}

/* A slice that reaches far backward, in rows that go forward: each is small, or
 * fits, by itself, but all of them together do not. */
static void rows_that_reach_both_ways(void)
{
    static const uint8_t ids[1000];
    ndg_stitch_desc      d = NDG_ZERO_INIT;
    ndg_stitch_plan      p;
    ndg_list             list = NDG_ZERO_INIT;
    ptrdiff_t            total;
    d.slice = ndg_strided1(2, -(BIG - 1000));
    d.elem_size = 1;
    d.index_type = NDG_U8;
    IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
    list.indices = ids;
    list.data = ids;
    list.count = 100;
    list.data_stride = 1000;
    REFUSES(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_E_OVERFLOW,
            NDG_ARG_DATA);
    CHECK(total == 0);
    /* 999 bytes are left, for as many steps of one */
    list.count = 1000;
    list.data_stride = 1;
    IS(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_OK);
    CHECK(total == 1);
    list.data_stride = 2;
    REFUSES(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_E_OVERFLOW,
            NDG_ARG_DATA);
    list.count = 1;
    IS(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_OK);
}

/* Indices that lie 4 bytes apart, as packed ones of 4 bytes would, are read by
 * their own width: of narrow ones no byte behind the last, which ends its
 * memory; of wide ones all 8. */
static void narrow_and_wide_indices_every_4_bytes(void)
{
    const int32_t   wide[4] = { 2, 1, 0, 0 };
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    ndg_list        list = NDG_ZERO_INIT;
    unsigned char   out[8];
    ptrdiff_t       i, width;
    d.elem_size = 1;
    d.policy = NDG_DROP;
    list.index_stride = 4;
    for (width = 1; width <= 2; width++) {
        unsigned char *ids = (unsigned char *)calloc((size_t)(28 + width), 1);
        d.index_type = width == 1 ? NDG_U8 : NDG_U16;
        for (i = 0; i < 8; i++) index_put(ids + 4 * i, d.index_type, 7 - i);
        list.indices = ids;
        list.data = "abcdefgh";
        list.count = 8;
        IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
        IS(ndg_stitch_run(&p, out, 8, 8, &list, 1, 0, 0, &r), NDG_OK);
        CHECK(!r.bad.count && !memcmp(out, "hgfedcba", 8));
        free(ids);
    }
    if (*(const char *)wide != 2) return;   /* where the big end comes first */
    list.indices = wide;                    /* 2 + 2^32, 1 and 0 */
    list.data = "abc";
    list.count = 3;
    d.index_type = NDG_I64;
    IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
    IS(ndg_stitch_run(&p, out, 4, 4, &list, 1, 0, 0, &r), NDG_OK);
    CHECK(r.bad.count == 1 && r.bad.position == 0);
    CHECK(r.bad.value == 2 + (INT64_C(1) << 32));
    CHECK(!memcmp(out, "cb\0\0", 4));
}

/* The strides of a list of one row say where a second would lie: anywhere. */
static void one_row_of_any_stride(void)
{
    const ptrdiff_t strides[] = { PTRDIFF_MIN, PTRDIFF_MIN / 2, -1, 1,
                                  PTRDIFF_MAX / 2, PTRDIFF_MAX };
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    int             i, k;
    d.elem_size = 1;
    IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
    for (i = 0; i < 6; i++)
        for (k = 0; k < 3; k++) {
            const int32_t index = 0;
            unsigned char out = FRESH, scratch;
            ptrdiff_t     total;
            ndg_list      list;
            list.indices = &index;
            list.data = "x";
            list.count = 1;
            list.index_stride = k == 1 ? 4 : strides[i];
            list.data_stride = k == 2 ? 1 : strides[i];
            IS(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_OK);
            CHECK(total == 1);
            IS(ndg_stitch_run(&p, &out, 1, 1, &list, 1, k ? 0 : &scratch,
                              k ? 0 : 1, &r), NDG_OK);
            CHECK(out == 'x');
            out = FRESH;                    /* row 0 of two */
            IS(ndg_stitch_run_range(&p, &out, 1, 2, &list, 1, 0, 1, 0, 0, &r),
               NDG_OK);
            CHECK(out == 'x');
        }
}

/* A bad one neither, whether it is dropped or an error. */
static void one_bad_row_of_any_stride(void)
{
    static const ptrdiff_t strides[] = { PTRDIFF_MIN, -1, PTRDIFF_MAX };
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    int             i, k;
    for (k = 0; k < 2; k++) {
        d.elem_size = 1;
        d.policy = k ? NDG_DROP : NDG_ERROR;
        d.gaps = NDG_GAPS_KEEP;
        IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
        for (i = 0; i < 3; i++) {
            const int32_t index = 2;
            unsigned char out[2] = { FRESH, FRESH };
            ndg_list      list;
            list.indices = &index;
            list.data = "x";
            list.count = 1;
            list.index_stride = list.data_stride = strides[i];
            IS(ndg_stitch_run(&p, out, 2, 2, &list, 1, 0, 0, &r),
               k ? NDG_OK : NDG_E_INDEX);
            CHECK(r.bad.count == 1 && all_fresh(out, 2));
            IS(ndg_stitch_run_range(&p, out, 1, 2, &list, 1, 0, 1, 0, 0, &r),
               k ? NDG_OK : NDG_E_INDEX);
            CHECK(r.bad.count == 1 && all_fresh(out, 2));
        }
    }
}

/* Tensors whose rows, indices or both repeat: one is there, and read for all.
 * That a list has none says NDG_E_STRIDE. */
static void rows_and_indices_that_repeat(void)
{
    enum { MOST = 3000, BYTES = 24 };
    static const ptrdiff_t counts[] = { 2, 3, 17, 300, MOST };
    static unsigned char   out[MOST * BYTES];
    int                    i, how, size;
    for (i = 0; i < 5 * BYTES; i++) {
        const ptrdiff_t n = counts[i % 5];
        size = 1 + i / 5;
        for (how = 1; how < 4; how++) {     /* 1: rows repeat, 2: indices */
            const ptrdiff_t  rows = how & 1 ? 1 : n, ids = how & 2 ? 1 : n;
            unsigned char   *data = (unsigned char *)malloc(
                    (size_t)(rows * size));
            int32_t         *id = (int32_t *)malloc((size_t)ids * 4);
            ndg_stitch_input in;
            ndg_stitch_desc  d = NDG_ZERO_INIT;
            ndg_list         list;
            ptrdiff_t        total, j, wrong = 0;
            for (j = 0; j < rows * size; j++)
                data[j] = (unsigned char)(j / size + j % size * 7);
            for (j = 0; j < ids; j++) id[j] = (int32_t)(ids - 1 - j);
            in.indices = id;
            in.data = data;
            in.indices_shape = ndg_strided1(n, how & 2 ? 0 : 4);
            in.data_shape = ndg_strided2(n, how & 1 ? 0 : size, size, 1);
            d.elem_size = 1;
            IS(ndg_dynamic_stitch(out, sizeof out, &total, &in, 1, &d, &r),
               NDG_OK);
            CHECK(total == ids);
            for (j = 0; j < ids * size; j++) {
                const ptrdiff_t row = rows == 1 ? 0 : n - 1 - j / size;
                wrong += out[j] != (unsigned char)(row + j % size * 7);
            }
            CHECK(wrong == 0);
            d.slice = ndg_dims1(size);
            REFUSES(ndg_list_from(&list, &in, &d, &r), NDG_E_STRIDE,
                    how & 2 ? NDG_ARG_INDICES : NDG_ARG_DATA);
            free(data);
            free(id);
        }
    }
}

/* Bad rows are reported in the name of what was called, error or not. */
static void bad_rows_of_the_other_name(void)
{
    const int32_t    ids[2] = { 0, -5 };
    unsigned char    out[2];
    ndg_stitch_input in;
    ndg_stitch_desc  d = NDG_ZERO_INIT;
    ptrdiff_t        total;
    in.indices = ids;
    in.data = "ab";
    in.indices_shape = in.data_shape = ndg_dims1(2);
    d.elem_size = 1;
    d.policy = NDG_DROP;
    IS(ndg_parallel_dynamic_stitch(out, 2, &total, &in, 1, &d, &r), NDG_OK);
    CHECK(r.bad.count == 1 && r.op == NDG_OP_PARALLEL_DYNAMIC_STITCH);
    in.indices_shape = in.data_shape = ndg_dims1(1);
    IS(ndg_parallel_dynamic_stitch(out, 2, &total, &in, 1, &d, &r), NDG_OK);
    CHECK(r.bad.count == 0 && r.op == NDG_OP_NONE);
    IS(ndg_parallel_dynamic_stitch(out, 2, &total, &in, 1, &d, NULL), NDG_OK);
}

int main(void)
{
    cve_2023_25659();
    max_plus_one_wrapping();
    scratch_missing_or_short();
    packed_lists_of_slices_with_gaps();
    rows_beyond_all_addresses();
    rows_that_reach_both_ways();
    narrow_and_wide_indices_every_4_bytes();
    one_row_of_any_stride();
    one_bad_row_of_any_stride();
    rows_and_indices_that_repeat();
    bad_rows_of_the_other_name();
    return test_end("test_hostile_stitch");
}
