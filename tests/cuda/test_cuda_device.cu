/* test_cuda_device.cu - ndgather_cuda.cuh on a GPU against the CPU library.
 *
 *     test_cuda_device device              names the card; status 3: none
 *     test_cuda_device cases               every case of tests/cases
 *     test_cuda_device random SECONDS SEED
 *     test_cuda_device offsets             alignments 0 ... 15
 *     test_cuda_device paths               the rarer kernels, what is refused,
 *                                          errors that are not ours
 *     test_cuda_device graphs              captured once, run often
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

static double seconds(void)
{
    return std::chrono::duration<double>(
        std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* ---- device memory -------------------------------------------------------*/
/* Arrays are cut from one allocation, between margins that must stay as they
 * are, and all given back when none is there any more. For the sanitizer, and
 * on the emulator, each is an allocation of its own, exact at its end. */
enum { IMAGE = 32 << 20, MARGIN = 48 };

static unsigned char *image;
static size_t         taken;
static int            living;
static bool           apart;

struct buffer {
    unsigned char *block, *p;
    size_t         n, before, all;
    buffer(const void *from, size_t bytes, size_t offset = 0)
        : block(0), p(0), n(bytes), before(MARGIN + offset),
          all(before + bytes + MARGIN)
    {
        if (apart) {
            MUST(cudaMalloc((void **)&block, n + offset + !(n + offset)));
            p = block + offset;
            if (n && from) MUST(cudaMemcpy(p, from, n, cudaMemcpyHostToDevice));
            return;
        }
        if (!image) MUST(cudaMalloc((void **)&image, IMAGE));
        block = image + taken;
        p = block + before;
        taken += (all + 15) / 16 * 16;
        living++;
        if (taken > IMAGE) { printf("%s: large image\n", context); exit(2); }
        unsigned char *sent = (unsigned char *)some_bytes((ptrdiff_t)all);
        if (n && from) memcpy(sent + before, from, n);
        else random_fill(&rnd, sent + before,
                         (ptrdiff_t)(n < 4096 ? n : 4096));
        MUST(cudaMemcpy(block, sent, all, cudaMemcpyHostToDevice));
        free(sent);
    }
    ~buffer()
    {
        if (apart) { MUST(cudaFree(block)); return; }
        unsigned char *came = (unsigned char *)some_bytes((ptrdiff_t)all);
        unsigned char *const fresh = (unsigned char *)
            some_bytes((ptrdiff_t)before);
        MUST(cudaMemcpy(came, block, all, cudaMemcpyDeviceToHost));
        SEE(!memcmp(came, fresh, before)
            && !memcmp(came + before + n, fresh, MARGIN));
        free(came);
        free(fresh);
        if (!--living) taken = 0;
    }
    void get(void *to) const
    {
        if (n) MUST(cudaMemcpy(to, p, n, cudaMemcpyDeviceToHost));
    }
    void put(const void *from)
    {
        if (n) MUST(cudaMemcpy(p, from, n, cudaMemcpyHostToDevice));
    }
    void set(int byte) { if (n) MUST(cudaMemset(p, byte, n)); }
    bool holds(const void *what) const
    {
        void *const have = some_bytes((ptrdiff_t)n);
        get(have);
        const bool same = !memcmp(have, what, n);
        free(have);
        return same;
    }
private:
    buffer(const buffer &);
    buffer &operator=(const buffer &);
};

#include "cuda_same.h"
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
    do random_round(seed + i);
    while (++i < most && seconds() < end);
    printf("%ld rounds from seed %ld\n", i, seed);
}

/* ---- alignments ----------------------------------------------------------*/
/* All pairs of offsets of out and of the data read, with indices at each; of
 * random plans. */
