/* lookup.c - rows of an embedding table that is spread over the ranks of a job
 *
 *     mpicc -O2 -I. examples/mpi/lookup.c -o build/lookup
 *     mpirun -q -np 4 build/lookup table.npy ids.npy rows.npy
 *
 * rows[i] = table[ids[i]]. Each rank maps its share of the table's rows, and
 * answers for its share of the ids (int64), batch by batch:
 *
 *     ids   --dynamic_partition by owner-->  MPI_Ialltoallv  -->  gather, there
 *     rows  <--dynamic_stitch, in order--    MPI_Ialltoallv  <--
 *
 * Three batches are on their way at any time: while one is gathered, the ids of
 * the next travel, and the rows of the one before. In a batch each id is asked
 * for once, however often it occurs.
 *
 * A bad id ends the job with the position of the first one in the whole file,
 * whichever rank had it, and the number of all; with -z its row is zeros. Any
 * number of ranks writes the same bytes. README.md beside this file has the
 * cost, and what to expect of a thousand ranks.
 *
 *     -a    ask for an id as often as it occurs
 *     -b N  N ids make a batch of a rank (16384)
 *     -s    step by step: nothing travels while a rank works
 *     -t N  go over the ids N times and print what the fastest took; then the
 *           output may be left out
 *     -z    the row of a bad id is zeros
 *
 * The status is 0, 1 after an error, 2 if the arguments are wrong. */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include "job.h"
#include "array.h"
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

typedef unsigned char byte;

typedef struct options {
    int         all, steps, zeros;
    long        batch, times;
    const char *table, *ids, *out;
} options;

enum { SLOTS = 3, PIECE = 4096, MOST_BATCH = 1 << 24, MOST_TIMES = 1000 };

/* What the time goes into. */
enum { SORTING, TALKING, GATHERING, WEAVING, PARTS };

/* A batch on its way. Of what is asked for, everything in the order of owners
 * has its first entry for owner k at ask_at[k], and ask_count[k] of them. */
typedef struct batch {
    int64_t      first;            /* position of its first id in the file */
    ptrdiff_t    count, asked;     /* its ids, and those that are asked for */
    int32_t     *place;            /* of each id among those asked; -1: bad */
    int64_t     *send;             /* local rows, in the order of owners */
    int32_t     *positions;        /* where these are among those asked */
    byte        *rows;             /* what comes back, in the same order */
    int         *ask_count, *ask_at;
    int         *want_count, *want_at;    /* the same of what others want */
    int64_t     *wanted;           /* rows of mine, in the order of ranks */
    byte        *answer;
    ptrdiff_t    room;             /* rows that these two have room for */
    MPI_Request  ids_travel, rows_travel;
} batch;

/* An id that was met in this batch. */
typedef struct met {
    int64_t  id;
    int32_t  place;
    uint32_t batch;                /* which batch; so nothing is ever cleared */
} met;

typedef struct lookup {
    options            opt;
    array_file         table, ids;
    share              mine, work;        /* my rows; ids that I answer for */
    int64_t            rows;              /* of the table */
    ptrdiff_t          row_bytes;
    const byte        *shard;
    ndg_gather_plan    check_plan, gather_plan;
    ndg_partition_plan split_plan;
    ndg_stitch_plan    weave_plan;
    MPI_Datatype       row_type;
    batch              slot[SLOTS];
    int64_t           *id;                /* of one batch, as read */
    int64_t           *row;               /* what is asked: row at its owner */
    int32_t           *owner;
    met               *table_of_met;
    uint32_t           met_mask, met_batch;
    uint64_t           met_seed;
    byte              *once, *out;        /* rows: asked for, of a batch */
    ptrdiff_t         *part_count, *part_used;
    void             **part_rows, **part_positions;
    ndg_list          *list;
    int                fd;                /* of the output; -1: none */
    off_t              out_start;
    ndg_report         bad;               /* of all batches so far */
    double             spent[PARTS], since;
    int64_t            sent, served;      /* rows: from others, by me */
} lookup;

