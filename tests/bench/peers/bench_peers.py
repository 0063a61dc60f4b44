"""Times the library against NumPy, PyTorch, TensorFlow, ONNX Runtime and
pyarrow on the same data, and writes the page of results.

    python tests/bench/peers/bench_peers.py [--quick] [--cells PATTERN]
        [--threads 1,2] [--rounds 9] [--peers numpy,torch] [--seed 1]
        [--header ndgather.h] [--out tests/bench/RESULTS.md]

Run it from the project's root with a Python that has the peers; one that is
missing is named and left out. Each number of threads is a process of its own,
as TensorFlow takes that number once. Every result is compared with NumPy's
before it is timed; a wrong one is named, is not timed, and makes the exit
status 1. With --quick or --cells the page goes to build/, unless --out says
otherwise: the published one has every cell.
"""

import argparse
import ctypes
import gc
import json
import os
import re
import statistics
import subprocess
import sys
import time

FOLDER = "build/bench-peers"
PAGE = "tests/bench/RESULTS.md"
TARGET = 10e6                        # ns of a timing, if one call is shorter

# Results that a peer allocates itself come from memory that was used before,
# on large pages: without this, page faults would be most of what is timed.
ALLOCATOR = ("glibc.malloc.mmap_max=0:glibc.malloc.hugetlb=1:"
             "glibc.malloc.trim_threshold=0x7fffffffffff")


def options():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--quick", action="store_true", help="few cells")
    p.add_argument("--cells", default="", help="regular expression")
    p.add_argument("--threads", default="", help="1,2 (quick: 1)")
    p.add_argument("--rounds", type=int, default=0, help="9 (quick: 7)")
    p.add_argument("--peers", default="", help="only these")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--header", default="ndgather.h")
    p.add_argument("--out", default="")
    p.add_argument("--child", default="", help=argparse.SUPPRESS)
    o = p.parse_args()
    o.threads = o.threads or ("1" if o.quick else "1,2")
    o.rounds = o.rounds or (7 if o.quick else 9)
    if o.rounds < 7:
        p.error("--rounds: at least 7")
    part = o.quick or o.cells or o.peers or o.header != "ndgather.h"
    o.out = o.out or (FOLDER + "/RESULTS.md" if part else PAGE)
    return o


def chosen(o):
    """The cells wanted, the single call always."""
    from bench_cells import CALL, all_cells
    return [c for c in all_cells() if c.op == CALL
            or (c.quick or not o.quick) and re.search(o.cells, c.name)]


# ---- one process, one number of threads -------------------------------------
def verified(everyone, data, say):
    """Those whose result is NumPy's; a ceiling has none."""
    good = []
    for c in everyone:
        if c.result is None:
            good.append(c)
            continue
        data.spoil()
        try:
            words = None if data.right(c.result()) else "a wrong result"
        except Exception as e:
            words = "%s: %s" % (type(e).__name__, str(e).split("\n")[0])
        if words:
            say("WRONG: %s: %s, %s: %s"
                % (data.cell.name, c.who, c.form, words))
        else:
            good.append(c)
    return good


def calls_for(ns):
    return max(1, min(10 ** 7, int(TARGET / max(ns, 1))))


