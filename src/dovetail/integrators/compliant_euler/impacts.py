"""Impacts with restitution in a step with compliant contacts: the package's impact law."""

from typing import NamedTuple

import numpy as np

from dovetail.collision.narrow_phase.contact_points import ContactPoints
from dovetail.contact.impact.generations import reflect
from dovetail.contact.impact.records import BOUNCE, SAME_TIME, ImpactContacts
from dovetail.contact.impact.time_of_impact import times_of_impact
from dovetail.contact.impulse.contact_matching import world_impulses
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.solver import ContactSolver
from dovetail.contact.law import ContactRecord
from dovetail.contact.penalty.compliant.law import CompliantLaw
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray


class FoundContacts(NamedTuple):
    """The contacts of a piece of a step as the impact law sees them."""

    points: ContactPoints
    law: ImpactContacts
    mu: Array  # (m,)


class ImpactSolver:
    """Reflects what touches and approaches fast; `any` whether any pair bounces."""

    def __init__(self, bodies: BodyArrays, joints: JointRows, law: CompliantLaw | None) -> None:
        self._problem = ImpulseProblem(bodies, joints)
        self._solver = ContactSolver(self._problem)
        self.joint_impulses = np.zeros(joints.count)  # [N s or N m s] of the impacts found last
        self.any = law is not None and law.pairs.any_restitution()

    def prepare(
        self, law: CompliantLaw, state: BodyState, u: Array, added: Array
    ) -> FoundContacts | None:
        """The contacts that the law found; `added` (n,) [m/s] is what loads add in a step."""
        rows, m = law.contacts.rows, law.contacts.count
        restitution = law.restitution()
        if not restitution.any():
            return None
        body = np.column_stack([rows.point_body[:m], rows.field_body[:m]])
        points = ContactPoints(body, rows.point[:m], rows.gradient[:m], -rows.depth[:m])
        problem = self._problem
        problem.set_joints(state.R)
        problem.set_contacts(state.x, state.R, u, points)
        touching = SAME_TIME * law.pairs.size[rows.pair[:m]]
        slow = BOUNCE * (added[body[:, 0]] + added[body[:, 1]])
        contacts = ImpactContacts(points.gap, touching, restitution, slow)
        return FoundContacts(points, contacts, law.friction(state.x, u)[:m].copy())

    def reflect(self, found: FoundContacts, u: Array, horizon: float) -> ContactRecord | None:
        """Change u (n, 6) by the impacts within `horizon` [s]; their impulses [N s], if any."""
        problem, points = self._problem, found.points
        hits = reflect(self._solver, u, found.mu, found.law, horizon)
        if not len(hits.impulses):
            return None
        self.joint_impulses = hits.impulses[: problem.n_joint].copy()
        impulses = np.zeros((len(points.gap), 3))
        world_impulses(problem.n_joint, problem.rows.J, hits.impulses, impulses)
        hit = impulses.any(axis=1)
        return ContactRecord(
            points.body[hit], points.point[hit], points.normal[hit], impulses[hit],
            points.gap[hit],
        )  # fmt: skip

    def later(self, found: FoundContacts, u: Array) -> BoolArray:
        """(m,) contacts that will bounce when they close."""
        rates = self._problem.rates(u)[self._problem.normals()]
        law = found.law
        return np.asarray((law.restitution > 0.0) & (-rates > law.slow) & (law.gap > law.touching))

    def first_time(
        self, found: FoundContacts, later: BoolArray, u: Array, acceleration: Array
    ) -> float:
        """[s] when the first of the contacts `later` closes; acceleration (n, 6) of the bodies."""
        if not later.any():
            return np.inf
        normals = self._problem.normals()
        rates = self._problem.rates(u)[normals].copy()
        second = self._problem.rates(acceleration)[normals]
        return float(times_of_impact(found.law.gap, rates, second)[later].min())
