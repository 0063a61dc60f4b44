"""Times PyTorch, JAX and CuPy beside the library on the same device buffers.

    python tests/bench/bench_cuda_peers.py LIBRARY full|quick|tiny RESULTS.jsonl
        [--seconds 240] [--peers torch,cupy,jax]

LIBRARY is tests/bench/bench_cuda.cu built with -shared: it makes the cells,
times the library, naive kernels and CUB, and says of every peer's result
whether it is right; a wrong one is named, is not timed, and makes the exit
status 1. All take turns in one process. PyTorch and CuPy are timed as replays
of a graph between events, like the library, or as a loop between events where
they cannot be captured; JAX, which has a stream of its own, by the clock.
A peer that is missing is named and left out.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys
import time

ROUNDS, REPLAYS = 4, 6
WORD = "int32"


def first_line(e):
    return ("%s: %s" % (type(e).__name__, e)).split("\n")[0][:160]


class Cell:
    """What bench_prepare said, with shapes; arrays are of 4-byte words."""

    def __init__(self, said):
        self.said = said
        self.op, self.row = said["op"], said["row"]
        self.rows, self.depth = said["rows"], said["depth"]
        self.parts, self.outer = said["parts"], said["outer"]
        self.inner = said["inner"]
        self.words = self.row // 4
        self.dims = said["dims"][:self.depth]
        last = [self.words] if self.words > 1 else []
        self.axis = {"gather": 0, "gather axis 1": 1}.get(self.op)
        self.out_shape = [self.rows] + last
        self.ids_shape = [self.rows]
        self.data_shape = [self.rows] + last
        if self.op in ("gather", "gather_nd"):
            self.data_shape = self.dims + last
        if self.op == "gather_nd":
            self.ids_shape = [self.rows, self.depth]
        if self.op in ("gather axis 1", "batch_gather"):
            self.data_shape = [self.outer] + self.dims + last
            self.out_shape = [self.outer, self.inner] + last
            self.ids_shape = [self.inner] if self.axis else (
                [self.outer, self.inner])
        self.name = "%s %d B" % (self.op, self.row)


class Arrays:
    """A cell's arrays as a peer's, for each set of buffers."""

    def __init__(self, peer, cell):
        said, wrap = cell.said, peer.wrap
        self.data = wrap(said["data"], cell.data_shape, WORD)
        self.ids = [wrap(s["ids"], cell.ids_shape, WORD) for s in said["sets"]]
        self.wide = [wrap(s["wide"], cell.ids_shape, "int64")
                     for s in said["sets"]]
        self.out = [wrap(s["out"], cell.out_shape, WORD) for s in said["sets"]]


def halves(n):
    return [slice(0, n // 2), slice(n // 2, n)]


def alike(cell, a, ids, select, count):
    """The forms that PyTorch and CuPy write alike, by these indices: rows that
    are selected, and what counts up from 0, are theirs."""
    if cell.axis is not None:
        return {"index": (lambda s: a.data[ids[s]]) if cell.axis == 0 else
                         (lambda s: a.data[:, ids[s]])}
    if cell.op == "batch_gather":
        rows = count(cell.outer)[:, None]
        return {"index": lambda s: a.data[rows, ids[s]]}
    if cell.op == "gather_nd":
        flat = a.data.reshape([-1] + cell.data_shape[cell.depth:])

        def components(s):
            return tuple(ids[s][:, k] for k in range(cell.depth))

        def ravelled(s):
            at = 0
            for extent, component in zip(cell.dims, components(s)):
                at = at * extent + component
            return select(flat, at, s)
        return {"advanced": lambda s: a.data[components(s)],
                "ravel": ravelled}
    if cell.op == "dynamic_stitch":
        def put(s):
            for part in halves(cell.rows):
                a.out[s][ids[s][part]] = a.data[part]
            return a.out[s]
        return {"index put": put}
    return {}


# ---- the peers --------------------------------------------------------------
class Torch:
    name = "torch"

    def __init__(self):
        import torch
        self.torch, self.version = torch, torch.__version__
        if not torch.cuda.is_available():
            raise RuntimeError("sees no GPU")
        torch.cuda.init()
        torch.empty(1, device="cuda")

    def wrap(self, pointer, shape, kind):
        return self.torch.as_tensor(Pointer(pointer, shape, kind),
                                    device="cuda")

    def address(self, result):
        return result.data_ptr()

    def spoil(self, out):
        out.fill_(0x5A5A5A5A)

    def forms(self, cell, a):
        t = self.torch

        def select(table, at, s, axis=0):
            return t.index_select(table, axis, at, out=a.out[s])
        forms = alike(cell, a, a.wide, select,
                      lambda n: t.arange(n, device="cuda"))
        if cell.axis is not None:
            forms["index_select i32"] = lambda s: select(
                a.data, a.ids[s], s, cell.axis)
            forms["index_select i64"] = lambda s: select(
                a.data, a.wide[s], s, cell.axis)
        if cell.op == "batch_gather":
            def by_gather(s):
                ids = a.wide[s]
                if cell.words > 1:
                    ids = ids[..., None].expand(-1, -1, cell.words)
                return t.gather(a.data, 1, ids, out=a.out[s])
            forms["gather"] = by_gather
        if cell.op == "dynamic_stitch":
            def copied(s):
                for part in halves(cell.rows):
                    a.out[s].index_copy_(0, a.wide[s][part], a.data[part])
                return a.out[s]
            forms["index_copy_"] = copied
        if cell.op == "dynamic_partition":
            edges = t.arange(cell.parts + 1, device="cuda")

            def by_sort(kind):
                def run(s):
                    ids = a.ids[s] if kind is None else a.ids[s].to(kind)
                    ordered, order = t.sort(ids, stable=True)
                    t.searchsorted(ordered, edges if kind is None
                                   else edges[:-1].to(kind))
                    return select(a.data, order, s)
                return run
            forms["sort"] = by_sort(None)
            if cell.parts <= 256:
                forms["sort u8"] = by_sort(t.uint8)
            else:
                forms["sort i16"] = by_sort(t.int16)
        return forms

    def timer(self, run, sets):
        """A function of a number of samples, and how it was timed."""
        t = self.torch
        begin, end = (t.cuda.Event(enable_timing=True) for _ in range(2))
        side = t.cuda.Stream()
        side.wait_stream(t.cuda.current_stream())
        with t.cuda.stream(side):
            for s in range(sets):
                run(s)
        t.cuda.synchronize()
        try:
            graph = t.cuda.CUDAGraph()
            with t.cuda.graph(graph, capture_error_mode="thread_local"):
                kept = [run(s) for s in range(sets)]
            once, how = graph.replay, "graph"
        except Exception:
            t.cuda.synchronize()
            kept, how = None, "loop"

            def once():
                for s in range(sets):
                    run(s)

        def sample(n, kept=kept):
            ns = []
            for _ in range(n):
                begin.record()
                once()
                end.record()
                end.synchronize()
                ns.append(begin.elapsed_time(end) * 1e6 / sets)
            return ns
        return sample, how

    def synchronize(self):
        self.torch.cuda.synchronize()

    def tidy(self):
        self.torch.cuda.empty_cache()


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy
        self.cupy = cupy
        self.version = cupy.__version__
        cupy.zeros(1)
        self.stream = cupy.cuda.Stream(non_blocking=True)

    def wrap(self, pointer, shape, kind):
        c, size = self.cupy, 1
        for d in shape:
            size *= d
        size *= 8 if kind == "int64" else 4
        memory = c.cuda.UnownedMemory(pointer, size, self)
        return c.ndarray(shape, kind, c.cuda.MemoryPointer(memory, 0))

    def address(self, result):
        return result.data.ptr

    def spoil(self, out):
        out.fill(0x5A5A5A5A)

    def forms(self, cell, a):
        c = self.cupy

        def select(table, at, s, axis=0):
            return c.take(table, at, axis=axis, out=a.out[s])
        forms = alike(cell, a, a.ids, select,
                      lambda n: c.arange(n, dtype=WORD))
        if cell.axis is not None:
            forms["take"] = lambda s: select(a.data, a.ids[s], s, cell.axis)
        if cell.op == "dynamic_partition":
            edges = c.arange(cell.parts + 1, dtype=WORD)

            def by_sort(s):
                order = c.argsort(a.ids[s], kind="stable")
                c.searchsorted(a.ids[s][order], edges)
                return select(a.data, order, s)
            forms["argsort"] = by_sort
        return forms

    def timer(self, run, sets):
        c, stream = self.cupy, self.stream
        begin, end = c.cuda.Event(), c.cuda.Event()
        with stream:
            for s in range(sets):
                run(s)
            stream.synchronize()
            try:
                stream.begin_capture()
                kept = [run(s) for s in range(sets)]
                graph = stream.end_capture()

                def once():
                    graph.launch(stream)
                once()
                stream.synchronize()
                how = "graph"
            except Exception:
                kept, how = None, "loop"
                try:
                    stream.end_capture()
                except Exception:
                    pass

                def once():
                    for s in range(sets):
                        run(s)

        def sample(n, kept=kept):
            ns = []
            with stream:
                for _ in range(n):
                    begin.record(stream)
                    once()
                    end.record(stream)
                    end.synchronize()
                    ns.append(c.cuda.get_elapsed_time(begin, end) * 1e6 / sets)
            return ns
        return sample, how

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()

    def tidy(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


class Jax:
    """Its arrays come from PyTorch's, through DLPack, without a copy."""
    name = "jax"

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import jax.numpy as jnp
        self.jax, self.jnp = jax, jnp
        self.version = jax.__version__
        if jax.devices()[0].platform != "gpu":
            raise RuntimeError("sees no GPU")
        self.torch = Torch()

    def wrap(self, pointer, shape, kind):
        if kind == "int64":          # JAX has 32 bits unless told otherwise
            return None
        tensor = self.torch.wrap(pointer, shape, kind)
        return self.jax.dlpack.from_dlpack(tensor)

    def address(self, result):
        return result.unsafe_buffer_pointer()

    def spoil(self, out):
        pass                         # results are its own, and new

    def compiled(self, f, a):
        jitted = self.jax.jit(f)

        def run(s):
            return jitted(a.data, a.ids[s])
        return run

    def forms(self, cell, a):
        jnp = self.jnp
        if cell.axis is not None:
            def promised(t, i):
                at = t.at[i] if cell.axis == 0 else t.at[:, i]
                return at.get(mode="promise_in_bounds")
            return {"take": self.compiled(lambda t, i: jnp.take(
                        t, i, axis=cell.axis, mode="clip"), a),
                    "at.get": self.compiled(promised, a)}
        if cell.op == "batch_gather":
            return {"vmap take": self.compiled(self.jax.vmap(
                lambda t, i: jnp.take(t, i, axis=0, mode="clip")), a)}
        if cell.op == "gather_nd":
            def named(t, i):
                return t.at[tuple(i[:, k] for k in range(cell.depth))].get(
                    mode="promise_in_bounds")
            return {"at.get": self.compiled(named, a)}
        if cell.op == "dynamic_stitch":
            def woven(t, i):
                out = jnp.zeros(tuple(cell.out_shape), WORD)
                for part in halves(cell.rows):
                    out = out.at[i[part]].set(t[part], unique_indices=True,
                                              mode="promise_in_bounds")
                return out
            return {"at.set": self.compiled(woven, a)}

        def split(t, i):
            order = jnp.argsort(i, stable=True)
            return (jnp.take(t, order, axis=0, mode="clip"),
                    jnp.bincount(i, length=cell.parts))
        both = self.compiled(split, a)
        return {"argsort": lambda s: both(s)[0]}

    def timer(self, run, sets):
        self.jax.block_until_ready([run(s) for s in range(sets)])

        def sample(n):
            ns = []
            for _ in range(n):
                start = time.perf_counter()
                kept = [run(s) for s in range(sets)]
                self.jax.block_until_ready(kept)
                ns.append((time.perf_counter() - start) * 1e9 / sets)
            return ns
        return sample, "clock"

    def synchronize(self):
        self.torch.synchronize()

    def tidy(self):
        pass


