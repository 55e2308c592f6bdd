"""Who steps by differences over two steps (`contact.ipc.newton.two_step`), and under which loads.

Loads act as they are at the end of the step. What they are there is extrapolated,
    F_1 = F* - K (s - s*) - C (u_1 - u*),   F* = F_0 + r (F_0 - F_-),   r = h/h_-,
s the displacement of the step, u_1 = (s - c d)/h' the velocity at its end, d the displacement of
the step before, s* = r d and u* = u_0 + r (u_0 - u_-); K and C are the positive parts of stiffness
and damping (`load_derivatives`). Springs follow their lengths instead (`spring_loads`).
"""

import numpy as np

from dovetail.contact.ipc.newton.two_step import TwoStep
from dovetail.integrators.interface import Snapshot
from dovetail.integrators.shared.load_derivatives import Derivatives, LoadMatrix
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import BodyState
from dovetail.multibody.topology.spanning_tree import assemble
from dovetail.runtime.records import BoolArray, Int32Array

LARGEST, LEAST = 2.0, 1e-3  # h/h_-: the differences are stable to 1 + sqrt(2)
KEPT = (
    "x",
    "R",
    "v",
    "rate",
    "h",
    "known",
    "led",
    "usual",
    "wait",
    "impulse",
    "carried",
    "time",
    "opening",
)  # of TwoStep, in snapshots


class TwoSteps:
    """The mechanisms of one run."""

    def __init__(
        self, model: Model, two: TwoStep, loads: LoadForces, joints: PotentialJoints | None,
        touch: bool,
    ) -> None:  # fmt: skip
        """Bodies `touch` each other, or do not."""
        self._two = two
        two.mechanism[...] = mechanisms(model, loads, joints)
        if touch:
            free = (model.motion == DYNAMIC) & (two.mechanism < 0) & ~model.fixed.any(axis=1)
            two.alone[...] = free
            two.mechanism[free] = np.flatnonzero(free)
        two.acts[0] = bool((two.mechanism >= 0).any())
        n = model.n_bodies
        self.gain, self.time, self.ratio = np.zeros(n), np.ones(n), np.zeros(n)
        self._wrench, self._u = np.zeros((n, 6)), np.zeros((n, 6))  # at the start of the last step
        self._now = self._wrench, self._u  # of this one

    def __bool__(self) -> bool:
        return bool(self._two.acts[0])

    @property
    def by(self) -> BoolArray:
        """(n,) bodies that make the step so."""
        return np.asarray(self._two.by != 0)

    @property
    def before(self) -> tuple[Array, Array]:
        """Poses (n, 3), (n, 3, 3) at the start of the last step."""
        return self._two.x, self._two.R

    def choose(self, h: float) -> None:
        """Let mechanisms whose last step was smooth make the step of h [s] so."""
        two, last = self._two, float(self._two.h[0])
        two.held[...] = 0
        if not (last > 0.0 and LEAST <= h / last <= LARGEST and two.known.any()):
            two.by[...] = 0
            return
        rough = np.zeros(len(two.mechanism) + 1, np.bool_)
        rough[two.mechanism[two.known == 0]] = True
        rough[-1] = True
        two.by[...] = ~rough[two.mechanism]

    def set_weights(self, h: float) -> None:
        """What loads need of who makes the step so."""
        last = float(self._two.h[0])
        r = h / last if last > 0.0 else 0.0
        self.ratio = np.where(self.by, r, 0.0)
        self.gain = self.ratio**2 / (1.0 + 2.0 * self.ratio)
        self.time = h * (1.0 + self.ratio) / (1.0 + 2.0 * self.ratio)

    def loads(
        self, state: BodyState, h: float, wrench: Array, derivatives: Derivatives | None
    ) -> tuple[Array, LoadMatrix | None]:
        """(n, 6) wrenches and the matrix of the load terms of a step of h [s].

        `wrench` is that at the start without springs. Of bodies that do not step by two it is that
        of implicit Euler.
        """
        two, u = self._two, np.concatenate((state.v, state.spin), axis=1)
        self._now = wrench, u
        ratio, gain = self.ratio[:, None], self.gain[:, None]
        ahead = wrench + ratio * (wrench - self._wrench)
        if derivatives is None:
            return ahead, None
        stiffness, damping = derivatives
        turn = state.R @ two.R.transpose(0, 2, 1)
        skew = 0.5 * (turn - turn.transpose(0, 2, 1))
        moved = np.concatenate((state.x - two.x, so3.vee(skew)), axis=1)
        u_ahead = u + ratio * (u - self._u) + gain / self.time[:, None] * moved
        ahead = ahead + damping.times(u_ahead) + stiffness.times(ratio * moved)
        share = h / self.time
        scaled = LoadMatrix(
            share[:, None, None] * damping.diagonal, damping.pairs,
            share[damping.pairs[:, 0], None, None] * damping.off,
        )  # fmt: skip
        return ahead, stiffness.plus(scaled, h * h, h)

    def commit(self) -> None:
        """The step was made."""
        self._wrench, self._u = self._now

    def forget(self) -> None:
        """The state was set."""
        self._two.h[0] = 0.0
        self._two.known[...] = self._two.led[...] = 0
        self._two.wait[...] = self._two.opening[...] = 0.0
        self._two.usual[...] = 0.0

    def snapshot(self) -> Snapshot:
        if not self:
            return {}
        kept = {name: getattr(self._two, name).copy() for name in KEPT}
        return kept | {"wrench": self._wrench.copy(), "u": self._u.copy()}

    def restore(self, snapshot: Snapshot) -> None:
        for name in KEPT if snapshot else ():
            getattr(self._two, name)[...] = snapshot[name]
        if snapshot:
            self._wrench, self._u = snapshot["wrench"].copy(), snapshot["u"].copy()


def mechanisms(model: Model, loads: LoadForces, joints: PotentialJoints | None) -> Int32Array:
    """(n,) a number of what joints, springs and functions connect, below n; -1 for others."""
    n, moves = model.n_bodies, np.append(model.motion == DYNAMIC, False)
    groups = [list(ends) for ends in loads.compiled.spring_bodies]
    if joints is not None:
        groups += [list(ends) for ends in joints.system.rows.body]
    if loads.functions.by_name:
        groups.append(list(range(n)))
    elif loads.functions or len(loads.compiled.point_body):
        groups += [[i] for i in range(n)]
    connected = [[i for i in group if i >= 0 and moves[i]] for group in groups]
    number = np.full(n, -1, np.int32)
    member = [i for group in connected for i in group]
    if member:
        pairs = [(group[0], i) for group in connected for i in group[1:]]
        rows = np.array(pairs, np.int64).reshape(-1, 2) + 1  # 0 is the ground
        leader = assemble(rows, np.arange(len(rows)), n)[1]
        number[member] = leader[np.array(member) + 1] - 1
    return number
