/* report.h - rounds, results, goals, and the table that is printed. */
#ifndef NDG_BENCH_REPORT_H
#define NDG_BENCH_REPORT_H

#include "ceiling.h"
#include "engine.h"

enum { MOST_RESULTS = 5000, MOST_FAMILIES = 48, OF_FAMILY = 24 };

/* A goal: a ratio to the better loop by hand, or to whatever else ours is held
 * against, or 0; and the ns that a call may always take, or 0. Either is
 * enough. */
typedef struct { double ratio, ns; } goal;

static goal goal_of(double ratio, double ns)
{
    goal g;
    g.ratio = ratio;
    g.ns = ns;
    return g;
}

/* Best ns of what a cell is per; 0 for none. */
typedef struct {
    char   name[NAME];
    double rows, old, ours, hand, other, ceiling, gigabytes;
    double beside;                   /* what ours is held against */
    double over;                     /* > 1: the goal is missed, or slower */
    int    bound;                    /* which kind is the ceiling */
    goal   g;
} result;

static result results[MOST_RESULTS];
static int    done;

/* ---- bounds --------------------------------------------------------------*/
static void ceiling_line(call *k)
{
    const job      *j = k->j;
    const ptrdiff_t step = j->n * j->line_width;       /* of a window */
    const byte     *at = j->line_indices + k->first * j->line_width;
    unsigned        sum = 0;
    long            r;
    for (r = k->from; r < k->from + k->reps; r++)
        sum += j->line(j->table, at + (r & j->mask) * step,
                       k->last - k->first, j->dim, line_distance[k->variant],
                       line_level[k->variant]);
    sink += sum;
}

static void ceiling_bus(call *k)
{
    const job      *j = k->j;
    const ptrdiff_t rows = k->last - k->first;
    const ptrdiff_t bytes = rows * j->dim[GROUPS] * j->row;
    byte           *to = j->out + k->first * j->row;
    ptrdiff_t       from = k->first * j->row, done, part;
    long            r;
    from = (from + k->from % POOL * j->per * j->row) % j->footprint;
    for (r = 0; r < k->reps; r++)
        for (done = 0; done < bytes; done += part, from += part) {
            if (from >= j->footprint) from = 0;
            part = fewer(bytes - done, j->footprint - from);
            copy_ways[k->variant](to + done, j->table + from, (size_t)part);
        }
}

static void ceiling_store(call *k)
{
    const job *j = k->j;
    long       r;
    for (r = 0; r < k->reps; r++)
        j->store(j->out, j->indices + k->first * type_width[j->type],
                 k->last - k->first, k->variant);
    stores_end();
}

/* ---- rounds --------------------------------------------------------------*/
/* Of a family: how long a timing takes at least, and how many rounds. */
static double shortest;
static int    rounds;

/* ns of a loop that takes longer while others load the machine. */
static double gauge(void)
{
    static uint64_t v[8];
    double t = now();
    long   i;
    int    k;
    for (i = 0; i < 4000; i++)
        for (k = 0; k < 8; k++) v[k] = v[k] * 3 + (uint64_t)i;
    t = now() - t;
    sink = (ptrdiff_t)v[0];
    return t;
}

/* Waits until the gauge is near its best again: 0.2 s at most, 20 s in all. */
static void wait_for_quiet(void)
{
    static double best = 1e30, left = 20e9;
    const struct timespec pause = { 0, 2000000 };
    const double from = now();
    double t = gauge();
    while (t > 1.1 * best && now() - from < least(2e8, left)) {
        nanosleep(&pause, NULL);
        t = least(gauge(), gauge());
        best = least(best, t);
    }
    best = least(best, t);
    left -= now() - from;
}

/* Warms up, too. Of two short timings the shorter one counts: a longer one may
 * have been interrupted. Two threads meet once. */
static void find_reps(contest *c)
{
    double t = timed(c);
    while (c->j->threads == 1 && t < 4 * shortest &&
           least(t, timed(c)) < shortest) {
        c->reps *= 2;
        t = timed(c);
    }
    c->best = t / (double)c->reps;
}

/* Who is number i of round r: every second one goes backwards; of two headers
 * only they change places. */
static int in_turn(int i, long r)
{
    if (r % 2 == 0) return i;
    if (HERE == 1)  return contestants - 1 - i;
    return i <= NEW ? NEW - i : i;
}

/* One timing of each. Of few windows all see the same, where two headers are
 * compared. */