class Pointer:
    """Device memory that is not a peer's own."""

    def __init__(self, pointer, shape, kind):
        self.__cuda_array_interface__ = {
            "shape": tuple(shape), "data": (pointer, False), "version": 3,
            "typestr": "<i8" if kind == "int64" else "<i4", "strides": None}


PEERS = {"torch": Torch, "cupy": Cupy, "jax": Jax}


# ---- measuring --------------------------------------------------------------
class Library:
    def __init__(self, path):
        self.dll = ctypes.CDLL(os.path.abspath(path))
        for name in ("open", "ceilings", "prepare", "contestant", "fault"):
            getattr(self.dll, "bench_" + name).restype = ctypes.c_char_p
        self.dll.bench_wrong.restype = ctypes.c_longlong
        self.buffer = (ctypes.c_double * REPLAYS)()

    def said(self, name, *args):
        words = getattr(self.dll, "bench_" + name)(*args).decode()
        return json.loads(words) if words else None

    def open(self, mode):
        return self.said("open", mode.encode())

    def contestants(self):
        """[(name, function of a number of samples)]"""
        names = [self.dll.bench_contestant(i).decode()
                 for i in range(self.dll.bench_contestants())]
        return [(n, lambda k, i=i: self.sample(i, k))
                for i, n in enumerate(names)]

    def sample(self, i, n):
        got = self.dll.bench_sample(i, n, self.buffer)
        return list(self.buffer[:got])

    def wrong(self, address, s):
        return self.dll.bench_wrong(ctypes.c_void_p(address), s)


