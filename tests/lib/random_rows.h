/* random_rows.h - ndg_gather_rows, and the small functions: what indices
 * become, coordinates, texts of any report, and reports that are added up. */
#ifndef NDG_TEST_RANDOM_ROWS_H
#define NDG_TEST_RANDOM_ROWS_H

#include "random.h"

/* A gather of [count] indices from a table [rows, row_bytes] of bytes. */
typedef struct table_case {
    ptrdiff_t     rows, row_bytes, row_stride, count;
    int           type, policy;
    oracle_gather g;
    array         params, indices, out, want;
    verdict       v;
    ndg_report    exact;
} table_case;

static table_case table;

static void print_table(void)
{
    printf("    rows %ld of %ld, %ld apart; %ld indices of type %d, policy "
           "%d\n", (long)table.rows, (long)table.row_bytes,
           (long)table.row_stride, (long)table.count, table.type,
           table.policy);
}

/* ---- one call ------------------------------------------------------------*/

static void take_table(choices *in)
{
    const int flags = take(in), more = take(in), extreme = flags >= 192;
    size_t    stride = 0;
    memset(&table, 0, sizeof table);
    table.type = flags % 8;
    table.policy = more % 8;
    table.rows = take_extent(in, 0, extreme);
    table.row_bytes = flags & 8 ? take_elem(in) : take_extent(in, 0, extreme);
    if (more & 8) stride = (size_t)table.row_bytes + (size_t)(int8_t)take(in);
    if (more & 16) stride = (size_t)(int8_t)take(in);
    if (more & 32 && extreme) stride = (size_t)take_number(in);
    table.row_stride = (ptrdiff_t)stride;
    table.count = take_extent(in, 0, extreme);
    if (more >= 240) table.policy = take_wrong(in);
    if (more >= 248) table.type = take_wrong(in);
}

/* The arrays of the call; what can be said before anything is read. */
static void foretell_table(void)
{
    verdict  *v = &table.v;
    array    *p = &table.params, *x = &table.indices, *o = &table.out;
    const int type = table.type >= 0 && table.type < INDEX_TYPES;
    p->rank = o->rank = 2;
    x->rank = 1;
    p->elem = o->elem = 1;
    x->elem = type ? index_bytes(table.type) : 1;
    p->dim[0] = table.rows;
    p->dim[1] = o->dim[1] = table.row_bytes;
    x->dim[0] = o->dim[0] = table.count;
    p->strided = 1;
    array_pack(p);
    array_pack(x);
    array_pack(o);
    if (table.row_stride) p->stride[0] = table.row_stride;
    option_flaws(1, table.type, table.policy, 1, 0, 0, v);
    flaw_if(v, table.policy == NDG_FILL, NDG_E_OPTION);
    if (table.rows < 0 || table.row_bytes < 0 || table.count < 0) {
        flaw(v, NDG_E_COUNT);
        maybe(v, NDG_E_SHAPE);
        maybe(v, NDG_E_OVERFLOW);
    } else {
        verdict of_params = { 0, 0 };
        array_flaws(p, &of_params);
        v->may |= of_params.may;
        flaw_if(v, of_params.may >> NDG_E_STRIDE & 1, NDG_E_STRIDE);
        array_flaws(x, v);
        array_flaws(o, v);
    }
    maybe(v, table.row_bytes < 0 ? NDG_E_TYPE : NDG_OK);
}

static int call_rows(void *out, ptrdiff_t room, const void *params,
                     const void *indices, ndg_report *r)
{
    *r = report_stale();
    return engines[turn]->gather_rows(out, room, params, table.rows,
        table.row_bytes, table.row_stride, indices, table.type, table.count,
        table.policy, r);
}

/* What must not be: with memory that is not enough, or far away, it is refused
 * before any of it is touched. */
static int refuse_table(ndg_report *r)
{
    unsigned char one[1] = { FRESH };
    const int     got = call_rows(one, 1, one, one, r);
    EXPECT(r->op == NDG_OP_GATHER_ROWS && one[0] == FRESH, "%s",
           report_text(r));
    return got;
}

/* ---- a call that may be --------------------------------------------------*/

