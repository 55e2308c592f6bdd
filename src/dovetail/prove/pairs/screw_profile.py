"""Profiles about a screw axis: what of a body does not change while it turns.

A rotation about an axis with the advance c [m/rad] along it keeps two numbers of every point: its
distance r from the axis and zeta = z - c theta, z along the axis and theta about it; zeta counts
modulo the pitch 2 pi |c|. Two points of profiles (r, zeta) that differ by (dr, dz) are at least
    sqrt(dr^2 + lambda dz^2),    lambda = k R^2 / (k R^2 + c^2),  R^2 = r_1 r_2,  k = 4 / pi^2
apart, however far they turn: with phi in [-pi, pi] between them the square of their distance is
dr^2 + 4 R^2 sin^2(phi / 2) + (dz + c phi)^2, sin^2(phi / 2) >= phi^2 / pi^2, and the minimum over
phi of k R^2 phi^2 + (dz + c phi)^2 is lambda dz^2. Without advance lambda is 1.

Nodes of the trees get the range of their profile along N_DIRECTIONS directions of the plane
(r, zeta). Two flanks of a thread are lines in it, and one direction separates all of them.
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST
from dovetail.linalg.vec3 import ZERO, add, cross, dot, norm, scale, sub
from dovetail.prove.pairs.search import matrix, placed, vector
from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray
from dovetail.runtime.warmup import warm

N_DIRECTIONS = 16
ALONG = N_DIRECTIONS // 2  # the direction of zeta; that of r is the first
ANGLES = np.pi * np.arange(N_DIRECTIONS) / N_DIRECTIONS
COS, SIN = np.cos(ANGLES), np.sin(ANGLES)
COS[ALONG], SIN[0] = 0.0, 0.0
HALF_TURN = 4.0 / math.pi**2  # sin^2(phi / 2) >= phi^2 / pi^2 for |phi| <= pi, times 4
MOST_SHIFTS = 4  # of one profile by the pitch: wider ones are not compared


class ScrewAxis(NamedTuple):
    """The axis that all coordinates between two bodies turn about and advance along."""

    point: FloatArray  # (3,) [m]
    direction: FloatArray  # (3,)
    advance: float  # c [m/rad]
    keeps_zeta: bool  # one coordinate alone; of several only r is kept


class Profile(NamedTuple):
    """Ranges of the nodes of one tree; row 0 is its root."""

    low: FloatArray  # (nodes, N_DIRECTIONS) [m]
    high: FloatArray  # (nodes, N_DIRECTIONS)
    along: FloatArray  # (nodes, 2) [m] z in the initial pose


@jit
def _first(w):
    """A unit vector across w, the same for all triangles."""
    k = 0
    for i in range(1, 3):
        if abs(w[i]) < abs(w[k]):
            k = i
    e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    across = cross(w, e)
    return scale(1.0 / norm(across), across)


@jit
def _second(w):
    return cross(w, _first(w))


@jit
def _outwards(T, w, q):
    """(the axis does not go through T, unit vector from the axis through the middle of its angles).

    Halfway between the outermost corners, so that both ends of a chord are equally far along it.
    """
    out = ZERO
    for i in range(3):
        out = add(out, sub(T[i], q))
    out = sub(out, scale(dot(out, w), w))
    size = norm(out)
    if not size > 0.0:
        return False, _first(w)
    n = scale(1.0 / size, out)
    around = cross(w, n)
    first, last = math.inf, -math.inf
    for i in range(3):
        p = sub(T[i], q)
        x = dot(p, n)
        if not x > 0.0:
            return False, n
        slope = math.atan(dot(p, around) / x)
        first, last = min(first, slope), max(last, slope)
    middle = 0.5 * (first + last)
    turned = add(scale(math.cos(middle), n), scale(math.sin(middle), around))
    return True, scale(1.0 / norm(turned), turned)


@jit
def _nearest_to_axis(T, w, q):
    """[m] of a triangle that lies beside the axis: of the nearest of its edges, seen along it."""
    least = math.inf
    for i in range(3):
        p, d = sub(T[i], q), sub(T[(i + 1) % 3], T[i])
        p, d = sub(p, scale(dot(p, w), w)), sub(d, scale(dot(d, w), w))
        size = dot(d, d)
        share = min(1.0, max(0.0, -dot(p, d) / size)) if size > 0.0 else 0.0
        least = min(least, norm(add(p, scale(share, d))))
    return least


@jit
def _simplex_ranges(T, axis, low, high, along, row):
    """Of one triangle, from its linear part at its middle and bounds on the rest.

    With x outwards and t around, m the middle of x: x <= r <= x + e, e the largest r - x
    of the corners, as r - x is convex; and |theta - t / m| is at most
    |t| |1 / x - 1 / m| + |t / x|^3 / 3.
    """
    w, q, c = vector(axis.direction), vector(axis.point), axis.advance
    beside, n = _outwards(T, w, q)
    around = cross(w, n)
    along[row, 0], along[row, 1] = math.inf, -math.inf
    x_low, x_high, r_high, t_most, excess = math.inf, -math.inf, 0.0, 0.0, 0.0
    for i in range(3):
        p = sub(T[i], q)
        x, t, z = dot(p, n), dot(p, around), dot(p, w)
        r = math.sqrt(x * x + t * t)
        x_low, x_high, r_high = min(x_low, x), max(x_high, x), max(r_high, r)
        t_most, excess = max(t_most, abs(t)), max(excess, r - x)
        along[row, 0], along[row, 1] = min(along[row, 0], z), max(along[row, 1], z)
    beside = beside and x_low > 0.0
    theta, off, m = 0.0, math.inf, 1.0
    if beside:
        theta = math.atan2(dot(n, _second(w)), dot(n, _first(w)))
        m = 0.5 * (x_low + x_high)
        off = t_most * max(1.0 / x_low - 1.0 / m, 1.0 / m - 1.0 / x_high)
        off += (t_most / x_low) ** 3 / 3.0
    for k in range(N_DIRECTIONS):
        lowest, highest = math.inf, -math.inf
        for i in range(3):
            p = sub(T[i], q)
            x, z = dot(p, n), dot(p, w)
            zeta = z
            if c != 0.0 and beside:
                zeta = z - c * (theta + dot(p, around) / m)
            value = COS[k] * x + SIN[k] * zeta
            lowest, highest = min(lowest, value), max(highest, value)
        lowest += min(0.0, COS[k] * excess)
        highest += max(0.0, COS[k] * excess)
        if k > 0 and c != 0.0:
            lowest -= SIN[k] * abs(c) * off
            highest += SIN[k] * abs(c) * off
        low[row, k], high[row, k] = lowest, highest
    low[row, 0] = _nearest_to_axis(T, w, q) if beside else 0.0
    high[row, 0] = r_high


@jit
def write_profile(forest, body, R, x, axis, low, high, along):
    """Ranges of all nodes of a body at the pose R, x; parents get those of both children."""
    root = forest.root[body]
    pitch = 2.0 * math.pi * abs(axis.advance)
    pose, place = matrix(R), vector(x)
    for row in range(low.shape[0] - 1, -1, -1):
        right = forest.right[root + row]
        if right < 0:
            _simplex_ranges(placed(forest, -1 - right, pose, place), axis, low, high, along, row)
            continue
        one, other = row + 1, right - root
        shift = 0.0
        if pitch > 0.0:
            apart = low[one, ALONG] + high[one, ALONG] - low[other, ALONG] - high[other, ALONG]
            if math.isfinite(apart):
                shift = pitch * math.floor(0.5 * apart / pitch + 0.5)
        for k in range(N_DIRECTIONS):
            off = SIN[k] * shift
            low[row, k] = min(low[one, k], low[other, k] + off)
            high[row, k] = max(high[one, k], high[other, k] + off)
        along[row, 0] = min(along[one, 0], along[other, 0])
        along[row, 1] = max(along[one, 1], along[other, 1])


@jit
def _one_direction_separates(a, i, b, j, shift, least):
    """Whether profiles keep `least` [m] when that of b is shifted along zeta."""
    for k in range(1, N_DIRECTIONS):
        off = SIN[k] * shift
        gap = max(b.low[j, k] + off - a.high[i, k], a.low[i, k] - b.high[j, k] - off)
        if gap > least:
            return True
    return False


@jit
def profiles_stay_apart(a, i, b, j, axis, rise, least):
    """Whether node i of a and node j of b keep `least` [m], by their profiles alone.

    `rise`: least and largest advance [m] of b along the axis in the cell.
    """
    beyond = max(b.along[j, 0] + rise[0] - a.along[i, 1], a.along[i, 0] - b.along[j, 1] - rise[1])
    if beyond > least:
        return True
    if max(b.low[j, 0] - a.high[i, 0], a.low[i, 0] - b.high[j, 0]) > least:
        return True
    if not axis.keeps_zeta:
        return False
    c = axis.advance
    if c == 0.0:
        return _one_direction_separates(a, i, b, j, 0.0, least)
    size = HALF_TURN * a.low[i, 0] * b.low[j, 0]
    share = size / (size + c * c)
    if not share > 0.0:
        return False
    wanted = least / math.sqrt(share)
    pitch = 2.0 * math.pi * abs(c)
    first = math.ceil((a.low[i, ALONG] - wanted - b.high[j, ALONG]) / pitch - 1e-6)
    last = math.floor((a.high[i, ALONG] + wanted - b.low[j, ALONG]) / pitch + 1e-6)
    if not last - first < MOST_SHIFTS:
        return False
    shift = first
    while shift <= last:
        if not _one_direction_separates(a, i, b, j, shift * pitch, wanted):
            return False
        shift += 1.0
    return True


@jit
def _wide(profile, i):
    """[m] extent of a node in its profile and along the axis."""
    return (
        profile.high[i, 0] - profile.low[i, 0] + profile.high[i, ALONG] - profile.low[i, ALONG]
        + profile.along[i, 1] - profile.along[i, 0]
    )  # fmt: skip


@jit
def pairs_left(forest, a, b, profile_a, profile_b, axis, rise, least, stack, pairs, budget):
    """Writes the pairs of leaves that profiles do not separate; (how many, tests).

    -1 where there are more than `pairs` has room for, or the budget of tests ends.
    """
    right, root_a, root_b = forest.right, forest.root[a], forest.root[b]
    stack[0, 0], stack[0, 1] = root_a, root_b
    top, tests, count = 1, np.int64(0), np.int64(0)
    while top > 0:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if tests >= budget:
            return np.int64(-1), tests
        tests += 1
        if profiles_stay_apart(profile_a, i - root_a, profile_b, j - root_b, axis, rise, least):
            continue
        leaf_a, leaf_b = right[i] < 0, right[j] < 0
        if leaf_a and leaf_b:
            if count == pairs.shape[0]:
                return np.int64(-1), tests
            pairs[count, 0], pairs[count, 1] = i, j
            count += 1
            continue
        if top + 2 > stack.shape[0]:
            return np.int64(-1), tests
        size_a = _wide(profile_a, i - root_a)
        size_b = _wide(profile_b, j - root_b)
        if leaf_b or (not leaf_a and size_a > size_b):
            stack[top, 0], stack[top, 1] = right[i], j
            stack[top + 1, 0], stack[top + 1, 1] = i + 1, j
        else:
            stack[top, 0], stack[top, 1] = i, right[j]
            stack[top + 1, 0], stack[top + 1, 1] = i, j + 1
        top += 2
    return count, tests


_axis = ScrewAxis(np.zeros(3), np.zeros(3), 0.0, True)
_none = np.zeros((0, N_DIRECTIONS))
_profile = Profile(_none, _none, np.zeros((0, 2)))
_pairs = np.zeros((1, 2), np.int64)
warm(write_profile, NO_FOREST, 0, np.eye(3), np.zeros(3), _axis, _none, _none, np.zeros((0, 2)))
warm(
    pairs_left, NO_FOREST, 0, 0, _profile, _profile, _axis, (0.0, 0.0), 0.0, _pairs, _pairs, 0
)  # fmt: skip
