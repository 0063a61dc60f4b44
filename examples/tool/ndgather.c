/* ndgather - gather, stitch and partition arrays in .npy files
 *
 *     cc -O2 -I.. -o ndgather ndgather.c -lpthread
 *     ndgather gather PARAMS.npy INDICES.npy -o OUT.npy
 *     ndgather --help
 *
 * The command-line tool of ndgather.h, and the worked example of its API. Every
 * operation goes the same way: map the inputs, describe them, make a plan,
 * check all indices on threads, create the output, run the plan on threads,
 * rename. What is not about that lives beside it: npy.h (the file format),
 * outfile.h (all-or-nothing files), workers.h (threads and progress), fill.h
 * (elements from text), tool.h (messages, input arrays). */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#include "npy.h"
#include "fill.h"
#include "outfile.h"
#include "workers.h"
#include "tool.h"

/* ---- the command line, as it will be understood --------------------------*/

typedef struct options options;

enum {                           /* options: bits of op.takes */
    OPT_OUT, OPT_BAD_INDEX, OPT_NEGATIVE, OPT_GAPS, OPT_AXIS, OPT_BATCH_DIMS,
    OPT_NUM, OPT_THREADS, OPT_QUIET, OPT_PROGRESS, OPT_HELP, OPT_VERSION,
    OPT_COUNT
};

typedef struct operation {
    const char *name;
    void      (*run)(const options *opt);
    int       (*plan)(ndg_gather_plan *plan, const ndg_gather_desc *desc,
                      ndg_report *report);
    int       (*out_dims)(const ndg_gather_desc *desc, ptrdiff_t *dims,
                          int cap);
    unsigned    takes;
    const char *usage, *meaning;
} operation;

struct options {
    const operation *op;
    const char      *out;
    char           **operands;
    int              operand_count;
    int              policy, negative, gaps;
    const char      *fill;          /* of the policy NDG_FILL */
    int              has_axis;
    int64_t          axis, batch_dims;
    ptrdiff_t        parts;
    int              threads;       /* 0: not given */
    int              progress;
};

/* The command line is wrong: at most three lines. */
static void NO_RETURN PRINTS(2, 3) usage(const operation *o,
                                         const char *format, ...)
{
    line    l = { "", 0 };
    va_list args;
    va_start(args, format);
    line_args(&l, format, args);
    va_end(args);
    say(l.text);
    fprintf(stderr, "usage: ndgather %s\n",
            o ? o->usage : "OP ARRAYS... -o OUT [options]");
    fprintf(stderr, "try: ndgather %s%s--help\n", o ? o->name : "",
            o ? " " : "");
    exit(2);
}

/* ---- output arrays -------------------------------------------------------*/

typedef struct output {
    const char    *name;
    unsigned char *map, *data;
    size_t         map_bytes;
    ptrdiff_t      data_bytes;
} output;

/* Creates the file of a C-order array like `like`: its header, then zeros. */
static int create_file(const char *name, const npy_array *like, int rank,
                       const ptrdiff_t *dims, ptrdiff_t data_bytes,
                       size_t *header_bytes)
{
    const char    *why = "";
    unsigned char *header = npy_header(like, rank, dims, header_bytes);
    int fd, code;
    if (!header) die("no memory for a header");
    if (data_bytes > PTRDIFF_MAX - (ptrdiff_t)*header_bytes)
        die("%s: it would be too large for this machine", name);
    errno = 0;
    fd = outfile_create(name, (off_t)*header_bytes + (off_t)data_bytes, &why);
    if (fd < 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT))
        die("%s: %s (for %td bytes)", name, why,
            data_bytes + (ptrdiff_t)*header_bytes);
    if (fd < 0) die("%s: %s", name, why);
    code = outfile_write(fd, header, *header_bytes, 0);
    if (code) die("%s: %s", name, strerror(code));
    free(header);
    return fd;
}

/* Creates the file and maps it for the workers to write to. */
static void output_create(output *o, const char *name, const npy_array *like,
                          int rank, const ptrdiff_t *dims,
                          ptrdiff_t data_bytes)
{
    size_t header;
    int    fd = create_file(name, like, rank, dims, data_bytes, &header);
    void  *map;
    o->name = name;
    o->data_bytes = data_bytes;
    o->map_bytes = header + (size_t)data_bytes;
    map = mmap(NULL, o->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) die("%s: %s", name, strerror(errno));
    if (close(fd) != 0) die("%s: %s", name, strerror(errno));
    o->map = (unsigned char *)map;
    o->data = o->map + header;
}

static void commit(void)
{
    const char *name = "", *why = "";
    check_inputs();
    if (outfile_commit(&name, &why) != 0) die("%s: %s", name, why);
    outfile_discard();
}

static void output_finish(output *o)
{
    munmap(o->map, o->map_bytes);
    commit();
}

/* How many threads are worth while. */
static int count_workers(const options *opt, ptrdiff_t rows, ptrdiff_t bytes)
{
    ptrdiff_t n = opt->threads;
    if (!n) {
#ifdef _SC_NPROCESSORS_ONLN
        n = (ptrdiff_t)sysconf(_SC_NPROCESSORS_ONLN);
#endif
        if (n > 1 + bytes / 262144) n = 1 + bytes / 262144;
    }
    if (n > WORKERS_MAX) n = WORKERS_MAX;
    if (n > rows) n = rows;
    return n < 1 ? 1 : (int)n;
}

/* An error that only a file that changes under us can cause, or a limit of the
 * library. */
static void NO_RETURN die_status(const ndg_report *report)
{
    char        text[200];
    const char *rest;
    ndg_report_text(text, sizeof text, report, NULL);
    rest = report->op ? strstr(text, ": ") : NULL;    /* our line has the name */
    die("%s", report->status == NDG_E_OVERFLOW ? "the output's size overflows"
            : rest ? rest + 2 : text);
}

static void line_more(line *l, const ndg_report *report)
{
    if (report->bad.count > 1)
        line_add(l, " (and %td more)", report->bad.count - 1);
}

/* ---- gather_nd, gather, batch_gather -------------------------------------*/

typedef struct gather {
    const options  *opt;
    npy_array       params, indices;
    ndg_gather_desc desc;
    ndg_gather_plan plan;
    int             is_nd;
    int             batch, axis;       /* batch_dims and axis, not negative */
    ptrdiff_t       depth;             /* components of an index row */
    unsigned char  *fill;              /* an element that desc.fill is too
                                          small for, or NULL */
    output          out;
    /* Foreign byte order: `slab` index rows at a time go through `plan`,
     * made for params and out of a single batch. */
    int             packed;
    ptrdiff_t       slab, batch_rows;  /* batch_rows: index rows of a batch */
    ptrdiff_t       batch_bytes, row_bytes;          /* steps in out */
} gather;

/* The library takes an int, and 0 for "not given". What no int holds fits no
 * array: the nearest int is refused just as well. An explicit axis 0 is written
 * as the negative that means it. */
