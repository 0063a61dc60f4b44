/* test_cuda_emul.cpp - the emulator that runs the CUDA kernels on the CPU: the
 * values of every operation it has, the order of its queues, and that it
 * refuses what it should, since a checker that never fails proves nothing.
 *
 * Built plain, under ASan and UBSan, under TSan and with the race checker; a
 * fault that only one of them can see is expected from that one alone. */
#include "cuda_emul.h"
#include "../../lib/test.h"
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define ALL 0xffffffffu
typedef unsigned long long u64;

template <class T> struct same { typedef T type; };
template <class... P>
static cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block,
                          cudaStream_t stream, typename same<P>::type... args)
{
    void *argv[] = { (void *)&args... };
    return cudaLaunchKernel(kernel, grid, block, argv, 0, stream);
}

/* Launches and waits; the fault is in emu->why. */
template <class... P>
static void run(void (*kernel)(P...), dim3 grid, dim3 block,
                typename same<P>::type... args)
{
    (void)launch(kernel, grid, block, 0, args...);
    (void)cudaStreamSynchronize(0);
}

/* Device memory with a copy's worth of the host's. */
template <class T> struct device {
    T *p;
    size_t n;
    explicit device(size_t count) : p(0), n(count)
    { (void)cudaMalloc(&p, n * sizeof(T)); }
    device(size_t count, T v) : p(0), n(count)
    {
        (void)cudaMalloc(&p, n * sizeof(T));
        put(std::vector<T>(count, v));
    }
    ~device() { (void)cudaFree(p); }
    void put(const std::vector<T> &v)
    { (void)cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice); }
    std::vector<T> get() const
    {
        std::vector<T> v(n);
        (void)cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
    /* Whether each is what f says of its number. */
    template <class F> bool holds(F f) const
    {
        const std::vector<T> v = get();
        for (size_t i = 0; i < n; i++) {
            const T want = f((unsigned)i);
            if (memcmp(&v[i], &want, sizeof want) != 0) return false;
        }
        return true;
    }
    operator T *() const { return p; }
private:
    device(const device &);
    device &operator=(const device &);
};

/* A fault was counted whose text has this in it; forgets it. */
static void check_fault(int line, const char *text)
{
    test_check(emu->failed && strstr(emu->why, text), __FILE__, line,
               "expected '%s', got %d: '%s'", text, emu->failed, emu->why);
    emu_forgive();
    (void)cudaGetLastError();
}
#define FAULT(call, text) \
    do { (void)(call); check_fault(__LINE__, text); } while (0)

static void check_clean(int line)
{
    test_check(emu->failed == 0, __FILE__, line, "fault: %s", emu->why);
    emu_forgive();
}
#define CLEAN() check_clean(__LINE__)

/* Does it in so many orders, without a fault. */
template <class F> static void in_orders(unsigned n, F f)
{
    for (unsigned seed = 0; seed < n; seed++) {
        emu_seed(seed);
        f(seed);
        CLEAN();
    }
}

/* A child that does this dies, and says so. */
template <class F> static bool dies(F f, const char *text)
{
    std::vector<char> said;
    char some[4096];
    int ends[2], status = 0;
    pid_t child;
    ssize_t n;
    fflush(stdout);
    if (pipe(ends) != 0 || (child = fork()) < 0) return false;
    if (child == 0) {
        emu->quiet = 0;
        dup2(ends[1], 2);
        close(ends[0]);
        f();
        exit(0);
    }
    close(ends[1]);
    while ((n = read(ends[0], some, sizeof some)) > 0)
        said.insert(said.end(), some, some + n);
    close(ends[0]);
    waitpid(child, &status, 0);
    said.push_back(0);
    if (status != 0 && strstr(said.data(), text)) return true;
    printf("a child ended with %d and said: %.800s\n", status, said.data());
    return false;
}

/* ---- threads --------------------------------------------------------------*/
static __global__ void where(uint3 *out, dim3 *dims)
{
    const unsigned in = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x
        + threadIdx.x;
    const unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x
        + blockIdx.x;
    const unsigned per = blockDim.x * blockDim.y * blockDim.z;
    out[2 * (b * per + in)] = threadIdx;
    out[2 * (b * per + in) + 1] = blockIdx;
    if (b == 0 && in == 0) {
        dims[0] = blockDim;
        dims[1] = gridDim;
    }
}

static bool is(uint3 v, unsigned x, unsigned y, unsigned z)
{ return v.x == x && v.y == y && v.z == z; }

static void test_indices(void)
{
    const dim3 grid(3, 2, 2), block(4, 3, 2);
    in_orders(12, [&](unsigned) {
        device<uint3> out(2 * 12 * 24);
        device<dim3> dims(2);
        run(where, grid, block, out, dims);
        const std::vector<uint3> v = out.get();
        const std::vector<dim3> d = dims.get();
        unsigned wrong = 0;
        for (unsigned i = 0; i < 12 * 24; i++) {
            const unsigned t = i % 24, b = i / 24;
            wrong += !is(v[2 * i], t % 4, t / 4 % 3, t / 12)
                || !is(v[2 * i + 1], b % 3, b / 3 % 2, b / 6);
        }
        CHECK(wrong == 0);
        CHECK(d[0].x == 4 && d[0].y == 3 && d[0].z == 2);
        CHECK(d[1].x == 3 && d[1].y == 2 && d[1].z == 2);
    });
}

static __global__ void in_turn(unsigned *counter, int *order)
{
    const unsigned at = atomicAdd(counter, 1u);
    order[at] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    __syncthreads();
    __syncthreads();
}

/* The order in which the threads of some blocks ran. */
static std::vector<int> order_of(int order, unsigned window, unsigned seed)
{
    device<unsigned> counter(1, 0u);
    device<int> at(4 * 64);
    emu_seed(seed);
    emu->order = order;
    emu->window = window;
    run(in_turn, 4, 64, counter, at);
    CLEAN();
    return at.get();
}

/* How often the block changes in the first n of an order. */
static int changes_of(const std::vector<int> &order, size_t n)
{
    int changes = 0;
    for (size_t i = 1; i < n; i++)
        changes += order[i] / 64 != order[i - 1] / 64;
    return changes;
}

