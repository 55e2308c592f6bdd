"""Positive matrices of 6x6 blocks on graphs of bodies, for tests and benchmarks."""

import numpy as np
import scipy.sparse


def chain(n):
    return n, [(i, i + 1) for i in range(n - 1)]


def grid(width):
    along = [(i * width + j, i * width + j + 1) for i in range(width) for j in range(width - 1)]
    return width * width, along + [(i + width, i) for i in range(width * (width - 1))]


def clique(n):
    return n, [(i, j) for i in range(n) for j in range(i)]


def star(n):
    return n, [(0, i) for i in range(1, n)]


def random_graph(n, degree, rng):
    """n bodies with `degree` neighbours on average; not always connected."""
    ends = rng.integers(0, n, (max(1, int(n * degree / 2)), 2))
    return n, sorted({(max(i, j), min(i, j)) for i, j in ends.tolist() if i != j})


def heap(n, rng):
    """Bodies thrown into a box: neighbours in space, six to twelve each."""
    x = rng.uniform(0.0, n ** (1 / 3), (n, 3))
    near = np.linalg.norm(x[:, None] - x[None], axis=2) < 1.2
    return n, [(i, j) for i in range(n) for j in range(i) if near[i, j]]


def contact_matrix(n, pairs, rng, stiffness=1.0):
    """Masses plus one stiff spring of rank three per pair, as contacts add them."""
    pair = np.array(pairs, np.int32).reshape(-1, 2)
    diagonal = np.tile(np.diag([1.0, 1.0, 1.0, 0.1, 0.2, 0.3]), (n, 1, 1))
    block = np.empty((len(pair), 6, 6))
    for k, (a, b) in enumerate(pair):
        rows = rng.normal(size=(3, 12))
        H = stiffness * rows.T @ rows
        diagonal[a] += H[:6, :6]
        diagonal[b] += H[6:, 6:]
        block[k] = H[:6, 6:]
    return pair, diagonal, block


def assembled(pair, diagonal, block):
    """The whole matrix, sparse (6 n, 6 n)."""
    n = len(diagonal)
    rows = np.r_[np.arange(n), pair[:, 0], pair[:, 1]]
    cols = np.r_[np.arange(n), pair[:, 1], pair[:, 0]]
    data = np.concatenate([diagonal, block, np.swapaxes(block, 1, 2)])
    i = 6 * rows[:, None, None] + np.arange(6)[:, None] + np.zeros((6, 6), int)
    j = 6 * cols[:, None, None] + np.arange(6)[None, :] + np.zeros((6, 6), int)
    full = scipy.sparse.coo_array((data.ravel(), (i.ravel(), j.ravel())), shape=(6 * n, 6 * n))
    return full.tocsc()
