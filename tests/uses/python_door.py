"""What the Python package lets in: every library's arrays, with every state
that their memory does not show, at every argument. Each is right or refused, by
a line that names the argument and the state; nothing is silent. And that those
of PyTorch and JAX come in and go out without a copy.

    python tests/uses/python_door.py numpy|torch|tensorflow|jax|pyarrow|pandas

A library that cannot be imported is named and skipped.
"""
import importlib
import os
import sys
import warnings

import numpy as np

import ndgather as g
import python_checks
from ndgather import _arrays

warnings.simplefilter("ignore")
library = sys.argv[1]
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
try:
    lib = importlib.import_module(library)
except Exception as error:
    print("skip: python_door %s: %s" % (library, " ".join(str(error).split())))
    sys.exit(0)
checks = python_checks.Checks("python_door " + library)
HELD = [1, 0, 2]                # what each array says that it holds
table = np.array([10, 11, 12])
cube = np.arange(6).reshape(2, 1, 3)


def values(x):
    """What its library says that it holds."""
    for name in ("resolve_conj", "resolve_neg"):
        x = getattr(x, name, lambda x=x: x)()
    if hasattr(x, "tolist") and not hasattr(x, "dtypes"):
        return x.tolist()
    return np.asarray(x).tolist()


class Row:
    """An array with a state. refused: the words that its refusal has, or None
    if it is right; at: other words (or None) at some arguments. like makes one
    without the state, of the same type: what goes to such an out. make takes
    values, which have no state or a number's shape for a fill."""

    def __init__(self, state, make, refused=None, like=None, **at):
        self.state, self.make, self.refused, self.at = state, make, refused, at
        self.like = like or make


def reads():
    """(argument, what is called, what is right) for an array that is read."""
    order, spots = np.array([2, 0, 1]), np.array([2, 0, 1])
    picked = [HELD[k] for k in order]
    yield "params", lambda x: g.gather(x, order), picked
    yield "params", lambda x: g.gather_nd(x, order[:, None]), picked
    yield "params", lambda x: g.batch_gather(x, order), picked
    yield "indices", lambda x: g.gather(table, x), [11, 10, 12]
    yield "indices", lambda x: g.gather_nd(cube, x), 5
    yield "indices", lambda x: g.batch_gather(table, x), [11, 10, 12]
    yield "data", lambda x: g.scatter_nd((3,), spots[:, None], x), [0, 2, 1]
    yield "indices", lambda x: g.scatter_nd((2, 1, 3), x, np.array(7)), \
        [[[0, 0, 0]], [[0, 0, 7]]]
    yield "data", lambda x: g.dynamic_stitch([spots], [x]), [0, 2, 1]
    yield "data", lambda x: g.parallel_dynamic_stitch([spots], [x]), [0, 2, 1]
    yield "indices", lambda x: g.dynamic_stitch([x], [table]), [11, 10, 12]
    yield "data", lambda x: g.dynamic_partition(x, [0, 0, 0], 1)[0], HELD
    yield "partitions", lambda x: g.dynamic_partition(table, x, 3)[0], [11]
    yield "params, a list", lambda x: g.gather([x, x], [1])[0], HELD
    yield "indices, a list", lambda x: g.gather(table, [x])[0], [11, 10, 12]


def writes(plain):
    """(argument, what is called, what it has to write) for an array that is
    written."""
    other = plain([2, 1, 0])
    yield "out", lambda x: g.gather(other, [0, 1, 2], out=x), [2, 1, 0]
    yield "out", lambda x: g.gather_nd(other, [[2], [1], [0]], out=x), [0, 1, 2]
    yield "out", lambda x: g.batch_gather(other, [1, 0, 2], out=x), [1, 2, 0]
    yield "into", lambda x: g.scatter_nd(x, [[0], [2], [1]], other), [2, 0, 1]
    yield "into", lambda x: g.scatter_nd(x, [[0], [1]], other[:2],
                                         gaps="zero"), [2, 1, 0]
    yield "out", lambda x: g.dynamic_stitch([[0, 2, 1]], [other], out=x), \
        [2, 0, 1]
    yield "out", lambda x: g.parallel_dynamic_stitch([[0, 2, 1]], [other],
                                                     out=x), [2, 0, 1]
    yield "out", lambda x: g.dynamic_partition(
        other, [0, 0, 0], 2, out=[x, plain([2, 1, 0])]), [2, 1, 0]


