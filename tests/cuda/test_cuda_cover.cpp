/* test_cuda_cover.cpp - what test_cuda does not reach of ndgather_cuda.cuh,
 * found by tests/coverage and tests/mutation: refusals, calls without a report,
 * errors of a stream that is none, plans that one kernel leaves to another,
 * parts that are full, and how many loads and stores it takes. On the emulator.
 * Device memory comes from cudaMalloc, so a touch of anything else is a fault.
 *
 *     c++ -std=c++11 -O1 -I. tests/cuda/test_cuda_cover.cpp */
#include "emul/cuda_emul.h"

/* Loads, stores and additions by their bytes, the most stores of a block, and
 * where they went to, or came from at most. What is pretended is counted and
 * not done. Loads that one lane has on their way, at most, when it stores; what
 * a warp does together, once for each lane. */
enum { MOST_BYTES = 16, MOST_BLOCKS = 64 };
static long        loads[MOST_BYTES + 1], stores[MOST_BYTES + 1];
static long        additions[MOST_BYTES + 1], by_block[MOST_BLOCKS];
static long        waiting[1024], most_waiting, ballots, shuffles, sums;
static const char *lowest, *highest, *read_to;
static bool        pretend;

template <class T> static void reaches(const T *p)
{
    if ((const char *)p < lowest) lowest = (const char *)p;
    if ((const char *)(p + 1) > highest) highest = (const char *)(p + 1);
}

struct counted : emu_do {
    counted(const char *file, int line, int id) : emu_do(file, line, id) {}
    template <class T> T read_nc(const T *p) const
    {
        loads[sizeof(T)]++;
        const long now = ++waiting[threadIdx.x];
        if (now > most_waiting) most_waiting = now;
        if (pretend && (const char *)(p + 1) > read_to)
            read_to = (const char *)(p + 1);
        return pretend ? T() : emu_do::read_nc(p);
    }
    template <class T> void write(T *p, T v) const
    {
        stores[sizeof(T)]++;
        waiting[threadIdx.x] = 0;
        if (!pretend) {
            by_block[blockIdx.x % MOST_BLOCKS]++;
            emu_do::write(p, v);
            return;
        }
        reaches(p);
    }
    template <class T> T add(T *p, T v) const
    {
        additions[sizeof(T)]++;
        if (blockIdx.x == 0 && sizeof(T) == 4) reaches(p);
        return emu_do::add(p, v);
    }
    unsigned ballot(unsigned mask, int v) const
    {
        ballots++;
        return emu_do::ballot(mask, v);
    }
    template <class T, class L> T shfl(unsigned mask, T v, L from) const
    {
        shuffles++;
        return emu_do::shfl(mask, v, from);
    }
    template <class T, class L> T shfl_up(unsigned mask, T v, L by) const
    {
        sums++;
        return emu_do::shfl_up(mask, v, by);
    }
};
#define COUNTED counted(__FILE__, __LINE__, __COUNTER__)
#undef __ldg
#undef __stcs
#undef atomicAdd
#undef __ballot_sync
#undef __shfl_sync
#undef __shfl_up_sync
#define __ldg COUNTED.read_nc
#define __stcs COUNTED.write
#define atomicAdd COUNTED.add
#define __ballot_sync COUNTED.ballot
#define __shfl_sync COUNTED.shfl
#define __shfl_up_sync COUNTED.shfl_up

static bool wait_fails;                 /* though the copy has come */
static cudaError_t waited(cudaStream_t stream)
{
    const cudaError_t e = cudaStreamSynchronize(stream);
    return wait_fails ? cudaErrorLaunchFailure : e;
}
#define cudaStreamSynchronize waited

static long test_blocks = 5;
#define NDG_CUDA_MAX_BLOCKS test_blocks
#define NDGATHER_IMPLEMENTATION
#define NDG_CUDA_IMPLEMENTATION
#include "../../ndgather_cuda.cuh"
#include "../lib/test.h"
#include "cuda_plans.h"

#undef cudaStreamSynchronize
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

static void count_again(void)
{
    memset(loads, 0, sizeof loads);
    memset(stores, 0, sizeof stores);
    memset(additions, 0, sizeof additions);
    memset(by_block, 0, sizeof by_block);
    memset(waiting, 0, sizeof waiting);
    most_waiting = ballots = shuffles = sums = 0;
    lowest = (const char *)~(size_t)0;
    highest = 0;
}

static long stored(void)
{
    return stores[1] + 2 * stores[2] + 4 * stores[4] + 8 * stores[8]
         + 16 * stores[16];
}

/* ---- gather --------------------------------------------------------------*/
/* The device's bytes, and its report, are the CPU's: of rows of 16 bytes, by
 * the kernel for rows in line, or just not by it. */
static void same(ndg_shape rows, ndg_shape indices, const void *params,
                 ptrdiff_t params_at, size_t params_bytes, const void *ids,
                 ptrdiff_t ids_at, size_t ids_bytes)
{
    const ndg_gather_plan plan = planned(rows_of(16, rows, indices, NDG_ZERO));
    ndg_report      want, got;
    ndg_cuda_report zero = { 0, 0 };
    unsigned char *const out = (unsigned char *)malloc((size_t)plan.out_bytes);
    memory p(params, params_bytes), x(ids, ids_bytes);
    memory o(0, (size_t)plan.out_bytes), bad(&zero, sizeof zero);
    ndg_gather_run(&plan, out, plan.out_bytes, (const char *)params + params_at,
                   (const char *)ids + ids_at, &want);
    CHECK(!ndg_cuda_gather_run(&plan, o.p, plan.out_bytes, p.p + params_at,
                               x.p + ids_at, bad.as<ndg_cuda_report>(), 0));
    CHECK(!ndg_cuda_gather_report_read(&plan, x.p + ids_at,
                                       bad.as<ndg_cuda_report>(), &got, 0));
    no_faults();
    CHECK(o.holds(out));
    CHECK(got.bad.count == want.bad.count
          && got.bad.position == want.bad.position
          && got.bad.value == want.bad.value);
    free(out);
}

static void in_line(void)
{
    static unsigned char table[64];
    static int32_t       ids[(2 << 20) / 4 + 64];
    const ptrdiff_t      far = (ptrdiff_t)1 << 20;
    const int32_t        apart[8] = { 1, 1, 0, 0, 0, 0, 1, 0 };
    int                  i;
    for (i = 0; i < 64; i++) table[i] = (unsigned char)(i + 1);
    /* no rows: all is bad, and no block of lanes is full */
    for (i = 0; i < 10; i++) ids[i] = i - 3;
    same(ndg_dims1(0), ndg_dims2(10, 1), table, 0, 0, ids, 0, 40);
    /* rows, and indices, from the last to the first */
    same(ndg_strided1(4, -16), ndg_dims2(10, 1), table, 48, 64, ids, 0, 40);
    same(ndg_dims1(4), ndg_strided2(10, -4, 1, 4), table, 0, 64, ids, 36, 40);
    /* indices, and components of them, a MiB apart, or from the last on */
    memset(ids, 0, sizeof ids);
    ids[far / 4] = 3;
    same(ndg_dims1(4), ndg_strided2(2, far, 1, 4), table, 0, 64, ids, 0,
         sizeof ids);
    same(ndg_dims2(2, 4), ndg_strided2(2, 4, 2, far), table, 0, 64, ids, 0,
         sizeof ids);
    same(ndg_dims2(2, 2), ndg_strided2(2, 8, 2, -4), table, 0, 64, ids, 4, 16);
    /* pairs whose components do not lie side by side, though aligned */
    same(ndg_dims2(2, 2), ndg_strided2(2, 16, 2, 8), table, 0, 64, apart, 0,
         sizeof apart);
    /* one row more than a block has */
    for (i = 0; i < 513; i++) ids[i] = i % 4;
    same(ndg_dims1(4), ndg_dims2(513, 1), table, 0, 64, ids, 0, 4 * 513);
    memset(ids, 0, 4 * 513);
    /* one row, and the next would be 8 GiB on */
    same(ndg_strided1(1, (ptrdiff_t)1 << 33), ndg_dims2(5, 1), table, 0, 16,
         ids, 0, 20);
}

