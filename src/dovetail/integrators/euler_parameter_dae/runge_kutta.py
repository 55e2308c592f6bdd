"""Butcher's tables of explicit Runge-Kutta methods."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dovetail.model.values import Array


@dataclass(frozen=True, eq=False)
class RungeKutta:
    """y_1 = y_0 + h sum b_j k_j with stages k_j = f(t + c_j h, y_0 + h sum a_jl k_l)."""

    a: Array  # (s, s), strictly lower
    b: Array  # (1, s)
    c: Array  # (s,)
    error: Array | None  # (1, s) weights of the estimated error of a step, b minus those of order 4


def _method(rows: list[list[str]], b: list[str], low: list[str] | None) -> RungeKutta:
    s = len(b)
    a = np.zeros((s, s))
    for j, row in enumerate(rows):
        a[j, : len(row)] = [float(Fraction(entry)) for entry in row]
    high = np.array([[float(Fraction(entry)) for entry in b]])
    error = None
    if low is not None:
        error = np.array([[float(Fraction(p) - Fraction(q)) for p, q in zip(b, low)]])
    return RungeKutta(a, high, a.sum(axis=1), error)


CLASSICAL = _method(
    [[], ["1/2"], ["0", "1/2"], ["0", "0", "1"]], ["1/6", "1/3", "1/3", "1/6"], None
)

DORMAND_PRINCE = _method(  # Dormand and Prince, J. Comput. Appl. Math. 6 (1980) 19, RK5(4)7M
    [
        [],
        ["1/5"],
        ["3/40", "9/40"],
        ["44/45", "-56/15", "32/9"],
        ["19372/6561", "-25360/2187", "64448/6561", "-212/729"],
        ["9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"],
        ["35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"],
    ],
    ["35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84", "0"],
    ["5179/57600", "0", "7571/16695", "393/640", "-92097/339200", "187/2100", "1/40"],
)
