r"""Velocities and joint forces that belong to the poses at the end of a step.

A step whose joints hold at velocity level where it began, or whose velocity is its displacement
over its time, ends with velocities that differ by O(h) from those that the joints allow at its end.
What is observed are the nearest of these in the mass norm,
    M (u - u_step) = G(q)^T p,   G(q) u + d phi/dt = 0,
with impulses p along the rows. The momenta of two such states differ by
    M u_1 - M u_0 = G^T L + G^T p_1 - G^T p_0 + (loads and contacts),
L being the impulses that the step applied. So (G^T L + G^T p_1 - G^T p_0) / h are the mean forces
of the joints that go with what is observed. Before the first step the forces are those of
the accelerations there.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.law import ContactRecord
from dovetail.integrators.interface import Snapshot
from dovetail.integrators.shared.constrained_state import take_carried
from dovetail.integrators.shared.joint_kernels import (
    accelerate,
    bundle_observed,
    observe_end,
    observe_known,
)
from dovetail.integrators.shared.joint_reactions import JointReactions
from dovetail.integrators.variational.step import bundled
from dovetail.linalg.kkt.records import kkt_workspace
from dovetail.model.frozen import KINEMATIC, Model
from dovetail.model.values import Array
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    DAMPER,
    EFFORT,
    FRICTION,
    JOINT,
    LIMIT,
    MOTOR,
    Parts,
    constraint_workspace,
    violation,
    zero_motion,
)
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int64Array

AT_LIMIT = 1e-6  # of the scene's length, or rad: a limit that is reached
RESTS = 1e-9  # [1/s] of it, or rad/s: a rate at which dry friction holds
STICKS = 3.0  # times the rate of creep: one at which it does in a scheme that lets it creep
MAX_CHANGES = 20
SWEEPS = 1000


class RowForces(NamedTuple):
    """What acts along rows of joints besides `effort`, `stiffness` and `damping` of the rows."""

    spring: Array  # (r,) [N/m or N m/rad] along DAMPER rows
    pull: Array  # (r,) [N or N m]


class ObservedJoints:
    """The joints of one run: `state` is what is observed of its bodies."""

    def __init__(self, model: Model, system: ConstrainedSystem, bodies: BodyState) -> None:
        self._model, self._system, self._bodies = model, system, bodies
        n, r = model.n_bodies, len(system.ordered)
        self._role = system.constants.role.copy()
        width = system.width
        self._now, self._work = zero_motion(n, r, width), constraint_workspace(n, r, width)
        self._parts = bundled(
            Parts(
                system.constants._replace(role=self._role), system.tree, system.loads.compiled,
                system.rows, self._now, zero_motion(n, r, width), self._work,
                kkt_workspace(system.tree, False),
            )
        )  # fmt: skip
        jointed = system.rows.body[system.row_joint >= 0].ravel()
        self._jointed: BoolArray = np.zeros(n, np.bool_)
        self._jointed[jointed[jointed >= 0]] = True
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        self._reactions = JointReactions(model, system)
        joints = len(model.joints)
        self._impulse, self._end = np.zeros((2, joints, 3)), np.zeros((2, joints, 3))
        self._before = np.zeros((2, joints, 3))  # impulses of the last step or part of one
        self._time = 0.0  # [s] of the last step, 0 before the first
        self._freed = False
        self.amount = np.zeros(r)  # along rows, as last solved for at a moment
        self._rubs, self._nowhere = bool((self._role == FRICTION).any()), np.zeros(r, np.bool_)
        self.state = bodies.copy()
        self._coupled = bool(len(system.rows.term_row))
        self.arrays: Any = bundle_observed(
            self._parts, self._jointed, *self._reactions.arrays, self._impulse, self._end,
            self.state.v, self.state.omega,
        )  # fmt: skip

    def begin_step(self) -> None:
        """A step begins where the last one ended."""
        np.negative(self._end, out=self._impulse)
        self._time = 0.0

    def begins(self) -> None:
        """As `begin_step`; a kernel sets `impulse`."""
        self._time = 0.0

    def add(self, amount: Array, G: Array, R: Array, h: float) -> None:
        """Forces `amount` (r,) along rows G at rotations R acted for h [s]."""
        self._reactions.add(h, amount, G, R, self._impulse)
        self._time += h

    def add_impulses(self, amount: Array, G: Array, R: Array) -> None:
        """Impulses `amount` (r,) [N s or N m s] along rows G at rotations R, of impacts."""
        self._reactions.add(1.0, amount, G, R, self._impulse)

    def acted(self, h: float) -> None:
        """A kernel added what acted for h [s] to `arrays`, as `add` does."""
        self._time += h

    def acted_over_two(self, before: Array, share: Array, gain: Array) -> None:
        """What was added to `impulse` since it was `before` acts over two steps.

        As in `contact.ipc.newton.two_step`: M (u_1 - u_0) = c M (u_0 - u_-) + h' (forces), so
        `gain` c (joints,) of what acted in the step before, and a `share` h'/h of this.
        """
        acted = share[:, None] * (self._impulse - before) + gain[:, None] * self._before
        self._impulse[...] = before + acted
        self._before[...] = acted

    @property
    def acted_before(self) -> Array:
        """(2, joints, 3) [N s], [N m s] in the step before, as `acted_over_two` has it."""
        return self._before

    @property
    def impulse(self) -> Array:
        """(2, joints, 3) [N s], [N m s] in this step."""
        return self._impulse

    @property
    def rows(self) -> tuple[Array, Array, Array]:
        """phi and angle (r,), G (r, k, 6) at the state; who knows them writes them here."""
        return self._now.phi, self._now.angle, self._now.G

    def end_step(self, angle: Array, free: BoolArray | None = None, known: bool = False) -> None:
        """The state is that of the bodies now; `angle` (r,) tells whole revolutions.

        Motors that do not reach what they prescribe are `free` (r,). `known`: `rows` are there.
        """
        role, bodies, state = self._role, self._bodies, self.state
        if self._freed or free is not None:
            role[...] = self._system.constants.role
            self._freed = free is not None
            if free is not None:
                role[free] = EFFORT
        state.t, state.x, state.R = bodies.t, bodies.x, bodies.R
        motion = bodies.x, bodies.R, bodies.v, bodies.omega
        if known:
            unsolved = observe_known(self.arrays, *motion)
        else:
            unsolved = observe_end(self.arrays, *motion, angle)
        if unsolved < 0 and self._coupled:
            self._end[...] = 0.0
            amount = self._system.with_couplings(self._work.lam, self._now.phi)
            self._reactions.add(-1.0, amount, self._now.G, bodies.R, self._end)

    def stepped(self, h: float) -> None:
        """A kernel made the step of h [s]: it set `arrays` as `add` and `end_step` do."""
        bodies, state = self._bodies, self.state
        state.t, state.x, state.R = bodies.t, bodies.x, bodies.R
        self._time += h

    def start(self, angle: Array) -> None:
        """No step has led to the state of the bodies."""
        self.end_step(angle)
        self._time = 0.0

    @property
    def has_stepped(self) -> bool:
        return self._time > 0.0

    def mean_wrenches(self) -> tuple[Array, Array]:
        """Force [N] and torque [N m] of each joint, see `Observation`: the mean of the step."""
        found = (self._impulse + self._end) / self._time
        return found[0], found[1]

    def wrenches_of_step(self, more: RowForces) -> tuple[Array, Array]:
        """See `Observation`: the mean of the step, or before the first those of that moment."""
        loads = self._system.loads
        if self.has_stepped:
            found = self.mean_wrenches()
        else:
            force, torque = loads.undamped_wrenches(self.state)
            found = self.wrenches_now(force, torque, more)
        loads.functions.add_joint_wrenches(self.state, *found)
        return found

    def wrenches_now(
        self, force: Array, torque: Array, more: RowForces | None = None
    ) -> tuple[Array, Array]:
        """The same at this moment, under `force` and `torque` (n, 3) on bodies.

        Limits that are reached push but never pull; dry friction holds where it can.
        """
        return self.wrenches_under(force, torque, self._given(more))

    def accelerations_now(
        self, force: Array, torque: Array, more: RowForces | None = None
    ) -> Array | None:
        """(n, 6) [m/s^2], [rad/s^2] under `force` and `torque` (n, 3) on bodies, without contact.

        None where there is no solution. Limits do not act.
        """
        carried, amount = np.zeros((self._model.n_bodies, 6)), self._given(more)
        self._now.active[...] = False
        unsolved = accelerate(self._parts, carried, amount, force, torque)
        return None if unsolved >= 0 else self._work.u

    def wrenches_under(
        self, force: Array, torque: Array, given: Array, limits: bool = True
    ) -> tuple[Array, Array]:
        """The same under forces `given` (r,) along rows; `limits`: they are not among these."""
        system, now, role = self._system, self._now, self._role
        constants, carried = system.constants, np.zeros((self._model.n_bodies, 6))
        take_carried(self._model, self._kinematic, self._bodies.t, carried)
        kept, amount = role.copy(), given.copy()
        size = max(float(constants.length[0]), 1.0)
        reached = (role == LIMIT) & (constants.side * now.phi >= -AT_LIMIT * size)
        now.active[...] = reached if limits else False
        holding = rests = self._nowhere
        if self._rubs:
            sticking = np.maximum(RESTS * size, STICKS * constants.creep)
            rests = (role == FRICTION) & (np.abs(self._rates()) <= sticking)
            amount[rests] = 0.0
            # a coordinate that something else holds is not held by friction, too
            holding = rests & ~self._same_coordinate(now.active | (role == MOTOR))
            role[holding] = MOTOR  # of no acceleration
        pushed = force, torque
        unsolved, either = -1, self._rubs or bool(now.active.any())
        for _ in range(MAX_CHANGES):
            unsolved = accelerate(self._parts, carried, amount, *pushed)
            if unsolved >= 0 or not either:
                break
            solved = -self._work.lam
            pulls = now.active & (constants.side * solved > 0.0)
            slips = holding & (np.abs(solved) > constants.friction)
            if not pulls.any() and not slips.any():
                break
            now.active[pulls] = False
            freed = rests & self._same_coordinate(pulls)
            if slips.any():
                slips = self._let_slip(np.flatnonzero(holding), solved, amount, carried, pushed)
            role[freed], holding = MOTOR, holding | freed
            role[slips], holding = FRICTION, holding & ~slips
        by_solution = (role == JOINT) | (role == MOTOR) | (role == ARMATURE) | now.active
        found = np.where(by_solution, -self._work.lam, amount)
        role[...], now.active[...] = kept, False
        if unsolved >= 0:
            found = np.full(len(found), np.nan)
        self.amount = found
        found = system.with_couplings(found, now.phi)
        return self._reactions.wrenches(found, now.G, self._bodies.R)

    def _let_slip(
        self, rows: Int64Array, held: Array, amount: Array, carried: Array,
        pushed: tuple[Array, Array],
    ) -> BoolArray:  # fmt: skip
        """Those of the resting friction `rows` that slip, their forces into `amount` (r,).

        Forces `held` (r,) would hold all of them. Others, tau, accelerate the rows by
        W (tau - held), W being what the rows answer to each other, and tau in [-f, f] slips at an
        end of that range only against its acceleration: the least (tau - held)^T W (tau - held).
        """
        role, f, G = self._role, self._system.constants.friction[rows], self._now.G[rows]
        body, count = self._system.rows.body[rows], len(rows)
        role[rows] = FRICTION
        answers = []
        for k in range(-1, count):
            amount[rows] = 0.0
            if k >= 0:
                amount[rows[k]] = f[k]
            accelerate(self._parts, carried, amount, *pushed)
            moved = np.where((body >= 0)[:, :, None], self._work.u[body], 0.0)
            answers.append(np.einsum("rsk,rsk->r", G[:, : body.shape[1]], moved))
        W = (np.array(answers[1:]) - answers[0]).T / f
        tau = least_in_range(W, held[rows], f)
        amount[rows] = tau
        role[rows] = MOTOR
        slips: BoolArray = np.zeros(len(role), np.bool_)
        slips[rows] = np.abs(tau) >= f
        return slips

    def _same_coordinate(self, rows: BoolArray) -> BoolArray:
        """(r,) rows along the coordinates that some of `rows` are along."""
        system = self._system
        keys = system.row_joint * (1 + system.row_coordinate.max(initial=0)) + system.row_coordinate
        return np.isin(keys, keys[rows])

    def _rates(self) -> Array:
        """(r,) [m/s or rad/s] of rows at the state."""
        body, G, state = self._system.rows.body, self._now.G, self.state
        return np.array(
            [row_rate(body, G, r, state.v, state.omega) for r in range(len(self._role))], float
        )

    def _given(self, more: RowForces | None) -> Array:
        """(r,) [N or N m] of springs, motors, dampers and sliding friction along their rows."""
        constants, role, phi, rate = (
            self._system.constants,
            self._role,
            self._now.phi,
            self._rates(),
        )
        amount = np.zeros(len(role))
        spring = constants.effort - constants.stiffness * (phi - constants.rest)
        damper = -constants.damping * rate
        if more is not None:
            damper += more.pull - more.spring * phi
        amount = np.where(role == EFFORT, spring, amount)
        amount = np.where(role == DAMPER, damper, amount)
        return np.where(role == FRICTION, -constants.friction * np.sign(rate), amount)

    def velocity_violation(self) -> float:
        """The largest of any joint or motor at velocity level [m/s or rad/s]."""
        return float(violation(self._parts)[1])

    def snapshot(self) -> Snapshot:
        return {
            "impulse": self._impulse.copy(), "time": np.array(self._time),
            "before": self._before.copy(),
        }  # fmt: skip

    def restore(self, snapshot: Snapshot, angle: Array, free: BoolArray | None = None) -> None:
        """Return to `snapshot`; the bodies are there already."""
        self.end_step(angle, free)
        self._impulse[...], self._time = snapshot["impulse"], float(snapshot["time"])
        self._before[...] = snapshot["before"]


def least_in_range(W: Array, held: Array, f: Array) -> Array:
    """Tau in [-f, f] with the least (tau - held)^T W (tau - held), row by row until it settles."""
    tau = np.clip(held, -f, f)
    for _ in range(SWEEPS):
        before = tau.copy()
        for k in np.flatnonzero(np.diag(W) > 0.0):
            tau[k] = np.clip(tau[k] - W[k] @ (tau - held) / W[k, k], -f[k], f[k])
        if (np.abs(tau - before) <= 1e-12 * f).all():
            break
    return tau


def contact_wrenches(contacts: ContactRecord, x: Array) -> tuple[Array, Array]:
    """Force [N] and torque [N m] of all contacts on bodies with centres x (n, 3), likewise."""
    force, torque = np.zeros_like(x), np.zeros_like(x)
    for side, sign in ((0, 1.0), (1, -1.0)):
        body = contacts.bodies[:, side]
        own = body >= 0
        forces = sign * contacts.forces[own]
        np.add.at(force, body[own], forces)
        moments = np.cross(contacts.points[own] - x[body[own]], forces)
        np.add.at(torque, body[own], moments + sign * contacts.torques[own])
    return force, torque
