"""The tool against NumPy: files of every kind, take, fancy indexing from and
to, fills."""

import warnings

import tool

np, = tool.need("cli_numpy", "numpy")
warnings.simplefilter("ignore")
rng = np.random.default_rng(tool.number(1, 1))
count = tool.number(2, 600)
checks = tool.Checks("cli_numpy")
run = tool.Tool()
P, I, D = run.file("p.npy"), run.file("i.npy"), run.file("d.npy")

INTEGERS = ["|i1", "|u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4",
            ">u4", "<i8", ">i8", "<u8", ">u8"]
PLAIN = INTEGERS + [
    "|b1", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", "<c16",
    ">c16", "|S1", "|S5", "|S300", "<U1", "<U3", ">U3", "|V1", "|V12",
    "|V1000", "<M8", "<M8[ns]", ">M8[ns]", "<M8[25us]", "<M8[D]", ">M8[Y]",
    "<m8[s]", ">m8[h]", "<m8[2W]", "<m8"]
if np.dtype(np.longdouble).itemsize == 16:
    PLAIN += ["<f16", ">f16", "<c32", ">c32"]
LATIN, BEYOND = "caf\u00e9", "\u20ac\U0001f600"
STRUCTURES = [
    [("a", "<i4")],
    [("a", "<i4"), ("b", ">f8"), ("c", "|S3")],
    [("a", "<u2", (2, 3)), ("b", "|b1")],
    [("a", [("x", "<i2"), ("y", [("z", "|V5")])]), ("w", "<U2", (2,))],
    [(("a title", "a"), "<i4"), ("b", "<M8[ns]")],
    [(LATIN, "<i4"), ("b c'\"[(,:", "|u1")],
    [(BEYOND, "<i4"), ("b", "|u1")],
    [(LATIN, "|u1"), (BEYOND, ">c16")],
    [("shape", "<i4"), ("'descr': ", "|u1"), ("}", "|u1")],
    [("", "|V3"), ("b", "<f4")],
]


