"""Scripted motion of a rigid-ipc scene: poses of the principal frame, one for each step.

A row gives the centre of mass and a rotation vector [rad] of the body's principal frame. With P
the principal directions as columns in the body frame (moments ascending), the body itself is at
R = exp(rotation) P^T. The file does not fix the signs of the columns of P (nor P itself where
moments are equal); of all choices that are principal frames we take the one whose first pose is
nearest to the initial orientation.
"""

from itertools import product

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.model.trajectories import PoseTable
from dovetail.model.values import Array

EQUAL_MOMENTS = 1e-6  # relative: meshes are written with about seven digits


def pose_table(
    positions: Array,
    turns: Array,
    start: tuple[Array, Array],
    inertia: Array | None,
    afterwards: tuple[Array, Array],
    step: float,
    until: float,
) -> PoseTable:
    """Targets reached at h, 2h, ..., then constant velocity; nothing moves after `until` [s].

    `positions`, `turns` (n, 3); `start` = (position, rotation) at t = 0; `inertia` in the body
    frame, None where the rows refer to the body frame itself; `afterwards` = velocity [m/s] and
    angular velocity [rad/s].
    """
    principal = np.eye(3)
    if inertia is not None:
        principal = nearest_principal_frame(inertia, start[1].T @ so3.exp(turns[0]))
    rows = [start]
    for position, turn in zip(positions, turns):
        rows.append((position, so3.exp(turn) @ principal.T))
    velocity, spin = afterwards
    if np.any(velocity) or np.any(spin):
        one_turn = so3.exp(spin * step)
        for _ in range(len(rows), _steps(until, step) + 1):
            position, rotation = rows[-1]
            rows.append((position + velocity * step, one_turn @ rotation))
    rows = rows[: max(_steps(until, step) + 1, 1)]
    return PoseTable(
        times=step * np.arange(len(rows)),
        positions=np.array([position for position, _ in rows]),
        rotations=[rotation for _, rotation in rows],
    )


def nearest_principal_frame(inertia: Array, wanted: Array) -> Array:
    """The principal frame P (ascending moments, det = 1) that maximises tr(P^T wanted)."""
    moments, directions = np.linalg.eigh(inertia)
    if np.linalg.det(directions) < 0:
        directions[:, 0] *= -1
    blocks = _equal_blocks(moments)
    overlap = directions.T @ wanted
    best, best_score = np.eye(3), -np.inf
    for handedness in product((1, -1), repeat=len(blocks)):
        if np.prod(handedness) < 0:
            continue
        turn = np.zeros((3, 3))
        for block, sign in zip(blocks, handedness):
            u, _, vt = np.linalg.svd(overlap[block, block])
            u[:, -1] *= sign * np.sign(np.linalg.det(u @ vt))
            turn[block, block] = u @ vt
        score = float(np.sum(turn * overlap))
        if score > best_score:
            best, best_score = directions @ turn, score
    return best


def _equal_blocks(moments: Array) -> list[slice]:
    """Runs of equal moments."""
    blocks, first = [], 0
    for i in range(1, 4):
        if i == 3 or moments[i] - moments[i - 1] > EQUAL_MOMENTS * moments[2]:
            blocks.append(slice(first, i))
            first = i
    return blocks


def _steps(until: float, step: float) -> int:
    return int(np.ceil(until / step - 1e-9))
