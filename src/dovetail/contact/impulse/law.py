"""The prepared law: contacts near a state with their friction and restitution, and their solver."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.narrow_phase.contact_points import (
    ContactPoints,
    contact_points,
    first_contacts,
    with_space_for,
)
from dovetail.collision.narrow_phase.model_surfaces import contact_surfaces, surface_pose
from dovetail.collision.narrow_phase.pairs import (
    find_candidate_contacts,
    find_contacts,
    reduction_workspace,
)
from dovetail.collision.narrow_phase.surfaces import place_surfaces
from dovetail.collision.narrow_phase.verlet_lists import VerletLists
from dovetail.contact.impulse.pairs import ContactPairs
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet
from dovetail.contact.impulse.solver import ContactSolver
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray

if TYPE_CHECKING:
    from dovetail.contact.impulse.method import LCP

MARGIN = 1e-4  # of the smaller body: contacts this far apart are always kept
FIRST_CONTACTS, PER_PAIR = 256, 4096  # that there is space for at the start; of one pair


class LcpLaw:
    """Contact and Coulomb friction as a complementarity problem in the velocities.

    An impulse law has the contacts that a step must know of (`find_contacts`) and the solver for
    their impulses (`solver`).
    """

    def __init__(self, model: Model, settings: "LCP") -> None:
        self._surfaces, bodies = contact_surfaces(model)
        self._facets, self.hypothesis = settings.corners, settings.impact
        self._tolerance, self.sleeps = settings.tolerance, settings.sleep
        self._pairs = ContactPairs(model, self._surfaces, settings)
        self._pose = surface_pose(self._surfaces)
        self._lists = VerletLists(self._surfaces, bodies)
        self._buffer = PairBuffer()
        self._points: ContactPoints = contact_points(FIRST_CONTACTS)
        self._workspace = reduction_workspace(PER_PAIR)
        size = self._surfaces.size
        self._margin = MARGIN * np.where(np.isfinite(size), size, 0.0)

    @property
    def bounding_radius(self) -> Array:
        """(n,) [m] largest distance of any point from the centre of mass."""
        return self._surfaces.bounding_radius

    def solver(self, problem: ImpulseProblem) -> ContactSolver:
        """The solver for the impulses of `problem`."""
        return ContactSolver(problem, self._facets, self._tolerance)

    def find_contacts(
        self, x: Array, R: Array, displacement: Array, awake: BoolArray | None = None
    ) -> ContactSet:
        """Contacts at x (n, 3), R of bodies whose points may move by `displacement` (n,) [m].

        Only those of bodies of which one is `awake` (n,), if given. The arrays are valid until the
        next call.
        """
        margin = displacement + self._margin
        place_surfaces(self._surfaces, x, R, margin, self._pose)
        pairs = self._pairs.allowed(self._near_pairs(), awake)
        max_gap = margin[pairs[:, 0]] + margin[pairs[:, 1]]
        large = self._lists.is_large(pairs)
        small = np.ascontiguousarray(pairs[~large])
        first = np.zeros(len(small) + 1, np.int64)
        while True:
            needed = find_contacts(
                self._surfaces, self._pose, x, R, small, np.ascontiguousarray(max_gap[~large]),
                self._points, first, self._workspace,
            )  # fmt: skip
            if needed <= len(self._points.gap):
                break
            self._points = contact_points(2 * needed)
        count = int(first[-1])
        for (a, b), distance in zip(pairs[large].tolist(), max_gap[large].tolist()):
            count = self._add_candidates(a, b, distance, x, R, count)
        points = first_contacts(self._points, count)
        materials = self._pairs.materials(points.body)
        return ContactSet(
            points, self._surfaces.size[points.body], materials, self._pairs.curves(points.body)
        )

    def _near_pairs(self) -> NDArray[np.int32]:
        """Broad phase: pairs of bodies (m, 2) whose boxes overlap, or that may meet a plane."""
        others = self._pairs.others
        found = others[overlapping_boxes(self._pose.box[others], self._buffer)]
        return np.concatenate([found.reshape(-1, 2), self._pairs.with_planes], dtype=np.int32)

    def _add_candidates(
        self, a: int, b: int, max_gap: float, x: Array, R: Array, count: int
    ) -> int:
        """Append the contacts of two large meshes; returns the new count."""
        candidates = self._lists.candidates(a, b, x, R, max_gap)
        while True:
            found, needed = find_candidate_contacts(
                self._surfaces, self._pose, R, a, b, max_gap, candidates, self._points, count,
                self._workspace,
            )  # fmt: skip
            if needed <= len(self._points.gap):
                return int(found)
            self._points = with_space_for(self._points, count, 2 * needed)
