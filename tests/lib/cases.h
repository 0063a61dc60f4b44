/* cases.h - reads the text cases of tests/cases (format: its README.md).
 *
 * Strict: a line, key or value it does not understand ends the reading with a
 * message, so that a damaged file cannot pass for a short one. */
#ifndef NDG_TEST_CASES_H
#define NDG_TEST_CASES_H

#include "arrays.h"

#include <errno.h>
#include <stdio.h>

#define CASE_LISTS   8      /* index and data arrays of a stitch */
#define CASE_PARTS   64     /* expected arrays of a partition */
#define CASE_DTYPES  16
#define CASE_COORDS  16

typedef struct tensor {
    const char  *dtype;         /* NULL: the key was not there */
    int          rank;
    ptrdiff_t    dim[ARRAY_RANK];
    ptrdiff_t    size;          /* elements */
    const char **word;          /* one word each, two for a complex number */
} tensor;

typedef struct test_case {
    const char *name, *source, *op, *policy, *error;
    int         from_end;
    int         has_axis, has_negative_axis;
    long long   axis, negative_axis, batch_dims, num_partitions;
    tensor      params, partitions;
    tensor      into, out;      /* of a scatter: one of them; out: its shape */
    int         has_out;
    tensor      indices[CASE_LISTS], data[CASE_LISTS];
    int         n_indices, n_data;
    tensor      expect[CASE_PARTS];
    int         n_expect;
    tensor      ignored;        /* grad and expect_grad: parsed, not used */
    const char *dtypes[CASE_DTYPES], *index_dtypes[CASE_DTYPES];
    int         n_dtypes, n_index_dtypes;
    int         has_bad;
    long long   bad_list, bad_more;
    long long   bad_position[CASE_COORDS], bad_value[CASE_COORDS];
    int         n_bad_position, n_bad_value;
} test_case;

typedef struct case_file {
    char *text, *next;
    long  line;
    char  problem[160];         /* why reading stopped */
} case_file;

/* ---- numbers and types ---------------------------------------------------*/

HELPER int parse_integer(const char *s, long long *v)
{
    char *end;
    if (*s != '-' && (*s < '0' || *s > '9')) return 0;
    errno = 0;
    *v = strtoll(s, &end, 10);
    return !errno && !*end && end != s;
}

HELPER int dtype_is_float(const char *t)
{
    return !strncmp(t, "float", 5) || !strcmp(t, "bfloat16");
}

HELPER int dtype_is_complex(const char *t)
{
    return !strncmp(t, "complex", 7);
}

/* Bytes of an element; 0: no such type. Strings are 8 fixed bytes here. */
HELPER ptrdiff_t dtype_bytes(const char *t)
{
    static const struct { const char *name; int bytes; } type[] = {
        { "bool", 1 }, { "int8", 1 }, { "uint8", 1 }, { "int16", 2 },
        { "uint16", 2 }, { "int32", 4 }, { "uint32", 4 }, { "int64", 8 },
        { "uint64", 8 }, { "float16", 2 }, { "bfloat16", 2 }, { "float32", 4 },
        { "float64", 8 }, { "float8_e5m2", 1 }, { "float8_e4m3fn", 1 },
        { "complex64", 8 }, { "complex128", 16 }, { "string", 8 },
        { "qint8", 1 }, { "quint8", 1 }, { "qint16", 2 }, { "quint16", 2 },
        { "qint32", 4 }
    };
    size_t i;
    for (i = 0; i < sizeof type / sizeof type[0]; i++)
        if (!strcmp(t, type[i].name)) return type[i].bytes;
    return 0;
}

/* The index type of that name, or -1. */
HELPER int dtype_index(const char *t)
{
    static const char *const name[INDEX_TYPES] = {
        "int32", "int8", "int16", "int64", "uint8", "uint16", "uint32",
        "uint64"
    };
    int i;
    for (i = 0; i < INDEX_TYPES; i++)
        if (!strcmp(t, name[i])) return i;
    return -1;
}

