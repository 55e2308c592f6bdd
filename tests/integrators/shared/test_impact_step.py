"""When within a step bodies meet, and what of an impact is recorded."""

import numpy as np
import pytest

from dovetail.contact.ipc.report import BODY_A, BODY_B, GAP, NORMAL, POINT
from dovetail.integrators.shared.impact_step import ImpactStep, StepBegin, _share, impact_record
from dovetail.linalg.lie import so3
from dovetail.multibody.state import BodyState


@pytest.mark.parametrize(
    ("linear", "square", "wanted", "tau"),
    [
        (2.0, 0.0, 1.0, 0.5),  # at constant speed
        (0.0, 4.0, 1.0, 0.5),  # from rest
        (-3.0, 2.0, -1.0, 0.5),  # slowed down: the first of two times, not the second at 1
        (1.0, 2.0, 1.0, 0.5),  # pushed
        (-1.0, 0.0, -0.25, 0.25),
        (1.0, 0.0, 0.0, 0.0),  # touching already
        (1.0, 0.0, 2.0, 1.0),  # not within the step
        (-1.0, 0.0, 0.5, 1.0),  # away
        (1.0, -1.0, 5.0, 0.5),  # never: where they come nearest
        (0.0, 0.0, 1.0, 1.0),  # at rest
    ],
)
def test_bodies_meet_at_the_first_root_of_the_parabola(linear, square, wanted, tau):
    found = _share(np.array([linear]), np.array([square]), np.array([wanted]))
    assert found == pytest.approx([tau])
    if 0 < tau < 1 and wanted < 5:
        assert square * tau**2 + linear * tau == pytest.approx(wanted)


def test_the_motion_since_the_start_is_a_displacement_and_a_rotation_vector():
    rng = np.random.default_rng(1)
    x, R = rng.normal(size=(2, 3)), so3.exp(rng.normal(size=(2, 3)))
    shift, turn = rng.normal(size=(2, 2, 3)) * 0.3
    begin = StepBegin(0.1, x, R, np.zeros((2, 6)))
    state = BodyState(0.1, x + shift, so3.exp(turn) @ R, np.zeros((2, 3)), np.zeros((2, 3)))
    assert begin.moved(state) == pytest.approx(np.concatenate((shift, turn), axis=1))


def test_an_impulse_is_recorded_as_its_mean_force_over_the_step():
    rows = np.random.default_rng(2).normal(size=(3, 40))
    rows[:, BODY_A : BODY_B + 1] = [[0, 1], [2, 1], [0, 2]]
    struck = np.array([True, False, True])
    impulses = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])
    done = ImpactStep(np.ones(3, bool), struck, impulses, np.zeros((3, 6)))
    found = impact_record(rows, done, 0.01)
    assert found.bodies.tolist() == [[0, 1], [0, 2]]
    assert found.forces == pytest.approx(impulses[[0, 2]] / 0.01)
    assert np.array_equal(found.points, rows[struck, POINT : POINT + 3])
    assert np.array_equal(found.normals, rows[struck, NORMAL : NORMAL + 3])
    assert np.array_equal(found.gaps, rows[struck, GAP]) and not found.torques.any()
