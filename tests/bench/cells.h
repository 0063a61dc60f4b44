/* cells.h - the large cells, as data: a line for each table, pattern and number
 * of rows, with all row sizes and all of what an op takes besides.
 * What stands in Q() is run by BENCH=quick, too; n 0 takes the rows that suit
 * the table. A name is made of the rest: large/gather/64B/1G/uniform/i64. */
#ifndef NDG_BENCH_CELLS_H
#define NDG_BENCH_CELLS_H

#include "engine.h"

enum { I64 = 1, BAD = 2, X2 = 4, POSITIONS = 8, TOTAL = 16, ZERO = 32 };

typedef struct {
    int       quick;     /* whether BENCH=quick runs it */
    int       op;
    ptrdiff_t row;       /* bytes */
    ptrdiff_t table;     /* bytes of table, or of data */
    int       pattern;
    ptrdiff_t n;         /* rows gathered; 0: as many as suit the table */
    int       arg;       /* groups of axis 1 and batch, K, parts, plan's op */
    int       flags;
} cell;

enum { CELLS = 221, MOST_ROWS = 20, MOST_ARGS = 8, QUICK = 1 << 24 };
#define Q(x) ((x) | QUICK)

static const struct {
    int       op;
    ptrdiff_t table;
    int       pattern;
    ptrdiff_t n;
    int       flags;
    int       row[MOST_ROWS], arg[MOST_ARGS];    /* 0 ends either */
} cell_lines[] = {
    /* op, table, pattern, n, flags, rows, args */
    /* every row size, from memory and from L2 */
    { GATHER, GIB, UNIFORM, 0, 0, { 1, 2, Q(4), 8, 12, Q(16), 20, 32, 48,
      Q(64), 100, Q(128), Q(256), 300, 512, Q(1024), 4096, 16384 }, { 0 } },
    { GATHER, 512 * KIB, UNIFORM, 0, 0, { 1, 2, Q(4), 8, 12, Q(16), 20, 32,
      48, Q(64), 100, 128, Q(256), 300, 512, 1024, 4096, 16384 }, { 0 } },
    /* from L1 and from L3 */
    { GATHER, 16 * KIB, UNIFORM, 1024, 0, { 4, 16, 64, 256 }, { 0 } },
    { GATHER, 16 * MIB, UNIFORM, 0, 0, { 1, Q(4), 8, 16, 64, 256, 1024,
      4096 }, { 0 } },
    /* a cached table to a large output */
    { GATHER, 512 * KIB, UNIFORM, 4 * MIB, 0, { 4, Q(64) }, { 0 } },
    /* patterns */
    { GATHER, GIB, ZIPF, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, GIB, SEQUENTIAL, 0, 0, { Q(4), Q(64) }, { 0 } },
    { GATHER, GIB, REVERSED, 0, 0, { Q(4), 64 }, { 0 } },
    { GATHER, GIB, SORTED, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, GIB, EQUAL, 0, 0, { Q(4), 64 }, { 0 } },
    { GATHER, GIB, RUNS, 0, 0, { 4, Q(64) }, { 0 } },
    { GATHER, GIB, PERMUTATION, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, ZIPF, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, SEQUENTIAL, 0, 0, { 4, Q(64) }, { 0 } },
    { GATHER, 512 * KIB, REVERSED, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, SORTED, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, EQUAL, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, RUNS, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, PERMUTATION, 0, 0, { 4, 64 }, { 0 } },
    { GATHER, GIB, ZIPF, 0, 0, { 256, 1024 }, { 0 } },
    { GATHER, GIB, SEQUENTIAL, 0, 0, { 256, 1024 }, { 0 } },
    { GATHER, GIB, SORTED, 0, 0, { 256, 1024 }, { 0 } },
    { GATHER, GIB, RUNS, 0, 0, { 256, 1024 }, { 0 } },
    /* indices of 64 bits */
    { GATHER, GIB, UNIFORM, 0, I64, { Q(4), 8, 64, 256 }, { 0 } },
    { GATHER, 512 * KIB, UNIFORM, 0, I64, { Q(4), 8, 64, 256 }, { 0 } },
    { GATHER, GIB, SEQUENTIAL, 0, I64, { 4 }, { 0 } },
    /* few rows */
    { GATHER, 16 * KIB, UNIFORM, 1, 0, { Q(4), 64 }, { 0 } },
    { GATHER, 16 * KIB, UNIFORM, 16, 0, { 4, Q(64) }, { 0 } },
    { GATHER, 16 * KIB, UNIFORM, 64, 0, { 4, Q(64) }, { 0 } },
    { GATHER, 16 * KIB, UNIFORM, 1024, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, UNIFORM, 1, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, UNIFORM, 16, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, UNIFORM, 64, 0, { 4, 64 }, { 0 } },
    { GATHER, 512 * KIB, UNIFORM, 1024, 0, { 4, 64 }, { 0 } },
    { GATHER, GIB, UNIFORM, 64, 0, { 4, 64 }, { 0 } },
    { GATHER, GIB, UNIFORM, 1024, 0, { 4, 64 }, { 0 } },
    { GATHER, GIB, UNIFORM, 64 * KIB, 0, { 4, 64 }, { 0 } },
    /* axis 1 (arg: outer extent), batch_gather (batches) */
    { AXIS1, GIB, UNIFORM, 0, 0, { Q(4), 64 }, { 1024 } },
    { AXIS1, 512 * KIB, UNIFORM, 0, 0, { 4, 64 }, { 16 } },
    { AXIS1, 64 * MIB, UNIFORM, 4 * MIB, 0, { 4 }, { 65536 } },
    { BATCH, GIB, UNIFORM, 0, 0, { Q(4), Q(64) }, { 1024 } },
    { BATCH, 512 * KIB, UNIFORM, 0, 0, { 4, 64 }, { 16 } },
    { BATCH, 64 * MIB, UNIFORM, 4 * MIB, 0, { 4 }, { 65536 } },
    /* gather_nd (arg: K) */
    { ND, GIB, UNIFORM, 0, 0, { 4 }, { 1, Q(2), Q(3), 4 } },
    { ND, GIB, UNIFORM, 0, 0, { 64 }, { 1, Q(2), 3, 4 } },
    { ND, 512 * KIB, UNIFORM, 0, 0, { 4 }, { 1, Q(2), Q(3), 4 } },
    { ND, 512 * KIB, UNIFORM, 0, 0, { 64 }, { 1, 2, 3, 4 } },
    { ND, GIB, UNIFORM, 0, I64, { 4 }, { 2, 3 } },
    /* one bad index, the last */
    { GATHER, GIB, UNIFORM, 0, BAD, { 4, Q(64) }, { 0 } },
    { GATHER, 512 * KIB, UNIFORM, 0, BAD, { 4, 64 }, { 0 } },
    { ND, GIB, UNIFORM, 0, BAD, { 4 }, { 2 } },
    { STITCH, 256 * MIB, PERMUTATION, 0, BAD, { 64 }, { 0 } },
    /* two threads */
    { GATHER, GIB, UNIFORM, 0, X2, { 4, Q(64), 256, 1024 }, { 0 } },
    { ND, GIB, UNIFORM, 0, X2, { 4 }, { 2 } },
    { STITCH, 256 * KIB, PERMUTATION, 0, X2, { 16 }, { 0 } },
    { STITCH, 64 * MIB, PERMUTATION, 0, X2, { 4 }, { 0 } },
    { STITCH, 256 * MIB, PERMUTATION, 0, X2, { 64 }, { 0 } },
    { PARTITION, 64 * MIB, UNIFORM, 0, X2, { 4 }, { 64 } },
    { PARTITION, 256 * MIB, UNIFORM, 0, X2, { 64 }, { 64 } },
    /* dynamic_stitch (table: bytes of data) */
    { STITCH, 64 * MIB, PERMUTATION, 0, 0, { Q(4) }, { 0 } },
    { STITCH, 256 * MIB, PERMUTATION, 0, 0, { 16, Q(64), 256, 1024 }, { 0 } },
    { STITCH, 64 * MIB, PERMUTATION, 0, ZERO, { 4 }, { 0 } },
    { STITCH, 256 * MIB, PERMUTATION, 0, ZERO, { 64 }, { 0 } },
    { STITCH, 64 * MIB, INTERLEAVE, 0, 0, { 4 }, { 0 } },
    { STITCH, 256 * MIB, INTERLEAVE, 0, 0, { 64 }, { 0 } },
    { STITCH, 64 * MIB, TWICE, 0, 0, { 4 }, { 0 } },
    { STITCH, 256 * MIB, TWICE, 0, 0, { 64 }, { 0 } },
    { STITCH, 64 * MIB, HOLES, 0, 0, { 4 }, { 0 } },
    { STITCH, 256 * MIB, HOLES, 0, 0, { Q(64) }, { 0 } },
    { STITCH, 256 * KIB, PERMUTATION, 0, 0, { 4, 64 }, { 0 } },
    { STITCH, 256 * KIB, INTERLEAVE, 0, 0, { 4 }, { 0 } },
    { STITCH, 256 * KIB, HOLES, 0, 0, { 64 }, { 0 } },
    { STITCH, 64 * MIB, PERMUTATION, 0, I64, { 4 }, { 0 } },
    { STITCH, 256 * MIB, PERMUTATION, 0, TOTAL, { 64 }, { 0 } },
    /* dynamic_partition (arg: parts), counting included */
    { PARTITION, 64 * MIB, UNIFORM, 0, 0, { 4 }, { Q(2), Q(8), Q(64), 256,
      1024, 16384 } },
    { PARTITION, 256 * MIB, UNIFORM, 0, 0, { 64 }, { 2, 8, Q(64), 256, 1024,
      16384 } },
    { PARTITION, 64 * MIB, SKEWED, 0, 0, { 4 }, { 2, 8, 256, 16384 } },
    { PARTITION, 256 * MIB, SKEWED, 0, 0, { 64 }, { 8 } },
    { PARTITION, 64 * MIB, SORTED, 0, 0, { 4 }, { 2, 8, 256, 16384 } },
    { PARTITION, 256 * MIB, SORTED, 0, 0, { 64 }, { 8 } },
    { PARTITION, 256 * KIB, UNIFORM, 0, 0, { 4 }, { 2, 8, 64 } },
    { PARTITION, 256 * KIB, UNIFORM, 0, 0, { 64 }, { 8 } },
    { PARTITION, 256 * MIB, UNIFORM, 0, 0, { 256 }, { 64 } },
    { PARTITION, 64 * MIB, UNIFORM, 0, POSITIONS, { 4 }, { 64 } },
    { PARTITION, 256 * MIB, UNIFORM, 0, POSITIONS, { 64 }, { 64 } },
    { PARTITION, 64 * MIB, UNIFORM, 0, I64, { 4 }, { 64 } },
    /* one call: ndg_gather_rows; plan and run in one; plans alone (arg: op) */
    { ROWS, 16 * KIB, UNIFORM, 1, 0, { Q(16) }, { 0 } },
    { ROWS, 16 * KIB, UNIFORM, 16, 0, { 16 }, { 0 } },
    { ROWS, 16 * KIB, UNIFORM, 64, 0, { 16 }, { 0 } },
    { ONCE, 16 * KIB, UNIFORM, 1, 0, { Q(16) }, { 0 } },
    { ONCE, 16 * KIB, UNIFORM, 16, 0, { 16 }, { 0 } },
    { ONCE, 16 * KIB, UNIFORM, 64, 0, { 16 }, { 0 } },
    { PLAN, 16 * KIB, UNIFORM, 1, 0, { 16 }, { Q(GATHER), Q(ND), BATCH,
      STITCH, PARTITION } },
};
enum { CELL_LINES = sizeof cell_lines / sizeof cell_lines[0] };

static cell large_cells[CELLS];

static void make_large_cells(void)
{
    cell *c;
    int   i, r, a, count = 0;
    for (i = 0; i < CELL_LINES; i++)
        for (r = 0; cell_lines[i].row[r]; r++)
            for (a = 0; a == 0 || cell_lines[i].arg[a]; a++, count++) {
                const int row = cell_lines[i].row[r];
                const int arg = cell_lines[i].arg[a];
                if (count >= CELLS) continue;
                c = &large_cells[count];
                c->quick = ((row | arg) & QUICK) != 0;
                c->op = cell_lines[i].op;
                c->row = row & ~QUICK;
                c->table = cell_lines[i].table;
                c->pattern = cell_lines[i].pattern;
                c->n = cell_lines[i].n;
                c->arg = arg & ~QUICK;
                c->flags = cell_lines[i].flags;
            }
    if (count == CELLS) return;
    printf("cells.h: %d cells, not %d\n", count, CELLS);
    exit(1);
}

#endif
