/* game_reference.c - what a frame of examples/game has to look like
 *
 *     cc -O2 tests/uses/game_reference.c -o build/reference
 *     build/reference FRAME SHOT.png      compares; "same", or what differs
 *
 * Shares no code with the game and none with the library. It reads the same
 * art, and asks for each pixel of the screen by itself what is in front there:
 * nothing is drawn over anything. Works from the project's root; the PNG is one
 * without compression, as the game writes it. Trusts the art: the game's own
 * tests feed it what is broken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 1280, DOWN = 720, ZOOM = 4, SPAN = 624, FAR_END = 304 };

/* A tile, or a letter of the font in some ink. */
typedef struct { int x, y, front; char ink; unsigned char letter; } thing;

static char  art[256][8][9], font[96][8][9], map[2][14][80];
static unsigned long rgb[256][3], sky_top[3], sky_bottom[3];
static thing things[100];
static int   thing_count, frame, cam_x, cam_y, light;
static char  words[2][64];
static unsigned char shot[DOWN][1 + ACROSS * 3];

static void die(const char *why)
{
    fprintf(stderr, "reference: %s\n", why);
    exit(2);
}

static FILE *must_open(const char *name, const char *mode)
{
    FILE *f = fopen(name, mode);
    if (!f) die(name);
    return f;
}

/* ---- the art -------------------------------------------------------------*/

static int content(char line[200], FILE *f)
{
    while (fgets(line, 200, f)) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line && *line != ';') return 1;
    }
    return 0;
}

static void read_art(void)
{
    char  line[200], c;
    unsigned long v[3];
    int   seen = 0, i, k;
    FILE *f = must_open("examples/data/tiles.txt", "r");
    memset(art, '.', sizeof art);
    while (content(line, f))
        if (sscanf(line, "colour %c %lx %lx %lx", &c, v, v + 1, v + 2) == 4) {
            memcpy(rgb[(unsigned char)c], v, sizeof v);
            if (seen == 0) memcpy(sky_top, v, sizeof v);
            if (seen == 1) memcpy(sky_bottom, v, sizeof v);
            seen++;
        } else if (sscanf(line, "tile %c", &c) == 1) {
            art[(unsigned char)c][0][8] = 1;            /* there is one */
            for (i = 0; i < 8 && content(line, f); i++)
                memcpy(art[(unsigned char)c][i], line, 8);
        }
    fclose(f);

    f = must_open("examples/data/level.txt", "r");
    for (i = 0; i < 28 && content(line, f); i++)
        memcpy(map[i / 14][i % 14], line, 78);
    fclose(f);

    f = must_open("examples/data/font8x8.txt", "r");
    for (i = 0; i < 96 && content(line, f); i++)
        for (k = 0; k < 8; k++)
            memcpy(font[i / 8 * 8 + k][i % 8], line + 9 * k, 8);
    fclose(f);
}

/* ---- the world -----------------------------------------------------------*/

/* The letter of the cell at a row and a column of the world. Above the level
 * are the rows 0 and 3 of its sky, each third row empty, and below it its last
 * row, all shifted by 29 for each row. */
static char cell(int near_by, int row, int column)
{
    int shifted = (column + 29 * row) % 78;
    if (row > 26) return map[near_by][13][shifted];
    if (row > 12) return map[near_by][row - 13][column % 78];
    if (near_by || row % 3 == 2) return '.';
    return map[0][row % 3 ? 3 : 0][shifted];
}

/* Y of the grass, or the bridge, below any sky at x. */
static int floor_at(int x)
{
    int row = 0;
    while (row < 29 && !strchr("\"_", cell(1, row, x / 8))) row++;
    return 8 * row;
}

static int zigzag(int t, int top)
{
    int rest = t % (2 * top);
    return top - abs(top - rest);
}

static void add(int x, int y, char letter, int front, char ink)
{
    thing t;
    t.x = x;
    t.y = y;
    t.front = front;
    t.ink = ink;
    t.letter = (unsigned char)letter;
    things[thing_count++] = t;
}

static void set_scene(void)
{
    static const char *const when[3] = { "by day", "at dusk", "by night" };
    int round = frame / 180, into = frame % 180, i, x;
    int way = 240 * round + (into < 60 ? 0 : 2 * into - 120);
    cam_x = zigzag(way, 3 * FAR_END);
    cam_y = zigzag(way / 16 + 44, 60);
    light = frame / 240 % 3;
    sprintf(words[0], "gathers -.-- ms, frame -.-- ms, -- fps");
    sprintf(words[1], "camera %d,%d %s", cam_x, cam_y, when[light]);
    for (i = 0; i < 6; i++) {                   /* clouds */
        x = 97 * i + frame * (i % 3 + 1) / 8 + (912 - cam_x) / 6;
        x = x % 440 - 60;
        add(x, 20 + (37 * i) % 50 + (60 - cam_y) / 2, '(', 0, 0);
        add(x + 8, 20 + (37 * i) % 50 + (60 - cam_y) / 2, '-', 0, 0);
        add(x + 16, 20 + (37 * i) % 50 + (60 - cam_y) / 2, ')', 0, 0);
    }
    for (i = 0; i < 5; i++) {                   /* travellers */
        x = (250 * i + 180 + frame * (i + 2) / 4) % 1240;
        add(x - cam_x, floor_at(x + 4) - 8 - (x % 8 > 3) - cam_y, '&', 1, 0);
    }
    for (i = 0; i < 24; i++) {                  /* coins */
        x = 12 + 52 * i;
        add(x - cam_x, floor_at(x) - 20 - zigzag(frame / 2 + 9 * i, 12) - cam_y,
            'o', i % 2, 0);
    }
    for (i = 0; i < 8; i++) {                   /* the title and its shadow */
        x = zigzag(frame / 2 + 3 * i, 8);
        add(125 + 9 * i, 33 + x, "ndgather"[i], 1, 'K');
        add(124 + 9 * i, 32 + x, "ndgather"[i], 1, 'O');
    }
}

