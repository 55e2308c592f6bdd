"""The programs in `examples/` that steer a simulation do what they say."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt

EXAMPLES = Path(__file__).parents[2] / "examples"


def program(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


@pytest.mark.parametrize("method", [dt.contact.IPC, dt.contact.LCP, dt.contact.SDF])
def test_the_arm_puts_the_box_down_where_its_shoulder_turned_to(method):
    """The box was 0.7 m from the shoulder; the plan turns it by 0.8 rad."""
    sim = program("pick_box")["pick"](method(friction=0.8))
    goal = 0.7 * np.cos(0.8), 0.7 * np.sin(0.8), 0.02
    assert np.allclose(sim.body("box").position, goal, rtol=0, atol=3e-3)
    assert np.abs(sim.contact_wrench("left", "box").force).max() < 1e-6  # let go
    assert sim.contact_wrench("box", "table").force[2] == pytest.approx(0.1 * 9.81, rel=0.05)


def test_feedback_balances_the_pole_under_lcp():
    made = program("balance_cart_pole")
    assert abs(made["by_hand"]()) < 0.01  # [rad] of 0.1 at the start
    assert made["as_environment"]() > 399  # of 400


def test_the_peg_finds_its_hole_by_touch_and_nothing_intersects(tmp_path):
    made = program("peg_insertion")
    sim = dt.Simulation(made["scene"](), step=2e-3, contact=dt.contact.IPC(friction=0.1))
    with sim.recording(tmp_path / "peg.h5", every=5) as recording:
        depth = made["insert"](sim)
    assert depth > 0.025  # [m]; 5 mm beside the hole it can go 1 mm
    assert recording.result.min_distance.min() > 0.0


def test_a_controlled_ring_docks_softly():
    """A brake c stops the reduced mass m with a force of at most c v, and never pushes back."""
    made = program("dock_ring")
    force, left = made["dock"](controlled=True)
    stiff, rebound = made["dock"](controlled=False)
    assert 0.5 * made["BRAKE"] * made["SPEED"] < force < 1.1 * made["BRAKE"] * made["SPEED"]
    assert left < 0.1 * made["SPEED"]
    assert stiff > 10 * force and rebound > 0.3 * made["SPEED"]


def test_a_few_episodes_teach_to_balance(capsys):
    program("train_cart_pole")
    said = capsys.readouterr().out
    before, after = float(said.split()[1]), float(said.split()[3])  # "reward 89 before, 200 of"
    assert before < 150 and after > 195
