"""The cells of bench_peers.py: what is measured, on which data, and how far
the library is meant to get (the goals are ratios, met on any machine)."""

import numpy as np

from bench_lib import memory

GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10
OUT_BYTES = 256 * MIB
HEADLINE_ROWS = 64 * KIB             # below, a call costs as much as its rows

RANDOM, SEQUENTIAL = "random", "sequential"
LINE, BUS, STORE, WRITE = "line", "bus", "store", "write"    # ceilings
TAKE, ND, BATCH, WEAVE, SPLIT, CALL = (
    "gather", "gather_nd", "batch_gather", "dynamic_stitch",
    "dynamic_partition", "call")


class Cell:
    """One line of the results.

    params   shape in elements of `word` bytes
    indices  shape of the indices, for gather_nd [n, k]
    inner    elements of a row, parts: of a partition
    goal     (fraction of the ceiling, lead over the best peer), None: none
    """

    def __init__(self, name, op, params, indices, goal=None, axis=0,
                 order=RANDOM, ceiling=LINE, word=4, parts=0, quick=False):
        self.name, self.op, self.axis, self.order = name, op, axis, order
        self.params, self.indices = tuple(params), tuple(indices)
        self.goal, self.ceiling, self.word = goal, ceiling, word
        self.parts, self.quick = parts, quick
        self.depth = indices[-1] if op == ND else 1
        skip = {TAKE: axis + 1, BATCH: 2, ND: self.depth}.get(op, 1)
        self.inner = int(np.prod(params[skip:], dtype=np.int64))
        self.row_bytes = self.inner * word
        self.outer = params[0] if op == BATCH or axis else 1
        picks = int(np.prod(indices, dtype=np.int64)) // self.depth
        self.rows = picks * (self.outer if axis else 1)    # rows of out
        self.width = picks if axis else picks // self.outer
        self.dram = max(self.rows * self.row_bytes if op in (WEAVE, SPLIT)
                        else 0, int(np.prod(params, dtype=np.int64)) * word
                        ) >= 64 * MIB
        self.headline = self.dram and self.rows >= HEADLINE_ROWS

    def out_shape(self):
        if self.op in (WEAVE, SPLIT):
            return self.params
        if self.op == BATCH:
            return self.indices + self.params[2:]
        if self.op == ND:
            return self.indices[:-1] + self.params[self.depth:]
        return (self.params[:self.axis] + self.indices
                + self.params[self.axis + 1:])


