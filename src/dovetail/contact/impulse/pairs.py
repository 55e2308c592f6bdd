"""Which bodies may touch, and with what friction and restitution."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.narrow_phase.surfaces import NOTHING, PLANE, ContactSurfaces
from dovetail.contact.body_pairs import connected_pairs
from dovetail.contact.impulse.records import ContactMaterials
from dovetail.contact.material import friction_of_pair, restitution_of_pair
from dovetail.model.friction_curve import FrictionCurve, curve_of
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray

if TYPE_CHECKING:
    from dovetail.contact.impulse.method import LCP

N_NUMBERS = len(ContactMaterials._fields)


class ContactPairs:
    """Pairs that are both not dynamic, of one group, or joined to each other never touch."""

    def __init__(self, model: Model, surfaces: ContactSurfaces, settings: "LCP") -> None:
        self._model, self._settings = model, settings
        self.dynamic: BoolArray = np.ascontiguousarray(model.motion == DYNAMIC)
        names: dict[Any, int] = {}
        groups = [body.group for body in model.bodies]
        self.group = np.array(
            [
                -1 - i if g is None else names.setdefault(g, len(names))
                for i, g in enumerate(groups)
            ],
            np.int64,
        )
        self.joined = np.sort(connected_pairs(model))
        planes = np.flatnonzero(surfaces.kind == PLANE)
        self.others = np.flatnonzero((surfaces.kind != PLANE) & (surfaces.kind != NOTHING))
        self.with_planes = _all_pairs(planes, self.others)
        self._numbers: dict[tuple[int, int], Array] = {}
        self._same_for_all = not model.materials
        self._same = np.zeros((N_NUMBERS, 0))  # numbers of contacts where all are the same
        self._curves: dict[tuple[int, int], FrictionCurve | None] = {}  # of the known numbers

    def materials(self, pairs: NDArray[np.int32]) -> ContactMaterials:
        """The material numbers of pairs (m, 2) of bodies."""
        if self._same_for_all:
            if len(pairs) > self._same.shape[1]:
                self._same = np.tile(self._of(0, 0)[:, None], 2 * len(pairs))
            rows = self._same[:, : len(pairs)]
        else:
            own = [self._of(int(i), int(j)) for i, j in pairs]
            rows = np.ascontiguousarray(np.array(own).reshape(-1, N_NUMBERS).T)
        return ContactMaterials(*rows)

    def curves(self, pairs: NDArray[np.int32]) -> tuple[FrictionCurve | None, ...]:
        """The friction curve of each of pairs (m, 2); () where no pair has any."""
        if not any(self._curves.values()):
            return ()
        if self._same_for_all:
            return len(pairs) * (self._curves[0, 0],)
        return tuple(self._curves[int(i), int(j)] for i, j in pairs)

    def _of(self, i: int, j: int) -> Array:
        """(5,) the numbers of one pair, in the order of `ContactMaterials`."""
        known = self._numbers.get((i, j))
        if known is None:
            friction = friction_of_pair(self._model, self._settings.friction, i, j)
            restitution = restitution_of_pair(self._model, self._settings.restitution, i, j)
            curve = self._curves[i, j] = curve_of(friction)
            if curve is not None:
                friction = float(curve.coefficient(np.zeros(1))[0])
            if np.ndim(friction) == 0:
                friction = (friction, friction, 1.0, 2.0)
            known = np.array([*(float(part) for part in friction), float(restitution)])
            self._numbers[i, j] = known
        return known


def _all_pairs(planes: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.int32]:
    """(m, 2) each plane with each of the others, smaller number first."""
    plane, other = np.repeat(planes, len(others)), np.tile(others, len(planes))
    pairs = np.column_stack([np.minimum(plane, other), np.maximum(plane, other)])
    return pairs.astype(np.int32)
