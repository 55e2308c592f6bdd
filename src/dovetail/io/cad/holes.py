"""Is the surface of a solid whole? A face that could not be read leaves a hole."""

import numpy as np

from dovetail.io.cad.parts import welded
from dovetail.model.connected import component_labels, links_within
from dovetail.model.values import Array

CRACK = 4.0  # times the tolerance: what is not wider is a crack between two faces, not a hole


def widest_hole(vertices: Array, triangles: Array, near: float) -> float:
    """[m] twice the area of a boundary over its length, the largest of all; 0 where there is none.

    A boundary are edges of one triangle each that are connected, or within `near` [m]: the two
    sides of a crack are one. Its area is that of the vector sum of a x b / 2 over its edges from a
    to b, which any surface that fills it has too.
    """
    corners, rows = welded(vertices, triangles)
    edges = np.concatenate([rows[:, (0, 1)], rows[:, (1, 2)], rows[:, (2, 0)]])
    keys = edges @ (len(corners), 1)
    open_ones = edges[~np.isin(keys, edges @ (1, len(corners)))]
    if not len(open_ones):
        return 0.0
    numbers, ends = np.unique(open_ones, return_inverse=True)
    ends = ends.reshape(-1, 2)
    close = links_within(corners[numbers], near)
    labels = component_labels(len(numbers), np.concatenate([ends, close]))[ends[:, 0]]
    a, b = corners[open_ones[:, 0]], corners[open_ones[:, 1]]
    middle = corners[open_ones[0, 0]]
    areas, lengths = np.zeros((labels.max() + 1, 3)), np.zeros(labels.max() + 1)
    np.add.at(areas, labels, 0.5 * np.cross(a - middle, b - middle))
    np.add.at(lengths, labels, np.linalg.norm(b - a, axis=1))
    wide = 2.0 * np.linalg.norm(areas, axis=1)
    return float(np.max(np.divide(wide, lengths, out=wide, where=lengths > 0.0)))
