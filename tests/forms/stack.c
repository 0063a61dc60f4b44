/* stack.c - how deep each public function goes, on a stack of its own that was
 * painted before. Prints a line for each, `FUNCTION BYTES`: the most of calls
 * that reach every loop.
 *
 * The library is in an object of its own, so that nothing of it is inlined
 * here; what memcpy takes counts. Link it with one that takes arrays of some
 * thousand bytes to be far (see stack.sh, which does):
 *
 *     cc -DNDGATHER_IMPLEMENTATION -DNDGI_FAR_BYTES=4096 \
 *         -DNDGI_STREAM_BYTES=16384 -x c -c ndgather.h -o lib.o
 *     cc -I. tests/forms/stack.c lib.o -o stack && ./stack */
#define _DEFAULT_SOURCE
#include "ndgather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "../lib/descs.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { OWN = 1 << 22, STEP = 512, PAINT = 0x5C };
enum { ROOM = 1 << 19, PARTS = 3, MOST = 700 };

/* ---- a stack of its own --------------------------------------------------*/

static unsigned char own[OWN];
static ucontext_t    caller, callee;
static void        (*job)(void);

static void start(void) { job(); }
static void nothing(void) { }

/* The bytes of it that a call writes. What they were is painted over. */
static long depth_of(void (*f)(void))
{
    static unsigned char paint[STEP];
    long                 i = 0;
    if (paint[0] != PAINT) {
        memset(paint, PAINT, STEP);
        memset(own, PAINT, OWN);
    }
    if (getcontext(&callee)) exit(2);
    callee.uc_stack.ss_sp = own;
    callee.uc_stack.ss_size = OWN;
    callee.uc_link = &caller;
    job = f;
    makecontext(&callee, start, 0);
    if (swapcontext(&caller, &callee)) exit(2);
    while (i < OWN && memcmp(own + i, paint, STEP) == 0) i += STEP;
    while (i < OWN && own[i] == PAINT) i++;
    if (i == 0) {
        printf("a call needs more than %d bytes\n", OWN);
        exit(1);
    }
    memset(own + i, PAINT, (size_t)(OWN - i));
    return OWN - i;
}

static struct { const char *name; long bytes; } most[64];

static long before_any;         /* what a call of nothing writes */

static void measure(const char *name, void (*f)(void))
{
    const long bytes = depth_of(f) - before_any;
    int        i = 0;
    while (most[i].name && strcmp(most[i].name, name)) i++;
    if (i == COUNT(most) - 1) exit(3);
    most[i].name = name;
    if (bytes > most[i].bytes) most[i].bytes = bytes;
}

#define MEASURE(function) measure("ndg_" #function, call_##function)

/* ---- what is called ------------------------------------------------------*/

static unsigned char table[ROOM], out[ROOM], ids[MOST * 4 * 8], bits[MOST];
static char          line[300];
static int           type, policy, status;
static ptrdiff_t     bytes, rows, count, total;
static ptrdiff_t     counts[2 * PARTS], cursors[2 * PARTS], dims[16];
static void         *outs[PARTS], *positions[PARTS];

static ndg_report         report, merged;
static ndg_gather_desc    g;
static ndg_gather_plan    plan;
static ndg_scatter_desc   w;
static ndg_scatter_plan   scatter;
static ndg_stitch_desc    s;
static ndg_stitch_plan    stitch;
static ndg_list           lists[2];
static ndg_stitch_input   inputs[2];
static ndg_partition_desc p;
static ndg_partition_plan parts;

#define CALL(function, call)                                                  \
    static void call_##function(void) { call; }
