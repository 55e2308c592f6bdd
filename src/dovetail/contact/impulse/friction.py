"""The friction coefficient of each contact at its slip (`contact.friction_curve`).

Friction curves of one's own take its place where pairs have one.
"""

import numpy as np

from dovetail.contact.friction_curve import coefficients
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet
from dovetail.model.values import Array


def friction_coefficients(contacts: ContactSet, problem: ImpulseProblem, u: Array) -> Array:
    """(count,) mu at the slip that each contact of the problem has in u (n, 6)."""
    rates = problem.rates(u)
    slip = np.hypot(rates[problem.n_joint + 1 :: 3], rates[problem.n_joint + 2 :: 3])
    m, mu = contacts.materials, np.zeros(contacts.count)
    coefficients(slip, m.mu_s, m.mu_d, m.v_s, m.v_d, mu)
    for k, curve in enumerate(contacts.curves):
        if curve is not None:
            mu[k] = np.asarray(curve.coefficient(slip[k : k + 1]), dtype=float)[0]
    return mu
