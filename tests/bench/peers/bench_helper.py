"""The C half of bench_peers.py: clocks, ceilings and the naive loops.

It is compiled into build/ and loaded with ctypes, so that no interpreter is
between two calls of what it times. It calls the library through pointers, so
one helper times several builds of it.
"""

SOURCE = r"""
#define _GNU_SOURCE               /* sched_setaffinity; POSIX elsewhere */
#include "ndgather.h"             /* declarations only */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

typedef unsigned char byte;

enum { GATHER, STITCH, PARTITION, NAIVE_GATHER, NAIVE_ND, NAIVE_STITCH,
       NAIVE_PARTITION, COPY, LINES, STORES };
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
    int (*run)(void), (*range)(void), (*count)(void);
    void (*starts)(void);
} job;

typedef int (*gather_plan_fn)(ndg_gather_plan *, const ndg_gather_desc *,
        ndg_report *);
typedef int (*stitch_plan_fn)(ndg_stitch_plan *, const ndg_stitch_desc *,
        ndg_report *);
typedef int (*partition_plan_fn)(ndg_partition_plan *,
        const ndg_partition_desc *, ndg_report *);
typedef int (*gather_run_fn)(const ndg_gather_plan *, void *, ptrdiff_t,
        const void *, const void *, ndg_report *);
typedef int (*gather_range_fn)(const ndg_gather_plan *, void *, ptrdiff_t,
        const void *, const void *, ptrdiff_t, ptrdiff_t, ndg_report *);
typedef int (*stitch_run_fn)(const ndg_stitch_plan *, void *, ptrdiff_t,
        ptrdiff_t, const ndg_list *, ptrdiff_t, void *, ptrdiff_t,
        ndg_report *);
typedef int (*stitch_range_fn)(const ndg_stitch_plan *, void *, ptrdiff_t,
        ptrdiff_t, const ndg_list *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
        void *, ptrdiff_t, ndg_report *);
typedef int (*count_fn)(const ndg_partition_plan *, const void *, ptrdiff_t,
        ptrdiff_t, ptrdiff_t *, ndg_report *);
typedef int (*partition_range_fn)(const ndg_partition_plan *, void *const *,
        void *const *, const void *, const void *, ptrdiff_t, ptrdiff_t,
        ptrdiff_t *, const ptrdiff_t *, ndg_report *);
typedef void (*starts_fn)(ptrdiff_t *, ptrdiff_t *, ptrdiff_t, ptrdiff_t);

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

/* A plan by the library's function for it: of these shapes, elements of `word`
 * bytes and int32 indices; more is an axis, or the number of parts. */
int bench_plan(int kind, void (*make)(void), void *plan,
               const ptrdiff_t *params, int rank, const ptrdiff_t *indices,
               int index_rank, ptrdiff_t word, int more)
{
    ndg_gather_desc    g = NDG_ZERO_INIT;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_partition_desc p = NDG_ZERO_INIT;
    g.params = p.data = ndg_dims(rank, params, NULL);
    g.indices = p.partitions = ndg_dims(index_rank, indices, NULL);
    s.slice = ndg_dims(rank - 1, params + 1, NULL);
    g.elem_size = s.elem_size = p.elem_size = word;
    p.num_partitions = g.axis = more;
    switch (kind) {
    case STITCH:    return ((stitch_plan_fn)make)(plan, &s, NULL);
    case PARTITION: return ((partition_plan_fn)make)(plan, &p, NULL);
    default:        return ((gather_plan_fn)make)(plan, &g, NULL);
    }
}

/* ---- the loops anybody would write, checked -------------------------------*/
#define ELEMENTS(type)                                                        \
    do {                                                                      \
        const type *t = (const type *)table;                                  \
        type       *o = (type *)out;                                          \
        for (i = 0; i < n; i++) {                                             \
            if (idx[i] < 0 || idx[i] >= rows) return NDG_E_INDEX;             \
            o[i] = t[idx[i]];                                                 \
        }                                                                     \
    } while (0)

static int naive_rows(void *out, const void *table, ptrdiff_t rows,
                      ptrdiff_t size, const int32_t *idx, ptrdiff_t n)
{
    ptrdiff_t i;
    if (size == 4) ELEMENTS(uint32_t);
    else if (size == 8) ELEMENTS(uint64_t);
    else
        for (i = 0; i < n; i++) {
            if (idx[i] < 0 || idx[i] >= rows) return NDG_E_INDEX;
            memcpy((byte *)out + i * size,
                   (const byte *)table + idx[i] * size, (size_t)size);
        }
    return NDG_OK;
}

static int naive_gather(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    const ptrdiff_t r = j->row_bytes, w = j->width;
    const int32_t  *idx = (const int32_t *)j->indices;
    ptrdiff_t       b;
    int             bad = 0;
    if (j->outer == 1)
        return naive_rows((byte *)j->out + first * r, j->source, j->rows, r,
                          idx + first, last - first);
    for (b = first; b < last && !bad; b++)
        bad = naive_rows((byte *)j->out + b * w * r,
                         (const byte *)j->source + b * j->rows * r,
                         j->rows, r, idx + (j->shared ? 0 : b * w), w);
    return bad;
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
    ptrdiff_t       m, i, base = 0;
    for (m = 0; m < j->list_count; base += j->lists[m++].count) {
        const ndg_list *list = &j->lists[m];
        const int32_t  *idx = (const int32_t *)list->indices;
        for (i = 0; i < list->count; i++) {
            if (base + i < first || base + i >= last) continue;
            if (idx[i] < 0 || idx[i] >= j->total) return NDG_E_INDEX;
            if (r == 4)
                ((uint32_t *)j->out)[idx[i]] =
                    ((const uint32_t *)list->data)[i];
            else
                memcpy((byte *)j->out + idx[i] * r,
                       (const byte *)list->data + i * r, (size_t)r);
        }
    }
    return NDG_OK;
}

static int naive_count(const job *j, ptrdiff_t first, ptrdiff_t last,
                       ptrdiff_t *counts)
{
    const int32_t *ids = (const int32_t *)j->indices;
    ptrdiff_t      i;
    memset(counts, 0, (size_t)j->parts * sizeof *counts);
    for (i = first; i < last; i++) {
        if (ids[i] < 0 || ids[i] >= j->parts) return NDG_E_INDEX;
        counts[ids[i]]++;
    }
    return NDG_OK;
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

/* Between counting and moving: where each worker starts in each part, and
 * where each part starts in the flat output. */
static void naive_starts(ptrdiff_t *counts, ptrdiff_t *cursors,
                         ptrdiff_t workers, ptrdiff_t parts)
{
    ptrdiff_t k, w;
    for (k = 0; k < parts; k++) {
        ptrdiff_t at = 0;
        for (w = 0; w < workers; w++) {
            cursors[w * parts + k] = at;
            at += counts[w * parts + k];
            counts[w * parts + k] = at;
        }
    }
}

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
    byte       *d = (byte *)j->out + first;
    const byte *s = (const byte *)j->source + first;
    size_t      n = (size_t)(last - first);
#if defined(__x86_64__)
    if (j->variant == 1) {                   /* aligned: both, by 64 */
        size_t i;
        for (i = 0; i + 64 <= n; i += 64) {
            const __m128i a = _mm_load_si128((const __m128i *)(s + i));
            const __m128i b = _mm_load_si128((const __m128i *)(s + i + 16));
            const __m128i c = _mm_load_si128((const __m128i *)(s + i + 32));
            const __m128i e = _mm_load_si128((const __m128i *)(s + i + 48));
            _mm_stream_si128((__m128i *)(d + i), a);
            _mm_stream_si128((__m128i *)(d + i + 16), b);
            _mm_stream_si128((__m128i *)(d + i + 32), c);
            _mm_stream_si128((__m128i *)(d + i + 48), e);
        }
        _mm_sfence();
        memcpy(d + i, s + i, n - i);
        return NDG_OK;
    }
    if (j->variant == 2) {
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
        return NDG_OK;
    }
#endif
    if (j->variant) return NDG_E_OPTION;     /* not on this machine */
    memcpy(d, s, n);
    return NDG_OK;
}

#define ALWAYS static inline __attribute__((always_inline))

/* One word of every line of a row. Rows and table are aligned to 4. */
ALWAYS uint32_t touch(const byte *p, ptrdiff_t r)
{
    uint32_t  sum = *(const uint32_t *)p;
    ptrdiff_t left;
    if (64 % r == 0) return sum;
    left = r - (64 - (ptrdiff_t)((uintptr_t)p & 63));
    for (p += 64 - ((uintptr_t)p & 63); left > 0; left -= 64, p += 64)
        sum += *(const uint32_t *)p;
    return sum;
}

ALWAYS void fetch(const byte *p, ptrdiff_t r)
{
    ptrdiff_t i;
    __builtin_prefetch(p, 0, 2);
    if (64 % r == 0) return;
    for (i = 64; i < r; i += 64) __builtin_prefetch(p + i, 0, 2);
    __builtin_prefetch(p + r - 1, 0, 2);
}

ALWAYS uint32_t lines_of(const byte *t, const int32_t *row, ptrdiff_t n,
                         ptrdiff_t r, ptrdiff_t ahead)
{
    const ptrdiff_t end = ahead && n > ahead ? n - ahead : 0;
    uint32_t        a = 0, b = 0, c = 0, d = 0;
    ptrdiff_t       i = 0;
    for (; i + 4 <= end; i += 4) {
        fetch(t + row[i + ahead] * r, r);
        fetch(t + row[i + 1 + ahead] * r, r);
        fetch(t + row[i + 2 + ahead] * r, r);
        fetch(t + row[i + 3 + ahead] * r, r);
        a += touch(t + row[i] * r, r);
        b += touch(t + row[i + 1] * r, r);
        c += touch(t + row[i + 2] * r, r);
        d += touch(t + row[i + 3] * r, r);
    }
    for (; i + 4 <= n; i += 4) {
        a += touch(t + row[i] * r, r);
        b += touch(t + row[i + 1] * r, r);
        c += touch(t + row[i + 2] * r, r);
        d += touch(t + row[i + 3] * r, r);
    }
    for (; i < n; i++) a += touch(t + row[i] * r, r);
    return a + b + c + d;
}

static int lines(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    const byte     *t = (const byte *)j->source;
    const int32_t  *row = (const int32_t *)j->indices + first;
    const ptrdiff_t n = last - first, d = j->variant;
    uint32_t        sum;
    switch (j->row_bytes) {
    case 4:  sum = lines_of(t, row, n, 4, d); break;
    case 8:  sum = lines_of(t, row, n, 8, d); break;
    case 16: sum = lines_of(t, row, n, 16, d); break;
    case 32: sum = lines_of(t, row, n, 32, d); break;
    case 64: sum = lines_of(t, row, n, 64, d); break;
    default: sum = lines_of(t, row, n, j->row_bytes, d);
    }
    sink = sum;
    return NDG_OK;
}

/* Whole rows stored at random places, nothing read but their numbers.
 * Variants: 0 plain, 1 prefetched, 2 non-temporal. */
ALWAYS void stores_of(byte *o, const int32_t *row, ptrdiff_t n, ptrdiff_t r,
                      ptrdiff_t how)
{
    ptrdiff_t i, k;
    for (i = 0; i < n; i++) {
        byte *p = o + row[i] * r;
        if (how == 1 && i + 64 < n)
            for (k = 0; k < r; k += 64)
                __builtin_prefetch(o + row[i + 64] * r + k, 1, 2);
        if (r == 4) { *(int32_t *)p = 1; continue; }
#if defined(__x86_64__)
        for (k = 0; k < r; k += 16)
            if (how == 2) _mm_stream_si128((__m128i *)(p + k),
                                           _mm_set1_epi8(1));
            else _mm_store_si128((__m128i *)(p + k), _mm_set1_epi8(1));
#else
        memset(p, 1, (size_t)r);
#endif
    }
}

static int stores(const job *j, ptrdiff_t first, ptrdiff_t last)
{
    byte           *o = (byte *)j->out;
    const int32_t  *row = (const int32_t *)j->indices + first;
    const ptrdiff_t n = last - first, r = j->row_bytes;
    if (j->variant == 2 && r % 64) return NDG_E_OPTION;
#define VARIANTS(size)                                                        \
    do {                                                                      \
        if (j->variant == 0) stores_of(o, row, n, size, 0);                   \
        else if (j->variant == 1) stores_of(o, row, n, size, 1);              \
        else stores_of(o, row, n, size, 2);                                   \
    } while (0)
    if (r == 4) VARIANTS(4);
    else if (r == 64) VARIANTS(64);
    else VARIANTS(r);
#if defined(__x86_64__)
    _mm_sfence();
#endif
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
            return ((gather_run_fn)j->run)(
                (const ndg_gather_plan *)j->plan, j->out, j->out_bytes,
                j->source, j->indices, &report);
        return ((gather_range_fn)j->range)(
            (const ndg_gather_plan *)j->plan, j->out, j->out_bytes, j->source,
            j->indices, first, last, &report);
    case STITCH:
        if (whole)
            return ((stitch_run_fn)j->run)(
                (const ndg_stitch_plan *)j->plan, j->out, j->out_bytes,
                j->total, j->lists, j->list_count, NULL, 0, &report);
        return ((stitch_range_fn)j->range)(
            (const ndg_stitch_plan *)j->plan, j->out, j->out_bytes, j->total,
            j->lists, j->list_count, first, last, NULL, 0, &report);
    case PARTITION:
        if (phase == 0)
            return ((count_fn)j->count)((const ndg_partition_plan *)j->plan,
                                        j->indices, first, last, counts,
                                        &report);
        return ((partition_range_fn)j->range)(
            (const ndg_partition_plan *)j->plan, j->outs, NULL, j->source,
            j->indices, first, last, cursors, counts, &report);
    case NAIVE_GATHER: return naive_gather(j, first, last);
    case NAIVE_ND:     return naive_nd(j, first, last);
    case NAIVE_STITCH: return naive_stitch(j, first, last);
    case NAIVE_PARTITION:
        return phase == 0 ? naive_count(j, first, last, counts)
                          : naive_move(j, first, last, cursors);
    case COPY:   return copy_bytes(j, first, last);
    case LINES:  return lines(j, first, last);
    case STORES: return stores(j, first, last);
    default:     return NDG_E_OPTION;
    }
}

static void between(const job *j, ptrdiff_t workers)
{
    starts_fn starts = j->kind == PARTITION ? (starts_fn)j->starts
                                            : naive_starts;
    starts(j->counts, j->cursors, workers, j->parts);
    place(j, workers);
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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
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
        if (go % each == 1) between(j, threads);
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
"""
