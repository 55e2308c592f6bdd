"""The positive part of a pair's Hessian, against NumPy."""

import numpy as np
import pytest

from dovetail.collision.distance.derivatives import PAIR_ROW, expand
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.newton.projection import merge_rows, project_row
from simplex_pairs import EVERY, ON_A, TERMS, sample, tuples

RIM = 0.7


def whole(rows, r=0):
    gradient, H = np.empty(12), np.empty((12, 12))
    expand(rows, r, gradient, H)
    return gradient, H


def contact(kind, case, seed):
    rng = np.random.default_rng([case, seed])
    points, centres = sample(kind, case, rng), rng.normal(size=(2, 3))
    rows = np.zeros((2, PAIR_ROW))
    TERMS[kind](*tuples(points), *tuples(centres), Barrier(6.0, 0.05, 1.7), 1.0, rows, 0)
    return rows


@pytest.mark.parametrize(("kind", "case"), EVERY)
def test_projection_keeps_the_positive_part_of_a_hessian(kind, case):
    assert ON_A[kind] >= 1
    rows = contact(kind, case, 1)
    _, H = whole(rows)
    assert np.linalg.eigvalsh(H)[0] < -1e-3 * np.abs(H).max()  # there is something to project
    # in (s_a - s_b, w_a, w_b) as in all twelve: a common shift costs nothing. Measured in the
    # same unit, the relative shift is sqrt(2) of either, so the parts agree where that is kept
    square = np.empty((3, 9, 9))
    project_row(rows, 0, RIM, *square)
    _, projected = whole(rows)
    values = np.linalg.eigvalsh(projected)
    assert values[0] > -1e-12 * values[-1]
    units = np.array([1.0] * 3 + [RIM] * 6)
    nine = np.r_[0:6, 9:12]
    A = H[np.ix_(nine, nine)] / units[:, None] / units
    values, vectors = np.linalg.eigh(A)
    expected = units[:, None] * (vectors * np.maximum(values, 0)) @ vectors.T * units
    np.testing.assert_allclose(
        projected[np.ix_(nine, nine)], expected, rtol=0, atol=1e-12 * np.abs(H).max()
    )


def test_merging_two_rows_adds_their_contacts():
    """Row 0 has body a first, row 1 body b."""
    rows = contact("point-triangle", 6, 2)
    rows[1] = contact("edge-edge", 8, 3)[0]
    (g, H), (g_back, H_back) = whole(rows), whole(rows, 1)
    swap = np.r_[6:12, 0:6]
    merge_rows(rows, 0)
    gradient, merged = whole(rows)
    np.testing.assert_allclose(gradient, g + g_back[swap], rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(merged, H + H_back[np.ix_(swap, swap)], rtol=1e-13, atol=1e-12)
    assert not rows[1].any()
