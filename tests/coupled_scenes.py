"""Links on hinges, for tests of couplings."""

import dovetail as dt


def pendulums():
    """Two links in a row on hinges along y, and a third beside them."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("a", dt.Box((0.1, 0.12, 0.5)), mass=3.0, position=(0.25, 0, 0))
    scene.add_body("b", dt.Box((0.1, 0.12, 0.3)), mass=1.0, position=(0.25, 0, -0.4))
    scene.add_body("c", dt.Box((0.1, 0.12, 0.5)), mass=2.0, position=(2, 0, 0))
    return scene


def hinges(scene, **acting):
    for name, point, pair in (
        ("u", (0, 0, 0), ("ground", "a")),
        ("v", (0.25, 0, -0.25), ("a", "b")),
        ("w", (2, 0, 0.25), ("ground", "c")),
    ):
        entries = [dt.Actuation(**acting[name])] if name in acting else []
        scene.add_joint(name, dt.Revolute(point, (0, 1, 0), actuation=entries), *pair)
    return scene
