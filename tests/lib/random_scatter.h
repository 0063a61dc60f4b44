/* random_scatter.h - scatter_nd, whose shapes are those of a gather_nd with out
 * for params: plans, runs, ranges of slots, and what is refused. */
#ifndef NDG_TEST_RANDOM_SCATTER_H
#define NDG_TEST_RANDOM_SCATTER_H

#include "random_gather.h"

#define SLOTS_MOST 300

typedef struct scatter_case {
    ndg_scatter_desc d;
    oracle_gather    g;                 /* params: out */
    verdict          v;
    int              fits;
    array            out, indices, data, got_data, want;
    ptrdiff_t        rows, slots;
    ndg_report       exact;
    ndg_scatter_plan plan[ENGINES];
} scatter_case;

static scatter_case scatter;

static void print_scatter(void)
{
    const ndg_scatter_desc *d = &scatter.d;
    printf("    scatter: type %d, batch %d, policy %d, negative %d, gaps %d, "
           "mask %llx, add %lld\n", d->index_type, d->batch_dims, d->policy,
           d->negative, d->gaps, (unsigned long long)d->index_mask,
           (long long)d->index_add);
    array_print("out", &scatter.out);
    array_print("indices", &scatter.indices);
    array_print("data given", &scatter.got_data);
}

static void spoil_scatter(choices *in)
{
    ndg_scatter_desc *d = &scatter.d;
    switch (below(in, 64)) {
    case 1: d->policy = take_wrong(in); break;
    case 2: d->gaps = take_wrong(in); break;
    case 3: d->negative = take_wrong(in); break;
    case 4: d->features = (unsigned)take_wrong(in); break;
    case 5: scatter.g.batch_dims = (int8_t)take(in); break;
    case 6: spoil_dims(in, &scatter.out); break;
    case 7: spoil_dims(in, &scatter.indices); break;
    case 8: spoil_dims(in, &scatter.got_data); break;
    case 9: scatter.got_data.rank = below(in, 5); break;
    case 10: scatter.out.rank = below(in, 3); break;
    case 11: scatter.indices.rank = below(in, 3); break;
    case 12: d->index_type = take_wrong(in); break;
    case 13: d->overlap = take_wrong(in); break;
    case 14: d->gaps = NDG_GAPS_ERROR; break;
    case 15: d->policy = below(in, 8); break;
    default: break;
    }
}

static void take_scatter(choices *in)
{
    static const int  policy[4] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP,
                                    NDG_ASSUME_VALID };
    ndg_scatter_desc *d = &scatter.d;
    oracle_gather    *g = &scatter.g;
    const int         flags = take(in), more = take(in);
    memset(&scatter, 0, sizeof scatter);
    g->op = NDG_OP_GATHER_ND;
    g->params = &scatter.out;
    g->indices = &scatter.indices;
    d->elem_size = take_elem(in);
    d->index_type = more & 7;
    d->policy = policy[flags & 3];
    d->negative = flags >> 2 & 1;
    d->gaps = flags & 8 ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    d->overlap = (more & 24) == 24;
    if ((flags & 48) == 48) take_change(in, &d->index_mask, &d->index_add);
    take_gather_dims(in, g, &scatter.out, &scatter.indices, flags >= 208);
    scatter.out.elem = scatter.data.elem = d->elem_size;
    scatter.got_data.elem = d->elem_size;
    scatter.indices.elem = index_bytes(d->index_type);
    take_out_strides(in, &scatter.out);
    take_strides(in, &scatter.indices);
    if (more & 32 && oracle_gather_status(g) == NDG_OK) {
        scatter.got_data.rank = oracle_gather_dims(g, scatter.got_data.dim);
        take_strides(in, &scatter.got_data);
    }
    spoil_scatter(in);
    if (d->index_type >= 0 && d->index_type < INDEX_TYPES)
        scatter.indices.elem = index_bytes(d->index_type);
    if (!scatter.out.strided) array_pack(&scatter.out);
    if (!scatter.indices.strided) array_pack(&scatter.indices);
    if (!scatter.got_data.strided) array_pack(&scatter.got_data);
    g->policy = d->policy;
    g->negative = d->negative;
    g->index_type = d->index_type;
    g->mask = d->index_mask;
    g->add = d->index_add;
    d->batch_dims = g->batch_dims;
    d->out = array_ndg(&scatter.out);
    d->indices = array_ndg(&scatter.indices);
    d->data = array_ndg(&scatter.got_data);
}

