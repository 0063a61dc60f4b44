"""The tool against TensorFlow on the CPU: random cases of all seven ops.

Bytes, shape, type and success are compared with TensorFlow's, and the error
line of a bad index with one of our own making. Where the two are meant to
differ (reference: README, "differences from TensorFlow") the case is judged by
a few lines of NumPy instead, never skipped:

    gather       TensorFlow does not look at the indices where a slice, or the
                 axes before the axis, are empty. The tool does
    gather_nd    an empty table is judged by its indices; batch_dims may be
                 the rank of params; the batch axes of both must agree
    batch_gather TensorFlow's counts bad indices into the next batch; it is
                 compared with tf.gather(batch_dims), with itself if all good
    stitches     rows that no index names are zero; the parallel op's duplicates
                 have the order of the serial one
    scatter_nd   an empty array is taken; TensorFlow aborts at some updates of
                 another shape, so it is not asked
    index types  TensorFlow is given int64 (gathers) or int32 copies
"""

import os
import sys

import tool

# TensorFlow chats on stderr, from Python and from C++: nobody listens.
sys.stderr = sys.stdout
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
np, tf = tool.need("cli_tensorflow", "numpy", "tensorflow")
tf.get_logger().setLevel("ERROR")
rng = np.random.default_rng(tool.number(1, 1))
count = tool.number(2, 1500)
checks = tool.Checks("cli_tensorflow")
run = tool.Tool()

ELEMENTS = ["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8",
            "<f2", "<f4", "<f8", "<c8", "<c16"]
INTEGERS = ["|i1", "|u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4",
            ">u4", "<i8", ">i8", "<u8", ">u8"]
REFUSED = (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError,
           tf.errors.OutOfRangeError, ValueError)


# ---- random things ----------------------------------------------------------

def elements(shape):
    dtype = np.dtype(rng.choice(ELEMENTS))
    size = int(np.prod(shape)) * dtype.itemsize
    data = rng.integers(0, 2 if dtype.kind == "b" else 256, size, np.uint8)
    return np.ndarray(shape, dtype, data.tobytes())


def extents(low, high, zeros=0.04):
    return tuple(0 if rng.random() < zeros else int(rng.integers(1, 5))
                 for _ in range(rng.integers(low, high)))


def shaken(shape):
    """The shape, once in a while with a mistake."""
    shape = list(shape)
    if shape and rng.random() < .05:
        shape[rng.integers(len(shape))] += 1
    if shape and rng.random() < .03:
        shape.pop()
    return tuple(shape)


def integers(shape, extent, bad):
    """Indices into extent of a random type; a share of them bad."""
    dtype = np.dtype(rng.choice(INTEGERS))
    a = rng.integers(0, max(extent, 1), shape, np.int64)
    wrong = rng.random(shape) < bad
    low = max(-3, int(np.iinfo(dtype).min))
    if extent < 100:
        outside = rng.choice([low, extent, extent + 1, 127] +
                             ([-1] if low else []), shape)
        a = np.where(wrong, outside, a)
    a = np.asarray(a).astype(dtype)
    if dtype.kind == "u" and dtype.itemsize == 8 and a.size and bad \
            and rng.random() < .2:
        a[tuple(rng.integers(n) for n in shape)] = 2 ** 64 - 1
    return a


def plain(a, dtype=np.int64):
    """Indices for TensorFlow: the huge ones stay too large."""
    if a.dtype.kind == "u" and a.dtype.itemsize == 8:
        a = np.minimum(a.astype(np.uint64), np.uint64(10 ** 9))
    if rng.random() < .3 and a.dtype.itemsize < 8:
        dtype = np.int32
    return tf.constant(np.asarray(a).astype(dtype))


def store(name, a, foreign=False):
    """Writes a, maybe in Fortran order, maybe with the bytes turned."""
    if foreign:
        a = a.astype(a.dtype.newbyteorder(">")) if a.dtype.kind != "b" else a
    tool.save(run.file(name), a, (1, 0), rng.random() < .3)
    return name


