/* test_cuda_device.cu - ndgather_cuda.cuh on a GPU against the CPU library.
 *
 *     test_cuda_device device              names the card; status 3: none
 *     test_cuda_device cases               every case of tests/cases
 *     test_cuda_device random SECONDS SEED
 *     test_cuda_device offsets             alignments 0 ... 15
 *     test_cuda_device paths               the rarer kernels, each by name
 *     test_cuda_device graphs              captured once, run often
 *     test_cuda_device stale               errors that are not ours
 *     test_cuda_device huge                more than 2^31 rows, 2^32 bytes
 *     test_cuda_device sanitize SECONDS SEED   for compute-sanitizer
 *
 * Bytes and reports must be the library's, and every byte around them must stay
 * as it was. Says N checks, N failed.
 *
 * tests/cuda/test_cuda_device.sh builds and runs it all. It also runs without
 * a GPU: c++ -x c++ -include tests/cuda/emul/cuda_emul.h; `huge` is small. */
#include "cuda_compare.h"
#include <chrono>

static int done(void)
{
    printf("%ld checks, %ld failed\n", test_passed + test_failed, test_failed);
    return test_end("test_cuda_device");
}

/* After an error that the device does not recover from, nothing else counts. */
static void must(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    CHECKF(0, "%s: %s: %s", context, what, cudaGetErrorString(e));
    exit(done());
}
#define MUST(call) must(call, #call)

/* Faults that the emulator saw. */
static void no_faults(void)
{
#if defined(CUDA_EMUL_H)
    CHECKF(!emu->failed, "%s: emulator: %s", context, emu->why);
    emu_forgive();
#endif
}

