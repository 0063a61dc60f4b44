/* large.h - the cells of cells.h made ready to run: indices, descs, plans of
 * each side, and the loops beside them; some of two threads. Names begin with
 * large/, figures are for a row. */
#ifndef NDG_BENCH_LARGE_H
#define NDG_BENCH_LARGE_H

#include "cells.h"
#include "report.h"

#define OUT_LARGE    (256 * MIB)      /* output of a cell that is to miss L3 */
#define OUT_SMALL    (256 * KIB)      /* ... and of one that is to fit L2 */
#define LARGE_TABLE  (32 * MIB)       /* above: misses L3 */

static const char *const op_name[OPS] = {
    "gather", "axis1", "batch", "gather_nd", "stitch", "partition", "scatter",
    "rows", "once", "plan"
};

/* 16K, 512M, 1G, or the number itself. */
static const char *amount(char *text, size_t size, ptrdiff_t v)
{
    const char *unit = "";
    if (v && v % GIB == 0)      v /= GIB, unit = "G";
    else if (v && v % MIB == 0) v /= MIB, unit = "M";
    else if (v && v % KIB == 0) v /= KIB, unit = "K";
    snprintf(text, size, "%ld%s", (long)v, unit);
    return text;
}

static void name_cell(char *name, const cell *c)
{
    char table[24], arg[24] = "", n[24] = "", count[24];
    if (c->op == PLAN) {
        snprintf(name, NAME, "large/plan/%s", op_name[c->arg]);
        return;
    }
    if (c->op == PARTITION) snprintf(arg, sizeof arg, "/P%d", c->arg);
    if (c->op == ND)        snprintf(arg, sizeof arg, "/K%d", c->arg);
    if (c->op == AXIS1 || c->op == BATCH)
        snprintf(arg, sizeof arg, "/o%d", c->arg);
    if (c->n) snprintf(n, sizeof n, "/n%s", amount(count, sizeof count, c->n));
    snprintf(name, NAME, "large/%s%s/%ldB/%s/%s%s%s%s%s%s%s%s", op_name[c->op],
             arg, (long)c->row, amount(table, sizeof table, c->table),
             pattern_name[c->pattern], n, c->flags & I64 ? "/i64" : "",
             c->flags & POSITIONS ? "/pos" : "",
             c->flags & TOTAL ? "/total" : "", c->flags & ZERO ? "/zero" : "",
             c->flags & BAD ? "/bad" : "", c->flags & X2 ? "/x2" : "");
}

static ptrdiff_t power_of_two_in(ptrdiff_t v)
{
    ptrdiff_t p = 1;
    while (p <= v / 2) p *= 2;
    return p;
}

static int halved(void) { return quick || HERE > 1; }

/* How many index rows a large cell has, at most. */
static ptrdiff_t pool_rows(void) { return halved() ? POOL / 2 : POOL; }

static ptrdiff_t rows_of(const cell *c)
{
    const ptrdiff_t whole = c->table / c->row;
    const ptrdiff_t large = (halved() ? OUT_LARGE / 2 : OUT_LARGE) / c->row;
    ptrdiff_t n = c->n;
    if (c->op == STITCH || c->op == PARTITION)
        n = halved() && c->table > LARGE_TABLE ? whole / 2 : whole;
    else if (n)                      n = fewer(n, pool_rows());
    else if (c->table > LARGE_TABLE) n = fewer(pool_rows(), large);
    else if (c->table > MIB)         n = fewer(pool_rows(), whole);
    else                             n = fewer(64 * KIB, OUT_SMALL / c->row);
    return power_of_two_in(n);
}

/* Row numbers of the pool to indices: of gather_nd split into components, of
 * which the last vary fastest. A bad one is `rows`, the last of a window. */
static void write_indices(const job *j, const cell *c, ptrdiff_t n,
                          ptrdiff_t rows)
{
    const uint32_t *from = (const uint32_t *)(const void *)mem.linear;
    const int       width = type_width[j->type], last = j->depth - 1;
    ptrdiff_t i;
    int       k;
    for (i = 0; i < n; i++) {
        byte     *to = mem.big_pool + i * j->depth * width;
        ptrdiff_t rest = from[i];
        for (k = last; k > 0; k--) {
            put_index(to + k * width, j->type, rest % j->dim[k]);
            rest /= j->dim[k];
        }
        put_index(to, j->type, rest);
        if (c->flags & BAD && (i + 1) % j->n == 0)
            put_index(to + last * width, j->type, last ? j->dim[last] : rows);
    }
}

