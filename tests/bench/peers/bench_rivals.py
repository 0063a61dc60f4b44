"""The peers of bench_peers.py, each in every form that may be its best.

A peer is a function of (data, threads) that gives forms: (words, call) where
call() does the work and returns what it made. Results are made into NumPy
arrays by a view, outside the clock.
"""

import contextlib
import os
import time

import numpy as np

from bench_cells import BATCH, CALL, ND, TAKE
from bench_jobs import Contestant

WIDTHS = ("i32", "i64")


class InPython(Contestant):
    def __init__(self, who, form, call, view):
        super().__init__(who, form)
        self.call, self.view = call, view

    def time(self, calls):
        call, clock = self.call, time.perf_counter_ns
        start = clock()
        for _ in range(calls):
            call()
        return (clock() - start) / calls

    def result(self):
        return self.view(self.call())


def indices(data):
    """(width, array) of the widths a peer may like."""
    return list(zip(WIDTHS, (data.idx32, data.idx64)))


def flat_rows(data, axes):
    """params with its leading axes folded into one: a view."""
    return data.params.reshape((-1,) + data.params.shape[axes:])


# ---- NumPy ------------------------------------------------------------------
class NumPy:
    name, package = "numpy", "numpy"

    def __init__(self, threads):
        self.version = np.__version__

    def forms(self, data):
        return getattr(self, data.cell.op)(data)

    def view(self, data):
        return lambda r: r

    def gather(self, data):
        p, out, axis = data.params, data.out, data.cell.axis
        return [("take(out=, clip) " + w, lambda i=i: np.take(
            p, i, axis=axis, out=out, mode="clip"))
            for w, i in indices(data)]

    call = gather

    def batch_gather(self, data):
        out, flat, i = data.out, flat_rows(data, 2), data.idx64
        base = np.arange(len(i), dtype=np.int64)[:, None]
        base = base * data.params.shape[1]
        tmp = np.empty_like(i)

        def flattened():
            np.add(i, base, out=tmp)
            return np.take(flat, tmp, axis=0, out=out, mode="clip")
        return [("add + take", flattened)]

    def gather_nd(self, data):
        out, depth = data.out, data.cell.depth
        columns, dims = tuple(data.columns), data.params.shape[:depth]
        flat = flat_rows(data, depth)

        tmp = np.empty_like(columns[0])

        def ravelled():
            at = np.ravel_multi_index(columns, dims)
            return np.take(flat, at, axis=0, out=out, mode="clip")

        def added():
            at = columns[0]
            for column, extent in zip(columns[1:], dims[1:]):
                at = np.multiply(at, extent, out=tmp)
                np.add(at, column, out=tmp)
            return np.take(flat, at, axis=0, out=out, mode="clip")
        if depth == 1:
            return [("take(out=, clip)", lambda: np.take(
                flat, columns[0], axis=0, out=out, mode="clip"))]
        return [("ravel + take", ravelled), ("add + take", added),
                ("p[i, j]", lambda: data.params[columns])]

    def dynamic_stitch(self, data):
        out, rows = data.out, data.halves(data.params)
        forms = []
        for w, i in indices(data):
            def assign(i=data.halves(i)):
                out[i[0]] = rows[0]
                out[i[1]] = rows[1]
                return out
            forms.append(("out[i] = " + w, assign))
        if data.cell.inner == 1:
            i = data.halves(data.idx64)

            def put():
                np.put(out, i[0], rows[0], mode="clip")
                np.put(out, i[1], rows[1], mode="clip")
                return out
            forms.append(("put", put))
        return forms

    def dynamic_partition(self, data):
        p, ids, out, parts = (data.params, data.idx32, data.out,
                              data.cell.parts)

        def by_sort():
            order = np.argsort(ids.astype(np.uint8), kind="stable")
            counts = np.bincount(ids, minlength=parts)
            np.take(p, order, axis=0, out=out, mode="clip")
            return np.split(out, np.cumsum(counts)[:-1])

        def by_mask():
            made, at = [], 0
            for k in range(parts):
                rows = np.flatnonzero(ids == k)
                made.append(out[at:at + len(rows)])
                np.take(p, rows, axis=0, out=made[-1], mode="clip")
                at += len(rows)
            return made
        return [("sort + take", by_sort)] + (
            [("mask + take", by_mask)] if parts <= 8 else [])


