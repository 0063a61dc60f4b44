/* narrow.cpp - the header's arithmetic on sizes and indices, enumerated over
 * all values of a few bits, against plain wide integers.
 *
 * prove.sh writes the functions' text as it stands in ndgather.h to narrow.inc
 * (and of the judge of lanes, with its 31 and 32 replaced, to lanes.inc). It is
 * compiled with integers of SIZE bits for sizes and of INDEX bits for indices
 * (64 bits also where sizes have 32): see narrow.hpp. Where INDEX is twice SIZE
 * a lane has SIZE bits, as it has 32 beside indices of 64. What a function
 * returns is compared with the oracle's answer in long, and `undefined` must
 * stay 0 for all input that its comment allows.
 *
 * Prints for each: name, cases, wrong ones. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "narrow.hpp"

#ifndef SIZE
#define SIZE 8
#endif
#ifndef INDEX
#define INDEX 8
#endif

typedef narrow<SIZE, true>   nd_ptrdiff;
typedef narrow<SIZE, false>  nd_size;
typedef narrow<INDEX, true>  nd_int64;
typedef narrow<INDEX, false> nd_uint64;

static long asserted = 0;

/* From here on the text computes in these. */
#define ptrdiff_t nd_ptrdiff
#define size_t    nd_size
#define uintptr_t nd_size
#define int64_t   nd_int64
#define uint64_t  nd_uint64
#undef PTRDIFF_MAX
#undef INT64_MIN
#define PTRDIFF_MAX ptrdiff_t(ptrdiff_t::most)
#define INT64_MIN   int64_t(int64_t::least)
#define NDG_ASSERT(x) ((x) ? (void)0 : (void)asserted++)
#define NDG_HD
#define NDG_INLINE static inline
#define NDGI_CALLED static
#define NDGI_CHECK  static inline
#define NDGI_INLINE static inline
static int NDGI_FAST = 1;

enum { NDG_ERROR = 1, NDG_ZERO, NDG_FILL, NDG_CLIP, NDG_WRAP, NDG_KEEP,
       NDG_ASSUME_VALID };
enum { NDG_OK, NDG_E_NULL = 7, NDG_E_OVERLAP = 5, NDG_E_RANGE = 6 };
enum { NDG_OVERLAP_CHECK };
enum { NDG_ARG_FIRST = 1, NDG_ARG_LAST };
typedef struct { int status, operand; } ndg_report;
static int ndgi_no(ndg_report *r, int status, int operand, ptrdiff_t,
        ptrdiff_t) {
    r->operand = operand;
    return r->status = status;
}
static int ndgi_null(ndg_report *r, int operand) {
    return ndgi_no(r, NDG_E_NULL, operand, 0, 0);
}
struct ndg_row_layout { ptrdiff_t out_stride, out_span, run_bytes; };

#include "narrow.inc"
#if SIZE * 2 == INDEX
enum { NDG_I64 = 3, NDG_U64 = 7 };
enum { NDGI_MARK, NDGI_TO_EDGE, NDGI_AROUND };
#define NDGI_OPAQUE static
#define int32_t  nd_ptrdiff
#define uint32_t nd_size
#undef INT32_MIN
#undef INT32_MAX
#define INT32_MIN int32_t(int32_t::least)
#define INT32_MAX int32_t(int32_t::most)
typedef int32_t  ndgi_lanes;
typedef uint32_t ndgi_ulanes;
#include "lanes.inc"
#endif

/* ---- the oracle -----------------------------------------------------------*/
static const long MOST = ptrdiff_t::most, LEAST = -MOST - 1;
static const long IMOST = int64_t::most, ILEAST = -IMOST - 1;

static long mag(long x) { return x < 0 ? -x : x; }
static long lesser(long a, long b) { return a < b ? a : b; }
static long greater(long a, long b) { return a > b ? a : b; }

static long long cases, wrong, all_cases;
static int       any_wrong;

static void test(bool right, const char *name, long a, long b, long c, long d) {
    cases++;
    if (right && !undefined && !asserted) return;
    if (!wrong++)
        printf("%s: wrong%s at %ld %ld %ld %ld\n", name,
               undefined ? ", undefined" : asserted ? ", asserted" : "", a, b,
               c, d);
    undefined = asserted = 0;
}

static void done(const char *name) {
    printf("exhaustive %s %d/%d: %lld cases, %lld wrong\n", name, SIZE, INDEX,
           cases, wrong);
    all_cases += cases;
    any_wrong |= wrong || !cases;
    cases = wrong = 0;
}

static ptrdiff_t P(long x) { return ptrdiff_t((int)x); }
static int64_t I(long x) { return int64_t((int)x); }

