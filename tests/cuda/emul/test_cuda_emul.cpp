/* test_cuda_emul.cpp - the emulator that runs the CUDA kernels on the CPU: the
 * orders in which it does so, those of its queues, and that it refuses what it
 * should, since a checker that never fails proves nothing. What its operations
 * give is seen by what the kernels make of them: it has no others (test_cuda).
 *
 * Built plain, under ASan and UBSan and with the race checker; a fault that
 * only one of them can see is expected from that one alone. */
#include "cuda_emul.h"
#include "../../lib/test.h"
#include <sys/wait.h>
#include <unistd.h>
#include <string>
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

/* A child that does this dies, and says so. */
template <class F> static bool dies(F f, const char *text)
{
    std::string said;
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
        said.append(some, (size_t)n);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (status != 0 && said.find(text) != said.npos) return true;
    printf("a child ended with %d and said: %.800s\n", status, said.c_str());
    return false;
}

/* ---- threads --------------------------------------------------------------*/
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

/* ---- shared memory --------------------------------------------------------*/
#if !defined(EMU_RACE)
static __global__ void leftovers(unsigned *out)
{
    NDGI_SHARED(unsigned, s, 4);
    out[blockIdx.x] = s[2];
    __syncthreads();
    s[2] = 42;
}

/* Never what an earlier block left. */
static void test_shared(void)
{
    device<unsigned> out(8);
    bool garbage = true, alike = true;
    run(leftovers, 8, 1, out);
    for (size_t b = 0; b < 8; b++) {
        garbage = garbage && out.get()[b] != 42 && out.get()[b] != 0;
        alike = alike && out.get()[b] == out.get()[0];
    }
    CHECK(garbage && !alike);
    CLEAN();
}
#endif

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
        run(early_exit, 6, 64, 64);
        CLEAN();
    }
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
    CHECK(dies([&] { of_the_host[0] = d.p[1]; }, ""));
    CHECK(dies([&] { d.p[1] = of_the_host[0]; }, ""));
    CHECK(dies([&] { memcpy(of_the_host, d.p, 16); }, ""));
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
#if defined(EMU_ASAN) || defined(EMU_RACE)
static void overrun(void)
{
    unsigned *p = 0;
    (void)cudaMalloc(&p, 16);
    run(plain_store, 1, 1, p + 4);
    (void)cudaFree(p);
    if (emu->failed) exit(1);
}
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
    CHECK(dies(overflow_stack, ""));
#else
    CHECK(dies(use_after_free, "not device memory"));
    CHECK(dies(overflow_stack, ""));
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

/* Two streams take turns in either order, and the end of one may leave the
 * other's work undone. */
static void test_streams(void)
{
    unsigned seen = 0, left = 0;
    for (unsigned seed = 0; seed < 32; seed++) {
        device<unsigned> d(2, 0u);
        cudaStream_t a = 0;
        unsigned had[2];
        emu_seed(seed);
        CHECK(cudaStreamCreate(&a) == cudaSuccess);
        (void)launch(digit, 1, 1, a, d, 1u);
        (void)launch(digit, 1, 1, 0, d, 2u);
        (void)cudaDeviceSynchronize();
        seen |= d.get()[0] == 12 ? 1u : d.get()[0] == 21 ? 2u : 4u;
        (void)launch(digit, 1, 1, 0, d.p + 1, 1u);
        (void)cudaMemcpyAsync(had, d, 8, cudaMemcpyDeviceToHost, a);
        (void)cudaStreamSynchronize(a);
        left |= 1u << had[1];
        CHECK(cudaStreamDestroy(a) == cudaSuccess);
    }
    CHECK(seen == 3);
    CHECK(left == 3);
    CLEAN();
}

/* ---- capture --------------------------------------------------------------*/
static __global__ void nothing(int) {}

