/* jobs.c - one gather, one split and one weave on 1 ... 8 threads
 *
 *     cc -O2 -I. examples/jobs.c -o build/jobs -lpthread && build/jobs
 *
 * The library starts no threads; it runs ranges of rows, on any thread and in
 * any order. Here are four stages, each on all workers at once:
 *
 *     gather   x[i] = table[pick[i]]                 ranges of x
 *     count    how many rows each part gets          ranges of ids
 *     split    x to its parts                        the same ranges
 *     weave    the parts back to where they were     ranges of y
 *
 * The exit status is 0 if each number of workers gives the same bytes and the
 * same merged reports, and they are those of a plain loop. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#define ROWS   50000
#define TABLE  1000
#define PARTS  7
#define MOST   8
#define STAGES 4

typedef struct { int32_t cell[6]; } row;

static row       table[TABLE], x[ROWS], parts[ROWS], y[ROWS];
static int16_t   pick[ROWS];
static uint8_t   ids[ROWS];
static int32_t   positions[ROWS];
static unsigned char scratch[MOST][ROWS / 8 + 1];   /* to count the holes */

static ndg_gather_plan    gather;
static ndg_partition_plan split;
static ndg_stitch_plan    weave;
static ptrdiff_t counts[MOST][PARTS], cursors[MOST][PARTS];
static void     *outs[PARTS], *where[PARTS];
static ndg_list  lists[PARTS];

typedef struct { int stage, number; ptrdiff_t first, last; ndg_report r; } job;

/* One worker's share of a stage. Its status stands in the report. */
static void *work(void *argument)
{
    job *j = (job *)argument;
    int  w = j->number;
    switch (j->stage) {
    case 0:  ndg_gather_run_range(&gather, x, sizeof x, table, pick,
                                  j->first, j->last, &j->r);
             break;
    case 1:  ndg_partition_count(&split, ids, j->first, j->last,
                                 counts[w], &j->r);
             break;
    case 2:  ndg_partition_run_range(&split, outs, where, x, ids, j->first,
                                     j->last, cursors[w], counts[w], &j->r);
             break;
    default: ndg_stitch_run_range(&weave, y, sizeof y, ROWS, lists, PARTS,
                                  j->first, j->last, scratch[w],
                                  sizeof scratch[w], &j->r);
    }
    return NULL;
}

/* One stage: all shares, the last of them on this thread, as is every share for
 * which there is no thread. The reports merge to one. */
static ndg_report run(int stage, int workers)
{
    ndg_report all = NDG_ZERO_INIT;
    pthread_t  thread[MOST];
    job        jobs[MOST];
    int        started[MOST], w;
    for (w = 0; w < workers; w++) {
        jobs[w].stage = stage;
        jobs[w].number = w;
        jobs[w].first = w ? jobs[w - 1].last : 0;
        jobs[w].last = (ptrdiff_t)ROWS * (w + 1) / workers;
        started[w] = w < workers - 1 &&
                     !pthread_create(&thread[w], NULL, work, &jobs[w]);
        if (!started[w]) work(&jobs[w]);
    }
    for (w = 0; w < workers; w++) {
        if (started[w]) pthread_join(thread[w], NULL);
        ndg_report_merge(&all, &jobs[w].r);
    }
    return all;
}

/* Between count and split: the parts lie one after the other. */
static void place(int workers)
{
    ptrdiff_t start = 0;
    int       k;
    ndg_partition_starts(counts[0], cursors[0], workers, PARTS);
    for (k = 0; k < PARTS; k++) {
        lists[k].data    = outs[k]  = parts + start;
        lists[k].indices = where[k] = positions + start;
        lists[k].count   = counts[workers - 1][k];
        start += lists[k].count;
    }
}

