/* test_cuda_cover.cpp - what test_cuda does not reach of ndgather_cuda.cuh,
 * found by tests/coverage: refusals, calls without a report, errors of a stream
 * that is none, and plans that one kernel leaves to another. On the emulator.
 * Device memory comes from cudaMalloc, so a touch of anything else is a fault.
 *
 *     c++ -std=c++11 -O1 -I. tests/cuda/test_cuda_cover.cpp */
#include "emul/cuda_emul.h"

static long test_blocks = 5;
#define NDG_CUDA_MAX_BLOCKS test_blocks
#define NDGATHER_IMPLEMENTATION
#define NDG_CUDA_IMPLEMENTATION
#include "../../ndgather_cuda.cuh"
#include "../lib/test.h"

#define REFUSED(call) CHECK((call) == cudaErrorInvalidValue)

static cudaStream_t nowhere;            /* a stream that is no more */

/* Bytes on the device: a copy of the host's, or all 0xA5. */
struct memory {
    unsigned char *p;
    size_t         n;
    memory(const void *from, size_t bytes) : p(0), n(bytes)
    {
        if (cudaMalloc(&p, n + !n) != cudaSuccess) exit(2);
        if (from) cudaMemcpy(p, from, n, cudaMemcpyHostToDevice);
        else cudaMemset(p, 0xA5, n + !n);
    }
    ~memory() { cudaDeviceSynchronize(); cudaFree(p); }
    template <class T> T *as() const { return (T *)p; }
    bool holds(const void *want) const
    {
        void *const have = malloc(n + !n);
        bool        same;
        cudaMemcpy(have, p, n, cudaMemcpyDeviceToHost);
        same = !memcmp(have, want, n);
        free(have);
        return same;
    }
private:
    memory(const memory &);
    memory &operator=(const memory &);
};

static void no_faults(void)
{
    cudaDeviceSynchronize();
    CHECKF(!emu->failed, "emulator: %s", emu->why);
    emu_forgive();
}

/* ---- gather --------------------------------------------------------------*/
/* Rows of 16 bytes: by the kernel for rows in line, or just not by it. */
struct rows16 {
    ndg_gather_desc d;
    rows16(ndg_shape params, ndg_shape indices) : d()
    {
        d.params = params;
        d.indices = indices;
        d.elem_size = 16;
        d.policy = NDG_ZERO;
    }
    /* The device's bytes, and its report, are the CPU's. */
    void same(const void *params, ptrdiff_t params_at, size_t params_bytes,
              const void *ids, ptrdiff_t ids_at, size_t ids_bytes)
    {
        ndg_gather_plan plan;
        ndg_report      want, got;
        ndg_cuda_report zero = { 0, 0 };
        if (ndg_plan_gather_nd(&plan, &d, &want)) { CHECK(0); return; }
        unsigned char *const out = (unsigned char *)
            malloc((size_t)plan.out_bytes);
        memory p(params, params_bytes), x(ids, ids_bytes);
        memory o(0, (size_t)plan.out_bytes), bad(&zero, sizeof zero);
        ndg_gather_run(&plan, out, plan.out_bytes,
                       (const char *)params + params_at,
                       (const char *)ids + ids_at, &want);
        CHECK(!ndg_cuda_gather_run(&plan, o.p, plan.out_bytes, p.p + params_at,
                                   x.p + ids_at, bad.as<ndg_cuda_report>(),
                                   0));
        CHECK(!ndg_cuda_gather_report_read(&plan, x.p + ids_at,
                                           bad.as<ndg_cuda_report>(), &got, 0));
        no_faults();
        CHECK(o.holds(out));
        CHECK(got.bad.count == want.bad.count
              && got.bad.position == want.bad.position
              && got.bad.value == want.bad.value);
        free(out);
    }
};

