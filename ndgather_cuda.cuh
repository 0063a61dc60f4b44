/* ndgather_cuda.cuh - v0.9.0 - the operations of ndgather.h on a CUDA device
 * SPDX-License-Identifier: MIT-0 OR Unlicense              (as ndgather.h)
 *
 * The same plans, the same index math, the same bytes. A plan is made on the
 * host by ndgather.h; a launcher here takes it with device pointers, in the
 * order of the CPU's function, the stream last. From examples/cuda_rows.cu:
 *
 *     #define NDGATHER_IMPLEMENTATION          // in one file of the program
 *     #include "ndgather_cuda.cuh"             // includes ndgather.h
 *     ndg_plan_gather(&plan, &desc, &report);          // once, on the host
 *     cudaMemsetAsync(bad, 0, sizeof *bad, stream);    // ndg_cuda_report *bad
 *     ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, ids, bad, stream);
 *     ndg_cuda_gather_report_read(&plan, ids, bad, &report, stream);  // waits
 *
 * ndg_cuda_   gather_run, gather_run_range, gather_check, gather_report_read
 *             stitch_run, stitch_total, stitch_scratch_bytes, ..._report_read
 *             partition_run, partition_count, ..._scratch_bytes, _report_read
 *             gather_row, for your own kernels: see examples/cuda_fused.cu
 * Result      The launch's own; what was pending stays pending. For what the
 *             CPU refuses and the host can see, cudaErrorInvalidValue first.
 * Streams     Nothing synchronises, allocates or prints: capture it in a graph.
 *             Only the ..._report_read functions wait for the stream.
 * Memory      The device's, of any alignment; scratch, reports, lists, counts
 *             and arrays of pointers of 8. Multiples of 16 are fastest. Scratch
 *             may hold anything, and serves one launch at a time.
 * Bad rows    The policies of ndgather.h. NDG_DEFAULT is NDG_ZERO, for stitch
 *             and partition NDG_DROP, and reported. Under NDG_ERROR no bad row
 *             is written, but every good one; the report has the status.
 * Reports     Accumulate over launches until you clear them. NULL: none.
 * HIP         Not these kernels, which count on CUDA's warps: the functions of
 *             >>index in ndgather.h, in kernels of your own. */
#ifndef NDGATHER_CUDA_CUH
#define NDGATHER_CUDA_CUH

#include "ndgather.h"
#ifndef NDG_CUDA_RUNTIME_PROVIDED   /* defined: its names are there already */
#include <cuda_runtime.h>
#endif
#ifndef NDG_CUDA_BLOCK              /* threads of a block: whole warps */
#define NDG_CUDA_BLOCK 256
#endif
#ifndef NDG_CUDA_MAX_BLOCKS         /* of a launch */
#define NDG_CUDA_MAX_BLOCKS 16384
#endif
#ifndef NDG_CUDA_DIGIT_BITS         /* 2^8 parts for each pass over the ids */
#define NDG_CUDA_DIGIT_BITS 8
#endif

/* On the device. All zero: no bad row; else count are, and the first is ~first
 * (inverted, so that zero is none and atomicMax finds it). */
struct ndg_cuda_report { unsigned long long first, count; };

/* Of a stitch: bad entries, numbered through all lists; rows of out that no
 * index names; entries that overwrite another, of which only count is set. */
struct ndg_cuda_stitch_report { ndg_cuda_report bad, holes, duplicates; };

/* ---- the launch ----------------------------------------------------------*/
#define NDGI_WARPS  (NDG_CUDA_BLOCK / 32)
#define NDGI_DIGITS (1 << NDG_CUDA_DIGIT_BITS)
#define NDGI_ALL    0xffffffffu             /* the lanes of a warp */
#define NDGI_KERNEL static __global__ void \
    __launch_bounds__(NDG_CUDA_BLOCK, 1024 / NDG_CUDA_BLOCK)
#define NDGI_DEVICE static __device__ inline
#define NDGI_HOST   static inline
#ifndef NDGI_SHARED                 /* a test hands out memory it can check */
#define NDGI_SHARED(type, name, count) __shared__ type name[count]
#endif

/* This thread and how many there are; its lane; a lane's pointer. */
#define NDGI_THREAD  ((ptrdiff_t)blockIdx.x * NDG_CUDA_BLOCK + threadIdx.x)
#define NDGI_THREADS ((ptrdiff_t)gridDim.x * NDG_CUDA_BLOCK)
#define NDGI_LANE    ((int)(threadIdx.x & 31u))
#define NDGI_FROM_LANE(p, k) \
    ((ndgi_byte *)(size_t)__shfl_sync(NDGI_ALL, (ndgi_u64)(size_t)(p), k))

typedef unsigned char      ndgi_byte;
typedef unsigned long long ndgi_u64;
typedef char ndgi_block_is_whole_warps[NDG_CUDA_BLOCK % 32 ? -1 : 1];

/* A typed launch, skipped after an earlier error e and for no blocks. <<<>>>
 * would mix in what was pending. */
template <class T> struct ndgi_same { typedef T type; };
template <class... P>
NDGI_HOST cudaError_t ndgi_launch(cudaError_t e, void (*kernel)(P...),
        ptrdiff_t blocks, cudaStream_t s, typename ndgi_same<P>::type... args) {
    void *argv[] = { (void *)&args... };
    if (blocks > NDG_CUDA_MAX_BLOCKS) blocks = NDG_CUDA_MAX_BLOCKS;
    return e || !blocks ? e : cudaLaunchKernel(kernel,
        dim3((unsigned)blocks), dim3(NDG_CUDA_BLOCK), argv, 0, s);
}

NDGI_HOST ptrdiff_t ndgi_ratio_up(ptrdiff_t n, ptrdiff_t by) {
    return n / by + (n % by != 0);
}

/* ---- positions and indices -----------------------------------------------*/
/* The offsets that a position in nested loops stands for. */
struct ndgi_offsets { ptrdiff_t source, indices, out; };

NDG_HD static inline void ndgi_offsets_add(ndgi_offsets *at,
        const ndg_level *level, int levels, ptrdiff_t position) {
    for (int k = 0; k < levels; k++) {
        const ptrdiff_t rest = k + 1 < levels ? position / level[k].extent : 0;
        const ptrdiff_t digit = position - rest * level[k].extent;
        at->source += digit * level[k].source;
        at->indices += digit * level[k].indices;
        at->out += digit * level[k].out;
        position = rest;
    }
}

/* Bytes of an index type, from a table of their logarithms. */
NDG_HD static inline int ndgi_bytes_of(int type) {
    return 1 << (0x32103102u >> 4 * type & 15u);
}

/* The index whose bytes are the low ones of x. */
NDG_HD static inline int64_t ndgi_index_from(uint64_t x, int type) {
    const int rest = 64 - 8 * ndgi_bytes_of(type);
    return type < NDG_U8 ? (int64_t)(x << rest) >> rest : (int64_t)x;
}

