r"""Functions of an angle that appear in every formula of rotations, accurate for all angles.

Stumpff's functions of x >= 0,
    c_k(x) = sum_j (-1)^j x^(2j) / (2j + k)!,
so that c_0 = cos x, c_1 = sin x / x, c_2 = (1 - cos x) / x^2, c_3 = (x - sin x) / x^3, and
    c_k(x) = 1/k! - x^2 c_{k+2}(x),       (d/dx c_k) / x = k c_{k+2} - c_{k+1}.
The derivatives of all coefficients are thus coefficients again, with no new cancellation.
The textbook forms lose digits long before x is "small": (x - sin x) / x^3 has lost three at
x = 0.1. Each function below switches to its series at the angle where the closed form starts to
lose a digit; the tests measure every one against 50-digit arithmetic.
Source: Stiefel and Scheifele, Linear and Regular Celestial Mechanics (1971), section 11.
"""

import math

from dovetail.runtime.jit import jit


@jit
def c1(x):
    """sin x / x, with 1 at x = 0."""
    return math.sin(x) / x if x != 0.0 else 1.0


@jit
def c2(x):
    """(1 - cos x) / x^2 = (sin(x/2) / (x/2))^2 / 2, with 1/2 at x = 0."""
    half = c1(0.5 * x)
    return 0.5 * half * half


@jit
def c3(x):
    """(x - sin x) / x^3, with 1/6 at x = 0."""
    s = x * x
    if s > 3.0:
        return (x - math.sin(x)) / (x * s)
    t = 1.0
    for k in range(23, 3, -2):  # 1 - s/(4 5) (1 - s/(6 7) (...)), up to s^10
        t = 1.0 - s * t / (k * (k - 1))
    return t / 6.0


@jit
def c4(x):
    """(cos x - 1 + x^2 / 2) / x^4, with 1/24 at x = 0."""
    s = x * x
    if s > 10.0:
        return (0.5 - c2(x)) / s
    t = 1.0
    for k in range(32, 4, -2):  # up to s^14
        t = 1.0 - s * t / (k * (k - 1))
    return t / 24.0


@jit
def c5(x):
    """(sin x - x + x^3 / 6) / x^5, with 1/120 at x = 0."""
    s = x * x
    if s > 10.0:
        return (1.0 / 6.0 - c3(x)) / s
    t = 1.0
    for k in range(33, 5, -2):  # up to s^14
        t = 1.0 - s * t / (k * (k - 1))
    return t / 120.0


@jit
def inverse_jacobian_coefficient(x):
    """(1 - (x/2) cot(x/2)) / x^2, with 1/12 at x = 0; a pole at other multiples of 2 pi.

    Written as (c_2(h) - c_3(h)) / (4 c_1(h)) with h = x/2, which cancels nowhere.
    """
    h = 0.5 * x
    return 0.25 * (c2(h) - c3(h)) / c1(h)
