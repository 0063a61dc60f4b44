/* test_counts.c - what the fast engine does to get its results, counted. A
 * threshold or a choice of loop that is wrong changes no result; it only takes
 * longer, which no clock tells reliably. So the header is included here with
 * functions in place of what it is built on (a copy, a prefetch, a store past
 * the caches, a fence, a branch deemed rare, the reading of an index) that do
 * the same and count it. They are called as the source says, whatever the
 * compiler makes of it: the counts are the same with each and at any level.
 *
 * A cell is one call, by a text as in model.h. Its result is compared with a
 * plain loop's, its counts with those in counts.h. Those are no promise: who
 * changes the engine on purpose has the table written anew and reads in the
 * diff what it costs. Who wants a cell more adds a line C("...",0) to it.
 *
 *     build/test_counts                        compares
 *     build/test_counts write >tests/library/counts.h
 *     build/test_counts show WORD              the counts of cells so named
 *
 * What must hold however the engine is written is said at the end, as limits.
 * A far table is one of more than 64 KiB here, and more than 256 KiB of output
 * are streamed: so cells at these sizes stay small. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 1 << 16, STREAM = 1 << 18 };

/* ---- what is counted -----------------------------------------------------*/

/* Copies and their bytes; indices read; branches deemed rare, which tell which
 * loop it was; turns from indices to rows, which tell how many are taken at a
 * time; lines asked for, and those that were used, but not at once; copies in
 * out and table more than a page from the one before; stores of 16 bytes past
 * the caches, and fences. */
enum { COPIES, BYTES, READS, BRANCHES, TURNS, ASKED, MET, JUMPS, STORED, FENCES,
       COUNTS };

static const char *const count_name[COUNTS] = {
    "copies", "bytes copied", "indices read", "rare branches",
    "turns to rows", "lines asked for", "lines asked for in time", "jumps",
    "streamed stores", "fences"
};

static long counted[COUNTS];
static long misplaced;          /* streamed stores at no multiple of 16 */

/* All arrays of a cell lie in here, at addresses that differ by the same in
 * each build: what lies elsewhere, on the stack, is not looked at. */
enum { MEMORY = 10 * (1 << 20) + (1 << 16), FAR_AWAY = 4096 };

static unsigned char memory_room[MEMORY + FAR_AWAY], *memory;

/* When a line was asked for, in pieces written to arrays; 0: it was not. */
static long      asked_at[MEMORY / 64 + 1], now = 1, started;
static ptrdiff_t last_from, last_to;
static int       reading;       /* no row since the last index */

/* Where p lies in the arrays; negative: elsewhere. */
static ptrdiff_t place_of(uintptr_t p)
{
    const uintptr_t at = p - (uintptr_t)memory;
    return at < MEMORY ? (ptrdiff_t)at : -1;
}

static void used(ptrdiff_t at, ptrdiff_t n)
{
    ptrdiff_t line = at / 64;
    const ptrdiff_t last = (at + n - 1) / 64;
    for (; n > 0 && line <= last && line <= MEMORY / 64; line++) {
        counted[MET] += asked_at[line] >= started && now - asked_at[line] >= 8;
        asked_at[line] = 0;
    }
}

static void step_to(ptrdiff_t *last, ptrdiff_t at)
{
    counted[JUMPS] += at - *last >= FAR_AWAY || *last - at >= FAR_AWAY;
    *last = at;
}

static void count_moved(void *d, const void *s, ptrdiff_t n)
{
    const ptrdiff_t to = place_of((uintptr_t)d), from = place_of((uintptr_t)s);
    if (from >= 0) used(from, n);
    if (to < 0) return;
    used(to, n);
    now++;
    counted[TURNS] += reading;
    reading = 0;
    step_to(&last_to, to);
    if (from >= 0) step_to(&last_from, from);
}

static void *count_copy(void *d, const void *s, size_t n)
{
    counted[COPIES]++;
    counted[BYTES] += (long)n;
    count_moved(d, s, (ptrdiff_t)n);
    return memcpy(d, s, n);
}

