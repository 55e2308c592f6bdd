"""What a method derives is printed on stderr, the first lines only, unless one asks for quiet."""

import pytest

import dovetail as dt
from dovetail.contact.derived_settings import MAX_REPORTED, report_derived


@pytest.mark.parametrize("count", [0, 1, MAX_REPORTED, MAX_REPORTED + 1, 100])
def test_as_many_lines_are_printed_as_there_may_be(capsys, monkeypatch, count):
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    report_derived(f"k = {number}" for number in range(count))
    lines = capsys.readouterr().err.splitlines()
    expected = [f"dovetail: contact k = {number}" for number in range(min(count, MAX_REPORTED))]
    if count > MAX_REPORTED:
        expected.append("dovetail: and so on for more pairs")
    assert lines == expected


def test_quiet_derives_nothing(capsys, monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")
    sentences = iter(["k = 1"])
    report_derived(sentences)
    assert capsys.readouterr().err == ""
    assert next(sentences) == "k = 1"


def of_ipc(capsys, monkeypatch, **settings):
    """What IPC derives for a cube of 1 m beside a slab of 2 m x 2 m x 1 m."""
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    scene = dt.Scene()
    scene.add_body("cube", dt.Box((1, 1, 1)), mass=1)
    scene.add_body("slab", dt.Box((2, 2, 1)), mass=1, position=(5, 0, 0))
    law = dt.contact.IPC(**settings).prepare(scene.build())
    return law, capsys.readouterr().err


def test_ipc_says_what_it_derives_from_the_bodies(capsys, monkeypatch):
    law, said = of_ipc(capsys, monkeypatch, friction=0.3)
    assert "dhat = 0.00173 m (0.001 of the smallest body's diagonal)" in said
    assert "friction sticks within" in said
    assert "velocity_tolerance = 0.001 of the largest of h times acceleration" in said
    assert (law.tolerance, law.relative_tolerance) == (0.0, 1e-3)
    law, said = of_ipc(capsys, monkeypatch)
    assert "friction" not in said and law.relative_tolerance == 1e-2


def test_ipc_derives_no_tolerance_that_is_given(capsys, monkeypatch):
    law, said = of_ipc(capsys, monkeypatch, velocity_tolerance=1e-5, dhat=1e-3)
    assert "velocity_tolerance" not in said and "dhat" not in said and law.tolerance == 1e-5
    law, said = of_ipc(capsys, monkeypatch, relative_velocity_tolerance=1e-4)
    assert "velocity_tolerance <= 0.0003 m/s (of the largest body)" in said
    assert law.tolerance == pytest.approx(-3e-4)  # no more than that; less where speeds are less


def test_a_simulation_whose_joints_are_steered_says_once_what_it_derives(capsys, monkeypatch):
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    scene = dt.Scene()
    scene.add_body("cube", dt.Box((1, 1, 1)), mass=1)
    scene.add_joint("slide", dt.Prismatic(axis=(1, 0, 0)), "ground", "cube")
    scene.add_body("slab", dt.Box((2, 2, 1)), mass=1, position=(5, 0, 0))
    for _ in range(2):  # each simulation does
        sim = dt.Simulation(scene, step=1e-3, contact=dt.contact.IPC())
        sim.joint("slide").set_target(position=0.1)
        assert capsys.readouterr().err.count("dhat = ") == 1
