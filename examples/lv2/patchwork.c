/* patchwork.c - an LV2 plugin: four channels re-patched, their grains shuffled
 *
 *     make lv2 && LV2_PATH=$PWD/build/lv2/plugins jalv urn:ndgather:patchwork
 *
 * Any input goes to any output, or none does: a muted output is a bad index,
 * and NDG_ZERO makes silence of it. In time, a group of 16384 frames is cut
 * into grains, and while one group is recorded the one before is played, its
 * grains in another order. So each output is told, for each grain, a pair
 * (channel, grain): that is a gather_nd.
 *
 * A patch is the plan of that gather and its table of pairs. The host's worker
 * thread makes it when a control is turned, and the host carries it to the
 * audio thread by value, through its own queue, so that nobody waits for
 * anybody. The plan copies a tick, the 32 frames that come next; where in the
 * grain they are is in the address that it is given, so one plan serves a group
 * and every block does the same work, whatever its place in the group.
 *
 * run() allocates nothing, locks nothing and calls nothing but the library,
 * memcpy, memset and, when a patch is needed, the host's scheduler. A host that
 * has no worker is told so; its audio thread then makes the patch, which takes
 * as long as a few ticks. */
#include <stdlib.h>
#include <string.h>
#include <lv2/core/lv2.h>
#include <lv2/core/lv2_util.h>
#include <lv2/log/logger.h>
#include <lv2/worker/worker.h>

#define NDG_STATIC          /* plugins share a process: keep our copy private */
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#define URI        "urn:ndgather:patchwork"
#define CHANNELS   4
#define GROUP      16384        /* frames, also the latency */
#define MAX_GRAINS 64           /* in a group; 256 frames at the least */
#define TICK       32           /* frames; divides a grain of any size */
#define PATIENCE   96000        /* frames until an unanswered worker is asked
                                   once more */

enum { STRAIGHT, BACKWARDS, SHUFFLED, STUTTER, GAPS, ORDERS };

/* As in patchwork.ttl. */
enum { IN, OUT = IN + CHANNELS, FROM = OUT + CHANNELS,
       GRAINS = FROM + CHANNELS, ORDER, SEED, SPREAD, LATENCY, STATE, PORTS };
#define CONTROLS (LATENCY - FROM)

/* What the port STATE says. */
enum { IN_FORCE, WAITING, REFUSED, NO_SUCH_CHANNEL };

/* The control ports as a patch was asked for, from FROM on. */
typedef struct { float value[CONTROLS]; } controls;

typedef struct { int8_t channel, grain; } source;      /* -1: silence */

/* What the worker hands over. If it refuses, only the first three are set. */
typedef struct {
    controls        asked;
    int             state, port;     /* the port that is wrong, if any */
    ptrdiff_t       grain_frames;
    ndg_gather_plan plan;
    source          from[MAX_GRAINS][CHANNELS];
} patch;

typedef struct {
    float (*recorded)[GROUP], (*played)[GROUP];   /* of each channel */
    ptrdiff_t position;              /* of the next frame in both groups */
    float     tick[CHANNELS][TICK];  /* the outputs, from the tick's start on */
    patch     slot[2], *now, *spare; /* spare: for the next one */
    int       waiting;               /* for the worker ... */
    uint32_t  waited;                /* ... so many frames */
    void     *port[PORTS];
    const LV2_Worker_Schedule *worker;            /* NULL: there is none */
    LV2_Log_Logger             log;
    float groups[2][CHANNELS][GROUP];
} patchwork;

static const controls defaults = { { 1, 2, 3, 4, 8, STRAIGHT, 0, 0 } };

/* ---- making a patch: on the worker's thread -------------------------------*/

/* The whole number nearest to a control; one that is far out, or not a number,
 * becomes one that no control takes. */
static int whole(float v)
{
    return v > -30000 && v < 30000 ? (int)(v < 0 ? v - 0.5f : v + 0.5f) : 32000;
}

/* Which grain is played in each place; -1 is silence. */
static void make_order(int8_t *order, int grains, int kind, uint32_t seed)
{
    int i;
    for (i = 0; i < grains; i++)
        order[i] = (int8_t)(kind == BACKWARDS ? grains - 1 - i :
                            kind == STUTTER ? i & ~1 :
                            kind == GAPS && (i & 1) ? -1 : i);
    if (kind != SHUFFLED) return;
    for (i = grains - 1; i > 0; i--) {           /* Fisher and Yates */
        int8_t *a = order + i, *b, swap;
        seed = seed * 1664525u + 1013904223u;
        b = order + (seed >> 16) % ((uint32_t)i + 1);
        swap = *a; *a = *b; *b = swap;
    }
}

/* Lets each output start the order at another grain, if they are spread. */
static void fill_table(patch *p, int grains, const int *from, int kind,
                       uint32_t seed, int spread)
{
    int8_t order[MAX_GRAINS];
    int    g, o;
    make_order(order, grains, kind, seed);
    for (g = 0; g < grains; g++)
        for (o = 0; o < CHANNELS; o++) {
            int at = (g + (spread ? o * grains / CHANNELS : 0)) % grains;
            p->from[g][o].channel = (int8_t)(from[o] - 1);    /* -1: muted */
            p->from[g][o].grain = order[at];
        }
}