static int take_table_memory(choices *in)
{
    oracle_gather *g = &table.g;
    value_source   from;
    random_source  dice;
    wide           low, high;
    ptrdiff_t      i;
    g->op = NDG_OP_GATHER;
    g->params = &table.params;
    g->indices = &table.indices;
    g->policy = table.policy;
    g->index_type = table.type;
    EXPECT(oracle_gather_status(g) == NDG_OK, "a table is a table");
    array_span(&table.indices, &low, &high);
    if (!affordable(&table.indices, low, high)) return 0;
    array_span(&table.params, &low, &high);
    if (!affordable(&table.params, low, high)) return 0;
    array_span(&table.out, &low, &high);
    if (!affordable(&table.out, low, high)) return 0;
    take_memory(in, &table.indices);
    from = take_values(in, table.policy == NDG_ASSUME_VALID);
    for (i = 0; i < table.count; i++)
        put_value(array_at(&table.indices, &i), table.type, table.rows, &from);
    dice = take_dice(in);
    take_memory(in, &table.params);
    array_noise(&table.params, &dice);
    take_memory(in, &table.out);
    array_twin(&table.want, &table.out);
    table.exact = oracle_gather_report(g, 0, table.count);
    if (table.exact.op) table.exact.op = NDG_OP_GATHER_ROWS;
    if (table.policy == NDG_ASSUME_VALID && table.exact.bad.count) return 0;
    oracle_gather_write(g, &table.want, 0, table.count);
    return 1;
}

static void refuse_rows(choices *in)
{
    const void     *t = table.params.base, *x = table.indices.base;
    void           *o = table.out.base;
    const ptrdiff_t room = table.out.high;
    const int       arg = below(in, 2) ? NDG_ARG_PARAMS : NDG_ARG_INDICES;
    const array    *a = arg == NDG_ARG_PARAMS ? &table.params : &table.indices;
    ndg_report      r;
    overlap         both;
    array_fresh(&table.out);
    if (room) {
        refused(call_rows(o, room - 1, t, x, &r), &r, NDG_E_CAPACITY,
                NDG_ARG_OUT);
        EXPECT(r.value == room - 1 && r.bound == room, "%s", report_text(&r));
        refused(call_rows(NULL, room, t, x, &r), &r, NDG_E_NULL, NDG_ARG_OUT);
        refused(call_rows(o, -1, t, x, &r), &r, NDG_E_CAPACITY, 0);
    }
    if (room && table.rows)
        refused(call_rows(o, room, NULL, x, &r), &r, NDG_E_NULL,
                NDG_ARG_PARAMS);
    if (table.count)
        refused(call_rows(o, room, t, NULL, &r), &r, NDG_E_NULL,
                NDG_ARG_INDICES);
    untouched(&table.out);
    if (!take_overlap(in, a, &table.out, &both)) return;
    if (both.shared)
        refused(call_rows(both.out, room, arg == NDG_ARG_PARAMS ? both.in : t,
                          arg == NDG_ARG_PARAMS ? x : both.in, &r), &r,
                NDG_E_OVERLAP, arg);
    free(both.block);
}

static void run_table(choices *in)
{
    const choices rest = *in;
    ndg_report    r;
    int           got;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        refuse_rows(in);
        array_fresh(&table.out);
        got = call_rows(table.out.base, table.out.high, table.params.base,
                        table.indices.base, &r);
        same_report(got, &r, &table.exact, 0);
        same_bytes(&table.out, &table.want, got ? HALF : ALL);
        if (r.bad.count) say(engines[turn], &r, NULL);
    }
}

static void try_table(choices *in)
{
    ndg_report r;
    take_table(in);
    foretell_table();
    tell(print_table);
    if (table.v.must) plan_by_all(&table.v, refuse_table, NULL, &r);
    else if (take_table_memory(in)) run_table(in);
    array_free(&table.params);
    array_free(&table.indices);
    array_free(&table.out);
    array_free(&table.want);
}

/* ---- small functions -----------------------------------------------------*/

/* A report of anything at all: it has words, and adds up. */
static void take_report(choices *in, ndg_report *r)
{
    unsigned char *p = (unsigned char *)r;
    size_t         i;
    for (i = 0; i < sizeof *r; i++) p[i] = (unsigned char)take(in);
    if (take(in) & 1) {
        r->status = below(in, NDG_STATUS_COUNT + 1);
        r->op = below(in, 9);
        r->operand = below(in, 32);
        r->axis = below(in, 30);
        r->value = take_number(in);
        r->bound = take_number(in);
        r->bad.count = take_number(in);
        r->bad.position = take_number(in);
        r->bad.is_u64 = below(in, 2);
    }
}

HELPER ptrdiff_t saturated(ptrdiff_t a, ptrdiff_t b)
{
    return a < PTRDIFF_MAX - b ? a + b : PTRDIFF_MAX;
}

/* Only counts that a call can give are added up. */
static void true_counts(ndg_report *r)
{
    r->bad.count &= PTRDIFF_MAX;
    r->rows.holes &= PTRDIFF_MAX;
    r->rows.duplicates &= PTRDIFF_MAX;
}

