/* fuzz_rows.c - ndg_gather_rows, and the small functions: what indices become,
 * coordinates, texts of any report, and reports that are added up. */
#include "fuzz.h"

#define ROWS_MOST 3000

typedef struct rows_case {
    ptrdiff_t   rows, row_bytes, row_stride, count, step, out_bytes;
    int         type, policy;
    view        table, indices, out;
    unsigned    may;          /* what it may be refused for */
    int         must;
    ndg_report  want;
    unsigned char *fresh, *expect;
} rows_case;

static rows_case c;

static void print_case(void)
{
    printf("    rows %ld of %ld, %ld apart; %ld indices of type %d, policy %d, "
           "out of %ld\n", (long)c.rows, (long)c.row_bytes,
           (long)c.row_stride, (long)c.count, c.type, c.policy,
           (long)c.out_bytes);
}

/* ---- one call ------------------------------------------------------------*/

static void take_case(input *in)
{
    const int flags = take(in), more = take(in), extreme = flags >= 192;
    memset(&c, 0, sizeof c);
    c.type = flags % 8;
    c.policy = more % 8;
    c.rows = take_extent(in, 0, extreme);
    c.row_bytes = flags & 8 ? take_elem(in) : take_extent(in, 0, extreme);
    if (more & 8) advance(&c.row_stride, 1, c.row_bytes);
    if (more & 8) advance(&c.row_stride, 1, (int8_t)take(in));
    if (more & 16) c.row_stride = (int8_t)take(in);
    if (more & 32 && extreme) c.row_stride = take_number(in);
    c.count = take_extent(in, 0, extreme);
    if (more >= 240) c.policy = take_wrong(in);
    if (more >= 248) c.type = take_wrong(in);
}

static void fault(int status, int must)
{
    c.may |= 1u << status;
    if (must) c.must = 1;
}

/* What can be said before anything is read. */
static void foretell(void)
{
    wide span, all;
    const int type = c.type >= 0 && c.type < INDEX_TYPES;
    if (!type) fault(NDG_E_TYPE, 1);
    if (c.policy < 0 || c.policy > NDG_ASSUME_VALID || c.policy == NDG_FILL)
        fault(NDG_E_OPTION, 1);
    if (c.rows < 0) fault(NDG_E_COUNT, 1), fault(NDG_E_SHAPE, 1);
    if (c.row_bytes < 0) fault(NDG_E_TYPE, 1), fault(NDG_E_SHAPE, 1);
    if (c.row_bytes < 0) fault(NDG_E_COUNT, 1);
    if (c.count < 0) fault(NDG_E_COUNT, 1), fault(NDG_E_SHAPE, 1);
    c.step = c.row_stride ? c.row_stride : c.row_bytes;
    all = (wide)c.count * (wide)c.row_bytes;
    if (all > MOST) fault(NDG_E_OVERFLOW, 1);
    if (type && c.count > 0
        && (wide)c.count * (wide)index_bytes(c.type) > MOST)
        fault(NDG_E_OVERFLOW, 1);
    span = ((wide)c.rows - 1) * (wide)c.step;
    if (span < 0) span = -span;
    if ((wide)c.rows * (wide)c.row_bytes > MOST)
        fault(NDG_E_OVERFLOW, 0);
    if (c.rows > 1 && c.row_bytes && span + (wide)c.row_bytes > MOST) {
        fault(NDG_E_OVERFLOW, 1);
        fault(NDG_E_STRIDE, 1);
    }
}

static int call(const engine *e, void *out, ptrdiff_t room, const void *table,
                const void *indices, ndg_report *r)
{
    *r = report_stale();
    return e->gather_rows(out, room, table, c.rows, c.row_bytes, c.row_stride,
                          indices, c.type, c.count, c.policy, r);
}

/* What must not be: with memory that is not enough, or far away, it is refused
 * before any of it is touched. */
static void call_refused(void)
{
    unsigned char one[1] = { FRESH };
    ndg_report    r;
    int           got;
    for (turn = 0; turn < ENGINES; turn++) {
        got = call(engines[turn], one, 1, one, one, &r);
        EXPECT(got > 0 && c.may >> got & 1, "may %x: %s", c.may,
               report_text(&r));
        EXPECT(r.status == got && r.operand && r.op == NDG_OP_GATHER_ROWS,
               "%s", report_text(&r));
        EXPECT(one[0] == FRESH, "it wrote");
        say(engines[turn], &r, NULL);
    }
}

/* ---- a call that may be --------------------------------------------------*/

static int make_indices(input *in)
{
    random_source   dice = { (uint64_t)take(in) };
    const int       way = below(in, VALUES_WAYS);
    const ptrdiff_t n = index_bytes(c.type);
    ptrdiff_t       i;
    c.indices.high = c.count * n;
    view_alloc(&c.indices, below(in, 16));
    for (i = 0; i < c.count; i++)
        put_index(c.indices.base + i * n, c.type, c.rows, way, &dice, in);
    return 1;
}

