/* draw.h - draws the frames of game.c: plans made once, and one run of each
 *
 * A frame is drawn by rows, any of them by themselves, so that two workers can
 * share them and that rows in which nothing moved are left alone. From the back
 * to the front: the sky, what is far, sprites, what is near, sprites, text. A
 * pixel of the art is ZOOM pixels wide on the screen. It is gathered as one
 * element of that many, so the zoom across costs no step of its own; the last
 * gather takes every row ZOOM times. */
#ifndef GAME_DRAW_H
#define GAME_DRAW_H

#include "world.h"

#define ZOOM      4
#define SCREEN_W  (WIDE * ZOOM)
#define SCREEN_H  (HIGH * ZOOM)
#define PITCH     (CELLS_WIDE * 8)      /* of a layer's rows */
#define LEAD      10                    /* rows from line to line of text */
#define TEXT_X    4
#define TEXT_Y    4
#define TEXT_WIDE (COLS * 8)
#define TEXT_HIGH (LINES * LEAD)
#define DOTS      (SPRITES * 64)        /* pixels of all sprites */
#define WORKERS   2

typedef struct pixel { uint32_t screen[ZOOM]; } pixel;

/* What a worker needs for itself, and what the run that failed had to say. */
typedef struct desk {
    uint8_t    view[2][CELLS_HIGH * 8][PITCH];  /* the layers as colours */
    ndg_report said;
} desk;

/* The sprites of a layer, as a stitch wants them: pixels and where they go. */
typedef struct layer_dots {
    int32_t  at[DOTS];
    pixel    dot[DOTS];
    ndg_list list;
} layer_dots;

static struct {
    ndg_gather_plan    cells, colours, sky, letters, ink, shadow, figures;
    ndg_gather_plan    tints, rows;
    ndg_partition_plan layers;
    ndg_stitch_plan    dots;
} plan;

static desk       desks[WORKERS];
static layer_dots layers[2];
static pixel      palette[LIGHTS][NO_COLOUR];
static pixel      skies[LIGHTS][HIGH];          /* the sky's colours by row */
static const pixel dark = { { 0, 0, 0, 0 } };
static uint8_t    row_of[SCREEN_H];             /* the screen's rows ... */
static uint8_t    text_dots[TEXT_HIGH][TEXT_WIDE];
static pixel      canvas[HIGH][WIDE];           /* ... are of these */

static int refused(const char *what, const ndg_report *r)
{
    char line[200];
    ndg_report_text(line, sizeof line, r, NULL);
    return fail(what, line);
}

/* Tiles by cell and letters by code: both out of the sheet. A cell without a
 * tile is left as it is; a code that is no letter becomes the last, a box. */
static void describe_tiles(ndg_gather_desc *cells, ndg_gather_desc *letters)
{
    cells->params     = ndg_dims3(SHEET, 8, 8);
    cells->indices    = ndg_strided2(CELLS_HIGH, 2 * WORLD_WIDE,
                                     CELLS_WIDE, 2);
    cells->index_type = NDG_U16;
    cells->out        = ndg_strided4(CELLS_HIGH, 8 * PITCH, CELLS_WIDE, 8,
                                     8, PITCH, 8, 1);
    cells->elem_size  = 1;
    cells->policy     = NDG_KEEP;

    letters->params     = ndg_dims3(CODES, 8, 8);
    letters->indices    = ndg_dims2(LINES, COLS);
    letters->index_type = NDG_U8;
    letters->out        = ndg_strided4(LINES, LEAD * TEXT_WIDE, COLS, 8,
                                       8, TEXT_WIDE, 8, 1);
    letters->elem_size  = 1;
    letters->policy     = NDG_CLIP;
}

/* Colours by number, onto a canvas whose pixels they leave as they are where
 * the number is none: of a layer, whose window the camera moves, and of text.
 * Its shadow takes every number for the same colour: a stride of 0. */
