/* test_hostile.c - input made to break: the advisories of this family by
 * number, shapes that overflow, options that do not exist, missing and
 * overlapping memory, and indices that change while they are used. */
#define NDGATHER_IMPLEMENTATION
#include "../../ndgather.h"

#include "../lib/test.h"
#include "../lib/oracle.h"

#include <limits.h>

#define BIG PTRDIFF_MAX

static int reached[NDG_STATUS_COUNT];

static int note(int status)
{
    if (status >= 0 && status < NDG_STATUS_COUNT) reached[status]++;
    return status;
}

/* The call gives this status. */
#define IS(call, want)                                                        \
    do {                                                                      \
        int got_ = note(call);                                                \
        CHECKF(got_ == (want), "%s gives %d, not %s", #call, got_, #want);    \
    } while (0)

/* It refuses, about this operand, and its report says so. */
#define REFUSES(call, want, who)                                              \
    do {                                                                      \
        int got_;                                                             \
        r = report_stale();                                                   \
        got_ = note(call);                                                    \
        CHECKF(got_ == (want) && r.status == got_ && r.operand == (who)       \
               && r.op != 0 && !r.bad.count,                                  \
               "%s gives %d, not %s on %s: %s", #call, got_, #want, #who,     \
               report_text(&r));                                              \
    } while (0)

#define SAYS(v, b)                                                            \
    CHECKF(r.value == (int64_t)(v) && r.bound == (int64_t)(b),                \
           "value %s, bound %s: %s", #v, #b, report_text(&r))

static ndg_report r;        /* of the call that is being looked at */

/* A desc of one-byte elements. */
static ndg_gather_desc gather_of(ndg_shape params, ndg_shape indices)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    d.params = params;
    d.indices = indices;
    d.elem_size = 1;
    return d;
}

static int all_fresh(const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t               i;
    for (i = 0; i < n; i++) if (p[i] != FRESH) return 0;
    return 1;
}

/* ---- the advisories ------------------------------------------------------*/

/* DynamicStitch, negative indices: written through before they were checked. */
static void cve_2023_25659(void)
{
    const int32_t    idx[2] = { 0, (int32_t)-559038737 };    /* 0xdeadbeef */
    const char       data[2] = { 'a', 'b' };
    unsigned char    out[64];
    ndg_stitch_input in;
    ndg_stitch_desc  d = NDG_ZERO_INIT;
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
    CHECK(all_fresh(out, sizeof out));
    d.policy = NDG_DROP;
    IS(ndg_dynamic_stitch(out, sizeof out, &total, &in, 1, &d, &r), NDG_OK);
    CHECK(total == 1 && out[0] == 'a' && all_fresh(out + 1, 63));
}

/* DynamicStitch, fewer index arrays than data arrays. */
static void cve_2022_41883(void)
{
    ndg_stitch_input in;
    ndg_stitch_desc  d = NDG_ZERO_INIT;
    ptrdiff_t        total;
    memset(&in, 0, sizeof in);
    d.elem_size = 1;
    printf("skip: CVE-2022-41883: the lists are pairs, they cannot differ\n");
    REFUSES(ndg_dynamic_stitch(0, 0, &total, &in, 0, &d, &r), NDG_E_COUNT,
            NDG_ARG_INPUTS);
    REFUSES(ndg_dynamic_stitch(0, 0, &total, &in, -1, &d, &r), NDG_E_COUNT,
            NDG_ARG_INPUTS);
}

/* TFLite GatherNd: only the flat offset was compared. */
static void cve_2022_35937_and_35938(void)
{
    ndg_gather_desc d = gather_of(ndg_dims2(2, 2), ndg_dims2(1, 2));
    static const int32_t bad[4][2] = { {0, 2}, {0, 3}, {1, -1}, {2, -1} };
    unsigned char   out = FRESH;
    int             i;
    for (i = 0; i < 4; i++) {
        IS(ndg_gather_nd(&out, 1, "abcd", bad[i], &d, &r), NDG_E_INDEX);
        CHECK(r.bad.component == (i < 3) && r.bad.extent == 2);
    }
    CHECK(out == FRESH);
}

/* TFLite Gather and GatherNd: negative indices were not checked. */
static void cve_2021_37687(void)
{
    ndg_gather_desc d = gather_of(ndg_dims1(4), ndg_dims1(1));
    const int32_t   idx[1] = { -1 };
    unsigned char   out = FRESH;
    IS(ndg_gather(&out, 1, "abcd", idx, &d, &r), NDG_E_INDEX);
    d.indices = ndg_dims2(1, 1);
    IS(ndg_gather_nd(&out, 1, "abcd", idx, &d, &r), NDG_E_INDEX);
    CHECK(out == FRESH && r.bad.value == -1 && r.bad.component == 0);
}

/* TFLite GatherNd: a division by an extent of 0. */
static void cve_2021_29589(void)
{
    static const ptrdiff_t shape[4][3] = {
        { 0, 2, 3 }, { 2, 0, 3 }, { 2, 3, 0 }, { 0, 0, 0 }
    };
    const int32_t zero[4] = { 0, 0, 0, 0 };
    int           i, depth;
    for (i = 0; i < 4; i++)
        for (depth = 0; depth <= 3; depth++) {
            ndg_gather_desc d = gather_of(ndg_dims(3, shape[i], 0),
                                          ndg_dims2(1, depth));
            int             want = NDG_OK, k;
            unsigned char   out[8];
            for (k = 0; k < depth; k++)
                if (!shape[i][k]) want = NDG_E_INDEX;
            IS(ndg_gather_nd(out, sizeof out, 0, zero, &d, &r), want);
            d.indices = ndg_dims2(0, depth);
            IS(ndg_gather_nd(out, sizeof out, 0, 0, &d, &r), NDG_OK);
        }
}

/* ResourceGather: batch_dims at or above the rank of params. */
static void cve_2021_37654(void)
{
    ndg_gather_desc d = gather_of(ndg_dims2(2, 2), ndg_dims2(2, 2));
    ndg_gather_plan p;
    int             b;
    for (b = 2; b < 5; b++) {
        d.batch_dims = b;
        r = report_stale();
        IS(ndg_plan_gather(&p, &d, &r), NDG_E_BATCH_DIMS);
        CHECK(r.value == b);
        IS(ndg_plan_gather_nd(&p, &d, &r), NDG_E_BATCH_DIMS);
    }
    d.params = ndg_dims1(2);
    d.indices = ndg_dims1(2);
    d.batch_dims = 1;
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_BATCH_DIMS, NDG_ARG_PARAMS);
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_BATCH_DIMS, NDG_ARG_INDICES);
    d.indices = ndg_dims3(2, 2, 1);
    d.batch_dims = 2;
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_BATCH_DIMS, NDG_ARG_PARAMS);
    d.params = ndg_dims3(2, 2, 2);
    d.axis = 1;
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_BATCH_DIMS, NDG_ARG_AXIS);
    d.axis = 0;
    d.batch_dims = -1;
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_BATCH_DIMS,
            NDG_ARG_BATCH_DIMS);
    /* the right number of batch axes, but not the same ones */
    d.indices = ndg_dims3(2, 3, 1);
    d.batch_dims = 2;
    r = report_stale();
    IS(ndg_plan_gather_nd(&p, &d, &r), NDG_E_BATCH_SHAPE);
    CHECK(r.axis == 1);
    SAYS(3, 2);
    d.batch_dims = 0;
    IS(ndg_plan_batch_gather(&p, &d, &r), NDG_E_BATCH_SHAPE);
}

/* ResourceGather: a division by a batch size of 0. */
static void cve_2021_37653(void)
{
    ndg_gather_desc d = gather_of(ndg_dims2(0, 3), ndg_dims2(0, 2));
    ndg_gather_plan p;
    unsigned char   out = FRESH;
    d.batch_dims = 1;
    IS(ndg_gather(&out, 1, 0, 0, &d, &r), NDG_OK);
    CHECK(report_clean(&r));
    IS(ndg_gather_nd(&out, 1, 0, 0, &d, &r), NDG_E_DEPTH);
    d.indices = ndg_dims2(0, 1);
    IS(ndg_gather_nd(&out, 1, 0, 0, &d, &r), NDG_OK);
    d.batch_dims = 0;
    IS(ndg_batch_gather(&out, 1, 0, 0, &d, &r), NDG_OK);
    d.params = ndg_dims4(3, 0, 4, 5);
    d.indices = ndg_dims3(3, 0, 2);
    d.batch_dims = 2;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.rows == 0 && p.out_bytes == 0);
    IS(ndg_gather_run(&p, 0, 0, 0, 0, &r), NDG_OK);
    IS(ndg_gather_check(&p, 0, 0, 0, &r), NDG_OK);
}

