/* png.h - writes a PNG, uncompressed: for the examples, in one file
 *
 *     if (!png_write("out.png", pixels, width, height, 3)) ...failed...
 */
#ifndef PNG_H
#define PNG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *png_put32(unsigned char *p, unsigned long v)
{
    p[0] = (unsigned char)(v >> 24 & 255);
    p[1] = (unsigned char)(v >> 16 & 255);
    p[2] = (unsigned char)(v >> 8 & 255);
    p[3] = (unsigned char)(v & 255);
    return p + 4;
}

typedef struct png_rgb { unsigned char r, g, b; } png_rgb;

/* The colour 0xRRGGBB. */
static inline png_rgb png_hex(unsigned long v)
{
    png_rgb c;
    c.r = (unsigned char)(v >> 16 & 255);
    c.g = (unsigned char)(v >> 8 & 255);
    c.b = (unsigned char)(v & 255);
    return c;
}

/* k / n of the way from a to b; n > 0. */
static inline png_rgb png_mix(png_rgb a, png_rgb b, int k, int n)
{
    a.r = (unsigned char)((a.r * (n - k) + b.r * k) / n);
    a.g = (unsigned char)((a.g * (n - k) + b.g * k) / n);
    a.b = (unsigned char)((a.b * (n - k) + b.b * k) / n);
    return a;
}

/* A chunk: length, name, data, check sum of name and data. */
static void png_chunk(FILE *file, const char *name, const unsigned char *data,
                      size_t length)
{
    unsigned char word[4];
    unsigned long crc = 0xffffffffUL;
    size_t        i;
    int           bit;
    for (i = 0; i < length + 4; i++) {
        crc ^= i < 4 ? (unsigned char)name[i] : data[i - 4];
        for (bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320UL : crc >> 1;
    }
    png_put32(word, (unsigned long)length);
    fwrite(word, 1, 4, file);
    fwrite(name, 1, 4, file);
    fwrite(data, 1, length, file);
    png_put32(word, crc ^ 0xffffffffUL);
    fwrite(word, 1, 4, file);
}

/* Wraps n bytes as a zlib stream that does not compress: blocks of at most
 * 65535 bytes, each after a flag, its length and the length's complement. */
static size_t png_store(unsigned char *to, const unsigned char *from, size_t n)
{
    unsigned char *p = to;
    unsigned long  a = 1, b = 0;
    size_t         i, done = 0;
    *p++ = 0x78;
    *p++ = 0x01;
    do {
        size_t part = n - done < 65535 ? n - done : 65535;
        *p++ = done + part == n;
        *p++ = (unsigned char)(part & 255);
        *p++ = (unsigned char)(part >> 8);
        *p++ = (unsigned char)(~part & 255);
        *p++ = (unsigned char)(~part >> 8 & 255);
        memcpy(p, from + done, part);
        p += part;
        done += part;
    } while (done < n);
    for (i = 0; i < n; i++) {
        a = (a + from[i]) % 65521;
        b = (b + a) % 65521;
    }
    return (size_t)(png_put32(p, b << 16 | a) - to);
}

/* Rows of wide pixels from the top down, each of 1 byte (grey) or 3 (red,
 * green, blue). Sizes must fit into memory. Returns 0 if it cannot be. */
static int png_write(const char *name, const unsigned char *pixels,
                     size_t wide, size_t high, size_t channels)
{
    size_t         row = wide * channels, bytes = high * (row + 1), y;
    unsigned char  head[13];
    unsigned char *raw = (unsigned char *)malloc(bytes);
    unsigned char *zip = (unsigned char *)malloc(bytes + bytes / 8192 + 64);
    FILE          *file = raw && zip ? fopen(name, "wb") : NULL;
    int            bad = !file;
    for (y = 0; file && y < high; y++) {
        raw[y * (row + 1)] = 0;                         /* no filter */
        memcpy(raw + y * (row + 1) + 1, pixels + y * row, row);
    }
    if (file) {
        png_put32(png_put32(head, (unsigned long)wide), (unsigned long)high);
        memcpy(head + 8, "\x08\0\0\0", 5);              /* 8 bits of grey */
        if (channels == 3) head[9] = 2;                 /* or of each colour */
        fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
        png_chunk(file, "IHDR", head, 13);
        png_chunk(file, "IDAT", zip, png_store(zip, raw, bytes));
        png_chunk(file, "IEND", head, 0);
        bad = ferror(file);
        if (fclose(file)) bad = 1;
    }
    free(raw);
    free(zip);
    return !bad;
}

#endif