static double seconds(void)
{
    return std::chrono::duration<double>(
        std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* ---- device memory -------------------------------------------------------*/
/* All arrays of a test lie in one image with margins between them, which goes
 * up, is worked on, and comes back to be compared whole. For the sanitizer each
 * array is an allocation of its own, exact at its end. */
enum { IMAGE = 16 << 20, PIECES = 4000, MARGIN = 48 };

typedef struct piece {
    size_t         at, n;
    unsigned char *block;        /* of its own, or NULL */
    unsigned char *device;
    int            kept;         /* must come back as in `want` */
} piece;

static unsigned char *sent, *want, *came, *image;
static size_t         used;
static piece          pieces[PIECES];
static int            n_pieces;
static bool           apart;
static int            fixed_skew[3] = { -1, -1, -1 };

static void image_open(void)
{
    sent = (unsigned char *)malloc(IMAGE);
    want = (unsigned char *)malloc(IMAGE);
    came = (unsigned char *)malloc(IMAGE);
    if (!sent || !want || !came) exit(2);
    if (!apart) MUST(cudaMalloc((void **)&image, IMAGE));
}

static void image_clear(void)
{
    int i;
    for (i = 0; i < n_pieces; i++)
        if (pieces[i].block) MUST(cudaFree(pieces[i].block));
    n_pieces = 0;
    used = 0;
}

/* How far off alignment: random, or what the test wants for its role. */
enum { OUT, SOURCE, INDEX };
static size_t skew_of(int role)
{
    if (always_off < 0 && fixed_skew[role] >= 0)
        return (size_t)fixed_skew[role];
    return some_offset();
}

/* n bytes, `skew` off alignment, with these contents or FRESH. */
static piece *take(const void *from, size_t n, size_t skew)
{
    piece *p = &pieces[n_pieces++];
    size_t next;
    if (n_pieces == PIECES) { printf("%s: many pieces\n", context); exit(2); }
    p->at = (used + MARGIN + 15) / 16 * 16 + skew;
    p->n = n;
    p->kept = 1;
    p->block = 0;
    next = p->at + n + MARGIN;
    if (next > IMAGE) { printf("%s: large image\n", context); exit(2); }
    memset(sent + used, FRESH, next - used);
    if (n && from) memcpy(sent + p->at, from, n);
    used = next;
    if (apart) {
        MUST(cudaMalloc((void **)&p->block, n + skew + !(n + skew)));
        p->device = p->block + skew;
    } else {
        p->device = image + p->at;
    }
    return p;
}

/* Memory whose contents are nobody's business, before and after. */
static piece *take_scratch(size_t n)
{
    piece *p = take(0, n, 0);
    random_fill(&rnd, sent + p->at, (ptrdiff_t)(n < 4096 ? n : 4096));
    p->kept = 0;
    return p;
}

static unsigned char *wanted(const piece *p) { return want + p->at; }

/* Where the first element of an array is, of which a piece is the block. */
static unsigned char *first_of(const array *a, unsigned char *block)
{
    return a->base ? block + (a->base - a->block) : 0;
}

static piece *take_array(const array *a, int role)
{
    return take(a->block, (size_t)a->block_bytes, skew_of(role));
}

/* Scratch that is an allocation of its own is never written from here. */
static void image_send(void)
{
    int i;
    memcpy(want, sent, used);
    if (!apart) MUST(cudaMemcpy(image, sent, used, cudaMemcpyHostToDevice));
    for (i = 0; apart && i < n_pieces; i++)
        if (pieces[i].n && pieces[i].kept)
            MUST(cudaMemcpy(pieces[i].device, sent + pieces[i].at, pieces[i].n,
                            cudaMemcpyHostToDevice));
}

static bool image_right(void)
{
    int i;
    MUST(cudaDeviceSynchronize());
    if (apart) memcpy(came, want, used);
    else MUST(cudaMemcpy(came, image, used, cudaMemcpyDeviceToHost));
    for (i = 0; i < n_pieces; i++) {
        const piece *p = &pieces[i];
        if (p->n && apart && p->kept)
            MUST(cudaMemcpy(came + p->at, p->device, p->n,
                            cudaMemcpyDeviceToHost));
        if (p->n && !p->kept) memcpy(came + p->at, want + p->at, p->n);
    }
    return !memcmp(came, want, used);
}

/* Memory of its own, n bytes `offset` off alignment. */
struct buffer {
    unsigned char *block, *p;
    size_t         n;
    buffer(const void *from, size_t bytes, size_t offset = 0)
        : block(0), n(bytes)
    {
        MUST(cudaMalloc((void **)&block, n + offset + !(n + offset)));
        p = block + offset;
        if (n && from) MUST(cudaMemcpy(p, from, n, cudaMemcpyHostToDevice));
    }
    ~buffer() { MUST(cudaFree(block)); }
    void set(int byte) { if (n) MUST(cudaMemset(p, byte, n)); }
    bool holds(const void *what) const
    {
        unsigned char *have = (unsigned char *)some_bytes((ptrdiff_t)n);
        if (n) MUST(cudaMemcpy(have, p, n, cudaMemcpyDeviceToHost));
        const bool same = !n || !memcmp(have, what, n);
        free(have);
        return same;
    }
private:
    buffer(const buffer &);
    buffer &operator=(const buffer &);
};
typedef array_in<buffer> device_array;

/* How many blocks a launch may have and, on the emulator, who goes first. */
static void new_seed(uint64_t seed)
{
    static const long blocks[4] = { 16384, 1, 2, 5 };
    test_blocks = blocks[seed % 4];
#if defined(CUDA_EMUL_H)
    emu_seed(seed * 2654435761u + 1);
#endif
}

/* ---- gather --------------------------------------------------------------*/
/* What the CPU writes to `out` and says, by the policy a device has. */
static ndg_report gather_on_cpu(ndg_gather_plan cpu, unsigned char *out,
                                const void *params, const void *indices,
                                ptrdiff_t first, ptrdiff_t last)
{
    ndg_report said, r;
    if (cpu.policy == NDG_DEFAULT) cpu.policy = NDG_ZERO;
    ndg_gather_check(&cpu, indices, first, last, &said);
    if (cpu.policy == NDG_ERROR || (cpu.policy <= NDG_WRAP
        && cpu.policy >= NDG_CLIP && has_empty_extent(&cpu)))
        cpu.policy = NDG_KEEP;
    ndg_gather_run_range(&cpu, out, cpu.out_bytes, params, indices, first,
                         last, &r);
    SEE(!r.status);
    return said;
}

static void gather_range(const ndg_gather_plan *plan, const array *params,
                         const array *indices, const array *out,
                         ptrdiff_t first, ptrdiff_t last)
{
    const ndg_cuda_report zero = { 0, 0 };
    ndg_report  said, got = report_stale(), r;
    piece      *p, *x, *o, *bad;
    ptrdiff_t   need;
    image_clear();
    p = take_array(params, SOURCE);
    x = take_array(indices, INDEX);
    o = take(0, (size_t)out->block_bytes, skew_of(OUT));
    bad = take(&zero, sizeof zero, 0);
    image_send();
    bad->kept = 0;
    said = gather_on_cpu(*plan, first_of(out, wanted(o)), params->base,
                         indices->base, first, last);
    ndg_gather_run_range(plan, first_of(out, wanted(o)), -1, params->base,
                         indices->base, first, last, &r);
    need = r.status == NDG_E_CAPACITY ? (ptrdiff_t)r.bound : 0;
    {
        ndg_cuda_report *const report = (ndg_cuda_report *)bad->device;
        unsigned char *const   to = first_of(out, o->device);
        unsigned char *const   from = first_of(params, p->device);
        unsigned char *const   ids = first_of(indices, x->device);
        SEE(ndg_cuda_gather_run_range(plan, to, need, from, ids, first, last, 0,
                                      report, 0) == cudaSuccess);
        MUST(ndg_cuda_gather_report_read(plan, ids, report, &got, 0));
        SEE_REPORTS(&got, &said);
        SEE(image_right());
        if (need && plan->run_bytes)
            SEE(ndg_cuda_gather_run_range(plan, to, need - 1, from, ids, first,
                                          last, 0, 0, 0)
                == cudaErrorInvalidValue);
        /* once more, on top: counts add up, and the first stays */
        SEE(ndg_cuda_gather_check(plan, ids, first, last, 0, report, 0)
            == cudaSuccess);
        MUST(ndg_cuda_gather_report_read(plan, ids, report, &got, 0));
        said.bad.count *= 2;
        SEE_REPORTS(&got, &said);
    }
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
}

/* ---- stitch --------------------------------------------------------------*/
/* What the CPU writes and says: DEFAULT is DROP on a device; under ERROR the
 * device writes the good rows and counts to the end. */
static ndg_report stitch_on_cpu(ndg_stitch_plan cpu, unsigned char *out,
                                ptrdiff_t bytes, ptrdiff_t total,
                                const ndg_list *lists, int n)
{
    const ptrdiff_t bits = ndg_stitch_scratch_bytes(&cpu, total);
    void           *marks = malloc((size_t)bits + 1);
    ndg_report      said, r;
    if (cpu.policy == NDG_DEFAULT) cpu.policy = NDG_DROP;
    ndg_stitch_run(&cpu, out, bytes, total, lists, n, marks, bits, &said);
    if (cpu.policy == NDG_ERROR) {
        cpu.policy = NDG_DROP;
        ndg_stitch_run(&cpu, out, bytes, total, lists, n, marks, bits, &r);
        said.bad.count = r.bad.count;
        said.rows = r.rows;
    }
    free(marks);
    return said;
}

static void stitch_same(stitch_test *t)
{
    ndg_stitch_plan        drop = t->plan;
    ndg_cuda_stitch_report zero;
    ndg_report      said, got = report_stale();
    ndg_list        list[LISTS];
    ptrdiff_t       total = -5, have = -7;
    const ptrdiff_t bytes = ndg_stitch_out_bytes(&t->plan, t->total);
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&t->plan, t->total,
                                                         t->n, t->entries);
    piece          *lists, *size, *bad, *scratch, *o;
    int             i;
    memset(&zero, 0, sizeof zero);
    image_clear();
    for (i = 0; i < t->n; i++) {
        const piece *x = take_array(&t->indices[i], INDEX);
        const piece *d = take_array(&t->data[i], SOURCE);
        list[i] = t->list[i];
        list[i].indices = first_of(&t->indices[i], x->device);
        list[i].data = first_of(&t->data[i], d->device);
    }
    lists = take(list, (size_t)t->n * sizeof *list, 0);
    scratch = take_scratch((size_t)need);
    size = take_scratch(8);
    bad = take(&zero, sizeof zero, 0);
    o = take(0, (size_t)t->out.block_bytes, skew_of(OUT));
    image_send();
    bad->kept = 0;
    said = stitch_on_cpu(t->plan, first_of(&t->out, wanted(o)), bytes, t->total,
                         t->list, t->n);
    {
        const ndg_list *const d_lists = (const ndg_list *)lists->device;
        unsigned char *const  to = first_of(&t->out, o->device);
        ndg_cuda_stitch_report *const report =
            (ndg_cuda_stitch_report *)bad->device;
        SEE(ndg_cuda_stitch_run(&t->plan, to, bytes, t->total, 0, d_lists, t->n,
                                t->entries, scratch->device, need, report, 0)
            == cudaSuccess);
        MUST(ndg_cuda_stitch_report_read(&t->plan, t->total, d_lists, t->n,
                                         report, &got, 0));
        SEE_REPORTS(&got, &said);
        SEE(image_right());
        if (t->total > 0 && bytes)
            SEE(ndg_cuda_stitch_run(&t->plan, to, bytes - 1, t->total, 0,
                                    d_lists,
                                    t->n, t->entries, scratch->device, need,
                                    report, 0) == cudaErrorInvalidValue);
        /* the size, found on the device */
        drop.policy = NDG_DROP;
        if (ndg_stitch_total(&drop, t->list, t->n, &total, &said) == NDG_OK) {
            MUST(cudaMemset(report, 0, sizeof zero));
            SEE(ndg_cuda_stitch_total(&t->plan, d_lists, t->n, t->entries,
                                      (ptrdiff_t *)size->device,
                                      scratch->device, need, report, 0)
                == cudaSuccess);
            MUST(cudaMemcpy(&have, size->device, sizeof have,
                            cudaMemcpyDeviceToHost));
            SEE(have == total);
            MUST(ndg_cuda_stitch_report_read(&drop, PTRDIFF_MAX, d_lists, t->n,
                                             report, &got, 0));
            SEE_REPORTS(&got, &said);
        }
    }
    no_faults();
}

/* ---- partition -----------------------------------------------------------*/
static void *fresh_bytes(ptrdiff_t n)
{
    void *p = malloc((size_t)n + 1);
    if (!p) exit(2);
    return memset(p, FRESH, (size_t)n + 1);
}

/* Every part in memory of the right size or, if tight, one row too small, so
 * that its last row is left out. */
static void partition_packed(partition_test *t, bool with_positions);

static void partition_same(partition_test *t, bool with_positions, int tight)
{
    const ndg_partition_plan *p = &t->plan;
    ndg_partition_plan    cpu = t->plan;
    const int             parts = (int)p->num_partitions;
    const size_t          word = (size_t)index_bytes(p->position_type);
    const ndg_cuda_report zero = { 0, 0 };
    const ptrdiff_t       need = ndg_cuda_partition_scratch_bytes(p, t->rows);
    ndg_report   said, got = report_stale(), r;
    ptrdiff_t    counts[PARTS], limits[PARTS], cursors[PARTS];
    void        *outs[PARTS], *positions[PARTS];
    void        *d_outs[PARTS], *d_positions[PARTS];
    piece       *data, *ids, *bad, *scratch, *counted, *seen, *held;
    piece       *outs_at, *positions_at, *o[PARTS], *w[PARTS];
    int          k;
    cpu.policy = NDG_DROP;
    ndg_partition_count(&cpu, t->ids.base, 0, t->rows, counts, &said);
    image_clear();
    data = take_array(&t->data, SOURCE);
    ids = take_array(&t->ids, INDEX);
    for (k = 0; k < parts; k++) {
        limits[k] = tight && counts[k] ? counts[k] - 1 : counts[k];
        o[k] = take(0, (size_t)ndg_partition_out_bytes(p, limits[k]),
                    skew_of(OUT));
        w[k] = take(0, (size_t)limits[k] * word, skew_of(OUT));
        d_outs[k] = o[k]->device;
        d_positions[k] = w[k]->device;
    }
    outs_at = take(d_outs, (size_t)parts * sizeof(void *), 0);
    positions_at = take(d_positions, (size_t)parts * sizeof(void *), 0);
    held = take(limits, (size_t)parts * 8, 0);
    scratch = take_scratch((size_t)need);
    counted = take_scratch((size_t)parts * 8);
    seen = take_scratch((size_t)parts * 8);
    bad = take(&zero, sizeof zero, 0);
    image_send();
    bad->kept = 0;
    counted->kept = seen->kept = 1;
    memcpy(wanted(counted), counts, counted->n);
    memcpy(wanted(seen), counts, seen->n);
    for (k = 0; k < parts; k++) {
        outs[k] = fresh_bytes(ndg_partition_out_bytes(p, counts[k]));
        positions[k] = fresh_bytes(counts[k] * (ptrdiff_t)word);
    }
    ndg_partition_run(&cpu, outs, with_positions ? positions : 0, t->data.base,
                      t->ids.base, t->rows, counts, cursors, &r);
    SEE(!r.status);
    for (k = 0; k < parts; k++) {
        memcpy(wanted(o[k]), outs[k], o[k]->n);
        memcpy(wanted(w[k]), positions[k], w[k]->n);
        free(outs[k]);
        free(positions[k]);
    }
    {
        void *const *const     to = (void *const *)outs_at->device;
        void *const *const     at = with_positions
                                  ? (void *const *)positions_at->device : 0;
        unsigned char *const   from = first_of(&t->data, data->device);
        unsigned char *const   by = first_of(&t->ids, ids->device);
        const ptrdiff_t *const room = (const ptrdiff_t *)held->device;
        ptrdiff_t *const       rows = (ptrdiff_t *)seen->device;
        ndg_cuda_report *const report = (ndg_cuda_report *)bad->device;
        SEE(ndg_cuda_partition_count(p, by, 0, t->rows, 0,
                                     (ptrdiff_t *)counted->device, 0, 0)
            == cudaSuccess);
        SEE(ndg_cuda_partition_run(p, to, at, from, by, t->rows, 0, room, rows,
                                   scratch->device, need, report, 0)
            == cudaSuccess);
        MUST(ndg_cuda_partition_report_read(p, by, report, &got, 0));
        SEE(image_right());
        /* the CPU's count says E_INDEX for DEFAULT too, and all under VALID */
        if (p->policy == NDG_ASSUME_VALID) memset(&said, 0, sizeof said);
        if (p->policy == NDG_ERROR && said.bad.count) {
            cpu.policy = NDG_ERROR;
            ndg_partition_count(&cpu, t->ids.base, 0, t->rows, counts, &said);
        }
        SEE_REPORTS(&got, &said);
        if (t->rows)
            SEE(ndg_cuda_partition_run(p, to, 0, from, by, t->rows, 0, room,
                                       rows,
                                       scratch->device, need - 1, report, 0)
                == cudaErrorInvalidValue);
    }
    no_faults();
    if (!tight) partition_packed(t, with_positions);
}

#include "cuda_paths.h"

static void run_cases(int step)
{
    run_file("tests/cases/tf.txt", 556, step, false);
    run_file("tests/cases/onnx.txt", 19, step, false);
}

/* ---- random cases --------------------------------------------------------*/
/* Rounds from a seed on, for so long and at least one; `most` of them. */
static void run_random(double limit, long seed, long most)
{
    const double end = seconds() + limit;
    long         i = 0;
    do {
        rnd.state = (uint64_t)(seed + i) * 7919;
        new_seed((uint64_t)(seed + i));
        sprintf(context, "seed %ld", seed + i);
        random_gather();
        sprintf(context, "seed %ld", seed + i);
        random_stitch();
        sprintf(context, "seed %ld", seed + i);
        random_partition();
    } while (++i < most && seconds() < end);
    printf("%ld rounds from seed %ld\n", i, seed);
}

/* ---- alignments ----------------------------------------------------------*/
enum { ROWS = 70 };          /* more than two warps, with a rest */

static void offset_gather(int bytes, int policy)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r;
    array           params, indices, out;
    const ptrdiff_t rows = ROWS, table = 19;
    d.elem_size = bytes;
    d.policy = policy;
    random_array(&params, 1, &table, bytes, LAYOUT_C, 0);
    random_array(&indices, 1, &rows, 4, LAYOUT_C, 0);
    random_indices(&indices, NDG_I32, table);
    d.params = array_ndg(&params);
    d.indices = array_ndg(&indices);
    gather_out(&out, &d, LAYOUT_C, ndg_gather_out_dims);
    SEE(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    gather_range(&plan, &params, &indices, &out, 0, rows);
    array_free(&params);
    array_free(&indices);
    array_free(&out);
}

static void offset_stitch(int bytes)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    stitch_test     t;
    ndg_report      r;
    const ptrdiff_t rows = ROWS / 2;
    memset(&t, 0, sizeof t);
    t.total = ROWS;
    t.entries = 2 * rows;
    d.elem_size = bytes;
    for (t.n = 0; t.n < 2; t.n++) {
        array *const x = &t.indices[t.n], *const v = &t.data[t.n];
        ndg_list     list = { 0, 0, 0, 0, 0 };
        random_array(x, 1, &rows, 4, LAYOUT_C, 0);
        random_indices(x, NDG_I32, t.total);
        random_array(v, 1, &rows, bytes, LAYOUT_C, 0);
        list.indices = x->base;
        list.data = v->base;
        list.count = rows;
        t.list[t.n] = list;
    }
    array_shape(&t.out, 1, &t.total, bytes, LAYOUT_C, 0);
    array_alloc(&t.out, 0, 0);
    SEE(ndg_plan_stitch(&t.plan, &d, &r) == NDG_OK);
    stitch_same(&t);
    stitch_free(&t);
}