static void run_round(long r)
{
    const long at = turn;
    int i;
    for (i = 0; i < contestants; i++) {
        contest *c = &contests[in_turn(i, r)];
        if (HERE > 1 && c->j->mask < MOST_WINDOWS) turn = at;
        if (!c->dropped) c->best = least(c->best, timed(c) / (double)c->reps);
    }
}

static void run_rounds(void)
{
    long r;
    for (r = 0; r < rounds; r++) run_round(r);
}

/* The fastest of a kind; NULL for none. */
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

/* ns of a call as the fastest of a bound allows it, or 0; copies are scaled to
 * the cell's bytes. */
static double bound_of(int kind)
{
    const contest *c = best_of(kind);
    if (!c) return 0;
    return kind != BUS ? c->best : c->best * c->j->bytes_per_row /
                                   (2.0 * (double)c->j->row);
}

/* After the warm-up: bounds that are far from being the ceiling need no rounds.
 * A variant must beat its kind, and a kind must be near the largest one. */
static void drop_hopeless(void)
{
    double bound[KINDS], of_kind[KINDS], most = 0;
    int    i, kind;
    for (kind = LINE; kind < KINDS; kind++) {
        const contest *c = best_of(kind);
        of_kind[kind] = c ? c->best : 0;
        bound[kind] = bound_of(kind);
        if (bound[kind] > most) most = bound[kind];
    }
    for (i = 0; i < contestants; i++) {
        contest *c = &contests[i];
        if (c->kind >= LINE)
            c->dropped = c->best > 1.25 * of_kind[c->kind] ||
                         bound[c->kind] < 0.6 * most;
    }
}

static void warm_up(void)
{
    int i;
    for (i = 0; i < contestants; i++) find_reps(&contests[i]);
    drop_hopeless();
    for (i = 0; i < contestants; i++) contests[i].best = 1e30;
    if (HERE == 1) return;
    if (contests[OLD].reps < contests[NEW].reps)
        contests[OLD].reps = contests[NEW].reps;
    contests[NEW].reps = contests[OLD].reps;
}

/* Two headers: equal after all rounds, or after twice as many so far apart that
 * it is no disturbance. Else eight times as many, for 3 s at most. */
static int settled(long r, long wanted)
{
    const double ratio = contests[NEW].best / contests[OLD].best;
    return (r >= wanted && ratio > 0.98 && ratio < 1.02) ||
           (r >= 2 * wanted && wanted > 20 && (ratio < 0.67 || ratio > 1.5)) ||
           r >= 8 * wanted;
}

/* Of large cells few rounds. */
static void run_versus(void)
{
    const long   many = quick ? 60 : 100;
    const long   wanted = contests[OLD].reps > 1 ? many : 5;
    const double from = now();
    long r;
    for (r = 0; r < wanted || (!settled(r, wanted) && now() - from < 3e9); r++)
        run_round(r);
}

/* ---- the table -----------------------------------------------------------*/
static const char *family_head;      /* to be printed before its first line */

static void begin_family(const char *name, const char *head)
{
    family_head = head;
    if (HERE > 1) fprintf(stderr, "%s\n", name);
}

static void print_head(void)
{
    if (family_head)
        printf("\n%s\n%-42s %9s %11s %11s %11s %11s %-5s %8s %6s %7s %7s\n",
               family_head, "best ns: a call; of large/ a row", "rows", "ours",
               "hand", "other", "ceiling", "of", "ns/row", "GB/s", "ratio",
               "goal");
    family_head = NULL;
}

/* A number, or that there is none. */
static void print_number(double v, int width, int digits)
{
    if (v > 0) printf(" %*.*f", width, digits, v);
    else       printf(" %*s", width, "-");
}

/* One line; `note` is printed at the end. */
static void print_result(const result *r, const char *note)
{
    static const char *const bound_name[KINDS] = {
        "-", "hand", "line", "bus", "store"
    };
    const int of_row = r->ceiling > 0 || r->gigabytes > 0;
    printf("%-42s %9.0f", r->name, r->rows);
    print_number(r->ours, 11, 3);
    print_number(r->hand, 11, 3);
    print_number(r->other, 11, 3);
    print_number(r->ceiling, 11, 3);
    printf(" %-5s", bound_name[r->bound]);
    print_number(of_row ? r->ours : r->ours / r->rows, 8, 3);
    print_number(r->gigabytes, 6, 1);
    print_number(r->beside > 0 ? r->ours / r->beside : 0, 7, 2);
    if (r->g.ratio > 0) printf(" %6.2fx", r->g.ratio);
    else                printf(" %5.0fns", r->g.ns);
    printf(" %s%s\n", r->over > 1 ? "<" : "", note);
    fflush(stdout);
}

