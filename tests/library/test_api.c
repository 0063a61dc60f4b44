/* test_api.c - the library as its manual shows it: the programs and call
 * sites written there, what a zero means, plans as plain data, splits with
 * capacity to spare, a partition and the stitch that undoes it. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include "../lib/arrays.h"
#include "../lib/descs.h"

#include <limits.h>

/* ---- the manual's programs -----------------------------------------------*/

static void complete_program(void)
{
    const float    table[3][2] = { {0, 1}, {10, 11}, {20, 21} };
    const uint16_t pick[4]     = { 2, 0, 7, 2 };
    float          out[4][2];
    ndg_report     report;
    char           text[80];

    ndg_gather_rows(out, sizeof out, table, 3, sizeof table[0], 0,
                    pick, NDG_U16, 4, NDG_CLIP, &report);
    sprintf(text, "%g %g %g %g", out[0][0], out[1][0], out[2][0], out[3][0]);
    CHECK(!strcmp(text, "20 0 20 20"));
    CHECK(report.bad.count == 1 && report.bad.position == 2);
    CHECK(report.status == NDG_OK);
}

typedef struct tile { uint8_t kind, height; uint16_t flags; } tile;

static void described_checked_run(void)
{
    enum { levels = 2, height = 3, width = 4, count = 3 };
    tile            params[levels][height][width], out[count][width];
    const int32_t   idx[count][2] = { {1, 2}, {0, 0}, {1, 0} };
    ptrdiff_t       out_bytes = sizeof out, i, first, last;
    ndg_report      report, part[2];
    int             worker;
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    for (i = 0; i < levels * height * width; i++) {
        tile t = { 0, 0, 0 };
        t.kind = (uint8_t)i;
        t.flags = (uint16_t)(i * 1000);
        params[i / 12][i / 4 % 3][i % 4] = t;
    }
    memset(out, 0, sizeof out);

    d.params    = ndg_dims3(levels, height, width);
    d.indices   = ndg_dims2(count, 2);
    d.elem_size = sizeof(tile);
    CHECK(ndg_gather_nd(out, sizeof out, params, idx, &d, &report) == NDG_OK);
    for (i = 0; i < count; i++)
        CHECK(!memcmp(out[i], params[idx[i][0]][idx[i][1]], sizeof out[i]));

    memset(out, 0, sizeof out);
    if (ndg_plan_gather_nd(&plan, &d, &report) == NDG_OK)
        ndg_gather_run(&plan, out, plan.out_bytes, params, idx, &report);
    CHECK(plan.out_bytes == out_bytes && plan.rows == count);
    CHECK(!memcmp(out[0], params[1][2], sizeof out[0]));

    memset(out, 0, sizeof out);
    memset(&report, 0, sizeof report);
    for (worker = 0; worker < 2; worker++) {
        first = worker ? 2 : 0;
        last = worker ? 3 : 2;
        ndg_gather_run_range(&plan, out, out_bytes, params, idx,
                             first, last, &part[worker]);
        ndg_report_merge(&report, &part[worker]);
    }
    CHECK(report_clean(&report));
    CHECK(!memcmp(out[2], params[1][0], sizeof out[2]));
}

