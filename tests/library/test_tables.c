/* test_tables.c - small cases with their answers written out by hand.
 *
 * An element is one letter. params of shape [2,3] are abcdef; in an output
 * '.' is a byte that stayed as it was, '0' a zero byte, '#' the fill. A bad
 * report reads "count position component value extent". */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "tables.h"

/* ---- gathers -------------------------------------------------------------*/

enum { ND = NDG_OP_GATHER_ND, G = NDG_OP_GATHER, BG = NDG_OP_BATCH_GATHER };

typedef struct gather_case {
    const char *name;
    int         op;
    const char *params;
    int         batch_dims, axis;
    const char *indices, *values;
    int         type;
    const char *out, *bad;
    int         negative, status;
} gather_case;

static void gather_one(const char *table, const gather_case *t, int policy)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    ndg_gather_desc   d = NDG_ZERO_INIT;
    ndg_gather_plan   plan;
    ndg_report        r = report_stale(), sum, part;
    unsigned char     values[MOST * 8], out[MOST];
    char              want[MOST];
    ptrdiff_t         p[4], x[4], i;
    ptrdiff_t         bytes = (ptrdiff_t)strlen(t->out);
    int               pr = dims_of(t->params, p), xr = dims_of(t->indices, x);
    for (i = 0; i <= bytes; i++)
        want[i] = t->out[i] != '#' || policy == NDG_FILL ? t->out[i]
                : policy == NDG_ZERO ? '0' : '.';
    d.params = ndg_dims(pr, p, 0);
    d.indices = ndg_dims(xr, x, 0);
    d.elem_size = 1;
    d.index_type = t->type;
    d.batch_dims = t->batch_dims;
    d.axis = t->axis;
    d.policy = policy;
    d.negative = t->negative;
    d.fill[0] = '#';
    put_all(values, t->type, t->values);
    memset(out, '.', sizeof out);
    call_of(t->op, out, bytes, alphabet, values, &d, &r);
    CHECKF(r.status == t->status && picture_is(out, want)
           && bad_is(&r.bad, t->bad, !t->status),
           "%s: %s: one call: %.*s %s", table, t->name, (int)bytes,
           (char *)out, report_text(&r));
    i = plan_of(t->op, &plan, &d, &r);
    CHECKF(i == NDG_OK && plan.out_bytes == bytes, "%s: %s: plan: %s", table,
           t->name, report_text(&r));
    if (i != NDG_OK) return;
    memset(out, '.', sizeof out);
    ndg_gather_run(&plan, out, bytes, alphabet, values, &r);
    CHECKF(r.status == t->status && picture_is(out, want)
           && bad_is(&r.bad, t->bad, !t->status), "%s: %s: run: %.*s %s",
           table, t->name, (int)bytes, (char *)out, report_text(&r));
    memset(out, '.', sizeof out);
    memset(&sum, 0, sizeof sum);
    for (i = plan.rows; i-- > 0;) {         /* each row alone */
        ndg_gather_run_range(&plan, out, bytes, alphabet, values, i, i + 1,
                             &part);
        ndg_report_merge(&sum, &part);
    }
    CHECKF(sum.status == t->status && picture_is(out, want)
           && bad_is(&sum.bad, t->bad, 1), "%s: %s: rows: %.*s %s", table,
           t->name, (int)bytes, (char *)out, report_text(&sum));
    ndg_gather_check(&plan, values, 0, plan.rows, &r);
    CHECKF(r.status == t->status && bad_is(&r.bad, t->bad, 1),
           "%s: %s: check: %s", table, t->name, report_text(&r));
}

/* Bad rows are lost: '#' is what a policy puts there. */
static const gather_case lost_table[] = {
    { "too large", G, "3", 0, 0, "3", "0 3 2", NDG_I32, "a#c", "1 1 0 3 3",
      0, 0 },
    { "negative", G, "3", 0, 0, "3", "0 -1 2", NDG_I32, "a#c", "1 1 0 -1 3",
      0, 0 },
    { "all bad", G, "3", 0, 0, "3", "3 4 -5", NDG_I32, "###", "3 0 0 3 3",
      0, 0 },
    { "none bad", G, "3", 0, 0, "3", "2 1 0", NDG_I32, "cba", "", 0, 0 },
    { "min i64", G, "3", 0, 0, "2", MIN64 " 1", NDG_I64, "#b",
      "1 0 0 " MIN64 " 3", 0, 0 },
    { "max i64", G, "3", 0, 0, "2", "1 " MAX64, NDG_I64, "b#",
      "1 1 0 " MAX64 " 3", 0, 0 },
    { "max u64", G, "3", 0, 0, "2", MAXU " 0", NDG_U64, "#a",
      "1 0 0 " MAXU " 3", 0, 0 },
    { "2^63 u64", G, "3", 0, 0, "2", "0 " HALF, NDG_U64, "a#",
      "1 1 0 " HALF " 3", 0, 0 },
    { "i8 both ends", G, "3", 0, 0, "3", "-128 127 1", NDG_I8, "##b",
      "2 0 0 -128 3", 0, 0 },
    { "u8 255", G, "3", 0, 0, "2", "255 2", NDG_U8, "#c", "1 0 0 255 3",
      0, 0 },
    { "a slice", G, "2,2", 0, 0, "2", "2 1", NDG_I16, "##cd", "1 0 0 2 2",
      0, 0 },
    { "axis 1", G, "2,3", 0, 1, "2", "3 0", NDG_I32, "#a#d", "1 0 0 3 3",
      0, 0 },
    { "batch", G, "2,2", 1, 0, "2,2", "0 2 -1 1", NDG_I32, "a##d",
      "2 1 0 2 2", 0, 0 },
    { "depth 2, first", ND, "2,2", 0, 0, "3,2", "0 0 2 0 1 1", NDG_I32, "a#d",
      "1 1 0 2 2", 0, 0 },
    { "depth 2, second", ND, "2,2", 0, 0, "2,2", "1 2 0 1", NDG_I32, "#b",
      "1 0 1 2 2", 0, 0 },
    { "depth 2, both", ND, "2,2", 0, 0, "1,2", "-1 5", NDG_I32, "#",
      "1 0 0 -1 2", 0, 0 },
    { "depth 1 of 2", ND, "2,2", 0, 0, "2,1", "1 9", NDG_I32, "cd##",
      "1 1 0 9 2", 0, 0 },
    { "extent 0", G, "0", 0, 0, "2", "0 -1", NDG_I32, "##", "2 0 0 0 0",
      0, 0 },
    { "extent 0 second", ND, "3,0", 0, 0, "1,2", "0 0", NDG_I32, "#",
      "1 0 1 0 0", 0, 0 },
    { "slice size 0", G, "3,0", 0, 0, "2", "5 1", NDG_I32, "", "1 0 0 5 3",
      0, 0 },
    { "scalar index", G, "3", 0, 0, "", "7", NDG_I32, "#", "1 0 0 7 3", 0, 0 },
    { "batch_gather", BG, "2,2", 0, 0, "2,1", "2 0", NDG_I32, "#c",
      "1 0 0 2 2", 0, 0 },
    { "no indices", G, "3", 0, 0, "0", "", NDG_I32, "", "", 0, 0 },
    { "depth 0", ND, "2", 0, 0, "2,0", "", NDG_I32, "abab", "", 0, 0 },
    { "batched nd", ND, "2,2", 1, 0, "2,1", "2 1", NDG_I32, "#d", "1 0 0 2 2",
      0, 0 },
    { "twice the same", G, "3", 0, 0, "3", "3 3 0", NDG_I32, "##a",
      "2 0 0 3 3", 0, 0 },
    { "from the end", G, "3", 0, 0, "4", "-1 -3 -4 3", NDG_I32, "ca##",
      "2 2 0 -4 3", NDG_NEGATIVE_FROM_END, 0 },
    { "a mask of i8", G, "4", 0, 0, "6", "3 -1 2 -1 1 -128", NDG_I8, "d#c#b#",
      "3 1 0 -1 4", 0, 0 },
    { "slices of 3", G, "2,3", 0, 0, "3", "1 2 0", NDG_U16, "def###abc",
      "1 1 0 2 2", 0, 0 },
    { "axis 1 with slices", G, "2,2,2", 0, 1, "2", "-1 1", NDG_I32,
      "##cd##gh", "1 0 0 -1 2", 0, 0 },
    { "flat offset good", ND, "2,2", 0, 0, "2,2", "0 3 1 -1", NDG_I32, "##",
      "2 0 1 3 2", 0, 0 },
    { "another batch's row", G, "2,3", 1, 0, "2,1", "3 -1", NDG_I32, "##",
      "2 0 0 3 3", 0, 0 }
};

