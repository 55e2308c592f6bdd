"""Impacts at velocity level of the contacts of one pose, for steps with a barrier."""

import math

import numpy as np

from dovetail.collision.narrow_phase.contact_points import ContactPoints
from dovetail.contact.friction_curve import coefficients
from dovetail.contact.impact.generations import MAX_SWEEPS, reflect
from dovetail.contact.impact.records import BOUNCE, ImpactContacts
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ACTIVE, INACTIVE
from dovetail.contact.impulse.solver import ContactSolver
from dovetail.contact.ipc.friction.coefficients import FrictionLaws
from dovetail.contact.ipc.report import BODY_A, BODY_B, GAP, NORMAL, POINT
from dovetail.contact.material import restitution_of_pair
from dovetail.model.connected import component_labels
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import DAMPER, EFFORT, JOINT, LIMIT, MOTOR, push
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int32Array, Int64Array

HELD = 1e-12  # of the rates that joints stop: what may be left
REBOUND_SWEEPS = 500  # for those: what is not found by then is not found by many more
WITHOUT_REBOUND = 1e-6  # of the rates at which contacts open: what may be left of them
ACCEPTED = 1e3  # times that, where the solver ends before
FREE_DAMPER = 1e100  # [s/kg, ...] the softness of a damper that does nothing


