"""Sparse Cholesky of 6x6 blocks against SciPy in one run: python benchmarks/block_cholesky.py

CPU time, least of several. "order" is done once per pattern of contacts, "look up" when the
pattern is the last one or part of it. SciPy's `cho_factor` (LAPACK) works on the dense matrix,
`splu` (SuperLU, minimum degree, symmetric mode) orders and factorises at once.
"""

import sys
import time
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor
from scipy.sparse.linalg import splu

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "linalg" / "block_cholesky"))
from block_matrices import assembled, chain, clique, contact_matrix, grid, heap

from dovetail.linalg.block_cholesky.factor import (
    factor_workspace,
    factorise,
    prepare,
    solve,
    with_more_blocks,
)
from dovetail.linalg.block_cholesky.workspace import N_BLOCKS, N_BODIES

DENSEST = 400  # bodies that LAPACK factors


def least_time(call, seconds=0.2):
    """CPU time [us] of one call."""
    call()
    started = time.process_time()
    call()
    times = max(1, int(0.02 / max(time.process_time() - started, 1e-6)))
    least, until = np.inf, time.process_time() + seconds
    while time.process_time() < until:
        started = time.process_time()
        for _ in range(times):
            call()
        least = min(least, (time.process_time() - started) / times)
    return 1e6 * least


def measured(n, pairs, rng):
    """Blocks of the factor and CPU times [us]: order, look up, factor, solve, LAPACK, SuperLU."""
    pair, diagonal, block = contact_matrix(n, pairs, rng)
    m = len(pair)
    factor = factor_workspace(n, m)
    while not prepare(factor, n, pair, m):
        factor = with_more_blocks(factor)

    def order():
        factor.count[N_BODIES] = -1
        prepare(factor, n, pair, m)

    b = rng.normal(size=(n, 6))
    A = assembled(pair, diagonal, block)
    full = A.toarray() if n <= DENSEST else None
    times = [
        least_time(order),
        least_time(lambda: prepare(factor, n, pair, m)),
        least_time(lambda: factorise(factor, diagonal, block, m, 0.0, 0.0)),
        least_time(lambda: solve(factor, b)),
        np.inf if full is None else least_time(lambda: cho_factor(full, check_finite=False)),
        least_time(lambda: splu(A, "MMD_AT_PLUS_A", 0.0, options={"SymmetricMode": True})),
    ]
    return factor.count[N_BLOCKS], times


def main():
    rng = np.random.default_rng(0)
    cases = [
        ("1 body", (1, [])), ("2 bodies", chain(2)), ("clique", clique(4)), ("clique", clique(20)),
        ("chain", chain(30)), ("chain", chain(1000)), ("grid", grid(10)), ("grid", grid(32)),
        ("heap", heap(30, rng)), ("heap", heap(200, rng)), ("heap", heap(1000, rng)),
    ]  # fmt: skip
    print(
        f"{'us':9}{'bodies':>7}{'pairs':>7}{'blocks':>8}{'order':>9}{'look up':>9}{'factor':>10}"
        f"{'solve':>8}{'LAPACK':>10}{'SuperLU':>10}{'ratio':>7}"
    )
    for name, (n, pairs) in cases:
        blocks, (order, look_up, factor, solved, dense, sparse) = measured(n, pairs, rng)
        print(
            f"{name:9}{n:7}{len(pairs):7}{blocks:8}{order:9.1f}{look_up:9.1f}{factor:10.1f}"
            f"{solved:8.1f}{dense:10.1f}{sparse:10.1f}{min(dense, sparse) / (order + factor):7.1f}"
        )
    print("ratio: the faster of SciPy's two against order + factor")


if __name__ == "__main__":
    main()
