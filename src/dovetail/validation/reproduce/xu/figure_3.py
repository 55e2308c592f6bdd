"""Fig. 3: where the sliding rod is unstable, and the tip of that region."""

from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp import contact_problem
from dovetail.stability import BodyContacts, body_contacts, critical_friction, painleve_tip, rod
from dovetail.stability.rod_map import draw_rod_map, rod_map

Array = NDArray[np.float64]
STEP = np.pi / 60  # the paper's, of theta [rad]
THICKNESS = 1e-3  # moment about the rod's axis [kg m^2]; any > 0 gives the same


def figure_3(out_folder: Path) -> list[tuple[str, str, str, bool, str]]:
    """Rows (what, published, ours, passes, why); writes the map."""
    draw_rod_map(rod_map(), out_folder / "xu_fig3.png")
    tip = painleve_tip(rod_layer, 0.0, 0.5 * np.pi)
    theta = STEP * np.arange(1.0, 30.0)
    side = rod(np.arctan(2.0), np.array([-2.0, 2.0])).stable
    on_grid = _critical_on_grid(np.asarray(theta, dtype=np.float64))
    closed = (4.0 / 3.0 + np.tan(theta) ** 2 / 3.0) / np.tan(theta)
    return [
        (
            "fig. 3, tip of the unstable region, |mu|", "4/3", f"{tip.friction:.9f}",
            abs(tip.friction - 4 / 3) < 1e-6,
            "least critical friction of a free body with M, N, T, O, found numerically",
        ),
        (
            "fig. 3, tip, tan(theta)", "2", f"{np.tan(tip.parameter):.9f}",
            bool(abs(np.tan(tip.parameter) - 2.0) < 1e-6), "the angle of that least value",
        ),
        (
            "fig. 3, edge A = 0 at the paper's 29 angles, largest error", "0",
            f"{np.max(np.abs(on_grid / closed - 1)):.1e}",
            bool(np.max(np.abs(on_grid / closed - 1)) < 1e-9),
            "D of the general body against the paper's A = 0, mu = (4 + tan^2) / (3 tan)",
        ),
        (
            "fig. 3, side of the unstable region", "one side of mu sgn(xc_dot) only",
            f"stable {side.tolist()} for mu_s = -2, +2", side.tolist() == [True, False],
            "unstable only where friction pushes the end under the centre",
        ),
    ]  # fmt: skip


def rod_layer(theta: float, mu: float) -> Array:
    """D of a rod as an ordinary free body, its end sliding away from the centre."""
    contacts = rod_contacts(theta)
    problem = contact_problem(
        contacts.M, np.zeros(6), contacts.N, contacts.T, contacts.O,
        friction=mu, slip=contacts.slip,
    )  # fmt: skip
    return problem.D


@lru_cache(maxsize=1)  # one angle is tried with many frictions in a row
def rod_contacts(theta: float) -> BodyContacts:
    """A rod of 1 kg and half length 1 m, in the plane y = 0."""
    along = np.array([np.cos(theta), 0.0, np.sin(theta)])
    across = np.array([-np.sin(theta), 0.0, np.cos(theta)])
    rotation = np.column_stack([along, [0.0, 1.0, 0.0], across])
    return body_contacts(
        1.0, (THICKNESS, 1 / 3, 1 / 3), -along, rotation=rotation, velocity=(-1.0, 0.0, 0.0)
    )


def _critical_on_grid(theta: Array) -> Array:
    return np.array([critical_friction(partial(rod_layer, angle)) for angle in theta])
