"""Shapes of the docking mechanism, in frames whose x is the axis of docking.

Mated, the front face of the active ring is at x = 0 and its outer edge touches the passive ring's
cone. Strikers reach past it at a smaller radius, where the latches hook behind them.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from dovetail.examples.docking.blocks import Blocks, plate, sector
from dovetail.examples.docking.parameters import Docking
from dovetail.linalg.lie import so3
from dovetail.model import Box, Compound, Mesh, Placed

Array = NDArray[np.float64]

LATCH = (82.6e-3, 59.8e-3, 50.6e-3)  # [m] a box of these sides has the moments of table 1
LATCH_AT = tuple(np.radians([0.0, 120.0, 240.0]))
PETALS_AT = tuple(np.radians([60.0, 180.0, 300.0]))
PASSIVE_PETALS_AT = tuple(np.radians([30.0, 150.0, 270.0]))

TIP = 0.425  # [m] radius of a latch's tip
REAR = -0.018  # [m] where the tip hooks
OVERLAP = 10.5e-3  # [m] by which it hooks
WEDGE = (16e-3, 14e-3)  # [m] length of the tip, height of its slope of 45 degrees
HOOK = 14e-3  # [m] length of a striker's hook: less than the tip, which its corners carry
FINE = 4.8e-3  # [m] longest side of the latch's mesh


def active_ring(study: Docking) -> Mesh:
    """A ring with three petals that lean inward."""
    blocks = Blocks()
    around = (0.0, 2 * np.pi)
    r = study.radius
    blocks.add(sector((-0.06, 0.0), (r - 0.06, r), around), (2, 2, study.segments))
    for at in PETALS_AT:
        wide = (at - np.radians(13), at + np.radians(13))
        blocks.add(sector((0.001, 0.10), (r - 0.10, r - 0.07), wide, lean=0.2), (3, 1, 4))
    return blocks.skin()


@cache
def latch() -> Mesh:
    """A stem with a hook at its front, sloped ahead and flat behind; y points outward.

    Its origin is on the axis of docking, so that y is the radius.
    """
    front, back = REAR - 60e-3 + LATCH[0] + 18e-3, REAR - 42e-3
    top, stem = TIP + LATCH[1], TIP + WEDGE[1]
    slope = REAR + WEDGE[0]
    blocks = Blocks()

    def block(
        left: tuple[float, float], right: tuple[float, float], y: tuple[float, float]
    ) -> None:
        """`left`, `right`: x at the lower and the upper end of each side."""
        quad = [(left[0], y[0]), (right[0], y[0]), (right[1], y[1]), (left[1], y[1])]
        lean = np.hypot(max(abs(left[1] - left[0]), abs(right[1] - right[0])), y[1] - y[0])
        cells = max(right[0] - left[0], right[1] - left[1]), lean, LATCH[2]
        n, m, k = (int(np.ceil(length / FINE)) for length in cells)
        blocks.add(plate(quad, LATCH[2]), (n, m, k))

    end = slope + WEDGE[1]
    block((REAR, REAR), (slope, end), (TIP, stem))
    block((back, back), (REAR, REAR), (stem, top))
    block((REAR, REAR), (end, end), (stem, top))
    block((end, end), (front, front), (stem, top))
    return blocks.skin()


def passive_ring(study: Docking) -> Compound:
    """A cone of plates, three strikers on arms, and three petals; all boxes, so all exact.

    Boxes are small against the whole, so that their corners are all there is to probe.
    """
    parts = [*_cone(study)]
    for at in LATCH_AT:
        parts += _striker(study, at)
    for at in PASSIVE_PETALS_AT:
        parts += [
            _bar(at, (-0.045, 0.01), (0.47, 0.50), 0.07),
            _bar(at, (0.01, 0.06), (0.47, 0.50), 0.07),
            _bar(at, (0.03, 0.06), (0.50, 0.58), 0.05),
        ]
    return Compound(parts)


def _cone(study: Docking) -> list[Placed]:
    """Plates whose inner faces are `radius` from the axis at x = 0."""
    angle, n = np.radians(study.cone_angle), study.segments
    long, thick = 0.06, 0.03
    wide = 2 * (study.radius + 0.5 * long * np.sin(angle)) * np.tan(np.pi / n)
    plates = []
    for k in range(n):
        turn = so3.exp([2 * np.pi * k / n, 0.0, 0.0])
        tilt = so3.exp([0.0, 0.0, -angle])  # the cone opens toward -x
        outward = tilt @ [0.0, 0.5 * thick, 0.0]
        middle = np.array([0.0, study.radius, 0.0]) + outward
        plates.append(Placed(Box((long, thick, wide)), turn @ middle, turn @ tilt))
    return plates


def _striker(study: Docking, at: float) -> list[Placed]:
    rear, low = REAR - study.play, 0.395
    wide = 0.004  # thinner than the mesh of a latch, so that corners alone touch
    return [
        _bar(at, (rear - HOOK, rear), (low, TIP + OVERLAP), wide),
        _bar(at, (rear, 0.04), (low, TIP - 0.010), wide),
        _bar(at, (0.04, 0.08), (low, TIP - 0.010), wide),
        *(_bar(at, (0.05, 0.08), (r, r + 0.08), wide) for r in (TIP - 0.01, 0.495, 0.55)),
    ]


def _bar(at: float, x: tuple[float, float], radius: tuple[float, float], wide: float) -> Placed:
    """A box between two places on the axis and two radii, at an angle about the axis."""
    turn = so3.exp([at, 0.0, 0.0])
    middle = turn @ [0.5 * (x[0] + x[1]), 0.5 * (radius[0] + radius[1]), 0.0]
    return Placed(Box((x[1] - x[0], radius[1] - radius[0], wide)), middle, turn)


def hull(study: Docking, front: float) -> Mesh:
    """The end of the active vehicle that carries the legs."""
    blocks = Blocks()
    around = (0.0, 2 * np.pi)
    blocks.add(sector((front - 0.4, front), (0.45, 0.75), around), (2, 2, study.segments))
    return blocks.skin()


def leg_ends(study: Docking, length: float) -> tuple[Array, Array]:
    """Feet on the vehicle and tips on the ring, (6, 3) [m]: three pairs, each leg askew."""
    r, back, reach = study.radius - 0.03, -0.075, 0.42
    across = 2 * np.arcsin(np.sqrt(length**2 - reach**2) / (2 * r))
    feet, tips = [], []
    for at in PETALS_AT:
        for side in (-1, 1):
            tip = at + side * np.radians(8)
            foot = tip + side * across
            tips.append([back, r * np.cos(tip), r * np.sin(tip)])
            feet.append([back - reach, r * np.cos(foot), r * np.sin(foot)])
    return np.array(feet), np.array(tips)
