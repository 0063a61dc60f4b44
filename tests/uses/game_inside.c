/* game_inside.c - tests of examples/game/game.c from the inside
 *
 *     cc -I. -Iexamples/game tests/uses/game_inside.c -o build/inside \
 *         $(sdl2-config --cflags --libs) && SDL_VIDEODRIVER=dummy build/inside
 *     build/inside screen FRAMES XWD      whether an Xvfb -fbdir shows a frame
 *     build/inside small FRAMES OUT.png   the shot of a window made smaller
 *
 * The game itself is included, but for its main(). Works from a folder that has
 * examples/data. Prints what is wrong, a line each; the status is 1 then. */
#define main game_main
#include "game.c"
#undef main

static int faults;

static void equal(const char *what, long want, long got)
{
    if (want == got) return;
    printf("%s: want %ld, got %ld\n", what, want, got);
    faults++;
}

/* ---- keys and mouse ------------------------------------------------------*/

static controls held;
static scene    state;

static void key(Uint32 type, SDL_Keycode code, Uint8 repeat)
{
    SDL_Event e;
    memset(&e, 0, sizeof e);
    e.type = type;
    e.key.keysym.sym = code;
    e.key.repeat = repeat;
    take_event(&held, &state, &e);
}

static void drag(Uint32 buttons, int x, int y)
{
    SDL_Event e;
    memset(&e, 0, sizeof e);
    e.type = SDL_MOUSEMOTION;
    e.motion.state = buttons;
    e.motion.xrel = x;
    e.motion.yrel = y;
    take_event(&held, &state, &e);
    steer(&held, &state);
}

static void window_event(Uint8 what)
{
    SDL_Event e;
    memset(&e, 0, sizeof e);
    e.type = SDL_WINDOWEVENT;
    e.window.event = what;
    take_event(&held, &state, &e);
}

static void steer_often(int times)
{
    while (times--) steer(&held, &state);
}

static void test_keys(void)
{
    state.x = 100;
    state.y = 30;
    key(SDL_KEYDOWN, SDLK_RIGHT, 0);
    steer_often(10);
    equal("right, x", 130, state.x);
    equal("right, y", 30, state.y);
    key(SDL_KEYDOWN, SDLK_LEFT, 0);
    steer_often(10);
    equal("both", 130, state.x);
    key(SDL_KEYUP, SDLK_RIGHT, 0);
    steer_often(100);
    equal("left, to the end", 0, state.x);
    window_event(SDL_WINDOWEVENT_FOCUS_LOST);
    state.x = 50;
    steer_often(1);
    equal("let go", 50, state.x);
    key(SDL_KEYDOWN, SDLK_UP, 0);
    steer_often(3);
    equal("up", 21, state.y);
    steer_often(30);
    equal("up, to the end", 0, state.y);
    key(SDL_KEYUP, SDLK_UP, 0);
    key(SDL_KEYDOWN, SDLK_DOWN, 0);
    steer_often(5);
    equal("down", 15, state.y);
    steer_often(300);
    equal("down, to the end", LAST_Y, state.y);
    key(SDL_KEYUP, SDLK_DOWN, 0);
    key(SDL_KEYDOWN, SDLK_RIGHT, 0);
    steer_often(1000);
    equal("right, to the end", LAST_X, state.x);
    key(SDL_KEYUP, SDLK_RIGHT, 0);

    equal("light", 0, state.light);
    key(SDL_KEYDOWN, SDLK_SPACE, 0);
    equal("light, dusk", 1, state.light);
    key(SDL_KEYDOWN, SDLK_SPACE, 1);
    equal("light, a key held", 1, state.light);
    key(SDL_KEYUP, SDLK_SPACE, 0);
    key(SDL_KEYDOWN, SDLK_SPACE, 0);
    key(SDL_KEYDOWN, SDLK_SPACE, 0);
    equal("light, day again", 0, state.light);

    equal("not stale", 0, held.stale);
    window_event(SDL_WINDOWEVENT_MOVED);
    equal("moved", 0, held.stale);
    window_event(SDL_WINDOWEVENT_EXPOSED);
    equal("exposed", 1, held.stale);
    held.stale = 0;
    window_event(SDL_WINDOWEVENT_SIZE_CHANGED);
    equal("resized", 1, held.stale);

    key(SDL_KEYDOWN, SDLK_q, 0);
    equal("another key", 0, held.quit);
    key(SDL_KEYDOWN, SDLK_ESCAPE, 0);
    equal("escape", 1, held.quit);
}