def verified(library, peer, cell, arrays, run, sets):
    """Words about what is wrong with a form's results, or None."""
    for s in range(sets):
        peer.spoil(arrays.out[s])
        peer.synchronize()
        result = run(s)
        if peer.name == "jax":
            peer.jax.block_until_ready(result)
        peer.synchronize()
        wrong = library.wrong(peer.address(result), s)
        if wrong:
            return "%d wrong words" % wrong
    return None


def enter(library, peer, cell, line, sets):
    """[(name, how, sampler)] of a peer's forms that are right."""
    entered = []
    try:
        arrays = Arrays(peer, cell)
        forms = peer.forms(cell, arrays)
    except Exception as e:
        line["failed"].append("%s: %s" % (peer.name, first_line(e)))
        return entered
    for form, run in forms.items():
        name = "%s: %s" % (peer.name, form)
        try:
            found = verified(library, peer, cell, arrays, run, sets)
            if found:
                line["wrong"].append("%s: %s" % (name, found))
                continue
            sample, how = peer.timer(run, sets)
            sample(1)
            entered.append((name, how, sample))
        except Exception as e:
            line["failed"].append("%s: %s" % (name, first_line(e)))
    return entered


def measure(library, peers, k):
    """The line of a cell."""
    line = library.said("prepare", k)
    cell, sets = Cell(line), len(line["sets"])
    line["failed"] = []
    everyone = [(n, "graph", f) for n, f in library.contestants()]
    for peer in peers:
        everyone += enter(library, peer, cell, line, sets)
    ns = {name: [] for name, _, _ in everyone}
    for _ in range(ROUNDS):
        for name, _, sample in everyone:
            ns[name] += sample(REPLAYS)
    line["times"] = {
        name: {"best": round(min(ns[name]), 1), "how": how,
               "median": round(sorted(ns[name])[len(ns[name]) // 2], 1),
               "samples": len(ns[name])}
        for name, how, _ in everyone if ns[name]}
    del line["sets"], line["data"]
    del everyone
    for peer in peers:
        peer.tidy()
    return line


def driver():
    try:
        return subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version",
             "--format=csv,noheader"], capture_output=True, text=True,
            timeout=30).stdout.strip().split("\n")[0]
    except (OSError, subprocess.SubprocessError):
        return ""


