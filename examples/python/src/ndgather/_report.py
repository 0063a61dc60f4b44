"""What an operation has to say: a Report, and exceptions that carry one."""
from __future__ import annotations

import array
import ctypes
from dataclasses import dataclass, field
from typing import Any, NoReturn, Optional, Sequence, Tuple

from ._shim import address, lib, words

OPS = ("gather_nd", "gather", "batch_gather", "dynamic_stitch",
       "parallel_dynamic_stitch", "dynamic_partition", "scatter_nd")
VECTORS = (0, 6)                        # whose indices are vectors

_FACTS = ("status", "op", "operand", "axis", "item", "value", "bound",
          "count", "list", "position", "component", "is_u64", "found",
          "extent", "first_hole", "holes", "duplicates")


@dataclass
class Bad:
    """The first bad index, and how many rows have one. Valid if count > 0."""

    count: int = 0                  #: bad rows; where a run stopped, at least
    list: int = 0                   #: of a stitch: in which list
    position: int = 0               #: of that row, in C order
    at: Tuple[int, ...] = ()        #: the same as coordinates
    component: int = 0              #: of gather_nd: which of that row
    value: int = 0                  #: as found in the index array
    extent: int = 0                 #: 0 <= value < extent would have been good


@dataclass
class Report:
    """Pass one as report=, and the call fills it in; str() says it in words.

    The names are those of ndg_report in ndgather.h, where a table tells what
    value and bound are for each status. A status is "NDG_OK" or the name of
    what was wrong, an operand "out" or "params", as arguments are called.
    """

    status: str = "NDG_OK"
    op: str = ""
    operand: str = ""
    axis: int = 0
    item: int = 0
    value: int = 0
    bound: int = 0
    bad: Bad = field(default_factory=Bad)
    holes: int = 0                  #: rows of a stitch that no index names
    first_hole: int = 0             #: valid if holes > 0
    duplicates: int = 0             #: entries that overwrite an earlier one
    text: str = "done"

    def __str__(self) -> str:
        return self.text

    def take(self, other: "Report") -> None:
        """Becomes what the other one says."""
        self.__dict__.update(other.__dict__)


class Error(Exception):
    """What ndgather raises: .report is the Report, str() its line."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.report = report

    def __str__(self) -> str:
        return self.report.text


class BadIndexError(Error, IndexError):
    """An index is out of range."""


class ArgumentError(Error, ValueError):
    """Shapes, sizes or options that do not fit."""


class DTypeError(Error, TypeError):
    """An element or index type that cannot be used, or no array at all."""


def _unraveled(position: int, shape: Sequence[int]) -> Tuple[int, ...]:
    at = []
    for extent in reversed(shape):
        position, rest = divmod(position, max(extent, 1))
        at.append(rest)
    return tuple(reversed(at))


def _text(reports: int, shape: Sequence[int]) -> str:
    indices = words([len(shape), 0, *shape])
    line = ctypes.create_string_buffer(400)
    lib.ndgpy_report_text(line, len(line), reports, address(indices))
    return line.value.decode()


def read(reports: "array.array[int]", op: int, shape: Sequence[int]) -> Report:
    """The merged report at the front, on indices of this shape."""
    numbers = array.array("q", [0] * len(_FACTS))
    lib.ndgpy_report_facts(address(reports), address(numbers))
    f = dict(zip(_FACTS, numbers))
    report = Report(
        status=lib.ndgpy_status_name(f["status"]).decode(),
        op=OPS[op], axis=f["axis"], item=f["item"], value=f["value"],
        bound=f["bound"], holes=f["holes"], first_hole=f["first_hole"],
        duplicates=f["duplicates"], text=_text(address(reports), shape))
    if f["status"]:
        report.operand = lib.ndgpy_arg_text(f["operand"]).decode()
    if f["count"]:
        rows = shape[:-1] if op in VECTORS else shape
        value = f["found"] + (1 << 64 if f["is_u64"] else 0)
        report.bad = Bad(f["count"], f["list"], f["position"],
                         _unraveled(f["position"], rows), f["component"],
                         value, f["extent"])
    return report


def raise_for(report: Report) -> NoReturn:
    if report.status == "NDG_E_INDEX":
        raise BadIndexError(report)
    if report.status == "NDG_E_TYPE":
        raise DTypeError(report)
    raise ArgumentError(report)


def refuse(op: int, operand: str, text: str, status: str = "NDG_E_TYPE",
           **fields: Any) -> NoReturn:
    """Raises what the package finds out before the library is asked."""
    raise_for(Report(status=status, op=OPS[op], operand=operand,
                     text="%s: %s" % (OPS[op], text), **fields))


def integer(op: int, name: str, value: Any, low: Optional[int] = None,
            limit: int = 2 ** 31) -> int:
    """An option that is an integer, within low ... limit - 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        refuse(op, name, "%s is %s, an integer is needed"
               % (name, brief(value)))
    try:
        number = int(value.__index__())
    except TypeError:
        refuse(op, name, "%s is %s, an integer is needed"
               % (name, brief(value)))
    if low is not None and number < low:
        refuse(op, name, "%s is %d, at least %d is needed"
               % (name, number, low), "NDG_E_OPTION")
    if not -limit <= number < limit:
        refuse(op, name, "%s is %d: out of range" % (name, number),
               "NDG_E_OPTION")
    return number


def brief(value: Any) -> str:
    """The value in at most one short line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = ""
    return text if 0 < len(text) <= 60 else "of type " + type(value).__name__


def choice(op: int, name: str, value: Any, choices: Tuple[str, ...],
           allowed: Tuple[str, ...]) -> int:
    """The number of an option that is one of a few words."""
    if not isinstance(value, str) or value not in allowed:
        refuse(op, name, "%s is %s, not one of %s"
               % (name, brief(value), ", ".join(allowed)), "NDG_E_OPTION")
    return choices.index(value)
