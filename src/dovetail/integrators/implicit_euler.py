"""Implicit Euler on the group: the step for bodies kept apart by a potential."""

from typing import ClassVar

import numpy as np

from dovetail.contact.ipc.friction.workspace import without_friction
from dovetail.contact.ipc.law import IpcPotential, contact_report
from dovetail.contact.ipc.model_bodies import body_arrays
from dovetail.contact.ipc.newton import minimise
from dovetail.contact.ipc.solver import Barrier, IpcSolver, Outcome
from dovetail.contact.ipc.workspace import motion_room
from dovetail.contact.law import ContactMethod, ContactReport, LawKind
from dovetail.errors import RunError
from dovetail.integrators.interface import Observation, Snapshot, StepReport
from dovetail.integrators.lie_verlet.scheme import held_to_freedoms
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.shared.bounce import Bounce
from dovetail.integrators.shared.driven_bodies import DrivenBodies
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.linalg.lie import so3
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import BodyState, initial_state

WITHOUT_CONTACT = 1e-10  # of the speeds that change in a step, where nothing else is solved for
MOST_ITERATIONS = 100


class ImplicitEuler:
    """One Newton solve per step for the poses at its end, which no force is stiff enough to upset.

    x_1 minimises m/2 |x - x^|^2 + 1/2 tr((R - R^) J (R - R^)^T) + h^2 (potential), with
    x^ = x_0 + h v + h^2 f/m and R^ = R_0 + h R' (Ferguson et al. 2021, eqs. 7-9). First order: spin
    decays, by h^2 omega^2 of itself in a step. Loads act as they are at the start of the step.
    """

    name: ClassVar[str] = "ImplicitEuler"
    order: ClassVar[int] = 1
    takes: ClassVar[frozenset[LawKind]] = frozenset({"potential"})
    takes_joints: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = False
    leaves_waypoints: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "ImplicitEuler()"

    def start(self, model: Model, contact: ContactMethod | None) -> "ImplicitEulerStepper":
        return ImplicitEulerStepper(model, prepared_law(self, model, contact))


