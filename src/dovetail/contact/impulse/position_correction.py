"""Overlaps are corrected by displacements that leave the velocities as they are."""

import numpy as np

from dovetail.contact.impulse.records import ACTIVE, ContactSet
from dovetail.contact.impulse.solver import ImpulseSolver
from dovetail.model.values import Array

CORRECTION = 0.2  # share of an overlap that one step corrects
MAX_OVERLAP = 1e-5  # of the smaller body: overlaps below are left as they are
TOLERANCE = 1e-2  # of the deepest overlap: accuracy of the correction
MAX_SWEEPS = 30  # where there are contacts only
MAX_JOINT_SWEEPS = 2000


def correct_overlaps(
    contacts: ContactSet, solver: ImpulseSolver, h: float, u: Array, shift: Array
) -> None:
    """Fill shift (n, 6) [m, rad] that reduces overlaps without changing velocities.

    Normals and joints only: J_N shift >= -0.2 gap where gap < 0, and gaps that are open stay so.
    """
    gap, problem = contacts.points.gap, solver.problem
    n_rows, normals = problem.n_rows, problem.normals()
    impulses = problem.lam[:n_rows].copy()
    gap_end = gap + h * problem.rates(u)[normals]
    problem.lam[:n_rows] = 0.0
    problem.c[:n_rows] = 0.0
    problem.c[normals] = np.where(gap < 0.0, CORRECTION * gap, np.maximum(gap_end, 0.0))
    tolerance = TOLERANCE * float(-gap.min())
    active = np.full(len(gap), ACTIVE, np.int8)
    sweeps = MAX_JOINT_SWEEPS if problem.n_joint else MAX_SWEEPS
    solver.solve(shift, np.zeros(len(gap)), active, tolerance, sweeps, release_dampers=True)
    problem.lam[:n_rows] = impulses
