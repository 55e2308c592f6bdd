"""Efforts along joint coordinates: springs, dampers, friction, stops; with their derivatives."""

import math
from typing import NamedTuple

import numpy as np

from dovetail.linalg import so3
from dovetail.linalg.vec3 import dot, mat_t_vec
from dovetail.model.couplings import MAX_DEGREE
from dovetail.multibody.coupling_terms import term_value
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


class EffortArrays(NamedTuple):
    """What acts along c coordinates, or sums over several, and on b spherical joints. SI units."""

    v_index: np.ndarray  # (c,) where the coordinate has its velocity
    q_index: np.ndarray  # (c,) where it has its value; -1 when it has none
    has_value: np.ndarray  # (c,) bool: a coordinate with a value, or a sum over several
    stiffness: np.ndarray  # (c,)
    rest: np.ndarray  # (c,)
    damping: np.ndarray  # (c,)
    friction: np.ndarray  # (c,) largest effort of dry friction
    mobility: np.ndarray  # (c,) velocity per impulse along the coordinate
    lower: np.ndarray  # (c,) -inf without a stop
    upper: np.ndarray  # (c,) inf without a stop
    soft: np.ndarray  # (c, 3) stiffness, damping and inertia of stops that give; 0: of the step
    least_step: np.ndarray  # (1,) [s] that stops are made for: parts of a step have its stops
    ball_v: np.ndarray  # (b,) first velocity of a spherical joint with springs
    ball_q: np.ndarray  # (b,) its quaternion
    ball_stiffness: np.ndarray  # (b, 3) in the joint's axes
    ball_rest: np.ndarray  # (b, 3) rotation vector at rest [rad]
    term_start: np.ndarray  # (c + 1,) terms of the entries that are sums over coordinates
    term_q: np.ndarray  # (t,) where the coordinate of a term has its value
    term_v: np.ndarray  # (t,) and its velocity
    term_factor: np.ndarray  # (t, MAX_DEGREE) coefficients of its powers


def no_efforts() -> EffortArrays:
    """Nothing acts; also tells the compiler all types."""
    whole, vector, rows = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 3))
    return EffortArrays(
        whole, whole, np.zeros(0, dtype=np.bool_), vector, vector, vector, vector, vector, vector,
        vector, rows, np.zeros(1), whole, whole, rows, rows, np.zeros(1, dtype=np.int64), whole,
        whole, np.zeros((0, MAX_DEGREE)),
    )  # fmt: skip


STOP_RATE = 0.25
"""Natural frequency of a stop times the step: it acts over about 2 pi / 0.25 = 25 steps."""
CREEP = 0.05


@jit_in_place
def _effort_along(acting, j, h, place, speed, before):
    """(effort, its derivatives -d/dv and -d/dq, sum of the sizes of its parts) along entry j.

    Spring and damper: -k (q - rest) - c v. Dry friction: -f v / sqrt(v^2 + eps^2) with
    eps = CREEP f h mobility, a small part of the velocity that friction takes away in one step: a
    joint held by friction creeps by a few eps. Stop: beyond the limit
    by d, -(k d + c d'), but never pulling, with k = (STOP_RATE / h)^2 / mobility and c critical;
    c grows from zero while d < h |d'|, so that the force sets in without a jump. A stop that gives
    has k, c and an inertia m of its own, -(k d + c d' + m d''), with d'' from the rate `before`
    half a step ago.
    """
    effort = -acting.damping[j] * speed
    size = abs(effort)
    dv, dq = acting.damping[j], 0.0
    f = acting.friction[j]
    if f > 0.0:
        eps = CREEP * f * h * acting.mobility[j]
        root = math.sqrt(speed * speed + eps * eps)
        if root > 0.0:
            effort -= f * speed / root
            size += f
            dv += f * eps * eps / (root * root * root)
    if acting.has_value[j]:
        effort -= acting.stiffness[j] * (place - acting.rest[j])
        size += acting.stiffness[j] * (abs(place) + abs(acting.rest[j]))
        dq += acting.stiffness[j]
        beyond = 0.0
        if place > acting.upper[j]:
            beyond = place - acting.upper[j]
        elif place < acting.lower[j]:
            beyond = place - acting.lower[j]
        if beyond != 0.0 and acting.soft[j, 0] > 0.0:
            stiff = acting.soft[j, 0]
            damp = acting.soft[j, 1] + 2.0 * acting.soft[j, 2] / h
            drag = damp * speed - 2.0 * acting.soft[j, 2] / h * before
            if h * abs(speed) > abs(beyond):
                part = abs(beyond) / (h * abs(speed))
                toward = 1.0 if drag * beyond > 0.0 else 0.0
                damp, stiff = part * damp, stiff + toward * abs(drag) / (h * abs(speed))
                drag *= part
            stop = acting.soft[j, 0] * beyond + drag
            if stop * beyond > 0.0:
                effort -= stop
                size += abs(stop) + abs(acting.soft[j, 0] * place)
                dv += damp
                dq += stiff
        elif beyond != 0.0:
            step = max(h, acting.least_step[0])
            rate = STOP_RATE / step
            stiff = rate * rate / acting.mobility[j]
            damp = 2.0 * rate / acting.mobility[j]
            stop = stiff * beyond
            if step * abs(speed) > abs(beyond):
                toward = 1.0 if speed * beyond > 0.0 else -1.0
                stiff += toward * damp / step
                stop = stiff * beyond
                damp = 0.0
            stop += damp * speed
            if stop * beyond > 0.0:
                effort -= stop
                size += abs(stop) + abs(stiff * place)
                dv += damp
                dq += stiff
    return effort, dv, dq, size


