/* test_cover_stream.c - rows of whole lines, which are written past the caches
 * though the table lies in them: every row longer than a line, of tables near
 * and far, good and bad indices, all policies. (The `_far` tests take tables to
 * be far whenever they stream.) */
#define NDGI_STREAM_BYTES 0
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "../lib/test.h"

#include <stdlib.h>
#include <string.h>

enum { N = 90 };        /* more than two chunks */

/* n bytes at a multiple of 64. */
static unsigned char *line_at(unsigned char *block)
{
    return block + (-(uintptr_t)block & 63);
}

static void rows(ptrdiff_t bytes, ptrdiff_t table_rows, int bad, int policy)
{
    const size_t   table_bytes = (size_t)(table_rows * bytes);
    unsigned char *table = (unsigned char *)malloc(table_bytes);
    unsigned char *block = (unsigned char *)malloc((size_t)(N * bytes) + 64);
    unsigned char *out;
    uint32_t       x = 7;
    int32_t        index[N];
    ndg_report     r;
    ptrdiff_t      i, wrong = 0, bads = 0;
    if (!table || !block) exit(2);
    out = line_at(block);
    memset(out, 0xA5, (size_t)(N * bytes));
    for (i = 0; i < table_rows * bytes; i++)
        table[i] = (unsigned char)(i / bytes * 31 + i % 251);
    for (i = 0; i < N; i++) {
        x = x * 1664525 + 1013904223;
        index[i] = (int32_t)((x >> 8) % (uint32_t)table_rows);
        if (bad && i % 7 == 3) index[i] = (int32_t)table_rows + (int32_t)i;
        bads += index[i] >= table_rows;
    }
    CHECK(ndg_gather_rows(out, N * bytes, table, table_rows, bytes, 0, index,
                          NDG_I32, N, policy, &r) == NDG_OK);
    CHECK(r.bad.count == bads);
    for (i = 0; i < N; i++) {
        const unsigned char *row = out + i * bytes;
        ptrdiff_t            at = index[i];
        if (at >= table_rows && policy == NDG_CLIP) at = table_rows - 1;
        if (at < table_rows) {
            wrong += memcmp(row, table + at * bytes, (size_t)bytes) != 0;
        } else {
            const unsigned char all = policy == NDG_ZERO ? 0 : 0xA5;
            wrong += row[0] != all || memcmp(row, row + 1, (size_t)bytes - 1);
        }
    }
    CHECKF(wrong == 0, "%ld rows of %ld bytes, %ld of a table, bad %d, policy "
           "%d", (long)wrong, (long)bytes, (long)table_rows, bad, policy);
    free(block);
    free(table);
}

int main(void)
{
    static const ptrdiff_t bytes[] = { 64, 128, 192, 1024, 2048, 4096 };
    static const int policy[] = { NDG_ERROR, NDG_ZERO, NDG_CLIP, NDG_KEEP };
    int              k, p, bad;
    for (k = 0; k < 6; k++)
        for (p = 0; p < 4; p++)
            for (bad = 0; bad < 2; bad++) {
                if (bad && policy[p] == NDG_ERROR) continue;
                rows(bytes[k], 50, bad, policy[p]);
                rows(bytes[k], ((ptrdiff_t)1 << 20) / bytes[k] + 1, bad,
                     policy[p]);
            }
    return test_end("test_cover_stream");
}
