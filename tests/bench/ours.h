/* ours.h - ndgather.h as the benchmark calls it: the plan is made once, then
 * run. Ours is told to write a report, as in a program that wants to know. */
#ifndef NDG_BENCH_OURS_H
#define NDG_BENCH_OURS_H

#include "job.h"

#ifndef SIDE_HASH
#define SIDE_HASH  ""
#define SIDE_LINES 0
#endif

typedef char gather_plan_fits[sizeof(ndg_gather_plan) <= ROOM ? 1 : -1];
typedef char stitch_plan_fits[sizeof(ndg_stitch_plan) <= ROOM ? 1 : -1];
typedef char part_plan_fits[sizeof(ndg_partition_plan) <= ROOM ? 1 : -1];
#if NDG_VERSION >= 10100
typedef char put_plan_fits[sizeof(ndg_scatter_plan) <= ROOM ? 1 : -1];
#endif

static int side_plan(int op, void *room, const void *desc, void *report)
{
    const ndg_gather_desc *d = (const ndg_gather_desc *)desc;
    ndg_gather_plan       *p = (ndg_gather_plan *)room;
    ndg_report            *r = (ndg_report *)report;
    switch (op) {
    case PLAN_ND:    return ndg_plan_gather_nd(p, d, r);
    case PLAN_BATCH: return ndg_plan_batch_gather(p, d, r);
    case PLAN_STITCH:
        return ndg_plan_stitch((ndg_stitch_plan *)room,
                               (const ndg_stitch_desc *)desc, r);
    case PLAN_PARTITION:
        return ndg_plan_partition((ndg_partition_plan *)room,
                                  (const ndg_partition_desc *)desc, r);
    case PLAN_GATHER: return ndg_plan_gather(p, d, r);
#if NDG_VERSION >= 10100
    case PLAN_SCATTER:
        return ndg_plan_scatter_nd((ndg_scatter_plan *)room,
                                   (const ndg_scatter_desc *)desc, r);
#endif
    default:         return -1;
    }
}

static void note(call *k, int status, const ndg_report *report)
{
    k->said.status = status;
    k->said.count = report->bad.count;
    k->said.position = report->bad.position;
}

static void run_gather(call *k)
{
    const job *j = k->j;
    const int  whole = j->threads == 1;
    const ndg_gather_plan *plan = (const ndg_gather_plan *)j->room;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = k->from; r < k->from + k->reps; r++)
        status |= whole
            ? ndg_gather_run(plan, j->out, j->out_bytes, j->table,
                             window(j, r), &report)
            : ndg_gather_run_range(plan, j->out, j->out_bytes, j->table,
                                   window(j, r), k->first, k->last, &report);
    note(k, status, &report);
}

static void run_rows(call *k)
{
    const job *j = k->j;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = k->from; r < k->from + k->reps; r++)
        status |= ndg_gather_rows(j->out, j->out_bytes, j->table, j->dim[0],
                                  j->row, 0, window(j, r), j->type, j->n,
                                  j->policy, &report);
    note(k, status, &report);
}

/* Plans and runs in one call. */
static int once(const job *j, const byte *indices, ndg_report *report)
{
    const ndg_gather_desc *d = (const ndg_gather_desc *)j->plan_desc;
    switch (j->plan_op) {
    case PLAN_ND: return ndg_gather_nd(j->out, j->out_bytes, j->table, indices,
                                       d, report);
#if NDG_VERSION >= 10100
    case PLAN_SCATTER:
        return ndg_scatter_nd(j->out, j->out_bytes, j->table, indices,
                              (const ndg_scatter_desc *)j->plan_desc, report);
#endif
    default: return ndg_gather(j->out, j->out_bytes, j->table, indices, d,
                               report);
    }
}

static void run_once(call *k)
{
    const job *j = k->j;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = k->from; r < k->from + k->reps; r++)
        status |= once(j, window(j, r), &report);
    note(k, status, &report);
}

static void run_plan(call *k)
{
    const job *j = k->j;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = k->from; r < k->from + k->reps; r++)
        status |= side_plan(j->plan_op, j->room, j->plan_desc, &report);
    note(k, status, &report);
}

