"""Turned boxes around bodies, and whether two of them overlap."""

import numpy as np
import pytest
from scipy.optimize import linprog

import dovetail as dt
from dovetail.collision.broad_phase.obb import Obb, overlap, tight_box
from dovetail.linalg.lie import so3


@pytest.mark.parametrize("seed", range(6))
def test_a_turned_block_gets_its_own_box(seed):
    random = np.random.default_rng(seed)
    size = random.uniform(0.5, 3, 3)
    R = so3.exp(random.normal(size=3))
    corners = dt.Box(size).surface().vertices @ R.T + random.normal(size=3)
    box = tight_box(corners)
    assert box.volume < 1.02 * np.prod(size)
    local = (corners - box.centre) @ box.axes
    assert np.all(np.abs(local) <= np.array(box.half) * (1 + 1e-9) + 1e-12)


def test_a_flat_body_gets_a_flat_box():
    box = tight_box(np.array([[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0.0]]))
    assert sorted(box.half) == pytest.approx([0, 0.5, 1])


def share_a_point(a: Obb, pose_a, b: Obb, pose_b) -> bool:
    """By linear programming: a point with |A^T (p - c)| <= h in both boxes."""
    rows, limits = [], []
    for box, (R, x) in ((a, pose_a), (b, pose_b)):
        axes, centre = (R @ box.axes).T, R @ box.centre + x
        rows += [axes, -axes]
        limits += [axes @ centre + box.half, -axes @ centre + box.half]
    found = linprog(
        np.zeros(3), np.concatenate(rows), np.concatenate(limits), bounds=[(None, None)] * 3
    )
    return found.status == 0


def test_the_fifteen_axes_decide_as_linear_programming_does():
    random = np.random.default_rng(1)
    outcomes = []
    for _ in range(300):
        boxes = [Obb(random.normal(size=3) * 0.1, so3.exp(random.normal(size=3)),
                     tuple(random.uniform(0.05, 1, 3))) for _ in range(2)]  # fmt: skip
        poses = [(so3.exp(random.normal(size=3)), random.normal(size=3) * 0.8) for _ in range(2)]
        ours = overlap(boxes[0], poses[0], boxes[1], poses[1])
        assert ours == share_a_point(boxes[0], poses[0], boxes[1], poses[1])
        outcomes.append(ours)
    assert 60 < sum(outcomes) < 240
