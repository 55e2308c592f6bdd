"""Motors along joints that follow the state, f(t, q, v), as forces on the bodies they join."""

from math import isfinite

import numpy as np

from dovetail.errors import RunError
from dovetail.model.frozen import DYNAMIC, GROUND, Model
from dovetail.model.joints.actuation import takes_state
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState, initial_state


class StateMotors:
    """All such motors of a model, on coordinates that one angle or distance measures."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._found = [
            (j, i)
            for j, placed in enumerate(model.joints)
            for i, entry in enumerate(placed.joint.actuation)
            if callable(entry.motor) and takes_state(entry.motor)
        ]
        if self._found:
            # upward on purpose: only models with such motors need what measures joints
            from dovetail.multibody.joint_values import JointMeter

            self._meter = JointMeter(model, [])
            rows = self._meter.coordinates
            self._rows = [rows.index(one) for one in self._found if one in rows]
            self._moves = model.motion == DYNAMIC
            start = initial_state(model)
            self._arms = {}
            for j, _ in self._found:
                placed = model.joints[j]
                b, point = placed.body_b, np.asarray(placed.joint.point, dtype=float)
                self._arms[j] = point if b == GROUND else start.R[b].T @ (point - start.x[b])

    def __bool__(self) -> bool:
        return bool(self._found)

    @property
    def angles(self) -> Array:
        """[rad] that count revolutions, a part of the state."""
        return self._meter.angle if self._found else np.zeros(0)

    def add_wrenches(self, state: BodyState, force: Array, torque: Array) -> set[int]:
        """Add their efforts at `state` to force [N] and torque [N m], (n, 3); the bodies."""
        from dovetail.multibody.constraints.bodies import push

        named: set[int] = set()
        arrays = self._meter.arrays
        for _, row, effort in self.efforts(state):
            bodies = arrays.rows.body
            push(bodies, self._moves, state.R, arrays.G, row, effort, force, torque)
            named |= {int(body) for body in bodies[row] if body != GROUND and self._moves[body]}
        return named

    def efforts(self, state: BodyState) -> list[tuple[int, int, float]]:
        """Joint, row of the meter and effort [N or N m] of every motor at `state`."""
        if not self._found:
            return []
        self._meter.look(state)
        found = []
        for row in self._rows:
            j, i = self._meter.coordinates[row]
            found.append((j, row, self._effort(j, i, state.t, row)))
        return found

    def add_joint_wrenches(self, state: BodyState, force: Array, torque: Array) -> None:
        """Add what they do to the second bodies of joints, (joints, 3), about their points."""
        for j, row, effort in self.efforts(state):
            arrays, placed = self._meter.arrays, self._model.joints[j]
            b = placed.body_b
            g = effort * arrays.G[row, int(arrays.rows.body[row, 1] == b)]
            R = np.eye(3) if b == GROUND else state.R[b]
            force[j] += g[:3]
            torque[j] += R @ g[3:] - np.cross(R @ self._arms[j], g[:3])

    def _effort(self, j: int, i: int, t: float, row: int) -> float:
        placed = self._model.joints[j]
        entry = placed.joint.actuation[i]
        try:
            value = float(entry.motor(t, self._meter.value_of(row), self._meter.rate_of(row)))
        except Exception as error:
            raise RunError(
                f"the motor of joint {quote(placed.name)} failed: {type(error).__name__}: {error}",
                t,
            ) from error
        if not isfinite(value):
            raise RunError(
                f"the motor of joint {quote(placed.name)} must give a finite number, got {value}", t
            )
        most = np.inf if entry.effort_limit is None else float(entry.effort_limit)
        return max(-most, min(most, value))
