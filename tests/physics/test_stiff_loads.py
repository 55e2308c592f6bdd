"""Springs, dampers and functions of any strength are stable inside the steps of barriers."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact import IPC
from dovetail.integrators import BarrierVerlet, ImplicitEuler, JointCoordinates

SCHEMES = {"ImplicitEuler": ImplicitEuler, "BarrierVerlet": BarrierVerlet}
MASS = 3.0


def hung(k, c, as_function, speed=0.0, gravity=-9.81):
    """A body on a spring-damper along the vertical, 1 m long at rest."""
    scene = dt.Scene(gravity=(0, 0, gravity))
    scene.add_body("body", dt.Box((0.1, 0.1, 0.1)), mass=MASS, position=(0, 0, -1),
                   velocity=(0, 0, speed))  # fmt: skip

    def pull(t, state):
        d = state.position("body")
        length = np.linalg.norm(d)
        n = d / length
        return {"body": (-(k * (length - 1) + c * (n @ state.velocity("body"))) * n, np.zeros(3))}

    if as_function:
        scene.add_load("pull", pull)
    else:
        scene.add_spring("pull", "ground", "body", (0, 0, 0), (0, 0, -1), k, c)
    return scene.build()


def ended(scheme, model, h, duration, contact=None):
    stepper = SCHEMES[scheme]().start(model, contact)
    for step in range(round(duration / h)):
        stepper.step((step + 1) * h)
    return stepper.bodies


def fallen(k, c, t):
    """Height [m] of a body that is let go: m z'' + c z' + k (z + 1) = -m g."""
    w, d = np.sqrt(k / MASS + 0j), c / (2 * MASS)
    low, high = -d - np.sqrt(d**2 - w**2), -d + np.sqrt(d**2 - w**2)
    rest = -9.81 * MASS / k
    a = rest * low / (high - low)
    return (-1 + rest + a * np.exp(high * t) - (rest + a) * np.exp(low * t)).real