static const gather_case clip_table[] = {
    { "too large", G, "3", 0, 0, "3", "0 3 2", NDG_I32, "acc", "1 1 0 3 3",
      0, 0 },
    { "negative", G, "3", 0, 0, "2", "-1 1", NDG_I32, "ab", "1 0 0 -1 3",
      0, 0 },
    { "none bad", G, "3", 0, 0, "3", "2 1 0", NDG_I32, "cba", "", 0, 0 },
    { "min i64", G, "3", 0, 0, "2", MIN64 " 1", NDG_I64, "ab",
      "1 0 0 " MIN64 " 3", 0, 0 },
    { "max i64", G, "3", 0, 0, "2", "1 " MAX64, NDG_I64, "bc",
      "1 1 0 " MAX64 " 3", 0, 0 },
    { "max u64", G, "3", 0, 0, "2", MAXU " 0", NDG_U64, "ca",
      "1 0 0 " MAXU " 3", 0, 0 },
    { "2^63 u64", G, "3", 0, 0, "2", "0 " HALF, NDG_U64, "ac",
      "1 1 0 " HALF " 3", 0, 0 },
    { "i8 both ends", G, "3", 0, 0, "3", "-128 127 1", NDG_I8, "acb",
      "2 0 0 -128 3", 0, 0 },
    { "i16 both ends", G, "3", 0, 0, "2", "32767 -32768", NDG_I16, "ca",
      "2 0 0 32767 3", 0, 0 },
    { "i32 both ends", G, "3", 0, 0, "2", "-2147483648 2147483647", NDG_I32,
      "ac", "2 0 0 -2147483648 3", 0, 0 },
    { "u8 255", G, "3", 0, 0, "2", "1 255", NDG_U8, "bc", "1 1 0 255 3",
      0, 0 },
    { "u32 max", G, "3", 0, 0, "2", "4294967295 1", NDG_U32, "cb",
      "1 0 0 4294967295 3", 0, 0 },
    { "slices", G, "2,2", 0, 0, "2", "2 -3", NDG_I32, "cdab", "2 0 0 2 2",
      0, 0 },
    { "axis 1", G, "2,3", 0, 1, "2", "3 0", NDG_I32, "cafd", "1 0 0 3 3",
      0, 0 },
    { "batch", G, "2,2", 1, 0, "2,2", "0 2 -1 1", NDG_I32, "abcd",
      "2 1 0 2 2", 0, 0 },
    { "each component", ND, "2,2", 0, 0, "1,2", "5 -5", NDG_I32, "c",
      "1 0 0 5 2", 0, 0 },
    { "one component", ND, "2,3", 0, 0, "2,2", "0 9 -9 1", NDG_I32, "cb",
      "2 0 1 9 3", 0, 0 },
    { "extent 0", G, "0", 0, 0, "1", "0", NDG_I32, ".", "1 0 0 0 0", 0,
      NDG_E_INDEX },
    { "extent 0 second", ND, "3,0", 0, 0, "2,2", "0 0 1 0", NDG_I32, "..",
      "2 0 1 0 0", 0, NDG_E_INDEX },
    { "extent 0, lowest", ND, "3,0", 0, 0, "1,2", "9 0", NDG_I32, ".",
      "1 0 0 9 3", 0, NDG_E_INDEX },
    { "extent 0 first", ND, "0,3", 0, 0, "1,2", "0 7", NDG_I32, ".",
      "1 0 0 0 0", 0, NDG_E_INDEX },
    { "extent 0, no rows", G, "0", 0, 0, "0", "", NDG_I32, "", "", 0, 0 },
    { "slice size 0", G, "3,0", 0, 0, "1", "7", NDG_I32, "", "1 0 0 7 3",
      0, 0 },
    { "extent 1", G, "1", 0, 0, "3", "5 -5 0", NDG_I32, "aaa", "2 0 0 5 1",
      0, 0 },
    { "from the end", G, "3", 0, 0, "4", "-1 -3 -4 3", NDG_I32, "caac",
      "2 2 0 -4 3", NDG_NEGATIVE_FROM_END, 0 },
    { "from the end, min", G, "3", 0, 0, "2", MIN64 " -2", NDG_I64, "ab",
      "1 0 0 " MIN64 " 3", NDG_NEGATIVE_FROM_END, 0 },
    { "scalar index", G, "3", 0, 0, "", "-7", NDG_I32, "a", "1 0 0 -7 3",
      0, 0 },
    { "batch_gather", BG, "2,2", 0, 0, "2,1", "2 -1", NDG_I32, "bc",
      "2 0 0 2 2", 0, 0 }
};

