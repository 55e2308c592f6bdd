"""A shape of one's own: a box whose edges and corners are rounded, with exact mass properties.

The solid is the set of points within `radius` of a smaller box of edges a, b, c = size - 2 radius
(Steiner's formula for volume and moments). Everything else follows from its surface: contact under
every method, pictures, exports, and scene files that say

    shape: {rounded-box: {size: [0.2, 0.2, 0.1], radius: 0.02}, segments: 16}
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import dovetail as dt
from dovetail.extend import MassProperties, Parameter, SceneForm, Shape, Surface


@dataclass(frozen=True, eq=False)
class RoundedBox(Shape):
    """Edges `size` = (x, y, z) [m] over all, rounded by `radius` [m], about its origin."""

    size: Any
    radius: Any
    segments: Any = 16  # around a whole circle, a multiple of 4

    scene_form: ClassVar = SceneForm(
        (Parameter("size", "positive vector", "length"), Parameter("radius", "positive", "length")),
        (Parameter("segments", "segments"),),
    )

    def mistakes(self):
        size, radius = np.asarray(self.size, dtype=float), float(self.radius)
        found = []
        if size.shape != (3,) or not 2 * radius < size.min():
            found.append(f"`size` of RoundedBox must be three lengths > 2 `radius`, got {size}")
        if self.segments % 4 or self.segments < 8:
            found.append(f"`segments` of RoundedBox must be 8, 12, 16, ..., got {self.segments}")
        return found

    def surface(self):
        """The vertices of a sphere, each octant moved to its corner of the inner box."""
        quarter = int(self.segments) // 4
        inner = np.asarray(self.size, dtype=float) / 2 - float(self.radius)
        angles = np.linspace(0, np.pi / 2, quarter + 1)
        rows = []  # rings from the lower to the upper pole, every corner of a ring twice
        for tilt in np.concatenate([angles - np.pi / 2, angles]):
            up = -1.0 if len(rows) <= quarter else 1.0
            ring = []
            for k in range(4):
                turn = angles + k * np.pi / 2
                x, y = np.cos(tilt) * np.cos(turn), np.cos(tilt) * np.sin(turn)
                corner = inner * (np.sign(np.cos(turn[1])), np.sign(np.sin(turn[1])), up)
                points = np.stack([x, y, np.full_like(x, np.sin(tilt))], axis=1)
                ring.append(corner + float(self.radius) * points)
            rows.append(np.concatenate(ring))
        return _closed(rows[1:-1], rows[0][:: quarter + 1], rows[-1][:: quarter + 1])

    def mass_properties(self):
        """Of the box, its faces, edges and corners, each moved outward (unit density)."""
        r, full = float(self.radius), np.asarray(self.size, dtype=float)
        a = full - 2 * r
        volume, second = np.prod(a), np.prod(a) * a**2 / 12  # integrals of 1 and x^2, y^2, z^2
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            slab = 2 * a[j] * a[k] * r  # both faces across axis i
            volume += slab
            second[i] += slab * (a[i] ** 2 / 4 + a[i] * r / 2 + r**2 / 3)
            second[j] += slab * a[j] ** 2 / 12
            second[k] += slab * a[k] ** 2 / 12
            tube = np.pi * r**2 * a[i]  # four quarters of a cylinder along axis i
            volume += tube
            second[i] += tube * a[i] ** 2 / 12
            for across in (j, k):
                mean = 4 * r / (3 * np.pi)
                second[across] += tube * (a[across] ** 2 / 4 + a[across] * mean + r**2 / 4)
        ball = 4 / 3 * np.pi * r**3  # eight octants
        volume += ball
        second += ball * (a**2 / 4 + a * 3 * r / 8 + r**2 / 5)
        inertia = np.diag(second.sum() - second)
        return MassProperties(3, float(volume), np.zeros(3), inertia)


def _closed(rings, bottom, top):
    """Triangles between rings of equal length, and a flat face of four corners at each end."""
    n, count = len(rings[0]), len(rings)
    faces = []
    for row in range(count - 1):
        for k in range(n):
            a, b = row * n + k, row * n + (k + 1) % n
            faces += [(a, b, b + n), (a, b + n, a + n)]
    quarter = n // 4
    for first, corners, outward in ((0, count * n, False), ((count - 1) * n, count * n + 4, True)):
        cap = [(corners, corners + 1, corners + 2), (corners, corners + 2, corners + 3)]
        for k in range(n):
            corner, after = corners + k // quarter, corners + (k + 1) % n // quarter
            a, b = first + k, first + (k + 1) % n
            cap.append((a, b, corner))
            if after != corner:
                cap.append((b, after, corner))
        faces += cap if outward else [face[::-1] for face in cap]
    return Surface.of(np.concatenate([*rings, bottom, top]), faces)


dt.extend.register("shapes", "rounded-box", RoundedBox)


def scene():
    """A rounded box that falls on one edge."""
    made = dt.Scene(gravity=(0, 0, -9.81))
    made.add_body("floor", dt.HalfSpace(), motion="static")
    made.add_body(
        "box", RoundedBox((0.2, 0.2, 0.1), 0.02), density=1000, position=(0, 0, 0.16),
        rotation=(np.cos(0.2), np.sin(0.2), 0, 0),
    )  # fmt: skip
    return made


if __name__ == "__main__":
    result = dt.simulate(scene(), 0.5, 1e-3, contact="lcp")
    print(f"{result}; lowest corner at {result.min_distance.min():.2e} m")
