/* test_cuda.cpp - every kernel of ndgather_cuda.cuh against the CPU library.
 *
 * The kernels run on the CPU (cuda_emul.h). Each case of tests/cases and each
 * random one is put to the library and to the launchers: bytes and reports must
 * be equal, gaps and margins included, over orders of threads, block limits and
 * alignments. Device buffers are exact.
 *
 *     test_cuda [rounds [first seed]]
 *
 * Built for several NDG_CUDA_BLOCK and NDG_CUDA_DIGIT_BITS, with sanitizers and
 * the race checker: tests/cuda.sh. */
static long test_blocks = 16384;
#define NDG_CUDA_MAX_BLOCKS test_blocks

#include "cuda_emul.h"
#define NDGATHER_IMPLEMENTATION
#include "../ndgather_cuda.cuh"

#include "test.h"
#include "cases.h"

static char          context[400];
static random_source rnd;

#define SEE(ok) CHECKF(ok, "%s: %s", context, #ok)
#define SEE_REPORTS(same, a, b)                                               \
    do {                                                                      \
        int seen_ = !!(same);                                                 \
        CHECKF(seen_, "%s: device %s, not %s", context,                       \
               seen_ ? "" : report_text(a), seen_ ? "" : report_text(b));     \
    } while (0)

static bool all_apart;

/* ---- device memory -------------------------------------------------------*/
/* n bytes on the device, `offset` off alignment, exact at their end. Every
 * 16th round they are out of the host's reach, which takes its time. */
struct buffer {
    unsigned char *block, *p;
    size_t         n;
    bool           apart;
    buffer(const void *from, size_t bytes, size_t offset = 0)
        : block(0), p(0), n(bytes), apart(all_apart)
    {
        if (apart) {
            if (cudaMalloc(&block, n + offset) != cudaSuccess) exit(2);
        } else {
            block = (unsigned char *)malloc(n + offset + !(n + offset));
            if (!block) exit(2);
            emu_adopt(block, n + offset);
        }
        p = block + offset;
        if (n && from) cudaMemcpy(p, from, n, cudaMemcpyHostToDevice);
    }
    ~buffer()
    {
        cudaDeviceSynchronize();
        if (apart) { cudaFree(block); return; }
        emu_forget(block);
        free(block);
    }
    void get(void *to) const
    {
        if (n) cudaMemcpy(to, p, n, cudaMemcpyDeviceToHost);
    }
    bool holds(const void *want) const
    {
        unsigned char *have = (unsigned char *)malloc(n + 1);
        bool           same;
        get(have);
        same = !n || !memcmp(have, want, n);
        free(have);
        return same;
    }
private:
    buffer(const buffer &);
    buffer &operator=(const buffer &);
};

/* The image of an array, and where its first element is. */
struct device_array : buffer {
    unsigned char *base;
    device_array(const array &a, size_t offset)
        : buffer(a.block, (size_t)a.block_bytes, offset),
          base(a.base ? p + (a.base - a.block) : 0) {}
};

static void new_seed(uint64_t seed)
{
    static const long blocks[4] = { 16384, 1, 2, 5 };
    emu_seed(seed * 2654435761u + 1);
    test_blocks = blocks[seed % 4];
    all_apart = seed % 16 == 0;
}

static void no_faults(void)
{
    CHECKF(!emu->failed, "%s: emulator: %s", context, emu->why);
    emu_forgive();
}

static size_t some_offset(void)
{
    return random_below(&rnd, 2) ? 0 : (size_t)random_below(&rnd, 16);
}

/* ---- gather --------------------------------------------------------------*/
typedef int plan_function(ndg_gather_plan *, const ndg_gather_desc *,
                          ndg_report *);

static bool has_empty_extent(const ndg_gather_plan *p)
{
    int k;
    for (k = 0; k < p->depth; k++) if (p->extent[k] == 0) return true;
    return false;
}

/* One plan over rows first ... last-1: what the CPU writes and says under the
 * policy that a device has, and that the launchers do the same. */
static void gather_range(const ndg_gather_plan *plan, const array *params,
                         const array *indices, array *out, ptrdiff_t first,
                         ptrdiff_t last)
{
    ndg_gather_plan cpu = *plan;
    ndg_report      want, got = report_stale(), r;
    ndg_cuda_report zero = { 0, 0 };
    device_array    p(*params, some_offset()), x(*indices, some_offset());
    buffer          bad(&zero, sizeof zero);
    ptrdiff_t       need;
    array_fresh(out);
    device_array o(*out, some_offset());
    if (cpu.policy == NDG_DEFAULT) cpu.policy = NDG_ZERO;
    ndg_gather_check(&cpu, indices->base, first, last, &want);
    if (cpu.policy == NDG_ERROR || (cpu.policy <= NDG_WRAP
        && cpu.policy >= NDG_CLIP && has_empty_extent(&cpu)))
        cpu.policy = NDG_KEEP;
    ndg_gather_run_range(&cpu, out->base, plan->out_bytes, params->base,
                         indices->base, first, last, &r);
    SEE(!r.status);
    ndg_gather_run_range(&cpu, out->base, -1, params->base, indices->base,
                         first, last, &r);
    need = r.status == NDG_E_CAPACITY ? (ptrdiff_t)r.bound : 0;
    SEE(ndg_cuda_gather_run_range(plan, o.base, need, p.base, x.base, first,
                                  last, (ndg_cuda_report *)bad.p, 0)
        == cudaSuccess);
    SEE(ndg_cuda_gather_report_read(plan, x.base, (ndg_cuda_report *)bad.p,
                                    &got, 0) == cudaSuccess);
    no_faults();
    SEE(o.holds(out->block));
    SEE_REPORTS(report_same(&got, &want, 1), &got, &want);
    if (need && plan->run_bytes)
        SEE(ndg_cuda_gather_run_range(plan, o.base, need - 1, p.base, x.base,
                                      first, last, 0, 0)
            == cudaErrorInvalidValue);
    /* again, on top: counts add up, and the first stays */
    SEE(ndg_cuda_gather_check(plan, x.base, first, last,
                              (ndg_cuda_report *)bad.p, 0) == cudaSuccess);
    ndg_cuda_gather_report_read(plan, x.base, (ndg_cuda_report *)bad.p, &got,
                                0);
    want.bad.count *= 2;
    SEE_REPORTS(report_same(&got, &want, 1), &got, &want);
    no_faults();
}

static void gather_all(const ndg_gather_desc *d, plan_function *make,
                       const array *params, const array *indices, array *out)
{
    ndg_gather_plan plan;
    ndg_report      r;
    ptrdiff_t       a, b;
    SEE(make(&plan, d, &r) == NDG_OK);
    if (r.status) return;
    gather_range(&plan, params, indices, out, 0, plan.rows);
    if (plan.rows < 2) return;
    a = random_below(&rnd, (int)plan.rows);
    b = a + random_below(&rnd, (int)(plan.rows - a) + 1);
    gather_range(&plan, params, indices, out, a, b);
    gather_range(&plan, params, indices, out, 0, b);
}