/* 2^63 is 2 modulo 3, 1 modulo 7, 8 modulo 10. */
static const gather_case wrap_table[] = {
    { "too large", G, "3", 0, 0, "3", "3 4 5", NDG_I32, "abc", "3 0 0 3 3",
      0, 0 },
    { "negative", G, "3", 0, 0, "4", "-1 -2 -3 -4", NDG_I32, "cbac",
      "4 0 0 -1 3", 0, 0 },
    { "none bad", G, "3", 0, 0, "3", "2 1 0", NDG_I32, "cba", "", 0, 0 },
    { "min i64, 3", G, "3", 0, 0, "2", "0 " MIN64, NDG_I64, "ab",
      "1 1 0 " MIN64 " 3", 0, 0 },
    { "max i64, 3", G, "3", 0, 0, "1", MAX64, NDG_I64, "b",
      "1 0 0 " MAX64 " 3", 0, 0 },
    { "max u64, 3", G, "3", 0, 0, "1", MAXU, NDG_U64, "a",
      "1 0 0 " MAXU " 3", 0, 0 },
    { "2^63 u64, 3", G, "3", 0, 0, "1", HALF, NDG_U64, "c",
      "1 0 0 " HALF " 3", 0, 0 },
    { "ends of i64, 7", G, "7", 0, 0, "2", MIN64 " " MAX64, NDG_I64, "ga",
      "2 0 0 " MIN64 " 7", 0, 0 },
    { "max u64, 7", G, "7", 0, 0, "2", MAXU " " HALF, NDG_U64, "bb",
      "2 0 0 " MAXU " 7", 0, 0 },
    { "ends of i64, 10", G, "10", 0, 0, "2", MIN64 " " MAX64, NDG_I64, "ch",
      "2 0 0 " MIN64 " 10", 0, 0 },
    { "max u64, 10", G, "10", 0, 0, "2", "9 " MAXU, NDG_U64, "jf",
      "1 1 0 " MAXU " 10", 0, 0 },
    { "i8 both ends", G, "3", 0, 0, "2", "-128 127", NDG_I8, "bb",
      "2 0 0 -128 3", 0, 0 },
    { "i16 both ends", G, "10", 0, 0, "2", "-32768 32767", NDG_I16, "ch",
      "2 0 0 -32768 10", 0, 0 },
    { "i32 both ends", G, "10", 0, 0, "2", "-2147483648 2147483647", NDG_I32,
      "ch", "2 0 0 -2147483648 10", 0, 0 },
    { "u8 255", G, "10", 0, 0, "1", "255", NDG_U8, "f", "1 0 0 255 10", 0, 0 },
    { "u16 max", G, "10", 0, 0, "1", "65535", NDG_U16, "f", "1 0 0 65535 10",
      0, 0 },
    { "u32 max", G, "10", 0, 0, "1", "4294967295", NDG_U32, "f",
      "1 0 0 4294967295 10", 0, 0 },
    { "slices", G, "2,2", 0, 0, "2", "2 -3", NDG_I32, "abcd", "2 0 0 2 2",
      0, 0 },
    { "axis 1", G, "2,3", 0, 1, "2", "4 -1", NDG_I32, "bcef", "2 0 0 4 3",
      0, 0 },
    { "batch", G, "2,2", 1, 0, "2,2", "0 2 -1 1", NDG_I32, "aadd",
      "2 1 0 2 2", 0, 0 },
    { "each component", ND, "2,3", 0, 0, "1,2", "5 -5", NDG_I32, "e",
      "1 0 0 5 2", 0, 0 },
    { "extent 1", G, "1", 0, 0, "3", MIN64 " -1 1", NDG_I64, "aaa",
      "3 0 0 " MIN64 " 1", 0, 0 },
    { "extent 0", G, "0", 0, 0, "1", "-1", NDG_I32, ".", "1 0 0 -1 0", 0,
      NDG_E_INDEX },
    { "extent 0 second", ND, "2,0", 0, 0, "2,2", "1 5 0 0", NDG_I32, "..",
      "2 0 1 5 0", 0, NDG_E_INDEX },
    { "extent 0, no rows", ND, "0", 0, 0, "0,1", "", NDG_I32, "", "", 0, 0 },
    { "from the end", G, "3", 0, 0, "4", "-1 -3 -4 3", NDG_I32, "caca",
      "2 2 0 -4 3", NDG_NEGATIVE_FROM_END, 0 },
    { "scalar index", G, "3", 0, 0, "", "-7", NDG_I32, "c", "1 0 0 -7 3",
      0, 0 },
    { "batch_gather", BG, "2,2", 0, 0, "2,1", "2 -1", NDG_I32, "ad",
      "2 0 0 2 2", 0, 0 }
};

