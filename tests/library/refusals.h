/* refusals.h - every call of ndgather.h by a line of text: what it is given,
 * and what is said if it is refused. test_report has the lines.
 *
 * A line changes what a call is given as a rule: key, value, key, value. Shapes
 * are "3,4", with strides "3:16,4:4", of rank 0 "()", "rank-2"; "lost6" has no
 * dims, "lost6s" no strides, "none2" is ndg_dims(2, NULL, NULL), "deep20" 20
 * axes of 1 and 2 by turns, "twos20" of 2 with strides that do not fold, and
 * "nest20" with such as an output may have. Numbers may be MAX, MIN, INTMAX,
 * INTMIN or half (2^32, or 2^16), and "MAX/4+1"; pointers are bytes from the
 * beginning of a box, or "null". "put 0,7" are indices, of the type that was
 * named before, and "shape 2,3" is that which the words are asked for with. '*'
 * stands, in both texts, for each of the numbers that the line has. */
#ifndef NDG_TEST_REFUSALS_H
#define NDG_TEST_REFUSALS_H

#include "../lib/test.h"
#include "../lib/arrays.h"

#include <limits.h>

enum { STATUSES = NDG_STATUS_COUNT, ARGS = NDG_ARG_OUT_STRIDE + 1 };
enum { ACCEPTED = NDG_OK, GAP = NDG_E_GAP, INDEX = NDG_E_INDEX,
       CAPACITY = NDG_E_CAPACITY, SCRATCH = NDG_E_SCRATCH,
       OVERLAP = NDG_E_OVERLAP, RANGE = NDG_E_RANGE, NOTHING = NDG_E_NULL,
       OPTION = NDG_E_OPTION, TYPE = NDG_E_TYPE, COUNT = NDG_E_COUNT,
       RANK = NDG_E_RANK, AXIS = NDG_E_AXIS, BATCH_DIMS = NDG_E_BATCH_DIMS,
       BATCH_SHAPE = NDG_E_BATCH_SHAPE, DEPTH = NDG_E_DEPTH,
       SHAPE = NDG_E_SHAPE, STRIDE = NDG_E_STRIDE, OVERFLOWS = NDG_E_OVERFLOW,
       LEVELS = NDG_E_LEVELS };

static unsigned char seen[STATUSES][ARGS];     /* told of by a line */
static ndg_report    r;                        /* of the last call */
static unsigned char box[4096];                /* where arrays are that fit */
static const int32_t ids[8] = { 0, 1, 2, 0, 1, 2, 0, 1 };

/* ---- what a call is given ------------------------------------------------*/

static struct bench {
    ndg_gather_desc    g;
    ndg_stitch_desc    s;
    ndg_partition_desc p;
    ndg_scatter_desc   x;
    ndg_stitch_input   in[2];
    ndg_list           list[2];
    int                has_plan, has_desc, has_lists, has_total, has_outs,
                       has_counts, has_cursors, type, policy;
    const void        *to, *from, *at, *scratch;
    ptrdiff_t          room, first, last, lists, marks, total;
    ptrdiff_t          rows, row_bytes, row_stride, count;
    void              *outs[3], *where[3];
    ptrdiff_t          counts[3], cursors[3];
    ndg_shape          shape;
} b;

static struct plans {
    ndg_gather_plan    g;
    ndg_stitch_plan    s;
    ndg_partition_plan p;
    ndg_scatter_plan   x;
} made;

/* params [3,4] of 4 bytes by two indices; slices [2] of 4 bytes in two lists of
 * 3; eight rows of [2] for 3 parts; out [3,4] of a scatter by two indices. */
