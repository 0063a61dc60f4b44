/* shipped.c - what no prover has an answer to, as it ships, of small input and
 * edges. How rows are judged of which some are bad: indices of every type are
 * read as numbers of 32 bits, and judged on the lanes of a register (one lane,
 * in plain C, with -DNDGI_SIMD=0), beside the plain functions of one index.
 * Stores of every width; the bytes that a range of rows touches; walks. The
 * header is that of the folder before it (-I). Prints, of what is done in this
 * WAY, lines of prove.sh's table, and how many cases there were. */
#include <stdio.h>
#include <string.h>

#define NDGATHER_IMPLEMENTATION
#define NDG_STATIC
#define NDG_NO_STRINGS
#define NDG_SMALL 0
#include "ndgather.h"

static long long cases, wrong, all_cases;
static int       any_wrong;

static void test(int right, const char *name, long long a, long long b,
        long long c) {
    cases++;
    if (!right && !wrong++)
        printf("FAILED\t%s\twrong at %lld %lld %lld\t%s\t0\t\n", name, a, b, c,
               WAY);
}

static void done(const char *name) {
    printf("%s\t%s\t%lld of %lld cases wrong\t%s\t0\t\n",
           wrong || !cases ? "FAILED" : "held", name, wrong, cases, WAY);
    all_cases += cases;
    any_wrong |= wrong || !cases;
    cases = wrong = 0;
}

/* Where v goes by the plain functions; -1: nowhere. */
static ptrdiff_t plain(int64_t v, const ndgi_axis *a, int *bad) {
    const int     is_u64 = a->type == NDG_U64 && v < 0;
    const int64_t at = a->ends ? ndg_index_from_end(v, is_u64, a->extent) : v;
    if (NDG_INDEX_GOOD(at, a->extent)) return (ptrdiff_t)at;
    *bad = 1;
    if (a->how == NDGI_MARK) return -1;
    return a->how == NDGI_TO_EDGE ? ndg_index_clip(at, is_u64, a->extent)
                                  : ndg_index_wrap(at, is_u64, a->extent);
}

/* What a job finds its places by, under CLIP or WRAP if bad ones have one. */
static void begin(ndgi_finder *f, const ptrdiff_t *extent,
        const ptrdiff_t *stride, int depth, int type, int how, int ends) {
    static ndgi_job j;
    ndgi_list_reader(&j.q, extent, stride, type, how == NDGI_MARK ? NDG_ZERO
                     : how == NDGI_TO_EDGE ? NDG_CLIP : NDG_WRAP, 0, 0);
    j.q.depth = depth;
    j.s.ends = ends;
    j.place = how != NDGI_MARK;
    ndgi_finder_begin(f, &j);
}

/* ---- one component --------------------------------------------------------*/

enum { NEAR = 130, MANY = 16 * (2 * NEAR + 1) };

/* The low bytes of the numbers around each edge of a type, and around multiples
 * of the extent. Neighbours are far apart, so that those that fit 32 bits stand
 * beside those that do not. Returns how many. */
static int around(uint64_t *x, int64_t extent) {
    const uint64_t n = (uint64_t)extent;
    const uint64_t edge[16] = {
        0, (uint64_t)1 << 8, (uint64_t)1 << 15, (uint64_t)1 << 16,
        (uint64_t)1 << 31, (uint64_t)1 << 32, (uint64_t)1 << 63,
        0 - ((uint64_t)1 << 15), 0 - ((uint64_t)1 << 31),
        0 - ((uint64_t)1 << 32), n, 0 - n, 2 * n, 0 - 2 * n, 3 * n, 0 - 3 * n
    };
    int i, k, m = 0;
    for (i = -NEAR; i <= NEAR; i++)
        for (k = 0; k < 16; k++) x[m++] = edge[k] + (uint64_t)(int64_t)i;
    return m;
}

/* n rows of `depth` indices from p on, each `next` bytes from the one before:
 * their places, in units, are those of the plain functions. */