static void run_offsets(int step)
{
    int at, i;
    for (i = 0; i < 15; i++)
        for (at = i % step; at < 256; at += step) {
            set_offsets(at / 16, at % 16, (at / 16 * 3 + at) % 16);
            random_round(1000 * i + at);
        }
    set_offsets(-1, -1, -1);
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
    const size_t         all = (size_t)(N * bytes);
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
    buffer bad(0, 3 * sizeof(ndg_cuda_stitch_report));
    buffer have(0, sizeof room), counted(0, sizeof room), size(0, 8);
    buffer scratch(0, (size_t)need), more(0, (size_t)need_more);
    for (k = 0; k < PARTS_OF_GRAPH; k++) {
        outs[k] = to.p + (size_t)k * all;
        room[k] = N;
    }
    const ndg_list list[2] = {
        list_of(x.p + 4 * HALF, from.p + HALF * bytes, HALF),
        list_of(x.p, from.p, HALF)
    };
    buffer lists(list, sizeof list), outs_at(outs, sizeof outs);
    buffer held(room, sizeof room);
    ndg_cuda_stitch_report *const b = (ndg_cuda_stitch_report *)bad.p;
    const ndg_list *const         in = (const ndg_list *)lists.p;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaDeviceSynchronize());
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SEE(!cudaMemsetAsync(b, 0, bad.n, stream));
    SEE(!ndg_cuda_gather_run(&g, out.p, N * bytes, from.p, x.p, &b[0].bad,
                             stream));
    SEE(!ndg_cuda_gather_check(&g, x.p, 0, N, 0, &b[0].bad, stream));
    SEE(!ndg_cuda_stitch_run(&s, woven.p, N * bytes, N, 0, in, 2, N, scratch.p,
                             need, b + 1, stream));
    SEE(!ndg_cuda_stitch_total(&s, in, 2, N, (ptrdiff_t *)size.p, scratch.p,
                               need, 0, stream));
    SEE(!ndg_cuda_partition_count(&p, x.p, 0, N, 0, (ptrdiff_t *)counted.p, 0,
                                  stream));
    SEE(!ndg_cuda_partition_run(&p, (void *const *)outs_at.p, 0, from.p, x.p, N,
                                0, (const ptrdiff_t *)held.p,
                                (ptrdiff_t *)have.p, more.p, need_more,
                                &b[2].bad, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (i = 0; i < TIMES; i++) {
        sprintf(context, "graphs: %d bytes, time %d", bytes, i);
        random_fill(&rnd, table, (ptrdiff_t)all);
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
        MUST(ndg_cuda_gather_report_read(&g, x.p, &b[0].bad, &got, stream));
        SEE_REPORTS(&got, &w.gather);
        MUST(ndg_cuda_stitch_report_read(&s, N, in, 2, b + 1, &got, stream));
        SEE_REPORTS(&got, &w.stitch);
        MUST(ndg_cuda_partition_report_read(&p, x.p, &b[2].bad, &got, stream));
        SEE_REPORTS(&got, &w.partition);
        no_faults();
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
    ndg_gather_desc d = rows_of(4, ndg_dims1((ptrdiff_t)rows),
                                ndg_dims1((ptrdiff_t)n));
    long long *x = filled<long long>(ids);
    unsigned  *table = filled<unsigned>(data);
    unsigned  *out = (unsigned *)room_for(4 * n);
    u64       *wrong = (u64 *)zeroed(8);
    if (no_room) return;
    d.index_type = NDG_I64;
    const ndg_gather_plan plan = planned_axis(d);
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
    const ndg_gather_plan plan = planned_axis(
        rows_of(1, ndg_dims2(3, (ptrdiff_t)row), ndg_dims1(4)));
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(4 * row);
    u64           *wrong = (u64 *)zeroed(8);
    int32_t       *x = (int32_t *)room_for(sizeof ids);
    int            i;
    if (no_room) return;
    MUST(cudaMemcpy(x, ids, sizeof ids, cudaMemcpyHostToDevice));
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
    ndg_gather_desc d = rows_of(
        1, ndg_dims2((ptrdiff_t)outer, (ptrdiff_t)extent),
        ndg_dims1((ptrdiff_t)n));
    unsigned char *x = filled<unsigned char>(ids);
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(outer * n);
    u64           *wrong = (u64 *)zeroed(8);
    if (no_room) return;
    d.axis = 1;
    d.index_type = NDG_U8;
    const ndg_gather_plan plan = planned_axis(d);
    SEE(!ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, x, 0, 0));
    start(wrong_axis, out, outer * n, n, extent, ids, data, wrong);
    SEE(value_of(wrong) == 0);
}

/* n entries in two lists of bytes to `total` rows, by indices of type T. */
template <class T>
static void huge_stitch(int type, u64 n, u64 total, pattern ids, u64 from)
{
    const pattern   data = items(HASH, n, 0);
    ndg_stitch_desc d = weave_of(1);
    const u64       half = n / 2 + 5;
    ndg_cuda_stitch_report zero, *bad;
    d.index_type = type;
    const ndg_stitch_plan plan = planned(d);
    {
        const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(
            &plan, (ptrdiff_t)total, 2, (ptrdiff_t)n);
        T             *x = filled<T>(ids);
        unsigned char *rows = filled<unsigned char>(data);
        unsigned char *out = (unsigned char *)room_for(total);
        void          *scratch = room_for((u64)need);
        u64           *wrong = (u64 *)zeroed(8);
        ndg_list      *lists = (ndg_list *)room_for(2 * sizeof *lists);
        bad = (ndg_cuda_stitch_report *)zeroed(sizeof *bad);
        if (no_room) return;
        const ndg_list list[2] = {
            list_of(x, rows, (ptrdiff_t)half),
            list_of(x + half, rows + half, (ptrdiff_t)(n - half))
        };
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
    ndg_partition_desc d = split_of((ptrdiff_t)n, 1, (ptrdiff_t)parts);
    ndg_report         r;
    static void       *to[1024], *at[1024];
    static ptrdiff_t   room[1024], have[1024];
    const u64          each = n / m + 1;
    u64                k, odd = 0;
    d.index_type = type;
    d.position_type = NDG_U32;
    const ndg_partition_plan plan = planned(d);
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
    few_parts = is_sanitize;
#if defined(CUDA_EMUL_H)
    apart = true;
#else
    apart = is_sanitize;
#endif
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
    no_faults();
    MUST(cudaDeviceSynchronize());
    return done();
}