static void gather_out(array *out, ndg_gather_desc *d, int layout,
                       int (*out_dims)(const ndg_gather_desc *, ptrdiff_t *,
                                       int))
{
    ptrdiff_t dims[ARRAY_RANK] = { 0 };
    int       rank = out_dims(d, dims, ARRAY_RANK);
    array_shape(out, rank < 0 ? 0 : rank, dims, d->elem_size, layout, 0);
    if (layout != LAYOUT_C) d->out = array_ndg(out);
    array_alloc(out, 0, 0);
}

static plan_function *const make_plan[3] = {
    ndg_plan_gather_nd, ndg_plan_gather, ndg_plan_batch_gather
};
static int (*const find_dims[3])(const ndg_gather_desc *, ptrdiff_t *, int) = {
    ndg_gather_nd_out_dims, ndg_gather_out_dims, ndg_batch_gather_out_dims
};
static const int out_layouts[4] = {
    LAYOUT_C, LAYOUT_PADDED, LAYOUT_PERMUTED, LAYOUT_EXPLICIT
};

static void random_indices(array *a, int type, ptrdiff_t most)
{
    ptrdiff_t coords[ARRAY_RANK] = { 0 }, i;
    const int odds = random_below(&rnd, 3) ? 40 : 3;
    for (i = 0; i < a->size; i++, coords_next(a->rank, a->dim, coords)) {
        int64_t v = random_below(&rnd, (int)(most > 0 ? most : 1));
        if (!random_below(&rnd, odds)) v = (int64_t)random_bits(&rnd);
        else if (!random_below(&rnd, odds))
            v = random_below(&rnd, 2 * (int)most + 9) - most - 4;
        index_put(array_at(a, coords), type, v);
    }
}

static void random_gather(void)
{
    static const int elems[] = { 1, 2, 4, 8, 16, 4, 3, 5, 12, 20, 32, 7, 48,
                                 64, 100, 160, 1040, 2064, 4099 };
    ndg_gather_desc d = NDG_ZERO_INIT;
    ptrdiff_t       dims[4], at[4], most = 0;
    array           params, indices, out;
    int             op = random_below(&rnd, 3), rank, n, k, b = 0, plain;
    rank = 1 + random_below(&rnd, 3);
    plain = random_below(&rnd, 3);          /* long and simple, or odd */
    for (k = 0; k < rank; k++) dims[k] = random_below(&rnd, plain ? 7 : 4) + 1;
    if (!random_below(&rnd, 12)) dims[random_below(&rnd, rank)] = 0;
    n = 1 + random_below(&rnd, 2);
    for (k = 0; k < n; k++)
        at[k] = random_below(&rnd, plain ? n == 1 ? 400 : 20 : 5);
    if (op == 0) {
        b = random_below(&rnd, rank < 2 ? 1 : 2);
        at[n++] = random_below(&rnd, rank - b + 1);
        if (b) at[0] = dims[0];
        b = b < n ? b : 0;
        d.batch_dims = b;
    } else if (op == 1) {
        b = random_below(&rnd, rank);
        if (b > n) b = n;
        for (k = 0; k < b; k++) at[k] = dims[k];
        d.batch_dims = b;
        d.axis = b + random_below(&rnd, rank - b);
        if (d.axis == 0) d.axis = 0;
    } else {
        if (n > rank) n = rank;
        for (k = 0; k < n - 1; k++) at[k] = dims[k];
    }
    for (k = 0; k < rank; k++) if (dims[k] > most) most = dims[k];
    d.elem_size = elems[random_below(&rnd, plain ? 19 : 10)];
    d.index_type = random_below(&rnd, INDEX_TYPES);
    d.policy = random_below(&rnd, NDG_ASSUME_VALID);
    if (d.policy == NDG_FILL && d.elem_size > 16) d.policy = NDG_DEFAULT;
    d.negative = random_below(&rnd, 2);
    random_fill(&rnd, d.fill, 16);
    array_shape(&params, rank, dims, d.elem_size,
                plain ? 0 : random_below(&rnd, LAYOUT_COUNT), 0);
    array_shape(&indices, n, at, index_bytes(d.index_type),
                plain ? 0 : random_below(&rnd, LAYOUT_COUNT), 0);
    array_alloc(&params, 0, 0);
    array_alloc(&indices, 0, 0);
    random_fill(&rnd, params.block, params.block_bytes);
    if (random_below(&rnd, 8)) {
        random_indices(&indices, d.index_type, most);
    } else {                            /* every one valid for every axis */
        ptrdiff_t coords[ARRAY_RANK] = { 0 }, least = most, i;
        for (k = 0; k < rank; k++) if (dims[k] < least) least = dims[k];
        for (i = 0; i < indices.size; i++) {
            index_put(array_at(&indices, coords), d.index_type,
                      random_below(&rnd, least > 1 ? (int)least : 1));
            coords_next(indices.rank, indices.dim, coords);
        }
        if (least > 0) d.policy = NDG_ASSUME_VALID;
    }
    d.params = array_ndg(&params);
    d.indices = array_ndg(&indices);
    gather_out(&out, &d, plain ? 0 : out_layouts[random_below(&rnd, 4)],
               find_dims[op]);
    sprintf(context + strlen(context), " gather op %d elem %d type %d policy "
            "%d negative %d plain %d", op, (int)d.elem_size, d.index_type,
            d.policy, d.negative, plain);
    gather_all(&d, make_plan[op], &params, &indices, &out);
    array_free(&params);
    array_free(&indices);
    array_free(&out);
}

/* ---- stitch --------------------------------------------------------------*/
#define LISTS 40

typedef struct stitch_test {
    ndg_stitch_plan plan;
    ptrdiff_t       total, entries;
    int             n;
    array           indices[LISTS], data[LISTS], out;
    ndg_list        list[LISTS];       /* on the host */
} stitch_test;

/* Without duplicates, gaps or bad entries the CPU's run would do; under ERROR
 * the device writes the good rows, as the CPU does under DROP. */
