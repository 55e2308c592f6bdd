"""The impulse problem of one step: the rows of all joints and contacts, and their impulses."""

from typing import Any

import numpy as np

from dovetail.collision.narrow_phase.contact_points import ContactPoints
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.records import (
    BOUNDED,
    RELEASED,
    ConstraintRows,
    ImpulseSystem,
    constraint_rows,
    copy_rows,
)
from dovetail.contact.impulse.rows import apply_impulses, rates
from dovetail.contact.impulse.step_rows import bundle_row_arrays, contact_rows, joint_rows
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays
from dovetail.multibody.constraints.bodies import DAMPER
from dovetail.runtime.records import BoolArray, Int8Array

FIRST_CONTACTS = 64  # that there is space for at the start


class ImpulseProblem:
    """Rows of joints first, then three of every contact.

    `lam` are the impulses and `c` the bias of J u + c, (rows,) with space for more rows behind.
    """

    rows: ConstraintRows
    lam: Array
    c: Array

    def __init__(self, bodies: BodyArrays, joints: JointRows) -> None:
        self.bodies, self._joints = bodies, joints
        self.n_joint, self.n_contacts = joints.count, 0
        n = len(bodies.dynamic)
        self.R: Array = np.zeros((0, 3, 3))
        self._inverse_inertia = np.zeros((n, 3, 3))
        self._allocate(self.n_joint + 3 * FIRST_CONTACTS)
        self.rho: Array = np.zeros(0)
        self.softness: Array = np.zeros(self.n_joint)
        self.bound: Array = np.zeros(self.n_joint)  # of rows of dry friction

    def _allocate(self, rows: int) -> None:
        self.rows = constraint_rows(rows, self._joints.system.width)
        self.lam, self.c, self._rate = np.zeros(rows), np.zeros(rows), np.zeros(rows)
        self._rho = np.zeros(rows // 3)
        joints = self._joints
        self.arrays: Any = bundle_row_arrays(
            self.bodies, self.rows, self._inverse_inertia, joints.bodies, joints.G, joints.which,
            self.lam, self.c, self._rho,
        )  # fmt: skip

    @property
    def n_rows(self) -> int:
        return self.n_joint + 3 * self.n_contacts

    def normals(self) -> slice:
        """Rows of the contacts' normals."""
        return slice(self.n_joint, self.n_rows, 3)

    def set_joints(self, R: Array) -> None:
        """Joint rows from the Jacobian the joints have now."""
        self.R = R
        joint_rows(self.arrays, R)

    def begin_rows(self, R: Array, count: int) -> Any:
        """Space for the joints and `count` contacts at rotations R, for the kernels of a step."""
        self.R, self.n_contacts = R, count
        if self.n_rows > len(self.lam):
            smaller = self.rows
            self._allocate(2 * self.n_rows)
            copy_rows(smaller, self.rows, self.n_joint)
        self.rho = self._rho[:count]
        return self.arrays

    def set_contacts(self, x: Array, R: Array, u: Array, points: ContactPoints) -> None:
        """Contact rows, their first tangents along the slip in u; all impulses become zero."""
        contact_rows(self.begin_rows(R, len(points.gap)), x, R, u, points)

    def keep_rotors(self, rates: Array) -> None:
        """Rotors of joints resist to leave these rates (n_rows,)."""
        self._joints.keep_rotors(self.c, rates)

    def clear_contacts(self) -> None:
        """Leave the joint rows only."""
        self.n_contacts, self.rho = 0, np.zeros(0)

    def rates(self, u: Array) -> Array:
        """J u of all rows, (n_rows,); a view."""
        rates(self.rows.body, self.rows.J, self.n_rows, u, self._rate)
        return self._rate[: self.n_rows]

    def apply(self, impulses: Array, u: Array) -> None:
        """U += M^-1 J^T impulses (n_rows,)."""
        apply_impulses(self.rows.body, self.rows.WJ, self.n_rows, 1.0, impulses, u)

    @property
    def joint_mode(self) -> Int8Array:
        """(n_joint,) BILATERAL or UNILATERAL."""
        return self._joints.mode

    @property
    def joint_unit(self) -> Array:
        """(n_joint,) [m] a length for angles, 1 for distances."""
        return self._joints.unit

    @property
    def moves(self) -> BoolArray:
        """(n + 1,) which bodies impulses can move; the last, number -1, is the ground."""
        return np.append(self.bodies.dynamic, False)

    def system(
        self, mu: Array, active: Int8Array, facets: int, release_dampers: bool = False
    ) -> ImpulseSystem:
        """What a solver must satisfy, with friction mu of the contacts.

        Dampers and dry friction of joints are left out if `release_dampers`.
        """
        mode, softness = self._joints.mode, self.softness
        if release_dampers:
            dry, damped = mode == BOUNDED, self._joints.role == DAMPER
            mode = np.where(damped | dry, RELEASED, mode).astype(np.int8)
            softness = np.where(damped, 0.0, softness)
        return ImpulseSystem(
            self.rows, self.n_joint, self.c, mode, self.bound, softness, self._joints.unit, mu,
            self.rho, active, facets,
        )  # fmt: skip
