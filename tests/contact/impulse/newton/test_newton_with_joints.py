"""Newton's method where joints have dry friction and feet touch the floor."""

import numpy as np

import dovetail as dt

PUSH, STEPS = 20.0, 150  # [N]


def quadruped() -> dt.Scene:
    """A trunk on four legs of two links, whose hinges have springs, dampers and dry friction."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("trunk", dt.Box((0.6, 0.3, 0.1)), mass=20, position=(0, 0, 0.46))
    holds = dt.Actuation(stiffness=200.0, damping=2.0, friction=1.0)
    for k, (x, y) in enumerate([(0.25, 0.2), (0.25, -0.2), (-0.25, 0.2), (-0.25, -0.2)]):
        thigh, shank = f"thigh {k}", f"shank {k}"
        scene.add_body(thigh, dt.Box((0.04, 0.04, 0.2)), mass=1, position=(x, y, 0.35))
        scene.add_body(shank, dt.Capsule(0.015, 0.21), mass=0.5, position=(x, y, 0.13))
        hip = dt.Revolute((x, y, 0.45), (0, 1, 0), actuation=holds)
        knee = dt.Revolute((x, y, 0.25), (0, 1, 0), actuation=holds)
        scene.add_joint(f"hip {k}", hip, "trunk", thigh)
        scene.add_joint(f"knee {k}", knee, thigh, shank)
    return scene


def test_larger_weights_do_not_look_for_what_sticks_again(monkeypatch):
    """85 iterations a step where every larger weight starts from rows past their bounds, else 46.

    Weights grow tenfold or more; hinges that stick are then far past their bounds at the velocities
    there are, so the step goes on with the cases found before.
    """
    contact = dt.contact.LCP(friction=0.6, sleep=False)
    simulation = dt.Simulation(quadruped(), step=2e-3, contact=contact, check=False)
    taken, step = [], simulation.stepper.step

    def counted(t: float):
        report = step(t)
        taken.append(report.iterations)
        return report

    monkeypatch.setattr(simulation.stepper, "step", counted)
    for k in range(STEPS):
        simulation.body("trunk").push((PUSH * np.sin(0.06 * k), 0.3 * PUSH, 0.0))
        simulation.step()
    assert len(taken) == STEPS
    assert np.mean(taken) < 65
