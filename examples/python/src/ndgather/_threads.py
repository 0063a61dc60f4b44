"""A range of rows for each thread; the calling thread takes the first."""
from __future__ import annotations

import os
import threading
from typing import Any, Callable, List, Optional, Tuple

from ._report import integer

_WORTH = 1 << 22        # bytes to move that are worth a thread
_MOST = 1024


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


def run(rows: int, n: int, work: Callable[[int, int, int], int]) -> bool:
    """Calls work(w, first, last) for n ranges at once; whether one had news.

    Where the system has no more threads, the calling one does what is left.
    """
    if n == 1:
        return bool(work(0, 0, rows))
    news = [0] * n
    failed: List[Optional[BaseException]] = [None]

    def one(w: int, first: int, last: int) -> None:
        try:
            news[w] = work(w, first, last)
        except BaseException as error:          # told by the calling thread
            failed[0] = error

    started = []
    ranges = split(rows, n)
    left = [(0, ranges[0])]
    for w in range(1, n):
        thread = threading.Thread(target=one, args=(w, *ranges[w]))
        try:
            thread.start()
            started.append(thread)
        except RuntimeError:
            left.append((w, ranges[w]))
    for w, (first, last) in left:
        one(w, first, last)
    for thread in started:
        thread.join()
    if failed[0] is not None:
        raise failed[0]
    return any(news)
