#!/bin/sh
# test_recipes.sh - the recipes of examples/README.md and of ndgather.h, taken
# out of the page and of the comment as they stand, with what each takes for
# granted around it, compiled and run: C99 without a warning, C11 with its
# atomics, and C++ where there is a compiler. Run from the root.
. tests/lib/lib.sh
CC=${CC:-cc}; CXX=${CXX:-c++}
B=build/recipes
rm -rf $B
mkdir -p $B

# Of the page: the code under "### A heading!" to $B/a-heading.h.
awk -v to=$B '/^## / { on = $0 == "## Recipes" }
    !on { next }
    /^### / { name = tolower(substr($0, 5)); gsub(/[^a-z0-9]+/, "-", name)
              sub(/^-/, "", name); sub(/-$/, "", name)
              file = to "/" name ".h"; printf "" >file; next }
    /^```c$/ { code = 1; next }
    /^```/ { code = 0 }
    code { print >file }' examples/README.md

# header NAME BEGINNING: of the header, the lines of code, indented by five in
# the comment, after one that begins so, to $B/header-NAME.h.
header() {
    awk -v begins=" * $2" 'index($0, begins) == 1 { on = 1 }
        on && /^ \*     / { print substr($0, 4); code = 1; next }
        code { exit }' ndgather.h >$B/header-"$1".h
}
header count 'A count that changes each frame'
header structs 'Index vectors inside structs'

cat >$B/recipes.c <<'END'
#include <stdio.h>
#include <string.h>
#ifdef __cplusplus
#include <atomic>
using std::atomic_int; using std::atomic_load; using std::atomic_store;
#elif __STDC_VERSION__ >= 201112L && !defined __STDC_NO_ATOMICS__
#include <stdatomic.h>
#else                                        /* there is one thread here */
typedef int atomic_int;
#define atomic_load(from)      (*(from))
#define atomic_store(to, what) (*(to) = (what))
#endif
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

static int passed, failed;
static void is(int ok, const char *what) {
    if (ok) passed++;
    else printf("recipes: %s\n", what), failed++;
}

/* Of the sheet and the map of tiles; of every recipe with channels. */
enum { HIGH = 3, WIDE = 5, IN = 3, OUT = 2 };
static uint32_t   sheet[512][600], tiles[1024][16][16];
static ndg_report report;

static void sheet_of_tiles(void) {
    int y, x, wrong = 0;
    for (y = 0; y < 512; y++)
        for (x = 0; x < 600; x++) sheet[y][x] = (uint32_t)(1000 * y + x);
    {
#include "pack-a-tile-sheet-so-that-a-tile-has-one-number.h"
    }
    for (y = 0; y < 512; y++)
        for (x = 0; x < 512; x++)
            wrong += tiles[y / 16 * 32 + x / 16][y % 16][x % 16] != sheet[y][x];
    is(!report.status && !wrong, "a sheet is packed");
}

static void flat_tiles(void) {
    static const uint16_t map[HIGH][WIDE] = { { 0, 1, 2, 3, 1023 },
                                              { 5, 1024, 7, 65535, 32 } };
    static uint32_t picture[16 * HIGH][16 * WIDE];
    const uint32_t  colour = 0xFFFF00FFu;
    int y, x, wrong = 0;
    {
#include "draw-tiles-by-their-number.h"
    }
    for (y = 0; y < 16 * HIGH; y++)
        for (x = 0; x < 16 * WIDE; x++) {
            const int id = map[y / 16][x / 16];
            wrong += picture[y][x] != (id > 1023 ? colour
                                                 : tiles[id][y % 16][x % 16]);
        }
    is(!report.status && !wrong && report.bad.count == 2, "tiles by number");
}

static void half_bytes(void) {
    static uint8_t  packed[256];
    static uint32_t palette[16], pair[256][2], pixels[512];
    int i, wrong = 0;
    for (i = 0; i < 16; i++) palette[i] = 0x01010101u * (unsigned)(7 * i + 1);
    for (i = 0; i < 256; i++) packed[i] = (uint8_t)(i * 37 + 5);
    {
#include "pixels-of-4-bits.h"
    }
    for (i = 0; i < 512; i++) {
        const int byte = packed[i / 2];
        wrong += pixels[i] != palette[i % 2 ? byte % 16 : byte / 16];
    }
    is(!report.status && !wrong && !report.bad.count, "pixels of 4 bits");
}

