"""Where a body is probed: its vertices, samples of its coarse edges and faces, or a few balls."""

from dataclasses import dataclass

import numpy as np

from dovetail.kernels.deepest_point import NO_PARTS, Parts
from dovetail.kernels.read_only import read_only
from dovetail.model.surface import Surface
from dovetail.model.values import Array

ACROSS = 12  # samples along the longest side of a body


@dataclass(frozen=True, eq=False)
class DetectionPoints:
    """Points (n, 3) [m] of a body with the balls they stand for, and its coarse parts.

    The first rows are the corners that `edges` and `faces` name.
    """

    points: Array
    reach: Array  # (n,) [m]
    edges: Parts
    faces: Parts


def points_of_surface(surface: Surface, spacing: float | None = None) -> DetectionPoints:
    """Vertices, and samples at most `spacing` [m] apart on edges and faces longer than that.

    Samples of a side are at equal distances and those of a face form a lattice, so each stands
    for the same area. The default spacing is a twelfth of the longest side of the surface's box.
    """
    vertices = surface.vertices
    if spacing is None:
        spacing = float(np.max(np.ptp(vertices, axis=0))) / ACROSS
    n = max(len(vertices), 1)
    ends = vertices[surface.edges]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    pieces = np.ceil(length / spacing * (1 - 1e-9)).astype(int)
    coarse = np.flatnonzero(pieces > 1)
    edges = Parts(
        read_only(surface.edges[coarse][:, [0, 1, 1]], np.int32),
        read_only(pieces[coarse], np.int32),
        read_only(np.full((len(coarse), 3), -1), np.int32),
        read_only(np.zeros(len(coarse))),
    )
    samples = [vertices, *(_along(ends[e], pieces[e]) for e in coarse)]
    number = np.full(len(surface.edges), -1)
    number[coarse] = np.arange(len(coarse))
    keys = surface.edges[:, 0].astype(np.int64) * n + surface.edges[:, 1]
    order = np.argsort(keys)
    sides = np.stack([surface.faces, np.roll(surface.faces, -1, axis=1)], axis=2)
    wanted = np.sort(sides, axis=2).astype(np.int64) @ [n, 1]
    side = order[np.searchsorted(keys[order], wanted)]
    of_face = np.max(pieces[side], axis=1, initial=0)
    large = np.flatnonzero(of_face > 1)
    faces = Parts(
        read_only(surface.faces[large], np.int32),
        read_only(of_face[large], np.int32),
        read_only(number[side[large]], np.int32),
        read_only(np.zeros(len(large))),
    )
    samples += [_within(vertices[surface.faces[f]], of_face[f]) for f in large]
    points = np.concatenate(samples)
    return DetectionPoints(read_only(points), read_only(np.zeros(len(points))), edges, faces)


def ball(radius: float, centre: Array) -> DetectionPoints:
    """A sphere: one point that reaches `radius` [m] far."""
    return DetectionPoints(read_only(centre[None]), read_only([radius]), NO_PARTS, NO_PARTS)


def thick_segment(radius: float, ends: Array) -> DetectionPoints:
    """A capsule: balls along the segment `ends` (2, 3) [m], searched between them."""
    points = np.concatenate([ends, _along(ends, ACROSS)])
    edge = Parts(
        read_only([[0, 1, 1]], np.int32),
        read_only([ACROSS], np.int32),
        read_only([[-1, -1, -1]], np.int32),
        read_only([radius]),
    )
    reach = read_only(np.full(len(points), radius))
    return DetectionPoints(read_only(points), reach, edge, NO_PARTS)


def _along(ends: Array, pieces: int) -> Array:
    """Points strictly between two ends."""
    s = np.arange(1, pieces)[:, None] / pieces
    between: Array = ends[0] + s * (ends[1] - ends[0])
    return between


def _within(corners: Array, pieces: int) -> Array:
    """The lattice strictly inside a triangle."""
    i, j = np.meshgrid(np.arange(1, pieces), np.arange(1, pieces), indexing="ij")
    inside = i + j < pieces
    u, v = i[inside][:, None] / pieces, j[inside][:, None] / pieces
    points: Array = corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0])
    return points
