"""Restitution of intersection-free contact under implicit Euler.

The barrier stops what closes within a step, so poses are free of intersections; how fast bodies
part is decided here. Where a contact with restitution closes faster than loads explain, its cluster
of touching bodies meets, strikes by the impact law and flies on (`impact_step`); impulses replace
the forces of the barrier among the contacts of the step. Without restitution the barrier itself
stops bodies. Where a step resolves it, they sink into it one corner after the other, turn, stick or
are thrown back, whatever its width; rigid bodies do not. So the impulses of pairs that strike or
part by the force of their barrier are those of an impact without restitution (`rebound`), of bodies
with joints by the solver of impacts, in which joints take part.
"""

import dataclasses

import numpy as np

from dovetail.contact.ipc.friction.coefficients import FrictionLaws
from dovetail.contact.ipc.report import BODY_A, BODY_B, FORCE
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.integrators.interface import Snapshot
from dovetail.integrators.shared.impact_problem import (
    ImpactProblem,
    PairRestitution,
    friction_at,
    slow_rates,
)
from dovetail.integrators.shared.impact_step import (
    ImpactStep,
    StepBegin,
    fly_on,
    impact_record,
    strike,
)
from dovetail.integrators.shared.impulse_poses import (
    apply_loads,
    free_rotations,
    momenta,
    turn_spins,
)
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.integrators.shared.potential_solver import PotentialSolver
from dovetail.integrators.shared.rebound import (
    contact_stops,
    opening_rates,
    slip_speeds,
    take_back,
)
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int64Array

THROWN = 0.1  # of the slowest rate that is an impact: what a barrier may give back
GENERATIONS = 10  # of contacts that impacts without restitution set in motion
FIELDS = ("bodies", "points", "normals", "forces", "gaps", "torques")


