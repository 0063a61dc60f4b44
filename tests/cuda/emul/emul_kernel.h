/* emul_kernel.h - what a kernel knows: CUDA's own words, the world that it runs
 * in, and the functions that it calls.
 *
 * A part of cuda_emul.h. The marks of functions, the types of a kernel's
 * coordinates and widest loads, and NDGI_SHARED, by which a kernel of
 * ndgather_cuda.cuh declares shared memory. The emulator's state: tests set
 * `emu` and read its faults. Barriers, warp operations, atomics, __ldg, __stcs
 * and two on bits, all that the kernels of ndgather_cuda.cuh, of the examples,
 * the tests and the benchmark use: what is not there, the compiler will say. A
 * program whose accesses are instrumented has this but not the core, which is a
 * unit of its own then. */
#ifndef EMUL_KERNEL_H
#define EMUL_KERNEL_H

/* ---- the language ---------------------------------------------------------*/
#define __host__
#define __device__
#define __global__
#define __launch_bounds__(...)
#define NDGI_SHARED(type, name, count) \
    type *const name = \
        (type *)emu_shared(EMU_HERE, sizeof(type) * (size_t)(count))

struct dim3 {
    unsigned x, y, z;
    EMU_NOSAN constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
        : x(a), y(b), z(c) {}
};

struct uint3 { unsigned x, y, z; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };

/* ---- the world -----------------------------------------------------------*/
enum { EMU_ASCENDING, EMU_DESCENDING, EMU_RANDOM, EMU_YIELDS };  /* order */
enum { EMU_READY, EMU_BARRIER, EMU_WARP, EMU_DONE };             /* state */
enum { EMU_NONE, EMU_SYNCWARP, EMU_SHFL, EMU_SHFL_UP, EMU_BALLOT }; /* op */
enum { EMU_PLAIN_READ, EMU_PLAIN_WRITE, EMU_ATOMIC, EMU_NC_READ }; /* kind */

struct emu_place { const char *file; int line, id; };

struct emu_block;
struct emu_thread {
    void *sp;                   /* or its ucontext_t */
    char *stack;
    size_t stack_size;
    emu_block *block;
    unsigned linear;            /* its number in the block */
    unsigned bit;               /* its place among those that can run */
    int state, op;
    unsigned mask, arg;
    uint64_t value, result;
    emu_place at;               /* where it waits */
    void *fake;                 /* what ASan keeps for it */
};
struct emu_shared_piece { emu_place at; char *p; size_t n; };
struct emu_block {
    unsigned linear, threads, arrived, live;
    uint32_t epoch;             /* barriers passed */
    emu_thread **t;
    unsigned waits[32], gone[32];   /* per warp: lanes in an operation, left */
    uint32_t *warp_clock;       /* per warp: its meetings so far, and 1 */
    uint32_t *known;            /* [warp][i][j]: when lane i last met lane j */
    emu_shared_piece *shared;
    unsigned pieces;
    size_t shared_bytes;
};

struct emu_world {
    /* for the test to set */
    uint64_t rng = 88172645463325252u;
    int order = EMU_ASCENDING;
    unsigned window = 1;        /* blocks alive together */
    int quiet = 0;              /* faults are counted, not printed */
    /* for the test to read */
    int failed = 0;
    char why[400] = "";
    uint64_t launches = 0;
    size_t device_bytes = 0;    /* allocated and not freed */
    /* what runs */
    emu_thread *cur = 0;
    dim3 grid, block;
    uint32_t launch = 0;
    int inside = 0;             /* the core is at work, not the kernel */
    int strict = 0;             /* kernels touch device memory only; set by the
                                   first cudaMalloc */
};
extern emu_world *const emu;

/* ---- for tests ------------------------------------------------------------*/
void emu_seed(uint64_t seed);           /* sets rng, order and window */
uint64_t emu_random(void);
void emu_forgive(void);                 /* failed = 0, why = "" */
void emu_adopt(void *p, size_t n);      /* this is device memory, unwritten */
void emu_forget(void *p);

