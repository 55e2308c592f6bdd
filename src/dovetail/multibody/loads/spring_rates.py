"""Natural frequency of springs: it limits the step of a scheme that takes their old force."""

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.loads import SpringDamper
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import FREE, HINGED, BodyArrays
from dovetail.multibody.loads.wrenches import CompiledLoads
from dovetail.multibody.state import BodyState

ROUNDS = 60  # of the power iteration, whose estimates only grow


def bound_of_frequency(bodies: BodyArrays, loads: CompiledLoads) -> float:
    """[rad/s] no natural frequency of the springs is higher at any state; 0 without springs.

    That of the trace: w^2 <= sum_j k_j sum_ends (1/m + |arm|^2 / I), with the least m and I.
    """
    if not len(loads.spring_values):
        return 0.0
    turning = np.zeros(len(bodies.turning) + 1)  # the last is the ground's
    free, hinged = bodies.turning == FREE, bodies.turning == HINGED
    turning[:-1][free] = np.sqrt(np.einsum("nij,nij->n", *2 * [bodies.inertia_inverse[free]]))
    turning[:-1][hinged] = 1.0 / bodies.axis_inertia[hinged]
    ease = np.append(bodies.inverse_mass.max(axis=1, initial=0.0), 0.0)
    arms, ends = np.einsum("jek,jek->je", *2 * [loads.spring_arms]), loads.spring_bodies
    each = (ease[ends] + arms * turning[ends]).sum(axis=1)
    return float(np.sqrt(each @ loads.spring_values[:, 0]))


def highest_natural_frequency(
    model: Model, state: BodyState, bodies: BodyArrays, loads: CompiledLoads
) -> tuple[str, float]:
    """The spring that moves most, and the natural frequency [rad/s] of all springs at `state`.

    w^2 is the largest eigenvalue of C G^T M^-1 G C with C = diag(sqrt(k_j)) and the gradients G
    of the lengths, found from below by power iteration; ("", 0) without springs.
    """
    names = [placed.name for placed in model.loads if isinstance(placed.load, SpringDamper)]
    if not names:
        return "", 0.0
    line, arms = _lines(state, loads)
    roots = np.sqrt(loads.spring_values[:, 0])
    turning = _inverse_inertia(state, bodies)
    ends, sign = loads.spring_bodies, np.array([1.0, -1.0])
    moments = np.cross(arms, line[:, None])  # (s, 2, 3)
    ease = np.concatenate([bodies.inverse_mass, np.zeros((1, 3))])  # the last is the ground's
    m = np.random.default_rng(0).normal(size=len(names)) * roots
    square, before = 0.0, np.zeros_like(m)
    for _ in range(ROUNDS):
        size = float(np.linalg.norm(m))
        if size == 0.0:
            break
        m /= size
        if np.array_equal(m, before):  # it has settled to the bit, a single spring at once
            break
        before = m
        push = (roots * m)[:, None, None] * sign[:, None]  # (s, 2, 1) along the line
        force, torque = np.zeros_like(ease), np.zeros_like(ease)
        np.add.at(force, ends, push * line[:, None])
        np.add.at(torque, ends, push * moments)
        v, spin = ease * force, np.einsum("nij,nj->ni", turning, torque)
        rates = np.sum(line[:, None] * v[ends] + moments * spin[ends], axis=2) @ sign
        after = roots * rates
        square = max(square, float(m @ after))
        m = after
    return names[int(np.argmax(np.abs(m)))], float(np.sqrt(square))


def _lines(state: BodyState, loads: CompiledLoads) -> tuple[Array, Array]:
    """Unit vectors from b to a (s, 3), zero where they meet, and world arms (s, 2, 3)."""
    ends = loads.spring_bodies
    R = np.concatenate([state.R, np.eye(3)[None]])
    x = np.concatenate([state.x, np.zeros((1, 3))])
    arms = np.einsum("jeik,jek->jei", R[ends], loads.spring_arms)
    d = x[ends[:, 0]] + arms[:, 0] - x[ends[:, 1]] - arms[:, 1]
    length = np.linalg.norm(d, axis=1, keepdims=True)
    return np.divide(d, length, out=np.zeros_like(d), where=length > 0), arms


def _inverse_inertia(state: BodyState, bodies: BodyArrays) -> Array:
    """(n + 1, 3, 3) world axes, of the motions that are free; zero for the ground at the end."""
    inverse = np.zeros((len(state.x) + 1, 3, 3))
    for i, turning in enumerate(bodies.turning):
        if turning == FREE:
            inverse[i] = state.R[i] @ bodies.inertia_inverse[i] @ state.R[i].T
        elif turning == HINGED:
            inverse[i] = np.outer(bodies.axis[i], bodies.axis[i]) / bodies.axis_inertia[i]
    return inverse
