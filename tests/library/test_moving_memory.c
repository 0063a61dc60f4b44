/* test_moving_memory.c - indices that a second process rewrites all the time,
 * in memory that both share, while every op reads them. (test_moving.c changes
 * a value between two reads that the source asks for. Here the compiler's reads
 * count: it may read twice what the source reads once.) A second process needs
 * no library of threads.
 *
 * Every array lies beside a page that nobody may touch, before or after it, and
 * beside bytes that are in no table on its other side. A row of a table is one
 * byte over and over, so a row of out is right if it is the same all along and
 * a byte that the policy allows.
 *
 *     cc -O2 -I. tests/library/test_moving_memory.c -o build/x && build/x
 *
 * NDG_MOVING=20 in the environment: twenty times as long. */
#ifndef TEST_NAME
#define TEST_NAME "test_moving_memory"
#endif
#define _DEFAULT_SOURCE         /* C99 alone knows no anonymous memory */
#define _DARWIN_C_SOURCE
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"
#include "../lib/test.h"
#include "../lib/arrays.h"
#include "../lib/descs.h"

#if defined(__unix__) || defined(__APPLE__)

#include <signal.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { ROOM = 1 << 15, ROWS = 100, TRAP = 0xEE, FILLED = 0xF1 };

/* Parts of a partition; the rows in each, at most, if that is what moves. */
enum { PARTS = 5, LIMIT = 16 };

/* ---- memory between two pages that nobody may touch ----------------------*/

typedef struct guarded {
    unsigned char *pages, *at;      /* all of it; the array in it */
    ptrdiff_t      size, bytes;     /* of the two */
} guarded;

static guarded table, out, ids, scratch, counts, cursors, limits;
static guarded part_out[PARTS], part_position[PARTS];

