"""The sparse Cholesky factor of 6x6 blocks against NumPy and SciPy."""

import numpy as np
import pytest
from block_matrices import (
    assembled,
    chain,
    clique,
    contact_matrix,
    grid,
    heap,
    random_graph,
    star,
)
from scipy.sparse import coo_array, eye_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from dovetail.linalg.block_cholesky.factor import (
    factor_workspace,
    factorise,
    prepare,
    solve,
    with_more_blocks,
)
from dovetail.linalg.block_cholesky.workspace import N_BLOCKS, N_BODIES, N_ISLANDS

GRAPHS = {
    "no pairs": (5, []),
    "one body": (1, []),
    "two bodies": (2, [(1, 0)]),
    "chain": chain(50),
    "grid": grid(9),
    "clique": clique(12),
    "star": star(30),
    "heap": heap(60, np.random.default_rng(2)),
    "islands": (9, [(0, 3), (6, 3), (1, 2), (7, 8), (4, 8)]),
}


def prepared(n, pair):
    factor = factor_workspace(n, len(pair))
    while not prepare(factor, n, pair, len(pair)):
        factor = with_more_blocks(factor)
    return factor


def solved(factor, pair, diagonal, block, b, shift=0.0):
    assert factorise(factor, diagonal, block, len(pair), shift, 0.0) == -1
    x = b.copy()
    solve(factor, x)
    return x


def backward_error(A, x, b):
    """max |A x - b| / (|A| |x| + |b|), row by row: a few eps for a stable solver."""
    x, b = x.ravel(), b.ravel()
    return np.max(np.abs(A @ x - b) / (abs(A) @ np.abs(x) + np.abs(b)))


@pytest.mark.parametrize("graph", GRAPHS)
def test_solution_is_exact_to_rounding(graph):
    rng = np.random.default_rng(1)
    n, pairs = GRAPHS[graph]
    pair, diagonal, block = contact_matrix(n, pairs, rng)
    b = rng.normal(size=(n, 6))
    x = solved(prepared(n, pair), pair, diagonal, block, b)
    A = assembled(pair, diagonal, block)
    assert backward_error(A, x, b) < 6 * n * np.finfo(float).eps
    np.testing.assert_allclose(x.ravel(), splu(A).solve(b.ravel()), rtol=1e-9, atol=1e-9)


def test_random_graphs_agree_with_dense_cholesky():
    rng = np.random.default_rng(3)
    for _ in range(150):
        n, pairs = random_graph(int(rng.integers(1, 40)), rng.uniform(0.0, 6.0), rng)
        pair, diagonal, block = contact_matrix(n, pairs, rng)
        b = rng.normal(size=(n, 6))
        x = solved(prepared(n, pair), pair, diagonal, block, b)
        A = assembled(pair, diagonal, block).toarray()
        L = np.linalg.cholesky(A)
        expected = np.linalg.solve(L.T, np.linalg.solve(L, b.ravel()))
        np.testing.assert_allclose(x.ravel(), expected, rtol=1e-9, atol=1e-9)


def test_stiff_contacts_leave_a_backward_stable_solution():
    rng = np.random.default_rng(4)
    n, pairs = heap(40, rng)
    pair, diagonal, block = contact_matrix(n, pairs, rng, stiffness=1e8)
    b = rng.normal(size=(n, 6))
    x = solved(prepared(n, pair), pair, diagonal, block, b)
    error = backward_error(assembled(pair, diagonal, block), x, b)
    assert error < 6 * n * np.finfo(float).eps


@pytest.mark.parametrize("graph", GRAPHS)
def test_islands_are_the_connected_components(graph):
    n, pairs = GRAPHS[graph]
    pair, diagonal, block = contact_matrix(n, pairs, np.random.default_rng(5))
    factor = prepared(n, pair)
    links = assembled(pair, diagonal, block)[::6, ::6]
    expected, labels = connected_components(links + links.T)
    assert factor.count[N_ISLANDS] == expected
    np.testing.assert_array_equal(factor.island, labels)


def test_a_tree_of_bodies_fills_in_nothing():
    rng = np.random.default_rng(6)
    for n in (2, 17, 300):
        pairs = [(i, int(rng.integers(0, i))) for i in range(1, n)]
        pair = np.array(pairs, np.int32)
        assert prepared(n, pair).count[N_BLOCKS] == n - 1


