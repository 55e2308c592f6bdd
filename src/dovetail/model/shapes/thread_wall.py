"""A wall with a helical ridge on it, and the rings that close it to a bolt or a nut."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.values import Array, positive

Faces = NDArray[np.int64]
FEWEST_SEGMENTS = 12


@dataclass(frozen=True, eq=False)
class ThreadedWall:
    """Faces point away from the axis; a level ring of vertices ends it below and above."""

    vertices: Array  # (n, 3) [m]
    faces: Faces
    bottom: Faces  # (segments,) vertices in order of theta
    top: Faces
    z_bottom: float  # [m]
    z_top: float


def threaded_wall(
    section: Array, pitch: float, turns: Any, segments: int, bare: float
) -> ThreadedWall:
    """The ridge of a `section` (m, 2) of (z, r) [m] swept along its helix.

    Each turn is joined to the next by a flat, and flat faces in planes through the axis end the
    ridge. Vertex (i, j), i steps along the helix and j of the section, has the number i m + j.
    """
    if not isinstance(segments, int) or segments < FEWEST_SEGMENTS:
        raise InputError(f"`segments` must be {FEWEST_SEGMENTS} or more a turn, got {segments!r}")
    n, m = segments, len(section)
    total = ceil(positive(turns, "`turns`") * n - 1e-9)
    if total < n:
        raise InputError(f"`turns` must be 1 or more, got {turns!r}")
    theta = 2 * pi * np.arange(total + 1) / n
    z = pitch * theta[:, None] / (2 * pi) + section[:, 0]
    radius = np.broadcast_to(section[:, 1], z.shape)
    ridge = np.stack(
        [radius * np.cos(theta)[:, None], radius * np.sin(theta)[:, None], z], axis=-1
    ).reshape(-1, 3)
    z_bottom, z_top = float(z[0, 0]) - bare, float(z[-1, -1]) + bare
    bottom = len(ridge) + np.arange(n)
    top = bottom + n
    first, last = np.arange(total + 1) * m, np.arange(total + 1) * m + m - 1
    faces = [quads(first[:-1] + j, first[1:] + j, first[:-1] + j + 1, first[1:] + j + 1)
             for j in range(m - 1)]  # fmt: skip
    faces.append(quads(last[: total - n], last[1 : total - n + 1], first[n:-1], first[n + 1 :]))
    faces += [_end_face(first[0] + np.arange(m)), _end_face(first[-1] + np.arange(m))[:, ::-1]]
    faces += _wall_below(bottom, first, last, n)
    faces += _wall_above(top, first, last, n)
    rings = [_circle(float(section[0, 1]), n, at) for at in (z_bottom, z_top)]
    return ThreadedWall(
        np.concatenate([ridge, *rings]), np.concatenate(faces), bottom, top, z_bottom, z_top
    )


def _wall_below(bottom: Faces, first: Faces, last: Faces, n: int) -> list[Faces]:
    """From the bottom ring up to the first turn; its last column also meets the ridge's end."""
    meets = [bottom[n - 1], bottom[0], first[0], last[0], first[n]]
    return [
        quads(bottom[:-1], bottom[1:], first[: n - 1], first[1:n]),
        _fan(first[n - 1], meets),
    ]


def _wall_above(top: Faces, first: Faces, last: Faces, n: int) -> list[Faces]:
    """From the last turn up to the top ring; its first column also meets the ridge's end."""
    begin = len(first) - 1 - n
    above = top[(begin + np.arange(n + 1)) % n]
    meets = [above[1], above[0], last[-1], first[-1], last[begin]]
    return [
        quads(last[begin + 1 : -1], last[begin + 2 :], above[1:-1], above[2:]),
        _fan(last[begin + 1], meets),
    ]


def quads(a: Any, b: Any, c: Any, d: Any) -> Faces:
    """Two triangles for each of the squares with a, b below and c, d above, left to right."""
    return np.concatenate([np.column_stack([a, b, d]), np.column_stack([a, d, c])])


def band(below: Faces, above: Faces) -> Faces:
    """Triangles between two closed rings."""
    return quads(below, np.roll(below, -1), above, np.roll(above, -1))


def disc(ring: Faces, centre: int) -> Faces:
    """Triangles from a ring to a vertex within it."""
    return np.column_stack([ring, np.roll(ring, -1), np.full(len(ring), centre)])


def hexagon(across: float, segments: int, z: float) -> Array:
    """(segments, 3) [m] around a hexagon `across` flats wide, its corners among them."""
    theta = 2 * pi * np.arange(segments) / segments
    corners = pi / 6 + pi / 3 * np.arange(6)
    theta[np.rint(corners * segments / (2 * pi)).astype(int)] = corners
    radius = across / 2 / np.cos((theta + pi / 6) % (pi / 3) - pi / 6)
    return np.column_stack([radius * np.cos(theta), radius * np.sin(theta), np.full(segments, z)])


def _circle(radius: float, segments: int, z: float) -> Array:
    theta = 2 * pi * np.arange(segments) / segments
    return np.column_stack([radius * np.cos(theta), radius * np.sin(theta), np.full(segments, z)])


def _fan(corner: Any, around: Sequence[Any]) -> Faces:
    """Triangles from one corner of a polygon to all others, counter-clockwise."""
    n = len(around) - 1
    return np.column_stack([np.full(n, corner), around[:-1], around[1:]])


def _end_face(section: Faces) -> Faces:
    """The trapezoid of a section, cut across from flank to flank."""
    up, down = section[: len(section) // 2], section[::-1][: len(section) // 2]
    return quads(up[:-1], up[1:], down[:-1], down[1:])