def judged(row, argument, call, x, want):
    """Right, or refused as the row says."""
    what = "%s, %s, %s" % (library, row.state, argument)
    argument, _, listed = argument.partition(",")
    words = row.at.get("lists" if listed and "lists" in row.at else argument,
                       row.refused)
    if argument == "into":              # as an out, if nothing else is said
        words = row.at.get("into", row.at.get("out", row.refused))
        words = "into" if words == "out" else words
    try:
        got = call(x)
    except g.Error as error:
        text = str(error)
        checks.check(words is not None and words in text
                     and " " + argument in text and "\n" not in text
                     and len(text) < 400, "%s: %s" % (what, text))
        return False
    except BaseException as error:
        checks.check(False, "%s: raises %r" % (what, error))
        return False
    checks.check(words is None, "%s: is not refused" % what)
    if words is None and want is not None:
        have = values(got)
        checks.check(have == want, "%s: is %s" % (what, have))
    return True


def run(row):
    for argument, call, want in reads():
        judged(row, argument, call, row.make(HELD), want)
    for argument, call, want in writes(row.like):
        x = row.make(HELD)
        if argument == "into" and isinstance(x, list):
            if row.refused is None:
                continue                # of numbers: it is a shape
            judged(Row(row.state, row.make, "into is "), argument, call, x,
                   None)
        elif judged(row, argument, call, x, None):
            have = values(x)
            checks.check(have == want, "%s, %s, %s: holds %s, not %s"
                         % (library, row.state, argument, have, want))
    if row.at.get("fill", "") is not False:
        judged(row, "fill", lambda x: g.gather(
            np.zeros(1, complex), [9], bad_index="fill", fill=x), row.make(1),
            [1])


# ---- what there is -----------------------------------------------------------

NO_TYPE = "is no integer type"
COPY = {"out": "an array is needed"}
READ_ONLY = {"out": "read-only"}


class Bare(np.ndarray):
    """A class of NumPy's arrays that might hold more."""


class Says:
    """An array that is one by __array__ only, and says another type."""

    def __init__(self, v, said, made):
        self.v, self.dtype, self.made = v, said, made

    def __array__(self, *args, **options):
        return np.array(self.v, self.made)


class Lazy(Says):
    def __init__(self, v):
        super().__init__(v, None, "i8")

    def __array__(self, *args, **options):
        return np.ma.array(self.v, "i8", mask=[True, False, False]
                           if isinstance(self.v, list) else True)


def frozen(v):
    a = np.array(v, "i8")
    a.flags.writeable = False
    return a


def numpy_rows(np):
    def int64(v):
        return np.array(v, "i8")
    yield Row("plain", int64)
    yield Row("with gaps", lambda v: np.array([v, v], "i8").T[..., 0])
    yield Row("read-only", frozen, out="read-only")
    yield Row("mapped class", lambda v: int64(v).view(np.memmap))
    yield Row("matrix-like record", lambda v: int64(v).view(np.recarray))
    yield Row("the other byte order", lambda v: np.array(v, ">i8"),
              indices="byte order", partitions="byte order")
    yield Row("masked", lambda v: np.ma.array(v, "i8", mask=False), "mask",
              like=int64)
    yield Row("another class", lambda v: int64(v).view(Bare), "type Bare",
              like=int64)
    yield Row("references", lambda v: np.array(v, object), "references",
              like=int64)
    yield Row("lazily masked", Lazy, "mask", like=int64, **COPY)
    yield Row("another type than it says",
              lambda v: Says(v, np.dtype("i8"), "f8"), "float64", like=int64,
              **COPY)
    yield Row("a type of its own", lambda v: Says(v, "Int64Dtype", "i8"),
              "which NumPy does not have", like=int64, **COPY)
    yield Row("by __array__", lambda v: Says(v, np.dtype("i8"), "i8"),
              like=int64, **COPY)
    yield Row("a list", lambda v: v, like=int64, **COPY)
    yield Row("a list with None", lambda v: [1, None, 2] if v == HELD else
              None, "None in it", like=int64, fill=False, **COPY)
    yield Row("a list of 2**64", lambda v: [1, 2 ** 64, 2] if v == HELD else
              2 ** 64, "type", like=int64, fill=False, **COPY)
    yield Row("a list of -1 and 2**63", lambda v: [-1, 2 ** 63, 2],
              "no one type holds", like=int64, fill=False, **COPY)
    yield Row("a list of text and numbers", lambda v: [1, "0", 2], "mixes",
              like=int64, fill=False, **COPY)
    yield Row("a list that loses digits", lambda v: [1, 2 ** 53 + 1, .5],
              "lose digits", like=int64, fill=False, **COPY)


