"""Steps under IPC: what is recorded of their paths."""

import numpy as np
import pytest

import dovetail as dt
from contact_heaps import heap_scene
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.step import StepOutcome
from dovetail.integrators.implicit_euler import ImplicitEuler
from live_scenes import resting_box


def stepper_with_waypoints():
    """A stepper whose last step did not take the direct path."""
    case = heap_scene(0)
    model, contact = case.scene.build(), dt.contact.IPC()
    stepper = ImplicitEuler().start(model, contact)
    for k in range(case.steps):
        stepper.step((k + 1) * case.step)
        if len(stepper.waypoints()[0]) > 1:
            return stepper, case.step
    raise AssertionError("no step had a waypoint")


def test_move_after_an_impact_that_fails_leaves_the_path_of_the_step_as_it_was():
    """Iterates of the failed move took the place of the step's: the file held a path of both."""
    stepper, h = stepper_with_waypoints()
    solver, bodies = stepper._solver, stepper.bodies
    x, R = solver.waypoints()
    end = bodies.x.copy()
    tolerance, relative, _ = solver._accuracy
    solver._accuracy = (tolerance, relative, 1)
    away = bodies.x + np.array([0.3, 0.2, -0.4]) * np.sign(-bodies.x)
    assert not solver.drift(np.ones(len(away), np.bool_), away, bodies.R.copy(), h)
    np.testing.assert_array_equal(bodies.x, end)
    x_after, R_after = solver.waypoints()
    np.testing.assert_array_equal(x_after, x)
    np.testing.assert_array_equal(R_after, R)


def test_move_after_an_impact_is_appended_to_the_path_of_the_step():
    """Bodies that need not move go straight to where they are: one pose more, the step's end."""
    stepper, h = stepper_with_waypoints()
    solver, bodies = stepper._solver, stepper.bodies
    x, R = solver.waypoints()
    end = bodies.x.copy(), bodies.R.copy()
    assert solver.drift(np.ones(len(end[0]), np.bool_), *end, h)
    x_after, R_after = solver.waypoints()
    count = len(x)
    np.testing.assert_array_equal(x_after[:count], x)
    np.testing.assert_array_equal(R_after[:count], R)
    np.testing.assert_array_equal(x_after[count], end[0])
    np.testing.assert_array_equal(R_after[count], end[1])
    poses = [*zip(x_after, R_after), (bodies.x, bodies.R)]
    longest = max(np.abs(b[0] - a[0]).max() for a, b in zip(poses[count:], poses[count + 1 :]))
    assert longest <= 1e-3 * np.abs(end[0] - x[0]).max()  # no pose of before the step's end


STATUSES = {
    StepStatus.TOO_MANY_ITERATIONS: (
        r"in 7 Newton iterations: speed 0\.5 m/s left, wanted 0\.25 m/s; bodies .*; a smaller"
    ),
    StepStatus.NO_DESCENT: r": speed 0\.5 m/s left, wanted 0\.25 m/s; bodies .*; a smaller",
    StepStatus.TOUCHING: r"bodies .* were closest to meeting; leave more clearance between them$",
}


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("limiting_pair", [0, -1], ids=["limited", "least gap"])
def test_a_step_that_is_not_solved_says_how_far_it_is_and_who_was_closest(status, limiting_pair):
    """A box on a floor, not the one that falls beside it."""
    scene = resting_box()
    scene.add_body("other", dt.Box((0.2, 0.2, 0.2)), mass=1.0, position=(1, 0, 1))
    stepper = ImplicitEuler().start(scene.build(), dt.contact.IPC())
    for k in range(10):
        stepper.step(2e-3 * (k + 1))
    outcome = StepOutcome(
        status=status, iterations=7, speed=0.5, least_distance=1.0, contacts=0,
        projected_iterations=0, limiting_pair=limiting_pair, tolerance=0.25, unresolved=-1,
    )  # fmt: skip
    found = stepper._solver._failure(outcome, 2.0)
    assert found.time == 2.0 and status.advice in str(found)
    assert "'floor'" in str(found) and "'box'" in str(found)
    with pytest.raises(dt.RunError, match=STATUSES[status]):
        raise found
