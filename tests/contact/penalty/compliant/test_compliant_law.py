"""The law of compliant contact between steps: distances, warnings, friction by curves."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.penetration import PenetrationWarning
from dovetail.multibody.state import initial_state


def law_of(*shapes, **settings):
    """Bodies along x, 4 m from each other; the law and the first state."""
    scene = dt.Scene(gravity=(0, 0, -10))
    for k, shape in enumerate(shapes):
        static = {"motion": "static"} if isinstance(shape, dt.HalfSpace) else {"mass": k + 1}
        scene.add_body(f"body {k}", shape, position=(4 * k, 0, 0), **static)
    model = scene.build()
    law = dt.contact.SDF(resolution=16, **settings).prepare_compliant(model)
    return law, initial_state(model)


@pytest.mark.parametrize("gap", [1e-4, 0.03, 2.0, 300.0])
def test_the_least_gap_is_found_at_any_distance(gap):
    law, state = law_of(dt.Sphere(0.5), dt.Sphere(0.7), dt.Sphere(0.2))
    state.x[:, 0] = 0.0, 1.2 + gap, 1.2 + gap + 0.9 + 2 * gap + 1.0
    assert law.least_gap(state.x, state.R) == pytest.approx(gap, rel=1e-9)
    assert law.find(state.x, state.R, np.full(3, 1e-5)) == (1 if gap < 1e-3 else 0)


@pytest.mark.parametrize("radius", [0.5, 4.0])
def test_the_gap_of_a_ball_in_the_middle_of_a_ring_is_found(radius):
    """Their centres are in one place, so only their sizes say how far to look."""
    law, state = law_of(dt.Torus(10.0, 1.0), dt.Sphere(radius))
    state.x[1] = 0.0
    assert law.least_gap(state.x, state.R) == pytest.approx(9.0 - radius, rel=1e-6)


def test_without_a_second_body_there_is_no_gap():
    law, state = law_of(dt.Sphere(0.5))
    assert law.least_gap(state.x, state.R) == np.inf


def test_points_are_no_farther_from_the_centre_than_the_bounding_radius():
    law, _ = law_of(dt.Box((1, 2, 3)), dt.Sphere(0.5), dt.HalfSpace())
    assert law.bounding_radius == pytest.approx([np.sqrt(14) / 2, 0.5, 0.0])


def overlapping(share):
    """Two balls, the smaller 0.4 m, that overlap by this share of its box's diagonal."""
    law, state = law_of(dt.Sphere(0.5), dt.Sphere(0.2))
    depth = share * np.sqrt(3) * 0.4
    state.x[1, 0] = 0.7 - depth
    law.find(state.x, state.R, np.full(2, 1e-3))
    return law, -law.contacts.rows.depth[: law.contacts.count].copy()


def test_a_hundredth_of_the_smaller_body_inside_is_warned_of_once():
    law, gaps = overlapping(0.0099)
    law.warn_if_deep(gaps, 2.0)
    law, gaps = overlapping(0.0101)
    with pytest.warns(PenetrationWarning, match=r"at t = 2 s 'body 0' and 'body 1' are 0.007 m"):
        law.warn_if_deep(gaps, 2.0)
    law.warn_if_deep(gaps, 3.0)  # a second warning would be an error
    law.warn_if_deep(np.zeros(0), 3.0)


class Ramp:
    """mu = 0.1 + the slip, at most 0.5."""

    def coefficient(self, speed):
        return np.minimum(0.1 + np.asarray(speed), 0.5)


@pytest.mark.parametrize(("slip", "mu"), [(0.0, 0.1), (0.2, 0.3), (3.0, 0.5)])
def test_friction_follows_the_curve_at_the_slip_of_each_contact(slip, mu):
    law, state = law_of(dt.Sphere(0.5), dt.Sphere(0.2), friction=Ramp())
    state.x[1, 0] = 0.7
    law.find(state.x, state.R, np.full(2, 1e-3))
    u = np.zeros((2, 6))
    u[1, 1] = slip
    assert law.contacts.count == 1
    assert law.friction(state.x, u)[:1] == pytest.approx([mu])
    plain, state = law_of(dt.Sphere(0.5), dt.Sphere(0.2), friction=0.35)
    state.x[1, 0] = 0.7
    plain.find(state.x, state.R, np.full(2, 1e-3))
    assert plain.friction(state.x, u)[:1] == pytest.approx([0.35])


def test_restitution_of_contacts_is_that_of_their_pair():
    law, state = law_of(dt.Sphere(0.5), dt.Sphere(0.2), restitution=0.3)
    state.x[1, 0] = 0.7
    law.find(state.x, state.R, np.full(2, 1e-3))
    assert law.restitution().tolist() == [0.3]
    apart, state = law_of(dt.Sphere(0.5), dt.Sphere(0.2), restitution=0.3)
    apart.find(state.x, state.R, np.full(2, 1e-3))
    assert len(apart.restitution()) == 0


def test_there_is_space_for_the_friction_of_many_contacts():
    law, state = law_of(dt.Sphere(0.5), dt.Sphere(0.2), friction=0.35)
    law.contacts.reserve(1000)
    state.x[1, 0] = 0.7
    law.find(state.x, state.R, np.full(2, 1e-3))
    rows = law.contacts.rows
    for column in rows:
        column[1:600] = column[0]
    law.contacts.count = 600
    assert law.friction(state.x, np.zeros((2, 6)))[:600] == pytest.approx(np.full(600, 0.35))
