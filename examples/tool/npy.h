/* npy.h - reads and writes the headers of NumPy's .npy files, in plain C99
 *
 *     npy_array a;
 *     char      why[NPY_ERROR_SIZE];
 *     if (!npy_parse(&a, file_bytes, file_size, why)) puts(why);
 *     // a.rank, a.dims, a.strides, a.elem_size, a.data ... are good now
 *
 *     size_t size;
 *     unsigned char *header = npy_header(&a, rank, dims, &size);   // free it
 *
 * A file is bytes in memory: mapped, read, embedded. Nothing is copied out of
 * it and nothing outside it is touched, whatever it holds. Believed are: format
 * 1.0, 2.0 and 3.0; exactly the keys descr, fortran_order and shape, once each,
 * in any order; every descr of fixed size that NumPy takes, records with
 * titles, nesting and subarrays included; data exactly as long as the shape
 * says. All else is refused with one line of text in `why`, which may quote the
 * file: escape control bytes before showing it.
 *
 * A header's text is a Python literal. This reader takes the literals that
 * NumPy and its imitators write, and a little more: any white space, both
 * quotes, all escapes but \N{...}, u'...', trailing commas, 3L before 3.0.
 *
 * Static functions: include it where it is used. Needs malloc, nothing else
 * of the system. */
#ifndef NPY_H
#define NPY_H

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPY_MAX_RANK    254          /* as TensorFlow; NumPy stops at 64 */
#define NPY_MAX_HEADER  (16L << 20)  /* bytes of header text */
#define NPY_MAX_NESTING 32           /* of records in records */
#define NPY_ERROR_SIZE  256

typedef struct npy_array {
    const unsigned char *data;       /* inside the file */
    ptrdiff_t   elem_size;           /* >= 1 */
    ptrdiff_t   count;               /* elements */
    int         fortran_order;
    int         rank;
    ptrdiff_t   dims[NPY_MAX_RANK];
    ptrdiff_t   strides[NPY_MAX_RANK];    /* in bytes, whatever the order */
    char        kind;                /* b i u f c S U V M m; r: a record */
    int         swapped;             /* not in this machine's byte order */
    uint64_t    type_id;             /* equal types have equal ones */
    const char *descr;               /* its text, inside the file ... */
    size_t      descr_size;
    int         utf8;                /* ... in UTF-8, else in Latin-1 */
} npy_array;

/* ---- the reader's state --------------------------------------------------*/

typedef struct npy_type {
    char      kind;
    int       swapped;
    ptrdiff_t size;
} npy_type;

typedef struct npy_reader {
    const unsigned char *at, *end;   /* what is left of the header's text */
    int       version;
    int       nesting;
    unsigned  records;               /* seen so far: a name belongs to one */
    uint64_t *names;                 /* hashes of (record, name), to find */
    size_t    name_count, name_room; /* names that occur twice */
    uint64_t  type_id;
    char     *why;
} npy_reader;

/* Notes why, once; returns 0 so that callers can return it. */
static int npy_refuse(npy_reader *r, const char *format, ...)
{
    va_list args;
    if (r->why[0]) return 0;
    va_start(args, format);
    vsnprintf(r->why, NPY_ERROR_SIZE, format, args);
    va_end(args);
    return 0;
}

static int npy_malformed(npy_reader *r)
{
    return npy_refuse(r, "the .npy header is malformed");
}

/* FNV-1a, a byte at a time. */
static uint64_t npy_hash(uint64_t hash, uint64_t value)
{
    int byte;
    for (byte = 0; byte < 8; byte++) {
        hash = (hash ^ (value & 255)) * 1099511628211u;
        value >>= 8;
    }
    return hash;
}

static int npy_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char  first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* ---- tokens --------------------------------------------------------------*/

/* The next byte that is not white space, unread; -1 at the end. */
static int npy_peek(npy_reader *r)
{
    while (r->at < r->end && *r->at && strchr(" \t\r\n\f", *r->at)) r->at++;
    return r->at < r->end ? *r->at : -1;
}

