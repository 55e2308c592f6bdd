"""What a question may be asked of: a scene, a file, or objects of a CAD library."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from dovetail.errors import InputError
from dovetail.io.cad.assembly import is_assembly, read_parts, scene_of_parts
from dovetail.io.cad.objects import objects_of, parts_of_objects
from dovetail.io.cad.parts import Part
from dovetail.io.cad.size import refuse_odd_size
from dovetail.io.cad.units import LENGTH_UNITS
from dovetail.io.loading import load_scene
from dovetail.model.scene import Scene
from dovetail.model.values import number, quote
from dovetail.prove.request.spoken_joints import spoken_joints
from dovetail.simulate.requested import requested_contact

TOLERANCE = 1e-5  # [m] of the triangles of CAD objects


@dataclass(frozen=True, eq=False)
class Given:
    """A scene, and what comes with it."""

    scene: Scene
    question: dict[str, Any] = field(default_factory=dict)  # where the call asks none
    clearance: float = 0.0  # [m]
    ignore: tuple[tuple[str, str], ...] = ()
    contact: Any = None  # that the file asks for


@dataclass(frozen=True)
class Reading:
    """How parts from CAD are read."""

    joints: Any = ()  # in words
    unit: Any = "mm"
    tolerance: Any = None  # [m]
    any_size: bool = False


def given_scene(given: Any, reading: Reading) -> Given:
    """The scene of a Scene, of a scene file, or of the parts of an assembly and their joints."""
    if isinstance(given, Scene):
        _refuse_joints(reading)
        return Given(given)
    if reading.unit not in LENGTH_UNITS:
        raise InputError(
            f"`unit` must be one of {', '.join(LENGTH_UNITS)}, got {quote(reading.unit)}"
        )
    fine = None if reading.tolerance is None else number(reading.tolerance, "`tolerance`", "m")
    if fine is not None and not fine > 0.0:
        raise InputError(f"`tolerance` must be > 0 m, got {fine:g}")
    if isinstance(given, str | PathLike):
        path = Path(given)
        if not is_assembly(path):
            _refuse_joints(reading)
            return _of_file(path)
        parts = read_parts(path, reading.unit, fine)
        if not reading.any_size:
            refuse_odd_size(parts, str(path))
        return _jointed(parts, reading.joints)
    objects = objects_of(given)
    if objects is None:
        raise InputError(
            "`scene` must be a dt.Scene, the name of a scene or CAD file, or {name: object} of a "
            f"CAD library, got {quote(given)}"
        )
    parts = parts_of_objects(objects, reading.unit, TOLERANCE if fine is None else fine)
    if not reading.any_size:
        refuse_odd_size(parts, "the objects")
    return _jointed(parts, reading.joints)


def _refuse_joints(reading: Reading) -> None:
    if reading.joints:
        raise InputError("`joints` are for parts from CAD; a scene has joints of its own")


def _of_file(path: Path) -> Given:
    loaded = load_scene(path)
    contact = requested_contact(loaded.run)
    if loaded.prove is None:
        return Given(loaded.scene, contact=contact)
    asked = loaded.prove
    return Given(loaded.scene, asked.question(), asked.clearance, asked.ignore, contact)


def _jointed(parts: list[Part], texts: Any) -> Given:
    """Swept by the ranges of the joints."""
    if isinstance(texts, str):
        texts = [texts]
    if not isinstance(texts, Sequence) or any(not isinstance(text, str) for text in texts):
        raise InputError(
            '`joints` must be a list of texts such as "hinge: revolute leaf about z, 0..90 deg", '
            f"got {quote(texts)}"
        )
    made = spoken_joints(texts, parts)
    scene = scene_of_parts(parts, {one.part for one in made})
    for one in made:
        scene.add_joint(one.name, one.joint, one.parent, one.part)
    return Given(scene, {"sweep": {one.name: one.sweep for one in made}} if made else {})
