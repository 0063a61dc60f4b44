/* cuda_race.h - finds races and reads of unwritten memory in emulated kernels.
 *
 * Part of the core of cuda_emul.h when built with -DEMU_RACE. The kernels are
 * compiled with -fsanitize=thread, which makes the compiler call a function at
 * every access; the program is linked without it, and the functions are these.
 * (With -Wl,--wrap=memcpy,--wrap=memset these two are seen as well.)
 *
 * Per byte of device and shared memory, in the launch that runs: who has
 * written it last, who has read it since, who has used it atomically; each as
 * a set of lanes with the time of their access. Time is the block's count of
 * barriers and the warp's count of __syncwarp, and a lane knows when it last
 * met each other one, directly or through others. Two accesses, one of them a
 * plain write (or one plain, one atomic), that nothing orders are a race,
 * whatever the bytes in the end. So are a write to what __ldg reads in the
 * same launch, and a read of what nothing has ever written. */
#ifndef CUDA_RACE_H
#define CUDA_RACE_H

#include <link.h>

enum { EMU_NOBODY, EMU_LANES, EMU_WARPS, EMU_BLOCKS };  /* level */
struct emu_set {
    uint32_t block, epoch, clock, mask;
    uint32_t each;              /* clocks by lane, where they differ; or 0 */
    uint16_t warp;
    uint8_t level;              /* of how many lanes, warps or blocks */
};
struct emu_cell {
    uint32_t launch;
    uint8_t written;            /* ever */
    uint8_t nc;                 /* read by __ldg in this launch */
    emu_set reads, atomics, write;
};

/* Tables of 32 clocks, all forgotten by the next launch. Number 0 is none. */
struct emu_clocks { uint32_t of[32]; };
static std::vector<emu_clocks> emu_each;
static uint32_t emu_each_launch;

static uint32_t emu_new_each(void)
{
    if (emu_each_launch != emu->launch) emu_each.clear();
    emu_each_launch = emu->launch;
    if (emu_each.empty()) emu_each.resize(1);
    emu_each.resize(emu_each.size() + 1);
    return (uint32_t)emu_each.size() - 1;
}

static void emu_race_new(emu_region *r)
{
    r->cells = (emu_cell *)calloc(r->n ? r->n : 1, sizeof *r->cells);
    if (!r->cells) abort();
}

static void emu_race_gone(emu_region *r) { free(r->cells); }

static void emu_race_written(emu_region *r, size_t first, size_t n)
{
    for (size_t i = first; i < first + n && i < r->n; i++)
        r->cells[i].written = 1;
}

/* Are all accesses in s ordered before t's next one? */
static int emu_ordered(const emu_set *s, const emu_thread *t)
{
    const emu_block *const b = t->block;
    const unsigned warp = t->linear / 32, lane = t->linear % 32;
    const uint32_t *const met = b->known + warp * 1024 + lane * 32;
    if (s->level == EMU_NOBODY) return 1;
    if (s->level == EMU_BLOCKS || s->block != b->linear) return 0;
    if (s->epoch != b->epoch) return 1;
    if (s->level == EMU_WARPS || s->warp != warp) return 0;
    for (unsigned l = 0; l < 32; l++)
        if (s->mask >> l & 1u && l != lane &&
            met[l] <= (s->each ? emu_each[s->each].of[l] : s->clock))
            return 0;
    return 1;
}

static void emu_add_lane(emu_set *s, const emu_thread *t)
{
    const unsigned lane = t->linear % 32;
    const uint32_t now = t->block->warp_clock[t->linear / 32];
    if (s->mask && s->clock != now && !s->each) {
        s->each = emu_new_each();
        for (unsigned l = 0; l < 32; l++) emu_each[s->each].of[l] = s->clock;
    }
    if (s->each) emu_each[s->each].of[lane] = now;
    s->clock = now;
    s->mask |= 1u << lane;
}

/* Adds t to the set, from which whoever is ordered before t may go. */
static void emu_add(emu_set *s, const emu_thread *t)
{
    const unsigned warp = t->linear / 32;
    if (s->level == EMU_BLOCKS) return;
    if (s->level != EMU_NOBODY && s->block != t->block->linear) {
        s->level = EMU_BLOCKS;
        return;
    }
    if (s->level == EMU_NOBODY || emu_ordered(s, t)) {
        s->level = EMU_LANES;
        s->mask = s->each = 0;
        s->block = t->block->linear;
        s->epoch = t->block->epoch;
        s->warp = (uint16_t)warp;
    } else if (s->level == EMU_WARPS || s->warp != warp) {
        s->level = EMU_WARPS;
        return;
    }
    emu_add_lane(s, t);
}

/* What is wrong with this access, or NULL. */
static const char *emu_wrong(const emu_cell *c, const emu_thread *t, int kind)
{
    const int writes = kind == EMU_PLAIN_WRITE || kind == EMU_ATOMIC;
    if (kind == EMU_NC_READ &&
        (c->write.level != EMU_NOBODY || c->atomics.level != EMU_NOBODY))
        return "__ldg of what this launch has written";
    if (writes && c->nc) return "a write to what this launch reads by __ldg";
    if (!emu_ordered(&c->write, t))
        return kind == EMU_PLAIN_WRITE ? "race: a write after a write"
            : kind == EMU_ATOMIC ? "race: an atomic after a plain write"
            : "race: a read after a write";
    if (kind != EMU_ATOMIC && !emu_ordered(&c->atomics, t))
        return "race: a plain access after an atomic";
    if (writes && !emu_ordered(&c->reads, t))
        return "race: a write after a read";
    if (kind != EMU_PLAIN_WRITE && !c->written)
        return "a read of what nothing has written";
    return 0;
}