static void bench_begin(char family)
{
    int m;
    memset(&b, 0, sizeof b);
    b.g.params = b.x.out = ndg_dims2(3, 4);
    b.g.indices = ndg_dims1(2);
    b.x.indices = ndg_dims2(2, 1);
    b.s.slice = ndg_dims1(2);
    b.p.data = ndg_dims2(8, 2);
    b.p.partitions = ndg_dims1(8);
    b.p.num_partitions = 3;
    b.g.elem_size = b.s.elem_size = b.p.elem_size = b.x.elem_size = 4;
    b.has_plan = b.has_desc = b.has_lists = b.has_total = b.has_outs = 1;
    b.has_counts = b.has_cursors = 1;
    b.shape.rank = -1;
    b.to = box;
    b.from = box + 1024;
    b.at = ids;
    b.room = family == 'g' ? 32 : family == 's' ? 24 : 48;
    b.last = family == 'g' ? 2 : family == 'p' ? 8 : 3;
    b.total = 3;
    b.lists = b.rows = b.count = 2;
    b.row_bytes = 16;
    for (m = 0; m < 2; m++) {
        b.list[m].indices = b.in[m].indices = ids;
        b.list[m].data = b.in[m].data = box + 64 * (m + 1);
        b.list[m].count = 3;
        b.in[m].indices_shape = ndg_dims1(3);
        b.in[m].data_shape = ndg_dims2(3, 2);
    }
    for (m = 0; m < 3; m++) {
        b.outs[m] = box + 2048 + 64 * m;
        b.where[m] = box + 3072 + 64 * m;
        b.counts[m] = 8;
    }
}

enum { SIZE, INTEGER, SUM, PLACE, EXTENTS, VALUES };

#define F(family, name, kind, member)                                         \
    { family, name, kind, offsetof(struct bench, member) }
#define OPTIONS_OF(c, d)                                                      \
    F(c, "elem", SIZE, d.elem_size), F(c, "type", INTEGER, d.index_type),     \
    F(c, "policy", INTEGER, d.policy), F(c, "overlap", INTEGER, d.overlap),   \
    F(c, "features", INTEGER, d.features)

static const struct field {
    char        family;             /* '*': any */
    const char *name;
    int         kind;
    size_t      at;
} fields[] = {
    OPTIONS_OF('g', g), OPTIONS_OF('s', s), OPTIONS_OF('p', p),
    OPTIONS_OF('x', x), F('g', "params", EXTENTS, g.params),
    F('g', "indices", EXTENTS, g.indices), F('g', "out", EXTENTS, g.out),
    F('g', "axis", INTEGER, g.axis), F('g', "batch", INTEGER, g.batch_dims),
    F('g', "negative", INTEGER, g.negative),
    F('g', "mask", SUM, g.index_mask), F('g', "add", SUM, g.index_add),
    F('s', "slice", EXTENTS, s.slice), F('s', "gaps", INTEGER, s.gaps),
    F('s', "out_slice", EXTENTS, s.out_slice),
    F('s', "out_stride", SIZE, s.out_stride),
    F('p', "data", EXTENTS, p.data), F('p', "ids", EXTENTS, p.partitions),
    F('p', "out_slice", EXTENTS, p.out_slice),
    F('p', "out_stride", SIZE, p.out_stride),
    F('p', "parts", SIZE, p.num_partitions),
    F('p', "position", INTEGER, p.position_type),
    F('x', "out", EXTENTS, x.out), F('x', "indices", EXTENTS, x.indices),
    F('x', "data", EXTENTS, x.data), F('x', "batch", INTEGER, x.batch_dims),
    F('x', "negative", INTEGER, x.negative), F('x', "gaps", INTEGER, x.gaps),
    F('x', "mask", SUM, x.index_mask), F('x', "add", SUM, x.index_add),
    F('*', "plan", INTEGER, has_plan), F('*', "desc", INTEGER, has_desc),
    F('*', "lists", INTEGER, has_lists), F('*', "totals", INTEGER, has_total),
    F('*', "outs", INTEGER, has_outs), F('*', "counts", INTEGER, has_counts),
    F('*', "cursors", INTEGER, has_cursors), F('*', "to", PLACE, to),
    F('*', "from", PLACE, from), F('*', "at", PLACE, at),
    F('*', "put", VALUES, at), F('*', "shape", EXTENTS, shape),
    F('*', "scratch", PLACE, scratch), F('*', "marks", SIZE, marks),
    F('*', "room", SIZE, room), F('*', "first", SIZE, first),
    F('*', "last", SIZE, last), F('*', "inputs", SIZE, lists),
    F('*', "total", SIZE, total), F('*', "rows", SIZE, rows),
    F('*', "row_bytes", SIZE, row_bytes),
    F('*', "row_stride", SIZE, row_stride), F('*', "count", SIZE, count),
    F('*', "row_type", INTEGER, type), F('*', "row_policy", INTEGER, policy),
#define LIST_OF(m, n)                                                         \
    F('s', "at" n, PLACE, list[m].indices),                                   \
    F('s', "from" n, PLACE, list[m].data),                                    \
    F('s', "count" n, SIZE, list[m].count),                                   \
    F('s', "atstep" n, SIZE, list[m].index_stride),                           \
    F('s', "step" n, SIZE, list[m].data_stride),                              \
    F('s', "ids" n, PLACE, in[m].indices),                                    \
    F('s', "put" n, VALUES, list[m].indices),                                 \
    F('s', "inputs_put" n, VALUES, in[m].indices),                            \
    F('s', "rows" n, PLACE, in[m].data),                                      \
    F('s', "indices" n, EXTENTS, in[m].indices_shape),                        \
    F('s', "data" n, EXTENTS, in[m].data_shape)
    LIST_OF(0, "0"), LIST_OF(1, "1"),
#define PART_OF(m, n)                                                         \
    F('p', "to" n, PLACE, outs[m]), F('p', "where" n, PLACE, where[m]),       \
    F('p', "room" n, SIZE, counts[m]), F('p', "cursor" n, SIZE, cursors[m])
    PART_OF(0, "0"), PART_OF(1, "1"), PART_OF(2, "2")
};

