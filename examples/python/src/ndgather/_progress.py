"""Shows that a long call goes on: to a callable, tqdm's bar or stderr."""
from __future__ import annotations

import importlib
import sys
import time
from typing import Any, Callable, Optional

from ._report import OPS, brief, refuse

_LATE = 1.              # seconds that a call may take in silence
_OFTEN = .1


class Progress:
    """Rows done, of how many. Says nothing in the first second."""

    def __init__(self, op: int, wanted: Any) -> None:
        silent = wanted is None or wanted is False
        if not (silent or wanted is True or callable(wanted)):
            refuse(op, "progress", "progress is %s, True or a callable is "
                   "needed" % brief(wanted))
        self.op = op
        self.wanted = None if silent else wanted
        self.next = time.monotonic() + _LATE
        self.say: Optional[Callable[[int, int], Any]] = None
        self.close: Callable[[], Any] = lambda: None
        self.rows, self.before, self.parts, self.workers = 0, 0, 1, 1

    def of(self, rows: int, parts: int = 1, workers: int = 1) -> None:
        """So many rows are to be done, in so many rounds, each of which all of
        the workers do."""
        self.rows, self.parts, self.workers = rows, parts, workers

    def add(self, rows: int) -> None:
        """So many are done."""
        self.before += rows

    def tell(self, done: int) -> None:
        if self.wanted is None or time.monotonic() < self.next:
            return
        if self.say is None:
            self.say = self.wanted if self.wanted is not True else self._bar()
        self.say((self.before + done // self.workers) // self.parts, self.rows)
        self.next = time.monotonic() + _OFTEN

    def _bar(self) -> Callable[[int, int], Any]:
        """tqdm's where it is installed, else a line on stderr."""
        name = OPS[self.op]
        try:
            tqdm: Any = importlib.import_module("tqdm").tqdm
        except ImportError:
            def line(done: int, rows: int) -> None:
                sys.stderr.write("\r%s: %d of %d rows" % (name, done, rows))
                sys.stderr.flush()
            self.close = lambda: sys.stderr.write("\n")
            return line
        bar = tqdm(total=self.rows, desc=name, unit=" rows", unit_scale=True,
                   mininterval=0)
        self.close = bar.close
        return lambda done, rows: bar.update(done - bar.n)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        """All is done, which is told if anything was."""
        try:
            if self.say is not None and kind is None:
                self.say(self.rows, self.rows)
        finally:
            self.close()