#undef NDG_SMALL
#define NDG_SMALL 0
#undef NDG_STATIC               /* a program that has another copy linked */
#define NDG_STATIC
#undef NDGI_FAR_BYTES
#define NDGI_FAR_BYTES    ((ptrdiff_t)FAR)
#undef NDGI_STREAM_BYTES
#define NDGI_STREAM_BYTES ((ptrdiff_t)STREAM)
#undef NDG_MEMCPY
#define NDG_MEMCPY(d, s, n) count_copy((d), (s), (n))
#undef NDGATHER_IMPLEMENTATION
#define NDGATHER_IMPLEMENTATION

/* 64 bits, GNU C and SSE2: all is counted. */
#if defined(__GNUC__) && !defined(__TINYC__) && defined(__SSE2__) \
    && defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ == 8
#define COUNTED 1

typedef long long sse __attribute__((vector_size(16), may_alias));

static void count_prefetch(const void *p)
{
    const ptrdiff_t at = place_of((uintptr_t)p);
    counted[ASKED]++;
    if (at >= 0) asked_at[at / 64] = now;
}

static void count_store(void *to, sse v)
{
    counted[STORED]++;
    misplaced += (uintptr_t)to % 16 != 0;
    count_moved(to, to, 16);
    memcpy(to, &v, 16);
}

/* An empty asm marks an index that is read once, x or its halves; any other
 * only keeps a number in a register. */
static void count_read(const char *operands)
{
    if (!strstr(operands, "(x)") && !strstr(operands, "(low)")
        && !strstr(operands, "(high)"))
        return;
    counted[READS]++;
    reading = 1;
}

static int count_branch(int x)
{
    counted[BRANCHES]++;
    return x;
}

#ifdef __clang__
#pragma GCC diagnostic ignored "-Wkeyword-macro"
#endif
#define __builtin_prefetch(p, rw, where)  count_prefetch(p)
#define __builtin_expect(x, value)        count_branch(x)
#define __builtin_nontemporal_store(v, p) count_store((p), (v))
#define __builtin_ia32_movntdq(p, v)      count_store((p), (v))
#define __builtin_ia32_sfence()           (void)counted[FENCES]++
#define __asm__(...)                      count_read(#__VA_ARGS__)
#include "ndgather.h"
#undef __builtin_prefetch
#undef __builtin_expect
#undef __builtin_nontemporal_store
#undef __builtin_ia32_movntdq
#undef __builtin_ia32_sfence
#undef __asm__

#else
#define COUNTED 0
#include "ndgather.h"
#endif

static int calls;

static void begin(void)
{
    calls++;
    memset(counted, 0, sizeof counted);
    started = ++now;
    now += 8;
    last_from = last_to = reading = 0;
}

#define BEFORE_CALL() begin()
#include "model.h"

/* ---- the table -----------------------------------------------------------*/

typedef struct cell { const char *text; long count[COUNTS]; } cell;

#define C(text, ...) { text, { __VA_ARGS__ } },
static const cell cells[] = {
#include "counts.h"
};

static const char *shown;       /* cells of this word are printed */

/* A long text has a line of its own. */
static void cell_print(const cell *c)
{
    int k;
    printf("C(\"%s\"", c->text);
    for (k = 0; k < COUNTS; k++)
        printf("%s%ld", k || strlen(c->text) < 28 ? "," : ",\n  ", counted[k]);
    printf(")\n");
}

static void cell_compare(const cell *c)
{
    int k;
    for (k = 0; k < COUNTS; k++)
        CHECKF(counted[k] == c->count[k], "%s: %ld %s, not %ld", c->text,
               counted[k], count_name[k], c->count[k]);
}

/* Numbers and arrays are the same each time. Where sizes have 32 bits, what a
 * text says may be no call. */
static void cell_run(const char *text)
{
    dice.state = 1;
    calls = 0;
    jobs_of(text, job_run);
    CHECKF(calls == 1 || !COUNTED, "%s: makes %d calls", text, calls);
    CHECKF(misplaced == 0, "%s: %ld streamed stores at no multiple of 16",
           text, misplaced);
    misplaced = 0;
}

static void all_cells(void)
{
    int k;
    for (k = 0; k < COUNT(cells); k++) {
        cell_run(cells[k].text);
        if (shown && strstr(cells[k].text, shown)) cell_print(&cells[k]);
        if (!shown && COUNTED) cell_compare(&cells[k]);
    }
}

/* ---- limits, whatever the table says --------------------------------------*/

