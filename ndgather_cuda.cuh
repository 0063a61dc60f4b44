/* ndgather_cuda.cuh - v1.1.0 - the operations of ndgather.h on a CUDA device
 * SPDX-License-Identifier: MIT-0 OR Unlicense              (as ndgather.h)
 *
 * The same plans, the same index math, the same bytes. ndgather.h makes a plan
 * on the host; a launcher here takes it with device pointers, in the order of
 * the CPU's function, and the stream last. From examples/cuda_rows.cu:
 *
 *     #define NDGATHER_IMPLEMENTATION          // in one .cu file of a program
 *     #define NDG_CUDA_IMPLEMENTATION          // that nvcc compiles
 *     #include "ndgather_cuda.cuh"             // includes ndgather.h
 *     ndg_plan_gather(&plan, &desc, &report);          // once, on the host
 *     cudaMemsetAsync(bad, 0, sizeof *bad, stream);    // ndg_cuda_report *bad
 *     ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, ids, bad, stream);
 *     ndg_cuda_gather_report_read(&plan, ids, bad, &report, stream);  // waits
 *
 * Other files, in C or C++, include it without the two #defines and get only
 * the declarations (with -pedantic, pass CUDA's headers by -isystem). `make
 * shared-cuda` builds a library of both headers for other languages.
 *
 * Result      A launcher returns the result of its own launches; an error that
 *             was pending before stays pending. What the CPU refuses and the
 *             host can see gives cudaErrorInvalidValue before any launch.
 * Streams     Launches never synchronise, allocate or print, so a graph can
 *             capture them. Only the ..._report_read functions wait.
 * Threads     Functions keep no state: call them from any thread, for the same
 *             plan too.
 * Memory      All of it is the device's. Data, indices and positions may have
 *             any alignment; multiples of 16 are fastest. Arrays of 8-byte
 *             words (scratch, reports, lists, pointers, limit, total, counts,
 *             cursors and offsets) must be aligned to 8, which is checked only
 *             for scratch.
 *             Scratch may hold anything, and serves one launch at a time.
 * Limit       NULL, or points to a count in device memory: rows from that
 *             number on are left alone. It is read several times during the
 *             launch, so it must not lie in anything that the launch writes.
 *             The launch is sized by the host's number, the most there can be.
 * Bad rows    The policies of ndgather.h. NDG_DEFAULT is NDG_ZERO (for stitch,
 *             partition and scatter NDG_DROP), and reported. Under NDG_ERROR
 *             every good row is written and no bad one; the status comes from
 *             ..._report_read.
 * Reports     Clear the whole struct before the first launch; it accumulates
 *             until you clear it again. NULL: no report.
 * Speed       On an H200: tests/bench/RESULTS_CUDA.md, losses included.
 * HIP         Not these kernels, which rely on CUDA's warps. Use the functions
 *             of >>index in ndgather.h in kernels of your own.
 *
 * Contents: launchers, for your own kernels (ndg_cuda_gather_row and _copy_row,
 * see examples/cuda_fused.cu); then, behind NDG_CUDA_IMPLEMENTATION, the
 * launch, gather, stitch, partition, reports. */
#include "ndgather.h"

#ifndef NDGATHER_CUDA_CUH
#define NDGATHER_CUDA_CUH

#ifdef __cplusplus
extern "C++" {                      /* if the #include stands in extern "C" */
#endif
#ifndef NDG_CUDA_RUNTIME_PROVIDED   /* defined: its names are there already */
#ifdef __CUDACC__
#include <cuda_runtime.h>
#else
#include <cuda_runtime_api.h>
#endif
#endif
#ifdef __cplusplus
}
#endif
/* These three must be the same in all files of a program. */
#ifndef NDG_CUDA_BLOCK              /* threads of a block: whole warps */
#define NDG_CUDA_BLOCK 256
#endif
#ifndef NDG_CUDA_MAX_BLOCKS         /* of a launch */
#define NDG_CUDA_MAX_BLOCKS 0x7fffffff
#endif
#ifndef NDG_CUDA_DIGIT_BITS         /* 2 ... 8: 2^8 parts for each pass */
#define NDG_CUDA_DIGIT_BITS 8
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- launchers -----------------------------------------------------------*/
/* Lies on the device. All zero: no bad row. Otherwise count rows are bad, and
 * the first is ~first: inverted, so that zero means none and atomicMax finds
 * it. */
typedef struct ndg_cuda_report {
    unsigned long long first, count;
} ndg_cuda_report;

/* The same for a stitch: bad entries, numbered through all lists; rows of out
 * that no index names; and entries that overwrite another, where only count is
 * set. */
typedef struct ndg_cuda_stitch_report {
    ndg_cuda_report bad, holes, duplicates;
} ndg_cuda_stitch_report;

/* Do what ndg_gather_run and ndg_gather_run_range do, for those of rows first
 * ... last-1 that are below *limit. */
NDG_API cudaError_t ndg_cuda_gather_run(const ndg_gather_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ndg_cuda_report *report, cudaStream_t stream);
NDG_API cudaError_t ndg_cuda_gather_run_range(const ndg_gather_plan *plan,
        void *out, ptrdiff_t out_bytes, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t last, const ptrdiff_t *limit,
        ndg_cuda_report *report, cudaStream_t stream);

/* Checks indices, also under NDG_ASSUME_VALID, and copies nothing. */
NDG_API cudaError_t ndg_cuda_gather_check(const ndg_gather_plan *plan,
        const void *indices, ptrdiff_t first, ptrdiff_t last,
        const ptrdiff_t *limit, ndg_cuda_report *report, cudaStream_t stream);

/* Does what ndg_scatter_run does; of rows that go to one slot the last one
 * stays. Scratch has 8 bytes for each slot (the size is -1 if that is too much,
 * or there is no plan). Pass NULL if you promise that no two good rows go to
 * one slot. */
NDG_API ptrdiff_t ndg_cuda_scatter_scratch_bytes(const ndg_scatter_plan *plan);
NDG_API cudaError_t ndg_cuda_scatter_run(const ndg_scatter_plan *plan,
        void *out, ptrdiff_t out_bytes, const void *data, const void *indices,
        void *scratch, ptrdiff_t scratch_bytes, ndg_cuda_report *report,
        cudaStream_t stream);

/* Returns the bytes of scratch for a stitch of n lists, or -1 if too many. */
NDG_API ptrdiff_t ndg_cuda_stitch_scratch_bytes(const ndg_stitch_plan *plan,
        ptrdiff_t total, ptrdiff_t n, ptrdiff_t entries);

/* Sets *total, on the device, to the largest good index + 1, which can be the
 * limit of the run; it is negative if that exceeds a ptrdiff_t. (On the CPU a
 * bad index makes the total 0 unless the policy is NDG_DROP.) Takes the scratch
 * of a stitch with a total of 0. */
NDG_API cudaError_t ndg_cuda_stitch_total(const ndg_stitch_plan *plan,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t entries,
        ptrdiff_t *total, void *scratch, ptrdiff_t scratch_bytes,
        ndg_cuda_stitch_report *report, cudaStream_t stream);

/* Writes the rows below total and *limit, from n lists in device memory. If the
 * slice has gaps, the lists must give their data_stride. The host cannot read
 * the counts, so `entries` says the most that they add up to: entries from
 * there on are left alone, and so is a count below 0. The last entry wins; rows
 * that no index names are gaps. Under NDG_GAPS_ERROR nothing is written if
 * there are any. An index that is not below *limit is bad: pass the lesser of
 * *limit and total to ..._report_read. An out that overlaps a list is not
 * noticed; it may then hold anything. */
NDG_API cudaError_t ndg_cuda_stitch_run(const ndg_stitch_plan *plan, void *out,
        ptrdiff_t out_bytes, ptrdiff_t total, const ptrdiff_t *limit,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t entries, void *scratch,
        ptrdiff_t scratch_bytes, ndg_cuda_stitch_report *report,
        cudaStream_t stream);

/* The same if you promise that no two good indices are equal, like the
 * positions of a partition. It takes one pass instead of three, and the scratch
 * of a total of 0. Gaps stay as they are, whatever the plan says, and the
 * report has only bad entries. After a packed partition pass one list of its
 * positions and its out: the count copied from offsets[P] on the device,
 * `entries` the rows of the partition, index_type its position_type. Slices
 * must lie as in its out; an out_stride that is not 0 is the data_stride. */
NDG_API cudaError_t ndg_cuda_stitch_unique(const ndg_stitch_plan *plan,
        void *out, ptrdiff_t out_bytes, ptrdiff_t total, const ptrdiff_t *limit,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t entries, void *scratch,
        ptrdiff_t scratch_bytes, ndg_cuda_stitch_report *report,
        cudaStream_t stream);

/* Returns the bytes of scratch for a partition of up to `rows` rows: at most 4
 * MB or so; from 257 parts on also 8 for each row and 24 for each part, and
 * from 65,537 parts on 16 for each row. -1 if that is too much, or there is no
 * plan. */
NDG_API ptrdiff_t ndg_cuda_partition_scratch_bytes(
        const ndg_partition_plan *plan, ptrdiff_t rows);

/* Sets counts[k], in device memory, to how many of rows first ... last-1 below
 * *limit part k gets. */
NDG_API cudaError_t ndg_cuda_partition_count(const ndg_partition_plan *plan,
        const void *partitions, ptrdiff_t first, ptrdiff_t last,
        const ptrdiff_t *limit, ptrdiff_t *counts, ndg_cuda_report *report,
        cudaStream_t stream);

/* Copies the rows below `rows` and *limit to their parts, in order. All arrays
 * lie on the device; outs and positions are as for ndg_partition_run. positions
 * may be NULL, and so may outs if a slice has no bytes. counts[k] is how many
 * rows part k has room for (none if below 0). cursors[k], in another array, is
 * set to how many rows part k has; rows beyond counts[k] are not written. The
 * host cannot notice outs that overlap each other or an input. From 257 parts
 * on, row and part must fit in 64 bits together. */
NDG_API cudaError_t ndg_cuda_partition_run(const ndg_partition_plan *plan,
        void *const *outs, void *const *positions, const void *data,
        const void *partitions, ptrdiff_t rows, const ptrdiff_t *limit,
        const ptrdiff_t *counts, ptrdiff_t *cursors, void *scratch,
        ptrdiff_t scratch_bytes, ndg_cuda_report *report, cudaStream_t stream);

/* The same into one array, so that no sizes need to be known before: part k is
 * rows offsets[k] ... offsets[k+1]-1 of out. out must have room for all `rows`:
 * ndg_partition_out_bytes. Bad rows are in no part, so only offsets[P] rows are
 * written, and the rest of out stays as it is. The P + 1 offsets, each a
 * ptrdiff_t, lie in device memory. positions is NULL or has `rows` integers of
 * the plan's type, which lie like the rows. */
NDG_API cudaError_t ndg_cuda_partition_packed(const ndg_partition_plan *plan,
        void *out, ptrdiff_t out_bytes, void *positions, const void *data,
        const void *partitions, ptrdiff_t rows, const ptrdiff_t *limit,
        ptrdiff_t *offsets, void *scratch, ptrdiff_t scratch_bytes,
        ndg_cuda_report *report, cudaStream_t stream);

/* Wait for the stream and fill in a report as the CPU does. They read the first
 * bad row's indices again; if these are good by then the component is -1. After
 * ndg_cuda_stitch_total pass a total of PTRDIFF_MAX. */
NDG_API cudaError_t ndg_cuda_gather_report_read(const ndg_gather_plan *plan,
        const void *indices, const ndg_cuda_report *device, ndg_report *report,
        cudaStream_t stream);
NDG_API cudaError_t ndg_cuda_scatter_report_read(const ndg_scatter_plan *plan,
        const void *indices, const ndg_cuda_report *device, ndg_report *report,
        cudaStream_t stream);
NDG_API cudaError_t ndg_cuda_stitch_report_read(const ndg_stitch_plan *plan,
        ptrdiff_t total, const ndg_list *lists, ptrdiff_t n,
        const ndg_cuda_stitch_report *device, ndg_report *report,
        cudaStream_t stream);
