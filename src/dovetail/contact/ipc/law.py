"""The prepared law: derived parameters, the solver, and what it reports."""

from typing import TYPE_CHECKING

import numpy as np

from dovetail.contact.derived_settings import report_derived
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.clusters.solver import ClusterSolver
from dovetail.contact.ipc.friction.coefficients import friction_laws
from dovetail.contact.ipc.friction.workspace import STICKS_WITHIN, FrictionWorkspace, Sticking
from dovetail.contact.ipc.joints.records import JointArrays
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.ipc.records import IpcMotion
from dovetail.contact.ipc.report import BODY_A, COUPLE, FORCE, GAP, NORMAL, POINT
from dovetail.contact.ipc.solver import IpcSolver
from dovetail.contact.ipc.start_check import checked_start
from dovetail.contact.ipc.start_rings import facetted_rings
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array

if TYPE_CHECKING:
    from dovetail.contact.ipc.method import IPC

DHAT = 1e-3  # of the smallest dynamic body's diagonal
WITHIN = 1e-4  # of dhat, by which the barrier is wider
RELATIVE_TOLERANCE = 1e-2  # of Newton's method: of the speeds that change in a step
RELATIVE_TOLERANCE_WITH_FRICTION = 1e-3  # card houses fall with the other


class IpcPotential:
    """Barriers between the bodies of one model."""

    def __init__(self, model: Model, settings: "IPC") -> None:
        self._model = model
        derived = []
        dhat = settings.dhat
        values = [settings.restitution, *(pair.restitution for pair in model.materials)]
        if dhat is None:
            dhat = DHAT * min(_diagonals(model))
            derived.append(f"dhat = {dhat:.3g} m ({DHAT:g} of the smallest body's diagonal)")
        # what begins at a gap of dhat is within the barrier, hence in balance
        self.barrier = Barrier((1.0 + WITHIN) * float(dhat), settings.min_separation)
        self._laws = friction_laws(model, settings.friction)
        self.laws, self.restitution = self._laws, settings.restitution
        self.bounces = any(e is not None for e in values)
        self._sticking = Sticking(settings.eps_v, settings.friction_iterations)
        if self._laws.any and settings.eps_v is None:
            eps = self._sticking.eps(0.0, dhat)
            derived.append(f"friction sticks within {eps:.3g} m ({STICKS_WITHIN:g} dhat)")
        self.tolerance, self.relative_tolerance = 0.0, RELATIVE_TOLERANCE
        if self._laws.any:
            self.relative_tolerance = RELATIVE_TOLERANCE_WITH_FRICTION
        if settings.velocity_tolerance is not None:
            self.tolerance = float(settings.velocity_tolerance)
        elif settings.relative_velocity_tolerance is not None:
            largest = float(settings.relative_velocity_tolerance) * max(_diagonals(model))
            self.tolerance = -largest
            derived.append(f"velocity_tolerance <= {largest:.3g} m/s (of the largest body)")
        if self.tolerance <= 0.0:
            derived.append(
                f"velocity_tolerance = {self.relative_tolerance:g} of the largest of "
                "h times acceleration, 1 % of the speeds, 1 % of dhat / h"
            )
        self.max_iterations = settings.max_newton_iterations
        self.opened = checked_start(model, self.barrier.dmin)  # (n, 3) [m]
        self._facetted = facetted_rings(model, self.opened, self.barrier.dmin)
        report_derived(derived)

    def solver(self, motion: IpcMotion, joints: JointArrays | None = None) -> IpcSolver:
        """The solver that advances `motion`, with the rows of joints."""
        friction = FrictionWorkspace(self._laws, self._sticking)
        bodies = ipc_bodies(self._model, facetted=self._facetted)
        return ClusterSolver(bodies, self.barrier, motion, friction, joints)


def contact_report(found: tuple[Array, float, float], h: float) -> ContactReport:
    """What `IpcSolver.contacts` found at the pose to which a step of h [s] led."""
    per = 1.0 / (h * h)
    rows, energy, least = found
    bodies = rows[:, BODY_A : BODY_A + 2].astype(np.int32)
    points, normals, forces, couples = (
        rows[:, column : column + 3] for column in (POINT, NORMAL, FORCE, COUPLE)
    )
    record = ContactRecord(bodies, points, normals, per * forces, rows[:, GAP], per * couples)
    return ContactReport(record, per * energy, least)


def _diagonals(model: Model) -> list[float]:
    """[m] of the boxes around dynamic bodies; of all where none has one."""
    sizes: dict[bool, list[float]] = {True: [], False: []}
    for body, motion in zip(model.bodies, model.motion):
        if len(body.surface.vertices) > 1 and not isinstance(body.shape, HalfSpace):
            sizes[motion == DYNAMIC].append(body.surface.diagonal)
    return sizes[True] or sizes[False] or [1.0]