/* ---- a pixel -------------------------------------------------------------*/

/* Each of these returns the letter of a colour, or '.' for nothing. */

static char of_font(int code, int x, int y, char ink)
{
    if (code < 32 || code > 127) code = 127;
    return font[code - 32][y][x] == '#' ? ink : '.';
}

static char of_words(int x, int y)
{
    int line = y / 10, at = x / 8;
    if (x < 0 || y < 0 || y >= 20 || y % 10 > 7 || at >= 39) return '.';
    if (at >= (int)strlen(words[line])) return '.';
    return of_font((unsigned char)words[line][at], x % 8, y % 10, 'O');
}

static char of_things(int front, int x, int y)
{
    int i;
    for (i = thing_count - 1; i >= 0; i--) {
        const thing *t = &things[i];
        int  dx = x - t->x, dy = y - t->y;
        char c = '.';
        if (t->front != front || dx < 0 || dx > 7 || dy < 0 || dy > 7) continue;
        c = t->ink ? of_font(t->letter, dx, dy, t->ink) :
            art[t->letter][dy][dx];
        if (c != '.') return c;
    }
    return '.';
}

static char of_map(int near_by, int x, int y)
{
    x += near_by ? cam_x : cam_x / 3;
    y += near_by ? cam_y : 60 - (60 - cam_y) / 3;
    return art[(unsigned char)cell(near_by, y / 8, x / 8)][y % 8][x % 8];
}

static unsigned long colour_at(int x, int y)
{
    char c;
    unsigned long top = sky_top[light], low = sky_bottom[light], sum = 0;
    unsigned long row = (unsigned long)y;
    int  shift;
    if ((c = of_words(x - 4, y - 4)) != '.') return rgb[(int)c][light];
    if (of_words(x - 5, y - 5) != '.') return 0;
    if ((c = of_things(1, x, y)) != '.' || (c = of_map(1, x, y)) != '.' ||
        (c = of_things(0, x, y)) != '.' || (c = of_map(0, x, y)) != '.')
        return rgb[(unsigned char)c][light];
    for (shift = 0; shift < 24; shift += 8)
        sum |= ((top >> shift & 255) * (180 - row) +
                (low >> shift & 255) * row) / 180 << shift;
    return sum;
}

/* ---- the picture ---------------------------------------------------------*/

static unsigned long big(const unsigned char *p)
{
    return (unsigned long)p[0] << 24 | (unsigned long)p[1] << 16 |
           (unsigned long)p[2] << 8 | p[3];
}

/* The rows of a PNG of the right size, whose IDAT has stored blocks only. */
static void read_shot(const char *name)
{
    static unsigned char file[4 * ACROSS * DOWN];
    FILE  *f = must_open(name, "rb");
    size_t n = fread(file, 1, sizeof file, f), at, done = 0;
    unsigned char *out = shot[0];
    int    last = 0;
    fclose(f);
    if (n < 60 || memcmp(file + 1, "PNG", 3) || big(file + 16) != ACROSS ||
        big(file + 20) != DOWN || file[24] != 8 || file[25] != 2 ||
        memcmp(file + 37, "IDAT", 4)) die("not a PNG of that size");
    for (at = 43; !last; ) {
        size_t part;
        if (at + 5 > n) die("the PNG ends too early");
        last = file[at];
        part = file[at + 1] + 256U * file[at + 2];
        at += 5;
        if (last > 1 || at + part > n || done + part > sizeof shot)
            die("the PNG is compressed, or cut");
        memcpy(out + done, file + at, part);
        done += part;
        at += part;
    }
    if (done != sizeof shot) die("the PNG has too few pixels");
}

static int compare_shot(void)
{
    long wrong = 0;
    int  x, y;
    for (y = 0; y < DOWN; y++)
        for (x = 0; x < ACROSS; x++) {
            const unsigned char *p = &shot[y][1 + 3 * x];
            unsigned long got = big(p - 1) & 0xffffff;
            unsigned long want = colour_at(x / ZOOM, y / ZOOM);
            if (got == want) continue;
            if (!wrong++)
                printf("pixel %d,%d is %06lx, not %06lx\n", x, y, got, want);
        }
    if (wrong) printf("%ld pixels differ\n", wrong);
    else puts("same");
    return wrong > 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) die("usage: reference FRAME SHOT.png");
    frame = atoi(argv[1]);
    read_art();
    set_scene();
    read_shot(argv[2]);
    return compare_shot();
}
