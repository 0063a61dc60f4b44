"""NumPy's own tests of take, with the tool in take's place.

    python3 tests/peers/numpy_take.py

Each test function of NumPy that mentions np.take or an array's take is run
twice: as it is, and from a copy (in build/peers) in which every such mention
calls the tool instead. What the tool gives is also compared with what NumPy
gives, whatever the test asserts. A call whose meaning is not the tool's goes to
NumPy and is counted with its reason. Needs numpy with its tests, and pytest.
"""

import ast
import collections
import contextlib
import glob
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "tool")]
import tool  # noqa: E402

np, pytest = tool.need("numpy_take", "numpy", "pytest")

COPIES = os.path.join("build", "peers")
POLICIES = {"raise": ["--negative", "from-end"],
            "clip": ["--bad-index", "clip"], "wrap": ["--bad-index", "wrap"]}

checks = tool.Checks("numpy_take")
run = tool.Tool()
through = collections.Counter()     # calls of the tool: by what came of them
passed_by = collections.Counter()   # calls that went to NumPy: by the reason


# ---- take, by the tool ------------------------------------------------------

def unlike(a, indices, axis, out, mode):
    """Why a call has no meaning for the tool, or None."""
    if type(a) is not np.ndarray:
        return "a subclass, whose type take keeps"
    if a.dtype.hasobject:
        return "objects: pointers, which no file holds"
    if a.dtype.kind == "T":
        return "strings of any length: pointers, too"
    if a.dtype.itemsize == 0:
        return "elements of no bytes"
    if mode not in POLICIES:
        return "not a mode: NumPy refuses it"
    if indices.dtype == np.uint64:
        return "uint64 indices: NumPy refuses them"
    if axis is not None and not isinstance(axis, (int, np.integer)):
        return "an axis that is no integer: NumPy refuses it"
    if axis is not None and not -a.ndim <= axis < max(a.ndim, 1):
        return "no such axis"
    if out is not None and (type(out) is not np.ndarray
                            or out.dtype != a.dtype):
        return "an out of another type"
    return None


def integers(indices):
    """Indices as NumPy sees them."""
    indices = np.asarray(indices)
    if indices.dtype.kind == "b" or indices.size == 0:
        return indices.astype(np.intp)
    return indices


def by_tool(a, indices, axis, mode):
    """What the tool makes of a call: an array, or the error to raise."""
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0
    tool.save(run.file("p.npy"), a, None, not a.flags.c_contiguous)
    tool.save(run.file("i.npy"), indices)
    got, said = run.out("gather", "p.npy", "i.npy", "--axis", int(axis),
                        *POLICIES[mode])
    if got is not None:
        return got
    if " is not in [" in said:
        return IndexError(said)
    if indices.dtype.str[1:] in said:
        return TypeError(said)
    return RuntimeError(said)


def by_numpy(a, indices, axis, mode):
    try:
        return np.asarray(np.ndarray.take(a, indices, axis, None, mode))
    except Exception as e:
        return e


def alike(got, want):
    if isinstance(want, Exception) or isinstance(got, Exception):
        return type(got) is type(want)
    return tool.same(got, want)


def take(a, indices, axis=None, out=None, mode="raise"):
    """numpy.take, through the tool wherever that can be."""
    given = indices
    try:
        a = a if isinstance(a, np.ndarray) else np.asarray(a)
        indices = integers(indices)
        why = unlike(a, indices, axis, out, mode)
    except Exception:
        why = "not arrays at all"
    if why is None and out is not None:
        kept = a.shape[axis + 1 if axis != -1 else a.ndim:] if axis else ()
        if axis is None and out.shape != indices.shape + kept:
            why = "an out of another shape"
    if why:
        passed_by[why] += 1
        return np.take(a, given, axis, out, mode)
    got, want = by_tool(a, indices, axis, mode), by_numpy(a, indices, axis,
                                                          mode)
    checks.check(alike(got, want), "take of %s%s by %s%s, axis %s, %s: the "
                 "tool %r, NumPy %r" % (a.dtype, a.shape, indices.dtype,
                                        indices.shape, axis, mode, got, want))
    if isinstance(got, Exception):
        through[type(got).__name__] += 1
        try:
            raise got
        finally:
            got = want = None           # else they keep `out` alive
    through["an array"] += 1
    if out is not None:
        out[...] = got
        return out
    # The type itself, with what a file does not tell of it.
    got = np.ndarray(got.shape, a.dtype, got.tobytes())
    return got if got.ndim else got[()]