def torch_rows(torch):
    fake = importlib.import_module("torch._subclasses.fake_tensor")
    ahead = torch.autograd.forward_ad

    def int64(v):
        return torch.tensor(v)

    def complex64(v):
        return torch.tensor(v, dtype=torch.complex64)

    def faked(v):
        with fake.FakeTensorMode():
            return torch.tensor(v)

    def emptied(v):
        x = torch.tensor(v)
        x.untyped_storage().resize_(0)
        return x

    def zero(v):
        return torch._efficientzerotensor((3,) if v == HELD else (),
                                          dtype=torch.int64)

    def dual(v):
        x = torch.tensor(v, dtype=torch.float64)
        return ahead.make_dual(x, torch.ones_like(x))

    def quantized(v):
        return torch.quantize_per_tensor(torch.tensor(v, dtype=torch.float32),
                                         1, 0, torch.qint8)
    yield Row("plain", int64)
    yield Row("with gaps", lambda v: torch.tensor([v, v]).T[..., 0])
    yield Row("parameter", lambda v: torch.nn.Parameter(int64(v), False))
    floats = {"indices": NO_TYPE, "partitions": NO_TYPE}
    yield Row("complex", complex64, **floats)
    yield Row("bfloat16", lambda v: int64(v).bfloat16(), lists="bfloat16",
              **floats)
    yield Row("negative", lambda v: torch._neg_view(-int64(v)), "negative bit",
              like=int64)
    yield Row("negative by imag", lambda v: torch.complex(
        torch.zeros(np.shape(v)), -torch.tensor(v, dtype=torch.float32))
        .conj().imag, "negative bit",
        like=lambda v: torch.tensor(v, dtype=torch.float32))
    yield Row("negative bfloat16", lambda v: torch._neg_view(
        -int64(v).bfloat16()), "negative bit",
        like=lambda v: int64(v).bfloat16())
    yield Row("conjugate", lambda v: complex64(v).conj(), "conjugate bit",
              like=complex64)
    yield Row("zero", zero, "no memory", like=int64)
    yield Row("zero bfloat16", lambda v: torch._efficientzerotensor(
        np.shape(v), dtype=torch.bfloat16), "no memory",
        like=lambda v: int64(v).bfloat16())
    yield Row("fake", faked, "FakeTensor", like=int64)
    yield Row("memory freed", emptied, "no memory", like=int64)
    yield Row("meta", lambda v: int64(v).to("meta"), "device meta", like=int64)
    yield Row("sparse", lambda v: int64(v).to_sparse() if v == HELD else
              torch.tensor([[1]]).to_sparse(), "layout", like=int64)
    yield Row("quantized", quantized, "quantized",
              like=lambda v: torch.tensor(v, dtype=torch.int8))
    yield Row("requires grad", lambda v: torch.tensor(v, dtype=torch.float64)
              .requires_grad_(), "grad", like=lambda v: torch.tensor(
                  v, dtype=torch.float64))
    if hasattr(torch, "nested"):
        yield Row("nested", lambda v: torch.nested.nested_tensor(
            [torch.tensor([1]), torch.tensor([0, 2])]), "nested", like=int64)
    if hasattr(torch.Tensor, "rename"):
        yield Row("named", lambda v: int64(v).rename(
            *["a"] * (v == HELD)), "names", like=int64, fill=None)
    with ahead.dual_level():
        yield Row("dual", dual, "dual", like=lambda v: torch.tensor(
            v, dtype=torch.float64))
    masked = importlib.import_module("torch.masked")
    if hasattr(masked, "masked_tensor"):
        yield Row("masked", lambda v: masked.masked_tensor(
            int64(v), torch.ones(np.shape(v), dtype=torch.bool)), "type Masked",
            like=int64)


