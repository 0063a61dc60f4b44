/* emul_fibers.h - threads of a kernel as fibers on one OS thread.
 *
 * A part of cuda_emul.h, of its core. It switches stacks, by a few lines of
 * assembly or ucontext, keeps the fibers for the next block, and picks who runs
 * next: the first, the last, or by chance. emul_warp.h lets fibers wait,
 * emul_launch.h starts and ends them. */
#ifndef EMUL_FIBERS_H
#define EMUL_FIBERS_H

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

static emu_thread *emu_any_thread(void)
{
    if (emu_pool.empty()) return emu_new_thread();
    emu_thread *const t = emu_pool.back();
    emu_pool.pop_back();
    return t;
}

#if defined(EMU_TSAN)
/* TSan knows a fiber by its own history, and what it knew as thread 3 of one
 * block it still knows in the next, after a barrier all others too: so a block
 * takes those that have rested longest, in random order, from twice as many as
 * are at work. From no more, since TSan drops the reports of threads it has
 * forgotten. */
static std::deque<emu_thread *> &emu_rested     /* the longest first */
    = *new std::deque<emu_thread *>;

static void emu_rest(emu_thread *t) { emu_rested.push_back(t); }

static void emu_prepare_threads(size_t at_work)
{
    emu_pool.insert(emu_pool.end(), emu_rested.begin(), emu_rested.end());
    emu_rested.clear();
    while (emu_rested.size() < 2 * at_work) emu_rest(emu_any_thread());
}

static emu_thread *emu_take_thread(unsigned among)
{
    const size_t n = among < emu_rested.size() ? among : emu_rested.size();
    std::swap(emu_rested[0], emu_rested[(size_t)emu_random() % n]);
    emu_thread *const t = emu_rested.front();
    emu_rested.pop_front();
    return t;
}
#else
static void emu_rest(emu_thread *t) { emu_pool.push_back(t); }
static void emu_prepare_threads(size_t) {}
static emu_thread *emu_take_thread(unsigned) { return emu_any_thread(); }
#endif

/* A chance for others, where orders with yields have one. */
void emu_yield(void)
{
    if (emu->order != EMU_YIELDS || !emu->cur || emu_random() & 3u) return;
    emu->inside = 1;
    emu_next(emu->cur);
    emu->inside = 0;
}

#endif