static void one_block(const ndgi_finder *f, const ndgi_byte *p, ptrdiff_t n,
        ptrdiff_t next, const ptrdiff_t *stride, int depth, ptrdiff_t unit) {
    const ndgi_axis *const a = f->axis;
    int32_t   number[NDGI_PLACES], place[NDGI_PLACES], odd[NDGI_PLACES];
    ptrdiff_t i, got = 0, bads = 0;
    int       k;
    memset(number, 0, sizeof number);
    for (k = 0; k < depth; k++) {
        ndgi_read_numbers(number, p + 8 * k, n, next, a + k, 0);
        got = ndgi_judge_numbers(place, odd, number, n, a + k, k == 0,
                                 depth == 1);
    }
    for (i = 0; i < n; i++) {
        ptrdiff_t want = (ptrdiff_t)f->below;
        int       bad = 0;
        for (k = 0; k < depth; k++)
            want += plain(ndgi_load(p + i * next + 8 * k, a->type), a + k, &bad)
                  * stride[k];
        bads += bad;
        test(bad && a->how == NDGI_MARK ? place[i] == -1 : place[i] >= 0
             && (ptrdiff_t)place[i] * unit == want, "ndgi_judge_numbers",
             (long long)ndgi_load(p + i * next, a->type), a->extent, a->type
             * 100 + a->how * 10 + a->ends);
    }
    test(got == bads, "bad ones", n, a->extent, a->type);
}

static void one_axis(const ndgi_finder *f) {
    const ndgi_axis *const a = f->axis;
    const ptrdiff_t  one_apart = 1;
    static uint64_t  x[MANY];
    static ndgi_byte p[NDGI_CHUNK * 9];
    const ptrdiff_t  width = ndgi_type_bytes(a->type);
    const uint16_t   one = 1;
    const int        little = *(const ndgi_byte *)&one;
    const int        m = around(x, a->extent);
    ptrdiff_t        n, i;
    int              k, turn = 1;
    for (k = 0; k < m; k += (int)n, turn++) {
        const ptrdiff_t next = turn % 2 ? width : width + 1;
        n = turn * 37 % NDGI_CHUNK + 1;
        if (n > m - k) n = m - k;
        for (i = 0; i < n; i++)
            memcpy(p + i * next, (const ndgi_byte *)(x + k + i)
                                 + (little ? 0 : 8 - width), (size_t)width);
        one_block(f, p, n, next, &one_apart, 1, 1);
    }
}

static void one_component(void) {
    static const long more[] = { 126, 127, 128, 129, 130, 254, 255, 256, 257,
        258, 32767, 32768, 32769, 65534, 65535, 65536, 65537, 16777215,
        16777216, 16777217, 536870911, 536870912, 536870913, 715827882,
        715827883, 1073741820, 1073741821, 1073741822, 1073741823, 1073741824 };
    const int some = (int)(sizeof more / sizeof *more);
    int       e, type, how, ends;
    for (e = 0; e <= 34 + some; e++)
        for (type = 0; type < 8; type++)
            for (how = NDGI_MARK; how <= NDGI_AROUND; how++)
                for (ends = 0; ends <= (type < NDG_U8); ends++) {
                    const ptrdiff_t n = e <= 34 ? e : more[e - 35], one = 1;
                    ndgi_finder     f;
                    if (!n && how != NDGI_MARK) continue;
                    begin(&f, &n, &one, 1, type, how, ends);
                    one_axis(&f);
                }
    done("ndgi_read_numbers,ndgi_judge_numbers");
}

/* ---- several, and the unit in which they are counted ----------------------*/

/* All vectors of `depth` indices, each of which is at an edge. */
static void all_vectors(const ptrdiff_t *extent, const ptrdiff_t *stride,
        ptrdiff_t unit, int depth, int type, int how, int ends) {
    static ndgi_finder f;
    int64_t         v[NDGI_CHUNK * 5];
    ptrdiff_t       n, i;
    long            vector = 0, vectors = 1;
    int             k;
    begin(&f, extent, stride, depth, type, how, ends);
    for (k = 0; k < depth; k++) vectors *= 9;
    while (vector < vectors) {
        n = ndgi_min(NDGI_CHUNK - vector % 7, (ptrdiff_t)(vectors - vector));
        for (i = 0; i < n; i++) {
            long rest = vector + (long)i;
            for (k = 0; k < depth; k++, rest /= 9) {
                const int64_t e = extent[k];
                const int64_t at[9] = { 0, e - 1, -1, e, -e, -e - 1,
                                        INT32_MIN + e, (int64_t)1 << 40,
                                        INT64_MIN + e };
                v[i * depth + k] = at[rest % 9];
            }
        }
        one_block(&f, (const ndgi_byte *)v, n, 8 * depth, stride, depth, unit);
        vector += (long)n;
    }
}