static int to_int(int64_t value)
{
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

static void gather_describe(gather *g)
{
    const options   *opt = g->opt;
    ndg_gather_desc *d = &g->desc;
    int params_rank = g->params.rank, indices_rank = g->indices.rank;
    d->params = shape_from(&g->params, 0);
    d->indices = shape_from(&g->indices, 0);
    d->elem_size = g->params.elem_size;
    d->index_type = index_type(&g->indices, opt->operands[1]);
    d->policy = opt->policy;
    d->negative = opt->negative;
    d->batch_dims = to_int(opt->batch_dims);
    d->axis = to_int(opt->axis);
    if (opt->has_axis && opt->axis == 0) d->axis = -params_rank;
    g->is_nd = opt->op->plan == ndg_plan_gather_nd;
    g->batch = d->batch_dims < 0 ? d->batch_dims + indices_rank
                                 : d->batch_dims;
    if (opt->op->plan == ndg_plan_batch_gather) g->batch = indices_rank - 1;
    g->axis = !opt->has_axis ? g->batch
            : d->axis < 0 ? d->axis + params_rank : d->axis;
    g->depth = !g->is_nd ? 1
             : indices_rank ? g->indices.dims[indices_rank - 1] : 0;
}

/* Why batch_dims does not fit: the bound that `operand` sets is broken. */
static void NO_RETURN gather_batch_dims(const gather *g, int operand)
{
    const char *or_equal = g->is_nd ? "or equal to " : "";
    if (operand == NDG_ARG_AXIS)
        die("batch_dims (%d) must be less than or equal to axis (%d).",
            g->batch, g->axis);
    if (operand == NDG_ARG_PARAMS)
        die("batch_dims (%d) must be less than %srank(params) (%d).",
            g->batch, or_equal, g->params.rank);
    if (g->is_nd)
        die("batch_dims (%" PRId64 ") must be less than rank(indices) (%d).",
            g->opt->batch_dims, g->indices.rank);
    die("Expected batch_dims in the range [-%d, %d], but got %" PRId64,
        g->indices.rank, g->indices.rank, g->opt->batch_dims);
}

/* The shapes or options do not fit, in TensorFlow's words. */
static void NO_RETURN gather_refuse(const gather *g, const ndg_report *r)
{
    int64_t  axis = g->opt->axis;
    uint64_t rank = axis < 0 ? 0 - (uint64_t)axis : (uint64_t)axis + 1;
    switch (r->status) {
    case NDG_E_RANK:
        die("%s must be at least %s",
            r->operand == NDG_ARG_PARAMS ? "params" : "indices",
            g->is_nd || r->operand != NDG_ARG_PARAMS ? "a vector"
                                                     : "1 dimensional");
    case NDG_E_AXIS:
        die("Shape must be at least rank %" PRIu64 " but is rank %d: no axis "
            "%" PRId64, rank, g->params.rank, axis);
    case NDG_E_BATCH_DIMS:
        gather_batch_dims(g, r->operand);
    case NDG_E_BATCH_SHAPE:
        die("params.shape[%d]: %" PRId64 " should be equal to "
            "indices.shape[%d]: %" PRId64, r->axis, r->bound, r->axis,
            r->value);
    case NDG_E_DEPTH:
        die(g->batch ? "index innermost dimension length must be <= params "
            "rank; saw: %" PRId64 " vs. %d with batch_dims %d"
            : "index innermost dimension length must be <= params rank; saw: "
            "%" PRId64 " vs. %d", r->value, g->params.rank, g->batch);
    case NDG_E_LEVELS:
        if (r->operand == NDG_ARG_INDICES)
            die("index vectors of %" PRId64 " components: at most %d are "
                "allowed", r->value, NDG_MAX_DEPTH);
        die("%s: its axes fold to more than %d levels of strides",
            g->opt->operands[0], NDG_MAX_LEVELS);
    default:
        die_status(r);
    }
}

/* The first bad index, and how many more there are. */
static void NO_RETURN gather_bad_index(const gather *g, const ndg_report *r)
{
    const ndg_bad *bad = &r->bad;
    line      l = { "", 0 };
    uint64_t  vector[NDG_MAX_DEPTH];
    ptrdiff_t i;
    line_add(&l, "indices");
    line_position(&l, bad->position, &g->indices,
                  g->indices.rank - g->is_nd);
    if (g->is_nd) {
        pack(vector, &g->indices, bad->position * g->depth, g->depth);
        for (i = 0; i < g->depth; i++) {
            int64_t v = index_value(vector, i, g->desc.index_type);
            line_add(&l, i ? ", " : " = [");
            line_value(&l, v, v < 0 && g->desc.index_type == NDG_U64);
        }
        line_add(&l, "] does not index into params shape ");
        line_shape(&l, g->params.dims, g->params.rank);
    } else {
        line_add(&l, " = ");
        line_value(&l, bad->value, bad->is_u64);
        line_add(&l, " is not in [%td, %td)",
                 g->opt->negative ? -bad->extent : 0, bad->extent);
    }
    line_more(&l, r);
    die_line(&l);
}

/* A plan for `slab` packed index rows of one batch: params without its batch
 * axes, and out with the strides that those rows have in the whole. */
static void gather_plan_slab(gather *g)
{
    ptrdiff_t       dims[2 * NPY_MAX_RANK], strides[2 * NPY_MAX_RANK];
    ptrdiff_t       index_dims[2], step = g->params.elem_size;
    ndg_gather_desc d = g->desc;
    ndg_report      report;
    int             row_axis = g->axis - g->batch, axis, rank;
    g->batch_rows = product(g->indices.dims + g->batch,
                            g->indices.rank - g->batch - g->is_nd);
    g->slab = CHUNK / (g->depth ? g->depth : 1);
    if (g->slab > g->batch_rows) g->slab = g->batch_rows;
    index_dims[0] = g->slab;
    index_dims[1] = g->depth;
    d.params = shape_from(&g->params, g->batch);
    d.indices = ndg_dims(1 + g->is_nd, index_dims, NULL);
    d.batch_dims = 0;
    d.axis = row_axis;
    rank = g->is_nd ? ndg_gather_nd_out_dims(&d, dims, 2 * NPY_MAX_RANK)
                    : ndg_gather_out_dims(&d, dims, 2 * NPY_MAX_RANK);
    for (axis = rank - 1; g->out.data_bytes && axis >= 0; axis--) {
        strides[axis] = step;
        if (axis == row_axis) g->row_bytes = step;
        step *= axis == row_axis ? g->batch_rows : dims[axis];
    }
    if (g->out.data_bytes) {
        g->batch_bytes = step;
        d.out = ndg_dims(rank, dims, strides);
    }
    if ((g->is_nd ? ndg_plan_gather_nd : ndg_plan_gather)(&g->plan, &d,
                                                          &report) != NDG_OK)
        die_status(&report);
}

/* Index rows first ... last-1 in a foreign byte order, checked (out NULL) or
 * gathered, a chunk at a time. */
static void gather_packed(const gather *g, unsigned char *out,
                          ptrdiff_t first, ptrdiff_t last, ndg_report *report)
{
    uint64_t   chunk[CHUNK];
    ndg_report part;
    ptrdiff_t  n;
    for (; first < last; first += n) {
        ptrdiff_t batch = first / g->batch_rows, row = first % g->batch_rows;
        ptrdiff_t start = batch * g->batch_bytes + row * g->row_bytes;
        n = g->batch_rows - row;
        if (n > g->slab) n = g->slab;
        if (n > last - first) n = last - first;
        pack(chunk, &g->indices, first * g->depth, n * g->depth);
        if (out)
            ndg_gather_run_range(&g->plan, out + start,
                                 g->out.data_bytes - start, g->params.data +
                                 offset_of(&g->params, g->batch, batch),
                                 chunk, 0, n, &part);
        else
            ndg_gather_check(&g->plan, chunk, 0, n, &part);
        if (part.bad.count) part.bad.position += first;
        ndg_report_merge(report, &part);
    }
}

static void gather_check_work(void *job, int worker, ptrdiff_t first,
                              ptrdiff_t last, ndg_report *report)
{
    const gather *g = (const gather *)job;
    (void)worker;
    if (g->packed) gather_packed(g, NULL, first, last, report);
    else ndg_gather_check(&g->plan, g->indices.data, first, last, report);
}

static void gather_run_work(void *job, int worker, ptrdiff_t first,
                            ptrdiff_t last, ndg_report *report)
{
    const gather *g = (const gather *)job;
    (void)worker;
    if (g->packed)
        gather_packed(g, g->out.data, first, last, report);
    else
        ndg_gather_run_range(&g->plan, g->out.data, g->out.data_bytes,
                             g->params.data, g->indices.data, first, last,
                             report);
}

/* Fills elements first ... last-1 of out. */
static void gather_fill_work(void *job, int worker, ptrdiff_t first,
                             ptrdiff_t last, ndg_report *report)
{
    const gather *g = (const gather *)job;
    ptrdiff_t size = g->params.elem_size;
    (void)worker;
    (void)report;
    for (; first < last; first++)
        memcpy(g->out.data + first * size, g->fill, (size_t)size);
}

/* Reads fill=V. A plan holds 16 bytes of it; a larger element is written all
 * over out first, and bad rows are kept. */
static void gather_read_fill(gather *g)
{
    size_t size = (size_t)g->params.elem_size;
    if (g->opt->policy != NDG_FILL) return;
    g->fill = (unsigned char *)get_memory(size, 1);
    if (!fill_parse(&g->params, g->opt->fill, g->fill))
        die("fill=%.200s does not fit the type %.*s", g->opt->fill,
            g->params.descr_size > 200 ? 200 : (int)g->params.descr_size,
            g->params.descr);
    if (size <= sizeof g->desc.fill) {
        memcpy(g->desc.fill, g->fill, size);
        free(g->fill);
        g->fill = NULL;
    } else {
        g->desc.policy = NDG_KEEP;
    }
}

static void gather_main(const options *opt)
{
    static gather g;
    ndg_report    report;
    ptrdiff_t     dims[2 * NPY_MAX_RANK], rows, bytes, least;
    int           rank, workers;
    g.opt = opt;
    load(&g.params, opt->operands[0]);
    load(&g.indices, opt->operands[1]);
    gather_describe(&g);
    gather_read_fill(&g);
    if (opt->op->plan(&g.plan, &g.desc, &report) != NDG_OK)
        gather_refuse(&g, &report);
    rank = opt->op->out_dims(&g.desc, dims, 2 * NPY_MAX_RANK);
    rows = g.plan.rows;
    bytes = g.plan.out_bytes;
    least = 65536 / (g.plan.slice_bytes / 16 + 1) + 1;
    workers = count_workers(opt, rows, bytes);
    g.out.data_bytes = bytes;
    g.packed = g.indices.swapped && g.depth > 0;
    if (g.packed && rows) gather_plan_slab(&g);

    workers_phase(&tool_team, "checking", rows);
    report = workers_run(&tool_team, gather_check_work, &g, rows, workers,
                         65536);
    if (report.status == NDG_E_INDEX) gather_bad_index(&g, &report);

    output_create(&g.out, opt->out, &g.params, rank, dims, bytes);
    if (g.fill)
        workers_run(&tool_team, gather_fill_work, &g,
                    bytes / g.params.elem_size, workers, least);
    workers_phase(&tool_team, "gathering", rows);
    report = workers_run(&tool_team, gather_run_work, &g, rows, workers,
                         least);
    if (report.status == NDG_E_INDEX) gather_bad_index(&g, &report);
    if (report.status != NDG_OK) die_status(&report);
    output_finish(&g.out);
    free(g.fill);
}

/* ---- scatter_nd ----------------------------------------------------------*/

typedef struct scatter {
    const options    *opt;
    npy_array         into, indices, data;
    const void       *ids;             /* of this machine's byte order */
    void             *native;          /* they, if that is a copy */
    ndg_scatter_plan  plan;
    ndg_gather_plan   copy;            /* of into, as it lies */
    output            out;
} scatter;

static void scatter_load(scatter *s)
{
    char **name = s->opt->operands;
    load(&s->into, name[0]);
    load(&s->indices, name[1]);
    load(&s->data, name[2]);
    if (s->data.type_id != s->into.type_id ||
        s->data.elem_size != s->into.elem_size)
        die("%s: descr is %.*s, but that of %s is %.*s", name[2],
            s->data.descr_size > 200 ? 200 : (int)s->data.descr_size,
            s->data.descr, name[0],
            s->into.descr_size > 200 ? 200 : (int)s->into.descr_size,
            s->into.descr);
    s->ids = s->indices.data;
}

/* Plans the scatter into a C-order array, and the copy of INTO to it: all that
 * one index vector of no components names. */
static void scatter_describe(scatter *s)
{
    ndg_scatter_desc d = NDG_ZERO_INIT;
    ndg_gather_desc  c = NDG_ZERO_INIT;
    ndg_report       report;
    d.out = ndg_dims(s->into.rank, s->into.dims, NULL);
    d.indices = shape_from(&s->indices, 0);
    d.data = ndg_dims(s->data.rank, s->data.dims, s->data.strides);
    d.elem_size = s->into.elem_size;
    d.index_type = index_type(&s->indices, s->opt->operands[1]);
    d.batch_dims = to_int(s->opt->batch_dims);
    d.policy = s->opt->policy;
    d.negative = s->opt->negative;
    d.gaps = NDG_GAPS_KEEP;
    if (s->indices.swapped) {
        s->native = get_memory((size_t)s->indices.count,
                               (size_t)s->indices.elem_size);
        pack(s->native, &s->indices, 0, s->indices.count);
        s->ids = s->native;
        d.indices = ndg_dims(s->indices.rank, s->indices.dims, NULL);
    }
    if (ndg_plan_scatter_nd(&s->plan, &d, &report) != NDG_OK)
        die_status(&report);
    c.params = shape_from(&s->into, 0);
    c.indices = ndg_dims1(0);
    c.elem_size = d.elem_size;
    if (ndg_plan_gather_nd(&s->copy, &c, &report) != NDG_OK)
        die("%s: its axes fold to more than %d levels of strides",
            s->opt->operands[0], NDG_MAX_LEVELS);
}

static void NO_RETURN scatter_bad_index(const scatter *s, const ndg_report *r)
{
    line      l = { "", 0 };
    int       last = s->indices.rank - 1, type;
    ptrdiff_t depth = s->indices.dims[last], i;
    uint64_t  vector[NDG_MAX_DEPTH];
    type = s->plan.by.index_type;
    line_add(&l, "indices");
    line_position(&l, r->bad.position, &s->indices, last);
    pack(vector, &s->indices, r->bad.position * depth, depth);
    for (i = 0; i < depth; i++) {
        int64_t v = index_value(vector, i, type);
        line_add(&l, i ? ", " : " = [");
        line_value(&l, v, v < 0 && type == NDG_U64);
    }
    line_add(&l, "] does not index into shape ");
    line_shape(&l, s->into.dims, s->into.rank);
    line_more(&l, r);
    die_line(&l);
}

static void scatter_check_work(void *job, int worker, ptrdiff_t first,
                               ptrdiff_t last, ndg_report *report)
{
    const scatter *s = (const scatter *)job;
    (void)worker;
    ndg_scatter_check(&s->plan, s->ids, first, last, report);
}

static void scatter_run_work(void *job, int worker, ptrdiff_t first,
                             ptrdiff_t last, ndg_report *report)
{
    const scatter *s = (const scatter *)job;
    (void)worker;
    ndg_scatter_run_range(&s->plan, s->out.data, s->out.data_bytes,
                          s->data.data, s->ids, first, last, report);
}

static void scatter_main(const options *opt)
{
    static scatter s;
    ndg_report     report;
    ptrdiff_t      rows, slots;
    int            workers;
    s.opt = opt;
    scatter_load(&s);
    scatter_describe(&s);
    rows = s.plan.by.rows;
    slots = s.plan.slots;
    workers_phase(&tool_team, "checking", rows);
    report = workers_run(&tool_team, scatter_check_work, &s, rows,
                         count_workers(opt, rows, rows * 4), 65536);
    if (report.status == NDG_E_INDEX) scatter_bad_index(&s, &report);

    output_create(&s.out, opt->out, &s.into, s.into.rank, s.into.dims,
                  s.plan.out_bytes);
    if (opt->gaps == 0 && s.plan.out_bytes)
        ndg_gather_run(&s.copy, s.out.data, s.out.data_bytes, s.into.data,
                       NULL, &report);
    if (report.status != NDG_OK) die_status(&report);
    /* Every range reads all indices, which is worth it for long rows. */
    workers = opt->threads || s.plan.by.slice_bytes >= 256
            ? count_workers(opt, slots, rows * s.plan.by.slice_bytes) : 1;
    workers_phase(&tool_team, "scattering", slots);
    report = workers_run(&tool_team, scatter_run_work, &s, slots, workers,
                         slots / workers + 1);
    if (report.status == NDG_E_INDEX) scatter_bad_index(&s, &report);
    if (report.status != NDG_OK) die_status(&report);
    output_finish(&s.out);
    free(s.native);
}

/* ---- rows with an id each: what stitch and partition share ---------------*/

typedef struct keyed_rows {
    npy_array   ids, data;         /* data.shape = ids.shape + slice */
    const char *ids_name, *data_name;
    int         type;              /* of ids */
    int         packed;            /* ids are not native C order: copy them */
    ptrdiff_t   line, stride;      /* so many rows are `stride` bytes apart,
                                      then comes a jump; stride 0: not
                                      known yet */
    ptrdiff_t   start;             /* entries of the lists before this one */
} keyed_rows;

static void rows_load(keyed_rows *r, const char *ids_name,
                      const char *data_name)
{
    r->ids_name = ids_name;
    r->data_name = data_name;
    load(&r->ids, ids_name);
    load(&r->data, data_name);
    r->type = index_type(&r->ids, ids_name);
    r->packed = r->ids.swapped || is_strided(&r->ids);
}

static int rows_start_alike(const keyed_rows *r)
{
    return r->data.rank >= r->ids.rank &&
           memcmp(r->data.dims, r->ids.dims,
                  (size_t)r->ids.rank * sizeof *r->ids.dims) == 0;
}

/* Folds the row axes of data from the last one on, as far as one stride goes:
 * all of them in C order, one in Fortran order. */
static void rows_fold(keyed_rows *r)
{
    int axis;
    r->line = 1;
    r->stride = r->data.elem_size;
    for (axis = r->ids.rank - 1; axis >= 0; axis--) {
        if (r->ids.dims[axis] == 1) continue;
        if (r->line == 1) r->stride = r->data.strides[axis];
        else if (r->data.strides[axis] != r->line * r->stride) break;
        r->line *= r->ids.dims[axis];
    }
}

/* Native ids of rows `first` and up, at most `last`, which is lowered to what
 * there is room for in the chunk. */
static const void *rows_ids(const keyed_rows *r, ptrdiff_t first,
                            ptrdiff_t *last, uint64_t *chunk, ptrdiff_t room)
{
    if (!r->packed) return r->ids.data + first * r->ids.elem_size;
    if (*last - first > room) *last = first + room;
    pack(chunk, &r->ids, first, *last - first);
    return chunk;
}

/* The same with the rows' data, which end where a line does. Before rows_fold
 * there are only ids: nobody knows yet whether the shapes fit each other. */
static ndg_list rows_list(const keyed_rows *r, ptrdiff_t first,
                          ptrdiff_t last, uint64_t *chunk, ptrdiff_t room)
{
    ndg_list list = NDG_ZERO_INIT;
    if (last - first > r->line - first % r->line)
        last = first + r->line - first % r->line;
    list.indices = rows_ids(r, first, &last, chunk, room);
    list.count = last - first;
    if (r->stride) {
        list.data = r->data.data + offset_of(&r->data, r->ids.rank, first);
        list.data_stride = r->stride;
    }
    return list;
}

/* ---- dynamic_stitch, parallel_dynamic_stitch -----------------------------*/

#define BATCH 256          /* lists handed over at once */

typedef struct stitch {
    const options *opt;
    keyed_rows    *in;
    int            lists;
    ptrdiff_t      entries;          /* of all lists */
    int            slice_rank;
    ptrdiff_t      slice_bytes, total;
    output         out;
    ptrdiff_t      totals[WORKERS_MAX];
} stitch;

/* Lists that one plan fits, and where each begins: to name positions. */
typedef struct stitch_batch {
    ndg_list  list[BATCH];
    ptrdiff_t number[BATCH], first[BATCH];
    ptrdiff_t count;
    uint64_t  chunk[CHUNK];
} stitch_batch;

/* A plan for rows like those of list m, or (check) for their indices only. */
static int stitch_plan(const stitch *s, ptrdiff_t m, int check,
                       ndg_stitch_plan *plan, ndg_report *report)
{
    const keyed_rows *r = &s->in[m];
    ndg_stitch_desc   d = NDG_ZERO_INIT;
    d.slice = check ? ndg_dims1(0) : shape_from(&r->data, r->ids.rank);
    d.elem_size = r->data.elem_size;
    d.index_type = r->type;
    d.policy = s->opt->policy;
    d.gaps = NDG_GAPS_KEEP;          /* a new file is zero: gaps stay so */
    return ndg_plan_stitch(plan, &d, report);
}

/* Hands the batch over: to be checked into totals[worker] if last is 0, else to
 * write the output rows first ... last-1. */
static void stitch_flush(stitch *s, stitch_batch *b, int worker,
                         ptrdiff_t first, ptrdiff_t last, ndg_report *report)
{
    ndg_stitch_plan plan;
    ndg_report      part;
    ptrdiff_t       total = 0;
    if (!b->count) return;
    if (stitch_plan(s, b->number[0], !last, &plan, &part) == NDG_OK) {
        if (last)
            ndg_stitch_run_range(&plan, s->out.data, s->out.data_bytes,
                                 s->total, b->list, b->count, first, last,
                                 NULL, 0, &part);
        else
            ndg_stitch_total(&plan, b->list, b->count, &total, &part);
    }
    if (total > s->totals[worker]) s->totals[worker] = total;
    if (part.bad.count) {
        part.bad.position += b->first[part.bad.list];
        part.bad.list = b->number[part.bad.list];
    }
    ndg_report_merge(report, &part);
    b->count = 0;
}

/* Whether list m can join the batch: same index type and strides. */
static int stitch_joins(const stitch *s, const stitch_batch *b, ptrdiff_t m)
{
    const keyed_rows *r = &s->in[m], *head = &s->in[b->number[0]];
    if (b->count == BATCH) return 0;
    if (!b->count || r == head) return 1;
    return r->type == head->type && !is_strided(&r->data) &&
           !is_strided(&head->data);
}

/* Walks entries `from` ... `to`-1 of all lists, in order, in batches. */
static void stitch_walk(stitch *s, int worker, ptrdiff_t from, ptrdiff_t to,
                        ptrdiff_t first, ptrdiff_t last, ndg_report *report)
{
    stitch_batch b;
    ptrdiff_t    m, at, end;
    b.count = 0;
    for (m = 0; m < s->lists; m++) {
        const keyed_rows *r = &s->in[m];
        at = from > r->start ? from - r->start : 0;
        end = to - r->start < r->ids.count ? to - r->start : r->ids.count;
        while (at < end) {
            if (!stitch_joins(s, &b, m))
                stitch_flush(s, &b, worker, first, last, report);
            b.list[b.count] = rows_list(r, at, end, b.chunk, CHUNK);
            b.number[b.count] = m;
            b.first[b.count] = at;
            at += b.list[b.count++].count;
            if (r->packed)           /* its chunk is used again */
                stitch_flush(s, &b, worker, first, last, report);
        }
    }
    stitch_flush(s, &b, worker, first, last, report);
}

static void stitch_check_work(void *job, int worker, ptrdiff_t first,
                              ptrdiff_t last, ndg_report *report)
{
    stitch_walk((stitch *)job, worker, first, last, 0, 0, report);
}

static void stitch_run_work(void *job, int worker, ptrdiff_t first,
                            ptrdiff_t last, ndg_report *report)
{
    stitch *s = (stitch *)job;
    stitch_walk(s, worker, 0, s->entries, first, last, report);
}

static void stitch_load(stitch *s)
{
    int m;
    s->lists = s->opt->operand_count / 2;
    s->in = (keyed_rows *)get_memory((size_t)s->lists, sizeof *s->in);
    for (m = 0; m < s->lists; m++) {
        keyed_rows *r = &s->in[m];
        rows_load(r, s->opt->operands[2 * m], s->opt->operands[2 * m + 1]);
        r->line = r->ids.count;      /* until rows_fold */
        r->start = s->entries;
        s->entries += r->ids.count;
        if (r->data.type_id != s->in[0].data.type_id ||
            r->data.elem_size != s->in[0].data.elem_size)
            die("%s: descr is %.*s, but that of data[0] is %.*s",
                r->data_name,
                r->data.descr_size > 200 ? 200 : (int)r->data.descr_size,
                r->data.descr, s->in[0].data.descr_size > 200 ? 200
                : (int)s->in[0].data.descr_size, s->in[0].data.descr);
    }
}

static void NO_RETURN stitch_bad_index(const stitch *s, const ndg_report *r)
{
    const npy_array *ids = &s->in[r->bad.list].ids;
    line l = { "", 0 };
    line_add(&l, "indices[%td]", r->bad.list);
    line_position(&l, r->bad.position, ids, ids->rank);
    line_add(&l, " = ");
    line_value(&l, r->bad.value, r->bad.is_u64);
    line_add(&l, " is out of range");
    line_more(&l, r);
    die_line(&l);
}

static void NO_RETURN stitch_slices_differ(const stitch *s, int m)
{
    const keyed_rows *r = &s->in[m], *zero = &s->in[0];
    line l = { "", 0 };
    line_add(&l, "Need data[0].shape[%d:] = data[%d].shape[%d:], got "
             "data[0].shape = ", zero->ids.rank, m, r->ids.rank);
    line_shape(&l, zero->data.dims, zero->data.rank);
    line_add(&l, ", data[%d].shape = ", m);
    line_shape(&l, r->data.dims, r->data.rank);
    line_add(&l, ", indices[0].shape = ");
    line_shape(&l, zero->ids.dims, zero->ids.rank);
    line_add(&l, ", indices[%d].shape = ", m);
    line_shape(&l, r->ids.dims, r->ids.rank);
    die_line(&l);
}

/* Every data starts with its indices; then, all slices are alike. */
static void stitch_check_shapes(const stitch *s)
{
    const keyed_rows *zero = &s->in[0];
    int m;
    for (m = 0; m < s->lists; m++) {
        const keyed_rows *r = &s->in[m];
        line l = { "", 0 };
        if (rows_start_alike(r)) continue;
        line_add(&l, "data[%d].shape = ", m);
        line_shape(&l, r->data.dims, r->data.rank);
        line_add(&l, " does not start with indices[%d].shape = ", m);
        line_shape(&l, r->ids.dims, r->ids.rank);
        die_line(&l);
    }
    for (m = 1; m < s->lists; m++) {
        const keyed_rows *r = &s->in[m];
        if (r->data.rank - r->ids.rank != s->slice_rank ||
            memcmp(r->data.dims + r->ids.rank, zero->data.dims +
                   zero->ids.rank, (size_t)s->slice_rank * sizeof(ptrdiff_t)))
            stitch_slices_differ(s, m);
    }
}

/* --gaps error: marks the rows that are named. Of n entries the first missing
 * row is at most row n, so n + 1 marks do, however large the output. */
static void stitch_check_gaps(const stitch *s)
{
    ptrdiff_t limit = s->total < s->entries + 1 ? s->total : s->entries + 1;
    unsigned char *named = (unsigned char *)get_memory((size_t)limit / 8 + 1,
                                                       1);
    uint64_t  chunk[CHUNK];
    ptrdiff_t at, last, i, row;
    int       m;
    for (m = 0; m < s->lists; m++) {
        const keyed_rows *r = &s->in[m];
        for (at = 0; at < r->ids.count; at = last) {
            const void *ids;
            last = r->ids.count;
            ids = rows_ids(r, at, &last, chunk, CHUNK);
            for (i = 0; i < last - at; i++) {
                int64_t v = index_value(ids, i, r->type);
                if (!NDG_INDEX_GOOD(v, limit)) continue;
                named[v / 8] = (unsigned char)(named[v / 8] | 1u << v % 8);
            }
        }
    }
    for (row = 0; row < limit; row++)
        if (!(named[row / 8] & 1u << row % 8))
            die("row %td of %td is not written", row, s->total);
    free(named);
}

/* Bad indices first, then shapes, then sizes, then gaps; a plan for each list
 * shows that the library can do it. */
static void stitch_check(stitch *s)
{
    ndg_stitch_plan plan;
    ndg_report      report, refusal;
    int             w, m;
    workers_phase(&tool_team, "checking", s->entries);
    report = workers_run(&tool_team, stitch_check_work, s, s->entries,
                         count_workers(s->opt, s->entries, s->entries * 4),
                         65536);
    if (report.bad.count && s->opt->policy != NDG_DROP)
        stitch_bad_index(s, &report);
    s->slice_rank = s->in[0].data.rank - s->in[0].ids.rank;
    stitch_check_shapes(s);
    if (report.status != NDG_OK) die_status(&report);
    for (w = 0; w < WORKERS_MAX; w++)
        if (s->totals[w] > s->total) s->total = s->totals[w];
    for (m = 0; m < s->lists; m++) {
        rows_fold(&s->in[m]);
        if (stitch_plan(s, m, 0, &plan, &refusal) != NDG_OK)
            die_status(&refusal);
    }
    s->out.data_bytes = ndg_stitch_out_bytes(&plan, s->total);
    s->slice_bytes = plan.row.bytes;
    if (s->out.data_bytes < 0)
        die("%td rows of output are of more bytes than can be", s->total);
    if (s->opt->gaps == NDG_GAPS_ERROR) stitch_check_gaps(s);
}

static void stitch_main(const options *opt)
{
    static stitch s;
    ptrdiff_t     dims[NPY_MAX_RANK + 1], least;
    ndg_report    report;
    int           workers;
    s.opt = opt;
    stitch_load(&s);
    stitch_check(&s);
    dims[0] = s.total;
    memcpy(dims + 1, s.in[0].data.dims + s.in[0].ids.rank,
           (size_t)s.slice_rank * sizeof *dims);
    output_create(&s.out, opt->out, &s.in[0].data, s.slice_rank + 1, dims,
                  s.out.data_bytes);
    /* Every range reads all indices: few ranges, unless the slices are large
     * enough to hide that. */
    workers = count_workers(opt, s.total, s.out.data_bytes);
    least = s.slice_bytes < 8192 ? s.total / workers + 1 : 1;
    workers_phase(&tool_team, "stitching", s.total);
    report = workers_run(&tool_team, stitch_run_work, &s, s.total, workers,
                         least);
    if (report.status == NDG_E_INDEX) stitch_bad_index(&s, &report);
    if (report.status != NDG_OK) die_status(&report);
    output_finish(&s.out);
    free(s.in);
}

/* ---- dynamic_partition ---------------------------------------------------*/

#define OPEN_FILES 48      /* parts whose files stay open; more are reopened */

typedef struct partition {
    const options     *opt;
    keyed_rows         in;
    ndg_partition_plan plan;           /* of a line of rows */
    ndg_partition_plan ids_plan;       /* of all rows, for counting */
    ptrdiff_t          parts, row_bytes;
    int                workers;
    ptrdiff_t         *sums, *written; /* rows of each part, in all; so far */
    ptrdiff_t         *counts, *cursors, *spare;     /* [workers][parts] */
    uint64_t          *chunks;         /* [workers][room], of packed ids: a
                                          call costs a look at every part */
    ptrdiff_t          room;
    void             **outs;           /* `flat`, for every part */
    unsigned char     *flat;           /* a chunk of rows, parted */
    ptrdiff_t          at;             /* the first row of the chunk */
    size_t            *header;         /* bytes of it, in each file */
    int                fd[OPEN_FILES];
} partition;

static void partition_load(partition *p)
{
    keyed_rows *r = &p->in;
    line l = { "", 0 };
    p->parts = p->opt->parts;
    load(&r->data, p->opt->operands[0]);
    load(&r->ids, p->opt->operands[1]);
    r->type = index_type(&r->ids, p->opt->operands[1]);
    r->packed = r->ids.swapped || is_strided(&r->ids);
    if (rows_start_alike(r)) {
        rows_fold(r);
        return;
    }
    line_add(&l, "data.shape must start with partitions.shape, got "
             "data.shape = ");
    line_shape(&l, r->data.dims, r->data.rank);
    line_add(&l, ", partitions.shape = ");
    line_shape(&l, r->ids.dims, r->ids.rank);
    die_line(&l);
}

static void partition_plan(partition *p)
{
    const keyed_rows  *r = &p->in;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_report         report;
    ptrdiff_t          dims[NPY_MAX_RANK + 1], strides[NPY_MAX_RANK + 1];
    int                slice = r->data.rank - r->ids.rank;
    size_t             bytes = (size_t)slice * sizeof *dims;
    dims[0] = r->line;
    strides[0] = r->stride;
    memcpy(dims + 1, r->data.dims + r->ids.rank, bytes);
    memcpy(strides + 1, r->data.strides + r->ids.rank, bytes);
    d.data = ndg_dims(slice + 1, dims, strides);
    d.partitions = ndg_dims1(r->line);
    d.elem_size = r->data.elem_size;
    d.num_partitions = p->parts;
    d.index_type = r->type;
    d.policy = p->opt->policy;
    if (ndg_plan_partition(&p->plan, &d, &report) != NDG_OK)
        die_status(&report);
    p->row_bytes = p->plan.row.bytes;
    d.partitions = ndg_dims1(r->ids.count);
    d.data = ndg_dims2(r->ids.count, 0);
    if (ndg_plan_partition(&p->ids_plan, &d, &report) != NDG_OK)
        die_status(&report);
}

/* Adds the rows of each part among rows first ... last-1 of the chunk. */
static void partition_count_work(void *job, int worker, ptrdiff_t first,
                                 ptrdiff_t last, ndg_report *report)
{
    partition *p = (partition *)job;
    ptrdiff_t *counts = p->counts + worker * p->parts;
    ptrdiff_t *spare = p->spare + worker * p->parts, next, k;
    ndg_report part;
    for (first += p->at, last += p->at; first < last; first = next) {
        const void *ids;
        next = last;
        ids = rows_ids(&p->in, first, &next, p->chunks + worker * p->room,
                       p->room);
        ndg_partition_count(&p->ids_plan, ids, 0, next - first, spare, &part);
        if (part.bad.count) part.bad.position += first;
        ndg_report_merge(report, &part);
        for (k = 0; k < p->parts; k++) counts[k] += spare[k];
    }
}

/* Copies rows first ... last-1 of the chunk to their parts in `flat`. */
static void partition_run_work(void *job, int worker, ptrdiff_t first,
                               ptrdiff_t last, ndg_report *report)
{
    partition *p = (partition *)job;
    ptrdiff_t *limits = p->counts + worker * p->parts;
    ptrdiff_t *cursors = p->cursors + worker * p->parts;
    ndg_report part;
    for (first += p->at, last += p->at; first < last; ) {
        ndg_list rows = rows_list(&p->in, first, last,
                                  p->chunks + worker * p->room, p->room);
        ndg_partition_run_range(&p->plan, p->outs, NULL, rows.data,
                                rows.indices, 0, rows.count, cursors, limits,
                                &part);
        if (part.bad.count) part.bad.position += first;
        ndg_report_merge(report, &part);
        first += rows.count;
    }
}

static void NO_RETURN partition_bad_id(const partition *p,
                                       const ndg_report *r)
{
    line l = { "", 0 };
    line_add(&l, "partitions");
    line_position(&l, r->bad.position, &p->in.ids, p->in.ids.rank);
    line_add(&l, " = ");
    line_value(&l, r->bad.value, r->bad.is_u64);
    line_add(&l, " is not in [0, %td)", p->parts);
    line_more(&l, r);
    die_line(&l);
}

/* Memory for counts: a row of numbers for each worker. */
static void partition_allocate(partition *p)
{
    size_t parts = (size_t)p->parts, all;
    p->workers = count_workers(p->opt, p->in.ids.count,
                               p->in.data.count * p->in.data.elem_size);
    if (p->workers > 1 + 4194304 / p->parts)
        p->workers = (int)(1 + 4194304 / p->parts);
    all = (size_t)p->workers * parts;
    p->sums = (ptrdiff_t *)get_memory(parts, sizeof(ptrdiff_t));
    p->written = (ptrdiff_t *)get_memory(parts, sizeof(ptrdiff_t));
    p->header = (size_t *)get_memory(parts, sizeof(size_t));
    p->outs = (void **)get_memory(parts, sizeof(void *));
    p->counts = (ptrdiff_t *)get_memory(all, sizeof(ptrdiff_t));
    p->cursors = (ptrdiff_t *)get_memory(all, sizeof(ptrdiff_t));
    p->spare = (ptrdiff_t *)get_memory(all, sizeof(ptrdiff_t));
    p->room = p->in.packed ? CHUNK + p->parts : 0;
    p->chunks = (uint64_t *)get_memory((size_t)(p->workers * p->room),
                                       sizeof(uint64_t));
}

static void partition_free(partition *p)
{
    free(p->sums);
    free(p->written);
    free(p->header);
    free(p->outs);
    free(p->counts);
    free(p->cursors);
    free(p->spare);
    free(p->chunks);
    free(p->flat);
}

/* Checks all ids and finds the size of every part. */
static void partition_check(partition *p)
{
    ndg_report report;
    ptrdiff_t  k, w, rows = p->in.ids.count;
    workers_phase(&tool_team, "checking", rows);
    report = workers_run(&tool_team, partition_count_work, p, rows,
                         p->workers, 65536 + 4 * p->parts);
    if (report.status == NDG_E_INDEX) partition_bad_id(p, &report);
    if (report.status != NDG_OK) die_status(&report);
    for (w = 0; w < p->workers; w++)
        for (k = 0; k < p->parts; k++)
            p->sums[k] += p->counts[w * p->parts + k];
}

static char *part_name(const partition *p, ptrdiff_t k)
{
    size_t room = strlen(p->opt->out) + 32;
    char  *name = (char *)get_memory(room, 1);
    snprintf(name, room, "%s.%td.npy", p->opt->out, k);
    return name;
}

static void partition_create(partition *p)
{
    const npy_array *data = &p->in.data;
    ptrdiff_t dims[NPY_MAX_RANK + 1], k;
    int slice = data->rank - p->in.ids.rank, fd;
    memcpy(dims + 1, data->dims + p->in.ids.rank,
           (size_t)slice * sizeof *dims);
    for (k = 0; k < p->parts; k++) {
        char *name = part_name(p, k);
        dims[0] = p->sums[k];
        fd = create_file(name, data, slice + 1, dims,
                         p->sums[k] * p->row_bytes, &p->header[k]);
        if (p->parts <= OPEN_FILES) p->fd[k] = fd;
        else if (close(fd) != 0) die("%s: %s", name, strerror(errno));
        free(name);
    }
}

/* Appends `rows` rows at `from` to part k's file. */
static void part_append(partition *p, ptrdiff_t k, const unsigned char *from,
                        ptrdiff_t rows)
{
    int   kept = p->parts <= OPEN_FILES;
    int   fd = kept ? p->fd[k] : outfile_reopen((size_t)k), code = 0;
    off_t at = (off_t)p->header[k] + (off_t)(p->written[k] * p->row_bytes);
    if (rows > p->sums[k] - p->written[k])
        die("%s: it changed while it was read", p->opt->operands[1]);
    if (fd < 0) code = errno;
    else code = outfile_write(fd, from, (size_t)(rows * p->row_bytes), at);
    if (!kept && fd >= 0 && close(fd) != 0 && !code) code = errno;
    if (code) die("%s", strerror(code));
    p->written[k] += rows;
}

/* From counts to cursors and limits in `flat`, where the parts of the chunk
 * follow each other. */
static void partition_lay_out(partition *p)
{
    const ptrdiff_t *sizes = p->counts + (p->workers - 1) * p->parts;
    ptrdiff_t        start = 0, k, w;
    ndg_partition_starts(p->counts, p->cursors, p->workers, p->parts);
    for (k = 0; k < p->parts; k++) {
        ptrdiff_t size = sizes[k];
        for (w = 0; w < p->workers; w++) {
            p->cursors[w * p->parts + k] += start;
            p->counts[w * p->parts + k] += start;
        }
        start += size;
    }
}

/* Parts `rows` rows from p->at on into `flat` and appends them to the files. */
static void partition_chunk(partition *p, ptrdiff_t rows)
{
    const ptrdiff_t *ends = p->counts + (p->workers - 1) * p->parts;
    ndg_report       report;
    ptrdiff_t        k, start = 0;
    memset(p->counts, 0, (size_t)(p->workers * p->parts) * sizeof *p->counts);
    report = workers_run(&tool_team, partition_count_work, p, rows,
                         p->workers, rows);
    if (report.status == NDG_OK) {
        tool_team.done = p->at;      /* the rows are not done: counted */
        partition_lay_out(p);
        report = workers_run(&tool_team, partition_run_work, p, rows,
                             p->workers, rows);
    }
    if (report.status == NDG_E_INDEX) partition_bad_id(p, &report);
    if (report.status != NDG_OK) die_status(&report);
    for (k = 0; k < p->parts; k++) {
        if (ends[k] > start)
            part_append(p, k, p->flat + start * p->row_bytes,
                        ends[k] - start);
        start = ends[k];
    }
}

/* Chunks of rows large enough that most parts get something of each. */
static void partition_run(partition *p)
{
    ptrdiff_t rows = p->in.ids.count, k;
    ptrdiff_t chunk = (33554432 + 256 * p->parts) / p->row_bytes + 1;
    if (chunk > rows) chunk = rows;
    p->flat = (unsigned char *)get_memory((size_t)chunk,
                                          (size_t)p->row_bytes);
    for (k = 0; k < p->parts; k++) p->outs[k] = p->flat;
    workers_phase(&tool_team, "parting", rows);
    for (p->at = 0; p->at < rows; p->at += chunk)
        partition_chunk(p, rows - p->at < chunk ? rows - p->at : chunk);
    for (k = 0; k < p->parts; k++)
        if (p->written[k] != p->sums[k])
            die("%s: it changed while it was read", p->opt->operands[1]);
}

static void partition_main(const options *opt)
{
    static partition p;
    ptrdiff_t k;
    p.opt = opt;
    partition_load(&p);
    partition_plan(&p);
    partition_allocate(&p);
    partition_check(&p);
    partition_create(&p);
    if (p.row_bytes && p.in.ids.count) partition_run(&p);
    for (k = 0; k < p.parts && p.parts <= OPEN_FILES; k++)
        if (close(p.fd[k]) != 0) die("%s", strerror(errno));
    commit();
    partition_free(&p);
}

/* ---- options -------------------------------------------------------------*/

#define BIT(option) (1u << (option))
#define ANY_OP (BIT(OPT_OUT) | BIT(OPT_BAD_INDEX) | BIT(OPT_THREADS) |        \
                BIT(OPT_QUIET) | BIT(OPT_PROGRESS) | BIT(OPT_HELP) |          \
                BIT(OPT_VERSION))
