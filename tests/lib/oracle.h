/* oracle.h - the seven operations again, as slowly and plainly as they can be
 * said: loops over coordinates, one element at a time, from the rules alone.
 *
 * Nothing here calls the library or looks like it. Sizes and shapes may be any
 * until `flaws` has judged them; bytes are for rows that a test can afford. */
#ifndef NDG_TEST_ORACLE_H
#define NDG_TEST_ORACLE_H

#include "arrays.h"

/* ---- sizes and what is wrong with them -----------------------------------*/

/* Exact up to 2^64; what is larger stays larger than any PTRDIFF_MAX. */
typedef long double wide;
#define LARGEST ((wide)PTRDIFF_MAX)

/* Whether it is so here: not where a wide is a double, as under valgrind. */
HELPER int wide_is_exact(void)
{
    volatile wide most = LARGEST;
    return most - 1 != most;
}

/* What may be refused, a bit for each status, and whether it must be. Where
 * several things are wrong, any of their statuses will do. */
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

HELPER void flaw_if(verdict *v, int wrong, int status)
{
    if (wrong) flaw(v, status);
}

HELPER void maybe_any_shape(verdict *v)
{
    int s;
    for (s = NDG_E_RANK; s < NDG_STATUS_COUNT; s++) maybe(v, s);
}

HELPER wide array_cells(const array *a)
{
    wide n = 1;
    int  i, empty = 0;
    for (i = 0; i < a->rank; i++) {
        n *= (wide)a->dim[i];
        if (a->dim[i] == 0) empty = 1;
    }
    return empty ? 0 : n;
}

/* Strides of C order; what wraps is found by array_flaws. */
HELPER void array_pack(array *a)
{
    size_t step = (size_t)a->elem;
    int    i;
    for (i = a->rank - 1; i >= 0; i--) {
        a->stride[i] = (ptrdiff_t)step;
        step *= (size_t)a->dim[i];
    }
}

HELPER void array_span(const array *a, wide *low, wide *high)
{
    int i;
    *low = *high = 0;
    if (array_cells(a) == 0) return;
    for (i = 0; i < a->rank; i++) {
        wide reach = ((wide)a->dim[i] - 1) * (wide)a->stride[i];
        *(reach < 0 ? low : high) += reach;
    }
    *high += (wide)a->elem;
}

/* One behind its last byte. */
HELPER wide array_end(const array *a)
{
    wide low, high;
    array_span(a, &low, &high);
    return high;
}

HELPER int array_has_gaps(const array *a)
{
    wide low, high;
    array_span(a, &low, &high);
    return high - low != array_cells(a) * (wide)a->elem;
}

/* What any array may be refused for. Returns whether its extents are some. */
HELPER int array_flaws(const array *a, verdict *v)
{
    wide low, high;
    int  i, below = 0;
    for (i = 0; i < a->rank; i++) below |= a->dim[i] < 0;
    flaw_if(v, below, NDG_E_SHAPE);
    if (below) return 0;
    flaw_if(v, array_cells(a) * (wide)a->elem > LARGEST, NDG_E_OVERFLOW);
    if (!a->strided) return 1;
    array_span(a, &low, &high);
    if (high - low > LARGEST) {
        flaw(v, NDG_E_OVERFLOW);
        maybe(v, NDG_E_STRIDE);
    }
    return 1;
}

/* Whether the strides of an output are positive and nested, in any order. Axes
 * of one step do not count. */
