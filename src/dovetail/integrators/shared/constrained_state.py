"""What all schemes for bodies with joints keep and share: state, start, observation, memory."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import ContactReport, ForceLaw
from dovetail.errors import InputError, RunError
from dovetail.integrators.interface import JointValues, Observation, Snapshot
from dovetail.integrators.shared import accelerations
from dovetail.integrators.shared.end_forces import EndForces
from dovetail.integrators.shared.failures import FailedStep, failure
from dovetail.integrators.shared.joint_reactions import JointReactions
from dovetail.integrators.shared.start_checks import refuse_violated_start, report_correction
from dovetail.integrators.shared.wrench_responses import wrench_responses
from dovetail.integrators.variational.stages import SETTLED, SINGULAR
from dovetail.integrators.variational.step import bundled
from dovetail.linalg.kkt.records import ELSEWHERE, kkt_workspace
from dovetail.model.frozen import KINEMATIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints.bodies import (
    DAMPER,
    EFFORT,
    FRICTION,
    LIMIT,
    ConstrainedMotion,
    Parts,
    constraint_workspace,
    push,
    push_rows,
    violation,
    zero_motion,
)
from dovetail.multibody.constraints.joint_friction import row_mobility
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.inputs import BodyInputs, Inputs, RowInputs
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.multibody.state import BodyState, place_kinematic

if TYPE_CHECKING:
    from dovetail.integrators.shared.observed_joints import ObservedJoints

CREEP = 0.05  # of the rate that friction takes away in a step: what counts as sticking
DELTA = 1e-4  # [s] of the difference quotient of kinematic twists


class ConstrainedState:
    """The motion of a model with joints and the arrays its kernels work on."""

    def __init__(self, model: Model, law: ForceLaw | None, coupled: bool = False) -> None:
        """`coupled`: for a scheme whose linear systems have blocks between bodies."""
        self.model, self.law = model, law
        self.system = ConstrainedSystem(model, coupled, state_motors=True)
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        n, r = model.n_bodies, len(self.system.ordered)
        start = self.system.initial
        width = self.system.width
        self.now, self.after = zero_motion(n, r, width), zero_motion(n, r, width)
        self.work = constraint_workspace(n, r, width)
        self.kkt = kkt_workspace(self.system.tree, coupled)
        for motion in (self.now, self.after):
            start.copy_to(motion)
        self.bodies = self._state_of(self.now)
        self.next_bodies = self._state_of(self.after)
        self.carried = np.zeros((n, 6))
        self._given: tuple[Array, Array] | None = None  # wrenches of the initial state
        self._reactions = JointReactions(model, self.system)
        self.parts = bundled(
            Parts(
                self.system.constants, self.system.tree, self.system.loads.compiled,
                self.system.rows, self.now, self.after, self.work, self.kkt,
            )
        )  # fmt: skip
        self.end_forces = EndForces(model, law, self.system.loads.functions)
        self._body_inputs = BodyInputs(self.system.loads.compiled)
        self._row_inputs = RowInputs(self.system)
        self.plain = not self.end_forces
        self.divides = False  # whether a step has parts, whose creep is that of the whole
        self.autonomous = self.plain and not self.system.motors and not len(self._kinematic)
        self._begin()

    @staticmethod
    def _state_of(motion: ConstrainedMotion) -> BodyState:
        return BodyState(0.0, motion.x, motion.R, motion.v, motion.omega)

    def _begin(self) -> None:
        """Consistent velocities and the wrenches of the initial state."""
        given = self.bodies.copy()
        self.system.motors.set_time(0.0, 0.0)
        body = accelerations.start(self.parts)
        if body >= 0:
            raise InputError(
                f"the joints of body {quote(self.model.names[body])} cannot be solved at the start;"
                " check their points and axes, and that its mass and inertia are > 0"
            )
        refuse_violated_start(self.model, self.system, self.now.phi)
        report_correction(given, self.bodies, float(self.system.constants.length[0]))
        self.work.extra[...] = self.end_forces.wrenches(self.bodies)
        self._start_wrenches()
        constants = self.system.constants
        self._creep = np.zeros(len(constants.creep))  # [m/s or rad/s] per second of step
        for r in constants.frictions:
            mobility = float(row_mobility(self.parts, r))
            self._creep[r] = CREEP * constants.friction[r] * mobility

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        """See `Steerable`; the wrenches at `now` change with the inputs unless `carried`."""
        force, torque = self._body_inputs.set(inputs)
        changes = self._row_inputs.set(inputs)
        if carried:
            return
        self._given = None
        now, bodies, moves = self.now, self.system.rows.body, self.system.tree.moves
        now.force[...] += force
        now.torque[...] += torque
        rows, effort, stiffness = changes
        amounts = effort - stiffness * (now.phi[rows] - self.system.constants.rest[rows])
        push_rows(bodies, moves, now.R, now.G, rows, amounts, now.force, now.torque)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        """See `Steerable`."""
        for motion in (self.now, self.after):
            state.copy_to(motion)
            for rest in ("multiplier", "at_start", "active", "eased", "bend"):
                getattr(motion, rest)[...] = 0
        self.now.angle[...] = row_angles(self.system, coordinates)
        self.bodies.t = state.t
        self.system.motors.set_time(state.t, state.t)
        self.work.extra[...] = 0.0
        self.kkt.coupling[...] = 0.0
        body = accelerations.start(self.parts)
        if body >= 0:
            raise InputError(
                f"the joints of body {quote(self.model.names[body])} cannot be solved in this state"
            )
        refuse_violated_start(self.model, self.system, self.now.phi)
        self.end_forces.forget()
        self.work.extra[...] = self.end_forces.wrenches(self.bodies)
        self._start_wrenches()
        self._given = None

    def leave_dampers_out(self) -> None:
        """Take dampers out of the wrenches of the initial state."""
        damping = self.system.constants.damping
        kept = damping.copy()
        damping[...] = 0.0
        self._start_wrenches()
        damping[...] = kept

    def _start_wrenches(self) -> None:
        """Wrenches of a state from which no step was made.

        The rate of a joint at rest does not tell where dry friction acts: it holds the joint, or
        acts against the acceleration that it cannot hold.
        """
        accelerations.start(self.parts)
        now, frictions = self.now, self.system.constants.frictions
        if self._held is None or not len(frictions):
            return
        self._held_wrenches(self._held)
        found = -self._held.amount[frictions]
        if not np.isfinite(found).all():
            return
        more = now.multiplier[frictions] - found
        now.multiplier[frictions] = now.eased[frictions] = found
        bodies, moves = self.system.rows.body, self.system.tree.moves
        push_rows(bodies, moves, now.R, now.G, frictions, more, now.force, now.torque)

    def end_at_limits(self, which: dict[tuple[int, int], bool]) -> None:
        """Whether a step that would pass the limits of (joint, coordinate) ends at them."""
        for r in np.flatnonzero(self.system.constants.role == LIMIT):
            where = int(self.system.row_joint[r]), int(self.system.row_coordinate[r])
            self.work.stops[r] = which.get(where, True)

    def place_others(self, t: float) -> None:
        """Kinematic bodies and motors at the end of the step to `t`."""
        self.next_bodies.t = t
        if not self.divides:
            self.take_creep(abs(t - self.bodies.t))
        if len(self._kinematic):
            place_kinematic(self.model, self.next_bodies)
        if self.system.motors:
            self.system.motors.set_time(self.bodies.t, t)

    def take_creep(self, h: float) -> None:
        """Let dry friction stick below the rates that it takes away in a part of a step h [s]."""
        if len(self.system.constants.frictions):
            self.system.constants.creep[...] = self._creep * h

    def finish_step(self, t: float) -> None:
        """The step to `t` is done."""
        self.bodies.t = t
        if self.system.motors:
            self.system.motors.commit()

    def responses(self, G0: Array, G1: Array, bodies: NDArray[np.int64]) -> Array:
        """(6m, 6m): how m bodies answer to impulses, by the factors of the stage solved last."""
        responses = np.empty((6 * len(bodies), 6 * len(bodies)))
        wrench_responses(self.parts, G0, G1, self.after.R, bodies, responses)
        return responses

    def failure(
        self, code: int, body: int, size: float, t: float, wanted: float = SETTLED
    ) -> RunError:
        """What went wrong in the step to `t`, with body and residual."""
        step = FailedStep(
            who=f"body {quote(self.model.names[body])}",
            spin=float(np.linalg.norm(self.bodies.omega[body])),
            h=abs(t - self.bodies.t),  # substeps of a composition go back too
            t=t,
        )
        return failure(step, code, size, wanted)

    def carry(self, t: float) -> None:
        """Accelerations of kinematic bodies at `t` [s], by differences of their twists."""
        take_carried(self.model, self._kinematic, t, self.carried)

    def solve_reactions(self, ahead: float = 0.0) -> None:
        """Accelerations into `work.u` and multipliers into `work.lam` at the current state.

        With dampers as they will be `ahead` [s] at that acceleration.
        """
        self.carry(self.bodies.t)
        self.kkt.coupling[...] = 0.0  # of the last step
        body = accelerations.reactions(self.parts, self.carried, ahead)
        if body >= 0:
            raise self.failure(SINGULAR, body, 0.0, self.bodies.t)

    def soften_dampers(self, h: float) -> None:
        """Let dampers act at the initial state as they will a step later.

        One that stops a body within a small part of the step would else throw it far back.
        """
        if self._given is None:
            self._given = self.now.force.copy(), self.now.torque.copy()
        self.now.force[...], self.now.torque[...] = self._given
        if self.stops_within(h):
            now, bodies, moves = self.now, self.system.rows.body, self.system.tree.moves
            self.solve_reactions(abs(h))
            for r in np.flatnonzero(self.system.constants.role == DAMPER):
                less = -self.work.lam[r]
                push(bodies, moves, now.R, now.G, r, less, now.force, now.torque)

    def stops_within(self, h: float) -> bool:
        """Whether a damper may stop its bodies within a step: h c (their mobility) > 1."""
        constants, rows = self.system.constants, self.system.rows
        for r in np.flatnonzero(constants.damping > 0.0):
            mobility = 0.0
            for side, i in enumerate(rows.body[r]):
                if i >= 0 and self.system.tree.moves[i]:
                    g = self.now.G[r, side]
                    response = np.linalg.solve(constants.inertia[i], g[3:])
                    mobility += float(g[:3] @ g[:3] / constants.mass[i] + g[3:] @ response)
            if abs(h) * float(constants.damping[r]) * mobility > 1.0:
                return True
        return False

    def joint_wrenches(self) -> tuple[Array, Array]:
        """Force [N] and torque [N m] about the joint's point on b that each joint exerts on its
        body b, world axes, (joints, 3) each: what holds it and what drives it along its freedoms.
        """
        if self._held is not None:
            return self._held_wrenches(self._held)
        self.solve_reactions()
        constants, now, G = self.system.constants, self.now, self.now.G
        amount = -self.work.lam
        springs = constants.effort - constants.stiffness * (now.phi - constants.rest)
        amount = np.where(constants.role == EFFORT, springs, amount)
        amount = np.where(constants.role == FRICTION, -now.multiplier, amount)
        for r in np.flatnonzero(constants.role == DAMPER):
            rate = row_rate(self.system.rows.body, G, r, now.v, now.omega)
            amount[r] = -constants.damping[r] * rate
        amount = self.system.with_couplings(amount, now.phi)
        force, torque = self._reactions.wrenches(amount, G, now.R)
        self.system.loads.functions.add_joint_wrenches(self.bodies, force, torque)
        return force, torque

    @cached_property
    def _held(self) -> "ObservedJoints | None":
        """What finds the forces of limits that are reached and of friction that holds."""
        from dovetail.integrators.shared.observed_joints import ObservedJoints

        some = np.isin(self.system.constants.role, (LIMIT, FRICTION)).any()
        return ObservedJoints(self.model, self.system, self.bodies) if some else None

    def _held_wrenches(self, held: "ObservedJoints") -> tuple[Array, Array]:
        force, torque = np.empty_like(self.now.x), np.empty_like(self.now.x)
        position_wrenches(self.system.loads.compiled, self.now.x, self.now.R, force, torque)
        held.end_step(self.now.angle)
        found = held.wrenches_now(force + self.work.extra[0], torque + self.work.extra[1])
        self.system.loads.functions.add_joint_wrenches(self.bodies, *found)
        return found

    def observe(self) -> Observation:
        """Contacts, violations, joint springs and joint reactions of the current state."""
        report = ContactReport() if self.law is None else self.law.report(self.bodies)
        position, velocity, energy = violation(self.parts)
        return Observation(
            contact=report,
            constraint_position=position,
            constraint_velocity=velocity,
            stored_energy=energy - self._row_inputs.energy(self.now.phi),
            joint_wrenches=self.joint_wrenches if self.model.joints else None,
        )

    def snapshot(self) -> Snapshot:
        arrays: Snapshot = {name: array.copy() for name, array in self.now._asdict().items()}
        return arrays | {
            "t": np.array(self.bodies.t),
            "extra": self.work.extra.copy(),
            "motors": self.system.motors.travel.copy(),
            **self.end_forces.snapshot(),
        }

    def restore(self, snapshot: Snapshot) -> None:
        for name, array in self.now._asdict().items():
            array[...] = snapshot[name]
            getattr(self.after, name)[...] = snapshot[name]
        self._given = None
        self.kkt.factors_of[0] = ELSEWHERE
        self.work.extra[...] = snapshot["extra"]
        self.system.motors.travel[...] = snapshot["motors"]
        self.bodies.t = float(snapshot["t"])
        self.system.motors.set_time(self.bodies.t, self.bodies.t)
        self.end_forces.restore(snapshot)


def take_carried(model: Model, kinematic: NDArray[np.int64], t: float, carried: Array) -> None:
    """Accelerations (n, 6) of kinematic bodies at `t` [s], by differences of their twists."""
    for i in kinematic:
        path = model.trajectories[i]
        assert path is not None
        (v0, spin0), (v1, spin1) = path.twist(t - DELTA), path.twist(t + DELTA)
        carried[i, :3] = (v1 - v0) / (2.0 * DELTA)
        carried[i, 3:] = path.pose(t)[1].T @ ((spin1 - spin0) / (2.0 * DELTA))


def row_angles(system: ConstrainedSystem, coordinates: JointValues) -> Array:
    """(r,) [rad] near which the angles of rows are, given the coordinates of the joints."""
    angle = np.zeros(len(system.ordered))
    for r in range(len(angle)):
        joint, number = int(system.row_joint[r]), max(0, int(system.row_coordinate[r]))
        angle[r] = coordinates.get((joint, number), 0.0)
    return angle
