/* helper.c - the C half of bench_peers.py: clocks, ceilings and naive loops.
 *
 * It is compiled into build/ with each build of the library, which is an object
 * of its own, and loaded with ctypes: no interpreter is between two calls of
 * what it times. */
#define _GNU_SOURCE               /* sched_setaffinity; POSIX elsewhere */
#include "ndgather.h"             /* declarations only */
#include "../ceiling.h"

#include <pthread.h>
#include <sched.h>

enum { GATHER, STITCH, PARTITION, NAIVE_GATHER, NAIVE_ND, NAIVE_STITCH,
       NAIVE_PARTITION, BOUND_COPY, BOUND_LINES, BOUND_STORES };
enum { PLAN_GATHER, PLAN_ND, PLAN_BATCH, PLAN_STITCH, PLAN_PARTITION };
enum { MAX_THREADS = 16 };

/* Mirrored by bench_lib.Job. */
typedef struct job {
    ptrdiff_t  kind, units;          /* units: what the threads split */
    const void *plan, *source, *indices;
    void      *out;
    ptrdiff_t  out_bytes, rows, row_bytes;   /* rows of the source */
    ptrdiff_t  outer, width, shared; /* of naive loops over batches */
    ptrdiff_t  depth, dims[8];
    const ndg_list *lists;
    ptrdiff_t  list_count, total;
    ptrdiff_t  parts, *counts, *cursors;     /* [MAX_THREADS][parts] each */
    void     **outs;
    ptrdiff_t  variant;              /* of a ceiling */
    ptrdiff_t  failed;               /* the worst status */
} job;

static volatile uint32_t sink;

ptrdiff_t bench_size(int what)
{
    switch (what) {
    case 0: return sizeof(job);
    case 1: return sizeof(ndg_list);
    case 3 + GATHER: return sizeof(ndg_gather_plan);
    case 3 + STITCH: return sizeof(ndg_stitch_plan);
    case 3 + PARTITION: return sizeof(ndg_partition_plan);
    default: return 0;
    }
}

/* A plan of these shapes, elements of `word` bytes and int32 indices; more: an
 * axis, or the number of parts. */
int bench_plan(int op, void *plan, const ptrdiff_t *params, int rank,
               const ptrdiff_t *indices, int index_rank, ptrdiff_t word,
               int more)
{
    ndg_gather_desc    g = NDG_ZERO_INIT;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_partition_desc p = NDG_ZERO_INIT;
    g.params = p.data = ndg_dims(rank, params, NULL);
    g.indices = p.partitions = ndg_dims(index_rank, indices, NULL);
    s.slice = ndg_dims(rank - 1, params + 1, NULL);
    g.elem_size = s.elem_size = p.elem_size = word;
    p.num_partitions = g.axis = more;
    switch (op) {
    case PLAN_STITCH:    return ndg_plan_stitch(plan, &s, NULL);
    case PLAN_PARTITION: return ndg_plan_partition(plan, &p, NULL);
    case PLAN_ND:        return ndg_plan_gather_nd(plan, &g, NULL);
    case PLAN_BATCH:     return ndg_plan_batch_gather(plan, &g, NULL);
    default:             return ndg_plan_gather(plan, &g, NULL);
    }
}

/* ---- the loops anybody would write, checked -------------------------------*/
/* Rows of 4 and 8 bytes by their type, others by memcpy. */
static int naive_gather(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    const ptrdiff_t r = j->row_bytes, batch = j->outer > 1;
    const ptrdiff_t n = batch ? j->width : last - first;
    const int32_t  *idx = (const int32_t *)j->indices;
    const byte     *from = (const byte *)j->source;
    ptrdiff_t       dim[DIMS] = { 0 };
    hand_fn        *loop = r == 4 || r == 8 ? find_gather(r, 4)
                                            : gather32_memcpy;
    dim[0] = j->rows;
    dim[GROUPS] = batch ? last - first : 1;
    dim[PITCH] = j->rows * r;
    dim[APART] = j->shared ? 0 : n;
    dim[ROW] = r;
    if (batch) {
        from += first * dim[PITCH];
        idx += first * dim[APART];
    } else
        idx += first;
    return loop((byte *)j->out + first * (batch ? n : 1) * r, from, idx, n,
                dim) < 0 ? NDG_OK : NDG_E_INDEX;
}

static int naive_nd(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    const ptrdiff_t depth = j->depth, r = j->row_bytes;
    const int32_t  *idx = (const int32_t *)j->indices;
    ptrdiff_t       i, k, at;
    for (i = first; i < last; i++) {
        for (at = k = 0; k < depth; k++) {
            const ptrdiff_t v = idx[i * depth + k];
            if (v < 0 || v >= j->dims[k]) return NDG_E_INDEX;
            at = at * j->dims[k] + v;
        }
        if (r == 4)
            ((uint32_t *)j->out)[i] = ((const uint32_t *)j->source)[at];
        else
            memcpy((byte *)j->out + i * r, (const byte *)j->source + at * r,
                   (size_t)r);
    }
    return NDG_OK;
}

