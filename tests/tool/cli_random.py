"""The tool on random cases of all seven ops, beside plain loops over NumPy
arrays (loops.py) and, where there is one, beside TensorFlow on the CPU.

Bytes, shape, type and the error line of a bad index must be those of the loops.
TensorFlow is asked whether it takes a case, and for the same bytes, unless it
knows no such type or policy, or the two are meant to differ (README,
"differences from TensorFlow"):

    gather       TensorFlow does not look at the indices where a slice, or the
                 axes before the axis, are empty. The tool does
    gather_nd    an empty table is judged by its indices; batch_dims may be
                 the rank of params; the batch axes of both must agree
    batch_gather TensorFlow's counts bad indices into the next batch; it is
                 compared with tf.gather(batch_dims), with itself if all good
    stitches     rows that no index names are zero; the parallel op's duplicates
                 have the order of the serial one
    scatter_nd   an empty array is taken; TensorFlow aborts at some updates of
                 another shape, adds up zeros, and says nothing of the order
    index types  TensorFlow is given int64 (gathers) or int32 copies
"""

import os
import sys

import tool
from tool import INTEGERS, PLAIN, cooked, raw

np, = tool.need("cli_random", "numpy")
import loops  # noqa: E402

# TensorFlow chats on stderr, from Python and from C++: nobody listens.
sys.stderr = sys.stdout
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
try:
    import tensorflow as tf
    tf.get_logger().setLevel("ERROR")
    REFUSED = (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError,
               tf.errors.OutOfRangeError, ValueError)
except ImportError:
    tf = None
    print("skip: cli_random: no module named tensorflow")
rng = np.random.default_rng(tool.number(1, 1))
count = tool.number(2, 400 if os.environ.get("BRIEF") else 1500)
checks = tool.Checks("cli_random")
run = tool.Tool()

THEIRS = ["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8",
          "<f2", "<f4", "<f8", "<c8", "<c16"]


# ---- random things ----------------------------------------------------------

def chance(p):
    return rng.random() < p


def up_to(n):
    """One of 0 ... n - 1; of none 0."""
    return int(rng.integers(n)) if n > 0 else 0


def element_type():
    """Half of the time one that TensorFlow has."""
    return np.dtype(rng.choice(THEIRS if chance(.5) else PLAIN))


def elements(shape, dtype):
    return tool.random_array(rng, dtype, shape)


def extents(low, high):
    return tuple(0 if chance(.04) else int(rng.integers(1, 5))
                 for _ in range(rng.integers(low, high)))


def shaken(shape):
    """The shape, once in a while with a mistake."""
    shape = list(shape)
    if shape and chance(.05):
        shape[up_to(len(shape))] += 1
    if shape and chance(.03):
        shape.pop()
    return tuple(shape)


def integers(shape, extent, bad, negative="bad"):
    """Indices into extent of a random type; a share of them bad."""
    dtype = np.dtype(rng.choice(INTEGERS))
    signed = dtype.kind == "i"
    low = -extent if signed and negative == "from_end" else 0
    a = rng.integers(low, max(extent, 1), shape, np.int64)
    outside = [extent, extent + 1, 127] + [-1, -extent - 1, -100] * signed
    a = np.where(rng.random(shape) < bad, rng.choice(outside, shape), a)
    a = np.asarray(a).astype(dtype)
    if dtype.str[1:] == "u8" and a.size and bad and chance(.2):
        a[tuple(rng.integers(n) for n in shape)] = 2 ** 64 - 1
    return a


def vectors(rows, lengths, bad, negative):
    """Vectors of indices, one into each extent."""
    index = np.zeros(rows + (len(lengths),), rng.choice(INTEGERS))
    for c, n in enumerate(lengths):
        column = integers(rows, n, bad, negative)
        if index.dtype.kind == "u" and column.dtype.kind == "i":
            column = np.maximum(column, 0)
        index[..., c] = column.astype(index.dtype)
    return index