#define ANY_GATHER (ANY_OP | BIT(OPT_NEGATIVE))
#define ANY_STITCH (ANY_OP | BIT(OPT_GAPS))

static const operation ops[] = {
    { "gather_nd", gather_main, ndg_plan_gather_nd, ndg_gather_nd_out_dims,
      ANY_GATHER | BIT(OPT_BATCH_DIMS),
      "gather_nd PARAMS.npy INDICES.npy -o OUT.npy [--batch-dims N]",
      "each row of INDICES names a slice of PARAMS" },
    { "gather", gather_main, ndg_plan_gather, ndg_gather_out_dims,
      ANY_GATHER | BIT(OPT_AXIS) | BIT(OPT_BATCH_DIMS),
      "gather PARAMS.npy INDICES.npy -o OUT.npy [--axis A] [--batch-dims N]",
      "INDICES pick along one axis of PARAMS" },
    { "batch_gather", gather_main, ndg_plan_batch_gather,
      ndg_batch_gather_out_dims, ANY_GATHER,
      "batch_gather PARAMS.npy INDICES.npy -o OUT.npy",
      "gather in which all axes of INDICES but the last are batch axes" },
    { "dynamic_stitch", stitch_main, NULL, NULL, ANY_STITCH,
      "dynamic_stitch -o OUT.npy INDICES0.npy DATA0.npy [...]",
      "row j of DATAm becomes row INDICESm[j]; the last one wins" },
    { "parallel_dynamic_stitch", stitch_main, NULL, NULL, ANY_STITCH,
      "parallel_dynamic_stitch -o OUT.npy INDICES0.npy DATA0.npy [...]",
      "the same, by TensorFlow's other name" },
    { "dynamic_partition", partition_main, NULL, NULL, ANY_OP | BIT(OPT_NUM),
      "dynamic_partition DATA.npy PARTITIONS.npy -n NUM -o PREFIX",
      "row j goes to PREFIX.K.npy, where K = PARTITIONS[j]" },
    { "scatter_nd", scatter_main, NULL, NULL,
      ANY_STITCH | BIT(OPT_NEGATIVE) | BIT(OPT_BATCH_DIMS),
      "scatter_nd INTO.npy INDICES.npy DATA.npy -o OUT.npy [--batch-dims N]",
      "a copy of INTO whose slice INDICES[j] is row j of DATA" }
};

