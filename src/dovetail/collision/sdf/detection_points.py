"""Detection points of a body: its vertices, samples of coarse edges and faces, or a few spheres."""

from collections.abc import Callable
from math import floor, log2

import numpy as np

from dovetail.collision.sdf.coarse_parts import CoarseParts, PartsOfSurface, with_trees
from dovetail.collision.sdf.deepest_point import NO_PARTS, PartArrays
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only

ACROSS = 12  # samples along the longest side of a body
LISTS, FINEST = 4, 80  # lists of parts for each halving of that distance, and at most


class DetectionPoints:
    """Points (n, 3) [m] of a body with the spheres they stand for, and its coarse parts.

    The first rows are the corners that the coarse parts name.
    """

    def __init__(
        self, points: Array, reach: Array, spacing: float, longer: Callable[[float], CoarseParts]
    ) -> None:
        self.points = read_only(points)
        self.reach = read_only(reach)  # (n,) [m]
        self._spacing, self._longer = spacing, longer
        self._parts: dict[int, CoarseParts] = {}

    def parts_against(self, feature: float) -> CoarseParts:
        """Edges and faces that something `feature` [m] thin could pass between their samples.

        Those longer than the sample distance, or sharp edges longer than half the feature, rounded
        down a little so that few lists serve all partners.
        """
        finer = 0
        if feature < 2 * self._spacing:
            finer = min(-floor(LISTS * log2(0.5 * feature / self._spacing)), FINEST)
        if finer not in self._parts:
            self._parts[finer] = self._longer(self._spacing * 0.5 ** (finer / LISTS))
        return self._parts[finer]


def points_of_surface(surface: Surface, spacing: float | None = None) -> DetectionPoints:
    """Vertices, and samples at most `spacing` [m] apart on edges and faces longer than that.

    Samples of a side are at equal distances and those of a face form a lattice, so each stands
    for the same area. The default spacing is a twelfth of the longest side of the surface's box.
    """
    vertices = surface.vertices
    if spacing is None:
        spacing = float(np.max(np.ptp(vertices, axis=0))) / ACROSS
    parts = PartsOfSurface(surface, spacing)
    ends, corners = vertices[surface.edges], vertices[surface.faces]
    samples = [vertices]
    samples += [_along(ends[e], parts.pieces[e]) for e in np.flatnonzero(parts.pieces > 1)]
    large = np.flatnonzero(parts.face_pieces > 1)
    samples += [_within(corners[f], parts.face_pieces[f]) for f in large]
    points = np.concatenate(samples)
    return DetectionPoints(points, np.zeros(len(points)), spacing, parts.longer_than)


def ball(radius: float, centre: Array) -> DetectionPoints:
    """A sphere: one point that reaches `radius` [m] far."""
    nothing = with_trees(centre[None], NO_PARTS)
    return DetectionPoints(centre[None], np.array([radius]), 0.0, lambda _: nothing)


def thick_segment(radius: float, ends: Array) -> DetectionPoints:
    """A capsule: balls along the segment `ends` (2, 3) [m], searched between them."""
    points = np.concatenate([ends, _along(ends, ACROSS)])
    edge = PartArrays(
        read_only([[0, 1, 1]], np.int32),
        read_only([ACROSS], np.int32),
        read_only([[-1, -1, -1]], np.int32),
        read_only([radius]),
    )
    parts = with_trees(points, edge)
    spacing = float(np.linalg.norm(ends[1] - ends[0])) / ACROSS
    return DetectionPoints(points, np.full(len(points), radius), spacing, lambda _: parts)


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