/* The bits of x as a sign, `exps` bits of exponent and `mans` of fraction,
 * nearest, ties to even. `fn`: no infinity, the top exponent holds numbers. */
HELPER uint32_t small_float(double x, int exps, int mans, int fn)
{
    int      bias = (1 << (exps - 1)) - 1, e = 0;
    uint32_t sign = 0, m, top = (1u << exps) - 1;
    double   f;
    if (x < 0 || (x == 0 && 1 / x < 0)) {
        sign = 1u << (exps + mans);
        x = -x;
    }
    if (x == 0) return sign;
    if (x != x) return sign | ((1u << (exps + mans)) - 1);
    while (x >= 2 && e < 4000) { x /= 2; e++; }
    while (x < 1) { x *= 2; e--; }
    while (e < 1 - bias) { x /= 2; e++; }        /* subnormal */
    f = x * (double)(1u << mans);
    m = (uint32_t)f;
    f -= m;
    if (f > 0.5 || (f >= 0.5 && (m & 1))) m++;
    /* with the hidden bit in m, a carry moves into the exponent by itself */
    m += (uint32_t)(e + bias - 1) << mans;
    if (m >= (fn ? (top << mans) + (1u << mans) - 1 : top << mans))
        m = fn ? (1u << (exps + mans)) - 1 : top << mans;
    return sign | m;
}

/* Writes one real number as a type that is neither string nor complex. */
HELPER void encode_real(const char *type, const char *word, double scale,
                        unsigned char *to)
{
    double    x = scale * strtod(word, 0);
    long long v = word[0] == '-' || !strpbrk(word, ".eE")
                ? (word[0] == '-' ? strtoll(word, 0, 10)
                                  : (long long)strtoull(word, 0, 10))
                : (long long)x;
    float     f = (float)x;
    uint16_t  h;
    uint8_t   q;
    if (!strcmp(type, "float64")) { memcpy(to, &x, 8); return; }
    if (!strcmp(type, "float32")) { memcpy(to, &f, 4); return; }
    if (!strcmp(type, "float16") || !strcmp(type, "bfloat16")) {
        h = (uint16_t)(type[0] == 'f' ? small_float(x, 5, 10, 0)
                                      : small_float(x, 8, 7, 0));
        memcpy(to, &h, 2);
        return;
    }
    if (!strncmp(type, "float8", 6)) {
        q = (uint8_t)(type[8] == '5' ? small_float(x, 5, 2, 0)
                                     : small_float(x, 4, 3, 1));
        memcpy(to, &q, 1);
        return;
    }
    switch (dtype_bytes(type)) {
    case 1:  index_put(to, NDG_I8, v); break;
    case 2:  index_put(to, NDG_I16, v); break;
    case 4:  index_put(to, NDG_I32, v); break;
    default: index_put(to, NDG_I64, v); break;
    }
}

HELPER void encode_string(const char *word, unsigned char *to)
{
    int i = 0;
    memset(to, 0, 8);
    if (*word == '"') word++;
    for (; *word && *word != '"' && i < 8; word++) {
        if (word[0] == '\\') {
            to[i++] = (unsigned char)strtol(word + 2, 0, 16);
            word += 3;
        } else {
            to[i++] = (unsigned char)*word;
        }
    }
}

/* The elements of t as `type`, in C order; free them. A real number becomes
 * v + 10 v i as a complex one, its decimal text as a string. */
HELPER unsigned char *tensor_bytes(const tensor *t, const char *type)
{
    ptrdiff_t      elem = dtype_bytes(type), i;
    int            pair = dtype_is_complex(t->dtype);
    unsigned char *bytes = (unsigned char *)malloc((size_t)(t->size * elem)
                                                   + 1);
    if (!bytes) exit(2);
    for (i = 0; i < t->size; i++) {
        unsigned char *to = bytes + i * elem;
        const char    *re = t->word[pair ? 2 * i : i];
        if (!strcmp(type, "string")) {
            encode_string(re, to);
        } else if (dtype_is_complex(type)) {
            const char *part = elem == 8 ? "float32" : "float64";
            encode_real(part, re, 1, to);
            encode_real(part, pair ? t->word[2 * i + 1] : re, pair ? 1 : 10,
                        to + elem / 2);
        } else {
            encode_real(type, re, 1, to);
        }
    }
    return bytes;
}

