"""Time stepping with an impulse law from outside the package.

    u_free = u + h M^-1 f,   u' = u_free + M^-1 J^T lambda(J M^-1 J^T, J u_free, gaps),
then x' = x + h u' and R' as a free body of that momentum rotates (`impulse_poses.drift`): the
scheme of `StewartTrinkle` with dense matrices, for bodies without joints.
"""

import numpy as np

from dovetail.contact.law import (
    ContactGeometry,
    ContactProblem,
    ContactRecord,
    ContactReport,
    ImpulseLaw,
    KeepsHistory,
    no_contacts,
)
from dovetail.errors import RunError
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.lie_verlet.scheme import without_fixed_velocities
from dovetail.integrators.pairing import refuse_joints
from dovetail.integrators.shared.impulse_poses import DONE, drift
from dovetail.integrators.shared.snapshots import of_bodies, part_of, prefixed, restore_bodies
from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.body_arrays import FREE, HINGED
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.inputs import BodyInputs, Inputs
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import BodyState, initial_state, place_kinematic


class ImpulseStepper:
    """One run of `StewartTrinkle` with a law that finds contacts and solves for impulses."""

    def __init__(self, model: Model, law: ImpulseLaw) -> None:
        refuse_joints(model, "an impulse law", "dt.contact.LCP, or a force law")
        given: object = law
        self._model, self._law = model, law
        self._history = given if isinstance(given, KeepsHistory) else None
        self._arrays, self._loads = body_arrays(model), LoadForces(model)
        self._state = without_fixed_velocities(model, initial_state(model))
        self._moves = model.motion == DYNAMIC
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        vertices = [body.surface.vertices for body in model.bodies]
        radii = [np.linalg.norm(rows, axis=1).max(initial=0.0) for rows in vertices]
        self._radius = np.where(self._moves, radii, 0.0)
        self._L = np.zeros((model.n_bodies, 3))  # [N m s] about the centres, world axes
        self._record = no_contacts()
        self._inputs = BodyInputs(self._loads.compiled)

    @property
    def bodies(self) -> BodyState:
        return self._state

    def step(self, t_next: float) -> StepReport:
        state = self._state
        h = t_next - state.t
        force, torque = self._loads.wrenches(state)
        inverse = self._inverse_masses()
        u = np.concatenate([state.v, state.spin], axis=1)
        end = self._place_kinematic(t_next, h, u)
        self._L[...] = self._momenta(u[:, 3:])
        free = u.copy()
        free[:, :3] += h * np.einsum("nij,nj->ni", inverse[:, :3, :3], force)
        loaded = np.einsum("nij,nj->ni", inverse[:, 3:, 3:], self._L + h * torque)
        free[self._moves, 3:] = loaded[self._moves]
        geometry = self._law.contacts(state.x.copy(), state.R.copy(), self._reach(h, u, force))
        m = len(geometry.gaps)
        J = contact_jacobian(geometry, state.x)
        n = self._model.n_bodies
        flat = J.reshape(3 * m, 6 * n)
        WJ = np.einsum("nij,mnj->mni", inverse, J).reshape(3 * m, 6 * n)
        problem = ContactProblem(geometry, h, flat @ WJ.T, flat @ free.ravel(), flat @ u.ravel())
        impulses = self._law.impulses(problem) if m else np.zeros((0, 3))
        after = free + (impulses.ravel() @ WJ).reshape(n, 6)
        self._keep(geometry, J, impulses, after, h)
        self._drift(h, t_next, after, end)
        return StepReport(near=m > 0)

    def _inverse_masses(self) -> Array:
        """(n, 6, 6) velocities per impulse, world axes; 0 where a motion is not free."""
        arrays, R = self._arrays, self._state.R
        inverse = np.zeros((self._model.n_bodies, 6, 6))
        for i in np.flatnonzero(self._moves):
            inverse[i, :3, :3] = np.diag(arrays.inverse_mass[i])
            if arrays.turning[i] == FREE:
                inverse[i, 3:, 3:] = R[i] @ arrays.inertia_inverse[i] @ R[i].T
            elif arrays.turning[i] == HINGED:
                axis = arrays.axis[i]
                inverse[i, 3:, 3:] = np.outer(axis, axis) / arrays.axis_inertia[i]
        return inverse

    def _momenta(self, spin: Array) -> Array:
        """(n, 3) [N m s] R I R^T spin of bodies that rotate freely, about its axis of others."""
        arrays, R = self._arrays, self._state.R
        L: Array = np.einsum("nij,njk,nlk,nl->ni", R, arrays.inertia, R, spin)
        for i in np.flatnonzero(arrays.turning == HINGED):
            L[i] = arrays.axis_inertia[i] * (arrays.axis[i] @ spin[i]) * arrays.axis[i]
        return L

    def _place_kinematic(self, t: float, h: float, u: Array) -> BodyState:
        """Mean velocities of kinematic bodies over the step into u; the state at its end."""
        state, end = self._state, self._state.copy()
        end.t = t
        place_kinematic(self._model, end)
        for i in self._kinematic:
            u[i, :3] = (end.x[i] - state.x[i]) / h
            u[i, 3:] = np.asarray(so3.log(end.R[i] @ state.R[i].T)) / h
        return end

    def _reach(self, h: float, u: Array, force: Array) -> Array:
        """(n,) [m] how far a point of each body may move in the step."""
        speeds = np.linalg.norm(u[:, :3], axis=1)
        speeds = speeds + self._radius * np.linalg.norm(u[:, 3:], axis=1)
        kicks = np.linalg.norm(force * self._arrays.inverse_mass, axis=1)
        return np.asarray(h * (speeds + 2.0 * h * kicks))

    def _keep(
        self, geometry: ContactGeometry, J: Array, impulses: Array, u: Array, h: float
    ) -> None:
        """The contacts of this step, with gaps as they are at its end."""
        frames = np.stack([geometry.normals, *tangents(geometry.normals)], axis=1)
        forces = np.einsum("mk,mki->mi", impulses, frames) / h
        opened = np.einsum("mni,ni->m", J[::3], u)
        self._record = ContactRecord(
            geometry.bodies, geometry.points, geometry.normals, forces, geometry.gaps + h * opened
        )

    def _drift(self, h: float, t: float, u: Array, end: BodyState) -> None:
        state = self._state
        alone = self._moves.copy()
        alone[self._record.bodies.ravel()] = False
        code, body = drift(
            h, self._arrays, u, alone, self._loads.compiled.force, np.zeros_like(u), state.x,
            state.R, state.v, state.omega, self._L,
        )  # fmt: skip
        if code != DONE:
            raise RunError(
                f"body {quote(self._model.names[body])} moves or spins too fast for a step of "
                f"{h:.3g} s; check the impulse law, or use a smaller step",
                t,
            )
        for i in self._kinematic:
            state.x[i], state.R[i] = end.x[i], end.R[i]
            state.v[i], state.omega[i] = end.v[i], end.omega[i]
        state.t = t

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._inputs.set(inputs)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        without_fixed_velocities(self._model, state)
        own = self._state
        state.copy_to(own)
        own.t, self._record = state.t, no_contacts()

    def observe(self) -> Observation:
        least = float(self._record.gaps.min(initial=np.inf))
        return Observation(contact=ContactReport(self._record, 0.0, least))

    def snapshot(self) -> Snapshot:
        state, record = self._state, self._record
        law = {} if self._history is None else self._history.snapshot()
        return {
            **of_bodies(state),
            **prefixed("contact", {name: array.copy() for name, array in vars(record).items()}),
            **prefixed("law", law),
        }  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        state = self._state
        restore_bodies(state, snapshot)
        kept = {name: array.copy() for name, array in part_of(snapshot, "contact").items()}
        self._record = ContactRecord(**kept)
        if self._history is not None:
            self._history.restore(part_of(snapshot, "law"))


def tangents(normals: Array) -> tuple[Array, Array]:
    """Two unit vectors (m, 3) each across normals (m, 3), the first by the smallest component."""
    across = np.eye(3)[np.argmin(np.abs(normals), axis=1)] if len(normals) else normals
    first = np.cross(normals, across)
    first = first / np.linalg.norm(first, axis=1)[:, None]
    return first, np.cross(normals, first)


def contact_jacobian(geometry: ContactGeometry, x: Array) -> Array:
    """(3 m, n, 6) rates of a relative to b along normal and tangents, per (v, spin)."""
    m = len(geometry.gaps)
    J = np.zeros((m, 3, len(x), 6))
    frames = np.stack([geometry.normals, *tangents(geometry.normals)], axis=1)
    k = np.arange(m)
    for side, sign in ((0, 1.0), (1, -1.0)):
        body = geometry.bodies[:, side]
        arm = geometry.points - x[body]
        J[k, :, body, :3] += sign * frames
        J[k, :, body, 3:] += sign * np.cross(arm[:, None, :], frames)
    return J.reshape(3 * m, len(x), 6)