/* The bytes of an index of any alignment. */
NDGI_DEVICE uint64_t ndgi_fetch(const ndgi_byte *p, int type) {
    const int bytes = ndgi_bytes_of(type);
    uint64_t  x = 0;
    if (((size_t)p & (size_t)(bytes - 1)) == 0) {
        if (bytes == 4) return __ldg((const unsigned *)p);
        if (bytes == 8) return __ldg((const ndgi_u64 *)p);
        if (bytes == 2) return __ldg((const unsigned short *)p);
    }
    for (int i = 0; i < bytes; i++) x |= (uint64_t)__ldg(p + i) << 8 * i;
    return x;
}

/* Resolves those of N index rows whose bit is in `here`: to offsets in params,
 * which are bad, which lead somewhere. Loads come before any use. */
template <int N>
NDGI_DEVICE unsigned ndgi_find(const ndg_gather_plan &p,
        const ndgi_byte *indices, ptrdiff_t step, unsigned here,
        ptrdiff_t *offset, unsigned *bad) {
    unsigned found = here;
    *bad = 0;
    for (int j = 0; j < N; j++) offset[j] = 0;
    for (int k = 0; k < p.depth; k++, indices += p.index_step) {
        uint64_t x[N];
        for (int j = 0; j < N; j++)
            x[j] = here >> j & 1u ? ndgi_fetch(indices + j * step,
                                               p.index_type) : 0;
        for (int j = 0; j < N; j++) {
            int64_t   v = ndgi_index_from(x[j], p.index_type);
            const int is_u64 = p.index_type == NDG_U64 && v < 0;
            if (p.negative == NDG_NEGATIVE_FROM_END)
                v = ndg_index_from_end(v, is_u64, p.extent[k]);
            if (p.policy != NDG_ASSUME_VALID
                && !NDG_INDEX_GOOD(v, p.extent[k])) {
                v = ndg_index_place(v, is_u64, p.extent[k], p.policy);
                *bad |= here & 1u << j;
                if (v < 0) found &= ~(1u << j);
            }
            if (found >> j & 1u) offset[j] += (ptrdiff_t)v * p.stride[k];
        }
    }
    return found;
}

/* For your own kernels: the slice of params that an index row names, NULL for
 * a bad one that CLIP or WRAP do not move. *bad: whether it was; *out, if out
 * is not NULL: its offset in out. Each index is read once, checked, used. */
NDGI_DEVICE const void *ndg_cuda_gather_row(const ndg_gather_plan &plan,
        const void *params, const void *indices, ptrdiff_t row, ptrdiff_t *out,
        bool *bad) {
    ndgi_offsets at = { 0, 0, 0 };
    ptrdiff_t    offset;
    unsigned     found, odd;
    ndgi_offsets_add(&at, plan.level + plan.copy_levels, plan.row_levels, row);
    found = ndgi_find<1>(plan, (const ndgi_byte *)indices + at.indices, 0, 1u,
                         &offset, &odd);
    if (out) *out = at.out;
    *bad = odd != 0;
    return found ? (const ndgi_byte *)params + at.source + offset : 0;
}

/* ---- telling of bad rows -------------------------------------------------*/
NDGI_DEVICE void ndgi_note(ndg_cuda_report *seen, ptrdiff_t position) {
    if (~(ndgi_u64)position > seen->first) seen->first = ~(ndgi_u64)position;
    seen->count++;
}

/* Adds what a warp has seen: a maximum and a sum, the same in any order. */
NDGI_DEVICE void ndgi_tell(ndg_cuda_report *report, ndg_cuda_report seen) {
    if (!report || !__ballot_sync(NDGI_ALL, seen.count != 0)) return;
    for (int d = 16; d; d /= 2) {
        const ndgi_u64 w = __shfl_sync(NDGI_ALL, seen.first, NDGI_LANE ^ d);
        seen.count += __shfl_sync(NDGI_ALL, seen.count, NDGI_LANE ^ d);
        if (w > seen.first) seen.first = w;
    }
    if (NDGI_LANE != 0) return;
    atomicMax(&report->first, seen.first);
    atomicAdd(&report->count, seen.count);
}

/* ---- copying -------------------------------------------------------------*/
/* What a launch copies: a run of bytes for each row, step of its copy levels
 * and piece of a long run. Bad ones become zeros or, periodically, fill. */
typedef struct ndgi_runs {
    ptrdiff_t rows, pieces, count, bytes, blocks;
    int       piece, take, period;         /* take: by a warp at a time */
    ndgi_byte fill[24];
} ndgi_runs;

typedef struct ndgi_run {               /* a lane's */
    const ndgi_byte *from;              /* NULL if the row was bad */
    ndgi_byte       *to;
    int              bytes;
    bool             first;             /* of all runs of its row */
} ndgi_run;

/* Fills a device: cuts long rows; a warp takes what keeps its lanes busy. */
NDGI_HOST ndgi_runs ndgi_runs_of(ptrdiff_t rows, const ndg_level *level,
        int levels, ptrdiff_t bytes, int period) {
    const ptrdiff_t unit = period ? 16 * period : 16;
    ndgi_runs t = { rows, 1, rows, bytes, ndgi_ratio_up(rows, NDG_CUDA_BLOCK),
                    0, 32, period, { 0 } };
    if (bytes == 0) return t;
    t.piece = (int)ndgi_ratio_up(bytes, ndgi_ratio_up(bytes, 1024));
    if (t.piece < bytes) t.piece = (int)(ndgi_ratio_up(t.piece, unit) * unit);
    t.pieces = ndgi_ratio_up(bytes, t.piece);
    t.count *= t.pieces;
    for (int k = 0; k < levels; k++) t.count *= level[k].extent;
    while (t.take * 8192 > t.count && t.take * t.piece > 512 && t.take > 1)
        t.take /= 2;
    t.blocks = ndgi_ratio_up(t.count, (ptrdiff_t)t.take * NDGI_WARPS);
    return t;
}

/* The row of run q; adds the offsets of its step and piece. */
NDGI_DEVICE ptrdiff_t ndgi_run_at(const ndgi_runs &t, const ndg_level *level,
        int levels, ptrdiff_t q, ndgi_offsets *at, ndgi_run *run) {
    const ptrdiff_t z = t.pieces == 1 ? q : q / t.pieces;
    const ptrdiff_t step = levels == 0 ? 0 : z / t.rows;
    const ptrdiff_t skip = (q - z * t.pieces) * t.piece, rest = t.bytes - skip;
    ndgi_offsets_add(at, level, levels, step);
    at->source += skip;
    at->out += skip;
    run->bytes = rest < t.piece ? (int)rest : t.piece;
    run->first = step == 0 && skip == 0;
    return z - step * t.rows;
}

