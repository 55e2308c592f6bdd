"""Random trees of bodies for the tests: any joint kinds, numbers, directions and poses."""

import numpy as np

from dovetail.model.joints.registry import BUILT_IN
from dovetail.multibody.tree import TreeBody, TreeJoint


def random_rotation(rng):
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


def random_body(rng):
    spread = rng.normal(size=(3, 3))
    J = spread @ spread.T
    return TreeBody(
        mass=rng.uniform(0.5, 3.0),
        com=rng.uniform(-1, 1, 3),
        rotation=random_rotation(rng),
        inertia=np.trace(J) * np.eye(3) - J + 0.1 * np.eye(3),
    )


def random_tree_parts(rng, kinds, turn=True):
    """Bodies and joints of a random tree with these kinds of joints.

    With `turn`, body numbers, joint order and joint directions are shuffled; without, joint k
    holds body k and points to it from a body with a smaller number.
    """
    n = len(kinds)
    number = np.concatenate(([0], rng.permutation(n) + 1)) if turn else np.arange(n + 1)
    joints = []
    for child, kind in enumerate(kinds, 1):
        pair = (int(number[rng.integers(0, child)]), int(number[child]))
        axes = random_rotation(rng)
        joints.append(
            TreeJoint(
                kind=kind,
                bodies=pair[::-1] if turn and rng.random() < 0.5 else pair,
                point=rng.uniform(-1, 1, 3),
                axis=axes[0],
                axis2=axes[1],
                pitch=rng.uniform(-1, 1),
            )
        )
    if turn:
        joints = [joints[k] for k in rng.permutation(n)]
    return [random_body(rng) for _ in range(n)], joints


def random_kinds(rng, n):
    """Every kind of joint at least once when n allows, then any, in random order."""
    kinds = [*BUILT_IN, *rng.choice(list(BUILT_IN), max(0, n - len(BUILT_IN)))][:n]
    return [str(kind) for kind in rng.permutation(kinds)]
