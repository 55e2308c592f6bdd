"""PSD projection of the Hessian of a pair of bodies: negative eigenvalues become zero.

The Hessian of a pair depends on (s_a - s_b, w_a, w_b) only, nine numbers (`distance.derivatives`),
so nine-by-nine is enough. Rotations are measured by the displacement of the rim of the smaller
body, to have one unit. Done only where the whole system is not positive definite as it is: a
rotating face and a point that moves along it approach in second order, which a mere sum of squares
does not see.
"""

import math

from dovetail.collision.distance.derivatives import (
    DS,
    DW_A,
    DW_B,
    S_WA,
    S_WB,
    SS,
    WA_WA,
    WA_WB,
    WB_WB,
)
from dovetail.runtime.jit import jit_in_place, when_called

MAX_STEPS = 30  # of one eigenvalue; two are usual
SMALL = 2.0**-52  # of its neighbours: an off-diagonal entry that does not matter


@jit_in_place
def _at(first, i, j):
    """Column of entry (i, j) of a symmetric 3x3 (xx yy zz xy xz yz) that begins at `first`."""
    return first + (i if i == j else 2 + i + j)


@jit_in_place
def merge_rows(rows, r):
    """Add row r + 1, which has the second body first, to row r and clear it."""
    for i in range(3):
        rows[r, DS + i] -= rows[r + 1, DS + i]
        rows[r, DW_A + i] += rows[r + 1, DW_B + i]
        rows[r, DW_B + i] += rows[r + 1, DW_A + i]
        for j in range(3):
            rows[r, S_WA + 3 * i + j] -= rows[r + 1, S_WB + 3 * i + j]
            rows[r, S_WB + 3 * i + j] -= rows[r + 1, S_WA + 3 * i + j]
            rows[r, WA_WB + 3 * i + j] += rows[r + 1, WA_WB + 3 * j + i]
    for k in range(6):
        rows[r, SS + k] += rows[r + 1, SS + k]
        rows[r, WA_WA + k] += rows[r + 1, WB_WB + k]
        rows[r, WB_WB + k] += rows[r + 1, WA_WA + k]
    for k in range(rows.shape[1]):
        rows[r + 1, k] = 0.0


@jit_in_place
def project_row(rows, r, rim, A, V, W):
    """Set the negative eigenvalues of row r's Hessian to zero; overwrites A, V and W (9, 9)."""
    for i in range(3):
        for j in range(3):
            A[i, j] = rows[r, _at(SS, i, j)]
            A[3 + i, 3 + j] = rows[r, _at(WA_WA, i, j)] / (rim * rim)
            A[6 + i, 6 + j] = rows[r, _at(WB_WB, i, j)] / (rim * rim)
            A[i, 3 + j] = A[3 + j, i] = rows[r, S_WA + 3 * i + j] / rim
            A[i, 6 + j] = A[6 + j, i] = rows[r, S_WB + 3 * i + j] / rim
            A[3 + i, 6 + j] = A[6 + j, 3 + i] = rows[r, WA_WB + 3 * i + j] / (rim * rim)
    eigenvectors(A, V, W)
    for i in range(3):
        for j in range(3):
            if j >= i:
                rows[r, _at(SS, i, j)] = _positive(W, V, i, j)
                rows[r, _at(WA_WA, i, j)] = _positive(W, V, 3 + i, 3 + j) * rim * rim
                rows[r, _at(WB_WB, i, j)] = _positive(W, V, 6 + i, 6 + j) * rim * rim
            rows[r, S_WA + 3 * i + j] = _positive(W, V, i, 3 + j) * rim
            rows[r, S_WB + 3 * i + j] = _positive(W, V, i, 6 + j) * rim
            rows[r, WA_WB + 3 * i + j] = _positive(W, V, 3 + i, 6 + j) * rim * rim


@jit_in_place
def _positive(W, V, i, j):
    """Entry (i, j) of the sum of max(l, 0) v v^T; eigenvalues in row 0 of W."""
    total = 0.0
    for k in range(9):
        if W[0, k] > 0.0:
            total += W[0, k] * V[k, i] * V[k, j]
    return total