static void sums(void) {
    long a, b, c;
    for (a = LEAST; a <= MOST; a++)
        test(ndgi_is_half(P(a)) == (a >= 0 && a < (1L << (SIZE / 2 - 1)))
             && (!ndgi_is_half(P(a)) || a * a + a <= MOST), "ndgi_is_half", a,
             0, 0, 0);
    done("ndgi_is_half");
    for (a = 0; a <= MOST; a++)
        for (b = 0; b <= MOST; b++) {
            ptrdiff_t out = 77;
            const int fits = ndgi_mul(P(a), P(b), &out);
            test(fits == (a * b <= MOST)
                 && out.v == (fits ? a * b : 77), "ndgi_mul", a, b, 0, 0);
        }
    done("ndgi_mul");
    for (a = 0; a <= MOST; a++)
        for (b = 0; b <= MOST; b++)
            test(ndgi_add_saturate(P(a), P(b)).v == lesser(a + b, MOST),
                 "ndgi_add_saturate", a, b, 0, 0);
    done("ndgi_add_saturate");
    for (a = LEAST; a <= MOST; a++)
        for (b = LEAST; b <= MOST; b++)
            test(ndgi_min(P(a), P(b)).v == lesser(a, b)
                 && ndgi_max(P(a), P(b)).v == greater(a, b), "ndgi_min", a, b,
                 0, 0);
    done("ndgi_min,ndgi_max");
    for (a = 0; a <= MOST; a++)
        for (b = 0; b <= MOST; b++)
            for (c = 0; c <= MOST; c++) {
                const ptrdiff_t dims[3] = { P(a), P(b), P(c) };
                int n;
                for (n = 0; n <= 3; n++) {
                    const long p = n == 0 ? 1 : n == 1 ? a : n == 2 ? a * b
                                 : a * b * c;
                    ptrdiff_t out = -1;
                    if ((n < 3 && c) || (n < 2 && b) || (n < 1 && a)) continue;
                    const int fits = ndgi_product(dims, n, &out);
                    test((fits != 0) == (p <= MOST) && (!fits || out.v == p),
                         "ndgi_product", a, b, c, n);
                }
            }
    done("ndgi_product");
    for (a = 0; a <= MOST; a++)
        for (b = LEAST; b <= MOST; b++)
            if (a < 2 || (a - 1) * mag(b) <= MOST)
                test(ndgi_reach(P(a), P(b)).v
                     == (a < 2 ? 0 : (a - 1) * mag(b)), "ndgi_reach", a, b, 0,
                     0);
    done("ndgi_reach");
}

