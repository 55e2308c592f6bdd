"""Mean forces of contacts over a step whose first half expects those of the step before.

`Reactions` lets a pair of bodies begin a step with the force r it expects and finds the impulse
lambda that is missing at its end, so the mean force of the step is
    f = lambda/h + r/2,       and r of the next step is f, or 0 where lambda is or the pair lands.
Here the same is kept contact by contact: f of all contacts of a pair is what changed its momenta.
"""

import numpy as np

from dovetail.contact.ipc.report import BODY_A, BODY_B, COLUMNS
from dovetail.integrators.interface import Snapshot
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray

NO_CONTACTS = np.zeros((0, COLUMNS))


class MeanForces:
    """The contacts of the last step (see `ipc.report`) and their mean forces (m, 3) [N]."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Expect nothing."""
        self._rows, self._expected = NO_CONTACTS, np.zeros((0, 3))

    def update(
        self, rows: Array, impulses: Array, h: float, landing: BoolArray | None = None
    ) -> tuple[Array, Array]:
        """The contacts of a step of h [s] and their mean forces.

        Nothing is expected of pairs with a contact that is `landing` (m,).
        Impulses (m, 3) [N s] are those at its end of the contacts `rows`. A pair that expected a
        force and has no contact now is listed with its contacts of before.
        """
        forces, now = impulses / h, _by_pair(rows)
        expected, parted = forces.copy(), np.zeros(len(self._rows), np.bool_)
        for pair, before in _by_pair(self._rows).items():
            half = 0.5 * self._expected[before]
            if not half.any():
                continue
            own = now.get(pair)
            if own is None:
                parted[before] = True
                continue
            if len(own) != len(before):  # other features: as they share the pair's force now
                sizes = np.linalg.norm(forces[own], axis=1)
                total = float(sizes.sum())
                share = sizes / total if total > 0.0 else np.full(len(own), 1.0 / len(own))
                half = share[:, None] * half.sum(axis=0)
            forces[own] += half
            if impulses[own].any():
                expected[own] += half
        if landing is not None and landing.any():
            for own in now.values():
                expected[own] = 0.0 if landing[own].any() else expected[own]
        left = self._rows[parted], 0.5 * self._expected[parted]
        self._rows, self._expected = rows, expected
        return np.concatenate((rows, left[0])), np.concatenate((forces, left[1]))

    def snapshot(self) -> Snapshot:
        return {"rows": self._rows.copy(), "expected": self._expected.copy()}

    def restore(self, snapshot: Snapshot) -> None:
        self._rows, self._expected = snapshot["rows"].copy(), snapshot["expected"].copy()


def _by_pair(rows: Array) -> dict[tuple[int, int], Array]:
    """Which of the contacts `rows` are of each pair of bodies."""
    found: dict[tuple[int, int], list[int]] = {}
    for k, (a, b) in enumerate(rows[:, BODY_A : BODY_B + 1].astype(np.int64).tolist()):
        found.setdefault((a, b), []).append(k)
    return {pair: np.array(numbers) for pair, numbers in found.items()}
