/* engine.h - what all cells use: buffers, jobs, the comparison of ours with the
 * loops by hand, the clock. */
#ifndef NDG_BENCH_ENGINE_H
#define NDG_BENCH_ENGINE_H

#include "indices.h"
#include "naive.h"

/* Bytes of the buffers. The big ones are made for the cells that need them:
 * their rows are cut so that the output stays in bounds. With a table of 1 GiB,
 * and twice the output for a stitch with holes, all buffers together take
 * 2.2 GiB. */
#define TABLE_BYTES (4096 * KIB)
#define POOL_BYTES  (512 * KIB)       /* for each of the shares of "bad" */
#define OUT_BYTES   (1024 * KIB)
#define POOL        (4 * MIB)         /* index rows of a big cell, in numbers */
#define BIG_TABLE   GIB
#define BIG_OUT     (512 * MIB)
#define BIG_POOL    (POOL * 4 * 8)    /* four int64_t each */
#define GUARD       ((ptrdiff_t)64)   /* behind out: nobody may write there */

enum { SHARES = 5, MOST_CONTESTS = 16, NAME = 72 };

static struct {
    byte *table, *out, *want, *pool[SHARES], *spoilt;
    byte *big_table, *big_out, *big_want, *big_pool, *linear;
    void *room;
} mem;

/* What NDG_FILL writes, repeated: a row of any size begins here. */
static byte fill_row[1024];

/* What the last run had to say. */
static answer said;

/* Results of hand loops and of ceilings end here, so that they must be
 * computed. */
static volatile ptrdiff_t sink;

static int quick, check;             /* BENCH=quick, BENCH=check */
static const char *only;             /* else: part of the names to run */
static int right, wrong, skipped;

static job cur, share[SHARES];       /* the cell at work; the shares of one */

static int wanted(const char *name)
{
    return quick || check || !only || strstr(name, only) != NULL;
}

/* ---- buffers, processors -------------------------------------------------*/
/* Touched; the larger ones in huge pages where the system grants them. */
static byte *buffer(ptrdiff_t bytes)
{
    const size_t at = bytes >= 2 * MIB ? (size_t)(2 * MIB) : 4096;
    void *p = NULL;
    if (posix_memalign(&p, at, (size_t)(bytes + GUARD))) {
        printf("no memory for the buffers\n");
        exit(1);
    }
    if (bytes >= 2 * MIB) madvise(p, (size_t)bytes, MADV_HUGEPAGE);
    memset(p, 1, (size_t)(bytes + GUARD));
    return (byte *)p;
}

static void make_buffers(void)
{
    int s;
    mem.table = buffer(TABLE_BYTES);
    mem.out = buffer(OUT_BYTES);
    mem.want = buffer(OUT_BYTES);
    mem.spoilt = buffer(POOL_BYTES);
    for (s = 0; s < SHARES; s++) mem.pool[s] = buffer(POOL_BYTES);
    mem.room = buffer(2 * ROOM) + ROOM;  /* at no offset that out begins at */
    fill_random(mem.table, TABLE_BYTES);
}

static void make_big_buffers(void)
{
    if (mem.big_table) return;
    mem.big_table = buffer(BIG_TABLE);
    mem.big_out = buffer(BIG_OUT);
    mem.big_want = buffer(BIG_OUT);
    mem.big_pool = buffer(BIG_POOL);
    mem.linear = buffer(BIG_POOL / 2);
    fill_random(mem.big_table, BIG_TABLE);
}

static cpu_set_t allowed;      /* at the start, before anything is pinned */

/* Binds this thread to the number-th processor it may use. */
static void pin(int number)
{
    cpu_set_t one;
    size_t    which;
    int       seen = 0;
    CPU_ZERO(&one);
    for (which = 0; which < CPU_SETSIZE; which++)
        if (CPU_ISSET(which, &allowed) && seen++ == number)
            CPU_SET(which, &one);
    if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one);
}