/* Runs a call whose text has numbers. */
static void call(const char *format, ...)
{
    static char text[200];
    va_list     numbers;
    va_start(numbers, format);
    vsprintf(text, format, numbers);
    va_end(numbers);
    cell_run(text);
}

/* That so much is counted, at most or at least. */
static void at_most(int what, long most, const char *why)
{
    if (!COUNTED) return;
    CHECKF(counted[what] <= most, "%s: %ld %s, more than %ld: %s", job_text,
           counted[what], count_name[what], most, why);
}

static void at_least(int what, long least, const char *why)
{
    if (!COUNTED) return;
    CHECKF(counted[what] >= least, "%s: %ld %s, fewer than %ld: %s", job_text,
           counted[what], count_name[what], least, why);
}

/* Rows of a table of half the bytes that make it far, and of so many that two
 * are seldom near each other by chance. */
static int near_rows(int bytes) { return FAR / 2 / bytes; }
static int far_rows(int bytes) { return 8 * FAR / bytes; }

/* Pieces in which a row is copied. */
static int pieces_of(int bytes)
{
    if (bytes > 256 || (bytes <= 16 && (bytes & (bytes - 1)) == 0)) return 1;
    return bytes <= 32 ? 2 : (bytes + 15) / 16;
}

/* A call has some fixed costs, in copies, and looks for runs, in the first and
 * last index of each 2048. */
static int beside(int n) { return 40 + n / 32; }

/* Good indices: each is read once and its row is copied once, from near tables
 * without a prefetch; from far ones each line is asked for, but those of 64
 * rows, and most of them in time. A row that is asked for has its index read
 * once more, which is no check. */
static void limit_good_gathers(void)
{
    static const int sizes[] = { 1, 2, 3, 4, 5, 8, 9, 12, 16, 17, 24, 31, 32,
                                 33, 63, 64, 65, 96, 100, 128, 129, 200, 2047,
                                 2048, 4096 };
    int k;
    for (k = 0; k < COUNT(sizes); k++) {
        const int b = sizes[k], n = b > 200 ? 100 : 1000;
        const int lines = (b + 63) / 64;
        call("rows b%d r%d n%d", b, near_rows(b), n);
        at_most(READS, n + beside(n), "an index is read once");
        at_most(COPIES, n + pieces_of(b) * n + beside(n), "a row is copied "
                "once");
        at_most(ASKED, 0, "the table is near");
        if (b < 64 && b >= 4) at_most(STORED, 0, "out is small");
        call("rows b%d r%d n%d", b, 3 * far_rows(b), n);
        at_most(READS, n + beside(n), "an index is read once");
        at_most(COPIES, 2 * n + pieces_of(b) * n + beside(n), "a row is "
                "copied once");
        if (b >= 2048) continue;        /* the processor asks for these */
        at_least(ASKED, (n - 64) * lines, "the table is far");
        at_most(ASKED, n * (lines + 1), "a line is asked for once");
        at_least(MET, (n - 64) / 2, "what is asked for is used later");
    }
}

/* Rows that follow each other are one copy, up to 2048 of them. */
static void limit_runs(void)
{
    static const int bytes[] = { 4, 12, 16, 48 };
    int k;
    for (k = 0; k < COUNT(bytes); k++) {
        call("rows b%d r16384 n4096 up", bytes[k]);
        at_most(COPIES, 4096 + 4 + 40, "each index is looked at, and 2048 "
                "rows are one copy");
        at_most(ASKED, 0, "a run is not random");
        call("stitch b%d n4096 up holes drop", bytes[k]);
        at_most(COPIES, 4096 + 4 + 40, "each index is looked at, and 2048 "
                "rows are one copy");
    }
}

static const char *const soft[] = { "zero", "clip", "wrap", "keep" };

static int soft_placed(int k) { return k == 1 || k == 2; }

/* A bad row in 1024 makes 256 rows go another way, which copies a row once,
 * too; but indices may be read twice there, to count and name the bad. */