static void in_line(void)
{
    static unsigned char table[64];
    static int32_t       ids[(2 << 20) / 4 + 64];
    const ptrdiff_t      far = (ptrdiff_t)1 << 20;
    int                  i;
    for (i = 0; i < 64; i++) table[i] = (unsigned char)(i + 1);
    /* no rows: all is bad, and no block of lanes is full */
    for (i = 0; i < 10; i++) ids[i] = i - 3;
    rows16(ndg_dims1(0), ndg_dims2(10, 1)).same(table, 0, 0, ids, 0, 40);
    /* rows from the last to the first */
    rows16(ndg_strided1(4, -16), ndg_dims2(10, 1))
        .same(table, 48, 64, ids, 0, 40);
    /* indices from the last to the first */
    rows16(ndg_dims1(4), ndg_strided2(10, -4, 1, 4))
        .same(table, 0, 64, ids, 36, 40);
    /* indices, and components of them, a MiB apart, or from the last on */
    memset(ids, 0, sizeof ids);
    ids[far / 4] = 3;
    rows16(ndg_dims1(4), ndg_strided2(2, far, 1, 4))
        .same(table, 0, 64, ids, 0, sizeof ids);
    rows16(ndg_dims2(2, 4), ndg_strided2(2, 4, 2, far))
        .same(table, 0, 128 / 2, ids, 0, sizeof ids);
    rows16(ndg_dims2(2, 2), ndg_strided2(2, 8, 2, -4))
        .same(table, 0, 64, ids, 4, 16);
    /* pairs whose components do not lie side by side, though aligned */
    {
        const int32_t apart[8] = { 1, 1, 0, 0, 0, 0, 1, 0 };
        rows16(ndg_dims2(2, 2), ndg_strided2(2, 16, 2, 8))
            .same(table, 0, 64, apart, 0, sizeof apart);
    }
    /* one row, and the next would be 8 GiB on */
    rows16(ndg_strided1(1, (ptrdiff_t)1 << 33), ndg_dims2(5, 1))
        .same(table, 0, 16, ids, 0, 20);
}

/* A limit below 0: no row is there today. And more rows than a line can have,
 * which are not launched. */
static void limits(void)
{
    const ptrdiff_t rows = (ptrdiff_t)1 << 31, today = -1;
    const int32_t   ids[4] = { 0, 0, 0, 0 };
    unsigned char   fresh[64];
    rows16          t(ndg_dims1(4), ndg_dims2(4, 1));
    rows16          many(ndg_dims1(4), ndg_strided2(rows, 0, 1, 4));
    ndg_gather_plan plan;
    ndg_report      r;
    memory          p(0, 64), x(ids, sizeof ids), o(0, 64);
    memory          limit(&today, sizeof today);
    memset(fresh, 0xA5, sizeof fresh);
    CHECK(ndg_plan_gather_nd(&plan, &t.d, &r) == NDG_OK);
    CHECK(!ndg_cuda_gather_run_range(&plan, o.p, 64, p.p, x.p, 0, 4,
                                     limit.as<ptrdiff_t>(), 0, 0));
    many.d.overlap = NDG_OVERLAP_DISJOINT;
    CHECK(ndg_plan_gather_nd(&plan, &many.d, &r) == NDG_OK);
    CHECK(ndg_cuda_gather_run(&plan, o.p, plan.out_bytes, p.p, x.p, 0, nowhere)
          == cudaErrorInvalidResourceHandle);
    no_faults();
    CHECK(o.holds(fresh));
}

struct one_row {
    const void *from;
    ptrdiff_t   at;
    int         bad;
};

static __global__ void row_kernel(ndg_gather_plan plan, const void *params,
                                  const void *ids, one_row *to)
{
    bool      bad;
    ptrdiff_t at;
    if (threadIdx.x) return;
    to->from = ndg_cuda_gather_row(plan, params, ids, 1, &at, &bad);
    to->at = at;
    to->bad = bad + (ndg_cuda_gather_row(plan, params, ids, 1, 0, &bad)
                     == to->from ? 0 : 2);
}

