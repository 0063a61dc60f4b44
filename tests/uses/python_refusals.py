"""What the Python package refuses: each with an exception of the right kind and
one clear line. A line that ends in ... goes on in NumPy's words.

    python tests/uses/python_refusals.py
"""
import pickle

import numpy as np

import ndgather as g
import python_checks
from ndgather import ArgumentError, BadIndexError, DTypeError

checks = python_checks.Checks("python_refusals")
t = np.arange(6.).reshape(3, 2)
read_only = np.zeros((1, 2))
read_only.flags.writeable = False
POLICIES = "not one of error, zero, fill, clip, wrap, keep, assume_valid"


class Evil:
    def __array__(self, *args, **options):
        raise RuntimeError("no\nway")


class EvilInteger:
    def __index__(self):
        raise TypeError("not today")

    def __repr__(self):
        return "x" * 1000


class EvilDevice:
    """As a tensor on a GPU says it."""

    def __dlpack__(self, **options):
        raise AssertionError("was asked for")

    def __dlpack_device__(self):
        return 2, 0


def no(kind, line, call, *args, **options):
    """Refused, and nothing is written to an out."""
    before = pickle.dumps(options.get("out"))
    if not line.endswith("..."):
        checks.refused(kind, line, call, *args, **options)
    else:
        try:
            call(*args, **options)
        except kind as error:
            checks.check(str(error).startswith(line[:-3])
                         and "\n" not in str(error), "%s: %s" % (line, error))
        except BaseException as error:
            checks.check(False, "%s: raises %r" % (line, error))
        else:
            checks.check(False, line + ": is not refused")
    checks.check(pickle.dumps(options.get("out")) == before, line + ": out")


def gather(kind, line, *args, **options):
    no(kind, "gather: " + line, g.gather, *args, **options)


def gather_nd(kind, line, *args, **options):
    no(kind, "gather_nd: " + line, g.gather_nd, *args, **options)


def scatter(kind, line, into, *args, **options):
    """Refused, and into is as it was."""
    before = pickle.dumps(into)
    no(kind, "scatter_nd: " + line, g.scatter_nd, into, *args, **options)
    checks.check(pickle.dumps(into) == before, line + ": into")


def stitch(kind, line, *args, **options):
    no(kind, "dynamic_stitch: " + line, g.dynamic_stitch, *args, **options)


def partition(kind, line, *args, **options):
    no(kind, "dynamic_partition: " + line, g.dynamic_partition, *args,
       **options)


# ---- indices -----------------------------------------------------------------
gather(BadIndexError, "indices[0] = 3 is not in [0, 3)", t, [3])
gather(BadIndexError, "indices[1] = -1 is not in [0, 3)", t, [0, -1])
gather(BadIndexError, "indices[1,1] = 18446744073709551615 is not in [0, 3)",
       t, np.array([[0, 1], [2, 2 ** 64 - 1]], np.uint64))
gather(BadIndexError, "indices[0] = 0 is not in [0, 0)", np.zeros(0), [0],
       bad_index="clip")
gather_nd(BadIndexError, "indices[1] component 1 = 2 is not in [0, 2)", t,
          [[0, 0], [1, 2]])
for threads in (1, 2):
    scatter(BadIndexError, "indices[1] component 0 = 3 is not in [0, 3)",
            np.arange(3.), [[1], [3], [0]], [5., 6., 7.], threads=threads)
    scatter(BadIndexError, "indices[0,1] component 1 = -1 is not in [0, 2)",
            t.copy(), [[[0, 0], [1, -1]]], [[5., 6.]], threads=threads)
scatter(BadIndexError, "indices[1] component 0 = -1 is not in [0, 3)", (3,),
        [[1], [-1]], [5., 6.])
scatter(BadIndexError, "indices component 0 = 7 is not in [0, 3)", t.copy(),
        [7], [5., 6.])
scatter(BadIndexError, "indices[0] component 0 = 18446744073709551615 is not "
        "in [0, 3)", np.zeros(3), np.array([[2 ** 64 - 1]], np.uint64), [1.],
        negative="from_end")
