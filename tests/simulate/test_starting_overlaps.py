"""Overlaps at the start are named where energy appears from the start on, under contact."""

from types import SimpleNamespace

import pytest

import dovetail as dt
from dovetail.contact import SDF
from dovetail.errors import InputError
from dovetail.simulate.starting_overlaps import overlaps_behind, started_apart


def overlapping():
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"b{k}", dt.Box((1, 1, 1)), density=500, position=(0.9 * k, 0, 0))
    return scene


def test_overlaps_are_behind_energy_only_from_the_start_on_and_under_contact():
    contact = SDF(stiffness=1e6)
    (sentence,) = overlaps_behind(0.0, overlapping(), contact)
    assert "'b0'" in sentence and "'b1'" in sentence
    for begin, method in ((0.01, contact), (None, contact), (0.0, None)):
        assert overlaps_behind(begin, overlapping(), method) == ()


class Refusing:
    """An integrator that refuses to start with these sentences."""

    name, order, takes_joints = "Refusing", 1, True
    takes = frozenset({"force"})

    def __init__(self, *sentences):
        self.sentences = sentences

    def start(self, model, contact):
        raise InputError(list(self.sentences))


def refused(contact, *sentences):
    scene = overlapping()
    with pytest.raises(InputError) as caught:
        started_apart(Refusing(*sentences), scene.build(), contact, scene)
    return caught.value.mistakes


def test_a_refusal_says_by_how_much_bodies_must_be_moved_apart():
    contact = SimpleNamespace(name="law", kind="force", prepare=lambda model: None)
    about = "body 'b0' and body 'b1' intersect; move them apart"
    others = "body 'c' and body 'b1' intersect; move them apart"
    first, second, third = refused(contact, about, others, "something else")
    assert first.startswith("body 'b0' and body 'b1' intersect; ") and " m" in first
    assert first != about and "move them apart" not in first
    assert (second, third) == (others, "something else")
    assert refused(contact, "something else") == ["something else"]
    assert refused(None, about) == [about]
