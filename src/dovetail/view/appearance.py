"""How bodies look everywhere: one colour a body, and which way is up."""

import numpy as np
from numpy.typing import NDArray

from dovetail.results import Result

# Muted, told apart side by side; static parts are grey in every picture.
BODY_COLOURS = (
    (0.27, 0.51, 0.71), (0.89, 0.55, 0.28), (0.42, 0.64, 0.44), (0.75, 0.36, 0.39),
    (0.56, 0.46, 0.68), (0.61, 0.48, 0.39), (0.85, 0.60, 0.72), (0.72, 0.68, 0.30),
    (0.38, 0.68, 0.72),
)  # fmt: skip
STATIC_COLOUR = (0.72, 0.73, 0.75)


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


def up_direction(result: Result) -> NDArray[np.float64]:
    """Unit vector against gravity; z where there is none."""
    gravity = np.asarray(result.scene.gravity, dtype=float)
    size = float(np.linalg.norm(gravity))
    return -gravity / size if size > 0 else np.array([0.0, 0.0, 1.0])