static ptrdiff_t star;              /* what '*' stands for */

static void no_such(const char *what, const char *text)
{
    printf("no such %s: %s\n", what, text);
    exit(3);
}

static ptrdiff_t number(const char **s)
{
    static const struct { const char *name; ptrdiff_t value; } names[] = {
        { "MAX", PTRDIFF_MAX }, { "MIN", PTRDIFF_MIN }, { "INTMAX", INT_MAX },
        { "INTMIN", INT_MIN }, { "*", 0 },
        { "half", (ptrdiff_t)1 << (4 * sizeof(ptrdiff_t)) }
    };
    const int negative = **s == '-' && !(s[0][1] >= '0' && s[0][1] <= '9');
    ptrdiff_t v = 0;
    size_t    k, n;
    char     *end;
    *s += negative;
    for (k = 0; k < sizeof names / sizeof *names; k++) {
        n = strlen(names[k].name);
        if (strncmp(*s, names[k].name, n)) continue;
        v = k == 4 ? star : names[k].value;
        *s += n;
        break;
    }
    if (k == sizeof names / sizeof *names) {
        v = (ptrdiff_t)strtoll(*s, &end, 10);
        if (end == *s) no_such("number", *s);
        *s = end;
    }
    if (negative) v = -v;
    while (**s && strchr("/*+-", **s)) {
        const char      op = *(*s)++;
        const ptrdiff_t w = (ptrdiff_t)strtoll(*s, &end, 10);
        *s = end;
        v = op == '/' ? v / w : op == '*' ? v * w : op == '+' ? v + w : v - w;
    }
    return v;
}

