"""The page and the plot that bench_peers.py writes."""

import datetime
import math
import os
import platform
import re
import time

from bench_cells import HEADLINE_ROWS

PEERS = ["numpy", "torch", "tensorflow", "onnxruntime", "pyarrow"]

METHOD = """\
- One process for each number of threads, pinned to as many cores. Buffers are
  shared by all, on 2-MiB pages where the system has them, and touched before.
- Every result was compared with NumPy's, byte by byte, before it was timed.
- Contestants take turns, round by round, each round from another start: the
  best and the median of %(rounds)d rounds. Peers run in every form that may be
  their best, with both index widths; the fastest form is the one timed.
- Results go to memory that exists, where a peer has an `out=`; TensorFlow and
  pyarrow allocate theirs in the clock, from memory already used and mapped.
- The library (int32 indices, a plan made before, bounds checked, a report)
  was built by each compiler at plain `-O2`; **the slower build counts**.
- The library, the naive checked loop and the ceilings are called from C; peers
  from a Python loop, which costs some 30 ns, and their own call is part of
  what they cost. Cells marked * have fewer than 64 Ki rows: there each peer's
  single call is subtracted before the lead is taken. The headline leaves them
  out.
- Lesser checks: NumPy clips; the `add` forms of gather_nd check a sum, not its
  parts. How many rows a stitch makes is known to all but TensorFlow. Counting
  is part of every partition.
- **lead** = best peer / ours. **fraction** = ceiling / ours. Ceilings are taken
  in the same rounds: for rows under 128 B a loop that loads a word of every
  line of the same rows; above, in sequence and for a partition the best copy
  of as many bytes; for a stitch that or random stores, whichever is slower."""


# ---- the machine ------------------------------------------------------------
def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def busy(seconds=2):
    """Cores at work now; an average of minutes would remember what is over."""
    def ticks():
        n = [int(x) for x in read("/proc/stat").split("\n")[0].split()[1:9]]
        return sum(n), sum(n[3:5])
    if not read("/proc/stat"):
        return 0
    all_0, idle_0 = ticks()
    time.sleep(seconds)
    all_1, idle_1 = ticks()
    share = 1 - (idle_1 - idle_0) / max(1, all_1 - all_0)
    return share * os.cpu_count()


def processor():
    """Model, family and model number: cloud names say little."""
    text = read("/proc/cpuinfo")

    def field(name):
        found = re.search(r"^%s\s*: (.*)$" % name, text, re.M)
        return found.group(1).strip() if found else ""
    name = field("model name") or platform.processor() or "unknown processor"
    if field("cpu family"):
        name += " (family %s, model %s)" % (field("cpu family"),
                                            field("model"))
    return name


def caches():
    found = []
    for i in range(8):
        base = "/sys/devices/system/cpu/cpu0/cache/index%d/" % i
        if read(base + "size") and read(base + "type").strip() != (
                "Instruction"):
            found.append("L%s %s" % (read(base + "level").strip(),
                                     read(base + "size").strip()))
    return ", ".join(found)


def memory_size():
    found = re.search(r"MemTotal:\s*(\d+)", read("/proc/meminfo"))
    return "%d GiB" % round(int(found.group(1)) / 2 ** 20) if found else ""


def pages():
    text = read("/sys/kernel/mm/transparent_hugepage/enabled")
    found = re.search(r"\[(\w+)\]", text)
    return "transparent huge pages: " + (found.group(1) if found else "none")


def machine():
    """Words for the page; how busy the machine is, before the runs."""
    parts = [processor(), "%d cores" % os.cpu_count(), caches(),
             memory_size(), "%s %s" % (platform.system(),
                                       platform.release().split("-")[0]),
             pages()]
    words = ", ".join(p for p in parts if p)
    load = busy()
    if load > 0.1:
        words += (". **The machine was busy with other work (%.1f cores): "
                  "read these figures as a rehearsal**" % load)
    return words