scatter(BadIndexError, "indices[0] component 0 = 0 is not in [0, 0)",
        np.zeros(0), [[0]], [1.])
scatter(BadIndexError, "indices[1,0] component 0 = 2 is not in [0, 2)",
        t.copy(), [[[0]], [[2]], [[1]]], [[1.], [2.], [3.]], 1)
stitch(BadIndexError, "indices[1,0] of list 1 = -1 is not in [0, PTRDIFF_MAX)",
       [[[0]], [[0], [-1]]], [[[1]], [[1], [1]]])
stitch(BadIndexError, "indices[0] of list 0 = 1 is not in [0, 1)", [[1]], [[1]],
       rows=1)
no(BadIndexError, "parallel_dynamic_stitch: indices[0] of list 0 = -1 is not "
   "in [0, PTRDIFF_MAX)", g.parallel_dynamic_stitch, [[-1]], [[1]])
partition(BadIndexError, "partitions[2] = 2 is not in [0, 2)", t, [0, 1, 2], 2)

# ---- types -------------------------------------------------------------------
for bad in ([.5], np.zeros(1, complex), [True], ["a"], np.zeros(0),
            np.zeros(1, "m8[s]"), np.zeros(1, "V4")):
    gather(DTypeError, "indices: dtype %s is no integer type"
           % np.asarray(bad).dtype, t, bad)
other = np.dtype("i4").newbyteorder()
gather(DTypeError, "indices: dtype %s has the other byte order: pass them by "
       ".astype(%r)" % (other.str, np.dtype("i4").str), t,
       np.zeros(1, other))
gather(DTypeError, "params has dtype object: its elements are references, "
       "which cannot be moved as bytes", np.array([None]), [0])
gather(DTypeError, "params is None, no array", None, [0])
gather(DTypeError, "params is a list that has None in it: its elements are "
       "references, which cannot be moved as bytes", [1, None], [0])
record = np.zeros(1, [("a", "i4"), ("b", "O")])
gather(DTypeError, "params has dtype %s: its elements are references, which "
       "cannot be moved as bytes" % record.dtype, record, [0])
if hasattr(getattr(np, "dtypes", None), "StringDType"):
    gather(DTypeError, "params has dtype StringDType(): its elements are "
           "references, which cannot be moved as bytes",
           np.array(["a"], np.dtypes.StringDType()), [0])
gather(DTypeError, "params is no array: ...", [[1], [1, 2]], [0])
gather(DTypeError, "params is no array: no way", Evil(), [0])
gather(DTypeError, "params is on DLPack's device 2: only arrays of the CPU are "
       "taken", EvilDevice(), [0])
gather(DTypeError, "params is a masked array, whose mask would be lost: pass "
       "its .data or .filled()", np.ma.array([1]), [0])
gather(DTypeError, "elem_size is 0: give the bytes of one element",
       np.zeros(3, "V0"), [0])
scatter(DTypeError, "into has dtype float32, float64 is needed",
        np.zeros(3, "f4"), [[0]], [1.])
scatter(DTypeError, "into has dtype >f8, float64 is needed", np.zeros(3, ">f8"),
        [[0]], [1.])
scatter(DTypeError, "into is 3, an array is needed", 3, [[0]], [1.])
scatter(DTypeError, "into is None, an array is needed", None, [[0]], [1.])
scatter(DTypeError, "into is 'abc', an array is needed", "abc", [[0]], [1.])
stitch(DTypeError, "indices of list 1: dtype int32, list 0 has int64",
       [np.zeros(1, "i8"), np.zeros(1, "i4")], [[1], [1]])
stitch(DTypeError, "indices of list 1: dtype float64 is no integer type",
       [[0], [1.]], [[1], [1]])
stitch(DTypeError, "data of list 1: dtype float64, list 0 has int64",
       [[0], [1]], [np.zeros(1, "i8"), [1.]])
partition(DTypeError, "partitions: dtype float64 is no integer type", t,
          [0., 1, 1], 2)
