/* cuda_emul.h - runs CUDA kernels on the CPU.
 *
 *     c++ -x c++ -include tests/cuda/emul/cuda_emul.h kernels.cu
 *
 * Every thread of a kernel is a fiber on one OS thread. Barriers, warp
 * operations and atomics are real; the order in which threads, blocks and
 * streams run comes from a seed, so a failure replays. What the hardware leaves
 * undefined is refused, with the place: `emu->failed` counts the faults and
 * `emu->why` says the first.
 *
 *     emu_seed(7);                      // thread order, blocks alive at once
 *     cudaMalloc(&d, n) ... launch ... cudaStreamSynchronize(stream)
 *     if (emu->failed) puts(emu->why);
 *
 * - Work on a stream waits in its queue until something synchronises, so a
 *   result read too early is not there yet; emu->eager = 1 runs it at once.
 *   Streams take turns by the seed as far as events and the legacy stream let
 *   them. Capture records the queue, a graph launch replays it.
 * - cudaMalloc'd memory is out of the host's reach but for the time that
 *   kernels and copies run: touching it from the host ends the program with a
 *   line that says so. A kernel that touches what is not device memory is a
 *   fault: through __ldg, stores with a hint and atomics in every build, by
 *   plain accesses in the race checker's. (A program that never calls
 *   cudaMalloc may hand out any memory; emu_adopt names it as device memory.)
 * - NDGI_SHARED(type, name, count) declares shared memory: a block's own, of
 *   the exact size, filled with seeded garbage.
 * - With EMU_HALT in the environment the first fault ends the program.
 * - emu_guard(stream) ... emu_unguard(): between them, work on another stream,
 *   a synchronisation and an allocation are faults.
 *
 * Builds: plain, or with -fsanitize=address,undefined: this file alone. With
 * -fsanitize=thread the core must stay free of it: compile this file as a unit
 * of its own with -DEMU_TSAN and without -fsanitize=thread, and the rest with
 * -DEMU_EXTERN -fsanitize=thread. The race checker (cuda_race.h) likewise: both
 * with -DEMU_RACE, the rest with -DEMU_EXTERN -fsanitize=thread, linked without
 * it. tests/cuda/cuda.sh has the commands.
 *
 * Not here: extern __shared__, __device__ variables, textures, <<<>>>, more
 * than one device, a fence that orders memory between blocks. Kernels of two
 * streams run one after the other, in either order, never at once. */
#ifndef CUDA_EMUL_H
#define CUDA_EMUL_H
#define NDG_CUDA_RUNTIME_PROVIDED

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <new>
#include <type_traits>

#if defined(__SANITIZE_ADDRESS__)
#define EMU_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define EMU_HOOKED 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define EMU_HOOKED 1
#endif
#endif
#if defined(EMU_HOOKED) && !defined(EMU_EXTERN)
#error "compile the emulator's core without -fsanitize=thread: see above"
#endif
#if defined(EMU_HOOKED) && !defined(EMU_RACE) && !defined(EMU_TSAN)
#define EMU_TSAN 1
#endif

/* What the race checker must not take for the kernel's own accesses. */
#if defined(EMU_RACE)
#define EMU_NOSAN __attribute__((no_sanitize_thread))
#else
#define EMU_NOSAN
#endif

/* ---- language -------------------------------------------------------------*/
#define __host__
#define __device__
#define __global__
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __align__(n) alignas(n)
#define NDGI_SHARED(type, name, count) \
    type *const name = \
        (type *)emu_shared(EMU_HERE, sizeof(type) * (size_t)(count))

static const int warpSize = 32;

struct dim3 {
    unsigned x, y, z;
    EMU_NOSAN constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
        : x(a), y(b), z(c) {}
};

#define EMU_VECTOR2(V, T, align) \
    struct alignas(align) V { T x, y; }; \
    static inline V make_##V(T x, T y) { V v = { x, y }; return v; }
#define EMU_VECTOR3(V, T, align) \
    struct alignas(align) V { T x, y, z; }; \
    static inline V make_##V(T x, T y, T z) { V v = { x, y, z }; return v; }
#define EMU_VECTOR4(V, T, align) \
    struct alignas(align) V { T x, y, z, w; }; \
    static inline V make_##V(T x, T y, T z, T w) \
    { V v = { x, y, z, w }; return v; }
EMU_VECTOR2(char2, signed char, 2)
EMU_VECTOR4(char4, signed char, 4)
EMU_VECTOR2(uchar2, unsigned char, 2)
EMU_VECTOR4(uchar4, unsigned char, 4)
EMU_VECTOR2(short2, short, 4)
EMU_VECTOR4(short4, short, 8)
EMU_VECTOR2(ushort2, unsigned short, 4)
EMU_VECTOR4(ushort4, unsigned short, 8)
EMU_VECTOR2(int2, int, 8)
EMU_VECTOR3(int3, int, 4)
EMU_VECTOR4(int4, int, 16)
EMU_VECTOR2(uint2, unsigned, 8)
EMU_VECTOR3(uint3, unsigned, 4)
EMU_VECTOR4(uint4, unsigned, 16)
EMU_VECTOR2(longlong2, long long, 16)
EMU_VECTOR2(ulonglong2, unsigned long long, 16)
EMU_VECTOR2(float2, float, 8)
EMU_VECTOR4(float4, float, 16)
EMU_VECTOR2(double2, double, 16)

/* ---- the emulator itself --------------------------------------------------*/
enum { EMU_ASCENDING, EMU_DESCENDING, EMU_RANDOM, EMU_YIELDS };  /* order */
enum { EMU_READY, EMU_BARRIER, EMU_WARP, EMU_DONE };             /* state */
enum {                                                           /* op */
    EMU_NONE, EMU_SYNCWARP, EMU_SHFL, EMU_SHFL_UP, EMU_SHFL_DOWN,
    EMU_SHFL_XOR, EMU_BALLOT, EMU_MATCH, EMU_MATCH_ALL, EMU_ANY, EMU_ALL,
    EMU_SUM, EMU_MIN, EMU_MAX, EMU_AND, EMU_OR, EMU_XOR
};
enum { EMU_PLAIN_READ, EMU_PLAIN_WRITE, EMU_ATOMIC, EMU_NC_READ }; /* kind */

struct emu_place { const char *file; int line, id; };

struct emu_block;
struct emu_thread {
    void *sp;                   /* or its ucontext_t */
    char *stack;
    size_t stack_size;
    emu_block *block;
    uint3 tid;
    unsigned linear;            /* its number in the block */
    unsigned bit;               /* its place among those that can run */
    int state, op, width;
    unsigned mask;
    uint64_t value, arg, result;
    emu_place at;               /* where it waits */
    void *fake, *fiber;         /* what ASan and TSan keep for it */
};
struct emu_shared_piece { emu_place at; char *p; size_t n; };
struct emu_block {
    uint3 idx;
    unsigned linear, threads, arrived, live;
    uint32_t epoch;             /* barriers passed */
    emu_thread **t;
    unsigned waits[32], gone[32];   /* per warp: lanes in an operation, left */
    uint32_t *warp_clock;       /* per warp: its meetings so far, and 1 */
    uint32_t *known;            /* [warp][i][j]: when lane i last met lane j */
    emu_shared_piece *shared;
    unsigned pieces;
    size_t shared_bytes;
    char *sync;                 /* what TSan's order hangs on */
};
struct emu_stream;

struct emu_world {
    /* for the test to set */
    uint64_t rng = 88172645463325252u;
    int order = EMU_ASCENDING;
    unsigned window = 1;        /* blocks alive together */
    int eager = 0;              /* run queued work at once */
    int quiet = 0;              /* faults are counted, not printed */
    int strict = 0;             /* kernels touch device memory only; set by the
                                   first cudaMalloc */
    int multiprocessors = 3, blocks_per_multiprocessor = 2;
    /* for the test to read */
    int failed = 0;
    char why[400] = "";
    uint64_t launches = 0, switches = 0, syncs = 0;
    size_t device_bytes = 0;    /* allocated and not freed */
    /* what runs */
    emu_thread *cur = 0;
    dim3 grid, block;
    uint32_t launch = 0;
    int inside = 0;             /* the core is at work, not the kernel */
};
extern emu_world *const emu;

