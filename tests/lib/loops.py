"""The operations written as plain loops over NumPy arrays, one row at a time:
what the Python package and the tool are compared with on random cases."""
import numpy as np


def resolve(value, extent, policy, negative):
    """(where the index leads, or None; whether it was bad)."""
    value = int(value)
    at = value + extent if negative == "from_end" and value < 0 else value
    if 0 <= at < extent:
        return at, False
    if policy == "clip" and extent:
        return min(max(at, 0), extent - 1), True
    if policy == "wrap" and extent:
        return at % extent, True
    return None, True


class Bads:
    """The bad rows that a loop has met."""

    def __init__(self):
        self.count, self.first = 0, None
        self.fatal = False              # CLIP or WRAP has nowhere to go

    def add(self, at, component, value, extent):
        if self.count == 0:
            self.first = (at, component, int(value), extent)
        self.count += 1


def put(out, at, params, where, policy, fill):
    if where is not None:
        out[at] = params[where]
    elif policy == "zero":
        out[at] = np.zeros((), out.dtype)
    elif policy == "fill":
        out[at] = fill


def gather_nd(params, indices, b, policy, negative, fill, out):
    bads = Bads()
    for n in np.ndindex(indices.shape[:-1]):
        where, wrong = list(n[:b]), None
        for c, v in enumerate(indices[n]):
            at, bad = resolve(v, params.shape[b + c], policy, negative)
            if bad and (wrong is None):
                wrong = (c, v, params.shape[b + c])
            if bad and at is None and policy in ("clip", "wrap"):
                bads.fatal = True
            where.append(at)
        lost = any(w is None for w in where)
        if wrong:
            bads.add(n, *wrong)
        put(out, n, params, None if lost else tuple(where), policy, fill)
    return bads


def gather(params, indices, axis, b, policy, negative, fill, out):
    bads = Bads()
    for n in np.ndindex(indices.shape):
        at, bad = resolve(indices[n], params.shape[axis], policy, negative)
        if bad:
            bads.add(n, 0, indices[n], params.shape[axis])
            if at is None and policy in ("clip", "wrap"):
                bads.fatal = True
        for o in np.ndindex(params.shape[b:axis]):
            where = None if at is None else n[:b] + o + (at,)
            put(out, n[:b] + o + n[b:], params, where, policy, fill)
    return bads


def scatter_nd(into, indices, data, b, negative, gaps):
    """into holds what it held; bad rows leave no trace."""
    bads = Bads()
    if gaps == "zero":
        into[...] = np.zeros((), into.dtype)
    for n in np.ndindex(indices.shape[:-1]):
        where, wrong = list(n[:b]), None
        for c, v in enumerate(indices[n]):
            at, bad = resolve(v, into.shape[b + c], "drop", negative)
            if bad and wrong is None:
                wrong = (c, v, into.shape[b + c])
            where.append(at)
        if wrong:
            bads.add(n, *wrong)
        else:
            into[tuple(where)] = data[n]
    return bads


def stitch(indices, data, total, policy, gaps, out):
    """out holds what it held; returns bads, and the rows that are gaps."""
    bads, named = Bads(), set()
    writes = []
    for m, (i, d) in enumerate(zip(indices, data)):
        for n in np.ndindex(i.shape):
            v = int(i[n])
            if 0 <= v < total:
                writes.append((v, d[n]))
                named.add(v)
            else:
                bads.add((m, n), 0, v, total)
    holes = [r for r in range(total) if r not in named]
    if gaps == "zero":
        for r in holes:
            out[r] = np.zeros((), out.dtype)
    for v, row in writes:
        out[v] = row
    return bads, holes, len(writes) - len(named)


def partition(data, ids, parts, policy):
    bads, rows = Bads(), [[] for _ in range(parts)]
    for k, n in enumerate(np.ndindex(ids.shape)):
        v = int(ids[n])
        if 0 <= v < parts:
            rows[v].append((k, data[n]))
        else:
            bads.add(n, 0, v, parts)
    slices = data.shape[ids.ndim:]
    outs, where = [], []
    for r in rows:
        out = np.zeros((len(r),) + slices, data.dtype)
        for k, (_, row) in enumerate(r):
            out[k] = row
        outs.append(out)
        where.append([k for k, _ in r])
    return bads, outs, where
