"""The stated bounds of rounding hold, checked with fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.collision.bvh.pairs import box_at_pose
from dovetail.collision.relative_pose import relative_pose


def exact(array) -> list:
    """The same numbers, nested alike, as fractions."""
    if np.ndim(array) == 0:
        return Fraction(float(array))
    return [exact(part) for part in array]


def image(R, t, r) -> list[Fraction]:
    return [sum((m * x for m, x in zip(row, r)), start) for row, start in zip(R, t)]


@pytest.mark.parametrize("magnitude", [1e-3, 1.0, 1e5])
def test_the_box_at_a_pose_holds_every_corner_of_the_turned_box_exactly(magnitude):
    rng = np.random.default_rng(8)
    for _ in range(200):
        R = Rotation.random(random_state=rng).as_matrix()
        t = rng.normal(size=3) * magnitude
        lower = rng.normal(size=3) * 10.0 ** rng.integers(-3, 4)
        upper = lower + rng.random(3) * rng.integers(0, 2, 3)
        rows = tuple(tuple(row) for row in R.tolist())
        box = np.concatenate([lower, upper])[None]
        centre, half = box_at_pose(box, 0, rows, tuple(t.tolist()), 0.0)
        for choice in np.ndindex(2, 2, 2):
            corner = np.where(choice, upper, lower)
            for x, c, h in zip(image(exact(R), exact(t), exact(corner)), centre, half):
                # the traversal compares with the rounded bounds
                assert Fraction(c - h) <= x <= Fraction(c + h)


@pytest.mark.parametrize("defect", [0.0, 1e-9])
@pytest.mark.parametrize("distance", [0.1, 10.0, 1e6])
def test_points_that_coincide_in_the_world_do_so_in_the_frame_of_one_body_up_to_the_slack(
    defect, distance
):
    rng = np.random.default_rng(9)
    largest = Fraction(0)
    for _ in range(200):
        R_a, R_b = Rotation.random(2, random_state=rng).as_matrix()
        R_a = R_a + defect * rng.normal(size=(3, 3))
        x_a, x_b = rng.normal(size=(2, 3)) * distance
        r_b = rng.normal(size=3)
        p_b = R_b @ r_b + x_b
        r_a = np.linalg.solve(R_a, p_b - x_a)
        p_a = R_a @ r_a + x_a
        radius_a, radius_b = np.linalg.norm(r_a), np.linalg.norm(r_b)
        pose = relative_pose(x_a, R_a, x_b, R_b, radius_a, radius_b)
        # what is left of the gap in the world, turned into a's frame
        gap = image(
            exact(R_a.T), [Fraction(0)] * 3, [p - q for p, q in zip(exact(p_b), exact(p_a))]
        )
        there = image(exact(pose.R), exact(pose.t), exact(r_b))
        off = max(abs(y - x - g) for x, y, g in zip(exact(r_a), there, gap))
        assert off <= Fraction(pose.slack)
        largest = max(largest, off / Fraction(pose.slack))
    assert largest > Fraction(1, 200)  # the bound is of the right size
