"""How far kinematic bodies are from the trajectories that the scene of the file gives them."""

from typing import Any

import numpy as np

from dovetail.model.values import Array, quote
from dovetail.results.result import Result


def off_trajectory(result: Result, name: str, settings: dict[str, Any]) -> Array | None:
    """(frames,) [m] between the recorded and the given place, or 1 rad of rotation as 1 m of size.

    None where the file does not have the trajectory, which was a function, or where the body was
    moved by hand.
    """
    body = result.scene.bodies[name].checked
    lost = settings.get("functions_not_kept") or ()
    by_hand = not isinstance(settings.get("duration"), int | float)
    if body.trajectory is None or by_hand or f"trajectory of body {quote(name)}" in lost:
        return None
    poses = [body.trajectory.pose(float(t)) for t in result.time]
    moved = np.linalg.norm(result.position(name) - [x for x, _ in poses], axis=1)
    reach = float(np.max(np.linalg.norm(body.surface.vertices, axis=1), initial=0.0))
    turned = np.linalg.norm(result.rotation(name) - [R for _, R in poses], axis=(1, 2))
    return np.asarray(moved + reach * turned)
