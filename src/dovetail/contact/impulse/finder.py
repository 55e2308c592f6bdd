"""The package's own contact detection, for impulse laws from outside."""

from typing import Any

import numpy as np

from dovetail.contact.impulse.method import LCP
from dovetail.contact.law import ContactGeometry
from dovetail.model.frozen import Model
from dovetail.model.values import Array


class ContactFinder:
    """Contacts of all bodies of a model, as the LCP method finds them.

    `friction` and `restitution` are as for `dt.contact.LCP`; materials of pairs override them.
    """

    def __init__(self, model: Model, friction: Any = 0.0, restitution: Any = 0.0) -> None:
        self._law = LCP(friction=friction, restitution=restitution).prepare(model)

    def contacts(self, x: Array, R: Array, reach: Array) -> ContactGeometry:
        """Contacts of bodies whose points move by at most reach (n,) [m], at poses x, R."""
        law = self._law
        law.find(x, R, np.ascontiguousarray(reach))
        found, m = law.touches, law.count
        return ContactGeometry(
            found.body[:m].copy(), found.point[:m].copy(), found.normal[:m].copy(),
            found.gap[:m].copy(),
        )  # fmt: skip

    def materials(self) -> Array:
        """(m, 5) mu_s, mu_d, v_s, v_d and restitution of the contacts found last."""
        return np.array(self._law.numbers())
