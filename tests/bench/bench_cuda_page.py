"""Writes the page of a run of bench_cuda.

    python tests/bench/bench_cuda_page.py RESULTS.jsonl
        [--out tests/bench/RESULTS_CUDA.md]

Only a run of the full mode is published, with what it did not measure named:
for any other it says what is missing, prints the goals and exits with status
1.
"""

import argparse
import datetime
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "peers"))
from bench_page import mean, ratio, table                   # noqa: E402

PEERS = ["torch", "cupy", "jax", "cub", "naive"]
METHOD = """\
- One process, one stream, one set of buffers for all; contestants take turns.
  A sample is a replay of a CUDA graph with one launch on each of %(sets)d sets
  of indices and output, between two events, divided by %(sets)d; times are the
  best and the median of %(samples)d samples. What could not be captured ran as
  a loop between events, JAX by the clock: the list of forms says so.
- Every result was compared, word by word, with what the indices say, on every
  set, before it was timed. Indices are uniform and random; those of a stitch
  are a permutation in two lists.
- The library checks every index and keeps a report in every cell. A partition
  is the packed one, which needs no sizes; "counted" counts, and then runs into
  parts of their own; "sizes known" is that run alone. A stitch also zeroes, and
  reports, rows that nobody names; "unique" is ndg_cuda_stitch_unique, to which
  the caller promises that no two indices are equal.
- Handicaps of the others: CuPy's and PyTorch's fancy forms and JAX allocate
  their result, from memory already theirs; JAX clamps or trusts indices;
  naive kernels (one thread for each word) check them but report nothing.
- **lead** = the best of all others / ours. **fraction** = ceiling / ours, the
  ceilings taken in this run. B is the best of six copy kernels and cudaMemcpy,
  in bytes read and written. P is the rate of a probe that loads a word from
  random 32-byte sectors of a table of that size, its indices hashed in
  registers, 8 or 16 loads in flight in each thread. R is the bytes of a row, I
  those of its indices, S those of the sectors it lies in (the mean).
  - tables beyond the L2 cache, rows from 32 B, and stitch and partition:
    (2 R + I) / B
  - smaller rows: (S + R + I) / (32 P)
  - tables in the L2 cache: the larger of (R + I) / B and S / (32 P)"""


# ---- figures ----------------------------------------------------------------
def number(x):
    """Three digits that tell, or nothing."""
    if x is None:
        return ""
    return "%.0f" % x if x >= 100 else "%.3g" % x


def size(n):
    """In words; a table a row short of a power of two is called that."""
    whole = 2 ** round(math.log2(n)) if n else 0
    n = whole if abs(n - whole) < n / 100 else n
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024 or unit == "GiB":
            return "%.4g %s" % (n, unit)
        n /= 1024


def sector_bytes(row):
    """Of the 32-byte sectors that a row at a random multiple of it lies in."""
    g = math.gcd(row, 32)
    return row if g == 32 else 32 + row - g


class Run:
    def __init__(self, path):
        self.device, self.ceilings, self.end, self.cells = {}, {}, {}, []
        with open(path) as f:
            for line in f:
                if not line.endswith("\n"):     # cut off while being written
                    break
                said = json.loads(line)
                for key in ("device", "ceilings", "end"):
                    if key in said:
                        setattr(self, key, said[key])
                if "cell" in said:
                    self.cells.append(said)
        self.copy = max(self.ceilings.get("copy", 0),
                        self.ceilings.get("memcpy", 0))
        self.rows = sorted((Row(c, self) for c in self.cells),
                           key=lambda r: (r.lead or math.inf, r.name))

    def sectors(self, table):
        """The probe's rate for the size next to this table's."""
        rates = self.ceilings.get("sectors", {})
        nearest = min(rates, key=lambda k: abs(math.log(int(k) / table)),
                      default=None)
        return rates.get(nearest)

    def missing(self):
        """What keeps this run from being published."""
        found = []
        if self.device.get("mode") != "full":
            found.append("not the full mode")
        if not self.rows:
            found.append("no cell was measured")
        if not self.copy:
            found.append("no ceilings")
        if any(r.ours is None for r in self.rows):
            found.append("a result of the library's was wrong")
        return found


