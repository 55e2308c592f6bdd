"""How many solutions, and what the matrix promises for every right-hand side."""

import numpy as np
import pytest
from random_problems import random_problems

import dovetail as dt


@pytest.mark.parametrize(
    ("A", "b", "kind"),
    [
        ([[2.0]], [-1.0], "unique"),
        ([[-1.0]], [1.0], "many"),
        ([[-1.0]], [-1.0], "none"),
        ([[0.0]], [0.0], "infinite"),
        ([[0.0]], [1.0], "unique"),
        ([[-1.0]], [0.0], "unique"),
    ],
)
def test_kinds_of_one_unknown(A, b, kind):
    assert dt.lcp.classify(A, b).kind == kind


def test_p_matrices_are_those_with_positive_principal_minors():
    from itertools import combinations

    seen = {True: 0, False: 0}
    for _, A, b in random_problems(600, seed=3, largest=4):
        n = len(b)
        minors = [
            np.linalg.det(A[np.ix_(s, s)])
            for m in range(1, n + 1)
            for s in combinations(range(n), m)
        ]
        if min(map(abs, minors)) < 1e-6:
            continue
        verdict = dt.lcp.classify(A, b)
        assert verdict.is_p_matrix == (min(minors) > 0)
        assert not verdict.is_degenerate
        assert not verdict.is_p_matrix or verdict.kind == "unique"
        seen[verdict.is_p_matrix] += 1
    assert min(seen.values()) > 50


def test_a_p_matrix_need_not_be_positive_definite():
    """The paper requires positive definite; P is what uniqueness for every b needs."""
    verdict = dt.lcp.classify([[1.0, -10.0], [0.0, 1.0]], [1.0, 1.0])
    assert verdict.is_p_matrix
    assert not verdict.is_positive_definite
    assert not verdict.is_copositive


def test_copositive_matrices_have_no_negative_direction_among_sampled_ones():
    random = np.random.default_rng(6)
    seen = {True: 0, False: 0}
    for _ in range(300):
        n = int(random.integers(2, 6))
        A = random.normal(size=(n, n)) + 0.8 * np.eye(n)
        samples = random.dirichlet(np.full(n, 0.4), size=4000)
        least = np.min(np.einsum("ki,ij,kj->k", samples, A, samples))
        verdict = dt.lcp.classify(A, np.ones(n))
        if least < 0:
            assert not verdict.is_copositive
        elif least > 0.05:
            assert verdict.is_copositive
        seen[verdict.is_copositive] += 1
    assert min(seen.values()) > 30


def test_the_horn_matrix_is_copositive_although_not_semidefinite_plus_non_negative():
    horn = np.array(
        [[1, -1, 1, 1, -1], [-1, 1, -1, 1, 1], [1, -1, 1, -1, 1], [1, 1, -1, 1, -1],
         [-1, 1, 1, -1, 1]], float,
    )  # fmt: skip
    assert dt.lcp.classify(horn, np.ones(5)).is_copositive
    assert not dt.lcp.classify(horn - 0.01 * np.eye(5), np.ones(5)).is_copositive


def test_degeneracy_of_the_matrix_and_of_a_solution_are_distinguished():
    matrix = dt.lcp.classify([[1.0, 1.0], [1.0, 1.0]], [1.0, 2.0])
    assert (matrix.is_degenerate, matrix.has_degenerate_solution) == (True, False)
    point = dt.lcp.classify([[1.0]], [0.0])
    assert (point.is_degenerate, point.has_degenerate_solution) == (False, True)


def test_large_problems_are_classified_where_that_is_possible():
    assert dt.lcp.classify(np.eye(50), -np.ones(50)).kind == "unique"
    assert dt.lcp.classify(-np.eye(50), -np.ones(50)).kind == "none"
    with pytest.raises(dt.InputError, match=r"at most 20 rows.*got 50 rows"):
        dt.lcp.classify(-np.eye(50), np.ones(50))