def random_array(dtype, shape):
    """Random bytes (bools: 0 and 1) as an array of dtype."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    data = rng.integers(0, 2 if dtype.kind == "b" else 256, size, np.uint8)
    if dtype.kind == "U":        # only code points can be loaded again
        data = data.view("<u4") % 0x10000 % 0xd800
        data = data.astype(dtype.byteorder + "u4").view(np.uint8)
    return np.ndarray(shape, dtype, data.tobytes())


def random_shape(low, high, zeros=0.05):
    shape = [int(rng.integers(1, 6)) for _ in range(rng.integers(low, high))]
    return tuple(0 if rng.random() < zeros else n for n in shape)


def random_indices(shape, low, high, dtype):
    """Integers of [low, high), as far as dtype holds them."""
    info = np.iinfo(dtype)
    low, high = max(low, int(info.min)), min(high, int(info.max) + 1)
    if high <= low:
        low, high = 0, 1
    return rng.integers(low, high, shape, np.int64).astype(dtype)


def raw(a):
    """The elements as opaque bytes: NumPy's scalars would forget byte order,
    trailing zeros and padding."""
    flat = np.frombuffer(a.tobytes(), "V%d" % a.dtype.itemsize)
    return flat.reshape(a.shape)


def cooked(a, dtype):
    """The opposite of raw, of an array or a scalar."""
    return np.ndarray(np.shape(a), dtype, a.tobytes())


def wide(a):
    """Integers of any type as int64 (those of the tests fit)."""
    return a.astype(np.int64)


# ---- files ------------------------------------------------------------------

def round_trips():
    """Rows of every element type, order and format."""
    kinds = [np.dtype(d) for d in PLAIN]
    kinds += [np.lib.format.descr_to_dtype(d) for d in STRUCTURES]
    kinds.append(np.dtype([("a", "|u1"), ("b", "<f8"), ("c", "<i2")],
                          align=True))
    for dtype in kinds:
        for version in (1, 0), (2, 0), (3, 0):
            round_trip(dtype, version)


def round_trip(dtype, version):
    a = random_array(dtype, (int(rng.integers(1, 5)), int(rng.integers(1, 4))))
    fortran = bool(rng.random() < .5)
    try:
        tool.save(P, a, version, fortran)
    except (UnicodeEncodeError, ValueError):
        return                      # this name does not fit this version
    index = rng.integers(0, a.shape[0], 6).astype(rng.choice(INTEGERS))
    tool.save(I, index)
    what = "%s in %s%s" % (np.lib.format.dtype_to_descr(dtype), version,
                           " F" if fortran else "")
    rc, _, words = run.run("gather", "p.npy", "i.npy", "-o", "o.npy")
    if not checks.check(rc == 0, "%s: %s" % (what, words)):
        return
    _, before, start = tool.header(P)
    made, after, offset = tool.header(run.file("o.npy"))
    checks.check(before["descr"] == after["descr"],
                 "%s: descr became %s" % (what, after["descr"]))
    checks.check(not after["fortran_order"] and offset % 64 == 0,
                 what + ": not in C order, or not aligned")
    text = str(before["descr"])
    try:
        text.encode("latin-1")
        want = (1, 0) if len(text) < 65000 else (2, 0)
    except UnicodeEncodeError:
        want = (3, 0)
    checks.check(made == want, "%s: version %s" % (what, made))
    with open(run.file("o.npy"), "rb") as f:
        data = f.read()[offset:]
    # Byte for byte: an aligned structure's padding is copied, too.
    with open(P, "rb") as f:
        source = f.read()[start:]
    source = np.frombuffer(source, "V%d" % dtype.itemsize).reshape(
        a.shape, order="F" if before["fortran_order"] else "C")
    checks.check(data == source[wide(index)].tobytes(), what + ": other bytes")
    checks.check(tool.load(run.file("o.npy")).dtype == tool.load(P).dtype,
                 what + ": another type")


def long_headers():
    """Structures whose header needs format 2.0 or 3.0."""
    for fields, name in ((100, "f%d"), (1000, "f%d"), (4000, "field%d"),
                         (20000, "f%d"), (100, LATIN + "%d"),
                         (5000, LATIN + "%d"), (100, BEYOND + "%d"),
                         (4000, BEYOND + "%d")):
        dtype = np.dtype([(name % i, "|u1") for i in range(fields)])
        a = random_array(dtype, (3,))
        tool.save(P, a, None)
        tool.save(I, np.array([2, 0]))
        got, words = run.out("gather", "p.npy", "i.npy")
        checks.check(tool.same(got, a[[2, 0]]),
                     "%d fields %s: %s" % (fields, ascii(name), words))


def headers():
    """Header texts: what NumPy refuses is refused, what it writes is read."""
    good = "'descr': '<i4'", "'fortran_order': False", "'shape': (3,)"
    texts = [
        "{%s, %s, %s, }" % good, "{%s,%s,%s}" % good,
        "{%s, %s, %s}" % (good[2], good[0], good[1]),
        " {%s, %s, %s}" % good, "{ %s , %s , %s , }" % good,
        "{%s, %s, %s,, }" % good, "{%s %s, %s}" % good, "%s, %s, %s" % good,
        "{%s, %s, %s} {}" % good, "{%s, %s, %s}#" % good[:3] + "'",
        "{%s, %s, %s, 'x': 1}" % good, "{%s, %s}" % good[:2],
        "[%s]" % good[0], "", "{}", "None", "{%s, %s, %s" % good,
    ]
    for shape in ("(3)", "[3]", "3", "(3L,)", "(3,0,)", "(-3,)", "(3.0,)",
                  "('3',)", "(3,1,1,1)", "((3,),)", "(3,,)", "()", "(,)",
                  "None", "(2**2,)", "(1+2,)", "(3j,)", "(03,)", "(3 ,)",
                  "(999999999999999999999,)", "(3,)*1"):
        texts.append("{%s, %s, 'shape': %s}" % (good[0], good[1], shape))
    for order in ("True", "1", "0", "None", "'False'", "false", "not 1"):
        texts.append("{%s, 'fortran_order': %s, %s}"
                     % (good[0], order, good[2]))
    for version in (1, 0), (2, 0), (3, 0):
        for text in texts:
            judge(text, version, 12)


# Spellings that NumPy takes though it never writes them: either is right.
def canonical(descr):
    try:
        dtype = np.lib.format.descr_to_dtype(descr)
    except Exception:
        return False
    return (not dtype.hasobject and dtype.itemsize > 0
            and np.lib.format.dtype_to_descr(dtype) == descr)


def descriptions():
    kinds = "biufcSUVMmOQqlLpPgGdDeEhHBaxyz?"
    sizes = ["", "0", "1", "2", "3", "4", "5", "7", "8", "10", "12", "16",
             "24", "32", "64", "-1", "4x", "04", "99999999999999999999"]
    descrs = [o + k + s for o in ("<", ">", "|", "", "=", "!", "@")
              for k in kinds for s in sizes]
    picked = rng.choice(len(descrs), min(len(descrs), count), replace=False)
    descrs = PLAIN + [descrs[i] for i in picked]
    units = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs",
             "as", "x", "", "S", "NS", "2s", "25us", "0s", "-1s", "s/2",
             "1s", "99999999999s", "s ", " s", "generic", "s]", "s[", "B"]
    descrs += [o + k + "[%s]" % u for o in "<>" for k in ("M8", "m8")
               for u in units]
    descrs += ["M8[ns]", "<M4[s]", "<M8[s", "<M8s]", "<i8[s]", "<f8[s]",
               "<M8[s]x", "<i4,<i4", "(2,)<i4", "2i4", "float32", "int", ""]
    for descr in descrs:
        judge("{'descr': %r, 'fortran_order': False, 'shape': (0,)}" % descr,
              (1, 0), 0, descr)
    structures = STRUCTURES + [
        [], [("a",)], [("a", "<i4", 2)], [("a", "<i4", (2,), 1)], ["<i4"],
        [("a", "<f3")], [("a", "|O")], [("a", [("b", "|O")])], [(1, "<i4")],
        [("a", "<i4"), ("a", "<i4")], [("a", "<i4", (-1,))], [("a", 4)],
        [("a", "<i4", (2 ** 40, 2 ** 40))], [("a", "<i4", (2 ** 31 - 1,))],
        [(("t", "a"), "<i4"), (("t", "b"), "<i4")], [(("a", "a"), "<i4")],
        [("a", "<i4", ())], [("a", [])], [("a", "<i4", (0,))],
        [("a", [("b", "<i4")], (2,))], [(("t",), "<i4")], [["a", "<i4"]],
        [(None, "<i4")], [("a", None)], ("<i4", (2,)), {}, None, 4, "<i4'"]
    for descr in structures:
        judge("{'descr': %r, 'fortran_order': False, 'shape': (0,)}"
              % (descr,), (3, 0), 0, descr)


def judge(text, version, size, descr=None):
    """The tool must refuse what NumPy refuses, and take what it writes."""
    tool.save_header(P, text, bytes(size), version, bool(rng.random() < .7))
    rc, stdout, words = run.run("gather_nd", "p.npy", "e.npy", "-o", "o.npy")
    what = "%s in %s: exit %d, %s" % (ascii(text), version, rc, words.strip())
    checks.check(rc in (0, 1) and not stdout
                 and words.count("\n") == (rc == 1), what)
    try:
        a = tool.load(P)
    except Exception as e:
        checks.check(rc == 1, "%s; NumPy: %s" % (what, ascii(str(e)[:80])))
        return
    if descr is not None:
        written = canonical(descr)
    else:
        # As NumPy writes it, but for spaces, the order of keys and 3L.
        plain = "".join(text.replace("3L", "3").split())
        good = ("'descr':'<i4'", "'fortran_order':False", "'shape':(3,)")
        written = (plain.rstrip(",}") + "}" in (
            "{%s,%s,%s}" % good, "{%s,%s,%s}" % (good[2], good[0], good[1]))
            and "#" not in text)
    if written:
        checks.check(rc == 0, what + "; NumPy reads it")
    if rc == 0:
        checks.check(tool.load(run.file("o.npy")).dtype == a.dtype,
                     what + "; another type")


# ---- take -------------------------------------------------------------------

def take():
    """gather along every axis in NumPy's three modes."""
    dtype = np.dtype(rng.choice(PLAIN))
    a = random_array(dtype, random_shape(1, 5))
    axis = int(rng.integers(-a.ndim, a.ndim))
    n = a.shape[axis]
    kind = rng.choice(INTEGERS)
    mode = rng.choice(["raise", "wrap", "clip"])
    reach = n if rng.random() < .6 else n + 2
    if rng.random() < .1:
        reach = 100 * n
    index = random_indices(random_shape(0, 4), -reach, max(reach, 1), kind)
    tool.save(P, a, (1, 0), rng.random() < .4)
    tool.save(I, index, (1, 0), rng.random() < .4)
    args = ["p.npy", "i.npy", "--axis", axis, "--threads",
            int(rng.integers(1, 5))]
    if mode == "raise":
        args += ["--negative=from-end"]
        if rng.random() < .3:
            args += ["--bad-index", "error"]
    elif mode == "wrap":
        args += ["--bad-index", "wrap"]
        if rng.random() < .5:
            args += ["--negative=from-end"]     # changes nothing
    else:
        args += ["--bad-index=clip"]
    what = "take %s %s axis %d of %s %s%s, %s" % (
        mode, index.tolist(), axis, dtype, a.shape, "", args)
    # The first bad index, also where NumPy has nothing to copy and no look.
    words = tool.gather_line(index, n, mode == "raise")
    if mode != "raise" and n:
        words = None
    got, said = run.out("gather", *args)
    if words is not None:
        said = said.replace("[-0, 0)", "[0, 0)")
        checks.check(got is None and said == words.replace("[-0,", "[0,"),
                     "%s: want %s got %s" % (what, words, said))
        try:
            # Not wrap and clip: into an extent of 0 NumPy may never return.
            if mode == "raise" and n:
                np.take(a, wide(index), axis, mode=mode)
                checks.check(a.size == 0, what + ": NumPy takes it")
        except IndexError:
            checks.check(True, "")
        return
    expect = cooked(np.take(raw(a), wide(index), axis, mode=mode), dtype)
    checks.check(tool.same(got, expect), "%s: %s" % (what, said))