/* ---- for what a kernel calls ----------------------------------------------*/
void emu_fail(emu_place at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void emu_syncthreads(emu_place at);
uint64_t emu_warp(int op, unsigned mask, uint64_t value, unsigned arg,
                  emu_place at);
void emu_yield(void);
void *emu_shared(emu_place at, size_t bytes);
bool emu_access(const void *p, size_t n, int kind, emu_place at,
                const void *pc);        /* may it be done? */

static inline emu_place emu_here(const char *file, int line, int id)
{ emu_place at = { file, line, id }; return at; }
#define EMU_HERE emu_here(__FILE__, __LINE__, __COUNTER__)

/* By value: a reference would make the kernel read the emulator's memory. */
EMU_NOSAN static inline uint3 emu_tid(void)
{ const uint3 v = { emu->cur->linear, 0, 0 }; return v; }
EMU_NOSAN static inline uint3 emu_bid(void)
{ const uint3 v = { emu->cur->block->linear, 0, 0 }; return v; }
EMU_NOSAN static inline dim3 emu_block_dim(void) { return emu->block; }
EMU_NOSAN static inline dim3 emu_grid_dim(void) { return emu->grid; }
#define threadIdx (emu_tid())
#define blockIdx (emu_bid())
#define blockDim (emu_block_dim())
#define gridDim (emu_grid_dim())

/* ---- what a kernel calls --------------------------------------------------*/
/* Each is a macro that notes the place it stands at, so that a fault can name
 * it; the work is done by the core. */

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

#define EMU_RMW(T, p, now) \
    if (!emu_touch(p, EMU_ATOMIC, at)) return 0; \
    emu_yield(); \
    const T o = *p; \
    *p = (T)(now); \
    return o;

/* The operations with the place they stand at; macros below give the names. */
struct emu_do {
    emu_place at;
    EMU_NOSAN emu_do(const char *file, int line, int id)
    { at.file = file; at.line = line; at.id = id; }

    void syncwarp(unsigned mask = 0xffffffffu) const
    { (void)emu_warp(EMU_SYNCWARP, mask, 0, 0, at); }
    unsigned ballot(unsigned mask, int v) const
    { return (unsigned)emu_warp(EMU_BALLOT, mask, v != 0, 0, at); }

    template <class T> EMU_NOSAN T lane(int op, unsigned mask, T v,
                                        unsigned arg) const
    {
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
        uint64_t u = 0;
        __builtin_memcpy(&u, &v, sizeof v);
        u = emu_warp(op, mask, u, arg, at);
        __builtin_memcpy(&v, &u, sizeof v);
        return v;
    }
    /* A lane is int or unsigned in kernels: both without a warning. */
    template <class T, class L> T shfl(unsigned mask, T v, L from) const
    { return lane(EMU_SHFL, mask, v, (unsigned)from); }
    template <class T, class L> T shfl_up(unsigned mask, T v, L by) const
    { return lane(EMU_SHFL_UP, mask, v, (unsigned)by); }

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
    EMU_NOSAN T max(T *p, T v) const { EMU_RMW(T, p, o > v ? o : v) }
    EMU_ATOMIC_OF(unsigned)
    EMU_ATOMIC_OF(unsigned long long)
};
#define EMU_DO emu_do(__FILE__, __LINE__, __COUNTER__)
#define __syncthreads() emu_syncthreads(EMU_HERE)
#define __syncwarp EMU_DO.syncwarp
#define __ballot_sync EMU_DO.ballot
#define __shfl_sync EMU_DO.shfl
#define __shfl_up_sync EMU_DO.shfl_up
#define __ldg EMU_DO.read_nc
#define __stcs EMU_DO.write
#define atomicAdd EMU_DO.add
#define atomicMax EMU_DO.max

static inline int __popc(unsigned v) { return __builtin_popcount(v); }
/* The lower word of hi:lo shifted by n & 31. */
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n)
{ return (unsigned)(((uint64_t)hi << 32 | lo) >> (n & 31u)); }

#endif
