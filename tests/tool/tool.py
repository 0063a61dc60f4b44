"""Runs the command-line tool on NumPy arrays: what the cli_*.py share.

The tool is $NDGATHER or build/ndgather. Each script is run from the project's
root as `python3 tests/tool/cli_x.py [seed] [count]`; it prints failures and
skips and, at the end, `cli_x: N passed, N failed`.
"""

import ast
import atexit
import importlib
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
from checks import Checks  # noqa: E402

try:
    import numpy as np
except ImportError:                 # which need() tells
    np = None


def need(script, *modules):
    """Imports the modules, or says which is missing and ends with 0."""
    found = []
    for name in modules:
        try:
            found.append(importlib.import_module(name))
        except ImportError as e:
            print("skip: %s: no module named %s" % (script, e.name or name))
            sys.exit(0)
    return found


def number(at, default):
    """The command line's argument number `at`."""
    return int(sys.argv[at]) if len(sys.argv) > at else default


class Tool:
    """A temporary folder and the tool running in it."""

    def __init__(self):
        path = os.environ.get("NDGATHER", "build/ndgather")
        self.path = os.path.abspath(path)
        if not os.access(self.path, os.X_OK):
            sys.exit(path + " is missing: make")
        self.dir = tempfile.mkdtemp(prefix="ndgather.")
        atexit.register(shutil.rmtree, self.dir, True)

    def file(self, name):
        return os.path.join(self.dir, name)

    def run(self, *args):
        """(status, stdout, stderr) of the tool in its folder."""
        r = subprocess.run([self.path] + [str(a) for a in args],
                           cwd=self.dir, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=60)
        return (r.returncode, r.stdout.decode("utf-8", "replace"),
                r.stderr.decode("utf-8", "replace"))

    def out(self, op, *args):
        """(array or None, line): OUT of a run, or the error line.

        A line that begins with `broken` tells a breach of the contract:
        output on stdout, words on success, more than a line, files left.
        """
        before = set(os.listdir(self.dir))
        rc, stdout, stderr = self.run(op, *args, "-o", "out.npy")
        left = set(os.listdir(self.dir)) - before
        if stdout:
            return None, "broken: stdout: " + stdout[:200]
        if rc == 0:
            if stderr or left - {"out.npy"}:
                return None, "broken: left %s, said %s" % (left, stderr)
            array = load(self.file("out.npy"))
            os.remove(self.file("out.npy"))
            return array, ""
        if rc != 1 or stderr.count("\n") != 1 or left:
            return None, "broken: exit %d, left %s, said %s" % (
                rc, left, stderr[:500])
        prefix = "ndgather: %s: " % op
        if not stderr.startswith(prefix):
            return None, "broken: " + stderr
        return None, stderr[len(prefix):-1]


INTEGERS = ["|i1", "|u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4",
            ">u4", "<i8", ">i8", "<u8", ">u8"]
PLAIN = INTEGERS + [
    "|b1", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", "<c16",
    ">c16", "|S1", "|S5", "|S300", "<U1", "<U3", ">U3", "|V1", "|V12",
    "|V1000", "<M8", "<M8[ns]", ">M8[ns]", "<M8[25us]", "<M8[D]", ">M8[Y]",
    "<m8[s]", ">m8[h]", "<m8[2W]", "<m8"]
if np and np.dtype(np.longdouble).itemsize == 16:
    PLAIN += ["<f16", ">f16", "<c32", ">c32"]


