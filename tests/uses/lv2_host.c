/* lv2_host.c - a host that is as strict, and as rude, as a host can be
 *
 *     cc -std=c99 -rdynamic -I. tests/uses/lv2_host.c -o build/lv2/host \
 *         -ldl -lpthread
 *     build/lv2/host PLUGIN.so render BLOCK WORKER [CHANGE]... <in >out
 *     build/lv2/host PLUGIN.so quiet BLOCKS [seccomp]
 *     build/lv2/host PLUGIN.so rude
 *     build/lv2/host PLUGIN.so starve
 *     build/lv2/host PLUGIN.so blocks COUNT
 *
 * render  in blocks of so many frames, or with 0 of changing sizes. WORKER is
 *         none; now, at once and inside run(); thread, a thread of its own;
 *         inplace, as now, but inputs and outputs share their buffers. A CHANGE
 *         is FRAME=PORT=VALUE. The frames at which patches came, on stderr
 * quiet   malloc, locks and, on request, every system call are watched while
 *         run() and what belongs to it runs
 * rude    all that a host should not do; starve: no memory
 * blocks  for callgrind: one_block() does what the audio thread does in one */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <lv2/core/lv2.h>
#include <lv2/worker/worker.h>

enum { CHANNELS = 4, FROM = 8, GRAINS = 12, ORDER, SEED, SPREAD, LATENCY,
       STATE, PORTS, MOST = 8192 };

/* ---- what run() must not call ---------------------------------------------*/

static __thread int watched;              /* this thread is inside run() */
static int          allocations, locks, starving;

static int seen(int *count)
{
    if (watched) __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    return 1;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t n)
{
    return seen(&allocations) && starving ? NULL : __libc_malloc(n);
}
void *calloc(size_t a, size_t b)
{
    return seen(&allocations) && starving ? NULL : __libc_calloc(a, b);
}
void *realloc(void *p, size_t n)
{
    seen(&allocations);
    return __libc_realloc(p, n);
}
void *aligned_alloc(size_t a, size_t n)
{
    seen(&allocations);
    return __libc_memalign(a, n);
}
int posix_memalign(void **p, size_t a, size_t n)
{
    seen(&allocations);
    *p = __libc_memalign(a, n);
    return *p ? 0 : ENOMEM;
}
void free(void *p)
{
    seen(&allocations);
    __libc_free(p);
}

/* Each lock of pthread.h and semaphore.h, counted and passed on. */
#define LOCKS(X)                                                              \
    X(pthread_mutex_lock, pthread_mutex_t)                                    \
    X(pthread_mutex_trylock, pthread_mutex_t)                                 \
    X(pthread_mutex_unlock, pthread_mutex_t)                                  \
    X(pthread_rwlock_rdlock, pthread_rwlock_t)                                \
    X(pthread_rwlock_wrlock, pthread_rwlock_t)                                \
    X(pthread_cond_signal, pthread_cond_t)                                    \
    X(pthread_cond_broadcast, pthread_cond_t)                                 \
    X(sem_wait, sem_t)                                                        \
    X(sem_trywait, sem_t)                                                     \
    X(sem_post, sem_t)