/* first and last count entries through all lists. */
static int naive_stitch(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    const ptrdiff_t r = j->row_bytes;
    stitch_fn      *loop = r == 4 ? stitch32_4 : stitch32_memcpy;
    ptrdiff_t       m, base = 0;
    for (m = 0; m < j->list_count; base += j->lists[m++].count) {
        ndg_list        list = j->lists[m];
        const ptrdiff_t from = first > base ? first - base : 0;
        const ptrdiff_t to = fewer(last - base, list.count);
        if (from >= to) continue;
        list.indices = (const int32_t *)list.indices + from;
        list.data = (const byte *)list.data + from * r;
        list.count = to - from;
        if (loop((byte *)j->out, &list, 1, j->total, r) >= 0)
            return NDG_E_INDEX;
    }
    return NDG_OK;
}

static int naive_count(const job *j, ptrdiff_t first, ptrdiff_t last,
                       ptrdiff_t *counts)
{
    const int32_t *ids = (const int32_t *)j->indices;
    return count32(ids + first, last - first, j->parts, counts) < 0
               ? NDG_OK : NDG_E_INDEX;
}

static int naive_move(const job *j, ptrdiff_t first, ptrdiff_t last,
                      ptrdiff_t *cursors)
{
    const int32_t  *ids = (const int32_t *)j->indices;
    const ptrdiff_t r = j->row_bytes;
    ptrdiff_t       i;
    for (i = first; i < last; i++) {
        const ptrdiff_t p = ids[i];
        if (p < 0 || p >= j->parts) return NDG_E_INDEX;
        if (r == 4)
            ((uint32_t *)j->outs[p])[cursors[p]++] =
                ((const uint32_t *)j->source)[i];
        else
            memcpy((byte *)j->outs[p] + cursors[p]++ * r,
                   (const byte *)j->source + i * r, (size_t)r);
    }
    return NDG_OK;
}

/* Where each part starts in the flat output. */
static void place(const job *j, ptrdiff_t workers)
{
    const ptrdiff_t *sizes = j->counts + (workers - 1) * j->parts;
    byte            *at = (byte *)j->out;
    ptrdiff_t        k;
    for (k = 0; k < j->parts; k++) {
        j->outs[k] = at;
        at += sizes[k] * j->row_bytes;
    }
}

/* ---- ceilings -------------------------------------------------------------*/
static int copy_bytes(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    if (j->variant >= COPIES) return NDG_E_OPTION;     /* not on this machine */
    copy_ways[j->variant]((byte *)j->out + first,
                          (const byte *)j->source + first,
                          (size_t)(last - first));
    return NDG_OK;
}

/* variant: how many rows ahead; 0 prefetches nothing. */
static int lines(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    const ptrdiff_t dim[DIMS] = { 0, 0, 0, 0, 1 };
    line_fn        *line = find_line(j->row_bytes, 4);
    if (!line) return NDG_E_OPTION;
    sink = line((const byte *)j->source, (const int32_t *)j->indices + first,
                last - first, dim, (int)j->variant, j->variant ? 2 : 0);
    return NDG_OK;
}

/* Whole rows stored at random places, nothing read but their numbers.
 * Variants: 0 plain, 1 prefetched, 2 non-temporal. */
static int stores(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    store_fn *store = find_store(j->row_bytes, 4);
    if (!store || (j->variant == 2 && j->row_bytes % 64)) return NDG_E_OPTION;
    store((byte *)j->out, (const int32_t *)j->indices + first, last - first,
          (int)j->variant);
    stores_end();
    return NDG_OK;
}

/* ---- running --------------------------------------------------------------*/
static int phases(const job *j)
{
    return j->kind == PARTITION || j->kind == NAIVE_PARTITION ? 2 : 1;
}

/* One worker's share of one phase. */
static int part_of(const job *j, ptrdiff_t first, ptrdiff_t last, int whole,
                   int phase, ptrdiff_t worker)
{
    ptrdiff_t *counts = j->counts + worker * j->parts;
    ptrdiff_t *cursors = j->cursors + worker * j->parts;
    ndg_report report;
    switch (j->kind) {
    case GATHER:
        if (whole)
            return ndg_gather_run(j->plan, j->out, j->out_bytes, j->source,
                                  j->indices, &report);
        return ndg_gather_run_range(j->plan, j->out, j->out_bytes, j->source,
                                    j->indices, first, last, &report);
    case STITCH:
        if (whole)
            return ndg_stitch_run(j->plan, j->out, j->out_bytes, j->total,
                                  j->lists, j->list_count, NULL, 0, &report);
        return ndg_stitch_run_range(j->plan, j->out, j->out_bytes, j->total,
                                    j->lists, j->list_count, first, last,
                                    NULL, 0, &report);
    case PARTITION:
        if (phase == 0)
            return ndg_partition_count(j->plan, j->indices, first, last,
                                       counts, &report);
        return ndg_partition_run_range(j->plan, j->outs, NULL, j->source,
                                       j->indices, first, last, cursors,
                                       counts, &report);
    case NAIVE_GATHER: return naive_gather(j, first, last);
    case NAIVE_ND:     return naive_nd(j, first, last);
    case NAIVE_STITCH: return naive_stitch(j, first, last);
    case NAIVE_PARTITION:
        return phase == 0 ? naive_count(j, first, last, counts)
                          : naive_move(j, first, last, cursors);
    case BOUND_COPY:   return copy_bytes(j, first, last);
    case BOUND_LINES:  return lines(j, first, last);
    case BOUND_STORES: return stores(j, first, last);
    default:     return NDG_E_OPTION;
    }
}