@jit_in_place
def _place_and_speed(acting, j, q, v):
    """Value and rate of what entry j acts on: a coordinate, or a sum over several."""
    if acting.term_start[j] == acting.term_start[j + 1]:
        place = q[acting.q_index[j]] if acting.has_value[j] else 0.0
        return place, v[acting.v_index[j]]
    place, speed = 0.0, 0.0
    for k in range(acting.term_start[j], acting.term_start[j + 1]):
        value, slope = term_value(acting.term_factor, k, q[acting.term_q[k]])
        place += value
        speed += slope * v[acting.term_v[k]]
    return place, speed


@jit_in_place
def add_efforts(acting, h, q, v, v0, tau, slope, load):
    """Add efforts at (q, v) to tau; add -(h/2 dtau/dv + h^2/4 dtau/dq) to slope.

    v0 are the velocities half a step before. load takes the sum of the efforts' sizes, which tells
    round-off where they cancel. What acts on a sum s(q) acts on its coordinates by ds/dq; slope has
    the diagonal of its derivative only.
    """
    for j in range(acting.v_index.size):
        place, speed = _place_and_speed(acting, j, q, v)
        _, before = _place_and_speed(acting, j, q, v0)
        effort, dv, dq, size = _effort_along(acting, j, h, place, speed, before)
        steep = 0.5 * h * dv + 0.25 * h * h * dq
        if acting.term_start[j] == acting.term_start[j + 1]:
            k = acting.v_index[j]
            tau[k] += effort
            load[k] += size
            slope[k] += steep
        for i in range(acting.term_start[j], acting.term_start[j + 1]):
            k = acting.term_v[i]
            part = term_value(acting.term_factor, i, q[acting.term_q[i]])[1]
            tau[k] += part * effort
            load[k] += abs(part) * size
            slope[k] += part * part * steep
    for j in range(acting.ball_v.size):
        k, a = acting.ball_v[j], acting.ball_q[j]
        rotation = so3.log(so3.from_quaternion((q[a], q[a + 1], q[a + 2], q[a + 3])))
        pull = (
            acting.ball_stiffness[j, 0] * (rotation[0] - acting.ball_rest[j, 0]),
            acting.ball_stiffness[j, 1] * (rotation[1] - acting.ball_rest[j, 1]),
            acting.ball_stiffness[j, 2] * (rotation[2] - acting.ball_rest[j, 2]),
        )
        # d(rotation)/dt = J_r(rotation)^-1 omega, so the torque is -J_r^-T of the pull
        torque = mat_t_vec(so3.right_jacobian_inverse(rotation), pull)
        for axis in range(3):
            tau[k + axis] -= torque[axis]
            load[k + axis] += abs(torque[axis])
            slope[k + axis] += 0.25 * h * h * acting.ball_stiffness[j, axis]


@jit_in_place
def stored_energy(acting, h, q, v):
    """Energy in springs and stops [J]; h [s] is the last step."""
    energy = 0.0
    for j in range(acting.v_index.size):
        if acting.has_value[j]:
            place, _ = _place_and_speed(acting, j, q, v)
            stretch = place - acting.rest[j]
            energy += 0.5 * acting.stiffness[j] * stretch * stretch
            beyond = max(0.0, place - acting.upper[j], acting.lower[j] - place)
            if beyond > 0.0 and acting.soft[j, 0] > 0.0:
                energy += 0.5 * acting.soft[j, 0] * beyond * beyond
            elif beyond > 0.0 and h > 0.0:
                rate = STOP_RATE / max(h, acting.least_step[0]) * beyond
                energy += 0.5 * rate * rate / acting.mobility[j]
    for j in range(acting.ball_v.size):
        a = acting.ball_q[j]
        rotation = so3.log(so3.from_quaternion((q[a], q[a + 1], q[a + 2], q[a + 3])))
        x, y, z = (
            rotation[0] - acting.ball_rest[j, 0],
            rotation[1] - acting.ball_rest[j, 1],
            rotation[2] - acting.ball_rest[j, 2],
        )
        k = (
            acting.ball_stiffness[j, 0],
            acting.ball_stiffness[j, 1],
            acting.ball_stiffness[j, 2],
        )
        energy += 0.5 * dot(k, (x * x, y * y, z * z))
    return energy


_VECTOR = np.empty(0)
warm(add_efforts, no_efforts(), 0.0, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
warm(stored_energy, no_efforts(), 0.0, _VECTOR, _VECTOR)
