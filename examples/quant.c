/* quant.c - rows of a packed table: 4 and 8 bits a value, gathered as they are
 *
 *     cc -O2 -I. examples/quant.c -o build/quant && build/quant
 *
 * Inference runtimes keep tables in blocks: a scale and 32 small numbers, which
 * quant.h packs and widens. To the library a row of them is opaque bytes: one
 * call gathers rows of any format and width, the caller widens them to f32. A
 * bad id under NDG_ZERO gives zero bytes: blocks of scale 0, which widen to
 * zeros (in Q4_0 to -0, which is (0 - 8) * 0).
 *
 * `build/quant time` measures what a loop that widens straight from the table
 * would gain. The exit status is 0 if all bytes are those of plain loops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "quant.h"

#define WIDEST  2048               /* values of a row */
#define IDS     64                 /* rows of the small table, and of a batch */
#define BATCHES 1024               /* that are timed, each of other ids */
#define LARGE   (256 << 20)        /* bytes of a table that no cache holds */

#ifdef __GNUC__
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define PREFETCH(p) ((void)(p))
#endif

static byte    table[IDS * WIDEST * 2], rows[IDS * WIDEST * 2];
static byte    want[IDS * WIDEST * 2], zeros[WIDEST * 2];
static float   source[IDS * WIDEST], wide[IDS * WIDEST], fused[IDS * WIDEST];
static int32_t ids[BATCHES * IDS + 2];

static uint32_t draw(void)         /* xorshift: the same numbers everywhere */
{
    static uint32_t x = 2463534242u;
    x ^= x << 13; x ^= x >> 17; x ^= x << 5;
    return x;
}

static void make_table(const format *f, int width)
{
    int i;
    for (i = 0; i < IDS * width; i++)
        source[i] = (float)(draw() >> 8) / 8388608 - 1;
    for (i = 0; i < IDS; i++)
        pack_row(table + i * row_bytes(f, width), f, source + i * width, width);
}

/* ---- the two ways, for IDS rows of a table of n ---------------------------*/
static int gather_then_widen(const format *f, const byte *t, ptrdiff_t n,
                             int width, const int32_t *id, ndg_report *report)
{
    const ptrdiff_t bytes = row_bytes(f, width);
    int             i, status;
    status = ndg_gather_rows(rows, sizeof rows, t, n, bytes, 0, id, NDG_I32,
                             IDS, NDG_ZERO, report);
    for (i = 0; i < IDS; i++)
        f->widen(wide + i * width, rows + i * bytes, width);
    return status;
}

/* By hand; with `ahead`, the row after the next is asked for meanwhile. */
static void widen_from_table(const format *f, const byte *t, ptrdiff_t n,
                             int width, const int32_t *id, int ahead)
{
    const ptrdiff_t bytes = row_bytes(f, width);
    ptrdiff_t       i, k;
    for (i = 0; i < IDS; i++) {
        if (ahead && NDG_INDEX_GOOD(id[i + 2], n))
            for (k = 0; k < bytes; k += 64) PREFETCH(t + id[i + 2] * bytes + k);
        f->widen(fused + i * width,
                 NDG_INDEX_GOOD(id[i], n) ? t + id[i] * bytes : zeros, width);
    }
}

/* ---- that they agree ------------------------------------------------------*/
/* The largest error of the rows in wide; a row of a bad id is to be 0. */
static double largest_error(int width)
{
    double most = 0, e;
    int    i, k;
    for (i = 0; i < IDS; i++)
        for (k = 0; k < width; k++) {
            e = (double)wide[i * width + k];
            if (NDG_INDEX_GOOD(ids[i], IDS))
                e -= (double)source[ids[i] * width + k];
            if (e < 0) e = -e;
            if (e > most) most = e;
        }
    return most;
}

