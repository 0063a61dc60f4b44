/* step.c - the gathers of one decoding step of a small language model
 *
 *     cc -O2 -I. examples/gpt/step.c -o build/step -lm && build/step
 *
 * A batch of sequences, one new token each. model.h has the weights, which a
 * seeded generator makes, and the arithmetic. What is looked up, scattered or
 * regrouped is here, by the library and by a plain loop, and compared:
 *
 *     embed     rows of the embedding by token; an idle place (-1) is zero
 *     rotary    rows of the cos/sin table by position
 *     kv write  the new keys and values into their slots of the paged cache
 *     kv read   the blocks of each sequence by its block table: [block][token]
 *               [head] to [head][sequence][token]; -1 leaves what was there
 *     split     the router's (token, expert) pairs by expert
 *     permute   the tokens' rows in that order: a matmul for each expert
 *     weave     the experts' rows back into the order of the pairs
 *
 * `build/step time` says what each part takes. The exit status is 0 if all
 * bytes are those of the loops. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "model.h"

static step       mine, loops;     /* by the library, and by the loops */
static ndg_report report;

static ndg_gather_plan    read_plan;             /* made once: make_plans */
static ndg_stitch_plan    write_plan, weave_plan;
static ndg_partition_plan split_plan;

/* ---- the gathers: by the library, and as a loop ---------------------------*/
static int embed(step *s)
{
    return ndg_gather_rows(s->x, sizeof s->x, embedding, VOCAB,
                           sizeof embedding[0], 0, token, NDG_I32, SEQS,
                           NDG_ZERO, &report);
}

static int embed_loop(step *s)
{
    int i;
    for (i = 0; i < SEQS; i++)
        if (token[i] < 0 || token[i] >= VOCAB)
            memset(s->x[i], 0, sizeof s->x[i]);
        else memcpy(s->x[i], embedding[token[i]], sizeof s->x[i]);
    return 0;
}

static int rotary(step *s)
{
    return ndg_gather_rows(s->rotary, sizeof s->rotary, rotation, CONTEXT,
                           sizeof rotation[0], 0, position, NDG_I32, SEQS,
                           NDG_ZERO, &report);
}

static int rotary_loop(step *s)
{
    int i;
    for (i = 0; i < SEQS; i++)
        if (position[i] < 0 || position[i] >= CONTEXT)
            memset(s->rotary[i], 0, sizeof s->rotary[i]);
        else memcpy(s->rotary[i], rotation[position[i]], sizeof s->rotary[i]);
    return 0;
}

/* To the library the cache is rows of [KV][HEAD], one for each slot. */
static int kv_write(step *s)
{
    ndg_list list[2] = NDG_ZERO_INIT;
    int      k;
    for (k = 0; k < 2; k++) {
        list[k].indices = slot[k];
        list[k].data    = s->kv[k];
        list[k].count   = SEQS;
    }
    return ndg_stitch_run(&write_plan, s->cache, sizeof s->cache,
                          POOL * 2 * BLOCK, list, 2, NULL, 0, &report);
}

static int kv_write_loop(step *s)
{
    float (*row)[KV][HEAD] = (float (*)[KV][HEAD])(void *)s->cache;
    int     i, k;
    for (k = 0; k < 2; k++)
        for (i = 0; i < SEQS; i++)
            if (slot[k][i] >= 0 && slot[k][i] < POOL * 2 * BLOCK)
                memcpy(row[slot[k][i]], s->kv[k][i], sizeof s->kv[k][i]);
    return 0;
}

/* One plan for both: keys and values differ in where the cache begins. All bad
 * entries look alike; that there are as many as the lengths say is a check of
 * the table. */
static int kv_read(step *s)
{
    int k, i, masked = SEQS * TABLE;
    for (i = 0; i < SEQS; i++) masked -= (position[i] + BLOCK) / BLOCK;
    for (k = 0; k < 2; k++)
        if (ndg_gather_run(&read_plan, s->past[k], sizeof s->past[k],
                           s->cache[0].kv[k], block_table, &report) ||
            report.bad.count != masked) return NDG_E_INDEX;
    return NDG_OK;
}