def treatment(dtype, *others):
    """What becomes of bad indices: policy, negative, fill, arguments. Half of
    the time what TensorFlow does with them."""
    policy = "error" if chance(.5) else str(rng.choice(others))
    negative = "from_end" if chance(.3) else "bad"
    fill = elements((), dtype)
    text = policy
    if policy == "fill":
        text += "=0x" + fill.tobytes().hex()
    args = ["--bad-index", text] if policy != "error" or chance(.2) else []
    if negative != "bad" or chance(.2):
        args += ["--negative", negative.replace("_", "-")]
    if chance(.5):
        args += ["--threads", int(rng.integers(1, 4))]
    return policy, negative, raw(fill), args


def bad_share(policy):
    return .3 if policy != "error" or chance(.25) else 0


def store(name, a):
    """Writes a, maybe in Fortran order."""
    tool.save(run.file(name), a, (1, 0), chance(.3))
    return name


def told(*arrays):
    return " ".join("%s%s" % (a.dtype, list(a.shape)) for a in arrays)


# ---- judging ----------------------------------------------------------------

def plain(a, dtype=np.int64):
    """Indices for TensorFlow: the huge ones stay too large."""
    if a.dtype.kind == "u" and a.dtype.itemsize == 8:
        a = np.minimum(a.astype(np.uint64), np.uint64(10 ** 9))
    if a.dtype.itemsize < 8 and chance(.3):
        dtype = np.int32
    return tf.constant(np.asarray(a).astype(dtype))


def judge(what, result, fits, line, want):
    """The tool's array or line: that line if there is one, a refusal if the
    case does not fit, else that array."""
    got, said = result
    what = "%s: tool <%s>" % (what, said)
    if line is not None:
        said = said.replace("[-0, 0)", "[0, 0)")
        checks.check(got is None and said == line.replace("[-0,", "[0,"),
                     "%s want <%s>" % (what, line))
    elif not fits:
        checks.check(got is None and not said.startswith("broken"),
                     what + ": does not fit")
    elif checks.check(got is not None, what + ": the tool refuses it"):
        checks.check(tool.same(got, want), "%s: %s, not %s" % (
            what, told(got), told(want)))


def ask(what, dtype, good, want, call):
    """TensorFlow takes what is good, and gives the same."""
    if tf is None or dtype.str not in THEIRS:
        return
    try:
        theirs, words = np.asarray(call().numpy()), ""
    except REFUSED as e:
        theirs, words = None, str(e).split("\n")[0][:200]
    what = "%s: TensorFlow <%s>" % (what, words)
    if checks.check((theirs is not None) == good, what):
        checks.check(not good or tool.same(want, theirs), what + ": bytes")


# ---- gathers ----------------------------------------------------------------

def by_loops(loop, params, shape, *args):
    """(what the loop says of bad rows, the array that it makes)"""
    out = np.zeros(shape, "V%d" % params.dtype.itemsize)
    bads = loop(raw(params), *args, out)
    return bads, cooked(out, params.dtype)


def gather():
    shape = extents(0 if chance(.05) else 1, 5)
    r = len(shape)
    b = up_to(r) if chance(.5) else 0
    axis = int(rng.integers(b, r)) if r else 0
    params = elements(shape, element_type())
    policy, negative, fill, args = treatment(params.dtype, "zero", "fill",
                                             "clip", "wrap")
    index = integers(shaken(shape[:b]) + extents(0, 3),
                     shape[axis] if r else 1, bad_share(policy), negative)
    k = index.ndim
    given_axis = axis - r if chance(.3) else axis
    given_b = b - k if chance(.3) and b < k else b
    if chance(.04):
        given_axis = int(rng.integers(-6, 6))
    if chance(.04):
        given_b = int(rng.integers(-5, 5))
    if given_b or chance(.5):
        args += ["--batch-dims", given_b]
    if given_axis != given_b or given_b < 0 or chance(.5):
        args += ["--axis", given_axis]
    what = "gather %s %s %s" % (told(params, index), index.tolist(), args)
    b = given_b + k if given_b < 0 else given_b
    axis = given_axis + r if given_axis < 0 else given_axis
    fits = (0 <= axis < r and 0 <= b <= k and b <= axis
            and shape[:b] == index.shape[:b])
    line = want = None
    hollow = False
    if fits:
        bads, want = by_loops(
            loops.gather, params, shape[:axis] + index.shape[b:]
            + shape[axis + 1:], index, axis, b, policy, negative, fill)
        if policy == "error" or bads.fatal:
            line = tool.gather_line(index, shape[axis], negative != "bad")
        hollow = line and 0 in shape[b:axis] + shape[axis + 1:]
    judge(what, run.out("gather", store("p.npy", params),
                        store("i.npy", index), *args), fits, line, want)
    if policy == "error" and negative == "bad" and not hollow:
        ask(what, params.dtype, fits and line is None, want,
            lambda: tf.raw_ops.GatherV2(
                params=tf.constant(params), indices=plain(index),
                axis=given_axis, batch_dims=given_b))