static unsigned char *shared_pages(ptrdiff_t bytes)
{
    void *p = mmap(0, (size_t)bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? 0 : (unsigned char *)p;
}

/* Room for any array of so many bytes; whether there is any. */
static int guarded_new(guarded *g, ptrdiff_t room)
{
    const ptrdiff_t page = (ptrdiff_t)sysconf(_SC_PAGESIZE);
    unsigned char  *p;
    g->size = (room + page - 1) / page * page;
    p = shared_pages(g->size + 2 * page);
    if (!p) return 0;
    g->pages = g->at = p + page;
    return !mprotect(p, (size_t)page, PROT_NONE)
        && !mprotect(g->pages + g->size, (size_t)page, PROT_NONE);
}

/* Puts an array of so many bytes first in its pages, or last, and fills them;
 * but not with -1. */
static void place(guarded *g, ptrdiff_t span, int last, int byte)
{
    if (span > g->size) {
        printf("%ld bytes do not fit into %ld\n", (long)span, (long)g->size);
        exit(3);
    }
    if (byte >= 0) memset(g->pages, byte, (size_t)g->size);
    g->bytes = span;
    g->at = last ? g->pages + (g->size - span) : g->pages;
}

static int all_are(const unsigned char *p, ptrdiff_t count, int byte)
{
    return count < 1
        || (*p == byte && !memcmp(p, p + 1, (size_t)count - 1));
}

/* Whether all that lies beside the array is as it was. */
static int beside_is(const guarded *g, int byte)
{
    const unsigned char *after = g->at + g->bytes;
    return all_are(g->pages, g->at - g->pages, byte)
        && all_are(after, g->pages + g->size - after, byte);
}

/* ---- the other process ---------------------------------------------------*/

/* What it is told, and what it tells. */
typedef struct orders {
    volatile int       type, wild;
    volatile ptrdiff_t start, n, step;      /* of the indices, in their pages */
    volatile ptrdiff_t good, edge;          /* below it all are; none from it */
    volatile unsigned  turns;
} orders;

static orders *other;
static pid_t   parent, child;

/* One store, which no compiler leaves out. */
static void rewrite(unsigned char *at, int type, int64_t v)
{
    switch (index_bytes(type)) {
    case 1:  *(volatile uint8_t *)at = (uint8_t)v; break;
    case 2:  *(volatile uint16_t *)(void *)at = (uint16_t)v; break;
    case 4:  *(volatile uint32_t *)(void *)at = (uint32_t)v; break;
    default: *(volatile uint64_t *)(void *)at = (uint64_t)v; break;
    }
}

static int64_t hostile_value(random_source *r, int64_t edge)
{
    switch (random_below(r, 12)) {
    case 0:  return INT64_MIN;
    case 1:  return INT64_MAX;
    case 2:  return INT32_MIN;
    case 3:  return INT32_MAX;
    case 4:  return -1;
    case 5:  return -edge;
    case 6:  return -edge - 1;
    case 7:  return edge + 3;
    case 8:  return 2 * edge;
    case 9:  return INT64_C(0x100000001);       /* good in its low half */
    case 10: return (int64_t)random_bits(r);
    default: return edge;
    }
}

/* Makes one index bad for a moment; or leaves in it what it may. Orders that
 * are just being changed may not fit each other. */
static void move_one(random_source *r)
{
    const int       type = other->type, wild = other->wild;
    const ptrdiff_t width = index_bytes(type);
    const ptrdiff_t count = other->n, good = other->good;
    ptrdiff_t       i;
    if (count < 1 || good < 1) return;
    i = other->start
      + (ptrdiff_t)(random_bits(r) % (uint64_t)count) * other->step;
    if (i < 0 || i > ids.size - width || i % width) return;
    if (!wild || random_below(r, 3) == 0)
        rewrite(ids.pages + i, type, hostile_value(r, other->edge));
    if (!wild || random_below(r, 3) != 0)
        rewrite(ids.pages + i, type,
                (int64_t)(random_bits(r) % (uint64_t)good));
}

/* What a part holds: from nothing to all that there is room for. */
static void move_limit(random_source *r)
{
    volatile ptrdiff_t *at = (ptrdiff_t *)(void *)limits.at;
    at[random_below(r, PARTS)] = random_below(r, LIMIT + 1);
}

/* Ends with its parent. */
static void move_all(void)
{
    random_source r = { 11 };
    int           i;
    while (getppid() == parent)
        for (i = 0; i < 4096; i++) {
            move_one(&r);
            if (i % 8 == 0) move_limit(&r);
            other->turns++;
        }
    _exit(0);
}

/* ---- one case ------------------------------------------------------------*/

static random_source dice;
static char          doing[200];
static long          runs, runs_moved, untold;
#ifdef ORACLE_CASES                         /* an emulator's: fewer */
static long          repeats = 6;
#else
static long          repeats = 10;
#endif
static int           policy, type, negative;    /* of the case at hand */
static ptrdiff_t     bytes, n;
static long          odd_ones;                  /* and what the first was */
static const char   *odd_first;
static ndg_report    report;

static int coin(void) { return random_below(&dice, 2); }

/* Touching a guard page is a failed check, and the last. */
static void touched(int number)
{
    printf("%s: signal %d: what it touched is no array's\n", doing, number);
    printf("%s: %ld passed, %ld failed\n", TEST_NAME, test_passed,
           test_failed + 1);
    fflush(stdout);
    _exit(1);
}

/* Rows rows of `bytes`, each of one byte, which is row_byte of its number. */
static int row_byte(ptrdiff_t row) { return 1 + (int)(row % 100); }

static void table_put(ptrdiff_t rows)
{
    ptrdiff_t i;
    place(&table, rows * bytes, coin(), TRAP);
    for (i = 0; i < rows; i++)
        memset(table.at + i * bytes, row_byte(i), (size_t)bytes);
}

/* Tells the other process of n indices of the type, which are good below good
 * and none from edge on. `apart`: with another index's room between them. */
static void ids_put(ptrdiff_t good, ptrdiff_t edge, int apart)
{
    const ptrdiff_t width = index_bytes(type), step = (1 + apart) * width;
    const ptrdiff_t next = coin() ? 1 : 7919;       /* counting up, or not */
    ptrdiff_t       i;
    other->n = 0;                               /* stay away */
    place(&ids, n ? (n - 1) * step + width : 0, coin(), -1);
    for (i = 0; i < n; i++)
        index_put(ids.at + i * step, type, i * next % good);
    other->type = type;
    other->good = good;
    other->edge = edge;
    other->start = ids.at - ids.pages;
    other->step = step;
    other->wild = random_below(&dice, 4) == 0;
    other->n = n;
}

/* A number of indices for which out is not too large, often a few. */
static ptrdiff_t some(ptrdiff_t copies)
{
    static const int sizes[] = { 1, 5, 16, 63, 64, 66, 150, 300, 700 };
    const ptrdiff_t  most = ROOM / 2 / (copies * bytes);
    const ptrdiff_t  want = sizes[random_below(&dice, COUNT(sizes))];
    return want < most ? want : most;
}

/* Begins a case, and a run of it. */
static void begin(const char *what)
{
    sprintf(doing, "%s, %s, policy %d, negative %d, %ld rows of %ld bytes",
            what, index_name(type), policy, negative, (long)n, (long)bytes);
    odd_ones = 0;
    odd_first = "";
}

/* What must not be, counted; a case is one check. */
static void odd(int is, const char *what)
{
    if (is && odd_ones++ == 0) odd_first = what;
}

static unsigned turn;

static void start(void)
{
    memset(out.at, FRESH, (size_t)out.bytes);
    report = report_stale();
    turn = other->turns;
}

static void stop(void)
{
    runs++;
    runs_moved += other->turns != turn;
}

/* What the report says of bad rows, of `rows`, can be true: the value it names
 * is one that is bad. */
static int report_sane(ptrdiff_t rows)
{
    const ndg_bad *b = &report.bad;
    int64_t        v = b->value;
    if (report.status == NDG_E_INDEX && b->count < 1) return 0;
    if (b->count == 0) return 1;
    if (negative && v < 0 && !b->is_u64) v += b->extent;
    return b->count > 0 && b->count <= rows && b->position >= 0
        && b->position < rows && !NDG_INDEX_GOOD(v, b->extent);
}

static int is_error(void)
{
    return policy == NDG_DEFAULT || policy == NDG_ERROR;
}

/* Whether a byte may be all of a row of out. Only an error that is told of may
 * leave rows untouched: what was bad when it was used may be good when it is
 * read once more, to be named, and is copied then. */
static int allowed(int byte)
{
    if (byte >= 1 && byte <= 100) return 1;
    if (byte == 0) return policy == NDG_ZERO;
    if (byte == FILLED) return policy == NDG_FILL;
    if (byte != FRESH) return 0;
    return (is_error() && report.status) || policy == NDG_KEEP;
}

/* That each row of out is one of the table or what stands for a bad one. */
static void judge(ptrdiff_t rows)
{
    const unsigned char *p = out.at;
    for (; rows > 0; rows--, p += bytes)
        odd(!allowed(*p) || !all_are(p, bytes, *p),
            *p == FRESH ? "a row that is not written" : "a row of no table");
}

static void finish(void)
{
    odd(!beside_is(&out, FRESH), "bytes written beside out");
    CHECKF(odd_ones == 0, "%s: %ld times: %s", doing, odd_ones, odd_first);
}

/* A status is one of those that values can make. */
static void expect(int status, int a, int b, ptrdiff_t rows)
{
    odd(status != NDG_OK && status != a && status != b, "such a status");
    odd(status != report.status, "another status in the report");
    odd(!report_sane(rows), "a report that cannot be true");
}

/* ---- gathers -------------------------------------------------------------*/

/* Of a table with so many rows, if there is room, that those of a few indices
 * in turn are not taken to be near each other. */
static void rows_of_a_table(void)
{
    const ptrdiff_t most = ROOM / bytes < 600 ? ROOM / bytes : 600;
    const ptrdiff_t rows = index_bytes(type) == 1 ? ROWS : most;
    long            k;
    if (policy == NDG_FILL || negative) return;
    n = some(1);
    begin("gather_rows");
    table_put(rows);
    ids_put(rows, rows, 0);
    place(&out, n * bytes, coin(), FRESH);
    for (k = 0; k < repeats; k++) {
        start();
        expect(ndg_gather_rows(out.at, out.bytes, table.at, rows, bytes, 0,
                               ids.at, type, n, policy, &report),
               NDG_E_INDEX, NDG_E_INDEX, n);
        stop();
        judge(n);
    }
    finish();
}

typedef int plan_maker(ndg_gather_plan *, const ndg_gather_desc *,
                       ndg_report *);

/* A plan, run at once, in two ranges, or only checked. */
static void run_plan(const ndg_gather_plan *p, int way)
{
    const ptrdiff_t half = p->rows / 2;
    ndg_report      part[2];
    int             status;
    start();
    if (way == 0) {
        status = ndg_gather_run(p, out.at, out.bytes, table.at, ids.at,
                                &report);
    } else if (way == 1) {
        ndg_gather_run_range(p, out.at, out.bytes, table.at, ids.at, half,
                             p->rows, &part[1]);
        ndg_gather_run_range(p, out.at, out.bytes, table.at, ids.at, 0, half,
                             &part[0]);
        memset(&report, 0, sizeof report);
        ndg_report_merge(&report, &part[0]);
        ndg_report_merge(&report, &part[1]);
        status = report.status;
    } else {
        status = ndg_gather_check(p, ids.at, 0, p->rows, &report);
    }
    stop();
    expect(status, NDG_E_INDEX, NDG_E_INDEX, p->rows);
    if (way < 2) judge(out.bytes / bytes);
}

/* A gather of params, `rows` rows in all, whose n indices are good below good.
 */
static void gather_runs(const char *what, plan_maker *make,
                        ndg_gather_desc *d, ptrdiff_t rows, ptrdiff_t good,
                        ptrdiff_t edge, int apart)
{
    ndg_gather_plan p;
    long            k;
    d->index_type = type;
    d->policy = policy;
    d->negative = negative;
    d->fill[0] = FILLED;
    begin(what);
    odd(make(&p, d, &report), "no plan");
    table_put(rows);
    ids_put(good, edge, apart);
    place(&out, p.out_bytes, coin(), FRESH);
    for (k = 0; k < repeats; k++) run_plan(&p, (int)(k % 6 == 5 ? 2 : k % 2));
    finish();
}

/* Index vectors of one, two and three components. */
static void vectors(int depth)
{
    const ptrdiff_t width = index_bytes(type);
    const int       apart = coin();
    const ptrdiff_t rows = some(1);
    ndg_gather_desc d = gather_of(1, depth == 1 ? ndg_dims2(ROWS, bytes)
                                     : depth == 2 ? ndg_dims3(10, 10, bytes)
                                     : ndg_dims4(5, 4, 5, bytes),
                                  ndg_dims2(rows, depth));
    if (apart)
        d.indices = ndg_strided2(rows, depth * 2 * width, depth, 2 * width);
    n = rows * depth;
    gather_runs(depth == 1 ? "gather_nd 1" : depth == 2 ? "gather_nd 2"
              : "gather_nd 3", ndg_plan_gather_nd, &d, ROWS,
              depth == 1 ? ROWS : depth == 2 ? 10 : 4,
              depth == 1 ? ROWS : depth == 2 ? 10 : 5, apart);
}

static void along_an_axis(void)
{
    ndg_gather_desc d;
    n = some(3);
    d = gather_of(1, ndg_dims3(3, 30, bytes), ndg_dims1(n));
    d.axis = 1;
    gather_runs("gather", ndg_plan_gather, &d, 90, 30, 30, 0);
}

static void in_batches(void)
{
    const ptrdiff_t each = some(2);
    ndg_gather_desc d = gather_of(1, ndg_dims3(2, 50, bytes),
                                  ndg_dims2(2, each));
    n = 2 * each;
    gather_runs("batch_gather", ndg_plan_batch_gather, &d, 100, 50, 50, 0);
}

/* ---- stitches ------------------------------------------------------------*/

static ndg_stitch_desc stitch_of(int gaps)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    d.slice = ndg_dims1(bytes);
    d.elem_size = 1;
    d.index_type = type;
    d.policy = policy;
    d.gaps = gaps;
    return d;
}