def fancy():
    """gather_nd as indexing with a tuple, negatives from the end, at times with
    a batch axis."""
    a = random_array(rng.choice(PLAIN), random_shape(1, 5))
    batch = int(rng.integers(0, 2)) if a.ndim > 1 else 0
    depth = int(rng.integers(0, a.ndim - batch + 1))
    rows = a.shape[:batch] + random_shape(0, 3)
    index = np.zeros(rows + (depth,), rng.choice(INTEGERS))
    for c in range(depth):
        reach = a.shape[batch + c] + (rng.random() < .1)
        index[..., c] = random_indices(rows, -reach, max(reach, 1),
                                       index.dtype)
    tool.save(P, a, (1, 0), rng.random() < .4)
    tool.save(I, index, (1, 0), rng.random() < .4)
    words = tool.gather_nd_line(index, a.shape, batch, True)
    got, said = run.out("gather_nd", "p.npy", "i.npy", "--negative",
                        "from-end", "--batch-dims", batch)
    what = "gather_nd %s of %s %s" % (index.tolist(), a.dtype, a.shape)
    if words is not None:
        checks.check(got is None and said == words,
                     "%s: want %s got %s" % (what, words, said))
        return
    named = [np.broadcast_to(np.arange(n).reshape(
        (-1,) + (1,) * (len(rows) - 1)), rows) for n in a.shape[:batch]]
    named += [wide(index[..., c]) for c in range(depth)]
    if named:
        expect = raw(a)[tuple(named)]
    else:
        expect = np.broadcast_to(raw(a), rows + a.shape)
    expect = cooked(expect, a.dtype)
    checks.check(tool.same(got, expect), "%s: %s" % (what, said))


