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
enum { EMU_KERNEL, EMU_SET, EMU_COPY, EMU_RECORD };
struct emu_work {
    int kind;
    unsigned refs;              /* queues and graphs that hold it */
    dim3 grid, block;
    void (*body)(void *);       /* of a kernel */
    void *arg;                  /* its call, freed with it */
    void *to;
    const void *from;
    int byte;
    size_t n;
    emu_event *event;
    uint64_t stamp;             /* which record of the event */
};
struct emu_item { emu_item *next; emu_work *work; uint64_t number; };
struct emu_graph { unsigned refs; emu_work **work; size_t n, room; };
struct emu_graph_exec { emu_graph *graph; };
struct emu_event { uint64_t recorded, done; };
struct emu_stream {
    emu_item *first, *last;
    int blocking;               /* takes turns with the legacy stream */
    int broken;                 /* its capture is */
    emu_graph *graph;           /* being captured, or NULL */
};
static emu_stream emu_legacy;
static emu_stream **emu_streams;        /* those made by the program */
static size_t emu_nstreams;
static uint64_t emu_number;             /* of the latest item */

static emu_stream *emu_stream_at(size_t i)
{
    if (i == 0) return &emu_legacy;
    return i - 1 < emu_nstreams ? emu_streams[i - 1] : 0;
}

/* The stream behind a handle, or NULL. */
static emu_stream *emu_stream_of(cudaStream_t handle)
{
    emu_stream *s;
    if (handle == 0) return &emu_legacy;
    for (size_t i = 1; (s = emu_stream_at(i)) != 0; i++)
        if (s == handle) return s;
    return 0;
}

static emu_work *emu_new_work(int kind)
{
    emu_work *const w = (emu_work *)calloc(1, sizeof *w);
    if (!w) abort();
    w->kind = kind;
    return w;
}

static void emu_drop_work(emu_work *w)
{
    if (--w->refs) return;
    if (w->kind == EMU_KERNEL) free(w->arg);
    free(w);
}

static void emu_append(emu_stream *s, emu_work *w)
{
    emu_item *const item = (emu_item *)calloc(1, sizeof *item);
    if (!item) abort();
    item->work = w;
    item->number = ++emu_number;
    if (s->first) s->last->next = item;
    else s->first = item;
    s->last = item;
}

static void emu_record_in(emu_graph *g, emu_work *w)
{
    if (g->n == g->room) {
        g->room = 2 * g->room + 8;
        g->work = (emu_work **)realloc(g->work, g->room * sizeof *g->work);
        if (!g->work) abort();
    }
    g->work[g->n++] = w;
}

/* The legacy stream waits for streams that block on it: while one of them is
 * captured, its use would be an edge from outside the graph. */
static cudaError_t emu_legacy_use(void)
{
    emu_stream *s;
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; (s = emu_stream_at(i)) != 0; i++)
        if (s->graph && s->blocking) {
            s->broken = 1;
            e = cudaErrorStreamCaptureImplicit;
        }
    return e;
}

static cudaError_t emu_enqueue(cudaStream_t handle, emu_work *w)
{
    emu_stream *const s = emu_stream_of(handle);
    cudaError_t e = cudaSuccess;
    w->refs++;
    if (emu->cur) emu_fail(emu_nowhere, "the host's API inside a kernel");
    if (!s) e = cudaErrorInvalidResourceHandle;
    else if (s == &emu_legacy) e = emu_legacy_use();
    else if (s->broken) e = cudaErrorStreamCaptureInvalidated;
    if (e != cudaSuccess) {
        emu_drop_work(w);
        return emu_return(e);
    }
    if (s->graph) emu_record_in(s->graph, w);
    else emu_append(s, w);
    return cudaSuccess;
}

/* May the stream's first item run? */
static int emu_runnable(const emu_stream *s)
{
    const emu_item *const item = s->first;
    const emu_stream *o;
    if (!item) return 0;
    if (s != &emu_legacy)
        return !s->blocking || !emu_legacy.first ||
            emu_legacy.first->number > item->number;
    for (size_t i = 1; (o = emu_stream_at(i)) != 0; i++)
        if (o->blocking && o->first && o->first->number < item->number)
            return 0;
    return 1;
}

static emu_stream *emu_choose(void)
{
    emu_stream *s, *chosen = 0;
    unsigned seen = 0;
    for (size_t i = 0; (s = emu_stream_at(i)) != 0; i++) {
        if (!emu_runnable(s)) continue;
        seen++;
        if (!chosen || emu->order == EMU_DESCENDING ||
            (emu->order >= EMU_RANDOM && emu_random() % seen == 0))
            chosen = s;
    }
    return chosen;
}

static void emu_do_work(emu_work *w)
{
    switch (w->kind) {
    case EMU_KERNEL: (void)emu_run(w->grid, w->block, w->body, w->arg); break;
    case EMU_SET:
        memset(w->to, w->byte, w->n);
        emu_written(w->to, w->n);
        break;
    case EMU_COPY:
        memmove(w->to, w->from, w->n);
        emu_written(w->to, w->n);
        break;
    case EMU_RECORD: w->event->done = w->stamp; break;
    default: break;
    }
}

/* Runs one item of some stream: the oldest of all may always run. */
static void emu_step(void)
{
    emu_stream *const s = emu_choose();
    emu_item *item;
    if (!s) abort();
    item = s->first;
    s->first = item->next;
    emu_open();
    emu_do_work(item->work);
    emu_close();
    emu_drop_work(item->work);
    free(item);
}

/* Until a stream, or with NULL every one, has nothing left. Others may have
 * run meanwhile, or not. */
static cudaError_t emu_drain(emu_stream *only)
{
    const int before = emu->failed;
    emu_stream *s;
    emu_open();
    for (size_t i = 0; (s = emu_stream_at(i)) != 0; i++)
        while (s->first && (!only || s == only)) emu_step();
    emu_close();
    return emu_return(emu->failed == before ? cudaSuccess
                                            : cudaErrorLaunchFailure);
}

#endif
