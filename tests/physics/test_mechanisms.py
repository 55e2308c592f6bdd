"""Linkages against closed forms, and conservation laws of mechanisms in joint coordinates."""

import numpy as np
import pytest
from stepping import advance, observed_orders

from dovetail.integrators import JointCoordinates
from dovetail.model.joints import Actuation, Revolute, Spherical
from dovetail.model.scene import Scene
from dovetail.multibody.energy import kinetic_energy, potential_energy
from dovetail.multibody.momentum import angular_momentum, linear_momentum
from mechanism_scenes import (
    FOUR_BAR,
    KINDS,
    SLIDER_CRANK,
    Z,
    coupler_point,
    four_bar,
    random_body,
    random_mechanism,
    slider_crank,
)

SPEED = 2 * np.pi  # [rad/s]: one turn per second
TURNS = 100


def start(scene):
    model = scene.build()
    return model, JointCoordinates().start(model, None)


def energy(model, stepper):
    state = stepper.bodies
    stored = stepper.observe().stored_energy
    return kinetic_energy(model, state) + potential_energy(model, state) + stored


def closed(stepper, tolerance=1e-12):
    seen = stepper.observe()
    return seen.constraint_position < tolerance and seen.constraint_velocity < 10 * tolerance


def test_driven_slider_crank_keeps_its_closed_form_for_a_hundred_turns():
    """x = a cos phi + sqrt(b^2 - a^2 sin^2 phi) to 1e-9 m."""
    a, b = SLIDER_CRANK
    _, stepper = start(slider_crank(0.4, actuation=[Actuation(motor=("velocity", SPEED))]))
    worst, steps = 0.0, 60
    for k in range(1, TURNS * steps + 1):
        stepper.step(k / steps)
        phi = 0.4 + SPEED * k / steps
        x = a * np.cos(phi) + np.sqrt(b**2 - (a * np.sin(phi)) ** 2)
        worst = max(worst, np.abs(stepper.bodies.x[2] - [x, 0, 0]).max())
    assert worst < 1e-9
    assert closed(stepper)


def test_spinning_four_bar_keeps_its_closed_form_and_energy_for_a_hundred_turns():
    """Without gravity and motor: the rocker follows the crank to 1e-9 m, energy stays in a band."""
    model, stepper = start(_spun(four_bar(gravity=(0, 0, 0))))
    h, worst, turned, before = 0.004, 0.0, 0.0, None
    energies = []
    for k in range(1, 400_000):
        stepper.step(k * h)
        x = stepper.bodies.x
        angle = np.arctan2(x[0, 1], x[0, 0])
        if before is not None:
            turned += (angle - before + np.pi) % (2 * np.pi) - np.pi
        before = angle
        if k % 7 == 0:
            _, C = coupler_point(*FOUR_BAR, angle)
            rocker = np.mean([C, (FOUR_BAR[3], 0.0)], axis=0)
            worst = max(worst, np.abs(x[2, :2] - rocker).max(), np.abs(x[:, 2]).max())
            energies.append(energy(model, stepper))
        if abs(turned) > 2 * np.pi * TURNS:
            break
    assert abs(turned) > 2 * np.pi * TURNS
    assert worst < 1e-9
    assert closed(stepper)
    half = len(energies) // 2
    band = np.ptp(energies[:half])
    assert band < 2e-3 * energies[0]
    assert np.ptp(energies) < 1.3 * band  # no drift: the second half adds nothing
    assert np.mean(energies[half:]) == pytest.approx(np.mean(energies[:half]), abs=0.1 * band)


def _spun(scene):
    """All bodies of the four-bar given velocities; the start makes them consistent."""
    spun = Scene(gravity=scene.gravity)
    for name, body in scene.bodies.items():
        spin = (0, 0, 150.0) if name == "crank" else (0, 0, 0)
        spun.add_body(
            name, mass=body.mass, inertia=body.inertia, position=body.position,
            rotation=body.rotation, angular_velocity=spin,
        )  # fmt: skip
    for name, (joint, a, b) in scene.joints.items():
        spun.add_joint(name, joint, a, b)
    return spun


