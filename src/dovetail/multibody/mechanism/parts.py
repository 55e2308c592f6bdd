"""A scene's bodies and joints as a system to be cut into a tree.

Static bodies are ground. A kinematic body hangs on the ground by a free joint that is driven. A
joint with a spring, stop or motor must keep its coordinate; where such a joint would be cut, its
second body is divided into two halves that a weld closes, and the weld is cut instead.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dovetail.model.frozen import DYNAMIC, GROUND, KINEMATIC, STATIC, Model, PlacedJoint
from dovetail.model.joints import Actuation, Fixed, Free
from dovetail.multibody.topology import Topology, analyse

KEEP_ACTUATED = 10.0  # more than any joint has equations
KEEP_KINEMATIC = 100.0
CUT_WELD = -1.0


@dataclass(frozen=True, eq=False)
class Link:
    """A joint between two body numbers of the system."""

    name: str
    placed: PlacedJoint
    bodies: tuple[int, int]
    weight: float
    """What cutting it costs: its equations, more where it must be kept."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Bodies numbered from 1 and the joints between them, with the tree they form."""

    model: Model
    owners: tuple[int, ...]
    """Body of the model that each number stands for; halves of one body share it."""
    links: tuple[Link, ...]
    topology: Topology

    def number_of(self, body: int) -> int:
        """Number of a body of the model; 0 for the ground and static bodies."""
        if body == GROUND or self.model.motion[body] == STATIC:
            return 0
        return self._numbers[body]

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The first number of each body."""
        return {owner: len(self.owners) - k for k, owner in enumerate(reversed(self.owners))}

    def body_name(self, number: int) -> str:
        return self.model.names[self.owners[number - 1]] if number else "ground"

    def joint_name(self, number: int) -> str:
        """Of a joint number of the topology; islands hang on free joints of their own."""
        if number <= len(self.links):
            return self.links[number - 1].name
        return f"free motion of {self.body_name(self.topology.bodies_of(number)[1])}"


def acts(actuation: Actuation) -> bool:
    """Whether anything happens along the coordinate."""
    return (
        actuation.stiffness != 0.0
        or actuation.damping != 0.0
        or actuation.friction != 0.0
        or actuation.lower is not None
        or actuation.upper is not None
        or actuation.motor is not None
        or actuation.armature != 0.0
    )


def parts_of(model: Model) -> Parts:
    """Number the bodies, choose the cuts with the fewest loop equations, divide where needed."""
    owners = [int(i) for i in np.flatnonzero(model.motion != STATIC)]
    numbers = {GROUND: 0} | {int(i): 0 for i in np.flatnonzero(model.motion == STATIC)}
    numbers |= {body: number for number, body in enumerate(owners, 1)}
    links = []
    for body in np.flatnonzero(model.motion == KINEMATIC):
        placed = PlacedJoint(model.names[body], Free(), GROUND, int(body))
        name = f"motion of {model.names[body]}"
        links.append(Link(name, placed, (0, numbers[int(body)]), KEEP_KINEMATIC))
    coupled = {term.joint for coupling in model.couplings for term in coupling.terms}
    for number, placed in enumerate(model.joints):
        if any(_moves_freely(model, body) for body in (placed.body_a, placed.body_b)):
            weight = 6.0 - placed.joint.freedoms
            if number in coupled or any(acts(entry) for entry in placed.joint.actuation):
                weight += KEEP_ACTUATED
            ends = (numbers[placed.body_a], numbers[placed.body_b])
            links.append(Link(placed.name, placed, ends, weight))
    while True:
        topology = analyse(
            [link.bodies for link in links] or np.zeros((0, 2), dtype=np.int64),
            weights=[link.weight for link in links],
            floating=True,
            n_bodies=len(owners),
        )
        wrongly_cut = [n for n in topology.cut_joints if links[n - 1].weight >= KEEP_ACTUATED]
        if not wrongly_cut:
            return Parts(model, tuple(owners), tuple(links), topology)
        for number in wrongly_cut:
            _divide(owners, links, number - 1)


def _moves_freely(model: Model, body: int) -> bool:
    return body != GROUND and bool(model.motion[body] == DYNAMIC)


def _divide(owners: list[int], links: list[Link], index: int) -> None:
    """Let the joint hold a new half of one of its bodies, welded to the other half."""
    link = links[index]
    end = 1 if link.bodies[1] else 0
    whole = link.bodies[end]
    owners.append(owners[whole - 1])
    half = len(owners)
    ends = (link.bodies[0], half) if end else (half, link.bodies[1])
    links[index] = replace(link, bodies=ends)
    owner = owners[whole - 1]
    weld = PlacedJoint(link.name, Fixed(link.placed.joint.point), owner, owner)
    links.append(Link(link.name, weld, (whole, half), CUT_WELD))


def shares(parts: Parts) -> list[float]:
    """Part of its owner's mass that each number has."""
    counts = Counter(parts.owners)
    return [1.0 / counts[owner] for owner in parts.owners]