void emu_seed(uint64_t seed);           /* sets rng, order and window */
void emu_forgive(void);                 /* failed = 0, why = "" */
uint64_t emu_random(void);
void emu_fail(emu_place at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void emu_syncthreads(emu_place at);
int emu_vote_block(int op, int value, emu_place at);
uint64_t emu_warp(int op, unsigned mask, uint64_t value, uint64_t arg,
                  int width, emu_place at);
void emu_yield(void);
void *emu_shared(emu_place at, size_t bytes);
bool emu_access(const void *p, size_t n, int kind, emu_place at,
                const void *pc);        /* may it be done? */
void emu_adopt(void *p, size_t n);      /* this is device memory, unwritten */
void emu_forget(void *p);
void emu_written(const void *p, size_t n);
void emu_guard(emu_stream *stream);
void emu_unguard(void);

static inline emu_place emu_here(const char *file, int line, int id)
{ emu_place at = { file, line, id }; return at; }
#define EMU_HERE emu_here(__FILE__, __LINE__, __COUNTER__)

/* By value: a reference would make the kernel read the emulator's memory. */
EMU_NOSAN static inline uint3 emu_tid(void) { return emu->cur->tid; }
EMU_NOSAN static inline uint3 emu_bid(void) { return emu->cur->block->idx; }
EMU_NOSAN static inline dim3 emu_block_dim(void) { return emu->block; }
EMU_NOSAN static inline dim3 emu_grid_dim(void) { return emu->grid; }
#define threadIdx (emu_tid())
#define blockIdx (emu_bid())
#define blockDim (emu_block_dim())
#define gridDim (emu_grid_dim())

/* ---- what a kernel calls --------------------------------------------------*/
/* Counts an access; one that is refused is not made. The hardware faults on a
 * misaligned address, this processor would not always. */
template <class T>
EMU_NOSAN static inline bool emu_touch(const T *p, int kind, emu_place at)
{
    if ((size_t)p % sizeof(T) == 0)
        return emu_access(p, sizeof(T), kind, at, 0);
    emu_fail(at, "a misaligned address, %p for %u bytes", (const void *)p,
             (unsigned)sizeof(T));
    return false;
}

/* Relaxed under TSan, so that an atomic makes no order. */
#if defined(EMU_TSAN)
#define EMU_RMW(T, p, now) \
    if (!emu_touch(p, EMU_ATOMIC, at)) return 0; \
    emu_yield(); \
    T o = __atomic_load_n(p, __ATOMIC_RELAXED); \
    while (!__atomic_compare_exchange_n( \
        p, &o, (T)(now), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} \
    return o;
#else
#define EMU_RMW(T, p, now) \
    if (!emu_touch(p, EMU_ATOMIC, at)) return 0; \
    emu_yield(); \
    const T o = *p; \
    *p = (T)(now); \
    return o;
#endif

/* The operations with the place they stand at; macros below give the names. */
struct emu_do {
    emu_place at;
    EMU_NOSAN emu_do(const char *file, int line, int id)
    { at.file = file; at.line = line; at.id = id; }

    void syncwarp(unsigned mask = 0xffffffffu) const
    { (void)emu_warp(EMU_SYNCWARP, mask, 0, 0, 32, at); }
    unsigned ballot(unsigned mask, int v) const
    { return (unsigned)emu_warp(EMU_BALLOT, mask, v != 0, 0, 32, at); }
    int any(unsigned mask, int v) const
    { return (int)emu_warp(EMU_ANY, mask, v != 0, 0, 32, at); }
    int all(unsigned mask, int v) const
    { return (int)emu_warp(EMU_ALL, mask, v != 0, 0, 32, at); }

    template <class T> EMU_NOSAN static uint64_t bits(T v)
    {
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
        uint64_t u = 0;
        __builtin_memcpy(&u, &v, sizeof v);
        return u;
    }
    template <class T> EMU_NOSAN T lane(int op, unsigned mask, T v,
                                        unsigned arg, int width) const
    {
        const uint64_t u = emu_warp(op, mask, bits(v), arg, width, at);
        __builtin_memcpy(&v, &u, sizeof v);
        return v;
    }
    template <class T> unsigned match_any(unsigned mask, T v) const
    { return (unsigned)emu_warp(EMU_MATCH, mask, bits(v), 0, 32, at); }
    template <class T> unsigned match_all(unsigned mask, T v, int *same) const
    {
        const unsigned m =
            (unsigned)emu_warp(EMU_MATCH_ALL, mask, bits(v), 0, 32, at);
        *same = m != 0;
        return m;
    }
    /* A lane is int or unsigned in kernels: both without a warning. */
    template <class T, class L>
    T shfl(unsigned mask, T v, L from, int width = 32) const
    { return lane(EMU_SHFL, mask, v, (unsigned)from, width); }
    template <class T, class L>
    T shfl_up(unsigned mask, T v, L by, int width = 32) const
    { return lane(EMU_SHFL_UP, mask, v, (unsigned)by, width); }
    template <class T, class L>
    T shfl_down(unsigned mask, T v, L by, int width = 32) const
    { return lane(EMU_SHFL_DOWN, mask, v, (unsigned)by, width); }
    template <class T, class L>
    T shfl_xor(unsigned mask, T v, L with, int width = 32) const
    { return lane(EMU_SHFL_XOR, mask, v, (unsigned)with, width); }

#define EMU_REDUCE(name, op, T) \
    T name(unsigned mask, T v) const \
    { return (T)emu_warp(op, mask, (uint64_t)(int64_t)v, 0, 32, at); }
    EMU_REDUCE(reduce_add, EMU_SUM, int)
    EMU_REDUCE(reduce_add, EMU_SUM, unsigned)
    EMU_REDUCE(reduce_min, EMU_MIN, int)
    EMU_REDUCE(reduce_min, EMU_MIN, unsigned)
    EMU_REDUCE(reduce_max, EMU_MAX, int)
    EMU_REDUCE(reduce_max, EMU_MAX, unsigned)
    EMU_REDUCE(reduce_and, EMU_AND, unsigned)
    EMU_REDUCE(reduce_or, EMU_OR, unsigned)
    EMU_REDUCE(reduce_xor, EMU_XOR, unsigned)

    template <class T> EMU_NOSAN T read(const T *p) const
    { return emu_touch(p, EMU_PLAIN_READ, at) ? *p : T(); }
    template <class T> EMU_NOSAN T read_nc(const T *p) const
    {
        if (!emu_touch(p, EMU_NC_READ, at)) return T();
        emu_yield();
        return *p;
    }
    template <class T> EMU_NOSAN void write(T *p, T v) const
    { if (emu_touch(p, EMU_PLAIN_WRITE, at)) *p = v; }

#define EMU_ATOMIC_OF(T) \
    EMU_NOSAN T add(T *p, T v) const { EMU_RMW(T, p, o + v) } \
    EMU_NOSAN T max(T *p, T v) const { EMU_RMW(T, p, o > v ? o : v) } \
    EMU_NOSAN T min(T *p, T v) const { EMU_RMW(T, p, o < v ? o : v) } \
    EMU_NOSAN T exch(T *p, T v) const { EMU_RMW(T, p, v) } \
    EMU_NOSAN T and_(T *p, T v) const { EMU_RMW(T, p, o & v) } \
    EMU_NOSAN T or_(T *p, T v) const { EMU_RMW(T, p, o | v) } \
    EMU_NOSAN T xor_(T *p, T v) const { EMU_RMW(T, p, o ^ v) } \
    EMU_NOSAN T cas(T *p, T c, T v) const { EMU_RMW(T, p, o == c ? v : o) }
    EMU_ATOMIC_OF(int)
    EMU_ATOMIC_OF(unsigned)
    EMU_ATOMIC_OF(long long)
    EMU_ATOMIC_OF(unsigned long long)
    EMU_NOSAN int sub(int *p, int v) const { EMU_RMW(int, p, o - v) }
    EMU_NOSAN unsigned sub(unsigned *p, unsigned v) const
    { EMU_RMW(unsigned, p, o - v) }
    EMU_NOSAN unsigned inc(unsigned *p, unsigned v) const
    { EMU_RMW(unsigned, p, o >= v ? 0 : o + 1) }
};
#define EMU_DO emu_do(__FILE__, __LINE__, __COUNTER__)
#define __syncthreads() emu_syncthreads(EMU_HERE)
#define __syncthreads_count(v) emu_vote_block(EMU_SUM, (v) != 0, EMU_HERE)
#define __syncthreads_and(v) emu_vote_block(EMU_AND, (v) != 0, EMU_HERE)
#define __syncthreads_or(v) emu_vote_block(EMU_OR, (v) != 0, EMU_HERE)
#define __syncwarp EMU_DO.syncwarp
#define __ballot_sync EMU_DO.ballot
#define __any_sync EMU_DO.any
#define __all_sync EMU_DO.all
#define __match_any_sync EMU_DO.match_any
#define __match_all_sync EMU_DO.match_all
#define __shfl_sync EMU_DO.shfl
#define __shfl_up_sync EMU_DO.shfl_up
#define __shfl_down_sync EMU_DO.shfl_down
#define __shfl_xor_sync EMU_DO.shfl_xor
#define __reduce_add_sync EMU_DO.reduce_add
#define __reduce_min_sync EMU_DO.reduce_min
#define __reduce_max_sync EMU_DO.reduce_max
#define __reduce_and_sync EMU_DO.reduce_and
#define __reduce_or_sync EMU_DO.reduce_or
#define __reduce_xor_sync EMU_DO.reduce_xor
#define __ldg EMU_DO.read_nc
#define __ldca EMU_DO.read
#define __ldcg EMU_DO.read
#define __ldcs EMU_DO.read
#define __ldlu EMU_DO.read
#define __ldcv EMU_DO.read
#define __stcg EMU_DO.write
#define __stcs EMU_DO.write
#define __stwb EMU_DO.write
#define __stwt EMU_DO.write
#define atomicAdd EMU_DO.add
#define atomicSub EMU_DO.sub
#define atomicMax EMU_DO.max
#define atomicMin EMU_DO.min
#define atomicExch EMU_DO.exch
#define atomicCAS EMU_DO.cas
#define atomicAnd EMU_DO.and_
#define atomicOr EMU_DO.or_
#define atomicXor EMU_DO.xor_
#define atomicInc EMU_DO.inc
#define __trap() emu_fail(EMU_HERE, "__trap")

/* No more than a chance for others to run: there is one memory here, and what
 * a fence would order the race checker does not follow. */
static inline void __threadfence(void) { emu_yield(); }
static inline void __threadfence_block(void) { emu_yield(); }
static inline void __threadfence_system(void) { emu_yield(); }
static inline void __nanosleep(unsigned) { emu_yield(); }

/* Which other lanes are on the way together is the hardware's secret. */
EMU_NOSAN static inline unsigned __activemask(void)
{ return 1u << (emu->cur->linear & 31u); }

static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v)
{ return __builtin_popcountll(v); }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static inline int __clzll(long long v)
{ return v ? __builtin_clzll((unsigned long long)v) : 64; }
static inline unsigned __brev(unsigned v)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (v >> i & 1u) << (31 - i);
    return r;
}
/* The upper (l) and lower (r) word of hi:lo shifted by n & 31, or by
 * min(n, 32) where the name ends in c. */
static inline unsigned emu_funnel(unsigned lo, unsigned hi, unsigned n)
{ return (unsigned)(((uint64_t)hi << 32 | lo) >> n); }
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n)
{ return emu_funnel(lo, hi, n & 31u); }
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n)
{ return emu_funnel(lo, hi, n < 32u ? n : 32u); }
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n)
{ return emu_funnel(lo, hi, 32u - (n & 31u)); }
static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n)
{ return emu_funnel(lo, hi, 32u - (n < 32u ? n : 32u)); }
static inline unsigned __umulhi(unsigned a, unsigned b)
{ return (unsigned)((uint64_t)a * b >> 32); }
static inline int __mulhi(int a, int b)
{ return (int)((int64_t)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a,
                                            unsigned long long b)
{
    const uint64_t al = a & 0xffffffffu, ah = a >> 32;
    const uint64_t bl = b & 0xffffffffu, bh = b >> 32;
    const uint64_t mid = ah * bl + (al * bl >> 32);
    const uint64_t low = al * bh + (mid & 0xffffffffu);
    return ah * bh + (mid >> 32) + (low >> 32);
}
/* Byte i of the result: the byte of y:x that nibble i of s names; its top bit
 * asks for eight copies of that byte's sign. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    const uint64_t from = (uint64_t)y << 32 | x;
    unsigned r = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned pick = s >> (4 * i) & 15u;
        unsigned b = (unsigned)(from >> (8 * (pick & 7u))) & 255u;
        if (pick & 8u) b = b & 128u ? 255u : 0u;
        r |= b << (8 * i);
    }
    return r;
}

/* ---- what a host calls ----------------------------------------------------*/
enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9, cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidDeviceFunction = 98, cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400, cudaErrorIllegalState = 401,
    cudaErrorNotReady = 600,
    cudaErrorLaunchFailure = 719, cudaErrorNotSupported = 801,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorStreamCaptureUnmatched = 903,
    cudaErrorStreamCaptureIsolation = 905,
    cudaErrorStreamCaptureImplicit = 906, cudaErrorCapturedEvent = 907,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxGridDimX = 5, cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10, cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38, cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int warpSize, maxThreadsPerBlock, multiProcessorCount, major, minor;
};
typedef struct emu_stream *cudaStream_t;
typedef struct emu_event *cudaEvent_t;
typedef struct emu_graph *cudaGraph_t;
typedef struct emu_graph_exec *cudaGraphExec_t;
typedef struct emu_graph_node *cudaGraphNode_t;
#define cudaStreamDefault 0u
#define cudaStreamNonBlocking 1u
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
#define cudaEventDefault 0u
#define cudaEventBlockingSync 1u
#define cudaEventDisableTiming 2u
#define cudaHostAllocDefault 0u
#define cudaMemAttachGlobal 1u
#define CUDART_CB

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t e);
const char *cudaGetErrorString(cudaError_t e);

