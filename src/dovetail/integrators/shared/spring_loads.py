"""Spring-dampers of a model inside steps with barriers (`contact.ipc.newton.spring_terms`)."""

import numpy as np

from dovetail.contact.ipc.newton.spring_terms import DRIVEN, FIXED, SpringTerms, spring_terms
from dovetail.integrators.shared.two_steps import TwoSteps
from dovetail.model.frozen import DYNAMIC, GROUND, KINEMATIC, Model
from dovetail.model.values import Array
from dovetail.multibody.loads.wrenches import SHORTEST, CompiledLoads
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import Int32Array


class SpringLoads:
    """Springs and dampers of one model."""

    def __init__(self, model: Model, loads: CompiledLoads, slot: Int32Array) -> None:
        """`slot` (n,) of the bodies with unknowns."""
        self._bodies = bodies = loads.spring_bodies
        self._n, (self._k, self._c, self._rest) = model.n_bodies, loads.spring_values.T
        self._arms = np.ascontiguousarray(loads.spring_arms)
        moves = np.append(model.motion == DYNAMIC, False)[bodies]
        driven = np.append(model.motion == KINEMATIC, False)[bodies]
        own = np.where(moves, np.append(slot, FIXED)[bodies], np.where(driven, DRIVEN, FIXED))
        self.terms: SpringTerms = spring_terms(
            np.ascontiguousarray(bodies), own.astype(np.int32), self._arms, self._rest.copy()
        )

    def __bool__(self) -> bool:
        return len(self._bodies) > 0

    def begin_euler(self, state: BodyState, h: float, two: TwoSteps | None = None) -> Array:
        """Springs as they are at the end of the step; returns the constant (n, 6) of load terms.

        It takes out what loads have of them.
        """
        length, n, arms, _ = self._at(state)
        terms = self.terms
        terms.stiffness[...], terms.damping[...] = h * h * self._k, h * self._c
        terms.reference[...] = length
        if two is not None and two.by.any():
            gain, time = (
                np.append(part, least)[self._bodies]
                for part, least in ((two.gain, 0.0), (two.time, h))
            )
            before = np.linalg.norm(self._ends(*two.before), axis=1)
            terms.damping[...] *= h / time.min(axis=1)
            terms.reference[...] += gain.max(axis=1) * (length - before)
        return -h * h * self._wrench(-self._k * (length - self._rest), n, arms)

    def begin_newmark(self, state: BodyState, h: float) -> Array:
        """Half of the springs at the start and half at the end; returns the constant likewise."""
        length, n, arms, rate = self._at(state)
        terms = self.terms
        terms.stiffness[...], terms.damping[...] = 0.25 * h * h * self._k, 0.5 * h * self._c
        terms.reference[...] = length + 0.5 * h * rate
        pull = -self._k * (length - self._rest) - self._c * rate
        return -0.25 * h * h * self._wrench(pull, n, arms)

    def _at(self, state: BodyState) -> tuple[Array, Array, Array, Array]:
        """Lengths (s,), directions from b to a (s, 3), world arms (s, 2, 3), rates (s,)."""
        ends = self._bodies
        d = self._ends(state.x, state.R)
        R = np.concatenate((state.R, np.eye(3)[None]))[ends]
        zero = np.zeros((1, 3))
        v = np.concatenate((state.v, zero))[ends]
        spin = np.concatenate((state.spin, zero))[ends]
        arms = np.einsum("jeik,jek->jei", R, self._arms)
        speed = v + np.cross(spin, arms)
        length = np.linalg.norm(d, axis=1)
        n = np.divide(d, length[:, None], out=np.zeros_like(d), where=length[:, None] > SHORTEST)
        return length, n, arms, np.sum(n * (speed[:, 0] - speed[:, 1]), axis=1)

    def _ends(self, x: Array, R: Array) -> Array:
        """(s, 3) from b to a at poses (n, 3), (n, 3, 3)."""
        ends = self._bodies
        centres = np.concatenate((x, np.zeros((1, 3))))[ends]
        turned = np.einsum("jeik,jek->jei", np.concatenate((R, np.eye(3)[None]))[ends], self._arms)
        points = centres + turned
        return np.asarray(points[:, 0] - points[:, 1])

    def _wrench(self, push: Array, n: Array, arms: Array) -> Array:
        """(n, 6) of forces `push` (s,) that drive the ends apart."""
        wrench = np.zeros((self._n + 1, 6))  # the last is the ground's
        for side, sign in enumerate((1.0, -1.0)):
            force = sign * push[:, None] * n
            parts = np.concatenate((force, np.cross(arms[:, side], force)), axis=1)
            np.add.at(wrench, self._bodies[:, side], parts)
        return wrench[:GROUND]
