/* test_cuda_launch.cpp - which kernels the launchers of ndgather_cuda.cuh
 * launch, of how many blocks and how the work is cut for them: what no result
 * depends on, but all of the speed. Nothing runs: each launch, memset and copy
 * is written down instead, so addresses are only numbers, and work may be as
 * large as any plan allows. What is expected comes from the rules that the
 * header gives, and each case is named for the one that it is about.
 *
 *     c++ -std=c++11 -O1 -I. tests/cuda/test_cuda_launch.cpp */
#include "emul/cuda_emul.h"
#include "../lib/test.h"

/* ---- what is asked of the device -----------------------------------------*/
typedef void (*any_kernel)(void);

struct launch {
    any_kernel  kernel;
    ptrdiff_t   blocks;
    union { unsigned char first[4096]; uint64_t aligned; };     /* argument */
    template <class A> const A &as() const { return *(const A *)first; }
};

enum { LAUNCHES = 40 };
static launch       got[LAUNCHES];
static int          launches, calls, fails = -1;    /* the call that fails */
static size_t       zeroed;                        /* by the last memset */
static cudaStream_t queue = (cudaStream_t)(size_t)0x5000;

static cudaError_t asked(cudaStream_t s)
{
    CHECK(s == queue);
    return calls++ == fails ? cudaErrorNotSupported : cudaSuccess;
}

template <class H, class... T> struct first_of { typedef H type; };

template <class... P>
static cudaError_t watch_launch(void (*kernel)(P...), dim3 grid, dim3 block,
                                void **argv, size_t shared, cudaStream_t s)
{
    launch &l = got[launches++ % LAUNCHES];
    static_assert(sizeof(typename first_of<P...>::type) <= sizeof l.first,
                  "there is no room for it");
    l.kernel = (any_kernel)kernel;
    l.blocks = grid.x;
    memcpy(l.first, argv[0], sizeof(typename first_of<P...>::type));
    CHECK(grid.y == 1 && grid.z == 1 && shared == 0);
    CHECK(block.x == 256 && block.y == 1 && block.z == 1);
    return asked(s);
}

static cudaError_t watch_memset(void *, int byte, size_t n, cudaStream_t s)
{
    CHECK(byte == 0);
    zeroed = n;
    return asked(s);
}

static cudaError_t watch_copy(void *, const void *, size_t, cudaMemcpyKind,
                              cudaStream_t s)
{
    return asked(s);
}

#define cudaLaunchKernel watch_launch
#define cudaMemsetAsync watch_memset
#define cudaMemcpyAsync watch_copy
#include "cuda_check.h"

enum { BLOCK = 256, WARPS = BLOCK / 32, TILE = 2048 };
static const long ANY = 0x7fffffff;     /* blocks */

#define KERNEL(...) ((any_kernel)(__VA_ARGS__))

/* Arrays that no case lets reach each other. */
static void *array_at(int k) { return (void *)((size_t)(k + 1) << 58); }
enum { OUT, DATA, IDS, SCRATCH, OTHER };
template <class T> static T *other() { return (T *)array_at(OTHER); }

static ptrdiff_t up(ptrdiff_t n, ptrdiff_t by) { return (n + by - 1) / by; }

static void about(const char *what) { strcpy(context, what); }

static void begin(void) { launches = calls = 0; }

/* ---- runs ----------------------------------------------------------------*/
/* How rows, each of some steps of so many bytes, are cut for warps. */
static void cut(const ndgi_runs &t, ptrdiff_t rows, ptrdiff_t steps,
                ptrdiff_t bytes, int period)
{
    /* A run of more than 1024 bytes is cut into the fewest pieces that are not
     * longer: equal ones, but that each begins at a multiple of 16 bytes, and
     * of 16 fills. */
    const ptrdiff_t unit = period ? 16 * period : 16, fewest = up(bytes, 1024);
    ptrdiff_t       piece = bytes, take = 32, count;
    if (fewest > 1) for (piece = unit; piece * fewest < bytes;) piece += unit;
    count = rows * steps * up(bytes, piece);
    /* A warp takes as many as it has lanes, but there should be 8192 warps, or
     * no more than 512 bytes for each. */
    while (take > 1 && take * piece > 512 && count < take * 8192) take /= 2;
    SEE(t.rows == rows);
    SEE(t.bytes == bytes);
    SEE(t.piece == piece);
    SEE(t.pieces == up(bytes, piece));
    SEE(t.count == count);
    SEE(t.take == take);
    SEE(t.period == period);
    SEE(t.blocks == up(count, take * WARPS));
}

/* Of no bytes: a lane for each row. */
static void looks(const launch &l, const ndgi_runs &t, ptrdiff_t rows)
{
    SEE(t.rows == rows && t.count == rows && t.take == 32 && t.bytes == 0);
    SEE(l.blocks == up(rows, BLOCK) && t.blocks == l.blocks);
}

/* ---- gather --------------------------------------------------------------*/
/* A gather_nd of rows of some bytes by some indices each, which a case changes
 * before it is planned, or its plan after that. */
