"""Random points that make the degenerate cases frequent."""

from collections.abc import Callable

import numpy as np
import pytest

Sampler = Callable[[np.random.Generator, int], list[tuple[float, float, float]]]


def _grid(rng: np.random.Generator, n: int) -> np.ndarray:
    """Small integers: coplanar, collinear and equal points abound."""
    return rng.integers(0, 3, (n, 3)).astype(float)


def _flat(rng: np.random.Generator, n: int) -> np.ndarray:
    """Points of one tilted plane with exact coordinates."""
    uv = rng.integers(-3, 4, (n, 2)).astype(float)
    return uv @ np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 3.0]])


def _last_bit(rng: np.random.Generator, n: int) -> np.ndarray:
    """A tilted plane, with errors of a few units in the last place: every filter is unsure."""
    uv = rng.integers(-3, 4, (n, 2)).astype(float)
    points = uv @ np.array([[0.1, 0.2, -0.1], [0.05, -0.1, 0.3]]) + np.array([0.7, 0.3, 11.1])
    return points + rng.integers(-1, 2, (n, 3)) * np.spacing(points)


def _far(rng: np.random.Generator, n: int) -> np.ndarray:
    """A small grid far from the origin, off by up to two of its last bits."""
    return 1e6 + 0.1 * _grid(rng, n) + rng.integers(-2, 3, (n, 3)) * np.spacing(1e6)


def _scattered(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(n, 3))


def _wide(rng: np.random.Generator, n: int) -> np.ndarray:
    """Magnitudes from 1e-60 to 1e60 side by side, and zeros."""
    values = rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-60, 61, (n, 3))
    return np.where(rng.random((n, 3)) < 0.3, 0.0, values)


KINDS = {f.__name__.strip("_"): f for f in (_grid, _flat, _last_bit, _far, _scattered, _wide)}


@pytest.fixture(params=list(KINDS))
def sample(request: pytest.FixtureRequest) -> Sampler:
    def points(rng: np.random.Generator, n: int) -> list[tuple[float, float, float]]:
        return [tuple(row) for row in KINDS[request.param](rng, n).tolist()]

    return points