/* A limit below 0: no row is there today. And more rows than a line can have,
 * which are not launched. */
static void limits(void)
{
    const ptrdiff_t rows = (ptrdiff_t)1 << 31, today = -1;
    const int32_t   ids[4] = { 0, 0, 0, 0 };
    unsigned char   fresh[64];
    ndg_gather_plan plan = planned(rows_of(16, ndg_dims1(4), ndg_dims2(4, 1)));
    ndg_gather_desc many = rows_of(16, ndg_dims1(4),
                                   ndg_strided2(rows, 0, 1, 4));
    memory          p(0, 64), x(ids, sizeof ids), o(0, 64);
    memory          limit(&today, sizeof today);
    memset(fresh, 0xA5, sizeof fresh);
    cudaMemset(p.p, 3, 64);
    CHECK(!ndg_cuda_gather_run_range(&plan, o.p, 64, p.p, x.p, 0, 4,
                                     limit.as<ptrdiff_t>(), 0, 0));
    many.overlap = NDG_OVERLAP_DISJOINT;
    plan = planned(many);
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
    ndg_gather_plan plan = planned(rows_of(16, ndg_dims1(4), ndg_dims2(2, 1)));
    one_row         got;
    memory          p(0, 64), x(ids, sizeof ids), o(0, sizeof got);
    const void     *params = p.p, *indices = x.p;
    one_row        *to = o.as<one_row>();
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
    ndg_gather_desc d = rows_of(16, ndg_dims1(4), ndg_dims2(3, 1), NDG_ZERO);
    ndg_gather_plan plan = planned(d), none = ndg_gather_plan();
    ndg_report      r;
    ndg_cuda_report zero = { 0, 0 };
    memory          p(0, 64), x(ids, sizeof ids), o(0, 48);
    memory          bad(&zero, sizeof zero);
    ndg_cuda_report *const report = bad.as<ndg_cuda_report>();
    /* who asks for no report learns nothing from a check */
    CHECK(!ndg_cuda_gather_check(&plan, x.p, 0, 3, 0, 0, 0));
    /* a check looks, whatever a run would do */
    d.policy = NDG_ASSUME_VALID;
    plan = planned(d);
    CHECK(!ndg_cuda_gather_check(&plan, x.p, 0, 3, 0, report, 0));
    CHECK(!ndg_cuda_gather_report_read(&plan, x.p, report, &r, 0));
    CHECK(r.bad.count == 1 && r.bad.position == 0);
    cudaMemcpy(report, &zero, sizeof zero, cudaMemcpyHostToDevice);
    d.policy = NDG_DEFAULT;
    plan = planned(d);
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
          && r.bad.component == -1 && r.op == NDG_OP_GATHER_ND);
    emu_forgive();
    /* a wait that fails, after which nothing is believed */
    wait_fails = true;
    CHECK(ndg_cuda_gather_report_read(&plan, 0, report, &r, 0)
          == cudaErrorLaunchFailure);
    CHECK(ndg_cuda_gather_report_read(&plan, x.p, report, &r, 0)
          == cudaErrorLaunchFailure);
    CHECK(r.bad.count == 0);
    wait_fails = false;
}

/* Rows that are all bad, so that no lane of a warp has none to tell of: one, or
 * some, for each. Of every kernel that reports them. */
