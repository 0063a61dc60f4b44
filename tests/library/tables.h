/* tables.h - what test_tables, test_scatter and test_change read their tables
 * with: shapes, index values and reports of bad rows as text. Include it after
 * ndgather.h. */
#ifndef NDG_TEST_TABLES_H
#define NDG_TEST_TABLES_H

#include "../lib/test.h"
#include "../lib/arrays.h"

#define MOST 64
#define MAX64 "9223372036854775807"
#define MIN64 "-9223372036854775808"
#define HALF  "9223372036854775808"       /* 2^63, the first negative bits */
#define MAXU  "18446744073709551615"

/* "2,3" into dims; returns the rank, 0 for "". */
HELPER int dims_of(const char *text, ptrdiff_t *dims)
{
    int   rank = 0;
    char *end;
    while (*text) {
        dims[rank++] = (ptrdiff_t)strtol(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return rank;
}

/* An index in decimal; above INT64_MAX it is a uint64_t. */
HELPER int64_t index_of(const char *text, char **end, int *is_u64)
{
    while (*text == ' ') text++;
    if (*text == '-') {
        *is_u64 = 0;
        return (int64_t)strtoll(text, end, 10);
    }
    {
        uint64_t u = (uint64_t)strtoull(text, end, 10);
        *is_u64 = u > (uint64_t)INT64_MAX;
        return (int64_t)u;
    }
}

/* Whether a type holds all of "1 -2 3". */
HELPER int all_hold(int type, const char *text)
{
    int   is_u64;
    char *end;
    while (*text) {
        int64_t v = index_of(text, &end, &is_u64);
        if (!index_holds(type, v, is_u64)) return 0;
        text = *end == ' ' ? end + 1 : end;
    }
    return 1;
}

/* Writes "1 -2 3" packed as `type`. Returns how many. */
HELPER ptrdiff_t put_all(unsigned char *to, int type, const char *text)
{
    ptrdiff_t n = 0;
    int       is_u64;
    char     *end;
    while (*text && *text != '|') {
        int64_t v = index_of(text, &end, &is_u64);
        if (!index_holds(type, v, is_u64)) {
            CHECKF(0, "%s does not fit %s", text, index_name(type));
            return n;
        }
        index_put(to + n++ * index_bytes(type), type, v);
        text = *end == ' ' ? end + 1 : end;
    }
    return n;
}

/* "count position component value extent" against a report; "" for none. */
HELPER int bad_is(const ndg_bad *bad, const char *text, int exact)
{
    long    count, position, component;
    int     used = 0, is_u64;
    int64_t value;
    char   *end;
    if (!*text) return bad->count == 0;
    if (sscanf(text, "%ld %ld %ld %n", &count, &position, &component, &used)
        != 3) return 0;
    value = index_of(text + used, &end, &is_u64);
    return (exact ? bad->count == count : bad->count >= 1
                                          && bad->count <= count)
        && bad->position == position && bad->component == component
        && bad->value == value && bad->is_u64 == is_u64
        && bad->extent == strtol(end, 0, 10);
}

/* What a picture says of `n` bytes that were '.' before. */
HELPER int picture_is(const unsigned char *bytes, const char *picture)
{
    size_t i, n = strlen(picture);
    for (i = 0; i < n; i++) {
        int want = picture[i] == '0' ? 0 : picture[i];
        if (bytes[i] != want) return 0;
    }
    return bytes[n] == '.';
}

/* A gather by its operation, planned and in one call. */
HELPER int plan_of(int op, ndg_gather_plan *p, const ndg_gather_desc *d,
                   ndg_report *r)
{
    return op == NDG_OP_GATHER_ND ? ndg_plan_gather_nd(p, d, r)
         : op == NDG_OP_GATHER ? ndg_plan_gather(p, d, r)
         : ndg_plan_batch_gather(p, d, r);
}

HELPER int call_of(int op, void *out, ptrdiff_t bytes, const void *p,
                   const void *x, const ndg_gather_desc *d, ndg_report *r)
{
    return op == NDG_OP_GATHER_ND ? ndg_gather_nd(out, bytes, p, x, d, r)
         : op == NDG_OP_GATHER ? ndg_gather(out, bytes, p, x, d, r)
         : ndg_batch_gather(out, bytes, p, x, d, r);
}

#endif
