"""The stepper of RATTLie where all joints form a tree and nothing but the joints holds it."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError, RunError
from dovetail.integrators.interface import (
    FrameBlock,
    JointValues,
    Observation,
    Snapshot,
    StepReport,
)
from dovetail.integrators.shared.constrained_state import CREEP
from dovetail.integrators.shared.failures import FailedStep
from dovetail.integrators.shared.mechanism_reactions import MechanismReactions
from dovetail.integrators.shared.observed_joints import AT_LIMIT, RESTS, STICKS
from dovetail.integrators.shared.start_checks import report_correction
from dovetail.integrators.variational.tree import frames as tree_frames
from dovetail.integrators.variational.tree import step as tree_step
from dovetail.integrators.variational.tree.failures import failure
from dovetail.integrators.variational.tree.frames import TreeFrames, TreeJoints
from dovetail.integrators.variational.tree.positions import DONE, ROTATES_TOO_FAR, SINGULAR
from dovetail.integrators.variational.tree.prescribed import TreeMotors
from dovetail.integrators.variational.tree.records import (
    FRICTION,
    LIMITS,
    TreeForces,
    bundle_forces,
    bundled,
    tree_forces,
    tree_step_workspace,
)
from dovetail.integrators.variational.tree.rollout import bundle_steered, steered_steps
from dovetail.integrators.variational.tree.steering import steer
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.inputs import BodyInputs, Inputs
from dovetail.multibody.joint_points import point_on_b
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.mechanism.coordinates_at import coordinates_at
from dovetail.multibody.state import BodyState, initial_state

STATE = ("q", "eta", "kicked", "kick", "tau", "differences", "known", "order", "last")
HELD = ("goal", "rate", "active", "lock", "multiplier", "pressed", "rotor")


class TreeStepper:
    """RATTLie in joint coordinates, `gammas` its substeps; see `variational.tree_step`."""

    def __init__(self, model: Model, mechanism: Mechanism, gammas: Array) -> None:
        self._model, self._mechanism, self._gammas = model, mechanism, gammas
        tree = mechanism.tree
        self._work = work = tree_step_workspace(
            mechanism.labels, tree.body_frames, tree.n_q, tree.n_v, len(gammas)
        )
        self._motors = TreeMotors(mechanism, mechanism.length)
        self._held = self._motors.holds
        self._forces = self._efforts_of(tree.n_v)
        self._loads = LoadForces(model)
        loads = self._loads.compiled
        self._inputs = BodyInputs(loads)
        spaces = [tree.workspace(), tree.workspace()]
        self._parts = bundled(tree.arrays, loads, self._forces, self._held, spaces, work)
        given = initial_state(model)
        given.copy_to(work.bodies)
        self.bodies = BodyState(0.0, *work.bodies)
        work.q[...] = mechanism.neutral()
        where = tree_step.begin(self._parts)
        if where >= 0:
            raise InputError(f"{self._mechanism.joint_at(where)} moves nothing that has inertia")
        report_correction(given, self.bodies, mechanism.length)
        for k in np.flatnonzero(self._held.friction):
            one = np.zeros(tree.n_v)
            one[k] = 1.0
            tree_step.respond(self._parts, one)
            self._held.creep[k] = CREEP * self._held.friction[k] * one[k]
        self._joints, self._seen, self._last_h = self._joints_of(), self.bodies.copy(), 0.0
        self._hold_at_rest()
        self._starts = True  # no step was taken yet
        self._times = np.zeros(2)  # [s] of one step

    def _hold_at_rest(self) -> None:
        """Let dry friction at rest hold, or act against the acceleration that it cannot hold."""
        held, work = self._held, self._work
        rests = (held.friction > 0.0) & (np.abs(work.eta) <= RESTS)
        if not rests.any():
            return
        self._held_wrenches(self.bodies, work.q, work.eta)
        found = self._reactions.friction(len(rests))
        if np.isfinite(found).all():
            work.tau[rests] += (held.multiplier - found)[rests]
            held.multiplier[rests] = found[rests]

    def _efforts_of(self, n_v: int) -> Any:
        forces = tree_forces(n_v)
        for row in self._mechanism.acting.coordinates:
            forces.q_index[row.v_index] = row.q_index
            forces.stiffness[row.v_index] = row.actuation.stiffness
            forces.rest[row.v_index] = row.actuation.rest
            forces.damping[row.v_index] = row.actuation.damping
        self._damped = bool(forces.damping.any())
        forces.effort[...] = self._motors.efforts(0.0)
        self._base: TreeForces = forces._replace(
            stiffness=forces.stiffness.copy(), damping=forces.damping.copy(),
            effort=forces.effort.copy(),
        )  # fmt: skip
        self._known_places: Any = None
        self._pull: Array | None = None  # that the table has
        self._table, self._base_bundle = np.zeros((4, 0)), bundle_forces(*self._base)
        numbers = {placed.name: j for j, placed in enumerate(self._model.joints)}
        rows = self._mechanism.acting.coordinates
        self._steered = {(numbers[row.joint], row.number): row.v_index for row in rows}
        return forces

    @property
    def can_step_ahead(self) -> bool:
        return not self._motors

    def steps_ahead(
        self, times: Array, which: NDArray[np.int64]
    ) -> tuple[FrameBlock, int, StepReport, RunError | None]:
        self._start_dampers(times)
        count = int(which.max(initial=-1)) + 1
        tree = self._mechanism.tree
        frames = tree_frames.tree_frames(
            count, self._model.n_bodies, len(self._model.joints), tree.n_q, tree.n_v
        )
        code, where, iterations, residual, done = tree_frames.steps_ahead(
            times, which, self._gammas, self._damped, self._parts, self._joints,
            tree_frames.bundle_frames(*frames),
        )  # fmt: skip
        failure = None
        if code != DONE:
            t, h = float(times[done + 1]), float(times[done + 1] - times[done])
            failure = self._failure(code, int(where), float(residual), h, t)
            count = int(which[:done].max(initial=-1)) + 1
        self.bodies.t = float(times[done])
        zero, made = np.zeros(count), slice(count)
        if self._holds_any:
            self._correct_held(frames, count, times, which)
        block = FrameBlock(
            frames.x[made], frames.R[made], frames.v[made], frames.omega[made],
            frames.force[made], frames.torque[made], frames.stored[made], zero, zero,
            frames.iterations[made], frames.residual[made],
        )  # fmt: skip
        return block, done, StepReport(iterations, residual), failure

    def steered_steps(
        self, times: Array, coordinates: tuple[tuple[int, int], ...], efforts: Array, every: int
    ) -> tuple[tuple[Array, ...], int, RunError | None]:
        """As `steps_ahead` with efforts (steps or 0, k) along coordinates set before each step.

        Returns x, R, v, omega after every so many steps, the steps done and why it stopped.
        """
        self._start_dampers(times)
        where = self._places(coordinates) if len(efforts) else np.zeros(0, np.int64)
        f, n = (len(times) - 1) // every, self._model.n_bodies
        motion = (
            np.zeros((f, n, 3)),
            np.zeros((f, n, 3, 3)),
            np.zeros((f, n, 3)),
            np.zeros((f, n, 3)),
        )
        code, at, residual, done = steered_steps(
            times, self._gammas, self._damped, self._parts,
            bundle_steered(
                self._base_bundle, where, efforts, np.zeros((4, len(where))), self._base.effort,
                self._motors.added, np.array([every], np.int64), *motion,
            ),
        )  # fmt: skip
        failure = None
        if code != DONE:
            t, h = float(times[done + 1]), float(times[done + 1] - times[done])
            failure = self._failure(code, int(at), float(residual), h, t)
        self.bodies.t = float(times[done])
        return tuple(array[: done // every] for array in motion), done, failure

    def _start_dampers(self, times: Array) -> None:
        if self._starts and self._damped and len(self._gammas) == 1:
            tree_step.add_dampers(abs(times[1] - times[0]), self._parts)
        self._starts, self._last_h = False, float(times[-1] - times[-2])

    def step(self, t_next: float) -> StepReport:
        times = self._times
        times[0], times[1] = self.bodies.t, t_next
        if self._starts or self._motors:
            return self.advance(times)
        code, where, iterations, residual, _ = tree_step.advance(
            times, self._gammas, self._motors.nothing, self._damped, self._parts
        )
        self._last_h = t_next - self.bodies.t
        if code != DONE:
            raise self._failure(code, int(where), float(residual), self._last_h, t_next)
        self.bodies.t = t_next
        return StepReport(iterations, residual)

    def advance(self, times: Array) -> StepReport:
        """Steps from the current time, times[0], to each of the others in one go."""
        given = self._motors.given(times, self._gammas)
        self._start_dampers(times)
        code, where, iterations, residual, done = tree_step.advance(
            times, self._gammas, given, self._damped, self._parts
        )
        if code != DONE:
            t, h = float(times[done + 1]), float(times[done + 1] - times[done])
            raise self._failure(code, int(where), float(residual), h, t)
        self._motors.commit()
        self.bodies.t = float(times[-1])
        return StepReport(iterations, residual)

    def _failure(self, code: int, where: int, residual: float, h: float, t: float) -> RunError:
        who, spin = "", 0.0
        if code == SINGULAR:
            who = self._mechanism.joint_at(where)
        if code == ROTATES_TOO_FAR:
            body = int(np.flatnonzero(self._mechanism.labels == where)[0])
            who = f"body {quote(self._model.names[body])}"
            spin = float(np.linalg.norm(self.bodies.omega[body]))
        return failure(FailedStep(who, spin, h, t), code, residual)

    def joint_wrenches(self) -> tuple[Array, Array]:
        """Force [N] on body b and torque [N m] about the joint's point, (joints, 3) each."""
        if self._holds_any and self._is_held(self._work.q, self._work.eta):
            return self._held_wrenches(self.bodies, self._work.q, self._work.eta)
        force, torque = np.zeros((2, len(self._model.joints), 3))
        self._motors.set_accelerations(self.bodies.t)
        tree_frames.wrenches(self._parts, self._joints, force, torque)
        return force, torque

    @property
    def _holds_any(self) -> bool:
        return bool(self._held.some[LIMITS] or self._held.some[FRICTION])

    def _is_held(self, q: Array, eta: Array) -> bool:
        """Whether a limit may be reached, or dry friction hold."""
        held, at = self._held, self._forces.q_index
        place = np.where(at >= 0, q[at], 0.0)
        near = AT_LIMIT * max(self._mechanism.length, 1.0)
        reached = (place >= held.upper - near) | (place <= held.lower + near)
        sticks = (held.friction > 0.0) & (np.abs(eta) <= STICKS * self._last_h * held.creep)
        return bool((reached & (at >= 0)).any() or sticks.any())

    @cached_property
    def _reactions(self) -> MechanismReactions:
        return MechanismReactions(self._mechanism, self._seen)

    def _held_wrenches(self, state: BodyState, q: Array, eta: Array) -> tuple[Array, Array]:
        """As `joint_wrenches`, limits and friction being solved for."""
        forces, held, seen = self._forces, self._held, self._seen
        state.copy_to(seen)
        seen.t = state.t
        at = forces.q_index
        stretch = np.where(at >= 0, q[at] - forces.rest, 0.0)
        tau = forces.effort - forces.damping * eta - forces.stiffness * stretch
        creep = self._last_h * held.creep
        slides = np.abs(eta) > STICKS * creep
        root = np.where(slides, np.hypot(eta, creep), 1.0)
        tau -= np.where(slides, held.friction * eta / root, 0.0)
        self._reactions.set_creep(creep)
        force, torque = self._loads.undamped_wrenches(seen)
        reached = np.ones(len(self._mechanism.driven), np.bool_)
        return self._reactions.wrenches(seen, q, tau, force, torque, reached, True)

    def _correct_held(
        self, frames: TreeFrames, count: int, times: Array, which: NDArray[np.int64]
    ) -> None:
        """Reactions of the frames in which limits or friction hold."""
        for frame in range(count):
            q, eta = frames.q[frame], frames.eta[frame]
            if self._is_held(q, eta):
                t = float(times[1 + int(np.flatnonzero(which == frame)[0])])
                state = BodyState(
                    t, frames.x[frame], frames.R[frame], frames.v[frame], frames.omega[frame]
                )
                frames.force[frame], frames.torque[frame] = self._held_wrenches(state, q, eta)

    def _joints_of(self) -> Any:
        """Where the joints of the model are in the tree."""
        model, mechanism = self._model, self._mechanism
        joints = TreeJoints(
            np.zeros(len(model.joints), np.int64), np.ones(len(model.joints)),
            np.array([placed.body_b for placed in model.joints], np.int64),
            np.array([point_on_b(placed, self.bodies) for placed in model.joints]).reshape(-1, 3),
        )  # fmt: skip
        at = {placed.name: j for j, placed in enumerate(model.joints)}
        for number, link in enumerate(mechanism.parts.links, 1):
            label, j = mechanism.topology.joint_labels[number - 1], at[link.name]
            held = mechanism.parts.owners[mechanism.topology.body_of(label) - 1]
            joints.label[j] = label
            joints.sign[j] = 1.0 if held == link.placed.body_b else -1.0
        return tree_frames.bundle_joints(*joints)

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        work = self._work
        force, torque = self._inputs.set(inputs)
        if not carried and self._inputs.changed:
            for body in np.flatnonzero(force.any(axis=1) | torque.any(axis=1)):
                label = work.label[body]
                if label > 0:
                    work.wrench[label] += [*torque[body], *force[body]]
        if not inputs.coordinates:
            return
        given = self._motors.efforts(inputs.time) if self._motors else self._base.effort
        where = self._places(inputs.coordinates)
        table = self._table
        table[0] = inputs.effort
        if inputs.pull is not self._pull:  # gains are other arrays where one is changed
            self._pull = inputs.pull
            table[1], table[2], table[3] = inputs[4:7]
        self._damped = steer(
            self._parts, self._base_bundle, where, table, given, self._motors.added, carried
        )  # fmt: skip

    def end_at_limits(self, which: dict[tuple[int, int], bool]) -> None:
        """Whether a step that would pass the limits of (joint, coordinate) ends at them."""
        for where, stops in which.items():
            self._held.stops[self._steered[where]] = stops

    def _places(self, coordinates: tuple[tuple[int, int], ...]) -> Any:
        """Where coordinates have their velocities."""
        if self._known_places is None or self._known_places[0] is not coordinates:
            where = np.array([self._steered[one] for one in coordinates], np.int64)
            self._known_places, self._table = (coordinates, where), np.zeros((4, len(where)))
            self._pull = None
        return self._known_places[1]

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        work, spaces = self._work, (self._work.differences, self._work.known, self._work.order)
        q, _ = coordinates_at(self._mechanism, state, coordinates)
        work.q[...] = q
        state.copy_to(work.bodies)
        for array in spaces:
            array[...] = 0
        work.last[...], work.last[-1] = 0.0, 1.0
        self._motors.set_state(state.t)
        tree_step.begin(self._parts)
        self.bodies.t, self._starts = state.t, True
        self._hold_at_rest()

    def observe(self) -> Observation:
        forces, q = self._forces, self._work.q
        held = forces.q_index >= 0
        stretch = q[forces.q_index[held]] - forces.rest[held]
        stored = float(0.5 * self._base.stiffness[held] @ (stretch * stretch))
        stored += float(0.5 * self._mechanism.tree.arrays.armature @ self._work.eta**2)
        wrenches = self.joint_wrenches if self._model.joints else None
        return Observation(stored_energy=stored, joint_wrenches=wrenches)

    def snapshot(self) -> Snapshot:
        kept: Snapshot = {name: getattr(self._work, name).copy() for name in STATE}
        return kept | {
            "t": np.array(self.bodies.t),
            "effort": self._forces.effort.copy(),
            "starts": np.array(self._starts),
            "travel": self._motors.travel.copy(),
            "h": np.array(self._last_h),
            **{name: getattr(self._held, name).copy() for name in HELD},
        }

    def restore(self, snapshot: Snapshot) -> None:
        for name in STATE:
            getattr(self._work, name)[...] = snapshot[name]
        for name in HELD:
            getattr(self._held, name)[...] = snapshot[name]
        self._motors.travel[...] = snapshot["travel"]
        self._last_h = float(snapshot["h"])
        self._forces.effort[...] = snapshot["effort"]
        self._starts = bool(snapshot["starts"])
        self.bodies.t = float(snapshot["t"])
        tree_step.restore(self._parts)
