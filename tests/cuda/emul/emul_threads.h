/* emul_threads.h - a kernel's threads, as fibers on one OS thread.
 *
 * A part of cuda_emul.h, of its core. The one world; chance, which draws all
 * orders; faults. Stacks are switched by a few lines of assembly or ucontext;
 * the next to run is the first, the last, or drawn by chance. At a barrier or a
 * warp operation a thread waits until all have come whom the block or the mask
 * names; the last to come gives everybody the result. What CUDA leaves
 * undefined is a fault: a mask without the caller, a lane that has left, a
 * barrier at two places. A block has its threads and its pieces of shared
 * memory, which hold garbage at first; a launch keeps some blocks alive
 * together, starts them in an order drawn by chance, and tells when nobody can
 * go on. */
#ifndef EMUL_THREADS_H
#define EMUL_THREADS_H

static emu_world emu_the_world;
emu_world *const emu = &emu_the_world;

/* ---- chance ---------------------------------------------------------------*/
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

/* ---- faults ---------------------------------------------------------------*/
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

/* ---- fibers ---------------------------------------------------------------*/
static emu_thread emu_home;             /* the stack that launched */
/* Idle fibers. (No list of the core is destroyed: at exit it may be in use.) */
static std::vector<emu_thread *> &emu_pool = *new std::vector<emu_thread *>;
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

static emu_thread *emu_take_thread(void)
{
    if (emu_pool.empty()) return emu_new_thread();
    emu_thread *const t = emu_pool.back();
    emu_pool.pop_back();
    return t;
}

/* A chance for others, where orders with yields have one. */
void emu_yield(void)
{
    if (emu->order != EMU_YIELDS || !emu->cur || emu_random() & 3u) return;
    emu->inside = 1;
    emu_next(emu->cur);
    emu->inside = 0;
}

/* ---- waiting --------------------------------------------------------------*/
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

/* ---- barriers -------------------------------------------------------------*/
static void emu_barrier_done(emu_block *b, emu_place at)
{
    for (unsigned i = 0; i < b->threads; i++)
        if (!emu_same_place(b->t[i]->at, at))
            emu_fail(at, "a barrier met from two places, the other is %s:%d,",
                     b->t[i]->at.file, b->t[i]->at.line);
    for (unsigned i = 0; i < b->threads; i++) emu_make_ready(b->t[i]);
    b->arrived = 0;
    b->epoch++;
}

/* Strict: every thread of the block, those that have left included. */
void emu_syncthreads(emu_place at)
{
    emu_thread *const t = emu->cur;
    emu_block *const b = t->block;
    emu->inside = 1;
    emu_wait(t, EMU_BARRIER, EMU_NONE, at);
    if (++b->arrived == b->threads) emu_barrier_done(b, at);
    emu_next(t);
    emu->inside = 0;
}

/* ---- warp operations ------------------------------------------------------*/
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

/* What the lane that a shuffle reads has brought; below the first lane, what
 * the lane itself has. */
static uint64_t emu_shuffled(const emu_thread *t, unsigned mask)
{
    const unsigned lane = t->linear & 31u;
    const unsigned from = t->op == EMU_SHFL ? t->arg & 31u
        : lane >= t->arg ? lane - t->arg : lane;
    if (mask >> from & 1u) return t->block->t[(t->linear & ~31u) + from]->value;
    emu_fail(t->at, "lane %u reads lane %u, which is outside the mask", lane,
             from);
    return t->value;
}

/* All lanes are here: their results, from the values they brought. */
static void emu_exchange(emu_thread *const *warp, unsigned mask, int op)
{
    unsigned ballot = 0;
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        ballot |= (unsigned)(warp[l]->value != 0) << l;
    }
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        emu_thread *const t = warp[__builtin_ctz(rest)];
        t->result = op == EMU_SHFL || op == EMU_SHFL_UP ? emu_shuffled(t, mask)
                                                        : ballot;
    }
    for (; mask; mask &= mask - 1) emu_leave_op(warp[__builtin_ctz(mask)]);
}

static void emu_refuse_operands(const emu_thread *t)
{
    if (!(t->mask >> (t->linear & 31u) & 1u))
        emu_fail(t->at, "the caller is not in its own mask");
    if (t->op == EMU_SHFL_UP && t->arg > 31u)
        emu_fail(t->at, "a distance of %u: the hardware takes it modulo 32",
                 t->arg);
}

