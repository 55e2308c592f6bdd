"""The elimination from leaves to root against a dense solve."""

import numpy as np
import pytest

from dovetail.linalg.kkt import tree as kkt_tree
from dovetail.linalg.kkt.records import bundle_elimination, bundle_kkt, kkt_workspace
from dovetail.linalg.kkt.rows import HARD, OFF, SOFT
from dovetail.multibody.constraints.elimination import eliminate
from dovetail.multibody.constraints.row import Row


def random_system(rng, n, extra_loops, soft=False, coupled=False):
    """A random tree of n bodies over the ground with some rows more, and random blocks."""
    rows, joint = [], 0
    for i in range(n):
        above = int(rng.integers(-1, i)) if i else -1
        pair = (above, i) if rng.random() < 0.5 else (i, above)
        rows += [Row(0, pair, joint=joint) for _ in range(rng.integers(1, 6))]
        joint += 1
    for _ in range(extra_loops):
        a, b = rng.choice(n, 2, replace=False)
        rows += [Row(0, (int(a), int(b)), joint=joint) for _ in range(rng.integers(1, 3))]
        joint += 1
    ordered, tree = eliminate(rows, np.ones(n, bool), coupled)
    workspace = kkt_workspace(tree, coupled)
    workspace.coupling[...] = 0.1 * rng.normal(size=workspace.coupling.shape)
    r = len(ordered)
    spread = rng.normal(size=(n, 6, 6))
    workspace.A[...] = spread @ spread.transpose(0, 2, 1) + np.eye(6)
    workspace.A[...] += 0.1 * rng.normal(size=workspace.A.shape)  # not symmetric
    G0 = rng.normal(size=(r, 2, 6))
    G1 = G0 + 0.05 * rng.normal(size=(r, 2, 6))
    workspace.mode[...] = HARD
    if soft:
        workspace.mode[rng.random(r) < 0.2] = OFF
        chosen = rng.random(r) < 0.3
        workspace.mode[chosen] = SOFT
        workspace.D[chosen] = rng.random(chosen.sum()) + 0.1
    return tree, workspace, G0, G1


