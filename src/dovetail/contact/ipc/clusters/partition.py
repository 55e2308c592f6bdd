r"""Which bodies cannot come near each other in a step, whatever happens in it.

A body that moves by no more than a margin m stays in the ball around its centre of mass of radius
r + m, r that of its farthest point, however it turns. Bodies whose balls, half of the barriers'
reach wider, do not overlap do not act on each other, and no path of one meets the other. Balls that
overlap connect bodies; static bodies connect nothing. A solve of the step that has led a body out
of its ball widens it, and what is connected then is solved again.
"""

from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.clusters.overlaps import connect_balls
from dovetail.contact.ipc.records import IpcBodies, IpcMotion, Poses
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, Int64Array

FEWEST = 8  # awake bodies of a cluster: all that are in smaller ones are one problem
AHEAD = 1.5  # times the displacement of a body without contact: its margin,
ASIDE = 1.0  # and of its radius
FARTHER = 2.0  # times what a body has moved beyond its margin
BESIDE = 0.25  # of the size of a cluster: static bodies so near are part of it, to last
ROUNDING = 1e-9  # of a radius


class Balls(NamedTuple):
    """Where the bodies that can move stay in a step."""

    moves: Int64Array  # (m,) these bodies
    start: Poses  # of all n bodies
    margin: Array  # (m,) [m]
    radius: Array  # (m,) [m] with half of the reach of barriers


class Cluster(NamedTuple):
    """Bodies of one problem."""

    moves: Int64Array  # (k,) bodies that can move
    members: Int64Array  # (l,) these and static bodies near them, ascending


def begin_balls(
    bodies: IpcBodies, motion: IpcMotion, targets: Poses, h: float, reach: float
) -> Balls:
    """The balls at the start of a step of h [s], as wide as motions without contact need."""
    moves = np.flatnonzero(bodies.slot >= 0)
    dynamic, x, mass = bodies.dynamic[moves] != 0, motion.x[moves], bodies.mass[moves, None]
    displacement = h * motion.v[moves] + (h * h / mass) * motion.force[moves]
    displacement = np.where(dynamic[:, None], displacement, targets.x[moves] - x)
    radius = bodies.geometry.radius[moves]
    margin = AHEAD * np.sqrt((displacement * displacement).sum(axis=1)) + ASIDE * radius + reach
    size = np.abs(x).max(initial=0.0) + radius
    return Balls(
        moves, Poses(motion.x.copy(), motion.R.copy()), margin,
        radius + 0.5 * reach + ROUNDING * size,
    )  # fmt: skip


def clusters_of(
    bodies: IpcBodies, motion: IpcMotion, balls: Balls, touching: Int64Array
) -> list[Cluster]:
    """Those of at least FEWEST awake bodies, and one of all others; none where one is all.

    Unless bodies of two large ones are in the pairs `touching` (k, 2), there are none either: what
    flies takes an iteration or two, however many bodies there are.
    """
    x, radius = balls.start.x[balls.moves], balls.radius + balls.margin
    if not np.isfinite(radius).all():
        return []
    axis = int(np.argmax(np.ptp(x, axis=0)))
    leader = np.empty(len(x), np.int64)
    connect_balls(x, radius, np.argsort(x[:, axis] - radius, kind="stable"), axis, leader)
    _unite_sleeping(motion, balls.moves, leader)
    awake = np.bincount(leader, motion.asleep[balls.moves] == 0, len(x))
    touches = np.zeros(len(bodies.mass), np.bool_)
    touches[touching] = True
    touched = np.bincount(leader, touches[balls.moves], len(x))
    large = np.flatnonzero(awake >= FEWEST)
    if np.count_nonzero(touched[large]) < 2:
        return []
    number = np.full(len(x), len(large))
    number[large] = np.arange(len(large))
    order = np.argsort(number[leader], kind="stable")
    counts = np.bincount(number[leader], minlength=len(large) + 1)
    counts = counts[counts > 0]  # the last one, of all others, may be empty
    begins = np.cumsum(counts) - counts
    begin = np.minimum.reduceat((x - radius[:, None])[order], begins)
    end = np.maximum.reduceat((x + radius[:, None])[order], begins)
    beside, still = BESIDE * (end - begin), np.flatnonzero(bodies.slot < 0)
    low, high = _static_boxes(bodies, motion, still)
    near = (low <= (end + beside)[:, None]) & (high >= (begin - beside)[:, None])
    beside_all = np.logical_and.reduce(near, axis=2)
    clusters = []
    for chosen, its in zip(np.split(balls.moves[order], begins[1:]), beside_all):
        clusters.append(Cluster(chosen, np.sort(np.concatenate((chosen, still[its])))))
    return clusters


def _unite_sleeping(motion: IpcMotion, moves: Int64Array, leader: Int64Array) -> None:
    """Islands that sleep wake as a whole: they are in one cluster."""
    sleeps = np.flatnonzero(motion.asleep[moves])
    islands = motion.sleeping_island[moves[sleeps]]
    for island in np.unique(islands):
        leaders = np.unique(leader[sleeps[islands == island]])
        if len(leaders) > 1:
            leader[np.isin(leader, leaders)] = leaders[0]


def _static_boxes(bodies: IpcBodies, motion: IpcMotion, still: Int64Array) -> tuple[Array, Array]:
    """The boxes around static bodies (s, 3), (s, 3) [m]; half-spaces are everywhere."""
    geometry, R = bodies.geometry, motion.R[still]
    centre = motion.x[still] + np.einsum("nij,nj->ni", R, geometry.box_centre[still])
    half = np.einsum("nij,nj->ni", np.abs(R), geometry.box_half[still])
    half *= 1.0 + ROUNDING
    half += ROUNDING * np.abs(centre)
    half[geometry.half_spaces.is_half_space[still] != 0] = np.inf
    return centre - half, centre + half


def widened(balls: Balls, moved: Array) -> tuple[Balls, bool]:
    """Balls wide enough for centres that have moved by `moved` (m,) [m]; whether any was not."""
    left = ~(moved <= balls.margin)
    if not left.any():
        return balls, False
    return balls._replace(margin=np.where(left, FARTHER * moved, balls.margin)), True


def all_inside(balls: Balls, x: Array, R: Array, moving: BoolArray) -> bool:
    """Whether bodies at x (n, 3) are in their balls, and those that are not `moving` did not."""
    away = x[balls.moves] - balls.start.x[balls.moves]
    return bool(
        ((away * away).sum(axis=1) <= balls.margin**2).all()
        and np.array_equal(x[~moving], balls.start.x[~moving])
        and np.array_equal(R[~moving], balls.start.R[~moving])
    )
