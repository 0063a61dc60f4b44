/* small_ours.h - ndgather.h as small.c calls it. */
#ifndef NDG_SMALL_OURS_H
#define NDG_SMALL_OURS_H

#include "small_job.h"

SIDE_PLAN

static void note(answer *said, int status, const ndg_report *report)
{
    said->status = status;
    said->count = report->bad.count;
    said->position = report->bad.position;
}

static void run_plan(const job *j, long from, long reps, answer *said)
{
    const ndg_gather_plan *plan = (const ndg_gather_plan *)j->room;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = from; r < from + reps; r++)
        status |= ndg_gather_run(plan, j->out, j->out_bytes, j->table,
                                 window(j, r), &report);
    note(said, status, &report);
}

static void run_rows(const job *j, long from, long reps, answer *said)
{
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = from; r < from + reps; r++)
        status |= ndg_gather_rows(j->out, j->out_bytes, j->table, j->dim[0],
                                  j->row, 0, window(j, r), j->type, j->n,
                                  j->policy, &report);
    note(said, status, &report);
}

static void run_stitch(const job *j, long from, long reps, answer *said)
{
    const ndg_stitch_plan *plan = (const ndg_stitch_plan *)j->room;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = from; r < from + reps; r++)
        status |= ndg_stitch_run(plan, j->out, j->out_bytes, j->total,
                                 j->lists[r & j->mask], j->list_count, NULL, 0,
                                 &report);
    note(said, status, &report);
}

static void run_partition(const job *j, long from, long reps, answer *said)
{
    const ndg_partition_plan *plan = (const ndg_partition_plan *)j->room;
    ndg_report report = NDG_ZERO_INIT;
    int        status = 0;
    long       r;
    for (r = from; r < from + reps; r++) {
        const long w = r & j->mask;
        status |= ndg_partition_run(plan, j->no_rows ? NULL : j->outs[w],
                                    j->positions ? j->places[w] : NULL,
                                    j->no_rows ? NULL
                                               : j->table + w * j->data_step,
                                    window(j, r), j->n, j->counts[w],
                                    j->cursors, &report);
    }
    note(said, status, &report);
}

extern const small_side SIDE;
const small_side SIDE = {
    SIDE_ORIGIN, side_plan, { run_plan, run_rows, run_stitch, run_partition }
};

#endif
