/* lv2_reference.c - what the plugin patchwork should play, sample by sample
 *
 *     cc -std=c99 tests/uses/lv2_reference.c -o build/lv2/reference
 *     build/lv2/reference make PATCH... <in.raw >out.raw
 *     build/lv2/reference match in.raw got.raw PERIOD PATCH [PATCH]
 *
 * A PATCH is nine numbers: the frame from which it is heard, the inputs that
 * the four outputs play, grains, order, seed, spread. Files are interleaved
 * floats of four channels. It goes by the description of the ports and shares
 * nothing with the plugin.
 *
 * match: got.raw came through JACK. Its frame 0 is some periods after in.raw's,
 * and the plugin was in any period of its group by then. There must be such a
 * place in which every sample is right: by the first patch up to some frame,
 * and from there on by the second. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 16384

typedef struct { long start; int from[4], grains, order, seed, spread; } patch;
typedef struct { float *sample; long frames; } sound;       /* 4 channels */

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "reference: %s: %s\n", what, why);
    return 1;
}

static sound read_all(FILE *f)
{
    sound  s = { NULL, 0 };
    size_t have = 0, room = 0, n = 1;
    while (n) {
        if (have == room) {
            room = room ? 2 * room : 1 << 16;
            s.sample = (float *)realloc(s.sample, room * sizeof(float));
            if (!s.sample) exit(fail("input", "no memory"));
        }
        n = fread(s.sample + have, sizeof(float), room - have, f);
        have += n;
    }
    s.frames = (long)(have / 4);
    return s;
}

static int shuffled(const patch *p, int place)
{
    int      order[64], i, j, t;
    uint32_t x = (uint32_t)p->seed;
    for (i = 0; i < p->grains; i++) order[i] = i;
    for (i = p->grains - 1; i > 0; i--) {
        x = x * 1664525u + 1013904223u;
        j = (int)((x >> 16) % (uint32_t)(i + 1));
        t = order[i]; order[i] = order[j]; order[j] = t;
    }
    return order[place];
}

/* The grain that output o plays in this place of the group; -1: none. */
static int grain_of(const patch *p, int place, int o)
{
    int at = (place + (p->spread ? o * p->grains / 4 : 0)) % p->grains;
    switch (p->order) {
    case 1:  return p->grains - 1 - at;
    case 2:  return shuffled(p, at);
    case 3:  return at - at % 2;
    case 4:  return at % 2 ? -1 : at;
    default: return at;
    }
}

static float heard(const sound *in, const patch *p, long t, int o)
{
    long size = GROUP / p->grains, in_group = t % GROUP, from;
    int  grain;
    if (t < GROUP || p->from[o] < 1 || p->from[o] > 4) return 0;
    grain = grain_of(p, (int)(in_group / size), o);
    if (grain < 0) return 0;
    from = t - in_group - GROUP + grain * size + in_group % size;
    return from < in->frames ? in->sample[from * 4 + p->from[o] - 1] : 0;
}

static void read_patch(patch *p, char **argv)
{
    long v[9];
    int  i;
    for (i = 0; i < 9; i++) v[i] = strtol(argv[i], NULL, 10);
    p->start = v[0];
    for (i = 0; i < 4; i++) p->from[i] = (int)v[1 + i];
    p->grains = (int)v[5];
    p->order = (int)v[6];
    p->seed = (int)v[7];
    p->spread = (int)v[8];
}

static int make(int count, char **argv)
{
    sound in = read_all(stdin);
    patch p[100];
    long  t;
    int   i, o, now = 0;
    if (count > 100) return fail("patches", "over 100");
    for (i = 0; i < count; i++) read_patch(p + i, argv + 9 * i);
    for (t = 0; t < in.frames; t++) {
        while (now + 1 < count && p[now + 1].start <= t) now++;
        for (o = 0; o < 4; o++) {
            float v = heard(&in, p + now, t, o);
            fwrite(&v, sizeof v, 1, stdout);
        }
    }
    return ferror(stdout) || fflush(stdout) ? fail("output", "cannot write") :
           0;
}

/* in, after so many frames of silence. */
static sound later(const sound *in, long frames)
{
    sound s;
    s.frames = in->frames + frames;
    s.sample = (float *)calloc((size_t)s.frames * 4 + 1, sizeof(float));
    if (!s.sample) exit(fail("input", "no memory"));
    memcpy(s.sample + frames * 4, in->sample,
           (size_t)in->frames * 4 * sizeof(float));
    return s;
}

static int right(const sound *in, const patch *p, const sound *got, long at,
                 long frame)
{
    float want[4];
    int   o;
    for (o = 0; o < 4; o++) want[o] = heard(in, p, frame + at, o);
    return !memcmp(want, got->sample + frame * 4, sizeof want);
}

/* Whether frames up to some one are right by p[0], and all others by p[1]. */
static int fits(const sound *in, const patch *p, const sound *got, long at,
                long *change)
{
    long a = 0, b = got->frames;
    while (a < got->frames && right(in, p, got, at, a)) a++;
    if (a == 0) return 0;
    while (b > 0 && right(in, p + 1, got, at, b - 1)) b--;
    *change = b;
    return b <= a;
}

static int match(char **argv, int count)
{
    FILE *f = fopen(argv[0], "rb"), *g = fopen(argv[1], "rb");
    long  period = strtol(argv[2], NULL, 10), phase, lag, change;
    sound in, got;
    patch p[2];
    if (!f || !g) return fail(f ? argv[1] : argv[0], "cannot be read");
    in = read_all(f);
    got = read_all(g);
    read_patch(p, argv + 3);
    read_patch(p + 1, argv + 3 + (count > 1 ? 9 : 0));
    if (got.frames <= GROUP + in.frames / 2)
        return fail(argv[1], "it is too short to say");
    for (phase = 0; phase < GROUP; phase += period) {
        sound all = later(&in, phase);
        for (lag = 0; lag <= 2 * period; lag += period) {
            if (!fits(&all, p, &got, phase - lag, &change)) continue;
            if (count > 1 && (change == 0 || change == got.frames)) continue;
            printf("every sample is right%s\n", count > 1 ?
                   ", before and after the change" : "");
            return 0;
        }
        free(all.sample);
    }
    return fail(argv[1], "some samples are wrong");
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "make") && (argc - 2) % 9 == 0)
        return make((argc - 2) / 9, argv + 2);
    if ((argc == 14 || argc == 23) && !strcmp(argv[1], "match"))
        return match(argv + 2, (argc - 5) / 9);
    return fail("usage", "make PATCH... or match IN GOT PERIOD PATCH [PATCH]");
}
