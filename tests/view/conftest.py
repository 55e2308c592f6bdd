"""One small result that every picture is made from."""

import numpy as np
import pytest

import dovetail as dt


@pytest.fixture(scope="session")
def flight() -> dt.Result:
    """A box and two equal balls in flight over a fixed plate, and a wire beside them."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("plate", dt.Box((4, 4, 0.1)), position=(0, 0, -2), motion="static")
    scene.add_body("box", dt.Box((0.4, 0.6, 0.8)), velocity=(0, 0, 3), angular_velocity=(3, 1, 0))
    for name, x in (("left", -1.0), ("right", 1.0)):
        scene.add_body(name, dt.Sphere(0.3), position=(x, 0, 0), velocity=(0, 0, 2))
    wire = dt.Mesh([(0, 0, 0), (0, 0, 1), (0, 0.5, 1)], edges=[(0, 1), (1, 2)])
    scene.add_body("wire", wire, density=1, position=(0, 1, 0), angular_velocity=(0, 0, 2))
    return dt.simulate(scene, duration=0.5, step=0.01)


@pytest.fixture(scope="session")
def still_ball() -> dt.Result:
    """A ball of radius 0.5 m at rest at the origin."""
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.5, segments=96), rotation=np.eye(3))
    return dt.simulate(scene, duration=0.1, step=0.1)


@pytest.fixture(scope="session")
def massless_picture() -> dt.Result:
    """A body without a surface: nothing to draw, and still a result."""
    scene = dt.Scene()
    scene.add_body("point", mass=1, inertia=(1, 1, 1))
    return dt.simulate(scene, duration=0.1, step=0.1)
