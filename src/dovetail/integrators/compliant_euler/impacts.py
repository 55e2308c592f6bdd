"""Impacts with restitution before a step with compliant contacts: the package's impact law."""

import numpy as np

from dovetail.collision.narrow_phase.contact_points import ContactPoints
from dovetail.contact.impulse.contact_matching import world_impulses
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactMaterials, ContactSet
from dovetail.contact.impulse.restitution import impacts
from dovetail.contact.impulse.solver import ContactSolver
from dovetail.contact.penalty.compliant.law import CompliantLaw
from dovetail.integrators.shared.impulse_poses import kinetic
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays
from dovetail.multibody.state import BodyState


class ImpactSolver:
    """Reflects what closes in a step and is fast enough; `any` whether any pair bounces."""

    def __init__(
        self, model: Model, bodies: BodyArrays, joints: JointRows, law: CompliantLaw | None
    ) -> None:
        self._mass, self._bodies = model.mass, bodies
        self._problem = ImpulseProblem(bodies, joints)
        self._solver = ContactSolver(self._problem)
        self.any = law is not None and law.pairs.any_restitution()
        self._impulses = np.zeros((0, 3))

    def reflect(
        self, law: CompliantLaw, state: BodyState, u: Array, h: float, mu: Array,
        load_speeds: Array,
    ) -> bool:  # fmt: skip
        """Change u (n, 6) by the impacts of the step; whether there are any."""
        rows, m = law.contacts.rows, law.contacts.count
        self._impulses = np.zeros((0, 3))
        restitution = law.restitution()
        if not restitution.any():
            return False
        points = ContactPoints(
            np.column_stack([rows.point_body[:m], rows.field_body[:m]]), rows.point[:m].copy(),
            rows.gradient[:m].copy(), -rows.depth[:m],
        )  # fmt: skip
        size = law.pairs.size[rows.pair[:m]]
        materials = ContactMaterials(mu.copy(), mu.copy(), np.zeros(m), np.ones(m), restitution)
        contacts = ContactSet(points, np.column_stack([size, size]), materials)
        problem, R = self._problem, state.R
        problem.set_joints(R)
        problem.set_contacts(state.x, R, u, points)
        found = impacts(
            contacts, self._solver, u, h, mu, load_speeds,
            lambda w: float(kinetic(self._bodies, self._mass, R, w)),
        )  # fmt: skip
        if not len(found.impulses):
            return False
        self._impulses = np.zeros((m, 3))
        world_impulses(problem.n_joint, problem.rows.J, found.impulses, self._impulses)
        return True

    def impulses(self, m: int) -> Array:
        """(m, 3) [N s] of the last impacts on the point bodies of m contacts."""
        return self._impulses if len(self._impulses) == m else np.zeros((m, 3))