/* That every row is one of data, zero or untouched: it is asked whether a row
 * is named before it is written; one that no longer is may stay as it was. */
static void judge_stitch(ptrdiff_t total, int gaps)
{
    const unsigned char *p = out.at;
    for (; total > 0; total--, p += bytes) {
        odd((*p > 100 && *p != FRESH) || !all_are(p, bytes, *p),
            "a row of no data");
        untold += *p == FRESH && gaps == NDG_GAPS_ZERO && !report.status;
    }
}

/* Two lists, in one run or in three ranges. */
static void lists(int ranges, int gaps)
{
    const ndg_stitch_desc d = stitch_of(gaps);
    const ptrdiff_t total = some(1), rows = some(1), cut = rows / 3;
    ndg_stitch_plan p;
    ndg_list        list[2];
    ndg_report      part;
    ptrdiff_t       first, last, i;
    long            k;
    n = rows;
    begin(ranges ? "stitch ranges" : "stitch");
    odd(ndg_plan_stitch(&p, &d, &report), "no plan");
    table_put(rows);
    ids_put(total < 128 ? total : 128, total, 0);
    place(&out, total * bytes, coin(), FRESH);
    place(&scratch, gaps == NDG_GAPS_ERROR || coin()
          ? ndg_stitch_scratch_bytes(&p, total) : 0, coin(), FRESH);
    list[0] = list_of(ids.at, table.at, cut);
    list[1] = list_of(ids.at + cut * index_bytes(type),
                      table.at + cut * bytes, rows - cut);
    for (k = 0; k < repeats; k++) {
        const int sized = k % 4 == 3;
        ptrdiff_t got = -1;
        start();
        if (sized) {
            const int status = ndg_stitch_total(&p, list, 2, &got, &report);
            odd(got < 0 || (status && got), "such a total");
            expect(status, NDG_E_INDEX, NDG_E_OVERFLOW, rows);
            stop();
            continue;
        }
        memset(&report, 0, sizeof report);
        for (i = 0; i < (ranges ? 3 : 1); i++) {
            first = ranges ? total * i / 3 : 0;
            last = ranges ? total * (i + 1) / 3 : total;
            ndg_stitch_run_range(&p, out.at, out.bytes, total, list, 2, first,
                                 last, scratch.bytes ? scratch.at : 0,
                                 scratch.bytes, &part);
            ndg_report_merge(&report, &part);
        }
        stop();
        expect(report.status, NDG_E_INDEX, NDG_E_GAP, rows);
        judge_stitch(total, gaps);
    }
    odd(!beside_is(&scratch, FRESH), "bytes written beside scratch");
    finish();
}

