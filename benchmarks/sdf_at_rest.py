"""CPU time of a step of boxes at rest on a floor, under contact by distance fields."""

import os
from time import process_time

import dovetail as dt

os.environ["DOVETAIL_QUIET"] = "1"
STEP, SHORT, LONG, TRIALS = 1e-3, 500, 2500, 3


def scene(boxes: int) -> dt.Scene:
    found = dt.Scene(gravity=(0, 0, -9.81))
    found.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    for k in range(boxes):
        place = (k - 0.5, 0, 0.25)
        found.add_body(f"box {k}", dt.Box((0.5, 0.5, 0.5)), density=500, position=place)
    return found


def seconds(boxes: int, steps: int) -> float:
    """Of a whole run, the least of several."""
    times = []
    for _ in range(TRIALS):
        began = process_time()
        contact = dt.contact.SDF(friction=0.4)
        dt.simulate(scene(boxes), steps * STEP, STEP, contact=contact, every=10**6, progress=False)
        times.append(process_time() - began)
    return min(times)


if __name__ == "__main__":
    for boxes in (1, 2):
        per_step = (seconds(boxes, LONG) - seconds(boxes, SHORT)) / (LONG - SHORT)
        print(f"{boxes} at rest: {1e6 * per_step:.0f} us a step")
