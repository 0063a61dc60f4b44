/* cuda_same.h - one plan, run on the CPU and by the launchers, for the tests on
 * the emulator and on a device: bytes and reports must be equal. Before it the
 * program has `buffer`, memory on the device that is exact at its end:
 * buffer(from, bytes, offset), get(to), set(byte) and holds(want). */
#ifndef CUDA_SAME_H
#define CUDA_SAME_H

typedef array_in<buffer> device_array;

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
    device_array    p(*params, some_offset(SOURCE));
    device_array    x(*indices, some_offset(INDEX));
    const ptrdiff_t most = last + random_below(&rnd,
                                               (int)(plan->rows - last) + 1);
    const ptrdiff_t need = ndg_gather_out_bytes(plan, first, most);
    buffer          bad(&zero, sizeof zero), today(&last, sizeof last);
    ptrdiff_t *const limit = most > last || random_below(&rnd, 2)
                           ? (ptrdiff_t *)today.p : 0;
    array_fresh(out);
    device_array o(*out, some_offset(OUT));
    if (cpu.policy == NDG_DEFAULT) cpu.policy = NDG_ZERO;
    ndg_gather_check(&cpu, indices->base, first, last, &want);
    if (cpu.policy == NDG_ERROR || (cpu.policy <= NDG_WRAP
        && cpu.policy >= NDG_CLIP && has_empty_extent(&cpu)))
        cpu.policy = NDG_KEEP;
    ndg_gather_run_range(&cpu, out->base, plan->out_bytes, params->base,
                         indices->base, first, last, &r);
    SEE(!r.status);
    SEE(!ndg_cuda_gather_run_range(plan, o.base, need, p.base, x.base, first,
                                  most, limit, (ndg_cuda_report *)bad.p, 0));
    SEE(!ndg_cuda_gather_report_read(plan, x.base, (ndg_cuda_report *)bad.p,
                                    &got, 0));
    no_faults();
    SEE(o.holds(out->block));
    SEE_REPORTS(&got, &want);
    if (need && plan->run_bytes) REFUSED(ndg_cuda_gather_run_range(plan, o.base,
            need - 1, p.base, x.base, first, most, limit, 0, 0));
    /* again, on top: counts add up, and the first stays */
    SEE(!ndg_cuda_gather_check(plan, x.base, first, most, limit,
                              (ndg_cuda_report *)bad.p, 0));
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
    device_array   o(out, some_offset(OUT)), x(indices, some_offset(INDEX));
    device_array   from(data, some_offset(SOURCE));
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
    if (plan.out_bytes && plan.by.run_bytes) REFUSED(ndg_cuda_scatter_run(&plan,
            o.base, plan.out_bytes - 1, from.base, x.base, 0, 0, 0, 0));
    if (need && !alone)
        REFUSED(ndg_cuda_scatter_run(&plan, o.base, plan.out_bytes, from.base,
                                 x.base, scratch.p, need - 1, 0, 0));
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
        x[i] = new device_array(t->indices[i], some_offset(INDEX));
        d[i] = new device_array(t->data[i], some_offset(SOURCE));
        list[i] = t->list[i];
        list[i].indices = x[i]->base;
        list[i].data = d[i]->base;
    }
    array_fresh(&t->out);
    buffer       lists(list, (size_t)t->n * sizeof *list), size(&today, 8);
    ptrdiff_t *const limit = today < t->total || random_below(&rnd, 2)
                           ? (ptrdiff_t *)size.p : 0;
    buffer       bad(&zero, sizeof zero), scratch(0, (size_t)need);
    device_array o(t->out, some_offset(OUT));
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
    SEE(!ndg_cuda_stitch_run(&t->plan, o.base, out_bytes, t->total, limit,
                            (const ndg_list *)lists.p, t->n, t->entries,
                            scratch.p, need, report, 0));
    SEE(!ndg_cuda_stitch_report_read(&t->plan, today,
                                    (const ndg_list *)lists.p, t->n, report,
                                    &got, 0));
    no_faults();
    SEE(o.holds(t->out.block));
    SEE_REPORTS(&got, &want);
    if (t->total > 0 && out_bytes) REFUSED(ndg_cuda_stitch_run(&t->plan, o.base,
            out_bytes - 1, t->total, 0, (const ndg_list *)lists.p, t->n,
            t->entries, scratch.p, need, report, 0));
    if (t->total > 0)
        REFUSED(ndg_cuda_stitch_run(&t->plan, o.base, out_bytes, t->total, 0,
                                (const ndg_list *)lists.p, t->n, t->entries,
                                scratch.p, need - 1, report, 0));
    /* the size on the device */
    cpu = t->plan;
    cpu.policy = NDG_DROP;
    cudaMemset(report, 0, sizeof zero);
    if (ndg_stitch_total(&cpu, t->list, t->n, &total, &want) == NDG_OK) {
        SEE(!ndg_cuda_stitch_total(&t->plan, (const ndg_list *)lists.p, t->n,
                                  t->entries, (ptrdiff_t *)size.p, scratch.p,
                                  need, report, 0));
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
/* Of the rows that there are today, and where the parts begin. */
static void partition_packed(partition_test *t, bool with_positions)
{
    const ndg_partition_plan *p = &t->plan;
    ndg_partition_plan cpu = t->plan;
    const int       parts = (int)p->num_partitions;
    const ptrdiff_t word = index_bytes(p->position_type);
    const ptrdiff_t today = random_below(&rnd, 2) ? t->rows
                          : random_below(&rnd, (int)t->rows + 1);
    const ptrdiff_t stride = p->row.out_stride;
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(p, t->rows);
    const ptrdiff_t bytes = ndg_partition_out_bytes(p, t->rows);
    ndg_cuda_report zero = { 0, 0 };
    ndg_report      want, got = report_stale(), r;
    ptrdiff_t       counts[PARTS], cursors[PARTS], offsets[PARTS + 1];
    void           *outs[PARTS], *positions[PARTS];
    unsigned char  *out = (unsigned char *)some_bytes(bytes);
    unsigned char  *at = (unsigned char *)some_bytes(t->rows * word);
    int             k;
    device_array    data(t->data, some_offset(SOURCE));
    device_array    ids(t->ids, some_offset(INDEX));
    buffer          bad(&zero, sizeof zero), scratch(0, (size_t)need);
    buffer          o(out, (size_t)bytes, some_offset(OUT));
    buffer          w(at, (size_t)(t->rows * word), some_offset(OUT));
    buffer          begins(0, 8 * (size_t)parts + 8), limit(&today, 8);
    cpu.policy = NDG_DROP;
    ndg_partition_count(&cpu, t->ids.base, 0, today, counts, &want);
    for (offsets[0] = 0, k = 0; k < parts; k++) {
        outs[k] = out + offsets[k] * stride;
        positions[k] = at + offsets[k] * word;
        offsets[k + 1] = offsets[k] + counts[k];
    }
    if (ndg_partition_run(&cpu, outs, with_positions ? positions : 0,
                          t->data.base, t->ids.base, today, counts, cursors,
                          &r) != NDG_OK) CHECKF(0, "%s: cpu", context);
    SEE(!ndg_cuda_partition_packed(p, o.p, bytes, with_positions ? w.p : 0,
            data.base, ids.base, t->rows, today < t->rows
            ? (ptrdiff_t *)limit.p : 0, (ptrdiff_t *)begins.p, scratch.p, need,
            (ndg_cuda_report *)bad.p, 0));
    SEE(!ndg_cuda_partition_report_read(&cpu, ids.base,
            (ndg_cuda_report *)bad.p, &got, 0));
    no_faults();
    SEE(begins.holds(offsets));
    SEE(o.holds(out));
    SEE(w.holds(at));
    if (p->policy == NDG_ASSUME_VALID) memset(&want, 0, sizeof want);
    SEE_REPORTS(&got, &want);
    if (t->rows && bytes) REFUSED(ndg_cuda_partition_packed(p, o.p, bytes - 1,
            0, data.base, ids.base, t->rows, 0, (ptrdiff_t *)begins.p,
            scratch.p, need, 0, 0));
    free(out);
    free(at);
}

/* Every part in memory of the right size or, if tight, one row too small, so
 * that its last row is left out. */
static void partition_same(partition_test *t, bool with_positions, int tight)
{
    const ndg_partition_plan *p = &t->plan;
    ndg_partition_plan cpu = t->plan;
    const int       parts = (int)p->num_partitions;
    const ptrdiff_t word = index_bytes(p->position_type);
    ndg_cuda_report zero = { 0, 0 };
    ndg_report      want, got = report_stale(), r;
    ptrdiff_t       counts[PARTS], limits[PARTS], cursors[PARTS], have[PARTS];
    void           *outs[PARTS], *positions[PARTS];
    void           *d_outs[PARTS], *d_positions[PARTS];
    buffer         *o[PARTS], *w[PARTS];
    ptrdiff_t       need = ndg_cuda_partition_scratch_bytes(p, t->rows);
    device_array    data(t->data, some_offset(SOURCE));
    device_array    ids(t->ids, some_offset(INDEX));
    buffer          bad(&zero, sizeof zero), scratch(0, (size_t)need);
    buffer          counted(0, (size_t)parts * 8), used(0, (size_t)parts * 8);
    int             k;
    cpu.policy = NDG_DROP;
    ndg_partition_count(&cpu, t->ids.base, 0, t->rows, counts, &want);
    for (k = 0; k < parts; k++) {
        const ptrdiff_t n = tight && counts[k] ? counts[k] - 1 : counts[k];
        limits[k] = n;
        outs[k] = some_bytes(ndg_partition_out_bytes(p, counts[k]));
        positions[k] = some_bytes(counts[k] * word);
        o[k] = new buffer(outs[k], (size_t)ndg_partition_out_bytes(p, n),
                          some_offset(OUT));
        w[k] = new buffer(positions[k], (size_t)(n * word), some_offset(OUT));
        d_outs[k] = o[k]->p;
        d_positions[k] = w[k]->p;
    }
    buffer outs_at(d_outs, (size_t)parts * sizeof(void *));
    buffer positions_at(d_positions, (size_t)parts * sizeof(void *));
    buffer held(limits, (size_t)parts * 8);
    ndg_cuda_report *const report = (ndg_cuda_report *)bad.p;
    SEE(ndg_partition_run(&cpu, outs, with_positions ? positions : 0,
                          t->data.base, t->ids.base, t->rows, counts, cursors,
                          &r) == NDG_OK);
    SEE(!ndg_cuda_partition_count(p, ids.base, 0, t->rows, 0,
                                 (ptrdiff_t *)counted.p, 0, 0));
    SEE(counted.holds(counts));
    if (t->rows > 2) {                  /* a range: rows 1 ... rows-2 */
        ndg_cuda_report *const seen = (ndg_cuda_report *)bad.p;
        ndg_partition_plan drop = cpu;
        ptrdiff_t          some[PARTS];
        ndg_partition_count(&drop, t->ids.base, 1, t->rows - 1, some, &r);
        SEE(!ndg_cuda_partition_count(p, ids.base, 1, t->rows - 1, 0,
                                     (ptrdiff_t *)counted.p, seen, 0));
        SEE(counted.holds(some));
        ndg_cuda_partition_report_read(&cpu, ids.base, seen, &got, 0);
        SEE_REPORTS(&got, &r);
        cudaMemset(bad.p, 0, sizeof zero);
    }
    SEE(!ndg_cuda_partition_run(p, (void **)outs_at.p, with_positions ? (void
            **)positions_at.p : 0, data.base, ids.base, t->rows, 0, (ptrdiff_t
            *)held.p, (ptrdiff_t *)used.p, scratch.p, need, report, 0));
    SEE(!ndg_cuda_partition_report_read(p, ids.base, report, &got, 0));
    no_faults();
    used.get(have);
    SEE(!memcmp(have, counts, (size_t)parts * 8));
    for (k = 0; k < parts; k++) {
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
        REFUSED(ndg_cuda_partition_run(p, (void **)outs_at.p, 0, data.base,
                                   ids.base, t->rows, 0, (ptrdiff_t *)held.p,
                                   (ptrdiff_t *)used.p, scratch.p, need - 1,
                                   report, 0));
    no_faults();
    for (k = 0; k < parts; k++) {
        free(outs[k]);
        free(positions[k]);
        delete o[k];
        delete w[k];
    }
    if (!tight) partition_packed(t, with_positions);
}

/* ---- random plans --------------------------------------------------------*/
static void random_round(long seed)
{
    static void (*const all[])(void) = { random_gather, random_scatter,
                                         random_stitch, random_partition };
    rnd.state = (uint64_t)seed * 7919;
    new_seed((uint64_t)seed);
    for (int k = 0; k < 4; k++) {
        sprintf(context, "seed %ld", seed);
        all[k]();
    }
}

#endif
