"""Joints, motors, limits, springs and dampers of joints inside the intersection-free solve.

Rows phi of `constraints.rows` in world twists of the bodies. Those that hold a joint are equations:
Newton's direction d solves
    [ H  G^T ] [ d ]   [ -g   ]
    [ G   0  ] [ l ] = [ -phi ]
by the method of multipliers with the one factor of H + G^T W G (so loops and rows implied by others
need nothing special), and every pose tried is brought back onto phi = 0 by the same factor before
its energy counts: iterates satisfy the joints to rounding, the energy alone decides, and what the
CCD tests is the way to the pose that is taken. All other rows are energies [kg m^2] (times h^2):
    MOTOR    l phi + K phi^2/2                       phi = 0 where l has settled (multipliers)
    LIMIT    (max(0, l + K s phi)^2 - l^2)/(2 K)     s phi <= 0 likewise
    EFFORT   h^2 (k (phi - rest)^2/2 - effort phi)
    DAMPER   h D (phi - phi_0)^2/2
A motor that bodies in the way stop does not settle: it is told, and pushes on as hard as K.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.ipc.joints.curvature import add_curvature
from dovetail.contact.ipc.poses import move
from dovetail.linalg.block_cholesky.factor import solve
from dovetail.linalg.vec3 import load33, matvec
from dovetail.multibody.constraints.bodies import DAMPER, EFFORT, JOINT, LIMIT, MOTOR
from dovetail.multibody.constraints.rows import bundle_rows, evaluate, no_rows
from dovetail.runtime.jit import jit
from dovetail.runtime.records import bundler

UNUSED = -1  # role of a row that the step takes into account otherwise
STIFF = 1e6  # W times the mobility of a row
HELD = 1e4  # K times the mobility of a motor or limit, as hard as driven bodies are held
HELD_WITHIN = 1e-14  # of the scene's length: equations, where rounding allows it,
ROUNDED = 1e4  # and so many times that where it does not
SETTLED = 1e-10  # of the scene's length: motors and limits
MOST_RETURNS = 25  # corrections that bring a pose back to the joints
MOST_UPDATES = 50  # of multipliers in a solve
GAINED = 0.9  # of what is left, at most, in an update that makes progress
MOST_IN_VAIN = 3  # updates one after the other without
ROUNDING = 1e-12  # of the parts of a slope
LARGEST_TURN = 0.5  # [rad] of a jointed body in one iteration
STEP, STEP_BEFORE, LENGTH, BLOCKED, UPDATES, LEFT, IN_VAIN = range(7)


class IpcJoints(NamedTuple):
    """Rows of joints among n bodies, m of them with unknowns."""

    rows: Any  # bundle of `constraints.rows.Rows`
    role: Any  # (r,) int64
    side: Any  # (r,)
    damping: Any  # (r,) [N s/m or N m s/rad]
    stiffness: Any  # (r,) [N/m or N m/rad]
    rest: Any  # (r,) [m or rad]
    effort: Any  # (r,) [N or N m]
    unit: Any  # (r,) [m/m or m/rad] what makes phi a length
    pairs: Any  # (p, 2) int32 slots of two bodies that a joint connects, each pair once
    pair_of: Any  # (r,) int32 pair of a row, -1 where one of its bodies has no unknowns
    swapped: Any  # (r,) uint8, 1 where the row's second body is the first of its pair
    jointed: Any  # (n,) uint8
    values: Any  # (7,) h, h of the step before [s], length [m], blocked, updates, what is left,
    # updates in vain
    G: Any  # (r, 2, 6) at the iterate, world twists, zero for what cannot move
    phi: Any  # (r,)
    angle: Any  # (r,) [rad]
    G_try: Any  # of the pose that is tried
    phi_try: Any
    angle_try: Any
    phi_0: Any  # (r,) at the start of the step
    angle_0: Any  # (r,)
    multiplier: Any  # (r,) l: h^2 times forces
    multiplier_0: Any  # (r,) of the step before
    weight: Any  # (r,) W or K
    square: Any  # (12, 12)
    way: Any  # (n, 6) twists from the iterate to the pose tried


bundle_joints = bundler(IpcJoints)


def no_joints(n) -> IpcJoints:
    """No joints among n bodies, of the types every call has."""
    r, G = [np.zeros(0) for _ in range(16)], np.zeros((0, 2, 6))
    return IpcJoints(
        bundle_rows(*no_rows()), np.zeros(0, np.int64), r[0], r[1], r[2], r[3], r[4], r[5],
        np.zeros((0, 2), np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8),
        np.zeros(n, np.uint8), np.zeros(7), G, r[6], r[7], G, r[8], r[9], r[10], r[11], r[12],
        r[13], r[14], np.zeros((12, 12)), np.zeros((n, 6)),
    )  # fmt: skip


@jit
def rows_at(joints, bodies, x, R, near, phi, angle, G):
    """Values and Jacobians in world twists at a pose; angles near those given."""
    evaluate(joints.rows, x, R, near, phi, angle, G)
    slot, free, of = bodies.slot, bodies.free, joints.rows.body
    for r in range(phi.shape[0]):
        for side in range(2):
            i = of[r, side]
            if i < 0 or slot[i] < 0:
                for k in range(6):
                    G[r, side, k] = 0.0
                continue
            w = matvec(load33(R, i), (G[r, side, 3], G[r, side, 4], G[r, side, 5]))
            for k in range(3):
                G[r, side, 3 + k] = w[k]
            for k in range(6):
                if free[i, k] == 0:
                    G[r, side, k] = 0.0


@jit
def begin_joints(joints, bodies, x, R, h):
    """Start a step: multipliers of the one before, stiffness of motors and limits."""
    values = joints.values
    part = 1.0
    if values[STEP_BEFORE] > 0.0:
        part = (h / values[STEP_BEFORE]) ** 2
    values[STEP], values[BLOCKED] = h, 0.0
    rows_at(joints, bodies, x, R, joints.angle_0, joints.phi, joints.angle, joints.G)
    mass, J, of, G = bodies.mass, bodies.J, joints.rows.body, joints.G
    for r in range(joints.phi.shape[0]):
        joints.multiplier[r] = part * joints.multiplier_0[r]
        joints.phi_0[r] = joints.phi_try[r] = joints.phi[r]
        mobility = 0.0
        for side in range(2):
            i = of[r, side]
            if i < 0 or bodies.slot[i] < 0:
                continue
            spread = J[i, 0, 0] + J[i, 1, 1] + J[i, 2, 2]
            for k in range(6):
                inertia = mass[i] if k < 3 else 2.0 / 3.0 * spread
                mobility += G[r, side, k] * G[r, side, k] / inertia
        joints.weight[r] = HELD / mobility if mobility > 0.0 else 0.0


@jit
def end_joints(joints, bodies, x, R):
    """The step is done and led to the poses x, R."""
    rows_at(joints, bodies, x, R, joints.angle, joints.phi, joints.angle, joints.G)
    joints.values[STEP_BEFORE] = joints.values[STEP]
    for r in range(joints.phi.shape[0]):
        joints.multiplier_0[r], joints.angle_0[r] = joints.multiplier[r], joints.angle[r]
        if joints.values[BLOCKED] != 0.0 and joints.role[r] == MOTOR:
            joints.multiplier_0[r] = 0.0


@jit
def soft_terms(joints, r, phi):
    """(energy, slope, bend) [kg m^2 per powers of phi] of a row that is an energy."""
    role, K, l, h = joints.role[r], joints.weight[r], joints.multiplier[r], joints.values[STEP]
    if role == MOTOR:
        return (l + 0.5 * K * phi) * phi, l + K * phi, K
    if role == LIMIT:
        pushed = l + K * joints.side[r] * phi
        if not K > 0.0:
            return 0.0, 0.0, 0.0
        if pushed > 0.0:
            return 0.5 * (pushed * pushed - l * l) / K, joints.side[r] * pushed, K
        return -0.5 * l * l / K, 0.0, 0.0
    if role == DAMPER:
        c, way = h * joints.damping[r], phi - joints.phi_0[r]
        return 0.5 * c * way * way, c * way, c
    if role == EFFORT:
        k, effort, bent = h * h * joints.stiffness[r], h * h * joints.effort[r], phi
        bent -= joints.rest[r]
        return 0.5 * k * bent * bent - effort * phi, k * bent - effort, k
    return 0.0, 0.0, 0.0


@jit
def joint_energy(joints):
    """Energy [kg m^2] of the pose tried last."""
    energy = 0.0
    for r in range(joints.phi.shape[0]):
        energy += soft_terms(joints, r, joints.phi_try[r])[0]
    return energy


@jit
def rounded_work(joints, x):
    """[kg m^2] what joint forces do along the rounding of phi: no energy is known better."""
    size, work, length = 0.0, 0.0, joints.values[LENGTH]
    for i in range(x.shape[0]):
        if joints.jointed[i] != 0:
            size = max(size, max(abs(x[i, 0]), max(abs(x[i, 1]), abs(x[i, 2]))))
    for r in range(joints.phi.shape[0]):
        if joints.role[r] != UNUSED:
            work += abs(joints.multiplier[r]) * (size + length) / joints.unit[r]
    return 1e-15 * work


@jit
def add_joint_terms(joints, bodies, room, n_linked, exact):
    """Rows at the iterate: all energies with their derivatives, W G^T G of the equations.

    `exact`: with what bends the rows. Returns (energy, blocks off the diagonal).
    """
    n_rows = joints.phi.shape[0]
    if n_rows == 0:
        return 0.0, n_linked
    x, R, phi, G, weight = room.x, room.R, joints.phi, joints.G, joints.weight
    rows_at(joints, bodies, x, R, joints.angle, phi, joints.angle, G)
    linked, off, square = room.linked, room.off, joints.square
    of, slot = joints.rows.body, bodies.slot
    first, energy = n_linked, 0.0
    for p in range(joints.pairs.shape[0]):
        k = n_linked + p
        linked[k, 0], linked[k, 1] = joints.pairs[p, 0], joints.pairs[p, 1]
        for i in range(6):
            for j in range(6):
                off[k, i, j] = 0.0
    for r in range(n_rows):  # before the rows make the diagonal stiff
        if joints.role[r] == JOINT:
            weight[r] = _stiff_weight(joints, bodies, room.diagonal, r)
    for r in range(n_rows):
        role, slope, bend = joints.role[r], joints.multiplier[r], 0.0
        if role == UNUSED:
            continue
        if role == JOINT:
            bend = weight[r]
        else:
            value, slope, bend = soft_terms(joints, r, phi[r])
            energy += value
            for side in range(2):
                i = of[r, side]
                if i >= 0 and slot[i] >= 0:
                    for k in range(6):
                        room.gradient[slot[i], k] += slope * G[r, side, k]
        for i in range(12):
            for j in range(12):
                square[i, j] = bend * G[r, i // 6, i % 6] * G[r, j // 6, j % 6]
        if exact and slope != 0.0:
            add_curvature(joints.rows, x, R, r, slope, square)
        _scatter(joints, bodies, r, first, room.diagonal, off)
    return energy, n_linked + joints.pairs.shape[0]


@jit
def _stiff_weight(joints, bodies, diagonal, r):
    """W = STIFF over the row's mobility, sum of g_k^2 / H_kk."""
    mobility, of = 0.0, joints.rows.body
    for side in range(2):
        i = of[r, side]
        if i >= 0 and bodies.slot[i] >= 0:
            for k in range(6):
                g = joints.G[r, side, k]
                mobility += g * g / abs(diagonal[bodies.slot[i], k, k])
    return STIFF / mobility if mobility > 0.0 else 0.0