/* Gathers all rows in another order, two ids bad. Returns 0 if all is right. */
static int try_width(const format *f, int width, ndg_report *report)
{
    const ptrdiff_t bytes = row_bytes(f, width);
    double          error;
    int             i, wrong;
    make_table(f, width);
    for (i = 0; i < IDS; i++) ids[i] = i * 37 % IDS;
    ids[2] = IDS;
    ids[IDS - 1] = -1;
    for (i = 0; i < IDS; i++)
        memcpy(want + i * bytes, NDG_INDEX_GOOD(ids[i], IDS) ?
               table + ids[i] * bytes : zeros, (size_t)bytes);
    wrong = gather_then_widen(f, table, IDS, width, ids, report) != NDG_OK;
    widen_from_table(f, table, IDS, width, ids, 0);
    wrong |= memcmp(rows, want, (size_t)(IDS * bytes)) != 0;
    wrong |= memcmp(wide, fused, (size_t)(IDS * width) * sizeof *wide) != 0;
    error = largest_error(width);
    wrong |= error > (f->bits == 4 ? 0.126 : 0.004);   /* a step, half a step */
    printf("%-6s %6d %11d %12d %14.4f\n", f->name, width, 4 * width, (int)bytes,
           error);
    return wrong;
}

/* ---- which is faster ------------------------------------------------------*/
static void time_table(const format *f, const byte *t, ptrdiff_t n)
{
    double best[3] = { 1e9, 1e9, 1e9 }, ns;
    int    i, run;
    for (i = 0; i < BATCHES * IDS; i++)
        ids[i] = (int32_t)(draw() % (uint32_t)n);
    for (run = 0; run < 21; run++) {
        const clock_t start = clock();
        for (i = 0; i < BATCHES * IDS; i += IDS)
            if (run % 3 == 0) gather_then_widen(f, t, n, WIDEST, ids + i, NULL);
            else widen_from_table(f, t, n, WIDEST, ids + i, run % 3 == 2);
        ns = (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / BATCHES / IDS;
        if (ns < best[run % 3]) best[run % 3] = ns;
    }
    printf("%-6s %-6s %12.0f %8.0f %7.2f %12.0f %7.2f\n", f->name,
           n > IDS ? "DRAM" : "cache", best[0], best[1], best[0] / best[1],
           best[2], best[0] / best[2]);
}

static int time_all(void)
{
    byte     *large = (byte *)malloc(LARGE);
    ptrdiff_t bytes, i;
    int       k;
    if (!large) {
        fprintf(stderr, "quant: no memory for a table of 256 MiB\n");
        return 1;
    }
    printf("ns for a row of %d values, and what fusing gains\n"
           "format table  gather,widen    fused    gain   prefetched    gain\n",
           WIDEST);
    for (k = 0; k < FORMATS; k++) {
        make_table(&formats[k], WIDEST);
        bytes = row_bytes(&formats[k], WIDEST) * IDS;
        for (i = 0; i < LARGE / bytes; i++)
            memcpy(large + i * bytes, table, (size_t)bytes);
        time_table(&formats[k], table, IDS);
        time_table(&formats[k], large, LARGE / bytes * IDS);
    }
    free(large);
    return 0;
}

int main(int argc, char **argv)
{
    static const int widths[4] = { WIDEST, 100, 77, 1 };
    char             line[200];
    ndg_report       report;
    int              i, wrong = 0;
    if (argc == 2 && strcmp(argv[1], "time") == 0) return time_all();
    if (argc > 1) {
        fprintf(stderr, "usage: quant [time]\n");
        return 2;
    }
    printf("format  width  row in f32  row in bytes  largest error\n");
    for (i = 0; i < 4 * FORMATS; i++)
        wrong |= try_width(&formats[i / 4], widths[i % 4], &report);
    ndg_report_text(line, sizeof line, &report, NULL);
    printf("bad ids widen to zeros: %s\n", line);
    printf(wrong ? "rows differ\n" : "every byte is right\n");
    return wrong ? 1 : 0;
}
