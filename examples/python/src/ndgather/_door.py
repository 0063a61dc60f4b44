"""The only door by which arrays come in: NumPy's, those of other libraries, and
lists. What passes is what it says, has memory and no hidden state."""
from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Set

import numpy as np

from ._report import brief, refuse

_HOST = (1, 3)          # DLPack's kDLCPU, and memory pinned for CUDA
_DEEPEST = 64           # a list in a list ...
_EXACT = 2 ** 53        # integers up to this one are floats, too
_PLAIN = (np.ndarray, np.memmap, np.recarray, np.matrix, np.char.chararray)
_SCALARS = frozenset((bool, int, float, complex, str, bytes))


class Source:
    """An argument: its elements as NumPy sees them, and the way back.

    dtype is what an out must have too. It is NumPy's where NumPy has it; for
    PyTorch's others, such as bfloat16, it is PyTorch's, and the elements are
    seen as integers of their size: the library only moves bytes.
    """

    def __init__(self, a: "np.ndarray[Any, Any]", dtype: Any = None,
                 wrap: Optional[Callable[[Any], Any]] = None,
                 fill: Optional[Callable[[Any], Any]] = None,
                 copied: bool = False, untyped: bool = False) -> None:
        self.a = a
        self.dtype = a.dtype if dtype is None else dtype
        self.wrap = wrap
        self.fill = fill
        self.copied = copied            # what is written here is lost
        self.untyped = untyped          # a list without elements


class Refused(Exception):
    """What the argument is, and what to write instead."""


def source(op: int, name: str, x: Any) -> Source:
    """What x holds: of an array its own memory, of a list a new array.

    It must be on the CPU, strided and whole, with elements of a fixed size that
    move as bytes. All else is refused, in one line: what is not there (fake,
    zero, deleted, traced, symbolic), what means something else than its memory
    says (conjugate, negative, quantized, sparse, masked, nullable, with units),
    and what would have to be converted.
    """
    try:
        return _checked(_read(x))
    except Refused as no:
        text = str(no)
    except RecursionError:
        text = "is a list in a list too many times"
    refuse(op, name.split(" of ")[0], "%s %s" % (name, text))


def _checked(s: Source) -> Source:
    dtype = s.a.dtype
    if dtype.hasobject or dtype.kind in "OT":
        raise Refused("has dtype %s: its elements are references, which "
                      "cannot be moved as bytes" % dtype)
    return s


def _read(x: Any) -> Source:
    if isinstance(x, np.ndarray):
        return Source(_numpy(x))
    if isinstance(x, (list, tuple)):
        return _list(x)
    if type(x) in _SCALARS or isinstance(x, np.generic):
        return _scalar(x)
    for kind in type(x).__mro__:
        reader = _READERS.get(str(kind.__module__).partition(".")[0])
        if reader is not None:
            try:
                return reader(x)
            except Refused:
                raise
            except Exception as error:
                raise Refused("cannot be read: " + line(error)) from None
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        return _dlpack(x)
    return _other(x)


