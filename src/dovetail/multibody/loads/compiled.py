"""Gravity, constant forces and springs of a model as the arrays the kernels read."""

import numpy as np

from dovetail.model.frozen import DYNAMIC, GROUND, Model
from dovetail.model.loads import ConstantForce, SpringDamper
from dovetail.model.values import Array
from dovetail.multibody.loads.wrenches import CompiledLoads
from dovetail.multibody.state import initial_state


def compile_loads(model: Model) -> CompiledLoads:
    """Arrays of all loads but functions.

    Attached points are kept in body axes; a missing rest length is the initial distance.
    """
    start = initial_state(model)
    n = model.n_bodies
    dynamic = model.motion == DYNAMIC
    force = np.where(dynamic, model.mass, 0.0)[:, None] * model.gravity
    torque, body_force, body_torque = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    points: list[tuple[int, Array, Array]] = []
    springs: list[SpringDamper] = []

    def attached(name: str, point: object) -> Array:
        """The arm of a world point from a body's centre of mass, body axes."""
        i = model.index(name)
        place = np.asarray(point, dtype=float)
        return place if i == GROUND else start.R[i].T @ (place - start.x[i])

    for placed in model.loads:
        load = placed.load
        if isinstance(load, SpringDamper):
            springs.append(load)
        elif isinstance(load, ConstantForce):
            i = model.index(load.body)
            f, tau = np.asarray(load.force, dtype=float), np.asarray(load.torque, dtype=float)
            arm = np.zeros(3) if load.point is None else attached(load.body, load.point)
            if load.frame == "body":
                body_force[i] += f
                body_torque[i] += tau + np.cross(arm, f)
            else:
                torque[i] += tau
                if load.point is None:
                    force[i] += f
                else:
                    points.append((i, arm, f))

    arms = np.array(
        [[attached(s.body_a, s.point_a), attached(s.body_b, s.point_b)] for s in springs]
    ).reshape(-1, 2, 3)
    return CompiledLoads(
        force=force,
        torque=torque,
        body_force=body_force,
        body_torque=body_torque,
        point_body=np.array([i for i, _, _ in points], dtype=np.int64),
        point_arm=np.array([arm for _, arm, _ in points]).reshape(-1, 3),
        point_force=np.array([f for _, _, f in points]).reshape(-1, 3),
        spring_bodies=np.array(
            [[model.index(s.body_a), model.index(s.body_b)] for s in springs], dtype=np.int64
        ).reshape(-1, 2),
        spring_arms=arms,
        spring_values=np.array(
            [[s.stiffness, s.damping, _rest_length(s)] for s in springs], dtype=np.float64
        ).reshape(-1, 3),
    )


def _rest_length(spring: SpringDamper) -> float:
    """[m] as given, or the distance of the points as given at the start."""
    if spring.rest_length is not None:
        return float(spring.rest_length)
    between = np.asarray(spring.point_a, dtype=float) - np.asarray(spring.point_b, dtype=float)
    return float(np.linalg.norm(between))
