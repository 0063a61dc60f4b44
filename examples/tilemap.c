/* tilemap.c - a camera over a level of tiles, as a PNG and in the terminal
 *
 *     cc -I. examples/tilemap.c -o build/tilemap && build/tilemap
 *     build/tilemap OUT.png
 *
 * A cell of the level is the number of a tile, a pixel of a tile the number of
 * a colour: both are indices. Two plans, made once, draw every layer of every
 * frame: cells to pixels, pixels to colours. Where there is no tile, or a tile
 * has no pixel, the index is bad, and what was drawn before shows through
 * (NDG_KEEP). Three frames, by day, at dusk and at night, differ in where the
 * camera stands and in the palette. Run from the project's root. */
#include <stdio.h>
#include <string.h>

#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "png.h"

#define TILES  "examples/data/tiles.txt"
#define LEVEL  "examples/data/level.txt"
#define WIDE   78               /* cells of the level */
#define HIGH   14
#define VIEW   40               /* cells the camera sees; it draws 1 more */
#define PITCH  ((VIEW + 1) * 8)
#define ZOOM   2
#define FRAMES 3
#define ROW    (VIEW * 8 * ZOOM)                /* pixels of a frame's row */
#define FRAME  (HIGH * 8 * ZOOM)                /* rows of a frame */
#define NONE   255              /* no tile, no colour */

static png_rgb  palette[FRAMES][NONE];          /* 0 and 1 are the sky's */
static uint8_t  sheet[NONE][8][8];              /* tiles of colour numbers */
static char     letter[NONE];                   /* of each tile */
static int      tiles;
static uint16_t level[2][HIGH][WIDE];           /* far, near: tile numbers */
static uint8_t  view[HIGH * 8][PITCH];          /* what the camera sees */
static png_rgb  picture[FRAMES * FRAME][ROW];

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "tilemap: %s: %s\n", what, why);
    return 1;
}

static int refused(const char *what, const ndg_report *r)
{
    char line[200];
    ndg_report_text(line, sizeof line, r, NULL);
    return fail(what, line);
}

/* The next line that is neither empty nor a remark; 0 at the end. */
static int next(char line[128], FILE *file)
{
    do if (!fgets(line, 128, file)) return 0;
    while (line[0] == ';' || line[0] == '\n');
    return 1;
}

/* n letters of the next line, each by its entry in a table of 256. */
static int row(void *to, int n, const void *table, int size, FILE *file)
{
    char line[128];
    return next(line, file) && strlen(line) >= (size_t)n &&
           ndg_gather_rows(to, (ptrdiff_t)n * size, table, 256, size, 0,
                           line, NDG_U8, n, NDG_ERROR, NULL) == NDG_OK;
}

/* Reads the colours and the tiles; 0 if that cannot be. */
static int load_tiles(FILE *file)
{
    char     line[128], c;
    unsigned v[FRAMES];
    uint8_t  number[256];                       /* of a letter's colour */
    int      n = 0, i;

    memset(number, NONE, sizeof number);
    while (next(line, file))
        if (n < NONE && sscanf(line, "colour %c %x %x %x",
                               &c, &v[0], &v[1], &v[2]) == 4) {
            for (i = 0; i < FRAMES; i++) palette[i][n] = png_hex(v[i]);
            number[(unsigned char)c] = (uint8_t)n++;
        } else if (tiles < NONE && sscanf(line, "tile %c", &c) == 1) {
            for (i = 0; i < 8; i++)
                if (!row(sheet[tiles][i], 8, number, 1, file)) return 0;
            letter[tiles++] = c;
        } else return 0;
    return 1;
}

static int load_level(FILE *file)
{
    uint16_t number[256];                       /* of a letter's tile */
    int      i;
    for (i = 0; i < 256; i++) number[i] = NONE;
    for (i = 0; i < tiles; i++)
        number[(unsigned char)letter[i]] = (uint16_t)i;
    for (i = 0; i < 2 * HIGH; i++)
        if (!row(level[i / HIGH][i % HIGH], WIDE, number, 2, file)) return 0;
    return 1;
}

