"""Scenes that are stepped and steered in tests, and the methods they run under."""

import dovetail as dt

METHODS = [
    (None, None), (None, "DH"), (None, "LieGeneralizedAlpha"), (None, "EulerParameterDAE"),
    (None, "JointCoordinates"), ("sdf", None), ("sdf", "RATTLie"), ("lcp", None), ("ipc", None),
    ("ipc", "BarrierVerlet"),
]  # fmt: skip


def arm_and_box(box=True):
    """Two hinged links over a floor, and a box beside them that touches nothing yet."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("upper", dt.Box((0.1, 0.1, 0.8)), density=1000, position=(0, 0, -0.5))
    scene.add_body("lower", dt.Box((0.1, 0.1, 0.8)), density=1000, position=(0, 0, -1.5))
    scene.add_joint("shoulder", dt.Revolute((0, 0, 0), (0, 1, 0)), "ground", "upper")
    scene.add_joint("elbow", dt.Revolute((0, 0, -1), (0, 1, 0)), "upper", "lower")
    if box:
        scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), density=500, position=(2, 0, -1.8))
    scene.add_body("floor", dt.Box((10, 10, 0.2)), motion="static", position=(0, 0, -2.2))
    return scene


def resting_box(gap=1e-4, mass=2.0):
    """A box just above a floor."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), mass=mass, position=(0, 0, 0.1 + gap))
    return scene
