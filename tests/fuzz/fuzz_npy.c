/* fuzz_npy.c - the reader and the writer of .npy headers in examples/tool.
 *
 * What it believes of a file has to hold together; the header that it writes
 * for that has to be read again as the same. Half of the inputs are only the
 * text of a header: the frame is put around it, and the data behind. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not all of it is used here. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include "examples/tool/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EXPECT(ok)                                                            \
    do {                                                                      \
        if (!(ok)) {                                                          \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #ok);                   \
            fflush(stdout);                                                   \
            abort();                                                          \
        }                                                                     \
    } while (0)

/* Zeros. Without them nothing more can be said, of this input and of those
 * behind it: that is no success. */
static uint8_t *grab(size_t n)
{
    uint8_t *p = (uint8_t *)calloc(n + !n, 1);
    if (!p) {
        printf("out of memory\n");
        exit(2);
    }
    return p;
}

/* What is read is inside of the file and is as long as its shape says. */
static void check(const npy_array *a, const uint8_t *file, size_t size)
{
    size_t    n = (size_t)a->elem_size, head;
    ptrdiff_t step = a->elem_size;
    int       i, axis, empty = 0;
    EXPECT(a->elem_size >= 1 && a->rank >= 0 && a->rank <= NPY_MAX_RANK);
    for (i = 0; i < a->rank; i++) {
        axis = a->fortran_order ? i : a->rank - 1 - i;
        EXPECT(a->dims[axis] >= 0 && a->strides[axis] == step);
        if (a->dims[axis]) step *= a->dims[axis];
        else empty = 1;
    }
    n = empty ? 0 : (size_t)step;
    EXPECT((size_t)a->count * (size_t)a->elem_size == n);
    head = (size_t)(a->data - file);
    EXPECT(a->data >= file && head <= size && size - head == n);
    EXPECT((const uint8_t *)a->descr >= file + 10);
    EXPECT((const uint8_t *)a->descr + a->descr_size <= a->data);
    EXPECT(a->kind && strchr("biufcSUVMmr", a->kind));
    EXPECT(a->fortran_order == 0 || a->fortran_order == 1);
}

/* A header of the same shape, in C order, is the same array. */
static void write_again(const npy_array *a)
{
    size_t    size = 0, data = (size_t)(a->count * a->elem_size);
    uint8_t  *header = npy_header(a, a->rank, a->dims, &size), *file;
    char      why[NPY_ERROR_SIZE];
    npy_array b;
    EXPECT(header && size % 64 == 0);
    file = grab(size + data);
    memcpy(file, header, size);
    free(header);
    EXPECT(npy_parse(&b, file, size + data, why));
    check(&b, file, size + data);
    EXPECT(b.rank == a->rank && b.count == a->count && b.kind == a->kind);
    EXPECT(b.elem_size == a->elem_size && b.swapped == a->swapped);
    EXPECT(b.type_id == a->type_id && !b.fortran_order);
    EXPECT(!a->rank || !memcmp(a->dims, b.dims,
                               (size_t)a->rank * sizeof *a->dims));
    free(file);
}

static int parse(const uint8_t *bytes, size_t size)
{
    uint8_t  *file = grab(size);
    char      why[NPY_ERROR_SIZE];
    npy_array a;
    int       ok;
    memcpy(file, bytes, size);
    memset(why, 'x', sizeof why);
    ok = npy_parse(&a, file, size, why);
    EXPECT(memchr(why, 0, sizeof why) && ok == !why[0]);
    if (ok) {
        check(&a, file, size);
        write_again(&a);
    }
    free(file);
    return ok;
}

/* The text of a header, framed, with as many bytes of data as follow. */
static void parse_text(const uint8_t *text, size_t size)
{
    const size_t data = size ? text[0] & 127 : 0;
    const int    version = 1 + (size ? text[0] >> 7 : 0) * 2;
    const size_t frame = version == 1 ? 10 : 12;
    uint8_t     *file;
    if (!size) return;
    text++;
    size--;
    file = grab(frame + size + data);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (uint8_t)version;
    file[8] = (uint8_t)size;
    file[9] = (uint8_t)(size >> 8);
    memcpy(file + frame, text, size);
    parse(file, frame + size + data);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 60000) return 0;
    if (size && data[0] == 0x93) parse(data, size);
    else parse_text(data, size);
    return 0;
}
