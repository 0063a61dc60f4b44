/* shim.c - ndgather.h for Python's ctypes: flat functions, no structs
 *
 *     cc -O2 -fPIC -shared -I../../.. shim.c -o _ndgather.so    (pip does this)
 *
 * Python never sees a struct of the library. Plans, lists and reports are
 * buffers whose sizes ndgpy_sizes tells; a description comes as a row of words,
 * which one packs with array.array. That way no layout is written down twice,
 * and a header that grows a field needs no change here.
 *
 * A shape is: rank, whether it is strided, the extents and, if it is, the
 * strides. Words and pointers come from the package's own code, which has put
 * them together from NumPy's; the library checks what they say.
 */
#define NDG_STATIC
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#include <limits.h>

#if defined(_WIN32)
#define SHIM __declspec(dllexport)
#elif defined(__GNUC__)
#define SHIM __attribute__((visibility("default")))
#else
#define SHIM
#endif

/* What ctypes calls; their prototypes are in ndgather/_shim.py. */
SHIM int ndgpy_version(void);
SHIM void ndgpy_sizes(ptrdiff_t *bytes);
SHIM const char *ndgpy_status_name(int status);
SHIM const char *ndgpy_arg_text(int operand);
SHIM void ndgpy_merge(void *reports, ptrdiff_t n, int op);
SHIM ptrdiff_t ndgpy_report_text(char *text, ptrdiff_t cap, const void *report,
        const ptrdiff_t *shape);
SHIM void ndgpy_report_facts(const void *report, int64_t *facts);
SHIM int ndgpy_plan_gather(void *plan, const ptrdiff_t *words,
        const void *fill, ptrdiff_t *facts, void *report);
SHIM int ndgpy_gather_fits(const void *plan, const void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        void *report);
SHIM int ndgpy_gather_run(const void *plan, void *out, ptrdiff_t out_bytes,
        const void *params, const void *indices, ptrdiff_t first,
        ptrdiff_t last, void *report);
SHIM int ndgpy_plan_scatter(void *plan, const ptrdiff_t *words,
        ptrdiff_t *facts, void *report);
SHIM int ndgpy_scatter_check(const void *plan, const void *indices,
        ptrdiff_t first, ptrdiff_t last, void *report);
SHIM int ndgpy_scatter_fits(const void *plan, const void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        void *report);
SHIM int ndgpy_scatter_run(const void *plan, void *out, ptrdiff_t out_bytes,
        const void *data, const void *indices, ptrdiff_t first,
        ptrdiff_t last, void *report);
SHIM int ndgpy_plan_stitch(void *plan, void *lists, const ptrdiff_t *words,
        const uintptr_t *pointers, void *report);
SHIM int ndgpy_stitch_total(const void *plan, const void *lists, ptrdiff_t n,
        ptrdiff_t *total, void *report);
SHIM ptrdiff_t ndgpy_stitch_scratch_bytes(const void *plan, ptrdiff_t rows);
SHIM int ndgpy_stitch_run(const void *plan, void *out, ptrdiff_t out_bytes,
        ptrdiff_t total, const void *lists, ptrdiff_t n, ptrdiff_t first,
        ptrdiff_t last, void *scratch, ptrdiff_t scratch_bytes, void *report);
SHIM int ndgpy_stitch_part(const void *plan, void *out, ptrdiff_t out_bytes,
        ptrdiff_t total, const void *lists, ptrdiff_t item, ptrdiff_t from,
        ptrdiff_t until, ptrdiff_t index_bytes, ptrdiff_t first,
        ptrdiff_t last, void *report);
SHIM int ndgpy_plan_partition(void *plan, const ptrdiff_t *words,
        ptrdiff_t *facts, void *report);
SHIM int ndgpy_partition_count(const void *plan, const void *partitions,
        ptrdiff_t first, ptrdiff_t last, ptrdiff_t *counts, void *report);
SHIM void ndgpy_partition_starts(ptrdiff_t *counts, ptrdiff_t *cursors,
        ptrdiff_t workers, ptrdiff_t parts);
SHIM int ndgpy_partition_run(const void *plan, void *const *outs,
        void *const *positions, const void *data, const void *partitions,
        ptrdiff_t first, ptrdiff_t last, ptrdiff_t *cursors,
        const ptrdiff_t *limits, void *report);

