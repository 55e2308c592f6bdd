"""The least clearance of a driven run at its recorded positions, near or far."""

from collections.abc import Collection
from itertools import combinations
from math import inf
from typing import NamedTuple

import numpy as np

from dovetail.collision.bvh.forest import forest_of
from dovetail.collision.bvh.tree import bvh_of
from dovetail.model.frozen import Model
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array
from dovetail.prove.motion.chains import PairMotion
from dovetail.prove.motion.records import Cell, Chain, Demand, workspace
from dovetail.prove.pairs.closest import closest_point
from dovetail.prove.pairs.search import search
from dovetail.prove.surfaces.tessellation import declared_deviation, deviation_of
from dovetail.results import Result

ACCURACY = 1e-3  # of the least clearance
TESTS = 1_000_000  # of one pair at one position
DEPTH = 1024  # of the stack


class Near(NamedTuple):
    """Where two parts are nearest."""

    clearance: float  # [m] less the tessellation of both
    between: tuple[str, str] | None
    frame: int
    point: tuple[float, float, float] | None
    tests: int = 0


def pairs_that_move(model: Model, excused: set[frozenset[str]]) -> list[tuple[int, int]]:
    """Parts with a surface of which one moves, but for those that may meet."""
    shown = [
        k
        for k, body in enumerate(model.bodies)
        if len(body.surface.faces) or isinstance(body.shape, HalfSpace)
    ]
    return [
        (i, j)
        for i, j in combinations(shown, 2)
        if "dynamic" in (model.bodies[i].motion, model.bodies[j].motion)
        and frozenset((model.names[i], model.names[j])) not in excused
    ]


def not_measured(
    result: Result, model: Model, pairs: list[tuple[int, int]], coarse: Collection[str]
) -> list[tuple[int, int]]:
    """Without pairs of round parts whose true distance the contact method recorded.

    It takes round parts as they are, but for those of `coarse`. Their triangles would give a bound
    that is lower by the deviation: 0 for parts that press on each other.
    """
    exact = [
        declared_deviation(body.shape) == 0.0 and name not in coarse
        for name, body in zip(model.names, model.bodies, strict=True)
    ]
    rounded = [deviation_of(body.shape) > 0.0 for body in model.bodies]
    recorded = set(map(frozenset, result.contacts.all()[1].bodies.tolist()))
    return [
        (i, j)
        for i, j in pairs
        if not ((rounded[i] or rounded[j]) and exact[i] and exact[j] and {i, j} in recorded)
    ]


def least_at_frames(result: Result, model: Model, pairs: list[tuple[int, int]]) -> Near:
    """Of these pairs of parts, at all recorded positions."""
    x = np.stack([result.position(name) for name in model.names], axis=1)
    R = np.stack([result.rotation(name) for name in model.names], axis=1)
    trees = [bvh_of(body.surface) if len(body.surface.faces) else None for body in model.bodies]
    have = [k for k, tree in enumerate(trees) if tree is not None]
    forest = forest_of([tree for tree in trees if tree is not None])
    off = [deviation_of(body.shape) for body in model.bodies]
    work, cell = workspace(DEPTH, 0, 0), Cell(np.zeros(0), np.zeros(0))
    least, tests = Near(inf, None, 0, None), 0
    for i, j in pairs:
        names = model.names[i], model.names[j]
        planes = [isinstance(model.bodies[k].shape, HalfSpace) for k in (i, j)]
        if any(planes):
            if not all(planes):
                near = _from_plane(model, x, R, (i, j), off)
                tests += len(x)
                least = min(least, near, key=lambda one: one.clearance)
            continue
        numbers = have.index(i), have.index(j)
        starts = np.array([[forest.root[n] for n in numbers]], np.int64)
        for f in range(len(x)):
            chain = Chain(np.zeros((0, 6)), x[f, i], R[f, i], x[f, j], R[f, j])
            best = least.clearance + off[i] + off[j]
            demand = Demand(0.0, best, True, ACCURACY, 1e-12, 1.0, TESTS)
            motion = PairMotion(i, j, (), chain)
            found = search(forest, *numbers, chain, motion.course, cell, starts, demand, work)
            tests += int(found.tests)
            if found.distance < best:
                point = closest_point(forest, numbers, motion, found, np.zeros(0))
                least = Near(found.distance - off[i] - off[j], names, f, point)
    return least._replace(tests=tests)


def _from_plane(model: Model, x: Array, R: Array, pair: tuple[int, int], off: list[float]) -> Near:
    """Of a half-space and a body: of the vertices of the body."""
    plane, body = pair if isinstance(model.bodies[pair[0]].shape, HalfSpace) else pair[::-1]
    shape, vertices = model.bodies[plane].shape, model.bodies[body].surface.vertices
    assert isinstance(shape, HalfSpace)
    least = Near(inf, None, 0, None)
    for f in range(len(x) if len(vertices) else 0):
        points = vertices @ R[f, body].T + x[f, body]
        heights = (points - x[f, plane]) @ (R[f, plane] @ shape.unit_normal)
        k = int(np.argmin(heights))
        clearance = float(heights[k]) - off[body]
        if clearance < least.clearance:
            a, b, c = points[k].tolist()
            least = Near(clearance, (model.names[pair[0]], model.names[pair[1]]), f, (a, b, c))
    return least
