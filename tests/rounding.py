"""Tolerances for results that differ from machine to machine only in their last bits.

BLAS, LAPACK and libm choose their kernels by the processor: sums in another order, with or without
fused multiply-add. Neither changes the bound of the error: a result reached through `n` rounded
operations on terms of size `s` is within n u s of the exact one, u = 2^-53 (Higham, Accuracy and
Stability of Numerical Algorithms, 2002, eqs. 3.4 and 3.11). A function of libm errs by up to one
unit in the last place, 2 u, so every operation is counted as EPS = 2 u.
"""

import numpy as np

EPS = float(np.finfo(float).eps)  # 2 u, the spacing of doubles at 1

ORTHOGONALITY = 20 * EPS
"""Of entries of R^T R - I: R is a product of two matrices that LAPACK, or a normalised quaternion,
makes orthogonal within n^2 u = 9 u each, counted twice; the products add a few more."""


def rounding(operations: int, size: float = 1.0) -> float:
    """[unit of `size`] The largest error after so many operations on terms of up to `size`."""
    return operations * EPS * size
