/* newcomer.c - a made-up index type and policy, which test_newcomer.sh adds to
 * the header: by NDG_U24 everything is as by NDG_U32; under NDG_LAST a gather
 * is one by indices of which the bad ones were put right before. */
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#include <stdio.h>

enum { MOST = 3000, DEPTH = 5, ROW = 200, PARTS = 200 };

static uint32_t       state = 1, ids[MOST * DEPTH], right[MOST * DEPTH];
static unsigned char  ids3[MOST * DEPTH * 3], table[7776 * ROW];
static unsigned char  out[2][MOST * ROW], spread[2][PARTS * ROW];
static unsigned char  part[MOST * ROW], at3[MOST * 3 + 1];
static uint32_t       at4[MOST];
static ndg_report     report[2];
static int            failed;

static uint32_t below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static void check(int ok, const char *what, int turn)
{
    if (!ok && failed++ < 9) printf("%s, turn %d\n", what, turn);
}

static void put3(unsigned char *to, uint32_t v)
{
    to[0] = (unsigned char)v;
    to[1] = (unsigned char)(v >> 8);
    to[2] = (unsigned char)(v >> 16);
}

static uint32_t get3(const unsigned char *p)
{
    return (uint32_t)(p[0] | p[1] << 8 | p[2] << 16);
}

/* Of bad ones none, some or one in three. */
static void choose(ptrdiff_t n, int depth, const ptrdiff_t *dims)
{
    const uint32_t bad = below(3);
    ptrdiff_t      i;
    for (i = 0; i < n * depth; i++) {
        const uint32_t extent = (uint32_t)dims[i % depth];
        ids[i] = below(bad && below(bad == 1 ? 3 : 50) == 0 ? 0xFFFFFF
                                                            : extent);
        right[i] = ids[i] < extent ? ids[i] : extent - 1;
        put3(ids3 + 3 * i, ids[i]);
    }
}

static void alike(int a, int b, ptrdiff_t bytes, const char *what, int turn)
{
    check(a == b && (a == NDG_OK || a == NDG_E_INDEX), what, turn);
    check(a || !memcmp(out[0], out[1], (size_t)bytes), what, turn);
}

static void gather(int depth, const ptrdiff_t *dims, ptrdiff_t n,
        ptrdiff_t row, int policy, int turn)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    int             status;
    if (policy == NDG_FILL && row > (ptrdiff_t)sizeof d.fill) return;
    d.params = ndg_dims(depth, dims, 0);
    d.indices = ndg_dims2(n, depth);
    d.elem_size = row;
    d.policy = policy;
    if (policy != NDG_LAST && below(4) == 0) {
        d.index_mask = 0x3F;
        d.index_add = (int)below(3) - 1;
    }
    d.index_type = NDG_U24;
    status = ndg_gather_nd(out[0], n * row, table, ids3, &d, &report[0]);
    d.index_type = NDG_U32;
    if (policy == NDG_LAST) d.policy = NDG_ERROR;
    alike(status, ndg_gather_nd(out[1], n * row, table, policy == NDG_LAST
                                ? right : ids, &d, &report[1]), n * row,
          "gather_nd", turn);
    if (policy == NDG_LAST || status) return;
    check(report[0].bad.count == report[1].bad.count
          && report[0].bad.position == report[1].bad.position
          && report[0].bad.value == report[1].bad.value, "report", turn);
}

static void rows(ptrdiff_t extent, ptrdiff_t n, ptrdiff_t row, int policy,
        int turn)
{
    const int last = policy == NDG_LAST;
    alike(ndg_gather_rows(out[0], n * row, table, extent, row, 0, ids3,
                          NDG_U24, n, policy, &report[0]),
          ndg_gather_rows(out[1], n * row, table, extent, row, 0,
                          last ? right : ids, NDG_U32, n,
                          last ? NDG_ERROR : policy, &report[1]), n * row,
          "gather_rows", turn);
}

static void stitch(ptrdiff_t extent, ptrdiff_t n, ptrdiff_t row, int turn)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan plan;
    int             k;
    d.elem_size = row;
    d.policy = NDG_DROP;
    for (k = 0; k < 2; k++) {
        ndg_list list = NDG_ZERO_INIT;
        list.count = n;
        list.indices = k ? (const void *)ids : ids3;
        list.data = table;
        d.index_type = k ? NDG_U32 : NDG_U24;
        check(!ndg_plan_stitch(&plan, &d, &report[k])
              && !ndg_stitch_run(&plan, spread[k], extent * row, extent, &list,
                                 1, 0, 0, &report[k]), "a stitch", turn);
    }
    check(!memcmp(spread[0], spread[1], (size_t)(extent * row)), "stitch",
          turn);
}

static void partition(ptrdiff_t extent, ptrdiff_t n, int turn)
{
    static ptrdiff_t   counts[2][PARTS], cursors[PARTS];
    void              *outs[PARTS], *at[2][PARTS];
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    ptrdiff_t          k, i, sum = 0;
    d.elem_size = 1;
    d.num_partitions = extent;
    d.data = d.partitions = ndg_dims1(n);
    d.policy = NDG_DROP;
    for (k = 0; k < 2; k++) {
        const void *p = k ? (const void *)ids : ids3;
        d.index_type = d.position_type = k ? NDG_U32 : NDG_U24;
        check(!ndg_plan_partition(&plan, &d, 0)
              && !ndg_partition_count(&plan, p, 0, n, counts[k], 0), "counts",
              turn);
        for (i = sum = 0; i < extent; sum += counts[k][i++]) {
            outs[i] = part + sum;
            at[0][i] = at3 + 3 * sum;
            at[1][i] = at4 + sum;
        }
        check(!ndg_partition_run(&plan, outs, at[k], table, p, n, counts[k],
                                 cursors, 0), "a partition", turn);
    }
    for (i = 0; i < sum; i++)
        check(get3(at3 + 3 * i) == at4[i], "positions", turn);
}

int main(void)
{
    static const ptrdiff_t bytes[] = { 1, 2, 3, 4, 8, 12, 16, 24, 64, 200 };
    int turn;
    for (turn = 0; turn < (int)sizeof table; turn++)
        table[turn] = (unsigned char)below(256);
    for (turn = 0; turn < 3000; turn++) {
        const int       depth = 1 + (int)below(DEPTH);
        const ptrdiff_t n = below(3) ? below(40) : below(MOST);
        const ptrdiff_t row = bytes[below(10)];
        const int       policy = (int)below(NDG_LAST + 1);
        ptrdiff_t       dims[DEPTH];
        int             k;
        for (k = 0; k < depth; k++)
            dims[k] = 1 + below(depth == 1 ? PARTS : 6);
        choose(n, depth, dims);
        memcpy(out[1], out[0], sizeof *out);          /* some rows are kept */
        if (policy == NDG_ASSUME_VALID) continue;
        gather(depth, dims, n, row, policy, turn);
        if (depth > 1) continue;
        if (policy != NDG_FILL) rows(dims[0], n, row, policy, turn);
        stitch(dims[0], n, row, turn);
        partition(dims[0], n, turn);
    }
    return failed != 0;
}
