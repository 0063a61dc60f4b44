"""The Python package on the text cases of tests/cases, which say what
TensorFlow and ONNX give; their format is in the README there.

    python tests/uses/python_cases.py          from the project's root

Values are encoded with NumPy's types; types that NumPy lacks (bfloat16 and
others) are left out, as the C test has them: the library only moves bytes.
"""
import re

import numpy as np

import ndgather
import python_checks

checks = python_checks.Checks("python_cases")
ERRORS = {"index": "NDG_E_INDEX", "rank": "NDG_E_RANK", "depth": "NDG_E_DEPTH",
          "axis": "NDG_E_AXIS", "batch_dims": "NDG_E_BATCH_DIMS",
          "batch_shape": "NDG_E_BATCH_SHAPE", "shape": "NDG_E_SHAPE",
          "count": "NDG_E_COUNT", "dtype": "NDG_E_TYPE"}
NAMES = {"string": "S16", "bool": "?"}
skipped = set()


class Unknown(Exception):
    """A type that NumPy does not have."""


def dtype_of(name):
    try:
        return np.dtype(NAMES.get(name, name))
    except TypeError:
        raise Unknown(name) from None


def shape_of(text):
    return tuple(int(n) for n in text[1:-1].split(",") if n)


def array(text):
    name, shape, *values = text.split(" ")
    dtype, shape = dtype_of(name), shape_of(shape)
    if dtype.kind == "c":
        values = [complex(float(re_), float(im)) for re_, im
                  in zip(values[::2], values[1::2])]
    elif dtype.kind == "S":
        values = [v[1:-1].encode() for v in values]
    elif dtype.kind in "iub":
        values = [int(v) for v in values]
    else:
        values = [float(v) for v in values]
    return np.array(values, dtype).reshape(shape)


def cases(path):
    """Each as a dict of its lines."""
    with open(path, encoding="ascii") as f:
        for block in f.read().split("\n\n"):
            lines = [x for x in block.split("\n") if x]
            if lines:
                yield dict(x.split(": ", 1) if ": " in x
                           else (x.rstrip(":"), "") for x in lines)


def numbered(case, key):
    """indices0, indices1 ... of a stitch."""
    return [array(case[k]) for k in sorted(
        (k for k in case if re.fullmatch(key + r"\d+", k)),
        key=lambda k: int(k[len(key):]))]


def call(case, params_dtype=None, index_dtype=None, axis=None):
    """Runs the case, with other types or another axis if they are given."""
    op = case["op"]
    run = getattr(ndgather, op)
    options = {"bad_index": case.get("policy", "error")}

    def cast(a, dtype):
        return a if dtype is None else as_type(a, dtype)
    if "stitch" in op:
        return [run([cast(i, index_dtype) for i in numbered(case, "indices")],
                    [cast(d, params_dtype) for d in numbered(case, "data")],
                    **options)]
    if op == "dynamic_partition":
        return run(cast(array(case["data"]), params_dtype),
                   cast(array(case["partitions"]), index_dtype),
                   int(case["num_partitions"]), **options)
    options["negative"] = case.get("negative", "bad")
    if op == "scatter_nd":
        into = cast(array(case["into"]), params_dtype) if "into" in case \
            else shape_of(case["out"])
        return [run(into, cast(array(case["indices"]), index_dtype),
                    cast(array(case["data"]), params_dtype),
                    int(case.get("batch_dims", 0)), **options)]
    if op != "batch_gather" and "batch_dims" in case:
        options["batch_dims"] = int(case["batch_dims"])
    if op == "gather" and (axis or case.get("axis")):
        options["axis"] = int(axis or case["axis"])
    return [run(cast(array(case["params"]), params_dtype),
                cast(array(case["indices"]), index_dtype), **options)]


def as_type(a, dtype):
    if dtype.kind == "S":
        return np.array([str(int(v)) if v == v else "nan"
                         for v in a.reshape(-1)], dtype).reshape(a.shape)
    return a.astype(dtype)


def expected(case):
    return [array(case["expect"])] if "expect" in case \
        else numbered(case, "expect")


def compare(case, what, **options):
    try:
        got = call(case, **options)
    except ndgather.Error as error:
        checks.check(False, "%s: %s" % (what, error))
        return
    want = expected(case)
    if options.get("params_dtype") is not None:
        want = [as_type(a, options["params_dtype"]) for a in want]
    if checks.is_(len(got), len(want), what):
        for a, b in zip(got, want):
            checks.same(a, b, what)


def refuse(case, what):
    try:
        call(case)
    except ndgather.Error as error:
        said = error.report
        checks.is_(said.status, ERRORS[case["error"]], what)
        if "bad_value" in case:
            value = case["bad_value"].split()
            checks.check(str(said.bad.value) in value, what + ": value")
        if "bad_position" in case:
            at = tuple(int(n) for n in case["bad_position"].split())
            checks.is_(said.bad.at, at, what + ": position")
        if "bad_list" in case:
            checks.is_(said.bad.list, int(case["bad_list"]), what + ": list")
    else:
        checks.check(False, what + ": is not refused")


def types(case, key):
    for name in case.get(key, "").split():
        try:
            yield dtype_of(name)
        except Unknown as error:
            skipped.add(str(error))


def run(case):
    what = case["case"]
    try:
        if "error" in case:
            refuse(case, what)
            return
        compare(case, what)
        if "negative_axis" in case:
            compare(case, what + " axis", axis=case["negative_axis"])
        for dtype in types(case, "also_dtypes"):
            compare(case, "%s %s" % (what, dtype), params_dtype=dtype)
        for dtype in types(case, "also_index_dtypes"):
            compare(case, "%s index %s" % (what, dtype), index_dtype=dtype)
    except Unknown as error:
        skipped.add(str(error))


number = 0
for path in ("tests/cases/tf.txt", "tests/cases/onnx.txt",
             "tests/cases/ort.txt"):
    for c in cases(path):
        number += 1
        run(c)
checks.check(number >= 657, "only %d cases were read" % number)
if skipped:
    print("skip: python_cases: NumPy has no " + " ".join(sorted(skipped)))
checks.end()
