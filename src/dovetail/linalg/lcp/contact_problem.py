"""Contact forces and accelerations of a mechanism at one instant, as an LCP.

Source: Xu, Dai, Xie, Li, "Frictional contacts analysis of 3-D constrained rigid-body",
eqs. 2-16, for s sliding and r rolling point contacts. Two corrections to the printed matrix of
eq. 16: sliding and rolling contacts act on each other through the inertia (its zero blocks hold
only if all contacts are of one kind), and each tangential row has its own slack acceleration
(the slack columns of the fourth row are 0 1, not 1 0).

Unknowns and their complements, each block over contacts of its kind:
    x = (lambda_NS, lambda_NR, lambda_H+, a_H-),   y = (a_NS, a_NR, a_H+, lambda_H-),
where H stacks the tangents T and O of the rolling contacts and
    lambda_H+- = mu_H lambda_NR +- lambda_H,   a_H = a_H+ - a_H-.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp.contact_input import ContactInput, read_contacts
from dovetail.linalg.lcp.effective_inertia import EffectiveInertia
from dovetail.runtime.options import named_options

Array = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class ContactMotion:
    """Forces and accelerations of all contacts, in the order they were given.

    Attributes:
        normal_force: (p,) [N], >= 0.
        tangent_force: (p, 2) [N] along T and O (p, 1 where there is no O).
        acceleration: (n,) of the generalised coordinates.
        contact_acceleration: (p, 3) [m/s^2] along N, T, O (p, 2 where there is no O).
        generalised_force: (n,) what the contacts exert together.
        constraint_force: (m,) multipliers of the joint constraints.
    """

    normal_force: Array
    tangent_force: Array
    acceleration: Array
    contact_acceleration: Array
    generalised_force: Array
    constraint_force: Array


@dataclass(frozen=True)
class ContactProblem:
    """The LCP of all contacts, and the map from its x to forces and accelerations.

    Attributes:
        A, b: the problem for dt.lcp.solve, size s + r + 2 (tangents) r.
        D: matrix of the boundary layer (eq. 30), [N; T_R; O_R] M^-1 Phi_q^T, size p + 2 r.
        is_sliding: (p,) which contacts slide; the others roll or rest.
    """

    A: Array
    b: Array
    D: Array
    is_sliding: BoolArray
    contacts: ContactInput
    inertia: EffectiveInertia

    def motion(self, x: Any) -> ContactMotion:
        """Forces and accelerations of a solution x of the LCP."""
        given = self.contacts
        sliding, rolling = given.sliding, given.rolling
        s, r, t = len(sliding), len(rolling), given.n_tangents
        values = np.asarray(x, dtype=np.float64)
        p = s + r
        normal, tangent = np.empty(p), np.empty((p, t))
        normal[sliding], normal[rolling] = values[:s], values[s:p]
        tangent[sliding] = -given.friction[sliding, None] * given.direction[sliding]
        tangent[sliding] *= normal[sliding, None]
        plus = values[p : p + t * r].reshape(t, r).T
        tangent[rolling] = plus - given.rolling_friction[rolling] * normal[rolling, None]
        force = given.N.T @ normal
        for j, rows in enumerate(given.tangents):
            force = force + rows.T @ tangent[:, j]
        acceleration = self.inertia.acceleration(given.force + force)
        at_contacts = [rows @ acceleration for rows in (given.N, *given.tangents)]
        return ContactMotion(
            normal_force=normal,
            tangent_force=tangent,
            acceleration=acceleration,
            contact_acceleration=np.column_stack(at_contacts) + given.bias,
            generalised_force=force,
            constraint_force=self.inertia.constraint_force(given.force + force),
        )


@named_options
def contact_problem(
    M: Any,
    force: Any,
    N: Any,
    T: Any,
    O: Any = None,
    *,
    friction: Any = 0.0,
    slip: Any = None,
    bias: Any = None,
    shares: Any = None,
    constraints: Any = None,
    constraint_bias: Any = None,
) -> ContactProblem:
    """The LCP of p contacts of a system M qdd = force + contact forces (eqs. 2-16).

    Args:
        M: (n, n) mass matrix, symmetric and positive definite.
        force: (n,) all other generalised forces, u - G.
        N: (p, n) contact Jacobian along the normals.
        T: (p, n) along the first tangents.
        O: (p, n) along the second tangents; None for motion in a plane.
        friction: coefficient mu >= 0, one or (p,).
        slip: (p, 2) velocities along T and O [m/s]; zero rows roll. None: all roll.
        bias: (p, 3) accelerations Jdot qdot along N, T, O [m/s^2]; None: zero.
        shares: (p, 2) parts of mu along T and O of the rolling contacts (eq. 3); None: equal
            ones, 1/sqrt(2), the pyramid inside Coulomb's cone.
        constraints: (m, n) rows G of joints, G qdd + constraint_bias = 0.
        constraint_bias: (m,).
    """
    given = read_contacts(M, force, N, T, O, friction, slip, bias, shares)
    inertia = EffectiveInertia.of(given.M, constraints, constraint_bias)
    sliding, rolling = given.sliding, given.rolling
    s, r, t = len(sliding), len(rolling), given.n_tangents
    mu_rolling = given.rolling_friction[rolling]  # (r, t)
    N_rolling = given.N[rolling]
    slide = given.N[sliding].copy()  # Phi_Sq of eq. 3
    for j, rows in enumerate(given.tangents):
        along = given.friction[sliding] * given.direction[sliding, j]
        slide -= along[:, None] * rows[sliding]
    H = np.concatenate([rows[rolling] for rows in given.tangents])
    pressed = N_rolling.copy()  # the normal force drags -mu_H lambda_N along: eq. 14
    for j, rows in enumerate(given.tangents):
        pressed -= mu_rolling[:, j, None] * rows[rolling]
    moved = np.concatenate([given.N[sliding], N_rolling, H])
    inverse_on = inertia.inverse
    n_forces, n_slack = s + r + t * r, t * r
    A = np.zeros((n_forces + n_slack, n_forces + n_slack))
    A[:n_forces, :n_forces] = moved @ inverse_on @ np.concatenate([slide, pressed, H]).T
    A[s + r : n_forces, n_forces:] = np.eye(n_slack)
    for j in range(t):
        of_tangent = slice(n_forces + j * r, n_forces + (j + 1) * r)
        A[of_tangent, s : s + r] = 2.0 * np.diag(mu_rolling[:, j])
    A[n_forces:, s + r : n_forces] = -np.eye(n_slack)
    bias_rows = [given.bias[sliding, 0], given.bias[rolling, 0]]
    bias_rows += [given.bias[rolling, 1 + j] for j in range(t)]
    free = moved @ inertia.acceleration(given.force) + np.concatenate(bias_rows)
    D = moved @ inverse_on @ np.concatenate([slide, N_rolling, H]).T
    b = np.concatenate([free, np.zeros(n_slack)])
    return ContactProblem(A, b, D, given.is_sliding, given, inertia)
