"""How the Python package works: without copies, without the interpreter's lock,
on several threads, on files that are mapped to memory, and when others write to
its inputs meanwhile.

    python tests/uses/python_behaviour.py FOLDER       for the files it makes
"""
import doctest
import os
import sys
import threading
import time
import tracemalloc

import numpy as np

import ndgather
import python_checks
from ndgather import _door

checks = python_checks.Checks("python_behaviour")
folder = sys.argv[1]
rng = np.random.default_rng(1)


# ---- copies ------------------------------------------------------------------

def peak(call):
    """The most bytes that NumPy and Python had beyond what they have now."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    call()
    most = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return most


wide = np.zeros((4, 1 << 20), "f4").T           # 16 MB, not in C order
ids = np.array([5, 9, 700000], "i4")
out = np.empty((3, 4), "f4")
many = np.zeros(1 << 20, "u1")
big = np.empty((1 << 20, 4), "f4")
parts = [np.empty((1 << 20, 4), "f4") for _ in range(2)]
flat_ids = np.arange(1 << 20, dtype="i4")[::-1, None]
checks.check(peak(lambda: np.take(wide, ids, 0)) > 1 << 24,
             "np.take copies, so the next check would see it")
for name, call in (
        ("gather", lambda: ndgather.gather(wide, ids)),
        ("gather, reversed", lambda: ndgather.gather(wide[::-1], ids)),
        ("gather, out", lambda: ndgather.gather(wide, ids, out=out)),
        ("gather, u1", lambda: ndgather.gather(wide, many, out=big)),
        ("gather, two threads", lambda: ndgather.gather(
            wide, many, out=big, threads=2)),
        ("gather_nd", lambda: ndgather.gather_nd(wide, ids[:, None])),
        ("scatter", lambda: ndgather.scatter_nd(
            (4, 4), many[:, None], wide)),
        ("scatter, into", lambda: ndgather.scatter_nd(
            out, many[:, None], wide[::-1])),
        ("scatter, two threads", lambda: ndgather.scatter_nd(
            big, flat_ids, wide, threads=2)),
        ("stitch", lambda: ndgather.dynamic_stitch(
            [many], [wide], rows=4)),
        ("partition", lambda: ndgather.dynamic_partition(
            wide, many, 2, out=parts))):
    most = peak(call)
    checks.check(most < 1 << 16, "%s copies %d bytes" % (name, most))
checks.check(ndgather.gather(wide, ids, out=out) is out, "out is returned")
checks.check(ndgather.scatter_nd(out, [[1]], wide[:1]) is out,
             "into is returned")
flat = ndgather.dynamic_partition(np.arange(6), [1, 0, 1, 0, 1, 0], 2)
checks.check(flat[0].base is not None and flat[0].base is flat[1].base,
             "the parts are of one array")

# ---- files that are mapped to memory -----------------------------------------
path = os.path.join(folder, "table.bin")
rows = 1 << 26
with open(path, "wb") as f:
    f.truncate(rows * 64)                   # 4 GiB, of which a page is there
    f.seek((rows - 1) * 64)
    f.write(np.full(16, 7, "f4").tobytes())
table = np.memmap(path, "f4", "r", shape=(rows, 16))
got = ndgather.gather(table, np.array([rows - 1, 0, rows], "u4"),
                      bad_index="fill", fill=-1)
checks.check((got == [[7.], [0.], [-1.]]).all(), "rows of a file")
target = np.memmap(os.path.join(folder, "out.bin"), "f4", "w+", shape=(2, 16))
ndgather.gather(table, [rows - 1, 3], out=target)
ndgather.scatter_nd(target, [[1, 2], [0, 15]], np.array([5, 6], "f4"))
target.flush()
del target
again = np.fromfile(os.path.join(folder, "out.bin"), "f4").reshape(2, 16)
want = np.zeros((2, 16), "f4")
want[0], want[1, 2], want[0, 15] = 7, 5, 6
checks.same(again, want, "rows to a file, and elements")
checks.refused(ndgather.ArgumentError, "gather: out is read-only",
               ndgather.gather, again, [0], out=table[:1])
checks.refused(ndgather.ArgumentError, "scatter_nd: into is read-only",
               ndgather.scatter_nd, table[:1], [[0]], again[:1])
del table
os.remove(path)
os.remove(os.path.join(folder, "out.bin"))



def view(x):
    """Where the package sees the elements of an array."""
    return _door.source(0, "x", x).a.__array_interface__["data"][0]


saved = os.path.join(folder, "saved.")
small = np.arange(6, dtype="f4").reshape(3, 2)
np.save(saved + "npy", small)
mapped = np.load(saved + "npy", mmap_mode="r")
checks.is_(view(mapped), mapped.__array_interface__["data"][0], "np.load")
checks.same(ndgather.gather(mapped, [2, 0]), small[[2, 0]], "np.load")
try:
    import pyarrow as pa
    kept = pa.table({"a": small[:, 0].copy(), "b": small[:, 1].copy()})
    with pa.OSFile(saved + "arrow", "wb") as f, \
            pa.ipc.new_file(f, kept.schema) as writer:
        writer.write(kept)
    kept = pa.ipc.open_file(pa.memory_map(saved + "arrow")).read_all()
    checks.is_(view(kept["b"]), kept["b"].chunk(0).buffers()[1].address,
               "a column of Arrow is copied")
    checks.same(ndgather.gather(kept["b"], [2, 0]), small[[2, 0], 1], "Arrow")
except ImportError:
    print("skip: python_behaviour: no pyarrow")
try:
    import safetensors.numpy
    safetensors.numpy.save_file({"w": small}, saved + "safetensors")
    for kind in ("numpy", "pt"):
        try:
            with safetensors.safe_open(saved + "safetensors", kind) as f:
                held = f.get_tensor("w")
        except ImportError:
            print("skip: python_behaviour: no torch for safetensors")
            continue
        if kind == "pt":
            checks.is_(view(held), held.data_ptr(), "safetensors are copied")
        checks.same(np.asarray(ndgather.gather(held, [2, 0])), small[[2, 0]],
                    "safetensors, " + kind)
except ImportError:
    print("skip: python_behaviour: no safetensors")

# ---- threads -----------------------------------------------------------------
p = rng.integers(0, 256, (5000, 24), "u1")
i = rng.integers(-3, 5003, 70001).astype("i2")
key = rng.integers(0, 9, 70001).astype("u1")
data = rng.integers(0, 256, (70001, 5), "u1")
spots = rng.permutation(70001)


def all_ops(threads):
    """What every operation gives and reports on so many threads."""
    said = [ndgather.Report() for _ in range(6)]
    into = data.copy()
    parts, where = ndgather.dynamic_partition(
        data, key, 8, bad_index="drop", positions="i4", threads=threads,
        report=said[2])
    results = [ndgather.gather(p, i, bad_index="zero", threads=threads,
                               report=said[0]),
               ndgather.gather_nd(p, np.stack([i, i], 1), bad_index="wrap",
                                  threads=threads, report=said[1]),
               *parts, *where,
               ndgather.parallel_dynamic_stitch(where, parts, threads=threads,
                                                report=said[3]),
               ndgather.dynamic_stitch([spots], [data], threads=threads),
               ndgather.scatter_nd((5000, 5), i[:, None], data,
                                   bad_index="drop", threads=threads,
                                   report=said[4]),
               ndgather.scatter_nd(into, spots[:40000, None], data[:40000],
                                   gaps="zero", threads=threads),
               ndgather.scatter_nd(into, np.stack([spots, key % 5], 1),
                                   data[:, 1], threads=threads,
                                   report=said[5])]
    return [r.tobytes() for r in results], said


one = all_ops(1)
checks.check(one[1][0].bad.count > 0 and one[1][3].holes > 0
             and one[1][4].bad.count > 0, "has news")
for n in (2, 3, 7, 64, None):
    checks.check(all_ops(n) == one, "%s threads: another result" % n)

start = threading.Thread.start


def refuse_to_start(self):
    raise RuntimeError("can't start new thread")


threading.Thread.start = refuse_to_start
checks.check(all_ops(4) == one, "without threads: another result")
threading.Thread.start = start
checks.check(threading.active_count() == 1, "threads are left over")


# ---- the interpreter's lock --------------------------------------------------

def seen_during(call):
    """Whether another thread runs while the call does. As long as nobody asks
    for the lock in vain for an hour, a thread keeps it until it lets go."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    steps = []

    def work():
        steps.append("before")
        call()
        steps.append("after")
    thread = threading.Thread(target=work)
    thread.start()
    while not steps:
        time.sleep(0)
    seen = list(steps)
    thread.join()
    sys.setswitchinterval(interval)
    return seen == ["before"]


