"""What the judge calls clear is clear all along the arc, not only along its tangent."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.kernels.intersection import triangles_meet
from dovetail.kernels.path_clearance import leaves_stay_apart
from dovetail.kernels.plane_clearance import height_range


def tuples(rows):
    return tuple(map(tuple, np.asarray(rows, float).tolist()))


def moved(corners, centre, v, w, tau):
    R = Rotation.from_rotvec(tau * np.asarray(w)).as_matrix()
    return (corners - centre) @ R.T + centre + tau * np.asarray(v)


def test_a_tip_whose_arc_bends_into_a_wall_is_not_called_clear_by_its_tangent():
    tip = tuples([(1, 0, 0)] * 3)
    wall = tuples([(0.9, -5, 0), (0.9, 5, 0), (0.9, 5, 0)])
    zero, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    assert leaves_stay_apart(tip, wall, zero, zero, spin, zero, 0.4, 1e-14)  # cos 0.4 = 0.92
    assert not leaves_stay_apart(tip, wall, zero, zero, spin, zero, 0.5, 1e-14)  # cos 0.5 = 0.88


@pytest.mark.parametrize("flat", [False, True])
def test_triangles_called_clear_do_not_meet_anywhere_on_a_random_way(flat):
    rng = np.random.default_rng(3)
    cleared = 0
    for _ in range(300):
        A, B = rng.normal(size=(2, 3, 3))
        if flat:
            A[2], B[1:] = A[1], B[0]  # a wire and a point
        D, v, w_a, w_b = rng.normal(size=(4, 3))
        half = rng.uniform(0.01, 0.6)
        B += D
        vectors = (tuple(row) for row in (D, v, w_a, w_b))
        if not leaves_stay_apart(tuples(A), tuples(B), *vectors, half, 1e-14):
            continue
        cleared += 1
        for tau in np.linspace(-half, half, 60):
            a, b = moved(A, np.zeros(3), np.zeros(3), w_a, tau), moved(B, D, v, w_b, tau)
            assert not triangles_meet(*tuples(a), *tuples(b))
    assert cleared > 20


def test_the_least_height_over_a_moving_plane_is_below_all_heights_on_the_way():
    rng = np.random.default_rng(4)
    for _ in range(300):
        D, r, v, w, w_h = rng.normal(size=(5, 3))
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        half = rng.uniform(0.01, 1.0)
        arguments = (tuple(row) for row in (D + r, v, w, r, n, w_h))
        now, least = height_range(*arguments, half)
        heights = [
            Rotation.from_rotvec(tau * w_h).apply(n)
            @ (D + tau * v + Rotation.from_rotvec(tau * w).apply(r))
            for tau in np.linspace(-half, half, 41)
        ]
        assert heights[20] == pytest.approx(now)
        assert least <= min(heights) + 1e-12