partition(DTypeError, "positions: dtype float32 is no integer type", t,
          [0, 1, 1], 2, positions="f4")
partition(DTypeError, "positions is 'nope', an integer dtype is needed", t,
          [0, 1, 1], 2, positions="nope")

# ---- shapes ------------------------------------------------------------------
gather(ArgumentError, "params has rank 0, at least 1 is needed", 5, [0])
gather(ArgumentError, "no axis 2: params has rank 2", t, [0], axis=2)
gather(ArgumentError, "no axis -3: params has rank 2", t, [0], axis=-3)
gather(ArgumentError, "batch_dims is 1, but axis is 0", t, [[0]] * 3, axis=0,
       batch_dims=1)
gather(ArgumentError, "indices, axis 0: 1 where params has 3", t, [[0]],
       batch_dims=1)
gather(ArgumentError, "batch_dims is 2, but indices has rank 1", t, [0],
       batch_dims=2)
gather_nd(ArgumentError, "batch_dims is -1, at least 0 is needed", t, [[0]],
          batch_dims=-1)
gather_nd(ArgumentError, "indices, axis 1: 3 components for 2 axes of params",
          t, [[0, 0, 0]])
gather_nd(ArgumentError, "indices has rank 0, at least 1 is needed", t, 0)
gather_nd(ArgumentError, "indices, axis 1: 17 components, at most 16 are "
          "possible", np.zeros((1,) * 20), np.zeros((1, 17), int))
gather_nd(ArgumentError, "out: NumPy makes no array of ...",
          np.zeros((1,) * 32), np.zeros((1,) * 31 + (0,), int)[..., None, :]
          if np.lib.NumpyVersion(np.__version__) < "2.0.0"
          else np.zeros((1,) * 63 + (0,), int))
no(ArgumentError, "batch_gather: indices has rank 0, at least 1 is needed",
   g.batch_gather, t, 0)
scatter(ArgumentError, "out has rank 0, at least 1 is needed", np.zeros(()),
        np.zeros((0,), int), 5.)
scatter(ArgumentError, "out has rank 0, at least 1 is needed", (),
        np.zeros((0,), int), 5.)
scatter(ArgumentError, "indices has rank 0, at least 1 is needed", t.copy(), 1,
        [5., 6.])
scatter(ArgumentError, "indices, axis 1: 3 components for 2 axes of out",
        t.copy(), [[0, 0, 0]], [5.])
scatter(ArgumentError, "indices, axis 1: 17 components, at most 16 are "
        "possible", (1,) * 20, np.zeros((1, 17), int), np.zeros((1, 1, 1, 1)))
scatter(ArgumentError, "data has rank 1, 2 is needed", t.copy(), [[1]], [5.])
scatter(ArgumentError, "data, axis 0: 2 where indices have 1", t.copy(), [[1]],
        [[5., 6.], [7., 8.]])
scatter(ArgumentError, "data, axis 1: 3 where 2 is needed", t.copy(), [[1]],
        [[5., 6., 7.]])
scatter(ArgumentError, "batch_dims is -1, at least 0 is needed", t.copy(),
        [[1]], [[5., 6.]], -1)
scatter(ArgumentError, "batch_dims is 2, but indices has rank 2", t.copy(),
        [[1]], [[5., 6.]], 2)
scatter(ArgumentError, "batch_dims is 3, but out has rank 2", t.copy(),
        np.zeros((3, 2, 1, 0), int), np.zeros((3, 2, 1)), 3)
scatter(ArgumentError, "indices, axis 0: 1 where out has 3", t.copy(), [[1]],
        [5.], 1)
scatter(ArgumentError, "into is -3, at least 0 is needed", (-3,), [[1]], [5.])
scatter(DTypeError, "into is 3.0, an integer is needed", (3.,), [[1]], [5.])
scatter(DTypeError, "into is True, an integer is needed", [True], [[0]], [5.])
scatter(ArgumentError, "into is %d: out of range" % 2 ** 63, (2 ** 63,), [[1]],
        [5.])
scatter(ArgumentError, "out: NumPy makes no array of 2 axes and ...",
        (2 ** 40, 2 ** 40), [[1, 1]], [5.])
