"""What the python_*.py share: random arrays, the operations as plain loops
(loops.py), and the counting of checks."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import checks  # noqa: E402
from loops import (gather, gather_nd, partition, scatter_nd,  # noqa: E402,F401
                   stitch)

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
