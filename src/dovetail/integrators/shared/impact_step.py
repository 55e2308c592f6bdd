"""The impacts within one step: flight until bodies meet, the impact law, flight for the rest.

A barrier stops bodies where they meet, at the part tau of the step,
    r_0 tau h + (r_1 - r_0) tau^2 h/2 = d,
r the rates of the contact that strikes first at start and end of the step without contact, d how
far it opened under the barrier. Each cluster of touching bodies then has
    u_tau = u_0 + tau (u_1 - u_0),     u' after the impact law (`contact.impact`),
    u'' = u' + (1 - tau) (u_1 - u_0),  contacts that close again held without restitution,
    x = x_0 + tau h (u_0 + u_tau)/2 + (1 - tau) h (u' + u'')/2,
with u_0 and u_1 the velocities at start and end of the step without contact. So loads act for all
of the step, impulses are what contact changes of the momenta, and for a constant force the energy
of a body that rebounds is e^2 of that before the step, measured from where surfaces meet
(`impact_problem.above_surface`). With joints, u_1 and u_tau fit them. The solver
leads bodies from where the barrier held them to x, free of intersections.
"""

from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.report import BODY_A, BODY_B, GAP, NORMAL, POINT
from dovetail.contact.law import ContactRecord
from dovetail.integrators.shared.impact_problem import ImpactProblem
from dovetail.integrators.shared.impulse_poses import turn_spins
from dovetail.integrators.shared.potential_solver import PotentialSolver
from dovetail.linalg.lie import so3
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int64Array


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


class ImpactStep(NamedTuple):
    """What the impacts of a step did."""

    hit: BoolArray  # (n,) bodies of the clusters that were struck
    contacts: BoolArray  # (m,) contacts among them
    impulses: Array  # (m, 3) [N s] on the first body of each contact
    displacement: Array  # (n, 6) from the start of the step, of bodies `hit`


def strike(
    impacts: ImpactProblem, begin: StepBegin, state: BodyState, u: Array, struck: BoolArray,
    slow: Array, near: BoolArray | None = None,
) -> ImpactStep | None:  # fmt: skip
    """Change u (n, 6), the velocities without contact, by the impacts of contacts `struck`.

    Of the others those take part that are `near`, by default all. None where no approach is faster
    than `slow` [m/s] when bodies meet: what is fast only by the loads of the rest of the step rests
    where the barrier holds it.
    """
    free = u.copy()
    impacts.hold_joints(free)
    cluster, change = impacts.clusters(), free - begin.u
    tau = _parts(impacts, begin, state, free, struck, cluster)
    met = begin.u + tau[:, None] * change
    impacts.hold_joints(met)
    struck = struck & (impacts.rates(met) < -slow)
    chosen = impacts.struck(cluster, struck)
    if not len(chosen):
        return None
    hit = np.isin(cluster, chosen) & impacts.moves
    contacts = impacts.contacts_in(cluster, chosen)
    if near is not None:
        contacts &= near
    after = np.where(hit[:, None], met, u)
    pressed = (impacts.rates(begin.u) - impacts.rates(free)) / begin.h
    impulses = impacts.reflect(after, slow, contacts, pressed)
    end = after + np.where(hit, 1.0 - tau, 0.0)[:, None] * change
    impulses = impulses + impacts.stop(end, contacts)
    first, rest = (0.5 * begin.h * part[:, None] for part in (tau, 1.0 - tau))
    u[hit] = end[hit]
    return ImpactStep(hit, contacts, impulses, first * (begin.u + met) + rest * (after + end))


def _parts(
    impacts: ImpactProblem, begin: StepBegin, state: BodyState, u: Array, struck: BoolArray,
    cluster: Int64Array,
) -> Array:  # fmt: skip
    """(n,) tau of every body's cluster, 1 without contacts `struck`."""
    before, after = impacts.rates(begin.u), impacts.rates(u)
    opened = impacts.rates(begin.moved(state))
    tau = _share(before * begin.h, 0.5 * (after - before) * begin.h, opened)
    parts = np.ones(len(u))
    for number in impacts.struck(cluster, struck):
        first = float(tau[struck & impacts.contacts_in(cluster, np.array([number]))].min())
        parts[cluster == number] = first
    return parts


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


def fly_on(
    impacts: ImpactProblem, begin: StepBegin, state: BodyState, u: Array, done: ImpactStep,
    solver: PotentialSolver,
) -> None:  # fmt: skip
    """Lead the bodies that were struck to where the step ends; u (n, 6) keeps their energies."""
    hit, moved, held = done.hit, done.displacement, state.R.copy()
    solver.release_barriers(begin.x, begin.R, hit)
    R = so3.exp(moved[:, 3:]) @ begin.R
    if solver.drift(hit, begin.x + moved[:, :3], R, begin.h):
        after = u.copy()
        turn_spins(impacts.arrays, held, state.R, after)
        u[hit, 3:] = after[hit, 3:]


def impact_record(rows: Array, done: ImpactStep, h: float) -> ContactRecord:
    """The contacts `rows` (see `ipc.report`) among bodies that were struck, with mean forces."""
    kept = rows[done.contacts]
    return ContactRecord(
        kept[:, BODY_A : BODY_B + 1].astype(np.int32), kept[:, POINT : POINT + 3],
        kept[:, NORMAL : NORMAL + 3], done.impulses[done.contacts] / h, kept[:, GAP],
        np.zeros((len(kept), 3)),
    )  # fmt: skip