/* ---- words ----------------------------------------------------------------*/

static ptrdiff_t next_word(const ptrdiff_t **words) { return *(*words)++; }

/* A number that no int holds becomes one that no operation takes. */
static int next_int(const ptrdiff_t **words)
{
    const ptrdiff_t word = next_word(words);
    if (word < INT_MIN) return INT_MIN;
    return word > INT_MAX ? INT_MAX : (int)word;
}

/* One of n names, which Python numbers by their order in its own lists. */
static int next_name(const ptrdiff_t **words, const int *values, int n)
{
    const ptrdiff_t word = next_word(words);
    return 0 <= word && word < n ? values[word] : INT_MAX;
}

static int next_op(const ptrdiff_t **words)
{
    static const int ops[7] = {
        NDG_OP_GATHER_ND, NDG_OP_GATHER, NDG_OP_BATCH_GATHER,
        NDG_OP_DYNAMIC_STITCH, NDG_OP_PARALLEL_DYNAMIC_STITCH,
        NDG_OP_DYNAMIC_PARTITION, NDG_OP_SCATTER_ND };
    return next_name(words, ops, 7);
}

static int next_type(const ptrdiff_t **words)
{
    static const int types[8] = { NDG_I8, NDG_I16, NDG_I32, NDG_I64,
                                  NDG_U8, NDG_U16, NDG_U32, NDG_U64 };
    return next_name(words, types, 8);
}

static int next_policy(const ptrdiff_t **words)
{
    static const int policies[8] = {
        NDG_ERROR, NDG_ZERO, NDG_FILL, NDG_CLIP, NDG_WRAP, NDG_KEEP, NDG_DROP,
        NDG_ASSUME_VALID };
    return next_name(words, policies, 8);
}

static int next_negative(const ptrdiff_t **words)
{
    static const int ways[2] = { NDG_NEGATIVE_BAD, NDG_NEGATIVE_FROM_END };
    return next_name(words, ways, 2);
}

static int next_gaps(const ptrdiff_t **words)
{
    static const int ways[3] = { NDG_GAPS_ZERO, NDG_GAPS_ERROR,
                                 NDG_GAPS_KEEP };
    return next_name(words, ways, 3);
}

/* The shape refers to the words, which therefore have to stay. */
static ndg_shape next_shape(const ptrdiff_t **words)
{
    const int        rank = next_int(words);
    const int        strided = next_int(words);
    const ptrdiff_t *dims = *words;
    *words += strided ? 2 * rank : rank;
    return ndg_dims(rank, dims, strided ? dims + rank : NULL);
}

/* ---- sizes and reports ----------------------------------------------------*/

SHIM int ndgpy_version(void) { return ndg_version(); }

SHIM void ndgpy_sizes(ptrdiff_t *bytes)
{
    bytes[0] = (ptrdiff_t)sizeof(ndg_report);
    bytes[1] = (ptrdiff_t)sizeof(ndg_gather_plan);
    bytes[2] = (ptrdiff_t)sizeof(ndg_stitch_plan);
    bytes[3] = (ptrdiff_t)sizeof(ndg_list);
    bytes[4] = (ptrdiff_t)sizeof(ndg_partition_plan);
    bytes[5] = (ptrdiff_t)sizeof(ndg_scatter_plan);
}

SHIM const char *ndgpy_status_name(int status)
{
    switch (status) {
#define NAME_OF(name, number, text) case number: return #name;
    NDG_STATUS_LIST(NAME_OF)
#undef NAME_OF
    default: return "no such status";
    }
}

SHIM const char *ndgpy_arg_text(int operand) { return ndg_arg_text(operand); }

/* The reports of n ranges, one behind the other, into the first of them. What
 * is wrong goes by the name of what was called. */
SHIM void ndgpy_merge(void *reports, ptrdiff_t n, int op)
{
    const ptrdiff_t  name = op;
    const ptrdiff_t *words = &name;
    ndg_report      *r = (ndg_report *)reports;
    ptrdiff_t        k;
    for (k = 1; k < n; k++) ndg_report_merge(r, r + k);
    if (r->status != NDG_OK || r->bad.count > 0) r->op = next_op(&words);
}