# ---- scatter_nd -------------------------------------------------------------

def scatter():
    """Assignments, row by row, into a copy or into zeros; at times with batch
    axes, bad vectors, or both ways to name the last one."""
    dtype = np.dtype(rng.choice(PLAIN))
    a = random_array(dtype, random_shape(1, 5))
    batch = int(rng.integers(0, 2)) if a.ndim > 1 else 0
    depth = int(rng.integers(0, a.ndim - batch + 1))
    rows = a.shape[:batch] + random_shape(0, 3)
    from_end = bool(rng.random() < .4)
    index = np.zeros(rows + (depth,), rng.choice(INTEGERS))
    for c in range(depth):
        n = a.shape[batch + c]
        index[..., c] = random_indices(rows, -n if from_end else 0,
                                       max(n, 1) + (rng.random() < .1),
                                       index.dtype)
    data = random_array(dtype, rows + a.shape[batch + depth:])
    tool.save(P, a, (1, 0), rng.random() < .4)
    tool.save(I, index, (1, 0), rng.random() < .4)
    tool.save(D, data, (1, 0), rng.random() < .4)
    drop, zero = bool(rng.random() < .5), bool(rng.random() < .4)
    args = ["p.npy", "i.npy", "d.npy", "--threads", int(rng.integers(1, 5))]
    args += ["--batch-dims", batch] if batch or rng.random() < .2 else []
    args += ["--negative", "from-end"] if from_end else []
    args += ["--bad-index", "drop"] if drop else []
    args += ["--gaps=zero"] if zero else []
    words = tool.scatter_nd_line(index, a.shape, batch, from_end)
    got, said = run.out("scatter_nd", *args)
    what = "scatter_nd %s of %s %s, %s" % (index.tolist(), dtype, a.shape,
                                           args)
    if words is not None and not drop:
        checks.check(got is None and said == words,
                     "%s: want %s got %s" % (what, words, said))
        return
    kind = "V%d" % dtype.itemsize
    expect = np.zeros(a.shape, kind) if zero else raw(a).copy()
    bad = tool.bad_vectors(index, a.shape, batch, from_end)
    for at in np.ndindex(rows):
        if not bad[at]:
            place = at[:batch] + tuple(int(v) for v in index[at])
            expect[place] = raw(data)[at]
    checks.check(tool.same(got, cooked(expect, dtype)),
                 "%s: %s" % (what, said))


