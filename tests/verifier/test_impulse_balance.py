"""Newton's law over the recorded frames of a run with contacts."""

import numpy as np

import dovetail as dt
from dovetail.verifier.certificate import certify
from dovetail.verifier.impulse_balance import impulse_defect


def test_forces_of_the_floor_and_weight_make_the_change_of_momentum():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    for k in range(2):
        at = (0.1 * k, 0, 0.52 + 1.01 * k)
        scene.add_body(f"box {k}", dt.Box((1, 1, 1)), density=10, position=at, velocity=(0.3, 0, 0))
    result = dt.simulate(scene, 0.5, 0.01, dt.contact.IPC(velocity_tolerance=1e-7))
    assert result.contacts.count.max() > 0
    weight_in_a_step = 20 * 9.81 * 0.01
    assert np.abs(impulse_defect(result)).max() < 1e-4 * weight_in_a_step
    assert np.abs(np.diff(result.momentum["linear"], axis=0)).max() > 0.1 * weight_in_a_step


def test_friction_of_an_impact_that_sticks_is_no_broken_law():
    """Velocities have converged; friction so stiff is not known better than by its own size."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 0.2)), motion="static", position=(0, 0, -0.1))
    for k in range(5):
        at, turned = (0.01 * (-1) ** k, 0, 0.051 + 0.101 * k), 0.1 * k
        c, s = np.cos(turned), np.sin(turned)
        scene.add_body(
            f"box {k}", dt.Box((0.2, 0.2, 0.1)), density=600, position=at,
            rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]],
        )  # fmt: skip
    result = dt.simulate(scene, 0.05, 0.005, dt.contact.IPC(friction=0.5), progress=False)
    assert certify(result).trusted