static void all_bad(int rows, int elem, int steps)
{
    static int32_t  ids[2000];
    ndg_cuda_report got, zero = { 0, 0 };
    int             i;
    for (i = 0; i < rows; i++) ids[i] = 4 + i % 3;
    const ndg_gather_plan plan = planned(rows_of(elem, steps > 1
        ? ndg_strided3(4, 2 * steps * elem, steps, 2 * elem, 1, elem)
        : ndg_dims1(4), ndg_dims2(rows, 1)));
    memory p(0, (size_t)(8 * elem * steps)), x(ids, 4 * (size_t)rows);
    memory o(0, (size_t)plan.out_bytes), bad(&zero, sizeof zero);
    CHECK(!ndg_cuda_gather_run(&plan, o.p, plan.out_bytes, p.p, x.p,
                               bad.as<ndg_cuda_report>(), 0));
    cudaMemcpy(&got, bad.p, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(got.count == (unsigned long long)rows && ~got.first == 0);
    CHECK(!ndg_cuda_gather_check(&plan, x.p, 0, rows, 0,
                                 bad.as<ndg_cuda_report>(), 0));
    cudaMemcpy(&got, bad.p, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(got.count == 2 * (unsigned long long)rows && ~got.first == 0);
    no_faults();
}

static void all_bad_lists(int rows)
{
    static int32_t     ids[2000];
    const ptrdiff_t    none = 0;
    const ndg_stitch_plan    plan = planned(weave_of(4));
    const ndg_partition_plan split = planned(split_of(rows, 4, 3));
    ndg_cuda_report    first, zero = { 0, 0 };
    ndg_cuda_stitch_report got, zeros = ndg_cuda_stitch_report();
    int                i;
    for (i = 0; i < rows; i++) ids[i] = -1 - i;
    memory x(ids, 4 * (size_t)rows), from(0, 4 * (size_t)rows), o(0, 400);
    memory scratch(0, 8000), size(0, 8), bad(&zeros, sizeof zeros);
    memory one(&zero, sizeof zero), counts(0, 24);
    const ndg_list list = list_of(x.p, from.p, rows);
    memory lists(&list, sizeof list);
    ndg_cuda_stitch_report *const report = bad.as<ndg_cuda_stitch_report>();
    for (i = 1; i <= 3; i++) {
        CHECK(!(i == 1 ? ndg_cuda_stitch_run(&plan, o.p, 400, 100, 0,
                    lists.as<ndg_list>(), 1, rows, scratch.p, 8000, report, 0)
            : i == 2 ? ndg_cuda_stitch_unique(&plan, o.p, 400, 100, 0,
                    lists.as<ndg_list>(), 1, rows, scratch.p, 8000, report, 0)
            : ndg_cuda_stitch_total(&plan, lists.as<ndg_list>(), 1, rows,
                    size.as<ptrdiff_t>(), scratch.p, 8000, report, 0)));
        cudaMemcpy(&got, bad.p, sizeof got, cudaMemcpyDeviceToHost);
        CHECK(got.bad.count == (unsigned long long)(i * rows)
              && ~got.bad.first == 0);
        CHECK(got.holes.count == 100 && ~got.holes.first == 0);
    }
    CHECK(size.holds(&none));           /* the largest of no index */
    CHECK(!ndg_cuda_partition_count(&split, x.p, 0, rows, 0,
                                    counts.as<ptrdiff_t>(),
                                    one.as<ndg_cuda_report>(), 0));
    cudaMemcpy(&first, one.p, sizeof first, cudaMemcpyDeviceToHost);
    CHECK(first.count == (unsigned long long)rows && ~first.first == 0);
    no_faults();
}

/* ---- stitch --------------------------------------------------------------*/
/* Fewer entries are said than the lists hold: the others are left alone. */
static void fewer_entries(void)
{
    enum { ROWS = 300 };
    static int32_t  ids[ROWS], data[ROWS], want[ROWS];
    const ndg_stitch_plan plan = planned(weave_of(4, 0, NDG_GAPS_KEEP));
    ptrdiff_t       n, total;
    int             i, way;
    for (i = 0; i < ROWS; i++) data[i] = 7 * (ids[i] = i);
    memory x(ids, sizeof ids), from(data, sizeof data), scratch(0, 8000);
    const ndg_list list[2] = { list_of(x.p, from.p, 100),
                               list_of(x.p + 400, from.p + 400, 200) };
    memory lists(list, sizeof list), size(0, 8);
    for (n = 0; n <= ROWS; n += n < 3 || n > 98 ? 1 + n / 102 * 98 : 95)
        for (way = 0; way < 3; way++) {
            memory o(0, sizeof want);
            memset(want, 0xA5, sizeof want);
            if (way < 2) memcpy(want, data, 4 * (size_t)n);
            CHECK(!(way == 0 ? ndg_cuda_stitch_run(&plan, o.p, sizeof want,
                        ROWS, 0, lists.as<ndg_list>(), 2, n, scratch.p, 8000,
                        0, 0)
                : way == 1 ? ndg_cuda_stitch_unique(&plan, o.p, sizeof want,
                        ROWS, 0, lists.as<ndg_list>(), 2, n, scratch.p, 8000,
                        0, 0)
                : ndg_cuda_stitch_total(&plan, lists.as<ndg_list>(), 2, n,
                        size.as<ptrdiff_t>(), scratch.p, 8000, 0, 0)));
            no_faults();
            CHECK(o.holds(want));
            total = n;
            CHECK(way < 2 || size.holds(&total));
        }
    /* all of them name one row: of duplicates there is a count, and no first */
    ndg_cuda_stitch_report got = ndg_cuda_stitch_report();
    memory o(0, sizeof want), seen(&got, sizeof got);
    cudaMemset(x.p, 0, x.n);
    CHECK(!ndg_cuda_stitch_run(&plan, o.p, sizeof want, ROWS, 0,
            lists.as<ndg_list>(), 2, ROWS, scratch.p, 8000,
            seen.as<ndg_cuda_stitch_report>(), 0));
    cudaMemcpy(&got, seen.p, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(got.duplicates.count == ROWS - 1 && got.duplicates.first == 0);
    CHECK(got.holes.count == ROWS - 1 && ~got.holes.first == 1);
    CHECK(got.bad.count == 0 && got.bad.first == 0);
    no_faults();
}

/* A list of fewer than no entries has none: a bad one of the next list is
 * position 2 of that. */
static void a_count_below_none(void)
{
    const int32_t   ids[4] = { 2, 0, -1, 3 };
    const uint32_t  data[4] = { 10, 11, 12, 13 };
    memory          x(ids, sizeof ids), from(data, sizeof data);
    const ndg_list  host[2] = { list_of(0, 0, -1), list_of(x.p, from.p, 4) };
    memory          lists(host, sizeof host), scratch(0, 8000), o(0, 16);
    const ndg_stitch_plan plan = planned(weave_of(4));
    ndg_report      r;
    for (int unique = 0; unique < 2; unique++) {
        ndg_cuda_stitch_report zero = ndg_cuda_stitch_report();
        memory                 seen(&zero, sizeof zero);
        CHECK(!(unique ? ndg_cuda_stitch_unique : ndg_cuda_stitch_run)(
                &plan, o.p, 16, 4, 0, lists.as<ndg_list>(), 2, 4, scratch.p,
                8000, seen.as<ndg_cuda_stitch_report>(), 0));
        CHECK(!ndg_cuda_stitch_report_read(&plan, 4, lists.as<ndg_list>(), 2,
                seen.as<ndg_cuda_stitch_report>(), &r, 0));
        CHECK(r.status == NDG_OK && r.bad.count == 1 && r.bad.list == 1);
        CHECK(r.bad.position == 2 && r.bad.value == -1 && r.bad.extent == 4);
        no_faults();
    }
}

static void stitches(void)
{
    const int32_t   ids[4] = { 2, 0, -1, 3 };
    const uint32_t  data[4] = { 10, 11, 12, 13 };
    const uint32_t  want[4] = { 11, 0xA5A5A5A5u, 10, 13 };
    const uint32_t  woven[4] = { 11, 0, 10, 13 };
    ndg_stitch_desc d = weave_of(4, NDG_DROP);
    const ndg_stitch_plan plan = planned(d), none = ndg_stitch_plan();
    ndg_report      r;
    ndg_cuda_stitch_report zero = ndg_cuda_stitch_report();
    memory          x(ids, sizeof ids), from(data, sizeof data);
    ndg_cuda_stitch_report one_bad = zero;
    memory          bad(&zero, sizeof zero), scratch(0, 8000), size(0, 8);
    ndg_cuda_stitch_report *const report = bad.as<ndg_cuda_stitch_report>();
    one_bad.bad.count = 1;
    const ndg_list  list = list_of(x.p, from.p, 4);
    memory          lists(&list, sizeof list);
    const ndg_list *l = lists.as<ndg_list>();
    d.slice = ndg_dims1(0);
    const ndg_stitch_plan thin = planned(d);
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
        /* of no rows of out, what the CPU refuses, too */
#define NONE(bytes, lists, n, entries, report)                                \
    ndg_cuda_stitch_run(&plan, 0, bytes, 0, 0, lists, n, entries, 0, 0,        \
                        report, 0)
        CHECK(!NONE(0, l, 1, 4, 0));
        CHECK(!NONE(0, 0, 0, 0, report));
        REFUSED(NONE(-1, l, 1, 4, 0));
        REFUSED(NONE(0, 0, 1, 4, 0));
        REFUSED(NONE(0, l, -1, 4, 0));
        REFUSED(NONE(0, l, 1, 4, report));      /* without scratch */
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
    REFUSED(ndg_cuda_stitch_report_read(&plan, 4, l, 0, report, &r, 0));
    {
        const ndg_list less = { list.indices, list.data, 2, 0, 0 };
        memory         two(&less, sizeof less);
        REFUSED(ndg_cuda_stitch_report_read(&plan, 4, two.as<ndg_list>(), 1,
                                            report, &r, 0));
        CHECK(r.bad.count == 0);
    }
    /* no lists: they are looked at only for where a bad one lies */
    REFUSED(ndg_cuda_stitch_report_read(&plan, 4, 0, 1, report, &r, 0));
    REFUSED(ndg_cuda_stitch_report_read(&plan, 4, 0, 0, report, &r, 0));
    cudaMemcpy(bad.p, &zero, sizeof zero, cudaMemcpyHostToDevice);
    CHECK(!ndg_cuda_stitch_report_read(&plan, 4, 0, 1, report, &r, 0));
    CHECK(r.status == NDG_OK && r.bad.count == 0);
    /* a hole among the rows there are, and one that is not: not cleared */
    for (ptrdiff_t hole = 3; hole < 5; hole++) {
        ndg_cuda_stitch_report seen = zero;
        seen.holes.first = ~(unsigned long long)hole;
        seen.holes.count = 1;
        cudaMemcpy(bad.p, &seen, sizeof seen, cudaMemcpyHostToDevice);
        CHECK(ndg_cuda_stitch_report_read(&plan, 4, 0, 0, report, &r, 0)
              == (hole < 4 ? cudaSuccess : cudaErrorInvalidValue));
        CHECK(r.rows.holes == (hole < 4));
    }
    no_faults();
    cudaMemcpy(bad.p, &one_bad, sizeof one_bad, cudaMemcpyHostToDevice);
    wait_fails = true;
    CHECK(ndg_cuda_stitch_report_read(&plan, 4, 0, 1, report, &r, 0)
          == cudaErrorLaunchFailure);
    wait_fails = false;
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
    ndg_partition_desc d = split_of(ROWS, 0, parts);
    for (i = 0; i < ROWS; i++) ids[i] = (int32_t)(i * 37 % parts);
    for (k = 0; k < parts; k++) {
        offsets[k] = n;
        for (i = 0; i < ROWS; i++) if (ids[i] == k) want[n++] = (uint16_t)i;
    }
    offsets[parts] = n;
    d.position_type = NDG_U16;
    const ndg_partition_plan plan = planned(d);
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
    ndg_partition_desc d = split_of(ROWS, 4, PARTS);
    int                i;
    emu_seed((uint64_t)seed);
    for (i = 0; i < ROWS; i++) {
        ids[i] = seed % 2 ? i % 7 : i;
        small[i] = (int16_t)(i % 100);
    }
    d.index_type = width == 4 ? NDG_I32 : NDG_I16;
    const ndg_partition_plan plan = planned(d);
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
    ndg_partition_desc d = split_of(300, 4, 3);
    const ndg_partition_plan plan = planned(d), none = ndg_partition_plan();
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
    d.overlap = NDG_OVERLAP_DISJOINT;
    const ndg_partition_plan free = planned(d);
    d.overlap = 0;
    d.position_type = NDG_I8;
    const ndg_partition_plan narrow = planned(d);
    d.data = ndg_dims2(300, 4 << 20);
    const ndg_partition_plan long_rows = planned(d);
    d.data = ndg_dims2(300, 4);
    d.num_partitions = (ptrdiff_t)1 << 31;
    const ndg_partition_plan wide = planned(d);
    d.num_partitions = ((ptrdiff_t)1 << 56) - 1;
    const ndg_partition_plan many = planned(d);
    d.num_partitions++;
    const ndg_partition_plan vast = planned(d);
    d = split_of(2, 4, 3);
    d.data = ndg_strided2(2, (ptrdiff_t)1 << 33, 4, 1);
    const ndg_partition_plan far = planned(d);

    CHECK(ndg_cuda_partition_scratch_bytes(0, 5) == -1);
    CHECK(ndg_cuda_partition_scratch_bytes(&none, 5) == -1);
    CHECK(ndg_cuda_partition_scratch_bytes(&plan, 0) == 0);
    CHECK(ndg_cuda_partition_scratch_bytes(&plan, -1) == -1);
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
    REFUSED(ndg_cuda_partition_packed(&plan, o.p, 1200, 0, from.p, x.p, -1, 0,
                                      b, scratch.p, 100000, 0, 0));
    /* of fewer rows than were planned, none are dealt */
    unsigned char fresh[1200];
    ptrdiff_t     room[3] = { 300, 300, 300 };
    memset(fresh, 0x5A, sizeof fresh);
    cudaMemcpy(o.p, fresh, sizeof fresh, cudaMemcpyHostToDevice);
    cudaMemcpy(c, room, sizeof room, cudaMemcpyHostToDevice);
    CHECK(!ndg_cuda_partition_run(&plan, to, 0, from.p, x.p, 300,
                                  limit.as<ptrdiff_t>(), c, u, scratch.p,
                                  100000, 0, 0));
    CHECK(o.holds(fresh));
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

/* Rows of no bytes by a run that has no array for them. */
static void no_outs(ptrdiff_t parts)
{
    enum { ROWS = 300, MOST = 1000 };
    static int32_t     ids[ROWS];
    static int32_t     want[ROWS];
    static ptrdiff_t   counts[MOST];
    static void       *at[MOST];
    ptrdiff_t          n = 0, i, k;
    const ndg_partition_plan plan = planned(split_of(ROWS, 0, parts));
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory w(0, sizeof want), scratch(0, (size_t)need);
    for (i = 0; i < ROWS; i++) ids[i] = (int32_t)(i * 37 % parts);
    for (k = 0; k < parts; k++) {
        at[k] = w.p + 4 * n;
        counts[k] = 0;
        for (i = 0; i < ROWS; i++)
            if (ids[i] == k) { want[n++] = (int32_t)i; counts[k]++; }
    }
    memory x(ids, sizeof ids), to(at, 8 * (size_t)parts);
    memory held(counts, 8 * (size_t)parts), used(0, 8 * (size_t)parts);
    CHECK(!ndg_cuda_partition_run(&plan, 0, to.as<void *>(), 0, x.p, ROWS, 0,
            held.as<ptrdiff_t>(), used.as<ptrdiff_t>(), scratch.p, need, 0, 0));
    no_faults();
    CHECK(w.holds(want));
}

/* Parts that can hold a few rows, of many that are theirs: the first of them,
 * and not a byte more, whichever tile or block the others are in. */
static void full_parts(ptrdiff_t parts, ptrdiff_t bytes, ptrdiff_t room,
                       bool positions)
{
    enum { ROWS = 5000, MOST = 300, LONGEST = 64 };
    static int32_t       ids[ROWS], at[ROWS];
    static unsigned char data[LONGEST * ROWS], want[LONGEST * ROWS];
    static ptrdiff_t     counts[MOST], all[MOST];
    static void         *outs[MOST], *ranks[MOST];
    ptrdiff_t            i, k, n = 0;
    const ndg_partition_plan plan = planned(split_of(ROWS, bytes, parts));
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory o(0, LONGEST * ROWS), w(0, sizeof at), scratch(0, (size_t)need);
    memset(want, 0xA5, sizeof want);
    memset(at, 0xA5, sizeof at);
    for (i = 0; i < ROWS * bytes; i++) data[i] = (unsigned char)(i * 7 >> 2);
    for (i = 0; i < ROWS; i++) ids[i] = (int32_t)(i * i % 7 * 31 % parts);
    for (k = 0; k < parts; k++) {
        const ptrdiff_t most = k % 5 == 4 ? -room : room + k % 3;
        ptrdiff_t       m = 0;
        outs[k] = o.p + n * bytes;
        ranks[k] = w.p + 4 * n;
        counts[k] = most;
        for (i = 0; i < ROWS; i++) {
            if (ids[i] != k || m++ >= most) continue;
            memcpy(want + n * bytes, data + i * bytes, (size_t)bytes);
            if (positions) at[n] = (int32_t)i;
            n++;
        }
        all[k] = m;
    }
    memory x(ids, sizeof ids), from(data, (size_t)(bytes * ROWS));
    memory outs_at(outs, 8 * (size_t)parts), ranks_at(ranks, 8 * (size_t)parts);
    memory held(counts, 8 * (size_t)parts), used(0, 8 * (size_t)parts);
    CHECK(!ndg_cuda_partition_run(&plan, outs_at.as<void *>(),
            positions ? ranks_at.as<void *>() : 0, from.p, x.p, ROWS, 0,
            held.as<ptrdiff_t>(), used.as<ptrdiff_t>(), scratch.p, need, 0, 0));
    no_faults();
    CHECK(o.holds(want));
    CHECK(w.holds(at));
    CHECK(used.holds(all));
}

static void full(void)
{
    static const long blocks[] = { 1, 2, 5 };
    int i, k;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 4; k++) {
            test_blocks = blocks[i];
            full_parts(k % 2 ? 3 : 300, k % 2 ? 64 : 4, 1 + 99 * (k / 2),
                       (i + k) % 2 != 0);
            full_parts(5, 7, k, k % 2 != 0);
        }
    test_blocks = 5;
}

/* A block has 2048 counters in shared memory: up to 32 of each part, for lanes
 * apart, as many as there is room for; if there is none for all parts, each row
 * is counted in the array. */
static void counted_apart(ptrdiff_t parts, long rows)
{
    long copies = 32;
    while (copies && copies * parts > 2048) copies /= 2;
    CHECK(additions[4] == (copies ? rows : 0));
    CHECK(copies || additions[8] >= rows);
    if (copies && rows > 1000) {
        CHECK(highest - lowest <= 4 * copies * parts);
        CHECK(highest - lowest > 3 * copies * parts);
    }
}

/* Counts of some rows, by parts about as many as a block has counters, and of
 * so many rows that there are today. */
static void counts_of(ptrdiff_t parts, ptrdiff_t first, ptrdiff_t last,
                      ptrdiff_t today)
{
    enum { ROWS = 3000, MOST = 2100 };
    static int32_t     ids[ROWS];
    static ptrdiff_t   want[MOST];
    ndg_cuda_report    got, zero = { 0, 0 };
    ptrdiff_t          i, bad = 0, least = -1;
    long               rows = 0;
    const ndg_partition_plan plan = planned(split_of(ROWS, 4, parts));
    memset(want, 0, sizeof want);
    for (i = 0; i < ROWS; i++) {
        ids[i] = (int32_t)(i * 7 % (parts + 1));
        if (i < first || i >= last || i >= today) continue;
        if (ids[i] < parts) { want[ids[i]]++; rows++; continue; }
        if (!bad++) least = i;
    }
    memory x(ids, sizeof ids), n(0, 8 * (size_t)parts), limit(&today, 8);
    memory seen(&zero, sizeof zero);
    count_again();
    CHECK(!ndg_cuda_partition_count(&plan, x.p, first, last,
            limit.as<ptrdiff_t>(), n.as<ptrdiff_t>(),
            seen.as<ndg_cuda_report>(), 0));
    no_faults();
    counted_apart(parts, rows);
    CHECK(n.holds(want));
    cudaMemcpy(&got, seen.p, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(got.count == (unsigned long long)bad);
    CHECK(!bad || ~got.first == (unsigned long long)least);
}

static void some_counts(void)
{
    static const ptrdiff_t parts[] = { 1, 2, 33, 64, 65, 256, 1023, 1024, 1025,
                                       1500, 2047, 2048, 2049 };
    int i;
    for (i = 0; i < 13; i++) {
        counts_of(parts[i], 0, 3000, 3000);
        counts_of(parts[i], 5, 2900, 2800 + i);
    }
    counts_of(3, 0, 1, 1);
    counts_of(3, 7, 8, 3000);
    counts_of(3, 7, 9, 8);
    counts_of(3, 7, 9, 7);
    counts_of(3, 7, 9, 0);
    counts_of(3, 7, 9, -5);
}

/* Words that no pass has written: of a part, or a row, that there is not. */
static void odd_words(void)
{
    enum { ROWS = 100, PARTS = 300, N = 8 };
    const ndgi_u64     rows[N] = { 0, ROWS - 1, ROWS, 5, 5, 5, 1ull << 50, 7 };
    const ndgi_u64     ids[N] = { 0, PARTS - 1, 1, PARTS, PARTS - 1, 511, 2,
                                  2 };
    ndg_cuda_report    got, zero = { 0, 0 };
    ndgi_u64           words[N], sum[2] = { 0, N };
    int                i;
    const ndg_partition_plan plan = planned(split_of(ROWS, 4, PARTS));
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory scratch(0, (size_t)need), seen(&zero, sizeof zero);
    ndgi_split_args a = ndgi_split_of(&plan, 0, 0, ROWS, scratch.p);
    for (i = 0; i < N; i++) words[i] = rows[i] << a.id_bits | ids[i];
    memory from(words, sizeof words);
    cudaMemcpy(a.sums + (1 << a.bits), sum + 1, 8, cudaMemcpyHostToDevice);
    a.from = (ndgi_u64 *)from.p;
    a.values = 1 << a.bits;
    a.report = seen.as<ndg_cuda_report>();
    CHECK(!ndgi_launch_count(cudaSuccess, a, false, 0));
    no_faults();
    cudaMemcpy(&got, seen.p, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(got.count == 4 && ~got.first == 5);
}

/* Ids that have changed since they were counted, so that there are more of a
 * digit than there is place for: no word is written behind the last. */
static void late_ids(void)
{
    enum { ROWS = 100, PARTS = 300, BEFORE = 60 };
    static int32_t     ids[ROWS];
    static ndgi_u64    want[ROWS + BEFORE];
    const ndgi_u64     before = BEFORE;
    int                i;
    const ndg_partition_plan plan = planned(split_of(ROWS, 4, PARTS));
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    for (i = 0; i < ROWS; i++) ids[i] = 1;
    memory x(ids, sizeof ids), to(0, sizeof want), scratch(0, (size_t)need);
    ndgi_split_args a = ndgi_split_of(&plan, x.p, 0, ROWS, scratch.p);
    cudaMemset(scratch.p, 0, scratch.n);
    cudaMemcpy(a.sums + 1, &before, 8, cudaMemcpyHostToDevice);
    a.to = to.as<ndgi_u64>();
    a.values = 1 << a.bits;
    a.sorted = true;
    CHECK(!ndgi_launch_deal<ndgi_plain_ids>(cudaSuccess, a, 0));
    no_faults();
    memset(want, 0xA5, sizeof want);
    for (i = BEFORE; i < ROWS; i++)
        want[i] = (ndgi_u64)(i - BEFORE) << a.id_bits | 1;
    CHECK(to.holds(want));
}

/* A report of a row that the plan does not have was not cleared, nor was one of
 * more rows than there can be. */
static void reports(void)
{
    const int32_t      ids[3] = { 9, 9, 9 };
    const ndg_gather_plan plan = planned(rows_of(4, ndg_dims1(4),
                                                 ndg_dims2(3, 1)));
    const ndg_partition_plan split = planned(split_of(3, 4, 3));
    const ndg_stitch_plan    weave = planned(weave_of(4));
    ndg_cuda_report    last = { ~2ull, 1 }, next = { ~3ull, 1 };
    ndg_report         r;
    memory             x(ids, sizeof ids), a(&last, sizeof last);
    memory             b(&next, sizeof next);
    CHECK(!ndg_cuda_gather_report_read(&plan, x.p, a.as<ndg_cuda_report>(), &r,
                                       0));
    CHECK(r.bad.count == 1 && r.bad.position == 2 && r.bad.value == 9);
    CHECK(!ndg_cuda_partition_report_read(&split, x.p,
                                          a.as<ndg_cuda_report>(), &r, 0));
    CHECK(r.bad.count == 1 && r.bad.position == 2 && r.bad.value == 9);
    REFUSED(ndg_cuda_gather_report_read(&plan, x.p, b.as<ndg_cuda_report>(),
                                        &r, 0));
    REFUSED(ndg_cuda_partition_report_read(&split, x.p,
                                           b.as<ndg_cuda_report>(), &r, 0));
    const ndg_list  list = list_of(x.p, x.p, 3);
    memory          lists(&list, sizeof list);
    for (int k = 0; k < 6; k++) {
        const ndg_cuda_report all = { ~0ull, ~0ull >> k % 2 }, none = { 0, 0 };
        const ndg_cuda_stitch_report stale = { k / 2 == 0 ? all : none,
            k / 2 == 1 ? all : none, k / 2 == 2 ? all : none };
        memory seen(&stale, sizeof stale);
        CHECK(ndg_cuda_gather_report_read(&plan, x.p,
                seen.as<ndg_cuda_report>(), &r, 0)
              == (k == 0 ? cudaErrorInvalidValue : cudaSuccess));
        CHECK(ndg_cuda_stitch_report_read(&weave, 3, lists.as<ndg_list>(), 1,
                seen.as<ndg_cuda_stitch_report>(), &r, 0)
              == (k % 2 ? cudaSuccess : cudaErrorInvalidValue));
        CHECK(r.bad.count >= 0 && r.rows.holes >= 0 && r.rows.duplicates >= 0);
    }
    no_faults();
}

/* An index row as long as they may be, of which the last component is bad. */
static void longest_index_row(void)
{
    ptrdiff_t       dims[NDG_MAX_DEPTH];
    int64_t         ids[NDG_MAX_DEPTH];
    ndg_cuda_report first = { ~0ull, 1 };
    ndg_report      r;
    int             k;
    for (k = 0; k < NDG_MAX_DEPTH; k++) {
        dims[k] = 2;
        ids[k] = 1;
    }
    ids[k - 1] = 7;
    memory x(ids, sizeof ids), seen(&first, sizeof first);
    ndg_gather_desc d = rows_of(1, ndg_dims(NDG_MAX_DEPTH, dims, 0),
                                ndg_dims2(1, NDG_MAX_DEPTH));
    d.index_type = NDG_I64;
    const ndg_gather_plan plan = planned(d);
    CHECK(!ndg_cuda_gather_report_read(&plan, x.p, seen.as<ndg_cuda_report>(),
                                       &r, 0));
    CHECK(r.bad.count == 1 && r.bad.position == 0 && r.bad.value == 7
          && r.bad.component == NDG_MAX_DEPTH - 1);
    no_faults();
}

/* Strides that lead out of memory and that no good row follows: of an axis with
 * one extent, or behind the one row that there is today. Nothing overflows. */
static void strides_of_nobody(ndg_shape params, ndg_shape indices, ptrdiff_t n,
                              ptrdiff_t today, ptrdiff_t bad)
{
    static const unsigned char table[4] = { 11, 12, 13, 14 };
    static const int32_t       ids[2] = { 0, 7 };
    const ndg_cuda_report      zero = { 0, 0 };
    unsigned char              want[8];
    ndg_gather_desc d = rows_of(n, params, indices, NDG_ZERO);
    ndg_report      r;
    memory          t(table, 4), x(ids, 8), out(0, (size_t)(2 * n)),
                    some(&today, sizeof today), seen(&zero, sizeof zero);
    memset(want, 0xA5, sizeof want);
    memcpy(want, table, (size_t)n);
    if (today > 1) memset(want + n, 0, (size_t)n);
    d.overlap = NDG_OVERLAP_DISJOINT;
    const ndg_gather_plan plan = planned(d);
    CHECK(plan.rows == 2);
    CHECK(!ndg_cuda_gather_run_range(&plan, out.p, 2 * n, t.p, x.p, 0, 2,
        some.as<ptrdiff_t>(), seen.as<ndg_cuda_report>(), 0));
    CHECK(out.holds(want));
    CHECK(!ndg_cuda_gather_report_read(&plan, x.p, seen.as<ndg_cuda_report>(),
                                       &r, 0));
    CHECK(r.bad.count == bad && (!bad || r.bad.position == 1));
    no_faults();
}

static void strides_of_nobody(void)
{
    const ptrdiff_t far = PTRDIFF_MAX / 8;
    strides_of_nobody(ndg_strided2(1, PTRDIFF_MIN, 1, 4), ndg_dims2(2, 1), 4, 2,
                      1);
    strides_of_nobody(ndg_dims1(4), ndg_strided2(2, far, 1, 4), 1, 1, 0);
    strides_of_nobody(ndg_dims1(4), ndg_strided2(2, far / 256, 1, 4), 1, 1, 0);
    strides_of_nobody(ndg_dims1(4), ndg_strided2(2, -far, 1, 4), 1, 1, 0);
}

/* ---- loads and stores ----------------------------------------------------*/
/* One warp for each of 36 pairs of alignments. */
static const int offs[6] = { 0, 1, 2, 3, 4, 8 };
enum { ROOM = 2048 };
static __global__ void copies_kernel(unsigned char *to,
                                     const unsigned char *from, ptrdiff_t bytes)
{
    const int b = (int)blockIdx.x;
    ndg_cuda_copy_row(to + b * ROOM + offs[b % 6],
                      from ? from + offs[b / 6] : 0, bytes);
}

/* By the widest vectors that fit both ends, or by pairs of words that lie
 * aligned in out, as many as need no byte outside, and byte by byte. */
static void copies(int n, bool zeros)
{
    static unsigned char in[ROOM], want[36 * ROOM];
    long                 l[MOST_BYTES + 1], s[MOST_BYTES + 1];
    ptrdiff_t            bytes = n;
    int                  i, b;
    for (i = 0; i < ROOM; i++) in[i] = (unsigned char)(i * 37 >> 1 | 1);
    memset(want, 0xA5, sizeof want);
    memset(l, 0, sizeof l);
    memset(s, 0, sizeof s);
    for (b = 0; b < 36; b++) {
        const int t = offs[b % 6], f = zeros ? 0 : offs[b / 6];
        const int odd = t | f | n;
        int       head = -t & 3, width = 16, reach;
        if (zeros) memset(want + b * ROOM + t, 0, (size_t)n);
        else memcpy(want + b * ROOM + t, in + f, (size_t)n);
        while (odd % width) width /= 2;
        if (width > 2) {
            s[width] += n / width;
            l[width] += zeros ? 0 : n / width;
            continue;
        }
        if (head < ((f + head) & 3)) head += 4;
        reach = -(f + head) & 3;        /* of the last word read, beyond */
        const int pairs = n < head + reach ? 0 : (n - head - reach) / 8;
        s[4] += 2 * pairs;
        s[1] += n - 8 * pairs;
        if (zeros) continue;
        l[4] += (reach ? 3 : 2) * pairs;
        l[1] += n - 8 * pairs;
    }
    memory from(in, (size_t)(n + 8)), to(0, sizeof want);
    unsigned char       *o = to.p;
    const unsigned char *f = zeros ? 0 : from.p;
    void *args[] = { &o, &f, &bytes };
    count_again();
    CHECK(!cudaLaunchKernel(copies_kernel, dim3(36), dim3(32), args, 0,
                            (cudaStream_t)0));
    no_faults();
    CHECK(to.holds(want));
    CHECK(!memcmp(loads, l, sizeof l));
    CHECK(!memcmp(stores, s, sizeof s));
}

/* Runs of all lanes of a warp, copied together: of 16-byte vectors, and of
 * words and bytes, two lots are on their way before any store, of 4 and 8 bytes
 * four; as many lanes share a run as it has vectors, and those of all runs tell
 * each other three things for each. */
static __global__ void takes_kernel(ndgi_runs t, unsigned char *to,
                                    const unsigned char *from, int pitch)
{
    const int      at = NDGI_LANE * pitch;
    const ndgi_run run = { from + at, to + at, t.piece, true };
    ndgi_take(t, run, 32);
}

static void taken(int bytes, int off, int width, long lots, long lanes)
{
    const int pitch = (bytes + 31) / 16 * 16;
    memory    from(0, (size_t)(32 * pitch)), to(0, (size_t)(32 * pitch));
    ndgi_runs t = ndgi_runs();
    unsigned char       *o = to.p;
    const unsigned char *f = from.p + off;
    int                  step = pitch;
    void *args[] = { &t, &o, &f, &step };
    t.piece = bytes;
    count_again();
    CHECK(!cudaLaunchKernel(takes_kernel, dim3(1), dim3(32), args, 0,
                            (cudaStream_t)0));
    no_faults();
    CHECK(loads[width] >= bytes / width);
    CHECK(most_waiting == (off ? 3 : 1) * lots);
    CHECK(shuffles == 32 * 3 * lots * ((lanes + lots - 1) / lots));
}

static void all_lanes(void)
{
    taken(16, 0, 16, 1, 0);             /* each lane its own */
    taken(8, 0, 8, 1, 0);
    taken(4, 0, 4, 1, 0);
    taken(64, 0, 16, 2, 4);
    taken(160, 0, 16, 2, 16);
    taken(512, 0, 16, 2, 32);
    taken(72, 0, 8, 4, 16);
    taken(256 + 8, 0, 8, 4, 32);
    taken(68, 0, 4, 4, 32);
    taken(36, 0, 4, 4, 16);
    taken(33, 1, 4, 2, 32);
    taken(24, 1, 4, 2, 16);
}

/* Indices of a type, aligned or not: in one load, or byte by byte. Rows that
 * fill 16 aligned bytes of out: by one store. */
static void loads_and_stores(void)
{
    static const int types[4] = { NDG_U8, NDG_U16, NDG_U32, NDG_U64 };
    static unsigned char zeros[8 * 1000 + 16];
    enum { ROWS = 1000 };
    ndg_cuda_report zero = { 0, 0 };
    int             k, off;
    for (k = 0; k < 4; k++)
        for (off = 0; off < 3; off++) {
            const int       e = 1 << k, first = 3 * off;
            const size_t    shift = (size_t)(off * e);
            ndg_gather_desc d = rows_of(e, ndg_dims1(3), ndg_dims1(ROWS - 20));
            memory          p(0, 32), x(zeros, sizeof zeros), o(0, 8 * ROWS);
            memory          bad(&zero, sizeof zero);
            d.index_type = types[k];
            const ndg_gather_plan plan = planned_axis(d);
            count_again();
            CHECK(!ndg_cuda_gather_check(&plan, x.p + off, 0, ROWS - 20, 0,
                                         bad.as<ndg_cuda_report>(), 0));
            no_faults();
            CHECK(loads[off % e ? 1 : e] == (ROWS - 20) * (off % e ? e : 1));
            CHECK(stored() == 0);
            count_again();
            CHECK(!ndg_cuda_gather_run_range(&plan, o.p + shift,
                    plan.out_bytes, p.p, x.p, first, ROWS - 20, 0, 0, 0));
            no_faults();
            const long begins = (long)shift + first * e;
            const long ends = (long)shift + (ROWS - 20) * e;
            CHECK(stores[16] == ends / 16 - (begins + 15) / 16);
            CHECK(stored() == ends - begins);
        }
}

/* Each row once, and each position; long rows by all blocks alike. */
static void dealt(ptrdiff_t rows, ptrdiff_t bytes, size_t off, long blocks,
                  int width)
{
    int                i, used_blocks = 0;
    const ndg_partition_plan plan = planned(split_of(rows, bytes, 1));
    test_blocks = blocks;
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, rows);
    memory x(0, 4 * (size_t)rows), scratch(0, (size_t)need);
    memory from(0, (size_t)(bytes * rows)), o(0, (size_t)(bytes * rows) + 16);
    memory at(0, 4 * (size_t)rows), begins(0, 16);
    cudaMemset(x.p, 0, x.n);
    for (i = 0; i < 2; i++) {
        const long ranks = i ? (long)rows : 0;
        count_again();
        CHECK(!ndg_cuda_partition_packed(&plan, o.p + off, bytes * rows,
                i ? at.p : 0, from.p, x.p, rows, 0, begins.as<ptrdiff_t>(),
                scratch.p, need, 0, 0));
        no_faults();
        CHECK(stores[width] == bytes * rows / width + (width == 4 ? ranks : 0));
        CHECK(stored() == bytes * rows + 4 * ranks);
    }
    for (i = 0; i < MOST_BLOCKS; i++) {
        if (by_block[i]) used_blocks++;
        /* a share, and not two of 1024 bytes and the positions more */
        CHECK(bytes < 8192 || by_block[i] <= bytes * rows / width / blocks
              + 2048 / width + rows);
    }
    CHECK(bytes < 8192 || used_blocks >= blocks - 1);
    test_blocks = 5;
}

/* Rows of a GiB and some more, which are copied in turns. */
static __global__ void long_row_kernel(char *to, const char *from,
                                       ptrdiff_t bytes)
{
    ndg_cuda_copy_row(to, from, bytes);
}

static void longest_rows(void)
{
    char       *to = (char *)((size_t)1 << 40);
    const char *from = (const char *)((size_t)1 << 44);
    ptrdiff_t   bytes = ((ptrdiff_t)1 << 30) + 160;
    void *args[] = { &to, &from, &bytes };
    count_again();
    read_to = from;
    pretend = true;
    CHECK(!cudaLaunchKernel(long_row_kernel, dim3(1), dim3(32), args, 0,
                            (cudaStream_t)0));
    no_faults();
    pretend = false;
    CHECK(stores[16] == bytes / 16 && stored() == bytes);
    CHECK(loads[16] == bytes / 16);
    CHECK(lowest == to && highest == to + bytes && read_to == from + bytes);
}

/* As many turns as there is work for, and none in which no lane has any: told
 * by what the lanes of warps do together in each. */
static void turns_of_runs(void)
{
    enum { ROWS = 5 * 256, BYTES = 6 };
    const ndg_gather_plan plan = planned_axis(rows_of(BYTES, ndg_dims1(1),
                                                      ndg_dims1(ROWS)));
    memory p(0, BYTES), x(0, 4 * ROWS), o(0, BYTES * ROWS);
    cudaMemset(x.p, 0, x.n);
    count_again();
    CHECK(!ndg_cuda_gather_run(&plan, o.p, plan.out_bytes, p.p, x.p, 0, 0));
    no_faults();
    CHECK(ballots == 3 * ROWS);         /* which vectors fit: none of three */
}

/* A tile of rows, in one block, of as many parts as a warp has lanes. */
static void turns_of_a_tile(void)
{
    enum { ROWS = 2048, BYTES = 6, PARTS = 32, BITS = 5 };
    const ndg_partition_plan plan = planned(split_of(ROWS, BYTES, PARTS));
    test_blocks = 1;
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory x(0, 4 * ROWS), scratch(0, (size_t)need), from(0, BYTES * ROWS);
    memory o(0, BYTES * ROWS), begins(0, 8 * (PARTS + 1));
    cudaMemset(x.p, 0, x.n);
    count_again();
    CHECK(!ndg_cuda_partition_packed(&plan, o.p, BYTES * ROWS, 0, from.p, x.p,
            ROWS, 0, begins.as<ptrdiff_t>(), scratch.p, need, 0, 0));
    no_faults();
    /* whether an id is good, its bits; which vectors fit */
    CHECK(ballots == (1 + BITS) * ROWS + 3 * ROWS);
    /* sums of each part's counts, of all parts', and within the tile: 32 lanes
     * in five steps, of four lots in the first two */
    CHECK(sums == 32 * 5 * (4 * PARTS + 4 + 1));
    test_blocks = 5;
}

/* Counts of lists are summed 128 at a time. */
static void turns_of_lists(ptrdiff_t n)
{
    const ndg_stitch_plan plan = planned(weave_of(4));
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&plan, 0, n, 0);
    memory lists(0, (size_t)n * sizeof(ndg_list)), size(0, 8);
    memory scratch(0, (size_t)need);
    cudaMemset(lists.p, 0, lists.n);
    count_again();
    CHECK(!ndg_cuda_stitch_total(&plan, lists.as<ndg_list>(), n, 0,
                                 size.as<ptrdiff_t>(), scratch.p, need, 0, 0));
    no_faults();
    CHECK(sums == 32 * 5 * 4 * ((n + 127) / 128));
}

static void counts_all(void)
{
    int n;
    for (n = 0; n < 50; n++) copies(n, n % 8 == 3);
    for (n = 50; n < 1000; n += n < 66 ? 1 : 199) {
        copies(n, true);
        copies(n, false);
    }
    copies(16, true);
    copies(512, false);
    copies(1040, true);
    all_lanes();
    turns_of_runs();
    turns_of_a_tile();
    turns_of_lists(1);
    turns_of_lists(128);
    turns_of_lists(129);
    loads_and_stores();
    dealt(2000, 16, 0, 5, 16);
    dealt(2000, 64, 0, 5, 16);
    dealt(2000, 64, 4, 5, 4);
    dealt(2000, 20, 4, 5, 4);
    dealt(2000, 20, 0, 1, 4);
    dealt(100, 1, 3, 5, 1);
    dealt(2, 65536, 0, 16, 16);
    dealt(2, 65536, 0, 2, 16);
    dealt(1, 131072, 0, 8, 16);
}

/* What a scatter refuses; and a change of indices in a gather in line. */
static void scatters(void)
{
    static const int32_t ids[4] = { 1, 3, 1, 0 };
    static const int32_t data[4] = { 10, 20, 30, 40 };
    static const int32_t want[5] = { 40, 30, 0, 20, 0 };
    ndg_scatter_desc d = NDG_ZERO_INIT;
    ndg_gather_desc  g = rows_of(1, ndg_dims2(5, 4), ndg_dims1(4));
    ndg_report       r, got;
    ndg_cuda_report  zero = { 0, 0 };
    int32_t          have[5] = { 0, 0, 0, 0, 0 };
    d.out = ndg_dims1(5);
    d.indices = ndg_dims2(4, 1);
    d.elem_size = 4;
    const ndg_scatter_plan plan = planned(d), none = ndg_scatter_plan();
    ndg_scatter_plan       vast = plan;
    vast.slots = (ptrdiff_t)1 << 58;
    CHECK(ndg_cuda_scatter_scratch_bytes(&plan) == 40);
    CHECK(ndg_cuda_scatter_scratch_bytes(&none) == -1);
    CHECK(ndg_cuda_scatter_scratch_bytes(&vast) == -1);
    CHECK(ndg_cuda_scatter_scratch_bytes(0) == -1);
    memory out(0, 20), x(ids, 16), from(data, 16), scratch(0, 48);
    memory bad(&zero, sizeof zero);
    REFUSED(ndg_cuda_scatter_run(0, out.p, 20, from.p, x.p, 0, 0, 0, 0));
    REFUSED(ndg_cuda_scatter_run(&none, out.p, 20, from.p, x.p, 0, 0, 0, 0));
    REFUSED(ndg_cuda_scatter_run(&plan, out.p, 20, from.p, x.p, scratch.p + 4,
                                 40, 0, 0));
    REFUSED(ndg_cuda_scatter_run(&plan, out.p, 20, from.p, x.p, scratch.p, 39,
                                 0, 0));
    REFUSED(ndg_cuda_scatter_run(&plan, out.p, 20, out.p, x.p, 0, 0, 0, 0));
    REFUSED(ndg_cuda_scatter_report_read(0, x.p, bad.as<ndg_cuda_report>(),
                                         &got, 0));
    CHECK(!ndg_cuda_scatter_run(&plan, out.p, 20, from.p, x.p, scratch.p, 40, 0,
                                0));
    CHECK(out.holds(want));
    CHECK(ndg_cuda_scatter_run(&plan, out.p, 20, from.p, x.p, scratch.p, 40, 0,
                               nowhere) != cudaSuccess);
    /* rows of four bytes in line, if it were not for index_add */
    g.index_add = 1;
    const ndg_gather_plan gather = planned_axis(g);
    memory table(want, 20), to(0, 16);
    CHECK(!ndg_cuda_gather_run(&gather, to.p, 16, table.p, x.p, 0, 0));
    ndg_gather_run(&gather, have, 16, want, ids, &r);
    CHECK(to.holds(have));
    no_faults();
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
    for (i = 64; i <= 1600; i += 512) {
        all_bad(i, 4, 1);
        all_bad(i, 16, 1);
        all_bad(i, 20, 1);
        all_bad(i, 48, 1);
        all_bad(i, 5, 3);
        all_bad_lists(i);
    }
    fewer_entries();
    stitches();
    a_count_below_none();
    positions_alone(3);
    positions_alone(1000);
    for (i = 1; i <= 4; i++) ids_change(i, 4);
    test_blocks = 1;
    for (i = 1; i <= 4; i++) ids_change(i, 2);
    test_blocks = 5;
    partitions();
    no_outs(3);
    no_outs(300);
    full();
    some_counts();
    odd_words();
    late_ids();
    reports();
    longest_index_row();
    strides_of_nobody();
    counts_all();
    longest_rows();
    scatters();
    return test_end("test_cuda_cover");
}