class Row:
    """A cell's figures, in ns per row."""

    def __init__(self, cell, run):
        n, times = cell["rows"], cell["times"]
        self.cell, self.op, self.bytes = cell, cell["op"], cell["row"]
        self.table, self.depth = cell["table"], cell["depth"]
        self.parts = cell["parts"]
        self.moves = self.op in ("dynamic_stitch", "dynamic_partition")
        self.times = {k: v["best"] / n for k, v in times.items()}
        self.ours = self.times.get("ours")
        self.median = times["ours"]["median"] / n if self.ours else None
        self.peers, self.forms = {}, {}
        for name, ns in self.times.items():
            who = name.replace(":", " ").split()[0]
            if who in PEERS and ns < self.peers.get(who, math.inf):
                self.peers[who], self.forms[who] = ns, name
        self.lead = ratio(min(self.peers.values(), default=None), self.ours)
        self.cached = (not self.moves
                       and self.table <= run.device.get("l2", 0))
        self.dram = not self.moves and not self.cached and (
            self.table >= 4 * run.device.get("l2", 0))
        self.ceiling = self.bound(run) if run.copy else None
        self.fraction = ratio(self.ceiling, self.ours)
        self.name = self.words()

    def words(self):
        name = "%s %d B" % (self.op, self.bytes)
        if self.op == "gather_nd":
            name = "gather_nd K=%d %d B" % (self.depth, self.bytes)
        if self.op == "dynamic_partition":
            return "dynamic_partition P=%d %d B" % (self.parts, self.bytes)
        return name if self.moves else "%s, %s" % (name, size(self.table))

    def bound(self, run):
        row, index = self.bytes, 4 * self.depth
        if self.op == "gather axis 1":
            index /= self.cell["outer"]
        if self.moves:
            return (2 * row + 4) / run.copy
        sectors, rate = sector_bytes(row), run.sectors(self.table)
        if self.cached:
            return max((row + index) / run.copy, sectors / 32 / rate)
        if row < 32:
            return (sectors + row + index) / (32 * rate)
        return (2 * row + index) / run.copy

    def over(self, who):
        return ratio(self.peers.get(who, self.times.get(who)), self.ours)


# ---- goals ------------------------------------------------------------------
def worst(found):
    """(value, where) of the smallest, of those that have one."""
    found = [(v, w) for v, w in found if v is not None]
    return min(found, default=(None, ""))


def goals(run):
    """[(what, goal, worst value, where, met)]; None: not measured."""
    gathers = [r for r in run.rows if r.op == "gather" and r.dram]

    def of(rows, figure):
        return worst([(figure(r), r.name) for r in rows])

    def fraction(rows):
        return of(rows, lambda r: r.fraction)

    def gather(*sizes):
        return [r for r in gathers if r.bytes in sizes]

    nd = [r for r in run.rows if r.op == "gather_nd"]
    first = {r.bytes: r for r in nd if r.depth == 1}
    by_size = {(round(math.log2(r.table)), r.bytes): r for r in gathers}

    def beside(row, whole):
        """How fast rows are next to those of a multiple of 16 bytes."""
        return worst([(ratio(by_size[t, whole].ours, r.ours), r.name)
                      for (t, b), r in by_size.items()
                      if b == row and (t, whole) in by_size])
    table = [
        ("gather, rows from 128 B, of copy", 0.90,
         fraction([r for r in gathers if r.bytes >= 128])),
        ("gather, 64 B, of copy", 0.85, fraction(gather(64))),
        ("gather, 32 B, of copy", 0.70, fraction(gather(32))),
        ("gather, 4 B, of random sectors", 0.90, fraction(gather(4))),
        ("gather, 32 to 64 B, over PyTorch", 4,
         of(gather(32, 48, 64), lambda r: r.over("torch"))),
        ("gather, 128 B, over PyTorch", 2.5,
         of(gather(128), lambda r: r.over("torch"))),
        ("gather_nd K = 2 to 4, over PyTorch's advanced indexing", 3,
         of([r for r in nd if r.depth > 1],
            lambda r: r.over("torch: advanced"))),
        ("gather_nd K = 2 to 4: its fraction over that of K = 1", 0.95,
         of([r for r in nd if r.depth > 1 and r.bytes in first],
            lambda r: ratio(r.fraction, first[r.bytes].fraction))),
        ("20 B: speed of 32 B rows", 1 / 1.15, beside(20, 32)),
        ("100 B: speed of 112 B rows", 1 / 1.15, beside(100, 112)),
        ("partition, P to 256, rows from 64 B, of copy", 0.75,
         fraction([r for r in run.rows if r.op == "dynamic_partition"
                   and r.parts <= 256 and r.bytes >= 64])),
        ("stitch, rows from 128 B, of copy", 0.75,
         fraction([r for r in run.rows if r.op == "dynamic_stitch"
                   and r.bytes >= 128])),
    ]
    return [(what, goal, value, where,
             None if value is None else value >= goal)
            for what, goal, (value, where) in table]


def goal_lines(run):
    lines = ["| goal | at least | worst | where | met |",
             "| --- | ---: | ---: | --- | --- |"]
    for what, goal, value, where, met in goals(run):
        lines.append("| %s | %.2f | %s | %s | %s |" % (
            what, goal, number(value), where,
            "not measured" if met is None else "yes" if met else "**no**"))
    # what a capture in the global mode would have refused
    held = all(r.ours for r in run.rows)
    lines.append("| no op waits for the device: all captured in graphs | | | "
                 "| %s |" % ("yes" if held else "**no**"))
    return lines


