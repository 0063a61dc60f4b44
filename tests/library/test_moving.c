/* test_moving.c - indices that change while they are used. Every read goes
 * through NDG_MEMCPY, which here puts another number in the place of an index
 * that has been read often enough. Such a number leads just outside the table
 * or the output: were a value used other than the one that was checked, bytes
 * from there would show up in the output, or bytes there would change. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static unsigned char *moving_from;      /* the indices, while they change */
static ptrdiff_t      moving_bytes;
static int            moving_width, patience;
static int64_t        poison;
static unsigned char  reads[1024];
static long           beyond;           /* reads of bytes behind the indices */

static void moving_copy(void *d, const void *s, size_t n);

#define NDG_MEMCPY(d, s, n) moving_copy((d), (s), (n))
#define NDGI_FAR_BYTES ((ptrdiff_t)1 << 9)
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "../lib/test.h"
#include "../lib/arrays.h"
#include "../lib/descs.h"

enum { ROWS = 100, N = 900, MARGIN = 8192, TRAP = 0xEE };

static int type_of(int width)
{
    return width == 1 ? NDG_I8 : width == 2 ? NDG_I16 : width == 4 ? NDG_I32
                                                                   : NDG_I64;
}

/* Counts a read of each index that lies whole in the bytes that were copied. */
static void moving_copy(void *d, const void *s, size_t n)
{
    const unsigned char *at = (const unsigned char *)s;
    ptrdiff_t            i, end;
    memcpy(d, s, n);
    if (moving_from && at >= moving_from + moving_bytes
        && at < moving_from + 2 * moving_bytes) beyond++;
    if (!moving_from || at < moving_from || at >= moving_from + moving_bytes)
        return;
    i = (at - moving_from) / moving_width;
    end = i + (ptrdiff_t)n / moving_width;
    for (; i < end && i < moving_bytes / moving_width; i++)
        if (++reads[i] >= patience)
            index_put(moving_from + i * moving_width, type_of(moving_width),
                      poison);
}

static unsigned char memory[MARGIN + ROWS * 64 + MARGIN];
static unsigned char result[MARGIN + N * 64 + MARGIN];
static unsigned char indices[N * 8];
static unsigned char *const table = memory + MARGIN;
static unsigned char *const out = result + MARGIN;

static void put_index(int i, int width, int64_t v)
{
    index_put(indices + i * width, type_of(width), v);
}

/* Fresh memory, and n good indices: at random, or counting up. */
static void start(int n, int width, int sequence, int after)
{
    static uint32_t x = 1;
    int             i;
    memset(memory, TRAP, sizeof memory);
    memset(result, FRESH, sizeof result);
    for (i = 0; i < ROWS * 64; i++) table[i] = (unsigned char)(1 + i % 100);
    for (i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        put_index(i, width, sequence ? i % ROWS : (int64_t)(x >> 16) % ROWS);
    }
    memset(reads, 0, sizeof reads);
    moving_width = width;
    moving_bytes = (ptrdiff_t)n * width;
    patience = after;
}

/* That nothing beside `bytes` bytes of out was written, nor read from beside
 * the table. */
static void finish(ptrdiff_t bytes, const char *what, int width, int detail)
{
    ptrdiff_t i, strange = 0, outside = 0;
    moving_from = 0;
    for (i = 0; i < (ptrdiff_t)sizeof result; i++) {
        strange += result[i] == TRAP;
        if (i < MARGIN || i >= MARGIN + bytes) outside += result[i] != FRESH;
    }
    CHECKF(strange == 0 && outside == 0, "%s, width %d, %d: %ld bytes from "
           "beside the table, %ld written beside out", what, width, detail,
           (long)strange, (long)outside);
}

