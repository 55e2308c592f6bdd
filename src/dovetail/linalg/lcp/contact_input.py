"""The numbers that describe contacts, read and checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError

Array = NDArray[np.float64]
SYMMETRY = 1e-10
SHARE_EXCESS = 1e-9  # what rounding may add to cos^2 + sin^2


@dataclass(frozen=True)
class ContactInput:
    """p contacts of a system with n coordinates; `t` tangents, 2 in space and 1 in a plane."""

    M: Array  # (n, n)
    force: Array  # (n,)
    N: Array  # (p, n)
    tangents: tuple[Array, ...]  # t of (p, n)
    friction: Array  # (p,)
    direction: Array  # (p, t) unit slip direction, zero where rolling
    bias: Array  # (p, 1 + t)
    rolling_friction: Array  # (p, t) mu_T and mu_O of eq. 14

    @property
    def n_tangents(self) -> int:
        return len(self.tangents)

    @property
    def is_sliding(self) -> NDArray[np.bool_]:
        return np.asarray(np.any(self.direction != 0, axis=1))

    @property
    def sliding(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.is_sliding)

    @property
    def rolling(self) -> NDArray[np.intp]:
        return np.flatnonzero(~self.is_sliding)


def read_contacts(
    M: Any, force: Any, N: Any, T: Any, O: Any, friction: Any, slip: Any, bias: Any, shares: Any
) -> ContactInput:
    """Clean arrays, or one InputError that names every mistake."""
    mistakes: list[str] = []
    normal = _numbers(N, "N", None, mistakes)
    if normal.ndim != 2:
        mistakes.append(f"`N` must be one row per contact, got shape {normal.shape}")
        raise InputError(mistakes)
    p, n = normal.shape
    mass = _numbers(M, "M", (n, n), mistakes)
    load = _numbers(force, "force", (n,), mistakes)
    rows = [_numbers(T, "T", (p, n), mistakes)]
    if O is not None:
        rows.append(_numbers(O, "O", (p, n), mistakes))
    t = len(rows)
    mu = _numbers(friction, "friction", None, mistakes)
    mu = np.broadcast_to(mu, p) if mu.ndim == 0 else mu
    if mu.shape != (p,):
        mistakes.append(f"`friction` must be one number or {p}, got shape {mu.shape}")
    elif np.any(mu < 0):
        worst = int(np.argmin(mu))
        mistakes.append(f"`friction` of contact {worst} must be >= 0, got {mu[worst]:g}")
    speed = np.zeros((p, t)) if slip is None else _numbers(slip, "slip", (p, t), mistakes)
    drift = np.zeros((p, 1 + t)) if bias is None else _numbers(bias, "bias", (p, 1 + t), mistakes)
    equal = np.full((p, t), 1.0 / np.sqrt(t))
    parts = equal if shares is None else _numbers(shares, "shares", (p, t), mistakes)
    outside = np.any(parts < 0) or np.any(np.sum(parts**2, axis=-1) > 1.0 + SHARE_EXCESS)
    if not mistakes and outside:
        mistakes.append(
            "`shares` of friction along T and O must be >= 0 with squares that add up to at most "
            f"1, got {parts[np.argmax(np.sum(parts**2, axis=1))]}"
        )
    if not mistakes and np.max(np.abs(mass - mass.T), initial=0) > SYMMETRY * np.max(np.abs(mass)):
        mistakes.append("`M` must be symmetric, got a matrix that differs from its transpose")
    if mistakes:
        raise InputError(mistakes)
    length = np.hypot.reduce(speed, axis=1)
    direction = speed / np.where(length > 0, length, 1.0)[:, None]
    return ContactInput(
        0.5 * (mass + mass.T), load, normal, tuple(rows), np.array(mu), direction, drift,
        parts * mu[:, None],
    )  # fmt: skip


def _numbers(value: Any, name: str, shape: tuple[int, ...] | None, mistakes: list[str]) -> Array:
    """Finite numbers of `shape`; after a mistake, something of that shape to go on with."""
    instead = np.zeros(shape if shape is not None else (0, 0))
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        mistakes.append(f"`{name}` must be numbers, got {value!r}")
        return instead
    if shape is not None and array.shape != shape:
        mistakes.append(f"`{name}` must have shape {shape}, got shape {array.shape}")
        return instead
    if not np.all(np.isfinite(array)):
        mistakes.append(f"`{name}` must be finite numbers, got some that are not")
        return np.zeros_like(array)
    return array
