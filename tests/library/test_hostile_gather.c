/* test_hostile_gather.c - input made to break the gathers: see hostile.h. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "hostile.h"

/* ---- sizes ---------------------------------------------------------------*/

/* Counts, positions and offsets near and above 2^31 and 2^32. */
static void sizes_truncated_to_32_bits(void)
{
#if PTRDIFF_MAX > 2147483647
    const ptrdiff_t two32 = (ptrdiff_t)1 << 32;
    ndg_gather_desc d = gather_of(1, ndg_dims2(3, 0),
                                  ndg_strided1(4 * two32, 0));
    ndg_gather_plan p;
    int64_t         idx = 5;
    ptrdiff_t       stride[2] = { 0, 1 };
    char            out = 'x';
    /* one bad index, named by every one of 2^34 rows of no bytes */
    d.index_type = NDG_I64;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.rows == 4 * two32 && p.out_bytes == 0);
    IS(ndg_gather_check(&p, &idx, 3 * two32 + 1, 3 * two32 + 9, &r),
       NDG_E_INDEX);
    CHECK(r.bad.count == 8 && r.bad.position == 3 * two32 + 1);
    IS(ndg_gather_run_range(&p, 0, 0, 0, &idx, two32, two32 + 2, &r),
       NDG_E_INDEX);
    CHECK(r.bad.position == two32);
    IS(ndg_gather_run_range(&p, 0, 0, 0, &idx, two32, two32, &r), NDG_OK);
    /* an extent above 2^32 of one and the same byte */
    d = gather_of(1, ndg_dims(1, &two32, stride), ndg_dims1(1));
    d.index_type = NDG_I64;
    idx = two32 - 1;
    IS(ndg_gather(&out, 1, "a", &idx, &d, &r), NDG_OK);
    CHECK(out == 'a');
    idx = two32;
    IS(ndg_gather(&out, 1, "a", &idx, &d, &r), NDG_E_INDEX);
    CHECK(r.bad.extent == two32 && r.bad.value == two32);
#else
    printf("skip: sizes above 2^32: ptrdiff_t has 32 bits\n");
#endif
}

/* ---- shapes --------------------------------------------------------------*/

