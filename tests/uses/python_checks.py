"""What the python_*.py share: random arrays, the operations written as plain
loops over NumPy arrays, and the counting of checks."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import checks  # noqa: E402

DTYPES = [np.dtype(d) for d in (
    "?", "i1", "<u2", ">u2", "<i4", "<f4", ">f8", "<f2", "c8", "c16", "S5",
    "<U3", "V7", "M8[s]", [("a", "i1"), ("b", "<f8", (2,)), ("c", "S3")])]
INTEGERS = [np.dtype(d) for d in ("i1", "i2", "i4", "i8", "u1", "u2", "u4",
                                  "u8")]


class Checks(checks.Checks):
    """Of arrays and refusals, too."""

    def same(self, got, want, what):
        """The same shape, type and bytes."""
        return self.check(
            isinstance(got, np.ndarray) and got.shape == want.shape
            and got.dtype == want.dtype and got.tobytes() == want.tobytes(),
            "%s: got %s want %s" % (what, got, want))

    def is_(self, got, want, what):
        return self.check(got == want, "%s: got <%s> want <%s>"
                          % (what, got, want))

    def refused(self, kind, line, call, *args, **options):
        """The call raises this kind of exception, whose report has the line,
        which is one line."""
        try:
            call(*args, **options)
        except kind as error:
            self.is_(str(error), line, "refusal")
            self.check("\n" not in str(error) and
                       error.report.text == str(error) and
                       error.report.status != "NDG_OK" and
                       error.report.operand != "", "%s: its report" % line)
        except BaseException as error:
            self.check(False, "%s: raises %r" % (line, error))
        else:
            self.check(False, "%s: is not refused" % line)


class Random:
    """Random extents, arrays and layouts."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def chance(self, p):
        return self.rng.random() < p

    def extents(self, low, high):
        return tuple(0 if self.chance(.04) else int(self.rng.integers(1, 5))
                     for _ in range(self.rng.integers(low, high + 1)))

    def elements(self, shape, dtype=None):
        """Any bytes, of any type."""
        if dtype is None:
            dtype = DTYPES[self.rng.integers(len(DTYPES))]
        size = int(np.prod(shape, dtype=int)) * dtype.itemsize
        top = 2 if dtype.kind == "b" else 128
        raw = self.rng.integers(0, top, size, np.uint8)
        if dtype.kind == "U":           # code points that there are
            raw = self.rng.integers(65, 90, size // 4, np.uint32)
        return np.ndarray(shape, dtype, raw.tobytes())

    def integers(self, shape, extent, bad):
        """Indices into extent, of which a share is bad."""
        dtype = INTEGERS[self.rng.integers(len(INTEGERS))]
        a = self.rng.integers(0, max(extent, 1), shape, np.int64)
        outside = [extent, extent + 1, 100]
        if dtype.kind == "i":
            outside += [-1, -extent - 1, -100]
        a = np.where(self.rng.random(shape) < bad,
                     self.rng.choice(outside, shape), a)
        a = np.asarray(a).astype(dtype)
        if dtype.str[1:] == "u8" and a.size and bad and self.chance(.2):
            a.reshape(-1)[self.rng.integers(a.size)] = 2 ** 64 - 1
        return a

    def laid_out(self, a):
        """The same array in another layout: its axes in another order, turned
        round, with gaps, at an odd address, read-only."""
        way = self.rng.integers(6)
        if way == 0 or a.ndim == 0:
            return a
        if way == 1:
            order = self.rng.permutation(a.ndim)
            return a.transpose(order).copy().transpose(np.argsort(order))
        if way == 2:
            axis = self.rng.integers(a.ndim)
            return np.flip(np.flip(a, axis).copy(), axis)
        if way == 3:
            wide = np.zeros(tuple(2 * n for n in a.shape), a.dtype)
            part = wide[tuple(slice(None, None, 2) for _ in a.shape)]
            part[...] = a
            return part
        if way == 4:
            raw = np.zeros(a.nbytes + 1, np.uint8)
            odd = raw[1:].view(a.dtype).reshape(a.shape)
            odd[...] = a
            return odd
        b = a.copy()
        b.flags.writeable = False
        return b

    def target(self, shape, dtype):
        """An out that is not in C order, and holds something."""
        if not shape:
            return self.elements(shape, dtype).copy()
        order = self.rng.permutation(len(shape))
        step = 1 + int(self.rng.integers(2))
        wide = tuple(shape[k] * step for k in order)
        a = self.elements(wide, dtype).copy()
        a = a[tuple(slice(None, None, step) for _ in wide)]
        return a.transpose(np.argsort(order))


# ---- the operations as loops -------------------------------------------------

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