cudaError_t cudaMalloc(void **p, size_t n);
cudaError_t cudaFree(void *p);
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream);
cudaError_t cudaMallocHost(void **p, size_t n, unsigned flags = 0);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags = 1);
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n)
{ return cudaMalloc((void **)p, n); }
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t n,
                                                             cudaStream_t s)
{ return cudaMallocAsync((void **)p, n, s); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n,
                                                            unsigned f = 0)
{ return cudaMallocHost((void **)p, n, f); }
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t n,
                                                               unsigned f = 1)
{ return cudaMallocManaged((void **)p, n, f); }
#define cudaHostAlloc cudaMallocHost

cudaError_t cudaMemcpy(void *to, const void *from, size_t n,
                       cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n,
                            cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemset(void *p, int v, size_t n);
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t stream = 0);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*f)(void *),
                               void *arg);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus *status);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *n);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 cudaGraphNode_t *bad, char *log, size_t n);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaDriverGetVersion(int *v);
cudaError_t cudaRuntimeGetVersion(int *v);
template <class K>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, K, int threads, size_t shared)
{
    (void)threads; (void)shared;
    *blocks = emu->blocks_per_multiprocessor;
    return cudaSuccess;
}

/* A kernel and copies of its arguments, made at the launch. */
cudaError_t emu_queue_kernel(dim3 grid, dim3 block, void (*body)(void *),
                             void *call, size_t shared, cudaStream_t stream);
/* Runs a kernel now, as the queue will. */
cudaError_t emu_run(dim3 grid, dim3 block, void (*body)(void *), void *arg);

template <class... P> struct emu_args {
    EMU_NOSAN explicit emu_args(void **) {}
    template <class K, class... D>
    EMU_NOSAN void go(K kernel, const D &...done) const { kernel(done...); }
};
template <class H, class... T> struct emu_args<H, T...> {
    static_assert(std::is_trivially_copyable<H>::value,
                  "a kernel's parameters are copied byte by byte");
    H head;
    emu_args<T...> tail;
    EMU_NOSAN explicit emu_args(void **argv)
        : head(*(H *)argv[0]), tail(argv + 1) {}
    template <class K, class... D>
    EMU_NOSAN void go(K kernel, const D &...done) const
    { tail.go(kernel, done..., head); }
};
template <class... P> struct emu_call {
    void (*kernel)(P...);
    emu_args<P...> args;
    EMU_NOSAN emu_call(void (*k)(P...), void **argv) : kernel(k), args(argv) {}
    EMU_NOSAN static void body(void *self)
    {
        const emu_call *const c = (const emu_call *)self;
        c->args.go(c->kernel);
    }
};
template <class... P>
EMU_NOSAN static inline cudaError_t cudaLaunchKernel(
    void (*kernel)(P...), dim3 grid, dim3 block, void **argv,
    size_t shared = 0, cudaStream_t stream = 0)
{
    typedef emu_call<P...> call;
    static_assert(sizeof(call) <= 4096 + 64, "over 4096 bytes of arguments");
    void *const at = malloc(sizeof(call));
    if (!kernel || !at) { free(at); return cudaErrorInvalidDeviceFunction; }
    return emu_queue_kernel(grid, block, call::body,
                            new (at) call(kernel, argv), shared, stream);
}

#ifndef EMU_EXTERN
/* ==== the core ============================================================ */
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

/* Six saved registers and a jump: five times as fast as ucontext. */
#if !defined(EMU_UCONTEXT) && !(defined(__x86_64__) && defined(__ELF__) && \
                                defined(__LP64__))
#define EMU_UCONTEXT 1
#endif
#if defined(EMU_UCONTEXT)
#include <ucontext.h>
#endif
#if defined(EMU_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

static emu_world emu_the_world;
emu_world *const emu = &emu_the_world;

static const emu_place emu_nowhere = { 0, 0, 0 };

/* TSan: the launch's start and its end need an object each. With one, a block
 * that ends would order itself before the next one, and races would vanish. */