static void test_orders(void)
{
    std::vector<int> up, down, a, b, c;
    bool sorted = true, all = true;
    int firsts = 0;                     /* blocks that came first */
    for (unsigned seed = 0; seed < 20; seed++)
        firsts |= 1 << order_of(EMU_RANDOM, 1, seed)[0] / 64;
    CHECK(firsts == 15);
    up = order_of(EMU_ASCENDING, 1, 1);
    down = order_of(EMU_DESCENDING, 1, 1);
    for (size_t i = 0; i < up.size(); i++) {
        sorted = sorted && up[i] == (int)i;
        sorted = sorted && down[i] == (int)(up.size() - 1 - i);
    }
    CHECK(sorted);
    for (int order = EMU_RANDOM; order <= EMU_YIELDS; order++) {
        std::vector<int> seen(256, 0);
        a = order_of(order, 3, 5);
        b = order_of(order, 3, 5);
        c = order_of(order, 3, 6);
        CHECK(a == b);
        CHECK(a != c);
        for (size_t i = 0; i < a.size(); i++) seen[(size_t)a[i]]++;
        for (size_t i = 0; i < a.size(); i++) all = all && seen[i] == 1;
        CHECK(all);
        /* blocks alive together take turns; alone they do not */
        CHECK(changes_of(a, 128) > 5);
        CHECK(changes_of(order_of(order, 1, 5), 256) == 3);
    }
}

/* Each block waits for the other: possible if both are alive. */
static __global__ void handshake(unsigned *flag)
{
    atomicAdd(&flag[blockIdx.x], 1u);
    while (atomicAdd(&flag[1 - blockIdx.x], 0u) == 0) {}
}

static void test_window(void)
{
    device<unsigned> flag(2, 0u);
    emu_seed(3);
    emu->order = EMU_YIELDS;
    emu->window = 2;
    run(handshake, 2, 1, flag);
    CLEAN();
    CHECK(flag.holds([](unsigned) { return 1u; }));
}

static __global__ void rounds(unsigned *out, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        sum += __shfl_sync(ALL, threadIdx.x, i & 31);
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void test_many(void)
{
    /* fibers are used again, and large blocks fit; TSan is slow with many */
#if defined(EMU_TSAN)
    const unsigned threads = 128;
#else
    const unsigned threads = 1024;
#endif
    in_orders(6, [&](unsigned) {
        device<unsigned> out(5 * threads);
        run(rounds, 5, threads, out, 3);
        CHECK(out.holds([&](unsigned i) {
            return 3 * (i % threads / 32 * 32) + 3; }));
    });
    CHECK(emu->launches > 0);
}

/* ---- warp operations ------------------------------------------------------*/
template <class T>
static __global__ void shuffle(const T *in, T *out, int op, unsigned mask,
                               int arg)
{
    const unsigned t = threadIdx.x;
    T v = in[t];
    if (!(mask >> (t & 31u) & 1u)) return;
    if (op == EMU_SHFL) v = __shfl_sync(mask, v, arg);
    else v = __shfl_up_sync(mask, v, (unsigned)arg);
    out[t] = v;
}

/* The lane that is read, by the definition in the programming guide: what falls
 * out of the warp leaves the lane with its own. */
static int lane_read(int op, int lane, int arg)
{
    if (op == EMU_SHFL) return arg % 32;
    return lane - arg < 0 ? lane : lane - arg;
}

template <class T> static void test_shuffles_of(T scale)
{
    static const unsigned masks[] = { ALL, 0xffffu, 0xaaaaaaaau, 0xff0000ffu };
    std::vector<T> given(64);
    device<T> in(64), out(64);
    int wrong = 0, tried = 0;
    for (size_t i = 0; i < 64; i++) given[i] = (T)((T)(i + 1) * scale);
    in.put(given);
    for (int op = EMU_SHFL; op <= EMU_SHFL_UP; op++)
    for (int arg = 0; arg < (op == EMU_SHFL ? 64 : 32); arg++)
    for (int m = 0; m < 4; m++) {
        const unsigned mask = masks[m];
        bool inside = true;
        for (int l = 0; l < 32; l++)
            inside = inside && (!(mask >> l & 1u) ||
                                mask >> lane_read(op, l, arg) & 1u);
        if (!inside) continue;
        tried++;
        emu_seed((unsigned)tried);
        out.put(std::vector<T>(64, (T)0));
        run(shuffle<T>, 1, 64, in, out, op, mask, arg);
        wrong += !out.holds([&](unsigned i) {
            const int from = (int)(i / 32 * 32)
                + lane_read(op, (int)(i % 32), arg);
            return mask >> i % 32 & 1u ? given[(size_t)from] : (T)0; });
    }
    CHECK(wrong == 0);
    CHECKF(tried > 200, "only %d shuffles", tried);
    CLEAN();
}

static __global__ void ballots(const unsigned *in, unsigned *out, unsigned mask)
{
    const unsigned t = threadIdx.x;
    if (!(mask >> (t & 31u) & 1u)) return;
    out[t] = __ballot_sync(mask, (int)(in[t] & 3u));
}

static void test_ballots(void)
{
    in_orders(40, [](unsigned seed) {
        std::vector<unsigned> given(64);
        device<unsigned> in(64), out(64, 0u);
        unsigned mask = ALL, want[2] = { 0, 0 };
        if (seed % 4) mask = ((unsigned)emu_random() | 1u) & 0x7fffffffu;
        for (size_t i = 0; i < 64; i++) {
            given[i] = (unsigned)(emu_random() % (2 + seed % 9));
            if (mask >> i % 32 & 1u && given[i] & 3u)
                want[i / 32] |= 1u << i % 32;
        }
        in.put(given);
        run(ballots, 1, 64, in, out, mask);
        CHECK(out.holds([&](unsigned i) {
            return mask >> i % 32 & 1u ? want[i / 32] : 0u; }));
    });
}

/* Half masks, then odd and even: lanes on their way are not missing. */
static __global__ void mixed_masks(unsigned *out)
{
    const unsigned lane = threadIdx.x;
    const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    const unsigned odd = lane & 1u ? 0xaaaaaaaau : 0x55555555u;
    unsigned a = 0, b = 0;
    for (unsigned i = 0; i < 1 + lane / 16; i++) a = __ballot_sync(half, 1);
    b = __ballot_sync(odd, lane > 3);
    __syncwarp();
    out[lane] = a;
    out[32 + lane] = b;
}

static void test_mixed_masks(void)
{
    in_orders(20, [](unsigned) {
        device<unsigned> out(64);
        run(mixed_masks, 1, 32, out);
        CHECK(out.holds([](unsigned i) {
            return i < 16 ? 0xffffu : i < 32 ? 0xffff0000u
                : (i & 1u ? 0xaaaaaaaau : 0x55555555u) & ~15u; }));
    });
}

/* ---- atomics, loads, bits -------------------------------------------------*/
template <class T> static __global__ void atomics(T *at, T *old)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const T v = (T)i;
    old[i] = atomicAdd(&at[0], (T)1);
    atomicMax(&at[1], (T)(v << (8 * sizeof(T) - 9)));
}

