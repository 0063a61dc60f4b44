/* ours.h - ndgather.h as a contestant: the plan is made once, then run. */
#ifndef NDG_BENCH_OURS_H
#define NDG_BENCH_OURS_H

#include "work.h"

SIDE_PLAN

static void note(const call *k, int status, const ndg_report *r)
{
    k->w->status[k->worker] |= status;
    k->w->bad[k->worker] = r->bad.count ? r->bad.position : -1;
}

static void ours_gather(const call *k)
{
    work           *w = k->w;
    const ptrdiff_t step = (ptrdiff_t)w->width * w->depth;
    const ndg_gather_plan *plan = (const ndg_gather_plan *)w->room;
    ndg_report      report = NDG_ZERO_INIT;
    int             status = 0;
    long            r;
    for (r = 0; r < k->reps; r++) {
        const byte *idx = window(w, w->indices, step, r);
        status |= w->threads == 1
            ? ndg_gather_run(plan, w->out, w->out_bytes, w->table, idx,
                             &report)
            : ndg_gather_run_range(plan, w->out, w->out_bytes, w->table,
                                   idx, k->first, k->last, &report);
    }
    note(k, status, &report);
}

static void ours_rows(const call *k)
{
    work      *w = k->w;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = 0; r < k->reps; r++)
        status |= ndg_gather_rows(w->out, w->out_bytes, w->table, w->l.extent,
                                  w->row, 0, window(w, w->indices, 4, r),
                                  NDG_I32, w->n, NDG_ERROR, &report);
    note(k, status, &report);
}

static void ours_once(const call *k)
{
    work      *w = k->w;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = 0; r < k->reps; r++)
        status |= ndg_gather(w->out, w->out_bytes, w->table,
                             window(w, w->indices, 4, r), &w->desc, &report);
    note(k, status, &report);
}

static void ours_plan(const call *k)
{
    work      *w = k->w;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = 0; r < k->reps; r++)
        status |= side_plan(w->plan_op, w->room, w->plan_desc, &report);
    note(k, status, &report);
}

static void ours_stitch(const call *k)
{
    work      *w = k->w;
    const ndg_stitch_plan *plan = (const ndg_stitch_plan *)w->room;
    ndg_report report = NDG_ZERO_INIT;
    ptrdiff_t  total = w->total;
    int        status = 0;
    long       r;
    for (r = 0; r < k->reps; r++) {
        if (w->c->flags & TOTAL)
            status |= ndg_stitch_total(plan, w->list, w->lists, &total,
                                       &report);
        status |= w->threads == 1
            ? ndg_stitch_run(plan, w->out, w->out_bytes, total, w->list,
                             w->lists, NULL, 0, &report)
            : ndg_stitch_run_range(plan, w->out, w->out_bytes, total,
                                   w->list, w->lists, k->first, k->last,
                                   NULL, 0, &report);
    }
    note(k, status, &report);
}

/* The parts one after the other; `size` counts the rows of each. */
static void ours_parts(const work *w, const ptrdiff_t *size)
{
    const int positions = w->c->flags & POSITIONS;
    byte     *at = w->out, *place = w->out + w->n * w->row;
    ptrdiff_t p;
    for (p = 0; p < w->l.extent; p++) {
        w->outs[p] = at;
        w->places[p] = place;
        at += size[p] * w->row;
        if (positions) place += size[p] * 4;
    }
}

static void ours_partition(const call *k)
{
    work           *w = k->w;
    const ptrdiff_t parts = w->l.extent, mine = k->worker * parts;
    ptrdiff_t      *counts = w->counts + mine;
    void *const    *place = w->c->flags & POSITIONS ? w->places : NULL;
    const ndg_partition_plan *plan = (const ndg_partition_plan *)w->room;
    ndg_report      report = NDG_ZERO_INIT;
    int             status = 0;
    long            r;
    for (r = 0; r < k->reps; r++) {
        status |= ndg_partition_count(plan, w->indices, k->first, k->last,
                                      counts, &report);
        meet(w);
        if (k->worker == 0 && w->threads > 1)
            ndg_partition_starts(w->counts, w->cursors, w->threads, parts);
        if (k->worker == 0) ours_parts(w, w->counts + (w->threads - 1) * parts);
        meet(w);
        status |= w->threads == 1
            ? ndg_partition_run(plan, w->outs, place, w->table, w->indices,
                                w->n, w->counts, w->cursors, &report)
            : ndg_partition_run_range(plan, w->outs, place, w->table,
                                      w->indices, k->first, k->last,
                                      w->cursors + mine, counts, &report);
    }
    note(k, status, &report);
}

extern const large_side SIDE;
const large_side SIDE = {
    SIDE_ORIGIN, side_plan,
    { ours_gather, ours_rows, ours_once, ours_plan, ours_stitch,
      ours_partition }
};

#endif