/* The fastest time over the ids. */
typedef struct fastest {
    double wall, spent[PARTS];
} fastest;

/* ---- time -----------------------------------------------------------------*/
/* What has passed since the last call belongs to `part`. */
static void lap(lookup *l, int part)
{
    const double now = MPI_Wtime();
    l->spent[part] += now - l->since;
    l->since = now;
}

/* ---- plans and memory -----------------------------------------------------*/
/* Every call below is one that a good plan cannot refuse: if it does, the line
 * says which. */
static void must(const char *what, const ndg_report *r)
{
    char line[200];
    if (r->status == NDG_OK) return;
    ndg_report_text(line, sizeof line, r, NULL);
    job_fail("%s: %s", what, line);
}

/* One plan for each thing that is done to a batch. They are for the most there
 * can be; a run takes today's count. */
static int make_plans(lookup *l, ndg_report *r)
{
    const ptrdiff_t    most = (ptrdiff_t)l->opt.batch;
    ndg_gather_desc    g = NDG_ZERO_INIT;
    ndg_partition_desc p = NDG_ZERO_INIT;
    ndg_stitch_desc    s = NDG_ZERO_INIT;

    g.params     = ndg_dims2((ptrdiff_t)l->rows, l->row_bytes);
    g.indices    = ndg_dims1(most);
    g.index_type = NDG_I64;
    g.elem_size  = 1;
    g.policy     = NDG_ZERO;
    if (ndg_plan_gather(&l->check_plan, &g, r)) return r->status;

    g.params     = ndg_dims2((ptrdiff_t)l->mine.count, l->row_bytes);
    g.indices    = ndg_dims1(most * job.ranks);
    g.policy     = NDG_ERROR;
    g.overlap    = NDG_OVERLAP_DISJOINT;     /* the buffers are shorter */
    if (ndg_plan_gather(&l->gather_plan, &g, r)) return r->status;

    p.data           = ndg_dims1(most);
    p.partitions     = ndg_dims1(most);
    p.elem_size      = sizeof(int64_t);
    p.num_partitions = job.ranks;
    p.policy         = NDG_DROP;             /* the owner of a bad id is -1 */
    p.overlap        = NDG_OVERLAP_DISJOINT;
    if (ndg_plan_partition(&l->split_plan, &p, r)) return r->status;

    s.slice     = ndg_dims1(l->row_bytes);
    s.elem_size = 1;
    return ndg_plan_stitch(&l->weave_plan, &s, r);
}

static int get(void *to, ptrdiff_t count, size_t each)
{
    void *memory = calloc((size_t)count + 1, each ? each : 1);
    memcpy(to, &memory, sizeof memory);
    return memory != NULL;
}

static int get_batch(batch *b, ptrdiff_t most, ptrdiff_t row_bytes)
{
    b->ids_travel = b->rows_travel = MPI_REQUEST_NULL;
    return get(&b->place, most, sizeof *b->place)
        && get(&b->send, most, sizeof *b->send)
        && get(&b->positions, most, sizeof *b->positions)
        && get(&b->rows, most, (size_t)row_bytes)
        && get(&b->ask_count, job.ranks, sizeof(int))
        && get(&b->ask_at, job.ranks, sizeof(int))
        && get(&b->want_count, job.ranks, sizeof(int))
        && get(&b->want_at, job.ranks, sizeof(int));
}

static int get_memory(lookup *l)
{
    const ptrdiff_t most = (ptrdiff_t)l->opt.batch;
    const size_t    row = (size_t)l->row_bytes;
    int             i, ok = 1;
    l->met_mask = 15;
    while (l->met_mask < 2 * most) l->met_mask = 2 * l->met_mask + 1;
    for (i = 0; i < SLOTS && ok; i++)
        ok = get_batch(&l->slot[i], most, l->row_bytes);
    return ok && get(&l->id, most, sizeof *l->id)
        && get(&l->row, most, sizeof *l->row)
        && get(&l->owner, most, sizeof *l->owner)
        && get(&l->table_of_met, (ptrdiff_t)l->met_mask, sizeof(met))
        && get(&l->once, l->opt.all ? 0 : most, row)
        && get(&l->out, most, row)
        && get(&l->part_count, job.ranks, sizeof(ptrdiff_t))
        && get(&l->part_used, job.ranks, sizeof(ptrdiff_t))
        && get(&l->part_rows, job.ranks, sizeof(void *))
        && get(&l->part_positions, job.ranks, sizeof(void *))
        && get(&l->list, job.ranks, sizeof(ndg_list));
}