@pytest.mark.parametrize("kind", [*KINDS[:-1], "loops"])
def test_motion_converges_at_the_declared_order_for_every_kind_of_joint(kind):
    rng = np.random.default_rng(3)
    if kind == "loops":
        scene = random_mechanism(rng, ["universal", "spherical", "spherical"], ["spherical"])
    else:
        scene = random_mechanism(rng, [kind] * 3)
    model = scene.build()

    def end(n):
        stepper = JointCoordinates().start(model, None)
        state = advance(stepper, 0.25 / n, n)
        return np.concatenate([a.ravel() for a in (state.x, state.R, state.v, state.omega)])

    ends = {n: end(n) for n in (20, 40, 80, 160)}
    if kind == "prismatic":  # a parabola is exact
        assert np.abs(ends[20] - ends[160]).max() < 1e-11
        return
    orders = observed_orders(lambda n: np.abs(ends[n] - ends[2 * n]).max(), (20, 40, 80))
    assert np.all(np.abs(orders - JointCoordinates.order) < 0.1), orders


def test_a_step_back_undoes_a_step():
    """The scheme is symmetric: back and forth ends where it began, to round-off."""
    rng = np.random.default_rng(4)
    scene = random_mechanism(rng, ["universal", "spherical", "revolute", "free"], ["spherical"])
    _, stepper = start(scene)
    before = stepper.bodies.copy()
    advance(stepper, 0.01, 20)
    assert np.abs(stepper.bodies.x - before.x).max() > 1e-2
    advance(stepper, -0.01, 20)
    assert np.abs(stepper.bodies.x - before.x).max() < 1e-10
    assert np.abs(stepper.bodies.v - before.v).max() < 1e-9


def test_floating_loop_keeps_both_momenta():
    """Three bodies in a ring of balls, joined to nothing: momenta to round-off."""
    rng = np.random.default_rng(6)
    scene = Scene()
    for i in range(3):
        random_body(rng, scene, f"body {i}")
    for i in range(3):
        ball = Spherical(rng.uniform(-1, 1, 3))
        scene.add_joint(f"ball {i}", ball, f"body {i}", f"body {(i + 1) % 3}")
    model, stepper = start(scene)
    p, L = linear_momentum(model, stepper.bodies), angular_momentum(model, stepper.bodies)
    e = energy(model, stepper)
    advance(stepper, 0.01, 300)
    assert np.abs(linear_momentum(model, stepper.bodies) - p).max() < 1e-10
    assert np.abs(angular_momentum(model, stepper.bodies) - L).max() < 1e-9
    assert energy(model, stepper) == pytest.approx(e, rel=1e-2)
    assert closed(stepper)


def test_pendulum_swings_with_the_period_of_the_elliptic_integral():
    """T = 4 sqrt(I/(m g l)) K(sin^2(a/2)) of a compound pendulum let go at angle a."""
    from scipy.special import ellipk

    scene = Scene(gravity=(0, -9.81, 0))
    inertia, mass, length, a = 0.05, 2.0, 0.4, 1.2
    place = (length * np.sin(a), -length * np.cos(a), 0)
    scene.add_body("bob", mass=mass, inertia=(inertia,) * 3, position=place)
    scene.add_joint("pin", Revolute((0, 0, 0), Z), "ground", "bob")
    _, stepper = start(scene)
    about_pin = inertia + mass * length**2
    period = 4 * np.sqrt(about_pin / (mass * 9.81 * length)) * ellipk(np.sin(a / 2) ** 2)
    advance(stepper, 10 * period / 40_000, 40_000)
    assert np.abs(stepper.bodies.x[0] - place).max() < 2e-5