# ---- stitch and partition ---------------------------------------------------

def stitch():
    """Assignments, list by list; then the inverse of a partition."""
    dtype = np.dtype(rng.choice(PLAIN))
    inner = random_shape(0, 3, .02)
    op = str(rng.choice(["dynamic_stitch", "parallel_dynamic_stitch"]))
    args, rows, pairs = [], 0, []
    for m in range(rng.integers(1, 5)):
        index = random_indices(random_shape(0, 3), 0, 12,
                               rng.choice(INTEGERS))
        data = random_array(dtype, index.shape + inner)
        pairs.append((index, data))
        tool.save(run.file("i%d.npy" % m), index, (1, 0), rng.random() < .4)
        tool.save(run.file("d%d.npy" % m), data, (1, 0), rng.random() < .4)
        args += ["i%d.npy" % m, "d%d.npy" % m]
        if index.size:
            rows = max(rows, int(index.max()) + 1)
    expect = np.zeros((rows,) + inner, "V%d" % dtype.itemsize)
    for index, data in pairs:
        flat = raw(data).reshape((index.size,) + inner)
        for j, row in enumerate(wide(index).ravel()):
            expect[row] = flat[j]
    got, said = run.out(op, *args, "--threads", int(rng.integers(1, 5)))
    checks.check(tool.same(got, cooked(expect, dtype)), "%s of %s: %s" % (
        op, [(i.tolist(), d.shape) for i, d in pairs], said))


def partition():
    dtype = np.dtype(rng.choice(PLAIN))
    ids = random_indices(random_shape(0, 3), 0, 4, rng.choice(INTEGERS))
    inner = random_shape(0, 3)
    data = random_array(dtype, ids.shape + inner)
    tool.save(P, data, (1, 0), rng.random() < .4)
    tool.save(I, ids, (1, 0), rng.random() < .4)
    rc, _, words = run.run("dynamic_partition", "p.npy", "i.npy", "-n", 5,
                           "-o", "part", "--threads", int(rng.integers(1, 5)))
    what = "partition by %s of %s %s" % (ids.tolist(), dtype, data.shape)
    if not checks.check(rc == 0 and not words, "%s: %s" % (what, words)):
        return
    flat = np.ascontiguousarray(data).reshape((ids.size,) + inner)
    for k in range(5):
        got = tool.load(run.file("part.%d.npy" % k))
        checks.check(tool.same(got, flat[wide(ids).ravel() == k]),
                     "%s: part %d" % (what, k))


