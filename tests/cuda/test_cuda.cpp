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

#include "cuda_same.h"
#include "cuda_paths.h"

/* ---- gather --------------------------------------------------------------*/
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
    ndg_gather_desc d = rows_of(size, ndg_dims1(TABLE), ndg_dims1(rows),
                                policies[random_below(&rnd, 6)]);
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
    random_fill(&rnd, d.fill, 16);
    sprintf(context, "elements: size %d, %d from %d, offset %d, policy %d",
            size, count, first, offset, d.policy);
    ndg_gather_plan plan = planned_axis(d), cpu = plan;
    buffer p(table, sizeof table, (size_t)size), o(out, need, (size_t)offset);
    buffer x(ids, (size_t)rows * 4), bad(&zero, sizeof zero);
    ndg_cuda_report *const report = (ndg_cuda_report *)bad.p;
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
    ndg_partition_desc d = split_of(rows, elem, parts);
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
    d.index_type = d.position_type = NDG_I64;
    d.policy = NDG_DROP;
    const ndg_partition_plan plan = planned(d);
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
    ndg_partition_desc d = split_of((ptrdiff_t)1 << 40, 4, PARTS_HERE);
    static int32_t     ids[ROWS], rows[ROWS], want[ROWS], have[ROWS];
    static int64_t     at[ROWS], want_at[ROWS];
    static ptrdiff_t   counts[PARTS_HERE];
    static void       *outs[PARTS_HERE], *positions[PARTS_HERE];
    ptrdiff_t          n = 0, k, i;
    strcpy(context, "far rows");
    new_seed(3);
    d.position_type = NDG_I64;
    ndg_partition_plan plan = planned(d);
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
    plan = planned(split_of((ptrdiff_t)1 << 58, 4, PARTS_HERE));
    REFUSED(ndg_cuda_partition_run(&plan, a.outs, 0, from.p, x.p, plan.rows, 0,
                               a.counts, (ptrdiff_t *)used.p, scratch.p,
                               PTRDIFF_MAX, 0, 0));
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
    huge();
    run_elements();
    run_parts();
    run_paths();
    run_file("tests/cases/tf.txt", 556, 1, true);
    run_file("tests/cases/onnx.txt", 19, 1, true);
    for (i = seed; i < seed + rounds; i++) random_round(i);
    return test_end("test_cuda");
}