/* Ranks of thousands: contiguous, and with strides that fold. */
static void ranks_of_thousands(void)
{
    enum { R = 5000 };
    ptrdiff_t      *dims = (ptrdiff_t *)malloc(R * sizeof *dims);
    ptrdiff_t      *strides = (ptrdiff_t *)malloc(R * sizeof *strides);
    ptrdiff_t      *got = (ptrdiff_t *)malloc(2 * R * sizeof *got);
    ndg_gather_desc d;
    ndg_gather_plan p;
    int32_t         idx[2] = { 1, 0 };
    char            out[8];
    ptrdiff_t       step = 1;
    int             i, strided;
    for (i = 0; i < R; i++) dims[i] = 1;
    dims[7] = dims[2500] = dims[4990] = 2;
    for (i = R; i-- > 0;) {
        strides[i] = step;
        step *= dims[i];
    }
    for (strided = 0; strided < 2; strided++) {
        d = gather_of(1, ndg_dims(R, dims, strided ? strides : 0),
                      ndg_dims1(2));
        d.axis = 2500;
        IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
        CHECK(p.out_rank == R && p.out_bytes == 8);
        IS(ndg_gather(out, 8, "abcdefgh", idx, &d, &r), NDG_OK);
        CHECK(!memcmp(out, "cdabghef", 8));
        CHECK(ndg_gather_out_dims(&d, got, R) == R && got[4990] == 2);
        CHECK(ndg_gather_out_dims(&d, got, 3) == R);
        d = gather_of(1, ndg_dims1(2), ndg_dims(R, dims, 0));
        CHECK(ndg_gather_out_dims(&d, got, 2 * R) == R);
    }
    /* indices of thousands of axes */
    {
        int32_t many[8] = { 0, 1, 1, 0, 1, 1, 0, 0 };
        for (i = 0; i < R; i++) strides[i] *= 4;
        for (strided = 0; strided < 2; strided++) {
            d = gather_of(1, ndg_dims1(2), ndg_dims(R, dims, strided ? strides
                                                                     : 0));
            IS(ndg_gather(out, 8, "xy", many, &d, &r), NDG_OK);
            CHECK(!memcmp(out, "xyyxyyxx", 8));
        }
    }
    /* batch axes by the thousand, and an index vector that is too long */
    d = gather_of(1, ndg_dims(R, dims, 0), ndg_dims(R, dims, 0));
    d.batch_dims = R - 1;
    IS(ndg_gather(out, 8, "abcdefgh", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", &d, &r), NDG_OK);
    CHECK(!memcmp(out, "abcdefgh", 8));
    d = gather_of(1, ndg_dims(R, dims, 0), ndg_dims1(R));
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_LEVELS, NDG_ARG_INDICES);
    d.indices = ndg_dims1(R + 1);
    REFUSES(ndg_plan_gather_nd(&p, &d, &r), NDG_E_DEPTH, NDG_ARG_INDICES);
    free(dims);
    free(strides);
    free(got);
}

/* ---- overlap -------------------------------------------------------------*/

/* What holds nothing overlaps nothing, wherever its pointer leads. */
static void nothing_overlaps_nothing(void)
{
    unsigned char   b[8] = { 9, 9, 9, 9, 9, 9, 9, 9 };
    ndg_gather_desc d = gather_of(1, ndg_dims1(0), ndg_dims1(4));
    d.index_type = NDG_U8;
    d.policy = NDG_ZERO;
    IS(ndg_gather(b, 4, b + 2, "\0\0\0", &d, &r), NDG_OK);
    CHECK(!b[0] && !b[3] && b[4] == 9);
    d = gather_of(1, ndg_dims1(2), ndg_dims2(2, 0));
    IS(ndg_gather_nd(b, 4, "ab", b + 2, &d, &r), NDG_OK);
    CHECK(!memcmp(b, "abab", 4));
    d = gather_of(1, ndg_dims2(2, 0), ndg_dims1(2));
    d.index_type = NDG_U8;
    memset(b, 0, 8);
    IS(ndg_gather(b + 1, 0, b, b, &d, &r), NDG_OK);
}

/* Indices of a later component that the type cannot count up to its extent: a
 * negative one is no large number. */
static void extents_beyond_the_type(void)
{
    static unsigned char t[2 * 300], out[2];
    static const signed char pair[4] = { 1, 100, 1, -1 };
    ndg_gather_desc  d = gather_of(1, ndg_dims2(2, 300), ndg_dims2(1, 2));
    ndg_scatter_desc s = scatter_of(1, ndg_dims2(2, 300), ndg_dims2(2, 2));
    d.index_type = s.index_type = NDG_I8;
    s.gaps = NDG_GAPS_KEEP;
    t[400] = 7;
    IS(ndg_gather_nd(out, 1, t, pair, &d, &r), NDG_OK);
    CHECK(out[0] == 7);
    d.indices = ndg_dims2(2, 2);
    IS(ndg_gather_nd(out, 2, t, pair, &d, &r), NDG_E_INDEX);
    CHECK(r.bad.position == 1 && r.bad.component == 1 && r.bad.value == -1);
    IS(ndg_scatter_nd(t, sizeof t, out, pair, &s, &r), NDG_E_INDEX);
    CHECK(r.bad.position == 1 && r.bad.component == 1 && r.bad.value == -1);
    s.policy = NDG_CLIP;
    REFUSES(ndg_scatter_nd(t, sizeof t, out, pair, &s, &r), NDG_E_OPTION,
            NDG_ARG_POLICY);
}

/* ---- corners -------------------------------------------------------------*/

/* More rows than time, of index vectors of no component: nothing to read, to
 * check or to copy. */
static void endless_rows_of_depth_0(void)
{
    ndg_gather_desc d = gather_of(1, ndg_dims1(0), ndg_dims2(PTRDIFF_MAX, 0));
    ndg_gather_plan p;
    IS(ndg_plan_gather_nd(&p, &d, &r), NDG_OK);
    CHECK(p.rows == PTRDIFF_MAX);
    IS(ndg_gather_run(&p, NULL, 0, NULL, NULL, &r), NDG_OK);
    IS(ndg_gather_check(&p, NULL, 0, p.rows, &r), NDG_OK);
}

/* Ranges of so many rows that first + last overflows, in two levels: what they
 * span is known without a walk, and one row of them is written. */
static void rows_beyond_half_of_all(void)
{
    const ptrdiff_t n = PTRDIFF_MAX / 4, half = PTRDIFF_MAX / 2;
    const uint8_t   pick = 2;
    unsigned char   out[8];
    ndg_gather_desc d = gather_of(1, ndg_dims1(3), ndg_strided2(2, 0, n, 0));
    ndg_gather_plan p;
    d.index_type = NDG_U8;
    d.out = ndg_strided2(2, 1, n, 2);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.rows == 2 * n);
    CHECK(ndg_gather_out_bytes(&p, 0, 2 * n - 1) == 2 * n - 1);
    CHECK(ndg_gather_out_bytes(&p, 1, 2 * n) == 2 * n);

    d.indices = ndg_strided2(n, 0, 2, 0);
    d.out = ndg_strided2(n, 1, 2, n);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(ndg_gather_out_bytes(&p, 0, 2 * n - 1) == 2 * n - 1);

    d.indices = ndg_strided2(2, 0, half, 0);
    d.out = ndg_strided2(2, 1, half, 2);
    memset(out, FRESH, sizeof out);
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS(ndg_gather_run_range(&p, out, sizeof out, "abc", &pick, half + 1,
                            half + 2, &r), NDG_OK);
    CHECK(out[3] == 'c');
    out[3] = FRESH;
    CHECK(all_fresh(out, sizeof out));
}

