"""Motors f(t, q, v) under contact methods: motion, torque in the result, snapshots."""

import numpy as np
import pytest

import dovetail as dt
from dovetail import integrators

METHODS = [("StewartTrinkle", "lcp"), ("CompliantEuler", "sdf"), ("ImplicitEuler", "ipc"),
           ("BarrierVerlet", "ipc")]  # fmt: skip
G = 9.81


def held_arm(gain=60.0, damping=4.0, aim=0.3):
    """A level arm on a hinge that a controller holds, a floor far below."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static", position=(0, 0, -5))
    scene.add_body("arm", dt.Box((0.5, 0.05, 0.05)), mass=1.0, position=(0.25, 0, 0))
    motor = dt.Actuation(motor=lambda t, q, v: gain * (aim - q) - damping * v)
    scene.add_joint("u", dt.Revolute((0, 0, 0), (0, 1, 0), actuation=[motor]), "ground", "arm")
    return scene


@pytest.mark.parametrize(("integrator", "contact"), METHODS)
def test_a_controller_holds_an_arm(integrator, contact):
    """At rest 60 (0.3 - q) carries the weight 2.45 N m cos q, and that is the torque found."""
    options = {"integrator": integrator, "contact": contact, "progress": False}
    result = dt.simulate(held_arm(), 3.0, 2e-3, every=100, **options)
    q = result.joint("u").position[-1]
    weight = -0.25 * G * np.cos(q)
    assert 60.0 * (0.3 - q) == pytest.approx(weight, abs=1e-4)
    assert result.joint_torque("u")[-1, 1] == pytest.approx(weight, abs=1e-3)


@pytest.mark.parametrize(("integrator", "contact"), METHODS)
def test_swings_are_those_without_contact(integrator, contact):
    """Within the first order of the contact schemes, and the second of BarrierVerlet."""
    ends = {}
    for name, law in ((integrator, contact), ("RATTLie", None)):
        options = {"integrator": name, "contact": law, "progress": False, "check": False}
        ends[name] = dt.simulate(held_arm(5.0, 0.1), 0.5, 1e-3, **options).joint("u").position
    off = np.abs(ends[integrator] - ends["RATTLie"]).max()
    assert off < (2e-5 if integrator == "BarrierVerlet" else 5e-3) * np.ptp(ends["RATTLie"])


@pytest.mark.parametrize(("integrator", "contact"), METHODS)
def test_turns_are_counted_through_snapshots(integrator, contact):
    """The motor stops at 20 rad, more than three turns: another stepper goes on as the first."""

    def spun():
        scene = dt.Scene()
        scene.add_body("floor", dt.HalfSpace(), motion="static", position=(0, 0, -5))
        scene.add_body("arm", dt.Box((0.1, 0.1, 0.1)), mass=1.0)
        motor = dt.Actuation(motor=lambda t, q, v: 0.3 if q < 20.0 else -0.3)
        hinge = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=[motor])
        scene.add_joint("u", hinge, "ground", "arm")
        return scene.build()

    law = {"lcp": dt.contact.LCP, "sdf": dt.contact.SDF, "ipc": dt.contact.IPC}[contact]()
    first, second = (integrators.named(integrator, {}).start(spun(), law) for _ in range(2))
    for k in range(1, 71):
        first.step(k * 5e-3)
    second.restore(first.snapshot())
    for k in range(71, 90):
        first.step(k * 5e-3)
        second.step(k * 5e-3)
    assert (first.bodies.R == second.bodies.R).all()
    assert (first.bodies.omega == second.bodies.omega).all()
