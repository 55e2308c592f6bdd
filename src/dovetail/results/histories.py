"""One joint, one body of a result over time, as an engineer reads them."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import GROUND, Model
from dovetail.model.joints.motions import BALL, FREE
from dovetail.model.joints.relative_motion import subspace
from dovetail.model.values import Array, quote
from dovetail.multibody.constraints.joint_rows import joint_frame
from dovetail.multibody.joint_values import JointMeter
from dovetail.multibody.state import BodyState, initial_state
from dovetail.results.net_forces import NetWrench, body_wrench

if TYPE_CHECKING:
    from dovetail.results.result import Result


class RecordedJoints:
    """Coordinates of all joints of a result, measured off its frames."""

    def __init__(self, result: "Result") -> None:
        self.model: Model = result.scene.build()
        if any(placed.joint.is_rough for placed in self.model.joints):
            from dovetail.multibody.mechanism import assemble

            self.model = assemble(self.model)
        self.result, self.start = result, initial_state(self.model)

    @cached_property
    def _columns(self) -> tuple[Array, ...]:
        column = self.result.stored.column
        x, R, v, spin = (
            np.array(column(name))
            for name in ("position", "rotation", "velocity", "angular_velocity")
        )
        return x, R, v, np.einsum("fnji,fnj->fni", R, spin)

    @cached_property
    def q_and_v(self) -> tuple[Array, Array, JointMeter]:
        """(frames, n_q), (frames, n_v), and where each joint has its part."""
        meter, time = JointMeter(self.model, []), self.result.time
        values, rates = meter.histories(time, *self._columns)
        q, v = np.zeros((len(time), meter.n_q)), np.zeros((len(time), meter.n_v))
        for row, (j, i) in enumerate(meter.coordinates):
            coordinate, place = self.model.joints[j].joint.coordinates[i], meter.places[j]
            q[:, place.q.start + coordinate.q] = values[:, row]
            v[:, place.v.start + coordinate.v] = rates[:, row]
        balls = [
            place for place in meter.places
            if any(m.code in (BALL, FREE) for m in self.model.joints[place.joint].joint.motions)
        ]  # fmt: skip
        for f in range(len(time)) if balls else ():
            state = BodyState(float(time[f]), *(column[f] for column in self._columns))
            own_q, own_v = meter.values(state)
            for place in balls:
                q[f, place.q], v[f, place.v] = own_q[place.q], own_v[place.v]
        return q, v, meter

    def axes(self, body: int) -> Array:
        """(frames, 3, 3) how a body carries directions of the initial pose."""
        if body == GROUND:
            return np.tile(np.eye(3), (len(self.result.time), 1, 1))
        return np.asarray(self._columns[1][:, body] @ self.start.R[body].T)


class JointHistory:
    """A joint over time; (frames,) for one coordinate, (frames, k) for more. SI units."""

    def __init__(self, joints: RecordedJoints, number: int) -> None:
        self._joints, self._number = joints, number
        self._placed = joints.model.joints[number]
        self.name = self._placed.name

    def __repr__(self) -> str:
        return f"<joint {quote(self.name)} over {len(self._joints.result.time)} frames>"

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if values.shape[1] == 1 else values

    @cached_property
    def position(self) -> Array:
        """Coordinates [rad or m]; 0 at the initial pose, whole revolutions counted."""
        q, _, meter = self._joints.q_and_v
        meter.refuse_unmeasured(self._number)
        return self._shaped(q[:, meter.places[self._number].q])

    @cached_property
    def velocity(self) -> Array:
        """Rates of the coordinates [rad/s or m/s]."""
        _, v, meter = self._joints.q_and_v
        return self._shaped(v[:, meter.places[self._number].v])

    @cached_property
    def reaction(self) -> NetWrench:
        """Force and torque of the joint on its second body, about the joint's point there."""
        result = self._joints.result
        force, torque = result.joint_force(self.name), result.joint_torque(self.name)
        body, point = self._placed.body_b, np.asarray(self._placed.joint.point, dtype=float)
        if body == GROUND:
            return NetWrench(force, torque, np.tile(point, (len(force), 1)))
        start = self._joints.start
        arm = start.R[body].T @ (point - start.x[body])
        R = result.rotation(result.names[body])
        return NetWrench(force, torque, result.position(result.names[body]) + R @ arm)

    @cached_property
    def effort(self) -> Array:
        """[N m or N] that the joint exerts along its coordinates: motor, spring, damper, friction,
        stop; the part of `reaction` that does work.
        """
        joint, reaction = self._placed.joint, self.reaction
        axes = self._joints.axes(self._placed.body_a) @ joint_frame(joint).T
        count = len(reaction.force)
        if joint.freedoms == 0:
            return np.zeros((count, 0))
        q, _, meter = self._joints.q_and_v
        own = q[:, meter.places[self._number].q]
        constant = len(joint.motions) == 1 and joint.motions[0].has_values
        frames = range(1 if constant else count)
        columns = np.array(
            [np.concatenate(subspace(joint.motions, own[f], joint.lead)) for f in frames]
        )  # (frames or 1, n_v, 6) fmt: skip
        w = np.einsum(
            "fij,fvj->fvi", axes, np.broadcast_to(columns, (count, *columns.shape[1:]))[..., :3]
        )
        u = np.einsum(
            "fij,fvj->fvi", axes, np.broadcast_to(columns, (count, *columns.shape[1:]))[..., 3:]
        )
        found = np.einsum("fi,fvi->fv", reaction.torque, w)
        return self._shaped(found + np.einsum("fi,fvi->fv", reaction.force, u))

    @cached_property
    def power(self) -> Array:
        """(frames,) [W] that the joint supplies: effort times velocity."""
        product = self.effort * self.velocity
        return product if product.ndim == 1 else np.asarray(product.sum(axis=1))