/* A lost row at the end of a strided out: nothing is formed beyond it. */
static void the_last_row_of_a_wide_stride(void)
{
    const ptrdiff_t dims[1] = { 2 }, strides[1] = { PTRDIFF_MAX - 64 };
    const int32_t   pick[2] = { 9, 9 };
    int32_t         table[1] = { 5 }, out[1] = { 7 };
    ndg_gather_desc d = gather_of(4, ndg_dims1(1), ndg_dims1(2));
    ndg_gather_plan p;
    d.out = ndg_dims(1, dims, strides);
    d.policy = NDG_ZERO;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    IS(ndg_gather_run_range(&p, out, sizeof out, table, pick, 0, 1, &r),
       NDG_OK);
    CHECK(out[0] == 0 && r.bad.count == 1);
}

/* What a review found, or found untested: each line tells one mistake apart. */
static void corners_of_plans(void)
{
    const ptrdiff_t big = (ptrdiff_t)1 << (4 * sizeof big);
    const ptrdiff_t far[2] = { -((PTRDIFF_MAX / 16) + 1), 4 };
    const ptrdiff_t low[2] = { PTRDIFF_MIN, 4 }, two[2] = { 2, 4 };
    const ptrdiff_t one[2] = { 1, 4 };
    ptrdiff_t       dims[41], strides[41], step = 1;
    int32_t         ix[7] = { 5, 0, 1, 0, 0, 0, 0 };
    unsigned char   t[64] = { 0 }, o[8];
    ndg_gather_desc d = gather_of(8, ndg_dims2(5, 3), ndg_dims1(2));
    ndg_gather_plan p;
    ndg_report      r;
    int             i;

    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.slice_bytes == 24 && p.rows == 2 && p.out_bytes == 48);

    /* out may not reach into the last of the indices */
    REFUSES(ndg_gather_rows((char *)ix + 12, 4, t, 4, 1, 0, ix, NDG_I32, 4,
                            NDG_ERROR, &r), NDG_E_OVERLAP, NDG_ARG_INDICES);

    /* an output without elements is small, whatever its other extents are */
    d = gather_of(1, ndg_dims4(3, big, big, 0), ndg_dims1(1));
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.out_bytes == 0);

    /* axes of extent 1 take no level */
    for (i = 0; i < 40; i++) { dims[i] = 1; strides[i] = 1000 + 7 * i * i; }
    dims[40] = 3;
    strides[40] = 1;
    d = gather_of(1, ndg_dims(41, dims, strides), ndg_dims2(2, 1));
    IS(ndg_plan_gather_nd(&p, &d, &r), NDG_OK);

    /* too many levels in two groups: the value is 17 */
    for (i = 10; i >= 0; i--, step = 2 * step + 1) {
        dims[i] = 2;
        strides[i] = step;
    }
    d.params = ndg_dims(11, dims, strides);
    d.indices = ndg_dims(10, dims, strides);
    IS(ndg_plan_gather(&p, &d, &r), NDG_E_LEVELS);
    CHECK(r.value == NDG_MAX_LEVELS + 1);

    /* behind 16 levels of rows there is no other; here it is what fills */
    for (i = 0; i < NDG_MAX_LEVELS; i++) {
        dims[i] = 2;
        strides[i] = (ptrdiff_t)4 << i;
    }
    d = gather_of(1, ndg_dims1(3), ndg_dims(NDG_MAX_LEVELS, dims, strides));
    d.fill[sizeof big - 1] = 0x80;
    IS(ndg_plan_gather(&p, &d, &r), NDG_OK);
    CHECK(p.row_levels == NDG_MAX_LEVELS);

    /* a lost row has no offset, not even one that cannot be computed */
    d = gather_of(4, ndg_dims(2, one, low), ndg_dims2(1, 2));
    d.policy = NDG_ZERO;
    IS(ndg_gather_nd(o, 4, t, ix, &d, &r), NDG_OK);
    CHECK(r.bad.count == 1 && r.bad.value == 5);

    /* a check goes nowhere in params */
    d = gather_of(4, ndg_dims(2, two, far), ndg_dims2(2, 1));
    IS(ndg_plan_batch_gather(&p, &d, &r), NDG_OK);
    IS(ndg_gather_check(&p, ix + 1, 1, 2, &r), NDG_OK);
}

