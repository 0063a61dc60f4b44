"""ten_lines.py - ten lines that are faster than np.take, and others.

    python examples/python/ten_lines.py            about ten seconds
    python examples/python/ten_lines.py check      nothing is timed

Read it like a notebook: what is printed is what is run. Each line stands below
np.take's, which may be written in several ways; the fastest of them counts,
out= and mode= included. First the results are compared. Then all ways are run
in turn, for some rounds, and of each the shortest time counts. The library runs
on one core, as np.take does, unless the line says otherwise. Ratios vary from
one machine to another; the big ones are copies that are not made.
"""
import sys
import time

import numpy as np

import ndgather

# What it is about; what is there before; np.take's ways; the library's.
LINES = [
    ("16 rows of a table that lies column by column",
     "table = np.asfortranarray(floats(2048, 2048)); ids = numbers(16, 2048)",
     ["np.take(table, ids, 0)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out)"),
    ("1000 rows of the left half of a wide table",
     "table = floats(20000, 512)[:, :256]; ids = numbers(1000, 20000)",
     ["np.take(table, ids, 0)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out)"),
    ("the same table upside down",
     "table = floats(20000, 256)[::-1]; ids = numbers(1000, 20000)",
     ["np.take(table, ids, 0)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out)"),
    ("one field of a table of structs",
     "table = np.zeros(500000, [('id', 'i8'), ('at', 'f4', 3)])['at']; "
     "ids = numbers(10000, 500000)",
     ["np.take(table, ids, 0)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out)"),
    ("a megapixel in colour, from a palette of RGB",
     "palette = numbers((256, 3), 256, 'u1'); "
     "image = numbers((1000, 1000), 256, 'u1')",
     ["np.take(palette, image, 0)", "palette.take(image, 0, out, 'clip')"],
     "ndgather.gather(palette, image, out=out)"),
    ("a curve for a megapixel: bytes to floats",
     "curve = floats(256); image = numbers((1000, 1000), 256, 'u1')",
     ["np.take(curve, image)", "curve.take(image, None, out, 'clip')"],
     "ndgather.gather(curve, image, out=out)"),
    ("vertices of three floats by u16 numbers",
     "table = floats(50000, 3); ids = numbers(300000, 50000, 'u2')",
     ["np.take(table, ids, 0)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out)"),
    ("pixels by (y, x): no flat numbers to be made first",
     "image = numbers((500, 500, 3), 256, 'u1'); "
     "yx = numbers((200000, 2), 500, 'u2')",
     ["np.take(image.reshape(-1, 3), "
      "yx[:, 0] * np.intp(500) + yx[:, 1], 0)",
      "np.take(image.reshape(-1, 3), "
      "np.ravel_multi_index(yx.T, image.shape[:2]), 0)"],
     "ndgather.gather_nd(image, yx, out=out)"),
    ("split into 16 by key",
     "data = floats(100000, 4); key = numbers(100000, 16, 'u1')",
     ["[np.take(data, np.flatnonzero(key == k), 0) for k in range(16)]",
      "np.split(np.take(data, np.argsort(key, kind='stable'), 0), "
      "np.cumsum(np.bincount(key, minlength=16))[:-1])"],
     "ndgather.dynamic_partition(data, key, 16)"),
    ("rows of zeros for ids that are out of range",
     "table = floats(5000, 3); ids = numbers(200000, 5050, 'i4')",
     ["np.where((ids < 5000)[:, None], table.take(ids, 0, mode='clip'), "
      "np.float32(0))", "zeroed(table.take(ids, 0, out, 'clip'), ids >= 5000)"],
     "ndgather.gather(table, ids, bad_index='zero', out=out)"),
]

OTHERS = [
    ("32 MB of rows, on all cores",
     "table = floats(50000, 256); ids = numbers(32768, 50000)",
     ["np.take(table, ids, 0)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out, threads=None)"),
    ("the same on one core: both wait for the memory",
     "table = floats(50000, 256); ids = numbers(32768, 50000)",
     ["np.take(table, ids, 0)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out)"),
    ("numbers of any size, modulo the table",
     "table = floats(1000, 4); ids = numbers(100000, 1000000)",
     ["np.take(table, ids, 0, mode='wrap')",
      "table.take(ids % 1000, 0, out, 'clip')"],
     "ndgather.gather(table, ids, bad_index='wrap', out=out)"),
    ("two rows: a call costs tens of microseconds in Python",
     "table = floats(100, 4); ids = numbers(2, 100)",
     ["np.take(table, ids, 0)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out)"),
    ("single floats by int64 numbers, from more than a megabyte",
     "table = floats(1000000); ids = numbers(500000, 1000000)",
     ["np.take(table, ids)", "table.take(ids, 0, out, 'clip')"],
     "ndgather.gather(table, ids, out=out)"),
]

rng = np.random.default_rng(1)


def floats(*shape):
    return rng.random(shape, "f4")


def numbers(shape, limit, dtype="i8"):
    return rng.integers(0, limit, shape).astype(dtype)


def zeroed(rows, bad):
    rows[bad] = 0
    return rows


def shortest(ways, seconds=.6):
    """The shortest time of each, all run in turn."""
    times = [float("inf")] * len(ways)
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 5 or time.perf_counter() < end:
        for k, way in enumerate(ways):
            start = time.perf_counter()
            way()
            times[k] = min(times[k], time.perf_counter() - start)
        rounds += 1
    return times


def same(got, want):
    """The same bytes, of an array or of a list of them."""
    if isinstance(want, np.ndarray):
        return got.tobytes() == want.tobytes()
    return len(got) == len(want) and all(map(same, got, want))


def prepared(setup, takes, ours):
    """Every way as a function. There is an out for those that take one."""
    space = {"np": np, "ndgather": ndgather, "floats": floats,
             "numbers": numbers, "zeroed": zeroed}
    exec(setup, space)
    want = eval(takes[0], space)
    if isinstance(want, np.ndarray):
        want = want.copy()
        space["out"] = np.empty_like(want)
    if "threads" not in ours:           # on one core, as np.take
        ours = ours[:-1] + ", threads=1)"
    ways = [eval("lambda: " + code, space) for code in takes + [ours]]
    for way, code in zip(ways, takes + [ours]):
        if not same(way(), want):
            sys.exit("ten_lines: another result: " + code)
    return ways


def told(seconds):
    return "%9.1f us" % (seconds * 1e6)


def show(number, line, timed):
    title, setup, takes, ours = line
    ways = prepared(setup, takes, ours)
    print("\n# %s: %s" % (number, title))
    print(setup.replace("; ", "\n"))
    if not timed:
        print("\n".join(takes + [ours]))
        return 1
    *of_takes, of_ours = shortest(ways)
    for code, t in zip(takes, of_takes):
        print("%s  %s" % (told(t), code))
    ratio = min(of_takes) / of_ours
    print("%s  %s" % (told(of_ours), ours))
    print("%12s  %.2f times as fast" % ("", ratio))
    return ratio


def main():
    if sys.argv[1:] not in ([], ["check"]):
        sys.exit("usage: ten_lines.py [check]")
    timed = not sys.argv[1:]
    faster = [show(k, line, timed) for k, line in enumerate(LINES, 1)]
    print("\nAnd others, of which some are slower:")
    for line in OTHERS:
        show("-", line, timed)
    if timed:
        print("\n%d of the ten are faster, %.1f times in the median"
              % (sum(r > 1 for r in faster), np.median(faster)))
    else:
        print("\nall results are the same")


if __name__ == "__main__":
    main()
