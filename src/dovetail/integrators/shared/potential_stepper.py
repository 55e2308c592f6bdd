"""Implicit Euler for any contact potential: one Newton solve for the poses at the step's end."""

import numpy as np

from dovetail.contact.law import (
    CollisionFreePotential,
    KeepsHistory,
    LaggedPotential,
    Potential,
)
from dovetail.errors import InputError, RunError
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.lie_verlet.scheme import without_fixed_velocities
from dovetail.integrators.pairing import refuse_joints
from dovetail.integrators.shared.incremental_potential import IncrementalPotential
from dovetail.integrators.shared.potential_newton import minimise
from dovetail.integrators.shared.snapshots import of_bodies, part_of, prefixed, restore_bodies
from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.inputs import BodyInputs, Inputs
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import BodyState, initial_state, place_kinematic

TOLERANCE = 1e-9  # of the displacement that speeds and loads make in a step
MAX_ITERATIONS = 200


class PotentialStepper:
    """One run of `ImplicitEuler` with a potential that has no compiled solver of its own.

    Kinematic bodies are where their trajectory has them at the end of the step while the others
    are solved for. Loads act as they are at its start.
    """

    def __init__(self, model: Model, law: Potential) -> None:
        refuse_joints(model, "a potential", "dt.contact.IPC, or a force law")
        given: object = law
        self._model, self._law = model, law
        self._lagged = given if isinstance(given, LaggedPotential) else None
        self._bound = given if isinstance(given, CollisionFreePotential) else None
        self._history = given if isinstance(given, KeepsHistory) else None
        self._loads = LoadForces(model)
        self._state = state = without_fixed_velocities(model, initial_state(model))
        self._inputs = BodyInputs(self._loads.compiled)
        self._rate = so3.hat(state.spin) @ state.R  # (n, 3, 3) [1/s] R'
        self._moves = model.motion == DYNAMIC
        self._radius = _radii(model)
        self._iterates: list[tuple[Array, Array]] = []
        if not np.isfinite(law.value(state.x, state.R)):
            raise InputError(
                "the contact potential is infinite at the initial poses: bodies touch or overlap; "
                "move them apart"
            )

    @property
    def bodies(self) -> BodyState:
        return self._state

    def step(self, t_next: float) -> StepReport:
        state, moves = self._state, self._moves
        h = t_next - state.t
        force, torque = self._loads.wrenches(state)
        if self._lagged is not None:
            self._lagged.begin_step(state.copy(), h)
        E = IncrementalPotential(self._model, self._law, state, self._rate, force, torque, h)
        end = state.copy()
        end.t = t_next
        place_kinematic(self._model, end)
        if not np.isfinite(self._law.value(end.x, end.R)):
            raise RunError(
                "kinematic bodies run into others within the step: the contact potential becomes "
                f"infinite; use a smaller step than {h:.3g} s",
                t_next,
            )
        wanted = TOLERANCE * self._displacement(h, force)
        found = minimise(E, end.x, end.R, self._radius, wanted, MAX_ITERATIONS, self._bound)
        if not found.converged:
            raise RunError(
                f"the step did not converge in {found.iterations} Newton iterations: a point would "
                f"still move by {found.displacement:.3g} m, wanted {wanted:.3g} m; use a smaller "
                f"step than {h:.3g} s, or check the potential's derivatives",
                t_next,
            )
        R = orthogonalised(found.R)
        self._rate = (R - state.R) / h
        spin = so3.log(R @ state.R.transpose(0, 2, 1)) / h
        self._iterates = found.iterates if self._bound is not None else []
        if self._iterates and self._is_free(state.x, state.R, found.x, R):
            self._iterates = []
        end.v[moves] = (found.x[moves] - state.x[moves]) / h
        end.omega[moves] = np.einsum("nji,nj->ni", R, spin)[moves]
        state.x[...], state.R[...], state.v[...], state.omega[...] = found.x, R, end.v, end.omega
        state.t = t_next
        return StepReport(found.iterations, found.displacement / h)

    def waypoints(self) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) of the iterates where the direct path is not free."""
        n = self._model.n_bodies
        x = np.array([pose[0] for pose in self._iterates]).reshape(-1, n, 3)
        return x, np.array([pose[1] for pose in self._iterates]).reshape(-1, n, 3, 3)

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """Whether the direct path from poses (n, 3), (n, 3, 3) to the current ones is free."""
        return self._is_free(x, R, self._state.x, self._state.R)

    def _is_free(self, x: Array, R: Array, x_end: Array, R_end: Array) -> bool:
        if self._bound is None:
            return True  # this potential does not claim to keep bodies apart
        w = so3.log(R_end @ R.transpose(0, 2, 1))
        twist = np.concatenate([x_end - x, w], axis=1)
        return self._bound.collision_free_step_size(x, R, twist) == 1.0

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._inputs.set(inputs)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        without_fixed_velocities(self._model, state)
        own = self._state
        state.copy_to(own)
        own.t = state.t
        self._rate = so3.hat(own.spin) @ own.R
        self._iterates = []

    def observe(self) -> Observation:
        return Observation(contact=self._law.report(self._state.x, self._state.R))

    def snapshot(self) -> Snapshot:
        state = self._state
        law = {} if self._history is None else self._history.snapshot()
        return {
            **of_bodies(state), "rate": self._rate.copy(),
            **prefixed("law", law),
        }  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        state = self._state
        restore_bodies(state, snapshot)
        self._rate = snapshot["rate"].copy()
        self._iterates = []
        if self._history is not None:
            self._history.restore(part_of(snapshot, "law"))

    def _displacement(self, h: float, force: Array) -> float:
        """[m] the largest that speeds and loads make in a step."""
        state = self._state
        speeds = np.linalg.norm(state.v, axis=1) + self._radius * np.linalg.norm(
            state.omega, axis=1
        )
        moves = self._moves
        kicks = np.linalg.norm(force[moves], axis=1) / self._model.mass[moves]
        longest = h * speeds.max(initial=0.0) + h * h * kicks.max(initial=0.0)
        return float(longest) or float(self._radius.max(initial=0.0)) or 1.0


def orthogonalised(R: Array) -> Array:
    """The rotations (n, 3, 3) nearest to R, up to its error squared: R (3 - R^T R) / 2."""
    return np.asarray(R @ (3.0 * np.eye(3) - R.transpose(0, 2, 1) @ R) / 2.0)


def _radii(model: Model) -> Array:
    """(n,) [m] of the farthest vertex of each body, and no less than its radius of gyration."""
    radii = [
        np.linalg.norm(body.surface.vertices, axis=1).max(initial=0.0) for body in model.bodies
    ]
    moves = model.motion == DYNAMIC
    gyration = np.zeros(model.n_bodies)
    trace = np.trace(model.inertia[moves], axis1=1, axis2=2)
    gyration[moves] = np.sqrt(0.5 * trace / model.mass[moves])
    return np.maximum(radii, gyration)
