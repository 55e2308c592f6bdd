"""Lemke's method and the automatic choice against all solutions, on random problems."""

from collections import Counter

import numpy as np
import pytest
from random_problems import random_problems

import dovetail as dt


@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_lemke_agrees_with_the_enumeration_of_all_solutions(count):
    """Counts what must hold, so that a batch that misses a class of problems fails too."""
    seen = Counter()
    for kind, A, b in random_problems(count):
        every = dt.lcp.all_solutions(A, b)
        lemke = dt.lcp.solve(A, b, method="lemke")
        assert every.complete
        for solution in every:
            assert_solves(A, b, solution)
        if lemke.solved:
            assert_solves(A, b, lemke)
            assert every.families or nearest(lemke.x, every.points) < 1e-8
        elif kind in ("definite", "semidefinite", "skew"):  # copositive-plus: a ray is a proof
            assert every.kind == "none", (A, b)
        seen[kind, every.kind, lemke.solved] += 1
        if not lemke.solved:
            chosen = dt.lcp.solve(A, b)
            assert chosen.solved == (len(every) > 0), (A, b)
            assert chosen.has_none == (every.kind == "none")
    unsolvable = sum(n for (_, kind, _), n in seen.items() if kind == "none")
    assert unsolvable > 0.2 * count
    assert sum(n for (_, kind, _), n in seen.items() if kind == "many") > 0.1 * count
    assert sum(n for (_, kind, _), n in seen.items() if kind == "infinite") >= 0.01 * count
    assert all(seen["definite", kind, False] == 0 for kind in ("unique", "none", "many"))
    solvable = sum(n for (_, kind, _), n in seen.items() if kind != "none")
    found = sum(n for (_, kind, solved), n in seen.items() if kind != "none" and solved)
    assert found > 0.85 * solvable  # the rest are matrices Lemke's path may end on a ray for


def assert_solves(A, b, solution):
    """Complementarity to 1e-10 of the size of the terms."""
    x, y = solution.x, A @ solution.x + b
    size = 1.0 + np.abs(A) @ np.abs(x) + np.abs(b)
    assert np.max(np.abs(np.minimum(x, y / size))) < 1e-10
    assert solution.residual < 1e-10
    assert np.allclose(solution.y, y, rtol=0, atol=1e-12 * np.max(size))


def nearest(x, points):
    return min(np.max(np.abs(x - p)) / max(1.0, np.max(np.abs(x))) for p in points)