/* Reads `c` if it is next. */
static int npy_accept(npy_reader *r, int c)
{
    if (npy_peek(r) != c) return 0;
    r->at++;
    return 1;
}

static int npy_expect(npy_reader *r, int c)
{
    return npy_accept(r, c) || npy_malformed(r);
}

/* After an item of a list: 1 if another follows, 0 if `close` was read or
 * nothing fits, which *ok tells. A comma before the end is Python's habit. */
static int npy_another(npy_reader *r, int close, int *ok)
{
    int comma = npy_accept(r, ',');
    if (npy_accept(r, close)) return 0;
    if (!comma) *ok = npy_malformed(r);
    return comma;
}

/* Reads True or False. */
static int npy_bool(npy_reader *r, int *value)
{
    size_t left;
    npy_peek(r);
    left = (size_t)(r->end - r->at);
    *value = left >= 4 && memcmp(r->at, "True", 4) == 0;
    if (!*value && (left < 5 || memcmp(r->at, "False", 5) != 0))
        return npy_refuse(r, "fortran_order is neither True nor False");
    r->at += *value ? 4 : 5;
    return 1;
}

/* Reads an extent: decimal, no sign, no leading zero, perhaps Python 2's L. */
static int npy_extent(npy_reader *r, ptrdiff_t *value)
{
    const unsigned char *start;
    int c = npy_peek(r);
    if (c == '-') return npy_refuse(r, "the shape has a negative extent");
    start = r->at;
    for (*value = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9';
         r->at++) {
        int digit = *r->at - '0';
        if (*value > (PTRDIFF_MAX - digit) / 10)
            return npy_refuse(r, "the shape has an extent that is too large");
        *value = *value * 10 + digit;
    }
    if (r->at == start || (*start == '0' && *value))
        return npy_refuse(r, "the shape is not a tuple of whole numbers");
    if (r->version < 3 && r->at < r->end && *r->at == 'L') r->at++;
    return 1;
}

/* ---- strings -------------------------------------------------------------*/

