"""The `prove` section of a document as settings, in SI units."""

from collections.abc import Collection, Iterator
from typing import Any

from dovetail.errors import InputError
from dovetail.io.prove_settings import ProveSettings, Ranges
from dovetail.io.scene_file.reading.in_si import DIMENSIONS, in_si
from dovetail.io.scene_file.reading.mistakes import closest
from dovetail.io.scene_file.schema.prove import ProveEntry
from dovetail.io.scene_file.units import LENGTH, Units
from dovetail.model.scene import Scene
from dovetail.model.values import quote


def prove_settings(
    entry: ProveEntry | None, scene: Scene, units: Units, left_out: Collection[str] = ()
) -> ProveSettings | None:
    """None where the section is missing; raises InputError with all mistakes.

    `left_out` are names of joints and bodies whose own mistakes are reported already.
    """
    if entry is None:
        return None
    found: list[str] = []
    sweep = _ranges(entry.sweep, "sweep", scene, units, found)
    drive = _ranges(entry.drive, "drive", scene, units, found)
    path = _path(entry.path, scene, units, found)
    asked = [one for one in (entry.sweep, entry.path, entry.assemble, entry.drive) if one]
    if not asked:
        found.append(
            "`prove` must name joints to `sweep`, such as {hinge: [0, 90]}, a `path`, a part to "
            "`assemble` or joints to `drive`"
        )
    if len(asked) > 1:
        found.append("`prove` must have one of `sweep`, `path`, `assemble`, `drive`, got several")
    for part in entry.assemble or {}:
        if part not in scene.bodies:
            close = closest(part, list(scene.bodies))
            hint = f"; did you mean {quote(close)}?" if close else ""
            found.append(f"`prove.assemble` names part {quote(part)}, which is not there{hint}")
    found += [
        f"`prove.force` names joint {quote(name)}, which `prove.drive` does not drive"
        for name in entry.force or {}
        if name not in (entry.drive or {})
    ]
    for pair in entry.ignore or []:
        found += [
            f"`prove.ignore` names body {quote(name)}, which is not in the scene"
            for name in pair
            if name not in scene.bodies
        ]
    found = [one for one in found if not any(quote(name) in one for name in left_out)]
    if found:
        raise InputError(found)
    if left_out:
        return None
    return ProveSettings(
        clearance=in_si(entry, units).clearance or 0.0,
        sweep=sweep,
        path=path,
        assemble={
            part: path if isinstance(path, str) else units.to_si(path, LENGTH)
            for part, path in (entry.assemble or {}).items()
        },
        drive=drive,
        by=entry.by or "motor",
        force=entry.force,
        duration=in_si(entry, units).duration,
        units={
            **{
                key: unit
                for name in (*sweep, *path, *drive)
                for key, unit in _units(scene, name, units)
            },
            **{
                part: (units.name(LENGTH), float(units.to_si(1.0, LENGTH)))
                for part in entry.assemble or {}
            },
        },
        ignore=tuple((pair[0], pair[1]) for pair in entry.ignore or []),
    )


def _path(
    written: dict[str, list[float]] | None, scene: Scene, units: Units, found: list[str]
) -> dict[str, tuple[float, ...]]:
    path = {}
    for name, values in (written or {}).items():
        if name not in scene.joints:
            close = closest(name, list(scene.joints))
            hint = f"; did you mean {quote(close)}?" if close else ""
            found.append(f"`prove.path` names joint {quote(name)}, which is not in the scene{hint}")
            continue
        coordinates = scene.joints[name][0].coordinates
        if len(coordinates) != 1 or not coordinates[0].motion.has_values:
            found.append(
                f"`prove.path` of joint {quote(name)} must be of a joint with one coordinate"
            )
            continue
        dimension = DIMENSIONS[coordinates[0].quantity]["position"]
        path[name] = tuple(float(units.to_si(value, dimension)) for value in values)
    return path


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


def _units(scene: Scene, joint: str, units: Units) -> Iterator[tuple[str, tuple[str, float]]]:
    """The unit that the file writes each coordinate of a joint in, and its size in SI."""
    coordinates = scene.joints[joint][0].coordinates
    for k, coordinate in enumerate(coordinates, 1):
        dimension = DIMENSIONS[coordinate.quantity]["position"]
        name = joint if len(coordinates) == 1 else f"{joint} ({k})"
        yield name, (units.name(dimension), float(units.to_si(1.0, dimension)))