SHIM ptrdiff_t ndgpy_report_text(char *text, ptrdiff_t cap, const void *report,
        const ptrdiff_t *shape)
{
    const ndg_shape indices = next_shape(&shape);
    return ndg_report_text(text, cap, (const ndg_report *)report, &indices);
}

/* Field by field, in the order of ndgather/_report.py. */
SHIM void ndgpy_report_facts(const void *report, int64_t *facts)
{
    const ndg_report *r = (const ndg_report *)report;
    facts[0] = r->status;
    facts[1] = r->op;
    facts[2] = r->operand;
    facts[3] = r->axis;
    facts[4] = r->item;
    facts[5] = r->value;
    facts[6] = r->bound;
    facts[7] = r->bad.count;
    facts[8] = r->bad.list;
    facts[9] = r->bad.position;
    facts[10] = r->bad.component;
    facts[11] = r->bad.is_u64;
    facts[12] = r->bad.value;
    facts[13] = r->bad.extent;
    facts[14] = r->rows.first_hole;
    facts[15] = r->rows.holes;
    facts[16] = r->rows.duplicates;
}

/* Whether a run has anything to say: most have not, and Python asks no more.
 * 2: it failed. */
static int has_news(const ndg_report *r)
{
    if (r->status != NDG_OK) return 2;
    return r->bad.count > 0 || r->rows.holes > 0 || r->rows.duplicates > 0;
}

/* ---- gathers --------------------------------------------------------------*/

static int plan_gather(ndg_gather_plan *plan, const ndg_gather_desc *desc,
        int op, ndg_report *report)
{
    if (op == NDG_OP_GATHER_ND) return ndg_plan_gather_nd(plan, desc, report);
    if (op == NDG_OP_GATHER) return ndg_plan_gather(plan, desc, report);
    return ndg_plan_batch_gather(plan, desc, report);
}

static int gather_out_dims(const ndg_gather_desc *desc, int op,
        ptrdiff_t *dims, int cap)
{
    if (op == NDG_OP_GATHER_ND)
        return ndg_gather_nd_out_dims(desc, dims, cap);
    if (op == NDG_OP_GATHER) return ndg_gather_out_dims(desc, dims, cap);
    return ndg_batch_gather_out_dims(desc, dims, cap);
}

/* words: op, elem_size, index_type, batch_dims, axis, policy, negative, room
 * for extents in facts, the shapes of params and indices, and of out if there
 * is one. facts: out_bytes, rows, slice_bytes, rank of out, its extents. */
SHIM int ndgpy_plan_gather(void *plan, const ptrdiff_t *words,
        const void *fill, ptrdiff_t *facts, void *report)
{
    ndg_gather_plan *p = (ndg_gather_plan *)plan;
    ndg_gather_desc  d = NDG_ZERO_INIT;
    const int        op = next_op(&words);
    int              status, cap;
    d.elem_size = next_word(&words);
    d.index_type = next_type(&words);
    d.batch_dims = next_int(&words);
    d.axis = next_int(&words);
    d.policy = next_policy(&words);
    d.negative = next_negative(&words);
    cap = next_int(&words);
    d.params = next_shape(&words);
    d.indices = next_shape(&words);
    if (next_word(&words)) d.out = next_shape(&words);
    if (fill && d.elem_size <= (ptrdiff_t)sizeof d.fill)
        memcpy(d.fill, fill, (size_t)d.elem_size);
    status = plan_gather(p, &d, op, (ndg_report *)report);
    if (status != NDG_OK) return status;
    facts[0] = p->out_bytes;
    facts[1] = p->rows;
    facts[2] = p->slice_bytes;
    facts[3] = gather_out_dims(&d, op, facts + 4, cap);
    return NDG_OK;
}

SHIM int ndgpy_gather_fits(const void *plan, const void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        void *report)
{
    const ndg_gather_plan *p = (const ndg_gather_plan *)plan;
    return ndg_gather_fits(p, out, out_bytes, params, indices, 0, p->rows,
                           (ndg_report *)report);
}

