"""Tendons of a compiled model, with what acts on them.

The length of a fixed tendon is L = sum c_i q_i. Springs, dampers, limits, dry friction and
actuators on it are those of a `Coupling` with the same sum, which is 0 at the initial pose. Of
tendons through space those with a spring or damper from one site straight to another are read.
"""

from collections.abc import Callable

import numpy as np

from dovetail.io.mjcf.actuators import Servo
from dovetail.io.mjcf.compiled import Compiled
from dovetail.io.mjcf.joints import HINGE, SLIDE, joint_name
from dovetail.model.couplings import Coupling
from dovetail.model.joints import Actuation
from dovetail.model.scene import Scene

WRAP_JOINT, WRAP_SITE = 1, 3  # mjtWrap


def fixed_terms(compiled: Compiled, tendon: int) -> dict[int, float] | None:
    """Joints of a fixed tendon with their coefficients; None for a tendon in space."""
    model = compiled.model
    first, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    terms: dict[int, float] = {}
    for wrap in range(first, first + count):
        if int(model.wrap_type[wrap]) != WRAP_JOINT:
            return None
        joint = int(model.wrap_objid[wrap])
        if int(model.jnt_type[joint]) not in (HINGE, SLIDE):
            return None
        terms[joint] = terms.get(joint, 0.0) + float(model.wrap_prm[wrap])
    return terms


def start_length(compiled: Compiled, terms: dict[int, float]) -> float:
    """L at the initial state."""
    model = compiled.model
    return sum(c * float(compiled.data.qpos[model.jnt_qposadr[j]]) for j, c in terms.items())


def add_tendons(
    compiled: Compiled,
    scene: Scene,
    servos: dict[int, Servo],
    left_out: list[str],
    holder: Callable[[int], str],
) -> None:
    """Add a coupling or a spring for each tendon that something acts on.

    `holder` says which body of the scene a body of the model is, or is part of.
    """
    for tendon in range(compiled.model.ntendon):
        name = compiled.label("tendon", tendon)
        terms = fixed_terms(compiled, tendon)
        servo = servos.get(tendon, Servo())
        if terms is None:
            _add_spring(compiled, tendon, scene, left_out, holder)
            left_out.extend(f"actuator {one} (its tendon)" for one in servo.names)
            continue
        acting = _actuation(compiled, tendon, name, terms, servo, left_out)
        named = {joint_name(compiled, joint): c for joint, c in terms.items() if c}
        if acting != Actuation() and named:
            scene.add_coupling(name, Coupling(named, actuation=acting))


def _add_spring(
    compiled: Compiled, tendon: int, scene: Scene, left_out: list[str], holder: Callable[[int], str]
) -> None:
    """A spring between two sites, f = -k (L - rest) - c dL/dt along the line; else left out."""
    model, name = compiled.model, compiled.label("tendon", tendon)
    first, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    kinds = model.wrap_type[first : first + count]
    stiffness = 0.0 if compiled.disabled("spring") else float(model.tendon_stiffness[tendon])
    damping = 0.0 if compiled.disabled("damper") else float(model.tendon_damping[tendon])
    low, high = (float(value) for value in model.tendon_lengthspring[tendon])
    if count != 2 or np.any(kinds != WRAP_SITE) or not (stiffness or damping):
        left_out.append(f"tendon {name} (it goes through space)")
        return
    if stiffness and low != high:
        left_out.append(f"tendon {name} (it is slack from {low:g} to {high:g} m)")
        return
    others = ("tendon_armature", "tendon_frictionloss", "tendon_stiffnesspoly",
              "tendon_dampingpoly")  # fmt: skip
    for what in others:
        if np.any(getattr(model, what, np.zeros(tendon + 1))[tendon]):
            left_out.append(f"{what.partition('_')[2]} (tendon {name})")
    if model.tendon_limited[tendon] and not compiled.disabled("limit"):
        left_out.append(f"range (tendon {name}, which goes through space)")
    sites = [int(site) for site in model.wrap_objid[first : first + 2]]
    bodies = [int(model.site_bodyid[site]) for site in sites]
    ends = [holder(body) for body in bodies]
    points = []
    for site, body in zip(sites, bodies):
        x, R = compiled.frame(body)
        points.append(x + R @ model.site_pos[site])
    if ends[0] != ends[1]:
        rest_length = low if stiffness else None
        (body_a, body_b), (a, b) = ends, points
        scene.add_spring(name, body_a, body_b, a, b, stiffness, damping, rest_length)


def _actuation(
    compiled: Compiled,
    tendon: int,
    name: str,
    terms: dict[int, float],
    servo: Servo,
    left_out: list[str],
) -> Actuation:
    """As for a joint whose coordinate is the length; see `joints`."""
    model = compiled.model
    start = start_length(compiled, terms)
    lower = upper = None
    if model.tendon_limited[tendon] and not compiled.disabled("limit"):
        lower, upper = (float(value) - start for value in model.tendon_range[tendon])
    spring = 0.0 if compiled.disabled("spring") else float(model.tendon_stiffness[tendon])
    low, high = (float(value) for value in model.tendon_lengthspring[tendon])
    if spring and low != high:
        left_out.append(f"stiffness (tendon {name}, slack from {low:g} to {high:g})")
        spring = 0.0
    for what in ("tendon_armature", "tendon_stiffnesspoly", "tendon_dampingpoly"):
        if np.any(getattr(model, what, np.zeros(tendon + 1))[tendon]):
            left_out.append(f"{what.partition('_')[2]} (tendon {name})")
    if servo.armature:
        left_out.append(f"armature (actuators of tendon {name})")
    stiffness, constant = spring + servo.stiffness, servo.constant + spring * low
    motor = constant if servo.names and not stiffness else None
    return Actuation(
        lower=lower,
        upper=upper,
        stiffness=stiffness,
        damping=(0.0 if compiled.disabled("damper") else float(model.tendon_damping[tendon]))
        + servo.damping
        + servo.rotor_damping,
        rest=constant / stiffness - start if stiffness else 0.0,
        friction=0.0
        if compiled.disabled("frictionloss")
        else float(model.tendon_frictionloss[tendon]),
        motor=motor,
        effort_limit=servo.effort_limit if motor is not None else None,
    )
