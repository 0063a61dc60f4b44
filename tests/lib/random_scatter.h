/* random_scatter.h - scatter_nd: a gather_nd with out for params and data for
 * out. Plans, runs, ranges of slots, and what is refused. */
#ifndef NDG_TEST_RANDOM_SCATTER_H
#define NDG_TEST_RANDOM_SCATTER_H

#include "random_gather.h"

#define SLOTS_MOST 300

/* Of ga it takes params for out, and out for data. */
static struct {
    ndg_scatter_desc d;
    ndg_scatter_plan plan[ENGINES];
    ptrdiff_t        slots;
} sc;

static void print_scatter(void)
{
    printf("    scatter: gaps %d, slots %ld, of a gather from out:\n",
           sc.d.gaps, (long)sc.slots);
    print_gather();
}

static void spoil_scatter(choices *in)
{
    switch (below(in, 64)) {
    case 1: ga.d.policy = take_wrong(in); break;
    case 2: sc.d.gaps = take_wrong(in); break;
    case 3: ga.d.negative = take_wrong(in); break;
    case 4: sc.d.features = (unsigned)take_wrong(in); break;
    case 5: ga.g.batch_dims = (int8_t)take(in); break;
    case 6: spoil_dims(in, &ga.params); break;
    case 7: spoil_dims(in, &ga.indices); break;
    case 8: spoil_dims(in, &ga.got_out); break;
    case 9: ga.got_out.rank = below(in, 5); break;
    case 10: ga.params.rank = below(in, 3); break;
    case 11: ga.indices.rank = below(in, 3); break;
    case 12: ga.d.index_type = take_wrong(in); break;
    case 13: ga.d.overlap = take_wrong(in); break;
    case 14: sc.d.gaps = NDG_GAPS_ERROR; break;
    case 15: ga.d.policy = below(in, 8); break;
    default: break;
    }
}

static void take_scatter(choices *in)
{
    const int        flags = take(in), more = take(in), options = take(in);
    ndg_gather_desc *d = &ga.d;
    take_gather_desc(in, NDG_OP_GATHER_ND, more, options, flags >= 208, 1);
    ga.op = NDG_OP_SCATTER_ND;
    memset(&sc, 0, sizeof sc);
    d->policy = row_policies[flags & 3];
    sc.d.gaps = flags & 8 ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    spoil_scatter(in);
    finish_gather();
    sc.d.out = d->params;
    sc.d.indices = d->indices;
    sc.d.data = d->out;
    sc.d.elem_size = d->elem_size;
    sc.d.index_type = d->index_type;
    sc.d.batch_dims = d->batch_dims;
    sc.d.policy = d->policy;
    sc.d.negative = d->negative;
    sc.d.overlap = d->overlap;
    sc.d.index_mask = d->index_mask;
    sc.d.index_add = d->index_add;
}

static void foretell_scatter(void)
{
    const ndg_scatter_desc *d = &sc.d;
    verdict                *v = &ga.v;
    array                   o = *&ga.params;
    option_flaws(d->elem_size, d->index_type, d->policy, 0, d->overlap,
                 d->features, v);
    flaw_if(v, d->negative < 0 || d->negative > 1, NDG_E_OPTION);
    flaw_if(v, d->gaps != NDG_GAPS_ZERO && d->gaps != NDG_GAPS_KEEP,
            NDG_E_OPTION);
    gather_shape_flaws(0, v);
    if (ga.fits || (v->must && v->may >> NDG_E_SHAPE & 1)) return;
    flaw_if(v, o.strided && array_cells(&o) > 0 && !array_nests(&o),
            NDG_E_STRIDE);
    if (o.strided && array_cells(&o) == 0) maybe(v, NDG_E_STRIDE);
    o.rank = ga.g.b + oracle_depth(&ga.g);
    flaw_if(v, array_cells(&o) > LARGEST, NDG_E_OVERFLOW);
    sc.slots = v->must ? 0 : (ptrdiff_t)array_cells(&o);
}

static int plan_scatter(ndg_report *r)
{
    ndg_scatter_plan *plan = &sc.plan[turn];
    ndg_report        again;
    int               got;
    memset(plan, 0x5A, sizeof *plan);
    got = engines[turn]->plan_scatter_nd(plan, &sc.d, r);
    if (got == NDG_OK)
        EXPECT(plan->slots == sc.slots && plan->by.rows == ga.rows
               && (wide)plan->out_bytes == array_end(&ga.params),
               "%ld slots, %ld rows", (long)plan->slots, (long)plan->by.rows);
    else
        EXPECT(r->op == NDG_OP_SCATTER_ND && all_zero(plan, sizeof *plan)
               && engines[turn]->scatter_run(plan, NULL, 0, NULL, NULL, &again)
                  == NDG_E_NULL, "a refused plan: %s", report_text(r));
    if (got && got == ga.fits) see_misfit(r);
    return got;
}

static int take_scatter_memory(choices *in)
{
    random_source dice = take_dice(in);
    ga.last = ga.rows;
    if (ga.rows > ROWS_MOST || sc.slots > SLOTS_MOST
        || array_cells(&ga.params) + array_cells(&ga.out) > (wide)CELLS_MOST
        || !take_gather_memory(in) || !ga.whole) return 0;
    if (ga.out.high > ga.out.low) array_noise(&ga.out, &dice);
    ga.want = take_twin(&ga.params);
    return 1;
}

/* What slots first ... last-1 of out become. */
static void want_slots(ptrdiff_t first, ptrdiff_t last, int gaps)
{
    array_fresh(&ga.want);
    oracle_scatter_write(&ga.g, &ga.want, &ga.out, first, last,
                         gaps == NDG_GAPS_ZERO);
}