static void stitch_same(stitch_test *t)
{
    ndg_stitch_plan cpu = t->plan;
    ndg_report      want, got = report_stale(), r;
    ndg_cuda_stitch_report zero;
    device_array   *x[LISTS], *d[LISTS];
    ndg_list        list[LISTS];
    ptrdiff_t       total = -5, have = -7, i;
    ptrdiff_t       bits = ndg_stitch_scratch_bytes(&cpu, t->total);
    ptrdiff_t       out_bytes = ndg_stitch_out_bytes(&cpu, t->total);
    ptrdiff_t       need = ndg_cuda_stitch_scratch_bytes(&cpu, t->total, t->n,
                                                         t->entries);
    void           *marks = malloc((size_t)bits + 1);
    memset(&zero, 0, sizeof zero);
    for (i = 0; i < t->n; i++) {
        x[i] = new device_array(t->indices[i], some_offset());
        d[i] = new device_array(t->data[i], some_offset());
        list[i] = t->list[i];
        list[i].indices = x[i]->base;
        list[i].data = d[i]->base;
    }
    array_fresh(&t->out);
    buffer       lists(list, (size_t)t->n * sizeof *list), size(0, 8);
    buffer       bad(&zero, sizeof zero), scratch(0, (size_t)need);
    device_array o(t->out, some_offset());
    ndg_cuda_stitch_report *const report = (ndg_cuda_stitch_report *)bad.p;
    if (cpu.policy == NDG_DEFAULT) cpu.policy = NDG_DROP;
    ndg_stitch_run(&cpu, t->out.base, out_bytes, t->total, t->list, t->n,
                   marks, bits, &want);
    if (cpu.policy == NDG_ERROR) {
        cpu.policy = NDG_DROP;
        ndg_stitch_run(&cpu, t->out.base, out_bytes, t->total, t->list, t->n,
                       marks, bits, &r);
        want.bad.count = r.bad.count;
        want.rows = r.rows;
    }
    SEE(ndg_cuda_stitch_run(&t->plan, o.base, out_bytes, t->total,
                            (const ndg_list *)lists.p, t->n, t->entries,
                            scratch.p, need, report, 0) == cudaSuccess);
    SEE(ndg_cuda_stitch_report_read(&t->plan, t->total,
                                    (const ndg_list *)lists.p, t->n, report,
                                    &got, 0) == cudaSuccess);
    no_faults();
    SEE(o.holds(t->out.block));
    SEE_REPORTS(report_same(&got, &want, 1), &got, &want);
    if (t->total > 0 && out_bytes)
        SEE(ndg_cuda_stitch_run(&t->plan, o.base, out_bytes - 1, t->total,
                                (const ndg_list *)lists.p, t->n, t->entries,
                                scratch.p, need, report, 0)
            == cudaErrorInvalidValue);
    if (t->total > 0)
        SEE(ndg_cuda_stitch_run(&t->plan, o.base, out_bytes, t->total,
                                (const ndg_list *)lists.p, t->n, t->entries,
                                scratch.p, need - 1, report, 0)
            == cudaErrorInvalidValue);
    /* the size on the device */
    cpu = t->plan;
    cpu.policy = NDG_DROP;
    cudaMemset(report, 0, sizeof zero);
    if (ndg_stitch_total(&cpu, t->list, t->n, &total, &want) == NDG_OK) {
        SEE(ndg_cuda_stitch_total(&t->plan, (const ndg_list *)lists.p, t->n,
                                  t->entries, (ptrdiff_t *)size.p, scratch.p,
                                  need, report, 0) == cudaSuccess);
        size.get(&have);
        SEE(have == total);
        ndg_cuda_stitch_report_read(&cpu, PTRDIFF_MAX,
                                    (const ndg_list *)lists.p, t->n, report,
                                    &got, 0);
        SEE_REPORTS(report_same(&got, &want, 1), &got, &want);
    }
    no_faults();
    for (i = 0; i < t->n; i++) { delete x[i]; delete d[i]; }
    free(marks);
}

static void stitch_free(stitch_test *t)
{
    int m;
    for (m = 0; m < t->n; m++) {
        array_free(&t->indices[m]);
        array_free(&t->data[m]);
    }
    array_free(&t->out);
}

static void random_stitch(void)
{
    static const int elems[] = { 1, 4, 16, 3, 8, 20, 64, 1040, 2064 };
    static const int policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP,
                                    NDG_ASSUME_VALID };
    ndg_stitch_desc d = NDG_ZERO_INIT;
    stitch_test     t;
    ptrdiff_t       dims[4], coords[4] = { 0 };
    int             m, k, rank = random_below(&rnd, 3), layout, type, to, most;
    ndg_report      r;
    memset(&t, 0, sizeof t);
    t.n = random_below(&rnd, random_below(&rnd, 4) ? 5 : LISTS);
    most = random_below(&rnd, 4) ? 40 : t.n > 8 ? 20 : 200;
    t.total = random_below(&rnd, most * 2);
    layout = random_below(&rnd, 3) ? 0 : random_below(&rnd, LAYOUT_COUNT);
    to = random_below(&rnd, 3) ? 0 : out_layouts[random_below(&rnd, 4)];
    d.elem_size = elems[random_below(&rnd, layout || to ? 6 : 9)];
    d.index_type = type = random_below(&rnd, INDEX_TYPES);
    d.policy = policies[random_below(&rnd, 4)];
    d.gaps = random_below(&rnd, 3);
    for (k = 1; k <= rank; k++) dims[k] = 1 + random_below(&rnd, 3);
    if (rank && !random_below(&rnd, 15)) dims[1] = 0;
    for (m = 0; m < t.n; m++) {
        dims[0] = random_below(&rnd, most);
        array_shape(&t.indices[m], 1, dims, index_bytes(type),
                    random_below(&rnd, LAYOUT_COUNT), 0);
        array_alloc(&t.indices[m], 0, 0);
        random_indices(&t.indices[m], type, t.total);
        array_shape(&t.data[m], rank + 1, dims, d.elem_size, layout, 1);
        array_alloc(&t.data[m], 0, 0);
        random_fill(&rnd, t.data[m].block, t.data[m].block_bytes);
        t.list[m].indices = t.indices[m].base;
        t.list[m].data = t.data[m].base;
        t.list[m].count = dims[0];
        t.list[m].index_stride = t.indices[m].stride[0];
        if (layout || random_below(&rnd, 2))
            t.list[m].data_stride = t.data[m].stride[0];
        t.entries += dims[0];
    }
    dims[0] = t.total;
    d.slice = ndg_dims(rank, dims + 1, 0);
    if (t.n && layout) d.slice = ndg_dims(rank, dims + 1,
                                          t.data[0].stride + 1);
    array_shape(&t.out, rank + 1, dims, d.elem_size, to, 1);
    array_alloc(&t.out, 0, 0);
    if (to) {
        d.out_slice = ndg_dims(rank, dims + 1, t.out.stride + 1);
        d.out_stride = t.out.stride[0];
    }
    (void)coords;
    sprintf(context + strlen(context), " stitch lists %d total %d elem %d "
            "type %d policy %d gaps %d layouts %d %d", t.n, (int)t.total,
            (int)d.elem_size, type, d.policy, d.gaps, layout, to);
    SEE(ndg_plan_stitch(&t.plan, &d, &r) == NDG_OK);
    if (!random_below(&rnd, 4)) {       /* owners of 64 bits: a capacity */
        const ptrdiff_t most = (ptrdiff_t)1 << 32;
        SEE(ndg_cuda_stitch_scratch_bytes(&t.plan, t.total, t.n, most)
            - ndg_cuda_stitch_scratch_bytes(&t.plan, t.total, t.n, most - 1)
            == t.total / 2 * 8);
        t.entries += most;
        if (test_blocks > 5) test_blocks = 5;
    }
    if (!r.status) stitch_same(&t);
    stitch_free(&t);
}