/* Makes room for the rows that others want in one batch. How many is theirs to
 * say: with ids that all want one rank's rows, it is the ids of all ranks. */
static void make_room(lookup *l, batch *b, ptrdiff_t rows)
{
    if (rows <= b->room) return;
    free(b->wanted);
    free(b->answer);
    rows += rows / 4;
    if (!get(&b->wanted, rows, sizeof *b->wanted)
        || !get(&b->answer, rows, (size_t)l->row_bytes))
        job_fail("no memory for %td rows that are wanted of it in one batch: "
                 "smaller batches (-b) need less", rows);
    b->room = rows;
}

/* ---- a batch sets out -----------------------------------------------------*/
/* Reads the ids and notes the bad ones, by their place in the whole file. */
static void read_ids(lookup *l, batch *b, int64_t number)
{
    const int64_t done = number * l->opt.batch;
    const int64_t left = done < l->work.count ? l->work.count - done : 0;
    ndg_report    r;
    b->first = l->work.first + done;
    b->count = (ptrdiff_t)(left < l->opt.batch ? left : l->opt.batch);
    if (!array_read(&l->ids, l->id, (size_t)b->count * sizeof *l->id,
                    (off_t)(b->first * (int64_t)sizeof *l->id)))
        job_fail("%s cannot be read any more: was it cut short?", l->opt.ids);
    ndg_gather_check(&l->check_plan, l->id, 0, b->count, &r);
    must("check", &r);
    if (r.bad.count) r.bad.position += (ptrdiff_t)b->first;
    ndg_report_merge(&l->bad, &r);
}

/* Asks for one more row: of the id, or of nobody if it is bad. */
static int32_t ask(lookup *l, batch *b, int64_t id, int good)
{
    const int64_t owner = good ? id / l->mine.each : -1;
    l->owner[b->asked] = (int32_t)owner;
    l->row[b->asked] = good ? id - owner * l->mine.each : 0;
    return (int32_t)b->asked++;
}

/* Every id, also one that was asked for before. */
static void ask_for_all(lookup *l, batch *b)
{
    ptrdiff_t i;
    for (i = 0; i < b->count; i++)
        ask(l, b, l->id[i], NDG_INDEX_GOOD(l->id[i], l->rows));
}

/* Every good id once: met before, it has its place already. The seed keeps
 * anybody from making up ids that all fall together in the table. */
static void ask_once(lookup *l, batch *b)
{
    ptrdiff_t i;
    l->met_batch++;
    for (i = 0; i < b->count; i++) {
        const int64_t id = l->id[i];
        const uint64_t h = ((uint64_t)id ^ (uint64_t)id >> 32) * l->met_seed;
        uint32_t       at = (uint32_t)(h >> 32) & l->met_mask;
        met           *m = &l->table_of_met[at];
        if (!NDG_INDEX_GOOD(id, l->rows)) { b->place[i] = -1; continue; }
        while (m->batch == l->met_batch && m->id != id) {
            at = (at + 1) & l->met_mask;
            m = &l->table_of_met[at];
        }
        if (m->batch != l->met_batch) {
            m->batch = l->met_batch;
            m->id = id;
            m->place = ask(l, b, id, 1);
        }
        b->place[i] = m->place;
    }
}

