"""The Python package against loops over NumPy arrays: random cases of all seven
operations, every policy, type, layout and number of threads.

    python tests/uses/python_numpy.py [seed] [count] [steps]

Bytes, shape, type and report are compared with python_checks.py's. With `steps`
every call goes a row at a time, as long ones go some.
"""
import sys

import numpy as np

import ndgather
import python_checks as loops
from ndgather import _threads

seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
count = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
steps = sys.argv[3:] == ["steps"]
if steps:
    _threads._ONE_STEP, _threads._FIRST_STEP, _threads._SECONDS = 0, 1, 0
checks = loops.Checks("python_numpy" + " steps" * steps)
some = loops.Random(seed)
rng = some.rng


def judge(what, call, report, bads, policy, wants):
    """Runs the call, and compares what it says and what it returns."""
    fails = bads.count and (policy == "error" or bads.fatal)
    try:
        got = call()
    except ndgather.BadIndexError as error:
        if checks.check(fails, "%s: raises %s" % (what, error)):
            compare_bad(what, error.report.bad, bads)
            checks.check(error.report.bad.count >= 1, what + ": count")
            checks.is_(str(report), str(error), what + ": report")
        return
    except ndgather.Error as error:
        checks.check(False, "%s: raises %r %s" % (what, error, error))
        return
    if checks.check(not fails, what + ": no error"):
        checks.is_(report.bad.count, bads.count, what + ": bad rows")
        if bads.count:
            compare_bad(what, report.bad, bads)
        wants(got)


def compare_bad(what, bad, bads):
    at, component, value, extent = bads.first
    if at and isinstance(at[-1], tuple):        # of a stitch
        checks.is_(bad.list, at[0], what + ": bad list")
        at = at[1]
    checks.is_((bad.at, bad.component, bad.value, bad.extent),
               (at, component, value, extent), what + ": first bad")


def common():
    threads = [None, 1, 2, 3][rng.integers(4)]
    return {"threads": threads, "report": ndgather.Report()}


def random_fill(dtype):
    return some.elements((), dtype)[()]


def one_gather(name):
    p = some.elements(some.extents(1, 4))
    options = common()
    options["bad_index"] = policy = str(rng.choice(
        ["error", "zero", "fill", "clip", "wrap", "keep", "assume_valid"]))
    options["negative"] = negative = str(rng.choice(["bad", "from_end"]))
    bad = 0 if policy == "assume_valid" or some.chance(.3) else .15
    if policy == "fill":
        options["fill"] = random_fill(p.dtype)
    b = int(rng.integers(p.ndim)) if some.chance(.4) else 0
    axis = b
    if name == "gather_nd":
        depth = int(rng.integers(0, p.ndim - b + 1))
        shape = p.shape[:b] + some.extents(0, 2) + (depth,)
        extents = p.shape[b:b + depth]
        i = some.integers(shape, min(extents, default=1), bad)
        out_shape = shape[:-1] + p.shape[b + depth:]
        options["batch_dims"] = b
        fits = all(extents) or not i.size
    else:
        if name == "gather":
            axis = int(rng.integers(b, p.ndim))
            options["batch_dims"] = b
            if axis != b or some.chance(.5):
                options["axis"] = axis - p.ndim * int(rng.integers(2))
            i = some.integers(p.shape[:b] + some.extents(0, 2),
                              p.shape[axis], bad)
        else:
            i = some.integers(p.shape[:b] + some.extents(1, 1),
                              p.shape[axis], bad)
        out_shape = p.shape[:axis] + i.shape[b:] + p.shape[axis + 1:]
        fits = p.shape[axis] or not i.size
    if policy == "assume_valid" and not fits:
        return
    given = policy == "keep" or some.chance(.4)
    out = some.target(out_shape, p.dtype) if given \
        else np.zeros(out_shape, p.dtype)
    want = out.copy()
    if name == "gather_nd":
        bads = loops.gather_nd(p, i, b, policy, negative,
                               options.get("fill"), want)
    else:
        bads = loops.gather(p, i, axis, b, policy, negative,
                            options.get("fill"), want)
    p, i = some.laid_out(p), some.laid_out(i)
    if given:
        options["out"] = out
    what = "%s params %s %s indices %s %s %s" % (
        name, p.dtype, p.shape, i.dtype, i.tolist(), options)

    def compare(got):
        checks.same(got, want, what)
        checks.check(not given or got is out, what + ": returns out")
    judge(what, lambda: getattr(ndgather, name)(p, i, **options),
          options["report"], bads, policy, compare)


