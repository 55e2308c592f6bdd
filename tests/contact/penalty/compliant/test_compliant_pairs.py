"""How stiff, rough and bouncy compliant contact is, from sizes, masses and speeds."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.compliant.contact_impulse import stiffness_at
from dovetail.contact.penalty.compliant.law import CompliantLaw
from dovetail.contact.penalty.compliant.pairs import (
    DAMPING_RATIO,
    IMPACT_DEPTH,
    NEAR_RIGID,
    RECOVERY_SPEED,
    RESTING_DEPTH,
    carried_mass,
    compliant_stiffness,
)
from dovetail.contact.penalty.compliant.records import (
    CAP,
    EXPONENT,
    MU_D,
    MU_S,
    RECOVERY,
    RELAXATION,
    RESTITUTION,
    STIFFNESS,
)
from dovetail.contact.penalty.penetration import PenetrationWarning

G = 9.81


def two_boxes(gravity=G, velocity=(0, 0, 0), **pair):
    scene = dt.Scene(gravity=(0, 0, -gravity))
    scene.add_body("table", dt.Box((3, 3, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("box", dt.Box((1, 1, 1)), mass=4, position=(0, 0, 0.6), velocity=velocity)
    scene.add_body("crate", dt.Box((1, 1, 1)), mass=12, position=(0, 0, 1.7))
    if pair:
        scene.add_material_pair("box", "crate", **pair)
    return scene.build()


def row(model, i, j, **settings):
    law = CompliantLaw(model, dt.contact.SDF(**settings))
    return law.laws[law.pairs.rows_of(np.array([[i, j]]))[0]]


@pytest.mark.parametrize(("mass", "size", "speed"), [(1.0, 0.1, 0.01), (50.0, 2.0, 0.001)])
def test_at_rest_the_weight_presses_no_deeper_than_allowed(mass, size, speed):
    k = compliant_stiffness(mass, size, speed, G)
    assert mass * G / k == pytest.approx(RESTING_DEPTH * size)


@pytest.mark.parametrize(("mass", "size", "speed"), [(1.0, 0.1, 100.0), (50.0, 2.0, 500.0)])
def test_a_fast_impact_goes_no_deeper_than_allowed(mass, size, speed):
    """Overdamped, m d'' = -2 z omega m d' - k d: it goes about v / (2 z omega) deep."""
    k = compliant_stiffness(mass, size, speed, 0.0)
    omega = np.sqrt(k / mass)
    assert speed / (2 * DAMPING_RATIO * omega) == pytest.approx(IMPACT_DEPTH * size)


def test_the_mass_of_a_pair_is_the_reduced_one_and_static_bodies_have_none():
    assert row(two_boxes(), 0, 1)[CAP] == pytest.approx(NEAR_RIGID * 4)
    assert row(two_boxes(), 1, 2)[CAP] == pytest.approx(NEAR_RIGID * 4 * 12 / 16)


@pytest.mark.parametrize("h", [1e-2, 1e-3])
def test_an_impact_at_the_expected_speed_is_stopped_within_a_step(h):
    """Implicit in the step: v' = v / (1 + k h^2 / m) at least is left, times h is the depth."""
    law = row(two_boxes(velocity=(0, 0, -20.0)), 0, 1)
    k, _ = stiffness_at(law[None], 0, h)
    speed = law[RECOVERY] / RECOVERY_SPEED
    assert speed * h / (1 + k * h**2 / 4) <= IMPACT_DEPTH * 3**0.5


def test_joined_bodies_count_with_what_they_carry():
    scene = dt.Scene()
    for k, mass in enumerate((1, 2, 4, 8)):
        scene.add_body(f"b{k}", mass=mass, inertia=(1, 1, 1), position=(k, 0, 0))
    scene.add_body("wall", dt.Box((1, 1, 1)), motion="static", position=(9, 0, 0))
    scene.add_joint("a", dt.Spherical((0.5, 0, 0)), "b0", "b1")
    scene.add_joint("b", dt.Spherical((1.5, 0, 0)), "b1", "b2")
    scene.add_joint("c", dt.Spherical((3, 0, 0)), "b3", "wall")
    scene.add_joint("d", dt.Spherical((0, 1, 0)), "ground", "b0")
    assert carried_mass(scene.build()).tolist() == [7, 7, 7, 8, 0]


