/* emul_queue.h - the host's calls: streams, capture, copies, allocations.
 *
 * A part of cuda_emul.h, of its core. Every kernel, copy and memset is an item
 * in its stream's queue until something synchronises; streams take turns by
 * chance, the legacy one like all others, so a result read too early is not
 * there yet. A captured stream's work goes to a graph, which may be launched
 * many times; there is the global mode only. What CUDA refuses meanwhile is
 * refused: waiting and allocating. So the tests see that a launcher does none
 * of it. Copies and memsets of what they must not touch are faults. */
#ifndef EMUL_QUEUE_H
#define EMUL_QUEUE_H

/* ---- errors ---------------------------------------------------------------*/
static cudaError_t emu_pending;         /* what cudaGetLastError gives */

static cudaError_t emu_return(cudaError_t e)
{
    if (e != cudaSuccess) emu_pending = e;
    return e;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t e = emu_pending;
    emu_pending = cudaSuccess;
    return e;
}

cudaError_t cudaPeekAtLastError(void) { return emu_pending; }

const char *cudaGetErrorString(cudaError_t e)
{
    static char text[32];
    snprintf(text, sizeof text, "CUDA error %d", (int)e);
    return text;
}

/* ---- queues ---------------------------------------------------------------*/
/* What is to be done, held by queues and graphs. */
typedef std::shared_ptr<const std::function<void()>> emu_work;
struct emu_graph { std::vector<emu_work> work; };
struct emu_graph_exec { std::vector<emu_work> work; };
struct emu_stream {
    std::deque<emu_work> queue;
    bool broken;                /* its capture is */
    emu_graph *graph;           /* being captured, or NULL */
};
static emu_stream &emu_legacy = *new emu_stream();
static std::vector<emu_stream *> &emu_streams
    = *new std::vector<emu_stream *>(1, &emu_legacy);

/* The stream behind a handle, or NULL. */
static emu_stream *emu_stream_of(cudaStream_t handle)
{
    if (handle == 0) return &emu_legacy;
    for (emu_stream *s : emu_streams)
        if (s == handle && s != &emu_legacy) return s;
    return 0;
}

static cudaError_t emu_enqueue(cudaStream_t handle, const emu_work &w)
{
    emu_stream *const s = emu_stream_of(handle);
    cudaError_t e = cudaSuccess;
    if (emu->cur) emu_fail(emu_nowhere, "the host's API inside a kernel");
    if (!s) e = cudaErrorInvalidResourceHandle;
    else if (s->broken) e = cudaErrorStreamCaptureInvalidated;
    if (e != cudaSuccess) return emu_return(e);
    if (s->graph) s->graph->work.push_back(w);
    else s->queue.push_back(w);
    return cudaSuccess;
}

template <class F> static cudaError_t emu_later(cudaStream_t stream, F f)
{
    return emu_enqueue(stream, std::make_shared<std::function<void()>>(f));
}

static emu_stream *emu_choose(void)
{
    emu_stream *chosen = 0;
    unsigned seen = 0;
    for (emu_stream *s : emu_streams) {
        if (s->queue.empty()) continue;
        seen++;
        if (!chosen || emu->order == EMU_DESCENDING ||
            (emu->order >= EMU_RANDOM && emu_random() % seen == 0))
            chosen = s;
    }
    return chosen;
}

/* Runs one item of some stream. */
static void emu_step(void)
{
    emu_stream *const s = emu_choose();
    if (!s) abort();
    const emu_work work = s->queue.front();
    s->queue.pop_front();
    emu_open();
    (*work)();
    emu_close();
}

/* Until a stream, or with NULL every one, has nothing left. Others may have
 * run meanwhile, or not. */
static cudaError_t emu_drain(const emu_stream *only)
{
    const int before = emu->failed;
    emu_open();
    for (emu_stream *s : emu_streams)
        while (!s->queue.empty() && (!only || s == only)) emu_step();
    emu_close();
    return emu_return(emu->failed == before ? cudaSuccess
                                            : cudaErrorLaunchFailure);
}

/* ---- capture --------------------------------------------------------------*/
/* A call that is an error while any stream is captured. Ends the captures, as
 * the runtime does. */
static cudaError_t emu_unsafe(void)
{
    cudaError_t e = cudaSuccess;
    for (emu_stream *s : emu_streams)
        if (s->graph) {
            s->broken = true;
            e = cudaErrorStreamCaptureUnsupported;
        }
    return e;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    emu_stream *const s = emu_stream_of(stream);
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    if (s == &emu_legacy) return emu_return(cudaErrorStreamCaptureUnsupported);
    if (s->graph) return emu_return(cudaErrorIllegalState);
    s->graph = new emu_graph();
    s->broken = false;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    emu_stream *const s = emu_stream_of(stream);
    emu_graph *g;
    *graph = 0;
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    g = s->graph;
    if (!g) return emu_return(cudaErrorIllegalState);
    s->graph = 0;
    if (s->broken) {
        s->broken = false;
        delete g;
        return emu_return(cudaErrorStreamCaptureInvalidated);
    }
    *graph = g;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t g,
                                 unsigned long long)
{
    *exec = 0;
    if (!g) return emu_return(cudaErrorInvalidValue);
    *exec = new emu_graph_exec{ g->work };
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;
    if (!exec) return emu_return(cudaErrorInvalidValue);
    for (const emu_work &w : exec->work)
        if (e == cudaSuccess) e = emu_enqueue(stream, w);
    return e;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    delete exec;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    delete g;
    return cudaSuccess;
}