class ImpactProblem:
    """Rows of joints and of the contacts of one pose, with their friction and restitution."""

    def __init__(
        self, model: Model, restitution: float | None, friction: FrictionLaws, dmin: float
    ) -> None:
        """Bodies meet at a distance of `dmin` [m]."""
        self._friction, self._dmin = friction, dmin
        self._restitution = PairRestitution(model, restitution)
        self.arrays = body_arrays(model)
        self.joints = JointRows(model, with_friction=True)  # which does not act in impacts
        self.problem = ImpulseProblem(self.arrays, self.joints)
        self.solver = ContactSolver(self.problem)
        self.moves = model.motion == DYNAMIC
        self.mass = model.mass
        links = [(j.body_a, j.body_b) for j in model.joints]
        for row in self.joints.system.ordered:
            links += [(row.bodies[0], i) for i in row.bodies[1:] if row.coupling >= 0]
        links = [pair for pair in links if min(pair) >= 0 and self.moves[list(pair)].all()]
        self._links = np.array(links, np.int64).reshape(-1, 2)
        self.body = np.zeros((0, 2), np.int32)
        self.gap: Array = np.zeros(0)
        self.restitution: Array = np.zeros(0)  # nan where the step decides it
        self._own: Int64Array = np.zeros(0, np.int64)
        self.joint_impulses: Array = np.zeros(self.joints.count)  # [N s, N m s] since `take`

    def take(
        self, rows: Array, state: BodyState, u: Array, h: float, motor_rates: Array | None,
        rotors: bool = True,
    ) -> None:  # fmt: skip
        """The contacts `rows` (see `ipc.report`) at the pose; u (n, 6) gives the slip.

        Rotors resist to leave the rates of `state`, or without `rotors` those known before.
        """
        self.body = np.ascontiguousarray(rows[:, BODY_A : BODY_B + 1], dtype=np.int32)
        self.gap = np.ascontiguousarray(rows[:, GAP])
        point = np.ascontiguousarray(rows[:, POINT : POINT + 3])
        normal = np.ascontiguousarray(rows[:, NORMAL : NORMAL + 3])
        points = ContactPoints(self.body, point, normal, self.gap)
        self.restitution = self._restitution.of(rows)
        self._own = np.where(self.moves[self.body[:, 0]], self.body[:, 0], self.body[:, 1])
        self.joints.at(state.x, state.R)
        self.problem.set_joints(state.R)
        self.problem.set_contacts(state.x, state.R, u, points)
        if rotors:
            self.joints.take_rates(state.v, state.omega)
        c, self.problem.softness = self.joints.targets(h)
        motors = self.joints.role == MOTOR
        c[motors] = 0.0 if motor_rates is None else motor_rates[self.joints.which[motors]]
        self.problem.c[: self.problem.n_joint] = c
        self.joint_impulses = np.zeros(self.joints.count)

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
        for r in np.flatnonzero(system.row_owned):
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
        """As `slow_rates`, of the contacts there are."""
        return slow_rates(self.body, self.arrays.inverse_mass, force, h, slowest)

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

    def hold_joints(self, u: Array) -> None:
        """Change u (n, 6) by the impulses of joints alone, so that it fits them.

        Loads of a step are added without the reactions of joints. What the impact law measures,
        speeds of approach and work, is of bodies that move as their joints let them.
        """
        problem, n_joint = self.problem, self.problem.n_joint
        if not n_joint:
            return
        contacts = len(self.gap)
        off = float(np.abs(problem.rates(u)[:n_joint] + problem.c[:n_joint]).max(initial=0.0))
        idle, none = np.full(contacts, INACTIVE, np.int8), np.zeros(contacts)
        problem.lam[: problem.n_rows] = 0.0
        self.solver.solve(u, none, idle, HELD * off, MAX_SWEEPS, release_dampers=True)
        self.joint_impulses += problem.lam[:n_joint]
        problem.lam[: problem.n_rows] = 0.0

    def without_rebound(self, u: Array, impulses: Array, thrown: BoolArray) -> bool:
        """Replace `impulses` (contacts, 3) [N s] of contacts `thrown`, and change u with them.

        They become those of an impact without restitution under the joints; motors and all other
        contacts go on as they do, and limits stop what would pass them within the step, unless it
        does already. False where no such impulses were found: nothing changes.
        """
        problem, n_joint = self.problem, self.problem.n_joint
        rows, begun = slice(n_joint, problem.n_rows), u.copy()
        along = problem.rows.J[rows, :3].reshape(-1, 3, 3)
        lam = np.einsum("mrk,mk->mr", along, np.where(thrown[:, None], impulses, 0.0))
        rates = problem.rates(u)
        role, limits = self.joints.role, self.joints.role == LIMIT
        until = np.maximum(problem.c[:n_joint][limits], 0.0)  # [m/s or rad/s] until the limit
        problem.c[: problem.n_rows] = 0.0
        problem.c[:n_joint] = np.where(role == JOINT, 0.0, -rates[:n_joint])
        problem.c[:n_joint][limits] = np.maximum(-rates[:n_joint][limits], until)
        fastest = float(np.abs(rates[problem.normals()][thrown]).max(initial=0.0))
        problem.lam[:n_joint], problem.lam[rows] = 0.0, lam.reshape(-1)
        active = np.where(thrown, ACTIVE, INACTIVE).astype(np.int8)
        tolerance = WITHOUT_REBOUND * fastest
        done = self.solver.solve(
            u, self.friction(u), active, tolerance, REBOUND_SWEEPS, release_dampers=True
        )
        found = problem.lam[rows].reshape(-1, 3)
        if not done.residual <= ACCEPTED * tolerance:
            u[...] = begun
            return False
        impulses[thrown] = np.einsum("mrk,mr->mk", along, found)[thrown]
        self.joint_impulses += problem.lam[:n_joint]
        return True

    def along_joints(self, bodies: BoolArray) -> tuple[BoolArray, Array]:
        """(r,) which rows of all joints are those of `bodies` (n,), and their impulses there.

        Impulses [N s, N m s] are along the rows as joints have them (`constraints.rows`).
        """
        joints = self.joints
        mine: BoolArray = np.asarray(np.append(bodies, False)[joints.bodies].any(axis=1))
        impulses = np.zeros(len(mine))
        impulses[joints.which] = joints.sign[joints.which] * self.joint_impulses
        return mine, np.where(mine, impulses, 0.0)

    def stop(self, u: Array, closing: BoolArray) -> Array:
        """As `reflect`, without restitution."""
        none = np.zeros(len(closing))
        return self._reflect(u, ImpactContacts(_gaps(closing), none, none, none))

    def reflect(self, u: Array, slow: Array, closing: BoolArray, pressed: Array) -> Array:
        """Change u (n, 6) by the impacts of contacts `closing`; up to `slow` [m/s] e = 0.

        `pressed` (contacts,) [m/s^2] is by how much loads speed up their approach, see
        `above_surface`.

        Nothing happens where no approach is faster. Returns the impulses (contacts, 3) [N s] on the
        first body of each.
        """
        e, none = np.nan_to_num(self.restitution), np.zeros(len(slow))
        e = above_surface(e, self.rates(u), pressed, self.gap - self._dmin)
        return self._reflect(u, ImpactContacts(_gaps(closing), none, e, slow))

    def _reflect(self, u: Array, contacts: ImpactContacts) -> Array:
        problem = self.problem
        found = reflect(self.solver, u, self.friction(u), contacts)
        if not len(found.impulses):
            return np.zeros((len(contacts.gap), 3))
        rows = slice(problem.n_joint, problem.n_rows)
        self.joint_impulses += found.impulses[: problem.n_joint]
        along = found.impulses[rows, None] * problem.rows.J[rows, :3]
        return np.asarray(along.reshape(-1, 3, 3).sum(axis=1))

    def friction(self, u: Array) -> Array:
        """(contacts,) mu at the slip in u (n, 6)."""
        rates, first = self.problem.rates(u), self.problem.n_joint
        slip = np.hypot(rates[first + 1 :: 3], rates[first + 2 :: 3])
        return friction_at(self._friction, self.body, slip)


