"""Long calls of the Python package: stopped by Ctrl-C, with a fork beside them,
and how they show that they go on.

    python tests/uses/python_long.py [quick]         fewer of the long calls
"""
import contextlib
import io
import os
import signal
import sys
import threading
import time
import warnings

import numpy as np

import ndgather as g
import python_checks
from ndgather import _progress, _threads

warnings.simplefilter("ignore")             # of a fork beside threads
checks = python_checks.Checks("python_long")
quick = sys.argv[1:] == ["quick"]
MANY = 1 << 31                              # rows: seconds, but no memory
table = np.arange(5)


@contextlib.contextmanager
def small_steps():
    """Every call goes in steps, and tells of each."""
    before = (_threads._ONE_STEP, _threads._FIRST_STEP, _threads._SECONDS,
              _progress._LATE, _progress._OFTEN)
    _threads._ONE_STEP, _threads._FIRST_STEP, _threads._SECONDS = 0, 1, 0
    _progress._LATE = _progress._OFTEN = 0
    yield
    (_threads._ONE_STEP, _threads._FIRST_STEP, _threads._SECONDS,
     _progress._LATE, _progress._OFTEN) = before


# ---- Ctrl-C ------------------------------------------------------------------

def long_calls(threads, progress):
    """Pages of zeros are one page, and what has no bytes or is kept costs none:
    so the calls are long only in rows."""
    zeros = np.zeros(MANY, "u1")
    nothing = np.zeros((MANY, 0), "u1")
    kept = np.zeros(MANY, "u1")
    options = {"threads": threads, "progress": progress}
    yield "gather", lambda: g.gather(
        table[:0].astype("u1"), zeros, bad_index="keep", out=kept, **options)
    yield "gather_nd", lambda: g.gather_nd(
        table[:0].astype("u1"), zeros[:, None], bad_index="keep", out=kept,
        **options)
    yield "stitch", lambda: g.dynamic_stitch([zeros], [zeros], rows=1,
                                             **options)
    yield "partition", lambda: g.dynamic_partition(nothing, zeros, 1,
                                                   **options)


def interrupted(what, call):
    sent, interrupts, took = [], [], 0
    whole = time.monotonic()
    call()                                  # to its end, to know how long
    whole = time.monotonic() - whole

    def send():
        time.sleep(.3)
        sent.append(time.monotonic())
        for _ in range(3):                  # somebody is impatient
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(.02)
    thread = threading.Thread(target=send)
    before = threading.active_count()
    thread.start()
    try:
        call()
    except KeyboardInterrupt as error:
        interrupts.append(error)
        took = time.monotonic() - sent[0]
    while thread.is_alive() or time.monotonic() < sent[0] + .2:
        try:
            thread.join()
            time.sleep(.1)
        except KeyboardInterrupt:
            pass
    if checks.check(interrupts, what + ": no KeyboardInterrupt"):
        checks.check(took < 1.5, "%s: returns after %.1f s" % (what, took))
        checks.check(took < max(.4, (whole - .3) / 2), "%s: returns after %.1f "
                     "s of %.1f" % (what, took, whole))
    checks.check(threading.active_count() == before, what + ": threads are "
                 "left")


signal.signal(signal.SIGINT, signal.default_int_handler)
for threads in (2,) if quick else (1, 2):
    try:
        calls = list(long_calls(threads, None))
    except MemoryError:
        print("skip: python_long: not the addresses for Ctrl-C")
        break
    for name, call in calls:
        interrupted("Ctrl-C, %s, %d threads" % (name, threads), call)
    del calls, call

# ---- what is told ------------------------------------------------------------
ids = np.array([4, 0, 3] * 10)
CALLS = (
    ("gather", 30, lambda **o: g.gather(table, ids, **o)),
    ("gather_nd", 30, lambda **o: g.gather_nd(table, ids[:, None], **o)),
    ("batch_gather", 30, lambda **o: g.batch_gather(table, ids, **o)),
    ("stitch", 60, lambda **o: g.dynamic_stitch([ids, ids], [ids, ids], **o)),
    ("parallel_stitch", 30, lambda **o: g.parallel_dynamic_stitch(
        [ids], [ids], **o)),
    ("partition", 30, lambda **o: g.dynamic_partition(ids, ids, 5, **o)))
