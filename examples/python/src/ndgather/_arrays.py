"""Arrays in and out, without a copy: NumPy's, and others by DLPack."""
from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from ._report import brief, refuse

_HOST = (1, 3)          # DLPack's kDLCPU, and memory pinned for CUDA
_INDEX_CODES = {("i", 1): 0, ("i", 2): 1, ("i", 4): 2, ("i", 8): 3,
                ("u", 1): 4, ("u", 2): 5, ("u", 4): 6, ("u", 8): 7}
_ALIGNMENT = 64         # JAX takes what begins at such an address as it is


class Source:
    """An argument: its elements as NumPy sees them, and the way back.

    dtype is what an out must have too. It is NumPy's where NumPy has it; for
    PyTorch's others, such as bfloat16, it is PyTorch's, and the elements are
    seen as integers of their size: the library only moves bytes.
    """

    def __init__(self, a: "np.ndarray[Any, Any]", dtype: Any = None,
                 wrap: Optional[Callable[[Any], Any]] = None,
                 fill: Optional[Callable[[Any], Any]] = None) -> None:
        self.a = a
        self.dtype = a.dtype if dtype is None else dtype
        self.wrap = wrap
        self.fill = fill


# ---- in ----------------------------------------------------------------------

def source(op: int, name: str, x: Any) -> Source:
    """What x holds. A list is made an array, an array is never copied."""
    if isinstance(x, np.ndarray):
        if type(x) is not np.ndarray and isinstance(x, np.ma.MaskedArray):
            refuse(op, name, "%s is a masked array, whose mask would be lost: "
                   "pass its .data or .filled()" % name)
        return _checked(op, name, Source(x))
    torch = _torch_of(x)
    if torch is not None:
        return _from_torch(op, name, x, torch)
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        return _from_dlpack(op, name, x)
    try:
        a = np.asarray(x)
    except Exception as error:
        refuse(op, name, "%s is no array: %s" % (name, _line(error)))
    return _checked(op, name, Source(a))


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _checked(op: int, name: str, s: Source) -> Source:
    dtype = s.a.dtype
    if dtype.hasobject or dtype.kind in "OT":
        refuse(op, name, "%s has dtype %s: its elements are references, which "
               "cannot be moved as bytes" % (name, dtype))
    return s


def _torch_of(x: Any) -> Any:
    """The module torch if x is its tensor. Never imports it."""
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)
    return torch if tensor is not None and isinstance(x, tensor) else None


def _from_torch(op: int, name: str, x: Any, torch: Any) -> Source:
    if x.requires_grad and torch.is_grad_enabled():
        refuse(op, name, "%s requires grad, but no gradient passes here: "
               "pass it by .detach(), or under torch.no_grad()" % name)
    if x.device.type != "cpu":
        refuse(op, name, "%s is on the device %s: only tensors of the CPU "
               "are taken" % (name, x.device))
    x = x.detach()
    try:
        return _checked(op, name, Source(_numpy_view(x),
                                         wrap=torch.from_dlpack))
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        reason = _line(error)
    same_size = {1: torch.uint8, 2: torch.int16, 4: torch.int32,
                 8: torch.int64}.get(x.element_size())
    try:
        a = _numpy_view(x.view(same_size))
    except (BufferError, RuntimeError, TypeError, ValueError):
        refuse(op, name, "%s cannot be read: %s" % (name, reason))
    kind = x.dtype
    return Source(
        a, kind, lambda out: torch.from_dlpack(out).view(kind),
        lambda v: torch.tensor(v, dtype=kind).view(same_size).numpy())


def _numpy_view(x: Any) -> "np.ndarray[Any, Any]":
    """A tensor's memory; writable too where DLPack, before 1.0, said nothing of
    that, so NumPy took it to be read-only."""
    a = np.from_dlpack(x)
    return a if a.flags.writeable else np.asarray(x.numpy())


def _from_dlpack(op: int, name: str, x: Any) -> Source:
    try:
        device = x.__dlpack_device__()
        if int(device[0]) not in _HOST:
            refuse(op, name, "%s is on DLPack's device %d: only arrays of the "
                   "CPU are taken" % (name, int(device[0])))
        a = np.from_dlpack(x)
    except (AttributeError, BufferError, RuntimeError, TypeError,
            ValueError) as error:
        if hasattr(error, "report"):
            raise
        a = _as_numpy_says(op, name, x, _line(error))
    return _checked(op, name, Source(a, wrap=_way_back(x)))


def _as_numpy_says(op: int, name: str, x: Any,
                   reason: str) -> "np.ndarray[Any, Any]":
    """For types that NumPy's DLPack lacks but its owner knows (bfloat16)."""
    try:
        if hasattr(x, "__array__"):
            return np.asarray(x)
    except Exception:
        pass
    refuse(op, name, "%s cannot be read: %s" % (name, reason))


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


