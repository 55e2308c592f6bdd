"""RATTLie over trees in joint coordinates against the same scheme with multipliers, and itself."""

import numpy as np
import pytest

from dovetail.errors import RunError
from dovetail.integrators import RATTLie
from dovetail.integrators.variational.composition import substeps
from dovetail.integrators.variational.discrete_momentum import LOGARITHM
from dovetail.integrators.variational.stepper import VariationalStepper
from dovetail.integrators.variational.tree.displacements import displacements
from dovetail.integrators.variational.tree.stepper import TreeStepper
from dovetail.linalg.lie import so3
from dovetail.model import Actuation, Revolute, Scene, Spherical
from dovetail.multibody.energy import kinetic_energy, potential_energy
from dovetail.multibody.tree import build_tree, integrate, kinematics, neutral
from dovetail.simulate import simulate
from jointed_scenes import EVERY_JOINT, chain, hanging_rod, two_bodies_joined_by
from random_trees import random_kinds, random_tree_parts


def with_multipliers(scene, order):
    return VariationalStepper(scene.build(), None, LOGARITHM, True, substeps(order))


def over_the_tree(scene, order):
    stepper = RATTLie(order=order).start(scene.build(), None)
    assert isinstance(stepper, TreeStepper)
    return stepper


def moved(stepper, h, count):
    for k in range(1, count + 1):
        stepper.step(k * h)
    return stepper


@pytest.mark.parametrize("seed", range(6))
def test_displacements_are_those_of_the_poses(seed):
    """R_1 R_0^T and o_1 - o_0 of every body, for every kind of joint at large displacements."""
    rng = np.random.default_rng(seed)
    tree = build_tree(*random_tree_parts(rng, random_kinds(rng, 12)))
    start, end = tree.workspace(), tree.workspace()
    q = integrate(tree, neutral(tree), rng.normal(size=tree.n_v), 0.5)
    xi = 0.15 * rng.normal(size=tree.n_v)
    kinematics.positions(tree.arrays, q, start)
    kinematics.positions(tree.arrays, integrate(tree, q, xi, 1.0), end)
    Q, d = np.zeros((tree.n_bodies + 1, 4)), np.zeros((tree.n_bodies + 1, 3))
    Q[:, 3] = 1.0
    assert displacements(tree.arrays, start, xi, Q, d) < 0
    for i in range(1, tree.n_bodies + 1):
        sine = np.linalg.norm(Q[i, :3])
        rotation = so3.exp(2 * np.arctan2(sine, Q[i, 3]) * Q[i, :3] / max(sine, 1e-300))
        assert np.allclose(rotation, end.R[i] @ start.R[i].T, atol=1e-13)
    assert np.allclose(d, end.o - start.o, atol=1e-12)


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("kind", EVERY_JOINT)
def test_motion_is_that_of_rattlie_with_multipliers(kind, order):
    scene = two_bodies_joined_by(EVERY_JOINT[kind])
    a, b = over_the_tree(scene, order), with_multipliers(scene, order)
    moved(a, 0.01, 40), moved(b, 0.01, 40)
    for name in ("x", "R", "v", "omega"):
        assert np.allclose(getattr(a.bodies, name), getattr(b.bodies, name), atol=1e-9), name
    for found, expected in zip(a.joint_wrenches(), b.observe().joint_wrenches(), strict=True):
        assert np.allclose(found, expected, rtol=1e-7, atol=1e-6)


def test_springs_dampers_and_motors_act_as_with_multipliers():
    push = Actuation(stiffness=7.0, rest=0.3, damping=0.4, motor=lambda t: np.sin(3 * t))
    scene = hanging_rod((push,), angular_velocity=(0, 2, 0), velocity=(-1, 0, 0))
    a, b = over_the_tree(scene, 2), with_multipliers(scene, 2)
    moved(a, 0.01, 100), moved(b, 0.01, 100)
    assert np.allclose(a.bodies.x, b.bodies.x, atol=1e-11)
    assert np.allclose(a.bodies.v, b.bodies.v, atol=1e-11)


