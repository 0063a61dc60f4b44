/* model.h - a small language model for step.c: its sizes, its weights, made by
 * a seeded generator, the batch, and the arithmetic between the gathers. One
 * layer without norms: attention over a paged cache, then a mixture of experts.
 */
#ifndef MODEL_H
#define MODEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SEQS    16                 /* places of the batch */
#define IDLE    11                 /* the one without a request */
#define VOCAB   2048
#define MODEL   512                /* width of a token's row */
#define HEAD    64                 /* width of a head */
#define HEADS   8                  /* of queries */
#define KV      2                  /* heads of keys and of values */
#define BLOCK   16                 /* tokens in a block of the cache */
#define TABLE   16                 /* blocks that a sequence can have */
#define POOL    256                /* blocks of the cache */
#define CONTEXT (BLOCK * TABLE)
#define EXPERTS 8
#define TOP     2                  /* experts of a token */
#define PAIRS   (SEQS * TOP)
#define NOBODY  255                /* the expert of an idle place */

static float embedding[VOCAB][MODEL], rotation[CONTEXT][HEAD / 2][2];
static float to_query[MODEL][HEADS * HEAD], to_kv[2][MODEL][KV * HEAD];
static float to_model[HEADS * HEAD][MODEL], router[MODEL][EXPERTS];
static float expert_in[EXPERTS][MODEL][MODEL];

/* What a scheduler says of the batch. */
static int32_t token[SEQS], position[SEQS];      /* -1: idle */
static int32_t block_table[SEQS][TABLE];         /* -1: not there yet */
static int32_t slot[2][SEQS];                    /* for the keys, the values */
static int32_t token_of[PAIRS];                  /* of (token, expert): token */

/* A block of the cache: its keys, then its values. A slot is one [KV][HEAD]. */
typedef struct { float kv[2][BLOCK][KV][HEAD]; } block;

/* The pairs (token, expert), sorted by expert, and the token of each. */
typedef struct { int32_t pair[PAIRS], token[PAIRS]; } groups;

/* All that a step computes. */
typedef struct {
    float     x[SEQS][MODEL], rotary[SEQS][HEAD / 2][2];
    float     query[SEQS][HEADS][HEAD], kv[2][SEQS][KV][HEAD];
    block     cache[POOL];
    float     past[2][KV][SEQS][CONTEXT][HEAD];
    float     mixed[SEQS][MODEL], weight[SEQS][TOP];
    uint8_t   expert[SEQS][TOP];
    groups    sorted;
    float     permuted[PAIRS][MODEL], worked[PAIRS][MODEL];
    float     woven[PAIRS][MODEL];
    int32_t   next[SEQS];
    ptrdiff_t count[EXPERTS];                    /* pairs of each expert */
} step;

/* ---- weights and batch ----------------------------------------------------*/
static uint32_t draw(void)         /* xorshift: the same numbers everywhere */
{
    static uint32_t x = 2463534242u;
    x ^= x << 13; x ^= x >> 17; x ^= x << 5;
    return x;
}

static void fill(float *w, size_t n, float scale)
{
    size_t i;
    for (i = 0; i < n; i++)
        w[i] = ((float)(draw() >> 8) / 8388608 - 1) * scale;
}

static void make_model(void)
{
    int p, i;
    fill(embedding[0], VOCAB * MODEL, 1);
    fill(to_query[0], sizeof to_query / sizeof(float), 0.07f);
    fill(to_kv[0][0], sizeof to_kv / sizeof(float), 0.07f);
    fill(to_model[0], sizeof to_model / sizeof(float), 0.07f);
    fill(router[0], sizeof router / sizeof(float), 0.07f);
    fill(expert_in[0][0], sizeof expert_in / sizeof(float), 0.07f);
    for (p = 0; p < CONTEXT; p++)
        for (i = 0; i < HEAD / 2; i++) {
            const double turn = p * pow(10000, -2.0 * i / HEAD);
            rotation[p][i][0] = (float)cos(turn);
            rotation[p][i][1] = (float)sin(turn);
        }
}

/* Sequences of all lengths, whose blocks lie anywhere in the cache. */
static void make_batch(step *s)
{
    int32_t blocks[POOL], swap;
    int     i, b, k, at = 0;
    for (i = 0; i < POOL; i++) blocks[i] = i;
    for (i = POOL - 1; i > 0; i--) {
        k = (int)(draw() % (uint32_t)(i + 1));
        swap = blocks[i]; blocks[i] = blocks[k]; blocks[k] = swap;
    }
    for (i = 0; i < PAIRS; i++) token_of[i] = i / TOP;
    for (i = 0; i < SEQS; i++) {
        const int idle = i == IDLE;
        token[i]    = idle ? -1 : (int32_t)(draw() % VOCAB);
        position[i] = idle ? -1 : (int32_t)(draw() % CONTEXT);
        for (b = 0; b < TABLE; b++)
            block_table[i][b] = !idle && b <= position[i] / BLOCK ?
                                blocks[at++] : -1;
        for (k = 0; k < 2; k++)
            slot[k][i] = idle ? -1 : position[i] % BLOCK + BLOCK *
                         (2 * block_table[i][position[i] / BLOCK] + k);
    }
    fill(s->cache[0].kv[0][0][0], sizeof s->cache / (sizeof(float)), 1);
}