def threads():
    return ["--threads", int(rng.integers(1, 4))] if rng.random() < .5 else []


# ---- judging ----------------------------------------------------------------

def reference(call):
    """TensorFlow's array, or None and its words."""
    try:
        return call().numpy(), ""
    except REFUSED as e:
        return None, str(e).split("\n")[0][:200]


def compare(what, got, said, want, words):
    """The tool's array or line against the reference's."""
    what = "%s: tool <%s> reference <%s>" % (what, said, words)
    if said.startswith("broken"):
        checks.check(False, what)
    elif want is None:
        checks.check(got is None, what + ": the tool takes it")
    elif checks.check(got is not None, what + ": the tool refuses it"):
        checks.check(tool.same(got, np.asarray(want)), "%s: %s %s, not %s %s"
                     % (what, got.dtype, got.shape, want.dtype, want.shape))


def exact(what, got, said, line):
    """The tool's line must be this one."""
    checks.check(got is None and said == line,
                 "%s: want <%s> got <%s>" % (what, line, said))


def told(*arrays):
    return " ".join("%s%s" % (a.dtype, list(a.shape)) for a in arrays)


# ---- gathers ----------------------------------------------------------------

def gather():
    shape = extents(0 if rng.random() < .05 else 1, 5)
    r = len(shape)
    b = int(rng.integers(0, r)) if r and rng.random() < .5 else 0
    axis = int(rng.integers(b, r)) if r else 0
    params = elements(shape)
    extent = shape[axis] if r else 1
    index = integers(shaken(shape[:b]) + extents(0, 3), extent, bad_share())
    given_axis = axis - r if rng.random() < .3 else axis
    given_b = b - index.ndim if rng.random() < .3 and b < index.ndim else b
    if rng.random() < .04:
        given_axis = int(rng.integers(-6, 6))
    if rng.random() < .04:
        given_b = int(rng.integers(-5, 5))
    args = [store("p.npy", params), store("i.npy", index)] + threads()
    if given_b or rng.random() < .5:
        args += ["--batch-dims", given_b]
    if given_axis != given_b or given_b < 0 or rng.random() < .5:
        args += ["--axis", given_axis]
    what = "gather %s %s" % (told(params, index), args[2:])
    want, words = reference(lambda: tf.raw_ops.GatherV2(
        params=tf.constant(params), indices=plain(index), axis=given_axis,
        batch_dims=given_b))
    got, said = run.out("gather", *args)
    # Ours: the indices count even if nothing is copied.
    line = None
    fits = want is not None or "is not in [0" in words
    if fits:
        axis = given_axis % r
        line = tool.gather_line(index, shape[axis])
    if line:
        b = given_b % index.ndim if given_b < 0 else given_b
        hollow = 0 in shape[b:axis] + shape[axis + 1:]
        checks.check(want is None or hollow, what + ": TensorFlow takes it")
        exact(what, got, said, line)
    else:
        compare(what, got, said, want, words)


def bad_share():
    return .3 if rng.random() < .25 else 0


