/* fuzz.h - what the fuzz targets share: bytes become numbers and shapes, arrays
 * lie in memory that is exactly theirs, and what the manual says of a shape is
 * said again in plain arithmetic.
 *
 * A target is written from the manual of ndgather.h and knows nothing of what
 * is inside: it makes a case of what the fuzzer gives, foretells status, report
 * and bytes, and asks each engine. The memory of a case is exactly what it has
 * a right to touch, so a sanitizer sees what is beside it.
 *
 * Where several things are wrong with a desc, any of their statuses will do. */
#ifndef NDG_FUZZ_H
#define NDG_FUZZ_H

#include "ndgather.h"
#include "fuzz_engine.h"
#include <limits.h>
#include <stdio.h>
#include "../lib/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENGINES 3
HELPER const engine *const engines[ENGINES] = {
    &engine_fast, &engine_small, &engine_far
};
HELPER const char *const engine_names[ENGINES] = { "fast", "small", "far" };
static int turn;              /* which engine is at work */
static void (*describe)(void);   /* prints the case that is at work */

/* Whatever is not as the manual says ends the program, with a word why. */
#define EXPECT(ok, ...)                                                       \
    do {                                                                      \
        if (!(ok)) {                                                          \
            printf("%s:%d: engine %s: %s: ", __FILE__, __LINE__,              \
                   engine_names[turn], #ok);                                  \
            printf(__VA_ARGS__);                                              \
            printf("\n");                                                     \
            if (describe) describe();                                         \
            fflush(stdout);                                                   \
            abort();                                                          \
        }                                                                     \
    } while (0)

/* None is larger than some 100 KiB. Without one nothing more can be said, of
 * this input and of those behind it: that is no success. */
HELPER void *grabbed(void *p)
{
    if (!p) {
        printf("out of memory\n");
        exit(2);
    }
    return p;
}

HELPER void *grab(size_t n) { return grabbed(malloc(n + !n)); }
HELPER void *grab_zeros(size_t n) { return grabbed(calloc(n + !n, 1)); }

/* ---- bytes of the input --------------------------------------------------*/

typedef struct input { const uint8_t *at, *end; } input;

/* The next byte; 0 where there are no more. */
HELPER int take(input *in) { return in->at < in->end ? *in->at++ : 0; }

HELPER int below(input *in, int n) { return take(in) % n; }

/* Signed sizes at which arithmetic breaks, and their neighbours. */
HELPER ptrdiff_t take_number(input *in)
{
    static const ptrdiff_t near[16] = {
        0, 1, PTRDIFF_MAX, PTRDIFF_MIN, PTRDIFF_MAX / 2, PTRDIFF_MIN / 2,
        PTRDIFF_MAX / 3, PTRDIFF_MAX / 16, 32768, 65536, INT_MAX,
        (ptrdiff_t)1 << (sizeof(ptrdiff_t) * 4), 46341, 1 << 20, 255, 16
    };
    const size_t base = (size_t)near[below(in, 16)];
    return (ptrdiff_t)(base + (size_t)(int8_t)take(in));
}

/* from + the next byte, or most if that is less; from is at most that. */
HELPER ptrdiff_t take_more(input *in, ptrdiff_t from, ptrdiff_t most)
{
    const int more = take(in);
    return most - from < more ? most : from + more;
}

/* An int as an option may hold it when it is wrong. */
HELPER int take_wrong(input *in)
{
    static const int wrong[8] = { -1, 8, INT_MIN, INT_MAX, 9, 16, 255, 2 };
    return wrong[below(in, 8)];
}

/* An extent: mostly small. Extreme ones only where asked for. */
HELPER ptrdiff_t take_extent(input *in, int crowded, int extreme)
{
    static const short some[8] = { 0, 0, 64, 100, 257, 300, 1030, 2050 };
    const int b = take(in);
    if (extreme && b >= 224) return take_number(in);
    if (crowded) return b % 5 == 4 ? 2 : b == 255 ? 0 : 1;
    if (b < 128) return 1 + b % 4;
    if (b < 192) return b % 8;
    if (b < 224) return b - 190;
    if (b < 248) return b % 3;
    return some[b - 248];
}

/* A rank: mostly small, at most 24. */
HELPER int take_rank(input *in)
{
    const int b = take(in);
    return b < 216 ? b % 5 : b % 25;
}

HELPER ptrdiff_t take_elem(input *in)
{
    static const short size[32] = {
        4, 4, 4, 8, 8, 1, 1, 2, 2, 16, 16, 3, 5, 6, 7, 9, 12, 13, 15, 17, 24,
        31, 32, 33, 48, 63, 64, 65, 128, 256, 2048, 5000
    };
    return size[below(in, 32)];
}

/* ---- sizes ---------------------------------------------------------------*/

/* Exact up to 2^64; what is larger stays larger than any PTRDIFF_MAX. */
typedef long double wide;
#define MOST ((wide)PTRDIFF_MAX)

/* What may be refused, a bit for each status, and whether it must be. */
typedef struct verdict {
    unsigned may;
    int      must;
} verdict;

HELPER void maybe(verdict *v, int status) { v->may |= 1u << status; }

HELPER void flaw(verdict *v, int status)
{
    maybe(v, status);
    v->must = 1;
}

HELPER void judge(const verdict *v, int got, const ndg_report *r)
{
    EXPECT(got >= 0 && got < NDG_STATUS_COUNT, "status %d", got);
    if (got == NDG_OK) {
        EXPECT(!v->must, "accepted, flaws %x", v->may);
        EXPECT(report_clean(r), "%s", report_text(r));
        return;
    }
    EXPECT(v->may >> got & 1, "flaws %x: %s", v->may, report_text(r));
    EXPECT(r->status == got && r->operand && r->op && !r->bad.count, "%s",
           report_text(r));
}

/* ---- arrays --------------------------------------------------------------*/

#define VIEW_RANK 56         /* an output has axes of two arrays */

typedef struct view {
    int            rank, strided;
    ptrdiff_t      dim[VIEW_RANK], stride[VIEW_RANK], elem;
    ptrdiff_t      low, high;      /* bytes in memory, relative to base */
    unsigned char *block, *base;   /* the lead is in front of the first byte */
    ptrdiff_t      lead;
} view;

HELPER wide view_size(const view *a)
{
    wide n = 1;
    int  i, empty = 0;
    for (i = 0; i < a->rank; i++) {
        n *= (wide)a->dim[i];
        if (a->dim[i] == 0) empty = 1;
    }
    return empty ? 0 : n;
}

/* Strides of C order; what wraps is found by view_flaws. */
HELPER void view_pack(view *a)
{
    size_t step = (size_t)a->elem;
    int    i;
    for (i = a->rank - 1; i >= 0; i--) {
        a->stride[i] = (ptrdiff_t)step;
        step *= (size_t)a->dim[i];
    }
}

HELPER void view_span(const view *a, wide *low, wide *high)
{
    int i;
    *low = *high = 0;
    if (view_size(a) == 0) return;
    for (i = 0; i < a->rank; i++) {
        wide reach = ((wide)a->dim[i] - 1) * (wide)a->stride[i];
        *(reach < 0 ? low : high) += reach;
    }
    *high += (wide)a->elem;
}

/* What any array may be refused for. */
HELPER void view_flaws(const view *a, verdict *v)
{
    wide low, high;
    int  i, below = 0;
    for (i = 0; i < a->rank; i++) below |= a->dim[i] < 0;
    if (below) {
        flaw(v, NDG_E_SHAPE);
        return;
    }
    if (view_size(a) * (wide)a->elem > MOST) flaw(v, NDG_E_OVERFLOW);
    if (!a->strided) return;
    view_span(a, &low, &high);
    if (high - low > MOST) {
        flaw(v, NDG_E_OVERFLOW);
        maybe(v, NDG_E_STRIDE);
    }
}

/* Whether the strides of an output are positive and nested, in any order. Axes
 * of one step do not count. */
HELPER int view_nests(const view *a)
{
    char done[VIEW_RANK] = { 0 };
    wide span = (wide)a->elem;
    int  i, n, least;
    for (n = 0; n < a->rank; n++) {
        for (least = -1, i = 0; i < a->rank; i++)
            if (!done[i] && a->dim[i] > 1
                && (least < 0 || a->stride[i] < a->stride[least])) least = i;
        if (least < 0) return 1;
        if ((wide)a->stride[least] < span) return 0;
        span += ((wide)a->dim[least] - 1) * (wide)a->stride[least];
        done[least] = 1;
    }
    return 1;
}

/* What the layout that a caller gives an output may be refused for. Zero, which
 * is also a scalar in C order, is no layout. Returns whether its strides are
 * the ones to use. */
HELPER int layout_flaws(const view *got, const view *want, verdict *v)
{
    int i, differs = 0, odd = view_size(got) == 0;
    if (!got->rank && !got->strided) return 0;
    for (i = 0; i < got->rank; i++) {
        if (got->rank == want->rank) differs |= got->dim[i] != want->dim[i];
        odd |= got->stride[i] <= 0;
    }
    if (got->rank != want->rank) flaw(v, NDG_E_RANK);
    if (differs) flaw(v, NDG_E_SHAPE);
    if (differs || got->rank != want->rank) {
        maybe(v, NDG_E_STRIDE);
        maybe(v, NDG_E_OVERFLOW);
        maybe(v, NDG_E_SHAPE);
        return 0;
    }
    if (!got->strided) return 0;
    if (odd) maybe(v, NDG_E_STRIDE);
    if (view_size(got) > 0 && !view_nests(got)) flaw(v, NDG_E_STRIDE);
    view_flaws(got, v);
    return 1;
}

HELPER int view_has_gaps(const view *a)
{
    wide low, high;
    view_span(a, &low, &high);
    return high - low != view_size(a) * (wide)a->elem;
}

/* Axes nested in an order that the input gives, with gaps, and backwards too
 * where an input array is meant. */
HELPER void take_nested(input *in, view *a, int backwards)
{
    char   done[VIEW_RANK] = { 0 };
    size_t step = (size_t)a->elem + (size_t)below(in, 3);
    int    i, n;
    for (n = 0; n < a->rank; n++) {
        const int how = take(in);
        i = how % a->rank;
        while (done[i]) i = (i + 1) % a->rank;
        done[i] = 1;
        a->stride[i] = (ptrdiff_t)(step);
        if (backwards && how & 128) a->stride[i] = (ptrdiff_t)(0 - step);
        if (a->dim[i] > 0) step *= (size_t)a->dim[i];
        if (how & 64) step += (size_t)(how >> 4 & 3);
    }
}

HELPER void take_raw(input *in, view *a)
{
    int i;
    for (i = 0; i < a->rank; i++) {
        const int b = take(in);
        a->stride[i] = b < 224 ? (ptrdiff_t)(int8_t)b : take_number(in);
        if (b % 4 == 0 && b < 128) a->stride[i] = 0;
    }
}

/* Strides of an input array: of most arrays none. */
HELPER void take_strides(input *in, view *a)
{
    const int how = below(in, 8);
    view_pack(a);
    a->strided = how > 3;
    if (how == 5 || how == 6) take_nested(in, a, 1);
    if (how == 7) take_raw(in, a);
}

/* Strides of an output. Returns whether it has any. */
HELPER int take_out_strides(input *in, view *a)
{
    const int how = below(in, 16);
    view_pack(a);
    a->strided = how > 7;
    if (how > 8 && how < 15) take_nested(in, a, 0);
    if (how == 15) take_raw(in, a);
    return a->strided;
}

HELPER void view_print(const char *name, const view *a)
{
    int i;
    printf("    %s: elem %ld, bytes %ld ... %ld, [", name, (long)a->elem,
           (long)a->low, (long)a->high);
    for (i = 0; i < a->rank; i++) printf(" %ld", (long)a->dim[i]);
    printf(" ]");
    if (a->strided) printf(" strides");
    for (i = 0; i < a->rank && a->strided; i++)
        printf(" %ld", (long)a->stride[i]);
    printf("\n");
}

/* With FUZZ_TELL in the environment each case is printed before it runs. */
HELPER void tell(void (*how)(void))
{
    describe = how;
    if (getenv("FUZZ_TELL")) how();
    fflush(stdout);
}

/* The shape for a desc; dims and strides stay in the view. */
HELPER ndg_shape view_ndg(const view *a)
{
    return ndg_dims(a->rank, a->dim, a->strided ? a->stride : NULL);
}

/* ---- memory --------------------------------------------------------------*/

#define BYTES_MOST ((ptrdiff_t)1 << 17)

/* base + offset, also where base itself is outside of the memory. */
HELPER unsigned char *view_at(const view *a, ptrdiff_t offset)
{
    return (unsigned char *)((uintptr_t)a->base + (uintptr_t)offset);
}

/* Memory for low ... high-1 and no byte more behind. base is NULL if there is
 * none, as a caller may pass it. */
HELPER void view_alloc(view *a, ptrdiff_t lead)
{
    const ptrdiff_t n = a->high - a->low;
    a->lead = lead;
    a->block = (unsigned char *)grab((size_t)(lead + n));
    memset(a->block, FRESH, (size_t)(lead + n));
    a->base = (unsigned char *)((uintptr_t)a->block + (uintptr_t)lead
                                - (uintptr_t)a->low);
    if (n == 0) a->base = NULL;
}

HELPER void view_free(view *a)
{
    free(a->block);
    a->block = a->base = NULL;
}

/* Bytes 1 ... 127: neither 0 nor FRESH. */
HELPER void view_noise(view *a, random_source *dice)
{
    const ptrdiff_t n = a->high - a->low;
    uint64_t        bits = 0;
    ptrdiff_t       i;
    for (i = 0; i < n; i++, bits >>= 8) {
        if (i % 8 == 0) bits = random_bits(dice);
        a->block[a->lead + i] = (unsigned char)(1 + (bits & 127) % 127);
    }
}

HELPER ptrdiff_t view_bytes(const view *a)
{
    return a->lead + a->high - a->low;
}

HELPER unsigned char *view_copy(const view *a)
{
    unsigned char *copy = (unsigned char *)grab((size_t)view_bytes(a));
    memcpy(copy, a->block, (size_t)view_bytes(a));
    return copy;
}

/* Whether a block is as it should be; half: a byte may be as it was, too. */
HELPER void same_bytes(const view *a, const unsigned char *want,
                       const unsigned char *fresh, int half)
{
    ptrdiff_t i;
    if (!memcmp(a->block, want, (size_t)view_bytes(a))) return;
    for (i = 0; i < view_bytes(a); i++)
        EXPECT(a->block[i] == want[i] || (half && a->block[i] == fresh[i]),
               "byte %ld of %ld is %02x, not %02x", (long)(i - a->lead),
               (long)(view_bytes(a) - a->lead), (unsigned)a->block[i],
               (unsigned)want[i]);
}

/* Whether span [low, high) can be had as memory of its own, behind a base at a
 * true address. */
HELPER int affordable(wide low, wide high)
{
    const wide far = sizeof(void *) > 4 ? 1e12L : 1e8L;
    return high - low <= (wide)BYTES_MOST && low >= -far && high <= far;
}

/* Widens *low ... *high by n bytes at an offset. */
HELPER void widen(ptrdiff_t *low, ptrdiff_t *high, ptrdiff_t at, ptrdiff_t n)
{
    if (*low == *high) {
        *low = at;
        *high = at + n;
        return;
    }
    if (at < *low) *low = at;
    if (at + n > *high) *high = at + n;
}

/* *offset += n * stride; of an array without elements it may wrap. */
HELPER void advance(ptrdiff_t *offset, ptrdiff_t n, ptrdiff_t stride)
{
    *offset = (ptrdiff_t)((size_t)*offset + (size_t)n * (size_t)stride);
}

/* Row-major position to coordinates. */
HELPER void split_position(ptrdiff_t position, int rank, const ptrdiff_t *dim,
                           ptrdiff_t *at)
{
    int i;
    for (i = rank - 1; i >= 0; i--) {
        at[i] = position % dim[i];
        position /= dim[i];
    }
}

/* ---- index values --------------------------------------------------------*/

enum { VALUES_GOOD, VALUES_MIXED, VALUES_RAW, VALUES_INPUT, VALUES_WAYS };

/* A bad value, or a good one far from the small ones. */
HELPER int64_t hostile_value(random_source *dice, ptrdiff_t extent)
{
    const int64_t n = extent;
    switch (random_below(dice, 10)) {
    case 0:  return n;
    case 1:  return -1;
    case 2:  return INT64_MIN;
    case 3:  return INT64_MAX;
    case 4:  return -n - 1;
    case 5:  return -n;
    case 6:  return n - 1;
    case 7:  return (int64_t)1 << 32;
    case 8:  return n < INT32_MAX ? 3 * n + 1 : n;
    default: return (int64_t)1 << random_below(dice, 63);
    }
}

/* Writes an index for an extent, in one of the ways. */
HELPER void put_index(void *to, int type, ptrdiff_t extent, int way,
                      random_source *dice, input *in)
{
    int64_t   v;
    ptrdiff_t room = extent < 8 ? extent : random_below(dice, 2) ? extent : 8;
    if (way == VALUES_RAW) {
        random_fill(dice, to, index_bytes(type));
        return;
    }
    if (room > 4096) room = 4096;
    v = room > 0 ? (int64_t)(random_bits(dice) % (uint64_t)room) : 0;
    if (way == VALUES_INPUT) v = (int8_t)take(in);
    if (way == VALUES_MIXED && random_below(dice, 8) == 0)
        v = hostile_value(dice, extent);
    index_put(to, type, v);
}

/* What an index leads to: 0 ... extent-1, or -1 for nowhere. */
HELPER ptrdiff_t look_up(int64_t v, int is_u64, ptrdiff_t extent, int policy,
                         int negative, int *bad)
{
    const uint64_t n = (uint64_t)extent;
    int64_t        w = v;
    *bad = 0;
    if (!is_u64 && v < 0 && negative == NDG_NEGATIVE_FROM_END) w = v + extent;
    if (!is_u64 && w >= 0 && w < extent) return (ptrdiff_t)w;
    *bad = 1;
    if (extent == 0) return -1;
    if (policy == NDG_CLIP) return !is_u64 && w < 0 ? 0 : extent - 1;
    if (policy != NDG_WRAP) return -1;
    if (is_u64 || w >= 0) return (ptrdiff_t)((uint64_t)w % n);
    v = w % (int64_t)extent;
    return (ptrdiff_t)(v < 0 ? v + extent : v);
}

/* ---- reports -------------------------------------------------------------*/

/* A refusal that is known, before anything was written. */
HELPER void refused(int got, const ndg_report *r, int status, int operand)
{
    EXPECT(got == status && r->status == status && r->op
           && (!operand || r->operand == operand) && !r->bad.count,
           "got %d, not %d about %d: %s", got, status, operand,
           report_text(r));
}

/* The report as a line: the length is right at any capacity. */
HELPER void say(const engine *e, const ndg_report *r, const ndg_shape *indices)
{
    const ptrdiff_t n = e->report_text(NULL, 0, r, indices);
    char           *whole, *part;
    EXPECT(n > 0 && n < 1000, "%ld characters", (long)n);
    whole = (char *)grab((size_t)n + 1);
    part = (char *)grab((size_t)n / 2 + 1);
    EXPECT(e->report_text(whole, n + 1, r, indices) == n
           && (ptrdiff_t)strlen(whole) == n, "%s", whole);
    EXPECT(e->report_text(part, n / 2 + 1, r, indices) == n
           && (ptrdiff_t)strlen(part) == n / 2
           && !memcmp(whole, part, (size_t)(n / 2)), "%s", part);
    free(whole);
    free(part);
}

/* Ranges of first ... last, cut where the input says: up to 4. */
#define CUTS 5
HELPER int take_cuts(input *in, ptrdiff_t first, ptrdiff_t last,
                     ptrdiff_t *cut)
{
    int n = 1 + below(in, 4), i;
    cut[0] = first;
    cut[n] = last;
    for (i = 1; i < n; i++) {
        const ptrdiff_t left = last - cut[i - 1];
        cut[i] = cut[i - 1] + (left > 0 ? take(in) * 7 % (left + 1) : 0);
    }
    return n;
}

#endif