/* ---- reading -------------------------------------------------------------*/

HELPER int word_fits(const char *w, const char *type)
{
    char     *end;
    long long v;
    if (!strcmp(type, "string")) {
        size_t n = strlen(w), i;
        if (n < 2 || w[0] != '"' || w[n - 1] != '"') return 0;
        for (i = 1; i + 1 < n; i++) if (w[i] == '"' || w[i] == ' ') return 0;
        return 1;
    }
    if (dtype_is_float(type) || dtype_is_complex(type)) {
        strtod(w, &end);
        return end != w && !*end;
    }
    if (!strcmp(type, "uint64") && w[0] >= '0' && w[0] <= '9') {
        errno = 0;
        strtoull(w, &end, 10);
        return !errno && !*end;
    }
    if (!strcmp(type, "bool")) return (w[0] == '0' || w[0] == '1') && !w[1];
    return parse_integer(w, &v);
}

/* Cuts the next word, up to one blank, off *rest, which becomes NULL with the
 * last word. NULL at the end, or at a blank too many: then *rest stays. */
HELPER char *next_word(char **rest)
{
    char *w = *rest, *blank;
    if (!w || !*w) return 0;
    blank = strchr(w, ' ');
    if (blank && !blank[1]) return 0;
    if (blank) *blank = 0;
    *rest = blank ? blank + 1 : 0;
    return w;
}

/* [d0,d1,...] */
HELPER int parse_dims(char *s, tensor *t)
{
    long long d;
    char     *comma;
    size_t    n = strlen(s);
    if (n < 2 || s[0] != '[' || s[n - 1] != ']') return 0;
    s[n - 1] = 0;
    t->rank = 0;
    t->size = 1;
    for (s = s[1] ? s + 1 : 0; s; s = comma ? comma + 1 : 0) {
        comma = strchr(s, ',');
        if (comma) *comma = 0;
        if (!parse_integer(s, &d) || d < 0 || t->rank == ARRAY_RANK) return 0;
        t->dim[t->rank++] = (ptrdiff_t)d;
        t->size *= (ptrdiff_t)d;
    }
    return 1;
}

HELPER int parse_tensor(char *value, tensor *t)
{
    char     *type = next_word(&value), *dims = next_word(&value), *w;
    ptrdiff_t words, i = 0;
    if (!type || !dims || t->dtype || !dtype_bytes(type)) return 0;
    if (!parse_dims(dims, t)) return 0;
    t->dtype = type;
    words = t->size * (dtype_is_complex(type) ? 2 : 1);
    t->word = (const char **)malloc(((size_t)words + 1) * sizeof *t->word);
    if (!t->word) exit(2);
    while ((w = next_word(&value)) != 0) {
        if (i == words || !word_fits(w, type)) return 0;
        t->word[i++] = w;
    }
    return i == words && !value;
}

HELPER int parse_integers(char *value, long long *list, int *n)
{
    char *w;
    *n = 0;
    if (!*value) return 1;          /* the position of a scalar */
    while ((w = next_word(&value)) != 0)
        if (*n == CASE_COORDS || !parse_integer(w, &list[(*n)++])) return 0;
    return !value;
}

HELPER int parse_types(char *value, const char **list, int *n)
{
    char *w;
    while ((w = next_word(&value)) != 0) {
        if (*n == CASE_DTYPES || !dtype_bytes(w)) return 0;
        list[(*n)++] = w;
    }
    return *n > 0 && !value;
}