/* One character of UTF-8 at *at: moves on and returns it, or -1. */
static long npy_utf8(const unsigned char **at, const unsigned char *end)
{
    static const long least[4] = { 0, 0x80, 0x800, 0x10000 };
    const unsigned char *p = *at;
    long c = *p++;
    int  more = c < 0x80 ? 0 : c < 0xC2 ? -1 : c < 0xE0 ? 1 : c < 0xF0 ? 2
              : c < 0xF5 ? 3 : -1;
    int  i;
    if (more < 0 || end - p < more) return -1;
    if (more) c &= 0x3F >> more;
    for (i = 0; i < more; i++, p++) {
        if ((*p & 0xC0) != 0x80) return -1;
        c = c << 6 | (*p & 0x3F);
    }
    if (c < least[more] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return -1;
    *at = p;
    return c;
}

/* Up to `most` digits of an escape, at least `least`; -1 if there are fewer. */
static long npy_digits(npy_reader *r, int base, int least, int most)
{
    long value = 0;
    int  n;
    for (n = 0; n < most && r->at < r->end; n++, r->at++) {
        int c = *r->at, digit = 99;
        if (c >= '0' && c <= '9') digit = c - '0';
        if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
        if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
        if (digit >= base) break;
        value = value * base + digit;
        if (value > 0x10FFFF) return -1;
    }
    return n < least ? -1 : value;
}

/* What follows a backslash: a character, -1 if malformed, -2 for nothing. */
static long npy_escape(npy_reader *r)
{
    static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
    const char *known;
    int c;
    if (r->at == r->end) return -1;
    c = *r->at;
    known = c ? strchr(from, c) : NULL;
    if (c >= '0' && c <= '7') return npy_digits(r, 8, 1, 3);
    if (c == 'N') return -1;
    if (!known && c != '\n' && !strchr("xuU", c)) return '\\';
    r->at++;
    if (known) return to[known - from];
    if (c == 'x') return npy_digits(r, 16, 2, 2);
    if (c == 'u') return npy_digits(r, 16, 4, 4);
    if (c == 'U') return npy_digits(r, 16, 8, 8);
    return -2;                                      /* an escaped line end */
}

/* The next character of a string that `quote` ends; -1 malformed, -2 none. */
static long npy_character(npy_reader *r)
{
    if (r->at == r->end || *r->at == '\n' || *r->at == '\r' || !*r->at)
        return -1;
    if (*r->at == '\\') {
        r->at++;
        return npy_escape(r);
    }
    if (r->version >= 3) return npy_utf8(&r->at, r->end);
    return *r->at++;
}

/* Reads a string: its ASCII form cut to `room`, with '\1' for any other
 * character, and the hash of all of it. */
static int npy_string(npy_reader *r, char *text, size_t room, uint64_t *hash)
{
    size_t n = 0;
    int    quote = npy_peek(r);
    if (quote == 'u' || quote == 'U') {
        r->at++;
        quote = r->at < r->end ? *r->at : -1;
    }
    if (quote != '\'' && quote != '"') return npy_malformed(r);
    r->at++;
    *hash = 14695981039346656037u;
    while (r->at < r->end && *r->at != quote) {
        long c = npy_character(r);
        if (c == -1) return npy_malformed(r);
        if (c == -2) continue;
        if (n + 1 < room) text[n++] = (char)(c > 0 && c < 0x80 ? c : 1);
        *hash = npy_hash(*hash, (uint64_t)c);
    }
    text[n] = 0;
    return npy_expect(r, quote);
}

/* ---- descr: one type -----------------------------------------------------*/

/* NumPy's other names of types, which do not depend on the platform. */
static const char *npy_plain_name(const char *name)
{
    static const char *const names[][2] = {
        { "?", "b1" }, { "b", "i1" }, { "B", "u1" }, { "h", "i2" },
        { "H", "u2" }, { "i", "i4" }, { "I", "u4" }, { "q", "i8" },
        { "Q", "u8" }, { "e", "f2" }, { "f", "f4" }, { "d", "f8" },
        { "F", "c8" }, { "D", "c16" }, { "c", "S1" },
        { "bool", "b1" }, { "int8", "i1" }, { "int16", "i2" },
        { "int32", "i4" }, { "int64", "i8" }, { "uint8", "u1" },
        { "uint16", "u2" }, { "uint32", "u4" }, { "uint64", "u8" },
        { "float16", "f2" }, { "float32", "f4" }, { "float64", "f8" },
        { "complex64", "c8" }, { "complex128", "c16" }
    };
    size_t i;
    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0) return names[i][1];
    return name;
}

/* Whether `text` is the unit of a time: nothing, [ns], [25s]. Writes it to
 * `unit` in one form. */
static int npy_time_unit(const char *text, char unit[24])
{
    static const char *const units[] = {
        "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"
    };
    long   many = 1;
    char  *rest;
    size_t i;
    unit[0] = 0;
    if (!*text) return 1;
    if (*text++ != '[') return 0;
    if (*text >= '0' && *text <= '9') {
        many = strtol(text, &rest, 10);
        if (many > INT_MAX || rest - text > 19) return 0;
        text = rest;
    }
    if (strcmp(text, "generic]") == 0) return 1;
    for (i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t n = strlen(units[i]);
        if (strncmp(text, units[i], n) || strcmp(text + n, "]")) continue;
        snprintf(unit, 24, "%ld%s", many, units[i]);
        return 1;
    }
    return 0;
}

/* The sizes that each kind of number comes in. */
static int npy_size_fits(char kind, long size)
{
    switch (kind) {
    case 'b': return size == 1;
    case 'i': case 'u':
        return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f': return size == 2 || size == 4 || size == 8 || size == 16;
    case 'c': return size == 8 || size == 16 || size == 32;
    case 'M': case 'm': return size == 8;
    case 'S': case 'V': return size >= 0;
    case 'U': return size >= 0 && size <= INT_MAX / 4;
    default: return 0;
    }
}

