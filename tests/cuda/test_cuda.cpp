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
 * the race checker: tests/cuda/cuda.sh. */
#include "emul/cuda_emul.h"
#include "cuda_compare.h"

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
    void set(int byte) { if (n) cudaMemset(p, byte, n); }
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

typedef array_in<buffer> device_array;

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

/* ---- gather --------------------------------------------------------------*/
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
    const ptrdiff_t most = last + random_below(&rnd,
                                               (int)(plan->rows - last) + 1);
    const ptrdiff_t need = ndg_gather_out_bytes(plan, first, most);
    buffer          bad(&zero, sizeof zero), today(&last, sizeof last);
    ptrdiff_t *const limit = most > last || random_below(&rnd, 2)
                           ? (ptrdiff_t *)today.p : 0;
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
    SEE(ndg_cuda_gather_run_range(plan, o.base, need, p.base, x.base, first,
                                  most, limit, (ndg_cuda_report *)bad.p, 0)
        == cudaSuccess);
    SEE(ndg_cuda_gather_report_read(plan, x.base, (ndg_cuda_report *)bad.p,
                                    &got, 0) == cudaSuccess);
    no_faults();
    SEE(o.holds(out->block));
    SEE_REPORTS(&got, &want);
    if (need && plan->run_bytes)
        SEE(ndg_cuda_gather_run_range(plan, o.base, need - 1, p.base, x.base,
                                      first, most, limit, 0, 0)
            == cudaErrorInvalidValue);
    /* again, on top: counts add up, and the first stays */
    SEE(ndg_cuda_gather_check(plan, x.base, first, most, limit,
                              (ndg_cuda_report *)bad.p, 0) == cudaSuccess);
    ndg_cuda_gather_report_read(plan, x.base, (ndg_cuda_report *)bad.p, &got,
                                0);
    want.bad.count *= 2;
    SEE_REPORTS(&got, &want);
    no_faults();
}

static void gather_all(const ndg_gather_plan *plan, const array *params,
                       const array *indices, array *out)
{
    ptrdiff_t a, b;
    gather_range(plan, params, indices, out, 0, plan->rows);
    if (plan->rows < 2) return;
    a = random_below(&rnd, (int)plan->rows);
    b = a + random_below(&rnd, (int)(plan->rows - a) + 1);
    gather_range(plan, params, indices, out, a, b);
    gather_range(plan, params, indices, out, 0, b);
}

/* Rows of one element, so many of them, that far off alignment: 16 bytes at
 * once where a group has them all, and not a byte beside what is asked for. */
