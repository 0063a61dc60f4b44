/* emul_memory.h - which memory a kernel may touch, and the device's own.
 *
 * A part of cuda_emul.h; the core begins. A table of regions: what cudaMalloc
 * gave, what emu_adopt named, the shared memory of a block. Every access of a
 * kernel that the emulator sees is looked up there. Device memory lies in one
 * stretch that the host cannot reach, filled with garbage, each allocation with
 * a gap behind it. The queue, the launch and cuda_race.h use it. */
#ifndef EMUL_MEMORY_H
#define EMUL_MEMORY_H

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

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

static const emu_place emu_nowhere = { 0, 0, 0 };

/* ---- regions --------------------------------------------------------------*/
struct emu_cell;                        /* what the race checker keeps */
enum { EMU_DEVICE, EMU_MAPPED, EMU_OF_BLOCK };
struct emu_region {
    char *p;
    size_t n;
    int kind;
    emu_block *owner;
    emu_cell *cells;
};
static std::vector<emu_region> &emu_regions     /* by address */
    = *new std::vector<emu_region>;
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
    const emu_region *const r = emu_regions.data();
    size_t lo = 0, hi = emu_regions.size();
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if ((const char *)p < r[mid].p) hi = mid;
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
    emu_last_region = 0;
    emu_race_new(&*emu_regions.insert(
        emu_regions.begin() + (ptrdiff_t)emu_before(p), r));
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
    emu_regions.erase(emu_regions.begin() + (r - emu_regions.data()));
    emu_last_region = 0;
}

void emu_adopt(void *p, size_t n) { emu_insert(p, n, EMU_MAPPED, 0); }

void emu_forget(void *p)
{
    emu_region *const r = emu_exactly(p);
    if (r) emu_remove(r);
}

static void emu_written(const void *p, size_t n)
{
    emu_region *const r = n ? emu_find(p) : 0;
    if (r) emu_race_written(r, (size_t)((const char *)p - r->p), n);
}

/* ---- accesses -------------------------------------------------------------*/
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

/* ---- the device's memory --------------------------------------------------*/
/* Device memory comes from one stretch of addresses, which nobody may touch
 * but while kernels and copies run. */
static const size_t emu_arena_size = sizeof(void *) == 8 ? (size_t)1 << 32
                                                         : (size_t)1 << 28;
static char *emu_arena;
static size_t emu_arena_high;           /* as far as pages are in use */
static unsigned emu_opens;
static const size_t EMU_GAP = 256, EMU_PAGE = 65536, EMU_STACK = 131072;

static void emu_permit(int prot)
{
    if (emu_arena_high && mprotect(emu_arena, emu_arena_high, prot) != 0)
        abort();
}
static void emu_open(void)
{ if (emu_opens++ == 0) emu_permit(PROT_READ | PROT_WRITE); }
static void emu_close(void) { if (--emu_opens == 0) emu_permit(PROT_NONE); }

static void emu_reserve(void)
{
    void *const p = mmap(0, emu_arena_size, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) abort();
    emu_arena = (char *)p;
}

static size_t emu_slot(size_t n)
{ return (n + 2 * EMU_GAP - 1) / EMU_GAP * EMU_GAP; }

/* The first stretch with room for n bytes and a gap, or NULL. */
static char *emu_place_for(size_t n)
{
    char *at = emu_arena;
    for (const emu_region &r : emu_regions) {
        if (r.kind != EMU_DEVICE) continue;
        if ((size_t)(r.p - at) >= emu_slot(n)) break;
        at = r.p + emu_slot(r.n);
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

/* Opening and closing takes time by the page: after much memory, back to
 * little. */
static void emu_shrink(void)
{
    size_t top = 0;
    for (const emu_region &r : emu_regions)
        if (r.kind == EMU_DEVICE)
            top = (size_t)(r.p - emu_arena) + emu_slot(r.n);
    top = (top + EMU_PAGE - 1) / EMU_PAGE * EMU_PAGE;
    if (emu_arena_high <= 2 * top + 4 * EMU_PAGE) return;
    if (mprotect(emu_arena + top, emu_arena_high - top, PROT_NONE) != 0)
        abort();
    emu_arena_high = top;
}

static void emu_release_memory(emu_region *r)
{
    emu_open();
#if defined(EMU_ASAN)
    __asan_poison_memory_region(r->p, r->n);
#endif
    emu->device_bytes -= r->n;
    emu_remove(r);
    emu_shrink();
    emu_close();
}

#endif
