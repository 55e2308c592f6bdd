"""The contacts of sleeping bodies: they are not searched for again, their forces stay."""

from typing import Any

import numpy as np

from dovetail.contact.ipc.islands.sleeping import ASLEEP, FELL, NEWLY, WOKE
from dovetail.contact.ipc.records import IpcMotion
from dovetail.contact.ipc.report import COLUMNS, ENERGY, GAP
from dovetail.model.values import Array
from dovetail.runtime.records import Int32Array


class SleepingContacts:
    """Rows as `contact.ipc.report` writes them, of pairs of which no body is awake."""

    def __init__(self, motion: IpcMotion, slot: Int32Array) -> None:
        """`slot` (n,) is negative for bodies that cannot move."""
        self._motion, self._fixed = motion, slot < 0
        self._keep(np.zeros((0, COLUMNS)))

    def _keep(self, rows: Array) -> None:
        self.rows = rows
        self.energy = float(rows[:, ENERGY].sum())  # W sum m B
        self.least_gap = float(rows[:, GAP].min(initial=np.inf))  # [m]

    @property
    def changed(self) -> bool:
        """Whether a body fell asleep or woke since `update`."""
        return bool(self._motion.sleep_counts[FELL] or self._motion.sleep_counts[WOKE])

    def update(self, listed: Array) -> None:
        """Keep those of bodies that still sleep; add, of `listed`, those that fell asleep."""
        asleep = self._motion.asleep
        stays = self._among(self.rows, self._fixed | (asleep == 1))
        comes = self._among(listed, self._fixed | (asleep != 0))
        self._keep(np.concatenate((stays, comes)))
        asleep[asleep == NEWLY] = 1
        self._motion.sleep_counts[FELL] = self._motion.sleep_counts[WOKE] = 0

    def _among(self, rows: Array, resting: Array) -> Array:
        """Those of `rows` of which both bodies rest."""
        bodies = rows[:, :2].astype(int)
        chosen: Array = rows[resting[bodies].all(axis=1)]
        return chosen

    def snapshot(self) -> dict[str, Any]:
        """Which bodies sleep, since which loads, and their contacts."""
        motion = self._motion
        return {
            "asleep": motion.asleep.copy(), "isle": motion.sleeping_island.copy(),
            "loads": motion.sleeping_loads.copy(), "contacts": self.rows.copy(),
        }  # fmt: skip

    def restore(self, snapshot: dict[str, Array]) -> None:
        motion = self._motion
        motion.asleep[...], motion.sleeping_island[...] = snapshot["asleep"], snapshot["isle"]
        motion.sleeping_loads[...] = snapshot["loads"]
        self._keep(snapshot["contacts"].copy())
        motion.sleep_counts[...] = 0
        motion.sleep_counts[ASLEEP] = np.count_nonzero(motion.asleep)
