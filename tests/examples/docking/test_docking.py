"""The docking study, started shortly before its latches meet the strikers."""

import warnings

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.law import PenetrationWarning
from dovetail.examples import docking, study_file
from dovetail.examples.docking import Docking, approach, docking_scene, latched_event
from dovetail.examples.docking.measures import (
    latch_travel,
    latching_time,
    momentum_drift,
    ring_distance,
)
from dovetail.examples.docking.parts import LATCH, active_ring, latch, leg_ends
from dovetail.multibody.state import initial_state
from dovetail.studies.document import read_study


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def test_masses_and_moments_are_those_of_table_1():
    model = docking_scene().build()
    total = {
        name: (model.mass[k], 1e6 * np.diag(model.inertia[k])) for k, name in enumerate(model.names)
    }
    for name, mass, moments in (
        ("active vehicle", 7.9e3, (8.6e9, 4.3e10, 4.1e10)),
        ("leg 1", 0.21, (33.48, 4.7e3, 4.7e3)),
        ("active ring", 47.50, (1.4e7, 6.9e6, 6.8e6)),
        ("latch 3", 0.063, (32.24, 49.30, 54.66)),
        ("passive vehicle", 8.6e3, (1.3e10, 7.9e10, 7.9e10)),
    ):  # fmt: skip
        assert total[name][0] == pytest.approx(mass)
        # the ring's 1.4e7 is more than the other two together: 1.37e7 rounds to it
        assert total[name][1] == pytest.approx(moments, rel=0.022 if "ring" in name else 1e-12)
    assert len(model.names) == 1 + 6 + 1 + 3 + 1
    assert Docking().common_velocity == pytest.approx(-20.787e-3, abs=1e-6)


def test_generated_parts_are_closed_and_of_the_size_their_inertia_asks_for():
    for part in (active_ring(Docking()), latch()):
        assert part.diagnosis.closed
    lower, upper = latch().surface().bounds
    np.testing.assert_allclose(upper - lower, LATCH, rtol=1e-9)
    a, b, c = LATCH
    box = 0.063 / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(1e6 * box, (32.24, 49.30, 54.66), rtol=2e-3)


def test_a_leg_pushes_the_ring_along_itself_with_its_stiffness():
    study = Docking(gap=0.2)
    scene = docking_scene(study)
    feet, tips = leg_ends(study, np.sqrt(12 * study.leg.moments[1] / study.leg.mass))
    along = (tips - feet) / np.linalg.norm(tips - feet, axis=1)[:, None]
    stiffness = study.leg_stiffness * (along.T @ along)
    assert stiffness[0, 0] == pytest.approx(6 * 1.5e7 * along[0, 0] ** 2)
    # a push along the axis, slow against the ring's oscillation, moves it by force over stiffness
    scene.add_force("push", "active ring", force=(-100.0, 0, 0))
    result = dt.simulate(scene, 0.02, 5e-5, integrator=dt.integrators.RATTLie())
    moved = result.position("active ring")[:, 0] - result.position("active vehicle")[:, 0]
    oscillation = moved - moved[0]
    assert oscillation.mean() == pytest.approx(-100.0 / stiffness[0, 0], rel=0.05)


@pytest.mark.parametrize("light", [True, False])
def test_an_approach_starts_with_latches_on_strikers_before_the_rings_touch(light):
    for aside, above in ((0.0, 0.0), (0.003, -0.002), (-0.004, 0.004)):
        study = approach(aside, above, light)
        law = docking.contact(study).prepare(docking_scene(study).build())
        state = initial_state(docking_scene(study).build())
        report = law.report(state)
        assert -1e-9 < report.min_distance < 1e-4  # the latches
        names = list(docking_scene(study).bodies)
        ring, passive = names.index("active ring"), names.index("passive vehicle")
        assert not (report.contacts.bodies == ring).any()
        state.x[passive, 0] -= 2e-3
        assert (law.report(state).contacts.bodies == ring).any()


@pytest.mark.parametrize("light", [True, False])
def test_a_lifted_latch_is_pulled_in_by_its_spring(light):
    """Nothing under it: it falls from 10.5 mm as a damped oscillator does, to e^-3 within 60 ms."""
    study = Docking(gap=0.5, latches_lifted=True, light_legs=light)
    result = dt.simulate(
        docking_scene(study), 0.06, 1e-4, every=10, integrator=dt.integrators.JointCoordinates()
    )
    radius = np.linalg.norm(
        (result.position("latch 2") - result.position("active ring"))[:, 1:], axis=1
    )
    lift = radius - radius[0] + 10.5e-3
    rate, damped = np.sqrt(600 / 0.063), 6 / (2 * 0.063)
    w = np.sqrt(rate**2 - damped**2)
    t = result.time
    expected = 10.5e-3 * np.exp(-damped * t) * (np.cos(w * t) + damped / w * np.sin(w * t))
    np.testing.assert_allclose(lift, expected, atol=2e-5)


@pytest.mark.slow
def test_an_approach_on_the_axis_latches_and_one_3_mm_off_it_does_not():
    study = read_study(study_file("docking-approaches"))
    ends = [until.event(name) for name, until in study.until.items()]
    for aside, latches in ((0.0, True), (0.003, False)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PenetrationWarning)  # hooks are soft
            result = dt.simulate(
                docking.build(aside, light=True), 1.0, 4e-4, every=20, events=ends,
                contact=docking.contact(Docking()), progress=False,
                integrator=dt.integrators.JointCoordinates(),
            )  # fmt: skip
        assert study.outputs["latched"](result) is latches
        assert momentum_drift(result) < 1e-9


@pytest.mark.slow
def test_latches_catch_the_strikers_and_both_vehicles_go_on_together():
    study = Docking(gap=0.0575)
    result = dt.simulate(
        docking_scene(study), 2.3, 1e-4, contact=docking.contact(study), every=50,
        integrator=dt.integrators.RATTLie(), progress=False,
        events=[latched_event(terminal=False)],
    )  # fmt: skip
    docking.check(result, study)
    (latched,) = result.events
    assert latched.time == pytest.approx(latching_time(result), abs=0.006)
    opened = latch_travel(result)
    assert opened.max() == pytest.approx(10.5e-3, rel=0.05)
    np.testing.assert_allclose(opened.max(axis=0), opened.max(), rtol=1e-6)  # all three alike
    late = result.time > study.gap / study.speed + 0.2
    assert -1e-3 < ring_distance(result)[late].min() < 0 < ring_distance(result)[late].max() < 1e-3
