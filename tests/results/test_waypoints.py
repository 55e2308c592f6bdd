"""The path between two frames: recorded where it is not the direct one, and verified as it was."""

from dataclasses import dataclass
from typing import ClassVar

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.interface import Observation, StepReport
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state
from dovetail.simulate import Event, simulate
from dovetail.verifier.certificate import certify
from known_runs import Chaotic, Winding, two_bodies
from rounding import rounding


class RoutedStepper:
    """Moves the first body by `stride` a step, past the waypoints `route` relative to its start."""

    def __init__(self, model, settings):
        self.settings, self.bodies = settings, initial_state(model)
        self._start = self.bodies.x.copy(), self.bodies.R.copy()

    def step(self, t_next):
        s = self.bodies
        self._start, h = (s.x.copy(), s.R.copy()), t_next - s.t
        s.x[0] += h * np.array(self.settings.speed)
        s.R[0] = so3.exp(h * np.array(self.settings.spin)) @ s.R[0]
        s.v[0], s.omega[0] = self.settings.speed, s.R[0].T @ self.settings.spin
        s.t = t_next
        return StepReport()

    def waypoints(self):
        x, R = self._start
        k = len(self.settings.route)
        x_passed = np.tile(x, (k, 1, 1))
        if k:
            x_passed[:, 0] += self.settings.route
        turns = [so3.exp(np.array(turn)) for turn in self.settings.turns or [(0, 0, 0)] * k]
        return x_passed, np.array([[turn @ R[0], *R[1:]] for turn in turns]).reshape(k, *R.shape)

    def is_path_collision_free(self, x, R):
        return self.settings.clear

    def observe(self):
        return Observation()

    def snapshot(self):
        return {"t": np.array(self.bodies.t), "x": self.bodies.x.copy(), "R": self.bodies.R.copy()}

    def restore(self, snapshot):
        s = self.bodies
        s.t, s.x[:], s.R[:] = float(snapshot["t"]), snapshot["x"], snapshot["R"]


@dataclass(frozen=True)
class Routed:
    """Settings of `RoutedStepper`."""

    speed: tuple = (2.0, 0.0, 0.0)
    spin: tuple = (0.0, 0.0, 0.0)
    route: tuple = ()
    turns: tuple = ()
    clear: bool = False

    name: ClassVar[str] = "Routed"
    order: ClassVar[int] = 1
    takes: ClassVar[frozenset] = frozenset()
    takes_joints: ClassVar[bool] = False
    leaves_waypoints: ClassVar[bool] = True

    def start(self, model, contact):
        return RoutedStepper(model, self)


def box_before_wall():
    """A box of side 0.2 one metre before a wall of height 1."""
    scene = dt.Scene()
    scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), position=(-1, 0, 0), density=1.0)
    scene.add_body("wall", dt.Box((0.1, 4, 1)), motion="static")
    return scene


OVER = ((0.5, 0.0, 1.0), (1.5, 0.0, 1.0))
THROUGH = ((0.5, 0.0, 0.1), (1.5, 0.0, 0.1))


@pytest.mark.parametrize(
    ("route", "verdict"), [((), "intersecting"), (OVER, "free"), (THROUGH, "intersecting")]
)
def test_a_box_over_a_wall_is_verified_along_the_path_it_took(route, verdict):
    result = simulate(box_before_wall(), 1.0, 1.0, None, Routed(route=route))
    found = certify(result)
    assert found.states.crossings == ()
    assert (found.verdict, found.states.waypoints) == (verdict, len(route))


def test_a_waypoint_inside_a_wall_is_an_intersecting_state():
    route = ((1.0, 0.0, 0.0),)
    found = certify(simulate(box_before_wall(), 1.0, 1.0, None, Routed(route=route)))
    (crossing,) = found.states.crossings
    assert crossing.time == 0.5