@pytest.mark.parametrize("with_stepper", [over_the_tree, with_multipliers])
def test_damped_composition_dissipates_at_order_two_and_never_gives_back(with_stepper):
    """Substeps that go back must not run dampers backwards."""
    scene = hanging_rod((Actuation(damping=0.8),), angular_velocity=(0, 2, 0), velocity=(-1, 0, 0))
    model = scene.build()
    ends = []
    for count in (50, 100, 200, 3200):
        stepper = with_stepper(scene, 4)
        energy = [np.inf]
        for k in range(1, count + 1):
            stepper.step(k / count)
            state = stepper.bodies
            energy.append(kinetic_energy(model, state) + potential_energy(model, state))
        assert np.all(np.diff(energy) < 0.0)
        ends.append(state.x[0].copy())
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    assert np.allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.2)
    still = with_stepper(scene, 2)
    moved(still, 1 / 200, 200)
    assert np.abs(ends[2] - still.bodies.x[0]).max() < 1e-3


def test_large_rotations_of_a_step_are_solved_for():
    """1.5 rad a step: the quasi-Newton iteration alone does not converge."""
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("top", mass=15, inertia=(0.234375, 0.46875, 0.234375), position=(0, 1, 0),
                   angular_velocity=(0, 150, -4.61538), velocity=(4.61538, 0, 0))  # fmt: skip
    scene.add_joint("tip", Spherical((0, 0, 0)), "ground", "top")
    a, b = over_the_tree(scene, 2), with_multipliers(scene, 2)
    moved(a, 0.01, 50), moved(b, 0.01, 50)
    assert np.allclose(a.bodies.x, b.bodies.x, atol=1e-9)
    assert np.allclose(a.bodies.omega, b.bodies.omega, atol=1e-7)


def test_long_chains_lose_no_accuracy():
    """300 links lying level: sums over all that a joint carries would lose a factor 300^2."""
    scene = chain(300)
    a, b = over_the_tree(scene, 2), with_multipliers(scene, 2)
    moved(a, 1e-3, 20), moved(b, 1e-3, 20)
    speed = np.abs(b.bodies.v).max()
    assert np.abs(a.bodies.v - b.bodies.v).max() < 1e-9 * speed
    assert np.abs(a.bodies.x - b.bodies.x).max() < 1e-11


def test_a_snapshot_continues_to_the_bit():
    scene = chain(6, drop=0.4)
    whole, half = over_the_tree(scene, 4), over_the_tree(scene, 4)
    moved(whole, 2e-3, 60), moved(half, 2e-3, 30)
    other = over_the_tree(scene, 4)
    other.restore(half.snapshot())
    for k in range(31, 61):
        other.step(k * 2e-3)
    for name in ("x", "R", "v", "omega"):
        assert np.array_equal(getattr(whole.bodies, name), getattr(other.bodies, name))


def test_steps_ahead_record_what_single_steps_do():
    """The same run with and without a function that must be called after every step."""
    scene = chain(3, drop=0.4)
    ahead = simulate(scene, 0.1, 1e-3, every=3, progress=False)
    single = simulate(scene, 0.1, 1e-3, every=3, progress=False, on_step=lambda t, state: None)
    assert np.array_equal(ahead.time, single.time)
    for name in ("position", "rotation", "velocity", "angular_velocity", "joints/force",
                 "joints/torque", "energy/total", "momentum/angular",
                 "stats/iterations"):  # fmt: skip
        assert np.array_equal(ahead.stored.column(name), single.stored.column(name)), name


def test_a_failing_step_keeps_the_frames_before_it():
    scene = Scene()
    scene.add_body("wheel", mass=1, inertia=(1, 1, 1))
    motor = Actuation(motor=1.0)
    scene.add_joint("axle", Revolute((0, 0, 0), (0, 0, 1), actuation=(motor,)), "ground", "wheel")
    with pytest.raises(RunError, match="must rotate by less than pi") as caught:
        simulate(scene, 40.0, 0.2, progress=False, integrator=RATTLie())
    frames = caught.value.result.time
    assert frames[-1] == pytest.approx(caught.value.time - 0.2)
    assert np.allclose(caught.value.result.angular_velocity("wheel")[:, 2], frames, atol=1e-9)
