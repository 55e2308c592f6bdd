"""Impacts spread through contacts and joints of bodies that move, not through what stands still."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc.friction.coefficients import friction_laws
from dovetail.contact.ipc.report import BODY_A, BODY_B
from dovetail.integrators.shared.impact_problem import (
    ImpactProblem,
    PairRestitution,
    above_surface,
    friction_at,
    slow_rates,
)
from dovetail.multibody.state import initial_state


def impacts_of(model):
    return ImpactProblem(model, 0.5, friction_laws(model, 0.0), 0.0)


def clusters(scene):
    model = scene.build()
    found = impacts_of(model).clusters()
    return lambda a, b: found[model.names.index(a)] == found[model.names.index(b)]


@pytest.fixture
def hung():
    """Two double pendulums on one beam that does not move, and one on the ground."""
    scene = dt.Scene()
    scene.add_body("beam", dt.Box((4, 0.1, 0.1)), motion="static")
    for k, base in enumerate(("beam", "beam", "ground")):
        for n in (1, 2):
            scene.add_body(f"{k}{n}", dt.Sphere(0.1), mass=1.0, position=(k, 0, -n))
        scene.add_joint(f"top{k}", dt.Revolute(axis=(0, 1, 0), point=(k, 0, 0)), base, f"{k}1")
        scene.add_joint(f"low{k}", dt.Revolute(axis=(0, 1, 0), point=(k, 0, -1)), f"{k}1", f"{k}2")
    return scene


def test_joints_link_bodies_that_move_and_what_stands_still_links_nobody(hung):
    same = clusters(hung)
    assert all(same(f"{k}1", f"{k}2") for k in range(3))
    assert not same("01", "11") and not same("01", "21") and not same("01", "beam")


def test_a_coupling_links_the_bodies_of_its_joints(hung):
    hung.add_coupling("gear", dt.Coupling({"low0": 1.0, "low1": -2.0}))
    same = clusters(hung)
    assert same("01", "12") and same("02", "11") and not same("01", "21")


@pytest.mark.parametrize(("body", "joints"), [("01", {"top0", "low0"}), ("22", {"low2"})])
def test_impulses_of_joints_are_those_of_the_bodies_that_were_hit(hung, body, joints):
    """Joints on the ground are no exception: only the body they hold counts."""
    model = hung.build()
    problem = impacts_of(model)
    problem.joint_impulses[...] = 2.0
    mine, impulses = problem.along_joints(np.array([name == body for name in model.names]))
    names = [model.joints[number].name for number in problem.joints.system.row_joint]
    assert {name for name, own in zip(names, mine) if own} == joints
    np.testing.assert_array_equal(np.abs(impulses), np.where(mine, 2.0, 0.0))


def test_restitution_is_that_of_the_two_bodies_of_each_contact():
    """By the names of their materials, in either order; nan where the step decides."""
    scene = dt.Scene()
    for k, material in enumerate(("steel", "rubber", "wood", "wood")):
        scene.add_body(f"b{k}", dt.Sphere(0.1), mass=1.0, position=(k, 0, 0), material=material)
    scene.add_material_pair("steel", "rubber", dt.Material(restitution=0.8))
    scene.add_material_pair("rubber", "wood", dt.Material(restitution=0.3))
    pairs = [(0, 1), (3, 1), (1, 0), (2, 0), (1, 2)]
    rows = np.zeros((len(pairs), 16))
    rows[:, [BODY_A, BODY_B]] = pairs
    found = PairRestitution(scene.build(), None).of(rows)
    np.testing.assert_array_equal(found, [0.8, 0.3, 0.8, np.nan, 0.3])


@pytest.mark.parametrize("e", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("gap", [0.0, 1e-3, 0.1])
def test_a_bounce_above_a_surface_is_as_high_as_one_on_it(e, gap):
    """Energy over the surface: v^2 + 2 a d before, e^2 of it after, less 2 a d back at the gap."""
    a, v = 3.0, 2.0
    found = above_surface(np.array([e]), np.array([-v]), np.array([a]), np.array([gap]))
    after = max(e * e * (v * v + 2 * a * gap) - 2 * a * gap, 0.0)
    assert found == pytest.approx([np.sqrt(after) / v])


def test_what_is_pressed_by_nothing_bounces_as_it_is_asked_to():
    e = np.array([0.4, 0.4, 0.4])
    rates, pressed = np.array([-1.0, 0.0, -1.0]), np.array([0.0, 3.0, -50.0])
    found = above_surface(e, rates, pressed, np.array([0.1, 0.1, 0.1]))
    assert found == pytest.approx([0.4, 0.4, 1.0])  # no energy is gained from loads that pull away


def test_rates_that_loads_explain_are_those_of_two_steps_of_both_bodies():
    bodies = np.array([[0, 1], [1, 2]], np.int32)
    inverse_mass = np.array([[0.5] * 3, [0.25] * 3, [0.0] * 3])
    force = np.array([[3.0, 0, 4.0], [0, 8.0, 0], [1e9, 0, 0]])
    found = slow_rates(bodies, inverse_mass, force, 0.01, 1e-4)
    assert found == pytest.approx([2 * 0.01 * (2.5 + 2.0) + 1e-4, 2 * 0.01 * 2.0 + 1e-4])


def test_friction_of_a_contact_is_that_of_its_pair_at_its_slip():
    scene = dt.Scene()
    for k, material in enumerate(("steel", "rubber", "wood")):
        scene.add_body(f"b{k}", dt.Sphere(0.1), mass=1.0, position=(k, 0, 0), material=material)
    scene.add_material_pair("steel", "rubber", friction=0.8)
    scene.add_material_pair("rubber", "wood", friction=(0.6, 0.2, 0.1, 0.3))
    laws = friction_laws(scene.build(), 0.05)
    pairs = np.array([[0, 1], [1, 0], [2, 1], [1, 2], [1, 2], [0, 2]], np.int32)
    slip = np.array([0.0, 5.0, 0.05, 0.2, 9.0, 1.0])
    assert friction_at(laws, pairs, slip) == pytest.approx([0.8, 0.8, 0.6, 0.4, 0.2, 0.05])
    assert friction_at(laws, pairs[:0], slip[:0]).shape == (0,)


def slider(**acting):
    """A box on a slanted rail to a second one, both moving and turned."""
    scene, box = dt.Scene(), dt.Box((0.3, 0.2, 0.1))
    scene.add_body("base", box, mass=3.0, velocity=(0.1, 0.2, 0), angular_velocity=(0, 0.3, 0))
    scene.add_body("cart", box, mass=1.0, position=(1, 0, 0), velocity=(0.5, 0.2, 0.1),
                   angular_velocity=(0, 0.3, 0))  # fmt: skip
    rail = dt.Prismatic((0.5, 0, 0.2), (0.6, 0, 0.8), actuation=[dt.Actuation(**acting)])
    scene.add_joint("rail", rail, "base", "cart")
    return scene.build()


def test_soft_wrenches_are_those_of_springs_and_of_dampers_along_the_rail():
    """-k (q - rest) and -c q' along the axis at both bodies; each part by itself."""
    model = slider(stiffness=30.0, damping=4.0, rest=0.1)
    problem, state = impacts_of(model), initial_state(model)
    state.x[1] += 0.2 * np.array([0.6, 0, 0.8])
    problem.joints.at(state.x, state.R)
    u = np.hstack((state.v, state.spin))
    axis = np.array([0.6, 0, 0.8])
    springs, dampers = problem.soft_wrenches(state.R, u)
    relative = state.v[1] - state.v[0] - np.cross(state.spin[0], state.x[1] - state.x[0])
    for found, amount in ((springs, -30.0 * (0.2 - 0.1)), (dampers, -4.0 * (axis @ relative))):
        assert abs(amount) > 0.1
        assert found[1, :3] == pytest.approx(amount * axis)
        assert found[0, :3] == pytest.approx(-amount * axis)
        total = found[:, 3:] + np.cross(state.x, found[:, :3])
        assert total.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_spring_or_damper_that_is_not_there_gives_no_wrench():
    for acting, which in (({"stiffness": 30.0}, 1), ({"damping": 4.0}, 0)):
        model = slider(rest=0.3, **acting)
        problem, state = impacts_of(model), initial_state(model)
        problem.joints.at(state.x, state.R)
        found = problem.soft_wrenches(state.R, np.hstack((state.v, state.spin)))
        assert not found[which].any() and found[1 - which].any()


