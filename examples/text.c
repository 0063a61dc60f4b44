/* text.c - a banner out of a bitmap font, in the terminal and as a PNG
 *
 *     cc -I. examples/text.c -o build/text && build/text
 *     build/text OUT.png LINE ...
 *
 * Three gathers and no loop over pixels. A character code is an index into the
 * font; a code that the font lacks becomes the last glyph, a box (NDG_CLIP).
 * Strides of out put the rows of the glyphs side by side. The pixels are then
 * indices themselves: in pairs, one above the other, they name a character for
 * the terminal; each alone names a colour, and no ink is a bad index, which
 * leaves the paper as it is (NDG_KEEP). At most 6 lines of 24 characters, the
 * rest is cut. Run from the project's root. */
#include <stdio.h>
#include <string.h>

#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "png.h"

#define FONT   "examples/data/font8x8.txt"
#define FIRST  32               /* the code of the first glyph */
#define GLYPHS 96
#define LINES  6                /* what fits on a banner */
#define COLS   24
#define ZOOM   8                /* pixels of the PNG for each of the font */
#define EDGE   3                /* empty ones around the text */
#define LEAD   10               /* rows from one line to the next */
#define HIGH   (LINES * LEAD + 2 * EDGE)
#define SIZE   (HIGH * (COLS * 8 + 2 * EDGE) * ZOOM * ZOOM)

static uint8_t font[GLYPHS][8][8];              /* 0 ink, 1 none */
static uint8_t codes[LINES * COLS];
static uint8_t pixels[LINES * LEAD * COLS * 8];
static char    cells[LINES * LEAD * COLS * 4];
static png_rgb picture[SIZE];

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "text: %s: %s\n", what, why);
    return 1;
}

static int told(const char *what, const ndg_report *r)
{
    char line[200];
    if (r->status == NDG_OK) return 0;
    ndg_report_text(line, sizeof line, r, NULL);
    return fail(what, line);
}

/* Reads the font: eight glyphs to a line, # is ink, a line of ; is a remark. */
static int load(void)
{
    char  line[128];
    int   row = 0, i;
    FILE *file = fopen(FONT, "r");
    while (file && row < GLYPHS && fgets(line, sizeof line, file)) {
        if (line[0] == ';' || strlen(line) < 71) continue;
        for (i = 0; i < 64; i++)
            font[row / 8 * 8 + i / 8][row % 8][i % 8] =
                line[i / 8 * 9 + i % 8] != '#';
        row++;
    }
    if (file) fclose(file);
    return row < GLYPHS ? fail(FONT, "cannot be read") : 0;
}

/* Codes to pixels: [lines,cols] of glyphs become rows of cols * 8 pixels, and
 * LEAD of them to a line. */
static int set_type(int lines, int cols)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;

    d.params     = ndg_dims3(GLYPHS, 8, 8);
    d.indices    = ndg_dims2(lines, cols);
    d.index_type = NDG_U8;
    d.out        = ndg_strided4(lines, 8 * LEAD * cols, cols, 8,
                                8, 8 * cols, 8, 1);
    d.elem_size  = 1;
    d.policy     = NDG_CLIP;
    memset(pixels, 1, sizeof pixels);
    ndg_gather(pixels, sizeof pixels, font, codes, &d, &r);
    if (told("glyphs", &r)) return 1;
    if (r.bad.count > 0)
        printf("%ld not in the font, the first is code %d\n",
               (long)r.bad.count, (int)(uint8_t)(r.bad.value + FIRST));
    return 0;
}

/* Pixels to characters: the index vector of a cell is its upper pixel and the
 * one a row below, which is what the strides say. */
