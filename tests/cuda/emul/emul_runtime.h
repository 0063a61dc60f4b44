/* emul_runtime.h - the runtime's other calls: waiting, streams and events,
 * launches, copies, allocations, the device.
 *
 * A part of cuda_emul.h, the last of its core but for the race checker. Each
 * call does what the rules of capture allow and returns CUDA's errors; copies
 * and memsets of what they must not touch are faults. Hosts call these by their
 * declarations in emul_host.h. */
#ifndef EMUL_RUNTIME_H
#define EMUL_RUNTIME_H

/* ---- synchronisation ------------------------------------------------------*/
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    emu_stream *const s = emu_stream_of(stream);
    cudaError_t e = cudaSuccess;
    if (!s) return emu_return(cudaErrorInvalidResourceHandle);
    if (s->graph) {
        s->broken = true;
        e = cudaErrorStreamCaptureUnsupported;
    } else if (s == &emu_legacy) {
        e = emu_legacy_use();
    }
    return e == cudaSuccess ? emu_drain(s) : emu_return(e);
}

cudaError_t cudaDeviceSynchronize(void)
{
    const cudaError_t e = emu_unsafe();
    return e == cudaSuccess ? emu_drain(0) : emu_return(e);
}

/* ---- streams and events ---------------------------------------------------*/
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = new emu_stream();
    (*stream)->blocking = !(flags & cudaStreamNonBlocking);
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

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new emu_event();
    return cudaSuccess;
}

/* Not in a capture: there it would be a node, which nobody here wants. */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const emu_stream *const s = emu_stream_of(stream);
    if (s && s->graph) return emu_return(cudaErrorNotSupported);
    const uint64_t stamp = ++event->recorded;
    return emu_later(stream, [=] { event->done = stamp; });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const int before = emu->failed;
    while (event->done < event->recorded) emu_step();
    return emu_return(emu->failed == before ? cudaSuccess
                                            : cudaErrorLaunchFailure);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    if (!a->recorded || !b->recorded)
        return emu_return(cudaErrorInvalidResourceHandle);
    if (a->done < a->recorded || b->done < b->recorded)
        return cudaErrorNotReady;
    *ms = 0.001f;
    return cudaSuccess;
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
    cudaError_t e = emu_legacy_use();
    if (e == cudaSuccess) e = emu_unsafe();
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