static void test_mouse(void)
{
    int i;
    state.x = 100;
    state.y = 30;
    drag(0, 40, 40);
    equal("no button, x", 100, state.x);
    drag(SDL_BUTTON_LMASK, 40, -20);
    equal("drag, x", 90, state.x);
    equal("drag, y", 35, state.y);
    for (i = 0; i < 40; i++) drag(SDL_BUTTON_LMASK, -1, 1);
    equal("drag slowly, x", 100, state.x);
    equal("drag slowly, y", 25, state.y);
    drag(SDL_BUTTON_LMASK, 100000, -100000);
    equal("drag far, x", 0, state.x);
    equal("drag far, y", LAST_Y, state.y);
}

/* ---- what is written ------------------------------------------------------*/

/* A half second of frames, each of 2 ms of which a half is gathers; the last
 * late. */
static void test_time(void)
{
    Uint64     second = SDL_GetPerformanceFrequency();
    clock_sums c;
    int        i;
    memset(&c, 0, sizeof c);
    c.since = SDL_GetPerformanceCounter() - second / 2;
    set_line(state.text[0], "as it was");
    for (i = 0; i < 29; i++) {
        count_time(&c, second / 1000, second / 500);
        tell_time(&state, &c);
    }
    equal("too early", 0, memcmp(state.text[0], "as it was   ", 12));
    count_time(&c, second / 1000, second / 500);
    tell_time(&state, &c);
    equal("the line", 0, memcmp(state.text[0],
                                "gathers 1.00 ms, frame 2.00 ms, ", 32));
    equal("rates", 0, memcmp(state.text[0] + 34, " fps ", 5));
    equal("begins again", 0, c.count);
    count_time(&c, 0, second / 50);
    equal("late", 1, c.late);
    equal("slowest", (long)(second / 50), (long)c.slowest);
    set_line(state.text[0], "a line of text that is too long for the screen");
    equal("cut", 0, memcmp(state.text[0],
                           "a line of text that is too long for the screen",
                           COLS));
}

/* ---- what is dirty -------------------------------------------------------*/

static uint32_t picture[2][SCREEN_H][SCREEN_W];

static unsigned dice(unsigned sides)
{
    static unsigned long seed = 1;
    seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
    return (unsigned)(seed >> 16) % sides;
}

/* Changes a few things as a frame may, and codes that no font has. */
static void change(scene *s)
{
    unsigned i, n = dice(4);
    for (i = 0; i < n; i++) {
        sprite *p = &s->sprites[dice(SPRITES)];
        put(p, (int)dice(WIDE + 40) - 20, (int)dice(HIGH + 40) - 20,
            (int)dice(SHEET), (int)dice(2));
    }
    if (dice(2)) s->text[dice(LINES)][dice(COLS)] = (char)dice(256);
    if (dice(20) == 0) s->x = (int)dice(LAST_X + 1);
    if (dice(20) == 0) s->y = (int)dice(LAST_Y + 1);
    if (dice(20) == 0) s->light = (int)dice(LIGHTS);
}

/* Rows that changed, drawn by two workers, make the same picture as all rows,
 * drawn by one. */
