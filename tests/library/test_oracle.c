/* test_oracle.c - thousands of random cases against the oracle of oracle.h.
 *
 * Every form of every op, in random layouts, element sizes, index types and
 * policies, whole and in random ranges run in random order, and all that is
 * refused: tests/lib/random.h and its sisters, which the fuzz targets run too.
 * A case comes from its seed alone, and a failure prints it, and the case:
 * `test_oracle SEED` runs only it. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include "../lib/descs.h"
#include "../lib/engines.h"

#ifndef ORACLE_CASES
#define ORACLE_CASES 150000
#endif

#define ENGINES 1
static const engine        here = ENGINE_HERE;
static const engine *const engines[ENGINES] = { &here };
static const char *const   engine_names[ENGINES] = { "here" };

static void give_up(void);
#define GIVE_UP() give_up()
#include "../lib/random_gather.h"
#include "../lib/random_scatter.h"
#include "../lib/random_rows.h"
#include "../lib/random_stitch.h"
#include "../lib/random_partition.h"

static uint64_t case_seed;

/* The first case that is not right is the last one. */
static void give_up(void)
{
    CHECKF(0, "seed %llu", (unsigned long long)case_seed);
    test_passed += met;
    exit(test_end("test_oracle"));
}

static void random_case(uint64_t seed)
{
    choices in;
    memset(&in, 0, sizeof in);
    in.endless = 1;
    in.dice.state = case_seed = seed;
    switch (below(&in, 7)) {
    case 0:  try_stitch(&in); break;
    case 1:  try_partition(&in); break;
    case 2:  try_rows(&in); break;
    case 3:  try_scatter(&in); break;
    default: try_gather(&in); break;
    }
    release();
}

/* ---- tables and outputs larger than any cache ----------------------------*/

/* 24 MiB of rows, whole and in two ranges, against a plain loop. */
static void large(ptrdiff_t row_bytes, int sorted)
{
    const ptrdiff_t rows = ((ptrdiff_t)8 << 20) / row_bytes, count = 3 * rows;
    const ptrdiff_t bytes = count * row_bytes, cut = count / 2 + 3;
    const size_t    n = (size_t)row_bytes;
    unsigned char  *at = (unsigned char *)malloc((size_t)(rows * row_bytes));
    unsigned char  *out = (unsigned char *)malloc((size_t)bytes);
    unsigned char  *zeros = (unsigned char *)calloc(n, 1);
    uint32_t       *pick = (uint32_t *)malloc((size_t)count * 4);
    ptrdiff_t       i, bad = 0;
    ndg_gather_desc d = gather_of(row_bytes, ndg_dims1(rows), ndg_dims1(count));
    ndg_gather_plan plan;
    ndg_report      r, part;
    random_source   dice;
    int             form;
    if (!at || !out || !pick || !zeros) {
        printf("skip: rows of %d: no memory\n", (int)row_bytes);
    } else {
        dice.state = case_seed = (uint64_t)row_bytes;
        for (i = 0; i < rows * row_bytes; i++)
            at[i] = (unsigned char)(((uint32_t)i * 2654435761u) >> 13);
        for (i = 0; i < count; i++) {
            uint64_t u = sorted ? (uint64_t)i / 3 : random_bits(&dice);
            pick[i] = (uint32_t)(u % ((uint64_t)rows + (sorted ? 0 : 5)));
            bad += pick[i] >= (uint32_t)rows;
        }
        d.index_type = NDG_U32;
        d.policy = NDG_ZERO;
        CHECK(ndg_plan_gather(&plan, &d, &r) == NDG_OK
              && plan.out_bytes == bytes);
        for (form = 0; form < 3; form++) {
            ptrdiff_t wrong = 0;
            memset(out, FRESH, (size_t)bytes);
            memset(&r, 0, sizeof r);
            if (form == 0) {
                ndg_gather_run(&plan, out, bytes, at, pick, &r);
            } else if (form == 1) {
                ndg_gather_rows(out, bytes, at, rows, row_bytes, 0, pick,
                                NDG_U32, count, NDG_ZERO, &r);
            } else {
                ndg_gather_run_range(&plan, out, bytes, at, pick, cut, count,
                                     &r);
                ndg_gather_run_range(&plan, out, bytes, at, pick, 0, cut,
                                     &part);
                ndg_report_merge(&r, &part);
            }
            CHECKF(r.status == NDG_OK && r.bad.count == bad, "rows of %d: %s",
                   (int)row_bytes, report_text(&r));
            for (i = 0; i < count; i++)
                wrong += !!memcmp(out + i * row_bytes,
                                  pick[i] < (uint32_t)rows
                                  ? at + (ptrdiff_t)pick[i] * row_bytes
                                  : zeros, n);
            CHECKF(wrong == 0, "rows of %d: %ld are wrong", (int)row_bytes,
                   (long)wrong);
        }
    }
    free(at);
    free(out);
    free(zeros);
    free(pick);
}

int main(int argc, char **argv)
{
    uint64_t i;
    if (argc > 1) {
        random_case((uint64_t)strtoull(argv[1], 0, 10));
    } else {
        for (i = 1; i <= ORACLE_CASES; i++) random_case(i);
        large(4, 0);
        large(16, 1);
        large(60, 0);
        large(64, 0);
        large(1024, 0);
        large(5000, 1);
        printf("%d random cases, seeds 1 to %d\n", ORACLE_CASES, ORACLE_CASES);
    }
    test_passed += met;
    return test_end("test_oracle");
}
