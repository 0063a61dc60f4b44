/* cuda_same.h - one plan, run on the CPU and by the launchers, for the tests on
 * the emulator and on a device: bytes and reports must be equal. */
#ifndef CUDA_SAME_H
#define CUDA_SAME_H

#include <algorithm>
#include "cuda_compare.h"

/* ---- gather --------------------------------------------------------------*/
/* One plan over rows first ... last-1: what the CPU writes and says under the
 * policy that a device has, and that the launchers do the same. */
static void gather_range(const ndg_gather_plan *plan, const array *params,
                         const array *indices, array *out, ptrdiff_t first,
                         ptrdiff_t last)
{
    ndg_gather_plan cpu = *plan;
    ndg_report      want, got = report_stale(), r;
    device_array    p(*params, SOURCE), x(*indices, INDEX);
    const ptrdiff_t most = last + random_below(&rnd,
                                               (int)(plan->rows - last) + 1);
    const ptrdiff_t need = ndg_gather_out_bytes(plan, first, most);
    buffer          bad(cleared), today(last);
    ptrdiff_t *const limit = today.when(most > last || random_below(&rnd, 2));
    array_fresh(out);
    device_array o(*out, OUT);
    if (cpu.policy == NDG_DEFAULT) cpu.policy = NDG_ZERO;
    ndg_gather_check(&cpu, indices->base, first, last, &want);
    if (cpu.policy == NDG_ERROR || (cpu.policy <= NDG_WRAP
        && cpu.policy >= NDG_CLIP && has_empty_extent(&cpu)))
        cpu.policy = NDG_KEEP;
    ndg_gather_run_range(&cpu, out->base, plan->out_bytes, params->base,
                         indices->base, first, last, &r);
    SEE(!r.status);
    SEE(!ndg_cuda_gather_run_range(plan, o.base, need, p.base, x.base, first,
                                  most, limit, bad, 0));
    SEE(!ndg_cuda_gather_report_read(plan, x.base, bad, &got, 0));
    no_faults();
    SEE(o.holds(out->block));
    SEE_REPORTS(&got, &want);
    if (need && plan->run_bytes) REFUSED(ndg_cuda_gather_run_range(plan, o.base,
            need - 1, p.base, x.base, first, most, limit, 0, 0));
    /* again, on top: counts add up, and the first stays */
    SEE(!ndg_cuda_gather_check(plan, x.base, first, most, limit, bad, 0));
    ndg_cuda_gather_report_read(plan, x.base, bad, &got, 0);
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
    ptrdiff_t        dims[4], at[4], to[8], most = 0, need;
    host_array       out, indices, data;
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
    device_array   o(out, OUT), x(indices, INDEX), from(data, SOURCE);
    buffer         report(cleared), scratch(0, need);
    const bool     alone = at[b] < 2;     /* of each batch: no duplicates */
    SEE(!ndg_cuda_scatter_run(&plan, o.base, plan.out_bytes, from.base, x.base,
            scratch.when(!alone), alone ? 0 : need, report, 0));
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
                                 x.base, scratch, need - 1, 0, 0));
    no_faults();
}

/* ---- stitch --------------------------------------------------------------*/
/* Without duplicates, gaps or bad entries the CPU's run would do; under ERROR
 * the device writes the good rows, as the CPU does under DROP. */