#define WATCH(name, type)                                                     \
    static int (*real_##name)(type *);                                        \
    int name(type *p)                                                         \
    {                                                                         \
        seen(&locks);                                                         \
        return real_##name ? real_##name(p) : 0;                              \
    }                                                                         \
    static void find_##name(void)                                             \
    {                                                                         \
        void *f = dlsym(RTLD_NEXT, #name);                                    \
        memcpy(&real_##name, &f, sizeof f);                                   \
    }
LOCKS(WATCH)

#define SPIN(name)                                                            \
    int name(pthread_spinlock_t *p)                                           \
    {                                                                         \
        seen(&locks);                                                         \
        return *p & 0;                                                        \
    }
SPIN(pthread_spin_lock)
SPIN(pthread_spin_trylock)

static void find_locks(void)
{
#define FIND(name, type) find_##name();
    LOCKS(FIND)
}

/* From here on this thread may write to one file and end; any other system call
 * ends the process. Other threads go on as before. */
static int forbid_calls(int to)
{
#define ONLY(what, value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, what)
    struct sock_filter rule[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)to, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    };
    struct sock_fprog program = { sizeof rule / sizeof *rule, NULL };
    program.filter = rule;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* ---- the plugin and its worker --------------------------------------------*/

enum { NONE, NOW, THREAD, LATER, SULKING, FULL };

typedef struct { int full; uint32_t size; char data[8192]; } mailbox;

static const LV2_Descriptor       *plugin;
static const LV2_Worker_Interface *worker;
static LV2_Handle instance;
static float      in[CHANNELS][MOST], out[CHANNELS][MOST], control[PORTS];
static int        kind, ending, patches;
static mailbox    request, response;

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "host: %s: %s\n", what, why);
    return 1;
}

/* One writer, one reader: the flag alone says whose turn it is. */
static LV2_Worker_Status put(mailbox *m, uint32_t size, const void *data)
{
    if (__atomic_load_n(&m->full, __ATOMIC_ACQUIRE) || size > sizeof m->data)
        return LV2_WORKER_ERR_NO_SPACE;
    m->size = size;
    memcpy(m->data, data, size);
    __atomic_store_n(&m->full, 1, __ATOMIC_RELEASE);
    return LV2_WORKER_SUCCESS;
}

static int waits(mailbox *m) { return __atomic_load_n(&m->full,
                                                      __ATOMIC_ACQUIRE); }
static void empty(mailbox *m) { __atomic_store_n(&m->full, 0,
                                                 __ATOMIC_RELEASE); }

static LV2_Worker_Status respond(LV2_Worker_Respond_Handle handle,
                                 uint32_t size, const void *data)
{
    (void)handle;
    if (kind == FULL) return LV2_WORKER_ERR_NO_SPACE;
    if (kind == NOW) {
        patches++;
        return worker->work_response(instance, size, data);
    }
    return put(&response, size, data);
}

static void serve(void)
{
    if (!waits(&request)) return;
    worker->work(instance, respond, NULL, request.size, request.data);
    empty(&request);
}

static LV2_Worker_Status schedule(LV2_Worker_Schedule_Handle handle,
                                  uint32_t size, const void *data)
{
    const int inside = watched;
    (void)handle;
    if (kind == SULKING) return LV2_WORKER_ERR_NO_SPACE;
    if (kind != NOW && kind != FULL) return put(&request, size, data);
    watched = 0;                         /* work() is no part of run() */
    worker->work(instance, respond, NULL, size, data);
    watched = inside;
    return LV2_WORKER_SUCCESS;
}

static void *serving(void *unused)
{
    const struct timespec pause = { 0, 50000 };
    while (!__atomic_load_n(&ending, __ATOMIC_ACQUIRE)) {
        serve();
        nanosleep(&pause, NULL);
    }
    return unused;
}

/* What the audio thread does in a block. */
__attribute__((noinline)) void one_block(uint32_t frames);
__attribute__((noinline)) void one_block(uint32_t frames)
{
    plugin->run(instance, frames);
    if (waits(&response)) {
        worker->work_response(instance, response.size, response.data);
        empty(&response);
        patches++;
    }
}

static void watched_block(uint32_t frames)
{
    watched = 1;
    one_block(frames);
    watched = 0;
}

static void connect(int in_place)
{
    uint32_t i;
    for (i = 0; i < CHANNELS; i++) {
        plugin->connect_port(instance, i, in[i]);
        plugin->connect_port(instance, CHANNELS + i,
                             in_place ? in[CHANNELS - 1 - i] : out[i]);
    }
    for (i = FROM; i < PORTS; i++)
        plugin->connect_port(instance, i, control + i);
}

static void default_controls(void)
{
    static const float v[] = { 1, 2, 3, 4, 8, 0, 0, 0 };
    memcpy(control + FROM, v, sizeof v);
}

static int start(int worker_kind, int in_place)
{
    static LV2_Worker_Schedule scheduler = { NULL, schedule };
    static const LV2_Feature   feature = { LV2_WORKER__schedule, &scheduler };
    static const LV2_Feature *const with[] = { &feature, NULL };
    static const LV2_Feature *const without[] = { NULL };
    kind = worker_kind;
    patches = 0;
    memset(&request, 0, sizeof request);
    memset(&response, 0, sizeof response);
    default_controls();
    instance = plugin->instantiate(plugin, 48000, "",
                                   kind == NONE ? without : with);
    if (!instance) return fail("instantiate", "refused");
    connect(in_place);
    plugin->activate(instance);
    return 0;
}

static void stop(void)
{
    plugin->deactivate(instance);
    plugin->cleanup(instance);
}

/* ---- render ---------------------------------------------------------------*/

static uint32_t some_size(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 16) % 16 ? (*random >> 20) % 300 :
           (*random >> 20) % MOST;
}

/* Turns what is to be turned by this frame. Each is FRAME=PORT=VALUE. */
static int turn(long frame, int count, char **change)
{
    char *end;
    int   i = 0;
    while (i < count && strtol(change[i], &end, 10) <= frame) {
        long port = strtol(end + 1, &end, 10);
        control[port] = strtof(end + 1, NULL);
        i++;
    }
    return i;
}