/* What a lane moves at once: vector c of a run aligned to V ... */
template <class V> struct ndgi_vector {
    V v;
    __device__ void load(const ndgi_runs &, const ndgi_run &run, int c) {
        const bool some = c < run.bytes / (int)sizeof(V) && run.from;
        v = some ? __ldg((const V *)run.from + c) : V();
    }
    __device__ void store(const ndgi_run &run, int c) const {
        if (c < run.bytes / (int)sizeof(V)) __stcs((V *)run.to + c, v);
    }
};

/* ... or, of any run, two words aligned in out, made of three in the source, or
 * a byte of its head or tail: so long that no word reaches beyond the run. */
struct ndgi_shifted {
    ndgi_u64 v;
    int      at, bytes;                 /* in the run; 0, 1 or 8 */
    __device__ void load(const ndgi_runs &t, const ndgi_run &run, int c) {
        int       head = (int)((0 - (size_t)run.to) & 3), pairs, ends;
        const int skew = (int)(((size_t)run.from + (size_t)head) & 3);
        if (head < skew) head += 4;
        pairs = (run.bytes - head - (-skew & 3)) / 8;
        if (pairs < 0) pairs = 0;
        ends = run.bytes - 8 * pairs;
        at = c < head ? c : c < ends ? c + 8 * pairs : head + 8 * (c - ends);
        bytes = c < ends ? 1 : c < ends + pairs ? 8 : 0;
        v = 0;
        if (!run.from) {
            const ndgi_byte *const in = t.fill + (t.period ? at % t.period : 0);
            for (int i = 7; i >= 0; i--) v = v << 8 | in[i];
        } else if (bytes == 1) {
            v = __ldg(run.from + at);
        } else if (bytes == 8) {
            const unsigned *const in = (const unsigned *)(run.from + at - skew);
            const unsigned middle = __ldg(in + 1), shift = 8u * (unsigned)skew;
            v = __funnelshift_r(middle, skew ? __ldg(in + 2) : 0u, shift);
            v = v << 32 | __funnelshift_r(__ldg(in), middle, shift);
        }
    }
    __device__ void store(const ndgi_run &run, int) const {
        unsigned *const out = (unsigned *)(bytes ? run.to + at : 0);
        if (bytes == 1) __stcs(run.to + at, (ndgi_byte)v);
        if (bytes == 8) __stcs(out, (unsigned)v);
        if (bytes == 8) __stcs(out + 1, (unsigned)(v >> 32));
    }
};

/* A warp copies the runs of its first `take` lanes: tiles of lanes do one each,
 * of at most `slots` M's, U at a time, every load before the first store. */
template <class M, int U>
NDGI_DEVICE void ndgi_copy_by(const ndgi_runs &t, const ndgi_run &run,
                              int slots, int take) {
    int lanes = 1, tile = NDGI_LANE, tiles = 32, k, c, u;
    for (; lanes < slots && lanes < 32; lanes *= 2) tile /= 2, tiles /= 2;
    for (k = 0; k < take; k += tiles * U) {
        ndgi_run r[U];
        M        m[U];
        for (u = 0; u < U; u++) {
            const int from = k + u * tiles + tile;
            r[u].from = NDGI_FROM_LANE(run.from, from & 31);
            r[u].to = NDGI_FROM_LANE(run.to, from & 31);
            r[u].bytes = __shfl_sync(NDGI_ALL, run.bytes, from & 31);
            if (from > 31) r[u].bytes = 0;
        }
        for (c = NDGI_LANE & (lanes - 1); c < slots; c += lanes) {
            for (u = 0; u < U; u++) m[u].load(t, r[u], c);
            for (u = 0; u < U; u++) m[u].store(r[u], c);
        }
    }
}

/* By the widest vectors that fit all addresses and lengths. */
NDGI_DEVICE void ndgi_take(const ndgi_runs &t, const ndgi_run &run, int take) {
    const int n = t.piece, fill = t.period && !run.from;
    const int odd = run.bytes == 0 ? 0 : fill | (int)((size_t)run.from
                                       | (size_t)run.to | (size_t)run.bytes);
    if (!__ballot_sync(NDGI_ALL, odd & 15))
        ndgi_copy_by<ndgi_vector<uint4>, 2>(t, run, n / 16, take);
    else if (!__ballot_sync(NDGI_ALL, odd & 7))
        ndgi_copy_by<ndgi_vector<ndgi_u64>, 4>(t, run, n / 8, take);
    else if (!__ballot_sync(NDGI_ALL, odd & 3))
        ndgi_copy_by<ndgi_vector<unsigned>, 4>(t, run, n / 4, take);
    else
        ndgi_copy_by<ndgi_shifted, 2>(t, run, n < 14 ? n : n / 8 + 13, take);
}

/* All runs of a launch: each lane finds one, so that indices are read side by
 * side and checked once; then the warp copies. Of no bytes: only looks. */
template <class A>
NDGI_KERNEL ndgi_copy_runs(A a) {
    const int       take = a.runs.take;
    ptrdiff_t       base = NDGI_THREAD / 32 * take;
    ndg_cuda_report seen = { 0, 0 };
    for (; base < a.runs.count; base += NDGI_THREADS / 32 * take) {
        ndgi_run run = { 0, 0, 0, false };
        if (NDGI_LANE < take && base + NDGI_LANE < a.runs.count)
            ndgi_find_run(a, base + NDGI_LANE, &run, &seen);
        ndgi_take(a.runs, run, take);
    }
    ndgi_tell(a.report, seen);
    ndgi_tell(a.also, seen);
}

/* ---- gather --------------------------------------------------------------*/
typedef struct ndgi_gather_args {
    ndg_gather_plan  plan;         /* its policy NDG_ZERO where it fills */
    ndgi_byte       *out;
    const ndgi_byte *params, *indices;
    ptrdiff_t        first, last;
    ndg_cuda_report *report, *also;
    ndgi_runs        runs;
} ndgi_gather_args;

NDGI_DEVICE void ndgi_find_run(const ndgi_gather_args &a, ptrdiff_t q,
                               ndgi_run *run, ndg_cuda_report *seen) {
    const ndg_gather_plan &p = a.plan;
    ndgi_offsets    at = { 0, 0, 0 };
    ptrdiff_t       out;
    bool            bad;
    const ptrdiff_t row = a.first + ndgi_run_at(a.runs, p.level, p.copy_levels,
                                                q, &at, run);
    const void     *from = ndg_cuda_gather_row(p, a.params, a.indices, row,
                                               &out, &bad);
    if (bad && run->first) ndgi_note(seen, row);
    if (run->bytes) run->to = a.out + at.out + out;
    if (from) run->from = (const ndgi_byte *)from + at.source;
    else if (p.policy != NDG_ZERO) run->bytes = 0;
}

/* Rows of one element E, packed: a lane takes 16 aligned bytes of out, and has
 * one store for them if all are its to write. */
