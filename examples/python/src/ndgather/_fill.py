"""The fill: one element, which its type has to hold."""
from __future__ import annotations

import datetime
import sys
from typing import Any

import numpy as np

from ._door import Source, line, source
from ._report import brief, refuse

_SIMPLE = (bool, int, float, complex, str, bytes, tuple, list,
           datetime.datetime, datetime.date, datetime.timedelta)


def filling(op: int, value: Any, like: Source) -> "np.ndarray[Any, Any]":
    """One element of the source's type: the value itself, or for a float the
    nearest that there is."""
    given = value
    if value is not None and not isinstance(value, (np.generic,) + _SIMPLE):
        s = source(op, "fill", value)
        if s.a.ndim:
            refuse(op, "fill", "fill has shape %s, one element is needed"
                   % (s.a.shape,))
        value = s.a[()] if s.fill is None else value.item()
    try:
        if like.fill is not None:
            return _of_torch(value, like)
        with np.errstate(all="ignore"):
            a = np.empty((), like.a.dtype)
            _put(a, value)
            return a
    except (ArithmeticError, AttributeError, RuntimeError, TypeError,
            ValueError) as error:
        reason = "" if type(error) is _NoFit else ": " + line(error)
    refuse(op, "fill", "fill is %s, which is no %s%s"
           % (brief(given), like.dtype, reason))


class _NoFit(ValueError):
    """Another value would be written."""


def _need(ok: Any) -> None:
    if not ok:
        raise _NoFit


def _of_torch(value: Any, like: Source) -> "np.ndarray[Any, Any]":
    """Of a type that NumPy does not have; the value comes back as it is held.
    """
    torch: Any = sys.modules["torch"]
    _need(isinstance(value, (bool, int, float, complex, np.number, np.bool_)))
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex) and not like.dtype.is_complex:
        _need(not value.imag)
        value = value.real
    make: Any = like.fill
    made = make(value)
    if like.dtype.is_complex:
        info = torch.finfo(torch.float16)
        back, wide = complex(made.to(torch.complex64).item()), complex(value)
        pairs = [(wide.real, back.real), (wide.imag, back.imag)]
    else:
        info = torch.finfo(like.dtype)
        pairs = [(float(value), float(made.float().item()))]
    for want, got in pairs:
        _need(_near(want, got, info.eps, info.smallest_normal * info.eps))
    raw: "np.ndarray[Any, Any]" = made.reshape(1).view(torch.uint8).numpy()
    element: "np.ndarray[Any, Any]" = raw.view(like.a.dtype).reshape(())
    return element


def _near(want: Any, got: Any, eps: float, least: float) -> bool:
    """Whether one is the other rounded."""
    if want != want or got != got:
        return bool(want != want and got != got)
    if np.isinf(want) or np.isinf(got) or want == 0 or got == want:
        return bool(want == got)
    return bool(abs(want - got) <= max(eps / 2 * abs(want), least))


def _put(a: "np.ndarray[Any, Any]", value: Any) -> None:
    """Writes the value to an array of one element, which then holds it."""
    kind, exact = a.dtype.kind, a.dtype
    if exact.names is not None:
        _put_fields(a, value)
    elif kind == "V" and exact.type is np.void:
        raw = value.tobytes() if isinstance(value, np.void) else value
        _need(isinstance(raw, bytes) and len(raw) <= exact.itemsize)
        a[()] = np.void(raw.ljust(exact.itemsize, b"\0"))
    elif kind in "SU":
        _need(isinstance(value, (str, bytes)))
        a[()] = value
        held = a[()]
        if isinstance(value, str) and kind == "S":
            value = value.encode("ascii")
        _need(type(value)(held) == value.rstrip(
            b"\0" if isinstance(value, bytes) else "\0"))
    elif kind in "Mm":
        _put_time(a, value)
    else:
        _put_number(a, value)


def _put_fields(a: "np.ndarray[Any, Any]", value: Any) -> None:
    if isinstance(value, np.void) and value.dtype == a.dtype:
        a[()] = value
        return
    names = a.dtype.names or ()
    _need(isinstance(value, tuple) and len(value) == len(names))
    a[()] = np.zeros((), a.dtype)[()]
    for name, part in zip(names, value):
        field = a[name]
        if not field.ndim:
            _put(field, part)
            continue
        parts = np.empty(field.shape, object)
        parts[...] = part
        for at in np.ndindex(field.shape):
            one = np.empty((), field.dtype)
            _put(one, parts[at])
            field[at] = one


def _put_time(a: "np.ndarray[Any, Any]", value: Any) -> None:
    if type(value) is int:              # so many of the type's units
        a[()] = value
        _need(int(a.astype(np.int64)) == value and not np.isnat(a))
        return
    _need(isinstance(value, (str, datetime.date, datetime.timedelta,
                             np.datetime64, np.timedelta64)))
    _need(getattr(value, "tzinfo", None) is None)
    wide = np.asarray(value if isinstance(value, np.generic) else
                      (np.datetime64 if a.dtype.kind == "M" else
                       np.timedelta64)(value))
    _need(wide.dtype.kind == a.dtype.kind)
    a[()] = wide
    # Back again: a unit may be too coarse, or too fine for it.
    _need(np.isnat(wide) and np.isnat(a) or
          a.astype(wide.dtype) == wide and not np.isnat(a))


def _put_number(a: "np.ndarray[Any, Any]", value: Any) -> None:
    if isinstance(value, (list, tuple)):
        a[()] = value                   # which NumPy refuses in its own words
        raise _NoFit
    if isinstance(value, (str, bytes)):
        if a.dtype.kind in "iufc":
            a[()] = value               # so it does, if that is no number
        raise _NoFit
    _need(isinstance(value, (bool, int, float, complex, np.generic))
          and getattr(value, "dtype", a.dtype).kind not in "MmSU")
    kind = a.dtype.kind
    if isinstance(value, (complex, np.complexfloating)) and kind != "c":
        _need(not value.imag)
        value = value.real
    a[()] = value
    held = a[()]
    if kind in "iub":
        _need(held == value)
    elif kind == "c":
        info = np.finfo(a.dtype)
        for want, got in ((value.real, held.real), (value.imag, held.imag)):
            _need(_near(_wide(want), _wide(got), info.eps,
                        info.smallest_normal * info.eps))
    elif kind == "f" and a.dtype.isbuiltin == 1 or a.dtype.str[1:] in (
            "f2", "f4", "f8", "f16"):
        info = np.finfo(a.dtype)
        _need(_near(_wide(value), _wide(held), info.eps,
                    info.smallest_normal * info.eps))
    else:
        _of_ml_dtypes(a.dtype, value, held)


def _wide(value: Any) -> Any:
    return np.longdouble(value) if not isinstance(value, np.longdouble) \
        else value


def _of_ml_dtypes(dtype: "np.dtype[Any]", value: Any, held: Any) -> None:
    """bfloat16 and others, of a package that is there if they are."""
    types = sys.modules.get("ml_dtypes")
    try:
        info = types.finfo(dtype) if types is not None else None
    except ValueError:
        info = None
    if info is None:
        _need(float(held) == value)
    else:
        _need(_near(float(value), float(held), float(info.eps),
                    float(info.smallest_normal) * float(info.eps)))