static void test_capture(void)
{
    device<unsigned> d(1, 0u);
    cudaStream_t s = 0;
    cudaGraph_t graph = 0;
    cudaGraphExec_t exec = 0;
    emu_seed(1);
    (void)cudaStreamCreate(&s);
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

/* A call in the middle of a capture is refused, and the capture is broken. */
template <class F> static void refused_in_capture(int line, F call)
{
    const cudaError_t no = cudaErrorStreamCaptureUnsupported;
    cudaStream_t s = 0;
    cudaGraph_t graph = 0;
    cudaError_t e;
    (void)cudaStreamCreate(&s);
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    e = call(s);
    test_check(e == no && cudaGetLastError() == no, __FILE__, line, "answer %s",
               cudaGetErrorString(e));
    e = launch(nothing, 1, 1, s, 0);
    test_check(e == cudaErrorStreamCaptureInvalidated, __FILE__, line,
               "then %s", cudaGetErrorString(e));
    e = cudaStreamEndCapture(s, &graph);
    test_check(e != cudaSuccess && !graph, __FILE__, line, "ends well");
    (void)cudaGetLastError();
    (void)cudaStreamDestroy(s);
}
#define REFUSED_IN_CAPTURE(call) \
    refused_in_capture(__LINE__, [&](cudaStream_t s) { (void)s; return call; })

static void test_refused_in_capture(void)
{
    device<unsigned> d(1, 0u);
    cudaGraph_t graph = 0;
    unsigned h = 0;
    void *p = 0;
    REFUSED_IN_CAPTURE(cudaStreamSynchronize(s));
    REFUSED_IN_CAPTURE(cudaDeviceSynchronize());
    REFUSED_IN_CAPTURE(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    REFUSED_IN_CAPTURE(cudaMemset(d, 0, 4));
    REFUSED_IN_CAPTURE(cudaMalloc(&p, 4));
    REFUSED_IN_CAPTURE(cudaFree(d));
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) ==
          cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(0, &graph) == cudaErrorIllegalState);
    (void)cudaGetLastError();
    CLEAN();
}

/* ---- errors, the device ---------------------------------------------------*/
static void test_errors(void)
{
    device<unsigned> d(1, 0u);
    (void)cudaGetLastError();
    CHECK(launch(nothing, 1, 2048, 0, 0) == cudaErrorInvalidConfiguration);
    CHECK(launch(nothing, 1, 0, 0, 0) == cudaErrorInvalidConfiguration);
    CHECK(launch(nothing, 0, 32, 0, 0) == cudaErrorInvalidConfiguration);
    CHECK(launch(nothing, dim3(1, 2), 32, 0, 0) ==
          cudaErrorInvalidConfiguration);
    CHECK(launch(nothing, 1, dim3(1, 1, 2), 0, 0) ==
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
    void *argv[] = { 0 };
    CHECK(cudaLaunchKernel((void (*)(int))0, dim3(1), dim3(1), argv, 0, 0) ==
          cudaErrorInvalidDeviceFunction);
    int v = 0, *arg[] = { &v };
    FAULT(CHECK(cudaLaunchKernel(nothing, dim3(1), dim3(1), (void **)arg, 64, 0)
          == cudaErrorInvalidConfiguration), "shared memory of a launch's own");
    (void)cudaGetLastError();
    CLEAN();
}

/* ---- races ----------------------------------------------------------------*/
#if defined(EMU_RACE)
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
static __global__ void read_neighbour(unsigned *p)
{
    unsigned v = 0;
    if (blockIdx.x) v = p[0];
    else p[0] = 1;
    p[1 + blockIdx.x] = v;
}
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
    test_orders();
    test_window();
    test_refusals();
    test_alignment();
    test_host_and_device();
    test_memory();
    test_copies();
    test_queue();
    test_streams();
    test_capture();
    test_refused_in_capture();
    test_errors();
#if defined(EMU_RACE)
    test_races();
    test_lent_shared();
#else
    test_shared();
#endif
#if defined(EMU_ASAN)
    test_asan();
#endif
    CHECK(emu->device_bytes == 0);
    return test_end("cuda_emul");
}
