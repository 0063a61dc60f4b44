/* random_rows.h - ndg_gather_rows, ndg_scatter_rows, and the small functions:
 * what indices become, coordinates, texts of any report, and reports that are
 * added up. */
#ifndef NDG_TEST_RANDOM_ROWS_H
#define NDG_TEST_RANDOM_ROWS_H

#include "random_gather.h"

/* A gather of [count] indices from a table [rows, row_bytes] of bytes; or a
 * scatter of [count, 1] into one, as in random_scatter.h. */
static struct {
    ptrdiff_t rows, row_bytes, row_stride, count;
    int       scatters;
    array    *to, *from;              /* what is written, what is read */
} table;

static void print_table(void)
{
    printf("    %s_rows: rows %ld of %ld, %ld apart, of a gather:\n",
           table.scatters ? "scatter" : "gather", (long)table.rows,
           (long)table.row_bytes, (long)table.row_stride);
    print_gather();
}

/* ---- one call ------------------------------------------------------------*/

static void take_table(choices *in)
{
    const int flags = take(in), more = take(in), extreme = flags >= 192;
    array    *p = &ga.params, *x = &ga.indices, *o = &ga.out;
    size_t    stride = 0;
    memset(&ga, 0, sizeof ga);
    table.scatters = below(in, 2);
    table.to = table.scatters ? p : o;
    table.from = table.scatters ? o : p;
    ga.op = table.scatters ? NDG_OP_SCATTER_ROWS : NDG_OP_GATHER_ROWS;
    ga.g.op = table.scatters ? NDG_OP_GATHER_ND : NDG_OP_GATHER;
    ga.d.index_type = flags % 8;
    ga.d.policy = table.scatters ? row_policies[more % 4] : more % 8;
    p->dim[0] = take_extent(in, 0, extreme);
    p->dim[1] = flags & 8 ? take_elem(in) : take_extent(in, 0, extreme);
    if (more & 8) stride = (size_t)p->dim[1] + (size_t)(int8_t)take(in);
    if (more & 16) stride = (size_t)(int8_t)take(in);
    if (more & 32 && extreme) stride = (size_t)take_number(in);
    x->dim[0] = o->dim[0] = take_extent(in, 0, extreme);
    if (more >= 240) ga.d.policy = take_wrong(in);
    if (more >= 248) ga.d.index_type = take_wrong(in);
    p->rank = o->rank = 2;
    x->rank = 1 + table.scatters;
    x->dim[1] = p->elem = o->elem = x->elem = 1;
    o->dim[1] = p->dim[1];
    p->strided = 1;
    array_pack(p);
    array_pack(o);
    if (stride) p->stride[0] = (ptrdiff_t)stride;
    ga.g.params = p;
    ga.g.indices = x;
    table.rows = p->dim[0];
    table.row_bytes = p->dim[1];
    table.row_stride = (ptrdiff_t)stride;
    table.count = x->dim[0];
    finish_gather();
    array_pack(x);
}

/* What can be said before anything is read. */
static void foretell_table(void)
{
    const ndg_gather_desc *d = &ga.d;
    verdict               *v = &ga.v, of_table = { 0, 0 };
    option_flaws(1, d->index_type, d->policy, !table.scatters, 0, 0, v);
    flaw_if(v, !table.scatters && d->policy == NDG_FILL, NDG_E_OPTION);
    if (table.rows < 0 || table.row_bytes < 0 || table.count < 0) {
        flaw(v, NDG_E_COUNT);
        maybe(v, NDG_E_SHAPE);
        maybe(v, NDG_E_OVERFLOW);
        maybe(v, table.row_bytes < 0 ? NDG_E_TYPE : NDG_E_COUNT);
        return;
    }
    array_flaws(&ga.params, &of_table);
    v->may |= of_table.may;
    flaw_if(v, of_table.may >> NDG_E_STRIDE & 1, NDG_E_STRIDE);
    array_flaws(&ga.indices, v);
    array_flaws(&ga.out, v);
    flaw_if(v, table.scatters && table.rows > 1 && table.row_bytes
            && ga.params.stride[0] < table.row_bytes, NDG_E_STRIDE);
}