static const gather_case from_end_table[] = {
    { "the last", G, "3", 0, 0, "1", "-1", NDG_I32, "c", "", 1, 0 },
    { "the first", G, "3", 0, 0, "1", "-3", NDG_I32, "a", "", 1, 0 },
    { "one before", G, "3", 0, 0, "1", "-4", NDG_I32, ".", "1 0 0 -4 3", 1,
      NDG_E_INDEX },
    { "one after", G, "3", 0, 0, "1", "3", NDG_I32, ".", "1 0 0 3 3", 1,
      NDG_E_INDEX },
    { "all six", G, "3", 0, 0, "6", "-3 -2 -1 0 1 2", NDG_I32, "abcabc", "",
      1, 0 },
    { "i8", G, "3", 0, 0, "2", "-1 -2", NDG_I8, "cb", "", 1, 0 },
    { "i16", G, "3", 0, 0, "2", "-1 -2", NDG_I16, "cb", "", 1, 0 },
    { "i64", G, "3", 0, 0, "2", "-1 -2", NDG_I64, "cb", "", 1, 0 },
    { "min i8", G, "3", 0, 0, "1", "-128", NDG_I8, ".", "1 0 0 -128 3", 1,
      NDG_E_INDEX },
    { "min i64", G, "3", 0, 0, "1", MIN64, NDG_I64, ".",
      "1 0 0 " MIN64 " 3", 1, NDG_E_INDEX },
    { "min i32", G, "3", 0, 0, "1", "-2147483648", NDG_I32, ".",
      "1 0 0 -2147483648 3", 1, NDG_E_INDEX },
    { "max u64 is not -1", G, "3", 0, 0, "1", MAXU, NDG_U64, ".",
      "1 0 0 " MAXU " 3", 1, NDG_E_INDEX },
    { "u8 255 is not -1", G, "3", 0, 0, "1", "255", NDG_U8, ".",
      "1 0 0 255 3", 1, NDG_E_INDEX },
    { "u32 max is not -1", G, "3", 0, 0, "1", "4294967295", NDG_U32, ".",
      "1 0 0 4294967295 3", 1, NDG_E_INDEX },
    { "extent 0", G, "0", 0, 0, "1", "-1", NDG_I32, ".", "1 0 0 -1 0", 1,
      NDG_E_INDEX },
    { "extent 1", G, "1", 0, 0, "2", "-1 0", NDG_I32, "aa", "", 1, 0 },
    { "slices", G, "2,2", 0, 0, "2", "-1 -2", NDG_I32, "cdab", "", 1, 0 },
    { "axis 1", G, "2,3", 0, 1, "2", "-1 -3", NDG_I32, "cafd", "", 1, 0 },
    { "axis -1", G, "2,3", 0, -1, "2", "-1 0", NDG_I32, "cafd", "", 1, 0 },
    { "batch", G, "2,2", 1, 0, "2,2", "-1 -2 1 -1", NDG_I32, "badd", "", 1,
      0 },
    { "each component", ND, "2,3", 0, 0, "3,2", "-1 -1 -2 -3 0 -2", NDG_I32,
      "fab", "", 1, 0 },
    { "second too low", ND, "2,3", 0, 0, "1,2", "-1 -4", NDG_I32, ".",
      "1 0 1 -4 3", 1, NDG_E_INDEX },
    { "own extent", ND, "2,3", 0, 0, "1,2", "-3 0", NDG_I32, ".",
      "1 0 0 -3 2", 1, NDG_E_INDEX },
    { "batch_gather", BG, "2,2", 0, 0, "2,1", "-2 -1", NDG_I32, "ad", "", 1,
      0 },
    { "scalar index", G, "3", 0, 0, "", "-2", NDG_I32, "b", "", 1, 0 },
    { "off: bad", G, "3", 0, 0, "1", "-1", NDG_I32, ".", "1 0 0 -1 3", 0,
      NDG_E_INDEX }
};

static const gather_case unsigned_table[] = {
    { "u8", G, "3", 0, 0, "3", "2 0 1", NDG_U8, "cab", "", 0, 0 },
    { "u16", G, "3", 0, 0, "3", "2 0 1", NDG_U16, "cab", "", 0, 0 },
    { "u32", G, "3", 0, 0, "3", "2 0 1", NDG_U32, "cab", "", 0, 0 },
    { "u64", G, "3", 0, 0, "3", "2 0 1", NDG_U64, "cab", "", 0, 0 },
    { "u8 extent", G, "3", 0, 0, "1", "3", NDG_U8, ".", "1 0 0 3 3", 0,
      NDG_E_INDEX },
    { "u8 127", G, "3", 0, 0, "1", "127", NDG_U8, ".", "1 0 0 127 3", 0,
      NDG_E_INDEX },
    { "u8 128", G, "3", 0, 0, "1", "128", NDG_U8, ".", "1 0 0 128 3", 0,
      NDG_E_INDEX },
    { "u8 255", G, "3", 0, 0, "1", "255", NDG_U8, ".", "1 0 0 255 3", 0,
      NDG_E_INDEX },
    { "u16 255", G, "3", 0, 0, "1", "255", NDG_U16, ".", "1 0 0 255 3", 0,
      NDG_E_INDEX },
    { "u16 256", G, "3", 0, 0, "1", "256", NDG_U16, ".", "1 0 0 256 3", 0,
      NDG_E_INDEX },
    { "u16 32768", G, "3", 0, 0, "1", "32768", NDG_U16, ".",
      "1 0 0 32768 3", 0, NDG_E_INDEX },
    { "u16 max", G, "3", 0, 0, "1", "65535", NDG_U16, ".", "1 0 0 65535 3",
      0, NDG_E_INDEX },
    { "u32 65536", G, "3", 0, 0, "1", "65536", NDG_U32, ".",
      "1 0 0 65536 3", 0, NDG_E_INDEX },
    { "u32 2^31", G, "3", 0, 0, "1", "2147483648", NDG_U32, ".",
      "1 0 0 2147483648 3", 0, NDG_E_INDEX },
    { "u32 max", G, "3", 0, 0, "1", "4294967295", NDG_U32, ".",
      "1 0 0 4294967295 3", 0, NDG_E_INDEX },
    { "u64 2^32", G, "3", 0, 0, "1", "4294967296", NDG_U64, ".",
      "1 0 0 4294967296 3", 0, NDG_E_INDEX },
    { "u64 2^63-1", G, "3", 0, 0, "1", MAX64, NDG_U64, ".",
      "1 0 0 " MAX64 " 3", 0, NDG_E_INDEX },
    { "u64 2^63", G, "3", 0, 0, "1", HALF, NDG_U64, ".",
      "1 0 0 " HALF " 3", 0, NDG_E_INDEX },
    { "u64 2^63+1", G, "3", 0, 0, "1", "9223372036854775809", NDG_U64, ".",
      "1 0 0 9223372036854775809 3", 0, NDG_E_INDEX },
    { "u64 max", G, "3", 0, 0, "1", MAXU, NDG_U64, ".", "1 0 0 " MAXU " 3",
      0, NDG_E_INDEX },
    { "i64 2^32 is not 0", G, "3", 0, 0, "1", "4294967296", NDG_I64, ".",
      "1 0 0 4294967296 3", 0, NDG_E_INDEX },
    { "nd u8", ND, "2,3", 0, 0, "2,2", "1 2 0 1", NDG_U8, "fb", "", 0, 0 },
    { "nd u64 second", ND, "2,3", 0, 0, "1,2", "1 " MAXU, NDG_U64, ".",
      "1 0 1 " MAXU " 3", 0, NDG_E_INDEX },
    { "batch u16", G, "2,2", 1, 0, "2,1", "1 0", NDG_U16, "bc", "", 0, 0 },
    { "extent 0", G, "0", 0, 0, "1", "0", NDG_U64, ".", "1 0 0 0 0", 0,
      NDG_E_INDEX }
};

