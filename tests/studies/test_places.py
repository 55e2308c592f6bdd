"""Values find their place in a scene document, and nothing else changes."""

import contextlib
import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dt
from dovetail.studies.places import change, steps_of

DOCUMENT = {
    "version": 1,
    "gravity": [0, 0, -9.81],
    "bodies": [
        {"name": "crate", "mass": 3, "shape": {"box": [1, 2, 3]}},
        {"name": "arm v1.2", "mass": 4, "velocity": [1, 2, 3]},
    ],
    "materials": [{"pair": ["a", "b"], "friction": 0.1}],
}


@pytest.mark.parametrize(
    ("place", "steps"),
    [
        ("bodies.crate.velocity[0]", ["bodies", "crate", "velocity", 0]),
        ('bodies."arm v1.2".mass', ["bodies", "arm v1.2", "mass"]),
        ("materials[0].friction", ["materials", 0, "friction"]),
        ("bodies.*.mass", ["bodies", "*", "mass"]),
        ("bodies[*].mass", ["bodies", "*", "mass"]),
    ],
)
def test_a_path_is_read_as_its_steps(place, steps):
    assert steps_of(place) == steps


@pytest.mark.parametrize("place", ["", ".mass", "bodies..mass", "bodies[", 'a."b', "a]"])
def test_a_path_that_cannot_be_read_is_refused(place):
    with pytest.raises(dt.InputError):
        steps_of(place)


def test_only_the_value_at_the_place_changes():
    before = copy.deepcopy(DOCUMENT)
    after = change(DOCUMENT, 'bodies."arm v1.2".velocity[1]', lambda old: old + 10)
    assert before == DOCUMENT
    assert after["bodies"][1]["velocity"] == [1, 12, 3]
    after["bodies"][1]["velocity"][1] = 2
    assert after == DOCUMENT


def test_a_star_reaches_every_entry():
    after = change(DOCUMENT, "bodies.*.mass", lambda old: 2 * old)
    assert [body["mass"] for body in after["bodies"]] == [6, 8]


def test_vectors_that_are_zero_unless_given_are_there():
    after = change(DOCUMENT, "bodies.crate.velocity[2]", lambda old: old - 1)
    assert after["bodies"][0]["velocity"] == [0.0, 0.0, -1.0]


def test_a_key_not_given_yet_is_added():
    assert change(DOCUMENT, "bodies.crate.motion", lambda old: "static")["bodies"][0]["motion"] == (
        "static"
    )


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("bodies.crat.mass", "there is no 'crat' in the scene; there are: crate, arm v1.2"),
        ("materials[3].friction", "entry 3 must be below 1"),
        ("bodies.crate.mass[0]", "must be in a list or mapping, got 3"),
        ("run.contact.friction", "there is no 'run' in the scene"),
    ],
)
def test_a_place_that_is_not_there_is_reported_with_what_is(place, sentence):
    with pytest.raises(dt.InputError, match=sentence.replace("[", r"\[")):
        change(DOCUMENT, place, lambda old: old)


@given(st.text(max_size=30))
def test_any_text_is_a_path_or_a_sentence(place):
    with contextlib.suppress(dt.InputError):  # any other kind is a crash
        change(DOCUMENT, place, lambda old: 1)
