"""Loops that a mechanism closes: Jacobians, freedoms and redundant equations."""

import numpy as np
import pytest

from dovetail import examples
from dovetail.integrators import JointCoordinates
from dovetail.model.joints import Actuation, Revolute
from dovetail.model.scene import Scene
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.tree import integrate
from mechanism_scenes import KINDS, four_bar, random_body, random_joint, slider_crank
from random_trees import random_rotation

KEPT = (Actuation(damping=1.0),)


def closed_by(kind, seed=2):
    """A chain of universal joints with dampers, so that the closing joint is the one cut."""
    rng = np.random.default_rng(seed)
    scene = Scene()
    before = "ground"
    for i in range(4):
        random_body(rng, scene, f"body {i}")
        scene.add_joint(
            f"joint {i}", random_joint(rng, "universal", actuation=KEPT), before, f"body {i}"
        )
        before = f"body {i}"
    scene.add_joint("closing", random_joint(rng, kind), "body 0", before)
    return Mechanism(scene.build()), rng


@pytest.mark.parametrize("kind", KINDS)
def test_jacobian_and_bias_are_rates_of_the_residual(kind):
    """First and second differences along a motion, also where the loop is open (screw: closed)."""
    mechanism, rng = closed_by(kind)
    assert [closure.name for closure in mechanism.closures] == ["closing"]
    v = rng.normal(size=mechanism.n_v)
    q = mechanism.neutral()
    if kind == "screw":  # its angle is defined where the axes agree
        J = mechanism.jacobian(q)
        v -= np.linalg.pinv(J) @ (J @ v)
    else:
        q = integrate(mechanism.tree, q, rng.normal(size=mechanism.n_v), 0.1)

    def e(t):
        return mechanism.residuals(integrate(mechanism.tree, q, v, t))

    h = 1e-4
    first = (e(-2 * h) - 8 * e(-h) + 8 * e(h) - e(2 * h)) / (12 * h)
    second = (-e(-2 * h) + 16 * e(-h) - 30 * e(0) + 16 * e(h) - e(2 * h)) / (12 * h * h)
    assert np.abs(first - mechanism.jacobian(q) @ v).max(initial=0.0) < 1e-10
    assert np.abs(second - mechanism.biases(q, v)).max(initial=0.0) < 1e-6


@pytest.mark.parametrize(
    ("scene", "freedoms", "redundant"),
    [
        (four_bar(), 1, 3),
        (slider_crank(), 1, 3),
        (examples.get("bennett").build(), 1, 3),
        (examples.get("stewart").build(), 6, 0),
        (examples.get("scissor-lift").build(), 1, 7 * 3),
        (examples.get("tree-robot").build(), 10, 0),
    ],
    ids=["four-bar", "slider-crank", "bennett", "stewart", "scissor-lift", "tree-robot"],
)
def test_freedoms_and_redundant_equations_are_counted(scene, freedoms, redundant):
    mechanism = Mechanism(scene.build())
    assert mechanism.degrees_of_freedom() == freedoms
    found = mechanism.redundant_equations()
    assert len(found) == redundant
    assert {equation.joint for equation in found} <= {c.name for c in mechanism.closures}


def test_planar_loop_names_what_holds_it_in_its_plane_twice():
    found = Mechanism(four_bar().build()).redundant_equations()
    assert {equation.joint for equation in found} == {"D"}
    kept = sorted(equation.keeps for equation in found)
    assert kept[0] == "gap along (0, 0, 1)"
    assert all(text.startswith("tilt about") for text in kept[1:])


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_linkage_in_any_plane_and_of_any_size_has_the_same_redundant_equations(size):
    """Round-off out of the plane must not count as an equation."""
    rng = np.random.default_rng(1)
    R = random_rotation(rng)
    flat, scene = four_bar(), Scene(gravity=tuple(size * R @ [0, -9.81, 0]))
    for name, body in flat.bodies.items():
        scene.add_body(
            name, mass=body.mass, inertia=size**2 * body.inertia,
            position=size * R @ body.position, rotation=R @ body.rotation,
        )  # fmt: skip
    for name, (joint, a, b) in flat.joints.items():
        point = size * R @ np.asarray(joint.point)
        scene.add_joint(name, Revolute(point, R @ np.asarray(joint.axis)), a, b)
    model = scene.build()
    mechanism = Mechanism(model)
    assert mechanism.degrees_of_freedom() == 1
    assert len(mechanism.redundant_equations()) == 3
    one, two = (JointCoordinates().start(m, None) for m in (flat.build(), model))
    for k in range(1, 101):
        one.step(k * 0.005)
        two.step(k * 0.005)
    assert np.abs(one.bodies.x @ R.T - two.bodies.x / size).max() < 1e-9
    assert two.observe().constraint_position < 1e-12 * size


def bricard():
    """Six hinges, neighbours at right angles and one unit apart: Bricard's trihedral loop."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)]
    scene = Scene()
    names = [f"link {i}" for i in range(5)] + ["ground"]
    for i in range(5):
        middle = (np.array(corners[i]) + corners[i + 1]) / 2
        scene.add_body(names[i], mass=1, inertia=(0.1, 0.1, 0.1), position=middle)
    for i in range(6):
        before, here, after = (np.array(corners[(i + k) % 6], dtype=float) for k in (-1, 0, 1))
        axis = np.cross(here - before, after - here)
        scene.add_joint(f"hinge {i}", Revolute(tuple(here), tuple(axis)), names[i - 1], names[i])
    return scene


def test_bricard_loop_of_six_hinges_moves():
    """Counting gives no freedom; its symmetry gives one, with one redundant equation."""
    mechanism = Mechanism(bricard().build())
    assert mechanism.degrees_of_freedom() == 1
    assert len(mechanism.redundant_equations()) == 1
    scene = bricard()
    scene.gravity = (0.3, -0.5, -2.0)
    stepper = JointCoordinates().start(scene.build(), None)
    start = stepper.q.copy()
    for k in range(1, 301):
        stepper.step(k * 0.003)
    assert np.abs(stepper.q - start).max() > 0.3
    assert stepper.observe().constraint_position < 1e-11
