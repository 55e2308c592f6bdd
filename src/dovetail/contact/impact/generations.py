r"""Impacts in generations, with Newton's or Poisson's coefficient of restitution.

A generation are the contacts that touch (or will, within a horizon) and approach. Impulses lambda
are found that just stop them, with friction and joints:
    0 <= lambda_N _|_ J_N u + c_N >= 0,     c_N = 0     (A lambda = -v without friction)
Then, with e of each contact,
    Poisson: lambda_N becomes (1 + e) lambda_N, and friction acts up to mu (1 + e) lambda_N;
    Newton: the same problem with c_N = e v_N, v_N < 0 the velocity before: v_N' = -e v_N.
What approaches afterwards is the next generation, until nothing fast approaches: Smith, Kaufman,
Vouga, Tamstorf and Grinspun 2012, "Reflections on simultaneous impact". So an impact travels
through bodies that touch, or nearly do, as in Newton's cradle. Impulses act on both bodies at one
point, so momentum is kept to rounding. The work of the contacts, lambda . (v + v') / 2, is
-(1 - e^2) lambda . A lambda / 2 <= 0 with one e and no friction; where several e or friction would
make it positive (Kane's paradox), e is halved until it is not. After MAX_GENERATIONS e is 0.

Without restitution anywhere a generation are all contacts that touch: they stop at once. One after
the other, those that stop close again by what the next ones pass on, in a series without end.
"""

import numpy as np

from dovetail.contact.impact.records import Hypothesis, ImpactContacts, Impacts, no_impacts
from dovetail.contact.impulse.records import ACTIVE, INACTIVE, NORMAL_FIXED
from dovetail.contact.impulse.solver import ImpulseSolver
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, Int32Array

MAX_GENERATIONS = 200
APPROACHING = 1e-9  # of the fastest approach: what counts as approaching
MAX_HALVINGS = 20
TOLERANCE = 1e-12  # of the fastest approach
MAX_SWEEPS = 4000  # of the solver, for one generation
GAIN = 1e-12  # of the energy that the impact stops: work above this is energy gained


def reflect(
    solver: ImpulseSolver, u: Array, mu: Array, contacts: ImpactContacts, horizon: float = 0.0,
    hypothesis: Hypothesis = "poisson",
) -> Impacts:  # fmt: skip
    """Change u (n, 6) by the impacts of contacts that close within `horizon` [s].

    mu (contacts,) are friction coefficients. Nothing happens where no approach is fast.
    """
    problem = solver.problem
    n_rows, normals = problem.n_rows, problem.normals()
    total, iterations, fastest = np.zeros(n_rows), 0, 0.0
    found = no_impacts(len(u))
    for generation in range(MAX_GENERATIONS + 1):
        rates = problem.rates(u)[normals].copy()
        closing = contacts.gap + horizon * np.minimum(rates, 0.0) <= contacts.touching
        fastest_now = max(fastest, float(-rates[closing].min(initial=0.0)))
        hit = closing & (-rates > APPROACHING * fastest_now)
        fast = hit & (-rates > contacts.slow)
        if not fast.any():
            break
        fastest = fastest_now
        e = np.where(fast, contacts.restitution, 0.0)
        if generation == MAX_GENERATIONS:
            e[...] = 0.0
        _keep_times(problem.rows.body[normals], contacts.gap, rates, hit, found.time)
        before = u.copy()
        if not contacts.restitution.any():
            hit = closing
        iterations += _generation(solver, u, mu, hit, e, TOLERANCE * fastest, hypothesis)
        if not np.isfinite(u).all():
            u[...] = before
            break
        total += problem.lam[:n_rows]
    problem.lam[:n_rows] = 0.0
    if not fastest > 0.0:
        return found
    return Impacts(total, iterations, found.time)


def _generation(
    solver: ImpulseSolver, u: Array, mu: Array, hit: BoolArray, e: Array, tolerance: float,
    hypothesis: Hypothesis,
) -> int:  # fmt: skip
    """The impact of contacts `hit`; `problem.lam` are its impulses. Returns the iterations."""
    problem = solver.problem
    n_rows, normals = problem.n_rows, problem.normals()
    contact_rows = slice(problem.n_joint, n_rows)
    before, rates = u.copy(), problem.rates(u).copy()
    problem.keep_rotors(rates)
    active = np.where(hit, ACTIVE, INACTIVE).astype(np.int8)
    friction_only = np.where(hit, NORMAL_FIXED, INACTIVE).astype(np.int8)

    def stop(share: Array) -> int:
        """The impulses after which contacts part with `share` of their speed of approach."""
        u[...] = before
        problem.lam[:n_rows] = 0.0
        problem.c[contact_rows] = 0.0  # joints keep their bias
        problem.c[normals] = share * np.minimum(rates[normals], 0.0)
        done = solver.solve(u, mu, active, tolerance, MAX_SWEEPS, release_dampers=True)
        problem.c[contact_rows] = 0.0
        return done.iterations

    def work() -> float:
        """Of the contacts [J], and of what they stop."""
        lam = problem.lam[contact_rows]
        return float(0.5 * lam @ (rates + problem.rates(u))[contact_rows])

    iterations = stop(np.zeros_like(e))
    stopped, compressed = u.copy(), problem.lam[:n_rows].copy()
    energy = abs(float(compressed[contact_rows] @ rates[contact_rows]))
    error = tolerance * float(np.abs(compressed[contact_rows]).sum())  # [J] of `work`, over 1 + e
    allowed = GAIN * energy + 2.0 * error
    share = np.where(hit, e, 0.0)
    for _ in range(MAX_HALVINGS):
        if not share.any():
            break
        if hypothesis == "newton":
            iterations += stop(share)
        else:
            u[...] = stopped
            more = np.zeros(n_rows)
            more[normals] = share * compressed[normals]
            problem.lam[:n_rows] = compressed + more
            problem.apply(more, u)
            done = solver.solve(
                u, mu, friction_only, tolerance, MAX_SWEEPS, release_dampers=True
            )  # fmt: skip
            iterations += done.iterations
        if work() <= allowed:
            return iterations
        share = 0.5 * share
    u[...] = stopped
    problem.lam[:n_rows] = compressed
    return iterations


def _keep_times(body: Int32Array, gap: Array, rates: Array, hit: BoolArray, time: Array) -> None:
    """Time (n,) [s] of the first impact of the bodies (contacts, 2) of contacts `hit`."""
    known = np.isfinite(time)
    reached = np.maximum(gap[hit], 0.0) / -rates[hit]
    for side in range(2):
        i = body[hit, side]
        new = ~known[i] & (i >= 0)
        np.minimum.at(time, i[new], reached[new])
