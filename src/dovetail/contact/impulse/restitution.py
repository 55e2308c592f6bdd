"""Impacts with restitution, before the loads of a step act.

Contacts that close with some speed are reflected one generation after the other, as in Smith,
Kaufman, Vouga, Tamstorf and Grinspun 2012, "Reflections on simultaneous impact": of the contacts
that approach now, find the impulses that just stop them (with friction and joints), repeat e of
their normal part (Poisson), let friction act up to mu times the whole; and again, until nothing
approaches. A blow so wanders through touching balls as through Newton's cradle. With one e,
    dT = -(1 - e^2) lambda . A lambda / 2 <= 0      (A the inverse inertia of the contacts);
where several e or friction would gain energy after all, e is halved until they do not.
"""

from collections.abc import Callable

import numpy as np

from dovetail.contact.impulse.law import ImpulseLaw
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.rows import kick_all
from dovetail.model.values import Array

MOST_GENERATIONS = 200
SLOW = 1e-9  # of the fastest approach: what counts as approaching
MOST_HALVINGS = 20
TOLERANCE = 1e-12  # of the fastest approach
BOUNCE = 2.0  # times what loads add in a step: slower approaches do not bounce
TOUCHING = 1e-7  # of the smaller body: a gap through which a blow is passed on


def impacts(
    law: ImpulseLaw,
    problem: ImpulseProblem,
    u: Array,
    h: float,
    mu: Array,
    kicks: Array,
    kinetic: Callable[[Array], float],
) -> tuple[Array, int]:
    """Reflect in u (n, 6) what closes within h [s] and is fast enough; impulses and sweeps.

    kicks (n,) [m/s] is what loads add to each body's speed in the step.
    """
    restitution = law.numbers()[:, 4]
    if not restitution.any():
        return np.zeros(0), 0
    gap, body = law.touches.gap[: law.count], law.touches.body[: law.count]
    rates = problem.rates_of(u)[problem.normals()]
    added = kicks[body[:, 0]] + kicks[body[:, 1]]
    fast = -rates > BOUNCE * added
    closing = gap + h * (rates - added) <= 0.0
    if not (closing & fast & (restitution > 0.0)).any():
        return np.zeros(0), 0
    touching = gap <= h * added + TOUCHING * law.sizes()
    e = np.where(fast | touching, restitution, 0.0)
    return reflect(problem, u, mu, e, closing | touching, kinetic)


def reflect(
    problem: ImpulseProblem,
    u: Array,
    mu: Array,
    e: Array,
    closing: Array,
    kinetic: Callable[[Array], float],
) -> tuple[Array, int]:
    """Change u (n, 6) by the impacts of contacts `closing`; returns impulses (rows,) and sweeps.

    e (contacts,) is 0 where an approach is too slow to bounce. `kinetic(u)` is the energy [J].
    """
    rows, normals = problem.rows, problem.normals()
    total, sweeps = np.zeros(rows), 0
    approach = -problem.rates_of(u)[normals]
    fastest = float(approach[closing].max(initial=0.0))
    tolerance = TOLERANCE * fastest
    for _ in range(MOST_GENERATIONS):
        approach = -problem.rates_of(u)[normals]
        hit = closing & (approach > SLOW * fastest)
        if not hit.any():
            break
        before, energy = u.copy(), kinetic(u)
        problem.lam[:rows] = 0.0
        problem.c[problem.n_joint : rows] = 0.0  # joints keep what they ask for
        on = hit.astype(np.int8)
        done = problem.solve(u, mu, on, tolerance, let_go_dampers=True)
        sweeps += done.sweeps
        stopped, compressed = u.copy(), problem.lam[:rows].copy()
        share = np.where(hit, e, 0.0)
        for _ in range(MOST_HALVINGS):
            u[...] = stopped
            problem.lam[:rows] = compressed
            if not share.any():
                break
            more = np.zeros(rows)
            more[normals] = share * compressed[normals]
            problem.lam[:rows] += more
            kick_all(problem.body, problem.WJ, rows, 1.0, more, u)
            # normal impulses stand (2), friction and joints follow
            done = problem.solve(u, mu, np.where(hit, 2, 0).astype(np.int8), tolerance,
                                 let_go_dampers=True)  # fmt: skip
            sweeps += done.sweeps
            if kinetic(u) <= energy * (1.0 + 1e-12):
                break
            share = 0.5 * share
        else:
            u[...] = stopped
            problem.lam[:rows] = compressed
        total += problem.lam[:rows]
        if not np.isfinite(u).all():
            u[...] = before
            break
    problem.lam[:rows] = 0.0
    return total, sweeps