static int call_rows(void *out, ptrdiff_t room, const void *params,
                     const void *indices, ndg_report *r)
{
    *r = report_stale();
    if (table.scatters)
        return engines[turn]->scatter_rows(out, room, table.rows,
            table.row_bytes, table.row_stride, params, indices,
            ga.d.index_type, table.count, ga.d.policy, r);
    return engines[turn]->gather_rows(out, room, params, table.rows,
        table.row_bytes, table.row_stride, indices, ga.d.index_type,
        table.count, ga.d.policy, r);
}

/* What must not be: with memory that is not enough, or far away, it is refused
 * before any of it is touched. */
static int refuse_table(ndg_report *r)
{
    unsigned char one[1] = { FRESH };
    const int     got = call_rows(one, 1, one, one, r);
    EXPECT(r->op == ga.op && one[0] == FRESH, "%s", report_text(r));
    return got;
}

/* ---- a call that may be --------------------------------------------------*/

static int take_table_memory(choices *in)
{
    EXPECT(oracle_gather_status(&ga.g) == NDG_OK, "a table is a table");
    ga.last = table.count;
    if ((wide)table.count * (wide)table.row_bytes > (wide)BYTES_MOST
        || table.count > ROWS_MOST || !take_gather_memory(in)
        || !ga.whole) return 0;
    ga.want = take_twin(table.to);
    if (table.scatters) {
        random_source dice = take_dice(in);
        if (ga.out.high > ga.out.low) array_noise(&ga.out, &dice);
        array_fresh(&ga.want);
        oracle_scatter_write(&ga.g, &ga.want, &ga.out, 0, table.rows, 0);
    } else {
        oracle_gather_write(&ga.g, &ga.want, 0, table.count);
    }
    return ga.d.policy != NDG_ASSUME_VALID || !ga.exact.bad.count;
}

/* It would begin iff it does not say that they overlap. */
static int rows_fit(void *out, const void *p, const void *x, int run,
                    ndg_report *r)
{
    const int got = call_rows(out, table.to->high, p, x, r);
    return run || got == NDG_E_OVERLAP ? got : NDG_OK;
}

static int run_table_rows(void *out, ptrdiff_t room, ptrdiff_t first,
                          ptrdiff_t last, ndg_report *r)
{
    (void)first;
    (void)last;
    return call_rows(out, room, table.from->base, ga.indices.base, r);
}

static void refuse_rows(void)
{
    const ptrdiff_t room = table.to->high;
    void           *out = table.to->base;
    ndg_report      r;
    refuse_runs(table.to, run_table_rows, ga.op, 0, ga.last, 0);
    if (room && table.rows && table.count)
        refused(call_rows(out, room, NULL, ga.indices.base, &r), &r,
                NDG_E_NULL, table.scatters ? NDG_ARG_DATA : NDG_ARG_PARAMS);
    if (table.count)
        refused(call_rows(out, room, table.from->base, NULL, &r), &r,
                NDG_E_NULL, NDG_ARG_INDICES);
    untouched(table.to);
}

static void run_table(choices *in)
{
    const choices rest = *in;
    ndg_report    r;
    int           got;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        refuse_rows();
        overlap_gather(in, table.from, table.scatters ? NDG_ARG_DATA
                                                      : NDG_ARG_PARAMS,
                       table.to, rows_fit);
        array_fresh(table.to);
        got = call_rows(table.to->base, table.to->high, table.from->base,
                        ga.indices.base, &r);
        same_report(got, &r, &ga.exact, 0);
        same_bytes(table.to, &ga.want, !got ? ALL : table.scatters ? SOME
                                                                   : HALF);
        if (r.bad.count) say(engines[turn], &r, NULL);
    }
}

static void try_table(choices *in)
{
    ndg_report r;
    take_table(in);
    foretell_table();
    tell(print_table);
    if (ga.v.must) plan_by_all(&ga.v, refuse_table, NULL, &r);
    else if (take_table_memory(in)) run_table(in);
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
        r->op = below(in, 11);
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
           b.rows.duplicates), "%s and %s: %s", report_text(&kept),
           report_text(&b), report_text(&a));
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
