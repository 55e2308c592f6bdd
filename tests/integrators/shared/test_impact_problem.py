"""Impacts spread through contacts and joints of bodies that move, not through what stands still."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc.friction.coefficients import friction_laws
from dovetail.contact.ipc.report import BODY_A, BODY_B
from dovetail.integrators.shared.impact_problem import ImpactProblem, PairRestitution


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