#if defined(EMU_TSAN)
extern "C" {
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void *__tsan_get_current_fiber(void);
void __tsan_acquire(void *p);
void __tsan_release(void *p);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
}
/* It would sleep for a second at the end, for threads that may still run. */
extern "C" const char *__tsan_default_options(void);
extern "C" const char *__tsan_default_options(void)
{ return "atexit_sleep_ms=0"; }
static char emu_start_object, emu_end_object;
static void emu_acquire(void *p) { __tsan_acquire(p); }
static void emu_release(void *p) { __tsan_release(p); }
static void emu_look_away(void)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}
static void emu_look_back(void)
{
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
/* Does it as if the fiber had done it. */
static void emu_as(emu_thread *t, void (*f)(void *), void *p)
{
    void *const self = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(t->fiber, 1);
    f(p);
    __tsan_switch_to_fiber(self, 1);
}
#else
static void emu_look_away(void) {}
static void emu_look_back(void) {}
#endif

/* ---- chance and faults ----------------------------------------------------*/
void emu_seed(uint64_t seed)
{
    emu->order = (int)(seed & 3u);
    emu->window = 1 + (unsigned)(seed >> 2) % 3u;
    seed = (seed + 1) * 0x9e3779b97f4a7c15u;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    emu->rng = (seed ^ seed >> 27) | 1;
}

uint64_t emu_random(void)
{
    emu->rng ^= emu->rng << 13;
    emu->rng ^= emu->rng >> 7;
    emu->rng ^= emu->rng << 17;
    return emu->rng >> 16;
}

void emu_forgive(void) { emu->failed = 0; emu->why[0] = 0; }

void emu_fail(emu_place at, const char *format, ...)
{
    const int was = emu->inside;
    char *const why = emu->why;
    const size_t size = sizeof emu->why;
    size_t n;
    va_list args;
    emu->inside = 1;
    if (emu->failed++ == 0) {
        va_start(args, format);
        vsnprintf(why, size, format, args);
        va_end(args);
        n = strlen(why);
        if (at.file)
            snprintf(why + n, size - n, " at %s:%d", at.file, at.line);
        n = strlen(why);
        if (emu->cur)
            snprintf(why + n, size - n, " (block %u, thread %u)",
                     emu->cur->block->linear, emu->cur->linear);
        if (!emu->quiet) fprintf(stderr, "emulator: %s\n", why);
        if (getenv("EMU_HALT")) _exit(1);
    }
    emu->inside = was;
}

/* ---- memory ---------------------------------------------------------------*/
struct emu_cell;                        /* what the race checker keeps */
enum { EMU_DEVICE, EMU_MAPPED, EMU_OF_BLOCK };
struct emu_region {
    char *p;
    size_t n;
    int kind;
    emu_block *owner;
    emu_cell *cells;
};
static emu_region *emu_regions;         /* by address */
static size_t emu_nregions, emu_region_room;
static emu_region *emu_last_region;

#if defined(EMU_RACE)
static void emu_race_new(emu_region *r);
static void emu_race_gone(emu_region *r);
static void emu_race_written(emu_region *r, size_t first, size_t n);
static void emu_race(emu_region *r, size_t first, size_t n, int kind,
                     emu_place at, const void *pc);
static const char *emu_source_line(const void *pc);
#else
static void emu_race_new(emu_region *) {}
static void emu_race_gone(emu_region *) {}
static void emu_race_written(emu_region *, size_t, size_t) {}
static void emu_race(emu_region *, size_t, size_t, int, emu_place,
                     const void *) {}
static const char *emu_source_line(const void *) { return ""; }
#endif

/* How many regions start at or before p. */
static size_t emu_before(const void *p)
{
    size_t lo = 0, hi = emu_nregions;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if ((const char *)p < emu_regions[mid].p) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

/* The region that holds p, or NULL. */
static emu_region *emu_find(const void *q)
{
    const char *const p = (const char *)q;
    emu_region *r = emu_last_region;
    size_t at;
    if (r && p >= r->p && p < r->p + r->n) return r;
    at = emu_before(p);
    if (at == 0) return 0;
    r = &emu_regions[at - 1];
    if (p >= r->p + r->n) return 0;
    return emu_last_region = r;
}

static void emu_insert(void *p, size_t n, int kind, emu_block *owner)
{
    const emu_region r = { (char *)p, n, kind, owner, 0 };
    const size_t at = emu_before(p);
    if (emu_nregions == emu_region_room) {
        emu_region_room = 2 * emu_region_room + 64;
        emu_regions = (emu_region *)realloc(
            emu_regions, emu_region_room * sizeof *emu_regions);
        if (!emu_regions) abort();
    }
    for (size_t i = emu_nregions++; i > at; i--)
        emu_regions[i] = emu_regions[i - 1];
    emu_regions[at] = r;
    emu_last_region = 0;
    emu_race_new(&emu_regions[at]);
}

/* The region that starts at p, or NULL. */
static emu_region *emu_exactly(const void *p)
{
    const size_t at = emu_before(p);
    return at && emu_regions[at - 1].p == (const char *)p
        ? &emu_regions[at - 1] : 0;
}

static void emu_remove(emu_region *r)
{
    emu_race_gone(r);
    emu_nregions--;
    for (emu_region *q = r; q < emu_regions + emu_nregions; q++) q[0] = q[1];
    emu_last_region = 0;
}

void emu_adopt(void *p, size_t n) { emu_insert(p, n, EMU_MAPPED, 0); }

void emu_forget(void *p)
{
    emu_region *const r = emu_exactly(p);
    if (r) emu_remove(r);
}

void emu_written(const void *p, size_t n)
{
    emu_region *const r = n ? emu_find(p) : 0;
    if (r) emu_race_written(r, (size_t)((const char *)p - r->p), n);
}

static int emu_on_stack(const emu_thread *t, const char *p)
{ return p >= t->stack && p < t->stack + t->stack_size; }

static void emu_refuse_access(const char *p, size_t n, emu_place at,
                              const void *pc)
{
    const size_t before = emu_before(p);
    const emu_region *const r = before ? &emu_regions[before - 1] : 0;
    const size_t past = r ? (size_t)(p - r->p) : 0;
    if (r && past < r->n + 4096)
        emu_fail(at, "%u bytes at offset %lu of an allocation of %lu%s",
                 (unsigned)n, (unsigned long)past, (unsigned long)r->n,
                 emu_source_line(pc));
    else
        emu_fail(at, "a kernel touches %p, which is not device memory%s",
                 (const void *)p, emu_source_line(pc));
}

/* A kernel's access. Plain ones are seen under the race checker only. */
bool emu_access(const void *q, size_t n, int kind, emu_place at,
                const void *pc)
{
    const char *const p = (const char *)q;
    bool fine = true;
    emu_region *r;
    if (!emu->cur || emu->inside || emu_on_stack(emu->cur, p)) return true;
    emu->inside = 1;
    r = emu_find(p);
    if (!r ? emu->strict : n > (size_t)(r->p + r->n - p)) {
        emu_refuse_access(p, n, at, pc);
        fine = false;
    } else if (r) {
        if (r->kind == EMU_OF_BLOCK && r->owner != emu->cur->block)
            emu_fail(at, "shared memory of another block%s",
                     emu_source_line(pc));
        if (r->kind == EMU_OF_BLOCK && kind == EMU_NC_READ)
            emu_fail(at, "__ldg of shared memory%s", emu_source_line(pc));
        emu_race(r, (size_t)(p - r->p), n, kind, at, pc);
    }
    emu->inside = 0;
    return fine;
}

/* Device memory comes from one stretch of addresses, which nobody may touch
 * but while kernels and copies run. */
static const size_t emu_arena_size = sizeof(void *) == 8 ? (size_t)1 << 32
                                                         : (size_t)1 << 28;
static char *emu_arena;
static size_t emu_arena_high;           /* as far as pages are in use */
static unsigned emu_opens;
static const size_t EMU_GAP = 256, EMU_PAGE = 65536, EMU_STACK = 131072;
enum { EMU_GAP_BYTE = 0xc9 };

static void emu_permit(int prot)
{
    if (emu_arena_high && mprotect(emu_arena, emu_arena_high, prot) != 0)
        abort();
}
static void emu_open(void)
{ if (emu_opens++ == 0) emu_permit(PROT_READ | PROT_WRITE); }
static void emu_close(void) { if (--emu_opens == 0) emu_permit(PROT_NONE); }

#if !defined(EMU_ASAN) && !defined(EMU_TSAN)
/* Says what it was, then lets the program die of it. */
static void emu_on_fault(int sig, siginfo_t *info, void *)
{
    const char *const p = (const char *)info->si_addr;
    const char *what = 0;
    if (emu_arena && p >= emu_arena && p < emu_arena + emu_arena_size)
        what = emu_opens ? "an access outside the device memory in use"
                         : "the host touches device memory";
    else if (emu->cur && p < emu->cur->stack && p + 65536 > emu->cur->stack)
        what = "a kernel overflows its stack";
    if (what) {
        (void)!write(2, "emulator: ", 10);
        (void)!write(2, what, strlen(what));
        (void)!write(2, "\n", 1);
    }
    signal(sig, SIG_DFL);
}
static void emu_watch_faults(void)
{
    static char stack[65536];
    struct sigaction act;
    stack_t alt;
    memset(&alt, 0, sizeof alt);
    memset(&act, 0, sizeof act);
    alt.ss_sp = stack;
    alt.ss_size = sizeof stack;
    act.sa_sigaction = emu_on_fault;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (sigaltstack(&alt, 0) == 0) {
        sigaction(SIGSEGV, &act, 0);
        sigaction(SIGBUS, &act, 0);
    }
}
#else
static void emu_watch_faults(void) {}
#endif

static void emu_reserve(void)
{
    void *const p = mmap(0, emu_arena_size, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) abort();
    emu_arena = (char *)p;
    emu_watch_faults();
}

static size_t emu_slot(size_t n)
{ return (n + 2 * EMU_GAP - 1) / EMU_GAP * EMU_GAP; }

/* The first stretch with room for n bytes and a gap, or NULL. */
static char *emu_place_for(size_t n)
{
    char *at = emu_arena;
    for (size_t i = 0; i < emu_nregions; i++) {
        const emu_region *const r = &emu_regions[i];
        if (r->kind != EMU_DEVICE) continue;
        if ((size_t)(r->p - at) >= emu_slot(n)) break;
        at = r->p + emu_slot(r->n);
    }
    return emu_slot(n) <= (size_t)(emu_arena + emu_arena_size - at) ? at : 0;
}

static void *emu_alloc(size_t n)
{
    char *p;
    size_t end;
    if (!emu_arena) emu_reserve();
    if (n > emu_arena_size / 2 || !(p = emu_place_for(n))) return 0;
    end = (size_t)(p - emu_arena) + emu_slot(n);
    emu_open();
    if (end > emu_arena_high) {
        emu_arena_high = (end + EMU_PAGE - 1) / EMU_PAGE * EMU_PAGE;
        emu_permit(PROT_READ | PROT_WRITE);
    }
#if defined(EMU_ASAN)
    __asan_unpoison_memory_region(p, n);
#else
    memset(p + n, EMU_GAP_BYTE, emu_slot(n) - n);
#endif
    memset(p, (int)(0xa5 ^ (emu_random() & 0x7f)), n);
#if defined(EMU_ASAN)
    __asan_poison_memory_region(p + n, emu_slot(n) - n);
#endif
    emu_close();
    emu_insert(p, n, EMU_DEVICE, 0);
    emu->strict = 1;
    emu->device_bytes += n;
    return p;
}

/* In a plain build the bytes after an allocation tell an overrun. */
static void emu_check_gap(const emu_region *r)
{
#if !defined(EMU_ASAN)
    for (size_t i = r->n; i < emu_slot(r->n); i++)
        if ((unsigned char)r->p[i] != EMU_GAP_BYTE) {
            emu_fail(emu_nowhere, "byte %lu of an allocation of %lu was "
                     "written", (unsigned long)i, (unsigned long)r->n);
            return;
        }
#else
    (void)r;
#endif
}

/* Opening and closing takes time by the page: after much memory, back to
 * little. */
static void emu_shrink(void)
{
    size_t top = 0;
    for (size_t i = 0; i < emu_nregions; i++)
        if (emu_regions[i].kind == EMU_DEVICE)
            top = (size_t)(emu_regions[i].p - emu_arena) +
                emu_slot(emu_regions[i].n);
    top = (top + EMU_PAGE - 1) / EMU_PAGE * EMU_PAGE;
    if (emu_arena_high <= 2 * top + 4 * EMU_PAGE) return;
    if (mprotect(emu_arena + top, emu_arena_high - top, PROT_NONE) != 0)
        abort();
    emu_arena_high = top;
}

static void emu_release_memory(emu_region *r)
{
    emu_open();
    emu_check_gap(r);
#if defined(EMU_ASAN)
    __asan_poison_memory_region(r->p, r->n);
#endif
    emu->device_bytes -= r->n;
    emu_remove(r);
    emu_shrink();
    emu_close();
}

/* ---- fibers ---------------------------------------------------------------*/
static emu_thread emu_home;             /* the stack that launched */
static emu_thread **emu_pool;           /* idle fibers */
static size_t emu_npool, emu_pool_room;
static emu_thread **emu_at_bit;         /* who a bit of emu_ready stands for */
static uint64_t *emu_ready;
static size_t emu_words, emu_nready, emu_words_room;
static void (*emu_body)(void *);
static void *emu_arg;
static int emu_go_home;

#if !defined(EMU_UCONTEXT)
extern "C" void emu_switch(void **save, void *to);
__asm__(".text\n.p2align 4\n.globl emu_switch\n"
        ".type emu_switch,@function\nemu_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\n"
        "pushq %r15\nmovq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\n"
        "ret\n.size emu_switch,.-emu_switch\n");
#endif

static void emu_go(emu_thread *from, emu_thread *to)
{
    emu->cur = to == &emu_home ? 0 : to;
    emu->switches++;
#if defined(EMU_TSAN)
    __tsan_switch_to_fiber(to->fiber, 1);       /* 1: without making order */
#endif
#if defined(EMU_ASAN)
    __sanitizer_start_switch_fiber(&from->fake, to->stack, to->stack_size);
#endif
#if defined(EMU_UCONTEXT)
    swapcontext((ucontext_t *)from->sp, (ucontext_t *)to->sp);
#else
    emu_switch(&from->sp, to->sp);
#endif
#if defined(EMU_ASAN)
    __sanitizer_finish_switch_fiber(from->fake, 0, 0);
#endif
}

static void emu_unready(emu_thread *t)
{
    emu_ready[t->bit / 64] &= ~((uint64_t)1 << t->bit % 64);
    emu_nready--;
}

static void emu_make_ready(emu_thread *t)
{
    t->state = EMU_READY;
    emu_ready[t->bit / 64] |= (uint64_t)1 << t->bit % 64;
    emu_nready++;
}

/* The first one ready at or after a bit, cyclically. */
static emu_thread *emu_from_bit(size_t bit)
{
    size_t w = bit / 64;
    uint64_t m = emu_ready[w] & ~(uint64_t)0 << bit % 64;
    while (!m) {
        w = w + 1 == emu_words ? 0 : w + 1;
        m = emu_ready[w];
    }
    return emu_at_bit[w * 64 + (size_t)__builtin_ctzll(m)];
}

static emu_thread *emu_pick(void)
{
    if (!emu_nready) return 0;
    if (emu->order == EMU_ASCENDING) return emu_from_bit(0);
    if (emu->order == EMU_DESCENDING) {
        size_t w = emu_words - 1;
        while (!emu_ready[w]) w--;
        return emu_at_bit[w * 64 + 63 - (size_t)__builtin_clzll(emu_ready[w])];
    }
    return emu_from_bit((size_t)emu_random() % (emu_words * 64));
}

/* On to the next thread that can run; home when there is none. */
static void emu_next(emu_thread *from)
{
    emu_thread *to = emu_go_home ? 0 : emu_pick();
    emu_go_home = 0;
    if (!to) to = &emu_home;
    if (to != from) emu_go(from, to);
}

static void emu_fiber(void)
{
#if defined(EMU_ASAN)
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(0, &bottom, &size);
    if (!emu_home.stack_size) {         /* the first fiber comes from home */
        emu_home.stack = (char *)const_cast<void *>(bottom);
        emu_home.stack_size = size;
    }
#endif
    for (;;) {
        emu->inside = 0;
        emu_body(emu_arg);
        emu->inside = 1;
        emu_thread *const t = emu->cur;
        t->state = EMU_DONE;
        t->block->gone[t->linear / 32] |= 1u << (t->linear & 31u);
        emu_unready(t);
        if (--t->block->live == 0) emu_go_home = 1;
        emu_next(t);
    }
}
extern "C" { static void emu_entry(void) { emu_fiber(); } }

/* Its first switch enters emu_fiber on an empty stack. */
static void emu_renew(emu_thread *t)
{
#if defined(EMU_ASAN)
    __asan_unpoison_memory_region(t->stack, t->stack_size);
#endif
#if defined(EMU_TSAN)
    if (t->fiber) __tsan_destroy_fiber(t->fiber);
    t->fiber = __tsan_create_fiber(0);
#endif
    t->fake = 0;
#if defined(EMU_UCONTEXT)
    ucontext_t *const u = (ucontext_t *)t->sp;
    getcontext(u);
    u->uc_stack.ss_sp = t->stack;
    u->uc_stack.ss_size = t->stack_size;
    u->uc_link = 0;
    makecontext(u, emu_entry, 0);
#else
    void **sp = (void **)(void *)(t->stack + t->stack_size);
    *--sp = 0;
    *--sp = (void *)emu_entry;
    for (int i = 0; i < 6; i++) *--sp = 0;
    t->sp = sp;
#endif
}

static emu_thread *emu_new_thread(void)
{
    emu_thread *const t = (emu_thread *)calloc(1, sizeof *t);
    char *const p = (char *)mmap(0, EMU_PAGE + EMU_STACK,
                                 PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!t || p == (char *)MAP_FAILED) abort();
    if (mprotect(p, EMU_PAGE, PROT_NONE) != 0) abort();
    t->stack = p + EMU_PAGE;
    t->stack_size = EMU_STACK;
#if defined(EMU_UCONTEXT)
    t->sp = malloc(sizeof(ucontext_t));
    if (!t->sp) abort();
#endif
    emu_renew(t);
    return t;
}

static void emu_give_thread(emu_thread *t)
{
    if (emu_npool == emu_pool_room) {
        emu_pool_room = 2 * emu_pool_room + 64;
        emu_pool = (emu_thread **)realloc(emu_pool,
                                          emu_pool_room * sizeof *emu_pool);
        if (!emu_pool) abort();
    }
    emu_pool[emu_npool++] = t;
}

#if defined(EMU_TSAN)
/* TSan knows a fiber by its own history, and what it knew as thread 3 of one
 * block it still knows in the next, after a barrier all others too: so a block
 * takes those that have rested longest, in random order, from twice as many as
 * are at work. From no more, since TSan drops the reports of threads it has
 * forgotten. */
static emu_thread **emu_rested;         /* a ring, the longest at its head */
static size_t emu_ring, emu_head, emu_nrested;

static void emu_rest(emu_thread *t)
{ emu_rested[(emu_head + emu_nrested++) % emu_ring] = t; }

static emu_thread *emu_wake(size_t among)
{
    const size_t n = among < emu_nrested ? among : emu_nrested;
    const size_t k = n > 1 ? (size_t)emu_random() % n : 0;
    emu_thread **const chosen = &emu_rested[(emu_head + k) % emu_ring];
    emu_thread *const t = *chosen;
    *chosen = emu_rested[emu_head];
    emu_head = (emu_head + 1) % emu_ring;
    emu_nrested--;
    return t;
}

static void emu_prepare_threads(size_t at_work)
{
    while (emu_nrested) emu_give_thread(emu_wake(1));
    free(emu_rested);
    emu_ring = 2 * at_work;
    emu_head = 0;
    emu_rested = (emu_thread **)malloc(emu_ring * sizeof *emu_rested);
    if (!emu_rested) abort();
    while (emu_nrested < emu_ring)
        emu_rest(emu_npool ? emu_pool[--emu_npool] : emu_new_thread());
}

static emu_thread *emu_take_thread(unsigned threads)
{ return emu_wake(threads); }
#else
static void emu_rest(emu_thread *t) { emu_give_thread(t); }
static void emu_prepare_threads(size_t) {}
static emu_thread *emu_take_thread(unsigned)
{ return emu_npool ? emu_pool[--emu_npool] : emu_new_thread(); }
#endif

/* A chance for others, where orders with yields have one. */
void emu_yield(void)
{
    if (emu->order != EMU_YIELDS || !emu->cur || emu_random() & 3u) return;
    emu->inside = 1;
    emu_next(emu->cur);
    emu->inside = 0;
}

/* ---- barriers and warp operations -----------------------------------------*/
static void emu_wait(emu_thread *t, int state, int op, emu_place at)
{
    t->state = state;
    t->op = op;
    t->at = at;
    emu_unready(t);
}

static void emu_leave_op(emu_thread *t)
{
    t->block->waits[t->linear / 32] &= ~(1u << (t->linear & 31u));
    emu_make_ready(t);
}

static int emu_same_place(emu_place a, emu_place b)
{ return a.line == b.line && a.id == b.id && a.file == b.file; }

static void emu_barrier_done(emu_block *b, emu_place at)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < b->threads; i++) {
        if (!emu_same_place(b->t[i]->at, at))
            emu_fail(at, "a barrier met from two places, the other is %s:%d,",
                     b->t[i]->at.file, b->t[i]->at.line);
        sum += b->t[i]->value;
    }
    for (unsigned i = 0; i < b->threads; i++) {
        b->t[i]->result = sum;
        emu_make_ready(b->t[i]);
    }
    b->arrived = 0;
    b->epoch++;
}

