"""Stiffness, damping and friction of pairs of bodies under the force law."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.law import SdfLaw
from dovetail.contact.penalty.pairs import expected_speed
from dovetail.contact.penalty.restitution import MODELS

G = 9.81


def model(**pair):
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("table", dt.Box((3, 3, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("box", dt.Box((1, 1, 1)), mass=4, position=(0, 0, 0.6), velocity=(0, 3, 4))
    scene.add_body("crate", dt.Box((1, 1, 1)), mass=12, position=(0, 0, 1.7), group="a")
    scene.add_body("lid", dt.Box((1, 1, 1)), mass=12, position=(0, 0, 2.8), group="a")
    if pair:
        scene.add_material_pair("box", "crate", **pair)
    return scene.build()


def pairs(built, **settings):
    return SdfLaw(built, dt.contact.SDF(**settings)).pairs


def row(built, i, j, **settings):
    found = pairs(built, **settings)
    k = int(found.rows_of(np.array([[i, j]]))[0])
    return found.laws[k], found, k


def test_rows_come_as_pairs_do_and_stay():
    found = pairs(model())
    first = found.rows_of(np.array([[1, 2], [0, 1]]))
    assert sorted(first.tolist()) == [0, 1]
    again = found.rows_of(np.array([[0, 2], [0, 1], [1, 2], [2, 3]]))
    assert again[1] == first[1] and again[2] == first[0] and again[0] == 2
    assert again[3] == -1  # of one group
    assert found.bodies[again[0]].tolist() == [0, 2] and len(found) == 3


def test_damping_follows_from_restitution_and_the_speed_of_impact():
    _, found, k = row(model(), 0, 1, restitution=0.5, damping_model="hunt_crossley")
    assert np.isnan(found.damping[k]) and found.any_by_speed
    assert found.damping_by_speed[k] == MODELS["hunt_crossley"](0.5)


def test_a_given_damping_is_over_the_stiffness():
    law, found, k = row(model(), 0, 1, damping=50.0, stiffness=1e6)
    assert law[0] == 1e6 and found.damping[k] == pytest.approx(5e-5)
    assert found.damping_by_speed[k] == 0.0 and not found.any_by_speed


def test_without_either_nothing_is_lost():
    built = model(stiffness=1e5)
    settings = dt.contact.SDF(damping=0.0)
    settings.damping = None  # what a pair's own material may leave
    found = SdfLaw(built, settings).pairs
    k = int(found.rows_of(np.array([[1, 2]]))[0])
    assert (found.damping[k], found.damping_by_speed[k]) == (0.0, 0.0)


def test_the_material_of_a_pair_comes_before_the_settings():
    built = model(friction=0.2, damping=7.0, stiffness=3e5)
    law, found, k = row(built, 1, 2, restitution=0.9, friction=0.5, stiffness=1e6)
    assert law[0] == 3e5 and found.damping[k] == pytest.approx(7.0 / 3e5)
    assert tuple(law[-4:-2]) == (0.2, 0.2)
    law, found, k = row(built, 0, 1, restitution=0.9, friction=0.5, stiffness=1e6)
    assert law[0] == 1e6 and np.isnan(found.damping[k]) and tuple(law[-4:-2]) == (0.5, 0.5)
    only = model(stiffness=3e5)
    law, found, k = row(only, 1, 2, restitution=0.9)
    assert law[0] == 3e5 and np.isnan(found.damping[k])


def test_the_four_numbers_of_friction_are_taken_as_they_are():
    law, _, _ = row(model(), 0, 1, friction=(0.6, 0.4, 1e-3, 1e-2))
    assert tuple(law[-4:]) == (0.6, 0.4, 1e-3, 1e-2)


def test_sizes_and_masses_are_those_of_the_smaller_body_and_of_what_moves():
    _, found, k = row(model(), 0, 1)
    assert found.size[k] == pytest.approx(3**0.5) and found.mass[k] == pytest.approx(4)
    _, found, k = row(model(), 1, 2)
    assert found.mass[k] == pytest.approx(3)


def test_the_expected_speed_is_the_approach_or_a_fall_by_the_size():
    _, found, k = row(model(), 0, 1)
    _, other, m = row(model(), 0, 2)
    fall = np.sqrt(2 * G * 3**0.5)
    expected = max(5.0, fall) / fall
    assert found.slowest_impact[k] / other.slowest_impact[m] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("gravity", "v", "spins", "speed"),
    [
        (0.0, 3.0, (0.0, 0.0), 3.0),  # towards each other
        (0.0, 3.0, (4.0, 2.0), 3.0 + 6.0 * 0.5 / 2),  # surfaces turn at half the size from centres
        (2.0, 1.0, (0.0, 0.0), np.sqrt(2 * 2.0 * 0.5)),  # a fall by the size is faster
        (0.0, 0.0, (0.0, 0.0), 0.5),  # nothing moves: one size a second
    ],
)
def test_the_expected_speed_adds_up_approach_and_rotation(gravity, v, spins, speed):
    scene = dt.Scene(gravity=(0, 0, -gravity))
    for k, spin in enumerate(spins):
        scene.add_body(
            f"body {k}", dt.Sphere(0.25), mass=1.0, position=(2 * k, 0, 0),
            velocity=(v if k else 0.0, 0, 0), angular_velocity=(0, spin, 0),
        )  # fmt: skip
    assert expected_speed(scene.build(), 0, 1, 0.5) == pytest.approx(speed)
