"""Fig. 4: the three eigenvalues of D of the rolling rod over theta and psi."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dovetail.stability import boundary_layer, rolling_rod

Array = NDArray[np.float64]
STEP = np.pi / 60  # the paper's, of theta and psi [rad]


def figure_4(out_folder: Path) -> list[tuple[str, str, str, bool, str]]:
    """Rows (what, published, ours, passes, why); writes the surfaces."""
    angles = np.asarray(STEP * np.arange(1, 30), dtype=np.float64)
    found = rolling_rod(angles[:, None], angles)
    error = np.abs(found.eigenvalues - np.sort(found.published, axis=-1))
    least = found.eigenvalues.min()
    stable = all(boundary_layer(D).stable for D in found.D.reshape(-1, 3, 3))
    _draw(angles, found.published, out_folder / "xu_fig4.png")
    return [
        (
            "fig. 4 and eq. 40, eigenvalues of D, largest error over 29 x 29 angles", "0",
            f"{error.max():.1e}", bool(error.max() < 1e-12),
            "eigenvalues computed from D against 1/m, 1/m + l^2/J1, 1/m + l^2 cos^2(theta)/J2",
        ),
        (
            "fig. 4, least eigenvalue", "1 (= 1/m > 0)", f"{least:.12f}",
            bool(abs(least - 1.0) < 1e-12), "EV1 for every theta and psi",
        ),
        (
            "fig. 4, verdict", "asymptotically stable for all theta, psi",
            "stable at all 841" if stable else "not stable everywhere", stable,
            "exact boundary-layer test at each pair of angles",
        ),
    ]  # fmt: skip


def _draw(angles: Array, eigenvalues: Array, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 4.2), dpi=120)
    degrees = np.degrees(angles)
    for i in range(3):
        axes = figure.add_subplot(1, 3, i + 1, projection="3d")
        psi, theta = np.meshgrid(degrees, degrees)
        axes.plot_surface(theta, psi, eigenvalues[..., i], color="#0072B2", linewidth=0)
        axes.set(xlabel="θ [°]", ylabel="ψ [°]", title=f"EV$_{i + 1}$", zlim=(0, 4.5))
    figure.subplots_adjust(left=0.02, right=0.95, wspace=0.12)
    figure.savefig(path)
