"""Zeros and minima of functions of one number."""

from collections.abc import Callable

GOLDEN = 0.5 * (3.0 - 5.0**0.5)
MAX_ITERATIONS = 200
EPSILON = 2.0**-52


def root_between(
    function: Callable[[float], float], low: float, high: float, tolerance: float
) -> float:
    """A zero of `function`, whose values at `low` and `high` differ in sign, to `tolerance`.

    Inverse quadratic interpolation, secant or bisection, whichever is safe: Brent, Algorithms for
    minimization without derivatives (1973), chapter 4.
    """
    a, b = low, high
    at_a, at_b = function(a), function(b)
    if at_a * at_b > 0:
        raise ValueError(f"the function has one sign at {low} and {high}")
    c, at_c = a, at_a
    step = before = b - a
    for _ in range(MAX_ITERATIONS):
        if abs(at_c) < abs(at_b):
            a, b, c = b, c, b
            at_a, at_b, at_c = at_b, at_c, at_b
        within = 2.0 * EPSILON * abs(b) + 0.5 * tolerance
        middle = 0.5 * (c - b)
        if abs(middle) <= within or at_b == 0.0:
            return b
        if abs(before) < within or abs(at_a) <= abs(at_b):
            step = before = middle
        else:
            s = at_b / at_a
            if a == c:
                p, q = 2.0 * middle * s, 1.0 - s
            else:
                q, r = at_a / at_c, at_b / at_c
                p = s * (2.0 * middle * q * (q - r) - (b - a) * (r - 1.0))
                q = (q - 1.0) * (r - 1.0) * (s - 1.0)
            p, q = (p, -q) if p > 0.0 else (-p, q)
            if 2.0 * p < min(3.0 * middle * q - abs(within * q), abs(before * q)):
                before, step = step, p / q
            else:
                step = before = middle
        a, at_a = b, at_b
        b += step if abs(step) > within else (within if middle > 0 else -within)
        at_b = function(b)
        if (at_b > 0) == (at_c > 0):
            c, at_c = a, at_a
            step = before = b - a
    return b


def minimum_between(
    function: Callable[[float], float], low: float, high: float, tolerance: float
) -> tuple[float, float]:
    """Where `function` is least between `low` and `high`, and its value there.

    Golden section: right to `tolerance` where there is one minimum.
    """
    x, y = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
    at_x, at_y = function(x), function(y)
    while high - low > tolerance:
        if at_x <= at_y:
            high, y, at_y = y, x, at_x
            x = low + GOLDEN * (high - low)
            at_x = function(x)
        else:
            low, x, at_x = x, y, at_y
            y = high - GOLDEN * (high - low)
            at_y = function(y)
    return (x, at_x) if at_x <= at_y else (y, at_y)