static void font_of_95(void) {
    enum { LENGTH = 7 };
    static const char text[] = "A ~\xE9!\nz";
    static uint8_t    font[95][8], glyphs[LENGTH][8];
    int i, k, wrong = 0;
    for (i = 0; i < 95; i++)
        for (k = 0; k < 8; k++) font[i][k] = (uint8_t)(i * 2 + k);
    {
#include "a-font-that-begins-at.h"
    }
    for (i = 0; i < LENGTH; i++)
        for (k = 0; k < 8; k++) {
            const int code = (unsigned char)text[i];
            wrong += glyphs[i][k] != (code < 32 || code > 126 ? 255
                                                    : font[code - 32][k]);
        }
    is(!report.status && !wrong, "a font that begins at ' '");
    is(report.bad.count == 2 && report.bad.position == 3
       && report.bad.value == 0xE9, "a code as it stands in the text");
}

static void generations(void) {
    enum { SLOTS = 100, n = 4 };
    struct thing { uint32_t generation; float heat; };
    static struct thing slots[SLOTS], got[n];
    uint32_t handles[n] = { 5u << 20 | 7, 4095u << 20 | 99, 6u << 20 | 7, 42 };
    int i, stale = 0, wrong = 0;
    for (i = 0; i < SLOTS; i++) slots[i].heat = (float)i;
    slots[7].generation = 5;
    slots[99].generation = 4095;
    {
#include "handles-with-a-generation-in-their-top-bits.h"
    }
    for (i = 0; i < n; i++)
        wrong += memcmp(&got[i], &slots[handles[i] & 0xFFFFF],
                        sizeof got[i]) != 0;
    is(!report.status && !wrong && stale == 1, "handles with a generation");
    handles[2] = 6u << 20 | 100;
    {
#include "handles-with-a-generation-in-their-top-bits.h"
    }
    is(report.status == NDG_E_INDEX && report.bad.position == 2
       && report.bad.value == (6 << 20 | 100), "a handle as it was found");
}

static void inside_structs(void) {
    enum { n = 6 };
    struct thing { float heat; uint16_t y, x; } things[n] = {
        { 1, 0, 0 }, { 2, 2, 4 }, { 3, 1, 3 }, { 4, 2, 0 }, { 5, 0, 4 },
        { 6, 1, 1 } };
    uint16_t map[HIGH][WIDE], ground[n], out[n];
    int i, wrong = 0;
    for (i = 0; i < HIGH * WIDE; i++)
        map[i / WIDE][i % WIDE] = (uint16_t)(i * 1000 + 1);
    {
#include "index-vectors-inside-structs.h"
    }
    for (i = 0; i < n; i++) wrong += ground[i] != map[things[i].y][things[i].x];
    is(!report.status && !wrong, "index vectors inside structs");
    {   /* where the fields lie the other way round */
        struct other { float heat; uint16_t x, y; } turned[n];
        ndg_gather_desc d = NDG_ZERO_INIT;
        for (i = 0; i < n; i++) {
            turned[i].heat = 0;
            turned[i].y = things[i].y;
            turned[i].x = things[i].x;
        }
        d.params     = ndg_dims2(HIGH, WIDE);
        d.indices    = ndg_strided2(n, sizeof turned[0], 2, -2);
        d.index_type = NDG_U16;
        d.elem_size  = sizeof map[0][0];
        ndg_gather_nd(out, sizeof out, map, &turned[0].y, &d, &report);
    }
    is(!report.status && !memcmp(out, ground, sizeof out), "x before y");
#ifdef HEADER_STRUCTS
    {
        ndg_gather_desc d = NDG_ZERO_INIT;
        memset(out, 0, sizeof out);
#include "header-structs.h"
    }
    is(!report.status && !memcmp(out, ground, sizeof out), "the header's");
#endif
}