HELPER int array_nests(const array *a)
{
    char done[ARRAY_RANK] = { 0 };
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

/* What the shape and strides that a caller gives an array, of which the others
 * tell the shape, may be refused for. Zero, which is also a scalar in C order,
 * is none. Returns whether its strides are the ones to use. */
HELPER int layout_flaws(const array *got, const array *want, int output,
                        verdict *v)
{
    int i, differs = 0, odd = array_cells(got) == 0;
    if (!got->rank && !got->strided) return 0;
    for (i = 0; i < got->rank; i++) {
        if (got->rank == want->rank) differs |= got->dim[i] != want->dim[i];
        odd |= got->stride[i] <= 0;
    }
    flaw_if(v, got->rank != want->rank, NDG_E_RANK);
    flaw_if(v, differs, NDG_E_SHAPE);
    if (differs || got->rank != want->rank) {
        maybe(v, NDG_E_STRIDE);
        maybe(v, NDG_E_OVERFLOW);
        maybe(v, NDG_E_SHAPE);
        return 0;
    }
    if (!got->strided) return 0;
    if (odd && output) maybe(v, NDG_E_STRIDE);
    flaw_if(v, output && array_cells(got) > 0 && !array_nests(got),
            NDG_E_STRIDE);
    array_flaws(got, v);
    return 1;
}

/* The options that all descs have. */
HELPER void option_flaws(ptrdiff_t elem_size, int index_type, int policy,
                         int is_gather, int overlap, unsigned features,
                         verdict *v)
{
    flaw_if(v, elem_size < 1, NDG_E_TYPE);
    flaw_if(v, index_type < 0 || index_type > NDG_U64, NDG_E_TYPE);
    flaw_if(v, policy < 0 || policy > NDG_ASSUME_VALID, NDG_E_OPTION);
    flaw_if(v, !is_gather && policy > NDG_ERROR && policy < NDG_DROP,
            NDG_E_OPTION);
    flaw_if(v, overlap < 0 || overlap > 1, NDG_E_OPTION);
    flaw_if(v, features != 0, NDG_E_OPTION);
}

typedef struct oracle_span { ptrdiff_t low, high; } oracle_span;

/* Widens s, which is empty at first, by n bytes at an offset. */
HELPER void oracle_widen(oracle_span *s, ptrdiff_t at, ptrdiff_t n)
{
    if (s->low == s->high) s->low = s->high = at;
    if (at < s->low) s->low = at;
    if (at + n > s->high) s->high = at + n;
}

/* The offset of an element from where its array begins. */
HELPER ptrdiff_t array_offset(const array *a, const ptrdiff_t *coords)
{
    return (ptrdiff_t)((uintptr_t)array_at(a, coords) - (uintptr_t)a->base);
}

/* ---- one index -----------------------------------------------------------*/

/* Where an index leads: 0 ... extent-1, or -1 for nowhere. *bad says whether
 * it was out of range, wherever a policy sends it. */
HELPER ptrdiff_t oracle_index(int64_t v, int is_u64, ptrdiff_t extent,
                              int policy, int negative, int *bad)
{
    long long n = extent, w = v;
    *bad = 0;
    if (!is_u64) {
        if (w < 0 && negative == NDG_NEGATIVE_FROM_END) w += n;
        if (w >= 0 && w < n) return (ptrdiff_t)w;
    }
    *bad = 1;
    if (n == 0) return -1;
    if (policy == NDG_CLIP) {
        if (is_u64) return extent - 1;
        return w < 0 ? 0 : extent - 1;
    }
    if (policy == NDG_WRAP) {
        if (is_u64) return (ptrdiff_t)((unsigned long long)v
                                       % (unsigned long long)n);
        w %= n;
        return (ptrdiff_t)(w < 0 ? w + n : w);
    }
    return -1;
}

/* (v & mask) + add, 0 being off, in 128 bits; what does not fit 64, with or
 * without a sign, becomes the nearest that does. */
HELPER int64_t oracle_changed(int64_t v, int *is_u64, int64_t mask, int64_t add)
{
    uint64_t low, high, sign;
    if (mask != 0) v = v & mask;
    if (v >= 0) *is_u64 = 0;
    low = (uint64_t)v;
    high = v < 0 && !*is_u64 ? UINT64_MAX : 0;
    sign = add < 0 ? UINT64_MAX : 0;
    high += sign + (low + (uint64_t)add < low);
    low += (uint64_t)add;
    *is_u64 = 0;
    if (high == 0) {
        *is_u64 = low > INT64_MAX;
        return (int64_t)low;
    }
    if (high == UINT64_MAX) return low > INT64_MAX ? (int64_t)low : INT64_MIN;
    *is_u64 = 1;
    return -1;
}

/* ---- gathers -------------------------------------------------------------*/

/* An index that is no row's place goes to the report. */
HELPER void oracle_bad(ndg_report *r, ptrdiff_t list, ptrdiff_t position,
                       int64_t value, int is_u64, ptrdiff_t extent)
{
    if (r->bad.count++) return;
    r->bad.list = list;
    r->bad.position = position;
    r->bad.value = value;
    r->bad.is_u64 = is_u64;
    r->bad.extent = extent;
}

/* What a report with bad rows says besides; `stops`: the run is no success. */
HELPER void oracle_judge(ndg_report *r, int op, int operand, int stops)
{
    if (!r->bad.count) return;
    r->op = op;
    if (!stops) return;
    r->status = NDG_E_INDEX;
    r->operand = operand;
    r->value = r->bound = 0;
}

typedef struct oracle_gather {
    int                  op;
    int                  batch_dims, axis;      /* as a caller gives them */
    int                  policy, negative, index_type;
    int64_t              mask, add;             /* of indices; 0: off */
    const unsigned char *fill;
    const array         *params, *indices;
    int                  b, a;                  /* resolved by _status */
} oracle_gather;

/* Resolves batch_dims and axis; the status of a shape that is not one. */
HELPER int oracle_gather_status(oracle_gather *g)
{
    const array *p = g->params, *x = g->indices;
    int          i;
    g->b = g->batch_dims;
    if (p->rank < 1) return NDG_E_RANK;
    if (g->op == NDG_OP_GATHER_ND) {
        if (x->rank < 1) return NDG_E_RANK;
        if (g->b < 0 || g->b >= x->rank || g->b > p->rank)
            return NDG_E_BATCH_DIMS;
        if (x->dim[x->rank - 1] > p->rank - g->b) return NDG_E_DEPTH;
        g->a = g->b;
    } else {
        if (g->op == NDG_OP_BATCH_GATHER) {
            if (x->rank < 1) return NDG_E_RANK;
            g->b = x->rank - 1;
            g->a = g->b;
        } else {
            if (g->axis < -p->rank || g->axis >= p->rank) return NDG_E_AXIS;
            if (g->b < -x->rank || g->b > x->rank) return NDG_E_BATCH_DIMS;
            if (g->b < 0) g->b += x->rank;
            g->a = g->axis < 0 ? g->axis + p->rank : g->axis;
            if (g->axis == 0) g->a = g->b;      /* zero is "not given" */
        }
        if (g->b >= p->rank) return NDG_E_BATCH_DIMS;
        if (g->b > g->a) return NDG_E_BATCH_DIMS;
    }
    for (i = 0; i < g->b; i++)
        if (p->dim[i] != x->dim[i]) return NDG_E_BATCH_SHAPE;
    return NDG_OK;
}

/* Axes of indices that count rows. */
HELPER int oracle_row_axes(const oracle_gather *g)
{
    return g->indices->rank - (g->op == NDG_OP_GATHER_ND);
}

HELPER int oracle_depth(const oracle_gather *g)
{
    if (g->op != NDG_OP_GATHER_ND) return 1;
    return (int)g->indices->dim[g->indices->rank - 1];
}

HELPER wide oracle_rows(const oracle_gather *g)
{
    array rows = *g->indices;
    rows.rank = oracle_row_axes(g);
    return array_cells(&rows);
}

/* The shape of the output. Returns its rank. */
HELPER int oracle_gather_dims(const oracle_gather *g, ptrdiff_t *dims)
{
    const array *p = g->params, *x = g->indices;
    int          n = 0, i;
    for (i = 0; i < g->a; i++) dims[n++] = p->dim[i];
    for (i = g->b; i < oracle_row_axes(g); i++) dims[n++] = x->dim[i];
    for (i = g->a + oracle_depth(g); i < p->rank; i++) dims[n++] = p->dim[i];
    return n;
}

/* Elements that one row copies. */
HELPER wide oracle_slice(const oracle_gather *g)
{
    array rest = *g->params;
    int   i;
    for (i = 0; i < rest.rank; i++)
        if (i < g->b || (i >= g->a && i < g->a + oracle_depth(g)))
            rest.dim[i] = 1;
    return array_cells(&rest);
}

/* Looks one row of indices up: at[k] becomes the coordinate of component k, or
 * -1. Returns whether the row is bad; its lowest bad component goes to *bad. */
HELPER int oracle_row(const oracle_gather *g, const ptrdiff_t *row,
                      ptrdiff_t *at, ndg_bad *bad)
{
    ptrdiff_t coords[ARRAY_RANK];
    int       k, i, found = 0, is_bad, is_u64;
    for (i = 0; i < oracle_row_axes(g); i++) coords[i] = row[i];
    for (k = 0; k < oracle_depth(g); k++) {
        ptrdiff_t extent = g->params->dim[g->a + k];
        int64_t   v, w;
        int       is_wide;
        if (g->op == NDG_OP_GATHER_ND) coords[g->indices->rank - 1] = k;
        v = index_get(array_at(g->indices, coords), g->index_type, &is_u64);
        is_wide = is_u64;
        w = oracle_changed(v, &is_wide, g->mask, g->add);
        at[k] = oracle_index(w, is_wide, extent, g->policy, g->negative,
                             &is_bad);
        if (is_bad && !found++ && bad) {
            bad->component = k;
            bad->is_u64 = is_u64;
            bad->value = v;
            bad->extent = extent;
            bad->changed = g->mask != 0 || g->add != 0;
            bad->from_end = g->negative == NDG_NEGATIVE_FROM_END
                         && (g->index_type < NDG_U8 || g->add);
        }
    }
    return found > 0;
}

/* Whether a row, which is bad, stops the run. */
HELPER int oracle_stops(const oracle_gather *g)
{
    int k;
    if (g->policy == NDG_DEFAULT || g->policy == NDG_ERROR) return 1;
    if (g->policy != NDG_CLIP && g->policy != NDG_WRAP) return 0;
    for (k = 0; k < oracle_depth(g); k++)
        if (g->params->dim[g->a + k] == 0) return 1;
    return 0;
}

/* The exact report of rows first ... last-1. */
HELPER ndg_report oracle_gather_report(const oracle_gather *g, ptrdiff_t first,
                                       ptrdiff_t last)
{
    ndg_report r;
    ptrdiff_t  row[ARRAY_RANK], at[ARRAY_RANK], i;
    memset(&r, 0, sizeof r);
    for (i = first; i < last; i++) {
        coords_of(i, oracle_row_axes(g), g->indices->dim, row);
        if (oracle_row(g, row, at, r.bad.count ? 0 : &r.bad)) {
            if (!r.bad.count) r.bad.position = i;
            r.bad.count++;
        }
    }
    oracle_judge(&r, g->op, NDG_ARG_INDICES, oracle_stops(g));
    return r;
}

/* Coordinates of row n in out, 0 along the axes of its slice. */
HELPER void oracle_row_to(const oracle_gather *g, ptrdiff_t n, ptrdiff_t *row,
                          ptrdiff_t *to)
{
    int k;
    memset(to, 0, ARRAY_RANK * sizeof *to);
    coords_of(n, oracle_row_axes(g), g->indices->dim, row);
    for (k = 0; k < oracle_row_axes(g); k++)
        to[k < g->b ? k : g->a + k - g->b] = row[k];
}

/* And in params. Returns 1: it is lost; 2: and stops the run; else 0. */
HELPER int oracle_row_from(const oracle_gather *g, const ptrdiff_t *row,
                           ptrdiff_t *from)
{
    ptrdiff_t at[ARRAY_RANK];
    int       k, lost = 0, bad = oracle_row(g, row, at, 0);
    memset(from, 0, ARRAY_RANK * sizeof *from);
    for (k = 0; k < g->b; k++) from[k] = row[k];
    for (k = 0; k < oracle_depth(g); k++) {
        lost |= at[k] < 0;
        from[g->a + k] = at[k] < 0 ? 0 : at[k];
    }
    return bad && oracle_stops(g) ? 2 : lost;
}

/* The next element of a slice, in both; 0 behind the last. */
HELPER int oracle_next(const oracle_gather *g, ptrdiff_t *from, ptrdiff_t *to)
{
    const int depth = oracle_depth(g);
    int       i;
    for (i = g->params->rank - 1; i >= g->b; i--) {
        ptrdiff_t *o = &to[i < g->a ? i : i - depth + oracle_row_axes(g)
                                        - g->b];
        if (i >= g->a && i < g->a + depth) continue;
        *o = ++from[i];
        if (from[i] < g->params->dim[i]) return 1;
        *o = from[i] = 0;
    }
    return 0;
}

/* Bytes that rows first ... last-1 read of indices and write of out. */
HELPER void oracle_gather_spans(const oracle_gather *g, const array *out,
                                ptrdiff_t first, ptrdiff_t last,
                                oracle_span *read, oracle_span *written)
{
    const array *x = g->indices;
    ptrdiff_t    row[ARRAY_RANK], to[ARRAY_RANK], from[ARRAY_RANK], n;
    const int    copies = oracle_slice(g) > 0;
    int          k;
    memset(read, 0, sizeof *read);
    memset(written, 0, sizeof *written);
    for (n = first; n < last; n++) {
        oracle_row_to(g, n, row, to);
        for (k = 0; k < oracle_depth(g); k++) {
            if (g->op == NDG_OP_GATHER_ND) row[x->rank - 1] = k;
            oracle_widen(read, array_offset(x, row), x->elem);
        }
        memset(from, 0, sizeof from);
        if (!copies) continue;
        do oracle_widen(written, array_offset(out, to), out->elem);
        while (oracle_next(g, from, to));
    }
}

/* Bytes of params that the good rows among these read. */
HELPER oracle_span oracle_gather_reads(const oracle_gather *g,
                                       ptrdiff_t first, ptrdiff_t last)
{
    ptrdiff_t   row[ARRAY_RANK], to[ARRAY_RANK], from[ARRAY_RANK], n;
    oracle_span s = { 0, 0 };
    if (oracle_slice(g) == 0) return s;
    for (n = first; n < last; n++) {
        oracle_row_to(g, n, row, to);
        if (oracle_row_from(g, row, from)) continue;
        do oracle_widen(&s, array_offset(g->params, from), g->params->elem);
        while (oracle_next(g, from, to));
    }
    return s;
}

/* Writes rows first ... last-1 of out; bad rows that stop a run stay. */
HELPER void oracle_gather_write(const oracle_gather *g, const array *out,
                                ptrdiff_t first, ptrdiff_t last)
{
    ptrdiff_t row[ARRAY_RANK], to[ARRAY_RANK], from[ARRAY_RANK], n;
    size_t    elem = (size_t)out->elem;
    if (oracle_slice(g) == 0) return;
    for (n = first; n < last; n++) {
        int lost;
        oracle_row_to(g, n, row, to);
        lost = oracle_row_from(g, row, from);
        do {
            if (!lost) memcpy(array_at(out, to), array_at(g->params, from),
                              elem);
            if (lost == 1 && g->policy == NDG_ZERO)
                memset(array_at(out, to), 0, elem);
            if (lost == 1 && g->policy == NDG_FILL)
                memcpy(array_at(out, to), g->fill, elem);
        } while (oracle_next(g, from, to));
    }
}

/* ---- scatter_nd ----------------------------------------------------------*/

/* Of a gather_nd whose params are the out of a scatter, here and below: how
 * many slots of out begin before that of an element. */
HELPER ptrdiff_t oracle_slot(const oracle_gather *g, const ptrdiff_t *element)
{
    ptrdiff_t at[ARRAY_RANK] = { 0 }, mine[ARRAY_RANK] = { 0 }, n = 0, begin;
    const int axes = g->b + oracle_depth(g);
    memcpy(mine, element, (size_t)axes * sizeof *mine);
    begin = array_offset(g->params, mine);
    do n += array_offset(g->params, at) < begin;
    while (coords_next(axes, g->params->dim, at));
    return n;
}

/* Clears slots first ... last-1 of out, if `clears`, and writes the good rows
 * of data that go there, in order. */
HELPER void oracle_scatter_write(const oracle_gather *g, const array *out,
                                 const array *data, ptrdiff_t first,
                                 ptrdiff_t last, int clears)
{
    ptrdiff_t to[ARRAY_RANK] = { 0 }, row[ARRAY_RANK], from[ARRAY_RANK], n, i;
    if (array_cells(out) == 0) return;
    if (clears)
        do {
            i = oracle_slot(g, to);
            if (i >= first && i < last)
                memset(array_at(out, to), 0, (size_t)out->elem);
        } while (coords_next(out->rank, out->dim, to));
    for (n = 0; n < (ptrdiff_t)oracle_rows(g); n++) {
        oracle_row_to(g, n, row, from);
        if (oracle_row_from(g, row, to)) continue;
        i = oracle_slot(g, to);
        if (i < first || i >= last) continue;
        do memcpy(array_at(out, to), array_at(data, from), (size_t)out->elem);
        while (oracle_next(g, to, from));
    }
}

/* ---- stitch --------------------------------------------------------------*/

/* The pairs of a stitch: indices [count], data [count] + slice; and the rows
 * of out that are at work. */
typedef struct oracle_stitch {
    ptrdiff_t    n;
    const array *indices, *data;         /* n of each */
    int          index_type, policy, gaps;
    ptrdiff_t    total, first, last;
} oracle_stitch;

HELPER int64_t oracle_entry(const oracle_stitch *s, ptrdiff_t m, ptrdiff_t j,
                            int *is_u64)
{
    return index_get(array_at(&s->indices[m], &j), s->index_type, is_u64);
}

/* The largest index + 1, -1 if that is too large, and the report of it. */
HELPER ptrdiff_t oracle_stitch_total(const oracle_stitch *s, ndg_report *r)
{
    ptrdiff_t total = 0, m, j;
    int       is_u64;
    memset(r, 0, sizeof *r);
    for (m = 0; m < s->n; m++)
        for (j = 0; j < s->indices[m].dim[0]; j++) {
            int64_t v = oracle_entry(s, m, j, &is_u64);
            if (v < 0) oracle_bad(r, m, j, v, is_u64, PTRDIFF_MAX);
            else if (v >= PTRDIFF_MAX) total = -1;
            else if (v >= total && total >= 0) total = (ptrdiff_t)v + 1;
        }
    oracle_judge(r, NDG_OP_DYNAMIC_STITCH, NDG_ARG_INDICES,
                 s->policy != NDG_DROP);
    return total;
}

/* Who owns each row first ... last-1: list[] and row[], -1 if nobody. The
 * exact report of a run over these rows, with what scratch would count. */
HELPER ndg_report oracle_stitch_owners(const oracle_stitch *s, ptrdiff_t *list,
                                       ptrdiff_t *row)
{
    const int  reports = s->first == 0 && (s->last > 0 || s->total == 0);
    ndg_report r;
    ptrdiff_t  j, m, n = s->last - s->first;
    int        is_u64;
    memset(&r, 0, sizeof r);
    for (j = 0; j < n; j++) list[j] = -1;
    for (m = 0; m < s->n; m++)
        for (j = 0; j < s->indices[m].dim[0]; j++) {
            int64_t v = oracle_entry(s, m, j, &is_u64);
            if ((v < 0 || v >= s->total) && reports)
                oracle_bad(&r, m, j, v, is_u64, s->total);
            if (v < s->first || v >= s->last) continue;
            v -= s->first;
            r.rows.duplicates += list[v] >= 0;
            list[v] = m;
            row[v] = j;
        }
    for (j = n; j-- > 0;)
        if (list[j] < 0) {
            r.rows.holes++;
            r.rows.first_hole = s->first + j;
        }
    if (r.rows.holes && s->gaps == NDG_GAPS_ERROR) {
        r.status = NDG_E_GAP;
        r.op = NDG_OP_DYNAMIC_STITCH;
        r.operand = NDG_ARG_OUT;
        r.value = r.rows.first_hole;
        r.bound = s->total;
    }
    oracle_judge(&r, NDG_OP_DYNAMIC_STITCH, NDG_ARG_INDICES,
                 s->policy != NDG_DROP);
    return r;
}

/* Copies row j of data, [count] + slice, to row i of out, [rows] + slice. */
HELPER void oracle_copy_row(const array *out, ptrdiff_t i, const array *data,
                            ptrdiff_t j)
{
    ptrdiff_t to[ARRAY_RANK] = { 0 }, from[ARRAY_RANK] = { 0 };
    to[0] = i;
    from[0] = j;
    do {
        memcpy(from + 1, to + 1, (size_t)(out->rank - 1) * sizeof *to);
        memcpy(array_at(out, to), array_at(data, from), (size_t)out->elem);
    } while (coords_next(out->rank - 1, out->dim + 1, to + 1));
}

/* Fills every element of row i of out with a byte. */
HELPER void oracle_set_row(const array *out, ptrdiff_t i, int byte)
{
    ptrdiff_t to[ARRAY_RANK] = { 0 };
    to[0] = i;
    do memset(array_at(out, to), byte, (size_t)out->elem);
    while (coords_next(out->rank - 1, out->dim + 1, to + 1));
}

/* ---- partition -----------------------------------------------------------*/

/* data is [rows] + slice, ids is [rows]. */
typedef struct oracle_partition {
    const array *data, *ids;
    int          index_type, policy;
    ptrdiff_t    parts;
} oracle_partition;

/* The part that row i goes to, or -1; the value that says so. */
HELPER ptrdiff_t oracle_part(const oracle_partition *p, ptrdiff_t i,
                             int64_t *v, int *is_u64)
{
    *v = index_get(array_at(p->ids, &i), p->index_type, is_u64);
    return *v >= 0 && *v < p->parts ? (ptrdiff_t)*v : -1;
}

/* Counts of rows first ... last-1, and the exact report. */
HELPER ndg_report oracle_partition_count(const oracle_partition *p,
                                         ptrdiff_t first, ptrdiff_t last,
                                         ptrdiff_t *counts)
{
    ndg_report r;
    ptrdiff_t  i, k;
    int64_t    v;
    int        is_u64;
    memset(&r, 0, sizeof r);
    for (k = 0; k < p->parts; k++) counts[k] = 0;
    for (i = first; i < last; i++) {
        k = oracle_part(p, i, &v, &is_u64);
        if (k >= 0) counts[k]++;
        else oracle_bad(&r, 0, i, v, is_u64, p->parts);
    }
    oracle_judge(&r, NDG_OP_DYNAMIC_PARTITION, NDG_ARG_PARTITIONS,
                 p->policy != NDG_DROP);
    return r;
}

#endif
