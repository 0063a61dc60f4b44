"""ndgather: slices of n-d arrays by index, on NumPy, PyTorch and JAX arrays.

Seven operations with TensorFlow's names and meaning, done by the C library
ndgather.h: gather_nd, gather, batch_gather, scatter_nd, dynamic_stitch,
parallel_dynamic_stitch and dynamic_partition.

    >>> import numpy as np, ndgather
    >>> table = np.arange(6).reshape(3, 2)
    >>> ndgather.gather(table, np.array([2, 0], np.uint8))
    array([[4, 5],
           [0, 1]])

Arrays are read where they lie: with any strides, read-only, in a file that is
mapped to memory. Tensors of PyTorch and JAX on the CPU come in by DLPack, and
the result is one of theirs. Elements may have any type of fixed size, indices
any integer type. What is refused raises an Error with one clear line.

Options that operations share:

bad_index   what an index that is out of range does: "error" (raises
            BadIndexError; an out may have been written in part), "zero",
            "fill" (with fill=), "clip", "wrap", "keep" (out stays as it was)
            and "assume_valid" (nothing is checked: a wrong index then reads or
            writes anywhere). Stitches, partitions and scatter_nd take "error",
            "drop" (the row leaves no trace) and "assume_valid".
negative    "bad", as in TensorFlow, or "from_end": -1 is the last.
out         an array to write to, of any positive strides; it is returned.
threads     how many run; None: as many as there are cores, and a single one
            for less than eight megabytes. The result is the same. The
            interpreter's lock is not held meanwhile. Ctrl-C stops a long call
            between two steps of a tenth of a second or so: an out may have been
            written in part, and no thread is left. What overlaps its out is
            done in one step.
progress    True: a call of more than a second shows the rows done, by tqdm
            where it is installed, else on stderr. Or what is called with (done,
            rows) then and when, in the calling thread; an exception stops the
            call as Ctrl-C does.
report      a Report, which is filled in: how many indices were bad, and which
            was the first.
"""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

from . import _ops, _shim
from ._ops import _NOTHING
from ._report import (ArgumentError, Bad, BadIndexError, DTypeError, Error,
                      Report)

__all__ = ["ArgumentError", "Bad", "BadIndexError", "DTypeError", "Error",
           "Report", "batch_gather", "dynamic_partition", "dynamic_stitch",
           "gather", "gather_nd", "parallel_dynamic_stitch", "scatter_nd"]

_version = _shim.lib.ndgpy_version()
__version__ = "%d.%d.%d" % (_version // 10000, _version // 100 % 100,
                            _version % 100)


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, *,
              bad_index: str = "error", fill: Any = _NOTHING,
              negative: str = "bad", out: Any = None,
              threads: Optional[int] = None,
              report: Optional[Report] = None, progress: Any = None) -> Any:
    """Each row of indices names a slice of params, by its first coordinates.

    The result has the shape indices.shape[:-1] + params.shape[depth:], where
    depth is indices.shape[-1]. batch_dims leading axes are shared.
    """
    return _ops.gather_any(_ops.GATHER_ND, params, indices, None, batch_dims,
                           bad_index, fill, negative, out, threads,
                           report, progress)


def gather(params: Any, indices: Any, *, axis: Optional[int] = None,
           batch_dims: int = 0, bad_index: str = "error",
           fill: Any = _NOTHING, negative: str = "bad", out: Any = None,
           threads: Optional[int] = None,
           report: Optional[Report] = None, progress: Any = None) -> Any:
    """Picks along one axis: the first behind the batch_dims, if not told.

    The result has the shape
    params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:].
    """
    return _ops.gather_any(_ops.GATHER, params, indices, axis, batch_dims,
                           bad_index, fill, negative, out, threads,
                           report, progress)


def batch_gather(params: Any, indices: Any, *, bad_index: str = "error",
                 fill: Any = _NOTHING, negative: str = "bad", out: Any = None,
                 threads: Optional[int] = None,
                 report: Optional[Report] = None, progress: Any = None) -> Any:
    """gather in which all axes of indices but the last are batch axes."""
    return _ops.gather_any(_ops.BATCH_GATHER, params, indices, None, 0,
                           bad_index, fill, negative, out, threads,
                           report, progress)


def scatter_nd(into: Any, indices: Any, data: Any, batch_dims: int = 0, *,
               bad_index: str = "error", negative: str = "bad",
               gaps: str = "keep", threads: Optional[int] = None,
               report: Optional[Report] = None, progress: Any = None) -> Any:
    """gather_nd read backwards: writes rows of data to where indices say.

    into is an array, which is written in place and returned, or a shape: then
    the result is a new array, zero where no row went. Of rows that go to one
    place the last stays. gaps tells what becomes of the rest of into: "keep" or
    "zero". With a bad index and bad_index "error" into stays as it was. The
    writing is one step, which Ctrl-C waits for.
    """
    return _ops.scatter_any(into, indices, data, batch_dims, bad_index,
                            negative, gaps, threads, report, progress)


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], *,
                   bad_index: str = "error", gaps: str = "zero",
                   rows: Optional[int] = None, out: Any = None,
                   threads: Optional[int] = None,
                   report: Optional[Report] = None,
                   progress: Any = None) -> Any:
    """Weaves lists: row j of data[m] becomes row indices[m][j] of the result.

    The last writer wins. There are as many rows as rows= says, as out has, or
    the largest index + 1. gaps tells what rows are that no index names: "zero",
    "error", or "keep": as they were in out.
    """
    return _ops.stitch_any(_ops.STITCH, indices, data, bad_index, gaps, rows,
                           out, threads, report, progress)


def parallel_dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], *,
                            bad_index: str = "error", gaps: str = "zero",
                            rows: Optional[int] = None, out: Any = None,
                            threads: Optional[int] = None,
                            report: Optional[Report] = None,
                            progress: Any = None) -> Any:
    """TensorFlow's other name for dynamic_stitch; the same result."""
    return _ops.stitch_any(_ops.PARALLEL_STITCH, indices, data, bad_index,
                           gaps, rows, out, threads, report, progress)


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, *,
                      bad_index: str = "error", positions: Any = None,
                      out: Optional[Sequence[Any]] = None,
                      threads: Optional[int] = None,
                      report: Optional[Report] = None, progress: Any = None) \
        -> Union[List[Any], Tuple[List[Any], List[Any]]]:
    """Splits by key: row j of data goes to part partitions[j], in order.

    Returns a list of arrays, which are parts of one. With positions, an integer
    type, also a list of the rows' numbers: dynamic_stitch takes it to undo
    this. out is a list of arrays with room enough; what is returned then are
    the rows of each that were written.
    """
    parts: Union[List[Any], Tuple[List[Any], List[Any]]] = _ops.partition_any(
        data, partitions, num_partitions, bad_index, positions, out, threads,
        report, progress)
    return parts
