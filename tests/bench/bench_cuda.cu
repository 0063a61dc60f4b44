/* bench_cuda.cu - ndgather_cuda.cuh beside the ceilings, naive kernels and CUB.
 *
 * A library, built with -shared, that makes cells and times contestants. What
 * is extern "C" is called by bench_cuda_peers.py, which times PyTorch, JAX and
 * CuPy on the same buffers, in one process. Of OP=stitch, say, only these cells.
 *
 * First the ceilings: a copy, and random sectors. A time is that of a replay of
 * a graph with one launch on each of SETS sets of buffers, between two events,
 * divided by SETS. Nothing is timed whose result is wrong; that is said.
 *
 * Without a GPU it is compiled on tests/cuda/emul/cuda_emul.h, for the mode
 * tiny and without CUB. */
#define NDGATHER_IMPLEMENTATION
#define NDG_CUDA_IMPLEMENTATION
#include "../../ndgather_cuda.cuh"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <vector>

#if defined(CUDA_EMUL_H)
#define HAVE_CUB 0
#define UNROLL
#else
#define HAVE_CUB 1
#define UNROLL _Pragma("unroll")
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

typedef unsigned long long u64;

static const u64 MOST_IDS = 0x7ffffff0;          /* rows that an int names */
enum { SETS = 3, BLOCK = 256 };

#define DIE(...)                                                              \
    do {                                                                      \
        fprintf(stderr, __VA_ARGS__);                                         \
        fputc('\n', stderr);                                                  \
        exit(1);                                                              \
    } while (0)