/* One tick of each output, out of all grains of all channels. */
static int make_plan(patch *p, int grains)
{
    const ptrdiff_t width = sizeof(float);
    ndg_gather_desc d = NDG_ZERO_INIT;
    p->grain_frames = GROUP / grains;
    d.params     = ndg_strided3(CHANNELS, GROUP * width,
                                grains, p->grain_frames * width, TICK, width);
    d.indices    = ndg_dims2(CHANNELS, 2);
    d.index_type = NDG_I8;
    d.elem_size  = width;
    d.policy     = NDG_ZERO;
    return ndg_plan_gather_nd(&p->plan, &d, NULL);
}

static void refuse(patch *p, int port)
{
    p->state = REFUSED;
    p->port = port;
}

/* An output that asks for a channel that is not there is silent; any other
 * control that makes no sense, and the patch before it stays. */
static void make_patch(patch *p, const controls *asked)
{
    const float *v = asked->value;
    int from[CHANNELS], o;
    int grains = whole(v[GRAINS - FROM]), kind = whole(v[ORDER - FROM]);
    int seed = whole(v[SEED - FROM]), spread = whole(v[SPREAD - FROM]);

    memset(p, 0, sizeof *p);
    p->asked = *asked;
    for (o = CHANNELS - 1; o >= 0; o--) {
        from[o] = whole(v[o]);
        if (from[o] >= 0 && from[o] <= CHANNELS) continue;
        from[o] = 0;
        p->state = NO_SUCH_CHANNEL;
        p->port = FROM + o;
    }
    if (grains < 1 || grains > MAX_GRAINS || GROUP % grains)
        refuse(p, GRAINS);
    else if (kind < 0 || kind >= ORDERS) refuse(p, ORDER);
    else if (seed < 0 || seed > 9999) refuse(p, SEED);
    else if (spread < 0 || spread > 1) refuse(p, SPREAD);
    else if (make_plan(p, grains)) refuse(p, GRAINS);
    else fill_table(p, grains, from, kind, (uint32_t)seed, spread);
}

/* One line for the person, on a thread that may take its time. */
static void say_what_is_wrong(patchwork *self, const patch *p)
{
    static const char *const name[] = { "grains", "order", "seed", "spread" };
    double value;
    if (p->state != REFUSED && p->state != NO_SUCH_CHANNEL) return;
    value = (double)p->asked.value[p->port - FROM];
    if (p->state == REFUSED)
        lv2_log_error(&self->log, "patchwork: %s cannot be %g; the patch "
                      "stays as it was\n", name[p->port - GRAINS], value);
    else
        lv2_log_warning(&self->log, "patchwork: output %d is silent: there is "
                        "no channel %g\n", p->port - FROM + 1, value);
}

static LV2_Worker_Status work(LV2_Handle instance,
                              LV2_Worker_Respond_Function respond,
                              LV2_Worker_Respond_Handle handle,
                              uint32_t size, const void *data)
{
    patchwork        *self = (patchwork *)instance;
    patch             made;
    controls          asked;
    LV2_Worker_Status status;
    if (size != sizeof asked || !data) return LV2_WORKER_ERR_UNKNOWN;
    memcpy(&asked, data, size);
    make_patch(&made, &asked);
    say_what_is_wrong(self, &made);
    status = respond(handle, sizeof made, &made);
    if (status)
        lv2_log_error(&self->log, "patchwork: the host's worker has no room "
                      "for a patch of %u bytes\n", (unsigned)sizeof made);
    return status;
}

/* ---- playing: on the audio thread -----------------------------------------*/

/* Takes over the patch in the spare slot: it is heard from the next tick on. Of
 * one that was refused only what it says. */
static void take(patchwork *self)
{
    patch *made = self->spare;
    self->waiting = 0;
    if (made->state == REFUSED) {
        self->now->asked = made->asked;
        self->now->state = REFUSED;
        return;
    }
    self->spare = self->now;
    self->now = made;
}

static LV2_Worker_Status work_response(LV2_Handle instance, uint32_t size,
                                       const void *body)
{
    patchwork *self = (patchwork *)instance;
    if (size != sizeof *self->spare || !body) return LV2_WORKER_ERR_UNKNOWN;
    memcpy(self->spare, body, size);
    take(self);
    return LV2_WORKER_SUCCESS;
}

/* The controls that the host shows; one that it left out has its default. */
static controls turned(const patchwork *self)
{
    controls c = defaults;
    int      i;
    for (i = 0; i < CONTROLS; i++)
        if (self->port[FROM + i])
            memcpy(c.value + i, self->port[FROM + i], sizeof(float));
    return c;
}

/* Whether the patch that plays is not the one that the controls show. */
static int outdated(const patchwork *self, const controls *c)
{
    return memcmp(c, &self->now->asked, sizeof *c) != 0;
}

/* Has a patch made if a control was turned. One at a time is under way, so a
 * queue for one is enough; what was turned meanwhile is asked for next. */
