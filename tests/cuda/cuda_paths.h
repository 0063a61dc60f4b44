/* cuda_paths.h - the kernels and modes that random plans seldom reach, each by
 * name, for the tests on the emulator and on a device. Rows that lie in line,
 * by all their types and depths; stitches of unique indices; partitions into
 * one array, of long rows, and of ids that change meanwhile; two streams; a
 * warp's copy of a row; what is refused; a graph. */
#ifndef CUDA_PATHS_H
#define CUDA_PATHS_H

#include "cuda_same.h"

/* ---- rows in line --------------------------------------------------------*/
/* gather_nd of `depth` indices: rows of `bytes` that are packed in out, all
 * arrays that far off alignment. */
static void in_line(int bytes, int depth, int count, int off)
{
    static const int policies[] = { NDG_ZERO, NDG_KEEP, NDG_FILL, NDG_CLIP,
                                    NDG_WRAP, NDG_ERROR, NDG_DEFAULT };
    static const ptrdiff_t extents[5] = { 5, 4, 3, 7, 2 };
    const int       elem = bytes % 16 ? 4 : 16;
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r;
    ptrdiff_t       dims[6], at[2];
    host_array      params, indices, out;
    int             k;
    for (k = 0; k < depth; k++) dims[k] = extents[k];
    dims[depth] = bytes / elem;
    at[0] = count;
    at[1] = depth;
    d.elem_size = elem;
    d.index_type = random_below(&rnd, 8)
                 ? random_below(&rnd, 2) ? NDG_I64 : NDG_I32
                 : random_below(&rnd, INDEX_TYPES);
    d.policy = policies[random_below(&rnd, 7)];
    d.negative = random_below(&rnd, 2);
    random_fill(&rnd, d.fill, 16);
    random_array(&params, depth + 1, dims, elem, LAYOUT_C, 0);
    random_array(&indices, 2, at, index_bytes(d.index_type), LAYOUT_C, 0);
    if (random_below(&rnd, 4)) random_indices(&indices, d.index_type, 5);
    else if (valid_indices(&indices, d.index_type, &params))
        d.policy = NDG_ASSUME_VALID;
    d.params = array_ndg(&params);
    d.indices = array_ndg(&indices);
    gather_out(&out, &d, LAYOUT_C, ndg_gather_nd_out_dims);
    sprintf(context, "in line: %d bytes, depth %d, %d rows, type %d, policy %d,"
            " negative %d, off %d", bytes, depth, count, d.index_type, d.policy,
            d.negative, off);
    SEE(ndg_plan_gather_nd(&plan, &d, &r) == NDG_OK);
    set_offsets(off, off, off);
    gather_all(&plan, &params, &indices, &out);
    set_offsets(-1, -1, -1);
}

static void run_in_line(void)
{
    static const int bytes[] = { 4, 12, 16, 20, 24, 28, 32, 36, 48, 60, 64, 80,
                                 100, 112, 128, 144, 256, 1008, 1024, 4096,
                                 4112 };
    int i, depth, off;
    for (i = 0; i < 21; i++)
        for (depth = 1; depth <= 5; depth++) {
            const int some = bytes[i] < 200 ? 300 : 9000 / bytes[i] + 2;
            new_seed((uint64_t)(31 * i + depth + 1));
            in_line(bytes[i], depth, 1 + random_below(&rnd, some), 0);
            in_line(bytes[i], depth, 1 + random_below(&rnd, 40),
                    4 * random_below(&rnd, 4));
        }
    for (off = 0; off < 16; off++) {
        new_seed((uint64_t)off);
        in_line(64, 1, 70, off);
        in_line(12, 2, 70, off);
        in_line(100, 1, 70, off);
    }
    new_seed(5);
    in_line(32, 1, 5000, 0);                /* several blocks' */
    in_line(12, 1, 5000, 0);
}

/* ---- stitches of unique indices ------------------------------------------*/
/* Some lists name each of most rows once, and say bad things: the bytes of the
 * CPU's run that keeps gaps, and its report of bad entries. */