/* Strict: every thread of the block, those that have left included. Two
 * objects in turn for TSan, else one barrier would order the next. */
static uint64_t emu_barrier(uint64_t value, emu_place at)
{
    emu_thread *const t = emu->cur;
    emu_block *const b = t->block;
    emu->inside = 1;
    t->value = value;
    emu_wait(t, EMU_BARRIER, EMU_NONE, at);
#if defined(EMU_TSAN)
    char *const object = b->sync + (b->epoch & 1u);
    emu_release(object);
#endif
    if (++b->arrived == b->threads) emu_barrier_done(b, at);
    emu_next(t);
#if defined(EMU_TSAN)
    emu_acquire(object);
#endif
    emu->inside = 0;
    return t->result;
}

void emu_syncthreads(emu_place at) { (void)emu_barrier(0, at); }

int emu_vote_block(int op, int value, emu_place at)
{
    const uint64_t sum = emu_barrier((uint64_t)value, at);
    if (op == EMU_AND) return sum == emu->cur->block->threads;
    return op == EMU_OR ? sum != 0 : (int)sum;
}

#if defined(EMU_RACE)
/* The lanes of the mask have met: each knows what any of them knew. */
static void emu_meet(emu_block *b, unsigned warp, unsigned mask)
{
    uint32_t *const k = b->known + warp * 1024u;
    uint32_t join[32];
    b->warp_clock[warp]++;
    for (int j = 0; j < 32; j++) {
        join[j] = 0;
        for (int i = 0; i < 32; i++)
            if (mask >> i & 1u && k[i * 32 + j] > join[j])
                join[j] = k[i * 32 + j];
        if (mask >> j & 1u) join[j] = b->warp_clock[warp];
    }
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1u)
            for (int j = 0; j < 32; j++) k[i * 32 + j] = join[j];
}
#endif

/* The lanes of t's mask that wait here with it, or 0 while some are missing:
 * one that waits elsewhere may still be on its way, and if not, nobody will be
 * able to run in the end, which is the fault. */
static unsigned emu_met(emu_thread *t)
{
    emu_block *const b = t->block;
    const unsigned warp = t->linear / 32;
    const unsigned left = b->threads - warp * 32;
    const unsigned there = left < 32 ? (1u << left) - 1u : 0xffffffffu;
    unsigned mask = t->mask;
    if (mask & ~there)
        emu_fail(t->at, "the mask names lanes the block does not have");
    if (mask & b->gone[warp])
        emu_fail(t->at, "the mask names a lane that has left the kernel");
    mask &= there & ~b->gone[warp];
    if (mask & ~b->waits[warp]) return 0;
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        const emu_thread *const o = b->t[warp * 32 + l];
        if (o->op != t->op || o->mask != t->mask ||
            !emu_same_place(o->at, t->at))
            return 0;
    }
    return mask;
}

/* The lane a shuffle reads; the lane itself where the segment ends. */
static unsigned emu_source(int op, unsigned lane, unsigned arg, unsigned width)
{
    const unsigned base = lane & ~(width - 1u);
    switch (op) {
    case EMU_SHFL: return base + (arg & (width - 1u));
    case EMU_SHFL_XOR: arg ^= lane; return arg < base + width ? arg : lane;
    case EMU_SHFL_UP: return lane - base >= arg ? lane - arg : lane;
    default: return lane + arg < base + width ? lane + arg : lane;
    }
}

static uint64_t emu_reduce(int op, uint64_t a, uint64_t v)
{
    switch (op) {
    case EMU_SUM: return a + v;
    case EMU_MIN: return (int64_t)v < (int64_t)a ? v : a;
    case EMU_MAX: return (int64_t)v > (int64_t)a ? v : a;
    case EMU_AND: return a & v;
    case EMU_OR: return a | v;
    default: return a ^ v;
    }
}

static uint64_t emu_shuffled(const emu_thread *t, unsigned mask)
{
    const unsigned lane = t->linear & 31u;
    const unsigned from =
        emu_source(t->op, lane, (unsigned)t->arg, (unsigned)t->width);
    if (mask >> from & 1u) return t->block->t[(t->linear & ~31u) + from]->value;
    emu_fail(t->at, "lane %u reads lane %u, which is outside the mask", lane,
             from);
    return t->value;
}

/* The lanes whose value is v, or with any, is not 0. */
static unsigned emu_votes(emu_thread *const *warp, unsigned mask, uint64_t v,
                          int any)
{
    unsigned votes = 0;
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        votes |= (unsigned)(any ? warp[l]->value != 0 : warp[l]->value == v)
            << l;
    }
    return votes;
}

/* What all lanes get alike. */
static uint64_t emu_common_result(emu_thread *const *warp, unsigned mask,
                                  int op)
{
    const unsigned first = (unsigned)__builtin_ctz(mask);
    const uint64_t v = warp[first]->value;
    uint64_t sum = v;
    unsigned rest = mask & (mask - 1);
    switch (op) {
    case EMU_BALLOT: return emu_votes(warp, mask, 0, 1);
    case EMU_ANY: return emu_votes(warp, mask, 0, 1) != 0;
    case EMU_ALL: return emu_votes(warp, mask, 0, 1) == mask;
    case EMU_MATCH_ALL: return emu_votes(warp, mask, v, 0) == mask ? mask : 0;
    case EMU_SYNCWARP: return 0;
    default: break;
    }
    for (; rest; rest &= rest - 1)
        sum = emu_reduce(op, sum, warp[__builtin_ctz(rest)]->value);
    return sum;
}

/* All lanes are here: their results, from the values they brought. */
static void emu_exchange(emu_thread *const *warp, unsigned mask, int op)
{
    const int own = op >= EMU_SHFL && op <= EMU_MATCH && op != EMU_BALLOT;
    const uint64_t common = own ? 0 : emu_common_result(warp, mask, op);
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        emu_thread *const t = warp[__builtin_ctz(rest)];
        t->result = !own ? common
            : op == EMU_MATCH ? emu_votes(warp, mask, t->value, 0)
            : emu_shuffled(t, mask);
    }
    for (; mask; mask &= mask - 1) emu_leave_op(warp[__builtin_ctz(mask)]);
}

static void emu_refuse_operands(const emu_thread *t)
{
    if (!(t->mask >> (t->linear & 31u) & 1u))
        emu_fail(t->at, "the caller is not in its own mask");
    if (t->width < 1 || t->width > 32 || t->width & (t->width - 1))
        emu_fail(t->at, "a width of %d", t->width);
    if (t->op >= EMU_SHFL_UP && t->op <= EMU_SHFL_XOR && t->arg > 31u)
        emu_fail(t->at, "a distance of %u: the hardware takes it modulo 32",
                 (unsigned)t->arg);
}

