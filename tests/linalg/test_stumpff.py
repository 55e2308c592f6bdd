"""The angle functions against 80-digit arithmetic, over all sizes of the angle."""

import math
from decimal import Decimal

import exact_angle_functions as exact
import numpy as np
import pytest

from dovetail.linalg import stumpff
from rounding import rounding

UNIT_ROUNDOFF = Decimal(2) ** -53

RNG = np.random.default_rng(1)
SWITCHES = [math.sqrt(s) * (1.0 + d) for s in (3.0, 10.0) for d in (-1e-9, -1e-16, 0.0, 1e-9)]
ANGLES = [
    0.0,
    5e-324,
    1e-170,
    *(10.0 ** RNG.uniform(-15, 0, 300)),
    *RNG.uniform(0.0, 4.0, 600),
    *SWITCHES,
    *(math.pi * k / 2 for k in range(1, 4)),
]
LARGE_ANGLES = [math.pi * k for k in range(2, 6)] + [*RNG.uniform(4.0, 20.0, 200)]


def error_in_roundoffs(value: float, true: Decimal) -> Decimal:
    return abs((Decimal(value) - true) / true) / UNIT_ROUNDOFF


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_coefficients_are_exact_to_two_ulps_at_every_angle(k):
    function = getattr(stumpff, f"c{k}")
    worst = max(error_in_roundoffs(function(x), exact.c(k, x)) for x in ANGLES)
    assert worst <= 4
    # c_1 and c_2 vanish at multiples of pi and 2 pi: c_2 to first order only where x/2 is exact
    worst = max(error_in_roundoffs(function(x), exact.c(k, x)) for x in LARGE_ANGLES)
    assert worst <= 5


def test_inverse_jacobian_coefficient_is_exact_to_four_ulps_up_to_a_full_turn():
    for x in [*ANGLES, *RNG.uniform(4.0, 2 * math.pi, 200)]:
        value = stumpff.inverse_jacobian_coefficient(x)
        assert error_in_roundoffs(value, exact.inverse_jacobian_coefficient(x)) <= 8


@pytest.mark.parametrize("k", [1, 2, 3])
def test_derivative_of_a_coefficient_is_a_combination_of_higher_ones(k):
    higher = [stumpff.c1, stumpff.c2, stumpff.c3, stumpff.c4, stumpff.c5]
    for x in (1e-9, 1e-3, 0.3, 1.7, 3.1, 5.0):
        step = Decimal(10) ** -20
        s = Decimal(x) * Decimal(x)

        def series(square, k=k):
            return sum((-square) ** j / math.factorial(2 * j + k) for j in range(60))

        slope = (series(s + step) - series(s - step)) / (2 * step)  # d c_k / d(x^2)
        ours = 0.5 * (k * higher[k + 1](x) - higher[k](x))
        terms = k * abs(higher[k + 1](x)) + abs(higher[k](x))
        assert ours == pytest.approx(float(slope), rel=0, abs=rounding(4, terms))
