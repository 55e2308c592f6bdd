"""What one frame records, and how the costs of the steps before it add up."""

from dataclasses import replace

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import ContactReport
from dovetail.integrators.interface import Observation, StepReport
from dovetail.multibody.state import initial_state
from dovetail.simulate.frame import Tally, frame_row


def report(**values):
    return replace(StepReport(), **values)


def test_iterations_and_unsettled_steps_add_up_and_the_worst_residual_and_creep_stay():
    tally = Tally()
    tally.add(report(iterations=3, residual=1e-9, creep=2e-6, settled=False))
    tally.add(report(iterations=4, residual=5e-8, creep=1e-6, settled=True))
    tally.add(report(iterations=0, residual=2e-8, creep=3e-6, settled=False, converged=False))
    expected = Tally(iterations=7, residual=5e-8, creep=3e-6, unsettled=2, unconverged=1)
    assert tally == expected


def test_a_residual_that_is_no_number_does_not_hide_the_others():
    tally = Tally()
    for residual in (1e-9, np.nan, 2e-9):
        tally.add(report(residual=residual))
    assert tally.residual == 2e-9
    assert tally.unconverged == 1


def jointed():
    scene = dt.Scene(gravity=(0, 0, -2))
    scene.add_body("arm", mass=3, inertia=(1, 2, 3), position=(1, 2, 5), velocity=(1, 0, 2))
    scene.add_body("cam", motion="kinematic", moves_until=1.0)
    scene.add_body("wall", motion="static")
    scene.add_body("lid", motion="kinematic", moves_until=1.0)
    scene.add_joint("pin", dt.Spherical(point=(1, 2, 5)), "ground", "arm")
    return scene.build()


def test_a_frame_has_the_energies_momenta_and_violations_of_its_state():
    model = jointed()
    observation = Observation(
        ContactReport(energy=0.25, min_distance=0.5),
        constraint_position=1e-9,
        constraint_velocity=2e-9,
        stored_energy=7.0,
    )
    row = frame_row(model, initial_state(model), observation, Tally(5, 2, 1e-8, 3e-6, 1, 4))
    assert row["energy/kinetic"] == pytest.approx(3 * (1 + 4) / 2)
    assert row["energy/potential"] == pytest.approx(3 * 2 * 5 + 7)
    assert row["energy/contact"] == 0.25
    assert row["energy/total"] == pytest.approx(7.5 + 37 + 0.25)
    assert row["momentum/linear"] == pytest.approx([3, 0, 6])
    assert row["momentum/angular"] == pytest.approx(3 * np.cross((1, 2, 5), (1, 0, 2)))
    assert row["min_distance"] == 0.5
    assert row["constraint_violation/position"] == 1e-9
    assert row["constraint_violation/velocity"] == 2e-9
    counts = [row[f"stats/{name}"] for name in ("iterations", "rejected", "residual", "creep")]
    assert [*counts, row["stats/unsettled"], row["stats/unconverged"]] == [5, 2, 1e-8, 3e-6, 1, 4]


def test_joint_forces_are_nan_and_kinematic_bodies_not_behind_where_a_stepper_does_not_say():
    model = jointed()
    row = frame_row(model, initial_state(model), Observation(), Tally())
    assert row["joints/force"].shape == row["joints/torque"].shape == (1, 3)
    assert np.isnan(row["joints/force"]).all() and np.isnan(row["joints/torque"]).all()
    assert row["kinematic/behind"].tolist() == [0.0, 0.0]


def test_joint_forces_and_delays_are_those_of_the_stepper():
    model = jointed()
    force, torque = np.array([[1.0, 2, 3]]), np.array([[4.0, 5, 6]])
    observation = Observation(joint_wrenches=lambda: (force, torque), behind=np.array([0.125, 0.0]))
    row = frame_row(model, initial_state(model), observation, Tally())
    assert np.array_equal(row["joints/force"], force)
    assert np.array_equal(row["joints/torque"], torque)
    assert row["kinematic/behind"].tolist() == [0.125, 0.0]


def test_a_scene_without_joints_and_kinematic_bodies_has_no_such_columns():
    scene = dt.Scene()
    scene.add_body("a", mass=1, inertia=(1, 1, 1))
    model = scene.build()
    row = frame_row(model, initial_state(model), Observation(), Tally())
    assert not {"joints/force", "joints/torque", "kinematic/behind"} & row.keys()


def test_attempts_that_failed_within_steps_are_counted():
    tally = Tally()
    for rejected in (2, 0, 3):
        tally.add(StepReport(rejected=rejected))
    assert tally == Tally(rejected=5)


def test_a_step_without_a_finite_residual_did_not_converge():
    tally = Tally()
    tally.add(StepReport(residual=np.inf))
    assert tally.unconverged == 1