/* ---- who is under test ---------------------------------------------------*/
#ifdef VERSUS
extern const side side_old, side_new;
static const side *const here[] = { &side_old, &side_new };
#else
static const side *const here[] = { &SIDE };
#endif
enum { HERE = sizeof here / sizeof here[0], OLD = 0, NEW = HERE - 1 };

/* Plans are made, kept and run at one place, so that none lies better. */
static void load_plan(const job *j, int side)
{
    memcpy(j->room, j->kept[side], ROOM);
}

static const void *desc_of(job *j, int op)
{
    if (op == PLAN_STITCH)    return &j->stitch;
    if (op == PLAN_PARTITION) return &j->partition;
    if (op == PLAN_SCATTER)   return &j->scatter;
    return &j->gather;
}

/* The plans of a desc whose shapes are set: the rest is as in the job. Returns
 * the status of the last; an older one may not know the desc. */
static int make_plan(job *j, int op)
{
    int i, status = 0;
    j->plan_op = op;
    j->plan_desc = desc_of(j, op);
    if (!j->gather.elem_size)    j->gather.elem_size = j->row;
    if (!j->partition.elem_size) j->partition.elem_size = j->row;
    j->stitch.elem_size = j->scatter.elem_size = j->row;
    j->gather.index_type = j->scatter.index_type = j->type;
    j->stitch.index_type = j->partition.index_type = j->type;
    j->gather.policy = j->stitch.policy = j->partition.policy = j->policy;
    j->scatter.policy = j->policy;
    j->gather.negative = j->scatter.negative = j->negative;
    memcpy(j->gather.fill, fill_row, sizeof j->gather.fill);
    for (i = 0; i < HERE; i++) {
        memset(j->room, 0, ROOM);
        status = here[i]->plan(op, j->room, j->plan_desc, NULL);
        memcpy(j->kept[i], j->room, ROOM);
        if (i < HERE - 1 && status) j->missing = 1;
    }
    return status;
}

/* ---- a job with nothing in it yet ----------------------------------------*/
static void begin_job(job *j, int kind, int type, ptrdiff_t row, ptrdiff_t n)
{
    memset(j, 0, sizeof *j);
    j->kind = kind;
    j->ours = kind == STITCH    ? RUN_STITCH
            : kind == PARTITION ? RUN_PARTITION
            : kind == SCATTER   ? RUN_SCATTER : RUN_GATHER;
    j->type = type;
    j->row = j->dim[ROW] = row;
    j->n = j->index_rows = n;
    j->depth = j->threads = j->loops = 1;
    j->per = j->dim[GROUPS] = 1;
    j->table = mem.table;
    j->indices = mem.pool[0];
    j->out = mem.out;
    j->want = mem.want;
    j->out_bytes = n * row;
    j->room = mem.room;
}

static void use_big_buffers(job *j)
{
    make_big_buffers();
    j->table = mem.big_table;
    j->indices = mem.big_pool;
    j->out = mem.big_out;
    j->want = mem.big_want;
}

/* ---- who runs beside ours ------------------------------------------------*/
static void run_hand(call *k)
{
    const job      *j = k->j;
    hand_fn        *loop = j->hand[k->variant];
    const ptrdiff_t n = k->last - k->first;
    const ptrdiff_t skip = k->first * j->depth * type_width[j->type];
    byte           *out = j->out + k->first * j->row;
    ptrdiff_t       bad = -1;
    long            r;
    for (r = k->from; r < k->from + k->reps; r++)
        bad = loop(out, j->table, window(j, r) + skip, n, j->dim);
    sink = k->said.hand = bad;
}