/* Addresses are counted on after the last row, and after the last component of
 * an axis of one; neither may overflow. UBSan sees it. */
static void what_comes_after_the_last(void)
{
    const int32_t   bad[4] = { 5, -5, 5, 5 };
    ndg_gather_desc d = gather_of(1, ndg_strided2(2, BIG / 2 + 1, 3, 1),
                                  ndg_dims2(2, 1));
    unsigned char   out[16];
    int             i;
    d.policy = NDG_ZERO;
    d.overlap = NDG_OVERLAP_DISJOINT;
    memset(out, FRESH, sizeof out);
    IS(ndg_batch_gather(out, sizeof out, "abcdef", bad, &d, &r), NDG_OK);
    CHECK(r.bad.count == 2 && out[0] == 0 && out[1] == 0 && out[2] == FRESH);
    d.params = ndg_strided3(3, 1, 1, PTRDIFF_MIN, 2, 3);
    d.indices = ndg_strided3(1, PTRDIFF_MIN, 2, 8, 1, PTRDIFF_MIN);
    for (i = 0; i < 2; i++) {
        d.policy = i ? NDG_WRAP : NDG_CLIP;
        IS(ndg_gather_nd(out, sizeof out, "abcdef", bad, &d, &r), NDG_OK);
        CHECK(r.bad.count == 2 && out[0] == 'c');
    }
}

/* Bad rows beside good ones have places that count strides or their unit. These
 * overflowed where a row was nowhere and the stride PTRDIFF_MIN, and where an
 * index far outside 2^30 rows was brought near them. UBSan saw both. */
static void places_at_the_edges(void)
{
    enum { N = 100 };
    const unsigned char t[4] = { 1, 2, 3, 4 };
    ndg_gather_desc     d = gather_of(1, ndg_strided2(1, PTRDIFF_MIN, 4, 1),
                                      ndg_dims1(N));
    unsigned char       out[4 * N];
    int32_t             pick[N];
    int64_t             far[2 * N];
    int                 i, policy, wrong = 0;
    for (i = 0; i < N; i++) pick[i] = i % 3 ? 0 : 5;
    memset(out, FRESH, sizeof out);
    IS(ndg_gather_rows(out, sizeof out, t, 1, 4, PTRDIFF_MIN, pick, NDG_I32, N,
                       NDG_ZERO, &r), NDG_OK);
    for (i = 0; i < 4 * N; i++) wrong += out[i] != (i / 4 % 3 ? i % 4 + 1 : 0);
    CHECK(r.bad.count == (N + 2) / 3 && !wrong);
    d.policy = NDG_ZERO;
    memset(out, FRESH, sizeof out);
    IS(ndg_gather(out, sizeof out, t, pick, &d, &r), NDG_OK);
    for (i = 0; i < 4 * N; i++) wrong += out[i] != (i / 4 % 3 ? i % 4 + 1 : 0);
    CHECK(r.bad.count == (N + 2) / 3 && !wrong);

    /* all 2^30 are the same row */
    d = gather_of(1, ndg_strided2((ptrdiff_t)1 << 30, 0, 1, 1),
                  ndg_dims2(N, 2));
    d.index_type = NDG_I64;
    d.negative = NDG_NEGATIVE_FROM_END;
    for (i = 0; i < N; i++) {
        far[2 * i] = i % 3 ? i : i % 2 ? INT64_MAX - i : INT64_MIN + i;
        far[2 * i + 1] = 0;
    }
    for (policy = NDG_ZERO; policy <= NDG_WRAP; policy++) {
        if (policy == NDG_FILL) continue;
        d.policy = policy;
        memset(out, FRESH, sizeof out);
        IS(ndg_gather_nd(out, N, t, far, &d, &r), NDG_OK);
        for (i = 0; i < N; i++)
            wrong += out[i] != (i % 3 || policy != NDG_ZERO);
        CHECK(r.bad.count == (N + 2) / 3 && !wrong);
    }
}

