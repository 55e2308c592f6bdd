"""Steps of mechanisms in few compiled calls do what the parts of a step do one by one."""

import numpy as np
import pytest

import dovetail as dt

STEPS = 60


def swinging_arm(height: float) -> dt.Scene:
    """Two links with a damped hinge and a limit over the ground, and a box beside them."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body(
        "floor", dt.Box((4, 4, 0.2)), density=500, motion="static", position=(0, 0, -0.1)
    )
    scene.add_body("upper", dt.Box((0.5, 0.05, 0.05)), mass=1.0, position=(0.25, 0, height))
    scene.add_body("lower", dt.Box((0.4, 0.04, 0.04)), mass=0.5, position=(0.7, 0, height))
    scene.add_body("box", dt.Box((0.1, 0.1, 0.1)), mass=0.3, position=(-0.6, 0, 0.0505))
    hinge = dt.Revolute((0, 0, height), (0, 1, 0), actuation=dt.Actuation(damping=0.05))
    scene.add_joint("shoulder", hinge, "ground", "upper")
    elbow = dt.Revolute(
        (0.5, 0, height), (0, 1, 0), actuation=dt.Actuation(lower=-1.0, upper=1.0, friction=0.01)
    )
    scene.add_joint("elbow", elbow, "upper", "lower")
    return scene


def history(height: float, contact: dt.contact.IPC | None, quick: bool) -> list[np.ndarray]:
    """What a steered run shows after every step, with a snapshot taken and restored on the path."""
    sim = dt.Simulation(
        swinging_arm(height), step=2e-3, contact=contact, integrator="ImplicitEuler", check=False
    )
    sim.joint("elbow").effort = 0.2
    if not quick:
        sim.stepper._mechanisms = None
    seen, saved = [], None
    for k in range(STEPS):
        jump = 3.0 if 12 <= k < 15 else 0.0  # then a step, and one more, is not made over two
        sim.joint("elbow").effort = 0.2 * np.cos(0.1 * k) + jump
        if k == 20:
            sim.body("box").push(force=(0.5, 0, 2.0))
        sim.step()
        if k == 30:
            saved = sim.snapshot()
        if k == 40:
            sim.restore(saved)
        wrenches = np.ravel(sim.joint_wrenches())
        seen.append(np.concatenate((sim.q, sim.v, wrenches, sim.contacts.forces.ravel())))
    return seen


@pytest.mark.parametrize("height", [1.0, 0.12], ids=["in the air", "onto the ground"])
@pytest.mark.parametrize(
    "contact", [None, dt.contact.IPC(friction=0.5), dt.contact.IPC(restitution=0.5)],
    ids=["none", "ipc", "elastic"],
)  # fmt: skip
def test_steps_of_mechanisms_in_few_calls_keep_every_bit(height, contact):
    quick, slow = history(height, contact, True), history(height, contact, False)
    for one, other in zip(quick, slow, strict=True):
        np.testing.assert_array_equal(one, other)


def test_mechanisms_step_in_few_calls_unless_something_needs_python():
    def made(scene: dt.Scene, contact: dt.contact.IPC | None) -> bool:
        sim = dt.Simulation(
            scene, step=2e-3, contact=contact, integrator="ImplicitEuler", check=False
        )
        sim.step()
        return sim.stepper._mechanisms is not None

    assert made(swinging_arm(1.0), dt.contact.IPC(friction=0.5))
    assert made(swinging_arm(1.0), None)
    assert not made(swinging_arm(1.0), dt.contact.IPC(restitution=0.5))
    driven = swinging_arm(1.0)
    driven.add_body("top", dt.Box((0.1, 0.1, 0.1)), mass=1.0, position=(2, 0, 1))
    motor = dt.Actuation(motor=("position", lambda t: 0.1 * t))
    driven.add_joint("turn", dt.Revolute((2, 0, 1), (0, 0, 1), actuation=motor), "ground", "top")
    assert not made(driven, dt.contact.IPC(friction=0.5))
