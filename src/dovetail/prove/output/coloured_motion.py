"""What a picture of a proof shows: frames of the motion, clearances of frames and of triangles."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dovetail.collision.bvh.forest import forest_of
from dovetail.collision.bvh.forest_arrays import Forest
from dovetail.collision.bvh.tree import bvh_of
from dovetail.model.frozen import GROUND, Model
from dovetail.model.scene import Scene
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array
from dovetail.prove.assembling import assembling, assembly_plan
from dovetail.prove.motion.chains import SweptTree, moving_pairs
from dovetail.prove.motion.plan import Plan, plan_of
from dovetail.prove.output.surface_clearance import DEPTH, nearest_distances
from dovetail.prove.pairs.nested import pose_at
from dovetail.prove.verdict import Motion, Proof

FRAMES = 61
NEAR = 0.05  # of the size: farther triangles get no colour
FAR = 0.5  # of the size: larger clearances are not measured
MAX_TRIANGLES = 20_000  # of all bodies together: more are not coloured


@dataclass(frozen=True, eq=False)
class ColouredMotion:
    """All that a page needs."""

    model: Model
    motion: Motion
    worst: int  # frame of the least clearance
    triangles: list[Array]  # of each body (m, 3, 3) [m] in its frame
    clearance: list[Array]  # of each body (m,) [m] least over the motion
    near: float  # [m] clearances are measured up to here


def coloured_motion(proof: Proof, scene: Scene, question: dict[str, Any]) -> ColouredMotion:
    """Frames and colours of the motion that a proof is about."""
    if proof.motion is not None:
        model, motion = scene.build(), proof.motion
        pairs = _all_pairs(model)
    else:
        put = None
        if question.get("assemble") is not None:
            scene, put = assembling(scene, question["assemble"])
        model = scene.build()
        plan = (
            plan_of(model, question.get("sweep"), question.get("path"))
            if put is None
            else assembly_plan(model, put)
        )
        motion = _frames(model, plan, proof)
        pairs = [(one.a, one.b) for one in moving_pairs(model, plan)]
    pairs = [pair for pair in pairs if not any(_half_space(model, k) for k in pair)]
    off = {frozenset((a, b)) for a, b, _ in proof.excused}
    names = model.names
    pairs = [(a, b) for a, b in pairs if frozenset((names[a], names[b])) not in off]
    seen = _coloured(model, motion, pairs)
    at = proof.at.get(motion.label)  # of several frames at one clearance that of the proof
    return seen if at is None else replace(seen, worst=int(np.argmin(abs(motion.values - at))))


def _half_space(model: Model, body: int) -> bool:
    return isinstance(model.bodies[body].shape, HalfSpace)


def _all_pairs(model: Model) -> list[tuple[int, int]]:
    n = model.n_bodies
    return [
        (a, b) for a in range(n) for b in range(a + 1, n)
        if "dynamic" in (model.bodies[a].motion, model.bodies[b].motion)
    ]  # fmt: skip


def _frames(model: Model, plan: Plan, proof: Proof) -> Motion:
    """Along the parameter, or along the diagonal of several; the worst place is one of them."""
    low = np.array([one.low for one in plan.parameters])
    high = np.array([one.high for one in plan.parameters])
    rows = low + np.linspace(0.0, 1.0, FRAMES)[:, None] * (high - low)
    worst = _worst_parameters(plan, proof, rows)
    if worst is not None:
        after = int(np.searchsorted(rows[:, 0], worst[0]))
        rows = np.insert(rows, after, worst, axis=0)
    tree = SweptTree(model, plan)
    n = model.n_bodies
    x = np.tile(model.position, (len(rows), 1, 1))
    R = np.tile(model.rotation, (len(rows), 1, 1, 1))
    for body in range(n):
        motion = tree.motion(GROUND, body)
        if motion is None:
            continue
        for f, row in enumerate(rows):
            R[f, body], x[f, body] = pose_at(motion, row[list(motion.parameters)])
    return Motion(plan.parameters[0].name, rows[:, 0], x, R, np.full(len(rows), np.inf))


def _worst_parameters(plan: Plan, proof: Proof, rows: Array) -> Array | None:
    if not proof.at:
        return None
    names = [one.name for one in plan.parameters]
    if all(name in proof.at for name in names):
        return np.array([proof.at[name] for name in names])
    if proof.meets:
        return np.array([0.5 * (proof.meets[0].low + proof.meets[0].high)])
    where = np.linspace(rows[0, 0], rows[-1, 0], 20_001)
    off = [
        sum((plan.at(np.array([t]))[name] - value) ** 2 for name, value in proof.at.items())
        for t in where
    ]
    return where[[int(np.argmin(off))]]


def _coloured(model: Model, motion: Motion, pairs: list[tuple[int, int]]) -> ColouredMotion:
    trees = [bvh_of(body.surface) if len(body.surface.faces) else None for body in model.bodies]
    have = [k for k, tree in enumerate(trees) if tree is not None]
    place = {k: i for i, k in enumerate(have)}
    forest = forest_of([tree for tree in trees if tree is not None])
    triangles = [
        np.zeros((0, 3, 3)) if tree is None else tree.vertices[tree.simplices] for tree in trees
    ]
    flat = np.concatenate([*(one.reshape(-1, 3) for one in triangles), np.zeros((1, 3))])
    size = float(np.linalg.norm(np.ptp(flat, axis=0)))
    least = [np.full(len(one), FAR * size) for one in triangles]
    clearance = motion.clearance.copy()
    if sum(map(len, triangles)) <= MAX_TRIANGLES:
        for f in range(len(motion.values)):
            here = _measured(forest, motion, f, pairs, place, least, FAR * size)
            clearance[f] = np.fmin(here, clearance[f])
    worst = int(np.argmin(np.where(np.isfinite(clearance), clearance, np.inf)))
    motion = Motion(motion.label, motion.values, motion.position, motion.rotation, clearance)
    return ColouredMotion(model, motion, worst, triangles, least, NEAR * size)


def _measured(
    forest: Forest, motion: Motion, f: int, pairs: list[tuple[int, int]], place: dict[int, int],
    least: list[Array], far: float,
) -> float:  # fmt: skip
    """Lowers the clearances of triangles to those of frame f; the least of the frame."""
    stack = np.zeros(DEPTH, np.int64)
    lowest = np.inf
    for pair in pairs:
        for a, b in (pair, pair[::-1]):
            if a not in place or b not in place:
                continue
            own = np.full(len(least[a]), far)
            here, there = _pose(motion, f, a), _pose(motion, f, b)
            nearest_distances(forest, place[a], place[b], here, there, far, own, stack)
            np.minimum(least[a], own, out=least[a])
            lowest = min(lowest, float(own.min(initial=np.inf)))
    return lowest if lowest < far else np.inf


def _pose(motion: Motion, f: int, body: int) -> Any:
    R, x = motion.rotation[f, body], motion.position[f, body]
    rows = tuple(tuple(map(float, row)) for row in R)
    return rows, tuple(map(float, x))
