"""Limits of joints with restitution: heights of bounces, energy, every scheme, loops."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import InputError
from dovetail.integrators import (
    DH,
    DL,
    EulerParameterDAE,
    JointCoordinates,
    LieGeneralizedAlpha,
    RATTLie,
)
from dovetail.integrators.pairing import started
from dovetail.integrators.shared.bouncing_limits import BouncingLimits
from dovetail.model.joints import Actuation

SCHEMES = [
    None, RATTLie(), RATTLie(order=4), DH(), DL(), JointCoordinates(), LieGeneralizedAlpha(),
    EulerParameterDAE(),
]  # fmt: skip
G = 9.81


def dropped(e, height=1.0):
    """1 kg on a vertical slide, a stop at its foot."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("block", mass=1, inertia=(1, 1, 1), position=(0, 0, height))
    stop = Actuation(lower=-height, limit_restitution=e)
    slide = dt.Prismatic(axis=(0, 0, 1), actuation=stop)
    scene.add_joint("slide", slide, "ground", "block")
    return scene


def run(scene, seconds, step, scheme, every=1):
    return dt.simulate(scene, seconds, step, integrator=scheme, every=every, progress=False)


@pytest.mark.filterwarnings("ignore:RATTLie takes steps of order 2")
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_bounces_have_their_times_and_heights(scheme):
    """Block thrown back at e = 0.7 from 1 m: where it is 0.9 s after it was dropped."""
    e, fall = 0.7, np.sqrt(2.0 / G)
    result = run(dropped(e), 0.9, 1e-3, scheme)
    t = 0.9 - fall
    assert t < 2 * e * G * fall / G  # still in its first flight
    wanted = e * G * fall * t - 0.5 * G * t * t
    assert result.position("block")[-1, 2] == pytest.approx(wanted, abs=1e-5)
    z = result.position("block")[:, 2]
    assert z.min() > -1e-9


@pytest.mark.filterwarnings("ignore:RATTLie takes steps of order 2")
@pytest.mark.parametrize("e", [0.5, 1.0])
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_energy_is_never_gained(scheme, e):
    """Where it comes to rest a step of its own weight is taken up again: h^2 g^2 m."""
    h = 2e-3
    result = run(dropped(e), 2.0, h, scheme)
    total = result.energy["total"]
    assert (total - np.minimum.accumulate(total)).max() < 2 * (h * G) ** 2
    if e == 1.0:
        assert total[-1] == pytest.approx(total[0], abs=1e-4 * G)


def test_a_block_comes_to_rest_at_its_stop():
    """Flights shorter than a step end: bounces do not go on for ever."""
    result = run(dropped(0.3, 0.1), 1.0, 1e-3, None)
    assert result.position("block")[-1, 2] == pytest.approx(0.0, abs=1e-9)
    assert np.abs(result.velocity("block")[-1]).max() < 1e-9


def pendula(e):
    """Two bars, the second with a stop at its elbow, both of restitution e."""
    scene = dt.Scene(gravity=(0, 0, -G))
    for k in range(2):
        scene.add_body(f"bar{k}", mass=1, inertia=(0.01, 0.09, 0.09), position=(0.5 + k, 0, 0))
    scene.add_joint("shoulder", dt.Revolute((0, 0, 0), (0, 1, 0)), "ground", "bar0")
    stops = Actuation(lower=-0.4, upper=0.3, limit_restitution=e)
    elbow = dt.Revolute((1, 0, 0), (0, 1, 0), actuation=stops)
    scene.add_joint("elbow", elbow, "bar0", "bar1")
    return scene


@pytest.mark.filterwarnings("ignore:RATTLie takes steps of order 2")
@pytest.mark.parametrize("scheme", SCHEMES[3:], ids=str)
def test_elastic_stops_of_a_double_pendulum_keep_energy(scheme):
    result = run(pendula(1.0), 3.0, 1e-3, scheme)
    total = result.energy["total"]
    assert np.abs(total - total[0]).max() < 5e-3
    angle = result.joint("elbow").position
    assert angle.max() < 0.3 + 1e-6 and angle.min() > -0.4 - 1e-6
    assert angle.max() > 0.299 or angle.min() < -0.399  # a stop was met


def test_schemes_agree_on_a_double_pendulum_with_stops():
    ends = [
        run(pendula(0.6), 1.5, 5e-4, scheme).position("bar1")[-1]
        for scheme in (RATTLie(), *SCHEMES[3:])
    ]
    assert np.ptp(ends, axis=0).max() < 2e-3


def four_bar(e):
    """A parallelogram whose crank has stops on both sides."""
    scene = dt.Scene(gravity=(0, 0, -G))
    J, y = (0.01, 0.09, 0.09), (0, 1, 0)
    at = {"crank": (0.25, 0, 0.433), "coupler": (1.0, 0, 0.866), "rocker": (1.25, 0, 0.433)}
    for name, place in at.items():
        scene.add_body(name, mass=1, inertia=J, position=place)
    stops = Actuation(lower=-1.0, upper=0.4, limit_restitution=e)
    stop = dt.Revolute((0, 0, 0), y, actuation=stops)
    scene.add_joint("a", stop, "ground", "crank")
    scene.add_joint("b", dt.Revolute((0.5, 0, 0.866), y), "crank", "coupler")
    scene.add_joint("c", dt.Revolute((1.5, 0, 0.866), y), "coupler", "rocker")
    scene.add_joint("d", dt.Revolute((1.0, 0, 0), y), "ground", "rocker")
    return scene