#define GATHERS(table, policy)                                                \
    do {                                                                      \
        size_t i_;                                                            \
        for (i_ = 0; i_ < sizeof table / sizeof table[0]; i_++)               \
            gather_one(#table, &table[i_], policy);                           \
    } while (0)

/* Elements of 1 to 16 bytes, whose fill is not one byte repeated. */
static void fill_elements(void)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;
    unsigned char   params[48], out[2 * 3 * 16], fill[16];
    const uint8_t   pick[2] = { 9, 1 };
    ptrdiff_t       elem;
    int             i;
    for (i = 0; i < 16; i++) fill[i] = (unsigned char)(200 + i);
    for (i = 0; i < 48; i++) params[i] = (unsigned char)(i + 1);
    for (elem = 1; elem <= 16; elem++) {
        int k, right = 1;
        memset(&d, 0, sizeof d);
        d.params = ndg_dims1(2);
        d.indices = ndg_dims1(2);
        d.elem_size = elem;
        d.index_type = NDG_U8;
        d.policy = NDG_FILL;
        memcpy(d.fill, fill, 16);
        CHECK(ndg_gather(out, 2 * elem, params, pick, &d, &r) == NDG_OK);
        CHECK(!memcmp(out, fill, (size_t)elem)
              && !memcmp(out + elem, params + elem, (size_t)elem));
        /* a slice of three elements takes the fill three times */
        d.params = ndg_dims2(1, 3);
        d.indices = ndg_dims1(1);
        CHECK(ndg_gather(out, 3 * elem, params, pick, &d, &r) == NDG_OK);
        for (k = 0; k < 3; k++)
            right &= !memcmp(out + k * elem, fill, (size_t)elem);
        CHECK(right);
    }
    d.elem_size = 17;
    CHECK(ndg_gather(out, sizeof out, params, pick, &d, &r) == NDG_E_OPTION);
}

/* ---- gather_rows ---------------------------------------------------------*/

/* Rows 2, 0 and bad of "ab cd ef", in every type and under every policy. */
static void rows_table(void)
{
    static const struct { int policy; const char *out; int status; } want[] = {
        { NDG_DEFAULT, NULL, NDG_E_INDEX }, { NDG_ERROR, NULL, NDG_E_INDEX },
        { NDG_ZERO, "efab00", 0 }, { NDG_CLIP, "efabef", 0 },
        { NDG_WRAP, "efabcd", 0 }, { NDG_KEEP, "efab..", 0 }
    };
    size_t p;
    int    type;
    for (p = 0; p < sizeof want / sizeof want[0]; p++)
        for (type = 0; type < INDEX_TYPES; type++) {
            unsigned char values[24], out[16];
            ndg_report    r = report_stale();
            int           got;
            put_all(values, type, "2 0 7");
            memset(out, '.', sizeof out);
            got = ndg_gather_rows(out, 6, "abcdef", 3, 2, 0, values, type, 3,
                                  want[p].policy, &r);
            CHECKF(got == want[p].status && r.status == got
                   && bad_is(&r.bad, "1 2 0 7 3", 1)
                   && (want[p].out ? picture_is(out, want[p].out)
                                   : out[4] == '.' && out[5] == '.'),
                   "gather_rows: policy %d, %s: %.6s %s", want[p].policy,
                   index_name(type), (char *)out, report_text(&r));
            memset(out, '.', sizeof out);
            got = ndg_gather_rows(out, 4, "abcdef", 3, 2, 0, values, type, 2,
                                  want[p].policy, &r);
            CHECKF(got == NDG_OK && report_clean(&r) && picture_is(out, "efab"),
                   "gather_rows: policy %d, %s, none bad", want[p].policy,
                   index_name(type));
            got = ndg_gather_rows(out, 4, "abcdef", 3, 2, 0, values, type, 2,
                                  NDG_ASSUME_VALID, &r);
            CHECK(got == NDG_OK && picture_is(out, "efab"));
        }
}

static void rows_more(void)
{
    static const int8_t  minus[3] = { -1, 1, -128 };
    static const uint8_t two[2] = { 1, 0 };
    unsigned char        out[16];
    ndg_report           r;
    /* negatives are bad; WRAP counts them round: -128 is 1 modulo 3 */
    memset(out, '.', sizeof out);
    CHECK(ndg_gather_rows(out, 3, "abc", 3, 1, 0, minus, NDG_I8, 3, NDG_WRAP,
                          &r) == NDG_OK && picture_is(out, "cbb")
          && bad_is(&r.bad, "2 0 0 -1 3", 1));
    CHECK(ndg_gather_rows(out, 3, "abc", 3, 1, 0, minus, NDG_I8, 3, NDG_CLIP,
                          &r) == NDG_OK && picture_is(out, "aba"));
    /* a stride between rows, forwards and backwards */
    CHECK(ndg_gather_rows(out, 4, "ab-cd-", 2, 2, 3, two, NDG_U8, 2, NDG_ERROR,
                          &r) == NDG_OK && !memcmp(out, "cdab", 4));
    CHECK(ndg_gather_rows(out, 4, &"ab-cd-"[3], 2, 2, -3, two, NDG_U8, 2,
                          NDG_ERROR, &r) == NDG_OK && !memcmp(out, "abcd", 4));
    /* no rows to pick from, and none to pick */
    CHECK(ndg_gather_rows(out, 4, 0, 0, 2, 0, two, NDG_U8, 2, NDG_ZERO, &r)
          == NDG_OK && !memcmp(out, "\0\0\0\0", 4) && r.bad.count == 2
          && r.bad.extent == 0);
    CHECK(ndg_gather_rows(out, 4, 0, 0, 2, 0, two, NDG_U8, 2, NDG_CLIP, &r)
          == NDG_E_INDEX && r.op == NDG_OP_GATHER_ROWS);
    CHECK(ndg_gather_rows(0, 0, "ab", 1, 2, 0, 0, NDG_U8, 0, NDG_ERROR, &r)
          == NDG_OK && report_clean(&r));
    CHECK(ndg_gather_rows(out, 4, "abcdef", 3, 2, 0, two, NDG_U8, 2, NDG_FILL,
                          &r) == NDG_E_OPTION);
}

/* ---- strided -------------------------------------------------------------*/

/* Memory is abcdefghijklmnopqrstuvwxyz; `at` is where element 0 lies. */
typedef struct strided_case {
    const char *name;
    int         op;
    const char *params, *strides;
    int         at;
    int         batch_dims, axis;
    const char *indices, *index_strides, *values;   /* values as in memory */
    int         index_at;                           /* of i8 */
    const char *out_dims, *out_strides, *out;
} strided_case;

