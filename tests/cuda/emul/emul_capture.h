/* emul_capture.h - the capture of a stream, and graphs.
 *
 * A part of cuda_emul.h, of its core. A captured stream's work goes to a graph,
 * which may be launched many times. What CUDA refuses meanwhile is refused:
 * waiting, allocating, the legacy stream beside one that blocks. So the tests
 * see that a launcher does none of it. There is the global mode only. */
#ifndef EMUL_CAPTURE_H
#define EMUL_CAPTURE_H

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

#endif