/* Splits "<f4" into its parts; 0 if NumPy has no such type. */
static int npy_type_parts(const char *text, char *order, char *kind,
                          long *size, const char **rest)
{
    char *end;
    *order = npy_big_endian() ? '>' : '<';
    if (*text && strchr("<>=|", *text)) {
        if (*text == '<' || *text == '>') *order = *text;
        if (text[1] && text[2]) text++;
        else text = npy_plain_name(text + 1);
    } else {
        text = npy_plain_name(text);
    }
    *kind = *text == 'a' ? 'S' : *text;
    *size = 0;
    *rest = text + (*text != 0);
    if (**rest < '0' || **rest > '9')
        return *kind && strchr("SUV", *kind) != NULL && !**rest;
    *size = strtol(*rest, &end, 10);
    if (end - *rest > 11 || *size > INT_MAX) return 0;
    *rest = end;
    return npy_size_fits(*kind, *size);
}

/* Reads a string that names a type. */
static int npy_simple_type(npy_reader *r, npy_type *type)
{
    char        text[64], unit[24] = "", order, kind;
    const char *rest, *p;
    long        size;
    uint64_t    hash;
    int         known;
    if (!npy_string(r, text, sizeof text, &hash)) return 0;
    p = text + (*text && strchr("<>=|", *text));
    if (*p == 'O' || strcmp(p, "object") == 0)
        return npy_refuse(r, "descr '%s' is Python objects, not data", text);
    known = npy_type_parts(text, &order, &kind, &size, &rest);
    if (known && (kind == 'M' || kind == 'm'))
        known = npy_time_unit(rest, unit);
    else if (known)
        known = !*rest;
    if (!known)
        return npy_refuse(r, "descr '%s' is no type of fixed size", text);
    type->kind = kind;
    type->size = kind == 'U' ? size * 4 : size;
    if (strchr("bSV", kind) || (size == 1 && kind != 'U')) order = '|';
    type->swapped = order != '|' && (order == '>') != npy_big_endian();
    r->type_id = npy_hash(r->type_id, (uint64_t)(order << 8 | kind));
    r->type_id = npy_hash(r->type_id, (uint64_t)size);
    for (p = unit; *p; p++) r->type_id = npy_hash(r->type_id, (uint64_t)*p);
    return 1;
}

/* ---- descr: records ------------------------------------------------------*/

static int npy_any_type(npy_reader *r, npy_type *type);

static int npy_too_large(npy_reader *r)
{
    return npy_refuse(r, "descr is of more than %d bytes", INT_MAX);
}

/* Multiplies the type by the subarray shape that is next: 3 or (3, 4). */
static int npy_subarray(npy_reader *r, npy_type *type)
{
    ptrdiff_t extent;
    int ok = 1, tuple = npy_accept(r, '('), axes = 0;
    if (tuple && npy_accept(r, ')')) return 1;
    do {
        if (!npy_extent(r, &extent)) return 0;
        if (extent > INT_MAX ||
            (extent && type->size > (ptrdiff_t)INT_MAX / extent))
            return npy_too_large(r);
        type->size *= extent;
        r->type_id = npy_hash(r->type_id, (uint64_t)extent ^ 1u << 31);
        if (++axes > 64) return npy_malformed(r);
    } while (tuple && npy_another(r, ')', &ok));
    type->kind = 'r';
    return ok;
}

/* Keeps a name, to find out in the end whether it occurs twice. */
static int npy_keep_name(npy_reader *r, unsigned record, uint64_t name)
{
    if (r->name_count == r->name_room) {
        size_t    room = r->name_room ? r->name_room * 2 : 32;
        uint64_t *more = (uint64_t *)realloc(r->names, room * sizeof *more);
        if (!more) return npy_refuse(r, "no memory for the names in descr");
        r->names = more;
        r->name_room = room;
    }
    r->names[r->name_count++] = npy_hash(name, record);
    return 1;
}

