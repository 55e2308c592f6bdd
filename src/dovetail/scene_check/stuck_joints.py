"""Joints that what acts along them holds for ever: friction, damping or a rotor in another unit."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dovetail.model.joints import Joint
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

EARTH = 9.81  # [m/s^2]
MOST = {  # times what the weight, or the inertia, of all moving bodies together can be
    "friction": 1e3,
    "damping": 1e6,  # at 1 rad/s or 1 m/s
    "armature": 1e5,
}
UNITS = {
    ("friction", True): "N m", ("friction", False): "N", ("damping", True): "N m s/rad",
    ("damping", False): "N s/m", ("armature", True): "kg m^2", ("armature", False): "kg",
}  # fmt: skip


def find_stuck_joints(
    joints: Mapping[str, tuple[Any, str, str]], bodies: list[PlacedBody], gravity: Array
) -> list[Finding]:
    """Joints along which nothing in the scene can move anything."""
    moving = [body for body in bodies if body.moves and np.isfinite(body.body.mass)]
    if not moving:
        return []
    mass = sum(body.body.mass for body in moving)
    g = float(np.linalg.norm(gravity)) or EARTH
    length = _length(moving)
    found = []
    for name, (joint, _, _) in joints.items():
        if not isinstance(joint, Joint) or joint.mistakes(name):
            continue
        for entry, coordinate in zip(joint.actuation, joint.coordinates):
            turns = coordinate.quantity == "angle"
            effort, inertia = mass * g * (length if turns else 1.0), mass
            inertia *= length**2 if turns else 1.0
            for what, times in MOST.items():
                own, most = float(getattr(entry, what)), inertia if what == "armature" else effort
                if own > times * most > 0.0:
                    found.append(_finding(name, what, own, own / most, turns))
                    break
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def _length(moving: list[PlacedBody]) -> float:
    """[m] across all that moves; a body has at least the radius of gyration of its moments."""
    centres = np.array([body.body.position for body in moving])
    across = float(np.linalg.norm(np.ptp(centres, axis=0)))
    sizes = [
        max(
            body.size if body.has_surface else 0.0,
            float(np.sqrt(np.trace(body.body.inertia) / body.body.mass)) if body.body.mass else 0.0,
        )
        for body in moving
    ]
    return across + 2.0 * max(sizes)


def _finding(name: str, what: str, value: float, times: float, turns: bool) -> Finding:
    of = "inertia" if what == "armature" else "weight"
    return Finding(
        "warning",
        "units",
        (name,),
        f"joint {quote(name)} will not move: its `{what}` is {value:.3g} {UNITS[what, turns]}, "
        f"{times:.1g} times what the {of} of all that moves comes to; check its unit",
    )
