"""The map of fig. 3: over friction and angle, where contact of the sliding rod is unstable."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.runtime.extras import require
from dovetail.stability.rod import rod, rod_tip

Array = NDArray[np.float64]
FORMATS = (".png", ".svg", ".pdf")
LARGEST_SIZE = 10_000


@dataclass(frozen=True)
class RodMap:
    """D over signed friction mu sgn(xc_dot) (columns) and theta [rad] (rows); fig. 3's axes."""

    signed_friction: Array
    theta: Array
    D: Array
    tip: tuple[float, float]  # theta [rad] and |mu| where the unstable region begins

    @property
    def unstable(self) -> NDArray[np.bool_]:
        return np.asarray(self.D <= 0)


def rod_map(
    size: int = 1000, largest_friction: float = 4.0, m: float = 1.0, l: float = 1.0,
    J1: float | None = None,
) -> RodMap:  # fmt: skip
    """`size` x `size` values of D over |mu| <= largest_friction and 0 < theta < pi/2."""
    if not isinstance(size, int | np.integer) or not 2 <= size <= LARGEST_SIZE:
        raise InputError(
            f"`size` of the map must be a whole number from 2 to {LARGEST_SIZE}, got {size!r}"
        )
    if not 0 < largest_friction < np.inf:
        raise InputError(f"`largest_friction` must be > 0, got {largest_friction!r}")
    theta = np.asarray((np.arange(size) + 0.5) * (0.5 * np.pi / size), dtype=np.float64)
    signed = np.linspace(-largest_friction, largest_friction, size)
    return RodMap(signed, theta, rod(theta[:, None], -signed, m, l, J1).D, rod_tip(m, l, J1))


def draw_rod_map(found: RodMap, path: str | PathLike[str]) -> None:
    """Write the map as a picture, unstable region filled, with its tip."""
    if Path(path).suffix.lower() not in FORMATS:
        raise InputError(f"a map must end in {', '.join(FORMATS)}, got {str(path)!r}")
    ListedColormap = require("matplotlib.colors").ListedColormap
    Figure = require("matplotlib.figure").Figure

    figure = Figure(figsize=(7.0, 5.0), dpi=150)
    axes = figure.add_subplot()
    mu = found.signed_friction
    axes.imshow(
        found.unstable, origin="lower", aspect="auto", interpolation="nearest",
        cmap=ListedColormap(["#F4F1EA", "#D55E00"]), vmin=0, vmax=1,
        extent=(float(mu[0]), float(mu[-1]), 0.0, 90.0),
    )  # fmt: skip
    theta_tip, mu_tip = found.tip
    if mu_tip < mu[-1]:
        axes.plot(-mu_tip, np.degrees(theta_tip), "o", color="black", markersize=4)
        axes.annotate(
            f"|μ| = {mu_tip:.4f}, θ = {np.degrees(theta_tip):.2f}°",
            (-mu_tip, np.degrees(theta_tip)), xytext=(10, 0), textcoords="offset points",
            va="center",
        )  # fmt: skip
    axes.set_xlabel("μ sgn(ẋ$_c$)")
    axes.set_ylabel("θ [°]")
    axes.set_title("Sliding rod: contact is unstable (filled) where D ≤ 0", fontsize=10)
    figure.savefig(path)
