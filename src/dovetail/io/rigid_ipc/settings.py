"""How a rigid-ipc scene asks to be run, as our run settings."""

from typing import Any

import numpy as np

from dovetail.io.rigid_ipc.section import Section, flag, whole_number
from dovetail.io.run_settings import Choice, RunSettings
from dovetail.model.values import not_negative, number, positive, quote

DEFAULT_STEPS = 1000
MAX_STEPS = 100_000_000


def duration_and_step(top: Section) -> tuple[float, float]:
    """`max_time` rounded up to whole steps, else `max_iterations` steps, else 1000."""
    step = top.take("timestep", 0.01, positive, "s")
    longest = top.take("max_time", -1, number, "s")
    count = top.take("max_iterations", -1, whole_number)
    step = 0.01 if step is None else step
    steps = float(DEFAULT_STEPS)
    if longest is not None and longest >= 0:
        steps = float(np.ceil(longest / step - 1e-9))
    elif count is not None and count >= 0:
        steps = float(count)
    if not steps <= MAX_STEPS:
        top.found.append(f"the run must have at most {MAX_STEPS} steps, got {steps:g}")
        steps = 0.0
    return steps * step, step


def run_settings(
    top: Section, problem: Section, duration: float, step: float, notes: list[str]
) -> RunSettings:
    """Contact options of the IPC method: `dhat`, `min_separation` [m], `eps_v` [m/s], ..."""
    barrier = top.section("distance_barrier_constraint")
    lagging = top.section("friction_constraints")
    newton = top.section("ipc_solver")
    options: dict[str, Any] = {
        "friction": problem.take("coefficient_friction", 0, not_negative),
        "dhat": barrier.take("initial_barrier_activation_distance", 1e-3, positive, "m"),
        "min_separation": barrier.take("minimum_separation_distance", 0, not_negative, "m"),
        "eps_v": lagging.take("static_friction_speed_bound", 1e-3, positive, "m/s"),
    }
    if lagging.has("iterations"):
        lags = lagging.take("iterations", 1, whole_number)
        if lags == 0 and options["friction"]:
            notes.append("friction is off: `iterations` of `friction_constraints` is 0")
            options["friction"] = 0.0
    if newton.has("velocity_conv_tol"):
        tolerance = newton.take("velocity_conv_tol", 1e-2, positive)
        absolute = newton.take("is_velocity_conv_tol_abs", False, flag)
        key = "velocity_tolerance" if absolute else "relative_velocity_tolerance"
        options[key] = tolerance
    if newton.has("max_iterations"):
        options["max_newton_iterations"] = newton.take("max_iterations", 3000, whole_number)
    restitution = problem.take("coefficient_restitution", 0, number)
    if restitution is not None and restitution > 0:
        notes.append("`coefficient_restitution` has no effect: the method has no rebound law")
    stepper = problem.value("time_stepper", None)
    if stepper not in (None, "default", "implicit_euler"):
        notes.append(f"`time_stepper` {quote(stepper)} is not followed: choose an integrator")
    for ignored in ("do_intersection_check", "collision_eps"):
        problem.value(ignored, None)
    for ignored in ("detection_method", "trajectory_type", "barrier_type"):
        barrier.value(ignored, None)
    return RunSettings(duration=duration, step=step, contact=Choice("ipc", options))