template <class T> static void test_atomics_of(void)
{
    in_orders(8, [](unsigned) {
        std::vector<T> seen(192, (T)0);
        device<T> at(2, (T)0), old(192);
        run(atomics<T>, 3, 64, at, old);
        const std::vector<T> v = at.get();
        for (T o : old.get()) seen[(size_t)o]++;
        CHECK(seen == std::vector<T>(192, (T)1));
        CHECK(v[0] == 192 && v[1] == (T)191 << (8 * sizeof(T) - 9));
    });
}

static __global__ void loads(const uint4 *in, uint4 *out, const u64 *in8,
                             u64 *out8)
{
    const unsigned t = threadIdx.x;
    __stcs(out + t, __ldg(in + t));
    __stcs(out8 + t, __ldg(in8 + t) + 1);
}

static void test_loads(void)
{
    std::vector<uint4> given(32);
    std::vector<u64> given8(32);
    device<uint4> in(32), out(32);
    device<u64> in8(32), out8(32);
    for (unsigned i = 0; i < 32; i++) {
        const uint4 v = { i, 2 * i, 3 * i, 4 * i };
        given[i] = v;
        given8[i] = i * 0x100000001ull;
    }
    in.put(given);
    in8.put(given8);
    run(loads, 1, 32, in, out, in8, out8);
    CHECK(out.holds([&](unsigned i) { return given[i]; }));
    CHECK(out8.holds([&](unsigned i) { return given8[i] + 1; }));
    CLEAN();
    CHECK(sizeof(uint3) == 12 && alignof(uint3) == 4);
    CHECK(sizeof(uint4) == 16 && alignof(uint4) == 16);
    CHECK(sizeof(ulonglong2) == 16 && alignof(ulonglong2) == 16);
}

static void test_bits(void)
{
    u64 x = 88172645463325252ull;
    int wrong = 0;
    for (int k = 0; k < 1000; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const u64 a = x >> (k % 64), b = x * 0x9e3779b97f4a7c15ull;
        const unsigned lo = (unsigned)a, hi = (unsigned)b, n = (unsigned)k % 80;
        int ones = 0;
        unsigned shifted = 0;
        for (unsigned i = 0; i < 32; i++) {
            const unsigned from = i + n % 32;
            ones += (int)(lo >> i & 1u);
            shifted |= ((from < 32 ? lo >> from : hi >> (from - 32)) & 1u) << i;
        }
        wrong += __popc(lo) != ones;
        wrong += __funnelshift_r(lo, hi, n) != shifted;
    }
    CHECKF(wrong == 0, "%d wrong", wrong);
}

/* ---- shared memory --------------------------------------------------------*/
static __global__ void share(unsigned *out, unsigned *garbage)
{
    NDGI_SHARED(unsigned, s, 64);
    NDGI_SHARED(unsigned, a, 1); NDGI_SHARED(unsigned, b, 1);
    const unsigned t = threadIdx.x;
    if (t == 0) { *a = 1 + blockIdx.x; *b = 100; }
    s[63 - t] = t + blockIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t] + 1000 * (*a + *b);
    if (garbage) garbage[blockIdx.x] = (unsigned)(size_t)s;
}

#if !defined(EMU_RACE)
static __global__ void leftovers(unsigned *out)
{
    NDGI_SHARED(unsigned, s, 4);
    out[blockIdx.x] = s[2];
    __syncthreads();
    s[2] = 42;
}
#endif

static void test_shared(void)
{
    in_orders(16, [](unsigned) {
        device<unsigned> out(6 * 64);
        run(share, 6, 64, out, (unsigned *)0);
        CHECK(out.holds([](unsigned i) {
            return 63 - i % 64 + i / 64 + 1000 * (101 + i / 64); }));
    });
#if !defined(EMU_RACE)
    /* never what an earlier block left */
    device<unsigned> out(8);
    bool garbage = true, alike = true;
    run(leftovers, 8, 1, out);
    for (size_t b = 0; b < 8; b++) {
        garbage = garbage && out.get()[b] != 42 && out.get()[b] != 0;
        alike = alike && out.get()[b] == out.get()[0];
    }
    CHECK(garbage && !alike);
    CLEAN();
#endif
}

/* ---- what the emulator refuses in any build -------------------------------*/
static __global__ void early_exit(int n)
{
    if ((int)threadIdx.x >= n) return;
    __syncthreads();
}
static __global__ void two_places(int n)
{
    if ((int)threadIdx.x < n) __syncthreads();
    else
        __syncthreads();
}
static __global__ void one_line(int n)
{ if ((int)threadIdx.x < n) __syncthreads(); else __syncthreads(); }
static __global__ void left_the_warp(int n)
{ if ((int)threadIdx.x < n) (void)__ballot_sync(ALL, 1); }
static __global__ void branches(int n)
{
    if ((int)threadIdx.x < n) (void)__ballot_sync(ALL, 1);
    else (void)__ballot_sync(ALL, 1);
}
static __global__ void disagree(unsigned other)
{ if (threadIdx.x < 3) (void)__ballot_sync(threadIdx.x ? other : 3u, 1); }
static __global__ void not_in_mask(unsigned mask)
{ if (threadIdx.x < 3) (void)__ballot_sync(mask, 1); }
static __global__ void full_mask(int)
{ (void)__ballot_sync(ALL, 1); }
static __global__ void outside(int from)
{ if (threadIdx.x < 16) (void)__shfl_sync(0xffffu, 1, from); }
static __global__ void distance(unsigned by)
{ (void)__shfl_up_sync(ALL, 1, by); }
static __global__ void much_shared(int)
{
    NDGI_SHARED(char, a, 40000);
    NDGI_SHARED(char, b, 10000);
    if (threadIdx.x == 0) a[0] = b[0] = 0;
}
static __global__ void sized(int)
{
    NDGI_SHARED(char, a, 16 + threadIdx.x);
    (void)a;
}

