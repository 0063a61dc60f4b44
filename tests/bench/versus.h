/* versus.h - what small.c and bench.c tell of their cells to versus.c, which
 * times two headers and the loop by hand by turns. */
#ifndef NDG_BENCH_VERSUS_H
#define NDG_BENCH_VERSUS_H

#include "side.h"

extern const char *versus_only;      /* part of a name, or NULL */
extern int versus_quick, versus_check;
extern int versus_right, versus_wrong;

/* Where OLD and NEW are from. */
extern const origin *const versus_from[2];

/* Who is timed; all from HAND on are loops by hand, the best counts. */
enum { OLD, NEW, HAND };

/* ns of one timing of who, in some round. */
typedef double versus_time(int who, long round);

/* Times `count` of them, in `rounds` rounds or more. */
void versus_cell(const char *name, int count, versus_time *timed, long rounds);

/* Says that the old header cannot run a cell. */
void versus_skip(const char *name);

/* All cells of small.c and of bench.c. */
void versus_small(void);
void versus_large(void);

#endif