/* Reports of ranges that are refused: the first part, the largest need. */
static void merged_refusals(void)
{
    ndg_gather_desc d = gather_of(8, ndg_dims1(1), ndg_dims1(4));
    ndg_gather_plan plan;
    ndg_report      all = NDG_ZERO_INIT, r, one = NDG_ZERO_INIT, two;
    const int32_t   ids[4] = { 0, 0, 0, 0 };
    char            out[4], line[99];
    int             k;
    CHECK(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    for (k = 0; k < 4; k++) {
        ndg_gather_run_range(&plan, out, 4, "1234567", ids, k, k + 1, &r);
        ndg_report_merge(&all, &r);
    }
    ndg_report_text(line, sizeof line, &all, NULL);
    CHECK(!strcmp(line, "gather: out holds 4 bytes, 32 are needed"));
    one.status = NDG_E_NULL;
    one.op = NDG_OP_DYNAMIC_PARTITION;
    one.operand = NDG_ARG_OUT;
    two = one;
    one.item = 1;
    two.operand = NDG_ARG_POSITIONS;
    for (k = 0; k < 2; k++) {
        memset(&all, 0, sizeof all);
        ndg_report_merge(&all, k ? &two : &one);
        ndg_report_merge(&all, k ? &one : &two);
        CHECK(all.item == 0 && all.operand == NDG_ARG_POSITIONS);
    }
}

/* Counts below 0, of which no run is, are none. */
static void starts_of_bad_counts(void)
{
    ptrdiff_t counts[6] = { -1, 5, PTRDIFF_MIN, PTRDIFF_MAX, 3, 1 };
    ptrdiff_t first[6];
    static const ptrdiff_t begin[6] = { 0, 0, 0, 5, 0, PTRDIFF_MAX };
    static const ptrdiff_t end[6] = { 0, 5, 0, PTRDIFF_MAX, 3, PTRDIFF_MAX };
    ndg_partition_starts(counts, first, 3, 2);
    CHECK(!memcmp(first, begin, sizeof begin));
    CHECK(!memcmp(counts, end, sizeof end));
}

/* The pictures of >>concepts. */
static void concepts(void)
{
    static const int32_t nd[6] = { 0, 2, 1, 0, 1, 2 }, one[1] = { 1 },
        columns[2] = { 2, 0 }, batch[4] = { 1, 1, 0, 1 };
    static const int32_t s0[2] = { 0, 4 }, s1[2] = { 2, 1 },
        ids[4] = { 1, 0, 0, 1 };
    ndg_gather_desc    d = gather_of(1, ndg_dims2(2, 3), ndg_dims2(3, 2));
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_partition_desc p = partition_of(1, ndg_dims1(4), ndg_dims1(4), 2);
    ndg_scatter_desc   x = scatter_of(1, ndg_dims2(2, 3), ndg_dims2(3, 2));
    ndg_stitch_input   in[2];
    ndg_report         r;
    char               out[8], b0[2], b1[2];
    int32_t            at0[2], at1[2];
    void              *outs[2], *positions[2];
    ptrdiff_t          total, capacity[2] = { 2, 2 }, counts[2];
    CHECK(ndg_gather_nd(out, 3, "abcdef", nd, &d, &r) == NDG_OK);
    CHECK(!memcmp(out, "cdf", 3));
    d.indices = ndg_dims2(1, 1);
    CHECK(ndg_gather_nd(out, 3, "abcdef", one, &d, &r) == NDG_OK);
    CHECK(!memcmp(out, "def", 3));
    d.indices = ndg_dims1(2);
    d.axis = 1;
    CHECK(ndg_gather(out, 4, "abcdef", columns, &d, &r) == NDG_OK);
    CHECK(!memcmp(out, "cafd", 4));
    d.axis = 0;
    d.indices = ndg_dims2(2, 2);
    CHECK(ndg_batch_gather(out, 4, "abcdef", batch, &d, &r) == NDG_OK);
    CHECK(!memcmp(out, "bbde", 4));
    memset(in, 0, sizeof in);
    in[0].indices = s0;
    in[0].data = "AB";
    in[1].indices = s1;
    in[1].data = "CD";
    in[0].indices_shape = in[0].data_shape = ndg_dims1(2);
    in[1].indices_shape = in[1].data_shape = ndg_dims1(2);
    s.elem_size = 1;
    CHECK(ndg_dynamic_stitch(out, 5, &total, in, 2, &s, &r) == NDG_OK);
    CHECK(total == 5 && !memcmp(out, "ADC\0B", 5));
    outs[0] = b0;
    outs[1] = b1;
    positions[0] = at0;
    positions[1] = at1;
    CHECK(ndg_dynamic_partition(outs, positions, capacity, counts, "ABCD", ids,
                                &p, &r) == NDG_OK);
    CHECK(!memcmp(b0, "BC", 2) && !memcmp(b1, "AD", 2));
    CHECK(at0[0] == 1 && at0[1] == 2 && at1[0] == 0 && at1[1] == 3);
    CHECK(ndg_scatter_nd(out, 6, "ABC", nd, &x, &r) == NDG_OK);
    CHECK(!memcmp(out, "\0\0AB\0C", 6));
    memcpy(out, "......", 6);
    x.gaps = NDG_GAPS_KEEP;
    CHECK(ndg_scatter_nd(out, 6, "ABC", nd, &x, &r) == NDG_OK);
    CHECK(!memcmp(out, "..AB.C", 6));
}

/* Positions alone have whatever room a limit promises: more is never used. */
static void room_without_end(void)
{
    static const ptrdiff_t room[4] = { PTRDIFF_MAX, PTRDIFF_MAX / 2 + 1,
                                       PTRDIFF_MAX / 4 + 1, 150 };
    uint8_t   ids[200];
    int32_t   at0[200], at1[200];
    void     *positions[2];
    ndg_partition_desc p = partition_of(1, ndg_dims2(200, 0),
                                        ndg_dims1(200), 2);
    ptrdiff_t capacity[2], counts[2], i, k;
    p.index_type = NDG_U8;
    p.position_type = NDG_I32;
    for (i = 0; i < 200; i++) ids[i] = i % 4 == 3;
    positions[0] = at0;
    positions[1] = at1;
    for (k = 0; k < 4; k++) {
        capacity[0] = capacity[1] = room[k];
        CHECK(ndg_dynamic_partition(0, positions, capacity, counts, 0, ids, &p,
                                    0) == NDG_OK);
        CHECK(counts[0] == 150 && counts[1] == 50 && at0[149] == 198
              && at1[0] == 3 && at1[49] == 199);
    }
}

/* Strings stay where they are; their pointers are gathered. */
static void pointers_to_strings(void)
{
    static const char *const word[3] = { "zero", "one", "two" };
    const char  *out[2];
    const int8_t pick[2] = { 2, 1 };
    CHECK(ndg_gather_rows(out, sizeof out, word, 3, sizeof word[0], 0, pick,
                          NDG_I8, 2, NDG_ERROR, 0) == NDG_OK);
    CHECK(out[0] == word[2] && out[1] == word[1]);
}

/* One flat buffer: the same pointer for every part, starts added to both. */
static void one_flat_buffer(void)
{
    enum { n = 7, parts = 3, workers = 2 };
    static const int8_t keys[n] = { 2, 0, 1, 0, 2, 2, 1 };
    char                flat[n + 1] = ".......";
    int32_t             where[n];
    void               *outs[parts], *positions[parts];
    ptrdiff_t           counts[workers * parts], cursors[workers * parts];
    ptrdiff_t           start = 0, size;
    ndg_partition_desc  d = partition_of(1, ndg_dims1(n), ndg_dims1(n), parts);
    ndg_partition_plan  p;
    ndg_report          r;
    int                 k, w;
    d.index_type = NDG_I8;
    CHECK(ndg_plan_partition(&p, &d, &r) == NDG_OK);
    CHECK(ndg_partition_count(&p, keys, 0, 4, counts, &r) == NDG_OK);
    CHECK(ndg_partition_count(&p, keys, 4, n, counts + parts, &r) == NDG_OK);
    ndg_partition_starts(counts, cursors, workers, parts);
    for (k = 0; k < parts; k++) {
        outs[k] = flat;
        positions[k] = where;
        size = counts[parts + k];       /* the last worker's limit */
        for (w = 0; w < workers; w++) {
            counts[w * parts + k] += start;
            cursors[w * parts + k] += start;
        }
        start += size;
    }
    for (w = workers; w-- > 0;)
        CHECK(ndg_partition_run_range(&p, outs, positions, "ABCDEFG", keys,
                                      w ? 4 : 0, w ? n : 4,
                                      cursors + w * parts, counts + w * parts,
                                      &r) == NDG_OK);
    CHECK(!strcmp(flat, "BDCGAEF"));
    CHECK(where[0] == 1 && where[1] == 3 && where[2] == 2 && where[3] == 6);
    CHECK(where[4] == 0 && where[5] == 4 && where[6] == 5);
}

/* counts [3 workers][2 parts] by hand. */
static void starts_by_hand(void)
{
    ptrdiff_t counts[6] = { 2, 1, 0, 4, 3, 0 }, cursors[6];
    static const ptrdiff_t first[6] = { 0, 0, 2, 1, 2, 5 };
    static const ptrdiff_t limit[6] = { 2, 1, 2, 5, 5, 5 };
    memset(cursors, 0x77, sizeof cursors);
    ndg_partition_starts(counts, cursors, 3, 2);
    CHECK(!memcmp(cursors, first, sizeof first));
    CHECK(!memcmp(counts, limit, sizeof limit));
}

/* ---- zeros ---------------------------------------------------------------*/

/* What the comments at ndg_dims, desc.out, ndg_shape and ndg_gather_run tell
 * to do, done. */
static void recipes(void)
{
    static const ndg_gather_desc in_flash = {
        { 2, 0, { 3, 2 }, { 0 }, 0, 0 }, { 1, 1, { 2 }, { 2 }, 0, 0 }, 1,
        NDG_U8, 0, 0, 0, 0, 0, 0, { 0 }, { 0, 0, { 0 }, { 0 }, 0, 0 },
        0, 0 };
    static const char          pairs[] = "abcdef";
    static const unsigned char ids[4] = { 2, 99, 0, 99 };
    uint16_t        map[50][100], tiles[6000], window[24][40];
    const ptrdiff_t dims[2] = { 24, 40 }, bytes[2] = { 100 * 2, 2 };
    const ptrdiff_t frames[2] = { 5, 3 }, repeat[2] = { 0, 1 };
    const ptrdiff_t planar[2] = { 5, 3 }, planes[2] = { 1, 5 };
    static const signed char route[3] = { 1, -1, 0 };
    ndg_gather_desc d = gather_of(2, ndg_dims1(6000), ndg_dims(2, dims, bytes));
    ndg_gather_plan plan;
    ndg_report      r;
    char            out[16] = "...............";
    int             y, x;

    /* a window that moves: only the address changes */
    for (y = 0; y < 6000; y++) tiles[y] = (uint16_t)(y ^ 0x5a5a);
    for (y = 0; y < 50; y++)
        for (x = 0; x < 100; x++) map[y][x] = (uint16_t)(100 * y + x);
    d.index_type = NDG_U16;
    CHECK(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    for (y = 0; y <= 26; y += 13) {
        CHECK(ndg_gather_run(&plan, window, sizeof window, tiles,
                             &map[y][60 - y], &r) == NDG_OK);
        CHECK(window[0][0] == tiles[100 * y + 60 - y]
              && window[23][39] == tiles[100 * (y + 23) + 99 - y]);
    }
    /* a desc that is a constant */
    CHECK(ndg_gather(out, 4, pairs, ids, &in_flash, &r) == NDG_OK);
    CHECK(out[0] == 'e' && out[1] == 'f' && out[2] == 'a' && out[3] == 'b');

    /* frames by channels, routed into planes; today fewer than the capacity:
     * frames are a batch axis, along which the indices repeat */
    memset(out, '.', 15);
    d = gather_of(1, ndg_dims2(5, 2), ndg_dims(2, frames, repeat));
    d.batch_dims = 1;
    d.axis = 1;
    d.index_type = NDG_I8;
    d.policy = NDG_ZERO;
    d.out = ndg_dims(2, planar, planes);
    d.overlap = NDG_OVERLAP_DISJOINT;        /* 5 frames are not there */
    CHECK(ndg_plan_gather(&plan, &d, &r) == NDG_OK && plan.rows == 15);
    CHECK(ndg_gather_run_range(&plan, out, 13, "aAbBcC", route, 0, 3 * 3, &r)
          == NDG_OK);
    CHECK(memcmp(out, "ABC..\0\0\0..abc..", 15) == 0);
    CHECK(r.bad.count == 3 && r.bad.position == 1 && r.bad.value == -1);
}

static void zero_is_the_safe_default(void)
{
    static const int32_t minus[1] = { -1 };
    ndg_gather_desc      g = NDG_ZERO_INIT;
    ndg_stitch_desc      s = NDG_ZERO_INIT;
    ndg_partition_desc   p = NDG_ZERO_INIT;
    ndg_scatter_desc     x = NDG_ZERO_INIT;
    ndg_scatter_plan     xp;
    ndg_gather_plan      gp;
    ndg_stitch_plan      sp;
    ndg_partition_plan   pp;
    ndg_stitch_input     in;
    ndg_shape            zero = NDG_ZERO_INIT;
    ndg_report           r;
    char                 out[4] = "...";
    ptrdiff_t            total = 3, dims[2];
    CHECK(NDG_I32 == 0 && NDG_DEFAULT == 0 && NDG_NEGATIVE_BAD == 0);
    CHECK(NDG_GAPS_ZERO == 0 && NDG_OVERLAP_CHECK == 0 && NDG_OK == 0);
    CHECK(NDG_DROP == NDG_KEEP);
    /* an element size must be given */
    CHECK(ndg_plan_gather(&gp, &g, &r) != NDG_OK);
    CHECK(ndg_plan_stitch(&sp, &s, &r) == NDG_E_TYPE);
    CHECK(ndg_plan_partition(&pp, &p, &r) != NDG_OK);
    CHECK(ndg_plan_scatter_nd(&xp, &x, &r) == NDG_E_TYPE);
    p.elem_size = 1;
    CHECK(ndg_plan_partition(&pp, &p, &r) == NDG_E_COUNT);
    /* a shape left zero is a scalar */
    g.params = ndg_dims1(4);
    g.elem_size = 1;
    CHECK(ndg_gather_out_dims(&g, dims, 2) == 0);
    CHECK(ndg_gather(out, 1, "abcd", "\0\0\0", &g, &r) == NDG_OK);
    CHECK(out[0] == 'a');
    p.num_partitions = 2;
    CHECK(ndg_plan_partition(&pp, &p, &r) == NDG_OK && pp.rows == 1);
    CHECK(zero.rank == 0 && !zero.strided);
    /* i32, negatives bad, the default policy an error */
    out[0] = '.';
    CHECK(ndg_gather(out, 1, "abcd", minus, &g, &r) == NDG_E_INDEX);
    CHECK(out[0] == '.' && r.bad.value == -1 && r.status == NDG_E_INDEX);
    CHECK(r.op == NDG_OP_GATHER);
    memset(&in, 0, sizeof in);
    in.indices = minus;
    in.data = "a";
    s.elem_size = 1;
    CHECK(ndg_dynamic_stitch(out, 3, &total, &in, 1, &s, &r) == NDG_E_INDEX);
    CHECK(r.bad.list == 0 && r.item == 0);     /* the list is bad.list */
    CHECK(ndg_parallel_dynamic_stitch(out, 3, &total, &in, 1, &s, &r)
          == NDG_E_INDEX && r.op == NDG_OP_PARALLEL_DYNAMIC_STITCH);
    /* of a scatter only out, indices and elem_size are required */
    x.out = ndg_dims1(3);
    x.indices = ndg_dims2(1, 1);
    x.elem_size = 1;
    memcpy(out, "...", 4);
    CHECK(ndg_scatter_nd(out, 3, "a", "\0\0\0", &x, &r) == NDG_OK);
    CHECK(out[0] == 'a' && out[1] == 0 && out[2] == 0);
    CHECK(ndg_scatter_nd(out, 3, "a", minus, &x, &r) == NDG_E_INDEX);
    CHECK(r.bad.value == -1 && r.op == NDG_OP_SCATTER_ND);
    /* an axis of 0 is the first after the batch axes */
    g.params = ndg_dims3(2, 3, 4);
    g.indices = ndg_dims2(2, 5);
    g.batch_dims = 1;
    CHECK(ndg_plan_gather(&gp, &g, &r) == NDG_OK && gp.extent[0] == 3);
    g.batch_dims = -1;
    CHECK(ndg_plan_gather(&gp, &g, &r) == NDG_OK && gp.extent[0] == 3);
    g.batch_dims = 0;
    CHECK(ndg_plan_gather(&gp, &g, &r) == NDG_OK && gp.extent[0] == 2);
    g.axis = -1;
    CHECK(ndg_plan_gather(&gp, &g, &r) == NDG_OK && gp.extent[0] == 4);
}

/* A report is overwritten whole; the ways to say C order are the same. */
static void reports_and_shapes(void)
{
    ptrdiff_t       dims[6] = { 2, 1, 1, 1, 1, 2 }, six[6];
    ndg_gather_desc d = gather_of(1, ndg_dims(6, dims, 0), ndg_dims1(2));
    ndg_report      r = report_stale();
    ndg_shape       s;
    int             i;
    char            out[4];
    static const int32_t idx[2] = { 1, 0 };
    CHECK(ndg_gather(out, 4, "abcd", idx, &d, &r) == NDG_OK);
    CHECK(report_clean(&r) && !memcmp(out, "cdab", 4));
    for (i = 0; i < 6; i++) six[i] = i == 0 ? 2 : 1;
    d.params = ndg_dims(6, dims, six);
    CHECK(ndg_gather(out, 4, "abcd", idx, &d, &r) == NDG_OK);
    CHECK(!memcmp(out, "cdab", 4));
    d.out = ndg_dims(6, dims, 0);               /* a shape without strides */
    CHECK(ndg_gather(out, 4, "abcd", idx, &d, &r) == NDG_OK);
    CHECK(!memcmp(out, "cdab", 4));
    r = report_stale();
    CHECK(ndg_gather(out, 3, "abcd", idx, &d, &r) == NDG_E_CAPACITY);
    CHECK(r.bad.count == 0 && r.rows.holes == 0 && r.item == 0);
    /* dims that have no room for an axis are left as they are */
    CHECK(ndg_gather_out_dims(&d, dims, 1) == 6 && dims[0] == 2
          && dims[1] == 1);
    CHECK(ndg_gather_out_dims(&d, dims, 0) == 6 && dims[0] == 2);
    s = ndg_dims4(1, 2, 3, 4);
    CHECK(s.rank == 4 && s.dim[0] == 1 && s.dim[3] == 4 && !s.strided);
    s = ndg_strided1(7, -3);
    CHECK(s.rank == 1 && s.strided && s.dim[0] == 7 && s.stride[0] == -3);
    s = ndg_strided2(7, -3, 5, 20);
    CHECK(s.rank == 2 && s.strided && s.dim[0] == 7 && s.stride[0] == -3);
    CHECK(s.dim[1] == 5 && s.stride[1] == 20);
    s = ndg_strided3(1, 2, 3, 4, 5, 6);
    CHECK(s.rank == 3 && s.strided && s.dim[0] == 1 && s.stride[0] == 2);
    CHECK(s.dim[2] == 5 && s.stride[2] == 6);
    s = ndg_strided4(1, 2, 3, 4, 5, 6, 7, 8);
    CHECK(s.rank == 4 && s.strided && s.dim[1] == 3 && s.stride[1] == 4);
    CHECK(s.dim[3] == 7 && s.stride[3] == 8);
    s = ndg_dims(6, dims, six);
    CHECK(s.dims == dims && s.strides == six);
}

/* ---- plans ---------------------------------------------------------------*/

static void plans_are_plain_data(void)
{
    ptrdiff_t       most = sizeof(void *) > 4 ? 1024 : 512;
    ptrdiff_t       dims[5] = { 2, 2, 1, 1, 2 };
    ndg_gather_desc d = gather_of(1, ndg_dims(5, dims, 0), ndg_dims1(1));
    ndg_gather_plan a, b, c;
    ndg_report      r;
    int32_t         idx[1] = { 1 };
    char            out[4];
    CHECKF((ptrdiff_t)sizeof a <= most, "%d bytes", (int)sizeof a);
    CHECKF((ptrdiff_t)sizeof(ndg_stitch_plan) <= most, "%d bytes",
           (int)sizeof(ndg_stitch_plan));
    CHECKF((ptrdiff_t)sizeof(ndg_partition_plan) <= most, "%d bytes",
           (int)sizeof(ndg_partition_plan));
    CHECKF((ptrdiff_t)sizeof(ndg_scatter_plan) <= 2 * most, "%d bytes",
           (int)sizeof(ndg_scatter_plan));
    memset(&a, 0xAA, sizeof a);
    memset(&b, 0x55, sizeof b);
    CHECK(ndg_plan_gather(&a, &d, &r) == NDG_OK);
    CHECK(ndg_plan_gather(&b, &d, &r) == NDG_OK);
    memcpy(&c, &a, sizeof a);
    /* neither the desc nor its shapes are needed any more */
    memset(dims, 0x11, sizeof dims);
    memset(&d, 0x11, sizeof d);
    CHECK(ndg_gather_run(&c, out, 4, "abcdefgh", idx, &r) == NDG_OK);
    CHECK(!memcmp(out, "efgh", 4));
    CHECK(!memcmp(&a, &c, sizeof a));           /* read only */
}

/* Axes that lie one within the other are one level, whatever their number. */
static void plans_are_folded(void)
{
    ndg_gather_desc d;
    ndg_gather_plan p;
    ndg_report      r;
    ptrdiff_t       dims[18], strides[18], k;
    for (k = 0; k < 18; k++) {
        dims[k] = 2;
        strides[k] = 0;
    }
    d = gather_of(1, ndg_dims2(2, 4), ndg_dims(18, dims, 0));
    CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK && p.row_levels == 1
          && p.level[0].extent == 1 << 18 && p.copy_levels == 0
          && p.run_bytes == 4 && p.slice_bytes == 4);
    d.indices = ndg_dims(18, dims, strides);    /* all of them one index */
    CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK && p.row_levels == 1
          && p.level[0].indices == 0 && p.rows == 1 << 18);
    d.indices = ndg_dims1(2);
    d.params = ndg_strided3(2, 100, 3, 20, 10, 2);      /* every second byte */
    CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK && p.run_bytes == 1
          && p.copy_levels == 1 && p.level[0].extent == 30
          && p.level[0].source == 2 && p.level[0].out == 1);
}