static void describe_colours(ndg_gather_desc *layer, ndg_gather_desc *ink,
                             ndg_gather_desc *shadow)
{
    layer->params     = ndg_dims1(NO_COLOUR);
    layer->indices    = ndg_strided2(HIGH, PITCH, WIDE, 1);
    layer->index_type = NDG_U8;
    layer->elem_size  = sizeof(pixel);
    layer->policy     = NDG_KEEP;

    *ink         = *layer;
    ink->indices = ndg_dims2(TEXT_HIGH, TEXT_WIDE);
    ink->out     = ndg_strided2(TEXT_HIGH, sizeof canvas[0],
                                TEXT_WIDE, sizeof(pixel));
    *shadow        = *ink;
    shadow->params = ndg_strided1(NO_COLOUR, 0);
}

/* Rows by number: of the sky one colour for all of a row, of the screen a row
 * of the canvas. */
static void describe_rows(ndg_gather_desc *sky, ndg_gather_desc *rows)
{
    sky->params     = ndg_strided2(HIGH, sizeof(pixel), WIDE, 0);
    sky->indices    = ndg_strided1(HIGH, ZOOM);         /* 0 to HIGH - 1 */
    sky->index_type = NDG_U8;
    sky->elem_size  = sizeof(pixel);

    rows->params     = ndg_dims2(HIGH, WIDE);
    rows->indices    = ndg_dims1(SCREEN_H);
    rows->index_type = NDG_U8;
    rows->elem_size  = sizeof(pixel);
}

/* Sprites to their layer; their tiles; the colours of these; and each pixel to
 * its place. Among pixels for one place the last wins, as a painter wants it,
 * and one that is out of sight or shows nothing has none: NDG_DROP. */
static void describe_sprites(ndg_partition_desc *split,
                             ndg_gather_desc *figures, ndg_gather_desc *tints,
                             ndg_stitch_desc *dots)
{
    split->data           = ndg_dims1(SPRITES);
    split->partitions     = ndg_strided1(SPRITES, sizeof(sprite));
    split->index_type     = NDG_U8;
    split->elem_size      = sizeof(sprite);
    split->num_partitions = 2;
    split->policy         = NDG_DROP;

    figures->params     = ndg_dims2(SHEET, 64);
    figures->indices    = ndg_strided1(SPRITES, sizeof(sprite));
    figures->index_type = NDG_U16;
    figures->elem_size  = 1;

    tints->params     = ndg_dims1(NO_COLOUR);
    tints->indices    = ndg_dims1(DOTS);
    tints->index_type = NDG_U8;
    tints->elem_size  = sizeof(pixel);
    tints->policy     = NDG_KEEP;

    dots->elem_size  = sizeof(pixel);
    dots->index_type = NDG_I32;
    dots->policy     = NDG_DROP;
    dots->gaps       = NDG_GAPS_KEEP;
}

static int make_plans(void)
{
    ndg_gather_desc    cells = NDG_ZERO_INIT, colours = NDG_ZERO_INIT;
    ndg_gather_desc    sky = NDG_ZERO_INIT, letters = NDG_ZERO_INIT;
    ndg_gather_desc    ink, shadow, rows = NDG_ZERO_INIT;
    ndg_gather_desc    figures = NDG_ZERO_INIT, tints = NDG_ZERO_INIT;
    ndg_partition_desc split = NDG_ZERO_INIT;
    ndg_stitch_desc    dots = NDG_ZERO_INIT;
    ndg_report         r;
    int                y;

    for (y = 0; y < SCREEN_H; y++) row_of[y] = (uint8_t)(y / ZOOM);
    describe_tiles(&cells, &letters);
    describe_colours(&colours, &ink, &shadow);
    describe_rows(&sky, &rows);
    describe_sprites(&split, &figures, &tints, &dots);
    if (ndg_plan_gather(&plan.cells, &cells, &r) ||
        ndg_plan_gather(&plan.letters, &letters, &r) ||
        ndg_plan_gather(&plan.colours, &colours, &r) ||
        ndg_plan_gather(&plan.ink, &ink, &r) ||
        ndg_plan_gather(&plan.shadow, &shadow, &r) ||
        ndg_plan_gather(&plan.sky, &sky, &r) ||
        ndg_plan_gather(&plan.rows, &rows, &r) ||
        ndg_plan_partition(&plan.layers, &split, &r) ||
        ndg_plan_gather(&plan.figures, &figures, &r) ||
        ndg_plan_gather(&plan.tints, &tints, &r) ||
        ndg_plan_stitch(&plan.dots, &dots, &r)) return refused("plans", &r);
    return 0;
}

