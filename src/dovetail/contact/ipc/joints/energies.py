"""Energies [kg m^2] (times h^2) of motors, limits, springs and dampers of joints.

MOTOR    l phi + K phi^2/2                       phi = 0 where l has converged
LIMIT    (max(0, l + K s phi)^2 - l^2)/(2 K)     s phi <= 0 likewise
EFFORT   h^2 (k (phi - rest)^2/2 - effort phi)
DAMPER   (h^2/h') D (phi - phi_0)^2/2
ARMATURE (h/h')^2 a (phi - phi_0 - h' phi'_0)^2/2
FRICTION h^2 f (sqrt((phi - phi_0)^2 + e^2) - e), e a small part of what f can stop in a step
phi_0, phi'_0 and h' are those of the start of the step and h, or as `newton.two_step` has them.
"""

import math

from dovetail.contact.ipc.joints.records import UNUSED
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    DAMPER,
    EFFORT,
    FRICTION,
    LIMIT,
    MOTOR,
)
from dovetail.runtime.jit import jit_in_place, jit_within, when_called

PENALTY = 1e4  # K times the mobility of a motor or limit, as for driven bodies and their targets
CREEP = 0.01  # of the motion that friction can stop in a step: what counts as sticking


@jit_within
def row_energy(rows, start, multipliers, r, phi):
    """(energy, first, second derivative) [kg m^2 per powers of phi] of a row that is an energy."""
    role, K, l, h = rows.role[r], multipliers.penalty[r], multipliers.value[r], start.h[0]
    if role == MOTOR:
        return (l + 0.5 * K * phi) * phi, l + K * phi, K
    if role == LIMIT:
        pushed = l + K * rows.side[r] * phi
        if not K > 0.0:
            return 0.0, 0.0, 0.0
        if pushed > 0.0:
            return 0.5 * (pushed * pushed - l * l) / K, rows.side[r] * pushed, K
        return -0.5 * l * l / K, 0.0, 0.0
    if role == DAMPER:
        c, moved = h * rows.damping[r], phi - start.reference[r]
        c *= h / start.time[r]
        return 0.5 * c * moved * moved, c * moved, c
    if role == ARMATURE:
        a, s = rows.armature[r] * (h / start.time[r]) ** 2, start.time[r]
        ahead = phi - start.reference[r] - s * start.speed[r]
        return 0.5 * a * ahead * ahead, a * ahead, a
    if role == FRICTION:
        f, moved = h * h * rows.friction[r], phi - start.reference[r]
        e = CREEP * f * PENALTY / K if K > 0.0 else 0.0
        root = math.sqrt(moved * moved + e * e)
        if not root > 0.0:
            return 0.0, 0.0, 0.0
        return f * (root - e), f * moved / root, f * e * e / (root * root * root)
    if role == EFFORT:
        k, effort, stretch = h * h * rows.stiffness[r], h * h * rows.effort[r], phi
        stretch -= rows.rest[r]
        return 0.5 * k * stretch * stretch - effort * phi, k * stretch - effort, k
    return 0.0, 0.0, 0.0


@when_called(0.0)
@jit_in_place
def joint_energy(joints):
    """Energy [kg m^2] of the pose tried last."""
    rows, start, multipliers, phi = joints.rows, joints.start, joints.multipliers, joints.trial.phi
    energy = 0.0
    for r in range(phi.shape[0]):
        energy += row_energy(rows, start, multipliers, r, phi[r])[0]
    return energy


@when_called(0.0)
@jit_in_place
def rounding_work(joints, x):
    """[kg m^2] work of joint forces along the rounding of phi: no energy is known better."""
    rows, l = joints.rows, joints.multipliers.value
    jointed, role, unit, length = rows.jointed, rows.role, rows.unit, rows.length[0]
    size, work = 0.0, 0.0
    for i in range(x.shape[0]):
        if jointed[i] != 0:
            size = max(size, max(abs(x[i, 0]), max(abs(x[i, 1]), abs(x[i, 2]))))
    for r in range(l.shape[0]):
        if role[r] != UNUSED:
            work += abs(l[r]) * (size + length) / unit[r]
    return 1e-15 * work
