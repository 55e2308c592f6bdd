"""The functions of linalg/stumpff.py in 80-digit arithmetic, by their power series."""

from decimal import Decimal, getcontext

getcontext().prec = 80


def c(k: int, x: float) -> Decimal:
    """sum_j (-1)^j x^(2j) / (2j + k)! of the exact binary value of x."""
    s = Decimal(x) * Decimal(x)
    term = Decimal(1)
    for i in range(2, k + 1):
        term /= i
    total, j = Decimal(0), 0
    while abs(term) > Decimal(10) ** -78:
        total += term
        term = -term * s / ((2 * j + k + 1) * (2 * j + k + 2))
        j += 1
    return total


def half_cot_half(x: float) -> Decimal:
    return c(0, x / 2) / c(1, x / 2)


def inverse_jacobian_coefficient(x: float) -> Decimal:
    if x < 1e-20:  # 1/12 + x^2/720 + ...; the definition itself would need 400 digits
        return Decimal(1) / 12
    return (1 - half_cot_half(x)) / (Decimal(x) * Decimal(x))