/* Tensors in, one call: its size is what the indices say, or said before. */
static void tensors(int parallel)
{
    const ndg_stitch_desc d = stitch_of(coin() ? NDG_GAPS_KEEP : NDG_GAPS_ZERO);
    const ptrdiff_t  total = some(1), rows = some(1);
    ndg_stitch_input input[1];
    ptrdiff_t        got;
    long             k;
    n = rows;
    begin(parallel ? "parallel_dynamic_stitch" : "dynamic_stitch");
    table_put(rows);
    ids_put(total < 128 ? total : 128, total, 0);
    place(&out, total * bytes, coin(), FRESH);
    input[0].indices = ids.at;
    input[0].data = table.at;
    input[0].indices_shape = ndg_dims1(rows);
    input[0].data_shape = ndg_dims2(rows, bytes);
    for (k = 0; k < repeats; k++) {
        int status;
        start();
        got = -1;
        status = (parallel ? ndg_parallel_dynamic_stitch : ndg_dynamic_stitch)
            (out.at, out.bytes, &got, input, 1, &d, &report);
        stop();
        if (status != NDG_E_CAPACITY)
            expect(status, NDG_E_INDEX, NDG_E_OVERFLOW, rows);
        odd(status == NDG_OK && (got < 0 || got > total), "such a total");
        if (status == NDG_OK) judge_stitch(got, d.gaps);
    }
    finish();
}