static void offset_partition(int bytes)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    partition_test     t;
    ndg_report         r;
    const ptrdiff_t    rows = ROWS;
    memset(&t, 0, sizeof t);
    d.elem_size = bytes;
    d.num_partitions = 3;
    random_array(&t.ids, 1, &rows, 4, LAYOUT_C, 0);
    random_indices(&t.ids, NDG_I32, 3);
    random_array(&t.data, 1, &rows, bytes, LAYOUT_C, 0);
    d.data = array_ndg(&t.data);
    d.partitions = array_ndg(&t.ids);
    SEE(ndg_plan_partition(&t.plan, &d, &r) == NDG_OK);
    t.rows = rows;
    partition_same(&t, true, 0);
    array_free(&t.ids);
    array_free(&t.data);
}

/* All pairs of offsets of out and of the data read, with indices at each. */
static void run_offsets(int step)
{
    static const int sizes[] = { 1, 2, 3, 4, 8, 12, 16, 20, 32, 48, 64, 100,
                                 128, 256, 1040 };
    static const int policies[] = { NDG_DEFAULT, NDG_KEEP, NDG_CLIP, NDG_ERROR,
                                    NDG_FILL };
    int i, at = 0;
    for (i = 0; i < (int)(sizeof sizes / sizeof sizes[0]); i++) {
        for (at = i % step; at < 256; at += step) {
            const int policy = policies[(at + i) % (sizes[i] > 16 ? 4 : 5)];
            fixed_skew[OUT] = at / 16;
            fixed_skew[SOURCE] = at % 16;
            fixed_skew[INDEX] = (at / 16 * 3 + at) % 16;
            rnd.state = (uint64_t)(1000 * i + at);
            new_seed((uint64_t)at);
            sprintf(context, "offsets: %d bytes, out %d, source %d, indices %d",
                    sizes[i], fixed_skew[OUT], fixed_skew[SOURCE],
                    fixed_skew[INDEX]);
            offset_gather(sizes[i], policy);
            offset_stitch(sizes[i]);
            offset_partition(sizes[i]);
        }
    }
    for (i = 0; i < 3; i++) fixed_skew[i] = -1;
}

