"""Which kernels of the jointed schemes `dovetail warmup` compiles."""

from typing import Any

import numpy as np

from dovetail.integrators.euler_parameter_dae import stages
from dovetail.integrators.lie_generalized_alpha import step
from dovetail.integrators.shared import accelerations, joint_kernels, wrench_responses
from dovetail.integrators.variational import step as variational_step
from dovetail.multibody.constraints import bodies, joint_friction, rows
from dovetail.multibody.constraints.bodies import bundle_motion, zero_motion
from dovetail.runtime.warmup import warm, warm_later


def no_observed() -> Any:
    """A bundle of no joints, of the types every call has."""
    numbers, place, both = np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((2, 0, 3))
    return joint_kernels.bundle_observed(
        variational_step.bundled(variational_step.no_parts()), np.zeros(0, np.bool_), numbers,
        numbers, numbers, numbers, place, both, both, place, place,
    )  # fmt: skip


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    parts = variational_step.bundled(variational_step.no_parts())
    alpha = step.bundle_alpha(*step.alpha_memory(0, 0))
    carried, numbers = np.zeros((0, 6)), (0.0, 0.0, 0.0, 0.0)
    warm(accelerations.start, parts)
    warm(accelerations.reactions, parts, carried, 0.0)
    warm(bodies.violation, parts)
    some, place, rotation = np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3))
    nothing = np.zeros(0, np.int64)
    warm(
        bodies.push_rows, np.zeros((0, 2), np.int64), np.zeros(0, np.bool_), rotation,
        np.zeros((0, 2, 6)), nothing, some, place, place,
    )  # fmt: skip
    moves = np.zeros(0, np.bool_)
    warm(
        joint_kernels.fit_velocities, parts, moves, place, rotation, place, place, some, place,
        place,
    )  # fmt: skip
    warm(joint_kernels.observe_end, no_observed(), place, rotation, place, place, some)
    warm(joint_kernels.accelerate, parts, carried, some, place, place)
    potential = joint_kernels.bundle_potential_rows(*([nothing] + [some] * 13))
    warm(joint_kernels.potential_forces, potential, some, 0.0, 0.0, some)
    end = joint_kernels.bundle_rows_at_end(
        rows.bundle_rows(*rows.no_rows()), some, some, some, np.zeros((0, 2, 6)), some, nothing
    )
    warm(joint_kernels.end_rows, no_observed(), potential, end, place, rotation, 0.0, 0.0)
    warm(joint_kernels.set_rotor_rates, end, potential, place, place)
    warm(joint_kernels.observe_known, no_observed(), place, rotation, place, place)
    warm(rows.evaluate, rows.no_rows(), place, rotation, some, some, some, np.zeros((0, 2, 6)))
    pairs, G = np.zeros((0, 2), np.int64), np.zeros((0, 2, 6))
    warm(rows.row_rate, pairs, G, 0, place, place)
    warm(rows.bias, rows.no_rows(), place, rotation, place, place, some, some)
    warm(bodies.push, pairs, moves, rotation, G, 0, 0.0, place, place)
    warm(joint_friction.row_mobility, parts, 0)
    warm(variational_step.step, 0.0, 0.0, 0, True, parts)
    warm(variational_step.move, 0.0, 0.0, 0, True, parts)
    warm(variational_step.close, 0.0, 0, True, parts)
    warm(variational_step.commit, parts)
    warm(variational_step.mechanical_energy, parts)
    kept = bundle_motion(*zero_motion(0, 0))
    warm(variational_step.keep, parts, kept)
    warm(variational_step.take_back, parts, kept)
    warm(variational_step.dissipate, 0.0, some, parts)
    warm(step.solve_step, 0.0, numbers, alpha, parts)
    warm(step.commit, alpha, parts)
    order, y, weights = np.zeros(0, np.int64), np.zeros((0, 14)), np.zeros((4, 4))
    K = np.zeros((4, 0, 14))
    warm(stages.begin, parts, y)
    warm(stages.place, 0.0, weights, 0, y, K, y, parts)
    warm(stages.rates, 0, y, K, parts, carried, 0.0)
    warm(stages.combine, order, 0.0, weights, 0, y, K, y)
    warm(stages.all_stages, 0.0, weights, weights, y, K, y, y, parts, carried, 0.0)
    warm(stages.largest_error, 0.0, weights, 1.0, 1.0, parts, y, K)
    warm(stages.finish, parts, True, y)
    nobody, sides = np.zeros(0, np.int64), np.zeros((0, 2, 6))
    warm(wrench_responses.wrench_responses, parts, sides, sides, rotation, nobody, np.zeros((0, 0)))


warm_later(_register)
