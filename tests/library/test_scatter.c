/* test_scatter.c - scatter_nd of sizes made to break it: the most axes, the
 * most slots, nothing at all; and which range speaks of a bad row. (Small cases
 * are in test_tables, many rows in test_drawn, all that is refused in
 * test_report, strides, overlaps and ranges of any kind in test_oracle.) */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include "../lib/arrays.h"
#include "../lib/descs.h"

#define BIG PTRDIFF_MAX

static ndg_report r;            /* of the call that is being looked at */

static ndg_scatter_desc desc;
static ndg_scatter_plan plan;
static unsigned char    box[4096];
static const int32_t    ids[8] = { 0, 1, 2, 0, 1, 2, 0, 1 };

/* What the last report says of bad rows; after an error some need not have been
 * counted. */
static int bad_is(ptrdiff_t count, ptrdiff_t position, int component,
                  int64_t value, ptrdiff_t extent)
{
    const ndg_bad *b = &r.bad;
    return (r.status ? b->count >= 1 && b->count <= count
                     : b->count == count) && b->position == position
        && b->component == component && b->value == value
        && b->extent == extent;
}

/* out [3,4] of 4 bytes, two rows of it: what each case begins with. */
static void begin(void)
{
    desc = scatter_of(4, ndg_dims2(3, 4), ndg_dims2(2, 1));
}

/* Plans into what held something else. */
static int plan_is_made(void)
{
    memset(&plan, 0x7F, sizeof plan);
    return ndg_plan_scatter_nd(&plan, &desc, &r) == NDG_OK;
}

/* Batches that reach the rank of out, as many levels as there may be, strides
 * that nobody takes. */
static void most_axes(void)
{
    static const ptrdiff_t huge[3] = { BIG, PTRDIFF_MIN, -BIG };
    ptrdiff_t              two[17];
    int                    i;
    begin();
    desc.batch_dims = 2;
    desc.indices = ndg_dims3(3, 4, 0);
    CHECK(plan_is_made() && plan.slots == 12 && plan.by.rows == 12);
    for (i = 0; i < 3; i++) {
        begin();
        desc.indices = ndg_strided2(1, huge[i], 1, huge[i]);
        desc.data = ndg_strided2(1, huge[i], 4, 4);
        desc.out = ndg_strided2(3, 16, 4, 4);
        CHECK(ndg_scatter_nd(box, 48, box + 64, ids, &desc, &r) == NDG_OK);
        desc.out = ndg_strided3(1, BIG, 3, 16, 4, 4);
        desc.indices = ndg_dims2(1, 2);
        desc.data = ndg_strided2(1, 0, 4, 4);
        CHECK(ndg_scatter_nd(box, 48, box + 64, ids, &desc, &r) == NDG_OK);
    }
    /* of packed arrays only slots can be too many: 16 components of a batch */
    for (i = 0; i < 17; i++) two[i] = 2;
    begin();
    desc.elem_size = 1;
    desc.batch_dims = 1;
    desc.out = ndg_dims(17, two, NULL);
    desc.indices = ndg_dims3(2, 1, 16);
    i = ndg_plan_scatter_nd(&plan, &desc, &r);
    CHECKF(i == NDG_OK || (i == NDG_E_LEVELS && r.operand == NDG_ARG_OUT),
           "16 components and a batch: %s", report_text(&r));
    desc.batch_dims = 0;
    desc.indices = ndg_dims2(2, 16);
    CHECK(plan_is_made() && plan.slots == 65536 && plan.by.slice_bytes == 2);
    two[0] = 0;
    desc.out = ndg_dims(17, two, NULL);
    CHECK(plan_is_made() && plan.slots == 0);
}