/* ---- partition -----------------------------------------------------------*/
#define PARTS 400

typedef struct partition_test {
    ndg_partition_plan plan;
    array              data, ids;
    ptrdiff_t          rows;
} partition_test;

/* The device gets every part in one buffer of the right size (or one row too
 * small), with a margin that must stay. */
static void partition_same(partition_test *t, bool with_positions, int tight)
{
    const ndg_partition_plan *p = &t->plan;
    ndg_partition_plan cpu = t->plan;
    const int       parts = (int)p->num_partitions;
    const size_t    word = (size_t)index_bytes(p->position_type);
    ndg_cuda_report zero = { 0, 0 };
    ndg_report      want, got = report_stale(), r;
    ptrdiff_t       counts[PARTS], limits[PARTS], cursors[PARTS], have[PARTS];
    void           *outs[PARTS], *positions[PARTS];
    void           *d_outs[PARTS], *d_positions[PARTS];
    buffer         *o[PARTS], *w[PARTS];
    ptrdiff_t       need = ndg_cuda_partition_scratch_bytes(p, t->rows);
    device_array    data(t->data, some_offset()), ids(t->ids, some_offset());
    buffer          bad(&zero, sizeof zero), scratch(0, (size_t)need);
    buffer          counted(0, (size_t)parts * 8), used(0, (size_t)parts * 8);
    int             k;
    cpu.policy = NDG_DROP;
    ndg_partition_count(&cpu, t->ids.base, 0, t->rows, counts, &want);
    for (k = 0; k < parts; k++) {
        size_t n = (size_t)ndg_partition_out_bytes(p, counts[k]), m;
        limits[k] = tight && counts[k] ? counts[k] - 1 : counts[k];
        if (tight) n = (size_t)ndg_partition_out_bytes(p, limits[k]);
        m = (size_t)limits[k] * word;
        outs[k] = memset(malloc(n + 1), FRESH, n + 1);
        positions[k] = memset(malloc(m + 1), FRESH, m + 1);
        o[k] = new buffer(outs[k], n, some_offset());
        w[k] = new buffer(positions[k], m, some_offset());
        d_outs[k] = o[k]->p;
        d_positions[k] = w[k]->p;
    }
    buffer outs_at(d_outs, (size_t)parts * sizeof(void *));
    buffer positions_at(d_positions, (size_t)parts * sizeof(void *));
    buffer held(limits, (size_t)parts * 8);
    ndg_cuda_report *const report = (ndg_cuda_report *)bad.p;
    if (!tight)
        SEE(ndg_partition_run(&cpu, outs, with_positions ? positions : 0,
                              t->data.base, t->ids.base, t->rows, counts,
                              cursors, &r) == NDG_OK);
    SEE(ndg_cuda_partition_count(p, ids.base, 0, t->rows,
                                 (ptrdiff_t *)counted.p, 0, 0) == cudaSuccess);
    SEE(counted.holds(counts));
    if (t->rows > 2) {                  /* a range: rows 1 ... rows-2 */
        ndg_cuda_report *const seen = (ndg_cuda_report *)bad.p;
        ndg_partition_plan drop = cpu;
        ptrdiff_t          some[PARTS];
        ndg_partition_count(&drop, t->ids.base, 1, t->rows - 1, some, &r);
        SEE(ndg_cuda_partition_count(p, ids.base, 1, t->rows - 1,
                                     (ptrdiff_t *)counted.p, seen, 0)
            == cudaSuccess);
        SEE(counted.holds(some));
        ndg_cuda_partition_report_read(&cpu, ids.base, seen, &got, 0);
        SEE_REPORTS(report_same(&got, &r, 1), &got, &r);
        cudaMemset(bad.p, 0, sizeof zero);
    }
    SEE(ndg_cuda_partition_run(p, (void **)outs_at.p, with_positions
                               ? (void **)positions_at.p : 0, data.base,
                               ids.base, t->rows, (ptrdiff_t *)held.p,
                               (ptrdiff_t *)used.p, scratch.p, need, report, 0)
        == cudaSuccess);
    SEE(ndg_cuda_partition_report_read(p, ids.base, report, &got, 0)
        == cudaSuccess);
    no_faults();
    used.get(have);
    SEE(!memcmp(have, counts, (size_t)parts * 8));
    for (k = 0; k < parts && !tight; k++) {
        SEE(o[k]->holds(outs[k]));
        SEE(w[k]->holds(positions[k]));
    }
    /* the CPU's count says E_INDEX for DEFAULT too, and all under VALID */
    if (p->policy == NDG_ASSUME_VALID) memset(&want, 0, sizeof want);
    if (p->policy == NDG_ERROR && want.bad.count) {
        cpu.policy = NDG_ERROR;
        ndg_partition_count(&cpu, t->ids.base, 0, t->rows, counts, &want);
    }
    SEE_REPORTS(report_same(&got, &want, 1), &got, &want);
    if (t->rows)
        SEE(ndg_cuda_partition_run(p, (void **)outs_at.p, 0, data.base,
                                   ids.base, t->rows, (ptrdiff_t *)held.p,
                                   (ptrdiff_t *)used.p, scratch.p, need - 1,
                                   report, 0) == cudaErrorInvalidValue);
    no_faults();
    for (k = 0; k < parts; k++) {
        free(outs[k]);
        free(positions[k]);
        delete o[k];
        delete w[k];
    }
}

