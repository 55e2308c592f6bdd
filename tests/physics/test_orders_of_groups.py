"""Bodies that all move and press each other: second order in the step under ImplicitEuler."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import ImplicitEuler
from dovetail.verifier.impulse_balance import impulse_defect

G = 9.81
STEPS = (1e-2, 5e-3, 2.5e-3)
C, S = np.cos(np.pi / 2), np.sin(np.pi / 2)
ACROSS = ((1.0, 0.0, 0.0), (0.0, C, -S), (0.0, S, C))  # the axis z along -y


def on_floor(gravity=(0.0, 0.0, -G), friction=None):
    scene = dt.Scene(gravity=gravity)
    scene.add_body("floor", dt.HalfSpace(), motion="static", material="ice")
    if friction is not None:
        scene.add_material_pair("ice", "steel", friction=friction)
    return scene


def ended(scene, h, duration, friction=0.5, **options):
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC(friction=friction, **options))
    for k in range(round(duration / h)):
        stepper.step((k + 1) * h)
    return stepper.bodies


def plate(h):
    """A ball rolls on a plate that slides down a slope: its way after 1 s."""
    low, M, m = 0.1, 20.0, 30.0
    along, down = G * np.sin(0.3), G * np.cos(0.3)
    scene = on_floor((along, 0, -down), low)
    scene.add_body("plate", dt.Box((4, 2, 0.2)), mass=M, position=(0, 0, 0.1), material="steel")
    scene.add_body("ball", dt.Sphere(0.1), mass=m, position=(0, 0, 0.3), material="steel")
    # m a = m g sin - f, rim a_p = g sin - 7/2 f/m, M a_p = M g sin + f - low (M + m) g cos
    f = low * (M + m) * down / (1 + 3.5 * M / m)
    return ended(scene, h, 1.0).x[2, 0] - 0.5 * (along - f / m)


def rollers(h):
    """A plank rolls down on three cylinders: its way after 0.6 s."""
    M, m = 10.0, 4.0
    along, down = G * np.sin(0.2), G * np.cos(0.2)
    scene = on_floor((along, 0, -down))
    for k in range(3):
        scene.add_body(f"roller{k}", dt.Cylinder(0.1, 0.6), mass=m, rotation=ACROSS,
                       position=(0.4 * k - 0.4, 0, 0.1))  # fmt: skip
    scene.add_body("plank", dt.Box((3, 0.5, 0.1)), mass=M, position=(0, 0, 0.25))
    # speeds v and 2 v: (3 m 3/2 + 4 M) v' = (3 m + 2 M) g sin
    return ended(scene, h, 0.6).x[4, 0] - (3 * m + 2 * M) * along / (4.5 * m + 4 * M) * 0.36


@pytest.mark.parametrize("error", [plate, rollers])
def test_what_rolls_on_moving_bodies_is_of_second_order(error):
    """By implicit Euler 1.2e-2 and 6.5e-3 m at 10 ms, half of that at half the step."""
    errors = [abs(error(h)) for h in STEPS]
    assert errors[0] < 2e-4
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((orders > 1.9) & (orders < 2.1))


@pytest.mark.parametrize("table", [dt.Cylinder(2.0, 0.2), dt.Box((4, 4, 0.2))])
def test_a_ball_rolls_on_a_turntable_at_two_sevenths_of_its_rate(table):
    """On the disc of a cylinder, too, a ball is no point that stays where it is."""
    rate, v0, r, t = 3.0, 0.5, 0.1, 0.5
    start, own = np.array([0.5, 0.0, r]), 2 / 7 * 3.0
    spin = np.cross((0.0, 0.0, 1.0), (0.0, v0 - rate * start[0], 0.0)) / r
    centre = start[:2] - (v0 / own, 0)
    exact = centre + v0 / own * np.array([np.cos(own * t), np.sin(own * t)])
    errors = []
    for h in STEPS:
        scene = dt.Scene(gravity=(0, 0, -G))
        scene.add_body("table", table, motion="kinematic", position=(0, 0, -0.1),
                       angular_velocity=(0, 0, rate))  # fmt: skip
        scene.add_body("ball", dt.Sphere(r), density=500, position=start, velocity=(0, v0, 0),
                       angular_velocity=spin)  # fmt: skip
        errors.append(float(np.linalg.norm(ended(scene, h, t).x[1, :2] - exact)))
    assert errors[0] < 3e-4  # by implicit Euler 2.2e-3 and 1.1e-3
    assert errors[2] < errors[0] / 10


def test_friction_that_turns_is_of_second_order():
    """The slip of the middle of a step is not that of its end: with it 1.3e-3 and 5.8e-4 m."""

    def place(h):
        scene = dt.Scene(gravity=(0, 0, -G))
        scene.add_body("table", dt.Box((4, 4, 0.2)), motion="kinematic", position=(0, 0, -0.1),
                       angular_velocity=(0, 0, 3))  # fmt: skip
        scene.add_body("block", dt.Box((0.2, 0.2, 0.02)), density=500, position=(0.5, 0, 0.01),
                       velocity=(0, -1, 0), angular_velocity=(0, 0, 4))  # fmt: skip
        return ended(scene, h, 0.3, 0.3).x[1]

    exact = place(STEPS[-1] / 4)
    errors = [float(np.linalg.norm(place(h) - exact)) for h in STEPS[:2]]
    assert errors[0] < 7e-4
    assert errors[1] < errors[0] / 3


def stacked():
    """A block slides on one that slides on the floor."""
    scene = on_floor(friction=0.1)
    scene.add_body("lower", dt.Box((2, 1, 0.2)), mass=300, position=(0, 0, 0.1),
                   velocity=(1.5, 0, 0), material="steel")  # fmt: skip
    scene.add_body("upper", dt.Box((0.4, 0.4, 0.2)), mass=200, position=(-0.5, 0, 0.3),
                   velocity=(4, 0, 0), material="steel")  # fmt: skip
    return scene


@pytest.mark.parametrize("h", [5e-3, 6e-4])
def test_blocks_that_slide_on_each_other_keep_their_accelerations(h):
    """Errors of steps add up: with the tolerance of other steps they were 2e-4 and 4e-4 m/s."""
    bodies = ended(stacked(), h, 0.3, 0.3, dhat=1e-5)
    t = round(0.3 / h) * h
    assert bodies.v[2, 0] == pytest.approx(4 - 0.3 * G * t, abs=5e-5)
    assert bodies.v[1, 0] == pytest.approx(1.5 + G * (0.3 * 200 - 0.1 * 500) / 300 * t, abs=5e-5)


def test_mean_forces_between_moving_bodies_are_the_change_of_momentum():
    """Of each body, so that what one contact gives to one it takes from the other."""
    contact = dt.contact.IPC(friction=0.3, velocity_tolerance=1e-9)
    result = dt.simulate(stacked(), 0.2, 5e-3, contact, progress=False)
    # 2943 N on the upper, 4905 N on the lower block: 15 and 25 N s in a step
    assert np.abs(impulse_defect(result)).max() < 2e-4


def test_a_group_that_nothing_else_touches_keeps_its_momentum():
    """A block slides and turns on a cart that stands on ice."""
    scene = on_floor(friction=0.0)
    scene.add_body("cart", dt.Box((6, 2, 0.2)), mass=300, position=(0, 0, 0.1), material="steel")
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), mass=200, position=(-1, 0, 0.3),
                   velocity=(3, 0.5, 0), angular_velocity=(0, 0, 4), material="steel")  # fmt: skip
    model = scene.build()
    stepper = ImplicitEuler().start(model, dt.contact.IPC(friction=0.3, velocity_tolerance=1e-9))
    energies = []
    for k in range(60):
        stepper.step((k + 1) * 5e-3)
        v, w, R = stepper.bodies.v[1:], stepper.bodies.omega[1:], stepper.bodies.x[1:, 2]
        kinetic = 0.5 * (model.mass[1:] * (v**2).sum(1)).sum()
        kinetic += 0.5 * np.einsum("ni,nij,nj", w, model.inertia[1:], w)
        energies.append(kinetic + G * (model.mass[1:] * R).sum())
    momentum = (model.mass[1:, None] * stepper.bodies.v[1:]).sum(0)
    assert momentum[:2] == pytest.approx((600.0, 100.0), abs=1e-5)
    assert np.diff(energies).max() < 1e-6 * energies[0]
