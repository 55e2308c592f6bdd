"""Checking all that a scene was given, and freezing it."""

from typing import Any

from dovetail.errors import InputError
from dovetail.model.checked_body import CheckedBody
from dovetail.model.couplings import Coupling, PlacedCoupling, placed_coupling
from dovetail.model.entries import SceneEntries
from dovetail.model.frozen import GROUND, Model, PlacedJoint, PlacedLoad, freeze
from dovetail.model.joints import Joint
from dovetail.model.loads import ConstantForce
from dovetail.model.massless import massless_mistakes
from dovetail.model.shapes.amount import refuse_too_many_in_all
from dovetail.model.unknown_names import unknown_body
from dovetail.model.values import GROUND_NAME, Mistakes, quote, vector3
from dovetail.runtime.collection import uncollected


def built(given: SceneEntries, gravity: Any) -> Model:
    """The frozen scene; raises one InputError with all mistakes."""
    with uncollected():
        return _built(given, gravity)


def _built(given: SceneEntries, gravity: Any) -> Model:
    found = Mistakes(sentence for _, sentence, _, _ in given.misnamed)
    g = found.take(vector3, gravity, "`gravity` of the scene", "m/s^2")
    refuse_too_many_in_all(body.given.shape for body in given.bodies.values())
    every = [found.take(lambda body: body.checked, body) for _, body in given.every("body")]
    checked = [body for body in every[: len(given.bodies)] if body is not None]
    joints = _placed_joints(given, found)
    loads = _placed_loads(given, found)
    excluded = _placed_exclusions(given, found)
    couplings = _placed_couplings(given, found)
    if not found:
        found.extend(massless_mistakes(checked, joints))
    found.extend(_material_mistakes(given, checked))
    if found:
        raise InputError(dict.fromkeys(found))
    assert g is not None
    return freeze(checked, g, joints, loads, given.pair_materials(), excluded, couplings)


def _material_mistakes(given: SceneEntries, bodies: list[CheckedBody]) -> list[str]:
    """Of each pair, of two entries for one pair, and of names that nothing has."""
    found = Mistakes()
    made_of = {body.material for body in bodies}
    known = {body.name for body in bodies} | made_of
    complete = len(bodies) == len(given.bodies)
    seen = set()
    for pair in given.materials:
        mistakes = pair.mistakes()
        found.extend(mistakes)
        if mistakes:
            continue
        who = f"materials {quote(pair.a)} and {quote(pair.b)}"
        names = tuple(sorted((pair.a, pair.b)))
        if names in seen:
            found.append(f"{who} are paired twice; give one entry")
        seen.add(names)
        if pair.a == pair.b and pair.a in given.bodies and pair.a not in made_of:
            found.append(f"{who}: a body does not touch itself; give two bodies or materials")
        for name in dict.fromkeys(names):
            if complete and name not in known:
                found.append(f"{who}: no body is named {quote(name)} or made of it")
    return found


def _placed_joints(given: SceneEntries, found: Mistakes) -> list[PlacedJoint]:
    numbers = {GROUND_NAME: GROUND} | {name: i for i, name in enumerate(given.bodies)}
    placed = []
    for name, (joint, body_a, body_b) in given.every("joint"):
        who = f"joint {quote(name)}"
        if isinstance(joint, Joint) and type(joint) is not Joint:
            found.extend(joint.mistakes(who))
        else:
            found.append(f"{who} must be a joint such as dt.Revolute, got {quote(joint)}")
        known = _known(given, (body_a, body_b), who, found)
        if known and body_a == body_b:
            found.append(f"{who} must join two different bodies, got {quote(body_a)} twice")
        if known:
            start = given.start.get(name, ()) if isinstance(name, str) else ()
            placed.append(PlacedJoint(name, joint, numbers[body_a], numbers[body_b], start))
    return placed


def _placed_couplings(given: SceneEntries, found: Mistakes) -> list[PlacedCoupling]:
    joints = {name: entry[0] for name, entry in given.joints.items()}
    numbers = {name: number for number, name in enumerate(joints)}
    placed = []
    for name, coupling in given.every("coupling"):
        who = f"coupling {quote(name)}"
        mistakes = [f"{who} must be a dt.Coupling, got {quote(coupling)}"]
        if isinstance(coupling, Coupling):
            mistakes = coupling.mistakes(who, joints)
        found.extend(mistakes)
        if not mistakes:
            placed.append(placed_coupling(name, coupling, numbers))
    return placed


def _placed_loads(given: SceneEntries, found: Mistakes) -> list[PlacedLoad]:
    for name, load in given.every("load"):
        who = f"load {quote(name)}"
        found.extend(load.mistakes(who))
        ground_allowed = not isinstance(load, ConstantForce)
        _known(given, load.bodies(), who, found, ground_allowed)
    return [PlacedLoad(name, load) for name, load in given.loads.items()]


def _placed_exclusions(given: SceneEntries, found: Mistakes) -> list[tuple[int, int]]:
    """Pairs of bodies as numbers, the smaller first."""
    numbers = {name: i for i, name in enumerate(given.bodies)}
    placed = []
    for a, b in given.excluded.values():
        who = f"the excluded contact of {quote(a)} and {quote(b)}"
        if _known(given, (a, b), who, found, ground_allowed=False):
            if a == b:
                found.append(f"{who} must name two different bodies")
            placed.append((min(numbers[a], numbers[b]), max(numbers[a], numbers[b])))
    return placed


def _known(
    given: SceneEntries,
    names: tuple[Any, ...],
    who: str,
    found: Mistakes,
    ground_allowed: bool = True,
) -> bool:
    unknown = [
        name
        for name in names
        if not (isinstance(name, str) and name in given.bodies)
        and not (ground_allowed and isinstance(name, str) and name == GROUND_NAME)
    ]
    for name in unknown:
        found.append(unknown_body(who, name, given.bodies, ground_allowed))
    return not unknown