static void stitch_limited(stitch_test *t, ptrdiff_t today)
{
    ndg_stitch_plan cpu = t->plan;
    const ndg_stitch_plan *const plan = &t->plan;
    ndg_report      want, got = report_stale(), r;
    owned<device_array> x, d;
    ndg_list        list[LISTS];
    ptrdiff_t       total = -5, i;
    ptrdiff_t       bits = ndg_stitch_scratch_bytes(&cpu, today);
    ptrdiff_t       out_bytes = ndg_stitch_out_bytes(&cpu, t->total);
    ptrdiff_t       need = ndg_cuda_stitch_scratch_bytes(&cpu, t->total, t->n,
                                                         t->entries);
    std::vector<char> marks((size_t)bits + 8);
    for (i = 0; i < t->n; i++) {
        x.emplace_back(new device_array(t->indices[i], INDEX));
        d.emplace_back(new device_array(t->data[i], SOURCE));
        list[i] = t->list[i];
        list[i].indices = x.back()->base;
        list[i].data = d.back()->base;
    }
    array_fresh(&t->out);
    buffer       lists(list, t->n * (ptrdiff_t)sizeof *list), size(today);
    ptrdiff_t *const limit = size.when(today < t->total
                                       || random_below(&rnd, 2));
    buffer       report(cleared_stitch), scratch(0, need);
    device_array o(t->out, OUT);
    if (cpu.policy == NDG_DEFAULT) cpu.policy = NDG_DROP;
    ndg_stitch_run(&cpu, t->out.base, out_bytes, today, t->list, t->n,
                   marks.data(), bits, &want);
    if (cpu.policy == NDG_ERROR) {
        cpu.policy = NDG_DROP;
        ndg_stitch_run(&cpu, t->out.base, out_bytes, today, t->list, t->n,
                       marks.data(), bits, &r);
        want.bad.count = r.bad.count;
        want.rows = r.rows;
    }
    const auto run = [&](ptrdiff_t *most, ptrdiff_t out, ptrdiff_t some) {
        return ndg_cuda_stitch_run(plan, o.base, out, t->total, most, lists,
                                   t->n, t->entries, scratch, some, report, 0);
    };
    SEE(!run(limit, out_bytes, need));
    SEE(!ndg_cuda_stitch_report_read(plan, today, lists, t->n, report, &got,
                                     0));
    no_faults();
    SEE(o.holds(t->out.block));
    SEE_REPORTS(&got, &want);
    if (t->total > 0 && out_bytes) REFUSED(run(0, out_bytes - 1, need));
    if (t->total > 0) REFUSED(run(0, out_bytes, need - 1));
    /* the size on the device */
    cpu = t->plan;
    cpu.policy = NDG_DROP;
    report.put(&cleared_stitch);
    if (ndg_stitch_total(&cpu, t->list, t->n, &total, &want) == NDG_OK) {
        SEE(!ndg_cuda_stitch_total(plan, lists, t->n, t->entries, size, scratch,
                                   need, report, 0));
        SEE(size.holds(&total));
        ndg_cuda_stitch_report_read(&cpu, PTRDIFF_MAX, lists, t->n, report,
                                    &got, 0);
        SEE_REPORTS(&got, &want);
    }
    no_faults();
}

static void stitch_same(stitch_test *t)
{
    stitch_limited(t, t->total);
    if (t->total && !random_below(&rnd, 3))
        stitch_limited(t, random_below(&rnd, (int)t->total));
}

/* ---- partition -----------------------------------------------------------*/
static ptrdiff_t room_of(ptrdiff_t k, ptrdiff_t count, int room)
{
    if (room == ALL_ROWS) return count;
    if (room == ALL_BUT_ONE) return count - (count > 0);
    return k % 5 == 4 ? -room : room + k % 3;
}

typedef std::vector<ptrdiff_t> numbers;

/* The rows of parts, or their positions, on the host and on the device: each
 * part in memory of its own, exact at its end, or all of very many in one. */