typedef struct crew {
    job *j;
    int  threads, goes;              /* goes: calls times phases */
    int  ready, start, done;         /* atomic: workers, phases */
    int  failed[MAX_THREADS];
    const void *allowed;             /* the cores of all workers */
} crew;

typedef struct member { crew *c; int worker; } member;

/* Each worker on a core of its own: the time of a run is too short for the
 * system to part two of them that began on one. */
#if defined(__linux__)
typedef cpu_set_t cores;
static void core_of(int worker, const cores *allowed)
{
    cpu_set_t one;
    int       i, at = 0;
    const int n = CPU_COUNT(allowed);
    for (i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, allowed) || at++ != worker % n) continue;
        CPU_ZERO(&one);
        CPU_SET(i, &one);
        (void)sched_setaffinity(0, sizeof one, &one);
    }
}
static void get_cores(cores *c) { (void)sched_getaffinity(0, sizeof *c, c); }
static void set_cores(const cores *c)
{
    (void)sched_setaffinity(0, sizeof *c, c);
}
#else
typedef int cores;
static void core_of(int worker, const cores *allowed)
{
    (void)worker;
    (void)allowed;
}
static void get_cores(cores *c) { *c = 0; }
static void set_cores(const cores *c) { (void)c; }
#endif

/* Shares meet at multiples of 64 units, so that copies stay aligned. */
static void share(crew *c, int worker, int go)
{
    const ptrdiff_t n = c->j->units, step = (n / c->threads + 63) & ~63;
    ptrdiff_t       first = worker * step, last = first + step;
    int             bad;
    if (c->threads <= 1 || step >= n) first = 0, last = worker ? 0 : n;
    else if (worker == c->threads - 1) last = n;
    bad = part_of(c->j, first, last, c->threads == 1, go % phases(c->j),
                  worker);
    if (bad > c->failed[worker]) c->failed[worker] = bad;
}

/* The wait between two phases is in the clock, so it spins; and yields where
 * the other worker seems to have lost its core. */
static void wait_for(int *word, int least)
{
    int spins = 0;
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < least)
        if (++spins > 20000) sched_yield();
}

static void *work(void *arg)
{
    member *m = (member *)arg;
    int     go;
    core_of(m->worker, (const cores *)m->c->allowed);
    __atomic_add_fetch(&m->c->ready, 1, __ATOMIC_RELEASE);
    for (go = 0; go < m->c->goes; go++) {
        wait_for(&m->c->start, go + 1);
        share(m->c, m->worker, go);
        __atomic_add_fetch(&m->c->done, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* ns of one of `calls` calls; -1 and j->failed if one went wrong. */
double bench_run(job *j, int threads, int calls)
{
    const int each = phases(j);
    crew      c;
    cores     allowed;
    pthread_t id[MAX_THREADS];
    member    m[MAX_THREADS];
    int       go, w;
    double    from, ns;
    memset(&c, 0, sizeof c);
    c.j = j;
    c.threads = threads;
    c.goes = calls * each;
    j->failed = NDG_OK;
    get_cores(&allowed);
    c.allowed = &allowed;
    if (threads > 1) core_of(0, &allowed);
    for (w = 1; w < threads; w++) {
        m[w].c = &c;
        m[w].worker = w;
        if (pthread_create(&id[w], NULL, work, &m[w])) abort();
    }
    wait_for(&c.ready, threads - 1);
    from = now();
    for (go = 0; go < c.goes; go++) {
        if (go % each == 1) {
            ndg_partition_starts(j->counts, j->cursors, threads, j->parts);
            place(j, threads);
        }
        __atomic_store_n(&c.start, go + 1, __ATOMIC_RELEASE);
        share(&c, 0, go);
        wait_for(&c.done, (go + 1) * (threads - 1));
    }
    ns = (now() - from) / calls;
    for (w = 1; w < threads; w++) pthread_join(id[w], NULL);
    if (threads > 1) set_cores(&allowed);
    for (w = 0; w < threads; w++)
        if (c.failed[w] > j->failed) j->failed = c.failed[w];
    return j->failed ? -1 : ns;
}