# ---- PyTorch ----------------------------------------------------------------
class Torch:
    name, package = "torch", "torch"

    def __init__(self, threads):
        import torch
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)
        torch.set_grad_enabled(False)
        self.torch, self.version = torch, torch.__version__

    def forms(self, data):
        t = self.torch.from_numpy
        return getattr(self, data.cell.op)(
            data, t(data.params), t(data.out), t(data.idx64))

    def view(self, data):
        return lambda r: ([x.numpy() for x in r] if isinstance(r, list)
                          else r.numpy())

    def gather(self, data, p, out, _):
        torch, axis = self.torch, data.cell.axis
        forms = []
        for w, i in indices(data):
            i = torch.from_numpy(i)
            forms.append(("index_select(out=) " + w,
                          lambda i=i: torch.index_select(p, axis, i,
                                                         out=out)))
        if data.cell.inner == 1 and axis == 0:
            forms.append(("gather(out=)", lambda i=torch.from_numpy(
                data.idx64): torch.gather(p, 0, i, out=out)))
        elif axis == 0:
            forms.append(("p[i]", lambda i=torch.from_numpy(
                data.idx64): p[i]))
        return forms

    call = gather

    def batch_gather(self, data, p, out, i):
        torch = self.torch
        flat = p.reshape(-1, *p.shape[2:])
        flat_out = out.reshape(-1, *p.shape[2:])
        base = torch.arange(len(i))[:, None] * p.shape[1]
        tmp = torch.empty_like(i)

        def flattened():
            torch.add(i, base, out=tmp)
            torch.index_select(flat, 0, tmp.view(-1), out=flat_out)
            return out
        forms = [("add + index_select", flattened)]
        wide = i if p.ndim == 2 else i[:, :, None].expand(out.shape)
        forms.append(("gather(out=)",
                      lambda: torch.gather(p, 1, wide, out=out)))
        return forms

    def gather_nd(self, data, p, out, _):
        torch, depth = self.torch, data.cell.depth
        columns = tuple(torch.from_numpy(c) for c in data.columns)
        flat = p.reshape(-1, *p.shape[depth:])
        if depth == 1:
            return [("index_select(out=)", lambda: torch.index_select(
                flat, 0, columns[0], out=out))]

        tmp = torch.empty_like(columns[0])

        def added():
            at = columns[0]
            for k in range(1, depth):        # column + extent * at
                at = torch.add(columns[k], at, alpha=p.shape[k], out=tmp)
            return torch.index_select(flat, 0, at, out=out)
        return [("add + index_select", added),
                ("p[i, j]", lambda: p[columns])]

    def dynamic_stitch(self, data, p, out, i):
        rows, halves = data.halves(p), data.halves(i)

        def copy():
            out.index_copy_(0, halves[0], rows[0])
            return out.index_copy_(0, halves[1], rows[1])

        def assign():
            out[halves[0]] = rows[0]
            out[halves[1]] = rows[1]
            return out

        def scatter():
            out.scatter_(0, halves[0], rows[0])
            return out.scatter_(0, halves[1], rows[1])
        return [("index_copy_", copy), ("out[i] =", assign)] + (
            [("scatter_", scatter)] if data.cell.inner == 1 else [])

    def dynamic_partition(self, data, p, out, _):
        torch, parts = self.torch, data.cell.parts
        ids = torch.from_numpy(data.idx32)

        def by_sort():
            order = torch.argsort(ids.to(torch.uint8), stable=True)
            counts = torch.bincount(ids, minlength=parts)
            torch.index_select(p, 0, order, out=out)
            return list(torch.split(out, counts.tolist()))

        def by_mask():
            made, at = [], 0
            for k in range(parts):
                rows = torch.nonzero(ids == k).view(-1)
                made.append(out[at:at + len(rows)])
                torch.index_select(p, 0, rows, out=made[-1])
                at += len(rows)
            return made
        return [("sort + index_select", by_sort)] + (
            [("mask + index_select", by_mask)] if parts <= 8 else [])


# ---- TensorFlow -------------------------------------------------------------
class TensorFlow:
    """Has no out=: it allocates inside the clock."""
    name, package = "tensorflow", "tensorflow"

    def __init__(self, threads):
        import tensorflow as tf
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        tf.config.set_visible_devices([], "GPU")
        self.tf, self.version = tf, tf.__version__

    def tensor(self, array):
        """Shares the memory: no second table."""
        return self.tf.experimental.dlpack.from_dlpack(array.__dlpack__())

    def forms(self, data):
        return getattr(self, data.cell.op)(data, self.tensor(data.params))

    def view(self, data):
        return lambda r: ([x.numpy() for x in r] if isinstance(r, list)
                          else r.numpy())

    def take(self, data, p, axis, batch):
        op, axis = self.tf.raw_ops.GatherV2, self.tf.constant(axis)
        return [("GatherV2 " + w, lambda i=self.tensor(i): op(
            params=p, indices=i, axis=axis, batch_dims=batch))
            for w, i in indices(data)]

    def gather(self, data, p):
        return self.take(data, p, data.cell.axis, 0)

    call = gather

    def batch_gather(self, data, p):
        return self.take(data, p, 1, 1)

    def gather_nd(self, data, p):
        op = self.tf.raw_ops.GatherNd
        return [("GatherNd " + w, lambda i=self.tensor(i): op(
            params=p, indices=i)) for w, i in indices(data)]

    def dynamic_stitch(self, data, p):
        raw = self.tf.raw_ops
        idx = [self.tensor(a) for a in data.halves(data.idx32)]
        rows = [self.tensor(a) for a in data.halves(data.params)]
        return [(name, lambda op=getattr(raw, name): op(indices=idx,
                                                        data=rows))
                for name in ("DynamicStitch", "ParallelDynamicStitch")]

    def dynamic_partition(self, data, p):
        op, ids = self.tf.raw_ops.DynamicPartition, self.tensor(data.idx32)
        return [("DynamicPartition", lambda: op(
            data=p, partitions=ids, num_partitions=data.cell.parts))]