/* Reads 'name' or ('title', 'name'); *blank is whether it is ''. */
static int npy_field_name(npy_reader *r, unsigned record, uint64_t *name,
                          int *blank)
{
    char text[2];
    int  titled = npy_accept(r, '(');
    if (!npy_string(r, text, sizeof text, name)) return 0;
    *blank = !titled && !text[0];
    r->type_id = npy_hash(r->type_id, *name);
    if (!titled) return 1;
    if (!npy_keep_name(r, record, *name) || !npy_expect(r, ',') ||
        !npy_string(r, text, sizeof text, name))
        return 0;
    r->type_id = npy_hash(r->type_id, *name);
    npy_accept(r, ',');
    return npy_expect(r, ')');
}

/* Reads ('name', type) or ('name', type, shape) and adds its size. */
static int npy_field(npy_reader *r, unsigned record, ptrdiff_t *size)
{
    npy_type type;
    uint64_t name;
    int      blank, ok = 1;
    if (!npy_expect(r, '(') || !npy_field_name(r, record, &name, &blank) ||
        !npy_expect(r, ',') || !npy_any_type(r, &type))
        return 0;
    /* A void without a name is padding; padding may repeat, a name may not. */
    if (!(blank && type.kind == 'V') && !npy_keep_name(r, record, name))
        return 0;
    if (npy_another(r, ')', &ok)) {
        if (!npy_subarray(r, &type)) return 0;
        npy_accept(r, ',');
        ok = npy_expect(r, ')');
    }
    if (type.size > INT_MAX - *size) return npy_too_large(r);
    *size += type.size;
    return ok;
}

/* Reads a list of fields. */
static int npy_record(npy_reader *r, npy_type *type)
{
    unsigned record = ++r->records;
    int      ok = npy_expect(r, '[');
    type->kind = 'r';
    type->swapped = 0;
    type->size = 0;
    r->type_id = npy_hash(r->type_id, '[');
    if (ok && npy_accept(r, ']')) return 1;
    while (ok && npy_field(r, record, &type->size))
        if (!npy_another(r, ']', &ok)) {
            r->type_id = npy_hash(r->type_id, ']');
            return ok;
        }
    return 0;
}

/* Reads a type: '<f4', [fields], or inside a record (type, shape). */
static int npy_any_type(npy_reader *r, npy_type *type)
{
    int ok, c = npy_peek(r);
    if (++r->nesting > NPY_MAX_NESTING)
        return npy_refuse(r, "descr is nested too deeply");
    if (c == '[') {
        ok = npy_record(r, type);
    } else if (c == '(' && r->nesting > 1) {
        r->at++;
        ok = npy_any_type(r, type) && npy_expect(r, ',') &&
             npy_subarray(r, type);
        npy_accept(r, ',');
        ok = ok && npy_expect(r, ')');
    } else {
        ok = npy_simple_type(r, type);
    }
    r->nesting--;
    return ok;
}

static int npy_by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int npy_names_differ(npy_reader *r)
{
    size_t i;
    if (r->name_count > 1)
        qsort(r->names, r->name_count, sizeof *r->names, npy_by_value);
    for (i = 1; i < r->name_count; i++)
        if (r->names[i] == r->names[i - 1])
            return npy_refuse(r, "descr has two fields of one name");
    return 1;
}

static int npy_descr(npy_reader *r, npy_array *a)
{
    npy_type type = { 0, 0, 0 };
    int      ok;
    npy_peek(r);
    a->descr = (const char *)r->at;
    ok = npy_any_type(r, &type) && npy_names_differ(r);
    free(r->names);
    r->names = NULL;
    if (!ok) return 0;
    a->descr_size = (size_t)(r->at - (const unsigned char *)a->descr);
    if (!type.size)
        return npy_refuse(r, "descr is of 0 bytes: there is nothing to move");
    a->kind = type.kind;
    a->swapped = type.swapped;
    a->elem_size = type.size;
    a->type_id = r->type_id;
    return 1;
}

/* ---- shape and dictionary ------------------------------------------------*/

