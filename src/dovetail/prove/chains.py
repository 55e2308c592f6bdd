"""Which bodies move relative to each other in a sweep, and by which coordinates."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import GROUND, STATIC, Model
from dovetail.model.values import Array, quote
from dovetail.prove.records import Chain
from dovetail.prove.sweeps import Coordinate, screws_of

Edge = tuple[int, int, int]  # joint number, from body, to body


@dataclass(frozen=True, eq=False)
class PairMotion:
    """Two bodies and the chain by which the second moves relative to the first."""

    a: int
    b: int
    coordinates: tuple[int, ...]  # which of the swept ones, from a outwards
    chain: Chain


class SweptTree:
    """The bodies of a model with all joints but the swept ones locked.

    Bodies that stay in place are one with the ground. A joint that is not swept keeps its bodies
    together.
    """

    def __init__(self, model: Model, swept: list[Coordinate]) -> None:
        self._model, self._swept = model, swept
        self._of_joint: dict[int, list[int]] = {}
        for k, coordinate in enumerate(swept):
            self._of_joint.setdefault(coordinate.joint, []).append(k)
        self._parent: dict[int, Edge | None] = {}
        self._depth: dict[int, int] = {}
        self._grow()

    def _node(self, body: int) -> int:
        """The ground for a body that stays in place."""
        return GROUND if body == GROUND or self._model.motion[body] == STATIC else body

    def _grow(self) -> None:
        """A spanning tree of each connected part, locked joints first."""
        order = sorted(range(len(self._model.joints)), key=lambda k: k in self._of_joint)
        edges: dict[int, list[Edge]] = {}
        joined: dict[int, int] = {}

        def root(node: int) -> int:
            while joined.get(node, node) != node:
                node = joined[node]
            return node

        for k in order:
            placed = self._model.joints[k]
            a, b = self._node(placed.body_a), self._node(placed.body_b)
            if root(a) != root(b):
                joined[root(b)] = root(a)
                edges.setdefault(a, []).append((k, a, b))
                edges.setdefault(b, []).append((k, b, a))
            elif k in self._of_joint:
                raise InputError(
                    f"joint {quote(placed.name)} is part of a closed loop whose other joints do "
                    "not move; sweep joints of open chains"
                )
        nodes = [GROUND, *(i for i in range(self._model.n_bodies) if self._node(i) == i)]
        for start in nodes:
            if start in self._depth:
                continue
            self._parent[start], self._depth[start] = None, 0
            stack = [start]
            while stack:
                node = stack.pop()
                for edge in edges.get(node, []):
                    if edge[2] not in self._depth:
                        self._parent[edge[2]] = edge
                        self._depth[edge[2]] = self._depth[node] + 1
                        stack.append(edge[2])

    def path(self, a: int, b: int) -> list[Edge] | None:
        """The edges from a to b; None where no joints connect them."""
        up: list[Edge] = []
        down: list[Edge] = []
        a, b = self._node(a), self._node(b)
        while a != b:
            if self._depth[a] >= self._depth[b]:
                edge = self._parent[a]
                if edge is None:
                    return None
                up.append((edge[0], a, edge[1]))
                a = edge[1]
            else:
                edge = self._parent[b]
                if edge is None:
                    return None
                down.append(edge)
                b = edge[1]
        return up + down[::-1]

    def motion(self, a: int, b: int) -> PairMotion | None:
        """How b moves relative to a; None where it does not."""
        path = self.path(a, b)
        if path is None:
            path = []
        numbers: list[int] = []
        rows: list[Array] = []
        for joint, start, _ in path:
            placed = self._model.joints[joint]
            screws = screws_of(placed)
            forward = self._node(placed.body_a) == start
            own = self._of_joint.get(joint, [])
            for k in own if forward else own[::-1]:
                row = screws[self._swept[k].number]
                numbers.append(k)
                rows.append(row if forward else -row)
        if not numbers:
            return None
        model = self._model
        chain = Chain(
            np.array(rows), model.position[a].copy(), model.rotation[a].copy(),
            model.position[b].copy(), model.rotation[b].copy(),
        )  # fmt: skip
        return PairMotion(a, b, tuple(numbers), chain)


def moving_pairs(model: Model, swept: list[Coordinate]) -> list[PairMotion]:
    """All pairs of bodies with a surface that move relative to each other."""
    tree = SweptTree(model, swept)
    bodies = [i for i, body in enumerate(model.bodies) if len(body.surface.vertices)]
    motions = (tree.motion(a, b) for a, b in combinations(bodies, 2))
    return [motion for motion in motions if motion is not None]