static ndg_shape shape_of(const char *s, ndg_shape before)
{
    static ptrdiff_t extents[8][24], steps[8][24];
    static int       turn;
    ptrdiff_t       *dims = extents[turn = (turn + 1) % 8], *strides, step = 8;
    ndg_shape        shape = before;
    int              rank = 0, strided = 0, k;
    strides = steps[turn];
    if (!strcmp(s, "()")) return ndg_dims(0, NULL, NULL);
    if (!strcmp(s, "strided")) {
        shape.strided = 1;
        return shape;
    }
    if (*s >= 'a' && strncmp(s, "half", 4)) {   /* a word and a rank */
        const char *word = s;
        s += 4;
        rank = (int)number(&s);
        if (!strncmp(word, "none", 4)) return ndg_dims(rank, NULL, NULL);
        for (k = 23; k >= 0; k--) {
            dims[k] = *word == 'd' ? 1 + k % 2 : *word == 'l' ? 1 : 2;
            strides[k] = *word == 'n' ? step : k % 2 ? 8 : 12;
            if (k < rank) step = 2 * step + 4;
        }
        if (*word != 'r')
            shape = ndg_dims(rank, dims, strchr("tn", *word) ? strides : NULL);
        shape.rank = rank;
        if (*word == 'l' && *s == 's') shape.strided = 1;
        else if (*word == 'l') shape.dims = NULL;
        return shape;
    }
    for (; *s; s += *s == ',') {
        dims[rank] = number(&s);
        if (*s == ':') {
            s++;
            strided = 1;
            strides[rank] = number(&s);
        }
        rank++;
    }
    return ndg_dims(rank, dims, strided ? strides : NULL);
}

/* Indices in memory of their own, of which there is enough for a line. */
static const void *values_of(char family, const char *s)
{
    static unsigned char values[4][64];
    static int           turn;
    unsigned char       *to = values[turn = (turn + 1) % 4];
    const int type = family == 'g' ? b.g.index_type
                   : family == 'x' ? b.x.index_type : b.p.index_type;
    ptrdiff_t n = 0;
    for (; *s; s += *s == ',')
        index_put(to + n++ * index_bytes(type), type, number(&s));
    return to;
}

static void field_set(char family, const char *name, const char *value)
{
    const struct field *f = fields;
    const struct field *end = fields + sizeof fields / sizeof *fields;
    void               *at;
    while (f < end && (strcmp(f->name, name)
                       || (f->family != '*' && f->family != family))) f++;
    if (f == end) no_such("key", name);
    at = (char *)&b + f->at;
    if (f->kind == SIZE) *(ptrdiff_t *)at = number(&value);
    else if (f->kind == INTEGER) *(int *)at = (int)number(&value);
    else if (f->kind == SUM) *(int64_t *)at = number(&value);
    else if (f->kind == VALUES)
        *(const void **)at = values_of(family, value);
    else if (f->kind == EXTENTS)
        *(ndg_shape *)at = shape_of(value, *(ndg_shape *)at);
    else if (!strcmp(value, "ids")) *(const void **)at = ids + 1;
    else *(void **)at = strcmp(value, "null") ? box + number(&value) : NULL;
    if (*value && f->kind < PLACE) no_such("value", value);
}

static void bench_set(char family, const char *text)
{
    char name[40], value[80];
    int  used;
    while (sscanf(text, " %39s %79s%n", name, value, &used) == 2) {
        field_set(family, name, value);
        text += used;
    }
}

/* ---- calls ---------------------------------------------------------------*/

static int is_gather;               /* which of the three; and of runs */

static int plan_gather(ndg_report *p)
{
    ndg_gather_plan       *plan = b.has_plan ? &made.g : NULL;
    const ndg_gather_desc *d = b.has_desc ? &b.g : NULL;
    return is_gather == NDG_OP_GATHER ? ndg_plan_gather(plan, d, p)
         : is_gather == NDG_OP_GATHER_ND ? ndg_plan_gather_nd(plan, d, p)
         : ndg_plan_batch_gather(plan, d, p);
}

static int plan_stitch(ndg_report *p)
{
    return ndg_plan_stitch(b.has_plan ? &made.s : NULL,
                           b.has_desc ? &b.s : NULL, p);
}

static int plan_partition(ndg_report *p)
{
    return ndg_plan_partition(b.has_plan ? &made.p : NULL,
                              b.has_desc ? &b.p : NULL, p);
}

static int plan_scatter(ndg_report *p)
{
    return ndg_plan_scatter_nd(b.has_plan ? &made.x : NULL,
                               b.has_desc ? &b.x : NULL, p);
}

