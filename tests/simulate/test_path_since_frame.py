"""The poses between two frames, gathered from steps."""

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.multibody.state import BodyState
from dovetail.simulate.path import PathSinceFrame


class Stops:
    """A stepper whose last step had waypoints at `x`."""

    def __init__(self):
        self.x = np.zeros((0, 1, 3))

    def waypoints(self):
        return self.x, np.tile(np.eye(3), (len(self.x), 1, 1, 1))

    def is_direct_path_free(self, *_):
        return False


def at(t, place):
    return BodyState(t, np.array([[place, 0.0, 0]]), np.eye(3)[None], np.zeros((1, 3)),
                     np.zeros((1, 3)))  # fmt: skip


def test_a_dropped_step_leaves_nothing_of_itself():
    stepper = Stops()
    path = PathSinceFrame(stepper)
    path.begin(at(0.0, 0.0))
    stepper.x = np.array([[[0.4, 0.1, 0]]])
    path.add_step(at(1.0, 1.0))
    before = path.snapshot()
    path.add_step(at(2.0, 5.0))
    path.drop_step()
    after = path.snapshot()
    assert before.keys() == after.keys()
    for name, kept in before.items():
        np.testing.assert_array_equal(after[name], kept)
    assert after["path_steps"] == 1
    rows = path.rows(at(1.0, 1.0))
    np.testing.assert_array_equal(rows["waypoints/position"], [[0.4, 0.1, 0]])
    np.testing.assert_array_equal(rows["waypoints/time"], [0.5])


def test_the_direct_path_is_enough_up_to_half_a_rotation():
    """Between two frames a body turns by less than pi, or the poses in between are kept."""
    for spin, is_enough in ((0.9 * np.pi / 2, True), (1.1 * np.pi / 2, False)):
        stepper = Stops()
        from_frame = at(0.0, 0.0)
        stepper.is_path_collision_free = lambda x, R, frame=from_frame: (
            np.array_equal(x, frame.x) and np.array_equal(R, frame.R)
        )
        path = PathSinceFrame(stepper)
        for k in range(3):
            state = at(float(k), float(k))
            state.omega[0] = (0, 0, spin)
            state.R[0] = so3.exp((0, 0, spin * k))
            path.begin(state) if k == 0 else path.add_step(state)
        rows = path.rows(state)
        assert (rows is None) == is_enough
    assert rows["waypoints/position"][:, 0].tolist() == [1.0]
    assert rows["waypoints/time"].tolist() == [1.0]
