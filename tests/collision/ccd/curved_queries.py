"""Random primitives on curved paths, and when they really meet, found by two other methods.

`first_doubt` goes by the verifier's subdivision: before it, the two are proven apart. `meets_until`
samples the path densely and decides with exact predicates.
"""

import math

import numpy as np

from dovetail.collision.ccd.additive_ccd import (
    MAX_ITERATIONS,
    advance_edge_edge,
    advance_point_edge,
    advance_point_point,
    advance_point_triangle,
)
from dovetail.collision.distance.closest_points import (
    edge_edge_squared,
    point_edge_squared,
    point_triangle_squared,
)
from dovetail.collision.intersection.simplices import triangles_meet
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import ZERO, add, add_scaled, load3, matvec, norm, scale, sub
from dovetail.runtime.jit import jit
from dovetail.verifier.leaves import leaves_stay_apart

KINDS = {"point-point": (1, 1), "point-edge": (1, 2), "point-triangle": (1, 3), "edge-edge": (2, 2)}
CODES = {kind: code for code, kind in enumerate(KINDS)}
COLUMNS = ("time", "outcome", "evaluations", "first_gap", "doubt", "known", "met")
SEPARATED = ("time", "outcome", "first_gap", "least_gap", "contact")
MIN_GAP_FRACTION = 0.01  # a tenth of the part that the line search leaves: closer approaches
RESOLVED = 1e-5  # [m] of first gap, of which MIN_GAP_FRACTION is above what the verifier resolves


@jit
def placed(corners, q, base, count, t, w, x):
    """Three corners of a simplex with `count`, the last one repeated."""
    R = exp(scale(t, w))
    first = add(matvec(R, load3(corners[q], base)), x)
    second = add(matvec(R, load3(corners[q], base + min(1, count - 1))), x)
    third = add(matvec(R, load3(corners[q], base + min(2, count - 1))), x)
    return (first, second, third)


@jit
def advance(kind, corners, q, D, ds, w_a, w_b, dmin, fraction, iterations):
    c = corners[q]
    p, r, s, t = load3(c, 0), load3(c, 1), load3(c, 2), load3(c, 3)
    if kind == 0:
        return advance_point_point((p,), (r,), D, ds, w_a, w_b, dmin, 1.0, fraction, iterations)
    if kind == 1:
        return advance_point_edge((p,), (r, s), D, ds, w_a, w_b, dmin, 1.0, fraction, iterations)
    if kind == 2:
        return advance_point_triangle(
            (p,), (r, s, t), D, ds, w_a, w_b, dmin, 1.0, fraction, iterations
        )
    return advance_edge_edge((p, r), (s, t), D, ds, w_a, w_b, dmin, 1.0, fraction, iterations)


@jit
def first_doubt(corners, q, n_a, n_b, D, ds, w_a, w_b, resolution, budget):
    """(time, known): before it no meeting is possible; a meeting or a graze follows if known.

    1 if the whole path is clear; not known if the budget of pieces was used up.
    """
    begins, ends = np.empty(64), np.empty(64)
    begins[0], ends[0] = 0.0, 1.0
    top, pieces = 1, 0
    while top > 0:
        top -= 1
        begin, end = begins[top], ends[top]
        t, half = 0.5 * (begin + end), 0.5 * (end - begin)
        x = add_scaled(D, t, ds)
        A = placed(corners, q, 0, n_a, t, w_a, ZERO)
        B = placed(corners, q, n_a, n_b, t, w_b, x)
        if leaves_stay_apart(A, B, x, ds, w_a, w_b, ZERO, half, 1e-13) > 0.0:
            continue
        pieces += 1
        if end - begin <= resolution or pieces > budget:
            return begin, pieces <= budget
        begins[top], ends[top] = t, end
        begins[top + 1], ends[top + 1] = begin, t
        top += 2
    return 1.0, True


@jit
def meets_until(corners, q, n_a, n_b, D, ds, w_a, w_b, until, samples):
    """They have a common point at one of the samples up to and with the time `until`."""
    for k in range(samples + 1):
        t = until * k / samples
        A = placed(corners, q, 0, n_a, t, w_a, ZERO)
        B = placed(corners, q, n_a, n_b, t, w_b, add_scaled(D, t, ds))
        if triangles_meet(A[0], A[1], A[2], B[0], B[1], B[2]):
            return True
    return False


@jit
def distance(kind, corners, q, D, ds, w_a, w_b, t):
    """Distance [m] at the time t."""
    R_a, R_b, x = exp(scale(t, w_a)), exp(scale(t, w_b)), add_scaled(D, t, ds)
    c = corners[q]
    p = matvec(R_a, load3(c, 0))
    s, e = add(matvec(R_b, load3(c, 2)), x), add(matvec(R_b, load3(c, 3)), x)
    if kind == 3:
        return math.sqrt(edge_edge_squared(p, matvec(R_a, load3(c, 1)), s, e))
    r = add(matvec(R_b, load3(c, 1)), x)
    if kind == 0:
        return norm(sub(p, r))
    if kind == 1:
        return math.sqrt(point_edge_squared(p, r, s))
    return math.sqrt(point_triangle_squared(p, r, s, e))


@jit
def verify_all(
    kind, n_a, n_b, corners, motion, fraction, iterations, samples, resolution, budget, out
):
    """Rows of out (n, 7): `COLUMNS`, the last two as 0 or 1."""
    for q in range(corners.shape[0]):
        m = motion[q]
        D, ds, w_a, w_b = load3(m, 0), load3(m, 1), load3(m, 2), load3(m, 3)
        time, outcome, count = advance(kind, corners, q, D, ds, w_a, w_b, 0.0, fraction, iterations)
        out[q, 0], out[q, 1], out[q, 2] = time, outcome, count
        doubt, known = first_doubt(corners, q, n_a, n_b, D, ds, w_a, w_b, resolution, budget)
        met = meets_until(corners, q, n_a, n_b, D, ds, w_a, w_b, time, samples)
        out[q, 3] = distance(kind, corners, q, D, ds, w_a, w_b, 0.0)
        out[q, 4], out[q, 5], out[q, 6] = doubt, known, met