@jit
def _scatter(joints, bodies, r, first, diagonal, off):
    """Add the square of row r to the blocks of its bodies."""
    square, free, slot, of = joints.square, bodies.free, bodies.slot, joints.rows.body
    for side in range(2):
        a = of[r, side]
        if a < 0 or slot[a] < 0:
            continue
        for i in range(6):
            for j in range(6):
                if free[a, i] != 0 and free[a, j] != 0:
                    diagonal[slot[a], i, j] += square[6 * side + i, 6 * side + j]
    k = joints.pair_of[r]
    if k < 0:
        return
    turned = joints.swapped[r] != 0
    a, b = (of[r, 1], of[r, 0]) if turned else (of[r, 0], of[r, 1])
    for i in range(6):
        for j in range(6):
            if free[a, i] != 0 and free[b, j] != 0:
                off[first + k, i, j] += square[6 + i, j] if turned else square[i, 6 + j]


@jit
def _pull(joints, bodies, r, amount, right):
    """Right -= G^T amount of row r."""
    for side in range(2):
        i = joints.rows.body[r, side]
        if i >= 0 and bodies.slot[i] >= 0:
            for k in range(6):
                right[bodies.slot[i], k] -= amount * joints.G[r, side, k]


@jit
def held_direction(joints, bodies, room):
    """Newton's direction into room.right and the multipliers; returns the slope (g + G^T l) . d.

    What rounding leaves of a slope whose parts cancel counts as none.
    """
    slope, size = 0.0, 0.0
    gradient, right, phi = room.gradient, room.right, joints.phi
    l, W = joints.multiplier, joints.weight
    n_rows, of = phi.shape[0], joints.rows.body
    for _ in range(6):
        for k in range(gradient.shape[0]):
            for i in range(6):
                right[k, i] = -gradient[k, i]
        for r in range(n_rows):
            if joints.role[r] == JOINT:
                _pull(joints, bodies, r, l[r] + W[r] * phi[r], right)
        solve(room.factor, right)
        left, most, slope, size = 0.0, 0.0, 0.0, 0.0
        for k in range(gradient.shape[0]):
            for i in range(6):
                slope += gradient[k, i] * right[k, i]
                size += abs(gradient[k, i] * right[k, i])
        for r in range(n_rows):
            if joints.role[r] != JOINT:
                continue
            rate = phi[r]
            for side in range(2):
                i = of[r, side]
                if i >= 0 and bodies.slot[i] >= 0:
                    for k in range(6):
                        moved = joints.G[r, side, k] * right[bodies.slot[i], k]
                        rate += moved
                        most = max(most, abs(moved) * joints.unit[r])
            l[r] += W[r] * rate
            slope += l[r] * (rate - phi[r])
            size += abs(l[r] * (rate - phi[r]))
            left = max(left, abs(rate) * joints.unit[r])
        if not left > 1e-9 * most + HELD_WITHIN * joints.values[LENGTH]:
            break
    return min(slope, 0.0) if slope <= ROUNDING * size else slope


