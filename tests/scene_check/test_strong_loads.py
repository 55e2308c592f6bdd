"""Forces that are too large for their body."""

import dovetail as dt
from dovetail.scene_check import check_scene


def findings(force):
    scene = dt.Scene()
    scene.add_body("a", dt.Sphere(0.1), mass=4)
    scene.add_force("push", "a", force=force)
    return [one.message for one in check_scene(scene) if "accelerates" in one.message]


def test_a_force_in_another_unit_is_reported():
    assert not findings((4e5, 0, 0))
    (said,) = findings((4.1e6, 0, 0))
    assert said.startswith("load 'push' of 4.1e+06 N accelerates 'a' (4 kg) by 1e+06 m/s^2")
