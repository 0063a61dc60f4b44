/* test_scatter.c - scatter_nd as the manual has it: small cases with their
 * answers written out, sizes made to break it, and many rows beside a plain
 * loop.
 *
 * In the tables an element is one letter; in an output '.' is an element that
 * nobody names: it stays as it was with NDG_GAPS_KEEP, else it becomes zero. A
 * bad report reads "count position component value extent". */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "tables.h"

#define BIG PTRDIFF_MAX

static ndg_report r;            /* of the call that is being looked at */

/* ---- tables --------------------------------------------------------------*/

typedef struct scatter_case {
    const char *name, *out;
    int         batch_dims;
    const char *indices, *values, *data, *want, *bad;
    int         negative;
} scatter_case;

static const scatter_case table[] = {
    { "the manual's picture", "2,3", 0, "3,2", "0 2 1 0 1 2", "ABC", "..AB.C",
      "", 0 },
    { "one component: rows", "3,2", 0, "2,1", "2 0", "abcd", "cd..ab", "",
      0 },
    { "one row", "3,2", 0, "1,1", "1", "ab", "..ab..", "", 0 },
    { "one vector", "2,3", 0, "2", "1 1", "x", "....x.", "", 0 },
    { "one vector of one", "2,3", 0, "1", "1", "xyz", "...xyz", "", 0 },
    { "all of them", "4", 0, "4,1", "3 0 2 1", "abcd", "bdca", "", 0 },
    { "of no components", "2,2", 0, "0", "", "abcd", "abcd", "", 0 },
    { "twice of none", "2,2", 0, "2,0", "", "abcdefgh", "efgh", "", 0 },
    { "never of none", "2,2", 0, "0,0", "", "", "....", "", 0 },
    { "three components", "2,2,2", 0, "3,3", "0 0 0 1 1 1 1 0 1", "abc",
      "a....c.b", "", 0 },
    { "three and a slice", "1,2,2,2", 0, "2,3", "0 1 0 0 0 1", "abcd",
      "..cdab..", "", 0 },
    { "five components", "2,1,2,1,2", 0, "3,5",
      "1 0 1 0 1 0 0 0 0 1 1 0 0 0 0", "abc", ".b..c..a", "", 0 },
    { "rows of two axes", "2,3", 0, "2,2,2", "0 0 0 1 1 2 1 1", "abcd",
      "ab..dc", "", 0 },
    { "rows of three axes", "3,2", 0, "1,2,1,1", "2 1", "abcd", "..cdab", "",
      0 },
    { "the last writer", "3", 0, "4,1", "1 1 0 1", "abcd", "cd.", "", 0 },
    { "the last of rows", "2,2", 0, "3,1", "0 1 0", "abcdef", "efcd", "",
      0 },
    { "all to one", "2,2", 0, "5,2", "1 0 1 0 1 0 1 0 1 0", "abcde", "..e.",
      "", 0 },
    { "no rows", "2,3", 0, "0,2", "", "", "......", "", 0 },
    { "no rows of 3 axes", "2", 0, "2,0,1", "", "", "..", "", 0 },
    { "no slots, no rows", "0,3", 0, "0,1", "", "", "", "", 0 },
    { "batch", "2,3", 1, "2,2,1", "2 0 1 1", "abcd", "b.a.d.", "", 0 },
    { "batch, slices", "2,2,2", 1, "2,1,1", "1 0", "abcd", "..abcd..", "",
      0 },
    { "batch, vectors", "2,2,2", 1, "2,1,2", "1 0 0 1", "ab", "..a..b..", "",
      0 },
    { "batch, one each", "2,3", 1, "2,1", "2 0", "ab", "..ab..", "", 0 },
    { "batch, of none", "2,2", 1, "2,2,0", "", "abcdefgh", "cdgh", "", 0 },
    { "two batch axes", "2,2,2", 2, "2,2,1,1", "1 0 0 1", "abcd", ".ab.c..d",
      "", 0 },
    { "all are batch axes", "2,2", 2, "2,2,0", "", "abcd", "abcd", "", 0 },
    { "all are, twice", "2", 1, "2,3,0", "", "abcdef", "cf", "", 0 },
    { "batch of none", "0,3", 1, "0,2,1", "", "", "", "", 0 },
    { "empty slices", "3,0", 0, "2,1", "2 0", "", "", "", 0 },
    { "too large", "3", 0, "3,1", "0 3 2", "abc", "a.c", "1 1 0 3 3", 0 },
    { "negative", "3", 0, "3,1", "0 -1 2", "abc", "a.c", "1 1 0 -1 3", 0 },
    { "all bad", "3", 0, "3,1", "3 4 -5", "abc", "...", "3 0 0 3 3", 0 },
    { "a bad slice", "2,2", 0, "2,1", "2 1", "abcd", "..cd", "1 0 0 2 2",
      0 },
    { "bad first of two", "2,2", 0, "3,2", "0 0 2 0 1 1", "abc", "a..c",
      "1 1 0 2 2", 0 },
    { "bad second of two", "2,2", 0, "2,2", "1 2 0 1", "ab", ".b..",
      "1 0 1 2 2", 0 },
    { "bad both", "2,2", 0, "2,2", "-1 5 0 0", "ab", "b...", "1 0 0 -1 2",
      0 },
    { "another row's place", "2,3", 0, "3,2", "0 3 1 -1 0 5", "abc",
      "......", "3 0 1 3 3", 0 },
    { "another batch's", "2,3", 1, "2,1,1", "3 -1", "ab", "......",
      "2 0 0 3 3", 0 },
    { "a bad third", "2,2,2", 0, "2,3", "1 1 2 0 1 1", "ab", "...b....",
      "1 0 2 2 2", 0 },
    { "a bad fifth", "1,1,1,1,2", 0, "2,5", "0 0 0 0 2 0 0 0 0 1", "ab",
      ".b", "1 0 4 2 2", 0 },
    { "no trace of the last", "2", 0, "3,1", "0 0 -1", "abc", "b.",
      "1 2 0 -1 2", 0 },
    { "bad in a batch", "2,2", 1, "2,2,1", "0 2 -1 1", "abcd", "a..d",
      "2 1 0 2 2", 0 },
    { "bad, empty slices", "3,0", 0, "3,1", "5 1 -1", "", "", "2 0 0 5 3",
      0 },
    { "no slots", "0", 0, "2,1", "0 -1", "ab", "", "2 0 0 0 0", 0 },
    { "no slots, second", "3,0", 0, "2,2", "1 0 3 0", "ab", "", "2 0 1 0 0",
      0 },
    { "no slots, batches", "2,0", 1, "2,1,1", "0 0", "ab", "", "2 0 0 0 0",
      0 },
    { "i8, both ends", "3", 0, "3,1", "-128 127 1", "abc", ".c.",
      "2 0 0 -128 3", 0 },
    { "u8 255", "3", 0, "2,1", "255 2", "ab", "..b", "1 0 0 255 3", 0 },
    { "i16, both ends", "3", 0, "3,1", "0 32767 -32768", "abc", "a..",
      "2 1 0 32767 3", 0 },
    { "u16 max", "3", 0, "2,1", "65535 0", "ab", "b..", "1 0 0 65535 3", 0 },
    { "i32, both ends", "3", 0, "3,1", "-2147483648 2147483647 0", "abc",
      "c..", "2 0 0 -2147483648 3", 0 },
    { "u32 max", "3", 0, "2,1", "4294967295 1", "ab", ".b.",
      "1 0 0 4294967295 3", 0 },
    { "2^32 is not 0", "3", 0, "2,1", "4294967296 1", "ab", ".b.",
      "1 0 0 4294967296 3", 0 },
    { "min i64", "3", 0, "2,1", MIN64 " 1", "ab", ".b.", "1 0 0 " MIN64 " 3",
      0 },
    { "max i64", "3", 0, "2,1", "1 " MAX64, "ab", ".a.", "1 1 0 " MAX64 " 3",
      0 },
    { "2^63", "3", 0, "2,1", HALF " 0", "ab", "b..", "1 0 0 " HALF " 3", 0 },
    { "max u64", "3", 0, "2,1", "0 " MAXU, "ab", "a..", "1 1 0 " MAXU " 3",
      0 },
    { "max u64 second", "2,2", 0, "2,2", "1 " MAXU " 1 1", "ab", "...b",
      "1 0 1 " MAXU " 2", 0 },
    { "from the end", "3", 0, "3,1", "-1 -3 1", "abc", "bca", "", 1 },
    { "from the end, rows", "2,2", 0, "2,1", "-2 -1", "abcd", "abcd", "", 1 },
    { "each from its end", "2,3", 0, "3,2", "-1 -1 -2 -3 0 -2", "abc",
      "bc...a", "", 1 },
    { "the same place", "3", 0, "2,1", "2 -1", "ab", "..b", "", 1 },
    { "one too low", "3", 0, "2,1", "-4 -3", "ab", "b..", "1 0 0 -4 3", 1 },
    { "one too high", "3", 0, "2,1", "-1 3", "ab", "..a", "1 1 0 3 3", 1 },
    { "second too low", "2,3", 0, "2,2", "-1 -4 -1 -3", "ab", "...b..",
      "1 0 1 -4 3", 1 },
    { "its own extent", "2,3", 0, "1,2", "-3 0", "a", "......", "1 0 0 -3 2",
      1 },
    { "from the end, batch", "2,2", 1, "2,1,1", "-1 -2", "ab", ".ab.", "",
      1 },
    { "min i64 from the end", "3", 0, "2,1", MIN64 " -2", "ab", ".b.",
      "1 0 0 " MIN64 " 3", 1 },
    { "max u64 is not -1", "3", 0, "1,1", MAXU, "a", "...",
      "1 0 0 " MAXU " 3", 1 },
    { "u8 255 is not -1", "3", 0, "1,1", "255", "a", "...", "1 0 0 255 3",
      1 },
    { "no end to count from", "0", 0, "1,1", "-1", "a", "", "1 0 0 -1 0", 1 }
};

