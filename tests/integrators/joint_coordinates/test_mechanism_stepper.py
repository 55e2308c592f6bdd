"""What the joint-coordinate scheme promises to the time loop."""

import numpy as np
import pytest

from dovetail.contact.law import ContactReport
from dovetail.errors import InputError, RunError
from dovetail.integrators import JointCoordinates
from dovetail.model.joints import Actuation, Revolute, Spherical
from dovetail.model.scene import Scene
from mechanism_scenes import Z, four_bar


def busy(with_function=False):
    """A loop, a motor, a spring, a kinematic body and perhaps a drag of the user's own."""
    scene = four_bar(actuation=[Actuation(motor=lambda t: np.sin(3 * t), stiffness=2.0)])
    scene.add_body("hand", motion="kinematic", angular_velocity=(0, 0.5, 1), position=(0, 2, 0))
    scene.add_body("bob", mass=1, inertia=(0.1, 0.2, 0.2), position=(0.4, 2, 0))
    scene.add_joint("wrist", Spherical((0.1, 2, 0)), "hand", "bob")
    scene.add_spring("band", "bob", "rocker", (0.4, 2, 0), (0.6, 0.3, 0), 30, 1)
    if with_function:
        scene.add_load(
            "drag", lambda t, state: {"bob": (-0.3 * state.velocity("bob"), np.zeros(3))}
        )
    return scene.build()


@pytest.mark.parametrize("with_function", [False, True])
def test_restored_memory_continues_bit_for_bit(with_function):
    model = busy(with_function)
    one, two = JointCoordinates().start(model, None), JointCoordinates().start(model, None)
    for k in range(1, 30):
        one.step(k * 0.01)
    kept = {name: array.copy() for name, array in one.snapshot().items()}
    for k in range(30, 50):
        one.step(k * 0.01)
    two.step(0.7)
    two.restore(kept)
    assert two.bodies.t == 29 * 0.01
    for k in range(30, 50):
        two.step(k * 0.01)
    for name, array in one.snapshot().items():
        assert np.array_equal(array, two.snapshot()[name]), name
    assert np.array_equal(one.bodies.R, two.bodies.R)


def test_force_law_of_a_contact_method_acts_on_jointed_bodies():
    """A law that pulls the bob up with its weight leaves it where it is."""

    class Balloon:
        name, kind = "balloon", "force"

        def prepare(self, model):
            return self

        def wrenches(self, state):
            force = np.zeros((len(state.x), 3))
            force[:, 2] = 9.81 * 2.0
            return np.stack((force, np.zeros_like(force)))

        def report(self, state):
            return ContactReport(energy=1.0)

    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("bob", mass=2, inertia=(0.1, 0.2, 0.2), position=(0.4, 0, 0))
    scene.add_joint("pin", Revolute((0, 0, 0), (0, 1, 0)), "ground", "bob")
    stepper = JointCoordinates().start(scene.build(), Balloon())
    for k in range(1, 101):
        stepper.step(k * 0.01)
    assert np.abs(stepper.bodies.x[0] - [0.4, 0, 0]).max() < 1e-12
    assert stepper.observe().contact.energy == 1.0


def test_potential_contact_law_is_refused_with_a_sentence():
    class Barrier:
        name, kind = "ipc", "potential"

    with pytest.raises(InputError, match=r"JointCoordinates takes a force law, but .* 'ipc'"):
        JointCoordinates().start(four_bar().build(), Barrier())


def test_failed_step_leaves_the_state_as_it_was():
    scene = Scene()
    scene.add_body("rotor", mass=1, inertia=(1, 1, 1), position=(1, 0, 0))
    motor = Actuation(motor=lambda t: np.nan if t > 0.05 else 0.0)
    scene.add_joint("pin", Revolute((0, 0, 0), Z, actuation=[motor]), "ground", "rotor")
    stepper = JointCoordinates().start(scene.build(), None)
    stepper.step(0.05)
    before = stepper.bodies.copy()
    with pytest.raises(RunError, match=r"motor of joint 'pin' must give a finite number"):
        stepper.step(0.1)
    assert stepper.bodies.t == 0.05
    assert np.array_equal(stepper.bodies.x, before.x)