def random_array(rng, dtype, shape):
    """Random bytes (bools: 0 and 1) as an array of dtype."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    data = rng.integers(0, 2 if dtype.kind == "b" else 256, size, np.uint8)
    if dtype.kind == "U":        # only code points can be loaded again
        data = data.view("<u4") % 0x10000 % 0xd800
        data = data.astype(dtype.byteorder + "u4").view(np.uint8)
    return np.ndarray(shape, dtype, data.tobytes())


def raw(a):
    """The elements as opaque bytes: NumPy's scalars would forget byte order,
    trailing zeros and padding."""
    return cooked(a, "V%d" % a.dtype.itemsize)


def cooked(a, dtype):
    """The opposite of raw, of an array or a scalar."""
    return np.ndarray(np.shape(a), dtype, a.tobytes())


def save(path, array, version=(1, 0), fortran=False):
    """Writes array; fortran asks for that order, where it is one."""
    array = (np.asfortranarray if fortran and array.ndim > 1
             else lambda a: a.copy("C"))(array)
    with open(path, "wb") as f:
        np.lib.format.write_array(f, array, version)


def save_header(path, header, data, version=(1, 0), pad=True):
    """Writes a file with this header text and these bytes."""
    text = header.encode("utf-8" if version[0] == 3 else "latin-1")
    size = 2 if version[0] == 1 else 4
    if pad:
        text += b" " * (-(len(text) + 9 + size) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY" + bytes(version))
        f.write(len(text).to_bytes(size, "little") + text + data)


def header(path):
    """(version, dictionary, offset of the data) of a file."""
    with open(path, "rb") as f:
        head = f.read(12)
        size = 2 if head[6] == 1 else 4
        length = int.from_bytes(head[8:8 + size], "little")
        f.seek(8 + size)
        text = f.read(length)
    return ((head[6], head[7]),
            ast.literal_eval(text.decode("utf-8" if head[6] == 3
                                         else "latin-1")),
            8 + size + length)


def load(path):
    """The array of a file, its header read by NumPy; any header length."""
    with open(path, "rb") as f:
        return np.lib.format.read_array(f, max_header_size=1 << 30)


def same(a, b):
    """Same shape, type and bytes."""
    return (a is not None and a.shape == b.shape and a.dtype == b.dtype
            and a.tobytes() == b.tobytes())


def place(mask):
    """`[1,0]` of the first true element and how many more there are."""
    at = np.argwhere(mask)[0] if mask.ndim else []
    text = "[%s]" % ",".join(str(int(x)) for x in at) if len(at) else ""
    return text, int(np.count_nonzero(mask)) - 1


def line(mask, words, more=None):
    """The error line for these bad places: words has %s for the place and
    is a function of its coordinates."""
    text, others = place(mask)
    at = tuple(np.argwhere(mask)[0]) if mask.ndim else ()
    others = others if more is None else more
    return words(text, at) + (" (and %d more)" % others if others else "")


def out_of_range(indices, extent, from_end=False):
    """Where indices (any integer type) lie outside of [0, extent)."""
    values = indices.astype(object)
    low = -extent if from_end else 0
    bad = np.array([not low <= v < extent for v in values.ravel()], bool)
    return bad.reshape(indices.shape)


def gather_line(indices, extent, from_end=False):
    """gather's error line, or None if every index is good."""
    bad = out_of_range(indices, extent, from_end)
    if not bad.any():
        return None
    low = -extent if from_end else 0
    return line(bad, lambda text, at: "indices%s = %d is not in [%d, %d)" % (
        text, indices[at], low, extent))


def bad_vectors(indices, shape, batch, from_end=False):
    """Which index vectors name no slice of an array of this shape."""
    bad = np.zeros(indices.shape[:-1], bool)
    for c in range(indices.shape[-1]):
        bad |= out_of_range(indices[..., c], shape[batch + c], from_end)
    return bad


def gather_nd_line(indices, shape, batch, from_end=False, whose="params "):
    """gather_nd's error line, or None if every vector is good."""
    bad = bad_vectors(indices, shape, batch, from_end)
    if not bad.any():
        return None
    return line(bad, lambda text, at: (
        "indices%s = [%s] does not index into %sshape [%s]" % (
            text, ", ".join(str(int(v)) for v in indices[at]), whose,
            ",".join(map(str, shape)))))


def scatter_nd_line(indices, shape, batch, from_end=False):
    """scatter_nd's error line, or None if every vector is good."""
    return gather_nd_line(indices, shape, batch, from_end, "")