static int kv_read_loop(step *s)
{
    int k, h, i, b, t;
    for (k = 0; k < 2; k++)
        for (h = 0; h < KV; h++)
            for (i = 0; i < SEQS; i++)
                for (b = 0; b < TABLE; b++) {
                    const int32_t from = block_table[i][b];
                    if (from < 0 || from >= POOL) continue;
                    for (t = 0; t < BLOCK; t++)
                        memcpy(s->past[k][h][i][b * BLOCK + t],
                               s->cache[from].kv[k][t][h],
                               HEAD * sizeof(float));
                }
    return 0;
}

/* Sorts the pairs by expert, stable: the positions of a partition are the
 * pairs, its data their tokens. The parts lie one behind the other. */
static int split(step *s)
{
    void     *tokens[EXPERTS], *pairs[EXPERTS];
    ptrdiff_t used[EXPERTS], at = 0;
    int       e, status;
    status = ndg_partition_count(&split_plan, s->expert, 0, PAIRS, s->count,
                                 &report);
    if (status != NDG_OK) return status;
    for (e = 0; e < EXPERTS; at += s->count[e++]) {
        tokens[e] = s->sorted.token + at;
        pairs[e]  = s->sorted.pair + at;
    }
    return ndg_partition_run(&split_plan, tokens, pairs, token_of, s->expert,
                             PAIRS, s->count, used, &report);
}

static int split_loop(step *s)
{
    int e, p, at = 0, first;
    for (e = 0; e < EXPERTS; e++) {
        for (first = at, p = 0; p < PAIRS; p++)
            if (s->expert[p / TOP][p % TOP] == e) {
                s->sorted.pair[at]    = p;
                s->sorted.token[at++] = p / TOP;
            }
        s->count[e] = at - first;
    }
    return 0;
}

static int routed(const step *s)   /* pairs that have an expert */
{
    ptrdiff_t n = 0;
    int       e;
    for (e = 0; e < EXPERTS; e++) n += s->count[e];
    return (int)n;
}

static int permute(step *s)
{
    return ndg_gather_rows(s->permuted, sizeof s->permuted, s->mixed, SEQS,
                           sizeof s->mixed[0], 0, s->sorted.token, NDG_I32,
                           routed(s), NDG_ERROR, &report);
}

static int permute_loop(step *s)
{
    int i, n = routed(s);
    for (i = 0; i < n; i++)
        memcpy(s->permuted[i], s->mixed[s->sorted.token[i]],
               sizeof s->permuted[i]);
    return 0;
}

static int weave(step *s)
{
    ndg_list list = NDG_ZERO_INIT;
    list.indices = s->sorted.pair;
    list.data    = s->worked;
    list.count   = routed(s);
    return ndg_stitch_run(&weave_plan, s->woven, sizeof s->woven, PAIRS,
                          &list, 1, NULL, 0, &report);
}

static int weave_loop(step *s)
{
    int i, n = routed(s);
    memset(s->woven, 0, sizeof s->woven);
    for (i = 0; i < n; i++)
        memcpy(s->woven[s->sorted.pair[i]], s->worked[i],
               sizeof s->worked[i]);
    return 0;
}

static int make_plans(void)
{
    ndg_gather_desc    g = NDG_ZERO_INIT;
    ndg_stitch_desc    w = NDG_ZERO_INIT, y = NDG_ZERO_INIT;
    ndg_partition_desc p = NDG_ZERO_INIT;
    /* the cache as [head][block][token][HEAD], picked along the blocks: out is
     * [head][sequence][entry][token][HEAD] */
    g.params    = ndg_strided4(KV, HEAD * sizeof(float), POOL, sizeof(block),
                               BLOCK, KV * HEAD * sizeof(float),
                               HEAD, sizeof(float));
    g.indices   = ndg_dims2(SEQS, TABLE);
    g.axis      = 1;
    g.elem_size = sizeof(float);
    g.policy    = NDG_KEEP;
    w.slice     = ndg_dims2(KV, HEAD);
    w.elem_size = sizeof(float);
    w.policy    = NDG_DROP;                 /* slot -1: nothing to write */
    w.gaps      = NDG_GAPS_KEEP;            /* the rest of the cache stays */
    p.data = p.partitions = ndg_dims1(PAIRS);
    p.elem_size      = sizeof(int32_t);
    p.num_partitions = EXPERTS;
    p.index_type     = NDG_U8;
    p.policy         = NDG_DROP;            /* NOBODY */
    y.slice     = ndg_dims1(MODEL);         /* gaps: zero rows of idle slots */
    y.elem_size = sizeof(float);
    return ndg_plan_gather(&read_plan, &g, &report) ||
           ndg_plan_stitch(&write_plan, &w, &report) ||
           ndg_plan_partition(&split_plan, &p, &report) ||
           ndg_plan_stitch(&weave_plan, &y, &report);
}