static void test_refusals(void)
{
    for (unsigned seed = 0; seed < 8; seed++) {
        emu_seed(seed);
        FAULT(run(early_exit, 2, 64, 20),
              "__syncthreads never completed: 20 threads");
        FAULT(run(two_places, 2, 64, 20), "a barrier met from two places");
        FAULT(run(one_line, 2, 64, 20), "a barrier met from two places");
        run(left_the_warp, 2, 64, 20);
        CHECKF(strstr(emu->why, "left"), "%s", emu->why);
        emu_forgive();
        FAULT(run(branches, 2, 64, 20), "never completed");
        FAULT(run(disagree, 1, 32, 7u), "a");
        FAULT(run(not_in_mask, 1, 32, 3u), "not in its own mask");
        FAULT(run(full_mask, 1, 40, 0), "lanes the block does not have");
        FAULT(run(outside, 1, 32, 16), "outside the mask");
        FAULT(run(distance, 1, 32, 32u), "a distance of 32");
        FAULT(run(much_shared, 1, 32, 0), "50000 bytes of shared memory");
        FAULT(run(sized, 1, 32, 0), "two sizes");
        /* and nothing of it stays */
        device<unsigned> out(6 * 64);
        run(share, 6, 64, out, (unsigned *)0);
        CLEAN();
    }
    run(early_exit, 1, 64, 64);
    CLEAN();
    run(outside, 1, 32, 15);
    CLEAN();
    CHECK(strstr("x", emu->why) != 0);
    run(early_exit, 1, 64, 1);
    CHECKF(strstr(emu->why, "test_cuda_emul.cpp:"), "%s", emu->why);
    FAULT(0, "1 threads of block 0 wait, 63 have left");
}

static __global__ void read4(const char *p, unsigned *out)
{ *out = __ldg((const unsigned *)(const void *)p); }
static __global__ void store16(char *p)
{ __stcs((uint4 *)(void *)p, uint4()); }
static __global__ void add8(char *p)
{ atomicAdd((u64 *)(void *)p, (u64)1); }

static void test_alignment(void)
{
    device<char> d(64, 0), odd(20, 0);
    device<unsigned> out(1);
    FAULT(run(read4, 1, 1, d.p + 2, out), "misaligned");
    FAULT(run(store16, 1, 1, d.p + 8), "misaligned");
    FAULT(run(add8, 1, 1, d.p + 4), "misaligned");
    run(read4, 1, 1, d.p + 4, out);
    run(store16, 1, 1, d.p + 16);
    run(add8, 1, 1, d.p + 8);
    CLEAN();
    FAULT(run(store16, 1, 1, odd.p + 16),
          "16 bytes at offset 16 of an allocation of 20");
}

/* ---- memory ---------------------------------------------------------------*/
static unsigned of_the_host[4];

static __global__ void add_to(unsigned *p) { atomicAdd(p, 1u); }
static __global__ void load_from(const unsigned *p, unsigned *out)
{ *out = __ldg(p); }
static __global__ void store_to(unsigned *p) { __stcs(p, 1u); }
static __global__ void plain_store(unsigned *p) { *p = 1; }
#if defined(EMU_RACE)
static __global__ void plain_load(const unsigned *p, unsigned *out)
{ *out = *p + 1; }
#endif

static void test_host_and_device(void)
{
    device<unsigned> d(4, 7u), out(1);
    static unsigned adopted[4];
#if defined(EMU_ASAN) || defined(EMU_TSAN)
    const char *const says = "";
#else
    const char *const says = "the host touches device memory";
#endif
    CHECK(dies([&] { of_the_host[0] = d.p[1]; }, says));
    CHECK(dies([&] { d.p[1] = of_the_host[0]; }, says));
    CHECK(dies([&] { memcpy(of_the_host, d.p, 16); }, says));
    FAULT(run(load_from, 1, 1, of_the_host, out), "not device memory");
    FAULT(run(store_to, 1, 1, of_the_host), "not device memory");
    FAULT(run(add_to, 1, 1, of_the_host), "not device memory");
    FAULT(run(add_to, 1, 1, d.p + 4),
          "4 bytes at offset 16 of an allocation of 16");
#if defined(EMU_RACE)
    unsigned here = 1;
    FAULT(run(plain_store, 1, 1, of_the_host), "not device memory");
    FAULT(run(load_from, 1, 1, (unsigned *)0, out), "not device memory");
    FAULT(run(plain_load, 1, 1, &here, out), "not device memory");
    FAULT(run(plain_load, 1, 1, d.p + 4, out),
          "4 bytes at offset 16 of an allocation of 16");
#endif
    /* what the host hands out as the device's */
    emu_adopt(adopted, sizeof adopted);
    CHECK(cudaMemset(adopted, 0, sizeof adopted) == cudaSuccess);
    run(add_to, 1, 1, adopted);
    run(plain_store, 1, 1, adopted + 1);
    CLEAN();
    CHECK(adopted[0] == 1 && adopted[1] == 1);
    FAULT(run(add_to, 1, 1, adopted + 4),
          "4 bytes at offset 16 of an allocation of 16");
    emu_forget(adopted);
    FAULT(run(add_to, 1, 1, adopted), "not device memory");
    CHECK(d.get()[3] == 7);
    CLEAN();
}