static void elements(int size, int count, int offset)
{
    enum { MOST = 8400, TABLE = 50 };
    static const int policies[] = { NDG_KEEP, NDG_ZERO, NDG_FILL, NDG_CLIP,
                                    NDG_ERROR, NDG_DEFAULT };
    const int       first = random_below(&rnd, 18), last = first + count;
    const int       rows = last + random_below(&rnd, 3);
    const int       odds = random_below(&rnd, 3) * 10;
    const size_t    need = (size_t)(last * size);
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan, cpu;
    ndg_report      want, got, r;
    ndg_cuda_report zero = { 0, 0 };
    static int32_t       ids[MOST];
    static unsigned char table[8 * TABLE], out[8 * MOST];
    int             i;
    for (i = 0; i < rows; i++) {
        ids[i] = random_below(&rnd, TABLE);
        if (odds && !random_below(&rnd, odds)) ids[i] += TABLE;
    }
    random_fill(&rnd, table, sizeof table);
    memset(out, FRESH, sizeof out);
    d.params = ndg_dims1(TABLE);
    d.indices = ndg_dims1(rows);
    d.elem_size = size;
    d.policy = policies[random_below(&rnd, 6)];
    random_fill(&rnd, d.fill, 16);
    sprintf(context, "elements: size %d, %d from %d, offset %d, policy %d",
            size, count, first, offset, d.policy);
    SEE(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    buffer p(table, sizeof table, (size_t)size), o(out, need, (size_t)offset);
    buffer x(ids, (size_t)rows * 4), bad(&zero, sizeof zero);
    ndg_cuda_report *const report = (ndg_cuda_report *)bad.p;
    cpu = plan;
    if (d.policy == NDG_ERROR) cpu.policy = NDG_KEEP;
    if (d.policy == NDG_DEFAULT) cpu.policy = NDG_ZERO;
    ndg_gather_run_range(&cpu, out, (ptrdiff_t)need, table, ids, first, last,
                         &r);
    if (d.policy != NDG_ERROR) plan.policy = cpu.policy;
    ndg_gather_check(&plan, ids, first, last, &want);
    plan.policy = d.policy;
    SEE(!ndg_cuda_gather_run_range(&plan, o.p, (ptrdiff_t)need, p.p, x.p,
                                   first, last, 0, report, 0));
    SEE(!ndg_cuda_gather_report_read(&plan, x.p, report, &got, 0));
    no_faults();
    SEE(o.holds(out));
    SEE_REPORTS(&got, &want);
}

static void run_elements(void)
{
    int size, count, offset;
    for (size = 1; size <= 8; size *= 2) {
        for (count = 0; count <= 40; count++) {
            new_seed((uint64_t)(41 * size + count));
            for (offset = 0; offset < 16; offset++)
                elements(size, count, offset);
        }
        for (count = 0; count < 4; count++) {       /* more than a block's */
            new_seed((uint64_t)(size + count));
            elements(size, 8300 + 11 * count, count * size);
        }
    }
}

/* ---- scatter -------------------------------------------------------------*/
/* A random scatter, with owners or, where no two rows go to one slot, without;
 * under ERROR the device writes the good rows, as the CPU does under DROP. */
static void random_scatter(void)
{
    static const int elems[] = { 1, 4, 8, 16, 3, 12, 20, 64, 100, 1040 };
    static const int policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP,
                                    NDG_ASSUME_VALID };
    const int        plain = random_below(&rnd, 3);
    const int        rank = 1 + random_below(&rnd, 4);
    const int        b = random_below(&rnd, rank < 2 ? 1 : 2);
    const int        depth = random_below(&rnd, rank - b + 1);
    ndg_scatter_desc d = NDG_ZERO_INIT;
    ndg_scatter_plan plan;
    ndg_report       r, want, got = report_stale();
    ndg_cuda_report  zero = { 0, 0 };
    ptrdiff_t        dims[4], at[4], to[8], most = 0, need;
    array            out, indices, data;
    int              k, n = 0, m = 0;
    for (k = 0; k < rank; k++) {
        dims[k] = random_below(&rnd, plain ? 7 : 4) + 1;
        if (dims[k] > most) most = dims[k];
    }
    if (!random_below(&rnd, 12)) dims[random_below(&rnd, rank)] = 0;
    if (b) at[n++] = dims[0];
    at[n++] = random_below(&rnd, plain ? 60 : 7);
    at[n++] = depth;
    for (k = 0; k < n - 1; k++) to[m++] = at[k];
    for (k = b + depth; k < rank; k++) to[m++] = dims[k];
    d.elem_size = elems[random_below(&rnd, 10)];
    d.index_type = random_below(&rnd, INDEX_TYPES);
    d.batch_dims = b;
    d.policy = policies[random_below(&rnd, 4)];
    d.negative = random_below(&rnd, 2);
    d.gaps = random_below(&rnd, 2) ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    random_change(&d.index_mask, &d.index_add);
    random_array(&out, rank, dims, d.elem_size,
                 out_layouts[random_below(&rnd, 4)], 0);
    random_array(&indices, n, at, index_bytes(d.index_type),
                 some_layout(plain), 0);
    random_indices(&indices, d.index_type, most);
    random_array(&data, m, to, d.elem_size, some_layout(plain), 0);
    d.out = array_ndg(&out);
    d.indices = array_ndg(&indices);
    d.data = array_ndg(&data);
    sprintf(context + strlen(context), " scatter elem %d type %d policy %d "
            "gaps %d negative %d plain %d", (int)d.elem_size, d.index_type,
            d.policy, d.gaps, d.negative, plain);
    SEE(ndg_plan_scatter_nd(&plan, &d, &r) == NDG_OK);
    need = ndg_cuda_scatter_scratch_bytes(&plan);
    device_array   o(out, some_offset()), x(indices, some_offset());
    device_array   from(data, some_offset());
    buffer         bad(&zero, sizeof zero), scratch(0, (size_t)need);
    const bool     alone = at[b] < 2;     /* of each batch: no duplicates */
    ndg_cuda_report *const report = (ndg_cuda_report *)bad.p;
    SEE(!ndg_cuda_scatter_run(&plan, o.base, plan.out_bytes, from.base, x.base,
                              alone ? 0 : scratch.p, alone ? 0 : need, report,
                              0));
    SEE(!ndg_cuda_scatter_report_read(&plan, x.base, report, &got, 0));
    no_faults();
    if (d.policy != NDG_ERROR) plan.by.policy = NDG_DROP;
    ndg_scatter_check(&plan, indices.base, 0, plan.by.rows, &want);
    if (d.policy == NDG_ASSUME_VALID) SEE(report_clean(&got));
    else SEE_REPORTS(&got, &want);
    plan.by.policy = NDG_DROP;
    ndg_scatter_run(&plan, out.base, plan.out_bytes, data.base, indices.base,
                    &r);
    SEE(o.holds(out.block));
    if (plan.out_bytes && plan.by.run_bytes)
        SEE(ndg_cuda_scatter_run(&plan, o.base, plan.out_bytes - 1, from.base,
                                 x.base, 0, 0, 0, 0) == cudaErrorInvalidValue);
    if (need && !alone)
        SEE(ndg_cuda_scatter_run(&plan, o.base, plan.out_bytes, from.base,
                                 x.base, scratch.p, need - 1, 0, 0)
            == cudaErrorInvalidValue);
    no_faults();
    array_free(&out);
    array_free(&indices);
    array_free(&data);
}

