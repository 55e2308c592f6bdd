"""Checks of a scene before it runs: meshes, masses, units, overlaps, joints."""

from typing import Any

from dovetail.errors import InputError
from dovetail.model.joints import Joint
from dovetail.model.scene import Scene
from dovetail.model.values import Array, vector3
from dovetail.scene_check.compounds import find_overlapping_parts
from dovetail.scene_check.contents import (
    find_contact_left_out,
    find_falling_away,
    find_gravity_along_planes,
    find_missing_shapes,
    find_no_bodies,
    find_nothing_moves,
    find_static_with_velocity,
    find_unpaired_materials,
    find_unused_materials,
)
from dovetail.scene_check.deep_overlaps import find_deep_overlaps
from dovetail.scene_check.falling import find_nothing_below
from dovetail.scene_check.far_ends import find_far_centres, find_far_loads
from dovetail.scene_check.finding import Finding, Severity, ordered
from dovetail.scene_check.joint_units import find_degrees, find_degrees_at_the_start
from dovetail.scene_check.known_surfaces import KnownSurfaces
from dovetail.scene_check.locked import find_locked
from dovetail.scene_check.meshes import find_mesh_faults
from dovetail.scene_check.placed_body import PlacedBody
from dovetail.scene_check.placement import (
    find_far_bodies,
    find_far_joints,
    find_far_surfaces,
    find_jumping_bodies,
)
from dovetail.scene_check.quaternions import find_swapped_quaternions
from dovetail.scene_check.strong_loads import find_strong_loads, find_weights_twice
from dovetail.scene_check.stuck_joints import find_stuck_joints
from dovetail.scene_check.units import find_unit_mistakes
from dovetail.scene_check.without_effect import find_without_effect

__all__ = ["Finding", "Severity", "check_quickly", "check_scene", "find_overlapping_bodies"]


def check_scene(scene: Scene) -> list[Finding]:
    """All that is wrong or suspicious, errors first; an empty list means a clean scene.

    Intersections are decided exactly, on the vertices where the run starts.
    """
    found = _build_mistakes(scene) + find_no_bodies(scene)
    bodies = _usable_bodies(scene)
    by_name = {body.name: body for body in bodies}
    found += find_mesh_faults(bodies)
    joints = _usable_joints(scene)
    found += _overlaps(scene, bodies, joints)
    found += find_jumping_bodies(bodies)
    found += find_far_joints(joints, by_name)
    found += find_missing_shapes(bodies) + find_unpaired_materials(scene.materials, bodies)
    try:
        gravity = vector3(scene.gravity, "`gravity` of the scene", "m/s^2")
    except InputError:  # reported by _build_mistakes
        return ordered(found)
    return ordered(found + _cheap_findings(scene, bodies, joints, gravity))


def find_overlapping_bodies(scene: Scene) -> list[Finding]:
    """Bodies with a common point where the run starts, each with the translation that frees it."""
    return _overlaps(scene, _usable_bodies(scene), _usable_joints(scene))


def _usable_joints(scene: Scene) -> dict[str, Any]:
    return {
        name: entry
        for name, entry in scene.joints.items()
        if isinstance(entry[0], Joint) and not entry[0].mistakes(name)
    }


def _overlaps(scene: Scene, bodies: list[PlacedBody], joints: dict[str, Any]) -> list[Finding]:
    from dovetail.scene_check.overlaps import find_overlaps  # with the kernels of exact tests

    return find_overlaps(bodies, *_pairs_apart(scene, joints))


def _pairs_apart(
    scene: Scene, joints: dict[str, Any]
) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """Pairs that joints connect, and those whose contact is left out."""
    linked = {frozenset((a, b)) for _, a, b in joints.values()}
    return linked, set(map(frozenset, scene.excluded_contacts))


def check_quickly(scene: Scene, contact: str | None) -> list[Finding]:
    """What a run should say at its start: all that costs nothing beside building the scene.

    `contact` is None where no method was chosen, "none" where that was said, else its kind. Notes
    are left to `check_scene`.
    """
    bodies = _usable_bodies(scene)
    joints = {name: entry for name, entry in scene.joints.items() if isinstance(entry[0], Joint)}
    gravity = vector3(scene.gravity, "`gravity` of the scene", "m/s^2")
    found = find_mesh_faults(bodies, quick=True)
    found += find_jumping_bodies(bodies)
    found += find_far_joints(joints, {body.name: body for body in bodies})
    found += _cheap_findings(scene, bodies, joints, gravity)
    if contact is None:
        found += find_contact_left_out(bodies, [(a, b) for _, a, b in joints.values()])
    elif contact != "none":
        found += find_unpaired_materials(scene.materials, bodies)
        if contact != "potential":  # which refuses to start
            linked, excluded = _pairs_apart(scene, joints)
            found += find_deep_overlaps(bodies, linked, excluded)
    if contact not in (None, "none") and not any(one.topic == "gravity" for one in found):
        joined = {end for _, a, b in joints.values() for end in (a, b)}
        found += find_nothing_below(bodies, gravity, len(scene.loads), joined)
    return [finding for finding in ordered(found) if finding.severity != "note"]


def _cheap_findings(
    scene: Scene, bodies: list[PlacedBody], joints: dict[str, Any], gravity: Array
) -> list[Finding]:
    """What the check and the start of a run both look at."""
    found = find_far_bodies(bodies) + find_far_surfaces(bodies)
    found += find_far_loads(scene.loads, bodies) + find_far_centres(bodies)
    found += find_overlapping_parts(bodies) + find_locked(joints)
    found += find_unused_materials(scene.materials, bodies)
    found += find_unit_mistakes(bodies, gravity)
    found += find_nothing_moves(bodies, gravity, len(scene.loads), joints)
    found += find_falling_away(bodies, gravity)
    found += find_gravity_along_planes(bodies, gravity, len(joints))
    found += find_static_with_velocity(bodies) + find_degrees(joints)
    found += find_stuck_joints(joints, bodies, gravity)
    found += find_swapped_quaternions(bodies)
    found += find_degrees_at_the_start(scene.start_coordinates, joints)
    found += find_strong_loads(bodies, scene.loads)
    found += find_weights_twice(bodies, scene.loads, gravity)
    return found + find_without_effect(bodies, joints, scene.loads, scene.couplings)


def _build_mistakes(scene: Scene) -> list[Finding]:
    """What keeps the scene from being built, such as a mass that is not positive."""
    try:
        scene.build()
    except InputError as error:
        return [
            Finding("error", "input", _names_in(sentence, scene), sentence)
            for sentence in error.mistakes
        ]
    return []


def _names_in(sentence: str, scene: Scene) -> tuple[str, ...]:
    """The bodies and joints a sentence of an InputError quotes."""
    return tuple(name for name in (*scene.bodies, *scene.joints) if repr(name) in sentence)


def _usable_bodies(scene: Scene) -> list[PlacedBody]:
    """Bodies that are right by themselves, also where the scene as a whole cannot be built."""
    usable, surfaces = [], KnownSurfaces()
    for body in scene.bodies.values():
        try:
            usable.append(PlacedBody(body.checked, body.given, surfaces.of(body.checked)))
        except InputError:  # reported by _build_mistakes
            continue
    return usable