/* The lists of a call; of two threads each has a share of the one list. */
static const ndg_list *lists_of(const call *k, long r, ndg_list *mine)
{
    const job      *j = k->j;
    const ndg_list *lists = j->lists[r & j->mask];
    if (j->threads == 1) return lists;
    *mine = *lists;
    mine->count = k->last - k->first;
    mine->data = (const byte *)lists->data + k->first * j->row;
    mine->indices = (const byte *)lists->indices +
                    k->first * type_width[j->type];
    return mine;
}

/* The largest index + 1, as a user who does not know the rows finds it. */
NOINLINE ptrdiff_t naive_total(const ndg_list *lists, ptrdiff_t count,
                               int width)
{
    int64_t   most = -1;
    ptrdiff_t m, i;
    for (m = 0; m < count; m++)
        for (i = 0; i < lists[m].count; i++) {
            const void   *at = lists[m].indices;
            const int64_t v = width == 8 ? ((const int64_t *)at)[i]
                                         : ((const int32_t *)at)[i];
            if (v > most) most = v;
        }
    return (ptrdiff_t)most + 1;
}

/* A user knows whether there can be holes, and clears the output only then; so
 * does ours, by its gaps. */
static void run_hand_stitch(call *k)
{
    const job *j = k->j;
    stitch_fn *loop = j->hand_stitch[k->variant];
    ptrdiff_t  bad = -1, total = j->total;
    ndg_list   mine;
    long       r;
    for (r = k->from; r < k->from + k->reps; r++) {
        const ndg_list *lists = lists_of(k, r, &mine);
        if (j->find_total)
            total = naive_total(lists, j->list_count, type_width[j->type]);
        if (j->clear) memset(j->out, 0, (size_t)j->out_bytes);
        bad = loop(j->out, lists, j->list_count, total, j->row);
    }
    sink = k->said.hand = bad;
}

static void run_hand_part(call *k)
{
    job      *j = k->j;
    ptrdiff_t bad = -1;
    long      r;
    for (r = k->from; r < k->from + k->reps; r++) {
        const long      w = r & j->mask;
        const ptrdiff_t slot = w * j->parts;
        bad = j->hand_part(j->outs + slot, j->places + slot,
                           j->table + w * j->data_step, window(j, r), j->n,
                           j->parts, j->cursors);
    }
    sink = k->said.hand = bad;
}

/* Where the workers write next: [threads][parts]. */
static byte    *rows_at[SLOTS];
static int32_t *places_at[SLOTS];

/* The parts one after the other, and in each the workers' rows in order. */
static void place_workers(const job *j)
{
    byte     *at = j->out;
    int32_t  *place = (int32_t *)(void *)(j->out + j->n * j->row);
    ptrdiff_t p, t;
    for (p = 0; p < j->parts; p++)
        for (t = 0; t < j->threads; t++) {
            const ptrdiff_t slot = t * j->parts + p;
            rows_at[slot] = at;
            places_at[slot] = place;
            at += j->counts[slot] * j->row;
            place += j->counts[slot];
        }
}

/* Counts, then moves: the parts of the others have to be known. */
static void run_hand_split(call *k)
{
    job            *j = k->j;
    const ptrdiff_t mine = k->worker * j->parts;
    const int       width = type_width[j->type];
    long            r;
    for (r = 0; r < k->reps; r++) {
        k->said.hand = (width == 8 ? count64 : count32)(
            j->indices + k->first * width, k->last - k->first, j->parts,
            j->counts + mine);
        meet(j);
        if (k->worker == 0) place_workers(j);
        meet(j);
        j->hand_move[k->variant](rows_at + mine, places_at + mine, j->table,
                                 j->indices, k->first, k->last, j->row);
    }
}

static run_fn *hand_of(const job *j)
{
    if (j->kind == STITCH)    return run_hand_stitch;
    if (j->ours == RUN_SPLIT) return run_hand_split;
    return j->kind == PARTITION ? run_hand_part : run_hand;
}

/* ---- a timing ------------------------------------------------------------*/
/* Who runs: ours, a loop by hand, or a bound of ceiling.h. */
enum { OURS, BY_HAND, LINE, BUS, STORE, KINDS };

