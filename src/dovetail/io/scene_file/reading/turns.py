"""Angles of a scene file that are many turns, as if degrees were meant."""

from math import pi
from typing import Any

from dovetail.io.listed import listed
from dovetail.io.scene_file.reading.places import entries_of

MOST_TURN = 2.1 * pi  # [rad] that a placement is turned by


def notes_on_turns(document: dict[str, Any]) -> list[str]:
    """One note that names the bodies, where the unit of angles is rad."""
    units = document.get("units")
    if isinstance(units, dict) and units.get("angle", "rad") != "rad":
        return []
    names = [
        str(entry.get("name", ""))[:60]
        for entry in entries_of(document, "bodies")
        if isinstance(entry, dict) and _many_turns(entry.get("rotation"))
    ]
    if not names:
        return []
    return [
        "angles are in rad, but `rotation` is several turns, as if it were in degrees (give "
        f"`units: {{angle: deg}}`): {listed(names)}"
    ]


def _many_turns(rotation: Any) -> bool:
    if not isinstance(rotation, dict):
        return False
    angles = rotation.get("euler", [rotation.get("angle")])
    return isinstance(angles, list) and any(
        isinstance(angle, int | float) and abs(angle) > MOST_TURN for angle in angles
    )