@jit
def separate_all(kind, corners, motion, dmin, fraction, iterations, samples, out):
    """Rows of out (n, 5): `SEPARATED`.

    The least sampled distance up to the time, and the first sampled time with a distance of dmin
    or less; 1 if there is none.
    """
    for q in range(corners.shape[0]):
        m = motion[q]
        D, ds, w_a, w_b = load3(m, 0), load3(m, 1), load3(m, 2), load3(m, 3)
        time, outcome, _ = advance(kind, corners, q, D, ds, w_a, w_b, dmin, fraction, iterations)
        least, contact = math.inf, 1.0
        for k in range(samples + 1):
            least = min(least, distance(kind, corners, q, D, ds, w_a, w_b, time * k / samples))
            t = k / samples
            if contact == 1.0 and distance(kind, corners, q, D, ds, w_a, w_b, t) <= dmin:
                contact = t
        out[q, 0], out[q, 1] = time, outcome
        out[q, 2] = distance(kind, corners, q, D, ds, w_a, w_b, 0.0)
        out[q, 3], out[q, 4] = least, contact


@jit
def time_all(kind, corners, motion, fraction, iterations):
    """Only the advancement; returns the evaluations, for benchmarks."""
    evaluations = 0
    for q in range(corners.shape[0]):
        m = motion[q]
        D, ds, w_a, w_b = load3(m, 0), load3(m, 1), load3(m, 2), load3(m, 3)
        _, _, count = advance(kind, corners, q, D, ds, w_a, w_b, 0.0, fraction, iterations)
        evaluations += count
    return evaluations


def draw(rng, n, kind):
    """Corners (n, 4, 3) and motions (n, 4, 3) = D, ds, w_a, w_b; of many kinds and sizes.

    b's translation aims at a point of a, so that many meet. A part of the simplices are needles,
    slivers, flat or parallel; a part starts nearly touching; a part spins for several turns.
    """
    n_a, n_b = KINDS[kind]
    corners = rng.normal(size=(n, 4, 3))
    shape = rng.integers(0, 5, n)
    thin = shape == 1
    corners[thin, :, 1:] *= 10.0 ** rng.uniform(-9, -1, (thin.sum(), 1, 1))  # needles, slivers
    corners[shape == 2, :, 2] = 0.0  # all in parallel planes
    if n_b == 2 and n_a == 2:
        along = shape == 3  # parallel edges
        corners[along, 3] = corners[along, 2] + corners[along, 1] - corners[along, 0]
    corners[shape == 4] += 5.0 * rng.normal(size=((shape == 4).sum(), 1, 3))  # far off the centre
    motion = np.zeros((n, 4, 3))
    motion[:, 2:] = rng.normal(size=(n, 2, 3)) * 10.0 ** rng.uniform(-3, 1, (n, 2, 1))
    motion[rng.random(n) < 0.2, 2] = 0.0
    motion[rng.random(n) < 0.2, 3] = 0.0
    weights_a, weights_b = rng.dirichlet(np.ones(n_a), n), rng.dirichlet(np.ones(n_b), n)
    on_a = np.einsum("nk,nki->ni", weights_a, corners[:, :n_a])
    on_b = np.einsum("nk,nki->ni", weights_b, corners[:, n_a : n_a + n_b])
    away = rng.normal(size=(n, 3))
    away *= 10.0 ** rng.uniform(-6, 0.7, (n, 1)) / np.linalg.norm(away, axis=1)[:, None]
    motion[:, 0] = on_a + away - on_b
    lengths = rng.uniform(0.2, 3.0, (n, 1))
    motion[:, 1] = -lengths * away + 0.1 * np.linalg.norm(away, axis=1)[:, None] * rng.normal(
        size=(n, 3)
    )
    return corners, motion


def verified(kind, n, rng, samples=64, resolution=2.0**-30, budget=2000):
    """Columns of n random queries against exact sampling and the verifier."""
    corners, motion = draw(rng, n, kind)
    out = np.empty((n, len(COLUMNS)))
    verify_all(
        CODES[kind],
        *KINDS[kind],
        corners,
        motion,
        MIN_GAP_FRACTION,
        MAX_ITERATIONS,
        samples,
        resolution,
        budget,
        out,
    )
    return dict(zip(COLUMNS, out.T))


def separated(kind, n, rng, dmin, samples=100):
    """Columns of n random queries with a minimum separation, of those that start farther apart."""
    corners, motion = draw(rng, n, kind)
    out = np.empty((n, len(SEPARATED)))
    separate_all(CODES[kind], corners, motion, dmin, MIN_GAP_FRACTION, MAX_ITERATIONS, samples, out)
    found = dict(zip(SEPARATED, out.T))
    apart = found["first_gap"] > dmin * (1 + 1e-9)
    return {name: column[apart] for name, column in found.items()}


def late(found, resolution=2.0**-30):
    """Queries whose time is after a meeting that was sampled, or after what the verifier allows."""
    decided = (found["known"] == 1) & (found["first_gap"] > RESOLVED)
    return (found["met"] == 1) | (decided & (found["time"] > found["doubt"] + resolution))


def earliness(found):
    """How much earlier than the first possible meeting, of its time, where there is one."""
    hit = (found["doubt"] < 1) & (found["known"] == 1) & (found["first_gap"] > RESOLVED)
    return 1 - found["time"][hit] / found["doubt"][hit]