#define MUST(call)                                                            \
    do {                                                                      \
        const cudaError_t e_ = (call);                                        \
        if (e_ != cudaSuccess) DIE("%s: %s", #call, cudaGetErrorString(e_));  \
    } while (0)

#define CHECK(ok)                                                             \
    do {                                                                      \
        if (!(ok)) DIE("%s, line %d", #ok, __LINE__);                         \
    } while (0)
#include "../cuda/cuda_plans.h"

#define EACH(T, i, n) \
    (T i = (T)blockIdx.x * BLOCK + threadIdx.x; i < (n); \
     i += (T)gridDim.x * BLOCK)

/* ---- cells ---------------------------------------------------------------*/
enum { GATHER, AXIS1, BATCH, ND, STITCH, PARTITION };
static const char *const op_names[] = {
    "gather", "gather axis 1", "batch_gather", "gather_nd", "dynamic_stitch",
    "dynamic_partition"
};

struct cell {
    int  op;
    u64  row;           /* bytes */
    u64  table;         /* bytes of params or data */
    u64  n;             /* rows of out */
    u64  outer;         /* of AXIS1 and BATCH */
    int  depth;
    int  parts;
};

struct scale_of {       /* how large everything is */
    u64 out, most_rows, tables[4], table;
};

static std::vector<cell> cells;
static bool              quick, tiny;
static scale_of          scale;
static const char       *only;       /* a part of an op's name, or NULL */

static u64 floor_to(u64 x, u64 by) { return x / by * by; }

/* A cell whose out is as large as the scale says; `table` bytes to read. */
static void add(int op, u64 row, u64 table, int depth, int parts)
{
    cell c;
    c.op = op;
    c.row = row;
    c.depth = depth;
    c.parts = parts;
    c.outer = op == AXIS1 || op == BATCH ? 16 : 1;
    c.n = std::min(scale.out / row, scale.most_rows);
    c.n = std::max(floor_to(c.n, 16), (u64)16);
    c.table = op == STITCH || op == PARTITION ? c.n * row
            : floor_to(std::min(table, row * MOST_IDS), row * c.outer);
    if (!only || strstr(op_names[op], only)) cells.push_back(c);
}

static void make_cells(void)
{
    static const int rows[] = { 4, 8, 16, 20, 32, 48, 64, 100, 112, 128, 256,
                                512, 1024, 4096 };
    static const int few[] = { 4, 16, 20, 32, 64, 100, 112, 128, 1024 };
    static const int woven[] = { 4, 64, 128, 256, 1024 };
    static const int split[] = { 4, 64, 256 };
    static const int parts[] = { 2, 8, 64, 256, 1024 };
    int              t, k;
    cells.clear();
    for (int at : { 2, 3, 1, 0 }) {
        t = at;
        if (quick && t != 2) continue;
        if (quick) for (int r : few) add(GATHER, r, scale.tables[t], 1, 0);
        else for (int r : rows) add(GATHER, r, scale.tables[t], 1, 0);
    }
    for (int r : { 4, 64 }) {
        if (quick && r == 4) continue;
        for (k = 1; k <= 4; k++) add(ND, r, scale.table, k, 0);
        add(AXIS1, r, scale.table, 1, 0);
        add(BATCH, r, scale.table, 1, 0);
    }
    for (int r : woven)
        if (!quick || r == 64 || r == 256) add(STITCH, r, 0, 1, 0);
    for (int p : parts)
        for (int r : split)
            if (!quick || (r == 64 && (p == 8 || p == 256)))
                add(PARTITION, r, 0, 1, p);
}

/* ---- what must be where --------------------------------------------------*/
/* Word w of a table or of data is mixed(w). */
__host__ __device__ static inline unsigned mixed(u64 x)
{
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ULL;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dULL;
    return (unsigned)(x >> 32);
}

/* A permutation of 0 ... 2^bits - 1 without a pattern: each step of it can be
 * undone. */
__host__ __device__ static inline unsigned shuffled(unsigned x, int bits,
                                                    unsigned seed)
{
    const unsigned all = bits == 32 ? ~0u : (1u << bits) - 1;
    for (int k = 0; k < 3; k++) {
        x = (x + seed) & all;
        x ^= x >> (bits / 2);
        x = x * 0x9e3779b1u & all;
        x ^= x >> (bits / 3 + 1);
        x = x * 0x85ebca6bu & all;
    }
    return x;
}

/* How the rows of out follow from the indices. */
struct view {
    int             op, depth;
    u64             n, words, inner;   /* inner: rows of an outer step */
    int             dim[4];
    const int      *ids;
    const unsigned *order;       /* of a partition: which row went where */
};

/* The row of params that row i of out is; what is out of range: ~0. */
__host__ __device__ static inline u64 source_row(const view &v, u64 i)
{
    u64 at = 0;
    if (v.op == PARTITION) return v.order[i];
    if (v.op == AXIS1) at = i / v.inner, i %= v.inner;
    if (v.op == BATCH) at = i / v.inner;
    for (int k = 0; k < v.depth; k++) {
        const int id = v.ids[i * (u64)v.depth + (u64)k];
        if ((unsigned)id >= (unsigned)v.dim[k]) return ~0ULL;
        at = at * (u64)v.dim[k] + (u64)id;
    }
    return at;
}

/* Words of out that are not what they must be. */
static __global__ void count_wrong(view v, const unsigned *out, u64 *wrong)
{
    for EACH(u64, j, v.n * v.words) {
        const u64 i = j / v.words, w = j % v.words;
        if (v.op == STITCH) {
            const u64 to = (u64)v.ids[i];
            if (out[to * v.words + w] != mixed(j)) atomicAdd(wrong, 1ULL);
        } else if (out[j] != mixed(source_row(v, i) * v.words + w)) {
            atomicAdd(wrong, 1ULL);
        }
    }
}

static __global__ void fill_words(unsigned *to, u64 n)
{
    for EACH(u64, i, n) to[i] = mixed(i);
}

static __global__ void fill_ids(int *to, long long *wide, view v, u64 seed,
                                int bits, u64 n)
{
    for EACH(u64, i, n) {
        const int k = (int)(i % (u64)v.depth);
        const int id = v.op == STITCH
            ? (int)shuffled((unsigned)i, bits, (unsigned)seed)
            : (int)(mixed(i + (seed << 40)) % (unsigned)v.dim[k]);
        to[i] = id;
        wide[i] = id;
    }
}

/* ---- the ceilings --------------------------------------------------------*/
template <int U>
static __global__ void copy_vectors(const uint4 *from, uint4 *to, u64 n)
{
    const u64 step = (u64)gridDim.x * BLOCK * U;
    for (u64 i = (u64)blockIdx.x * BLOCK * U + threadIdx.x; i < n; i += step) {
        uint4 v[U];
        UNROLL for (int u = 0; u < U; u++)
            if (i + (u64)u * BLOCK < n) v[u] = __ldg(from + i + u * BLOCK);
        UNROLL for (int u = 0; u < U; u++)
            if (i + (u64)u * BLOCK < n) __stcs(to + i + u * BLOCK, v[u]);
    }
}

/* Reads a word of each of S adjacent sectors at random multiples of S, U words
 * at a time, `times` times. */
template <int U, int S>
static __global__ void probe_sectors(const unsigned *table, unsigned sectors,
                                     int times, unsigned seed, unsigned *sink)
{
    unsigned x = (blockIdx.x * BLOCK + threadIdx.x) * 0x9e3779b1u + seed;
    unsigned sum = 0;
    for (int t = 0; t < times; t++) {
        unsigned v[U];
        UNROLL for (int u = 0; u < U; u += S) {
            u64 s;
            x = x * 1664525u + 1013904223u;
            s = (u64)((x ^ (x >> 15)) * 0x2c1b3c6du) * (sectors / S) >> 32;
            UNROLL for (int k = 0; k < S; k++)
                v[u + k] = __ldg(table + (s * S + (unsigned)k) * 8);
        }
        UNROLL for (int u = 0; u < U; u++) sum ^= v[u];
    }
    if (sum == 0x12345678u) *sink = sum;
}

/* ---- naive ---------------------------------------------------------------*/
/* A thread for each word of out, that finds its row by itself. */
static __global__ void naive_gather(view v, const unsigned *table,
                                    unsigned *out)
{
    for EACH(unsigned, j, (unsigned)(v.n * v.words)) {
        const unsigned words = (unsigned)v.words, i = j / words;
        const u64      row = source_row(v, i);
        out[j] = row == ~0ULL ? 0 : table[row * words + j % words];
    }
}

/* A thread for each word of data. What nobody names stays; of duplicates any
 * wins. */
static __global__ void naive_scatter(view v, const unsigned *data,
                                     unsigned *out)
{
    for EACH(unsigned, j, (unsigned)(v.n * v.words)) {
        const unsigned words = (unsigned)v.words, i = j / words;
        const unsigned to = (unsigned)v.ids[i];
        if (to < v.n) out[to * (u64)words + j % words] = data[j];
    }
}

#if HAVE_CUB
/* A thread for each 16 bytes of rows named by a sorted order. */
static __global__ void gather_vectors(const uint4 *data, const unsigned *order,
                                      uint4 *out, unsigned vectors, unsigned n)
{
    for EACH(unsigned, j, n * vectors)
        out[j] = data[order[j / vectors] * (u64)vectors + j % vectors];
}

struct row_in {
    const unsigned *table;
    const int      *ids;
    u64             words;
    __host__ __device__ const void *operator()(unsigned i) const
    { return table + (u64)ids[i] * words; }
};
struct row_out {
    unsigned *out;
    u64       words;
    __host__ __device__ void *operator()(unsigned i) const
    { return out + i * words; }
};
struct row_size {
    unsigned bytes;
    __host__ __device__ unsigned operator()(unsigned) const { return bytes; }
};
struct is_part {
    int part;
    __host__ __device__ bool operator()(int id) const { return id == part; }
};
#endif

/* ---- memory --------------------------------------------------------------*/
static unsigned char *pool;          /* of a cell: cut from the front */
static u64            pool_bytes, pool_used;
static unsigned      *table;
static u64           *d_wrong;
static cudaStream_t   stream;
static int            multiprocessors;

static void *cut(u64 bytes)
{
    void *const p = pool + pool_used;
    pool_used += (bytes + 255) / 256 * 256;
    if (pool_used > pool_bytes)
        DIE("a cell needs %llu of %llu bytes", pool_used, pool_bytes);
    return p;
}

template <class T> struct same_type { typedef T type; };
template <class... P>
static cudaError_t launch(void (*kernel)(P...), u64 blocks,
                          typename same_type<P>::type... args)
{
    void *argv[] = { (void *)&args... };
    if (blocks > 1u << 30) blocks = 1u << 30;
    return cudaLaunchKernel(kernel, dim3((unsigned)(blocks ? blocks : 1)),
                            dim3(BLOCK), argv, 0, stream);
}
static u64 grid_of(u64 threads) { return (threads + BLOCK - 1) / BLOCK; }
static u64 few_blocks(u64 threads)
{
    return std::min(grid_of(threads), (u64)multiprocessors * 32);
}

/* ---- timing --------------------------------------------------------------*/
struct contestant {
    const char *name;
    cudaError_t (*run)(int set);
    cudaGraphExec_t graph;
};
static std::vector<contestant> contestants;

/* The graph of a run on each set; 0 if it cannot be captured. */
static cudaGraphExec_t captured(cudaError_t (*run)(int set))
{
    cudaGraph_t     graph;
    cudaGraphExec_t exec = 0;
    cudaError_t     e = cudaSuccess;
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int s = 0; s < SETS && !e; s++) e = run(s);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess || e) {
        (void)cudaGetLastError();
        return 0;
    }
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));
    return exec;
}

