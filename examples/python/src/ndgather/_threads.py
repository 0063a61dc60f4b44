"""A range of rows for each thread, in steps that can be stopped between."""
from __future__ import annotations

import array
import ctypes
import os
import threading
import time
from typing import Any, Callable, List, Optional, Tuple

from . import _shim
from ._progress import Progress
from ._report import integer, refuse
from ._shim import address, lib, room

_WORTH = 1 << 22        # bytes to move that are worth a thread
_MOST = 1024
_ONE_STEP = 1 << 23     # bytes that are moved in one step
_FIRST_STEP = 1 << 20   # of more: the first, whose time tells the next one's
_SECONDS = .1           # of a step


def cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:                      # not on every system
        return os.cpu_count() or 1


def workers(op: int, threads: Any, rows: int, row_bytes: int) -> int:
    """How many ranges to make of the rows."""
    if threads is None:
        wanted = min(cores(), max(1, rows * row_bytes // _WORTH))
    else:
        wanted = integer(op, "threads", threads, 1)
    return max(1, min(wanted, rows, _MOST))


def split(rows: int, n: int) -> List[Tuple[int, int]]:
    return [(rows * w // n, rows * (w + 1) // n) for w in range(n)]


def is_long(rows: int, row_bytes: int) -> bool:
    """Whether so much is done in several steps."""
    return rows * row_bytes > _ONE_STEP


class Run:
    """Calls work(w, first, last, report) for steps of n ranges of rows.

    A range goes on until a step fails (returns 2), with thorough to its end.
    What the steps report is merged. keep is what the work points to. After an
    interrupt, or an exception of the progress, each thread ends its step, and
    none is left when the exception goes on.
    """

    def __init__(self, op: int, work: Callable[[int, int, int, int], int],
                 row_bytes: int, keep: Any, show: Optional[Progress],
                 whole: bool = False, thorough: bool = False) -> None:
        self.op, self.work, self.row_bytes = op, work, row_bytes
        self.keep, self.show = keep, show
        self.whole, self.thorough = whole, thorough
        self.stop = False
        self.failed: Optional[BaseException] = None

    def over(self, ranges: List[Tuple[int, int]]) \
            -> "Optional[array.array[int]]":
        """Runs the ranges at once; the calling thread takes the first, and
        what is left where the system has no more threads. Returns the merged
        report, or None if there is no news."""
        n = len(ranges)
        self.reports = room(2 * n * _shim.REPORT)   # of a range, and of a step
        self.news, self.done = [False] * n, [0] * n
        process, self.caller = os.getpid(), threading.get_ident()
        started: List[threading.Thread] = []
        try:
            left = [0]
            for w in range(1, n):
                thread = threading.Thread(target=self._aside,
                                          args=(w, *ranges[w]))
                try:
                    thread.start()
                    started.append(thread)
                except RuntimeError:
                    left.append(w)
            for w in left:
                self._steps(w, *ranges[w])
            for thread in started:
                while thread.is_alive():
                    thread.join(_SECONDS)
                    self._tell()
        except BaseException as error:
            self.failed = error
            self.stop = True
        finally:
            self._end(started)
        if self.failed is not None:
            raise self.failed
        if os.getpid() != process and started:
            refuse(self.op, "threads", "threads are not there any more: the "
                   "process is a fork of the one that began", "NDG_E_OPTION")
        if not any(self.news):
            return None
        lib.ndgpy_merge(address(self.reports), 2 * n, self.op)
        return self.reports

    def _end(self, started: List[threading.Thread]) -> None:
        """Waits for the threads, whatever comes meanwhile."""
        while any(thread.is_alive() for thread in started):
            try:
                self.stop = True
                for thread in started:
                    thread.join()
            except BaseException as error:      # another interrupt
                self.failed = self.failed or error

    def _aside(self, w: int, first: int, last: int) -> None:
        try:
            self._steps(w, first, last)
        except BaseException as error:          # told by the calling thread
            self.failed = error
            self.stop = True

    def _steps(self, w: int, first: int, last: int) -> None:
        mine = address(self.reports) + 2 * w * _shim.REPORT
        step = mine + _shim.REPORT
        size = max(last - first, 1)
        if not self.whole and is_long(size, self.row_bytes):
            size = _FIRST_STEP // self.row_bytes + 1
        begun = time.monotonic()
        while not self.stop:
            until = min(first + size, last)
            code = self.work(w, first, until, step)
            if code:
                self.news[w] = True
                lib.ndgpy_merge(mine, 2, self.op)
                ctypes.memset(step, 0, _shim.REPORT)
            self.done[w] += until - first
            first = until
            if first >= last or code == 2 and not self.thorough:
                return
            now = time.monotonic()
            took, begun = now - begun, now
            size = max(1, int(size * min(64, _SECONDS / max(took, 1e-6))))
            if threading.get_ident() == self.caller:
                self._tell()

    def _tell(self) -> None:
        if self.show is not None:
            self.show.tell(sum(self.done))
