/* cuda_paths.h - the kernels and modes that random plans seldom reach, each by
 * name, for the tests on the emulator and on a device. Rows that lie in line,
 * by all their types and depths; stitches of unique indices; partitions into
 * one array, of long rows, and of ids that change meanwhile; two streams; a
 * warp's copy of a row; what is refused. It comes after cuda_same.h. */
#ifndef CUDA_PATHS_H
#define CUDA_PATHS_H

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
    array           params, indices, out;
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
    array_free(&params);
    array_free(&indices);
    array_free(&out);
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
    enum { MOST = 600 };
    ndg_stitch_desc d = weave_of(elem, 0, NDG_GAPS_KEEP);
    ndg_list        host[8], device[8];
    ndg_report      want, got = report_stale();
    ndg_cuda_stitch_report zero;
    static int16_t  ids[MOST];
    buffer         *x[8], *from[8];
    const int       policy = random_below(&rnd, 4);
    int             k, m, first = 0;
    const size_t    bytes = (size_t)rows * (size_t)elem;
    unsigned char  *data = (unsigned char *)some_bytes((ptrdiff_t)bytes);
    unsigned char  *out = (unsigned char *)some_bytes((ptrdiff_t)bytes);
    sprintf(context, "unique: elem %d, rows %d, lists %d, today %d, policy %d",
            elem, rows, lists, (int)today, policy);
    random_fill(&rnd, data, (ptrdiff_t)bytes);
    for (k = 0; k < rows; k++) {                    /* a shuffle */
        const int other = random_below(&rnd, k + 1);
        ids[k] = ids[other];
        ids[other] = (int16_t)k;
    }
    for (k = 0; k < rows; k++)
        if (!random_below(&rnd, 9))
            ids[k] = (int16_t)(random_below(&rnd, 2) ? -ids[k] - 1
                                                     : rows + ids[k]);
    d.index_type = NDG_I16;
    d.policy = policy ? NDG_DROP : NDG_ERROR;
    const ndg_stitch_plan plan = planned(d);
    for (m = 0; m < lists; m++) {
        const int n = m + 1 < lists ? random_below(&rnd, rows - first + 1)
                                    : rows - first;
        const ndg_list l = list_of(ids + first, data + first * elem, n);
        host[m] = device[m] = l;
        x[m] = new buffer(l.indices, (size_t)n * 2, some_offset(INDEX));
        from[m] = new buffer(l.data, (size_t)(n * elem), some_offset(SOURCE));
        device[m].indices = x[m]->p;
        device[m].data = from[m]->p;
        first += n;
    }
    memset(&zero, 0, sizeof zero);
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&plan, 0, lists, rows);
    buffer o(out, bytes, some_offset(OUT)), scratch(0, (size_t)need);
    buffer all(device, (size_t)lists * sizeof *device), bad(&zero, sizeof zero);
    buffer limit(&today, sizeof today);
    ndg_cuda_stitch_report *const report = (ndg_cuda_stitch_report *)bad.p;
    ndg_stitch_plan cpu = plan;
    cpu.policy = NDG_DROP;
    ndg_stitch_run(&cpu, out, (ptrdiff_t)bytes, today, host, lists, 0, 0,
                   &want);
    SEE(!ndg_cuda_stitch_unique(&plan, o.p, (ptrdiff_t)bytes, rows, today < rows
            ? (ptrdiff_t *)limit.p : 0, (ndg_list *)all.p, lists, rows,
            scratch.p, need, report, 0));
    SEE(!ndg_cuda_stitch_report_read(&cpu, today, (ndg_list *)all.p, lists,
                                     report, &got, 0));
    no_faults();
    SEE(o.holds(out));
    SEE(got.bad.count == want.bad.count && (!want.bad.count
        || (got.bad.position == want.bad.position
            && got.bad.list == want.bad.list)));
    SEE(!got.rows.holes && !got.rows.duplicates);
    REFUSED(ndg_cuda_stitch_unique(&plan, o.p, (ptrdiff_t)bytes, rows, 0,
                               (ndg_list *)all.p, lists, rows, scratch.p,
                               need - 1, report, 0));
    for (m = 0; m < lists; m++) { delete x[m]; delete from[m]; }
    free(data);
    free(out);
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
static void long_rows(ptrdiff_t parts, ptrdiff_t rows, ptrdiff_t bytes)
{
    ndg_partition_desc d = NDG_ZERO_INIT;
    partition_test     t;
    ptrdiff_t          dims[2], i;
    ndg_report         r;
    sprintf(context, "long rows: %d parts, %d rows of %d", (int)parts,
            (int)rows, (int)bytes);
    memset(&t, 0, sizeof t);
    dims[0] = rows;
    dims[1] = bytes;
    d.elem_size = 1;
    d.num_partitions = parts;
    d.position_type = NDG_I64;
    random_array(&t.ids, 1, dims, 4, LAYOUT_C, 0);
    for (i = 0; i < rows; i++)
        ((int32_t *)t.ids.base)[i] = random_below(&rnd, (int)parts + 1);
    random_array(&t.data, 2, dims, 1, LAYOUT_C, 1);
    d.data = array_ndg(&t.data);
    d.partitions = array_ndg(&t.ids);
    SEE(ndg_plan_partition(&t.plan, &d, &r) == NDG_OK);
    t.rows = rows;
    partition_same(&t, true, 0);
    partition_same(&t, true, 1);
    array_free(&t.ids);
    array_free(&t.data);
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

/* Ids that change between the count and the deal, as they lie where the counts
 * go: whatever is written, it is not beside the parts. */
static void moving_ids(ptrdiff_t parts, bool packed)
{
    enum { ROWS = 700 };
    const ndg_partition_plan plan = planned(split_of(ROWS, 8, parts));
    static ptrdiff_t   counts[5000];
    static void       *outs[5000];
    ptrdiff_t          k, n = 0;
    int                i;
    sprintf(context, "moving ids: %d parts, packed %d", (int)parts, packed);
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    const size_t    some = (size_t)(need > 4 * ROWS ? need : 4 * ROWS);
    buffer scratch(0, some), from(0, 8 * ROWS), o(0, 8 * ROWS);
    buffer at(0, 4 * ROWS), used(0, 8 * (size_t)parts + 8);
    for (i = 0; i < ROWS; i++) {
        const int32_t id = (int32_t)random_below(&rnd, (int)parts);
        cudaMemcpy(scratch.p + 4 * i, &id, 4, cudaMemcpyHostToDevice);
    }
    from.set(3);
    for (k = 0; k < parts; k++) {
        counts[k] = ROWS / parts;
        outs[k] = o.p + 8 * n;
        n += counts[k];
    }
    buffer outs_at(outs, 8 * (size_t)parts), held(counts, 8 * (size_t)parts);
    if (packed)
        SEE(!ndg_cuda_partition_packed(&plan, o.p, 8 * ROWS, at.p, from.p,
                scratch.p, ROWS, 0, (ptrdiff_t *)used.p, scratch.p, need, 0,
                0));
    else
        SEE(!ndg_cuda_partition_run(&plan, (void **)outs_at.p, 0, from.p,
                scratch.p, ROWS, 0, (ptrdiff_t *)held.p, (ptrdiff_t *)used.p,
                scratch.p, need, 0, 0));
    cudaDeviceSynchronize();
    no_faults();
}

/* Counted as the first part's, dealt as the last one's, which has no room. */
static void dealt_otherwise(void)
{
    enum { ROWS = 700, PARTS_HERE = 4 };
    const ndg_partition_plan plan = planned(split_of(ROWS, 8, PARTS_HERE));
    static int32_t     ids[ROWS];
    int                i;
    strcpy(context, "dealt otherwise");
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, ROWS);
    buffer scratch(0, (size_t)need), from(0, 8 * ROWS), o(0, 8 * ROWS);
    buffer x(ids, sizeof ids), offsets(0, 8 * PARTS_HERE + 8);
    from.set(3);
    o.set(4);
    ndgi_split_args a = ndgi_split_of(&plan, x.p, 0, ROWS, scratch.p);
    a.data = from.p;
    a.out = o.p;
    a.offsets = (ndgi_u64 *)offsets.p;
    a.values = PARTS_HERE;
    a.vector = 4;
    SEE(!ndgi_launch_count(cudaSuccess, a, false, 0));
    SEE(!ndgi_launch(cudaSuccess, ndgi_scan, PARTS_HERE, (cudaStream_t)0,
                     a.table, 1, a.blocks + 1, a.table, a.blocks,
                     PARTS_HERE * a.blocks));
    SEE(!ndgi_launch(cudaSuccess, ndgi_scan, 1, (cudaStream_t)0,
                     a.table + a.blocks, a.blocks + 1, 0, a.offsets, a.parts,
                     a.parts));
    cudaDeviceSynchronize();
    for (i = 0; i < ROWS; i++) ids[i] = PARTS_HERE - 1;
    cudaMemcpy(x.p, ids, sizeof ids, cudaMemcpyHostToDevice);
    SEE(!ndgi_launch_deal<ndgi_plain_ids>(cudaSuccess, a, 0));
    cudaDeviceSynchronize();
    no_faults();
    static unsigned char want[8 * ROWS];
    memset(want, 4, sizeof want);
    SEE(o.holds(want));
}

