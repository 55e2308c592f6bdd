"""How results look everywhere: colours, which direction is up, and from where one looks."""

import numpy as np

from dovetail.model.values import Array
from dovetail.results import Result

# Muted, distinct side by side; static parts are grey in every picture.
BODY_COLOURS = (
    (0.27, 0.51, 0.71), (0.89, 0.55, 0.28), (0.42, 0.64, 0.44), (0.75, 0.36, 0.39),
    (0.56, 0.46, 0.68), (0.61, 0.48, 0.39), (0.85, 0.60, 0.72), (0.72, 0.68, 0.30),
    (0.38, 0.68, 0.72),
)  # fmt: skip
STATIC_COLOUR = (0.72, 0.73, 0.75)
# Okabe and Ito's palette: distinct for colour-blind readers and in print.
CURVE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def body_colours(result: Result) -> list[tuple[float, float, float]]:
    """A colour (0..1) for each body in order; static bodies are grey."""
    colours = []
    moving = 0
    for name in result.names:
        if result.scene.bodies[name].motion == "static":
            colours.append(STATIC_COLOUR)
        else:
            colours.append(BODY_COLOURS[moving % len(BODY_COLOURS)])
            moving += 1
    return colours


def up_direction(result: Result) -> Array:
    """Unit vector against gravity; z where there is none."""
    gravity = np.asarray(result.scene.gravity, dtype=float)
    size = float(np.linalg.norm(gravity))
    return -gravity / size if size > 0 else np.array([0.0, 0.0, 1.0])


def horizontal_axes(up: Array) -> tuple[Array, Array]:
    """East and north of `up`: unit vectors at right angles; x and y where up is z."""
    side = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    east = side - up * (side @ up)
    east /= np.linalg.norm(east)
    return east, np.cross(up, east)


def towards_viewer(up: Array) -> Array:
    """Unit vector from the bodies to someone in front of them, to the right and above."""
    east, north = horizontal_axes(up)
    towards = 0.55 * east - 0.75 * north + 0.45 * up
    return np.asarray(towards / np.linalg.norm(towards))