def gather_nd():
    shape = extents(0 if chance(.05) else 1, 6)
    r = len(shape)
    b = up_to(r) if chance(.5) else 0
    depth = int(rng.integers(0, r - b + 1)) if r else 0
    params = elements(shape, element_type())
    policy, negative, fill, args = treatment(params.dtype, "zero", "zero",
                                             "fill", "clip", "wrap")
    lengths = shape[b:b + depth] + (1,) * (chance(.04) or not r)
    index = vectors(shaken(shape[:b]) + extents(0, 3), lengths,
                    bad_share(policy), negative)
    if chance(.03):
        index = np.zeros((), index.dtype)
    if chance(.05):
        b = up_to(5)
    if b or chance(.2):
        args += ["--batch-dims", b]
    what = "gather_nd %s %s %s" % (told(params, index), index.tolist(), args)
    depth = index.shape[-1] if index.ndim else 0
    ranks = (r >= 1 and b < index.ndim and b + depth <= r)
    fits = ranks and shape[:b] == index.shape[:b]
    line = want = None
    if fits:
        bads, want = by_loops(
            loops.gather_nd, params, index.shape[:-1] + shape[b + depth:],
            index, b, policy, negative, fill)
        if policy == "error" or bads.fatal:
            line = tool.gather_nd_line(index, shape, b, negative != "bad")
    judge(what, run.out("gather_nd", store("p.npy", params),
                        store("i.npy", index), *args), fits, line, want)
    ours = ranks and (not fits or b == r or 0 in shape)
    if policy in ("error", "zero") and negative == "bad" and not ours:
        ask(what, params.dtype, fits and line is None, want,
            lambda: tf.gather_nd(
                tf.constant(params), plain(index), batch_dims=b,
                bad_indices_policy="IGNORE" if policy == "zero" else ""))


def batch_gather():
    lead = extents(0, 3)
    n = 0 if chance(.1) else int(rng.integers(1, 5))
    params = elements(shaken(lead + (n,) + extents(0, 3)), element_type())
    policy, negative, fill, args = treatment(params.dtype, "zero", "fill",
                                             "clip", "wrap")
    index = integers(lead + (up_to(4),), 3, bad_share(policy), negative)
    if chance(.03):
        index = np.zeros((), index.dtype)
    what = "batch_gather %s %s %s" % (told(params, index), index.tolist(),
                                      args)
    k, shape = index.ndim, params.shape
    fits = 1 <= k <= params.ndim and shape[:k - 1] == index.shape[:-1]
    line = want = None
    if fits:
        bads, want = by_loops(loops.gather, params, index.shape + shape[k:],
                              index, k - 1, k - 1, policy, negative, fill)
        if policy == "error" or bads.fatal:
            line = tool.gather_line(index, shape[k - 1], negative != "bad")
    judge(what, run.out("batch_gather", store("p.npy", params),
                        store("i.npy", index), *args), fits, line, want)
    if not fits or line or policy != "error" or negative != "bad":
        return
    ask(what, params.dtype, True, want, lambda: tf.raw_ops.GatherV2(
        params=tf.constant(params), indices=plain(index), axis=k - 1,
        batch_dims=k - 1))
    if params.size:
        ask(what + " (its own)", params.dtype, True, want,
            lambda: tf.compat.v1.batch_gather(tf.constant(params),
                                              plain(index)))


# ---- scatter_nd -------------------------------------------------------------