# ---- fills ------------------------------------------------------------------

def fills():
    """fill=V against NumPy's own conversion."""
    tool.save(I, np.array([5], np.int8))
    cases = []
    for d in INTEGERS:
        info = np.iinfo(d)
        for v in (0, 1, 100, int(info.min), int(info.max)):
            cases.append((d, str(v), np.array(v, d)))
        for v in (int(info.min) - 1, int(info.max) + 1, 10 ** 30, -10 ** 30):
            cases.append((d, str(v), None))
        cases += [(d, v, None) for v in ("x", "1.5", "1x", " ", "nan", "--1")]
    floats = [d for d in PLAIN if d[1] in "fc"]
    for d in floats:
        part = np.dtype(d).char.lower() if d[1] == "f" else {
            8: "f", 16: "d", 32: "g"}[np.dtype(d).itemsize]
        for v in ("0", "-0.0", "1", "-2.5", "1e-3", "0.1", "1e4", "1e-7",
                  "3.14159265358979323846", "inf", "-inf", "6e-8", "2049"):
            cases.append((d, v, np.array(rounded(v, part), d)))
        info = np.finfo(part)
        cases.append((d, repr(float(info.max)) if part != "g" else "1e4000",
                      np.array(info.max if part != "g"
                               else np.longdouble("1e4000"), d)))
        cases += [(d, v, None) for v in ("x", "1,5", "1.5x", " ", "1e99999")]
        if part in "ef":
            cases.append((d, "1e39", None))
        if part == "e":
            cases += [(d, "65504", np.array(65504, d)), (d, "65536", None),
                      (d, "-70000", None)]
    for d in PLAIN + [STRUCTURES[1], STRUCTURES[2]]:
        dtype = np.dtype(d)
        a = random_array(dtype, ())
        text = "0x" + a.tobytes().hex()
        cases.append((d, text, a))
        if dtype.kind != "S":        # there it is a text
            cases.append((d, text + "00", None))
            cases.append((d, text[:-1], None))
    for d in ("<U3", ">U3", "|S5"):
        for v in ("a", "abc", "x y"):
            cases.append((d, v, np.array(v, d)))
    for v in ("\u00e9", "\u20ac\u20ac\u20ac", "\U0001f600a"):
        cases += [("<U3", v, np.array(v, "<U3")), (">U3", v,
                                                   np.array(v, ">U3"))]
    cases += [("<U3", "abcd", None), ("|S5", "abcdef", None),
              ("|V12", "1", None), (STRUCTURES[1], "1", None)]
    for d, v, expect in cases:
        fill(d, v, expect)


def rounded(v, part):
    """v in the type of the element; half precision rounds once, from v."""
    return {"e": np.float16, "f": np.float32, "d": np.float64,
            "g": np.longdouble}[part](v)


def fill(d, v, expect):
    dtype = np.dtype(d)
    tool.save(P, random_array(dtype, (2,)))
    got, said = run.out("gather", "p.npy", "i.npy", "--bad-index=fill=" + v)
    what = "fill=%s of %s" % (ascii(v), dtype)
    if expect is None:
        checks.check(got is None and not said.startswith("broken"),
                     "%s: taken or broken: %s" % (what, said))
        return
    if not checks.check(got is not None, "%s: %s" % (what, said)):
        return
    if dtype.kind in "fc" and dtype.itemsize >= 16 and v[:2] != "0x":
        ok = got.dtype == expect.dtype and got[0] == expect  # spare bytes
        ok = ok and np.signbit(got[0].real) == np.signbit(expect.real)
    else:
        ok = got.tobytes() == expect.tobytes()
    checks.check(ok, "%s: want %s got %s" % (
        what, expect.tobytes().hex(), got.tobytes().hex()))


tool.save(run.file("e.npy"), np.zeros((0, 0), np.int8))
round_trips()
long_headers()
headers()
descriptions()
fills()
for _ in range(count):
    take()
    fancy()
    scatter()
    stitch()
    partition()
checks.end()
