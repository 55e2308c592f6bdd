"""The friction coefficient of each contact at its slip: mu_s up to v_s, mu_d from v_d on.

Friction curves of one's own take its place where pairs have one.
"""

import numpy as np

from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet
from dovetail.model.values import Array


def friction_coefficients(contacts: ContactSet, problem: ImpulseProblem, u: Array) -> Array:
    """(count,) mu at the slip that each contact of the problem has in u (n, 6), linear between."""
    rates = problem.rates(u)
    slip = np.hypot(rates[problem.n_joint + 1 :: 3], rates[problem.n_joint + 2 :: 3])
    m = contacts.materials
    part = np.clip((slip - m.v_s) / (m.v_d - m.v_s), 0.0, 1.0)
    mu = np.ascontiguousarray(m.mu_s + part * (m.mu_d - m.mu_s))
    for k, curve in enumerate(contacts.curves):
        if curve is not None:
            mu[k] = np.asarray(curve.coefficient(slip[k : k + 1]), dtype=float)[0]
    return mu
