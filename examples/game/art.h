/* art.h - the art of game.c: colours, tiles, letters and a level, out of text
 *
 * A picture is made of numbers, each of them an index: a cell of the level is
 * the number of a tile, a pixel of a tile the number of a colour. What shows
 * nothing has a number that is too large. A file that is not as it should be
 * is refused with its name, the line and the reason. */
#ifndef GAME_ART_H
#define GAME_ART_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../png.h"

#define TILES  "examples/data/tiles.txt"
#define LEVEL  "examples/data/level.txt"
#define FONT   "examples/data/font8x8.txt"

#define LIGHTS     3            /* by day, at dusk, by night */
#define NO_COLOUR  255          /* of a pixel that shows what is behind it */
#define NO_TILE    0xffff       /* of a cell that does */
#define MOST_TILES 256
#define LETTERS    MOST_TILES   /* the tile that draws the letter of code 0 */
#define CODES      128
#define FIRST_CODE 32           /* of the font, which ends with a box */
#define SHADOWS    (LETTERS + CODES)    /* the same, dark */
#define SHEET      (SHADOWS + CODES)
#define LEVEL_WIDE 78           /* cells */
#define LEVEL_HIGH 14
#define INK        'O'          /* the colour of letters, and of their shadow */
#define DARK       'K'

static png_rgb  colour[LIGHTS][NO_COLOUR];      /* 0 and 1 are the sky's */
static uint8_t  sheet[SHEET][8][8];             /* tiles, letters, shadows */
static uint16_t level[2][LEVEL_HIGH + 1][LEVEL_WIDE];   /* far, near, and a
                                                   last row without tiles */
static uint8_t  colour_of[256];                 /* by its letter in the file */
static uint16_t tile_of[256];

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "game: %s: %s\n", what, why);
    return 1;
}

typedef struct text_file {
    FILE       *file;
    const char *name;
    int         number;                 /* of the line read last */
    char        line[128];
} text_file;

/* Says what is wrong with the line read last. */
static int wrong(const text_file *t, const char *why)
{
    fprintf(stderr, "game: %s: line %d %s\n", t->name, t->number, why);
    return 1;
}

/* Reads the next line that is neither empty nor a remark, without its end.
 * Returns 1, or 0 at the end of the file, or -1 after saying what is wrong. */
static int next_line(text_file *t)
{
    size_t n;
    do {
        if (!fgets(t->line, sizeof t->line, t->file)) {
            if (!ferror(t->file)) return 0;
            fail(t->name, "cannot be read");
            return -1;
        }
        t->number++;
        n = strlen(t->line);
        if (n > 0 && t->line[n - 1] == '\n') t->line[--n] = 0;
        else if (!feof(t->file)) {
            wrong(t, "is too long, or holds a zero");
            return -1;
        }
        if (n > 0 && t->line[n - 1] == '\r') t->line[--n] = 0;
    } while (n == 0 || t->line[0] == ';');
    return 1;
}

/* The next line, where there has to be one of this many letters. */
static int whole_line(text_file *t, size_t letters)
{
    int got = next_line(t);
    if (got < 0) return 1;
    if (got == 0) return fail(t->name, "ends too early");
    if (strlen(t->line) != letters)
        return wrong(t, "has too few letters, or too many");
    return 0;
}

/* Six hexadecimal digits after a blank. Returns 0 if that is not what is
 * there: sscanf would also take a sign, an 0x, or fewer of them. */
static int read_rgb(const char *text, png_rgb *to)
{
    static const char digits[] = "0123456789abcdef";
    unsigned long v = 0;
    int           i;
    if (text[0] != ' ') return 0;
    for (i = 1; i <= 6; i++) {
        const char *d = text[i] ? strchr(digits, text[i]) : NULL;
        if (!d) return 0;
        v = v * 16 + (unsigned long)(d - digits);
    }
    *to = png_hex(v);
    return 1;
}

/* colour L rrggbb rrggbb rrggbb. There is room for all: each has a letter of
 * its own, and the dot, the zero and the end of a line are none. */
static int read_colour(text_file *t, int *colours)
{
    unsigned char letter = (unsigned char)t->line[7];
    int           i;
    if (strlen(t->line) != 8 + 7 * LIGHTS || letter == '.')
        return wrong(t, "is no colour");
    if (colour_of[letter] != NO_COLOUR)
        return wrong(t, "has a letter that another colour has");
    for (i = 0; i < LIGHTS; i++)
        if (!read_rgb(t->line + 8 + 7 * i, &colour[i][*colours]))
            return wrong(t, "is no colour");
    colour_of[letter] = (uint8_t)(*colours)++;
    return 0;
}

/* tile L what it shows, and eight lines of eight pixels. There is room for one
 * with each letter. */
