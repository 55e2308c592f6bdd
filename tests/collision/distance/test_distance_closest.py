"""Closest points: right for any triangle and edge, however thin, short or parallel."""

from fractions import Fraction

import numpy as np
import pytest

from dovetail.collision.distance.closest_points import (
    edge_edge,
    edge_edge_squared,
    point_edge_squared,
    point_triangle,
    point_triangle_squared,
)
from simplex_pairs import EVERY, N_POINTS, case_of, sample, tuples

SQUARED = {
    "point-edge": point_edge_squared,
    "point-triangle": point_triangle_squared,
    "edge-edge": edge_edge_squared,
}


def least_on_edge(p, a, b):
    """Exact squared distance of point and segment in rational arithmetic."""
    e = [y - x for x, y in zip(a, b)]
    length = sum(x * x for x in e)
    t = sum((u - v) * w for u, v, w in zip(p, a, e)) / length if length else Fraction(0)
    t = min(Fraction(1), max(Fraction(0), t))
    return sum((u - v - t * w) ** 2 for u, v, w in zip(p, a, e))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def exact_squared(kind, points):
    """The least squared distance, exactly: over all pairs of features."""
    rows = [[Fraction(x) for x in p] for p in np.asarray(points, float).tolist()]
    if kind == "point-edge":
        return least_on_edge(*rows)
    if kind == "point-triangle":
        p, a, b, c = rows
        found = [least_on_edge(p, *edge) for edge in ((a, b), (b, c), (c, a))]
        n = cross(sub(b, a), sub(c, a))
        nn = dot(n, n)
        if nn:
            inside = all(
                dot(cross(sub(y, x), sub(p, x)), n) >= 0 for x, y in ((a, b), (b, c), (c, a))
            )
            found += [dot(sub(p, a), n) ** 2 / nn] if inside else []
        return min(found)
    a, b, c, d = rows
    found = [least_on_edge(a, c, d), least_on_edge(b, c, d), least_on_edge(c, a, b)]
    found.append(least_on_edge(d, a, b))
    u, v, r = sub(b, a), sub(d, c), sub(c, a)
    n = cross(u, v)
    nn = dot(n, n)
    if nn and 0 <= dot(cross(r, v), n) <= nn and 0 <= dot(cross(r, u), n) <= nn:
        found.append(dot(r, n) ** 2 / nn)
    return min(found)


def _scattered(rng, n):
    return rng.normal(size=(n, 3))


def _thin(rng, n):
    """Slivers and nearly parallel edges: all points within 1e-9 of a line."""
    return np.outer(rng.normal(size=n), rng.normal(size=3)) + 1e-9 * rng.normal(size=(n, 3))


def _degenerate(rng, n):
    """Equal, collinear, coplanar and parallel."""
    return rng.integers(-1, 2, (n, 3)).astype(float)


def _parallel(rng, n):
    """The last edge along the one before it, up to rounding or a tiny angle."""
    points = rng.normal(size=(n, 3))
    e = points[-3] - points[-4] if n == 4 else rng.normal(size=3)
    tilt = 10.0 ** rng.uniform(-17, -3) * rng.normal(size=3)
    points[-1] = points[-2] + rng.uniform(-2, 2) * (e + tilt)
    return points


def _close(rng, n):
    """A millionth of their size apart."""
    points = rng.normal(size=(n, 3))
    points[:, 2] *= 1e-6
    return points


@pytest.mark.parametrize("draw", [_scattered, _thin, _degenerate, _parallel, _close])
@pytest.mark.parametrize("kind", SQUARED)
def test_distances_are_those_of_exact_arithmetic(kind, draw):
    rng = np.random.default_rng(7)
    for _ in range(100):
        points = draw(rng, N_POINTS[kind])
        ours = SQUARED[kind](*tuples(points))
        exact = exact_squared(kind, points)
        size = np.abs(points).max() + 1e-300
        error = np.sqrt(ours) - float(exact) ** 0.5
        largest = 4e-12 if draw is _parallel and kind == "edge-edge" else 1e-14
        assert -1e-14 * size < error < largest * size, (points, ours, float(exact))


@pytest.mark.parametrize(("kind", "case"), [e for e in EVERY if e[0] in SQUARED])
def test_cases_are_numbered_as_in_the_ipc_toolkit(kind, case):
    ipctk = pytest.importorskip("ipctk")
    points = sample(kind, case, np.random.default_rng(case))
    theirs = getattr(ipctk, f"{kind.replace('-', '_')}_distance_type")(*points)
    assert (
        int(theirs.value if hasattr(theirs, "value") else theirs) == case == case_of(kind, points)
    )


def test_parameters_lie_in_the_simplex():
    rng = np.random.default_rng(11)
    for draw in (_scattered, _thin, _degenerate, _parallel):
        for _ in range(200):
            points = tuples(draw(rng, 4))
            _, s, t = point_triangle(*points)
            assert s >= 0 and t >= 0 and s + t <= 1
            _, s, t = edge_edge(*points)
            assert 0 <= s <= 1 and 0 <= t <= 1