static void emu_note(emu_cell *c, const emu_thread *t, int kind)
{
    if (kind == EMU_NC_READ) c->nc = 1;
    if (kind == EMU_PLAIN_READ || kind == EMU_NC_READ) {
        emu_add(&c->reads, t);
        return;
    }
    c->written = 1;
    if (kind == EMU_ATOMIC) {
        emu_add(&c->atomics, t);
    } else {
        c->write.level = EMU_NOBODY;
        emu_add(&c->write, t);
    }
}

static void emu_race(emu_region *r, size_t first, size_t n, int kind,
                     emu_place at, const void *pc)
{
    const emu_thread *const t = emu->cur;
    for (size_t i = first; i < first + n; i++) {
        emu_cell *const c = &r->cells[i];
        const char *wrong;
        if (c->launch != emu->launch) {
            const uint8_t written = c->written;
            memset(c, 0, sizeof *c);
            c->written = written;
            c->launch = emu->launch;
        }
        wrong = emu_wrong(c, t, kind);
        if (wrong)
            emu_fail(at, "%s, byte %lu of %lu of %s memory%s", wrong,
                     (unsigned long)i, (unsigned long)r->n,
                     r->kind == EMU_OF_BLOCK ? "shared" : "device",
                     emu_source_line(pc));
        emu_note(c, t, kind);
    }
}

/* Where the program was loaded. */
static int emu_load_address(struct dl_phdr_info *info, size_t, void *p)
{
    *(uintptr_t *)p = (uintptr_t)info->dlpi_addr;
    return 1;
}

/* " at FILE:LINE" of the first fault's instruction, if addr2line is there. */
static const char *emu_source_line(const void *pc)
{
    static char text[300];
    char line[250] = "";
    uintptr_t base = 0;
    FILE *f = 0;
    if (!pc || emu->failed) return "";
    if (!emu->quiet) {
        dl_iterate_phdr(emu_load_address, &base);
        snprintf(text, sizeof text,
                 "addr2line -e /proc/%ld/exe 0x%lx 2>/dev/null", (long)getpid(),
                 (unsigned long)((uintptr_t)pc - base - 1));
        f = popen(text, "r");
    }
    if (f && fgets(line, sizeof line, f) && line[0] != '?') {
        line[strcspn(line, "\n")] = 0;
        snprintf(text, sizeof text, " at %s", line);
    } else {
        snprintf(text, sizeof text, " at pc %p", pc);
    }
    if (f) pclose(f);
    return text;
}

/* A kernel's plain access. The compiler's aligned calls promise alignment, of
 * 16 bytes no more than 8. Between any two accesses others may run. */
static void emu_plain(const void *p, size_t n, int kind, size_t align,
                      const void *pc)
{
    if (!emu->cur || emu->inside) return;
    if (align > 1 && (uintptr_t)p % align != 0)
        emu_fail(emu_nowhere, "a misaligned address, %p for %u bytes%s", p,
                 (unsigned)n, emu_source_line(pc));
    (void)emu_access(p, n, kind, emu_nowhere, pc);
    if (!(emu_random() & 3u) && !emu_on_stack(emu->cur, (const char *)p))
        emu_yield();
}

extern "C" {
#define EMU_PC __builtin_return_address(0)
#define EMU_READ(p, n, align) \
    emu_plain(p, n, EMU_PLAIN_READ, align, EMU_PC)
#define EMU_WRITE(p, n, align) \
    emu_plain(p, n, EMU_PLAIN_WRITE, align, EMU_PC)
#define EMU_HOOK(n, align) \
    void __tsan_read##n(void *p) { EMU_READ(p, n, align); } \
    void __tsan_write##n(void *p) { EMU_WRITE(p, n, align); } \
    void __tsan_unaligned_read##n(void *p) { EMU_READ(p, n, 1); } \
    void __tsan_unaligned_write##n(void *p) { EMU_WRITE(p, n, 1); }
EMU_HOOK(1, 1)
EMU_HOOK(2, 2)
EMU_HOOK(4, 4)
EMU_HOOK(8, 8)
EMU_HOOK(16, 8)
void __tsan_read_range(void *p, size_t n) { EMU_READ(p, n, 1); }
void __tsan_write_range(void *p, size_t n) { EMU_WRITE(p, n, 1); }
void __tsan_init(void) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}

/* memmove, because memcpy itself may be linked to these. */
static void *emu_copied(void *to, const void *from, size_t n, const void *pc)
{
    if (n) {
        emu_plain(from, n, EMU_PLAIN_READ, 1, pc);
        emu_plain(to, n, EMU_PLAIN_WRITE, 1, pc);
    }
    return memmove(to, from, n);
}
static void *emu_filled(void *p, int v, size_t n, const void *pc)
{
    volatile unsigned char *const b = (volatile unsigned char *)p;
    if (n) emu_plain(p, n, EMU_PLAIN_WRITE, 1, pc);
    for (size_t i = 0; i < n; i++) b[i] = (unsigned char)v;
    return p;
}
void *__tsan_memcpy(void *to, const void *from, size_t n)
{ return emu_copied(to, from, n, EMU_PC); }
void *__tsan_memmove(void *to, const void *from, size_t n)
{ return emu_copied(to, from, n, EMU_PC); }
void *__tsan_memset(void *p, int v, size_t n)
{ return emu_filled(p, v, n, EMU_PC); }
void *__wrap_memcpy(void *to, const void *from, size_t n)
{ return emu_copied(to, from, n, EMU_PC); }
void *__wrap_memset(void *p, int v, size_t n)
{ return emu_filled(p, v, n, EMU_PC); }
}
#endif