/* ns of a launch, from a replay. */
#if defined(CUDA_EMUL_H)
static double replay(cudaGraphExec_t graph)
{
    MUST(cudaGraphLaunch(graph, stream));
    MUST(cudaStreamSynchronize(stream));
    return 1;
}
#else
static cudaEvent_t events[2];

static double replay(cudaGraphExec_t graph)
{
    float ms = 0;
    for (cudaEvent_t &e : events) if (!e) MUST(cudaEventCreate(&e));
    MUST(cudaEventRecord(events[0], stream));
    MUST(cudaGraphLaunch(graph, stream));
    MUST(cudaEventRecord(events[1], stream));
    MUST(cudaEventSynchronize(events[1]));
    MUST(cudaEventElapsedTime(&ms, events[0], events[1]));
    return ms * 1e6 / SETS;
}
#endif

static double best_of(cudaError_t (*run)(int set), int times)
{
    cudaGraphExec_t graph = captured(run);
    double          best = 1e30;
    if (!graph) DIE("a ceiling cannot be captured");
    replay(graph);
    for (int k = 0; k < times; k++) best = std::min(best, replay(graph));
    MUST(cudaGraphExecDestroy(graph));
    return best;
}

/* ---- the ceilings, timed -------------------------------------------------*/
struct { uint4 *from, *to; u64 n; int form; } copying;
struct { u64 bytes; int form, wide, blocks, times; u64 reads; } probing;

static cudaError_t run_copy(int set)
{
    const uint4 *const from = copying.from + copying.n * (u64)(set % 2);
    uint4 *const       to = copying.to + copying.n * (u64)(set % 2);
    const u64          n = copying.n, few = (u64)multiprocessors * 8;
    switch (copying.form) {
    case 0:  return launch(copy_vectors<1>, grid_of(n), from, to, n);
    case 1:  return launch(copy_vectors<2>, grid_of(n / 2), from, to, n);
    case 2:  return launch(copy_vectors<4>, grid_of(n / 4), from, to, n);
    case 3:  return launch(copy_vectors<8>, grid_of(n / 8), from, to, n);
    case 4:  return launch(copy_vectors<4>, few, from, to, n);
    case 5:  return launch(copy_vectors<8>, few, from, to, n);
    default: return cudaMemcpyAsync(to, from, n * 16, cudaMemcpyDeviceToDevice,
                                    stream);
    }
}