/* RaggedGather: an extent was read before the rank was known. */
static void cve_2021_37641(void)
{
    ndg_gather_desc d = gather_of(ndg_dims1(2), ndg_dims(0, 0, 0));
    ndg_gather_plan p;
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_RANK, NDG_ARG_INDICES);
    SAYS(0, 1);
    REFUSES(ndg_plan_batch_gather(&p, &d, &r), NDG_E_RANK, NDG_ARG_INDICES);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    d.params = ndg_dims(0, 0, 0);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_RANK, NDG_ARG_PARAMS);
    SAYS(0, 1);
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_RANK, NDG_ARG_PARAMS);
}

/* ---- the same class, without a number ------------------------------------*/

/* Counts, positions and offsets near and above 2^31 and 2^32. */
static void sizes_truncated_to_32_bits(void)
{
#if PTRDIFF_MAX > 2147483647
    const ptrdiff_t two32 = (ptrdiff_t)1 << 32;
    ndg_gather_desc d = gather_of(ndg_dims2(3, 0), ndg_strided1(4 * two32, 0));
    ndg_gather_plan p;
    int64_t         idx = 5;
    ptrdiff_t       stride[2] = { 0, 1 };
    char            out = 'x';
    unsigned char  *table;
    /* one bad index, named by every one of 2^34 rows of no bytes */
    d.index_type = NDG_I64;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.rows == 4 * two32 && p.out_bytes == 0);
    IS(ndg_gather_check(&p, &idx, 3 * two32 + 1, 3 * two32 + 9, &r),
       NDG_E_INDEX);
    CHECK(r.bad.count == 8 && r.bad.position == 3 * two32 + 1);
    IS(ndg_gather_run_range(&p, 0, 0, 0, &idx, two32, two32 + 2, &r),
       NDG_E_INDEX);
    CHECK(r.bad.position == two32);
    IS(ndg_gather_run_range(&p, 0, 0, 0, &idx, two32, two32, &r), NDG_OK);
    /* an extent above 2^32 of one and the same byte */
    d = gather_of(ndg_dims(1, &two32, stride), ndg_dims1(1));
    d.index_type = NDG_I64;
    idx = two32 - 1;
    IS(ndg_gather(&out, 1, "a", &idx, &d, &r), NDG_OK);
    CHECK(out == 'a');
    idx = two32;
    IS(ndg_gather(&out, 1, "a", &idx, &d, &r), NDG_E_INDEX);
    CHECK(r.bad.extent == two32 && r.bad.value == two32);
    /* offsets of 2^31 and 2^32 bytes, by an index that is small */
    table = (unsigned char *)calloc(1, ((size_t)1 << 32) + 65536);
    if (table) {
        static const uint32_t pick[2] = { 32768, 65536 };
        unsigned char         got[2];
        table[(size_t)1 << 31] = 'p';
        table[(size_t)1 << 32] = 'q';
        IS(ndg_gather_rows(got, 2, table, 65537, 1, 65536, pick, NDG_U32, 2,
                           NDG_ERROR, &r), NDG_OK);
        CHECK(got[0] == 'p' && got[1] == 'q');
        IS(ndg_gather_rows(got, 2, table, 65537, 1, 65536, pick, NDG_U32, 2,
                           NDG_CLIP, &r), NDG_OK);
        CHECK(got[0] == 'p' && got[1] == 'q');
        free(table);
    } else {
        printf("skip: offsets above 2^32: no memory of 4 GiB\n");
    }
#else
    printf("skip: sizes above 2^32: ptrdiff_t has 32 bits\n");
#endif
}

static void axis_negated_at_its_minimum(void)
{
    static const int extreme[4] = { INT_MIN, INT_MIN + 1, INT_MAX, -3 };
    ndg_gather_desc  d = gather_of(ndg_dims2(2, 2), ndg_dims1(1));
    ndg_gather_plan  p;
    ptrdiff_t        dims[4];
    int              i;
    for (i = 0; i < 4; i++) {
        d.axis = extreme[i];
        d.batch_dims = 0;
        r = report_stale();
        IS(ndg_plan_gather(&p, &d, &r), NDG_E_AXIS);
        CHECK(r.value == extreme[i] && r.bound == 2);
        CHECK(ndg_gather_out_dims(&d, dims, 4) == -1);
        d.axis = 0;
        d.batch_dims = extreme[i];
        IS(ndg_plan_gather(&p, &d, &r), NDG_E_BATCH_DIMS);
        CHECK(r.value == extreme[i]);
        IS(ndg_plan_gather_nd(&p, &d, &r), NDG_E_BATCH_DIMS);
        CHECK(ndg_gather_nd_out_dims(&d, dims, 4) == -1);
    }
}

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

/* More rows than an index type can count. */
static void int16_row_counters(void)
{
    enum { N = 70001 };
    uint8_t        *idx = (uint8_t *)malloc(N);
    unsigned char  *out = (unsigned char *)malloc(N);
    ndg_gather_desc d = gather_of(ndg_dims1(200), ndg_dims1(N));
    unsigned char   table[200];
    int             i, wrong = 0;
    for (i = 0; i < 200; i++) table[i] = (unsigned char)(i * 7);
    for (i = 0; i < N; i++) idx[i] = (uint8_t)(i % 200);
    d.index_type = NDG_U8;
    IS(ndg_gather(out, N, table, idx, &d, &r), NDG_OK);
    for (i = 0; i < N; i++) wrong += out[i] != table[i % 200];
    CHECK(wrong == 0);
    idx[N - 1] = 200;
    IS(ndg_gather(out, N, table, idx, &d, &r), NDG_E_INDEX);
    CHECK(r.bad.position == N - 1 && r.bad.count == 1);
    d.policy = NDG_ZERO;
    IS(ndg_gather(out, N, table, idx, &d, &r), NDG_OK);
    CHECK(out[N - 1] == 0 && out[N - 2] == table[(N - 2) % 200]);
    free(idx);
    free(out);
}

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

static void sizes_that_overflow(void)
{
    ndg_gather_desc d = gather_of(ndg_dims1(BIG), ndg_dims1(1));
    ndg_gather_plan p;
    ptrdiff_t       dims[4];
    /* params: PTRDIFF_MAX bytes and one element more */
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.extent[0] == BIG && p.out_bytes == 1);
    d.elem_size = 2;
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
    d.params = ndg_dims1(BIG / 2);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    d.params = ndg_dims1(BIG / 2 + 1);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
    d.elem_size = 1;
    d.params = ndg_dims3(BIG, 2, 1);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
    d.params = ndg_dims4(BIG, BIG, BIG, BIG);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
    d.params = ndg_dims1(1);
    d.elem_size = BIG;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.out_bytes == BIG);
    d.params = ndg_dims1(2);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
    /* a product that comes back to a small number */
    d = gather_of(ndg_dims2(BIG / 2 + 1, 4), ndg_dims1(1));
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
    /* indices */
    d = gather_of(ndg_dims1(1), ndg_dims1(BIG / 4));
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.rows == BIG / 4 && p.out_bytes == BIG / 4);
    d.indices = ndg_dims1(BIG / 4 + 1);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_INDICES);
    d.index_type = NDG_U8;
    d.indices = ndg_dims1(BIG);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    d.indices = ndg_dims2(BIG / 3, 3);
    IS(ndg_plan_gather_nd(&p, &d, &r), NDG_E_DEPTH);
    SAYS(3, 1);
    d.indices = ndg_dims2(BIG, 2);
    d.params = ndg_dims2(1, 1);
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_INDICES);
    /* out: rows times slice */
    d = gather_of(ndg_dims2(1, BIG / 4), ndg_dims1(4));
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.out_bytes == BIG / 4 * 4);
    dims[2] = 77;
    CHECK(ndg_gather_out_dims(&d, dims, 4) == 2 && dims[1] == BIG / 4);
    CHECK(dims[2] == 77);
    d.indices = ndg_dims1(5);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_OUT);
    d.indices = ndg_dims2(5, 1);
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_OUT);
}

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