def line(error: BaseException) -> str:
    """What an exception says, in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."


def _no(x: Any, what: str) -> Refused:
    return Refused("is of type %s, %s" % (type(x).__name__, what))


# ---- NumPy, numbers and lists ------------------------------------------------

def _numpy(x: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    if type(x) is np.ndarray:
        return x
    if isinstance(x, np.ma.MaskedArray):
        raise Refused("is a masked array, whose mask would be lost: pass its "
                      ".data or .filled()")
    if type(x) not in _PLAIN:
        raise _no(x, "of which only the elements would be left: pass them by "
                  "np.asarray()")
    return x.view(np.ndarray)


def _scalar(x: Any) -> Source:
    a = np.asarray(x)
    if isinstance(x, int) and a.dtype.kind not in "iub":
        raise Refused("is %s, which no integer type holds" % brief(x))
    return Source(a)


def _list(x: Any) -> Source:
    """A list is made an array, of a type that holds all of its elements."""
    kinds: Set[str] = set()
    opened = _opened(x, kinds, 0)
    try:
        a = np.asarray(opened)
    except Exception as error:
        raise Refused("is no array: " + line(error)) from None
    if len(kinds - set("biufc")) > (0 if kinds & set("biufc") else 1):
        raise Refused("is a list that mixes numbers, text or others: pass an "
                      "array")
    if kinds & set("iu") and a.dtype.kind not in "iu":
        if not kinds & set("fc"):
            raise Refused("is a list of integers that no one type holds")
        if _inexact(opened):
            raise Refused("is a list of integers and floats that lose digits "
                          "as %s: pass an array" % a.dtype)
    return Source(a, untyped=not kinds and not a.size)


def _opened(x: Any, kinds: Set[str], depth: int) -> List[Any]:
    """The list with the arrays in it read; kinds gets those of its leaves."""
    if depth >= _DEEPEST:
        raise RecursionError
    types = set(map(type, x))
    kinds.update({bool: "b", int: "i", float: "f", complex: "c", str: "U",
                  bytes: "S"}[t] for t in types & _SCALARS)
    if types <= _SCALARS:
        return list(x)
    return [v if type(v) in _SCALARS
            else _opened(v, kinds, depth + 1) if isinstance(v, (list, tuple))
            else _leaf(v, kinds) for v in x]


def _leaf(x: Any, kinds: Set[str]) -> Any:
    if x is None:
        raise Refused("is a list that has None in it: its elements are "
                      "references, which cannot be moved as bytes")
    s = _checked(_read(x))
    if s.dtype is not s.a.dtype:
        raise Refused("is a list of arrays of dtype %s: pass one array"
                      % s.dtype)
    kinds.add(s.a.dtype.kind)
    return s.a if s.a.ndim else s.a[()]


def _inexact(x: Any) -> bool:
    """Whether an integer in the list is no float."""
    if isinstance(x, list):
        return any(map(_inexact, x))
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "iu" and _inexact(x.tolist())
    return isinstance(x, int) and abs(x) > _EXACT and int(float(x)) != x


# ---- PyTorch -----------------------------------------------------------------

def _torch(x: Any) -> Source:
    torch: Any = sys.modules["torch"]
    if not isinstance(x, torch.Tensor):
        raise _no(x, "no tensor")
    _refuse_torch(torch, x)
    x = x.detach()
    kind, size = x.dtype, x.element_size()
    same_size = {1: torch.uint8, 2: torch.int16, 4: torch.int32,
                 8: torch.int64}.get(size)
    try:
        s = Source(_numpy_view(x), wrap=torch.from_dlpack)
    except (BufferError, RuntimeError, TypeError, ValueError):
        if same_size is None:
            raise
        s = Source(_numpy_view(x.view(same_size)), kind,
                   lambda out: torch.from_dlpack(out).view(kind),
                   lambda v: torch.tensor(v, dtype=kind))
    if s.a.shape != tuple(x.shape) or s.a.itemsize != size or \
            s.a.size and s.a.__array_interface__["data"][0] != x.data_ptr():
        raise Refused("cannot be read: NumPy sees other memory than PyTorch")
    return s


def _refuse_torch(torch: Any, x: Any) -> None:
    """A tensor that is more, or less, than its memory."""
    inner = getattr(torch._C, "_functorch", None)
    if getattr(type(x), "__torch_dispatch__", None) is not \
            getattr(torch.Tensor, "__torch_dispatch__", None):
        raise _no(x, "which computes what it holds: pass a plain tensor")
    if getattr(inner, "is_functorch_wrapped_tensor", lambda _: False)(x) or \
            getattr(torch, "_is_functional_tensor", lambda _: False)(x):
        raise Refused("is traced (vmap, grad, functionalize) and has no memory "
                      "of its own: call this outside")
    if x.requires_grad and torch.is_grad_enabled():
        raise Refused("requires grad, but no gradient passes here: pass it by "
                      ".detach(), or under torch.no_grad()")
    if x.is_nested:
        raise Refused("is nested: pass its parts, by .unbind()")
    if x.layout is not torch.strided:
        raise Refused("has the layout %s: pass it by .to_dense()" % x.layout)
    if x.is_quantized:
        raise Refused("is quantized, and its scale would be lost: pass "
                      ".int_repr() or .dequantize()")
    if x.device.type != "cpu":
        raise Refused("is on the device %s: only tensors of the CPU are taken"
                      % x.device)
    if x.is_conj():
        raise Refused("has the conjugate bit: pass it by .resolve_conj()")
    if getattr(x, "is_neg", lambda: False)():
        raise Refused("has the negative bit: pass it by .resolve_neg()")
    ahead: Any = getattr(torch.autograd, "forward_ad", None)
    if getattr(ahead, "_current_level", -1) >= 0 and \
            ahead.unpack_dual(x).tangent is not None:
        raise Refused("is dual, but no tangent passes here: pass the primal, "
                      "by .detach()")
    if any(getattr(x, "names", None) or ()):
        raise Refused("has names, which would be lost: pass it by "
                      ".rename(None)")
    if not x.numel():
        return
    last = x.storage_offset() + sum(
        (n - 1) * s for n, s in zip(x.shape, x.stride()))
    if getattr(torch, "_is_zerotensor", lambda _: False)(x) or \
            not x.data_ptr() or \
            (last + 1) * x.element_size() > x.untyped_storage().nbytes():
        raise Refused("has no memory for what it holds: pass it by .clone(), "
                      "or make it new")


def _numpy_view(x: Any) -> "np.ndarray[Any, Any]":
    """A tensor's memory; writable too where DLPack, before 1.0, said nothing of
    that, so NumPy took it to be read-only."""
    a = np.from_dlpack(x)
    return a if a.flags.writeable else np.asarray(x.numpy())


# ---- TensorFlow --------------------------------------------------------------

def _tensorflow(x: Any) -> Source:
    """Its type is asked first: a text that goes to DLPack ends the process."""
    kind = getattr(x, "dtype", None)
    if hasattr(x, "handle") and hasattr(x, "assign"):
        x = x.value()                   # of a variable
    if not hasattr(x, "__array__") or kind is None:
        raise _no(x, "no dense tensor: pass .to_tensor() or tf.convert_to_"
                  "tensor()")
    if not (kind.is_floating or kind.is_integer or kind.is_bool
            or kind.is_complex):
        raise Refused("has TensorFlow's dtype %s, whose elements cannot be "
                      "moved as bytes%s" % (
                          kind.name, ": pass tf.bitcast() of it" if
                          kind.is_quantized else ""))
    if not hasattr(x, "__dlpack_device__"):
        raise Refused("is symbolic and has no memory: call this outside of "
                      "tf.function, or by tf.numpy_function")
    if "CPU" not in x.device:
        raise Refused("is on the device %s: only tensors of the CPU are taken"
                      % x.device)
    if not x.shape.rank:                # of which bfloat16 has no other way
        return Source(np.asarray(x.numpy()), copied=True)
    return _dlpack(x)


# ---- JAX ---------------------------------------------------------------------

def _jax(x: Any) -> Source:
    jax = sys.modules["jax"]
    if any(kind.__name__ == "Tracer" for kind in type(x).__mro__):
        raise Refused("is traced (jit, grad, vmap) and has no memory: call "
                      "this outside, or by jax.pure_callback")
    if not isinstance(x, jax.Array):
        raise _no(x, "no dense array: pass .todense() of it, or an array")
    if x.is_deleted():
        raise Refused("is deleted (or donated) and has no memory left")
    if not isinstance(x.dtype, np.dtype):
        raise Refused("has JAX's dtype %s, which is no NumPy's: pass "
                      "jax.random.key_data() of a key" % x.dtype)
    if len(x.devices()) != 1:
        raise Refused("lies on %d devices: pass it by jax.device_get()"
                      % len(x.devices()))
    return _dlpack(x)


# ---- Arrow and pandas --------------------------------------------------------

def _arrow(x: Any) -> Source:
    """Arrow's arrays are nullable, in chunks, and packed in ways of its own."""
    arrow = sys.modules["pyarrow"]
    if isinstance(x, (arrow.Table, arrow.RecordBatch)):
        raise Refused("is a table: pass one column, such as table['name']")
    if isinstance(x, arrow.Tensor):
        return Source(_frozen(x.to_numpy()))
    if isinstance(x, arrow.Buffer):
        return _other(x)
    if not isinstance(x, (arrow.Array, arrow.ChunkedArray)):
        raise _no(x, "no array: pass .as_py() of a scalar")
    if x.null_count:
        raise Refused("has nulls (%d), which would be lost: pass it by "
                      ".fill_null() or .drop_null()" % x.null_count)
    if isinstance(x, arrow.ChunkedArray):
        if x.num_chunks > 1:
            raise Refused("lies in %d chunks: pass it by .combine_chunks()"
                          % x.num_chunks)
        x = x.chunk(0) if x.num_chunks else arrow.array([], x.type)
    if not getattr(x, "is_cpu", True):
        raise Refused("is on a device: only arrays of the CPU are taken")
    if hasattr(x, "to_numpy_ndarray"):
        if x.storage.flatten().null_count:
            raise Refused("has nulls, which would be lost")
        return Source(_frozen(x.to_numpy_ndarray()))
    if getattr(x.type, "tz", None) is not None:
        raise Refused("has Arrow's type %s, whose time zone would be lost: "
                      "pass it by .cast('timestamp[%s]')"
                      % (x.type, x.type.unit))
    try:
        return Source(_frozen(x.to_numpy(zero_copy_only=True)))
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, TypeError):
        raise Refused("has Arrow's type %s, which is no array of NumPy's "
                      "without a copy: pass it by .to_numpy(zero_copy_only="
                      "False)" % x.type) from None