template <class E>
NDGI_KERNEL ndgi_gather_elements(ndgi_gather_args a, ndgi_u64 blank) {
    enum { S = (int)sizeof(E), V = 16 / S, N = V < 4 || V > 8 ? 2 : 4 };
    const ndg_level &line = a.plan.level[0];
    ptrdiff_t        i = a.first + NDGI_THREAD * V
        - (ptrdiff_t)(((size_t)a.out / S + (size_t)a.first) % V);
    ndg_cuda_report  seen = { 0, 0 };
    for (; i < a.last; i += NDGI_THREADS * V) {
        ulonglong2 w = { 0, 0 };
        unsigned   good = 0;
        for (ptrdiff_t k = i; k < i + V; k += N) {
            ptrdiff_t offset[N];
            unsigned  here = 0, bad, found;
            for (int j = 0; j < N; j++)
                if (k + j >= a.first && k + j < a.last) here |= 1u << j;
            found = ndgi_find<N>(a.plan, a.indices + k * line.indices,
                                 line.indices, here, offset, &bad);
            for (int j = 0; j < N; j++) {       /* the bytes move down by S */
                const E e = found >> j & 1u ? __ldg((const E *)(a.params
                    + offset[j] + (k + j) * line.source)) : (E)blank;
                w.x = w.x >> 4 * S >> 4 * S | w.y << (64 - 8 * S);
                w.y = w.y >> 4 * S >> 4 * S | (ndgi_u64)e << (64 - 8 * S);
                if (bad >> j & 1u) ndgi_note(&seen, k + j);
            }
            good |= (a.plan.policy == NDG_ZERO ? here : found) << (k - i);
        }
        if (good + 1 == 1u << V) __stcs((ulonglong2 *)(a.out + i * S), w);
        else for (int j = 0; j < V; j++)
            if (good >> j & 1u) __stcs((E *)a.out + i + j,
                (E)((j < V / 2 ? w.x : w.y) >> 8 * S * (j % (V / 2))));
    }
    ndgi_tell(a.report, seen);
}

/* Rows first ... last-1, say, today's of a plan for a capacity. */
NDGI_HOST cudaError_t ndg_cuda_gather_run_range(const ndg_gather_plan *plan,
        void *out, ptrdiff_t out_bytes, const void *params,
        const void *indices, ptrdiff_t first, ptrdiff_t last,
        ndg_cuda_report *report, cudaStream_t stream) {
    if (ndg_gather_fits(plan, out, out_bytes, params, indices, first, last, 0))
        return cudaErrorInvalidValue;
    if (first == last || (!plan->run_bytes && (!report || plan->depth == 0)))
        return cudaSuccess;
    ndgi_gather_args a = { *plan, (ndgi_byte *)out,
        (const ndgi_byte *)(plan->run_bytes ? params : indices),
        (const ndgi_byte *)indices, first, last, report, 0, ndgi_runs() };
    ndg_gather_plan &p = a.plan;
    const ptrdiff_t  n = last - first, e = p.run_bytes;
    const int        period = p.policy == NDG_FILL ? (int)p.elem_size : 0;
    size_t   odd = (size_t)out | (size_t)params | (size_t)p.level[0].source;
    ndgi_u64 blank = 0;
    if (p.policy == NDG_DEFAULT || p.policy == NDG_FILL) p.policy = NDG_ZERO;
    a.runs = ndgi_runs_of(n, p.level, p.copy_levels, e, period);
    for (int k = 0; k < p.depth; k++) odd |= (size_t)p.stride[k];
    for (int k = 0; k < 24 && period; k++) a.runs.fill[k] = p.fill[k % period];
    for (int k = 0; k < 8; k++) blank |= (ndgi_u64)a.runs.fill[k] << 8 * k;
    if ((e == 1 || e == 2 || e == 4 || e == 8) && odd % (size_t)e == 0
        && p.copy_levels == 0 && p.row_levels == 1 && p.level[0].out == e)
        return ndgi_launch(cudaSuccess, e == 1 ? ndgi_gather_elements<ndgi_byte>
            : e == 2 ? ndgi_gather_elements<unsigned short>
            : e == 4 ? ndgi_gather_elements<unsigned>
                     : ndgi_gather_elements<ndgi_u64>,
            1 + n / (16 / e * NDG_CUDA_BLOCK), stream, a, blank);
    return ndgi_launch(cudaSuccess, ndgi_copy_runs<ndgi_gather_args>,
                       a.runs.blocks, stream, a);
}

NDGI_HOST cudaError_t ndg_cuda_gather_run(const ndg_gather_plan *plan,
        void *out, ptrdiff_t out_bytes, const void *params,
        const void *indices, ndg_cuda_report *report, cudaStream_t stream) {
    return ndg_cuda_gather_run_range(plan, out, out_bytes, params, indices, 0,
                                     plan ? plan->rows : 0, report, stream);
}

/* Checks indices without copying, also under NDG_ASSUME_VALID. */
NDGI_HOST cudaError_t ndg_cuda_gather_check(const ndg_gather_plan *plan,
        const void *indices, ptrdiff_t first, ptrdiff_t last,
        ndg_cuda_report *report, cudaStream_t stream) {
    ndg_gather_plan p = plan ? *plan : ndg_gather_plan();
    p.run_bytes = 0;
    if (p.policy == NDG_ASSUME_VALID) p.policy = NDG_ERROR;
    return ndg_cuda_gather_run_range(&p, 0, 0, 0, indices, first, last, report,
                                     stream);
}

/* ---- stitch --------------------------------------------------------------*/
/* starts[0 ... n] become the running sums of n values, `step` apart, a negative
 * one as 0; so each row of n of `most` values, `pitch` apart, by a warp. */
NDGI_KERNEL ndgi_scan(const void *values, ptrdiff_t step, ptrdiff_t pitch,
                      ndgi_u64 *starts, ptrdiff_t n, ptrdiff_t most) {
    const ptrdiff_t each = (n + 31) / 32, first = NDGI_LANE * each;
    for (ptrdiff_t r = NDGI_THREAD / 32; r * n < most; r += NDGI_THREADS / 32) {
        const int64_t *const in = (const int64_t *)values + r * pitch;
        const ptrdiff_t have = most - r * n < n ? most - r * n : n;
        const ptrdiff_t last = first + each < have ? first + each : have;
        ndgi_u64 *const to = starts + r * (n + 1);
        ndgi_u64        sum = 0, at;
        for (ptrdiff_t i = first; i < last; i++)
            if (in[i * step] > 0) sum += (ndgi_u64)in[i * step];
        at = sum;
        for (int d = 1; d < 32; d *= 2)
            at += __shfl_up_sync(NDGI_ALL, at, (unsigned)d) * (NDGI_LANE >= d);
        at -= sum;
        for (ptrdiff_t i = first; i < last; i++) {
            const int64_t own = in[i * step];
            to[i] = at;
            if (own > 0) at += (ndgi_u64)own;
        }
        if (NDGI_LANE == 31) to[n] = at;
    }
}