/* Groups what is asked by owner: all for one rank lies together. */
static void group(lookup *l, batch *b)
{
    ptrdiff_t  at = 0;
    int        k;
    ndg_report r;
    ndg_partition_count(&l->split_plan, l->owner, 0, b->asked, l->part_count,
                        &r);
    must("count", &r);
    for (k = 0; k < job.ranks; k++) {
        b->ask_at[k] = (int)at;
        b->ask_count[k] = (int)l->part_count[k];
        l->part_rows[k] = b->send + at;
        l->part_positions[k] = b->positions + at;
        at += l->part_count[k];
        if (k != job.rank) l->sent += l->part_count[k];
    }
    ndg_partition_run(&l->split_plan, l->part_rows, l->part_positions, l->row,
                      l->owner, b->asked, l->part_count, l->part_used, &r);
    must("split", &r);
}

/* The first step: the ids of a batch set out to the owners of their rows. */
static void set_out(lookup *l, batch *b, int64_t number)
{
    ptrdiff_t wanted = 0;
    int       k;
    b->asked = 0;
    read_ids(l, b, number);
    if (l->opt.all) ask_for_all(l, b);
    else ask_once(l, b);
    group(l, b);
    lap(l, SORTING);
    MPI_Alltoall(b->ask_count, 1, MPI_INT, b->want_count, 1, MPI_INT,
                 MPI_COMM_WORLD);
    for (k = 0; k < job.ranks; k++) {
        b->want_at[k] = (int)wanted;
        wanted += b->want_count[k];
    }
    make_room(l, b, wanted);
    MPI_Ialltoallv(b->send, b->ask_count, b->ask_at, MPI_INT64_T,
                   b->wanted, b->want_count, b->want_at, MPI_INT64_T,
                   MPI_COMM_WORLD, &b->ids_travel);
    l->served += wanted;
    lap(l, TALKING);
}

/* ---- is answered ----------------------------------------------------------*/
/* MPI moves what travels only while it is called: look in now and then. */
static void let_travel(lookup *l)
{
    int i, done;
    for (i = 0; i < SLOTS; i++) {
        MPI_Test(&l->slot[i].ids_travel, &done, MPI_STATUS_IGNORE);
        MPI_Test(&l->slot[i].rows_travel, &done, MPI_STATUS_IGNORE);
    }
}

/* The second step: the rows that others want are gathered, a piece at a time,
 * and set out. */
static void answer(lookup *l, batch *b)
{
    const int       end = job.ranks - 1;
    const ptrdiff_t wanted = b->want_at[end] + b->want_count[end];
    ptrdiff_t       at, last;
    ndg_report      r;
    MPI_Wait(&b->ids_travel, MPI_STATUS_IGNORE);
    lap(l, TALKING);
    for (at = 0; at < wanted; at = last) {
        last = wanted - at < PIECE ? wanted : at + PIECE;
        ndg_gather_run_range(&l->gather_plan, b->answer, b->room * l->row_bytes,
                             l->shard, b->wanted, at, last, &r);
        must("gather", &r);
        lap(l, GATHERING);
        let_travel(l);
        lap(l, TALKING);
    }
    MPI_Ialltoallv(b->answer, b->want_count, b->want_at, l->row_type,
                   b->rows, b->ask_count, b->ask_at, l->row_type,
                   MPI_COMM_WORLD, &b->rows_travel);
    lap(l, TALKING);
}

/* ---- and comes home -------------------------------------------------------*/
/* Weaves the rows back into the order in which they were asked for. One that
 * nobody was asked for, of a bad id, is zeros. */
static void weave(lookup *l, const batch *b, byte *to)
{
    ndg_report r;
    int        k;
    for (k = 0; k < job.ranks; k++) {
        l->list[k].indices = b->positions + b->ask_at[k];
        l->list[k].data = b->rows + b->ask_at[k] * l->row_bytes;
        l->list[k].count = b->ask_count[k];
    }
    ndg_stitch_run(&l->weave_plan, to, (ptrdiff_t)l->opt.batch * l->row_bytes,
                   b->asked, l->list, job.ranks, NULL, 0, &r);
    must("weave", &r);
}

