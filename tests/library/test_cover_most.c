/* test_cover_most.c - the most there can be. On 64 bits: axes of an output, as
 * dims of 2^30 are 8 GiB of address, but no memory: pages of zeros that nobody
 * writes, where Linux gives them. On 32: entries that name the same row again,
 * more than a ptrdiff_t counts, as lists may share an array. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* MAP_ANONYMOUS */
#endif
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"
#include "../lib/descs.h"
#include "../lib/test.h"

#if defined(__linux__) && PTRDIFF_MAX > INT32_MAX
#include <sys/mman.h>

/* One index takes the place of one of the axes of params. */
static void axes_of_out(int params, int indices, int want)
{
    const size_t bytes = ((size_t)params + 1) * sizeof(ptrdiff_t);
    void *const  dims = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS
                             | MAP_NORESERVE, -1, 0);
    ndg_gather_desc d;
    ndg_gather_plan p;
    ndg_report      r;
    int             got;
    if (dims == MAP_FAILED) {
#ifdef TEST_STOPS               /* where a mutant would go unnoticed */
        exit(2);
#endif
        printf("skip: test_cover_most: no 8 GiB of address\n");
        return;
    }
    d = gather_of(1, ndg_dims(params, (const ptrdiff_t *)dims, NULL),
                  ndg_dims(indices, (const ptrdiff_t *)dims, NULL));
    got = ndg_plan_gather(&p, &d, &r);
    CHECKF(got == want && r.status == got, "%d and %d axes: %d, not %d", params,
           indices, got, want);
    if (want == NDG_OK)
        CHECK(p.out_rank == params - 1 + indices && p.rows == 0);
    else CHECK(r.operand == NDG_ARG_OUT);
    munmap(dims, bytes);
}

int main(void)
{
    axes_of_out(1 << 30, 1 << 30, NDG_OK);              /* INT32_MAX of them */
    axes_of_out((1 << 30) + 1, 1 << 30, NDG_E_OVERFLOW);
    return test_end("test_cover_most");
}
#elif PTRDIFF_MAX == INT32_MAX
int main(void)
{
    enum { LISTS = 513, COUNT = 1 << 22 };
    static const uint8_t zeros[COUNT];
    static ndg_list      lists[LISTS];
    ndg_stitch_desc      d = NDG_ZERO_INIT;
    ndg_stitch_plan      p;
    ndg_report           r;
    char                 scratch[1];
    int                  i;
    d.slice = ndg_dims1(0);
    d.elem_size = 1;
    d.index_type = NDG_U8;
    CHECK(ndg_plan_stitch(&p, &d, &r) == NDG_OK);
    for (i = 0; i < LISTS; i++) lists[i] = list_of(zeros, NULL, COUNT);
    CHECK(ndg_stitch_run(&p, NULL, 0, 1, lists, LISTS, scratch, 1, &r)
          == NDG_OK);
    CHECK(r.rows.duplicates == PTRDIFF_MAX && r.rows.holes == 0);
    return test_end("test_cover_most");
}
#else
int main(void)
{
    printf("skip: test_cover_most: on 64 bits it wants Linux\n");
    return test_end("test_cover_most");
}
#endif
