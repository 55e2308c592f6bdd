"""Forces of contacts and joints that a step expects of the one before.

An impulse of a velocity stage makes up for what a force expected at the start of the step missed:
    impulse = h/2 (force at the end + force at the start - expected),
so half of both, impulse / h + expected / 2, is the mean force of the step, without the oscillation
from step to step that 2 impulse / h would sustain. Impulses that stop what lands are no forces that
last: expected of the next step, they would throw it up again.
"""

from typing import Any

import numpy as np

from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.integrators.interface import Snapshot
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import ARMATURE, DAMPER
from dovetail.runtime.records import BoolArray


class Reactions:
    """Wrenches [N, N m] by pair of touching bodies, forces by row of the joints."""

    def __init__(self, n_bodies: int, role: Any) -> None:
        self._role = role
        self._pairs: dict[tuple[int, int], Array] = {}  # (12,) on a and on b
        self._rows: Array = np.zeros(len(role))
        self.acted: Array = np.zeros(len(role))  # [N or N m] along rows in the last step, its mean
        self.wrench: Array = np.zeros((n_bodies, 6))

    def update(
        self, problem: ImpulseProblem, body: Any, h: float, dampers: Array | None = None,
        landing: BoolArray | None = None, stopped: BoolArray | None = None,
    ) -> None:  # fmt: skip
        """Set what to expect after a step h [s]; `body` (k, 2) are those of the contacts.

        Nothing of pairs with a contact that is `landing` (k,), nor of rows `stopped` (rows,) and
        those of rotors, whose impulse is all that they do. With `dampers` (rows,) [N or N m], what
        dampers exert, where the step does not tell it.
        """
        n_joint = problem.n_joint
        lam = problem.lam[:n_joint]
        damped = self._role == DAMPER
        at_end = 2.0 * lam / h if dampers is None else dampers
        self._rows = np.where(damped, at_end, lam / h + 0.5 * self._rows)
        self.acted = self._rows.copy()
        self._rows[self._role == ARMATURE] = 0.0
        if stopped is not None:
            self._rows[stopped] = 0.0
        self.wrench[...] = 0.0
        J, contacts = problem.rows.J, slice(n_joint, problem.n_rows)
        self._add(problem.rows.body[:n_joint], J[:n_joint] * self._rows[:, None])
        impulse = J[contacts, :12] * problem.lam[contacts, None]
        impulse = impulse.reshape(-1, 3, 12).sum(axis=1)
        pairs: dict[tuple[int, int], Array] = {}
        for (a, b), part in zip(body.tolist(), impulse):
            if part.any():
                known = pairs.get((a, b))
                pairs[a, b] = part / h if known is None else known + part / h
        for pair, force in pairs.items():
            if pair in self._pairs:
                force += 0.5 * self._pairs[pair]
        if landing is not None:
            for a, b in body[landing].tolist():
                pairs.pop((a, b), None)
        self._pairs = pairs
        if pairs:
            self._add(np.array(list(pairs)), np.array(list(pairs.values())))

    @property
    def rows(self) -> Array:
        """(rows,) [N or N m] expected along the rows of joints."""
        return self._rows

    def clear(self) -> None:
        """Expect nothing."""
        self._pairs, self._rows = {}, np.zeros_like(self._rows)
        self.acted = np.zeros_like(self._rows)
        self.wrench[...] = 0.0

    def _add(self, body: Any, wrenches: Array) -> None:
        for side in range(body.shape[1]):
            own = body[:, side]
            np.add.at(self.wrench, own[own >= 0], wrenches[own >= 0, 6 * side : 6 * side + 6])

    def snapshot(self) -> Snapshot:
        names = np.array(list(self._pairs), np.int64).reshape(-1, 2)
        forces = np.array(list(self._pairs.values())).reshape(-1, 12)
        return {"pairs": names, "forces": forces, "rows": self._rows.copy(),
                "acted": self.acted.copy(), "wrench": self.wrench.copy()}  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        pairs = zip(snapshot["pairs"].tolist(), snapshot["forces"])
        self._pairs = {(a, b): force.copy() for (a, b), force in pairs}
        self._rows, self.acted = snapshot["rows"].copy(), snapshot["acted"].copy()
        self.wrench[...] = snapshot["wrench"]