def pilot(c):
    """About what a call takes, or None if the machine cannot do it."""
    best = c.time(1)
    if best is None:
        return None
    for _ in range(2 if best < TARGET else 1):
        best = min(best, c.time(max(1, calls_for(best) // 4)))
    return best


def best_forms(everyone):
    """[(contestant, calls)]: of each who, the form that is fastest here."""
    best = {}
    for c in everyone:
        ns = pilot(c)
        if ns is not None and (c.who not in best or ns < best[c.who][1]):
            best[c.who] = (c, ns)
    return [(c, calls_for(ns)) for c, ns in best.values()]


def rounds_of(contestants, rounds, threads):
    """Times everyone once a round, each time from another start."""
    times = {c.who: [] for c, _ in contestants}
    gc.collect()
    gc.disable()
    for r in range(rounds):
        at = r % len(contestants)
        for c, calls in contestants[at:] + contestants[:at]:
            if threads > 1:
                time.sleep(0.01)     # idle workers of others stop spinning
            times[c.who].append(c.time(calls))
    gc.enable()
    return times


def measure(cell, made, o, threads, say):
    """What the page needs to know of a cell. Times are ns per row."""
    import bench_jobs
    import bench_rivals
    from bench_cells import Data
    libraries, peers, buffers = made
    helper = libraries[0]            # for all that is not the library
    data = Data(cell, buffers, o.seed)
    everyone = (bench_jobs.ours(libraries, data, threads)
                + bench_jobs.naive(helper, data, threads)
                + bench_rivals.contestants(peers, data))
    everyone = verified(everyone, data, say)
    everyone += bench_jobs.ceilings(helper, data, threads)
    contestants = best_forms(everyone)
    times = rounds_of(contestants, o.rounds, threads)
    return {"name": cell.name, "op": cell.op, "rows": cell.rows,
            "dram": cell.dram, "headline": cell.headline, "goal": cell.goal,
            "times": {c.who: {
                "form": c.form,
                "best": min(times[c.who]) / cell.rows,
                "median": statistics.median(times[c.who]) / cell.rows}
                for c, _ in contestants}}


def brief(cell):
    """One line while running."""
    words = ["%s %.3g" % (who.replace("ceiling ", "|"), t["best"])
             for who, t in cell["times"].items()]
    return "  %-34s %s" % (cell["name"], "  ".join(words))


def pin(threads):
    """To as many cores as there are threads: the last ones."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, cores[-threads:])


def give_back():
    """Memory of the last cell to the system: the allocator keeps it all."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)


def peak():
    """The most memory this process has had, in bytes."""
    with open("/proc/self/status") as f:
        return 1024 * int(re.search(r"VmHWM:\s*(\d+)", f.read()).group(1))


def child(o):
    threads = int(o.threads)
    wrong = []

    def say(line):
        wrong.append(line)
        print(line, flush=True)
    import bench_lib
    import bench_rivals
    from bench_cells import Buffers
    libraries = bench_lib.build(o.header, FOLDER)
    pin(threads)                     # before any library starts its threads
    peers, missing = bench_rivals.start(
        threads, o.peers.split(",") if o.peers else None)
    for name, why in missing.items():
        print("skip: %s: %s" % (name, why), flush=True)
    cells = chosen(o)
    made = libraries, peers, Buffers(cells)
    print("%d thread%s, ns per row, best of %d; | is a ceiling"
          % (threads, "s" * (threads > 1), o.rounds), flush=True)
    results = []
    for cell in cells:
        results.append(measure(cell, made, o, threads, say))
        give_back()                  # before the next cell's arrays
        print(brief(results[-1]), flush=True)
    print("peak memory: %.1f GiB" % (peak() / 2 ** 30), flush=True)
    with open(o.child, "w") as f:
        json.dump({"threads": threads, "cells": results, "wrong": wrong,
                   "missing": missing, "rounds": o.rounds,
                   "library": libraries[0].version,
                   "compilers": [[x.name, x.version_text]
                                 for x in libraries],
                   "peers": {p.name: p.version for p in peers}}, f)


# ---- all of it --------------------------------------------------------------
def environment(threads):
    env = dict(os.environ, GLIBC_TUNABLES=ALLOCATOR,
               ARROW_DEFAULT_MEMORY_POOL="system", TF_CPP_MIN_LOG_LEVEL="3",
               CUDA_VISIBLE_DEVICES="-1", PYTHONDONTWRITEBYTECODE="1")
    for name in ("OMP", "MKL", "OPENBLAS"):
        env[name + "_NUM_THREADS"] = str(threads)
    return env


def run_child(o, threads):
    """Its results."""
    path = "%s/threads-%d.json" % (FOLDER, threads)
    command = [sys.executable, os.path.abspath(__file__), "--child", path,
               "--threads", str(threads), "--rounds", str(o.rounds),
               "--cells", o.cells, "--peers", o.peers, "--header", o.header,
               "--seed", str(o.seed)] + ["--quick"] * o.quick
    subprocess.run(command, env=environment(threads), check=True)
    with open(path) as f:
        return json.load(f)


def parent(o):
    import bench_page
    os.makedirs(FOLDER, exist_ok=True)
    machine = bench_page.machine()           # its load before we add ours
    cores = (len(os.sched_getaffinity(0))
             if hasattr(os, "sched_getaffinity") else os.cpu_count())
    results = []
    for threads in map(int, o.threads.split(",")):
        if threads > cores:
            print("skip: %d threads: %d cores" % (threads, cores))
        else:
            results.append(run_child(o, threads))
    if not results:
        sys.exit("nothing to run")
    print("\n" + bench_page.write(o.out, results, machine))
    sys.exit(1 if any(r["wrong"] for r in results) else 0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    asked = options()
    child(asked) if asked.child else parent(asked)
