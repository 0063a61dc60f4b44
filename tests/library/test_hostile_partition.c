/* test_hostile_partition.c - input made to break a partition: see hostile.h. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "hostile.h"

/* ---- capacity, ranges ----------------------------------------------------*/

/* The largest position of each type, and the next one: of so many rows that
 * all of them are one in memory. */
static void the_largest_position(void)
{
    static const int64_t most[8] = { INT32_MAX, INT8_MAX, INT16_MAX, INT64_MAX,
                                     UINT8_MAX, UINT16_MAX, UINT32_MAX,
                                     INT64_MAX };
    static const uint8_t id;
    ndg_partition_desc   d;
    ndg_partition_plan   p;
    unsigned char        out[2], at[16];
    void                *outs[1], *positions[1];
    const ptrdiff_t      limit[1] = { 1 };
    ptrdiff_t            cursor[1], rows;
    int                  type, is_u64;
    outs[0] = out;
    positions[0] = at;
    for (type = 0; type < 8; type++) {
        if (most[type] > PTRDIFF_MAX - 2) continue;
        rows = (ptrdiff_t)most[type] + 2;
        d = partition_of(1, ndg_strided1(rows, 0), ndg_strided1(rows, 0), 1);
        d.index_type = NDG_U8;
        d.position_type = type;
        IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
        memset(out, FRESH, sizeof out);
        memset(at, FRESH, sizeof at);
        cursor[0] = 0;
        REFUSES(ndg_partition_run_range(&p, outs, positions, "a", &id, rows - 1,
                                        rows, cursor, limit, &r),
                NDG_E_OVERFLOW, NDG_ARG_POSITIONS);
        CHECK(r.value == rows - 1 && r.bound == rows - 2);
        CHECK(all_fresh(out, 2) && all_fresh(at, 16) && cursor[0] == 0);
        IS(ndg_partition_run_range(&p, outs, positions, "a", &id, rows - 2,
                                   rows - 1, cursor, limit, &r), NDG_OK);
        CHECK(out[0] == 'a' && cursor[0] == 1
              && index_get(at, type, &is_u64) == most[type]);
    }
}

/* ---- corners -------------------------------------------------------------*/

/* Counts of so many parts could not be addressed. */
static void more_parts_than_memory(void)
{
    const ptrdiff_t    most = PTRDIFF_MAX / (ptrdiff_t)sizeof(ptrdiff_t);
    ndg_partition_desc d = partition_of(1, ndg_dims1(1), ndg_dims1(1), most);
    ndg_partition_plan p;
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    d.num_partitions = most + 1;
    IS(ndg_plan_partition(&p, &d, &r), NDG_E_OVERFLOW);
    CHECK(r.operand == NDG_ARG_NUM_PARTITIONS && r.value == most + 1
          && r.bound == 0);
}

/* A part that is full keeps the count of its rows, be it one whose bytes could
 * not be counted. */
static void a_full_part_of_many_rows(void)
{
    const int64_t      data[4] = { 1, 2, 3, 4 };
    const ptrdiff_t    many = BIG / 4 + 1;
    ndg_partition_desc d = partition_of(8, ndg_dims1(4), ndg_dims1(4), 2);
    ndg_partition_plan p;
    int                full;
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    for (full = 0; full < 2; full++) {
        const int other = !full;
        int32_t   ids[4];
        int64_t   out[2][4];
        void     *outs[2];
        ptrdiff_t cursors[2], limits[2];
        ids[0] = ids[2] = ids[3] = other;
        ids[1] = full;
        outs[0] = out[0];
        outs[1] = out[1];
        memset(out, FRESH, sizeof out);
        cursors[full] = limits[full] = many;
        cursors[other] = 0;
        limits[other] = 4;
        IS(ndg_partition_run_range(&p, outs, 0, data, ids, 0, 4, cursors,
                                   limits, &r), NDG_E_CAPACITY);
        CHECK(r.item == full && cursors[full] == many);
        SAYS(many, many + 1);
        CHECK(cursors[other] == 1 && out[other][0] == 1);
        CHECK(all_fresh(out[other] + 1, 24) && all_fresh(out[full], 32));
    }
}

/* A range that may write a position so far behind that its place would wrap is
 * refused, whatever the ids. More room than can be is not, if no range goes so
 * far; nor does the limit of a part count that is full, or whose positions
 * nobody wants. */