#define OP_COUNT ((int)(sizeof ops / sizeof ops[0]))

static const struct {
    const char *name;
    int         option, has_value;
} option_names[] = {
    { "-o", OPT_OUT, 1 },              { "-n", OPT_NUM, 1 },
    { "-q", OPT_QUIET, 0 },            { "--quiet", OPT_QUIET, 0 },
    { "--progress", OPT_PROGRESS, 0 }, { "--threads", OPT_THREADS, 1 },
    { "--bad-index", OPT_BAD_INDEX, 1 },
    { "--negative", OPT_NEGATIVE, 1 }, { "--gaps", OPT_GAPS, 1 },
    { "--axis", OPT_AXIS, 1 },         { "--batch-dims", OPT_BATCH_DIMS, 1 },
    { "--help", OPT_HELP, 0 },         { "--version", OPT_VERSION, 0 }
};

#define OPTION_NAMES ((int)(sizeof option_names / sizeof option_names[0]))

/* The words of a command line, before they are given a meaning. */
typedef struct words {
    const char *value[OPT_COUNT];      /* NULL: not given; the last one wins */
    const char *name[OPT_COUNT];       /* as it was written */
    char      **operands;
    int         count;
} words;

static const operation *find_op(const char *name)
{
    int i;
    for (i = 0; i < OP_COUNT; i++)
        if (strcmp(name, ops[i].name) == 0) return &ops[i];
    return NULL;
}