def test_a_path_between_waypoints_is_reported_with_the_time_in_the_step():
    route = ((0.5, 0.0, 1.0), (0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    found = certify(simulate(box_before_wall(), 1.0, 1.0, None, Routed(route=route)))
    (path,) = found.paths
    assert (path.begin, path.end) == (0.75, 1.0)
    # from x = -1 at 0.75 to x = 1 at 1; sides meet at x = -0.15
    assert path.time == pytest.approx(0.75 + 0.25 * 0.85 / 2, abs=0.02)


def test_the_path_of_several_steps_is_kept_only_where_the_direct_one_is_not_clear():
    kept = simulate(box_before_wall(), 1.5, 0.5, None, Routed(route=OVER), every=3)
    assert len(kept.time) == 2
    assert kept.motion_path.time.tolist() == pytest.approx([k / 6 for k in range(10)])
    x, _, led = kept.motion_path.poses(0)
    assert x[:, 0].tolist() == [-1, -0.5, 0.5, 0, 0.5, 1.5, 1, 1.5, 2.5, 2]
    assert led.tolist() == [False] + 9 * [True]
    dropped = simulate(box_before_wall(), 1.5, 0.5, None, Routed(route=OVER, clear=True), every=3)
    assert dropped.motion_path.time.tolist() == [0.0, 1.5]


@pytest.mark.parametrize(("height", "verdict"), [(0.52, "free"), (0.5, "intersecting")])
def test_more_than_half_a_turn_between_frames_is_kept_and_decided(height, verdict):
    """Three steps of 1.1 rad under a post, or through its foot; the ends alone are not enough."""
    scene = dt.Scene()
    scene.add_body("bar", dt.Box((2, 0.02, 0.02)), density=1.0)
    scene.add_body("post", dt.Box((0.02, 0.02, 1)), motion="static", position=(0, 0.8, height))
    turning = Routed((0, 0, 0), (0, 0, 2.2), clear=True)
    result = simulate(scene, 1.5, 0.5, None, turning, every=3)
    assert len(result.motion_path.time) == 4
    assert certify(result).verdict == verdict


def test_a_slow_rotation_needs_no_waypoints_however_late_it_is():
    """0.6 rad between two frames, 6 rad in all."""
    turning = Routed((0, 0, 0), (0, 0, 2.0), clear=True)
    result = simulate(box_before_wall(), 3.0, 0.1, None, turning, every=3)
    assert result.stored.rows["waypoints"] == 0


def test_a_method_that_leaves_no_waypoint_promises_the_direct_path():
    """A spin of 3.5 rad a step was recorded; the body went there directly, by its method."""
    scene = dt.Scene()
    scene.add_body("bar", dt.Box((2, 0.02, 0.02)), density=1.0)
    scene.add_body("post", dt.Box((0.02, 0.02, 1)), motion="static", position=(0, 0.8, 0.52))
    result = simulate(scene, 1.0, 1.0, None, Routed((0, 0, 0), (0, 0, 3.5)))
    assert certify(result).verdict == "free"


def test_bodies_at_rest_take_no_rows_among_the_waypoints():
    result = simulate(box_before_wall(), 1.0, 0.5, None, Routed(route=OVER))
    assert set(result.stored.column("waypoints/body").tolist()) == {0}
    assert result.stored.rows["waypoints"] == 4
    x, R, led = result.motion_path.poses(1)
    assert np.all(x == x[0]) and np.all(R[0] == R) and not led.any()


@pytest.mark.parametrize("frame", [1, 2])
def test_a_body_without_waypoints_is_where_a_constant_twist_takes_it(frame):
    """Two thirds of its path when another passes its second of two waypoints, in either step."""
    scene = box_before_wall()
    result = simulate(scene, 1.0, 0.5, None, Routed(route=OVER))
    stored = result.stored
    stored.column("position")[frame:, 1] = (0, 3, 0)
    stored.column("rotation")[frame:, 1] = so3.exp((0.9, 0, 0))
    path = dt.results.result.Result(stored, scene=scene).motion_path
    x, R, _ = path.poses(1)
    assert path.time[3 * frame - 1] == pytest.approx(0.5 * (frame - 1 / 3))
    np.testing.assert_allclose(x[3 * frame - 1], (0, 2, 0), atol=rounding(12, 3.0))
    np.testing.assert_allclose(R[3 * frame - 1], so3.exp((0.6, 0, 0)), atol=rounding(24))


def test_a_run_that_an_event_ends_keeps_the_path_of_its_last_part_of_a_step():
    event = Event("half", lambda t, state: t - 0.6, terminal=True)
    result = simulate(box_before_wall(), 2.0, 0.5, None, Routed(route=OVER), events=[event])
    np.testing.assert_allclose(result.motion_path.time[-3:], [0.5 + 0.1 / 3, 0.5 + 0.2 / 3, 0.6])
    assert result.time.tolist() == pytest.approx([0.0, 0.5, 0.6])


def test_the_file_of_a_run_equals_the_saved_result_and_reads_back_the_same_path(tmp_path):
    kept = simulate(two_bodies(), 0.3, 0.01, None, Winding(), every=3)
    filed = simulate(two_bodies(), 0.3, 0.01, None, Winding(), every=3, out=tmp_path / "a.h5")
    kept.save(tmp_path / "b.h5")
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()
    assert kept.stored.rows["waypoints"] > 0
    assert np.array_equal(filed.motion_path.time, kept.motion_path.time)
    for ours, theirs in zip(filed.motion_path.poses(1), kept.motion_path.poses(1)):
        assert np.array_equal(ours, theirs)
    with h5py.File(tmp_path / "a.h5") as file:
        assert len(file["run/rows"]) == 4
        assert file["waypoints/frame"].shape == (kept.stored.rows["waypoints"],)


def test_a_run_without_waypoints_has_no_place_for_them(tmp_path):
    simulate(two_bodies(), 0.1, 0.01, None, Chaotic(), out=tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert "waypoints" not in file
        assert len(file["run/rows"]) == 3


@pytest.mark.parametrize("leads_to", [10**6, 31, 0])
def test_waypoints_of_a_damaged_file_are_refused(tmp_path, leads_to):
    """A waypoint leads to one of the frames 1 to 30."""
    simulate(two_bodies(), 0.3, 0.01, None, Winding(), out=tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        assert len(file["time"]) == 31
        file["waypoints/frame"][0] = leads_to
    with pytest.raises(dt.errors.InputError, match=r"waypoints of a\.h5 are damaged"):
        certify(dt.load(tmp_path / "a.h5", verify=False))
    with pytest.raises(dt.InputError, match="no certificate for a damaged result"):
        certify(dt.load(tmp_path / "a.h5"))