/* A plan for a run: it must be; 0 is NULL, 2 one that was never made. */
#define PLAN_OF(member)                                                       \
    (b.has_plan ? b.has_plan == 2 ? memset(&made.member, 0,                   \
                                           sizeof made.member)                \
                                  : (void *)&made.member : NULL)
#define OUT ((void *)(uintptr_t)b.to)

static int gather_run(ndg_report *p)
{
    return ndg_gather_run(PLAN_OF(g), OUT, b.room, b.from, b.at, p);
}

static int gather_range(ndg_report *p)
{
    return ndg_gather_run_range(PLAN_OF(g), OUT, b.room, b.from, b.at,
                                b.first, b.last, p);
}

static int gather_check(ndg_report *p)
{
    return ndg_gather_check(PLAN_OF(g), b.at, b.first, b.last, p);
}

static int gather_fits(ndg_report *p)
{
    return ndg_gather_fits(PLAN_OF(g), OUT, b.room, b.from, b.at, b.first,
                           b.last, p);
}

static int gather_once(ndg_report *p)
{
    const ndg_gather_desc *d = b.has_desc ? &b.g : NULL;
    return is_gather == NDG_OP_GATHER
         ? ndg_gather(OUT, b.room, b.from, b.at, d, p)
         : is_gather == NDG_OP_GATHER_ND
         ? ndg_gather_nd(OUT, b.room, b.from, b.at, d, p)
         : ndg_batch_gather(OUT, b.room, b.from, b.at, d, p);
}

static int gather_rows(ndg_report *p)
{
    return ndg_gather_rows(OUT, b.room, b.from, b.rows, b.row_bytes,
                           b.row_stride, b.at, b.type, b.count, b.policy, p);
}

static int scatter_rows(ndg_report *p)
{
    return ndg_scatter_rows(OUT, b.room, b.rows, b.row_bytes, b.row_stride,
                            b.from, b.at, b.type, b.count, b.policy, p);
}

static int scatter_run(ndg_report *p)
{
    return ndg_scatter_run(PLAN_OF(x), OUT, b.room, b.from, b.at, p);
}

static int scatter_range(ndg_report *p)
{
    return ndg_scatter_run_range(PLAN_OF(x), OUT, b.room, b.from, b.at,
                                 b.first, b.last, p);
}

static int scatter_fits(ndg_report *p)
{
    return ndg_scatter_fits(PLAN_OF(x), OUT, b.room, b.from, b.at, b.first,
                            b.last, p);
}

static int scatter_check(ndg_report *p)
{
    return ndg_scatter_check(PLAN_OF(x), b.at, b.first, b.last, p);
}

static int scatter_once(ndg_report *p)
{
    return ndg_scatter_nd(OUT, b.room, b.from, b.at,
                          b.has_desc ? &b.x : NULL, p);
}

#define LISTS_OF(lists) (b.has_lists ? lists : NULL)

static int list_from(ndg_report *p)
{
    return ndg_list_from(LISTS_OF(b.list), b.has_total ? b.in : NULL,
                         b.has_desc ? &b.s : NULL, p);
}

static int stitch_total(ndg_report *p)
{
    ptrdiff_t total;
    return ndg_stitch_total(PLAN_OF(s), LISTS_OF(b.list), b.lists,
                            b.has_total ? &total : NULL, p);
}

static int stitch_run(ndg_report *p)
{
    return ndg_stitch_run(PLAN_OF(s), OUT, b.room, b.total, LISTS_OF(b.list),
                          b.lists, (void *)(uintptr_t)b.scratch, b.marks, p);
}

static int stitch_range(ndg_report *p)
{
    return ndg_stitch_run_range(PLAN_OF(s), OUT, b.room, b.total,
                                LISTS_OF(b.list), b.lists, b.first, b.last,
                                (void *)(uintptr_t)b.scratch, b.marks, p);
}