/* Takes the option at argv[at] and returns the index of its last word. */
static int take_option(words *w, int argc, char **argv, int at)
{
    const char *word = argv[at], *equals = NULL;
    size_t      n = strlen(word);
    int         i;
    if (word[1] == '-') equals = strchr(word, '=');
    if (equals) n = (size_t)(equals - word);
    for (i = 0; i < OPTION_NAMES; i++)
        if (strlen(option_names[i].name) == n &&
            strncmp(word, option_names[i].name, n) == 0) break;
    if (i == OPTION_NAMES)
        usage(NULL, "unknown option '%.200s'", word);
    if (!option_names[i].has_value && equals)
        usage(NULL, "%s takes no value", option_names[i].name);
    if (option_names[i].has_value && !equals && ++at == argc)
        usage(NULL, "%s needs a value", word);
    w->name[option_names[i].option] = option_names[i].name;
    w->value[option_names[i].option] = equals ? equals + 1 : argv[at];
    return at;
}

/* Sorts the command line into options and operands, which replace argv. */
static void read_words(words *w, int argc, char **argv)
{
    int i, ended = 0;
    memset(w, 0, sizeof *w);
    w->operands = argv;
    for (i = 1; i < argc; i++) {
        if (!ended && strcmp(argv[i], "--") == 0) ended = 1;
        else if (!ended && argv[i][0] == '-' && argv[i][1])
            i = take_option(w, argc, argv, i);
        else w->operands[w->count++] = argv[i];
    }
}

