"""The first picture of the README: the force in its caption is the one that its command draws."""

import re
from math import pi
from pathlib import Path

import numpy as np

import dovetail as dt
from dovetail.examples.bolt import THREAD
from dovetail.view.page.net_forces import net_force_arrays

ROOT = Path(__file__).parents[2]


def test_caption_has_the_force_of_a_screw_without_friction_and_the_number_drawn():
    text = (ROOT / "README.md").read_text()
    caption = re.search(r"bolt-section\.png\)\n+\*(.*?)\*\n", text, re.DOTALL).group(1)
    stated = float(re.search(r"([\d.]+) N", caption).group(1))
    time = re.search(r"bolt-section\.png .*--time ([\d.]+)", text).group(1)
    assert f'"--time", "{time}"' in (ROOT / "docs" / "make_images.py").read_text()
    example = dt.examples.get("bolt")
    result = dt.simulate(example.build(), **{**example.RUN, "duration": float(time)})
    last = np.array([len(result.time) - 1])
    force = np.linalg.norm(net_force_arrays(result, last)["pair/forces"][0])
    assert f"{force:.3g}" == f"{stated:.3g}"
    # (I + m p^2) w' = m g p, and the thread carries what the weight has besides m p w'
    body, p = result.scene.bodies["bolt"], THREAD.pitch / (2 * pi)
    spin_rate = body.mass * 9.81 * p / (body.inertia[2, 2] + body.mass * p * p)
    assert abs(force / (body.mass * (9.81 - p * spin_rate)) - 1) < 0.02