static int stitch_once(ndg_report *p)
{
    ptrdiff_t total = -7;
    const int got = ndg_dynamic_stitch(OUT, b.room,
                                       b.has_total ? &total : NULL,
                                       LISTS_OF(b.in), b.lists,
                                       b.has_desc ? &b.s : NULL, p);
    CHECK(!b.has_total || total != -7);
    return got;
}

static int parallel_once(ndg_report *p)
{
    ptrdiff_t total;
    return ndg_parallel_dynamic_stitch(OUT, b.room,
                                       b.has_total ? &total : NULL,
                                       LISTS_OF(b.in), b.lists,
                                       b.has_desc ? &b.s : NULL, p);
}

#define OUTS    (b.has_outs ? b.outs : NULL)
#define COUNTS  (b.has_counts ? b.counts : NULL)
#define CURSORS (b.has_cursors ? b.cursors : NULL)

static int partition_count(ndg_report *p)
{
    return ndg_partition_count(PLAN_OF(p), b.at, b.first, b.last, COUNTS, p);
}

static int partition_run(ndg_report *p)
{
    return ndg_partition_run(PLAN_OF(p), OUTS, b.where, b.from, b.at, b.last,
                             COUNTS, CURSORS, p);
}

static int partition_range(ndg_report *p)
{
    return ndg_partition_run_range(PLAN_OF(p), OUTS, b.where, b.from, b.at,
                                   b.first, b.last, CURSORS, COUNTS, p);
}

static int partition_once(ndg_report *p)
{
    return ndg_dynamic_partition(OUTS, b.where, COUNTS, CURSORS, b.from, b.at,
                                 b.has_desc ? &b.p : NULL, p);
}

typedef int call(ndg_report *);

/* op: as reports name it. A call with `plan` runs one that is made before; one
 * without makes it, and `once` is both. */
static const struct calls {
    const char *name;
    char        family;
    int         op;
    call       *call, *plan, *once;
} calls[] = {
    { "gather", 'g', NDG_OP_GATHER, plan_gather, 0, gather_once },
    { "gather_nd", 'g', NDG_OP_GATHER_ND, plan_gather, 0, gather_once },
    { "batch_gather", 'g', NDG_OP_BATCH_GATHER, plan_gather, 0, gather_once },
    { "gather run", 'g', NDG_OP_GATHER, gather_run, plan_gather, 0 },
    { "gather range", 'g', NDG_OP_GATHER, gather_range, plan_gather, 0 },
    { "gather check", 'g', NDG_OP_GATHER, gather_check, plan_gather, 0 },
    { "gather fits", 'g', NDG_OP_GATHER, gather_fits, plan_gather, 0 },
    { "gather once", 'g', NDG_OP_GATHER, gather_once, 0, 0 },
    { "gather_nd once", 'g', NDG_OP_GATHER_ND, gather_once, 0, 0 },
    { "gather rows", 'g', NDG_OP_GATHER_ROWS, gather_rows, 0, 0 },
    { "stitch", 's', NDG_OP_DYNAMIC_STITCH, plan_stitch, 0, 0 },
    { "list", 's', NDG_OP_DYNAMIC_STITCH, list_from, 0, 0 },
    { "stitch total", 's', NDG_OP_DYNAMIC_STITCH, stitch_total, plan_stitch,
      0 },
    { "stitch run", 's', NDG_OP_DYNAMIC_STITCH, stitch_run, plan_stitch, 0 },
    { "stitch range", 's', NDG_OP_DYNAMIC_STITCH, stitch_range, plan_stitch,
      0 },
    { "stitch once", 's', NDG_OP_DYNAMIC_STITCH, stitch_once, 0, 0 },
    { "parallel once", 's', NDG_OP_PARALLEL_DYNAMIC_STITCH, parallel_once, 0,
      0 },
    { "partition", 'p', NDG_OP_DYNAMIC_PARTITION, plan_partition, 0,
      partition_once },
    { "partition count", 'p', NDG_OP_DYNAMIC_PARTITION, partition_count,
      plan_partition, 0 },
    { "partition run", 'p', NDG_OP_DYNAMIC_PARTITION, partition_run,
      plan_partition, 0 },
    { "partition range", 'p', NDG_OP_DYNAMIC_PARTITION, partition_range,
      plan_partition, 0 },
    { "partition once", 'p', NDG_OP_DYNAMIC_PARTITION, partition_once, 0, 0 },
    { "scatter", 'x', NDG_OP_SCATTER_ND, plan_scatter, 0, scatter_once },
    { "scatter run", 'x', NDG_OP_SCATTER_ND, scatter_run, plan_scatter, 0 },
    { "scatter range", 'x', NDG_OP_SCATTER_ND, scatter_range, plan_scatter, 0 },
    { "scatter fits", 'x', NDG_OP_SCATTER_ND, scatter_fits, plan_scatter, 0 },
    { "scatter check", 'x', NDG_OP_SCATTER_ND, scatter_check, plan_scatter,
      0 },
    { "scatter once", 'x', NDG_OP_SCATTER_ND, scatter_once, 0, 0 },
    { "scatter rows", 'x', NDG_OP_SCATTER_ROWS, scatter_rows, 0, 0 }
};

