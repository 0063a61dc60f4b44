/* oracle.h - the seven operations again, as slowly and plainly as they can be
 * said: loops over coordinates, one element at a time, from the rules alone.
 *
 * Nothing here calls the library or looks like it. Answers are for small
 * arrays: no arithmetic of sizes is guarded. */
#ifndef NDG_TEST_ORACLE_H
#define NDG_TEST_ORACLE_H

#include "arrays.h"

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
        if (g->b + x->dim[x->rank - 1] > p->rank) return NDG_E_DEPTH;
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

HELPER ptrdiff_t oracle_rows(const oracle_gather *g)
{
    ptrdiff_t n = 1;
    int       i;
    for (i = 0; i < oracle_row_axes(g); i++) n *= g->indices->dim[i];
    return n;
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
        int       wide;
        if (g->op == NDG_OP_GATHER_ND) coords[g->indices->rank - 1] = k;
        v = index_get(array_at(g->indices, coords), g->index_type, &is_u64);
        wide = is_u64;
        w = oracle_changed(v, &wide, g->mask, g->add);
        at[k] = oracle_index(w, wide, extent, g->policy, g->negative,
                             &is_bad);
        if (is_bad && !found++ && bad) {
            bad->component = k;
            bad->is_u64 = is_u64;
            bad->value = v;
            bad->extent = extent;
            bad->changed = g->mask != 0 || g->add != 0;
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
    if (r.bad.count && oracle_stops(g)) r.status = NDG_E_INDEX;
    return r;
}

/* Writes rows first ... last-1 of out; bad rows that stop a run stay. If need
 * is not NULL it becomes the bytes that out must have for these rows. */
HELPER void oracle_gather_write(const oracle_gather *g, array *out,
                                ptrdiff_t first, ptrdiff_t last,
                                ptrdiff_t *need)
{
    int       rows = oracle_row_axes(g), depth = oracle_depth(g), i, k;
    ptrdiff_t at[ARRAY_RANK], o[ARRAY_RANK] = { 0 }, n;
    if (need) *need = 0;
    for (n = 0; n < out->size; n++, coords_next(out->rank, out->dim, o)) {
        ptrdiff_t      row[ARRAY_RANK], from[ARRAY_RANK], position = 0;
        int            lost = 0, bad;
        unsigned char *to = array_at(out, o);
        for (i = 0; i < rows; i++) {
            row[i] = i < g->b ? o[i] : o[g->a + i - g->b];
            position = position * g->indices->dim[i] + row[i];
        }
        if (position < first || position >= last) continue;
        if (need && to - out->base + out->elem > *need)
            *need = to - out->base + out->elem;
        bad = oracle_row(g, row, at, 0);
        for (i = 0; i < g->a; i++) from[i] = o[i];
        for (k = 0; k < depth; k++) {
            from[g->a + k] = at[k];
            if (at[k] < 0) lost = 1;
        }
        for (i = g->a + depth; i < g->params->rank; i++)
            from[i] = o[i - depth + rows - g->b];
        if (bad && oracle_stops(g)) continue;
        if (!lost) memcpy(to, array_at(g->params, from), (size_t)out->elem);
        else if (g->policy == NDG_ZERO) memset(to, 0, (size_t)out->elem);
        else if (g->policy == NDG_FILL) memcpy(to, g->fill, (size_t)out->elem);
    }
}

/* ---- scatter_nd ----------------------------------------------------------*/

/* What follows takes a gather_nd whose params are the out of a scatter. The
 * offset of the slot that row n goes to; at: its coordinates. -1: it is bad. */
HELPER ptrdiff_t oracle_slot_of(const oracle_gather *g, ptrdiff_t n,
                                ptrdiff_t *row, ptrdiff_t *at)
{
    ptrdiff_t found[ARRAY_RANK];
    int       i;
    coords_of(n, oracle_row_axes(g), g->indices->dim, row);
    if (oracle_row(g, row, found, 0)) return -1;
    for (i = 0; i < g->params->rank; i++)
        at[i] = i < g->b ? row[i] : i < g->b + oracle_depth(g)
                                  ? found[i - g->b] : 0;
    return array_at(g->params, at) - g->params->base;
}

/* How many slots of out begin before an offset. */
HELPER ptrdiff_t oracle_slots_before(const oracle_gather *g, ptrdiff_t offset)
{
    ptrdiff_t at[ARRAY_RANK] = { 0 }, n = 0;
    int       axes = g->b + oracle_depth(g);
    do n += array_at(g->params, at) - g->params->base < offset;
    while (coords_next(axes, g->params->dim, at));
    return n;
}

HELPER ptrdiff_t oracle_slots(const oracle_gather *g)
{
    ptrdiff_t n = 1;
    int       i;
    for (i = 0; i < g->b + oracle_depth(g); i++) n *= g->params->dim[i];
    return n;
}

/* Clears slots first ... last-1 of out, if `clears`, and writes the good rows
 * of data that go there, in order. */
HELPER void oracle_scatter_write(const oracle_gather *g, array *out,
                                 const array *data, ptrdiff_t first,
                                 ptrdiff_t last, int clears)
{
    ptrdiff_t o[ARRAY_RANK] = { 0 }, at[ARRAY_RANK], row[ARRAY_RANK], n, i;
    int       axes = g->b + oracle_depth(g), k, m, rows = oracle_row_axes(g);
    for (n = 0; clears && n < out->size; n++) {
        for (k = 0; k < out->rank; k++) at[k] = k < axes ? o[k] : 0;
        i = oracle_slots_before(g, array_at(out, at) - out->base);
        if (i >= first && i < last)
            memset(array_at(out, o), 0, (size_t)out->elem);
        coords_next(out->rank, out->dim, o);
    }
    for (n = 0; out->size && n < oracle_rows(g); n++) {
        ptrdiff_t offset = oracle_slot_of(g, n, row, at), from[ARRAY_RANK];
        if (offset < 0) continue;
        i = oracle_slots_before(g, offset);
        if (i < first || i >= last) continue;
        do {
            for (m = 0; m < rows; m++) from[m] = row[m];
            for (k = axes; k < out->rank; k++) from[m++] = at[k];
            memcpy(array_at(out, at), array_at(data, from), (size_t)out->elem);
        } while (coords_next(out->rank - axes, out->dim + axes, at + axes));
    }
}

typedef struct oracle_span { ptrdiff_t low, high; } oracle_span;

/* Widens s by an element of n bytes at an offset. */
HELPER void oracle_widen(oracle_span *s, ptrdiff_t at, ptrdiff_t n)
{
    if (at < s->low) s->low = at;
    if (at + n > s->high) s->high = at + n;
}

/* Bytes of indices that rows first ... last-1 read, and of out that they
 * write, from the first to the last + 1, relative to base. */
HELPER void oracle_gather_spans(const oracle_gather *g, const array *out,
                                ptrdiff_t first, ptrdiff_t last,
                                oracle_span *read, oracle_span *written)
{
    const array *x = g->indices;
    ptrdiff_t    c[ARRAY_RANK] = { 0 }, o[ARRAY_RANK] = { 0 }, n, position;
    int          rows = oracle_row_axes(g), i;
    read->low = written->low = PTRDIFF_MAX;
    read->high = written->high = PTRDIFF_MIN;
    for (n = 0; n < x->size; n++, coords_next(x->rank, x->dim, c)) {
        for (position = 0, i = 0; i < rows; i++)
            position = position * x->dim[i] + c[i];
        if (position >= first && position < last)
            oracle_widen(read, array_at(x, c) - x->base, x->elem);
    }
    for (n = 0; n < out->size; n++, coords_next(out->rank, out->dim, o)) {
        for (position = 0, i = 0; i < rows; i++)
            position = position * x->dim[i]
                     + (i < g->b ? o[i] : o[g->a + i - g->b]);
        if (position >= first && position < last)
            oracle_widen(written, array_at(out, o) - out->base, out->elem);
    }
}

/* ---- stitch --------------------------------------------------------------*/

/* The pairs of a stitch: data[m] has the axes of indices[m], then the slice. */
typedef struct oracle_stitch {
    int          n;
    const array *indices, *data;         /* n of each */
    int          index_type, policy, gaps;
    ptrdiff_t    total;
} oracle_stitch;

/* Totals are right up to here; beyond, they are just large. */
#define ORACLE_MANY 1000000

/* max + 1 over the good indices; bad ones into *bad (extent is left 0). */
HELPER ptrdiff_t oracle_stitch_total(const oracle_stitch *s, ndg_bad *bad)
{
    ptrdiff_t total = 0, i;
    int       m, is_u64;
    memset(bad, 0, sizeof *bad);
    for (m = 0; m < s->n; m++) {
        const array *x = &s->indices[m];
        ptrdiff_t    c[ARRAY_RANK] = { 0 };
        for (i = 0; i < x->size; i++, coords_next(x->rank, x->dim, c)) {
            int64_t v = index_get(array_at(x, c), s->index_type, &is_u64);
            if (v >= 0) {
                if (v >= ORACLE_MANY) v = ORACLE_MANY;
                if (v + 1 > total) total = (ptrdiff_t)(v + 1);
                continue;
            }
            if (bad->count++) continue;
            bad->list = m;
            bad->position = i;
            bad->value = v;
            bad->is_u64 = is_u64;
        }
    }
    return total;
}

/* The exact report of a whole run, with the rows that scratch would count. */
HELPER ndg_report oracle_stitch_report(const oracle_stitch *s)
{
    ndg_report r;
    ptrdiff_t  i;
    int        m, is_u64;
    char      *named = (char *)calloc((size_t)s->total + 1, 1);
    if (!named) exit(2);
    memset(&r, 0, sizeof r);
    for (m = 0; m < s->n; m++) {
        const array *x = &s->indices[m];
        ptrdiff_t    c[ARRAY_RANK] = { 0 };
        for (i = 0; i < x->size; i++, coords_next(x->rank, x->dim, c)) {
            int64_t v = index_get(array_at(x, c), s->index_type, &is_u64);
            if (v >= 0 && v < s->total) {
                if (named[v]) r.rows.duplicates++;
                named[v] = 1;
            } else if (!r.bad.count++) {
                r.bad.list = m;
                r.bad.position = i;
                r.bad.value = v;
                r.bad.is_u64 = is_u64;
                r.bad.extent = s->total;
            }
        }
    }
    for (i = s->total; i-- > 0;)
        if (!named[i]) {
            r.rows.holes++;
            r.rows.first_hole = i;
        }
    free(named);
    if (r.rows.holes && s->gaps == NDG_GAPS_ERROR) r.status = NDG_E_GAP;
    if (r.bad.count && s->policy != NDG_DROP) r.status = NDG_E_INDEX;
    return r;
}

/* out: [total] + slice. The last entry that names a row wins. */
HELPER void oracle_stitch_write(const oracle_stitch *s, array *out)
{
    ptrdiff_t o[ARRAY_RANK] = { 0 }, n, i;
    int       m, k, is_u64;
    for (n = 0; n < out->size; n++, coords_next(out->rank, out->dim, o)) {
        unsigned char *to = array_at(out, o);
        if (s->gaps == NDG_GAPS_ZERO) memset(to, 0, (size_t)out->elem);
        for (m = 0; m < s->n; m++) {
            const array *x = &s->indices[m];
            ptrdiff_t    c[ARRAY_RANK] = { 0 };
            for (i = 0; i < x->size; i++, coords_next(x->rank, x->dim, c)) {
                int64_t v = index_get(array_at(x, c), s->index_type, &is_u64);
                if (is_u64 || v != o[0]) continue;
                for (k = 1; k < out->rank; k++) c[x->rank + k - 1] = o[k];
                memcpy(to, array_at(&s->data[m], c), (size_t)out->elem);
            }
        }
    }
}

/* ---- partition -----------------------------------------------------------*/

typedef struct oracle_partition {
    const array *data, *ids;
    int          index_type, policy;
    ptrdiff_t    parts;
} oracle_partition;

/* Counts of rows first ... last-1, and the exact report. */
HELPER ndg_report oracle_partition_count(const oracle_partition *p,
                                         ptrdiff_t first, ptrdiff_t last,
                                         ptrdiff_t *counts)
{
    ndg_report r;
    ptrdiff_t  c[ARRAY_RANK] = { 0 }, i;
    int        is_u64;
    memset(&r, 0, sizeof r);
    for (i = 0; i < p->parts; i++) counts[i] = 0;
    for (i = 0; i < last; i++, coords_next(p->ids->rank, p->ids->dim, c)) {
        int64_t v = index_get(array_at(p->ids, c), p->index_type, &is_u64);
        if (i < first) continue;
        if (v >= 0 && v < p->parts) {
            counts[v]++;
        } else if (!r.bad.count++) {
            r.bad.position = i;
            r.bad.value = v;
            r.bad.is_u64 = is_u64;
            r.bad.extent = p->parts;
        }
    }
    if (r.bad.count && p->policy != NDG_DROP) r.status = NDG_E_INDEX;
    return r;
}

/* Fills out, the part `id`, and at[] with the positions of its rows. */
HELPER void oracle_partition_write(const oracle_partition *p, ptrdiff_t id,
                                   array *out, ptrdiff_t *at)
{
    ptrdiff_t c[ARRAY_RANK] = { 0 }, i, row = 0, n, e;
    int       is_u64, k, lead = p->ids->rank;
    for (i = 0; i < p->ids->size;
         i++, coords_next(lead, p->ids->dim, c)) {
        ptrdiff_t from[ARRAY_RANK], o[ARRAY_RANK] = { 0 };
        int64_t   v = index_get(array_at(p->ids, c), p->index_type, &is_u64);
        if (is_u64 || v != id) continue;
        at[row] = i;
        for (k = 0; k < lead; k++) from[k] = c[k];
        n = out->dim[0] ? out->size / out->dim[0] : 0;
        for (e = 0; e < n; e++) {
            o[0] = row;
            for (k = 1; k < out->rank; k++) from[lead + k - 1] = o[k];
            memcpy(array_at(out, o), array_at(p->data, from),
                   (size_t)out->elem);
            coords_next(out->rank - 1, out->dim + 1, o + 1);
        }
        row++;
    }
}

#endif
