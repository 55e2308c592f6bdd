"""Where bodies may be put while a simulation runs."""

from types import SimpleNamespace

import pytest

import dovetail as dt
from dovetail.multibody.state import initial_state
from dovetail.simulate.live.placing import PlacingCheck

POTENTIAL, FORCE = SimpleNamespace(kind="potential"), SimpleNamespace(kind="force")


def refuse(contact, gap, hinged=False):
    """Put one of two unit boxes beside the other, at a gap [m]."""
    scene = dt.Scene()
    scene.add_body("left", dt.Box((1, 1, 1)), density=1)
    scene.add_body("right", dt.Box((1, 1, 1)), density=1, position=(3, 0, 0))
    if hinged:
        scene.add_joint("pin", dt.Revolute((0.5, 0, 0), (0, 1, 0)), "left", "right")
    model = scene.build()
    state = initial_state(model)
    state.x[1] = (1 + gap, 0, 0)
    PlacingCheck(scene, model, contact).refuse(state, [1])


@pytest.mark.parametrize("contact", [POTENTIAL, FORCE])
def test_bodies_apart_may_be_anywhere_and_overlapping_ones_nowhere(contact):
    refuse(contact, 0.01)
    with pytest.raises(dt.InputError, match="body 'left' and body 'right' would intersect there"):
        refuse(contact, -0.1)


def test_touching_is_refused_only_where_nothing_may_ever_touch():
    refuse(FORCE, 0.0)
    with pytest.raises(dt.InputError, match="would intersect"):
        refuse(POTENTIAL, 0.0)


def test_an_overlap_of_a_thousandth_is_what_compliance_lives_with():
    refuse(FORCE, -5e-4)
    with pytest.raises(dt.InputError):
        refuse(FORCE, -5e-3)
    with pytest.raises(dt.InputError):
        refuse(POTENTIAL, -5e-4)


@pytest.mark.parametrize("gap", [0.0, -0.1])
def test_bodies_that_a_joint_holds_together_may_overlap(gap):
    refuse(POTENTIAL, gap, hinged=True)


def test_without_contact_bodies_may_be_anywhere():
    refuse(None, -0.1)