# ---- figures ----------------------------------------------------------------
class Row:
    """A cell's figures: ns per row."""

    def __init__(self, cell, calls, compilers):
        t = cell["times"]
        self.name, self.cell = cell["name"], cell
        self.small = (cell["rows"] < HEADLINE_ROWS and cell["op"] != "call")
        builds = [t[who] for who in t if who.startswith("ours ")]
        if len(builds) < compilers:      # a wrong one has no figures
            builds = []
        self.ours = max((x["best"] for x in builds), default=None)
        self.ours_median = max((x["median"] for x in builds), default=None)
        self.naive = t["naive"]["best"] if "naive" in t else None
        tops = [t[who]["best"] for who in t if who.startswith("ceiling")]
        self.ceiling = max(tops, default=None)
        self.peers = {p: t[p]["best"] for p in PEERS if p in t}
        self.net = {p: self.without_call(v, calls.get(p, 0))
                    for p, v in self.peers.items()}
        medians = {p: self.without_call(t[p]["median"], calls.get(p, 0))
                   for p in self.peers}
        self.lead = self.over(min(self.net.values(), default=None))
        self.median_lead = ratio(min(medians.values(), default=None),
                                 self.ours_median)
        self.over_tf = self.over(self.net.get("tensorflow"))
        self.fraction = ratio(self.ceiling, self.ours)

    def without_call(self, ns, call):
        """Less the cost of a call, of which a quarter is left at least: the
        two were measured apart."""
        if not self.small:
            return ns
        return max(ns - call / self.cell["rows"], ns / 4)

    def over(self, ns):
        return ratio(ns, self.ours)

    def short_of(self):
        """Which goals it misses; None if it has none."""
        fraction, lead = self.cell["goal"] or (None, None)
        if fraction is None and lead is None:
            return None
        missed = []
        if lead and (self.lead or 0) < lead:
            missed.append("lead %.2f" % lead)
        if fraction and (self.fraction or 0) < fraction:
            missed.append("fraction %.2f" % fraction)
        return missed

    def verdict(self):
        missed = self.short_of()
        return ("" if missed is None else "**no**: " + ", ".join(missed)
                if missed else "yes")


def ratio(a, b):
    return a / b if a and b else None


def rows_of(result):
    """Worst lead first; a cell without any goes last."""
    calls = {}
    for cell in result["cells"]:
        if cell["op"] == "call":
            calls = {p: cell["times"][p]["best"] for p in PEERS
                     if p in cell["times"]}
    rows = [Row(c, calls, len(result["compilers"]))
            for c in result["cells"]]
    return sorted(rows, key=lambda r: (r.lead or math.inf, r.name))


def mean(values):
    """Geometric, or None."""
    values = [v for v in values if v]
    return (math.exp(sum(map(math.log, values)) / len(values))
            if values else None)


def number(x):
    """Three digits that tell, or nothing."""
    if x is None:
        return ""
    return "%.0f" % x if x >= 100 else "%.1f" % x if x >= 10 else "%.2f" % x


def times(x):
    return number(x) + "x" if x else "no figure"


# ---- the words --------------------------------------------------------------
def headline(result):
    rows = rows_of(result)
    dram = [r for r in rows if r.cell["headline"] and r.lead]
    lines = []
    if dram:
        lines.append("- **%s** over the best peer of each cell, as the "
                     "geometric mean of %d cells larger than the caches"
                     % (times(mean(r.lead for r in dram)), len(dram)))
        lines.append("- **%s** over TensorFlow in the same cells"
                     % times(mean(r.over_tf for r in dram)))
    ranked = [r for r in rows if r.lead]
    if ranked:
        worst = ranked[0]
        lines.append("- worst cell: **%s**, %s"
                     % (worst.name, times(worst.lead)))
    lost = [r for r in rows if r.lead and r.lead < 1]
    slow = [r for r in rows if r.naive and r.ours
            and r.ours > 1.03 * r.naive]
    lines.append("- behind a peer in %d of %d cells; more than 3 %% behind "
                 "the naive loop in %d" % (len(lost), len(rows), len(slow)))
    judged = [r for r in rows if r.short_of() is not None]
    lines.append("- goals met in %d of %d cells that have one"
                 % (sum(not r.short_of() for r in judged), len(judged)))
    return lines


