/* emul_world.h - the emulator's state, and the functions by which the others
 * reach its core.
 *
 * A part of cuda_emul.h. A thread of a kernel, a block, and the world that they
 * run in; tests set `emu` and read its faults, kernels find their coordinates
 * there. A program whose accesses are instrumented has this but not the core,
 * which is a unit of its own then. */
#ifndef EMUL_WORLD_H
#define EMUL_WORLD_H

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
    uint3 tid;
    unsigned linear;            /* its number in the block */
    unsigned bit;               /* its place among those that can run */
    int state, op;
    unsigned mask, arg;
    uint64_t value, result;
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
EMU_NOSAN static inline uint3 emu_tid(void) { return emu->cur->tid; }
EMU_NOSAN static inline uint3 emu_bid(void) { return emu->cur->block->idx; }
EMU_NOSAN static inline dim3 emu_block_dim(void) { return emu->block; }
EMU_NOSAN static inline dim3 emu_grid_dim(void) { return emu->grid; }
#define threadIdx (emu_tid())
#define blockIdx (emu_bid())
#define blockDim (emu_block_dim())
#define gridDim (emu_grid_dim())

#endif