scatter(ArgumentError, "out: NumPy makes no array of 70 axes and ...",
        (1,) * 70, [[0]], np.zeros((1,) * 30))
stitch(ArgumentError, "0 inputs, at least 1 are needed", [], [])
stitch(ArgumentError, "1 indices, 0 data: as many are needed", [[0]], [])
stitch(DTypeError, "indices is 0, a list of arrays is needed", 0, [0])
stitch(ArgumentError, "data of list 0, axis 0: 1 where indices have 2",
       [[0, 1]], [[1]])
stitch(ArgumentError, "slice of list 1, axis 0: 1 where 2 is needed",
       [[0], [1]], [[[1, 2]], [[1]]])
stitch(ArgumentError, "data of list 1 has shape (1, 3, 2), (1, 2, 2) is needed",
       [[0], [1]],
       [np.zeros((1, 2, 2)), np.zeros((1, 2, 3)).transpose(0, 2, 1)])
stitch(ArgumentError, "data of list 0, axis 0: a stride of 0 where 1 is needed",
       [[0, 1]], [np.broadcast_to(np.zeros(3), (2, 3))])
partition(ArgumentError, "data, axis 0: 3 where partitions have 2", t, [0, 1],
          2)

# ---- options -----------------------------------------------------------------
gather(DTypeError, "axis is 1.0, an integer is needed", t, [0], axis=1.0)
gather(DTypeError, "axis is True, an integer is needed", t, [0], axis=True)
gather(DTypeError, "axis is of type EvilInteger, an integer is needed", t, [0],
       axis=EvilInteger())
gather(ArgumentError, "axis is 1099511627776: out of range", t, [0],
       axis=2 ** 40)
gather(ArgumentError, "axis is -%d: out of range" % 2 ** 100, t, [0],
       axis=-2 ** 100)
gather(ArgumentError, "bad_index is 'warp', " + POLICIES, t, [0],
       bad_index="warp")
gather(ArgumentError, "bad_index is 'drop', " + POLICIES, t, [0],
       bad_index="drop")
gather(ArgumentError, "bad_index is 3, " + POLICIES, t, [0], bad_index=3)
gather(ArgumentError, "bad_index is 'keep', which needs an out", t, [0],
       bad_index="keep")
gather(ArgumentError, "negative is True, not one of bad, from_end", t, [0],
       negative=True)
gather(ArgumentError, "bad_index is 'fill', which needs fill=", t, [0],
       bad_index="fill")
gather(ArgumentError, "fill is given, but bad_index is 'error'", t, [0], fill=1)
gather(DTypeError, "fill is 'x', which is no float64: ...", t, [0],
       bad_index="fill", fill="x")
gather(DTypeError, "fill is [1, 2], which is no float64: ...", t, [0],
       bad_index="fill", fill=[1, 2])
for fill in (1.5, 2 ** 63, -2 ** 70):
    gather(DTypeError, "fill is %s, which is no int64..." % fill,
           np.zeros(3, "i8"), [0], bad_index="fill", fill=fill)
gather(ArgumentError, "threads is 0, at least 1 is needed", t, [0], threads=0)
gather(DTypeError, "threads is '2', an integer is needed", t, [0], threads="2")
gather(DTypeError, "report is {}, a Report is needed", t, [0], report={})
for policy in ("zero", "fill", "clip", "wrap", "keep", "warp", 3):
    scatter(ArgumentError, "bad_index is %r, not one of error, drop, "
            "assume_valid" % (policy,), (3,), [[0]], [1.], bad_index=policy)
for gaps in ("error", "none", 0):
    scatter(ArgumentError, "gaps is %r, not one of zero, keep" % (gaps,), (3,),
            [[0]], [1.], gaps=gaps)
scatter(ArgumentError, "negative is 'end', not one of bad, from_end", (3,),
        [[0]], [1.], negative="end")
scatter(DTypeError, "batch_dims is 1.0, an integer is needed", (3,), [[0]],
        [1.], 1.)
