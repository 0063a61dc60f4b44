"""The library and helper.c, through ctypes."""

import ctypes
import mmap
import os
import shutil
import subprocess

HELPER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper.c")

size_t = ctypes.c_ssize_t            # ptrdiff_t
pointer, integer = ctypes.c_void_p, ctypes.c_int

MAX_THREADS = 16

# What the helper's bench_run does: its enum, in its order.
(GATHER, STITCH, PARTITION, NAIVE_GATHER, NAIVE_ND, NAIVE_STITCH,
 NAIVE_PARTITION, COPY, LINES, STORES) = range(10)
PLANS = ["gather", "gather_nd", "batch_gather", "stitch", "partition"]


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
                ("variant", size_t), ("failed", size_t)]


def address(array):
    """Of a NumPy array's first element."""
    return array.ctypes.data


def first_line(command):
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    return text.splitlines()[0] if text else command[0]


class Library:
    """One build of ndgather.h, and of the helper that times it."""

    def __init__(self, header, compiler, folder):
        self.name = os.path.basename(compiler)
        self.version_text = first_line([compiler, "--version"])
        path = os.path.join(folder, "libndgather-%s" % self.name)
        command = [compiler, "-std=c99", "-O2", "-fPIC",
                   "-I" + (os.path.dirname(header) or ".")]
        subprocess.run(command + ["-DNDGATHER_IMPLEMENTATION", "-c", "-x", "c",
                                  header, "-o", path + ".o"], check=True)
        subprocess.run(command + ["-shared", HELPER, path + ".o", "-pthread",
                                  "-o", path + ".so"], check=True)
        self.so = ctypes.CDLL(os.path.abspath(path + ".so"))
        self.so.ndg_status_text.restype = ctypes.c_char_p
        self.so.bench_size.restype = size_t
        self.so.bench_run.restype = ctypes.c_double
        self.so.bench_run.argtypes = [ctypes.POINTER(Job), integer, integer]
        for what, struct in enumerate([Job, List]):
            if ctypes.sizeof(struct) != self.so.bench_size(what):
                raise RuntimeError("%s is not as in ndgather.h"
                                   % struct.__name__)
        v = self.so.ndg_version()
        self.version = "%d.%d.%d" % (v // 10000, v // 100 % 100, v % 100)

    def plan(self, name, kind, cell):
        """The plan that ndg_plan_NAME makes for a cell, as opaque bytes."""
        plan = ctypes.create_string_buffer(self.so.bench_size(3 + kind))
        params, indices = (
            (size_t * len(s))(*s) for s in (cell.params, cell.indices))
        status = self.so.bench_plan(
            PLANS.index(name), plan, params, len(params), indices,
            len(indices), size_t(cell.word), cell.parts or cell.axis)
        if status:
            raise RuntimeError("ndg_plan_%s: %s" % (
                name, self.so.ndg_status_text(status).decode()))
        return plan

    def run(self, job, threads, calls):
        """ns of a call, or None where the job says it cannot."""
        ns = self.so.bench_run(ctypes.byref(job), threads, calls)
        return None if ns < 0 else ns


def compilers():
    """gcc and clang if they are there, else what cc is."""
    return [c for c in ("gcc", "clang") if shutil.which(c)] or ["cc"]


def build(header, folder):
    """By every compiler there is."""
    os.makedirs(folder, exist_ok=True)
    return [Library(header, c, folder) for c in compilers()]


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
