/* fill.h - one array element from its text
 *
 *     unsigned char element[16];
 *     if (!fill_parse(&a, "1.5", element)) puts("does not fit the type");
 *
 * A number for integers, floats and times (NaT too), the real part for complex
 * types, 0, 1, true or false for bools, text for S and U, and for any type 0x
 * followed by the bytes of one element in hex. The result has the array's byte
 * order. What does not fit is refused: nothing wraps, is cut or becomes
 * infinite; a fraction is rounded to nearest. */
#ifndef FILL_H
#define FILL_H

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

/* Writes `size` bytes of `bits` in the array's byte order. */
static void fill_put(unsigned char *to, uint64_t bits, ptrdiff_t size,
                     int swapped)
{
    int       big = swapped != npy_big_endian();
    ptrdiff_t byte;
    for (byte = 0; byte < size; byte++)
        to[big ? size - 1 - byte : byte] =
            (unsigned char)(bits >> 8 * byte & 255);
}

/* 0x...: exactly `size` bytes. */
static int fill_raw(const char *text, ptrdiff_t size, unsigned char *to)
{
    static const char digits[] = "00112233445566778899aAbBcCdDeEfF";
    ptrdiff_t i;
    if (strlen(text) / 2 != (size_t)size || strlen(text) % 2) return 0;
    for (i = 0; i < size; i++) {
        const char *high = strchr(digits, text[2 * i]);
        const char *low = strchr(digits, text[2 * i + 1]);
        if (!high || !low) return 0;
        to[i] = (unsigned char)((high - digits) / 2 * 16 + (low - digits) / 2);
    }
    return 1;
}

/* ---- whole numbers -------------------------------------------------------*/

/* A decimal integer that `bytes` bytes hold, as two's complement. */
static int fill_integer(const char *text, ptrdiff_t bytes, int has_sign,
                        uint64_t *bits)
{
    int      minus = *text == '-';
    uint64_t most = UINT64_MAX >> (64 - 8 * bytes), value = 0;
    if (has_sign) most >>= 1;
    if (minus) most = has_sign ? most + 1 : 0;
    if (*text == '-' || *text == '+') text++;
    if (!*text) return 0;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9') return 0;
        if (value > (most - digit) / 10 || digit > most) return 0;
        value = value * 10 + digit;
    }
    *bits = minus ? 0 - value : value;
    return 1;
}

static int fill_bool(const char *text, unsigned char *to)
{
    *to = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    return *to || strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
}

/* ---- floats --------------------------------------------------------------*/

/* Whether `text` is "inf", "Infinity" or "nan" after its sign. */
static int fill_is_word(const char *text)
{
    static const char *const words[] = { "inf", "infinity", "nan" };
    int i, n;
    for (i = 0; i < 3; i++) {
        for (n = 0; words[i][n] && (text[n] | 32) == words[i][n]; n++) {}
        if (!words[i][n] && !text[n]) return 1;
    }
    return 0;
}

/* Whether strtod would read all of `text` as a decimal number. It reads more:
 * spaces and hex, which are not taken here. */
static int fill_is_number(const char *text)
{
    const char *start;
    int digits = 0;
    for (; *text >= '0' && *text <= '9'; text++) digits = 1;
    if (*text == '.') text++;
    for (; *text >= '0' && *text <= '9'; text++) digits = 1;
    if (!digits) return 0;
    if (!*text) return 1;
    if (*text != 'e' && *text != 'E') return 0;
    text++;
    if (*text == '-' || *text == '+') text++;
    for (start = text; *text >= '0' && *text <= '9'; text++) {}
    return text > start && !*text;
}

/* The half nearest to x >= 0, ties to even; 0 if that is infinite. A half is
 * `unit` times a number below 2048; the units double from 2^-24 up. */
static int fill_half(long double x, uint64_t *bits)
{
    long double unit = 1.0L / 16777216.0L;
    unsigned    power = 0, whole;
    if (x >= 65520.0L) return 0;
    for (; x >= unit * 2048.0L; unit *= 2.0L) power++;
    whole = (unsigned)(x / unit);
    x = x / unit - (long double)whole;
    if (x > 0.5L || (x >= 0.5L && (whole & 1))) whole++;
    *bits = power * 1024 + whole;
    return 1;
}

