/* arrays.h - what the tests share: integers of every index type as raw bytes,
 * arrays in every layout in buffers exact to the byte, numbers from a seed.
 *
 * Include it after ndgather.h and test.h. It uses the types of the library and
 * ndg_dims, and none of its other functions. */
#ifndef NDG_TEST_ARRAYS_H
#define NDG_TEST_ARRAYS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A program need not use all of this. */
#if defined(__GNUC__)
#define HELPER static __attribute__((unused))
#else
#define HELPER static
#endif

#define ARRAY_RANK 56      /* an output has axes of two arrays of 24 and more */
#define FRESH      0xA5    /* what a buffer holds before anybody writes */

/* ---- numbers -------------------------------------------------------------*/

typedef struct random_source { uint64_t state; } random_source;

/* splitmix64: any seed will do, zero too. */
HELPER uint64_t random_bits(random_source *r)
{
    uint64_t x = (r->state += UINT64_C(0x9E3779B97F4A7C15));
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* 0 ... n-1 */
HELPER int random_below(random_source *r, int n)
{
    return (int)(random_bits(r) % (uint64_t)n);
}

HELPER void random_fill(random_source *r, void *bytes, ptrdiff_t n)
{
    unsigned char *p = (unsigned char *)bytes;
    ptrdiff_t      i;
    for (i = 0; i < n; i++) p[i] = (unsigned char)(random_bits(r) >> 11);
}

/* ---- index types ---------------------------------------------------------*/

#define INDEX_TYPES 8

HELPER const char *index_name(int type)
{
    static const char *const name[INDEX_TYPES] = {
        "i32", "i8", "i16", "i64", "u8", "u16", "u32", "u64"
    };
    return type >= 0 && type < INDEX_TYPES ? name[type] : "?";
}

HELPER ptrdiff_t index_bytes(int type)
{
    static const int bytes[INDEX_TYPES] = { 4, 1, 2, 8, 1, 2, 4, 8 };
    return bytes[type];
}

/* Whether a type can hold v, or with is_u64 the bits of v as a uint64_t. */
HELPER int index_holds(int type, int64_t v, int is_u64)
{
    if (is_u64 && v < 0) return type == NDG_U64;
    switch (type) {
    case NDG_I8:  return v >= INT8_MIN && v <= INT8_MAX;
    case NDG_I16: return v >= INT16_MIN && v <= INT16_MAX;
    case NDG_I32: return v >= INT32_MIN && v <= INT32_MAX;
    case NDG_I64: return 1;
    case NDG_U8:  return v >= 0 && v <= UINT8_MAX;
    case NDG_U16: return v >= 0 && v <= UINT16_MAX;
    case NDG_U32: return v >= 0 && v <= (int64_t)UINT32_MAX;
    default:      return v >= 0;
    }
}

HELPER void index_put(void *to, int type, int64_t v)
{
    int8_t   a = (int8_t)v;
    int16_t  b = (int16_t)v;
    int32_t  c = (int32_t)v;
    uint8_t  d = (uint8_t)v;
    uint16_t e = (uint16_t)v;
    uint32_t f = (uint32_t)v;
    switch (type) {
    case NDG_I8:  memcpy(to, &a, 1); break;
    case NDG_I16: memcpy(to, &b, 2); break;
    case NDG_I32: memcpy(to, &c, 4); break;
    case NDG_U8:  memcpy(to, &d, 1); break;
    case NDG_U16: memcpy(to, &e, 2); break;
    case NDG_U32: memcpy(to, &f, 4); break;
    default:      memcpy(to, &v, 8); break;
    }
}

/* *is_u64: the value is a uint64_t above INT64_MAX, its bits returned. */
HELPER int64_t index_get(const void *from, int type, int *is_u64)
{
    int8_t   a;
    int16_t  b;
    int32_t  c;
    int64_t  v;
    uint8_t  d;
    uint16_t e;
    uint32_t f;
    *is_u64 = 0;
    switch (type) {
    case NDG_I8:  memcpy(&a, from, 1); return a;
    case NDG_I16: memcpy(&b, from, 2); return b;
    case NDG_I32: memcpy(&c, from, 4); return c;
    case NDG_U8:  memcpy(&d, from, 1); return d;
    case NDG_U16: memcpy(&e, from, 2); return e;
    case NDG_U32: memcpy(&f, from, 4); return f;
    default:
        memcpy(&v, from, 8);
        *is_u64 = type == NDG_U64 && v < 0;
        return v;
    }
}

/* ---- arrays --------------------------------------------------------------*/

enum {
    LAYOUT_C,           /* C order, no strides given */
    LAYOUT_EXPLICIT,    /* C order, its strides given */
    LAYOUT_PADDED,      /* gaps after every element and every row */
    LAYOUT_REVERSED,    /* every stride negative */
    LAYOUT_PERMUTED,    /* the first axis varies fastest */
    LAYOUT_MIXED,       /* padded, every other axis reversed */
    LAYOUT_COUNT
};

typedef struct array {
    int            rank;
    int            strided;
    ptrdiff_t      dim[ARRAY_RANK];
    ptrdiff_t      stride[ARRAY_RANK];
    ptrdiff_t      elem;           /* bytes of one element */
    ptrdiff_t      size;           /* elements */
    ptrdiff_t      low, high;      /* byte span, relative to base */
    unsigned char *block;
    ptrdiff_t      block_bytes;
    unsigned char *base;           /* the element with all coordinates 0 */
} array;

/* Sets the byte span of dims and strides that stand. */
HELPER void array_measure(array *a)
{
    int i;
    a->size = 1;
    a->low = a->high = 0;
    for (i = 0; i < a->rank; i++) a->size *= a->dim[i];
    if (!a->size) return;
    for (i = 0; i < a->rank; i++) {
        ptrdiff_t reach = (a->dim[i] - 1) * a->stride[i];
        if (reach < 0) a->low += reach; else a->high += reach;
    }
    a->high += a->elem;
}

/* Axes in the order in which their strides grow. */
HELPER int layout_axis(const array *a, int fold, int layout, int k)
{
    int inner = a->rank - fold;
    if (k >= inner) return fold - 1 - (k - inner);
    return layout == LAYOUT_PERMUTED ? fold + k : a->rank - 1 - k;
}

/* Shape and strides. The first `fold` axes fold to one stride in any layout. */
HELPER void array_shape(array *a, int rank, const ptrdiff_t *dims,
                        ptrdiff_t elem, int layout, int fold)
{
    int       pad = layout == LAYOUT_PADDED || layout == LAYOUT_MIXED;
    ptrdiff_t step = elem + (pad ? 3 : 0);
    int       k, i;
    memset(a, 0, sizeof *a);
    a->rank = rank;
    a->elem = elem;
    a->strided = layout != LAYOUT_C;
    for (i = 0; i < rank; i++) a->dim[i] = dims[i];
    for (k = 0; k < rank; k++) {
        i = layout_axis(a, fold, layout, k);
        a->stride[i] = step;
        step *= a->dim[i] ? a->dim[i] : 1;
        if (pad && i >= fold) step += 5;
    }
    for (i = 0; i < rank; i++) {
        int odd = i < fold ? 0 : (i - fold) & 1;
        if (layout == LAYOUT_REVERSED || (layout == LAYOUT_MIXED && !odd))
            a->stride[i] = -a->stride[i];
    }
    array_measure(a);
}

/* A block of `before` bytes, the span, and `after` bytes, all FRESH. Nothing
 * to hold and no margin: base is NULL, as a caller may pass it. */
HELPER void array_alloc(array *a, ptrdiff_t before, ptrdiff_t after)
{
    a->block_bytes = before + (a->high - a->low) + after;
    a->block = (unsigned char *)malloc((size_t)a->block_bytes
                                       + !a->block_bytes);
    if (!a->block) {
        printf("out of memory\n");
        exit(2);
    }
    if (a->block_bytes) memset(a->block, FRESH, (size_t)a->block_bytes);
    a->base = a->block_bytes
        ? (unsigned char *)((uintptr_t)a->block + (uintptr_t)before
                            - (uintptr_t)a->low) : 0;
}

HELPER void array_free(array *a)
{
    free(a->block);
    a->block = a->base = 0;
}

/* The same array, with bytes of its own. */
HELPER void array_twin(array *twin, const array *a)
{
    *twin = *a;
    twin->block = (unsigned char *)malloc((size_t)a->block_bytes
                                          + !a->block_bytes);
    if (!twin->block) {
        printf("out of memory\n");
        exit(2);
    }
    if (a->block_bytes)
        memcpy(twin->block, a->block, (size_t)a->block_bytes);
    twin->base = a->base ? twin->block + (a->base - a->block) : 0;
}

HELPER void array_fresh(array *a)
{
    if (a->block_bytes) memset(a->block, FRESH, (size_t)a->block_bytes);
}

/* Same layout, and the same bytes everywhere, gaps and margins included. */
HELPER int array_same(const array *a, const array *b)
{
    return a->block_bytes == b->block_bytes
        && (!a->block_bytes || !memcmp(a->block, b->block,
                                       (size_t)a->block_bytes));
}

/* Where an element is: base itself may be outside of the memory. */
HELPER unsigned char *array_at(const array *a, const ptrdiff_t *coords)
{
    uintptr_t at = (uintptr_t)a->base;
    int       i;
    for (i = 0; i < a->rank; i++)
        at += (uintptr_t)coords[i] * (uintptr_t)a->stride[i];
    return (unsigned char *)at;
}

/* The next coordinates in row-major order; 0 when they wrap to the first. */
HELPER int coords_next(int rank, const ptrdiff_t *dims, ptrdiff_t *coords)
{
    int i;
    for (i = rank - 1; i >= 0; i--) {
        if (++coords[i] < dims[i]) return 1;
        coords[i] = 0;
    }
    return 0;
}

/* Coordinates of a row-major position, by counting up. */
HELPER void coords_of(ptrdiff_t position, int rank, const ptrdiff_t *dims,
                      ptrdiff_t *coords)
{
    int i;
    for (i = rank - 1; i >= 0; i--) {
        coords[i] = position % dims[i];
        position /= dims[i];
    }
}

/* Fills an array from elements in C order. */
HELPER void array_store(array *a, const void *packed)
{
    const unsigned char *from = (const unsigned char *)packed;
    ptrdiff_t            coords[ARRAY_RANK] = { 0 };
    ptrdiff_t            i;
    for (i = 0; i < a->size; i++) {
        memcpy(array_at(a, coords), from + i * a->elem, (size_t)a->elem);
        coords_next(a->rank, a->dim, coords);
    }
}

HELPER ndg_shape array_ndg(const array *a)
{
    return ndg_dims(a->rank, a->dim, a->strided ? a->stride : 0);
}

/* ---- reports -------------------------------------------------------------*/

HELPER int bad_same(const ndg_bad *a, const ndg_bad *b, int with_count)
{
    return (!with_count || a->count == b->count) && a->list == b->list
        && a->position == b->position && a->component == b->component
        && a->is_u64 == b->is_u64 && a->value == b->value
        && a->extent == b->extent && a->changed == b->changed
        && a->from_end == b->from_end;
}

HELPER int report_same(const ndg_report *a, const ndg_report *b, int with_count)
{
    return a->status == b->status && a->op == b->op
        && a->operand == b->operand && a->axis == b->axis
        && a->item == b->item && a->value == b->value && a->bound == b->bound
        && bad_same(&a->bad, &b->bad, with_count)
        && a->rows.first_hole == b->rows.first_hole
        && a->rows.holes == b->rows.holes
        && a->rows.duplicates == b->rows.duplicates;
}

/* What a failed run and its ranges must agree on: all but the number of bad
 * rows and what the rows that were still done counted. */
HELPER int report_same_failure(const ndg_report *a, const ndg_report *b)
{
    return a->status == b->status && a->op == b->op
        && a->operand == b->operand && a->axis == b->axis
        && a->item == b->item && a->value == b->value && a->bound == b->bound
        && bad_same(&a->bad, &b->bad, 0);
}

HELPER int report_clean(const ndg_report *a)
{
    static const ndg_report zero = NDG_ZERO_INIT;
    return report_same(a, &zero, 1);
}

/* A report that says nothing true, to see that a call overwrites it. */
HELPER ndg_report report_stale(void)
{
    ndg_report r;
    memset(&r, 0x5A, sizeof r);
    return r;
}

/* One line for a failure message, in one of four turns. */
HELPER const char *report_text(const ndg_report *r)
{
    static char text[4][640];
    static int  turn;
    char       *t = text[turn++ & 3];
    snprintf(t, sizeof text[0],
            "{status %d op %d operand %d axis %d item %ld value %lld "
            "bound %lld; bad count %ld list %ld pos %ld comp %d u64 %d "
            "value %lld extent %ld end %d; "
            "first hole %ld holes %ld dup %ld}",
            r->status, r->op, r->operand, r->axis, (long)r->item,
            (long long)r->value, (long long)r->bound, (long)r->bad.count,
            (long)r->bad.list, (long)r->bad.position, r->bad.component,
            r->bad.is_u64, (long long)r->bad.value, (long)r->bad.extent,
            r->bad.from_end,
            (long)r->rows.first_hole, (long)r->rows.holes,
            (long)r->rows.duplicates);
    return t;
}

#endif
