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

int main(void)
{
    disjoint_by_word();
    merging_is_algebra();
    merging_adds_up();
    unravel();
    ranges_by_themselves();
    whatever_lies_on_the_stack();
    every_status_has_a_text();
    rows_beyond_all_addresses();
    one_entry_of_any_stride();
    one_bad_entry_of_any_stride();
    return test_end("test_hostile_common");
}
