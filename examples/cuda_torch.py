"""cuda_torch.py - gather from Python, on PyTorch's tensors, without a copy.

    make shared-cuda && python3 examples/cuda_torch.py

The smallest use of build/libndgather_cuda.so from another language: ctypes
alone, no extension to compile. A tensor's strides go into the description, so
what torch.index_select would first make contiguous is read where it lies. Bad
indices become rows of zeros and are counted on the device; nothing waits until
that count is asked for. The launch joins PyTorch's current stream.

Without PyTorch, or where it sees no GPU, it says so, and only plans. Another
library than that in build/ may be named.
"""
import ctypes as c
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "..", "build", "libndgather_cuda.so")
I32, I64, ZERO = 0, 3, 2            # NDG_I32, NDG_I64, NDG_ZERO


class Shape(c.Structure):           # ndg_shape, of up to four axes
    _fields_ = [("rank", c.c_int), ("strided", c.c_int),
                ("dim", c.c_ssize_t * 4), ("stride", c.c_ssize_t * 4),
                ("dims", c.c_void_p), ("strides", c.c_void_p)]


class GatherDesc(c.Structure):      # ndg_gather_desc; every zero is safe
    _fields_ = [("params", Shape), ("indices", Shape),
                ("elem_size", c.c_ssize_t)]
    _fields_ += [(name, c.c_int) for name in (
        "index_type", "batch_dims", "axis", "policy", "negative", "overlap",
        "features")]
    _fields_ += [("fill", c.c_ubyte * 16), ("out", Shape)]


def load(path):
    """The library, with the types of the functions used here."""
    lib = c.CDLL(path)
    lib.ndg_plan_gather.argtypes = [c.c_void_p, c.POINTER(GatherDesc),
                                    c.c_void_p]
    lib.ndg_gather_out_bytes.argtypes = [c.c_void_p] + [c.c_ssize_t] * 2
    lib.ndg_gather_out_bytes.restype = c.c_ssize_t
    lib.ndg_cuda_gather_run.argtypes = [c.c_void_p, c.c_void_p, c.c_ssize_t] \
        + [c.c_void_p] * 4
    return lib


def shape(dims, strides, elem):
    """An ndg_shape of extents and strides in elements."""
    steps = [s * elem for s in strides]
    return Shape(len(dims), 1, (c.c_ssize_t * 4)(*dims),
                 (c.c_ssize_t * 4)(*steps))


def plan_gather(lib, params, indices, elem, index_type):
    """A plan for rows of params; each a pair of extents and strides."""
    desc = GatherDesc(params=shape(*params, elem),
                      indices=shape(*indices, 8 if index_type else 4),
                      elem_size=elem, index_type=index_type, policy=ZERO)
    plan, report = c.create_string_buffer(1024), c.create_string_buffer(1024)
    if lib.ndg_plan_gather(plan, desc, report) != 0:
        line = c.create_string_buffer(200)
        lib.ndg_report_text(line, c.c_ssize_t(200), report, None)
        raise ValueError(line.value.decode())
    return plan


def gather(lib, table, ids):
    """table[ids] by rows; returns it, and the device's count of bad ids."""
    import torch
    index_type = {torch.int32: I32, torch.int64: I64}[ids.dtype]
    elem = table.element_size()
    plan = plan_gather(lib, (table.shape, table.stride()),
                       (ids.shape, ids.stride()), elem, index_type)
    out = torch.empty(ids.shape + table.shape[1:], dtype=table.dtype,
                      device=table.device)
    bad = torch.zeros(2, dtype=torch.int64, device=table.device)
    status = lib.ndg_cuda_gather_run(
        plan, out.data_ptr(), out.numel() * elem, table.data_ptr(),
        ids.data_ptr(), bad.data_ptr(), torch.cuda.current_stream().cuda_stream)
    if status != 0:
        raise RuntimeError("CUDA error %d" % status)
    return out, bad


def main():
    path = os.path.abspath(sys.argv[1] if sys.argv[1:] else LIBRARY)
    if not os.path.exists(path):
        sys.exit("cuda_torch: no %s: make shared-cuda" % path)
    lib = load(path)
    plan = plan_gather(lib, ((1000, 64), (64, 1)), ((6,), (1,)), 4, I64)
    print("planned: 6 rows of 1000, %d bytes of output"
          % lib.ndg_gather_out_bytes(plan, 0, 6))
    try:
        import torch
    except ImportError:
        print("skip: no PyTorch")
        return
    if not torch.cuda.is_available():
        print("skip: PyTorch sees no GPU")
        return
    table = torch.arange(64000., device="cuda").reshape(64, 1000).T
    ids = torch.tensor([17, 999, 1000, 3, -1, 17], device="cuda")
    rows, bad = gather(lib, table, ids)
    good = (ids >= 0) & (ids < 1000)
    want = torch.where(good[:, None], table[ids.clamp(0, 999)], 0.)
    first, count = bad.tolist()                     # waits for the device
    print("%d bad, the first at %d" % (count, ~first))
    print("as PyTorch has it" if torch.equal(rows, want) else "wrong")
    sys.exit(not torch.equal(rows, want) or (~first, count) != (2, 2))


if __name__ == "__main__":
    main()