#if !defined(EMU_TSAN)
static void overrun(void)
{
    unsigned *p = 0;
    (void)cudaMalloc(&p, 16);
    run(plain_store, 1, 1, p + 4);
    (void)cudaFree(p);
    if (emu->failed) exit(1);
}
static void use_after_free(void)
{
    unsigned *p = 0;
    (void)cudaMalloc(&p, 20);
    (void)cudaFree(p);
#if defined(EMU_ASAN)
    run(plain_store, 1, 1, p);
#else
    run(add_to, 1, 1, p);
#endif
    if (emu->failed) exit(1);
}
#endif
#if defined(EMU_ASAN) || defined(EMU_RACE)
static __global__ void past_shared(unsigned *out)
{
    NDGI_SHARED(unsigned, s, 5);
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
static void overrun_shared(void)
{
    device<unsigned> out(8);
    run(past_shared, 1, 6, out);
    if (emu->failed) exit(1);
}
#endif
#if !defined(EMU_TSAN)
static int deep(int n)
{
    volatile char room[4096];
    room[n % 4096] = (char)n;
    return n > 1000 ? 0 : deep(n + 1) + room[n % 4096];
}
static __global__ void overflow(int *out) { *out = deep(0); }
static void overflow_stack(void)
{
    device<int> out(1);
    run(overflow, 1, 1, out);
}
#endif

static void test_memory(void)
{
    void *p = &p, *q = 0;
    size_t before;
    CHECK(cudaMalloc(&p, 0) == cudaSuccess && p == 0);
    CHECK(cudaFree(0) == cudaSuccess);
    before = emu->device_bytes;
    CHECK(cudaMalloc(&p, 100) == cudaSuccess && p);
    CHECK(cudaMalloc(&q, 1) == cudaSuccess && q);
    CHECK((size_t)p % 256 == 0 && (size_t)q % 256 == 0);
    CHECK(emu->device_bytes == before + 101);
    CHECK(cudaFree((char *)p + 4) == cudaErrorInvalidValue);
    CHECK(cudaFree(p) == cudaSuccess && cudaFree(q) == cudaSuccess);
    CHECK(cudaFree(p) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(emu->device_bytes == before);
    CHECK(cudaMalloc(&p, (size_t)-1 / 4) == cudaErrorMemoryAllocation && !p);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CLEAN();
#if defined(EMU_ASAN)
    CHECK(dies(overrun, "AddressSanitizer: use-after-poison"));
    CHECK(dies(use_after_free, "AddressSanitizer: use-after-poison"));
    CHECK(dies(overrun_shared, "AddressSanitizer: heap-buffer-overflow"));
    CHECK(dies(overflow_stack, "AddressSanitizer: stack-overflow"));
#elif defined(EMU_RACE)
    CHECK(dies(overrun, "4 bytes at offset 16 of an allocation of 16"));
    CHECK(dies(use_after_free, "not device memory"));
    CHECK(dies(overrun_shared, "4 bytes at offset 20 of an allocation of 20"));
    CHECK(dies(overflow_stack, "overflows its stack"));
#elif !defined(EMU_TSAN)
    CHECK(dies(overrun, "byte 16 of an allocation of 16 was written"));
    CHECK(dies(use_after_free, "not device memory"));
    CHECK(dies(overflow_stack, "overflows its stack"));
#endif
}

static void test_copies(void)
{
    device<unsigned> d(4, 9u), e(4, 1u);
    unsigned h[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    FAULT(CHECK(cudaMemcpy(d, h, 20, cudaMemcpyHostToDevice) ==
                cudaErrorInvalidValue),
          "a copy's target leaves its allocation");
    FAULT(CHECK(cudaMemcpy(h, d.p + 2, 12, cudaMemcpyDeviceToHost) ==
                cudaErrorInvalidValue),
          "a copy's source leaves its allocation");
    FAULT(CHECK(cudaMemcpy(h, h + 4, 16, cudaMemcpyHostToDevice) !=
          cudaSuccess), "not device memory");
    FAULT(CHECK(cudaMemcpy(d, e.p, 16, cudaMemcpyHostToDevice) != cudaSuccess),
          "takes device memory for the host's");
    FAULT(CHECK(cudaMemsetAsync(d, 0, 17, 0) == cudaErrorInvalidValue),
          "a memset leaves its allocation");
    FAULT(CHECK(cudaMemsetAsync(h, 0, 4, 0) == cudaErrorInvalidValue),
          "a memset of what is not device memory");
    CHECK(cudaMemsetAsync(0, 0, 0, 0) == cudaSuccess);
    CHECK(cudaMemcpy(h, d, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(cudaMemcpy(d, e.p, 8, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(cudaMemset(d.p + 3, 0xff, 4) == cudaSuccess);
    CHECK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(h[0] == 1 && h[1] == 1 && h[2] == 9 && h[3] == ~0u && h[4] == 5);
    CLEAN();
}

/* ---- queues ---------------------------------------------------------------*/
static __global__ void digit(unsigned *log, unsigned d)
{ *log = *log * 10 + d; }

static void test_queue(void)
{
    device<unsigned> d(1, 0u);
    unsigned h = 77, given = 4;
    cudaStream_t s = 0;
    CHECK(cudaStreamCreate(&s) == cudaSuccess);
    for (unsigned seed = 0; seed < 8; seed++) {
        emu_seed(seed);
        d.put(std::vector<unsigned>(1, 0u));
        CHECK(launch(digit, 1, 1, s, d, 5u) == cudaSuccess);
        CHECK(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, s) ==
              cudaSuccess);
        CHECK(h == 77);                 /* too early */
        CHECK(cudaStreamSynchronize(s) == cudaSuccess);
        CHECK(h == 5);
        h = 77;
        /* what the host gives away is read late */
        given = 4;
        (void)cudaMemcpyAsync(d, &given, 4, cudaMemcpyHostToDevice, s);
        given = 6;
        (void)cudaStreamSynchronize(s);
        CHECK(d.get()[0] == 6);
    }
    /* arguments are copied at the launch */
    unsigned v = 1;
    void *target = d, *argv[] = { &target, &v };
    d.put(std::vector<unsigned>(1, 0u));
    CHECK(cudaLaunchKernel(digit, dim3(1), dim3(1), argv, 0, s) == cudaSuccess);
    v = 2;
    target = 0;
    (void)cudaStreamSynchronize(s);
    CHECK(d.get()[0] == 1);
    /* a stream's end is no loss */
    (void)launch(digit, 1, 1, s, d, 3u);
    CHECK(cudaStreamDestroy(s) == cudaSuccess);
    CHECK(d.get()[0] == 13);
    CHECK(cudaStreamDestroy(s) == cudaErrorInvalidResourceHandle);
    CHECK(launch(digit, 1, 1, s, d, 3u) == cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    CLEAN();
}

/* The digits that two streams wrote, one each, over many seeds. */
static unsigned both_orders(unsigned flags_a, unsigned flags_b)
{
    unsigned seen = 0;
    for (unsigned seed = 0; seed < 32; seed++) {
        device<unsigned> d(1, 0u);
        cudaStream_t a = 0, b = 0;
        emu_seed(seed);
        if (flags_a < 2) (void)cudaStreamCreateWithFlags(&a, flags_a);
        if (flags_b < 2) (void)cudaStreamCreateWithFlags(&b, flags_b);
        (void)cudaDeviceSynchronize();
        (void)launch(digit, 1, 1, a, d, 1u);
        (void)launch(digit, 1, 1, b, d, 2u);
        (void)cudaDeviceSynchronize();
        seen |= d.get()[0] == 12 ? 1u : d.get()[0] == 21 ? 2u : 4u;
        if (a) (void)cudaStreamDestroy(a);
        if (b) (void)cudaStreamDestroy(b);
    }
    return seen;
}

/* No call here ends an event, so one is enough for all. */
cudaEvent_t the_event;

static void test_streams(void)
{
    const unsigned blocking = cudaStreamDefault, legacy = 2;
    const unsigned free_of_it = cudaStreamNonBlocking;
    device<unsigned> d(2, 0u);
    cudaStream_t a = 0, b = 0;
    cudaEvent_t e;
    float ms = 0;
    CHECK(both_orders(blocking, blocking) == 3);
    CHECK(both_orders(free_of_it, free_of_it) == 3);
    CHECK(both_orders(legacy, blocking) == 1);
    CHECK(both_orders(legacy, free_of_it) == 3);
    CHECK(both_orders(blocking, legacy) == 1);
    CHECK(both_orders(free_of_it, legacy) == 3);
    /* one stream's end may leave another's work undone */
    unsigned left = 0;
    for (unsigned seed = 0; seed < 32; seed++) {
        emu_seed(seed);
        (void)cudaMemset(d, 0, 8);
        (void)cudaStreamCreateWithFlags(&a, free_of_it);
        (void)cudaStreamCreateWithFlags(&b, free_of_it);
        (void)cudaDeviceSynchronize();
        (void)launch(digit, 1, 1, a, d, 1u);
        (void)launch(digit, 1, 1, b, d.p + 1, 1u);
        (void)cudaStreamSynchronize(a);
        CHECK(d.get()[0] == 1);
        left |= 1u << d.get()[1];
        (void)cudaStreamDestroy(a);
        (void)cudaStreamDestroy(b);
    }
    CHECK(left == 3);
    /* an event is behind what was there before it */
    CHECK(cudaStreamCreate(&a) == cudaSuccess);
    CHECK(cudaEventCreate(&the_event) == cudaSuccess);
    e = the_event;
    (void)cudaMemset(d, 0, 8);
    (void)cudaDeviceSynchronize();
    CHECK(cudaEventElapsedTime(&ms, e, e) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    (void)launch(digit, 1, 1, a, d, 1u);
    CHECK(cudaEventRecord(e, a) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&ms, e, e) == cudaErrorNotReady);
    CHECK(cudaEventSynchronize(e) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&ms, e, e) == cudaSuccess && ms > 0);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    CHECK(d.get()[0] == 1);
    CHECK(cudaStreamDestroy(a) == cudaSuccess);
    CLEAN();
}

/* ---- capture --------------------------------------------------------------*/
static void test_capture(unsigned flags)
{
    device<unsigned> d(1, 0u);
    cudaStream_t s = 0;
    cudaGraph_t graph = 0;
    cudaGraphExec_t exec = 0;
    emu_seed(flags);
    (void)cudaStreamCreateWithFlags(&s, flags);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) ==
          cudaSuccess);
    CHECK(cudaMemsetAsync(d, 0, 4, s) == cudaSuccess);
    for (unsigned v = 1; v < 4; v++)
        CHECK(launch(digit, 1, 1, s, d, v) == cudaSuccess);
    CHECK(cudaStreamEndCapture(s, &graph) == cudaSuccess && graph);
    CHECK(d.get()[0] == 0);             /* nothing ran */
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    for (int k = 0; k < 2; k++) {
        CHECK(cudaMemset(d, 0xff, 4) == cudaSuccess);
        (void)cudaDeviceSynchronize();
        CHECK(cudaGraphLaunch(exec, s) == cudaSuccess);
        CHECK(cudaStreamSynchronize(s) == cudaSuccess);
        CHECK(d.get()[0] == 123);
    }
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
    CHECK(cudaStreamDestroy(s) == cudaSuccess);
    CLEAN();
}

enum { SYNC, DEVICE, LEGACY, COPY, SET, ALLOC, FREE, OTHER };

/* What a call answers in the middle of a capture, and how that ends. */
static void check_in_capture(int line, int call, unsigned flags,
                             cudaError_t answer, bool ends_well)
{
    device<unsigned> d(1, 0u);
    cudaStream_t s = 0, other = 0;
    cudaGraph_t graph = 0;
    cudaError_t e = cudaSuccess;
    unsigned h = 0;
    void *p = 0;
    (void)cudaStreamCreateWithFlags(&s, flags);
    (void)cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    (void)launch(digit, 1, 1, s, d, 1u);
    switch (call) {
    case SYNC: e = cudaStreamSynchronize(s); break;
    case DEVICE: e = cudaDeviceSynchronize(); break;
    case LEGACY: e = launch(digit, 1, 1, 0, d, 1u); break;
    case COPY: e = cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); break;
    case SET: e = cudaMemset(d, 0, 4); break;
    case ALLOC: e = cudaMalloc(&p, 4); break;
    case FREE: e = cudaFree(d); break;
    default: e = launch(digit, 1, 1, other, d, 1u); break;
    }
    test_check(e == answer, __FILE__, line, "answer %s, expected %s",
               cudaGetErrorString(e), cudaGetErrorString(answer));
    test_check(cudaGetLastError() == answer, __FILE__, line, "last error");
    if (!ends_well) {
        e = launch(digit, 1, 1, s, d, 1u);
        test_check(e == cudaErrorStreamCaptureInvalidated, __FILE__, line,
                   "then %s", cudaGetErrorString(e));
    }
    e = cudaStreamEndCapture(s, &graph);
    test_check((e == cudaSuccess) == ends_well && (graph != 0) == ends_well,
               __FILE__, line, "ends with %s", cudaGetErrorString(e));
    (void)cudaGetLastError();
    (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(s);
    (void)cudaStreamDestroy(other);
    if (p) (void)cudaFree(p);
}
#define IN_CAPTURE(call, flags, answer, ends_well) \
    check_in_capture(__LINE__, call, flags, answer, ends_well)

static void test_refused_in_capture(void)
{
    const unsigned off = cudaStreamNonBlocking, on = cudaStreamDefault;
    const cudaError_t no = cudaErrorStreamCaptureUnsupported;
    const cudaError_t edge = cudaErrorStreamCaptureImplicit;
    cudaGraph_t graph = 0;
    cudaStream_t s = 0;
    IN_CAPTURE(SYNC, off, no, false);
    IN_CAPTURE(SYNC, on, no, false);
    IN_CAPTURE(DEVICE, off, no, false);
    IN_CAPTURE(LEGACY, on, edge, false);
    IN_CAPTURE(LEGACY, off, cudaSuccess, true);
    IN_CAPTURE(COPY, on, edge, false);
    IN_CAPTURE(COPY, off, no, false);
    IN_CAPTURE(SET, off, no, false);
    IN_CAPTURE(ALLOC, off, no, false);
    IN_CAPTURE(FREE, off, no, false);
    IN_CAPTURE(OTHER, on, cudaSuccess, true);
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == no);
    CHECK(cudaStreamEndCapture(0, &graph) == cudaErrorIllegalState);
    /* an event in a capture is more than the emulator has */
    (void)cudaStreamCreate(&s);
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    CHECK(cudaEventRecord(the_event, s) == cudaErrorNotSupported);
    CHECK(cudaStreamDestroy(s) == cudaSuccess);
    (void)cudaGetLastError();
    CLEAN();
}

/* ---- errors, the device ---------------------------------------------------*/
static __global__ void nothing(int) {}

static void test_errors(void)
{
    device<unsigned> d(1, 0u);
    (void)cudaGetLastError();
    CHECK(launch(nothing, 1, 2048, 0, 0) == cudaErrorInvalidConfiguration);
    CHECK(launch(nothing, 1, 0, 0, 0) == cudaErrorInvalidConfiguration);
    CHECK(launch(nothing, 0, 32, 0, 0) == cudaErrorInvalidConfiguration);
    CHECK(launch(nothing, dim3(1, 65536), 32, 0, 0) ==
          cudaErrorInvalidConfiguration);
    CHECK(launch(nothing, 1, dim3(1, 1, 65), 0, 0) ==
          cudaErrorInvalidConfiguration);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    /* what succeeds leaves it, what is not ready adds nothing */
    CHECK(launch(nothing, 1, 1, 0, 0) == cudaSuccess);
    CHECK(cudaStreamSynchronize(0) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    /* a kernel's fault comes with the next synchronisation */
    CHECK(launch(early_exit, 1, 64, 0, 3) == cudaSuccess);
    FAULT(CHECK(cudaStreamSynchronize(0) == cudaErrorLaunchFailure),
          "never completed");
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidValue),
                 "cudaErrorInvalidValue") == 0);
    void *argv[] = { 0 };
    CHECK(cudaLaunchKernel((void (*)(int))0, dim3(1), dim3(1), argv, 0, 0) ==
          cudaErrorInvalidDeviceFunction);
    int v = 0, *arg[] = { &v };
    FAULT(CHECK(cudaLaunchKernel(nothing, dim3(1), dim3(1), (void **)arg, 64, 0)
          == cudaErrorInvalidConfiguration), "shared memory of a launch's own");
    (void)cudaGetLastError();
    CLEAN();
}

static void test_queries(void)
{
    cudaDeviceProp prop;
    int n = 0;
    CHECK(cudaGetDeviceCount(&n) == cudaSuccess && n == 1);
    CHECK(cudaGetDeviceProperties(&prop, 0) == cudaSuccess);
    CHECK(prop.multiProcessorCount > 0 && prop.totalGlobalMem > 0);
    CHECK(cudaGetDeviceProperties(&prop, 3) == cudaErrorInvalidDevice);
    (void)cudaGetLastError();
}

/* ---- races ----------------------------------------------------------------*/
#if defined(EMU_RACE) || defined(EMU_TSAN)
static __global__ void reverse(unsigned *out, int sync)
{
    NDGI_SHARED(unsigned, s, 64);
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    if (sync == 1) __syncthreads();
    if (sync == 2) __syncwarp();
    if (sync == 3) (void)__ballot_sync(ALL, 1);
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
static __global__ void again(unsigned *out, int sync)
{
    NDGI_SHARED(unsigned, s, 64);
    for (unsigned i = 0; i < 4; i++) {
        s[threadIdx.x] = i;
        __syncthreads();
        out[threadIdx.x] = s[63 - threadIdx.x];
        if (sync) __syncthreads();
    }
}
static __global__ void across_blocks(unsigned *out)
{ out[threadIdx.x] = blockIdx.x; }
#if defined(EMU_RACE)
static __global__ void read_neighbour(unsigned *p)
{
    unsigned v = 0;
    if (blockIdx.x) v = p[0];
    else p[0] = 1;
    p[1 + blockIdx.x] = v;
}
#endif
static __global__ void other_warp(unsigned *out, int sync)
{
    NDGI_SHARED(unsigned, s, 64);
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = 1;
    __syncwarp();
    if (sync) __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32u];
}
/* A block's barrier orders nothing in the next one. */
static __global__ void after_barrier(unsigned *out)
{
    if (blockIdx.x == 0) out[threadIdx.x] = 0;
    __syncthreads();
    if (blockIdx.x == 1) out[threadIdx.x] = 1;
}
static __global__ void half_plain(unsigned *p)
{ if (threadIdx.x) atomicAdd(p, 1u); else *p = 5; }
static __global__ void all_atomic(unsigned *p) { atomicMax(p, threadIdx.x); }
#endif

#if defined(EMU_TSAN)
static void test_races(void)
{
    device<unsigned> d(64, 0u);
    const char *const says = "ThreadSanitizer: data race";
    for (unsigned seed = 0; seed < 4; seed++) {
        emu_seed(seed);
        CHECK(dies([&] { run(reverse, 1, 64, d, 0); }, says));
        CHECK(dies([&] { run(reverse, 1, 32, d, 3); }, says));
        CHECK(dies([&] { run(again, 1, 64, d, 0); }, says));
        CHECK(dies([&] { run(other_warp, 1, 64, d, 0); }, says));
        CHECK(dies([&] { run(across_blocks, 4, 1, d); }, says));
        CHECK(dies([&] { run(after_barrier, 2, 32, d); }, says));
        CHECK(dies([&] { run(half_plain, 1, 2, d); }, says));
    }
    /* a report here would be one of the program's own: its exit status */
    in_orders(8, [&](unsigned) {
        run(reverse, 1, 64, d, 1);
        run(reverse, 1, 32, d, 2);
        run(again, 1, 64, d, 1);
        run(other_warp, 1, 64, d, 1);
        run(all_atomic, 4, 64, d);
        run(across_blocks, 1, 64, d);
        run(across_blocks, 1, 64, d);
    });
}
#elif defined(EMU_RACE)
static __global__ void mirror(const unsigned *in, unsigned *out)
{ out[threadIdx.x] = in[63 - threadIdx.x]; }
static __global__ void unwritten_shared(unsigned *out)
{
    NDGI_SHARED(unsigned, s, 33);
    if (threadIdx.x < 31) s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
static __global__ void add_unwritten(unsigned *p) { atomicAdd(p, 1u); }
static __global__ void ldg_written(unsigned *p, unsigned *out)
{
    p[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = __ldg(p + threadIdx.x);
}
static __global__ void write_ldged(unsigned *p)
{
    const unsigned v = __ldg(p + threadIdx.x);
    __syncthreads();
    p[threadIdx.x] = v + 1;
}
static __global__ void ldg_shared(unsigned *out)
{
    NDGI_SHARED(unsigned, s, 1);
    *s = 1;
    *out = __ldg(s);
}
static __global__ void plain_misaligned(char *p)
{ *(unsigned *)(void *)p = threadIdx.x; }
/* Halves of a warp: each in order within itself, then read across. */
static __global__ void halves(unsigned *out, int meet)
{
    NDGI_SHARED(unsigned, s, 32);
    const unsigned lane = threadIdx.x;
    const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    s[lane] = 0;
    __syncwarp();
    s[lane] = lane;
    __syncwarp(half);
    if (meet == 1) __syncwarp();
    if (meet == 2 && (lane & 15u) == 0) __syncwarp(0x10001u);
    if (meet == 2) __syncwarp(half);
    out[lane] = s[meet < 0 ? lane ^ 15u : 31 - lane];
}
/* Lane 0's read is behind lane 2, which then writes; lane 1's read came later
 * and lane 2 has met it since: clocks are by lane, not by set. */
static __global__ void three_lanes(unsigned *p, int meet)
{
    const unsigned lane = threadIdx.x;
    unsigned v = 0;
    if (lane == 0) v = p[0];
    if (lane == 0 || lane == 2) __syncwarp(5u);
    if (lane == 3 || lane == 1) __syncwarp(10u);
    if (lane == 1) v = p[0];
    if (meet && (lane == 1 || lane == 2)) __syncwarp(6u);
    if (lane == 2) p[0] = 1;
    p[1 + lane] = v;
}
static __global__ void elsewhere(unsigned *p)
{
    unsigned *q = p;
    NDGI_SHARED(unsigned *, s, 1);
    *s = q;
    **s = 1;
}
struct three { unsigned char b[3]; };
static __global__ void copies(three *p, unsigned *q, size_t n)
{
    memcpy(p + 1, p, n);
    memset(q, 0, n);
}

/* The fault, or none, for every seed. */
#define EACH(call, text) \
    for (unsigned seed = 0; seed < 12; seed++) { \
        device<unsigned> d(64, 0u), out(64, 0u), raw(64); \
        emu_seed(seed); \
        call; \
        if (*text) check_fault(__LINE__, text); else CLEAN(); \
    }
#define SOME(call, text) \
    { \
        int found = 0; \
        for (unsigned seed = 0; seed < 24; seed++) { \
            device<unsigned> d(64, 0u), out(64, 0u), raw(64); \
            emu_seed(seed); \
            call; \
            found += emu->failed && strstr(emu->why, text); \
            emu_forgive(); \
        } \
        CHECKF(found > 0, "never '%s' of " #call, text); \
    }

static void test_races(void)
{
    EACH(run(reverse, 1, 64, out, 1), "");
    EACH(run(reverse, 1, 32, out, 2), "");
    EACH(run(reverse, 1, 64, out, 0), "race: a");
    EACH(run(reverse, 1, 64, out, 2), "race: a");
    EACH(run(reverse, 1, 32, out, 3), "race: a read after a write");
    EACH(run(again, 1, 64, out, 1), "");
    EACH(run(again, 1, 64, out, 0), "race: a");
    EACH(run(other_warp, 1, 64, out, 1), "");
    EACH(run(other_warp, 1, 64, out, 0), "race: a");
    EACH(run(after_barrier, 2, 32, out), "race: a write after a write");
    EACH(run(across_blocks, 1, 64, out), "");
    EACH(run(across_blocks, 2, 64, out), "race: a write after a write");
    EACH(run(read_neighbour, 2, 1, out), "race: a");
    EACH(run(half_plain, 1, 64, out), "race: a");
    EACH(run(all_atomic, 4, 64, out), "");
    EACH(run(unwritten_shared, 1, 32, out), "what nothing has written");
    EACH(run(unwritten_shared, 1, 31, out), "");
    EACH(run(add_unwritten, 1, 1, raw), "what nothing has written");
    EACH(run(plain_load, 1, 1, raw, out), "what nothing has written");
    EACH(run(plain_store, 1, 1, raw); run(plain_load, 1, 1, raw, out), "");
    EACH(run(ldg_written, 1, 32, d, out), "__ldg of what this launch");
    EACH(run(write_ldged, 1, 32, d), "a write to what this launch reads");
    EACH(run(ldg_shared, 1, 1, out), "__ldg of shared memory");
    EACH(run(plain_misaligned, 1, 1, (char *)d.p + 2), "misaligned");
    EACH(run(halves, 1, 32, out, -1), "");
    EACH(run(halves, 1, 32, out, 0), "race: a");
    EACH(run(halves, 1, 32, out, 1), "");
    EACH(run(halves, 1, 32, out, 2), "");
    EACH(run(three_lanes, 1, 4, d, 1), "");
    SOME(run(three_lanes, 1, 4, d, 0), "race: a write after a read");
    EACH(run(elsewhere, 1, 1, out), "");
    EACH(run(copies, 1, 1, (three *)(void *)d.p, out, (size_t)3), "");
    EACH(run(copies, 1, 1, (three *)(void *)raw.p, out, (size_t)3),
         "what nothing has written");
    /* a launch begins anew, and what a copy wrote is written */
    EACH(run(write_ldged, 1, 32, d.p + 32); run(plain_load, 1, 1, d, out),
         "a write");
    EACH(run(across_blocks, 1, 64, out); run(across_blocks, 1, 64, out), "");
    EACH(run(across_blocks, 1, 64, d); run(mirror, 1, 64, d, out), "");
}

/* A pointer to another block's shared memory. */
static __global__ void lend(unsigned **at, unsigned *flag)
{
    NDGI_SHARED(unsigned, s, 1);
    *s = blockIdx.x;
    if (blockIdx.x == 0) {
        (void)atomicMax((u64 *)(void *)at, (u64)(size_t)s);
        atomicMax(flag, 1u);
        while (atomicAdd(flag, 0u) == 1) {}
    } else {
        while (atomicAdd(flag, 0u) == 0) {}
        *(unsigned *)(size_t)atomicAdd((u64 *)(void *)at, (u64)0) = 7;
        atomicMax(flag, 2u);
    }
}

static void test_lent_shared(void)
{
    device<unsigned *> at(1, (unsigned *)0);
    device<unsigned> flag(1, 0u);
    emu_seed(11);
    emu->order = EMU_YIELDS;
    emu->window = 2;
    FAULT(run(lend, 2, 1, at, flag), "shared memory of another block");
}
#else
static void test_races(void) {}
#endif

#if defined(EMU_ASAN)
static __global__ void misaligned_vector(char *p)
{ ((uint4 *)(void *)p)->y = 0; }
static void test_asan(void)
{
    device<char> d(64, 0);
    CHECK(dies([&] { run(misaligned_vector, 1, 1, d.p + 8); },
               "misaligned address"));
}
#endif

int main(void)
{
    emu->quiet = 1;
    test_races();                       /* first: TSan forgets */
    test_indices();
    test_orders();
    test_window();
    test_many();
    test_shuffles_of<int>(-3);
    test_shuffles_of<u64>(0x100000001ull);
    test_shuffles_of<double>(0.5);
    test_ballots();
    test_mixed_masks();
    test_atomics_of<unsigned>();
    test_atomics_of<u64>();
    test_loads();
    test_bits();
    test_shared();
    test_refusals();
    test_alignment();
    test_host_and_device();
    test_memory();
    test_copies();
    test_queue();
    test_streams();
    test_capture(cudaStreamDefault);
    test_capture(cudaStreamNonBlocking);
    test_refused_in_capture();
    test_errors();
    test_queries();
#if defined(EMU_RACE)
    test_lent_shared();
#endif
#if defined(EMU_ASAN)
    test_asan();
#endif
    CHECK(emu->device_bytes == 0);
    return test_end("cuda_emul");
}