uint64_t emu_warp(int op, unsigned mask, uint64_t value, uint64_t arg,
                  int width, emu_place at)
{
    emu_thread *const t = emu->cur;
    emu_block *const b = t->block;
    const unsigned first = t->linear & ~31u;
    unsigned met;
    emu->inside = 1;
    t->mask = mask;
    t->value = value;
    t->arg = arg;
    t->width = width;
    emu_wait(t, EMU_WARP, op, at);
    b->waits[first / 32] |= 1u << (t->linear & 31u);
    emu_refuse_operands(t);
#if defined(EMU_TSAN)
    char *const object = b->sync + 2 + first / 32;
    if (op == EMU_SYNCWARP) emu_release(object);
#endif
    met = emu_met(t);
    if (met) {
#if defined(EMU_RACE)
        /* Only this one orders memory. */
        if (op == EMU_SYNCWARP) emu_meet(b, first / 32, met);
#endif
        emu_exchange(b->t + first, met, op);
        if (t->state != EMU_READY) emu_leave_op(t);     /* outside its mask */
    }
    emu_next(t);
#if defined(EMU_TSAN)
    if (op == EMU_SYNCWARP) emu_acquire(object);
#endif
    emu->inside = 0;
    return t->result;
}

/* ---- blocks ---------------------------------------------------------------*/
/* A piece per block and place, made by the first thread that comes by. */
static char *emu_new_piece(emu_block *b, emu_place at, size_t n)
{
    void *p = 0;
    emu_look_away();            /* an allocation counts as a write by TSan */
    b->shared_bytes += n;
    if (b->shared_bytes > 49152)
        emu_fail(at, "%lu bytes of shared memory in a block",
                 (unsigned long)b->shared_bytes);
    if (b->pieces == 64 || posix_memalign(&p, 16, n ? n : 1) != 0) abort();
    memset(p, (int)(0xa5 ^ (emu_random() & 0x7f)), n);
    emu_insert(p, n, EMU_OF_BLOCK, b);
    emu_look_back();
    b->shared[b->pieces].at = at;
    b->shared[b->pieces].p = (char *)p;
    b->shared[b->pieces++].n = n;
    return (char *)p;
}

void *emu_shared(emu_place at, size_t n)
{
    emu_block *const b = emu->cur->block;
    char *p = 0;
    emu->inside = 1;
    for (unsigned i = 0; i < b->pieces; i++)
        if (emu_same_place(b->shared[i].at, at)) {
            p = b->shared[i].p;
            if (b->shared[i].n != n)
                emu_fail(at, "shared memory of two sizes at one place");
        }
    if (!p) p = emu_new_piece(b, at, n);
    emu->inside = 0;
    return p;
}

static emu_block *emu_new_block(void)
{
    emu_block *const b = (emu_block *)calloc(1, sizeof *b);
    if (!b) abort();
    b->t = (emu_thread **)calloc(1024, sizeof *b->t);
    b->shared = (emu_shared_piece *)calloc(64, sizeof *b->shared);
    b->known = (uint32_t *)calloc(32 * 1024, sizeof *b->known);
    b->warp_clock = (uint32_t *)calloc(32, sizeof *b->warp_clock);
    if (!b->t || !b->shared || !b->known || !b->warp_clock) abort();
    return b;
}

static void emu_start_block(emu_block *b, unsigned slot, unsigned linear)
{
    const dim3 g = emu->grid, d = emu->block;
    const unsigned n = d.x * d.y * d.z, warps = (n + 31) / 32;
    b->linear = linear;
    b->idx = make_uint3(linear % g.x, linear / g.x % g.y, linear / g.x / g.y);
    b->threads = b->live = n;
    b->arrived = 0;
    b->epoch = 0;
    b->pieces = 0;
    b->shared_bytes = 0;
#if defined(EMU_RACE)
    memset(b->known, 0, warps * 4096u);
#endif
    for (unsigned w = 0; w < warps; w++) {
        b->waits[w] = b->gone[w] = 0;
        b->warp_clock[w] = 1;
    }
#if defined(EMU_TSAN)
    b->sync = (char *)malloc(2 + 32);   /* new: an old one would keep order */
#endif
    for (unsigned i = 0; i < n; i++) {
        emu_thread *const t = emu_take_thread(n - i);
        t->block = b;
        t->linear = i;
        t->tid = make_uint3(i % d.x, i / d.x % d.y, i / d.x / d.y);
        t->bit = slot * ((n + 63) / 64 * 64) + i;
        emu_at_bit[t->bit] = t;
        b->t[i] = t;
        emu_make_ready(t);
    }
#if defined(EMU_TSAN)
    emu_release(&emu_start_object);     /* all that was allocated meanwhile */
    for (unsigned i = 0; i < n; i++)
        emu_as(b->t[i], emu_acquire, &emu_start_object);
#endif
}

static void emu_end_block(emu_block *b)
{
    for (unsigned i = 0; i < b->threads; i++) {
#if defined(EMU_TSAN)
        emu_as(b->t[i], emu_release, &emu_end_object);
#endif
        if (b->t[i]->state != EMU_DONE) emu_renew(b->t[i]);
        emu_rest(b->t[i]);
    }
    for (unsigned i = 0; i < b->pieces; i++) {
        emu_forget(b->shared[i].p);
        free(b->shared[i].p);
    }
    b->pieces = 0;
    free(b->sync);
    b->sync = 0;
}

/* ---- a launch -------------------------------------------------------------*/
static emu_block **emu_slots;           /* for blocks alive together */
static unsigned emu_nslots;

/* Nobody can go on: some wait for those who never come. */
static void emu_stuck(unsigned window, const unsigned char *alive)
{
    const emu_thread *first = 0, *other = 0;
    unsigned waiting = 0, gone = 0;
    char also[160] = "";
    for (unsigned s = 0; s < window && !first; s++) {
        if (!alive[s]) continue;
        for (unsigned i = 0; i < emu_slots[s]->threads; i++) {
            const emu_thread *const t = emu_slots[s]->t[i];
            if (t->state == EMU_DONE) { gone++; continue; }
            waiting++;
            if (!first) first = t;
            else if (!other && !emu_same_place(t->at, first->at)) other = t;
        }
    }
    if (!first) return;
    if (other)
        snprintf(also, sizeof also, ", one of them at %s:%d", other->at.file,
                 other->at.line);
    emu_fail(first->at, "%s never completed: %u threads of block %u wait%s, "
             "%u have left; one waits",
             first->state == EMU_BARRIER ? "__syncthreads"
                                         : "a warp operation",
             waiting, first->block->linear,
             also, gone);
}

static void emu_prepare(unsigned threads, unsigned window)
{
    const size_t words = (threads + 63) / 64 * (size_t)window;
    if (window > emu_nslots) {
        emu_slots = (emu_block **)realloc(emu_slots,
                                          window * sizeof *emu_slots);
        if (!emu_slots) abort();
        while (emu_nslots < window) emu_slots[emu_nslots++] = emu_new_block();
    }
    if (words > emu_words_room) {
        emu_words_room = words;
        free(emu_ready);
        free(emu_at_bit);
        emu_ready = (uint64_t *)malloc(words * sizeof *emu_ready);
        emu_at_bit = (emu_thread **)malloc(words * 64 * sizeof *emu_at_bit);
        if (!emu_ready || !emu_at_bit) abort();
    }
    memset(emu_ready, 0, words * sizeof *emu_ready);
    emu_words = words;
    emu_nready = 0;
    emu_go_home = 0;
#if defined(EMU_UCONTEXT)
    if (!emu_home.sp) emu_home.sp = malloc(sizeof(ucontext_t));
#endif
    emu_prepare_threads((size_t)threads * window);
#if defined(EMU_TSAN)
    emu_home.fiber = __tsan_get_current_fiber();
    emu_release(&emu_start_object);
#endif
}

/* The order in which the blocks start. */
static unsigned *emu_block_order(unsigned blocks)
{
    unsigned *const order = (unsigned *)malloc(blocks * sizeof *order);
    if (!order) abort();
    for (unsigned i = 0; i < blocks; i++)
        order[i] = emu->order == EMU_DESCENDING ? blocks - 1 - i : i;
    if (emu->order >= EMU_RANDOM)
        for (unsigned i = blocks; i > 1; i--) {
            const unsigned k = (unsigned)(emu_random() % i), o = order[i - 1];
            order[i - 1] = order[k];
            order[k] = o;
        }
    return order;
}

static void emu_run_blocks(unsigned blocks, unsigned window)
{
    unsigned *const order = emu_block_order(blocks);
    unsigned char *const alive = (unsigned char *)calloc(window, 1);
    unsigned next = 0, living = 0;
    if (!alive) abort();
    for (;;) {
        for (unsigned s = 0; s < window && next < blocks; s++)
            if (!alive[s]) {
                emu_start_block(emu_slots[s], s, order[next++]);
                alive[s] = 1;
                living++;
            }
        if (!living) break;
        emu_thread *const t = emu_pick();
        if (t) {
            emu_go(&emu_home, t);
        } else {
            emu_stuck(window, alive);
            next = blocks;
        }
        for (unsigned s = 0; s < window; s++)
            if (alive[s] && (!t || emu_slots[s]->live == 0)) {
                emu_end_block(emu_slots[s]);
                alive[s] = 0;
                living--;
            }
    }
    free(alive);
    free(order);
}

static int emu_launchable(dim3 g, dim3 b)
{
    const uint64_t n = (uint64_t)b.x * b.y * b.z;
    return n >= 1 && b.x <= 1024 && b.y <= 1024 && b.z <= 64 && n <= 1024 &&
        g.x >= 1 && g.x <= 0x7fffffffu && g.y >= 1 && g.y <= 65535 &&
        g.z >= 1 && g.z <= 65535;
}

cudaError_t emu_run(dim3 grid, dim3 block, void (*body)(void *), void *arg)
{
    const unsigned window = emu->window ? emu->window : 1;
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    const int before = emu->failed;
    if (!emu_launchable(grid, block) || blocks > 0x7fffffffu)
        return cudaErrorInvalidConfiguration;
    emu_look_away();
    emu->grid = grid;
    emu->block = block;
    emu_body = body;
    emu_arg = arg;
    emu->launches++;
    emu->launch++;
    if (!emu->rng) emu->rng = 1;
    emu_prepare(block.x * block.y * block.z, window);
    emu_open();
    emu_run_blocks((unsigned)blocks, window);
    emu_close();
    emu->inside = 0;
#if defined(EMU_TSAN)
    emu_acquire(&emu_end_object);
#endif
    emu_look_back();
    return emu->failed == before ? cudaSuccess : cudaErrorLaunchFailure;
}

/* ---- errors ---------------------------------------------------------------*/
static cudaError_t emu_pending;         /* what cudaGetLastError gives */

static cudaError_t emu_return(cudaError_t e)
{
    if (e != cudaSuccess) emu_pending = e;
    return e;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t e = emu_pending;
    emu_pending = cudaSuccess;
    return e;
}

cudaError_t cudaPeekAtLastError(void) { return emu_pending; }