typedef struct {
    run_fn *run;
    job    *j;
    int     kind, variant, dropped;  /* variant: of ours, whose */
    long    reps;
    double  best;                    /* ns for one call */
} contest;

static long turn;                    /* calls so far: windows go on and on */

/* What of the rows a worker has: a stitch of ours is cut by its output. */
static void begin_call(call *k, const contest *c, int worker)
{
    job            *j = c->j;
    const ptrdiff_t n = c->kind == OURS && j->kind == STITCH ? j->total : j->n;
    const answer    nothing = { 0, 0, -1, -1 };
    k->j = j;
    k->variant = c->variant;
    k->worker = worker;
    k->first = n / j->threads * worker;
    k->last = worker == j->threads - 1 ? n : n / j->threads * (worker + 1);
    k->from = turn;
    k->reps = c->reps;
    k->said = nothing;
}

typedef struct { call k; run_fn *run; double began, ended; } task;

static void *work(void *argument)
{
    task *t = (task *)argument;
    if (t->k.j->threads > 1) pin(t->k.worker);
    meet(t->k.j);
    t->began = now();
    t->run(&t->k);
    t->ended = now();
    return NULL;
}

static void add_answer(const answer *a)
{
    said.status |= a->status;
    if (a->count && !said.count) said.position = a->position;
    said.count += a->count;
    if (said.hand < 0) said.hand = a->hand;
}