/* ---- the step -------------------------------------------------------------*/
#define FIELD(name) offsetof(step, name), sizeof(((step *)0)->name)

/* A part, and what it writes. Arithmetic is the same both ways. */
typedef struct {
    const char *name;
    int       (*ours)(step *), (*loop)(step *);
    size_t      at, bytes;
} part;

static const part parts[] = {
    { "embed",    embed,    embed_loop,    FIELD(x) },
    { "rotary",   rotary,   rotary_loop,   FIELD(rotary) },
    { "project",  project,  project,       FIELD(kv) },
    { "kv write", kv_write, kv_write_loop, FIELD(cache) },
    { "kv read",  kv_read,  kv_read_loop,  FIELD(past) },
    { "attend",   attend,   attend,        FIELD(mixed) },
    { "route",    route,    route,         FIELD(expert) },
    { "split",    split,    split_loop,    FIELD(sorted) },
    { "permute",  permute,  permute_loop,  FIELD(permuted) },
    { "work",     work,     work,          FIELD(worked) },
    { "weave",    weave,    weave_loop,    FIELD(woven) },
    { "choose",   choose,   choose,        FIELD(next) }
};
#define PARTS ((int)(sizeof parts / sizeof parts[0]))

/* Best of 5, each long enough for clock(): microseconds. */
static double time_of(int (*run)(step *), step *s)
{
    double best = 1e9, us;
    int    pass, i, n = 1;
    for (pass = 0; pass < 5;) {
        const clock_t start = clock();
        for (i = 0; i < n; i++) run(s);
        us = (double)(clock() - start) * 1e6 / CLOCKS_PER_SEC;
        if (us < 10000) { n *= 2; continue; }
        if (us / n < best) best = us / n;
        pass++;
    }
    return best;
}

/* What the library had to say; returns 1. */
static int refused(const char *what)
{
    char line[200];
    ndg_report_text(line, sizeof line, &report, NULL);
    printf("%s: %s\n", what, line);
    return 1;
}

/* Runs a part both ways; returns 0 if it went well and the bytes are equal. */
static int run_part(const part *p, int timed)
{
    const int   gathers = p->ours != p->loop;
    const char *a = (const char *)&mine + p->at, *b = (const char *)&loops;
    memset(&report, 0, sizeof report);
    if (p->ours(&mine) != NDG_OK) return refused(p->name);
    p->loop(&loops);
    if (memcmp(a, b + p->at, p->bytes) != 0) {
        printf("%s: the loop's bytes differ\n", p->name);
        return 1;
    }
    if (timed && gathers)
        printf("%-9s %9.2f us %9.2f us\n", p->name, time_of(p->ours, &mine),
               time_of(p->loop, &loops));
    else if (timed)
        printf("%-9s %9.2f us, arithmetic\n", p->name, time_of(p->ours, &mine));
    else if (gathers)
        printf("%-9s %8d bytes equal, %3d bad indices\n", p->name,
               (int)p->bytes, (int)report.bad.count);
    return 0;
}

int main(int argc, char **argv)
{
    const int timed = argc == 2 && strcmp(argv[1], "time") == 0;
    int       i;
    if (argc > 1 && !timed) {
        fprintf(stderr, "usage: step [time]\n");
        return 2;
    }
    make_model();
    make_batch(&mine);
    memcpy(&loops, &mine, sizeof mine);
    if (make_plans() != NDG_OK) return refused("plans");
    if (timed) printf("part           library         loop\n");
    for (i = 0; i < PARTS; i++)
        if (run_part(&parts[i], timed) != 0) return 1;
    printf("next token:");
    for (i = 0; i < SEQS; i++) printf(" %d", (int)mine.next[i]);
    printf("\n");
    return 0;
}
