"""Small problems of every kind: definite, indefinite, singular, degenerate, unsolvable."""

from collections.abc import Iterator

import numpy as np

KINDS = ("indefinite", "definite", "semidefinite", "integer", "negative column", "skew")


def random_problems(count: int, seed: int = 0, largest: int = 6) -> Iterator[tuple]:
    """(kind, A, b), the kinds in turn."""
    random = np.random.default_rng(seed)
    for k in range(count):
        kind = KINDS[k % len(KINDS)]
        n = int(random.integers(1, largest + 1))
        A, b = random.normal(size=(n, n)), random.normal(size=n)
        if kind == "definite":
            A = A @ A.T + 0.1 * np.eye(n)
        elif kind == "semidefinite":
            half = A[:, : (n + 1) // 2]
            A = half @ half.T
        elif kind == "integer":
            A = random.integers(-2, 3, size=(n, n)).astype(float)
            b = random.integers(-2, 3, size=n).astype(float)
        elif kind == "negative column":
            A = A @ A.T
            A[:, -1] *= -1
        elif kind == "skew":
            A = A - A.T
        yield kind, A, b