const char *cudaGetErrorName(cudaError_t e)
{
    switch (e) {
#define EMU_NAME(name) case name: return #name;
    EMU_NAME(cudaSuccess)
    EMU_NAME(cudaErrorInvalidValue)
    EMU_NAME(cudaErrorMemoryAllocation)
    EMU_NAME(cudaErrorInvalidConfiguration)
    EMU_NAME(cudaErrorInvalidMemcpyDirection)
    EMU_NAME(cudaErrorInvalidDeviceFunction)
    EMU_NAME(cudaErrorInvalidDevice)
    EMU_NAME(cudaErrorInvalidResourceHandle)
    EMU_NAME(cudaErrorIllegalState)
    EMU_NAME(cudaErrorNotReady)
    EMU_NAME(cudaErrorLaunchFailure)
    EMU_NAME(cudaErrorNotSupported)
    EMU_NAME(cudaErrorStreamCaptureUnsupported)
    EMU_NAME(cudaErrorStreamCaptureInvalidated)
    EMU_NAME(cudaErrorStreamCaptureUnmatched)
    EMU_NAME(cudaErrorStreamCaptureIsolation)
    EMU_NAME(cudaErrorStreamCaptureImplicit)
    EMU_NAME(cudaErrorCapturedEvent)
    case cudaErrorUnknown: break;
    }
    return "cudaErrorUnknown";
}

const char *cudaGetErrorString(cudaError_t e) { return cudaGetErrorName(e); }

/* ---- queues ---------------------------------------------------------------*/
enum { EMU_KERNEL, EMU_SET, EMU_COPY, EMU_RECORD, EMU_AWAIT, EMU_CALL,
       EMU_RELEASE };
struct emu_work {
    int kind;
    unsigned refs;              /* queues and graphs that hold it */
    dim3 grid, block;
    void (*body)(void *);       /* of a kernel, or the host's function */
    void *arg;                  /* a kernel's call, freed with it */
    void *to;
    const void *from;
    int byte;
    size_t n;
    emu_event *event;
    uint64_t stamp;             /* which record of the event */
};
struct emu_item { emu_item *next; emu_work *work; uint64_t number; };
struct emu_graph { unsigned refs; emu_work **work; size_t n, room; };
struct emu_graph_exec { emu_graph *graph; };
struct emu_event { uint64_t recorded, done; int captured; };
struct emu_stream {
    emu_item *first, *last;
    int blocking;               /* takes turns with the legacy stream */
    int broken;                 /* its capture is */
    cudaStreamCaptureMode mode;
    emu_graph *graph;           /* being captured, or NULL */
};
static emu_stream emu_legacy, emu_per_thread;
static emu_stream **emu_streams;        /* those made by the program */
static size_t emu_nstreams;
static uint64_t emu_number;             /* of the latest item */
static emu_stream *emu_guarded;
static int emu_guards;

static emu_stream *emu_stream_at(size_t i)
{
    if (i == 0) return &emu_legacy;
    if (i == 1) return &emu_per_thread;
    return i - 2 < emu_nstreams ? emu_streams[i - 2] : 0;
}

/* The stream behind a handle, or NULL. */
static emu_stream *emu_stream_of(cudaStream_t handle)
{
    emu_stream *s;
    emu_per_thread.blocking = 1;
    if (handle == 0 || handle == cudaStreamLegacy) return &emu_legacy;
    if (handle == cudaStreamPerThread) return &emu_per_thread;
    for (size_t i = 2; (s = emu_stream_at(i)) != 0; i++)
        if (s == handle) return s;
    return 0;
}

void emu_guard(cudaStream_t stream)
{
    emu_guarded = emu_stream_of(stream);
    emu_guards = 1;
}
void emu_unguard(void) { emu_guards = 0; }

static void emu_guard_against(const char *what)
{ if (emu_guards) emu_fail(emu_nowhere, "%s between emu_guard and emu_unguard",
                           what); }

static emu_work *emu_new_work(int kind)
{
    emu_work *const w = (emu_work *)calloc(1, sizeof *w);
    if (!w) abort();
    w->kind = kind;
    return w;
}

static void emu_drop_work(emu_work *w)
{
    if (--w->refs) return;
    if (w->kind == EMU_KERNEL) free(w->arg);
    free(w);
}

static void emu_append(emu_stream *s, emu_work *w)
{
    emu_item *const item = (emu_item *)calloc(1, sizeof *item);
    if (!item) abort();
    item->work = w;
    item->number = ++emu_number;
    if (s->first) s->last->next = item;
    else s->first = item;
    s->last = item;
}

static void emu_record_in(emu_graph *g, emu_work *w)
{
    if (g->n == g->room) {
        g->room = 2 * g->room + 8;
        g->work = (emu_work **)realloc(g->work, g->room * sizeof *g->work);
        if (!g->work) abort();
    }
    g->work[g->n++] = w;
}

static cudaError_t emu_drain(emu_stream *only);

/* The legacy stream waits for streams that block on it: while one of them is
 * captured, its use would be an edge from outside the graph. */
static cudaError_t emu_legacy_use(void)
{
    emu_stream *s;
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; (s = emu_stream_at(i)) != 0; i++)
        if (s->graph && s->blocking) {
            s->broken = 1;
            e = cudaErrorStreamCaptureImplicit;
        }
    return e;
}

static cudaError_t emu_enqueue(cudaStream_t handle, emu_work *w)
{
    emu_stream *const s = emu_stream_of(handle);
    cudaError_t e = cudaSuccess;
    w->refs++;
    if (emu->cur) emu_fail(emu_nowhere, "the host's API inside a kernel");
    if (s && emu_guards && s != emu_guarded)
        emu_guard_against("work on another stream");
    if (!s) e = cudaErrorInvalidResourceHandle;
    else if (s == &emu_legacy) e = emu_legacy_use();
    else if (s->broken) e = cudaErrorStreamCaptureInvalidated;
    if (e != cudaSuccess) {
        emu_drop_work(w);
        return emu_return(e);
    }
    if (s->graph) emu_record_in(s->graph, w);
    else emu_append(s, w);
    return emu->eager && !s->graph ? emu_drain(0) : cudaSuccess;
}

/* May the stream's first item run? */
static int emu_runnable(const emu_stream *s)
{
    const emu_item *const item = s->first;
    const emu_stream *o;
    if (!item) return 0;
    if (item->work->kind == EMU_AWAIT &&
        item->work->event->done < item->work->stamp)
        return 0;
    if (s != &emu_legacy)
        return !s->blocking || !emu_legacy.first ||
            emu_legacy.first->number > item->number;
    for (size_t i = 1; (o = emu_stream_at(i)) != 0; i++)
        if (o->blocking && o->first && o->first->number < item->number)
            return 0;
    return 1;
}

static emu_stream *emu_choose(void)
{
    emu_stream *s, *chosen = 0;
    unsigned seen = 0;
    for (size_t i = 0; (s = emu_stream_at(i)) != 0; i++) {
        if (!emu_runnable(s)) continue;
        seen++;
        if (!chosen || emu->order == EMU_DESCENDING ||
            (emu->order >= EMU_RANDOM && emu_random() % seen == 0))
            chosen = s;
    }
    return chosen;
}

static void emu_call_host(emu_work *w)
{
    const unsigned opens = emu_opens;
    emu_permit(PROT_NONE);
    emu_opens = 0;
    w->body(w->arg);
    emu_opens = opens;
    emu_permit(PROT_READ | PROT_WRITE);
}

static void emu_do_work(emu_work *w)
{
    switch (w->kind) {
    case EMU_KERNEL: (void)emu_run(w->grid, w->block, w->body, w->arg); break;
    case EMU_SET:
        memset(w->to, w->byte, w->n);
        emu_written(w->to, w->n);
        break;
    case EMU_COPY:
        memmove(w->to, w->from, w->n);
        emu_written(w->to, w->n);
        break;
    case EMU_RECORD: w->event->done = w->stamp; break;
    case EMU_CALL: emu_call_host(w); break;
    case EMU_RELEASE:
        if (emu_exactly(w->to)) emu_release_memory(emu_exactly(w->to));
        break;
    default: break;
    }
}

/* Runs one item of some stream; 0 if none may run. */
static int emu_step(void)
{
    emu_stream *const s = emu_choose();
    emu_item *item;
    if (!s) return 0;
    item = s->first;
    s->first = item->next;
    emu_open();
    emu_do_work(item->work);
    emu_close();
    emu_drop_work(item->work);
    free(item);
    return 1;
}

/* Until a stream, or with NULL every one, has nothing left. Others may have
 * run meanwhile, or not. */
static cudaError_t emu_drain(emu_stream *only)
{
    const int before = emu->failed;
    emu_stream *s;
    emu_open();
    for (size_t i = 0; (s = emu_stream_at(i)) != 0; i++)
        while (s->first && (!only || s == only))
            if (!emu_step()) {
                emu_fail(emu_nowhere, "streams that wait for each other");
                s->first = 0;
            }
    emu_close();
    return emu_return(emu->failed == before ? cudaSuccess
                                            : cudaErrorLaunchFailure);
}

/* ---- capture --------------------------------------------------------------*/
/* A call that is an error while any stream is captured; in relaxed mode only
 * if it synchronises. Ends the captures, as the runtime does. */
static cudaError_t emu_unsafe(int synchronises)
{
    cudaError_t e = cudaSuccess;
    emu_stream *s;
    for (size_t i = 0; (s = emu_stream_at(i)) != 0; i++)
        if (s->graph &&
            (synchronises || s->mode != cudaStreamCaptureModeRelaxed)) {
            s->broken = 1;
            e = cudaErrorStreamCaptureUnsupported;
        }
    return e;
}

static void emu_drop_graph(emu_graph *g)
{
    if (--g->refs) return;
    for (size_t i = 0; i < g->n; i++) emu_drop_work(g->work[i]);
    free(g->work);
    free(g);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode)
{
    emu_stream *const s = emu_stream_of(stream);
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    if (s == &emu_legacy) return emu_return(cudaErrorStreamCaptureUnsupported);
    if (s->graph) return emu_return(cudaErrorIllegalState);
    s->graph = (emu_graph *)calloc(1, sizeof *s->graph);
    if (!s->graph) abort();
    s->graph->refs = 1;
    s->mode = mode;
    s->broken = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    emu_stream *const s = emu_stream_of(stream);
    emu_graph *g;
    *graph = 0;
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    g = s->graph;
    if (!g) return emu_return(cudaErrorIllegalState);
    s->graph = 0;
    if (s->broken) {
        s->broken = 0;
        emu_drop_graph(g);
        return emu_return(cudaErrorStreamCaptureInvalidated);
    }
    *graph = g;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus *status)
{
    emu_stream *const s = emu_stream_of(stream);
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    *status = !s->graph ? cudaStreamCaptureStatusNone
        : s->broken ? cudaStreamCaptureStatusInvalidated
        : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n)
{
    if (nodes) return emu_return(cudaErrorNotSupported);
    *n = g->n;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t g,
                                 unsigned long long)
{
    *exec = 0;
    if (!g) return emu_return(cudaErrorInvalidValue);
    *exec = (emu_graph_exec *)calloc(1, sizeof **exec);
    if (!*exec) abort();
    (*exec)->graph = g;
    g->refs++;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t g,
                                 cudaGraphNode_t *, char *, size_t)
{ return cudaGraphInstantiate(exec, g); }

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;
    if (!exec) return emu_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < exec->graph->n && e == cudaSuccess; i++)
        e = emu_enqueue(stream, exec->graph->work[i]);
    return e;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (exec) emu_drop_graph(exec->graph);
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    if (g) emu_drop_graph(g);
    return cudaSuccess;
}

