"""Arrays as the shim takes them, and those that are written."""
from __future__ import annotations

import sys
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._door import Source, line, source
from ._report import brief, refuse

_INDEX_CODES = {("i", 1): 0, ("i", 2): 1, ("i", 4): 2, ("i", 8): 3,
                ("u", 1): 4, ("u", 2): 5, ("u", 4): 6, ("u", 8): 7}
_ALIGNMENT = 64         # JAX takes what begins at such an address as it is


def of_indices(op: int, name: str, x: Any) -> Source:
    """Indices. A list without elements has no type, and here an integer one."""
    s = source(op, name, x)
    return typed(s, Source(np.empty(0, np.intp))) if s.untyped else s


def typed(s: Source, like: Source) -> Source:
    """A list without elements, as one of the other's type."""
    return Source(np.empty(s.a.shape, like.a.dtype), like.dtype, like.wrap,
                  like.fill)


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
                       line(error)), "NDG_E_OVERFLOW")


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
    if s.copied or not s.a.flags.writeable:
        refuse(op, "out", "%s is read-only" % name, "NDG_E_OPTION")
    _tell_autograd(x)
    return s.a


def _tell_autograd(x: Any) -> None:
    """That PyTorch's tensor is written: what saved it for a gradient knows."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor) and \
            not x.is_inference():
        tell = getattr(torch.autograd.graph, "increment_version", None)
        if tell is not None:
            tell(x)


def result(out: "np.ndarray[Any, Any]", like: Source) -> Any:
    """The new array as what its source was: NumPy, PyTorch, JAX ..."""
    return out if like.wrap is None else like.wrap(out)


def overlaps(out: "np.ndarray[Any, Any]",
             inputs: Sequence["np.ndarray[Any, Any]"]) -> bool:
    """Whether the bytes that they span have any in common."""
    return any(np.may_share_memory(out, a) for a in inputs)


def first_shared(outs: "Sequence[np.ndarray[Any, Any]]") \
        -> Optional[Tuple[int, int]]:
    """Two of the arrays that share a byte, if any do: exactly, so that arrays
    which interleave may pass."""
    spans = sorted((pointer(a), pointer(a) + span(a), k)
                   for k, a in enumerate(outs) if a.size)
    if all(x[1] <= y[0] for x, y in zip(spans, spans[1:])) \
            or _interleave([outs[k] for _, _, k in spans]):
        return None
    open_: List[Tuple[int, int, int]] = []
    for low, high, k in spans:
        open_ = [o for o in open_ if o[1] > low]
        for _, _, j in open_:
            if np.shares_memory(outs[j], outs[k]):
                return min(j, k), max(j, k)
        open_.append((low, high, k))
    return None


def _interleave(outs: "List[np.ndarray[Any, Any]]") -> bool:
    """Whether they are columns of one table, side by side: a quick answer for
    many of them, where each pair would take long."""
    steps = {a.strides[0] for a in outs if len(a) > 1}
    if len(steps) != 1 or min(steps) <= 0:
        return False
    step = steps.pop()
    rows = sorted((pointer(a) % step, span(a[0])) for a in outs)
    ends = rows[1:] + [(rows[0][0] + step, 0)]
    return all(at + size <= end for (at, size), (end, _) in zip(rows, ends))