static int print_cells(ptrdiff_t high, ptrdiff_t wide)
{
    static const char half[2][2] = { { '8', '"' }, { '.', ' ' } };
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;
    ptrdiff_t       y;

    d.params     = ndg_dims2(2, 2);
    d.indices    = ndg_strided3(high / 2, 2 * wide, wide, 1, 2, wide);
    d.index_type = NDG_U8;
    d.elem_size  = 1;
    ndg_gather_nd(cells, sizeof cells, half, pixels, &d, &r);
    if (told("cells", &r)) return 1;
    for (y = 0; y < high / 2; y++)
        printf("%.*s\n", (int)wide, cells + y * wide);
    return 0;
}

/* Pixels to colours, zoomed: a stride of 0 reads a pixel ZOOM times. Row y has
 * a palette of its own, of one colour: the rows are a batch axis. out lies in
 * the picture, whose rows are pitch bytes apart. */
static int paint(png_rgb *out, ptrdiff_t pitch, const uint8_t *from,
                 ptrdiff_t step_y, ptrdiff_t step_x,
                 ptrdiff_t high, ptrdiff_t wide, const png_rgb *palette)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;

    d.params     = ndg_dims2(high, 1);
    d.indices    = ndg_strided4(high, step_y, ZOOM, 0, wide, step_x, ZOOM, 0);
    d.index_type = NDG_U8;
    d.batch_dims = 1;
    d.axis       = 1;
    d.out        = ndg_strided4(high, ZOOM * pitch, ZOOM, pitch,
                                wide, 3 * ZOOM, ZOOM, 3);
    d.elem_size  = sizeof(png_rgb);
    d.policy     = NDG_KEEP;
    ndg_gather(out, (picture + SIZE - out) * (ptrdiff_t)sizeof *out, palette,
               from, &d, &r);
    return told("colours", &r);
}

/* n colours from a to b, and again after every `period`. */
static const png_rgb *ramp(int n, int period, unsigned a, unsigned b)
{
    static png_rgb to[HIGH];
    int i;
    for (i = 0; i < n; i++)
        to[i] = png_mix(png_hex(a), png_hex(b), i % period, period - 1);
    return to;
}

/* Paper, a shadow, and the letters upon it. */
static int write_picture(const char *name, int high, int wide)
{
    const uint8_t zero = 0;                     /* paper is ink everywhere */
    int       h = high + 2 * EDGE, w = wide + 2 * EDGE, row = ZOOM * w;
    ptrdiff_t pitch = row * (ptrdiff_t)sizeof(png_rgb);
    png_rgb  *text = picture + EDGE * ZOOM * (row + 1);

    if (paint(picture, pitch, &zero, 0, 0, h, w,
              ramp(h, h, 0x16183a, 0x70346e)) ||
        paint(text + ZOOM / 2 * (row + 1), pitch, pixels, wide, 1, high, wide,
              ramp(high, LEAD, 0x0c0a22, 0x0c0a22)) ||
        paint(text, pitch, pixels, wide, 1, high, wide,
              ramp(high, LEAD, 0xfff096, 0xec3c14))) return 1;
    if (png_write(name, &picture[0].r, (size_t)row, (size_t)(ZOOM * h), 3))
        return 0;
    return fail(name, "cannot be written");
}

int main(int argc, char **argv)
{
    static const char *const sample[2] = { "gather", "& stitch" };
    const char *s[LINES];
    int         n[LINES], lines = argc > 2 ? argc - 2 : 2, cols = 1, i;

    if (lines > LINES) lines = LINES;
    for (i = 0; i < lines; i++) {
        s[i] = argc > 2 ? argv[i + 2] : sample[i];
        n[i] = strlen(s[i]) < COLS ? (int)strlen(s[i]) : COLS;
        if (n[i] > cols) cols = n[i];
    }
    for (i = 0; i < lines * cols; i++)  /* below 32 it wraps to 224 or more */
        codes[i] = (uint8_t)((i % cols < n[i / cols] ?
                              s[i / cols][i % cols] : ' ') - FIRST);
    i = LEAD * lines - (LEAD - 8);      /* rows of pixels */
    if (load() || set_type(lines, cols) || print_cells(i, 8 * cols)) return 1;
    return argc > 1 ? write_picture(argv[1], i, 8 * cols) : 0;
}
