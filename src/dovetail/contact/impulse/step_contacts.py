"""Friction of the contacts of a step, and the way out of overlaps."""

import numpy as np

from dovetail.contact.impulse.law import ImpulseLaw
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.model.values import Array

PUSHED_OUT = 0.2  # share of an overlap that one step takes back
SINKING = 1e-7  # of the smaller body: overlaps below are let be
GOOD_ENOUGH = 1e-3  # of the deepest overlap: how well the way out is solved
MOST_SWEEPS = 2000


def friction_at(law: ImpulseLaw, problem: ImpulseProblem, u: Array) -> Array:
    """(count,) mu of each contact at the slip it has in u: mu_s to v_s, mu_d from v_d on."""
    numbers = law.numbers()
    rates = problem.rates_of(u)
    slip = np.hypot(rates[problem.n_joint + 1 :: 3], rates[problem.n_joint + 2 :: 3])
    part = np.clip((slip - numbers[:, 2]) / (numbers[:, 3] - numbers[:, 2]), 0.0, 1.0)
    return np.ascontiguousarray(numbers[:, 0] + part * (numbers[:, 1] - numbers[:, 0]))


def push_out(
    law: ImpulseLaw, problem: ImpulseProblem, gap: Array, h: float, u: Array, shift: Array
) -> None:
    """Fill shift (n, 6) [m, rad] that takes overlaps back without touching velocities.

    Normals and joints only: J_N shift >= -0.2 gap where gap < 0, and gaps that are open stay so.
    """
    if not (gap < -SINKING * law.sizes()).any():
        return
    rows, normals = problem.rows, problem.normals()
    kept = problem.lam[:rows].copy()
    moved = gap + h * problem.rates_of(u)[normals]
    problem.lam[:rows] = 0.0
    problem.c[:rows] = 0.0
    problem.c[normals] = np.where(gap < 0.0, PUSHED_OUT * gap, np.maximum(moved, 0.0))
    tolerance = GOOD_ENOUGH * float(-gap.min())
    on = np.ones(len(gap), np.int8)
    problem.solve(shift, np.zeros(len(gap)), on, tolerance, MOST_SWEEPS, let_go_dampers=True)
    problem.lam[:rows] = kept
