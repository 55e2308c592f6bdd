"""Stiffness and damping of loads: how their wrenches change with poses and velocities.

Of forces at points by formula, of the user's functions by differences; spring-dampers are not
linearised (`spring_loads`). Only symmetric positive parts are kept: they make a step unstable that
takes loads as they are at its start; the rest does not need to be implicit. A force F at the arm r
has the stiffness (F.r) 1 - sym(r F^T) against rotations.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import Int64Array

LEAST_CHANGE = 1e-7  # of a body's size: the least change of its pose in a difference
MANY = 24  # bodies that functions act on: beyond, each is taken to be on its own


class LoadMatrix(NamedTuple):
    """A symmetric matrix over the twists of bodies, in blocks (6, 6)."""

    diagonal: Array  # (n, 6, 6)
    pairs: Int64Array  # (k, 2) a < b, ascending
    off: Array  # (k, 6, 6) block (a, b)

    def plus(self, other: "LoadMatrix", share: float, share_of_other: float) -> "LoadMatrix":
        """A sum of both, with weights."""
        total = _Sum(len(self.diagonal))
        for part, weight in ((self, share), (other, share_of_other)):
            total.diagonal += weight * part.diagonal
            if len(part.pairs):
                total.add_off(part.pairs, weight * part.off)
        return total.matrix()

    def times(self, twist: Array) -> Array:
        """The product with twists (n, 6)."""
        product: Array = np.einsum("nij,nj->ni", self.diagonal, twist)
        if not len(self.pairs):
            return product
        a, b = self.pairs[:, 0], self.pairs[:, 1]
        np.add.at(product, a, np.einsum("kij,kj->ki", self.off, twist[b]))
        np.add.at(product, b, np.einsum("kji,kj->ki", self.off, twist[a]))
        return product


class Derivatives(NamedTuple):
    """Of loads at a state, in world twists."""

    stiffness: LoadMatrix  # [N/m, N/rad, N m/rad]
    damping: LoadMatrix  # [N s/m, ...]


class LoadDerivatives:
    """Stiffness and damping of the loads of one model."""

    def __init__(self, model: Model, loads: LoadForces) -> None:
        self._model, self._loads = model, loads
        self._dynamic = model.motion == DYNAMIC
        mass = np.where(self._dynamic, model.mass, 1.0)
        gyration = np.sqrt(np.trace(model.inertia, axis1=1, axis2=2) / (2.0 * mass))
        self._size = np.where(self._dynamic & (gyration > 0.0), gyration, 1.0)
        self._inverse_mass = self._dynamic / mass

    def __bool__(self) -> bool:
        return bool(len(self._loads.compiled.point_body) or self._loads.functions)

    def at(self, state: BodyState, h: float) -> Derivatives:
        """Stiffness and damping at `state`; a step of h [s] is to follow."""
        n = self._model.n_bodies
        stiffness, damping = _Sum(n), _Sum(n)
        if len(self._loads.compiled.point_body):
            self._add_points(state, stiffness)
        functions = self._loads.functions
        functions.add_damping(state, damping.diagonal)
        if functions.by_name:
            self._add_functions(state, h, stiffness, damping)
        return Derivatives(stiffness.matrix(), damping.matrix())

    def _add_points(self, state: BodyState, stiffness: "_Sum") -> None:
        loads = self._loads.compiled
        arms = np.einsum("pij,pj->pi", state.R[loads.point_body], loads.point_arm)
        block = np.zeros((len(arms), 6, 6))
        block[:, 3:, 3:] = _against_rotation(arms, loads.point_force)
        np.add.at(stiffness.diagonal, loads.point_body, block)

    def _function_wrenches(self, state: BodyState) -> tuple[set[int], Array]:
        """The bodies that functions act on, and the wrenches (n, 6) of these."""
        wrench = np.zeros((2, self._model.n_bodies, 3))
        named = self._loads.functions.add_named_wrenches(state, wrench[0], wrench[1])
        return named, np.concatenate((wrench[0], wrench[1]), axis=1)

    def _add_functions(
        self, state: BodyState, h: float, stiffness: "_Sum", damping: "_Sum"
    ) -> None:
        named, here = self._function_wrenches(state)
        bodies = np.array(sorted(i for i in named if self._dynamic[i]), np.int64)
        if not len(bodies):
            return
        groups = [[i] for i in bodies] if len(bodies) > MANY else [list(bodies)]
        together = bodies if len(bodies) > MANY else None
        size = 6 * len(groups[0])
        found = np.zeros((2, len(groups), size, size))
        for column in range(size):
            moved = together if together is not None else groups[0][column // 6 : column // 6 + 1]
            for velocity in (False, True):
                trial, change = self._changed(state, here, h, moved, column % 6, velocity)
                slopes = (self._function_wrenches(trial)[1] - here) / change
                for g, group in enumerate(groups):
                    found[int(velocity), g, :, column] = -slopes[group].ravel()
        for total, matrices in ((stiffness, found[0]), (damping, found[1])):
            for group, matrix in zip(groups, matrices):
                unit = np.repeat(np.stack((np.ones(len(group)), self._size[group]), 1), 3)
                unit = np.outer(unit, unit)  # of a length, for rotations
                total.add_group(group, unit * _positive(matrix / unit))

    def _changed(
        self, state: BodyState, here: Array, h: float, moved: Any, axis: int, velocity: bool
    ) -> tuple[BodyState, float]:
        """A state in which some bodies have another pose or velocity, and by how much.

        As much as they may change in the step, so that a function with jumps has the slope that
        matters there.
        """
        trial, k, size = state.copy(), axis % 3, float(self._size[moved].min())
        shoved = np.abs(here[moved, :3]).max() * float(self._inverse_mass[moved].max())
        speed, least = float(np.abs(state.v[moved]).max()), LEAST_CHANGE * size
        if velocity:
            change = min(max(h * shoved, least / h), max(speed, least / h))
        else:
            change = max(h * min(speed, size / h), least)
        if axis >= 3:
            change /= size
        world = np.zeros(3)
        world[k] = change
        for i in moved:
            if axis < 3:
                (trial.v if velocity else trial.x)[i, k] += change
            elif velocity:
                trial.omega[i] = trial.omega[i] + trial.R[i].T @ world
            else:
                spin = state.R[i] @ state.omega[i]
                trial.R[i] = so3.exp(world) @ state.R[i]
                trial.omega[i] = trial.R[i].T @ spin
        return trial, change


class _Sum:
    """A LoadMatrix in the making."""

    def __init__(self, n: int) -> None:
        self.diagonal = np.zeros((n, 6, 6))
        self._pairs: list[Int64Array] = []
        self._off: list[Array] = []

    def add_off(self, pairs: Int64Array, off: Array) -> None:
        """Blocks (k, 6, 6) off the diagonal, of ascending pairs (k, 2)."""
        self._pairs.append(pairs)
        self._off.append(off)

    def add_group(self, bodies: list[int], matrix: Array) -> None:
        """A matrix (6m, 6m) of m ascending bodies."""
        m = len(bodies)
        blocks = matrix.reshape(m, 6, m, 6).transpose(0, 2, 1, 3)
        for k, i in enumerate(bodies):
            self.diagonal[i] += blocks[k, k]
        first, second = np.triu_indices(m, 1)
        own = np.asarray(bodies)
        self.add_off(np.stack((own[first], own[second]), axis=1), blocks[first, second])

    def matrix(self) -> LoadMatrix:
        if not any(map(len, self._pairs)):
            return LoadMatrix(self.diagonal, np.zeros((0, 2), np.int64), np.zeros((0, 6, 6)))
        pairs, off = np.concatenate(self._pairs), np.concatenate(self._off)
        keys, which = np.unique(pairs[:, 0] * len(self.diagonal) + pairs[:, 1], return_inverse=True)
        total = np.zeros((len(keys), 6, 6))
        np.add.at(total, which, off)
        return LoadMatrix(self.diagonal, np.stack(np.divmod(keys, len(self.diagonal)), 1), total)


def _against_rotation(arms: Array, forces: Array) -> Array:
    """(k, 3, 3) positive parts of (F.r) 1 - sym(r F^T), of forces at arms (k, 3)."""
    outer = np.einsum("ki,kj->kij", arms, forces)
    trace = np.einsum("ki,ki->k", arms, forces)
    return _positive(trace[:, None, None] * np.eye(3) - 0.5 * (outer + outer.transpose(0, 2, 1)))


def _positive(matrix: Array) -> Array:
    """The positive part of the symmetric part of matrices (..., m, m)."""
    symmetric = 0.5 * (matrix + np.swapaxes(matrix, -1, -2))
    values, vectors = np.linalg.eigh(symmetric)
    kept = vectors * np.maximum(values, 0.0)[..., None, :]
    return np.asarray(kept @ np.swapaxes(vectors, -1, -2))