def table(head, rows):
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return ["| %s |" % " | ".join(r) for r in [head, rule] + rows]


def name(row):
    return row.name + (" *" if row.small else "")


def first_table(result):
    peers = [p for p in PEERS if p in result["peers"]]
    body = [[name(r), times(r.lead) if r.lead else "", number(r.median_lead),
             number(r.ours), number(r.ceiling), number(r.fraction),
             number(r.naive)] + [number(r.peers.get(p)) for p in peers]
            + [r.verdict()] for r in rows_of(result)]
    return table(["cell", "lead", "of medians", "ours", "ceiling",
                  "fraction", "naive"] + peers + ["goals met"], body)


def more_threads(result, single):
    """The table of a run with several threads, beside that with one."""
    peers = [p for p in PEERS if p in result["peers"]]
    alone = {r.name: r.ours for r in rows_of(single)} if single else {}
    body = [[name(r), times(r.lead) if r.lead else "", number(r.ours),
             number(ratio(alone.get(r.name), r.ours)), number(r.fraction),
             number(r.naive)] + [number(r.peers.get(p)) for p in peers]
            for r in rows_of(result)]
    return table(["cell", "lead", "ours", "speed-up", "fraction", "naive"]
                 + peers, body)


def forms(result):
    """Which form of each peer was the fastest, and so timed."""
    peers = [p for p in PEERS if p in result["peers"]]
    body = [[c["name"]] + [c["times"].get(p, {}).get("form", "")
                           for p in peers] for c in result["cells"]]
    return table(["cell"] + peers, body)


def versions(result):
    builds = "; ".join("%s" % text for _, text in result["compilers"])
    peers = ", ".join("%s %s" % p for p in sorted(result["peers"].items()))
    return "ndgather %s built by %s at -O2; %s; Python %s" % (
        result["library"], builds, peers or "no peer",
        platform.python_version())


def problems(results):
    lines = []
    for r in results:
        lines += ["- **%s**" % w for w in r["wrong"]]
        lines += ["- not measured: %s (%s)" % m
                  for m in sorted(r["missing"].items())]
    return sorted(set(lines))


def page(results, about, plot):
    first = results[0]
    lines = ["# Results", "",
             "Written by `make bench-peers` on %s; edits are lost. Times are "
             "ns per row; losses are listed like the rest, worst lead first."
             % datetime.date.today().isoformat(), "",
             "Machine: %s." % about, "", "Versions: %s." % versions(first),
             "", "## Headline, %s" % threads_text(first), ""]
    lines += headline(first)
    found = problems(results)
    if found:
        lines += ["", "## What went wrong", ""] + found
    lines += ["", "![Lead over the best peer, cell by cell](%s)"
              % os.path.basename(plot), "", "## Method", "",
              METHOD % {"rounds": first["rounds"]}]
    for i, r in enumerate(results):
        lines += ["", "## Cells, %s" % threads_text(r), ""]
        lines += first_table(r) if i == 0 else more_threads(r, first)
        if i:
            lines += [""] + headline(r)
    lines += ["", "## Forms timed, %s" % threads_text(first), ""]
    return "\n".join(lines + forms(first)) + "\n"


def threads_text(result):
    n = result["threads"]
    return "one thread" if n == 1 else "%d threads" % n


# ---- the plot ---------------------------------------------------------------
COLOURS = {"numpy": "#4477aa", "torch": "#ee6677", "tensorflow": "#b8860b",
           "onnxruntime": "#228833", "pyarrow": "#aa3377",
           "naive": "#555555"}