static void negative_extents_and_ranks(void)
{
    static const ptrdiff_t bad[4] = { -1, PTRDIFF_MIN, PTRDIFF_MIN + 1, -BIG };
    ndg_gather_desc        d;
    ndg_gather_plan        p;
    ndg_stitch_desc        s = NDG_ZERO_INIT;
    ndg_stitch_plan        sp;
    ndg_partition_desc     t = NDG_ZERO_INIT;
    ndg_partition_plan     tp;
    ptrdiff_t              dims[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    int                    i;
    for (i = 0; i < 4; i++) {
        d = gather_of(ndg_dims2(2, bad[i]), ndg_dims1(1));
        REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_SHAPE, NDG_ARG_PARAMS);
        CHECK(r.axis == 1);
        SAYS(bad[i], 0);
        CHECK(ndg_gather_out_dims(&d, dims, 2) == -1);
        d = gather_of(ndg_dims2(0, 2), ndg_dims2(bad[i], 1));
        REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_SHAPE, NDG_ARG_INDICES);
        CHECK(r.axis == 0);
        s.slice = ndg_dims2(0, bad[i]);
        s.elem_size = 1;
        REFUSES(ndg_plan_stitch(&sp, &s, &r), NDG_E_SHAPE, NDG_ARG_SLICE);
        t.data = ndg_dims2(bad[i], 3);
        t.partitions = ndg_dims1(bad[i]);
        t.elem_size = 1;
        t.num_partitions = 1;
        r = report_stale();
        IS(ndg_plan_partition(&tp, &t, &r), NDG_E_SHAPE);
    }
    /* ranks below zero, and ranks without extents */
    for (i = 0; i < 4; i++) {
        ndg_shape  evil = NDG_ZERO_INIT;
        static const int rank[4] = { -1, INT_MIN, INT_MAX, 5 };
        ptrdiff_t  at[4];
        evil.rank = rank[i];
        d = gather_of(evil, ndg_dims1(1));
        CHECK(note(ndg_plan_gather(&p, &d, &r)) != NDG_OK);
        CHECK(r.operand == NDG_ARG_PARAMS);
        CHECK(note(ndg_plan_gather_nd(&p, &d, &r)) != NDG_OK);
        CHECK(note(ndg_plan_batch_gather(&p, &d, &r)) != NDG_OK);
        CHECK(ndg_gather_out_dims(&d, dims, 8) == -1);
        CHECK(ndg_unravel(0, &evil, 1, at, 4) == -1);
        d = gather_of(ndg_dims1(1), evil);
        CHECK(note(ndg_plan_gather(&p, &d, &r)) != NDG_OK);
        CHECK(r.operand == NDG_ARG_INDICES);
        d = gather_of(ndg_dims1(1), ndg_dims1(1));
        d.out = evil;
        CHECK(note(ndg_plan_gather(&p, &d, &r)) != NDG_OK);
        CHECK(r.operand == NDG_ARG_OUT);
        memset(&s, 0, sizeof s);
        s.elem_size = 1;
        s.slice = evil;
        CHECK(note(ndg_plan_stitch(&sp, &s, &r)) != NDG_OK);
        memset(&t, 0, sizeof t);
        t.elem_size = 1;
        t.num_partitions = 1;
        t.data = evil;
        CHECK(note(ndg_plan_partition(&tp, &t, &r)) != NDG_OK);
        t.data = ndg_dims1(1);
        t.partitions = evil;
        CHECK(note(ndg_plan_partition(&tp, &t, &r)) != NDG_OK);
    }
    d = gather_of(ndg_dims(7, 0, 0), ndg_dims1(1));
    CHECK(note(ndg_plan_gather(&p, &d, &r)) != NDG_OK);
    d = gather_of(ndg_dims(2, 0, 0), ndg_dims1(1));
    CHECK(note(ndg_plan_gather(&p, &d, &r)) != NDG_OK);
    d = gather_of(ndg_dims(-9, dims, 0), ndg_dims1(1));
    CHECK(note(ndg_plan_gather(&p, &d, &r)) != NDG_OK);
}

/* Ranks of thousands: contiguous, and with strides that fold. */
static void ranks_of_thousands(void)
{
    enum { R = 5000 };
    ptrdiff_t      *dims = (ptrdiff_t *)malloc(R * sizeof *dims);
    ptrdiff_t      *strides = (ptrdiff_t *)malloc(R * sizeof *strides);
    ptrdiff_t      *got = (ptrdiff_t *)malloc(2 * R * sizeof *got);
    ndg_gather_desc d;
    ndg_gather_plan p;
    int32_t         idx[2] = { 1, 0 };
    char            out[8];
    ptrdiff_t       step = 1;
    int             i, strided;
    for (i = 0; i < R; i++) dims[i] = 1;
    dims[7] = dims[2500] = dims[4990] = 2;
    for (i = R; i-- > 0;) {
        strides[i] = step;
        step *= dims[i];
    }
    for (strided = 0; strided < 2; strided++) {
        d = gather_of(ndg_dims(R, dims, strided ? strides : 0), ndg_dims1(2));
        d.axis = 2500;
        IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
        CHECK(p.out_rank == R && p.out_bytes == 8);
        IS(ndg_gather(out, 8, "abcdefgh", idx, &d, &r), NDG_OK);
        CHECK(!memcmp(out, "cdabghef", 8));
        CHECK(ndg_gather_out_dims(&d, got, R) == R && got[4990] == 2);
        CHECK(ndg_gather_out_dims(&d, got, 3) == R);
        d = gather_of(ndg_dims1(2), ndg_dims(R, dims, 0));
        CHECK(ndg_gather_out_dims(&d, got, 2 * R) == R);
    }
    /* indices of thousands of axes */
    {
        int32_t many[8] = { 0, 1, 1, 0, 1, 1, 0, 0 };
        for (i = 0; i < R; i++) strides[i] *= 4;
        for (strided = 0; strided < 2; strided++) {
            d = gather_of(ndg_dims1(2), ndg_dims(R, dims,
                                                 strided ? strides : 0));
            IS(ndg_gather(out, 8, "xy", many, &d, &r), NDG_OK);
            CHECK(!memcmp(out, "xyyxyyxx", 8));
        }
    }
    /* batch axes by the thousand, and an index vector that is too long */
    d = gather_of(ndg_dims(R, dims, 0), ndg_dims(R, dims, 0));
    d.batch_dims = R - 1;
    IS(ndg_gather(out, 8, "abcdefgh", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", &d, &r), NDG_OK);
    CHECK(!memcmp(out, "abcdefgh", 8));
    d = gather_of(ndg_dims(R, dims, 0), ndg_dims1(R));
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_LEVELS, NDG_ARG_INDICES);
    d.indices = ndg_dims1(R + 1);
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_DEPTH, NDG_ARG_INDICES);
    free(dims);
    free(strides);
    free(got);
}

static void depth_16_and_17(void)
{
    ptrdiff_t       dims[17];
    ndg_gather_desc d;
    ndg_gather_plan p;
    int32_t         idx[17];
    char            out[2];
    int             i;
    for (i = 0; i < 17; i++) {
        dims[i] = i ? 1 : 2;
        idx[i] = i == 0;
    }
    d = gather_of(ndg_dims(17, dims, 0), ndg_dims2(1, 16));
    IS(ndg_gather_nd(out, 1, "ab", idx, &d, &r), NDG_OK);
    CHECK(out[0] == 'b');
    idx[15] = 1;
    IS(ndg_gather_nd(out, 1, "ab", idx, &d, &r), NDG_E_INDEX);
    CHECK(r.bad.component == 15 && r.bad.value == 1);
    d.indices = ndg_dims2(1, 17);
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_LEVELS, NDG_ARG_INDICES);
    SAYS(17, 16);
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
        oracle_gather_write(&g, &o, 0, 2, 0);
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