struct gather {
    ndg_gather_desc d;
    ndg_gather_plan plan;
    ptrdiff_t       dims[6], at[2], strides[2], rows;
    size_t          off[3];             /* of out, params, indices */
    ptrdiff_t       first, last;
    gather(ptrdiff_t elem, ptrdiff_t width, int depth, ptrdiff_t n)
        : d(), rows(n), off(), first(0), last(n)
    {
        for (int k = 0; k < depth; k++) dims[k] = 10;
        dims[depth] = width;
        d.params = ndg_dims(depth + 1, dims, 0);
        d.elem_size = elem;
        indices(depth, 4);
    }
    /* So many for a row, of so many bytes and that far apart. */
    void indices(int depth, ptrdiff_t bytes, ptrdiff_t step = 0,
                 ptrdiff_t row_step = 0)
    {
        at[0] = rows;
        at[1] = depth;
        strides[1] = step ? step : bytes;
        strides[0] = row_step ? row_step : depth * bytes;
        d.index_type = bytes == 8 ? NDG_I64 : NDG_I32;
        d.indices = ndg_dims(2, at, strides);
    }
    gather &planned(const char *what)
    {
        about(what);
        plan = ::planned(d);
        return *this;
    }
    const launch &run()
    {
        begin();
        SEE(!ndg_cuda_gather_run_range(&plan, (char *)array_at(OUT) + off[0],
                PTRDIFF_MAX, (char *)array_at(DATA) + off[1],
                (char *)array_at(IDS) + off[2], first, last, 0, 0, queue));
        SEE(launches == 1 && calls == 1);
        return got[0];
    }
    /* A look at the indices: a lane for each row, or nothing to look at. */
    void looks_at(ptrdiff_t n)
    {
        begin();
        SEE(!ndg_cuda_gather_check(&plan, array_at(IDS), 0, n, 0,
                                   other<ndg_cuda_report>(), queue));
        SEE(launches == (plan.depth > 0));
        if (!launches) return;
        SEE(got[0].kernel == KERNEL(ndgi_copy_runs<ndgi_gather_args>));
        looks(got[0], got[0].as<ndgi_gather_args>().runs, n);
    }
    /* By the general kernel. */
    void by_runs()
    {
        const launch     &l = run();
        ptrdiff_t         steps = 1;
        const ndgi_runs  &t = l.as<ndgi_gather_args>().runs;
        SEE(l.kernel == KERNEL(ndgi_copy_runs<ndgi_gather_args>));
        if (l.kernel != KERNEL(ndgi_copy_runs<ndgi_gather_args>)) return;
        for (int k = 0; k < plan.copy_levels; k++)
            steps *= plan.level[k].extent;
        cut(t, last - first, steps, plan.run_bytes,
            d.policy == NDG_FILL ? (int)d.elem_size : 0);
        SEE(l.blocks == t.blocks);
    }
    /* Sixteen bytes of out for a lane; one block more than those would fill,
     * as out may begin in the middle of them. */
    void by_elements(any_kernel kernel)
    {
        const launch &l = run();
        SEE(l.kernel == kernel);
        SEE(l.blocks == (last - first) * plan.run_bytes / (16 * BLOCK) + 1);
    }
    /* ... if they are on their alignment, else by any kernel but theirs. */
    void by_elements_if(bool aligned, any_kernel kernel)
    {
        if (aligned) by_elements(kernel);
        else by_runs();
    }
    /* Some vectors for a lane: whole rows for a block. */
    template <class I, class V, int U, int D> void by_line()
    {
        const launch         &l = run();
        const ndgi_line_args &a = l.as<ndgi_line_args>();
        const ptrdiff_t       n = plan.run_bytes / (ptrdiff_t)sizeof(V);
        const ptrdiff_t       each = U * BLOCK / n;
        SEE(l.kernel == KERNEL(ndgi_gather_line<I, V, U, D>));
        if (l.kernel != KERNEL(ndgi_gather_line<I, V, U, D>)) return;
        SEE(a.vectors == (unsigned)n && a.rows == (unsigned)each);
        SEE(a.block_ids == (unsigned)(each * plan.level[0].indices));
        SEE(a.block_out == (unsigned)(each * plan.run_bytes));
        for (unsigned q = 0; q < 4096; q++)
            if (q * a.inverse >> 20 != q / (unsigned)n) SEE(!q);
        SEE(l.blocks == up(last - first, each));
        SEE(a.blocks == (unsigned)l.blocks);
    }
};

/* A gather in line of rows of vectors or words, by indices of 4 bytes or 8, in
 * pairs or one by one. Lanes take fewer words by pairs of 8 bytes, as registers
 * allow. */
static void by_line(gather &g, bool vectors, bool wide, bool pairs)
{
    if (vectors && pairs && wide) g.by_line<long long, uint4, 2, 2>();
    else if (vectors && pairs) g.by_line<int, uint4, 2, 2>();
    else if (vectors && wide) g.by_line<long long, uint4, 2, 1>();
    else if (vectors) g.by_line<int, uint4, 2, 1>();
    else if (pairs && wide) g.by_line<long long, unsigned, 2, 2>();
    else if (pairs) g.by_line<int, unsigned, 3, 2>();
    else if (wide) g.by_line<long long, unsigned, 3, 1>();
    else g.by_line<int, unsigned, 3, 1>();
}

static void runs(void)
{
    static const ptrdiff_t bytes[] = { 3, 5, 9, 15, 17, 33, 63, 65, 127, 255,
        257, 511, 513, 1009, 1023, 1024, 1025, 1040, 2047, 2048, 2049, 3000,
        4096, 4097, 65537, 1 << 20 };
    /* rows about those for 8192 warps of 32, 16 ... 1 */
    static const ptrdiff_t rows[] = { 1, 2, 8, 31, 32, 33, 255, 256, 257, 8191,
        8192, 8193, 16383, 16384, 32768, 65535, 65536, 131072, 131071, 262143,
        262144, 262145, 10000000 };
    for (ptrdiff_t b : bytes)
        for (ptrdiff_t n : rows) {
            gather g(1, b, 5, n);
            g.planned("runs: any bytes, any rows").by_runs();
            g.first = n / 3;
            about("runs: not from the first row");
            g.by_runs();
        }
    for (int period = 1; period <= 16; period++)
        for (ptrdiff_t b : bytes) {
            gather g(period, b, 5, 1000);
            g.d.policy = NDG_FILL;
            g.planned("runs: pieces of whole fills").by_runs();
        }
    {
        gather g(1, 100, 1, 5000);
        const ptrdiff_t dims[3] = { 10, 7, 100 }, bytes_[3] = { 2000, 200, 1 };
        g.d.params = ndg_dims(3, dims, bytes_);
        g.planned("runs: each row in seven steps");
        SEE(g.plan.copy_levels == 1);
        g.by_runs();
    }
    /* 1 << 40 rows of 2048 bytes: 2 warps a row, and only so many blocks */
    gather g(1, 2048, 5, (ptrdiff_t)1 << 40);
    g.d.overlap = NDG_OVERLAP_DISJOINT;
    g.planned("runs: more blocks than a launch can have");
    SEE(g.run().blocks == ANY);
    test_blocks = 5;
    SEE(g.run().blocks == 5);
    g.last = 4 * 4;                     /* 8 pieces a block */
    SEE(g.run().blocks == 4);
    g.last = 4 * 5;
    SEE(g.run().blocks == 5);
    g.last++;
    SEE(g.run().blocks == 5);
    test_blocks = ANY;
    {
        gather c(4, 25, 1, 1000);
        c.planned("a check: a lane for each row");
        for (ptrdiff_t n = 255; n < 258; n++) c.looks_at(n);
        gather(16, 1, 1, 1000).planned("a check of rows that would go in line")
            .looks_at(1000);
        c.d.indices = ndg_dims2(1000, 0);
        c.planned("a check of no indices: no launch").looks_at(1000);
    }
}