/* Runs rows first ... last-1; returns whether the report has news. */
SHIM int ndgpy_gather_run(const void *plan, void *out, ptrdiff_t out_bytes,
        const void *params, const void *indices, ptrdiff_t first,
        ptrdiff_t last, void *report)
{
    ndg_report *r = (ndg_report *)report;
    ndg_gather_run_range((const ndg_gather_plan *)plan, out, out_bytes, params,
                         indices, first, last, r);
    return has_news(r);
}

/* ---- scatters -------------------------------------------------------------*/

/* words: elem_size, index_type, batch_dims, policy, negative, gaps, the shapes
 * of out, indices and data. facts: index rows, slots, slice_bytes. */
SHIM int ndgpy_plan_scatter(void *plan, const ptrdiff_t *words,
        ptrdiff_t *facts, void *report)
{
    ndg_scatter_plan *p = (ndg_scatter_plan *)plan;
    ndg_scatter_desc  d = NDG_ZERO_INIT;
    int               status;
    d.elem_size = next_word(&words);
    d.index_type = next_type(&words);
    d.batch_dims = next_int(&words);
    d.policy = next_policy(&words);
    d.negative = next_negative(&words);
    d.gaps = next_gaps(&words);
    d.out = next_shape(&words);
    d.indices = next_shape(&words);
    d.data = next_shape(&words);
    status = ndg_plan_scatter_nd(p, &d, (ndg_report *)report);
    facts[0] = p->by.rows;
    facts[1] = p->slots;
    facts[2] = p->by.slice_bytes;
    return status;
}

SHIM int ndgpy_scatter_check(const void *plan, const void *indices,
        ptrdiff_t first, ptrdiff_t last, void *report)
{
    ndg_report *r = (ndg_report *)report;
    ndg_scatter_check((const ndg_scatter_plan *)plan, indices, first, last, r);
    return has_news(r);
}

SHIM int ndgpy_scatter_fits(const void *plan, const void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        void *report)
{
    const ndg_scatter_plan *p = (const ndg_scatter_plan *)plan;
    return ndg_scatter_fits(p, out, out_bytes, data, indices, 0, p->slots,
                            (ndg_report *)report);
}

/* Writes slots first ... last-1; returns whether the report has news. */
SHIM int ndgpy_scatter_run(const void *plan, void *out, ptrdiff_t out_bytes,
        const void *data, const void *indices, ptrdiff_t first,
        ptrdiff_t last, void *report)
{
    ndg_report *r = (ndg_report *)report;
    ndg_scatter_run_range((const ndg_scatter_plan *)plan, out, out_bytes, data,
                          indices, first, last, r);
    return has_news(r);
}

/* ---- stitches -------------------------------------------------------------*/

/* words: elem_size, index_type, policy, gaps, number of lists, the slice,
 * and whether there is an out: if so its bytes from row to row and its slice;
 * then for each list the shapes of indices and data. pointers: two for each. */
SHIM int ndgpy_plan_stitch(void *plan, void *lists, const ptrdiff_t *words,
        const uintptr_t *pointers, void *report)
{
    ndg_report     *r = (ndg_report *)report;
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ptrdiff_t       n, k;
    int             status;
    d.elem_size = next_word(&words);
    d.index_type = next_type(&words);
    d.policy = next_policy(&words);
    d.gaps = next_gaps(&words);
    n = next_word(&words);
    d.slice = next_shape(&words);
    if (next_word(&words)) {
        d.out_stride = next_word(&words);
        d.out_slice = next_shape(&words);
    }
    status = ndg_plan_stitch((ndg_stitch_plan *)plan, &d, r);
    for (k = 0; k < n && status == NDG_OK; k++) {
        ndg_stitch_input input;
        input.indices = (const void *)pointers[2 * k];
        input.data = (const void *)pointers[2 * k + 1];
        input.indices_shape = next_shape(&words);
        input.data_shape = next_shape(&words);
        status = ndg_list_from((ndg_list *)lists + k, &input, &d, r);
        r->item = k;
    }
    return status;
}

SHIM int ndgpy_stitch_total(const void *plan, const void *lists, ptrdiff_t n,
        ptrdiff_t *total, void *report)
{
    return ndg_stitch_total((const ndg_stitch_plan *)plan,
                            (const ndg_list *)lists, n, total,
                            (ndg_report *)report);
}