def take_of(owner):
    """What stands for owner.take in the copies."""
    if owner is np:
        return take
    if isinstance(owner, (np.ndarray, np.generic)):
        return lambda *args, **named: take(owner, *args, **named)
    return owner.take


# ---- NumPy's tests ----------------------------------------------------------

class Copy(ast.NodeTransformer):
    """Puts take_of(x) in the place of x.take; lists the tests that have it."""

    def __init__(self):
        self.where, self.tests = [], []

    def visit_ClassDef(self, node):
        self.where.append(node.name)
        self.generic_visit(node)
        self.where.pop()
        return node

    def visit_FunctionDef(self, node):
        self.where.append(node.name)
        self.generic_visit(node)
        self.where.pop()
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr != "take" or not isinstance(node.ctx, ast.Load):
            return node
        test = "::".join(self.where[:2] if self.where[:1] and
                         self.where[0][:4] == "Test" else self.where[:1])
        if test not in self.tests:
            self.tests.append(test)
        return ast.copy_location(ast.Call(
            ast.Name("take_of", ast.Load()), [node.value], []), node)


def copied(path):
    """Copies of a test file: (with the tool, as it is, tests that use take)."""
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read())
    copy = Copy()
    tree = copy.visit(tree)
    tree.body.insert(0, ast.parse("from numpy_take import take_of").body[0])
    name = os.path.join(COPIES, "take_" + os.path.basename(path))
    with open(name, "w", encoding="utf-8") as f:
        f.write(ast.unparse(ast.fix_missing_locations(tree)) + "\n")
    plain = os.path.join(COPIES, "plain_" + os.path.basename(path))
    shutil.copyfile(path, plain)
    return name, plain, copy.tests


class Results:
    """pytest's plugin: what became of each test."""

    def __init__(self):
        self.outcome = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("test_", 1)[-1]
        if report.when == "call" or report.outcome != "passed":
            self.outcome[name] = report.outcome


def outcomes(paths):
    """Runs these tests quietly: what became of each, by name."""
    results = Results()
    pytest.main(["-q", "-q", "-p", "no:cacheprovider", "--no-header",
                 "--tb=line", "--no-summary", "--import-mode=importlib",
                 "--rootdir", COPIES, "-c", os.path.join(COPIES, "empty.ini"),
                 "-W", "ignore"] + paths, plugins=[results])
    return results.outcome


def test_files():
    core = getattr(np, "_core", None) or np.core
    folder = os.path.join(os.path.dirname(core.__file__), "tests")
    return sorted(p for p in glob.glob(os.path.join(folder, "test_*.py"))
                  if "take" in open(p, encoding="utf-8").read())


def main():
    files = test_files()
    if not files:
        print("skip: numpy_take: this numpy comes without its tests")
        return
    os.makedirs(COPIES, exist_ok=True)
    with open(os.path.join(COPIES, "empty.ini"), "w") as f:
        f.write("[pytest]\n")
    sys.modules["numpy_take"] = sys.modules["__main__"]
    ours, theirs = [], []
    for path in files:
        name, plain, tests = copied(path)
        tests = [t for t in tests if t.split("::")[-1][:4] in ("test", "tst_")]
        if path.endswith(("test_multiarray.py", "test_item_selection.py")):
            tests = sorted({t for t in tests if "TestTake" not in t}) \
                + ["TestTake"]
        ours += [name + "::" + t for t in tests]
        theirs += [plain + "::" + t for t in tests]
    with open(os.path.join(COPIES, "pytest.log"), "w") as log, \
            contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        got, want = outcomes(ours), outcomes(theirs)
    for test in sorted(set(want) | set(got)):
        checks.check(got.get(test) == want.get(test), "test_%s: %s with the "
                     "tool, %s as it is" % (test, got.get(test, "not run"),
                                            want.get(test, "not run")))
    report(got)
    checks.check(sum(through.values()) >= 60,
                 "only %d calls of the tool" % sum(through.values()))


def report(got):
    told = collections.Counter(got.values())
    print("NumPy %s: %d tests with the tool for take: %s" % (
        np.__version__, len(got),
        ", ".join("%d %s" % (n, k) for k, n in sorted(told.items()))))
    print("calls through the tool: %d (%s)" % (
        sum(through.values()),
        ", ".join("%d %s" % (n, k) for k, n in sorted(through.items()))))
    print("calls passed by: %d" % sum(passed_by.values()))
    for why, n in passed_by.most_common():
        print("    %d  %s" % (n, why))


if __name__ == "__main__":
    main()
    checks.end()