static int render(uint32_t size, const char *how, int changes, char **change)
{
    static float row[MOST][CHANNELS];
    uint32_t  random = 7, n, i, c;
    long      frame = 0;
    int       place = !strcmp(how, "inplace"), before, mine;
    pthread_t helper;
    if (start(!strcmp(how, "none") ? NONE : !strcmp(how, "thread") ? THREAD :
              NOW, place))
        return 1;
    if (kind == THREAD && pthread_create(&helper, NULL, serving, NULL))
        return fail("thread", "cannot be made");
    for (;;) {
        n = size ? size : some_size(&random);
        if (n) {
            n = (uint32_t)fread(row, sizeof *row, n, stdin);
            if (!n) break;
        }
        for (i = 0; i < n; i++)
            for (c = 0; c < CHANNELS; c++) in[c][i] = row[i][c];
        mine = turn(frame, changes, change);
        changes -= mine;
        change += mine;
        before = patches;
        watched_block(n);
        if (patches != before)
            fprintf(stderr, "a patch %ld\n", kind == NOW ? frame :
                    frame + (long)n);
        for (i = 0; i < n; i++)
            for (c = 0; c < CHANNELS; c++)
                row[i][c] = place ? in[CHANNELS - 1 - c][i] : out[c][i];
        fwrite(row, sizeof *row, n, stdout);
        frame += (long)n;
        if (kind == THREAD) usleep(200);
    }
    __atomic_store_n(&ending, 1, __ATOMIC_RELEASE);
    if (kind == THREAD) pthread_join(helper, NULL);
    stop();
    if (allocations || locks) return fail("run", "it allocates or locks");
    return fflush(stdout) ? fail("output", "cannot write") : 0;
}

/* ---- quiet ----------------------------------------------------------------*/

/* Another patch, with outputs muted, missing channels and what is refused. */
static void twiddle(uint32_t *random)
{
    uint32_t r = *random = *random * 1664525u + 1013904223u, i;
    for (i = 0; i < CHANNELS; i++)
        control[FROM + i] = (float)((r >> (3 * i + 12)) % 6);
    control[GRAINS] = r >> 28 ? (float)(1 << (r >> 8) % 7) : 3;
    control[ORDER] = (float)((r >> 5) % 5);
    control[SEED] = (float)(r >> 20);
    control[SPREAD] = (float)(r >> 30 & 1);
    if (*random >> 25 == 1) control[FROM] = NAN;
}

static int quiet(long blocks, int filter)
{
    const int to = dup(1);
    char      line[200];
    uint32_t  random = 1;
    long      i;
    int       n, told = dup(2);
    pthread_t helper;
    if (start(THREAD, 0) || to < 0 || told < 0) return 1;
    if (!freopen("/dev/null", "w", stderr)) return 1;  /* the worker's lines */
    if (pthread_create(&helper, NULL, serving, NULL))
        return fail("thread", "cannot be made");
    if (filter && forbid_calls(to)) {
        n = snprintf(line, sizeof line, "host: no seccomp\n");
        return write(told, line, (size_t)n) != n || 1;
    }
    for (i = 0; i < blocks || patches < 20; i++) {
        if (i % 40 == 0) twiddle(&random);
        watched_block(i % 7 ? 256 : (uint32_t)(i % 1000));
        if (i > 400 * blocks) break;
    }
    n = snprintf(line, sizeof line, "%s patches; %d allocations, %d locks%s\n",
                 patches >= 20 ? "at least 20" : "too few", allocations, locks,
                 filter ? ", no system call" : "");
    if (write(to, line, (size_t)n) != n) _exit(1);
    _exit(allocations || locks || patches < 20);
}

/* ---- rude -----------------------------------------------------------------*/

static void state(const char *what)
{
    one_block(64);
    fprintf(stderr, "%s: state %g\n", what, (double)control[STATE]);
    default_controls();
    one_block(64);
}

