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
#include "cuda_paths.h"

/* ---- gather --------------------------------------------------------------*/
/* Rows of one element, so many of them, that far off alignment: 16 bytes at
 * once where a group has them all, and not a byte beside what is asked for. */
static void elements(int size, int count, int offset)
{
    static const int policies[] = { NDG_KEEP, NDG_ZERO, NDG_FILL, NDG_CLIP,
                                    NDG_ERROR, NDG_DEFAULT };
    const int       first = random_below(&rnd, 18), last = first + count;
    const ptrdiff_t table = 50, rows = last + random_below(&rnd, 3);
    const int       odds = random_below(&rnd, 3) * 10;
    ndg_gather_desc d = rows_of(size, ndg_dims1(table), ndg_dims1(rows),
                                policies[random_below(&rnd, 6)]);
    host_array      params, indices, out;
    random_array(&params, 1, &table, size, LAYOUT_C, 0);
    random_array(&indices, 1, &rows, 4, LAYOUT_C, 0);
    random_array(&out, 1, &rows, size, LAYOUT_C, 0);
    for (ptrdiff_t i = 0; i < rows; i++)
        index_put(array_at(&indices, &i), NDG_I32, random_below(&rnd, 50)
                  + (odds && !random_below(&rnd, odds) ? 50 : 0));
    random_fill(&rnd, d.fill, 16);
    sprintf(context, "elements: size %d, %d from %d, offset %d, policy %d",
            size, count, first, offset, d.policy);
    const ndg_gather_plan plan = planned_axis(d);
    set_offsets(offset, size, 0);
    gather_range(&plan, &params, &indices, &out, first, last);
    set_offsets(-1, -1, -1);
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

static void many_parts(ptrdiff_t parts, int rows, int kind)
{
    const int          less = random_below(&rnd, 2);
    ndg_partition_desc d = split_of(rows, less ? 17 : 4, parts);
    numbers            ids((size_t)rows);
    int                passes = 1;
    sprintf(context + strlen(context), " %d parts, rows %d, kind %d",
            (int)parts, rows, kind);
    while ((parts - 1) >> passes * NDG_CUDA_DIGIT_BITS) passes++;
    for (ptrdiff_t &id : ids) id = some_id(kind, parts);
    d.index_type = d.position_type = NDG_I64;
    d.policy = NDG_DROP;
    SEE(deal(d, ids, true, less ? ALL_BUT_ONE : ALL_ROWS)
        <= (unsigned long long)(4 * passes + 1));
}

/* Parts that can hold a few rows, of many that are theirs: the first of them,
 * and not a byte more, whichever tile or block the others are in. Positions
 * alone, too. */
static void full_parts(ptrdiff_t parts, ptrdiff_t bytes, int room,
                       bool positions)
{
    numbers ids(5000);
    sprintf(context, "%d full parts, rows of %d, room %d", (int)parts,
            (int)bytes, room);
    for (size_t i = 0; i < ids.size(); i++)
        ids[i] = (ptrdiff_t)(i * i % 7 * 31) % parts;
    deal(split_of(5000, bytes, parts), ids, positions, room);
}

static void run_full_parts(void)
{
    static const long blocks[] = { 1, 2, 5 };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            new_seed((uint64_t)k);
            test_blocks = blocks[i];
            full_parts(k % 2 ? 3 : 300, k % 2 ? 64 : 4, 1 + 99 * (k / 2),
                       (i + k) % 2 != 0);
            full_parts(5, 7, k, k % 2 != 0);
            full_parts(k % 2 ? 3 : 1000, 0, ALL_ROWS, true);
        }
}

/* Rows beyond 2^32, of which only a few are looked at, and what does not fit a
 * word of row and id. */
static void far_rows(void)
{
    enum { ROWS = 700, PARTS_HERE = 1000 };
    const ptrdiff_t    far = (ptrdiff_t)5 << 31;
    ndg_partition_desc d = split_of((ptrdiff_t)1 << 40, 4, PARTS_HERE);
    static int32_t     ids[ROWS], rows[ROWS], want[ROWS];
    static int64_t     want_at[ROWS];
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
    buffer scratch(0, a.scratch), x(ids), from(rows), o(0, sizeof rows);
    buffer w(0, sizeof want_at), used(0, sizeof counts);
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
    buffer outs_at(outs), at_at(positions), held(counts);
    a = ndgi_split_of(&plan, (void *)((size_t)x.p - 4 * (size_t)far), far,
                      far + ROWS, scratch);
    a.outs = outs_at;
    a.positions = at_at;
    a.data = (unsigned char *)((size_t)from.p - 4 * (size_t)far);
    a.counts = held;
    a.cursors = used;
    a.runs = ndgi_runs_of(1, 0, 0, 4, 0);
    SEE(!ndgi_split_launch(a, 0));
    no_faults();
    SEE(o.holds(want));
    SEE(w.holds(want_at));
    SEE(used.holds(counts));
    plan = planned(split_of((ptrdiff_t)1 << 58, 4, PARTS_HERE));
    REFUSED(ndg_cuda_partition_run(&plan, a.outs, 0, from, x, plan.rows, 0,
            held, used, scratch, PTRDIFF_MAX, 0, 0));
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
/* A table of 2^33 rows that are all the same: strides of 0 need no memory. */
static void huge(void)
{
    static const uint64_t ids[6] = {
        0x100000005u, 0x1ffffffffu, 0x200000000u, 7, ~(uint64_t)0, 0x80000000u
    };
    static const int      types[2] = { NDG_U64, NDG_I64 };
    const uint32_t     row[4] = { 1, 2, 3, 4 };
    uint32_t           want[24];
    buffer             x(ids), p(row);
    ndg_report         cpu, gpu;
    int                i;
    strcpy(context, "huge");
    for (i = 0; i < 12; i++) {
        const ptrdiff_t width = i / 6 ? 4 : 1;
        ndg_gather_desc d = rows_of(4, ndg_strided2((ptrdiff_t)1 << 33, 0,
                                                    width, 4), ndg_dims1(6));
        buffer          o(0, 24 * width), report(cleared);
        d.index_type = types[i % 2];
        d.policy = i % 3 == 0 ? NDG_DEFAULT : i % 3 == 1 ? NDG_CLIP : NDG_WRAP;
        const ndg_gather_plan plan = planned_axis(d);
        if (d.policy == NDG_DEFAULT) d.policy = NDG_ZERO;
        ndg_gather(want, 24 * width, row, ids, &d, &cpu);
        SEE(!ndg_cuda_gather_run(&plan, o, 24 * width, p, x, report, 0));
        SEE(!ndg_cuda_gather_report_read(&plan, x, report, &gpu, 0));
        SEE(o.holds(want));
        SEE_REPORTS(&gpu, &cpu);
        SEE(gpu.bad.count == 2 && gpu.bad.value == 0x200000000);
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
    run_full_parts();
    run_paths();
    run_file("tests/cases/tf.txt", 556, 1, true);
    run_file("tests/cases/onnx.txt", 19, 1, true);
    for (i = seed; i < seed + rounds; i++) random_round(i);
    return test_end("test_cuda");
}
