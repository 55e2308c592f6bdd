"""Which models RATTLie can step over their tree of joints."""

import numpy as np

from dovetail.model.frozen import DYNAMIC, GROUND, KINEMATIC, STATIC, Model
from dovetail.model.joints.actuation import Actuation, takes_state
from dovetail.model.loads import FunctionLoad, SpringDamper


def suits(model: Model) -> bool:
    """Whether `TreeStepper` can step the model: moved by forces, held by joints, nothing else."""
    if (
        model.couplings
        or (model.motion == KINEMATIC).any()
        or model.fixed[model.motion == DYNAMIC].any()
    ):
        return False
    for placed in model.joints:
        if placed.joint.point_b is not None or placed.joint.axis_b is not None:
            return False
        for coordinate, entry in zip(
            placed.joint.coordinates, placed.joint.actuation, strict=False
        ):
            if takes_state(entry.motor) or not _can_hold(entry, coordinate.motion.has_values):
                return False
            if entry.stiffness and not coordinate.motion.has_values:
                return False
    for load in (placed.load for placed in model.loads):
        if isinstance(load, FunctionLoad) or (isinstance(load, SpringDamper) and load.damping):
            return False
    return _is_forest(model)


def _can_hold(entry: Actuation, has_values: bool) -> bool:
    """Whether limits, friction and a prescribed motion are such as a locked coordinate can have."""
    prescribed = isinstance(entry.motor, tuple | list) and entry.motor[0] != "effort"
    limited = entry.lower is not None or entry.upper is not None
    if not (entry.friction or limited or prescribed):
        return True
    passed = (entry.lower or 0.0) > 0.0 or (entry.upper or 0.0) < 0.0
    passed = passed and not entry.limit_stiffness
    fixed = limited and entry.lower == entry.upper
    unlimited = entry.effort_limit is None
    return has_values and not passed and not fixed and (not prescribed or unlimited)


def _is_forest(model: Model) -> bool:
    """Whether no joint closes a loop; static bodies are all ground."""
    static = [GROUND, *np.flatnonzero(model.motion == STATIC).tolist()]
    still = set(static)
    above = {body: body for body in range(model.n_bodies)} | dict.fromkeys(static, GROUND)

    def root(body: int) -> int:
        while above[body] != body:
            above[body] = above[above[body]]
            body = above[body]
        return body

    for placed in model.joints:
        a, b = root(placed.body_a), root(placed.body_b)
        between_static = {placed.body_a, placed.body_b} <= still
        if a == b and not between_static:
            return False
        if b == GROUND:
            a, b = b, a
        above[b] = a
    return True
