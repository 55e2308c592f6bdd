"""The `prove` section of a document as settings, in SI units."""

from typing import Any

from dovetail.errors import InputError
from dovetail.io.prove_settings import ProveSettings, Ranges
from dovetail.io.scene_file.reading.in_si import DIMENSIONS, in_si
from dovetail.io.scene_file.reading.mistakes import closest
from dovetail.io.scene_file.schema.prove import ProveEntry
from dovetail.io.scene_file.units import Units
from dovetail.model.scene import Scene
from dovetail.model.values import quote


def prove_settings(entry: ProveEntry | None, scene: Scene, units: Units) -> ProveSettings | None:
    """None where the section is missing; raises InputError with all mistakes."""
    if entry is None:
        return None
    found: list[str] = []
    sweep = _ranges(entry.sweep, "sweep", scene, units, found)
    drive = _ranges(entry.drive, "drive", scene, units, found)
    if not entry.sweep and not entry.drive:
        found.append("`prove` must name joints to `sweep` or to `drive`, such as {hinge: [0, 90]}")
    if entry.sweep and entry.drive:
        found.append("`prove` must have either `sweep` or `drive`, got both")
    for pair in entry.ignore or []:
        found += [
            f"`prove.ignore` names body {quote(name)}, which is not in the scene"
            for name in pair
            if name not in scene.bodies
        ]
    if found:
        raise InputError(found)
    return ProveSettings(
        clearance=in_si(entry, units).clearance or 0.0,
        sweep=sweep,
        drive=drive,
        units={name: _unit(scene, name, units) for name in (*sweep, *drive)},
        ignore=tuple((pair[0], pair[1]) for pair in entry.ignore or []),
    )


def _ranges(
    written: dict[str, Any] | None, key: str, scene: Scene, units: Units, found: list[str]
) -> Ranges:
    ranges: Ranges = {}
    for name, pairs in (written or {}).items():
        if name not in scene.joints:
            close = closest(name, list(scene.joints))
            hint = f"; did you mean {quote(close)}?" if close else ""
            found.append(
                f"`prove.{key}` names joint {quote(name)}, which is not in the scene{hint}"
            )
            continue
        joint = scene.joints[name][0]
        rows = [pairs] if not isinstance(pairs[0], list) else pairs
        coordinates = joint.coordinates
        if len(rows) != len(coordinates) or any(not c.motion.has_values for c in coordinates):
            found.append(
                f"`prove.{key}` of joint {quote(name)} must have a pair [from, to] for each "
                f"coordinate that a {joint.kind} joint can be swept by, got {quote(pairs)}"
            )
            continue
        ranges[name] = tuple(
            tuple(units.to_si(row, DIMENSIONS[coordinate.quantity]["position"]))
            for row, coordinate in zip(rows, coordinates, strict=True)
        )
    return ranges


def _unit(scene: Scene, joint: str, units: Units) -> tuple[str, float]:
    """The unit that the file writes the positions of a joint in, and its size in SI."""
    quantity = scene.joints[joint][0].coordinates[0].quantity
    dimension = DIMENSIONS[quantity]["position"]
    return units.name(dimension), float(units.to_si(1.0, dimension))
