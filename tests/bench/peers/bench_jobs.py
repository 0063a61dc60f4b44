"""What bench_peers.py times inside C: the library, naive loops, ceilings."""

import ctypes

import numpy as np

import bench_lib as lib
from bench_cells import (BATCH, BUS, CALL, LINE, ND, OUT_BYTES, RANDOM,
                         SPLIT, STORE, TAKE, WEAVE, WRITE)
from bench_lib import address

PLAN = {TAKE: "gather", CALL: "gather", BATCH: "batch_gather",
        ND: "gather_nd"}


class Contestant:
    """Something to time. who: the column; form: which way of doing it."""

    result = None                    # a ceiling has none

    def __init__(self, who, form):
        self.who, self.form = who, form

    def time(self, calls):
        """ns of one of so many calls."""
        raise NotImplementedError


class InC(Contestant):
    """A job of the helper, and what must stay alive for it."""

    def __init__(self, who, form, helper, threads, job, data, keep=(),
                 scale=1.0):
        super().__init__(who, form)
        self.helper, self.threads, self.job = helper, threads, job
        self.keep, self.scale = keep, scale
        if not who.startswith("ceiling"):
            self.result = lambda: self.once(data)

    def time(self, calls):
        ns = self.helper.run(self.job, self.threads, calls)
        return None if ns is None else ns * self.scale

    def once(self, data):
        if self.time(1) is None:
            raise RuntimeError("status %d" % self.job.failed)
        if data.cell.op == SPLIT:
            last = self.keep[-1].reshape(-1, data.cell.parts)
            if last[self.threads - 1].tolist() != data.counts.tolist():
                raise RuntimeError("the counts differ")
        return data.out


def base_job(kind, data, units):
    c, job = data.cell, lib.Job()
    job.kind, job.units = kind, units
    job.source, job.indices = address(data.params), address(data.idx32)
    job.out, job.out_bytes = address(data.bytes), data.bytes.nbytes
    job.row_bytes, job.outer, job.width = c.row_bytes, c.outer, c.width
    job.rows = c.params[1 if c.op == BATCH else c.axis]
    job.shared, job.depth, job.total = c.op == TAKE, c.depth, c.rows
    for k in range(c.depth):
        job.dims[k] = c.params[k]
    return job


def add_lists(job, data):
    lists = (lib.List * 2)()
    for l, idx, rows in zip(lists, data.halves(data.idx32),
                            data.halves(data.params)):
        l.indices, l.data, l.count = address(idx), address(rows), len(idx)
    job.lists, job.list_count = lists, 2
    return [lists]


def add_parts(job, data):
    """What a partition keeps; the last item holds the counts."""
    parts = data.cell.parts
    words = [np.zeros(lib.MAX_THREADS * parts, np.int64) for _ in range(3)]
    job.parts = parts
    job.outs, job.cursors, job.counts = map(address, words)
    return words


def our_gather(library, data):
    plan = library.plan(PLAN[data.cell.op], lib.GATHER, data.cell)
    rows = size_at(plan, 1)          # its field `rows`: the unit of a range
    job = base_job(lib.GATHER, data, rows)
    return job, plan, []


def our_stitch(library, data):
    plan = library.plan("stitch", lib.STITCH, data.cell)
    job = base_job(lib.STITCH, data, data.cell.rows)
    return job, plan, add_lists(job, data)


def our_partition(library, data):
    plan = library.plan("partition", lib.PARTITION, data.cell)
    job = base_job(lib.PARTITION, data, data.cell.rows)
    return job, plan, add_parts(job, data)


def size_at(plan, i):
    """Word i of a plan: its first fields are the caller's to read."""
    return ctypes.cast(plan, ctypes.POINTER(lib.size_t))[i]


def ours(libraries, data, threads):
    """The library as each compiler built it."""
    make = {WEAVE: our_stitch, SPLIT: our_partition}.get(data.cell.op,
                                                         our_gather)
    found = []
    for library in libraries:
        job, plan, keep = make(library, data)
        job.plan = ctypes.addressof(plan)
        found.append(InC("ours " + library.name, "run", library, threads, job,
                         data, [plan, *keep]))
    return found


def naive(helper, data, threads):
    c = data.cell
    kind = {ND: lib.NAIVE_ND, WEAVE: lib.NAIVE_STITCH,
            SPLIT: lib.NAIVE_PARTITION}.get(c.op, lib.NAIVE_GATHER)
    job = base_job(kind, data, c.outer if c.outer > 1 else c.rows)
    keep = []
    if c.op == WEAVE:
        keep = add_lists(job, data)
    if c.op == SPLIT:
        keep = add_parts(job, data)
    return [InC("naive", "loop", helper, threads, job, data, keep)]


def bus(helper, data, threads):
    """Copies of as many bytes as are read and written: (2R + I) a row."""
    whole = (data.cell.rows * 2 * data.cell.row_bytes
             + data.idx32.nbytes) / 2
    size = int(min(whole, OUT_BYTES)) & ~63
    found = []
    for variant, name in enumerate(["memcpy", "stream", "rep movsb"]):
        job = base_job(lib.COPY, data, size)
        job.variant = variant
        found.append(InC("ceiling bus", name, helper, threads, job, data,
                         scale=whole / size))
    return found


def lines(helper, data, threads):
    """A word of every line of the same rows, by their numbers."""
    found = []
    for ahead in (0, 16, 64, 128):
        job = base_job(lib.LINES, data, data.cell.rows)
        job.indices, job.variant = address(data.linear), ahead
        found.append(InC("ceiling line", "prefetch %d" % ahead, helper,
                         threads, job, data))
    return found


def stores(helper, data, threads, rows):
    found = []
    for variant, name in enumerate(["plain", "prefetch 64", "stream"]):
        job = base_job(lib.STORES, data, data.cell.rows)
        job.indices, job.variant = address(rows), variant
        found.append(InC("ceiling store", name, helper, threads, job, data,
                         [rows]))
    return found


def ceilings(helper, data, threads):
    """All ways to reach the cell's ceiling; the best of each kind counts,
    and of two kinds the larger."""
    kind = data.cell.ceiling
    if data.cell.op == CALL:
        return []
    if kind == LINE:
        return lines(helper, data, threads)
    if kind == BUS:
        return bus(helper, data, threads)
    if kind == STORE:
        return (bus(helper, data, threads)
                + stores(helper, data, threads, data.linear))
    assert kind == WRITE and data.cell.order == RANDOM
    return stores(helper, data, threads,
                  np.arange(data.cell.rows, dtype=np.int32))