static void windows(void) {
    enum { S = 2, F = 9, B = 4, N = 5 };
    static float  x[S][F], window[N][B];
    const int32_t at[N][2] = { { 0, 0 }, { 1, 5 }, { 0, 3 }, { 0, 4 },
                               { 1, 0 } };
    const int32_t late[N][2] = { { 0, 0 }, { 1, 6 }, { 0, 0 }, { 0, 0 },
                                 { 0, 0 } };
    ndg_gather_desc late_too = NDG_ZERO_INIT;
    int i, wrong = 0;
    for (i = 0; i < S * F; i++) x[i / F][i % F] = (float)(i * 3 + 1);
    {
#include "overlapping-windows.h"
        late_too = d;
    }
    for (i = 0; i < N; i++)
        wrong += memcmp(window[i], &x[at[i][0]][at[i][1]], sizeof window[i])
              != 0;
    is(!report.status && !wrong, "overlapping windows");
    ndg_gather_nd(window, sizeof window, x, late, &late_too, &report);
    is(report.status == NDG_E_INDEX && report.bad.position == 1
       && report.bad.value == 6 && report.bad.extent == F - B + 1,
       "a window that is cut off");
    late_too.policy = NDG_CLIP;
    ndg_gather_nd(window, sizeof window, x, late, &late_too, &report);
    is(!report.status && !memcmp(window[1], &x[1][F - B], sizeof window[1]),
       "a window that is moved");
}

static void looped(void) {
    enum { BLOCK = 20 };
    static float sample[50], a[BLOCK], b[BLOCK];
    struct { ndg_gather_plan here, next; ptrdiff_t from, to; } voice;
    uint32_t at[BLOCK];
    int i, wrong = 0;
    for (i = 0; i < 50; i++) sample[i] = (float)(i * i);
    for (i = 0; i < BLOCK; i++) at[i] = (uint32_t)(i * 3);
    voice.from = 30;
    voice.to = 37;
    {
#include "loop-points-of-a-sample.h"
    }
    for (i = 0; i < BLOCK; i++) {
        wrong += memcmp(&a[i], &sample[30 + i * 3 % 7], sizeof a[i]) != 0;
        wrong += memcmp(&b[i], &sample[30 + (i * 3 + 1) % 7], sizeof a[i]) != 0;
    }
    is(!report.status && !wrong, "loop points");
    is(report.bad.count == 18, "what was wrapped");   /* 3 i + 1 >= 7 */
}

static void halves(void) {
    static const uint8_t before[OUT] = { 2, 0 }, after[OUT] = { 255, 1 };
    static float x[IN][64], y[OUT][64];
    ndg_report   said[2];
    int c, i, wrong = 0;
    for (c = 0; c < IN; c++)
        for (i = 0; i < 64; i++) x[c][i] = (float)(100 * c + i);
    {
#include "cut-along-an-axis-that-has-no-indices.h"
    }
    for (c = 0; c < OUT; c++)
        for (i = 0; i < 64; i++) {
            const int   from = i < 32 ? before[c] : after[c];
            const float want = from < IN ? x[from][i] : 0;
            wrong += memcmp(&y[c][i], &want, sizeof want) != 0;
        }
    is(!report.status && !wrong && !said[0].bad.count
       && said[1].bad.count == 1 && !said[1].status, "halves of a block");
}

static void pointers_read(void) {
    static const float one[64] = { 1, 2, 3 }, two[64] = { 4, 5, 6 };
    static const float three[64] = { 7 }, silence[64] = { 0 };
    const float *const in[IN] = { one, two, three };
    const float       *from[OUT];
    const int8_t       route[OUT] = { 2, -1 };
    float              out[OUT][64];
    int c;
    memset(out, 1, sizeof out);
    {
#include "channels-that-are-pointers-to-read.h"
    }
    is(!report.status && !memcmp(out[0], three, sizeof three)
       && !memcmp(out[1], silence, sizeof silence) && report.bad.count == 1,
       "channels that are read by pointer");
}