static void unique(int elem, int rows, int lists, ptrdiff_t today)
{
    ndg_stitch_desc d = weave_of(elem, 0, NDG_GAPS_KEEP);
    ndg_list        host[8], device[8];
    ndg_report      want, got = report_stale();
    std::vector<int16_t> ids((size_t)rows);
    owned<buffer>   x, from;
    const int       policy = random_below(&rnd, 4);
    int             m, first = 0;
    const ptrdiff_t bytes = (ptrdiff_t)rows * elem;
    std::vector<char> data = fresh_bytes(bytes), out = data;
    sprintf(context, "unique: elem %d, rows %d, lists %d, today %d, policy %d",
            elem, rows, lists, (int)today, policy);
    random_fill(&rnd, data.data(), bytes);
    for (int k = 0; k < rows; k++) {                    /* a shuffle */
        ids[(size_t)k] = (int16_t)k;
        std::swap(ids[(size_t)k], ids[(size_t)random_below(&rnd, k + 1)]);
    }
    for (int16_t &id : ids)
        if (!random_below(&rnd, 9))
            id = (int16_t)(random_below(&rnd, 2) ? -id - 1 : rows + id);
    d.index_type = NDG_I16;
    d.policy = policy ? NDG_DROP : NDG_ERROR;
    const ndg_stitch_plan plan = planned(d);
    for (m = 0; m < lists; m++) {
        const int n = m + 1 < lists ? random_below(&rnd, rows - first + 1)
                                    : rows - first;
        host[m] = list_of(ids.data() + first, data.data() + first * elem, n);
        x.emplace_back(new buffer(host[m].indices, n * 2, some_offset(INDEX)));
        from.emplace_back(new buffer(host[m].data, n * elem,
                                     some_offset(SOURCE)));
        device[m] = list_of(*x.back(), *from.back(), n);
        first += n;
    }
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&plan, 0, lists, rows);
    buffer o(out.data(), bytes, some_offset(OUT)), scratch(0, need);
    buffer limit(today);
    buffer all(device, lists * (ptrdiff_t)sizeof *device);
    buffer report(cleared_stitch);
    ndg_stitch_plan cpu = plan;
    cpu.policy = NDG_DROP;
    ndg_stitch_run(&cpu, out.data(), bytes, today, host, lists, 0, 0, &want);
    SEE(!ndg_cuda_stitch_unique(&plan, o, bytes, rows, limit.when(today < rows),
            all, lists, rows, scratch, need, report, 0));
    SEE(!ndg_cuda_stitch_report_read(&cpu, today, all, lists, report, &got, 0));
    no_faults();
    SEE(o.holds(out));
    SEE(got.bad.count == want.bad.count && (!want.bad.count || (got.bad.position
        == want.bad.position && got.bad.list == want.bad.list)));
    SEE(!got.rows.holes && !got.rows.duplicates);
    REFUSED(ndg_cuda_stitch_unique(&plan, o, bytes, rows, 0, all, lists, rows,
                                   scratch, need - 1, report, 0));
}

static void run_unique(void)
{
    static const int elems[] = { 1, 4, 7, 16, 20, 64, 1040, 2500 };
    int i, k;
    for (i = 0; i < 8; i++)
        for (k = 0; k < 4; k++) {
            const int rows = 1 + random_below(&rnd, elems[i] > 99 ? 40 : 600);
            new_seed((uint64_t)(8 * k + i));
            unique(elems[i], rows, 1 + random_below(&rnd, 7),
                   k ? rows : random_below(&rnd, rows + 1));
        }
}

/* ---- partitions of long rows, and of few ---------------------------------*/
/* Packed rows of random bytes to parts by these ids, as the plan that the desc
 * has; returns how many kernels a run took. */
