/* picture.c - a contact sheet of small pictures, in the terminal and as a PNG
 *
 *     cc -I. examples/tool/picture.c -o build/picture
 *     build/picture IN.npy OUT.png COLUMNS [ascii | half | grey]
 *
 * IN.npy holds pictures of ink: u1, shape [n,height,width], 1 MiB at most. They
 * are laid out in rows of COLUMNS. The largest value is black in the PNG. In
 * the terminal one character is two pixels: plain ASCII, half blocks of UTF-8,
 * or half blocks in 24 greys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "../png.h"

#define SCALE 8                       /* pixels of the PNG for each of IN */
#define LIMIT ((size_t)1 << 20)       /* bytes of IN */

/* Pictures on a grid, `gap` empty pixels between them and around. */
typedef struct sheet {
    unsigned char *pixels;
    long           count, height, width, columns, largest;
} sheet;

static int fail(const char *name, const char *what)
{
    fprintf(stderr, "picture: %s: %s\n", name, what);
    return 1;
}

/* Ink at (y, x) of the whole sheet in 0 ... 255; 0 between pictures. */
static int ink(const sheet *s, long gap_y, long gap_x, long y, long x)
{
    long cell_y = s->height + gap_y, cell_x = s->width + gap_x;
    long n = y / cell_y * s->columns + x / cell_x;
    y %= cell_y;
    x %= cell_x;
    if (y >= s->height || x >= s->width || n >= s->count) return 0;
    return s->pixels[(n * s->height + y) * s->width + x] * 255 /
           (int)s->largest;
}

/* Reads the file and takes the pictures out of it; 1 and a line if it cannot.
 * The strides of the file tell where an element lies, in C order or not. */
static int load(const char *name, sheet *s)
{
    char           why[NPY_ERROR_SIZE];
    unsigned char *bytes = (unsigned char *)malloc(LIMIT);
    FILE          *file = fopen(name, "rb");
    size_t         size = file && bytes ? fread(bytes, 1, LIMIT, file) : 0;
    npy_array      a;
    ptrdiff_t      i, n, height, width;
    int            lead;            /* axes before those of a picture */
    if (file) fclose(file);
    if (size == 0 || size == LIMIT) {
        free(bytes);
        return fail(name, "cannot be read, or is too large for a sheet");
    }
    if (!npy_parse(&a, bytes, size, why) || a.rank < 3 || a.rank > 4 ||
        a.kind != 'u' ||
        a.elem_size != 1 || a.count == 0) {
        free(bytes);
        return fail(name, "is not u1 of shape [n,height,width]");
    }
    lead = a.rank - 2;
    height = a.dims[lead];
    width = a.dims[lead + 1];
    s->count = (long)(a.count / (height * width));
    s->height = (long)height;
    s->width = (long)width;
    s->largest = 1;
    s->pixels = (unsigned char *)malloc((size_t)a.count);
    for (i = 0; s->pixels && i < a.count; i++) {
        n = i / (height * width);
        s->pixels[i] = a.data[n / (lead > 1 ? a.dims[1] : 1) * a.strides[0] +
                              (lead > 1 ? n % a.dims[1] * a.strides[1] : 0) +
                              i / width % height * a.strides[lead] +
                              i % width * a.strides[lead + 1]];
        if (s->pixels[i] > s->largest) s->largest = s->pixels[i];
    }
    free(bytes);
    return s->pixels ? 0 : fail(name, "does not fit into memory");
}

/* ---- out: the terminal ---------------------------------------------------*/

static void print_cell(const char *mode, int top, int bottom)
{
    static const char *const ascii[4] = { " ", "\"", ".", "8" };
    static const char *const half[4] = {
        " ", "\xe2\x96\x80", "\xe2\x96\x84", "\xe2\x96\x88"
    };
    int both = (top > 100) + 2 * (bottom > 100);
    if (!strcmp(mode, "grey"))
        printf("\033[38;5;%d;48;5;%dm%s", 232 + top * 23 / 255,
               232 + bottom * 23 / 255, half[1]);
    else
        printf("%s", !strcmp(mode, "half") ? half[both] : ascii[both]);
}

static void print_sheet(const sheet *s, const char *mode)
{
    long rows = (s->count + s->columns - 1) / s->columns;
    long high = rows * (s->height + 2) - 2, wide = s->columns * s->width;
    long x, y;
    for (y = 0; y < high; y += 2) {
        for (x = 0; x < wide; x++)
            print_cell(mode, ink(s, 2, 0, y, x),
                       y + 1 < high ? ink(s, 2, 0, y + 1, x) : 0);
        printf(strcmp(mode, "grey") ? "\n" : "\033[0m\n");
    }
}

/* ---- out: PNG ------------------------------------------------------------*/

/* Dark ink on white paper; a pixel beside each picture, two below. */
static int write_png(const char *name, const sheet *s)
{
    long   rows = (s->count + s->columns - 1) / s->columns;
    long   high = SCALE * (rows * (s->height + 2) + 2);
    long   wide = SCALE * (s->columns * (s->width + 1) + 1), x, y;
    size_t bytes = (size_t)high * (size_t)wide;
    unsigned char *pixels = (unsigned char *)malloc(bytes), *p = pixels;
    int            done;
    for (y = 0; pixels && y < high; y++)
        for (x = 0; x < wide; x++)
            *p++ = (unsigned char)(255 - (y < 2 * SCALE || x < SCALE ? 0 :
                   ink(s, 2, 1, y / SCALE - 2, x / SCALE - 1)));
    done = pixels && png_write(name, pixels, (size_t)wide, (size_t)high, 1);
    free(pixels);
    return done ? 0 : fail(name, "cannot be written");
}

int main(int argc, char **argv)
{
    sheet s;
    int   status;
    memset(&s, 0, sizeof s);
    s.columns = argc > 3 ? atol(argv[3]) : 0;
    if (s.columns < 1 || s.columns > 1000) {
        fprintf(stderr, "usage: picture IN.npy OUT.png COLUMNS "
                        "[ascii | half | grey]\n");
        return 2;
    }
    if (load(argv[1], &s)) return 1;
    if (s.columns > s.count) s.columns = s.count;
    print_sheet(&s, argc > 4 ? argv[4] : "ascii");
    status = write_png(argv[2], &s);
    free(s.pixels);
    return status;
}