scatter(ArgumentError, "threads is 0, at least 1 is needed", (3,), [[0]], [1.],
        threads=0)
scatter(DTypeError, "report is {}, a Report is needed", (3,), [[0]], [1.],
        report={})
scatter(DTypeError, "progress is 3, ...", (3,), [[0]], [1.], progress=3)
stitch(ArgumentError, "gaps is 'keep', which needs an out", [[0]], [[1]],
       gaps="keep")
stitch(ArgumentError, "gaps is 'none', not one of zero, error, keep", [[0]],
       [[1]], gaps="none")
stitch(ArgumentError, "row 0 of 2 is named by no index", [[1]], [[1]],
       gaps="error")
stitch(ArgumentError, "row 0 of 2 is named by no index", [[1]], [[1]],
       gaps="error", out=np.full(2, 7), threads=2)
stitch(ArgumentError, "bad_index is 'clip', not one of error, drop, "
       "assume_valid", [[1]], [[1]], bad_index="clip")
stitch(ArgumentError, "rows is -1, at least 0 is needed", [[1]], [[1]], rows=-1)
stitch(ArgumentError, "rows is %d: out of range" % 2 ** 63, [[1]], [[1]],
       rows=2 ** 63)
stitch(ArgumentError, "out: NumPy makes no array of 1 axes and %d bytes: ..."
       % 2 ** 65, [[1]], [np.zeros(1, "i8")], rows=2 ** 62)
partition(ArgumentError, "num_partitions is 0, at least 1 is needed", t,
          [0, 1, 1], 0)
partition(DTypeError, "num_partitions is 2.5, an integer is needed", t,
          [0, 1, 1], 2.5)
partition(ArgumentError, "num_partitions: a size is larger than PTRDIFF_MAX", t,
          [0, 1, 1], 2 ** 62)
partition(ArgumentError, "positions: 199 is more than their type holds, 127",
          np.zeros(200, "u1"), np.zeros(200, int), 1, positions="i1")
for call in (lambda: g.dynamic_stitch([[2 ** 50]], [[1]]),
             lambda: g.scatter_nd((2 ** 50,), [[1]], [1.]),
             lambda: g.dynamic_partition(t, [0, 1, 1], 2 ** 45)):
    try:
        call()
    except MemoryError as error:
        checks.check("\n" not in str(error), "MemoryError: %s" % error)
    else:
        checks.check(False, "no MemoryError")

# ---- out ---------------------------------------------------------------------
gather(DTypeError, "out is [[0, 0]], an array is needed", t, [0], out=[[0, 0]])
gather(DTypeError, "out has dtype float32, float64 is needed", t, [0],
       out=np.zeros((1, 2), "f4"))
gather(ArgumentError, "out is read-only", t, [0], out=read_only)
gather(ArgumentError, "out, axis 1: 3 where 2 is needed", t, [0],
       out=np.zeros((1, 3)))
gather(ArgumentError, "out has rank 1, 2 is needed", t, [0], out=np.zeros(2))
gather(ArgumentError, "out has shape (), (1, 2) is needed", t, [0],
       out=np.zeros(()))
gather(ArgumentError, "out, axis 0: a stride of -16 where 8 is needed", t,
       [0, 1], out=np.zeros((2, 2))[::-1])
for threads in (1, 2):
    gather(ArgumentError, "params overlaps out", t, [0, 1], out=t[1:],
           threads=threads)
    k = np.arange(6)
    gather(ArgumentError, "indices overlaps out", np.arange(9), k[:3],
           out=k[2:5], threads=threads)
    stitch(ArgumentError, "data of list 0 overlaps out", [[0, 1]], [t[:2]],
           out=t[1:], threads=threads)
    partition(ArgumentError, "data overlaps out of part 0", t, [0, 1, 1], 2,
              out=[t[:1], np.zeros((2, 2))], threads=threads)
    k = np.arange(6.)
    scatter(ArgumentError, "data overlaps out", k[:4], [[0], [1]], k[3:5],
            threads=threads)
    k = np.arange(6)
    scatter(ArgumentError, "indices overlaps out", k[:4], k[2:4][:, None],
            np.array([7, 8]), threads=threads)
