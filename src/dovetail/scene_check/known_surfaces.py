"""What the checks need to know about a surface, found once for all bodies of the same shape."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes.winding import shared_edges
from dovetail.model.surface import IndexArray, Surface

if TYPE_CHECKING:
    from dovetail.collision.bvh.tree import Bvh


@dataclass(frozen=True, eq=False)
class KnownSurface:
    """A surface in the body frame with its tree, size and connected pieces."""

    surface: Surface

    @cached_property
    def tree(self) -> "Bvh":
        from dovetail.collision.bvh.tree import bvh_of  # with its kernels

        return bvh_of(self.surface)

    @cached_property
    def size(self) -> float:
        """Diagonal of its box [m]."""
        return self.surface.diagonal

    @cached_property
    def closed(self) -> bool:
        """Every edge is run along equally often in both directions, so windings are integers."""
        return shared_edges(self.surface.faces).closed

    @cached_property
    def pieces(self) -> IndexArray:
        """A vertex number of every connected piece."""
        from dovetail.collision.mesh.containment import one_vertex_per_piece

        return one_vertex_per_piece(len(self.tree.vertices), self.tree.simplices)


class KnownSurfaces:
    """Hands out one KnownSurface to all bodies that share a surface or a shape and its centre."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], KnownSurface] = {}

    def of(self, body: CheckedBody) -> KnownSurface:
        by_surface = (id(body.surface),)  # which the KnownSurface keeps alive
        known = self._known.get(by_surface)
        if known is None:
            key = (id(body.shape), body.centre.tobytes())
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = KnownSurface(body.surface)
            if known.surface is body.surface:
                self._known[by_surface] = known
        return known