class Bounce:
    """The impacts of one run."""

    def __init__(
        self, model: Model, restitution: float | None, friction: FrictionLaws, dmin: float
    ) -> None:
        """Bodies meet at a distance of `dmin` [m]."""
        self._settings = model, restitution, friction, dmin
        self._problem: ImpactProblem | None = None  # made where it is needed
        self._restitution = PairRestitution(model, restitution)
        self._arrays = body_arrays(model)
        n = model.n_bodies
        self._before = BodyState(
            0.0, np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        )
        self._record: ContactRecord | None = None  # of the last step, where there were impacts

    @property
    def elastic(self) -> bool:
        """Whether anything bounces."""
        return self._restitution.elastic

    @property
    def before(self) -> BodyState:
        """The motion before the step."""
        return self._before

    @property
    def masses(self) -> tuple[BoolArray, Array]:
        """(n,) which bodies are dynamic, (n, 3) [1/kg] their inverse masses."""
        return self._arrays.dynamic, self._arrays.inverse_mass

    def forget(self) -> None:
        """A step begins, before which the caller keeps the motion."""
        self._record = None

    def begin(self, state: BodyState) -> None:
        """Keep the motion before the step."""
        self._record, before = None, self._before
        before.x[...], before.R[...] = state.x, state.R
        before.v[...], before.omega[...] = state.v, state.omega

    def end(
        self,
        state: BodyState,
        solver: PotentialSolver,
        h: float,
        slowest: float,
        joints: PotentialJoints | None,
    ) -> None:
        """Velocities after the impacts of the step that led to `state`, and where they lead.

        Approaches slower than `slowest` [m/s] besides what loads add do not bounce. What
        impacts did to joints is added to `joints`.
        """
        motor_rates = None if joints is None else joints.motor_rates
        force, torque = solver.loads
        arrays, before, restitution = self._arrays, self._before, self._restitution
        if not restitution.elastic and not self._stopped(state, solver, h, slowest):
            return
        began, now = _velocities(before), _velocities(state)
        u, L = now.copy(), np.zeros_like(before.v)
        momenta(arrays, before.R, np.ascontiguousarray(began[:, 3:]), L)
        flown = state.R.copy()
        free_rotations(arrays, before.R, L, h, torque, flown)
        apply_loads(arrays, flown, L, before.v, h, force, torque, u)
        turn_spins(arrays, flown, state.R, u)
        begun, loads = StepBegin(h, before.x, before.R, began), (force, h, slowest)
        free, done = u.copy(), None
        if restitution.elastic:
            done = self._strike(state, solver, begun, u, loads, motor_rates)
            if done is not None and joints is not None:
                struck, along = self._made().along_joints(done[0].hit)
                joints.add_impacts(struck, along / h)
        hit = np.zeros(len(u), np.bool_) if done is None else done[0].hit
        changed = self._take_back(state, solver, free, now, hit, loads, joints)
        if done is not None:
            self._replace_forces(solver.report(), *done)
            fly_on(self._made(), begun, state, u, done[0], solver)
            now[hit] = u[hit]
        changed |= hit
        if changed.any():
            spin = now[changed, 3:]
            state.v[changed] = now[changed, :3]
            state.omega[changed] = np.einsum("nji,nj->ni", state.R[changed], spin)
            solver.set_spin(changed, spin)

    def _stopped(self, state: BodyState, solver: PotentialSolver, h: float, slowest: float) -> bool:
        """Whether contact may have stopped a body that touches another, see `contact_stops`."""
        arrays, before = self._arrays, self._before
        dynamic, changes = arrays.dynamic, (
            arrays.inverse_mass, solver.radius, before.v, before.omega, state.v, state.omega,
            solver.loads[0], h, slowest,
        )  # fmt: skip
        if not contact_stops(dynamic, *changes):
            return False
        touching = np.zeros_like(dynamic)  # joints change the velocities of others, too
        touching[_bodies(solver.pressing_rows())] = True
        return bool(contact_stops(dynamic & touching, *changes))

    def _made(self) -> ImpactProblem:
        self._problem = self._problem or ImpactProblem(*self._settings)
        return self._problem

    def _strike(
        self, state: BodyState, solver: PotentialSolver, begun: StepBegin, u: Array,
        loads: tuple[Array, float, float], motor_rates: Array | None,
    ) -> tuple[ImpactStep, ContactRecord] | None:  # fmt: skip
        """Change u (n, 6), velocities without contact, by impacts with restitution."""
        rows = solver.contact_rows()
        if not len(rows):
            return None
        slow = slow_rates(_bodies(rows), self._arrays.inverse_mass, *loads)
        struck = (opening_rates(rows, state.x, u) < -slow) & (self._restitution.of(rows) > 0.0)
        if not struck.any():
            return None
        impacts = self._made()
        impacts.take(rows, state, u, begun.h, motor_rates)
        done = strike(impacts, begun, state, u, struck, slow)
        return None if done is None else (done, impact_record(rows, done, begun.h))

    def _take_back(
        self, state: BodyState, solver: PotentialSolver, free: Array, now: Array, hit: BoolArray,
        loads: tuple[Array, float, float], joints: PotentialJoints | None,
    ) -> BoolArray:  # fmt: skip
        """Impacts without restitution in the velocities `now` (n, 6); the bodies they changed.

        Of pairs that strike, or to which barriers give a speed back; then of those that are struck
        by them. Not of bodies `hit`; `free` (n, 6) are the velocities without contact.
        """
        changed = np.zeros(len(now), np.bool_)
        rows = solver.pressing_rows()
        if not len(rows):
            return changed
        bodies = _bodies(rows)
        slow = slow_rates(bodies, self._arrays.inverse_mass, *loads)
        e, approach = self._restitution.of(rows), opening_rates(rows, state.x, free)
        gained = opening_rates(rows, state.x, now) - np.maximum(approach, 0.0)
        taken = (~np.isnan(e) & (gained > THROWN * slow)) | ((e == 0.0) & (approach < -slow))
        others = ~hit[bodies].any(axis=1)
        taken &= others
        if not taken.any():
            return changed
        pair = len(now) * bodies.min(axis=1) + bodies.max(axis=1)
        taken |= others & ~np.isnan(e) & np.isin(pair, pair[taken])
        h, slip = loads[1], slip_speeds(rows, state.x, free)
        impulses = rows[:, FORCE : FORCE + 3] / h
        before, others = now.copy(), others & (e == 0.0)
        mu = friction_at(self._settings[2], bodies, slip)
        for _ in range(GENERATIONS):
            if not self._take_back_jointed(state, rows, taken, impulses, now, h, joints):
                numbers = np.flatnonzero(taken)
                take_back(self._arrays, state.x, state.R, rows, numbers, mu, impulses, now)
            struck = others & ~taken & (opening_rates(rows, state.x, now) < -slow)
            if not struck.any():
                break
            taken |= struck
        changed = np.asarray((now != before).any(axis=1))
        of = solver.report().contacts
        self._record = dataclasses.replace(of, forces=impulses / h)
        return changed

    def _take_back_jointed(
        self, state: BodyState, rows: Array, thrown: BoolArray, impulses: Array, now: Array,
        h: float, joints: PotentialJoints | None,
    ) -> bool:  # fmt: skip
        """As `take_back`, where one of the bodies has joints, which take part; whether it was."""
        if joints is None or not joints.jointed[_bodies(rows)[thrown]].any():
            return False
        impacts = self._made()
        impacts.take(rows, state, now, h, joints.motor_rates)
        if not impacts.without_rebound(now, impulses, thrown):
            return False
        _, along = impacts.along_joints(self._arrays.dynamic)
        joints.add_impacts(np.zeros(len(along), np.bool_), along / h)
        return True

    def _replace_forces(
        self, report: ContactReport, done: ImpactStep, record: ContactRecord
    ) -> None:
        """Forces of bodies that were struck are those of their impacts."""
        kept = report.contacts if self._record is None else self._record
        others = ~done.hit[kept.bodies].any(axis=1)
        parts = [[getattr(kept, name)[others] for name in FIELDS]]
        parts.append([getattr(record, name) for name in FIELDS])
        self._record = ContactRecord(*(np.concatenate(columns) for columns in zip(*parts)))

    def report(self, of_pose: ContactReport) -> ContactReport:
        """The contacts of the last step; energy and distances are those of its end."""
        if self._record is None:
            return of_pose
        return dataclasses.replace(of_pose, contacts=self._record)

    def snapshot(self) -> Snapshot:
        if self._record is None:
            return {}
        return {name: np.array(getattr(self._record, name)) for name in FIELDS}

    def restore(self, snapshot: Snapshot) -> None:
        self._record = None
        if snapshot:
            self._record = ContactRecord(*(snapshot[name].copy() for name in FIELDS))


def _velocities(state: BodyState) -> Array:
    return np.concatenate((state.v, state.spin), axis=1)


def _bodies(rows: Array) -> Int64Array:
    return rows[:, BODY_A : BODY_B + 1].astype(np.int64)