static const strided_case strided_table[] = {
    { "packed, said so", G, "3", "1", 0, 0, 0, "2", "1", "2 0", 0, "2", "1",
      "ca" },
    { "every other", G, "3", "2", 0, 0, 0, "3", "", "0 1 2", 0, "", "",
      "ace" },
    { "backwards", G, "3", "-1", 2, 0, 0, "3", "", "0 1 2", 0, "", "",
      "cba" },
    { "all the same", G, "3", "0", 5, 0, 0, "3", "", "0 1 2", 0, "", "",
      "fff" },
    { "padded rows", G, "2,2", "5,1", 0, 0, 0, "2", "", "1 0", 0, "", "",
      "fgab" },
    { "transposed", G, "2,3", "1,2", 0, 0, 0, "2", "", "1 0", 0, "", "",
      "bdface" },
    { "columns of rows", G, "2,2", "6,2", 1, 0, 1, "2", "", "1 0", 0, "", "",
      "dbjh" },
    { "both backwards", G, "2,2", "-2,-1", 3, 0, 0, "2", "", "0 1", 0, "", "",
      "dcba" },
    { "broadcast rows", G, "3,2", "0,1", 4, 0, 0, "2", "", "2 1", 0, "", "",
      "efef" },
    { "indices every other", G, "4", "", 0, 0, 0, "2", "2", "3 9 1", 0, "",
      "", "db" },
    { "indices backwards", G, "4", "", 0, 0, 0, "3", "-1", "0 1 2", 2, "", "",
      "cba" },
    { "one index for all", G, "4", "", 0, 0, 0, "3", "0", "2", 0, "", "",
      "ccc" },
    { "index columns", G, "4", "", 0, 0, 0, "2,2", "1,2", "0 1 2 3", 0, "",
      "", "acbd" },
    { "nd vectors padded", ND, "2,3", "", 0, 0, 0, "2,2", "3,1", "1 2 9 0 1",
      0, "", "", "fb" },
    { "nd vectors reversed", ND, "2,3", "", 0, 0, 0, "1,2", "2,-1", "2 1", 1,
      "", "", "f" },
    { "nd one number twice", ND, "3,3", "", 0, 0, 0, "3,2", "1,0", "0 1 2", 0,
      "", "", "aei" },
    { "nd strided params", ND, "2,2", "10,3", 0, 0, 0, "2,2", "", "1 1 0 1",
      0, "", "", "nd" },
    { "nd slice strides", ND, "2,2", "10,3", 0, 0, 0, "2,1", "", "1 0", 0, "",
      "", "knad" },
    { "out every other", G, "3", "", 0, 0, 0, "3", "", "2 1 0", 0, "3", "2",
      "c.b.a" },
    { "out padded rows", G, "2,2", "", 0, 0, 0, "2", "", "1 0", 0, "2,2",
      "3,1", "cd.ab" },
    { "out transposed", G, "2,3", "", 0, 0, 0, "2", "", "1 0", 0, "2,3",
      "1,2", "daebfc" },
    { "out a column", G, "3", "", 0, 0, 0, "2", "", "1 2", 0, "2", "4",
      "b...c" },
    { "batch, both strided", G, "2,2", "8,1", 0, 1, 0, "2,2", "1,2",
      "1 0 0 1", 0, "2,2", "5,2", "b.a..i.j" },
    { "axis 1, out padded", G, "2,3", "", 0, 0, 1, "2", "", "2 0", 0, "2,2",
      "4,2", "c.a.f.d" },
    { "batch_gather", BG, "2,2", "-4,1", 4, 0, 0, "2,1", "", "1 0", 0, "", "",
      "fa" },
    { "batch of one table", G, "3,2", "0,1", 2, 1, 0, "3,1", "", "1 0 1", 0,
      "", "", "dcd" },
    { "three axes", G, "2,2,2", "9,3,1", 0, 0, 1, "1", "", "1", 0, "", "",
      "demn" },
    { "scalar index", G, "2,2", "5,2", 0, 0, 0, "", "", "1", 0, "2", "3",
      "f..h" }
};

static void strided_one(const strided_case *t)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    ndg_gather_desc   d = NDG_ZERO_INIT;
    ndg_gather_plan   plan;
    ndg_report        r = report_stale(), part;
    unsigned char     values[MOST], out[MOST];
    ptrdiff_t         p[4], ps[4], x[4], xs[4], o[4], os[4], i;
    ptrdiff_t         bytes = (ptrdiff_t)strlen(t->out);
    int               pr = dims_of(t->params, p), xr = dims_of(t->indices, x);
    int               or = dims_of(t->out_dims, o);
    put_all(values, NDG_I8, t->values);
    dims_of(t->strides, ps);
    dims_of(t->index_strides, xs);
    dims_of(t->out_strides, os);
    d.params = ndg_dims(pr, p, *t->strides ? ps : 0);
    d.indices = ndg_dims(xr, x, *t->index_strides ? xs : 0);
    if (or) d.out = ndg_dims(or, o, os);
    d.elem_size = 1;
    d.index_type = NDG_I8;
    d.batch_dims = t->batch_dims;
    d.axis = t->axis;
    memset(out, '.', sizeof out);
    call_of(t->op, out, bytes, alphabet + t->at, values + t->index_at, &d, &r);
    CHECKF(report_clean(&r) && picture_is(out, t->out), "strided: %s: %.*s %s",
           t->name, (int)bytes, (char *)out, report_text(&r));
    if (plan_of(t->op, &plan, &d, &r) != NDG_OK) return;
    CHECKF(plan.out_bytes == bytes, "strided: %s: %ld bytes", t->name,
           (long)plan.out_bytes);
    memset(out, '.', sizeof out);
    for (i = plan.rows; i-- > 0;) {
        ndg_gather_run_range(&plan, out, bytes, alphabet + t->at,
                             values + t->index_at, i, i + 1, &part);
        CHECKF(report_clean(&part), "strided: %s: %s", t->name,
               report_text(&part));
    }
    CHECKF(picture_is(out, t->out), "strided: %s: rows: %.*s", t->name,
           (int)bytes, (char *)out);
}

/* ---- drop: stitch --------------------------------------------------------*/

/* Lists are parted by '|'. bad: "count list position value extent". */
typedef struct stitch_case {
    const char *name, *indices, *data;
    int         type, gaps;
    long        total;             /* rows to run with; -1: what _total says */
    const char *out;
    const char *bad;
    const char *rows;              /* "first_hole holes duplicates" */
} stitch_case;