def one_scatter(name):
    shape = some.extents(1, 4)
    dtype = loops.DTYPES[rng.integers(len(loops.DTYPES))]
    options = common()
    options["bad_index"] = policy = str(rng.choice(
        ["error", "drop", "assume_valid"]))
    options["negative"] = negative = str(rng.choice(["bad", "from_end"]))
    bad = 0 if policy == "assume_valid" or some.chance(.3) else .15
    b = int(rng.integers(len(shape) + 1)) if some.chance(.4) else 0
    depth = int(rng.integers(0, len(shape) - b + 1))
    rows = shape[:b] + some.extents(0, 2)
    extents = shape[b:b + depth]
    i = some.integers(rows + (depth,), min(extents, default=1), bad)
    if negative == "from_end" and i.dtype.kind == "i":
        for c, n in enumerate(extents):
            column = i[..., c]
            column -= n * ((rng.random(rows) < .4) & (column >= 0)
                           & (column < n)).astype(i.dtype)
    data = some.elements(rows + shape[b + depth:], dtype)
    if policy == "assume_valid" and not all(extents) and i.size:
        return
    if b or some.chance(.3):
        options["batch_dims"] = b
    gaps = str(rng.choice(["keep", "zero"]))
    if gaps == "zero" or some.chance(.3):
        options["gaps"] = gaps
    given = some.chance(.6)
    into = some.target(shape, dtype) if given else np.zeros(shape, dtype)
    before, want = into.copy(), into.copy()
    bads = loops.scatter_nd(want, i, data, b, negative, gaps)
    i, data = some.laid_out(i), some.laid_out(data)
    what = "%s into %s %s %s indices %s %s %s %s" % (
        name, dtype, shape, into.strides if given else "new", i.dtype,
        i.tolist(), data.strides, options)

    def compare(got):
        checks.same(got, want, what)
        checks.check(not given or got is into, what + ": returns into")
    judge(what, lambda: ndgather.scatter_nd(
        into if given else [shape, list(shape)][rng.integers(2)], i, data,
        **options), options["report"], bads, policy, compare)
    if bads.count and policy == "error":
        checks.same(into, before, what + ": an error leaves it")


