/* emul_host.h - the functions of CUDA's runtime that a host calls.
 *
 * A part of cuda_emul.h: types, errors and declarations, and a launch, which
 * copies its arguments at once, as CUDA does. These are the calls that the
 * launchers of ndgather_cuda.cuh, the examples, the tests and the benchmark
 * make; emul_queue.h holds their bodies. */
#ifndef EMUL_HOST_H
#define EMUL_HOST_H

enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9, cudaErrorInvalidDeviceFunction = 98,
    cudaErrorInvalidDevice = 101, cudaErrorInvalidResourceHandle = 400,
    cudaErrorIllegalState = 401, cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801, cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal };
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    int multiProcessorCount, major, minor;
};
typedef struct emu_stream *cudaStream_t;
typedef struct emu_graph *cudaGraph_t;
typedef struct emu_graph_exec *cudaGraphExec_t;
#define cudaStreamDefault 0u
#define cudaStreamNonBlocking 1u

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t e);

cudaError_t cudaMalloc(void **p, size_t n);
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n)
{ return cudaMalloc((void **)p, n); }
cudaError_t cudaFree(void *p);

cudaError_t cudaMemcpy(void *to, const void *from, size_t n,
                       cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n,
                            cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemset(void *p, int v, size_t n);
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t stream = 0);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaDeviceSynchronize(void);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaDriverGetVersion(int *v);
cudaError_t cudaRuntimeGetVersion(int *v);

/* ---- a launch -------------------------------------------------------------*/
/* A kernel and copies of its arguments, made at the launch. */
cudaError_t emu_queue_kernel(dim3 grid, dim3 block, void (*body)(void *),
                             void *call, size_t shared, cudaStream_t stream);

template <class... P> struct emu_args {
    EMU_NOSAN explicit emu_args(void **) {}
    template <class K, class... D>
    EMU_NOSAN void go(K kernel, const D &...done) const { kernel(done...); }
};
template <class H, class... T> struct emu_args<H, T...> {
    static_assert(std::is_trivially_copyable<H>::value,
                  "a kernel's parameters are copied byte by byte");
    H head;
    emu_args<T...> tail;
    EMU_NOSAN explicit emu_args(void **argv)
        : head(*(H *)argv[0]), tail(argv + 1) {}
    template <class K, class... D>
    EMU_NOSAN void go(K kernel, const D &...done) const
    { tail.go(kernel, done..., head); }
};
template <class... P> struct emu_call {
    void (*kernel)(P...);
    emu_args<P...> args;
    EMU_NOSAN emu_call(void (*k)(P...), void **argv) : kernel(k), args(argv) {}
    EMU_NOSAN static void body(void *self)
    {
        const emu_call *const c = (const emu_call *)self;
        c->args.go(c->kernel);
    }
};
template <class... P>
EMU_NOSAN static inline cudaError_t cudaLaunchKernel(
    void (*kernel)(P...), dim3 grid, dim3 block, void **argv,
    size_t shared = 0, cudaStream_t stream = 0)
{
    typedef emu_call<P...> call;
    static_assert(sizeof(call) <= 4096 + 64, "over 4096 bytes of arguments");
    void *const at = malloc(sizeof(call));
    if (!kernel || !at) { free(at); return cudaErrorInvalidDeviceFunction; }
    return emu_queue_kernel(grid, block, call::body,
                            new (at) call(kernel, argv), shared, stream);
}

#endif
