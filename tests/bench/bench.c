/* bench.c - ours, two naive loops and the machine's ceilings, side by side
 *
 *     make bench                    all cells, some minutes
 *     make bench BENCH=quick        a fifth of them, the large ones with half
 *                                   the rows, under a minute
 *     make bench BENCH=gather/64B   the cells whose name contains this
 *     make bench BENCH=check        all cells, compared and not timed
 *
 * For each cell of cells.h:
 *
 *     ours      the plan is made once, and run
 *     typed     a checked loop with a row size known to the compiler
 *     memcpy    the same with memcpy(to, from, row)
 *     ceiling   the larger of those lower bounds of ceiling.h that apply
 *
 * All in one process and the same buffers (2-MiB aligned, touched), on pinned
 * threads, interleaved round by round, first forwards, then backwards; best and
 * median of the rounds after a warm-up. Small cells repeat inside C. Before
 * anything is timed its result is compared with the typed loop's; a wrong one
 * ends the program with status 1. Nothing else does: read the figures. */
#define _GNU_SOURCE
#ifndef VERSUS
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "cells.h"
#ifdef VERSUS
#include "versus.h"
#else
#define SIDE large_here
#include "ours.h"
#endif
#include "ready.h"

enum { OURS, TYPED, MEMCPY, LINE, BUS, STORE, KINDS };
enum { MOST_CONTESTS = 16 };
static const char *const kind_name[KINDS] = {
    "ours", "typed", "memcpy", "line", "bus", "store"
};

typedef struct {
    contest_fn *run;
    int         kind, variant, dropped;    /* variant: of ours, whose */
    double      ns[MOST_ROUNDS], warm;     /* per row */
    double      best, median;
} contest;

#ifdef VERSUS
static long     versus_reps;
#else
typedef struct {
    const cell *c;
    char        name[64];
    double      ours, typed, memcpys, ceiling;   /* best ns per row; or 0 */
} result;

static result   results[CELLS];
static int      done, rounds = MOST_ROUNDS;
#endif

static work    cur;
static contest contests[MOST_CONTESTS];
static int     contestants;
static int     wrong, check, right;
static double  shortest = HERE > 1 ? 2e5 : 2e6;  /* ns of a timing, or more */

/* ---- one timing ----------------------------------------------------------*/
typedef struct { call k; contest_fn *run; } job;

static void *worker(void *argument)
{
    job  *j = (job *)argument;
    work *w = j->k.w;
    const int t = j->k.worker;
    if (w->threads > 1) pin(t);
    meet(w);
    w->began[t] = now();
    j->run(&j->k);
    w->ended[t] = now();
    return NULL;
}

