"""Recordings are result files like those of runs."""

from contextlib import suppress

import numpy as np
import pytest
from test_stepping import made

import dovetail as dt
from dovetail.verifier.certificate import certify
from live_scenes import arm_and_box, resting_box


@pytest.mark.parametrize("contact", [None, "ipc", "sdf", "lcp"])
def test_recorded_files_equal_those_of_runs(contact, tmp_path):
    run = dt.simulate(
        resting_box(), 0.02, 1e-3, contact=contact, every=4, progress=False, check=False,
        out=tmp_path / "run.h5",
    )  # fmt: skip
    sim = made(resting_box(), (contact, None))
    with sim.recording(tmp_path / "live.h5", every=4) as recording:
        sim.step(20)
    result = dt.load(tmp_path / "live.h5")
    assert result.status == "finished"
    assert np.array_equal(result.time, run.time)
    assert np.array_equal(result.position("box"), run.position("box"))
    assert np.array_equal(result.energy["total"], run.energy["total"])
    assert np.array_equal(result.contacts.count, run.contacts.count)
    assert recording.result is not None
    assert certify(result).verdict == certify(run).verdict


def test_states_are_not_set_while_recorded(tmp_path):
    sim = made(arm_and_box(), (None, None))
    with sim.recording(tmp_path / "run.h5"):
        sim.step()
        with pytest.raises(dt.InputError, match="while the run is recorded"):
            sim.set_state(q={"elbow": 0.1})
        with pytest.raises(dt.InputError, match=r"a pose .*while the run is recorded"):
            sim.body("box").place(position=(3, 0, -1.8))
    sim.set_state(q={"elbow": 0.1})


def test_what_failed_while_recorded_is_kept(tmp_path):
    sim = made(arm_and_box(), (None, None))
    with suppress(RuntimeError), sim.recording(tmp_path / "run.h5"):
        sim.step(3)
        raise RuntimeError("mine")
    result = dt.load(tmp_path / "run.h5")
    assert (result.status, len(result.time)) == ("failed", 4)
    assert "mine" in result.reason


def test_what_is_steered_while_it_is_recorded_is_recorded(tmp_path):
    """The first effort takes another stepper, which the recording has to follow."""
    sim = made(arm_and_box(), (None, None))
    angles = []
    with sim.recording(tmp_path / "run.h5"):
        for k in range(6):
            if k == 2:
                sim.joint("elbow").effort = 40.0
            angles.append(sim.joint("elbow").position)
            sim.step()
        angles.append(sim.joint("elbow").position)
    found = dt.load(tmp_path / "run.h5").joint("elbow").position
    assert abs(found[-1]) > 1e-4
    np.testing.assert_allclose(found, angles, atol=1e-12)
