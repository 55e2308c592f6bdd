"""Spur gears with involute teeth, as closed meshes.

With module m and z teeth the pitch radius is r = m z / 2, the base radius r_b = r cos(a), the tip
at r + m and the root at r - 5/4 m. At a radius rho a tooth is 2 psi(rho) wide,
    psi(rho) = (pi m / 2 - backlash) / (2 r) + inv(a) - inv(acos(r_b / rho)),   inv(x) = tan x - x,
so that two gears at the distance of their pitch radii turn in the ratio of their teeth
(DIN 3960; pressure angle a = 20 degrees). Towards the root a tooth is no wider than what the corner
of the rack leaves that would cut it (DIN 867: 5/4 m deep), a trochoid: rolled by an angle f, the
corner, x_c = pi m / 4 + backlash / 2 - 5/4 m tan(a) from the middle of the space, is at
    (q, r - 5/4 m) turned by -f,   q = x_c + r f.
So the tips of a wheel with more teeth pass the feet of one with few.
"""

from math import acos, atan2, cos, pi, radians, sqrt, tan

import numpy as np

from dovetail.errors import InputError
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.values import Array, Mistakes, not_negative, positive

PRESSURE_ANGLE = radians(20.0)
DEPTH = 1.25  # of the root below the pitch circle, in modules
FILLET = 5  # points between root and base circle


def gear(module: float, teeth: int, width: float, *, backlash: float = 0.0, rows: int = 5) -> Mesh:
    """A gear about z, its first tooth at the x axis, from -width/2 to width/2.

    Args:
        module: [m] pitch diameter over the number of teeth.
        teeth: 8 or more.
        width: [m] along the axis.
        backlash: [m] by which a tooth is narrower at the pitch circle.
        rows: of triangles along a flank.
    """
    found = Mistakes()
    found.take(positive, module, "`module`", "m")
    found.take(positive, width, "`width`", "m")
    found.take(not_negative, backlash, "`backlash`", "m")
    if teeth < 8 or rows < 1:
        found.append(f"a gear must have 8 teeth and 1 row or more, got {teeth} and {rows}")
    found.raise_if_any()
    outline = _outline(module, teeth, backlash, rows)
    n = len(outline)
    corners = [np.column_stack([outline, np.full(n, z)]) for z in (-width / 2, width / 2)]
    centres = np.array([[0.0, 0.0, -width / 2], [0.0, 0.0, width / 2]])
    k = np.arange(n)
    after = (k + 1) % n
    side = _triangles_of_side(n, teeth)
    faces = [
        np.where(side == n, 2 * n, side)[:, ::-1],
        np.where(side == n, 2 * n + 1, n + side),
        np.column_stack([k, after, n + after]),
        np.column_stack([k, n + after, n + k]),
    ]
    return Mesh(np.concatenate([*corners, centres]), np.concatenate(faces))


def _triangles_of_side(n: int, teeth: int) -> Array:
    """(n, 3) seen from outside; n is the centre, the others are points of the outline.

    A fan over the feet of the teeth, and each tooth in strips between its flanks: a fan over all
    points would fold where the corner of the rack undercuts a foot.
    """
    rows = n // (2 * teeth)
    faces = []
    for first in range(0, n, 2 * rows):
        last = first + 2 * rows - 1  # the other foot of this tooth
        faces += [(n, first, last), (n, last, (last + 1) % n)]
        for k in range(rows - 1):
            low, high = (first + k, last - k), (first + k + 1, last - k - 1)
            faces += [(low[0], high[0], high[1]), (low[0], high[1], low[1])]
    return np.array(faces)


def _outline(module: float, teeth: int, backlash: float, rows: int) -> Array:
    """(points, 2) [m] counter-clockwise."""
    r = module * teeth / 2
    base, tip, root = r * cos(PRESSURE_ANGLE), r + module, r - DEPTH * module
    at_pitch = (pi * module / 2 - backlash) / (2 * r)

    def half_angle(radius: float) -> float:
        angle = acos(base / max(radius, base))
        involute = at_pitch + _inv(PRESSURE_ANGLE) - _inv(angle)
        cut = pi / teeth - _space_of_corner(module, teeth, backlash, radius)
        return cut if radius < base else min(involute, cut)

    flank = np.linspace(max(base, root), tip, rows + 1)
    fillet = np.linspace(root, flank[0], FILLET if root < base else 0, endpoint=False)
    radii = np.r_[fillet, flank]
    angles = np.array([half_angle(float(radius)) for radius in radii])
    if not angles.min() > 0 or not angles.max() < pi / teeth:
        raise InputError(f"a gear of {teeth} teeth with this `backlash` has no tip or no root")
    tooth = np.concatenate(
        [np.column_stack([radii, -angles]), np.column_stack([radii, angles])[::-1]]
    )
    turns = 2 * pi * np.arange(teeth) / teeth
    radius = np.tile(tooth[:, 0], teeth)
    angle = (turns[:, None] + tooth[:, 1]).ravel()
    return np.asarray(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]))


def _space_of_corner(module: float, teeth: int, backlash: float, radius: float) -> float:
    """[rad] half the angle of the space at a radius that the corner of the rack cuts."""
    r = module * teeth / 2
    low = r - DEPTH * module
    corner = pi * module / 4 + backlash / 2 - DEPTH * module * tan(PRESSURE_ANGLE)
    q = sqrt(max(radius**2 - low**2, 0.0))
    return max(atan2(side * q, low) - (side * q - corner) / r for side in (1, -1))


def _inv(angle: float) -> float:
    return tan(angle) - angle