static void print_versus(const result *r)
{
    printf("%-44s %11.3f %11.3f", r->name, r->old, r->ours);
    print_number(r->beside, 11, 3);
    printf(" %8.3f\n", r->over);
}

/* ---- a cell is timed -----------------------------------------------------*/
/* How many times the goal ours takes. */
static double over_goal(double ours, double beside, goal g)
{
    double over = 1e30;
    if (g.ratio > 0 && beside > 0) over = least(over, ours / beside / g.ratio);
    if (g.ns > 0)                  over = least(over, ours / g.ns);
    return over < 1e30 ? over : 0;
}

/* Whether a goal is missed by so little that it may be a disturbance. */
static int is_near(double over) { return over > 1 && over < 2.5; }

static result *record(const char *name, const job *j, ptrdiff_t rows,
                      double ours, double beside, goal g)
{
    const double per = (double)j->per;
    result *r = &results[done < MOST_RESULTS - 1 ? done++ : done];
    memset(r, 0, sizeof *r);
    snprintf(r->name, sizeof r->name, "%s", name);
    r->rows = (double)rows;
    r->ours = ours / per;
    r->hand = r->beside = beside / per;
    r->g = g;
    r->over = over_goal(r->ours, r->beside, g);
    if (j->bytes_per_row > 0) r->gigabytes = j->bytes_per_row / r->ours;
    return r;
}

/* Of a few rows the call is the cost, and no bound of ceiling.h knows calls:
 * there the loop by hand is a bound too, if it is the lower one. */
static void record_ceiling(result *r, double per)
{
    int kind;
    for (kind = LINE; kind < KINDS; kind++) {
        const double bound = bound_of(kind) / per;
        if (bound <= r->ceiling) continue;
        r->ceiling = bound;
        r->bound = kind;
    }
    if (r->rows < 64 && r->hand > 0 && r->hand < r->ceiling) {
        r->ceiling = r->hand;
        r->bound = BY_HAND;
    }
}

static void enter_all(job *j)
{
    contestants = 0;
    enter_ours(j);
    enter(hand_of(j), j, BY_HAND, j->loops);
    if (HERE > 1) return;
    if (j->line)          enter(ceiling_line, j, LINE, LINES);
    if (j->footprint > 0) enter(ceiling_bus, j, BUS, copies());
    if (j->store)         enter(ceiling_store, j, STORE, STORES);
}

static double beside_hand(void)
{
    const contest *c = best_of(BY_HAND);
    return c ? c->best : 0;
}

/* Times ours beside the loops by hand, the better of which counts. After a near
 * miss of short calls all get as many rounds again, twice at most, when it is
 * quiet. */
static const result *time_cell(const char *name, job *j, ptrdiff_t rows, goal g)
{
    const double per = (double)j->per;
    result *r;
    int     attempt;
    enter_all(j);
    warm_up();
    if (HERE > 1) run_versus();
    for (attempt = 0; HERE == 1; attempt++) {
        run_rounds();
        if (attempt == 2 || j->bytes_per_row > 0 ||
            !is_near(over_goal(contests[NEW].best, beside_hand(), g)))
            break;
        wait_for_quiet();
    }
    r = record(name, j, rows, contests[NEW].best, beside_hand(), g);
    r->old = contests[OLD].best / per;
    if (j->loops > 0) r->hand = contests[HERE].best / per;
    if (j->loops > 1) r->other = contests[HERE + 1].best / per;
    record_ceiling(r, per);
    if (HERE > 1) r->over = r->ours / r->old;
    return r;
}

/* Compares a job, of which `status` is the plan's, and times it, as the mode
 * wants; NULL if it does not. */
static const result *try_timed(const char *name, job *j, int status,
                               ptrdiff_t rows, goal g)
{
    if (status) {
        complain(name, NEW, "plan");
        return NULL;
    }
    if (!same(name, j)) return NULL;
    right++;
    return check ? NULL : time_cell(name, j, rows, g);
}

/* Prints it; where two headers are compared all are, at the end. */
static void print_line(const result *r, const char *note)
{
    if (!r || HERE > 1) return;
    print_head();
    print_result(r, note);
}

/* Both, of the cell at work. */
static void try_cell(const char *name, int status, ptrdiff_t rows, goal g)
{
    print_line(try_timed(name, &cur, status, rows, g), "");
}

/* ---- summary -------------------------------------------------------------*/
static int worse(const void *a, const void *b)
{
    const result *x = (const result *)a, *y = (const result *)b;
    if (x->over != y->over) return (x->over < y->over) - (x->over > y->over);
    return strcmp(x->name, y->name);
}