def tensorflow_rows(tf):
    def int32(v):
        return tf.constant(v)

    def quantized(v):
        return tf.bitcast(tf.constant(v, tf.int8), tf.qint8)
    floats = {"indices": NO_TYPE, "partitions": NO_TYPE}
    yield Row("plain", int32, **READ_ONLY)
    yield Row("bfloat16", lambda v: tf.constant(v, tf.bfloat16), **READ_ONLY,
              **floats)
    yield Row("variable", tf.Variable, like=int32, **COPY)
    text = "dtype string"
    yield Row("text", lambda v: tf.constant([str(k) for k in np.ravel(v)]),
              text, like=int32)
    yield Row("no text", lambda v: tf.zeros((0,), tf.string), text, like=int32)
    yield Row("variant", lambda v: tf.data.Dataset.range(3)._variant_tensor,
              "dtype variant", like=int32)
    yield Row("resource", lambda v: tf.Variable(v).handle, "dtype resource",
              like=int32)
    yield Row("quantized", quantized, "dtype qint8", like=int32)
    yield Row("ragged", lambda v: tf.ragged.constant([[1], [0, 2]]),
              "RaggedTensor", like=int32, **COPY)
    yield Row("sparse", lambda v: tf.sparse.from_dense(HELD), "SparseTensor",
              like=int32, **COPY)

    @tf.function
    def inside(x):
        run(Row("symbolic", lambda v: x, "symbolic", like=np.array, **COPY))
        return x
    inside(int32(HELD))


def jax_rows(jax):
    numpy = importlib.import_module("jax.numpy")

    def deleted(v):
        x = numpy.array(v)
        x.delete()
        return x

    def spread(v):
        sharding = jax.sharding.PositionalSharding if not hasattr(
            jax.sharding, "NamedSharding") else jax.sharding.NamedSharding
        mesh = jax.sharding.Mesh(np.array(jax.devices()), ("a",))
        return jax.device_put(numpy.array(v), sharding(
            mesh, jax.sharding.PartitionSpec()))
    floats = {"indices": NO_TYPE, "partitions": NO_TYPE}
    yield Row("plain", numpy.array, **READ_ONLY)
    yield Row("bfloat16", lambda v: numpy.array(v, numpy.bfloat16),
              **READ_ONLY, **floats)
    yield Row("deleted", deleted, "(or donated)", like=numpy.array)
    yield Row("a key", lambda v: jax.random.key(0), "key<", like=numpy.array,
              **COPY)
    if len(jax.devices()) > 1:
        yield Row("spread", spread, "2 devices", like=numpy.array)
    sparse = importlib.import_module("jax.experimental.sparse")
    yield Row("sparse", lambda v: sparse.BCOO.fromdense(numpy.array(HELD)),
              "no dense array", like=numpy.array, **COPY)

    def inside(x):
        run(Row("traced", lambda v: x, "is traced", like=np.array))
        return x
    jax.jit(inside)(numpy.array(HELD))
    jax.vmap(inside)(numpy.array([HELD, HELD]))


def pyarrow_rows(pa):
    def int64(v):
        return pa.array(np.ravel(v))
    one = {"fill": "one element is needed"}
    as_numpy = np.array
    yield Row("plain", int64, **READ_ONLY, **one)
    yield Row("sliced", lambda v: pa.array([9, *np.ravel(v)])[1:], **READ_ONLY,
              **one)
    nulls = "nulls (1)"
    for kind in (pa.int64(), pa.uint64(), pa.int8(), pa.float32(), pa.bool_(),
                 pa.timestamp("s")):
        v = [True, None] if pa.types.is_boolean(kind) else [1, None]
        yield Row("nulls of %s" % kind, lambda _, v=v, kind=kind: pa.array(
            v, kind), nulls, like=as_numpy, **{
                "out": nulls if hasattr(pa.Array, "__dlpack__") else
                COPY["out"]})
    yield Row("nulls in chunks", lambda v: pa.chunked_array([[1], [None]]),
              nulls, like=as_numpy, **COPY)
    yield Row("one chunk", lambda v: pa.chunked_array([np.ravel(v)]),
              like=as_numpy, **COPY, **one)
    yield Row("chunks", lambda v: pa.chunked_array([[1], [0, 2]]), "2 chunks",
              like=as_numpy, **COPY)
    yield Row("a table", lambda v: pa.table({"a": HELD}), "is a table",
              like=as_numpy, **COPY)
    yield Row("a scalar", lambda v: pa.scalar(1), "as_py", like=as_numpy,
              **COPY)
    for kind in (pa.bool_(), pa.date32(), pa.decimal128(5), pa.string(),
                 pa.list_(pa.int64())):
        v = [[1], [2]] if pa.types.is_list(kind) else \
            ["a", "b"] if kind == pa.string() else \
            [True, False] if kind == pa.bool_() else [1, 2]
        yield Row("%s" % kind, lambda _, v=v, kind=kind: pa.array(v, kind),
                  "Arrow's type", like=as_numpy, out="out")
    yield Row("a time zone", lambda v: pa.array([1], pa.timestamp("s", "UTC")),
              "time zone", like=as_numpy, out="out")
    yield Row("a dictionary", lambda v: pa.array(["a"]).dictionary_encode(),
              "Arrow's type", like=as_numpy, out="out")
    tensor = pa.Tensor.from_numpy
    yield Row("a tensor", lambda v: tensor(np.ravel(v)), like=as_numpy,
              out="out", **one)


