/* cuda_stub.h - just enough of CUDA and HIP, declared only, for clang to check
 * ndgather_cuda.cuh and its examples where no toolkit is installed:
 *
 *     clang++ -x cuda -nocudainc -nocudalib --cuda-device-only -fsyntax-only
 *         -include tests/cuda_stub.h ndgather_cuda.cuh
 *     clang++ -x hip -nogpuinc -nogpulib ...     (and --cuda-host-only)
 *
 * Signatures are the toolkits'; what is missing here is not used yet. */
#ifndef CUDA_STUB_H
#define CUDA_STUB_H
#define NDG_CUDA_RUNTIME_PROVIDED
#include <stddef.h>
#include <stdint.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))

/* ---- types ----------------------------------------------------------------*/
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1,
                                       unsigned c = 1) : x(a), y(b), z(c) {}
};
struct uint3 { unsigned x, y, z; };

#define STUB_VECTORS(T, V2, V4) \
    struct __attribute__((aligned(2 * sizeof(T)))) V2 { T x, y; }; \
    struct __attribute__((aligned( \
        4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16))) V4 { T x, y, z, w; }; \
    static inline __host__ __device__ V2 make_##V2(T x, T y) \
    { V2 v = { x, y }; return v; } \
    static inline __host__ __device__ V4 make_##V4(T x, T y, T z, T w) \
    { V4 v = { x, y, z, w }; return v; }
STUB_VECTORS(unsigned char, uchar2, uchar4)
STUB_VECTORS(unsigned short, ushort2, ushort4)
STUB_VECTORS(int, int2, int4)
STUB_VECTORS(unsigned, uint2, uint4)
STUB_VECTORS(long long, longlong2, longlong4)
STUB_VECTORS(unsigned long long, ulonglong2, ulonglong4)
STUB_VECTORS(float, float2, float4)
STUB_VECTORS(double, double2, double4)

extern const __device__ __attribute__((weak)) uint3 threadIdx, blockIdx;
extern const __device__ __attribute__((weak)) dim3 blockDim, gridDim;
#define warpSize 32

/* ---- host -----------------------------------------------------------------*/
/* Both families: X(Type, name) declares cudaName and, under HIP, hipName. */
#if defined(__HIP__)
#define STUB_BOTH(cuda, hip) cuda hip
#else
#define STUB_BOTH(cuda, hip) cuda
#endif
enum cudaError_t {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9, cudaErrorNotReady = 600
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16, cudaDevAttrComputeCapabilityMajor = 75
};
typedef struct stub_stream *cudaStream_t;
typedef struct stub_event *cudaEvent_t;
typedef struct stub_graph *cudaGraph_t;
typedef struct stub_graph_exec *cudaGraphExec_t;
#define cudaStreamDefault 0u
#define cudaStreamNonBlocking 1u
#if defined(__HIP__)
typedef cudaError_t hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaMemcpyKind hipMemcpyKind;
#define hipSuccess cudaSuccess
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorInvalidConfiguration cudaErrorInvalidConfiguration
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#endif

/* A function of the runtime under its names. */
#define STUB(name, ...) \
    STUB_BOTH(cudaError_t cuda##name(__VA_ARGS__);, \
              cudaError_t hip##name(__VA_ARGS__);)
extern "C" {
STUB(GetLastError, void)
STUB(PeekAtLastError, void)
STUB(Malloc, void **, size_t)
STUB(Free, void *)
STUB(MallocHost, void **, size_t)
STUB(FreeHost, void *)
STUB(Memcpy, void *, const void *, size_t, cudaMemcpyKind)
STUB(MemcpyAsync, void *, const void *, size_t, cudaMemcpyKind, cudaStream_t)
STUB(Memset, void *, int, size_t)
STUB(MemsetAsync, void *, int, size_t, cudaStream_t)
STUB(StreamCreate, cudaStream_t *)
STUB(StreamCreateWithFlags, cudaStream_t *, unsigned)
STUB(StreamDestroy, cudaStream_t)
STUB(StreamSynchronize, cudaStream_t)
STUB(DeviceSynchronize, void)
STUB(EventCreate, cudaEvent_t *)
STUB(EventDestroy, cudaEvent_t)
STUB(EventRecord, cudaEvent_t, cudaStream_t)
STUB(EventSynchronize, cudaEvent_t)
STUB(EventElapsedTime, float *, cudaEvent_t, cudaEvent_t)
STUB(StreamBeginCapture, cudaStream_t, cudaStreamCaptureMode)
STUB(StreamEndCapture, cudaStream_t, cudaGraph_t *)
STUB(GraphInstantiate, cudaGraphExec_t *, cudaGraph_t, unsigned long long)
STUB(GraphLaunch, cudaGraphExec_t, cudaStream_t)
STUB(GraphExecDestroy, cudaGraphExec_t)
STUB(GraphDestroy, cudaGraph_t)
STUB(GetDevice, int *)
STUB(SetDevice, int)
STUB(GetDeviceCount, int *)
STUB(DeviceGetAttribute, int *, cudaDeviceAttr, int)
/* What a kernel's own stub calls, and what <<<>>> does. */
STUB(LaunchKernel, const void *, dim3, dim3, void **, size_t, cudaStream_t)
STUB(ConfigureCall, dim3, dim3, size_t = 0, cudaStream_t = 0)
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
unsigned __hipPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
cudaError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
}

/* The headers' C++ forms: a kernel's type goes, arguments stay as they are. */
template <class T>
static inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block,
                                           void **argv, size_t shared = 0,
                                           cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, argv, shared,
                            stream);
}
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n)
{ return cudaMalloc((void **)(void *)p, n); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n)
{ return cudaMallocHost((void **)(void *)p, n); }