def distinct(shape, depth):
    """Vectors of which no two are the same; one may be bad."""
    slots = int(np.prod(shape[:depth]))
    picks = rng.permutation(slots)[:rng.integers(0, slots + 1)]
    index = np.stack(np.unravel_index(picks, shape[:depth]), -1) if slots \
        else np.zeros((0, depth), int)
    index = index.astype(rng.choice(INTEGERS))
    if len(picks) and chance(.1):
        index[up_to(len(picks)), up_to(depth)] = 99
    return index.reshape(2, -1, depth) if len(picks) in (2, 4, 6) else index


def scatter():
    """tensor_scatter_nd_update, and scatter_nd as --gaps zero."""
    shape = extents(1, 5)
    r, b = len(shape), 0
    into = elements(shape, element_type())
    policy, negative, _, args = treatment(into.dtype, "drop")
    alone = chance(.5)
    if alone:
        depth = int(rng.integers(1, r + 1))
        index = distinct(shape, depth)
    else:
        b = up_to(2) if r > 1 else 0
        depth = int(rng.integers(0, r - b + 1))
        index = vectors(shape[:b] + extents(0, 3), shape[b:b + depth],
                        bad_share(policy) / 3, negative)
    data = elements(shaken(index.shape[:-1] + shape[b + depth:]), into.dtype)
    zero = chance(.5)
    if alone and zero and into.dtype.kind in "fc":   # it adds to 0: no -0, NaN
        data = rng.integers(1, 99, data.shape).astype(into.dtype)
    args += ["--gaps=zero"] if zero else []
    args += ["--batch-dims", b] if b or chance(.2) else []
    what = "scatter_nd %s %s %s" % (told(into, index, data), index.tolist(),
                                    args)
    fits = data.shape == index.shape[:-1] + shape[b + depth:]
    line = want = None
    if fits:
        want = raw(into).copy()
        loops.scatter_nd(want, index, raw(data), b, negative,
                         "zero" if zero else "keep")
        want = cooked(want, into.dtype)
        if policy == "error":
            line = tool.scatter_nd_line(index, shape, b, negative != "bad")
    judge(what, run.out("scatter_nd", store("p.npy", into),
                        store("i.npy", index), store("d.npy", data), *args),
          fits, line, want)
    if not fits or not alone or args[:1] == ["--bad-index"] or 0 in shape \
            or negative != "bad":
        return
    if zero:
        def call():
            ids = plain(index)
            return tf.scatter_nd(ids, tf.constant(data),
                                 tf.constant(shape, ids.dtype))
    else:
        def call():
            return tf.tensor_scatter_nd_update(
                tf.constant(into), plain(index), tf.constant(data))
    ask(what, into.dtype, line is None, want, call)


# ---- stitches ---------------------------------------------------------------

def stitch():
    op = str(rng.choice(["dynamic_stitch", "parallel_dynamic_stitch"]))
    inner, dtype = extents(0, 3), element_type()
    policy = "drop" if chance(.2) else "error"
    share = bad_share(policy) / 2
    ids, data, args = [], [], []
    for m in range(rng.integers(1, 5)):
        index = integers(extents(0, 3), 12, share)
        if index.size and index.dtype.kind == "u":
            index = index % np.array(16, index.dtype)   # no huge outputs
        ids.append(index)
        data.append(elements(shaken(index.shape + inner), dtype))
        args += [store("i%d.npy" % m, index), store("d%d.npy" % m, data[m])]
    if policy == "drop":
        args += ["--bad-index", policy]
    if chance(.5):
        args += ["--threads", int(rng.integers(1, 4))]
    what = "%s %s | %s %s" % (op, told(*ids), told(*data), policy)
    first = data[0].shape[ids[0].ndim:]
    fits = all(d.shape == i.shape + first for i, d in zip(ids, data))
    flat = [int(v) for i in ids for v in i.ravel() if v >= 0]
    total = max(flat, default=-1) + 1
    masks = [np.asarray(i < 0) for i in ids]
    bad = sum(int(m.sum()) for m in masks)
    line = want = None
    if fits:
        want = np.zeros((total,) + first, "V%d" % dtype.itemsize)
        loops.stitch(ids, [raw(d) for d in data], total, policy, "zero", want)
        want = cooked(want, dtype)
    if bad and policy == "error":
        m = next(k for k in range(len(masks)) if masks[k].any())
        line = tool.line(
            masks[m], lambda text, at: "indices[%d]%s = %d is out of range" % (
                m, text, ids[m][at]), bad - 1)
    judge(what, run.out(op, *args), fits, line, want)
    if bad:
        return

    def call(name):
        made = getattr(tf.raw_ops, name)(
            indices=[tf.constant(i.astype(np.int32)) for i in ids],
            data=[tf.constant(d) for d in data]).numpy().copy()
        made[[k for k in range(len(made)) if k not in flat]] = np.zeros(
            (), dtype)
        return tf.constant(made)
    ask(what, dtype, fits, want, lambda: call("DynamicStitch"))
    if op[0] == "p" and len(set(flat)) == len(flat):
        ask(what + " (parallel)", dtype, fits, want,
            lambda: call("ParallelDynamicStitch"))