/* Where every index is bad nothing of params is read, so it may be described to
 * lie where no address is: steps of a batch or of an axis, and what the good
 * components of an index add. (A sanitizer sees an address that wraps.) */
enum { FAR_BATCHES, FAR_AXIS, FAR_DEPTH_2, FAR_DEPTH_3, FAR_DEPTH_4, FARS };

static ndg_gather_desc far_desc(int form, ptrdiff_t n)
{
    const ptrdiff_t away = PTRDIFF_MIN / 64;
    const ptrdiff_t deep[4] = { 3, 3, 3, 3 };
    const ptrdiff_t steps[4] = { away, form > FAR_DEPTH_2 ? away : 1,
                                 form > FAR_DEPTH_3 ? away : 1, 1 };
    ndg_gather_desc d = gather_of(1, ndg_dims(form, deep, steps),
                                  ndg_dims2(n, form));
    if (form < FAR_DEPTH_2) {
        d.params = ndg_strided2(form == FAR_AXIS ? 3 : 20, away, 3, 1);
        d.indices = form == FAR_AXIS ? ndg_dims1(n) : ndg_dims2(20, n);
        d.batch_dims = form == FAR_BATCHES;
        d.axis = 1;
    }
    return d;
}

static void far_rows(int form, ptrdiff_t n, int type, int policy)
{
    static unsigned char  ids[20 * 300 * 8], out[20 * 300];
    const int             depth = form < FAR_DEPTH_2 ? 1 : form;
    const int             want = policy == NDG_ERROR ? NDG_E_INDEX : NDG_OK;
    const unsigned char   left = policy == NDG_ZERO || policy == NDG_FILL
                               ? 0 : FRESH;
    ndg_gather_desc       d = far_desc(form, n);
    ndg_gather_plan       p;
    ptrdiff_t             i, wrong = 0;
    d.index_type = type;
    d.policy = policy;
    d.overlap = NDG_OVERLAP_DISJOINT;
    for (i = 0; i < (form ? n * depth : 20 * n); i++)
        index_put(ids + i * (type == NDG_I64 ? 8 : 4), type,
                  i % depth == depth - 1 ? 3 : 2);
    memset(out, FRESH, sizeof out);
    IS((depth > 1 ? ndg_plan_gather_nd : ndg_plan_gather)(&p, &d, &r), NDG_OK);
    IS(ndg_gather_run(&p, out, p.out_bytes, "x", ids, &r), want);
    for (i = 0; i < p.out_bytes; i++) wrong += out[i] != left;
    CHECK(!wrong);
    IS(ndg_gather_run_range(&p, out, p.out_bytes, "x", ids, p.rows - 1, p.rows,
                            &r), want);
}

static void bad_rows_far_from_memory(void)
{
    static const int       policies[] = { NDG_ERROR, NDG_ZERO, NDG_FILL,
                                          NDG_KEEP };
    static const ptrdiff_t counts[] = { 1, 20, 300 };
    int                    form, c, k;
    for (form = 0; form < FARS; form++)
        for (c = 0; c < 3; c++)
            for (k = 0; k < 4; k++) {
                far_rows(form, counts[c], NDG_I32, policies[k]);
                far_rows(form, counts[c], NDG_I64, policies[k]);
            }
}

/* Of two index rows so far apart that the next is at no address one may be
 * read, good or bad: of one number, or of two whose parts lie side by side. */