/* The unit, by trial: the largest power of two in all strides; 0 if indices
 * reach too far in it, or are not taken so. The reach fits. */
static ptrdiff_t unit_of(const ptrdiff_t *extent, const ptrdiff_t *stride,
        int depth) {
    ptrdiff_t unit = 1, reach = 0;
    int       k, even = 1, any = 0;
    for (k = 0; k < depth; k++) {
        if (extent[k] > 1 << 30) return 0;
        if (extent[k] > 1)
            reach += (extent[k] - 1) * (stride[k] < 0 ? -stride[k] : stride[k]);
        any |= stride[k] != 0;
    }
    if (!any) return 1;
    if (depth == 1) return stride[0];
    for (; even; unit *= even ? 2 : 1)
        for (k = 0; k < depth; k++) even &= stride[k] / unit % 2 == 0;
    return reach / unit <= INT32_MAX ? unit : 0;
}

/* Rows and vectors of these: packed, of which the innermost axis has so many
 * bytes; turned round; and with steps of which each is another's multiple or
 * none. */
static void several_components(void) {
    static const ptrdiff_t extents[] = { 0, 1, 2, 3, 46341, 65536, 1 << 29,
                                         1 << 30, (1 << 30) + 1 };
    static const ptrdiff_t bytes[] = { 0, 1, 2, 3, 4, 12, 24, 65536, -8 };
    int depth, b, order, how, ends, type;
    for (depth = 1; depth <= 5; depth++) {
        long      shape, shapes = 1;
        int       k;
        const int base = depth < 4 ? 9 : 4;
        for (k = 0; k < depth; k++) shapes *= base;
        for (shape = 0; shape < shapes; shape++)
            for (b = 0; b < 9; b++)
                for (order = 0; order < 3; order++) {
                    ptrdiff_t   extent[5], stride[5], step = bytes[b], unit;
                    long        rest = shape, vectors = 1;
                    double      reach = 0;
                    int         none = 0;
                    ndgi_reader q;
                    for (k = 0; k < depth; k++, rest /= base) {
                        const int at = order == 1 ? k : depth - 1 - k;
                        extent[at] = extents[rest % base];
                        stride[at] = step;
                        reach += (double)extent[at] * (double)(step < 0 ? -step
                                                               : step);
                        none |= !extent[at];
                        vectors *= 9;
                        if (reach > 1e18 || reach > (double)PTRDIFF_MAX / 4)
                            break;
                        step = order == 2 ? step + 4
                                          : step * (extent[at] + !extent[at]);
                    }
                    if (k < depth) continue;
                    memset(&q, 0, sizeof q);
                    q.extent = extent;
                    q.stride = stride;
                    q.depth = depth;
                    unit = ndgi_unit(&q);
                    test(unit == unit_of(extent, stride, depth), "ndgi_unit",
                         shape, depth, bytes[b]);
                    if (!unit) continue;
                    for (how = 0; how <= (none ? 0 : NDGI_AROUND); how++)
                        for (ends = 0; ends < 2; ends++)
                            for (type = NDG_I64; type <= (ends ? NDG_I64
                                 : NDG_U64); type += NDG_U64 - NDG_I64)
                                if (depth < 4 || (shape + b) % (depth < 5 ? 5
                                    : 97) == how)
                                    all_vectors(extent, stride, unit, depth,
                                                type, how, ends);
                }
    }
    done("ndgi_unit,ndgi_judge_numbers");
}

/* ---- stores and ranges ----------------------------------------------------*/

/* The low bytes of x as the machine lays a number of so many bytes down. */
static void lay(unsigned char *at, unsigned long long x, int bytes) {
    const unsigned short one = 1;
    unsigned char        little;
    int                  i;
    memcpy(&little, &one, 1);
    for (i = 0; i < bytes; i++)
        at[little ? i : bytes - 1 - i] = (unsigned char)(x >> 8 * i);
}