frozen = t.copy()
frozen.flags.writeable = False
scatter(ArgumentError, "into is read-only", frozen, [[0]], [[1., 2.]])
scatter(ArgumentError, "into is read-only",
        np.broadcast_to(np.zeros(2), (3, 2)), [[0]], [[1., 2.]])
scatter(ArgumentError, "out, axis 0: a stride of -16 where 8 is needed",
        t.copy()[::-1], [[0]], [[1., 2.]])
x = np.zeros((3, 2, 2))
stitch(ArgumentError, "out overlaps an input, where rows of the lists differ "
       "in strides", [[0], [1]], [x[:1], x[1:2].transpose(0, 2, 1)], out=x[:2])
stitch(ArgumentError, "out has rank 2, 1 is needed", [[1]], [[1]],
       out=np.zeros((2, 2), np.array([1]).dtype))
stitch(ArgumentError, "out has shape (3,), (2,) is needed", [[1]], [[1.]],
       out=np.zeros(3), rows=2)
stitch(ArgumentError, "out_slice, axis 0: 2 where 3 is needed", [[0, 1]],
       [np.zeros((2, 3))], out=np.zeros((2, 2)))
partition(ArgumentError, "out is of type ndarray, a list of 2 arrays is needed",
          t, [0, 1, 1], 2, out=np.zeros((2, 3, 2)))
partition(ArgumentError, "out is of 1 arrays, a list of 2 arrays is needed", t,
          [0, 1, 1], 2, out=[np.zeros((1, 2))])
for threads in (1, 2):
    partition(ArgumentError, "out of part 1 holds 1 rows, 2 are needed", t,
              [0, 1, 1], 2, out=[np.zeros((1, 2)), np.zeros((1, 2))],
              threads=threads)
partition(ArgumentError, "out of part 1 has shape (2, 3), ('rows', 2) is "
          "needed", t, [0, 1, 1], 2, out=[np.zeros((1, 2)), np.zeros((2, 3))])
partition(ArgumentError, "out of part 1 has strides (32, 16), others (16, 8)",
          t, [0, 1, 1], 2, out=[np.zeros((3, 2)), np.zeros((2, 4))[:, ::2]])

row = np.zeros(6, int)
four, ids = np.arange(4), [0, 1, 0, 1]
for outs in ([row[:2], row[1:]], [row, row], [row[1:3], row[:2]],
             [row[::2], row[::2]], [row[:4:2], row[2::2]],
             [row[::2], row[2::2]]):
    for threads in (1, 2):
        partition(ArgumentError, "out of part 0 overlaps out of part 1", four,
                  ids, 2, out=outs, threads=threads)
partition(ArgumentError, "out of part 0 overlaps out of part 2", four, ids, 3,
          out=[row[:4], row[4:], row[3:]])
wide = np.zeros((4, 4), int)
partition(ArgumentError, "out of part 0 overlaps out of part 1",
          np.zeros((4, 2), int), ids, 2, out=[wide[:, :2], wide[:, 1:3]])
for outs in ([row[:2], row[2:]], [row[3:], row[:3]], [row[::2], row[1::2]],
             [row[:3], row[3:3]]):
    got = g.dynamic_partition(four, ids, 2, out=outs) if len(outs[1]) else \
        g.dynamic_partition(four[:2], [0, 0], 2, out=outs)
    checks.is_([a.tolist() for a in got], [[0, 2], [1, 3]] if len(outs[1])
               else [[0, 1], []], "outs that share no byte")
table = np.zeros((4, 3000), int)
got = g.dynamic_partition(four, np.arange(4), 3000, out=list(table.T))
checks.is_([a.tolist() for a in got[:5]], [[0], [1], [2], [3], []],
           "the columns of a table")

# ---- lists without elements --------------------------------------------------
checks.is_([a.shape for a in g.dynamic_partition(np.zeros((0, 2)), [], 3)],
           [(0, 2)] * 3, "no partitions")