/* A decimal number between least and most; anything else is a usage error. */
static int64_t number(const operation *o, const words *w, int option,
                      int64_t least, int64_t most)
{
    const char *text = w->value[option];
    uint64_t    bits;
    int64_t     value;
    if (*text == '+' || !fill_integer(text, 8, 1, &bits))
        usage(o, "%s '%.200s' is not a whole number", w->name[option], text);
    memcpy(&value, &bits, sizeof value);
    if (value < least || value > most)
        usage(o, "%s %" PRId64 " is not in the range %" PRId64 " to %" PRId64,
              w->name[option], value, least, most);
    return value;
}

/* Which of several words the option's value is. */
static int choice(const operation *o, const words *w, int option,
                  const char *first, const char *second)
{
    const char *text = w->value[option];
    if (!text || strcmp(text, first) == 0) return 0;
    if (strcmp(text, second) == 0) return 1;
    usage(o, "%s is %s or %s, not '%.200s'", w->name[option], first, second,
          text);
}

static void read_policy(options *opt, const operation *o, const char *text)
{
    static const struct { const char *name; int policy; } gathers[] = {
        { "error", NDG_ERROR }, { "zero", NDG_ZERO }, { "clip", NDG_CLIP },
        { "wrap", NDG_WRAP }
    };
    int i;
    opt->policy = NDG_ERROR;
    if (!text || strcmp(text, "error") == 0) return;
    for (i = 0; o->plan && i < 4; i++)
        if (strcmp(text, gathers[i].name) == 0) {
            opt->policy = gathers[i].policy;
            return;
        }
    if (o->plan && strncmp(text, "fill=", 5) == 0) {
        opt->policy = NDG_FILL;
        opt->fill = text + 5;
        return;
    }
    if (o->plan)
        usage(o, "--bad-index is error, zero, fill=V, clip or wrap, not "
              "'%.200s'", text);
    opt->policy = NDG_DROP;
    if (strcmp(text, "drop") != 0)
        usage(o, "--bad-index is error or drop, not '%.200s'", text);
}

