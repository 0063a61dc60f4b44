# Makes the .npy files of this folder. Needs numpy and scikit-learn:
#
#     python3 examples/data/make.py examples/data
#
# All arithmetic is in integers, so every machine gets the same files.
import os
import sys

import numpy as np
from sklearn.datasets import load_digits

CLASSES, LINES = 10, 6
folder = sys.argv[1] if len(sys.argv) > 1 else "."


def save(name, array, dtype):
    np.save(os.path.join(folder, name), np.ascontiguousarray(array, dtype))


scans = load_digits()
digits = scans.images.astype(np.int64)       # [1797,8,8], ink 0 ... 16
labels = scans.target

# pick[line,c] is a position within class c: line 0 is the digit nearest to the
# mean of its class, the last line the farthest from it, the lines between lie
# evenly spaced in rank. Distances are Euclidean; ties go to the earlier digit.
pick = np.empty((LINES, CLASSES), np.int64)
found = np.empty((LINES, CLASSES), np.int64)  # the same digits, in all of them
for c in range(CLASSES):
    member = np.flatnonzero(labels == c)
    n = len(member)
    part = digits[member]
    far = ((n * part - part.sum(0)) ** 2).sum((1, 2))    # n^2 * distance^2
    order = np.argsort(far, kind="stable")
    for line in range(LINES):
        pick[line, c] = order[line * (n - 1) // (LINES - 1)]
        found[line, c] = member[pick[line, c]]

save("digits.npy", digits, "u1")
save("labels.npy", labels, "u1")
save("order.npy", np.arange(len(labels)), "<u2")
save("pick.npy", pick, "u1")
save("pick_class.npy", np.tile(np.arange(CLASSES), (LINES, 1)), "u1")
save("pick_place.npy", np.arange(LINES * CLASSES).reshape(LINES, -1), "<i4")
save("pick_nd.npy", found.reshape(-1, 1), "<u2")

# 24 decimals of pi clockwise on the border of 5 x 9 places, from the upper left.
pi = [int(c) for c in "314159265358979323846264"]
ring = ([(0, x) for x in range(9)] + [(y, 8) for y in range(1, 5)]
        + [(4, x) for x in range(7, -1, -1)] + [(y, 0) for y in range(3, 0, -1)])
save("pi.npy", pi, "u1")
save("ring.npy", ring, "u1")
save("blank.npy", np.zeros((5, 9, 8, 8)), "u1")