checks.same(g.dynamic_stitch([[0, 1], []], [np.array([5, 6]),
                                            np.zeros(0, int)]),
            np.array([5, 6]), "no indices in a stitch")
checks.same(g.dynamic_stitch([(), np.array([0, 1], "u1")],
                             [[], np.array([5, 6], "f2")]),
            np.array([5, 6], "f2"), "an empty list has the type of others")
checks.same(g.dynamic_stitch([[]], [[]]), np.zeros(0), "nothing at all")
checks.same(g.scatter_nd((3,), np.zeros((0, 1), int), []), np.zeros(3),
            "nothing is scattered")
checks.same(g.scatter_nd(t.copy(), np.zeros((0, 2), int), []), t,
            "nothing goes to an array")
checks.same(g.scatter_nd(t.copy(), [], t + 1), t + 1, "to all of it")
checks.same(g.scatter_nd((2, 0), [[1]], np.zeros((1, 0))), np.zeros((2, 0)),
            "rows of nothing")
for empty, shape in (([], (0, 2)), ((), (0, 2)), ([[], []], (2, 0, 2)),
                     ([[[]]], (1, 1, 0, 2))):
    checks.same(g.gather(t, empty), np.zeros(shape), "gather %s" % (empty,))
checks.same(g.gather_nd(t, [[], []]), np.array([t, t]), "no components")
checks.same(g.batch_gather(t, [[], [], []]), np.zeros((3, 0)), "batch, empty")
gather(DTypeError, "indices is a list of integers that no one type holds", t,
       [-1, 2 ** 63])
gather(DTypeError, "indices is a list of integers that no one type holds", t,
       [2 ** 64])
gather(DTypeError, "params is %d, which no integer type holds" % 2 ** 64,
       2 ** 64, [0])
deep = []
for _ in range(70):
    deep = [deep]
gather(DTypeError, "params is a list in a list too many times", deep, [0])

# ---- a fill has to fit -------------------------------------------------------
hour, day = np.datetime64("2020-01-01T05"), np.datetime64("2020-01-01")
fields = np.dtype([("a", "S2"), ("b", "f4", (2,))])
BIG, NO = np.longdouble(1e30), np.nan
FILLS = [
    ("U2", ["ab", "a", ""], ["abc", b"ab", 5, None]),
    ("S2", [b"ab", "ab", b"a"], [b"abc", "abc", 5, None, "\xe9"]),
    ("i1", [127, -128, 5., True, np.uint64(5)],
     [300, -129, 5.5, NO, None, "5", 5 + 1j, 2 ** 70, day]),
    ("u8", [2 ** 64 - 1, 0], [-1, 2 ** 64, .5]),
    ("?", [True, 0, 1.], [2, "x", None, .5]),
    ("f2", [65504, 1e-9, NO, np.inf, -3, np.complex64(2)],
     [70000, np.complex64(1 + 2j), None, "1", 1e300, day, -BIG]),
    ("f4", [1e30, 16777217, .1, np.float16(2), np.inf, BIG, 1e-60],
     [1e300, 2 ** 200, None, "1", np.complex64(1 + 2j), 1j]),
    ("f8", [2 ** 53 + 1, .1, 1e308, True], [2 ** 2000, None, "1", b"1"]),
    ("c8", [1 + 2j, 5, NO, complex(0, np.inf)], [1e300, 1e300j, None, "1"]),
    ("M8[D]", [day, "2020-01-01", 5, np.datetime64("NaT"),
               np.datetime64("2020-01-01T00"), day.item()],
     [hour, "2020-01-01T05", 1.5, None, np.timedelta64(5, "D")]),
    ("M8[ns]", [hour, day], [np.datetime64("5000-01-01")]),
    ("m8[h]", [np.timedelta64(1, "D"), 3],
     [np.timedelta64(30, "m"), hour, None]),
    ("V3", [b"abc", b"a", np.void(b"abc")], [b"abcd", 5, None, "abc"]),
    (fields, [(b"ab", 1.), (b"", (1., 2.)), np.zeros((), fields)[()]],
     [(b"abc", 1.), (b"ab", 1e300), (b"ab", (1., 1e300)), b"ab", None,
      (b"ab",), 5])]
