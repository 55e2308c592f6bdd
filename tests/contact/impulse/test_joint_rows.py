"""Rows of joints in the impulse problem: springs, motors and what they store."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.multibody.constraints.bodies import EFFORT
from dovetail.multibody.state import initial_state


def two_sliders():
    """On springs with rests of their own, one with a motor; both off their rest."""
    scene = dt.Scene()
    for k, (stiffness, rest, motor) in enumerate(((40.0, 0.3, None), (70.0, -0.2, 5.0))):
        scene.add_body(f"b{k}", dt.Box((0.1, 0.1, 0.1)), mass=1, position=(3 * k, 0, 0))
        acting = dt.Actuation(stiffness=stiffness, rest=rest, motor=motor)
        joint = dt.Prismatic((3 * k, 0, 0), (0, 0, 1), actuation=[acting])
        scene.add_joint(f"j{k}", joint, "ground", f"b{k}")
    return scene.build()


def placed(*heights):
    model = two_sliders()
    rows, state = JointRows(model), initial_state(model)
    state.x[:, 2] = heights
    rows.at(state.x, state.R)
    return model, rows, state


def test_efforts_are_those_of_the_motor_and_of_the_spring_about_its_rest():
    _, rows, state = placed(0.5, 0.1)
    expected = [-40.0 * (0.5 - 0.3), 5.0 - 70.0 * (0.1 + 0.2)]
    along = rows.forces(np.zeros(rows.count))
    efforts = along[rows.system.constants.role == EFFORT]
    assert efforts.sum() == pytest.approx(sum(expected), rel=1e-12)
    force, torque = np.zeros((2, 3)), np.zeros((2, 3))
    rows.add_efforts(state.R, force, torque)
    np.testing.assert_allclose(force[:, 2], expected, rtol=1e-12)
    np.testing.assert_allclose(force[:, :2], 0.0, atol=1e-12)


def test_stored_energy_is_that_of_the_springs():
    _, rows, state = placed(0.5, 0.1)
    expected = 0.5 * 40.0 * 0.2**2 + 0.5 * 70.0 * 0.3**2
    assert rows.stored_energy(state.v, state.omega) == pytest.approx(expected, rel=1e-12)


def test_impulses_along_rows_go_to_the_rows_that_are_solved_for():
    _, rows, _ = placed(0.5, 0.1)
    solved = np.arange(1.0, rows.count + 1)
    along = rows.along_rows(solved)
    np.testing.assert_array_equal(along[rows.which], solved)
    others = np.ones(len(along), bool)
    others[rows.which] = False
    assert not along[others].any()
    np.testing.assert_array_equal(rows.forces(solved)[rows.which], solved)


def test_sideways_displacements_are_gaps_and_violations():
    _, rows, state = placed(0.5, 0.1)
    assert np.abs(rows.gaps()).max() == 0.0 and rows.largest_violation() == 0.0
    state.x[0, 0] += 1e-3
    rows.at(state.x, state.R)
    assert np.abs(rows.gaps()).max() == pytest.approx(1e-3, rel=1e-9)
    assert np.abs(rows.violations()).max() == pytest.approx(1e-3, rel=1e-9)
    assert rows.largest_violation() == pytest.approx(1e-3, rel=1e-9)


@pytest.mark.parametrize(
    ("height", "violation"), [(0.1, 0.0), (0.2, 0.0), (0.25, -0.05), (-0.3, -0.1)]
)
def test_a_limit_is_violated_only_beyond_it(height, violation):
    scene = dt.Scene()
    scene.add_body("a", dt.Box((0.1, 0.1, 0.1)), mass=1)
    joint = dt.Prismatic((0, 0, 0), (0, 0, 1), actuation=[dt.Actuation(lower=-0.2, upper=0.2)])
    scene.add_joint("j", joint, "ground", "a")
    model = scene.build()
    rows, state = JointRows(model), initial_state(model)
    state.x[0, 2] = height
    rows.at(state.x, state.R)
    assert rows.violations().min() == pytest.approx(violation, abs=1e-12)
    assert rows.gaps().min() == pytest.approx(violation, abs=1e-12)
    assert rows.gaps().max() == pytest.approx(0.2 + abs(height), abs=1e-12)


@pytest.mark.parametrize(("height", "off"), [(0.2, 0.0), (0.5, -0.1), (-0.25, -0.15)])
def test_a_limit_is_violated_by_as_much_as_it_is_passed(height, off):
    """A slide from -0.1 m to 0.4 m."""
    scene = dt.Scene()
    scene.add_body("b", dt.Box((0.1, 0.1, 0.1)), mass=1)
    acting = dt.Actuation(lower=-0.1, upper=0.4)
    scene.add_joint("j", dt.Prismatic((0, 0, 0), (0, 0, 1), actuation=[acting]), "ground", "b")
    model = scene.build()
    rows, state = JointRows(model), initial_state(model)
    state.x[0, 2] = height
    rows.at(state.x, state.R)
    assert sorted(rows.gaps())[0] == pytest.approx(min(0.4 - height, height + 0.1, 0.0), abs=1e-12)
    assert rows.violations().min() == pytest.approx(off, abs=1e-12)
    assert rows.violations().max() == pytest.approx(0.0, abs=1e-12)
    assert rows.largest_violation() == pytest.approx(-off, abs=1e-12)