source, order = np.zeros((1 << 16, 64), "f4"), rng.integers(0, 1 << 16, 1 << 18)
target = np.empty((1 << 18, 64), "f4")
keys = (order & 7).astype("u1")
checks.check(not any(seen_during(lambda: sum(range(10 ** 6)))
                     for _ in range(3)), "what holds the lock is seen")
for name, call in (
        ("gather", lambda: ndgather.gather(source, order, out=target,
                                           threads=1)),
        ("stitch", lambda: ndgather.dynamic_stitch([order], [target], rows=1
                                                   << 16, threads=1)),
        ("scatter", lambda: ndgather.scatter_nd(source, order[:, None], target,
                                                threads=1)),
        ("partition", lambda: ndgather.dynamic_partition(target, keys, 8,
                                                         threads=1))):
    checks.check(any(seen_during(call) for _ in range(12)),
                 name + " holds the interpreter's lock")

# ---- inputs that change meanwhile --------------------------------------------
shifting = np.zeros(20000, "i8")
stop = threading.Event()


def scribble():
    r = np.random.default_rng(2)
    while not stop.is_set():
        shifting[:] = r.integers(-2 ** 62, 2 ** 62, shifting.size)
        shifting[:] = r.integers(0, 5, shifting.size)


thread = threading.Thread(target=scribble)
thread.start()
small = np.arange(5.)
twenty = rng.integers(0, 5, shifting.size).astype(float)
unexpected, end = [], time.monotonic() + 1.5
while time.monotonic() < end:
    for call in (
            lambda: ndgather.gather(small, shifting),
            lambda: ndgather.gather(small, shifting, bad_index="clip"),
            lambda: ndgather.scatter_nd((5,), shifting[:, None], twenty),
            lambda: ndgather.scatter_nd((5,), shifting[:, None], twenty,
                                        bad_index="drop", threads=2),
            lambda: ndgather.dynamic_stitch([shifting], [shifting], rows=5),
            lambda: ndgather.dynamic_partition(shifting, shifting, 5,
                                               bad_index="drop", threads=2)):
        try:
            result = call()
        except (ndgather.BadIndexError, ndgather.ArgumentError):
            continue
        if isinstance(result, np.ndarray) and result.dtype == small.dtype and \
                not np.isin(result, small).all():
            unexpected.append(result)
stop.set()
thread.join()
checks.check(not unexpected, "a row that no index can mean: %s" % unexpected)

# ---- the manual --------------------------------------------------------------
tried = doctest.testmod(ndgather)
checks.check(tried.attempted >= 3 and not tried.failed, "the manual's lines")
for name in ndgather.__all__:
    checks.check(bool(getattr(ndgather, name).__doc__), name + ": no words")
checks.end()