/* `rows` cut into K extents, each about as long as the others: powers of two,
 * but for the first, which takes what is left. */
static void cut_dims(job *j, ptrdiff_t rows)
{
    ptrdiff_t each = 1;
    int       k;
    for (k = 1; k < 4; k++) j->dim[k] = 1;
    j->dim[0] = rows;
    if (j->depth == 1) return;
    for (;;) {
        ptrdiff_t p = 1;
        for (k = 0; k < j->depth; k++) p *= each * 2;
        if (p > rows) break;
        each *= 2;
    }
    for (k = 1; k < j->depth; k++) {
        j->dim[k] = each;
        j->dim[0] /= each;
    }
}

static int plan_gather(job *j, const cell *c)
{
    const ptrdiff_t groups = j->dim[GROUPS], extent = j->dim[0];
    j->gather.params = c->op == AXIS1 || c->op == BATCH
        ? ndg_dims2(groups, extent) : ndg_dims(j->depth, j->dim, NULL);
    j->gather.indices = c->op == BATCH ? ndg_dims2(groups, j->n)
                      : c->op == ND    ? ndg_dims2(j->n, j->depth)
                                       : ndg_dims1(j->n);
    j->gather.axis = c->op == AXIS1;
    return make_plan(j, c->op == ND    ? PLAN_ND
                      : c->op == BATCH ? PLAN_BATCH : PLAN_GATHER);
}

static int prepare_gather(job *j, const cell *c, ptrdiff_t n)
{
    uint32_t       *rows = (uint32_t *)(void *)mem.linear;
    const int       grouped = c->op == AXIS1 || c->op == BATCH;
    const ptrdiff_t groups = grouped ? c->arg : 1;
    const ptrdiff_t extent = c->table / c->row / groups;
    const int       width = type_width[j->type];
    ptrdiff_t       pool, used;
    j->ours = c->op == ROWS ? RUN_ROWS : c->op == ONCE ? RUN_ONCE : RUN_GATHER;
    j->depth = c->op == ND ? c->arg : 1;
    j->n = n / groups;
    j->index_rows = c->op == AXIS1 ? j->n : n;
    cut_dims(j, extent);
    j->dim[GROUPS] = groups;
    j->dim[PITCH] = extent * c->row;
    j->dim[APART] = c->op == BATCH ? j->n : 0;
    pool = c->table > LARGE_TABLE ? pool_rows() : 4 * KIB;
    if (pool < n || grouped) pool = n;
    if (c->op == AXIS1) pool = j->n;
    j->mask = grouped ? 0 : pool / n - 1;
    j->step = n * j->depth * width;
    pattern_rows(rows, pool, extent, c->pattern);
    write_indices(j, c, pool, extent);
    used = HERE > 1 ? pool : distinct(rows, pool, extent, mem.big_want);
    j->footprint = c->op == BATCH ? fewer(n * j->row, c->table)
                                  : used * groups * c->row;
    j->line_indices = c->op == ND || c->flags & BAD ? mem.linear : j->indices;
    j->line_width = j->line_indices == mem.linear ? 4 : width;
    j->bytes_per_row = 2.0 * (double)c->row + width * j->depth /
                       (c->op == AXIS1 ? (double)groups : 1.0);
    j->hand[0] = c->op == ND ? find_nd(c->row, width, j->depth)
                             : find_gather(c->row, width);
    j->hand[1] = c->op == ND ? find_nd(0, width, j->depth)
               : width == 8 ? gather64_memcpy : gather32_memcpy;
    j->line = find_line(c->row, j->line_width);
    return plan_gather(j, c);
}

static int prepare_stitch(job *j, const cell *c, ptrdiff_t n)
{
    const int width = type_width[j->type], holes = c->pattern == HOLES;
    ptrdiff_t m, each;
    j->list_count = c->pattern == INTERLEAVE ? 4 : 1;
    each = n / j->list_count;
    j->total = c->pattern == TWICE ? n / 2 : holes ? 2 * n : n;
    j->out_bytes = j->total * j->row;
    j->clear = holes || (c->flags & ZERO);
    j->find_total = (c->flags & TOTAL) != 0;
    stitch_rows((uint32_t *)(void *)mem.linear, n, c->pattern,
                (int)j->list_count);
    write_indices(j, c, n, j->total);
    for (m = 0; m < j->list_count; m++) {
        j->lists[0][m].count = each;
        j->lists[0][m].data = j->table + m * each * j->row;
        j->lists[0][m].indices = j->indices + m * each * width;
    }
    j->stitch.gaps = j->clear ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    j->footprint = n * j->row;
    j->bytes_per_row = (double)width + (double)j->row *
                       (1.0 + (double)j->total / (double)n);
    j->hand_stitch[0] = find_stitch(c->row, width);
    j->hand_stitch[1] = width == 8 ? stitch64_memcpy : stitch32_memcpy;
    j->store = find_store(c->row, width);
    return make_plan(j, PLAN_STITCH);
}

