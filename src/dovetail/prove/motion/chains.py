"""Which bodies move relative to each other in a sweep, and by which coordinates."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dovetail.model.frozen import GROUND, Model
from dovetail.model.values import Array
from dovetail.prove.motion.course import coordinates_at, parts_of
from dovetail.prove.motion.loops import JointGraph, node_of
from dovetail.prove.motion.plan import Plan
from dovetail.prove.motion.records import NO_COURSE, Chain, Course
from dovetail.prove.motion.sweeps import screws_of


@dataclass(frozen=True, eq=False)
class PairMotion:
    """Two bodies and the chain by which the second moves relative to the first."""

    a: int
    b: int
    parameters: tuple[int, ...]  # which of the swept ones
    chain: Chain
    course: Course = NO_COURSE

    def coordinates(self, parameters: Array) -> Array:
        """[rad or m] of the chain, at parameters of this pair."""
        values = np.zeros(len(self.chain.screws))
        coordinates_at(self.course, np.asarray(parameters, float), values)
        return values


class SweptTree:
    """The bodies of a model with all joints locked but those that move in the plan.

    Bodies that stay in place are one with the ground. A joint that does not move keeps its bodies
    together.
    """

    def __init__(self, model: Model, plan: Plan) -> None:
        self._model, self._plan = model, plan
        self._of_joint: dict[int, list[int]] = {}
        for k, coordinate in enumerate(plan.moving):
            self._of_joint.setdefault(coordinate.joint, []).append(k)
        locked = set(range(len(model.joints))) - set(self._of_joint)
        self._graph = JointGraph(model, locked)

    def motion(self, a: int, b: int) -> PairMotion | None:
        """How b moves relative to a; None where it does not."""
        model, plan = self._model, self._plan
        path = self._graph.path(node_of(model, a), node_of(model, b))
        numbers: list[int] = []
        rows: list[Array] = []
        for joint, start, _ in path:
            screws = screws_of(model.joints[joint])
            forward = self._graph.ends(joint)[0] == start
            own = self._of_joint.get(joint, [])
            for k in own if forward else own[::-1]:
                row = screws[plan.moving[k].number]
                numbers.append(k)
                rows.append(row if forward else -row)
        if not numbers:
            return None
        x_a, R_a = _initial(model, a)
        chain = Chain(np.array(rows), x_a, R_a, *_initial(model, b))
        if plan.course is None:
            return PairMotion(a, b, tuple(numbers), chain)
        return PairMotion(a, b, (0,), chain, parts_of(plan.course, numbers))


def _initial(model: Model, body: int) -> tuple[Array, Array]:
    """Position and rotation; those of the world for the ground."""
    if body == GROUND:
        return np.zeros(3), np.eye(3)
    return model.position[body].copy(), model.rotation[body].copy()


def moving_pairs(model: Model, plan: Plan) -> list[PairMotion]:
    """All pairs of bodies with a surface that move relative to each other."""
    tree = SweptTree(model, plan)
    bodies = [i for i, body in enumerate(model.bodies) if len(body.surface.vertices)]
    motions = (tree.motion(a, b) for a, b in combinations(bodies, 2))
    return [motion for motion in motions if motion is not None]
