"""Run a kernel on tuples over the rows of arrays: from one rotation to batches."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.linalg.vec3 import load3, load33, store3, store33
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@dataclass(frozen=True)
class Rows:
    """How row i of an array is read as tuples and written back; `shape` is that of one row."""

    load: Any
    store: Any
    shape: tuple[int, ...]


@jit
def load4(a, i):
    """Row i of an (n, 4) array as a 4-tuple."""
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3])


@jit
def store4(a, i, q):
    """Row i of an (n, 4) array becomes the 4-tuple q."""
    a[i, 0] = q[0]
    a[i, 1] = q[1]
    a[i, 2] = q[2]
    a[i, 3] = q[3]


VECTOR = Rows(load3, store3, (3,))
MATRIX = Rows(load33, store33, (3, 3))
QUATERNION = Rows(load4, store4, (4,))


@dataclass(frozen=True)
class Each:
    """`loop(a, out)` applies a kernel to every row of `a` and writes the rows of `out`.

    Both are C-contiguous, writable float64 arrays of shape (n, *source) and (n, *target).
    """

    loop: Any
    source: tuple[int, ...]
    target: tuple[int, ...]


def each(kernel: Any, source: Rows, target: Rows) -> Each:
    """Compile the loop target[i] = kernel(source[i])."""
    load, store = source.load, target.store

    def loop(a, out):
        for i in range(a.shape[0]):
            store(out, i, kernel(load(a, i)))

    loop.__name__ = f"each_{kernel.__module__.rpartition('.')[2]}_{kernel.__name__}"
    loop.__qualname__ = loop.__name__
    compiled = jit(loop)
    warm(compiled, np.empty((0, *source.shape)), np.empty((0, *target.shape)))
    return Each(compiled, source.shape, target.shape)
