"""Which kernels of the jointed schemes `dovetail warmup` compiles."""

import numpy as np

from dovetail.kernels import (
    accelerations,
    euler_parameter_step,
    joined_bodies,
    joint_friction,
    lie_alpha_step,
    variational_step,
    wrench_answers,
)
from dovetail.kernels.warmup import warm, warm_later


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    parts = variational_step.bundled(variational_step.no_parts())
    alpha = lie_alpha_step.bundle_alpha(*lie_alpha_step.alpha_memory(0))
    carried, numbers = np.zeros((0, 6)), (0.0, 0.0, 0.0, 0.0)
    warm(accelerations.start, parts)
    warm(accelerations.reactions, parts, carried, 0.0)
    warm(joined_bodies.violation, parts)
    warm(joint_friction.row_mobility, parts, 0)
    warm(variational_step.step, 0.0, 0.0, 0, True, parts)
    warm(variational_step.move, 0.0, 0.0, 0, True, parts)
    warm(variational_step.close, 0.0, 0, True, parts)
    warm(variational_step.commit, parts)
    warm(lie_alpha_step.solve_step, 0.0, numbers, alpha, parts)
    warm(lie_alpha_step.commit, alpha, parts)
    order, y, weights = np.zeros(0, np.int64), np.zeros((0, 14)), np.zeros((4, 4))
    K = np.zeros((4, 0, 14))
    warm(euler_parameter_step.begin, parts, y)
    warm(euler_parameter_step.place, 0.0, weights, 0, y, K, y, parts)
    warm(euler_parameter_step.rates, 0, y, K, parts, carried, 0.0)
    warm(euler_parameter_step.combine, order, 0.0, weights, 0, y, K, y)
    warm(euler_parameter_step.all_stages, 0.0, weights, weights, y, K, y, y, parts, carried, 0.0)
    warm(euler_parameter_step.largest_error, 0.0, weights, 1.0, 1.0, parts, y, K)
    warm(euler_parameter_step.arrive, parts, True, y)
    nobody, turns, rows = np.zeros(0, np.int64), np.zeros((0, 3, 3)), np.zeros((0, 2, 6))
    warm(wrench_answers.wrench_answers, parts, rows, rows, turns, nobody, np.zeros((0, 0)))


warm_later(_register)