static int prepare_partition(job *j, const cell *c, ptrdiff_t n)
{
    const int width = type_width[j->type];
    j->ours = RUN_SPLIT;
    j->parts = c->arg;
    j->positions = (c->flags & POSITIONS) != 0;
    j->id_stride = width;
    j->out_bytes = n * (j->row + (j->positions ? 4 : 0));
    part_ids((uint32_t *)(void *)mem.linear, n, c->arg, c->pattern);
    write_indices(j, c, n, j->parts);
    j->partition.data = ndg_dims1(n);
    j->partition.partitions = ndg_dims1(n);
    j->partition.num_partitions = c->arg;
    j->footprint = n * j->row;
    j->bytes_per_row = 2.0 * (double)j->row + width + (j->positions ? 4 : 0);
    j->hand_move[0] = find_move(c->row, width, j->positions);
    j->hand_move[1] = find_move(0, width, j->positions);
    return make_plan(j, PLAN_PARTITION);
}

/* Shapes as a program has them: [64,16] of rows of four floats. */
static int prepare_plan(job *j, const cell *c)
{
    j->ours = RUN_PLAN;
    j->loops = 0;
    j->row = 4;
    j->gather.params = ndg_dims3(64, 16, 4);
    j->gather.indices = c->arg == GATHER ? ndg_dims1(100)
                      : c->arg == BATCH  ? ndg_dims2(64, 100)
                                         : ndg_dims2(100, 2);
    j->stitch.slice = ndg_dims1(4);
    j->partition.data = ndg_dims2(100, 4);
    j->partition.partitions = ndg_dims1(100);
    j->partition.num_partitions = 8;
    return make_plan(j, c->arg == ND        ? PLAN_ND
                      : c->arg == BATCH     ? PLAN_BATCH
                      : c->arg == STITCH    ? PLAN_STITCH
                      : c->arg == PARTITION ? PLAN_PARTITION : PLAN_GATHER);
}

/* All of a cell: its indices, loops and plan, whose status it returns. */
static int prepare_large(job *j, const cell *c)
{
    const ptrdiff_t n = c->op == PLAN ? 1 : rows_of(c);
    int status;
    seed = 88172645463325252u;     /* a cell alone is the cell among others */
    begin_job(j, c->op, c->flags & I64 ? NDG_I64 : NDG_I32, c->row, n);
    use_big_buffers(j);
    j->per = n;
    j->threads = c->flags & X2 ? 2 : 1;
    j->loops = 2;
    status = c->op == STITCH    ? prepare_stitch(j, c, n)
           : c->op == PARTITION ? prepare_partition(j, c, n)
           : c->op == PLAN      ? prepare_plan(j, c)
                                : prepare_gather(j, c, n);
    if (c->op == PLAN || (j->line && n * j->row < 4 * KIB)) j->footprint = 0;
    else if (j->footprint < 4 * KIB)                        /* whole, aligned */
        j->footprint = 4 * KIB;
    else
        j->footprint -= j->footprint % (4 * KIB);
    return status;
}

static void try_large(const cell *c)
{
    char name[NAME];
    int  status;
    name_cell(name, c);
    if (quick ? !c->quick : !wanted(name)) return;
    if (c->flags & X2 && CPU_COUNT(&allowed) < 2) {
        printf("skip: %s: one processor\n", name);
        return;
    }
    status = prepare_large(&cur, c);
    if (cur.threads > 1)
        pthread_barrier_init(&cur.barrier, NULL, (unsigned)cur.threads);
    try_cell(name, status, cur.per, goal_of(c->op == PLAN ? 0 : 1.03, 0));
    if (cur.threads > 1) pthread_barrier_destroy(&cur.barrier);
}

static void all_large_cells(void)
{
    int i;
    rounds = quick ? 5 : 7;
    shortest = HERE > 1 ? 2e5 : quick ? 1e6 : 2e6;
    make_large_cells();
    begin_family("large", "large calls, of one thread or two; other: memcpy of "
                 "any size; ceiling: what the machine allows");
    for (i = 0; i < CELLS; i++) try_large(&large_cells[i]);
}

#endif