static cudaError_t run_probe(int set)
{
    const unsigned sectors = (unsigned)(probing.bytes / 32);
    const unsigned seed = 77u * (unsigned)set;
    void (*const probe)(const unsigned *, unsigned, int, unsigned, unsigned *)
        = probing.form == 0
            ? (probing.wide ? probe_sectors<8, 2> : probe_sectors<8, 1>)
            : (probing.wide ? probe_sectors<16, 2> : probe_sectors<16, 1>);
    return launch(probe, (u64)probing.blocks, table, sectors,
                  probing.times / (probing.form + 1), seed,
                  (unsigned *)d_wrong);
}

static char text[1 << 16];
static void say(const char *format, ...)
{
    const size_t at = strlen(text);
    va_list      args;
    va_start(args, format);
    vsnprintf(text + at, sizeof text - at, format, args);
    va_end(args);
}

static double sectors_per_ns(u64 bytes, int wide)
{
    double best = 0;
    probing.bytes = bytes;
    probing.wide = wide;
    for (probing.form = 0; probing.form < 2; probing.form++)
        for (int per = 8; per <= 32; per *= 2) {
            double ns;
            probing.blocks = multiprocessors * per;
            probing.times = tiny ? 2 : 256 / per;
            probing.reads = (u64)probing.blocks * BLOCK * 8
                          * (u64)probing.times;
            ns = best_of(run_probe, tiny ? 1 : 8);
            best = std::max(best, (double)probing.reads / ns);
        }
    return best;
}

/* What the L2 cache fetches at most for a miss, in bytes; 0: not known. */
static u64 fetch_bytes(void)
{
    size_t bytes = 0;
#if !defined(CUDA_EMUL_H)
    MUST(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity));
#endif
    return bytes;
}

/* Bytes read and written per ns by the best copy; sectors per ns, one by one
 * and in pairs. */
extern "C" const char *bench_ceilings(void)
{
    double kernel = 0, memcpy_rate = 0;
    pool_used = 0;
    copying.n = std::min(scale.out * 2, pool_bytes / 2) / 32;
    copying.from = (uint4 *)(void *)table;
    copying.to = (uint4 *)cut(copying.n * 32);
    for (copying.form = 0; copying.form < 7; copying.form++) {
        const double ns = best_of(run_copy, tiny ? 1 : 8);
        const double rate = 32.0 * (double)copying.n / ns;
        if (copying.form == 6) memcpy_rate = rate;
        else kernel = std::max(kernel, rate);
    }
    text[0] = 0;
    say("{\"ceilings\": {\"copy\": %.6g, \"memcpy\": %.6g, \"fetch\": %llu",
        kernel, memcpy_rate, fetch_bytes());
    for (int wide = 0; wide < 2; wide++) {
        say(", \"%s\": {", wide ? "pairs" : "sectors");
        for (int t = 0; t < 4; t++)
            say("%s\"%llu\": %.6g", t ? ", " : "", scale.tables[t],
                sectors_per_ns(scale.tables[t], wide));
        say("}");
    }
    say("}}");
    return text;
}

/* ---- one cell ------------------------------------------------------------*/
static struct {
    cell      c;
    view      v[SETS];
    u64       out_bytes, row_words;
    unsigned *out[SETS];
    int      *ids[SETS];
    long long *wide[SETS];
    ndg_gather_plan    gather;
    ndg_stitch_plan    stitch;
    ndg_partition_plan partition;
    ndg_cuda_stitch_report *report;
    ndg_list *lists[SETS];
    void    **outs[SETS];
    ptrdiff_t *counts, *counted, *cursors, *offsets;
    void     *scratch;
    ptrdiff_t scratch_bytes;
    unsigned *order;
    /* of CUB */
    void     *temp;
    size_t    temp_bytes;
    unsigned *iota, *values;
    int      *keys, *histogram;
    u64       first_part;
    int       bits;
} job;