def pandas_rows(pd):
    one = {"fill": "one element is needed"}
    as_numpy = np.array

    def row(state, make, refused=None, **at):
        return Row(state, make, refused, like=as_numpy, **COPY, **at)
    yield row("plain", lambda v: pd.Series(np.ravel(v)), **one)
    yield row("index", lambda v: pd.Index(np.ravel(v)), **one)
    whole = "may be missing"
    yield row("nullable", lambda v: pd.Series(HELD, dtype="Int64"), whole)
    yield row("NA", lambda v: pd.Series([2 ** 53 + 1, None], dtype="Int64"),
              whole)
    yield row("NA in an array", lambda v: pd.array([1, None]), whole)
    yield row("categories", lambda v: pd.Categorical(HELD), whole)
    yield row("sparse", lambda v: pd.arrays.SparseArray(HELD), whole)
    yield row("a time zone", lambda v: pd.Series(pd.to_datetime(
        ["2020-01-01"])).dt.tz_localize("UTC"), whole)
    yield row("references", lambda v: pd.Series(HELD, dtype=object),
              "references")
    yield row("columns of two types", lambda v: pd.DataFrame(
        {"a": [1], "b": [.5]}), "columns of")


# ---- without a copy ----------------------------------------------------------

def address(a):
    return a.__array_interface__["data"][0]


def same_memory(x, where, strides, memory):
    """What the package sees of x is there; what it makes is what it returns."""
    seen = _arrays.source(0, "x", x)
    checks.is_((address(seen.a), seen.a.strides), (where, strides),
               "in, without a copy")
    made = _arrays.empty(0, (3, 2), seen)
    checks.is_(memory(_arrays.result(made, seen)), address(made),
               "out, without a copy")


def there_and_back(x, ids, all_equal):
    """Parts are x's, of its library; a stitch undoes them."""
    parts, where = g.dynamic_partition(x, ids, int(ids.max()) + 1,
                                       positions="i4")
    checks.check(all(isinstance(a, type(x)) and all_equal(a, x[ids == k])
                     for k, a in enumerate(parts)), "partition")
    checks.check(all_equal(g.dynamic_stitch(where, parts), x), "stitch")


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
    same_memory(t[1:, ::2], t[1:].data_ptr(), (24, 8),
                lambda x: x.data_ptr())
    there_and_back(torch.arange(12).reshape(6, 2),
                   torch.tensor([1, 0, 2, 1, 0, 1]), torch.equal)
    y = t.clone().requires_grad_()
    with torch.no_grad():
        checks.check(torch.equal(g.gather(y, [1]), y[1:2]), "under no_grad")
    checks.refused(g.DTypeError, "gather: out has dtype torch.bfloat16, "
                   "float32 is needed", g.gather, t, [0],
                   out=torch.zeros(1, 6).bfloat16())


def on_jax(jax):
    jnp = importlib.import_module("jax.numpy")
    t = jnp.arange(24.).reshape(4, 6)
    for kind in (jnp.float32, jnp.bfloat16, jnp.int8, jnp.bool_, jnp.complex64):
        x = t.astype(kind)
        got = g.gather(x, jnp.array([2, 0]))
        checks.check(isinstance(got, jax.Array) and got.dtype == kind and
                     bool((got == x[jnp.array([2, 0])]).all()),
                     "gather %s" % kind)
    same_memory(t, t.unsafe_buffer_pointer(), (24, 4),
                lambda x: x.unsafe_buffer_pointer())
    there_and_back(t, np.array([1, 0, 1, 1]), jnp.array_equal)


ROWS = {"numpy": numpy_rows, "torch": torch_rows, "jax": jax_rows,
        "tensorflow": tensorflow_rows, "pyarrow": pyarrow_rows,
        "pandas": pandas_rows}
for one_row in ROWS[library](lib):
    run(one_row)
{"torch": on_torch, "jax": on_jax}.get(library, lambda _: None)(lib)
checks.end()
