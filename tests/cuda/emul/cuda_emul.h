/* cuda_emul.h - runs CUDA kernels on the CPU.
 *
 *     c++ -x c++ -include tests/cuda/emul/cuda_emul.h kernels.cu
 *
 * Every thread of a kernel is a fiber on one OS thread. Barriers, warp
 * operations and atomics are real; the order in which threads, blocks and
 * streams run comes from a seed, so a failure replays. What the hardware leaves
 * undefined is refused, with the place: `emu->failed` counts the faults and
 * `emu->why` says the first.
 *
 *     emu_seed(7);                      // thread order, blocks alive at once
 *     cudaMalloc(&d, n) ... launch ... cudaStreamSynchronize(stream)
 *     if (emu->failed) puts(emu->why);
 *
 * - Work on a stream waits in its queue until something synchronises, so a
 *   result read too early is not there yet. Streams take turns by the seed, as
 *   if none waited for the legacy one. Capture records the queue, and a launch
 *   of the graph replays it.
 * - cudaMalloc'd memory is out of the host's reach but for the time that
 *   kernels and copies run: touching it from the host ends the program, as does
 *   a kernel that overflows its stack. What is not device memory is a kernel's
 *   fault: through __ldg, stores with a hint and atomics in every build, by
 *   plain accesses in the race checker's. (A program that never calls
 *   cudaMalloc may hand out any memory; emu_adopt names it as device memory.)
 * - NDGI_SHARED(type, name, count) declares shared memory: a block's own, of
 *   the exact size, filled with seeded garbage.
 * - With EMU_HALT in the environment the first fault ends the program.
 *
 * Others include this file alone. Its parts, in this order:
 *
 *   emul_kernel.h     CUDA's words, `emu`, what a kernel calls
 *   emul_host.h       what a host calls, declared; a launch
 * and the core:
 *   emul_memory.h     which memory a kernel may touch; the device's own
 *   emul_threads.h    chance, faults, fibers, warps, blocks, a whole launch
 *   emul_queue.h      streams, graphs, copies, allocations, the device
 *   cuda_race.h       with -DEMU_RACE: races, reads of unwritten memory
 *
 * Builds: plain, or with -fsanitize=address,undefined: this file alone. For the
 * race checker (cuda_race.h) the core is a unit of its own: compile this file
 * with -DEMU_RACE, the rest with -DEMU_RACE -DEMU_EXTERN -fsanitize=thread, and
 * link them without it. tests/cuda/cuda.sh has the commands.
 *
 * It has what the kernels, examples, tests and the benchmark here call, and no
 * more of CUDA: what is missing does not compile. Kernels of two streams run
 * one after the other, in either order, never at once. */
#ifndef CUDA_EMUL_H
#define CUDA_EMUL_H
#define NDG_CUDA_RUNTIME_PROVIDED

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <new>
#include <type_traits>

#if defined(__SANITIZE_ADDRESS__)
#define EMU_ASAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ASAN 1
#endif
#endif

/* What the race checker must not take for the kernel's own accesses. */
#if defined(EMU_RACE)
#define EMU_NOSAN __attribute__((no_sanitize_thread))
#else
#define EMU_NOSAN
#endif

#include "emul_kernel.h"
#include "emul_host.h"

#ifndef EMU_EXTERN                      /* the core */
#include "emul_memory.h"
#include "emul_threads.h"
#include "emul_queue.h"
#if defined(EMU_RACE)
#include "cuda_race.h"
#endif
#endif
#endif