/* As large as they may be, and products that an extent of 0 makes harmless. */
static void sizes(void)
{
    static const int32_t at[4] = { 0, 5, 1, 0 };
    begin();
    desc.out = ndg_dims2(BIG / 4, 1);
    CHECK(plan_is_made()
          && plan.slots == BIG / 4 && plan.out_bytes == BIG / 4 * 4);
    CHECK(ndg_scatter_run_range(&plan, box, 4, box + 64, ids, 0, 1, &r)
          == NDG_OK);
    CHECK(ndg_scatter_run(&plan, box, BIG / 4 * 4 - 1, box + 64, ids, &r)
          == NDG_E_CAPACITY);
    begin();
    desc.out = ndg_dims1(BIG);
    desc.elem_size = 1;
    CHECK(plan_is_made() && plan.slots == BIG && plan.out_bytes == BIG);
    memset(box, FRESH, 8);
    CHECK(ndg_scatter_run_range(&plan, box, 2, "abcd", ids, 0, 2, &r)
          == NDG_OK && box[0] == 'a' && box[1] == 'b' && box[2] == FRESH);
    CHECK(ndg_scatter_run_range(&plan, box, BIG - 1, "abcd", ids, BIG - 1,
                                BIG, &r) == NDG_E_CAPACITY && r.bound == BIG);
    begin();
    desc.out = ndg_dims3(BIG, BIG, 0);
    CHECK(plan_is_made() && plan.slots == BIG && plan.out_bytes == 0);
    CHECK(ndg_scatter_run_range(&plan, 0, 0, 0, at, 0, 1, &r) == NDG_OK);
    CHECK(ndg_scatter_run_range(&plan, 0, 0, 0, at, BIG, BIG, &r) == NDG_OK);
    begin();
    desc.out = ndg_dims3(BIG, 0, BIG);
    desc.indices = ndg_dims2(2, 3);
    CHECK(plan_is_made() && plan.slots == 0);
    CHECK(ndg_scatter_run(&plan, 0, 0, 0, ids, &r) == NDG_E_INDEX
          && bad_is(2, 0, 1, 1, 0));
    begin();
    desc.indices = ndg_dims3(BIG, 0, 1);
    CHECK(plan_is_made() && plan.by.rows == 0 && plan.slots == 3);
    desc.indices = ndg_dims3(0, BIG, 1);
    CHECK(plan_is_made() && plan.by.rows == 0);
    /* more rows than there are bytes, of which a check reads two */
    begin();
    desc.indices = ndg_strided2(BIG / 64, 0, 1, 0);
    CHECK(plan_is_made() && plan.by.rows == BIG / 64);
    CHECK(ndg_scatter_check(&plan, at + 1, BIG / 64 - 2, BIG / 64, &r)
          == NDG_E_INDEX && r.bad.count == 2
          && r.bad.position == BIG / 64 - 2 && r.bad.value == 5);
}

/* A pointer is needed iff something can be read or written there. */
static void nulls(void)
{
    static const int32_t bad[2] = { 1, 9 };
    begin();
    desc.indices = ndg_dims2(0, 1);                 /* no rows: to clear */
    CHECK(plan_is_made());
    memset(box, FRESH, 64);
    CHECK(ndg_scatter_run(&plan, box, 48, NULL, NULL, &r) == NDG_OK);
    CHECK(box[0] == 0 && box[47] == 0 && box[48] == FRESH);
    CHECK(ndg_scatter_run(&plan, NULL, 48, NULL, NULL, &r) == NDG_E_NULL);
    CHECK(ndg_scatter_check(&plan, NULL, 0, 0, &r) == NDG_OK);
    CHECK(ndg_scatter_fits(&plan, box, 48, NULL, NULL, 0, 3, &r) == NDG_OK);
    begin();
    desc.indices = ndg_dims2(0, 1);                 /* of slices in pieces */
    desc.out = ndg_strided3(3, 12, 2, 6, 2, 1);
    desc.elem_size = 1;
    CHECK(plan_is_made());
    memset(box, FRESH, 64);
    CHECK(ndg_scatter_run(&plan, box, 48, NULL, NULL, &r) == NDG_OK);
    CHECK(box[0] == 0 && box[2] == FRESH && box[31] == 0 && box[32] == FRESH);
    begin();
    desc.indices = ndg_dims2(3, 0);                 /* vectors of nothing */
    CHECK(ndg_scatter_nd(box, 48, box + 64, NULL, &desc, &r) == NDG_OK);
    begin();
    desc.out = ndg_dims2(3, 0);                     /* slices of nothing */
    CHECK(ndg_scatter_nd(NULL, 0, NULL, ids, &desc, &r) == NDG_OK);
    CHECK(ndg_scatter_nd(NULL, 0, NULL, bad, &desc, &r) == NDG_E_INDEX);
    CHECK(ndg_scatter_nd(NULL, 0, NULL, NULL, &desc, &r) == NDG_E_NULL
          && r.operand == NDG_ARG_INDICES);
    desc.policy = NDG_DROP;
    CHECK(ndg_scatter_nd(NULL, 0, NULL, bad, &desc, &r) == NDG_OK
          && bad_is(1, 1, 0, 9, 3));
    begin();
    desc.out = ndg_dims2(0, 4);                     /* no slots, no rows */
    desc.indices = ndg_dims2(0, 1);
    CHECK(ndg_scatter_nd(NULL, 0, NULL, NULL, &desc, &r) == NDG_OK
          && report_clean(&r));
    desc.indices = ndg_dims2(2, 1);                 /* no slots, but rows */
    CHECK(ndg_scatter_nd(NULL, 0, NULL, bad, &desc, &r) == NDG_E_INDEX);
    CHECK(ndg_scatter_nd(NULL, 0, NULL, NULL, &desc, &r) == NDG_E_NULL);
    CHECK(plan_is_made());
    CHECK(ndg_scatter_run_range(&plan, NULL, 0, NULL, bad, 0, 0, &r)
          == NDG_E_INDEX && r.bad.position == 0);
}

