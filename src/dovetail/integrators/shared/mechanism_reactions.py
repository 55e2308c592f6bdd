"""Joint reactions of a mechanism in joint coordinates: forces of the accelerations at its state.

Efforts along coordinates are known there; what the joints hold with follows from the equations of
motion of the bodies (`integrators.shared.accelerations`). An effort tau along coordinates whose
relative twists are the columns of S, and which no single row measures, is a wrench W on the second
body and -W on the first with S^T W = tau; what the joint transmits does not depend on which such
W is taken.
"""

import warnings
from dataclasses import replace

import numpy as np

from dovetail.errors import InputError
from dovetail.integrators.shared.observed_joints import ObservedJoints
from dovetail.model.frozen import GROUND, Model
from dovetail.model.joints import Actuation
from dovetail.model.joints.actuation import Steered
from dovetail.model.joints.equations import SPIN
from dovetail.model.values import Array
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints.bodies import EFFORT, MOTOR
from dovetail.multibody.constraints.joint_rows import coordinate_rows
from dovetail.multibody.constraints.row import Pair
from dovetail.multibody.joint_points import point_on_b
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.state import BodyState, initial_state
from dovetail.runtime.records import BoolArray


class MechanismReactions:
    """The bodies and joints of a mechanism as constraint rows, with its efforts along them."""

    def __init__(self, mechanism: Mechanism, state: BodyState) -> None:
        self._mechanism, model = mechanism, mechanism.model
        self._unmeasured: dict[int, list[int]] = {}  # joint: velocities that no row measures
        self._system: ConstrainedSystem | None = None
        bare = self._with_efforts(model)
        try:
            with warnings.catch_warnings():  # the scheme itself has said how the model starts
                warnings.simplefilter("ignore")
                self._system = system = ConstrainedSystem(bare)
        except InputError:  # a prescribed motion that no row measures
            return
        self._angle = np.zeros(len(system.ordered))
        self._observed = ObservedJoints(bare, system, state)
        self._points = [point_on_b(placed, system.initial) for placed in model.joints]
        role = system.constants.role
        of_joint = (
            np.asarray(system.row_joint) >= 0
        )  # what acts on couplings acts along their joints
        frictions = np.asarray(system.constants.frictions, np.int64)
        self._rows = np.flatnonzero((role == EFFORT) & of_joint)
        self._friction_rows = frictions[of_joint[frictions]]
        self._velocities, self._friction_velocities = (
            np.array([self._v_index(system, int(r)) for r in rows], np.int64)
            for rows in (self._rows, self._friction_rows)
        )
        names = [placed.name for placed in model.joints]
        self._motor_rows = [
            [
                r for r in range(len(system.ordered)) if system.constants.role[r] == MOTOR
                and (names[system.row_joint[r]], system.row_coordinate[r])
                == (motor.along.joint, motor.along.number)
            ]
            for motor in mechanism.acting.driven
        ]  # fmt: skip

    def _v_index(self, system: ConstrainedSystem, row: int) -> int:
        placed = self._mechanism.model.joints[int(system.row_joint[row])]
        coordinate = placed.joint.coordinates[int(system.row_coordinate[row])]
        return int(self._mechanism.v_of(placed.name).start + coordinate.v)

    def _with_efforts(self, model: Model) -> Model:
        """The model with an effort along every coordinate of the tree that a row measures.

        Prescribed motions, rotors, dry friction and limits that hold at the start stay.
        """
        mechanism, start, joints = self._mechanism, initial_state(model), []
        cut = {closure.name for closure in mechanism.closures}
        for j, placed in enumerate(model.joints):
            joint = placed.joint
            rows = coordinate_rows(joint, Pair(start, placed.body_a, placed.body_b))
            entries = [*joint.actuation, *[Actuation()] * (joint.freedoms - len(joint.actuation))]
            for i, (row, entry) in enumerate(zip(rows, entries)):
                locked = entry.lower is not None and entry.lower == entry.upper
                if isinstance(entry.motor, tuple | list):
                    entries[i] = replace(Actuation(), motor=entry.motor, armature=entry.armature)
                elif locked:
                    entries[i] = Actuation(lower=entry.lower, upper=entry.upper)
                elif placed.name in cut:
                    entries[i] = Actuation()
                elif row is None or row.kind == SPIN:
                    entries[i] = Actuation()
                    first = mechanism.v_of(placed.name).start
                    self._unmeasured.setdefault(j, []).append(first + joint.coordinates[i].v)
                else:
                    lower = entry.lower if (entry.lower or 0.0) <= 0.0 else None
                    upper = entry.upper if (entry.upper or 0.0) >= 0.0 else None
                    entries[i] = Actuation(
                        lower=lower, upper=upper, friction=entry.friction, motor=Steered(None),
                        armature=entry.armature,
                    )  # fmt: skip
            joints.append(replace(placed, joint=replace(joint, actuation=tuple(entries))))
        return replace(model, joints=tuple(joints))

    def set_creep(self, rates: Array) -> None:
        """Rates (n_v,) [m/s or rad/s] at which joints that dry friction holds creep."""
        if self._system is not None:
            self._system.constants.creep[self._friction_rows] = rates[self._friction_velocities]

    def friction(self, count: int) -> Array:
        """(n_v,) [N or N m] dry friction that `wrenches` has found, against the rates."""
        found = np.zeros(count)
        if self._system is not None:
            found[self._friction_velocities] = -self._observed.amount[self._friction_rows]
        return found

    def wrenches(
        self, state: BodyState, q: Array, tau: Array, force: Array, torque: Array,
        active: BoolArray, limits: bool,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Force [N] and torque [N m] of each joint, see `Observation`.

        Under efforts tau (n_v,) and wrenches (n, 3) on bodies; `active` (d,) are the driven
        velocities that are reached. `limits`: they are not among the efforts; no more is friction
        at rates below STICKS times the `creep` that was set.
        """
        system = self._system
        if system is None:
            unknown = np.full((2, len(self._mechanism.model.joints), 3), np.nan)
            return unknown[0], unknown[1]
        system.motors.set_time(state.t, state.t)
        free = np.zeros(len(system.ordered), np.bool_)
        first = len(active) - len(self._motor_rows)
        for k, rows in enumerate(self._motor_rows):
            free[rows] = not active[first + k]
        self._observed.end_step(self._angle, free if free.any() else None)
        amount = np.zeros(len(system.ordered))
        amount[self._rows] = tau[self._velocities]
        for motor, rows in zip(self._mechanism.acting.driven, self._motor_rows):
            amount[rows] = np.where(free[rows], tau[motor.v_index], 0.0)
        W = self._unmeasured_wrenches(state, q, tau)
        pushed = force.copy(), torque.copy()
        for j, w in W.items():
            self._push(state, j, w, *pushed)
        found = self._observed.wrenches_under(*pushed, amount, limits)
        for j, w in W.items():
            found[0][j] += w[:3]
            found[1][j] += w[3:]
        return found

    def _unmeasured_wrenches(self, state: BodyState, q: Array, tau: Array) -> dict[int, Array]:
        """By joint, force and torque about its point: efforts that no row measures."""
        found = {}
        for j, columns in self._unmeasured.items():
            if not tau[columns].any():
                continue
            S = np.zeros((6, len(columns)))
            for k, column in enumerate(columns):
                unit = np.zeros(len(tau))
                unit[column] = 1.0
                moved = self._mechanism.state(q, unit)
                S[:, k] = self._twist(moved, state, j, True) - self._twist(moved, state, j, False)
            found[j] = np.asarray(S @ np.linalg.solve(S.T @ S, tau[columns]))
        return found

    def _twist(self, moved: BodyState, state: BodyState, j: int, second: bool) -> Array:
        """(6,) velocity of the joint's point on one of its bodies, and its spin."""
        placed = self._mechanism.model.joints[j]
        body = placed.body_b if second else placed.body_a
        if body == GROUND:
            return np.zeros(6)
        spin = moved.R[body] @ moved.omega[body]
        arm = self._point(state, j) - moved.x[body]
        return np.concatenate((moved.v[body] + np.cross(spin, arm), spin))

    def _point(self, state: BodyState, j: int) -> Array:
        b = self._mechanism.model.joints[j].body_b
        point = self._points[j]
        return point if b == GROUND else np.asarray(state.x[b] + state.R[b] @ point)

    def _push(self, state: BodyState, j: int, w: Array, force: Array, torque: Array) -> None:
        placed, point = self._mechanism.model.joints[j], self._point(state, j)
        for body, sign in ((placed.body_b, 1.0), (placed.body_a, -1.0)):
            if body != GROUND:
                force[body] += sign * w[:3]
                torque[body] += sign * (w[3:] + np.cross(point - state.x[body], w[:3]))
