"""A model whose joints take efforts and targets between steps."""

from dataclasses import replace

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.joints import Actuation
from dovetail.model.joints.actuation import Steered
from dovetail.model.joints.equations import SPIN
from dovetail.multibody.constraints.joint_rows import coordinate_rows
from dovetail.multibody.constraints.row import Pair
from dovetail.multibody.state import initial_state
from dovetail.simulate.live.controls import Controls, SceneMotor, Servo


def steered(model: Model) -> tuple[Model, Controls]:
    """The model with a motor that can be steered on every coordinate that can have one."""
    state = initial_state(model)
    joints, controls = [], Controls(model.n_bodies)
    for j, placed in enumerate(model.joints):
        joint = placed.joint
        rows = coordinate_rows(joint, Pair(state, placed.body_a, placed.body_b))
        entries = [*joint.actuation, *[Actuation()] * (joint.freedoms - len(joint.actuation))]
        for i, (row, entry) in enumerate(zip(rows, entries)):
            prescribed = isinstance(entry.motor, tuple | list)
            locked = entry.lower is not None and entry.lower == entry.upper
            if row is None or prescribed or locked:
                continue
            entries[i], servo = _without_servo(entry)
            motor = None if entries[i].motor is None else SceneMotor(entries[i].motor)
            entries[i] = replace(entries[i], motor=Steered(None if motor is None else motor.given))
            controls.add((j, i), motor, entry.effort_limit, row.kind != SPIN)
            controls.servos.append(servo)
        joints.append(replace(placed, joint=replace(joint, actuation=tuple(entries))))
    controls.finish()
    return replace(model, joints=tuple(joints)), controls


def _without_servo(entry: Actuation) -> tuple[Actuation, Servo]:
    """The passive rest of an actuation, and the controller in it."""
    k, d, target = entry.servo_stiffness, entry.servo_damping, entry.servo_target
    if not (k or d):
        return entry, Servo()
    spring = entry.stiffness - k  # its rest: stiffness rest = spring rest' + k target
    passive = replace(
        entry,
        stiffness=spring,
        damping=entry.damping - d,
        rest=(entry.stiffness * entry.rest - k * target) / spring if spring > 0.0 else 0.0,
        motor=None,
        servo_stiffness=0.0,
        servo_damping=0.0,
        servo_target=0.0,
    )
    return passive, Servo(target, np.nan, k, d) if k else Servo(np.nan, target, k, d)
