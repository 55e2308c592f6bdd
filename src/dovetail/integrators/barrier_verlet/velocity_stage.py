"""Velocities at the end of a step: impacts, then impulses of lasting contacts and joints."""

from typing import Any

import numpy as np

from dovetail.contact.impact.records import BOUNCE
from dovetail.contact.ipc.friction.coefficients import friction_laws
from dovetail.contact.ipc.law import IpcPotential
from dovetail.contact.ipc.report import BODY_A, BODY_B, COLUMNS, GAP, NORMAL, POINT
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.integrators.barrier_verlet.mean_forces import MeanForces
from dovetail.integrators.barrier_verlet.reactions import Reactions
from dovetail.integrators.interface import Snapshot
from dovetail.integrators.shared.impact_problem import ImpactProblem
from dovetail.integrators.shared.impact_step import StepBegin, fly_on, strike
from dovetail.integrators.shared.ipc_steps import IpcSteps
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import LIMIT
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray

REACH = 2.0  # of dhat, within which contacts may carry a force
TOLERANCE = 1e-11  # of the speeds in the velocity stage
LANDING = 0.25  # of the slowest impact: contacts that closed as fast when the step began land
NO_CONTACTS = np.zeros((0, COLUMNS))


class VelocityStage:
    """J v = 0 for joints and 0 <= impulse _|_ J v >= 0 for contacts, at the poses of the solver.

    The mean of the impulses is the reaction that the next step expects.
    """

    def __init__(
        self, model: Model, law: IpcPotential | None, solver: IpcSteps, state: BodyState,
        joints: PotentialJoints | None,
    ) -> None:  # fmt: skip
        self._law, self._solver, self._state, self._joints = law, solver, state, joints
        self._barrier = solver.barrier
        laws = friction_laws(model, 0.0) if law is None else law.laws
        self.impacts = ImpactProblem(
            model, None if law is None else law.restitution, laws, self._barrier.dmin
        )
        joints_of_impacts = self.impacts.joints
        joints_of_impacts.solve_friction()
        self._friction = joints_of_impacts.system.constants.friction[joints_of_impacts.which]
        self.reactions = Reactions(model.n_bodies, joints_of_impacts.role)
        self.joint_impact = np.zeros(len(self.impacts.joints.bodies))  # [N, N m] of the last step
        self._means = MeanForces()
        self._contact_rows, self._contact_forces = NO_CONTACTS, np.zeros((0, 3))

    @property
    def has_joints(self) -> bool:
        """Whether there are rows of joints."""
        return self.impacts.joints.count > 0

    def contacts(self) -> Array:
        """Rows of contacts that may carry a force, see `ipc.report`."""
        return NO_CONTACTS if self._law is None else self._solver.contact_rows(REACH)

    def begin(self, contacts: Array) -> None:
        """No force acts along these contacts yet."""
        self._contact_rows, self._contact_forces = contacts, np.zeros((len(contacts), 3))

    def motor_rates(self) -> Array | None:
        return None if self._joints is None else self._joints.motor_rates

    def clear(self) -> None:
        """Expect nothing of the next step."""
        self.reactions.clear()
        self._means.clear()

    def expected(self) -> tuple[Snapshot, Snapshot]:
        """What the next step expects."""
        return self.reactions.snapshot(), self._means.snapshot()

    def expect(self, expected: tuple[Snapshot, Snapshot]) -> None:
        """Return to what `expected` gave."""
        self.reactions.restore(expected[0])
        self._means.restore(expected[1])

    def solve(
        self, u: Array, begun: StepBegin, force: Array, slowest: float, flies_on: bool
    ) -> bool:
        """Impacts, then impulses of lasting contacts and joints; whether there were any.

        Args:
            u: (n, 6) velocities at the end of the step; those with the impulses afterwards.
            begun: the step.
            force: (n, 3) [N] of loads at the end.
            slowest: [m/s] impacts below are no impacts.
            flies_on: bodies that were struck move on from there for the rest of the step.
        """
        impacts, h = self.impacts, begun.h
        rows = self.contacts()
        self.joint_impact[...] = 0.0
        if not len(rows) and not self.has_joints:
            self.reactions.update(impacts.problem, impacts.body[:0], h)
            none = np.zeros((0, 3))
            self._contact_rows, self._contact_forces = self._means.update(rows, none, h)
            return False
        impacts.take(rows, self._state, u, 0.5 * h, self.motor_rates(), rotors=False)
        near = impacts.gap <= self._barrier.dmin + self._barrier.dhat
        on, impulses = np.ones(len(rows), np.int8), np.zeros((len(rows), 3))
        landing = None
        if len(rows):
            rates = impacts.rates(u)
            slow = impacts.slow(force, h, slowest)
            landing = impacts.rates(begun.u) < -LANDING * slow
            fast = np.abs(rates) > slow
            struck = fast & (rates < 0.0) & near
            done = None
            if struck.any():
                done = strike(impacts, begun, self._state, u, struck, slow, near)
            if done is not None:
                impulses = done.impulses
                self.joint_impact = impacts.along_joints(done.hit)[1] / h
                if flies_on:
                    fly_on(impacts, begun, self._state, u, done, self._solver)
            on[fast & (rates < 0.0) & ~near] = 0  # they meet in a later step
        stopped = self._arriving(begun.u, u)
        self.rest(rows, u, h, force, on, landing=landing, stopped=stopped)
        self._contact_forces[: len(rows)] += impulses / h
        return True

    def _arriving(self, before: Array, u: Array) -> BoolArray:
        """(rows of joints,) limits that act first in this step and stop what arrives there.

        From velocities (n, 6) `before` to u, without the impulses of the step: what loads alone
        press against a limit lasts.
        """
        problem, n_joint = self.impacts.problem, self.impacts.problem.n_joint
        was, free = (problem.rates(one)[:n_joint] for one in (before, u))
        idle = (self.impacts.joints.role == LIMIT) & (self.reactions.rows == 0.0)
        return np.asarray(idle & (was < -LANDING * BOUNCE * np.abs(free - was)))

    def rest(
        self, contacts: Array, u: Array, h: float, force: Array, on: Any,
        dampers: Array | None = None, landing: BoolArray | None = None,
        stopped: BoolArray | None = None,
    ) -> None:  # fmt: skip
        """Impulses of those `contacts` that are `on` and of joints; what the next step expects.

        `dampers`, `landing` and `stopped` as in `Reactions.update`.
        """
        impacts, problem = self.impacts, self.impacts.problem
        reach = self._barrier.dmin + self._barrier.dhat
        problem.lam[: problem.n_rows] = 0.0
        problem.c[problem.normals()] = np.maximum(impacts.gap - reach, 0.0) / h
        # with half of what was expected of it no more than the force of the whole step
        problem.bound[: problem.n_joint] = h * (self._friction - 0.5 * np.abs(self.reactions.rows))
        speed = float(np.abs(u[:, :3]).max(initial=0.0))
        fall = float(np.abs(force * impacts.arrays.inverse_mass).max(initial=0.0))
        tolerance = TOLERANCE * max(speed, h * fall, 1e-3 * self._barrier.dhat / h)
        impacts.solver.solve(u, impacts.friction(u), on, tolerance)
        self.reactions.update(problem, impacts.body, h, dampers, landing, stopped)
        rows = slice(problem.n_joint, problem.n_rows)
        along = problem.lam[rows, None] * problem.rows.J[rows, :3]
        impulses = along.reshape(-1, 3, 3).sum(axis=1)
        self._contact_rows, self._contact_forces = self._means.update(
            contacts, impulses, h, landing
        )

    def report(self) -> ContactReport:
        """Contacts within dhat, and those that push."""
        if self._law is None:
            return ContactReport()
        rows = self._contact_rows
        near = rows[:, GAP] <= self._barrier.dmin + self._barrier.dhat
        near |= self._contact_forces.any(axis=1)
        kept = rows[near]
        record = ContactRecord(
            kept[:, BODY_A : BODY_B + 1].astype(np.int32), kept[:, POINT : POINT + 3],
            kept[:, NORMAL : NORMAL + 3], self._contact_forces[near], kept[:, GAP],
        )  # fmt: skip
        return ContactReport(record, 0.0, float(kept[:, GAP].min(initial=np.inf)))

    def snapshot(self) -> Snapshot:
        joints = self.impacts.joints
        return {
            "seen": self._contact_rows.copy(), "pushes": self._contact_forces.copy(),
            "motors": joints.system.motors.travel.copy(), "angle": joints.angle.copy(),
            "struck": self.joint_impact.copy(),
            **prefixed("means", self._means.snapshot()),
            **prefixed("reactions", self.reactions.snapshot()),
        }  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from what `snapshot` returned, at the poses of the state."""
        self._contact_rows = snapshot["seen"].copy()
        self._contact_forces = snapshot["pushes"].copy()
        joints = self.impacts.joints
        joints.system.motors.travel[...] = snapshot["motors"]
        joints.angle[...] = snapshot["angle"]
        joints.at(self._state.x, self._state.R)  # springs and dampers of the next step follow
        joints.angle[...] = snapshot["angle"]
        self.joint_impact = snapshot["struck"].copy()
        self.reactions.restore(part_of(snapshot, "reactions"))
        self._means.restore(part_of(snapshot, "means"))