def gather_nd():
    shape = extents(0 if rng.random() < .05 else 1, 6)
    r = len(shape)
    b = int(rng.integers(0, r)) if r and rng.random() < .5 else 0
    depth = int(rng.integers(0, r - b + 1)) if r else 0
    if rng.random() < .04:
        depth += 1
    rows = shaken(shape[:b]) + extents(0, 3)
    index = np.zeros(rows + (depth,), rng.choice(INTEGERS))
    share = bad_share()
    for c in range(depth):
        n = shape[b + c] if b + c < r else 1
        index[..., c] = integers(rows, n, share).astype(index.dtype)
    if rng.random() < .03:
        index = np.zeros((), index.dtype)
    if rng.random() < .05:
        b = int(rng.integers(0, 5))
    params = elements(shape)
    zero = rng.random() < .3
    args = [store("p.npy", params), store("i.npy", index)] + threads()
    if b or rng.random() < .2:
        args += ["--batch-dims", b]
    if zero:
        args += ["--bad-index", "zero"]
    what = "gather_nd %s %s" % (told(params, index), args[2:])
    got, said = run.out("gather_nd", *args)
    depth = index.shape[-1] if index.ndim else 0
    # Ours: what the ranks allow, and equal batch axes.
    fits = (r >= 1 and index.ndim >= 1 and b < index.ndim and b <= r
            and b + depth <= r)
    if fits and shape[:b] != index.shape[:b]:
        checks.check(got is None and not said.startswith("broken"),
                     what + ": batch axes differ: " + said)
        return
    line = tool.gather_nd_line(index, shape, b) if fits else None
    if line and not zero:
        exact(what, got, said, line)
    ours = fits and (b == r or 0 in shape)
    if ours:
        if not line or zero:
            compare(what, got, said, hollow_nd(params, index, b), "numpy")
        return
    want, words = reference(lambda: tf.gather_nd(
        tf.constant(params), plain(index), batch_dims=b,
        bad_indices_policy="IGNORE" if zero else ""))
    if line and not zero:
        checks.check(want is None, what + ": TensorFlow takes it")
    else:
        compare(what, got, said, want, words)


def hollow_nd(params, index, b):
    """gather_nd of an empty table (nothing to copy but zeros) and of
    batch_dims = rank(params)."""
    depth = index.shape[-1]
    shape = index.shape[:-1] + params.shape[b + depth:]
    if 0 in params.shape:
        return np.zeros(shape, params.dtype)
    tail = (1,) * (len(index.shape[b:-1]))
    return np.broadcast_to(params.reshape(params.shape[:b] + tail),
                           shape).copy()


def batch_gather():
    lead = extents(0, 3)
    index = integers(lead + (int(rng.integers(0, 4)),), 3, bad_share())
    n = int(rng.integers(1, 5)) if rng.random() < .9 else 0
    params = elements(shaken(lead + (n,) + extents(0, 3)))
    if rng.random() < .03:
        index = np.zeros((), index.dtype)
    args = [store("p.npy", params), store("i.npy", index)] + threads()
    what = "batch_gather %s" % told(params, index)
    got, said = run.out("batch_gather", *args)
    k = index.ndim
    if k < 1 or params.ndim < k or params.shape[:k - 1] != index.shape[:-1]:
        checks.check(got is None and not said.startswith("broken"),
                     what + ": does not fit: " + said)
        return
    line = tool.gather_line(index, params.shape[k - 1])
    if line:
        exact(what, got, said, line)
        return
    want, words = reference(lambda: tf.raw_ops.GatherV2(
        params=tf.constant(params), indices=plain(index), axis=k - 1,
        batch_dims=k - 1))
    compare(what, got, said, want, words)
    if params.size:
        want, words = reference(lambda: tf.compat.v1.batch_gather(
            tf.constant(params), plain(index)))
        if want is not None:
            compare(what + " (its own)", got, said, want, words)


# ---- scatter_nd -------------------------------------------------------------

