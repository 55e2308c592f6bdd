"""Polygons of a mesh file cut into triangles, also where they are not convex."""

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import Array

Triangle = tuple[int, int, int]
MAX_COMPARISONS = 2_000_000  # of a corner with another, over all polygons of a file: 2 s


class Patience:
    """Counts the work on concave polygons, which grows faster than their corners."""

    def __init__(self, what: str) -> None:
        self.what, self.left = what, MAX_COMPARISONS

    def spend(self, comparisons: int) -> None:
        self.left -= comparisons
        if self.left < 0:
            raise InputError(
                f"{self.what} has concave polygons of too many corners; "
                "export it as triangles instead"
            )


def triangulated(polygon: list[int], vertices: Array, patience: Patience) -> list[Triangle]:
    """A fan where that is right, else ear by ear, in the plane of the polygon's area vector."""
    n = len(polygon)
    if n == 3:
        return [(polygon[0], polygon[1], polygon[2])]
    corners = vertices[polygon]
    fan = [(0, i, i + 1) for i in range(1, n - 1)]
    crosses = np.cross(corners[1:-1] - corners[0], corners[2:] - corners[0])
    area = crosses.sum(axis=0)
    if np.all(crosses @ area >= 0):
        chosen = fan
    else:
        flat = np.delete(corners, int(np.argmax(np.abs(area))), axis=1)
        chosen = _ears(flat - flat[0], patience)
    return [(polygon[a], polygon[b], polygon[c]) for a, b, c in chosen]


def _ears(points: Array, patience: Patience) -> list[Triangle]:
    """Cut off one convex corner after the other that holds no other vertex."""
    left = list(range(len(points)))
    x, y = points[:, 0], points[:, 1]
    turning = float(np.sign(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))) or 1.0
    places: list[list[float]] = points.tolist()
    triangles: list[Triangle] = []

    def turn(i: int, j: int, k: int) -> float:
        (ax, ay), (bx, by), (cx, cy) = places[i], places[j], places[k]
        return turning * ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))

    while len(left) > 3:
        for at in range(len(left)):
            a, b, c = left[at - 1], left[at], left[(at + 1) % len(left)]
            patience.spend(1)
            if turn(a, b, c) <= 0:
                continue
            patience.spend(len(left))
            others = (p for p in left if p not in (a, b, c))
            if not any(
                turn(a, b, p) >= 0 and turn(b, c, p) >= 0 and turn(c, a, p) >= 0 for p in others
            ):
                break
        else:  # a polygon that crosses itself: no ear is free, take any
            at, (a, b, c) = 1, (left[0], left[1], left[2])
        triangles.append((a, b, c))
        del left[at]
    triangles.append((left[0], left[1], left[2]))
    return triangles