LEFT, WIDTH, STEP, TOP = 270, 640, 20, 76


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def text_at(x, y, words, anchor="start", more=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (
        x, y, anchor, more, escape(words))


def marks(row):
    """(who, how many times slower than ours)"""
    found = [(p, row.over(v)) for p, v in row.net.items()]
    return found + [("naive", row.over(row.naive))]


class Scale:
    """log2 of a ratio to a place on the drawing."""

    def __init__(self, rows):
        every = [v for r in rows for _, v in marks(r) if v] + [0.5, 4]
        self.low = math.floor(math.log2(max(min(every), 1 / 64)))
        self.high = math.ceil(math.log2(min(max(every), 256)))

    def x(self, value):
        at = min(max(math.log2(value), self.low), self.high)
        return LEFT + WIDTH * (at - self.low) / (self.high - self.low)


def axis(scale, bottom):
    lines = []
    for k in range(scale.low, scale.high + 1):
        x = scale.x(2.0 ** k)
        lines.append('<path d="M%.1f %dV%d" stroke="%s"/>' % (
            x, TOP - 8, bottom, "#222222" if k == 0 else "#dddddd"))
        lines.append(text_at(x, TOP - 14, "%gx" % 2.0 ** k, "middle"))
    return lines


def legend():
    lines, x = [], LEFT
    for who, colour in COLOURS.items():
        lines.append('<circle cx="%d" cy="38" r="4" fill="%s"/>' % (x,
                                                                    colour))
        lines.append(text_at(x + 8, 42, who))
        x += 30 + 7 * len(who)
    lines.append('<path d="M%d 32v12" stroke="#000000" stroke-width="2"/>'
                 % (x + 4))
    lines.append(text_at(x + 12, 42, "goal"))
    return lines


def bar(row, scale, y):
    """A bar to the best peer, a dot for each, a tick at the goal."""
    lines = [text_at(LEFT - 10, y + 14, name(row), "end")]
    if row.lead:
        ends = sorted([scale.x(1), scale.x(row.lead)])
        lines.append('<rect x="%.1f" y="%d" width="%.1f" height="12" '
                     'fill="%s"/>' % (ends[0], y + 4, ends[1] - ends[0],
                                      "#a9cdf0" if row.lead >= 1
                                      else "#f2a3a3"))
        lines.append(text_at(LEFT + WIDTH + 52, y + 14, times(row.lead),
                             "end"))
    goal = (row.cell["goal"] or (None, None))[1]
    if goal:
        lines.append('<path d="M%.1f %dv16" stroke="#000000" '
                     'stroke-width="2"/>' % (scale.x(goal), y + 2))
    for who, value in marks(row):
        if value:
            lines.append('<circle cx="%.1f" cy="%d" r="3.5" fill="%s"/>' % (
                scale.x(value), y + 10, COLOURS[who]))
    return lines


def plot(result):
    """An SVG with a ground of its own: readable on white and on dark."""
    rows = rows_of(result)
    scale, bottom = Scale(rows), TOP + STEP * len(rows)
    size = LEFT + WIDTH + 64, bottom + 12
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
             'width="%d" height="%d" font-family="sans-serif" '
             'font-size="12" fill="#222222">' % (size + size),
             '<rect width="%d" height="%d" rx="6" fill="#ffffff"/>' % size,
             text_at(LEFT, 20, "Times as long as ndgather, %s: right of 1x "
                     "ndgather is faster; the bar ends at the best peer"
                     % threads_text(result), more=' font-size="13"')]
    lines += legend() + axis(scale, bottom)
    for i, row in enumerate(rows):
        lines += bar(row, scale, TOP + STEP * i)
    return "\n".join(lines + ["</svg>"]) + "\n"


def write(path, results, about):
    """Writes the page and, beside it, the plot. Returns words for people."""
    drawing = os.path.splitext(path)[0] + ".svg"
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(drawing, "w") as f:
        f.write(plot(results[0]))
    with open(path, "w") as f:
        f.write(page(results, about, drawing))
    return "\n".join([threads_text(results[0]) + ":"] + headline(results[0])
                     + problems(results) + ["", "wrote %s and %s"
                                            % (path, drawing)])
