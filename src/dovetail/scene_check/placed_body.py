"""A body of the scene as the checks look at it: its surface where it starts."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dovetail.model.checked_body import BodyInput, CheckedBody
from dovetail.model.shapes import HalfSpace
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array
from dovetail.scene_check.known_surfaces import KnownSurface

if TYPE_CHECKING:
    from dovetail.collision.intersection.surfaces import PlacedTree


@dataclass(frozen=True, eq=False)
class PlacedBody:
    """A checked body at the pose it starts from, and what was written for it."""

    body: CheckedBody
    given: BodyInput
    known: KnownSurface

    @property
    def name(self) -> str:
        return self.body.name

    @property
    def moves(self) -> bool:
        return self.body.motion == "dynamic"

    @property
    def unbounded(self) -> bool:
        return isinstance(self.body.shape, HalfSpace)

    @property
    def has_surface(self) -> bool:
        return len(self.body.surface.vertices) > 0

    @property
    def size(self) -> float:
        """Diagonal of the body's own box [m]."""
        return self.known.size

    @property
    def closed(self) -> bool:
        return self.known.closed

    @cached_property
    def placed(self) -> "PlacedTree":
        """Its tree where it is at t = 0."""
        from dovetail.collision.intersection.surfaces import PlacedTree  # with its kernels

        return PlacedTree(self.known.tree, self.body.position, self.body.rotation)

    @cached_property
    def box(self) -> Array:
        """(6,) [m] in the world; infinite for half-spaces."""
        if self.unbounded:
            return np.array([-np.inf] * 3 + [np.inf] * 3)
        return self.placed.box_world

    @cached_property
    def bounds(self) -> Array:
        """(6,) [m] as `box`, from the vertices alone, without the tree of the surface."""
        if self.unbounded:
            return self.box
        corners = self.body.surface.vertices @ self.body.rotation.T + self.body.position
        return np.concatenate((corners.min(axis=0), corners.max(axis=0)))

    def distance(self, point: Array) -> float:
        """[m] from a point of the world to the body's own box."""
        local = self.body.rotation.T @ (point - self.body.position)
        lower, upper = self.body.surface.bounds
        return float(np.linalg.norm(np.maximum(0.0, np.maximum(lower - local, local - upper))))

    @cached_property
    def samples(self) -> Array:
        """(n, 3) [m] in the world: a vertex of every connected piece."""
        return self.placed.vertices_world[self.known.pieces]

    def locations(self, simplices: IndexArray) -> Array:
        """(n, 3) [m] in the world: middles of the simplices with these numbers."""
        tree = self.placed.tree
        return np.asarray(self.placed.vertices_world[tree.simplices[simplices]].mean(axis=1))