/* ---- lines ---------------------------------------------------------------*/

/* of: which call, of this line and those behind it. */
typedef struct line {
    const char *of, *with, *set;
    int         status;
    const char *says;
} line;

#define OF(call)                   { call, "", "", 0, "" }
#define R(set, status, says)       { 0, "0", set, status, says }
#define W(with, set, status, says) { 0, with, set, status, says }

static const struct calls *at_work;
static char                doing[200];          /* for failure messages */

static void see(int ok, const char *what, const char *text)
{
    CHECKF(ok, "%s: %s: %s", doing, what, text);
}

/* The words of the last report, of `shape`, are these, at any capacity. */
static void see_words(const ndg_shape *shape, const char *want)
{
    char            text[256], part[256];
    const ptrdiff_t n = ndg_report_text(text, sizeof text, &r, shape);
    ptrdiff_t       cap, right = 1;
    seen[r.status][r.operand] = 1;
    see(!strcmp(text, want), text, want);
    see(n == (ptrdiff_t)strlen(text)
        && ndg_report_text(NULL, 0, &r, shape) == n
        && ndg_report_text(NULL, PTRDIFF_MIN, &r, shape) == n, "length", text);
    for (cap = 0; cap <= n + 1; cap++) {
        const ptrdiff_t kept = cap > n ? n : cap - 1;
        memset(part, '~', sizeof part);
        right &= ndg_report_text(part, cap, &r, shape) == n
              && part[cap] == '~'
              && (cap == 0 || (!memcmp(part, text, (size_t)kept)
                               && part[kept] == 0));
    }
    see(right != 0, "cut off", text);
}

/* Without a plan, which would say what was asked for, a gather or a scatter has
 * no name; nor has what is done and has no bad rows. */
static int op_of(const line *l)
{
    if (!strncmp(l->says, "done", 4)) return NDG_OP_NONE;
    return at_work->plan && !strncmp(l->says, "plan", 4)
        && strchr("gx", at_work->family) ? NDG_OP_NONE : at_work->op;
}

/* What a line says, with its number and whose words they are. */
static const char *words_of(const line *l)
{
    static const char *const name[] = {
        "", "gather_rows", "gather_nd", "gather", "batch_gather",
        "dynamic_stitch", "parallel_dynamic_stitch", "dynamic_partition",
        "scatter_nd", "scatter_rows"
    };
    static char text[256];
    const char *s = l->says;
    char       *to = text;
    if (op_of(l)) to += sprintf(to, "%s: ", name[at_work->op]);
    for (; *s; s++)
        if (*s == '*') to += sprintf(to, "%ld", (long)star);
        else *to++ = *s;
    *to = 0;
    return text;
}

