"""Limits that the initial pose is beyond: bounds that go home in a while."""

import numpy as np

from dovetail.model.values import Array
from dovetail.multibody.constraints.motors import passed_part, settling_time, warn_passed
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.tree.efforts import EffortArrays


class PassedLimits:
    """The bounds of `acting` as functions of time; warns where one is passed at the start."""

    def __init__(self, mechanism: Mechanism, acting: EffortArrays, q: Array) -> None:
        coordinates = mechanism.acting.coordinates
        self._acting = acting
        self._bounds = acting.lower.copy(), acting.upper.copy()
        places = np.array([one.value(q) for one in coordinates])
        self._over, self._any = np.zeros(len(places)), False
        if len(places):
            over = places - np.clip(places, *self._bounds)
            over[acting.soft[:, 0] > 0.0] = 0.0  # they push home by themselves
            self._over, self._any = over, bool(over.any())
        self._settling = settling_time(mechanism.length, mechanism.model.gravity)
        for k in np.flatnonzero(self._over):
            warn_passed(coordinates[k].who, float(abs(self._over[k])), self._settling)
        self.set_bounds(0.0)

    def set_bounds(self, t: float) -> None:
        """Those at t [s], on their way home."""
        if self._any:
            over = self._over * passed_part(t, self._settling)[0]
            self._acting.lower[...] = self._bounds[0] + np.minimum(over, 0.0)
            self._acting.upper[...] = self._bounds[1] + np.maximum(over, 0.0)
