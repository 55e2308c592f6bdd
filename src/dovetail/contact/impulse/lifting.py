"""What it costs to lift bodies out of overlaps, and what pays for it.

A displacement that takes back an overlap moves bodies against their loads and so adds energy. In
the step u' = u + M^-1 (h f + J^T lambda), x' = x + h u' the energy of a group of bodies that touch
each other changes by the work of joints and

    -1/2 |u' - u|^2_M - sum over contacts of (-lambda . J u'),

which is never positive: lambda_N J_N u' = -lambda_N gap / h, and friction opposes slip. That pays
for the lift; what it does not pay is taken from the kinetic energy of the group at the end of the
step, whose velocities all become less by one factor. Such a group touches what does not move: loads
do no work on a lift that keeps the centre of mass.
"""

from typing import NamedTuple

import numpy as np

from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.linalg.block_cholesky.row_pairs import row_pairs
from dovetail.model.connected import component_labels
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int64Array


def groups_of_bodies(problem: ImpulseProblem) -> Int64Array:
    """(n,) numbers of the groups of moving bodies that rows connect."""
    moves = problem.bodies.dynamic
    body = problem.rows.body[: problem.n_rows].astype(np.int64)
    links = row_pairs(body, moves).pair.astype(np.int64)
    return np.asarray(component_labels(len(moves), links))


class StepMotion(NamedTuple):
    """The velocities of a step and what acts in it, (n, 6) each, in world axes."""

    x: Array  # (n, 3) [m] at its start
    start: Array  # before its loads and impulses
    u: Array  # at its end
    loads: Array  # [N, N m]
    alone: BoolArray  # (n,) bodies that fly freely, which loses nothing


def _masses(bodies: BodyArrays) -> Array:
    """(n, 3) [kg]; 0 along fixed directions."""
    none = np.zeros_like(bodies.inverse_mass)
    mass: Array = np.divide(1.0, bodies.inverse_mass, out=none, where=bodies.inverse_mass > 0.0)
    return mass


def _energy(problem: ImpulseProblem, u: Array) -> Array:
    """(n,) [J] kinetic energy of velocities u (n, 6) in world axes."""
    bodies = problem.bodies
    mass = _masses(bodies)
    turned = np.einsum("nji,nj->ni", problem.R, u[:, 3:])
    spins = 0.5 * np.einsum("ni,nij,nj->n", turned, bodies.inertia, turned)
    return np.asarray(0.5 * (mass * u[:, :3] ** 2).sum(axis=1) + spins)


def lost_energy(problem: ImpulseProblem, motion: StepMotion, group: Int64Array) -> Array:
    """[J] what each group of bodies loses in a step."""
    bodies, u = problem.bodies, motion.u
    changes = bodies.dynamic & ~motion.alone
    change = np.where(changes[:, None], u - motion.start, 0.0)
    total = np.bincount(group, _energy(problem, change), minlength=int(group.max(initial=-1)) + 1)
    first, n_rows = problem.n_joint, problem.n_rows
    power = -(problem.lam[first:n_rows] * problem.rates(u)[first:])
    pair = problem.rows.body[first:n_rows:3].astype(np.int64)
    owner = np.where(bodies.dynamic[pair[:, 0]], pair[:, 0], pair[:, 1])
    spent = power.reshape(-1, 3).sum(axis=1)
    return np.asarray(total + np.bincount(group[owner], spent, minlength=len(total)))


def _supported(problem: ImpulseProblem, group: Int64Array, groups: int) -> BoolArray:
    """(groups,) which touch, or are joined to, what does not move: only there loads do work."""
    body, moves = problem.rows.body[: problem.n_rows].astype(np.int64), problem.moves
    two = body[:, :2]
    held = (moves[two].sum(axis=1) == 1) & moves[two].any(axis=1)
    found = np.zeros(groups, np.bool_)
    found[group[np.where(moves[two[:, 0]], two[:, 0], two[:, 1])[held]]] = True
    return found


class Payment(NamedTuple):
    """How far groups are lifted, and what kinetic energy they may have afterwards."""

    share: Array  # (n,) of the lift of bodies
    group: Int64Array  # (n,)
    most: Array  # (groups,) [J]
    loads: Array  # (n, 6) [N, N m] of the step


def payment(
    problem: ImpulseProblem, motion: StepMotion, lift: Array, group: Int64Array, free: BoolArray,
    earlier: Array,
) -> Payment:  # fmt: skip
    """Who pays for a lift (n, 6) [m, rad].

    Groups that are `free` (groups,) pay nothing: they overlap from the start of the run. `earlier`
    (groups,) [J] is what they have lost in steps before and may pay with.
    """
    lost = lost_energy(problem, motion, group) + earlier
    cost = np.bincount(group, -(motion.loads * lift).sum(axis=1), minlength=len(lost))
    moving = np.where(problem.bodies.dynamic[:, None], motion.u, 0.0)
    kinetic = np.bincount(group, _energy(problem, moving), minlength=len(lost))
    share, has = np.ones(len(lost)), np.maximum(lost + kinetic, 0.0)
    paid = ~free & _supported(problem, group, len(lost)) & (cost > 0.0)
    dear = paid & (cost > has)
    share[dear] = has[dear] / cost[dear]
    most = np.where(paid, has - share * cost, np.inf)
    return Payment(share[group], group, np.maximum(most, 0.0), motion.loads)


def energies(problem: ImpulseProblem, motion: StepMotion) -> Array:
    """(n,) [J] of bodies at the start of a step, as far as its forces tell."""
    own = _energy(problem, np.where(problem.bodies.dynamic[:, None], motion.start, 0.0))
    return np.asarray(own - (motion.loads[:, :3] * motion.x).sum(axis=1))


def slow_down(bodies: BodyArrays, moved: BodyState, L: Array, paid: Payment) -> Array:
    """Take from the velocities and momenta L (n, 3) of groups what they have more than allowed.

    Returns the energies (n,) [J] that are left, as `energies` has them.
    """
    spin = np.einsum("ni,nij,nj->n", moved.omega, bodies.inertia, moved.omega)
    mass = _masses(bodies)
    own = np.where(bodies.dynamic, 0.5 * ((mass * moved.v**2).sum(axis=1) + spin), 0.0)
    kinetic = np.bincount(paid.group, own, minlength=len(paid.most))
    factor = np.ones(len(kinetic))
    fast = kinetic > paid.most
    factor[fast] = np.sqrt(paid.most[fast] / kinetic[fast])
    slowed = bodies.dynamic & fast[paid.group]
    for rows in (moved.v, moved.omega, L):
        rows[slowed] *= factor[paid.group[slowed], None]
    own *= factor[paid.group] ** 2
    return np.asarray(own - (paid.loads[:, :3] * moved.x).sum(axis=1))
