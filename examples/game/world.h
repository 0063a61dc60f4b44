/* world.h - the world of game.c: where what is, in each frame
 *
 * All lengths are in pixels of the art, of which the screen shows each four
 * times as wide and as high, unless they are in cells of 8 x 8. The film, that
 * is a run with --frames, depends on the number of the frame and on nothing
 * else. */
#ifndef GAME_WORLD_H
#define GAME_WORLD_H

#include "art.h"

#define WIDE        320         /* what the camera sees */
#define HIGH        180
#define CELLS_WIDE  (WIDE / 8 + 1)              /* and needs, anywhere */
#define CELLS_HIGH  (HIGH / 8 + 2)
#define SKY         13          /* rows of cells above the level */
#define EARTH       3           /* and below it */
#define WORLD_HIGH  (SKY + LEVEL_HIGH + EARTH)
#define WORLD_WIDE  (2 * LEVEL_WIDE)            /* the level, twice */
#define FAR_SLOWER  3           /* what is far moves at a third of the speed */
#define LAST_X      (FAR_SLOWER * (8 * LEVEL_WIDE - WIDE))      /* camera's */
#define LAST_Y      (8 * WORLD_HIGH - HIGH)
#define LINES       2           /* of text */
#define COLS        39
#define TITLE       "ndgather"
#define CLOUDS      6
#define WALKERS     5
#define COINS       24
#define SPRITES     (3 * CLOUDS + WALKERS + COINS + 16) /* 16: of the title */
#define NO_LAYER    255         /* of a sprite that is out of sight */

typedef struct sprite {
    int16_t  x, y;              /* on the screen, but in pixels of the art */
    uint16_t tile;
    uint8_t  layer;             /* 0 behind what is near, 1 before it */
    uint8_t  unused;
} sprite;

typedef struct scene {
    int     frame, x, y, light; /* x and y: of the camera */
    char    text[LINES][COLS];
    sprite  sprites[SPRITES];
} scene;

static const char *const light_name[LIGHTS] = { "by day", "at dusk",
                                                "by night" };

/* Far and near. A row more than there is, for a plan that is described by the
 * cells that the camera may need, although at the bottom it needs fewer. */
static uint16_t world[2][WORLD_HIGH + 1][WORLD_WIDE];
static int      ground[WORLD_WIDE];             /* the row one can stand on */

/* Which row of the level is row y of the world, and how far it is moved to the
 * left, so that what repeats does not stand in columns. The sky above takes
 * the level's rows 0 and 3, which hold stars and clouds, and stays empty before
 * what is near; the earth below is the level's last row again and again. */
static void level_row(int layer, int y, int16_t *row, int *shift)
{
    *shift = 29 * y;
    if (y >= SKY + LEVEL_HIGH) *row = LEVEL_HIGH - 1;
    else if (y >= SKY) { *row = (int16_t)(y - SKY); *shift = 0; }
    else if (layer == 1 || y % 3 == 2) *row = LEVEL_HIGH;       /* no tiles */
    else *row = y % 3 == 0 ? 0 : 3;
}

/* Cells of the world by (row, column) of the level. Columns beyond the level's
 * last begin again at the first: NDG_WRAP. */
static int build_world(void)
{
    static int16_t  at[2][WORLD_HIGH + 1][WORLD_WIDE][2];
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;
    int             layer, x, y, shift, rows = 2 * (WORLD_HIGH + 1);

    for (layer = 0; layer < 2; layer++)
        for (y = 0; y <= WORLD_HIGH; y++)
            for (x = 0; x < WORLD_WIDE; x++) {
                int16_t *a = at[layer][y][x];
                level_row(layer, y, &a[0], &shift);
                a[0] = (int16_t)(a[0] + layer * (LEVEL_HIGH + 1));
                a[1] = (int16_t)(x + shift);
            }
    d.params     = ndg_dims2(2 * (LEVEL_HIGH + 1), LEVEL_WIDE);
    d.indices    = ndg_dims3(rows, WORLD_WIDE, 2);
    d.index_type = NDG_I16;
    d.elem_size  = sizeof level[0][0][0];
    d.policy     = NDG_WRAP;
    if (ndg_gather_nd(world, sizeof world, level, at, &d, &r)) {
        char line[200];
        ndg_report_text(line, sizeof line, &r, &d.indices);
        return fail("the world", line);
    }
    for (x = 0; x < WORLD_WIDE; x++)
        for (y = 0; y < WORLD_HIGH; y++) {
            ground[x] = y;              /* grass, a bridge, or the bottom */
            if (world[1][y][x] == tile_of['"'] ||
                world[1][y][x] == tile_of['_']) break;
        }
    return 0;
}

/* Up from 0 to top and down again, one at a time. */
static int swing(int t, int top)
{
    t %= 2 * top;
    return t <= top ? t : 2 * top - t;
}

/* Where a layer begins on the screen: near as the camera stands, far moves less
 * and ends where the world does. */
static int layer_x(const scene *s, int layer)
{
    return layer ? s->x : s->x / FAR_SLOWER;
}

static int layer_y(const scene *s, int layer)
{
    return layer ? s->y : LAST_Y - (LAST_Y - s->y) / FAR_SLOWER;
}

/* The film's camera stands for a second and moves for two, to the right end of
 * the world and back; every four seconds the light changes. */
static void film(scene *s)
{
    int t = s->frame % 180, way = s->frame / 180 * 240;
    if (t > 60) way += 2 * (t - 60);
    s->x = swing(way, LAST_X);
    s->y = swing(way / 16 + 44, LAST_Y);
    s->light = s->frame / 240 % LIGHTS;
}

static sprite *put(sprite *to, int x, int y, int tile, int layer)
{
    memset(to, 0, sizeof *to);
    to->x = (int16_t)x;
    to->y = (int16_t)y;
    to->tile = (uint16_t)tile;
    to->layer = x > -8 && x < WIDE && y > -8 && y < HIGH ? (uint8_t)layer
                                                         : NO_LAYER;
    return to + 1;
}

/* Clouds drift behind what is near, travellers follow the ground, coins dance
 * above it, before and behind by turns, and the title waves on top of all. */
static void place_sprites(scene *s)
{
    sprite *p = s->sprites;
    int     t = s->frame, i, k, x, y;
    for (i = 0; i < CLOUDS; i++) {
        x = (97 * i + t * (i % 3 + 1) / 8 + (LAST_X - s->x) / 6) % 440 - 60;
        y = 20 + 37 * i % 50 + (LAST_Y - s->y) / 2;
        for (k = 0; k < 3; k++)
            p = put(p, x + 8 * k, y, tile_of[(unsigned char)"(-)"[k]], 0);
    }
    for (i = 0; i < WALKERS; i++) {
        x = (250 * i + 180 + t * (i + 2) / 4) % (8 * WORLD_WIDE - 8);
        y = 8 * ground[(x + 4) / 8] - 8 - x / 4 % 2;
        p = put(p, x - s->x, y - s->y, tile_of['&'], 1);
    }
    for (i = 0; i < COINS; i++) {
        x = 52 * i + 12;
        y = 8 * ground[x / 8] - 20 - swing(t / 2 + 9 * i, 12);
        p = put(p, x - s->x, y - s->y, tile_of['o'], i % 2);
    }
    for (i = 0; TITLE[i]; i++) {
        x = 124 + 9 * i;
        y = 32 + swing(t / 2 + 3 * i, 8);
        p = put(p, x + 1, y + 1, SHADOWS + TITLE[i], 1);
        p = put(p, x, y, LETTERS + TITLE[i], 1);
    }
}

#endif
