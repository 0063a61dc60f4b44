/* versus.c - the header of another commit beside the one at hand
 *
 *     make bench-versus REV=COMMIT               all cells, some 20 minutes
 *     make bench-versus REV=COMMIT BENCH=quick   fewer of them, 3 minutes
 *     make bench-versus REV=COMMIT BENCH=call/   cells whose name contains this
 *     make bench-versus REV=COMMIT BENCH=check   compared, not timed
 *
 * The cells are those of bench.c (large/...) and of small.c. Both headers are
 * in this program, each compiled by itself with the same flags, their code and
 * constants at the same low bits of an address; they have the same buffers and
 * keep their plans at one place. They are timed by turns (old, new, by hand,
 * then new, old, by hand ...), many times and shortly, and of each the best
 * counts; where they differ there are more rounds. Large cells have half the
 * rows that `make bench` has: shorter timings are disturbed less.
 *
 * What either writes is compared with the loop by hand before it is timed. The
 * status is 1 if there is a difference, or if nothing ran. */
#define _GNU_SOURCE
#include "ndgather.h"
#include "side.h"
#include "versus.h"

const char *versus_only;
int versus_quick, versus_check, versus_right, versus_wrong;

enum { MOST = 5000, NAME = 72, MOST_WHO = 8, MOST_FAMILIES = 48 };

typedef struct {
    char   name[NAME];
    double old, new, hand, ratio;
} cell;

static cell cells[MOST];
static int  count, skipped;

/* ---- one cell ------------------------------------------------------------*/
/* Equal after all rounds, or after twice as many so far apart that it is no
 * disturbance. Else eight times as many, for 3 s at most. */
static int settled(const double *best, long r, long rounds)
{
    const double ratio = best[NEW] / best[OLD];
    return (r >= rounds && ratio > 0.98 && ratio < 1.02) ||
           (r >= 2 * rounds && rounds > 20 && (ratio < 0.67 || ratio > 1.5)) ||
           r >= 8 * rounds;
}

void versus_cell(const char *name, int who, versus_time *timed, long rounds)
{
    cell  *c = &cells[count < MOST - 1 ? count++ : count];
    double best[MOST_WHO], from = now();
    long   r;
    int    i;
    for (i = 0; i < who; i++) best[i] = 1e30;
    for (r = 0; r < rounds || (!settled(best, r, rounds) && now() - from < 3e9);
         r++)
        for (i = 0; i < who; i++) {
            const int at = i < HAND && r % 2 ? 1 - i : i;
            best[at] = least(best[at], timed(at, r));
        }
    snprintf(c->name, sizeof c->name, "%s", name);
    c->old = best[OLD];
    c->new = best[NEW];
    c->hand = who > HAND ? best[HAND] : 0;
    for (i = HAND + 1; i < who; i++) c->hand = least(c->hand, best[i]);
    c->ratio = c->new / c->old;
}

void versus_skip(const char *name)
{
    printf("skip: %s: not in the old header\n", name);
    skipped++;
}

/* ---- report --------------------------------------------------------------*/
static int worse(const void *a, const void *b)
{
    const cell *x = (const cell *)a, *y = (const cell *)b;
    if (x->ratio != y->ratio) return (x->ratio < y->ratio) -
                                     (x->ratio > y->ratio);
    return strcmp(x->name, y->name);
}

/* "call", "large/gather". */
static void family_of(char *family, const cell *c)
{
    const char *end = strchr(c->name, '/');
    size_t n;
    if (end && !strncmp(c->name, "large/", 6)) end = strchr(end + 1, '/');
    n = end ? (size_t)(end - c->name) : strlen(c->name);
    memcpy(family, c->name, n);
    family[n] = 0;
}

/* Geometric means of one family, or of all for NULL. */
static void print_family(const char *family)
{
    double over_old = 1, over_hand = 1, worst = 0;
    int    n = 0, hands = 0, i, over5 = 0, over15 = 0, under5 = 0;
    char   of[NAME];
    for (i = 0; i < count; i++) {
        family_of(of, &cells[i]);
        if (family && strcmp(of, family)) continue;
        n++;
        hands += cells[i].hand > 0;
        over5 += cells[i].ratio > 1.05;
        over15 += cells[i].ratio > 1.15;
        under5 += cells[i].ratio < 0.95;
        if (cells[i].ratio > worst) worst = cells[i].ratio;
    }
    if (n == 0) return;
    for (i = 0; i < count; i++) {
        family_of(of, &cells[i]);
        if (family && strcmp(of, family)) continue;
        over_old *= nth_root(cells[i].ratio, n);
        if (cells[i].hand > 0)
            over_hand *= nth_root(cells[i].new / cells[i].hand, hands);
    }
    printf("%-20s %6d %9.3f %9.3f %8.3f %7d %7d %7d\n", family ? family : "all",
           n, over_old, over_hand, worst, over5, over15, under5);
}

static void print_families(void)
{
    static char seen[MOST_FAMILIES][NAME];
    char of[NAME];
    int  families = 0, i, k;
    printf("\n%-20s %6s %9s %9s %8s %7s %7s %7s\n", "geometric means", "cells",
           "new/old", "new/hand", "worst", ">1.05", ">1.15", "<0.95");
    for (i = 0; i < count; i++) {
        family_of(of, &cells[i]);
        for (k = 0; k < families && strcmp(seen[k], of); k++) ;
        if (k == families && families < MOST_FAMILIES)
            strcpy(seen[families++], of);
    }
    qsort(seen, (size_t)families, sizeof seen[0],
          (int (*)(const void *, const void *))strcmp);
    for (k = 0; k < families; k++) print_family(seen[k]);
    print_family(NULL);
}

static void print_cells(void)
{
    int i;
    qsort(cells, (size_t)count, sizeof cells[0], worse);
    printf("\n%-44s %11s %11s %11s %8s\n", "best ns: a call; of large/ a row",
           "old", "new", "hand", "new/old");
    for (i = 0; i < count; i++) {
        const cell *c = &cells[i];
        printf("%-44s %11.3f %11.3f ", c->name, c->old, c->new);
        if (c->hand > 0) printf("%11.3f", c->hand);
        else             printf("%11s", "-");
        printf(" %8.3f\n", c->ratio);
    }
}

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

int main(void)
{
    const char   *bench = getenv("BENCH");
    const origin *old = versus_from[OLD], *new = versus_from[NEW];
    if (bench && !*bench) bench = NULL;
    versus_quick = bench && !strcmp(bench, "quick");
    versus_check = bench && !strcmp(bench, "check");
    versus_only = versus_quick || versus_check ? NULL : bench;
    printf("old: %s, %ld lines\nnew: %s, %ld lines%s\n", old->hash, old->lines,
           new->hash, new->lines, strcmp(old->hash, new->hash) ? ""
           : " (the same: what differs below is noise)");
    fflush(stdout);
    if (!same_layout(old)) {
        printf("descs or lists of the old header are others: cannot be run\n");
        return 1;
    }
    versus_large();                  /* pins this thread, too */
    versus_small();
    if (count) {
        print_cells();
        print_families();
    }
    printf("\n%d cells right, %d wrong, %d skipped\n", versus_right,
           versus_wrong, skipped);
    return versus_wrong || !versus_right;
}
