"""Exact sums and products of doubles, kept as unevaluated sums of doubles (expansions).

Source: Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates,
Discrete Comput Geom 18 (1997). Everything holds for round-to-nearest-even without over- or
underflow, and without fused multiply-add, which Numba leaves off without fastmath.
An expansion is an array with its components by increasing magnitude, and a length.
"""

from dovetail.runtime.jit import jit

SPLITTER = 134217729.0  # 2^27 + 1


@jit
def two_sum(a, b):
    """(s, e) with s = fl(a + b) and s + e = a + b exactly; Shewchuk theorem 7."""
    s = a + b
    bb = s - a
    return s, (a - (s - bb)) + (b - bb)


@jit
def fast_two_sum(a, b):
    """(s, e) with s + e = a + b exactly where |a| >= |b|; Shewchuk theorem 6."""
    s = a + b
    return s, b - (s - a)


@jit
def two_diff(a, b):
    """(d, e) with d = fl(a - b) and d + e = a - b exactly."""
    d = a - b
    bb = a - d
    return d, (a - (d + bb)) + (bb - b)


@jit
def split(a):
    """(high, low) halves of 26 bits with high + low = a; Shewchuk theorem 17."""
    c = SPLITTER * a
    high = c - (c - a)
    return high, a - high


@jit
def two_product(a, b):
    """(p, e) with p = fl(a b) and p + e = a b exactly; Shewchuk theorem 18."""
    p = a * b
    a_high, a_low = split(a)
    b_high, b_low = split(b)
    e = a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return p, e


@jit
def expansion_sum(e, n_e, f, n_f, h):
    """Write e + f into h without zero components and return its length; Shewchuk figure 8."""
    i = j = n = 0
    total = 0.0
    while i < n_e or j < n_f:
        if j >= n_f or (i < n_e and abs(e[i]) < abs(f[j])):
            following = e[i]
            i += 1
        else:
            following = f[j]
            j += 1
        total, tail = two_sum(total, following)
        if tail != 0.0:
            h[n] = tail
            n += 1
    if total != 0.0:
        h[n] = total
        n += 1
    return n


@jit
def expansion_scale(e, n_e, b, h):
    """Write b e into h without zero components and return its length; Shewchuk figure 13."""
    n = 0
    if n_e == 0 or b == 0.0:
        return n
    total, tail = two_product(e[0], b)
    if tail != 0.0:
        h[n] = tail
        n += 1
    for i in range(1, n_e):
        high, low = two_product(e[i], b)
        partial, tail = two_sum(total, low)
        if tail != 0.0:
            h[n] = tail
            n += 1
        total, tail = fast_two_sum(high, partial)
        if tail != 0.0:
            h[n] = tail
            n += 1
    if total != 0.0:
        h[n] = total
        n += 1
    return n


@jit
def expansion_sign(e, n_e):
    """-1, 0 or 1: the largest component decides."""
    if n_e == 0:
        return 0
    return 1 if e[n_e - 1] > 0.0 else -1