static cudaError_t run_gather(int s)
{
    return ndg_cuda_gather_run(&job.gather, job.out[s], job.gather.out_bytes,
                               table, job.ids[s], &job.report->bad, stream);
}
static cudaError_t run_stitch(int s)
{
    return ndg_cuda_stitch_run(&job.stitch, job.out[s],
                               (ptrdiff_t)job.out_bytes, (ptrdiff_t)job.c.n, 0,
                               job.lists[s], 2, (ptrdiff_t)job.c.n,
                               job.scratch, job.scratch_bytes, job.report,
                               stream);
}
static cudaError_t run_unique(int s)
{
    return ndg_cuda_stitch_unique(&job.stitch, job.out[s],
                                  (ptrdiff_t)job.out_bytes,
                                  (ptrdiff_t)job.c.n, 0, job.lists[s], 2,
                                  (ptrdiff_t)job.c.n, job.scratch,
                                  job.scratch_bytes, job.report, stream);
}
static cudaError_t run_packed(int s)
{
    return ndg_cuda_partition_packed(&job.partition, job.out[s],
                                     (ptrdiff_t)job.out_bytes, 0, table,
                                     job.ids[0], (ptrdiff_t)job.c.n, 0,
                                     job.offsets, job.scratch,
                                     job.scratch_bytes, &job.report->bad,
                                     stream);
}
static cudaError_t run_split(int s)
{
    return ndg_cuda_partition_run(&job.partition, job.outs[s], 0, table,
                                  job.ids[0], (ptrdiff_t)job.c.n, 0, job.counts,
                                  job.cursors, job.scratch, job.scratch_bytes,
                                  &job.report->bad, stream);
}
static cudaError_t run_count_and_split(int s)
{
    const cudaError_t e = ndg_cuda_partition_count(
        &job.partition, job.ids[0], 0, (ptrdiff_t)job.c.n, 0, job.counted, 0,
        stream);
    return e ? e : run_split(s);
}
static cudaError_t run_naive(int s)
{
    const u64 words = job.c.n * job.row_words;
    return launch(job.c.op == STITCH ? naive_scatter : naive_gather,
                  grid_of(words), job.v[s], table, job.out[s]);
}

#if HAVE_CUB
static cudaError_t cub_batched(int s)
{
    const row_in   in = { table, job.ids[s], job.row_words };
    const row_out  out = { job.out[s], job.row_words };
    const row_size size = { (unsigned)job.c.row };
    const auto     each = thrust::make_counting_iterator(0u);
    return cub::DeviceMemcpy::Batched(
        job.temp, job.temp_bytes, thrust::make_transform_iterator(each, in),
        thrust::make_transform_iterator(each, out),
        thrust::make_transform_iterator(each, size), (unsigned)job.c.n, stream);
}

/* The rows that `values` names; of 4 bytes they are sorted themselves. */
static cudaError_t cub_rows(int s, u64 first, u64 n, const unsigned *order)
{
    const u64 vectors = job.c.row / 16;
    return launch(gather_vectors, grid_of(n * vectors),
                  (const uint4 *)(const void *)table, order,
                  (uint4 *)(void *)job.out[s] + first * vectors,
                  (unsigned)vectors, (unsigned)n);
}

/* A stable sort of rows or their positions by as many bits as there are. */
static cudaError_t cub_sort(int s)
{
    const int   n = (int)job.c.n;
    const bool  small = job.c.row == 4;
    cudaError_t e = cub::DeviceHistogram::HistogramEven(
        job.temp, job.temp_bytes, job.ids[0], job.histogram, job.c.parts + 1,
        0, job.c.parts, n, stream);
    if (!e)
        e = cub::DeviceRadixSort::SortPairs(
            job.temp, job.temp_bytes, (const unsigned *)(void *)job.ids[0],
            (unsigned *)(void *)job.keys, small ? table : job.iota,
            small ? job.out[s] : job.values, n, 0, job.bits, stream);
    return e || small ? e : cub_rows(s, 0, job.c.n, job.values);
}

/* Two parts: selected one after the other, as DevicePartition is not stable. */
static cudaError_t cub_select(int s)
{
    cudaError_t e = cudaSuccess;
    for (int k = 0; k < 2 && !e; k++) {
        const is_part part = { k };
        const auto    flags = thrust::make_transform_iterator(job.ids[0], part);
        const u64     first = k ? job.first_part : 0;
        const u64     n = k ? job.c.n - job.first_part : job.first_part;
        if (job.c.row == 4) {
            e = cub::DeviceSelect::Flagged(job.temp, job.temp_bytes, table,
                                           flags, job.out[s] + first,
                                           job.histogram + k, (int)job.c.n,
                                           stream);
            continue;
        }
        e = cub::DeviceSelect::Flagged(
            job.temp, job.temp_bytes, thrust::make_counting_iterator(0u),
            flags, job.values, job.histogram + k, (int)job.c.n, stream);
        if (!e) e = cub_rows(s, first, n, job.values);
    }
    return e;
}

/* Memory for a run of CUB's; without it, each call says what it needs. */
static void give_temp(cudaError_t (*run)(int))
{
    size_t most = 0;
    (void)run;
    job.temp = 0;
    if (job.c.op == PARTITION) {
        size_t    a = 0, b = 0, c = 0;
        const int n = (int)job.c.n;
        const is_part part = { 0 };
        MUST(cub::DeviceHistogram::HistogramEven(
            (void *)0, a, job.ids[0], job.histogram, job.c.parts + 1, 0,
            job.c.parts, n, stream));
        MUST(cub::DeviceRadixSort::SortPairs(
            (void *)0, b, (const unsigned *)(void *)job.ids[0],
            (unsigned *)(void *)job.keys, (const unsigned *)table, job.values,
            n, 0, job.bits, stream));
        MUST(cub::DeviceSelect::Flagged(
            (void *)0, c, (const unsigned *)table,
            thrust::make_transform_iterator(job.ids[0], part), job.values,
            job.histogram, n, stream));
        most = std::max(a, std::max(b, c));
    } else {
        MUST(cub_batched(0));
        most = job.temp_bytes;
    }
    job.temp_bytes = most;
    job.temp = cut(most);
}
#endif

