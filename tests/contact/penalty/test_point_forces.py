"""Force laws of one's own on the package's detection, seen from outside."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.normal_force import HertzDamped
from dovetail.linalg.lie import so3
from dovetail.model.friction_curve import SmoothCoulomb
from dovetail.multibody.state import initial_state


def spring(gap, rate, impact_speed):
    """[N] stiff and damped, of every point that is inside."""
    return -2e4 * gap * (1 - 0.3 * rate)


def touching(friction=0.4):
    """A tilted box in a wide one, and a third body that touches nothing."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("table", dt.Box((3, 3, 1)), density=500, position=(0, 0, -0.5))
    scene.add_body(
        "box", dt.Box((0.4, 0.3, 0.2)), density=500, position=(0.2, -0.1, 0.09),
        rotation=so3.exp((0.01, -0.02, 0.3)), velocity=(0.7, 0.3, -0.2),
        angular_velocity=(0.3, -0.2, 0.5),
    )  # fmt: skip
    scene.add_body("far", dt.Sphere(0.1), density=500, position=(0, 0, 5))
    model = scene.build()
    law = dt.contact.SDF(friction=friction, normal_force=spring).prepare(model)
    state = initial_state(model)
    law.wrenches(state)
    return law, state


def test_action_is_reaction_in_force_and_in_moment():
    law, state = touching()
    force, torque = law.wrenches(state)
    assert force[1, 2] > 100 and not force[2].any() and not torque[2].any()
    assert force.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    about_origin = (torque + np.cross(state.x, force)).sum(axis=0)
    assert about_origin == pytest.approx(np.zeros(3), abs=1e-9)


def test_the_record_has_the_forces_that_act():
    law, state = touching()
    force, torque = law.wrenches(state)
    record = law.report(state).contacts
    of_box = np.where(record.bodies[:, :1] == 1, 1.0, -1.0) * record.forces
    assert of_box.sum(axis=0) == pytest.approx(force[1])
    moments = np.cross(record.points - state.x[1], of_box).sum(axis=0)
    assert moments == pytest.approx(torque[1])
    assert law.report(state).min_distance == pytest.approx(record.gaps.min())


def test_friction_opposes_the_slip_and_is_mu_times_the_normal_force():
    law, state = touching(friction=0.4)
    record = law.report(state).contacts
    normal = np.einsum("mi,mi->m", record.forces, record.normals)
    along = record.forces - normal[:, None] * record.normals
    assert np.linalg.norm(along, axis=1) == pytest.approx(0.4 * normal, rel=1e-6)
    smooth, same = touching(friction=0.0)
    record = smooth.report(same).contacts
    normal = np.einsum("mi,mi->m", record.forces, record.normals)
    assert record.forces == pytest.approx(normal[:, None] * record.normals, abs=1e-9)


def test_velocity_derivatives_are_those_of_the_wrenches():
    law, state = touching()
    found, n, step = law.velocity_derivatives(state), len(state.x), 1e-5
    for body in (0, 1):
        for k in range(6):
            wrenches = []
            for sign in (1, -1):
                moved = state.copy()
                if k < 3:
                    moved.v[body, k] += sign * step
                else:
                    turn = np.zeros(3)
                    turn[k - 3] = sign * step
                    moved.omega[body] += moved.R[body].T @ turn
                wrenches.append(np.concatenate(law.wrenches(moved), axis=1))
            slope = (wrenches[0] - wrenches[1]) / (2 * step)
            size = np.abs(found).max()
            assert found[:, :, body, k] == pytest.approx(slope, abs=1e-4 * size)
    assert not found[2].any() and not found[:, :, 2].any() and found.shape == (n, 6, n, 6)


@pytest.mark.parametrize("tangent", [True, False])
def test_blocks_are_those_of_the_dense_matrix(tangent):
    law, state = touching()
    blocks = law.derivative_blocks(state, tangent)
    assert blocks.bodies.tolist() == [[0, 1]]
    if tangent:
        dense = law.velocity_derivatives(state)
        assert np.array_equal(blocks.own, dense[range(3), :, range(3)])
        assert np.array_equal(blocks.across[0, 0], dense[0, :, 1])
        assert np.array_equal(blocks.across[0, 1], dense[1, :, 0])
    # A common translation changes no relative velocity, so no force.
    assert blocks.own[1][:, :3] == pytest.approx(-blocks.across[0, 1][:, :3])


