"""Friction curves: the coefficient of friction as a function of the slip speed.

A number and (mu_s, mu_d, v_s, v_d) need no curve. Everything else is an object with
`coefficient(speed)`, given as it is, or by the name under which it is registered:
{"smooth-coulomb": {"mu_s": 0.4, ...}}.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dovetail.errors import InputError, error_text
from dovetail.model.values import Array, Mistakes, not_negative, positive, quote
from dovetail.runtime.registry import Registry

# What (mu_s, mu_d, v_s, v_d) means under every contact method is `smooth_coulomb` below, which
# `contact.friction_curve` compiles as it stands.
STICKING_SPEED = 1e-3  # [m/s] below which force laws let friction go to zero
TRIED_SPEEDS = np.array([0.0, 1e-6, 1e-3, 0.1, 1.0, 100.0])  # [m/s]


def smooth_coulomb(speed: Any, mu_s: Any, mu_d: Any, v_s: Any, v_d: Any) -> Any:
    """Mu at a slip speed [m/s]: mu_s up to v_s, mu_d from v_d on, and a cubic between.

    Zhang et al. 2024, eq. 38. It is level at both ends, so that friction forces have a derivative
    everywhere: methods that follow from a smooth problem (SDF, IPC) need that, and others lose
    nothing by it.
    """
    if mu_s == mu_d or speed <= v_s:
        return mu_s
    if speed >= v_d:
        return mu_d
    s = (speed - v_s) / (v_d - v_s)
    return mu_s + (mu_d - mu_s) * s * s * (3.0 - 2.0 * s)


@runtime_checkable
class FrictionCurve(Protocol):
    """mu of a slip speed.

    A force law needs friction that is continuous at rest: it multiplies mu by a smooth step from 0
    to 1 up to the curve's `sticking_speed` [m/s], 1 mm/s where it has none.
    """

    def coefficient(self, speed: Array) -> Array:
        """(m,) mu >= 0 at slip speeds (m,) >= 0 [m/s]."""


@dataclass(frozen=True)
class SmoothCoulomb:
    """mu_s up to v_s [m/s], mu_d from v_d on, and a cubic between (Zhang et al. 2024, eq. 38)."""

    mu_s: float
    mu_d: float
    v_s: float = STICKING_SPEED
    v_d: float = 2 * STICKING_SPEED

    def __post_init__(self) -> None:
        found = Mistakes()
        for name in ("mu_s", "mu_d"):
            found.take(not_negative, getattr(self, name), f"`{name}`")
        for name in ("v_s", "v_d"):
            found.take(positive, getattr(self, name), f"`{name}`", "m/s")
        if not found and not (self.mu_d <= self.mu_s and self.v_s < self.v_d):
            found.append(f"mu_d <= mu_s and v_s < v_d must hold, got {quote(self)}")
        found.raise_if_any()

    @property
    def sticking_speed(self) -> float:
        return float(self.v_s)

    def coefficient(self, speed: Array) -> Array:
        numbers = (self.mu_s, self.mu_d, self.v_s, self.v_d)
        return np.array([smooth_coulomb(v, *numbers) for v in speed], float)


def _mistakes(entry: Any) -> list[str]:
    has = callable(getattr(entry, "coefficient", None))
    return [] if has else ["must have `coefficient(speed)`"]


FRICTION_CURVES = Registry(
    "friction curve",
    "dovetail.friction_curves",
    {"smooth-coulomb": SmoothCoulomb},
    _mistakes,
)


def curve_of(friction: Any) -> FrictionCurve | None:
    """The curve that a friction value is or names; None for numbers and what is no curve."""
    if isinstance(friction, Mapping):
        made: FrictionCurve = FRICTION_CURVES.resolve(friction)
        return made
    return friction if isinstance(friction, FrictionCurve) else None


def checked_curve(friction: Any, what: str) -> FrictionCurve:
    """The curve of `friction`; InputError where it does not give coefficients."""
    curve = curve_of(friction)
    assert curve is not None
    try:
        mu = np.asarray(curve.coefficient(TRIED_SPEEDS.copy()), dtype=float)
    except Exception as error:
        raise InputError(f"{what}: `coefficient` failed: {error_text(error)}") from error
    if mu.shape != TRIED_SPEEDS.shape or not (np.isfinite(mu).all() and (mu >= 0).all()):
        raise InputError(
            f"{what}: `coefficient` must return one mu >= 0 for each speed, got {quote(mu)} for "
            f"{TRIED_SPEEDS.tolist()} m/s"
        )
    return curve


def sticking_ramp(speed: Array, sticking_speed: float) -> Array:
    """(m,) a smooth step from 0 at rest to 1 at `sticking_speed` (Zhang et al. 2024, eq. 38)."""
    s = 0.5 * (np.minimum(speed / sticking_speed, 1.0) + 1.0)
    return np.asarray(2.0 * (3.0 - 2.0 * s) * s * s - 1.0)