static void elements(void)
{
    static const any_kernel kernels[4] = {
        KERNEL(ndgi_gather_elements<ndgi_byte>),
        KERNEL(ndgi_gather_elements<unsigned short>),
        KERNEL(ndgi_gather_elements<unsigned>),
        KERNEL(ndgi_gather_elements<ndgi_u64>)
    };
    for (int k = 0; k < 4; k++) {
        const ptrdiff_t e = 1 << k, all = 16 * BLOCK / e;   /* of a block */
        const ptrdiff_t rows[] = { 2, 3, all - 1, all, all + 1, 2 * all - 1,
                                   2 * all, 9 * all + 5, (ptrdiff_t)1 << 33 };
        for (ptrdiff_t n : rows) {
            gather g(e, 1, 1, n);
            g.planned("elements").by_elements(kernels[k]);
            g.first = n / 3;
            about("elements, not from the first row");
            if (g.first) g.by_elements(kernels[k]);
        }
        gather(1, e, 3, all).planned("elements of bytes, by three indices")
            .by_elements(kernels[k]);
        for (int a = 0; a < 2; a++) {
            gather g(e, 1, 1, 1000);
            g.off[a] = 1;
            g.planned("elements off their alignment")
                .by_elements_if(e == 1, kernels[k]);
        }
        gather g(e, 1, 1, 1000);
        g.d.out = ndg_strided2(1000, 16, 1, e);
        g.planned("elements apart in out: one by one").by_runs();
        g.d.out = ndg_shape();
        g.d.params = ndg_strided2(10, 3 * e, 1, e);
        g.planned("elements apart in params").by_elements(kernels[k]);
        g.d.params = ndg_strided2(10, 3 * e + 1, 1, e);
        g.planned("elements apart in params, off their alignment")
            .by_elements_if(e == 1, kernels[k]);
        g.d.params = ndg_strided3(10, 300, 2, 100, 1, e);
        g.planned("elements with copy levels").by_runs();
        g.d.params = ndg_dims2(10, 1);
        g.planned("elements of batches, off their alignment");
        g.plan.level[0].source = 3 * e + 1;
        g.by_elements_if(e == 1, kernels[k]);
    }
}

/* A plan with one field changed, for the time of a launch: in line, with its
 * indices in pairs or one by one, or by the general kernel. */
template <class T>
static void changed(gather &g, const char *what, T &field, ptrdiff_t value,
                    int in_line = 0)
{
    const T was = field;
    about(what);
    field = (T)value;
    if (in_line) by_line(g, true, false, in_line == 2);
    else g.by_runs();
    field = was;
}

/* Rows of elements of 16 bytes, or of 4, that the kernel for rows in line
 * takes, and those that differ from them in one thing. */
static void lines(void)
{
    const ptrdiff_t two31 = (ptrdiff_t)1 << 31, two32 = (ptrdiff_t)1 << 32;
    const ptrdiff_t mega = 1 << 20;
    static const ptrdiff_t rows[] = { 2, 3, 31, 32, 33, 255, 256, 257, 511, 512,
                                      513, 9999 };
    for (ptrdiff_t n : rows)
        for (ptrdiff_t v = 1; v <= 256; v += v < 8 ? 1 : 31) {
            gather(16, v, 1, n).planned("line: vectors")
                .by_line<int, uint4, 2, 1>();
            if (v <= 8 && v % 4 && v != 2 && v != 1)
                gather(4, v, 1, n).planned("line: words")
                    .by_line<int, unsigned, 3, 1>();
        }
    gather(16, 4, 1, 1).planned("line: one row is none").by_runs();
    gather(4, 1, 1, 1).planned("elements: one row is none").by_runs();
    gather(16, 256, 1, 50).planned("line: 256 vectors a row")
        .by_line<int, uint4, 2, 1>();
    gather(16, 257, 1, 50).planned("line: 257 vectors a row").by_runs();
    gather(4, 7, 1, 50).planned("line: 28 bytes")
        .by_line<int, unsigned, 3, 1>();
    gather(4, 8, 1, 50).planned("line: 32 bytes")
        .by_line<int, uint4, 2, 1>();
    gather(4, 9, 1, 50).planned("line: 36 bytes, long for words").by_runs();
    gather(2, 7, 1, 50).planned("line: 14 bytes, no words").by_runs();
    for (int depth = 1; depth <= 5; depth++)
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            gather v(16, 2, depth, 500), w(4, 3, depth, 500);
            const bool pairs = depth % 2 == 0, wide = bytes == 8;
            v.indices(depth, bytes);
            w.indices(depth, bytes);
            v.planned("line: vectors, by depth");
            w.planned("line: words, by depth");
            if (depth == 5) {
                v.by_runs();
                w.by_runs();
                v.off[2] = 2;
                v.by_runs();
                continue;
            }
            by_line(v, true, wide, pairs);
            by_line(w, false, wide, pairs);
            /* pairs that do not lie side by side, or off their alignment */
            v.indices(depth, bytes, 2 * bytes, 10 * bytes);
            by_line(v.planned("line: indices apart"), true, wide, false);
            v.indices(depth, bytes);
            v.off[2] = (size_t)bytes;
            by_line(v.planned("line: indices off the alignment of pairs"), true,
                    wide, false);
            v.off[2] = 0;
            v.indices(depth, bytes, bytes, 11 * bytes);
            by_line(v.planned("line: index rows off the alignment of pairs"),
                    true, wide, false);
            v.off[2] = 2;
            v.planned("line: indices off their own alignment").by_runs();
        }
    for (int type = 0; type <= NDG_U64; type++) {
        gather g(16, 2, 1, 500);
        g.d.index_type = type;
        g.d.indices = ndg_strided2(500, 8, 1, 8);
        g.planned("line: types of indices");
        if (type == NDG_I32) g.by_line<int, uint4, 2, 1>();
        else if (type == NDG_I64) g.by_line<long long, uint4, 2, 1>();
        else g.by_runs();
    }
    for (int a = 0; a < 2; a++) {
        gather v(16, 2, 1, 500), w(4, 3, 1, 500);
        v.off[a] = 8;
        v.planned("line: vectors off their alignment").by_runs();
        w.off[a] = 4;
        w.planned("line: words on theirs").by_line<int, unsigned, 3, 1>();
        w.off[a] = 2;
        w.planned("line: words off their alignment").by_runs();
    }
    for (int size = 1; size <= 16; size++) {
        gather g(size, 48, 1, 50);
        g.d.policy = NDG_FILL;
        g.planned("line: fills that are a part of a vector");
        if (16 % size == 0) g.by_line<int, uint4, 2, 1>();
        else g.by_runs();
    }
    gather g(16, 2, 2, 500);
    g.planned("line: nothing of it changed").by_line<int, uint4, 2, 2>();
    g.plan.level[1] = g.plan.level[0];          /* one that may come in use */
    ndg_gather_plan &p = g.plan;
    ndg_level       &row = p.level[0];
    changed(g, "line: no index", p.depth, 0);
    changed(g, "line: a copy level", p.copy_levels, 1);
    changed(g, "line: no row level", p.row_levels, 0);
    changed(g, "line: two row levels", p.row_levels, 2);
    changed(g, "line: indices that are masked", p.index_mask, 1);
    changed(g, "line: indices that are added to", p.index_add, 1);
    changed(g, "line: gaps in out", row.out, 48);
    changed(g, "line: a batch", row.source, 64);
    changed(g, "line: indices backwards", row.indices, -8);
    changed(g, "line: index rows under a MiB apart", row.indices, mega - 8, 2);
    changed(g, "line: index rows a MiB apart", row.indices, mega);
    changed(g, "line: one index for all", row.indices, 0, 2);
    changed(g, "line: components backwards", p.index_step, -4);
    changed(g, "line: components at one place", p.index_step, 0, 1);
    changed(g, "line: components under a MiB apart", p.index_step, mega - 4, 1);
    changed(g, "line: components a MiB apart", p.index_step, mega);
    changed(g, "line: components off their alignment", p.index_step, 6);
    for (int k = 0; k < 2; k++) {
        changed(g, "line: most of an extent", p.extent[k], two31 - 1, 2);
        changed(g, "line: an extent of 32 bits", p.extent[k], two31);
        changed(g, "line: most of a stride", p.stride[k], two32 - 16, 2);
        changed(g, "line: a stride of 33 bits", p.stride[k], two32);
        changed(g, "line: backwards in params", p.stride[k], -32);
        changed(g, "line: one row for all", p.stride[k], 0, 2);
        changed(g, "line: an odd stride", p.stride[k], 40);
    }
    p.rows = two31;
    g.last = two31 - 1;
    about("line: most of rows");
    g.by_line<int, uint4, 2, 2>();
    g.last = two31;
    about("line: rows of 32 bits");
    g.by_runs();
    g.first = 1;
    about("line: most of rows, not from the first");
    g.by_line<int, uint4, 2, 2>();
}