static void drop_graphs(void)
{
    for (contestant &c : contestants)
        if (c.graph) MUST(cudaGraphExecDestroy(c.graph));
    contestants.clear();
}

/* Words of a result that are wrong, for set s. */
extern "C" long long bench_wrong(const void *out, int s)
{
    u64 n = 0;
    MUST(cudaMemsetAsync(d_wrong, 0, 8, stream));
    MUST(launch(count_wrong, few_blocks(job.c.n * job.row_words), job.v[s],
                (const unsigned *)out, d_wrong));
    MUST(cudaMemcpyAsync(&n, d_wrong, 8, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    return (long long)n;
}

/* Enters a contestant, if each set comes out right from a spoilt out. */
static void enter(const char *name, cudaError_t (*run)(int))
{
    contestant c = { name, run, 0 };
    bool       right = true;
    for (int s = 0; s < SETS; s++) {
        MUST(cudaMemsetAsync(job.out[s], 0xA5, job.out_bytes, stream));
        const cudaError_t e = run(s);
        if (e) fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(e));
        right = right && !e && bench_wrong(job.out[s], s) == 0;
    }
    (void)cudaGetLastError();
    for (int k = 0; k < 2 && right && !c.graph; k++) c.graph = captured(run);
    if (right && c.graph) replay(c.graph);
    contestants.push_back(c);
}

static void describe_gather(void)
{
    const cell     &c = job.c;
    const view     &v = job.v[0];
    const ptrdiff_t words = (ptrdiff_t)job.row_words;
    const ptrdiff_t inner = (ptrdiff_t)v.inner;
    ptrdiff_t       dims[6];
    int             rank = 0, k;
    if (c.outer > 1) dims[rank++] = (ptrdiff_t)c.outer;
    for (k = 0; k < v.depth; k++) dims[rank++] = v.dim[k];
    if (words > 1) dims[rank++] = words;
    ndg_gather_desc d = rows_of(4, ndg_dims(rank, dims, 0), ndg_dims1(inner));
    if (c.op == BATCH) d.indices = ndg_dims2((ptrdiff_t)c.outer, inner);
    if (c.op == ND) d.indices = ndg_dims2((ptrdiff_t)c.n, c.depth);
    if (c.op == AXIS1) d.axis = 1;
    job.gather = c.op == ND ? planned(d)
               : c.op == BATCH ? planned_by(ndg_plan_batch_gather, d)
                               : planned_axis(d);
    CHECK(job.gather.out_bytes == (ptrdiff_t)job.out_bytes);
}

/* Which of the extents a row of params has in this depth: powers of two. */
static void extents_of(view *v, u64 rows)
{
    int bits = 0, left = v->depth;
    if (v->depth == 1) {
        v->dim[0] = (int)rows;
        return;
    }
    while (rows >> (bits + 1)) bits++;
    for (int k = 0; k < v->depth; k++, left--) {
        const int own = bits / left;
        v->dim[k] = 1 << own;
        bits -= own;
    }
}

static void prepare_stitch(void)
{
    const cell     &c = job.c;
    const ptrdiff_t half = (ptrdiff_t)c.n / 2, words = (ptrdiff_t)job.row_words;
    ndg_stitch_desc d = weave_of(4);
    d.slice = ndg_dims1(words);
    job.stitch = planned(d);
    job.scratch_bytes = ndg_cuda_stitch_scratch_bytes(
        &job.stitch, (ptrdiff_t)c.n, 2, (ptrdiff_t)c.n);
    job.scratch = cut((u64)job.scratch_bytes);
    for (int s = 0; s < SETS; s++) {
        const int     *ids = job.ids[s];
        const ndg_list lists[2] = {       /* the second half comes first */
            list_of(ids + half, table + half * words, (ptrdiff_t)c.n - half),
            list_of(ids, table, half)
        };
        job.lists[s] = (ndg_list *)cut(sizeof lists);
        MUST(cudaMemcpy(job.lists[s], lists, sizeof lists,
                        cudaMemcpyHostToDevice));
    }
}

/* The order is found on the host: nothing that is timed checks itself. */
static void prepare_partition(void)
{
    const cell            &c = job.c;
    std::vector<int>       ids(c.n);
    std::vector<unsigned>  order(c.n), iota(c.n);
    std::vector<ptrdiff_t> counts((size_t)c.parts, 0);
    std::vector<u64>       at((size_t)c.parts, 0);
    std::vector<void *>    outs((size_t)c.parts);
    const u64              words = (u64)c.parts * 8;
    u64                    sum = 0;
    ndg_partition_desc     d = split_of((ptrdiff_t)c.n,
                                        (ptrdiff_t)job.row_words, c.parts);
    d.elem_size = 4;
    job.partition = planned(d);
    MUST(cudaMemcpy(ids.data(), job.ids[0], c.n * 4, cudaMemcpyDeviceToHost));
    for (u64 i = 0; i < c.n; i++) {
        counts[(size_t)ids[i]]++;
        iota[i] = (unsigned)i;
    }
    for (int k = 0; k < c.parts; k++) {
        at[(size_t)k] = sum;
        sum += (u64)counts[(size_t)k];
    }
    job.first_part = (u64)counts[0];
    job.order = (unsigned *)cut(c.n * 4);
    job.counts = (ptrdiff_t *)cut(words);
    job.counted = (ptrdiff_t *)cut(words);
    job.cursors = (ptrdiff_t *)cut(words);
    job.offsets = (ptrdiff_t *)cut(words + 8);
    for (int s = 0; s < SETS; s++) {
        for (int k = 0; k < c.parts; k++)
            outs[(size_t)k] = job.out[s] + at[(size_t)k] * job.row_words;
        job.outs[s] = (void **)cut(words);
        job.v[s].order = job.order;
        MUST(cudaMemcpy(job.outs[s], outs.data(), words,
                        cudaMemcpyHostToDevice));
    }
    for (u64 i = 0; i < c.n; i++)
        order[at[(size_t)ids[i]]++] = (unsigned)i;
    MUST(cudaMemcpy(job.order, order.data(), c.n * 4, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(job.counts, counts.data(), words, cudaMemcpyHostToDevice));
    job.scratch_bytes = ndg_cuda_partition_scratch_bytes(&job.partition,
                                                         (ptrdiff_t)c.n);
    job.scratch = cut((u64)job.scratch_bytes);
    job.keys = (int *)cut(c.n * 4);
    job.values = (unsigned *)cut(c.n * 4);
    job.iota = (unsigned *)cut(c.n * 4);
    job.histogram = (int *)cut(words);
    MUST(cudaMemcpy(job.iota, iota.data(), c.n * 4, cudaMemcpyHostToDevice));
    for (job.bits = 1; (c.parts - 1) >> job.bits; job.bits++) continue;
}

static void enter_all(void)
{
    const int op = job.c.op;
    if (op == STITCH) {
        enter("ours", run_stitch);
        enter("ours, unique", run_unique);
        enter("naive", run_naive);
    } else if (op == PARTITION) {
        enter("ours", run_packed);
        enter("ours, counted", run_count_and_split);
        enter("ours, sizes known", run_split);
    } else {
        enter("ours", run_gather);
        enter("naive", run_naive);
    }
#if HAVE_CUB
    if (op == GATHER && job.c.row >= 16) {
        give_temp(cub_batched);
        enter("cub DeviceMemcpy", cub_batched);
    } else if (op == PARTITION) {
        give_temp(cub_sort);
        enter("cub sort", cub_sort);
        if (job.c.parts == 2) enter("cub select", cub_select);
    }
#endif
}

static void describe(int k)
{
    const cell &c = job.c;
    text[0] = 0;
    say("{\"cell\": %d, \"op\": \"%s\", \"row\": %llu, \"table\": %llu, "
        "\"rows\": %llu, \"depth\": %d, \"parts\": %d, \"outer\": %llu, "
        "\"dims\": [%d, %d, %d, %d], \"out_bytes\": %llu, \"data\": %llu",
        k, op_names[c.op], c.row, c.table, c.n, c.depth, c.parts, c.outer,
        job.v[0].dim[0], job.v[0].dim[1], job.v[0].dim[2], job.v[0].dim[3],
        job.out_bytes, (u64)(size_t)table);
    say(", \"inner\": %llu, \"sets\": [", job.v[0].inner);
    for (int s = 0; s < SETS; s++)
        say("%s{\"ids\": %llu, \"wide\": %llu, \"out\": %llu}",
            s ? ", " : "", (u64)(size_t)job.ids[s], (u64)(size_t)job.wide[s],
            (u64)(size_t)job.out[s]);
    say("], \"wrong\": [");
    for (size_t i = 0, n = 0; i < contestants.size(); i++)
        if (!contestants[i].graph)
            say("%s\"%s\"", n++ ? ", " : "", contestants[i].name);
    say("]}");
}

/* Makes cell k ready: its buffers, and its contestants, verified. Returns what
 * it is, in JSON. */
extern "C" const char *bench_prepare(int k)
{
    const cell &c = job.c;
    const int   sets = cells[(size_t)k].op == PARTITION ? 1 : SETS;
    u64         entries;
    int         bits = 0;
    drop_graphs();
    job.c = cells[(size_t)k];
    pool_used = 0;
    job.row_words = c.row / 4;
    job.out_bytes = c.n * c.row;
    while (c.n >> (bits + 1)) bits++;
    if (c.op == STITCH && c.n != 1ULL << bits) DIE("not a power of two");
    job.report = (ndg_cuda_stitch_report *)cut(sizeof *job.report);
    MUST(cudaMemset(job.report, 0, sizeof *job.report));
    for (int s = 0; s < SETS; s++) {
        view v = view();
        v.op = c.op;
        v.depth = c.depth;
        v.n = c.n;
        v.words = job.row_words;
        v.inner = c.n / c.outer;
        v.dim[0] = c.op == PARTITION ? c.parts : (int)c.n;
        if (c.op < STITCH) extents_of(&v, c.table / c.row / c.outer);
        entries = (c.op == AXIS1 ? v.inner : c.n) * (u64)c.depth;
        if (s < sets) {
            job.ids[s] = (int *)cut(entries * 4);
            job.wide[s] = (long long *)cut(entries * 8);
        } else {
            job.ids[s] = job.ids[0];
            job.wide[s] = job.wide[0];
        }
        job.out[s] = (unsigned *)cut(job.out_bytes);
        v.ids = job.ids[s];
        job.v[s] = v;
        if (s < sets)
            MUST(launch(fill_ids, few_blocks(entries), job.ids[s], job.wide[s],
                        v, (u64)(k * SETS + s + 1), bits, entries));
    }
    MUST(cudaStreamSynchronize(stream));
    if (c.op == STITCH) prepare_stitch();
    else if (c.op == PARTITION) prepare_partition();
    else describe_gather();
    enter_all();
    describe(k);
    return text;
}

extern "C" int bench_contestants(void) { return (int)contestants.size(); }
extern "C" const char *bench_contestant(int i)
{
    return contestants[(size_t)i].name;
}

/* Times contestant i so often; returns how many times there are: none if its
 * result was wrong. */
extern "C" int bench_sample(int i, int replays, double *ns)
{
    const cudaGraphExec_t graph = contestants[(size_t)i].graph;
    if (!graph) return 0;
    for (int k = 0; k < replays; k++) ns[k] = replay(graph);
    return replays;
}

extern "C" int bench_cells(void) { return (int)cells.size(); }

/* ---- the device ----------------------------------------------------------*/
static u64 free_memory(void)
{
#if defined(CUDA_EMUL_H)
    return 64 << 20;
#else
    size_t left = 0, all = 0;
    MUST(cudaMemGetInfo(&left, &all));
    return left;
#endif
}

static u64 cache_bytes(void)
{
    int bytes = 0;
#if !defined(CUDA_EMUL_H)
    MUST(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
#endif
    return (u64)bytes;
}

/* Sizes that this much memory has room for; a third is left for the peers. */
static void set_scale(u64 memory)
{
    const u64 mib = 1 << 20;
    const u64 tables[4] = { mib, 32 * mib, 1024 * mib, 16384 * mib };
    u64       most = 16 * mib;
    while (most * 4 <= memory && most < tables[3]) most *= 2;
    scale.out = memory > 40960 * mib ? 512 * mib : memory / 64;
    while (scale.out & (scale.out - 1)) scale.out &= scale.out - 1;
    scale.most_rows = 32 * mib;
    for (int t = 0; t < 4; t++) scale.tables[t] = std::min(tables[t], most);
    if (tiny) {
        most = 1 << 20;
        scale.out = 16 << 10;
        scale.most_rows = 1 << 10;
        for (int t = 0; t < 4; t++) scale.tables[t] = 8192ULL << 2 * t;
    }
    scale.table = scale.tables[2];
    pool_bytes = tiny ? 4 << 20 : scale.out * 11;
    MUST(cudaMalloc((void **)&table, std::max(most, scale.out * 2)));
    MUST(cudaMalloc((void **)&pool, pool_bytes));
    MUST(launch(fill_words, few_blocks(most / 4), table,
                std::max(most, scale.out * 2) / 4));
}

/* Opens the device for a mode; returns what it is, in JSON, or "" without. */
extern "C" const char *bench_open(const char *mode)
{
    cudaDeviceProp p;
    int            n = 0, driver = 0, runtime = 0;
    text[0] = 0;
    quick = !strcmp(mode, "quick");
    tiny = !strcmp(mode, "tiny");
    if (cudaGetDeviceCount(&n) != cudaSuccess || n < 1) return text;
    MUST(cudaGetDeviceProperties(&p, 0));
    MUST(cudaDriverGetVersion(&driver));
    MUST(cudaRuntimeGetVersion(&runtime));
    multiprocessors = p.multiProcessorCount;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&d_wrong, 8));
    set_scale(free_memory());
    only = getenv("OP");
    MUST(cudaStreamSynchronize(stream));
    make_cells();
    say("{\"device\": {\"card\": \"%s\", \"capability\": \"%d.%d\", "
        "\"multiprocessors\": %d, \"memory\": %llu, \"l2\": %llu, "
        "\"driver_cuda\": \"%d.%d\", \"runtime\": \"%d.%d\", ", p.name,
        p.major, p.minor, p.multiProcessorCount, (u64)p.totalGlobalMem,
        cache_bytes(), driver / 1000, driver / 10 % 100, runtime / 1000,
        runtime / 10 % 100);
#if HAVE_CUB
    say("\"cub\": \"%d.%d.%d\", ", CUB_VERSION / 100000,
        CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
#endif
    say("\"version\": \"%d.%d.%d\", \"mode\": \"%s\", \"cells\": %d, "
        "\"sets\": %d}}", NDG_VERSION_MAJOR, NDG_VERSION_MINOR,
        NDG_VERSION_PATCH, mode, (int)cells.size(), SETS);
    return text;
}

/* What the emulator has found wrong, or "". */
extern "C" const char *bench_fault(void)
{
    MUST(cudaDeviceSynchronize());
#if defined(CUDA_EMUL_H)
    return emu->why;
#else
    return "";
#endif
}
