"""Making the Hessian of a pair of bodies positive: negative eigenvalues become zero.

The Hessian of a pair depends on (s_a - s_b, w_a, w_b) only, nine numbers (`distance_derivatives`),
so nine-by-nine is enough. Turns are measured by the way they move the rim of the smaller body, to
have one unit. Done only where the whole system is not positive as it is: a turning face and a
point that slides on it approach in second order, which a mere sum of squares does not see.
"""

import math

from dovetail.kernels.jit import jit_in_place

SWEEPS = 12  # of Jacobi's method at most; six are usual
SMALL = 1e-14  # of the norm: off-diagonal entries that do not matter


@jit_in_place
def _at(first, i, j):
    """Column of entry (i, j) of a symmetric 3x3 (xx yy zz xy xz yz) that begins at `first`."""
    return first + (i if i == j else 2 + i + j)


@jit_in_place
def merge_rows(rows, r):
    """Add row r + 1, which has the second body first, to row r and clear it."""
    for i in range(3):
        rows[r, i] -= rows[r + 1, i]
        rows[r, 3 + i] += rows[r + 1, 6 + i]
        rows[r, 6 + i] += rows[r + 1, 3 + i]
        for j in range(3):
            rows[r, 15 + 3 * i + j] -= rows[r + 1, 24 + 3 * i + j]
            rows[r, 24 + 3 * i + j] -= rows[r + 1, 15 + 3 * i + j]
            rows[r, 45 + 3 * i + j] += rows[r + 1, 45 + 3 * j + i]
    for k in range(6):
        rows[r, 9 + k] += rows[r + 1, 9 + k]
        rows[r, 33 + k] += rows[r + 1, 39 + k]
        rows[r, 39 + k] += rows[r + 1, 33 + k]
    for k in range(rows.shape[1]):
        rows[r + 1, k] = 0.0


@jit_in_place
def lift_row(rows, r, rim, A, V):
    """Set the negative eigenvalues of row r's Hessian to zero; A and V are (9, 9) room."""
    for i in range(3):
        for j in range(3):
            A[i, j] = rows[r, _at(9, i, j)]
            A[3 + i, 3 + j] = rows[r, _at(33, i, j)] / (rim * rim)
            A[6 + i, 6 + j] = rows[r, _at(39, i, j)] / (rim * rim)
            A[i, 3 + j] = A[3 + j, i] = rows[r, 15 + 3 * i + j] / rim
            A[i, 6 + j] = A[6 + j, i] = rows[r, 24 + 3 * i + j] / rim
            A[3 + i, 6 + j] = A[6 + j, 3 + i] = rows[r, 45 + 3 * i + j] / (rim * rim)
    jacobi(A, V)
    for i in range(3):
        for j in range(3):
            if j >= i:
                rows[r, _at(9, i, j)] = _positive(A, V, i, j)
                rows[r, _at(33, i, j)] = _positive(A, V, 3 + i, 3 + j) * rim * rim
                rows[r, _at(39, i, j)] = _positive(A, V, 6 + i, 6 + j) * rim * rim
            rows[r, 15 + 3 * i + j] = _positive(A, V, i, 3 + j) * rim
            rows[r, 24 + 3 * i + j] = _positive(A, V, i, 6 + j) * rim
            rows[r, 45 + 3 * i + j] = _positive(A, V, 3 + i, 6 + j) * rim * rim


@jit_in_place
def _positive(A, V, i, j):
    """Entry (i, j) of the sum of max(l, 0) v v^T; eigenvalues on the diagonal of A."""
    total = 0.0
    for k in range(9):
        if A[k, k] > 0.0:
            total += A[k, k] * V[i, k] * V[j, k]
    return total


@jit_in_place
def jacobi(A, V):
    """Eigenvalues on the diagonal of the symmetric A (9, 9), eigenvectors as columns of V.

    Golub and Van Loan, Matrix Computations, 8.5.3, cyclic by rows.
    """
    size = 0.0
    for i in range(9):
        for j in range(9):
            V[i, j] = 1.0 if i == j else 0.0
            size = max(size, abs(A[i, j]))
    for _ in range(SWEEPS):
        rest = 0.0
        for p in range(8):
            for q in range(p + 1, 9):
                rest = max(rest, abs(A[p, q]))
                if abs(A[p, q]) > SMALL * size:
                    _rotate(A, V, p, q)
        if not rest > SMALL * size:
            return


@jit_in_place
def _rotate(A, V, p, q):
    """Turn coordinates p and q so that A[p, q] becomes zero."""
    tau = (A[q, q] - A[p, p]) / (2.0 * A[p, q])
    t = math.copysign(1.0, tau) / (abs(tau) + math.sqrt(1.0 + tau * tau))
    c = 1.0 / math.sqrt(1.0 + t * t)
    s = t * c
    for k in range(9):
        low, high = A[k, p], A[k, q]
        A[k, p], A[k, q] = c * low - s * high, s * low + c * high
    for k in range(9):
        low, high = A[p, k], A[q, k]
        A[p, k], A[q, k] = c * low - s * high, s * low + c * high
        low, high = V[k, p], V[k, q]
        V[k, p], V[k, q] = c * low - s * high, s * low + c * high


@jit_in_place
def lift_pairs(which, n_pairs, pairs, active, rows, radius, square):
    """Make the Hessians of all active pairs positive; `square` is (2, 9, 9) room."""
    for p in range(n_pairs):
        if active[p] == 0:
            continue
        a, b = radius[pairs[which, p, 0]], radius[pairs[which, p, 1]]
        rim = min(a, b) if min(a, b) > 0.0 else max(a, b)
        if not rim > 0.0:
            rim = 1.0
        merge_rows(rows, 2 * p)
        lift_row(rows, 2 * p, rim, square[0], square[1])