static void run_moving_ids(void)
{
    static const ptrdiff_t parts[] = { 1, 7, 256, 300, 5000 };
    int i, k;
    new_seed(1);
    dealt_otherwise();
#ifdef EMU_HOOKED                       /* it is a race, and would be found */
    const int most = 0;
#else
    const int most = 5;
#endif
    for (i = 0; i < most; i++)
        for (k = 0; k < 6; k++) {
            new_seed((uint64_t)(k + 1));
            test_blocks = k < 3 ? 16384 : 1;
            moving_ids(parts[i], k % 2 != 0);
        }
}

/* ---- a warp's copy -------------------------------------------------------*/
static __global__ void copy_row_kernel(unsigned char *to,
                                       const unsigned char *from,
                                       ptrdiff_t bytes)
{
    ndg_cuda_copy_row(to, from, bytes);
}

static void run_copy_row(void)
{
    static unsigned char bytes[5000], want[5000];
    int i;
    random_fill(&rnd, bytes, sizeof bytes);
    for (i = 0; i < 200; i++) {
        const int n = random_below(&rnd, i % 3 ? 100 : 5000);
        const unsigned char *in;
        ptrdiff_t count = n;
        new_seed((uint64_t)i);
        sprintf(context, "copy row: %d bytes", n);
        buffer from(bytes, (size_t)n, (size_t)random_below(&rnd, 16));
        buffer to(bytes, (size_t)n, (size_t)random_below(&rnd, 16));
        in = i % 5 ? from.p : 0;
        memset(want, 0, sizeof want);
        if (in) memcpy(want, bytes, (size_t)n);
        to.set(FRESH);
        void *args[] = { &to.p, &in, &count };
        SEE(!cudaLaunchKernel(copy_row_kernel, dim3(1), dim3(32), args, 0,
                              (cudaStream_t)0));
        cudaDeviceSynchronize();
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
    buffer x(ids, sizeof ids), from(rows, sizeof rows), whole(0, sizeof back);
    buffer one(0, (size_t)a), two(0, (size_t)b), lists(0, sizeof(ndg_list));
    buffer o(0, sizeof rows), at(0, sizeof rows), begins(0, 8 * PARTS_HERE + 8);
    buffer again(0, sizeof rows), at_again(0, sizeof rows);
    for (i = 0; i < 2; i++) SEE(!cudaStreamCreate(&stream[i]));
    SEE(!ndg_cuda_partition_packed(&split, o.p, sizeof rows, at.p, from.p, x.p,
            ROWS, 0, (ptrdiff_t *)begins.p, one.p, a, 0, stream[0]));
    SEE(!cudaStreamSynchronize(stream[0]));
    const ndg_list list = list_of(at.p, o.p, ROWS);
    SEE(!cudaMemcpy(lists.p, &list, sizeof list, cudaMemcpyHostToDevice));
    for (k = 0; k < 3; k++) {
        SEE(!ndg_cuda_stitch_run(&weave, whole.p, sizeof back, ROWS, 0,
                (ndg_list *)lists.p, 1, ROWS, two.p, b, 0, stream[1]));
        SEE(!ndg_cuda_partition_packed(&split, again.p, sizeof rows,
                at_again.p, from.p, x.p, ROWS, 0, (ptrdiff_t *)begins.p, one.p,
                a, 0, stream[0]));
    }
    for (i = 0; i < 2; i++) {
        SEE(!cudaStreamSynchronize(stream[i]));
        SEE(!cudaStreamDestroy(stream[i]));
    }
    no_faults();
    SEE(whole.holds(rows));
    SEE(!cudaMemcpy(back, o.p, sizeof back, cudaMemcpyDeviceToHost));
    SEE(again.holds(back));
}

/* ---- what a launcher promises --------------------------------------------*/
/* Launches so far; on a device nobody counts them. */
static unsigned long long launched(void)
{
    cudaDeviceSynchronize();
#if defined(CUDA_EMUL_H)
    return emu->launches;
#else
    return 0;
#endif
}

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
    void              *outs[3];
    buffer x(ids, sizeof ids), p(0, 24), o(0, 24), at(0, 24), begins(0, 32);
    buffer scratch(0, 100000), held(counts, 24), used(0, 24), bad(0, 16);
    int                i;
    p.set(3);
    e.out_stride = (ptrdiff_t)1 << 61;
    const ndg_partition_plan wide = planned(e);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, PTRDIFF_MAX, 1, 1) == -1);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, 1, PTRDIFF_MAX, 1) == -1);
    SEE(ndg_cuda_stitch_scratch_bytes(weave, -1, 1, 1) == -1);
    SEE(ndg_cuda_partition_scratch_bytes(split, PTRDIFF_MAX) == -1);
    REFUSED(ndg_cuda_stitch_run(weave, o.p, 24, 6, 0, (ndg_list *)x.p,
            (ptrdiff_t)1 << 60, 6, scratch.p, 100000, 0, 0));
