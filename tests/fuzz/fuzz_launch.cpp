/* fuzz_launch.cpp - what the launchers of ndgather_cuda.cuh check on the host:
 * any plan, sizes and ranges at which arithmetic breaks, pointers that are NULL
 * or odd. Of the emulator it takes a stream that is no more: what passes all
 * checks gets as far as the launch, which says so, and no kernel runs. So the
 * arrays need not be there, and may be as large as they like.
 *
 * A call that is accepted must ask for nothing that the manual refuses; one
 * that nothing is wrong with must not be refused. Sanitizers see the rest. */
#include "../cuda/emul/cuda_emul.h"

#define NDG_STATIC
#define NDGATHER_IMPLEMENTATION
#define NDG_CUDA_IMPLEMENTATION
#include "ndgather_cuda.cuh"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef long double wide;               /* exact up to 2^64 */

struct input {
    const uint8_t *at, *end;
    int byte() { return at < end ? *at++ : 0; }
    int below(int n) { return byte() % n; }
    /* Sizes at which arithmetic breaks, and their neighbours. */
    ptrdiff_t number()
    {
        static const ptrdiff_t some[16] = {
            0, 1, PTRDIFF_MAX, PTRDIFF_MIN, PTRDIFF_MAX / 2, PTRDIFF_MIN / 2,
            PTRDIFF_MAX / 8, (ptrdiff_t)1 << 56, (ptrdiff_t)1 << 31, 65536,
            INT_MAX, (ptrdiff_t)1 << 32, 257, (ptrdiff_t)1 << 60, 8, 100
        };
        const size_t base = (size_t)some[below(16)];
        return (ptrdiff_t)(base + (size_t)(int8_t)byte());
    }
    /* As it should be, mostly. */
    ptrdiff_t near(ptrdiff_t right)
    {
        const int b = byte();
        return b < 180 ? right : b < 220
             ? (ptrdiff_t)((size_t)right + (size_t)(int8_t)byte()) : number();
    }
    ptrdiff_t extent()
    {
        const int b = byte();
        return b < 160 ? b % 9 : b < 200 ? b * 7 : number();
    }
    /* NULL, or an address that nobody looks at, aligned or not. */
    char *address(uintptr_t place)
    {
        const int b = byte();
        return b < 12 ? 0 : (char *)(place + (b < 24 ? (uintptr_t)b : 0));
    }
};

static input        in;
static cudaStream_t nowhere;
static const char  *at_work;

static void expect(bool ok, const char *what)
{
    if (ok) return;
    printf("fuzz_launch.cpp: %s: %s\n", at_work, what);
    fflush(stdout);
    abort();
}

/* Whether a launcher has accepted a call. */
static bool accepted(cudaError_t e)
{
    emu_forgive();
    expect(e == cudaSuccess || e == cudaErrorInvalidValue
           || e == cudaErrorInvalidResourceHandle, "another error");
    return e != cudaErrorInvalidValue;
}

/* Some addresses, TiB apart. */
enum { OUT = 1, PARAMS, INDICES, SCRATCH, LISTS, REPORT, LIMIT, MORE };
static char *some(int which) { return in.address((uintptr_t)which << 44); }
template <class T> static T *typed(int which)       /* NULL or aligned */
{
    return in.byte() < 12 ? 0 : (T *)((uintptr_t)which << 44);
}

/* Extents and strides of up to 8 axes. */
struct axes {
    ptrdiff_t dims[8], strides[8];
    explicit axes(int n)
    {
        for (int i = 0; i < n; i++) {
            dims[i] = in.extent();
            strides[i] = in.number();
        }
    }
    /* `rank` of them, from one on; a third with strides. */
    ndg_shape shape(int rank, int from = 0) const
    {
        return ndg_dims(rank, dims + from, in.below(3) ? 0 : strides + from);
    }
};

static void gathers(void)
{
    axes             a(8);
    ndg_gather_desc  d = NDG_ZERO_INIT;
    ndg_gather_plan  plan = NDG_ZERO_INIT;
    ndg_report       r;
    a.dims[7] = in.below(4);            /* components */
    at_work = "gather";
    d.params = a.shape(in.below(5));
    const int rank = 1 + in.below(4);
    d.indices = a.shape(rank, 8 - rank);
    d.elem_size = 1 + in.below(20);
    d.index_type = in.below(8);
    d.policy = in.below(9);
    d.negative = in.below(2);
    d.overlap = in.below(2) ? NDG_OVERLAP_DISJOINT : 0;
    ndg_plan_gather_nd(&plan, &d, &r);
    const ptrdiff_t first = in.near(0), last = in.near(plan.rows);
    const ptrdiff_t bytes = in.near(plan.out_bytes);
    char *const out = some(OUT), *const params = some(PARAMS);
    char *const indices = some(INDICES);
    ptrdiff_t *const limit = in.below(2) ? typed<ptrdiff_t>(LIMIT) : 0;
    ndg_cuda_report *const report = in.below(2)
                                  ? typed<ndg_cuda_report>(REPORT) : 0;
    const bool range = plan.op && first >= 0 && first <= last
                    && last <= plan.rows;
    const bool some_rows = first < last, some_bytes = plan.run_bytes > 0;
    const bool ok = accepted(ndg_cuda_gather_run_range(&plan, out, bytes,
        params, indices, first, last, limit, report, nowhere));
    if (ok) {
        expect(range, "a range that is none is accepted");
        expect(!some_rows || !some_bytes
               || (out && (params || plan.source_low == plan.source_high)),
               "arrays that are not there are accepted");
        expect(!some_rows || !plan.depth || indices
               || (!some_bytes && !report), "no indices are accepted");
        expect(!(some_bytes && first == 0 && last == plan.rows && some_rows)
               || bytes >= plan.out_bytes, "a short out is accepted");
    } else if (range && out && params && indices && bytes >= plan.out_bytes)
        expect(d.overlap != NDG_OVERLAP_DISJOINT
               || ndg_gather_fits(&plan, out, bytes, params, indices, first,
                                  last, 0), "refused for nothing");
    if (accepted(ndg_cuda_gather_check(&plan, indices, first, last, limit,
                                       report, nowhere)))
        expect(range, "a range that is none is checked");
}