/* The bytes that out must have for them: with gaps all of them are written, and
 * no byte is FRESH. */
static ptrdiff_t need_of_slots(ptrdiff_t first, ptrdiff_t last)
{
    ptrdiff_t n = ga.params.high;
    want_slots(first, last, NDG_GAPS_ZERO);
    while (n > 0 && ga.want.base[n - 1] == FRESH) n--;
    return n;
}

/* Under ASSUME_VALID a bad row is dropped, and nothing is said. After an error
 * any of the rows that go to a slot may be there. */
static void see_scatter(int got, const ndg_report *r)
{
    static const ndg_report none = NDG_ZERO_INIT;
    same_report(got, r, sc.d.policy == NDG_ASSUME_VALID ? &none
                                                           : &ga.exact, 0);
    same_bytes(&ga.params, &ga.want, got ? SOME : ALL);
}

static int run_slots(void *out, ptrdiff_t room, ptrdiff_t first,
                     ptrdiff_t last, ndg_report *r)
{
    return engines[turn]->scatter_run_range(&sc.plan[turn], out, room,
        ga.out.base, ga.indices.base, first, last, r);
}

/* A call that plans, too, refuses the same. */
static void refuse_scatter_at_once(void)
{
    const engine    *e = engines[turn];
    void            *out = ga.params.base;
    const void      *d = ga.out.base, *x = ga.indices.base;
    const ptrdiff_t  need = ga.params.high;
    ndg_report       r = report_stale();
    if (need < 1) return;
    array_fresh(&ga.params);
    refused(e->scatter_nd(out, need - 1, d, x, &sc.d, &r), &r, NDG_E_CAPACITY,
            NDG_ARG_OUT);
    refused(e->scatter_nd(NULL, need, d, x, &sc.d, &r), &r, NDG_E_NULL,
            NDG_ARG_OUT);
    if (ga.rows > 0 && ga.out.high > ga.out.low)
        refused(e->scatter_nd(out, need, NULL, x, &sc.d, &r), &r, NDG_E_NULL,
                NDG_ARG_DATA);
    if (ga.rows > 0 && oracle_depth(&ga.g))
        refused(e->scatter_nd(out, need, d, NULL, &sc.d, &r), &r, NDG_E_NULL,
                NDG_ARG_INDICES);
    untouched(&ga.params);
}

static void run_scatter_whole(void)
{
    const engine *e = engines[turn];
    void         *out = ga.params.base;
    const void   *x = ga.indices.base;
    ndg_report    r = report_stale();
    int           got;
    array_fresh(&ga.params);
    got = e->scatter_run(&sc.plan[turn], out, ga.params.high, ga.out.base,
                         x, &r);
    see_scatter(got, &r);
    if (r.bad.count) say(e, &r, &sc.d.indices);
    array_fresh(&ga.params);
    r = report_stale();
    got = e->scatter_nd(out, ga.params.high, ga.out.base, x, &sc.d, &r);
    see_scatter(got, &r);
    r = report_stale();
    got = e->scatter_check(&sc.plan[turn], x, 0, ga.rows, &r);
    see_check(got, &r);
}

/* One range alone writes its slots, and no others; it needs no more bytes. */
static void run_scatter_range(ptrdiff_t first, ptrdiff_t last)
{
    const ptrdiff_t need = need_of_slots(first, last);
    ndg_report      r = report_stale();
    array_fresh(&ga.params);
    if (need) {
        refused(run_slots(ga.params.base, need - 1, first, last, &r), &r,
                NDG_E_CAPACITY, NDG_ARG_OUT);
        EXPECT(r.bound == need, "%ld: %s", (long)need, report_text(&r));
    }
    want_slots(first, last, sc.d.gaps);
    if (run_slots(ga.params.base, need, first, last, &r) == NDG_OK)
        same_bytes(&ga.params, &ga.want, ALL);
}

static int scatter_fits(void *out, const void *p, const void *x, int run,
                        ndg_report *r)
{
    const engine *e = engines[turn];
    if (run == 2)
        return e->scatter_nd(out, ga.params.high, p, x, &sc.d, r);
    return (run ? e->scatter_run_range(&sc.plan[turn], out, ga.params.high, p,
                      x, 0, sc.slots, r) : e->scatter_fits(&sc.plan[turn], out,
                      ga.params.high, p, x, 0, sc.slots, r));
}

static void run_scatter(choices *in)
{
    const ptrdiff_t far = take_far(in, sc.slots);
    ranges          cuts;
    ndg_report      sum;
    choices         rest;
    int             k;
    take_ranges(in, 0, sc.slots, &cuts);
    k = below(in, cuts.n);
    if (!sc.slots) cuts.n = 1;                     /* each would report */
    rest = *in;
    for (turn = 0; turn < ENGINES; turn++) {
        *in = rest;
        refuse_runs(&ga.params, run_slots, ga.op, 0, sc.slots, far);
        if (sc.slots > 0) refuse_scatter_at_once();
        overlap_gather(in, &ga.out, NDG_ARG_DATA, &ga.params, scatter_fits);
        want_slots(0, sc.slots, sc.d.gaps);
        run_scatter_whole();
        sum = run_ranges(&ga.params, &cuts, !sc.slots, run_slots);
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
    if (plan_by_all(&ga.v, plan_scatter, &sc.d.indices, &r)) return;
    if (take_scatter_memory(in)) run_scatter(in);
}

#endif
