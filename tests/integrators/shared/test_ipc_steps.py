"""Steps under IPC: what is recorded of their paths."""

import numpy as np

import dovetail as dt
from contact_heaps import heap_scene
from dovetail.integrators.implicit_euler import ImplicitEuler


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
