"""Checks of the state that jointed bodies start from: do poses and velocities fit the joints?"""

import warnings

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints.bodies import JOINT, LIMIT, MOTOR
from dovetail.multibody.state import BodyState

NOTABLE = 1e-9  # relative change of the starting velocities that counts


def report_correction(given: BodyState, found: BodyState, length: float) -> None:
    """Warn where joints changed the velocities that were given; `length` [m] is of the scene."""
    if are_changed(given, found, length):
        change = np.abs(found.v - given.v).max(initial=0.0)
        spin_change = np.abs(found.omega - given.omega).max(initial=0.0)
        warnings.warn(
            "the starting velocities did not fit the joints and were changed to the nearest "
            f"that do (by up to {change:.3g} m/s and {spin_change:.3g} rad/s)",
            stacklevel=2,
        )


def are_changed(given: BodyState, found: BodyState, length: float) -> bool:
    """Whether velocities differ from those that were given, in a scene of `length` [m].

    Where none were, it is motors and kinematic bodies that set the rest in motion: as it must be.
    """
    change, spin_change = found.v - given.v, found.omega - given.omega
    return _size(change, spin_change, length) > NOTABLE * _size(given.v, given.omega, length) > 0.0


def _size(v: Array, omega: Array, length: float) -> float:
    """[m/s] the largest component, of rotations at the `length` [m]."""
    return float(max(np.abs(v).max(initial=0.0), length * np.abs(omega).max(initial=0.0)))


def refuse_violated_start(model: Model, system: ConstrainedSystem, phi: Array) -> None:
    """Raise InputError for motors and limits that do not hold at the initial pose."""
    length, role = float(system.constants.length[0]), system.constants.role
    over = np.where(role == LIMIT, np.maximum(system.constants.side * phi, 0), 0.0)
    off = np.abs(phi) * ((role == JOINT) | (role == MOTOR)) + over
    mistakes = []
    for r in np.flatnonzero(off > 1e-9 * max(1.0, length)):
        if role[r] == JOINT and system.ordered[r].coupling >= 0:
            what = "`offset` must hold"
        else:
            held = role[r] == LIMIT or system.ordered[r].bound != 0.0
            what = "limits must hold" if held else "motor must start"
        mistakes.append(
            f"{system.ordered[r].owner}: its {what} at the initial pose, where every coordinate is "
            f"0, but is off by {off[r]:.3g} (m or rad)"
        )
    if mistakes:
        raise InputError(mistakes)