/* ---- scatters ------------------------------------------------------------*/

/* Into a table of so many rows, without a plan or by so many ranges of one. */
static void scatters(ptrdiff_t parts, int gaps)
{
    const ptrdiff_t  total = some(1), rows = some(1);
    ndg_scatter_desc d = scatter_of(1, ndg_dims2(total, bytes),
                                    ndg_dims2(rows, 1));
    ndg_scatter_plan p;
    ndg_report       part;
    ptrdiff_t        i;
    long             k;
    n = rows;
    d.index_type = type;
    d.policy = policy;
    d.gaps = gaps;
    begin(parts ? "scatter_nd" : "scatter_rows");
    odd(ndg_plan_scatter_nd(&p, &d, &report), "no plan");
    table_put(rows);
    ids_put(total < 128 ? total : 128, total, 0);
    place(&out, total * bytes, coin(), FRESH);
    for (k = 0; k < repeats; k++) {
        start();
        memset(&report, 0, sizeof report);
        if (!parts)
            ndg_scatter_rows(out.at, out.bytes, total, bytes, 0, table.at,
                             ids.at, type, rows, policy, &report);
        for (i = 0; i < parts; i++) {
            ndg_scatter_run_range(&p, out.at, out.bytes, table.at, ids.at,
                                  total * i / parts, total * (i + 1) / parts,
                                  &part);
            ndg_report_merge(&report, &part);
        }
        stop();
        expect(report.status, NDG_E_INDEX, NDG_E_INDEX, rows);
        judge_stitch(total, NDG_GAPS_KEEP);
    }
    finish();
}