/* Of bad rows only the range with slot 0 speaks, and a check may be had of any
 * rows; a range reads only the rows of data that go to its own slots. */
static void ranges(void)
{
    static const int8_t at[5] = { 3, -1, 0, 9, 2 };
    ndg_scatter_desc    d = scatter_of(1, ndg_dims1(4), ndg_dims2(5, 1));
    ndg_scatter_plan    p;
    ndg_report          sum = NDG_ZERO_INIT, part;
    char                out[5] = "----";
    ptrdiff_t           s;
    d.index_type = NDG_I8;
    d.policy = NDG_DROP;
    d.gaps = NDG_GAPS_KEEP;
    CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
    for (s = 3; s >= 0; s--) {
        CHECK(ndg_scatter_run_range(&p, out, 4, "abcde", at, s, s + 1, &part)
              == NDG_OK && part.bad.count == (s ? 0 : 2));
        ndg_report_merge(&sum, &part);
    }
    CHECK(!strcmp(out, "c-ea") && sum.bad.count == 2
          && sum.bad.position == 1 && sum.bad.value == -1);
    for (s = 0; s <= 4; s++) {                  /* a range of none has none */
        CHECK(ndg_scatter_run_range(&p, out, 4, "abcde", at, s, s, &part)
              == NDG_OK && report_clean(&part));
        CHECK(!strcmp(out, "c-ea"));
    }
    CHECK(ndg_scatter_check(&p, at, 0, 1, &r) == NDG_OK && report_clean(&r));
    CHECK(ndg_scatter_check(&p, at, 2, 5, &r) == NDG_OK
          && bad_is(1, 3, 0, 9, 4));
    CHECK(ndg_scatter_check(&p, at, 0, 5, &r) == NDG_OK
          && bad_is(2, 1, 0, -1, 4));
    d.policy = NDG_ASSUME_VALID;                /* but not what is checked */
    CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
    CHECK(ndg_scatter_check(&p, at, 0, 5, &r) == NDG_E_INDEX
          && bad_is(2, 1, 0, -1, 4));
    CHECK(ndg_scatter_check(&p, at, 4, 5, &r) == NDG_OK && report_clean(&r));
    /* the refusals of ranges, merged: the largest need */
    d.policy = NDG_ERROR;
    CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
    memset(&sum, 0, sizeof sum);
    for (s = 0; s < 4; s++) {
        ndg_scatter_run_range(&p, out, 1, "abcde", at, s, s + 1, &part);
        ndg_report_merge(&sum, &part);
    }
    CHECK(sum.status == NDG_E_CAPACITY && sum.value == 1 && sum.bound == 4);
    /* data of which only row 0 is there, on a heap that a sanitizer guards */
    {
        char *one = (char *)malloc(1);
        if (!one) exit(2);
        one[0] = 'z';
        d.policy = NDG_DROP;
        d.overlap = NDG_OVERLAP_DISJOINT;
        CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
        CHECK(ndg_scatter_run_range(&p, out, 4, one, at, 3, 4, &r) == NDG_OK);
        CHECK(!strcmp(out, "c-ez"));
        free(one);
    }
}

int main(void)
{
    most_axes();
    sizes();
    nulls();
    ranges();
    return test_end("test_scatter");
}