typedef struct ndgi_stitch_args {
    ndg_stitch_plan  plan;
    ndgi_byte       *out;
    const ndg_list  *lists;
    ptrdiff_t        rows, n, entries;
    ndg_cuda_report *bad, *duplicates, *report, *also;    /* holes, twice */
    ndgi_u64        *starts;        /* of each list, in entries */
    void            *owner;         /* last entry of each row + 1; or NULL */
    bool             wide;          /* of 64 bits, else of 32 */
    ndgi_runs        runs;
} ndgi_stitch_args;

/* The list of entry g, by bisection past empty ones, and g's place in it. */
NDGI_DEVICE const ndg_list *ndgi_list_of(const ndgi_stitch_args &a, ndgi_u64 g,
                                         ptrdiff_t *place) {
    ptrdiff_t low = 0, high = a.n;
    while (high - low > 1) {
        const ptrdiff_t mid = low + (high - low) / 2;
        if (a.starts[mid] <= g) low = mid; else high = mid;
    }
    *place = (ptrdiff_t)(g - a.starts[low]);
    return a.lists + low;
}

/* Gives every row its last entry, or finds the largest index: maximums. */
NDGI_KERNEL ndgi_stitch_own(ndgi_stitch_args a) {
    const int       type = a.plan.index_type;
    ndg_cuda_report seen = { 0, 0 }, again = { 0, 0 }, top = { 0, 0 };
    ptrdiff_t       g = NDGI_THREAD, place;
    for (; g < a.entries && (ndgi_u64)g < a.starts[a.n]; g += NDGI_THREADS) {
        const ndg_list *s = ndgi_list_of(a, (ndgi_u64)g, &place);
        place *= s->index_stride ? s->index_stride : ndgi_bytes_of(type);
        const int64_t v = ndgi_index_from(
            ndgi_fetch((const ndgi_byte *)s->indices + place, type), type);
        if (!a.owner ? v < 0 : !NDG_INDEX_GOOD(v, a.rows))
            ndgi_note(&seen, g);
        else if (!a.owner)
            ndgi_note(&top, (ptrdiff_t)~((ndgi_u64)v + 1));
        else if (a.wide ? atomicMax((ndgi_u64 *)a.owner + v, (ndgi_u64)g + 1)
                        : atomicMax((unsigned *)a.owner + v, (unsigned)g + 1))
            again.count++;
    }
    ndgi_tell(a.bad, seen);
    ndgi_tell(a.also, top);
    ndgi_tell(a.duplicates, again);
}

/* Every row's last entry, or zeros; runs of no bytes look for rows without. */
NDGI_DEVICE void ndgi_find_run(const ndgi_stitch_args &a, ptrdiff_t q,
                               ndgi_run *run, ndg_cuda_report *seen) {
    const ndg_row_layout &p = a.plan.row;
    ndgi_offsets    at = { 0, 0, 0 };
    ptrdiff_t       place;
    const ptrdiff_t row = ndgi_run_at(a.runs, p.level, p.levels, q, &at, run);
    const ndgi_u64  owner = a.wide ? ((const ndgi_u64 *)a.owner)[row]
                                   : ((const unsigned *)a.owner)[row];
    if (run->bytes == 0 && !owner) ndgi_note(seen, row);
    if (run->bytes == 0) return;
    run->to = a.out + row * p.out_stride + at.out;
    if (owner) {
        const ndg_list *s = ndgi_list_of(a, owner - 1, &place);
        place *= s->data_stride ? s->data_stride : p.bytes;
        run->from = (const ndgi_byte *)s->data + place + at.source;
    }
    if (a.plan.gaps == NDG_GAPS_KEEP ? !owner
        : a.plan.gaps == NDG_GAPS_ERROR && a.also->count) run->bytes = 0;
}

/* Bytes of scratch for n lists; for ndg_cuda_stitch_total with a total of 0. */
NDGI_HOST ptrdiff_t ndg_cuda_stitch_scratch_bytes(const ndg_stitch_plan *,
        ptrdiff_t total, ptrdiff_t n, ptrdiff_t entries) {
    return 8 * (n + 3 + (entries >> 32 ? total : ndgi_ratio_up(total, 2)));
}

/* Copies; or, asked for the total, only finds that. */
NDGI_HOST cudaError_t ndgi_stitch_launch(ndgi_stitch_args a, ptrdiff_t *total,
        void *scratch, ptrdiff_t scratch_bytes, ndg_cuda_stitch_report *report,
        cudaStream_t stream) {
    const ndg_row_layout &p = a.plan.row;
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&a.plan, a.rows, a.n,
                                                         a.entries);
    if (a.n < 0 || a.entries < 0 || (a.n > 0 && !a.lists) || !scratch
        || scratch_bytes < need || (size_t)scratch % 8)
        return cudaErrorInvalidValue;
    if (report) {
        if (total || a.plan.policy != NDG_ASSUME_VALID) a.bad = &report->bad;
        a.report = &report->holes;
        a.duplicates = &report->duplicates;
    }
    a.starts = (ndgi_u64 *)scratch;
    a.also = (ndg_cuda_report *)(a.starts + a.n + 1);
    a.owner = total ? 0 : a.starts + a.n + 3;
    a.wide = a.entries >> 32 != 0;
    cudaError_t e = cudaMemsetAsync(a.starts + a.n, 0, (size_t)(need - 8 * a.n),
                                    stream);
    e = ndgi_launch(e, ndgi_scan, a.n > 0, stream, a.n ? &a.lists->count : 0,
                    (ptrdiff_t)(sizeof *a.lists / 8), 0, a.starts, a.n, a.n);
    e = ndgi_launch(e, ndgi_stitch_own, ndgi_ratio_up(a.entries,
                                            NDG_CUDA_BLOCK), stream, a);
    if (total && !e)
        e = cudaMemcpyAsync(total, &a.also->first, sizeof *total,
                            cudaMemcpyDeviceToDevice, stream);
    a.runs = ndgi_runs_of(a.rows, 0, 0, 0, 0);
    if (report || a.plan.gaps == NDG_GAPS_ERROR)
        e = ndgi_launch(e, ndgi_copy_runs<ndgi_stitch_args>, a.runs.blocks,
                        stream, a);
    if (p.run_bytes == 0) return e;
    a.runs = ndgi_runs_of(a.rows, p.level, p.levels, p.run_bytes, 0);
    return ndgi_launch(e, ndgi_copy_runs<ndgi_stitch_args>, a.runs.blocks,
                       stream, a);
}

/* Writes all `total` rows, from n lists in device memory (of a slice with gaps
 * with their data_stride), whose counts add up to `entries`: the host cannot
 * read them. The last entry wins. total may be a capacity: rows that no index
 * names are gaps. Under NDG_GAPS_ERROR nothing is written if there are any. An
 * out that overlaps a list goes unnoticed, and leaves anything there. */
