/* test_hostile_common.c - input made to break all operations alike, stitches
 * and reports: see hostile.h. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "hostile.h"

/* ---- overlap -------------------------------------------------------------*/

/* Two channels in one buffer: the spans meet, the elements do not. */
static void disjoint_by_word(void)
{
    unsigned char      b[8];
    uint8_t            idx[4] = { 3, 2, 1, 0 };
    ndg_gather_desc    d = gather_of(1, ndg_strided1(4, 2), ndg_dims1(4));
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_input   in;
    ndg_partition_desc t = partition_of(1, ndg_strided1(4, 2), ndg_dims1(4), 1);
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

static ptrdiff_t saturated(ptrdiff_t a, ptrdiff_t b)
{
    return a < BIG - b ? a + b : BIG;
}

/* Whether x is a and b: the counts of both, the bad row of the first list and
 * place, and the first hole there is. */
static int adds_up(const ndg_report *x, const ndg_report *a,
                   const ndg_report *b)
{
    const ndg_bad *p = &a->bad, *q = &b->bad;
    ptrdiff_t      hole = a->rows.first_hole;
    if (!p->count || (q->count && (q->list < p->list
                      || (q->list == p->list && q->position < p->position))))
        p = q;
    if (!a->rows.holes || (b->rows.holes && b->rows.first_hole < hole))
        hole = b->rows.first_hole;
    return x->bad.count == saturated(a->bad.count, b->bad.count)
        && x->rows.holes == saturated(a->rows.holes, b->rows.holes)
        && x->rows.duplicates == saturated(a->rows.duplicates,
                                           b->rows.duplicates)
        && (!p->count || (a->bad.count && b->bad.count
                          && a->bad.list == b->bad.list
                          && a->bad.position == b->bad.position)
            || bad_same(&x->bad, p, 0))
        && (!x->rows.holes || x->rows.first_hole == hole)
        && x->status == (a->status > b->status ? a->status : b->status);
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
        CHECK(adds_up(&ab, &a, &b));
    }
}

static void unravel(void)
{
    ndg_shape s = ndg_dims3(2, 3, 4), big = ndg_dims4(BIG, 1, 1, 1), zero;
    ndg_shape evil = NDG_ZERO_INIT;     /* of so many dims there are none */
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
    evil.rank = INT_MAX;
    CHECK(ndg_unravel(0, &evil, 1, c, 4) == -1);
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

/* A range of no rows needs no room, however large the whole is; and what it
 * needs is apart from what only other ranges read. */
static void ranges_by_themselves(void)
{
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    sp;
    ndg_partition_desc d = partition_of(1, ndg_dims1(32), ndg_dims1(32), 1);
    ndg_partition_plan p;
    uint8_t            ids[32] = { 0 };
    const uint8_t      data[32] = { 9, 8, 7 };
    void              *outs[1];
    ptrdiff_t          cursor = 0, limit = 4;
    s.elem_size = 2;
    IS(ndg_plan_stitch(&sp, &s, &r), NDG_OK);
    IS(ndg_stitch_run_range(&sp, NULL, 0, PTRDIFF_MAX, NULL, 0, PTRDIFF_MAX,
                            PTRDIFF_MAX, NULL, 0, &r), NDG_OK);
    d.index_type = NDG_U8;
    outs[0] = ids;                   /* over ids that rows 20 ... do not read */
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    IS(ndg_partition_run_range(&p, outs, NULL, data, ids, 20, 24, &cursor,
                               &limit, &r), NDG_OK);
    cursor = 0;
    IS(ndg_partition_run_range(&p, outs, NULL, data, ids, 2, 6, &cursor,
                               &limit, &r), NDG_E_OVERLAP);
}

/* ---- stitches ------------------------------------------------------------*/

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
    ndg_list              list;
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
        list = list_of(k ? (const void *)narrow : wide, data, COUNT);
        IS(ndg_plan_stitch(&p, &d, &r), NDG_OK);
        IS(ndg_stitch_run_range(&p, out, sizeof out, wraps + ROWS, &list, 1, 0,
                                ROWS, 0, 0, &r), NDG_OK);
        CHECK(r.bad.count == 1 && r.bad.position == 9 && r.bad.value == -1);
        for (i = 0; i < ROWS; i++)
            CHECK(out[i * BYTES] == (i == 3 || i == 8 ? 7 : 0));
    }
}

/* The strides of a list of one row say where a second would lie: anywhere. */
static void one_entry_of_any_stride(void)
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
            ndg_list      list = list_of(&index, "x", 1);
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
static void one_bad_entry_of_any_stride(void)
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
            ndg_list      list = list_of(&index, "x", 1);
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

/* ---- what a call can do without, or must say so --------------------------*/

static void nobody_there(void)
{
    ndg_report a, was;
    ptrdiff_t  counts[2] = { 5, 6 }, cursors[2] = { 7, 8 };
    memset(&a, 0, sizeof a);
    a.status = NDG_E_RANK;
    a.op = NDG_OP_GATHER;
    was = a;
    ndg_report_merge(&a, NULL);
    ndg_report_merge(NULL, &a);
    ndg_report_merge(NULL, NULL);
    CHECK(!memcmp(&a, &was, sizeof a));

    CHECK(ndg_gather_out_bytes(NULL, 0, 0) == -1);
    CHECK(ndg_gather_out_dims(NULL, counts, 2) == -1);
    CHECK(ndg_gather_nd_out_dims(NULL, counts, 2) == -1);
    CHECK(ndg_batch_gather_out_dims(NULL, counts, 2) == -1);
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
    CHECK(ndg_stitch_scratch_bytes(&plan, BIG) == BIG / 8 + 1);
    CHECK(ndg_stitch_total(&plan, NULL, 0, &total, &r) == NDG_OK && total == 0);
}

static void partitions(void)
{
    const uint8_t      data[4] = { 1, 2, 3, 4 }, ids[4] = { 1, 0, 1, 1 };
    uint8_t            a[4] = { 0 }, b[4] = { 0 }, p0[4] = { 9 }, p1[4] = { 9 };
    void              *outs[2], *positions[2];
    ptrdiff_t          counts[2], cursors[2];
    const ptrdiff_t    capacity[2] = { 4, 4 };
    ndg_partition_desc d = partition_of(1, ndg_dims1(4), ndg_dims1(4), 2);
    ndg_partition_plan plan;
    outs[0] = a;
    outs[1] = b;
    positions[0] = p0;
    positions[1] = p1;
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
    ndg_gather_desc  d = gather_of(1, ndg_dims2(3, 0), ndg_dims1(4));
    ndg_stitch_desc  s = NDG_ZERO_INIT;
    ndg_stitch_input in;
    ndg_list         list;
    d.index_type = s.index_type = NDG_U8;
    s.elem_size = 1;
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
    ndg_partition_desc d = partition_of(1, ndg_dims2(4, 2), ndg_strided1(4, 3),
                                        2);
    ndg_partition_plan split;
    ndg_list           list = list_of(index, more, 4);
    memset(bytes, 0, sizeof bytes);

    /* no rows at all, in the midst of the indices, and of the data */
    s.slice = ndg_dims1(2);
    s.elem_size = 1;
    s.index_type = NDG_U8;
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
    disjoint_by_word();
    merging_is_algebra();
    unravel();
    ranges_by_themselves();
    every_status_has_a_text();
    rows_beyond_all_addresses();
    one_entry_of_any_stride();
    one_bad_entry_of_any_stride();
    nobody_there();
    just_enough();
    apart();
    tensors();
    partitions();
    return test_end("test_hostile_common");
}
