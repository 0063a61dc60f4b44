/* data.c - makes the .npy files that lookup.c reads
 *
 *     cc -O2 examples/mpi/data.c -o build/lookup_data -lm
 *     build/lookup_data table table.npy 1000000 64
 *     build/lookup_data ids ids.npy 4000000 1000000 skewed
 *
 * `table` writes ROWS x WIDTH float32 that look random and are the same every
 * time. `ids` draws COUNT int64 below ROWS: uniform ones, or skewed as words of
 * a language are, id k about as often as 1 / (k + 1), so that half of all ids
 * are below the square root of ROWS. BAD of them, spread evenly, are out of
 * range. A file appears whole or not at all. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8192 };

static uint64_t state = 1;

/* splitmix64. */
static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* In [0, 1). */
static double draw_unit(void)
{
    return (double)(draw() >> 11) / 9007199254740992.0;
}

/* The header of format 1.0, for shape `shape`, of a machine's own order. */
static int put_header(FILE *file, const char *type, const char *shape)
{
    const uint16_t one = 1;
    unsigned char  first;
    char           text[118 + 1];
    memcpy(&first, &one, 1);
    snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, "
             "'shape': (%s), }", first ? '<' : '>', type, shape);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    return fprintf(file, "%-117s\n", text) == 118;
}

static int put_table(FILE *file, int64_t rows, int64_t width)
{
    static float row[BLOCK];
    char         shape[64];
    int64_t      i, k;
    snprintf(shape, sizeof shape, "%lld, %lld", (long long)rows,
             (long long)width);
    if (!put_header(file, "f4", shape)) return 0;
    for (i = 0; i < rows; i++) {
        for (k = 0; k < width; k++) row[k] = (float)draw_unit();
        if (fwrite(row, sizeof *row, (size_t)width, file) != (size_t)width)
            return 0;
    }
    return 1;
}

/* Log-uniform in 0 ... rows - 1, if skewed. */
static int64_t draw_id(int64_t rows, int skewed)
{
    const double  most = (double)rows;
    const int64_t id = (int64_t)(skewed ? pow(most + 1, draw_unit()) - 1
                                        : most * draw_unit());
    return id < rows ? id : rows - 1;
}

static int put_ids(FILE *file, int64_t count, int64_t rows, int skewed,
                   int64_t bad)
{
    static int64_t ids[BLOCK];
    char           shape[64];
    int64_t        i, k, wrong = 0;
    snprintf(shape, sizeof shape, "%lld,", (long long)count);
    if (!put_header(file, "i8", shape)) return 0;
    for (i = 0; i < count; i += BLOCK) {
        const int64_t n = count - i < BLOCK ? count - i : BLOCK;
        for (k = 0; k < n; k++) {
            ids[k] = draw_id(rows, skewed);
            if (wrong < bad && i + k >= count / bad * wrong + count / bad / 2)
                ids[k] = wrong++ % 2 ? -1 : rows;
        }
        if (fwrite(ids, sizeof *ids, (size_t)n, file) != (size_t)n) return 0;
    }
    return 1;
}

/* A whole number from 0 to `most`, or -1. */
static int64_t number(const char *text, int64_t most)
{
    char     *end;
    long long n;
    errno = 0;
    n = strtoll(text, &end, 10);
    return errno || end == text || *end || n < 0 || n > most ? -1 : n;
}

/* Writes the file that the arguments ask for; -1 if they are wrong. */
static int put(FILE *file, int argc, char **argv)
{
    const int64_t a = number(argv[3], (int64_t)1 << 40);
    const int64_t b = number(argv[4], (int64_t)1 << 40);
    const int     skewed = argc > 5 && strcmp(argv[5], "skewed") == 0;
    const int64_t bad = argc > 6 ? number(argv[6], a) : 0;
    if (a < 0 || b < 0 || bad < 0) return -1;
    if (strcmp(argv[1], "table") == 0 && argc == 5 && b <= BLOCK)
        return put_table(file, a, b);
    if (strcmp(argv[1], "ids") == 0 && argc > 5 && b > 0
        && (skewed || strcmp(argv[5], "uniform") == 0)) {
        state = skewed ? 3 : 2;
        return put_ids(file, a, b, skewed, bad);
    }
    return -1;
}

int main(int argc, char **argv)
{
    char  temp[4096];
    FILE *file = NULL;
    int   done = -1;
    if (argc >= 5 && argc <= 7
        && snprintf(temp, sizeof temp, "%s.tmp", argv[2]) < (int)sizeof temp) {
        file = fopen(temp, "wb");
        done = file ? put(file, argc, argv) : 0;
        if (file && fclose(file) != 0) done = done < 0 ? -1 : 0;
        if (done == 1 && rename(temp, argv[2]) == 0) return 0;
    }
    if (done < 0)
        fprintf(stderr, "usage: lookup_data table FILE ROWS WIDTH\n"
                "       lookup_data ids FILE COUNT ROWS uniform|skewed [BAD]\n"
                "       (WIDTH up to %d)\n", (int)BLOCK);
    else fprintf(stderr, "lookup_data: %s: %s\n", argv[2], strerror(errno));
    if (file) remove(temp);
    return done < 0 ? 2 : 1;
}
