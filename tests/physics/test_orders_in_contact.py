"""Bodies that slide, roll and spin on fixed ones: second order in the step under ImplicitEuler."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import ImplicitEuler
from dovetail.linalg.lie import so3
from dovetail.verifier.impulse_balance import impulse_defect

G = 9.81
STEPS = (1e-2, 5e-3, 2.5e-3)


def scene_on(gravity=(0.0, 0.0, -G), floor=None):
    scene = dt.Scene(gravity=gravity)
    floor = floor or dt.Box((20, 20, 1))
    scene.add_body("floor", floor, motion="static", position=(0, 0, -0.5))
    return scene


def ended(scene, h, duration, friction):
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(friction=friction))
    for k in range(round(duration / h)):
        stepper.step((k + 1) * h)
    return stepper.bodies


def slide(h):
    """Down a slope of 0.5 from rest for 1 s, mu = 0.3."""
    angle = np.arctan(0.5)
    scene = scene_on((G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), density=1000, position=(0, 0, 0.1))
    exact = 0.5 * G * (np.sin(angle) - 0.3 * np.cos(angle))
    return ended(scene, h, 1.0, 0.3).x[1, 0] / exact - 1


def roll(h):
    """A ball rolls down 0.3 rad for 1 s."""
    scene = scene_on((G * np.sin(0.3), 0, -G * np.cos(0.3)))
    scene.add_body("ball", dt.Sphere(0.1), density=1000, position=(0, 0, 0.1))
    return ended(scene, h, 1.0, 0.5).x[1, 0] / (0.5 * G * np.sin(0.3) / 1.4) - 1


def spin(h):
    """A cube spins to rest on its corners."""
    scene, side, rate, mu = scene_on(), 0.4, 5.0, 0.4
    scene.add_body("block", dt.Box((side,) * 3), density=1000, position=(0.3, 0.7, side / 2),
                   angular_velocity=(0, 0, rate))  # fmt: skip
    turned = so3.log(ended(scene, h, 0.4, mu).R[1])[2]
    return turned / (rate**2 * side**2 / 6 / (2 * mu * G * side / np.sqrt(2))) - 1


@pytest.mark.parametrize(("error", "largest"), [(slide, 2e-4), (roll, 2e-4), (spin, 2e-2)])
def test_lasting_contact_is_of_second_order(error, largest):
    """By implicit Euler alone 1e-2, 1e-2 and 9e-2 at 10 ms, half of that with half the step."""
    errors = [abs(error(h)) for h in STEPS]
    assert errors[0] < largest
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((orders > 1.8) & (orders < 2.3))


def test_a_ball_slips_until_it_rolls_at_five_sevenths():
    """Its moment about the ground stays, whatever friction does."""
    for h in STEPS:
        scene = scene_on()
        scene.add_body("ball", dt.Sphere(0.1), density=1000, position=(0, 0, 0.1),
                       velocity=(2, 0, 0))  # fmt: skip
        v = ended(scene, h, 1.0, 0.2).v[1, 0]
        assert v == pytest.approx(2 * 5 / 7, rel=1e-3)


def test_a_top_without_friction_keeps_its_angular_momentum():
    """An ellipsoid of inertia that turns about two axes while its ball slides: no torque acts."""
    scene = scene_on()
    scene.add_body(
        "ball", dt.Sphere(0.1), mass=1.0, inertia=(4e-3, 5e-3, 6e-3), position=(0, 0, 0.1),
        velocity=(1, 0, 0), angular_velocity=(3, 0.2, 4),
    )  # fmt: skip
    model = scene.build()
    stepper = ImplicitEuler().start(model, dt.contact.IPC())
    inertia = np.diag((4e-3, 5e-3, 6e-3))

    def momentum():
        bodies = stepper.bodies
        return bodies.R[1] @ inertia @ bodies.omega[1]

    began = momentum()
    for k in range(300):
        stepper.step((k + 1) * 5e-3)
    assert np.linalg.norm(momentum() - began) < 1e-5 * np.linalg.norm(began)


def test_mean_forces_are_the_change_of_momentum():
    """A spinning block that also slides: its friction turns in every step."""
    scene = scene_on()
    scene.add_body("block", dt.Box((0.4,) * 3), density=1000, position=(0.3, 0.7, 0.2),
                   velocity=(1, 0, 0), angular_velocity=(0, 0, 5))  # fmt: skip
    contact = dt.contact.IPC(friction=0.4, velocity_tolerance=1e-9)
    result = dt.simulate(scene, 0.3, 5e-3, contact, progress=False)
    # 64 kg, 628 N: the step's impulse is 3.1 N s
    assert np.abs(impulse_defect(result)).max() < 3e-5


def test_steps_of_another_size_stay_of_second_order():
    """Half the step from the middle on."""
    angle = np.arctan(0.5)
    scene = scene_on((G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), density=1000, position=(0, 0, 0.1))
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(friction=0.3))
    times = np.concatenate((np.arange(1, 51) * 1e-2, 0.5 + np.arange(1, 101) * 5e-3))
    for t in times:
        stepper.step(float(t))
    exact = 0.5 * G * (np.sin(angle) - 0.3 * np.cos(angle))
    assert stepper.bodies.x[1, 0] == pytest.approx(exact, rel=3e-4)