/* "call", "large/gather". */
static void family_of(char *family, const result *r)
{
    const char *end = strchr(r->name, '/');
    size_t n;
    if (end && !strncmp(r->name, "large/", 6)) end = strchr(end + 1, '/');
    n = end ? (size_t)(end - r->name) : strlen(r->name);
    if (n >= OF_FAMILY) n = OF_FAMILY - 1;
    memcpy(family, r->name, n);
    family[n] = 0;
}

/* What a mean is of: how many times faster ours is than what it is beside, or
 * than the second loop; how near to the ceiling; how slow beside the old. */
enum { BESIDE, OTHER, CEILING, BEFORE, MEANS };

static double ratio_of(const result *r, int mean)
{
    if (mean == BESIDE)  return r->beside / r->ours;
    if (mean == OTHER)   return r->other / r->ours;
    if (mean == CEILING) return r->ceiling / r->ours;
    return r->ours / r->old;
}

/* The geometric mean of a family, or of all for NULL; 0 for none. */
static double mean_of(const char *family, int mean)
{
    double product = 1;
    char   of[OF_FAMILY];
    int    pass, i, n = 0;
    for (pass = 0; pass < 2; pass++)
        for (i = 0; i < done; i++) {
            const double ratio = ratio_of(&results[i], mean);
            family_of(of, &results[i]);
            if ((family && strcmp(of, family)) || ratio <= 0) continue;
            if (pass == 0) n++;
            else           product *= nth_root(ratio, n);
        }
    return n ? product : 0;
}

/* Results are sorted, the worst first. */
static void print_family(const char *family)
{
    const result *worst = NULL;
    char of[OF_FAMILY];
    int  i, n = 0, missed = 0, over5 = 0, over15 = 0, under5 = 0;
    for (i = 0; i < done; i++) {
        const double over = results[i].over;
        family_of(of, &results[i]);
        if (family && strcmp(of, family)) continue;
        if (!worst) worst = &results[i];
        n++;
        missed += over > 1;
        over5 += over > 1.05;
        over15 += over > 1.15;
        under5 += over < 0.95;
    }
    printf("%-20s %6d", family ? family : "all", n);
    if (HERE > 1) {
        printf(" %9.3f %9.3f %8.3f %7d %7d %7d\n", mean_of(family, BEFORE),
               1 / mean_of(family, BESIDE), worst->over, over5, over15,
               under5);
        return;
    }
    print_number(mean_of(family, BESIDE), 8, 2);
    print_number(mean_of(family, OTHER), 8, 2);
    print_number(mean_of(family, CEILING), 8, 2);
    printf(" %7d %7.2f  %s\n", missed, worst->over, worst->name);
}

static void print_families(void)
{
    static char seen[MOST_FAMILIES][OF_FAMILY];
    char of[OF_FAMILY];
    int  families = 0, i, k;
    if (HERE > 1)
        printf("\n%-20s %6s %9s %9s %8s %7s %7s %7s\n", "geometric means",
               "cells", "new/old", "new/hand", "worst", ">1.05", ">1.15",
               "<0.95");
    else
        printf("\n%-20s %6s %8s %8s %8s %7s %7s  %s\n", "geometric means",
               "cells", "x hand", "x other", "ceiling", "missed", "x goal",
               "worst");
    for (i = 0; i < done; i++) {
        family_of(of, &results[i]);
        for (k = 0; k < families && strcmp(seen[k], of); k++) ;
        if (k == families && families < MOST_FAMILIES)
            strcpy(seen[families++], of);
    }
    qsort(seen, (size_t)families, sizeof seen[0],
          (int (*)(const void *, const void *))strcmp);
    for (k = 0; k < families; k++) print_family(seen[k]);
    print_family(NULL);
}

static void print_summary(void)
{
    int i;
    qsort(results, (size_t)done, sizeof results[0], worse);
    if (HERE > 1)
        printf("\n%-44s %11s %11s %11s %8s\n",
               "best ns: a call; of large/ a row", "old", "new", "hand",
               "new/old");
    else if (results[0].over > 1)
        family_head = "missed, worst first (times the goal)";
    for (i = 0; i < done; i++) {
        char note[24];
        snprintf(note, sizeof note, " %.2f", results[i].over);
        if (HERE > 1)                  print_versus(&results[i]);
        else if (results[i].over > 1) print_line(&results[i], note);
    }
    print_families();
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
    printf("compiler:    %s\nflags:       %s\n", BENCH_COMPILER, BENCH_FLAGS);
}

#endif