/* ---- synchronisation ------------------------------------------------------*/
static cudaError_t emu_sync(emu_stream *only)
{
    emu->syncs++;
    emu_guard_against("a synchronisation");
    return emu_drain(only);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    emu_stream *const s = emu_stream_of(stream);
    cudaError_t e = cudaSuccess;
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    if (s->graph) {
        s->broken = 1;
        e = cudaErrorStreamCaptureUnsupported;
    } else if (s == &emu_legacy) {
        e = emu_legacy_use();
    }
    return e == cudaSuccess ? emu_sync(s) : emu_return(e);
}

cudaError_t cudaDeviceSynchronize(void)
{
    const cudaError_t e = emu_unsafe(1);
    return e == cudaSuccess ? emu_sync(0) : emu_return(e);
}

cudaError_t cudaDeviceReset(void)
{
    const cudaError_t e = cudaDeviceSynchronize();
    size_t i = 0;
    while (i < emu_nregions)
        if (emu_regions[i].kind == EMU_DEVICE)
            emu_release_memory(&emu_regions[i]);
        else i++;
    return e;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    emu_stream *const s = emu_stream_of(stream);
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    if (s->graph) {
        s->broken = 1;
        return emu_return(cudaErrorStreamCaptureUnsupported);
    }
    if (s->first) emu_step();           /* time passes: a poll ends some day */
    return s->first ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    emu_stream *const s = (emu_stream *)calloc(1, sizeof *s);
    emu_guard_against("a stream is made");
    emu_streams = (emu_stream **)realloc(
        emu_streams, (emu_nstreams + 1) * sizeof *emu_streams);
    if (!s || !emu_streams) abort();
    s->blocking = !(flags & cudaStreamNonBlocking);
    emu_streams[emu_nstreams++] = s;
    *stream = s;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{ return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t e;
    for (size_t i = 0; i < emu_nstreams; i++) {
        if (emu_streams[i] != stream) continue;
        e = emu_drain(stream);          /* what is queued still runs */
        if (stream->graph) emu_drop_graph(stream->graph);
        emu_streams[i] = emu_streams[--emu_nstreams];
        free(stream);
        return e;
    }
    return emu_return(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*f)(void *),
                               void *arg)
{
    emu_work *const w = emu_new_work(EMU_CALL);
    w->body = f;
    w->arg = arg;
    return emu_enqueue(stream, w);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = (emu_event *)calloc(1, sizeof **event);
    if (!*event) abort();
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{ return cudaEventCreateWithFlags(event, cudaEventDefault); }

/* Queues may still hold it, so all they hold runs first. */
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const cudaError_t e = emu_drain(0);
    free(event);
    return e;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const emu_stream *const s = emu_stream_of(stream);
    emu_work *w;
    if (s && s->graph) {
        event->captured = 1;
        return cudaSuccess;
    }
    w = emu_new_work(EMU_RECORD);
    event->captured = 0;
    w->event = event;
    w->stamp = ++event->recorded;
    return emu_enqueue(stream, w);
}

/* Within one captured stream the order is there already; a second stream that
 * would join the capture is more than this emulator does. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned)
{
    emu_stream *const s = emu_stream_of(stream);
    emu_work *w;
    if (event->captured && s && s->graph) return cudaSuccess;
    if (event->captured || (s && s->graph)) {
        if (s) s->broken = s->graph != 0;
        return emu_return(cudaErrorStreamCaptureIsolation);
    }
    w = emu_new_work(EMU_AWAIT);
    w->event = event;
    w->stamp = event->recorded;
    return emu_enqueue(stream, w);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const int before = emu->failed;
    if (event->captured) return emu_return(cudaErrorCapturedEvent);
    emu->syncs++;
    emu_guard_against("a synchronisation");
    while (event->done < event->recorded && emu_step()) {}
    return emu_return(emu->failed == before ? cudaSuccess
                                            : cudaErrorLaunchFailure);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (event->captured) return emu_return(cudaErrorCapturedEvent);
    if (event->done < event->recorded) emu_step();
    return event->done < event->recorded ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    if (!a->recorded || !b->recorded)
        return emu_return(cudaErrorInvalidResourceHandle);
    if (a->done < a->recorded || b->done < b->recorded)
        return cudaErrorNotReady;
    *ms = 0.001f;
    return cudaSuccess;
}

/* ---- launches and copies --------------------------------------------------*/
cudaError_t emu_queue_kernel(dim3 grid, dim3 block, void (*body)(void *),
                             void *call, size_t shared, cudaStream_t stream)
{
    emu_work *w;
    if (shared) emu_fail(emu_nowhere, "shared memory of a launch's own");
    if (!emu_launchable(grid, block) || shared) {
        free(call);
        return emu_return(cudaErrorInvalidConfiguration);
    }
    w = emu_new_work(EMU_KERNEL);
    w->grid = grid;
    w->block = block;
    w->body = body;
    w->arg = call;
    return emu_enqueue(stream, w);
}

/* 1: all of it is memory a kernel may touch. 0: none. -1: it leaves it. */
static int emu_is_device(const void *p, size_t n)
{
    const emu_region *const r = emu_find(p);
    if (!r)
        return emu_arena && (const char *)p >= emu_arena &&
            (const char *)p < emu_arena + emu_arena_size ? -1 : 0;
    return n <= (size_t)(r->p + r->n - (const char *)p) ? 1 : -1;
}

static int emu_is_host(const void *p, size_t n)
{
    const emu_region *const r = emu_find(p);
    return r && r->kind == EMU_MAPPED ? 1 : !emu_is_device(p, n);
}

/* A queue's own memory operation on what it must not touch is a fault: the
 * runtime does not always notice. */
static int emu_memory_ok(const void *p, size_t n, int device, const char *what)
{
    const int is = emu_is_device(p, n);
    if (is < 0) emu_fail(emu_nowhere, "%s leaves its allocation", what);
    else if (device && !is && emu->strict)
        emu_fail(emu_nowhere, "%s of what is not device memory", what);
    else if (!device && !emu_is_host(p, n))
        emu_fail(emu_nowhere, "%s takes device memory for the host's", what);
    else return 1;
    return 0;
}

cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t stream)
{
    emu_work *w;
    if (n == 0) return cudaSuccess;
    if (!emu_memory_ok(p, n, 1, "a memset"))
        return emu_return(cudaErrorInvalidValue);
    w = emu_new_work(EMU_SET);
    w->to = p;
    w->byte = v;
    w->n = n;
    return emu_enqueue(stream, w);
}

/* On the legacy stream; the host does not wait for it. */
cudaError_t cudaMemset(void *p, int v, size_t n)
{
    const cudaError_t e = emu_unsafe(0);
    return e == cudaSuccess ? cudaMemsetAsync(p, v, n, 0) : emu_return(e);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n,
                            cudaMemcpyKind kind, cudaStream_t stream)
{
    emu_work *w;
    int in = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    int out =
        kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (n == 0) return cudaSuccess;
    if (kind == cudaMemcpyDefault) {
        in = emu_is_device(to, n) != 0;
        out = emu_is_device(from, n) != 0;
    }
    if (!emu_memory_ok(to, n, in, "a copy's target") ||
        !emu_memory_ok(from, n, out, "a copy's source"))
        return emu_return(cudaErrorInvalidValue);
    w = emu_new_work(EMU_COPY);
    w->to = to;
    w->from = from;
    w->n = n;
    return emu_enqueue(stream, w);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n,
                       cudaMemcpyKind kind)
{
    cudaError_t e = emu_legacy_use();
    if (e == cudaSuccess) e = emu_unsafe(0);
    if (e != cudaSuccess) return emu_return(e);
    e = cudaMemcpyAsync(to, from, n, kind, 0);
    return e == cudaSuccess ? emu_sync(&emu_legacy) : e;
}

/* ---- allocations ----------------------------------------------------------*/
cudaError_t cudaMalloc(void **p, size_t n)
{
    const cudaError_t e = emu_unsafe(0);
    *p = 0;
    if (e != cudaSuccess) return emu_return(e);
    emu_guard_against("an allocation");
    if (n && !(*p = emu_alloc(n))) return emu_return(cudaErrorMemoryAllocation);
    return cudaSuccess;
}

/* Waits for the device first. */
cudaError_t cudaFree(void *p)
{
    cudaError_t e = emu_unsafe(0);
    emu_region *r;
    if (e != cudaSuccess) return emu_return(e);
    if (!p) return cudaSuccess;
    emu_guard_against("an allocation's end");
    e = emu_drain(0);
    r = emu_exactly(p);
    if (r && r->kind == EMU_MAPPED) return cudaFreeHost(p);
    if (!r || r->kind != EMU_DEVICE) return emu_return(cudaErrorInvalidValue);
    emu_release_memory(r);
    return e;
}

cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t stream)
{
    *p = 0;
    if (!emu_stream_of(stream))
        return emu_return(cudaErrorInvalidResourceHandle);
    if (emu_stream_of(stream)->graph)
        return emu_return(cudaErrorNotSupported);
    emu_guard_against("an allocation");
    if (n && !(*p = emu_alloc(n))) return emu_return(cudaErrorMemoryAllocation);
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    emu_work *w;
    if (!p) return cudaSuccess;
    w = emu_new_work(EMU_RELEASE);
    w->to = p;
    return emu_enqueue(stream, w);
}

/* Memory of both sides: the host's pages, and the device reaches them. */
cudaError_t cudaMallocHost(void **p, size_t n, unsigned)
{
    *p = malloc(n ? n : 1);
    if (!*p) return emu_return(cudaErrorMemoryAllocation);
    emu_adopt(*p, n);
    emu_written(*p, n);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p)
{
    const cudaError_t e = emu_drain(0);
    if (p) emu_forget(p);
    free(p);
    return e;
}

cudaError_t cudaMallocManaged(void **p, size_t n, unsigned)
{ return cudaMallocHost(p, n); }

/* ---- the device -----------------------------------------------------------*/
cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *n) { *n = 1; return cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *v) { *v = 13000; return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *v) { *v = 13000; return cudaSuccess; }

cudaError_t cudaSetDevice(int device)
{ return emu_return(device ? cudaErrorInvalidDevice : cudaSuccess); }

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device)
{
    if (device) return emu_return(cudaErrorInvalidDevice);
    switch (what) {
    case cudaDevAttrMaxThreadsPerBlock: *value = 1024; break;
    case cudaDevAttrMaxBlockDimX: *value = 1024; break;
    case cudaDevAttrMaxGridDimX: *value = 0x7fffffff; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = 49152; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMultiProcessorCount: *value = emu->multiprocessors; break;
    case cudaDevAttrL2CacheSize: *value = 52428800; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    default: return emu_return(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    if (device) return emu_return(cudaErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "emulated device");
    p->totalGlobalMem = emu_arena_size;
    p->sharedMemPerBlock = 49152;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->multiProcessorCount = emu->multiprocessors;
    p->major = 9;
    return cudaSuccess;
}

#if defined(EMU_RACE)
#include "cuda_race.h"
#endif
#endif /* EMU_EXTERN */
#endif /* CUDA_EMUL_H */
