"""The package's own contact detection, for impulse laws from outside."""

from typing import Any

import numpy as np

from dovetail.contact.impulse.method import LCP
from dovetail.contact.impulse.records import ContactMaterials, ContactSet
from dovetail.contact.law import ContactGeometry
from dovetail.model.frozen import Model
from dovetail.model.values import Array


class ContactFinder:
    """Contacts of all bodies of a model, as the LCP method finds them.

    `friction` and `restitution` are as for `dt.contact.LCP`; materials of pairs override them.
    """

    def __init__(self, model: Model, friction: Any = 0.0, restitution: Any = 0.0) -> None:
        self._law = LCP(friction=friction, restitution=restitution).prepare(model)
        self._found: ContactSet = self._law.find_contacts(
            model.position, model.rotation, np.zeros(model.n_bodies)
        )

    def contacts(self, x: Array, R: Array, reach: Array) -> ContactGeometry:
        """Contacts of bodies whose points move by at most reach (n,) [m], at poses x, R."""
        self._found = found = self._law.find_contacts(x, R, np.ascontiguousarray(reach))
        points = found.points
        return ContactGeometry(
            points.body.copy(), points.point.copy(), points.normal.copy(), points.gap.copy()
        )

    def materials(self) -> ContactMaterials:
        """Friction and restitution of the contacts found last, (m,) each."""
        return self._found.materials
