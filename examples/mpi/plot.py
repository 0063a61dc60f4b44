"""plot.py - draws what bench.sh measured

    python3 examples/mpi/plot.py build/mpi.txt build/mpi.png

Left: the time of all cores for an id, the best of the rounds. Right: rows that
had to come from another rank, which is counted and the same on any machine.
"""
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter

LINES = [("uniform:-a", "uniform ids", "#6fa3dc", "o", 11),
         ("skewed:-a", "skewed ids", "#c8641e", "s", 6),
         ("skewed:", "skewed, each asked for once", "#2f8f5b", "D", 6)]


def read(path):
    """The lines of bench.sh: {run: {ranks: {name: best number}}}, cores."""
    runs, cores = {}, 1
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] == "cores":
                cores = int(words[1])
            elif ":" in words[0]:
                found = {k: float(v) for k, v in
                         (word.split("=") for word in words[1:])}
                ranks = int(found["ranks"])
                best = runs.setdefault(words[0], {}).setdefault(ranks, found)
                if found["ns_per_id"] < best["ns_per_id"]:
                    runs[words[0]][ranks] = found
    return runs, cores


def draw(axes, runs, value):
    """One line for each kind of ids; value(ranks, numbers) is its height."""
    for key, label, colour, mark, size in LINES:
        at = sorted(runs[key])
        axes.plot(at, [value(n, runs[key][n]) for n in at], color=colour,
                  marker=mark, label=label, linewidth=2, markersize=size)
    axes.set_xscale("log", base=2)
    axes.set_xticks(at, [str(n) for n in at])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(at[0] * 0.85, at[-1] * 1.18)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ranks")
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def main():
    """Reads, draws, writes."""
    if len(sys.argv) != 3:
        sys.exit("usage: plot.py MPI.txt MPI.png")
    runs, cores = read(sys.argv[1])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.9), dpi=110)
    draw(left, runs, lambda n, r: r["ns_per_id"] * min(n, cores))
    draw(right, runs, lambda n, r: r["moved_per_id"])
    most = left.get_ylim()[1] * 1.12
    left.set_ylim(0, most)
    left.axvspan(cores * 1.19, left.get_xlim()[1], color="#f1efe9", zorder=0)
    left.text(cores * 1.24, most * 0.03,
              f"more ranks than the {cores} cores:\nthey take turns",
              fontsize=9, color="#666666", va="bottom")
    left.set_title("core time for an id, ns", loc="left", fontsize=11)
    right.set_title("rows from another rank, for an id", loc="left",
                    fontsize=11)
    right.set_ylim(0, 1)
    right.legend(frameon=False, fontsize=9, loc="upper left")
    figure.text(0.01, 0.015, "1,000,000 rows of 256 bytes, 16,384 ids to a "
                "batch; one machine, Open MPI over shared memory",
                fontsize=8.5, color="#666666")
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(sys.argv[2])


if __name__ == "__main__":
    main()