def test_damping_has_the_declared_ratio():
    """tau = 2 z sqrt(m / k): f = k (d + tau d') of an oscillator with the damping ratio z."""
    law = row(two_boxes(), 0, 1)
    omega = np.sqrt(law[STIFFNESS] / 4)
    assert 0.5 * law[RELAXATION] * omega == pytest.approx(DAMPING_RATIO)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_a_given_stiffness_is_taken_as_it_is_with_its_exponent(exponent):
    law = row(two_boxes(), 0, 1, stiffness=1e6, exponent=exponent)
    assert (law[STIFFNESS], law[EXPONENT], law[CAP]) == (1e6, exponent, 0.0)
    depth = (4 * G / 1e6) ** (1 / exponent)
    tangent = exponent * 1e6 * depth ** (exponent - 1)
    assert law[RELAXATION] == pytest.approx(2 * DAMPING_RATIO * np.sqrt(4 / tangent))


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_without_gravity_the_depth_is_that_of_the_impact(exponent):
    """m v^2 = k d^(n+1) where nothing weighs."""
    speed = 3.0
    model = two_boxes(gravity=0.0, velocity=(0, 0, -speed))
    law = row(model, 0, 1, stiffness=1e5, exponent=exponent)
    depth = (4 * speed**2 / 1e5) ** (1 / (exponent + 1))
    tangent = exponent * 1e5 * depth ** (exponent - 1)
    assert law[RELAXATION] == pytest.approx(2 * DAMPING_RATIO * np.sqrt(4 / tangent))
    assert law[RECOVERY] == pytest.approx(RECOVERY_SPEED * speed)


def test_materials_of_pairs_come_before_the_settings():
    model = two_boxes(friction=0.2, restitution=0.7)
    law = row(model, 1, 2, friction=0.5)
    assert (law[MU_S], law[MU_D], law[RESTITUTION]) == (0.2, 0.2, 0.7)
    law = row(model, 0, 1, friction=(0.6, 0.4, 1e-3, 1e-2))
    assert (law[MU_S], law[MU_D], law[RESTITUTION]) == (0.6, 0.4, 0.0)


@pytest.mark.parametrize(
    ("settings", "pair", "bounces"),
    [
        ({}, {}, False),
        ({"restitution": 0.0}, {}, False),
        ({"restitution": 0.3}, {}, True),
        ({}, {"restitution": 0.2}, True),
        ({}, {"restitution": 0.0}, False),
    ],
)
def test_any_pair_with_restitution_is_known(settings, pair, bounces):
    law = CompliantLaw(two_boxes(**pair), dt.contact.SDF(**settings))
    assert law.pairs.any_restitution() is bounces


def test_what_was_derived_is_printed_with_depths(capsys, monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "0")
    law = CompliantLaw(two_boxes(), dt.contact.SDF(stiffness=1e6, exponent=1.0))
    law.report_stiffness(1e-3)
    said = capsys.readouterr().err
    speed = np.sqrt(2 * G * 3**0.5)
    assert f"stiffness of table-box = 1e+06 N/m: rests {4 * G / 1e6:.2g} m deep" in said
    deep = speed / (2 * DAMPING_RATIO * np.sqrt(1e6 / 4))
    assert f"an impact at {speed:.3g} m/s goes {min(deep, speed * 1e-3):.2g} m" in said
    law = CompliantLaw(two_boxes(), dt.contact.SDF())
    law.report_stiffness(1.0)  # so long a step that nothing is stiffer than what stops an impact
    stops = 4 * speed / (IMPACT_DEPTH * 3**0.5)
    assert stops > NEAR_RIGID * 4
    assert f"table-box = {stops:.4g} N/m" in capsys.readouterr().err


def test_the_least_gap_is_found_however_far_away():
    for gap in (1e-3, 0.1, 20.0):
        scene = dt.Scene()
        scene.add_body("a", dt.Sphere(0.5), density=1)
        scene.add_body("b", dt.Sphere(0.25), density=1, position=(0.75 + gap, 0, 0))
        model = scene.build()
        law = CompliantLaw(model, dt.contact.SDF())
        found = law.least_gap(model.position, model.rotation)
        assert found == pytest.approx(gap, rel=1e-9, abs=1e-12)


def test_a_deep_overlap_is_reported_once_by_name():
    scene = dt.Scene()
    scene.add_body("a", dt.Box((1, 1, 1)), density=1)
    scene.add_body("b", dt.Box((1, 1, 1)), density=1, position=(0.1, 0.05, 0.8))
    model = scene.build()
    law = CompliantLaw(model, dt.contact.SDF())
    count = law.find(model.position, model.rotation, np.zeros(2))
    gaps = -law.contacts.rows.depth[:count]
    assert gaps.min() == pytest.approx(-0.2, rel=1e-6)
    law.warn_if_deep(np.maximum(gaps, -1e-9), 0.5)
    with pytest.warns(PenetrationWarning, match=r"at t = 0.5 s 'a' and 'b' are 0.2 m inside"):
        law.warn_if_deep(gaps, 0.5)
    law.warn_if_deep(gaps, 0.6)  # a second one would be an error here
