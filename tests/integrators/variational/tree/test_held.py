"""Limits, prescribed motions and friction over trees, against the scheme with multipliers."""

import numpy as np
import pytest

from dovetail.integrators import RATTLie
from dovetail.integrators.variational.composition import substeps
from dovetail.integrators.variational.discrete_momentum import LOGARITHM
from dovetail.integrators.variational.stepper import VariationalStepper
from dovetail.integrators.variational.tree.stepper import TreeStepper
from dovetail.model import Actuation, Prismatic, Revolute, Scene, Universal
from dovetail.simulate import Simulation

ACTUATIONS = {
    "limits": [Actuation(lower=-0.4, upper=0.3), Actuation(upper=0.1), Actuation(lower=-0.2)],
    "limits, springs and dampers": [
        Actuation(lower=-0.4, upper=0.3, stiffness=9.0, damping=0.2),
        Actuation(upper=0.1, damping=0.3, motor=2.0),
        Actuation(lower=-0.2, stiffness=5.0, rest=0.4),
    ],
    "friction": [Actuation(friction=1.5), Actuation(friction=0.3), Actuation(friction=8.0)],
    "friction and limits": [
        Actuation(friction=0.5, upper=0.2, damping=0.1), Actuation(friction=0.3),
        Actuation(lower=-0.1, armature=0.1),
    ],
    "position": [
        Actuation(motor=("position", lambda t: 0.3 * np.sin(2 * t) ** 2)), Actuation(damping=0.1),
        Actuation(lower=-0.2),
    ],
    "velocity": [
        Actuation(), Actuation(motor=("velocity", lambda t: np.cos(3 * t)), armature=0.2),
        Actuation(motor=("velocity", 0.2)),
    ],
}  # fmt: skip
SMOOTH = ("velocity",)


def arm(entries):
    """A hinge, a hinge across it and a slide, at an angle, with a free body on a hinge at last."""
    scene = Scene(gravity=(0, 0, -9.81))
    J = ((0.1, 0.02, 0.01), (0.02, 0.2, 0.0), (0.01, 0.0, 0.15))
    for k, x in enumerate((0.5, 1.5, 2.4, 3.0)):
        scene.add_body(f"link{k}", mass=1 + k, inertia=J, position=(x, 0.1 * k, 0.05))
    a, b, c = ((entry,) for entry in entries)
    scene.add_joint("hip", Revolute((0, 0, 0), (0, 1, 0.1), actuation=a), "ground", "link0")
    scene.add_joint("knee", Revolute((1, 0, 0), (0.2, 1, 0), actuation=b), "link0", "link1")
    scene.add_joint("slide", Prismatic((2, 0, 0), (1, 0, 0.2), actuation=c), "link1", "link2")
    scene.add_joint("end", Revolute((2.7, 0, 0), (0, 0, 1)), "link2", "link3")
    return scene


def pair_of(scene, order):
    """The same step over the tree and with multipliers."""
    a = RATTLie(order=order).start(scene.build(), None)
    assert isinstance(a, TreeStepper)
    return a, VariationalStepper(scene.build(), None, LOGARITHM, True, substeps(order))


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("kind", ACTUATIONS)
def test_motion_and_wrenches_are_those_with_multipliers(kind, order):
    if order == 4 and kind not in SMOOTH:
        pytest.skip("stepped at order 2")
    a, b = pair_of(arm(ACTUATIONS[kind]), order)
    off = 1e-7 if "friction" in kind else 2e-9  # friction is solved for to 1e-9 of it in each step
    for k in range(1, 151):
        a.step(0.005 * k), b.step(0.005 * k)
        for name in ("x", "v", "omega"):
            found, expected = getattr(a.bodies, name), getattr(b.bodies, name)
            assert np.allclose(found, expected, atol=off), (name, k)
    for found, expected in zip(a.joint_wrenches(), b.observe().joint_wrenches(), strict=True):
        assert np.allclose(found, expected, rtol=1e-6, atol=2e-5 * np.abs(expected).max())


def test_two_hinges_of_one_joint_can_be_locked_one_by_one():
    entries = (Actuation(motor=("velocity", 0.5)), Actuation(lower=-0.1, upper=0.1))
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("rod", mass=2, inertia=(0.1, 0.2, 0.3), position=(0.5, 0, 0))
    cross = Universal((0, 0, 0), (0, 0, 1), (0, 1, 0), actuation=entries)
    scene.add_joint("cross", cross, "ground", "rod")
    a, b = pair_of(scene, 2)
    for k in range(1, 201):
        a.step(0.005 * k), b.step(0.005 * k)
    assert np.allclose(a.bodies.x, b.bodies.x, atol=1e-10)
    assert np.allclose(a.bodies.v, b.bodies.v, atol=1e-9)


@pytest.mark.parametrize("kind", ACTUATIONS)
def test_restored_steps_are_the_same_to_the_bit(kind):
    scene = arm(ACTUATIONS[kind])
    through, resumed = (RATTLie().start(scene.build(), None) for _ in range(2))
    for k in range(1, 61):
        through.step(0.005 * k)
        if k == 30:
            resumed.restore(through.snapshot())
        if k > 30:
            resumed.step(0.005 * k)
    assert np.array_equal(through.bodies.x, resumed.bodies.x)
    assert np.array_equal(through.bodies.v, resumed.bodies.v)


@pytest.mark.parametrize("axis", [1.0, -1.0], ids=["lower", "upper"])
@pytest.mark.parametrize("scheme", ["RATTLie", "DH"])
def test_a_rod_that_lies_on_its_limit_is_held_by_the_torque_of_its_weight(scheme, axis):
    """m g L about the hinge, from below, whichever of its limits that is."""
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("rod", mass=2.0, inertia=(0.1, 0.2, 0.2), position=(0.5, 0, 0))
    stop = Actuation(upper=0.0) if axis > 0 else Actuation(lower=0.0)
    hinge = Revolute((0, 0, 0), (0, axis, 0), actuation=[stop])
    scene.add_joint("hinge", hinge, "ground", "rod")
    sim = Simulation(scene, 1e-2, integrator=scheme)
    sim.step(3)
    wrench = sim.joint("hinge").wrench
    assert sim.joint("hinge").position == pytest.approx(0.0, abs=1e-6)
    assert wrench.force == pytest.approx([0, 0, 2.0 * 9.81], abs=1e-3)
    assert wrench.torque == pytest.approx([0, -2.0 * 9.81 * 0.5, 0], abs=1e-3)