/* The third step: the rows of a batch are here, and are written. */
static void come_home(lookup *l, batch *b)
{
    const ptrdiff_t bytes = b->count * l->row_bytes;
    ndg_report      r;
    MPI_Wait(&b->rows_travel, MPI_STATUS_IGNORE);
    lap(l, TALKING);
    if (l->opt.all) weave(l, b, l->out);
    else {
        weave(l, b, l->once);
        ndg_gather_rows(l->out, bytes, l->once, b->asked, l->row_bytes, 0,
                        b->place, NDG_I32, b->count, NDG_ZERO, &r);
        must("repeat", &r);
    }
    if (l->fd >= 0)
        job_write(l->fd, l->out, (size_t)bytes,
                  l->out_start + (off_t)(b->first * l->row_bytes));
    lap(l, WEAVING);
}

/* All batches, three at a time. Every rank has the same number of steps, as all
 * take part in each exchange; some may have no ids in the last ones. */
static void stream(lookup *l)
{
    const int64_t batches = l->work.each / l->opt.batch
                          + (l->work.each % l->opt.batch != 0);
    int64_t       i;
    for (i = 0; i < batches && l->opt.steps; i++) {
        set_out(l, &l->slot[0], i);
        answer(l, &l->slot[0]);
        come_home(l, &l->slot[0]);
    }
    if (l->opt.steps || batches == 0) return;
    set_out(l, &l->slot[0], 0);
    for (i = 0; i < batches; i++) {
        if (i + 1 < batches) set_out(l, &l->slot[(i + 1) % SLOTS], i + 1);
        answer(l, &l->slot[i % SLOTS]);
        if (i > 0) come_home(l, &l->slot[(i - 1) % SLOTS]);
    }
    come_home(l, &l->slot[(batches - 1) % SLOTS]);
}

