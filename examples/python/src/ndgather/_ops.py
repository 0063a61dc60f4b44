"""The seven operations: TensorFlow's names, arguments and meaning."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from . import _shim, _threads
from ._arrays import (bytes_of, empty, first_shared, index_code, inner_words,
                      of_indices, overlaps, pointer, result, shape_words, span,
                      target, typed)
from ._door import Source, source
from ._fill import filling
from ._progress import Progress
from ._report import (OPS, Report, brief, choice, integer, raise_for, read,
                      refuse)
from ._shim import address, addresses, lib, room, words

(GATHER_ND, GATHER, BATCH_GATHER, STITCH, PARALLEL_STITCH,
 PARTITION, SCATTER_ND) = range(7)

POLICIES = ("error", "zero", "fill", "clip", "wrap", "keep", "drop",
            "assume_valid")
GATHER_POLICIES = tuple(p for p in POLICIES if p != "drop")
MOVE_POLICIES = ("error", "drop", "assume_valid")
NEGATIVE = ("bad", "from_end")
GAPS = ("zero", "error", "keep")
_NOTHING = object()                     # a fill that was not given
_WIDEST_FILL = 16                       # bytes of one in ndg_gather_desc
_BIG = 2 ** 63
_TOUCH = 64                             # bytes that a row costs beside its own


def _finish(op: int, reports: Any, n: int, shape: Sequence[int],
            said: Optional[Report]) -> Report:
    """Merges the reports of n ranges; an error is raised."""
    lib.ndgpy_merge(address(reports), n, op)
    report = read(reports, op, shape)
    if said is not None:
        said.take(report)
    if report.status != "NDG_OK":
        raise_for(report)
    return report


def _report_option(op: int, said: Any) -> None:
    if said is None:
        return
    if not isinstance(said, Report):
        refuse(op, "report", "report is %s, a Report is needed" % brief(said))
    said.take(Report(op=OPS[op]))


# ---- gathers -----------------------------------------------------------------

def gather_any(op: int, params: Any, indices: Any, axis: Any, batch_dims: Any,
               bad_index: Any, fill: Any, negative: Any, out: Any,
               threads: Any, said: Optional[Report], progress: Any) -> Any:
    _report_option(op, said)
    show = Progress(op, progress)
    p, i = source(op, "params", params), of_indices(op, "indices", indices)
    policy = choice(op, "bad_index", bad_index, POLICIES, GATHER_POLICIES)
    element = _fill_element(op, POLICIES[policy], fill, p)
    before = None                       # what out holds before it is run
    if element is not None and p.a.itemsize > _WIDEST_FILL:
        before, policy = element, POLICIES.index("keep")
    elif POLICIES[policy] == "keep" and out is None:
        refuse(op, "out", "bad_index is 'keep', which needs an out",
               "NDG_E_OPTION")
    to = None if out is None else target(op, out, p)
    head = [op, p.a.itemsize, index_code(op, "indices", i),
            integer(op, "batch_dims", batch_dims),
            _axis(op, axis, p.a.ndim), policy,
            choice(op, "negative", negative, NEGATIVE, NEGATIVE),
            p.a.ndim + i.a.ndim]
    plan, shape, rows, row_bytes = _plan_gather(op, head, p, i, to, element,
                                                said)
    if to is None:
        to = empty(op, shape, p)
    elif to.shape != shape:             # the plan has seen all but a scalar
        refuse(op, "out", "out has shape %s, %s is needed"
               % (to.shape, shape), "NDG_E_SHAPE")
    n = _threads.workers(op, threads, rows, row_bytes)
    args = (address(plan), pointer(to), span(to), pointer(p.a), pointer(i.a))
    cost = row_bytes + _TOUCH
    if out is not None and (n > 1 or before is not None
                            or _threads.is_long(rows, cost)):
        # Before the first byte is written: a step looks at its own rows only.
        reports = room(_shim.REPORT)
        if lib.ndgpy_gather_fits(*args, address(reports)):
            _finish(op, reports, 1, i.a.shape, said)
    if before is not None:
        to[...] = before
    show.of(rows)
    with show:
        news = _threads.Run(
            op, lambda w, first, last, at: lib.ndgpy_gather_run(
                *args, first, last, at), cost, (plan, to, p, i), show
        ).over(_threads.split(rows, n))
    if news is not None:
        _finish(op, news, 1, i.a.shape, said)
    return result(to, p) if out is None else out


def _axis(op: int, axis: Any, rank: int) -> int:
    """The library's 0 is TensorFlow's None. An axis 0 that was asked for is
    given from the end, as there it has no other meaning."""
    if axis is None:
        return 0
    return integer(op, "axis", axis) or -rank


def _fill_element(op: int, policy: str, fill: Any, p: Source) \
        -> "Optional[np.ndarray[Any, Any]]":
    if policy != "fill":
        if fill is not _NOTHING:
            refuse(op, "fill", "fill is given, but bad_index is %r" % policy,
                   "NDG_E_OPTION")
        return None
    if fill is _NOTHING:
        refuse(op, "fill", "bad_index is 'fill', which needs fill=",
               "NDG_E_OPTION")
    return filling(op, fill, p)


def _plan_gather(op: int, head: List[int], p: Source, i: Source,
                 to: "Optional[np.ndarray[Any, Any]]",
                 element: "Optional[np.ndarray[Any, Any]]",
                 said: Optional[Report]) \
        -> Tuple[Any, Tuple[int, ...], int, int]:
    telegram = words(head + shape_words(p.a) + shape_words(i.a)
                     + ([0] if to is None else [1] + shape_words(to)))
    plan, reports = room(_shim.GATHER_PLAN), room(_shim.REPORT)
    facts = words([0] * (4 + p.a.ndim + i.a.ndim))
    if lib.ndgpy_plan_gather(address(plan), address(telegram),
                             None if element is None else pointer(element),
                             address(facts), address(reports)):
        _finish(op, reports, 1, i.a.shape, said)
    return plan, tuple(facts[4:4 + facts[3]]), facts[1], facts[2]


# ---- scatters ----------------------------------------------------------------

def scatter_any(into: Any, indices: Any, data: Any, batch_dims: Any,
                bad_index: Any, negative: Any, gaps: Any, threads: Any,
                said: Optional[Report], progress: Any) -> Any:
    op = SCATTER_ND
    _report_option(op, said)
    show = Progress(op, progress)
    d, i = source(op, "data", data), of_indices(op, "indices", indices)
    policy = choice(op, "bad_index", bad_index, POLICIES, MOVE_POLICIES)
    gap = choice(op, "gaps", gaps, GAPS, ("zero", "keep"))
    new = isinstance(into, (tuple, list))
    if new:
        shape = tuple(integer(op, "into", n, 0, _BIG) for n in into)
        to, gap = empty(op, shape, d), GAPS.index("zero")
    else:
        to = target(op, into, d, "into")
    telegram = words([d.a.itemsize, index_code(op, "indices", i),
                      integer(op, "batch_dims", batch_dims), policy,
                      choice(op, "negative", negative, NEGATIVE, NEGATIVE), gap]
                     + shape_words(to) + shape_words(i.a) + shape_words(d.a))
    plan, reports = room(_shim.SCATTER_PLAN), room(_shim.REPORT)
    facts = words([0] * 3)
    if lib.ndgpy_plan_scatter(address(plan), address(telegram), address(facts),
                              address(reports)):
        _finish(op, reports, 1, i.a.shape, said)
    rows, slots, row_bytes = facts
    args = (address(plan), pointer(to), span(to), pointer(d.a), pointer(i.a))
    if lib.ndgpy_scatter_fits(*args, address(reports)):
        _finish(op, reports, 1, i.a.shape, said)
    n = _threads.workers(op, threads, min(rows, slots), row_bytes)
    if threads is None and row_bytes < 256:
        n = 1                           # as each range reads all indices
    show.of(rows)
    with show:
        news = None
        if POLICIES[policy] == "error" and not new:     # before it is written
            news = _threads.Run(
                op, lambda w, first, last, at: lib.ndgpy_scatter_check(
                    address(plan), pointer(i.a), first, last, at),
                i.a.itemsize, (plan, i), show, thorough=True
            ).over(_threads.split(rows, n))
        if news is None:
            news = _threads.Run(
                op, lambda w, first, last, at: lib.ndgpy_scatter_run(
                    *args, first, last, at), 1, (plan, to, d, i), None,
                whole=True).over(_threads.split(slots, n))
    if news is not None:
        _finish(op, news, 1, i.a.shape, said)
    return result(to, d) if new else into


# ---- stitches ----------------------------------------------------------------

class _Group:
    """Lists whose rows have the same strides inside: one plan serves them.

    With rows of no bytes it judges the indices, before shapes are looked at.
    """

    def __init__(self, inputs: "List[Tuple[Source, Source]]") -> None:
        self.inputs = inputs
        self.plan = room(_shim.STITCH_PLAN)
        self.lists = room(len(inputs) * _shim.LIST)

    def make(self, op: int, policy: int, gaps: int,
             to: "Optional[np.ndarray[Any, Any]]", empty_slice: bool,
             said: Optional[Report]) -> None:
        i, d = self.inputs[0]
        telegram = [d.a.itemsize, index_code(op, "indices", i), policy, gaps,
                    len(self.inputs)]
        if empty_slice:
            telegram += [1, 0, 0, 0]
        else:
            telegram += inner_words(d.a, i.a.ndim)
            if to is None:
                telegram += [0]
            else:
                stride = to.strides[0] if to.shape[0] > 1 else 0
                telegram += [1, stride] + inner_words(to, 1)
        for i, d in self.inputs:
            telegram += shape_words(i.a)
            telegram += [i.a.ndim + 1, 0, *i.a.shape, 0] if empty_slice \
                else shape_words(d.a)
        where = addresses(pointer(s.a) for pair in self.inputs for s in pair)
        packed, reports = words(telegram), room(_shim.REPORT)
        if lib.ndgpy_plan_stitch(address(self.plan), address(self.lists),
                                 address(packed), address(where),
                                 address(reports)):
            _finish(op, reports, 1, i.a.shape, said)


def stitch_any(op: int, indices: Any, data: Any, bad_index: Any, gaps: Any,
               rows: Any, out: Any, threads: Any, said: Optional[Report],
               progress: Any) -> Any:
    _report_option(op, said)
    show = Progress(op, progress)
    inputs = _inputs(op, indices, data)
    like = inputs[0][1]
    policy = choice(op, "bad_index", bad_index, POLICIES, MOVE_POLICIES)
    gap = choice(op, "gaps", gaps, GAPS, GAPS)
    to = None if out is None else target(op, out, like)
    if GAPS[gap] == "keep" and to is None:
        refuse(op, "out", "gaps is 'keep', which needs an out", "NDG_E_OPTION")
    rank = 1 + like.a.ndim - inputs[0][0].a.ndim
    if to is not None and to.ndim != max(rank, 1):
        refuse(op, "out", "out has rank %d, %d is needed" % (to.ndim, rank),
               "NDG_E_RANK")
    judge = _Group(inputs)
    judge.make(op, policy, gap, None, True, said)
    total = _total(op, judge, rows, to, said)
    slices = like.a.shape[inputs[0][0].a.ndim:]
    groups = _groups(inputs)
    many = len(groups) > 1
    if many:
        _same_slices(op, inputs)
    for group in groups:
        group.make(op, policy, GAPS.index("keep") if many else gap, to, False,
                   said)
    if to is not None and to.shape != (total,) + slices:
        refuse(op, "out", "out has shape %s, %s is needed"
               % (to.shape, (total,) + slices), "NDG_E_SHAPE")
    if to is None:
        to = empty(op, (total,) + slices, like)
    clash = out is not None and overlaps(
        to, [s.a for pair in inputs for s in pair])
    if many and clash:
        refuse(op, "data", "out overlaps an input, where rows of the lists "
               "differ in strides", "NDG_E_OVERLAP")
    row_bytes = bytes_of(slices, like.a.itemsize)
    n = _threads.workers(op, threads, total, row_bytes)
    if clash:
        n = 1                           # which looks at all before it writes
    entries = sum(i.a.size for i, _ in inputs)
    steps = many or not clash and _threads.is_long(
        max(entries, total), row_bytes + _TOUCH)
    marks = said is not None or GAPS[gap] == "error"
    show.of(entries, 1, n)
    with show:
        if steps:
            _in_steps(op, judge, groups, to, total, n, marks, policy, gap, show,
                      said)
        else:
            _run_stitch(op, groups[0], to, total,
                        1 if GAPS[gap] == "error" else n, marks, said)
    return result(to, like) if out is None else out


def _inputs(op: int, indices: Any, data: Any) -> "List[Tuple[Source, Source]]":
    for name, x in (("indices", indices), ("data", data)):
        if not isinstance(x, (list, tuple)):
            refuse(op, name, "%s is %s, a list of arrays is needed"
                   % (name, brief(x)))
    if len(indices) != len(data):
        refuse(op, "inputs", "%d indices, %d data: as many are needed"
               % (len(indices), len(data)), "NDG_E_COUNT")
    if not indices:
        refuse(op, "inputs", "0 inputs, at least 1 are needed", "NDG_E_COUNT",
               value=0, bound=1)
    return list(zip(_one_type(op, "indices", indices, np.dtype(np.intp)),
                    _one_type(op, "data", data, np.dtype(float))))


def _one_type(op: int, name: str, arrays: Any,
              otherwise: "np.dtype[Any]") -> List[Source]:
    """What the lists hold, all of the type of the first that has one: one
    without elements may have none."""
    read = [source(op, "%s of list %d" % (name, k), x)
            for k, x in enumerate(arrays)]
    first = next((k for k, s in enumerate(read) if not s.untyped), -1)
    like = Source(np.empty(0, otherwise)) if first < 0 else read[first]
    for k, s in enumerate(read):
        if s.untyped:
            read[k] = s = typed(s, like)
        if name == "indices":
            index_code(op, "indices of list %d" % k, s)
        if s.dtype != like.dtype:
            refuse(op, name, "%s of list %d: dtype %s, list %d has %s"
                   % (name, k, s.dtype, first, like.dtype))
    return read


def _groups(inputs: "List[Tuple[Source, Source]]") -> List[_Group]:
    """One group if the rows of all lists have the same strides inside."""
    def strides(pair: "Tuple[Source, Source]") -> Any:
        i, d = pair
        lead = i.a.ndim
        if d.a.flags.c_contiguous or not d.a.size:
            return None                 # packed
        inner = list(zip(d.a.shape[lead:], d.a.strides[lead:]))
        packed, step = True, d.a.itemsize
        for extent, stride in reversed(inner):
            packed = packed and (extent == 1 or stride == step)
            step *= extent
        return None if packed else [s for e, s in inner if e > 1]
    first = strides(inputs[0])
    if all(strides(pair) == first for pair in inputs[1:]):
        return [_Group(inputs)]
    return [_Group([pair]) for pair in inputs]


def _same_slices(op: int, inputs: "List[Tuple[Source, Source]]") -> None:
    """As the library says it, where one plan sees all lists."""
    want = inputs[0][1].a.shape[inputs[0][0].a.ndim:]
    for k, (i, d) in enumerate(inputs):
        if d.a.shape[:i.a.ndim] != i.a.shape or d.a.shape[i.a.ndim:] != want:
            refuse(op, "data", "data of list %d has shape %s, %s is needed"
                   % (k, d.a.shape, i.a.shape + want), "NDG_E_SHAPE", item=k)


def _total(op: int, judge: _Group, rows: Any,
           to: "Optional[np.ndarray[Any, Any]]",
           said: Optional[Report]) -> int:
    """The rows of the output: as told, as out has, or the largest index + 1."""
    if rows is not None:
        return integer(op, "rows", rows, 0, _BIG)
    if to is not None:
        return len(to)
    total, reports = words([0]), room(_shim.REPORT)
    if lib.ndgpy_stitch_total(address(judge.plan), address(judge.lists),
                              len(judge.inputs), address(total),
                              address(reports)):
        _finish_stitch(op, judge, reports, 1, said)
    return total[0]


def _finish_stitch(op: int, group: _Group, reports: Any, n: int,
                   said: Optional[Report]) -> None:
    """_finish, with the coordinates of the list that has the bad index."""
    lib.ndgpy_merge(address(reports), n, op)
    bad = read(reports, op, ()).bad
    _finish(op, reports, 1, group.inputs[bad.list][0].a.shape, said)


def _run_stitch(op: int, group: _Group, to: "Optional[np.ndarray[Any, Any]]",
                total: int, n: int, marks: bool,
                said: Optional[Report]) -> None:
    """At once, in n ranges; marks are needed to find gaps. No out: judges."""
    where, size = (None, 0) if to is None else (pointer(to), span(to))
    plan, lists = address(group.plan), address(group.lists)
    ranges = _threads.split(total, n)
    scratch = [None] * n if not marks else [
        np.empty(lib.ndgpy_stitch_scratch_bytes(plan, last - first) + 1,
                 np.uint8) for first, last in ranges]

    def work(w: int, first: int, last: int, at: int) -> int:
        bits = scratch[w]
        news: int = lib.ndgpy_stitch_run(
            plan, where, size, total, lists, len(group.inputs), first, last,
            None if bits is None else pointer(bits),
            0 if bits is None else bits.size, at)
        return news

    news = _threads.Run(op, work, 1, (group, to, scratch), None,
                        whole=True).over(ranges)
    if news is not None:
        _finish_stitch(op, group, news, 1, said)


def _in_steps(op: int, judge: _Group, groups: List[_Group],
              to: "np.ndarray[Any, Any]", total: int, n: int, marks: bool,
              policy: int, gap: int, show: Progress,
              said: Optional[Report]) -> None:
    """What is long, or has groups, which are run one after the other: looks at
    the indices, zeroes, and then writes some entries at a time."""
    drop, keep = POLICIES.index("drop"), GAPS.index("keep")
    if marks or len(groups) > 1:
        _run_stitch(op, judge, None, total, 1 if GAPS[gap] == "error" else n,
                    True, said)
    if GAPS[gap] == "zero" and (said is None or said.holes):
        groups[0].make(op, drop, gap, to, False, None)
        _zero(op, groups[0], to, total, n)
    for group in groups:
        group.make(op, drop if len(groups) > 1 else policy, keep, to, False,
                   None)
        _write_entries(op, group, to, total, n, show)


def _zero(op: int, group: _Group, to: "np.ndarray[Any, Any]", total: int,
          n: int) -> None:
    """All rows, as gaps: a stitch of no lists."""
    args = (address(group.plan), pointer(to), span(to), total, None, 0)
    row_bytes = bytes_of(to.shape[1:], to.itemsize)
    _threads.Run(op, lambda w, first, last, at: lib.ndgpy_stitch_run(
        *args, first, last, None, 0, at), row_bytes + 1, (group, to),
        None).over(_threads.split(total, n))


def _write_entries(op: int, group: _Group, to: "np.ndarray[Any, Any]",
                   total: int, n: int, show: Progress) -> None:
    """Each range of rows reads all entries, in steps."""
    where, size = pointer(to), span(to)
    plan, lists = address(group.plan), address(group.lists)
    ranges = _threads.split(total, n)
    for k, (i, d) in enumerate(group.inputs):
        width = i.a.itemsize

        def work(w: int, first: int, last: int, at: int) -> int:
            news: int = lib.ndgpy_stitch_part(
                plan, where, size, total, lists, k, first, last, width,
                *ranges[w], at)
            return news
        cost = d.a.itemsize * bytes_of(d.a.shape[i.a.ndim:], 1) // n + _TOUCH
        news = _threads.Run(op, work, cost, (group, to), show).over(
            [(0, i.a.size)] * n)
        if news is not None:
            _finish_stitch(op, group, news, 1, None)
        show.add(i.a.size)


# ---- partitions --------------------------------------------------------------

def partition_any(data: Any, partitions: Any, num_partitions: Any,
                  bad_index: Any, positions: Any, out: Any, threads: Any,
                  said: Optional[Report], progress: Any) -> Any:
    op = PARTITION
    _report_option(op, said)
    show = Progress(op, progress)
    d = source(op, "data", data)
    ids = of_indices(op, "partitions", partitions)
    parts = integer(op, "num_partitions", num_partitions, None, _BIG)
    policy = choice(op, "bad_index", bad_index, POLICIES, MOVE_POLICIES)
    place = _position_dtype(op, positions)
    slices = d.a.shape[ids.a.ndim:]
    given = None if out is None else _given_parts(op, out, parts, d, slices)
    telegram = [d.a.itemsize, parts, index_code(op, "partitions", ids),
                index_code(op, "positions", Source(np.empty(0, place))),
                policy] + shape_words(d.a) + shape_words(ids.a)
    telegram += [0] if not given else _part_layout(op, given)
    packed, facts, plan = words(telegram), words([0, 0]), \
        room(_shim.PARTITION_PLAN)
    reports = room(_shim.REPORT)
    if lib.ndgpy_plan_partition(address(plan), address(packed), address(facts),
                                address(reports)):
        _finish(op, reports, 1, ids.a.shape, said)
    rows, row_bytes = facts
    n = _threads.workers(op, threads, rows, row_bytes)
    clash = given is not None and any(overlaps(a, [d.a, ids.a])
                                      for a in given)
    if clash:
        n = 1                           # which looks at all before it writes
    counts, cursors = _counts(op, n, parts), _counts(op, n, parts)
    ranges = _threads.split(rows, n)

    def count(w: int, first: int, last: int, at: int) -> int:
        some = counts[w] if (first, last) == ranges[w] else np.empty_like(
            counts[w])
        news: int = lib.ndgpy_partition_count(
            address(plan), pointer(ids.a), first, last, pointer(some), at)
        if some.base is None:
            counts[w] += some
        return news

    def deal(w: int, first: int, last: int, at: int) -> int:
        news: int = lib.ndgpy_partition_run(
            address(plan), address(to), address(to_where) if where else None,
            pointer(d.a), pointer(ids.a), first, last, pointer(cursors[w]),
            pointer(counts[w]), at)
        return news

    show.of(rows, 2)
    with show:
        news = _threads.Run(op, count, ids.a.itemsize, (plan, ids, counts),
                            show, thorough=True).over(ranges)
        if news is not None:
            _finish(op, news, 1, ids.a.shape, said)
        show.add(rows)
        lib.ndgpy_partition_starts(pointer(counts), pointer(cursors), n, parts)
        sizes = counts[n - 1].tolist()
        outs = _room_for_parts(op, given, sizes, slices, d)
        where = [] if positions is None else _pieces(
            np.empty(sum(sizes), place), sizes)
        to = addresses(pointer(a) for a in outs)
        to_where = addresses(pointer(a) for a in where)
        news = _threads.Run(op, deal, row_bytes + _TOUCH,
                            (plan, d, ids, outs, where, cursors, counts), show,
                            whole=clash).over(ranges)
        if news is not None:
            _finish(op, news, 1, ids.a.shape, None)
    if not np.array_equal(cursors, counts):
        refuse(op, "partitions", "partitions were changed meanwhile",
               "NDG_E_CAPACITY")
    wrapped = outs if given else _wrapped_parts(outs, d)
    return (wrapped, where) if positions is not None else wrapped


def _position_dtype(op: int, positions: Any) -> "np.dtype[Any]":
    """The type of the positions; not to be used if there are none."""
    if positions is None:
        return np.dtype(np.int32)
    try:
        dtype: "np.dtype[Any]" = np.dtype(positions)
    except TypeError:
        refuse(op, "positions", "positions is %s, an integer dtype is needed"
               % brief(positions))
    index_code(op, "positions", Source(np.empty(0, dtype)))
    return dtype


def _given_parts(op: int, out: Any, parts: int, d: Source,
                 slices: Tuple[int, ...]) -> "List[np.ndarray[Any, Any]]":
    if not isinstance(out, (list, tuple)) or len(out) != parts:
        refuse(op, "out", "out is %s, a list of %d arrays is needed"
               % ("of %d arrays" % len(out) if isinstance(out, (list, tuple))
                  else brief(out), parts), "NDG_E_COUNT")
    given = [target(op, x, d, "out of part %d" % k)
             for k, x in enumerate(out)]
    for k, a in enumerate(given):
        if a.shape[1:] != slices or a.ndim < 1:
            refuse(op, "out", "out of part %d has shape %s, %s is needed"
                   % (k, a.shape, ("rows",) + slices), "NDG_E_SHAPE", item=k)
    shared = first_shared(given)
    if shared is not None:
        refuse(op, "out", "out of part %d overlaps out of part %d" % shared,
               "NDG_E_OVERLAP", item=shared[0])
    return given


def _part_layout(op: int, given: "List[np.ndarray[Any, Any]]") -> List[int]:
    """The one layout that all parts have."""
    first = max(given, key=len)
    for k, a in enumerate(given):
        if a.strides[1:] != first.strides[1:] or \
                len(a) > 1 and a.strides[0] != first.strides[0]:
            refuse(op, "out", "out of part %d has strides %s, others %s"
                   % (k, a.strides, first.strides), "NDG_E_STRIDE", item=k)
    stride = first.strides[0] if len(first) > 1 else 0
    return [1, stride] + inner_words(first, 1)


def _counts(op: int, n: int, parts: int) -> "np.ndarray[Any, Any]":
    try:
        return np.zeros((n, parts), np.intp)
    except ValueError:
        refuse(op, "num_partitions", "num_partitions is %d: too large" % parts,
               "NDG_E_OVERFLOW")


def _room_for_parts(op: int, given: "Optional[List[np.ndarray[Any, Any]]]",
                    sizes: List[int], slices: Tuple[int, ...], d: Source) \
        -> "List[np.ndarray[Any, Any]]":
    """An array for each part: those given, or of one new array."""
    if given is not None:
        for k, (a, size) in enumerate(zip(given, sizes)):
            if len(a) < size:
                refuse(op, "out", "out of part %d holds %d rows, %d are needed"
                       % (k, len(a), size), "NDG_E_CAPACITY", item=k,
                       value=len(a), bound=size)
        return [a[:size] for a, size in zip(given, sizes)]
    if d.wrap is not None:              # whose slices may be copies
        return [empty(op, (size,) + slices, d) for size in sizes]
    flat = empty(op, (sum(sizes),) + slices, d)
    return _pieces(flat, sizes)


def _pieces(flat: "np.ndarray[Any, Any]", sizes: List[int]) \
        -> "List[np.ndarray[Any, Any]]":
    """The array cut into so many rows each."""
    pieces, first = [], 0
    for size in sizes:
        pieces.append(flat[first:first + size])
        first += size
    return pieces


def _wrapped_parts(outs: "List[np.ndarray[Any, Any]]", d: Source) -> List[Any]:
    return [result(a, d) for a in outs]