static void random_partition(void)
{
    static const int elems[] = { 1, 4, 16, 3, 8, 20, 64, 1040, 2064 };
    static const int policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP,
                                    NDG_ASSUME_VALID };
    static const int position_types[] = { NDG_I32, NDG_I64, NDG_U16, NDG_U32,
                                          NDG_U64, NDG_I16 };
    ndg_partition_desc d = NDG_ZERO_INIT;
    partition_test     t;
    ptrdiff_t          dims[4];
    int                rank = random_below(&rnd, 3), k, layout, to;
    ndg_report         r;
    memset(&t, 0, sizeof t);
    dims[0] = random_below(&rnd, random_below(&rnd, 3) ? 60 : 600);
    for (k = 1; k <= rank; k++) dims[k] = 1 + random_below(&rnd, 3);
    if (rank && !random_below(&rnd, 15)) dims[1] = 0;
    layout = random_below(&rnd, 3) ? 0 : random_below(&rnd, LAYOUT_COUNT);
    to = random_below(&rnd, 3) ? 0 : out_layouts[random_below(&rnd, 4)];
    d.elem_size = elems[random_below(&rnd, layout || to ? 6 : 9)];
    d.num_partitions = 1 + random_below(&rnd, random_below(&rnd, 3) ? 9
                                        : random_below(&rnd, 3) ? 70 : PARTS);
    d.index_type = random_below(&rnd, INDEX_TYPES);
    d.position_type = position_types[random_below(&rnd, 6)];
    d.policy = policies[random_below(&rnd, 4)];
    array_shape(&t.ids, 1, dims, index_bytes(d.index_type),
                random_below(&rnd, LAYOUT_COUNT), 0);
    array_alloc(&t.ids, 0, 0);
    random_indices(&t.ids, d.index_type, d.num_partitions);
    array_shape(&t.data, rank + 1, dims, d.elem_size, layout, 1);
    array_alloc(&t.data, 0, 0);
    random_fill(&rnd, t.data.block, t.data.block_bytes);
    d.data = array_ndg(&t.data);
    d.partitions = array_ndg(&t.ids);
    if (to) {
        array out;
        array_shape(&out, rank + 1, dims, d.elem_size, to, 1);
        d.out_slice = ndg_dims(rank, dims + 1, out.stride + 1);
        d.out_stride = out.stride[0];
    }
    sprintf(context + strlen(context), " partition rows %d parts %d elem %d "
            "type %d position type %d policy %d layouts %d %d", (int)dims[0],
            (int)d.num_partitions, (int)d.elem_size, d.index_type,
            d.position_type, d.policy, layout, to);
    SEE(ndg_plan_partition(&t.plan, &d, &r) == NDG_OK);
    t.rows = random_below(&rnd, 4) ? t.plan.rows
                                   : random_below(&rnd, (int)t.plan.rows + 1);
    if (!r.status) {
        partition_same(&t, random_below(&rnd, 2) != 0, 0);
        if (!random_below(&rnd, 3)) partition_same(&t, true, 1);
    }
    array_free(&t.ids);
    array_free(&t.data);
}

/* Parts beyond one digit, side by side in one array: as the CPU deals them out,
 * in a number of launches that does not grow with them. */
static void *some_bytes(ptrdiff_t n)
{
    void *p = malloc((size_t)n + 1);
    if (!p) exit(2);
    return memset(p, FRESH, (size_t)n + 1);
}

static ptrdiff_t some_id(int kind, ptrdiff_t parts)
{
    const ptrdiff_t any = (ptrdiff_t)(random_bits(&rnd) >> 1) % parts;
    if (!random_below(&rnd, 20)) return any - parts;             /* bad */
    if (!random_below(&rnd, 50)) return any + parts;
    switch (kind) {
    case 0:  return any;
    case 1:  return parts - 1 - any % 3;                  /* few of them */
    case 2:  return any / 7 * 7;
    default: return random_below(&rnd, 9) ? parts / 2 : any;
    }
}

static void many_parts(ptrdiff_t parts, int rows, int kind)
{
    const ptrdiff_t    most = random_below(&rnd, 2), elem = 4 + 13 * most;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    ndg_cuda_report    zero = { 0, 0 };
    ndg_report         want, got, r;
    ptrdiff_t         *counts = (ptrdiff_t *)some_bytes(parts * 8);
    ptrdiff_t         *cursors = (ptrdiff_t *)some_bytes(parts * 8);
    void             **outs = (void **)some_bytes(parts * 8);
    void             **at = (void **)some_bytes(parts * 8);
    void             **d_outs = (void **)some_bytes(parts * 8);
    void             **d_at = (void **)some_bytes(parts * 8);
    int64_t           *ids = (int64_t *)some_bytes(8 * rows);
    unsigned char     *data = (unsigned char *)some_bytes(elem * rows);
    unsigned char     *rows_to = (unsigned char *)some_bytes(elem * rows);
    unsigned char     *found = (unsigned char *)some_bytes(8 * rows);
    ptrdiff_t          start = 0, k;
    uint64_t           launches;
    int                passes = 1, i;
    sprintf(context + strlen(context), " %d parts, rows %d, kind %d",
            (int)parts, rows, kind);
    while ((parts - 1) >> passes * NDG_CUDA_DIGIT_BITS) passes++;
    for (i = 0; i < rows; i++) ids[i] = some_id(kind, parts);
    random_fill(&rnd, data, elem * rows);
    d.data = d.partitions = ndg_dims1(rows);
    d.elem_size = elem;
    d.num_partitions = parts;
    d.index_type = d.position_type = NDG_I64;
    d.policy = NDG_DROP;
    SEE(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    ndg_partition_count(&plan, ids, 0, rows, counts, &want);
    {
        const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, rows);
        buffer x(ids, 8 * (size_t)rows), from(data, (size_t)(elem * rows));
        buffer o(rows_to, (size_t)(elem * rows)), w(found, 8 * (size_t)rows);
        buffer bad(&zero, sizeof zero), scratch(0, (size_t)need);
        buffer used(0, (size_t)parts * 8), counted(0, (size_t)parts * 8);
        ndg_cuda_report *const report = (ndg_cuda_report *)bad.p;
        for (k = 0; k < parts; start += counts[k++]) {
            outs[k] = rows_to + elem * start;
            at[k] = found + 8 * start;
            d_outs[k] = o.p + elem * start;
            d_at[k] = w.p + 8 * start;
        }
        ndg_partition_run(&plan, outs, at, data, ids, rows, counts, cursors,
                          &r);
        /* one part can take a row less, which then stays as it was */
        for (k = 0; most && k < parts; k++) {
            if (!counts[k] || k % 3) continue;
            memset((char *)outs[k] + elem * (counts[k] - 1), FRESH,
                   (size_t)elem);
            memset((char *)at[k] + 8 * (counts[k] - 1), FRESH, 8);
            counts[k]--;
        }
        buffer outs_at(d_outs, (size_t)parts * 8);
        buffer positions_at(d_at, (size_t)parts * 8);
        buffer held(counts, (size_t)parts * 8);
        cudaDeviceSynchronize();
        launches = emu->launches;
        SEE(!ndg_cuda_partition_run(&plan, (void **)outs_at.p,
                                    (void **)positions_at.p, from.p, x.p, rows,
                                    (ptrdiff_t *)held.p, (ptrdiff_t *)used.p,
                                    scratch.p, need, report, 0));
        cudaDeviceSynchronize();
        SEE(emu->launches - launches <= (uint64_t)(4 * passes));
        SEE(!ndg_cuda_partition_report_read(&plan, x.p, report, &got, 0));
        SEE(!ndg_cuda_partition_count(&plan, x.p, 0, rows,
                                      (ptrdiff_t *)counted.p, 0, 0));
        no_faults();
        SEE(o.holds(rows_to));
        SEE(w.holds(found));
        SEE(used.holds(cursors));
        SEE(counted.holds(cursors));
        SEE_REPORTS(report_same(&got, &want, 1), &got, &want);
        SEE(!rows || ndg_cuda_partition_run(&plan, (void **)outs_at.p, 0,
                                            from.p, x.p, rows,
                                            (ptrdiff_t *)held.p,
                                            (ptrdiff_t *)used.p, scratch.p,
                                            need - 1, 0, 0)
            == cudaErrorInvalidValue);
    }
    free(counts); free(cursors); free(outs); free(at); free(d_outs);
    free(d_at); free(ids); free(data); free(rows_to); free(found);
}