static void spans(void) {
    long low, high, n, step;
    int  fast;
    for (low = -MOST; low <= 0; low++)
        for (high = 0; high - low <= MOST; high++)
            for (n = 1; n <= MOST; n++)
                for (step = LEAST; step <= MOST; step++) {
                    ndgi_span  s = { P(low), P(high) };
                    const long reach = (n - 1) * mag(step);
                    const int  fits = ndgi_span_widen(&s, P(n), P(step));
                    test((fits != 0) == (high - low + reach <= MOST)
                         && (!fits || (s.low.v == low - (step < 0 ? reach : 0)
                         && s.high.v == high + (step < 0 ? 0 : reach))),
                         "ndgi_span_widen", low, high, n, step);
                }
    done("ndgi_span_widen");
    for (fast = 0; fast <= 1; fast++)
        for (low = -MOST; low <= 0; low++)
            for (high = 0; high - low <= MOST; high++)
                for (n = 0; n <= MOST; n++)
                    for (step = LEAST; step <= MOST; step++) {
                        ndgi_span  s = { 1, -1 };
                        const int  some = n && low < high;
                        const long reach = some ? (n - 1) * mag(step) : 0;
                        int        fits;
                        NDGI_FAST = fast;
                        fits = ndgi_span_line(&s, P(n), P(step), P(low),
                                              P(high));
                        test((fits != 0) == (!some
                                             || high - low + reach <= MOST)
                             && (!fits || (s.low.v == (some ? low : 0)
                                 - (step < 0 ? reach : 0)
                             && s.high.v == (some ? high : 0)
                                 + (step < 0 ? 0 : reach))),
                             "ndgi_span_line", low, high, n, step);
                    }
    done("ndgi_span_line");
    /* a ... a + n - 1 of an extent's steps, measured: all products fit. Of no
     * components the step is 0. The span may have been widened before. */
    for (low = 0; low <= MOST; low++)
        for (n = 0; low + n <= MOST; n++)
            for (step = LEAST; step <= MOST; step++) {
                const long x = low * step, y = (low + n - 1) * step;
                const long was = mag(low + n + step) % 3;
                ndgi_span  s = { P(-was), P(was) };
                if (mag(x) + was > MOST || mag(y) + was > MOST) continue;
                if (n == 0 && (step || low)) continue;
                ndgi_span_steps(&s, P(low), P(n), P(step));
                test(s.low.v == lesser(x, y) - was
                     && s.high.v == greater(x, y) + was,
                     "ndgi_span_steps", low, n, step, was);
            }
    done("ndgi_span_steps");
    /* ndgi_rows_bytes; and of what it allowed, the bytes of a range. */
    for (step = 0; step <= MOST; step++)
        for (high = 0; high <= step; high++) {
            const ndg_row_layout row = { P(step), P(high), P(high) };
            for (n = -1; n <= MOST; n++) {
                const long need = n < 0 ? -1 : n && high
                                ? (n - 1) * step + high : 0;
                const long got = ndgi_rows_bytes(&row, P(n)).v;
                test(got == (need > MOST ? -1 : need), "ndgi_rows_bytes", step,
                     high, n, 0);
                if (got < 0) continue;
                for (low = 0; low <= n; low++) {
                    const ndgi_span s = ndgi_rows_span(&row, P(low), P(n));
                    test(high && low < n ? s.low.v == low * step
                         && s.high.v == got : s.low.v == s.high.v,
                         "ndgi_rows_span", step, high, low, n);
                }
            }
        }
    done("ndgi_rows_bytes,ndgi_rows_span");
    for (low = LEAST; low <= MOST; low++)      /* rows */
        for (high = LEAST; high <= MOST; high++)
            for (n = LEAST; n <= MOST; n++) {
                ndg_report r = { 0, 0 };
                const int  status = ndgi_check_range(P(high), P(n), P(low), &r);
                test((status == NDG_OK) == (0 <= high && high <= n && n <= low)
                     && (!status || (r.operand == NDG_ARG_FIRST)
                                    == (high < 0 || high > low)),
                     "ndgi_check_range", low, high, n, 0);
            }
    done("ndgi_check_range");
}

/* Whether step is extent steps of inner, for what one span holds. */
static void folds(void) {
    long n, inner, step;
    for (n = 1; n <= MOST; n++)
        for (inner = LEAST; inner <= MOST; inner++) {
            if ((n - 1) * mag(inner) > MOST) continue;
            for (step = LEAST; step <= MOST; step++)
                test((ndgi_continues(P(step), P(inner), P(n)) != 0)
                     == (step == inner * n), "ndgi_continues", step, inner, n,
                     0);
        }
    done("ndgi_continues");
    for (n = 1; n <= MOST; n++)                /* bytes of an array so far */
        for (step = 1; n * step <= MOST; step++) {
            ndgi_axes w = { 0, 0, 1, 0 };
            w.packed = P(n);
            test(ndgi_axes_back(&w, P(step)).v == n && w.packed.v == n * step
                 && w.axis == 0, "ndgi_axes_back", n, step, 0, 0);
            const ptrdiff_t strides[2] = { P(step), P(-n) };
            w.strides = strides;
            w.axis = 2;
            w.packed = P(n);
            test(ndgi_axes_back(&w, P(1)).v == -n && w.packed.v == n
                 && ndgi_axes_back(&w, P(step)).v == step && w.axis == 0,
                 "ndgi_axes_back", n, step, 1, 0);
        }
    done("ndgi_axes_back");
}

/* An index's meaning: a uint64_t above INT64_MAX is what its bits say. */
static long meant(long v, int u) {
    return u && v < 0 ? v + 2 * (IMOST + 1) : v;
}

static void indices(void) {
    long v, n;
    int  u, policy;
    for (v = ILEAST; v <= IMOST; v++)
        for (n = 0; n <= MOST; n++)
            for (u = 0; u <= 1; u++) {
                const long m = meant(v, u);
                const bool good = 0 <= m && m < n;
                const long clip = m < 0 ? 0 : m >= n ? n - 1 : m;
                const long wrap = n ? (m % n + n) % n : 0;
                test(NDG_INDEX_GOOD(I(v), P(n)) == good, "NDG_INDEX_GOOD", v, n,
                     u, 0);
                test(ndg_index_from_end(I(v), u, P(n)).v
                     == (v < 0 && !u ? v + n : v), "ndg_index_from_end", v, n,
                     u, 0);
                if (n) test(ndg_index_clip(I(v), u, P(n)).v == clip,
                            "ndg_index_clip", v, n, u, 0);
                if (n) test(ndg_index_wrap(I(v), u, P(n)).v == wrap,
                            "ndg_index_wrap", v, n, u, 0);
                for (policy = 0; policy <= 9; policy++)
                    test(ndg_index_place(I(v), u, P(n), policy).v
                         == (n && policy == NDG_CLIP ? clip
                             : n && policy == NDG_WRAP ? wrap : -1),
                         "ndg_index_place", v, n, u, policy);
            }
    done("NDG_INDEX_GOOD,ndg_index_from_end,_clip,_wrap,_place");
}

