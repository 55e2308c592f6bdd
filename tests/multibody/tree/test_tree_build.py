"""Building a tree from bodies and joints placed in the world."""

import math

import numpy as np
import pytest

from dovetail.errors import InputError, RunError
from dovetail.multibody.tree import (
    TreeBody,
    TreeJoint,
    build_tree,
    forward_dynamics,
    integrate,
    motion,
    neutral,
)
from random_trees import random_kinds, random_tree_parts
from rounding import rounding

BALL = TreeBody(mass=1.0, inertia=np.eye(3))


def test_neutral_configuration_is_the_pose_given():
    rng = np.random.default_rng(3)
    bodies, joints = random_tree_parts(rng, random_kinds(rng, 18))
    tree = build_tree(bodies, joints)
    now = motion(tree, neutral(tree))
    assert now.com == pytest.approx(np.array([body.com for body in bodies]), abs=1e-13)
    assert now.rotation == pytest.approx(np.array([body.rotation for body in bodies]), abs=1e-13)


@pytest.mark.parametrize("pair", [(1, 2), (2, 1)])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "screw"])
def test_coordinates_measure_the_second_body_against_the_first_in_either_direction(kind, pair):
    bodies = [BALL, TreeBody(mass=1.0, com=(1.0, 0.0, 0.0), inertia=np.eye(3))]
    joint = TreeJoint(kind, pair, axis=(0, 0, 1), pitch=2.0)
    tree = build_tree(bodies, [TreeJoint("fixed", (0, 1)), joint])
    q = neutral(tree)
    q[tree.q_of(2)] = 0.5
    now = motion(tree, q)
    first, second = (number - 1 for number in pair)
    relative = now.rotation[first].T @ now.rotation[second]
    angle = math.atan2(relative[1, 0], relative[0, 0])
    slide = now.com[second, 2] - now.com[first, 2]
    expected = {
        "revolute": (0.5, 0.0),
        "prismatic": (0.0, 0.5),
        "cylindrical": (0.5, 0.5),
        "screw": (0.5, 2.0 * 0.5 / (2 * math.pi)),
    }[kind]
    assert (angle, slide) == pytest.approx(expected, abs=1e-14)


def about(axis, angle):
    """Rotation by an angle [rad] about a coordinate axis."""
    R = np.eye(3)
    y, z = (axis + 1) % 3, (axis + 2) % 3
    R[y, y] = R[z, z] = math.cos(angle)
    R[z, y], R[y, z] = math.sin(angle), -math.sin(angle)
    return R


@pytest.mark.parametrize("pair", [(1, 2), (2, 1)])
def test_universal_joint_rotates_the_same_in_either_direction(pair):
    joint = TreeJoint("universal", pair, axis=(0, 0, 1), axis2=(0, 1, 0))
    tree = build_tree([BALL, BALL], [TreeJoint("fixed", (0, 1)), joint])
    q = neutral(tree)
    q[tree.q_of(2)] = (0.3, 0.7)
    R = motion(tree, q).rotation[1]
    relative = R if pair == (1, 2) else R.T
    assert relative == pytest.approx(about(2, 0.3) @ about(1, 0.7), abs=rounding(8))


@pytest.mark.parametrize("pair", [(1, 2), (2, 1)])
def test_planar_joint_moves_the_second_body_along_axes_of_the_first(pair):
    joint = TreeJoint("planar", pair, axis=(0, 0, 1))
    tree = build_tree([BALL, BALL], [TreeJoint("fixed", (0, 1)), joint])
    q = neutral(tree)
    q[tree.q_of(2)] = (0.5, -0.2, 0.7)
    now = motion(tree, q)
    first, second = (number - 1 for number in pair)
    R = now.rotation[first].T @ now.rotation[second]
    p = now.rotation[first].T @ (now.com[second] - now.com[first])
    assert pytest.approx(about(2, 0.7), abs=rounding(8)) == R
    assert p == pytest.approx([0.5, -0.2, 0.0], abs=rounding(8))


def test_body_without_joints_floats_and_falls():
    tree = build_tree([TreeBody(mass=2.0, com=(1, 2, 3), inertia=np.eye(3))], [])
    assert tree.n_v == 6
    assert forward_dynamics(tree, neutral(tree), np.zeros(6), np.zeros(6)) == pytest.approx(
        [0, 0, -9.81, 0, 0, 0]
    )


def test_loop_is_cut_at_the_joint_with_fewest_equations_and_has_no_coordinates():
    joints = [
        TreeJoint("spherical", (0, 1)),
        TreeJoint("revolute", (1, 2)),
        TreeJoint("revolute", (2, 0)),
    ]
    tree = build_tree([BALL, BALL], joints)
    assert tree.topology.cut_joints == (1,)
    assert tree.n_v == 2
    with pytest.raises(InputError, match="joint 1 must be a joint of the tree"):
        tree.q_of(1)


def test_steps_of_a_free_body_stay_on_the_manifold_and_compose():
    tree = build_tree([BALL], [])
    v = np.array([0.3, -1.0, 0.5, 2.0, 1.0, -3.0])
    whole = integrate(tree, neutral(tree), v, 1.0)
    q = neutral(tree)
    for _ in range(100):
        q = integrate(tree, q, v, 0.01)
    assert q == pytest.approx(whole, abs=1e-13)
    assert np.linalg.norm(q[3:]) == pytest.approx(1.0, abs=rounding(8))


def test_bad_bodies_and_joints_are_all_named():
    with pytest.raises(InputError) as caught:
        build_tree(
            [TreeBody(mass=-1.0), TreeBody(mass=1.0, com=(0, 0))],
            [
                TreeJoint("hinge", (0, 1)),
                TreeJoint("revolute", (1, 2), axis=(0, 0, 0)),
                TreeJoint("universal", (1, 2), axis=(0, 0, 1), axis2=(0, 1, 1)),
            ],
        )
    text = "\n".join(caught.value.mistakes)
    assert len(caught.value.mistakes) == 5
    assert "`mass` of body 1 must be > 0 kg, got -1.0" in text
    assert "`com` of body 2" in text
    assert "`kind` of joint 1 must be one of fixed, revolute" in text
    assert "`axis` of joint 2 must not be zero" in text
    assert "`axis` and `axis2` of joint 3 must be at right angles" in text


def test_point_mass_that_can_spin_without_inertia_is_an_error_that_names_the_joint():
    tree = build_tree([TreeBody(mass=1.0)], [TreeJoint("revolute", (0, 1))])
    with pytest.raises(RunError, match="joint 1 is not finite"):
        forward_dynamics(tree, [0.0], [0.0], [1.0])