with small_steps():
    for name, rows, call in CALLS:
        for threads in (1, 3):
            told = []
            call(threads=threads, progress=lambda *at: told.append(
                at + (threading.get_ident(),)))
            what = "%s, %d threads, tells %s" % (name, threads, told)
            checks.check(all(a[0] <= b[0] for a, b in zip(told, told[1:])),
                         what)
            checks.check({(r, who) for _, r, who in told} ==
                         {(rows, threading.get_ident())}, what)
            checks.check(told[-1:] and told[-1][0] == rows, what)
            checks.check(len(told) > 5 and told[0][0] < rows, what)

            def angry(done, rows):
                raise ZeroDivisionError
            try:
                call(threads=threads, progress=angry)
                checks.check(False, what + ": goes on")
            except ZeroDivisionError:
                checks.check(threading.active_count() == 1, "threads are left")
            call(threads=threads, progress=None)
            call(threads=threads, progress=False)
told = []
for name, rows, call in CALLS:
    call(progress=lambda *at: told.append(at))
    checks.refused(g.DTypeError, "%s: progress is 5, True or a callable is "
                   "needed" % name.replace("stitch", "dynamic_stitch").replace(
                       "partition", "dynamic_partition"), call, progress=5)
checks.check(not told, "a short call tells")


def shown():
    err = io.StringIO()
    with contextlib.redirect_stderr(err), small_steps():
        g.gather(table, ids, progress=True)
    return err.getvalue()


hidden = sys.modules.get("tqdm")
sys.modules["tqdm"] = None
text = shown()
checks.check("\rgather: 1 of 30 rows" in text and
             text.endswith("\rgather: 30 of 30 rows\n"), repr(text))
del sys.modules["tqdm"]
try:
    import tqdm                             # noqa: F401
    text = shown()
    checks.check("gather: 100%" in text and "30.0/30.0" in text, repr(text))
except ImportError:
    print("skip: python_long: no tqdm")
told, begun = [], time.monotonic()


def once(done, rows):
    told.append((done, rows, time.monotonic() - begun))
    raise ZeroDivisionError


try:
    calls = list(long_calls(2, once))
except MemoryError:
    calls = []
for name, call in calls[:1] if quick else calls:
    begun = time.monotonic()
    try:
        call()
    except ZeroDivisionError:
        done, rows, took = told.pop()
        checks.check(0 < done < rows == MANY and .9 < took < 3,
                     "%s tells %d of %d after %.1f s" % (name, done, rows,
                                                         took))
    else:
        checks.check(False, "%s says nothing in %.1f s"
                     % (name, time.monotonic() - begun))
del calls

# ---- a fork ------------------------------------------------------------------

def child(work):
    """The exit status of a child that does this, or None if it hangs."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(work())
        except BaseException:
            os._exit(99)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


wide = np.zeros((1 << 10, 64), "f4")
order = np.arange(1 << 16) & 1023
if hasattr(os, "fork"):
    stop = threading.Event()

    def beside():
        while not stop.is_set():
            g.gather(wide, order, threads=3)
            g.dynamic_partition(order, order, 1024, threads=3)
    workers = [threading.Thread(target=beside) for _ in range(2)]
    for thread in workers:
        thread.start()

    def in_child():
        parts, where = g.dynamic_partition(order, order, 1024, threads=3,
                                           positions="i4")
        back = g.dynamic_stitch(where, parts, threads=3)
        return 7 if np.array_equal(back, order) else 8
    for k in range(3 if quick else 10):
        checks.is_(child(in_child), 7, "a fork beside threads")
    stop.set()
    for thread in workers:
        thread.join()

    def in_midst():
        """Forks in the midst of a call: the child has one thread of three."""
        home = os.getpid()
        said = []

        def fork(done, rows):
            if os.getpid() == home and not said:
                said.append(child_pid())
        try:
            g.gather(table, np.tile(ids, 10), threads=3, progress=fork)
        except g.Error as error:
            os._exit(7 if "is a fork" in str(error) else 8)
        if os.getpid() != home:
            os._exit(9)
        return os.waitstatus_to_exitcode(os.waitpid(said[0], 0)[1])

    def child_pid():
        return os.fork()
    with small_steps():
        checks.is_(child(in_midst), 7, "a fork in the midst of a call")
else:
    print("skip: python_long: no fork")
checks.end()