static void versions(void)
{
    CHECK(ndg_version() == NDG_VERSION);
    CHECK(NDG_VERSION == 10000 * NDG_VERSION_MAJOR + 100 * NDG_VERSION_MINOR
                         + NDG_VERSION_PATCH);
    CHECK(NDG_STATUS_COUNT == 20);
    CHECK(NDG_E_GAP < NDG_E_INDEX && NDG_E_INDEX < NDG_E_CAPACITY);
}

/* ---- what the manual promises, and did not hold once ---------------------*/

/* Negative indices that count up by one are no run of large unsigned ones. */
static void runs_below_zero(void)
{
#if PTRDIFF_MAX > 4294967296
    const ptrdiff_t  rows = 3000000000;
    unsigned char    out[64] = { 0 }, in[2000] = { 0 };
    int32_t          picks[2000];
    ndg_gather_desc  d = gather_of(1, ndg_dims1(rows), ndg_dims1(2000));
    ndg_stitch_desc  s = NDG_ZERO_INIT;
    ndg_stitch_plan  p;
    ndg_list         list = list_of(picks, in, 2000);
    ndg_report       r;
    int              i;
    for (i = 0; i < 2000; i++) picks[i] = -1500000000 + i;
    d.overlap = NDG_OVERLAP_DISJOINT;
    CHECK(ndg_gather(in, sizeof in, out, picks, &d, &r) == NDG_E_INDEX);
    CHECK(r.bad.position == 0 && r.bad.value == -1500000000);
    s.elem_size = 1;
    s.gaps = NDG_GAPS_KEEP;
    s.overlap = NDG_OVERLAP_DISJOINT;
    CHECK(ndg_plan_stitch(&p, &s, &r) == NDG_OK);
    CHECK(ndg_stitch_run(&p, out, rows, rows, &list, 1, NULL, 0, &r)
          == NDG_E_INDEX);
    CHECK(r.bad.position == 0 && r.bad.value == -1500000000);
#endif
}

