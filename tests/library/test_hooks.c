/* test_hooks.c - what the hooks do: copies go through NDG_MEMCPY, our own
 * invariants through NDG_ASSERT, NDG_API stands before every function, and no
 * strings are there without them. (NDG_STATIC and two inclusions of the
 * implementation: tests/forms/test_forms.sh.) */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static long copies, copied_bytes, asserted, broken;

static void counting_copy(void *d, const void *s, size_t n)
{
    copies++;
    copied_bytes += (long)n;
    memcpy(d, s, n);
}

#define NDG_MEMCPY(d, s, n) counting_copy((d), (s), (n))
#define NDG_ASSERT(x) (asserted++, (x) ? (void)0 : (void)broken++)
#define NDG_API extern
#define NDG_NO_STRINGS
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "ndgather.h"
#include "../lib/test.h"

/* Linked only if the header left the name to us. */
static const char *ndg_status_text(int status)
{
    return status ? "ours" : "ours too";
}

int main(void)
{
    const float     table[4][4] = { { 1 }, { 2 }, { 3 }, { 4 } };
    const uint8_t   pick[3] = { 3, 0, 2 };
    float           out[3][4] = { { 0 } };
    ndg_gather_desc d = NDG_ZERO_INIT;

    CHECK(ndg_gather_rows(out, sizeof out, table, 4, sizeof table[0], 0, pick,
                          NDG_U8, 3, NDG_ERROR, NULL) == NDG_OK);
    CHECK(out[0][0] == 4 && out[1][0] == 1 && out[2][0] == 3);
    CHECK(copies > 0);
    CHECK(copied_bytes >= (long)sizeof out);

    d.params = ndg_dims2(4, 4);
    d.indices = ndg_dims2(3, 1);
    d.elem_size = sizeof(float);
    d.index_type = NDG_U8;
    CHECK(ndg_gather_nd(out, sizeof out, table, pick, &d, NULL) == NDG_OK);
    CHECK(asserted > 0);
    CHECK(broken == 0);
    CHECK(ndg_status_text(NDG_OK)[0] == 'o');
    CHECK(ndg_version() == NDG_VERSION);
    return test_end("test_hooks");
}
