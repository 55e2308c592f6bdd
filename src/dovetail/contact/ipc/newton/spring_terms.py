"""Spring-dampers between points of bodies, as energies of the poses at the end of the step.

    E = k (l - rest)^2/2 + c (l - reference)^2/2,   l the length at the end,
with k = h^2 (stiffness) and c = h (damping), times a share that the scheme chooses: 1 is implicit
Euler, where the rate is (l - l_0)/h. A pair of bodies is one more block of the Hessian.
"""

from typing import NamedTuple

import numpy as np

from dovetail.collision.distance.derivatives import DS, DW_A, DW_B, PAIR_ROW, add_outer
from dovetail.contact.ipc.friction.potential import add_arc, any_tangent
from dovetail.contact.ipc.newton.system import add_row
from dovetail.linalg.vec3 import ZERO, add, cross, load3, load33, matvec, norm, scale, sub
from dovetail.runtime.jit import jit_in_place, when_called
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array

FIXED, DRIVEN = -1, -2  # slots of bodies that springs do not move
SHORTEST = 1e-150  # [m] below this a spring has no direction


class SpringTerms(NamedTuple):
    """s springs."""

    bodies: Int64Array  # (s, 2) a and b, -1 for the ground
    slot: Int32Array  # (s, 2) of bodies that the spring moves, FIXED or DRIVEN
    arms: FloatArray  # (s, 2, 3) [m] of the points, body axes (ground: world)
    rest: FloatArray  # (s,) [m]
    stiffness: FloatArray  # (s,) [kg]
    damping: FloatArray  # (s,) [kg]
    reference: FloatArray  # (s,) [m] length at which the damper does nothing
    rows: FloatArray  # (s, PAIR_ROW) derivatives, see `distance.derivatives`


def spring_terms(
    bodies: Int64Array, slot: Int32Array, arms: FloatArray, rest: FloatArray
) -> SpringTerms:
    """Springs without strength."""
    s = len(bodies)
    return SpringTerms(
        bodies, slot, arms, rest, np.zeros(s), np.zeros(s), np.zeros(s), np.zeros((s, PAIR_ROW))
    )


def no_springs() -> SpringTerms:
    return spring_terms(
        np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int32), np.zeros((0, 2, 3)), np.zeros(0)
    )


@jit_in_place
def any_springs(springs):
    """Whether there are springs."""
    return springs.bodies.shape[0] > 0


@jit_in_place
def _end(springs, j, end, poses, predicted):
    """(point, offset from the centre of its body) [m]; bodies that are driven are at their goal."""
    arms, i = springs.arms, springs.bodies[j, end]
    arm = (arms[j, end, 0], arms[j, end, 1], arms[j, end, 2])
    if i < 0:
        return arm, ZERO
    if springs.slot[j, end] == DRIVEN:
        arm = matvec(load33(predicted.R, i), arm)
        return add(load3(predicted.x, i), arm), arm
    arm = matvec(load33(poses.R, i), arm)
    return add(load3(poses.x, i), arm), arm


@when_called(0.0)
@jit_in_place
def spring_energy(springs, poses, predicted):
    """E of all springs [kg m^2]."""
    energy = 0.0
    for j in range(springs.bodies.shape[0]):
        at_a, _ = _end(springs, j, 0, poses, predicted)
        at_b, _ = _end(springs, j, 1, poses, predicted)
        length = norm(sub(at_a, at_b))
        stretch, moved = length - springs.rest[j], length - springs.reference[j]
        energy += 0.5 * springs.stiffness[j] * stretch * stretch
        energy += 0.5 * springs.damping[j] * moved * moved
    return energy


@when_called((0.0, 0))
@jit_in_place
def add_spring_terms(springs, poses, predicted, system, n_linked, theta):
    """Add the derivatives; returns (energy, blocks off the diagonal).

    `theta` 1 is the exact Hessian, 0 keeps what is positive in any case.
    """
    energy, rows, slot, k = 0.0, springs.rows, springs.slot, n_linked
    gradient, diagonal, off, linked = system.gradient, system.diagonal, system.off, system.linked
    for j in range(springs.bodies.shape[0]):
        at_a, r_a = _end(springs, j, 0, poses, predicted)
        at_b, r_b = _end(springs, j, 1, poses, predicted)
        d = sub(at_a, at_b)
        length = norm(d)
        stretch, moved = length - springs.rest[j], length - springs.reference[j]
        stiffness, damping = springs.stiffness[j], springs.damping[j]
        energy += 0.5 * stiffness * stretch * stretch + 0.5 * damping * moved * moved
        for c in range(rows.shape[1]):
            rows[j, c] = 0.0
        along, pull = stiffness + damping, stiffness * stretch + damping * moved
        across = 0.0
        if length > SHORTEST:
            n = scale(1.0 / length, d)
            across = pull / length
        else:
            n, pull = (0.0, 0.0, 1.0), 0.0
            if springs.rest[j] == 0.0:
                across = stiffness
        if theta < 1.0:
            across = max(across, 0.0)
        g = scale(pull, n)
        torque_a, torque_b = cross(r_a, g), cross(g, r_b)
        for c in range(3):
            rows[j, DS + c] = g[c]
            rows[j, DW_A + c], rows[j, DW_B + c] = torque_a[c], torque_b[c]
        t = any_tangent(n)
        o = cross(n, t)
        add_outer(rows, j, along, n, cross(r_a, n), cross(n, r_b))
        add_outer(rows, j, across, t, cross(r_a, t), cross(t, r_b))
        add_outer(rows, j, across, o, cross(r_a, o), cross(o, r_b))
        if theta != 0.0:
            add_arc(rows, j, 33, theta, r_a, g)
            add_arc(rows, j, 39, -theta, r_b, g)
        a, b, block = slot[j, 0], slot[j, 1], 0
        if a >= 0 and b >= 0 and a != b:
            block = k
            k += 1
            linked[block, 0], linked[block, 1] = a, b
            for i in range(6):
                for c in range(6):
                    off[block, i, c] = 0.0
        if a == b and a >= 0:
            continue  # a spring within a body does nothing
        add_row(rows, j, a, b, gradient, diagonal, off, block, False)
    return energy, k
