"""Actuators of a compiled model as what they do at their controls.

The force of an actuator on its joint, with gear g, control u and coordinate q, is
    g (k u + b_0 + b_1 g q + b_2 g v)
for gains and biases that are constant or affine. That is a constant C, a stiffness K = -b_1 g^2 and
a damping D = -b_2 g^2.
"""

from collections import defaultdict
from dataclasses import dataclass
from math import inf

import numpy as np

from dovetail.io.mjcf.compiled import Compiled

JOINT, JOINT_IN_PARENT, SLIDER_CRANK, TENDON = range(4)  # mjtTrn
FIXED, AFFINE = 0, 1  # mjtGain
NO_BIAS, AFFINE_BIAS = 0, 1  # mjtBias
HINGE, SLIDE = 3, 2  # mjtJoint


@dataclass
class Servo:
    """What the actuators of one joint do together: C - K q - D v, within limits."""

    constant: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    rotor_damping: float = 0.0  # whatever the control
    armature: float = 0.0  # of rotors
    ranges: tuple[tuple[float, float], ...] = ()  # of the efforts of its actuators
    names: tuple[str, ...] = ()

    @property
    def pulls(self) -> bool:
        return bool(self.stiffness or self.damping)

    @property
    def effort_limit(self) -> float | None:
        """The largest effort both ways; None where there is none, or none that can be kept."""
        if not any(abs(end) < inf for ends in self.ranges for end in ends):
            return None
        if self.pulls:
            return self.ranges[0][1] if self._is_kept else None
        return sum(max(abs(low), abs(high)) for low, high in self.ranges)

    @property
    def _is_kept(self) -> bool:
        return len(self.ranges) == 1 and -self.ranges[0][0] == self.ranges[0][1]

    def ranges_left_out(self, on_tendon: bool) -> list[str]:
        """Actuators whose force ranges cannot be kept: not equal both ways, or one of several."""
        if not self.pulls or (self._is_kept and not on_tendon):
            return []
        limited = [ends != (-inf, inf) for ends in self.ranges]
        return [f"actuator {n} (its force range)" for n, one in zip(self.names, limited) if one]


@dataclass
class Servos:
    """Servos by joint and by tendon, and what is left out."""

    joints: dict[int, Servo]
    tendons: dict[int, Servo]
    left_out: list[str]

    def names(self) -> list[str]:
        return [n for servo in (*self.joints.values(), *self.tendons.values()) for n in servo.names]


def read_actuators(compiled: Compiled) -> Servos:
    """What all actuators do at their controls."""
    model = compiled.model
    found = Servos(defaultdict(Servo), defaultdict(Servo), [])
    for number in range(getattr(model, "nactuator", model.nu)):
        name = compiled.label("actuator", number)
        reason = _unreadable(compiled, number)
        if reason:
            found.left_out.append(f"actuator {name} ({reason})")
            continue
        on = found.tendons if int(model.actuator_trntype[number]) == TENDON else found.joints
        servo = on[int(model.actuator_trnid[number, 0])]
        _add_passive(compiled, number, servo, name, found.left_out)
        if _is_on(compiled, number):
            _add(compiled, number, servo, name, found.left_out)
    for number in range(model.njnt):
        if model.jnt_actfrclimited[number] and number in found.joints:
            _limit_sum(compiled, number, found.joints[number], found.left_out)
    for servos in (found.joints, found.tendons):
        for servo in servos.values():
            found.left_out += servo.ranges_left_out(servos is found.tendons)
    return found


def _limit_sum(compiled: Compiled, joint: int, servo: Servo, left_out: list[str]) -> None:
    """The range of a joint for what all its actuators do together (`actuatorfrcrange`)."""
    low, high = (float(end) for end in compiled.model.jnt_actfrcrange[joint])
    if not servo.names or not low <= high:
        return
    if not servo.pulls:
        servo.constant = min(max(servo.constant, low), high)
        servo.ranges = ((low, high),)
    elif len(servo.ranges) == 1:
        ((least, most),) = servo.ranges
        servo.ranges = ((max(low, least), min(high, most)),)
    else:
        left_out.append(f"actuatorfrcrange (joint {compiled.label('joint', joint)})")