static void ask(patchwork *self, const controls *c, uint32_t frames)
{
    if (self->waiting) {
        self->waited += frames < PATIENCE ? frames : PATIENCE;
        if (self->waited < PATIENCE) return;
    }
    else if (!outdated(self, c)) return;
    self->waited = 0;
    self->waiting = 1;                   /* a worker may answer at once */
    if (!self->worker) {
        make_patch(self->spare, c);
        take(self);
    }
    else if (self->worker->schedule_work(self->worker->handle, sizeof *c, c))
        self->waiting = 0;               /* no room: the next run asks again */
}

static void play_tick(patchwork *self)
{
    const patch *p = self->now;
    const ptrdiff_t grain = self->position / p->grain_frames;
    if (ndg_gather_run(&p->plan, self->tick, sizeof self->tick,
                       self->played[0] + self->position % p->grain_frames,
                       p->from[grain], NULL))
        memset(self->tick, 0, sizeof self->tick);
}

/* All inputs are read before an output is written: the two may be the same. */
static void pass(patchwork *self, uint32_t done, uint32_t count)
{
    const ptrdiff_t at = self->position % TICK;
    const size_t    bytes = count * sizeof(float);
    int             c;
    for (c = 0; c < CHANNELS; c++) {
        float       *to = self->recorded[c] + self->position;
        const float *in = (const float *)self->port[IN + c];
        if (in) memcpy(to, in + done, bytes);
        else memset(to, 0, bytes);
    }
    for (c = 0; c < CHANNELS; c++) {
        float *out = (float *)self->port[OUT + c];
        if (out) memcpy(out + done, self->tick[c] + at, bytes);
    }
}

static void advance(patchwork *self, uint32_t count)
{
    self->position += (ptrdiff_t)count;
    if (self->position == GROUP) {
        float (*swap)[GROUP] = self->recorded;
        self->recorded = self->played;
        self->played = swap;
        self->position = 0;
    }
}

static void show(void *port, float value)
{
    if (port) memcpy(port, &value, sizeof value);
}

static void run(LV2_Handle instance, uint32_t frames)
{
    patchwork     *self = (patchwork *)instance;
    const controls c = turned(self);
    uint32_t       done, count;
    ask(self, &c, frames);
    for (done = 0; done < frames; done += count) {
        const uint32_t at = (uint32_t)(self->position % TICK);
        if (at == 0) play_tick(self);
        count = frames - done < TICK - at ? frames - done : TICK - at;
        pass(self, done, count);
        advance(self, count);
    }
    show(self->port[LATENCY], GROUP);
    show(self->port[STATE],
         (float)(outdated(self, &c) ? WAITING : self->now->state));
}

/* ---- the host's other calls -----------------------------------------------*/

static void connect_port(LV2_Handle instance, uint32_t port, void *data)
{
    if (port < PORTS) ((patchwork *)instance)->port[port] = data;
}

/* Silence, in memory that has been touched: run() meets no page for the first
 * time. An answer that the worker still owes is not waited for. */
static void activate(LV2_Handle instance)
{
    patchwork *self = (patchwork *)instance;
    memset(self->groups, 0, sizeof self->groups);
    memset(self->tick, 0, sizeof self->tick);
    self->recorded = self->groups[0];
    self->played = self->groups[1];
    self->position = 0;
    self->waiting = 0;
}

/* Without a worker this is the first time that a line may be written. */
static void deactivate(LV2_Handle instance)
{
    patchwork *self = (patchwork *)instance;
    patch      p;
    if (self->worker) return;
    make_patch(&p, &self->now->asked);
    say_what_is_wrong(self, &p);
}

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate,
                              const char *bundle,
                              const LV2_Feature *const *features)
{
    LV2_Log_Logger log;
    patchwork     *self;
    (void)descriptor; (void)rate; (void)bundle;
    lv2_log_logger_init(&log,
        (LV2_URID_Map *)lv2_features_data(features, LV2_URID__map),
        (LV2_Log_Log *)lv2_features_data(features, LV2_LOG__log));
    self = (patchwork *)calloc(1, sizeof *self);
    if (!self) {
        lv2_log_error(&log, "patchwork: no memory for %u bytes\n",
                      (unsigned)sizeof *self);
        return NULL;
    }
    self->log = log;
    self->worker = (const LV2_Worker_Schedule *)
        lv2_features_data(features, LV2_WORKER__schedule);
    if (!self->worker)
        lv2_log_note(&log, "patchwork: the host has no worker; the audio "
                     "thread makes the patches\n");
    self->now = &self->slot[0];
    self->spare = &self->slot[1];
    make_patch(self->now, &defaults);
    *self->spare = *self->now;           /* touched, too */
    activate(self);
    return self;
}

static void cleanup(LV2_Handle instance) { free(instance); }

static const void *extension_data(const char *uri)
{
    static const LV2_Worker_Interface worker = { work, work_response, NULL };
    return strcmp(uri, LV2_WORKER__interface) ? NULL : &worker;
}

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index)
{
    static const LV2_Descriptor plugin = { URI, instantiate, connect_port,
        activate, run, deactivate, cleanup, extension_data };
    return index ? NULL : &plugin;
}
