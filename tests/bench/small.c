/* small.c - what one small call costs, in nanoseconds: best and median of 15
 * rounds of a million calls each. No timed assertions: read the figures.
 *
 *     make bench */
#define _POSIX_C_SOURCE 200809L
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 1000000, ROUNDS = 15, ROWS = 64 };

static float    table[ROWS][4];
static int32_t  pick[ROWS];
static float    out[ROWS][4];
static volatile int sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The loop anybody would write: the bounds check and the copy. */
static int naive(const int32_t *idx, ptrdiff_t n)
{
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        if (idx[i] < 0 || idx[i] >= ROWS) return 1;
        memcpy(out[i], table[idx[i]], sizeof out[i]);
    }
    return 0;
}

static ndg_gather_desc describe(ptrdiff_t rows)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    d.params = ndg_dims2(ROWS, 4);
    d.indices = ndg_dims2(rows, 1);
    d.elem_size = sizeof(float);
    return d;
}

/* One call of kind `what` on `rows` rows. */
static int call(int what, ptrdiff_t rows, const ndg_gather_plan *made,
                const ndg_gather_desc *d)
{
    ndg_gather_plan plan;
    ndg_report      report;
    switch (what) {
    case 0: return naive(pick, rows);
    case 1: return ndg_gather_run(made, out, sizeof out, table, pick, &report);
    case 2: return ndg_gather_rows(out, sizeof out, table, ROWS,
                                   sizeof table[0], 0, pick, NDG_I32, rows,
                                   NDG_ERROR, &report);
    case 3: return ndg_plan_gather_nd(&plan, d, &report);
    default: return ndg_gather_nd(out, sizeof out, table, pick, d, &report);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, int what, ptrdiff_t rows)
{
    const ndg_gather_desc d = describe(rows);
    ndg_gather_plan made;
    double ns[ROUNDS], from;
    int    r, i;
    if (ndg_plan_gather_nd(&made, &d, 0) != NDG_OK) exit(1);
    for (r = 0; r < ROUNDS; r++) {
        from = now();
        for (i = 0; i < CALLS; i++) {
            pick[0] = i & (ROWS - 1);
            sink += call(what, rows, &made, &d);
        }
        ns[r] = (now() - from) / CALLS;
    }
    qsort(ns, ROUNDS, sizeof ns[0], by_size);
    printf("%-24s %3d rows of 16 bytes: best %6.1f ns, median %6.1f ns\n",
           name, (int)rows, ns[0], ns[ROUNDS / 2]);
}

int main(void)
{
    static const ptrdiff_t rows[3] = { 1, 8, 64 };
    int i;
    for (i = 0; i < ROWS; i++) pick[i] = (i * 37 + 11) % ROWS;
    for (i = 0; i < 3; i++) {
        measure("naive checked loop", 0, rows[i]);
        measure("ndg_gather_run", 1, rows[i]);
        measure("ndg_gather_rows", 2, rows[i]);
        measure("ndg_plan_gather_nd", 3, rows[i]);
        measure("ndg_gather_nd (one call)", 4, rows[i]);
    }
    return sink;
}