NDGI_HOST cudaError_t ndg_cuda_stitch_run(const ndg_stitch_plan *plan,
        void *out, ptrdiff_t out_bytes, ptrdiff_t total, const ndg_list *lists,
        ptrdiff_t n, ptrdiff_t entries, void *scratch, ptrdiff_t scratch_bytes,
        ndg_cuda_stitch_report *report, cudaStream_t stream) {
    const ptrdiff_t need = plan ? ndg_stitch_out_bytes(plan, total) : -1;
    if (need < 0 || !plan->op || out_bytes < need || (need > 0 && !out))
        return cudaErrorInvalidValue;
    if (total == 0 && (!report || entries == 0)) return cudaSuccess;
    const ndgi_stitch_args a = { *plan, (ndgi_byte *)out, lists, total, n,
        entries, 0, 0, 0, 0, 0, 0, false, ndgi_runs() };
    return ndgi_stitch_launch(a, 0, scratch, scratch_bytes, report, stream);
}

/* The largest good index + 1, negative if that is no ptrdiff_t, into *total on
 * the device. (After a bad one, but under NDG_DROP, the CPU's total is 0.) */
NDGI_HOST cudaError_t ndg_cuda_stitch_total(const ndg_stitch_plan *plan,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t entries,
        ptrdiff_t *total, void *scratch, ptrdiff_t scratch_bytes,
        ndg_cuda_stitch_report *report, cudaStream_t stream) {
    if (!plan || !plan->op || !total) return cudaErrorInvalidValue;
    const ndgi_stitch_args a = { *plan, 0, lists, 0, n, entries, 0, 0, 0, 0, 0,
        0, false, ndgi_runs() };
    return ndgi_stitch_launch(a, total, scratch, scratch_bytes, report, stream);
}

/* ---- partition -----------------------------------------------------------*/
/* Rows are dealt out by one digit of their ids after another, the lowest first.
 * Each pass counts, sums, and moves: the last one the rows, those before it
 * words of row and id. A block owns a part of these, a warp a part of that: a
 * rank is the sum of the parts before and the lanes before with that digit. */
typedef struct ndgi_split_args {
    ndg_partition_plan plan;
    void *const     *outs, *const *positions;
    const ndgi_byte *data, *ids;
    ptrdiff_t        first, rows, blocks, part, scratch; /* of a warp; bytes */
    const ptrdiff_t *counts;
    ndgi_u64        *cursors;       /* rows of each id; of several digits */
    ndgi_u64        *totals;        /* those, for the launch that counts them */
    ndgi_u64        *table;         /* [digit][block + 1]: items before */
    ndgi_u64        *sums;          /* items of smaller digits, then of all */
    ndgi_u64        *within;        /* rows of smaller ids, same last digit */
    ndgi_u64        *words, *from, *to;         /* NULL: the ids, the parts */
    ndg_cuda_report *report;
    ndgi_runs        runs;          /* of one row */
    int              id_bits, digits, bits, shift, values;    /* of a digit */
} ndgi_split_args;

/* How many lanes before this one hold the same number, by a ballot for each
 * bit, -1 for none; *all: how many at all, for the first of them, else 0. */
NDGI_DEVICE unsigned ndgi_peers(int bits, ptrdiff_t x, unsigned *all) {
    unsigned same = __ballot_sync(NDGI_ALL, x >= 0), before;
    for (int b = 0; b < bits; b++) {
        const bool on = x >> b & 1;
        same &= __ballot_sync(NDGI_ALL, on) ^ (on ? 0u : NDGI_ALL);
    }
    before = same & ((1u << NDGI_LANE) - 1u);
    *all = x < 0 || before ? 0u : (unsigned)__popc(same);
    return (unsigned)__popc(before);
}

/* Row `row` becomes number `at` of its part, if it has room: ids may change. */
NDGI_DEVICE void ndgi_deliver(const ndgi_split_args &a, ptrdiff_t id,
                              ptrdiff_t row, ndgi_u64 at) {
    const ndg_row_layout &p = a.plan.row;
    const bool fits = id >= 0 && at < (ndgi_u64)a.counts[id];
    const int  word = ndgi_bytes_of(a.plan.position_type);
    ndgi_run   run = { 0, 0, 0, false };
    if (fits && a.positions) {           /* of any type and alignment */
        ndgi_byte *to = (ndgi_byte *)a.positions[id] + at * (ndgi_u64)word;
        if (word == 4 && (size_t)to % 4 == 0)
            __stcs((unsigned *)to, (unsigned)row);
        else for (int b = 0; b < word; b++)
            __stcs(to + b, (ndgi_byte)(row >> 8 * b));
    }
    for (ptrdiff_t k = 0; k < a.runs.count && p.run_bytes; k++) {
        ndgi_offsets w = { row * a.plan.data_stride, 0, 0 };
        ndgi_run_at(a.runs, p.level, p.levels, k, &w, &run);
        run.from = a.data + w.source;
        if (fits) run.to = (ndgi_byte *)a.outs[id]
                         + (ptrdiff_t)at * p.out_stride + w.out;
        else run.bytes = 0;
        ndgi_take(a.runs, run, 32);
    }
}

/* A warp counts the digits of its items or, given their first ranks, moves. */
NDGI_DEVICE ndg_cuda_report ndgi_pass(const ndgi_split_args &a,
        unsigned *counter, const ndgi_u64 *start) {
    const ndg_partition_plan &p = a.plan;
    const ptrdiff_t n = a.from ? (ptrdiff_t)a.sums[1 << a.bits] : a.rows;
    ptrdiff_t       base = NDGI_THREAD / 32 * a.part;
    const ptrdiff_t last = base + a.part < n ? base + a.part : n;
    ndg_cuda_report seen = { 0, 0 };
    for (; base < last; base += 32) {
        ptrdiff_t row = 0, id = -1;
        unsigned  all, before;
        ndgi_u64  rank = 0;
        if (base + NDGI_LANE < last) {
            row = a.first + base + NDGI_LANE;
            const ndgi_u64 x = a.from ? __ldg(a.from + base + NDGI_LANE)
                : ndgi_fetch(a.ids + row * p.index_stride, p.index_type);
            const int64_t v = a.from ? (int64_t)(x & ((1ull << a.id_bits) - 1))
                                     : ndgi_index_from(x, p.index_type);
            if (a.from) row = (ptrdiff_t)(x >> a.id_bits);
            if (NDG_INDEX_GOOD(v, p.num_partitions) && row - a.first < a.rows)
                id = (ptrdiff_t)v;
            else ndgi_note(&seen, row);
        }
        const int digit = (int)(id >> a.shift & ((1 << a.bits) - 1));
        before = ndgi_peers(a.bits, id < 0 ? -1 : digit, &all);
        if (start && id >= 0) rank = start[digit] + counter[digit] + before;
        if (start) __syncwarp(NDGI_ALL);
        if (all) counter[digit] += all;
        __syncwarp(NDGI_ALL);
        if (a.totals) {
            ndgi_peers(a.id_bits, id, &all);
            if (all) atomicAdd(a.totals + id, (ndgi_u64)all);
        } else if (start && a.to) {
            if (id >= 0 && rank < (ndgi_u64)a.rows)
                a.to[rank] = (ndgi_u64)row << a.id_bits | (ndgi_u64)id;
        } else if (start) {
            if (a.shift && id >= 0) rank -= a.within[id + (id >> a.shift)];
            ndgi_deliver(a, id, row, rank);
        }
    }
    return seen;
}