static void pointers_written(void) {
    enum { CH = 3 };
    static float    x[CH][64], one[64], two[64], unused[64];
    const float     zero = 0;
    int32_t         to[CH] = { 2, -1, 0 };
    void           *channel[CH];
    const ptrdiff_t ones[CH] = { 1, 1, 1 };
    ptrdiff_t       got[CH];
    int c, i;
    for (c = 0; c < CH; c++)
        for (i = 0; i < 64; i++) x[c][i] = (float)(100 * c + i + 1);
    channel[0] = one;
    channel[1] = unused;
    channel[2] = two;
    {
#include "channels-that-are-pointers-to-write.h"
    }
    is(!report.status && !memcmp(one, x[2], sizeof one)
       && !memcmp(two, x[0], sizeof two) && !memcmp(unused, &zero, sizeof zero)
       && got[0] == 1 && got[1] == 0 && got[2] == 1,
       "channels that are written by pointer");
    to[1] = 2;
    {
#include "channels-that-are-pointers-to-write.h"
    }
    is(report.status == NDG_E_CAPACITY && report.item == 2,
       "two rows for one channel");
}

/* A block of 4 frames of IN channels, interleaved. */
#include "hand-a-plan-to-a-real-time-thread.h"

static int routed(const float *out, const float *in, const int8_t *route) {
    int i, wrong = 0;
    for (i = 0; i < 4 * OUT; i++)
        wrong += memcmp(&out[i], &in[i / OUT * IN + route[i % OUT]],
                        sizeof out[i]) != 0;
    return !wrong;
}

static void real_time(void) {
    static const int8_t first[OUT] = { 2, 0 }, second[OUT] = { 1, 1 };
    static const int8_t third[OUT] = { 0, 2 };
    float           in[4 * IN], out[4 * OUT];
    ndg_gather_desc d = NDG_ZERO_INIT, none = NDG_ZERO_INIT;
    struct patch    used;
    int             i;
    for (i = 0; i < 4 * IN; i++) in[i] = (float)(i + 1);
    memset(out, 0, sizeof out);
    d.params     = ndg_dims2(4, IN);
    d.indices    = ndg_dims1(OUT);
    d.axis       = 1;
    d.index_type = NDG_I8;
    d.elem_size  = sizeof in[0];
    is(block(out, sizeof out, in) == NDG_E_NULL && !memcmp(out, "\0\0\0", 4),
       "a block before the first plan");
    is(change(&d, first), "the first plan");
    is(!change(&d, second), "the next is too early");
    is(!block(out, sizeof out, in) && routed(out, in, first), "a block of it");
    memcpy(&used, &patch[atomic_load(&taken)], sizeof used);
    is(!change(&none, second) && !block(out, sizeof out, in)
       && routed(out, in, first), "a plan that is refused");
    is(change(&d, second), "the second plan");
    is(!memcmp(&used, &patch[atomic_load(&taken)], sizeof used)
       && !change(&d, third), "the one in use is left alone");
    is(!block(out, sizeof out, in) && routed(out, in, second), "its block");
    is(change(&d, third) && !block(out, sizeof out, in)
       && routed(out, in, third), "the third plan");
}

static void where_set(void) {
    enum { N = 8 };
    uint8_t       mask[N] = { 0, 1, 1, 0, 0, 1, 0, 1 };
    int32_t       zeros[N], ones[N];
    const int32_t want[4] = { 1, 2, 5, 7 }, unset[4] = { 0, 3, 4, 6 };
    {
#include "where-a-mask-is-set-nonzero.h"
        is(!report.status && counts[1] == 4 && counts[0] == 4
           && !memcmp(ones, want, sizeof want)
           && !memcmp(zeros, unset, sizeof unset), "where a mask is set");
        mask[3] = 2;
        ndg_dynamic_partition(NULL, positions, room, counts, NULL, mask, &d,
                              &report);
        is(report.status == NDG_E_INDEX && report.bad.position == 3,
           "a mask of other bytes");
        d.policy = NDG_DROP;
        ndg_dynamic_partition(NULL, positions, room, counts, NULL, mask, &d,
                              &report);
        is(!report.status && counts[0] == 3 && counts[1] == 4 && zeros[1] == 4,
           "a byte that is in neither list");
    }
}