static unsigned long long deal(ndg_partition_desc d, const numbers &ids,
                               bool with_positions, int room)
{
    partition_test t = {};
    const int      width = (int)index_bytes(d.index_type);
    t.rows = (ptrdiff_t)ids.size();
    const ptrdiff_t dims[2] = { t.rows, d.data.dim[1] };
    random_array(&t.ids, 1, dims, width, LAYOUT_C, 0);
    for (size_t i = 0; i < ids.size(); i++)
        index_put(t.ids.base + i * (size_t)width, d.index_type, ids[i]);
    random_array(&t.data, 2, dims, 1, LAYOUT_C, 1);
    t.plan = planned(d);
    partition_same(&t, with_positions, room);
    if (room == ALL_BUT_ONE) partition_packed(&t, with_positions);
    return t.launches;
}

static void long_rows(ptrdiff_t parts, ptrdiff_t rows, ptrdiff_t bytes)
{
    ndg_partition_desc d = split_of(rows, bytes, parts);
    numbers            ids((size_t)rows);
    sprintf(context, "long rows: %d parts, %d rows of %d", (int)parts,
            (int)rows, (int)bytes);
    for (ptrdiff_t &id : ids) id = random_below(&rnd, (int)parts + 1);
    d.position_type = NDG_I64;
    deal(d, ids, true, ALL_ROWS);
    deal(d, ids, true, ALL_BUT_ONE);
}

static void run_long_rows(void)
{
    static const ptrdiff_t parts[] = { 1, 2, 255, 256, 257 };
    int i;
    for (i = 0; i < 5; i++) {
        new_seed((uint64_t)i + 1);
        if (i % 3 == 1) long_rows(parts[i], 3, 1 << 20);
        long_rows(parts[i], 30, 8192);
        if (i % 2) long_rows(parts[i], 20, 8193);
        long_rows(parts[i], 900, 112);
        long_rows(parts[i], 900, 100);
        long_rows(parts[i], 5000, 4);       /* two tiles and some */
    }
}

/* ---- ids that change -----------------------------------------------------*/
/* Between the count and the deal, as they lie in scratch: where the counts go,
 * or the words of a first pass. Whatever is written, it is not beside the
 * parts, and no place is taken but a row's. */
static void moving_ids(const numbers &ids, ptrdiff_t parts, int type,
                       bool packed, bool in_words)
{
    const ptrdiff_t    rows = (ptrdiff_t)ids.size(), width = index_bytes(type);
    ndg_partition_desc d = split_of(rows, 8, parts);
    numbers            counts((size_t)parts, rows / parts);
    std::vector<void *> outs((size_t)parts);
    sprintf(context, "moving ids: %d parts, type %d, packed %d, in words %d",
            (int)parts, type, packed, in_words);
    d.index_type = type;
    const ndg_partition_plan plan = planned(d);
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, rows);
    buffer scratch(0, need > width * rows ? need : width * rows);
    buffer from(0, 8 * rows), o(0, 8 * rows), at(0, 4 * rows);
    buffer used(0, 8 * parts + 8);
    unsigned char *const x = !in_words ? scratch.p : (unsigned char *)
        ndgi_split_of(&plan, 0, 0, rows, scratch).words;
    for (size_t i = 0; i < ids.size(); i++) {
        unsigned char id[8];
        index_put(id, type, ids[i]);
        cudaMemcpy(x + i * (size_t)width, id, (size_t)width,
                   cudaMemcpyHostToDevice);
    }
    from.set(3);
    for (size_t k = 0; k < outs.size(); k++)
        outs[k] = o.p + k * 8 * (size_t)(rows / parts);
    buffer outs_at(outs), held(counts);
    if (packed)
        SEE(!ndg_cuda_partition_packed(&plan, o, 8 * rows, at, from, x, rows, 0,
                                       used, scratch, need, 0, 0));
    else
        SEE(!ndg_cuda_partition_run(&plan, outs_at, 0, from, x, rows, 0, held,
                                    used, scratch, need, 0, 0));
    no_faults();
}

