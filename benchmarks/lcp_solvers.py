"""Time of the LCP solvers on contact-like problems, and of the rod's stability map.

Run: python benchmarks/lcp_solvers.py
Alternative measured beside ours, in the same run: scipy's non-negative least squares, which solves
the same problem for A = C^T C.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import nnls

import dovetail as dt
from dovetail.stability.rod_map import rod_map


def fastest(work: Callable[[], Any], repeats: int = 5) -> float:
    """The least wall time of several calls [s]."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def dense() -> None:
    random = np.random.default_rng(0)
    print("dense, A = C^T C, half of the unknowns active")
    print(f"{'n':>6} {'lemke':>10} {'newton':>10} {'nnls':>10} {'lemke/nnls':>11}")
    for n in (10, 50, 200, 500):
        C, d = random.normal(size=(2 * n, n)), random.normal(size=2 * n)
        A, b = C.T @ C, -C.T @ d
        ours = {m: fastest(partial(dt.lcp.solve, A, b, m)) for m in ("lemke", "newton")}
        theirs = fastest(partial(nnls, C, d))
        print(
            f"{n:6d} {1e3 * ours['lemke']:8.2f}ms {1e3 * ours['newton']:8.2f}ms "
            f"{1e3 * theirs:8.2f}ms {ours['lemke'] / theirs:11.2f}"
        )


def sparse_rows() -> None:
    """A pile as a graph: each contact touches about six others through common bodies."""
    random = np.random.default_rng(1)
    print("\nsparse, A = N M^-1 N^T of p contacts between p/3 bodies, 6 coordinates each")
    print(f"{'p':>6} {'pgs':>10} {'newton':>10}")
    for p in (300, 1000, 3000):
        bodies = p // 3
        a, b = random.integers(0, bodies, (2, p))
        rows = np.repeat(np.arange(p), 12)
        columns = np.concatenate(
            [6 * a[:, None] + np.arange(6), 6 * b[:, None] + np.arange(6)], axis=1
        )
        N = sparse.csr_array((random.normal(size=12 * p), (rows, columns.ravel())))
        A = N @ N.T + 1e-3 * sparse.eye_array(p)
        load = random.normal(size=p)
        found = {}
        for method in ("pgs", "newton"):
            solution = dt.lcp.solve(A, load, method=method)
            assert solution.solved, solution.message
            found[method] = fastest(partial(dt.lcp.solve, A, load, method), 2)
        print(f"{p:6d} {1e3 * found['pgs']:8.1f}ms {1e3 * found['newton']:8.1f}ms")


def stability_map() -> None:
    print(f"\n1000 x 1000 map of the rod: {1e3 * fastest(lambda: rod_map(1000)):.1f} ms")


if __name__ == "__main__":
    dense()
    sparse_rows()
    stability_map()