static void test_dirt(void)
{
    static scene  before, now;
    helper        two, one;
    dirt          d, all;
    int           i;
    SDL_PixelFormat *format = SDL_AllocFormat(SDL_PIXELFORMAT_XRGB8888);
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    memset(&all, 1, sizeof all);
    mix_colours(format);
    SDL_FreeFormat(format);
    hire(&two);
    film(&now);
    place_sprites(&now);
    equal("first", 0, draw(&two, &now, &all, picture[0]));
    for (i = 0; i < 300; i++) {
        before = now;
        change(&now);
        compare(&d, &before, &now);
        equal("dirty rows", 0, draw(&two, &now, &d, picture[0]));
        equal("all rows", 0, draw(&one, &now, &all, picture[1]));
        if (memcmp(picture[0], picture[1], sizeof picture[0]) != 0) {
            equal("the pictures differ after changes", -1, i);
            break;
        }
    }
    dismiss(&two);
}

/* What cannot be drawn is refused with one line, not drawn wrong. */
static void test_refused(void)
{
    static scene s;
    helper       one;
    dirt         all;
    memset(&one, 0, sizeof one);
    memset(&all, 1, sizeof all);
    film(&s);
    place_sprites(&s);
    s.sprites[SPRITES - 1].tile = 60000;
    equal("a tile that is none", 1, draw(&one, &s, &all, picture[0]));
}

/* ---- on the screen -------------------------------------------------------*/

static unsigned long word(const unsigned char *p)
{
    return (unsigned long)p[0] << 24 | (unsigned long)p[1] << 16 |
           (unsigned long)p[2] << 8 | p[3];
}

/* Xvfb keeps its screen in a file of the form of xwd: a head of 32-bit words,
 * colours of 12 bytes each, rows of 4 bytes a pixel. The window fills it. */
static int same_on_screen(const SDL_Surface *s, const char *name)
{
    static unsigned char xwd[SCREEN_H * SCREEN_W * 4 + 65536];
    FILE  *f = fopen(name, "rb");
    size_t n = f ? fread(xwd, 1, sizeof xwd, f) : 0, at;
    int    y;
    if (f) fclose(f);
    if (n < 100) return fail(name, "cannot be read");
    at = word(xwd) + 12 * word(xwd + 76);
    if (word(xwd + 48) != SCREEN_W * 4 || word(xwd + 20) < SCREEN_H ||
        at + SCREEN_H * SCREEN_W * 4 > n) return fail(name, "another screen");
    for (y = 0; y < SCREEN_H; y++) {
        const unsigned char *a = xwd + at + (size_t)y * SCREEN_W * 4;
        const unsigned char *b = (const unsigned char *)s->pixels +
                                 y * s->pitch;
        int x;
        for (x = 0; x < SCREEN_W * 4; x++)
            if (x % 4 != 3 && a[x] != b[x]) {   /* the fourth byte is unused */
                printf("the screen differs at %d,%d\n", x / 4, y);
                return 1;
            }
    }
    puts("the screen is the same");
    return 0;
}

/* Plays the film in a window; then the frame is compared with the screen, or
 * the window was made smaller before, so that it is no longer drawn into. */
static int play_film(const char *how, const char *frames, const char *file)
{
    options o = { 0, WORKERS, 0, NULL };
    window  w = { NULL, NULL, NULL, NULL };
    helper  h;
    int     failed, small = strcmp(how, "small") == 0;
    memset(&h, 0, sizeof h);
    o.frames = atoi(frames);
    o.shot   = small ? file : NULL;
    hire(&h);
    failed = open_window(&w);
    if (!failed && small) {
        SDL_SetWindowSize(w.window, 500, 400);
        failed = find_surface(&w);
        equal("drawn elsewhere", 1, w.drawn == w.own && w.drawn != w.shown);
        equal("the window's width", 500, w.shown->w);
    }
    failed = failed || play(&w, &h, &o);
    if (!failed && !small) failed = same_on_screen(w.drawn, file);
    dismiss(&h);
    close_window(&w);
    return failed || faults;
}

int main(int argc, char **argv)
{
    if (load_art() || build_world() || make_plans()) return 1;
    if (argc == 4) return play_film(argv[1], argv[2], argv[3]);
    test_keys();
    memset(&held, 0, sizeof held);
    test_mouse();
    test_time();
    test_dirt();
    test_refused();
    return faults > 0;
}
