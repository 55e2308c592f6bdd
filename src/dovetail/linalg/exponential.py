"""The exponential of a matrix."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# numerator of the [13/13] Pade approximant, ascending; the denominator has alternating signs
PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0,
    960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
LARGEST = 5.371920351148152  # 1-norm up to which the approximant is right to rounding


def exponential(A: Array) -> Array:
    """exp(A) (n, n): Pade approximant of A / 2^s, squared s times.

    Source: Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J
    Matrix Anal Appl 26 (2005), algorithm 2.3 with m = 13.
    """
    size = float(np.linalg.norm(A, 1))
    squarings = max(0, int(np.ceil(np.log2(size / LARGEST)))) if size > LARGEST else 0
    B: Array = A / 2.0**squarings
    B2 = B @ B
    even: Array = np.zeros_like(B)
    odd: Array = np.zeros_like(B)
    for k in range(len(PADE) // 2 - 1, -1, -1):  # Horner's rule in B^2
        even = even @ B2 + PADE[2 * k] * np.eye(len(B))
        odd = odd @ B2 + PADE[2 * k + 1] * np.eye(len(B))
    odd = B @ odd
    power: Array = np.asarray(np.linalg.solve(even - odd, even + odd), dtype=np.float64)
    for _ in range(squarings):
        power = power @ power
    return power