static ptrdiff_t row_of(ptrdiff_t i, int64_t *v, int *is_u64, int *bad)
{
    *v = index_get(c.indices.base + i * index_bytes(c.type), c.type, is_u64);
    return look_up(*v, *is_u64, c.rows, c.policy, NDG_NEGATIVE_BAD, bad);
}

static int stops(void)
{
    if (c.policy == NDG_CLIP || c.policy == NDG_WRAP) return c.rows == 0;
    return c.policy == NDG_DEFAULT || c.policy == NDG_ERROR;
}

static void look_rows(void)
{
    ndg_bad  *b = &c.want.bad;
    ptrdiff_t i;
    int64_t   v;
    int       is_u64, bad;
    for (i = 0; i < c.count; i++) {
        row_of(i, &v, &is_u64, &bad);
        if (!bad || b->count++) continue;
        b->position = i;
        b->value = v;
        b->is_u64 = is_u64;
        b->extent = c.rows;
    }
    if (!b->count) return;
    c.want.op = NDG_OP_GATHER_ROWS;
    if (!stops()) return;
    c.want.status = NDG_E_INDEX;
    c.want.operand = NDG_ARG_INDICES;
}

static int make_memory(input *in)
{
    random_source dice = { (uint64_t)take(in) };
    wide          reach = c.rows > 0 && c.row_bytes
                          ? ((wide)c.rows - 1) * (wide)c.step : 0;
    wide          low = reach < 0 ? reach : 0, high = reach > 0 ? reach : 0;
    if (c.rows > 0) high += (wide)c.row_bytes;
    if (!affordable(low, high)) return 0;
    c.table.low = (ptrdiff_t)low;
    c.table.high = (ptrdiff_t)high;
    view_alloc(&c.table, below(in, 16));
    view_noise(&c.table, &dice);
    c.out.high = c.out_bytes = c.count * c.row_bytes;
    view_alloc(&c.out, below(in, 16));
    c.fresh = view_copy(&c.out);
    c.expect = view_copy(&c.out);
    return 1;
}

static void make_expected(void)
{
    const size_t n = (size_t)c.row_bytes;
    ptrdiff_t    i, row;
    int64_t      v;
    int          is_u64, bad;
    for (i = 0; i < c.count && n; i++) {
        unsigned char *to = c.expect + c.out.lead + i * c.row_bytes;
        row = row_of(i, &v, &is_u64, &bad);
        if (row >= 0 && !(bad && stops()))
            memcpy(to, view_at(&c.table, row * c.step), n);
        else if (bad && c.policy == NDG_ZERO) memset(to, 0, n);
    }
}

static void refresh(void)
{
    memcpy(c.out.block, c.fresh, (size_t)view_bytes(&c.out));
}

static void compare(int got, const ndg_report *r)
{
    const ndg_report *w = &c.want;
    const int         half = w->status == NDG_E_INDEX;
    EXPECT(got == w->status && report_same(r, w, !half)
           && r->bad.count >= !!w->bad.count && r->bad.count <= w->bad.count,
           "%d: %s, want %s", got, report_text(r), report_text(w));
    same_bytes(&c.out, c.expect, c.fresh, half);
}

static void refusals(const engine *e)
{
    const void *t = c.table.base, *x = c.indices.base;
    void       *o = c.out.base;
    const ptrdiff_t room = c.out_bytes;
    ndg_report  r;
    refresh();
    if (room) {
        refused(call(e, o, room - 1, t, x, &r), &r, NDG_E_CAPACITY,
                NDG_ARG_OUT);
        EXPECT(r.value == room - 1 && r.bound == room, "%s", report_text(&r));
        refused(call(e, NULL, room, t, x, &r), &r, NDG_E_NULL, NDG_ARG_OUT);
        refused(call(e, o, -1, t, x, &r), &r, NDG_E_CAPACITY, 0);
    }
    if (room && c.rows)
        refused(call(e, o, room, NULL, x, &r), &r, NDG_E_NULL,
                NDG_ARG_PARAMS);
    if (c.count)
        refused(call(e, o, room, t, NULL, &r), &r, NDG_E_NULL,
                NDG_ARG_INDICES);
    EXPECT(!memcmp(c.out.block, c.fresh, (size_t)view_bytes(&c.out)),
           "a refusal wrote");
}

/* Out begins in the last bytes of the table, or of the indices. */
static void overlap(input *in, const engine *e)
{
    const int       table = below(in, 2);
    const view     *a = table ? &c.table : &c.indices;
    const ptrdiff_t n = a->high - a->low;
    ptrdiff_t       shared = 1 + take(in);
    unsigned char  *block, *at;
    ndg_report      r;
    if (!n || !c.out_bytes) return;
    if (shared > n) shared = n;
    if (shared > c.out_bytes) shared = c.out_bytes;
    block = (unsigned char *)grab((size_t)(n + c.out_bytes));
    memcpy(block, a->block + a->lead, (size_t)n);
    at = (unsigned char *)((uintptr_t)block - (uintptr_t)a->low);
    refused(call(e, block + n - shared, c.out_bytes,
                 table ? at : c.table.base, table ? c.indices.base : at, &r),
            &r, NDG_E_OVERLAP, table ? NDG_ARG_PARAMS : NDG_ARG_INDICES);
    free(block);
}

