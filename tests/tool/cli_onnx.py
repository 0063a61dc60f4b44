"""The tool against ONNX: Gather, GatherND, ScatterND, negatives from the end.

The backend's own node tests, all of them, and random cases against the
reference evaluator.
"""

import warnings

import tool

np, onnx = tool.need("cli_onnx", "numpy", "onnx")
import onnx.reference  # noqa: E402
from onnx import helper  # noqa: E402
from onnx.backend.test.case.node import collect_testcases  # noqa: E402

rng = np.random.default_rng(tool.number(1, 1))
count = tool.number(2, 500)
checks = tool.Checks("cli_onnx")
run = tool.Tool()

OPS = {"Gather": "gather", "GatherND": "gather_nd", "ScatterND": "scatter_nd"}
OPTIONS = {"axis": "--axis", "batch_dims": "--batch-dims"}
ELEMENTS = ["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8",
            "<f2", "<f4", "<f8", "<c8", "<c16"]


def run_tool(op, arrays, attributes):
    args = ["--negative", "from-end"]
    for k, array in enumerate(arrays):
        name = "%d.npy" % k
        tool.save(run.file(name), array, (1, 0), rng.random() < .3)
        args.append(name)
    for name, value in attributes.items():
        args += [OPTIONS[name], value]
    return run.out(OPS[op], *args)


def backend():
    """The cases that come with onnx."""
    found = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        node = case.model.graph.node[0]
        if len(case.model.graph.node) != 1 or node.op_type not in OPS:
            continue
        attributes = {a.name: helper.get_attribute_value(a)
                      for a in node.attribute}
        if "reduction" in attributes:       # they add up; the tool does not
            continue
        for inputs, outputs in case.data_sets:
            found += 1
            got, said = run_tool(node.op_type, inputs, attributes)
            checks.check(tool.same(got, outputs[0]),
                         "%s: %s" % (case.name, said))
    checks.check(found >= 8, "only %d backend cases" % found)


def evaluate(op, arrays, attributes):
    """The reference's array, or None and its words."""
    kinds = [helper.np_dtype_to_tensor_dtype(a.dtype) for a in arrays]
    names = ["a", "b", "c"][:len(arrays)]
    node = helper.make_node(op, names, ["o"], **attributes)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(n, k, None)
         for n, k in zip(names, kinds)],
        [helper.make_tensor_value_info("o", kinds[0], None)])
    model = helper.make_model(graph)
    try:
        return onnx.reference.ReferenceEvaluator(model).run(
            None, dict(zip(names, arrays)))[0], ""
    except (IndexError, ValueError, AssertionError) as e:
        return None, str(e)[:200]


def elements(shape, dtype=None):
    dtype = np.dtype(dtype or rng.choice(ELEMENTS))
    size = int(np.prod(shape)) * dtype.itemsize
    data = rng.integers(0, 2 if dtype.kind == "b" else 256, size, np.uint8)
    return np.ndarray(shape, dtype, data.tobytes())


def extents(low, high):
    return tuple(int(rng.integers(1, 5))
                 for _ in range(rng.integers(low, high)))


def judge(op, arrays, attributes, line):
    got, said = run_tool(op, arrays, attributes)
    want, words = evaluate(op, arrays, attributes)
    what = "%s %s of %s%s %s" % (op, arrays[1].tolist(), arrays[0].dtype,
                                 arrays[0].shape, attributes)
    if line:
        checks.check(want is None, what + ": the reference takes it")
        checks.check(got is None and said == line,
                     "%s: want <%s> got <%s>" % (what, line, said))
    elif checks.check(want is not None, "%s: refused: %s" % (what, words)):
        checks.check(tool.same(got, np.asarray(want)),
                     "%s: %s" % (what, said))


def gather():
    shape = extents(1, 5)
    axis = int(rng.integers(-len(shape), len(shape)))
    n = shape[axis]
    more = int(rng.random() < .15)
    indices = rng.integers(-n - more, n + more, extents(0, 3),
                           rng.choice([np.int32, np.int64]))
    indices = np.asarray(indices)
    judge("Gather", [elements(shape), indices], {"axis": axis},
          tool.gather_line(indices, n, True))


def gather_nd():
    shape = extents(1, 5)
    batch = int(rng.integers(0, len(shape)))
    depth = int(rng.integers(1, len(shape) - batch + 1))
    rows = shape[:batch] + extents(0, 3)
    indices = np.zeros(rows + (depth,), np.int64)
    for c in range(depth):
        n = shape[batch + c]
        more = int(rng.random() < .1)
        indices[..., c] = rng.integers(-n - more, n + more, rows)
    judge("GatherND", [elements(shape), indices],
          {"batch_dims": batch} if batch or rng.random() < .5 else {},
          tool.gather_nd_line(indices, shape, batch, True))


def scatter_nd():
    """No place twice: ONNX leaves open what is there then."""
    shape = extents(1, 5)
    depth = int(rng.integers(1, len(shape) + 1))
    slots = int(np.prod(shape[:depth]))
    picks = rng.permutation(slots)[:rng.integers(0, slots + 1)]
    indices = np.stack(np.unravel_index(picks, shape[:depth]), -1)
    for c in range(depth):
        n = shape[c]
        indices[:, c] -= n * rng.integers(0, 2, len(picks))
        if len(picks) and rng.random() < .05:
            indices[rng.integers(len(picks)), c] = rng.choice([n, -n - 1])
    if len(picks) % 2 == 0:
        indices = indices.reshape(2, -1, depth)
    params = elements(shape)
    updates = elements(indices.shape[:-1] + shape[depth:], params.dtype)
    judge("ScatterND", [params, indices, updates], {},
          tool.scatter_nd_line(indices, shape, 0, True))


backend()
for _ in range(count):
    gather()
    gather_nd()
    scatter_nd()
checks.end()