static void your_own_kernel(void)
{
    const int32_t   ids[2] = { 9, 2 };
    rows16          t(ndg_dims1(4), ndg_dims2(2, 1));
    ndg_gather_plan plan;
    ndg_report      r;
    one_row         got;
    memory          p(0, 64), x(ids, sizeof ids), o(0, sizeof got);
    const void     *params = p.p, *indices = x.p;
    one_row        *to = o.as<one_row>();
    CHECK(ndg_plan_gather_nd(&plan, &t.d, &r) == NDG_OK);
    void *args[] = { &plan, &params, &indices, &to };
    CHECK(!cudaLaunchKernel(row_kernel, dim3(1), dim3(32), args, 0,
                            (cudaStream_t)0));
    no_faults();
    cudaMemcpy(&got, o.p, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(got.from == p.p + 32 && got.at == 16 && got.bad == 0);
}

static void gathers(void)
{
    const int32_t   ids[3] = { 9, 2, 1 };
    rows16          t(ndg_dims1(4), ndg_dims2(3, 1));
    ndg_gather_plan plan, none = ndg_gather_plan();
    ndg_report      r;
    ndg_cuda_report zero = { 0, 0 };
    memory          p(0, 64), x(ids, sizeof ids), o(0, 48);
    memory          bad(&zero, sizeof zero);
    ndg_cuda_report *const report = bad.as<ndg_cuda_report>();
    CHECK(ndg_plan_gather_nd(&plan, &t.d, &r) == NDG_OK);
    /* who asks for no report learns nothing from a check */
    CHECK(!ndg_cuda_gather_check(&plan, x.p, 0, 3, 0, 0, 0));
    REFUSED(ndg_cuda_gather_check(0, x.p, 0, 3, 0, report, 0));
    REFUSED(ndg_cuda_gather_report_read(0, x.p, report, &r, 0));
    REFUSED(ndg_cuda_gather_report_read(&none, x.p, report, &r, 0));
    REFUSED(ndg_cuda_gather_report_read(&plan, x.p, 0, &r, 0));
    REFUSED(ndg_cuda_gather_report_read(&plan, x.p, report, 0, 0));
    CHECK(!ndg_cuda_gather_run(&plan, o.p, 48, p.p, x.p, report, 0));
    no_faults();
    CHECK(ndg_cuda_gather_run(&plan, o.p, 48, p.p, x.p, report, nowhere)
          == cudaErrorInvalidResourceHandle);
    CHECK(ndg_cuda_gather_report_read(&plan, x.p, report, &r, nowhere)
          == cudaErrorInvalidResourceHandle);
    no_faults();
    /* a report, and indices that cannot be read */
    REFUSED(ndg_cuda_gather_report_read(&plan, ids, report, &r, 0));
    CHECK(emu->failed > 0 && r.bad.count == 1 && r.bad.position == 0
          && r.bad.component == -1);
    emu_forgive();
}

/* ---- stitch --------------------------------------------------------------*/
static void stitches(void)
{
    const int32_t   ids[4] = { 2, 0, -1, 3 };
    const uint32_t  data[4] = { 10, 11, 12, 13 };
    const uint32_t  want[4] = { 11, 0xA5A5A5A5u, 10, 13 };
    const uint32_t  woven[4] = { 11, 0, 10, 13 };
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan plan, thin, none = ndg_stitch_plan();
    ndg_report      r;
    ndg_list        list = { 0, 0, 4, 0, 0 };
    ndg_cuda_stitch_report zero = ndg_cuda_stitch_report();
    memory          x(ids, sizeof ids), from(data, sizeof data);
    ndg_cuda_stitch_report one_bad = zero;
    memory          bad(&zero, sizeof zero), scratch(0, 8000), size(0, 8);
    ndg_cuda_stitch_report *const report = bad.as<ndg_cuda_stitch_report>();
    one_bad.bad.count = 1;
    list.indices = x.p;
    list.data = from.p;
    memory          lists(&list, sizeof list);
    const ndg_list *l = lists.as<ndg_list>();
    d.elem_size = 4;
    d.policy = NDG_DROP;
    CHECK(ndg_plan_stitch(&plan, &d, &r) == NDG_OK);
    d.slice = ndg_dims1(0);
    CHECK(ndg_plan_stitch(&thin, &d, &r) == NDG_OK);
    {
        memory o(0, sizeof want), again(0, sizeof want);
        /* more entries are said than the lists hold; no report */
        CHECK(!ndg_cuda_stitch_unique(&plan, o.p, 16, 4, 0, l, 1, 900,
                                      scratch.p, 8000, 0, 0));
        CHECK(!ndg_cuda_stitch_unique(&thin, 0, 0, 4, 0, l, 1, 4, scratch.p,
                                      8000, 0, 0));
        CHECK(!ndg_cuda_stitch_unique(&thin, 0, 0, 4, 0, l, 1, 4, scratch.p,
                                      8000, report, 0));
        CHECK(!ndg_cuda_stitch_run(&plan, again.p, 16, 4, 0, l, 1, 4,
                                   scratch.p, 8000, 0, 0));
        CHECK(!ndg_cuda_stitch_run(&thin, 0, 0, 4, 0, l, 1, 4, scratch.p, 8000,
                                   0, 0));
        CHECK(!ndg_cuda_stitch_total(&plan, l, 1, 4, size.as<ptrdiff_t>(),
                                     scratch.p, 8000, 0, 0));
        no_faults();
        const ptrdiff_t rows = 4;
        CHECK(o.holds(want));
        CHECK(again.holds(woven));
        CHECK(size.holds(&rows));
#define RUN(plan, out, lists, n, entries, scratch)                            \
    ndg_cuda_stitch_run(plan, out, 16, 4, 0, lists, n, entries, scratch, 8000, \
                        report, 0)
        REFUSED(RUN(0, o.p, l, 1, 4, scratch.p));
        REFUSED(RUN(&none, o.p, l, 1, 4, scratch.p));
        REFUSED(RUN(&plan, 0, l, 1, 4, scratch.p));
        REFUSED(RUN(&plan, o.p, l, -1, 4, scratch.p));
        REFUSED(RUN(&plan, o.p, l, 1, -4, scratch.p));
        REFUSED(RUN(&plan, o.p, 0, 1, 4, scratch.p));
        REFUSED(RUN(&plan, o.p, l, 1, PTRDIFF_MAX / 4 + 1, scratch.p));
        CHECK(ndg_cuda_stitch_scratch_bytes(&plan, 4, 1, PTRDIFF_MAX / 4) > 0);
        CHECK(ndg_cuda_stitch_scratch_bytes(&plan, 4, 1, PTRDIFF_MAX / 4 + 1)
              == -1);
        REFUSED(RUN(&plan, o.p, l, 1, 4, 0));
        REFUSED(RUN(&plan, o.p, l, 1, 4, scratch.p + 4));
        REFUSED(ndg_cuda_stitch_total(&plan, l, 1, 4, 0, scratch.p, 8000, 0,
                                      0));
        REFUSED(ndg_cuda_stitch_total(&plan, l, 1, 4, size.as<ptrdiff_t>(),
                                      scratch.p, 7, 0, 0));
        CHECK(ndg_cuda_stitch_total(&plan, l, 1, 4, size.as<ptrdiff_t>(),
                                    scratch.p, 8000, 0, nowhere)
              == cudaErrorInvalidResourceHandle);
        CHECK(ndg_cuda_stitch_run(&plan, o.p, 16, 4, 0, l, 1, 4, scratch.p,
                                  8000, report, nowhere)
              == cudaErrorInvalidResourceHandle);
    }
    REFUSED(ndg_cuda_stitch_report_read(0, 4, l, 1, report, &r, 0));
    REFUSED(ndg_cuda_stitch_report_read(&none, 4, l, 1, report, &r, 0));
    REFUSED(ndg_cuda_stitch_report_read(&plan, 4, l, 1, 0, &r, 0));
    REFUSED(ndg_cuda_stitch_report_read(&plan, 4, l, 1, report, 0, 0));
    CHECK(ndg_cuda_stitch_report_read(&plan, 4, l, 1, report, &r, nowhere)
          == cudaErrorInvalidResourceHandle);
    CHECK(!ndg_cuda_stitch_report_read(&plan, 4, l, 1, report, &r, 0));
    CHECK(r.bad.count == 1 && r.bad.list == 0 && r.bad.position == 2);
    /* the bad one lies behind all lists that are given */
    CHECK(!ndg_cuda_stitch_report_read(&plan, 4, l, 0, report, &r, 0));
    CHECK(r.bad.count == 0 || r.bad.list == 0);
    /* no lists: they are looked at only for where a bad one lies */
    REFUSED(ndg_cuda_stitch_report_read(&plan, 4, 0, 1, report, &r, 0));
    CHECK(!ndg_cuda_stitch_report_read(&plan, 4, 0, 0, report, &r, 0));
    cudaMemcpy(bad.p, &zero, sizeof zero, cudaMemcpyHostToDevice);
    CHECK(!ndg_cuda_stitch_report_read(&plan, 4, 0, 1, report, &r, 0));
    CHECK(r.status == NDG_OK && r.bad.count == 0);
    no_faults();
    cudaMemcpy(bad.p, &one_bad, sizeof one_bad, cudaMemcpyHostToDevice);
    /* lists that cannot be read */
    REFUSED(ndg_cuda_stitch_report_read(&plan, 4, &list, 1, report, &r, 0));
    CHECK(emu->failed > 0);
    emu_forgive();
}

/* ---- partition -----------------------------------------------------------*/
/* Positions alone: rows of no bytes. */
static void positions_alone(ptrdiff_t parts)
{
    enum { ROWS = 400, MOST = 1000 };
    static int32_t     ids[ROWS];
    static uint16_t    want[ROWS];
    ptrdiff_t          offsets[MOST + 1], n = 0, i, k;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    ndg_report         r;
    for (i = 0; i < ROWS; i++) ids[i] = (int32_t)(i * 37 % parts);
    for (k = 0; k < parts; k++) {
        offsets[k] = n;
        for (i = 0; i < ROWS; i++) if (ids[i] == k) want[n++] = (uint16_t)i;
    }
    offsets[parts] = n;
    d.data = ndg_dims2(ROWS, 0);
    d.partitions = ndg_dims1(ROWS);
    d.elem_size = 4;
    d.num_partitions = parts;
    d.position_type = NDG_U16;
    CHECK(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory x(ids, sizeof ids), at(0, sizeof want), scratch(0, (size_t)need);
    memory begins(0, (size_t)(8 * (parts + 1)));
    CHECK(!ndg_cuda_partition_packed(&plan, 0, 0, at.p, 0, x.p, ROWS, 0,
                                     begins.as<ptrdiff_t>(), scratch.p, need, 0,
                                     0));
    no_faults();
    CHECK(at.holds(want));
    CHECK(begins.holds(offsets));
}

/* The ids lie where the first pass writes, so they change under it: nothing
 * outside is touched, and no place taken but a row's. Of 4 bytes they become
 * bad; of 2 some become the number of a row / 8: those of a last digit that no
 * id had, as they were counted, get places behind the last row. */
static void ids_change(int seed, int width)
{
    enum { ROWS = 5000, PARTS = 5000 };
    static int32_t     ids[ROWS];
    static int16_t     small[ROWS];
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    ndg_report         r;
    int                i;
    emu_seed((uint64_t)seed);
    for (i = 0; i < ROWS; i++) {
        ids[i] = seed % 2 ? i % 7 : i;
        small[i] = (int16_t)(i % 100);
    }
    d.data = d.partitions = ndg_dims1(ROWS);
    d.elem_size = 4;
    d.num_partitions = PARTS;
    d.index_type = width == 4 ? NDG_I32 : NDG_I16;
    CHECK(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory from(0, sizeof ids), o(0, sizeof ids), scratch(0, (size_t)need);
    memory begins(0, 8 * (PARTS + 1));
    const ndgi_split_args a = ndgi_split_of(&plan, 0, 0, ROWS, scratch.p);
    if (width == 4) cudaMemcpy(a.words, ids, sizeof ids,
                               cudaMemcpyHostToDevice);
    else cudaMemcpy(a.words, small, sizeof small, cudaMemcpyHostToDevice);
    CHECK(!ndg_cuda_partition_packed(&plan, o.p, sizeof ids, 0, from.p, a.words,
                                     ROWS, 0, begins.as<ptrdiff_t>(), scratch.p,
                                     need, 0, 0));
    no_faults();
}

static void partitions(void)
{
    const int32_t      ids[300] = { 1, 0, 2 };
    ptrdiff_t          zero = 0;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan, narrow, wide, far, none = ndg_partition_plan();
    ndg_partition_plan many, vast, free, long_rows;
    ndg_report         r;
    memory             x(ids, sizeof ids), from(0, 1200), o(0, 1200);
    memory             counts(0, 24), cursors(0, 24), begins(0, 32);
    memory             at(0, 1200), scratch(0, 100000), limit(&zero, 8);
    memory             bad(0, sizeof(ndg_cuda_report));
    void              *outs[3] = { o.p, o.p, o.p };
    memory             outs_at(outs, sizeof outs);
    ptrdiff_t *const   c = counts.as<ptrdiff_t>();
    ptrdiff_t *const   u = cursors.as<ptrdiff_t>();
    ptrdiff_t *const   b = begins.as<ptrdiff_t>();
    ndg_cuda_report *const report = bad.as<ndg_cuda_report>();
    void *const *const to = outs_at.as<void *>();
    d.data = d.partitions = ndg_dims1(300);
    d.elem_size = 4;
    d.num_partitions = 3;
    CHECK(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    d.position_type = NDG_I8;
    CHECK(ndg_plan_partition(&narrow, &d, &r) == NDG_OK);
    d.num_partitions = (ptrdiff_t)1 << 31;
    CHECK(ndg_plan_partition(&wide, &d, &r) == NDG_OK);
    d.num_partitions = ((ptrdiff_t)1 << 56) - 1;
    CHECK(ndg_plan_partition(&many, &d, &r) == NDG_OK);
    d.num_partitions = (ptrdiff_t)1 << 56;
    CHECK(ndg_plan_partition(&vast, &d, &r) == NDG_OK);
    d.num_partitions = 3;
    d.overlap = NDG_OVERLAP_DISJOINT;
    CHECK(ndg_plan_partition(&free, &d, &r) == NDG_OK);
    d.overlap = 0;
    d.data = ndg_dims2(300, 1 << 20);
    CHECK(ndg_plan_partition(&long_rows, &d, &r) == NDG_OK);
    d.data = ndg_strided1(2, (ptrdiff_t)1 << 33);
    d.partitions = ndg_dims1(2);
    CHECK(ndg_plan_partition(&far, &d, &r) == NDG_OK);

    CHECK(ndg_cuda_partition_scratch_bytes(0, 5) == 0);
    CHECK(ndg_cuda_partition_scratch_bytes(&vast, 5) == -1);
    CHECK(ndg_cuda_partition_scratch_bytes(&many, 257) > 0);
    CHECK(ndg_cuda_partition_scratch_bytes(&plan, (ptrdiff_t)1 << 50) > 0);
    CHECK(ndg_cuda_partition_scratch_bytes(&long_rows, (ptrdiff_t)1 << 50)
          == -1);
    REFUSED(ndg_cuda_partition_count(0, x.p, 0, 3, 0, c, 0, 0));
    REFUSED(ndg_cuda_partition_count(&none, x.p, 0, 3, 0, c, 0, 0));
    REFUSED(ndg_cuda_partition_count(&plan, x.p, -1, 3, 0, c, 0, 0));
    REFUSED(ndg_cuda_partition_count(&plan, x.p, 3, 2, 0, c, 0, 0));
    REFUSED(ndg_cuda_partition_count(&plan, x.p, PTRDIFF_MIN, 3, 0, c, 0, 0));
    REFUSED(ndg_cuda_partition_count(&plan, x.p, PTRDIFF_MAX, PTRDIFF_MIN, 0,
                                     c, 0, 0));
    REFUSED(ndg_cuda_partition_count(&plan, 0, 0, 3, 0, c, 0, 0));
    REFUSED(ndg_cuda_partition_count(&plan, x.p, 299, 301, 0, c, 0, 0));
    REFUSED(ndg_cuda_partition_count(&plan, x.p, 0, 3, 0, 0, 0, 0));
    CHECK(!ndg_cuda_partition_count(&plan, 0, 3, 3, 0, c, 0, 0));
#define RUN_ROWS(plan, positions, data, counts, cursors, scratch)             \
    ndg_cuda_partition_run(plan, to, positions, data, x.p, 300, 0, counts,     \
                           cursors, scratch, 100000, 0, 0)
    REFUSED(RUN_ROWS(&plan, 0, from.p, 0, u, scratch.p));
    REFUSED(RUN_ROWS(&plan, 0, from.p, c, 0, scratch.p));
    REFUSED(RUN_ROWS(0, 0, from.p, c, u, scratch.p));
    REFUSED(RUN_ROWS(&plan, 0, from.p, c, u, scratch.p + 4));
    REFUSED(RUN_ROWS(&plan, 0, from.p, c, u, 0));
    REFUSED(RUN_ROWS(&plan, 0, 0, c, u, scratch.p));
    REFUSED(RUN_ROWS(&narrow, to, from.p, c, u, scratch.p));
#define PACK(plan, out, offsets, scratch_bytes)                               \
    ndg_cuda_partition_packed(plan, out, 1200, 0, from.p, x.p, 300, 0,         \
                              offsets, scratch.p, scratch_bytes, 0, 0)
    REFUSED(PACK(&plan, o.p, 0, 100000));
    REFUSED(PACK(&plan, o.p, b, 8));
    REFUSED(PACK(&plan, 0, b, 100000));
    REFUSED(PACK(0, o.p, b, 100000));
    REFUSED(PACK(&many, o.p, b, PTRDIFF_MAX));  /* ids and rows, in 64 bits */
    REFUSED(PACK(&plan, from.p, b, 100000));    /* onto what is read */
    REFUSED(ndg_cuda_partition_packed(&plan, o.p, 1200, 0, from.p, x.p, -1, 0,
                                      b, scratch.p, 100000, 0, 0));
    memory both(0, 2400);                       /* one behind the other */
    for (int k = 0; k < 2; k++)
        CHECK(!ndg_cuda_partition_packed(&plan, both.p + 1200 * k, 1200, 0,
                                         both.p + 1200 - 1200 * k, x.p, 300, 0,
                                         b, scratch.p, 100000, 0, 0));
    REFUSED(ndg_cuda_partition_packed(&plan, both.p, 1200, 0, both.p + 1199,
                                      x.p, 300, 0, b, scratch.p, 100000, 0, 0));
    REFUSED(ndg_cuda_partition_packed(&plan, both.p + 1200, 1200, 0, both.p + 4,
                                      x.p, 300, 0, b, scratch.p, 100000, 0, 0));
    CHECK(!PACK(&free, o.p, b, 100000));
    CHECK(!PACK(&plan, o.p, b, 100000));
    /* data whose rows are 8 GiB apart, of which none is there today */
    CHECK(!ndg_cuda_partition_run(&far, to, 0, from.p, x.p, 2,
                                  limit.as<ptrdiff_t>(), c, u, scratch.p,
                                  100000, 0, 0));
    CHECK(ndg_cuda_partition_count(&plan, x.p, 0, 3, 0, c, 0, nowhere)
          == cudaErrorInvalidResourceHandle);
    REFUSED(ndg_cuda_partition_report_read(0, x.p, report, &r, 0));
    CHECK(ndg_cuda_partition_report_read(&plan, x.p, report, &r, nowhere)
          == cudaErrorInvalidResourceHandle);
    no_faults();
    /* parts without number, for which counts is too small */
    REFUSED(ndg_cuda_partition_count(&wide, x.p, 0, 3, 0, c, 0, 0));
    CHECK(emu->failed > 0);
    emu_forgive();
}

int main(void)
{
    int i;
    emu_seed(1);
    cudaStreamCreate(&nowhere);
    cudaStreamDestroy(nowhere);
    in_line();
    limits();
    your_own_kernel();
    gathers();
    stitches();
    positions_alone(3);
    positions_alone(1000);
    for (i = 1; i <= 4; i++) ids_change(i, 4);
    test_blocks = 1;
    for (i = 1; i <= 4; i++) ids_change(i, 2);
    test_blocks = 5;
    partitions();
    return test_end("test_cuda_cover");
}