struct dealt {
    const bool                     together;
    std::vector<void *>            host, device;
    std::vector<std::vector<char>> block;
    owned<buffer>                  memory;
    /* `has` rows of part k, of which it can `take` some; n rows are `bytes(n)`
     * bytes, and one is so far from the next. */
    template <class F> dealt(const numbers &has, const numbers &takes,
                             ptrdiff_t step, F bytes)
        : together(has.size() > PARTS)
    {
        ptrdiff_t total = 0, at = 0;
        for (ptrdiff_t n : has) total += n;
        for (size_t k = 0; k < has.size(); k++) {
            if (!together || k == 0) {
                block.push_back(fresh_bytes(bytes(together ? total : has[k])));
                memory.emplace_back(new buffer(block.back().data(), bytes(
                    together ? total : takes[k]), some_offset(OUT)));
                at = 0;
            }
            host.push_back(block.back().data() + at);
            device.push_back(memory.back()->p + at);
            at += has[k] * step;
        }
    }
    /* The device's are the host's, but for what a part cannot take. */
    void see(const numbers &has, const numbers &takes, ptrdiff_t step) const
    {
        for (size_t k = 0; together && k < has.size(); k++)
            memset((char *)host[k] + takes[k] * step, FRESH,
                   (size_t)((has[k] - takes[k]) * step));
        for (size_t k = 0; k < memory.size(); k++)
            SEE(memory[k]->holds(block[k]));
    }
};

/* Of the rows that there are today, and where the parts begin. Rows of no bytes
 * need no array, here as below. */
static void partition_packed(partition_test *t, bool with_positions)
{
    const ndg_partition_plan *p = &t->plan;
    ndg_partition_plan cpu = t->plan;
    const size_t    parts = (size_t)p->num_partitions;
    const ptrdiff_t word = index_bytes(p->position_type);
    const ptrdiff_t today = random_below(&rnd, 2) ? t->rows
                          : random_below(&rnd, (int)t->rows + 1);
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(p, t->rows);
    const ptrdiff_t bytes = ndg_partition_out_bytes(p, t->rows);
    const bool      rows_are = p->row.run_bytes > 0 || random_below(&rnd, 2);
    ndg_report      want, got = report_stale(), r;
    numbers         counts(parts), cursors(parts), offsets(parts + 1);
    std::vector<void *> outs(parts), positions(parts);
    std::vector<char> out = fresh_bytes(bytes);
    std::vector<char> at = fresh_bytes(t->rows * word);
    device_array    data(t->data, SOURCE), ids(t->ids, INDEX);
    buffer          bad(cleared), scratch(0, need), limit(today);
    buffer          o(out.data(), bytes, some_offset(OUT));
    buffer          w(at.data(), t->rows * word, some_offset(OUT));
    buffer          begins(0, 8 * p->num_partitions + 8);
    cpu.policy = NDG_DROP;
    ndg_partition_count(&cpu, t->ids.base, 0, today, counts.data(), &want);
    for (size_t k = 0; k < parts; k++) {
        outs[k] = out.data() + offsets[k] * p->row.out_stride;
        positions[k] = at.data() + offsets[k] * word;
        offsets[k + 1] = offsets[k] + counts[k];
    }
    SEE(!ndg_partition_run(&cpu, outs.data(), with_positions ? positions.data()
            : 0, t->data.base, t->ids.base, today, counts.data(),
            cursors.data(), &r));
    SEE(!ndg_cuda_partition_packed(p, o.when(rows_are), bytes, w.when(
            with_positions), rows_are ? data.base : 0, ids.base, t->rows,
            limit.when(today < t->rows), begins, scratch, need, bad, 0));
    SEE(!ndg_cuda_partition_report_read(&cpu, ids.base, bad, &got, 0));
    no_faults();
    SEE(begins.holds(offsets));
    SEE(o.holds(out));
    SEE(w.holds(at));
    if (p->policy == NDG_ASSUME_VALID) memset(&want, 0, sizeof want);
    SEE_REPORTS(&got, &want);
    if (t->rows && bytes) REFUSED(ndg_cuda_partition_packed(p, o, bytes - 1, 0,
            data.base, ids.base, t->rows, 0, begins, scratch, need, 0, 0));
}