@jit_in_place
def eigenvectors(A, V, W):
    """Eigenvalues of the symmetric A (9, 9) in row 0 of W, eigenvectors in the rows of V.

    Reflections make A tridiagonal, then implicit shifted QL steps make it diagonal: Golub and Van
    Loan, Matrix Computations, 8.3.1 and 8.3.3. A fifth of the work of Jacobi's method.
    """
    for i in range(9):
        for j in range(9):
            V[i, j] = 1.0 if i == j else 0.0
    for k in range(7):
        _reflect(A, V, W, k)
    for i in range(9):
        W[0, i] = A[i, i]
        W[1, i] = A[i, i + 1] if i < 8 else 0.0
    for first in range(9):
        for _ in range(MAX_STEPS):
            last = first
            while last < 8 and abs(W[1, last]) > SMALL * (abs(W[0, last]) + abs(W[0, last + 1])):
                last += 1
            if last == first:
                break
            _chase(V, W, first, last)


@jit_in_place
def _reflect(A, V, W, k):
    """A <- H A H with H = 1 - b v v^T that leaves only A[k, k + 1] of row k; V <- H V."""
    square, beyond = 0.0, 0.0
    for i in range(k + 1, 9):
        W[2, i] = A[k, i]
        square += A[k, i] * A[k, i]
        beyond += A[k, i] * A[k, i] if i > k + 1 else 0.0
    if not beyond > 0.0:
        return
    alpha = -math.copysign(math.sqrt(square), A[k, k + 1])
    b = 1.0 / (square - alpha * A[k, k + 1])  # 2 / |v|^2
    W[2, k + 1] -= alpha
    along = 0.0
    for i in range(k + 1, 9):
        total = 0.0
        for j in range(k + 1, 9):
            total += A[i, j] * W[2, j]
        W[3, i] = b * total
        along += W[3, i] * W[2, i]
    for i in range(k + 1, 9):
        W[3, i] -= 0.5 * b * along * W[2, i]
    for i in range(k + 1, 9):
        for j in range(k + 1, 9):
            A[i, j] -= W[2, i] * W[3, j] + W[3, i] * W[2, j]
    A[k, k + 1] = alpha
    for j in range(9):
        total = 0.0
        for i in range(k + 1, 9):
            total += W[2, i] * V[i, j]
        for i in range(k + 1, 9):
            V[i, j] -= b * total * W[2, i]


@jit_in_place
def _chase(V, W, first, last):
    """One QL step with Wilkinson's shift on the rows first..last: diagonal W[0], beside it W[1]."""
    g = (W[0, first + 1] - W[0, first]) / (2.0 * W[1, first])
    r = math.sqrt(g * g + 1.0)
    g = W[0, last] - W[0, first] + W[1, first] / (g + math.copysign(r, g))
    s, c, p = 1.0, 1.0, 0.0
    for i in range(last - 1, first - 1, -1):
        f, b = s * W[1, i], c * W[1, i]
        r = math.sqrt(f * f + g * g)
        W[1, i + 1] = r
        if r == 0.0:
            W[0, i + 1] -= p
            W[1, last] = 0.0
            return
        s, c = f / r, g / r
        g = W[0, i + 1] - p
        r = (W[0, i] - g) * s + 2.0 * c * b
        p = s * r
        W[0, i + 1] = g + p
        g = c * r - b
        for k in range(9):
            low, high = V[i, k], V[i + 1, k]
            V[i + 1, k] = s * low + c * high
            V[i, k] = c * low - s * high
    W[0, first] -= p
    W[1, first] = g
    W[1, last] = 0.0


@when_called(None)
@jit_in_place
def project_pairs(candidates, terms, radius, square):
    """Make the Hessians of all active pairs positive; `square` (3, 9, 9) is overwritten."""
    pairs, rows = candidates.pairs, terms.rows
    for p in range(candidates.n_pairs):
        if terms.active[p] == 0:
            continue
        a, b = radius[pairs[p, 0]], radius[pairs[p, 1]]
        rim = min(a, b) if min(a, b) > 0.0 else max(a, b)
        if not rim > 0.0:
            rim = 1.0
        merge_rows(rows, 2 * p)
        project_row(rows, 2 * p, rim, square[0], square[1], square[2])