class BodyHistory:
    """A body over time, (frames, ...) each, world axes, SI units."""

    def __init__(self, result: "Result", name: str) -> None:
        self._result, self.name = result, name
        result.position(name)  # refuses a name that is not in the result

    def __repr__(self) -> str:
        return f"<body {quote(self.name)} over {len(self._result.time)} frames>"

    @property
    def position(self) -> Array:
        return self._result.position(self.name)

    @property
    def rotation(self) -> Array:
        return self._result.rotation(self.name)

    @property
    def velocity(self) -> Array:
        return self._result.velocity(self.name)

    @property
    def angular_velocity(self) -> Array:
        return self._result.angular_velocity(self.name)

    @cached_property
    def contact_wrench(self) -> NetWrench:
        """Of all contacts on the body, about its centre of mass."""
        return body_wrench(self._result, self.name)

    @property
    def contact_force(self) -> Array:
        return self.contact_wrench.force

    @property
    def contact_torque(self) -> Array:
        return self.contact_wrench.torque

    @cached_property
    def wrench(self) -> NetWrench:
        """Of all contacts and joints on the body, about its centre of mass."""
        force, torque, centre = (np.array(part) for part in self.contact_wrench)
        joints = self._result.recorded_joints
        body = joints.model.index(self.name)
        for j, placed in enumerate(joints.model.joints):
            if body in (placed.body_a, placed.body_b):
                sign = 1.0 if body == placed.body_b else -1.0
                own = JointHistory(joints, j).reaction
                force += sign * own.force
                torque += sign * (own.torque + np.cross(own.point - centre, own.force))
        return NetWrench(force, torque, centre)


def joint_number(names: tuple[str, ...], name: Any, hint: str) -> int:
    """The place of a joint; raises InputError that lists the others."""
    if name in names:
        return names.index(name)
    known = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    raise InputError(
        f"there is no joint {quote(name)} in this result{hint}; it has: {known or 'none'}"
    )