/* ---- graphs --------------------------------------------------------------*/
/* Every launcher in one graph, run again and again over new indices. A capture
 * in the global mode fails if anything in it waits or allocates. */
enum { N = 300, PARTS_OF_GRAPH = 5, TIMES = 5 };

static void graph_of(int bytes)
{
    ndg_gather_desc    gd = NDG_ZERO_INIT;
    ndg_stitch_desc    sd = NDG_ZERO_INIT;
    ndg_partition_desc pd = NDG_ZERO_INIT;
    ndg_gather_plan    g;
    ndg_stitch_plan    s;
    ndg_partition_plan p;
    ndg_report         r, said[3], got;
    const size_t       row = (size_t)bytes;
    ndg_cuda_stitch_report zeros[3];
    ndg_list           list[2], d_list[2];
    void              *outs[PARTS_OF_GRAPH], *d_outs[PARTS_OF_GRAPH];
    ptrdiff_t          room[PARTS_OF_GRAPH], counts[PARTS_OF_GRAPH], total;
    cudaStream_t       stream;
    cudaGraph_t        graph;
    cudaGraphExec_t    exec;
    piece *table, *ids, *out, *woven, *lists, *to[PARTS_OF_GRAPH], *outs_at;
    piece *held, *have, *counted, *size, *bad, *scratch, *more;
    ptrdiff_t          need, need_more;
    int                i, k;
    memset(zeros, 0, sizeof zeros);
    memset(list, 0, sizeof list);
    gd.params = ndg_dims1(N);
    gd.indices = ndg_dims1(N);
    gd.elem_size = sd.elem_size = pd.elem_size = bytes;
    pd.data = pd.partitions = ndg_dims1(N);
    pd.num_partitions = PARTS_OF_GRAPH;
    SEE(ndg_plan_gather(&g, &gd, &r) == NDG_OK);
    SEE(ndg_plan_stitch(&s, &sd, &r) == NDG_OK);
    SEE(ndg_plan_partition(&p, &pd, &r) == NDG_OK);
    need = ndg_cuda_stitch_scratch_bytes(&s, N, 2, N);
    need_more = ndg_cuda_partition_scratch_bytes(&p, N);
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    image_clear();
    table = take(0, N * row, 0);
    ids = take(0, N * 4, 0);
    out = take(0, N * row, 0);
    woven = take(0, N * row, 0);
    for (k = 0; k < PARTS_OF_GRAPH; k++) {
        to[k] = take(0, N * row, 0);
        d_outs[k] = to[k]->device;
        room[k] = N;
    }
    for (k = 0; k < 2; k++) {
        list[k].count = N / 2;
        d_list[k] = list[k];
        d_list[k].indices = ids->device + (1 - k) * (N / 2) * 4;
        d_list[k].data = table->device + (size_t)((1 - k) * (N / 2)) * row;
    }
    lists = take(d_list, sizeof d_list, 0);
    outs_at = take(d_outs, sizeof d_outs, 0);
    held = take(room, sizeof room, 0);
    have = take(0, sizeof counts, 0);
    counted = take(0, sizeof counts, 0);
    size = take(0, 8, 0);
    bad = take(zeros, sizeof zeros, 0);
    scratch = take_scratch((size_t)need);
    more = take_scratch((size_t)need_more);
    image_send();
    bad->kept = 0;
    {
        ndg_cuda_stitch_report *const b = (ndg_cuda_stitch_report *)bad->device;
        const ndg_list *const         in = (const ndg_list *)lists->device;
        MUST(cudaDeviceSynchronize());
        MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        SEE(!cudaMemsetAsync(b, 0, sizeof zeros, stream));
        SEE(!ndg_cuda_gather_run(&g, out->device, N * bytes, table->device,
                                 ids->device, &b[0].bad, stream));
        SEE(!ndg_cuda_gather_check(&g, ids->device, 0, N, 0, &b[0].bad,
                                   stream));
        SEE(!ndg_cuda_stitch_run(&s, woven->device, N * bytes, N, 0, in, 2, N,
                                 scratch->device, need, b + 1, stream));
        SEE(!ndg_cuda_stitch_total(&s, in, 2, N, (ptrdiff_t *)size->device,
                                   scratch->device, need, 0, stream));
        SEE(!ndg_cuda_partition_count(&p, ids->device, 0, N, 0,
                                      (ptrdiff_t *)counted->device, 0,
                                      stream));
        SEE(!ndg_cuda_partition_run(&p, (void *const *)outs_at->device, 0,
                                    table->device, ids->device, N, 0,
                                    (const ptrdiff_t *)held->device,
                                    (ptrdiff_t *)have->device, more->device,
                                    need_more, &b[2].bad, stream));
        MUST(cudaStreamEndCapture(stream, &graph));
        MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (i = 0; i < TIMES; i++) {
            sprintf(context, "graphs: %d bytes, time %d", bytes, i);
            /* half of the ids are good for the partition */
            random_fill(&rnd, sent + table->at, (ptrdiff_t)table->n);
            for (k = 0; k < N; k++) {
                const int v = random_below(&rnd, 20);
                index_put(sent + ids->at + 4 * k, NDG_I32,
                          v == 0 ? -1 : v == 1 ? N + k : v < 10
                          ? random_below(&rnd, PARTS_OF_GRAPH)
                          : random_below(&rnd, N));
            }
            image_send();
            MUST(cudaDeviceSynchronize());
            if (i % 2) MUST(cudaGraphLaunch(exec, stream));
            MUST(cudaGraphLaunch(exec, stream));
            MUST(cudaStreamSynchronize(stream));
            for (k = 0; k < 2; k++) {
                list[k].indices = wanted(ids) + (1 - k) * (N / 2) * 4;
                list[k].data = wanted(table)
                             + (size_t)((1 - k) * (N / 2)) * row;
            }
            for (k = 0; k < PARTS_OF_GRAPH; k++) outs[k] = wanted(to[k]);
            said[0] = gather_on_cpu(g, wanted(out), wanted(table), wanted(ids),
                                    0, N);
            said[1] = stitch_on_cpu(s, wanted(woven), N * bytes, N, list, 2);
            {
                ndg_partition_plan drop = p;
                ndg_stitch_plan    any = s;
                drop.policy = any.policy = NDG_DROP;
                ndg_partition_count(&drop, wanted(ids), 0, N, counts,
                                    &said[2]);
                memcpy(wanted(counted), counts, sizeof counts);
                ndg_partition_run(&drop, outs, 0, wanted(table), wanted(ids),
                                  N, room, counts, &r);
                memcpy(wanted(have), counts, sizeof counts);
                ndg_stitch_total(&any, list, 2, &total, &r);
                memcpy(wanted(size), &total, sizeof total);
            }
            SEE(image_right());
            said[0].bad.count *= 2;              /* run, and checked */
            MUST(ndg_cuda_gather_report_read(&g, ids->device, &b[0].bad, &got,
                                             stream));
            SEE_REPORTS(&got, &said[0]);
            MUST(ndg_cuda_stitch_report_read(&s, N, in, 2, b + 1, &got,
                                             stream));
            SEE_REPORTS(&got, &said[1]);
            MUST(ndg_cuda_partition_report_read(&p, ids->device, &b[2].bad,
                                                &got, stream));
            SEE_REPORTS(&got, &said[2]);
            no_faults();
        }
    }
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
}

