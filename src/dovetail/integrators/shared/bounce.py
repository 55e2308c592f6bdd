"""Restitution of intersection-free contact under implicit Euler.

The barrier stops what closes within a step, so poses are free of intersections; how fast bodies
part is decided here. Where a contact with restitution closes faster than loads explain, its cluster
of touching bodies meets, strikes by the impact law and flies on (`impact_step`). Without
restitution the barrier itself stops bodies; only what it would throw back, where steps resolve it,
is taken out: the cluster gets the velocities of an impact with e = 0. Impulses of both replace the
forces of the barrier among the contacts of the step. Slower contacts keep the velocities of the
step.
"""

import dataclasses

import numpy as np

from dovetail.contact.ipc.friction.coefficients import FrictionLaws
from dovetail.contact.ipc.report import BODY_A, BODY_B, NORMAL, POINT
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.integrators.interface import Snapshot
from dovetail.integrators.shared.impact_problem import (
    ImpactProblem,
    PairRestitution,
    slow_rates,
)
from dovetail.integrators.shared.impact_step import (
    ImpactStep,
    StepBegin,
    fly_on,
    impact_record,
    strike,
)
from dovetail.integrators.shared.impulse_poses import apply_loads, momenta
from dovetail.integrators.shared.potential_solver import PotentialSolver
from dovetail.integrators.shared.stopped_bodies import contact_stops
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray

FIELDS = ("bodies", "points", "normals", "forces", "gaps", "torques")


class Bounce:
    """The impacts of one run."""

    def __init__(self, model: Model, restitution: float | None, friction: FrictionLaws) -> None:
        self._settings = model, restitution, friction
        self._problem: ImpactProblem | None = None  # made where it is needed
        self._restitution = PairRestitution(model, restitution)
        self._arrays = body_arrays(model)
        n = model.n_bodies
        self._before = BodyState(
            0.0, np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        )
        self._record: ContactRecord | None = None  # of the last step, where there were impacts

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
        motor_rates: Array | None,
    ) -> None:
        """Velocities after the impacts of the step that led to `state`, and where they lead.

        Approaches slower than `slowest` [m/s] besides what loads add do not bounce.
        """
        force, torque = solver.loads
        arrays, before, restitution = self._arrays, self._before, self._restitution
        if not restitution.elastic and not contact_stops(
            arrays.dynamic, arrays.inverse_mass, solver.radius, before.v, before.omega, state.v,
            state.omega, force, h, slowest,
        ):  # fmt: skip
            return
        rows = solver.contact_rows()
        if not len(rows):
            return
        began, now = _velocities(before), _velocities(state)
        u, L = now.copy(), np.zeros_like(before.v)
        momenta(arrays, before.R, np.ascontiguousarray(began[:, 3:]), L)
        apply_loads(arrays, state.R, L, before.v, h, force, torque, u)
        bodies = rows[:, BODY_A : BODY_B + 1].astype(np.int64)
        e, slow = restitution.of(rows), slow_rates(bodies, arrays.inverse_mass, force, h, slowest)
        free, end = opening_rates(rows, state, u), opening_rates(rows, state, now)
        struck = (free < -slow) & (e > 0.0)
        thrown = (end - np.maximum(free, 0.0) > slow) & ~np.isnan(e)
        if not (struck | thrown).any():
            return
        impacts = self._problem = self._problem or ImpactProblem(*self._settings)
        impacts.take(rows, state, u, h, motor_rates)
        begun = StepBegin(h, before.x, before.R, began)
        done = strike(impacts, begun, state, u, struck, slow) if struck.any() else None
        stopped = _stop(impacts, u, thrown, done)
        if done is None and stopped is None:
            return
        self._keep_record(rows, solver.report(), done, stopped, h)
        if done is not None:
            fly_on(impacts, begun, state, u, done, solver)
        changed = np.zeros(len(u), np.bool_)
        for part in (done, stopped):
            changed |= False if part is None else part.hit
        spin = u[changed, 3:]
        state.v[changed] = u[changed, :3]
        state.omega[changed] = np.einsum("nji,nj->ni", state.R[changed], spin)
        solver.set_spin(changed, spin)

    def _keep_record(
        self, rows: Array, report: ContactReport, done: ImpactStep | None,
        stopped: ImpactStep | None, h: float,
    ) -> None:  # fmt: skip
        """Contacts of the step: of the barrier, or of impacts where there were any."""
        others, records = np.ones(len(report.contacts.gaps), np.bool_), []
        for part in (done, stopped):
            if part is not None:
                others &= ~part.hit[report.contacts.bodies].any(axis=1)
                records.append(impact_record(rows, part, h))
        kept = [getattr(report.contacts, name)[others] for name in FIELDS]
        parts = [kept, *([getattr(record, name) for name in FIELDS] for record in records)]
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


def _stop(
    impacts: ImpactProblem, u: Array, thrown: BoolArray, done: ImpactStep | None
) -> ImpactStep | None:
    """Change u (n, 6) of other clusters with contacts `thrown` by impacts without restitution.

    Bodies of these clusters stay where the barrier has led them.
    """
    cluster = impacts.clusters()
    chosen = impacts.struck(cluster, thrown)
    if done is not None:
        chosen = np.setdiff1d(chosen, np.unique(cluster[done.hit]))
    if not len(chosen):
        return None
    hit, contacts = np.isin(cluster, chosen) & impacts.moves, impacts.contacts_in(cluster, chosen)
    after = u.copy()
    impulses = impacts.stop(after, contacts)
    u[hit] = after[hit]
    return ImpactStep(hit, contacts, impulses, np.zeros_like(u))


def opening_rates(rows: Array, state: BodyState, u: Array) -> Array:
    """(m,) [m/s] how fast the contacts `rows` (see `ipc.report`) open at velocities u (n, 6)."""
    a, b = rows[:, BODY_A].astype(np.int64), rows[:, BODY_B].astype(np.int64)
    point, normal = rows[:, POINT : POINT + 3], rows[:, NORMAL : NORMAL + 3]
    velocity = u[a, :3] + np.cross(u[a, 3:], point - state.x[a])
    velocity -= u[b, :3] + np.cross(u[b, 3:], point - state.x[b])
    return np.asarray(np.einsum("mk,mk->m", velocity, normal))