def _frozen(a: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    a = a.view()
    a.flags.writeable = False
    return a


def _pandas(x: Any) -> Source:
    kinds = {k for k in x.dtypes} if hasattr(x, "columns") else \
        {getattr(x, "dtype", None)}
    if None in kinds:
        raise _no(x, "no array")
    if len(kinds) > 1:
        raise Refused("has columns of %s: pass one column, or .to_numpy(dtype)"
                      % ", ".join(sorted(map(str, kinds))))
    for kind in kinds:
        if not isinstance(kind, np.dtype):
            raise Refused("has pandas' dtype %s, of which elements may be "
                          "missing or are converted: pass it by "
                          ".to_numpy(dtype)" % kind)
    return Source(np.asarray(x), copied=True)


_READERS = {"torch": _torch, "tensorflow": _tensorflow, "jax": _jax,
            "jaxlib": _jax, "pyarrow": _arrow, "pandas": _pandas}


# ---- all others --------------------------------------------------------------

def _dlpack(x: Any) -> Source:
    try:
        device = x.__dlpack_device__()
        where = int(device[0])
    except Exception as error:
        raise Refused("cannot be read: " + line(error)) from None
    if where not in _HOST:
        raise Refused("is on DLPack's device %d: only arrays of the CPU are "
                      "taken" % where)
    try:
        s = Source(np.from_dlpack(x), wrap=_way_back(x))
    except Exception as error:
        # Of a type that NumPy's DLPack lacks but its owner knows (bfloat16).
        if not hasattr(x, "__array__"):
            raise Refused("cannot be read: " + line(error)) from None
        try:
            s = _other(x)
        except Refused:
            raise Refused("cannot be read: " + line(error)) from None
        s.wrap = _way_back(x)
    shape = getattr(x, "shape", None)
    if shape is not None and tuple(shape) != s.a.shape:
        raise Refused("cannot be read: NumPy sees the shape %s"
                      % (s.a.shape,))
    return s


def _other(x: Any) -> Source:
    """What NumPy says of it, if that is what it says itself."""
    kind = getattr(x, "dtype", None)
    kind = getattr(kind, "as_numpy_dtype", kind)
    if kind is not None:
        try:
            kind = np.dtype(kind)
        except TypeError:
            raise Refused("has dtype %s, which NumPy does not have: pass it by "
                          "np.asarray()" % brief(kind)) from None
    try:
        a = np.asanyarray(x)
    except Exception as error:
        raise Refused("is no array: " + line(error)) from None
    if a.dtype.kind == "O" and not a.ndim:
        raise Refused("is %s, no array%s" % (brief(x), ": pass it by .toarray()"
                      if hasattr(x, "toarray") else ""))
    if kind is not None and a.dtype != kind:
        raise Refused("has dtype %s, but NumPy makes it %s: pass it by "
                      "np.asarray()" % (kind, a.dtype))
    return Source(_numpy(a), copied=True)


def _way_back(x: Any) -> Optional[Callable[[Any], Any]]:
    """From NumPy to the library that x is of, if that is known."""
    space = getattr(x, "__array_namespace__", None)
    if space is None:
        return None
    module = space()

    def wrap(out: Any) -> Any:
        try:
            return module.from_dlpack(out)
        except (BufferError, RuntimeError, TypeError, ValueError):
            return module.asarray(out)
    return wrap
