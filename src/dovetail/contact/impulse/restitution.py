"""Impacts with restitution, before the loads of a step act.

Contacts that close with some speed are reflected one generation after the other, as in Smith,
Kaufman, Vouga, Tamstorf and Grinspun 2012, "Reflections on simultaneous impact": of the contacts
that approach now, find the impulses that just stop them (with friction and joints), repeat e of
their normal part (Poisson), let friction act up to mu times the whole; and again, until nothing
approaches. An impact so passes through touching balls as through Newton's cradle. With one e,
    dT = -(1 - e^2) lambda . A lambda / 2 <= 0      (A the inverse inertia of the contacts);
where several e or friction would gain energy nevertheless, e is halved until they do not.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dovetail.contact.impulse.records import ACTIVE, INACTIVE, NORMAL_FIXED, ContactSet
from dovetail.contact.impulse.solver import ImpulseSolver
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray

MAX_GENERATIONS = 200
APPROACHING = 1e-9  # of the fastest approach: what counts as approaching
MAX_HALVINGS = 20
TOLERANCE = 1e-12  # of the fastest approach
BOUNCE = 2.0  # times what loads add in a step: slower approaches do not bounce
TOUCHING = 1e-7  # of the smaller body: a gap through which an impact is passed on


class Impacts(NamedTuple):
    """What the impacts of a step did."""

    impulses: Array  # (rows,) [N s], empty without impacts
    iterations: int


def impacts(
    contacts: ContactSet,
    solver: ImpulseSolver,
    u: Array,
    h: float,
    mu: Array,
    load_speed: Array,
    kinetic: Callable[[Array], float],
) -> Impacts:
    """Reflect in u (n, 6) what closes within h [s] and is fast enough.

    load_speed (n,) [m/s] is what loads add to each body's speed in the step.
    """
    restitution, problem = contacts.materials.restitution, solver.problem
    if not restitution.any():
        return Impacts(np.zeros(0), 0)
    gap, body = contacts.points.gap, contacts.points.body
    rates = problem.rates(u)[problem.normals()]
    added = load_speed[body[:, 0]] + load_speed[body[:, 1]]
    fast = -rates > BOUNCE * added
    closing = gap + h * (rates - added) <= 0.0
    if not (closing & fast & (restitution > 0.0)).any():
        return Impacts(np.zeros(0), 0)
    touching = gap <= h * added + TOUCHING * contacts.smaller_size
    e = np.where(fast | touching, restitution, 0.0)
    return reflect(solver, u, mu, e, closing | touching, kinetic)


def reflect(
    solver: ImpulseSolver,
    u: Array,
    mu: Array,
    e: Array,
    closing: BoolArray,
    kinetic: Callable[[Array], float],
) -> Impacts:
    """Change u (n, 6) by the impacts of contacts `closing`.

    e (contacts,) is 0 where an approach is too slow to bounce. `kinetic(u)` is the energy [J].
    """
    problem = solver.problem
    n_rows, normals = problem.n_rows, problem.normals()
    total, iterations = np.zeros(n_rows), 0
    approach = -problem.rates(u)[normals]
    fastest = float(approach[closing].max(initial=0.0))
    tolerance = TOLERANCE * fastest
    for _ in range(MAX_GENERATIONS):
        approach = -problem.rates(u)[normals]
        hit = closing & (approach > APPROACHING * fastest)
        if not hit.any():
            break
        before, energy = u.copy(), kinetic(u)
        problem.lam[:n_rows] = 0.0
        problem.c[problem.n_joint : n_rows] = 0.0  # joints keep their bias
        active = np.where(hit, ACTIVE, INACTIVE).astype(np.int8)
        iterations += solver.solve(u, mu, active, tolerance, release_dampers=True).iterations
        stopped, compressed = u.copy(), problem.lam[:n_rows].copy()
        friction_only = np.where(hit, NORMAL_FIXED, INACTIVE).astype(np.int8)
        share = np.where(hit, e, 0.0)
        for _ in range(MAX_HALVINGS):
            u[...] = stopped
            problem.lam[:n_rows] = compressed
            if not share.any():
                break
            more = np.zeros(n_rows)
            more[normals] = share * compressed[normals]
            problem.lam[:n_rows] += more
            problem.apply(more, u)
            done = solver.solve(u, mu, friction_only, tolerance, release_dampers=True)
            iterations += done.iterations
            if kinetic(u) <= energy * (1.0 + 1e-12):
                break
            share = 0.5 * share
        else:
            u[...] = stopped
            problem.lam[:n_rows] = compressed
        total += problem.lam[:n_rows]
        if not np.isfinite(u).all():
            u[...] = before
            break
    problem.lam[:n_rows] = 0.0
    return Impacts(total, iterations)