static void run_graphs(void)
{
    static const int sizes[] = { 1, 4, 8, 16, 20, 64, 100, 256, 1040, 3000 };
    size_t           i;
    rnd.state = 77;
    new_seed(0);
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sprintf(context, "graphs: %d bytes", sizes[i]);
        graph_of(sizes[i]);
    }
}

/* ---- errors of the caller's ----------------------------------------------*/
/* What was pending stays pending and is nobody's result; a refusal adds none.
 * No rows is no work, whatever the pointers. */
static void run_stale(void)
{
    static const int32_t ids[6] = { 2, 0, -1, 1, 9, 2 };
    static const uint32_t rows[3] = { 10, 11, 12 };
    static const uint32_t good[6] = { 12, 10, 0, 11, 0, 12 };
    const ndg_cuda_report zero = { 0, 0 };
    ndg_gather_desc    gd = NDG_ZERO_INIT;
    ndg_partition_desc pd = NDG_ZERO_INIT;
    ndg_stitch_desc    sd = NDG_ZERO_INIT;
    ndg_gather_plan    g;
    ndg_partition_plan p;
    ndg_stitch_plan    s;
    ndg_report         r;
    cudaError_t        pending;
    piece             *x, *t, *o, *bad, *scratch;
    strcpy(context, "stale");
    new_seed(0);
    gd.params = ndg_dims1(3);
    gd.indices = ndg_dims1(6);
    pd.data = pd.partitions = ndg_dims1(6);
    gd.elem_size = pd.elem_size = sd.elem_size = 4;
    pd.num_partitions = 3;
    SEE(ndg_plan_gather(&g, &gd, &r) == NDG_OK);
    SEE(ndg_plan_partition(&p, &pd, &r) == NDG_OK);
    SEE(ndg_plan_stitch(&s, &sd, &r) == NDG_OK);
    image_clear();
    x = take(ids, sizeof ids, 0);
    t = take(rows, sizeof rows, 0);
    o = take(0, sizeof good, 0);
    bad = take(&zero, sizeof zero, 0);
    scratch = take_scratch(100000);
    image_send();
    bad->kept = 0;
    memcpy(wanted(o), good, sizeof good);
    (void)cudaGetLastError();
    (void)cudaSetDevice(-1);
    pending = cudaPeekAtLastError();
    SEE(pending != cudaSuccess);
    {
        ndg_cuda_report *const report = (ndg_cuda_report *)bad->device;
        ptrdiff_t *const       words = (ptrdiff_t *)scratch->device;
        /* launches */
        SEE(!ndg_cuda_gather_run(&g, o->device, 24, t->device, x->device,
                                 report, 0));
        SEE(!ndg_cuda_gather_check(&g, x->device, 0, 6, 0, report, 0));
        SEE(!ndg_cuda_partition_count(&p, x->device, 0, 6, 0, words, report,
                                      0));
        SEE(!ndg_cuda_stitch_total(&s, 0, 0, 0, words, words + 8, 64, 0, 0));
        SEE(cudaPeekAtLastError() == pending);
        /* no work */
        SEE(!ndg_cuda_gather_run_range(&g, 0, 0, 0, 0, 3, 3, 0, 0, 0));
        SEE(!ndg_cuda_partition_run(&p, 0, 0, 0, 0, 0, 0, words, words + 3, 0,
                                    0,
                                    0, 0));
        SEE(!ndg_cuda_stitch_run(&s, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
        /* refusals */
        SEE(ndg_cuda_gather_run(0, o->device, 24, t->device, x->device, 0, 0)
            == cudaErrorInvalidValue);
        SEE(ndg_cuda_gather_run(&g, x->device, 24, t->device, x->device, 0, 0)
            == cudaErrorInvalidValue);
        SEE(ndg_cuda_gather_run_range(&g, o->device, 24, t->device, x->device,
                                      2, 7, 0, 0, 0) == cudaErrorInvalidValue);
        SEE(ndg_cuda_stitch_run(&s, o->device, 24, 7, 0, 0, 0, 0, words, 1000,
                                0,
                                0) == cudaErrorInvalidValue);
        SEE(ndg_cuda_partition_run(&p, 0, 0, t->device, x->device, 6, 0, words,
                                   words + 3, words, 100000, 0, 0)
            == cudaErrorInvalidValue);
        SEE(cudaPeekAtLastError() == pending);
        SEE(cudaGetLastError() == pending);
        SEE(cudaGetLastError() == cudaSuccess);
        SEE(image_right());
        MUST(ndg_cuda_gather_report_read(&g, x->device, report, &r, 0));
        SEE(r.bad.count == 6 && r.bad.position == 2 && r.bad.value == -1
            && r.bad.extent == 3 && r.status == NDG_OK);
    }
    no_faults();
}

/* ---- more than 2^31 ------------------------------------------------------*/
/* Arrays too large for the host: filled, and compared, by kernels that know
 * what each word must be. Memory that is not there is a skip, by name. On the
 * emulator 2^15 stands for 2^31, which proves this program and no more. */
typedef unsigned long long u64;

#if defined(CUDA_EMUL_H)
enum { FAR_BITS = 15, BAD_EVERY = 1009, GRID = 8 };
#else
enum { FAR_BITS = 31, BAD_EVERY = 1009, GRID = 132 * 16 };
#endif
static const u64 FAR = (u64)1 << FAR_BITS;

__host__ __device__ static inline unsigned mixed(u64 x)
{
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ULL;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dULL;
    return (unsigned)(x >> 32);
}

struct pattern {
    int kind;
    u64 n, m;
};
enum { HASH, BELOW, BELOW_BAD, ACROSS, MODULO };

/* Item i of an array: any number; one below m, or with some bad ones; n items
 * in another order; i modulo m. */
__host__ __device__ static inline u64 item_of(pattern p, u64 i)
{
    switch (p.kind) {
    case BELOW:     return mixed(i) % p.m;
    case BELOW_BAD: return i % BAD_EVERY == 5 ? 0xffffffffu : mixed(i) % p.m;
    case ACROSS:    return (i * p.m + 11) % p.n;
    case MODULO:    return i % p.m;
    default:        return mixed(i);
    }
}

#define EACH(i, n) \
    (u64 i = (u64)blockIdx.x * 256 + threadIdx.x; i < (n); \
     i += (u64)gridDim.x * 256)

template <class T>
static __global__ void fill(T *to, pattern p)
{
    for EACH(i, p.n) to[i] = (T)item_of(p, i);
}

/* Every byte out[j]: the byte of row ids(j / row), or 0 where that is bad. */
static __global__ void wrong_rows(const unsigned char *out, u64 bytes, u64 row,
                                  pattern ids, pattern data, u64 rows, u64 *bad)
{
    for EACH(j, bytes) {
        const u64 id = item_of(ids, j / row);
        const unsigned char good = id < rows
            ? (unsigned char)item_of(data, id * row + j % row) : 0;
        if (out[j] != good) atomicAdd(bad, 1ULL);
    }
}

static __global__ void wrong_words(const unsigned *out, pattern ids,
                                   pattern data, u64 *bad)
{
    for EACH(i, ids.n)
        if (out[i] != (unsigned)item_of(data, item_of(ids, i)))
            atomicAdd(bad, 1ULL);
}

/* Hashed bytes from number `from` on, or zeros. */
static __global__ void wrong_run(const unsigned char *out, u64 bytes, u64 from,
                                 bool zeros, u64 *bad)
{
    for EACH(j, bytes)
        if (out[j] != (zeros ? 0 : (unsigned char)mixed(from + j)))
            atomicAdd(bad, 1ULL);
}

/* out[o, n] = params[o, ids(n)] of bytes */
static __global__ void wrong_axis(const unsigned char *out, u64 bytes,
                                  u64 count, u64 extent, pattern ids,
                                  pattern data, u64 *bad)
{
    for EACH(j, bytes) {
        const u64 at = j / count * extent + item_of(ids, j % count);
        if (out[j] != (unsigned char)item_of(data, at)) atomicAdd(bad, 1ULL);
    }
}

/* Entry i, of bytes, is at row ids(i), if it is the last one there. */
static __global__ void wrong_woven(const unsigned char *out, pattern ids,
                                   pattern data, u64 from, u64 *bad)
{
    for EACH(k, ids.n - from) {
        const u64 i = k + from;
        if (out[item_of(ids, i)] != (unsigned char)item_of(data, i))
            atomicAdd(bad, 1ULL);
    }
}

/* Row i is number i / m of part i % m, with its position beside it. */
static __global__ void wrong_parts(void *const *outs, void *const *at,
                                   u64 rows, u64 m, u64 parts, pattern data,
                                   u64 *bad)
{
    for EACH(i, rows) {
        const u64 k = i % m, j = i / m;
        if (k >= parts) continue;
        if (((const unsigned char *)outs[k])[j]
            != (unsigned char)item_of(data, i)) atomicAdd(bad, 1ULL);
        if (at && ((const unsigned *)at[k])[j] != (unsigned)i)
            atomicAdd(bad, 1ULL);
    }
}

template <class T> struct same_type { typedef T type; };
template <class... P>
static void start(void (*kernel)(P...), typename same_type<P>::type... args)
{
    void *argv[] = { (void *)&args... };
    MUST(cudaLaunchKernel(kernel, dim3(GRID), dim3(256), argv, 0, 0));
}

/* Large arrays, all given back together. */
static void *large[32];
static int   n_large;
static bool  no_room;

static void *room_for(u64 bytes)
{
    void *p = 0;
    if (no_room) return 0;
    if (cudaMalloc(&p, (size_t)bytes) != cudaSuccess) {
        (void)cudaGetLastError();
        printf("skip: %s: no memory for %.1f GB more\n", context,
               (double)bytes / 1e9);
        no_room = true;
        return 0;
    }
    return large[n_large++] = p;
}

static void give_back_all(void)
{
    MUST(cudaDeviceSynchronize());
    while (n_large) MUST(cudaFree(large[--n_large]));
    no_room = false;
}

template <class T>
static T *filled(pattern p)
{
    T *to = (T *)room_for(p.n * sizeof(T));
    if (to) start(fill<T>, to, p);
    return to;
}

static void *zeroed(u64 bytes)
{
    void *p = room_for(bytes);
    if (p) MUST(cudaMemset(p, 0, (size_t)bytes));
    return p;
}

/* A counter, fetched. */
static u64 value_of(const void *device)
{
    u64 v = 0;
    MUST(cudaMemcpy(&v, device, sizeof v, cudaMemcpyDeviceToHost));
    return v;
}

static pattern items(int kind, u64 n, u64 m)
{
    pattern p;
    p.kind = kind;
    p.n = n;
    p.m = m;
    return p;
}

/* Gathers `row` bytes by u32 indices, a few of them bad. */
static void huge_rows(u64 n, u64 row, u64 rows)
{
    const pattern ids = items(BELOW_BAD, n, rows);
    const pattern data = items(HASH, rows * row, 0);
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r;
    unsigned      *x = filled<unsigned>(ids);
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(n * row);
    u64           *wrong = (u64 *)zeroed(8);
    ndg_cuda_report *bad = (ndg_cuda_report *)zeroed(sizeof *bad);
    const ptrdiff_t far = (ptrdiff_t)FAR + 10, last = (ptrdiff_t)n;
    if (no_room) return;
    d.params = ndg_dims2((ptrdiff_t)rows, (ptrdiff_t)row);
    d.indices = ndg_dims1(last);
    d.elem_size = 1;
    d.index_type = NDG_U32;
    if (row == 1) d.params = ndg_dims1((ptrdiff_t)rows);
    SEE(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    SEE(!ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, x, bad, 0));
    start(wrong_rows, out, n * row, row, ids, data, rows, wrong);
    SEE(value_of(wrong) == 0);
    MUST(ndg_cuda_gather_report_read(&plan, x, bad, &r, 0));
    SEE(r.bad.count == (last - 6) / BAD_EVERY + 1 && r.bad.position == 5
        && r.bad.value == 0xffffffffLL);
    /* and a range beyond 2^31 */
    MUST(cudaMemset(bad, 0, sizeof *bad));
    SEE(!ndg_cuda_gather_run_range(&plan, out, plan.out_bytes, table, x, far,
                                   last, 0, bad, 0));
    MUST(ndg_cuda_gather_report_read(&plan, x, bad, &r, 0));
    SEE(r.bad.count == (last - 6) / BAD_EVERY - (far - 6) / BAD_EVERY
        && r.bad.position == ((far - 6) / BAD_EVERY + 1) * BAD_EVERY + 5);
}

static void huge_table(void)
{
    const u64       rows = FAR + (FAR >> 11), n = FAR >> 7;
    const pattern   ids = items(BELOW, n, rows), data = items(HASH, rows, 0);
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r;
    long long *x = filled<long long>(ids);
    unsigned  *table = filled<unsigned>(data);
    unsigned  *out = (unsigned *)room_for(4 * n);
    u64       *wrong = (u64 *)zeroed(8);
    if (no_room) return;
    d.params = ndg_dims1((ptrdiff_t)rows);
    d.indices = ndg_dims1((ptrdiff_t)n);
    d.elem_size = 4;
    d.index_type = NDG_I64;
    SEE(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    SEE(!ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, x, 0, 0));
    start(wrong_words, out, ids, data, wrong);
    SEE(value_of(wrong) == 0);
}

/* Rows that are larger than 2^31 bytes themselves. */
static void huge_row(void)
{
    static const int32_t ids[4] = { 2, 0, 3, 1 };
    const u64            row = FAR + 48;
    const pattern        data = items(HASH, 3 * row, 0);
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r;
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(4 * row);
    u64           *wrong = (u64 *)zeroed(8);
    int32_t       *x = (int32_t *)room_for(sizeof ids);
    int            i;
    if (no_room) return;
    MUST(cudaMemcpy(x, ids, sizeof ids, cudaMemcpyHostToDevice));
    d.params = ndg_dims2(3, (ptrdiff_t)row);
    d.indices = ndg_dims1(4);
    d.elem_size = 1;
    SEE(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    SEE(!ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, x, 0, 0));
    for (i = 0; i < 4; i++)
        start(wrong_run, out + (u64)i * row, row, row * (u64)ids[i],
              ids[i] > 2, wrong);
    SEE(value_of(wrong) == 0);
}

static void huge_axis(void)
{
    const u64       outer = FAR >> 14, extent = 64, n = 33001;
    const pattern   ids = items(BELOW, n, extent);
    const pattern   data = items(HASH, outer * extent, 0);
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r;
    unsigned char *x = filled<unsigned char>(ids);
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(outer * n);
    u64           *wrong = (u64 *)zeroed(8);
    if (no_room) return;
    d.params = ndg_dims2((ptrdiff_t)outer, (ptrdiff_t)extent);
    d.indices = ndg_dims1((ptrdiff_t)n);
    d.axis = 1;
    d.elem_size = 1;
    d.index_type = NDG_U8;
    SEE(ndg_plan_gather(&plan, &d, &r) == NDG_OK);
    SEE(!ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, x, 0, 0));
    start(wrong_axis, out, outer * n, n, extent, ids, data, wrong);
    SEE(value_of(wrong) == 0);
}

/* n entries in two lists of bytes to `total` rows, by indices of type T. */
template <class T>
static void huge_stitch(int type, u64 n, u64 total, pattern ids, u64 from)
{
    const pattern   data = items(HASH, n, 0);
    ndg_stitch_desc d = NDG_ZERO_INIT;
    ndg_stitch_plan plan;
    ndg_report      r;
    ndg_list        list[2] = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 } };
    const u64       half = n / 2 + 5;
    ndg_cuda_stitch_report zero, *bad;
    d.elem_size = 1;
    d.index_type = type;
    SEE(ndg_plan_stitch(&plan, &d, &r) == NDG_OK);
    {
        const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(
            &plan, (ptrdiff_t)total, 2, (ptrdiff_t)n);
        T             *x = filled<T>(ids);
        unsigned char *rows = filled<unsigned char>(data);
        unsigned char *out = (unsigned char *)room_for(total);
        void          *scratch = room_for((u64)need);
        u64           *wrong = (u64 *)zeroed(8);
        ndg_list      *lists = (ndg_list *)room_for(sizeof list);
        bad = (ndg_cuda_stitch_report *)zeroed(sizeof *bad);
        if (no_room) return;
        list[0].indices = x;
        list[0].data = rows;
        list[0].count = (ptrdiff_t)half;
        list[1].indices = x + half;
        list[1].data = rows + half;
        list[1].count = (ptrdiff_t)(n - half);
        MUST(cudaMemcpy(lists, list, sizeof list, cudaMemcpyHostToDevice));
        SEE(!ndg_cuda_stitch_run(&plan, out, (ptrdiff_t)total,
                                 (ptrdiff_t)total, 0,
                                 lists, 2, (ptrdiff_t)n, scratch, need, bad,
                                 0));
        start(wrong_woven, out, ids, data, from, wrong);
        SEE(value_of(wrong) == 0);
        MUST(cudaMemcpy(&zero, bad, sizeof zero, cudaMemcpyDeviceToHost));
        SEE(zero.bad.count == 0 && zero.holes.count == 0);
        SEE(zero.duplicates.count == n - total);
    }
}