class ImplicitEulerStepper:
    """One run of `ImplicitEuler`."""

    def __init__(self, model: Model, law: IpcPotential | None) -> None:
        self._model, self._law = model, law
        self._loads = LoadForces(model)
        self._constant = _are_constant(self._loads)
        self._state = state = held_to_freedoms(model, initial_state(model))
        self._motion = motion_room(state.x, state.R, state.v, state.omega)
        self._joints: PotentialJoints | None = None
        if model.joints:
            self._joints = PotentialJoints(model, body_arrays(model, touching=False), state)
        rows = None if self._joints is None else self._joints.arrays
        if law is None:
            bodies = body_arrays(model, touching=False)
            friction = without_friction(model.n_bodies)
            self._solver = IpcSolver(bodies, Barrier(1.0, 0.0), self._motion, friction, rows)
            self._accuracy = (0.0, WITHOUT_CONTACT, MOST_ITERATIONS)
        else:
            self._solver = law.solver(self._motion, rows)
            self._accuracy = (law.tolerance, law.part, law.most_iterations)
        near = 1.0 if law is None else law.barrier.dhat
        self._driven, self._near = DrivenBodies(model, self._solver.radius, near), near
        self._motion.rate[...] = so3.hat(state.spin) @ state.R
        self._motion.force[...], self._motion.torque[...] = self._loads.wrenches(state)
        self._bounce: Bounce | None = None
        if law is not None and law.bounces:
            self._bounce = Bounce(model, law.restitution, law.laws)
        self._weight, self._h = 0.0, 0.0  # of the step that led to the state
        self._iterations = 0

    @property
    def bodies(self) -> BodyState:
        return self._state

    def step(self, t_next: float) -> StepReport:
        state = self._state
        h = t_next - state.t
        if not self._constant:
            self._motion.force[...], self._motion.torque[...] = self._loads.wrenches(state)
        driven = self._driven if len(self._driven.numbers) else None
        if driven is not None:
            driven.set_targets(state, t_next, self._solver.targets)
        if self._joints is not None:
            self._joints.set_time(t_next, 0.0 if self._law is None else self._near)
        if self._bounce is not None:
            self._bounce.begin(state)
        before = self._weight * (h / self._h) ** 2 if self._h > 0.0 else 0.0
        outcome = self._solver.step(h, *self._accuracy, before)
        if outcome.code != minimise.DONE:
            raise step_failure(self._model, self._solver, outcome, t_next)
        t_before, state.t = state.t, t_next
        self._weight, self._h, self._iterations = outcome.weight, h, outcome.iterations
        if driven is not None and self._law is not None:
            driven.notice(state, t_before, self._solver, outcome.weight)
        if self._bounce is not None and outcome.contacts:
            rates = None if self._joints is None else self._joints.system.joined.rate
            self._bounce.end(
                state, self._motion, self._solver, outcome.weight, h, outcome.tolerance, rates
            )
        if self._joints is not None:
            self._joints.arrive(t_next, self._solver, outcome.weight)
        friction = self._solver.friction
        return StepReport(
            outcome.iterations, outcome.speed, creep=friction.creep, settled=friction.settled,
            near=outcome.contacts > 0,
        )  # fmt: skip

    def waypoints(self) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) between start and end of the last step.

        None where all bodies can go straight from one to the other without meeting.
        """
        return self._solver.waypoints(self._iterations)

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """Whether the direct way from poses (n, 3), (n, 3, 3) to the current ones is free."""
        return self._solver.is_path_collision_free(x, R)

    def observe(self) -> Observation:
        report, behind = ContactReport(), None
        if self._law is not None:
            behind = self._driven.behind(self._state) if self._driven.numbers else None
            report = contact_report(self._solver, self._weight, self._h)
        if self._joints is None:
            return Observation(contact=report, behind=behind)
        position, velocity, energy = self._joints.violation()
        return Observation(
            contact=report,
            constraint_position=position,
            constraint_velocity=velocity,
            stored_energy=energy,
            joint_wrenches=self._joints.wrenches,
            behind=behind,
        )

    def snapshot(self) -> Snapshot:
        state = self._state
        joints = {} if self._joints is None else self._joints.snapshot()
        return {
            "t": np.array(state.t), "x": state.x.copy(), "R": state.R.copy(), "v": state.v.copy(),
            "omega": state.omega.copy(), "rate": self._motion.rate.copy(),
            "last": np.array([self._weight, self._h]), "load": self._motion.load.copy(),
            **prefixed("friction", self._solver.friction.snapshot()),
            **prefixed("rest", self._solver.rest_memory()), **prefixed("joints", joints),
        }  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        state = self._state
        state.t = float(snapshot["t"])
        state.x[...], state.R[...] = snapshot["x"], snapshot["R"]
        state.v[...], state.omega[...] = snapshot["v"], snapshot["omega"]
        self._motion.rate[...], self._motion.load[...] = snapshot["rate"], snapshot["load"]
        self._weight, self._h = snapshot["last"].tolist()
        self._iterations = 0
        self._solver.friction.restore(part_of(snapshot, "friction"))
        self._solver.restore_rest(part_of(snapshot, "rest"))
        if self._joints is not None:
            self._joints.restore(part_of(snapshot, "joints"))


def step_failure(model: Model, solver: IpcSolver, outcome: Outcome, t: float) -> RunError:
    """What went wrong in the step to `t`."""
    names = ""
    if outcome.pair >= 0:
        a, b = solver.body_pair(outcome.pair)
        names = f"; bodies {quote(model.names[a])} and {quote(model.names[b])}"
        names += " were closest to meeting"
    left = f"speed {outcome.speed:.3g} m/s left, wanted {outcome.tolerance:.3g} m/s{names}"
    if outcome.code == minimise.TOO_MANY:
        what = f"the step did not converge in {outcome.iterations} Newton iterations: {left}"
    elif outcome.code == minimise.TOUCHING:
        what = f"two bodies are too close to be told from touching{names}"
    elif outcome.code == minimise.NOT_FINITE:
        what = f"the step's equations have no finite solution{names}"
    else:
        what = f"no step along Newton's direction lowers the energy: {left}"
    return RunError(f"{what}; a smaller step may help", t)


def _are_constant(loads: LoadForces) -> bool:
    """Whether forces and torques are the same at every state."""
    compiled = loads.compiled
    turning = np.any(compiled.body_force) or np.any(compiled.body_torque)
    springs = len(compiled.point_body) or len(compiled.spring_values)
    return not (loads.functions or turning or springs)