def table(size, row, word=4):
    """The shape of a table of so many bytes and bytes per row."""
    return (size // row,) if row == word else (size // row, row // word)


def size_text(size):
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            return "%d %s" % (size // unit, name)
    return "%d B" % size


def rows_cell(row, size, goal, n=None, name=None, **more):
    """gather of rows of a table, 256 MiB or 4 Mi rows of it."""
    n = n or min(4 * MIB, OUT_BYTES // (1 << (row - 1).bit_length()))
    word = 8 if row == 8 else 4
    ceiling = LINE if row < 128 else BUS
    name = name or "gather %s, %s" % (size_text(row) if row >= KIB
                                      else "%d B" % row, size_text(size))
    return Cell(name, TAKE, table(size, row, word), (n,), goal, word=word,
                **dict({"ceiling": ceiling}, **more))


def gathers():
    dram = [(4, 0.95, 1.28), (8, None, None), (16, 0.95, 1.5),
            (32, 0.92, 1.8), (64, 0.88, 2.8), (100, 0.93, 1.9),
            (128, 0.90, 2.2), (256, 0.80, 1.7), (1024, 0.70, 1.65),
            (4096, 0.70, 1.45)]
    cells = [rows_cell(r, GIB, (f, l) if f else None,
                       quick=r in (4, 64, 256)) for r, f, l in dram]
    small = 512 * KIB
    return cells + [
        rows_cell(4, 16 * MIB, (0.95, 1.45)),
        rows_cell(4, small, (0.93, 1.35), 64 * KIB, quick=True),
        rows_cell(8, small, (0.93, 1.35), 64 * KIB),
        rows_cell(16, small, (0.70, 1.5), 64 * KIB),
        rows_cell(64, small, (0.80, 2.6), 8 * KIB),
        rows_cell(256, small, (0.92, 1.45), 2 * KIB),
        rows_cell(64, small, (0.92, 1.26), 2 * MIB,
                  "gather 64 B, 512 KiB to 128 MiB", ceiling=WRITE),
        rows_cell(4, GIB, (0.88, 1.45), 16 * MIB, "sequential 4 B, 1 GiB",
                  order=SEQUENTIAL, ceiling=BUS),
        rows_cell(64, GIB, (0.95, 1.35), name="sequential 64 B, 1 GiB",
                  order=SEQUENTIAL, ceiling=BUS),
        rows_cell(64, small, (0.90, 2.9), 8 * KIB,
                  "sequential 64 B, 512 KiB", order=SEQUENTIAL, ceiling=BUS)]


def blocks():
    """Along axis 1 and in batches: slices of 1 MiB."""
    thin, wide = (KIB, 256 * KIB), (KIB, 16 * KIB, 16)
    one, each = (4 * KIB,), (KIB, 4 * KIB)
    return [
        Cell("gather axis 1, inner 4 B, 1 GiB", TAKE, thin, one, (0.85, 2.0),
             axis=1, quick=True),
        Cell("gather axis 1, inner 64 B, 1 GiB", TAKE, wide, one,
             (0.65, 3.2), axis=1),
        Cell("batch_gather 4 B, 1 GiB", BATCH, thin, each, (0.85, 1.65)),
        Cell("batch_gather 64 B, 1 GiB", BATCH, wide, each, (0.65, 5.2),
             quick=True)]


def nds():
    n, small = 4 * MIB, 64 * KIB
    k = KIB
    shapes = [("K = 2, 4 B, 1 GiB", (16 * k, 16 * k), n, (0.80, 2.4)),
              ("K = 3, 4 B, 1 GiB", (k, 512, 512), n, (0.80, 2.4)),
              ("K = 4, 4 B, 1 GiB", (128,) * 4, n, (0.80, 2.4)),
              ("K = 1, 64 B, 1 GiB", (16 * MIB, 16), n, (0.85, 3.6)),
              ("K = 2, 64 B, 1 GiB", (4 * k, 4 * k, 16), n, (0.85, 3.6)),
              ("K = 3, 64 B, 1 GiB", (256, 256, 256, 16), n, (0.85, 3.6)),
              ("K = 2, 4 B, 512 KiB", (512, 256), small, (0.60, 5.0)),
              ("K = 3, 4 B, 512 KiB", (64, 64, 32), small, (0.38, 4.0))]
    return [Cell("gather_nd " + name, ND, s, (count, int(name[4])), goal,
                 quick=name.startswith("K = 2, 4 B"))
            for name, s, count, goal in shapes]


def stitches():
    goals = {4: (0.95, 1.08), 64: (0.62, 4.5), 256: (0.88, 3.4),
             1024: (0.90, 2.3)}
    cells = []
    for row, goal in goals.items():
        shape = table(64 * MIB if row == 4 else OUT_BYTES, row)
        cells.append(Cell("dynamic_stitch %d B" % row, WEAVE, shape,
                          shape[:1], goal, ceiling=STORE, quick=row == 64))
    return cells


def partitions():
    wanted = [(4, 2, 0.50, 5.0), (4, 8, 0.30, 2.4), (4, 64, None, 2.8),
              (4, 256, None, 3.1), (64, 2, 0.72, 3.5), (64, 64, 0.72, 3.5),
              (64, 256, 0.72, 3.5)]
    cells = []
    for row, parts, fraction, lead in wanted:
        shape = table(64 * MIB if row == 4 else OUT_BYTES, row)
        cells.append(Cell("dynamic_partition %d B, P = %d" % (row, parts),
                          SPLIT, shape, shape[:1], (fraction, lead),
                          ceiling=BUS, parts=parts,
                          quick=(row, parts) in ((4, 2), (64, 64))))
    return cells


def all_cells():
    """Every cell; the single call comes first, as others subtract it."""
    call = Cell("one call, one row of 16 B", CALL, table(512 * KIB, 16), (1,),
                (None, 9.0), quick=True)
    return [call] + gathers() + blocks() + nds() + stitches() + partitions()


class Buffers:
    """The memory that every cell and contestant shares."""

    def __init__(self, cells):
        need = max(int(np.prod(c.params, dtype=np.int64)) * c.word
                   for c in cells)
        need = max(need, OUT_BYTES)      # ceilings read as much
        self.table, self.out = memory(need), memory(OUT_BYTES)
        words = self.table.view(np.int32)
        for at in range(0, len(words), MIB):      # each word its own number
            words[at:at + MIB] = np.arange(at, min(at + MIB, len(words)))


def aligned(array):
    """A copy on large pages."""
    array = np.ascontiguousarray(array)
    copy = memory(max(array.nbytes, 64))[:array.nbytes]
    copy = copy.view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Data:
    """The arrays of one cell, and what NumPy says the result is."""

    def __init__(self, cell, buffers, seed):
        rng = np.random.default_rng(seed)
        dtype = np.float64 if cell.word == 8 else np.float32
        size = int(np.prod(cell.params, dtype=np.int64)) * cell.word
        self.cell = cell
        self.params = buffers.table[:size].view(dtype).reshape(cell.params)
        size = int(np.prod(cell.out_shape(), dtype=np.int64)) * cell.word
        self.bytes = buffers.out[:size]
        self.out = self.bytes.view(dtype).reshape(cell.out_shape())
        getattr(self, "make_" + cell.op)(cell, rng)
        self.idx64 = self.idx32.astype(np.int64)
        self.idx32, self.idx64 = aligned(self.idx32), aligned(self.idx64)

    def make_gather(self, cell, rng):
        extent, n = self.params.shape[cell.axis], cell.indices[0]
        if cell.order == SEQUENTIAL:
            self.idx32 = np.arange(n, dtype=np.int32) % np.int32(extent)
        else:
            self.idx32 = rng.integers(0, extent, n, np.int32)
        if cell.axis == 0:
            self.reference = self.params[self.idx32]
            self.linear = aligned(self.idx32)
        else:
            self.reference = self.params[:, self.idx32]
            base = np.arange(cell.outer, dtype=np.int32)[:, None] * extent
            self.linear = aligned((base + self.idx32).astype(np.int32))

    make_call = make_gather

    def make_batch_gather(self, cell, rng):
        extent = self.params.shape[1]
        self.idx32 = rng.integers(0, extent, cell.indices, np.int32)
        batch = np.arange(cell.outer, dtype=np.int32)[:, None]
        self.reference = self.params[batch, self.idx32]
        self.linear = aligned((batch * extent + self.idx32).astype(np.int32))

    def make_gather_nd(self, cell, rng):
        extents = self.params.shape[:cell.depth]
        columns = [rng.integers(0, d, cell.indices[0], np.int32)
                   for d in extents]
        self.idx32 = np.stack(columns, axis=1)
        self.reference = self.params[tuple(columns)]
        # Peers that take one array per axis get them contiguous.
        self.columns = [aligned(c.astype(np.int64)) for c in columns]
        flat = np.ravel_multi_index(tuple(columns), extents)
        self.linear = aligned(flat.astype(np.int32))

    def make_dynamic_stitch(self, cell, rng):
        n = cell.rows
        self.idx32 = rng.permutation(n).astype(np.int32)
        self.linear = self.idx32
        self.reference = np.empty_like(self.params)
        self.reference[self.idx32] = self.params

    def halves(self, array):
        """The two lists of a stitch."""
        middle = len(array) // 2
        return [array[:middle], array[middle:]]

    def make_dynamic_partition(self, cell, rng):
        self.idx32 = rng.integers(0, cell.parts, cell.rows, np.int32)
        order = np.argsort(self.idx32, kind="stable")
        self.reference = self.params[order]
        self.counts = np.bincount(self.idx32, minlength=cell.parts)

    def spoil(self):
        """So that a result is not the one before."""
        self.bytes[:] = 0xA5

    def right(self, result):
        """Whether result (an array, or the parts of one) is the reference,
        to the last bit: bytes are compared, as no NaN equals itself."""
        parts = result if isinstance(result, list) else [result]
        if self.cell.op == SPLIT and isinstance(result, list):
            if [len(p) for p in parts] != self.counts.tolist():
                return False
        whole, at = self.reference.reshape(-1).view(np.uint32), 0
        for p in parts:
            if p.dtype != self.reference.dtype:
                return False
            p = np.ascontiguousarray(p).reshape(-1).view(np.uint32)
            if not np.array_equal(p, whole[at:at + len(p)]):
                return False
            at += len(p)
        return at == len(whole)