@pytest.mark.parametrize("graph", [grid(32), heap(300, np.random.default_rng(13))])
def test_fill_is_that_of_multiple_minimum_degree_or_less(graph):
    n, pairs = graph
    pair = np.array(pairs, np.int32)
    ones = np.ones(len(pair))
    links = coo_array((ones, (pair[:, 0], pair[:, 1])), shape=(n, n)).tocsc()
    peer = splu(
        n * eye_array(n).tocsc() + links + links.T,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    assert prepared(n, pair).count[N_BLOCKS] <= 1.05 * (peer.L.nnz - n)


@pytest.mark.parametrize("graph", ["two bodies", "grid", "heap", "islands"])
def test_a_body_that_makes_the_matrix_indefinite_is_named_or_comes_before(graph):
    """The failed body's leading part is not positive; without it and what follows, it is."""
    rng = np.random.default_rng(7)
    n, pairs = GRAPHS[graph]
    pair, diagonal, block = contact_matrix(n, pairs, rng)
    bad = n - 2
    diagonal[bad] -= 1000.0 * np.eye(6)
    factor = prepared(n, pair)
    failed = factorise(factor, diagonal, block, len(pair), 0.0, 0.0)
    assert failed >= 0
    A = assembled(pair, diagonal, block).toarray()
    before = factor.order[: factor.place[failed]]
    rows = (6 * before[:, None] + np.arange(6)).ravel()
    np.linalg.cholesky(A[np.ix_(rows, rows)])
    rows = np.r_[rows, 6 * failed + np.arange(6)]
    assert np.linalg.eigvalsh(A[np.ix_(rows, rows)])[0] < 0.0


def test_not_a_number_is_a_failure_not_a_solution():
    pair, diagonal, block = contact_matrix(*chain(4), np.random.default_rng(8))
    factor = prepared(4, pair)
    for value in (np.nan, np.inf):
        spoilt = block.copy()
        spoilt[1, 2, 3] = value
        assert factorise(factor, diagonal, spoilt, 3, 0.0, 0.0) in (1, 2)


def test_a_shift_adds_its_share_of_the_diagonal():
    rng = np.random.default_rng(9)
    n, pairs = grid(4)
    pair, diagonal, block = contact_matrix(n, pairs, rng)
    b = rng.normal(size=(n, 6))
    x = solved(prepared(n, pair), pair, diagonal, block, b, shift=0.25)
    A = assembled(pair, diagonal, block).toarray()
    A += np.diag(0.25 * np.abs(np.diag(A)))
    np.testing.assert_allclose(x.ravel(), np.linalg.solve(A, b.ravel()), rtol=1e-10, atol=1e-12)


def test_a_singular_matrix_is_refused_when_pivots_must_exceed_rounding():
    """Two free bodies joined by a spring alone: six directions cost nothing."""
    rows = np.random.default_rng(10).normal(size=(6, 12))
    H = rows.T @ rows
    diagonal, block = np.stack([H[:6, :6], H[6:, 6:]]), H[None, :6, 6:].copy()
    pair = np.array([[0, 1]], np.int32)
    assert factorise(prepared(2, pair), diagonal, block, 1, 0.0, 1e-13) >= 0


def test_contacts_that_leave_keep_the_order_and_new_ones_renew_it():
    rng = np.random.default_rng(11)
    n, pairs = grid(6)
    pair, diagonal, block = contact_matrix(n, pairs, rng)
    factor = factor_workspace(n, len(pair) + 5, 500)
    assert prepare(factor, n, pair, len(pair))
    order = factor.order.copy()
    b = rng.normal(size=(n, 6))
    kept = rng.permutation(len(pair))[: 2 * len(pair) // 3]
    for chosen, same in ((kept, True), (kept[:5], False)):
        few = np.ascontiguousarray(pair[chosen][:, ::-1])
        turned = np.ascontiguousarray(np.swapaxes(block[chosen], 1, 2))
        assert prepare(factor, n, few, len(few))
        assert np.array_equal(factor.order, order) == same
        x = solved(factor, few, diagonal, turned, b)
        assert backward_error(assembled(few, diagonal, turned), x, b) < 1e-13
    more = np.concatenate([pair, [[0, n - 1]]]).astype(np.int32)
    assert prepare(factor, n, more, len(more))
    assert factor.count[N_BLOCKS] >= len(more)


def test_the_same_pairs_in_the_same_order_give_the_same_bits():
    rng = np.random.default_rng(12)
    n, pairs = heap(50, rng)
    pair, diagonal, block = contact_matrix(n, pairs, rng)
    b = rng.normal(size=(n, 6))
    first, second = (solved(prepared(n, pair), pair, diagonal, block, b) for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_a_new_order_is_that_of_a_new_factor():
    """So a step that is resumed eliminates bodies in the order of one that goes on."""
    rng = np.random.default_rng(13)
    n, pairs = heap(40, rng)
    pair = contact_matrix(n, pairs, rng)[0]
    factor = factor_workspace(n, len(pair), 4000)
    for chosen in (pair, pair, pair[::-1], pair[5:], pair):
        few = np.ascontiguousarray(chosen)
        factor.count[N_BODIES] = -1
        assert prepare(factor, n, few, len(few))
        new = factor_workspace(n, len(pair), 4000)
        assert prepare(new, n, few, len(few))
        assert np.array_equal(factor.order, new.order)
        blocks = int(new.count[N_BLOCKS])
        assert np.array_equal(factor.count, new.count)
        assert np.array_equal(factor.column[:blocks], new.column[:blocks])
        assert np.array_equal(factor.slot[: len(few)], new.slot[: len(few)])
