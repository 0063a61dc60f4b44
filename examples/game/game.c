/* game.c - a scrolling world of tiles, by gathers, on the CPU and SDL2
 *
 *     cc -O2 -I. examples/game/game.c -o build/game/game \
 *         $(sdl2-config --cflags --libs) && build/game/game
 *     build/game/game [--frames N [--shot FILE.png] [--time]] [--workers 1|2]
 *
 * Arrows, or the mouse with its button held, move the camera, the space bar
 * changes the light, Escape ends. With --frames the camera goes its own way,
 * no time is shown, and the N-th picture is the same on every machine; --shot
 * writes it. --time says how long the frames took. Run from the project's root;
 * SDL_VIDEODRIVER=dummy in the environment needs no display.
 *
 * art.h reads the tiles, world.h says what is where, draw.h has the gathers.
 * This file has the window, the keys, the second worker and the clock. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <SDL.h>

#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "draw.h"

#define FPS         60
#define MOST_FRAMES 1000000
#define SPEED       3           /* of the camera, by keys, in a frame */

typedef struct options {
    int         frames;         /* 0: play until the player ends it */
    int         workers, time;
    const char *shot;
} options;

/* What the player holds, and what the mouse has not yet moved. */
typedef struct controls {
    int left, right, up, down, drag_x, drag_y, quit, stale;
} controls;

/* The window, and where a frame is drawn: its own surface if that has the
 * plans' form, else one that is converted when it is shown. */
typedef struct window {
    SDL_Window  *window;
    SDL_Surface *shown, *own, *drawn;
} window;

/* The second worker: it waits for `go` and tells `done`. */
typedef struct helper {
    SDL_Thread  *thread;
    SDL_sem     *go, *done;
    const scene *scene;
    const dirt  *dirt;
    void        *screen;
    int          ending;
} helper;

typedef struct clock_sums {     /* in ticks of SDL's performance counter */
    Uint64 gathers, frames, slowest, since;
    int    count, late;
} clock_sums;

static int no(const char *what)
{
    return fail(what, SDL_GetError());
}

/* ---- the window ----------------------------------------------------------*/

static int fits(const SDL_Surface *s)
{
    return s->w == SCREEN_W && s->h == SCREEN_H && s->pitch == 4 * SCREEN_W &&
           s->format->BytesPerPixel == 4 && !SDL_MUSTLOCK(s);
}

/* The colours as the surface that is drawn on has them. */
static void mix_colours(const SDL_PixelFormat *format)
{
    int light, i, k;
    for (light = 0; light < LIGHTS; light++) {
        const png_rgb *c = colour[light];
        for (i = 0; i < NO_COLOUR + HIGH; i++) {
            png_rgb v = i < NO_COLOUR ? c[i] :
                        png_mix(c[0], c[1], i - NO_COLOUR, HIGH);
            pixel *to = i < NO_COLOUR ? &palette[light][i] :
                        &skies[light][i - NO_COLOUR];
            for (k = 0; k < ZOOM; k++)
                to->screen[k] = SDL_MapRGB(format, v.r, v.g, v.b);
        }
    }
}

/* Asks for the window's surface, which may be another one by now. */
static int find_surface(window *w)
{
    w->shown = SDL_GetWindowSurface(w->window);
    if (!w->shown) return no("no surface to draw on");
    if (fits(w->shown)) w->drawn = w->shown;
    else {
        if (!w->own)
            w->own = SDL_CreateRGBSurfaceWithFormat(0, SCREEN_W, SCREEN_H, 32,
                                                    SDL_PIXELFORMAT_XRGB8888);
        if (!w->own || !fits(w->own)) return no("no surface to draw on");
        w->drawn = w->own;
    }
    mix_colours(w->drawn->format);
    return 0;
}

/* Without a display SDL may take a driver that shows nothing. The player would
 * wait for a window: one has to ask for that. */
static int shows_nothing(void)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    return !SDL_getenv("SDL_VIDEODRIVER") && driver &&
           (strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0);
}

/* The hint asks for a surface in memory and not for a texture of a GPU; the
 * environment may say otherwise. */
static int open_window(window *w)
{
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    if (SDL_Init(SDL_INIT_VIDEO)) return no("no display");
    if (shows_nothing())
        return fail("no display", "SDL_VIDEODRIVER=dummy does without");
    w->window = SDL_CreateWindow("ndgather", SDL_WINDOWPOS_CENTERED,
                                 SDL_WINDOWPOS_CENTERED, SCREEN_W, SCREEN_H, 0);
    if (!w->window) return no("no window");
    return find_surface(w);
}

static void close_window(window *w)
{
    if (w->own) SDL_FreeSurface(w->own);
    if (w->window) SDL_DestroyWindow(w->window);
    SDL_Quit();
}

