"""mosaic.py - a planet made of handwritten digits.

    python examples/python/mosaic.py [OUT.png]     from the project's root

The 1797 digits stay in their file, which is mapped to memory. A partition sorts
their numbers by the digit that was meant; bands of the planet take one digit
each, brighter places one with more ink. Then a single gather puts every tile in
its place: out is a view of the picture, so nothing is put together afterwards,
and -1 leaves what was there, the stars. The pixels are (shade, ink) pairs,
which gather_nd turns into colours. No two computers disagree on it: the scene
needs no more than square roots.
"""
import os
import struct
import sys
import zlib

import numpy as np

import ndgather

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
HIGH, WIDE, TILE, SHADES = 60, 108, 8, 13


def scene(high, wide, square):
    """For each cell its band, 0 to 9 or -1 for space, and its light, 0 to 1.
    square is how high a cell is, if it is 1 wide."""
    y, x = np.mgrid[:high, :wide].astype(float)
    x = (x + .5 - wide / 2) * 4.5 / wide
    y = (y + .5 - high / 2) * 4.5 / wide * square
    x, y = x + y * .3, y - x * .3               # the axis is tilted
    inside = 1 - x * x - y * y
    z = np.sqrt(np.maximum(inside, 0))
    light = np.maximum(.12, .62 * z - .6 * x - .5 * y)
    band = ((y + 1) * 5).astype(int)
    r = np.sqrt(x * x + (y / .24) ** 2)         # on the plane of the rings
    ring = (r > 1.25) & (r < 2.15) & ((r < 1.74) | (r > 1.82))
    ring &= (y > 0) | (inside < 0)              # a part is behind the planet
    shadow = (y < 0) & (x > 0) & (x < 1.35) & (inside < .5)
    rings = np.where(shadow, .1, .95 - .6 * np.abs(r - 1.6))
    planet = (inside > 0) & ~ring
    light = np.where(ring, rings, light) * .97 + .02
    band = np.where(ring, ((r - 1.25) * 10).astype(int), band)
    return (np.where(planet | ring, np.clip(band, 0, 9), -1),
            np.clip(light, 0, .99))


def by_ink(digits, labels):
    """For each of ten digits the numbers of its drawings, by their ink; as many
    for each as there are of all."""
    parts, places = ndgather.dynamic_partition(
        digits.sum((1, 2), dtype=np.int32), labels, 10, positions="i4")
    least = min(map(len, parts))
    picked = []
    for ink, where in zip(parts, places):
        order = np.argsort(ink, kind="stable")
        spread = np.arange(least) * len(ink) // least
        picked.append(ndgather.gather(where, order[spread]))
    return np.stack(picked)


def noise(*shape):
    """Numbers without a pattern, the same on every computer."""
    k = np.arange(np.prod(shape), dtype=np.uint64) + np.uint64(1)
    k *= np.uint64(0x9E3779B97F4A7C15)          # 2^64 over the golden ratio
    k = (k ^ (k >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (k >> np.uint64(40)).astype(np.int64).reshape(shape)


def sky():
    """Space, and some stars, as inks: what is there before the tiles."""
    k = noise(HIGH * TILE, WIDE * TILE)
    return np.where(k % 1709 == 0, k % 13 + 4, 0).astype(np.uint8)


def colours():
    """[shade, ink] to red, green and blue; the last shade is the sky's."""
    space, ground = np.array([11, 13, 32]), np.array([74, 48, 44])
    lit = np.array([255, 232, 184])
    shade = np.linspace(.14, 1, SHADES)[:, None, None]
    ink = np.linspace(0, 1, 17)[None, :, None]
    body = ground * shade * (1 - ink) + lit * shade * ink
    stars = space * (1 - ink) + lit * ink
    return np.concatenate([body, stars]).astype(np.uint8)


def draw(digits, labels):
    """The picture, [height, width, 3], and the digit of each cell."""
    band, light = scene(HIGH, WIDE, 1)
    table = by_ink(digits, labels)
    level = (light * table.shape[1]).astype(int) + noise(HIGH, WIDE) % 21 - 10
    level = np.clip(level, 0, table.shape[1] - 1)   # neighbours are not alike
    tile = ndgather.gather_nd(table, np.stack([band, level], 2),
                              bad_index="fill", fill=-1)
    ink = sky()
    cells = ink.reshape(HIGH, TILE, WIDE, TILE).transpose(0, 2, 1, 3)
    report = ndgather.Report()
    ndgather.gather(digits, tile, bad_index="keep", out=cells, report=report)
    shade = np.where(band < 0, SHADES, (light * SHADES).astype(int))
    shade = shade.astype(np.uint8).repeat(TILE, 0).repeat(TILE, 1)
    picture = ndgather.gather_nd(colours(), np.stack([shade, ink], 2))
    return picture, report.bad.count


def png(picture):
    """The bytes of a PNG with a palette, as the colours are few."""
    flat = picture.reshape(-1, 3)
    palette, number = np.unique(flat, axis=0, return_inverse=True)
    lines = number.reshape(picture.shape[:2]).astype(np.uint8)
    lines = np.pad(lines, ((0, 0), (1, 0)))     # each begins with its filter, 0
    head = struct.pack(">IIBBBBB", picture.shape[1], picture.shape[0], 8, 3, 0,
                       0, 0)
    parts = [b"\x89PNG\r\n\x1a\n"]
    for kind, data in ((b"IHDR", head), (b"PLTE", palette.tobytes()),
                       (b"IDAT", zlib.compress(lines.tobytes(), 9)),
                       (b"IEND", b"")):
        parts += [struct.pack(">I", len(data)), kind, data,
                  struct.pack(">I", zlib.crc32(kind + data))]
    return b"".join(parts)


def write(path, data):
    """The whole file, or none: it gets its name when it is complete."""
    part = path + ".part"
    try:
        with open(part, "wb") as f:
            f.write(data)
        os.replace(part, path)
    except OSError:
        if os.path.exists(part):
            os.remove(part)
        raise


def show():
    """The planet in the terminal: each cell is the digit it is made of."""
    band = scene(21, 76, 2)[0]
    band = band[(band >= 0).any(1)]
    letters = np.array(list("0123456789"))
    for line in ndgather.gather(letters, band, bad_index="fill", fill=" "):
        print("".join(line).rstrip())


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: mosaic.py [OUT.png]")
    try:
        digits = np.load(os.path.join(DATA, "digits.npy"), mmap_mode="r")
        labels = np.load(os.path.join(DATA, "labels.npy"), mmap_mode="r")
        picture, space = draw(digits, labels)
        show()
        print("%d tiles of %d digits; %d cells are space"
              % (HIGH * WIDE - space, len(digits), space))
        if sys.argv[1:]:
            write(sys.argv[1], png(picture))
    except (OSError, ValueError) as error:
        sys.exit("mosaic: %s" % error)


if __name__ == "__main__":
    main()