/* A cursor behind its limit, however far: its part has no room. */
static void cursors_behind_limits(void)
{
    const int32_t      ids[4] = { 1, 1, 0, 1 }, data[4] = { 1, 2, 3, 4 };
    int32_t            a[12], b[12];
    void              *outs[2];
    ptrdiff_t          cursors[2], limits[2];
    ndg_partition_desc d = partition_of(4, ndg_dims1(4), ndg_dims1(4), 2);
    ndg_partition_plan p;
    ndg_report         r;
    int                i, k;
    CHECK(ndg_plan_partition(&p, &d, &r) == NDG_OK);
    for (k = 0; k < 2; k++) {
        for (i = 0; i < 12; i++) a[i] = b[i] = -1;
        outs[0] = a + 4;
        outs[1] = b + 4;
        cursors[0] = k ? 1 : PTRDIFF_MAX;
        limits[0] = cursors[1] = 0;
        limits[1] = 8;
        CHECK(ndg_partition_run_range(&p, outs, NULL, data, ids, 0, 4, cursors,
                                      limits, &r) == NDG_E_CAPACITY);
        CHECK(r.item == 0 && r.value == 0);
        for (i = 0; i < 12; i++) CHECK(a[i] == -1);
        CHECK(cursors[1] == 2 && b[4] == 1 && b[5] == 2 && b[6] == -1);
    }
}

int main(void)
{
    complete_program();
    runs_below_zero();
    cursors_behind_limits();
    described_checked_run();
    merged_refusals();
    starts_of_bad_counts();
    concepts();
    room_without_end();
    pointers_to_strings();
    one_flat_buffer();
    starts_by_hand();
    recipes();
    zero_is_the_safe_default();
    reports_and_shapes();
    plans_are_plain_data();
    plans_are_folded();
    versions();
    return test_end("test_api");
}