static void gathers(int width, int sequence, int after, int bytes)
{
    static const int policies[] = { NDG_ERROR, NDG_ZERO, NDG_FILL, NDG_CLIP,
                                    NDG_WRAP, NDG_KEEP };
    ndg_gather_desc  d;
    ndg_report       r;
    int              i, k, depth, from_end;
    for (k = 0; k < 6; k++) {
        if (policies[k] != NDG_FILL) {
            start(N, width, sequence, after);
            moving_from = indices;
            ndg_gather_rows(out, N * bytes, table, ROWS, bytes, 0, indices,
                            type_of(width), N, policies[k], &r);
            finish(N * bytes, "rows", width, k);
        }
        for (depth = 1; depth < 4; depth++)
            for (from_end = 0; from_end < 2; from_end++) {
                d = gather_of(1, depth == 1 ? ndg_dims2(ROWS, bytes)
                                 : depth == 2 ? ndg_dims3(1, ROWS, bytes)
                                 : ndg_dims4(1, 1, ROWS, bytes),
                              ndg_dims2(N / depth, depth));
                d.index_type = type_of(width);
                d.policy = policies[k];
                d.negative = from_end;
                start(N / depth * depth, width, sequence, after);
                if (depth > 1)        /* the components before the last are 0 */
                    for (i = 0; i < N / depth * depth; i++)
                        if (i % depth < depth - 1) put_index(i, width, 0);
                moving_from = indices;
                ndg_gather_nd(out, N / depth * bytes, table, indices, &d, &r);
                finish(N / depth * bytes, "gather_nd", width, k);
            }
    }
}

static void stitches(int width, int sequence, int after, int bytes)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan p;
    const ndg_list  list = list_of(indices, table, ROWS);
    ndg_report      r;
    int             drop, part;
    for (drop = 0; drop < 2; drop++)
        for (part = 0; part < 2; part++) {
            d.slice = ndg_dims1(bytes);
            d.elem_size = 1;
            d.index_type = type_of(width);
            d.policy = drop ? NDG_DROP : NDG_ERROR;
            CHECK(ndg_plan_stitch(&p, &d, &r) == NDG_OK);
            start(ROWS, width, sequence, after);
            moving_from = indices;
            ndg_stitch_run_range(&p, out, ROWS * bytes, ROWS, &list, 1, 0,
                                 part ? ROWS / 2 : ROWS, 0, 0, &r);
            finish((part ? ROWS / 2 : ROWS) * bytes, "stitch", width, part);
        }
}

static ndg_partition_plan plan_of(int rows, int bytes, int parts, int width,
                                  int drop)
{
    ndg_partition_desc d = partition_of(1, ndg_dims2(rows, bytes),
                                        ndg_dims1(rows), parts);
    ndg_partition_plan p;
    ndg_report r;
    d.index_type = type_of(width);
    d.policy = drop ? NDG_DROP : NDG_ERROR;
    CHECK(ndg_plan_partition(&p, &d, &r) == NDG_OK);
    return p;
}

static void partitions(int width, int after, int bytes, int parts)
{
    ndg_report r;
    ptrdiff_t  counts[8], cursors[8];
    void      *outs[8];
    int        drop, i;
    for (drop = 0; drop < 2; drop++) {
        const ndg_partition_plan p = plan_of(ROWS, bytes, parts, width, drop);
        start(ROWS, width, 0, after);
        for (i = 0; i < ROWS; i++) put_index(i, width, i % parts);
        for (i = 0; i < parts; i++) {
            counts[i] = (ROWS - i + parts - 1) / parts;
            outs[i] = i ? (unsigned char *)outs[i - 1] + counts[i - 1] * bytes
                        : out;
        }
        moving_from = indices;
        ndg_partition_run(&p, outs, 0, table, indices, ROWS, counts, cursors,
                          &r);
        finish(ROWS * bytes, "partition", width, parts);
        start(ROWS, width, 0, after);
        moving_from = indices;
        ndg_partition_count(&p, indices, 0, ROWS, counts, &r);
        moving_from = 0;
        for (i = 0; i < parts; i++) CHECK(counts[i] >= 0 && counts[i] <= ROWS);
    }
}

/* A bad index that becomes good once it was read, as all others become this
 * one: a row is its own, or this one's, or what bad rows are; rows come packed
 * or, out of them, apart; or in two batches, of single indices. */