def friction_at(laws: FrictionLaws, bodies: Int32Array | Int64Array, slip: Array) -> Array:
    """(contacts,) mu of contacts of `bodies` (contacts, 2) that slip so fast [m/s]."""
    mu = np.zeros(len(bodies))
    if not len(bodies):
        return mu
    numbers = laws.laws[laws.law_of[laws.kind[bodies[:, 0]], laws.kind[bodies[:, 1]]]]
    coefficients(np.ascontiguousarray(slip), *np.ascontiguousarray(numbers.T), mu)
    return mu


class PairRestitution:
    """e of the pairs of bodies of a model; `restitution` is the method's."""

    def __init__(self, model: Model, restitution: float | None) -> None:
        self._model = model
        self._restitution = math.nan if restitution is None else restitution
        self._known: dict[tuple[int, int], float] = {}
        values = [restitution, *(pair.restitution for pair in model.materials)]
        self.elastic = any(e is not None and e > 0.0 for e in values)

    def of(self, rows: Array) -> Array:
        """(contacts,) e of the contacts `rows` (see `ipc.report`); nan where the step decides."""
        if not self._model.materials:
            return np.full(len(rows), self._restitution)
        n = self._model.n_bodies
        number = (n * rows[:, BODY_A] + rows[:, BODY_B]).astype(np.int64)  # of the pair
        pairs, which = np.unique(number, return_inverse=True)
        return np.array([self._of(*divmod(pair, n)) for pair in pairs.tolist()])[which]

    def _of(self, a: int, b: int) -> float:
        known = self._known.get((a, b))
        if known is None:
            known = float(restitution_of_pair(self._model, self._restitution, a, b))
            self._known[a, b] = known
        return known


def slow_rates(
    bodies: Int32Array | Int64Array, inverse_mass: Array, force: Array, h: float, slowest: float
) -> Array:
    """(contacts,) [m/s] rates that loads [N] explain: `slowest` and what two steps add.

    `bodies` (contacts, 2) are those of each contact.
    """
    load_speed = h * np.linalg.norm(force * inverse_mass, axis=1)
    return np.asarray(BOUNCE * load_speed[bodies].sum(axis=1) + slowest)


def above_surface(e: Array, rates: Array, pressed: Array, gap: Array) -> Array:
    """(contacts,) e of bodies that strike where a barrier stops them, at a gap [m].

    Surfaces would meet with v^2 + 2 a d and part with e^2 of that, a the acceleration `pressed` by
    loads; back at the gap d that is e^2 (v^2 + 2 a d) - 2 a d = e_d^2 v^2. So heights after a
    bounce are those of surfaces that meet, whatever d is.
    """
    square = rates * rates
    less = np.divide(2.0 * pressed * gap, square, out=np.zeros_like(e), where=square > 0.0)
    return np.asarray(np.sqrt(np.clip(e * e - (1.0 - e * e) * less, 0.0, 1.0)))


def _gaps(closing: BoolArray) -> Array:
    """(contacts,) 0 where a contact is closed, inf where it is not."""
    return np.asarray(np.where(closing, 0.0, np.inf))
