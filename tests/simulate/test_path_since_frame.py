"""The poses between two frames, gathered from steps."""

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.multibody.state import BodyState
from dovetail.simulate.path import PathSinceFrame
from dovetail.simulate.recorded_frames import RecordedFrames


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


def turning(*spins):
    """A stepper that says that every direct path is free, and states one second apart."""
    stepper = Stops()
    stepper.is_path_collision_free = lambda x, R: True
    states = []
    for k, spin in enumerate(spins):
        state = at(float(k), float(k))
        state.omega[0] = (0, 0, spin)
        states.append(state)
    return stepper, states


def test_the_stops_of_a_single_step_are_kept_though_the_direct_path_is_free():
    stepper, (first, last) = turning(0.0, 0.0)
    path = PathSinceFrame(stepper)
    path.begin(first)
    assert path.rows(first) is None
    stepper.x = np.array([[[0.4, 0.1, 0]], [[0.7, 0.1, 0]]])
    path.add_step(last)
    rows = path.rows(last)
    np.testing.assert_array_equal(rows["waypoints/position"], [[0.4, 0.1, 0], [0.7, 0.1, 0]])
    np.testing.assert_allclose(rows["waypoints/time"], [1 / 3, 2 / 3], rtol=1e-15)


def test_the_faster_of_the_spins_at_both_frames_counts():
    for spins, direct in (((2.0, 0, 0.1), False), ((0.1, 0, 2.0), False), ((1.5, 9, 1.5), True)):
        stepper, (first, middle, last) = turning(*spins)
        path = PathSinceFrame(stepper)
        path.begin(first)
        path.add_step(middle)
        path.add_step(last)
        assert (path.rows(last) is None) == direct, spins


def test_bodies_that_rest_or_are_not_finite_have_no_waypoints():
    def three(t, x, turn=0.0):
        R = np.array([np.eye(3), so3.exp((0, 0, turn)), np.eye(3)])
        return BodyState(t, np.array(x, float), R, np.zeros((3, 3)), np.zeros((3, 3)))

    class Two:
        def waypoints(self):
            return np.zeros((0, 3, 3)), np.zeros((0, 3, 3, 3))

    path = PathSinceFrame(Two())
    rests, turns = (1, 2, 3), (4, 5, 6)
    path.begin(three(0.0, (rests, turns, (0, 0, 0))))
    path.add_step(three(1.0, (rests, turns, (np.nan, 0, 0)), turn=0.1))
    end = three(2.0, (rests, turns, (1, 0, 0)), turn=0.2)
    path.add_step(end)
    rows = path.rows(end)
    assert rows["waypoints/body"].tolist() == [1] and rows["waypoints/body"].dtype == np.int32
    np.testing.assert_array_equal(rows["waypoints/rotation"], [so3.exp((0, 0, 0.1))])
    np.testing.assert_array_equal(rows["waypoints/position"], [turns])


def test_a_restored_path_gives_the_rows_of_the_one_that_was_kept():
    stepper, (first, middle, last) = turning(2.0, 0.0, 0.1)
    path, other = PathSinceFrame(stepper), PathSinceFrame(stepper)
    path.begin(first)
    path.add_step(middle)
    other.restore({name: np.array(kept) for name, kept in path.snapshot().items()})
    for one in (path, other):
        one.add_step(last)
    for name, rows in path.rows(last).items():
        np.testing.assert_array_equal(other.rows(last)[name], rows)
    assert PathSinceFrame(object()).snapshot() == {}


def test_frames_follow_the_path_of_the_stepper_in_use():
    first, second = Stops(), Stops()
    second.bodies = at(3.0, 7.0)
    frames = RecordedFrames(None, first, None)
    frames.use(second)
    second.x = np.array([[[8.0, 1, 0]]])
    frames.path.add_step(at(4.0, 9.0))
    rows = frames.path.rows(at(4.0, 9.0))
    np.testing.assert_array_equal(rows["waypoints/position"], [[8.0, 1, 0]])
    assert rows["waypoints/time"].tolist() == [3.5]
