"""Barrier energy, gradient and exact 12x12 Hessian per contact: python benchmarks/contact_terms.py

Contacts are added up by pairs of bodies, 20 contacts each, as a solver does; then every pair is
expanded once. Times are of one core, the least of many rounds, in microseconds per contact.
"""

import time

import numpy as np

from dovetail.collision.distance.derivatives import PAIR_ROW, expand
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.barrier.terms import edge_edge_terms, point_patch_terms
from dovetail.linalg.vec3 import load3
from dovetail.runtime.jit import jit

CONTACTS_PER_PAIR = 20


@jit
def all_terms(edges, points, centres, barrier, out, gradient, H):
    """Point-triangle or edge-edge terms of all contacts (n, 4, 3), and the expansion of pairs."""
    energy = 0.0
    for i in range(out.shape[0]):
        for j in range(PAIR_ROW):
            out[i, j] = 0.0
    for i in range(points.shape[0]):
        a, b, c, d = (
            load3(points[i], 0),
            load3(points[i], 1),
            load3(points[i], 2),
            load3(points[i], 3),
        )
        x, y = load3(centres[i], 0), load3(centres[i], 1)
        k = i // CONTACTS_PER_PAIR
        if edges:
            energy += edge_edge_terms(a, b, c, d, x, y, barrier, 1.0, out, k)
        else:
            energy += point_patch_terms(a, b, c, d, 0, x, y, barrier, 1.0, out, k)
    for k in range(out.shape[0]):
        expand(out, k, gradient[k], H[k])
    return energy


def main() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    pairs = n // CONTACTS_PER_PAIR
    out = np.zeros((pairs, PAIR_ROW))
    gradient, H = np.zeros((pairs, 12)), np.zeros((pairs, 12, 12))
    centres = rng.normal(size=(n, 2, 3))
    for name, edges in (("point-triangle", False), ("edge-edge", True)):
        points = rng.normal(size=(n, 4, 3))
        arguments = (edges, points, centres, Barrier(20.0, 0.0, 1.0), out, gradient, H)
        all_terms(*arguments)
        least = np.inf
        for _ in range(30):
            started = time.perf_counter()
            all_terms(*arguments)
            least = min(least, time.perf_counter() - started)
        print(f"{name:15s} {1e6 * least / n:.3f} us per contact")


if __name__ == "__main__":
    main()