/* Spans that no ptrdiff_t holds, and strides at its ends. */
static void huge_strides(void)
{
    static const ptrdiff_t huge[3] = { BIG, PTRDIFF_MIN, -BIG };
    ndg_gather_desc        d;
    ndg_gather_plan        p;
    ndg_stitch_desc        s = NDG_ZERO_INIT;
    ndg_stitch_plan        sp;
    int                    i;
    int32_t                idx[1] = { 0 };
    char                   out = 0;
    for (i = 0; i < 3; i++) {
        d = gather_of(ndg_strided1(2, huge[i]), ndg_dims1(1));
        REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
        d.params = ndg_strided1(1, huge[i]);       /* a stride nobody takes */
        IS(ndg_gather(&out, 1, "a", idx, &d, &r), NDG_OK);
        CHECK(out == 'a');
        d.params = ndg_strided1(0, huge[i]);
        IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
        d = gather_of(ndg_dims1(2), ndg_strided1(2, huge[i]));
        REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_INDICES);
        d.indices = ndg_strided1(1, huge[i]);
        IS(ndg_gather(&out, 1, "a", idx, &d, &r), NDG_OK);
    }
    d = gather_of(ndg_dims1(1), ndg_dims1(2));
    d.out = ndg_strided1(2, BIG);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_OUT);
    d.out = ndg_strided1(2, BIG - 1);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.out_bytes == BIG);
    d = gather_of(ndg_dims1(1), ndg_dims1(1));
    d.out = ndg_strided1(1, BIG);
    IS(ndg_gather(&out, 1, "z", idx, &d, &r), NDG_OK);
    CHECK(out == 'z');
    /* two axes whose spans only together are too long */
    {
        ptrdiff_t dims[2] = { 2, 2 }, strides[2];
        strides[0] = BIG / 2 + 1;
        strides[1] = BIG / 2;
        d = gather_of(ndg_dims(2, dims, strides), ndg_dims1(1));
        REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
        strides[1] = -(BIG / 2);
        d = gather_of(ndg_dims(2, dims, strides), ndg_dims1(1));
        REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
        strides[0] = -(BIG / 2 + 1);
        strides[1] = BIG / 2;
        d = gather_of(ndg_dims(2, dims, strides), ndg_dims1(1));
        REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OVERFLOW, NDG_ARG_PARAMS);
        strides[0] = -(BIG / 2);
        d = gather_of(ndg_dims(2, dims, strides), ndg_dims1(1));
        IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    }
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
        is_or_refused(note(ndg_plan_gather(&p, &d, &r)), try[i].status);
        if (try[i].status) CHECK(r.operand == NDG_ARG_OUT);
        memset(&s, 0, sizeof s);
        s.elem_size = try[i].elem;
        s.slice = ndg_dims2(2, 3);
        s.out_slice = ndg_dims(2, dims, strides);
        is_or_refused(note(ndg_plan_stitch(&sp, &s, &r)), try[i].status);
        memset(&t, 0, sizeof t);
        t.elem_size = try[i].elem;
        t.num_partitions = 1;
        t.data = ndg_dims3(1, 2, 3);
        t.partitions = ndg_dims1(1);
        t.out_slice = ndg_dims(2, dims, strides);
        is_or_refused(note(ndg_plan_partition(&tp, &t, &r)), try[i].status);
    }
    strides[0] = 2;
    strides[1] = 1;
    d = gather_of(ndg_dims2(4, 3), ndg_dims1(2));
    d.out = ndg_dims(2, dims, strides);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_STRIDE, NDG_ARG_OUT);
    CHECK(r.axis == 0);
    SAYS(2, 3);
    /* rows nearer to each other than they are long, or backwards */
    memset(&s, 0, sizeof s);
    s.elem_size = 1;
    s.slice = ndg_dims1(4);
    for (s.out_stride = -1; s.out_stride < 4; s.out_stride++)
        if (s.out_stride) IS(ndg_plan_stitch(&sp, &s, &r), NDG_E_STRIDE);
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    memset(&t, 0, sizeof t);
    t.elem_size = t.num_partitions = 1;
    t.data = ndg_dims2(2, 4);
    t.partitions = ndg_dims1(2);
    t.out_stride = 3;
    IS(ndg_plan_partition(&tp, &t, &r), NDG_E_STRIDE);
    t.out_stride = 4;
    IS(ndg_plan_partition(&tp, &t, &r), NDG_OK);
    /* an out of another shape */
    d = gather_of(ndg_dims2(4, 3), ndg_dims1(2));
    d.out = ndg_dims2(2, 4);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_SHAPE, NDG_ARG_OUT);
    CHECK(r.axis == 1);
    SAYS(4, 3);
    d.out = ndg_dims2(3, 3);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_SHAPE, NDG_ARG_OUT);
    CHECK(r.axis == 0);
    SAYS(3, 2);
    s.out_slice = ndg_dims1(3);
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_E_SHAPE);
    SAYS(3, 4);
    t.out_slice = ndg_dims1(5);
    IS(ndg_plan_partition(&tp, &t, &r), NDG_E_SHAPE);
    SAYS(5, 4);
    d.out = ndg_dims1(6);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_RANK, NDG_ARG_OUT);
    SAYS(1, 2);
    d.out = ndg_dims3(2, 3, 1);
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_RANK, NDG_ARG_OUT);
    SAYS(3, 2);
    d.out = ndg_dims2(2, 3);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
}

/* Rows that do not fold to one stride, where the op has only one. */
static void rows_that_do_not_fold(void)
{
    ptrdiff_t          dims[3] = { 2, 3, 1 }, strides[3] = { 7, 2, 1 };
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_partition_plan tp;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_input   in;
    ndg_list           list;
    t.elem_size = s.elem_size = 1;
    t.num_partitions = 1;
    t.data = ndg_dims(2, dims, strides);
    t.partitions = ndg_dims2(2, 3);
    REFUSES(ndg_plan_partition(&tp, &t, &r), NDG_E_STRIDE, NDG_ARG_DATA);
    CHECK(r.axis == 0);
    SAYS(7, 6);
    t.data = ndg_dims2(2, 3);
    t.partitions = ndg_dims(2, dims, strides);
    REFUSES(ndg_plan_partition(&tp, &t, &r), NDG_E_STRIDE,
            NDG_ARG_PARTITIONS);
    CHECK(r.axis == 0);
    SAYS(7, 6);
    memset(&in, 0, sizeof in);
    in.indices = in.data = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    in.indices_shape = ndg_dims2(2, 3);
    in.data_shape = ndg_dims(2, dims, strides);
    REFUSES(ndg_list_from(&list, &in, &s, &r), NDG_E_STRIDE, NDG_ARG_DATA);
    in.data_shape = ndg_dims2(2, 3);
    s.index_type = NDG_U8;
    in.indices_shape = ndg_dims(2, dims, strides);
    REFUSES(ndg_list_from(&list, &in, &s, &r), NDG_E_STRIDE, NDG_ARG_INDICES);
    in.indices_shape = ndg_dims1(3);
    in.data_shape = ndg_strided1(3, 0);
    REFUSES(ndg_list_from(&list, &in, &s, &r), NDG_E_STRIDE, NDG_ARG_DATA);
    in.data_shape = ndg_dims2(3, 2);
    IS(ndg_list_from(&list, &in, &s, &r), NDG_E_SHAPE);
    in.data_shape = ndg_dims1(2);
    REFUSES(ndg_list_from(&list, &in, &s, &r), NDG_E_SHAPE, NDG_ARG_DATA);
    SAYS(2, 3);
    in.data_shape = ndg_dims(0, 0, 0);
    REFUSES(ndg_list_from(&list, &in, &s, &r), NDG_E_SHAPE, NDG_ARG_DATA);
    SAYS(-1, 3);
    /* a slice of another rank, and one with other strides than desc's */
    s.slice = ndg_dims1(2);
    in.data_shape = ndg_dims1(3);
    IS(ndg_list_from(&list, &in, &s, &r), NDG_E_SHAPE);
    SAYS(-1, 2);
    in.data_shape = ndg_dims2(3, 2);
    IS(ndg_list_from(&list, &in, &s, &r), NDG_OK);
    s.slice = ndg_strided1(2, 2);
    IS(ndg_list_from(&list, &in, &s, &r), NDG_E_STRIDE);
    SAYS(1, 2);
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
    }
}

/* ---- options -------------------------------------------------------------*/

#define OPTION(plan, p, field, bad, status, who)                              \
    do {                                                                      \
        int kept_ = (int)field;                                               \
        field = bad;                                                          \
        REFUSES(plan, status, who);                                           \
        CHECKF(r.value == (int64_t)(bad), "%s = %s: %s", #field, #bad,        \
               report_text(&r));                                              \
        field = kept_;                                                        \
    } while (0)

static void options_of_gather(void)
{
    static const int extreme[4] = { -1, 8, INT_MIN, INT_MAX };
    ndg_gather_desc  d = gather_of(ndg_dims1(4), ndg_dims2(1, 1));
    ndg_gather_plan  p;
    int              i;
    for (i = 0; i < 4; i++) {
        int e = extreme[i], two = e == 8 ? 2 : e;
        OPTION(ndg_plan_gather(&p, &d, &r), p, d.index_type, e, NDG_E_TYPE,
               NDG_ARG_INDEX_TYPE);
        OPTION(ndg_plan_gather_nd(&p, &d, &r), p, d.policy, e, NDG_E_OPTION,
               NDG_ARG_POLICY);
        OPTION(ndg_plan_gather(&p, &d, &r), p, d.negative, two, NDG_E_OPTION,
               NDG_ARG_NEGATIVE);
        OPTION(ndg_plan_batch_gather(&p, &d, &r), p, d.overlap, two,
               NDG_E_OPTION, NDG_ARG_OVERLAP);
    }
    d.elem_size = 0;
    r = report_stale();
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_TYPE, NDG_ARG_ELEM_SIZE);
    CHECK(r.value == 0);
    d.elem_size = -1;
    IS(ndg_plan_gather(&p, &d, &r), NDG_E_TYPE);
    CHECK(r.value == -1);
    d.elem_size = PTRDIFF_MIN;
    IS(ndg_plan_gather(&p, &d, &r), NDG_E_TYPE);
    d.elem_size = 1;
    d.features = 1;
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OPTION, NDG_ARG_FEATURES);
    d.features = UINT_MAX;
    REFUSES(ndg_plan_gather(&p, &d, &r), NDG_E_OPTION, NDG_ARG_FEATURES);
    d.features = 0;
    d.policy = NDG_FILL;
    d.elem_size = 16;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    d.elem_size = 17;
    r = report_stale();
    IS(ndg_plan_gather(&p, &d, &r), NDG_E_OPTION);
}

/* What stitch and partition do not take. */
static const int bad_policy[8] = {
    NDG_ZERO, NDG_FILL, NDG_CLIP, NDG_WRAP, -1, 8, INT_MIN, INT_MAX
};