def dense(tree, workspace, G0, G1):
    """The same system as one matrix."""
    n, r = len(tree.parent), len(tree.child_side)
    K = np.zeros((6 * n + r, 6 * n + r))
    for i in range(n):
        K[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = workspace.A[i]
    for k, blocks in enumerate(workspace.coupling):
        a, b = tree.body[k]
        if a >= 0 and b >= 0:
            K[6 * a : 6 * a + 6, 6 * b : 6 * b + 6] += blocks[0]
            K[6 * b : 6 * b + 6, 6 * a : 6 * a + 6] += blocks[1]
    for k in range(r):
        row = 6 * n + k
        if workspace.mode[k] == OFF:
            K[row, row] = 1.0
            continue
        K[row, row] = -workspace.D[k]
        for side in range(2):
            i = tree.body[k, side]
            if i >= 0:
                K[row, 6 * i : 6 * i + 6] += G1[k, side]
                K[6 * i : 6 * i + 6, row] += G0[k, side]
    return K


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("loops", [0, 2, 6])
@pytest.mark.parametrize("seed", range(5))
def test_elimination_from_the_leaves_solves_the_dense_system(seed, loops, soft, coupled):
    rng = np.random.default_rng(seed)
    tree, workspace, G0, G1 = random_system(rng, n=9, extra_loops=loops, soft=soft, coupled=coupled)
    K = dense(tree, workspace, G0, G1)
    n, r = len(tree.parent), len(tree.child_side)
    b, c = rng.normal(size=(n, 6)), rng.normal(size=r)
    c[workspace.mode == OFF] = 0.0
    expected = np.linalg.solve(K, np.concatenate([b.ravel(), c]))
    u, lam = np.zeros((n, 6)), np.zeros(r)
    bundle, kkt = bundle_elimination(tree), bundle_kkt(workspace)
    assert kkt_tree.factor(bundle, G0, G1, kkt) == -1
    workspace.b[...] = b
    kkt_tree.solve(bundle, G0, G1, kkt, c, u, lam)
    found = np.concatenate([u.ravel(), lam])
    assert np.abs(found - expected).max() < 1e-10 * np.linalg.cond(K)


@pytest.mark.parametrize("loops", [0, 6])
def test_an_order_for_coupled_bodies_serves_bodies_that_are_not(loops):
    """What lies behind the empty array of blocks in memory takes no part."""
    rng = np.random.default_rng(11)
    tree, _, G, _ = random_system(rng, n=9, extra_loops=loops, coupled=True)
    n, r = len(tree.parent), len(tree.child_side)
    workspace = kkt_workspace(tree)._replace(coupling=np.full((r, 2, 6, 6), np.nan)[:0])
    workspace.A[...], workspace.mode[...] = np.eye(6), HARD
    b, c = rng.normal(size=(n, 6)), rng.normal(size=r)
    K = dense(tree, workspace, G, G)
    expected = np.linalg.solve(K, np.concatenate([b.ravel(), c]))
    u, lam = np.zeros((n, 6)), np.zeros(r)
    bundle, kkt = bundle_elimination(tree), bundle_kkt(workspace)
    assert kkt_tree.factor(bundle, G, G, kkt) == -1
    workspace.b[...] = b
    kkt_tree.solve(bundle, G, G, kkt, c, u, lam)
    assert np.abs(np.concatenate([u.ravel(), lam]) - expected).max() < 1e-10 * np.linalg.cond(K)


def test_rows_that_others_imply_share_the_force():
    """A loop row given twice, once doubled: u is that of the row given once, forces G^T l alike."""
    rng = np.random.default_rng(3)
    rows = [Row(0, (i - 1, i), joint=i) for i in range(5) for _ in range(3)]
    G = rng.normal(size=(len(rows) + 2, 2, 6))
    G[-1] = 2.0 * G[-2]
    b, c = rng.normal(size=(5, 6)), rng.normal(size=len(rows) + 2)
    c[-1] = 2.0 * c[-2]
    solved = []
    for more in (1, 2):
        loops = [Row(0, (3, 4), joint=9) for _ in range(more)]
        ordered, tree = eliminate(rows + loops, np.ones(5, bool))
        number = {id(row): k for k, row in enumerate(rows + loops)}
        wanted = [number[id(row)] for row in ordered]
        assert len(ordered) - int(tree.loop[0]) == more
        workspace = kkt_workspace(tree)
        workspace.A[...], workspace.b[...], workspace.mode[...] = np.eye(6), b, HARD
        bundle, kkt = bundle_elimination(tree), bundle_kkt(workspace)
        own = np.ascontiguousarray(G[wanted])
        assert kkt_tree.factor(bundle, own, own, kkt) == -1
        u, lam = np.zeros((5, 6)), np.zeros(len(ordered))
        kkt_tree.solve(bundle, own, own, kkt, c[wanted], u, lam)
        solved.append((u, lam))
    (once, single), (twice, double) = solved
    assert np.allclose(once, twice, rtol=0, atol=1e-12)
    assert double[-2] + 2.0 * double[-1] == pytest.approx(single[-1], rel=1e-10)


def test_a_tree_leaves_no_row_over():
    """Zero fill-in: every row of a tree hangs one body to its parent."""
    rng = np.random.default_rng(0)
    tree, _, _, _ = random_system(rng, n=40, extra_loops=0)
    assert tree.loop[0] == len(tree.child_side) and tree.sparse.body.size == 0
    assert sorted(tree.order) == list(range(40))
    place = {int(body): k for k, body in enumerate(tree.order)}
    for i in range(40):
        assert tree.parent[i] < 0 or place[i] < place[int(tree.parent[i])]