/* Rows beyond 2^32, of which only a few are looked at, and what does not fit a
 * word of row and id. */
static void far_rows(void)
{
    enum { ROWS = 700, PARTS_HERE = 1000 };
    const ptrdiff_t    far = (ptrdiff_t)5 << 31;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    ndg_report         r;
    static int32_t     ids[ROWS], rows[ROWS], want[ROWS], have[ROWS];
    static int64_t     at[ROWS], want_at[ROWS];
    static ptrdiff_t   counts[PARTS_HERE];
    static void       *outs[PARTS_HERE], *positions[PARTS_HERE];
    ptrdiff_t          n = 0, k, i;
    strcpy(context, "far rows");
    new_seed(3);
    d.data = d.partitions = ndg_dims1((ptrdiff_t)1 << 40);
    d.elem_size = 4;
    d.num_partitions = PARTS_HERE;
    d.position_type = NDG_I64;
    SEE(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    for (i = 0; i < ROWS; i++) {
        ids[i] = random_below(&rnd, PARTS_HERE);
        rows[i] = (int32_t)i * 3;
    }
    ndgi_split_args a = ndgi_split_of(&plan, 0, far, far + ROWS, 0);
    buffer scratch(0, (size_t)a.scratch), x(ids, sizeof ids);
    buffer from(rows, sizeof rows), o(0, sizeof rows), w(0, sizeof at);
    buffer used(0, sizeof counts);
    for (k = 0; k < PARTS_HERE; k++) {
        outs[k] = o.p + 4 * n;
        positions[k] = w.p + 8 * n;
        for (i = 0; i < ROWS; i++) {
            if (ids[i] != k) continue;
            want[n] = rows[i];
            want_at[n++] = far + i;
            counts[k]++;
        }
    }
    buffer outs_at(outs, sizeof outs), at_at(positions, sizeof positions);
    buffer held(counts, sizeof counts);
    a = ndgi_split_of(&plan, (void *)((size_t)x.p - 4 * (size_t)far), far,
                      far + ROWS, scratch.p);
    a.outs = (void **)outs_at.p;
    a.positions = (void **)at_at.p;
    a.data = (unsigned char *)((size_t)from.p - 4 * (size_t)far);
    a.counts = (ptrdiff_t *)held.p;
    a.cursors = (ndgi_u64 *)used.p;
    a.runs = ndgi_runs_of(1, 0, 0, 4, 0);
    SEE(!ndgi_split_launch(a, 0));
    no_faults();
    o.get(have);
    w.get(at);
    SEE(!memcmp(have, want, sizeof want));
    SEE(!memcmp(at, want_at, sizeof want_at));
    SEE(used.holds(counts));
    d.data = d.partitions = ndg_dims1((ptrdiff_t)1 << 58);
    SEE(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    SEE(ndg_cuda_partition_run(&plan, a.outs, 0, from.p, x.p, plan.rows,
                               a.counts, (ptrdiff_t *)used.p, scratch.p,
                               PTRDIFF_MAX, 0, 0) == cudaErrorInvalidValue);
}

static void run_parts(void)
{
    static const ptrdiff_t parts[] = { 16, 257, 300, 1000, 4096, 65536, 65537,
                                       200000 };
    int i, kind;
    far_rows();
    for (i = 0; i < 8; i++) {
        for (kind = 0; kind < 4; kind++) {
            const int more = kind == 3 ? 0 : 5000;
            new_seed((uint64_t)(7 * i + kind + (i > 4)));
            strcpy(context, "many parts:");
            if (parts[i] > 60000 && kind == 2) continue;
            many_parts(parts[i], kind + random_below(&rnd, 900 + more), kind);
        }
    }
}

/* ---- the case files ------------------------------------------------------*/
static int policy_of(const test_case *c)
{
    if (!strcmp(c->policy, "zero")) return NDG_ZERO;
    if (!strcmp(c->policy, "drop")) return NDG_DROP;
    if (!strcmp(c->policy, "clip")) return NDG_CLIP;
    if (!strcmp(c->policy, "wrap")) return NDG_WRAP;
    return random_below(&rnd, 2) ? NDG_ERROR : NDG_DEFAULT;
}

static void case_input(array *a, const tensor *t, int layout, int fold)
{
    unsigned char *bytes = tensor_bytes(t, t->dtype);
    array_shape(a, t->rank, t->dim, dtype_bytes(t->dtype), layout, fold);
    array_alloc(a, 0, 0);
    array_store(a, bytes);
    free(bytes);
}

static void case_gather(const test_case *c, int layout)
{
    static const char *const names[3] = { "gather_nd", "gather",
                                          "batch_gather" };
    ndg_gather_desc d = NDG_ZERO_INIT;
    array           params, indices, out;
    ndg_gather_plan plan;
    ndg_report      r;
    int             op = 0;
    while (strcmp(names[op], c->op)) op++;
    case_input(&params, &c->params, layout, 0);
    case_input(&indices, &c->indices[0], layout, 0);
    d.params = array_ndg(&params);
    d.indices = array_ndg(&indices);
    d.elem_size = params.elem;
    d.index_type = dtype_index(c->indices[0].dtype);
    d.policy = policy_of(c);
    d.negative = c->from_end;
    if (op < 2) d.batch_dims = (int)c->batch_dims;
    if (op == 1) d.axis = (int)c->axis;
    if (make_plan[op](&plan, &d, &r) == NDG_OK) {
        gather_out(&out, &d, out_layouts[layout % 4], find_dims[op]);
        gather_all(&d, make_plan[op], &params, &indices, &out);
        array_free(&out);
    } else {
        SEE(ndg_cuda_gather_run(&plan, 0, 0, 0, 0, 0, 0)
            == cudaErrorInvalidValue);
    }
    array_free(&params);
    array_free(&indices);
}

static void case_stitch(const test_case *c, int layout)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    stitch_test     t;
    ndg_report      r;
    ptrdiff_t       dims[ARRAY_RANK];
    int             lead = c->indices[0].rank, m, i, fits = 1;
    memset(&t, 0, sizeof t);
    if (lead > c->data[0].rank) return;
    for (m = 0; m < c->n_indices; m++) {
        const int own = c->indices[m].rank;
        case_input(&t.indices[m], &c->indices[m], layout, own);
        case_input(&t.data[m], &c->data[m], layout,
                   own < c->data[m].rank ? own : c->data[m].rank);
        t.n++;
    }
    d.elem_size = t.data[0].elem;
    d.index_type = dtype_index(c->indices[0].dtype);
    d.policy = policy_of(c);
    d.slice = ndg_dims(c->data[0].rank - lead, c->data[0].dim + lead,
                       t.data[0].strided ? t.data[0].stride + lead : 0);
    dims[0] = 1;
    for (m = 0; m < t.n; m++) {
        ndg_stitch_input in;
        in.indices = t.indices[m].base;
        in.data = t.data[m].base;
        in.indices_shape = array_ndg(&t.indices[m]);
        in.data_shape = array_ndg(&t.data[m]);
        fits = fits && ndg_list_from(&t.list[m], &in, &d, &r) == NDG_OK;
        t.entries += c->indices[m].size;
        for (i = 0; i < c->indices[m].size; i++) {
            long long v = strtoll(c->indices[m].word[i], 0, 10);
            if (v >= dims[0]) dims[0] = (ptrdiff_t)v + 1;
        }
    }
    t.total = dims[0];
    for (i = lead; i < c->data[0].rank; i++)
        dims[i - lead + 1] = c->data[0].dim[i];
    if (fits && t.total < 100000) {
        array_shape(&t.out, c->data[0].rank - lead + 1, dims, d.elem_size,
                    LAYOUT_C, 1);
        array_alloc(&t.out, 0, 0);
        SEE(ndg_plan_stitch(&t.plan, &d, &r) == NDG_OK);
        stitch_same(&t);
    }
    stitch_free(&t);
}

static void case_partition(const test_case *c, int layout)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    partition_test     t;
    ndg_report         r;
    const int          lead = c->partitions.rank;
    case_input(&t.ids, &c->partitions, layout, lead);
    case_input(&t.data, &c->data[0], layout,
               lead < c->data[0].rank ? lead : c->data[0].rank);
    d.data = array_ndg(&t.data);
    d.partitions = array_ndg(&t.ids);
    d.elem_size = t.data.elem;
    d.num_partitions = (ptrdiff_t)c->num_partitions;
    d.index_type = dtype_index(c->partitions.dtype);
    d.policy = policy_of(c);
    if (ndg_plan_partition(&t.plan, &d, &r) == NDG_OK) {
        t.rows = t.plan.rows;
        partition_same(&t, true, 0);
    } else {
        SEE(ndg_cuda_partition_count(&t.plan, 0, 0, 0, 0, 0, 0)
            == cudaErrorInvalidValue);
    }
    array_free(&t.ids);
    array_free(&t.data);
}

