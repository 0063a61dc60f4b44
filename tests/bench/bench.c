/* bench.c - ours beside loops by hand and the machine's ceilings
 *
 *     make bench                       large cells, then small ones
 *     make bench BENCH=quick           fewer of them, shorter
 *     make bench BENCH=gather/64B      the cells whose name contains this
 *     make bench BENCH=check           all cells, compared and not timed
 *     make bench-small                 small ones alone, by gcc and by clang
 *     make bench-versus REV=COMMIT     beside the header of another commit
 *
 * Large cells (large.h) are those of cells.h; small ones are in small.h. Each
 * has a plan that is made once and run, one or two loops by hand, and, if it is
 * large, those lower bounds of ceiling.h that apply. All are in one process and
 * the same buffers (2-MiB aligned, touched), on pinned threads, timed in turn
 * round by round; the best of the rounds after a warm-up counts. Short ones are
 * repeated inside C.
 *
 * With -DVERSUS both headers are in this program, each compiled by itself with
 * the same flags, their code and constants at the same low bits of an address;
 * they have the same buffers and keep their plans at one place. They are timed
 * by turns (old, new, by hand, then new, old, by hand ...), many times and
 * shortly; where they differ there are more rounds. Large cells have half the
 * rows: shorter timings are disturbed less.
 *
 * Before anything is timed its result is compared with the loops by hand; a
 * difference makes the status 1, and with -DVERSUS that nothing ran. Nothing
 * else does: read the figures. */
#define _GNU_SOURCE
#ifndef VERSUS
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#ifndef VERSUS
#define SIDE here_alone
#include "ours.h"
#endif
#include "large.h"
#include "small.h"

/* A desc may have grown at its end, where it is zero here; lists and shapes,
 * which stand in arrays, are as they were. */
static int same_layout(const origin *o)
{
    static const size_t mine[LAYOUT] = SIDE_LAYOUT;
    int k, same = 1;
    for (k = 0; k < LAYOUT; k++)
        same &= k < 3 ? o->layout[k] <= mine[k] : o->layout[k] == mine[k];
    return same;
}

/* Says which headers there are; whether they can be compared. */
static int introduce(void)
{
    const origin *old = &here[OLD]->from, *new = &here[NEW]->from;
    print_machine();
    if (HERE == 1) return 1;
    printf("old: %s, %ld lines\nnew: %s, %ld lines%s\n", old->hash, old->lines,
           new->hash, new->lines, strcmp(old->hash, new->hash) ? ""
           : " (the same: what differs below is noise)");
    fflush(stdout);
    if (same_layout(old)) return 1;
    printf("descs or lists of the old header are others: cannot be run\n");
    return 0;
}

/* An argument: large or small, only these. */
int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    only = getenv("BENCH");
    if (only && !*only) only = NULL;
    quick = only && !strcmp(only, "quick");
    check = only && !strcmp(only, "check");
    sched_getaffinity(0, sizeof allowed, &allowed);
    if (!introduce()) return 1;
    pin(0);
    make_buffers();
    if (strcmp(which, "small")) all_large_cells();
    if (strcmp(which, "large")) all_small_cells();
    if (done) print_summary();
    printf("\n%d cells right, %d wrong, %d skipped\n", right, wrong, skipped);
    return wrong || (HERE > 1 && !right);
}
