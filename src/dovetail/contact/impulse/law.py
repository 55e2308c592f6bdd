"""The prepared law: contacts near a state with their friction and restitution, and their solver."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.collision.narrow_phase.contact_points import (
    ContactPoints,
    contact_points,
    first_contacts,
    with_space_for,
)
from dovetail.collision.narrow_phase.kept_lists import ALL
from dovetail.collision.narrow_phase.model_surfaces import contact_surfaces, surface_pose
from dovetail.collision.narrow_phase.pairs import reduction_workspace
from dovetail.collision.narrow_phase.verlet_lists import VerletLists
from dovetail.contact.impulse.contact_matching import same_rows
from dovetail.contact.impulse.detection import (
    LARGE,
    SMOOTH,
    Detection,
    bundle_detection,
    detect,
    large_contacts,
)
from dovetail.contact.impulse.pairs import ContactPairs
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet, no_contact_set
from dovetail.contact.impulse.smooth_pairs import SmoothPairs
from dovetail.contact.impulse.solver import ContactSolver
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray

if TYPE_CHECKING:
    from dovetail.contact.impulse.method import LCP

MARGIN = 1e-4  # of the smaller body: contacts this far apart are always kept
FIRST_CONTACTS, PER_PAIR = 256, 4096  # that there is space for at the start; of one pair
FIRST_PAIRS = 64

_ALL = np.zeros(0, np.bool_)  # bodies are awake


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
        self._smooth = SmoothPairs(model)
        self._points: ContactPoints = contact_points(FIRST_CONTACTS)
        self._workspace = reduction_workspace(PER_PAIR)
        size = self._surfaces.size
        self._margin = MARGIN * np.where(np.isfinite(size), size, 0.0)
        self._order = self._pairs.others.astype(np.int32)
        self._known, self._known_body = no_contact_set(), np.zeros((0, 2), np.int32)
        self._make_space(FIRST_PAIRS)

    def _make_space(self, pairs: int) -> None:
        """For so many pairs, and the contacts there is space for now."""
        n, surfaces, allowed = len(self._margin), self._surfaces, self._pairs
        rows = np.zeros((3, pairs, 2), np.int32)
        self._found = Detection(
            surfaces, self._pose, self._points, self._workspace, allowed.dynamic, allowed.group,
            allowed.joined, allowed.with_planes, self._lists.features, self._smooth.flags,
            self._margin, np.zeros(n), self._order, np.zeros((pairs, 2), np.int32), rows,
            np.zeros((3, pairs)), np.zeros(pairs + 1, np.int64), np.zeros(n, np.int8),
            np.zeros(n + 1, np.int64), np.zeros(pairs, np.int32), np.zeros(3, np.int64),
            self._lists.kept,
        )  # fmt: skip
        self._bundle: Any = bundle_detection(*self._found)

    @property
    def bounding_radius(self) -> Array:
        """(n,) [m] largest distance of any point from the centre of mass."""
        return self._surfaces.bounding_radius

    def solver(self, problem: ImpulseProblem) -> ContactSolver:
        """The solver for the impulses of `problem`."""
        return ContactSolver(problem, self._facets, self._tolerance)

    def find_contacts(
        self, x: Array, R: Array, displacement: Array, awake: BoolArray | None = None,
        motion: Array | None = None,
    ) -> ContactSet:  # fmt: skip
        """Contacts at x (n, 3), R of bodies whose points may move by `displacement` (n,) [m].

        Only those of bodies of which one is `awake` (n,), if given. `motion` (n, 6) [m, rad] is
        that of the step without contact. The arrays are valid until the next call.
        """
        motion = np.zeros((len(x), 6)) if motion is None else motion
        while True:
            pairs, needed, _ = detect(
                self._bundle, x, R, displacement, motion, _ALL if awake is None else awake
            )
            if pairs > len(self._found.partner):
                self._make_space(2 * pairs)
            elif needed > len(self._points.gap):
                self._points = contact_points(2 * needed)
                self._make_space(len(self._found.partner))
            else:
                break
        return self.with_listed_pairs(x, R)

    def with_listed_pairs(self, x: Array, R: Array) -> ContactSet:
        """The contacts that `detect` found, and those of the pairs that it only listed."""
        found = self._found
        small, large, smooth = found.pairs.tolist()
        count = int(found.first[small])
        if large:
            count = self._add_large(x, R, count)
        if smooth:
            motion = self._pose.motion
            for (a, b), gap in _listed(found, SMOOTH, smooth):
                count = self._append(self._smooth.contacts(a, b, gap, motion, x, R), count)
        return self.contacts_found(count)

    @property
    def detection(self) -> Any:
        """What `detection.detect` takes; another one after a search that needed more space."""
        return self._bundle

    def contacts_found(self, count: int) -> ContactSet:
        """The first `count` contacts of the last search."""
        if not count:
            return no_contact_set()
        known = self._known  # its arrays are parts of those that contacts are written into
        if (
            known.count == count and known.points.body.base is self._points.body
            and same_rows(self._points.body, count, self._known_body)
        ):  # fmt: skip
            return known
        points = first_contacts(self._points, count)
        materials = self._pairs.materials(points.body)
        self._known_body = points.body.copy()
        self._known = ContactSet(
            points, self._surfaces.size[points.body], materials, self._pairs.curves(points.body)
        )
        return self._known

    def _append(self, found: ContactPoints, count: int) -> int:
        """Add contacts behind the first `count`; returns the new count."""
        total = count + len(found.gap)
        if total > len(self._points.gap):
            self._grow(count, 2 * total)
        for name in ContactPoints._fields:
            getattr(self._points, name)[count:total] = getattr(found, name)
        return total

    def _add_large(self, x: Array, R: Array, count: int) -> int:
        """Append the contacts of pairs of large meshes; returns the new count."""
        while True:
            missing, total, needed = large_contacts(self._bundle, x, R, count)
            if missing != ALL:
                a, b = self._found.pair[LARGE, missing].tolist()
                if self._lists.build(a, b, x, R, float(self._found.max_gap[LARGE, missing])):
                    self._found = self._found._replace(lists=self._lists.kept)
                    self._bundle = bundle_detection(*self._found)
            elif needed > len(self._points.gap):
                self._grow(count, 2 * needed)
            else:
                return int(total)

    def _grow(self, count: int, contacts: int) -> None:
        """Space for so many contacts, the first `count` being kept."""
        self._points = with_space_for(self._points, count, contacts)
        self._found = self._found._replace(points=self._points)
        self._bundle = bundle_detection(*self._found)


def _listed(found: Detection, kind: int, count: int) -> Iterable[tuple[list[int], float]]:
    """The pairs of one kind and how far their contacts may be apart [m]."""
    return zip(found.pair[kind, :count].tolist(), found.max_gap[kind, :count].tolist())