static void histogram(void) {
    enum { N = 1000 };
    static struct pixel { uint8_t r, g, b, a; } picture[N];
    ptrdiff_t counts[256], want[256] = { 0 };
    int i;
    memset(picture, 255, sizeof picture);
    for (i = 0; i < N; i++) {
        picture[i].g = (uint8_t)(i * i);
        want[picture[i].g]++;
    }
    {
#include "a-histogram-counts-only.h"
        is(!report.status && !memcmp(counts, want, sizeof want), "a histogram");
        memset(counts, 0, sizeof counts);
        d.num_partitions = 100;
        ndg_plan_partition(&plan, &d, &report);
        ndg_partition_count(&plan, &picture[0].g, 0, N, counts, &report);
        is(report.status == NDG_E_INDEX
           && !memcmp(counts, want, 100 * sizeof *want), "keys out of range");
    }
}

static void inverse_order(void) {
    enum { N = 11 };
    int32_t order[N], inverse[N], numbers[N];
    int i, wrong = 0;
    for (i = 0; i < N; i++) {
        numbers[i] = i;
        order[i] = (i * 4 + 3) % N;
    }
    {
#include "invert-a-permutation.h"
    }
    for (i = 0; i < N; i++) wrong += inverse[order[i]] != i;
    is(!report.status && !wrong, "an inverse permutation");
    order[2] = order[5];
    {
#include "invert-a-permutation.h"
    }
    is(report.status == NDG_E_GAP && report.value == (2 * 4 + 3) % N,
       "what is no permutation");
}

static void top_k(void) {
    enum { N = 5, K = 2, E = 3, W = 4 };
    static float       x[N][W], rows[N * K][W], y[N * K][W], zero[W];
    uint8_t            choice[N][K] = { { 2, 0 }, { 1, 2 }, { 0, 1 }, { 2, 1 },
                                        { 0, 2 } };
    int32_t            where[N * K], token[N * K];
    void              *to[E];
    ptrdiff_t          counts[E], next[E], e, i, at;
    ndg_partition_plan p;
    int c, wrong = 0;
    for (i = 0; i < N * W; i++) x[i / W][i % W] = (float)(i + 1);
    {
#include "top-k-routing-of-tokens.h"
    }
    is(!report.status && at == N * K && counts[0] == 3 && counts[1] == 3
       && counts[2] == 4, "as many rows as choices");
    for (e = at = 0; e < E; at += counts[e++])
        for (i = at; i < at + counts[e]; i++)
            wrong += choice[token[i]][where[i] % K] != e
                  || memcmp(rows[i], x[token[i]], sizeof x[0]);
    is(!wrong, "each expert has its rows");
    for (c = 0; c < N * K; c++)
        wrong += memcmp(y[c], x[c / K], sizeof x[0]) != 0;
    is(!wrong, "the rows come back");
    choice[3][1] = E;
    {
#include "top-k-routing-of-tokens.h"
    }
    is(!report.status && report.bad.count == 1 && report.bad.position == 7
       && at == N * K - 1 && !memcmp(y[7], zero, sizeof zero)
       && !memcmp(y[6], x[3], sizeof x[3]), "an expert that is not there");
}

static void whole_patch(void) {
    enum { n = 3 };
    static uint16_t map[HIGH][WIDE], old[HIGH][WIDE];
    const uint16_t  tile[n] = { 7, 8, 9 };
    uint16_t        at[n][2] = { { 0, 1 }, { 2, 4 }, { 3, 0 } };
    memset(map, 1, sizeof map);
    memcpy(old, map, sizeof old);
    {
#include "a-patch-all-of-it-or-nothing.h"
    }
    is(report.status == NDG_E_INDEX && report.bad.position == 2
       && !memcmp(map, old, sizeof old), "nothing of a patch");
    at[2][0] = 1;
    {
#include "a-patch-all-of-it-or-nothing.h"
    }
    old[0][1] = 7;
    old[2][4] = 8;
    old[1][0] = 9;
    is(!report.status && !memcmp(map, old, sizeof old), "all of a patch");
}

