/* emul_device.h - the functions that a kernel calls.
 *
 * A part of cuda_emul.h: barriers, warp operations, atomics, __ldg, __stcs and
 * two on bits, all that the kernels of ndgather_cuda.cuh, of the examples, the
 * tests and the benchmark use. Each is a macro that notes the place it stands
 * at, so that a fault can name it; the work is done by the core. */
#ifndef EMUL_DEVICE_H
#define EMUL_DEVICE_H

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
