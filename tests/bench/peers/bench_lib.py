"""The library and the C helper of bench_peers.py, through ctypes."""

import ctypes
import mmap
import os
import shutil
import subprocess

from bench_helper import SOURCE

size_t = ctypes.c_ssize_t            # ptrdiff_t
pointer, integer = ctypes.c_void_p, ctypes.c_int

MAX_THREADS = 16
FLAGS = ["-std=c99", "-O2"]

# What the helper's bench_run does: its enum, in its order.
(GATHER, STITCH, PARTITION, NAIVE_GATHER, NAIVE_ND, NAIVE_STITCH,
 NAIVE_PARTITION, COPY, LINES, STORES) = range(10)


class List(ctypes.Structure):
    _fields_ = [("indices", pointer), ("data", pointer), ("count", size_t),
                ("index_stride", size_t), ("data_stride", size_t)]


class Job(ctypes.Structure):
    """The helper's job."""
    _fields_ = [("kind", size_t), ("units", size_t), ("plan", pointer),
                ("source", pointer), ("indices", pointer), ("out", pointer),
                ("out_bytes", size_t), ("rows", size_t),
                ("row_bytes", size_t), ("outer", size_t), ("width", size_t),
                ("shared", size_t), ("depth", size_t), ("dims", size_t * 8),
                ("lists", ctypes.POINTER(List)), ("list_count", size_t),
                ("total", size_t), ("parts", size_t), ("counts", pointer),
                ("cursors", pointer), ("outs", pointer),
                ("variant", size_t), ("failed", size_t), ("run", pointer),
                ("range", pointer), ("count", pointer), ("starts", pointer)]


def address(array):
    """Of a NumPy array's first element."""
    return array.ctypes.data


def compile_so(compiler, source, target, more):
    command = [compiler] + FLAGS + ["-fPIC", "-shared"] + more
    subprocess.run(command + ["-x", "c", source, "-o", target], check=True)
    return ctypes.CDLL(os.path.abspath(target))


def first_line(command):
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    return text.splitlines()[0] if text else command[0]


class Library:
    """One build of ndgather.h."""

    def __init__(self, header, compiler, folder):
        name = os.path.basename(compiler)
        path = os.path.join(folder, "libndgather-%s.so" % name)
        self.name = name
        self.version_text = first_line([compiler, "--version"])
        self.so = compile_so(compiler, header, path,
                             ["-DNDGATHER_IMPLEMENTATION"])
        self.so.ndg_status_text.restype = ctypes.c_char_p
        v = self.so.ndg_version()
        self.version = "%d.%d.%d" % (v // 10000, v // 100 % 100, v % 100)

    def function(self, name):
        return ctypes.cast(getattr(self.so, name), pointer).value

    def plan(self, name, kind, cell, helper):
        """The plan that ndg_plan_NAME makes for a cell, as opaque bytes."""
        plan = ctypes.create_string_buffer(helper.size(3 + kind))
        params, indices = (
            (size_t * len(s))(*s) for s in (cell.params, cell.indices))
        status = helper.so.bench_plan(
            kind, pointer(self.function("ndg_plan_" + name)), plan, params,
            len(params), indices, len(indices), size_t(cell.word),
            cell.parts or cell.axis)
        if status:
            raise RuntimeError("ndg_plan_%s: %s" % (
                name, self.so.ndg_status_text(status).decode()))
        return plan


class Helper:
    """The compiled SOURCE."""

    def __init__(self, header, compiler, folder):
        path = os.path.join(folder, "helper.c")
        with open(path, "w") as f:
            f.write(SOURCE)
        self.so = compile_so(
            compiler, path, os.path.join(folder, "helper.so"),
            ["-I" + (os.path.dirname(header) or "."), "-pthread"])
        self.so.bench_size.restype = size_t
        self.so.bench_run.restype = ctypes.c_double
        self.so.bench_run.argtypes = [ctypes.POINTER(Job), integer, integer]
        for what, struct in enumerate([Job, List]):
            if ctypes.sizeof(struct) != self.size(what):
                raise RuntimeError("%s is not as in ndgather.h"
                                   % struct.__name__)

    def size(self, what):
        return self.so.bench_size(what)

    def run(self, job, threads, calls):
        """ns of a call, or None where the job says it cannot."""
        ns = self.so.bench_run(ctypes.byref(job), threads, calls)
        return None if ns < 0 else ns


def compilers():
    """gcc and clang if they are there, else what cc is."""
    return [c for c in ("gcc", "clang") if shutil.which(c)] or ["cc"]


def build(header, folder):
    """(libraries, helper)"""
    os.makedirs(folder, exist_ok=True)
    found = compilers()
    return ([Library(header, c, folder) for c in found],
            Helper(header, found[0], folder))


def memory(size):
    """size bytes on 2-MiB pages where the system has them, aligned to 2 MiB
    and touched, as a NumPy array."""
    import numpy as np
    big = 2 << 20
    region = mmap.mmap(-1, size + big,      # shared memory has small pages
                       flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        region.madvise(mmap.MADV_HUGEPAGE)
    array = np.frombuffer(region, np.uint8)
    at = -address(array) % big
    array = array[at:at + size]
    array[:] = 0
    return array