/* Counts, of all rows and of a range: 1 ... rows-2. */
static void partition_counts(partition_test *t, const ndg_partition_plan *cpu,
                             const void *ids, const numbers &counts)
{
    numbers    some(counts.size());
    ndg_report got = report_stale(), want;
    buffer     counted(0, 8 * t->plan.num_partitions), bad(cleared);
    SEE(!ndg_cuda_partition_count(&t->plan, ids, 0, t->rows, 0, counted, 0, 0));
    SEE(counted.holds(counts));
    if (t->rows < 3) return;
    ndg_partition_count(cpu, t->ids.base, 1, t->rows - 1, some.data(), &want);
    SEE(!ndg_cuda_partition_count(&t->plan, ids, 1, t->rows - 1, 0, counted,
                                  bad, 0));
    SEE(counted.holds(some));
    ndg_cuda_partition_report_read(cpu, ids, bad, &got, 0);
    SEE_REPORTS(&got, &want);
}

/* Every part in memory of the right size or, if it cannot take all its rows,
 * of that for those it can. */
static void partition_same(partition_test *t, bool with_positions, int room)
{
    const ndg_partition_plan *p = &t->plan;
    ndg_partition_plan cpu = t->plan;
    const size_t    parts = (size_t)p->num_partitions;
    const ptrdiff_t word = index_bytes(p->position_type);
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(p, t->rows);
    const bool      rows_are = p->row.run_bytes > 0 || random_below(&rnd, 2);
    ndg_report      want, got = report_stale(), r;
    numbers         counts(parts), limits(parts), takes(parts), cursors(parts);
    device_array    data(t->data, SOURCE), ids(t->ids, INDEX);
    buffer          bad(cleared), scratch(0, need);
    buffer          used(0, 8 * p->num_partitions);
    cpu.policy = NDG_DROP;
    ndg_partition_count(&cpu, t->ids.base, 0, t->rows, counts.data(), &want);
    for (size_t k = 0; k < parts; k++) {
        limits[k] = room_of((ptrdiff_t)k, counts[k], room);
        takes[k] = std::max(std::min(limits[k], counts[k]), (ptrdiff_t)0);
    }
    dealt outs(counts, takes, p->row.out_stride, [p](ptrdiff_t n) {
        return ndg_partition_out_bytes(p, n); });
    dealt positions(counts, takes, word, [word](ptrdiff_t n) {
        return n * word; });
    buffer outs_at(outs.device), at(positions.device), held(limits);
    SEE(!ndg_partition_run(&cpu, outs.host.data(), with_positions
            ? positions.host.data() : 0, t->data.base, t->ids.base, t->rows,
            counts.data(), cursors.data(), &r));
    partition_counts(t, &cpu, ids.base, counts);
    t->launches = launched();
    SEE(!ndg_cuda_partition_run(p, outs_at.when(rows_are), at.when(
            with_positions), rows_are ? data.base : 0, ids.base, t->rows, 0,
            held, used, scratch, need, bad, 0));
    t->launches = launched() - t->launches;
    SEE(!ndg_cuda_partition_report_read(p, ids.base, bad, &got, 0));
    no_faults();
    SEE(used.holds(counts));
    outs.see(counts, takes, p->row.out_stride);
    positions.see(counts, takes, word);
    /* the CPU's count says E_INDEX for DEFAULT too, and all under VALID */
    if (p->policy == NDG_ASSUME_VALID) memset(&want, 0, sizeof want);
    if (p->policy == NDG_ERROR && want.bad.count) {
        cpu.policy = NDG_ERROR;
        ndg_partition_count(&cpu, t->ids.base, 0, t->rows, counts.data(),
                            &want);
    }
    SEE_REPORTS(&got, &want);
    if (t->rows) REFUSED(ndg_cuda_partition_run(p, outs_at, 0, data.base,
            ids.base, t->rows, 0, held, used, scratch, need - 1, bad, 0));
    no_faults();
    if (room == ALL_ROWS) partition_packed(t, with_positions);
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
