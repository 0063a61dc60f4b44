"""The Python package beside TensorFlow, and on tensors of PyTorch and JAX.

    python tests/uses/python_peers.py tensorflow|torch|jax [count]

With TensorFlow the same calls give the same arrays, or both refuse. PyTorch's
and JAX's tensors come in and go out without a copy. One that cannot be imported
is named and skipped.
"""
import importlib
import os
import sys

import numpy as np

import ndgather as g
import python_checks

peer = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
try:
    module = importlib.import_module(peer)
except Exception as error:
    print("skip: python_peers %s: %s" % (peer, " ".join(str(error).split())))
    sys.exit(0)
checks = python_checks.Checks("python_peers " + peer)
some = python_checks.Random(1)
rng = some.rng


def address(a):
    return a.__array_interface__["data"][0]


# ---- TensorFlow --------------------------------------------------------------

def both(what, ours, theirs):
    """The same arrays from both, or an error from both."""
    try:
        want = theirs()
    except tf_errors():
        want = None
    try:
        got = ours()
    except g.Error as error:
        checks.check(want is None, "%s: %s" % (what, error))
        return
    if not checks.check(want is not None, what + ": TensorFlow refuses"):
        return
    if not isinstance(want, list):
        got, want = [got], [want]
    for a, b in zip(got, want):
        checks.same(np.asarray(a), b.numpy(), what)


def tf_errors():
    e = module.errors
    return (e.InvalidArgumentError, e.OutOfRangeError, e.UnimplementedError,
            ValueError)


def against_tensorflow(tf):
    for _ in range(count):
        p = rng.integers(0, 99, [int(n) for n in rng.integers(1, 5, 3)], "i4")
        bad = .02 if some.chance(.3) else 0
        b = int(rng.integers(0, 3))
        i = some.integers(p.shape[:b] + (2,), p.shape[b], bad).astype("i4")
        axis = int(rng.integers(b, 3))
        j = (i % p.shape[axis] if not bad else i).astype("i4")
        both("gather %s %s" % (p.shape, j.tolist()),
             lambda: g.gather(p, j, axis=axis, batch_dims=b),
             lambda: tf.gather(p, j, axis=axis, batch_dims=b))
        n = (i % min(p.shape[b:], default=1) if not bad else i)[..., None]
        both("gather_nd %s %s %d" % (p.shape, n.tolist(), b),
             lambda: g.gather_nd(p, n, b), lambda: tf.gather_nd(p, n, b))
        k = [rng.integers(-1 if bad else 0, 9, int(m)).astype("i4")
             for m in rng.integers(1, 5, 2)]
        d = [rng.integers(0, 99, (len(x), 3)) for x in k]
        if len(set(np.concatenate(k).tolist())) == max(map(max, k)) + 1:
            both("stitch %s" % k, lambda: g.dynamic_stitch(k, d),
                 lambda: tf.dynamic_stitch(k, d))
        both("partition %s" % k, lambda: g.dynamic_partition(d[0], k[0], 8),
             lambda: tf.dynamic_partition(d[0], k[0], 8))
    t = tf.constant(np.arange(6.).reshape(3, 2))
    checks.same(g.gather(t, tf.constant([2, 0])),
                np.array([[4., 5.], [0., 1.]]), "TensorFlow's own tensors")


# ---- PyTorch -----------------------------------------------------------------

