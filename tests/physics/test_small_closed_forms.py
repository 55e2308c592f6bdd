"""Small scenes with closed forms under LCP and SDF, as they are by default."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3

G = 9.81
METHODS = ["LCP", "SDF"]


def run(scene, duration, method, friction=0.0, restitution=0.0):
    law = getattr(dt.contact, method)(friction=friction, restitution=restitution)
    return dt.simulate(scene, duration, 1e-3, contact=law, progress=False)


@pytest.mark.parametrize("method", METHODS)
def test_ball_in_a_groove_presses_on_both_sides_alike(method):
    scene, q = dt.Scene(gravity=(0, 0, -G)), np.sqrt(0.5)
    scene.add_body("left", dt.HalfSpace((q, 0, q)), motion="static")
    scene.add_body("right", dt.HalfSpace((-q, 0, q)), motion="static")
    scene.add_body("ball", dt.Sphere(0.1), mass=2, position=(0, 0, 0.1 / q))
    result = run(scene, 0.1, method)
    for side in ("left", "right"):
        force = np.linalg.norm(result.contact_force(side, "ball").force[-1])
        assert force == pytest.approx(2 * G * q, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("beyond", [0.03, -0.03])
def test_ladder_slips_below_the_angle_of_its_friction(method, beyond):
    """tan(angle) = (1 - mu^2) / (2 mu) with the same mu at the floor and the wall."""
    mu, r, length = 0.4, 0.01, 1.0
    angle = np.arctan((1 - mu**2) / (2 * mu)) + beyond
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("wall", dt.HalfSpace((-1, 0, 0)), motion="static")
    place = (-r - 0.5 * length * np.cos(angle), 0, r + 0.5 * length * np.sin(angle))
    scene.add_body("ladder", dt.Capsule(r, length), mass=1, inertia=np.diag([1, 1, 0.01]) / 12,
                   position=place, rotation=so3.exp((0, np.pi / 2 - angle, 0)))  # fmt: skip
    path = run(scene, 0.5, method, friction=mu).position("ladder")
    moved = np.abs(path[-1] - path[0]).max()
    assert moved < 1e-5 if beyond > 0 else moved > 0.01


@pytest.mark.parametrize("method", METHODS)
def test_ball_that_hits_a_block_off_its_middle_slides_through_the_impact(method):
    """Poisson's e and friction mu along the slip: J_N = (1 + e) v_N / (A_nn + mu A_nt)."""
    e, mu, m, M, r = 0.5, 0.3, 1.0, 2.0, 0.05
    arm, inertia = np.array([-0.1, 0.15]), M / 12 * (0.2**2 + 0.6**2)
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("block", dt.Box((0.2, 0.4, 0.6)), mass=M)
    scene.add_body("ball", dt.Sphere(r), mass=m, position=(-0.1 - r - 0.05, 0, 0.15 - 0.05 * 2.5),
                   velocity=(1, 0, 2.5))  # fmt: skip
    normal = 1 / m + 1 / M + arm[1] ** 2 / inertia
    mixed = -arm[0] * arm[1] / inertia
    J = (1 + e) / (normal + mu * mixed)
    result = run(scene, 0.12, method, mu, e)
    np.testing.assert_allclose(result.velocity("block")[-1], [J / M, 0, mu * J / M], atol=1e-9)
    spin = (arm[1] - mu * arm[0]) * J / inertia
    assert result.angular_velocity("block")[-1, 1] == pytest.approx(spin, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_ball_on_a_conveyor_rolls_at_two_sevenths_of_its_speed(method):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("belt", dt.Box((8, 2, 0.2)), motion="kinematic", position=(0, 0, -0.1),
                   velocity=(1, 0, 0))  # fmt: skip
    scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 0.1))
    speed = run(scene, 0.4, method, friction=0.3).velocity("ball")[-1, 0]
    assert speed == pytest.approx(2 / 7, abs=1e-5)