for dtype, good, bad in FILLS:
    held = np.zeros(1, dtype)
    for value in good:
        got = g.gather(held, [0, 9], bad_index="fill", fill=value)
        with np.errstate(all="ignore"):
            want = np.zeros((), dtype)
            want[()] = np.void(value.ljust(3, b"\0")) if dtype == "V3" and \
                isinstance(value, bytes) else value.real if \
                dtype == "f2" and isinstance(value, np.complex64) else value
        checks.same(got[1:], want.reshape(1), "fill %s of %r" % (dtype, value))
        checks.same(g.gather(held, [0, 9], bad_index="fill",
                             fill=np.array(want))[1:], want.reshape(1),
                    "fill %s, an array of %r" % (dtype, value))
    for value in bad:
        gather(DTypeError, "fill is " + (
            "..." if len(repr(value)) > 60 else "%r, which is no %s..."
            % (value, held.dtype)), held, [9], bad_index="fill", fill=value)
gather(DTypeError, "fill has shape (1,), one element is needed", t, [9],
       bad_index="fill", fill=np.zeros(1))

# ---- how they are told -------------------------------------------------------
said = g.Report()
try:
    g.gather(t, [[0, 1], [5, 9]], report=said)
except g.Error as error:
    checks.check(isinstance(error, IndexError), "an IndexError")
    checks.is_(said, error.report, "the report that was passed")
    checks.is_(error.report.bad.at, (1, 0), "its coordinates")
    checks.is_((error.report.bad.value, error.report.bad.extent), (5, 3),
               "its value")
    again = pickle.loads(pickle.dumps(error))
    checks.is_((type(again), str(again), again.report),
               (type(error), str(error), error.report), "by pickle")
checks.check(issubclass(ArgumentError, ValueError), "a ValueError")
checks.check(issubclass(DTypeError, TypeError), "a TypeError")
words = np.array(["gather", "stitch"], "U30")    # wider than desc.fill
got = g.gather(words, [1, 7, 0, -1], bad_index="fill", fill="none", report=said)
checks.is_((got.tolist(), said.bad.count),
           (["stitch", "none", "gather", "none"], 2), "a wide fill")
g.gather(t, [0], report=said)
checks.is_(said, g.Report(op="gather"), "a report of nothing")
try:
    g.scatter_nd((2, 2), [[[0, 0], [5, 9]]], [[1., 2.]], report=said)
except g.Error as error:
    checks.check(isinstance(error, IndexError), "an IndexError, scattered")
    checks.is_(said, error.report, "the report that was passed, scattered")
    checks.is_((said.op, said.operand, said.bad.at, said.bad.component,
                said.bad.value, said.bad.extent),
               ("scatter_nd", "indices", (0, 1), 0, 5, 2), "its coordinates")
got = g.scatter_nd((2, 2), [[0, 0], [5, 9], [-1, 0]], [1., 2., 3.],
                   bad_index="drop", report=said)
checks.is_((got.tolist(), str(said), said.status, said.bad.count, said.holes),
           ([[1., 0.], [0., 0.]], "scatter_nd: indices[1] component 0 = 5 is "
            "not in [0, 2); 2 bad", "NDG_OK", 2, 0), "a report of dropped rows")
g.scatter_nd((2,), [[0]], [1.], report=said)
checks.is_(said, g.Report(op="scatter_nd"), "a report of nothing, scattered")
g.gather(t, [7, 8, 0], bad_index="zero", report=said)
checks.is_((str(said), said.status, said.bad.count),
           ("gather: indices[0] = 7 is not in [0, 3); 2 bad", "NDG_OK", 2),
           "a report of bad rows")
g.dynamic_stitch([[3, 3]], [[1, 2]], report=said)
checks.is_((said.holes, said.first_hole, said.duplicates), (3, 0, 1), "holes")
checks.is_(str(said), "done; row 0 is named by no index; 3 such rows",
           "holes in words")
checks.end()
