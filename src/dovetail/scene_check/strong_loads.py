"""Forces that no body of that mass is given: kN for N, a mass in g, its weight a second time."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dovetail.model.loads import ConstantForce
from dovetail.model.values import Array, quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

SAME = 0.01  # of a weight: a force so near to it is the weight
STRONGEST = 1e5  # [m/s^2] ten thousand times the earth's gravity; a bullet in its barrel has 5e5


def find_strong_loads(bodies: list[PlacedBody], loads: Mapping[str, Any]) -> list[Finding]:
    """Constant forces that accelerate their body by more than STRONGEST."""
    masses = {body.name: body.body.mass for body in bodies if body.body.motion == "dynamic"}
    found = []
    for name, load in loads.items():
        if not isinstance(load, ConstantForce) or load.body not in masses:
            continue
        force, mass = float(np.linalg.norm(np.asarray(load.force, float))), masses[load.body]
        if mass > 0.0 and force > STRONGEST * mass:
            found.append(_finding(name, load.body, force, mass))
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def _finding(name: str, body: str, force: float, mass: float) -> Finding:
    return Finding(
        "warning",
        "units",
        (name,),
        f"load {quote(name)} of {force:.3g} N accelerates {quote(body)} ({mass:.3g} kg) by "
        f"{force / mass:.2g} m/s^2; forces are in N and masses in kg",
    )


def find_weights_twice(
    bodies: list[PlacedBody], loads: Mapping[str, Any], gravity: Array
) -> list[Finding]:
    """Constant forces that equal the weight which gravity gives their body already."""
    masses = {body.name: body.body.mass for body in bodies if body.moves}
    found = []
    for name, load in loads.items():
        if not isinstance(load, ConstantForce) or load.body not in masses or load.mistakes(name):
            continue
        weight = masses[load.body] * gravity
        off = float(np.linalg.norm(np.asarray(load.force, float) - weight))
        if load.frame == "world" and off < SAME * float(np.linalg.norm(weight)):
            found.append(
                Finding(
                    "warning",
                    "gravity",
                    (name,),
                    f"load {quote(name)} is the weight of {quote(load.body)}, which `gravity` of "
                    "the scene gives it already, so it falls at twice the rate; leave one out",
                )
            )
    return [merged(found[0], [one.subject[0] for one in found])] if found else []
