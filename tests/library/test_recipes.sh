#!/bin/sh
# test_recipes.sh - the recipes of ndgather.h, compiled out of its comment as
# they stand, with what each takes for granted around it, and run: C99 without a
# warning, and C++ where there is a compiler. Run from the root.
. tests/lib/lib.sh
CC=${CC:-cc}; CXX=${CXX:-c++}
B=build/recipes
rm -rf $B
mkdir -p $B

# Recipe N to $B/N.h: a run of lines of code, indented by five in the comment.
awk -v to=$B '/^\/\* ---- >>recipes/ { on = 1 }
    on && /^ \*\// { exit }
    on && /^ \*     / { if (!code) n++; code = 1
                        print substr($0, 4) >(to "/" n ".h"); next }
    on { code = 0 }' ndgather.h

cat >$B/recipes.c <<'END'
#include <stdio.h>
#include <string.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

static int passed, failed;
static void is(int ok, const char *what) {
    if (ok) passed++;
    else printf("recipes: %s\n", what), failed++;
}

enum { HIGH = 3, WIDE = 5, CH = 3, IN = 3, OUT = 2, MOST = 8 };
static uint32_t   sheet[512][600], tiles[1024][16][16];
static uint32_t   picture[16 * HIGH][16 * WIDE];
static ndg_report report;

static void strided_copy(void) {
    const ptrdiff_t pitch = sizeof sheet[0];
    int y, x, wrong = 0;
    for (y = 0; y < 512; y++)
        for (x = 0; x < 600; x++) sheet[y][x] = (uint32_t)(1000 * y + x);
    {
#include "1.h"
    }
    for (y = 0; y < 512; y++)
        for (x = 0; x < 512; x++)
            wrong += tiles[y / 16 * 32 + x / 16][y % 16][x % 16] != sheet[y][x];
    is(!report.status && !wrong, "a strided copy");
}

static void flat_tiles(void) {
    static const uint16_t map[HIGH][WIDE] = { { 0, 1, 2, 3, 1023 },
                                              { 5, 1024, 7, 65535, 32 } };
    const uint32_t  colour = 0xFFFF00FFu;
    const ptrdiff_t row = sizeof picture[0];
    int y, x, wrong = 0;
    {
#include "2.h"
    }
    for (y = 0; y < 16 * HIGH; y++)
        for (x = 0; x < 16 * WIDE; x++) {
            const int id = map[y / 16][x / 16];
            wrong += picture[y][x] != (id > 1023 ? colour
                                                 : tiles[id][y % 16][x % 16]);
        }
    is(!report.status && !wrong && report.bad.count == 2, "tiles by flat id");
}

static void halves(void) {
    static const uint8_t before[OUT] = { 2, 0 }, after[OUT] = { 255, 1 };
    static float    x[IN][64], y[OUT][64];
    ndg_report      said[2];
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    int c, i, wrong = 0;
    for (c = 0; c < IN; c++)
        for (i = 0; i < 64; i++) x[c][i] = (float)(100 * c + i);
    {
#include "3.h"
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

static void pointers(void) {
    static float    x[CH][64], one[64], two[64], unused[64];
    const int32_t   to[CH] = { 2, -1, 0 };
    void           *channel[CH];
    const ptrdiff_t ones[CH] = { 1, 1, 1 };
    ptrdiff_t       got[CH];
    int c, i;
    for (c = 0; c < CH; c++)
        for (i = 0; i < 64; i++) x[c][i] = (float)(100 * c + i);
    channel[0] = one;
    channel[1] = unused;
    channel[2] = two;
    {
#include "4.h"
    }
    is(!report.status && !memcmp(one, x[2], sizeof one)
       && !memcmp(two, x[0], sizeof two) && got[0] == 1 && got[1] == 0
       && got[2] == 1, "channels that are pointers");
}

static void each_frame(void) {
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
#include "5.h"
    is(said[0].status == NDG_OK && said[1].status == NDG_E_INDEX
       && !strcmp(line, "gather: indices[1] = 9 is not in [0, 4)"),
       "a count that changes");
    ids[1] = 0;
    ndg_gather_run_range(&plan, out, sizeof out, table, ids, 0, n, &said[1]);
    is(!said[1].status && !memcmp(out[0], table[3], 16)
       && !memcmp(out[2], table[1], 16), "the rows of a count");
}

int main(void) {
    strided_copy();
    flat_tiles();
    halves();
    pointers();
    each_frame();
    printf("%d %d\n", passed, failed);
    return 0;
}
END

W='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I. -Ibuild/recipes'
log=$B/log

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
if have "$CXX"; then try C++ "$CXX" -x c++; else
    skip 'recipes in C++' "no $CXX"; fi
set -- $B/[0-9]*.h
is 'recipes' 5 $#
tally test_recipes
