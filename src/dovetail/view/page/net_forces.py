"""Net contact force of each pair of bodies, frame by frame, with a point it acts at.

The records of a pair, forces f_i at points p_i and couples t_i on body a, are one wrench:

    F = sum f_i,    M = sum (p_i - c) x f_i + t_i    about their centre c (weighted by |f_i|).

A single force F at c + d has the same moment across F if d = F x M / |F|^2 (Poinsot's central
axis). What is left, the couple along F, is given beside it. Where F is small against the forces
that it is the sum of, as in a grip, no single force acts; then the point is c.

Drawn is the force on the body that moves (`on_moving`): a floor carries a box upwards. Of two that
move it is the force on the one that the scene names later.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.model.values import Array
from dovetail.results import Result

CANCELS = 1e-9  # |F| below this part of sum |f|: no axis
REACH = 1.0  # times the size of the contact patch: farther away the axis is that of a couple


def net_force_arrays(result: Result, frames: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
    """`pair/...`: rows of each frame (start, count), bodies (2), point, force, couple, gap."""
    stored = result.stored
    starts = np.asarray(stored.column("contacts/start"))[frames]
    counts = np.asarray(stored.column("contacts/count"))[frames]
    rows = _rows(starts, counts)
    names = ("bodies", "points", "forces", "gaps")
    bodies, points, forces, gaps = (
        np.asarray(stored.column(f"contacts/{name}"))[rows] for name in names
    )
    couples = np.zeros_like(forces)
    if "contacts/torques" not in stored.header.without:
        couples = np.asarray(stored.column("contacts/torques"))[rows]
    of_frame = np.repeat(np.arange(len(frames)), counts)
    keys = np.column_stack([of_frame, bodies[:, 0], bodies[:, 1]]).astype(np.int64)
    unique, pair = np.unique(keys, axis=0, return_inverse=True)
    force, point, couple = net_wrenches(
        points, forces, couples, pair.ravel().astype(np.int64), len(unique)
    )
    sign = on_moving(unique[:, 1:], is_dynamic(result))[:, None]
    force, couple = sign * force, sign * couple
    least = np.full(len(unique), np.inf)
    np.minimum.at(least, pair.ravel(), gaps)
    number = np.bincount(unique[:, 0], minlength=len(frames)).astype("<i4")
    return {
        "pair/start": np.concatenate([[0], np.cumsum(number)[:-1]]).astype("<i4"),
        "pair/count": number,
        "pair/bodies": unique[:, 1:].astype("<i4"),
        "pair/points": point.astype("<f4"),
        "pair/forces": force.astype("<f4"),
        "pair/couples": couple.astype("<f4"),
        "pair/gaps": least.astype("<f4"),
    }


def is_dynamic(result: Result) -> NDArray[np.bool_]:
    """Which bodies follow forces."""
    return np.array([result.scene.bodies[name].motion == "dynamic" for name in result.names])


def on_moving(bodies: NDArray[Any], dynamic: NDArray[np.bool_]) -> Array:
    """(m,) 1, or -1 where a force on body a of (m, 2) is to be drawn as that on body b."""
    a, b = ((bodies[:, k] >= 0) & dynamic[bodies[:, k]] for k in range(2))
    return np.where(b & ~a, -1.0, 1.0)


def _rows(starts: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """Rows of all contacts of some frames, in order."""
    shift = np.cumsum(counts) - counts
    return np.asarray(np.repeat(starts - shift, counts) + np.arange(int(counts.sum())), np.int64)


def net_wrenches(
    points: Array, forces: Array, couples: Array, group: NDArray[np.int64], n: int
) -> tuple[Array, Array, Array]:
    """(n, 3) force [N], point [m] and couple along the force [N m] of each group of contacts."""
    size = np.linalg.norm(forces, axis=1)
    weight = np.maximum(size, 1e-12 * max(float(size.max(initial=0.0)), 1e-300))
    total = np.bincount(group, weight, n)
    centre = np.column_stack(
        [np.bincount(group, weight * points[:, k], n) / total for k in range(3)]
    )
    offset = points - centre[group]
    moments = np.cross(offset, forces) + couples
    F = np.column_stack([np.bincount(group, forces[:, k], n) for k in range(3)])
    M = np.column_stack([np.bincount(group, moments[:, k], n) for k in range(3)])
    square = np.sum(F * F, axis=1)
    acts = square > (CANCELS * np.bincount(group, size, n)) ** 2
    safe = np.where(acts, square, 1.0)[:, None]
    shift = np.where(acts[:, None], np.cross(F, M) / safe, 0.0)
    patch = np.zeros(n)
    np.maximum.at(patch, group, np.linalg.norm(offset, axis=1))
    # single contacts have no patch: there M is the couple of the record alone
    far = np.linalg.norm(shift, axis=1) > REACH * patch + 1e-300
    shift[far] = 0.0
    left = M - np.cross(shift, F)
    return np.asarray(F, np.float64), centre + shift, left
