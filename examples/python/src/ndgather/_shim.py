"""The shared library, loaded with ctypes, and what its functions take.

Calls through ctypes.CDLL release the interpreter's lock while they run.
"""
from __future__ import annotations

import array
import ctypes
import os
import sys
from typing import Iterable, List

_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int

_PROTOTYPES = {
    "ndgpy_version": (_INT, []),
    "ndgpy_sizes": (None, [_POINTER]),
    "ndgpy_status_name": (ctypes.c_char_p, [_INT]),
    "ndgpy_arg_text": (ctypes.c_char_p, [_INT]),
    "ndgpy_merge": (None, [_POINTER, _SIZE, _INT]),
    "ndgpy_report_text": (_SIZE, [_POINTER, _SIZE, _POINTER, _POINTER]),
    "ndgpy_report_facts": (None, [_POINTER, _POINTER]),
    "ndgpy_plan_gather": (_INT, [_POINTER] * 5),
    "ndgpy_gather_fits": (_INT, [_POINTER, _POINTER, _SIZE] + [_POINTER] * 3),
    "ndgpy_gather_run": (_INT, [_POINTER, _POINTER, _SIZE, _POINTER, _POINTER,
                                _SIZE, _SIZE, _POINTER]),
    "ndgpy_plan_scatter": (_INT, [_POINTER] * 4),
    "ndgpy_scatter_check": (_INT, [_POINTER, _POINTER, _SIZE, _SIZE, _POINTER]),
    "ndgpy_scatter_fits": (_INT, [_POINTER, _POINTER, _SIZE] + [_POINTER] * 3),
    "ndgpy_scatter_run": (_INT, [_POINTER, _POINTER, _SIZE, _POINTER, _POINTER,
                                 _SIZE, _SIZE, _POINTER]),
    "ndgpy_plan_stitch": (_INT, [_POINTER] * 5),
    "ndgpy_stitch_total": (_INT, [_POINTER, _POINTER, _SIZE, _POINTER,
                                  _POINTER]),
    "ndgpy_stitch_scratch_bytes": (_SIZE, [_POINTER, _SIZE]),
    "ndgpy_stitch_run": (_INT, [_POINTER, _POINTER, _SIZE, _SIZE, _POINTER,
                                _SIZE, _SIZE, _SIZE, _POINTER, _SIZE,
                                _POINTER]),
    "ndgpy_stitch_part": (_INT, [_POINTER, _POINTER, _SIZE, _SIZE, _POINTER]
                          + [_SIZE] * 6 + [_POINTER]),
    "ndgpy_plan_partition": (_INT, [_POINTER] * 4),
    "ndgpy_partition_count": (_INT, [_POINTER, _POINTER, _SIZE, _SIZE,
                                     _POINTER, _POINTER]),
    "ndgpy_partition_starts": (None, [_POINTER, _POINTER, _SIZE, _SIZE]),
    "ndgpy_partition_run": (_INT, [_POINTER] * 5 + [_SIZE, _SIZE]
                            + [_POINTER] * 3),
}


def _load() -> ctypes.CDLL:
    name = "_ndgather.dll" if sys.platform == "win32" else "_ndgather.so"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError("ndgather: %s was not built (pip install builds "
                          "it): %s" % (name, error)) from None
    for function, (result, arguments) in _PROTOTYPES.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


lib = _load()

# ptrdiff_t and uintptr_t. An array refuses a number that these do not hold,
# where ctypes would cut it off.
_WORD, _ADDRESS = ("q", "Q") if ctypes.sizeof(_SIZE) == 8 else ("i", "I")


def words(values: Iterable[int]) -> "array.array[int]":
    return array.array(_WORD, values)


def addresses(values: Iterable[int]) -> "array.array[int]":
    return array.array(_ADDRESS, values)


def address(a: "array.array[int]") -> int:
    return a.buffer_info()[0]


def _sizes() -> List[int]:
    sizes = words([0] * 6)
    lib.ndgpy_sizes(address(sizes))
    return sizes.tolist()


REPORT, GATHER_PLAN, STITCH_PLAN, LIST, PARTITION_PLAN, SCATTER_PLAN = _sizes()


def room(size: int) -> "array.array[int]":
    """So many bytes, or a few more, of zeros, aligned as words are."""
    return array.array("q", [0]) * (size // 8 + 1)