/* ---- stitch --------------------------------------------------------------*/
struct stitch {
    ndg_stitch_desc d;
    ndg_stitch_plan plan;
    ptrdiff_t       total, n, entries;
    bool            report;
    stitch(ptrdiff_t elem, ptrdiff_t rows, ptrdiff_t lists, ptrdiff_t all)
        : d(weave_of(elem)), total(rows), n(lists), entries(all), report(true)
    {}
    ptrdiff_t scratch(ptrdiff_t marked) const
    {
        return ndg_cuda_stitch_scratch_bytes(&plan, marked, n, entries);
    }
    void planned(const char *what)
    {
        about(what);
        plan = ::planned(d);
    }
    ndg_cuda_stitch_report *seen() const
    {
        return report ? other<ndg_cuda_stitch_report>() : 0;
    }
    /* What all have first: of the scratch all but the sums is zeroed, and one
     * block, if there are lists, makes these. */
    int sums(ptrdiff_t marked)
    {
        SEE(zeroed == (size_t)(scratch(marked) - 8 * n));
        if (n) SEE(got[0].kernel == KERNEL(ndgi_scan) && got[0].blocks == 1);
        return n > 0;
    }
    cudaError_t call()
    {
        begin();
        return ndg_cuda_stitch_run(&plan, array_at(OUT), PTRDIFF_MAX, total, 0,
                other<ndg_list>(), n, entries, array_at(SCRATCH), PTRDIFF_MAX,
                seen(), queue);
    }
    cudaError_t call_unique()
    {
        begin();
        return ndg_cuda_stitch_unique(&plan, array_at(OUT), PTRDIFF_MAX, total,
                0, other<ndg_list>(), n, entries, array_at(SCRATCH),
                PTRDIFF_MAX, seen(), queue);
    }
    cudaError_t call_total()
    {
        begin();
        return ndg_cuda_stitch_total(&plan, other<ndg_list>(), n, entries,
                other<ptrdiff_t>(), array_at(SCRATCH), PTRDIFF_MAX, seen(),
                queue);
    }
    /* A thread for each entry, to find the owners; if gaps matter before the
     * first byte is written, or are only reported, a lane for each row; then
     * the rows, if they have bytes. */
    void run()
    {
        const any_kernel copy = KERNEL(ndgi_copy_runs<ndgi_stitch_args>);
        int              k;
        SEE(!call());
        k = sums(total);
        if (entries) {
            SEE(got[k].kernel == KERNEL(ndgi_stitch_own));
            SEE(got[k++].blocks == up(entries, BLOCK));
        }
        if (total && (d.gaps == NDG_GAPS_ERROR
                      || (report && !plan.row.run_bytes))) {
            SEE(got[k].kernel == copy);
            SEE(got[k].as<ndgi_stitch_args>().holes
                == (report ? &seen()->holes : 0));
            looks(got[k], got[k].as<ndgi_stitch_args>().runs, total);
            k++;
        }
        if (total && plan.row.run_bytes) {
            const ndgi_stitch_args &a = got[k].as<ndgi_stitch_args>();
            SEE(got[k].kernel == copy && got[k].blocks == a.runs.blocks);
            SEE(a.holes == (report && d.gaps != NDG_GAPS_ERROR ? &seen()->holes
                                                               : 0));
            cut(a.runs, total, 1, plan.row.run_bytes, 0);
            k++;
        }
        SEE(launches == k && calls == k + 1);
    }
    void unique()
    {
        int k;
        SEE(!call_unique());
        if (!plan.row.run_bytes && !report) {
            SEE(calls == 0);
            return;
        }
        k = sums(0);
        const ndgi_scatter_args &a = got[k].as<ndgi_scatter_args>();
        SEE(launches == k + (entries > 0) && calls == launches + 1);
        if (!entries) return;
        SEE(got[k].kernel == KERNEL(ndgi_copy_runs<ndgi_scatter_args>));
        SEE(got[k].blocks == a.runs.blocks);
        if (!plan.row.run_bytes) looks(got[k], a.runs, entries);
        else cut(a.runs, entries, 1, plan.row.run_bytes, 0);
    }
    void most()
    {
        int k;
        SEE(!call_total());
        k = sums(0);
        SEE(launches == k + (entries > 0) && calls == launches + 2);
        if (!entries) return;
        SEE(got[k].kernel == KERNEL(ndgi_stitch_most));
        SEE(got[k].blocks == up(entries, BLOCK));
    }
};

