"""Loops factored along the freedoms of joints, against the dense matrix."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.shared.constrained_state import ConstrainedState
from dovetail.integrators.variational.stages import mass_blocks, set_modes
from dovetail.linalg.kkt.rows import OFF
from dovetail.linalg.kkt.tree import factor_at, solve
from dovetail.model.joints import Actuation
from dovetail.multibody.constraints.rows import evaluate
from dovetail.runtime.jit import jit


def net(seed):
    """Bodies in a random graph of joints of all kinds, dampers, rotors and prescribed motions."""
    rng = np.random.default_rng(seed)
    scene = dt.Scene()
    n = 7
    for k in range(n):
        rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        rotation *= np.sign(np.linalg.det(rotation))
        scene.add_body(
            f"b{k}", mass=rng.uniform(0.5, 3), inertia=np.diag(rng.uniform(1, 1.6, 3)),
            position=rng.normal(size=3), rotation=rotation,
        )  # fmt: skip
    for k in range(n + 4):
        b = k if k < n else int(rng.integers(1, n))
        a = int(rng.integers(-1, b))
        axis = rng.normal(size=3)
        acting = Actuation(damping=rng.choice([0.0, 2.0, 1e7]), armature=rng.choice([0.0, 0.7]))
        kind = rng.integers(5)
        point = rng.normal(size=3)
        joint = [
            dt.Spherical(point), dt.Revolute(point, axis, actuation=acting),
            dt.Prismatic(point, axis, actuation=acting),
            dt.Universal(point, axis, np.cross(axis, point)), dt.Cylindrical(point, axis),
        ][kind]  # fmt: skip
        if k >= n:
            joint = dt.Spherical(point)
        scene.add_joint(f"j{k}", joint, "ground" if a < 0 else f"b{a}", f"b{b}")
    return scene.build()


@jit
def prepare(parts, h):
    now, kkt = parts.now, parts.kkt
    evaluate(parts.rows, now.x, now.R, now.angle, now.phi, now.angle, now.G)
    set_modes(parts.constants, kkt, now.active, True, True, h)
    mass_blocks(parts.constants, parts.tree.order, kkt.A)
    return factor_at(parts.tree, now.x, now.R, now.G, kkt)


@jit
def solved(parts):
    work = parts.work
    solve(parts.tree, parts.now.G, parts.now.G, parts.kkt, work.c, work.u, work.lam)


@pytest.mark.parametrize("seed", range(12))
def test_the_dense_matrix_gives_the_same(seed):
    state = ConstrainedState(net(seed), None)
    now, kkt, work, tree = state.now, state.kkt, state.work, state.system.tree
    assert prepare(state.parts, 1e-2) == -1
    assert kkt.articulated.used[0] == 1
    n, r = len(now.x), len(kkt.mode)
    on = np.flatnonzero(kkt.mode != OFF)
    rng = np.random.default_rng(seed)
    K = np.zeros((6 * n + r, 6 * n + r))
    for i in range(n):
        K[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = kkt.A[i]
    for row in on:
        for side, i in enumerate(tree.body[row]):
            if i >= 0:
                K[6 * n + row, 6 * i : 6 * i + 6] += now.G[row, side]
                K[6 * i : 6 * i + 6, 6 * n + row] += now.G[row, side]
        K[6 * n + row, 6 * n + row] = -kkt.D[row]
    for row in np.flatnonzero(kkt.mode == OFF):
        K[6 * n + row, 6 * n + row] = -1.0
    known = rng.normal(size=6 * n + r)  # a right-hand side that implied rows do not contradict
    known[6 * n :][kkt.mode == OFF] = 0.0
    right = K @ known
    kkt.b[...], work.c[...] = right[: 6 * n].reshape(n, 6), right[6 * n :]
    solved(state.parts)
    assert np.abs(work.u.ravel() - known[: 6 * n]).max() < 1e-7
    found = K @ np.concatenate([work.u.ravel(), work.lam])
    assert np.abs(found - right).max() < 1e-7 * np.abs(right).max()
