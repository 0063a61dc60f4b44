/* small_versus.h - the cells of small.c for `make bench-versus`. */
#ifndef NDG_SMALL_VERSUS_H
#define NDG_SMALL_VERSUS_H

#include "small_engine.h"

const origin *const versus_from[2] = { &small_old.from, &small_new.from };

typedef struct { double over; } result;     /* there are none: see versus.c */

static inline void print_result(const result *r, const char *note)
{
    (void)r;
    (void)note;
}

static void begin_group(const char *name, const char *head)
{
    (void)head;
    fprintf(stderr, "%s\n", name);
}

/* All of a round see the same windows. */
static double time_side(int who, long round)
{
    static long at;
    static long last = -1;
    if (round != last) at = turn;
    last = round;
    turn = at;
    return timed(&sides[who]) / (double)sides[who].reps;
}

/* As many calls of the old as of the new. */
static void equal_reps(void)
{
    side *a = &sides[OLD], *b = &sides[NEW];
    a->reps = b->reps = a->reps > b->reps ? a->reps : b->reps;
}

static result *contest(const char *name, const job *j, ptrdiff_t n, goal g)
{
    int i;
    (void)n;
    (void)g;
    side_count = 0;
    for (i = 0; i < HERE; i++) enter_ours(j, i);
    enter(hand_of(j), j);
    if (j->other) enter(run_other, j);
    for (i = 0; i < side_count; i++) find_reps(&sides[i]);
    equal_reps();
    versus_cell(name, side_count, time_side, quick ? 60 : 100);
    return NULL;
}

#endif