/* ns from the first worker's start to the last one's end; fills `said`. */
static double timed(contest *c)
{
    task      all[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    const int threads = c->j->threads;
    double    from, to;
    int       t;
    if (c->kind == OURS) load_plan(c->j, c->variant);
    for (t = 0; t < threads; t++) {
        begin_call(&all[t].k, c, t);
        all[t].run = c->run;
    }
    for (t = 1; t < threads; t++)
        if (pthread_create(&thread[t], NULL, work, &all[t])) {
            printf("no thread\n");
            exit(1);
        }
    work(&all[0]);
    for (t = 1; t < threads; t++) pthread_join(thread[t], NULL);
    turn += c->reps;
    said = all[0].k.said;
    from = all[0].began;
    to = all[0].ended;
    for (t = 1; t < threads; t++) {
        add_answer(&all[t].k.said);
        from = least(from, all[t].began);
        if (all[t].ended > to) to = all[t].ended;
    }
    return to - from;
}

/* ---- who runs ------------------------------------------------------------*/
static contest contests[MOST_CONTESTS];
static int     contestants;

static contest contest_of(run_fn *run, job *j, int kind, int variant)
{
    contest c;
    c.run = run;
    c.j = j;
    c.kind = kind;
    c.variant = variant;
    c.dropped = 0;
    c.reps = 1;
    c.best = 1e30;
    return c;
}

static void enter(run_fn *run, job *j, int kind, int variants)
{
    int v;
    for (v = 0; v < variants; v++)
        contests[contestants++] = contest_of(run, j, kind, v);
}

static void enter_ours(job *j)
{
    int i;
    for (i = 0; i < HERE; i++)
        contests[contestants++] = contest_of(here[i]->run[j->ours], j, OURS, i);
}

/* ---- is it right? --------------------------------------------------------*/
typedef struct { ptrdiff_t first, count; } bad_rows;

static void add_bad(bad_rows *b, ptrdiff_t position)
{
    if (b->count++ == 0) b->first = position;
}

static int out_of(const job *j, const byte *at, ptrdiff_t extent)
{
    int64_t v = get_index(at, j->type);
    if (j->gather.index_mask) v &= j->gather.index_mask;
    v += j->gather.index_add;
    if (v < 0 && j->negative == NDG_NEGATIVE_FROM_END) v += extent;
    return v < 0 || v >= extent;
}

static void scan_lists(const job *j, long window, bad_rows *b)
{
    const ptrdiff_t width = type_width[j->type];
    ptrdiff_t i, m;
    for (m = 0; m < j->list_count; m++) {
        const ndg_list *l = &j->lists[window][m];
        for (i = 0; i < l->count; i++)
            if (out_of(j, (const byte *)l->indices + i * width, j->total))
                add_bad(b, i);
    }
}

/* The bad index rows of a window, found slowly. */
static bad_rows scan(const job *j, long window)
{
    const ptrdiff_t width = type_width[j->type];
    const byte     *at = j->indices + window * j->step;
    bad_rows  b = { -1, 0 };
    ptrdiff_t i;
    int       k, bad;
    if (j->kind == STITCH)
        scan_lists(j, window, &b);
    else if (j->kind == PARTITION) {
        for (i = 0; i < j->n; i++)
            if (out_of(j, at + i * j->id_stride, j->parts)) add_bad(&b, i);
    } else
        for (i = 0; i < j->index_rows; i++) {
            for (bad = k = 0; k < j->depth; k++)
                bad |= out_of(j, at + k * width, j->dim[k]);
            if (bad) add_bad(&b, i);
            at += j->index_step ? j->index_step : j->depth * width;
        }
    return b;
}

/* who: of here[]; HERE is the hand loop. */
static int complain(const char *name, int who, const char *what)
{
    printf("WRONG: %s: %s%s\n", name, who == HERE ? "by hand: " :
           HERE > 1 ? who ? "new: " : "old: " : "", what);
    wrong++;
    return 0;
}

/* Runs one on one window, into an out full of 0xee. */
static void run_window(run_fn *run, job *j, int kind, int variant, long window)
{
    contest c = contest_of(run, j, kind, variant);
    memset(j->out, 0xee, (size_t)(j->out_bytes + GUARD));
    turn = window;
    timed(&c);
}

/* Whether ours says what the scan found and writes what the hand loop did. */
static int same_window(const char *name, job *j, int loop, long window)
{
    const bad_rows  b = scan(j, window);
    const int       stops = j->policy == NDG_DEFAULT;
    const size_t    bytes = (size_t)(j->out_bytes + GUARD);
    int i;
    run_window(hand_of(j), j, BY_HAND, loop, window);
    if (stops && said.hand != b.first) return complain(name, HERE, "position");
    memcpy(j->want, j->out, bytes);
    for (i = 0; i < HERE; i++) {
        run_window(here[i]->run[j->ours], j, OURS, i, window);
        if (said.status != (stops && b.count ? NDG_E_INDEX : NDG_OK))
            return complain(name, i, "status");
        if ((said.count > 0) != (b.count > 0)) return complain(name, i, "bad");
        if (b.count && said.position != b.first)
            return complain(name, i, "bad.position");
        if (b.count && !stops && said.count != b.count)
            return complain(name, i, "bad.count");
        if ((!stops || !b.count) && memcmp(j->want, j->out, bytes))
            return complain(name, i, "bytes");
    }
    return 1;
}

/* Of a plan alone: whether it can be made. */
static int same_plans(const char *name, job *j)
{
    int i;
    for (i = 0; i < HERE; i++) {
        run_window(here[i]->run[j->ours], j, OURS, i, 0);
        if (said.status) return complain(name, i, "status");
    }
    return 1;
}

/* All windows, beside each loop by hand; of what is large, two of them. */
static int same(const char *name, job *j)
{
    long w, last = j->mask;
    int  loop;
    if (j->missing) {
        printf("skip: %s: not in the old header\n", name);
        skipped++;
        return 0;
    }
    if (j->loops == 0) return same_plans(name, j);
    if (j->out_bytes > OUT_BYTES && last > 1) last = 1;
    for (loop = 0; loop < j->loops; loop++)
        for (w = 0; w <= last; w++)
            if (!same_window(name, j, loop, w)) return 0;
    return 1;
}

#endif
