"""Poses, screws and bounds along a chain of joint coordinates."""

import numpy as np
import pytest

from dovetail.prove.motion.course import course_of, seen_from_b, spread_over
from dovetail.prove.motion.records import NO_COURSE, Spread, workspace
from dovetail.prove.motion.screw_motion import (
    displacement_bound,
    least_along,
    most_along_box,
    move,
    velocity,
)


def in_box(screws, half):
    return Spread(screws, half, np.ones_like(half), np.zeros_like(half), -1.0)


def random_chain(rng, k):
    """Rotations, translations and helices at random places."""
    rows = np.zeros((k, 6))
    for row in rows:
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        kind = rng.integers(3)
        if kind == 0:
            row[3:] = axis
            continue
        row[:3] = axis
        row[3:] = np.cross(rng.normal(size=3), axis) + (0.3 * axis if kind == 2 else 0.0)
    return rows


def at(chain, s, p):
    R, t = move(chain, s, np.zeros_like(chain))
    return np.array(R) @ p + np.array(t)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_poses_are_products_of_exponentials_and_screws_give_velocities(k):
    rng = np.random.default_rng(k)
    chain, s, p = random_chain(rng, k), rng.normal(size=k), rng.normal(size=3)
    product = np.eye(4)
    for row, value in zip(chain, s):
        xi = np.zeros((4, 4))
        xi[:3, :3] = np.cross(np.eye(3), row[:3])
        xi[:3, :3] = [
            [0, -row[2], row[1]],
            [row[2], 0, -row[0]],
            [-row[1], row[0], 0],
        ]
        xi[:3, 3] = row[3:]
        product = product @ _expm(value * xi)
    assert at(chain, s, p) == pytest.approx((product @ [*p, 1.0])[:3], abs=1e-12)
    screws = np.zeros((k, 6))
    move(chain, s, screws)
    here = tuple(at(chain, s, p))
    for i in range(k):
        step = np.zeros(k)
        step[i] = 1e-6
        rate = (at(chain, s + step, p) - at(chain, s - step, p)) / 2e-6
        assert velocity(screws, i, here) == pytest.approx(rate, abs=1e-8)


def _expm(A):
    total = term = np.eye(4)
    for n in range(1, 40):
        term = term @ A / n
        total = total + term
    return total


@pytest.mark.parametrize("k", [1, 2, 3])
def test_bounds_hold_over_the_cell_and_are_tight_to_third_order(k):
    rng = np.random.default_rng(10 + k)
    for _ in range(40):
        chain, s = random_chain(rng, k), rng.normal(size=k)
        half = rng.uniform(0.0, 0.4, k)
        p0, n = rng.normal(size=3), rng.normal(size=3)
        n /= np.linalg.norm(n)
        screws = np.zeros((k, 6))
        move(chain, s, screws)
        here = at(chain, s, p0)
        samples = s + half * rng.uniform(-1, 1, (300, k))
        corners = s + half * np.array(np.meshgrid(*[[-1, 1]] * k)).reshape(k, -1).T
        moved = np.array([at(chain, x, p0) for x in (*samples, *corners)]) - here
        low = least_along(in_box(screws, half), tuple(n), tuple(here))
        assert low <= np.min(moved @ n) + 1e-12
        far = displacement_bound(screws, half, tuple(here), 0.0)
        assert np.max(np.linalg.norm(moved, axis=1)) <= far + 1e-12
        axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        most = most_along_box(
            in_box(screws, half), tuple(n), tuple(here), axes, (0.0, 0.0, 0.0), 0.0
        )
        assert np.max(np.abs(moved @ n)) <= most + 1e-12
        if k == 1:  # with one coordinate only the third derivative is bounded, the rest is exact
            assert np.min(moved @ n) - low <= 2 * half[0] ** 3 * far / max(half[0], 1e-9)


def test_a_point_that_rotates_away_keeps_its_distance_to_second_order():
    """The rim of a pin: its points move along a wall and then away from it."""
    screws = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    half = np.array([0.1])
    low = least_along(in_box(screws, half), (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))  # wall at x > 1
    assert -(0.1**3) / 5.9 <= low <= 0.0
    towards = least_along(in_box(screws, half), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert towards == pytest.approx(np.cos(0.1) - 1.0, abs=0.1**3 / 5)


def test_bounds_on_a_course_hold_and_shrink_with_the_square_of_the_cell():
    """Coordinates that are cubics of one parameter, in cells of one and of several pieces."""
    rng = np.random.default_rng(3)
    k = 3
    for _ in range(20):
        chain, p, n = random_chain(rng, k), rng.normal(size=3), rng.normal(size=3)
        n /= np.linalg.norm(n)
        knots = np.array([0.0, 0.3, 0.7, 1.0])
        cubics = np.zeros((3, k, 4))
        value = rng.normal(size=k)
        for i, h in enumerate(np.diff(knots)):
            cubics[i, :, 0], cubics[i, :, 1:] = value, rng.normal(size=(k, 3))
            value = cubics[i] @ h ** np.arange(4)
        course = course_of(knots, cubics, np.zeros(k))
        work, slack = workspace(1, 1, k), []
        for low, high in ((0.05, 0.95), (0.31, 0.69), (0.45, 0.55), (0.49, 0.51)):
            spread = spread_over(course, np.array([low]), np.array([high]), work)
            R, x = move(chain, work.middle, work.screws)
            here = np.array(R) @ p + np.array(x)
            bound = least_along(spread, tuple(n), tuple(here))
            axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
            most = most_along_box(spread, tuple(n), tuple(here), axes, (0.0, 0.0, 0.0), 0.0)
            seen = []
            for t in np.linspace(low, high, 41):
                i = min(int(np.searchsorted(knots, t, "right")) - 1, 2)
                s = cubics[i] @ (t - knots[i]) ** np.arange(4)
                seen.append(n @ (at(chain, s, p) - here))
            assert bound <= min(seen) + 1e-14
            assert np.abs(seen).max() <= most + 1e-14
            slack.append(min(seen) - bound)
        assert slack[-1] < 0.06 * slack[-2] + 1e-12  # a fifth of the width: 0.04


def test_a_spread_without_a_course_is_the_box():
    work = workspace(1, 2, 2)
    spread = spread_over(NO_COURSE, np.array([0.0, 1.0]), np.array([1.0, 4.0]), work)
    assert spread.along < 0.0
    assert list(work.middle) == [0.5, 2.5] and list(spread.half) == [0.5, 1.5]


def test_the_motion_seen_from_b_is_the_inverse():
    """Points of a move by the inverse of the product, about the middle of the cell."""
    rng = np.random.default_rng(8)
    k = 3
    for _ in range(10):
        chain, p, n = random_chain(rng, k), rng.normal(size=3), rng.normal(size=3)
        n /= np.linalg.norm(n)
        low, high = np.sort(rng.normal(scale=0.2, size=(2, k)), axis=0)
        work = workspace(1, k, k)
        spread = spread_over(NO_COURSE, low, high, work)
        R_m, x_m = (np.array(part) for part in move(chain, work.middle, work.screws))
        back = seen_from_b(spread, work)
        bound = least_along(back, tuple(n), tuple(p))
        seen = []
        for s in low + rng.uniform(size=(200, k)) * (high - low):
            R, x = (np.array(part) for part in move(chain, s, np.zeros((k, 6))))
            seen.append(n @ (R_m @ (R.T @ (p - x)) + x_m - p))
        assert bound <= min(seen) + 1e-14
        assert min(seen) <= 0.3 * bound  # no looser than that