#if SIZE * 2 == INDEX
/* The same by arithmetic alone, as rows are judged of which some are bad: every
 * index, shortened if it does not fit a lane, of every extent up to a quarter
 * of a lane's numbers. */
static void lanes(void) {
    long v, n;
    int  u, how, ends;
    for (n = 0; n <= (MOST + 1) / 2; n++)
        for (how = NDGI_MARK; how <= (n ? NDGI_AROUND : NDGI_MARK); how++)
            for (u = 0; u <= 1; u++)
                for (ends = 0; ends <= !u; ends++) {
                    ndgi_axis  axis;
                    axis.type = u ? NDG_U64 : NDG_I64;
                    axis.how = how;
                    axis.ends = ends;
                    axis.extent = P(n);
                    axis.low = 0;
                    axis.high = P(n - 1);
                    axis.magic = n ? (int)(size_t::most / n) : 0;
                    for (v = ILEAST; v <= IMOST; v++) {
                        const long m = meant(v, u);
                        const long at = ends && m < 0 ? m + n : m;
                        const bool good = 0 <= at && at < n;
                        const bool fits = LEAST <= m && m <= MOST;
                        const ndgi_lanes x = fits ? P(m)
                                           : ndgi_shortened(&axis, I(v),
                                                            u && v < 0);
                        ndgi_lanes bad;
                        const ndgi_lanes y = ndgi_judge_lanes(x, &axis, how,
                                                              ends, &bad);
                        test(bad.v == (good ? 0 : -1)
                             && (how == NDGI_MARK ? !good || y.v == at
                                 : how == NDGI_AROUND
                                 ? y.v == (at % n + n) % n
                                 : y.v == lesser(greater(at, 0), n - 1)),
                             "ndgi_judge_lanes", v, n, how, ends + 2 * u);
                    }
                }
    done("ndgi_shortened,ndgi_judge_lanes");
    for (n = 1; n <= (MOST + 1) / 2; n++)
        for (v = 0; v <= MOST; v++) {
            const long m = ndgi_reduced(P(v), int(size_t::most / n), P(n)).v;
            test(0 <= m && m < 2 * n && m % n == v % n, "ndgi_reduced", v, n, 0,
                 0);
        }
    done("ndgi_reduced");
}
#endif

/* Two arrays in an address space, neither of which holds its last byte. */
static void apart(void) {
    long a, b, low, high, x, y;
    const long end = size_t::most;
    for (a = 0; a <= end; a++)
        for (low = a ? greater(-a, -MOST) : -MOST; low <= 0; low++)
            for (high = 0; high - low <= MOST && a + high <= end; high++)
                for (b = 1; b <= end; b++)
                    for (x = 0; x <= 1; x++)
                        for (y = 0; y <= MOST && b + y <= end; y++) {
                            const ndgi_span from = { P(low), P(high) };
                            const ndgi_span to = { P(lesser(x, y)), P(y) };
                            ndg_report r = { 0, 0 };
                            const int  want = low == high ? NDG_OK
                                : a == 0 ? NDG_E_NULL
                                : to.low.v < y && a + low < b + y
                                  && b + to.low.v < a + high
                                ? NDG_E_OVERLAP : NDG_OK;
                            test(ndgi_check_input((const void *)a, from,
                                 (const void *)b, to, NDG_OVERLAP_CHECK, 1, &r)
                                 == want, "ndgi_check_input", a, low, high, b);
                        }
    done("ndgi_check_input");
}

int main(int argc, char **argv) {
    const char *parts = argc > 1 ? argv[1] : "sums spans folds indices";
    if (strstr(parts, "sums")) sums();
    if (strstr(parts, "spans")) spans();
    if (strstr(parts, "folds")) folds();
    if (strstr(parts, "indices")) indices();
#if SIZE * 2 == INDEX
    if (strstr(parts, "lanes")) lanes();
#endif
    if (strstr(parts, "apart")) apart();
    printf("exhaustive all %d/%d: %lld cases\n", SIZE, INDEX, all_cases);
    return any_wrong;
}