#define GATHERS(op)                                                           \
    CALL(plan_##op, status = ndg_plan_##op(&plan, &g, &report))               \
    CALL(op, status = ndg_##op(out, ROOM, table, ids, &g, &report))           \
    CALL(op##_out_dims, ndg_##op##_out_dims(&g, dims, 16))
GATHERS(gather_nd)
GATHERS(gather)
GATHERS(batch_gather)
CALL(gather_rows, status = ndg_gather_rows(out, ROOM, table, rows, bytes, 0,
     ids, type, count, policy, &report))
CALL(scatter_rows, status = ndg_scatter_rows(out, ROOM, rows, bytes, 0, table,
     ids, type, count, NDG_DROP, &report))
CALL(gather_run, status = ndg_gather_run(&plan, out, ROOM, table, ids,
                                         &report))
CALL(gather_run_range, status = ndg_gather_run_range(&plan, out, ROOM, table,
     ids, plan.rows / 3, plan.rows, &report))
CALL(gather_out_bytes, ndg_gather_out_bytes(&plan, 0, plan.rows))
CALL(gather_fits, ndg_gather_fits(&plan, out, ROOM, table, ids, 0, plan.rows,
                                  &report))
CALL(gather_check, ndg_gather_check(&plan, ids, 0, plan.rows, &report))
CALL(plan_scatter_nd, status = ndg_plan_scatter_nd(&scatter, &w, &report))
CALL(scatter_run, ndg_scatter_run(&scatter, out, ROOM, table, ids, &report))
CALL(scatter_run_range, ndg_scatter_run_range(&scatter, out, ROOM, table, ids,
     scatter.slots / 3, scatter.slots, &report))
CALL(scatter_fits, ndg_scatter_fits(&scatter, out, ROOM, table, ids, 0,
                                    scatter.slots, &report))
CALL(scatter_check, ndg_scatter_check(&scatter, ids, 0, scatter.by.rows,
                                      &report))
CALL(scatter_nd, ndg_scatter_nd(out, ROOM, table, ids, &w, &report))
CALL(plan_stitch, status = ndg_plan_stitch(&stitch, &s, &report))
CALL(list_from, ndg_list_from(lists, inputs, &s, &report))
CALL(stitch_total, ndg_stitch_total(&stitch, lists, 2, &total, &report))
CALL(stitch_out_bytes, ndg_stitch_out_bytes(&stitch, rows))
CALL(stitch_scratch_bytes, ndg_stitch_scratch_bytes(&stitch, rows))
CALL(stitch_run, ndg_stitch_run(&stitch, out, ROOM, rows, lists, 2, bits, MOST,
                                &report))
CALL(stitch_run_range, ndg_stitch_run_range(&stitch, out, ROOM, rows, lists, 2,
     rows / 3, rows, NULL, 0, &report))
CALL(dynamic_stitch, ndg_dynamic_stitch(out, ROOM, &total, inputs, 2, &s,
                                        &report))
CALL(parallel_dynamic_stitch, ndg_parallel_dynamic_stitch(out, ROOM, &total,
     inputs, 2, &s, &report))
CALL(plan_partition, status = ndg_plan_partition(&parts, &p, &report))
CALL(partition_count, ndg_partition_count(&parts, ids, 0, count, counts,
                                          &report))
CALL(partition_out_bytes, ndg_partition_out_bytes(&parts, rows))
CALL(partition_starts, ndg_partition_starts(counts, cursors, 2, PARTS))
CALL(partition_run, ndg_partition_run(&parts, outs, positions, table, ids,
     count, counts, cursors, &report))
CALL(partition_run_range, ndg_partition_run_range(&parts, outs, NULL, table,
     ids, 0, count, cursors, counts, &report))
CALL(dynamic_partition, ndg_dynamic_partition(outs, positions, counts, cursors,
     table, ids, &p, &report))
CALL(report_merge, ndg_report_merge(&merged, &report))
CALL(report_text, ndg_report_text(line, 300, &report, &g.indices))
CALL(unravel, ndg_unravel(count - 1, &g.indices, 1, dims, 16))
CALL(status_text, ndg_status_text(status))
CALL(arg_text, ndg_arg_text(report.operand))
CALL(version, ndg_version())

static const ptrdiff_t width[] = { 4, 1, 2, 8, 1, 2, 4, 8 };    /* of types */

/* `n` indices good below good, of which `bad` in sixteen are not. (By a call of
 * memcpy, which binds it: else the first call that is measured does.) */
static void put(ptrdiff_t n, ptrdiff_t good, int bad)
{
    const uint16_t one = 1;
    const int      little = *(const unsigned char *)&one;
    static uint32_t x = 1;
    ptrdiff_t      i, w = width[type];
    for (i = 0; i < n; i++) {
        uint64_t v;
        x = x * 1664525 + 1013904223;
        v = (x >> 8) % (uint32_t)good;
        if ((int)(x >> 28) < bad) v = x & 128 ? (uint64_t)-1 : (uint64_t)good;
        memcpy(ids + i * w, (const unsigned char *)&v + (little ? 0 : 8 - w),
               (size_t)w);
    }
}

static void run_gathers(void)
{
    MEASURE(gather_run);
    MEASURE(gather_run_range);
    MEASURE(report_text);
    MEASURE(gather_out_bytes);
    MEASURE(gather_fits);
    MEASURE(gather_check);
}

/* Packed vectors of up to five components; a table in two pieces; indices with
 * room between them; from the end. */
static void vectors(int depth, int form)
{
    static const ptrdiff_t shape[] = { 4, 4, 2, 2, 1 };
    ptrdiff_t all[6], strides[6], n = count / 2, at = bytes;
    int       k;
    for (k = 0; k < depth; k++) all[k] = shape[5 - depth + k];
    if (depth == 1) all[0] = 64;
    all[depth] = bytes;
    for (k = depth; k >= 0; k--) {
        strides[k] = k == depth ? 1 + (form & 1) : at * (1 + (form & 1));
        if (k < depth) at *= all[k];
    }
    g = gather_of(1, ndg_dims(depth + 1, all, form & 1 ? strides : 0),
                  form & 2 ? ndg_strided2(n, 9 * width[type], depth,
                                          width[type])
                           : ndg_dims2(n, depth));
    if (form & 2) n = 0;
    g.negative = (form & 4) != 0;
    g.index_type = type;
    g.policy = policy;
    put(MOST, 1, form & 8 ? 3 : 0);
    if (form & 2 && count / 2 * 9 > MOST * 4) return;
    MEASURE(plan_gather_nd);
    if (status) return;
    MEASURE(gather_nd);
    MEASURE(gather_nd_out_dims);
    run_gathers();
    w = scatter_of(1, ndg_dims(depth + 1, all, 0), g.indices);
    w.index_type = type;
    w.policy = policy;
    w.negative = g.negative;
    w.index_add = form & 8 ? 1 : 0;
    MEASURE(plan_scatter_nd);
    if (status) return;
    MEASURE(scatter_run);
    MEASURE(scatter_run_range);
    MEASURE(scatter_fits);
    MEASURE(scatter_check);
    MEASURE(scatter_nd);
}

static void axes(void)
{
    g = gather_of(1, ndg_dims3(3, 30, bytes), ndg_dims1(count / 3));
    g.index_type = type;
    g.policy = policy;
    g.axis = 1;
    put(count, 30, 2);
    MEASURE(plan_gather);
    MEASURE(gather);
    MEASURE(gather_out_dims);
    run_gathers();
    g.params = ndg_dims3(2, 50, bytes);
    g.indices = ndg_dims2(2, count / 2);
    g.axis = 0;
    MEASURE(plan_batch_gather);
    MEASURE(batch_gather);
    MEASURE(batch_gather_out_dims);
    MEASURE(unravel);
    run_gathers();
}

/* form: gaps, and whether rows of out lie apart. */
static void stitches(int form)
{
    int k;
    memset(&s, 0, sizeof s);
    s.slice = ndg_dims1(bytes);
    s.elem_size = 1;
    s.index_type = type;
    s.policy = policy;
    s.gaps = form % 3;
    s.out_stride = form / 3 ? bytes + 3 : 0;
    rows = count < 128 ? count : 128;
    put(count, rows, form % 2);
    MEASURE(plan_stitch);
    if (status) return;
    for (k = 0; k < 2; k++) {
        lists[k] = list_of(ids, table, count);
        inputs[k].indices = ids;
        inputs[k].data = table;
        inputs[k].indices_shape = ndg_dims1(count);
        inputs[k].data_shape = ndg_dims2(count, bytes);
    }
    MEASURE(list_from);
    MEASURE(stitch_total);
    MEASURE(stitch_out_bytes);
    MEASURE(stitch_scratch_bytes);
    MEASURE(stitch_run);
    MEASURE(stitch_run_range);
    MEASURE(dynamic_stitch);
    MEASURE(parallel_dynamic_stitch);
}

static void partitions(int number, int bad)
{
    int k;
    p = partition_of(1, ndg_dims2(count, bytes), ndg_dims1(count), number);
    p.index_type = type;
    p.policy = policy;
    put(count, number, bad);
    MEASURE(plan_partition);
    if (status) return;
    for (k = 0; k < PARTS; k++) {
        outs[k] = out + k * (ROOM / 4);         /* rows, then positions */
        positions[k] = out + k * (ROOM / 4) + MOST * 160;
        counts[k] = 0;
    }
    MEASURE(partition_count);
    MEASURE(partition_out_bytes);
    MEASURE(partition_run);
    memset(cursors, 0, sizeof cursors);
    MEASURE(partition_run_range);
    MEASURE(partition_count);
    MEASURE(dynamic_partition);
    MEASURE(partition_starts);
}

static void all(void)
{
    int form, depth;
    rows = 60;
    for (form = 0; form < 3; form += 2) {
        put(count, rows, form);
        MEASURE(gather_rows);
        MEASURE(scatter_rows);
    }
    for (depth = 1; depth <= 5; depth++)
        for (form = 0; form < 16; form++) vectors(depth, form);
    axes();
    MEASURE(report_merge);
    MEASURE(status_text);
    MEASURE(arg_text);
    MEASURE(version);
    for (form = 0; form < 6; form++) stitches(form);
    for (form = 0; form < 2; form++) {
        partitions(2, form);
        partitions(PARTS, form);
    }
}

int main(void)
{
    static const int types[] = { NDG_I32, NDG_I8, NDG_U64 };
    static const int policies[] = { NDG_ERROR, NDG_ZERO, NDG_CLIP, NDG_WRAP,
                                    NDG_KEEP };
    static const int sizes[] = { 1, 4, 12, 64, 200 };
    static const int numbers[] = { 5, 500 };
    int              t, i, k, n;
    before_any = depth_of(nothing);
    for (t = 0; t < COUNT(types); t++)
        for (i = 0; i < COUNT(policies); i++)
            for (k = 0; k < COUNT(sizes); k++)
                for (n = 0; n < COUNT(numbers); n++) {
                    type = types[t];
                    policy = policies[i];
                    bytes = sizes[k];
                    count = numbers[n];
                    all();
                }
    for (i = 0; most[i].name; i++)
        printf("%s %ld\n", most[i].name, most[i].bytes);
    return 0;
}