static void read_numbers(options *opt, const operation *o, const words *w)
{
    int64_t least = o->plan == ndg_plan_gather_nd || o->run == scatter_main
                  ? 0 : INT64_MIN;
    if (w->value[OPT_AXIS]) {
        opt->has_axis = 1;
        opt->axis = number(o, w, OPT_AXIS, INT64_MIN, INT64_MAX);
    }
    if (w->value[OPT_BATCH_DIMS])
        opt->batch_dims = number(o, w, OPT_BATCH_DIMS, least, INT64_MAX);
    if (w->value[OPT_THREADS])
        opt->threads = to_int(number(o, w, OPT_THREADS, 1, INT64_MAX));
    if (w->value[OPT_NUM])
        opt->parts = (ptrdiff_t)number(o, w, OPT_NUM, 1, 1048576);
}

/* Gives the words their meaning, or says what is wrong with them. */
static void read_options(options *opt, const operation *o, const words *w)
{
    int i, stitches = o->run == stitch_main;
    int arrays = o->run == scatter_main ? 3 : 2;
    memset(opt, 0, sizeof *opt);
    opt->op = o;
    opt->operands = w->operands + 1;
    opt->operand_count = w->count - 1;
    for (i = 0; i < OPT_COUNT; i++)
        if (w->value[i] && !(o->takes & BIT(i)))
            usage(o, "%s is not an option of %s", w->name[i], o->name);
    read_policy(opt, o, w->value[OPT_BAD_INDEX]);
    opt->negative = choice(o, w, OPT_NEGATIVE, "bad", "from-end");
    opt->gaps = stitches ? choice(o, w, OPT_GAPS, "zero", "error")
                         : choice(o, w, OPT_GAPS, "keep", "zero");
    read_numbers(opt, o, w);
    opt->out = w->value[OPT_OUT];
    if (!stitches && opt->operand_count != arrays)
        usage(o, "%d arrays are given, not %d", opt->operand_count, arrays);
    if (stitches && (opt->operand_count == 0 || opt->operand_count % 2))
        usage(o, "indices and data come in pairs, but %d arrays are given",
              opt->operand_count);
    if (!opt->out) usage(o, "-o is missing");
    if (o->takes & BIT(OPT_NUM) && !opt->parts) usage(o, "-n is missing");
}