/* A case in one form: its arrays, and what out must be. */
typedef struct scatter_form {
    const scatter_case *t;
    int                 type, layout, elem, policy, gaps;
    array               out, indices, data, want;
    ndg_scatter_desc    d;
    ptrdiff_t           slots;
} scatter_form;

static const char *form_text(const scatter_form *f)
{
    static char text[200];
    sprintf(text, "%s [%s layout %d elem %d policy %d gaps %d]", f->t->name,
            index_name(f->type), f->layout, f->elem, f->policy, f->gaps);
    return text;
}

#define FORM(ok)                                                              \
    CHECKF(ok, "%s: %s: %s", form_text(f), #ok, report_text(&r))

/* Letters into an array, each of them as often as an element is long. */
static void put_letters(array *a, const char *letters)
{
    ptrdiff_t c[ARRAY_RANK] = { 0 }, i;
    for (i = 0; i < a->size; i++, coords_next(a->rank, a->dim, c))
        memset(array_at(a, c), letters[i], (size_t)a->elem);
}

static void make_form(scatter_form *f)
{
    static const int positive[LAYOUT_COUNT] = {
        LAYOUT_C, LAYOUT_EXPLICIT, LAYOUT_PADDED, LAYOUT_PERMUTED,
        LAYOUT_PADDED, LAYOUT_PERMUTED
    };
    static const ndg_scatter_desc zero = NDG_ZERO_INIT;
    const scatter_case           *t = f->t;
    ptrdiff_t     o[ARRAY_RANK], x[ARRAY_RANK], c[ARRAY_RANK] = { 0 }, i;
    unsigned char values[MOST * 8];
    int           lead, k, rank = dims_of(t->out, o);
    int           ranks = dims_of(t->indices, x), depth = (int)x[ranks - 1];
    put_all(values, f->type, t->values);
    array_shape(&f->out, rank, o, f->elem, positive[f->layout], 0);
    array_alloc(&f->out, f->layout & 1, 0);
    array_shape(&f->indices, ranks, x, index_bytes(f->type),
                LAYOUT_COUNT - 1 - f->layout, 0);
    array_alloc(&f->indices, f->layout & 1, 0);
    array_store(&f->indices, values);
    lead = ranks - 1;                   /* data: the rows, then the slice */
    for (k = t->batch_dims + depth; k < rank; k++) x[lead++] = o[k];
    array_shape(&f->data, lead, x, f->elem, f->layout, 0);
    array_alloc(&f->data, f->layout & 1, 0);
    CHECKF(f->data.size == (ptrdiff_t)strlen(t->data)
           && f->out.size == (ptrdiff_t)strlen(t->want), "%s: not a case",
           t->name);
    put_letters(&f->data, t->data);
    array_twin(&f->want, &f->out);
    for (i = 0; i < f->out.size; i++, coords_next(rank, o, c))
        if (t->want[i] != '.')
            memset(array_at(&f->want, c), t->want[i], (size_t)f->elem);
        else if (f->gaps == NDG_GAPS_ZERO)
            memset(array_at(&f->want, c), 0, (size_t)f->elem);
    f->slots = 1;
    for (k = 0; k < t->batch_dims + depth; k++) f->slots *= o[k];
    f->d = zero;
    f->d.out = array_ndg(&f->out);
    f->d.indices = array_ndg(&f->indices);
    if (f->layout) f->d.data = array_ndg(&f->data);
    f->d.elem_size = f->elem;
    f->d.index_type = f->type;
    f->d.batch_dims = t->batch_dims;
    f->d.policy = f->policy;
    f->d.negative = t->negative;
    f->d.gaps = f->gaps;
}

static int form_status(const scatter_form *f)
{
    return *f->t->bad && f->policy != NDG_DROP ? NDG_E_INDEX : NDG_OK;
}

/* After an error: what is right, what was there, or what had been cleared. */
static int stopped_right(const scatter_form *f)
{
    ptrdiff_t c[ARRAY_RANK] = { 0 }, i;
    array     rest;
    int       right;
    array_twin(&rest, &f->out);
    for (i = 0; i < rest.size; i++, coords_next(rest.rank, rest.dim, c)) {
        unsigned char *p = array_at(&rest, c);
        unsigned char  zero[16] = { 0 };
        if (!memcmp(p, array_at(&f->want, c), (size_t)f->elem)
            || (f->gaps == NDG_GAPS_ZERO && !memcmp(p, zero, (size_t)f->elem)))
            memset(p, FRESH, (size_t)f->elem);
    }
    for (right = 1, i = 0; i < rest.block_bytes; i++)
        right &= rest.block[i] == FRESH;
    array_free(&rest);
    return right;
}

/* What out and a report are after the call that returned `got`. */
static void see_form(scatter_form *f, int got, int exact)
{
    int want = form_status(f);
    FORM(got == want && r.status == got);
    FORM(bad_is(&r.bad, f->t->bad, exact || !want));
    FORM(want || *f->t->bad || report_clean(&r));
    FORM(!*f->t->bad || (r.op == NDG_OP_SCATTER_ND && r.item == 0));
    FORM(!want || r.operand == NDG_ARG_INDICES);
    if (want) FORM(stopped_right(f));
    else FORM(array_same(&f->out, &f->want));
    array_fresh(&f->out);
}

/* The bytes that out must have for slots a ... b-1, which are counted in the
 * order in which they lie in memory. */
static ptrdiff_t need_of(const scatter_form *f, ptrdiff_t a, ptrdiff_t b)
{
    const array *o = &f->out;
    const int    axes = f->t->batch_dims
                      + (int)f->indices.dim[f->indices.rank - 1];
    ptrdiff_t    c[ARRAY_RANK] = { 0 }, e[ARRAY_RANK] = { 0 }, need = 0, i;
    int          k;
    if (!o->size) return 0;
    do {
        const ptrdiff_t offset = array_at(o, c) - o->base;
        ptrdiff_t       last = offset + o->elem, before = 0;
        for (k = axes; k < o->rank; k++) last += (o->dim[k] - 1) * o->stride[k];
        for (i = 0; i < f->slots; i++, coords_next(axes, o->dim, e))
            before += array_at(o, e) - o->base < offset;
        if (before >= a && before < b && last > need) need = last;
    } while (coords_next(axes, o->dim, c));
    return need;
}

/* Slots a ... b-1, added to what was said before. */
static void form_range(scatter_form *f, const ndg_scatter_plan *plan,
                       ptrdiff_t a, ptrdiff_t b, ndg_report *sum)
{
    ndg_report      part = report_stale();
    const ptrdiff_t need = need_of(f, a, b);
    int             got;
    if (need) {
        got = ndg_scatter_run_range(plan, f->out.base, need - 1, f->data.base,
                                    f->indices.base, a, b, &part);
        CHECKF(got == NDG_E_CAPACITY && part.operand == NDG_ARG_OUT
               && part.value == need - 1 && part.bound == need,
               "%s: slots %ld to %ld: %s", form_text(f), (long)a, (long)b,
               report_text(&part));
        part = report_stale();
    }
    got = ndg_scatter_run_range(plan, f->out.base, need, f->data.base,
                                f->indices.base, a, b, &part);
    CHECKF(got == part.status && (a == 0 && (b > 0 || !f->slots)
                                  ? bad_is(&part.bad, f->t->bad, 0)
                                  : report_clean(&part)),
           "%s: slots %ld to %ld: %s", form_text(f), (long)a, (long)b,
           report_text(&part));
    ndg_report_merge(sum, &part);
}

static void form_ranges(scatter_form *f, const ndg_scatter_plan *plan)
{
    static const ndg_report zero = NDG_ZERO_INIT;
    ptrdiff_t s;
    for (s = 0; s <= f->slots; s++) {       /* any two, the later first */
        r = zero;
        form_range(f, plan, s, f->slots, &r);
        if (s) form_range(f, plan, 0, s, &r);
        see_form(f, r.status, 0);
    }
    if (!f->slots) return;
    r = zero;
    for (s = f->slots; s-- > 0;) form_range(f, plan, s, s + 1, &r);
    see_form(f, r.status, 0);
}

static void run_form(const scatter_case *t, int type, int layout, int elem,
                     int policy, int gaps)
{
    static scatter_form it;
    scatter_form       *f = &it;
    ndg_scatter_plan    plan, copy;
    ptrdiff_t           rows = 1, i;
    int                 k;
    f->t = t;
    f->type = type;
    f->layout = layout;
    f->elem = elem;
    f->policy = policy;
    f->gaps = gaps;
    make_form(f);
    for (k = 0; k < f->indices.rank - 1; k++) rows *= f->indices.dim[k];
    r = report_stale();
    FORM(ndg_plan_scatter_nd(&plan, &f->d, &r) == NDG_OK && report_clean(&r));
    FORM(plan.out_bytes == (f->out.size ? f->out.high : 0));
    FORM(plan.slots == f->slots && plan.by.rows == rows);
    copy = plan;                /* a plan is plain data: its copy is as good */
    r = report_stale();
    see_form(f, ndg_scatter_run(&copy, f->out.base, plan.out_bytes,
                                f->data.base, f->indices.base, &r), 0);
    r = report_stale();
    see_form(f, ndg_scatter_nd(f->out.base, plan.out_bytes, f->data.base,
                               f->indices.base, &f->d, &r), 0);
    FORM(ndg_scatter_nd(f->out.base, plan.out_bytes, f->data.base,
                        f->indices.base, &f->d, NULL) == form_status(f));
    array_fresh(&f->out);
    form_ranges(f, &plan);
    r = report_stale();
    FORM(ndg_scatter_check(&plan, f->indices.base, 0, rows, &r)
         == form_status(f) && bad_is(&r.bad, t->bad, 1));
    for (i = 0; i < rows; i++) {            /* the bad ones, one at a time */
        int bad;
        r = report_stale();
        k = ndg_scatter_check(&plan, f->indices.base, i, i + 1, &r);
        bad = r.bad.count == 1;
        FORM(bad ? r.bad.position == i : report_clean(&r));
        FORM(k == (bad ? form_status(f) : NDG_OK));
    }
    array_free(&f->out);
    array_free(&f->want);
    array_free(&f->data);
    array_free(&f->indices);
}

/* Every index type that holds the values, every policy, layout and element. */
static void tables(void)
{
    static const int elem[LAYOUT_COUNT] = { 1, 3, 8, 4, 2, 1 };
    size_t i;
    int    type, layout, gaps;
    for (i = 0; i < sizeof table / sizeof table[0]; i++)
        for (type = 0; type < INDEX_TYPES; type++) {
            if (!all_hold(type, table[i].values)) continue;
            for (layout = 0; layout < LAYOUT_COUNT; layout++)
                for (gaps = 0; gaps < 3; gaps += 2) {
                    const int e = elem[(layout + (int)i) % LAYOUT_COUNT];
                    run_form(&table[i], type, layout, e, NDG_DROP, gaps);
                    run_form(&table[i], type, layout, e, NDG_ERROR, gaps);
                    run_form(&table[i], type, layout, e, NDG_DEFAULT, gaps);
                    if (!*table[i].bad)
                        run_form(&table[i], type, layout, e, NDG_ASSUME_VALID,
                                 gaps);
                }
        }
}

/* ---- memory that is not packed -------------------------------------------*/

typedef struct place { uint16_t kind, x, y; } place;

/* The fields of structs are the components, in the order of memory or not. */
static void structs_are_vectors(void)
{
    place             at[3] = { { 9, 2, 0 }, { 9, 0, 1 }, { 9, 1, 1 } };
    ndg_scatter_desc  d = NDG_ZERO_INIT;
    char              out[7] = "------", tall[7] = "------";
    const ptrdiff_t   step = (ptrdiff_t)sizeof(place);
    d.out = ndg_dims2(2, 3);                            /* [y, x] */
    d.indices = ndg_strided2(3, step, 2, -2);           /* y, then x */
    d.elem_size = 1;
    d.index_type = NDG_U16;
    d.gaps = NDG_GAPS_KEEP;
    CHECK(ndg_scatter_nd(out, 6, "abc", &at[0].y, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "--abc-"));
    d.out = ndg_dims2(3, 2);                            /* [x, y] */
    d.indices = ndg_strided2(3, step, 2, 2);
    CHECK(ndg_scatter_nd(tall, 6, "abc", &at[0].x, &d, &r) == NDG_OK);
    CHECK(!strcmp(tall, "-b-ca-"));
    d.indices = ndg_strided2(3, -step, 2, 2);           /* the last row first */
    at[0] = at[2];
    CHECK(ndg_scatter_nd(tall, 6, "xyz", &at[2].x, &d, &r) == NDG_OK);
    CHECK(!strcmp(tall, "-y-za-"));
    at[1].y = 2;
    d.policy = NDG_DROP;
    CHECK(ndg_scatter_nd(tall, 6, "def", &at[2].x, &d, &r) == NDG_OK);
    CHECK(!strcmp(tall, "-y-fa-") && bad_is(&r.bad, "1 1 1 2 2", 1));
    /* one number is both components */
    d.out = ndg_dims2(3, 3);
    d.indices = ndg_strided2(3, 1, 2, 0);
    d.index_type = NDG_U8;
    d.gaps = NDG_GAPS_ZERO;
    {
        char          square[9];
        const uint8_t one[3] = { 0, 1, 2 };
        CHECK(ndg_scatter_nd(square, 9, "abc", one, &d, &r) == NDG_OK);
        CHECK(!memcmp(square, "a\0\0\0b\0\0\0c", 9));
    }
}

/* data: stride 0 repeats, a negative one goes backwards. */
static void strided_data(void)
{
    static const uint8_t at[4] = { 2, 0, 3, 1 };
    ndg_scatter_desc     d = NDG_ZERO_INIT;
    char                 out[9] = "--------";
    d.out = ndg_dims2(4, 2);
    d.indices = ndg_dims2(3, 1);
    d.elem_size = 1;
    d.index_type = NDG_U8;
    d.gaps = NDG_GAPS_KEEP;
    d.data = ndg_strided2(3, 0, 2, 1);                  /* one row for all */
    CHECK(ndg_scatter_nd(out, 8, "ab", at, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "ab--abab"));
    d.data = ndg_strided2(3, 0, 2, 0);                  /* one element */
    CHECK(ndg_scatter_nd(out, 8, "z", at, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "zz--zzzz"));
    d.data = ndg_strided2(3, 1, 2, 0);                  /* one of each row */
    CHECK(ndg_scatter_nd(out, 8, "xyz", at, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "yy--xxzz"));
    d.data = ndg_strided2(3, -2, 2, 1);
    CHECK(ndg_scatter_nd(out, 8, &"abcdef"[4], at, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "cd--efab"));
    d.data = ndg_strided2(3, -2, 2, -1);
    CHECK(ndg_scatter_nd(out, 8, &"abcdef"[5], at, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "dc--feba"));
    d.data = ndg_strided2(3, 1, 2, 3);                  /* planes */
    CHECK(ndg_scatter_nd(out, 8, "abcdef", at, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "be--adcf"));
    d.data = ndg_strided2(3, 3, 2, 2);                  /* gaps */
    CHECK(ndg_scatter_nd(out, 8, "abcdefghi", at, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "df--acgi"));
    /* rows of two axes, one of which repeats */
    d.indices = ndg_dims3(2, 2, 1);
    d.data = ndg_strided3(2, 0, 2, 2, 2, 1);
    CHECK(ndg_scatter_nd(out, 8, "abcd", at, &d, &r) == NDG_OK);
    CHECK(!strcmp(out, "cdcdabab"));
}

/* Slots in the order of memory, whatever their axes are; what lies between
 * stays, in both ways of gaps. */
static void strided_out(void)
{
    static const uint8_t at[6] = { 0, 2, 1, 0, 1, 2 };
    static const uint8_t row[2] = { 2, 0 };
    ndg_scatter_desc     d = NDG_ZERO_INIT;
    ndg_scatter_plan     plan;
    char                 out[20];
    int                  gaps;
    d.elem_size = 1;
    d.index_type = NDG_U8;
    for (gaps = 0; gaps < 3; gaps += 2) {
        const char nobody = gaps ? '-' : 0;
        d.gaps = gaps;
        /* [3,2] in planes: slots are columns of two elements, 4 apart */
        d.out = ndg_strided2(3, 1, 2, 4);
        d.indices = ndg_dims2(2, 1);
        memset(out, '-', sizeof out);
        CHECK(ndg_plan_scatter_nd(&plan, &d, &r) == NDG_OK);
        CHECK(plan.out_bytes == 7 && plan.slots == 3);
        CHECK(ndg_scatter_run(&plan, out, 7, "abcd", row, &r) == NDG_OK);
        CHECK(out[0] == 'c' && out[1] == nobody && out[2] == 'a'
              && out[3] == '-' && out[4] == 'd' && out[5] == nobody
              && out[6] == 'b' && out[7] == '-');
        /* [2,3], the first axis fastest: slots 0 1 2 ... are 00 10 01 11 */
        d.out = ndg_strided2(2, 2, 3, 4);
        d.indices = ndg_dims2(3, 2);
        memset(out, '-', sizeof out);
        CHECK(ndg_plan_scatter_nd(&plan, &d, &r) == NDG_OK);
        CHECK(plan.out_bytes == 11 && plan.slots == 6);
        CHECK(ndg_scatter_run(&plan, out, 11, "ABC", at, &r) == NDG_OK);
        CHECK(out[0] == nobody && out[2] == 'B' && out[4] == nobody
              && out[6] == nobody && out[8] == 'A' && out[10] == 'C');
        CHECK(out[1] == '-' && out[3] == '-' && out[5] == '-' && out[7] == '-'
              && out[9] == '-' && out[11] == '-');
        memset(out, '-', sizeof out);
        CHECK(ndg_scatter_run_range(&plan, out, 3, "ABC", at, 1, 2, &r)
              == NDG_OK && out[2] == 'B' && out[0] == '-' && out[4] == '-');
        CHECK(ndg_scatter_run_range(&plan, out, 9, "ABC", at, 3, 5, &r)
              == NDG_OK && out[6] == nobody && out[8] == 'A');
        CHECK(out[4] == '-' && out[10] == '-');
        /* rows of three with a gap between them and between elements */
        d.out = ndg_strided2(2, 9, 3, 2);
        d.indices = ndg_dims2(1, 1);
        memset(out, '-', sizeof out);
        CHECK(ndg_scatter_nd(out, 14, "abc", at + 2, &d, &r) == NDG_OK);
        CHECK(out[0] == nobody && out[1] == '-' && out[2] == nobody
              && out[3] == '-' && out[4] == nobody
              && !memcmp(out + 5, "----a-b-c-", 10));
        /* a batch axis inside of the slots */
        d.out = ndg_strided3(2, 1, 3, 4, 2, 2);
        d.batch_dims = 1;
        d.indices = ndg_dims3(2, 1, 1);
        memset(out, '-', sizeof out);
        CHECK(ndg_scatter_nd(out, 12, "abcd", row, &d, &r) == NDG_OK);
        CHECK(out[0] == nobody && out[1] == 'c' && out[2] == nobody
              && out[3] == 'd' && out[8] == 'a' && out[10] == 'b'
              && out[9] == nobody && out[11] == nobody && out[12] == '-');
        d.batch_dims = 0;
    }
}

/* Of a packed out, slot s is slice_bytes bytes from s * slice_bytes on. Any
 * range writes its own slots and nothing else. */
static void slots_of_a_packed_out(void)
{
    static const int8_t    at[8] = { 0, 0, 1, 1, 0, 2, 1, 0 };
    static const ptrdiff_t size[5] = { 1, 3, 4, 8, 40 };
    ndg_scatter_desc       d = NDG_ZERO_INIT;
    ndg_scatter_plan       plan;
    unsigned char          data[160], out[240], want[240];
    ptrdiff_t              a, b, bytes;
    int                    i, form;
    for (i = 0; i < 160; i++) data[i] = (unsigned char)(i + 1);
    d.indices = ndg_dims2(4, 2);
    d.index_type = NDG_I8;
    for (form = 0; form < 20; form++) {
        bytes = size[form / 4];
        d.gaps = form & 2;
        d.elem_size = form & 1 ? bytes : 1;
        d.out = form & 1 ? ndg_dims2(2, 3) : ndg_dims3(2, 3, bytes);
        CHECK(ndg_plan_scatter_nd(&plan, &d, &r) == NDG_OK);
        CHECK(plan.slots == 6 && plan.by.slice_bytes == bytes
              && plan.out_bytes == 6 * bytes && plan.by.rows == 4);
        for (a = 0; a <= 6; a++)
            for (b = a; b <= 6; b++) {
                memset(out, FRESH, sizeof out);
                memset(want, FRESH, sizeof want);
                if (d.gaps == NDG_GAPS_ZERO)
                    memset(want + a * bytes, 0, (size_t)((b - a) * bytes));
                for (i = 0; i < 4; i++) {
                    ptrdiff_t s = 3 * at[2 * i] + at[2 * i + 1];
                    if (s >= a && s < b)
                        memcpy(want + s * bytes, data + i * bytes,
                               (size_t)bytes);
                }
                CHECK(ndg_scatter_run_range(&plan, out, b * bytes, data, at,
                                            a, b, &r) == NDG_OK);
                CHECK(!memcmp(out, want, sizeof out));
                if (a == b) continue;
                CHECK(ndg_scatter_run_range(&plan, out, b * bytes - 1, data,
                                            at, a, b, &r) == NDG_E_CAPACITY);
                CHECK(r.value == b * bytes - 1 && r.bound == b * bytes
                      && r.operand == NDG_ARG_OUT);
                CHECK(!memcmp(out, want, sizeof out));
                CHECK(ndg_scatter_fits(&plan, out, b * bytes, data, at, a, b,
                                       &r) == NDG_OK && report_clean(&r));
                CHECK(ndg_scatter_fits(&plan, out, b * bytes - 1, data, at, a,
                                       b, &r) == NDG_E_CAPACITY);
            }
    }
}

/* gather_nd reads back what scatter_nd wrote, if no place was named twice. */
static void there_and_back(void)
{
    static const uint8_t at[8] = { 3, 1, 0, 0, 2, 1, 1, 0 };
    ndg_scatter_desc     d = NDG_ZERO_INIT;
    ndg_gather_desc      g = NDG_ZERO_INIT;
    char                 data[13] = "abcdefghijkl", out[24], back[13] = "";
    ptrdiff_t            dims[3];
    d.out = g.params = ndg_dims3(4, 2, 3);
    d.indices = g.indices = ndg_dims2(4, 2);
    d.elem_size = g.elem_size = 1;
    d.index_type = g.index_type = NDG_U8;
    CHECK(ndg_scatter_nd(out, 24, data, at, &d, &r) == NDG_OK);
    CHECK(ndg_gather_nd(back, 12, out, at, &g, &r) == NDG_OK);
    CHECK(!strcmp(back, data));
    /* the default shape of data is that of this gather's out */
    CHECK(ndg_gather_nd_out_dims(&g, dims, 3) == 2);
    d.data = ndg_dims(2, dims, 0);
    CHECK(ndg_scatter_nd(out, 24, data, at, &d, &r) == NDG_OK);
}

/* ---- sizes and places ----------------------------------------------------*/

/* (What is refused, and how it is told: test_report.) */
static ndg_scatter_desc desc;
static ndg_scatter_plan plan;
static unsigned char    box[4096];
static const int32_t    ids[8] = { 0, 1, 2, 0, 1, 2, 0, 1 };

/* out [3,4] of 4 bytes, two rows of it: what each case begins with. */
static void begin(void)
{
    static const ndg_scatter_desc zero = NDG_ZERO_INIT;
    desc = zero;
    desc.out = ndg_dims2(3, 4);
    desc.indices = ndg_dims2(2, 1);
    desc.elem_size = 4;
}

static int plan_is_made(void)
{
    return ndg_plan_scatter_nd(&plan, &desc, &r) == NDG_OK;
}

/* Batches that reach the rank of out, as many levels as there may be, strides
 * that nobody takes. */
static void most_axes(void)
{
    static const ptrdiff_t huge[3] = { BIG, PTRDIFF_MIN, -BIG };
    ptrdiff_t              two[17];
    int                    i;
    begin();
    desc.batch_dims = 2;
    desc.indices = ndg_dims3(3, 4, 0);
    CHECK(plan_is_made() && plan.slots == 12 && plan.by.rows == 12);
    for (i = 0; i < 3; i++) {
        begin();
        desc.indices = ndg_strided2(1, huge[i], 1, huge[i]);
        desc.data = ndg_strided2(1, huge[i], 4, 4);
        desc.out = ndg_strided2(3, 16, 4, 4);
        CHECK(ndg_scatter_nd(box, 48, box + 64, ids, &desc, &r) == NDG_OK);
        desc.out = ndg_strided3(1, BIG, 3, 16, 4, 4);
        desc.indices = ndg_dims2(1, 2);
        desc.data = ndg_strided2(1, 0, 4, 4);
        CHECK(ndg_scatter_nd(box, 48, box + 64, ids, &desc, &r) == NDG_OK);
    }
    /* of packed arrays only slots can be too many: 16 components of a batch */
    for (i = 0; i < 17; i++) two[i] = 2;
    begin();
    desc.elem_size = 1;
    desc.batch_dims = 1;
    desc.out = ndg_dims(17, two, NULL);
    desc.indices = ndg_dims3(2, 1, 16);
    i = ndg_plan_scatter_nd(&plan, &desc, &r);
    CHECKF(i == NDG_OK || (i == NDG_E_LEVELS && r.operand == NDG_ARG_OUT),
           "16 components and a batch: %s", report_text(&r));
    desc.batch_dims = 0;
    desc.indices = ndg_dims2(2, 16);
    CHECK(plan_is_made() && plan.slots == 65536 && plan.by.slice_bytes == 2);
    two[0] = 0;
    desc.out = ndg_dims(17, two, NULL);
    CHECK(plan_is_made() && plan.slots == 0);
}

/* As large as they may be, and products that an extent of 0 makes harmless. */
static void sizes(void)
{
    static const int32_t at[4] = { 0, 5, 1, 0 };
    begin();
    desc.out = ndg_dims2(BIG / 4, 1);
    CHECK(plan_is_made()
          && plan.slots == BIG / 4 && plan.out_bytes == BIG / 4 * 4);
    CHECK(ndg_scatter_run_range(&plan, box, 4, box + 64, ids, 0, 1, &r)
          == NDG_OK);
    CHECK(ndg_scatter_run(&plan, box, BIG / 4 * 4 - 1, box + 64, ids, &r)
          == NDG_E_CAPACITY);
    begin();
    desc.out = ndg_dims1(BIG);
    desc.elem_size = 1;
    CHECK(plan_is_made()
          && plan.slots == BIG && plan.out_bytes == BIG);
    memset(box, FRESH, 8);
    CHECK(ndg_scatter_run_range(&plan, box, 2, "abcd", ids, 0, 2, &r)
          == NDG_OK && box[0] == 'a' && box[1] == 'b' && box[2] == FRESH);
    CHECK(ndg_scatter_run_range(&plan, box, BIG - 1, "abcd", ids, BIG - 1,
                                BIG, &r) == NDG_E_CAPACITY && r.bound == BIG);
    begin();
    desc.out = ndg_dims3(BIG, BIG, 0);
    CHECK(plan_is_made()
          && plan.slots == BIG && plan.out_bytes == 0);
    CHECK(ndg_scatter_run_range(&plan, 0, 0, 0, at, 0, 1, &r) == NDG_OK);
    CHECK(ndg_scatter_run_range(&plan, 0, 0, 0, at, BIG, BIG, &r) == NDG_OK);
    begin();
    desc.out = ndg_dims3(BIG, 0, BIG);
    desc.indices = ndg_dims2(2, 3);
    CHECK(plan_is_made() && plan.slots == 0);
    CHECK(ndg_scatter_run(&plan, 0, 0, 0, ids, &r) == NDG_E_INDEX
          && bad_is(&r.bad, "2 0 1 1 0", 0));
    begin();
    desc.indices = ndg_dims3(BIG, 0, 1);
    CHECK(plan_is_made()
          && plan.by.rows == 0 && plan.slots == 3);
    desc.indices = ndg_dims3(0, BIG, 1);
    CHECK(plan_is_made()
          && plan.by.rows == 0);
    /* more rows than there are bytes, of which a check reads two */
    begin();
    desc.indices = ndg_strided2(BIG / 64, 0, 1, 0);
    CHECK(plan_is_made()
          && plan.by.rows == BIG / 64);
    CHECK(ndg_scatter_check(&plan, at + 1, BIG / 64 - 2, BIG / 64, &r)
          == NDG_E_INDEX && r.bad.count == 2
          && r.bad.position == BIG / 64 - 2 && r.bad.value == 5);
}

/* A pointer is needed iff something can be read or written there. */
static void nulls(void)
{
    static const int32_t bad[2] = { 1, 9 };
    begin();
    desc.indices = ndg_dims2(0, 1);                 /* no rows: to clear */
    CHECK(plan_is_made());
    memset(box, FRESH, 64);
    CHECK(ndg_scatter_run(&plan, box, 48, NULL, NULL, &r) == NDG_OK);
    CHECK(box[0] == 0 && box[47] == 0 && box[48] == FRESH);
    CHECK(ndg_scatter_run(&plan, NULL, 48, NULL, NULL, &r) == NDG_E_NULL);
    CHECK(ndg_scatter_check(&plan, NULL, 0, 0, &r) == NDG_OK);
    CHECK(ndg_scatter_fits(&plan, box, 48, NULL, NULL, 0, 3, &r) == NDG_OK);
    begin();
    desc.indices = ndg_dims2(3, 0);                 /* vectors of nothing */
    CHECK(ndg_scatter_nd(box, 48, box + 64, NULL, &desc, &r) == NDG_OK);
    begin();
    desc.out = ndg_dims2(3, 0);                     /* slices of nothing */
    CHECK(ndg_scatter_nd(NULL, 0, NULL, ids, &desc, &r) == NDG_OK);
    CHECK(ndg_scatter_nd(NULL, 0, NULL, bad, &desc, &r) == NDG_E_INDEX);
    CHECK(ndg_scatter_nd(NULL, 0, NULL, NULL, &desc, &r) == NDG_E_NULL
          && r.operand == NDG_ARG_INDICES);
    desc.policy = NDG_DROP;
    CHECK(ndg_scatter_nd(NULL, 0, NULL, bad, &desc, &r) == NDG_OK
          && bad_is(&r.bad, "1 1 0 9 3", 1));
    begin();
    desc.out = ndg_dims2(0, 4);                     /* no slots, no rows */
    desc.indices = ndg_dims2(0, 1);
    CHECK(ndg_scatter_nd(NULL, 0, NULL, NULL, &desc, &r) == NDG_OK
          && report_clean(&r));
    desc.indices = ndg_dims2(2, 1);                 /* no slots, but rows */
    CHECK(ndg_scatter_nd(NULL, 0, NULL, bad, &desc, &r) == NDG_E_INDEX);
    CHECK(ndg_scatter_nd(NULL, 0, NULL, NULL, &desc, &r) == NDG_E_NULL);
    CHECK(plan_is_made());
    CHECK(ndg_scatter_run_range(&plan, NULL, 0, NULL, bad, 0, 0, &r)
          == NDG_E_INDEX && r.bad.position == 0);
}

/* out and an input that touch, and that share one byte. */
static void overlaps(void)
{
    unsigned char *at = box + 1024;
    int            where, range;
    begin();
    CHECK(plan_is_made());
    memset(box, 0, sizeof box);             /* as indices: 0, 0 */
    for (range = 0; range < 2; range++)
        for (where = -70; where <= 70; where++) {
            /* slots 0 ... 2, or 1 alone, with 32 bytes of data, 8 of indices */
            const int low = range ? 16 : 0, high = range ? 32 : 48;
            const int data = where + 32 > low && where < high;
            const int indices = where + 8 > low && where < high;
            const ptrdiff_t first = range ? 1 : 0, last = range ? 2 : 3;
            int got = ndg_scatter_fits(&plan, at, 48, at + where, ids, first,
                                       last, &r);
            CHECKF(got == (data ? NDG_E_OVERLAP : NDG_OK)
                   && r.operand == (data ? NDG_ARG_DATA : 0),
                   "data at %d, range %d: %s", where, range, report_text(&r));
            got = ndg_scatter_run_range(&plan, at, 48, at + where, ids, first,
                                        last, &r);
            CHECKF(got == (data ? NDG_E_OVERLAP : NDG_OK),
                   "data at %d, range %d: %s", where, range, report_text(&r));
            memset(box, 0, sizeof box);
            got = ndg_scatter_run_range(&plan, at, 48, ids, at + where, first,
                                        last, &r);
            CHECKF(got == (indices ? NDG_E_OVERLAP : NDG_OK)
                   && r.operand == (indices ? NDG_ARG_INDICES : 0),
                   "indices at %d, range %d: %s", where, range,
                   report_text(&r));
            memset(box, 0, sizeof box);
        }
    /* of data that goes backwards, what lies before its first byte, too */
    desc.data = ndg_strided2(2, -16, 4, 4);
    CHECK(plan_is_made());
    for (where = -70; where <= 70; where++)
        CHECKF(ndg_scatter_fits(&plan, at, 48, at + where, ids, 0, 3, &r)
               == (where + 16 > 0 && where - 16 < 48 ? NDG_E_OVERLAP : NDG_OK),
               "data backwards from %d: %s", where, report_text(&r));
    /* planes of one block, out every other byte: only DISJOINT takes that */
    begin();
    desc.elem_size = 1;
    desc.out = ndg_strided2(3, 4, 2, 2);
    desc.indices = ndg_dims2(2, 1);
    desc.data = ndg_strided2(2, 4, 2, 2);
    memcpy(box, "a-b-c-d-----", 13);
    CHECK(ndg_scatter_nd(box + 1, 11, box, ids + 1, &desc, &r)
          == NDG_E_OVERLAP && !memcmp(box, "a-b-c-d-----", 12));
    desc.overlap = NDG_OVERLAP_DISJOINT;
    CHECK(ndg_scatter_nd(box + 1, 11, box, ids + 1, &desc, &r) == NDG_OK);
    CHECK(!memcmp(box, "a\0b\0cadb-c-d", 12));
}

/* Of bad rows only the range with slot 0 speaks, and a check may be had of any
 * rows; a range reads only the rows of data that go to its own slots. */
static void ranges(void)
{
    static const int8_t at[5] = { 3, -1, 0, 9, 2 };
    ndg_scatter_desc    d = NDG_ZERO_INIT;
    ndg_scatter_plan    p;
    ndg_report          sum = NDG_ZERO_INIT, part;
    char                out[5] = "----";
    ptrdiff_t           s;
    d.out = ndg_dims1(4);
    d.indices = ndg_dims2(5, 1);
    d.elem_size = 1;
    d.index_type = NDG_I8;
    d.policy = NDG_DROP;
    d.gaps = NDG_GAPS_KEEP;
    CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
    for (s = 3; s >= 0; s--) {
        CHECK(ndg_scatter_run_range(&p, out, 4, "abcde", at, s, s + 1, &part)
              == NDG_OK && part.bad.count == (s ? 0 : 2));
        ndg_report_merge(&sum, &part);
    }
    CHECK(!strcmp(out, "c-ea") && bad_is(&sum.bad, "2 1 0 -1 4", 1));
    for (s = 0; s <= 4; s++) {                  /* a range of none has none */
        CHECK(ndg_scatter_run_range(&p, out, 4, "abcde", at, s, s, &part)
              == NDG_OK && report_clean(&part));
        CHECK(!strcmp(out, "c-ea"));
    }
    CHECK(ndg_scatter_check(&p, at, 0, 1, &r) == NDG_OK && report_clean(&r));
    CHECK(ndg_scatter_check(&p, at, 2, 5, &r) == NDG_OK
          && bad_is(&r.bad, "1 3 0 9 4", 1));
    CHECK(ndg_scatter_check(&p, at, 0, 5, &r) == NDG_OK
          && bad_is(&r.bad, "2 1 0 -1 4", 1));
    d.policy = NDG_ASSUME_VALID;                /* but not what is checked */
    CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
    CHECK(ndg_scatter_check(&p, at, 0, 5, &r) == NDG_E_INDEX
          && bad_is(&r.bad, "2 1 0 -1 4", 1));
    CHECK(ndg_scatter_check(&p, at, 4, 5, &r) == NDG_OK && report_clean(&r));
    /* the refusals of ranges, merged: the largest need */
    d.policy = NDG_ERROR;
    CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
    memset(&sum, 0, sizeof sum);
    for (s = 0; s < 4; s++) {
        ndg_scatter_run_range(&p, out, 1, "abcde", at, s, s + 1, &part);
        ndg_report_merge(&sum, &part);
    }
    CHECK(sum.status == NDG_E_CAPACITY && sum.value == 1 && sum.bound == 4);
    /* data of which only row 0 is there, on a heap that a sanitizer guards */
    {
        char *one = (char *)malloc(1);
        if (!one) exit(2);
        one[0] = 'z';
        d.policy = NDG_DROP;
        d.overlap = NDG_OVERLAP_DISJOINT;
        CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
        CHECK(ndg_scatter_run_range(&p, out, 4, one, at, 3, 4, &r) == NDG_OK);
        CHECK(!strcmp(out, "c-ez"));
        free(one);
    }
}

/* ---- many rows -----------------------------------------------------------*/

/* What the rows of a large case are like. */
enum { RANDOM, RISING, SAME, MOODS };

typedef struct large {
    ptrdiff_t      rows, bytes, slots;
    ptrdiff_t      extent[5];
    int            depth, type, mood, bad, planar;
    ptrdiff_t      repeats;         /* rows of data there are, then again */
    ptrdiff_t      step;            /* bytes between slots of out */
    unsigned char *at, *data, *out, *want;
    ndg_bad        first;           /* what has to be told */
} large;

static random_source numbers;

/* Random index rows as `type`; of every 50 rows one is bad, if they are. */
static void large_indices(large *g)
{
    const ptrdiff_t w = index_bytes(g->type);
    ptrdiff_t       n, s;
    int             k;
    for (n = 0; n < g->rows; n++) {
        s = g->mood == RANDOM ? random_below(&numbers, (int)g->slots)
          : g->mood == RISING ? n % g->slots : g->slots / 2;
        for (k = g->depth - 1; k >= 0; k--) {
            index_put(g->at + (n * g->depth + k) * w, g->type,
                      s % g->extent[k]);
            s /= g->extent[k];
        }
        if (g->bad && !random_below(&numbers, 50)) {
            k = random_below(&numbers, g->depth);
            index_put(g->at + (n * g->depth + k) * w, g->type,
                      g->extent[k] + random_below(&numbers, 100 / 5));
        }
    }
}

/* The loop that anybody would write. */
static void large_wanted(large *g, int gaps)
{
    const ptrdiff_t w = index_bytes(g->type);
    ptrdiff_t       n, e;
    int             k, is_u64;
    memset(&g->first, 0, sizeof g->first);
    if (gaps == NDG_GAPS_ZERO)
        for (n = 0; n < g->slots; n++)
            for (e = 0; e < g->bytes; e++)
                g->want[g->planar ? e * g->step + n : n * g->step + e] = 0;
    for (n = 0; n < g->rows; n++) {
        ptrdiff_t            s = 0;
        const unsigned char *from = g->data + n % g->repeats * g->bytes;
        for (k = 0; k < g->depth; k++) {
            const int64_t v = index_get(g->at + (n * g->depth + k) * w,
                                        g->type, &is_u64);
            if (is_u64 || v < 0 || v >= g->extent[k]) {
                if (!g->first.count++) {
                    g->first.position = n;
                    g->first.component = k;
                    g->first.value = v;
                    g->first.is_u64 = is_u64;
                    g->first.extent = g->extent[k];
                }
                break;
            }
            s = s * g->extent[k] + (ptrdiff_t)v;
        }
        if (k < g->depth) continue;
        if (!g->planar) memcpy(g->want + s * g->step, from, (size_t)g->bytes);
        else for (e = 0; e < g->bytes; e++) g->want[e * g->step + s] = from[e];
    }
}

static void large_case(large *g, int gaps, int policy)
{
    ndg_scatter_desc d = NDG_ZERO_INIT;
    ndg_scatter_plan p;
    ndg_report       sum = NDG_ZERO_INIT, part;
    ptrdiff_t        dims[6], steps[6], s, span, cut[4], size;
    int              k, parts;
    g->slots = 1;
    for (k = 0; k < g->depth; k++) g->slots *= g->extent[k];
    span = g->planar ? (g->bytes - 1) * g->step + g->slots
                     : (g->slots - 1) * g->step + g->bytes;
    size = g->rows * g->depth * index_bytes(g->type);
    g->at = (unsigned char *)malloc((size_t)size);
    g->data = (unsigned char *)malloc((size_t)(g->repeats * g->bytes));
    g->out = (unsigned char *)malloc((size_t)span);
    g->want = (unsigned char *)malloc((size_t)span);
    if (!g->at || !g->data || !g->out || !g->want) exit(2);
    large_indices(g);
    random_fill(&numbers, g->data, g->repeats * g->bytes);
    memset(g->want, FRESH, (size_t)span);
    large_wanted(g, gaps);

    s = g->planar ? 1 : g->step;
    for (k = g->depth - 1; k >= 0; k--) {
        dims[k] = g->extent[k];
        steps[k] = s;
        s *= dims[k];
    }
    dims[g->depth] = g->bytes;
    steps[g->depth] = g->planar ? g->step : 1;
    d.out = ndg_dims(g->depth + 1, dims, steps);
    d.indices = ndg_dims2(g->rows, g->depth);
    d.elem_size = 1;
    if (!g->planar && random_below(&numbers, 2)) {     /* one element a row */
        d.out = ndg_dims(g->depth, dims, steps);
        d.elem_size = g->bytes;
    }
    if (g->repeats < g->rows) {         /* rows in two axes, one repeats */
        d.indices = ndg_dims3(g->rows / g->repeats, g->repeats, g->depth);
        if (d.elem_size == 1)
            d.data = ndg_strided3(g->rows / g->repeats, 0, g->repeats,
                                  g->bytes, g->bytes, 1);
        else
            d.data = ndg_strided2(g->rows / g->repeats, 0, g->repeats,
                                  g->bytes);
    }
    d.index_type = g->type;
    d.gaps = gaps;
    d.policy = policy;
    CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK && p.out_bytes == span
          && p.slots == g->slots && p.by.rows == g->rows);
    cut[0] = 0;
    cut[1] = random_below(&numbers, (int)g->slots + 1);
    cut[2] = cut[1] + random_below(&numbers, (int)(g->slots - cut[1]) + 1);
    cut[3] = g->slots;
    for (parts = 1; parts <= 3; parts += 2) {
        memset(g->out, FRESH, (size_t)span);
        if (parts == 1) {
            ndg_scatter_run(&p, g->out, span, g->data, g->at, &sum);
        } else {
            memset(&sum, 0, sizeof sum);
            for (k = 2; k >= 0; k--) {
                ndg_scatter_run_range(&p, g->out, span, g->data, g->at, cut[k],
                                      cut[k + 1], &part);
                ndg_report_merge(&sum, &part);
            }
        }
        CHECKF(!memcmp(g->out, g->want, (size_t)span) && !sum.status
               && (policy == NDG_ASSUME_VALID
                   || bad_same(&sum.bad, &g->first, 1)),
               "%ld rows of %ld bytes, depth %d, %s, mood %d, gaps %d, policy "
               "%d, planar %d, %d parts: %s", (long)g->rows, (long)g->bytes,
               g->depth, index_name(g->type), g->mood, gaps, policy,
               g->planar, parts, report_text(&sum));
    }
    free(g->at);
    free(g->data);
    free(g->out);
    free(g->want);
}