static void stitches(void)
{
    static const ptrdiff_t counts[] = { 0, 1, 2, 255, 256, 257, 512, 9999 };
    for (ptrdiff_t total : counts)
        for (ptrdiff_t entries : counts)
            for (int k = 0; k < 24; k++) {
                stitch s(1 + k % 3 * 700, total, k % 4, entries);
                s.d.gaps = k % 3;
                s.report = k < 12;
                if (k % 5 == 4) s.d.slice = ndg_dims1(0);
                s.planned("stitch");
                /* no row, and nobody who asks: nothing to do */
                if (total || (s.report && entries)) {
                    s.run();
                } else {
                    SEE(!s.call() && calls == 0);
                }
                s.unique();
                s.most();
            }
    /* owners of 32 bits, two in a word, as long as entries are fewer */
    const ptrdiff_t two32 = (ptrdiff_t)1 << 32;
    for (int wide = 0; wide < 2; wide++) {
        stitch s(4, 1001, 3, two32 - 1 + wide);
        s.planned("stitch: owners of 64 bits");
        s.run();
        SEE(s.scratch(1001) == 8 * (3 + 3 + (wide ? 1001 : 501)));
        SEE(got[1].as<ndgi_stitch_args>().wide == wide);
    }
    /* lists and rows of all sizes but those whose bytes are no number */
    stitch s(4, 9, 3, 9);
    s.planned("stitch: sizes of scratch");
    const ptrdiff_t many = (ptrdiff_t)1 << 58;
    SEE(ndg_cuda_stitch_scratch_bytes(&s.plan, 0, 0, 0) == 24);
    SEE(ndg_cuda_stitch_scratch_bytes(&s.plan, many - 1, 5, 9)
        == 8 * (8 + many / 2));
    SEE(ndg_cuda_stitch_scratch_bytes(&s.plan, many, 5, 9) == -1);
    SEE(ndg_cuda_stitch_scratch_bytes(&s.plan, 9, many - 1, 9)
        == 8 * (many + 7));
    SEE(ndg_cuda_stitch_scratch_bytes(&s.plan, 9, many, 9) == -1);
}