@pytest.mark.parametrize("scheme", [RATTLie(), *SCHEMES[4:]], ids=str)
def test_stops_in_a_loop(scheme):
    result = run(four_bar(0.8), 2.0, 1e-3, scheme)
    total = result.energy["total"]
    assert np.diff(total).max() < 2e-4  # of 30 J
    assert total[-1] < total[0] - 0.5
    assert result.constraint_violation["position"].max() < 1e-12


def test_resumed_bits_are_the_same():
    sim = dt.Simulation(pendula(0.6), step=1e-3)
    for _ in range(400):
        sim.step()
    kept = sim.snapshot()
    for _ in range(400):
        sim.step()
    wanted = sim.state.x.copy()
    sim.restore(kept)
    for _ in range(400):
        sim.step()
    assert (sim.state.x == wanted).all()


def test_rollouts_bounce_as_single_runs():
    many = dt.rollout(dropped(0.7), [None, None], 700, 1e-3, every=100)
    sim = dt.Simulation(dropped(0.7), step=1e-3)
    for _ in range(700):
        sim.step()
    assert (many.position[1, -1] == sim.state.x).all()


def test_what_is_refused():
    with pytest.raises(InputError, match="without contact only"):
        dt.simulate(dropped(0.5), 0.1, 1e-3, contact=dt.contact.LCP(), progress=False)
    with pytest.raises(InputError, match="must be <= 1"):
        dropped(1.5).build()
    scene = dt.Scene()
    scene.add_body("block", mass=1, inertia=(1, 1, 1))
    slide = dt.Prismatic(axis=(0, 0, 1), actuation=Actuation(limit_restitution=0.5))
    scene.add_joint("s", slide, "ground", "block")
    with pytest.raises(InputError, match="needs a `lower`"):
        scene.build()


@pytest.mark.parametrize("scheme", ["RATTLie", "DH", "JointCoordinates"])
def test_a_step_that_ends_at_an_impact_ends_at_its_time(scheme):
    """A block of 1 m/s meets its stop 0.05 m away at the end of the fifth step of 10 ms."""
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("block", mass=1, inertia=(1, 1, 1), velocity=(0, 0, -1))
    stop = Actuation(lower=-0.05, limit_restitution=0.5)
    scene.add_joint("slide", dt.Prismatic(axis=(0, 0, 1), actuation=stop), "ground", "block")
    sim = dt.Simulation(scene, 0.01, integrator=scheme)
    for k in range(1, 9):
        sim.step()
        assert sim._stepper.bodies.t == sim.time == 0.01 * k
    assert sim.body("block").velocity[2] == pytest.approx(0.5)
    assert sim.body("block").position[2] == pytest.approx(-0.05 + 0.5 * 0.03, abs=1e-9)


RIGID, SOFT, HELD = {"upper": 1.0}, {"upper": 1.0, "limit_stiffness": 9.0}, {"lower": 0, "upper": 0}


@pytest.mark.parametrize(
    ("scheme", "limits", "divides"),
    [
        ("JointCoordinates", {}, False), ("JointCoordinates", RIGID, True),
        ("JointCoordinates", SOFT, False), ("JointCoordinates", HELD, True),
        ("LieGeneralizedAlpha", {}, False), ("LieGeneralizedAlpha", RIGID, True),
        ("LieGeneralizedAlpha", HELD, False), ("EulerParameterDAE", {}, False),
        ("EulerParameterDAE", {"lower": -1.0}, True), ("DH", RIGID, False),
        ("RATTLie", RIGID, False),
    ],
)  # fmt: skip
def test_steps_are_divided_at_limits_that_take_the_speed_of_arrival(scheme, limits, divides):
    scene = dt.Scene()
    scene.add_body("bar", mass=1, inertia=(1, 1, 1))
    acting = dt.Actuation(**limits)
    scene.add_joint("j", dt.Revolute((0, 0, 0), (0, 0, 1), actuation=[acting]), "ground", "bar")
    stepper = started(dt.integrators.SCHEMES.get(scheme)(), scene.build(), None)
    assert isinstance(stepper, BouncingLimits) is divides


@pytest.mark.parametrize("scheme", ["LieGeneralizedAlpha", "EulerParameterDAE", "JointCoordinates"])
def test_after_a_state_that_is_set_limits_take_the_speed_as_in_a_run_that_began_there(
    scheme,
):
    """A rod swings onto its stop within 6 steps of the state."""
    sims = []
    for before in (0, 5):
        scene = dt.Scene(gravity=(0, 0, -9.81))
        scene.add_body("rod", mass=2.0, inertia=(0.1, 0.2, 0.2), position=(0.5, 0, 0))
        stop = dt.Actuation(upper=0.3, limit_restitution=0.5)
        hinge = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=[stop])
        scene.add_joint("hinge", hinge, "ground", "rod")
        sim = dt.Simulation(scene, 0.01, integrator=scheme, check=False)
        if before:
            sim.step(before)
        sim.set_state(q={"hinge": 0.2}, v={"hinge": 2.0})
        sims.append(sim)
    speeds = []
    for _ in range(12):
        for sim in sims:
            sim.step()
        q, v = (np.array([getattr(sim.joint("hinge"), what) for sim in sims])
                for what in ("position", "velocity"))  # fmt: skip
        assert np.ptp(q) < 1e-9 and np.ptp(v) < 1e-7
        assert q.max() < 0.3 + 1e-3
        speeds.append(v[0])
    assert max(speeds[:3]) > 2.0 and min(speeds) < -0.9