def started(names):
    peers, missing = [], {}
    for name in names:
        try:
            peers.append(PEERS[name]())
        except Exception as e:
            missing[name] = first_line(e)
            print("skip: %s: %s" % (name, missing[name]), flush=True)
    return peers, missing


def brief(line):
    """A cell while running: ns per row."""
    return "%-17s %4d B %8.3g MB %4s  " % (
        line["op"], line["row"], line["table"] / 1e6,
        line["parts"] or line["depth"]) + "  ".join(
            "%s %.4g" % (n, t["best"] / line["rows"])
            for n, t in line["times"].items())


def run(o):
    began = time.monotonic()
    library = Library(o.library)
    device = library.open(o.mode)
    if device is None:
        print("no CUDA device: nothing was measured")
        return 0
    bad, done, dropped = 0, 0, 0
    with open(o.results, "w") as out:
        def put(line):
            out.write(json.dumps(line) + "\n")
            out.flush()
        ceilings = library.said("ceilings")
        print("ceilings: %s" % ceilings, flush=True)
        peers, missing = started(o.peers.split(",") if o.peers else [])
        device["device"].update(
            samples=ROUNDS * REPLAYS, driver=driver(),
            toolkit=os.environ.get("TOOLKIT", ""),
            peers={p.name: p.version for p in peers}, missing=missing)
        put(device)
        put(ceilings)
        start = time.monotonic()
        total = library.dll.bench_cells()
        for k in range(total):
            now = time.monotonic()
            if now - began > o.seconds:
                break
            # too slow to finish: from here on only the first peer
            late = done > 9 and (now - start) / done * total > (
                o.seconds - (start - began))
            dropped += late and len(peers) > 1
            line = measure(library, peers[:1] if late else peers, k)
            bad += len(line["wrong"])
            put(line)
            print(brief(line), flush=True)
            for words in line["wrong"] + line["failed"]:
                print("  not timed: %s" % words, flush=True)
            done += 1
        put({"end": {"cells": done, "of": total, "dropped": int(dropped)}})
    print("%d of %d cells, %.0f s" % (done, total, time.monotonic() - began))
    fault = library.dll.bench_fault().decode()
    if fault:
        print("emulator: %s" % fault)
    return 1 if bad or fault else 0


def options():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("library")
    p.add_argument("mode")
    p.add_argument("results")
    p.add_argument("--seconds", type=float, default=240)
    p.add_argument("--peers", default="torch,cupy,jax")
    return p.parse_args()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(run(options()))
