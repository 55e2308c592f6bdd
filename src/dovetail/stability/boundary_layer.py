"""Is the boundary layer y'' + D (c y' + k y) = 0 of a stiff contact asymptotically stable?

Source: Xu, Dai, Xie, Li, "Frictional contacts analysis of 3-D constrained rigid-body",
eqs. 17-33. Theirs is the test that D be positive definite, by which they mean that every
eigenvalue a + b i has a > 0 and b = 0. Their theorem 1 proves it sufficient, with a Lyapunov
function that needs D symmetric; with friction D is not. The exact test is Routh-Hurwitz's for
    s^2 + c sigma s + k sigma = 0,   sigma = a + b i:
    a > 0   and   c^2 a (a^2 + b^2) > k b^2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.runtime.options import named_options

Array = NDArray[np.float64]
REAL = float(np.sqrt(np.finfo(float).eps))  # imaginary parts rounding gives a double eigenvalue
ZERO = 1e-13  # eigenvalues below this times the largest count as zero


@dataclass(frozen=True)
class BoundaryLayer:
    """The verdict on y'' + D (c y' + k y) = 0.

    Attributes:
        stable: the exact verdict, for these c and k.
        positive_definite: the paper's: all eigenvalues of D real and > 0.
        agree: whether the two are the same.
        eigenvalues: of D, complex (n,), by real part then imaginary part.
        symmetric_part_positive_definite: x.D x > 0 for all x != 0; neither verdict.
        rates: the 2 n exponents s of the layer's motions exp(s tau), tau = t / sqrt(eps).
        message: one sentence, which says why the verdicts differ where they do.
    """

    stable: bool
    positive_definite: bool
    eigenvalues: NDArray[np.complex128]
    symmetric_part_positive_definite: bool
    rates: NDArray[np.complex128]
    message: str

    @property
    def agree(self) -> bool:
        return self.stable == self.positive_definite


@named_options
def boundary_layer(D: Any, c: float = 1.0, k: float = 1.0) -> BoundaryLayer:
    """Verdicts on the boundary layer of D (n, n), a number for n = 1; c, k > 0.

    Kelvin's contact has damping c / sqrt(eps) [N s/m] and stiffness k / eps [N/m].
    """
    matrix = _read_matrix(D, c, k)
    eigenvalues = _eigenvalues(matrix)
    a, b = eigenvalues.real, eigenvalues.imag
    size = float(np.max(np.abs(eigenvalues), initial=0.0))
    positive = a > ZERO * size
    real = np.abs(b) <= REAL * size
    b_exact = np.where(real, 0.0, b)
    # Divided by |sigma|^2, so that squares of very large and small numbers do not appear.
    sine = b_exact / np.where(eigenvalues == 0, 1.0, np.abs(eigenvalues))
    damped = positive & (c**2 * a > k * sine**2)
    stable, paper = bool(np.all(damped)), bool(np.all(positive & real))
    symmetric = bool(np.all(np.linalg.eigvalsh(0.5 * (matrix + matrix.T)) > ZERO * size))
    return BoundaryLayer(
        stable, paper, eigenvalues, symmetric, _rates(eigenvalues, c, k),
        _sentence(stable, paper, eigenvalues[~damped], c, k),
    )  # fmt: skip


def _read_matrix(D: Any, c: Any, k: Any) -> Array:
    mistakes = [
        f"`{name}`, the {what} of Kelvin's contact, must be a number > 0, got {value!r}"
        for name, what, value in (("c", "damping", c), ("k", "stiffness", k))
        if not (isinstance(value, int | float | np.integer | np.floating) and 0 < value < np.inf)
    ]
    try:
        matrix = np.asarray(D)
        usable = matrix.dtype.kind in "iuf"
    except Exception:  # ragged lists, objects that fail to become an array
        usable = False
    if not usable:
        raise InputError([*mistakes, f"`D` must be a square matrix of real numbers, got {D!r}"])
    if matrix.ndim == 0:
        matrix = matrix.reshape(1, 1)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        mistakes.append(f"`D` must be a square matrix, got shape {matrix.shape}")
    elif not np.all(np.isfinite(matrix)):
        mistakes.append("`D` must be finite numbers, got a matrix with NaN or infinity")
    if mistakes:
        raise InputError(mistakes)
    return matrix.astype(np.float64)


def _eigenvalues(matrix: Array) -> NDArray[np.complex128]:
    if np.array_equal(matrix, matrix.T):
        return np.linalg.eigvalsh(matrix).astype(np.complex128)
    return np.asarray(np.sort_complex(np.linalg.eigvals(matrix)), dtype=np.complex128)


def _rates(sigma: NDArray[np.complex128], c: float, k: float) -> NDArray[np.complex128]:
    """Roots of s^2 + c sigma s + k sigma, the larger by the formula, the other from the product."""
    root = np.sqrt((c * sigma) ** 2 - 4 * k * sigma)
    sign = np.where((np.conj(c * sigma) * root).real >= 0, 1.0, -1.0)
    large = -0.5 * (c * sigma + sign * root)
    small = np.where(large == 0, 0.0, k * sigma / np.where(large == 0, 1.0, large))
    return np.concatenate([large, small])


def _sentence(
    stable: bool, paper: bool, undamped: NDArray[np.complex128], c: float, k: float
) -> str:
    if stable and paper:
        return "stable: all eigenvalues of D are real and > 0"
    if stable:
        return (
            "stable by the exact test; the paper's test denies it because D has complex "
            "eigenvalues, but their real parts are large enough"
        )
    worst = undamped[np.argmin(undamped.real)]
    if worst.real <= 0 or abs(worst.imag) == 0:
        return f"unstable: D has the eigenvalue {worst:.6g}, whose real part is not > 0"
    needed = np.sqrt(k * worst.imag**2 / (worst.real * abs(worst) ** 2))
    return (
        f"unstable: the eigenvalue {worst:.6g} of D has a positive real part but needs a damping "
        f"c > {needed:.6g}, got {c:g}"
    )