static void partitions(void)
{
    axes               a(4);
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan = NDG_ZERO_INIT;
    ndg_report         r;
    at_work = "partition";
    d.data = a.shape(1 + in.below(4));
    d.partitions = a.shape(1);
    d.elem_size = 1 + in.below(20);
    d.num_partitions = in.below(2) ? 1 + in.below(200) : in.number();
    d.index_type = in.below(8);
    d.position_type = in.below(8);
    d.policy = in.below(9);
    d.out_stride = in.below(4) ? 0 : in.number();
    d.overlap = in.below(2) ? NDG_OVERLAP_DISJOINT : 0;
    ndg_plan_partition(&plan, &d, &r);
    const ptrdiff_t rows = in.near(plan.rows), first = in.near(0);
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, rows);
    const ptrdiff_t given = in.near(need);
    const ptrdiff_t fits = ndg_partition_out_bytes(&plan, rows);
    const ptrdiff_t bytes = in.near(fits);
    char *const out = some(OUT), *const data = some(PARAMS);
    char *const ids = some(INDICES), *const scratch = some(SCRATCH);
    char *const at = in.below(2) ? some(MORE) : 0;
    ptrdiff_t *const counts = typed<ptrdiff_t>(LISTS);
    ptrdiff_t *const cursors = typed<ptrdiff_t>(LIMIT);
    const bool range = plan.op && rows >= 0 && rows <= plan.rows;
    const bool room = need >= 0 && given >= need && (uintptr_t)scratch % 8 == 0;
    const bool there = rows == 0 || (ids && scratch
                                     && (!plan.row.run_bytes || (data && out)));
    if (accepted(ndg_cuda_partition_count(&plan, ids, first, rows, 0, counts, 0,
                                          nowhere)))
        expect(plan.op && first >= 0 && first <= rows && rows <= plan.rows
               && counts && (ids || first == rows), "a count of no rows");
    if (accepted(ndg_cuda_partition_run(&plan, (void *const *)out,
            (void *const *)at, data, ids, rows, 0, counts, cursors, scratch,
            given, 0, nowhere))) {
        expect(range && room, "a run without rows or room is accepted");
        expect(counts && cursors, "a run without counts is accepted");
        expect(there, "arrays that are not there are accepted");
    }
    if (accepted(ndg_cuda_partition_packed(&plan, out, bytes, at, data, ids,
            rows, 0, counts, scratch, given, 0, nowhere))) {
        expect(range && room && counts, "a packed run without room");
        expect(fits >= 0 && bytes >= fits, "a short out is accepted");
        expect(there, "arrays that are not there are accepted");
    }
}

static void stitches(void)
{
    axes            a(3);
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan plan = NDG_ZERO_INIT;
    ndg_report      r;
    at_work = "stitch";
    d.slice = a.shape(in.below(4));
    d.elem_size = 1 + in.below(20);
    d.index_type = in.below(8);
    d.policy = in.below(9);
    d.gaps = in.below(4);
    d.out_stride = in.below(4) ? 0 : in.number();
    ndg_plan_stitch(&plan, &d, &r);
    const ptrdiff_t total = in.below(2) ? in.below(200) : in.number();
    const ptrdiff_t n = in.near(in.below(5)), entries = in.near(in.byte());
    const bool      whole = in.below(2);
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&plan, whole ? total
                                                         : 0, n, entries);
    const ptrdiff_t given = in.near(need);
    const ptrdiff_t fits = ndg_stitch_out_bytes(&plan, total);
    const ptrdiff_t bytes = in.near(fits);
    char *const out = some(OUT), *const scratch = some(SCRATCH);
    const ndg_list *const lists = typed<ndg_list>(LISTS);
    ptrdiff_t *const result = typed<ptrdiff_t>(LIMIT);
    ndg_cuda_stitch_report *const report = in.below(2)
        ? typed<ndg_cuda_stitch_report>(REPORT) : 0;
    const bool room = need >= 0 && given >= need && (uintptr_t)scratch % 8 == 0;
    const bool lists_ok = n >= 0 && entries >= 0 && (lists || n == 0);
    if (!whole && accepted(ndg_cuda_stitch_total(&plan, lists, n, entries,
            result, scratch, given, report, nowhere)))
        expect(plan.op && lists_ok && room && result, "a total of nothing");
    if (accepted((whole ? ndg_cuda_stitch_run : ndg_cuda_stitch_unique)(&plan,
            out, bytes, total, 0, lists, n, entries, scratch, given, report,
            nowhere))) {
        expect(plan.op && total >= 0, "a run of no plan is accepted");
        expect(total == 0 || (lists_ok && room),
               "a run without lists or room is accepted");
        expect(!plan.row.run_bytes || total == 0
               || (out && fits >= 0 && bytes >= fits),
               "a short out is accepted");
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!nowhere) {
        cudaStreamCreate(&nowhere);
        cudaStreamDestroy(nowhere);
    }
    in.at = data;
    in.end = data + size;
    switch (in.below(3)) {
    case 0: gathers(); break;
    case 1: partitions(); break;
    default: stitches(); break;
    }
    return 0;
}