/* ---- partitions ----------------------------------------------------------*/

static void *outs[PARTS], *positions[PARTS];

/* Part k has room for so many rows, and no more. */
static void part_put(int k, ptrdiff_t rows, int wide)
{
    place(&part_out[k], rows * bytes, coin(), FRESH);
    place(&part_position[k], rows * index_bytes(wide), coin(), FRESH);
    outs[k] = part_out[k].at;
    positions[k] = part_position[k].at;
}

/* Of `used` rows each is a row of data, that which its position names, later
 * than the one before it; the rest and all beside it is untouched. */
static void judge_part(int k, ptrdiff_t used, int wide, int named)
{
    const guarded       *g = &part_out[k], *where = &part_position[k];
    const unsigned char *p = g->at;
    ptrdiff_t            i, size = index_bytes(wide);
    int64_t              at, before = -1;
    int                  is_u64;
    if (used < 0 || used * bytes > g->bytes) {
        odd(1, "such a count");
        return;
    }
    for (i = 0; i < used; i++, p += bytes) {
        odd(*p < 1 || *p > 100 || !all_are(p, bytes, *p),
            "a row of no data");
        if (!named) continue;
        at = index_get(where->at + i * size, wide, &is_u64);
        odd(at <= before || at >= n || *p != row_byte(at), "such a position");
        before = at;
    }
    for (; p < g->at + g->bytes; p++) odd(*p != FRESH, "a row too many");
    odd(!beside_is(g, FRESH) || !beside_is(where, FRESH),
        "bytes written beside a part");
}

/* Into exactly what was counted; into room for some rows, the limits of which
 * the other process moves; in one call. */
enum { COUNTED, LIMITED, AT_ONCE, WAYS };

static int deal(const ndg_partition_desc *d, int way, int named)
{
    ptrdiff_t *count = (ptrdiff_t *)(void *)counts.at;
    ptrdiff_t *cursor = (ptrdiff_t *)(void *)cursors.at;
    ptrdiff_t *limit = (ptrdiff_t *)(void *)limits.at;
    const int  parts = (int)d->num_partitions;
    const int  wide = d->position_type;
    ndg_partition_plan p;
    ptrdiff_t  capacity[PARTS], sum = 0;
    int        k, status;
    odd(ndg_plan_partition(&p, d, &report), "no plan");
    for (k = 0; k < parts; k++)
        count[k] = capacity[k] = way == LIMITED ? LIMIT : n;
    if (way == COUNTED) {
        status = ndg_partition_count(&p, ids.at, 0, n, count, &report);
        expect(status, NDG_E_INDEX, NDG_E_INDEX, n);
        if (status) return status;
        for (k = 0; k < parts; k++) {
            odd(count[k] < 0, "such a count");
            sum += capacity[k] = count[k];
        }
        odd(sum > n, "more counted than there are");
    }
    for (k = 0; k < parts; k++) part_put(k, capacity[k], wide);
    status = way == AT_ONCE
        ? ndg_dynamic_partition(outs, named ? positions : 0, capacity, count,
                                table.at, ids.at, d, &report)
        : ndg_partition_run(&p, outs, named ? positions : 0, table.at, ids.at,
                            n, way == LIMITED ? limit : count, cursor,
                            &report);
    if (way != AT_ONCE)
        for (k = 0; k < parts; k++) judge_part(k, cursor[k], wide, named);
    else if (status == NDG_OK)
        for (k = 0; k < parts; k++) judge_part(k, count[k], wide, named);
    else
        for (k = 0; k < parts; k++)
            odd(!beside_is(&part_out[k], FRESH)
                || !beside_is(&part_position[k], FRESH),
                "bytes written beside a part");
    return status;
}

