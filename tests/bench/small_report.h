/* small_report.h - ours beside the loops by hand: rounds, results, goals. */
#ifndef NDG_SMALL_REPORT_H
#define NDG_SMALL_REPORT_H

#include "small_engine.h"

enum { MOST_RESULTS = 4000, MOST_GROUPS = 16 };

/* ---- rounds --------------------------------------------------------------*/
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

static int rounds = 9;

static void run_rounds(void)
{
    int r, i;
    for (r = 0; r < rounds; r++)
        for (i = 0; i < side_count; i++) {
            side *s = &sides[r % 2 ? side_count - 1 - i : i];
            s->best = least(s->best, timed(s) / (double)s->reps);
        }
}

static void run_sides(void)
{
    int i;
    for (i = 0; i < side_count; i++) find_reps(&sides[i]);
    run_rounds();
}

/* ---- results -------------------------------------------------------------*/
typedef struct {
    char      name[NAME];
    ptrdiff_t n;
    double    ours, hand, over;      /* over > 1: the goal is missed */
    goal      g;
} result;

static result results[MOST_RESULTS];
static int    done;
static char   groups[MOST_GROUPS][16];
static int    group_count;
static const char *pending_head;     /* to be printed before the first line */

/* How many times the goal ours takes. */
static double over_goal(double ours, double hand, goal g)
{
    double over = 1e30;
    if (g.ratio > 0) over = least(over, ours / hand / g.ratio);
    if (g.ns > 0)    over = least(over, ours / g.ns);
    return over;
}

static result *record(const char *name, ptrdiff_t n, double ours, double hand,
                      goal g)
{
    result *r = &results[done < MOST_RESULTS - 1 ? done++ : done];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->n = n;
    r->ours = ours;
    r->hand = hand;
    r->g = g;
    r->over = over_goal(ours, hand, g);
    return r;
}

static const char *goal_text(char *text, size_t size, goal g)
{
    if (g.ratio > 0) snprintf(text, size, "%.2fx", g.ratio);
    else             snprintf(text, size, "%.0fns", g.ns);
    return text;
}

/* The name of a group and the head of its columns. */
static void begin_group(const char *name, const char *head)
{
    snprintf(groups[group_count++], sizeof groups[0], "%s", name);
    pending_head = head;
}

static void print_head(void)
{
    if (pending_head) printf("\n%s\n", pending_head);
    pending_head = NULL;
}

/* One line; `note` is printed at the end. */
static void print_result(const result *r, const char *note)
{
    char text[24];
    print_head();
    printf("%-34s %9ld %10.1f %10.1f %8.3f %7.2f %7s %s%s\n", r->name,
           (long)r->n, r->ours, r->hand, r->ours / (double)r->n,
           r->ours / r->hand, goal_text(text, sizeof text, r->g),
           r->over > 1 ? "<" : "", note);
    fflush(stdout);
}

/* Whether a goal is missed by so little that it may be a disturbance. */
static int is_near(double over) { return over > 1 && over < 2.5; }

/* Times ours beside one or two hand loops, the better of which counts. After a
 * near miss all get as many rounds again, twice at most, when it is quiet. */
static result *contest(const char *name, const job *j, ptrdiff_t n, goal g)
{
    double best;
    int    attempt;
    side_count = 0;
    enter_ours(j, 0);
    enter(hand_of(j), j);
    if (j->other) enter(run_other, j);
    run_sides();
    for (attempt = 0; ; attempt++) {
        best = sides[1].best;
        if (j->other) best = least(best, sides[2].best);
        if (attempt == 2 || !is_near(over_goal(sides[0].best, best, g))) break;
        wait_for_quiet();
        run_rounds();
    }
    return record(name, n, sides[0].best, best, g);
}

/* ---- summary -------------------------------------------------------------*/
static int worse(const void *a, const void *b)
{
    const double x = ((const result *)a)->over, y = ((const result *)b)->over;
    return (x < y) - (x > y);
}

/* Whether a result's name begins with the group's and a slash. */
static int is_of(const result *r, const char *group)
{
    const size_t n = strlen(group);
    return !strncmp(r->name, group, n) && r->name[n] == '/';
}

/* Results are sorted, the worst first. */
static void print_group(const char *group)
{
    const result *worst = NULL;
    int i, cells = 0, missed = 0;
    for (i = 0; i < done; i++) {
        if (!is_of(&results[i], group)) continue;
        if (!worst) worst = &results[i];
        cells++;
        missed += results[i].over > 1;
    }
    if (worst)
        printf("%-10s %6d %6d %7d   %6.2f  %s\n", group, cells, cells - missed,
               missed, worst->over, worst->name);
}

static void print_summary(void)
{
    char text[24];
    int  i, missed = 0;
    qsort(results, (size_t)done, sizeof results[0], worse);
    while (missed < done && results[missed].over > 1) missed++;
    printf("\n%-10s %6s %6s %7s   %6s  %s\n", "group", "cells", "met",
           "missed", "x goal", "worst");
    for (i = 0; i < group_count; i++) print_group(groups[i]);
    printf("%-10s %6d %6d %7d\n", "all", done, done - missed, missed);
    if (missed) printf("\nmissed, worst first (times the goal)\n");
    for (i = 0; i < missed; i++)
        printf("%7.2f  %-32s %9.1f %9.1f %7.2f %7s\n", results[i].over,
               results[i].name, results[i].ours, results[i].hand,
               results[i].ours / results[i].hand,
               goal_text(text, sizeof text, results[i].g));
}

#endif