# ---- dynamic_partition ------------------------------------------------------

def partition():
    n, dtype = int(rng.integers(1, 6)), element_type()
    policy = "drop" if chance(.3) else "error"
    ids = integers(extents(0, 3), n, bad_share(policy) / 2)
    data = elements(shaken(ids.shape + extents(0, 3)), dtype)
    args = [store("p.npy", data), store("i.npy", ids), "-n", n]
    args += ["--bad-index=drop"] if policy == "drop" else []
    args += ["--threads", int(rng.integers(1, 4))] if chance(.5) else []
    what = "dynamic_partition %s %s %s" % (told(data, ids), ids.tolist(),
                                           args[2:])
    files = [run.file("out.%d.npy" % k) for k in range(6)]
    for path in filter(os.path.exists, files):
        os.remove(path)
    rc, stdout, stderr = run.run("dynamic_partition", *args, "-o", "out")
    made = [os.path.exists(path) for path in files]
    checks.check(not stdout and made == [rc == 0 and k < n for k in range(6)]
                 and stderr.count("\n") == (rc == 1),
                 "%s: exit %d, made %s, %s" % (what, rc, made, stderr))
    said = stderr[len("ndgather: dynamic_partition: "):-1]
    fits, line, wants = data.shape[:ids.ndim] == ids.shape, None, [None] * n
    bad = tool.out_of_range(ids, n)
    if fits:
        _, wants, _ = loops.partition(raw(data), ids, n, policy)
        wants = [cooked(w, dtype) for w in wants]
    if fits and bad.any() and policy == "error":
        line = tool.line(bad, lambda text, at: (
            "partitions%s = %d is not in [0, %d)" % (text, ids[at], n)))
    for path, want in zip(files, wants):
        judge(what, (None if rc else tool.load(path), said), fits, line, want)
    if line:
        return
    kept = (ids[~bad], data[~bad]) if fits else (ids, data)
    for k, want in enumerate(wants):
        ask(what, dtype, fits, want, lambda: tf.raw_ops.DynamicPartition(
            data=tf.constant(kept[1]), num_partitions=n,
            partitions=tf.constant(kept[0].astype(np.int32)))[k])


def types():
    """What is no integer is refused for indices, by name, by all ops."""
    store("p.npy", np.arange(5, dtype=np.float32))
    store("d.npy", np.arange(2, dtype=np.float32))
    for dtype in ("<f4", "<f8", "<f2", "|b1", "<c8", "|S1", "<U1", "|V1",
                  "<M8[s]", "<m8[s]"):
        zero = np.zeros(2, dtype)
        store("i.npy", zero)
        store("v.npy", zero[:, None])
        for op, *args in (("gather", "p.npy", "i.npy"),
                          ("gather_nd", "p.npy", "v.npy"),
                          ("batch_gather", "p.npy", "i.npy"),
                          ("scatter_nd", "p.npy", "v.npy", "d.npy"),
                          ("dynamic_stitch", "i.npy", "d.npy"),
                          ("parallel_dynamic_stitch", "i.npy", "d.npy"),
                          ("dynamic_partition", "d.npy", "i.npy", "-n", 2)):
            got, said = run.out(op, *args)
            checks.check(got is None and dtype[1:3] in said,
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