static void options_of_stitch(void)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    int             i;
    d.elem_size = 1;
    for (i = 0; i < 8; i++) {
        int e = bad_policy[i], type = i < 4 ? 8 + i : e;
        OPTION(ndg_plan_stitch(&p, &d, &r), p, d.policy, e, NDG_E_OPTION,
               NDG_ARG_POLICY);
        OPTION(ndg_plan_stitch(&p, &d, &r), p, d.index_type, type, NDG_E_TYPE,
               NDG_ARG_INDEX_TYPE);
        OPTION(ndg_plan_stitch(&p, &d, &r), p, d.gaps, (i < 4 ? 3 + i : e),
               NDG_E_OPTION, NDG_ARG_GAPS);
        OPTION(ndg_plan_stitch(&p, &d, &r), p, d.overlap, (i < 4 ? 2 + i : e),
               NDG_E_OPTION, NDG_ARG_OVERLAP);
    }
    d.features = 4;
    REFUSES(ndg_plan_stitch(&p, &d, &r), NDG_E_OPTION, NDG_ARG_FEATURES);
    d.features = 0;
    d.elem_size = 0;
    REFUSES(ndg_plan_stitch(&p, &d, &r), NDG_E_TYPE, NDG_ARG_ELEM_SIZE);
}

static void options_of_partition(void)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan p;
    int                i;
    d.data = d.partitions = ndg_dims1(2);
    d.elem_size = d.num_partitions = 1;
    for (i = 0; i < 8; i++) {
        int e = bad_policy[i], type = i < 4 ? 8 + i : e;
        OPTION(ndg_plan_partition(&p, &d, &r), p, d.policy, e, NDG_E_OPTION,
               NDG_ARG_POLICY);
        OPTION(ndg_plan_partition(&p, &d, &r), p, d.index_type, type,
               NDG_E_TYPE, NDG_ARG_INDEX_TYPE);
        OPTION(ndg_plan_partition(&p, &d, &r), p, d.position_type, type,
               NDG_E_TYPE, NDG_ARG_POSITION_TYPE);
        OPTION(ndg_plan_partition(&p, &d, &r), p, d.overlap,
               (i < 4 ? 2 + i : e), NDG_E_OPTION, NDG_ARG_OVERLAP);
    }
    d.features = 4;
    REFUSES(ndg_plan_partition(&p, &d, &r), NDG_E_OPTION, NDG_ARG_FEATURES);
    d.features = 0;
    d.elem_size = -5;
    IS(ndg_plan_partition(&p, &d, &r), NDG_E_TYPE);
    d.elem_size = 1;
    for (d.num_partitions = -2; d.num_partitions < 1; d.num_partitions++) {
        REFUSES(ndg_plan_partition(&p, &d, &r), NDG_E_COUNT,
                NDG_ARG_NUM_PARTITIONS);
        CHECK(r.value == d.num_partitions);
    }
    d.num_partitions = PTRDIFF_MIN;
    IS(ndg_plan_partition(&p, &d, &r), NDG_E_COUNT);
}

static void options_of_rows(void)
{
    static const int extreme[4] = { -1, 8, INT_MIN, INT_MAX };
    unsigned char    out[8];
    int32_t          idx[2] = { 0, 1 };
    int              i, n;
    memset(out, FRESH, 8);
    for (n = 1; n <= 2; n++) {          /* one row goes another way than many */
        for (i = 0; i < 4; i++) {
            REFUSES(ndg_gather_rows(out, 8, "abcd", 2, 2, 0, idx, extreme[i],
                                    n, 0, &r), NDG_E_TYPE, NDG_ARG_INDEX_TYPE);
            REFUSES(ndg_gather_rows(out, 8, "abcd", 2, 2, 0, idx, 0, n,
                                    extreme[i], &r),
                    NDG_E_OPTION, NDG_ARG_POLICY);
        }
        REFUSES(ndg_gather_rows(out, 8, "abcd", 2, 2, 0, idx, 0, n, NDG_FILL,
                                &r), NDG_E_OPTION, NDG_ARG_POLICY);
        REFUSES(ndg_gather_rows(0, 8, "abcd", 2, 2, 0, idx, 0, n, 0, &r),
                NDG_E_NULL, NDG_ARG_OUT);
        REFUSES(ndg_gather_rows(out, 8, 0, 2, 2, 0, idx, 0, n, 0, &r),
                NDG_E_NULL, NDG_ARG_PARAMS);
        REFUSES(ndg_gather_rows(out, 8, "abcd", 2, 2, 0, 0, 0, n, 0, &r),
                NDG_E_NULL, NDG_ARG_INDICES);
        /* numbers below zero, and products that are too large */
#define ROWS(room, rows, bytes, stride, count)                                \
        CHECK(note(ndg_gather_rows(out, room, "abcd", rows, bytes, stride,    \
                                   idx, 0, count, 0, &r)))
        ROWS(8, -1, 2, 0, n);
        ROWS(8, 2, -1, 0, n);
        ROWS(8, 2, 2, 0, -1);
        ROWS(-1, 2, 2, 0, n);
        ROWS(2 * n - 1, 2, 2, 0, n);
        ROWS(8, BIG, 2, 0, n);
        ROWS(8, BIG / 2 + 2, 2, 0, n);
        ROWS(8, 2, BIG, 0, n);
        ROWS(8, 1, BIG, 0, n);
        ROWS(8, 2, 2, BIG, n);
        ROWS(8, 2, 2, 0, BIG);
        ROWS(8, 2, 2, PTRDIFF_MIN, n);
#undef ROWS
    }
    /* windows that overlap end where the last one does */
    REFUSES(ndg_gather_rows(out + 3, 3, out, 2, 3, 1, idx, 0, 1, 0, &r),
            NDG_E_OVERLAP, NDG_ARG_PARAMS);
    IS(ndg_gather_rows(out + 4, 3, out, 2, 3, 1, idx, 0, 1, 0, &r), NDG_OK);
    memset(out, FRESH, 8);
    CHECK(all_fresh(out, 8));
}

/* ---- pointers ------------------------------------------------------------*/

static void null_in_gathers(void)
{
    ndg_gather_desc d = gather_of(ndg_dims1(4), ndg_dims1(2)), nd;
    ndg_gather_plan p, none;
    int32_t         idx[2] = { 0, 1 };
    char            out[2];
    ptrdiff_t       dims[2];
    nd = gather_of(ndg_dims1(4), ndg_dims2(2, 1));
    IS(ndg_plan_gather(&p, &d, 0), NDG_OK);
    REFUSES(ndg_plan_gather(0, &d, &r), NDG_E_NULL, NDG_ARG_PLAN);
    REFUSES(ndg_plan_gather_nd(0, &nd, &r), NDG_E_NULL, NDG_ARG_PLAN);
    REFUSES(ndg_plan_batch_gather(0, &d, &r), NDG_E_NULL, NDG_ARG_PLAN);
    REFUSES(ndg_plan_gather(&none, 0, &r), NDG_E_NULL, NDG_ARG_DESC);
    REFUSES(ndg_plan_gather_nd(&none, 0, &r), NDG_E_NULL, NDG_ARG_DESC);
    REFUSES(ndg_plan_batch_gather(&none, 0, &r), NDG_E_NULL, NDG_ARG_DESC);
    REFUSES(ndg_gather(out, 2, "abcd", idx, 0, &r), NDG_E_NULL, NDG_ARG_DESC);
    REFUSES(ndg_gather(0, 2, "abcd", idx, &d, &r), NDG_E_NULL, NDG_ARG_OUT);
    REFUSES(ndg_gather(out, 2, 0, idx, &d, &r), NDG_E_NULL, NDG_ARG_PARAMS);
    REFUSES(ndg_gather(out, 2, "abcd", 0, &d, &r), NDG_E_NULL,
            NDG_ARG_INDICES);
    REFUSES(ndg_gather_nd(0, 2, "abcd", idx, &nd, &r), NDG_E_NULL,
            NDG_ARG_OUT);
    REFUSES(ndg_gather_run(&p, 0, 2, "abcd", idx, &r), NDG_E_NULL,
            NDG_ARG_OUT);
    REFUSES(ndg_gather_run(&p, out, 2, 0, idx, &r), NDG_E_NULL,
            NDG_ARG_PARAMS);
    REFUSES(ndg_gather_run(&p, out, 2, "abcd", 0, &r), NDG_E_NULL,
            NDG_ARG_INDICES);
    REFUSES(ndg_gather_check(&p, 0, 0, 2, &r), NDG_E_NULL, NDG_ARG_INDICES);
    REFUSES(ndg_gather_rows(0, 2, "abcd", 4, 1, 0, idx, 0, 2, 0, &r),
            NDG_E_NULL, NDG_ARG_OUT);
    REFUSES(ndg_gather_rows(out, 2, 0, 4, 1, 0, idx, 0, 2, 0, &r), NDG_E_NULL,
            NDG_ARG_PARAMS);
    REFUSES(ndg_gather_rows(out, 2, "abcd", 4, 1, 0, 0, 0, 2, 0, &r),
            NDG_E_NULL, NDG_ARG_INDICES);
    /* a report may always be missing */
    IS(ndg_gather_run(&p, out, 2, "abcd", idx, 0), NDG_OK);
    IS(ndg_gather_run(&p, out, 1, "abcd", idx, 0), NDG_E_CAPACITY);
    IS(ndg_gather_run_range(&p, out, 2, "abcd", idx, 0, 3, 0), NDG_E_RANGE);
    IS(ndg_gather_check(&p, idx, 0, 2, 0), NDG_OK);
    /* nothing to read or write there */
    IS(ndg_gather_rows(0, 0, 0, 4, 2, 0, 0, NDG_U8, 0, NDG_ERROR, &r), NDG_OK);
    IS(ndg_gather_run_range(&p, 0, 0, 0, 0, 1, 1, &r), NDG_OK);
    IS(ndg_gather_check(&p, 0, 2, 2, &r), NDG_OK);
    CHECK(ndg_gather_out_dims(0, dims, 2) == -1);
    CHECK(ndg_gather_nd_out_dims(0, dims, 2) == -1);
    CHECK(ndg_batch_gather_out_dims(0, dims, 2) == -1);
    CHECK(ndg_gather_out_dims(&d, 0, 0) == 1);
    /* a plan that was never made, or refused */
    memset(&none, 0, sizeof none);
    r = report_stale();
    IS(ndg_gather_run(&none, out, 2, "abcd", idx, &r), NDG_E_NULL);
    CHECK(r.operand == NDG_ARG_PLAN);
    IS(ndg_gather_run(0, out, 2, "abcd", idx, &r), NDG_E_NULL);
    IS(ndg_gather_run_range(&none, out, 2, "abcd", idx, 0, 0, &r), NDG_E_NULL);
    IS(ndg_gather_check(&none, idx, 0, 0, &r), NDG_E_NULL);
    IS(ndg_gather_check(0, idx, 0, 0, &r), NDG_E_NULL);
}

