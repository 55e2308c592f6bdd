"""Joints, motors, limits and dampers as rows of a step with compliant contacts."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.newton.solver import NewtonSolver
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.penalty.compliant.workspace import Coupling, coupling, joint_system
from dovetail.integrators.compliant_euler.joint_kernels import (
    ask_joints,
    bundle_workspace,
    close_joints,
)
from dovetail.integrators.interface import JointValues
from dovetail.integrators.shared.constrained_state import row_angles
from dovetail.linalg.block_cholesky.row_pairs import row_pairs
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray

if TYPE_CHECKING:
    from dovetail.integrators.compliant_euler.stepper import CompliantEulerStepper


class CompliantJoints:
    """The rows of all joints; `system` is what the solver takes."""

    def __init__(self, rows: JointRows, bodies: BodyArrays) -> None:
        self._rows = rows
        self.any = rows.count > 0 or len(rows.system.constants.role) > 0
        body = rows.bodies[rows.which]
        self.system = joint_system(body.astype(np.int32), rows.mode.copy(), rows.unit)
        self._pairs = row_pairs(body, rows._moves)
        self._body = body
        if rows.count:
            self._prepare_closing(bodies)

    def _prepare_closing(self, bodies: BodyArrays) -> None:
        """What closes joints: their rows as an impulse problem, and Newton's method for it."""
        rows, k = self._rows, self._rows.count
        n, none, no_modes = len(bodies.dynamic), np.zeros(0), np.zeros(0, np.int8)
        self._workspace: Any = bundle_workspace(
            rows.unit, rows.unheld, np.zeros(k, np.int8), np.zeros(k), np.zeros((n, 6)), none,
            no_modes,
        )  # fmt: skip
        problem = ImpulseProblem(bodies, rows)
        initial = rows.system.initial
        rows.at(initial.x, initial.R)
        problem.set_joints(initial.R)
        problem.clear_contacts()
        self._closing: Any = problem.arrays
        self._newton: Any = NewtonSolver(bodies).prepare(problem.system(none, no_modes, 0), n)

    @property
    def rows(self) -> JointRows:
        return self._rows

    @property
    def n_pairs(self) -> int:
        """Of moving bodies that rows connect."""
        return len(self._pairs.pair)

    @property
    def width(self) -> int:
        """How many bodies a row has room for."""
        return self._rows.system.width

    def coupling(self, contacts: int, pairs: int) -> Coupling:
        """Which pairs rows couple, with capacity for contacts and their pairs."""
        r, row_pairs = self._pairs.of_row.shape
        return coupling(contacts, r, pairs, row_pairs)

    def joined(self, n: int) -> BoolArray:
        """(n,) which bodies rows act on."""
        found = np.zeros(n, np.bool_)
        found[self._body[self._body >= 0]] = True
        return found

    def set_pairs(self, coupled: Coupling) -> None:
        """The pairs of joints are the first ones."""
        coupled.pair[: self.n_pairs] = self._pairs.pair
        coupled.of_row[...] = self._pairs.of_row
        coupled.count[0] = -1

    def at(self, state: BodyState) -> None:
        """Rows at the poses of `state`."""
        self._rows.at(state.x, state.R)

    def set_inputs(self, inputs: Inputs) -> None:
        self._rows.set_inputs(inputs)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        """Rows at a state that was set, near these coordinates of joints."""
        self._rows.angle[...] = row_angles(self._rows.system, coordinates)
        self.at(state)

    def add_efforts(self, R: Array, force: Array, torque: Array) -> None:
        self._rows.add_efforts(R, force, torque)

    def set_targets(self, parts: Any, h: float) -> None:
        """What the rows ask of the velocities of a step of h [s] from the state of `parts`."""
        if self._rows.count:
            ask_joints(parts, self._rows.arrays, h)

    def correct_drift(self, stepper: "CompliantEulerStepper") -> int:
        """Close the joints by displacements that leave velocities as they are; the iterations."""
        rows = self._rows
        if not rows.count:
            return 0
        length = float(rows.system.constants.length[0])
        return int(close_joints(
            stepper.parts, rows.arrays, self._closing, self._workspace, self._newton, length
        ))  # fmt: skip

    def violation(self) -> float:
        """The largest of any row [m or rad]."""
        return float(np.abs(self._rows.violations()).max(initial=0.0))

    def stored_energy(self, state: BodyState) -> float:
        return self._rows.stored_energy(state.v, state.omega)

    def snapshot(self) -> dict[str, Any]:
        return {"angle": self._rows.angle.copy(), "impulse": self.system.multiplier.copy()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        self._rows.angle[...] = snapshot["angle"]
        self.system.multiplier[...] = snapshot["impulse"]
