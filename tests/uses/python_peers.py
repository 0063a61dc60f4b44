"""The Python package on tensors of PyTorch and JAX, which come in and go out
without a copy.

    python tests/uses/python_peers.py torch|jax

One that cannot be imported is named and skipped. What TensorFlow gives is in
the cases of python_cases.py; its tensors come to python_door.py.
"""
import importlib
import os
import sys

import numpy as np

import ndgather as g
import python_checks

peer = sys.argv[1]
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["JAX_PLATFORMS"] = "cpu"
try:
    module = importlib.import_module(peer)
except Exception as error:
    print("skip: python_peers %s: %s" % (peer, " ".join(str(error).split())))
    sys.exit(0)
checks = python_checks.Checks("python_peers " + peer)


def address(a):
    return a.__array_interface__["data"][0]


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


{"torch": on_torch, "jax": on_jax}[peer](module)
checks.end()