static void null_in_stitch(void)
{
    ndg_stitch_desc  d = NDG_ZERO_INIT;
    ndg_stitch_plan  p, none;
    ndg_stitch_input in;
    ndg_list         list;
    int32_t          idx[2] = { 0, 1 };
    char             out[2];
    ptrdiff_t        total;
    memset(&in, 0, sizeof in);
    memset(&none, 0, sizeof none);
    in.indices = idx;
    in.data = "ab";
    in.indices_shape = in.data_shape = ndg_dims1(2);
    d.elem_size = 1;
    IS(ndg_plan_stitch(&p, &d, 0), NDG_OK);
    REFUSES(ndg_plan_stitch(0, &d, &r), NDG_E_NULL, NDG_ARG_PLAN);
    REFUSES(ndg_plan_stitch(&none, 0, &r), NDG_E_NULL, NDG_ARG_DESC);
    IS(ndg_list_from(&list, &in, &d, 0), NDG_OK);
    IS(ndg_list_from(&list, 0, &d, &r), NDG_E_NULL);
    IS(ndg_list_from(&list, &in, 0, &r), NDG_E_NULL);
    IS(ndg_list_from(0, &in, &d, &r), NDG_E_NULL);
    IS(ndg_list_from(&list, &in, &d, &r), NDG_OK);
    IS(ndg_stitch_total(0, &list, 1, &total, &r), NDG_E_NULL);
    IS(ndg_stitch_total(&none, &list, 1, &total, &r), NDG_E_NULL);
    IS(ndg_stitch_total(&p, 0, 1, &total, &r), NDG_E_NULL);
    IS(ndg_stitch_total(&p, &list, 1, 0, &r), NDG_E_NULL);
    IS(ndg_stitch_total(&p, &list, 1, &total, 0), NDG_OK);
    REFUSES(ndg_stitch_run(&p, 0, 2, 2, &list, 1, 0, 0, &r), NDG_E_NULL,
            NDG_ARG_OUT);
    IS(ndg_stitch_run(&p, out, 2, 2, 0, 1, 0, 0, &r), NDG_E_NULL);
    IS(ndg_stitch_run(0, out, 2, 2, &list, 1, 0, 0, &r), NDG_E_NULL);
    REFUSES(ndg_stitch_run(&none, out, 2, 2, &list, 1, 0, 0, &r), NDG_E_NULL,
            NDG_ARG_PLAN);
    IS(ndg_stitch_run(&p, out, 2, 2, &list, 1, 0, 0, 0), NDG_OK);
    list.indices = 0;
    REFUSES(ndg_stitch_run(&p, out, 2, 2, &list, 1, 0, 0, &r), NDG_E_NULL,
            NDG_ARG_INDICES);
    REFUSES(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_E_NULL,
            NDG_ARG_INDICES);
    list.indices = idx;
    list.data = 0;
    REFUSES(ndg_stitch_run(&p, out, 2, 2, &list, 1, 0, 0, &r), NDG_E_NULL,
            NDG_ARG_DATA);
    IS(ndg_stitch_total(&p, &list, 1, &total, &r), NDG_OK);
    list.indices = 0;
    list.count = 0;
    IS(ndg_stitch_run(&p, out, 2, 2, &list, 1, 0, 0, &r), NDG_OK);
    IS(ndg_dynamic_stitch(out, 2, &total, 0, 1, &d, &r), NDG_E_NULL);
    IS(ndg_dynamic_stitch(out, 2, &total, &in, 1, 0, &r), NDG_E_NULL);
    IS(ndg_dynamic_stitch(0, 2, &total, &in, 1, &d, &r), NDG_E_NULL);
    in.indices = 0;
    IS(ndg_dynamic_stitch(out, 2, &total, &in, 1, &d, &r), NDG_E_NULL);
    in.indices = idx;
    in.data = 0;
    IS(ndg_parallel_dynamic_stitch(out, 2, &total, &in, 1, &d, &r),
       NDG_E_NULL);
    list.count = -1;
    CHECK(note(ndg_stitch_total(&p, &list, 1, &total, &r)) != NDG_OK);
    CHECK(note(ndg_stitch_run(&p, out, 2, 2, &list, 1, 0, 0, &r)) != NDG_OK);
}

static void null_in_partition(void)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan p, none;
    int32_t            ids[2] = { 0, 1 }, at[2][2];
    char               out[2][2];
    void              *outs[2], *hole[2], *positions[2];
    ptrdiff_t          counts[2], cursors[2], capacity[2] = { 2, 2 };
    outs[0] = out[0];
    outs[1] = out[1];
    hole[0] = out[0];
    hole[1] = 0;
    positions[0] = at[0];
    positions[1] = 0;
    memset(&none, 0, sizeof none);
    d.data = d.partitions = ndg_dims1(2);
    d.elem_size = 1;
    d.num_partitions = 2;
    IS(ndg_plan_partition(&p, &d, 0), NDG_OK);
    REFUSES(ndg_plan_partition(0, &d, &r), NDG_E_NULL, NDG_ARG_PLAN);
    REFUSES(ndg_plan_partition(&none, 0, &r), NDG_E_NULL, NDG_ARG_DESC);
    REFUSES(ndg_partition_count(&p, 0, 0, 2, counts, &r), NDG_E_NULL,
            NDG_ARG_PARTITIONS);
    REFUSES(ndg_partition_count(&p, ids, 0, 2, 0, &r), NDG_E_NULL,
            NDG_ARG_COUNTS);
    IS(ndg_partition_count(&none, ids, 0, 2, counts, &r), NDG_E_NULL);
    IS(ndg_partition_count(0, ids, 0, 2, counts, &r), NDG_E_NULL);
    IS(ndg_partition_count(&p, ids, 0, 2, counts, 0), NDG_OK);
    REFUSES(ndg_partition_run(&p, 0, 0, "ab", ids, 2, counts, cursors, &r),
            NDG_E_NULL, NDG_ARG_OUT);
    REFUSES(ndg_partition_run(&p, hole, 0, "ab", ids, 2, counts, cursors, &r),
            NDG_E_NULL, NDG_ARG_OUT);
    REFUSES(ndg_partition_run(&p, outs, positions, "ab", ids, 2, counts,
                              cursors, &r), NDG_E_NULL, NDG_ARG_POSITIONS);
    REFUSES(ndg_partition_run(&p, outs, 0, 0, ids, 2, counts, cursors, &r),
            NDG_E_NULL, NDG_ARG_DATA);
    REFUSES(ndg_partition_run(&p, outs, 0, "ab", 0, 2, counts, cursors, &r),
            NDG_E_NULL, NDG_ARG_PARTITIONS);
    REFUSES(ndg_partition_run(&p, outs, 0, "ab", ids, 2, 0, cursors, &r),
            NDG_E_NULL, NDG_ARG_COUNTS);
    IS(ndg_partition_run(&p, outs, 0, "ab", ids, 2, counts, 0, &r),
       NDG_E_NULL);
    IS(ndg_partition_run(&none, outs, 0, "ab", ids, 2, counts, cursors, &r),
       NDG_E_NULL);
    IS(ndg_partition_run(0, outs, 0, "ab", ids, 2, counts, cursors, &r),
       NDG_E_NULL);
    IS(ndg_partition_run_range(0, outs, 0, "ab", ids, 0, 2, cursors, counts,
                               &r), NDG_E_NULL);
    IS(ndg_partition_run_range(&p, outs, 0, "ab", ids, 0, 2, 0, counts, &r),
       NDG_E_NULL);
    IS(ndg_partition_run_range(&p, outs, 0, "ab", ids, 0, 2, cursors, 0, &r),
       NDG_E_NULL);
    IS(ndg_partition_run(&p, outs, 0, "ab", ids, 2, counts, cursors, 0),
       NDG_OK);
    /* a part that gets nothing needs no memory */
    ids[1] = 0;
    IS(ndg_partition_count(&p, ids, 0, 2, counts, &r), NDG_OK);
    IS(ndg_partition_run(&p, hole, positions, "ab", ids, 2, counts, cursors,
                         &r), NDG_OK);
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, "ab", ids, 0, &r),
       NDG_E_NULL);
    IS(ndg_dynamic_partition(0, 0, capacity, counts, "ab", ids, &d, &r),
       NDG_E_NULL);
    IS(ndg_dynamic_partition(outs, 0, 0, counts, "ab", ids, &d, &r),
       NDG_E_NULL);
    IS(ndg_dynamic_partition(outs, 0, capacity, 0, "ab", ids, &d, &r),
       NDG_E_NULL);
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, 0, ids, &d, &r),
       NDG_E_NULL);
    IS(ndg_dynamic_partition(outs, 0, capacity, counts, "ab", 0, &d, &r),
       NDG_E_NULL);
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

