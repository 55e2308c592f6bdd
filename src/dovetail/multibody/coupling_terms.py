"""Terms of couplings: polynomials c_1 q + c_2 q^2 + ... of joint coordinates."""

from dovetail.runtime.jit import jit


@jit
def term_value(factor, k, q):
    """(value, slope) of term k at the coordinate q; factor (t, degree) has c_1, c_2, ..."""
    value, slope, power = 0.0, 0.0, 1.0
    for c in range(factor.shape[1]):
        slope += (c + 1) * factor[k, c] * power
        power *= q
        value += factor[k, c] * power
    return value, slope


@jit
def term_bend(factor, k, q):
    """Second derivative of term k."""
    total, power = 0.0, 1.0
    for c in range(1, factor.shape[1]):
        total += c * (c + 1) * factor[k, c] * power
        power *= q
    return total