def test_joints_that_loads_pulled_apart_are_held_by_impulses_of_their_own():
    """The nearest velocities in the mass norm: what changes is a combination of rows of joints."""
    model = slider()
    problem, state = impacts_of(model), initial_state(model)
    u = np.hstack((state.v, state.spin)) + np.random.default_rng(0).normal(size=(2, 6))
    before, rows = u.copy(), np.zeros((0, 16))
    problem.take(rows, state, u, 0.01, None)
    off = problem.problem.rates(u)[: problem.problem.n_joint].copy()
    assert np.abs(off).max() > 0.1
    problem.hold_joints(u)
    left = problem.problem.rates(u)[: problem.problem.n_joint]
    assert np.abs(left).max() < 1e-10 * np.abs(off).max()
    J = problem.problem.rows.J[: problem.problem.n_joint].reshape(-1, 2, 6)
    momenta = np.zeros((2, 6))
    for side in range(2):
        momenta[side] = problem.joint_impulses @ J[:, side]
    change = u - before
    assert change[:, :3] * model.mass[:, None] == pytest.approx(momenta[:, :3])
    assert np.einsum("nij,nj->ni", model.inertia, change[:, 3:]) == pytest.approx(momenta[:, 3:])
    assert not problem.problem.lam[: problem.problem.n_rows].any()
