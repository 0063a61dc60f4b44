/* emul_launch.h - the blocks of a kernel, from the first to the last.
 *
 * A part of cuda_emul.h, of its core. A block has its threads and its pieces of
 * shared memory, which hold garbage at first; a launch keeps some blocks alive
 * together, starts them in an order drawn by chance, and tells when nobody can
 * go on. The queue calls emu_run, kernels emu_shared by NDGI_SHARED. */
#ifndef EMUL_LAUNCH_H
#define EMUL_LAUNCH_H

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

static uint3 emu_uint3(unsigned x, unsigned y, unsigned z)
{ const uint3 v = { x, y, z }; return v; }

static void emu_start_block(emu_block *b, unsigned slot, unsigned linear)
{
    const dim3 g = emu->grid, d = emu->block;
    const unsigned n = d.x * d.y * d.z, warps = (n + 31) / 32;
    b->linear = linear;
    b->idx = emu_uint3(linear % g.x, linear / g.x % g.y, linear / g.x / g.y);
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
        t->tid = emu_uint3(i % d.x, i / d.x % d.y, i / d.x / d.y);
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
    emu_prepare_threads((size_t)threads * window);
#if defined(EMU_TSAN)
    emu_home.fiber = __tsan_get_current_fiber();
    emu_release(&emu_start_object);
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

static int emu_launchable(dim3 g, dim3 b)
{
    const uint64_t n = (uint64_t)b.x * b.y * b.z;
    return n >= 1 && b.x <= 1024 && b.y <= 1024 && b.z <= 64 && n <= 1024 &&
        g.x >= 1 && g.x <= 0x7fffffffu && g.y >= 1 && g.y <= 65535 &&
        g.z >= 1 && g.z <= 65535;
}

/* Runs a kernel now: its turn in the queue has come. */
static cudaError_t emu_run(dim3 grid, dim3 block, void (*body)(void *),
                           void *arg)
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

#endif
