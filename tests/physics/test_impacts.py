"""Impacts under the impulse method with its defaults: chains of bodies, bouncing, energy."""

import numpy as np
import pytest

import dovetail as dt

G = 9.81
GAPS = pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-6, 1e-4, 5e-4, 1e-3, 1e-2])
STEPS = pytest.mark.parametrize("h", [1e-2, 1e-3])


def row(shape, size, n, gap, first_gap):
    """N bodies in line, the first of them moving at 1 m/s towards the others."""
    scene, x = dt.Scene(), 0.0
    for k in range(n):
        scene.add_body(f"body{k}", shape, mass=1, position=(x, 0, 0),
                       velocity=(float(k == 0), 0, 0))  # fmt: skip
        x += size + (gap if k else first_gap)
    return scene


def ends(shape, size, n, gap, h, phase=0.5):
    """Velocities along the line after all impacts, and the largest spin ever."""
    scene = row(shape, size, n, gap, phase * h)
    stepper = dt.integrators.StewartTrinkle().start(scene.build(), dt.contact.LCP(restitution=1))
    spin, last = 0.0, 0.0
    for k in range(1, int((phase * h + n * gap) / h) + 6):
        stepper.step(k * h)
        spin = max(spin, float(np.abs(stepper.bodies.omega).max()))
        last = stepper.bodies.v[:, 0]
    return np.array(last), spin


@GAPS
@STEPS
def test_three_boxes_in_line_pass_the_motion_on_without_spin(gap, h):
    v, spin = ends(dt.Box((0.1, 0.1, 0.1)), 0.1, 3, gap, h)
    np.testing.assert_allclose(v, [0, 0, 1], atol=1e-9)
    assert spin < 1e-9


@GAPS
@STEPS
def test_cradle_of_five_keeps_its_energy(gap, h):
    v, _ = ends(dt.Sphere(0.05), 0.1, 5, gap, h)
    np.testing.assert_allclose(v, [0, 0, 0, 0, 1], atol=1e-9)
    assert np.sum(v**2) == pytest.approx(1, abs=1e-9)


def test_rows_of_random_lengths_gaps_steps_and_phases_pass_the_motion_on():
    rng = np.random.default_rng(7)
    for _ in range(20):
        n, gap, h = int(rng.integers(2, 8)), 10 ** rng.uniform(-8, -2), 10 ** rng.uniform(-3, -1.7)
        v, spin = ends(dt.Box((0.1, 0.1, 0.1)), 0.1, n, gap, h, rng.uniform(0.05, 1.9))
        np.testing.assert_allclose(v, np.arange(n) == n - 1, atol=1e-9)
        assert spin < 1e-9


def test_thirty_balls_pass_the_motion_on_within_one_step():
    """More impacts than a step has pieces: the last piece takes all that close within it."""
    v, _ = ends(dt.Sphere(0.05), 0.1, 30, 1e-5, 1e-2)
    np.testing.assert_allclose(v, np.arange(30) == 29, atol=1e-9)


def bounced(shape, radius, e, h, duration, **placed):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("body", shape, mass=1, position=(0, 0, radius + 1), **placed)
    return dt.simulate(scene, duration, h, contact=dt.contact.LCP(restitution=e), progress=False)


@STEPS
@pytest.mark.parametrize("e", [0.0, 0.3, 0.8, 1.0])
def test_ball_rebounds_to_e_squared_of_its_height(e, h):
    result = bounced(dt.Sphere(0.1), 0.1, e, h, 1.3)
    z = result.position("body")[:, 2] - 0.1
    fall = np.sqrt(2 / G)
    flight = (result.time > fall + h) & (result.time < fall * (1 + 2 * e) + h)
    # frames are h apart, so that the highest is up to g h^2 / 8 below the top
    assert z[flight].max(initial=0.0) == pytest.approx(e**2, abs=0.01 * e**2 + G * h**2 / 8)
    assert np.diff(result.energy["total"]).max() < 1e-9
    assert z.min() > -1e-9


@pytest.mark.parametrize("shape", ["ball", "box"])
def test_energy_stays_over_twenty_bounces_with_e_one(shape):
    body = dt.Sphere(0.1) if shape == "ball" else dt.Box((0.2, 0.2, 0.2))
    result = bounced(body, 0.1, 1.0, 0.01, 2 * np.sqrt(2 / G) * 20.5)
    energy = result.energy["total"] - 0.1 * G
    assert (np.diff(np.sign(result.velocity("body")[:, 2])) > 0).sum() >= 20
    np.testing.assert_allclose(energy / energy[0], 1, atol=1e-6)


def test_ball_that_lands_on_a_resting_box_passes_its_motion_to_the_floor():
    """The box rests on the floor; after the impacts nothing is faster than before, none sinks."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("box", dt.Box((1, 1, 0.2)), mass=5, position=(0, 0, 0.1))
    scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 1.3))
    result = dt.simulate(scene, 1.0, 0.005, contact=dt.contact.LCP(restitution=0.7), progress=False)
    assert np.diff(result.energy["total"]).max() < 1e-9
    assert result.min_distance.min() > -1e-7
    assert result.position("ball")[:, 2].min() > 0.3 - 1e-7


def test_mean_contact_force_of_a_step_with_an_impact_is_its_change_of_momentum():
    result = bounced(dt.Sphere(0.1), 0.1, 0.8, 0.01, 0.6)
    v = result.velocity("body")[:, 2]
    for k in range(1, len(v)):
        force = result.contacts.at(k).forces[:, 2]
        sign = -1 if len(force) and result.contacts.at(k).bodies[0, 0] == 0 else 1
        assert sign * force.sum() * 0.01 == pytest.approx(v[k] - v[k - 1] + G * 0.01, abs=1e-9)


@pytest.mark.parametrize(("friction", "moves"), [(19.0, True), (20.0, False)])
def test_slider_with_dry_friction_sinks_only_if_its_weight_is_more(friction, moves):
    """A vertical rail: a = g - F / m, and at rest where F > m g."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("slider", dt.Box((0.1, 0.1, 0.1)), mass=2, position=(0, 0, 1))
    rail = dt.Prismatic((0, 0, 1), (0, 0, 1), actuation=(dt.Actuation(friction=friction),))
    scene.add_joint("rail", rail, "ground", "slider")
    result = dt.simulate(scene, 0.5, 1e-3, contact=dt.contact.LCP(), progress=False)
    expected = -(G - friction / 2) * 0.5 if moves else 0.0
    assert result.velocity("slider")[-1, 2] == pytest.approx(expected, abs=1e-9)


def test_pendulum_with_dry_friction_comes_to_rest_and_carries_a_ball():
    """Its friction holds it off the vertical; a ball that lands on it moves it again."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("arm", dt.Box((1, 0.1, 0.1)), mass=1, position=(0.5, 0, 0))
    hinge = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=(dt.Actuation(friction=5.2),))
    scene.add_joint("hinge", hinge, "ground", "arm")
    scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0.9, 0, 0.65))
    result = dt.simulate(scene, 0.5, 1e-3, contact=dt.contact.LCP(friction=0.3), progress=False)
    turned = np.linalg.norm(result.angular_velocity("arm"), axis=1)
    falls = np.sqrt(2 * 0.5 / G)
    assert turned[result.time < falls - 2e-3].max() < 1e-9  # 1 kg at 0.5 m: 4.9 N m
    assert turned[-1] > 1
