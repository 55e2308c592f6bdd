"""MJCF joints and the actuators on them.

A file has no control signals, so every control is zero: a position servo pulls its joint to
coordinate 0 with stiffness kp g^2 and damping kv g^2 (g the gear), a velocity servo brakes with
kv g^2, a motor is idle. These are the exact forces for zero control.
"""

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.joint_chains import Movement
from dovetail.io.mjcf.document import Compiler, Defaults
from dovetail.io.mjcf.placement import Pose
from dovetail.io.written_rotations import direction
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import choice, number, numbers, word
from dovetail.model.joints import Actuation
from dovetail.model.values import Mistakes, not_negative, quote

READ = (
    "name", "class", "type", "pos", "axis", "range", "limited", "stiffness", "damping",
    "springref", "ref", "frictionloss", "group", "armature",
)  # fmt: skip
ACTUATORS = ("general", "motor", "position", "velocity")
SHARED = ("gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited")
ACTUATORS_READ = ("name", "class", "joint", "gear", "kp", "kv", "group", "ctrlrange", "ctrllimited")


@dataclass
class Servos:
    """What the actuators of one joint do with zero control."""

    stiffness: float = 0.0
    damping: float = 0.0
    motor: bool = False
    effort_limit: float | None = None


def read_actuators(
    root: Element, defaults: Defaults, found: Mistakes
) -> tuple[dict[str, Servos], list[str]]:
    """Servos by joint name, and the names of what was not read."""
    servos: dict[str, Servos] = defaultdict(Servos)
    unread: list[str] = []
    for section in root.all("actuator"):
        for element in section.children:
            given = found.take(_with_defaults, element, defaults)
            if given is not None:
                found.take(_one_actuator, given, servos, unread)
    return dict(servos), unread


def _with_defaults(element: Element, defaults: Defaults) -> Element:
    """Gears and ranges of any kind of actuator in a default class hold for all kinds."""
    given = defaults.applied(element, "main")
    shared: dict[str, str] = {}
    for tag, attributes in defaults.classes[element.attributes.get("class", "main")].items():
        if tag in ACTUATORS:
            shared |= {key: attributes[key] for key in SHARED if key in attributes}
    return replace(given, attributes=shared | given.attributes)


def _one_actuator(element: Element, servos: dict[str, Servos], unread: list[str]) -> None:
    if element.tag not in ("motor", "position", "velocity") or "joint" not in element.attributes:
        unread.append(f"actuator {element.tag[:60]}")
        return
    gear = numbers(element, "gear", None, [1.0])
    ratio = float(gear[0]) if len(gear) else 1.0
    kp = not_negative(number(element, "kp", 1.0), f"`kp` of {element.who}")
    kv_default = 1.0 if element.tag == "velocity" else 0.0
    kv = not_negative(number(element, "kv", kv_default), f"`kv` of {element.who}")
    servo = servos[word(element, "joint")]
    known: tuple[str, ...] = ACTUATORS_READ
    if element.tag == "motor":
        servo.motor = True
        known = (*known, "forcerange", "forcelimited")
        if "forcerange" in element.attributes:
            force = float(np.max(np.abs(numbers(element, "forcerange", 2))))
            servo.effort_limit = abs(ratio) * force if force > 0 else None
    else:
        servo.stiffness += kp * ratio**2 if element.tag == "position" else 0.0
        servo.damping += kv * ratio**2
    unread.extend(f"{element.tag} {key}" for key in element.attributes if key not in known)


def read_joint(
    element: Element,
    name: str,
    frame: Pose,
    compiler: Compiler,
    servos: dict[str, Servos],
    unread: list[str],
) -> Movement | None:
    """The movement of a joint whose frame is `frame` in the world; None for a free joint."""
    kind = choice(element, "type", ("free", "ball", "slide", "hinge"), "hinge")
    unread.extend(f"joint {key}" for key in element.attributes if key not in READ)
    if number(element, "armature", 0.0) != 0:
        unread.append(f"armature (joint {name})")
    if kind == "free":
        return None
    point = frame[0] + frame[1] @ numbers(element, "pos", 3, [0, 0, 0])
    axis = frame[1] @ direction(numbers(element, "axis", 3, [0, 0, 1]), f"`axis` of {element.who}")
    if kind == "ball":
        ignored = [
            key
            for key in ("range", "stiffness", "damping", "frictionloss")
            if np.any(numbers(element, key, None, [0.0]))
        ] + (["actuator"] if name in servos else [])
        unread.extend(f"{key} (ball joint {name})" for key in ignored)
        return Movement(name, "ball", point, axis)
    unit = compiler.degree if kind == "hinge" else 1.0
    acting = _actuation(element, unit, compiler, servos.get(name, Servos()), unread)
    mistakes = acting.mistakes(element.who)
    if mistakes:
        raise InputError(mistakes)
    return Movement(name, "rotation" if kind == "hinge" else "translation", point, axis, acting)


def _actuation(
    element: Element, unit: float, compiler: Compiler, servo: Servos, unread: list[str]
) -> Actuation:
    """Our coordinate starts at zero where MuJoCo's starts at `ref`."""
    start = unit * number(element, "ref", 0.0)
    lower, upper = _limits(element, unit, compiler)
    spring = _first(element, "stiffness", unread)
    for what, value in (
        ("stiffness", spring),
        ("frictionloss", _first(element, "frictionloss", unread)),
    ):
        not_negative(value, f"`{what}` of {element.who}")
    stiffness = spring + servo.stiffness
    pull = spring * unit * number(element, "springref", 0.0)  # the servo pulls to zero
    return Actuation(
        lower=None if lower is None else lower - start,
        upper=None if upper is None else upper - start,
        stiffness=stiffness,
        damping=_first(element, "damping", unread) + servo.damping,
        rest=pull / stiffness - start if stiffness > 0 else 0.0,
        friction=_first(element, "frictionloss", unread),
        motor=0.0 if servo.motor else None,
        effort_limit=servo.effort_limit,
    )


def _limits(element: Element, unit: float, compiler: Compiler) -> tuple[float | None, float | None]:
    options = ("auto", "true", "false", "1", "0")
    limited = choice(element, "limited", options, "auto")
    if limited == "auto":
        if "range" in element.attributes and not compiler.limits_from_range:
            raise InputError(f"`limited` of {element.who} must be given: autolimits is off")
        limited = "true" if "range" in element.attributes else "false"
    if limited in ("false", "0"):
        return None, None
    low, high = numbers(element, "range", 2) * unit
    if not low < high:
        raise InputError(
            f"`range` of {element.who} must ascend, got {quote(element.attributes['range'])}"
        )
    return float(low), float(high)


def _first(element: Element, key: str, unread: list[str]) -> float:
    """The linear coefficient; higher ones are not read."""
    values = numbers(element, key, None, [0.0])
    if np.any(values[1:]):
        unread.append(f"nonlinear {key}")
    return float(values[0]) if len(values) else 0.0