/* Shows the rows that were drawn. */
static int show(window *w, const dirt *d)
{
    SDL_Rect rects[HIGH];
    int      n = 0, first, last;
    for (first = 0; next_dirty(d, &first, &last); first = last) {
        rects[n].x = 0;
        rects[n].y = first * ZOOM;
        rects[n].w = SCREEN_W;
        rects[n].h = (last - first) * ZOOM;
        if (w->drawn != w->shown) {
            SDL_Rect to = rects[n];
            if (SDL_BlitSurface(w->drawn, &rects[n], w->shown, &to))
                return no("not shown");
            rects[n] = to;              /* cut to what the window has */
            if (to.w <= 0 || to.h <= 0) continue;
        }
        n++;
    }
    if (n > 0 && SDL_UpdateWindowSurfaceRects(w->window, rects, n))
        return no("not shown");
    return 0;
}

/* ---- two workers ---------------------------------------------------------*/

/* A worker's half of all dirty rows: the upper half of each run of them, or
 * the lower. One that works alone draws both. */
static int draw_half(desk *d, const scene *s, const dirt *dirty, void *screen,
                     int half)
{
    int first, last;
    for (first = 0; next_dirty(dirty, &first, &last); first = last) {
        int middle = first + (last - first) / 2;
        if (draw_rows(d, s, screen, half ? middle : first,
                      half ? last : middle)) return 1;
    }
    return 0;
}

static int SDLCALL help(void *argument)
{
    helper *h = (helper *)argument;
    while (SDL_SemWait(h->go) == 0 && !h->ending) {
        memset(&desks[1].said, 0, sizeof desks[1].said);
        draw_half(&desks[1], h->scene, h->dirt, h->screen, 1);
        SDL_SemPost(h->done);
    }
    return 0;
}

/* Without a thread one worker does it all. */
static void hire(helper *h)
{
    h->go   = SDL_CreateSemaphore(0);
    h->done = SDL_CreateSemaphore(0);
    if (h->go && h->done) h->thread = SDL_CreateThread(help, "helper", h);
}

static void dismiss(helper *h)
{
    if (h->thread) {
        h->ending = 1;
        SDL_SemPost(h->go);
        SDL_WaitThread(h->thread, NULL);
    }
    if (h->go) SDL_DestroySemaphore(h->go);
    if (h->done) SDL_DestroySemaphore(h->done);
}

/* Draws the dirty rows of a scene. */
static int draw(helper *h, const scene *s, const dirt *dirty, void *screen)
{
    const ndg_report *r = &desks[0].said;
    if (prepare(&desks[0], s)) return refused("sprites", &desks[0].said);
    h->scene  = s;
    h->dirt   = dirty;
    h->screen = screen;
    if (h->thread) SDL_SemPost(h->go);
    draw_half(&desks[0], s, dirty, screen, 0);
    if (h->thread) {
        SDL_SemWait(h->done);
        if (!r->status) r = &desks[1].said;
    } else if (!r->status) draw_half(&desks[0], s, dirty, screen, 1);
    return r->status ? refused("drawing", r) : 0;
}

/* ---- the player ----------------------------------------------------------*/

static void press(controls *c, scene *s, SDL_Keycode key, int down, int repeat)
{
    switch (key) {
    case SDLK_LEFT:   c->left  = down; break;
    case SDLK_RIGHT:  c->right = down; break;
    case SDLK_UP:     c->up    = down; break;
    case SDLK_DOWN:   c->down  = down; break;
    case SDLK_ESCAPE: c->quit |= down; break;
    case SDLK_SPACE:  if (down && !repeat) s->light = (s->light + 1) % LIGHTS;
                      break;
    default:          break;
    }
}

static void take_event(controls *c, scene *s, const SDL_Event *e)
{
    switch (e->type) {
    case SDL_QUIT:
        c->quit = 1;
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        press(c, s, e->key.keysym.sym, e->type == SDL_KEYDOWN, e->key.repeat);
        break;
    case SDL_MOUSEMOTION:
        if (!(e->motion.state & SDL_BUTTON_LMASK)) break;
        c->drag_x -= e->motion.xrel;
        c->drag_y -= e->motion.yrel;
        break;
    case SDL_WINDOWEVENT:
        if (e->window.event == SDL_WINDOWEVENT_EXPOSED ||
            e->window.event == SDL_WINDOWEVENT_SIZE_CHANGED) c->stale = 1;
        if (e->window.event == SDL_WINDOWEVENT_FOCUS_LOST)
            c->left = c->right = c->up = c->down = 0;
        break;
    default:
        break;
    }
}

