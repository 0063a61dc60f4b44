/* experts.c - route tokens to experts and weave the answers back in order
 *
 *     cc -I. examples/experts.c -o build/experts && build/experts
 *
 * The inner step of a mixture-of-experts layer: a router names one expert for
 * each token, dynamic_partition collects each expert's tokens in one block, the
 * expert works on its block, dynamic_stitch puts the rows back where they were.
 * A token without an expert (id 255) keeps its old value. No allocation.
 *
 * The exit status is 0 if every row equals the one computed on its own. */
#include <stdio.h>
#include <string.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#define TOKENS  14
#define WIDTH   6
#define EXPERTS 4
#define NOBODY  255

static const char *const names[EXPERTS] = {
    "reverses", "shifts", "adds up", "negates"
};

/* What expert k does to one token. */
static void work(int k, const float *in, float *out)
{
    float sum = 0;
    int   i;
    for (i = 0; i < WIDTH; i++) {
        sum += in[i];
        switch (k) {
        case 0:  out[i] = in[WIDTH - 1 - i];     break;
        case 1:  out[i] = in[(i + 1) % WIDTH];   break;
        case 2:  out[i] = sum;                   break;
        default: out[i] = -in[i];                break;
        }
    }
}

static void show(int token, int expert, const float *row)
{
    int i;
    printf("  token %2d  %-8s", token,
           expert == NOBODY ? "-" : names[expert]);
    for (i = 0; i < WIDTH; i++) printf("%5g", (double)row[i]);
    printf("\n");
}

/* Says what a report says; returns its status. */
static int told(const char *what, const ndg_report *r)
{
    char line[200];
    ndg_report_text(line, sizeof line, r, NULL);
    printf("%s: %s\n", what, line);
    return r->status;
}

/* Splits the rows of x by expert into blocks that lie one after the other.
 * block[k], where[k] and count[k] receive expert k's rows. */
static int route(const float *x, const uint8_t *expert,
                 float *rows, int32_t *positions,
                 void **block, void **where, ptrdiff_t *count)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    ndg_report         report;
    ptrdiff_t          used[EXPERTS], start = 0;
    int                k;

    d.data           = ndg_dims2(TOKENS, WIDTH);
    d.partitions     = ndg_dims1(TOKENS);
    d.elem_size      = sizeof(float);
    d.num_partitions = EXPERTS;
    d.index_type     = NDG_U8;
    d.policy         = NDG_DROP;
    if (ndg_plan_partition(&plan, &d, &report) == NDG_OK)
        ndg_partition_count(&plan, expert, 0, TOKENS, count, &report);
    if (report.status != NDG_OK) return told("count", &report);

    for (k = 0; k < EXPERTS; k++) {
        block[k] = rows + start * WIDTH;
        where[k] = positions + start;
        start += count[k];
    }
    ndg_partition_run(&plan, block, where, x, expert, TOKENS, count, used,
                      &report);
    return told("split", &report);
}

/* Weaves the blocks back into y. Rows that nobody names stay. */
static int weave(float *y, void *const *block, void *const *where,
                 const ptrdiff_t *count)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan plan;
    ndg_list        list[EXPERTS];
    ndg_report      report;
    unsigned char   scratch[64];     /* a bit for each row, to count holes */
    int             k;

    d.slice     = ndg_dims1(WIDTH);
    d.elem_size = sizeof(float);
    d.gaps      = NDG_GAPS_KEEP;
    for (k = 0; k < EXPERTS; k++) {
        list[k].indices      = where[k];
        list[k].data         = block[k];
        list[k].count        = count[k];
        list[k].index_stride = list[k].data_stride = 0;
    }
    if (ndg_plan_stitch(&plan, &d, &report) == NDG_OK)
        ndg_stitch_run(&plan, y, (ptrdiff_t)sizeof(float) * TOKENS * WIDTH,
                       TOKENS, list, EXPERTS, scratch, sizeof scratch,
                       &report);
    return told("weave", &report);
}

int main(void)
{
    static const uint8_t expert[TOKENS] = {
        2, 0, 1, 1, 3, NOBODY, 0, 2, 2, 1, 3, 0, 2, 1
    };
    float     x[TOKENS][WIDTH], y[TOKENS][WIDTH], want[TOKENS][WIDTH];
    float     rows[TOKENS][WIDTH], done[TOKENS][WIDTH];
    int32_t   positions[TOKENS];
    void     *block[EXPERTS], *where[EXPERTS];
    ptrdiff_t count[EXPERTS], i;
    int       k, t, same;

    for (t = 0; t < TOKENS; t++) {
        for (i = 0; i < WIDTH; i++) x[t][i] = (float)(10 * t + (int)i);
        memcpy(want[t], x[t], sizeof x[t]);
        if (expert[t] != NOBODY) work(expert[t], x[t], want[t]);
    }
    memcpy(y, x, sizeof y);

    if (route(x[0], expert, rows[0], positions, block, where, count)) return 1;
    for (k = 0; k < EXPERTS; k++) {
        const float   *in = (const float *)block[k];
        const int32_t *at = (const int32_t *)where[k];
        float         *out = done[0] + (in - rows[0]);
        printf("  expert %d %-8s %d tokens:", k, names[k], (int)count[k]);
        for (i = 0; i < count[k]; i++) {
            printf(" %d", (int)at[i]);
            work(k, in + i * WIDTH, out + i * WIDTH);
        }
        printf("\n");
        block[k] = out;
    }
    if (weave(y[0], block, where, count)) return 1;

    for (t = 0; t < TOKENS; t++) show(t, expert[t], y[t]);
    same = memcmp(y, want, sizeof y) == 0;
    printf(same ? "every row is right\n" : "rows differ\n");
    return same ? 0 : 1;
}
