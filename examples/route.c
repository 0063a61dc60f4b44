/* route.c - swap, copy and silence the channels of a WAV file
 *
 *     cc -I. examples/route.c -o build/route && build/route
 *     build/route in.wav out.wav 1 0 -1
 *
 * The numbers say where each channel of out.wav comes from; -1 is silence. The
 * route is planned once and run on each block of frames, as an audio thread
 * would: no lock, no allocation. A sample is 2, 3 or 4 opaque bytes (integer
 * PCM). Without arguments it makes a stereo tone, build/run/tone.wav, and
 * routes it to build/run/routed.wav. The exit status is 1 after an error. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#define BLOCK    256           /* frames */
#define CHANNELS 32

typedef unsigned char byte;
typedef struct {
    uint32_t rate, frames;
    int      channels, width;  /* width: bytes of a sample */
} format;

static const char unwritten[] = "it cannot be written";
static byte in[BLOCK * CHANNELS * 4], out[BLOCK * CHANNELS * 4];

static int fail(const char *name, const char *why)
{
    fprintf(stderr, "route: %s: %s\n", name, why);
    return 1;
}

static void put(byte *p, int bytes, uint32_t v)           /* little-endian */
{
    for (; bytes--; v >>= 8) *p++ = (byte)(v & 255);
}

static uint32_t get(const byte *p, int bytes)
{
    uint32_t v = 0;
    while (bytes--) v = v << 8 | p[bytes];
    return v;
}

/* Reads up to the first sample. Returns NULL, or what is wrong. */
static const char *open_wav(FILE *f, format *w)
{
    byte     b[40];
    uint32_t size, tag, frame = 0;
    long     at, end;
    if (fseek(f, 0, SEEK_END) || (end = ftell(f)) < 0)
        return "it is not a file that can be read in any order";
    rewind(f);
    if (fread(b, 1, 12, f) != 12 || memcmp(b, "RIFF", 4) ||
        memcmp(b + 8, "WAVE", 4))
        return "it is not a WAV file";
    for (at = 12; !fseek(f, at, SEEK_SET) && fread(b, 1, 8, f) == 8;
         at += 8 + (long)(size + (size & 1))) {
        size = get(b + 4, 4);
        if (size > 0x7fffffff || (long)size > end - at - 8)
            return "it is truncated, or a size in it is wrong";
        if (!memcmp(b, "data", 4)) {
            if (!frame) return "its data come before their format";
            w->frames = size / frame;
            return size % frame ? "its data end inside a frame" : NULL;
        }
        if (!memcmp(b, "fmt ", 4)) {
            size_t want = size < 40 ? 16 : 40;
            if (size < 16 || fread(b, 1, want, f) != want)
                return "its format is too short";
            tag = get(b, 2) == 0xfffe && want == 40 ? get(b + 24, 2) :
                  get(b, 2);
            w->channels = (int)get(b + 2, 2);
            w->rate = get(b + 4, 4);
            w->width = (int)get(b + 14, 2) / 8;
            frame = (uint32_t)(w->channels * w->width);
            if (tag != 1 || w->width < 2 || w->width > 4 || get(b + 14, 2) % 8)
                return "it is not integer PCM of 16, 24 or 32 bits";
            if (w->channels < 1 || w->channels > CHANNELS ||
                get(b + 12, 2) != frame)
                return "it has no channels, over 32, or frames of another size";
        }
    }
    return "it has no data";
}

static int put_header(FILE *f, const format *w)
{
    byte     h[44] = "RIFF....WAVEfmt ....................data";
    uint32_t frame = (uint32_t)(w->channels * w->width);
    put(h + 4, 4, 36 + w->frames * frame + (w->frames * frame & 1));
    put(h + 16, 4, 16);
    put(h + 20, 2, 1);
    put(h + 22, 2, (uint32_t)w->channels);
    put(h + 24, 4, w->rate);
    put(h + 28, 4, w->rate * frame);
    put(h + 32, 2, frame);
    put(h + 34, 2, (uint32_t)w->width * 8);
    put(h + 40, 4, w->frames * frame);
    return fwrite(h, 1, 44, f) == 44;
}

/* Raises each channel's peak to those of n frames. The upper 16 bits count. */
static void meter(int *peak, const byte *p, const format *w, size_t n)
{
    size_t i, all = n * (size_t)w->channels;
    for (i = 0; i < all; i++, p += w->width) {
        int v = (int)get(p + w->width - 2, 2), c = (int)i % w->channels;
        v = v < 32768 ? v : 65536 - v;
        if (v > peak[c]) peak[c] = v;
    }
}

static void show(const char *what, const int *peak, int channels)
{
    int c;
    for (c = 0; c < channels; c++)
        printf("%-3s %2d |%-40.*s| %3d %%\n", what, c,
               (peak[c] * 40 + 16384) / 32768,
               "########################################",
               (peak[c] * 100 + 16384) / 32768);
}

/* A refusal in words, until the next one. */
static const char *told(const ndg_report *report)
{
    static char line[200];
    ndg_report_text(line, sizeof line, report, NULL);
    return line;
}

