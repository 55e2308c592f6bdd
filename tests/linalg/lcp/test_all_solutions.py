"""Every solution: exact arithmetic as the oracle, continua described, degenerate points once."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import dovetail as dt


def exact_solution_on(A, b, support):
    """x on `support` in fractions, or None (no solution there), or "singular"."""
    n, m = len(b), len(support)
    rows = [[Fraction(int(A[i][j])) for j in support] + [Fraction(-int(b[i]))] for i in support]
    for column in range(m):
        pivot = next((r for r in range(column, m) if rows[r][column]), None)
        if pivot is None:
            return "singular"
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for r in range(m):
            if r != column and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [a - factor * p for a, p in zip(rows[r], rows[column])]
    x = [Fraction(0)] * n
    for i, row in zip(support, rows):
        x[i] = row[-1]
    y = [sum(int(A[i][j]) * x[j] for j in range(n)) + int(b[i]) for i in range(n)]
    return tuple(x) if min(x) >= 0 and min(y) >= 0 else None


def test_enumeration_finds_exactly_the_solutions_exact_arithmetic_finds():
    random = np.random.default_rng(5)
    compared = 0
    while compared < 400:
        n = int(random.integers(1, 5))
        A, b = random.integers(-3, 4, (n, n)), random.integers(-3, 4, n)
        supports = [s for m in range(n + 1) for s in combinations(range(n), m)]
        exact = [exact_solution_on(A, b, support) for support in supports]
        if "singular" in exact:
            continue
        expected = {solution for solution in exact if solution is not None}
        found = dt.lcp.all_solutions(A, b)
        assert not found.families
        assert len(found) == len(expected)
        for solution in expected:
            wanted = np.array([float(value) for value in solution])
            assert min(np.max(np.abs(wanted - p)) for p in found.points) < 1e-12
        compared += 1


def test_a_degenerate_solution_that_many_bases_share_is_counted_once():
    found = dt.lcp.all_solutions(np.eye(8), np.zeros(8))
    assert found.kind == "unique"
    assert np.array_equal(found.points, np.zeros((1, 8)))


def test_a_rigid_table_on_four_legs_has_a_bounded_line_of_leg_forces():
    """Four unilateral legs under one rigid plate of weight W: statics leaves one force free."""
    legs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    rows = np.column_stack([np.ones(4), legs])  # heave, roll, pitch of unit inertia
    found = dt.lcp.all_solutions(rows @ rows.T, rows @ np.array([-8.0, 0.0, 0.0]))
    assert found.kind == "infinite"
    inside = next(f for f in found.families if len(f.support) == 4)
    assert np.allclose(rows.T @ inside.point, [8.0, 0.0, 0.0], atol=1e-12)
    ends = np.array(sorted(map(tuple, inside.ends)))
    assert np.allclose(ends, [[0, 4, 4, 0], [4, 0, 0, 4]], atol=1e-12)


def test_a_family_without_end_says_so():
    found = dt.lcp.all_solutions([[0.0]], [0.0])
    (family,) = found.families
    assert sorted(family.ends, key=lambda end: end is None)[0] == pytest.approx([0.0])
    assert None in family.ends
    assert found.kind == "infinite"


def test_a_plane_of_solutions_is_found_and_spans_two_directions():
    """x1 + x2 + x3 = 1, all y equal to zero."""
    found = dt.lcp.all_solutions(np.ones((3, 3)), -np.ones(3))
    widest = max(found.families, key=lambda family: len(family.support))
    assert widest.directions.shape == (2, 3)
    assert np.allclose(widest.directions.sum(axis=1), 0.0, atol=1e-12)
    assert widest.point.sum() == pytest.approx(1.0, abs=1e-12)


def test_units_do_not_change_how_many_solutions_there_are():
    A, b = np.array([[-1.0, 0.3], [0.2, -1.0]]), np.array([1.0, 1.0])
    for force, length in ((1e-6, 1e3), (1e9, 1e-9)):
        S = np.diag([force, length])
        found = dt.lcp.all_solutions(S @ A @ S, S @ b)
        assert found.kind == "many"
        assert len(found) == 4
        back = np.array(sorted((S @ p).tolist() for p in found.points))
        plain = np.array(sorted(dt.lcp.all_solutions(A, b).points.tolist()))
        assert np.allclose(back, plain, rtol=1e-12, atol=1e-14)


def test_a_family_is_reported_once_and_not_again_for_larger_supports():
    """x1 is free, x2 = 0 throughout: one half line, though {x1, x2} is singular too."""
    found = dt.lcp.all_solutions(np.diag([0.0, 1.0]), np.zeros(2))
    assert [family.support for family in found.families] == [(0,)]