static void run_file(const char *path, int want_cases)
{
    case_file f;
    test_case c;
    int       got, cases = 0, layout;
    if (!case_open(&f, path)) {
        CHECKF(0, "cannot read %s", path);
        return;
    }
    for (; (got = case_read(&f, &c)) > 0; case_free(&c), cases++) {
        if (c.n_indices && dtype_index(c.indices[0].dtype) < 0) continue;
        if (c.n_indices && c.n_data && c.n_indices != c.n_data) continue;
        for (layout = 0; layout < LAYOUT_COUNT; layout += 1 + cases % 4) {
            new_seed((uint64_t)cases);
            sprintf(context, "%.200s, layout %d", c.name, layout);
            if (c.partitions.dtype) case_partition(&c, layout);
            else if (strstr(c.op, "stitch")) case_stitch(&c, layout);
            else case_gather(&c, layout);
        }
    }
    CHECKF(got == 0, "%s: %s", path, f.problem);
    CHECKF(cases == want_cases, "%s: %d cases, not %d", path, cases,
           want_cases);
    free(f.text);
}

/* ---- what a launcher promises --------------------------------------------*/
static void promises(void)
{
    static const int32_t  ids[6] = { 2, 0, -1, 1, 9, 2 };
    static const uint32_t table[3] = { 10, 11, 12 };
    ndg_gather_desc    d = NDG_ZERO_INIT;
    ndg_gather_plan    plan;
    ndg_partition_desc e = NDG_ZERO_INIT;
    ndg_partition_plan split;
    ndg_stitch_desc    s = NDG_ZERO_INIT;
    ndg_stitch_plan    weave;
    ndg_report         r;
    uint32_t           have[6];
    ndg_cuda_report    zero = { 0, 0 };
    buffer             x(ids, sizeof ids), p(table, sizeof table), o(0, 24);
    buffer             bad(&zero, sizeof zero), scratch(0, 100000);
    uint64_t           launches;
    cudaStream_t       stream;
    cudaGraph_t        graph;
    cudaGraphExec_t    exec;
    ndg_cuda_report   *report = (ndg_cuda_report *)bad.p;
    strcpy(context, "promises");
    new_seed(0);
    d.params = ndg_dims1(3);
    d.indices = ndg_dims1(6);
    e.data = e.partitions = ndg_dims1(6);
    d.elem_size = e.elem_size = s.elem_size = 4;
    e.num_partitions = 3;
    SEE(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    SEE(ndg_plan_partition(&split, &e, &r) == NDG_OK);
    SEE(ndg_plan_stitch(&weave, &s, &r) == NDG_OK);
    cudaDeviceSynchronize();
    /* no rows, no launch */
    launches = emu->launches;
    SEE(!ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, 3, 3, 0, 0));
    SEE(!ndg_cuda_gather_check(&plan, x.p, 6, 6, report, 0));
    SEE(!ndg_cuda_partition_run(&split, 0, 0, 0, 0, 0, (ptrdiff_t *)scratch.p,
                                (ptrdiff_t *)scratch.p, 0, 0, 0, 0));
    SEE(!ndg_cuda_partition_count(&split, 0, 2, 2, (ptrdiff_t *)scratch.p, 0,
                                  0));
    SEE(!ndg_cuda_stitch_run(&weave, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    cudaDeviceSynchronize();
    SEE(emu->launches == launches);
    /* refusals */
    SEE(ndg_cuda_gather_run(0, o.p, 24, p.p, x.p, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run(&plan, 0, 24, p.p, x.p, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run(&plan, o.p, 24, 0, x.p, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run(&plan, o.p, 24, p.p, 0, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, 2, 7, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, -1, 2, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run(&plan, x.p, 24, p.p, x.p, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run(&plan, p.p, 24, p.p, x.p, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_stitch_run(&weave, o.p, 24, -1, 0, 0, 0, scratch.p, 1000, 0,
                            0) == cudaErrorInvalidValue);
    SEE(ndg_cuda_partition_run(&split, 0, 0, p.p, x.p, 6,
                               (ptrdiff_t *)scratch.p, (ptrdiff_t *)scratch.p,
                               scratch.p, 100000, 0, 0)
        == cudaErrorInvalidValue);
    /* an error of the caller's stays what it is, and the launch is fine */
    (void)cudaFree((void *)(size_t)0x1234);
    SEE(cudaPeekAtLastError() != cudaSuccess);
    SEE(ndg_cuda_gather_run(&plan, o.p, 24, p.p, x.p, report, 0)
        == cudaSuccess);
    SEE(cudaGetLastError() != cudaSuccess);
    emu_forgive();
    /* captured once, launched twice: reports accumulate */
    cudaStreamCreate(&stream);
    cudaDeviceSynchronize();
    cudaMemset(bad.p, 0, sizeof zero);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    SEE(!ndg_cuda_gather_run(&plan, o.p, 24, p.p, x.p, report, stream));
    SEE(!ndg_cuda_partition_count(&split, x.p, 0, 6, (ptrdiff_t *)scratch.p, 0,
                                  stream));
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
    SEE(!ndg_cuda_gather_report_read(&plan, x.p, report, &r, stream));
    SEE(r.bad.count == 4 && r.bad.position == 2 && r.bad.value == -1
        && r.bad.extent == 3 && r.status == NDG_OK);
    o.get(have);
    SEE(have[0] == 12 && have[1] == 10 && have[2] == 0 && have[3] == 11
        && have[4] == 0 && have[5] == 12);
    /* what was bad is good by now */
    cudaMemset(x.p, 0, sizeof ids);
    SEE(!ndg_cuda_gather_report_read(&plan, x.p, report, &r, stream));
    SEE(r.bad.count == 4 && r.bad.position == 2 && r.bad.component == -1);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    no_faults();
}

/* ---- indices beyond 32 bits ----------------------------------------------*/
/* A table of 2^33 rows that are all the same one: strides of 0 need no memory.
 * The ids of a partition as u64, some of them above INT64_MAX. */
static void huge(void)
{
    static const uint64_t ids[6] = {
        0x100000005u, 0x1ffffffffu, 0x200000000u, 7, ~(uint64_t)0, 0x80000000u
    };
    static const uint64_t keys[6] = { 1, ~(uint64_t)0, 0, 0x100000000u, 1,
                                      0x8000000000000001u };
    static const int      types[2] = { NDG_U64, NDG_I64 };
    const uint32_t     row[4] = { 1, 2, 3, 4 };
    uint32_t           want[24], have[24];
    ndg_cuda_report    zero = { 0, 0 };
    buffer             x(ids, sizeof ids), p(row, sizeof row);
    buffer             k(keys, sizeof keys), n(0, 16);
    ptrdiff_t          counts[2], counted[2];
    ndg_report         cpu, gpu;
    ndg_partition_desc e = NDG_ZERO_INIT;
    ndg_partition_plan split;
    int                i;
    strcpy(context, "huge");
    for (i = 0; i < 12; i++) {
        const ptrdiff_t  width = i / 6 ? 4 : 1;
        const ptrdiff_t  dims[2] = { (ptrdiff_t)1 << 33, width };
        const ptrdiff_t  strides[2] = { 0, 4 };
        ndg_gather_desc  d = NDG_ZERO_INIT;
        ndg_gather_plan  plan;
        buffer           o(0, (size_t)(24 * width)), bad(&zero, sizeof zero);
        ndg_cuda_report *report = (ndg_cuda_report *)bad.p;
        d.params = ndg_dims(2, dims, strides);
        d.indices = ndg_dims1(6);
        d.elem_size = 4;
        d.index_type = types[i % 2];
        d.policy = i % 3 == 0 ? NDG_DEFAULT : i % 3 == 1 ? NDG_CLIP : NDG_WRAP;
        SEE(ndg_plan_gather(&plan, &d, &cpu) == NDG_OK);
        if (d.policy == NDG_DEFAULT) d.policy = NDG_ZERO;
        ndg_gather(want, 24 * width, row, ids, &d, &cpu);
        SEE(!ndg_cuda_gather_run(&plan, o.p, 24 * width, p.p, x.p, report, 0));
        SEE(!ndg_cuda_gather_report_read(&plan, x.p, report, &gpu, 0));
        o.get(have);
        SEE(!memcmp(have, want, (size_t)(24 * width)));
        SEE_REPORTS(report_same(&gpu, &cpu, 1), &gpu, &cpu);
        SEE(gpu.bad.count == 2 && gpu.bad.value == 0x200000000);
    }
    for (i = 0; i < 2; i++) {
        buffer           bad(&zero, sizeof zero);
        ndg_cuda_report *report = (ndg_cuda_report *)bad.p;
        e.data = e.partitions = ndg_dims1(6);
        e.elem_size = 4;
        e.num_partitions = 2;
        e.index_type = types[i];
        e.policy = NDG_DROP;
        SEE(ndg_plan_partition(&split, &e, &cpu) == NDG_OK);
        ndg_partition_count(&split, keys, 0, 6, counts, &cpu);
        SEE(!ndg_cuda_partition_count(&split, k.p, 0, 6, (ptrdiff_t *)n.p,
                                      report, 0));
        SEE(!ndg_cuda_partition_report_read(&split, k.p, report, &gpu, 0));
        n.get(counted);
        SEE(counted[0] == counts[0] && counted[1] == counts[1]);
        SEE_REPORTS(report_same(&gpu, &cpu, 1), &gpu, &cpu);
        SEE(gpu.bad.count == 3 && gpu.bad.is_u64 == (i == 0));
    }
    no_faults();
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 300;
    const long seed = argc > 2 ? atol(argv[2]) : 0;
    long       i;
    promises();
    huge();
    run_parts();
    run_file("tests/cases/tf.txt", 513);
    run_file("tests/cases/onnx.txt", 14);
    for (i = seed; i < seed + rounds; i++) {
        rnd.state = (uint64_t)i * 7919;
        new_seed((uint64_t)i);
        sprintf(context, "seed %ld", i);
        random_gather();
        sprintf(context, "seed %ld", i);
        random_stitch();
        sprintf(context, "seed %ld", i);
        random_partition();
    }
    return test_end("test_cuda");
}
