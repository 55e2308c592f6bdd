"""Exact predicates against rational arithmetic, where every degenerate case is frequent."""

from fractions import Fraction

import exact_oracle
import numpy as np
import pytest

from dovetail.collision.intersection.simplices import (
    overlap_beyond_edge,
    overlap_beyond_vertex,
    segment_meets_triangle,
    segments_meet,
    spread_axis,
    triangles_meet,
)
from dovetail.linalg.exact.expansions import (
    expansion_scale,
    expansion_sum,
    two_product,
    two_sum,
)
from dovetail.linalg.exact.orientation import orient2d, orient3d

N = 80  # random cases of each kind and question


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20211)


def test_sums_and_products_of_doubles_lose_nothing(rng):
    for a, b in rng.normal(size=(300, 2)) * 10.0 ** rng.integers(-40, 40, (300, 2)):
        s, e = two_sum(a, b)
        assert Fraction(s) + Fraction(e) == Fraction(a) + Fraction(b)
        p, e = two_product(a, b)
        assert Fraction(p) + Fraction(e) == Fraction(a) * Fraction(b)


def test_expansions_add_and_scale_exactly(rng):
    for _ in range(100):
        e, f, g, h = (np.empty(64) for _ in range(4))
        e[:2], f[:2] = two_sum(*rng.normal(size=2))[::-1], two_sum(1e17, rng.normal())[::-1]
        n = expansion_sum(e, 2, f, 2, g)
        exact = sum(map(Fraction, [*e[:2].tolist(), *f[:2].tolist()]))
        assert sum(map(Fraction, g[:n].tolist())) == exact
        factor = float(rng.normal())
        n = expansion_scale(g, n, factor, h)
        assert sum(map(Fraction, h[:n].tolist())) == exact * Fraction(factor)


def test_orientation_signs_are_those_of_the_exact_determinants(sample, rng):
    for _ in range(10 * N):
        a, b, c, d = sample(rng, 4)
        assert orient3d(a, b, c, d) == exact_oracle.orientation(a, b, c, d)
        a2, b2, c2 = a[:2], b[1:], c[:2]
        assert orient2d(a2, b2, c2) == exact_oracle.orientation(a2, b2, c2)


def test_exact_signs_use_the_last_bit_of_the_difference():
    a, b, c = (0.1, 0.2, 0.3), (1.1, 0.25, 0.3), (0.3, 1.7, 0.3)
    for off, sign in ((0.0, 0), (np.spacing(0.3), -1), (-np.spacing(0.3), 1)):
        assert orient3d(a, b, c, (0.77, 0.31, 0.3 + off)) == sign


def test_segments_meet_exactly_where_rational_arithmetic_says(sample, rng):
    for _ in range(N):
        p, q, r, s = sample(rng, 4)
        assert segments_meet(p, q, r, s) == exact_oracle.simplices_meet([p, q], [r, s])


def test_segment_meets_triangle_exactly_where_rational_arithmetic_says(sample, rng):
    for _ in range(N):
        p, q, *abc = sample(rng, 5)
        assert segment_meets_triangle(p, q, *abc) == exact_oracle.simplices_meet([p, q], abc)


def test_triangles_meet_exactly_where_rational_arithmetic_says(sample, rng):
    for _ in range(N):
        a, b = sample(rng, 3), sample(rng, 3)
        assert triangles_meet(*a, *b) == exact_oracle.simplices_meet(a, b)


@pytest.mark.slow
def test_triangles_meet_exactly_in_many_more_random_cases(sample):
    rng = np.random.default_rng(77)
    outcomes = set()
    for _ in range(3000):
        a, b = sample(rng, 3), sample(rng, 3)
        outcomes.add(triangles_meet(*a, *b))
        assert triangles_meet(*a, *b) == exact_oracle.simplices_meet(a, b)
    assert True in outcomes and False in outcomes


@pytest.mark.parametrize("n_a", [1, 2, 3])
@pytest.mark.parametrize("n_b", [1, 2, 3])
def test_wires_and_points_are_triangles_with_equal_corners(sample, rng, n_a, n_b):
    columns = {1: [0, 0, 0], 2: [0, 1, 1], 3: [0, 1, 2]}
    for _ in range(N // 4):
        a, b = sample(rng, n_a), sample(rng, n_b)
        wide_a = [a[k] for k in columns[n_a]]
        wide_b = [b[k] for k in rng.permutation(columns[n_b])]
        assert triangles_meet(*wide_a, *wide_b) == exact_oracle.simplices_meet(a, b)


def test_neighbours_at_a_corner_overlap_only_beyond_it(sample, rng):
    for _ in range(N):
        v, a1, a2, b1, b2 = sample(rng, 5)
        if spread_axis(v, a1, a2) < 0 or spread_axis(v, b1, b2) < 0:
            continue
        weight = exact_oracle.largest_weight([v, a1, a2], [v, b1, b2], {1, 2})
        assert overlap_beyond_vertex(v, a1, a2, b1, b2) == (weight > 0)


def test_neighbours_at_an_edge_overlap_only_when_folded_flat(sample, rng):
    for _ in range(N):
        u, v, a, b = sample(rng, 4)
        if spread_axis(u, v, a) < 0 or spread_axis(u, v, b) < 0:
            continue
        weight = exact_oracle.largest_weight([u, v, a], [u, v, b], {2})
        assert overlap_beyond_edge(u, v, a, b) == (weight > 0)
