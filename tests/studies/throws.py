"""A study of throws that takes a while, as a program: throws.py FOLDER [SCHEDULER]."""

import sys
import time

import numpy as np

import dovetail as dt
from dovetail.studies import Latin, Output, Uniform

RUNS = 12
OUTPUTS = {"height": Output("max", "position", ("ball",), "z"), "loss": Output("loss", "energy")}


def slow_ball(speed: float) -> dt.Scene:
    """A ball whose drag takes some milliseconds a step to know, so that kills find it flying."""

    def drag(t, state):
        time.sleep(2e-3)
        return {"ball": (-0.1 * state.velocity("ball"), np.zeros(3))}

    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(0, 0, speed))
    scene.add_load("drag", drag)
    return scene


def throws(folder: str, **where):
    vary = {"speed": Uniform(1, 5)}
    return dt.study(
        slow_ball, vary, OUTPUTS, out=folder, sampling=Latin(RUNS, 7), duration=0.5, step=5e-3,
        progress=False, **where,
    )  # fmt: skip


if __name__ == "__main__":
    try:
        throws(sys.argv[1], scheduler=sys.argv[2] if len(sys.argv) > 2 else None, workers=2)
    except dt.DovetailError as error:
        sys.exit(f"error: {error}")