/* Counted as the first part's, dealt as the last one's, which has no room. */
static void dealt_otherwise(void)
{
    enum { ROWS = 700, PARTS_HERE = 4 };
    const ndg_partition_plan plan = planned(split_of(ROWS, 8, PARTS_HERE));
    const std::vector<int32_t> first(ROWS, 0), last(ROWS, PARTS_HERE - 1);
    const std::vector<char>    want(8 * ROWS, 4);
    strcpy(context, "dealt otherwise");
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    buffer scratch(0, need), from(0, 8 * ROWS), o(want), x(first);
    buffer offsets(0, 8 * PARTS_HERE + 8);
    from.set(3);
    ndgi_split_args a = ndgi_split_of(&plan, x, 0, ROWS, scratch);
    a.data = from;
    a.out = o;
    a.offsets = offsets;
    a.values = PARTS_HERE;
    a.vector = 4;
    SEE(!ndgi_launch_count(cudaSuccess, a, false, 0));
    SEE(!ndgi_launch(cudaSuccess, ndgi_scan, PARTS_HERE, (cudaStream_t)0,
                     a.table, 1, a.blocks + 1, a.table, a.blocks,
                     PARTS_HERE * a.blocks));
    SEE(!ndgi_launch(cudaSuccess, ndgi_scan, 1, (cudaStream_t)0, a.table +
                     a.blocks, a.blocks + 1, 0, a.offsets, a.parts, a.parts));
    cudaDeviceSynchronize();
    x.put(last.data());
    SEE(!ndgi_launch_deal<ndgi_plain_ids>(cudaSuccess, a, 0));
    no_faults();
    SEE(o.holds(want));
}

/* Of 4 bytes they become bad; of 2 some become the number of a row / 8: those
 * of a last digit that no id had, as they were counted, get places behind the
 * last row. */
static void run_moving_ids(void)
{
    static const ptrdiff_t parts[] = { 1, 7, 256, 300, 5000 };
    new_seed(1);
    dealt_otherwise();
#ifdef EMU_RACE                         /* it is a race, and would be found */
    return;
#endif
    for (ptrdiff_t p : parts)
        for (int k = 0; k < 6; k++) {
            numbers ids(700);
            new_seed((uint64_t)(k + 1));
            test_blocks = k < 3 ? 16384 : 1;
            for (ptrdiff_t &id : ids) id = random_below(&rnd, (int)p);
            moving_ids(ids, p, NDG_I32, k % 2 != 0, false);
        }
    for (int k = 0; k < 8; k++) {
        const int type = k < 4 ? NDG_I32 : NDG_I16;
        numbers   ids(5000);
        new_seed((uint64_t)(k % 4 + 1));
        test_blocks = k < 4 ? 5 : 1;
        for (int i = 0; i < 5000; i++)
            ids[(size_t)i] = k > 3 ? i % 100 : k % 2 ? i : i % 7;
        moving_ids(ids, 5000, type, true, true);
    }
}

/* ---- a warp's copy -------------------------------------------------------*/
static __global__ void copy_row_kernel(unsigned char *to, const unsigned char
                                       *from, ptrdiff_t bytes)
{
    ndg_cuda_copy_row(to, from, bytes);
}

static void run_copy_row(void)
{
    std::vector<unsigned char> bytes(5000), want;
    random_fill(&rnd, bytes.data(), 5000);
    for (int i = 0; i < 200; i++) {
        const int n = random_below(&rnd, i % 3 ? 100 : 5000);
        new_seed((uint64_t)i);
        sprintf(context, "copy row: %d bytes", n);
        buffer from(bytes.data(), n, (size_t)random_below(&rnd, 16));
        buffer to(bytes.data(), n, (size_t)random_below(&rnd, 16));
        want.assign(5000, 0);
        if (i % 5) want = bytes;
        to.set(FRESH);
        start(copy_row_kernel, 1, 32, to, from.when(i % 5 != 0), n);
        no_faults();
        SEE(to.holds(want));
    }
}

/* ---- two streams ---------------------------------------------------------*/
/* A stitch that undoes a partition, and that partition again: at once, each
 * with its own scratch and output. */