static void run_stitch(call *k)
{
    const job *j = k->j;
    const int  whole = j->threads == 1;
    const ndg_stitch_plan *plan = (const ndg_stitch_plan *)j->room;
    ndg_report report = NDG_ZERO_INIT;
    ptrdiff_t  total = j->total;
    int        status = 0;
    long       r;
    for (r = k->from; r < k->from + k->reps; r++) {
        const ndg_list *lists = j->lists[r & j->mask];
        if (j->find_total)
            status |= ndg_stitch_total(plan, lists, j->list_count, &total,
                                       &report);
        status |= whole
            ? ndg_stitch_run(plan, j->out, j->out_bytes, total, lists,
                             j->list_count, NULL, 0, &report)
            : ndg_stitch_run_range(plan, j->out, j->out_bytes, total, lists,
                                   j->list_count, k->first, k->last, NULL, 0,
                                   &report);
    }
    note(k, status, &report);
}

/* The parts one after the other; `size` counts the rows of each. */
static void lay_out(job *j, const ptrdiff_t *size)
{
    byte     *at = j->out, *place = j->out + j->n * j->row;
    ptrdiff_t p;
    for (p = 0; p < j->parts; p++) {
        j->outs[p] = at;
        j->places[p] = place;
        at += size[p] * j->row;
        if (j->positions) place += size[p] * 4;
    }
}

static void run_split(call *k)
{
    job            *j = k->j;
    const ptrdiff_t parts = j->parts, mine = k->worker * parts;
    ptrdiff_t      *counts = j->counts + mine;
    void *const    *places = j->positions ? j->places : NULL;
    const ndg_partition_plan *plan = (const ndg_partition_plan *)j->room;
    ndg_report      report = NDG_ZERO_INIT;
    int             status = 0;
    long            r;
    for (r = 0; r < k->reps; r++) {
        status |= ndg_partition_count(plan, j->indices, k->first, k->last,
                                      counts, &report);
        meet(j);
        if (k->worker == 0 && j->threads > 1)
            ndg_partition_starts(j->counts, j->cursors, j->threads, parts);
        if (k->worker == 0) lay_out(j, j->counts + (j->threads - 1) * parts);
        meet(j);
        status |= j->threads == 1
            ? ndg_partition_run(plan, j->outs, places, j->table, j->indices,
                                j->n, j->counts, j->cursors, &report)
            : ndg_partition_run_range(plan, j->outs, places, j->table,
                                      j->indices, k->first, k->last,
                                      j->cursors + mine, counts, &report);
    }
    note(k, status, &report);
}

static void run_partition(call *k)
{
    job       *j = k->j;
    const ndg_partition_plan *plan = (const ndg_partition_plan *)j->room;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = k->from; r < k->from + k->reps; r++) {
        const long      w = r & j->mask;
        const ptrdiff_t slot = w * j->parts;
        status |= ndg_partition_run(
            plan, j->no_rows ? NULL : j->outs + slot,
            j->positions ? j->places + slot : NULL,
            j->no_rows ? NULL : j->table + w * j->data_step, window(j, r),
            j->n, j->counts + slot, j->cursors, &report);
    }
    note(k, status, &report);
}

static void run_scatter(call *k)
{
    int status = -1;
    ndg_report report = NDG_ZERO_INIT;
#if NDG_VERSION >= 10100
    const job *j = k->j;
    const ndg_scatter_plan *plan = (const ndg_scatter_plan *)j->room;
    long       r;
    status = 0;
    for (r = k->from; r < k->from + k->reps; r++)
        status |= ndg_scatter_run(plan, j->out, j->out_bytes, j->table,
                                  window(j, r), &report);
#endif
    note(k, status, &report);
}

extern const side SIDE;
const side SIDE = {
    { SIDE_HASH, SIDE_LINES, SIDE_LAYOUT }, side_plan,
    { run_gather, run_rows, run_once, run_plan, run_stitch, run_split,
      run_partition, run_scatter }
};

#endif