def scatter():
    """tensor_scatter_nd_update, and scatter_nd as --gaps zero; no place twice,
    as TensorFlow adds up or says nothing of the order then."""
    shape = extents(1, 5)
    depth = int(rng.integers(1, len(shape) + 1))
    slots = int(np.prod(shape[:depth]))
    picks = rng.permutation(slots)[:rng.integers(0, slots + 1)]
    index = np.stack(np.unravel_index(picks, shape[:depth]), -1) if slots \
        else np.zeros((0, depth), int)
    index = index.astype(rng.choice(INTEGERS))
    if len(picks) and rng.random() < .1:
        index[rng.integers(len(picks)), rng.integers(depth)] = 99
    if len(picks) % 2 == 0 and len(picks):
        index = index.reshape(2, -1, depth)
    into = elements(shape)
    data = elements(shaken(index.shape[:-1] + shape[depth:]))
    data = np.ndarray(data.shape, into.dtype, (data.tobytes() * 16)[
        :int(np.prod(data.shape)) * into.dtype.itemsize])
    if into.dtype.kind == "b":
        data = (data.view(np.uint8) % 2).view(bool)
    zero = rng.random() < .5
    if zero and into.dtype.kind in "fc":        # it adds to 0: no -0, no NaN
        data = rng.integers(1, 99, data.shape).astype(into.dtype)
    args = [store("p.npy", into), store("i.npy", index),
            store("d.npy", data)] + threads()
    args += ["--gaps=zero"] if zero else []
    what = "scatter_nd %s %s" % (told(into, index, data), args[3:])
    got, said = run.out("scatter_nd", *args)
    if data.shape != index.shape[:-1] + shape[depth:]:
        compare(what, got, said, None, "")      # by which it may abort
        return
    line = tool.scatter_nd_line(index, shape, 0)
    if line:
        exact(what, got, said, line)
    ids = plain(index)
    if zero:
        want, words = reference(lambda: tf.scatter_nd(
            ids, tf.constant(data), tf.constant(shape, ids.dtype)))
    else:
        want, words = reference(lambda: tf.tensor_scatter_nd_update(
            tf.constant(into), ids, tf.constant(data)))
    if line:
        checks.check(want is None or 0 in shape[depth:],
                     what + ": TensorFlow takes it")
    elif 0 in shape:        # ours: nothing goes to nowhere
        compare(what, got, said, into, "numpy")
    else:
        compare(what, got, said, want, words)


# ---- stitches ---------------------------------------------------------------

def stitch():
    op = str(rng.choice(["dynamic_stitch", "parallel_dynamic_stitch"]))
    inner, share = extents(0, 3), bad_share() / 2
    lists, args = [], []
    dtype = None
    for m in range(rng.integers(1, 5)):
        index = integers(extents(0, 3), 12, share)
        if index.size and index.dtype.kind == "u" and \
                int(index.max()) > 1000:
            index = index % np.array(16, index.dtype)   # no huge outputs
        data = elements(shaken(index.shape + inner))
        if dtype is None:
            dtype = data.dtype
        data = np.ndarray(data.shape, dtype, (data.tobytes() * 16)[
            :int(np.prod(data.shape)) * dtype.itemsize])
        if dtype.kind == "b":
            data = (data.view(np.uint8) % 2).view(bool)
        lists.append((index, data))
        args += [store("i%d.npy" % m, index), store("d%d.npy" % m, data)]
    args += threads()
    what = "%s %s" % (op, " | ".join(told(i, d) for i, d in lists))
    got, said = run.out(op, *args)
    masks = [i.astype(object) < 0 for i, _ in lists]
    masks = [np.asarray(m, bool).reshape(i.shape)
             for m, (i, _) in zip(masks, lists)]
    total = sum(int(m.sum()) for m in masks)
    if total:
        m = next(k for k in range(len(masks)) if masks[k].any())
        exact(what, got, said, tool.line(
            masks[m], lambda text, at: "indices[%d]%s = %d is out of range" % (
                m, text, lists[m][0][at]), total - 1))
        if rng.random() < .5:
            dropped(what, op, args, lists, masks)
        return
    want, words = reference(lambda: tf.raw_ops.DynamicStitch(
        indices=[tf.constant(i.astype(np.int32)) for i, _ in lists],
        data=[tf.constant(d) for _, d in lists]))
    if want is not None:
        want = gaps_zero(want, [i for i, _ in lists])
    compare(what, got, said, want, words)
    flat = np.concatenate([i.astype(np.int64).ravel() for i, _ in lists])
    if op[0] == "p" and len(set(flat.tolist())) == flat.size:
        want, words = reference(lambda: tf.raw_ops.ParallelDynamicStitch(
            indices=[tf.constant(i.astype(np.int32)) for i, _ in lists],
            data=[tf.constant(d) for _, d in lists]))
        if want is not None:
            want = gaps_zero(want, [i for i, _ in lists])
        compare(what + " (parallel)", got, said, want, words)


def gaps_zero(want, indices):
    named = np.zeros(want.shape[0], bool)
    for i in indices:
        named[i.astype(np.int64).ravel()] = True
    want = want.copy()
    want[~named] = np.zeros((), want.dtype)
    return want