def _is_on(compiled: Compiled, number: int) -> bool:
    """Whether neither a flag nor its group turns an actuator off."""
    group = int(compiled.model.actuator_group[number])
    off = 0 <= group < 31 and int(compiled.model.opt.disableactuator) >> group & 1
    return not off and not compiled.disabled("actuation")


def _add_passive(
    compiled: Compiled, number: int, servo: Servo, name: str, left_out: list[str]
) -> None:
    """The rotor and the damper of an actuator, which turn g times as fast as its joint."""
    model = compiled.model
    gear = float(model.actuator_gear[number, 0])
    armature = float(getattr(model, "actuator_armature", np.zeros(number + 1))[number])
    damping = float(getattr(model, "actuator_damping", np.zeros(number + 1))[number])
    servo.armature += gear**2 * armature
    if not compiled.disabled("damper"):
        servo.rotor_damping += gear**2 * damping
    if np.any(getattr(model, "actuator_dampingpoly", np.zeros((number + 1, 1)))[number]):
        left_out.append(f"dampingpoly (actuator {name})")
    delay = float(getattr(model, "actuator_delay", np.zeros(number + 1))[number])
    if delay and compiled.control(number):
        left_out.append(f"actuator {name} (its delay)")


def _unreadable(compiled: Compiled, number: int) -> str:
    """Why an actuator cannot be followed; empty where it can."""
    model = compiled.model
    target = int(model.actuator_trntype[number])
    if int(getattr(model, "actuator_ctrlnum", np.ones(number + 1))[number]) != 1:
        return "it has several controls"
    if not np.any(model.actuator_gear[number]):
        return "its gear is 0"
    if target not in (JOINT, JOINT_IN_PARENT, TENDON):
        return "it does not act on a joint"
    kind = HINGE if target == TENDON else int(model.jnt_type[model.actuator_trnid[number, 0]])
    if kind not in (HINGE, SLIDE):
        return "it acts on a ball or free joint"
    if int(model.actuator_gaintype[number]) not in (FIXED, AFFINE):
        return "its gain is a muscle's or the user's"
    if int(model.actuator_biastype[number]) not in (NO_BIAS, AFFINE_BIAS):
        return "its bias is a muscle's or the user's"
    if int(model.actuator_gaintype[number]) == AFFINE and np.any(
        model.actuator_gainprm[number, 1:3]
    ):
        if compiled.control(number):
            return "its gain changes with the joint"
    return ""


def _add(compiled: Compiled, number: int, servo: Servo, name: str, left_out: list[str]) -> None:
    model = compiled.model
    gear = float(model.actuator_gear[number, 0])
    gain = float(model.actuator_gainprm[number, 0])
    bias = np.zeros(3)
    if int(model.actuator_biastype[number]) == AFFINE_BIAS:
        bias = model.actuator_biasprm[number, :3]
    active = int(model.actuator_dyntype[number]) != 0
    control = 0.0 if active else float(compiled.control(number))
    stiffness, damping = -float(bias[1]) * gear**2, -float(bias[2]) * gear**2
    if stiffness < 0 or damping < 0:
        left_out.append(f"actuator {name} (it drives its joint away or along)")
        return
    constant, low, high = gear * (gain * control + float(bias[0])), -inf, inf
    if model.actuator_forcelimited[number]:
        low, high = sorted(gear * float(end) for end in model.actuator_forcerange[number])
        if not (stiffness or damping):
            constant = min(max(constant, low), high)
    servo.ranges = (*servo.ranges, (low, high))
    servo.constant += constant
    servo.stiffness += stiffness
    servo.damping += damping
    servo.names = (*servo.names, name)
    if active and compiled.control(number):
        left_out.append(f"actuator {name} (its activation stays zero)")