/* What stops a partition is the first row that does not fit, however many
 * rows and parts come after it. */
static void the_first_part_that_is_full(void)
{
    enum { N = 5000 };
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan p;
    uint8_t           *ids = (uint8_t *)calloc(N, 1);
    unsigned char     *data = (unsigned char *)calloc(N, 1);
    unsigned char      out[3][64];
    void              *outs[3];
    ptrdiff_t          limits[3] = { 64, 10, 64 }, cursors[3] = { 0, 0, 0 };
    int                i;
    for (i = 0; i < N; i++) ids[i] = (uint8_t)(i < 20 ? 1 : i < 2000 ? 0 : 2);
    for (i = 0; i < 3; i++) outs[i] = out[i];
    memset(out, FRESH, sizeof out);
    d.data = d.partitions = ndg_dims1(N);
    d.elem_size = 1;
    d.num_partitions = 3;
    d.index_type = NDG_U8;
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    IS(ndg_partition_run_range(&p, outs, 0, data, ids, 0, N, cursors, limits,
                               &r), NDG_E_CAPACITY);
    CHECK(r.item == 1);
    SAYS(10, 11);
    CHECK(cursors[1] == 10 && all_fresh(out[1] + 10, 54));
    CHECK(cursors[0] == 0 && cursors[2] == 0);
    free(ids);
    free(data);
}

/* A position that its type cannot hold would come back as another row's. */
static void positions_that_do_not_fit(void)
{
    static const uint8_t ids[300];
    ndg_partition_desc   d = NDG_ZERO_INIT;
    ndg_partition_plan   p;
    unsigned char        data[300], out[300], at[300];
    void                *outs[1], *positions[1];
    ptrdiff_t            counts[1] = { 300 }, cursors[1] = { 0 };
    memset(data, 1, sizeof data);
    memset(out, FRESH, sizeof out);
    memset(at, FRESH, sizeof at);
    outs[0] = out;
    positions[0] = at;
    d.data = d.partitions = ndg_dims1(300);
    d.elem_size = d.num_partitions = 1;
    d.index_type = d.position_type = NDG_U8;
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    CHECK(note(ndg_partition_run(&p, outs, positions, data, ids, 300, counts,
                                 cursors, &r)) != NDG_OK);
    CHECK(r.operand == NDG_ARG_POSITIONS);
    CHECK(all_fresh(out, 300) && all_fresh(at, 300));
    CHECK(note(ndg_partition_run(&p, outs, positions, data, ids, 257, counts,
                                 cursors, &r)) != NDG_OK);
    IS(ndg_partition_run(&p, outs, positions, data, ids, 256, counts, cursors,
                         &r), NDG_OK);
    CHECK(at[0] == 0 && at[255] == 255 && all_fresh(at + 256, 44));
    IS(ndg_partition_run(&p, outs, 0, data, ids, 300, counts, cursors, &r),
       NDG_OK);
    CHECK(!memcmp(out, data, 300));
    d.position_type = NDG_I8;
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    CHECK(note(ndg_partition_run(&p, outs, positions, data, ids, 129, counts,
                                 cursors, &r)) != NDG_OK);
    IS(ndg_partition_run(&p, outs, positions, data, ids, 128, counts, cursors,
                         &r), NDG_OK);
    CHECK(at[127] == 127);
}

static void ranges_outside_the_rows(void)
{
    static const ptrdiff_t bad[8][2] = {
        { -1, 2 }, { 0, 5 }, { 5, 5 }, { 3, 2 }, { 0, BIG }, { PTRDIFF_MIN, 0 },
        { BIG, BIG }, { -1, -1 }
    };
    ndg_gather_desc    d = gather_of(ndg_dims1(4), ndg_dims1(4));
    ndg_gather_plan    p;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    sp;
    ndg_partition_desc t = NDG_ZERO_INIT;
    ndg_partition_plan tp;
    ndg_list           list;
    int32_t            idx[4] = { 0, 1, 2, 3 };
    unsigned char      out[4];
    void              *outs[4];
    ptrdiff_t          counts[4], cursors[4] = { 0, 0, 0, 0 };
    int                i;
    memset(&list, 0, sizeof list);
    list.indices = idx;
    list.data = "abcd";
    list.count = 4;
    for (i = 0; i < 4; i++) {
        outs[i] = out;
        counts[i] = 1;
    }
    s.elem_size = t.elem_size = 1;
    t.data = t.partitions = ndg_dims1(4);
    t.num_partitions = 4;
    memset(out, FRESH, sizeof out);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    IS(ndg_plan_partition(&tp, &t, &r), NDG_OK);
    for (i = 0; i < 8; i++) {
        ptrdiff_t a = bad[i][0], b = bad[i][1];
        r = report_stale();
        IS(ndg_gather_run_range(&p, out, 4, "abcd", idx, a, b, &r),
           NDG_E_RANGE);
        CHECK((r.value == a || r.value == b) && r.bound == 4);
        IS(ndg_gather_check(&p, idx, a, b, &r), NDG_E_RANGE);
        IS(ndg_stitch_run_range(&sp, out, 4, 4, &list, 1, a, b, 0, 0, &r),
           NDG_E_RANGE);
        CHECK((r.value == a || r.value == b) && r.bound == 4);
        IS(ndg_partition_count(&tp, idx, a, b, counts, &r), NDG_E_RANGE);
        CHECK((r.value == a || r.value == b) && r.bound == 4);
        IS(ndg_partition_run_range(&tp, outs, 0, "abcd", idx, a, b, cursors,
                                   counts, &r), NDG_E_RANGE);
    }
    for (i = 0; i < 4; i++) counts[i] = 1;
    IS(ndg_partition_run(&tp, outs, 0, "abcd", idx, 5, counts, cursors, &r),
       NDG_E_RANGE);
    IS(ndg_partition_run(&tp, outs, 0, "abcd", idx, -1, counts, cursors, &r),
       NDG_E_RANGE);
    CHECK(all_fresh(out, sizeof out));
    IS(ndg_gather_run_range(&p, out, 4, "abcd", idx, 4, 4, &r), NDG_OK);
    IS(ndg_stitch_run_range(&sp, out, 4, 4, &list, 1, 4, 4, 0, 0, &r), NDG_OK);
    CHECK(all_fresh(out, sizeof out));
}

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

