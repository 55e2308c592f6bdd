"""Velocities with which bodies strike within a step, and the energy that an impact may leave.

A barrier stops bodies where they meet, at the part tau of the step, so at its end they are where
they met. Velocities at the end of the step would count loads over the rest of the step as speed of
the impact, and a ball would rise higher from each bounce. So an impact reflects
    u = u_0 + tau (u_1 - u_0),   r_0 tau h + (r_1 - r_0) tau^2 h/2 = d,
r the rates of the contact that strikes first at start and end of the step, d how far it opened.
For a constant force the energy of a body is then that before the step. Where other bodies of the
cluster add to it, the part of the impulses that restitution adds is taken back as far as needed:
    T(u_plastic + s (u - u_plastic)) <= T(u_0) + work of the loads,   s <= 1.
"""

from typing import NamedTuple

import numpy as np

from dovetail.integrators.shared.impact_problem import ImpactProblem
from dovetail.integrators.shared.impulse_poses import kinetic
from dovetail.linalg.lie import so3
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int64Array

ROUNDING = 1e-12  # of an energy


class StepBegin(NamedTuple):
    """The motion at the start of a step of h [s]."""

    h: float
    x: Array  # (n, 3) [m]
    R: Array  # (n, 3, 3)
    u: Array  # (n, 6) velocity and spin

    def moved(self, state: BodyState) -> Array:
        """(n, 6) displacement and rotation vector since then."""
        turned = so3.log(state.R @ self.R.transpose(0, 2, 1))
        return np.concatenate((state.x - self.x, turned), axis=1)


def go_back_to_impacts(
    impacts: ImpactProblem, begin: StepBegin, state: BodyState, u: Array, struck: BoolArray,
    cluster: Int64Array,
) -> None:  # fmt: skip
    """Change u (n, 6) of clusters with contacts `struck` to what it was when the first one met."""
    before, after = impacts.rates(begin.u), impacts.rates(u)
    opened = impacts.rates(begin.moved(state))
    tau = _share(before * begin.h, 0.5 * (after - before) * begin.h, opened)
    for number in impacts.struck(cluster, struck):
        first = float(tau[struck & impacts.contacts_in(cluster, np.array([number]))].min())
        own = (cluster == number) & impacts.moves
        u[own] = begin.u[own] + first * (u[own] - begin.u[own])


def _share(linear: Array, square: Array, wanted: Array) -> Array:
    """The least tau in [0, 1] with square tau^2 + linear tau = wanted; 1 where there is none."""
    root = np.sqrt(np.maximum(linear**2 + 4.0 * square * wanted, 0.0))
    over = -linear + np.where(linear > 0.0, -root, root)
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = 2.0 * wanted / -over, over / (2.0 * square)
    found = np.ones_like(wanted)
    for tau in (second, first):
        found = np.where(np.isfinite(tau) & (tau >= 0.0) & (tau < found), tau, found)
    return found


def reflect_within_energy(
    impacts: ImpactProblem, begin: StepBegin, state: BodyState, u: Array, slow: Array,
    closing: BoolArray, hit: BoolArray, force: Array, torque: Array,
) -> None:  # fmt: skip
    """Impacts of contacts `closing` among bodies `hit` (n,), which do not gain energy by them.

    `force`, `torque` (n, 3) are the loads of the step.
    """
    mass, arrays = impacts.mass, impacts.arrays
    plastic = u.copy()
    impacts.reflect(u, slow, closing)

    def energy(R: Array, velocities: Array) -> float:
        return float(kinetic(arrays, mass, R, np.where(hit[:, None], velocities, 0.0)))

    moved = begin.moved(state)[hit]
    work = float(np.sum(force[hit] * moved[:, :3]) + np.sum(torque[hit] * moved[:, 3:]))
    allowed = energy(begin.R, begin.u) + work
    if energy(state.R, u) <= allowed * (1.0 + ROUNDING):
        return
    impacts.reflect(plastic, np.full_like(slow, np.inf), closing)
    added = u - plastic
    a, c = energy(state.R, added), energy(state.R, plastic) - allowed
    b = energy(state.R, plastic + added) - allowed - a - c
    s = (-b + np.sqrt(max(b * b - 4.0 * a * c, 0.0))) / (2.0 * a) if a > 0.0 and c < 0.0 else 0.0
    u[...] = plastic + min(max(s, 0.0), 1.0) * added
