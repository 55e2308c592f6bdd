"""The impulse problem of one step: all rows, and how it is solved: sweeps, then Newton's method."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.collision.narrow_phase.features import Touches
from dovetail.contact.impulse.body_newton import BodyNewton
from dovetail.contact.impulse.gauss_seidel import LET_GO, residual, solve
from dovetail.contact.impulse.joint_rows import JointPart
from dovetail.contact.impulse.rows import contact_rows, joint_rows, kick_all, rates, turning_blocks
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays

MOST_SWEEPS = 40_000
BEFORE_EXACT = 400  # sweeps before contacts are solved exactly, few at a time
SLOW = 0.3  # left over by sweeps forth and back: more, and Newton's method takes over
FEW_ROWS, FEW_SWEEPS = 60, 40  # where sweeps cost next to nothing
BETWEEN = 200  # sweeps between two tries of Newton's method
MOST_TRIES = 3
FAR, COLD, KNOWN = 1e5, 10.0, 1e2  # tolerances off: first weights of impulses hardly known, known


@dataclass(frozen=True)
class Solved:
    """How well the rows' laws hold."""

    sweeps: int  # and factorisations of Newton's method
    residual: float  # [m/s]
    row: int  # where, -1 nowhere


class ImpulseProblem:
    """Rows of joints first, then three of every contact."""

    def __init__(self, bodies: BodyArrays, joints: JointPart, facets: int) -> None:
        self._bodies, self._joints, self.facets = bodies, joints, facets
        self.n_joint, self.n_contacts = joints.count, 0
        self._room(self.n_joint + 3 * 64)
        self.mu = self.rho = np.zeros(0)
        self.soft = np.zeros(self.n_joint)
        self._newton, self._R = BodyNewton(bodies), np.zeros((0, 3, 3))
        self._turning = np.zeros((0, 3, 3))

    def _room(self, rows: int) -> None:
        self.body = np.zeros((rows, 2), np.int32)
        self.J, self.WJ = np.zeros((rows, 12)), np.zeros((rows, 12))
        self.diagonal, self.lam, self.c = np.zeros(rows), np.zeros(rows), np.zeros(rows)
        self._before, self._direction = np.zeros(rows), np.zeros(rows)
        self.rate = np.zeros(rows)

    @property
    def rows(self) -> int:
        return self.n_joint + 3 * self.n_contacts

    def normals(self) -> Any:
        """Rows of the contacts' normals, as a slice."""
        return slice(self.n_joint, self.rows, 3)

    def _place(self, R: Array) -> None:
        """Take the inertia of bodies as they are turned now."""
        if len(self._turning) != len(R):
            self._turning = np.empty((len(R), 3, 3))
        self._R = R
        turning_blocks(self._bodies, R, self._turning)

    def set_joints(self, R: Array) -> None:
        """Joint rows from the Jacobian the joints have now."""
        joints = self._joints
        self._place(R)
        joint_rows(
            self._bodies, self._turning, R, joints.bodies, joints.G, joints.which, self.body,
            self.J, self.WJ, self.diagonal,
        )  # fmt: skip

    def set_contacts(self, x: Array, R: Array, u: Array, touches: Touches, count: int) -> None:
        """Contact rows; all impulses become zero."""
        self._place(R)
        self.n_contacts = count
        if self.rows > len(self.diagonal):
            joint = [getattr(self, name)[: self.n_joint].copy() for name in KEPT]
            self._room(2 * self.rows)
            for name, part in zip(KEPT, joint):
                getattr(self, name)[: self.n_joint] = part
        self.lam[: self.rows] = 0.0
        self.c[: self.rows] = 0.0
        self.rho = np.zeros(count)
        contact_rows(
            self._bodies, self._turning, x, u, touches, count, self.n_joint, self.body, self.J,
            self.WJ, self.diagonal, self.rho,
        )  # fmt: skip

    def rates_of(self, u: Array) -> Array:
        """J u of all rows, (rows,); a view."""
        rates(self.body, self.J, self.rows, u, self.rate)
        return self.rate[: self.rows]

    def push(self, u: Array) -> None:
        """U += M^-1 J^T lam."""
        kick_all(self.body, self.WJ, self.rows, 1.0, self.lam, u)

    def push_by(self, impulses: Array, u: Array) -> None:
        """U += M^-1 J^T impulses (rows,)."""
        kick_all(self.body, self.WJ, self.rows, 1.0, impulses, u)

    def held(self) -> Any:
        """(n_joint,) what each joint row does: HOLD or PUSH."""
        return self._joints.mode

    @property
    def moves(self) -> Any:
        """(n + 1,) which bodies impulses can move; the last, number -1, is the ground."""
        return np.append(self._bodies.dynamic, False)

    def left(self, u: Array, mu: Array, on: Any) -> Solved:
        """How far the laws of rows are off in u, the velocities with the `lam` there is."""
        joints = self._joints
        worst, row = residual(
            self.body, self.J, self.diagonal, self.c, self.n_joint, joints.mode, self.soft,
            joints.unit, mu, self.rho, on, self.facets, self.lam, u,
        )  # fmt: skip
        return Solved(0, worst, row)

    def solve(
        self, u: Array, mu: Array, on: Any, tolerance: float, most: int = MOST_SWEEPS,
        let_go_dampers: bool = False,
    ) -> Solved:  # fmt: skip
        """Solve for `lam`, u (n, 6) being the velocities with the `lam` there is."""
        joints = self._joints
        mode = joints.mode
        soft = self.soft
        if let_go_dampers:
            mode = np.where(soft > 0.0, LET_GO, mode).astype(np.int8)
            soft = np.zeros_like(soft)

        def swept(most: int, slow: float = np.inf) -> Solved:
            return Solved(*solve(
                self.body, self.J, self.WJ, self.diagonal, self.c, self.n_joint, mode, soft,
                joints.unit, mu, self.rho, on, self.facets, self.lam, u, self._before,
                self._direction, tolerance, most, slow,
            ))  # fmt: skip

        normals_stand = bool((on == 2).any())
        if normals_stand:
            return swept(most)
        few = self.rows <= FEW_ROWS
        found = swept(min(FEW_SWEEPS, most) if few else most, np.inf if few else SLOW)
        done = found.sweeps
        for _ in range(MOST_TRIES):
            if found.residual <= tolerance or done >= most:
                return Solved(done, found.residual, found.row)
            heavy = COLD if found.residual > FAR * tolerance else KNOWN
            found = Solved(*self._newton.solve(
                self, self._R, u, mode, soft, joints.unit, mu, on, heavy, tolerance
            ))  # fmt: skip
            done += found.sweeps
            if found.residual > tolerance:
                found = swept(min(BETWEEN, max(most - done, 2)))
                done += found.sweeps
        if found.residual > tolerance and done < most:
            found = swept(most - done)
            done += found.sweeps
        return Solved(done, found.residual, found.row)


KEPT = ("body", "J", "WJ", "diagonal", "lam", "c")