/* ---- device ---------------------------------------------------------------*/
__device__ void __syncthreads(void);
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __syncwarp(unsigned = 0xffffffffu);
__device__ void __threadfence(void);
__device__ void __threadfence_block(void);
__device__ unsigned __activemask(void);
__device__ unsigned __ballot_sync(unsigned, int);
__device__ int __any_sync(unsigned, int);
__device__ int __all_sync(unsigned, int);
template <class T> __device__ unsigned __match_any_sync(unsigned, T);
template <class T> __device__ T __shfl_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __shfl_up_sync(unsigned, T, unsigned,
                                               int = 32);
template <class T> __device__ T __shfl_down_sync(unsigned, T, unsigned,
                                                 int = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned, T, int, int = 32);

/* For the types the hardware has loads of, as in the toolkits. */
#define STUB_MEMORY(T) \
    __device__ T __ldg(const T *); \
    __device__ T __ldca(const T *); \
    __device__ T __ldcg(const T *); \
    __device__ T __ldcs(const T *); \
    __device__ void __stcg(T *, T); \
    __device__ void __stcs(T *, T);
STUB_MEMORY(char)
STUB_MEMORY(signed char)
STUB_MEMORY(unsigned char)
STUB_MEMORY(short)
STUB_MEMORY(unsigned short)
STUB_MEMORY(int)
STUB_MEMORY(unsigned)
STUB_MEMORY(long)
STUB_MEMORY(unsigned long)
STUB_MEMORY(long long)
STUB_MEMORY(unsigned long long)
STUB_MEMORY(float)
STUB_MEMORY(double)
STUB_MEMORY(uint2)
STUB_MEMORY(uint4)
STUB_MEMORY(int2)
STUB_MEMORY(int4)
STUB_MEMORY(ulonglong2)
STUB_MEMORY(longlong2)
STUB_MEMORY(float2)
STUB_MEMORY(float4)

#define STUB_ATOMICS(T) \
    __device__ T atomicAdd(T *, T); \
    __device__ T atomicMax(T *, T); \
    __device__ T atomicMin(T *, T); \
    __device__ T atomicExch(T *, T); \
    __device__ T atomicCAS(T *, T, T); \
    __device__ T atomicAnd(T *, T); \
    __device__ T atomicOr(T *, T); \
    __device__ T atomicXor(T *, T);
STUB_ATOMICS(int)
STUB_ATOMICS(unsigned)
STUB_ATOMICS(unsigned long long)
__device__ float atomicAdd(float *, float);

__device__ int __popc(unsigned);
__device__ int __popcll(unsigned long long);
__device__ int __ffs(int);
__device__ int __ffsll(long long);
__device__ int __clz(int);
__device__ int __clzll(long long);
__device__ unsigned __brev(unsigned);
__device__ unsigned __umulhi(unsigned, unsigned);
__device__ int __mulhi(int, int);
__device__ unsigned long long __umul64hi(unsigned long long,
                                         unsigned long long);
__device__ unsigned __funnelshift_l(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_r(unsigned, unsigned, unsigned);
__device__ unsigned __byte_perm(unsigned, unsigned, unsigned);
__device__ void __nanosleep(unsigned);
__device__ void __trap(void);
#endif