/* ---- partition -----------------------------------------------------------*/
struct split {
    ndg_partition_desc d;
    ndg_partition_plan plan;
    ptrdiff_t          rows;
    bool               packed;
    void              *out, *at;        /* of one array, or of each part */
    char              *data, *ids;
    split(ptrdiff_t n, ptrdiff_t bytes, ptrdiff_t parts)
        : d(split_of(n, bytes, parts)), rows(n), packed(false),
          out(array_at(OUT)), at(0), data((char *)array_at(DATA)),
          ids((char *)array_at(IDS))
    {
        d.overlap = NDG_OVERLAP_DISJOINT;
    }
    split &planned(const char *what)
    {
        about(what);
        plan = ::planned(d);
        return *this;
    }
    cudaError_t call()
    {
        begin();
        if (packed)
            return ndg_cuda_partition_packed(&plan, out, PTRDIFF_MAX, at, data,
                    ids, rows, 0, other<ptrdiff_t>(), array_at(SCRATCH),
                    PTRDIFF_MAX, 0, queue);
        return ndg_cuda_partition_run(&plan, (void **)out, (void **)at, data,
                ids, rows, 0, other<ptrdiff_t>() + 1, other<ptrdiff_t>(),
                array_at(SCRATCH), PTRDIFF_MAX, 0, queue);
    }
    cudaError_t count(ptrdiff_t first, ptrdiff_t last)
    {
        begin();
        return ndg_cuda_partition_count(&plan, ids, first, last, 0,
                                        other<ptrdiff_t>(), 0, queue);
    }
    /* The rows of a block: a share of them for each of 2048 blocks, if these
     * can be; but no fewer than bring 128 KiB, of 8 bytes more than a row each,
     * or fill a tile; if they are more than a tile, whole tiles. */
    ptrdiff_t part() const
    {
        const ptrdiff_t most = test_blocks < 2048 ? test_blocks : 2048;
        const ptrdiff_t enough = up(16384, plan.row.bytes / 8 + 1);
        const ptrdiff_t least = enough < TILE ? enough : (ptrdiff_t)TILE;
        const ptrdiff_t share = up(rows, most);
        const ptrdiff_t n = share > least ? share : least;
        return n > TILE ? up(n, TILE) * TILE : n;
    }
    /* Few and long rows: a block for every 8 KiB, as long as there are no more
     * than 2048. */
    ptrdiff_t slices() const
    {
        const ptrdiff_t most = test_blocks < 2048 ? test_blocks : 2048;
        const ptrdiff_t room = most / up(rows, part());
        const ptrdiff_t some = plan.row.bytes / 8192 * part();
        return some < 1 || room < 1 ? 1 : some < room ? some : room;
    }
    bool plain() const
    {
        return d.index_type == NDG_I32 && plan.index_stride == 4
            && d.num_partitions < (ptrdiff_t)1 << 31;
    }
    void counts(const launch &l, bool words) const
    {
        SEE(l.kernel == (words ? KERNEL(ndgi_split_count<ndgi_words>)
            : plain() ? KERNEL(ndgi_split_count<ndgi_plain_ids>)
                      : KERNEL(ndgi_split_count<ndgi_any_ids>)));
        SEE(l.blocks == up(rows, part()));
    }
    template <class R> any_kernel deal(bool words, int vector) const
    {
        return words ? KERNEL(ndgi_split_deal<R, ndgi_to_words>)
             : vector == 16
             ? KERNEL(ndgi_split_deal<R, ndgi_to_vectors<uint4, 4> >)
             : vector == 4
             ? KERNEL(ndgi_split_deal<R, ndgi_to_vectors<unsigned, 4> >)
             : KERNEL(ndgi_split_deal<R, ndgi_to_runs>);
    }
    /* Of many parts the ids are counted at first. Then, for each digit of the
     * ids, three kernels: counts, sums of each digit's column by a warp, deals;
     * sums of sums between them: of what digits come before; of the rows of
     * parts that end in the same digit; of parts that lie packed. A digit has
     * 8 bits, and all are equally long. */
    void run(int vector)
    {
        int bits = 1, digits, digit, k = 0;
        SEE(!call());
        while (((plan.num_partitions - 1) >> bits) != 0) bits++;
        digits = (int)up(bits, 8);
        digit = (int)up(bits, digits);
        SEE(calls == launches + !packed + (packed && digits > 1));
        if (digits > 1) counts(got[k++], false);
        for (int pass = 0; pass < digits; pass++) {
            const bool      last = pass + 1 == digits;
            const ptrdiff_t top = ((plan.num_partitions - 1)
                                   >> digit * (digits - 1)) + 1;
            const ptrdiff_t values = last ? top : (ptrdiff_t)1 << digit;
            counts(got[k++], pass > 0);
            SEE(got[k].kernel == KERNEL(ndgi_scan));
            SEE(got[k++].blocks == up(values, WARPS));
            if (!last || pass) {
                SEE(got[k].kernel == KERNEL(ndgi_scan));
                SEE(got[k++].blocks == (last ? up(values, WARPS) : 1));
            }
            if (last && packed) {
                SEE(got[k].kernel == KERNEL(ndgi_scan));
                SEE(got[k++].blocks == 1);
            }
            const launch          &l = got[k++];
            const ndgi_split_args &a = l.as<ndgi_split_args>();
            SEE(l.kernel == (pass ? deal<ndgi_words>(!last, vector)
                : plain() ? deal<ndgi_plain_ids>(!last, vector)
                          : deal<ndgi_any_ids>(!last, vector)));
            SEE(l.blocks == up(rows, part()) * (last ? slices() : 1));
            SEE(a.values == values && a.bits == digit && a.id_bits == bits);
            SEE(a.shift == pass * digit && a.part == part());
            /* words go to and fro between two arrays */
            SEE(a.to == (last ? 0 : a.words + pass % 2 * rows));
            SEE(a.from == (pass ? a.words + (pass - 1) % 2 * rows : 0));
            /* in the order of the tile rows are read in line; sorted, they
             * are written so, which is the better for words, short rows and
             * long ones */
            SEE(a.sorted == (!last || plan.row.bytes < 48
                             || plan.row.bytes > 128));
            if (last) SEE(a.vector == vector && a.slices == slices());
        }
        SEE(launches == k);
    }
    /* A row in pieces, for as many lanes as for those of all rows. */
    void row_runs()
    {
        SEE(!call());
        const ndgi_runs &t = got[launches - 1].as<ndgi_split_args>().runs;
        ndgi_runs        all = t;
        const ptrdiff_t  steps = t.count / t.pieces;
        all.rows = rows;
        all.count *= rows;
        all.blocks = up(all.count, all.take * WARPS);
        cut(all, rows, steps, plan.row.run_bytes, 0);
        SEE(t.rows == 1);
    }
};

/* The widest vectors that data, its stride and the rows' bytes are whole ones
 * of, if a block's threads can take a row; else runs. */
static void vectors(void)
{
    static const struct { ptrdiff_t bytes, off; int vector; } cases[] = {
        { 16, 0, 16 }, { 16, 8, 4 }, { 16, 4, 4 }, { 16, 2, 1 }, { 16, 1, 1 },
        { 4, 0, 4 }, { 4, 4, 4 }, { 4, 2, 1 }, { 8, 0, 4 }, { 12, 0, 4 },
        { 20, 4, 4 }, { 32, 0, 16 }, { 36, 0, 4 }, { 1, 0, 1 }, { 2, 0, 1 },
        { 18, 0, 1 }, { 4096, 0, 16 }, { 4112, 0, 1 }, { 1020, 0, 4 },
        { 1024, 4, 4 }, { 1028, 0, 1 }, { 1040, 4, 1 }, { 255, 0, 1 }
    };
    for (int k = 0; k < 23; k++)
        for (int packed = 0; packed < 2; packed++) {
            split s(3000, cases[k].bytes, 5);
            s.data += cases[k].off;
            s.packed = packed != 0;
            s.planned("vectors").run(cases[k].vector);
        }
    split s(3000, 16, 5);
    s.d.data = ndg_strided2(3000, 20, 16, 1);
    s.planned("vectors: gaps between rows of data").run(4);
    s.d.data = ndg_strided2(3000, 17, 16, 1);
    s.planned("vectors: odd gaps").run(1);
    s.d.data = ndg_dims2(3000, 16);
    s.d.out_stride = 20;
    s.planned("vectors: gaps between rows of out").run(4);
    s.d.out_stride = 0;
    s.d.data = ndg_strided3(3000, 64, 2, 32, 16, 1);
    s.planned("vectors: rows of two runs").run(1);
    s.d.data = ndg_dims2(3000, 0);
    s.planned("vectors: positions alone").run(1);
    const ptrdiff_t two31 = (ptrdiff_t)1 << 31;
    s.d.data = ndg_strided2(3000, two31 - 16, 16, 1);
    s.planned("vectors: rows of data just under 2 GiB apart").run(16);
    s.d.data = ndg_strided2(3000, two31, 16, 1);
    s.planned("vectors: rows of data 2 GiB apart").run(1);
    s.d.data = ndg_strided2(3000, -two31, 16, 1);
    s.planned("vectors: as far, backwards").run(16);
}

