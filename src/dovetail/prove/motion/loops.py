"""Which joints follow the driven ones: those of the same closed loops and couplings."""

import numpy as np

from dovetail.errors import InputError
from dovetail.model.couplings import PlacedCoupling
from dovetail.model.frozen import GROUND, STATIC, Model
from dovetail.model.values import quote
from dovetail.prove.motion.closure import Closure, Loop, Sum
from dovetail.prove.motion.sweeps import Coordinate, coordinates_of_joint, screws_of


def node_of(model: Model, body: int) -> int:
    """The ground for a body that stays in place."""
    return GROUND if body == GROUND or model.motion[body] == STATIC else body


class JointGraph:
    """Bodies and joints; `first` are joints that a spanning tree is to have if it can."""

    def __init__(self, model: Model, first: set[int]) -> None:
        self._model = model
        self.cut: list[int] = []  # joints that close a loop
        self._up: dict[int, tuple[int, int] | None] = {}  # node -> joint, node above it
        self._grow(first)

    def ends(self, joint: int) -> tuple[int, int]:
        placed = self._model.joints[joint]
        return node_of(self._model, placed.body_a), node_of(self._model, placed.body_b)

    def _grow(self, first: set[int]) -> None:
        group: dict[int, int] = {}

        def root(node: int) -> int:
            while group.get(node, node) != node:
                node = group[node]
            return node

        beside: dict[int, list[tuple[int, int]]] = {}
        for k in sorted(range(len(self._model.joints)), key=lambda k: k not in first):
            a, b = self.ends(k)
            if root(a) == root(b):
                self.cut.append(k)
                continue
            group[root(b)] = root(a)
            beside.setdefault(a, []).append((k, b))
            beside.setdefault(b, []).append((k, a))
        nodes = [GROUND, *(node_of(self._model, i) for i in range(self._model.n_bodies))]
        for start in nodes:
            if start in self._up:
                continue
            self._up[start] = None
            stack = [start]
            while stack:
                node = stack.pop()
                for joint, other in beside.get(node, []):
                    if other not in self._up:
                        self._up[other] = (joint, node)
                        stack.append(other)

    def _above(self, node: int) -> list[tuple[int, int, int]]:
        """Joint, from, to: from the node up to its root."""
        found = []
        while (edge := self._up[node]) is not None:
            found.append((edge[0], node, edge[1]))
            node = edge[1]
        return found

    def path(self, a: int, b: int) -> list[tuple[int, int, int]]:
        """Joint, from, to: from node a to node b.

        Where no joints lead from one to the other, through the places of their roots, which stay
        where they are.
        """
        up, down = self._above(a), self._above(b)
        while up and down and up[-1][0] == down[-1][0]:
            up.pop()
            down.pop()
        return up + [(joint, to, start) for joint, start, to in reversed(down)]

    def loop(self, joint: int) -> list[int]:
        """The joints of the loop that a cut joint closes."""
        a, b = self.ends(joint)
        path = self.path(a, b)
        return [joint, *(step[0] for step in path)]


def following(model: Model, driven: set[int]) -> tuple[set[int], list[PlacedCoupling]]:
    """Joints that move with the driven ones, these included, and the couplings among them."""
    graph = JointGraph(model, set())
    loops = [set(graph.loop(k)) for k in graph.cut]
    held = [one for one in model.couplings if one.is_held]
    ties = [*loops, *({term.joint for term in one.terms} for one in held)]
    moving = set(driven)
    while True:
        more = moving.union(*(tie for tie in ties if tie & moving))
        if more == moving:
            break
        moving = more
    used = [one for one in held if {term.joint for term in one.terms} & moving]
    return {k for k in moving if model.joints[k].joint.coordinates}, used


def follower_coordinates(
    model: Model, joints: set[int], driven: list[Coordinate]
) -> list[Coordinate]:
    """The coordinates of `joints` that are not driven."""
    have = {(one.joint, one.number) for one in driven}
    found = []
    for k in sorted(joints):
        placed = model.joints[k]
        if any(one.motion.n_q > 4 for one in placed.joint.coordinates):
            raise InputError(
                f"joint {quote(placed.name)} ({placed.joint.kind}) is part of a closed loop, which "
                "a sweep cannot follow; use revolute, prismatic or spherical joints"
            )
        found += [one for one in coordinates_of_joint(placed, k) if (k, one.number) not in have]
    return found


def closure_of(
    model: Model, moving: list[Coordinate], couplings: list[PlacedCoupling], size: float
) -> Closure:
    """The equations among the moving coordinates; lengths divided by `size` [m]."""
    index = {(one.joint, one.number): i for i, one in enumerate(moving)}
    joints = {one.joint for one in moving}
    graph = JointGraph(model, set(range(len(model.joints))) - joints)
    loops = []
    for cut in graph.cut:
        a, b = graph.ends(cut)
        path = graph.path(a, b)
        rows, numbers = [], []
        for joint, start, _ in [*path, (cut, b, a)]:
            if joint not in joints:
                continue
            screws = screws_of(model.joints[joint])
            own = [(index[joint, k], row) for k, row in enumerate(screws) if (joint, k) in index]
            forward = graph.ends(joint)[0] == start
            if joint == cut:
                forward = False
            for k, screw in own if forward else own[::-1]:
                scaled = screw.copy()
                if np.any(screw[:3]):
                    scaled[3:] /= size
                rows.append(scaled if forward else -scaled)
                numbers.append(k)
        if rows:
            loops.append(Loop(numbers, np.array(rows)))
    sums = []
    for one in couplings:
        terms = []
        for term in one.terms:
            k = index[term.joint, term.coordinate]
            unit = size if moving[k].quantity == "length" else 1.0
            terms.append((k, tuple(c * unit**p for p, c in enumerate(term.coefficients, 1))))
        scale = max(abs(c) for _, coefficients in terms for c in coefficients) or 1.0
        terms = [(k, tuple(c / scale for c in row)) for k, row in terms]
        sums.append(Sum(terms, one.offset / scale))
    return Closure(len(moving), loops, sums)
