"""Bodies inside the solid of others at the start.

Bodies whose surfaces never cross stay inside or outside for ever, so the first state decides.
"""

from collections.abc import Iterator

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.intersection.nesting import SolidPieces, solid_pieces, vertex_inside
from dovetail.collision.intersection.surfaces import PlacedTree
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.separating_direction import shortest_between


class StartSolids:
    """The bodies of a result at a stop, as solids."""

    def __init__(self, bodies: list[BodyMotion]) -> None:
        self._bodies = bodies
        self._pieces: dict[int, SolidPieces] = {}

    def nested(self, stop: int = 0) -> Iterator[tuple[int, int]]:
        """Pairs (inner, outer) of body numbers: a piece of the first is inside of the second."""
        bodies = self._bodies
        boxes = np.array([body.boxes[stop] for body in bodies]).reshape(-1, 6)
        near = overlapping_boxes(boxes)
        for i, j in near[np.lexsort((near[:, 1], near[:, 0]))].tolist():
            for inner, outer in ((i, j), (j, i)):
                poses = [(bodies[n].x[stop], bodies[n].R[stop]) for n in (inner, outer)]
                if self.holds(outer, poses[1], inner, poses[0]):
                    yield inner, outer
                    break

    def holds(
        self,
        outer: int,
        outer_pose: tuple[Array, Array],
        inner: int,
        inner_pose: tuple[Array, Array],
    ) -> bool:
        """Whether a piece of `inner` is inside of `outer`, bodies whose surfaces do not cross."""
        x, R = inner_pose
        tree = self._bodies[inner].tree
        samples = tree.vertices[self._of(inner).samples] @ R.T + x
        samples = samples + self._bodies[inner].verified.inner_radius * R[:, 0]  # on the surface
        verified = self._bodies[outer].verified
        placed = PlacedTree(verified.tree, *outer_pose)
        if verified.outer_radius == 0.0:
            return vertex_inside(placed, self._of(outer).faces, samples) >= 0
        corners = placed.vertices_world[verified.tree.simplices]
        return any(_near(p, corners, verified.inner_radius) for p in samples)

    def _of(self, body: int) -> SolidPieces:
        verified = self._bodies[body].verified
        key = id(verified.tree)
        if key not in self._pieces:
            surface = self._bodies[body].checked.surface
            if not verified.exact:  # its fine polyhedron, or the core of a round one
                rows = verified.tree.simplices
                faces = rows if verified.outer_radius == 0.0 else None
                surface = Surface.of(verified.tree.vertices, faces)
            self._pieces[key] = solid_pieces(surface, verified.tree.simplices)
        return self._pieces[key]


def _near(point: Array, corners: Array, radius: float) -> bool:
    """Whether a point is less than `radius` [m] from one of the simplices (n, 3, 3)."""
    p = (float(point[0]), float(point[1]), float(point[2]))
    middle = corners.mean(axis=1)
    reach = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1) + radius
    for k in np.flatnonzero(np.linalg.norm(middle - point, axis=1) <= reach).tolist():
        simplex = tuple(map(tuple, corners[k].tolist()))
        if np.linalg.norm(shortest_between((p, p, p), simplex)) < radius:
            return True
    return False