static void write_back(void) {
    enum { CHUNKS = 3, ROWS = 4, n = 2 };
    struct entity { float health, poison; };
    static struct entity store[CHUNKS][ROWS], want[CHUNKS][ROWS], work[n];
    uint16_t at[n][2] = { { 2, 1 }, { 0, 3 } };
    int i;
    for (i = 0; i < CHUNKS * ROWS; i++) {
        store[i / ROWS][i % ROWS].health = (float)(100 + i);
        store[i / ROWS][i % ROWS].poison = 9;
    }
    memcpy(want, store, sizeof want);
    want[2][1].health -= 9;
    want[0][3].health -= 9;
    {
#include "gather-rows-work-on-them-write-them-back.h"
    }
    is(!report.status && !memcmp(store, want, sizeof want), "written back");
    at[1][1] = ROWS;
    {
#include "gather-rows-work-on-them-write-them-back.h"
        is(report.status == NDG_E_INDEX && report.bad.position == 1
           && report.bad.component == 1 && !memcmp(store, want, sizeof want),
           "a row that is not there");
        g.policy = NDG_ZERO;
        s.policy = NDG_DROP;
        ndg_gather_nd(work, sizeof work, store, at, &g, &report);
        work[0].health = want[2][1].health = 3;
        ndg_scatter_nd(store, sizeof store, work, at, &s, &report);
    }
    is(!report.status && !memcmp(store, want, sizeof want), "one that is gone");
}

static void each_frame(void) {
    enum { MOST = 8 };
    static const float table[4][4] = { { 1 }, { 2 }, { 3 }, { 4 } };
    static float    out[MOST][4];
    int32_t         ids[MOST] = { 3, 9, 1, 77, 77, 77, 77, 77 };
    ndg_shape       ids_shape;
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      said[2];
    char            line[200] = "";
    const ptrdiff_t n = 3;
    int             k;
    d.params    = ndg_dims2(4, 4);
    d.elem_size = 4;
    d.policy    = NDG_ZERO;
#include "header-count.h"
    is(said[0].status == NDG_OK && said[1].status == NDG_OK
       && !strcmp(line, "gather: indices[1] = 9 is not in [0, 4)"),
       "a count that changes");
    ids[1] = 0;
    ndg_gather_run_range(&plan, out, sizeof out, table, ids, 0, n, &said[1]);
    is(!said[1].status && !memcmp(out[0], table[3], 16)
       && !memcmp(out[2], table[1], 16), "the rows of a count");
}

int main(void) {
    sheet_of_tiles();
    flat_tiles();
    half_bytes();
    font_of_95();
    generations();
    inside_structs();
    windows();
    looped();
    halves();
    pointers_read();
    pointers_written();
    real_time();
    where_set();
    histogram();
    inverse_order();
    top_k();
    whole_patch();
    write_back();
    each_frame();
    printf("%d %d\n", passed, failed);
    return 0;
}
END

# The header's two, of which one is new; until it has that, it has five.
W='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I. -Ibuild/recipes'
log=$B/log
two=5
if [ -s $B/header-structs.h ]; then two=2; W="$W -DHEADER_STRUCTS"; fi
is 'recipes: of the header' $two "$(awk '/^\/\* ---- >>recipes/ { on = 1 }
    on && /^ \*\// { print n; exit }
    on && /^ \*     / { if (!code) n++; code = 1; next }
    { code = 0 }' ndgather.h)"

# Every recipe is run, also one that is new on the page.
for recipe in "$B"/*.h; do
    name=${recipe##*/}
    check "recipes: $name is not run" grep -q "^#include \"$name\"" $B/recipes.c
done
check 'recipes: a line is too long' awk 'length > 80 { exit 1 }' $B/*.h

# try NAME COMPILER...: builds and runs them so.
try() {
    t_name=$1; shift
    # shellcheck disable=SC2086
    check "recipes: $t_name compiles them" "$@" $W $B/recipes.c -o $B/recipes ||
        return
    $B/recipes >$B/said
    sed '$d' $B/said
    # shellcheck disable=SC2046
    set -- $(tail -n 1 $B/said) 0 1
    passed=$((passed + $1)); failed=$((failed + $2))
}

try C99 "$CC" -std=c99
echo '#include <stdatomic.h>' >$B/atomic.c
if $CC -std=c11 -c $B/atomic.c -o $B/atomic.o 2>$log; then
    try C11 "$CC" -std=c11
else skip 'recipes in C11' "$CC has no atomics"; fi
if have "$CXX"; then try C++ "$CXX" -x c++; else
    skip 'recipes in C++' "no $CXX"; fi
tally test_recipes