static void two_streams(int seed)
{
    enum { ROWS = 900, PARTS_HERE = 17 };
    const ndg_partition_plan split = planned(split_of(ROWS, 4, PARTS_HERE));
    const ndg_stitch_plan    weave = planned(weave_of(4));
    static int32_t     ids[ROWS], rows[ROWS], back[ROWS];
    cudaStream_t       stream[2];
    int                i, k;
    sprintf(context, "two streams, seed %d", seed);
    new_seed((uint64_t)seed);
    for (i = 0; i < ROWS; i++) {
        ids[i] = (int32_t)random_below(&rnd, PARTS_HERE);
        rows[i] = i * 5;
    }
    const ptrdiff_t a = ndg_cuda_partition_scratch_bytes(&split, ROWS);
    const ptrdiff_t b = ndg_cuda_stitch_scratch_bytes(&weave, ROWS, 1, ROWS);
    buffer x(ids), from(rows), whole(0, sizeof back);
    buffer one(0, a), two(0, b), lists(0, sizeof(ndg_list));
    buffer o(0, sizeof rows), at(0, sizeof rows), begins(0, 8 * PARTS_HERE + 8);
    buffer again(0, sizeof rows), at_again(0, sizeof rows);
    for (i = 0; i < 2; i++) SEE(!cudaStreamCreate(&stream[i]));
    SEE(!ndg_cuda_partition_packed(&split, o, sizeof rows, at, from, x,
            ROWS, 0, begins, one, a, 0, stream[0]));
    SEE(!cudaStreamSynchronize(stream[0]));
    const ndg_list list = list_of(at, o, ROWS);
    SEE(!cudaMemcpy(lists, &list, sizeof list, cudaMemcpyHostToDevice));
    for (k = 0; k < 3; k++) {
        SEE(!ndg_cuda_stitch_run(&weave, whole, sizeof back, ROWS, 0,
                lists, 1, ROWS, two, b, 0, stream[1]));
        SEE(!ndg_cuda_partition_packed(&split, again, sizeof rows, at_again,
                from, x, ROWS, 0, begins, one, a, 0, stream[0]));
    }
    for (i = 0; i < 2; i++) {
        SEE(!cudaStreamSynchronize(stream[i]));
        SEE(!cudaStreamDestroy(stream[i]));
    }
    no_faults();
    SEE(whole.holds(rows));
    SEE(!cudaMemcpy(back, o, sizeof back, cudaMemcpyDeviceToHost));
    SEE(again.holds(back));
}

/* ---- what a launcher promises --------------------------------------------*/
/* Six rows of four bytes by some bad indices, or into three parts, or woven. */
static const int32_t  promised_ids[6] = { 2, 0, -1, 1, 9, 2 };
static const uint32_t promised_rows[6] = { 10, 11, 12 };
static const uint32_t promised_out[6] = { 12, 10, 0, 11, 0, 12 };

