"""Joints of a compiled model as movements, with what acts on them."""

import numpy as np

from dovetail.io.link_trees.link import Movement
from dovetail.io.mjcf.actuators import Servo
from dovetail.io.mjcf.compiled import Compiled
from dovetail.model.joints import Actuation
from dovetail.model.scene import Scene

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's numbers for the types of joints (mjtJoint)."""


def movements_of(
    compiled: Compiled, body: int, servos: dict[int, Servo], left_out: list[str]
) -> tuple[list[Movement], bool]:
    """The movements of a body, those next to its parent first, and whether it is free."""
    model = compiled.model
    start, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    numbers = range(start, start + count) if count else range(0)
    movements = []
    for joint in numbers:
        kind = int(model.jnt_type[joint])
        if kind == FREE:
            _note_free(compiled, joint, left_out)
            return [], True
        movements.append(_movement(compiled, joint, kind, servos.get(joint, Servo()), left_out))
    return movements, False


def joint_name(compiled: Compiled, joint: int) -> str:
    """Its own name, or that of its body with its place among the body's joints."""
    name = compiled.name("joint", joint)
    if name:
        return compiled.label("joint", joint)
    model = compiled.model
    body = int(model.jnt_bodyid[joint])
    place = joint - int(model.body_jntadr[body])
    spare = f"{compiled.label('body', body)[:180]} joint"
    return spare if int(model.body_jntnum[body]) == 1 else f"{spare} {place + 1}"


def start_coordinates(compiled: Compiled, scene: Scene) -> dict[str, float]:
    """Coordinates of hinges and slides at the start, as the file counts them."""
    model, found = compiled.model, {}
    for joint in range(model.njnt):
        name = joint_name(compiled, joint)
        if int(model.jnt_type[joint]) in (HINGE, SLIDE) and name in scene.joints:
            found[name] = float(compiled.data.qpos[int(model.jnt_qposadr[joint])])
    return found


def _movement(
    compiled: Compiled, joint: int, kind: int, servo: Servo, left_out: list[str]
) -> Movement:
    name = joint_name(compiled, joint)
    data = compiled.data
    point, axis = data.xanchor[joint].copy(), data.xaxis[joint].copy()
    if kind == BALL:
        return Movement(name, "ball", point, axis, _ball(compiled, joint, name, left_out))
    own = _actuation(compiled, joint, name, servo, left_out)
    acting = () if own == Actuation() else (own,)
    return Movement(name, "rotation" if kind == HINGE else "translation", point, axis, acting)


def _actuation(
    compiled: Compiled, joint: int, name: str, servo: Servo, left_out: list[str]
) -> Actuation:
    """What acts on a coordinate that is zero at the initial pose, q in the file being q_0 there.

    Spring and servo together are C - K q - D v with K the sum of both, so their rest is C / K.
    """
    model = compiled.model
    dof = int(model.jnt_dofadr[joint])
    start = float(compiled.data.qpos[int(model.jnt_qposadr[joint])])
    lower = upper = None
    if model.jnt_limited[joint] and not compiled.disabled("limit"):
        lower, upper = (float(value) - start for value in model.jnt_range[joint])
    spring = 0.0 if compiled.disabled("spring") else float(model.jnt_stiffness[joint])
    damping = 0.0 if compiled.disabled("damper") else float(model.dof_damping[dof])
    friction = 0.0 if compiled.disabled("frictionloss") else float(model.dof_frictionloss[dof])
    reference = float(model.qpos_spring[int(model.jnt_qposadr[joint])])
    stiffness = spring + servo.stiffness
    constant = servo.constant + spring * reference
    for what in ("jnt_stiffnesspoly", "dof_dampingpoly"):
        row = joint if what.startswith("jnt") else dof
        if np.any(getattr(model, what, np.zeros((row + 1, 1)))[row]):
            left_out.append(f"{what.partition('_')[2]} (joint {name})")
    motor = None
    if servo.names and not stiffness:
        motor = constant
    return Actuation(
        lower=lower,
        upper=upper,
        stiffness=stiffness,
        damping=damping + servo.damping + servo.rotor_damping,
        rest=constant / stiffness - start if stiffness else 0.0,
        friction=friction,
        armature=float(model.dof_armature[dof]) + servo.armature,
        **_soft(compiled, joint, lower, upper),
        motor=motor,
        effort_limit=servo.effort_limit,
        **_controller(servo, start),
    )


def _controller(servo: Servo, start: float) -> dict[str, float]:
    """The part of spring and damper that follows a control."""
    if servo.stiffness:
        target = servo.constant / servo.stiffness - start
    elif servo.damping:
        target = servo.constant / servo.damping
    else:
        return {}
    return {
        "servo_stiffness": servo.stiffness,
        "servo_damping": servo.damping,
        "servo_target": target,
    }


def _soft(
    compiled: Compiled, joint: int, lower: float | None, upper: float | None
) -> dict[str, float]:
    """The limits of a joint as they give in MuJoCo (Computation, Solver parameters).

    Beyond a limit by r it asks for an acceleration -b r' - k d r with k = 1 / (d_max t z)^2 and
    b = 2 / (d_max t) of `solreflimit` (t, z), and takes the force f = (a_ref - a) / R, never
    pulling, with R = (1 - d) / d times the constant inverse inertia of the coordinate. So f is that
    of a spring, a damper and an inertia 1 / R. The impedance d is that beyond the width of
    `solimplimit`, which is as a rule a thousandth.
    """
    model = compiled.model
    inverse = float(model.dof_invweight0[int(model.jnt_dofadr[joint])])
    if (lower is None and upper is None) or not inverse > 0.0:
        return {}
    reference, impedance = model.jnt_solref[joint], model.jnt_solimp[joint]
    d = min(max(float(impedance[1]), 1e-4), 0.9999)
    if reference[0] > 0:
        time = float(reference[0])
        if not compiled.disabled("refsafe"):
            time = max(time, 2.0 * float(model.opt.timestep))
        k, b = 1.0 / (d * time * float(reference[1])) ** 2, 2.0 / (d * time)
    else:
        k, b = -float(reference[0]) / d**2, -float(reference[1]) / d
    inertia = d / (1.0 - d) / inverse
    return {
        "limit_stiffness": inertia * k * d,
        "limit_damping": inertia * b,
        "limit_inertia": inertia,
    }


def _ball(compiled: Compiled, joint: int, name: str, left_out: list[str]) -> tuple[Actuation, ...]:
    """Of a ball joint damping and armature are followed, which are the same about all axes."""
    model = compiled.model
    dof = int(model.jnt_dofadr[joint])
    for what, value in (
        ("range", model.jnt_limited[joint]),
        ("stiffness", model.jnt_stiffness[joint]),
        ("frictionloss", model.dof_frictionloss[dof]),
    ):
        if value:
            left_out.append(f"{what} (ball joint {name})")
    damping = 0.0 if compiled.disabled("damper") else float(model.dof_damping[dof])
    acting = Actuation(damping=damping, armature=float(model.dof_armature[dof]))
    return () if acting == Actuation() else (acting,) * 3


def _note_free(compiled: Compiled, joint: int, left_out: list[str]) -> None:
    model, name = compiled.model, joint_name(compiled, joint)
    dof = int(model.jnt_dofadr[joint])
    for what in ("damping", "armature", "frictionloss"):
        if np.any(getattr(model, f"dof_{what}")[dof : dof + 6]):
            left_out.append(f"{what} (free joint {name})")