@pytest.mark.parametrize("as_function", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_strong_damper_lets_a_body_down_slowly(scheme, as_function):
    """k = 100 N/m, c = 4e4 N s/m, m = 3 kg, h = 1 ms: c h / m = 13."""
    model = hung(100.0, 4e4, as_function)
    z = ended(scheme, model, 1e-3, 0.1, IPC()).x[0, 2]
    moved = fallen(100.0, 4e4, 0.1) + 1
    assert z + 1 == pytest.approx(moved, rel=1e-4)
    assert -8e-5 < moved < -7e-5


@pytest.mark.parametrize("as_function", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_springs_are_of_second_order(scheme, as_function):
    exact = fallen(100.0, 1.0, 0.5)
    error = [
        abs(ended(scheme, hung(100.0, 1.0, as_function), h, 0.5).x[0, 2] - exact)
        for h in (0.01, 0.005)
    ]
    assert np.log2(error[0] / error[1]) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("as_function", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_spring_far_too_stiff_for_the_step_carries_the_weight(scheme, as_function):
    """Natural frequency times step = 5.8, damping times step over mass 3.3."""
    z = ended(scheme, hung(1e8, 1e4, as_function), 1e-3, 0.2).x[0, 2]
    assert z == pytest.approx(-1 - 9.81 * MASS / 1e8, abs=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_damper_stops_a_moving_body_after_its_momentum_over_the_damping(scheme):
    bodies = ended(scheme, hung(0.0, 4e4, False, speed=2.0, gravity=0.0), 1e-3, 0.1)
    assert bodies.x[0, 2] + 1 == pytest.approx(MASS * 2.0 / 4e4, rel=1e-6)
    assert abs(bodies.v[0, 2]) < 1e-6


@pytest.mark.parametrize("scheme", SCHEMES)
def test_two_bodies_on_a_stiff_spring_keep_their_momenta(scheme):
    """A rod of two bodies that turns about its middle, held by its spring alone."""
    scene = dt.Scene()
    for side in (-1, 1):
        scene.add_body(f"end {side}", dt.Sphere(0.05), mass=1.0, position=(0.5 * side, 0, 0),
                       velocity=(0.3, side, 0.0))  # fmt: skip
    scene.add_spring("rod", "end -1", "end 1", (-0.5, 0, 0), (0.5, 0, 0), stiffness=1e9)
    bodies = ended(scheme, scene.build(), 1e-3, 0.2)
    np.testing.assert_allclose(bodies.v.sum(axis=0), [0.6, 0, 0], atol=1e-9)
    middle = bodies.x.mean(axis=0)
    turning = np.cross(bodies.x - middle, bodies.v - bodies.v.mean(axis=0)).sum(axis=0)
    assert turning[2] == pytest.approx(1.0, rel=1e-2 if scheme == "ImplicitEuler" else 1e-5)
    apart = np.linalg.norm(bodies.x[1] - bodies.x[0])
    assert apart == pytest.approx(1.0, abs=2e-3 if scheme == "ImplicitEuler" else 1e-4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_stiff_spring_follows_a_kinematic_body(scheme):
    scene = dt.Scene()
    scene.add_body("hand", dt.Sphere(0.05), motion="kinematic", velocity=(1, 0, 0))
    scene.add_body("ball", dt.Sphere(0.05), mass=1.0, position=(-0.5, 0, 0), velocity=(1, 0, 0))
    scene.add_spring("rod", "hand", "ball", (0, 0, 0), (-0.5, 0, 0), 1e8, 1e4)
    bodies = ended(scheme, scene.build(), 1e-3, 0.1)
    assert bodies.x[0, 0] - bodies.x[1, 0] == pytest.approx(0.5, abs=1e-6)


def governor():
    """A fly-ball governor: arms on an upright axle, strong spring-dampers from arms to a sleeve.

    Numbers of the IFToMM library of computational benchmarks (A05): k = 8e5 N/m, c = 4e4 N s/m,
    balls of 5 kg, arms of 1 m, one turn a second.
    """
    scene, spin, angle = dt.Scene(gravity=(0, 0, -9.81)), 2 * np.pi, np.radians(30)
    scene.add_body("axle", None, mass=1.0, inertia=(0.1, 0.1, 0.1), angular_velocity=(0, 0, spin))
    scene.add_joint("bearing", dt.Revolute((0, 0, 0), (0, 0, 1)), "ground", "axle")
    down = np.cos(angle), np.sin(angle)
    low = -0.5 * down[0] - np.sqrt(0.5**2 - (0.5 * down[1]) ** 2)
    scene.add_body("sleeve", None, mass=3.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, low),
                   angular_velocity=(0, 0, spin))  # fmt: skip
    scene.add_joint("slide", dt.Prismatic((0, 0, low), (0, 0, 1)), "axle", "sleeve")
    for side in (-1, 1):
        ball = np.array((side * down[1], 0, -down[0]))
        scene.add_body(f"arm {side}", None, mass=5.0, inertia=(0.02, 0.02, 0.02), position=ball,
                       velocity=(0, spin * ball[0], 0), angular_velocity=(0, 0, spin))  # fmt: skip
        scene.add_joint(f"hinge {side}", dt.Revolute((0, 0, 0), (0, 1, 0)), "axle", f"arm {side}")
        scene.add_spring(f"link {side}", f"arm {side}", "sleeve", 0.5 * ball, (0, 0, low), 8e5, 4e4)
    return scene.build()


@pytest.mark.parametrize(("scheme", "error"), [("ImplicitEuler", 4e-3), ("BarrierVerlet", 3e-6)])
def test_a_governor_opens_as_in_joint_coordinates(scheme, error):
    model = governor()
    reference = JointCoordinates().start(model, None)
    for step in range(1000):
        reference.step((step + 1) * 5e-4)
    bodies = ended(scheme, model, 1e-3, 0.5)
    sleeve = reference.bodies.x[1, 2]
    assert abs(sleeve - model.position[1, 2]) > 0.2
    assert bodies.x[1, 2] == pytest.approx(sleeve, abs=error)
