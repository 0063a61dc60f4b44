"""Reads PNGs, and looks at every sum in them.

    png.py same A.png B.png ...     the same pictures, two by two; else fails
    png.py stored IN.png OUT.png    the same picture, not compressed
"""
import struct
import sys
import zlib


def chunk(name, data):
    return (struct.pack(">I", len(data)) + name + data
            + struct.pack(">I", zlib.crc32(name + data)))


def read(path):
    """Its chunks by their names, the rows in IDAT unpacked."""
    with open(path, "rb") as f:
        png = f.read()
    assert png[:8] == b"\x89PNG\r\n\x1a\n", path
    at, found = 8, {}
    while at < len(png):
        size, = struct.unpack(">I", png[at:at + 4])
        name, data = png[at + 4:at + 8], png[at + 8:at + 8 + size]
        assert png[at:at + 12 + size] == chunk(name, data), path
        found[name] = found.get(name, b"") + data
        at += 12 + size
    found[b"IDAT"] = zlib.decompress(found[b"IDAT"])
    return found


def store(path, chunks):
    chunks[b"IDAT"] = zlib.compress(chunks[b"IDAT"], 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + b"".join(
            chunk(*c) for c in chunks.items()))


if __name__ == "__main__":
    if sys.argv[1] == "stored":
        store(sys.argv[3], read(sys.argv[2]))
    else:
        pairs = sys.argv[2:]
        for a, b in zip(pairs[::2], pairs[1::2]):
            assert read(a) == read(b), (a, b)