/* ---- help ----------------------------------------------------------------*/

static const char help_options[] =
    "  -o OUT            the file to write (dynamic_partition: its prefix)\n"
    "  --bad-index P     what an index out of range does. Gathers: error\n"
    "                    (default), zero, fill=V, clip, wrap; others: error\n"
    "                    (default), drop\n"
    "  --negative P      gathers, scatter_nd: bad (default), or from-end: -1 is\n"
    "                    the last\n"
    "  --gaps P          what nobody writes. Stitches: zero (default), or error;\n"
    "                    scatter_nd: keep INTO's (default), or zero\n"
    "  --axis A          gather: the axis; default: the first after the batch\n"
    "  --batch-dims N    gather, gather_nd, scatter_nd: leading axes that the\n"
    "                    array and INDICES share; default 0\n"
    "  -n NUM            dynamic_partition: the number of parts\n"
    "  --threads N       worker threads; the result is the same for every N\n"
    "  -q, --quiet       no progress line;  --progress: always one\n"
    "  --help, --version\n";

static void print_help(const operation *o)
{
    int i;
    printf("usage: ndgather %s [options]\n\n",
           o ? o->usage : "OP ARRAYS... -o OUT");
    if (o) printf("%s\n", o->meaning);
    for (i = 0; !o && i < OP_COUNT; i++)
        printf("  %s\n      %s\n", ops[i].usage, ops[i].meaning);
    printf("\n%s\nArrays are .npy files. Exit status: 0 done, 1 the data or a "
           "file is wrong\n(nothing is written), 2 the command line is "
           "wrong.\n", help_options);
}

/* stdout may be closed, or full. */
static int finish_stdout(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    say("stdout cannot be written");
    return 1;
}

/* ---- main ----------------------------------------------------------------*/

/* A closed descriptor 0, 1 or 2 would be given to the next file we open, and
 * messages would end up in it. */
static void fill_descriptors(void)
{
    int fd;
    do fd = open("/dev/null", O_RDONLY); while (fd >= 0 && fd <= 2);
    if (fd > 2) close(fd);
}

static void start_team(options *opt, const words *w)
{
    const char *quiet = w->value[OPT_QUIET], *force = w->value[OPT_PROGRESS];
    int         terminal = isatty(STDERR_FILENO);
    static char label[64];
    opt->progress = terminal ? WORKERS_WHEN_LONG : WORKERS_QUIET;
    if (force) opt->progress = WORKERS_ALWAYS;
    if (quiet) opt->progress = WORKERS_QUIET;
    snprintf(label, sizeof label, "ndgather: %s", opt->op->name);
    workers_init(&tool_team, label, opt->progress, terminal);
}

/* The last word of a progress line: forced, it says 100 %; else it goes. */
static void end_team(const options *opt)
{
    if (opt->progress == WORKERS_ALWAYS) {
        tool_team.phase = "done";
        tool_team.done = tool_team.all;
        workers_show(&tool_team);
        if (tool_team.terminal) fprintf(stderr, "\n");
    } else {
        workers_clear(&tool_team);
    }
}

int main(int argc, char **argv)
{
    words     w;
    options   opt;
    const operation *o = NULL;
    fill_descriptors();
    outfile_guard();
    read_words(&w, argc, argv);
    if (w.count) {
        o = find_op(w.operands[0]);
        if (!o) usage(NULL, "unknown operation '%.200s'", w.operands[0]);
        tool_op = o->name;
    }
    if (w.value[OPT_HELP]) {
        print_help(o);
        return finish_stdout();
    }
    if (w.value[OPT_VERSION]) {
        printf("ndgather %d.%d.%d\n", NDG_VERSION_MAJOR, NDG_VERSION_MINOR,
               NDG_VERSION_PATCH);
        return finish_stdout();
    }
    if (!o) usage(NULL, "no operation is given");
    read_options(&opt, o, &w);
    start_team(&opt, &w);
    o->run(&opt);
    end_team(&opt);
    return 0;
}