/* cells:   [HIGH,VIEW+1] out of the level's rows become rows of pixels.
 * colours: [HIGH*8,VIEW*8] of these pixels, each read ZOOM times in both
 *          directions (its stride is 0), become a frame. */
static int plan(ndg_gather_plan *cells, ndg_gather_plan *colours)
{
    ndg_gather_desc c = NDG_ZERO_INIT, p = NDG_ZERO_INIT;
    ndg_report      r;

    c.params     = ndg_dims3(tiles, 8, 8);
    c.indices    = ndg_strided2(HIGH, 2 * WIDE, VIEW + 1, 2);
    c.index_type = NDG_U16;
    c.out        = ndg_strided4(HIGH, 8 * PITCH, VIEW + 1, 8, 8, PITCH, 8, 1);
    c.elem_size  = 1;
    c.policy     = NDG_KEEP;
    p.params     = ndg_dims1(NONE);
    p.indices    = ndg_strided4(8 * HIGH, PITCH, ZOOM, 0, 8 * VIEW, 1, ZOOM, 0);
    p.index_type = NDG_U8;
    p.elem_size  = sizeof(png_rgb);
    p.policy     = NDG_KEEP;
    if (ndg_plan_gather(cells, &c, &r) || ndg_plan_gather(colours, &p, &r))
        return refused("plan", &r);
    return 0;
}

/* Draws a frame: the sky, and on it each layer, the far one at half speed. */
static int draw(int frame, int camera, const ndg_gather_plan *cells,
                const ndg_gather_plan *colours)
{
    png_rgb   *out = picture[frame * FRAME], *sky = palette[frame];
    ndg_report r;
    int        i;
    for (i = 0; i < FRAME * ROW; i++)
        out[i] = png_mix(sky[0], sky[1], i / ROW, FRAME);
    for (i = 0; i < 2; i++) {
        int at = i == 0 ? camera / 2 : camera;  /* in pixels of the level */
        memset(view, NONE, sizeof view);
        if (ndg_gather_run(cells, view, sizeof view, sheet,
                           &level[i][0][at / 8], &r) ||
            ndg_gather_run(colours, out, colours->out_bytes, palette[frame],
                           &view[0][at % 8], &r))
            return refused("draw", &r);
    }
    return 0;
}

/* The whole level, a letter for a cell: the near one, or the far, or none. */
static int print_level(void)
{
    static char text[HIGH][WIDE];
    ndg_report  r;
    int         i;
    memset(text, ' ', sizeof text);
    for (i = 0; i < 2; i++)
        if (ndg_gather_rows(text, sizeof text, letter, tiles, 1, 0, level[i],
                            NDG_U16, HIGH * WIDE, NDG_KEEP, &r))
            return refused("print", &r);
    for (i = 0; i < HIGH; i++) printf("%.*s\n", WIDE, text[i]);
    printf("%d tiles; %d of %d near cells show what is behind them\n", tiles,
           (int)r.bad.count, HIGH * WIDE);
    return 0;
}

int main(int argc, char **argv)
{
    ndg_gather_plan cells, colours;
    FILE *art = fopen(TILES, "r"), *map = fopen(LEVEL, "r");
    int   i, last = (WIDE - VIEW - 1) * 8;      /* where the camera ends */

    if (!art || !load_tiles(art)) return fail(TILES, "cannot be read");
    if (!map || !load_level(map)) return fail(LEVEL, "cannot be read");
    fclose(art);
    fclose(map);
    if (print_level() || plan(&cells, &colours)) return 1;
    for (i = 0; i < FRAMES; i++)
        if (draw(i, last * i / (FRAMES - 1), &cells, &colours)) return 1;
    if (argc > 1 && !png_write(argv[1], &picture[0][0].r, ROW, FRAMES * FRAME,
                               3)) return fail(argv[1], "cannot be written");
    return 0;
}