static const stitch_case drop_table[] = {
    { "nothing to drop", "0 2|1", "ac|b", NDG_I32, 0, -1, "abc", "", "0 0 0" },
    { "a negative", "0 -1 1", "a-b", NDG_I32, 0, -1, "ab", "1 0 1 -1 0",
      "0 0 0" },
    { "first of all", "-5 0", "-a", NDG_I32, 0, -1, "a", "1 0 0 -5 0",
      "0 0 0" },
    { "in list 1", "0|-1 1", "a|-b", NDG_I32, 0, -1, "ab", "1 1 0 -1 0",
      "0 0 0" },
    { "in both lists", "-1 0|-2 1", "-a|-b", NDG_I32, 0, -1, "ab",
      "2 0 0 -1 0", "0 0 0" },
    { "all of them", "-1 -2", "--", NDG_I32, 0, -1, "", "2 0 0 -1 0",
      "0 0 0" },
    { "a gap", "0 3 -1", "ad-", NDG_I32, NDG_GAPS_ZERO, -1, "a00d",
      "1 0 2 -1 0", "1 2 0" },
    { "a gap kept", "0 3 -1", "ad-", NDG_I32, NDG_GAPS_KEEP, -1, "a..d",
      "1 0 2 -1 0", "1 2 0" },
    { "never the last writer", "0 1|-1|0", "ab|-|c", NDG_I32, 0, -1, "cb",
      "1 1 0 -1 0", "0 0 1" },
    { "max u64", MAXU " 0", "-a", NDG_U64, 0, 1, "a", "1 0 0 " MAXU " 1",
      "0 0 0" },
    { "2^63 u64", "1 " HALF " 0", "b-a", NDG_U64, 0, 2, "ab",
      "1 0 1 " HALF " 2", "0 0 0" },
    { "min i64", MIN64 " 0", "-a", NDG_I64, 0, -1, "a", "1 0 0 " MIN64 " 0",
      "0 0 0" },
    { "max i64", "0 " MAX64, "a-", NDG_I64, 0, 1, "a", "1 0 1 " MAX64 " 1",
      "0 0 0" },
    { "min i8", "-128 1", "-b", NDG_I8, 0, -1, "0b", "1 0 0 -128 0",
      "0 1 0" },
    { "above total", "0 1 2 3", "abcd", NDG_I32, 0, 3, "abc", "1 0 3 3 3",
      "0 0 0" },
    { "at total", "2 0", "-a", NDG_U8, 0, 2, "a0", "1 0 0 2 2", "1 1 0" },
    { "above and below", "-1 7 0|8", "--a|-", NDG_I16, 0, 2, "a0",
      "3 0 0 -1 2", "1 1 0" },
    { "no rows at all", "0 1", "--", NDG_I32, 0, 0, "", "2 0 0 0 0",
      "0 0 0" },
    { "rows to spare", "0 -1", "a-", NDG_I32, 0, 4, "a000", "1 0 1 -1 4",
      "1 3 0" },
    { "a duplicate", "0 0 -1 0", "xy-a", NDG_I32, 0, -1, "a", "1 0 2 -1 0",
      "0 0 2" },
    { "empty lists", "||-1", "||-", NDG_I32, 0, 1, "0", "1 2 0 -1 1",
      "0 1 0" },
    { "u8 255", "255 0", "-a", NDG_U8, 0, 1, "a", "1 0 0 255 1", "0 0 0" },
    { "u32 max", "4294967295 0", "-a", NDG_U32, 0, 1, "a",
      "1 0 0 4294967295 1", "0 0 0" }
};

/* The start of list m of a text parted by '|'. */
static const char *part_of(const char *text, int m)
{
    for (; m > 0; m--) text = strchr(text, '|') + 1;
    return text;
}

static int parts_of(const char *text)
{
    int n = 1;
    for (; *text; text++) n += *text == '|';
    return n;
}

/* "count list position value extent"; extent 0 is not looked at. */
static int stitch_bad_is(const ndg_bad *bad, const char *text)
{
    long    count, list, position, extent;
    int     used = 0, is_u64;
    int64_t value;
    char   *end;
    if (!*text) return bad->count == 0;
    if (sscanf(text, "%ld %ld %ld %n", &count, &list, &position, &used) != 3)
        return 0;
    value = index_of(text + used, &end, &is_u64);
    extent = strtol(end, 0, 10);
    return bad->count == count && bad->list == list
        && bad->position == position && bad->value == value
        && bad->is_u64 == is_u64 && (!extent || bad->extent == extent)
        && bad->component == 0;
}

static void drop_stitch(const stitch_case *t)
{
    ndg_stitch_desc  d = NDG_ZERO_INIT;
    ndg_stitch_plan  plan;
    ndg_stitch_input in[4];
    ndg_list         list[4];
    ndg_report       r = report_stale(), part, sum;
    unsigned char    values[4][64], out[MOST], scratch[8];
    ptrdiff_t        total = -9, i;
    long             hole, holes, duplicates;
    int              n = parts_of(t->indices), m;
    memset(in, 0, sizeof in);
    memset(list, 0, sizeof list);
    d.elem_size = 1;
    d.index_type = t->type;
    d.policy = NDG_DROP;
    d.gaps = t->gaps;
    for (m = 0; m < n; m++) {
        ptrdiff_t count = put_all(values[m], t->type, part_of(t->indices, m));
        list[m].indices = in[m].indices = values[m];
        list[m].data = in[m].data = part_of(t->data, m);
        list[m].count = count;
        in[m].indices_shape = in[m].data_shape = ndg_dims1(count);
    }
    CHECK(ndg_plan_stitch(&plan, &d, &r) == NDG_OK);
    sscanf(t->rows, "%ld %ld %ld", &hole, &holes, &duplicates);
    if (t->total < 0) {
        CHECKF(ndg_stitch_total(&plan, list, n, &total, &r) == NDG_OK
               && total == (ptrdiff_t)strlen(t->out)
               && stitch_bad_is(&r.bad, t->bad), "drop: %s: total %ld %s",
               t->name, (long)total, report_text(&r));
        memset(out, '.', sizeof out);
        CHECKF(ndg_dynamic_stitch(out, total, &total, in, n, &d, &r) == NDG_OK
               && total == (ptrdiff_t)strlen(t->out)
               && picture_is(out, t->out) && stitch_bad_is(&r.bad, t->bad),
               "drop: %s: one call %s", t->name, report_text(&r));
    } else {
        total = (ptrdiff_t)t->total;
    }
    memset(out, '.', sizeof out);
    m = ndg_stitch_run(&plan, out, total, total, list, n, scratch, 8, &r);
    CHECKF(m == NDG_OK && picture_is(out, t->out)
           && stitch_bad_is(&r.bad, t->bad) && r.rows.first_hole == hole
           && r.rows.holes == holes && r.rows.duplicates == duplicates,
           "drop: %s: run %.*s %s", t->name, (int)total, (char *)out,
           report_text(&r));
    if (!total) return;
    memset(out, '.', sizeof out);
    memset(&sum, 0, sizeof sum);
    for (i = total; i-- > 0;) {             /* each row of out alone */
        ndg_stitch_run_range(&plan, out, total, total, list, n, i, i + 1, 0, 0,
                             &part);
        ndg_report_merge(&sum, &part);
    }
    CHECKF(!sum.status && picture_is(out, t->out)
           && stitch_bad_is(&sum.bad, t->bad), "drop: %s: rows %.*s %s",
           t->name, (int)total, (char *)out, report_text(&sum));
}

