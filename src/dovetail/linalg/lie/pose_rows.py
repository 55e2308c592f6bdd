"""Poses, twists and 6x6 matrices as rows of arrays."""

from dovetail.linalg.lie.each import Rows
from dovetail.runtime.jit import jit


@jit
def load_twist(a, i):
    """Row i of an (n, 6) array as (angular, linear)."""
    return ((a[i, 0], a[i, 1], a[i, 2]), (a[i, 3], a[i, 4], a[i, 5]))


@jit
def store_twist(a, i, twist):
    """Row i of an (n, 6) array becomes (angular, linear)."""
    for c in range(3):
        a[i, c] = twist[0][c]
        a[i, 3 + c] = twist[1][c]


@jit
def load_pose(a, i):
    """Entry i of an (n, 4, 4) array [[R, p], [0, 1]] as (R, p)."""
    return (
        (
            (a[i, 0, 0], a[i, 0, 1], a[i, 0, 2]),
            (a[i, 1, 0], a[i, 1, 1], a[i, 1, 2]),
            (a[i, 2, 0], a[i, 2, 1], a[i, 2, 2]),
        ),
        (a[i, 0, 3], a[i, 1, 3], a[i, 2, 3]),
    )


@jit
def store_pose(a, i, pose):
    """Entry i of an (n, 4, 4) array becomes [[R, p], [0, 1]]."""
    for r in range(3):
        row = pose[0][r]
        for c in range(3):
            a[i, r, c] = row[c]
        a[i, r, 3] = pose[1][r]
        a[i, 3, r] = 0.0
    a[i, 3, 3] = 1.0


@jit
def store_coupled(a, i, blocks):
    """Entry i of an (n, 6, 6) array becomes [[A, 0], [B, A]]."""
    for r in range(3):
        row_a, row_b = blocks[0][r], blocks[1][r]
        for c in range(3):
            a[i, r, c] = row_a[c]
            a[i, r, 3 + c] = 0.0
            a[i, 3 + r, c] = row_b[c]
            a[i, 3 + r, 3 + c] = row_a[c]


@jit
def store_decoupled(a, i, blocks):
    """Entry i of an (n, 6, 6) array becomes [[A, 0], [0, B]]."""
    for r in range(3):
        row_a, row_b = blocks[0][r], blocks[1][r]
        for c in range(3):
            a[i, r, c] = row_a[c]
            a[i, r, 3 + c] = 0.0
            a[i, 3 + r, c] = 0.0
            a[i, 3 + r, 3 + c] = row_b[c]


TWIST = Rows(load_twist, store_twist, (6,))
POSE = Rows(load_pose, store_pose, (4, 4))
COUPLED = Rows(None, store_coupled, (6, 6))
DECOUPLED = Rows(None, store_decoupled, (6, 6))
