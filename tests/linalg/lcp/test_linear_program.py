"""Linear programs against SciPy's, feasible, infeasible and unbounded."""

import numpy as np
import pytest
from scipy.optimize import linprog

from dovetail.linalg.lcp.linear_program import minimise

STATUS = {0: "solved", 2: "infeasible", 3: "unbounded"}


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("whole", [True, False], ids=["small integers", "any numbers"])
def test_every_outcome_equals_scipys(nonnegative, whole):
    rng = np.random.default_rng(17)
    seen = set()
    for _ in range(200):
        m, n = rng.integers(1, 7), rng.integers(1, 5)
        draw = (lambda *shape: rng.integers(-2, 3, shape).astype(float)) if whole else (
            lambda *shape: rng.normal(size=shape)
        )  # fmt: skip
        c, G, h = draw(n), draw(m, n), draw(m)
        ours = minimise(c, G, h, nonnegative)
        bounds = (0, None) if nonnegative else (None, None)
        theirs = linprog(c, A_ub=G, b_ub=h, bounds=bounds)
        status = STATUS.get(theirs.status, "unbounded")
        if status != "solved":  # which of the others it is, SciPy confuses where c is not zero
            feasible = linprog(0 * c, A_ub=G, b_ub=h, bounds=bounds).status == 0
            status = "unbounded" if feasible else "infeasible"
        assert ours.status == status
        seen.add(ours.status)
        if ours.status == "solved":
            assert c @ ours.x == pytest.approx(theirs.fun, abs=1e-8)
            assert np.all(G @ ours.x <= h + 1e-8)
            assert not nonnegative or np.all(ours.x >= -1e-12)
    assert seen == set(STATUS.values())


def test_beales_cycling_example_ends():
    c = np.array([-0.75, 150, -0.02, 6])
    G = np.array([[0.25, -60, -0.04, 9], [0.5, -90, -0.02, 3], [0, 0, 1, 0]])
    found = minimise(c, G, np.array([0.0, 0, 1]), nonnegative=True)
    assert found.status == "solved" and c @ found.x == pytest.approx(-0.05)
