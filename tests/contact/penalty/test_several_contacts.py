"""Scenes with more than one pair: each pair has its own derivatives, frequency, curve and rows."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty import detection as penalty_detection
from dovetail.contact.penalty.collision_body import collision_body
from dovetail.contact.penalty.compliant import detection
from dovetail.contact.penalty.stiffness import hertz_stiffness
from dovetail.errors import RunError
from dovetail.multibody.state import initial_state

K = 1e4


def row_of_balls(overlaps=(-0.1, 1e-3, -0.1, 2e-3), masses=(1, 2, 3, 4, 5), jointed=()):
    """Balls of 0.5 m along x; the first two are apart, the second and the third overlap, ..."""
    scene = dt.Scene()
    place = 0.0
    for k, mass in enumerate(masses):
        moving = {"velocity": (0.1 * k, 0.2, -0.3 * k), "angular_velocity": (k, 0.5, 0.1)}
        scene.add_body(f"b{k}", dt.Sphere(0.5, 8), mass=mass, position=(place, 0, 0), **moving)
        place += 1.0 - overlaps[k] if k < len(overlaps) else 0.0
    for k in jointed:
        joint = dt.Prismatic((0, 0, 0), (0, 0, 1))
        scene.add_joint(f"rail {k}", joint, "ground", f"b{k}")
    return scene.build()


def prepared(model, **settings):
    settings = {"stiffness": K, "exponent": 1.0, "damping": 3.0, "friction": 0.3} | settings
    law, state = dt.contact.SDF(**settings).prepare(model), initial_state(model)
    law.wrenches(state)
    return law, state


def test_derivatives_by_blocks_are_those_of_all_bodies_at_once():
    model = row_of_balls()
    law, state = prepared(model)
    whole = law.velocity_derivatives(state)
    blocks = law.derivative_blocks(state)
    assert blocks.bodies.tolist() == [[1, 2], [3, 4]]
    found = np.zeros_like(whole)
    for i, block in enumerate(blocks.own):
        found[i, :, i] += block
    for (i, j), (upper, lower) in zip(blocks.bodies, blocks.across):
        found[i, :, j] += upper
        found[j, :, i] += lower
    np.testing.assert_allclose(found, whole, rtol=1e-12, atol=1e-9)


def test_the_largest_frequency_is_that_of_pairs_with_a_joint():
    """omega^2 = k / m of a pair; 1/m is the sum of both inverse masses."""
    masses = (1.0, 2.0, 3.0, 4.0, 5.0)
    of_pair = {k: np.sqrt(K * (1 / masses[k] + 1 / masses[k + 1])) for k in (1, 3)}
    for jointed, expected in (((), 0.0), ((0,), 0.0), ((1,), of_pair[1]), ((4,), of_pair[3]),
                              ((2, 3), max(of_pair.values()))):  # fmt: skip
        law, _ = prepared(row_of_balls(jointed=jointed))
        assert law.natural_frequency() == pytest.approx(expected, rel=1e-6), jointed


@pytest.mark.parametrize("nu", [-0.999, 0.0, 0.5])
def test_the_stiffness_of_hertz_at_every_ratio_that_a_solid_can_have(nu):
    """K = 4/3 E* sqrt(R), 1/E* = 2 (1 - nu^2) / E (Johnson 1985, eq. 4.23)."""
    E, radius = 2e9, 0.04
    expected = 4 / 3 * E / (2 * (1 - nu**2)) * np.sqrt(radius)
    assert hertz_stiffness(E, nu, radius) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("nu", [-1.0, 0.5001])
def test_other_ratios_are_refused(nu):
    with pytest.raises(dt.InputError, match=r"`poisson_ratio` must be > -1 and <= 0.5"):
        hertz_stiffness(2e9, nu, 0.04)


def test_a_capsule_is_a_thick_segment_along_its_axis_about_its_centre_of_mass():
    scene = dt.Scene()
    scene.add_body("a", dt.Capsule(0.2, 1.2), mass=1)
    body = collision_body(scene.build().bodies[0], 16)
    points, reach = body.samples.points, body.samples.reach
    np.testing.assert_allclose(points[:, :2], 0.0, atol=1e-15)
    assert np.ptp(points[:, 2]) == pytest.approx(1.2, rel=1e-12)
    assert points[:, 2].sum() == pytest.approx(0.0, abs=1e-12)
    assert np.max(reach) == pytest.approx(0.2, rel=1e-12)


def test_the_step_of_a_refused_jump_is_the_time_since_the_last_state():
    """A step of 0.04 s later than t = 0: a quarter of it is advised."""
    scene = dt.Scene()
    scene.add_body("wall", dt.Box((0.1, 2, 2)), motion="static")
    scene.add_body("shot", dt.Sphere(0.2), mass=1, position=(1, 0, 0), velocity=(-50, 0, 0))
    model = scene.build()
    law, state = dt.contact.SDF(stiffness=K).prepare(model), initial_state(model)
    state.t, state.x[1, 0] = 7.0, 1.0
    law.wrenches(state)
    state = state.copy()
    state.t, state.x[1, 0] = 7.04, -1.0
    with pytest.raises(RunError, match=r"'wall' and 'shot' move by 2 m in a step.*at most 0.01 s"):
        law.wrenches(state)


def many(n=14):
    """Boxes and balls in a row, each just inside the next; and one far away."""
    scene = dt.Scene()
    for k in range(n):
        shape = dt.Box((1, 1, 1)) if k % 3 else dt.Sphere(0.5, 8)
        scene.add_body(f"b{k}", shape, mass=1, position=(0.99 * k, 0.001 * k, 0))
    scene.add_body("far", dt.Box((1, 1, 1)), mass=1, position=(0, 50, 0))
    return scene.build()


def rows_of(contacts, pairs):
    """Bodies of the pair, of the point and of the field, and the depth, in order."""
    rows, n = contacts.rows, contacts.count
    columns = (rows.point_body[:n], rows.field_body[:n], rows.depth[:n])
    table = np.column_stack((pairs.bodies[rows.pair[:n]], *columns))
    return table[np.lexsort(table.T[::-1])]


@pytest.mark.parametrize("margin", [1e-4, 0.02])
def test_of_many_bodies_a_sweep_leaves_the_pairs_that_all_pairs_give(monkeypatch, margin):
    """Contacts within a margin are the same with and without the sweep over boxes."""
    model, found = many(), []
    for few in (100, 2):
        monkeypatch.setattr(detection, "FEW", few)
        law = dt.contact.SDF(resolution=16).prepare_compliant(model)
        state = initial_state(model)
        law.find(state.x, state.R, np.full(model.n_bodies, margin))
        found.append(rows_of(law.contacts, law.pairs))
    assert len(found[0]) >= 13
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-14)


def test_the_same_holds_for_penalty_contact(monkeypatch):
    model, found = many(), []
    for few in (100, 2):
        monkeypatch.setattr(penalty_detection, "FEW", few)
        law, _ = prepared(model)
        found.append(rows_of(law._contacts, law.pairs))
        assert law.near
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-14)


class Ramp:
    """mu = 0.1 + the slip, at most 0.5."""

    def coefficient(self, speed):
        return np.minimum(0.1 + np.asarray(speed), 0.5)


def test_friction_by_a_curve_is_that_of_the_pair_which_has_it():
    """Of three pairs in contact only that of the second and the third body has a curve."""
    scene = dt.Scene()
    for k in range(4):
        scene.add_body(f"b{k}", dt.Sphere(0.5, 8), mass=1, position=(0.999 * k, 0, 0))
    scene.add_material_pair("b1", "b2", friction=Ramp())
    model = scene.build()
    law = dt.contact.SDF(resolution=16, friction=0.35).prepare_compliant(model)
    state = initial_state(model)
    law.find(state.x, state.R, np.full(4, 1e-3))
    u = np.zeros((4, 6))
    u[2:, 1] = 0.2
    rows = rows_of(law.contacts, law.pairs)
    assert rows[:, :2].tolist() == [[0, 1], [1, 2], [2, 3]]
    pairs = law.pairs.bodies[law.contacts.rows.pair[:3]].tolist()
    mu = law.friction(state.x, u)[:3]
    assert {tuple(pair): round(one, 12) for pair, one in zip(pairs, mu)} == {
        (0, 1): 0.35, (1, 2): 0.3, (2, 3): 0.35,
    }  # fmt: skip
