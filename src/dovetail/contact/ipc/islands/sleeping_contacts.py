"""The contacts of bodies asleep: nobody looks for them anew, their forces stand."""

import numpy as np

from dovetail.contact.ipc.islands.sleeping import ASLEEP, FELL, NEWLY, WOKE
from dovetail.contact.ipc.step import IpcMotion
from dovetail.model.values import Array

GAP, ENERGY, COLUMNS = 11, 15, 16  # of the rows of `contact.ipc.report`


class StandingContacts:
    """Rows as `contact.ipc.report` writes them, of pairs of which nobody is awake."""

    def __init__(self, motion: IpcMotion, slot: Array) -> None:
        """`slot` (n,) is negative for bodies that cannot move."""
        self._motion, self._fixed = motion, slot < 0
        self._keep(np.zeros((0, COLUMNS)))

    def _keep(self, rows: Array) -> None:
        self.rows = rows
        self.energy = float(rows[:, ENERGY].sum())  # W sum m B
        self.least_gap = float(rows[:, GAP].min(initial=np.inf))  # [m]

    @property
    def changed(self) -> bool:
        """Whether somebody fell asleep or woke since `take`."""
        return bool(self._motion.rest[FELL] or self._motion.rest[WOKE])

    def take(self, listed: Array) -> None:
        """Keep what still stands and, of the contacts `listed` now, those of who fell asleep."""
        asleep = self._motion.asleep
        stays = self._among(self.rows, self._fixed | (asleep == 1))
        comes = self._among(listed, self._fixed | (asleep != 0))
        self._keep(np.concatenate((stays, comes)))
        asleep[asleep == NEWLY] = 1
        self._motion.rest[FELL] = self._motion.rest[WOKE] = 0

    def _among(self, rows: Array, resting: Array) -> Array:
        """Those of `rows` of which both bodies rest."""
        bodies = rows[:, :2].astype(int)
        chosen: Array = rows[resting[bodies].all(axis=1)]
        return chosen

    def snapshot(self) -> dict[str, Array]:
        """Who sleeps, since which loads, and the contacts that stand."""
        motion = self._motion
        return {
            "asleep": motion.asleep.copy(), "isle": motion.isle.copy(),
            "loads": motion.rest_loads.copy(), "contacts": self.rows.copy(),
        }  # fmt: skip

    def restore(self, snapshot: dict[str, Array]) -> None:
        motion = self._motion
        motion.asleep[...], motion.isle[...] = snapshot["asleep"], snapshot["isle"]
        motion.rest_loads[...] = snapshot["loads"]
        self._keep(snapshot["contacts"].copy())
        motion.rest[...] = 0
        motion.rest[ASLEEP] = np.count_nonzero(motion.asleep)
