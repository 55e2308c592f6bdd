"""A model whose joints take efforts and targets between steps."""

from dataclasses import replace

from dovetail.model.frozen import Model
from dovetail.model.joints import Actuation
from dovetail.model.joints.actuation import Steered
from dovetail.model.joints.equations import SPIN
from dovetail.multibody.constraints.joint_rows import coordinate_rows
from dovetail.multibody.constraints.row import Pair
from dovetail.multibody.state import initial_state
from dovetail.simulate.live.controls import Controls, SceneMotor


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
            motor = None if entry.motor is None else SceneMotor(entry.motor)
            entries[i] = replace(entry, motor=Steered(None if motor is None else motor.given))
            controls.add((j, i), motor, entry.effort_limit, row.kind != SPIN)
        joints.append(replace(placed, joint=replace(joint, actuation=tuple(entries))))
    controls.finish()
    return replace(model, joints=tuple(joints)), controls