/* Routes all frames of f to g. to[c] is the channel that c comes from. */
static const char *route(FILE *f, const format *a, FILE *g, const format *b,
                         const int8_t *to)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      report;
    int             before[CHANNELS] = { 0 }, after[CHANNELS] = { 0 };
    uint32_t        left = a->frames;
    size_t          n, frame = (size_t)(a->channels * a->width);

    d.params     = ndg_dims2(BLOCK, a->channels);
    d.axis       = 1;
    d.indices    = ndg_dims1(b->channels);
    d.index_type = NDG_I8;
    d.elem_size  = a->width;
    d.policy     = NDG_ZERO;                        /* silence */
    if (ndg_plan_gather(&plan, &d, &report)) return told(&report);
    for (; left; left -= (uint32_t)n) {
        n = left < BLOCK ? left : BLOCK;            /* the last is short */
        if (fread(in, frame, n, f) != n) return "in.wav cannot be read";
        if (ndg_gather_run(&plan, out, sizeof out, in, to, &report))
            return told(&report);
        meter(before, in, a, n);
        meter(after, out, b, n);
        if (fwrite(out, (size_t)(b->channels * b->width), n, g) != n)
            return unwritten;
    }
    if ((a->frames * (uint32_t)(b->channels * b->width) & 1) &&
        fputc(0, g) == EOF)                         /* to an even size */
        return unwritten;
    show("in", before, a->channels);
    show("out", after, b->channels);
    return NULL;
}

static int route_file(const char *from, const char *to, const int8_t *list,
                      int channels)
{
    struct stat s, t;
    format      a = NDG_ZERO_INIT, b;
    const char *why;
    FILE       *f = fopen(from, "rb"), *g;
    int         c;
    if (!f) return fail(from, strerror(errno));
    why = open_wav(f, &a);
    b = a;
    b.channels = channels;
    for (c = 0; c < channels && !why; c++)
        if (list[c] < -1 || list[c] >= a.channels)
            why = "it has no such channel; -1 is silence";
    if (!why && (uint64_t)a.frames * (uint64_t)(channels * a.width) >
                0x7fffffff - 64)
        why = "the result would be larger than a WAV file may be";
    if (!why && stat(from, &s) == 0 && stat(to, &t) == 0 &&
        s.st_dev == t.st_dev && s.st_ino == t.st_ino)
        why = "it is in.wav and out.wav";
    if (why) {
        fclose(f);
        return fail(from, why);
    }
    g = fopen(to, "wb");
    if (!g) why = strerror(errno);
    else why = put_header(g, &b) ? route(f, &a, g, &b, list) : unwritten;
    if (g && fclose(g) && !why) why = unwritten;
    fclose(f);
    return why ? fail(to, why) : 0;
}

/* Half a second of two triangle waves, loud on the left. */
static int tone(const char *name)
{
    static const format w = { 44100, 22050, 2, 2 };
    FILE *f = fopen(name, "wb");
    int   i, c, ok = f && put_header(f, &w);
    if (!f) return fail(name, strerror(errno));
    for (i = 0; i < 22050; i++)
        for (c = 0; c < 2; c++) {
            int at = i * (c ? 660 : 440) % 44100 - 22050;
            int v = (at < 0 ? -at : at) - 11025;
            put(in + 2 * c, 2, (uint32_t)(c ? v : v * 5 / 2));
            if (c) ok &= fwrite(in, 1, 4, f) == 4;
        }
    ok &= !fclose(f);
    return ok ? 0 : fail(name, unwritten);
}

/* The order in which an FFT of 16 takes its samples. Twice gives the first. */
static int reversal(void)
{
    static const char block[17] = "0123456789abcdef";
    char              once[17] = "", twice[17] = "";
    uint16_t          order[16];
    int               i;
    for (i = 0; i < 16; i++)
        order[i] = (uint16_t)((i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 |
                              (i & 8) >> 3);
    if (ndg_gather_rows(once, 16, block, 16, 1, 0, order, NDG_U16, 16,
                        NDG_ERROR, NULL) ||
        ndg_gather_rows(twice, 16, once, 16, 1, 0, order, NDG_U16, 16,
                        NDG_ERROR, NULL))
        return fail("bits reversed", "refused");
    printf("bits reversed: %s -> %s -> %s\n", block, once, twice);
    return strcmp(block, twice) ? fail("bits reversed", "wrong") : 0;
}

int main(int argc, char **argv)
{
    static const int8_t demo[3] = { 1, 0, -1 };
    int8_t list[CHANNELS];
    int    c;
    if (argc == 1) {
        mkdir("build", 0777);              /* they may be there */
        mkdir("build/run", 0777);
        return tone("build/run/tone.wav") ||
               route_file("build/run/tone.wav", "build/run/routed.wav", demo,
                          3) ||
               reversal();
    }
    if (argc < 4 || argc > 3 + CHANNELS)
        return fail("usage", "route in.wav out.wav CHANNEL ... (-1: silence)");
    for (c = 0; c < argc - 3; c++) {
        char *end;
        long  v = strtol(argv[c + 3], &end, 10);
        if (*end || end == argv[c + 3] || v < -1 || v >= CHANNELS)
            return fail(argv[c + 3], "not a channel");
        list[c] = (int8_t)v;
    }
    return route_file(argv[1], argv[2], list, argc - 3);
}
