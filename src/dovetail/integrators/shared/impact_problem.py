"""Impacts at velocity level of the contacts of one pose, for steps with a barrier."""

import math

import numpy as np

from dovetail.collision.narrow_phase.contact_points import ContactPoints
from dovetail.contact.friction_curve import coefficients
from dovetail.contact.impact.generations import reflect
from dovetail.contact.impact.records import BOUNCE, ImpactContacts
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.solver import ContactSolver
from dovetail.contact.ipc.friction.coefficients import FrictionLaws
from dovetail.contact.ipc.report import BODY_A, BODY_B, GAP, NORMAL, POINT
from dovetail.contact.material import restitution_of_pair
from dovetail.model.connected import component_labels
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import DAMPER, EFFORT, MOTOR, push
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int64Array

FREE_DAMPER = 1e100  # [s/kg, ...] the softness of a damper that does nothing


class ImpactProblem:
    """Rows of joints and of the contacts of one pose, with their friction and restitution."""

    def __init__(self, model: Model, restitution: float | None, friction: FrictionLaws) -> None:
        self._model, self._friction = model, friction
        self._restitution = math.nan if restitution is None else restitution
        self.arrays = body_arrays(model)
        self.joints = JointRows(model)
        self.problem = ImpulseProblem(self.arrays, self.joints)
        self.solver = ContactSolver(self.problem)
        self.moves = model.motion == DYNAMIC
        self.mass = model.mass
        self._known: dict[tuple[int, int], float] = {}
        links = [(j.body_a, j.body_b) for j in model.joints]
        links = [pair for pair in links if min(pair) >= 0 and self.moves[list(pair)].all()]
        self._links = np.array(links, np.int64).reshape(-1, 2)
        self.body = np.zeros((0, 2), np.int32)
        self.gap: Array = np.zeros(0)
        self.restitution: Array = np.zeros(0)  # nan where the step decides it
        self._own: Int64Array = np.zeros(0, np.int64)

    def take(
        self, rows: Array, state: BodyState, u: Array, h: float, motor_rates: Array | None
    ) -> None:
        """The contacts `rows` (see `ipc.report`) at the pose; u (n, 6) gives the slip."""
        self.body = np.ascontiguousarray(rows[:, BODY_A : BODY_B + 1], dtype=np.int32)
        self.gap = np.ascontiguousarray(rows[:, GAP])
        point = np.ascontiguousarray(rows[:, POINT : POINT + 3])
        normal = np.ascontiguousarray(rows[:, NORMAL : NORMAL + 3])
        points = ContactPoints(self.body, point, normal, self.gap)
        self.restitution = np.array([self._of(int(a), int(b)) for a, b in self.body])
        self._own = np.where(self.moves[self.body[:, 0]], self.body[:, 0], self.body[:, 1])
        self.joints.at(state.x, state.R)
        self.problem.set_joints(state.R)
        self.problem.set_contacts(state.x, state.R, u, points)
        self.joints.take_rates(state.v, state.omega)
        c, self.problem.softness = self.joints.targets(h)
        motors = self.joints.role == MOTOR
        c[motors] = 0.0 if motor_rates is None else motor_rates[self.joints.which[motors]]
        self.problem.c[: self.problem.n_joint] = c

    def release_dampers(self) -> None:
        """Leave dampers out until `take` is called again."""
        self.problem.softness[self.joints.role == DAMPER] = FREE_DAMPER

    def damper_forces(self, u: Array) -> Array:
        """(rows of joints,) [N or N m] of dampers at velocities u (n, 6); 0 for other rows."""
        rates = self.problem.rates(u)[: self.problem.n_joint]
        damping = self.joints.system.constants.damping[self.joints.which]
        return np.where(self.joints.role == DAMPER, -damping * rates, 0.0)

    def soft_wrenches(self, R: Array, u: Array) -> tuple[Array, Array]:
        """(n, 6) of joint springs and of joint dampers at velocities u (n, 6).

        At the pose of the last `JointRows.at`.
        """
        joints, system = self.joints, self.joints.system
        constants, body = system.constants, system.rows.body
        wrenches = np.zeros((2, 2, len(R), 3))
        for r in np.flatnonzero(system.row_joint >= 0):
            if constants.role[r] == EFFORT and constants.stiffness[r] > 0.0:
                amount = -constants.stiffness[r] * (joints.phi[r] - constants.rest[r])
                push(body, self.moves, R, joints.G, r, amount, *wrenches[0])
            elif constants.role[r] == DAMPER:
                in_body = np.einsum("nji,nj->ni", R, u[:, 3:])
                rate = row_rate(body, joints.G, r, u[:, :3].copy(), in_body)
                push(body, self.moves, R, joints.G, r, -constants.damping[r] * rate, *wrenches[1])
        springs, dampers = (np.concatenate(tuple(part), axis=1) for part in wrenches)
        return springs, dampers

    def rates(self, u: Array) -> Array:
        """(contacts,) [m/s] how fast each contact opens."""
        return np.array(self.problem.rates(u)[self.problem.normals()])

    def slow(self, force: Array, h: float, slowest: float) -> Array:
        """(contacts,) [m/s] rates that loads [N] explain: `slowest` and what two steps add."""
        load_speed = h * np.linalg.norm(force * self.arrays.inverse_mass, axis=1)
        added = load_speed[self.body[:, 0]] + load_speed[self.body[:, 1]]
        return np.asarray(BOUNCE * added + slowest)

    def clusters(self) -> Int64Array:
        """(n,) number of the cluster of touching or jointed moving bodies each body is in."""
        both = self.moves[self.body].all(axis=1)
        links = np.concatenate((self.body[both].astype(np.int64), self._links))
        return component_labels(len(self.moves), links)

    def contacts_in(self, cluster: Int64Array, chosen: Int64Array) -> BoolArray:
        """(contacts,) whether each one is within the chosen clusters."""
        return np.isin(cluster[self._own], chosen)

    def struck(self, cluster: Int64Array, hit: BoolArray) -> Int64Array:
        """The clusters in which contacts `hit` are."""
        return np.unique(cluster[self._own[hit]])

    def reflect(self, u: Array, slow: Array, closing: BoolArray) -> None:
        """Change u (n, 6) by the impacts of contacts `closing`; up to `slow` [m/s] e = 0."""
        gap = np.where(closing, 0.0, np.inf)
        contacts = ImpactContacts(gap, np.zeros(len(gap)), np.nan_to_num(self.restitution), slow)
        reflect(self.solver, u, self.friction(u), contacts)

    def friction(self, u: Array) -> Array:
        """(contacts,) mu at the slip in u (n, 6)."""
        laws, kind = self._friction, self._friction.kind
        if not len(self.body):
            return np.zeros(0)
        numbers = laws.laws[laws.law_of[kind[self.body[:, 0]], kind[self.body[:, 1]]]]
        rates = self.problem.rates(u)
        first = self.problem.n_joint
        slip = np.hypot(rates[first + 1 :: 3], rates[first + 2 :: 3])
        mu, columns = np.zeros(len(slip)), np.ascontiguousarray(numbers.T)
        coefficients(np.ascontiguousarray(slip), *columns, mu)
        return mu

    def _of(self, a: int, b: int) -> float:
        known = self._known.get((a, b))
        if known is None:
            known = float(restitution_of_pair(self._model, self._restitution, a, b))
            self._known[a, b] = known
        return known