static int fill_float_2(const char *text, int word, int swapped,
                        unsigned char *to)
{
    const char *number = text + (*text == '-' || *text == '+');
    uint64_t    bits;
    if (word) bits = (*number | 32) == 'n' ? 0x7E00 : 0x7C00;
    else if (!fill_half(strtold(number, NULL), &bits)) return 0;
    fill_put(to, bits | (*text == '-' ? 0x8000u : 0), 2, swapped);
    return 1;
}

static int fill_float_4(const char *text, int word, int swapped,
                        unsigned char *to)
{
    float    value = strtof(text, NULL);
    uint32_t bits;
    if (!word && (value > FLT_MAX || value < -FLT_MAX)) return 0;
    memcpy(&bits, &value, 4);
    fill_put(to, bits, 4, swapped);
    return 1;
}

static int fill_float_8(const char *text, int word, int swapped,
                        unsigned char *to)
{
    double   value = strtod(text, NULL);
    uint64_t bits;
    if (!word && (value > DBL_MAX || value < -DBL_MAX)) return 0;
    memcpy(&bits, &value, 8);
    fill_put(to, bits, 8, swapped);
    return 1;
}

/* NumPy's f16 is the platform's long double, if that has 16 bytes; of these
 * the x87 uses 10 and leaves the rest undefined: zero. */
static int fill_float_16(const char *text, int word, int swapped,
                         unsigned char *to)
{
    long double value = strtold(text, NULL);
    size_t      used = LDBL_MANT_DIG == 64 ? 10 : sizeof value;
    int         i;
    if (sizeof value != 16) return 0;
    if (!word && (value > LDBL_MAX || value < -LDBL_MAX)) return 0;
    memset(to, 0, 16);
    memcpy(to, &value, used);
    for (i = 0; swapped && i < 8; i++) {
        unsigned char byte = to[i];
        to[i] = to[15 - i];
        to[15 - i] = byte;
    }
    return 1;
}

static int fill_float(const char *text, ptrdiff_t size, int swapped,
                      unsigned char *to)
{
    const char *number = text + (*text == '-' || *text == '+');
    int word = fill_is_word(number);
    if (!word && !fill_is_number(number)) return 0;
    switch (size) {
    case 2: return fill_float_2(text, word, swapped, to);
    case 4: return fill_float_4(text, word, swapped, to);
    case 8: return fill_float_8(text, word, swapped, to);
    default: return fill_float_16(text, word, swapped, to);
    }
}

/* ---- text ----------------------------------------------------------------*/

/* S: the bytes; U: the characters of UTF-8, 4 bytes each. Zeros follow. */
static int fill_text(const npy_array *a, const char *text, unsigned char *to)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *end = at + strlen(text);
    ptrdiff_t used = 0, each = a->kind == 'U' ? 4 : 1;
    memset(to, 0, (size_t)a->elem_size);
    while (at < end) {
        long c = a->kind == 'U' ? npy_utf8(&at, end) : *at++;
        if (c < 0 || used == a->elem_size) return 0;
        fill_put(to + used, (uint64_t)c, each, a->swapped);
        used += each;
    }
    return 1;
}

/* ---- any -----------------------------------------------------------------*/

/* Writes the element of a's type that `text` says, a->elem_size bytes; 0 if it
 * does not fit. */
static inline int fill_parse(const npy_array *a, const char *text,
                             unsigned char *to)
{
    uint64_t  bits;
    ptrdiff_t half = a->elem_size / 2;
    if (strncmp(text, "0x", 2) == 0)
        return fill_raw(text + 2, a->elem_size, to);
    switch (a->kind) {
    case 'b': return fill_bool(text, to);
    case 'S': case 'U': return fill_text(a, text, to);
    case 'f': return fill_float(text, a->elem_size, a->swapped, to);
    case 'c':
        memset(to + half, 0, (size_t)half);
        return fill_float(text, half, a->swapped, to);
    case 'i': case 'u': case 'M': case 'm':
        if (strchr("Mm", a->kind) && strcmp(text, "NaT") == 0)
            bits = (uint64_t)1 << 63;
        else if (!fill_integer(text, a->elem_size, a->kind != 'u', &bits))
            return 0;
        fill_put(to, bits, a->elem_size, a->swapped);
        return 1;
    default: return 0;
    }
}

#endif