static int read_tile(text_file *t, int *tiles)
{
    unsigned char letter = (unsigned char)t->line[5];
    int           x, y;
    if (letter == 0) return wrong(t, "is no tile");
    if (tile_of[letter] != NO_TILE)
        return wrong(t, "has a letter that another tile has");
    for (y = 0; y < 8; y++) {
        if (whole_line(t, 8)) return 1;
        for (x = 0; x < 8; x++) {
            unsigned char c = (unsigned char)t->line[x];
            if (c != '.' && colour_of[c] == NO_COLOUR)
                return wrong(t, "has a letter that is no colour");
            sheet[*tiles][y][x] = c == '.' ? NO_COLOUR : colour_of[c];
        }
    }
    tile_of[letter] = (uint16_t)(*tiles)++;
    return 0;
}

static int read_tiles(text_file *t)
{
    static const char needed[] = "&o(-)\"_";    /* sprites, and what they */
    int colours = 0, tiles = 0, got, i;         /* walk upon */
    memset(colour_of, NO_COLOUR, sizeof colour_of);
    memset(sheet, NO_COLOUR, sizeof sheet);
    for (i = 0; i < 256; i++) tile_of[i] = NO_TILE;
    while ((got = next_line(t)) > 0) {
        if (strncmp(t->line, "colour ", 7) == 0) {
            if (read_colour(t, &colours)) return 1;
        } else if (strncmp(t->line, "tile ", 5) == 0) {
            if (read_tile(t, &tiles)) return 1;
        } else return wrong(t, "is neither a colour nor a tile");
    }
    if (got < 0) return 1;
    if (colours < 2) return fail(t->name, "has no colours for the sky");
    if (colour_of[(unsigned char)INK] == NO_COLOUR ||
        colour_of[(unsigned char)DARK] == NO_COLOUR)
        return fail(t->name, "has no colour for the letters");
    for (i = 0; needed[i]; i++)
        if (tile_of[(unsigned char)needed[i]] == NO_TILE)
            return fail(t->name, "lacks a tile that the game needs");
    return 0;
}

/* Nothing but remarks may follow. */
static int at_end(text_file *t)
{
    int got = next_line(t);
    if (got > 0) return wrong(t, "is one too many");
    return got < 0;
}

/* Rows of cells, what is far first. A letter that names no tile is none. */
static int read_level(text_file *t)
{
    int x, y;
    for (y = 0; y < 2 * LEVEL_HIGH; y++) {
        uint16_t *row = level[y / LEVEL_HIGH][y % LEVEL_HIGH];
        if (whole_line(t, LEVEL_WIDE)) return 1;
        for (x = 0; x < LEVEL_WIDE; x++)
            row[x] = tile_of[(unsigned char)t->line[x]];
    }
    for (x = 0; x < LEVEL_WIDE; x++)
        level[0][LEVEL_HIGH][x] = level[1][LEVEL_HIGH][x] = NO_TILE;
    return at_end(t);
}

/* Letters that the font lacks look like its last. A shadow is a letter in the
 * dark colour. */
static void complete_letters(void)
{
    int i, x, y;
    for (i = 0; i < FIRST_CODE; i++)
        memcpy(sheet[LETTERS + i], sheet[LETTERS + CODES - 1],
               sizeof sheet[0]);
    for (i = 0; i < CODES; i++)
        for (y = 0; y < 8; y++)
            for (x = 0; x < 8; x++)
                if (sheet[LETTERS + i][y][x] != NO_COLOUR)
                    sheet[SHADOWS + i][y][x] = colour_of[(unsigned char)DARK];
}

/* Bands of eight letters side by side. They become tiles of the sheet, so that
 * a letter can be a sprite. */
static int read_font(text_file *t)
{
    const uint8_t ink = colour_of[(unsigned char)INK];
    int           i, x, y;
    for (i = FIRST_CODE; i < CODES; i += 8)
        for (y = 0; y < 8; y++) {
            if (whole_line(t, 71)) return 1;
            for (x = 0; x < 71; x++) {
                char c = t->line[x];
                if (c != (x % 9 == 8 ? ' ' : '.') && (x % 9 == 8 || c != '#'))
                    return wrong(t, "is no row of letters");
                if (x % 9 < 8)
                    sheet[LETTERS + i + x / 9][y][x % 9] =
                        c == '#' ? ink : NO_COLOUR;
            }
        }
    complete_letters();
    return at_end(t);
}

static int read_file(const char *name, int (*reader)(text_file *))
{
    text_file t;
    int       failed;
    memset(&t, 0, sizeof t);
    t.name = name;
    t.file = fopen(name, "r");
    if (!t.file) return fail(name, "cannot be read");
    failed = reader(&t);
    fclose(t.file);
    return failed;
}

/* Tiles first: they say what a letter of the level means. */
static int load_art(void)
{
    return read_file(TILES, read_tiles) || read_file(LEVEL, read_level) ||
           read_file(FONT, read_font);
}

#endif