def test_friction_by_secants_dissipates_in_every_direction():
    """Tangents of Coulomb friction are flat along the slip; secants are not."""
    law, state = touching()
    own = law.derivative_blocks(state, tangent=False).own[1]
    assert np.linalg.eigvalsh(own[:3, :3] + own[:3, :3].T).max() < 0


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (lambda gap, rate, v: np.ones(len(gap) + 1), "one force for each of"),
        (lambda gap, rate, v: np.full(len(gap), np.nan), "must be finite, got nan at a gap of"),
        (lambda gap, rate, v: 1 / 0, "failed"),
    ],
)
def test_a_wrong_law_is_reported(law, message):
    scene = dt.Scene()
    scene.add_body("table", dt.Box((3, 3, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("box", dt.Box((1, 1, 1)), density=500, position=(0, 0, 0.49))
    model = scene.build()
    made = dt.contact.SDF(normal_force=law).prepare(model)
    with pytest.raises(dt.RunError, match=message):
        made.wrenches(initial_state(model))


def test_a_law_that_pulls_is_cut_off_at_nothing():
    scene = dt.Scene()
    scene.add_body("table", dt.Box((3, 3, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("box", dt.Box((1, 1, 1)), density=500, position=(0, 0, 0.49))
    model = scene.build()
    made = dt.contact.SDF(normal_force=lambda gap, rate, v: gap).prepare(model)
    force, torque = made.wrenches(initial_state(model))
    assert not force.any() and not torque.any()


def pressed(depth=1e-3, **settings):
    """A box pressed into a table, at rest; the law, the state and the record of points."""
    scene = dt.Scene()
    scene.add_body("table", dt.Box((3, 3, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("box", dt.Box((1, 1, 1)), density=500, position=(0, 0, 0.5 - depth))
    model = scene.build()
    law = dt.contact.SDF(**settings).prepare(model)
    state = initial_state(model)
    law.wrenches(state)
    return law, state


@pytest.mark.parametrize("power", [1, 2, 3])
def test_the_energy_of_a_law_without_one_is_its_work(power):
    """k d^p stores k d^(p+1) / (p+1)."""
    law, state = pressed(normal_force=lambda gap, rate, v: 1e6 * (-gap) ** power)
    report = law.report(state)
    work = 1e6 * (-report.contacts.gaps) ** (power + 1) / (power + 1)
    assert report.energy == pytest.approx(work.sum(), rel=1e-9) and work.sum() > 0


def test_the_law_of_hertz_by_name_is_that_of_the_formula():
    hertz = HertzDamped(stiffness=2e5, restitution=0.5)
    gap, rate, v = np.array([-1e-3, -1e-3, -1e-3]), np.array([0.0, -0.2, 0.1]), np.full(3, 0.2)
    elastic = 2e5 * 1e-3**1.5
    force = hertz(gap, rate, v)
    assert force[0] == pytest.approx(elastic)
    assert force[1] > elastic and force[2] < elastic  # damped while they approach and part
    assert force[1] - elastic == pytest.approx(2 * (elastic - force[2]))
    assert not hertz(gap, np.full(3, 1.0), v).any()  # a fast parting pulls nothing
    assert hertz.energy(gap) == pytest.approx(np.full(3, 2e5 * 1e-3**2.5 / 2.5))
    assert HertzDamped(2e5)(gap, rate, v) == pytest.approx(np.full(3, elastic), rel=1e-12)
    law, state = pressed(normal_force=hertz)
    gaps = law.report(state).contacts.gaps
    assert law.report(state).energy == pytest.approx(2e5 * ((-gaps) ** 2.5).sum() / 2.5)


@pytest.mark.parametrize(
    "settings",
    [
        {"normal_force": lambda gap, rate, v: 1e6 * (-gap) ** 1.5},
        {"friction": SmoothCoulomb(0.3, 0.2, 0.01, 0.1), "stiffness": 1e6, "restitution": 1.0},
    ],
)
def test_position_derivatives_are_those_of_the_wrenches(settings):
    """Of a flat contact, whose normals stay: moved up and down, the force changes by its slope."""
    law, state = pressed(**settings)
    found, step = law.position_derivatives(state), 1e-6
    wrenches = []
    for sign in (1, -1):
        moved = state.copy()
        moved.x[1, 2] += sign * step
        wrenches.append(np.concatenate(law.wrenches(moved), axis=1))
    slope = (wrenches[0] - wrenches[1]) / (2 * step)
    assert slope[1, 2] < 0
    assert found[:, :, 1, 2] == pytest.approx(slope, abs=1e-4 * np.abs(slope).max())
    assert found[:, :, 1, :2] == pytest.approx(np.zeros((2, 6, 2)), abs=1e-9 * -slope[1, 2])


def test_without_contact_a_law_of_ones_own_reports_the_distance_and_no_energy():
    law, state = pressed(depth=-0.25, normal_force=spring)
    report = law.report(state)
    assert report.energy == 0.0 and len(report.contacts.gaps) == 0
    assert report.min_distance == pytest.approx(0.25) and not law.near
    law, state = pressed(normal_force=spring)
    assert law.near and law.natural_frequency() == 0.0
