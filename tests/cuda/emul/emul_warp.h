/* emul_warp.h - barriers and warp operations.
 *
 * A part of cuda_emul.h, of its core. A thread that meets one waits until all
 * have come whom the block or the mask names; the last to come gives everybody
 * the result. What CUDA leaves undefined is a fault: a mask without the caller,
 * a lane that has left, a barrier at two places. Kernels call these by
 * emul_device.h; who never comes is found out in emul_launch.h. */
#ifndef EMUL_WARP_H
#define EMUL_WARP_H

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

/* Strict: every thread of the block, those that have left included. Two
 * objects in turn for TSan, else one barrier would order the next. */
void emu_syncthreads(emu_place at)
{
    emu_thread *const t = emu->cur;
    emu_block *const b = t->block;
    emu->inside = 1;
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

#endif