def one_stitch(name):
    dtype = loops.DTYPES[rng.integers(len(loops.DTYPES))]
    index_dtype = loops.INTEGERS[rng.integers(len(loops.INTEGERS))]
    slices = some.extents(0, 2)
    top = int(rng.integers(1, 12))
    bad = .1 if some.chance(.4) else 0
    indices, data = [], []
    for _ in range(rng.integers(1, 4)):
        shape = some.extents(0, 2)
        i = rng.integers(0, top, shape)
        if index_dtype.kind == "i":
            i = np.where(rng.random(shape) < bad, -1, i)
        indices.append(np.asarray(i).astype(index_dtype))
        data.append(some.elements(shape + slices, dtype))
    options = common()
    options["bad_index"] = policy = str(rng.choice(["error", "drop"]))
    good = [v for i in indices for v in i.reshape(-1).tolist() if v >= 0]
    total = max(good, default=-1) + 1
    gaps = str(rng.choice(["zero", "zero", "error", "keep"]))
    options["gaps"] = gaps
    given = gaps == "keep" or some.chance(.3)
    if some.chance(.3):
        total = int(rng.integers(0, 12))
        options["rows"] = total
    shape = (total,) + slices
    out = some.target(shape, dtype) if given else np.zeros(shape, dtype)
    rows_spread = given and len(shape) > 1 and out.size and \
        out.strides[0] < max(out.strides)
    want = out.copy()
    bads, holes, doubles = loops.stitch(indices, data, total, policy, gaps,
                                        want)
    if given:
        options["out"] = out
    elif "rows" not in options and bads.count and policy == "error":
        bads.first = bads.first[:3] + (sys.maxsize,)    # total is not known
    data = [some.laid_out(d) for d in data]
    what = "%s %s %s %s %s" % (name, [i.tolist() for i in indices], dtype,
                               [(d.shape, d.strides) for d in data], options)

    def call():
        return getattr(ndgather, name)(indices, data, **options)

    def compare(got):
        said = options["report"]
        checks.same(got, want, what)
        checks.is_((said.holes, said.duplicates), (len(holes), doubles), what)
        if holes:
            checks.is_(said.first_hole, holes[0], what)
    try:
        call()
    except ndgather.ArgumentError as error:
        status = error.report.status
        if status == "NDG_E_GAP":
            checks.check(gaps == "error" and holes and
                         error.report.value == holes[0], what + ": gap")
        else:       # rows do not fold to one stride, or interleave in out
            checks.check(status == "NDG_E_STRIDE" and (
                rows_spread or any(not d.flags.c_contiguous for d in data)),
                "%s: %s" % (what, error))
        return
    except ndgather.BadIndexError:
        pass
    if gaps == "error" and holes and policy == "drop":
        checks.check(False, what + ": no gap was found")
    judge(what, call, options["report"], bads, policy, compare)


def one_partition(name):
    parts = int(rng.integers(1, 6))
    shape = some.extents(0, 2)
    ids = some.integers(shape, parts, .1 if some.chance(.4) else 0)
    data = some.elements(shape + some.extents(0, 2))
    options = common()
    options["bad_index"] = policy = str(rng.choice(["error", "drop"]))
    bads, outs, where = loops.partition(data, ids, parts, policy)
    if some.chance(.5):
        options["positions"] = rng.choice(["i1", "u2", "i4", "i8"])
    if some.chance(.3):
        options["out"] = [some.elements((len(o) + 2,) + o.shape[1:],
                                        o.dtype).copy() for o in outs]
    ids = some.laid_out(ids)
    data = some.laid_out(data)
    what = "%s %s %s %s %s" % (name, ids.tolist(), data.dtype,
                               (data.shape, data.strides), options)

    def compare(got):
        if "positions" in options:
            got, places = got
            for a, b in zip(places, where):
                checks.check(a.dtype == options["positions"]
                             and a.tolist() == b, what + ": positions")
        checks.is_(len(got), parts, what)
        for k in range(parts):
            checks.same(got[k], outs[k], what)
            if "out" in options and got[k].size:
                checks.check(np.shares_memory(got[k], options["out"][k]),
                             what + ": not in out")
    try:
        ndgather.dynamic_partition(data, ids, parts, **options)
    except ndgather.ArgumentError as error:
        checks.check(error.report.status == "NDG_E_STRIDE" and not
                     (data.flags.c_contiguous and ids.flags.c_contiguous),
                     "%s: %s" % (what, error))
        return
    except ndgather.BadIndexError:
        pass
    judge(what, lambda: ndgather.dynamic_partition(data, ids, parts, **options),
          options["report"], bads, policy, compare)


OPS = [("gather_nd", one_gather), ("gather", one_gather),
       ("batch_gather", one_gather), ("scatter_nd", one_scatter),
       ("dynamic_stitch", one_stitch),
       ("parallel_dynamic_stitch", one_stitch),
       ("dynamic_partition", one_partition)]
for k in range(count):
    name, one = OPS[k % len(OPS)]
    one(name)
checks.end()