static void splits(void)
{
    static const ptrdiff_t bytes[] = { 0, 1, 4, 47, 48, 56, 63, 64, 100, 128,
        129, 1000, 8191, 8192, 16384, 100000, 131064, 131072, 1 << 20,
        1 << 24 };
    static const ptrdiff_t rows[] = { 1, 2, 3, 15, 16, 17, 100, 2047, 2048,
        2049, 4096, 4097, 2048 * 2048 - 1, 2048 * 2048, 2048 * 2048 + 1,
        50000000 };
    static const ptrdiff_t parts[] = { 1, 2, 3, 8, 9, 255, 256, 257, 258, 512,
        513, 65535, 65536, 65537, 1 << 24, (1 << 24) + 1,
        (ptrdiff_t)1 << 31, ((ptrdiff_t)1 << 31) - 1, (ptrdiff_t)1 << 45 };
    static const long blocks[] = { ANY, 5, 2047, 2048, 2049 };
    for (long b : blocks) {
        test_blocks = b;
        for (ptrdiff_t n : rows)
            for (ptrdiff_t e : bytes) {
                const int vector = e == 0 || e > 4096 ? 1 : e % 16 == 0 ? 16
                                 : e % 4 == 0 && e <= 1024 ? 4 : 1;
                split s(n, e, 7);
                s.planned("split: rows of any size").run(vector);
                if (e) s.row_runs();
            }
    }
    test_blocks = ANY;
    for (ptrdiff_t p : parts)
        for (int k = 0; k < 4; k++) {
            split s(5000, 64, p);
            s.packed = k % 2 != 0;
            if (k > 1) s.d.index_type = NDG_I64;
            s.planned("split: parts of any number").run(16);
        }
    {
        split s(5000, 64, 7);
        s.d.partitions = ndg_strided1(5000, 8);
        s.planned("split: ids apart").run(16);
        s.d.index_type = NDG_U32;
        s.d.partitions = ndg_dims1(5000);
        s.planned("split: ids of another type").run(16);
        s.d.index_type = NDG_I16;
        s.d.partitions = ndg_strided1(5000, 4);
        s.planned("split: ids of 2 bytes").run(16);
        s.d.index_type = NDG_I32;
        s.planned("split: ids off their alignment");
        for (int k = 1; k < 4; k++) {
            s.ids++;
            SEE(!s.count(0, 5000));
            SEE(got[0].kernel == KERNEL(ndgi_split_count<ndgi_any_ids>));
        }
    }
    {
        split s(2049, 64, 7);
        s.planned("split: a count");
        SEE(!s.count(0, 2049));
        SEE(launches == 1 && calls == 2 && zeroed == 7 * 8);
        s.counts(got[0], false);
        SEE(!s.count(1, 1));
        SEE(launches == 0 && calls == 1);
        s.packed = true;
        s.rows = 0;
        about("split: no rows, all offsets are 0");
        SEE(!s.call());
        SEE(launches == 0 && calls == 1 && zeroed == 8 * 8);
        s.packed = false;
        about("split: no rows, all counts are 0");
        SEE(!s.call());
        SEE(launches == 0 && calls == 1 && zeroed == 7 * 8);
    }
}

/* What scratch is made of, word by word. */
static void scratch(void)
{
    static const ptrdiff_t parts[] = { 1, 2, 255, 256, 257, 300, 512, 65536,
                                       65537, 100000, 1 << 24, 1 << 25 };
    static const ptrdiff_t rows[] = { 1, 2048, 2049, 2048 * 2048,
                                      2048 * 2048 + 1 };
    for (ptrdiff_t p : parts)
        for (ptrdiff_t n : rows) {
            split s(n, 4, p);
            int   bits = 1, digits;
            s.planned("scratch");
            while (((p - 1) >> bits) != 0) bits++;
            digits = (int)up(bits, 8);
            bits = (int)up(bits, digits);
            const ptrdiff_t low = (ptrdiff_t)1 << bits * (digits - 1);
            const ptrdiff_t top = (p - 1) / low + 1;
            /* items before each block of each digit, and in all, of as many
             * blocks as these rows or fewer can make */
            const ptrdiff_t blocks = up(n, 2048) < 2048 ? up(n, 2048) : 2048;
            ptrdiff_t       words = (blocks + 1) << bits;
            /* sums of digits; of the parts that end in each, and one more;
             * rows, twice if they are read and written; rows of each part */
            if (digits > 1)
                words += ((ptrdiff_t)1 << bits) + 1 + top * (low + 1)
                       + (digits > 2 ? 2 : 1) * n + p;
            SEE(ndg_cuda_partition_scratch_bytes(&s.plan, n) == 8 * words);
        }
}

/* What the manual says of it: how much it is, and that it serves fewer rows. */
static void scratch_as_promised(void)
{
    static const ptrdiff_t parts[] = { 1, 256, 257, 65536, 65537, (1 << 24) + 1,
                                       ((ptrdiff_t)1 << 32) + 1 };
    static const ptrdiff_t bytes[] = { 1, 8, 100, 1024, 70000 };
    for (ptrdiff_t p : parts)
        for (ptrdiff_t b : bytes) {
            split     s(5000000, b, p);
            ptrdiff_t before = 0;
            s.planned("scratch as promised");
            for (ptrdiff_t n = 0; n <= 5000000; n += 1 + n / 50) {
                const ptrdiff_t most = 4300000
                    + (p > 256 ? 8 * n + 24 * p : 0) + (p > 65536 ? 8 * n : 0);
                const ptrdiff_t now = ndg_cuda_partition_scratch_bytes(&s.plan,
                                                                       n);
                SEE(now >= before && now <= most);
                before = now;
            }
        }
}

/* ---- what is refused -----------------------------------------------------*/
/* The bytes that one array has, from an address on. */
struct span {
    ptrdiff_t low, high;
    span() : low(0), high(0) {}
    void with(ptrdiff_t at, ptrdiff_t bytes)
    {
        if (low == high) { low = at; high = at + bytes; }
        if (at < low) low = at;
        if (at + bytes > high) high = at + bytes;
    }
    /* Whether another, that is so far from it, has one of them. */
    bool meets(const span &o, ptrdiff_t by) const
    {
        return low != high && o.low != o.high && o.low + by < high
            && low < o.high + by;
    }
};

/* Each array that is written beside each one that is not to be: refused if,
 * and only if, they share a byte, all that lies between rows included. */
