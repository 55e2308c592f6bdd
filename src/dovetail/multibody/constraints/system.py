"""A model's bodies, joints and dampers as the arrays of the constrained steps."""

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import DYNAMIC, GROUND, Model
from dovetail.model.joints.equations import COUPLING, GAP, HELIX, STRETCH
from dovetail.model.values import Array, Mistakes, quote
from dovetail.multibody.body_arrays import HELD, HINGED
from dovetail.multibody.constraints.actuation_rows import actuation_rows
from dovetail.multibody.constraints.bodies import DAMPER, FRICTION, JOINT, ConstrainedBodies
from dovetail.multibody.constraints.coupling_rows import coupling_rows
from dovetail.multibody.constraints.elimination import eliminate
from dovetail.multibody.constraints.implied_rows import JointGroups
from dovetail.multibody.constraints.joint_rows import constraint_rows, coordinate_rows
from dovetail.multibody.constraints.motors import Motors, settling_time
from dovetail.multibody.constraints.row import Pair, Row
from dovetail.multibody.constraints.stacked import stacked_rows, turning_rows
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import BodyState, initial_state

ROUND_OFF = 1e-14  # of the coordinates: what differences of them cannot tell from 0


class ConstrainedSystem:
    """Everything about a model that does not change from step to step, but motors in time."""

    def __init__(self, model: Model, coupled: bool = False, state_motors: bool = False) -> None:
        """`coupled`: rows for springs too, and blocks between bodies in the linear systems.

        `state_motors`: whether `loads.functions` have the motors that follow the state.
        """
        self.model, self._coupled, self._state_motors = model, coupled, state_motors
        self.loads = LoadForces(model, state_motors)
        self._start = initial_state(model)
        self._bodies = body_arrays(model)
        moves = model.motion == DYNAMIC
        motions = JointGroups(model, self._start)
        self.ordered, self.tree = eliminate(self._all_rows(), moves, coupled, motions)
        self.rows = stacked_rows(self.ordered)
        self.constants = self._constants()
        settling = settling_time(float(self.constants.length[0]), model.gravity)
        self.motors = Motors(self.ordered, self.rows, self.constants, settling)
        self.row_joint = np.array([row.joint for row in self.ordered], np.int64)
        of_coupling = np.array([row.coupling >= 0 for row in self.ordered], np.bool_)
        self.row_owned = (self.row_joint >= 0) | of_coupling  # of a joint or a coupling
        self.unit = np.where(turning_rows(self.ordered), float(self.constants.length[0]), 1.0)
        self.row_coordinate = np.array([row.coordinate for row in self.ordered], np.int64)

    @property
    def initial(self) -> BodyState:
        """A fresh copy of the initial state."""
        return self._start.copy()

    def _all_rows(self) -> list[Row]:
        rows: list[Row] = []
        found = Mistakes()
        for number, placed in enumerate(self.model.joints):
            pair = Pair(self._start, placed.body_a, placed.body_b)
            own = constraint_rows(placed.joint, pair)
            coordinates = coordinate_rows(placed.joint, pair)
            try:
                own += actuation_rows(placed.joint, coordinates, placed.name, self._state_motors)
            except InputError as error:
                found.extend(error.mistakes)
            for row in own:
                row.joint, row.owner = number, f"joint {quote(placed.name)}"
            rows += own
        found.take(lambda: rows.extend(coupling_rows(self.model, self._start)))
        if found:
            raise InputError(found)
        return rows + self._held_directions() + self._dampers()

    def _held_directions(self) -> list[Row]:
        """Rows for the `fixed` flags of bodies."""
        rows: list[Row] = []
        model = self.model
        for i in np.flatnonzero((model.motion == DYNAMIC) & model.fixed.any(axis=1)):
            pair, world = Pair(self._start, GROUND, int(i)), np.eye(3)
            rows += [pair.gap_row(world[k], self._start.x[i]) for k in range(3)
                     if model.fixed[i, k]]  # fmt: skip
            turning = self._bodies.turning[i]
            if turning == HELD:
                rows += [pair.dot_row(world[a], world[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
            elif turning == HINGED:
                z = int(np.flatnonzero(~model.fixed[i, 3:])[0])
                rows += [pair.dot_row(world[k], world[z]) for k in range(3) if k != z]
        return rows

    def _dampers(self) -> list[Row]:
        compiled = self.loads.compiled
        rows = []
        for j, (a, b) in enumerate(compiled.spring_bodies):
            stiffness, damping, rest = compiled.spring_values[j].tolist()
            if damping > 0.0 or self._coupled:
                arms = compiled.spring_arms[j]
                rows.append(
                    Row(STRETCH, (int(a), int(b)), e=arms[0], g=arms[1], role=DAMPER,
                        damping=damping, stiffness=stiffness, rest=rest)
                )  # fmt: skip
        return rows

    def _size(self) -> float:
        """[m] of what joints connect: largest arm, radius of gyration or distance of two centres.

        Arms alone will not do: joints through centres of mass have none but round-off, and
        corrections measured against that never settle. 1 m for points on one spot.
        """
        model = self.model
        held = [row for row in self.ordered if row.kind not in (STRETCH, COUPLING)]
        arms = [np.linalg.norm(row.g) for row in held if row.kind in (GAP, HELIX)]
        pairs = np.array([row.bodies for row in held], np.int64).reshape(-1, 2)
        moving = np.unique(pairs[pairs != GROUND])
        moving = moving[model.motion[moving] == DYNAMIC]
        twice_square = np.trace(model.inertia[moving], axis1=1, axis2=2) / model.mass[moving]
        a, b = pairs[(pairs != GROUND).all(axis=1)].T
        apart = np.linalg.norm(model.position[a] - model.position[b], axis=1)
        size = max(
            np.max(lengths, initial=0.0) for lengths in (arms, (twice_square / 2) ** 0.5, apart)
        )
        return float(size) if size > ROUND_OFF * np.abs(model.position).max(initial=0.0) else 1.0

    def _constants(self) -> ConstrainedBodies:
        model, bodies = self.model, self._bodies
        length = self._size()
        inertia = np.array(model.inertia)
        for i in np.flatnonzero(model.motion == DYNAMIC):
            if bodies.turning[i] == HELD:  # rows hold it, so any inertia will do
                inertia[i] = model.mass[i] * length**2 * np.eye(3)
            elif bodies.turning[i] == HINGED:
                axis = model.rotation[i].T @ bodies.axis[i]
                inertia[i] = bodies.axis_inertia[i] * np.eye(3)
                assert np.isclose(np.linalg.norm(axis), 1.0)

        def column(name: str) -> Array:
            return np.array([getattr(row, name) for row in self.ordered], dtype=np.float64)

        r = len(self.ordered)
        return ConstrainedBodies(
            mass=np.array(model.mass),
            inertia=inertia,
            length=np.array([float(length)]),
            role=np.array([row.role for row in self.ordered], np.int64).reshape(r),
            side=column("side"),
            damping=column("damping"),
            stiffness=column("stiffness"),
            rest=column("rest"),
            effort=column("effort"),
            rate=np.zeros(r),
            rate2=np.zeros(r),
            friction=column("friction"),
            creep=np.zeros(r),
            frictions=np.array(
                [k for k, row in enumerate(self.ordered) if row.role == FRICTION], np.int64
            ),
            armature=column("armature"),
        )

    def with_couplings(self, amount: Array, phi: Array) -> Array:
        """Forces (r,) along rows where those of couplings also act along their coordinates.

        A force f along s(q) is f ds/dq along q; phi (r,) are the values of the rows.
        """
        rows = self.rows
        if not len(rows.term_row):
            return amount
        if rows.term_factor.shape[1] == 1:
            slope = rows.term_factor[:, 0]
        else:
            powers = np.arange(1, rows.term_factor.shape[1] + 1)
            value = phi[rows.term_row, None]
            slope = (powers * rows.term_factor * value ** (powers - 1)).sum(axis=1)
        owner = np.repeat(np.arange(len(amount)), np.diff(rows.term_start))
        spread = amount.copy()
        np.add.at(spread, rows.term_row, slope * amount[owner])
        return spread

    @property
    def width(self) -> int:
        """How many bodies a row has room for."""
        return int(self.rows.body.shape[1])

    @property
    def n_constraints(self) -> int:
        """How many rows joints hold."""
        return int((self.constants.role == JOINT).sum())
