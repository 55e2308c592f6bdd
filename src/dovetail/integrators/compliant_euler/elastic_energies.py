"""The energy that motion has put into the springs of contacts, pair by pair."""

from math import fsum

import numpy as np

from dovetail.contact.penalty.compliant.pairs import CompliantPairs
from dovetail.contact.penalty.compliant.records import STORED
from dovetail.integrators.interface import Snapshot
from dovetail.runtime.records import FloatArray


class ElasticEnergies:
    """Energies [J] of the pairs that were near each other so far, kept by `store_energy`."""

    def __init__(self) -> None:
        self._rows: FloatArray = np.zeros((3, 0))

    def of(self, n_pairs: int) -> FloatArray:
        """(3, m) for at least so many pairs, to be written to."""
        known = self._rows.shape[1]
        if known < n_pairs:
            rows = np.zeros((3, 2 * n_pairs))
            rows[:, :known] = self._rows
            self._rows = rows
        return self._rows

    @property
    def total(self) -> float:
        """[J] of all pairs: rounded once, since a resumed run numbers them in another order."""
        stored = self._rows[STORED]
        return fsum(stored[stored != 0.0].tolist())

    def clear(self) -> None:
        """Nothing is stored."""
        self._rows[...] = 0.0

    def snapshot(self, pairs: CompliantPairs) -> Snapshot:
        """Energies by bodies: pairs are numbered as they come near each other."""
        some = np.flatnonzero(self._rows[STORED])
        return {"bodies": pairs.bodies[some].copy(), "energy": self._rows[STORED, some]}

    def restore(self, snapshot: Snapshot, pairs: CompliantPairs) -> None:
        self.clear()
        rows = pairs.rows_of(snapshot["bodies"])
        self.of(len(pairs))[STORED, rows] = snapshot["energy"]