/* Once over all ids, from when the last rank begins to when it ends. */
static void go_over(lookup *l, fastest *best)
{
    double wall;
    memset(&l->bad, 0, sizeof l->bad);
    memset(l->spent, 0, sizeof l->spent);
    l->sent = l->served = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    l->since = wall = MPI_Wtime();
    stream(l);
    MPI_Barrier(MPI_COMM_WORLD);
    lap(l, TALKING);
    wall = l->since - wall;
    MPI_Allreduce(MPI_IN_PLACE, &wall, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (best->wall > 0 && wall >= best->wall) return;
    best->wall = wall;
    memcpy(best->spent, l->spent, sizeof best->spent);
}

/* ---- what is said at the end ----------------------------------------------*/
static void merge_reports(void *from, void *into, int *count,
                          MPI_Datatype *type)
{
    ndg_report one, sum;
    int        i;
    (void)type;
    for (i = 0; i < *count; i++) {
        memcpy(&one, (byte *)from + (size_t)i * sizeof one, sizeof one);
        memcpy(&sum, (byte *)into + (size_t)i * sizeof sum, sizeof sum);
        ndg_report_merge(&sum, &one);
        memcpy((byte *)into + (size_t)i * sizeof sum, &sum, sizeof sum);
    }
}

/* One report of all ranks: the first bad id, and how many. Returns how many;
 * rank 0 says it. */
static int64_t tell_bad(lookup *l)
{
    MPI_Datatype type;
    MPI_Op       merge;
    ndg_report   all = NDG_ZERO_INIT;
    ndg_shape    ids = ndg_dims(l->ids.npy.rank, l->ids.npy.dims, NULL);
    char         line[400];
    MPI_Type_contiguous((int)sizeof all, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(merge_reports, 1, &merge);
    MPI_Allreduce(&l->bad, &all, 1, type, merge, MPI_COMM_WORLD);
    MPI_Op_free(&merge);
    MPI_Type_free(&type);
    if (all.bad.count && job.rank == 0) {
        ndg_report_text(line, sizeof line, &all, &ids);
        fprintf(stderr, "%s: %s%s\n", job.name, line,
                l->opt.zeros ? "" : ": nothing is written");
    }
    return all.bad.count;
}

/* The time of the slowest rank, and where the time of all ranks went. */
static void tell_times(const lookup *l, const fastest *best)
{
    static const char *const name[PARTS] = {
        "sort", "talk", "gather", "weave"
    };
    const double ids = l->ids.npy.count ? (double)l->ids.npy.count : 1;
    double       part[PARTS];
    int64_t      sums[2], mine[2], most;
    int          i;
    mine[0] = l->sent;
    mine[1] = l->served;
    MPI_Reduce(best->spent, part, PARTS, MPI_DOUBLE, MPI_SUM, 0,
               MPI_COMM_WORLD);
    MPI_Reduce(mine, sums, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&l->served, &most, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (job.rank > 0) return;
    printf("ranks=%d ns_per_id=%.2f moved_per_id=%.4f busiest=%.3f", job.ranks,
           best->wall / ids * 1e9, (double)sums[0] / ids,
           sums[1] ? (double)most * job.ranks / (double)sums[1] : 1.0);
    for (i = 0; i < PARTS; i++)
        printf(" %s=%.2f", name[i], part[i] / ids * 1e9);
    printf("\n");
}

/* ---- the beginning --------------------------------------------------------*/
/* A number from 1 to `most`, or 0. */
static long number(const char *text, long most)
{
    char *end;
    long  n;
    errno = 0;
    n = strtol(text, &end, 10);
    return end == text || *end || errno || n < 1 || n > most ? 0 : n;
}

/* Reads the arguments; rank 0 says what is wrong. */
static int parse(options *o, int argc, char **argv)
{
    int c, ok = 1;
    memset(o, 0, sizeof *o);
    o->batch = 16384;
    opterr = 0;
    while ((c = getopt(argc, argv, "ab:st:z")) != -1)
        switch (c) {
        case 'a': o->all = 1;   break;
        case 's': o->steps = 1; break;
        case 'z': o->zeros = 1; break;
        case 'b': ok &= (o->batch = number(optarg, MOST_BATCH)) > 0; break;
        case 't': ok &= (o->times = number(optarg, MOST_TIMES)) > 0; break;
        default: ok = 0;
        }
    argc -= optind;
    argv += optind;
    if (ok && (argc == 3 || (argc == 2 && o->times))) {
        o->table = argv[0];
        o->ids = argv[1];
        o->out = argc == 3 ? argv[2] : NULL;
        return 1;
    }
    if (job.rank == 0)
        fprintf(stderr, "usage: lookup [-a] [-b IDS] [-s] [-t TIMES] [-z] "
                "TABLE.npy IDS.npy ROWS.npy\n       (IDS: 1 to %d, TIMES: 1 to "
                "%d; with -t ROWS.npy may be left out)\n", (int)MOST_BATCH,
                (int)MOST_TIMES);
    return 0;
}

/* Opens both files, looks whether this can be done with them, and maps this
 * rank's share of the table. */
static int open_files(lookup *l, char problem[JOB_LINE])
{
    const npy_array *t = &l->table.npy, *ids = &l->ids.npy;
    int              i;
    if (!array_open(&l->table, l->opt.table, problem)) return 0;
    if (!array_open(&l->ids, l->opt.ids, problem)) return 0;
    if (t->rank < 1)
        return job_say(problem, "%s: it has no rows: its rank is 0",
                       l->opt.table);
    if (ids->kind != 'i' || ids->elem_size != 8 || ids->swapped)
        return job_say(problem, "%s: ids are int64, in this machine's byte "
                       "order", l->opt.ids);
    if (t->rank - 1 + ids->rank > NPY_MAX_RANK)
        return job_say(problem, "the output would have more than %d axes",
                       NPY_MAX_RANK);
    l->rows = t->dims[0];
    l->row_bytes = t->elem_size;
    for (i = 1; i < t->rank; i++) {
        if (t->dims[i] && l->row_bytes > INT_MAX / t->dims[i])
            return job_say(problem, "%s: a row of 2 GiB or more cannot be sent",
                           l->opt.table);
        l->row_bytes *= t->dims[i];
    }
    if (l->row_bytes && ids->count > (PTRDIFF_MAX >> 1) / l->row_bytes)
        return job_say(problem, "the output would be of more bytes than can "
                       "be");
    if (l->opt.batch > INT_MAX / job.ranks)
        return job_say(problem, "batches of %ld ids on %d ranks are too large",
                       l->opt.batch, job.ranks);
    l->mine = share_of(l->rows, job.ranks, job.rank);
    l->work = share_of(ids->count, job.ranks, job.rank);
    l->shard = array_map(&l->table, l->row_bytes, l->mine, problem);
    return !problem[0];
}

/* Whether the ranks look at the same files: on machines of their own they may
 * have copies of their own. */
static int same_files(const lookup *l, char problem[JOB_LINE])
{
    uint64_t mine[6], theirs[6];
    mine[0] = (uint64_t)l->rows;
    mine[1] = (uint64_t)l->row_bytes;
    mine[2] = (uint64_t)l->table.data;
    mine[3] = l->table.npy.type_id;
    mine[4] = (uint64_t)l->ids.npy.count;
    mine[5] = (uint64_t)l->ids.data;
    memcpy(theirs, mine, sizeof mine);
    MPI_Bcast(theirs, 6, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (memcmp(mine, theirs, sizeof mine) == 0) return 1;
    return job_say(problem, "rank %d sees other files than rank 0", job.rank);
}

/* Creates the output and writes its header: the type is the table's, the shape
 * that of the ids and of a row. Every rank calls it. */
static int open_out(lookup *l)
{
    ptrdiff_t      dims[NPY_MAX_RANK];
    const int      axes = l->ids.npy.rank;
    const int      rank = axes + l->table.npy.rank - 1;
    size_t         size = 0;
    unsigned char *header;
    memcpy(dims, l->ids.npy.dims, (size_t)axes * sizeof *dims);
    memcpy(dims + axes, l->table.npy.dims + 1,
           (size_t)(rank - axes) * sizeof *dims);
    header = npy_header(&l->table.npy, rank, dims, &size);
    if (!job_agreed(header ? "" : "no memory")) return 0;
    l->out_start = (off_t)size;
    l->fd = job_create(l->opt.out, l->out_start
                       + (off_t)(l->ids.npy.count * l->row_bytes));
    if (l->fd < 0) return 0;
    if (job.rank == 0) job_write(l->fd, header, size, 0);
    free(header);
    return 1;
}

/* A number that nobody knows beforehand; odd, so that no bit of an id is
 * lost. */
static uint64_t seed(void)
{
    uint64_t n = 0x9e3779b97f4a7c15u;
    FILE    *file = fopen("/dev/urandom", "rb");
    if (file) {
        if (fread(&n, sizeof n, 1, file) != 1) n += (uint64_t)getpid();
        fclose(file);
    }
    return n | 1;
}

/* Everything that can be refused, each step agreed on by all ranks. */
static int prepare(lookup *l)
{
    char       problem[JOB_LINE] = "";
    ndg_report r;
    l->fd = -1;
    open_files(l, problem);
    if (!job_agreed(problem)) return 0;
    same_files(l, problem);
    if (!job_agreed(problem)) return 0;
    if (make_plans(l, &r) != NDG_OK)
        ndg_report_text(problem, sizeof problem, &r, NULL);
    else if (!get_memory(l))
        job_say(problem, "rank %d: no memory for batches of %ld ids", job.rank,
                l->opt.batch);
    if (!job_agreed(problem)) return 0;
    MPI_Type_contiguous((int)l->row_bytes, MPI_BYTE, &l->row_type);
    MPI_Type_commit(&l->row_type);
    l->met_seed = seed();
    return !l->opt.out || open_out(l);
}

int main(int argc, char **argv)
{
    static lookup  l;
    static fastest best;
    int64_t        bad;
    long           i;
    job_begin(&argc, &argv, "lookup");
    if (!parse(&l.opt, argc, argv)) return job_end(2);
    if (!prepare(&l)) return job_end(1);
    for (i = 0; i < l.opt.times || i == 0; i++) go_over(&l, &best);
    bad = tell_bad(&l);
    if (bad && !l.opt.zeros) {
        if (l.fd >= 0) job_discard(l.fd);
        return job_end(1);
    }
    if (l.fd >= 0) job_commit(l.fd);
    if (l.opt.times) tell_times(&l, &best);
    return job_end(0);
}
