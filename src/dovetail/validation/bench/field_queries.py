"""Value and gradient of a field on a grid, against a plain C loop that does the same."""

from collections.abc import Iterator

import numpy as np

from dovetail.collision.sdf import build
from dovetail.collision.sdf.evaluate import evaluate_many
from dovetail.model.surface import Surface
from dovetail.runtime.read_only import read_only
from dovetail.validation.bench import Row
from dovetail.validation.bench.c_loop import c_query
from dovetail.validation.bench.timing import best_time

TITLE = "field queries, per point and core"


def measure(surface: Surface, quick: bool) -> Iterator[Row]:
    """Points at random, and sorted in blocks of cells."""
    field, n = build(surface, 64 if quick else 128), 200_000 if quick else 1_000_000
    lower, upper = field.bounds
    scattered = np.random.default_rng(0).uniform(lower + 1e-9, upper - 1e-9, (n, 3))
    cell = ((scattered - lower) / field.arrays.spacing / 4).astype(int)
    values, gradients = np.empty(n), np.empty((n, 3))
    for name, order in (("random", np.arange(n)), ("sorted", np.lexsort(cell.T))):
        points = read_only(scattered[order])
        in_c, theirs = c_query(field, points, values, gradients), np.nan
        if in_c is not None:
            in_c()
            expected = values.copy()
            theirs = best_time(in_c)

        def ours(points: np.ndarray = points) -> None:
            evaluate_many(field.arrays, points, 0, n, values, gradients)

        seconds = best_time(ours)
        if in_c is not None and np.abs(values - expected).max() > 1e-12:
            raise AssertionError("the C loop and the kernel give different values")
        peer = "C loop, gcc -O3" if in_c is not None else ""
        yield Row(f"value and gradient, {name} points", 1e9 * seconds / n, peer,
                  1e9 * theirs / n, "ns")  # fmt: skip
