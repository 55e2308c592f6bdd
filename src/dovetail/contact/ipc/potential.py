"""The prepared law: derived parameters, the solver, and what it reports."""

import os
import sys
from typing import TYPE_CHECKING

import numpy as np

from dovetail.contact.ipc.body_arrays import body_arrays
from dovetail.contact.ipc.solver import Barrier, IpcSolver
from dovetail.contact.ipc.start import refuse_bad_start
from dovetail.contact.laws import ContactRecord, ContactReport
from dovetail.kernels.ipc_step import IpcMotion
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.shapes import HalfSpace

if TYPE_CHECKING:
    from dovetail.contact.ipc.method import IPC

DHAT = 1e-3  # of the smallest dynamic body's diagonal
PART = 1e-2  # of the speeds that change in a step: the tolerance of Newton's method


class IpcPotential:
    """Barriers between the bodies of one model."""

    def __init__(self, model: Model, settings: "IPC") -> None:
        self._model = model
        told = []
        dhat = settings.dhat
        if dhat is None:
            dhat = DHAT * _smallest(model)
            told.append(f"dhat = {dhat:.3g} m ({DHAT:g} of the smallest body's diagonal)")
        self.barrier = Barrier(float(dhat), settings.min_separation)
        self.tolerance, self.part = 0.0, PART
        if settings.velocity_tolerance is not None:
            self.tolerance = float(settings.velocity_tolerance)
        elif settings.relative_velocity_tolerance is not None:
            self.tolerance = float(settings.relative_velocity_tolerance) * _diagonal(model)
            told.append(f"velocity_tolerance = {self.tolerance:.3g} m/s (of the scene's box)")
        else:
            told.append(
                f"velocity_tolerance = {PART:g} of the largest of h times acceleration, 1 % of "
                "the speeds, 1 % of dhat / h"
            )
        self.most_iterations = settings.max_newton_iterations
        refuse_bad_start(model, self.barrier.dmin)
        _tell(told)

    def solver(self, motion: IpcMotion) -> IpcSolver:
        """The solver that advances `motion`."""
        return IpcSolver(body_arrays(self._model), self.barrier, motion)


def contact_report(solver: IpcSolver, weight: float, h: float) -> ContactReport:
    """Contacts at the motion's pose; `weight` [kg m^2] = h^2 kappa of the step [s] to it."""
    per = 1.0 / (h * h) if h > 0.0 else 0.0
    rows, energy, least = solver.contacts(weight)
    bodies = rows[:, :2].astype(np.int32)
    record = ContactRecord(bodies, rows[:, 2:5], rows[:, 5:8], per * rows[:, 8:11], rows[:, 11])
    return ContactReport(record, per * energy, least)


def _smallest(model: Model) -> float:
    """[m] the shortest diagonal of the boxes around dynamic bodies; of all where none has one."""
    sizes: dict[bool, list[float]] = {True: [], False: []}
    for body, motion in zip(model.bodies, model.motion):
        if len(body.surface.vertices) > 1 and not isinstance(body.shape, HalfSpace):
            lower, upper = body.surface.bounds
            sizes[motion == DYNAMIC].append(float(np.linalg.norm(upper - lower)))
    return min(sizes[True] or sizes[False] or [1.0])


def _diagonal(model: Model) -> float:
    """[m] of the box around all bodies at the start."""
    corners = [
        body.surface.vertices @ body.rotation.T + body.position
        for body in model.bodies
        if len(body.surface.vertices) and not isinstance(body.shape, HalfSpace)
    ]
    every = np.concatenate(corners) if corners else np.ones((1, 3))
    return float(np.linalg.norm(np.ptp(every, axis=0))) or 1.0


def _tell(derived: list[str]) -> None:
    """Say on stderr what was derived; DOVETAIL_QUIET=1 silences it."""
    if os.environ.get("DOVETAIL_QUIET") != "1":
        for line in derived:
            print(f"dovetail: contact {line}", file=sys.stderr)