/* Sizes that overflow, counts below 0, a report that was not cleared. */
static void hostile(const ndg_partition_plan *split,
                    const ndg_stitch_plan *weave)
{
    ndg_partition_desc e = split_of(6, 4, 3);
    ndg_report         r;
    ptrdiff_t          counts[3] = { -1, -5, PTRDIFF_MIN };
    static const int32_t ids[6] = { 0, 1, 2, 0, 1, 2 };
    unsigned char      fresh[24];
    buffer x(ids), p(0, 24), o(0, 24), at(0, 24), begins(0, 32);
    buffer scratch(0, 100000), held(counts), used(0, 24), bad(0, 16);
    p.set(3);
    e.out_stride = (ptrdiff_t)1 << 61;
    const ndg_partition_plan wide = planned(e);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, PTRDIFF_MAX, 1, 1) == -1);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, 1, PTRDIFF_MAX, 1) == -1);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, -1, 1, 1) == -1);
    SEE(ndg_cuda_partition_scratch_bytes(split, PTRDIFF_MAX) == -1);
    REFUSED(ndg_cuda_stitch_run(weave, o, 24, 6, 0, x,
            (ptrdiff_t)1 << 60, 6, scratch, 100000, 0, 0));
    REFUSED(ndg_cuda_partition_packed(&wide, o, 24, 0, p, x, 6, 0, begins,
                                      scratch, 100000, 0, 0));
    SEE(!ndg_cuda_partition_packed(split, o, 24, at, p, x, 6, 0, begins,
                                   scratch, 100000, 0, 0));
    o.set(7);
    memset(fresh, 7, sizeof fresh);
    const std::vector<void *> outs(3, o.p);
    buffer outs_at(outs);
    SEE(!ndg_cuda_partition_run(split, outs_at, 0, p, x, 6, 0, held, used,
            scratch, 100000, 0, 0));
    SEE(o.holds(fresh));
    bad.set(0x11);
    REFUSED(ndg_cuda_partition_report_read(split, x, bad, &r, 0));
    bad.set(0xff);                      /* the first is row 0 */
    REFUSED(ndg_cuda_partition_report_read(split, 0, bad, &r, 0));
    no_faults();
}

/* No rows are no work, whatever the pointers; what is refused asks nothing of
 * the device; what is pending stays pending and is nobody's result. */