static int between(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

/* Moves the camera as the player says. A drag takes the ground along: what is
 * less than a pixel of the art is kept for the next frame. */
static void steer(controls *c, scene *s)
{
    s->x += SPEED * (c->right - c->left) + c->drag_x / ZOOM;
    s->y += SPEED * (c->down - c->up) + c->drag_y / ZOOM;
    c->drag_x %= ZOOM;
    c->drag_y %= ZOOM;
    s->x = between(s->x, 0, LAST_X);
    s->y = between(s->y, 0, LAST_Y);
}

/* ---- text and time -------------------------------------------------------*/

static void set_line(char to[COLS], const char *text)
{
    size_t n = strlen(text);
    memset(to, ' ', COLS);
    memcpy(to, text, n < COLS ? n : COLS);
}

/* Time of day, camera: what the second line shows. */
static void tell_place(scene *s)
{
    char line[64];
    snprintf(line, sizeof line, "camera %d,%d %s", s->x, s->y,
             light_name[s->light]);
    set_line(s->text[1], line);
}

static double ms(Uint64 ticks)
{
    return 1000.0 * (double)ticks / (double)SDL_GetPerformanceFrequency();
}

/* Twice a second the first line has the means since it last changed. */
static void tell_time(scene *s, clock_sums *c)
{
    Uint64 now = SDL_GetPerformanceCounter();
    char   line[100];
    if (c->count < FPS / 2) return;
    snprintf(line, sizeof line, "gathers %.2f ms, frame %.2f ms, %.0f fps",
             ms(c->gathers) / c->count, ms(c->frames) / c->count,
             1000.0 * c->count / ms(now - c->since + 1));
    set_line(s->text[0], line);
    memset(c, 0, sizeof *c);
    c->since = now;
}

static void count_time(clock_sums *c, Uint64 gathers, Uint64 frame)
{
    c->gathers += gathers;
    c->frames  += frame;
    c->count++;
    if (frame > c->slowest) c->slowest = frame;
    if (frame * FPS > SDL_GetPerformanceFrequency()) c->late++;
}

/* Waits until a 60th of a second after the last frame; a frame that came late
 * does not make the next ones hurry. */
static void keep_pace(Uint64 *next)
{
    Uint64 now = SDL_GetPerformanceCounter();
    *next += SDL_GetPerformanceFrequency() / FPS;
    if (now < *next) SDL_Delay((Uint32)ms(*next - now));
    else *next = now;
}

/* ---- pictures and words --------------------------------------------------*/

/* Writes beside the file and then renames, so that there is all of it or what
 * was there before. A device or a folder is not replaced. */
static int write_shot(const char *name, const SDL_Surface *s)
{
    static uint8_t rgb[SCREEN_H][SCREEN_W][3];
    struct stat    what;
    char          *part;
    int            written;
    if (SDL_ConvertPixels(SCREEN_W, SCREEN_H, s->format->format, s->pixels,
                          s->pitch, SDL_PIXELFORMAT_RGB24, rgb,
                          SCREEN_W * 3)) return no("no picture");
    if (stat(name, &what) == 0 && !S_ISREG(what.st_mode))
        return fail(name, "is no file that can be replaced");
    part = (char *)malloc(strlen(name) + sizeof ".part");
    if (!part) return fail(name, "no memory");
    strcpy(part, name);
    strcat(part, ".part");
    written = png_write(part, rgb[0][0], SCREEN_W, SCREEN_H, 3) &&
              rename(part, name) == 0;
    if (!written) remove(part);
    free(part);
    return written ? 0 : fail(name, "cannot be written");
}

/* What the last frame was made of. */
static void print_scene(const scene *s, long rows)
{
    ptrdiff_t  n[2];
    ndg_report r;
    int        k;
    printf("frame %d, camera %d,%d, %s\n", s->frame, s->x, s->y,
           light_name[s->light]);
    for (k = 0; k < 2; k++) {
        ndg_gather_check(&plan.cells,
                         &world[k][layer_y(s, k) / 8][layer_x(s, k) / 8], 0,
                         plan.cells.rows, &r);
        printf("%s: %d of %d cells are transparent\n", k ? "near" : "far ",
               (int)r.bad.count, (int)plan.cells.rows);
    }
    ndg_partition_count(&plan.layers, &s->sprites[0].layer, 0, SPRITES, n, &r);
    printf("sprites: %d behind, %d before, %d out of sight\n", (int)n[0],
           (int)n[1], (int)r.bad.count);
    printf("since frame 0: %ld of %ld rows changed\n", rows,
           (long)s->frame * HIGH);
}

static void print_times(const clock_sums *c)
{
    printf("gathers %.2f ms, frame %.2f ms, slowest %.2f ms, %.0f frames a "
           "second, %d of %d over %.1f ms\n", ms(c->gathers) / c->count,
           ms(c->frames) / c->count, ms(c->slowest),
           1000.0 * c->count / ms(c->frames), c->late, c->count, 1000.0 / FPS);
}

/* ---- the game ------------------------------------------------------------*/

/* The next scene, by the player or by the film, which no key changes. */
static void next_scene(scene *s, controls *c, clock_sums *sums,
                       const options *o)
{
    SDL_Event e;
    scene     own = *s;
    while (SDL_PollEvent(&e)) take_event(c, o->frames ? &own : s, &e);
    if (o->frames) film(s);
    else {
        steer(c, s);
        tell_time(s, sums);
    }
    tell_place(s);
    place_sprites(s);
}

/* Draws and shows the rows that differ from the last frame, or all of them.
 * Returns how many differ, or -1 after a failure. */
static int next_frame(window *w, helper *h, const scene *before, const scene *s,
                      int all, Uint64 *gathers)
{
    dirt   d;
    int    y, rows = 0;
    Uint64 began;
    compare(&d, before, s);
    for (y = 0; y < HIGH; y++) rows += d.row[y];
    if (all) mark(&d, 0, HIGH);
    began = SDL_GetPerformanceCounter();
    if (draw(h, s, &d, w->drawn->pixels)) return -1;
    *gathers = SDL_GetPerformanceCounter() - began;
    if (show(w, &d)) return -1;
    return rows;
}

static int play(window *w, helper *h, const options *o)
{
    static scene now, before;
    controls     c = { 0, 0, 0, 0, 0, 0, 0, 1 };
    clock_sums   sums = { 0, 0, 0, 0, 0, 0 };
    Uint64       next = SDL_GetPerformanceCounter(), began, gathers = 0;
    int          drawn;
    long         rows = 0;

    film(&now);
    sums.since = next;
    set_line(now.text[0], "gathers -.-- ms, frame -.-- ms, -- fps");
    for (now.frame = 0; !o->frames || now.frame < o->frames; now.frame++) {
        began = SDL_GetPerformanceCounter();
        before = now;
        next_scene(&now, &c, &sums, o);
        if (c.quit) break;
        if (c.stale && find_surface(w)) return 1;
        drawn = next_frame(w, h, &before, &now, c.stale, &gathers);
        if (drawn < 0) return 1;
        c.stale = 0;
        if (now.frame > 0) rows += drawn;
        count_time(&sums, gathers, SDL_GetPerformanceCounter() - began);
        if (!o->frames) {
            keep_pace(&next);
            now.frame %= MOST_FRAMES;
        }
    }
    if (!o->frames) return 0;
    if (c.quit) return fail("the film", "was stopped");
    now.frame--;
    if (o->shot && write_shot(o->shot, w->drawn)) return 1;
    print_scene(&now, rows);
    if (o->time) print_times(&sums);
    return 0;
}

/* A whole number from 1 to most; 0 if it is none. */
static int number(const char *text, long most)
{
    char *end;
    long  v;
    if (*text < '0' || *text > '9') return 0;
    errno = 0;
    v = strtol(text, &end, 10);
    return *end || errno || v < 1 || v > most ? 0 : (int)v;
}

/* Returns 0 if the options are not as the first comment has them. */
static int read_options(options *o, int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--time") == 0) { o->time = 1; continue; }
        if (strcmp(argv[i], "--frames") == 0)
            o->frames = number(value, MOST_FRAMES);
        else if (strcmp(argv[i], "--workers") == 0)
            o->workers = number(value, WORKERS);
        else if (strcmp(argv[i], "--shot") == 0) o->shot = value;
        else return 0;
        i++;
        if (o->workers == 0 || !*value) return 0;
        if (strcmp(argv[i - 1], "--frames") == 0 && !o->frames) return 0;
    }
    return o->frames || (!o->shot && !o->time);
}

int main(int argc, char **argv)
{
    options o = { 0, WORKERS, 0, NULL };
    window  w = { NULL, NULL, NULL, NULL };
    helper  h;
    int     failed;

    memset(&h, 0, sizeof h);
    if (!read_options(&o, argc, argv)) {
        fputs("usage: game [--frames N [--shot FILE.png] [--time]] "
              "[--workers 1|2]\n", stderr);
        return 2;
    }
#ifdef SIGPIPE          /* a display that goes away shall be told, not kill */
    signal(SIGPIPE, SIG_IGN);
#endif
    if (load_art() || build_world() || make_plans()) return 1;
    if (o.workers > 1) hire(&h);
    failed = open_window(&w) || play(&w, &h, &o);
    dismiss(&h);
    close_window(&w);
    if (!failed && (fflush(stdout) || ferror(stdout)))
        failed = fail("standard output", "cannot be written");
    return failed;
}