static int npy_shape(npy_reader *r, npy_array *a)
{
    int more = 1, ok = 1, comma;
    if (!npy_accept(r, '(')) return npy_refuse(r, "the shape is not a tuple");
    if (npy_accept(r, ')')) return 1;
    while (more) {
        if (a->rank == NPY_MAX_RANK)
            return npy_refuse(r, "the rank is above %d", NPY_MAX_RANK);
        if (!npy_extent(r, &a->dims[a->rank++])) return 0;
        comma = npy_peek(r) == ',';
        more = npy_another(r, ')', &ok);
        if (a->rank == 1 && !comma && !more && ok)
            return npy_refuse(r, "the shape is not a tuple");
    }
    return ok;
}

/* Reads one `key: value` and notes the key in *seen. */
static int npy_entry(npy_reader *r, npy_array *a, unsigned *seen)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    char     key[16];
    uint64_t hash;
    unsigned k;
    if (!npy_string(r, key, sizeof key, &hash)) return 0;
    for (k = 0; k < 3 && strcmp(key, keys[k]); k++) {}
    if (k == 3) return npy_refuse(r, "the header has the key '%s'", key);
    if (*seen & 1u << k)
        return npy_refuse(r, "the header has the key '%s' twice", key);
    *seen |= 1u << k;
    if (!npy_expect(r, ':')) return 0;
    if (k == 0) return npy_descr(r, a);
    if (k == 1) return npy_bool(r, &a->fortran_order);
    return npy_shape(r, a);
}

static int npy_dictionary(npy_reader *r, npy_array *a)
{
    unsigned seen = 0;
    int      ok = npy_expect(r, '{'), more = ok;
    if (ok && npy_accept(r, '}')) more = 0;
    while (more) {
        if (!npy_entry(r, a, &seen)) return 0;
        more = npy_another(r, '}', &ok);
    }
    if (!ok) return 0;
    if (seen != 7)
        return npy_refuse(r, "the header lacks the key '%s'", !(seen & 1)
                          ? "descr" : !(seen & 2) ? "fortran_order" : "shape");
    if (npy_peek(r) >= 0) return npy_malformed(r);
    return 1;
}

/* Strides and the element count. An extent of 0 hides no overflow of others:
 * it counts as 1 in the strides, and every product is checked. */
static int npy_measure(npy_reader *r, npy_array *a)
{
    ptrdiff_t bytes = a->elem_size;
    int       empty = 0, i;
    for (i = 0; i < a->rank; i++) {
        int       axis = a->fortran_order ? i : a->rank - 1 - i;
        ptrdiff_t extent = a->dims[axis];
        a->strides[axis] = bytes;
        if (!extent) empty = 1;
        else if (bytes > PTRDIFF_MAX / extent)
            return npy_refuse(r, "the shape is of more bytes than can be");
        else bytes *= extent;
    }
    a->count = empty ? 0 : bytes / a->elem_size;
    return 1;
}

/* ---- a file --------------------------------------------------------------*/

/* Finds the header's text; *text is its offset. */
static int npy_frame(npy_reader *r, const unsigned char *bytes, size_t size,
                     size_t *text)
{
    size_t length;
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return npy_refuse(r, "it is not a .npy file");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return npy_refuse(r, "it is a .npy file of the unknown format %d.%d",
                          bytes[6], bytes[7]);
    r->version = bytes[6];
    *text = r->version == 1 ? 10 : 12;
    if (size < *text) return npy_refuse(r, "the .npy header is cut off");
    length = bytes[8] | (size_t)bytes[9] << 8;
    if (r->version > 1)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > size - *text)
        return npy_refuse(r, "the .npy header is cut off");
    if (length > NPY_MAX_HEADER)
        return npy_refuse(r, "the .npy header is of more than %ld bytes",
                          (long)NPY_MAX_HEADER);
    r->at = bytes + *text;
    r->end = r->at + length;
    *text += length;
    return 1;
}

