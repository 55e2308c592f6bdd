"""Rolling, toppling and self-locking under the impulse method, with the order of convergence."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3

G, MU = 9.81, 0.5


def simulate(scene, duration, h, friction=MU):
    law = dt.contact.LCP(friction=friction, cone="exact")
    return dt.simulate(scene, duration, h, contact=law, progress=False)


def on_floor(normal=(0, 0, 1)):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(normal), motion="static")
    return scene


def orders(errors):
    return np.log2(np.divide(errors[:-1], errors[1:]))


def test_billiard_ball_rolls_at_five_sevenths_after_the_distance_of_the_closed_form():
    """It slides for 2 v / (7 mu g) over 12 v^2 / (49 mu g)."""
    v, t = 2.0, 1.0
    slides = 2 * v / (7 * MU * G)
    expected = 12 * v**2 / (49 * MU * G) + 5 / 7 * v * (t - slides)
    errors = []
    for h in (8e-3, 4e-3, 2e-3):
        scene = on_floor()
        scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 0.1), velocity=(v, 0, 0))
        result = simulate(scene, t, h)
        assert result.velocity("ball")[-1, 0] == pytest.approx(5 / 7 * v, rel=1e-9)
        assert result.angular_velocity("ball")[-1, 1] == pytest.approx(5 / 7 * v / 0.1, rel=1e-9)
        errors.append(abs(result.position("ball")[-1, 0] - expected))
    assert orders(errors) == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize(
    ("name", "inertia", "share"),
    [("ball", 2 / 5, 5 / 7), ("cylinder", 1 / 2, 2 / 3), ("hoop", 1, 1 / 2)],
)
def test_bodies_roll_down_an_incline_with_their_share_of_gravity(name, inertia, share):
    """a = g sin(angle) / (1 + I / (m r^2)), and the error of the distance is h v / 2."""
    angle, radius, t, errors = 0.3, 0.1, 0.5, []
    turn = so3.exp([0, angle, 0])
    for h in (8e-3, 4e-3, 2e-3):
        scene = on_floor(turn[:, 2])
        shape = dt.Sphere(radius) if name == "ball" else dt.Cylinder(radius, 0.1)
        about, along = inertia * radius**2, 0.01
        lying = turn @ so3.exp([np.pi / 2, 0, 0])
        moments = (about,) * 3 if name == "ball" else (along, along, about)
        scene.add_body("body", shape, mass=1, inertia=moments, position=radius * turn[:, 2],
                       rotation=turn if name == "ball" else lying)  # fmt: skip
        result = simulate(scene, t, h)
        distance = (result.position("body")[-1] - result.position("body")[0]) @ turn[:, 0]
        errors.append(abs(distance - 0.5 * share * G * np.sin(angle) * t**2))
        along_slope = result.velocity("body")[-1] @ turn[:, 0]
        assert along_slope == pytest.approx(share * G * np.sin(angle) * t, rel=1e-6)
    assert orders(errors) == pytest.approx(1, abs=0.1)


def test_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate():
    rate, radius, errors = 3.0, 0.05, []
    for h in (4e-3, 2e-3, 1e-3):
        scene = dt.Scene(gravity=(0, 0, -G))
        scene.add_body("table", dt.Cylinder(2.0, 0.2), motion="kinematic", position=(0, 0, -0.1),
                       angular_velocity=(0, 0, rate))  # fmt: skip
        # it rolls: its lowest point has the velocity of the table, 0.3 m from the axis
        spin = ((rate * 0.3 - 0.1) / radius, 0, 0)
        scene.add_body("ball", dt.Sphere(radius), mass=1, position=(0.3, 0, radius),
                       velocity=(0, 0.1, 0), angular_velocity=spin)  # fmt: skip
        result = simulate(scene, 1.0, h, friction=2.0)
        v = result.velocity("ball")[:, :2]
        turned = np.unwrap(np.arctan2(v[:, 1], v[:, 0]))
        passed = result.time[-1] - result.time[1]
        errors.append(abs((turned[-1] - turned[1]) / passed - 2 / 7 * rate))
    assert errors[-1] < 1e-5 * rate
    assert orders(errors) == pytest.approx(2, abs=0.1)  # the rate of a rotation by chords


@pytest.mark.parametrize(("share", "falls"), [(0.98, False), (1.02, True)])
def test_block_topples_on_an_incline_where_its_weight_leaves_the_base(share, falls):
    """tan(angle) = width / height, with friction that lets nothing slide."""
    width, height = 0.2, 0.4
    turn = so3.exp([0, np.arctan(share * width / height), 0])
    scene = on_floor(turn[:, 2])
    scene.add_body("block", dt.Box((width, 0.2, height)), mass=1,
                   position=0.5 * height * turn[:, 2], rotation=turn)  # fmt: skip
    result = simulate(scene, 1.0, 0.005, friction=2.0)
    tilt = so3.log(result.rotation("block")[-1] @ turn.T)[1]
    assert (tilt > 0.05) if falls else (abs(tilt) < 1e-6)


@pytest.mark.parametrize(("share", "slips"), [(0.97, False), (1.03, True)])
def test_wedge_locks_itself_up_to_twice_the_friction_angle(share, slips):
    """A weight that can only sink pushes a wedge aside if its angle is above 2 atan(mu)."""
    mu = 0.3
    angle = share * 2 * np.arctan(mu)
    x, z = 0.6, 0.6 * np.tan(angle)
    corners = np.array([[a, b, c] for b in (-0.2, 0.2) for a, c in ((0, 0), (x, 0), (x, z))])
    faces = [[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]]
    scene = on_floor()
    # so light that its own weight adds nothing to the force on the ground
    scene.add_body("wedge", dt.Mesh(corners, faces=faces), mass=1e-3)
    radius, at = 0.1, 0.3
    place = np.array([at, 0, at * np.tan(angle)]) + radius * np.array(
        [-np.sin(angle), 0, np.cos(angle)]
    )
    scene.add_body("weight", dt.Sphere(radius), mass=10, position=place,
                   fixed=(True, True, False, True, True, True))  # fmt: skip
    result = simulate(scene, 0.1, 1e-3, friction=mu)
    moved = result.position("wedge")[-1, 0] - result.position("wedge")[0, 0]
    assert (moved > 1e-3) if slips else (abs(moved) < 1e-8)


def rolled_energy(contact, h):
    """Share of its energy that a tilted disk keeps in 0.2 s, its rim rolling in a circle.

    It starts with the turn of the thin disk whose centre stays, Omega^2 sin(tilt) = 4 g / r (the
    disk of Euler), rolling; as it has a thickness, its tilt then changes a little.
    """
    radius, thickness, tilt = 0.1, 0.004, np.radians(30)
    R = so3.exp([tilt, 0, 0])
    lowest = R @ np.array([0, -radius, -thickness / 2])
    rate = np.sqrt(4 * G / (radius * np.sin(tilt)))
    spin = rate * np.sin(tilt) * R[:, 1]
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("disk", dt.Cylinder(radius, thickness), density=7800, rotation=R,
                   position=(0, 0, -lowest[2]), velocity=-np.cross(spin, lowest),
                   angular_velocity=spin)  # fmt: skip
    energy = dt.simulate(scene, 0.2, h, contact=contact, progress=False).energy["total"]
    return energy[-1] / energy[0]


def test_eulers_disk_under_impulses_and_forces_is_of_first_order_to_one_limit():
    limits = []
    for contact in (dt.contact.LCP(friction=0.8), dt.contact.SDF(friction=0.8)):
        coarse, middle, fine = (rolled_energy(contact, h) for h in (1e-3, 5e-4, 2.5e-4))
        assert 0.8 < np.log2((middle - coarse) / (fine - middle)) < 1.6
        limits.append(2 * fine - middle)
    np.testing.assert_allclose(limits, 1.0, atol=1e-3)  # it rolls, and nothing is lost
