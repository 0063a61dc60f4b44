/* quant.h - block-quantised rows, as inference runtimes keep them
 *
 * 32 values are a block: a scale, then 32 numbers of 4 or 8 bits, as in Q4_0
 * and Q8_0. A value is its number times the scale. A width that is no multiple
 * of 32 cuts the last block short: a scale, and the bytes its values take. */
#ifndef QUANT_H
#define QUANT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BLOCK 32                   /* values of a block */
typedef unsigned char byte;

/* Bits of a value; bytes of a block's scale, 2 for an f16, 4 for an f32; what
 * makes n floats of a row. */
typedef struct {
    const char *name;
    int         bits, scale;
    void      (*widen)(float *x, const byte *row, int n);
} format;

static inline ptrdiff_t row_bytes(const format *f, int n)
{
    return (n + BLOCK - 1) / BLOCK * f->scale + (n * f->bits + 7) / 8;
}

/* ---- a scale: the f16's bits in an f32 make a number 2^112 times as small -*/
#define TWO_112 5192296858534827628530496329220096.0f

static inline float load_scale(const byte *p, int bytes)
{
    const uint32_t h = (uint32_t)(p[0] | p[1] << 8), low = (h & 0x7fff) << 13;
    float          d;
    memcpy(&d, bytes == 4 ? (const void *)p : (const void *)&low, 4);
    if (bytes == 2) d *= h & 0x8000 ? -TWO_112 : TWO_112;
    return d;
}

static inline void store_scale(byte *p, int bytes, float d)
{
    const float f = (d < 0 ? -d : d) / TWO_112;
    uint32_t    h;
    memcpy(&h, &f, 4);
    h = (h + 0xfff + (h >> 13 & 1)) >> 13 | (d < 0 ? 0x8000u : 0);
    if (bytes == 4) memcpy(p, &d, 4);
    else { p[0] = (byte)h; p[1] = (byte)(h >> 8); }
}

/* ---- a block: of 8 bits, byte j is value j; of 4, j and above it j + half -*/
static inline void pack_block(byte *p, const format *f, const float *x, int n)
{
    const int four = f->bits == 4, half = four ? (n + 1) / 2 : n;
    float     most = 0, d;
    int       j, q;
    for (j = 0; j < n; j++)
        if (x[j] * x[j] > most * most) most = x[j];
    store_scale(p, f->scale, most / (four ? -8.0f : -127.0f));
    d = load_scale(p, f->scale);
    for (p += f->scale, j = 0; j < n; j++) {
        q = (int)(d != 0 ? x[j] / d + 128.5f : 128.5f) - 128;
        if (!four)         p[j] = (byte)q;
        else if (j < half) p[j] = (byte)(q > 7 ? 15 : q + 8);
        else               p[j - half] |= (byte)((q > 7 ? 15 : q + 8) << 4);
    }
}

static inline void widen_block(float *x, const byte *p, int bits, int scale,
                               int n)
{
    const float d = load_scale(p, scale);
    const int   half = bits == 4 ? (n + 1) / 2 : n;
    byte        b[BLOCK];          /* shares nothing with x: can be vectors */
    int         j;
    memcpy(b, p + scale, (size_t)half);
    if (bits == 8)
        for (j = 0; j < n; j++) x[j] = (float)(signed char)b[j] * d;
    else {
        for (j = 0; j < half; j++) x[j] = (float)((b[j] & 15) - 8) * d;
        for (j = half; j < n; j++) x[j] = (float)((b[j - half] >> 4) - 8) * d;
    }
}

/* ---- rows -----------------------------------------------------------------*/
static inline void pack_row(byte *p, const format *f, const float *x, int n)
{
    memset(p, 0, (size_t)row_bytes(f, n));
    for (; n > BLOCK; n -= BLOCK, x += BLOCK, p += row_bytes(f, BLOCK))
        pack_block(p, f, x, BLOCK);
    if (n) pack_block(p, f, x, n);
}

/* With constants for bits and scale a compiler makes a loop for each format. */
static inline void widen_row(float *x, const byte *p, int bits, int scale,
                             int n)
{
    for (; n >= BLOCK; n -= BLOCK, x += BLOCK, p += scale + BLOCK * bits / 8)
        widen_block(x, p, bits, scale, BLOCK);
    if (n) widen_block(x, p, bits, scale, n);
}

static void widen_q4_0(float *x, const byte *row, int n)
{
    widen_row(x, row, 4, 2, n);
}
static void widen_q8_0(float *x, const byte *row, int n)
{
    widen_row(x, row, 8, 2, n);
}
static void widen_q8_f32(float *x, const byte *row, int n)
{
    widen_row(x, row, 8, 4, n);
}

#define FORMATS 3
static const format formats[FORMATS] = {
    { "q4_0",   4, 2, widen_q4_0 },
    { "q8_0",   8, 2, widen_q8_0 },
    { "q8_f32", 8, 4, widen_q8_f32 }
};

#endif
