"""Building fields: one thread against two, and the memory of a fine one."""

import os
from collections.abc import Iterator
from functools import partial

import numpy as np

from dovetail.bench import Row
from dovetail.bench.timing import wall_time
from dovetail.model.surface import Surface
from dovetail.sdf import build

TITLE = "building a field (clock time, so an idle machine is needed)"


def measure(surface: Surface, quick: bool) -> Iterator[Row]:
    """At the default resolution; memory at twice that."""
    n = 48 if quick else 128
    build(surface, 8, cache=False)  # compiles
    one, many = (
        wall_time(partial(build, surface, n, cache=False, progress=False, threads=threads))
        for threads in (1, None)
    )
    cores = os.cpu_count() or 1
    yield Row(
        f"{len(surface.faces)} triangles at {n}^3, {cores} threads", many, "1 thread", one, "s"
    )
    fine = build(surface, 2 * n, cache=False, progress=False)
    full = 8 * np.prod(np.array(fine.arrays.values.shape, dtype=float))
    yield Row(
        f"memory at {2 * n}^3", fine.nbytes / 1e6, "the same in float64", float(full) / 1e6, "MB"
    )