NDG_API cudaError_t ndg_cuda_partition_report_read(
        const ndg_partition_plan *plan, const void *partitions,
        const ndg_cuda_report *device, ndg_report *report, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

/* ---- for your own kernels ------------------------------------------------*/
#if defined(__CUDACC__) || defined(__CUDA__) || \
    (defined(NDG_CUDA_RUNTIME_PROVIDED) && defined(__cplusplus))
extern "C++" {
#define NDGI_WARP   0xffffffffu             /* the lanes of a warp */
#define NDGI_LANE   ((int)(threadIdx.x & 31u))
#define NDGI_DEVICE static __device__ inline
#ifdef __CUDA_ARCH__                /* not unrolled: for few registers */
#define NDGI_ROLLED _Pragma("unroll 1")
#else
#define NDGI_ROLLED
#endif
/* A lane's pointer. */
#define NDGI_FROM_LANE(p, k) \
    ((ndgi_byte *)(size_t)__shfl_sync(NDGI_WARP, (ndgi_u64)(size_t)(p), k))

typedef unsigned char      ndgi_byte;
typedef unsigned long long ndgi_u64;

/* Do what ndgi_min and ndgi_max do, which kernels cannot call, for any type. */
template <class T> NDG_HD inline T ndgi_lesser(T a, T b) {
    return a < b ? a : b;
}
template <class T> NDG_HD inline T ndgi_greater(T a, T b) {
    return a > b ? a : b;
}

/* The offsets that belong to a position in nested loops. */
struct ndgi_offsets { ptrdiff_t source, indices, out; };

NDG_HD inline void ndgi_offsets_add(ndgi_offsets *at,
        const ndg_level *level, int levels, ptrdiff_t position) {
    NDGI_ROLLED
    for (int k = 0; k < levels; k++) {
        const ptrdiff_t rest = k + 1 < levels ? position / level[k].extent : 0;
        const ptrdiff_t digit = position - rest * level[k].extent;
        at->source += digit * level[k].source;
        at->indices += digit * level[k].indices;
        at->out += digit * level[k].out;
        position = rest;
    }
}

/* Returns the bytes of an index type, from a table of their logarithms. */
NDG_HD inline int ndgi_bytes_of(int type) {
    return 1 << (0x32103102u >> 4 * type & 15u);
}

/* Returns the index whose bytes are the low ones of x. */
NDG_HD inline int64_t ndgi_index_from(uint64_t x, int type) {
    const int rest = 64 - 8 * ndgi_bytes_of(type);
    return type < NDG_U8 ? (int64_t)(x << rest) >> rest : (int64_t)x;
}

/* Returns the bytes of an index at any alignment. */
NDGI_DEVICE uint64_t ndgi_fetch(const ndgi_byte *p, int type) {
    const int bytes = ndgi_bytes_of(type);
    uint64_t  x = 0;
    if (((size_t)p & (size_t)(bytes - 1)) == 0) {
        if (bytes == 4) return __ldg((const unsigned *)p);
        if (bytes == 8) return __ldg((const ndgi_u64 *)p);
        if (bytes == 2) return __ldg((const unsigned short *)p);
    }
    NDGI_ROLLED
    for (int i = 0; i < bytes; i++) x |= (uint64_t)__ldg(p + i) << 8 * i;
    return x;
}

/* Resolves those of N index rows whose bit is set in `here`: to offsets in
 * params, which of them are bad, and which lead somewhere. All loads come
 * before any use. */
template <int N>
NDGI_DEVICE unsigned ndgi_find(const ndg_gather_plan &p,
        const ndgi_byte *const *indices, unsigned here, ptrdiff_t *offset,
        unsigned *bad) {
    const bool changes = (p.index_mask | p.index_add) != 0;
    unsigned   found = here;
    *bad = 0;
    for (int j = 0; j < N; j++) offset[j] = 0;
    NDGI_ROLLED
    for (int k = 0; k < p.depth; k++) {
        int64_t x[N];
        for (int j = 0; j < N; j++)
            x[j] = here >> j & 1u ? ndgi_index_from(ndgi_fetch(indices[j]
                + k * p.index_step, p.index_type), p.index_type) : 0;
        for (int j = 0; j < N; j++) {
            int64_t v = x[j];
            int     is_u64 = p.index_type == NDG_U64 && v < 0;
            if (changes) v = ndg_index_changed(v, &is_u64, p.index_mask,
                                               p.index_add);
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

/* For your own kernels: returns the slice of params that an index row names, or
 * NULL for a bad one that CLIP and WRAP do not move; its bytes are then yours
 * to write, whatever the policy. Sets *bad to whether it was bad
 * (NDG_ASSUME_VALID looks for none) and, if out is not NULL, *out to its offset
 * in out. Each index is read once, by __ldg, then checked and used, so indices
 * must lie in global memory that the kernel does not write. The slice is one
 * piece of plan.run_bytes if plan.copy_levels is 0. */
NDGI_DEVICE const void *ndg_cuda_gather_row(const ndg_gather_plan &plan,
        const void *params, const void *indices, ptrdiff_t row, ptrdiff_t *out,
        bool *bad) {
    ndgi_offsets at = {};
    ptrdiff_t    offset;
    unsigned     found, odd;
    ndgi_offsets_add(&at, plan.level + plan.copy_levels, plan.row_levels, row);
    const ndgi_byte *const ids = (const ndgi_byte *)indices + at.indices;
    found = ndgi_find<1>(plan, &ids, 1u, &offset, &odd);
    if (out) *out = at.out;
    *bad = odd != 0;
    return found ? (const ndgi_byte *)params + (at.source + offset) : 0;
}

/* What a launch copies: a run of bytes for each row, each step of its copy
 * levels and each piece of a long run. Bad ones become zeroes or copies of
 * fill. */
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

/* What a lane moves at once: vector c of a run that is aligned to V ... */
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

/* ... or, for any run, two words that are aligned in out, made of three in the
 * source, or one byte of its head or tail. No word reaches beyond the run. */
struct ndgi_shifted {
    ndgi_u64 v;
    int      at, bytes;                 /* in the run; 0, 1 or 8 */
    __device__ void load(const ndgi_runs &t, const ndgi_run &run, int c) {
        int       head = (int)((0 - (size_t)run.to) & 3), pairs, ends;
        const int skew = (int)(((size_t)run.from + (size_t)head) & 3);
        if (head < skew) head += 4;
        pairs = (run.bytes - head - (-skew & 3)) / 8;
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

/* Copies the runs of a warp's first `take` lanes. Tiles of lanes do one run
 * each, of at most `slots` M's, U at a time, and load all of these before
 * storing any. */
template <class M, int U>
NDGI_DEVICE void ndgi_copy_by(const ndgi_runs &t, const ndgi_run &run,
                              int slots, int take) {
    int lanes = 1, tile = NDGI_LANE, tiles = 32, k, c, u;
    if (slots == 1) {
        M m;
        m.load(t, run, 0);
        m.store(run, 0);
        return;
    }
    for (; lanes < slots && lanes < 32; lanes *= 2) tile /= 2, tiles /= 2;
    for (k = 0; k < take; k += tiles * U) {
        ndgi_run r[U];
        M        m[U];
        for (u = 0; u < U; u++) {
            const int from = k + u * tiles + tile;
            r[u].from = NDGI_FROM_LANE(run.from, from & 31);
            r[u].to = NDGI_FROM_LANE(run.to, from & 31);
            r[u].bytes = __shfl_sync(NDGI_WARP, run.bytes, from & 31);
            if (from > 31) r[u].bytes = 0;
        }
        for (c = NDGI_LANE & (lanes - 1); c < slots; c += lanes) {
            for (u = 0; u < U; u++) m[u].load(t, r[u], c);
            for (u = 0; u < U; u++) m[u].store(r[u], c);
        }
    }
}

/* The same by the widest vectors that all addresses and lengths allow. */
NDGI_DEVICE void ndgi_take(const ndgi_runs &t, const ndgi_run &run, int take) {
    const int n = t.piece, fill = t.period && !run.from;
    const int odd = run.bytes == 0 ? 0 : fill | (int)((size_t)run.from
                                       | (size_t)run.to | (size_t)run.bytes);
    if (!__ballot_sync(NDGI_WARP, odd & 15))
        ndgi_copy_by<ndgi_vector<uint4>, 2>(t, run, n / 16, take);
    else if (!__ballot_sync(NDGI_WARP, odd & 7))
        ndgi_copy_by<ndgi_vector<ndgi_u64>, 4>(t, run, n / 8, take);
    else if (!__ballot_sync(NDGI_WARP, odd & 3))
        ndgi_copy_by<ndgi_vector<unsigned>, 4>(t, run, n / 4, take);
    else
        ndgi_copy_by<ndgi_shifted, 2>(t, run, n < 14 ? n : n / 8 + 13, take);
}

/* Copies `bytes` bytes, at any alignment, to a place that does not overlap
 * them; from NULL it writes zeroes. All 32 lanes of a warp must call it alike.
 * Both places lie in global memory; the kernel does not write `from`, which
 * __ldg reads. */
NDGI_DEVICE void ndg_cuda_copy_row(void *to, const void *from,
                                   ptrdiff_t bytes) {
    while (bytes > 0) {
        const int n = (int)ndgi_lesser<ptrdiff_t>(bytes, 1 << 30);
        ndgi_runs t = {};
        t.piece = n;
        const ndgi_run run = { (const ndgi_byte *)from, (ndgi_byte *)to,
                               NDGI_LANE == 0 ? n : 0, true };
        ndgi_take(t, run, 1);
        to = (ndgi_byte *)to + n;
        from = from ? (const ndgi_byte *)from + n : 0;
        bytes -= n;
    }
}

}
#endif /* for your own kernels */
#endif /* NDGATHER_CUDA_CUH */

#if defined(NDG_CUDA_IMPLEMENTATION) && !defined(NDG_CUDA_IMPLEMENTED)
#define NDG_CUDA_IMPLEMENTED
/* ---- the launch ----------------------------------------------------------*/
/* Loads under way keep the memory busy: 4.8 TB/s for 0.8 us are 30 KiB for each
 * multiprocessor of an H200. With the blocks that these bounds allow, loads
 * before any store are 48 KiB in a gather in line, 32 in runs, and 64 in a deal
 * of 16-byte pieces. */
#define NDGI_WARPS  (NDG_CUDA_BLOCK / 32)
#define NDGI_DIGITS (1 << NDG_CUDA_DIGIT_BITS)
#define NDGI_KERNEL NDGI_KERNEL_OF(1024)
#define NDGI_LESSER(a, b) ((a) < (b) ? (a) : (b))
#define NDGI_KERNEL_OF(threads)     /* so many fit on a multiprocessor, in at \
                                       most 16 blocks, as any takes */ \
    static __global__ void __launch_bounds__(NDG_CUDA_BLOCK, NDGI_LESSER( \
        NDGI_LESSER(threads, NDGI_MOST) / NDG_CUDA_BLOCK, 16))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800   /* the smallest holds: */
#define NDGI_MOST   1024
#else
#define NDGI_MOST   1536
#endif
#define NDGI_HOST   static inline
#if defined(__CUDACC__) || defined(__CUDA__)    /* called, not inlined */
#define NDGI_APART  static __device__ __noinline__
#else
#define NDGI_APART  static
#endif
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ >= 12 && \
    (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)
#define NDGI_ARGS   const __grid_constant__     /* read where they lie */
#else
#define NDGI_ARGS   const
#endif
#ifndef NDGI_SHARED                 /* a test hands out memory it can check */
#define NDGI_SHARED(type, name, count) __shared__ type name[count]
#endif

/* The number of this thread, and how many threads there are. */
#define NDGI_THREAD  ((ptrdiff_t)blockIdx.x * NDG_CUDA_BLOCK + threadIdx.x)
#define NDGI_THREADS ((ptrdiff_t)gridDim.x * NDG_CUDA_BLOCK)

typedef char ndgi_block_is_whole_warps[NDG_CUDA_BLOCK % 32 ? -1 : 1];
typedef char ndgi_digit_has_2_to_8_bits[NDG_CUDA_DIGIT_BITS < 2
                                        || NDG_CUDA_DIGIT_BITS > 8 ? -1 : 1];

/* Launches with typed arguments, unless an error e came before or there are no
 * blocks. <<<>>> would return an error that was pending. */
template <class T> struct ndgi_same { typedef T type; };
template <class... P>
NDGI_HOST cudaError_t ndgi_launch(cudaError_t e, void (*kernel)(P...),
        ptrdiff_t blocks, cudaStream_t s, typename ndgi_same<P>::type... args) {
    void *argv[] = { (void *)&args... };
    blocks = ndgi_lesser<ptrdiff_t>(blocks, NDG_CUDA_MAX_BLOCKS);
    return e || !blocks ? e : cudaLaunchKernel(kernel,
        dim3((unsigned)blocks), dim3(NDG_CUDA_BLOCK), argv, 0, s);
}

NDGI_HOST ptrdiff_t ndgi_ratio_up(ptrdiff_t n, ptrdiff_t by) {
    return n / by + (n % by != 0);
}

/* Returns how many of n rows there are today. */
NDGI_DEVICE ptrdiff_t ndgi_today(const ptrdiff_t *limit, ptrdiff_t n) {
    return limit ? ndgi_lesser(ndgi_greater<ptrdiff_t>(*limit, 0), n) : n;
}

NDGI_DEVICE void ndgi_note(ndg_cuda_report *seen, ptrdiff_t position) {
    seen->first = ndgi_greater(seen->first, ~(ndgi_u64)position);
    seen->count++;
}

/* Adds what a warp has seen to a report: a maximum and a sum, the same in any
 * order. */
NDGI_DEVICE void ndgi_tell(ndg_cuda_report *report, ndg_cuda_report seen) {
    if (!report || !__ballot_sync(NDGI_WARP, seen.count != 0)) return;
    for (int d = 16; d; d /= 2) {
        const ndgi_u64 w = __shfl_sync(NDGI_WARP, seen.first, NDGI_LANE ^ d);
        seen.count += __shfl_sync(NDGI_WARP, seen.count, NDGI_LANE ^ d);
        seen.first = ndgi_greater(seen.first, w);
    }
    if (NDGI_LANE != 0) return;
    atomicMax(&report->first, seen.first);
    atomicAdd(&report->count, seen.count);
}

/* True if so many rows have more bytes than any memory. */
NDGI_HOST bool ndgi_too_many(ptrdiff_t rows, const ndg_row_layout &row) {
    return row.bytes && rows > PTRDIFF_MAX / row.bytes;
}

/* Cuts long rows so that they fill a device. A warp takes as many as keep its
 * lanes busy. */
NDGI_HOST ndgi_runs ndgi_runs_of(ptrdiff_t rows, const ndg_level *level,
        int levels, ptrdiff_t bytes, int period) {
    const ptrdiff_t unit = period ? 16 * period : 16;
    ndgi_runs t = { rows, 1, rows, bytes, ndgi_ratio_up(rows, NDG_CUDA_BLOCK),
                    0, 32, period, {} };
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

/* Returns the row of run q, and adds the offsets of its step and piece. */
NDGI_DEVICE ptrdiff_t ndgi_run_at(const ndgi_runs &t, const ndg_level *level,
        int levels, ptrdiff_t q, ndgi_offsets *at, ndgi_run *run) {
    const ptrdiff_t z = t.pieces == 1 ? q : q / t.pieces;
    const ptrdiff_t step = levels == 0 ? 0 : z / t.rows;
    const ptrdiff_t skip = (q - z * t.pieces) * t.piece, rest = t.bytes - skip;
    ndgi_offsets_add(at, level, levels, step);
    at->source += skip;
    at->out += skip;
    run->bytes = (int)ndgi_lesser<ptrdiff_t>(rest, t.piece);
    run->first = step == 0 && skip == 0;
    return z - step * t.rows;
}

/* Does all runs of a launch. Each lane finds one, so that indices are read side
 * by side; then the warp copies. Without bytes it only checks. One warp reads
 * and writes each run once, after reading and checking its row's index for
 * itself; if that changes meanwhile a row may be made of two slices. No two
 * runs share a byte of out, because out's strides do not overlap or the
 * caller's indices are unique. */
template <class A>
NDGI_KERNEL ndgi_copy_runs(NDGI_ARGS A a) {
    const int       take = a.runs.take;
    ptrdiff_t       base = NDGI_THREAD / 32 * take;
    ndg_cuda_report seen = {};
    for (; base < a.runs.count; base += NDGI_THREADS / 32 * take) {
        ndgi_run run = {};
        if (NDGI_LANE < take && base + NDGI_LANE < a.runs.count)
            ndgi_find_run(a, base + NDGI_LANE, &run, &seen);
        ndgi_take(a.runs, run, take);
    }
    ndgi_tell_of(a, seen);
}

/* ---- gather --------------------------------------------------------------*/
typedef struct ndgi_gather_args {
    ndg_gather_plan  plan;         /* its policy NDG_ZERO where it fills */
    ndgi_byte       *out;
    const ndgi_byte *params, *indices;
    ptrdiff_t        first, last;
    const ptrdiff_t *limit;
    ndg_cuda_report *report;
    ndgi_runs        runs;
} ndgi_gather_args;

/* Runs rows of any kind, each run by what its lane finds. */
NDGI_DEVICE void ndgi_tell_of(const ndgi_gather_args &a, ndg_cuda_report seen) {
    ndgi_tell(a.report, seen);
}

NDGI_DEVICE void ndgi_find_run(const ndgi_gather_args &a, ptrdiff_t q,
                               ndgi_run *run, ndg_cuda_report *seen) {
    const ndg_gather_plan &p = a.plan;
    ndgi_offsets    at = {};
    ptrdiff_t       out;
    bool            bad;
    const ptrdiff_t row = a.first + ndgi_run_at(a.runs, p.level, p.copy_levels,
                                                q, &at, run);
    if (row >= ndgi_today(a.limit, a.last)) {
        run->bytes = 0;
        return;
    }
    const void *from = ndg_cuda_gather_row(p, a.params, a.indices, row, &out,
                                           &bad);
    if (bad && run->first) ndgi_note(seen, row);
    if (run->bytes) run->to = a.out + at.out + out;
    if (from) run->from = (const ndgi_byte *)from + at.source;
    else if (p.policy != NDG_ZERO) run->bytes = 0;
}

/* Rows of `vectors` V's that lie packed in out, named by K <= 4 indices of type
 * I. Lane after lane takes one V of out, so that all writes lie in a line, and
 * the lanes of a row read its indices together. All numbers have 32 bits. q /
 * vectors is q * inverse >> 20: inverse is (2^20 + e) / vectors with an e <
 * vectors, and q * e < 2^20 for all q < 4096 and up to 256 vectors. */
typedef struct ndgi_line_args {
    ndgi_byte       *out;           /* of the first row, as are indices */
    const ndgi_byte *params, *indices;
    ptrdiff_t        first, last;
    const ptrdiff_t *limit;
    ndg_cuda_report *report;
    unsigned         blocks, rows;              /* rows: of each */
    unsigned         block_ids, block_out;      /* bytes of each */
    unsigned         vectors, inverse;
    unsigned         step, component;           /* bytes, of index rows */
    unsigned         extent[4], stride[4];      /* stride: bytes */
    unsigned         back[4];                   /* added to what is below 0 */
    int              depth, policy;
} ndgi_line_args;

/* Returns where a bad index of an extent leads, or a negative number if
 * nowhere. */
NDGI_APART int ndgi_line_place(int64_t v, unsigned extent, int policy) {
    return (int)ndg_index_place(v, 0, extent, policy);
}

NDGI_APART void ndgi_tell_apart(ndg_cuda_report *report, ndg_cuda_report seen) {
    ndgi_tell(report, seen);
}

/* D indices that one load brings. */
template <int BYTES> struct ndgi_load_of { typedef unsigned type; };
template <> struct ndgi_load_of<8> { typedef ndgi_u64 type; };
template <> struct ndgi_load_of<16> { typedef uint4 type; };
template <class I, int D> union ndgi_indices {
    typedef typename ndgi_load_of<D * (int)sizeof(I)>::type word;
    I    x[D];
    word all;
};

/* Each lane takes U V's, a block apart, and loads all before it stores any. It
 * reads its row's indices (D at a time, and the lanes of a row together, which
 * is one load of a warp), reads the V's of params once, and writes its own part
 * of the block's stretch of out. */
template <class I, class V, int U, int D>
NDGI_KERNEL_OF(U * D > 2 ? 1280 : 1536) ndgi_gather_line(
        NDGI_ARGS ndgi_line_args a, V blank) {
    const ptrdiff_t n = ndgi_today(a.limit, a.last) - a.first;
    for (unsigned block = blockIdx.x; block < a.blocks; block += gridDim.x) {
        const ptrdiff_t rest = n - block * (ptrdiff_t)a.rows;
        const unsigned  rows = (unsigned)ndgi_lesser<ptrdiff_t>(rest, a.rows);
        const ndgi_byte *ids = a.indices + block * (size_t)a.block_ids;
        V *const         to = (V *)(a.out + block * (size_t)a.block_out)
                            + threadIdx.x;
        const ndgi_byte *from[U];
        unsigned         row[U], part[U];
        bool             found[U], bad[U], any = false;
        V                v[U];
        if (rest <= 0) return;
        for (int u = 0; u < U; u++) {
            const unsigned q = threadIdx.x + (unsigned)u * NDG_CUDA_BLOCK;
            row[u] = q * a.inverse >> 20;
            part[u] = q - row[u] * a.vectors;
            from[u] = a.params + part[u] * sizeof(V);
            found[u] = row[u] < rows;
            bad[u] = false;
        }
        int k = 0;
        NDGI_ROLLED
        do {
            ndgi_indices<I, D> i[U];
            for (int u = 0; u < U; u++) {
                i[u] = ndgi_indices<I, D>();
                if (row[u] < rows) i[u].all = __ldg(
                    (const typename ndgi_indices<I, D>::word *)
                    (ids + row[u] * a.step));
            }
            for (int d = 0; d < D; d++, k++) {
                const I        back = (I)a.back[k];
                const unsigned extent = a.extent[k], stride = a.stride[k];
                bool           good[U], all = true;
                for (int u = 0; u < U; u++) {
                    I *const x = i[u].x + d;
                    *x += *x < 0 ? back : 0;
                    good[u] = sizeof(I) > 4 ? (ndgi_u64)*x < extent
                                            : (unsigned)*x < extent;
                    all = all && good[u];
                }
                for (int u = 0; u < U && !all; u++) {
                    I *const x = i[u].x + d;
                    if (good[u] || row[u] >= rows) continue;
                    *x = ndgi_line_place(*x, extent, a.policy);
                    bad[u] = true;
                    if (*x < 0) found[u] = false;
                }
                for (int u = 0; u < U; u++)
                    from[u] += (size_t)(unsigned)i[u].x[d] * stride;
            }
            ids += a.component * D;
        } while (k < a.depth);
        for (int u = 0; u < U; u++)
            if (found[u]) v[u] = __ldg((const V *)from[u]);
        for (int u = 0; u < U; u++) {
            if (found[u]) __stcs(to + u * NDG_CUDA_BLOCK, v[u]);
            any = any || bad[u];
        }
        if (__ballot_sync(NDGI_WARP, any)) {
            ndg_cuda_report seen = {};
            for (int u = 0; u < U; u++) {
                if (bad[u] && !found[u] && a.policy == NDG_ZERO)
                    __stcs(to + u * NDG_CUDA_BLOCK, blank);
                if (bad[u] && part[u] == 0)
                    ndgi_note(&seen, a.first + block * (ptrdiff_t)a.rows
                                     + row[u]);
            }
            ndgi_tell_apart(a.report, seen);
        }
    }
}

/* Under NDG_ASSUME_VALID every 32-bit index but -1 is below the extent. */
template <class I, class V, int U, int D>
NDGI_HOST cudaError_t ndgi_launch_line(const ndgi_gather_args &g,
                                       cudaStream_t stream) {
    const ndg_gather_plan &p = g.plan;
    const unsigned size = (unsigned)sizeof(V), n = (unsigned)p.run_bytes / size;
    const ptrdiff_t step = p.level[0].indices;
    union { ndgi_byte byte[sizeof(V)]; V all; } blank;
    ndgi_line_args a = ndgi_line_args();
    a.out = g.out + g.first * p.run_bytes;
    a.params = g.params;
    a.indices = g.indices + g.first * step;
    a.first = g.first;
    a.last = g.last;
    a.limit = g.limit;
    a.report = g.report;
    a.vectors = n;
    a.inverse = ((1u << 20) + n - 1) / n;
    a.rows = U * NDG_CUDA_BLOCK / n;
    a.blocks = (unsigned)ndgi_ratio_up(g.last - g.first, a.rows);
    a.block_ids = a.rows * (unsigned)step;
    a.block_out = a.rows * (unsigned)p.run_bytes;
    a.step = (unsigned)step;
    a.component = (unsigned)p.index_step;
    a.depth = p.depth;
    a.policy = p.policy;
    for (int k = 0; k < p.depth; k++) {
        a.extent[k] = p.policy == NDG_ASSUME_VALID ? 0xffffffffu
                                                   : (unsigned)p.extent[k];
        a.stride[k] = (unsigned)p.stride[k];
        if (p.negative == NDG_NEGATIVE_FROM_END)
            a.back[k] = (unsigned)p.extent[k];
    }
    for (unsigned k = 0; k < size; k++) blank.byte[k] = g.runs.fill[k];
    return ndgi_launch(cudaSuccess, ndgi_gather_line<I, V, U, D>, a.blocks,
                       stream, a, blank.all);
}

/* Rows that are multiples of 16 bytes, or short multiples of 4. The general
 * kernel is faster for longer ones. */
template <class I, int D>
NDGI_HOST cudaError_t ndgi_by_line(const ndgi_gather_args &a, cudaStream_t s) {
    enum { U = D * sizeof(I) > 8 ? 2 : 3 };         /* as registers allow */
    return a.plan.run_bytes % 16 ? ndgi_launch_line<I, unsigned, U, D>(a, s)
                                 : ndgi_launch_line<I, uint4, 2, D>(a, s);
}

/* Pairs of indices that lie side by side and aligned take one load. For depth 2
 * that makes some 150 instructions for 32 rows of 32 bytes instead of 190. */
template <class I>
NDGI_HOST cudaError_t ndgi_by_pairs(const ndgi_gather_args &a, cudaStream_t s) {
    const size_t ids = (size_t)a.indices | (size_t)a.plan.level[0].indices;
    return a.plan.depth % 2 == 0 && a.plan.index_step == sizeof(I)
        && ids % (2 * sizeof(I)) == 0 ? ndgi_by_line<I, 2>(a, s)
                                      : ndgi_by_line<I, 1>(a, s);
}

/* True if a plan suits that kernel. odd: the bitwise or of its addresses and
 * strides. */
NDGI_HOST bool ndgi_is_line(const ndgi_gather_args &g, size_t odd) {
    const ndg_gather_plan &p = g.plan;
    const ndg_level       &line = p.level[0];
    const ptrdiff_t e = p.run_bytes, size = e % 16 ? 4 : 16;
    const ptrdiff_t most = size == 4 ? 8
                         : ndgi_lesser<ptrdiff_t>(2 * NDG_CUDA_BLOCK, 256);
    const size_t    ids = (size_t)g.indices | (size_t)line.indices
                        | (size_t)p.index_step;
    if ((p.index_type != NDG_I32 && p.index_type != NDG_I64)
        || (p.index_mask | p.index_add)
        || ids % (size_t)ndgi_bytes_of(p.index_type)
        || (odd | (size_t)e) % (size_t)size || e == 0 || e > most * size
        || (g.runs.period && size % g.runs.period)
        || p.depth < 1 || p.depth > 4 || p.copy_levels || p.row_levels != 1
        || line.out != e || line.source || line.indices < 0
        || line.indices >> 20 || p.index_step < 0 || p.index_step >> 20
        || (g.last - g.first) >> 31) return false;
    for (int k = 0; k < p.depth; k++)
        if (p.extent[k] >> 31 || p.stride[k] < 0 || p.stride[k] >> 32)
            return false;
    return true;
}

/* Packed rows of one element E. A lane takes 16 aligned bytes of out, which it
 * writes with one store if all are its own. Nobody else writes there, and each
 * index and element is read once. */
template <class E>
NDGI_KERNEL ndgi_gather_elements(NDGI_ARGS ndgi_gather_args a,
                                 ndgi_u64 blank) {
    enum { S = (int)sizeof(E), V = 16 / S, N = V < 4 || V > 8 ? 2 : 4 };
    const ndg_level &line = a.plan.level[0];
    const ptrdiff_t  last = ndgi_today(a.limit, a.last);
    ptrdiff_t        i = a.first + NDGI_THREAD * V
        - (ptrdiff_t)(((size_t)a.out / S + (size_t)a.first) % V);
    ndg_cuda_report  seen = {};
    for (; i < last; i += NDGI_THREADS * V) {
        ulonglong2 w = {};
        unsigned   good = 0;
        for (ptrdiff_t k = i; k < i + V; k += N) {
            const ndgi_byte *ids[N];
            ptrdiff_t        offset[N];
            unsigned         here = 0, bad, found;
            for (int j = 0; j < N; j++) {       /* may wrap where no row is */
                ids[j] = (const ndgi_byte *)((size_t)a.indices
                    + (size_t)(k + j) * (size_t)line.indices);
                if (k + j >= a.first && k + j < last) here |= 1u << j;
            }
            found = ndgi_find<N>(a.plan, ids, here, offset, &bad);
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

/* Chooses the kernel. */
NDG_API cudaError_t ndg_cuda_gather_run_range(const ndg_gather_plan *plan,
        void *out, ptrdiff_t out_bytes, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t last, const ptrdiff_t *limit,
        ndg_cuda_report *report, cudaStream_t stream) {
    if (ndg_gather_fits(plan, out, out_bytes, params, indices, first, last, 0))
        return cudaErrorInvalidValue;
    if (first == last || (!plan->run_bytes && (!report || plan->depth == 0)))
        return cudaSuccess;
    ndgi_gather_args a = { *plan, (ndgi_byte *)out,
        (const ndgi_byte *)(plan->run_bytes ? params : indices),
        (const ndgi_byte *)indices, first, last, limit, report, ndgi_runs() };
    ndg_gather_plan &p = a.plan;
    const ptrdiff_t  n = last - first, e = p.run_bytes;
    const int        period = p.policy == NDG_FILL ? (int)p.elem_size : 0;
    if (p.copy_levels + p.row_levels == 0) p.level[0] = ndg_level();
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
    if (ndgi_is_line(a, odd))
        return p.index_type == NDG_I32 ? ndgi_by_pairs<int>(a, stream)
                                       : ndgi_by_pairs<long long>(a, stream);
    return ndgi_launch(cudaSuccess, ndgi_copy_runs<ndgi_gather_args>,
                       a.runs.blocks, stream, a);
}

NDG_API cudaError_t ndg_cuda_gather_run(const ndg_gather_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ndg_cuda_report *report, cudaStream_t stream) {
    return ndg_cuda_gather_run_range(plan, out, out_bytes, params, indices, 0,
                                     plan ? plan->rows : 0, 0, report, stream);
}

/* Runs a plan that copies nothing. */
NDG_API cudaError_t ndg_cuda_gather_check(const ndg_gather_plan *plan,
        const void *indices, ptrdiff_t first, ptrdiff_t last,
        const ptrdiff_t *limit, ndg_cuda_report *report, cudaStream_t stream) {
    ndg_gather_plan p = plan ? *plan : ndg_gather_plan();
    p.run_bytes = 0;
    if (p.policy == NDG_ASSUME_VALID) p.policy = NDG_ERROR;
    return ndg_cuda_gather_run_range(&p, 0, 0, 0, indices, first, last, limit,
                                     report, stream);
}

/* ---- scatter -------------------------------------------------------------*/
typedef struct ndgi_put_args {
    ndg_scatter_plan plan;              /* its policy drops bad rows */
    ndgi_byte       *out;
    const ndgi_byte *data, *indices;
    ndgi_u64        *owner;             /* last row of each slot + 1; or NULL */
    ndg_cuda_report *report;
    ndgi_runs        runs;
} ndgi_put_args;

/* Adds the offsets of index row `row`; returns whether it is good. */
NDGI_DEVICE bool ndgi_put_at(const ndgi_put_args &a, ptrdiff_t row,
                             ndgi_offsets *at) {
    const ndg_gather_plan &p = a.plan.by;
    ptrdiff_t offset;
    unsigned  bad, found;
    ndgi_offsets_add(at, p.level + p.copy_levels, p.row_levels, row);
    const ndgi_byte *const ids = a.indices + at->indices;
    found = ndgi_find<1>(p, &ids, 1u, &offset, &bad);
    at->out += offset;
    return found != 0;
}

/* Returns the slot of an offset in out. The loops over slots nest, the least
 * first. */
NDGI_DEVICE ptrdiff_t ndgi_slot_at(const ndg_scatter_plan &p, ptrdiff_t out) {
    ptrdiff_t slot = 0;
    NDGI_ROLLED
    for (int k = p.slot_levels - 1; k >= 0; k--) {
        slot = slot * p.slot[k].extent + out / p.slot[k].out;
        out %= p.slot[k].out;
    }
    return slot;
}

/* Reads every index once, and gives each slot its last row. */
NDGI_KERNEL ndgi_put_own(NDGI_ARGS ndgi_put_args a) {
    ndg_cuda_report seen = {};
    for (ptrdiff_t row = NDGI_THREAD; row < a.plan.by.rows;
         row += NDGI_THREADS) {
        ndgi_offsets at = {};
        if (!ndgi_put_at(a, row, &at)) { ndgi_note(&seen, row); continue; }
        atomicMax(a.owner + ndgi_slot_at(a.plan, at.out), (ndgi_u64)row + 1);
    }
    ndgi_tell(a.report, seen);
}

/* Writes the rows that own their slot or, without owners, all good rows. */
NDGI_DEVICE void ndgi_tell_of(const ndgi_put_args &a, ndg_cuda_report seen) {
    if (!a.owner) ndgi_tell(a.report, seen);
}

NDGI_DEVICE void ndgi_find_run(const ndgi_put_args &a, ptrdiff_t q,
                               ndgi_run *run, ndg_cuda_report *seen) {
    const ndg_gather_plan &p = a.plan.by;
    ndgi_offsets    to = {}, at = {};
    const ptrdiff_t row = ndgi_run_at(a.runs, p.level, p.copy_levels, q, &to,
                                      run);
    const bool      good = ndgi_put_at(a, row, &at);
    if (!good && run->first) ndgi_note(seen, row);
    if (!good || (a.owner && (ndgi_u64)row + 1
                             != a.owner[ndgi_slot_at(a.plan, at.out)]))
        run->bytes = 0;
    run->from = a.data + (at.source + to.source);
    run->to = a.out + (at.out + to.out);
}

/* Clears all slots. */
struct ndgi_clear_args : ndgi_put_args {
    ndgi_clear_args(const ndgi_put_args &a) : ndgi_put_args(a) {}
};
NDGI_DEVICE void ndgi_tell_of(const ndgi_clear_args &, ndg_cuda_report) {}
NDGI_DEVICE void ndgi_find_run(const ndgi_clear_args &a, ptrdiff_t q,
                               ndgi_run *run, ndg_cuda_report *) {
    const ndg_gather_plan &p = a.plan.by;
    ndgi_offsets    at = {};
    const ptrdiff_t slot = ndgi_run_at(a.runs, p.level, p.copy_levels, q, &at,
                                       run);
    ndgi_offsets_add(&at, a.plan.slot, a.plan.slot_levels, slot);
    run->to = a.out + at.out;
}

NDG_API ptrdiff_t ndg_cuda_scatter_scratch_bytes(const ndg_scatter_plan *plan) {
    return plan && plan->op && !(plan->slots >> 58) ? 8 * plan->slots : -1;
}

NDG_API cudaError_t ndg_cuda_scatter_run(const ndg_scatter_plan *plan,
        void *out, ptrdiff_t out_bytes, const void *data, const void *indices,
        void *scratch, ptrdiff_t scratch_bytes, ndg_cuda_report *report,
        cudaStream_t stream) {
    const ptrdiff_t need = ndg_cuda_scatter_scratch_bytes(plan);
    cudaError_t     e = cudaSuccess;
    if (need < 0 || (scratch && (scratch_bytes < need || (size_t)scratch % 8))
        || ndg_scatter_fits(plan, out, out_bytes, data, indices, 0,
                            plan->slots, 0)) return cudaErrorInvalidValue;
    const ndg_gather_plan &p = plan->by;
    const bool bytes = p.run_bytes && plan->slots;
    ndgi_put_args a = { *plan, (ndgi_byte *)out, (const ndgi_byte *)data,
        (const ndgi_byte *)indices, (ndgi_u64 *)(bytes ? scratch : 0),
        p.policy == NDG_ASSUME_VALID ? 0 : report, ndgi_runs() };
    a.plan.by.policy = NDG_DROP;
    if (a.owner) e = cudaMemsetAsync(scratch, 0, (size_t)need, stream);
    if (bytes && plan->gaps == NDG_GAPS_ZERO) {
        a.runs = ndgi_runs_of(plan->slots, p.level, p.copy_levels, p.run_bytes,
                              0);
        e = ndgi_launch(e, ndgi_copy_runs<ndgi_clear_args>, a.runs.blocks,
                        stream, a);
    }
    if (a.owner) e = ndgi_launch(e, ndgi_put_own,
        ndgi_ratio_up(p.rows, NDG_CUDA_BLOCK), stream, a);
    if (!bytes && (!a.report || p.depth == 0)) return e;
    a.runs = ndgi_runs_of(p.rows, p.level, p.copy_levels,
                          bytes ? p.run_bytes : 0, 0);
    return ndgi_launch(e, ndgi_copy_runs<ndgi_put_args>, a.runs.blocks, stream,
                       a);
}

/* ---- stitch --------------------------------------------------------------*/
/* Makes running sums of rows of n values, a warp for each row. Values lie
 * `step` apart and rows `pitch` apart; there are `most` values in all, and one
 * below 0 counts as 0. The sums of row r are the n + 1 words at starts + r * (n
 * + 1). A warp loads 128 values before it stores their sums, so starts may be
 * the values. */
NDGI_KERNEL ndgi_scan(const void *values, ptrdiff_t step, ptrdiff_t pitch,
                      ndgi_u64 *starts, ptrdiff_t n, ptrdiff_t most) {
    for (ptrdiff_t r = NDGI_THREAD / 32; r * n < most; r += NDGI_THREADS / 32) {
        const int64_t *const in = (const int64_t *)values + r * pitch;
        const ptrdiff_t have = ndgi_lesser(most - r * n, n);
        ndgi_u64 *const to = starts + r * (n + 1);
        ndgi_u64        sum = 0;
        for (ptrdiff_t i = NDGI_LANE; i - NDGI_LANE < n; i += 128) {
            int64_t own[4];
            for (int k = 0; k < 4; k++)
                own[k] = i + 32 * k < have ? in[(i + 32 * k) * step] : 0;
            for (int k = 0; k < 4; k++) {
                const ndgi_u64 v = (ndgi_u64)ndgi_greater<int64_t>(own[k], 0);
                ndgi_u64       at = v;
                for (int d = 1; d < 32; d *= 2)
                    at += __shfl_up_sync(NDGI_WARP, at, (unsigned)d)
                        * (NDGI_LANE >= d);
                if (i + 32 * k < n) to[i + 32 * k] = sum + at - v;
                sum += __shfl_sync(NDGI_WARP, at, 31);
            }
        }
        if (NDGI_LANE == 0) to[n] = sum;
    }
}

/* ... of one row of values. */
NDGI_HOST cudaError_t ndgi_launch_scan(cudaError_t e, const void *values,
        ptrdiff_t step, ndgi_u64 *starts, ptrdiff_t n, cudaStream_t s) {
    return ndgi_launch(e, ndgi_scan, n > 0, s, values, step, 0, starts, n, n);
}

typedef struct ndgi_stitch_args {
    ndg_stitch_plan  plan;
    ndgi_byte       *out;
    const ndg_list  *lists;
    ptrdiff_t        rows, n, entries;
    const ptrdiff_t *limit;
    ndg_cuda_report *bad, *duplicates, *holes;
    ndg_cuda_report *found;         /* of a total: the largest index + 1; of
                                       a run: holes */
    ndgi_u64        *starts;        /* of each list, in entries */
    void            *owner;         /* last entry of each row + 1 */
    bool             wide;          /* owners of 64 bits, else of 32 */
    ndgi_runs        runs;
} ndgi_stitch_args;

/* An entry: number `place` of a list. */
struct ndgi_entry { const ndg_list *list; ptrdiff_t place; };

/* Returns entry g of all; bisection finds its list and skips empty ones. */
NDGI_DEVICE ndgi_entry ndgi_entry_at(const ndgi_stitch_args &a, ndgi_u64 g) {
    ptrdiff_t low = 0, high = a.n;
    while (high - low > 1) {
        const ptrdiff_t mid = low + (high - low) / 2;
        if (a.starts[mid] <= g) low = mid; else high = mid;
    }
    const ndgi_entry e = { a.lists + low, (ptrdiff_t)(g - a.starts[low]) };
    return e;
}

NDGI_DEVICE int64_t ndgi_index_of(const ndgi_stitch_args &a, ndgi_entry e) {
    const int       type = a.plan.index_type;
    const ptrdiff_t step = e.list->index_stride ? e.list->index_stride
                                                : ndgi_bytes_of(type);
    return ndgi_index_from(ndgi_fetch((const ndgi_byte *)e.list->indices
                                      + e.place * step, type), type);
}

NDGI_DEVICE const ndgi_byte *ndgi_data_of(const ndgi_stitch_args &a,
                                          ndgi_entry e) {
    return (const ndgi_byte *)e.list->data + e.place
         * (e.list->data_stride ? e.list->data_stride : a.plan.row.bytes);
}

/* Reads every index once to find the largest. */
NDGI_KERNEL ndgi_stitch_most(NDGI_ARGS ndgi_stitch_args a) {
    ndg_cuda_report seen = {}, top = {};
    ptrdiff_t       g = NDGI_THREAD;
    for (; g < a.entries && (ndgi_u64)g < a.starts[a.n]; g += NDGI_THREADS) {
        const int64_t v = ndgi_index_of(a, ndgi_entry_at(a, (ndgi_u64)g));
        if (v < 0) ndgi_note(&seen, g);
        else top.first = ndgi_greater(top.first, (ndgi_u64)v + 1);
        top.count = 1;
    }
    ndgi_tell(a.bad, seen);
    ndgi_tell(a.found, top);
}

/* Reads every index once, and gives each row its last entry: a maximum, the
 * same in any order. The atomic's result is used to count duplicates, and
 * because atomics without a result are five times slower. */
NDGI_KERNEL ndgi_stitch_own(NDGI_ARGS ndgi_stitch_args a) {
    const ptrdiff_t rows = ndgi_today(a.limit, a.rows);
    ndg_cuda_report seen = {}, again = {};
    ptrdiff_t       g = NDGI_THREAD;
    for (; g < a.entries && (ndgi_u64)g < a.starts[a.n]; g += NDGI_THREADS) {
        const int64_t v = ndgi_index_of(a, ndgi_entry_at(a, (ndgi_u64)g));
        if (!NDG_INDEX_GOOD(v, rows))
            ndgi_note(&seen, g);
        else if (a.wide ? atomicMax((ndgi_u64 *)a.owner + v, (ndgi_u64)g + 1)
                        : atomicMax((unsigned *)a.owner + v, (unsigned)g + 1))
            again.count++;
    }
    ndgi_tell(a.bad, seen);
    ndgi_tell(a.duplicates, again);
}

/* Reads the owner and the data of each run once, and writes it once. Runs of no
 * bytes only look for rows without an owner. */
NDGI_DEVICE void ndgi_tell_of(const ndgi_stitch_args &a, ndg_cuda_report seen) {
    if (a.runs.bytes == 0) ndgi_tell(a.found, seen);
    ndgi_tell(a.holes, seen);
}

NDGI_DEVICE void ndgi_find_run(const ndgi_stitch_args &a, ptrdiff_t q,
                               ndgi_run *run, ndg_cuda_report *seen) {
    const ndg_row_layout &p = a.plan.row;
    ndgi_offsets    at = {};
    const ptrdiff_t row = ndgi_run_at(a.runs, p.level, p.levels, q, &at, run);
    const ndgi_u64  owner = a.wide ? ((const ndgi_u64 *)a.owner)[row]
                                   : ((const unsigned *)a.owner)[row];
    const bool      here = row < ndgi_today(a.limit, a.rows);
    if (!owner && here && run->first) ndgi_note(seen, row);
    if (run->bytes == 0) return;
    run->to = a.out + row * p.out_stride + at.out;
    if (owner) run->from = ndgi_data_of(a, ndgi_entry_at(a, owner - 1))
                         + at.source;
    if (!here || (a.plan.gaps == NDG_GAPS_KEEP && !owner)
        || (a.plan.gaps == NDG_GAPS_ERROR && a.found->count)) run->bytes = 0;
}

/* For unique indices: reads the index and the data of each run once, and writes
 * the run to its row, which no other entry names. */
struct ndgi_scatter_args : ndgi_stitch_args {
    ndgi_scatter_args(const ndgi_stitch_args &a) : ndgi_stitch_args(a) {}
};

NDGI_DEVICE void ndgi_tell_of(const ndgi_scatter_args &a,
                              ndg_cuda_report seen) {
    ndgi_tell(a.bad, seen);
}

NDGI_DEVICE void ndgi_find_run(const ndgi_scatter_args &a, ptrdiff_t q,
                               ndgi_run *run, ndg_cuda_report *seen) {
    const ndg_row_layout &p = a.plan.row;
    ndgi_offsets    at = {};
    const ptrdiff_t g = ndgi_run_at(a.runs, p.level, p.levels, q, &at, run);
    if ((ndgi_u64)g < a.starts[a.n]) {
        const ndgi_entry e = ndgi_entry_at(a, (ndgi_u64)g);
        const int64_t    v = ndgi_index_of(a, e);
        if (NDG_INDEX_GOOD(v, ndgi_today(a.limit, a.rows))) {
            run->from = ndgi_data_of(a, e) + at.source;
            run->to = a.out + (ptrdiff_t)v * p.out_stride + at.out;
            return;
        }
        if (run->first) ndgi_note(seen, g);
    }
    run->bytes = 0;
}

NDG_API ptrdiff_t ndg_cuda_stitch_scratch_bytes(const ndg_stitch_plan *plan,
        ptrdiff_t total, ptrdiff_t n, ptrdiff_t entries) {
    if (!plan || !plan->op || n < 0 || total < 0 || entries < 0 || n >> 58
        || total >> 58) return -1;
    if (ndgi_too_many(entries, plan->row)) return -1;
    return 8 * (n + 3 + (entries >> 32 ? total : ndgi_ratio_up(total, 2)));
}

/* Describes a stitch of `rows` rows. */
NDGI_HOST ndgi_stitch_args ndgi_stitch_of(const ndg_stitch_plan *plan,
        void *out, ptrdiff_t rows, const ptrdiff_t *limit,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t entries, void *scratch,
        ndg_cuda_stitch_report *report) {
    ndgi_stitch_args a = ndgi_stitch_args();
    a.plan = *plan;
    a.out = (ndgi_byte *)out;
    a.lists = lists;
    a.rows = rows;
    a.n = n;
    a.entries = entries;
    a.limit = limit;
    a.starts = (ndgi_u64 *)scratch;
    a.found = (ndg_cuda_report *)((size_t)scratch + 8 * (size_t)(n + 1));
    a.owner = a.found + 1;
    a.wide = entries >> 32 != 0;
    if (!report) return a;
    if (plan->policy != NDG_ASSUME_VALID) a.bad = &report->bad;
    a.holes = &report->holes;
    a.duplicates = &report->duplicates;
    return a;
}

/* True if out, the lists and scratch for `marked` rows can be there. */
NDGI_HOST bool ndgi_stitch_fits(const ndg_stitch_plan *plan, const void *out,
        ptrdiff_t out_bytes, ptrdiff_t total, const ndg_list *lists,
        ptrdiff_t n, ptrdiff_t entries, ptrdiff_t marked, const void *scratch,
        ptrdiff_t scratch_bytes) {
    const ptrdiff_t need = plan ? ndg_stitch_out_bytes(plan, total) : -1;
    const ptrdiff_t marks = ndg_cuda_stitch_scratch_bytes(plan, marked, n,
                                                          entries);
    return need >= 0 && marks >= 0 && out_bytes >= need && (need == 0 || out)
        && (n == 0 || lists) && scratch && (size_t)scratch % 8 == 0
        && scratch_bytes >= marks;
}

/* Sums the counts of the lists, and clears the scratch for `marked` rows. */
NDGI_HOST cudaError_t ndgi_stitch_begin(const ndgi_stitch_args &a,
                                        ptrdiff_t marked, cudaStream_t s) {
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&a.plan, marked, a.n,
                                                         a.entries);
    const cudaError_t e = cudaMemsetAsync(a.starts + a.n, 0,
                                          (size_t)(need - 8 * a.n), s);
    return ndgi_launch_scan(e, a.n ? &a.lists->count : 0,
                            (ptrdiff_t)(sizeof *a.lists / 8), a.starts, a.n, s);
}

NDG_API cudaError_t ndg_cuda_stitch_run(const ndg_stitch_plan *plan, void *out,
        ptrdiff_t out_bytes, ptrdiff_t total, const ptrdiff_t *limit,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t entries, void *scratch,
        ptrdiff_t scratch_bytes, ndg_cuda_stitch_report *report,
        cudaStream_t stream) {
    if (plan && plan->op && total == 0 && out_bytes >= 0 && n >= 0
        && (n == 0 || lists) && (!report || entries == 0)) return cudaSuccess;
    if (!ndgi_stitch_fits(plan, out, out_bytes, total, lists, n, entries, total,
                          scratch, scratch_bytes)) return cudaErrorInvalidValue;
    ndgi_stitch_args a = ndgi_stitch_of(plan, out, total, limit, lists, n,
                                        entries, scratch, report);
    const ndg_row_layout &p = plan->row;
    cudaError_t e = ndgi_stitch_begin(a, total, stream);
    e = ndgi_launch(e, ndgi_stitch_own, ndgi_ratio_up(entries, NDG_CUDA_BLOCK),
                    stream, a);
    if (plan->gaps == NDG_GAPS_ERROR || (report && p.run_bytes == 0)) {
        a.runs = ndgi_runs_of(total, 0, 0, 0, 0);
        e = ndgi_launch(e, ndgi_copy_runs<ndgi_stitch_args>, a.runs.blocks,
                        stream, a);
        a.holes = 0;
    }
    if (p.run_bytes == 0) return e;
    a.runs = ndgi_runs_of(total, p.level, p.levels, p.run_bytes, 0);
    return ndgi_launch(e, ndgi_copy_runs<ndgi_stitch_args>, a.runs.blocks,
                       stream, a);
}

NDG_API cudaError_t ndg_cuda_stitch_unique(const ndg_stitch_plan *plan,
        void *out, ptrdiff_t out_bytes, ptrdiff_t total, const ptrdiff_t *limit,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t entries, void *scratch,
        ptrdiff_t scratch_bytes, ndg_cuda_stitch_report *report,
        cudaStream_t stream) {
    if (!ndgi_stitch_fits(plan, out, out_bytes, total, lists, n, entries, 0,
                          scratch, scratch_bytes)) return cudaErrorInvalidValue;
    const ndg_row_layout &p = plan->row;
    ndgi_scatter_args a = ndgi_stitch_of(plan, out, total, limit, lists, n,
                                         entries, scratch, report);
    a.runs = ndgi_runs_of(entries, p.level, p.levels, p.run_bytes, 0);
    if (!report && p.run_bytes == 0) return cudaSuccess;
    return ndgi_launch(ndgi_stitch_begin(a, 0, stream),
                       ndgi_copy_runs<ndgi_scatter_args>, a.runs.blocks, stream,
                       a);
}

NDG_API cudaError_t ndg_cuda_stitch_total(const ndg_stitch_plan *plan,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t entries,
        ptrdiff_t *total, void *scratch, ptrdiff_t scratch_bytes,
        ndg_cuda_stitch_report *report, cudaStream_t stream) {
    if (!total || !ndgi_stitch_fits(plan, 0, 0, 0, lists, n, entries, 0,
                                    scratch, scratch_bytes))
        return cudaErrorInvalidValue;
    ndgi_stitch_args a = ndgi_stitch_of(plan, 0, 0, 0, lists, n, entries,
                                        scratch, report);
    if (report) a.bad = &report->bad;
    const cudaError_t e = ndgi_launch(ndgi_stitch_begin(a, 0, stream),
        ndgi_stitch_most, ndgi_ratio_up(entries, NDG_CUDA_BLOCK), stream, a);
    return e ? e : cudaMemcpyAsync(total, &a.found->first, sizeof *total,
                                   cudaMemcpyDeviceToDevice, stream);
}

/* ---- partition -----------------------------------------------------------*/
/* Deals rows by one digit of their ids after the other, the lowest first. Each
 * pass counts, sums and deals: the last pass the rows, earlier passes words of
 * row and id. A block owns a part of these and deals it tile by tile. It sorts
 * each tile by digit in shared memory, so that what goes to one place is
 * written in a line. */
typedef struct ndgi_split_args {
    ndg_partition_plan plan;
    void *const     *outs, *const *positions;   /* of each part; or, packed: */
    ndgi_byte       *out, *position;
    ndgi_u64        *offsets;                   /* the first row of each */
    const ndgi_byte *data, *ids;
    ptrdiff_t        first, rows, parts, blocks, slices, part, scratch;
    const ptrdiff_t *limit;
    const ptrdiff_t *counts;        /* what parts can hold; packed: NULL */
    ndgi_u64        *cursors;       /* rows of each id */
    ndgi_u64        *table;         /* [digit][block + 1]: items before */
    ndgi_u64        *sums;          /* items of smaller digits, then of all */
    ndgi_u64        *within;        /* rows of smaller ids, same last digit */
    ndgi_u64        *words, *from, *to;         /* NULL: the ids, the parts */
    ndg_cuda_report *report;
    ndgi_runs        runs;          /* of one row */
    int              id_bits, digits, bits, shift, values;    /* of a digit */
    int              vector;        /* bytes that rows are copied by; 1: runs */
    bool             sorted;        /* a tile's items by digit, then written */
} ndgi_split_args;

enum { NDGI_EACH = NDG_CUDA_BLOCK > 256 ? 2048 / NDG_CUDA_BLOCK : 8,
       NDGI_TILE = NDGI_EACH * NDG_CUDA_BLOCK,
       NDGI_COUNTERS = NDGI_WARPS * NDGI_DIGITS };

/* What a pass reads: how many items there are, and the row and id of item i,
 * negative if bad. Ids are packed and of 32 bits, or any: */
struct ndgi_ids {
    enum { IDS = 1 };
    static __device__ ptrdiff_t items(const ndgi_split_args &a) {
        return ndgi_greater<ptrdiff_t>(0, ndgi_today(a.limit, a.first + a.rows)
                                       - a.first);
    }
    static __device__ ptrdiff_t row(const ndgi_split_args &a, ptrdiff_t i)
    { return a.first + i; }
};
struct ndgi_plain_ids : ndgi_ids {
    typedef int type;
    static __device__ int id(const ndgi_split_args &a, ptrdiff_t i) {
        const unsigned v = __ldg((const unsigned *)a.ids + a.first + i);
        return v < (unsigned)a.parts ? (int)v : -1;
    }
};
struct ndgi_any_ids : ndgi_ids {
    typedef ptrdiff_t type;
    static __device__ ptrdiff_t id(const ndgi_split_args &a, ptrdiff_t i) {
        const int type = a.plan.index_type;
        const int64_t v = ndgi_index_from(ndgi_fetch(a.ids + (a.first + i)
                            * a.plan.index_stride, type), type);
        return NDG_INDEX_GOOD(v, a.parts) ? (ptrdiff_t)v : -1;
    }
};

/* ... or words of row and id, made by the pass before, which left out bad
 * ones. */
struct ndgi_words {
    enum { IDS = 0 };
    typedef ptrdiff_t type;
    static __device__ ptrdiff_t items(const ndgi_split_args &a)
    { return (ptrdiff_t)a.sums[1 << a.bits]; }
    static __device__ ptrdiff_t row(const ndgi_split_args &a, ptrdiff_t i)
    { return (ptrdiff_t)(__ldg(a.from + i) >> a.id_bits); }
    static __device__ ptrdiff_t id(const ndgi_split_args &a, ptrdiff_t i) {
        const ndgi_u64  x = __ldg(a.from + i);
        const ptrdiff_t v = (ptrdiff_t)(x & ((1ull << a.id_bits) - 1));
        return v < a.parts && (ptrdiff_t)(x >> a.id_bits) - a.first < a.rows
             ? v : -1;
    }
};

/* A block's part of the items. */
struct ndgi_stretch { ptrdiff_t begin, end; };
template <class R>
NDGI_DEVICE ndgi_stretch ndgi_part_of(const ndgi_split_args &a,
                                      ptrdiff_t block) {
    const ptrdiff_t n = R::items(a), begin = block * a.part;
    const ndgi_stretch s = { begin, ndgi_lesser(begin + a.part, n) };
    return s;
}

/* Counts the digits of a block's items into its column of the table or, to
 * count ids, into the cursors. Reads each item once. Only atomics change the
 * counters in shared memory and the cursors. Few digits have several counters
 * each, for different lanes; very many ids have none in shared memory. */
template <class R>
NDGI_KERNEL ndgi_split_count(NDGI_ARGS ndgi_split_args a, bool ids) {
    NDGI_SHARED(unsigned, counter, NDGI_COUNTERS);
    const ndgi_stretch part = ndgi_part_of<R>(a, blockIdx.x);
    const ptrdiff_t values = ids ? a.parts : a.values;
    const int       shift = ids ? 0 : a.shift;
    const ptrdiff_t mask = ids ? -1 : (1 << a.bits) - 1;
    ndg_cuda_report seen = {};
    int             copies = 32;
    while (copies * values > NDGI_COUNTERS) copies /= 2;
    const bool here = copies > 0;
    for (int d = (int)threadIdx.x; d < NDGI_COUNTERS; d += NDG_CUDA_BLOCK)
        counter[d] = 0;
    __syncthreads();
    for (ptrdiff_t i = part.begin + threadIdx.x; i < part.end;
         i += NDGI_TILE) {
        ptrdiff_t id[NDGI_EACH];
        for (int j = 0; j < NDGI_EACH; j++) {
            const ptrdiff_t at = i + j * NDG_CUDA_BLOCK;
            id[j] = at < part.end ? (ptrdiff_t)R::id(a, at) : 0;
        }
        for (int j = 0; j < NDGI_EACH; j++) {
            const ptrdiff_t at = i + j * NDG_CUDA_BLOCK;
            const ptrdiff_t d = id[j] >> shift & mask;
            if (at >= part.end) break;
            if (id[j] < 0) ndgi_note(&seen, R::row(a, at));
            else if (here) atomicAdd(counter + ((int)d * copies
                                     + (NDGI_LANE & (copies - 1))), 1u);
            else atomicAdd(a.cursors + d, 1ull);
        }
    }
    __syncthreads();
    for (int d = (int)threadIdx.x; here && d < values; d += NDG_CUDA_BLOCK) {
        ndgi_u64 n = 0;
        for (int k = 0; k < copies; k++)
            n += counter[d * copies + ((k + d) & (copies - 1))];
        if (!ids) a.table[d * (a.blocks + 1) + blockIdx.x] = n;
        else if (n) atomicAdd(a.cursors + d, n);
    }
    ndgi_tell(a.report, seen);
}

/* A tile in shared memory, and what a block knows of its digits. */
struct ndgi_dealt {
    unsigned short *counter;    /* [warp][digit]: how many; in warps before */
    unsigned short *order;      /* of items, sorted by digit */
    unsigned       *many;       /* of a digit, in the tile */
    unsigned       *first;      /* its first item in the order */
    unsigned       *group;      /* how many of 32 digits */
    ndgi_u64       *next;       /* where its next item goes: address or rank */
    ndgi_u64       *room;       /* for how many more, if the digit is the id */
    ndgi_u64       *to;         /* where each item goes, likewise; 0: nowhere */
    unsigned       *odd;        /* how many addresses the vector does not fit */
};

/* Returns where a part begins, in an array of its own or in the one of all, and
 * sets how many rows it can hold. Both stay true if ids change after the
 * count. */
NDGI_DEVICE ndgi_byte *ndgi_part(void *const *parts, ndgi_byte *packed,
        const ndgi_split_args &a, ptrdiff_t id, ptrdiff_t size) {
    return parts ? (ndgi_byte *)parts[id]
                 : packed + (ptrdiff_t)a.offsets[id] * size;
}
NDGI_DEVICE ndgi_byte *ndgi_origin(const ndgi_split_args &a, ptrdiff_t id) {
    return ndgi_part(a.outs, a.out, a, id, a.plan.row.out_stride);
}
NDGI_DEVICE ndgi_u64 ndgi_room(const ndgi_split_args &a, ptrdiff_t id) {
    const ptrdiff_t count = a.counts ? a.counts[id] : 0;
    return a.counts ? (ndgi_u64)ndgi_greater<ptrdiff_t>(count, 0)
                    : a.offsets[id + 1] - a.offsets[id];
}

/* Writes `row` as number `rank` of a part's positions, of any type and
 * alignment. */
NDGI_DEVICE void ndgi_write_position(const ndgi_split_args &a, ptrdiff_t id,
                                     ndgi_u64 rank, ptrdiff_t row) {
    const int        word = ndgi_bytes_of(a.plan.position_type);
    ndgi_byte *const to = ndgi_part(a.positions, a.position, a, id, word)
                        + rank * (ndgi_u64)word;
    if (word == 4 && (size_t)to % 4 == 0)
        __stcs((unsigned *)to, (unsigned)row);
    else for (int b = 0; b < word; b++)
        __stcs(to + b, (ndgi_byte)(row >> 8 * b));
}

/* Returns the address of the n-th row of a digit in a tile, or 0 if its part
 * has no room for it or nothing is to be copied. */
template <class R>
NDGI_DEVICE ndgi_u64 ndgi_place(const ndgi_split_args &a, const ndgi_dealt &t,
        ptrdiff_t item, ptrdiff_t id, int digit, unsigned n, bool positions) {
    const ndgi_u64 stride = (ndgi_u64)a.plan.row.out_stride;
    ndgi_u64       to = t.next[digit] + n * stride, rank;
    bool           fits = !a.shift && n < t.room[digit];
    if (a.shift || positions) {
        rank = a.shift ? t.next[digit] + n - a.within[id + (id >> a.shift)]
                       : ndgi_room(a, id) - t.room[digit] + n;
        fits = rank < ndgi_room(a, id);
        if (a.shift && a.plan.row.run_bytes)
            to = (ndgi_u64)(size_t)ndgi_origin(a, id) + rank * stride;
        if (positions && fits)
            ndgi_write_position(a, id, rank, R::row(a, item));
    }
    return fits && a.plan.row.run_bytes ? to : 0;
}

/* Finds how many items of each digit come before: in earlier warps, in the tile
 * and, if it will be sorted, of smaller digits. */
NDGI_DEVICE void ndgi_sum_tile(const ndgi_split_args &a, const ndgi_dealt &t) {
    for (int d = (int)threadIdx.x; d - NDGI_LANE < a.values;
         d += NDG_CUDA_BLOCK) {
        unsigned n = 0, at;
        for (int w = 0; w < NDGI_WARPS && d < a.values; w++) {
            unsigned short *const own = t.counter + w * NDGI_DIGITS + d;
            const unsigned        here = *own;
            *own = (unsigned short)n;
            n += here;
        }
        if (d < a.values) t.many[d] = n;
        at = n;
        for (int k = 1; k < 32 && a.sorted; k *= 2)
            at += __shfl_up_sync(NDGI_WARP, at, (unsigned)k) * (NDGI_LANE >= k);
        if (d < a.values) t.first[d] = at - n;
        if (NDGI_LANE == 31) t.group[d / 32] = at;
    }
    if (threadIdx.x == 0) *t.odd = 0;
    __syncthreads();
    if (!a.sorted) return;
    for (int d = (int)threadIdx.x; d < a.values; d += NDG_CUDA_BLOCK)
        for (int g = 0; g < d / 32; g++) t.first[d] += t.group[g];
    __syncthreads();
}

/* Ranks the items of a tile, each warp its own, and finds where they go: in the
 * order of the tile or, if sorted, of their digits. Returns how many there
 * are. */
template <class R, bool MOVES>
NDGI_DEVICE unsigned ndgi_rank_tile(const ndgi_split_args &a,
        const ndgi_dealt &t, ndgi_stretch part, bool positions) {
    const int begin = (int)threadIdx.x / 32 * NDGI_EACH * 32 + NDGI_LANE;
    const int mask = (1 << a.bits) - 1, last = a.values - 1;
    const int rest = (int)ndgi_lesser<ptrdiff_t>(part.end - part.begin,
                                                NDGI_TILE);
    const unsigned        before = (1u << NDGI_LANE) - 1u;
    unsigned short *const mine = t.counter + threadIdx.x / 32 * NDGI_DIGITS;
    typename R::type      id[NDGI_EACH];
    unsigned              rank[NDGI_EACH];     /* first: who has this digit */
    for (int d = NDGI_LANE; d < a.values; d += 32) mine[d] = 0;
    for (int j = 0; j < NDGI_EACH; j++)
        id[j] = begin + 32 * j < rest ? R::id(a, part.begin + begin + 32 * j)
                                      : -1;
    for (int j = 0; j < NDGI_EACH; j++)
        rank[j] = __ballot_sync(NDGI_WARP, id[j] >= 0);
    for (int b = a.shift; b < a.shift + a.bits; b++)
        for (int j = 0; j < NDGI_EACH; j++) {
            const bool on = id[j] >> b & 1;
            rank[j] &= __ballot_sync(NDGI_WARP, on) ^ (on ? 0u : NDGI_WARP);
        }
    __syncwarp(NDGI_WARP);
    for (int j = 0; j < NDGI_EACH; j++) {
        const int      digit = (int)(id[j] >> a.shift) & mask;
        const unsigned all = (unsigned)__popc(rank[j]);
        const bool     leads = id[j] >= 0 && !(rank[j] & before);
        rank[j] = (unsigned)__popc(rank[j] & before);
        if (id[j] >= 0) rank[j] += mine[digit];
        __syncwarp(NDGI_WARP);
        if (leads) mine[digit] = (unsigned short)(rank[j] + all);
        __syncwarp(NDGI_WARP);
    }
    __syncthreads();
    ndgi_sum_tile(a, t);
    for (int j = 0; j < NDGI_EACH; j++) {
        const int digit = (int)(id[j] >> a.shift) & mask;
        unsigned  at = (unsigned)(begin + 32 * j);
        ndgi_u64  to = 0;
        if (id[j] >= 0) {
            const unsigned n = mine[digit] + rank[j];
            if (MOVES) to = ndgi_place<R>(a, t, part.begin + at, id[j], digit,
                                          n, positions);
            else to = t.next[digit] + n;
            if (a.sorted) t.order[t.first[digit] + n] = (unsigned short)at;
            if (a.sorted) at = t.first[digit] + n;
        }
        if (id[j] >= 0 || !a.sorted) t.to[at] = to;
        if (MOVES && ((unsigned)to & (unsigned)(a.vector - 1)))
            atomicAdd(t.odd, 1u);
    }
    __syncthreads();
    return a.sorted ? t.first[last] + t.many[last] : (unsigned)rest;
}

/* Returns the item that comes p-th in a tile, and below where its row of data
 * lies. Ids are in the order of rows, so that is some strides behind `from`,
 * the tile's first row; words say which row is theirs. */
NDGI_DEVICE ptrdiff_t ndgi_item_at(const ndgi_split_args &a,
        const ndgi_dealt &t, ptrdiff_t begin, unsigned p) {
    return begin + (a.sorted ? t.order[p] : p);
}

template <class R>
NDGI_DEVICE const ndgi_byte *ndgi_row_at(const ndgi_split_args &a,
        const ndgi_dealt &t, ptrdiff_t begin, const ndgi_byte *from,
        unsigned p) {
    const int at = a.sorted ? (int)t.order[p] : (int)p;
    if (R::IDS) return from + at * (ptrdiff_t)(int)a.plan.data_stride;
    return a.data + R::row(a, begin + at) * a.plan.data_stride;
}

/* What a pass writes for each tile of `all` items. Words of row and id, which
 * may change meanwhile: */
struct ndgi_to_words {
    enum { THREADS = 1024, MOVES = 0 };
    template <class R> static __device__ void write(const ndgi_split_args &a,
            const ndgi_dealt &t, ptrdiff_t begin, unsigned all, ptrdiff_t) {
        for (unsigned p = threadIdx.x; p < all; p += NDG_CUDA_BLOCK) {
            const ptrdiff_t item = ndgi_item_at(a, t, begin, p);
            const ptrdiff_t id = R::id(a, item);
            const ndgi_u64  row = id < 0 ? ~0ull : (ndgi_u64)R::row(a, item);
            if (t.to[p] < (ndgi_u64)a.rows)
                a.to[t.to[p]] = row << a.id_bits
                              | ((ndgi_u64)id & ((1ull << a.id_bits) - 1));
        }
    }
};

/* Rows of some V's, lane after lane, U at a time, with all loads before any
 * store. */
template <class V, int U> struct ndgi_to_vectors {
    enum { THREADS = sizeof(V) == 16 ? 1024 : 1280, MOVES = 1 };
    template <class R> static __device__ void write(const ndgi_split_args &a,
            const ndgi_dealt &t, ptrdiff_t begin, unsigned all, ptrdiff_t) {
        const unsigned n = (unsigned)a.plan.row.run_bytes / (unsigned)sizeof(V);
        const unsigned rows = NDG_CUDA_BLOCK / n, rest = NDG_CUDA_BLOCK % n;
        const ndgi_byte *const from = a.data + (a.first + begin)
                                             * a.plan.data_stride;
        unsigned       p = threadIdx.x / n, c = threadIdx.x % n;
        while (p < all) {
            V  v[U];
            V *to[U];
            for (int u = 0; u < U; u++) {
                to[u] = p < all ? (V *)(size_t)t.to[p] : 0;
                if (to[u]) {
                    v[u] = __ldg((const V *)ndgi_row_at<R>(a, t, begin, from,
                                                           p) + c);
                    to[u] += c;
                }
                p += rows;
                c += rest;
                if (c >= n) c -= n, p++;
            }
            for (int u = 0; u < U; u++)
                if (to[u]) __stcs(to[u], v[u]);
        }
    }
};

/* Rows of any kind, in `slice` of their runs: a lane finds one, and the warp
 * copies several together. */
struct ndgi_to_runs {
    enum { THREADS = 1024, MOVES = 1 };
    template <class R> static __device__ void write(const ndgi_split_args &a,
            const ndgi_dealt &t, ptrdiff_t begin, unsigned rows,
            ptrdiff_t slice) {
        const ndg_row_layout &p = a.plan.row;
        const ptrdiff_t count = a.runs.count, all = (ptrdiff_t)rows * count;
        const ptrdiff_t each = a.slices == 1 ? all : all / a.slices + 1;
        const ptrdiff_t last = ndgi_lesser(each * (slice + 1), all);
        const int       take = a.runs.take;
        ptrdiff_t       z = each * slice + (ptrdiff_t)(threadIdx.x / 32) * take;
        for (; z < last; z += NDGI_WARPS * take) {
            const ptrdiff_t at = z + NDGI_LANE;
            const ptrdiff_t item = count == 1 ? at : at / count;
            ndgi_run        run = {};
            if (NDGI_LANE < take && at < last && t.to[item]) {
                ndgi_offsets w = { R::row(a, ndgi_item_at(a, t, begin,
                                   (unsigned)item)) * a.plan.data_stride, 0,
                                   0 };
                ndgi_run_at(a.runs, p.level, p.levels, at - item * count, &w,
                            &run);
                run.from = a.data + w.source;
                run.to = (ndgi_byte *)(size_t)t.to[item] + w.out;
            }
            ndgi_take(a.runs, run, take);
        }
    }
};

/* Rows of one run, byte by byte, where the parts lie so that no vector fits. */
template <class R>
NDGI_DEVICE void ndgi_to_odd(const ndgi_split_args &a, const ndgi_dealt &t,
                             ptrdiff_t begin, unsigned all) {
    const unsigned n = (unsigned)a.plan.row.run_bytes;
    for (unsigned q = threadIdx.x; q < all * n; q += NDG_CUDA_BLOCK) {
        const unsigned p = q / n, c = q % n;
        if (t.to[p]) __stcs((ndgi_byte *)(size_t)t.to[p] + c, __ldg(a.data
            + R::row(a, ndgi_item_at(a, t, begin, p)) * a.plan.data_stride
            + c));
    }
}

/* Deals a block's items, or a slice of their runs, tile by tile. It reads each
 * item once for its rank and once to write it, and each row once. The table
 * says where the block's items of a digit begin, so no two blocks write to one
 * place unless ids change after the count; then they may, within one part.
 * Within a tile ranks differ, and barriers separate the steps that share
 * memory. */
template <class R, class W>
NDGI_KERNEL_OF(W::THREADS) ndgi_split_deal(NDGI_ARGS ndgi_split_args a) {
    NDGI_SHARED(unsigned short, counter, NDGI_COUNTERS);
    NDGI_SHARED(unsigned short, order, NDGI_TILE);
    NDGI_SHARED(unsigned, many, NDGI_DIGITS);
    NDGI_SHARED(unsigned, first, NDGI_DIGITS);
    NDGI_SHARED(unsigned, group, NDGI_DIGITS / 32 + 1);
    NDGI_SHARED(ndgi_u64, next, NDGI_DIGITS);
    NDGI_SHARED(ndgi_u64, room, NDGI_DIGITS);
    NDGI_SHARED(ndgi_u64, to, NDGI_TILE);
    NDGI_SHARED(unsigned, odd, 1);
    const ndgi_dealt t = { counter, order, many, first, group, next, room,
                           to, odd };
    const unsigned   slices = W::MOVES ? (unsigned)a.slices : 1;
    const ptrdiff_t  block = blockIdx.x / slices, slice = blockIdx.x % slices;
    ndgi_stretch     part = ndgi_part_of<R>(a, block);
    for (int d = (int)threadIdx.x; d < a.values; d += NDG_CUDA_BLOCK) {
        const ndgi_u64 *const row = a.table + d * (a.blocks + 1);
        next[d] = row[block] + (W::MOVES ? 0 : a.sums[d]);
        if (a.digits == 1 && a.cursors && blockIdx.x == 0)
            a.cursors[d] = row[a.blocks];
        if (!W::MOVES || a.shift) continue;
        room[d] = ndgi_room(a, d);
        if (a.plan.row.run_bytes)
            next[d] = (ndgi_u64)(size_t)ndgi_origin(a, d)
                    + row[block] * (ndgi_u64)a.plan.row.out_stride;
        room[d] -= ndgi_lesser(room[d], row[block]);
    }
    for (; part.begin < part.end; part.begin += NDGI_TILE) {
        const unsigned all = ndgi_rank_tile<R, W::MOVES>(a, t, part,
            slice == 0 && (a.positions || a.position));
        if (W::MOVES && *odd) ndgi_to_odd<R>(a, t, part.begin, all);
        else W::template write<R>(a, t, part.begin, all, slice);
        for (int d = (int)threadIdx.x; d < a.values; d += NDG_CUDA_BLOCK) {
            next[d] += many[d] * (W::MOVES && a.shift == 0
                                  ? (ndgi_u64)a.plan.row.out_stride : 1);
            if (W::MOVES && !a.shift)
                room[d] -= ndgi_lesser<ndgi_u64>(room[d], many[d]);
        }
    }
}

/* Describes how rows are dealt: in parts of some 128 KiB and of whole tiles of
 * short rows. If rows are few and long a block takes a slice of their bytes. */
NDGI_HOST ndgi_split_args ndgi_split_of(const ndg_partition_plan *plan,
        const void *ids, ptrdiff_t first, ptrdiff_t last, void *scratch) {
    ndgi_split_args a = ndgi_split_args();
    const ptrdiff_t rows = (ptrdiff_t)((size_t)last - (size_t)first);
    if (!plan || !plan->op) return a;
    const ndg_row_layout &p = plan->row;
    if (rows >> 56 || plan->num_partitions >> 56 || ndgi_too_many(rows, p))
        a.scratch = -1;
    if (a.scratch) return a;
    const ptrdiff_t tile = NDGI_TILE;
    const ptrdiff_t least = ndgi_lesser(ndgi_ratio_up(16384, p.bytes / 8 + 1),
                                        tile);
    const ptrdiff_t most = ndgi_lesser<ptrdiff_t>(NDG_CUDA_MAX_BLOCKS, 2048);
    a.plan = *plan;
    a.parts = plan->num_partitions;
    a.ids = (const ndgi_byte *)ids;
    a.first = first;
    a.rows = rows;      /* wrapped if first < 0: ndgi_split_fits refuses */
    if (a.rows <= 0) return a;
    a.part = ndgi_ratio_up(a.rows, most);
    a.part = ndgi_greater(a.part, least);
    if (a.part > tile) a.part = ndgi_ratio_up(a.part, tile) * tile;
    a.blocks = ndgi_ratio_up(a.rows, a.part);
    a.runs = ndgi_runs_of(1, p.level, p.levels, p.run_bytes, 0);
    a.runs.take = ndgi_runs_of(a.rows, p.level, p.levels, p.run_bytes, 0).take;
    a.slices = ndgi_lesser(p.bytes / 8192 * a.part, most / a.blocks);
    a.slices = ndgi_greater<ptrdiff_t>(a.slices, 1);
    for (a.id_bits = 1; (plan->num_partitions - 1) >> a.id_bits;) a.id_bits++;
    a.digits = (int)ndgi_ratio_up(a.id_bits, NDG_CUDA_DIGIT_BITS);
    a.bits = (int)ndgi_ratio_up(a.id_bits, a.digits);
    const int       shift = a.bits * (a.digits - 1);
    const ptrdiff_t tops = ((plan->num_partitions - 1) >> shift) + 1;
    /* as many blocks as these rows or fewer can make */
    const ptrdiff_t blocks = ndgi_lesser(most, ndgi_ratio_up(a.rows, least));
    const ptrdiff_t n[5] = { (blocks + 1) << a.bits, (1 << a.bits) + 1,
        tops + (tops << shift), a.digits > 2 ? 2 * a.rows : a.rows,
        plan->num_partitions };
    ndgi_u64 **const at[5] = { &a.table, &a.sums, &a.within, &a.words,
                               &a.cursors };
    for (int k = 0; k < (a.digits > 1 ? 5 : 1); a.scratch += 8 * n[k++])
        *at[k] = (ndgi_u64 *)((size_t)scratch + (size_t)a.scratch);
    return a;
}

NDG_API ptrdiff_t ndg_cuda_partition_scratch_bytes(
        const ndg_partition_plan *plan, ptrdiff_t rows) {
    const ndgi_split_args a = ndgi_split_of(plan, 0, 0, rows, 0);
    return a.plan.op ? a.scratch : -1;
}

/* Checks what every launcher refuses. If last < first, plan.op is 0. */
NDGI_HOST bool ndgi_split_fits(const ndgi_split_args &a) {
    return a.plan.op && a.first >= 0 && (a.ids || !a.rows)
        && a.first <= a.plan.rows - a.rows;
}

/* True if `bytes` bytes that are written lie apart from others that are not. */
NDGI_HOST bool ndgi_apart(const void *to, ptrdiff_t bytes, const void *from,
                          ptrdiff_t low, ptrdiff_t high) {
    const size_t a = (size_t)to, b = (size_t)from + (size_t)low;
    return !to || !from || bytes <= 0 || b >= a + (size_t)bytes
        || a >= (size_t)from + (size_t)high;
}

/* True if what is written in one piece lies apart from what is read. */
NDGI_HOST bool ndgi_split_apart(const ndgi_split_args &a, const void *to,
                                ptrdiff_t bytes) {
    const ndg_row_layout &p = a.plan.row;
    if (a.rows == 0 || a.plan.overlap == NDG_OVERLAP_DISJOINT) return true;
    const ptrdiff_t far = (a.rows - 1) * a.plan.data_stride;
    const ptrdiff_t ids = (a.rows - 1) * a.plan.index_stride;
    const ptrdiff_t word = ndgi_bytes_of(a.plan.index_type), none = 0;
    return ndgi_apart(to, bytes, p.run_bytes ? a.data : 0,
                      p.source_low + ndgi_lesser(far, none),
                      p.source_high + ndgi_greater(far, none))
        && ndgi_apart(to, bytes, a.ids, ndgi_lesser(ids, none),
                      ndgi_greater(ids, none) + word);
}

/* ... and from what the launches that move rows read. */
NDGI_HOST bool ndgi_split_moves(const ndgi_split_args &a, bool positions,
        const void *scratch, ptrdiff_t scratch_bytes) {
    const int type = a.plan.position_type, bits = 8 * ndgi_bytes_of(type)
                                         - (type < NDG_U8 || type == NDG_U64);
    if (!ndgi_split_fits(a) || scratch_bytes < a.scratch
        || (size_t)scratch % 8) return false;
    if (!a.rows) return true;
    if (!scratch || (!a.data && a.plan.row.run_bytes)) return false;
    if (positions && (uint64_t)(a.rows - 1) >> bits) return false;
    return !((uint64_t)(a.rows - 1) >> (64 - a.id_bits));
}

/* Launches the kernel for what a pass reads. */
NDGI_HOST bool ndgi_split_plain(const ndgi_split_args &a) {
    return a.plan.index_type == NDG_I32 && a.plan.index_stride == 4
        && (size_t)a.ids % 4 == 0 && !(a.parts >> 31);
}

NDGI_HOST cudaError_t ndgi_launch_count(cudaError_t e, const ndgi_split_args &a,
                                        bool ids, cudaStream_t s) {
    return ndgi_launch(e, a.from ? ndgi_split_count<ndgi_words>
        : ndgi_split_plain(a) ? ndgi_split_count<ndgi_plain_ids>
        : ndgi_split_count<ndgi_any_ids>, a.blocks, s, a, ids);
}

template <class R>
NDGI_HOST cudaError_t ndgi_launch_deal(cudaError_t e, const ndgi_split_args &a,
                                       cudaStream_t s) {
    if (a.to) return ndgi_launch(e, ndgi_split_deal<R, ndgi_to_words>, a.blocks,
                                 s, a);
    return ndgi_launch(e, a.vector == 16
            ? ndgi_split_deal<R, ndgi_to_vectors<uint4, 4> >
        : a.vector == 4 ? ndgi_split_deal<R, ndgi_to_vectors<unsigned, 4> >
        : ndgi_split_deal<R, ndgi_to_runs>, a.blocks * a.slices, s, a);
}

/* Counts, sums and deals, digit by digit. */
NDGI_HOST cudaError_t ndgi_split_launch(ndgi_split_args a, cudaStream_t s) {
    cudaError_t e = cudaSuccess;
    if (a.cursors)
        e = cudaMemsetAsync(a.cursors, 0, 8 * (size_t)a.parts, s);
    if (a.offsets && a.rows == 0)
        e = cudaMemsetAsync(a.offsets, 0, 8 * (size_t)(a.parts + 1), s);
    if (a.rows == 0) return e;
    if (a.digits > 1) {
        e = ndgi_launch_count(e, a, true, s);
        a.report = 0;
    }
    for (int k = 0; k < a.digits; k++, a.shift += a.bits) {
        const bool more = k + 1 < a.digits;
        a.values = more ? 1 << a.bits : (int)((a.parts - 1) >> a.shift) + 1;
        a.from = a.to;
        a.to = more ? a.words + k % 2 * a.rows : 0;
        /* rows of 48 to 128 bytes are faster as they come, on an H200 */
        a.sorted = more || a.plan.row.bytes < 48 || a.plan.row.bytes > 128;
        e = ndgi_launch_count(e, a, false, s);
        e = ndgi_launch(e, ndgi_scan, ndgi_ratio_up(a.values, NDGI_WARPS), s,
                        a.table, 1, a.blocks + 1, a.table, a.blocks,
                        a.values * a.blocks);
        if (more)
            e = ndgi_launch_scan(e, a.table + a.blocks, a.blocks + 1, a.sums,
                                 a.values, s);
        else if (k)
            e = ndgi_launch(e, ndgi_scan, ndgi_ratio_up(a.values, NDGI_WARPS),
                            s, a.cursors, 1, (ptrdiff_t)1 << a.shift, a.within,
                            (ptrdiff_t)1 << a.shift, a.parts);
        if (!more && a.offsets)
            e = ndgi_launch_scan(e, k ? a.cursors : a.table + a.blocks,
                                 k ? 1 : a.blocks + 1, a.offsets, a.parts, s);
        e = a.from ? ndgi_launch_deal<ndgi_words>(e, a, s)
          : ndgi_split_plain(a) ? ndgi_launch_deal<ndgi_plain_ids>(e, a, s)
          : ndgi_launch_deal<ndgi_any_ids>(e, a, s);
    }
    return e;
}

/* Returns the bytes of the vectors that copy rows of one run: 16, 4, or 1 where
 * ndgi_to_runs does better. Whether they fit where the parts lie the device
 * sees. */
NDGI_HOST int ndgi_split_vector(const ndgi_split_args &a) {
    const ndg_row_layout &p = a.plan.row;
    const size_t odd = (size_t)a.data | (size_t)a.plan.data_stride
                     | (size_t)p.run_bytes | (size_t)p.out_stride
                     | (size_t)a.out;
    const int    size = odd % 16 == 0 ? 16 : odd % 4 == 0 ? 4 : 1;
    return p.levels || p.run_bytes == 0 || p.run_bytes > 256 * size
        || (int)a.plan.data_stride != a.plan.data_stride ? 1 : size;
}

NDG_API cudaError_t ndg_cuda_partition_count(const ndg_partition_plan *plan,
        const void *partitions, ptrdiff_t first, ptrdiff_t last,
        const ptrdiff_t *limit, ptrdiff_t *counts, ndg_cuda_report *report,
        cudaStream_t stream) {
    ndgi_split_args a = ndgi_split_of(plan, partitions, first, last, 0);
    if (!counts || !ndgi_split_fits(a)) return cudaErrorInvalidValue;
    a.limit = limit;
    a.cursors = (ndgi_u64 *)counts;
    a.report = report;
    const cudaError_t e = cudaMemsetAsync(counts, 0, 8 * (size_t)a.parts,
                                          stream);
    return ndgi_launch_count(e, a, true, stream);
}

NDG_API cudaError_t ndg_cuda_partition_run(const ndg_partition_plan *plan,
        void *const *outs, void *const *positions, const void *data,
        const void *partitions, ptrdiff_t rows, const ptrdiff_t *limit,
        const ptrdiff_t *counts, ptrdiff_t *cursors, void *scratch,
        ptrdiff_t scratch_bytes, ndg_cuda_report *report, cudaStream_t stream) {
    ndgi_split_args a = ndgi_split_of(plan, partitions, 0, rows, scratch);
    a.outs = outs;
    a.positions = positions;
    a.data = (const ndgi_byte *)data;
    a.limit = limit;
    a.counts = counts;
    if (!counts || !cursors || counts == cursors
        || !ndgi_split_moves(a, positions != 0, scratch, scratch_bytes)
        || (rows && a.plan.row.run_bytes && !outs))
        return cudaErrorInvalidValue;
    a.cursors = (ndgi_u64 *)cursors;
    a.vector = ndgi_split_vector(a);
    if (a.plan.policy != NDG_ASSUME_VALID) a.report = report;
    return ndgi_split_launch(a, stream);
}

NDG_API cudaError_t ndg_cuda_partition_packed(const ndg_partition_plan *plan,
        void *out, ptrdiff_t out_bytes, void *positions, const void *data,
        const void *partitions, ptrdiff_t rows, const ptrdiff_t *limit,
        ptrdiff_t *offsets, void *scratch, ptrdiff_t scratch_bytes,
        ndg_cuda_report *report, cudaStream_t stream) {
    ndgi_split_args a = ndgi_split_of(plan, partitions, 0, rows, scratch);
    a.out = (ndgi_byte *)out;
    a.position = (ndgi_byte *)positions;
    a.data = (const ndgi_byte *)data;
    a.limit = limit;
    a.offsets = (ndgi_u64 *)offsets;
    const ptrdiff_t need = plan ? ndg_partition_out_bytes(plan, rows) : -1;
    const ptrdiff_t room = a.rows * ndgi_bytes_of(a.plan.position_type);
    if (!offsets || !ndgi_split_moves(a, positions != 0, scratch, scratch_bytes)
        || need < 0 || need > out_bytes
        || (rows && a.plan.row.run_bytes && !out)
        || !ndgi_split_apart(a, out, a.plan.row.run_bytes ? need : 0)
        || !ndgi_split_apart(a, positions, room)
        || !ndgi_apart(out, need, positions, 0, room))
        return cudaErrorInvalidValue;
    a.vector = ndgi_split_vector(a);
    if (a.plan.policy != NDG_ASSUME_VALID) a.report = report;
    return ndgi_split_launch(a, stream);
}

/* ---- reading reports -----------------------------------------------------*/
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
    ndgi_offsets    at = {};
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

NDG_API cudaError_t ndg_cuda_gather_report_read(const ndg_gather_plan *plan,
        const void *indices, const ndg_cuda_report *device, ndg_report *report,
        cudaStream_t stream) {
    ndg_cuda_report seen = {};
    if (!plan || !plan->op || !device || !report) return cudaErrorInvalidValue;
    const cudaError_t e = ndgi_pull(&seen, device, sizeof seen, stream);
    *report = ndg_report();
    if (e || !seen.count) return e;
    if (!indices || ~seen.first >= (ndgi_u64)plan->rows || seen.count >> 63)
        return cudaErrorInvalidValue;       /* not cleared, or another plan's */
    return ndgi_ask(*plan, indices, seen, report, stream);
}

NDG_API cudaError_t ndg_cuda_scatter_report_read(const ndg_scatter_plan *plan,
        const void *indices, const ndg_cuda_report *device, ndg_report *report,
        cudaStream_t stream) {
    return ndg_cuda_gather_report_read(plan ? &plan->by : 0, indices, device,
                                       report, stream);
}

/* Integers below an extent that lie `stride` apart, as the indices of a
 * gather. */
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

NDG_API cudaError_t ndg_cuda_partition_report_read(
        const ndg_partition_plan *plan, const void *partitions,
        const ndg_cuda_report *device, ndg_report *report,
        cudaStream_t stream) {
    if (!plan) return cudaErrorInvalidValue;
    ndg_gather_plan p = ndgi_line_of(plan, plan->num_partitions,
                                     plan->index_stride);
    p.rows = plan->rows;
    const cudaError_t e = ndg_cuda_gather_report_read(&p, partitions, device,
                                                      report, stream);
    if (!e && report->status) report->operand = NDG_ARG_PARTITIONS;
    return e;
}

NDG_API cudaError_t ndg_cuda_stitch_report_read(const ndg_stitch_plan *plan,
        ptrdiff_t total, const ndg_list *lists, ptrdiff_t n,
        const ndg_cuda_stitch_report *device, ndg_report *report,
        cudaStream_t stream) {
    ndg_cuda_stitch_report seen = ndg_cuda_stitch_report();
    ndg_list               s = {};
    ptrdiff_t              m = -1;
    if (!plan || !plan->op || !device || !report) return cudaErrorInvalidValue;
    cudaError_t e = ndgi_pull(&seen, device, sizeof seen, stream);
    *report = ndg_report();
    if (e) return e;
    if (seen.bad.count && !lists) return cudaErrorInvalidValue;
    if ((seen.bad.count | seen.holes.count | seen.duplicates.count) >> 63
        || (seen.holes.count && ~seen.holes.first >= (ndgi_u64)total))
        return cudaErrorInvalidValue;       /* not cleared, or another total */
    while (!e && seen.bad.count && ++m < n) {
        e = ndgi_pull(&s, lists + m, sizeof s, stream);
        const ndgi_u64 count = (ndgi_u64)ndgi_greater<ptrdiff_t>(s.count, 0);
        if (~seen.bad.first < count) break;
        seen.bad.first += count;                      /* ~first -= count */
    }
    if (!e && seen.bad.count && m >= n)
        return cudaErrorInvalidValue;       /* not cleared, or other lists */
    if (!s.index_stride) s.index_stride = ndgi_bytes_of(plan->index_type);
    if (!e && seen.bad.count)
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

#endif /* NDG_CUDA_IMPLEMENTATION */