@jit
def return_to_joints(joints, bodies, room):
    """Bring the pose x_try, R_try back onto the equations; False where it does not get there.

    Chord method: corrections by the factor and the Jacobians of the iterate, least in its metric.
    """
    x, R, right, way, owner = room.x_try, room.R_try, room.right, joints.way, bodies.owner
    phi, role, unit, W = joints.phi_try, joints.role, joints.unit, joints.weight
    before, enough = math.inf, HELD_WITHIN * joints.values[LENGTH]
    for _ in range(MOST_RETURNS):
        rows_at(joints, bodies, x, R, joints.angle, phi, joints.angle_try, joints.G_try)
        off = 0.0
        for r in range(phi.shape[0]):
            if role[r] == JOINT:
                off = max(off, abs(phi[r]) * unit[r])
        if off <= enough or (off >= 0.5 * before and off <= ROUNDED * enough):
            return True
        if not off < 0.9 * before:
            return False
        before = off
        for k in range(right.shape[0]):
            for i in range(6):
                right[k, i] = 0.0
        for r in range(phi.shape[0]):
            if role[r] == JOINT:
                _pull(joints, bodies, r, W[r] * phi[r], right)
        solve(room.factor, right)
        for k in range(owner.shape[0]):
            for i in range(6):
                way[owner[k], i] = right[k, i]
        move(bodies.slot, x, R, way, 1.0, x, R)
    return False