/* ---- drop: partition -----------------------------------------------------*/

typedef struct partition_case {
    const char *name, *ids, *data;
    int         type;
    int         parts;
    const char *out;               /* parts, parted by '|' */
    const char *positions;
    const char *bad;               /* count position component value extent */
} partition_case;

static const partition_case partition_table[] = {
    { "none bad", "1 0 0 1", "ABCD", NDG_I32, 2, "BC|AD", "1 2|0 3", "" },
    { "one negative", "1 -1 0", "ABC", NDG_I32, 2, "C|A", "2|0",
      "1 1 0 -1 2" },
    { "the first negative", "-1 0 1", "ABC", NDG_I32, 2, "B|C", "1|2",
      "1 0 0 -1 2" },
    { "too large", "0 2 1", "ABC", NDG_I32, 2, "A|C", "0|2", "1 1 0 2 2" },
    { "all bad", "2 -1 9", "ABC", NDG_I32, 2, "|", "|", "3 0 0 2 2" },
    { "no rows", "", "", NDG_I32, 2, "|", "|", "" },
    { "one part", "0 1 0", "ABC", NDG_I32, 1, "AC", "0 2", "1 1 0 1 1" },
    { "an empty part", "2 0 2", "ABC", NDG_I32, 3, "B||AC", "1||0 2", "" },
    { "stable", "1 0 1 0 1 0", "ABCDEF", NDG_I32, 2, "BDF|ACE",
      "1 3 5|0 2 4", "" },
    { "order survives", "0 7 0 7 0", "ABCDE", NDG_I32, 1, "ACE", "0 2 4",
      "2 1 0 7 1" },
    { "max u64", "0 " MAXU " 1", "ABC", NDG_U64, 2, "A|C", "0|2",
      "1 1 0 " MAXU " 2" },
    { "2^63 u64", HALF " 1 0", "ABC", NDG_U64, 2, "C|B", "2|1",
      "1 0 0 " HALF " 2" },
    { "min i64", "0 " MIN64, "AB", NDG_I64, 2, "A|", "0|",
      "1 1 0 " MIN64 " 2" },
    { "max i64", MAX64 " 1", "AB", NDG_I64, 2, "|B", "|1",
      "1 0 0 " MAX64 " 2" },
    { "i8 both ends", "-128 127 0", "ABC", NDG_I8, 2, "C|", "2|",
      "2 0 0 -128 2" },
    { "u8 255", "255 1 0", "ABC", NDG_U8, 2, "C|B", "2|1", "1 0 0 255 2" },
    { "u16", "1 65535 0", "ABC", NDG_U16, 2, "C|A", "2|0", "1 1 0 65535 2" },
    { "u32", "1 0 4294967295", "ABC", NDG_U32, 2, "B|A", "1|0",
      "1 2 0 4294967295 2" },
    { "i16", "1 -32768 0 32767", "ABCD", NDG_I16, 2, "C|A", "2|0",
      "2 1 0 -32768 2" },
    { "2^32 is not 0", "4294967296 0", "AB", NDG_I64, 2, "B|", "1|",
      "1 0 0 4294967296 2" },
    { "five parts", "4 3 2 1 0 5", "ABCDEF", NDG_I32, 5, "E|D|C|B|A",
      "4|3|2|1|0", "1 5 0 5 5" },
    { "all in one", "1 1 1", "ABC", NDG_I32, 2, "|ABC", "|0 1 2", "" }
};

static void drop_partition(const partition_case *t)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    ndg_report         r = report_stale();
    unsigned char      ids[MOST], out[5][16];
    int16_t            at[5][16];
    void              *outs[5], *positions[5];
    ptrdiff_t          n = put_all(ids, t->type, t->ids), counts[5];
    ptrdiff_t          cursors[5], capacity[5];
    int                k, form;
    d.data = d.partitions = ndg_dims1(n);
    d.elem_size = 1;
    d.num_partitions = t->parts;
    d.index_type = t->type;
    d.position_type = NDG_I16;
    d.policy = NDG_DROP;
    CHECK(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    for (k = 0; k < 5; k++) {
        outs[k] = out[k];
        positions[k] = at[k];
        capacity[k] = 16;
    }
    for (form = 0; form < 2; form++) {
        memset(out, '.', sizeof out);
        memset(at, '.', sizeof at);
        if (form == 0)
            ndg_dynamic_partition(outs, positions, capacity, counts, t->data,
                                  ids, &d, &r);
        else if (ndg_partition_count(&plan, ids, 0, n, counts, &r) == NDG_OK)
            ndg_partition_run(&plan, outs, positions, t->data, ids, n, counts,
                              cursors, &r);
        CHECKF(r.status == NDG_OK && bad_is(&r.bad, t->bad, 1),
               "partition drop: %s: %s", t->name, report_text(&r));
        for (k = 0; k < t->parts; k++) {
            const char   *want = part_of(t->out, k);
            size_t        size = strcspn(want, "|");
            unsigned char places[16 * 2];
            ptrdiff_t     m = put_all(places, NDG_I16,
                                      part_of(t->positions, k));
            CHECKF(counts[k] == (ptrdiff_t)size && m == counts[k]
                   && !memcmp(out[k], want, size) && out[k][size] == '.'
                   && !memcmp(at[k], places, 2 * size),
                   "partition drop: %s: part %d: %.*s", t->name, k,
                   (int)counts[k], (char *)out[k]);
        }
    }
}

int main(void)
{
    size_t i;
    GATHERS(lost_table, NDG_FILL);
    GATHERS(lost_table, NDG_ZERO);
    GATHERS(lost_table, NDG_KEEP);
    GATHERS(clip_table, NDG_CLIP);
    GATHERS(wrap_table, NDG_WRAP);
    GATHERS(from_end_table, NDG_DEFAULT);
    GATHERS(unsigned_table, NDG_ERROR);
    fill_elements();
    rows_table();
    rows_more();
    for (i = 0; i < sizeof strided_table / sizeof strided_table[0]; i++)
        strided_one(&strided_table[i]);
    for (i = 0; i < sizeof drop_table / sizeof drop_table[0]; i++)
        drop_stitch(&drop_table[i]);
    for (i = 0; i < sizeof partition_table / sizeof partition_table[0]; i++)
        drop_partition(&partition_table[i]);
    return test_end("test_tables");
}