#define PACKED(plan, at)                                                      \
    ndg_cuda_partition_packed(plan, o.p, 24, at, p.p, x.p, 6, 0,              \
                              (ptrdiff_t *)begins.p, scratch.p, 100000, 0, 0)
    REFUSED(PACKED(&wide, 0));
    SEE(!PACKED(split, at.p));
#undef PACKED
    o.set(7);
    memset(fresh, 7, sizeof fresh);
    for (i = 0; i < 3; i++) outs[i] = o.p;
    buffer outs_at(outs, sizeof outs);
    SEE(!ndg_cuda_partition_run(split, (void **)outs_at.p, 0, p.p, x.p, 6, 0,
            (ptrdiff_t *)held.p, (ptrdiff_t *)used.p, scratch.p, 100000, 0,
            0));
    SEE(o.holds(fresh));
    bad.set(0x11);
    REFUSED(ndg_cuda_partition_report_read(split, x.p, (ndg_cuda_report *)bad.p,
                                           &r, 0));
    bad.set(0xff);                      /* the first is row 0 */
    REFUSED(ndg_cuda_partition_report_read(split, 0, (ndg_cuda_report *)bad.p,
                                           &r, 0));
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
    ndg_cuda_report    zero = { 0, 0 };
    ndg_report         r;
    buffer             x(promised_ids, 24), p(promised_rows, 12), o(0, 24);
    buffer             bad(&zero, sizeof zero), scratch(0, 100000);
    cudaStream_t       stream;
    cudaGraph_t        graph;
    cudaGraphExec_t    exec;
    ndg_cuda_report   *const report = (ndg_cuda_report *)bad.p;
    ptrdiff_t         *const words = (ptrdiff_t *)scratch.p;
    strcpy(context, "promises");
    new_seed(0);
    (void)cudaGetLastError();
    (void)cudaSetDevice(-1);
    const cudaError_t        pending = cudaPeekAtLastError();
    const unsigned long long launches = launched();
    SEE(pending != cudaSuccess);
    SEE(!ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, 3, 3, 0, 0, 0));
    SEE(!ndg_cuda_gather_run_range(&plan, 0, 0, 0, 0, 3, 3, 0, 0, 0));
    SEE(!ndg_cuda_gather_check(&plan, x.p, 6, 6, 0, report, 0));
    SEE(!ndg_cuda_partition_run(&split, 0, 0, 0, 0, 0, 0, words, words + 3, 0,
                                0, 0, 0));
    SEE(!ndg_cuda_partition_count(&split, 0, 2, 2, 0, words, 0, 0));
    SEE(!ndg_cuda_stitch_run(&weave, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
#define RUN(plan, out, params, ids)                                           \
    ndg_cuda_gather_run(plan, out, 24, params, ids, 0, 0)
    REFUSED(RUN(0, o.p, p.p, x.p));
    REFUSED(RUN(&plan, 0, p.p, x.p));
    REFUSED(RUN(&plan, o.p, 0, x.p));
    REFUSED(RUN(&plan, o.p, p.p, 0));
    REFUSED(RUN(&plan, x.p, p.p, x.p));
    REFUSED(RUN(&plan, p.p, p.p, x.p));
#undef RUN
    REFUSED(ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, 2, 7, 0, 0, 0));
    REFUSED(ndg_cuda_gather_run_range(&plan, o.p, 24, p.p, x.p, -1, 2, 0, 0,
                                      0));
    REFUSED(ndg_cuda_stitch_run(&weave, o.p, 24, -1, 0, 0, 0, 0, words, 1000, 0,
                                0));
    REFUSED(ndg_cuda_stitch_run(&weave, o.p, 24, 7, 0, 0, 0, 0, words, 1000, 0,
                                0));
    REFUSED(ndg_cuda_partition_run(&split, 0, 0, p.p, x.p, 6, 0, words,
                                   words + 3, words, 100000, 0, 0));
    /* counts that are cursors: they would be zeroed, and every row dropped */
    REFUSED(ndg_cuda_partition_run(&split, (void **)o.p, 0, p.p, x.p, 6, 0,
                                   (ptrdiff_t *)o.p, (ptrdiff_t *)o.p, words,
                                   100000, 0, 0));
    SEE(launched() == launches);
    SEE(!ndg_cuda_gather_run(&plan, o.p, 24, p.p, x.p, report, 0));
    SEE(!ndg_cuda_gather_check(&plan, x.p, 0, 6, 0, report, 0));
    SEE(!ndg_cuda_partition_count(&split, x.p, 0, 6, 0, words, report, 0));
    SEE(!ndg_cuda_stitch_total(&weave, 0, 0, 0, words, words + 8, 64, 0, 0));
    SEE(cudaPeekAtLastError() == pending);
    SEE(cudaGetLastError() == pending);
    SEE(!cudaGetLastError());
    SEE(!ndg_cuda_gather_report_read(&plan, x.p, report, &r, 0));
    SEE(r.bad.count == 6 && r.bad.position == 2 && r.bad.value == -1
        && r.bad.extent == 3 && r.status == NDG_OK);
    SEE(o.holds(promised_out));
    hostile(&split, &weave);
    /* captured once, launched twice: reports accumulate */
    cudaStreamCreate(&stream);
    cudaDeviceSynchronize();
    bad.set(0);
    o.set(FRESH);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    SEE(!ndg_cuda_gather_run(&plan, o.p, 24, p.p, x.p, report, stream));
    SEE(!ndg_cuda_partition_count(&split, x.p, 0, 6, 0, words, 0, stream));
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
    SEE(!ndg_cuda_gather_report_read(&plan, x.p, report, &r, stream));
    SEE(r.bad.count == 4 && r.bad.position == 2 && r.bad.value == -1
        && r.bad.extent == 3 && r.status == NDG_OK);
    SEE(o.holds(promised_out));
    /* what was bad is good by now */
    x.set(0);
    cudaDeviceSynchronize();
    SEE(!ndg_cuda_gather_report_read(&plan, x.p, report, &r, stream));
    SEE(r.bad.count == 4 && r.bad.position == 2 && r.bad.component == -1);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    no_faults();
}

static void run_paths(void)
{
    int i;
    promises();
    for (i = 0; i < 8; i++) two_streams(i);
    run_in_line();
    run_unique();
    run_long_rows();
    run_moving_ids();
    run_copy_row();
}

#endif