def dropped(what, op, args, lists, masks):
    """--bad-index drop: as TensorFlow without those rows."""
    got, said = run.out(op, *args, "--bad-index", "drop")
    fits = all(d.shape[:i.ndim] == i.shape for i, d in lists)
    first = lists[0][1].shape[lists[0][0].ndim:]
    fits = fits and all(d.shape[i.ndim:] == first for i, d in lists)
    if not fits:
        compare(what + " drop", got, said, None, "numpy")
        return
    kept = [(i[~m].astype(np.int32), d[~m])
            for (i, d), m in zip(lists, masks)]
    want, words = reference(lambda: tf.raw_ops.DynamicStitch(
        indices=[tf.constant(i) for i, _ in kept],
        data=[tf.constant(d) for _, d in kept]))
    if want is not None:
        want = gaps_zero(want, [i for i, _ in kept])
    compare(what + " drop", got, said, want, words)


# ---- dynamic_partition ------------------------------------------------------

def partition():
    n = int(rng.integers(1, 6))
    ids = integers(extents(0, 3), n, bad_share() / 2)
    data = elements(shaken(ids.shape + extents(0, 3)))
    drop = rng.random() < .3
    args = [store("p.npy", data), store("i.npy", ids), "-n", n] + threads()
    if drop:
        args += ["--bad-index=drop"]
    what = "dynamic_partition %s %s" % (told(data, ids), args[2:])
    for k in range(6):
        path = run.file("out.%d.npy" % k)
        if os.path.exists(path):
            os.remove(path)
    rc, stdout, stderr = run.run("dynamic_partition", *args, "-o", "out")
    made = [k for k in range(6) if os.path.exists(run.file("out.%d.npy" % k))]
    checks.check(not stdout and made == (list(range(n)) if rc == 0 else [])
                 and stderr.count("\n") == (rc == 1),
                 "%s: exit %d, made %s, %s" % (what, rc, made, stderr))
    bad = tool.out_of_range(ids, n)
    if data.shape[:ids.ndim] == ids.shape and bad.any() and not drop:
        line = tool.line(bad, lambda text, at: (
            "partitions%s = %d is not in [0, %d)" % (text, ids[at], n)))
        exact(what, None, stderr[len("ndgather: dynamic_partition: "):-1],
              line)
        return
    if drop and data.shape[:ids.ndim] == ids.shape:
        ids, data = ids[~bad], data[~bad]
        bad = bad[~bad]
    want, words = None, ""
    try:
        want = tf.raw_ops.DynamicPartition(
            data=tf.constant(data), num_partitions=n, partitions=tf.constant(
                np.where(bad, -1, ids.astype(np.int64)).astype(np.int32)))
    except REFUSED as e:
        words = str(e)[:200]
    if want is None:
        checks.check(rc == 1, "%s: the tool takes it: %s" % (what, words))
        return
    if not checks.check(rc == 0, "%s: refused: %s" % (what, stderr)):
        return
    for k in range(n):
        got = tool.load(run.file("out.%d.npy" % k))
        checks.check(tool.same(got, want[k].numpy()), "%s: part %d"
                     % (what, k))


def types():
    """What TensorFlow refuses for indices by name, the tool does, too."""
    store("p.npy", np.arange(5, dtype=np.float32))
    for dtype in ("<f4", "<f8", "<f2", "|b1", "<c8", "|S1", "<U1"):
        store("i.npy", np.array(["0", "1"]).astype("|S1").astype(dtype)
              if dtype[1] in "SU" else np.array([0, 1]).astype(dtype))
        for op in ("gather", "gather_nd", "batch_gather"):
            got, said = run.out(op, "p.npy", "i.npy")
            checks.check(got is None and dtype[1:] in said,
                         "%s with %s indices: %s" % (op, dtype, said))


types()
for _ in range(count):
    gather()
    gather_nd()
    batch_gather()
    scatter()
    stitch()
    partition()
checks.end()