/* Ends a frame with the first report that says why. Others are no failures:
 * what is transparent is a bad index in each of them. */
static int told(desk *d, const ndg_report *r)
{
    if (r->status) d->said = *r;
    return r->status;
}

/* Index rows first to last - 1 of a plan. */
static int run(desk *d, const ndg_gather_plan *p, void *out, ptrdiff_t bytes,
               const void *params, const void *indices,
               ptrdiff_t first, ptrdiff_t last)
{
    ndg_report r;
    if (first >= last) return 0;
    ndg_gather_run_range(p, out, bytes, params, indices, first, last, &r);
    return told(d, &r);
}

/* Where the pixels of n sprites go on the canvas: nowhere, if they show nothing
 * or lie beyond an edge of it. */
static void place_dots(int32_t *at, const uint8_t (*figure)[64],
                       const sprite *s, ptrdiff_t n)
{
    ptrdiff_t i;
    int       k;
    for (i = 0; i < n; i++)
        for (k = 0; k < 64; k++) {
            int x = s[i].x + k % 8, y = s[i].y + k / 8;
            *at++ = figure[i][k] != NO_COLOUR && x >= 0 && x < WIDE && y >= 0 &&
                    y < HIGH ? y * WIDE + x : -1;
        }
}

/* Splits the sprites by layer and makes of each layer a list of pixels. */
static int prepare_sprites(desk *d, const scene *s)
{
    static sprite  part[2][SPRITES];
    static uint8_t figure[SPRITES][64];
    void     *const outs[2] = { part[0], part[1] };
    ptrdiff_t  counts[2], cursors[2];
    ndg_report r;
    int        k;

    if (ndg_partition_count(&plan.layers, &s->sprites[0].layer, 0, SPRITES,
                            counts, &r) ||
        ndg_partition_run(&plan.layers, outs, NULL, s->sprites,
                          &s->sprites[0].layer, SPRITES, counts, cursors, &r))
        return told(d, &r);
    for (k = 0; k < 2; k++) {
        layer_dots *l = &layers[k];
        ptrdiff_t   n = counts[k];
        if (run(d, &plan.figures, figure, sizeof figure, sheet,
                &part[k][0].tile, 0, n) ||
            run(d, &plan.tints, l->dot, sizeof l->dot, palette[s->light],
                figure, 0, 64 * n)) return d->said.status;
        place_dots(l->at, (const uint8_t (*)[64])figure, part[k], n);
        l->list.indices = l->at;
        l->list.data    = l->dot;
        l->list.count   = 64 * n;
    }
    return 0;
}

/* What all rows of a frame need, and no row alone: before any is drawn. */
static int prepare(desk *d, const scene *s)
{
    memset(&d->said, 0, sizeof d->said);
    memset(text_dots, NO_COLOUR, sizeof text_dots);
    return run(d, &plan.letters, text_dots, sizeof text_dots, sheet[LETTERS],
               s->text, 0, LINES * COLS) || prepare_sprites(d, s);
}

