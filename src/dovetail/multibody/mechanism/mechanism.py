"""A scene as a tree of joints with closed loops, ready for dynamics in joint coordinates."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.loops import (
    Accelerations,
    Closure,
    CouplingRow,
    MassFactor,
    closure_biases,
    closure_jacobian,
    closure_residuals,
    constrained_dynamics,
    independent,
    loop_arrays,
)
from dovetail.multibody.loops.records import LoopArrays
from dovetail.multibody.mechanism.actuation import Acting, acting_on
from dovetail.multibody.mechanism.coupled import held_couplings
from dovetail.multibody.mechanism.parts import KEEP_KINEMATIC, Parts, parts_of
from dovetail.multibody.mechanism.placement import Placement, place
from dovetail.multibody.state import BodyState, initial_state
from dovetail.multibody.topology import Topology
from dovetail.multibody.tree import Tree, kinematics, neutral
from dovetail.multibody.tree.bodies import BodyRows, body_motion
from dovetail.runtime.collection import uncollected


@dataclass(frozen=True)
class Equation:
    """One equation of a cut joint."""

    joint: str
    keeps: str
    """What it keeps from happening, such as "tilt about (1, 0, 0)"."""
    residual: float
    """How far it is from closed at the pose asked about [m or rad]."""


class Mechanism:
    """The joints of a model as a spanning tree with loop closures.

    q, v are the coordinates and velocities of `tree`; q = `neutral` is the pose in which every
    tree joint is as the scene places it. Cut joints, the halves of divided bodies and the `fixed`
    motions of bodies are `closures`, m equations in all. Driven velocities (motors that prescribe
    a motion, kinematic bodies) are listed in `driven`.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        with uncollected():
            self._set_up()

    def _set_up(self) -> None:
        model = self.model
        self.parts: Parts = parts_of(model)
        self.placement: Placement = place(self.parts, initial_state(model))
        self.tree: Tree = self.placement.tree
        self.closures: list[Closure] = self.placement.closures
        self.length: float = self.placement.length
        self.couplings: list[CouplingRow] = held_couplings(self.parts, self.tree)
        self.loops: LoopArrays = loop_arrays(self.tree, self.closures, self.length, self.couplings)
        self.acting: Acting = acting_on(self.parts, self.tree)
        self.labels: NDArray[np.int64] = np.array(
            [self._label_of(i) for i in range(model.n_bodies)], dtype=np.int64
        )

    @property
    def topology(self) -> Topology:
        return self.parts.topology

    @property
    def n_q(self) -> int:
        return self.tree.n_q

    @property
    def n_v(self) -> int:
        return self.tree.n_v

    @property
    def n_equations(self) -> int:
        return int(self.loops.kind.size)

    @cached_property
    def kinematic(self) -> list[tuple[int, slice, slice]]:
        """Kinematic bodies of the model, with where their q and v are."""
        found = []
        for number, link in enumerate(self.parts.links, 1):
            body = link.placed.body_b
            if link.weight == KEEP_KINEMATIC:
                found.append((body, self.tree.q_of(number), self.tree.v_of(number)))
        return found

    @cached_property
    def driven(self) -> NDArray[np.int64]:
        """Indices into v of motions that are prescribed: kinematic bodies, then motors."""
        indices = [k for _, _, v in self.kinematic for k in range(v.start, v.stop)]
        indices += [motor.v_index for motor in self.acting.driven]
        return np.array(indices, dtype=np.int64)

    def neutral(self) -> Array:
        """The pose the tree was built in."""
        return neutral(self.tree)

    def q_of(self, joint: str) -> slice:
        """Where a joint of that name has its coordinates in q."""
        return self.tree.q_of(self._number(joint))

    def v_of(self, joint: str) -> slice:
        """Where a joint of that name has its velocities in v."""
        return self.tree.v_of(self._number(joint))

    def _number(self, joint: str) -> int:
        names = [link.name for link in self.parts.links]
        return names.index(joint) + 1

    def _label_of(self, body: int) -> int:
        number = self.parts.number_of(body)
        return self.topology.label_of(number) if number else 0

    # closures

    def residuals(self, q: Any) -> Array:
        """How far each equation is from closed, (m,) [m or rad]."""
        return closure_residuals(self.tree, self.loops, q)

    def jacobian(self, q: Any) -> Array:
        """J (m, n_v): residuals change at the rates J v."""
        return closure_jacobian(self.tree, self.loops, q)

    def biases(self, q: Any, v: Any) -> Array:
        """(dJ/dt) v, (m,)."""
        return closure_biases(self.tree, self.loops, q, v)

    def joint_at(self, coordinate: int) -> str:
        """The joint, for messages, that a velocity of the tree belongs to."""
        start = self.tree.arrays.v_start
        label = int(np.searchsorted(start, coordinate, side="right")) - 1
        number = self.topology.joint_numbers[label - 1]
        return f"joint {quote(self.parts.joint_name(number))}"

    def equation(self, row: int, q: Any = None) -> Equation:
        """The equation in one row of the residuals."""
        e = self.residuals(self.neutral() if q is None else q)
        count = row
        for closure in self.closures:
            if count < len(closure.equations):
                return Equation(closure.name, closure.describe(count), float(e[row]))
            count -= len(closure.equations)
        return Equation(self.couplings[count].name, "its sum off by", float(e[row]))

    def redundant_equations(self, q: Any = None) -> list[Equation]:
        """Equations that follow from the others at this pose, by joint.

        Which ones of a dependent set are named is a choice; their number is not.
        """
        q = self.neutral() if q is None else q
        Y = MassFactor(self.tree, q).reduced(self.jacobian(q))
        needed = set(independent(Y, self.loops.size).tolist())
        return [self.equation(row, q) for row in range(len(Y)) if row not in needed]

    def degrees_of_freedom(self, q: Any = None) -> int:
        """Motions the closures leave at this pose, driven ones included."""
        q = self.neutral() if q is None else q
        if not self.n_equations:
            return self.n_v
        Y = MassFactor(self.tree, q).reduced(self.jacobian(q))
        return self.n_v - len(independent(Y, self.loops.size))

    # dynamics

    def forward_dynamics(
        self, q: Any, v: Any, tau: Any = None, wrench: Any = None
    ) -> Accelerations:
        """Accelerations and closure forces under gravity, efforts tau and wrenches.

        tau (n_v,); wrench (n_bodies, 6): torque and force on each body of the model at its centre
        of mass. Motors, springs and the other actuation are not added here.
        """
        efforts = np.zeros(self.n_v) if tau is None else tau
        rows = self.jacobian(q)
        return constrained_dynamics(
            self.tree, rows, self.loops.size, -self.biases(q, v), q, v, efforts,
            self.model.gravity, self._by_number(wrench),
        )  # fmt: skip

    def _by_number(self, wrench: Any) -> Array | None:
        """Wrenches of bodies as wrenches of numbers; a divided body takes all in its first half."""
        if wrench is None:
            return None
        given = np.asarray(wrench, dtype=np.float64)
        rows = np.zeros((self.tree.n_bodies, 6))
        seen: set[int] = set()
        for number, owner in enumerate(self.parts.owners):
            if owner not in seen:
                rows[number] = given[owner]
                seen.add(owner)
        return rows

    def mobility_of_actuated(self, q: Any) -> Array:
        """Velocity per impulse along each of `acting.coordinates`, closures held."""
        alone = self.constrained_mobility(q)
        rows = [one.gradient(np.asarray(q), self.n_v) for one in self.acting.coordinates]
        sums = [k for k, one in enumerate(self.acting.coordinates) if one.terms]
        found = np.array([alone[one.v_index] for one in self.acting.coordinates])
        if sums:
            mass = MassFactor(self.tree, q)
            Y = mass.reduced(self.jacobian(q))
            Q = np.linalg.qr(Y[independent(Y, self.loops.size)].T)[0]
            G = mass.reduced(np.array([rows[k] for k in sums]))
            left = G - (G @ Q) @ Q.T
            free, held = np.einsum("ki,ki->k", G, G), np.einsum("ki,ki->k", left, left)
            found[sums] = np.where(held > 1e-9 * free, held, free)
        return found

    def constrained_mobility(self, q: Any) -> Array:
        """Velocity per impulse along each coordinate, closures held, (n_v,).

        Diagonal of M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1; a coordinate that the closures lock
        gets the value it has without them.
        """
        mass = MassFactor(self.tree, q)
        inverse = mass.expanded(np.eye(self.n_v))  # L^-1
        alone = np.einsum("ki,ki->k", inverse, inverse)
        Y = mass.reduced(self.jacobian(q))
        chosen = independent(Y, self.loops.size)
        Q = np.linalg.qr(Y[chosen].T)[0]
        left = inverse - (inverse @ Q) @ Q.T
        held = np.einsum("ki,ki->k", left, left)
        mobility: Array = np.where(held > 1e-9 * alone, held, alone)
        return mobility

    # motion

    def fill(self, q: Any, v: Any, state: BodyState) -> BodyState:
        """Write the motion of all bodies that move into `state`."""
        workspace = self.tree.workspace()
        kinematics.positions(self.tree.arrays, self.tree.checked_q(q), workspace)
        kinematics.velocities(self.tree.arrays, self.tree.checked_v(v), workspace)
        rows = BodyRows(state.x, state.R, state.v, state.omega)
        body_motion(self.tree.arrays, workspace, self.tree.body_frames, self.labels, rows)
        return state

    def state(self, q: Any, v: Any, t: float = 0.0) -> BodyState:
        """The motion of all bodies of the model at (q, v)."""
        state = initial_state(self.model)
        state.t = t
        return self.fill(q, v, state)