static void apart(ptrdiff_t rows, ptrdiff_t width, ptrdiff_t step,
                  ptrdiff_t stride, ptrdiff_t id_step, int type)
{
    static const int word[] = { 4, 1, 2, 8 };           /* I32, I8, I16, I64 */
    split s(rows, width, 3);
    span  data, ids, out, positions;
    for (ptrdiff_t i = 0; i < rows; i++) {
        for (ptrdiff_t k = 0; k < width; k++)
            data.with(i * stride + k * step, 1);
        ids.with(i * id_step, word[type]);
        out.with(i * width, width);
        positions.with(2 * i, 2);
    }
    if (!width) out = span();
    s.d.overlap = 0;
    s.d.data = ndg_strided2(rows, stride, width, step);
    s.d.partitions = ndg_strided1(rows, id_step);
    s.d.index_type = type;
    s.d.position_type = NDG_I16;
    s.planned("apart");
    s.packed = true;
    for (ptrdiff_t by = -40; by <= 40; by++)
        for (int k = 0; k < 5; k++) {
            char *const     o = (char *)array_at(OUT);
            const span     &to = k < 2 ? out : positions;
            const span     &from = k == 4 ? out : k % 2 ? ids : data;
            const bool      bad = from.meets(to, by);
            s.out = k == 0 ? s.data + by : k == 1 ? s.ids + by : o;
            s.at = k == 2 ? s.data + by : k == 3 ? s.ids + by
                 : k == 4 ? o + by : (char *)array_at(OTHER) + 8;
            SEE(s.call() == (bad ? cudaErrorInvalidValue : cudaSuccess));
            if (k == 4) continue;
            s.plan.overlap = NDG_OVERLAP_DISJOINT;      /* so says the caller */
            SEE(!s.call());
            s.plan.overlap = NDG_OVERLAP_CHECK;
        }
}

static void refusals(void)
{
    static const int types[] = { NDG_I8, NDG_I16, NDG_I32, NDG_I64, NDG_U8,
                                 NDG_U16, NDG_U32, NDG_U64 };
    /* the last row that each type can name; beyond 56 bits there is none */
    static const int bits[] = { 7, 15, 31, 56, 8, 16, 32, 56 };
    for (int k = 0; k < 8; k++)
        for (int more = 0; more < 2; more++) {
            const ptrdiff_t rows = ((ptrdiff_t)1 << bits[k]) + more
                                 - (bits[k] == 56);
            split           s(rows, 1, 3);
            s.d.position_type = types[k];
            s.planned("positions that their type has, or not");
            for (int with = 0; with < 2; with++) {
                s.at = with ? array_at(OTHER) : 0;
                SEE(s.call() == (more && (with || bits[k] == 56)
                                 ? cudaErrorInvalidValue : cudaSuccess));
            }
        }
    /* of more than one digit a row's number and its part's share 64 bits */
    static const int parts[] = { 9, 16, 17, 31, 40 };
    for (int k = 0; k < 5; k++)
        for (int more = 0; more < 2; more++) {
            split s(((ptrdiff_t)1 << (64 - parts[k])) + more, 1,
                    (ptrdiff_t)1 << parts[k]);
            s.planned("row and part in 64 bits");
            SEE(s.call() == (more ? cudaErrorInvalidValue : cudaSuccess));
        }
    {
        split s(((ptrdiff_t)1 << 56) - 1, 1, 256);
        s.planned("row of 56 bits, and a part of one digit");
        SEE(!s.call());
        SEE(ndg_cuda_partition_scratch_bytes(&s.plan, (ptrdiff_t)1 << 56)
            == -1);
    }
    {
        split s(5, 0, 3);
        s.planned("rows of no bytes need no outs");
        s.out = s.data = 0;
        for (int k = 0; k < 2; k++) {
            s.packed = k != 0;
            SEE(!s.call());
        }
    }
    {
        /* an array that is not there lies nowhere, and not at address 0 */
        split s(100, 1, 3);
        s.d.overlap = 0;
        s.planned("no positions");
        s.packed = true;
        s.data = (char *)64;
        SEE(!s.call());
        s.d.data = ndg_strided2(100, 8, 0, 1);
        s.planned("no data");
        s.out = s.data = 0;
        s.at = (void *)64;
        SEE(!s.call());
    }
    for (ptrdiff_t rows = 1; rows <= 3; rows++) {
        apart(rows, 1, 1, 1, 1, NDG_I8);
        apart(rows, 1, 1, 1, 4, NDG_I32);
        apart(rows, 0, 1, 8, 4, NDG_I32);
        apart(rows, 4, 1, 4, 8, NDG_I64);
        apart(rows, 4, 1, 4, 7, NDG_I16);
        apart(rows, 4, 1, -4, -2, NDG_I16);
        apart(rows, 4, 1, 9, -1, NDG_I8);
        apart(rows, 4, -1, 4, 5, NDG_I8);
        apart(rows, 4, -2, -9, 0, NDG_I32);
        apart(rows, 4, 3, 0, 4, NDG_I32);
    }
}

/* ---- errors --------------------------------------------------------------*/
/* Whichever call fails: its error is what the caller gets, and nothing is asked
 * of the device after it. */
template <class T> static void failing(T &t, cudaError_t (T::*call)())
{
    int all;
    SEE((t.*call)() == cudaSuccess);
    all = calls;
    for (int k = 0; k < all; k++) {
        fails = k;
        SEE((t.*call)() == cudaErrorNotSupported);
        SEE(calls == k + 1);
    }
    fails = -1;
}

static void errors(void)
{
    for (int k = 0; k < 6; k++) {
        stitch s(4, 100, k % 3, 100);
        s.d.gaps = k % 3;
        if (k > 3) s.d.slice = ndg_dims1(0);
        s.planned("errors: stitch");
        failing(s, &stitch::call);
        failing(s, &stitch::call_unique);
        failing(s, &stitch::call_total);
    }
    for (ptrdiff_t parts = 5; parts < (ptrdiff_t)1 << 28; parts *= 100)
        for (int k = 0; k < 4; k++) {
            split s(k > 1 ? 0 : 100, 4, parts);
            s.packed = k % 2 != 0;
            s.planned("errors: partition");
            failing(s, &split::call);
        }
}

int main(void)
{
    test_blocks = ANY;
    runs();
    elements();
    lines();
    stitches();
    vectors();
    splits();
    scratch();
    scratch_as_promised();
    refusals();
    errors();
    return test_end("test_cuda_launch");
}
