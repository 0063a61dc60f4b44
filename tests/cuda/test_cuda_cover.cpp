/* test_cuda_cover.cpp - what test_cuda does not reach of ndgather_cuda.cuh,
 * found by tests/coverage and tests/mutation: refusals, calls without a report,
 * errors of a stream that is none, parts that are full, and how many loads and
 * stores it takes. On the emulator. Device memory comes from cudaMalloc, so a
 * touch of anything else is a fault.
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

#include "cuda_check.h"
#undef cudaStreamSynchronize

static cudaStream_t nowhere;            /* a stream that is no more */
#define NOWHERE(call) SEE((call) == cudaErrorInvalidResourceHandle)

/* Bytes on the device, out of the host's reach: a copy, or all FRESH. */
struct memory : buffer {
    memory(const void *from, ptrdiff_t bytes) : buffer(from, bytes)
    {
        if (!from) set(FRESH);
    }
    template <class T> explicit memory(const T &whole) : buffer(whole) {}
};

/* What is in memory now. */
template <class T> static T now_in(const memory &m)
{
    T v;
    m.get(&v);
    return v;
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
/* A limit below 0: no row is there today. And more rows than a line can have,
 * which are not launched. */
static void limits(void)
{
    const ptrdiff_t rows = (ptrdiff_t)1 << 31, today = -1;
    const int32_t   ids[4] = { 0, 0, 0, 0 };
    const std::vector<char> fresh(64, (char)FRESH);
    ndg_gather_plan plan = planned(rows_of(16, ndg_dims1(4), ndg_dims2(4, 1)));
    ndg_gather_desc many = rows_of(16, ndg_dims1(4),
                                   ndg_strided2(rows, 0, 1, 4));
    memory          p(0, 64), x(ids), o(0, 64), limit(today);
    p.set(3);
    SEE(!ndg_cuda_gather_run_range(&plan, o, 64, p, x, 0, 4, limit, 0, 0));
    many.overlap = NDG_OVERLAP_DISJOINT;
    plan = planned(many);
    NOWHERE(ndg_cuda_gather_run(&plan, o, plan.out_bytes, p, x, 0, nowhere));
    no_faults();
    SEE(o.holds(fresh));
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
    memory          p(0, 64), x(ids), o(0, sizeof(one_row));
    start(row_kernel, 1, 32, plan, p, x, o);
    no_faults();
    const one_row got = now_in<one_row>(o);
    SEE(got.from == p.p + 32 && got.at == 16 && got.bad == 0);
}

static void gathers(void)
{
    const int32_t   ids[3] = { 9, 2, 1 };
    ndg_gather_desc d = rows_of(16, ndg_dims1(4), ndg_dims2(3, 1), NDG_ZERO);
    ndg_gather_plan plan = planned(d), none = ndg_gather_plan();
    ndg_report      r;
    memory          p(0, 64), x(ids), o(0, 48), report(cleared);
    /* who asks for no report learns nothing from a check */
    SEE(!ndg_cuda_gather_check(&plan, x, 0, 3, 0, 0, 0));
    /* a check looks, whatever a run would do */
    d.policy = NDG_ASSUME_VALID;
    plan = planned(d);
    SEE(!ndg_cuda_gather_check(&plan, x, 0, 3, 0, report, 0));
    SEE(!ndg_cuda_gather_report_read(&plan, x, report, &r, 0));
    SEE(r.bad.count == 1 && r.bad.position == 0);
    report.put(&cleared);
    d.policy = NDG_DEFAULT;
    plan = planned(d);
    REFUSED(ndg_cuda_gather_check(0, x, 0, 3, 0, report, 0));
    REFUSED(ndg_cuda_gather_report_read(0, x, report, &r, 0));
    REFUSED(ndg_cuda_gather_report_read(&none, x, report, &r, 0));
    REFUSED(ndg_cuda_gather_report_read(&plan, x, 0, &r, 0));
    REFUSED(ndg_cuda_gather_report_read(&plan, x, report, 0, 0));
    SEE(!ndg_cuda_gather_run(&plan, o, 48, p, x, report, 0));
    no_faults();
    NOWHERE(ndg_cuda_gather_run(&plan, o, 48, p, x, report, nowhere));
    NOWHERE(ndg_cuda_gather_report_read(&plan, x, report, &r, nowhere));
    no_faults();
    /* a report, and indices that cannot be read */
    REFUSED(ndg_cuda_gather_report_read(&plan, ids, report, &r, 0));
    SEE(emu->failed > 0 && r.bad.count == 1 && r.bad.position == 0
        && r.bad.component == -1 && r.op == NDG_OP_GATHER_ND);
    emu_forgive();
    /* a wait that fails, after which nothing is believed */
    wait_fails = true;
    SEE(ndg_cuda_gather_report_read(&plan, 0, report, &r, 0)
        == cudaErrorLaunchFailure);
    SEE(ndg_cuda_gather_report_read(&plan, x, report, &r, 0)
        == cudaErrorLaunchFailure);
    SEE(r.bad.count == 0);
    wait_fails = false;
}

/* So many were bad, number `first` before all others. */
static bool told(const ndg_cuda_report &r, ptrdiff_t count, ptrdiff_t first = 0)
{
    return r.count == (unsigned long long)count
        && ~r.first == (unsigned long long)first;
}

/* Rows that are all bad, so that no lane of a warp has none to tell of: one, or
 * some, for each. Of every kernel that reports them. */
static void all_bad(int rows, int elem, int steps, ptrdiff_t table = 4)
{
    std::vector<int32_t> ids((size_t)rows);
    for (int i = 0; i < rows; i++) ids[(size_t)i] = 4 + i % 3;
    const ndg_gather_plan plan = planned(rows_of(elem, steps > 1
        ? ndg_strided3(4, 2 * steps * elem, steps, 2 * elem, 1, elem)
        : ndg_dims1(table), ndg_dims2(rows, 1)));
    memory p(0, 8 * elem * steps), x(ids), o(0, plan.out_bytes), bad(cleared);
    SEE(!ndg_cuda_gather_run(&plan, o, plan.out_bytes, p, x, bad, 0));
    SEE(told(now_in<ndg_cuda_report>(bad), rows));
    SEE(!ndg_cuda_gather_check(&plan, x, 0, rows, 0, bad, 0));
    SEE(told(now_in<ndg_cuda_report>(bad), 2 * rows));
    no_faults();
}

/* ---- stitch --------------------------------------------------------------*/
/* The three launchers, on lists and with scratch of so many bytes. */
enum { RUN, UNIQUE, TOTAL, WAYS, SCRATCH = 8000 };
static cudaError_t stitch_by(int way, const ndg_stitch_plan *plan, const memory
                             &out, ptrdiff_t total, const memory &lists,
                             ptrdiff_t n, ptrdiff_t entries,
                             ndg_cuda_stitch_report *report, const memory &size)
{
    const memory::maybe to = out.when(out.n > 0);
    memory              scratch(0, SCRATCH);
    return way == RUN ? ndg_cuda_stitch_run(plan, to, out.n, total, 0, lists,
                            n, entries, scratch, SCRATCH, report, 0)
         : way == UNIQUE ? ndg_cuda_stitch_unique(plan, to, out.n, total, 0,
                               lists, n, entries, scratch, SCRATCH, report, 0)
         : ndg_cuda_stitch_total(plan, lists, n, entries, size, scratch,
                                 SCRATCH, report, 0);
}

static void all_bad_lists(int rows)
{
    const ptrdiff_t      none = 0;
    std::vector<int32_t> ids((size_t)rows);
    const ndg_stitch_plan    plan = planned(weave_of(4));
    const ndg_partition_plan split = planned(split_of(rows, 4, 3));
    for (int i = 0; i < rows; i++) ids[(size_t)i] = -1 - i;
    memory x(ids), from(0, 4 * rows), o(0, 400), size(0, 8);
    memory report(cleared_stitch), one(cleared), counts(0, 24);
    memory lists(list_of(x, from, rows));
    for (int way = 0; way < WAYS; way++) {
        SEE(!stitch_by(way, &plan, o, 100, lists, 1, rows, report, size));
        const ndg_cuda_stitch_report got = now_in<ndg_cuda_stitch_report>(
            report);
        SEE(told(got.bad, (way + 1) * rows) && told(got.holes, 100));
    }
    SEE(size.holds(&none));             /* the largest of no index */
    SEE(!ndg_cuda_partition_count(&split, x, 0, rows, 0, counts, one, 0));
    SEE(told(now_in<ndg_cuda_report>(one), rows));
    no_faults();
}

/* Fewer entries are said than the lists hold: the others are left alone. */
static void fewer_entries(void)
{
    enum { ROWS = 300 };
    static int32_t  ids[ROWS], data[ROWS], want[ROWS];
    const ndg_stitch_plan plan = planned(weave_of(4, 0, NDG_GAPS_KEEP));
    ptrdiff_t       n;
    int             i, way;
    for (i = 0; i < ROWS; i++) data[i] = 7 * (ids[i] = i);
    memory x(ids), from(data), size(0, 8), report(cleared_stitch);
    const ndg_list list[2] = { list_of(x, from, 100),
                               list_of(x.p + 400, from.p + 400, 200) };
    memory lists(list);
    for (n = 0; n <= ROWS; n += n < 3 || n > 98 ? 1 + n / 102 * 98 : 95)
        for (way = 0; way < WAYS; way++) {
            memory o(0, sizeof want);
            memset(want, FRESH, sizeof want);
            if (way != TOTAL) memcpy(want, data, 4 * (size_t)n);
            SEE(!stitch_by(way, &plan, o, ROWS, lists, 2, n, 0, size));
            no_faults();
            SEE(o.holds(want));
            SEE(way != TOTAL || size.holds(&n));
        }
    /* all of them name one row: of duplicates there is a count, and no first */
    memory o(0, sizeof want);
    x.set(0);
    SEE(!stitch_by(RUN, &plan, o, ROWS, lists, 2, ROWS, report, size));
    const ndg_cuda_stitch_report got = now_in<ndg_cuda_stitch_report>(report);
    SEE(got.duplicates.count == ROWS - 1 && got.duplicates.first == 0);
    SEE(told(got.holes, ROWS - 1, 1));
    SEE(got.bad.count == 0 && got.bad.first == 0);
    no_faults();
}

/* A list of fewer than no entries has none: a bad one of the next list is
 * position 2 of that. */
static void a_count_below_none(void)
{
    const int32_t   ids[4] = { 2, 0, -1, 3 };
    const uint32_t  data[4] = { 10, 11, 12, 13 };
    memory          x(ids), from(data), o(0, 16);
    const ndg_list  host[2] = { list_of(0, 0, -1), list_of(x, from, 4) };
    memory          lists(host);
    const ndg_stitch_plan plan = planned(weave_of(4));
    ndg_report      r;
    for (int way = RUN; way <= UNIQUE; way++) {
        memory seen(cleared_stitch);
        SEE(!stitch_by(way, &plan, o, 4, lists, 2, 4, seen, o));
        SEE(!ndg_cuda_stitch_report_read(&plan, 4, lists, 2, seen, &r, 0));
        SEE(r.status == NDG_OK && r.bad.count == 1 && r.bad.list == 1);
        SEE(r.bad.position == 2 && r.bad.value == -1 && r.bad.extent == 4);
        no_faults();
    }
}

/* What is written without a report, of more entries than the lists hold or of
 * rows without bytes; what the launchers refuse; a stream that is none. */
static void stitches(void)
{
    const int32_t   ids[4] = { 2, 0, -1, 3 };
    const uint32_t  data[4] = { 10, 11, 12, 13 };
    const uint32_t  want[4] = { 11, 0xA5A5A5A5u, 10, 13 };
    const uint32_t  woven[4] = { 11, 0, 10, 13 };
    const ptrdiff_t rows = 4;
    ndg_stitch_desc d = weave_of(4, NDG_DROP);
    const ndg_stitch_plan plan = planned(d), none = ndg_stitch_plan();
    d.slice = ndg_dims1(0);
    const ndg_stitch_plan thin = planned(d);
    memory x(ids), from(data), report(cleared_stitch), scratch(0, SCRATCH);
    memory size(0, 8), o(0, 16), again(0, 16), nothing(0, 0);
    memory l(list_of(x, from, 4));
    SEE(!stitch_by(UNIQUE, &plan, o, 4, l, 1, 900, 0, size));
    SEE(!stitch_by(UNIQUE, &thin, nothing, 4, l, 1, 4, 0, size));
    SEE(!stitch_by(UNIQUE, &thin, nothing, 4, l, 1, 4, report, size));
    SEE(!stitch_by(RUN, &plan, again, 4, l, 1, 4, 0, size));
    SEE(!stitch_by(RUN, &thin, nothing, 4, l, 1, 4, 0, size));
    SEE(!stitch_by(TOTAL, &plan, nothing, 4, l, 1, 4, 0, size));
    no_faults();
    SEE(o.holds(want));
    SEE(again.holds(woven));
    SEE(size.holds(&rows));
#define RUN_OF(plan, out, lists, n, entries, scratch)                         \
    ndg_cuda_stitch_run(plan, out, 16, 4, 0, lists, n, entries, scratch,      \
                        SCRATCH, report, 0)
    REFUSED(RUN_OF(0, o, l, 1, 4, scratch));
    REFUSED(RUN_OF(&none, o, l, 1, 4, scratch));
    REFUSED(RUN_OF(&plan, 0, l, 1, 4, scratch));
    REFUSED(RUN_OF(&plan, o, l, -1, 4, scratch));
    REFUSED(RUN_OF(&plan, o, l, 1, -4, scratch));
    REFUSED(RUN_OF(&plan, o, 0, 1, 4, scratch));
    REFUSED(RUN_OF(&plan, o, l, 1, PTRDIFF_MAX / 4 + 1, scratch));
    SEE(ndg_cuda_stitch_scratch_bytes(&plan, 4, 1, PTRDIFF_MAX / 4) > 0);
    SEE(ndg_cuda_stitch_scratch_bytes(&plan, 4, 1, PTRDIFF_MAX / 4 + 1) == -1);
    REFUSED(RUN_OF(&plan, o, l, 1, 4, 0));
    REFUSED(RUN_OF(&plan, o, l, 1, 4, scratch.p + 4));
    /* of no rows of out, what the CPU refuses, too */
#define NONE(bytes, lists, n, entries, report)                                \
    ndg_cuda_stitch_run(&plan, 0, bytes, 0, 0, lists, n, entries, 0, 0,        \
                        report, 0)
    SEE(!NONE(0, l, 1, 4, 0));
    SEE(!NONE(0, 0, 0, 0, report));
    REFUSED(NONE(-1, l, 1, 4, 0));
    REFUSED(NONE(0, 0, 1, 4, 0));
    REFUSED(NONE(0, l, -1, 4, 0));
    REFUSED(NONE(0, l, 1, 4, report));          /* without scratch */
#define TOTAL_OF(size, bytes, stream)                                         \
    ndg_cuda_stitch_total(&plan, l, 1, 4, size, scratch, bytes, 0, stream)
    REFUSED(TOTAL_OF(0, SCRATCH, 0));
    REFUSED(TOTAL_OF(size, 7, 0));
    NOWHERE(TOTAL_OF(size, SCRATCH, nowhere));
    NOWHERE(ndg_cuda_stitch_run(&plan, o, 16, 4, 0, l, 1, 4, scratch, SCRATCH,
                                report, nowhere));
}

/* Of four rows and a list of four entries, the third of them bad. */
static void stitch_reports(void)
{
    const int32_t   ids[4] = { 2, 0, -1, 3 };
    const ndg_stitch_plan plan = planned(weave_of(4, NDG_DROP));
    const ndg_stitch_plan nothing = ndg_stitch_plan();
    ndg_cuda_stitch_report seen = cleared_stitch;
    ndg_report      r;
    memory          x(ids), from(0, 16);
    const ndg_list list = list_of(x, from, 4), short_list = list_of(x, from, 2);
    memory          l(list), less(short_list);
    seen.bad.count = 1;
    seen.bad.first = ~2ull;
    memory          report(seen);
#define READ(plan, lists, n, report, r)                                       \
    ndg_cuda_stitch_report_read(plan, 4, lists, n, report, r, 0)
    REFUSED(READ(0, l, 1, report, &r));
    REFUSED(READ(&nothing, l, 1, report, &r));
    REFUSED(READ(&plan, l, 1, 0, &r));
    REFUSED(READ(&plan, l, 1, report, 0));
    NOWHERE(ndg_cuda_stitch_report_read(&plan, 4, l, 1, report, &r, nowhere));
    SEE(!READ(&plan, l, 1, report, &r));
    SEE(r.bad.count == 1 && r.bad.list == 0 && r.bad.position == 2);
    /* the bad one lies behind all lists that are given */
    REFUSED(READ(&plan, l, 0, report, &r));
    REFUSED(READ(&plan, less, 1, report, &r));
    SEE(r.bad.count == 0);
    /* no lists: they are looked at only for where a bad one lies */
    REFUSED(READ(&plan, 0, 1, report, &r));
    REFUSED(READ(&plan, 0, 0, report, &r));
    report.put(&cleared_stitch);
    SEE(!READ(&plan, 0, 1, report, &r));
    SEE(r.status == NDG_OK && r.bad.count == 0);
    /* a hole among the rows there are, and one that is not: not cleared */
    for (ptrdiff_t hole = 3; hole < 5; hole++) {
        seen = cleared_stitch;
        seen.holes.first = ~(unsigned long long)hole;
        seen.holes.count = 1;
        report.put(&seen);
        SEE(READ(&plan, 0, 0, report, &r)
            == (hole < 4 ? cudaSuccess : cudaErrorInvalidValue));
        SEE(r.rows.holes == (hole < 4));
    }
    no_faults();
    seen = cleared_stitch;
    seen.bad.count = 1;
    report.put(&seen);
    wait_fails = true;
    SEE(READ(&plan, 0, 1, report, &r) == cudaErrorLaunchFailure);
    wait_fails = false;
    /* lists that cannot be read */
    REFUSED(READ(&plan, &list, 1, report, &r));
    SEE(emu->failed > 0);
    emu_forgive();
}

/* ---- partition -----------------------------------------------------------*/
static void partitions(void)
{
    const int32_t      ids[300] = { 1, 0, 2 };
    const ptrdiff_t    zero = 0, room[3] = { 300, 300, 300 };
    const std::vector<char> fresh(1200, 0x5A);
    ndg_partition_desc d = split_of(300, 4, 3);
    const ndg_partition_plan plan = planned(d), none = ndg_partition_plan();
    ndg_report         r;
    memory             x(ids), from(0, 1200), o(fresh), c(room), u(0, 24);
    memory             b(0, 32), scratch(0, 100000), limit(zero);
    memory             report(cleared), to(std::vector<void *>(3, o.p));
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

    SEE(ndg_cuda_partition_scratch_bytes(0, 5) == -1);
    SEE(ndg_cuda_partition_scratch_bytes(&none, 5) == -1);
    SEE(ndg_cuda_partition_scratch_bytes(&plan, 0) == 0);
    SEE(ndg_cuda_partition_scratch_bytes(&plan, -1) == -1);
    SEE(ndg_cuda_partition_scratch_bytes(&vast, 5) == -1);
    SEE(ndg_cuda_partition_scratch_bytes(&many, 257) > 0);
    SEE(ndg_cuda_partition_scratch_bytes(&plan, (ptrdiff_t)1 << 50) > 0);
    SEE(ndg_cuda_partition_scratch_bytes(&long_rows, (ptrdiff_t)1 << 50) == -1);
#define COUNT(plan, ids, first, last, counts)                                 \
    ndg_cuda_partition_count(plan, ids, first, last, 0, counts, 0, 0)
    REFUSED(COUNT(0, x, 0, 3, c));
    REFUSED(COUNT(&none, x, 0, 3, c));
    REFUSED(COUNT(&plan, x, -1, 3, c));
    REFUSED(COUNT(&plan, x, 3, 2, c));
    REFUSED(COUNT(&plan, x, PTRDIFF_MIN, 3, c));
    REFUSED(COUNT(&plan, x, PTRDIFF_MAX, PTRDIFF_MIN, c));
    REFUSED(COUNT(&plan, 0, 0, 3, c));
    REFUSED(COUNT(&plan, x, 299, 301, c));
    REFUSED(COUNT(&plan, x, 0, 3, 0));
    SEE(!COUNT(&plan, 0, 3, 3, c));
#define RUN_ROWS(plan, positions, data, counts, cursors, scratch)             \
    ndg_cuda_partition_run(plan, to, positions, data, x, 300, 0, counts,     \
                           cursors, scratch, 100000, 0, 0)
    REFUSED(RUN_ROWS(&plan, 0, from, 0, u, scratch));
    REFUSED(RUN_ROWS(&plan, 0, from, c, 0, scratch));
    REFUSED(RUN_ROWS(0, 0, from, c, u, scratch));
    REFUSED(RUN_ROWS(&plan, 0, from, c, u, scratch.p + 4));
    REFUSED(RUN_ROWS(&plan, 0, from, c, u, 0));
    REFUSED(RUN_ROWS(&plan, 0, 0, c, u, scratch));
    REFUSED(RUN_ROWS(&narrow, to, from, c, u, scratch));
#define PACK(plan, out, offsets, scratch_bytes)                               \
    ndg_cuda_partition_packed(plan, out, 1200, 0, from, x, 300, 0,         \
                              offsets, scratch, scratch_bytes, 0, 0)
    REFUSED(PACK(&plan, o, 0, 100000));
    REFUSED(PACK(&plan, o, b, 8));
    REFUSED(PACK(&plan, 0, b, 100000));
    REFUSED(PACK(0, o, b, 100000));
    REFUSED(PACK(&many, o, b, PTRDIFF_MAX));  /* ids and rows, in 64 bits */
    REFUSED(ndg_cuda_partition_packed(&plan, o, 1200, 0, from, x, -1, 0,
                                      b, scratch, 100000, 0, 0));
    /* of fewer rows than were planned, none are dealt; nor of data whose rows
     * are 8 GiB apart, of which none is there today */
#define NO_ROWS(plan, rows)                                                   \
    ndg_cuda_partition_run(plan, to, 0, from, x, rows, limit, c, u, scratch,   \
                           100000, 0, 0)
    SEE(!NO_ROWS(&plan, 300));
    SEE(!NO_ROWS(&far, 2));
    SEE(o.holds(fresh));
    SEE(!PACK(&free, o, b, 100000));
    SEE(!PACK(&plan, o, b, 100000));
    NOWHERE(ndg_cuda_partition_count(&plan, x, 0, 3, 0, c, 0, nowhere));
    REFUSED(ndg_cuda_partition_report_read(0, x, report, &r, 0));
    NOWHERE(ndg_cuda_partition_report_read(&plan, x, report, &r, nowhere));
    no_faults();
    /* parts without number, for which counts is too small */
    REFUSED(COUNT(&wide, x, 0, 3, c));
    SEE(emu->failed > 0);
    emu_forgive();
}

/* A block has 2048 counters in shared memory: up to 32 of each part, for lanes
 * apart, as many as there is room for; if there is none for all parts, each row
 * is counted in the array. */
static void counted_apart(ptrdiff_t parts, long rows)
{
    long copies = 32;
    while (copies && copies * parts > 2048) copies /= 2;
    SEE(additions[4] == (copies ? rows : 0));
    SEE(copies || additions[8] >= rows);
    if (copies && rows > 1000) {
        SEE(highest - lowest <= 4 * copies * parts);
        SEE(highest - lowest > 3 * copies * parts);
    }
}

/* Counts of some rows, by parts about as many as a block has counters, and of
 * so many rows that there are today. */
static void counts_of(ptrdiff_t parts, ptrdiff_t first, ptrdiff_t last,
                      ptrdiff_t today)
{
    enum { ROWS = 3000 };
    static int32_t     ids[ROWS];
    std::vector<ptrdiff_t> want((size_t)parts);
    ptrdiff_t          i, bad = 0, least = -1;
    long               rows = 0;
    const ndg_partition_plan plan = planned(split_of(ROWS, 4, parts));
    for (i = 0; i < ROWS; i++) {
        ids[i] = (int32_t)(i * 7 % (parts + 1));
        if (i < first || i >= last || i >= today) continue;
        if (ids[i] < parts) { want[(size_t)ids[i]]++; rows++; continue; }
        if (!bad++) least = i;
    }
    memory x(ids), n(0, 8 * parts), limit(today), seen(cleared);
    count_again();
    SEE(!ndg_cuda_partition_count(&plan, x, first, last, limit, n, seen, 0));
    no_faults();
    counted_apart(parts, rows);
    SEE(n.holds(want));
    SEE(bad ? told(now_in<ndg_cuda_report>(seen), bad, least)
            : now_in<ndg_cuda_report>(seen).count == 0);
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
    ndgi_u64           words[N];
    const ndgi_u64     sum = N;
    int                i;
    const ndg_partition_plan plan = planned(split_of(ROWS, 4, PARTS));
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory scratch(0, need), seen(cleared);
    ndgi_split_args a = ndgi_split_of(&plan, 0, 0, ROWS, scratch);
    for (i = 0; i < N; i++) words[i] = rows[i] << a.id_bits | ids[i];
    memory from(words);
    cudaMemcpy(a.sums + (1 << a.bits), &sum, 8, cudaMemcpyHostToDevice);
    a.from = from;
    a.values = 1 << a.bits;
    a.report = seen;
    SEE(!ndgi_launch_count(cudaSuccess, a, false, 0));
    no_faults();
    SEE(told(now_in<ndg_cuda_report>(seen), 4, 5));
}

/* Ids that have changed since they were counted, so that there are more of a
 * digit than there is place for: no word is written behind the last. */
static void late_ids(void)
{
    enum { ROWS = 100, PARTS = 300, BEFORE = 60 };
    const std::vector<int32_t> ids(ROWS, 1);
    static ndgi_u64    want[ROWS + BEFORE];
    const ndgi_u64     before = BEFORE;
    const ndg_partition_plan plan = planned(split_of(ROWS, 4, PARTS));
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory x(ids), to(0, sizeof want), scratch(0, need);
    ndgi_split_args a = ndgi_split_of(&plan, x, 0, ROWS, scratch);
    scratch.set(0);
    cudaMemcpy(a.sums + 1, &before, 8, cudaMemcpyHostToDevice);
    a.to = to;
    a.values = 1 << a.bits;
    a.sorted = true;
    SEE(!ndgi_launch_deal<ndgi_plain_ids>(cudaSuccess, a, 0));
    no_faults();
    memset(want, FRESH, sizeof want);
    for (int i = BEFORE; i < ROWS; i++)
        want[i] = (ndgi_u64)(i - BEFORE) << a.id_bits | 1;
    SEE(to.holds(want));
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
    memory             x(ids), a(last), b(next), lists(list_of(x, x, 3));
    SEE(!ndg_cuda_gather_report_read(&plan, x, a, &r, 0));
    SEE(r.bad.count == 1 && r.bad.position == 2 && r.bad.value == 9);
    SEE(!ndg_cuda_partition_report_read(&split, x, a, &r, 0));
    SEE(r.bad.count == 1 && r.bad.position == 2 && r.bad.value == 9);
    REFUSED(ndg_cuda_gather_report_read(&plan, x, b, &r, 0));
    REFUSED(ndg_cuda_partition_report_read(&split, x, b, &r, 0));
    for (int k = 0; k < 6; k++) {
        const ndg_cuda_report all = { ~0ull, ~0ull >> k % 2 };
        const ndg_cuda_stitch_report stale = { k / 2 == 0 ? all : cleared,
            k / 2 == 1 ? all : cleared, k / 2 == 2 ? all : cleared };
        memory seen(stale);
        SEE(ndg_cuda_gather_report_read(&plan, x, seen, &r, 0) == (k == 0 ?
                cudaErrorInvalidValue : cudaSuccess));
        SEE(ndg_cuda_stitch_report_read(&weave, 3, lists, 1, seen, &r, 0) == (k
                % 2 ? cudaSuccess : cudaErrorInvalidValue));
        SEE(r.bad.count >= 0 && r.rows.holes >= 0 && r.rows.duplicates >= 0);
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
    memory x(ids), seen(first);
    ndg_gather_desc d = rows_of(1, ndg_dims(NDG_MAX_DEPTH, dims, 0),
                                ndg_dims2(1, NDG_MAX_DEPTH));
    d.index_type = NDG_I64;
    const ndg_gather_plan plan = planned(d);
    SEE(!ndg_cuda_gather_report_read(&plan, x, seen, &r, 0));
    SEE(r.bad.count == 1 && r.bad.position == 0 && r.bad.value == 7
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
    unsigned char              want[8];
    ndg_gather_desc d = rows_of(n, params, indices, NDG_ZERO);
    ndg_report      r;
    memory          t(table), x(ids), out(0, 2 * n), some(today);
    memory          seen(cleared);
    memset(want, FRESH, sizeof want);
    memcpy(want, table, (size_t)n);
    if (today > 1) memset(want + n, 0, (size_t)n);
    d.overlap = NDG_OVERLAP_DISJOINT;
    const ndg_gather_plan plan = planned(d);
    SEE(plan.rows == 2);
    SEE(!ndg_cuda_gather_run_range(&plan, out, 2 * n, t, x, 0, 2,
        some, seen, 0));
    SEE(out.holds(want));
    SEE(!ndg_cuda_gather_report_read(&plan, x, seen, &r, 0));
    SEE(r.bad.count == bad && (!bad || r.bad.position == 1));
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
    int                  i, b;
    for (i = 0; i < ROOM; i++) in[i] = (unsigned char)(i * 37 >> 1 | 1);
    memset(want, FRESH, sizeof want);
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
    memory from(in, n + 8), to(0, sizeof want);
    count_again();
    start(copies_kernel, 36, 32, to, from.when(!zeros), n);
    no_faults();
    SEE(to.holds(want));
    SEE(!memcmp(loads, l, sizeof l));
    SEE(!memcmp(stores, s, sizeof s));
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
    memory    from(0, 32 * pitch), to(0, 32 * pitch);
    ndgi_runs t = ndgi_runs();
    t.piece = bytes;
    count_again();
    start(takes_kernel, 1, 32, t, to, from.p + off, pitch);
    no_faults();
    SEE(loads[width] >= bytes / width);
    SEE(most_waiting == (off ? 3 : 1) * lots);
    SEE(shuffles == 32 * 3 * lots * ((lanes + lots - 1) / lots));
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
    int             k, off;
    for (k = 0; k < 4; k++)
        for (off = 0; off < 3; off++) {
            const int       e = 1 << k, first = 3 * off;
            const long      shift = off * e;
            ndg_gather_desc d = rows_of(e, ndg_dims1(3), ndg_dims1(ROWS - 20));
            memory          p(0, 32), x(zeros), o(0, 8 * ROWS);
            memory          bad(cleared);
            d.index_type = types[k];
            const ndg_gather_plan plan = planned_axis(d);
            count_again();
            SEE(!ndg_cuda_gather_check(&plan, x.p + off, 0, ROWS - 20, 0,
                                         bad, 0));
            no_faults();
            SEE(loads[off % e ? 1 : e] == (ROWS - 20) * (off % e ? e : 1));
            SEE(stored() == 0);
            count_again();
            SEE(!ndg_cuda_gather_run_range(&plan, o.p + shift,
                    plan.out_bytes, p, x, first, ROWS - 20, 0, 0, 0));
            no_faults();
            const long begins = shift + first * e;
            const long ends = shift + (ROWS - 20) * e;
            SEE(stores[16] == ends / 16 - (begins + 15) / 16);
            SEE(stored() == ends - begins);
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
    memory x(0, 4 * rows), scratch(0, need), from(0, bytes * rows);
    memory o(0, bytes * rows + 16), at(0, 4 * rows), begins(0, 16);
    x.set(0);
    for (i = 0; i < 2; i++) {
        const long ranks = i ? (long)rows : 0;
        count_again();
        SEE(!ndg_cuda_partition_packed(&plan, o.p + off, bytes * rows,
                at.when(i), from, x, rows, 0, begins, scratch, need, 0, 0));
        no_faults();
        SEE(stores[width] == bytes * rows / width + (width == 4 ? ranks : 0));
        SEE(stored() == bytes * rows + 4 * ranks);
    }
    for (i = 0; i < MOST_BLOCKS; i++) {
        if (by_block[i]) used_blocks++;
        /* a share, and not two of 1024 bytes and the positions more */
        SEE(bytes < 8192 || by_block[i] <= bytes * rows / width / blocks
              + 2048 / width + rows);
    }
    SEE(bytes < 8192 || used_blocks >= blocks - 1);
    test_blocks = 5;
}

/* Rows of a GiB and some more, which are copied in turns. */
static void longest_rows(void)
{
    char       *to = (char *)((size_t)1 << 40);
    const char *from = (const char *)((size_t)1 << 44);
    const ptrdiff_t bytes = ((ptrdiff_t)1 << 30) + 160;
    count_again();
    read_to = from;
    pretend = true;
    start(copies_kernel, 1, 32, (unsigned char *)to,
          (const unsigned char *)from, bytes);
    no_faults();
    pretend = false;
    SEE(stores[16] == bytes / 16 && stored() == bytes);
    SEE(loads[16] == bytes / 16);
    SEE(lowest == to && highest == to + bytes && read_to == from + bytes);
}

/* As many turns as there is work for, and none in which no lane has any: told
 * by what the lanes of warps do together in each. */
static void turns_of_runs(void)
{
    enum { ROWS = 5 * 256, BYTES = 6 };
    const ndg_gather_plan plan = planned_axis(rows_of(BYTES, ndg_dims1(1),
                                                      ndg_dims1(ROWS)));
    memory p(0, BYTES), x(0, 4 * ROWS), o(0, BYTES * ROWS);
    x.set(0);
    count_again();
    SEE(!ndg_cuda_gather_run(&plan, o, plan.out_bytes, p, x, 0, 0));
    no_faults();
    SEE(ballots == 3 * ROWS);         /* which vectors fit: none of three */
}

/* A tile of rows, in one block, of as many parts as a warp has lanes. */
static void turns_of_a_tile(void)
{
    enum { ROWS = 2048, BYTES = 6, PARTS = 32, BITS = 5 };
    const ndg_partition_plan plan = planned(split_of(ROWS, BYTES, PARTS));
    test_blocks = 1;
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    memory x(0, 4 * ROWS), scratch(0, need), from(0, BYTES * ROWS);
    memory o(0, BYTES * ROWS), begins(0, 8 * (PARTS + 1));
    x.set(0);
    count_again();
    SEE(!ndg_cuda_partition_packed(&plan, o, BYTES * ROWS, 0, from, x,
            ROWS, 0, begins, scratch, need, 0, 0));
    no_faults();
    /* whether an id is good, its bits; which vectors fit */
    SEE(ballots == (1 + BITS) * ROWS + 3 * ROWS);
    /* sums of each part's counts, of all parts', and within the tile: 32 lanes
     * in five steps, of four lots in the first two */
    SEE(sums == 32 * 5 * (4 * PARTS + 4 + 1));
    test_blocks = 5;
}

/* Counts of lists are summed 128 at a time. */
static void turns_of_lists(ptrdiff_t n)
{
    const ndg_stitch_plan plan = planned(weave_of(4));
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&plan, 0, n, 0);
    memory lists(0, n * (ptrdiff_t)sizeof(ndg_list)), size(0, 8);
    memory scratch(0, need);
    lists.set(0);
    count_again();
    SEE(!ndg_cuda_stitch_total(&plan, lists, n, 0, size, scratch, need, 0, 0));
    no_faults();
    SEE(sums == 32 * 5 * 4 * ((n + 127) / 128));
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

/* What a scatter refuses. */
static void scatters(void)
{
    static const int32_t ids[4] = { 1, 3, 1, 0 };
    static const int32_t data[4] = { 10, 20, 30, 40 };
    static const int32_t want[5] = { 40, 30, 0, 20, 0 };
    ndg_scatter_desc d = scatter_of(4, ndg_dims1(5), ndg_dims2(4, 1));
    ndg_report       got;
    const ndg_scatter_plan plan = planned(d), none = ndg_scatter_plan();
    ndg_scatter_plan       vast = plan;
    vast.slots = (ptrdiff_t)1 << 58;
    SEE(ndg_cuda_scatter_scratch_bytes(&plan) == 40);
    SEE(ndg_cuda_scatter_scratch_bytes(&none) == -1);
    SEE(ndg_cuda_scatter_scratch_bytes(&vast) == -1);
    SEE(ndg_cuda_scatter_scratch_bytes(0) == -1);
    memory out(0, 20), x(ids), from(data), scratch(0, 48), bad(cleared);
    REFUSED(ndg_cuda_scatter_run(0, out, 20, from, x, 0, 0, 0, 0));
    REFUSED(ndg_cuda_scatter_run(&none, out, 20, from, x, 0, 0, 0, 0));
    REFUSED(ndg_cuda_scatter_run(&plan, out, 20, from, x, scratch.p + 4,
                                 40, 0, 0));
    REFUSED(ndg_cuda_scatter_run(&plan, out, 20, from, x, scratch, 39, 0, 0));
    REFUSED(ndg_cuda_scatter_run(&plan, out, 20, out, x, 0, 0, 0, 0));
    REFUSED(ndg_cuda_scatter_report_read(0, x, bad, &got, 0));
    SEE(!ndg_cuda_scatter_run(&plan, out, 20, from, x, scratch, 40, 0, 0));
    SEE(out.holds(want));
    SEE(ndg_cuda_scatter_run(&plan, out, 20, from, x, scratch, 40, 0,
                               nowhere) != cudaSuccess);
    no_faults();
}

/* One after another, each named where one of its checks fails. */
#define TRY(call) (strcpy(context, #call), call)
int main(void)
{
    int i;
    emu_seed(1);
    all_apart = true;
    test_blocks = 5;
    cudaStreamCreate(&nowhere);
    cudaStreamDestroy(nowhere);
    TRY(limits());
    TRY(your_own_kernel());
    TRY(gathers());
    for (i = 64; i <= 1600; i += 512) {
        TRY(all_bad(i, 4, 1));
        TRY(all_bad(i, 16, 1));
        TRY(all_bad(i, 20, 1));
        TRY(all_bad(i, 48, 1));
        TRY(all_bad(i, 5, 3));
        TRY(all_bad_lists(i));
    }
    TRY(all_bad(100, 16, 1, 0));        /* of lanes without a row, too */
    TRY(fewer_entries());
    TRY(stitches());
    TRY(stitch_reports());
    TRY(a_count_below_none());
    TRY(partitions());
    TRY(some_counts());
    TRY(odd_words());
    TRY(late_ids());
    TRY(reports());
    TRY(longest_index_row());
    TRY(strides_of_nobody());
    TRY(counts_all());
    TRY(longest_rows());
    TRY(scatters());
    return test_end("test_cuda_cover");
}