/* Plans and input: a bad pick becomes a zero row, a bad id drops its row. */
static int prepare(void)
{
    ndg_gather_desc    g = NDG_ZERO_INIT;
    ndg_partition_desc p = NDG_ZERO_INIT;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    uint32_t           random = 1;
    int                i;
    for (i = 0; i < TABLE * 6; i++) table[i / 6].cell[i % 6] = 100000 + i;
    for (i = 0; i < ROWS; i++) {
        random = random * 1664525u + 1013904223u;
        pick[i] = (int16_t)((random >> 8) % (TABLE + 2));
        ids[i] = (uint8_t)((random >> 20) % 100 ? (random >> 24) % PARTS : 255);
    }
    g.params  = ndg_dims1(TABLE);                g.elem_size  = sizeof(row);
    g.indices = ndg_dims1(ROWS);                 g.index_type = NDG_I16;
    g.policy  = NDG_ZERO;
    p.data    = p.partitions = ndg_dims1(ROWS);  p.elem_size  = sizeof(row);
    p.num_partitions = PARTS;                    p.index_type = NDG_U8;
    p.policy  = NDG_DROP;                        s.elem_size  = sizeof(row);
    return !ndg_plan_gather(&gather, &g, NULL) &&
           !ndg_plan_partition(&split, &p, NULL) &&
           !ndg_plan_stitch(&weave, &s, NULL);
}

static void told(int stage, const ndg_report *r)
{
    static const char *const name[STAGES] = { "gather", "count", "split",
                                              "weave" };
    char line[200];
    ndg_report_text(line, sizeof line, r, NULL);
    printf("%-7s %s\n", name[stage], line);
}

/* All stages, and FNV-1a of all that they wrote. Returns 0 if one failed. */
static int all_stages(int workers, ndg_report *r, uint64_t *sum)
{
    void *const        to[] = { x, parts, positions, y };
    static const size_t n[] = { sizeof x, sizeof parts, sizeof positions,
                                sizeof y };
    size_t i, k;
    for (k = 0; k < 4; k++) memset(to[k], 0xee, n[k]);   /* no old results */
    for (k = 0; k < STAGES; k++) {
        r[k] = run((int)k, workers);
        if (r[k].status) {
            told((int)k, &r[k]);
            return 0;
        }
        if (k == 1) place(workers);
    }
    for (*sum = UINT64_C(14695981039346656037), k = 0; k < 4; k++)
        for (i = 0; i < n[k]; i++)
            *sum = (*sum ^ ((const unsigned char *)to[k])[i]) *
                   UINT64_C(1099511628211);
    return 1;
}

int main(void)
{
    static const row zero = NDG_ZERO_INIT;
    static ndg_report one[STAGES];           /* by one worker */
    ndg_report r[STAGES];
    uint64_t   sum, want = 0;
    int        workers, i, k, wrong = 0;

    if (!prepare()) return 1;
    printf("workers  rows each  checksum\n");
    for (workers = 1; workers <= MOST; workers++) {
        if (!all_stages(workers, r, &sum)) return 1;
        if (workers == 1) memcpy(one, r, sizeof one);
        if (workers == 1) want = sum;
        printf("%7d %10d  %08lx%08lx\n", workers, ROWS / workers,
               (unsigned long)(sum >> 32),
               (unsigned long)(sum & 0xffffffffu));
        wrong += sum != want;
        for (k = 0; k < STAGES; k++)
            wrong += r[k].bad.count != one[k].bad.count ||
                     r[k].bad.position != one[k].bad.position ||
                     r[k].bad.value != one[k].bad.value ||
                     r[k].rows.holes != one[k].rows.holes ||
                     r[k].rows.first_hole != one[k].rows.first_hole;
        for (i = 0; i < ROWS; i++) {
            const row *from = pick[i] < TABLE ? &table[pick[i]] : &zero;
            wrong += memcmp(&x[i], from, sizeof zero) != 0 ||
                     memcmp(&y[i], ids[i] < PARTS ? from : &zero,
                            sizeof zero) != 0;
        }
    }
    for (k = 0; k < STAGES; k++) told(k, &r[k]);
    printf(wrong ? "%d differences\n" : "all are the same\n", wrong);
    return wrong ? 1 : 0;
}
