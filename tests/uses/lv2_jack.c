/* lv2_jack.c - plays a file into a JACK client and records what it plays
 *
 *     cc -std=c99 tests/uses/lv2_jack.c -o build/lv2/jack -ljack
 *     build/lv2/jack CLIENT in.raw out.raw [FIFO LINE]
 *
 * The client has ports in_1 to in_4 and out_1 to out_4. Files are interleaved
 * floats of four channels; out.raw begins with the same period as in.raw and is
 * 20480 frames longer. Half way, LINE is written to FIFO, if there is one. */
#define _POSIX_C_SOURCE 200809L
#include <jack/jack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHANNELS = 4, TAIL = 20480 };

static jack_port_t  *send_port[CHANNELS], *return_port[CHANNELS];
static float        *sent, *got;
static long          frames, all;      /* of in.raw and of out.raw */
static long          at = -1;          /* -1: not begun */
static int           xruns;

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "jack: %s: %s\n", what, why);
    return 1;
}

static int process(jack_nframes_t count, void *unused)
{
    const long begun = __atomic_load_n(&at, __ATOMIC_ACQUIRE);
    float     *to[CHANNELS], *from[CHANNELS];
    long       i, c, t;
    (void)unused;
    for (c = 0; c < CHANNELS; c++) {
        to[c] = (float *)jack_port_get_buffer(send_port[c], count);
        from[c] = (float *)jack_port_get_buffer(return_port[c], count);
    }
    for (i = 0; i < (long)count; i++)
        for (c = 0; c < CHANNELS; c++) {
            t = begun < 0 ? all : begun + i;
            to[c][i] = t < frames ? sent[t * CHANNELS + c] : 0;
            if (t < all) got[t * CHANNELS + c] = from[c][i];
        }
    if (begun >= 0) __atomic_store_n(&at, begun + (long)count,
                                     __ATOMIC_RELEASE);
    return 0;
}

static int xrun(void *unused)
{
    (void)unused;
    __atomic_add_fetch(&xruns, 1, __ATOMIC_RELAXED);
    return 0;
}

static long read_file(const char *name)
{
    FILE  *f = fopen(name, "rb");
    size_t n;
    long   size;
    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) return -1;
    rewind(f);
    sent = (float *)malloc((size_t)size + 1);
    n = sent ? fread(sent, sizeof(float) * CHANNELS,
                     (size_t)size / sizeof(float) / CHANNELS, f) : 0;
    fclose(f);
    return (long)n;
}

static int connect(jack_client_t *me, const char *client)
{
    char name[100], other[200];
    int  c, bad = 0;
    for (c = 0; c < CHANNELS; c++) {
        snprintf(name, sizeof name, "send_%d", c + 1);
        send_port[c] = jack_port_register(me, name, JACK_DEFAULT_AUDIO_TYPE,
                                          JackPortIsOutput, 0);
        snprintf(name, sizeof name, "return_%d", c + 1);
        return_port[c] = jack_port_register(me, name, JACK_DEFAULT_AUDIO_TYPE,
                                            JackPortIsInput, 0);
        if (!send_port[c] || !return_port[c]) return 1;
    }
    if (jack_activate(me)) return 1;
    for (c = 0; c < CHANNELS; c++) {
        snprintf(other, sizeof other, "%s:in_%d", client, c + 1);
        bad |= jack_connect(me, jack_port_name(send_port[c]), other);
        snprintf(other, sizeof other, "%s:out_%d", client, c + 1);
        bad |= jack_connect(me, other, jack_port_name(return_port[c]));
    }
    return bad;
}

static void pause_ms(long ms)
{
    struct timespec t = { 0, 0 };
    t.tv_nsec = ms * 1000000;
    nanosleep(&t, NULL);
}

static long place(void) { return __atomic_load_n(&at, __ATOMIC_ACQUIRE); }

static int say(const char *fifo, const char *line)
{
    FILE *f = fopen(fifo, "w");
    if (!f) return fail(fifo, "cannot be written");
    fprintf(f, "%s\n", line);
    return fclose(f);
}

int main(int argc, char **argv)
{
    jack_client_t *me;
    FILE *f;
    long  last = -1;
    int   idle = 0, told = argc != 6;
    if (argc != 4 && argc != 6)
        return fail("usage", "jack CLIENT in.raw out.raw [FIFO LINE]");
    frames = read_file(argv[2]);
    if (frames < 1) return fail(argv[2], "cannot be read");
    all = frames + TAIL;
    got = (float *)calloc((size_t)all * CHANNELS, sizeof(float));
    me = jack_client_open("tape", JackNoStartServer, NULL);
    if (!got || !me) return fail("tape", "no memory, or no server");
    jack_set_process_callback(me, process, NULL);
    jack_set_xrun_callback(me, xrun, NULL);
    if (connect(me, argv[1])) return fail(argv[1], "cannot be connected");
    pause_ms(200);
    __atomic_store_n(&at, 0, __ATOMIC_RELEASE);
    while (place() < all && idle < 500) {
        pause_ms(10);
        idle = place() == last ? idle + 1 : 0;
        last = place();
        if (!told && last > frames / 2) told = !say(argv[4], argv[5]);
    }
    jack_client_close(me);
    if (place() < all) return fail("tape", "the server stands still");
    printf("%ld frames, %d xruns\n", all, xruns);
    f = fopen(argv[3], "wb");
    if (!f) return fail(argv[3], "cannot be written");
    fwrite(got, sizeof(float) * CHANNELS, (size_t)all, f);
    return fclose(f) ? fail(argv[3], "cannot be written") : 0;
}