/* Numbers of every width, and not a byte beside them. */
static void stores(void) {
    static const uint64_t edges[] = { 0, 128, 256, 32768, 65536, 1u << 31,
        (uint64_t)1 << 32, (uint64_t)1 << 63 };
    int width, off, i, k;
    for (width = 1; width <= 8; width *= 2)
        for (off = 0; off < 9; off++)
            for (k = 0; k < 8; k++)
                for (i = -NEAR; i <= NEAR; i++) {
                    const uint64_t  x = edges[k] + (uint64_t)(int64_t)i;
                    const ptrdiff_t v = (ptrdiff_t)x;
                    unsigned char   p[32], q[32];
                    memset(p, 0xa5, sizeof p);
                    memset(q, 0xa5, sizeof q);
                    lay(p + off, x, width);
                    ndgi_store(q + off % width, off / width, width, v);
                    test(!memcmp(p, q, sizeof p), "ndgi_store", v, width, off);
                }
    done("ndgi_store");
}

/* Rows of up to three loops; a copy of two steps; two components. */
static void ranges(void) {
    static const ptrdiff_t steps[] = { -7, -1, 0, 3, 40 };
    ndg_gather_plan plan;
    int             levels, a, b, c, s, t;
    memset(&plan, 0, sizeof plan);
    plan.copy_levels = 1;
    plan.level[0].extent = 2;
    plan.level[0].out = 9;
    plan.run_bytes = 4;
    plan.depth = 2;
    plan.index_step = -2;
    plan.index_type = NDG_I16;
    for (levels = 0; levels <= 3; levels++)
    for (a = 1; a <= 4; a++)
    for (b = 1; b <= (levels > 1 ? 4 : 1); b++)
    for (c = 1; c <= (levels > 2 ? 3 : 1); c++)
    for (s = 0; s < 5; s++)
    for (t = 0; t < 5; t++) {
        const ptrdiff_t rows = levels ? (ptrdiff_t)a * b * c : 1;
        ptrdiff_t       first, last, i;
        plan.row_levels = levels;
        plan.level[1].extent = a;
        plan.level[2].extent = b;
        plan.level[3].extent = c;
        for (i = 1; i <= 3; i++) {
            plan.level[i].out = steps[(s + i) % 5];
            plan.level[i].indices = steps[(t + 2 * i) % 5];
        }
        for (first = 0; first < rows; first++) {
            ndgi_span want_o = { PTRDIFF_MAX, -PTRDIFF_MAX }, want_i = want_o;
            ndgi_walk w;
            ndgi_walk_start(&w, plan.level + 1, levels, first);
            for (last = first + 1; last <= rows; last++) {
                const ptrdiff_t at[3] = { (last - 1) % a, (last - 1) / a % b,
                                          (last - 1) / a / b };
                ptrdiff_t       o = 0, x = 0;
                ndgi_span       out, index;
                for (i = 0; i < levels; i++) {
                    o += at[i] * plan.level[i + 1].out;
                    x += at[i] * plan.level[i + 1].indices;
                }
                test(w.out == o && w.indices == x, "ndgi_walk", first, last, a);
                test(ndgi_walk_next(&w, 0, 1) == (last < rows),
                     "ndgi_walk_next", first, last, a);
                if (o < want_o.low) want_o.low = o;
                if (o + 13 > want_o.high) want_o.high = o + 13;
                if (x - 2 < want_i.low) want_i.low = x - 2;
                if (x + 2 > want_i.high) want_i.high = x + 2;
                ndgi_gather_spans(&plan, first, last, &out, &index);
                test(out.low == want_o.low && out.high == want_o.high
                     && index.low == want_i.low && index.high == want_i.high,
                     "ndgi_gather_spans", first, last, a);
            }
        }
    }
    done("ndgi_gather_spans,ndgi_span_rows,ndgi_walk_start,ndgi_walk_next");
}

int main(void) {
    one_component();
    several_components();
    stores();
    ranges();
    printf("exhaustive: %lld cases\n", all_cases);
    return any_wrong;
}