SHIM ptrdiff_t ndgpy_stitch_scratch_bytes(const void *plan, ptrdiff_t rows)
{
    return ndg_stitch_scratch_bytes((const ndg_stitch_plan *)plan, rows);
}

SHIM int ndgpy_stitch_run(const void *plan, void *out, ptrdiff_t out_bytes,
        ptrdiff_t total, const void *lists, ptrdiff_t n, ptrdiff_t first,
        ptrdiff_t last, void *scratch, ptrdiff_t scratch_bytes, void *report)
{
    ndg_report *r = (ndg_report *)report;
    ndg_stitch_run_range((const ndg_stitch_plan *)plan, out, out_bytes, total,
                         (const ndg_list *)lists, n, first, last, scratch,
                         scratch_bytes, r);
    return has_news(r);
}

/* Entries from ... until-1 of one list, with no marks: what a list is cut into
 * so that a long run can be stopped. The report counts from the list's own. */
SHIM int ndgpy_stitch_part(const void *plan, void *out, ptrdiff_t out_bytes,
        ptrdiff_t total, const void *lists, ptrdiff_t item, ptrdiff_t from,
        ptrdiff_t until, ptrdiff_t index_bytes, ptrdiff_t first,
        ptrdiff_t last, void *report)
{
    const ndg_stitch_plan *p = (const ndg_stitch_plan *)plan;
    ndg_report            *r = (ndg_report *)report;
    ndg_list               l = ((const ndg_list *)lists)[item];
    if (l.index_stride == 0) l.index_stride = index_bytes;
    if (l.data_stride == 0) l.data_stride = p->row.bytes;
    l.indices = (const char *)l.indices + from * l.index_stride;
    l.data = (const char *)l.data + from * l.data_stride;
    l.count = until - from;
    ndg_stitch_run_range(p, out, out_bytes, total, &l, 1, first, last, NULL, 0,
                         r);
    if (r->status != NDG_OK) r->item += item;
    if (r->bad.count > 0) {
        r->bad.list += item;
        r->bad.position += from;
    }
    return has_news(r);
}

/* ---- partitions -----------------------------------------------------------*/

/* words: elem_size, num_partitions, index_type, position_type, policy, the
 * shapes of data and partitions, and whether there is an out: if so its bytes
 * from row to row and its slice. facts: rows, bytes of a row. */
SHIM int ndgpy_plan_partition(void *plan, const ptrdiff_t *words,
        ptrdiff_t *facts, void *report)
{
    ndg_partition_plan *p = (ndg_partition_plan *)plan;
    ndg_partition_desc  d = NDG_ZERO_INIT;
    int                 status;
    d.elem_size = next_word(&words);
    d.num_partitions = next_word(&words);
    d.index_type = next_type(&words);
    d.position_type = next_type(&words);
    d.policy = next_policy(&words);
    d.data = next_shape(&words);
    d.partitions = next_shape(&words);
    if (next_word(&words)) {
        d.out_stride = next_word(&words);
        d.out_slice = next_shape(&words);
    }
    status = ndg_plan_partition(p, &d, (ndg_report *)report);
    facts[0] = p->rows;
    facts[1] = p->row.bytes;
    return status;
}

SHIM int ndgpy_partition_count(const void *plan, const void *partitions,
        ptrdiff_t first, ptrdiff_t last, ptrdiff_t *counts, void *report)
{
    ndg_report *r = (ndg_report *)report;
    ndg_partition_count((const ndg_partition_plan *)plan, partitions, first,
                        last, counts, r);
    return has_news(r);
}

SHIM void ndgpy_partition_starts(ptrdiff_t *counts, ptrdiff_t *cursors,
        ptrdiff_t workers, ptrdiff_t parts)
{
    ndg_partition_starts(counts, cursors, workers, parts);
}

SHIM int ndgpy_partition_run(const void *plan, void *const *outs,
        void *const *positions, const void *data, const void *partitions,
        ptrdiff_t first, ptrdiff_t last, ptrdiff_t *cursors,
        const ptrdiff_t *limits, void *report)
{
    ndg_report *r = (ndg_report *)report;
    ndg_partition_run_range((const ndg_partition_plan *)plan, outs, positions,
                            data, partitions, first, last, cursors, limits, r);
    return has_news(r);
}