/* ---- synchronisation ------------------------------------------------------*/
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    emu_stream *const s = emu_stream_of(stream);
    cudaError_t e = cudaSuccess;
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    if (s->graph) {
        s->broken = true;
        e = cudaErrorStreamCaptureUnsupported;
    }
    return e == cudaSuccess ? emu_drain(s) : emu_return(e);
}

cudaError_t cudaDeviceSynchronize(void)
{
    const cudaError_t e = emu_unsafe();
    return e == cudaSuccess ? emu_drain(0) : emu_return(e);
}

/* ---- streams --------------------------------------------------------------*/
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = new emu_stream();
    emu_streams.push_back(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{ return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    emu_stream *const s = stream ? emu_stream_of(stream) : 0;
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    const cudaError_t e = emu_drain(s);     /* what is queued still runs */
    for (emu_stream *&o : emu_streams) if (o == s) o = emu_streams.back();
    emu_streams.pop_back();
    delete s->graph;
    delete s;
    return e;
}

/* ---- launches and copies --------------------------------------------------*/
cudaError_t emu_queue_kernel(dim3 grid, dim3 block, void (*body)(void *),
                             void *call, size_t shared, cudaStream_t stream)
{
    const std::shared_ptr<void> arg(call, free);
    if (shared) emu_fail(emu_nowhere, "shared memory of a launch's own");
    if (!emu_launchable(grid, block) || shared)
        return emu_return(cudaErrorInvalidConfiguration);
    return emu_later(stream, [=] {
        (void)emu_run(grid, block, body, arg.get()); });
}

/* 1: all of it is memory a kernel may touch. 0: none. -1: it leaves it. */
static int emu_is_device(const void *p, size_t n)
{
    const emu_region *const r = emu_find(p);
    if (!r)
        return emu_arena && (const char *)p >= emu_arena &&
            (const char *)p < emu_arena + emu_arena_size ? -1 : 0;
    return n <= (size_t)(r->p + r->n - (const char *)p) ? 1 : -1;
}

static int emu_is_host(const void *p, size_t n)
{
    const emu_region *const r = emu_find(p);
    return r && r->kind == EMU_MAPPED ? 1 : !emu_is_device(p, n);
}

/* A queue's own memory operation on what it must not touch is a fault: the
 * runtime does not always notice. */
static int emu_memory_ok(const void *p, size_t n, int device, const char *what)
{
    const int is = emu_is_device(p, n);
    if (is < 0) emu_fail(emu_nowhere, "%s leaves its allocation", what);
    else if (device && !is && emu->strict)
        emu_fail(emu_nowhere, "%s of what is not device memory", what);
    else if (!device && !emu_is_host(p, n))
        emu_fail(emu_nowhere, "%s takes device memory for the host's", what);
    else return 1;
    return 0;
}

cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t stream)
{
    if (n == 0) return cudaSuccess;
    if (!emu_memory_ok(p, n, 1, "a memset"))
        return emu_return(cudaErrorInvalidValue);
    return emu_later(stream, [=] { memset(p, v, n); emu_written(p, n); });
}

/* On the legacy stream; the host does not wait for it. */
cudaError_t cudaMemset(void *p, int v, size_t n)
{
    const cudaError_t e = emu_unsafe();
    return e == cudaSuccess ? cudaMemsetAsync(p, v, n, 0) : emu_return(e);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n,
                            cudaMemcpyKind kind, cudaStream_t stream)
{
    if (n == 0) return cudaSuccess;
    if (!emu_memory_ok(to, n, kind != cudaMemcpyDeviceToHost,
                       "a copy's target") ||
        !emu_memory_ok(from, n, kind != cudaMemcpyHostToDevice,
                       "a copy's source"))
        return emu_return(cudaErrorInvalidValue);
    return emu_later(stream, [=] { memmove(to, from, n); emu_written(to, n); });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n,
                       cudaMemcpyKind kind)
{
    cudaError_t e = emu_unsafe();
    if (e != cudaSuccess) return emu_return(e);
    e = cudaMemcpyAsync(to, from, n, kind, 0);
    return e == cudaSuccess ? emu_drain(&emu_legacy) : e;
}

/* ---- allocations ----------------------------------------------------------*/
cudaError_t cudaMalloc(void **p, size_t n)
{
    const cudaError_t e = emu_unsafe();
    *p = 0;
    if (e != cudaSuccess) return emu_return(e);
    if (n && !(*p = emu_alloc(n))) return emu_return(cudaErrorMemoryAllocation);
    return cudaSuccess;
}

/* Waits for the device first. */
cudaError_t cudaFree(void *p)
{
    cudaError_t e = emu_unsafe();
    emu_region *r;
    if (e != cudaSuccess) return emu_return(e);
    if (!p) return cudaSuccess;
    e = emu_drain(0);
    r = emu_exactly(p);
    if (!r || r->kind != EMU_DEVICE) return emu_return(cudaErrorInvalidValue);
    emu_release_memory(r);
    return e;
}

/* ---- the device -----------------------------------------------------------*/
cudaError_t cudaGetDeviceCount(int *n) { *n = 1; return cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *v) { *v = 13000; return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *v) { *v = 13000; return cudaSuccess; }

cudaError_t cudaSetDevice(int device)
{ return emu_return(device ? cudaErrorInvalidDevice : cudaSuccess); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    if (device) return emu_return(cudaErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "emulated device");
    p->totalGlobalMem = emu_arena_size;
    p->multiProcessorCount = 3;
    p->major = 9;
    return cudaSuccess;
}

#endif