static void *plan_at_work(size_t *n)
{
    switch (at_work->family) {
    case 'g': *n = sizeof made.g; return &made.g;
    case 's': *n = sizeof made.s; return &made.s;
    case 'p': *n = sizeof made.p; return &made.p;
    default:  *n = sizeof made.x; return &made.x;
    }
}

/* A plan that was refused is all zeros, and runs as little as none. Shapes that
 * do not fit have no output's. */
static void see_refused_plan(void)
{
    size_t      k, n;
    const char *p = (const char *)plan_at_work(&n);
    see(!p[0] && !memcmp(p, p + 1, n - 1), "a refused plan", "not zero");
    if (at_work->family == 'g' && r.status >= NDG_E_RANK
        && r.status <= NDG_E_SHAPE && r.operand != NDG_ARG_OUT) {
        ptrdiff_t dims[ARRAY_RANK];
        see((is_gather == NDG_OP_GATHER ? ndg_gather_out_dims
             : is_gather == NDG_OP_GATHER_ND ? ndg_gather_nd_out_dims
             : ndg_batch_gather_out_dims)(&b.g, dims, ARRAY_RANK) == -1,
            "a refused plan", "has an output's shape");
    }
    for (k = 0; k < sizeof calls / sizeof *calls; k++) {
        ndg_report no = report_stale();
        if (!calls[k].plan || calls[k].family != at_work->family) continue;
        see(calls[k].call(&no) == NDG_E_NULL && no.status == NDG_E_NULL
            && no.operand == NDG_ARG_PLAN, calls[k].name, report_text(&no));
    }
}

/* Whether the call at work only makes a plan. */
static int makes_plan(void)
{
    return at_work->once || at_work->call == plan_stitch;
}

/* The call of a line, with a report and without; and what it leaves. */
static void line_call(const line *l)
{
    static unsigned char before[sizeof box];
    void                *plan;
    size_t               n;
    int                  got;
    bench_begin(at_work->family);
    bench_set(at_work->family, l->set);
    is_gather = at_work->op;
    memset(&made, 0, sizeof made);
    if (at_work->plan && b.has_plan == 1)
        see(at_work->plan(&r) == NDG_OK, "a plan", report_text(&r));
    plan = plan_at_work(&n);
    if (makes_plan()) memset(plan, FRESH, n);
    memcpy(before, box, sizeof box);
    r = report_stale();
    got = at_work->call(&r);
    see(got == l->status && r.status == got, "status", report_text(&r));
    if (got != l->status) return;
    if (got == NDG_OK && !*l->says) {
        see(report_clean(&r), "accepted", report_text(&r));
        return;
    }
    see((got <= NDG_E_INDEX || !r.bad.count) && r.op == op_of(l), "op",
        report_text(&r));
    see_words(b.shape.rank < 0 ? NULL : &b.shape, words_of(l));
    if (got <= NDG_E_INDEX) return;     /* rows may have been written */
    see(strstr(l->says, ndg_arg_text(r.operand)) != NULL, "operand",
        ndg_arg_text(r.operand));
    if (b.has_plan && makes_plan()) see_refused_plan();
    see(at_work->call(NULL) == got, "status", "without a report");
    if (at_work->once && b.has_plan) {
        ndg_report once = report_stale();
        see(at_work->once(&once) == got && once.operand == r.operand, "at once",
            report_text(&once));
    }
    /* a partition ends with the first row that does not fit */
    see((got == NDG_E_CAPACITY && at_work->call == partition_run)
        || !memcmp(before, box, sizeof box), "a refusal", "wrote");
}

static void lines(const line *l, size_t n)
{
    size_t k;
    for (; n > 0; n--, l++) {
        const char *with = l->with;
        if (l->of) {
            for (k = 0; strcmp(calls[k].name, l->of); k++) continue;
            at_work = &calls[k];
            continue;
        }
        for (star = 0; *with; with += *with == '|') {
            star = number(&with);
            sprintf(doing, "%s: %.99s, %ld", at_work->name, l->set, (long)star);
            line_call(l);
        }
    }
}

#endif