/* ---- stitch --------------------------------------------------------------*/
/* Without duplicates, gaps or bad entries the CPU's run would do; under ERROR
 * the device writes the good rows, as the CPU does under DROP. */
static void stitch_limited(stitch_test *t, ptrdiff_t today)
{
    ndg_stitch_plan cpu = t->plan;
    ndg_report      want, got = report_stale(), r;
    ndg_cuda_stitch_report zero;
    device_array   *x[LISTS], *d[LISTS];
    ndg_list        list[LISTS];
    ptrdiff_t       total = -5, have = -7, i;
    ptrdiff_t       bits = ndg_stitch_scratch_bytes(&cpu, today);
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
    buffer       lists(list, (size_t)t->n * sizeof *list), size(&today, 8);
    ptrdiff_t *const limit = today < t->total || random_below(&rnd, 2)
                           ? (ptrdiff_t *)size.p : 0;
    buffer       bad(&zero, sizeof zero), scratch(0, (size_t)need);
    device_array o(t->out, some_offset());
    ndg_cuda_stitch_report *const report = (ndg_cuda_stitch_report *)bad.p;
    if (cpu.policy == NDG_DEFAULT) cpu.policy = NDG_DROP;
    ndg_stitch_run(&cpu, t->out.base, out_bytes, today, t->list, t->n,
                   marks, bits, &want);
    if (cpu.policy == NDG_ERROR) {
        cpu.policy = NDG_DROP;
        ndg_stitch_run(&cpu, t->out.base, out_bytes, today, t->list, t->n,
                       marks, bits, &r);
        want.bad.count = r.bad.count;
        want.rows = r.rows;
    }
    SEE(ndg_cuda_stitch_run(&t->plan, o.base, out_bytes, t->total, limit,
                            (const ndg_list *)lists.p, t->n, t->entries,
                            scratch.p, need, report, 0) == cudaSuccess);
    SEE(ndg_cuda_stitch_report_read(&t->plan, today,
                                    (const ndg_list *)lists.p, t->n, report,
                                    &got, 0) == cudaSuccess);
    no_faults();
    SEE(o.holds(t->out.block));
    SEE_REPORTS(&got, &want);
    if (t->total > 0 && out_bytes)
        SEE(ndg_cuda_stitch_run(&t->plan, o.base, out_bytes - 1, t->total, 0,
                                (const ndg_list *)lists.p, t->n, t->entries,
                                scratch.p, need, report, 0)
            == cudaErrorInvalidValue);
    if (t->total > 0)
        SEE(ndg_cuda_stitch_run(&t->plan, o.base, out_bytes, t->total, 0,
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
        SEE_REPORTS(&got, &want);
    }
    no_faults();
    for (i = 0; i < t->n; i++) { delete x[i]; delete d[i]; }
    free(marks);
}

static void stitch_same(stitch_test *t)
{
    stitch_limited(t, t->total);
    if (t->total && !random_below(&rnd, 3))
        stitch_limited(t, random_below(&rnd, (int)t->total));
}

/* ---- partition -----------------------------------------------------------*/
/* The device gets every part in one buffer of the right size (or one row too
 * small), with a margin that must stay. */
static void partition_packed(partition_test *t, bool with_positions);

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
    SEE(ndg_cuda_partition_count(p, ids.base, 0, t->rows, 0,
                                 (ptrdiff_t *)counted.p, 0, 0) == cudaSuccess);
    SEE(counted.holds(counts));
    if (t->rows > 2) {                  /* a range: rows 1 ... rows-2 */
        ndg_cuda_report *const seen = (ndg_cuda_report *)bad.p;
        ndg_partition_plan drop = cpu;
        ptrdiff_t          some[PARTS];
        ndg_partition_count(&drop, t->ids.base, 1, t->rows - 1, some, &r);
        SEE(ndg_cuda_partition_count(p, ids.base, 1, t->rows - 1, 0,
                                     (ptrdiff_t *)counted.p, seen, 0)
            == cudaSuccess);
        SEE(counted.holds(some));
        ndg_cuda_partition_report_read(&cpu, ids.base, seen, &got, 0);
        SEE_REPORTS(&got, &r);
        cudaMemset(bad.p, 0, sizeof zero);
    }
    SEE(ndg_cuda_partition_run(p, (void **)outs_at.p, with_positions
                               ? (void **)positions_at.p : 0, data.base,
                               ids.base, t->rows, 0, (ptrdiff_t *)held.p,
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
    SEE_REPORTS(&got, &want);
    if (t->rows)
        SEE(ndg_cuda_partition_run(p, (void **)outs_at.p, 0, data.base,
                                   ids.base, t->rows, 0, (ptrdiff_t *)held.p,
                                   (ptrdiff_t *)used.p, scratch.p, need - 1,
                                   report, 0) == cudaErrorInvalidValue);
    no_faults();
    for (k = 0; k < parts; k++) {
        free(outs[k]);
        free(positions[k]);
        delete o[k];
        delete w[k];
    }
    if (!tight) partition_packed(t, with_positions);
}

/* Parts beyond one digit, side by side in one array: as the CPU deals them out,
 * in a number of launches that does not grow with them. */
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

/* Packed, with the offsets that the counts stand for. */
static void many_packed(const ndg_partition_plan *plan, void *out, void *at,
                        const void *data, const void *ids, ptrdiff_t rows,
                        void *scratch, const ptrdiff_t *counts)
{
    const ptrdiff_t parts = plan->num_partitions;
    ptrdiff_t      *offsets = (ptrdiff_t *)some_bytes(8 * parts + 8), k;
    buffer          begins(0, 8 * (size_t)parts + 8);
    for (offsets[0] = 0, k = 0; k < parts; k++)
        offsets[k + 1] = offsets[k] + counts[k];
    SEE(!ndg_cuda_partition_packed(plan, out, PTRDIFF_MAX, at, data, ids, rows,
            0, (ptrdiff_t *)begins.p, scratch, PTRDIFF_MAX, 0, 0));
    no_faults();
    SEE(begins.holds(offsets));
    free(offsets);
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
        many_packed(&plan, o.p, w.p, from.p, x.p, rows, scratch.p, counts);
        SEE(o.holds(rows_to));
        SEE(w.holds(found));
        o.set(FRESH);
        w.set(FRESH);
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
                                    (void **)positions_at.p, from.p, x.p,
                                    rows, 0,
                                    (ptrdiff_t *)held.p, (ptrdiff_t *)used.p,
                                    scratch.p, need, report, 0));
        cudaDeviceSynchronize();
        SEE(emu->launches - launches <= (uint64_t)(4 * passes + 1));
        SEE(!ndg_cuda_partition_report_read(&plan, x.p, report, &got, 0));
        SEE(!ndg_cuda_partition_count(&plan, x.p, 0, rows, 0,
                                      (ptrdiff_t *)counted.p, 0, 0));
        no_faults();
        SEE(o.holds(rows_to));
        SEE(w.holds(found));
        SEE(used.holds(cursors));
        SEE(counted.holds(cursors));
        SEE_REPORTS(&got, &want);
        SEE(!rows || ndg_cuda_partition_run(&plan, (void **)outs_at.p, 0,
                                            from.p, x.p, rows, 0,
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
    SEE(ndg_cuda_partition_run(&plan, a.outs, 0, from.p, x.p, plan.rows, 0,
                               a.counts, (ptrdiff_t *)used.p, scratch.p,
                               PTRDIFF_MAX, 0, 0) == cudaErrorInvalidValue);
}

static void run_parts(void)
{
    static const ptrdiff_t parts[] = { 16, 257, 300, 1000, 4096, 8192, 65536,
                                       65537, 100000, 200000 };
    int i, kind;
    far_rows();
    for (i = 0; i < 10; i++) {
        for (kind = 0; kind < 4; kind++) {
            const int more = kind == 3 ? 0 : 5000;
            new_seed((uint64_t)(7 * i + kind + (i > 4)));
            strcpy(context, "many parts:");
            if (parts[i] > 60000 && kind == 2) continue;
            many_parts(parts[i], kind + random_below(&rnd, 900 + more), kind);
        }
    }
}

#include "cuda_paths.h"

/* ---- what a launcher promises --------------------------------------------*/
/* Sizes that overflow, arrays that overlap, counts below 0, a report that was
 * not cleared. split: 6 elements of 4 bytes into 3 parts; weave: of 4 bytes. */
static void hostile(const ndg_partition_plan *split,
                    const ndg_stitch_plan *weave)
{
    const cudaError_t  no = cudaErrorInvalidValue;
    ndg_partition_desc e = NDG_ZERO_INIT;
    ndg_partition_plan wide;
    ndg_report         r;
    ptrdiff_t          counts[3] = { -1, -5, PTRDIFF_MIN };
    static const int32_t ids[6] = { 0, 1, 2, 0, 1, 2 };
    unsigned char      fresh[24];
    void              *outs[3];
    buffer x(ids, sizeof ids), p(0, 24), o(0, 24), at(0, 24), begins(0, 32);
    buffer scratch(0, 100000), held(counts, 24), used(0, 24), bad(0, 16);
    ptrdiff_t *const   offsets = (ptrdiff_t *)begins.p;
    int                i;
    p.set(3);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, PTRDIFF_MAX, 1, 1) == -1);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, 1, PTRDIFF_MAX, 1) == -1);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, -1, 1, 1) == -1);
    SEE(ndg_cuda_stitch_run(weave, o.p, 24, 6, 0, (ndg_list *)x.p,
                            (ptrdiff_t)1 << 60, 6, scratch.p, 100000, 0, 0)
        == no);
    SEE(ndg_cuda_partition_scratch_bytes(split, PTRDIFF_MAX) == -1);
    e.data = ndg_dims2(6, 1);
    e.partitions = ndg_dims1(6);
    e.elem_size = 4;
    e.num_partitions = 3;
    e.out_stride = (ptrdiff_t)1 << 61;
    SEE(ndg_plan_partition(&wide, &e, &r) == NDG_OK);
    SEE(ndg_cuda_partition_packed(&wide, o.p, 24, 0, p.p, x.p, 6, 0, offsets,
                                  scratch.p, 100000, 0, 0) == no);
    SEE(ndg_cuda_partition_packed(split, p.p, 24, 0, p.p, x.p, 6, 0, offsets,
                                  scratch.p, 100000, 0, 0) == no);
    SEE(ndg_cuda_partition_packed(split, o.p, 24, x.p, p.p, x.p, 6, 0, offsets,
                                  scratch.p, 100000, 0, 0) == no);
    SEE(ndg_cuda_partition_packed(split, o.p, 24, o.p + 20, p.p, x.p, 6, 0,
                                  offsets, scratch.p, 100000, 0, 0) == no);
    SEE(!ndg_cuda_partition_packed(split, o.p, 24, at.p, p.p, x.p, 6, 0,
                                   offsets, scratch.p, 100000, 0, 0));
    o.set(7);
    memset(fresh, 7, sizeof fresh);
    for (i = 0; i < 3; i++) outs[i] = o.p;
    buffer outs_at(outs, sizeof outs);
    SEE(!ndg_cuda_partition_run(split, (void **)outs_at.p, 0, p.p, x.p, 6, 0,
            (ptrdiff_t *)held.p, (ptrdiff_t *)used.p, scratch.p, 100000, 0,
            0));
    SEE(o.holds(fresh));
    bad.set(0x11);
    SEE(ndg_cuda_partition_report_read(split, x.p, (ndg_cuda_report *)bad.p, &r,
                                       0) == no);
    bad.set(0xff);                      /* the first is row 0 */
    SEE(ndg_cuda_partition_report_read(split, 0, (ndg_cuda_report *)bad.p, &r,
                                       0) == no);
    no_faults();
}

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
    SEE(!ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, 3, 3, 0, 0, 0));
    SEE(!ndg_cuda_gather_check(&plan, x.p, 6, 6, 0, report, 0));
    SEE(!ndg_cuda_partition_run(&split, 0, 0, 0, 0, 0, 0,
                                (ptrdiff_t *)scratch.p,
                                (ptrdiff_t *)scratch.p + 3, 0, 0, 0, 0));
    SEE(!ndg_cuda_partition_count(&split, 0, 2, 2, 0, (ptrdiff_t *)scratch.p, 0,
                                  0));
    SEE(!ndg_cuda_stitch_run(&weave, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
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
    SEE(ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, 2, 7, 0, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, -1, 2, 0, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run(&plan, x.p, 24, p.p, x.p, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_gather_run(&plan, p.p, 24, p.p, x.p, 0, 0)
        == cudaErrorInvalidValue);
    SEE(ndg_cuda_stitch_run(&weave, o.p, 24, -1, 0, 0, 0, 0, scratch.p, 1000, 0,
                            0) == cudaErrorInvalidValue);
    SEE(ndg_cuda_partition_run(&split, 0, 0, p.p, x.p, 6, 0,
                               (ptrdiff_t *)scratch.p,
                               (ptrdiff_t *)scratch.p + 3,
                               scratch.p, 100000, 0, 0)
        == cudaErrorInvalidValue);
    /* counts that are cursors: they would be zeroed, and every row dropped */
    SEE(ndg_cuda_partition_run(&split, (void **)o.p, 0, p.p, x.p, 6, 0,
                               (ptrdiff_t *)o.p, (ptrdiff_t *)o.p, scratch.p,
                               100000, 0, 0) == cudaErrorInvalidValue);
    hostile(&split, &weave);
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
    SEE(!ndg_cuda_partition_count(&split, x.p, 0, 6, 0,
                                  (ptrdiff_t *)scratch.p, 0,
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
        SEE_REPORTS(&gpu, &cpu);
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
        SEE(!ndg_cuda_partition_count(&split, k.p, 0, 6, 0, (ptrdiff_t *)n.p,
                                      report, 0));
        SEE(!ndg_cuda_partition_report_read(&split, k.p, report, &gpu, 0));
        n.get(counted);
        SEE(counted[0] == counts[0] && counted[1] == counts[1]);
        SEE_REPORTS(&gpu, &cpu);
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
    run_elements();
    run_parts();
    run_paths();
    run_file("tests/cases/tf.txt", 556, 1, true);
    run_file("tests/cases/onnx.txt", 19, 1, true);
    for (i = seed; i < seed + rounds; i++) {
        rnd.state = (uint64_t)i * 7919;
        new_seed((uint64_t)i);
        sprintf(context, "seed %ld", i);
        random_gather();
        sprintf(context, "seed %ld", i);
        random_scatter();
        sprintf(context, "seed %ld", i);
        random_stitch();
        sprintf(context, "seed %ld", i);
        random_partition();
    }
    return test_end("test_cuda");
}