/* Counts for the table or, without one, the cursors; or moves. */
NDGI_KERNEL ndgi_split(ndgi_split_args a, bool count) {
    NDGI_SHARED(unsigned, counter, NDGI_WARPS * NDGI_DIGITS);
    NDGI_SHARED(ndgi_u64, start, NDGI_DIGITS);
    unsigned *const mine = counter + threadIdx.x / 32 * NDGI_DIGITS;
    for (int d = NDGI_LANE; d < a.values; d += 32) mine[d] = 0;
    __syncwarp(NDGI_ALL);
    ndgi_tell(a.report, ndgi_pass(a, mine, 0));
    __syncthreads();
    for (int d = (int)threadIdx.x; d < a.values; d += NDG_CUDA_BLOCK) {
        const ptrdiff_t at = d * (a.blocks + 1) + blockIdx.x;
        unsigned        n, before = 0;
        for (int w = 0; w < NDGI_WARPS; w++, before += n) {
            n = counter[w * NDGI_DIGITS + d];
            counter[w * NDGI_DIGITS + d] = before;
        }
        if (!count) start[d] = a.table[at] + (a.to ? a.sums[d] : 0);
        else if (a.table) a.table[at] = before;
        else if (!a.totals) atomicAdd(a.cursors + d, (ndgi_u64)before);
        if (!count && a.digits == 1 && blockIdx.x == 0)
            a.cursors[d] = a.table[at + a.blocks];
    }
    __syncthreads();
    if (!count) ndgi_pass(a, mine, start);
}

/* Deals out the rows; of long ones a warp takes fewer. */
NDGI_HOST ndgi_split_args ndgi_split_of(const ndg_partition_plan *plan,
        const void *ids, ptrdiff_t first, ptrdiff_t last, void *scratch) {
    ndgi_split_args a = ndgi_split_args();
    if (!plan || !plan->op) return a;
    const ptrdiff_t size = plan->row.bytes / 512 + 1;
    a.plan = *plan;
    a.ids = (const ndgi_byte *)ids;
    a.first = first;
    a.rows = last - first;
    a.blocks = ndgi_ratio_up(a.rows, 2048 / (size < 32 ? size : 32));
    if (a.blocks > 1024) a.blocks = 1024;
    if (a.blocks > NDG_CUDA_MAX_BLOCKS) a.blocks = NDG_CUDA_MAX_BLOCKS;
    if (a.rows <= 0) return a;
    a.part = ndgi_ratio_up(a.rows, a.blocks * NDGI_WARPS);
    a.blocks = ndgi_ratio_up(a.rows, a.part * NDGI_WARPS);
    for (a.id_bits = 1; (plan->num_partitions - 1) >> a.id_bits;) a.id_bits++;
    a.digits = (int)ndgi_ratio_up(a.id_bits, NDG_CUDA_DIGIT_BITS);
    a.bits = (int)ndgi_ratio_up(a.id_bits, a.digits);
    const int       shift = a.bits * (a.digits - 1);
    const ptrdiff_t tops = ((plan->num_partitions - 1) >> shift) + 1;
    const ptrdiff_t n[4] = { (a.blocks + 1) << a.bits, (1 << a.bits) + 1,
        tops + (tops << shift), a.digits > 2 ? 2 * a.rows : a.rows };
    ndgi_u64 **const at[4] = { &a.table, &a.sums, &a.within, &a.words };
    for (int k = 0; k < (a.digits > 1 ? 4 : 1); a.scratch += 8 * n[k++])
        *at[k] = (ndgi_u64 *)((size_t)scratch + (size_t)a.scratch);
    return a;
}

/* Bytes of scratch: 8 a row from 257 parts on, 16 from 65,537 parts on. */
NDGI_HOST ptrdiff_t ndg_cuda_partition_scratch_bytes(
        const ndg_partition_plan *plan, ptrdiff_t rows) {
    return ndgi_split_of(plan, 0, 0, rows, 0).scratch;
}

/* Counts and, with a table, delivers; what both launchers refuse. */
NDGI_HOST cudaError_t ndgi_split_launch(ndgi_split_args a, cudaStream_t s) {
    const ptrdiff_t parts = a.plan.num_partitions;
    if (!a.plan.op || a.first < 0 || a.rows < 0 || !a.cursors
        || a.first > a.plan.rows - a.rows || (!a.ids && a.rows))
        return cudaErrorInvalidValue;
    cudaError_t e = cudaMemsetAsync(a.cursors, 0, 8 * (size_t)parts, s);
    if (a.digits > 1) a.totals = a.cursors;
    for (int k = 0; k < a.digits; k++, a.shift += a.bits) {
        const bool more = k + 1 < a.digits;
        a.values = more ? 1 << a.bits : (int)((parts - 1) >> a.shift) + 1;
        a.from = a.to;
        a.to = more ? a.words + k % 2 * a.rows : 0;
        e = ndgi_launch(e, ndgi_split, a.blocks, s, a, true);
        a.report = 0;
        a.totals = 0;
        if (!a.table) break;
        e = ndgi_launch(e, ndgi_scan, a.values, s, a.table, 1,
                        a.blocks + 1, a.table, a.blocks, a.values * a.blocks);
        if (more)
            e = ndgi_launch(e, ndgi_scan, 1, s, a.table + a.blocks,
                            a.blocks + 1, 0, a.sums, a.values, a.values);
        else if (k)
            e = ndgi_launch(e, ndgi_scan, a.values, s, a.cursors, 1,
                            (ptrdiff_t)1 << a.shift, a.within,
                            (ptrdiff_t)1 << a.shift, parts);
        e = ndgi_launch(e, ndgi_split, a.blocks, s, a, false);
    }
    return e;
}

/* How many of rows first ... last-1 each part gets, into device memory. */
NDGI_HOST cudaError_t ndg_cuda_partition_count(const ndg_partition_plan *plan,
        const void *partitions, ptrdiff_t first, ptrdiff_t last,
        ptrdiff_t *counts, ndg_cuda_report *report, cudaStream_t stream) {
    ndgi_split_args a = ndgi_split_of(plan, partitions, first, last, 0);
    a.cursors = (ndgi_u64 *)counts;
    a.report = report;
    return ndgi_split_launch(a, stream);
}

/* Copies rows 0 ... rows-1 to their parts, in order. Device arrays: outs and
 * positions as for ndg_partition_run, either may be NULL; counts, what a part
 * can hold; cursors, another array, overwritten by the rows of each, of which
 * those above its count are left out. From 257 parts on, row and part must fit
 * in 64 bits. */