HELPER int one_of(const char *s, const char *names)
{
    size_t      n = strlen(s);
    const char *at;
    for (at = strstr(names, s); at; at = strstr(at + 1, s))
        if ((at == names || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return n > 0;
    return 0;
}

/* The number behind key in "indices12", or -1 for another key. */
HELPER int numbered(const char *key, const char *name)
{
    size_t    n = strlen(name);
    long long v;
    if (strncmp(key, name, n) || key[n] == '-' || !parse_integer(key + n, &v))
        return -1;
    return (int)v;
}

/* An array key; -1: not one. Numbered ones must come in order. */
HELPER int case_array(test_case *c, const char *key, char *value)
{
    int k;
    if (!strcmp(key, "params")) return parse_tensor(value, &c->params);
    if (!strcmp(key, "partitions")) return parse_tensor(value, &c->partitions);
    if (!strcmp(key, "into")) return parse_tensor(value, &c->into);
    if (!strcmp(key, "out"))
        return !c->has_out++ && parse_dims(value, &c->out);
    if (!strcmp(key, "indices")) k = 0; else k = numbered(key, "indices");
    if (k >= 0)
        return k < CASE_LISTS && k == c->n_indices
            && parse_tensor(value, &c->indices[c->n_indices++]);
    if (!strcmp(key, "data")) k = 0; else k = numbered(key, "data");
    if (k >= 0)
        return k < CASE_LISTS && k == c->n_data
            && parse_tensor(value, &c->data[c->n_data++]);
    if (!strcmp(key, "expect")) k = 0; else k = numbered(key, "expect");
    if (k >= 0)
        return k < CASE_PARTS && k == c->n_expect
            && parse_tensor(value, &c->expect[c->n_expect++]);
    if (!strcmp(key, "grad") || !strcmp(key, "expect_grad")
        || numbered(key, "expect_grad") >= 0) {
        free((void *)c->ignored.word);
        memset(&c->ignored, 0, sizeof c->ignored);
        return parse_tensor(value, &c->ignored);
    }
    return -1;
}

/* One line of a case: 1 if understood. */
HELPER int case_line(test_case *c, const char *key, char *value)
{
    int known = case_array(c, key, value);
    if (known >= 0) return known;
    if (!strcmp(key, "source")) { c->source = value; return 1; }
    if (!strcmp(key, "note") || !strcmp(key, "differs")
        || !strcmp(key, "tf_error")) return 1;
    if (!strcmp(key, "op")) {
        c->op = value;
        return one_of(value, "gather_nd gather batch_gather dynamic_stitch "
                             "parallel_dynamic_stitch dynamic_partition "
                             "scatter_nd");
    }
    if (!strcmp(key, "policy")) {
        c->policy = value;
        return one_of(value, "error zero drop clip wrap");
    }
    if (!strcmp(key, "negative")) {
        c->from_end = 1;
        return !strcmp(value, "from_end");
    }
    if (!strcmp(key, "error")) {
        c->error = value;
        return one_of(value, "index rank depth axis batch_dims batch_shape "
                             "shape count dtype");
    }
    if (!strcmp(key, "axis"))
        return c->has_axis = 1, parse_integer(value, &c->axis);
    if (!strcmp(key, "negative_axis"))
        return c->has_negative_axis = 1,
               parse_integer(value, &c->negative_axis);
    if (!strcmp(key, "batch_dims"))
        return parse_integer(value, &c->batch_dims);
    if (!strcmp(key, "num_partitions"))
        return parse_integer(value, &c->num_partitions);
    if (!strcmp(key, "also_dtypes"))
        return parse_types(value, c->dtypes, &c->n_dtypes);
    if (!strcmp(key, "also_index_dtypes"))
        return parse_types(value, c->index_dtypes, &c->n_index_dtypes);
    if (!strcmp(key, "bad_list")) return parse_integer(value, &c->bad_list);
    if (!strcmp(key, "bad_more"))
        return c->has_bad = 1, parse_integer(value, &c->bad_more);
    if (!strcmp(key, "bad_position"))
        return parse_integers(value, c->bad_position, &c->n_bad_position);
    if (!strcmp(key, "bad_value"))
        return parse_integers(value, c->bad_value, &c->n_bad_value);
    return 0;
}

HELPER int case_open(case_file *f, const char *path)
{
    FILE  *in = fopen(path, "rb");
    long   n;
    memset(f, 0, sizeof *f);
    if (!in) return 0;
    if (fseek(in, 0, SEEK_END) || (n = ftell(in)) < 0) { fclose(in); return 0; }
    rewind(in);
    f->text = (char *)malloc((size_t)n + 1);
    if (!f->text) exit(2);
    if (fread(f->text, 1, (size_t)n, in) != (size_t)n) n = 0;
    fclose(in);
    f->text[n] = 0;
    f->next = f->text;
    return n > 0 && (long)strlen(f->text) == n;
}

/* The policy of a case that was read. */
HELPER int policy_of(const test_case *c)
{
    if (!strcmp(c->policy, "zero")) return NDG_ZERO;
    if (!strcmp(c->policy, "drop")) return NDG_DROP;
    if (!strcmp(c->policy, "clip")) return NDG_CLIP;
    if (!strcmp(c->policy, "wrap")) return NDG_WRAP;
    return NDG_ERROR;
}

HELPER void case_free(test_case *c)
{
    int i;
    free((void *)c->params.word);
    free((void *)c->partitions.word);
    free((void *)c->into.word);
    free((void *)c->ignored.word);
    for (i = 0; i < c->n_indices; i++) free((void *)c->indices[i].word);
    for (i = 0; i < c->n_data; i++) free((void *)c->data[i].word);
    for (i = 0; i < c->n_expect; i++) free((void *)c->expect[i].word);
    memset(c, 0, sizeof *c);
}

/* What a case must have, whatever its op. */
HELPER int case_complete(const test_case *c)
{
    int indexed = c->error && !strcmp(c->error, "index");
    if (!c->op || !c->policy || !c->source) return 0;
    if (strncmp(c->name, c->op, strlen(c->op)) || c->name[strlen(c->op)] != '/')
        return 0;
    if (!c->error != (c->n_expect > 0) || indexed != c->has_bad) return 0;
    if (indexed && c->n_bad_value < 1) return 0;
    if (!strcmp(c->op, "scatter_nd"))
        return c->n_indices == 1 && c->n_data == 1 && !c->params.dtype
            && !c->partitions.dtype && (c->into.dtype == 0) == c->has_out;
    if (c->into.dtype || c->has_out) return 0;
    if (!strcmp(c->op, "dynamic_partition"))
        return c->n_data == 1 && c->partitions.dtype && !c->params.dtype
            && (c->error || c->n_expect == c->num_partitions);
    if (strstr(c->op, "stitch")) return c->n_indices > 0 && c->n_data > 0;
    return c->params.dtype && c->n_indices == 1 && !c->n_data;
}

/* The next case: 1; 0 at the end; -1 and f->problem. */
HELPER int case_read(case_file *f, test_case *c)
{
    memset(c, 0, sizeof *c);
    for (;;) {
        char *line = f->next, *end, *colon;
        int   last = !*line;
        if (last && !c->name) return 0;
        end = strchr(line, '\n');
        if (!last && !end) {
            sprintf(f->problem, "line %ld: no end of line", f->line + 1);
            return -1;
        }
        if (!last) {
            f->line++;
            *end = 0;
            f->next = end + 1;
        }
        if (!*line) {               /* a blank line, or the end */
            if (c->name && case_complete(c)) return 1;
            sprintf(f->problem, "line %ld: an incomplete case", f->line);
            return -1;
        }
        colon = strchr(line, ':');
        if (!colon || (colon[1] && colon[1] != ' ')) {
            sprintf(f->problem, "line %ld: no `key: value`", f->line);
            return -1;
        }
        *colon = 0;
        colon += colon[1] ? 2 : 1;
        if (!c->name) {
            if (!strcmp(line, "case") && *colon) { c->name = colon; continue; }
        } else if (case_line(c, line, colon)) {
            continue;
        }
        sprintf(f->problem, "line %ld: cannot parse %.60s", f->line, line);
        return -1;
    }
}

#endif
