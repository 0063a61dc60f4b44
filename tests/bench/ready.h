/* ready.h - the cells of cells.h made ready to run: indices, descs, plans of
 * each side, and the loops beside them. */
#ifndef NDG_BENCH_READY_H
#define NDG_BENCH_READY_H

#include "bench.h"
#include "ceiling.h"
#include "indices.h"
#include "naive.h"

/* ---- who is under test ---------------------------------------------------*/
#ifdef VERSUS
extern const large_side large_old, large_new;
static const large_side *const here[] = { &large_old, &large_new };
#else
static const large_side *const here[] = { &large_here };
#endif
enum { HERE = sizeof here / sizeof here[0] };

/* ---- cells made ready ----------------------------------------------------*/
static const char *const op_name[OPS] = {
    "gather", "axis1", "batch", "gather_nd", "stitch", "partition", "rows",
    "once", "plan"
};
static const char *const pattern_name[] = {
    "uniform", "zipf", "sequential", "reversed", "sorted", "equal", "runs",
    "perm", "interleave", "twice", "holes", "skewed"
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

static void name_cell(char *name, size_t size, const cell *c, int flags)
{
    char table[24], arg[24] = "", n[24] = "", count[24];
    if (c->op == PLAN) {
        snprintf(name, size, "plan/%s", op_name[c->arg]);
        return;
    }
    if (c->op == PARTITION) snprintf(arg, sizeof arg, "/P%d", c->arg);
    if (c->op == ND)        snprintf(arg, sizeof arg, "/K%d", c->arg);
    if (c->op == AXIS1 || c->op == BATCH)
        snprintf(arg, sizeof arg, "/o%d", c->arg);
    if (c->n) snprintf(n, sizeof n, "/n%s", amount(count, sizeof count, c->n));
    snprintf(name, size, "%s%s/%ldB/%s/%s%s%s%s%s%s%s%s", op_name[c->op], arg,
             (long)c->row, amount(table, sizeof table, c->table),
             pattern_name[c->pattern], n, flags & I64 ? "/i64" : "",
             flags & POSITIONS ? "/pos" : "", flags & TOTAL ? "/total" : "",
             flags & ZERO ? "/zero" : "", flags & BAD ? "/bad" : "",
             flags & X2 ? "/x2" : "");
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
 * which the last vary fastest. */
static void write_indices(work *w, const uint32_t *rows, ptrdiff_t n)
{
    ptrdiff_t i;
    int       k;
    for (i = 0; i < n; i++) {
        ptrdiff_t rest = rows[i];
        for (k = w->depth - 1; k > 0; k--) {
            put_index(mem.indices, i * w->depth + k, w->width,
                      rest % w->l.dim[k]);
            rest /= w->l.dim[k];
        }
        put_index(mem.indices, i * w->depth, w->width, rest);
        if (w->c->flags & BAD && (i + 1) % w->n == 0)
            put_index(mem.indices, (i + 1) * w->depth - 1, w->width,
                      w->depth > 1 ? w->l.dim[w->depth - 1] : w->total);
    }
}

/* `rows` cut into K extents, each about as long as the others: powers of two,
 * but for the first, which takes what is left. */
static void cut_dims(work *w, ptrdiff_t rows)
{
    ptrdiff_t each = 1;
    int       k;
    for (k = 0; k < 4; k++) w->l.dim[k] = 1;
    w->l.dim[0] = rows;
    if (w->depth == 1) return;
    for (;;) {
        ptrdiff_t p = 1;
        for (k = 0; k < w->depth; k++) p *= each * 2;
        if (p > rows) break;
        each *= 2;
    }
    for (k = 1; k < w->depth; k++) {
        w->l.dim[k] = each;
        w->l.dim[0] /= each;
    }
}

static void describe_gather(work *w)
{
    const loop      *l = &w->l;
    ndg_gather_desc *d = &w->desc;
    d->elem_size = w->row;
    d->index_type = w->width == 8 ? NDG_I64 : NDG_I32;
    switch (w->c->op) {
    case AXIS1: d->params = ndg_dims2(l->groups, l->extent);
                d->indices = ndg_dims1(l->per);
                d->axis = 1;
                break;
    case BATCH: d->params = ndg_dims2(l->groups, l->extent);
                d->indices = ndg_dims2(l->groups, l->per);
                break;
    case ND:    d->params = ndg_dims(w->depth, l->dim, NULL);
                d->indices = ndg_dims2(w->n, w->depth);
                break;
    default:    d->params = ndg_dims1(l->extent);
                d->indices = ndg_dims1(w->n);
    }
}

static void prepare_gather(work *w)
{
    const cell *c = w->c;
    uint32_t   *rows = (uint32_t *)(void *)mem.linear;
    const int   grouped = c->op == AXIS1 || c->op == BATCH;
    loop       *l = &w->l;
    ptrdiff_t   pool, used;
    w->depth = c->op == ND ? c->arg : 1;
    l->groups = grouped ? c->arg : 1;
    l->per = w->n / l->groups;
    l->extent = c->table / c->row / l->groups;
    l->room = l->extent * c->row;
    l->step = c->op == BATCH ? l->per : 0;
    cut_dims(w, l->extent);
    w->total = l->extent;                     /* what a bad index is set to */
    pool = c->table > LARGE_TABLE ? pool_rows() : 4 * KIB;
    if (pool < w->n || grouped) pool = w->n;
    if (c->op == AXIS1) pool = l->per;
    w->windows = grouped ? 1 : pool / w->n;
    pattern_rows(rows, pool, l->extent, c->pattern);
    write_indices(w, rows, pool);
    used = HERE > 1 ? pool : distinct(rows, pool, l->extent, mem.want);
    w->footprint = c->op == BATCH ? fewer(w->n * w->row, c->table)
                                  : used * l->groups * c->row;
    w->line_indices = w->indices;
    w->line_width = w->width;
    if (c->op == ND || c->flags & BAD) {
        w->line_indices = mem.linear;
        w->line_width = 4;
    }
    w->total = w->n;
    w->bytes_per_row = 2.0 * (double)c->row + w->width * w->depth /
                       (c->op == AXIS1 ? (double)l->groups : 1.0);
    w->naive_gather[0] = c->op == ND ? find_nd(c->row, w->width, w->depth)
                                     : find_gather(c->row, w->width);
    w->naive_gather[1] = c->op == ND ? find_nd(0, w->width, w->depth)
                       : w->width == 8 ? gather64_memcpy : gather32_memcpy;
    w->line = find_line(c->row, w->line_width);
    describe_gather(w);
}

static void prepare_stitch(work *w)
{
    const cell *c = w->c;
    uint32_t   *rows = (uint32_t *)(void *)mem.linear;
    ptrdiff_t   m;
    w->lists = c->pattern == INTERLEAVE ? MOST_LISTS : 1;
    w->holes = c->pattern == HOLES;
    w->total = c->pattern == TWICE ? w->n / 2 : w->holes ? 2 * w->n : w->n;
    stitch_rows(rows, w->n, c->pattern, w->lists);
    write_indices(w, rows, w->n);
    for (m = 0; m < w->lists; m++) {
        w->list[m].count = w->n / w->lists;
        w->list[m].data = w->table + m * w->list[m].count * w->row;
        w->list[m].indices = w->indices + m * w->list[m].count * w->width;
    }
    w->stitch_desc.elem_size = w->row;
    w->stitch_desc.index_type = w->width == 8 ? NDG_I64 : NDG_I32;
    w->stitch_desc.gaps = w->holes || (c->flags & ZERO)
                          ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    w->footprint = w->n * w->row;
    w->bytes_per_row = (double)w->width + (double)w->row *
                       (1.0 + (double)w->total / (double)w->n);
    w->naive_stitch[0] = find_stitch(c->row, w->width);
    w->naive_stitch[1] = w->width == 8 ? stitch64_memcpy : stitch32_memcpy;
    w->store = find_store(c->row, w->width);
}

static void prepare_partition(work *w)
{
    const cell *c = w->c;
    uint32_t   *rows = (uint32_t *)(void *)mem.linear;
    const int   positions = c->flags & POSITIONS;
    w->l.extent = c->arg;
    w->total = w->n;
    part_ids(rows, w->n, c->arg, c->pattern);
    write_indices(w, rows, w->n);
    w->partition_desc.data = ndg_dims1(w->n);
    w->partition_desc.partitions = ndg_dims1(w->n);
    w->partition_desc.elem_size = w->row;
    w->partition_desc.num_partitions = c->arg;
    w->partition_desc.index_type = w->width == 8 ? NDG_I64 : NDG_I32;
    w->footprint = w->n * w->row;
    w->bytes_per_row = 2.0 * (double)w->row + w->width + (positions ? 4 : 0);
    w->naive_move[0] = find_move(c->row, w->width, positions);
    w->naive_move[1] = find_move(0, w->width, positions);
}

/* Shapes as a program has them: [64,16] of rows of four floats. */
static void prepare_plan(work *w)
{
    w->desc.params = ndg_dims3(64, 16, 4);
    w->desc.indices = w->c->arg == GATHER ? ndg_dims1(100)
                    : w->c->arg == BATCH  ? ndg_dims2(64, 100)
                                          : ndg_dims2(100, 2);
    w->desc.elem_size = 4;
    w->stitch_desc.slice = ndg_dims1(4);
    w->stitch_desc.elem_size = 4;
    w->partition_desc.data = ndg_dims2(100, 4);
    w->partition_desc.partitions = ndg_dims1(100);
    w->partition_desc.elem_size = 4;
    w->partition_desc.num_partitions = 8;
}

/* Returns the status of the last; an older one may not know the desc. */
static int make_plans(work *w, int op)
{
    int i, status = 0;
    w->plan_op = op == ND        ? PLAN_ND
               : op == BATCH     ? PLAN_BATCH
               : op == STITCH    ? PLAN_STITCH
               : op == PARTITION ? PLAN_PARTITION : PLAN_GATHER;
    w->plan_desc = op == STITCH    ? (const void *)&w->stitch_desc
                 : op == PARTITION ? (const void *)&w->partition_desc
                                   : (const void *)&w->desc;
    for (i = 0; i < HERE; i++) {
        memset(w->room, 0, ROOM);
        status = here[i]->plan(w->plan_op, w->room, w->plan_desc,
                               NULL);
        memcpy(w->kept[i], w->room, ROOM);
        if (i < HERE - 1 && status) w->missing = 1;
    }
    return status;
}

/* All of a cell: its indices, plan and loops. Returns 0 if one is missing. */
static int prepare(work *w, const cell *c)
{
    const int positions = c->flags & POSITIONS;
    memset(w, 0, sizeof *w);
    seed = 88172645463325252u;     /* a cell alone is the cell among others */
    w->c = c;
    w->width = c->flags & I64 ? 8 : 4;
    w->threads = c->flags & X2 ? 2 : 1;
    w->row = c->row;
    w->n = c->op == PLAN ? 1 : rows_of(c);
    w->out = mem.out;
    w->table = mem.table;
    w->indices = mem.indices;
    w->room = mem.room;
    w->counts = counts;
    w->cursors = cursors;
    w->outs = outs;
    w->places = places;
    w->windows = w->depth = 1;
    w->l.groups = 1;
    w->l.row = c->row;
    name_cell(w->name, sizeof w->name, c, c->flags);
    if (c->op == STITCH)         prepare_stitch(w);
    else if (c->op == PARTITION) prepare_partition(w);
    else if (c->op == PLAN)      prepare_plan(w);
    else                         prepare_gather(w);
    w->out_bytes = w->total * w->row + (positions ? w->n * 4 : 0);
    w->footprint -= w->footprint % (4 * KIB);     /* whole, aligned blocks */
    if (w->footprint < 4 * KIB) w->footprint = 4 * KIB;
    if (make_plans(w, c->op == PLAN ? c->arg : c->op)) return 0;
    return c->op == PLAN || w->naive_gather[0] || w->naive_stitch[0] ||
           w->naive_move[0];
}

#endif
