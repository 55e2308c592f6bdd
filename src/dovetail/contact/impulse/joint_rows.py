"""The joints, motors, limits and dampers of a model as rows of the impulse problem."""

from typing import Any

import numpy as np

from dovetail.contact.impulse.gauss_seidel import HOLD, PUSH
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.joints.equations import ANGLE, DOT, SPIN
from dovetail.model.values import Array
from dovetail.multibody.constraints import ConstrainedSystem, refuse_friction
from dovetail.multibody.constraints.bodies import DAMPER, EFFORT, JOINT, LIMIT, MOTOR, push
from dovetail.multibody.constraints.rows import evaluate


class JointPart:
    """Rows G and values phi at a pose, and what each row asks of the velocities."""

    def __init__(self, model: Model) -> None:
        refuse_friction(model, "StewartTrinkle")
        self.system = ConstrainedSystem(model)
        joined, rows = self.system.joined, self.system.rows
        role = joined.role
        of_joint = (self.system.row_joint >= 0) | (role == DAMPER)
        held = of_joint & np.isin(role, (JOINT, MOTOR, LIMIT, DAMPER))
        self.which = np.flatnonzero(held)
        self.role = role[self.which]
        self.mode = np.where(self.role == LIMIT, PUSH, HOLD).astype(np.int8)
        turns = np.isin(rows.kind[self.which], (DOT, ANGLE, SPIN))
        self.unit = np.where(turns, float(joined.length[0]), 1.0)
        self._sign = np.where(role == LIMIT, -joined.side, 1.0)
        self._efforts = np.flatnonzero(role == EFFORT)
        self._moves = model.motion == DYNAMIC
        r = len(role)
        self.G, self.phi = np.zeros((r, 2, 6)), np.zeros(r)
        self.angle = np.zeros(r)

    @property
    def count(self) -> int:
        return len(self.which)

    @property
    def bodies(self) -> Any:
        """(r, 2) of all rows, -1 the ground."""
        return self.system.rows.body

    def at(self, x: Array, R: Array) -> None:
        """Rows at a pose; a limit's row counts its distance, >= 0 where it holds."""
        evaluate(self.system.rows, x, R, self.angle, self.phi, self.angle, self.G)
        self.G *= self._sign[:, None, None]
        self.phi *= self._sign

    def wanted(self, h: float) -> tuple[Array, Array]:
        """c and s of J u + c + s lambda = 0 for a step h [s]."""
        joined, own = self.system.joined, self.which
        follows = (self.role == MOTOR) | (self.role == LIMIT)
        c = np.where(follows, self.phi[own] / h, 0.0)
        damped = self.role == DAMPER
        soft = np.divide(1.0, joined.damping[own] * h, out=np.zeros(len(own)), where=damped)
        return c, soft

    def violations(self) -> Array:
        """(count,) how far each row is off; 0 for limits that hold and for dampers."""
        phi = self.phi[self.which]
        phi = np.where(self.role == LIMIT, np.minimum(phi, 0.0), phi)
        return np.where(self.role == DAMPER, 0.0, phi)

    def add_efforts(self, R: Array, force: Array, torque: Array) -> None:
        """Joint springs and motor efforts, added to the wrenches (n, 3)."""
        joined = self.system.joined
        for r in self._efforts:
            amount = joined.effort[r] - joined.stiffness[r] * (self.phi[r] - joined.rest[r])
            push(self.bodies, self._moves, R, self.G, r, amount, force, torque)

    def spring_energy(self) -> float:
        """Sum of k (phi - rest)^2 / 2 [J] at the pose last taken."""
        joined, r = self.system.joined, self._efforts
        return float(0.5 * joined.stiffness[r] @ (self.phi[r] - joined.rest[r]) ** 2)
