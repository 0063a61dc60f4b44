"""The tool against ONNX: Gather, GatherND, ScatterND, negatives from the end:
the backend's own node tests, all of them. (Random ones are beside NumPy, in
which ONNX's reference is written: see cli_random.py.)
"""

import warnings

import tool

np, onnx = tool.need("cli_onnx", "numpy", "onnx")
from onnx import helper  # noqa: E402
from onnx.backend.test.case.node import collect_testcases  # noqa: E402

rng = np.random.default_rng(tool.number(1, 1))
checks = tool.Checks("cli_onnx")
run = tool.Tool()

OPS = {"Gather": "gather", "GatherND": "gather_nd", "ScatterND": "scatter_nd"}
OPTIONS = {"axis": "--axis", "batch_dims": "--batch-dims"}


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


backend()
checks.end()