# ---- the page ---------------------------------------------------------------
def machine(run):
    d = run.device
    parts = [d["card"], "compute capability " + d["capability"],
             "%d multiprocessors" % d["multiprocessors"],
             size(d["memory"]), "L2 " + size(d["l2"]),
             "driver %s (CUDA %s)" % (d.get("driver") or "unknown",
                                      d["driver_cuda"]),
             "toolkit " + (d.get("toolkit") or d["runtime"])]
    return ", ".join(parts)


def versions(run):
    d = run.device
    names = ["ndgather " + d["version"]]
    names += ["%s %s" % p for p in sorted(d.get("peers", {}).items())]
    if d.get("cub"):
        names.append("CUB " + d["cub"])
    return ", ".join(names)


def problems(run):
    lines = ["- not measured: %s (%s)" % m
             for m in sorted(run.device.get("missing", {}).items())]
    if len(run.rows) < run.device["cells"]:
        lines.append("- %d of %d cells were not measured: time was short"
                     % (run.device["cells"] - len(run.rows),
                        run.device["cells"]))
    if run.end.get("dropped"):
        lines.append("- %d cells have PyTorch alone: time was short"
                     % run.end["dropped"])
    for r in run.rows:
        lines += ["- **wrong**: %s: %s" % (r.name, w)
                  for w in r.cell.get("wrong", [])]
        lines += ["- failed: %s: %s" % (r.name, w)
                  for w in r.cell.get("failed", [])]
    return lines


def headline(run):
    led = [r for r in run.rows if r.lead]
    lost = [r for r in led if r.lead < 1]
    met = [g for g in goals(run) if g[4] is not None]
    lines = ["- goals met: %d of %d" % (sum(g[4] for g in met), len(met)),
             "- behind another in %d of %d cells" % (len(lost), len(led))]
    if led:
        lines.append("- worst cell: **%s**, %sx the speed of the best other"
                     % (led[0].name, number(led[0].lead)))
    for who in ("torch", "cupy", "jax"):
        leads = [r.over(who) for r in led if r.over(who)]
        if leads:
            lines.append("- over %s: **%sx**, the geometric mean of %d cells"
                         % (who, number(mean(leads)), len(leads)))
    return lines


def page(run):
    c, d = run.ceilings, run.device
    body = []
    for r in run.rows:
        known = r.times.get("ours, sizes known")
        body.append([r.name, number(r.lead), number(r.fraction),
                     number(r.ours), number(r.median), number(r.ceiling),
                     number(known)]
                    + [number(r.peers.get(p)) for p in PEERS])
    lines = ["# Results on a GPU", "",
             "Written by `make bench-cuda` on %s; edits are lost. Times are ns "
             "per row; losses are listed like the rest, worst lead first."
             % datetime.date.today().isoformat(), "",
             "Card: %s." % machine(run), "",
             "Versions: %s." % versions(run), "", "## Headline", ""]
    lines += headline(run)
    lines += ["", "## Goals", ""] + goal_lines(run)
    lines += ["", "## Ceilings", "",
              "- copy kernel: %s GB/s read and written; cudaMemcpy: %s"
              % (number(c["copy"]), number(c["memcpy"]))]
    lines += ["- random sectors of 32 bytes, table of %s: %s G/s; in aligned "
              "pairs, of 64 bytes: %s G/s"
              % (size(int(k)), number(v), number(c["pairs"][k]))
              for k, v in c["sectors"].items()]
    lines.append("- the L2 cache fetches at most %s at a time "
                 "(cudaLimitMaxL2FetchGranularity)" % size(c["fetch"]))
    found = problems(run)
    if found:
        lines += ["", "## What went wrong", ""] + found
    lines += ["", "## Method", "", METHOD % d, "", "## Cells", ""]
    lines += table(["cell", "lead", "fraction", "ours", "median", "ceiling",
                    "sizes known"] + PEERS, body)
    lines += ["", "## Forms timed", ""]
    lines += table(["cell"] + PEERS[:4],
                   [[r.name] + [form(r, p) for p in PEERS[:4]]
                    for r in run.rows])
    return "\n".join(lines) + "\n"


def form(row, who):
    name = row.forms.get(who)
    if not name:
        return ""
    how = row.cell["times"][name].get("how", "graph")
    short = name.split(": ")[-1] if ": " in name else name[len(who) + 1:]
    return short + ("" if how == "graph" else " (%s)" % how)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("results")
    p.add_argument("--out", default="tests/bench/RESULTS_CUDA.md")
    o = p.parse_args()
    run = Run(o.results)
    if run.copy and run.rows:
        print("\n".join(headline(run) + goal_lines(run)))
    missing = run.missing()
    if missing:
        print("no page: %s" % "; ".join(missing))
        return 1
    with open(o.out, "w") as f:
        f.write(page(run))
    print("wrote %s" % o.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