static void positions_beyond_all_addresses(void)
{
    const ptrdiff_t    most = BIG / 8;
    int32_t            ids[2] = { -1, -1 };
    int64_t            at[2];
    void              *where[1];
    ndg_partition_desc d = partition_of(4, ndg_dims2(2, 0), ndg_dims1(2), 1);
    ndg_partition_plan p;
    ptrdiff_t          cursor, limit;
    where[0] = at;
    d.position_type = NDG_I64;
    d.policy = NDG_DROP;
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    memset(at, FRESH, sizeof at);
#define RANGE(where)                                                          \
    ndg_partition_run_range(&p, 0, where, 0, ids, 0, 2, &cursor, &limit, &r)
    for (limit = most - 1; limit < BIG - most; limit += limit > most ? most : 1)
        for (cursor = most - 3; cursor <= most; cursor++) {
            if (cursor >= limit || cursor + 2 <= most || limit <= most)
                IS(RANGE(where), NDG_OK);
            else REFUSES(RANGE(where), NDG_E_OVERFLOW, NDG_ARG_POSITIONS);
        }
    CHECK(all_fresh(at, 16));
    ids[0] = 0;
    cursor = limit = BIG;
    IS(RANGE(where), NDG_E_CAPACITY);
    cursor = BIG - 1;
    IS(RANGE(NULL), NDG_OK);
    CHECK(cursor == BIG);
    cursor = 0;
    IS(RANGE(where), NDG_OK);
    CHECK(cursor == 1 && at[0] == 0 && all_fresh(at + 1, 8));
#undef RANGE
}

/* An id, int32_t or uint8_t, in memory of just its size. */
static const void *one_id(int type, int value)
{
    static int32_t wide;
    static uint8_t narrow;
    wide = value;
    narrow = (uint8_t)value;
    return type == NDG_I32 ? (const void *)&wide : &narrow;
}

/* One row's strides are not followed, whatever they are. */
static void one_row_of_any_stride(void)
{
    static const ptrdiff_t strides[] = { PTRDIFF_MIN, PTRDIFF_MIN / 2, -1, 1,
                                         PTRDIFF_MAX / 2, PTRDIFF_MAX };
    int                    i, k;
    for (i = 0; i < 6; i++)
        for (k = 0; k < 32; k++) {
            const int          type = k & 1 ? NDG_I32 : NDG_U8, bad = k & 2;
            const ptrdiff_t    bytes = k & 4 ? 300 : 1;
            const int          policy = k & 8 ? NDG_DROP : NDG_ERROR;
            const int          want = bad && policy == NDG_ERROR
                                    ? NDG_E_INDEX : NDG_OK;
            ndg_partition_desc d = partition_of(1,
                ndg_strided2(1, strides[i], bytes, 1),
                ndg_strided1(1, strides[5 - i]), 1);
            ndg_partition_plan p;
            const void        *id = one_id(type, bad ? 1 : 0);
            unsigned char      data[300], out[300], at[4];
            void              *outs[1], *positions[1];
            ptrdiff_t          count, cursor;
            outs[0] = out;
            positions[0] = at;
            memset(data, 'x', sizeof data);
            memset(out, FRESH, sizeof out);
            d.index_type = d.position_type = type;
            d.policy = policy;
            IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
            IS(ndg_partition_count(&p, id, 0, 1, &count, &r), want);
            CHECK(count == !bad && r.bad.count == (bad ? 1 : 0));
            count = 1;
            IS(ndg_partition_run(&p, outs, k & 16 ? positions : 0, data, id, 1,
                                 &count, &cursor, &r), want);
            CHECK(cursor == !bad && r.bad.count == (bad ? 1 : 0));
            CHECK(bad ? all_fresh(out, 300) : out[bytes - 1] == 'x');
        }
}