static void limit_few_bad(void)
{
    static const int bytes[] = { 4, 24, 64, 200 };
    int i;
    for (i = 0; i < 2 * COUNT(soft) * COUNT(bytes); i++) {
        const int b = bytes[i % 4];
        const int rows = i & 16 ? far_rows(b) : near_rows(b);
        long none, read;
        call("rows b%d r%d n8192", b, rows);
        none = counted[COPIES];
        read = counted[READS];
        call("rows b%d r%d n8192 bad500 every1024 %s", b, rows,
             soft[i / 4 % 4]);
        if (b < 200) at_most(COPIES, none + 8 * 40, "eight bad rows");
        at_most(READS, read + 8 * 40, "eight bad rows");
    }
}

/* Half of them bad: each time 256 rows go the way of bad ones, and before that
 * the fast way is tried, and whether there is a run. */
static void limit_many_bad(void)
{
    int k;
    for (k = 0; k < COUNT(soft); k++) {
        call("rows r5000 n8192 odds2 %s", soft[k]);
        at_most(READS, 8192 + 32 * 20, "256 rows go the way of bad ones");
        at_most(COPIES, (soft_placed(k) ? 5 : 4) * 4096 + 32 * 20,
                "a row is copied once, and where it is placed its number, too");
        at_most(BRANCHES, 4 * 8192, "bad rows are no branch");
    }
}

/* Lines of large outputs go past the caches: four stores each, no other, and
 * one fence. None where out is not that large. */
static void limit_streams(void)
{
    static const int bytes[] = { 64, 128, 256 };
    int k;
    for (k = 0; k < 2 * COUNT(bytes); k++) {
        const int   b = bytes[k / 2], n = STREAM / b;
        const char *order = k & 1 ? "up" : "random";
        call("rows b%d r%d n%d align0 %s", b, far_rows(b), n, order);
        at_most(STORED, 0, "out is not large");
        at_most(FENCES, 0, "nothing was streamed");
        call("rows b%d r%d n%d align0 %s", b, far_rows(b), n + 1, order);
        at_least(STORED, (n + 1) * b / 16, "out is large");
        at_most(STORED, (n + 1) * b / 16, "a byte is written once");
        at_least(FENCES, 1, "what was streamed comes first");
        at_most(FENCES, 1, "one fence will do");
    }
}

/* Checks read each index once, of any depth, and copy no rows. */
static void limit_checks(void)
{
    int depth;
    for (depth = 1; depth <= 4; depth++) {
        call("check r40 n2000 d%d", depth);
        at_most(READS, depth * 2000, "an index is read once");
        /* Of several components each is a copy, and the lanes that judge it. */
        at_most(COPIES, depth == 1 ? 2040 : 9 * depth * 500 + 100,
                "no row is copied");
        call("gather r40 n2000 d%d", depth);
        at_most(READS, depth * (2000 + beside(2000)), "an index is read once");
        at_most(COPIES, (1 + 2 * depth) * 2000 + beside(2000), "a row is "
                "copied once");
    }
}

/* A gather along an axis reads its indices once a step, or once in all. */
static void limit_axes(void)
{
    call("gather b64 r400 n300 outer3");
    at_most(READS, 3 * (300 + 40), "an index is read once in each step");
    at_most(JUMPS, 3 * 300 * 2, "a step is done before the next");
}

/* Stitches and partitions: each index is read once, a row copied once. Lines of
 * many far parts are asked for. */
static void limit_scatters(void)
{
    static const int bytes[] = { 4, 16, 24, 64, 200 };
    int i;
    for (i = 0; i < 2 * COUNT(bytes); i++) {
        const int b = bytes[i / 2], far = i & 1;
        const int n = (far ? 2 * FAR : FAR / 2) / b, lines = (b + 63) / 64;
        call("stitch b%d n%d shuffled holes drop", b, n);
        at_most(READS, n + beside(n), "an index is read once");
        at_most(COPIES, (1 + far) * n + pieces_of(b) * n + beside(n),
                "a row is copied once");
        at_most(ASKED, 0, "no copy waits for the line it writes to");
        call("deal b%d parts32 n%d drop", b, n);
        at_most(READS, n, "an id is read once");
        at_most(COPIES, n + pieces_of(b) * n + 40, "a row is copied once");
        if (far && b < 64) at_least(ASKED, n, "parts are far");
        if (!far) at_most(ASKED, 0, "parts are near");
        at_most(ASKED, n * (lines + 1), "a line is asked for once");
        call("tally b%d parts32 n%d drop", b, n);
        at_most(READS, n, "an id is read once");
        at_most(COPIES, n + 40, "nothing is copied");
        at_most(BRANCHES, 0, "ids are counted without any");
    }
}

