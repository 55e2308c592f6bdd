"""The sliding rod on a Kelvin contact, beside the rigid one: large motion, stiff integration."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.runtime.extras import require
from dovetail.runtime.options import named_options
from dovetail.stability.kelvin import KelvinRun, _check
from dovetail.stability.rod import rod, rod_drive

Array = NDArray[np.float64]
GRAVITY = 9.81  # [m/s^2]
LARGEST = 10.0  # half lengths from the rigid motion at which a run has left it for good


@named_options
def kelvin_rod(
    theta: float, mu: float, eps: float, duration: float, theta_rate: float = 0.0,
    m: float = 1.0, l: float = 1.0, J1: float | None = None,
    c: float = 1.0, k: float = 1.0, gravity: float = GRAVITY, frames: int = 50,
) -> KelvinRun:  # fmt: skip
    """Coordinates (x, z, theta) of the rod sliding in a plane, its end sunk in to carry it.

    The normal force is lambda = -(c zc_dot / sqrt(eps) + k zc / eps), friction mu lambda along x
    for the whole run (`mu` signed as in `rod`). Starts with zc_dot = 0 and 1 % less force than the
    rigid contact's, which excites the boundary layer. The rigid motion keeps zc = 0. A run that
    leaves it by ten half lengths stops there; its last frame is repeated.
    """
    solve_ivp = require("scipy.integrate").solve_ivp
    _check(eps, duration, c, k)
    J1 = m * l * l / 3.0 if J1 is None else J1
    A = float(rod(theta, mu, m, l, J1).A)
    B = rod_drive(theta, theta_rate, -m * gravity, 0.0, m, l, J1)
    if not -B / A > 0:
        raise InputError(
            f"the rod must have a contact force -B/A > 0 to start from, got A = {A:g}, B = {B:g}; "
            "choose another theta, mu or theta_rate"
        )
    start = np.array([0.0, l * np.sin(theta), theta])
    rates = np.array([0.0, l * np.cos(theta) * theta_rate, theta_rate])
    sunk = start - [0.0, -eps / k * 0.99 * B / A, 0.0]
    frame_times = np.linspace(0.0, duration, frames + 1)

    def forced(state: Array, normal_force: float) -> Array:
        angle = state[2]
        arm = l * (mu * np.sin(angle) - np.cos(angle))
        acceleration = [
            mu * normal_force / m,
            normal_force / m - gravity,
            arm * normal_force / J1,
        ]
        return np.concatenate([state[3:], acceleration])

    def spring_force(state: Array) -> float:
        end = state[1] - l * np.sin(state[2])
        rate = state[4] - l * np.cos(state[2]) * state[5]
        return float(-(c * rate / np.sqrt(eps) + k * end / eps))

    def rigid_force(state: Array) -> float:
        at = rod(state[2], mu, m, l, J1).A
        return float(-rod_drive(state[2], state[5], -m * gravity, 0.0, m, l, J1) / at)

    def left(time: float, state: Array) -> float:
        return float(LARGEST * l - np.max(np.abs(state[:3] - start)))

    left.terminal = True  # type: ignore[attr-defined]
    options: dict[str, Any] = {"rtol": 1e-9, "t_eval": frame_times, "events": left}
    full = solve_ivp(
        lambda t, s: forced(s, spring_force(s)), (0.0, duration),
        np.concatenate([sunk, rates]), method="Radau", atol=1e-12 + 1e-6 * eps, **options,
    )  # fmt: skip
    rigid = solve_ivp(
        lambda t, s: forced(s, rigid_force(s)), (0.0, duration),
        np.concatenate([start, rates]), method="DOP853", atol=1e-12, **options,
    )  # fmt: skip
    states, rigid_states = _filled(full.y.T, frames + 1), _filled(rigid.y.T, frames + 1)
    run = KelvinRun(
        eps, frame_times, states[:, :3], rigid_states[:, :3],
        np.array([[spring_force(s)] for s in states]),
        np.array([[rigid_force(s)] for s in rigid_states]),
    )  # fmt: skip
    return replace(run, full=run.full / [l, l, 1.0], rigid=run.rigid / [l, l, 1.0])


def _filled(states: Array, count: int) -> Array:
    """The last state repeated up to `count`."""
    return np.concatenate([states, np.repeat(states[-1:], count - len(states), axis=0)])