uint64_t emu_warp(int op, unsigned mask, uint64_t value, unsigned arg,
                  emu_place at)
{
    emu_thread *const t = emu->cur;
    emu_block *const b = t->block;
    const unsigned first = t->linear & ~31u;
    unsigned met;
    emu->inside = 1;
    t->mask = mask;
    t->value = value;
    t->arg = arg;
    emu_wait(t, EMU_WARP, op, at);
    b->waits[first / 32] |= 1u << (t->linear & 31u);
    emu_refuse_operands(t);
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
    emu->inside = 0;
    return t->result;
}

/* ---- blocks ---------------------------------------------------------------*/
/* A piece per block and place, made by the first thread that comes by. */
static char *emu_new_piece(emu_block *b, emu_place at, size_t n)
{
    void *p = 0;
    b->shared_bytes += n;
    if (b->shared_bytes > 49152)
        emu_fail(at, "%lu bytes of shared memory in a block",
                 (unsigned long)b->shared_bytes);
    if (b->pieces == 64 || posix_memalign(&p, 16, n ? n : 1) != 0) abort();
    memset(p, (int)(0xa5 ^ (emu_random() & 0x7f)), n);
    emu_insert(p, n, EMU_OF_BLOCK, b);
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
    const unsigned n = emu->block.x, warps = (n + 31) / 32;
    b->linear = linear;
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
    for (unsigned i = 0; i < n; i++) {
        emu_thread *const t = emu_take_thread();
        t->block = b;
        t->linear = i;
        t->bit = slot * ((n + 63) / 64 * 64) + i;
        emu_at_bit[t->bit] = t;
        b->t[i] = t;
        emu_make_ready(t);
    }
}

static void emu_end_block(emu_block *b)
{
    for (unsigned i = 0; i < b->threads; i++) {
        if (b->t[i]->state != EMU_DONE) emu_renew(b->t[i]);
        emu_pool.push_back(b->t[i]);
    }
    for (unsigned i = 0; i < b->pieces; i++) {
        emu_forget(b->shared[i].p);
        free(b->shared[i].p);
    }
    b->pieces = 0;
}

/* ---- a launch -------------------------------------------------------------*/
static std::vector<emu_block *> &emu_slots      /* for blocks alive together */
    = *new std::vector<emu_block *>;

/* Nobody can go on: some wait for those who never come. */
static void emu_stuck(unsigned window, const std::vector<char> &alive)
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
    while (emu_slots.size() < window) emu_slots.push_back(emu_new_block());
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
}

/* The order in which the blocks start. */
static std::vector<unsigned> emu_block_order(unsigned blocks)
{
    std::vector<unsigned> order(blocks);
    for (unsigned i = 0; i < blocks; i++)
        order[i] = emu->order == EMU_DESCENDING ? blocks - 1 - i : i;
    for (unsigned i = blocks; i > 1 && emu->order >= EMU_RANDOM; i--)
        std::swap(order[i - 1], order[(size_t)(emu_random() % i)]);
    return order;
}

static void emu_run_blocks(unsigned blocks, unsigned window)
{
    const std::vector<unsigned> order = emu_block_order(blocks);
    std::vector<char> alive(window);
    unsigned next = 0, living = 0;
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
}

/* Of one dimension: no kernel here has more. */
static bool emu_launchable(dim3 g, dim3 b)
{
    const bool flat = g.y == 1 && g.z == 1 && b.y == 1 && b.z == 1;
    return flat && b.x >= 1 && b.x <= 1024 && g.x >= 1 && g.x <= 0x7fffffffu;
}

/* Runs a kernel now: its turn in the queue has come. */
static cudaError_t emu_run(dim3 grid, dim3 block, void (*body)(void *),
                           void *arg)
{
    const unsigned window = emu->window ? emu->window : 1;
    const int before = emu->failed;
    emu->grid = grid;
    emu->block = block;
    emu_body = body;
    emu_arg = arg;
    emu->launches++;
    emu->launch++;
    if (!emu->rng) emu->rng = 1;
    emu_prepare(block.x, window);
    emu_open();
    emu_run_blocks(grid.x, window);
    emu_close();
    emu->inside = 0;
    return emu->failed == before ? cudaSuccess : cudaErrorLaunchFailure;
}

#endif
