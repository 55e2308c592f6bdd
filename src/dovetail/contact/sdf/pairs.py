"""Which bodies can meet, and the numbers of their force law."""

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.contact.sdf.restitution import LEAST, MODELS
from dovetail.contact.sdf.stiffness import stiffness_for
from dovetail.contact.sdf.touching_body import TouchingBody
from dovetail.kernels.contact_force import N_NUMBERS
from dovetail.kernels.read_only import read_only
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array

if TYPE_CHECKING:
    from dovetail.contact.sdf.method import SDF

STICKING_SPEED = 1e-3  # [m/s] v_s where friction is a single number; v_d is twice that
ROUNDING = 1e-5  # of the smaller body: the parabola that makes a linear spring C1
SLOWEST_IMPACT = 1e-3  # of the expected speed: slower impacts count as this fast


@dataclass(frozen=True, eq=False)
class Pairs:
    """Bodies (m, 2) that can meet, with a row of numbers each."""

    bodies: Any  # (m, 2) int
    number: dict[tuple[int, int], int]
    laws: Array  # (m, 7): see kernels.contact_force
    damping: Array  # (m,) [s/m] fixed chi / k, or nan where restitution says it
    damped: Array  # (m,) a v0 of the restitution
    slowest: Array  # (m,) [m/s]
    size: Array  # (m,) [m] of the smaller body
    mass: Array  # (m,) [kg] reduced
    derived: tuple[str, ...]  # what was not given


def find_pairs(model: Model, bodies: list[TouchingBody | None], settings: "SDF") -> Pairs:
    """All pairs that may touch: not both held, not of one group, not joined to each other."""
    joined = {frozenset((j.body_a, j.body_b)) for j in model.joints}
    rows = []
    for i in range(model.n_bodies):
        for j in range(i + 1, model.n_bodies):
            a, b = bodies[i], bodies[j]
            if a is None or b is None or frozenset((i, j)) in joined:
                continue
            if model.motion[i] != DYNAMIC and model.motion[j] != DYNAMIC:
                continue
            group = model.bodies[i].group
            if group is not None and group == model.bodies[j].group:
                continue
            if (a.probes is None or b.field is None) and (b.probes is None or a.field is None):
                continue
            rows.append((i, j))
    m = len(rows)
    laws, damping, damped = np.zeros((m, N_NUMBERS)), np.zeros(m), np.zeros(m)
    slowest, size, mass = np.zeros(m), np.zeros(m), np.zeros(m)
    derived: dict[str, None] = {}
    for k, (i, j) in enumerate(rows):
        a, b = bodies[i], bodies[j]
        assert a is not None and b is not None
        size[k] = min(a.size, b.size)
        inverse = [1 / model.mass[body] for body in (i, j) if model.motion[body] == DYNAMIC]
        mass[k] = 1 / sum(inverse)
        speed = _expected_speed(model, i, j, size[k])
        slowest[k] = SLOWEST_IMPACT * speed
        own = _numbers(model, settings, i, j)
        n = settings.exponent
        stiffness = own["stiffness"]
        if stiffness is None:
            weight = float(np.linalg.norm(model.gravity))
            stiffness = stiffness_for(mass[k], size[k], speed, weight, n)
            names = f"{model.names[i]}-{model.names[j]}"
            derived[
                f"stiffness of {names} = {stiffness:.4g} N/m^{n:g} (impact at {speed:.3g} m/s)"
            ] = None
        mu_s, mu_d, v_s, v_d = _friction(own["friction"])
        laws[k] = stiffness, n, ROUNDING * size[k], mu_s, mu_d, v_s, v_d
        if own["damping"] is not None:
            damping[k] = float(own["damping"]) / stiffness
        elif own["restitution"] is not None:
            damping[k] = np.nan
            damped[k] = MODELS[settings.damping_model](max(float(own["restitution"]), LEAST))
        else:
            derived["damping = 0 (no `restitution` given: impacts are elastic)"] = None
    return Pairs(
        np.array(rows, dtype=np.intp).reshape(-1, 2), {pair: k for k, pair in enumerate(rows)},
        read_only(laws), damping, damped, slowest, size, mass, tuple(derived),
    )  # fmt: skip


def _numbers(model: Model, settings: "SDF", i: int, j: int) -> dict[str, Any]:
    """The settings, overridden by the material of the pair."""
    names = ("friction", "restitution", "stiffness", "damping")
    own = {name: getattr(settings, name) for name in names}
    material = model.pair_material(i, j)
    if material is None:
        return own
    if material.restitution is not None or material.damping is not None:
        own["restitution"], own["damping"] = material.restitution, material.damping
    for name in ("friction", "stiffness"):
        if getattr(material, name) is not None:
            own[name] = getattr(material, name)
    return own


def _friction(value: Any) -> tuple[float, float, float, float]:
    if np.ndim(value) == 0:
        return float(value), float(value), STICKING_SPEED, 2 * STICKING_SPEED
    mu_s, mu_d, v_s, v_d = (float(part) for part in value)
    return mu_s, mu_d, v_s, v_d


def _expected_speed(model: Model, i: int, j: int, size: float) -> float:
    """[m/s] how fast the pair may meet: as it starts, or fallen by its own size."""
    apart = float(np.linalg.norm(model.velocity[i] - model.velocity[j]))
    turning = float(sum(np.linalg.norm(model.angular_velocity[body]) for body in (i, j))) * size / 2
    fallen = float(np.sqrt(2 * np.linalg.norm(model.gravity) * size))
    return max(apart + turning, fallen) or size  # one size per second where nothing moves


def tell(derived: tuple[str, ...]) -> None:
    """Say on stderr what was derived; DOVETAIL_QUIET=1 silences it."""
    if derived and os.environ.get("DOVETAIL_QUIET") != "1":
        for line in derived[:8]:
            print(f"dovetail: contact {line}", file=sys.stderr)
        if len(derived) > 8:
            print(f"dovetail: and {len(derived) - 8} more", file=sys.stderr)
