"""What lies still stays still under intersection-free contact, and costs one iteration a step."""

import numpy as np

import dovetail as dt
from dovetail.integrators import ImplicitEuler


def test_a_stack_with_friction_comes_to_rest_and_then_takes_one_iteration_a_step():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((9, 9, 1)), motion="static", position=(0, 0, -0.5))
    for k in range(4):
        scene.add_body(
            f"cube {k}", dt.Box((1, 1, 1)), density=1000, position=(0, 0, 0.6 + 1.01 * k)
        )
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(friction=0.3))
    reports = [stepper.step(0.01 * (k + 1)) for k in range(300)]
    last = reports[-100:]
    assert np.median([report.iterations for report in last]) == 1
    assert np.mean([report.iterations for report in last]) < 1.5
    tolerance = 1e-3 * 9.81 * 0.01  # [m/s] of Newton's method with friction
    assert max(report.creep for report in last) < 5 * tolerance