def index_code(op: int, name: str, s: Source) -> int:
    """The type of indices. Other integers than the machine's are refused: to
    convert them would be a copy, which is the caller's to make."""
    dtype = s.a.dtype
    code = _INDEX_CODES.get((dtype.kind, dtype.itemsize))
    if code is None or s.dtype is not dtype:
        refuse(op, name.split()[0], "%s: dtype %s is no integer type"
               % (name, s.dtype))
    if not dtype.isnative:
        refuse(op, name.split()[0], "%s: dtype %s has the other byte order: "
               "pass them by .astype(%r)"
               % (name, dtype.str, dtype.newbyteorder("=").str))
    return code


# ---- as the shim takes them --------------------------------------------------

def pointer(a: "np.ndarray[Any, Any]") -> int:
    where: int = a.__array_interface__["data"][0]
    return where


def shape_words(a: "np.ndarray[Any, Any]") -> List[int]:
    """Its shape: an array in C order has no need of strides."""
    if a.flags.c_contiguous:
        return [a.ndim, 0, *a.shape]
    return [a.ndim, 1, *a.shape, *a.strides]


def inner_words(a: "np.ndarray[Any, Any]", lead: int) -> List[int]:
    """The shape of what follows the first axes, of a row."""
    shape = a.shape[lead:]
    if a.flags.c_contiguous:
        return [len(shape), 0, *shape]
    return [len(shape), 1, *shape, *a.strides[lead:]]


def span(a: "np.ndarray[Any, Any]") -> int:
    """Bytes from its first element's first to its last one's last."""
    if not a.size:
        return 0
    size: int = a.itemsize
    for extent, stride in zip(a.shape, a.strides):
        size += (extent - 1) * stride
    return size


# ---- out ---------------------------------------------------------------------

def empty(op: int, shape: Sequence[int], like: Source) \
        -> "np.ndarray[Any, Any]":
    """A new array for what is gathered from, or woven out of, this source."""
    dtype = like.a.dtype
    try:
        if like.wrap is None:
            return np.empty(shape, dtype)
        size = bytes_of(shape, dtype.itemsize)
        raw = np.empty(size + _ALIGNMENT, np.uint8)
        skip = -pointer(raw) % _ALIGNMENT
        aligned: "np.ndarray[Any, Any]" = raw[skip:skip + size].view(dtype)
        return aligned.reshape(shape)
    except ValueError as error:
        refuse(op, "out", "out: NumPy makes no array of %d axes and %s bytes: "
               "%s" % (len(shape), bytes_of(shape, dtype.itemsize),
                       _line(error)), "NDG_E_OVERFLOW")


def bytes_of(shape: Sequence[int], size: int) -> int:
    """Of an array in C order, whose elements have this size."""
    for n in shape:
        size *= n
    return size


def target(op: int, x: Any, like: Source, name: str = "out") \
        -> "np.ndarray[Any, Any]":
    """An out that was given: writable, with the type of the source."""
    if not isinstance(x, np.ndarray) and not hasattr(x, "__dlpack__"):
        refuse(op, "out", "%s is %s, an array is needed" % (name, brief(x)))
    s = source(op, name, x)
    if s.dtype != like.dtype:
        refuse(op, "out", "%s has dtype %s, %s is needed"
               % (name, s.dtype, like.dtype))
    if not s.a.flags.writeable:
        refuse(op, "out", "%s is read-only" % name, "NDG_E_OPTION")
    return s.a


def result(out: "np.ndarray[Any, Any]", like: Source) -> Any:
    """The new array as what its source was: NumPy, PyTorch, JAX ..."""
    return out if like.wrap is None else like.wrap(out)


def filling(op: int, value: Any, like: Source) -> "np.ndarray[Any, Any]":
    """One element of the source's type."""
    try:
        if like.fill is not None:
            return np.asarray(like.fill(value))
        a = np.empty((), like.a.dtype)
        a[()] = value
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        refuse(op, "fill", "fill is %s, which is no %s: %s"
               % (brief(value), like.dtype, _line(error)))
    if a.dtype.kind in "iub" and not bool(np.all(a == value)):
        refuse(op, "fill", "fill is %s, which is no %s"
               % (brief(value), like.dtype))
    return a


def overlaps(out: "np.ndarray[Any, Any]",
             inputs: Sequence["np.ndarray[Any, Any]"]) -> bool:
    """Whether the bytes that they span have any in common."""
    return any(np.may_share_memory(out, a) for a in inputs)
