"""The tool against NumPy: files of every kind, headers, fills. (What its ops give
is compared by cli_random.py.)"""

import warnings

import tool
from tool import INTEGERS, PLAIN

np, = tool.need("cli_numpy", "numpy")
warnings.simplefilter("ignore")
rng = np.random.default_rng(tool.number(1, 1))
count = tool.number(2, 600)
checks = tool.Checks("cli_numpy")
run = tool.Tool()
P, I = run.file("p.npy"), run.file("i.npy")

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
    a = tool.random_array(rng, dtype, (int(rng.integers(1, 5)), int(rng.integers(1, 4))))
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
    checks.check(data == source[index.astype(np.int64)].tobytes(), what + ": other bytes")
    checks.check(tool.load(run.file("o.npy")).dtype == tool.load(P).dtype,
                 what + ": another type")


def long_headers():
    """Structures whose header needs format 2.0 or 3.0."""
    for fields, name in ((100, "f%d"), (1000, "f%d"), (4000, "field%d"),
                         (20000, "f%d"), (100, LATIN + "%d"),
                         (5000, LATIN + "%d"), (100, BEYOND + "%d"),
                         (4000, BEYOND + "%d")):
        dtype = np.dtype([(name % i, "|u1") for i in range(fields)])
        a = tool.random_array(rng, dtype, (3,))
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
        a = tool.random_array(rng, dtype, ())
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
    cases += [("|b1", v, np.array(v in ("1", "true"), "|b1"))
              for v in ("0", "1", "false", "true")]
    cases += [("|b1", v, None) for v in ("2", "yes", "-1")]
    cases += [("<i4", v, None) for v in ("0x010203zz", "0x0102030")]
    for d, v, expect in cases:
        fill(d, v, expect)


def rounded(v, part):
    """v in the type of the element; half precision rounds once, from v."""
    return {"e": np.float16, "f": np.float32, "d": np.float64,
            "g": np.longdouble}[part](v)


def fill(d, v, expect):
    dtype = np.dtype(d)
    tool.save(P, tool.random_array(rng, dtype, (2,)))
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
checks.end()
