/* bench.h - what the contestants of the benchmark share: the buffers they run
 * in, and the processors they run on. */
#ifndef NDG_BENCH_H
#define NDG_BENCH_H

#include "work.h"

static struct { byte *table, *out, *want, *indices, *linear, *room; } mem;

/* Of partitions: [threads][parts]. */
static ptrdiff_t counts[MOST_THREADS * MOST_PARTS];
static ptrdiff_t cursors[MOST_THREADS * MOST_PARTS];
static byte     *naive_at[MOST_THREADS * MOST_PARTS];
static int32_t  *naive_place[MOST_THREADS * MOST_PARTS];
static void     *outs[MOST_PARTS], *places[MOST_PARTS];

/* Sums of what ceilings read end here, so that they must be read. */
static volatile unsigned sink;

/* BENCH=quick halves the rows of large cells; their buffers are cold still. */
static int quick;

/* ---- buffers, processors -------------------------------------------------*/
/* Aligned to 2 MiB, in huge pages where the system grants them, touched. */
static byte *buffer(ptrdiff_t bytes)
{
    const uintptr_t huge = 2 << 20;
    void *p = mmap(NULL, (size_t)bytes + huge, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        printf("no memory for the buffers\n");
        exit(1);
    }
    p = (byte *)p + (huge - (uintptr_t)p % huge) % huge;
    madvise(p, (size_t)bytes, MADV_HUGEPAGE);
    memset(p, 1, (size_t)bytes);
    return (byte *)p;
}

static cpu_set_t allowed;      /* at the start, before anything is pinned */

/* Binds this thread to the number-th processor it may use. */
static void pin(int number)
{
    cpu_set_t one;
    size_t    which;
    int       seen = 0;
    CPU_ZERO(&one);
    for (which = 0; which < CPU_SETSIZE; which++)
        if (CPU_ISSET(which, &allowed) && seen++ == number)
            CPU_SET(which, &one);
    if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one);
}

#endif