/* Rows i % m to `parts` parts of bytes: beyond them, bad. */
template <class T>
static void huge_partition(int type, u64 n, u64 m, u64 parts, bool positions)
{
    const pattern      ids = items(MODULO, n, m), data = items(HASH, n, 0);
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    ndg_report         r;
    static void       *to[1024], *at[1024];
    static ptrdiff_t   room[1024], have[1024];
    const u64          each = n / m + 1;
    u64                k, odd = 0;
    d.data = d.partitions = ndg_dims1((ptrdiff_t)n);
    d.num_partitions = (ptrdiff_t)parts;
    d.elem_size = 1;
    d.index_type = type;
    d.position_type = NDG_U32;
    SEE(ndg_plan_partition(&plan, &d, &r) == NDG_OK);
    {
        const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(
            &plan, (ptrdiff_t)n);
        T             *x = filled<T>(ids);
        unsigned char *rows = filled<unsigned char>(data);
        unsigned char *out = (unsigned char *)room_for(each * parts);
        unsigned *where = (unsigned *)room_for(positions ? 4 * each * parts
                                                         : 4);
        void     *scratch = room_for((u64)need);
        u64      *wrong = (u64 *)zeroed(8);
        void    **outs = (void **)room_for(sizeof to);
        void    **ats = (void **)room_for(sizeof at);
        ptrdiff_t *held = (ptrdiff_t *)room_for(sizeof room);
        ptrdiff_t *used_rows = (ptrdiff_t *)room_for(sizeof have);
        ndg_cuda_report *bad = (ndg_cuda_report *)zeroed(sizeof *bad);
        if (no_room) return;
        for (k = 0; k < parts; k++) {
            to[k] = out + k * each;
            at[k] = where + k * each;
            room[k] = (ptrdiff_t)each;
        }
        MUST(cudaMemcpy(outs, to, sizeof to, cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(ats, at, sizeof at, cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(held, room, sizeof room, cudaMemcpyHostToDevice));
        SEE(!ndg_cuda_partition_run(&plan, outs, positions ? ats : 0, rows, x,
                                    (ptrdiff_t)n, 0, held, used_rows, scratch,
                                    need, bad, 0));
        start(wrong_parts, outs, positions ? ats : 0, n, m, parts, data,
              wrong);
        SEE(value_of(wrong) == 0);
        MUST(cudaMemcpy(have, used_rows, sizeof have, cudaMemcpyDeviceToHost));
        for (k = 0; k < parts; k++)
            odd += (u64)have[k] != (n - k + m - 1) / m;
        SEE(odd == 0);
        MUST(ndg_cuda_partition_report_read(&plan, x, bad, &r, 0));
        for (odd = 0, k = parts; k < m; k++) odd += (n - k + m - 1) / m;
        SEE((u64)r.bad.count == odd
            && (odd == 0 || (u64)r.bad.position == parts));
    }
}

static void run_huge(void)
{
    const u64    n = FAR + 4099, wide = 2 * FAR + 5, few = 65521;
    const double began = seconds();
    new_seed(0);
#define HUGE_CASE(what, call)                                                 \
    do {                                                                      \
        strcpy(context, "huge: " what);                                       \
        call;                                                                 \
        MUST(cudaDeviceSynchronize());                                        \
        give_back_all();                                                      \
        printf("%s: %.1f s\n", context, seconds() - began);                   \
        fflush(stdout);                                                       \
    } while (0)
    HUGE_CASE("2^31 elements of 1 byte", huge_rows(n, 1, FAR / 2048 + 7));
    HUGE_CASE("2^31 rows of 3 bytes", huge_rows(n, 3, 1021));
    HUGE_CASE("2^31 rows of 16 bytes", huge_rows(n, 16, 1021));
    HUGE_CASE("a table of 2^31 rows", huge_table());
    HUGE_CASE("rows of 2^31 bytes", huge_row());
    HUGE_CASE("axis 1, 2^32 elements", huge_axis());
    HUGE_CASE("stitch of 2^31 rows", huge_stitch<unsigned>(
        NDG_U32, n, n, items(ACROSS, n, 48271), 0));
    HUGE_CASE("stitch of 2^32 entries", huge_stitch<unsigned short>(
        NDG_U16, wide, few, items(MODULO, wide, few), wide - few));
    HUGE_CASE("partition of 2^31 rows", huge_partition<unsigned char>(
        NDG_U8, n, 4, 3, true));
    HUGE_CASE("partition of 2^31 rows, 1000 parts",
              huge_partition<unsigned short>(NDG_U16, n, 1000, 1000, false));
}

/* ---- modes ---------------------------------------------------------------*/
static int find_device(void)
{
    int            n = 0;
    cudaDeviceProp p;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n < 1) {
        printf("no CUDA device: nothing was tested\n");
        return 0;
    }
    must(cudaGetDeviceProperties(&p, 0), "cudaGetDeviceProperties");
    printf("%s, compute capability %d.%d, %d multiprocessors\n", p.name,
           p.major, p.minor, p.multiProcessorCount);
    return 1;
}

int main(int argc, char **argv)
{
    const char  *mode = argc > 1 ? argv[1] : "";
    const double limit = argc > 2 ? atof(argv[2]) : 10;
    const long   seed = argc > 3 ? atol(argv[3]) : 1;
    const bool   is_sanitize = !strcmp(mode, "sanitize");
    strcpy(context, mode);
    if (!strcmp(mode, "device")) return find_device() ? 0 : 3;
    if (!find_device()) {
        return done();
    }
    apart = few_parts = is_sanitize;
    image_open();
    if (!strcmp(mode, "cases")) {
        run_cases(1);
    } else if (!strcmp(mode, "random")) {
        run_random(limit, seed, 1000000000);
    } else if (!strcmp(mode, "offsets")) {
        run_offsets(argc > 2 ? atoi(argv[2]) : 1);
    } else if (!strcmp(mode, "paths")) {
        run_paths();
    } else if (!strcmp(mode, "graphs")) {
        run_graphs();
    } else if (!strcmp(mode, "stale")) {
        run_stale();
    } else if (!strcmp(mode, "huge")) {
        run_huge();
    } else if (is_sanitize) {
        run_random(limit, seed, 40);
        run_cases(97);
    } else {
        printf("usage: see the first lines of "
               "tests/cuda/test_cuda_device.cu\n");
        return 2;
    }
    image_clear();
    no_faults();
    MUST(cudaDeviceSynchronize());
    return done();
}
