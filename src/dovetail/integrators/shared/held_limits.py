"""Limits of joints in schemes that follow accelerations: one that is reached is held as a joint.

Arrivals divide the step (`shared.bouncing_limits`), so that within a step a limit is held from its
beginning to its end or not at all. It is let go where its force would pull at the end of a step,
and held where the coordinate would else pass it.
"""

from collections.abc import Callable

import numpy as np

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.interface import Snapshot, StepReport
from dovetail.integrators.shared.constrained_state import ConstrainedState
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.constraints.actuation_rows import LIMITS, refuse
from dovetail.multibody.constraints.bodies import LIMIT
from dovetail.multibody.constraints.rows import row_rate
from dovetail.runtime.records import BoolArray

TOUCHING = 2e-9  # [rad], or of the length: a gap that counts as closed
MAX_TRIALS = 20  # in a step


def refuse_limits(model: Model, contact: ContactMethod | None, name: str) -> None:
    """Raise InputError for limits of couplings, and for all where contacts have forces.

    The division of a step would cut what these remember.
    """
    if contact is not None:
        refuse(model, name, LIMITS)
    for coupling in model.couplings:
        entry = coupling.actuation
        if entry is not None and (entry.lower, entry.upper) != (None, None):
            raise InputError(
                f"integrator {name} cannot have the limit of coupling {quote(coupling.name)}; use "
                "RATTLie or DH"
            )


class HeldLimits:
    """Which limits are held in the steps of one run."""

    def __init__(self, constrained: ConstrainedState) -> None:
        self._constrained = constrained
        constants = constrained.system.constants
        self._rows = np.flatnonzero(constants.role == LIMIT)
        self._side = constants.side[self._rows]
        unit = constrained.system.unit[self._rows]  # 1 of a length, a length of an angle
        length = float(constants.length[0])
        self._touching = np.where(unit == 1.0, length, 1.0) * TOUCHING

    def __bool__(self) -> bool:
        return bool(len(self._rows))

    def step(
        self, h: float, take: Callable[[bool], StepReport], snapshot: Callable[[], Snapshot],
        restore: Callable[[Snapshot], None],
    ) -> StepReport:  # fmt: skip
        """The report of `take`, which makes a step with the limits of `now.active` held.

        Its argument is whether these are others than in the step before.
        """
        before, held = snapshot(), self._resting(h)
        was: BoolArray = self._constrained.now.active[self._rows].copy()
        touched, kept = self._gaps() <= self._touching, np.zeros(len(held), np.bool_)
        for trial in range(MAX_TRIALS):
            self._hold(held)
            report = take(bool((held != was).any()))
            passed = ~held & touched & (self._gaps() < -self._touching)
            pulls = held & ~kept & (self._side * self._forces() < 0.0)
            if not (passed.any() or pulls.any()) or trial == MAX_TRIALS - 1:
                break
            kept |= passed  # what would pass it where it is let go does not pull
            held = (held & ~pulls) | passed
            restore(before)
        return report

    def _gaps(self) -> Array:
        """(limits,) [m or rad] at the current state."""
        gaps: Array = -self._side * self._constrained.now.phi[self._rows]
        return gaps

    def _forces(self) -> Array:
        """(limits,) multipliers at the end of the last step."""
        forces: Array = self._constrained.now.multiplier[self._rows]
        return forces

    def _resting(self, h: float) -> BoolArray:
        """(limits,) which are touched, and do not part."""
        now, system = self._constrained.now, self._constrained.system
        rates = np.array(
            [
                row_rate(system.rows.body, now.G, r, now.v, now.omega) + system.constants.rate[r]
                for r in self._rows
            ]
        )
        stays = self._side * rates >= -self._touching / abs(h)
        return np.asarray((self._gaps() <= self._touching) & stays)

    def _hold(self, held: BoolArray) -> None:
        constrained = self._constrained
        for motion in (constrained.now, constrained.after):
            motion.active[self._rows] = held