@jit
def has_settled(joints, phi):
    """Whether motors and limits hold at phi; if not, their multipliers are brought up to date."""
    values, role, l, K = joints.values, joints.role, joints.multiplier, joints.weight
    left = 0.0
    for r in range(phi.shape[0]):
        if role[r] == MOTOR:
            left = max(left, abs(phi[r]) * joints.unit[r])
        elif role[r] == LIMIT:
            over = joints.side[r] * phi[r]
            left = max(left, (over if over > 0.0 or l[r] == 0.0 else -over) * joints.unit[r])
    if not left > SETTLED * values[LENGTH]:
        return True
    gained = values[UPDATES] == 0.0 or left <= GAINED * values[LEFT]
    values[IN_VAIN] = 0.0 if gained else values[IN_VAIN] + 1.0
    if values[UPDATES] >= MOST_UPDATES or values[IN_VAIN] >= MOST_IN_VAIN:
        values[BLOCKED] = 1.0
        return True
    values[UPDATES] += 1.0
    values[LEFT] = left
    for r in range(phi.shape[0]):
        if role[r] == MOTOR:
            l[r] += K[r] * phi[r]
        elif role[r] == LIMIT:
            l[r] = max(0.0, l[r] + K[r] * joints.side[r] * phi[r])
    return False