static void one_row_of_two_that_are_far_apart(void)
{
    static const int types[] = { NDG_U8, NDG_I16, NDG_I32, NDG_I64 };
    static const int widths[] = { 1, 2, 4, 8 };
    const ptrdiff_t  away = PTRDIFF_MIN / 2;
    int              k, t;
    for (t = 0; t < 4; t++)
        for (k = 0; k < 32; k++) {
            const int       bad = k & 1, depth = k & 2 ? 2 : 1;
            const ptrdiff_t bytes = k & 4 ? 300 : 1, extents[3] = { 1, 1,
                                                                    bytes };
            ndg_gather_desc d = gather_of(1, ndg_dims(3, extents, 0),
                                          ndg_dims(0, 0, 0));
            ndg_gather_plan p;
            const ptrdiff_t width = widths[t];
            unsigned char   index[16], out[300], data[300];
            memset(data, 'x', sizeof data);
            memset(out, FRESH, sizeof out);
            memset(index, 0, sizeof index);
            index_put(index + (depth - 1) * width, types[t], bad);
            d.indices = ndg_strided2(2, away, depth, width);
            d.index_type = types[t];
            d.negative = k & 8 ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
            d.policy = k & 16 ? NDG_ZERO : NDG_KEEP;
            IS(ndg_plan_gather_nd(&p, &d, &r), NDG_OK);
            IS(ndg_gather_run_range(&p, out, bytes, data, index, 0, 1, &r),
               NDG_OK);
            CHECK(r.bad.count == bad);
            CHECK(bad ? k & 16 ? !out[bytes - 1] : all_fresh(out, 300)
                      : out[0] == 'x' && out[bytes - 1] == 'x');
        }
}

/* Long rows by two indices, in loops that are not of whole chunks: all of the
 * first rows of a loop are bad, the next lie in it and in the one behind. */
static void long_rows_of_which_the_first_are_bad(void)
{
    enum { LOOPS = 3, N = 140, GAP = 5, BYTES = 200 };
    static unsigned char table[4 * BYTES], out[LOOPS * N * BYTES];
    static int64_t       pick[LOOPS][N + GAP][2];
    ndg_gather_desc      d = gather_of(1, ndg_dims3(2, 2, BYTES),
                                       ndg_dims3(LOOPS, N, 2));
    ptrdiff_t            i, k;
    int                  policy, wrong;
    d.index_type = NDG_I64;
    d.indices.strided = 1;
    d.indices.stride[0] = (ptrdiff_t)sizeof pick[0];
    d.indices.stride[1] = (ptrdiff_t)sizeof pick[0][0];
    d.indices.stride[2] = (ptrdiff_t)sizeof pick[0][0][0];
    d.fill[0] = 9;
    for (i = 0; i < 4 * BYTES; i++) table[i] = (unsigned char)(i * 7 + 1);
    for (k = 0; k < LOOPS; k++)
        for (i = 0; i < N; i++) {
            pick[k][i][0] = (i + k) % 2;
            pick[k][i][1] = i < 128 ? -1 - i : i % 2;
        }
    for (policy = NDG_ZERO; policy <= NDG_KEEP; policy++) {
        if (policy == NDG_CLIP || policy == NDG_WRAP) continue;
        d.policy = policy;
        memset(out, FRESH, sizeof out);
        IS(ndg_gather_nd(out, sizeof out, table, pick, &d, &r), NDG_OK);
        CHECK(r.bad.count == LOOPS * 128 && r.bad.position == 0);
        for (k = wrong = 0; k < LOOPS * N; k++) {
            const unsigned char *row = out + k * BYTES;
            const int64_t       *v = pick[k / N][k % N];
            const int            byte = policy == NDG_ZERO ? 0
                                      : policy == NDG_FILL ? 9 : FRESH;
            for (i = 0; i < BYTES; i++)
                wrong += row[i] != (v[1] < 0 ? byte
                                    : table[(v[0] * 2 + v[1]) * BYTES + i]);
        }
        CHECK(wrong == 0);
    }
}

int main(void)
{
    sizes_truncated_to_32_bits();
    ranks_of_thousands();
    nothing_overlaps_nothing();
    extents_beyond_the_type();
    endless_rows_of_depth_0();
    rows_beyond_half_of_all();
    the_last_row_of_a_wide_stride();
    corners_of_plans();
    what_comes_after_the_last();
    places_at_the_edges();
    bad_rows_far_from_memory();
    one_row_of_two_that_are_far_apart();
    long_rows_of_which_the_first_are_bad();
    return test_end("test_hostile_gather");
}