static void many_rows(void)
{
    static const ptrdiff_t bytes[12] = { 1, 2, 3, 4, 8, 12, 16, 24, 64, 100,
                                         128, 200 };
    static const ptrdiff_t extent[5][5] = {
        { 20011, 0, 0, 0, 0 }, { 151, 133, 0, 0, 0 }, { 29, 27, 26, 0, 0 },
        { 13, 12, 12, 11, 0 }, { 8, 7, 7, 7, 8 }
    };
    int b, k, gaps, turn = 0;
    for (b = 0; b < 13; b++)
        for (k = 0; k < 5; k++)
            for (gaps = 0; gaps < 6; gaps++, turn++) {
                large g;
                int   i;
                memset(&g, 0, sizeof g);
                g.rows = g.repeats = 20000;
                g.bytes = b < 12 ? bytes[b] : 4096;
                g.depth = k + 1;
                for (i = 0; i < 5; i++) g.extent[i] = extent[k][i];
                if (b == 12) {          /* as long, but of fewer slots */
                    g.extent[0] = 1 + 900 / (g.extent[1] ? g.extent[1] : 1)
                                      / (g.extent[2] ? g.extent[2] : 1)
                                      / (g.extent[3] ? g.extent[3] : 1);
                    g.repeats = 100;
                    g.rows = 2000;
                    if (k == 4) g.extent[4] = 1;
                }
                g.type = turn % INDEX_TYPES;
                while (!index_holds(g.type, g.extent[0] + 20, 0))
                    g.type = (g.type + 1) % INDEX_TYPES;
                g.mood = turn % MOODS;
                g.bad = gaps & 1;
                g.planar = gaps > 3 && g.bytes <= 24;
                g.step = g.planar ? 0 : g.bytes + (gaps == 2 ? 3 : 0);
                if (g.planar) {
                    g.step = 5;
                    for (i = 0; i <= k; i++)
                        g.step = i ? g.step * g.extent[i] : g.extent[i];
                    g.step += 5;
                }
                large_case(&g, gaps & 2 ? NDG_GAPS_KEEP : NDG_GAPS_ZERO,
                           g.bad ? NDG_DROP : gaps & 4 ? NDG_ASSUME_VALID
                                                       : NDG_ERROR);
            }
}

int main(void)
{
    tables();
    structs_are_vectors();
    strided_data();
    strided_out();
    slots_of_a_packed_out();
    there_and_back();
    most_axes();
    sizes();
    nulls();
    overlaps();
    ranges();
    many_rows();
    return test_end("test_scatter");
}