static void becomes_good(int width, int after, int bytes, int depth, int apart,
                         int batches)
{
    enum { GOOD = 7, BAD_AT = 5 };
    static const int policies[] = { NDG_ERROR, NDG_ZERO, NDG_KEEP };
    static const unsigned char zeroes[256];
    const int        rows = bytes > 64 ? 40 : ROWS, step = bytes + apart;
    const int        n = rows / depth, each = rows / batches;
    const int        bad_at = BAD_AT + n / batches * (batches - 1);
    unsigned char    fresh[256];
    ndg_gather_desc  d = gather_of(1, depth == 1 ? ndg_dims2(rows, bytes)
                                      : ndg_dims3(1, rows, bytes),
                                   ndg_dims2(n, depth));
    ndg_report       r;
    int              i, k, wrong;
    memset(fresh, FRESH, sizeof fresh);
    d.out = ndg_strided2(n, step, bytes, 1);
    if (batches > 1) {
        d.params = ndg_dims3(batches, each, bytes);
        d.indices = ndg_dims3(batches, each, 1);
        d.out = ndg_dims3(batches, each, bytes);
        d.batch_dims = 1;
    }
    d.index_type = type_of(width);
    for (k = 0; k < 3; k++) {
        d.policy = policies[k];
        start(n * depth, width, 0, after);
        for (i = 0; i < n * depth; i++)
            put_index(i, width, i % depth < depth - 1 ? 0 : i / depth % each);
        put_index((bad_at + 1) * depth - 1, width, rows + 3);
        poison = depth == 1 ? GOOD : 0;
        moving_from = indices;
        ndg_gather_nd(out, sizeof result - 2 * MARGIN, table, indices, &d, &r);
        moving_from = 0;
        wrong = r.bad.position >= n;
        for (i = 0; i < n; i++) {
            const unsigned char *row = out + i * step;
            const size_t         size = (size_t)bytes;
            const int            that = i / each * each + (int)poison;
            wrong += memcmp(row, table + i * bytes, size)
                  && memcmp(row, table + that * bytes, size)
                  && (d.policy != NDG_ZERO || memcmp(row, zeroes, size))
                  && ((d.policy != NDG_KEEP && !r.status)
                      || memcmp(row, fresh, size));
        }
        CHECKF(wrong == 0 && (d.policy == NDG_ERROR || !r.status),
               "width %d, %d bytes, depth %d, policy %d: %d rows of no index,"
               " or of a place that is none",
               width, bytes, depth, k, wrong);
    }
}

/* An id that is bad when it is counted, or its row is dealt, and good when it
 * is looked for to be named, of a range that begins late: no more ids are read
 * than there are. */
static void becomes_good_late(int width, int after, int drop)
{
    enum { FIRST = 10, BAD_AT = 15, LAST = 40, PARTS = 3 };
    const ndg_partition_plan p = plan_of(LAST, 4, PARTS, width, drop);
    ndg_report r;
    ptrdiff_t  counts[PARTS], cursors[PARTS];
    void      *outs[PARTS];
    int        i, k;
    for (k = 0; k < 2; k++) {
        start(2 * LAST, width, 0, after);
        for (i = 0; i < 2 * LAST; i++) put_index(i, width, i % PARTS);
        put_index(BAD_AT, width, 99);
        moving_bytes = LAST * width;
        poison = 1;
        for (i = 0; i < PARTS; i++) {
            outs[i] = out + i * LAST * 4;
            counts[i] = LAST;
            cursors[i] = 0;
        }
        beyond = 0;
        moving_from = indices;
        if (k) ndg_partition_run_range(&p, outs, 0, table, indices, FIRST, LAST,
                                       cursors, counts, &r);
        else ndg_partition_count(&p, indices, FIRST, LAST, counts, &r);
        finish(PARTS * LAST * 4, "becomes good late", width, k);
        CHECKF(beyond == 0, "width %d, after %d, %s: %ld reads of what is no"
               " id", width, after, k ? "run" : "count", beyond);
        CHECK(r.bad.count == 0 || r.bad.position == BAD_AT);
    }
}

int main(void)
{
    static const int sizes[] = { 1, 4, 12, 16, 64 };
    int              width, after, k;
    for (width = 1; width <= 8; width *= 2)
        for (after = 1; after <= 4; after++)
            for (k = 0; k < 10; k++) {
                poison = k % 2 ? -3 : ROWS + 3;
                gathers(width, k / 5, after, sizes[k % 5]);
                stitches(width, k / 5, after, sizes[k % 5]);
                partitions(width, after, sizes[k % 5], k % 3 ? 2 : 7);
            }
    for (width = 1; width <= 8; width *= 2)
        for (after = 1; after <= 8; after++)
            for (k = 0; k < 20; k++)
                becomes_good(width, after, k / 4 < 4 ? sizes[k / 4] : 150,
                             1 + k % 2, k / 2 % 2 * 8, 1 + (k % 4 == 0));
    for (width = 1; width <= 8; width *= 2)
        for (after = 1; after <= 4; after++)
            for (k = 0; k < 2; k++) becomes_good_late(width, after, k);
    return test_end("test_moving");
}