/* What holds nothing overlaps nothing, wherever its pointer leads. */
static void nothing_overlaps_nothing(void)
{
    unsigned char   b[8] = { 9, 9, 9, 9, 9, 9, 9, 9 };
    ndg_gather_desc d = gather_of(ndg_dims1(0), ndg_dims1(4));
    d.index_type = NDG_U8;
    d.policy = NDG_ZERO;
    IS(ndg_gather(b, 4, b + 2, "\0\0\0", &d, &r), NDG_OK);
    CHECK(!b[0] && !b[3] && b[4] == 9);
    d = gather_of(ndg_dims1(2), ndg_dims2(2, 0));
    IS(ndg_gather_nd(b, 4, "ab", b + 2, &d, &r), NDG_OK);
    CHECK(!memcmp(b, "abab", 4));
    d = gather_of(ndg_dims2(2, 0), ndg_dims1(2));
    d.index_type = NDG_U8;
    memset(b, 0, 8);
    IS(ndg_gather(b + 1, 0, b, b, &d, &r), NDG_OK);
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

static void every_status_was_reached(void)
{
    static const char *const name[NDG_STATUS_COUNT] = {
#define NAME(status, number, text) #status,
        NDG_STATUS_LIST(NAME)
#undef NAME
    };
    int i, k;
    for (i = 0; i < NDG_STATUS_COUNT; i++) {
        const char *text = ndg_status_text(i);
        CHECKF(reached[i] > 0, "no call gave %s", name[i]);
        CHECK(text && *text);
        for (k = 0; k < i; k++) CHECK(strcmp(text, ndg_status_text(k)) != 0);
    }
    CHECK(ndg_status_text(-1) && ndg_status_text(NDG_STATUS_COUNT));
    CHECK(ndg_status_text(INT_MIN) && ndg_status_text(INT_MAX));
}

/* A stride that no row uses is no reason to multiply by it. */
static void rows_of_no_bytes(void)
{
    const int32_t pick[2] = { 5, 7 };
    IS(ndg_gather_rows(NULL, 0, NULL, 100, 0, PTRDIFF_MAX / 2, pick, NDG_I32,
                       2, NDG_ERROR, &r), NDG_OK);
    IS(ndg_gather_rows(NULL, 0, NULL, 6, 0, PTRDIFF_MAX / 2, pick, NDG_I32,
                       2, NDG_ERROR, &r), NDG_E_INDEX);
    CHECK(r.bad.position == 1 && r.bad.value == 7);
}

/* More rows than time, of index vectors of no component: nothing to read, to
 * check or to copy. */
static void endless_rows_of_depth_0(void)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan p;
    d.params = ndg_dims1(0);
    d.indices = ndg_dims2(PTRDIFF_MAX, 0);
    d.elem_size = 1;
    IS(ndg_plan_gather_nd(&p, &d, &r), NDG_OK);
    CHECK(p.rows == PTRDIFF_MAX);
    IS(ndg_gather_run(&p, NULL, 0, NULL, NULL, &r), NDG_OK);
    IS(ndg_gather_check(&p, NULL, 0, p.rows, &r), NDG_OK);
}

/* Counts of so many parts could not be addressed. */
static void more_parts_than_memory(void)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan p;
    const ptrdiff_t    most = PTRDIFF_MAX / (ptrdiff_t)sizeof(ptrdiff_t);
    d.data = ndg_dims1(1);
    d.partitions = ndg_dims1(1);
    d.elem_size = 1;
    d.num_partitions = most;
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    d.num_partitions = most + 1;
    IS(ndg_plan_partition(&p, &d, &r), NDG_E_OVERFLOW);
    CHECK(r.operand == NDG_ARG_NUM_PARTITIONS && r.value == most + 1);
}

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
    list.data_stride = sizeof data[0];
    IS(ndg_stitch_run(&p, out, sizeof out, 2, &list, 1, NULL, 0, &r), NDG_OK);
    CHECK(out[0][0] == 1 && out[0][1] == 2 && out[1][0] == 3);
    CHECK(out[1][1] == 4);
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

/* A lost row at the end of a strided out: nothing is formed beyond it. */
static void the_last_row_of_a_wide_stride(void)
{
    const ptrdiff_t dims[1] = { 2 }, strides[1] = { PTRDIFF_MAX - 64 };
    const int32_t   pick[2] = { 9, 9 };
    int32_t         table[1] = { 5 }, out[1] = { 7 };
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan p;
    d.params = ndg_dims1(1);
    d.indices = ndg_dims1(2);
    d.out = ndg_dims(1, dims, strides);
    d.elem_size = 4;
    d.policy = NDG_ZERO;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS(ndg_gather_run_range(&p, out, sizeof out, table, pick, 0, 1, &r),
       NDG_OK);
    CHECK(out[0] == 0 && r.bad.count == 1);
}

/* What a review found, or found untested: each line tells one mistake apart. */
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
    for (k = 0; k < 2; k++) {
        if (k == 1 && wraps > INT32_MAX) break;
        for (i = 0; i < COUNT; i++) wide[i] = (int64_t)wraps + i % ROWS;
        wide[5] = 3;
        wide[COUNT - 1] = 8;
        for (i = 0; i < COUNT; i++) narrow[i] = (int32_t)wide[i];
        d.index_type = k ? NDG_I32 : NDG_I64;
        list.indices = k ? (const void *)narrow : (const void *)wide;
        list.data = data;
        IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
        IS(ndg_stitch_run_range(&p, out, sizeof out, wraps + ROWS, &list, 1, 0,
                                ROWS, 0, 0, &r), NDG_OK);
        for (i = 0; i < ROWS; i++)
            CHECK(out[i * BYTES] == (i == 3 || i == 8 ? 7 : 0));
    }
}

static void corners_of_plans(void)
{
    const ptrdiff_t big = (ptrdiff_t)1 << (4 * sizeof big);
    const ptrdiff_t far[2] = { -((PTRDIFF_MAX / 16) + 1), 4 };
    const ptrdiff_t low[2] = { PTRDIFF_MIN, 4 }, two[2] = { 2, 4 };
    const ptrdiff_t one[2] = { 1, 4 };
    ptrdiff_t       dims[41], strides[41], step = 1;
    int32_t         ix[7] = { 5, 0, 1, 0, 0, 0, 0 };
    unsigned char   t[64] = { 0 }, o[8];
    ndg_gather_desc d = NDG_ZERO_INIT, zero = NDG_ZERO_INIT;
    ndg_gather_plan p;
    ndg_report      r;
    int             i;

    d.params = ndg_dims2(5, 3);
    d.indices = ndg_dims1(2);
    d.elem_size = 8;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.slice_bytes == 24 && p.rows == 2 && p.out_bytes == 48);

    /* out may not reach into the last of the indices */
    REFUSES(ndg_gather_rows((char *)ix + 12, 4, t, 4, 1, 0, ix, NDG_I32, 4,
                            NDG_ERROR, &r), NDG_E_OVERLAP, NDG_ARG_INDICES);

    /* an output without elements is small, whatever its other extents are */
    d.params = ndg_dims4(3, big, big, 0);
    d.indices = ndg_dims1(1);
    d.elem_size = 1;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.out_bytes == 0);

    /* axes of extent 1 take no level */
    for (i = 0; i < 40; i++) { dims[i] = 1; strides[i] = 1000 + 7 * i * i; }
    dims[40] = 3;
    strides[40] = 1;
    d = zero;
    d.params = ndg_dims(41, dims, strides);
    d.indices = ndg_dims2(2, 1);
    d.elem_size = 1;
    IS(ndg_plan_gather_nd(&p, &d, &r), NDG_OK);

    /* too many levels in two groups: the value is 17 */
    for (i = 10; i >= 0; i--, step = 2 * step + 1) {
        dims[i] = 2;
        strides[i] = step;
    }
    d.params = ndg_dims(11, dims, strides);
    d.indices = ndg_dims(10, dims, strides);
    IS(ndg_plan_gather(&p, &d, &r), NDG_E_LEVELS);
    CHECK(r.value == NDG_MAX_LEVELS + 1);

    /* a lost row has no offset, not even one that cannot be computed */
    d = zero;
    d.params = ndg_dims(2, one, low);
    d.indices = ndg_dims2(1, 2);
    d.elem_size = 4;
    d.policy = NDG_ZERO;
    IS(ndg_gather_nd(o, 4, t, ix, &d, &r), NDG_OK);
    CHECK(r.bad.count == 1 && r.bad.value == 5);

    /* a check goes nowhere in params */
    d = zero;
    d.params = ndg_dims(2, two, far);
    d.indices = ndg_dims2(2, 1);
    d.elem_size = 4;
    IS(ndg_plan_batch_gather(&p, &d, &r), NDG_OK);
    IS(ndg_gather_check(&p, ix + 1, 1, 2, &r), NDG_OK);
}

int main(void)
{
    cve_2023_25659();
    cve_2022_41883();
    cve_2022_35937_and_35938();
    cve_2021_37687();
    cve_2021_29589();
    cve_2021_37654();
    cve_2021_37653();
    cve_2021_37641();
    sizes_truncated_to_32_bits();
    axis_negated_at_its_minimum();
    max_plus_one_wrapping();
    int16_row_counters();
    index_buffer_changed_between_check_and_use();
    sizes_that_overflow();
    zero_beside_huge();
    negative_extents_and_ranks();
    ranks_of_thousands();
    depth_16_and_17();
    levels_16_and_17();
    huge_strides();
    out_strides_that_cannot_be();
    rows_that_do_not_fold();
    strides_of_axes_of_1();
    options_of_gather();
    options_of_stitch();
    options_of_partition();
    options_of_rows();
    null_in_gathers();
    null_in_stitch();
    null_in_partition();
    out_short_by_one();
    the_first_part_that_is_full();
    positions_that_do_not_fit();
    ranges_outside_the_rows();
    scratch_missing_or_short();
    out_over_an_input();
    nothing_overlaps_nothing();
    disjoint_by_word();
    merging_is_algebra();
    merging_adds_up();
    unravel();
    misaligned();
    rows_of_no_bytes();
    endless_rows_of_depth_0();
    more_parts_than_memory();
    packed_lists_of_slices_with_gaps();
    ranges_by_themselves();
    the_last_row_of_a_wide_stride();
    every_status_was_reached();
    corners_of_plans();
    rows_beyond_all_addresses();
    return test_end("test_hostile");
}
