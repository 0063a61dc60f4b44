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
 * as it was.
 *
 * tests/cuda/test_cuda_device.sh builds and runs it all. It also runs without
 * a GPU: c++ -x c++ -include tests/cuda/emul/cuda_emul.h; `huge` is small. */
#include "cuda_paths.h"
#include <chrono>

static double seconds(void)
{
    return std::chrono::duration<double>(
        std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

static pattern items(int kind, u64 n, u64 m)
{
    const pattern p = { kind, n, m };
    return p;
}

/* Rows of so many bytes, `count` of each outer step, from tables of `rows` rows
 * one behind the other: every byte is that of its row, or 0 where the index is
 * bad. */
static __global__ void wrong_rows(const unsigned char *out, u64 bytes, u64 row,
                                  u64 count, pattern ids, pattern data,
                                  u64 rows, u64 *bad)
{
    for EACH(j, bytes) {
        const u64 i = j / row, id = item_of(ids, i % count);
        const u64 at = (i / count * rows + id) * row + j % row;
        const unsigned char good = id < rows
            ? (unsigned char)item_of(data, at) : 0;
        if (out[j] != good) atomicAdd(bad, 1ULL);
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
static __global__ void wrong_parts(void *const *outs, void *const *at, u64 rows,
                                   u64 m, u64 parts, pattern data, u64 *bad)
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
    if (to) start(fill<T>, GRID, 256, to, p);
    return to;
}

/* A kernel that counts what is wrong, by its last argument, finds nothing. */
template <class K, class... A> static void none(K kernel, A... args)
{
    const u64 zero = 0;
    buffer    wrong(zero);
    start(kernel, GRID, 256, args..., (u64 *)wrong);
    SEE(wrong.holds(&zero));
}

/* Gathers `row` bytes by u32 indices, a few of them bad. */
static void huge_rows(u64 n, u64 row, u64 rows)
{
    const pattern ids = items(BELOW_BAD, n, rows);
    const pattern data = items(HASH, rows * row, 0);
    const ptrdiff_t far = (ptrdiff_t)FAR + 10, last = (ptrdiff_t)n;
    ndg_gather_desc d = rows_of(1, row == 1 ? ndg_dims1((ptrdiff_t)rows)
        : ndg_dims2((ptrdiff_t)rows, (ptrdiff_t)row), ndg_dims1(last));
    ndg_report      r;
    unsigned      *x = filled<unsigned>(ids);
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(n * row);
    if (no_room) return;
    buffer bad(cleared);
    d.index_type = NDG_U32;
    const ndg_gather_plan plan = planned_axis(d);
    SEE(!ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, x, bad, 0));
    none(wrong_rows, out, n * row, row, n, ids, data, rows);
    MUST(ndg_cuda_gather_report_read(&plan, x, bad, &r, 0));
    SEE(r.bad.count == (last - 6) / BAD_EVERY + 1 && r.bad.position == 5
        && r.bad.value == 0xffffffffLL);
    /* and a range beyond 2^31 */
    bad.put(&cleared);
    SEE(!ndg_cuda_gather_run_range(&plan, out, plan.out_bytes, table, x, far,
                                   last, 0, bad, 0));
    MUST(ndg_cuda_gather_report_read(&plan, x, bad, &r, 0));
    SEE(r.bad.count == (last - 6) / BAD_EVERY - (far - 6) / BAD_EVERY
        && r.bad.position == ((far - 6) / BAD_EVERY + 1) * BAD_EVERY + 5);
}

/* Gathers rows of so many bytes from tables of so many rows, by indices of type
 * T, of each outer step the same. */
template <class T>
static void huge_gather(int type, ndg_gather_desc d, pattern ids, u64 row,
                        u64 rows, u64 outer)
{
    const pattern  data = items(HASH, outer * rows * row, 0);
    const u64      bytes = outer * ids.n * row;
    T             *x = filled<T>(ids);
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(bytes);
    if (no_room) return;
    d.indices = ndg_dims1((ptrdiff_t)ids.n);
    d.index_type = type;
    const ndg_gather_plan plan = planned_axis(d);
    SEE(!ndg_cuda_gather_run(&plan, out, plan.out_bytes, table, x, 0, 0));
    none(wrong_rows, out, bytes, row, ids.n, ids, data, rows);
}

static void huge_table(void)
{
    const u64 rows = FAR + (FAR >> 11);
    huge_gather<long long>(NDG_I64, rows_of(4, ndg_dims1((ptrdiff_t)rows),
        ndg_shape()), items(BELOW, FAR >> 7, rows), 4, rows, 1);
}

/* Rows that are larger than 2^31 bytes themselves, backwards; the first index
 * is bad. */
static void huge_row(void)
{
    const u64 row = FAR + 48;
    huge_gather<int>(NDG_I32, rows_of(1, ndg_dims2(3, (ptrdiff_t)row),
        ndg_shape()), items(ACROSS, 4, 3), row, 3, 1);
}

static void huge_axis(void)
{
    const u64       outer = FAR >> 14, extent = 64;
    ndg_gather_desc d = rows_of(1, ndg_dims2((ptrdiff_t)outer,
                                             (ptrdiff_t)extent), ndg_shape());
    d.axis = 1;
    huge_gather<unsigned char>(NDG_U8, d, items(BELOW, 33001, extent), 1,
                               extent, outer);
}

/* n entries in two lists of bytes to `total` rows, by indices of type T. */
template <class T>
static void huge_stitch(int type, u64 n, u64 total, pattern ids, u64 from)
{
    const pattern   data = items(HASH, n, 0);
    const ptrdiff_t all = (ptrdiff_t)n, rows = (ptrdiff_t)total;
    const ptrdiff_t half = all / 2 + 5;
    ndg_stitch_desc d = weave_of(1);
    ndg_cuda_stitch_report seen;
    d.index_type = type;
    const ndg_stitch_plan plan = planned(d);
    const ptrdiff_t need = ndg_cuda_stitch_scratch_bytes(&plan, rows, 2, all);
    T             *x = filled<T>(ids);
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(total);
    void          *scratch = room_for((u64)need);
    if (no_room) return;
    const ndg_list list[2] = {
        list_of(x, table, half),
        list_of(x + half, table + half, all - half)
    };
    buffer lists(list), bad(cleared_stitch);
    SEE(!ndg_cuda_stitch_run(&plan, out, rows, rows, 0, lists, 2, all, scratch,
                             need, bad, 0));
    none(wrong_woven, out, ids, data, from);
    bad.get(&seen);
    SEE(seen.bad.count == 0 && seen.holes.count == 0);
    SEE(seen.duplicates.count == n - total);
}

/* Rows i % m to `parts` parts of bytes: beyond them, bad. */
template <class T>
static void huge_partition(int type, u64 n, u64 m, u64 parts, bool positions)
{
    const pattern      ids = items(MODULO, n, m), data = items(HASH, n, 0);
    const ptrdiff_t    rows = (ptrdiff_t)n;
    ndg_partition_desc d = split_of(rows, 1, (ptrdiff_t)parts);
    ndg_report         r;
    const u64          each = n / m + 1;
    numbers            room(parts, (ptrdiff_t)each), want(parts);
    std::vector<void *> to(parts), at(parts);
    u64                odd = 0;
    d.index_type = type;
    d.position_type = NDG_U32;
    const ndg_partition_plan plan = planned(d);
    const ptrdiff_t need = ndg_cuda_partition_scratch_bytes(&plan, rows);
    T             *x = filled<T>(ids);
    unsigned char *table = filled<unsigned char>(data);
    unsigned char *out = (unsigned char *)room_for(each * parts);
    unsigned      *where = (unsigned *)room_for(positions ? 4 * each * parts
                                                          : 4);
    void          *scratch = room_for((u64)need);
    if (no_room) return;
    for (u64 k = 0; k < m; k++) {
        const u64 rows_of_k = (n - k + m - 1) / m;
        if (k >= parts) { odd += rows_of_k; continue; }
        to[k] = out + k * each;
        at[k] = where + k * each;
        want[k] = (ptrdiff_t)rows_of_k;
    }
    buffer outs(to), ats(at), held(room), have(room), bad(cleared);
    SEE(!ndg_cuda_partition_run(&plan, outs, ats.when(positions), table, x,
                                rows, 0, held, have, scratch, need, bad, 0));
    none(wrong_parts, (void **)outs, positions ? (void **)ats : 0, n, m, parts,
         data);
    SEE(have.holds(want));
    MUST(ndg_cuda_partition_report_read(&plan, x, bad, &r, 0));
    SEE((u64)r.bad.count == odd && (odd == 0 || (u64)r.bad.position == parts));
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
    if (!find_device()) return test_end("test_cuda_device");
    few_parts = all_apart = is_sanitize;
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
    return test_end("test_cuda_device");
}