/* Of rows so far apart that the next is at no address one may run. */
static void one_row_of_two_that_are_far_apart(void)
{
    const ptrdiff_t away = PTRDIFF_MIN / 2;
    int             k;
    for (k = 0; k < 8; k++) {
        const int          type = k & 1 ? NDG_I32 : NDG_U8, bad = k & 2;
        ndg_partition_desc d = NDG_ZERO_INIT;
        ndg_partition_plan p;
        const void        *id = one_id(type, bad ? 1 : 0);
        unsigned char      out = FRESH;
        void              *outs[1];
        ptrdiff_t          count = 1, cursor = 0;
        outs[0] = &out;
        d.data = d.partitions = ndg_strided1(2, away);
        d.elem_size = d.num_partitions = 1;
        d.index_type = type;
        d.policy = NDG_DROP;
        d.overlap = k & 4 ? NDG_OVERLAP_DISJOINT : NDG_OVERLAP_CHECK;
        IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
        IS(ndg_partition_run_range(&p, outs, 0, "x", id, 0, 1, &cursor, &count,
                                   &r), NDG_OK);
        CHECK(out == (bad ? FRESH : 'x') && cursor == !bad);
        IS(ndg_partition_count(&p, id, 0, 1, &count, &r), NDG_OK);
        CHECK(count == !bad);
    }
}

/* Where no part has room, or gets a row, outs are as little needed as if there
 * were no rows: sizes can be asked for whatever becomes of the ids. */
static void no_outs_for_no_room(void)
{
    static const ptrdiff_t none[2];
    const int32_t          dropped[3] = { -1, 9, -1 }, some[3] = { -1, 1, -1 };
    ndg_partition_desc     d = partition_of(1, ndg_dims1(3), ndg_dims1(3), 2);
    ndg_partition_plan     p;
    ptrdiff_t              counts[2], cursors[2] = { 0, 0 };
    d.policy = NDG_DROP;
    IS(ndg_dynamic_partition(0, 0, none, counts, "abc", dropped, &d, &r),
       NDG_OK);
    CHECK(counts[0] == 0 && counts[1] == 0 && r.bad.count == 3);
    IS(ndg_dynamic_partition(0, 0, none, counts, "abc", some, &d, &r),
       NDG_E_CAPACITY);
    CHECK(counts[0] == 0 && counts[1] == 1 && r.item == 1);
    IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
    IS(ndg_partition_run(&p, 0, 0, "abc", dropped, 3, none, cursors, &r),
       NDG_OK);
    CHECK(r.bad.count == 3);
    IS(ndg_partition_run(&p, 0, 0, "abc", some, 3, none, cursors, &r),
       NDG_E_CAPACITY);
    SAYS(0, 1);
    /* nor is data */
    IS(ndg_dynamic_partition(0, 0, none, counts, 0, dropped, &d, &r), NDG_OK);
    CHECK(r.bad.count == 3);
    IS(ndg_partition_run(&p, 0, 0, 0, some, 3, none, cursors, &r),
       NDG_E_CAPACITY);
    IS(ndg_partition_run_range(&p, 0, 0, 0, some, 1, 3, cursors, none, &r),
       NDG_E_CAPACITY);
}

/* Ids so far apart that on 32 bits there is no address a step behind the last:
 * none is formed. UBSan saw it. */
static void ids_over_all_memory(void)
{
#if defined(__linux__) && PTRDIFF_MAX == INT32_MAX
    const ptrdiff_t    step = (PTRDIFF_MAX - 64) / 3;
    uint8_t *const     ids = (uint8_t *)calloc((size_t)(3 * step + 1), 1);
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan p;
    ptrdiff_t          counts[2];
    int                back;
    if (!ids) {
        printf("skip: test_hostile_partition: no 2 GiB of address\n");
        return;
    }
    d.data = ndg_dims2(4, 0);
    d.elem_size = 1;
    d.num_partitions = 2;
    d.index_type = NDG_U8;
    for (back = 0; back < 2; back++) {
        d.partitions = ndg_strided1(4, back ? -step : step);
        IS(ndg_plan_partition(&p, &d, &r), NDG_OK);
        IS(ndg_partition_count(&p, ids + (back ? 3 * step : 0), 0, 4, counts,
                               &r), NDG_OK);
        CHECK(counts[0] == 4 && counts[1] == 0);
    }
    free(ids);
#endif
}

int main(void)
{
    no_outs_for_no_room();
    ids_over_all_memory();
    the_largest_position();
    more_parts_than_memory();
    a_full_part_of_many_rows();
    positions_beyond_all_addresses();
    one_row_of_any_stride();
    one_row_of_two_that_are_far_apart();
    return test_end("test_hostile_partition");
}