NDGI_HOST cudaError_t ndg_cuda_partition_run(const ndg_partition_plan *plan,
        void *const *outs, void *const *positions, const void *data,
        const void *partitions, ptrdiff_t rows, const ptrdiff_t *counts,
        ptrdiff_t *cursors, void *scratch, ptrdiff_t scratch_bytes,
        ndg_cuda_report *report, cudaStream_t stream) {
    ndgi_split_args a = ndgi_split_of(plan, partitions, 0, rows, scratch);
    const int type = a.plan.position_type, bits = 8 * ndgi_bytes_of(type)
                                         - (type < NDG_U8 || type == NDG_U64);
    if (!counts || counts == cursors || scratch_bytes < a.scratch
        || (size_t)scratch % 8
        || (rows && (!scratch || (a.plan.row.run_bytes && (!outs || !data))))
        || (rows && positions && (uint64_t)(rows - 1) >> bits)
        || (a.digits > 1 && (uint64_t)(rows - 1) >> (64 - a.id_bits)))
        return cudaErrorInvalidValue;
    a.outs = outs;
    a.positions = positions;
    a.data = (const ndgi_byte *)data;
    a.counts = counts;
    a.cursors = (ndgi_u64 *)cursors;
    if (a.plan.policy != NDG_ASSUME_VALID) a.report = report;
    a.runs = ndgi_runs_of(1, a.plan.row.level, a.plan.row.levels,
                          a.plan.row.run_bytes, 0);
    return ndgi_split_launch(a, stream);
}

/* ---- reading reports -----------------------------------------------------*/
/* These wait for the stream, and fill a report as the CPU does, which they ask
 * about the one index row, as it is by now: if it is good, component -1. */
NDGI_HOST cudaError_t ndgi_pull(void *to, const void *from, size_t bytes,
                                cudaStream_t stream) {
    const cudaError_t e = cudaMemcpyAsync(to, from, bytes,
                                          cudaMemcpyDeviceToHost, stream);
    return e ? e : cudaStreamSynchronize(stream);
}

NDGI_HOST cudaError_t ndgi_ask(ndg_gather_plan p, const void *indices,
        ndg_cuda_report seen, ndg_report *report, cudaStream_t stream) {
    const ptrdiff_t position = (ptrdiff_t)~seen.first;
    const int       size = ndgi_bytes_of(p.index_type);
    ndgi_byte       row[8 * NDG_MAX_DEPTH];
    ndgi_offsets    at = { 0, 0, 0 };
    cudaError_t     e = cudaSuccess;
    ndgi_offsets_add(&at, p.level + p.copy_levels, p.row_levels, position);
    for (int k = 0; !e && k < p.depth; k++)
        e = ndgi_pull(row + k * size, (const ndgi_byte *)indices + at.indices
                      + k * p.index_step, (size_t)size, stream);
    p.index_step = size;
    if (p.policy == NDG_DEFAULT) p.policy = NDG_KEEP;
    indices = (const void *)((size_t)row - (size_t)at.indices);
    if (!e) ndg_gather_check(&p, indices, position, position + 1, report);
    if (!report->bad.count) report->bad.component = -1;
    report->op = p.op;
    report->bad.position = position;
    report->bad.count = (ptrdiff_t)seen.count;
    return e;
}

NDGI_HOST cudaError_t ndg_cuda_gather_report_read(const ndg_gather_plan *plan,
        const void *indices, const ndg_cuda_report *device, ndg_report *report,
        cudaStream_t stream) {
    ndg_cuda_report seen = { 0, 0 };
    if (!plan || !plan->op || !device || !report) return cudaErrorInvalidValue;
    const cudaError_t e = ndgi_pull(&seen, device, sizeof seen, stream);
    *report = ndg_report();
    return seen.count ? ndgi_ask(*plan, indices, seen, report, stream) : e;
}

/* Integers below an extent, `stride` apart, as the indices of a gather. */
template <class P>
NDGI_HOST ndg_gather_plan ndgi_line_of(const P *plan, ptrdiff_t extent,
                                       ptrdiff_t stride) {
    ndg_gather_plan p = ndg_gather_plan();
    p.op = plan->op;
    p.index_type = plan->index_type;
    p.policy = plan->policy;
    p.depth = p.row_levels = 1;
    p.rows = p.level[0].extent = PTRDIFF_MAX;
    p.extent[0] = extent;
    p.level[0].indices = stride;
    return p;
}

NDGI_HOST cudaError_t ndg_cuda_partition_report_read(
        const ndg_partition_plan *plan, const void *partitions,
        const ndg_cuda_report *device, ndg_report *report,
        cudaStream_t stream) {
    if (!plan) return cudaErrorInvalidValue;
    const ndg_gather_plan p = ndgi_line_of(plan, plan->num_partitions,
                                           plan->index_stride);
    const cudaError_t e = ndg_cuda_gather_report_read(&p, partitions, device,
                                                      report, stream);
    if (!e && report->status) report->operand = NDG_ARG_PARTITIONS;
    return e;
}

/* After ndg_cuda_stitch_total with a total of PTRDIFF_MAX. */
NDGI_HOST cudaError_t ndg_cuda_stitch_report_read(const ndg_stitch_plan *plan,
        ptrdiff_t total, const ndg_list *lists, ptrdiff_t n,
        const ndg_cuda_stitch_report *device, ndg_report *report,
        cudaStream_t stream) {
    ndg_cuda_stitch_report seen = ndg_cuda_stitch_report();
    ndg_list               s = { 0, 0, 0, 0, 0 };
    ptrdiff_t              m = -1;
    if (!plan || !plan->op || !device || !report) return cudaErrorInvalidValue;
    cudaError_t e = ndgi_pull(&seen, device, sizeof seen, stream);
    *report = ndg_report();
    while (!e && seen.bad.count && ++m < n) {
        e = ndgi_pull(&s, lists + m, sizeof s, stream);
        if (~seen.bad.first < (ndgi_u64)s.count) break;
        seen.bad.first += (ndgi_u64)s.count;          /* ~first -= count */
    }
    if (!s.index_stride) s.index_stride = ndgi_bytes_of(plan->index_type);
    if (!e && seen.bad.count && m < n)
        e = ndgi_ask(ndgi_line_of(plan, total, s.index_stride), s.indices,
                     seen.bad, report, stream);
    if (seen.bad.count) report->bad.list = m;
    report->rows.holes = (ptrdiff_t)seen.holes.count;
    report->rows.duplicates = (ptrdiff_t)seen.duplicates.count;
    if (e || !seen.holes.count) return e;
    report->rows.first_hole = (ptrdiff_t)~seen.holes.first;
    if (plan->gaps == NDG_GAPS_ERROR && !report->status) {
        report->status = NDG_E_GAP;
        report->op = plan->op;
        report->operand = NDG_ARG_OUT;
        report->value = report->rows.first_hole;
        report->bound = total;
    }
    return e;
}

#endif