static void promises(void)
{
    const ndg_gather_plan plan = planned(rows_of(4, ndg_dims1(3),
                                                 ndg_dims2(6, 1)));
    const ndg_partition_plan split = planned(split_of(6, 4, 3));
    const ndg_stitch_plan    weave = planned(weave_of(4));
    ndg_report         r;
    buffer             x(promised_ids), p(promised_rows, 12), o(0, 24);
    buffer             report(cleared), scratch(0, 100000);
    ptrdiff_t         *const words = scratch;
    strcpy(context, "promises");
    new_seed(0);
    (void)cudaGetLastError();
    (void)cudaSetDevice(-1);
    const cudaError_t        pending = cudaPeekAtLastError();
    const unsigned long long launches = launched();
    SEE(pending != cudaSuccess);
    SEE(!ndg_cuda_gather_run_range(&plan, o, 24, p, x, 3, 3, 0, 0, 0));
    SEE(!ndg_cuda_gather_run_range(&plan, 0, 0, 0, 0, 3, 3, 0, 0, 0));
    SEE(!ndg_cuda_gather_check(&plan, x, 6, 6, 0, report, 0));
    SEE(!ndg_cuda_partition_run(&split, 0, 0, 0, 0, 0, 0, words, words + 3, 0,
                                0, 0, 0));
    SEE(!ndg_cuda_partition_count(&split, 0, 2, 2, 0, words, 0, 0));
    SEE(!ndg_cuda_stitch_run(&weave, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
#define RUN(plan, out, params, ids)                                           \
    ndg_cuda_gather_run(plan, out, 24, params, ids, 0, 0)
    REFUSED(RUN(0, o, p, x));
    REFUSED(RUN(&plan, 0, p, x));
    REFUSED(RUN(&plan, o, 0, x));
    REFUSED(RUN(&plan, o, p, 0));
    REFUSED(RUN(&plan, x, p, x));
    REFUSED(RUN(&plan, p, p, x));
#undef RUN
    REFUSED(ndg_cuda_gather_run_range(&plan, o, 24, p, x, 2, 7, 0, 0, 0));
    REFUSED(ndg_cuda_gather_run_range(&plan, o, 24, p, x, -1, 2, 0, 0, 0));
    REFUSED(ndg_cuda_stitch_run(&weave, o, 24, -1, 0, 0, 0, 0, words, 1000, 0,
                                0));
    REFUSED(ndg_cuda_stitch_run(&weave, o, 24, 7, 0, 0, 0, 0, words, 1000, 0,
                                0));
    REFUSED(ndg_cuda_partition_run(&split, 0, 0, p, x, 6, 0, words,
                                   words + 3, words, 100000, 0, 0));
    /* counts that are cursors: they would be zeroed, and every row dropped */
    REFUSED(ndg_cuda_partition_run(&split, o, 0, p, x, 6, 0, o, o, words,
                                   100000, 0, 0));
    SEE(launched() == launches);
    SEE(!ndg_cuda_gather_run(&plan, o, 24, p, x, report, 0));
    SEE(!ndg_cuda_gather_check(&plan, x, 0, 6, 0, report, 0));
    SEE(!ndg_cuda_partition_count(&split, x, 0, 6, 0, words, report, 0));
    SEE(!ndg_cuda_stitch_total(&weave, 0, 0, 0, words, words + 8, 64, 0, 0));
    SEE(cudaPeekAtLastError() == pending);
    SEE(cudaGetLastError() == pending);
    SEE(!cudaGetLastError());
    SEE(!ndg_cuda_gather_report_read(&plan, x, report, &r, 0));
    SEE(r.bad.count == 6 && r.bad.position == 2 && r.bad.value == -1
        && r.bad.extent == 3 && r.status == NDG_OK);
    SEE(o.holds(promised_out));
    hostile(&split, &weave);
    /* what was bad is good by now */
    x.set(0);
    cudaDeviceSynchronize();
    SEE(!ndg_cuda_gather_report_read(&plan, x, report, &r, 0));
    SEE(r.bad.count == 6 && r.bad.position == 2 && r.bad.component == -1);
    no_faults();
}

/* ---- graphs --------------------------------------------------------------*/
/* Every launcher in one graph, run again and again over new indices. A capture
 * in the global mode fails if anything in it waits or allocates. */
enum { N = 300, HALF = N / 2, PARTS_OF_GRAPH = 5, TIMES = 5, LONGEST = 3000 };

/* What the CPU writes and says of the same. */
struct graph_wants {
    unsigned char out[N * LONGEST], woven[N * LONGEST];
    unsigned char to[PARTS_OF_GRAPH * N * LONGEST];
    ptrdiff_t     counts[PARTS_OF_GRAPH], have[PARTS_OF_GRAPH], total;
    ndg_report    gather, stitch, partition;
    void run(ndg_gather_plan g, ndg_stitch_plan s, ndg_partition_plan p,
             const unsigned char *table, const int32_t *ids)
    {
        const ptrdiff_t bytes = g.run_bytes;
        ptrdiff_t       room[PARTS_OF_GRAPH];
        void           *outs[PARTS_OF_GRAPH];
        static uint64_t marks[N];
        const ndg_list  list[2] = {
            list_of(ids + HALF, table + HALF * bytes, HALF),
            list_of(ids, table, HALF)
        };
        ndg_report r;
        for (int k = 0; k < PARTS_OF_GRAPH; k++) {
            outs[k] = to + k * N * bytes;
            room[k] = N;
        }
        g.policy = NDG_ZERO;
        s.policy = p.policy = NDG_DROP;
        ndg_gather_run(&g, out, N * bytes, table, ids, &gather);
        gather.bad.count *= 2;                   /* run, and checked */
        ndg_stitch_run(&s, woven, N * bytes, N, list, 2, marks, sizeof marks,
                       &stitch);
        ndg_stitch_total(&s, list, 2, &total, &r);
        ndg_partition_count(&p, ids, 0, N, counts, &partition);
        ndg_partition_run(&p, outs, 0, table, ids, N, room, have, &r);
    }
};

static void graph_of(int bytes)
{
    static graph_wants   w;
    static unsigned char table[N * LONGEST];
    static int32_t       ids[N];
    const ptrdiff_t      all = N * bytes;
    const ndg_gather_plan    g = planned(rows_of(bytes, ndg_dims1(N),
                                                 ndg_dims2(N, 1)));
    const ndg_stitch_plan    s = planned(weave_of(bytes));
    const ndg_partition_plan p = planned(split_of(N, bytes, PARTS_OF_GRAPH));
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&s, N, 2, N);
    const ptrdiff_t need_more = ndg_cuda_partition_scratch_bytes(&p, N);
    ndg_report      got;
    void           *outs[PARTS_OF_GRAPH];
    ptrdiff_t       room[PARTS_OF_GRAPH];
    cudaStream_t    stream;
    cudaGraph_t     graph;
    cudaGraphExec_t exec;
    int             i, k;
    memset(&w, FRESH, sizeof w);
    buffer from(0, all), x(0, sizeof ids), out(w.out, all), woven(w.out, all);
    buffer to(w.to, PARTS_OF_GRAPH * all);
    buffer bad(0, 3 * sizeof cleared_stitch);
    buffer have(0, sizeof room), counted(0, sizeof room), size(0, 8);
    buffer scratch(0, need), more(0, need_more);
    for (k = 0; k < PARTS_OF_GRAPH; k++) {
        outs[k] = to.p + k * all;
        room[k] = N;
    }
    const ndg_list list[2] = {
        list_of(x.p + 4 * HALF, from.p + HALF * bytes, HALF),
        list_of(x, from, HALF)
    };
    buffer lists(list), outs_at(outs), held(room);
    ndg_cuda_stitch_report *const b = bad;
    const ndg_list *const         in = lists;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaDeviceSynchronize());
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SEE(!cudaMemsetAsync(b, 0, (size_t)bad.n, stream));
    SEE(!ndg_cuda_gather_run(&g, out, N * bytes, from, x, &b[0].bad, stream));
    SEE(!ndg_cuda_gather_check(&g, x, 0, N, 0, &b[0].bad, stream));
    SEE(!ndg_cuda_stitch_run(&s, woven, N * bytes, N, 0, in, 2, N, scratch,
                             need, b + 1, stream));
    SEE(!ndg_cuda_stitch_total(&s, in, 2, N, size, scratch, need, 0, stream));
    SEE(!ndg_cuda_partition_count(&p, x, 0, N, 0, counted, 0, stream));
    SEE(!ndg_cuda_partition_run(&p, outs_at, 0, from, x, N, 0, held, have, more,
                                need_more, &b[2].bad, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (i = 0; i < TIMES; i++) {
        sprintf(context, "graphs: %d bytes, time %d", bytes, i);
        random_fill(&rnd, table, all);
        for (k = 0; k < N; k++) {       /* half are good for the partition */
            const int v = random_below(&rnd, 20);
            ids[k] = v == 0 ? -1 : v == 1 ? N + k
                   : random_below(&rnd, v < 10 ? PARTS_OF_GRAPH : N);
        }
        memset(&w, FRESH, sizeof w);
        from.put(table);
        x.put(ids);
        out.set(FRESH);
        woven.set(FRESH);
        to.set(FRESH);
        MUST(cudaDeviceSynchronize());
        if (i % 2) MUST(cudaGraphLaunch(exec, stream));
        MUST(cudaGraphLaunch(exec, stream));
        MUST(cudaStreamSynchronize(stream));
        w.run(g, s, p, table, ids);
        SEE(out.holds(w.out) && woven.holds(w.woven));
        SEE(size.holds(&w.total) && counted.holds(w.counts));
        SEE(have.holds(w.have));
        SEE(to.holds(w.to));
        MUST(ndg_cuda_gather_report_read(&g, x, &b[0].bad, &got, stream));
        SEE_REPORTS(&got, &w.gather);
        MUST(ndg_cuda_stitch_report_read(&s, N, in, 2, b + 1, &got, stream));
        SEE_REPORTS(&got, &w.stitch);
        MUST(ndg_cuda_partition_report_read(&p, x, &b[2].bad, &got, stream));
        SEE_REPORTS(&got, &w.partition);
        no_faults();
    }
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
}

static void run_paths(void)
{
    int i;
    promises();
    new_seed(0);
    graph_of(20);
    for (i = 0; i < 8; i++) two_streams(i);
    run_in_line();
    run_unique();
    run_long_rows();
    run_moving_ids();
    run_copy_row();
}

#endif