/* ---- the arithmetic -------------------------------------------------------*/
static void matmul(float *y, const float *x, const float *w, int in, int out)
{
    int i, j;
    for (j = 0; j < out; j++) y[j] = 0;
    for (i = 0; i < in; i++, w += out)
        for (j = 0; j < out; j++) y[j] += x[i] * w[j];
}

static float dot(const float *a, const float *b, int n)
{
    float sum = 0;
    int   i;
    for (i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void turn_head(float *head, float (*by)[2])
{
    int i;
    for (i = 0; i < HEAD / 2; i++) {
        const float a = head[2 * i], b = head[2 * i + 1];
        head[2 * i]     = a * by[i][0] - b * by[i][1];
        head[2 * i + 1] = a * by[i][1] + b * by[i][0];
    }
}

/* Queries, keys and values; the first two are turned by their positions. */
static int project(step *s)
{
    int i, h, k;
    for (i = 0; i < SEQS; i++) {
        matmul(s->query[i][0], s->x[i], to_query[0], MODEL, HEADS * HEAD);
        for (k = 0; k < 2; k++)
            matmul(s->kv[k][i][0], s->x[i], to_kv[k][0], MODEL, KV * HEAD);
        for (h = 0; h < HEADS; h++) turn_head(s->query[i][h], s->rotary[i]);
        for (h = 0; h < KV; h++)    turn_head(s->kv[0][i][h], s->rotary[i]);
    }
    return 0;
}

/* One head of one sequence, over the tokens 0 ... last. */
static void attend_head(float *out, const float *query, float (*keys)[HEAD],
                        float (*values)[HEAD], int last)
{
    float score[CONTEXT], most = -1e30f, sum = 0;
    int   t, j;
    for (t = 0; t <= last; t++) {
        score[t] = dot(query, keys[t], HEAD) / 8;      /* root of HEAD */
        if (score[t] > most) most = score[t];
    }
    for (t = 0; t <= last; t++) sum += score[t] = expf(score[t] - most);
    for (j = 0; j < HEAD; j++) out[j] = 0;
    for (t = 0; t <= last; t++)
        for (j = 0; j < HEAD; j++) out[j] += score[t] / sum * values[t][j];
}

static int attend(step *s)
{
    float heads[HEADS][HEAD];
    int   i, h, g, j;
    for (i = 0; i < SEQS; i++) {
        for (h = 0; h < HEADS; h++) {
            g = h / (HEADS / KV);
            attend_head(heads[h], s->query[i][h], s->past[0][g][i],
                        s->past[1][g][i], position[i]);
        }
        matmul(s->mixed[i], heads[0], to_model[0], HEADS * HEAD, MODEL);
        for (j = 0; j < MODEL; j++) s->mixed[i][j] += s->x[i][j];
    }
    return 0;
}

/* The two best experts of a token, and the softmax of their scores. */
static int route(step *s)
{
    float score[EXPERTS];
    int   i, e, a, b;
    for (i = 0; i < SEQS; i++) {
        matmul(score, s->mixed[i], router[0], MODEL, EXPERTS);
        a = score[1] > score[0];
        b = !a;
        for (e = 2; e < EXPERTS; e++)
            if (score[e] > score[a])      { b = a; a = e; }
            else if (score[e] > score[b]) b = e;
        s->expert[i][0] = token[i] < 0 ? NOBODY : (uint8_t)a;
        s->expert[i][1] = token[i] < 0 ? NOBODY : (uint8_t)b;
        s->weight[i][1] = 1 / (1 + expf(score[a] - score[b]));
        s->weight[i][0] = 1 - s->weight[i][1];
    }
    return 0;
}

/* Each expert on its rows, which lie together. */
static int work(step *s)
{
    ptrdiff_t i = 0, end = 0;
    int       e;
    for (e = 0; e < EXPERTS; e++)
        for (end += s->count[e]; i < end; i++)
            matmul(s->worked[i], s->permuted[i], expert_in[e][0], MODEL, MODEL);
    return 0;
}

/* Adds the experts' rows up and takes the likeliest token. */
static int choose(step *s)
{
    float y[MODEL], score, best;
    int   i, j, v;
    for (i = 0; i < SEQS; i++) {
        for (j = 0; j < MODEL; j++)
            y[j] = s->mixed[i][j] +
                   s->weight[i][0] * s->woven[TOP * i][j] +
                   s->weight[i][1] * s->woven[TOP * i + 1][j];
        s->next[i] = -1;
        for (best = 0, v = 0; token[i] >= 0 && v < VOCAB; v++) {
            score = dot(y, embedding[v], MODEL);
            if (v == 0 || score > best) { best = score; s->next[i] = v; }
        }
    }
    return 0;
}

#endif