# ---- ONNX Runtime -----------------------------------------------------------
class OnnxRuntime:
    """Inputs and the output are bound to the shared buffers."""
    name, package = "onnxruntime", "onnxruntime"

    def __init__(self, threads):
        import onnx
        import onnxruntime
        self.onnx, self.ort = onnx, onnxruntime
        self.version, self.threads = onnxruntime.__version__, threads

    def bound(self, op, params, idx, out, **attributes):
        """A call of a one-node model on these arrays."""
        helper = self.onnx.helper

        def info(name, array):
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            return helper.make_tensor_value_info(name, kind, array.shape)
        graph = helper.make_graph(
            [helper.make_node(op, ["p", "i"], ["o"], **attributes)], "g",
            [info("p", params), info("i", idx)], [info("o", out)])
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 13)],
            ir_version=8)
        options = self.ort.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # Its idle threads would spin on the next contestant's core.
        options.add_session_config_entry("session.intra_op.allow_spinning",
                                         "0")
        session = self.ort.InferenceSession(
            model.SerializeToString(), options,
            providers=["CPUExecutionProvider"])
        io, value = session.io_binding(), self.ort.OrtValue
        kept = [value.ortvalue_from_numpy(a) for a in (params, idx, out)]
        io.bind_ortvalue_input("p", kept[0])
        io.bind_ortvalue_input("i", kept[1])
        io.bind_ortvalue_output("o", kept[2])
        if [k.data_ptr() for k in kept] != [
                a.ctypes.data for a in (params, idx, out)]:
            raise RuntimeError("onnxruntime copies its inputs")

        def call():
            session.run_with_iobinding(io)
            return kept and out
        return call

    def forms(self, data):
        op = data.cell.op
        p, out = data.params, data.out
        if op in (TAKE, CALL):
            return [("Gather " + w, self.bound("Gather", p, i, out,
                                               axis=data.cell.axis))
                    for w, i in indices(data)]
        if op == ND:
            return [("GatherND", self.bound("GatherND", p, data.idx64, out))]
        if op == BATCH:
            forms = [("GatherND", self.bound(
                "GatherND", p, data.idx64[:, :, None], out, batch_dims=1))]
            if p.ndim == 2:
                forms += [("GatherElements " + w, self.bound(
                    "GatherElements", p, i, out, axis=1))
                    for w, i in indices(data)]
            return forms
        return []

    def view(self, data):
        return lambda r: r


# ---- pyarrow ----------------------------------------------------------------
class PyArrow:
    """Takes rows of a flat table; allocates inside the clock."""
    name, package = "pyarrow", "pyarrow"

    def __init__(self, threads):
        import pyarrow
        pyarrow.set_cpu_count(threads)
        self.pa, self.version = pyarrow, pyarrow.__version__

    def forms(self, data):
        pa, c = self.pa, data.cell
        flat = c.op in (TAKE, CALL) and c.axis == 0
        if not flat and not (c.op == ND and c.depth == 1):
            return []
        kind = (pa.binary(c.row_bytes) if c.inner > 1
                else pa.from_numpy_dtype(data.params.dtype))
        p = pa.Array.from_buffers(kind, data.params.shape[0],
                                  [None, pa.py_buffer(data.params)])
        return [("take " + w, lambda i=pa.array(i.reshape(-1)): p.take(i))
                for w, i in indices(data)]

    def view(self, data):
        def made(r):
            size, at = data.cell.row_bytes, r.offset
            raw = np.frombuffer(r.buffers()[1], np.uint8)
            raw = raw[at * size:(at + len(r)) * size]
            return raw.view(data.params.dtype)
        return made


PEERS = [NumPy, Torch, TensorFlow, OnnxRuntime, PyArrow]


@contextlib.contextmanager
def quiet():
    """Without what TensorFlow says on stderr however it is asked not to."""
    kept = os.dup(2)
    with open(os.devnull, "w") as null:
        os.dup2(null.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def start(threads, only=None):
    """(peers that are here, {name: why not})"""
    here, missing = [], {}
    for kind in PEERS:
        if only and kind.name not in only:
            continue
        try:
            with quiet():
                here.append(kind(threads))
        except Exception as e:       # an ImportError, or a library's own
            missing[kind.name] = (str(e).splitlines() or ["?"])[-1][:120]
    return here, missing


def contestants(peers, data):
    """Every form of every peer for this cell."""
    return [InPython(peer.name, form, call, peer.view(data))
            for peer in peers for form, call in peer.forms(data)]