/* Few rows take their loop at once: 256 from a near table, 64 from a far one;
 * but no more than are written past the caches. */
static void limit_few(void)
{
#if COUNTED
    static const struct { const char *text; ptrdiff_t few; } plans[] = {
        { "gather n9", 256 }, { "gather n9 r131072", 64 },
        { "gather n9 r131072 topad4", 64 }, { "gather n9 batches9", 256 },
        { "gather n9 batches9 outer2", 0 }, { "gather n9 outer2", 256 },
        { "gather n9 outer2 b1024", 64 }, { "gather n9 outer2 b8193", 31 },
        { "gather n9 r2 b262144", 1 },
        { "gather n9 r2 b262160", 0 }, { "gather n9 r2 b87381", 3 },
        { "gather n9 r16384 use9 back1", 256 },
        { "gather n9 r16385 use9 back1", 64 }
    };
    int k;
    for (k = 0; k < COUNT(plans); k++) {
        cell_run(plans[k].text);
        CHECKF(gather_plan.loop.few == plans[k].few, "%s: %ld rows are taken "
               "at once, not %ld", job_text, (long)gather_plan.loop.few,
               (long)plans[k].few);
    }
#endif
}

/* Bad rows go by places, whose numbers are copied, too, as long as each axis
 * has at most 2^30 rows, and all that indices add is less than 2^31 units, by
 * which every stride can be divided. turns: at most; 0: there are no places.
 * Where the fused loop moves rows each is a turn; chunks turn seldom. */
static void limit_places(void)
{
#if COUNTED
    static const struct { const char *text; int turns; } reach[] = {
        { "r1073741824 p100 use9 flat1", 90 },
        { "r1073741825 p100 use9 flat1", 0 },
        { "i64 r1073741824 p9 use9 flat1", 90 },
        { "i64 r1073741825 p9 use9 flat1", 0 },
        { "r2 p10 use1 hop8589934552", 10 }, { "r2 p10 use1 hop8589934556", 0 },
        { "b1 r2 p10 use1 hop2147483638", 10 },
        { "b1 r2 p10 use1 hop2147483639", 0 },
        { "r2 p10 use1 hop4294967296", 10 },
        { "r2 p10 use1 hop137438953408 pad60", 0 }
    };
    int k;
    for (k = 0; k < COUNT(reach); k++) {
        call("gather n90 odds2 zero d2 topad8 %s", reach[k].text);
        if (reach[k].turns) {
            at_most(TURNS, reach[k].turns, "in reach");
            at_least(BYTES, 4000, "in reach");
        } else {
            at_least(TURNS, 30, "out of reach");
            at_most(BYTES, 2500, "out of reach");
        }
    }
#endif
}

static void all_limits(void)
{
    limit_good_gathers();
    limit_runs();
    limit_few_bad();
    limit_many_bad();
    limit_streams();
    limit_checks();
    limit_axes();
    limit_scatters();
    limit_few();
    limit_places();
}

/* ---- all of it -----------------------------------------------------------*/

static void arena_make(void)
{
    ptrdiff_t i;
    memory = memory_room + (-(uintptr_t)memory_room & (FAR_AWAY - 1));
    arena = memory;
    noise_make();
    for (i = 0; i < TABLE_ROOM; i += NOISE) memcpy(arena + i, noise, NOISE);
}

int main(int argc, char **argv)
{
    const int write = argc == 2 && !strcmp(argv[1], "write");
    arena_make();
    if (write) {
        shown = "";
        printf("/* counts.h - what test_counts.c counts, as it wrote it: of "
               "each cell copies,\n * bytes copied, indices read, rare "
               "branches, turns from indices to rows, lines\n * asked for, "
               "those asked for in time, jumps, streamed stores, fences. */\n"
               );
    }
    if (argc == 3 && !strcmp(argv[1], "show")) shown = argv[2];
    all_cells();
    if (shown) return test_failed ? 1 : 0;
    all_limits();
    if (!COUNTED)
        printf("skip: test_counts: what is counted is that of 64 bits, GNU C "
               "and SSE2; only results were compared\n");
    return test_end("test_counts");
}
