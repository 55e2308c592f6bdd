"""Meshes that are meant to be round: what their facets cost when they roll.

A polygon of n sides with its corners at R rises by R - d over each corner, d its least side's
distance from the axis: R (1 - cos(pi/n)) of a regular one. It stops where its kinetic energy,
(I + m R^2) w^2 / 2 about a corner, is less than m g (R - d).

A cylinder is found by the edges between facets that bend little: most of their length is along the
axis. Seen along it the outline is a circle, nearly all of which strips of the mesh lie on (teeth
leave gaps), and the centre of mass is between the ends of the strips (a screw falls over its head).
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.contact.derived_settings import report_note
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.shapes import Mesh
from dovetail.model.surface import Surface
from dovetail.model.values import Array, quote

MAX_REPORTED = 5
LEAST_SIDES = 12  # with fewer it is meant to have sides: nuts, bars, dice
LEAST_FACETS = 60  # of a ball
ON_CIRCLE = 2e-3  # of the radius
ON_LINE = 1e-12  # of the size squared: twice the area of three points in a line
COVERED = 0.95  # of the circle
BENT = math.radians(0.05), 1.01 * 2 * math.pi / LEAST_SIDES  # angles between facets


class Roller(NamedTuple):
    """A round shape that a mesh stands for."""

    shape: str  # 'Cylinder' or 'Sphere'
    radius: float  # [m] of the corners
    height: float  # [m] of a cylinder's strips, from end to end
    facets: int  # around the axis, or of a ball
    bump: float  # [m] by which the axis rises over a corner
    axis: Array  # (3,) unit; 0 of a ball


def note_tessellated_rollers(model: Model) -> None:
    """Say of bodies that are free to roll what their facets cost, and what has none."""
    found: dict[int, Roller | None] = {}
    reported = 0
    for i, body in enumerate(model.bodies):
        if not isinstance(body.shape, Mesh) or model.motion[i] != DYNAMIC:
            continue
        if model.fixed[i, 3:].all():
            continue
        if id(body.shape) not in found:
            found[id(body.shape)] = roller_of(body.surface)
        roller = found[id(body.shape)]
        if roller is None:
            continue
        reported += 1
        if reported <= MAX_REPORTED:
            report_note(f"{quote(body.name)} {_sentence(roller, model, i)}")
    if reported > MAX_REPORTED:
        report_note(f"and {reported - MAX_REPORTED} more bodies that roll on facets")


def _sentence(roller: Roller, model: Model, i: int) -> str:
    what, size = "cylinder", f"{roller.radius:.4g}, {roller.height:.4g}"
    sides = f"{roller.facets} facets around its axis"
    if roller.shape == "Sphere":
        what, size, sides = "ball", f"{roller.radius:.4g}", f"{roller.facets} facets"
    text = f"is a {what} of {sides}: rolling, it rises by {roller.bump:.2g} m over each edge"
    speed = stopping_speed(roller, model, i)
    if speed > 0.0:
        text += f" and stops on a level floor below {speed:.2g} m/s"
    return (
        f"{text}; where nothing but this touches others, dt.{roller.shape}({size}) with the mass "
        "and inertia of the mesh is smooth under contact method 'ipc'"
    )


def stopping_speed(roller: Roller, model: Model, i: int) -> float:
    """[m/s] of the axis, below which body i does not get over an edge."""
    m, R, inertia = float(model.mass[i]), roller.radius, model.inertia[i]
    about = roller.axis @ inertia @ roller.axis if roller.axis.any() else np.trace(inertia) / 3
    work = m * float(np.linalg.norm(model.gravity)) * roller.bump
    return R * math.sqrt(2.0 * work / (float(about) + m * R * R))


def roller_of(surface: Surface) -> Roller | None:
    """The round shape a closed surface stands for; None where it is none."""
    if len(surface.faces) < 2 * LEAST_SIDES or len(surface.wires):
        return None
    corners = surface.vertices[surface.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    if not areas.min() > 0.0:
        return None
    normals = normals / areas[:, None]
    return _ball(surface, corners, normals) or _cylinder(surface, corners, normals)


def _ball(surface: Surface, corners: Array, normals: Array) -> Roller | None:
    """All vertices are on a sphere and all facets near it."""
    used = surface.vertices[np.unique(surface.faces)]
    centre, radius = _circle(used)
    away = np.linalg.norm(used - centre, axis=1)
    if len(normals) < LEAST_FACETS or np.abs(away - radius).max() > ON_CIRCLE * radius:
        return None
    heights = np.einsum("ij,ij->i", corners[:, 0] - centre, normals)
    if not heights.min() > math.cos(math.pi / LEAST_SIDES) ** 2 * radius:
        return None
    bump = float(radius - heights.min())
    return Roller("Sphere", radius, 0.0, len(normals), bump, np.zeros(3))


def _cylinder(surface: Surface, corners: Array, normals: Array) -> Roller | None:
    axis = _axis(surface, normals)
    if axis is None:
        return None
    across = np.linalg.svd(axis[None])[2][1:]  # (2, 3)
    flat = surface.vertices @ across.T
    outline = _outline(flat)
    if len(outline) < 3:
        return None
    centre, radius = _circle(outline)
    away = np.linalg.norm(outline - centre, axis=1)
    if np.abs(away - radius).max() > ON_CIRCLE * radius:
        return None
    # strips: facets along the axis whose corners are on the outline
    rims = np.linalg.norm(corners @ across.T - centre, axis=2)
    along = np.abs(normals @ axis) < 1e-3
    strips = along & (np.abs(rims - radius).max(axis=1) < 2 * ON_CIRCLE * radius)
    strips &= np.einsum("ij,ij->i", corners[:, 0] @ across.T - centre, normals @ across.T) > 0.0
    if not strips.any():
        return None
    turned = normals[strips] @ across.T
    order = np.argsort(np.arctan2(turned[:, 1], turned[:, 0]))
    angles = np.arctan2(turned[order, 1], turned[order, 0])
    steps = np.diff(angles, append=angles[0] + 2 * math.pi)
    sides = int(np.count_nonzero(steps > BENT[0]))
    heights = np.einsum("ij,ij->i", corners[strips, 0] @ across.T - centre, turned)
    bump = float(radius - heights.min())
    # a strip at d from the axis takes 2 acos(d / R) of the circle
    takes = 2.0 * np.arccos(np.clip(heights / radius, 0.0, 1.0))
    covered = float(takes[order][steps > BENT[0]].sum())
    levels = corners[strips] @ axis
    inside = levels.min() < 0.0 < levels.max()  # of the centre of mass
    if sides < LEAST_SIDES or covered < COVERED * 2 * math.pi or not inside:
        return None
    return Roller("Cylinder", radius, float(np.ptp(levels)), sides, bump, axis)


def _outline(points: Array) -> Array:
    """Corners of the convex hull of points (n, 2), in order (Andrew's monotone chain)."""
    ordered = np.unique(points, axis=0)
    least = ON_LINE * float(np.ptp(points, axis=0).max()) ** 2
    corners = []
    for chain in (ordered.tolist(), ordered[::-1].tolist()):
        half: list[list[float]] = []
        for x, y in chain:
            while len(half) > 1:
                (x_0, y_0), (x_1, y_1) = half[-2], half[-1]
                if (x_1 - x_0) * (y - y_0) - (y_1 - y_0) * (x - x_0) > least:
                    break
                half.pop()
            half.append([x, y])
        corners += half[:-1]
    return np.array(corners, np.float64).reshape(-1, 2)


def _axis(surface: Surface, normals: Array) -> Array | None:
    """The direction most of the length of edges has between facets that bend little."""
    n_faces, n = len(surface.faces), len(surface.vertices)
    sides = np.sort(surface.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    keys = sides[:, 0].astype(np.int64) * n + sides[:, 1]
    order = np.argsort(keys, kind="stable")
    if len(keys) % 2 or np.any(keys[order[::2]] != keys[order[1::2]]):
        return None  # not closed, or more than two facets at an edge
    of = np.repeat(np.arange(n_faces), 3)[order].reshape(-1, 2)
    cosine = np.einsum("ij,ij->i", normals[of[:, 0]], normals[of[:, 1]])
    bent = (cosine < math.cos(BENT[0])) & (cosine > math.cos(BENT[1]))
    if np.count_nonzero(bent) < LEAST_SIDES:
        return None
    ends = surface.vertices[sides[order[::2]][bent]]
    edges = ends[:, 1] - ends[:, 0]
    lengths = np.linalg.norm(edges, axis=1)
    units = edges / lengths[:, None]
    first = np.argmax(np.abs(units) > 0.5, axis=1)  # one of the two directions of each
    units *= np.sign(units[np.arange(len(units)), first])[:, None]
    _, group = np.unique(np.round(units, 2), axis=0, return_inverse=True)
    longest = int(np.argmax(np.bincount(group.ravel(), weights=lengths)))
    mine = group.ravel() == longest
    mean: Array = lengths[mine] @ units[mine]
    return mean / float(np.linalg.norm(mean))


def _circle(points: Array) -> tuple[Array, float]:
    """Centre and radius of the circle or sphere that fits points (k, d) best (Kasa's fit)."""
    middle = points.mean(axis=0)
    p = points - middle
    rows = np.column_stack([2.0 * p, np.ones(len(p))])
    found = np.linalg.lstsq(rows, (p * p).sum(axis=1), rcond=None)[0]
    radius = math.sqrt(max(float(found[-1] + found[:-1] @ found[:-1]), 0.0))
    return middle + found[:-1], radius
