"""What the scene lacks, or mentions without using it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from dovetail.model.connected import component_labels
from dovetail.model.materials import PairMaterial
from dovetail.model.scene import Scene
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import GROUND_NAME, Array, quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

ALONG = 0.1  # of gravity: what a plane must take of it to be a floor


def find_missing_shapes(bodies: list[PlacedBody]) -> list[Finding]:
    found = [
        Finding(
            "note",
            "no shape",
            (body.name,),
            f"body {quote(body.name)} has no shape, so nothing can touch it; give it one if it "
            "should take part in contact",
        )
        for body in bodies
        if body.body.shape is None
    ]
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def find_no_bodies(scene: Scene) -> list[Finding]:
    if scene.bodies:
        return []
    return [Finding("error", "empty", (), "the scene must have at least one body to be run")]


def find_nothing_moves(
    bodies: list[PlacedBody],
    gravity: Array,
    n_loads: int,
    joints: Mapping[str, tuple[Any, str, str]] = MappingProxyType({}),
) -> list[Finding]:
    if bodies and all(body.body.motion == "static" for body in bodies):
        return [
            Finding("warning", "at rest", (), "all bodies are static, so nothing will move; set "
                    "`motion` of at least one to 'dynamic' or 'kinematic'")
        ]  # fmt: skip
    at_rest = all(
        not body.body.velocity.any() and not body.body.angular_velocity.any()
        for body in bodies
    ) and all(body.body.motion != "kinematic" for body in bodies)  # fmt: skip
    driven = any(entry[0].actuation for entry in joints.values())
    if bodies and at_rest and not gravity.any() and not n_loads and not driven:
        return [
            Finding("warning", "at rest", (), "there is no gravity, no load and no velocity, so "
                    "nothing will move; did you mean `gravity=(0, 0, -9.81)`?")
        ]  # fmt: skip
    return []


def find_falling_away(bodies: list[PlacedBody], gravity: Array) -> list[Finding]:
    """Half-spaces that gravity pulls bodies away from."""
    for plane in bodies:
        shape = plane.body.shape
        if not isinstance(shape, HalfSpace) or not gravity.any() or len(bodies) < 2:
            continue
        normal = plane.body.rotation @ shape.unit_normal
        if float(normal @ gravity) > 0.5 * float(np.linalg.norm(gravity)):
            return [
                Finding(
                    "warning",
                    "gravity",
                    (plane.name,),
                    f"gravity {quote(gravity)} m/s^2 points out of half-space "
                    f"{quote(plane.name)}, so bodies fall away from it; did you mean "
                    f"{quote((0.0 - gravity).tolist())}?",
                )
            ]
    return []


def find_gravity_along_planes(
    bodies: list[PlacedBody], gravity: Array, n_joints: int
) -> list[Finding]:
    """Floors that gravity runs along, where nothing else could hold the bodies."""
    held = [body for body in bodies if not body.moves]
    normals = {
        body.name: body.body.rotation @ body.body.shape.unit_normal
        for body in held
        if isinstance(body.body.shape, HalfSpace)
    }
    g = float(np.linalg.norm(gravity))
    if not normals or len(normals) < len(held) or len(held) == len(bodies) or not g or n_joints:
        return []
    if any(abs(float(normal @ gravity)) > ALONG * g for normal in normals.values()):
        return []
    name, normal = next(iter(normals.items()))
    return [
        Finding(
            "warning",
            "gravity",
            (name,),
            f"gravity {quote(gravity.tolist())} m/s^2 runs along half-space {quote(name)}, whose "
            f"normal is {quote(np.round(normal, 6).tolist())}, so nothing holds what falls; rotate "
            "one of them",
        )
    ]


def find_static_with_velocity(bodies: list[PlacedBody]) -> list[Finding]:
    """Velocities that have no effect."""
    found = [
        Finding(
            "warning",
            "static",
            (body.name,),
            f"body {quote(body.name)} is static, so its velocity has no effect; give "
            "motion='kinematic' if it should move at it",
        )
        for body in bodies
        if body.body.motion == "static"
        and (np.any(body.given.velocity) or np.any(body.given.angular_velocity))
    ]
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def find_contact_left_out(bodies: list[PlacedBody], joined: list[tuple[str, str]]) -> list[Finding]:
    """Bodies that could meet, in a run without contact.

    Bodies of one mechanism, which joints connect, are left out: most do not collide by design.
    """
    names = [body.name for body in bodies]
    number = {GROUND_NAME: len(names)} | {name: i for i, name in enumerate(names)}
    links = np.array([(number[a], number[b]) for a, b in joined if a in number and b in number])
    label = component_labels(len(names) + 1, links.reshape(-1, 2).astype(np.int64))
    solid = [i for i, body in enumerate(bodies) if body.has_surface or body.unbounded]
    for i in solid:
        if not bodies[i].moves:
            continue
        group = bodies[i].body.group
        others = [
            j for j in solid
            if label[j] != label[i] and (group is None or bodies[j].body.group != group)
        ]  # fmt: skip
        if others:
            j = min(others, key=lambda j: (bodies[j].moves, j))
            pair = f"{quote(names[i])} and {quote(names[j])}"
            return [
                Finding(
                    "warning",
                    "no contact",
                    (names[i], names[j]),
                    f"no contact method is chosen, so nothing keeps bodies such as {pair} apart; "
                    "choose one with contact=dt.contact.IPC() or `--contact ipc` (sdf, lcp), or "
                    "say contact='none' if this is meant",
                )
            ]
    return []


def find_unused_materials(
    materials: tuple[PairMaterial, ...], bodies: list[PlacedBody]
) -> list[Finding]:
    """Entries for pairs that no two bodies of the scene can make."""
    answering: dict[str, set[str]] = {}  # to a name: the bodies it stands for
    for body in bodies:
        for name in (body.name, body.body.material):
            if name is not None:
                answering.setdefault(name, set()).add(body.name)
    known = set(answering)
    found = []
    for pair in materials:
        first, second = answering.get(pair.a, set()), answering.get(pair.b, set())
        if first and second and len(first | second) > 1:
            continue
        strangers = [name for name in dict.fromkeys((pair.a, pair.b)) if name not in known]
        why = (
            f"no body is named, or made of, {' or '.join(map(quote, strangers))}"
            if strangers
            else "no two bodies of the scene make this pair"
        )
        names = ", ".join(sorted(quote(name) for name in known)[:8])
        found.append(
            Finding(
                "warning" if strangers else "note",
                "unused material",
                (str(pair.a), str(pair.b)),
                f"the material pair {quote(pair.a)} and {quote(pair.b)} is never used: {why} "
                f"(the scene has {names or 'no bodies'})",
            )
        )
    return found


def find_unpaired_materials(
    materials: tuple[PairMaterial, ...], bodies: list[PlacedBody]
) -> list[Finding]:
    """Materials by name that no pair is about: contact then has the properties of the method."""
    paired = {name for pair in materials for name in (pair.a, pair.b)}
    found = []
    for body in bodies:
        name = body.given.material
        if isinstance(name, str) and name not in paired and body.name not in paired:
            found.append(
                Finding(
                    "warning",
                    "unused material",
                    (name,),
                    f"no pair of materials names {quote(name)}, of which {quote(body.name)} is, so "
                    "friction and restitution are those of the contact method; give "
                    f"scene.add_material_pair({quote(name)}, ..., friction=...), or the body's "
                    "`material` as dt.Material(friction=...)",
                )
            )
    return [merged(found[0], [one.subject[0] for one in found])] if found else []
