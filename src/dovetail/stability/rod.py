"""The paper's rod of length 2 l with one end on the ground: sliding and rolling.

Source: Xu, Dai, Xie, Li, eqs. 34-40 and figs. 2-4. The touching end is at
x_c = x - l cos(theta) cos(psi), z_c = z - l sin(theta): the centre leans over to +x of it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.errors import InputError
from dovetail.runtime.options import named_options

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SlidingRod:
    """a_N = A lambda_N + B of the sliding end (eq. 35), and D = A (eq. 36) [1/kg].

    `rounding` is the size of the terms of A times 1e-14: |A| below it counts as zero.
    """

    A: Any
    D: Any
    rounding: Any

    @property
    def stable(self) -> Any:
        """Whether contact is stable: D > 0."""
        return np.greater(self.D, self.rounding)


@named_options
def rod(
    theta: ArrayLike, mu: ArrayLike, m: float = 1.0, l: float = 1.0, J1: float | None = None
) -> SlidingRod:
    """A = D = 1/m + l^2 cos(theta) (cos(theta) - mu sin(theta)) / J1 of the sliding rod.

    theta [rad] from the ground, arrays welcome; m [kg]; l half the length [m]; J1 [kg m^2],
    m l^2 / 3 where None. `mu` is the mu_s = -mu sgn(xc_dot) of eq. 34: > 0 where friction pushes
    the end towards the centre, so that the rod may jam; < 0 where it slips in the other direction.
    The horizontal axis of fig. 3, mu sgn(xc_dot), is -mu.
    """
    J1 = m * l * l / 3.0 if J1 is None else J1
    _check_sizes(m=(m, "kg"), l=(l, "m"), J1=(J1, "kg m^2"))
    angle, friction = _numbers(theta, "theta", "rad"), _numbers(mu, "mu", "")
    try:
        np.broadcast_shapes(angle.shape, friction.shape)
    except ValueError:
        raise InputError(
            "`theta` and `mu` must be numbers or arrays of matching shapes, got shapes "
            f"{angle.shape} and {friction.shape}; for a map pass theta[:, None] and mu"
        ) from None
    cosine, sine = np.cos(angle), np.sin(angle)
    rotation = l * l / J1  # inverse effective mass of the rotation
    A = 1.0 / m + rotation * cosine * (cosine - friction * sine)
    size = 1.0 / m + rotation * np.abs(cosine) * (np.abs(cosine) + np.abs(friction * sine))
    return SlidingRod(A, A, 1e-14 * size)


@named_options
def rod_drive(
    theta: float, theta_rate: float = 0.0, Fz: float = 0.0, F_theta: float = 0.0,
    m: float = 1.0, l: float = 1.0, J1: float | None = None,
) -> float:  # fmt: skip
    """B = l theta_dot^2 sin(theta) + Fz / m - l cos(theta) F_theta / J1 [m/s^2] (eq. 35).

    The acceleration of the end away from the ground without contact; Fz = -m g under gravity.
    """
    J1 = m * l * l / 3.0 if J1 is None else J1
    _check_sizes(m=(m, "kg"), l=(l, "m"), J1=(J1, "kg m^2"))
    return float(l * theta_rate**2 * np.sin(theta) + Fz / m - l * np.cos(theta) * F_theta / J1)


@named_options
def rod_tip(m: float = 1.0, l: float = 1.0, J1: float | None = None) -> tuple[float, float]:
    """(theta [rad], |mu|) where the unstable region of the sliding rod begins.

    The least A over theta is 1/m + l^2 (1 - sqrt(1 + mu^2)) / (2 J1), at tan(2 theta) = -mu: zero
    at sqrt(1 + mu^2) = 1 + 2 J1 / (m l^2). With J1 = m l^2 / 3, |mu| = 4/3 and tan(theta) = 2.
    """
    J1 = m * l * l / 3.0 if J1 is None else J1
    _check_sizes(m=(m, "kg"), l=(l, "m"), J1=(J1, "kg m^2"))
    root = 1.0 + 2.0 * J1 / (m * l * l)
    mu = float(np.sqrt(root * root - 1.0))
    return 0.5 * (np.pi - float(np.arctan(mu))), mu


@dataclass(frozen=True)
class RollingRod:
    """The boundary layer of the rolling end: D (..., 3, 3) of eq. 39, its eigenvalues (..., 3)."""

    D: Array
    eigenvalues: Array  # ascending, computed from D
    published: Array  # eq. 40: 1/m, 1/m + l^2/J1, 1/m + l^2 cos(theta)^2/J2


@named_options
def rolling_rod(
    theta: ArrayLike, psi: ArrayLike, m: float = 1.0, l: float = 1.0,
    J1: float | None = None, J2: float | None = None,
) -> RollingRod:  # fmt: skip
    """D = Phi_q M^-1 Phi_q^T of the rolling rod with M = diag(m, m, m, J1, J2) (eqs. 37-40).

    theta, psi [rad], arrays welcome; J1, J2 [kg m^2] are m l^2 / 3 where None.
    """
    J1 = m * l * l / 3.0 if J1 is None else J1
    J2 = m * l * l / 3.0 if J2 is None else J2
    _check_sizes(m=(m, "kg"), l=(l, "m"), J1=(J1, "kg m^2"), J2=(J2, "kg m^2"))
    angle, azimuth = np.broadcast_arrays(
        _numbers(theta, "theta", "rad"), _numbers(psi, "psi", "rad")
    )
    jacobian = rolling_jacobian(angle, azimuth, l)
    D = (jacobian / np.array([m, m, m, J1, J2])) @ np.swapaxes(jacobian, -1, -2)
    one = np.ones_like(angle) / m
    published = np.stack([one, one + l * l / J1, one + l * l * np.cos(angle) ** 2 / J2], axis=-1)
    return RollingRod(D, np.linalg.eigvalsh(D), published)


def rolling_jacobian(theta: ArrayLike, psi: ArrayLike, l: float = 1.0) -> Array:
    """Phi_q (..., 3, 5) of eq. 37: rows N, T, O over (x, y, z, theta, psi)."""
    angle, azimuth = np.broadcast_arrays(np.asarray(theta, float), np.asarray(psi, float))
    rows = np.zeros((*angle.shape, 3, 5))
    rows[..., 0, 2] = rows[..., 1, 1] = rows[..., 2, 0] = 1.0
    rows[..., 0, 3] = -l * np.cos(angle)
    rows[..., 1, 3] = l * np.sin(angle) * np.sin(azimuth)
    rows[..., 2, 3] = l * np.sin(angle) * np.cos(azimuth)
    rows[..., 1, 4] = -l * np.cos(angle) * np.cos(azimuth)
    rows[..., 2, 4] = l * np.cos(angle) * np.sin(azimuth)
    return rows


def _check_sizes(**sizes: tuple[Any, str]) -> None:
    mistakes = [
        f"`{name}` of the rod must be > 0 {unit}, got {value!r}"
        for name, (value, unit) in sizes.items()
        if not (isinstance(value, int | float | np.integer | np.floating) and 0 < value < np.inf)
    ]
    if mistakes:
        raise InputError(mistakes)


def _numbers(value: ArrayLike, name: str, unit: str) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not np.all(np.isfinite(array)):
        raise InputError(
            f"`{name}` must be finite numbers{' in ' + unit if unit else ''}, got {value!r}"
        )
    return array