static void check_merge(ndg_report a, ndg_report b)
{
    ndg_report kept;
    true_counts(&a);
    true_counts(&b);
    kept = a;
    engines[turn]->report_merge(&a, NULL);
    engines[turn]->report_merge(&a, &b);
    EXPECT(a.status == (kept.status > b.status ? kept.status : b.status)
           && a.bad.count == saturated(kept.bad.count, b.bad.count)
           && a.rows.holes == saturated(kept.rows.holes, b.rows.holes)
           && a.rows.duplicates == saturated(kept.rows.duplicates,
                                       b.rows.duplicates),
           "%s and %s: %s", report_text(&kept), report_text(&b),
           report_text(&a));
}

/* Coordinates, by counting up. */
static void check_unravel(choices *in)
{
    ptrdiff_t got[24], want[24], at = 0, untold;
    array     a;
    const int rank = take_rank(in), cap = below(in, 25);
    const int axes = take_rank(in);
    int       i, n;
    wide      size;
    ndg_shape s;
    memset(&untold, 0x5A, sizeof untold);
    take_dims(in, &a, rank, rank > 6, 0);
    if (axes < rank) a.rank = axes;
    size = array_cells(&a);
    if (size > 0 && size < 1e15L)
        at = (ptrdiff_t)((size_t)take_number(in) % (size_t)(ptrdiff_t)size);
    s = ndg_dims(rank, a.dim, NULL);
    if (size == 0 || size >= 1e15L) return;
    coords_of(at, a.rank, a.dim, want);
    for (turn = 0; turn < ENGINES; turn++) {
        memset(got, 0x5A, sizeof got);
        n = engines[turn]->unravel(at, &s, axes, got, cap);
        EXPECT(n == (axes > rank ? -1 : axes), "%d axes", n);
        for (i = 0; i < n && i < cap; i++)
            EXPECT(got[i] == want[i], "axis %d", i);
        for (; i < 24; i++) EXPECT(got[i] == untold, "axis %d", i);
    }
}

static void check_texts(choices *in)
{
    ndg_report r, a;
    ptrdiff_t  dims[7] = { 3, 2, 5, 7, 2, 2, 2 };
    ndg_shape  shape = ndg_dims(below(in, 8), dims, NULL);
    const int  number = below(in, 2) ? take_wrong(in) : (int8_t)take(in);
    take_report(in, &r);
    take_report(in, &a);
    for (turn = 0; turn < ENGINES; turn++) {
        const engine *e = engines[turn];
        say(e, &r, &shape);
        say(e, &r, NULL);
        EXPECT(strlen(e->status_text(number)) < 80, "status");
        EXPECT(strlen(e->arg_text(number)) < 80, "arg");
        EXPECT(e->version() == NDG_VERSION, "version");
        check_merge(a, r);
    }
}

/* The math of an index, against the plainest form of it. */
static void check_index(choices *in)
{
    const ptrdiff_t extent = take_number(in), n = extent < 0 ? 0 : extent;
    const int64_t   v = (int64_t)((uint64_t)take_number(in) << take(in) % 3);
    const int       is_u64 = v < 0 && take(in) & 1;
    int             bad;
    ptrdiff_t       clip = oracle_index(v, is_u64, n, NDG_CLIP, 0, &bad);
    ptrdiff_t       wrap = oracle_index(v, is_u64, n, NDG_WRAP, 0, &bad);
    turn = 0;
    EXPECT(NDG_INDEX_GOOD(v, n) == !bad, "%lld", (long long)v);
    EXPECT(ndg_index_from_end(v, is_u64, n)
           == (v < 0 && !is_u64 ? v + n : v), "%lld", (long long)v);
    EXPECT(ndg_index_place(v, is_u64, n, NDG_ZERO) == -1, "place");
    if (n == 0) return;
    EXPECT(ndg_index_clip(v, is_u64, n) == clip, "%lld", (long long)v);
    EXPECT(ndg_index_wrap(v, is_u64, n) == wrap, "%lld", (long long)v);
    EXPECT(ndg_index_place(v, is_u64, n, NDG_CLIP) == clip, "place");
    EXPECT(ndg_index_place(v, is_u64, n, NDG_WRAP) == wrap, "place");
}

HELPER void try_rows(choices *in)
{
    switch (below(in, 8)) {
    case 0: check_texts(in); break;
    case 1: check_unravel(in); break;
    case 2: check_index(in); break;
    default: try_table(in); break;
    }
}

#endif