/* Rows first to last - 1 of a layer: its cells' tiles, then their colours. */
static int draw_layer(desk *d, const scene *s, int layer, int first, int last)
{
    int x = layer_x(s, layer), y = layer_y(s, layer);
    int top = (first + y % 8) / 8, end = (last - 1 + y % 8) / 8 + 1;
    memset(d->view[layer][8 * top], NO_COLOUR,
           (size_t)(8 * (end - top)) * PITCH);
    return run(d, &plan.cells, d->view[layer], sizeof d->view[layer], sheet,
               &world[layer][y / 8][x / 8], top * CELLS_WIDE,
               end * CELLS_WIDE) ||
           run(d, &plan.colours, canvas, sizeof canvas, palette[s->light],
               &d->view[layer][y % 8][x % 8], first * WIDE, last * WIDE);
}

/* Of a layer's sprites what lies in these rows. */
static int draw_sprites(desk *d, int layer, int first, int last)
{
    ndg_report r;
    ndg_stitch_run_range(&plan.dots, canvas, sizeof canvas, WIDE * HIGH,
                         &layers[layer].list, 1, first * WIDE, last * WIDE,
                         NULL, 0, &r);
    return told(d, &r);
}

/* Of the text what lies in these rows, moved down and right by a few pixels. */
static int draw_text(desk *d, const ndg_gather_plan *p, const pixel *colours,
                     int moved, int first, int last)
{
    int    y = TEXT_Y + moved;
    pixel *to = &canvas[y][TEXT_X + moved];
    first = first > y ? first - y : 0;
    last  = last < y + TEXT_HIGH ? last - y : TEXT_HIGH;
    return run(d, p, to, (char *)(canvas + HIGH) - (char *)to, colours,
               text_dots, first * TEXT_WIDE, last * TEXT_WIDE);
}

/* Rows first to last - 1 of the art, which are ZOOM times as many of the
 * screen. Returns 0, or the status that d->said explains. */
static int draw_rows(desk *d, const scene *s, void *screen, int first, int last)
{
    if (first >= last) return 0;
    return run(d, &plan.sky, canvas, sizeof canvas, skies[s->light], row_of,
               first, last) ||
           draw_layer(d, s, 0, first, last) ||
           draw_sprites(d, 0, first, last) ||
           draw_layer(d, s, 1, first, last) ||
           draw_sprites(d, 1, first, last) ||
           draw_text(d, &plan.shadow, &dark, 1, first, last) ||
           draw_text(d, &plan.ink, palette[s->light], 0, first, last) ||
           run(d, &plan.rows, screen, SCREEN_W * 4 * SCREEN_H, canvas, row_of,
               first * ZOOM, last * ZOOM);
}

/* ---- what has to be drawn ------------------------------------------------*/

typedef struct dirt { uint8_t row[HIGH]; } dirt;

static void mark(dirt *d, int first, int last)
{
    for (; first < last; first++)
        if (first >= 0 && first < HIGH) d->row[first] = 1;
}

static void mark_sprite(dirt *d, const sprite *s)
{
    if (s->layer != NO_LAYER) mark(d, s->y, s->y + 8);
}

/* The rows in which b may differ from a: all of them if the camera or the
 * light moved, else those of sprites and lines of text that changed. */
static void compare(dirt *d, const scene *a, const scene *b)
{
    int i, y;
    memset(d, 0, sizeof *d);
    if (a->x != b->x || a->y != b->y || a->light != b->light)
        mark(d, 0, HIGH);
    for (i = 0; i < SPRITES; i++)
        if (memcmp(&a->sprites[i], &b->sprites[i], sizeof(sprite)) != 0) {
            mark_sprite(d, &a->sprites[i]);
            mark_sprite(d, &b->sprites[i]);
        }
    for (i = 0; i < LINES; i++)
        if (memcmp(a->text[i], b->text[i], COLS) != 0) {
            y = TEXT_Y + LEAD * i;
            mark(d, y, y + 9);          /* with the shadow */
        }
}

/* The next dirty rows from *first on: *first to *last - 1. 0 if there are none
 * left. */
static int next_dirty(const dirt *d, int *first, int *last)
{
    while (*first < HIGH && !d->row[*first]) ++*first;
    *last = *first;
    while (*last < HIGH && d->row[*last]) ++*last;
    return *first < *last;
}

#endif