/* Nanoseconds from the first worker's start to the last one's end. */
static double timed(const contest *c, work *w, long reps)
{
    job       j[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    double    from, to;
    int       t;
    if (c->kind == OURS) memcpy(w->room, w->kept[c->variant], ROOM);
    for (t = 0; t < w->threads; t++) {
        j[t].run = c->run;
        j[t].k.w = w;
        j[t].k.variant = c->variant;
        j[t].k.worker = t;
        j[t].k.first = w->n / w->threads * t;
        j[t].k.last = w->n / w->threads * (t + 1);
        j[t].k.reps = reps;
        w->status[t] = 0;
        w->bad[t] = -1;
    }
    /* a stitch's ranges are ranges of output rows */
    for (t = 0; c->kind == OURS && w->c->op == STITCH && t < w->threads; t++) {
        j[t].k.first = w->total / w->threads * t;
        j[t].k.last = w->total / w->threads * (t + 1);
    }
    for (t = 1; t < w->threads; t++)
        if (pthread_create(&thread[t], NULL, worker, &j[t])) {
            printf("no thread\n");
            exit(1);
        }
    worker(&j[0]);
    for (t = 1; t < w->threads; t++) pthread_join(thread[t], NULL);
    w->cursor += reps;
    for (from = w->began[0], to = w->ended[0], t = 1; t < w->threads; t++) {
        from = least(from, w->began[t]);
        if (w->ended[t] > to) to = w->ended[t];
    }
    return to - from;
}

/* The same as time per row; copies are scaled to the cell's bytes. */
static double per_row(const contest *c, work *w, long reps)
{
    double ns = timed(c, w, reps) / (double)reps / (double)w->n;
    if (c->kind == BUS) ns *= w->bytes_per_row / (2.0 * (double)w->row);
    return ns;
}

/* ---- who runs, and whether it is right -----------------------------------*/
static void enter(contest_fn *run, int kind, int variants)
{
    int v;
    for (v = 0; v < variants; v++) {
        contest *c = &contests[contestants];
        if (kind == BUS && !can_copy(v)) continue;
        memset(c, 0, sizeof *c);
        c->run = run;
        c->kind = kind;
        c->variant = kind == MEMCPY ? 1 : v;
        contestants++;
    }
}

static void enter_ours(int way)
{
    int i;
    for (i = 0; i < HERE; i++) {
        enter(here[i]->run[way], OURS, 1);
        contests[contestants - 1].variant = i;
    }
}

static void enter_all(const work *w)
{
    contestants = 0;
    switch (w->c->op) {
    case STITCH:
        enter_ours(RUN_STITCH);
        enter(naive_stitch, TYPED, 1);
        enter(naive_stitch, MEMCPY, 1);
        if (HERE == 1) enter(ceiling_store, STORE, STORES);
        break;
    case PARTITION:
        enter_ours(RUN_PARTITION);
        enter(naive_partition, TYPED, 1);
        enter(naive_partition, MEMCPY, 1);
        break;
    case PLAN:
        enter_ours(RUN_PLAN);
        return;
    default:
        enter_ours(w->c->op == ROWS ? RUN_ROWS : w->c->op == ONCE ? RUN_ONCE
                                                                  : RUN_GATHER);
        enter(naive_gather, TYPED, 1);
        enter(naive_gather, MEMCPY, 1);
        if (HERE == 1 && w->line) enter(ceiling_line, LINE, LINES);
    }
    if (HERE > 1) return;
    if (!w->line || w->n * w->row >= 4 * KIB) enter(ceiling_bus, BUS, COPIES);
}

static int complain(const work *w, const contest *c, const char *what)
{
    printf("WRONG: %s: %s%s: %s\n", w->name, HERE == 1 || c->kind != OURS ? ""
           : c->variant ? "new " : "old ", kind_name[c->kind], what);
    wrong++;
    return 0;
}

/* Compared: ours and the typed loop; that of memcpy, where it is timed. */
enum { SAME = 3 };

/* Whether the others say and write what the first, the typed loop, does. */
static int same_window(work *w, contest *const *who)
{
    const int bad = w->c->flags & BAD;
    const ptrdiff_t at = w->cursor;
    ptrdiff_t first_bad = -1;
    int i, t;
    for (i = 0; i < SAME; i++) {
        w->cursor = at;
        memset(w->out, 0xee, (size_t)w->out_bytes);
        timed(who[i], w, 1);
        for (t = 0; t < w->threads; t++) {
            if (who[i]->kind == OURS &&
                w->status[t] != (bad ? NDG_E_INDEX : NDG_OK))
                return complain(w, who[i], "status");
            if (t == 0 && i == 0) first_bad = w->bad[t];
            if (w->bad[t] != first_bad) return complain(w, who[i], "bad");
        }
        if (i == 0 && (first_bad >= 0) != (bad != 0))
            return complain(w, who[i], "bad");
        if (i == 0) memcpy(mem.want, w->out, (size_t)w->out_bytes);
        if (!bad && memcmp(mem.want, w->out, (size_t)w->out_bytes))
            return complain(w, who[i], "bytes");
    }
    return 1;
}

static int all_same(work *w)
{
    contest *who[SAME];
    int i;
    if (w->c->op == PLAN) {
        for (i = 0; i < HERE; i++) {
            timed(&contests[i], w, 1);
            if (w->status[0]) return complain(w, &contests[i], "status");
        }
        return 1;
    }
    who[0] = &contests[HERE];
    for (i = 0; i < HERE; i++) who[1 + i] = &contests[i];
    if (HERE == 1) who[2] = &contests[2];
    for (w->cursor = 0; w->cursor < w->windows; )
        if (!same_window(w, who)) return 0;
    return 1;
}

/* ---- rounds --------------------------------------------------------------*/
static long repetitions(work *w)
{
    long reps = 1;
    if (w->threads > 1) return 1;
    while (timed(&contests[0], w, reps) < shortest) reps *= 2;
    return reps;
}

#ifdef VERSUS
static double time_contest(int who, long round)
{
    (void)round;
    return per_row(&contests[who], &cur, versus_reps);
}

/* Of few rows many rounds. */
static void time_cell(work *w)
{
    char name[72];
    snprintf(name, sizeof name, "large/%s", w->name);
    versus_reps = repetitions(w);
    versus_cell(name, w->c->op == PLAN ? 2 : 3, time_contest,
                versus_reps > 1 ? 60 : 5);
}
#else
static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The fastest of a kind, by its best; NULL for none. */
static const contest *best_of(int kind)
{
    const contest *found = NULL;
    int i;
    for (i = 0; i < contestants; i++) {
        const contest *c = &contests[i];
        if (c->kind == kind && !c->dropped && (!found || c->best < found->best))
            found = c;
    }
    return found;
}

/* Of a few rows the call is the cost, and no bound of ceiling.h knows calls:
 * there the typed loop is a bound too, if it is the lower one. */
static const contest *ceiling(const work *w)
{
    const contest *most = NULL, *c;
    int kind;
    for (kind = LINE; kind < KINDS; kind++) {
        c = best_of(kind);
        if (c && (!most || c->best > most->best)) most = c;
    }
    c = best_of(TYPED);
    if (w->n < 64 && c && most && c->best < most->best) most = c;
    return most;
}

/* After the warm-up: bounds that are far from being the ceiling need no rounds.
 * A variant must beat its kind, and a kind must be near the largest one. */
static void drop_hopeless(void)
{
    double least_of[KINDS], most = 0;
    int    i, kind;
    for (kind = LINE; kind < KINDS; kind++) {
        const contest *c = best_of(kind);
        least_of[kind] = c ? c->best : 0;
        if (least_of[kind] > most) most = least_of[kind];
    }
    for (i = 0; i < contestants; i++) {
        contest *c = &contests[i];
        if (c->kind < LINE) continue;
        c->dropped = c->best > 1.25 * least_of[c->kind] ||
                     least_of[c->kind] < 0.6 * most;
    }
}

static void run_rounds(work *w)
{
    const long reps = repetitions(w);
    int r, i;
    for (i = 0; i < contestants; i++)
        contests[i].best = per_row(&contests[i], w, reps);
    drop_hopeless();
    for (r = 0; r < rounds; r++)
        for (i = 0; i < contestants; i++) {
            contest *c = &contests[r % 2 ? contestants - 1 - i : i];
            if (!c->dropped) c->ns[r] = per_row(c, w, reps);
        }
    for (i = 0; i < contestants; i++) {
        contest *c = &contests[i];
        if (c->dropped) continue;
        qsort(c->ns, (size_t)rounds, sizeof c->ns[0], by_size);
        c->best = c->ns[0];
        c->median = c->ns[rounds / 2];
    }
}

/* ---- report --------------------------------------------------------------*/
static int behind(const result *r)
{
    return r->typed > 0 && r->ours > 1.03 * r->typed;
}

static void print_head(void)
{
    printf("\n%-34s %5s %8s %8s %6s | %8s %8s %6s %6s | %8s %-5s %5s\n",
           "ns per row: best; x > 1: ours is", "rows", "ours", "median",
           "GB/s", "typed", "memcpy", "x typ", "x mem", "ceiling", "of",
           "frac");
}

static void print_cell(const work *w)
{
    const contest *o = best_of(OURS), *t = best_of(TYPED), *m = best_of(MEMCPY);
    const contest *c = ceiling(w);
    result *r = &results[done++];
    char    n[24];
    r->c = w->c;
    snprintf(r->name, sizeof r->name, "%s", w->name);
    r->ours = o->best;
    printf("%-34s %5s %8.3f %8.3f", w->name, amount(n, sizeof n, w->n), o->best,
           o->median);
    if (t && m && c) {
        r->typed = t->best;
        r->memcpys = m->best;
        r->ceiling = c->best;
        printf(" %6.1f | %8.3f %8.3f %6.2f %6.2f | %8.3f %-5s %5.2f%s",
               w->bytes_per_row / o->best, t->best, m->best, t->best / o->best,
               m->best / o->best, c->best, kind_name[c->kind],
               c->best / o->best, behind(r) ? " <" : "");
    }
    printf("\n");
    fflush(stdout);
}

static void time_cell(work *w)
{
    run_rounds(w);
    print_cell(w);
}

/* Geometric means of one op, or of all for op OPS. */
static void print_means(int op)
{
    double typed = 1, memcpys = 1, fractions = 1;
    int    i, n = 0, slow = 0, slow_memcpy = 0;
    for (i = 0; i < done; i++) {
        const result *r = &results[i];
        if ((op != OPS && r->c->op != op) || r->typed <= 0) continue;
        typed *= r->typed / r->ours;
        memcpys *= r->memcpys / r->ours;
        fractions *= r->ceiling / r->ours;
        slow += behind(r);
        slow_memcpy += r->ours > 1.03 * r->memcpys;
        n++;
    }
    if (n == 0) return;
    printf("%-12s %5d %8.2f %8.2f %8.2f %10d %8d\n",
           op == OPS ? "all" : op_name[op], n, nth_root(typed, n),
           nth_root(memcpys, n), nth_root(fractions, n), slow, slow_memcpy);
}

static double lead(const result *r)  { return r->typed / r->ours; }
static double share_of_ceiling(const result *r) { return r->ceiling / r->ours; }

/* The ten cells with the smallest value. */
static void print_worst(const char *title, double (*value)(const result *))
{
    double last = -1;
    int    i, k;
    printf("\n%s\n", title);
    for (k = 0; k < 10; k++) {
        const result *low = NULL;
        for (i = 0; i < done; i++) {
            const result *r = &results[i];
            if (r->typed > 0 && value(r) > last &&
                (!low || value(r) < value(low)))
                low = r;
        }
        if (!low) return;
        printf("  %5.2f  %s\n", value(low), low->name);
        last = value(low);
    }
}

/* What a bad index at the end and a second thread change. */
static void print_twins(void)
{
    char name[64];
    int  i, k;
    for (i = 0; i < done; i++) {
        const result *r = &results[i];
        const int     flag = r->c->flags & (BAD | X2);
        if (!flag) continue;
        name_cell(name, sizeof name, r->c, r->c->flags & ~flag);
        for (k = 0; k < done; k++)
            if (!strcmp(results[k].name, name))
                printf("  %s: %.3f, without: %.3f; ours %.2fx, typed %.2fx, "
                       "ceiling %.2fx\n", r->name, r->ours, results[k].ours,
                       results[k].ours / r->ours, results[k].typed / r->typed,
                       results[k].ceiling / r->ceiling);
    }
}

static void print_summary(void)
{
    int op;
    printf("\ngeometric means, and cells more than 3 %% behind (marked <)\n"
           "%-12s %5s %8s %8s %8s %10s %8s\n", "", "cells", "x typed",
           "x memcpy", "fraction", "of typed", "memcpy");
    for (op = 0; op <= OPS; op++) print_means(op);
    print_worst("worst against the typed loop", lead);
    print_worst("worst against the ceiling", share_of_ceiling);
    printf("\nspeed with one bad index at the end, with two threads\n");
    print_twins();
}

/* ---- the machine ---------------------------------------------------------*/
/* The first line of a file that begins with `key`, from its colon on. */
static void print_line_of(const char *file, const char *key, const char *title)
{
    char  line[256];
    FILE *f = fopen(file, "r");
    while (f && fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (!value || strncmp(line, key, strlen(key))) continue;
        for (value++; *value == ' ' || *value == '\t'; ) value++;
        printf("%s%s", title, value);
        break;
    }
    if (f) fclose(f);
}

static void print_machine(void)
{
    print_line_of("/proc/cpuinfo", "model name", "machine:     ");
    printf("processors:  %d to use\n", CPU_COUNT(&allowed));
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
    printf("caches:      %ld KiB, %ld KiB, %ld KiB\n",
           sysconf(_SC_LEVEL1_DCACHE_SIZE) / 1024,
           sysconf(_SC_LEVEL2_CACHE_SIZE) / 1024,
           sysconf(_SC_LEVEL3_CACHE_SIZE) / 1024);
#endif
    printf("compiler:    %s\n", BENCH_COMPILER);
    printf("flags:       %s\n", BENCH_FLAGS);
    printf("ndgather:    %d\n", ndg_version());
    print_line_of("/proc/self/smaps_rollup", "Rss", "memory:      ");
    print_line_of("/proc/self/smaps_rollup", "AnonHugePages", "  huge:      ");
    printf("rounds:      %d, each %.1f ms or more\n", rounds, shortest / 1e6);
}
#endif

/* ---- all cells -----------------------------------------------------------*/
static void make_buffers(void)
{
    mem.table = buffer(TABLE_BYTES);
    mem.out = buffer(OUT_BYTES);
    mem.want = buffer(OUT_BYTES);
    mem.indices = buffer(INDEX_BYTES);
    mem.linear = buffer(INDEX_BYTES / 2);
    mem.room = buffer(2 * ROOM) + ROOM;  /* at no offset that out begins at */
    fill_random(mem.table, TABLE_BYTES);
}

static void run_cell(const cell *c)
{
    work *w = &cur;
    if (!prepare(w, c)) {
        printf("WRONG: %s: cannot be prepared\n", w->name);
        wrong++;
        return;
    }
    if (w->threads > CPU_COUNT(&allowed)) {
        printf("skip: %s: one processor\n", w->name);
        return;
    }
    if (w->threads > 1)
        pthread_barrier_init(&w->barrier, NULL, (unsigned)w->threads);
    enter_all(w);
#ifdef VERSUS
    if (w->missing) {
        versus_skip(w->name);
        return;
    }
#endif
    if (all_same(w)) {
        right++;
        if (!check) time_cell(w);
    }
    if (w->threads > 1) pthread_barrier_destroy(&w->barrier);
}

static int wanted(const cell *c, const char *part)
{
    char name[72] = "large/";
    const size_t at = HERE > 1 ? strlen(name) : 0;
    name_cell(name + at, sizeof name - at, c, c->flags);
    return quick ? c->quick : check || !part || strstr(name, part) != NULL;
}

#ifdef VERSUS
void versus_large(void)
{
    int i;
    quick = versus_quick;
    check = versus_check;
    make_cells();
    sched_getaffinity(0, sizeof allowed, &allowed);
    pin(0);
    for (i = 0; i < CELLS; i++) {
        if (!wanted(&all_cells[i], versus_only)) continue;
        if (!mem.table) make_buffers();
        run_cell(&all_cells[i]);
    }
    versus_right += right;
    versus_wrong += wrong;
}
#else
int main(void)
{
    const char *only = getenv("BENCH");
    int         i;
    quick = only && !strcmp(only, "quick");
    check = only && !strcmp(only, "check");
    sched_getaffinity(0, sizeof allowed, &allowed);
    pin(0);
    if (quick) {
        rounds = 5;
        shortest = 1e6;
    }
    make_cells();
    make_buffers();
    print_machine();
    if (!check) print_head();
    for (i = 0; i < CELLS; i++)
        if (wanted(&all_cells[i], only)) run_cell(&all_cells[i]);
    if (done > 1) print_summary();
    printf("\n%d cells right, %d wrong\n", right, wrong);
    return wrong ? 1 : 0;
}
#endif
