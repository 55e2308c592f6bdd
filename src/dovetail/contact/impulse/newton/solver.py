"""Newton's method with its workspace and order of elimination, kept from step to step."""

from typing import Any

import numpy as np

from dovetail.contact.impulse.newton.minimise import improve, same_bodies
from dovetail.contact.impulse.newton.workspace import bundle_newton, newton_workspace
from dovetail.contact.impulse.records import ImpulseSystem, Outcome
from dovetail.linalg.block_cholesky.factor import factor_workspace, prepare, with_more_blocks
from dovetail.linalg.block_cholesky.row_pairs import RowPairs, row_pairs
from dovetail.linalg.block_cholesky.workspace import N_BODIES
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays
from dovetail.runtime.records import Int32Array

MAX_STEPS = 120


class NewtonSolver:
    """The order of elimination depends on nothing but the pairs of bodies that are coupled."""

    def __init__(self, bodies: BodyArrays) -> None:
        self._bodies = bodies
        self._moves = bodies.dynamic
        self._factor = factor_workspace(0, 0)
        self._workspace = newton_workspace(0, 0, 0, 0)
        self._last: Int32Array | None = None
        self._last_body: Int32Array = np.zeros((0, 2), np.int32)
        self._parts: Any = None

    def solve(
        self, system: ImpulseSystem, lam: Array, u: Array, R: Array, penalty: float,
        tolerance: float, max_steps: int = MAX_STEPS, enough: float = 0.0,
    ) -> Outcome:  # fmt: skip
        """Improve `lam` and u (n, 6), the velocities with it; see `minimise`."""
        parts = self.prepare(system, len(u))
        return Outcome(*improve(parts, R, system, lam, u, penalty, tolerance, enough, max_steps))

    def prepare(self, system: ImpulseSystem, n: int) -> Any:
        """What `improve` works with for the rows of `system` of n bodies."""
        if self._parts is None or not same_bodies(
            system.rows.body, system.n_joint, len(system.active), self._last_body
        ):
            coupled = self._coupled_bodies(system)
            self._order(n, coupled.pair)
            rows = system.n_joint + 3 * len(system.active)
            self._grow(n, rows, len(coupled.of_row), len(coupled.pair), system.rows.body.shape[1])
            self._parts = bundle_newton(self._bodies, coupled, self._workspace, self._factor)
        return self._parts

    def _order(self, n: int, pairs: Int32Array) -> None:
        """Prepare the factor if other bodies are coupled than last time."""
        if pairs is self._last or (self._last is not None and np.array_equal(pairs, self._last)):
            return
        if self._last is None or len(pairs) > len(self._factor.slot):
            self._factor = factor_workspace(n, 2 * len(pairs))
        self._factor.count[N_BODIES] = -1
        while not prepare(self._factor, n, pairs, len(pairs)):
            self._factor = with_more_blocks(self._factor)
        self._last = pairs

    def _coupled_bodies(self, system: ImpulseSystem) -> RowPairs:
        """Which pairs of moving bodies the rows couple."""
        joint, contacts = system.n_joint, len(system.active)
        first = np.concatenate([np.arange(joint), joint + 3 * np.arange(contacts)])
        self._last_body = system.rows.body[first]
        return row_pairs(self._last_body, self._moves)

    def _grow(self, bodies: int, rows: int, blocks: int, pairs: int, width: int) -> None:
        w = self._workspace
        if (
            rows > len(w.y)
            or blocks > len(w.derivative)
            or pairs > len(w.block)
            or (6 * width > w.J.shape[1])
        ):
            self._workspace = newton_workspace(bodies, 2 * rows, 2 * blocks, 2 * pairs, width)