def on_torch(torch):
    t = torch.arange(24.).reshape(4, 6)
    for params in (t, t.T, t[1:, ::2], t.expand(2, 4, 6), t[:0]):
        ids = torch.zeros(min(2, len(params)), dtype=torch.int64)
        got = g.gather(params, ids)
        checks.check(isinstance(got, torch.Tensor) and
                     torch.equal(got, params[ids]), "gather %s" % params)
    for kind in (torch.bfloat16, torch.float16, torch.float8_e4m3fn,
                 torch.bool, torch.complex64, torch.uint8):
        x = t.to(kind)
        got = g.gather(x, torch.tensor([2, 0], dtype=torch.uint8))
        checks.check(got.dtype == kind and
                     torch.equal(got.to(torch.complex64),
                                 x[[2, 0]].to(torch.complex64)),
                     "gather %s" % kind)
        out = torch.zeros(2, 6, dtype=kind)
        checks.check(g.gather(x, [2, 0], out=out) is out and
                     torch.equal(out.to(torch.complex64),
                                 x[[2, 0]].to(torch.complex64)),
                     "out %s" % kind)
    got = g.gather(t.to(torch.bfloat16), [9], bad_index="fill", fill=1.5)
    checks.check(got.dtype == torch.bfloat16 and (got == 1.5).all(), "fill")
    for kind, value in ((torch.float32, 1e300), (torch.bfloat16, 1e300),
                        (torch.float16, 70000), (torch.float8_e4m3fn, 1e9),
                        (torch.bfloat16, None), (torch.bfloat16, "1"),
                        (torch.bfloat16, 1j),
                        (torch.complex32, 1e9j)):
        checks.refused(g.DTypeError, "gather: fill is %r, which is no %s"
                       % (value, str(kind).replace("torch.", "") if kind in (
                           torch.float32, torch.float16, torch.int8)
                          else kind), g.gather,
                       torch.zeros(1, dtype=kind), [9], bad_index="fill",
                       fill=value)
    for kind, value in ((torch.bfloat16, 16777217), (torch.complex32, 1 + 2j),
                        (torch.float8_e4m3fn, torch.tensor(3.)),
                        (torch.bfloat16, torch.tensor(3.).bfloat16())):
        got = g.gather(torch.zeros(1, dtype=kind), [9], bad_index="fill",
                       fill=value)
        checks.check(torch.equal(got.to(torch.complex64), torch.tensor(
            [value]).to(kind).to(torch.complex64)), "fill %s" % kind)
    w = torch.ones(3, requires_grad=True)
    x = torch.ones(3)
    product = w * x                     # which keeps x for the gradient
    g.gather(t[0], [1, 2, 3], out=x)
    try:
        product.sum().backward()
        checks.check(False, "PyTorch does not know that out was written")
    except RuntimeError as error:
        checks.check("inplace" in str(error), str(error))
    from ndgather import _arrays
    seen = _arrays.source(0, "x", t[1:, ::2])
    checks.is_((address(seen.a), seen.a.strides), (t[1:].data_ptr(), (24, 8)),
               "in, without a copy")
    made = _arrays.empty(0, (3, 2), seen)
    checks.is_(_arrays.result(made, seen).data_ptr(), address(made),
               "out, without a copy")
    ids = torch.tensor([1, 0, 2, 1, 0, 1])
    x = torch.arange(12).reshape(6, 2)
    parts, where = g.dynamic_partition(x, ids, 3, positions="i4")
    checks.check(all(torch.equal(a, x[ids == k]) for k, a in enumerate(parts)),
                 "partition")
    checks.check(torch.equal(g.dynamic_stitch(where, parts), x), "stitch")
    y = t.clone().requires_grad_()
    checks.refused(g.DTypeError, "gather: params requires grad, but no "
                   "gradient passes here: pass it by .detach(), or under "
                   "torch.no_grad()", g.gather, y, [0])
    with torch.no_grad():
        checks.check(torch.equal(g.gather(y, [1]), y[1:2]), "under no_grad")
    checks.refused(g.DTypeError, "gather: params is on the device meta: only "
                   "tensors of the CPU are taken", g.gather,
                   torch.empty(3, device="meta"), [0])
    checks.refused(g.DTypeError, "gather: indices: dtype torch.bfloat16 is no "
                   "integer type", g.gather, t, torch.zeros(1).bfloat16())
    checks.refused(g.DTypeError, "gather: out has dtype torch.bfloat16, "
                   "float32 is needed", g.gather, t, [0],
                   out=torch.zeros(1, 6).bfloat16())
    for bad in (t.to_sparse(), torch.tensor([1j]).conj()):
        try:
            g.gather(bad, [0])
            checks.check(False, "%s is not refused" % bad)
        except g.DTypeError as error:
            checks.check("\n" not in str(error), str(error))


# ---- JAX ---------------------------------------------------------------------

def on_jax(jax):
    jnp = importlib.import_module("jax.numpy")
    from ndgather import _arrays
    t = jnp.arange(24.).reshape(4, 6)
    for kind in (jnp.float32, jnp.bfloat16, jnp.int8, jnp.bool_, jnp.complex64):
        x = t.astype(kind)
        got = g.gather(x, jnp.array([2, 0]))
        checks.check(isinstance(got, jax.Array) and got.dtype == kind and
                     bool((got == x[jnp.array([2, 0])]).all()),
                     "gather %s" % kind)
    seen = _arrays.source(0, "x", t)
    checks.is_(address(seen.a), t.unsafe_buffer_pointer(), "in, without a copy")
    made = _arrays.empty(0, (3, 2), seen)
    checks.is_(_arrays.result(made, seen).unsafe_buffer_pointer(),
               address(made), "out, without a copy")
    ids = np.array([1, 0, 1, 1])
    parts, where = g.dynamic_partition(t, ids, 2, positions="i4")
    checks.check(all(isinstance(a, jax.Array) and
                     bool((a == t[ids == k]).all())
                     for k, a in enumerate(parts)), "partition")
    checks.check(bool((g.dynamic_stitch(where, parts) == t).all()), "stitch")
    checks.refused(g.ArgumentError, "gather: out is read-only", g.gather, t,
                   [0], out=t[:1])


{"tensorflow": against_tensorflow, "torch": on_torch, "jax": on_jax}[peer](
    module)
checks.end()
