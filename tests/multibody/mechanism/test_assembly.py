"""Parts placed only roughly are assembled, velocities made consistent; what stays open is named."""

import numpy as np
import pytest

from dovetail.errors import InputError
from dovetail.integrators import JointCoordinates
from dovetail.io import load_scene
from dovetail.model.joints import Actuation, Revolute, Spherical
from dovetail.model.scene import Scene
from dovetail.multibody.energy import kinetic_energy
from dovetail.multibody.mechanism import Mechanism, assemble
from dovetail.multibody.state import initial_state
from mechanism_scenes import FOUR_BAR, Z, four_bar, random_body
from rounding import ORTHOGONALITY, rounding


def laid_out(lengths=FOUR_BAR, actuation=(), lift=0.05):
    """Crank, coupler and rocker lying side by side, each with its own idea of where pins are."""
    crank, coupler, rocker, ground = lengths
    scene = Scene(gravity=(0, -9.81, 0))
    tilt = np.array([0.0, 0.15, 1.0])  # across the bars
    rows = {"crank": (crank, 0.1), "coupler": (coupler, 0.3), "rocker": (rocker, 0.2)}
    for name, (length, height) in rows.items():
        scene.add_body(
            name, mass=length, inertia=(0.01, 0.02, 0.02), position=(length / 2, height, lift)
        )
    scene.add_joint(
        "A",
        Revolute((0, 0, 0), Z, point_b=(0, 0.1, lift), axis_b=tilt, actuation=actuation),
        "ground",
        "crank",
    )
    scene.add_joint(
        "B",
        Revolute((crank, 0.1, lift), tilt, point_b=(0, 0.3, lift), axis_b=Z),
        "crank",
        "coupler",
    )
    scene.add_joint(
        "C",
        Revolute((coupler, 0.3, lift), Z, point_b=(rocker, 0.2, lift), axis_b=tilt),
        "coupler",
        "rocker",
    )
    scene.add_joint(
        "D", Revolute((0, 0.2, lift), tilt, point_b=(ground, 0, 0), axis_b=Z), "rocker", "ground"
    )
    return scene


def pins_of(model):
    return {placed.name: np.asarray(placed.joint.point) for placed in model.joints}


def test_linkage_laid_out_in_parts_is_assembled_to_round_off():
    model = assemble(laid_out().build())
    mechanism = Mechanism(model)
    assert np.abs(mechanism.residuals(mechanism.neutral())).max() < 1e-13
    pins = pins_of(model)
    crank, coupler, rocker, ground = FOUR_BAR
    for a, b, length in (
        ("A", "B", crank),
        ("B", "C", coupler),
        ("C", "D", rocker),
        ("D", "A", ground),
    ):
        assert np.linalg.norm(pins[a] - pins[b]) == pytest.approx(length, abs=1e-12)
    assert max(abs(point[2]) for point in pins.values()) < 1e-12
    for placed in model.joints:
        assert np.abs(np.cross(placed.joint.axis, Z)).max() < 1e-12
        assert placed.joint.point_b is None


def test_assembled_linkage_runs_and_a_consistent_one_is_left_alone():
    stepper = JointCoordinates().start(laid_out().build(), None)
    for k in range(1, 101):
        stepper.step(k * 0.005)
    assert stepper.observe().constraint_position < 1e-12
    model = four_bar().build()
    same = assemble(model)
    assert np.abs(same.position - model.position).max() < rounding(20)
    assert np.abs(same.rotation - model.rotation).max() < ORTHOGONALITY


def test_driven_joint_stays_where_its_motor_wants_it():
    wanted = 0.8
    motor = [Actuation(motor=("position", wanted))]
    model = assemble(laid_out(actuation=motor, lift=0.0).build())
    mechanism = Mechanism(model)
    crank = model.rotation[0] @ [1, 0, 0]
    start = assemble(laid_out(actuation=[Actuation(motor=("position", 0.0))], lift=0.0).build())
    before = start.rotation[0] @ [1, 0, 0]
    turned = np.arctan2(np.cross(before, crank)[2], before @ crank)
    assert turned == pytest.approx(wanted, abs=1e-12)
    assert np.abs(mechanism.residuals(mechanism.neutral())).max() < 1e-12


def test_linkage_that_is_too_short_names_the_joint_and_its_gap():
    """Links 0.3 + 0.2 + 0.1 cannot span 0.7: the best is a gap of 0.1 m."""
    with pytest.raises(InputError) as raised:
        assemble(laid_out((0.3, 0.2, 0.1, 0.7)).build())
    (mistake,) = raised.value.mistakes
    assert "joint 'D' between 'rocker' and 'ground' cannot close" in mistake
    gap = float(mistake.split("gap of ")[1].split(" m")[0])
    assert gap == pytest.approx(0.1, rel=0.05)


def test_velocities_become_the_nearest_consistent_ones():
    """No other consistent velocity is nearer in kinetic energy to what was given."""
    rng = np.random.default_rng(8)
    scene = Scene()
    for i in range(3):
        random_body(rng, scene, f"body {i}")
    points = rng.uniform(-1, 1, (4, 3))
    names = ["ground", "body 0", "body 1", "body 2", "ground"]
    for i in range(4):
        scene.add_joint(f"ball {i}", Spherical(points[i]), names[i], names[i + 1])
    model = scene.build()
    given, fitted = initial_state(model), initial_state(assemble(model))
    mechanism = Mechanism(assemble(model))
    q = mechanism.neutral()
    J = mechanism.jacobian(q)
    _, s, Vt = np.linalg.svd(J)
    motions = Vt[np.sum(s > 1e-9 * s[0]) :]

    def distance(state):
        change = state.copy()
        change.v, change.omega = state.v - given.v, state.omega - given.omega
        return kinetic_energy(model, change)

    best = distance(fitted)
    for direction in motions:
        along = mechanism.state(q, direction)
        for sign in (-1e-3, 1e-3):
            other = fitted.copy()
            other.v, other.omega = fitted.v + sign * along.v, fitted.omega + sign * along.omega
            assert distance(other) > best


def test_scene_file_keeps_where_parts_meet(tmp_path):
    scene = laid_out()
    scene.save(tmp_path / "linkage.yaml")
    again = load_scene(tmp_path / "linkage.yaml").scene
    a, b = assemble(scene.build()), assemble(again.build())
    assert np.abs(a.position - b.position).max() < 1e-12
