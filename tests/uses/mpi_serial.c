/* mpi_serial.c - looks at what examples/mpi/lookup.c wrote, by other means
 *
 *     cc -O2 tests/uses/mpi_serial.c -o build/mpi_serial
 *     build/mpi_serial table.npy ids.npy rows.npy
 *
 * Reads the three files whole, with stdio, and compares each row of the output
 * with the row of the table that its id names, or with zeros if it names none.
 * Shares no code with the library or the example. Knows .npy 1.0 with a shape
 * of numbers, as the test writes it. The status is 0 if every byte is right. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file {
    char     *bytes, *data;
    long long size;               /* of the data */
    long long dims[8];
    int       rank;
    char      type[8];
} file;

static void stop(const char *what, const char *name)
{
    printf("%s: %s\n", name, what);
    exit(1);
}

static file load(const char *name)
{
    file  f;
    FILE *in = fopen(name, "rb");
    long  all;
    char *at;
    memset(&f, 0, sizeof f);
    if (!in || fseek(in, 0, SEEK_END)) stop("cannot be read", name);
    all = ftell(in);
    rewind(in);
    f.bytes = malloc((size_t)all + 1);
    if (!f.bytes || fread(f.bytes, 1, (size_t)all, in) != (size_t)all)
        stop("cannot be read", name);
    fclose(in);
    f.bytes[all] = 0;
    if (all < 10 || f.bytes[6] != 1) stop("not format 1.0", name);
    f.data = f.bytes + 10 + (unsigned char)f.bytes[8]
           + 256 * (unsigned char)f.bytes[9];
    f.size = f.bytes + all - f.data;
    at = strstr(f.bytes + 10, "'descr': '");
    if (!at) stop("no descr", name);
    memcpy(f.type, at + 10, 3);
    at = strstr(f.bytes + 10, "'shape': (");
    if (!at) stop("no shape", name);
    for (at += 10; *at >= '0' && *at <= '9' && f.rank < 8; ) {
        f.dims[f.rank++] = strtoll(at, &at, 10);
        while (*at == ',' || *at == ' ') at++;
    }
    return f;
}

int main(int argc, char **argv)
{
    file      t, ids, rows;
    long long i, n = 1, row_bytes, id;
    int       k;
    char     *zeros;
    if (argc != 4) return 2;
    t = load(argv[1]);
    ids = load(argv[2]);
    rows = load(argv[3]);
    for (k = 0; k < ids.rank; k++) {
        n *= ids.dims[k];
        if (rows.dims[k] != ids.dims[k]) stop("the shape", argv[3]);
    }
    for (k = 1; k < t.rank; k++)
        if (rows.dims[ids.rank + k - 1] != t.dims[k])
            stop("the shape", argv[3]);
    if (rows.rank != ids.rank + t.rank - 1) stop("the rank", argv[3]);
    if (strcmp(rows.type, t.type)) stop("the type", argv[3]);
    for (row_bytes = t.type[2] - '0', k = 1; k < t.rank; k++)
        row_bytes *= t.dims[k];
    if (rows.size != n * row_bytes) stop("the size", argv[3]);
    zeros = calloc((size_t)row_bytes + 1, 1);
    if (!zeros) return 1;
    for (i = 0; i < n; i++) {
        memcpy(&id, ids.data + 8 * i, 8);
        if (memcmp(rows.data + i * row_bytes, id < 0 || id >= t.dims[0] ? zeros
                   : t.data + id * row_bytes, (size_t)row_bytes)) {
            printf("row %lld, of id %lld, differs\n", i, id);
            return 1;
        }
    }
    printf("%lld rows are right\n", n);
    return 0;
}