static void run_case(input *in)
{
    ndg_report  r;
    input       rest;
    if (!make_indices(in)) return;
    look_rows();
    if (c.policy == NDG_ASSUME_VALID && c.want.bad.count) return;
    if (!make_memory(in)) return;
    make_expected();
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        refusals(engines[turn]);
        *in = rest;
        overlap(in, engines[turn]);
        refresh();
        compare(call(engines[turn], c.out.base, c.out_bytes, c.table.base,
                     c.indices.base, &r), &r);
        if (r.bad.count) say(engines[turn], &r, NULL);
    }
}

static void free_case(void)
{
    view_free(&c.table);
    view_free(&c.indices);
    view_free(&c.out);
    free(c.fresh);
    free(c.expect);
}

/* ---- small functions -----------------------------------------------------*/

/* A report of anything at all: it has words, and adds up. */
static void take_report(input *in, ndg_report *r)
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

/* Only counts that a call can give are added up. */
static void true_counts(ndg_report *r)
{
    r->bad.count &= PTRDIFF_MAX;
    r->rows.holes &= PTRDIFF_MAX;
    r->rows.duplicates &= PTRDIFF_MAX;
}

static ptrdiff_t sum(ptrdiff_t a, ptrdiff_t b)
{
    return a < PTRDIFF_MAX - b ? a + b : PTRDIFF_MAX;
}

static void check_merge(const engine *e, ndg_report a, ndg_report b)
{
    const ndg_report kept = a;
    true_counts(&a);
    true_counts(&b);
    e->report_merge(&a, NULL);
    e->report_merge(&a, &b);
    EXPECT(a.status == (kept.status > b.status ? kept.status : b.status),
           "%s and %s", report_text(&kept), report_text(&b));
    EXPECT(a.bad.count == sum(kept.bad.count & PTRDIFF_MAX, b.bad.count)
           && a.rows.holes == sum(kept.rows.holes & PTRDIFF_MAX,
                                  b.rows.holes), "%s", report_text(&a));
}

/* Coordinates, by counting up. */
static void check_unravel(input *in)
{
    ptrdiff_t dims[24], got[24], want[24], at;
    const int rank = take_rank(in), cap = below(in, 25);
    int       i, n, axes = take_rank(in);
    ptrdiff_t untold;
    wide      size = 1;
    ndg_shape s;
    memset(&untold, 0x5A, sizeof untold);
    for (i = 0; i < rank; i++) {
        dims[i] = take_extent(in, rank > 6, 0);
        if (i < axes) size *= (wide)dims[i];
    }
    at = size > 0 && size < 1e15L ? (ptrdiff_t)((size_t)take_number(in)
                                       % (size_t)(ptrdiff_t)size) : 0;
    s = ndg_dims(rank, dims, NULL);
    if (size == 0 || size >= 1e15L) return;
    if (axes <= rank) split_position(at, axes, dims, want);
    for (turn = 0; turn < ENGINES; turn++) {
        memset(got, 0x5A, sizeof got);
        n = engines[turn]->unravel(at, &s, axes, got, cap);
        EXPECT(n == (axes > rank ? -1 : axes), "%d axes", n);
        for (i = 0; i < n && i < cap; i++)
            EXPECT(got[i] == want[i], "axis %d", i);
        for (; i < 24; i++) EXPECT(got[i] == untold, "axis %d", i);
    }
}

static void check_texts(input *in)
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
        check_merge(e, a, r);
    }
}

/* The math of an index, against the plainest form of it. */
static void check_index(input *in)
{
    const ptrdiff_t extent = take_number(in), n = extent < 0 ? 0 : extent;
    const int64_t   v = (int64_t)((uint64_t)take_number(in) << take(in) % 3);
    const int       is_u64 = v < 0 && take(in) & 1;
    int             bad;
    ptrdiff_t       clip = look_up(v, is_u64, n, NDG_CLIP, 0, &bad);
    ptrdiff_t       wrap = look_up(v, is_u64, n, NDG_WRAP, 0, &bad);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in;
    in.at = data;
    in.end = data + size;
    switch (below(&in, 8)) {
    case 0: check_texts(&in); return 0;
    case 1: check_unravel(&in); return 0;
    case 2: check_index(&in); return 0;
    default: break;
    }
    take_case(&in);
    foretell();
    tell(print_case);
    if (c.must) call_refused();
    else if (c.count <= ROWS_MOST && c.count * c.row_bytes <= BYTES_MOST)
        run_case(&in);
    free_case();
    return 0;
}