static void foretell_scatter(void)
{
    const ndg_scatter_desc *d = &scatter.d;
    const oracle_gather    *g = &scatter.g;
    verdict                *v = &scatter.v;
    array                  *o = &scatter.out, *a = &scatter.data;
    int                     sound;
    option_flaws(d->elem_size, d->index_type, d->policy, 0, d->overlap,
                 d->features, v);
    flaw_if(v, d->negative < 0 || d->negative > 1, NDG_E_OPTION);
    flaw_if(v, d->gaps != NDG_GAPS_ZERO && d->gaps != NDG_GAPS_KEEP,
            NDG_E_OPTION);
    sound = array_flaws(o, v) & array_flaws(&scatter.indices, v);
    scatter.fits = oracle_gather_status(&scatter.g);
    if (scatter.fits || !sound) {
        maybe_any_shape(v);
        flaw(v, sound ? scatter.fits : NDG_E_SHAPE);
        return;
    }
    flaw_if(v, o->strided && array_cells(o) > 0 && !array_nests(o),
            NDG_E_STRIDE);
    if (o->strided && array_cells(o) == 0) maybe(v, NDG_E_STRIDE);
    a->rank = oracle_gather_dims(g, a->dim);
    if (layout_flaws(&scatter.got_data, a, 0, v)) *a = scatter.got_data;
    else array_pack(a);
    flaw_if(v, oracle_rows(g) > MOST, NDG_E_OVERFLOW);
    flaw_if(v, array_cells(a) * (wide)a->elem > MOST, NDG_E_OVERFLOW);
    if (oracle_slice(g) * (wide)a->elem > MOST) maybe(v, NDG_E_OVERFLOW);
    level_flaws(g, o->strided || scatter.indices.strided || a->strided, v);
    if (v->must) {
        if (v->may >> NDG_E_SHAPE & 1) maybe_any_shape(v);
        return;
    }
    scatter.rows = (ptrdiff_t)oracle_rows(g);
    o->rank = g->b + oracle_depth(g);             /* how many slots it has */
    flaw_if(v, array_cells(o) > MOST, NDG_E_OVERFLOW);
    scatter.slots = v->must ? 0 : (ptrdiff_t)array_cells(o);
    o->rank = d->out.rank;
}

static int plan_scatter(ndg_report *r)
{
    ndg_scatter_plan *plan = &scatter.plan[turn];
    ndg_report        again;
    wide              low, high;
    int               got;
    memset(plan, 0x5A, sizeof *plan);
    got = engines[turn]->plan_scatter_nd(plan, &scatter.d, r);
    array_span(&scatter.out, &low, &high);
    if (got == NDG_OK)
        EXPECT(plan->slots == scatter.slots && plan->by.rows == scatter.rows
               && (wide)plan->out_bytes == high, "%ld slots, %ld rows",
               (long)plan->slots, (long)plan->by.rows);
    else
        EXPECT(r->op == NDG_OP_SCATTER_ND && all_zero(plan, sizeof *plan)
               && engines[turn]->scatter_run(plan, NULL, 0, NULL, NULL, &again)
                  == NDG_E_NULL, "a refused plan: %s", report_text(r));
    return got;
}

static int take_scatter_memory(choices *in)
{
    oracle_gather *g = &scatter.g;
    array         *o = &scatter.out, *a = &scatter.data;
    random_source  dice;
    wide           low, high;
    if (scatter.rows > ROWS_MOST || scatter.slots > SLOTS_MOST
        || array_cells(o) + array_cells(a) > (wide)CELLS_MOST) return 0;
    array_span(o, &low, &high);
    if (!affordable(o, low, high)) return 0;
    array_span(a, &low, &high);
    if (!affordable(a, low, high)) return 0;
    array_span(&scatter.indices, &low, &high);
    if (!affordable(&scatter.indices, low, high)) return 0;
    take_memory(in, &scatter.indices);
    fill_indices(in, g, 0, scatter.rows);
    dice = take_dice(in);
    take_memory(in, a);
    array_noise(a, &dice);
    take_memory(in, o);
    array_twin(&scatter.want, o);
    scatter.exact = oracle_gather_report(g, 0, scatter.rows);
    if (scatter.exact.op) scatter.exact.op = NDG_OP_SCATTER_ND;
    return 1;
}

/* What slots first ... last-1 of out become. */
static void want_slots(ptrdiff_t first, ptrdiff_t last)
{
    array_fresh(&scatter.want);
    oracle_scatter_write(&scatter.g, &scatter.want, &scatter.data, first, last,
                         scatter.d.gaps == NDG_GAPS_ZERO);
}

/* Under ASSUME_VALID a bad row is dropped, and nothing is said. After an error
 * any of the rows that go to a slot may be there. */
static void see_scatter(int got, const ndg_report *r)
{
    static const ndg_report none = NDG_ZERO_INIT;
    const int valid = scatter.d.policy == NDG_ASSUME_VALID;
    same_report(got, r, valid ? &none : &scatter.exact, 0);
    same_bytes(&scatter.out, &scatter.want, got ? SOME : ALL);
}