static int rude(void)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, 1e30f, -1, 65,
                                 0.4f };
    float  bytes[64];
    size_t i;
    int    p;

    if (plugin->extension_data("urn:nothing")) return fail("rude", "extension");
    if (plugin->instantiate(plugin, (double)NAN, NULL, NULL) == NULL)
        return fail("rude", "no features at all");
    /* no port but one is connected, in any of these */
    if (start(NOW, 0)) return 1;
    for (p = 0; p < 1000; p++)
        plugin->connect_port(instance, (uint32_t)p, NULL);
    plugin->connect_port(instance, STATE, control + STATE);
    one_block(4096);
    one_block(0);
    connect(0);

    for (p = FROM; p < LATENCY; p++)
        for (i = 0; i < sizeof odd / sizeof *odd; i++) {
            char what[40];
            snprintf(what, sizeof what, "port %d, %g", p, (double)odd[i]);
            control[p] = odd[i];
            state(what);
        }
    control[GRAINS] = 3;
    state("3 grains");

    /* messages that are not the plugin's own */
    memset(bytes, 0, sizeof bytes);
    p = worker->work(instance, respond, NULL, 3, bytes) == LV2_WORKER_SUCCESS ||
        worker->work(instance, respond, NULL, 32, NULL) == LV2_WORKER_SUCCESS ||
        worker->work_response(instance, 3, bytes) == LV2_WORKER_SUCCESS ||
        worker->work_response(instance, 0, NULL) == LV2_WORKER_SUCCESS;
    if (p) return fail("rude", "a message of a wrong size is taken");

    kind = SULKING;                      /* no room for a request */
    control[FROM] = 2;
    one_block(64);
    fprintf(stderr, "no room for a request: state %g\n",
            (double)control[STATE]);
    kind = NOW;
    one_block(64);
    fprintf(stderr, "room again: state %g\n", (double)control[STATE]);
    kind = FULL;                         /* no room for an answer */
    control[FROM] = 3;
    one_block(64);
    fprintf(stderr, "no room for an answer: state %g\n",
            (double)control[STATE]);
    kind = NOW;
    for (i = 0; i < 95936; i += 64) one_block(64);
    fprintf(stderr, "for two seconds: state %g\n", (double)control[STATE]);
    one_block(64);
    fprintf(stderr, "asked again: state %g\n", (double)control[STATE]);
    kind = LATER;                        /* an answer after a restart */
    control[FROM] = 4;
    one_block(64);
    plugin->deactivate(instance);
    serve();
    plugin->activate(instance);
    one_block(64);
    fprintf(stderr, "an answer after a restart: state %g\n",
            (double)control[STATE]);
    one_block(64);
    fprintf(stderr, "then: state %g\n", (double)control[STATE]);
    stop();

    if (start(NONE, 0)) return 1;        /* what is wrong is said at the end */
    control[ORDER] = 77;
    one_block(64);
    fprintf(stderr, "no worker: state %g\n", (double)control[STATE]);
    stop();
    return 0;
}

static int starve(void)
{
    LV2_Handle h;
    starving = 1;
    h = plugin->instantiate(plugin, 48000, "", NULL);
    starving = 0;
    return h ? fail("starve", "it lives without memory") : 0;
}

/* ---- how long a block takes -----------------------------------------------*/

static void noise(uint32_t random)
{
    uint32_t c, i;
    for (c = 0; c < CHANNELS; c++)
        for (i = 0; i < MOST; i++) {
            random = random * 1664525u + 1013904223u;
            in[c][i] = (float)(random >> 8) / 8388608 - 1;
        }
}

static int blocks(long count)
{
    uint32_t random = 1;
    long     i;
    if (start(LATER, 0)) return 1;
    noise(1);
    for (i = 0; i < count; i++) {
        if (i % 20 == 0) twiddle(&random);
        one_block(256);
        serve();
    }
    stop();
    return 0;
}

int main(int argc, char **argv)
{
    const LV2_Descriptor *(*find)(uint32_t);
    void *library, *symbol;
    find_locks();
    if (argc < 3) return fail("usage", "see the top of lv2_host.c");
    library = dlopen(argv[1], RTLD_NOW);
    symbol = library ? dlsym(library, "lv2_descriptor") : NULL;
    if (!symbol) return fail(argv[1], dlerror());
    memcpy(&find, &symbol, sizeof find);
    plugin = find(0);
    if (!plugin || find(1)) return fail(argv[1], "it has no one plugin");
    worker = (const LV2_Worker_Interface *)
        plugin->extension_data(LV2_WORKER__interface);
    if (!worker) return fail(argv[1], "it has no worker");
    if (argc > 4 && !strcmp(argv[2], "render"))
        return render((uint32_t)atoi(argv[3]), argv[4], argc - 5, argv + 5);
    if (argc > 3 && !strcmp(argv[2], "quiet"))
        return quiet(atol(argv[3]), argc > 4);
    if (!strcmp(argv[2], "rude")) return rude();
    if (!strcmp(argv[2], "starve")) return starve();
    if (argc > 3 && !strcmp(argv[2], "blocks")) return blocks(atol(argv[3]));
    return fail(argv[2], "no such thing to do");
}
