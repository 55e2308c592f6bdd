"""A scene file instead of a `Scene`: its `run` section says what the call does not."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.simulate import LargeAndSmallSteps
from dovetail.simulate.scene_argument import RunChoices, found_scene

BLOCK = """\
version: 1
gravity: [2.0, 0, -9.81]
run: {duration: 0.05, step: 0.01, every: 5, contact: {method: lcp, friction: 0.5}}
bodies:
  - {name: floor, shape: {box: [4, 4, 0.2]}, position: [0, 0, -0.1], motion: static}
  - {name: block, shape: {box: [1, 1, 1]}, density: 500, position: [0, 0, 0.5]}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "block.yaml"
    path.write_text(BLOCK)
    return path


def test_a_file_runs_as_it_says_itself(file):
    result = dt.simulate(file, progress=False)
    expected = dt.simulate(
        dt.Scene.load(file), 0.05, 0.01, dt.contact.LCP(friction=0.5), every=5, progress=False
    )
    assert len(result.time) == 2
    assert np.array_equal(result.position("block"), expected.position("block"))
    assert abs(result.position("block")[-1, 0]) < 1e-9  # sticks: 2.0 < 0.5 * 9.81


def test_what_the_call_says_comes_before_what_the_file_says(file):
    result = dt.simulate(
        str(file), duration=0.1, every=1, contact=dt.contact.LCP(friction=0.0), progress=False
    )
    assert len(result.time) == 11
    assert result.position("block")[-1, 0] == pytest.approx(0.5 * 2.0 * 0.1**2, rel=0.11)  # slides


def test_a_method_given_by_name_takes_the_options_that_the_file_has_for_it(file):
    _, same = found_scene(file, RunChoices(contact="lcp"), "simulate()", ())
    _, other = found_scene(file, RunChoices(contact="ipc"), "simulate()", ())
    _, none = found_scene(file, RunChoices(contact="none"), "simulate()", ())
    assert same.contact.friction == 0.5
    assert type(other.contact).__name__ == "IPC" and other.contact.friction == 0.0
    assert none.contact == "none"


def test_large_steps_and_the_monitor_of_a_file_are_taken(file):
    file.write_text(BLOCK.replace("every: 5", "large_step: 0.05, monitor: true"))
    _, chosen = found_scene(file, RunChoices(step=0.005), "simulate()", ())
    assert isinstance(chosen.step_control, LargeAndSmallSteps)
    assert (chosen.step_control.large, chosen.step_control.small) == (0.05, 0.005)
    assert chosen.monitor is not None


def test_a_simulation_of_a_file_steps_as_the_file_says(file):
    sim = dt.Simulation(file)
    sim.step(5)
    assert sim.time == pytest.approx(0.05)
    assert sim.contact.friction == 0.5
    assert abs(sim.body("block").position[0]) < 1e-9


def test_what_neither_says_is_named(file):
    file.write_text(BLOCK.replace("duration: 0.05, step: 0.01, every: 5, ", ""))
    with pytest.raises(dt.InputError, match=r"run\.duration.*`duration=`"):
        dt.simulate(file)
    with pytest.raises(dt.InputError, match=r"run\.step.*`step=` to Simulation"):
        dt.Simulation(file)
