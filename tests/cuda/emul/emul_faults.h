/* emul_faults.h - the core begins: what it includes, the one world, chance and
 * faults, and how TSan is told of what it cannot see.
 *
 * A part of cuda_emul.h, and the first of the core: the rest of the core draws
 * its order from emu_random and ends its refusals in emu_fail. Tests call
 * emu_seed and emu_forgive. */
#ifndef EMUL_FAULTS_H
#define EMUL_FAULTS_H

#include <signal.h>
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

static emu_world emu_the_world;
emu_world *const emu = &emu_the_world;

static const emu_place emu_nowhere = { 0, 0, 0 };

/* ---- TSan -----------------------------------------------------------------*/
/* The launch's start and its end need an object each. With one, a block
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

#endif