static int run_slots(ptrdiff_t first, ptrdiff_t last, ndg_report *r)
{
    return engines[turn]->scatter_run_range(&scatter.plan[turn],
        scatter.out.base, scatter.out.high, scatter.data.base,
        scatter.indices.base, first, last, r);
}

static void run_scatter_whole(void)
{
    const engine *e = engines[turn];
    ndg_report    r = report_stale();
    int           got;
    array_fresh(&scatter.out);
    got = e->scatter_run(&scatter.plan[turn], scatter.out.base,
                         scatter.out.high, scatter.data.base,
                         scatter.indices.base, &r);
    see_scatter(got, &r);
    if (r.bad.count) say(e, &r, &scatter.d.indices);
    array_fresh(&scatter.out);
    r = report_stale();
    got = e->scatter_nd(scatter.out.base, scatter.out.high, scatter.data.base,
                        scatter.indices.base, &scatter.d, &r);
    see_scatter(got, &r);
}

/* One range alone writes its slots, and no others. */
static void run_scatter_range(ptrdiff_t first, ptrdiff_t last)
{
    ndg_report r = report_stale();
    array_fresh(&scatter.out);
    want_slots(first, last);
    if (run_slots(first, last, &r) == NDG_OK)
        same_bytes(&scatter.out, &scatter.want, ALL);
}

static void refuse_scatter(choices *in)
{
    const engine           *e = engines[turn];
    const ndg_scatter_plan *plan = &scatter.plan[turn];
    const int    arg = below(in, 2) ? NDG_ARG_INDICES : NDG_ARG_DATA;
    const array *a = arg == NDG_ARG_INDICES ? &scatter.indices : &scatter.data;
    const ptrdiff_t need = scatter.out.high, far = scatter.slots + 1;
    const void     *x = scatter.indices.base, *y = scatter.data.base;
    ndg_report      r = report_stale();
    overlap         both;
    int             got;
    array_fresh(&scatter.out);
    if (need)
        refused(e->scatter_run(plan, scatter.out.base, need - 1, y, x, &r), &r,
                NDG_E_CAPACITY, NDG_ARG_OUT);
    if (need)
        EXPECT(r.value == need - 1 && r.bound == need, "%s", report_text(&r));
    if (need)
        refused(e->scatter_run(plan, NULL, need, y, x, &r), &r, NDG_E_NULL,
                NDG_ARG_OUT);
    refused(run_slots(far, far, &r), &r, NDG_E_RANGE, NDG_ARG_FIRST);
    refused(run_slots(0, far, &r), &r, NDG_E_RANGE, NDG_ARG_LAST);
    untouched(&scatter.out);
    if (!take_overlap(in, a, &scatter.out, &both)) return;
    *(arg == NDG_ARG_INDICES ? &x : &y) = both.in;
    got = e->scatter_fits(plan, both.out, need, y, x, 0, scatter.slots, &r);
    if (both.shared && scatter.d.overlap == NDG_OVERLAP_CHECK)
        refused(got, &r, NDG_E_OVERLAP, arg);
    else
        EXPECT(got == NDG_OK, "%ld shared: %s", (long)both.shared,
               report_text(&r));
    free(both.block);
}

static void check_scatter(void)
{
    ndg_report r = report_stale(), w = scatter.exact;
    int        got;
    oracle_judge(&w, w.op, NDG_ARG_INDICES, w.status != NDG_OK
                 || scatter.d.policy == NDG_ASSUME_VALID);
    got = engines[turn]->scatter_check(&scatter.plan[turn],
        scatter.indices.base, 0, scatter.rows, &r);
    same_report(got, &r, &w, 1);
}

static void run_scatter(choices *in)
{
    ranges     cuts;
    ndg_report sum;
    choices    rest;
    int        k;
    take_ranges(in, 0, scatter.slots, &cuts);
    k = below(in, cuts.n);
    if (!scatter.slots) cuts.n = 1;             /* each would report */
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        check_scatter();
        refuse_scatter(in);
        want_slots(0, scatter.slots);
        run_scatter_whole();
        array_fresh(&scatter.out);
        sum = run_ranges(&cuts, !scatter.slots, run_slots);
        see_scatter(sum.status, &sum);
        run_scatter_range(cuts.cut[k], cuts.cut[k + 1]);
    }
}

HELPER void try_scatter(choices *in)
{
    ndg_report r;
    take_scatter(in);
    foretell_scatter();
    tell(print_scatter);
    if (plan_by_all(&scatter.v, plan_scatter, &scatter.d.indices, &r)) return;
    if (take_scatter_memory(in)) run_scatter(in);
    array_free(&scatter.out);
    array_free(&scatter.indices);
    array_free(&scatter.data);
    array_free(&scatter.want);
}

#endif
