"""Loops whose equations depend on each other only where they are closed, by Runge-Kutta stages."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.validation.dae_problems.scenes import bricard


def spherical_four_bar():
    """Four hinges whose axes meet in one point."""
    scene = dt.Scene(gravity=(1, 2, -9.81))
    axes = [
        np.array(v, float) for v in ((1, 0, 0), (0.8, 0.5, 0.3), (0.1, 0.9, 0.5), (-0.2, 0.3, 1))
    ]
    axes = [v / np.linalg.norm(v) for v in axes]
    names = ["ground", "b0", "b1", "b2", "ground"]
    for name, a, b in zip(names[1:-1], axes, axes[1:]):
        scene.add_body(name, mass=1, inertia=(0.02, 0.03, 0.01), position=(a + b) / 2)
    for k, axis in enumerate(axes):
        hinge = dt.Revolute(tuple(axis), tuple(axis))
        scene.add_joint(f"j{k}", hinge, names[k], names[k + 1])
    return scene


LOOPS = {
    "bennett": lambda: dt.examples.get("bennett").build(),
    "bricard": bricard,
    "spherical four-bar": spherical_four_bar,
}


@pytest.mark.parametrize("name", LOOPS)
def test_stages_beside_the_closed_loop_do_not_drive_it(name):
    """The default's motion, at the order of the method; energy was off by up to 10 times that of
    the motion at these steps.
    """
    scene, seconds = LOOPS[name](), 0.5
    settings = {"progress": False, "check": False, "every": 10**6}
    exact = dt.simulate(
        scene, seconds, 1e-3, integrator=dt.integrators.RATTLie(order=6), **settings
    )
    errors = []
    for h in (5e-3, 2.5e-3, 1.25e-3):
        found = dt.simulate(scene, seconds, h, integrator="EulerParameterDAE", **settings)
        errors.append(
            max(np.abs(found.position(b)[-1] - exact.position(b)[-1]).max() for b in scene.bodies)
        )
    assert errors[0] < 5e-3
    assert errors[2] < errors[0] / 30  # 256 at order 4, 16 at order 2