/* Reads the .npy file that `size` bytes are. Returns 1, or 0 and why. */
static inline int npy_parse(npy_array *a, const void *file, size_t size,
                            char why[NPY_ERROR_SIZE])
{
    const unsigned char *bytes = (const unsigned char *)file;
    npy_reader r;
    size_t     data = 0, need;
    memset(&r, 0, sizeof r);
    memset(a, 0, sizeof *a);
    r.why = why;
    why[0] = 0;
    if (!npy_frame(&r, bytes, size, &data)) return 0;
    a->utf8 = r.version >= 3;
    if (!npy_dictionary(&r, a) || !npy_measure(&r, a)) return 0;
    need = (size_t)(a->count * a->elem_size);
    if (size - data != need)
        return npy_refuse(&r, "it holds %llu bytes of data, its shape needs "
                          "%llu", (unsigned long long)(size - data),
                          (unsigned long long)need);
    a->data = bytes + data;
    return 1;
}

/* ---- writing -------------------------------------------------------------*/

/* Appends a character to the text of a header. */
static void npy_put(unsigned char *text, size_t *used, long c)
{
    text[(*used)++] = (unsigned char)c;
}

static void npy_puts(unsigned char *text, size_t *used, const char *s)
{
    while (*s) npy_put(text, used, (unsigned char)*s++);
}

/* Appends descr as it was. *latin1: UTF-8 becomes Latin-1; *latin1 becomes 0 if
 * a character has no place there. */
static void npy_put_descr(const npy_array *a, unsigned char *text,
                          size_t *used, int *latin1)
{
    const unsigned char *at = (const unsigned char *)a->descr;
    const unsigned char *end = at + a->descr_size;
    while (at < end) {
        long c = a->utf8 && *latin1 ? npy_utf8(&at, end) : *at++;
        if (c > 255) *latin1 = 0;
        npy_put(text, used, c);
    }
}

/* The dictionary, in the very bytes that numpy.save writes. */
static size_t npy_put_dictionary(const npy_array *a, int rank,
                                 const ptrdiff_t *dims, unsigned char *text,
                                 int *latin1)
{
    size_t used = 0;
    char   number[32];
    int    axis, spare = 0;
    npy_puts(text, &used, "{'descr': ");
    npy_put_descr(a, text, &used, latin1);
    npy_puts(text, &used, ", 'fortran_order': False, 'shape': (");
    for (axis = 0; axis < rank; axis++) {
        int n = snprintf(number, sizeof number, "%td", dims[axis]);
        if (axis == 0) spare = 21 - n;      /* the first axis may grow */
        npy_puts(text, &used, number);
        if (axis + 1 < rank) npy_puts(text, &used, ", ");
        else if (rank == 1) npy_puts(text, &used, ",");
    }
    npy_puts(text, &used, "), }");
    while (spare-- > 0) npy_put(text, &used, ' ');
    return used;
}

/* The header of a C-order array of that shape, with the descr of `like`, word
 * for word. Format 1.0 if it can be, else 2.0, or 3.0 for what is not Latin-1.
 * Returns memory to free, of *size bytes, or NULL if there is none. */
static inline unsigned char *npy_header(const npy_array *like, int rank,
                                        const ptrdiff_t *dims, size_t *size)
{
    size_t room = like->descr_size + (size_t)rank * 24 + 256, used, frame, all;
    unsigned char *text = (unsigned char *)malloc(room), *header;
    int latin1 = 1, version, byte;
    if (!text) return NULL;
    used = npy_put_dictionary(like, rank, dims, text, &latin1);
    if (!latin1) used = npy_put_dictionary(like, rank, dims, text, &latin1);
    for (version = latin1 ? 1 : 3; ; version = 2) {
        frame = version == 1 ? 10 : 12;
        all = (frame + used + 1) / 64 * 64 + 64;
        if (version > 1 || all - frame < 65536) break;
    }
    header = (unsigned char *)malloc(all);
    if (header) {
        memset(header, ' ', all);
        memcpy(header, "\x93NUMPY", 6);
        header[6] = (unsigned char)version;
        header[7] = 0;
        for (byte = 8; byte < (int)frame; byte++)
            header[byte] = (unsigned char)((all - frame) >> 8 * (byte - 8));
        memcpy(header + frame, text, used);
        header[all - 1] = '\n';
    }
    free(text);
    *size = all;
    return header;
}

#endif
