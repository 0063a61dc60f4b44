/* emul_queue.h - streams: work waits here until something synchronises.
 *
 * A part of cuda_emul.h, of its core. Every kernel, copy, memset and record of
 * an event is an item in its stream's queue; the streams take turns by chance,
 * as far as the legacy stream lets them, so a result read too early is not
 * there yet. The errors that calls return are here too. emul_capture.h and
 * emul_runtime.h put work in. */
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
    switch (e) {
#define EMU_NAME(name) case name: return #name;
    EMU_NAME(cudaSuccess)
    EMU_NAME(cudaErrorInvalidValue)
    EMU_NAME(cudaErrorMemoryAllocation)
    EMU_NAME(cudaErrorInvalidConfiguration)
    EMU_NAME(cudaErrorInvalidDeviceFunction)
    EMU_NAME(cudaErrorInvalidDevice)
    EMU_NAME(cudaErrorInvalidResourceHandle)
    EMU_NAME(cudaErrorIllegalState)
    EMU_NAME(cudaErrorNotReady)
    EMU_NAME(cudaErrorLaunchFailure)
    EMU_NAME(cudaErrorNotSupported)
    EMU_NAME(cudaErrorStreamCaptureUnsupported)
    EMU_NAME(cudaErrorStreamCaptureInvalidated)
    EMU_NAME(cudaErrorStreamCaptureImplicit)
    }
    return "an unknown error";
}

/* ---- queues ---------------------------------------------------------------*/
/* What is to be done, held by queues and graphs. */
typedef std::shared_ptr<const std::function<void()>> emu_work;
struct emu_item { emu_work work; uint64_t number; };
struct emu_graph { std::vector<emu_work> work; };
struct emu_graph_exec { std::vector<emu_work> work; };
struct emu_event { uint64_t recorded, done; };
struct emu_stream {
    std::deque<emu_item> queue;
    bool blocking;              /* takes turns with the legacy stream */
    bool broken;                /* its capture is */
    emu_graph *graph;           /* being captured, or NULL */
};
static emu_stream &emu_legacy = *new emu_stream();
static std::vector<emu_stream *> &emu_streams
    = *new std::vector<emu_stream *>(1, &emu_legacy);
static uint64_t emu_number;             /* of the latest item */

/* The stream behind a handle, or NULL. */
static emu_stream *emu_stream_of(cudaStream_t handle)
{
    if (handle == 0) return &emu_legacy;
    for (emu_stream *s : emu_streams)
        if (s == handle && s != &emu_legacy) return s;
    return 0;
}

/* The legacy stream waits for streams that block on it: while one of them is
 * captured, its use would be an edge from outside the graph. */
static cudaError_t emu_legacy_use(void)
{
    cudaError_t e = cudaSuccess;
    for (emu_stream *s : emu_streams)
        if (s->graph && s->blocking) {
            s->broken = true;
            e = cudaErrorStreamCaptureImplicit;
        }
    return e;
}

static cudaError_t emu_enqueue(cudaStream_t handle, const emu_work &w)
{
    emu_stream *const s = emu_stream_of(handle);
    cudaError_t e = cudaSuccess;
    if (emu->cur) emu_fail(emu_nowhere, "the host's API inside a kernel");
    if (!s) e = cudaErrorInvalidResourceHandle;
    else if (s == &emu_legacy) e = emu_legacy_use();
    else if (s->broken) e = cudaErrorStreamCaptureInvalidated;
    if (e != cudaSuccess) return emu_return(e);
    const emu_item item = { w, ++emu_number };
    if (s->graph) s->graph->work.push_back(w);
    else s->queue.push_back(item);
    return cudaSuccess;
}

template <class F> static cudaError_t emu_later(cudaStream_t stream, F f)
{
    return emu_enqueue(stream, std::make_shared<std::function<void()>>(f));
}

/* May the stream's first item run? */
static bool emu_runnable(const emu_stream *s)
{
    if (s->queue.empty()) return false;
    const uint64_t number = s->queue.front().number;
    if (s != &emu_legacy)
        return !s->blocking || emu_legacy.queue.empty()
            || emu_legacy.queue.front().number > number;
    for (const emu_stream *o : emu_streams)
        if (o->blocking && !o->queue.empty()
            && o->queue.front().number < number) return false;
    return true;
}

static emu_stream *emu_choose(void)
{
    emu_stream *chosen = 0;
    unsigned seen = 0;
    for (emu_stream *s : emu_streams) {
        if (!emu_runnable(s)) continue;
        seen++;
        if (!chosen || emu->order == EMU_DESCENDING ||
            (emu->order >= EMU_RANDOM && emu_random() % seen == 0))
            chosen = s;
    }
    return chosen;
}

/* Runs one item of some stream: the oldest of all may always run. */
static void emu_step(void)
{
    emu_stream *const s = emu_choose();
    if (!s) abort();
    const emu_item item = s->queue.front();
    s->queue.pop_front();
    emu_open();
    (*item.work)();
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

#endif
