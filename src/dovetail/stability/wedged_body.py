"""A body sliding along two walls at once, where the two stability criteria part."""

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp import ContactProblem, contact_problem
from dovetail.stability.body_contacts import BodyContacts, body_contacts

Array = NDArray[np.float64]
POINTS = ((-0.8, 0.0, 0.8), (-0.9, 0.0, -0.6))  # [m] from the centre
SLOPES = (0.3, -1.3)  # [rad] of the walls against x
FRICTION = 0.7
WEIGHT = (0.0, 0.0, -9.81, 0.0, 0.0, 0.0)


def wedged_body() -> tuple[BodyContacts, ContactProblem]:
    """1 kg with moments 1/3 kg m^2 on walls of slopes 0.3 and -1.3, sliding up both; mu = 0.7.

    Both contacts press (2.08 N and 6.16 N) and D has the eigenvalues 0.670 +- 0.839 i: stable for
    k = 1 if c > 0.955, while the paper's test denies it for every c; and x.D x > 0 for all x,
    which its theorem 1, taken for matrices that are not symmetric, says is enough for every c.
    """
    slopes = np.array(SLOPES)
    flat = np.zeros(2)
    contacts = body_contacts(
        1.0,
        (1 / 3, 1 / 3, 1 / 3),
        POINTS,
        np.column_stack([-np.sin(slopes), flat, np.cos(slopes)]),
        tangents=np.column_stack([np.cos(slopes), flat, np.sin(slopes)]),
    )
    problem = contact_problem(
        contacts.M, WEIGHT, contacts.N, contacts.T, contacts.O,
        friction=FRICTION, slip=[[1.0, 0.0], [1.0, 0.0]],
    )  # fmt: skip
    return contacts, problem


def sliding_force_rows(contacts: BodyContacts) -> Array:
    """Phi_q (2, 6): where the normal forces act, with the friction they bring along (eq. 3)."""
    return contacts.N - FRICTION * contacts.T
