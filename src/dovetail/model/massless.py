"""Bodies without mass: links between joints, such as the axes of a joint with several hinges.

A body of mass 0 passes forces on and has no inertia of its own. Steps in maximal coordinates need a
mass matrix that can be inverted, so the arrays of a model give such a body a small share of the
lightest body that hangs on it: 1e-7 changes the motion by about that part, and is far enough from
round-off. Contact solvers iterate over joints and want masses that differ less: 1e-5, which is
below what their steps of first order resolve. Joint coordinates need none: 1e-13.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dovetail.errors import InputError
from dovetail.model.checked_body import CheckedBody
from dovetail.model.values import Array, quote

if TYPE_CHECKING:
    from dovetail.model.frozen import Model, PlacedJoint

ALONE, IN_CONTACT, IN_COORDINATES = 1e-7, 1e-5, 1e-13
"""Shares of the mass and inertia of the lightest body that hangs on a link."""


def is_massless(body: CheckedBody) -> bool:
    return body.motion == "dynamic" and body.mass == 0.0


def massless_mistakes(bodies: Sequence[CheckedBody], joints: "Sequence[PlacedJoint]") -> list[str]:
    """Links without mass whose motion nothing with inertia takes part in."""
    without = {i for i, body in enumerate(bodies) if is_massless(body)}
    found = [
        f"body {quote(bodies[i].name)} has no mass, and joints connect it to no moving body that "
        "has some; give it `mass` and `inertia`, or joints"
        for i in sorted(without)
        if not _massive_beside(i, bodies, joints, without)
    ]
    left = list(joints)
    loose = _loose_end(without, left)
    while loose is not None and not found:
        i, placed = loose
        entries = placed.joint.actuation
        held = len(entries) == placed.joint.freedoms and all(e.armature > 0.0 for e in entries)
        if placed.joint.freedoms and not held:
            found.append(
                f"joint {quote(placed.name)} moves body {quote(bodies[i].name)}, which has no mass "
                "and carries nothing that has; give the body `mass` and `inertia`, or the joint "
                "`armature`"
            )
        left.remove(placed)
        without.discard(i)
        loose = _loose_end(without, left)
    return found


def _loose_end(without: set[int], joints: "list[PlacedJoint]") -> "tuple[int, PlacedJoint] | None":
    """A link that one joint only connects, with that joint."""
    for i in sorted(without):
        own = [placed for placed in joints if i in (placed.body_a, placed.body_b)]
        if len(own) == 1:
            return i, own[0]
    return None


def _massive_beside(
    i: int,
    bodies: Sequence[CheckedBody],
    joints: "Sequence[PlacedJoint]",
    without: set[int],
) -> list[int]:
    """Dynamic bodies with mass that link i is connected to, through other links if need be."""
    seen, queue, found = {i}, [i], []
    while queue:
        here = queue.pop()
        for placed in joints:
            pair = (placed.body_a, placed.body_b)
            if here in pair:
                there = pair[1 - pair.index(here)]
                if there >= 0 and there not in seen:
                    seen.add(there)
                    if there in without:
                        queue.append(there)
                    elif bodies[there].motion == "dynamic":
                        found.append(there)
    return found


def connected_through_links(
    bodies: Sequence[CheckedBody], joints: "Sequence[PlacedJoint]"
) -> list[tuple[int, int]]:
    """Pairs of bodies with mass (-1 the ground) that only links without mass and joints part."""
    without = {i for i, body in enumerate(bodies) if is_massless(body)}
    ends: dict[int, set[int]] = {i: set() for i in without}
    changed = bool(without)
    while changed:
        changed = False
        for placed in joints:
            for here, there in (
                (placed.body_a, placed.body_b),
                (placed.body_b, placed.body_a),
            ):
                if here in without:
                    new = ends[there] if there in without else {there}
                    changed |= not new <= ends[here]
                    ends[here] |= new
    return sorted({(a, b) for near in ends.values() for a in near for b in near if a < b})


def with_link_mass(
    bodies: Sequence[CheckedBody],
    joints: "Sequence[PlacedJoint]",
    mass: Array,
    inertia: Array,
    share: float,
) -> tuple[Array, Array]:
    """Mass (n,) and inertia (n, 3, 3) where links without mass have their small share."""
    without = {i for i, body in enumerate(bodies) if is_massless(body)}
    if not without:
        return mass, inertia
    mass, inertia = mass.copy(), inertia.copy()
    for i in sorted(without):
        beside = _massive_beside(i, bodies, joints, without)
        if not beside:
            raise InputError(massless_mistakes(bodies, joints))
        k = min(beside, key=lambda j: bodies[j].mass)
        away = float(np.linalg.norm(bodies[k].position - bodies[i].position))
        turning = float(np.linalg.eigvalsh(bodies[k].inertia)[-1]) + bodies[k].mass * away**2
        mass[i] = share * bodies[k].mass
        inertia[i] = share * turning * np.eye(3)
    for array in (mass, inertia):
        array.flags.writeable = False
    return mass, inertia


def for_coordinates(model: "Model") -> "Model":
    """The model with links that weigh nothing, as far as numbers tell."""
    mass, inertia = with_link_mass(
        model.bodies, model.joints, model.mass, model.inertia, IN_COORDINATES
    )
    return model if mass is model.mass else replace(model, mass=mass, inertia=inertia)


def for_contact(model: "Model") -> "Model":
    """The model with links as heavy as contact solvers want them."""
    mass, inertia = with_link_mass(
        model.bodies, model.joints, model.mass, model.inertia, IN_CONTACT
    )
    return model if mass is model.mass else replace(model, mass=mass, inertia=inertia)