static void partition(int way)
{
    static const int   wides[] = { NDG_I32, NDG_I64, NDG_U16 };
    const int          parts = coin() ? 2 : PARTS, named = coin();
    const ptrdiff_t    size = (ptrdiff_t)sizeof(ptrdiff_t);
    ndg_partition_desc d;
    long               k;
    n = some(4);
    begin(way == COUNTED ? "partition" : way == LIMITED
          ? "partition, limits move" : "dynamic_partition");
    d = partition_of(1, ndg_dims2(n, bytes), ndg_dims1(n), parts);
    d.index_type = type;
    d.position_type = wides[random_below(&dice, 3)];
    d.policy = policy;
    table_put(n);
    ids_put(parts, parts, 0);
    place(&out, 0, 0, FRESH);
    place(&counts, parts * size, coin(), FRESH);
    place(&cursors, parts * size, coin(), FRESH);
    for (k = 0; k < repeats; k++) {
        start();
        expect(deal(&d, way, named), NDG_E_INDEX, NDG_E_CAPACITY, n);
        stop();
    }
    odd(!beside_is(&counts, FRESH) || !beside_is(&cursors, FRESH),
        "bytes written beside counts or cursors");
    finish();
}

/* ---- all of it -----------------------------------------------------------*/

static void all_gathers(void)
{
    static const int policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_ZERO, NDG_FILL,
                                    NDG_CLIP, NDG_WRAP, NDG_KEEP };
    int              k;
    for (k = 0; k < COUNT(policies); k++)
        for (negative = 0; negative < 2; negative++) {
            policy = policies[k];
            rows_of_a_table();
            vectors(1);
            vectors(2);
            vectors(3);
            along_an_axis();
            in_batches();
        }
    negative = 0;
}

static void all_stitches_and_partitions(void)
{
    static const int policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP };
    int              k, way;
    for (k = 0; k < COUNT(policies); k++) {
        policy = policies[k];
        for (way = 0; way < 6; way++) lists(way % 2, way / 2);
        tensors(0);
        tensors(1);
        for (way = 0; way < 8; way++)
            scatters(way / 2, way % 2 ? NDG_GAPS_KEEP : NDG_GAPS_ZERO);
        for (way = 0; way < WAYS; way++) partition(way);
    }
}

/* Whether there is memory for all, and a process that rewrites it. */
static int begin_other(void)
{
    int k, found = 1;
    other = (orders *)(void *)shared_pages((ptrdiff_t)sizeof *other);
    found &= other && guarded_new(&table, ROOM) && guarded_new(&out, ROOM)
          && guarded_new(&ids, 2 * ROOM) && guarded_new(&scratch, ROOM / 8)
          && guarded_new(&counts, 64) && guarded_new(&cursors, 64)
          && guarded_new(&limits, 64);
    for (k = 0; k < PARTS; k++)
        found = found && guarded_new(&part_out[k], ROOM / 8)
             && guarded_new(&part_position[k], ROOM / 4);
    if (!found) return 0;
    place(&limits, PARTS * (ptrdiff_t)sizeof(ptrdiff_t), 1, 0);
    parent = getpid();
    child = fork();
    if (child == 0) move_all();
    if (child < 0) return 0;
    while (other->turns == 0)               /* until it runs */
        if (waitpid(child, 0, WNOHANG)) return 0;
    signal(SIGSEGV, touched);
    signal(SIGBUS, touched);
    return 1;
}

int main(void)
{
    static const int sizes[] = { 1, 4, 8, 12, 16, 24, 64, 128, 200 };
    const char      *longer = getenv("NDG_MOVING");
    int              k;
    if (longer && atol(longer) > 0) repeats *= atol(longer);
    if (!begin_other()) {
        printf("skip: " TEST_NAME ": no memory to share with a process\n");
        return test_end(TEST_NAME);
    }
    for (type = 0; type < INDEX_TYPES; type++)
        for (k = 0; k < COUNT(sizes); k++) {
            bytes = sizes[k];
            all_gathers();
            all_stitches_and_partitions();
        }
    CHECKF(runs_moved > 0, "no index changed during any of %ld runs", runs);
    if (longer)
        printf("%ld runs, the indices changed during %ld; without an error, "
               "%ld rows were left untouched\n", runs, runs_moved, untold);
    kill(child, SIGKILL);
    waitpid(child, 0, 0);
    return test_end(TEST_NAME);
}

#else

int main(void)
{
    printf("skip: " TEST_NAME ": no processes that share memory here\n");
    return test_end(TEST_NAME);
}

#endif
