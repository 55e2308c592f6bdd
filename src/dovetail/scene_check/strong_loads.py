"""Forces that no body of that mass is given: kN for N, or a mass in g."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dovetail.model.loads import ConstantForce
from dovetail.model.values import quote
from dovetail.scene_check.finding import Finding, merged
from dovetail.scene_check.placed_body import PlacedBody

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
