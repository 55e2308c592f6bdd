"""`dovetail topology`: what it prints for scenes, examples and incidence lists."""

import json

import pytest
from click.testing import CliRunner

from dovetail.cli.main import main
from dovetail.cli.topology_command import command
from mechanism_scenes import four_bar

FIGURE_4 = "3 4\n3,1\n(2, 4)  # any separators\n\n0 4\n0 3\n3 5\n1 2\n5 1\n"


def run(*arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None, result.exception
    return result.stdout


def test_incidence_list_of_the_paper_gives_its_cut_joints_and_labels(tmp_path):
    path = tmp_path / "figure4.txt"
    path.write_text(FIGURE_4)
    said = json.loads(run(path, "--json"))
    assert said["cut_joints"] == [5, 7, 8]
    assert said["body_labels"] == [3, 4, 2, 1, 5]
    assert said["joint_labels"] == [2, 3, 4, 1, 6, 5, 7, 8]
    assert said["incidence"] == [[0, 1], [1, 2], [2, 3], [1, 4], [2, 5], [0, 2], [3, 4], [3, 5]]
    assert [loop["cut_joint"] for loop in said["loops"]] == [5, 7, 8]
    text = run(path)
    assert "5 bodies, 8 joints, 3 cut" in text
    assert "joint 5 is cut: it closes the loop" in text
    assert "┄┄ joint 8 ┄┄" in text


def test_scene_is_reported_with_its_names_and_redundant_equations(tmp_path):
    path = tmp_path / "linkage.yaml"
    four_bar().save(path)
    text = run(path)
    assert "D is cut: it closes the loop rocker - coupler - crank - ground - rocker" in text
    assert "D: gap along (0, 0, 1)" in text
    assert run("four-bar").count("is cut") == 1
    said = json.loads(run("stewart", "--json"))
    names = said["joint_names"]
    assert {names[joint - 1].split()[0] for joint in said["cut_joints"]} == {"ball"}


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_picture_is_drawn(tmp_path, ending):
    path, target = tmp_path / "figure4.txt", tmp_path / f"graph.{ending}"
    path.write_text(FIGURE_4)
    assert f"wrote {target}" in run(path, "--picture", target)
    content = target.read_bytes()
    assert content.startswith(b"\x89PNG" if ending == "png" else b"<?xml")
    if ending == "svg":
        assert content.count(b"stroke-dasharray") >= 3  # one for each cut joint


def test_all_mistakes_of_a_list_are_reported_at_once(tmp_path, capsys):
    path = tmp_path / "bad.txt"
    path.write_text("1 2\n3 3\nx 1\n0 4 5\n")
    with pytest.raises(SystemExit) as stopped:
        main(["topology", str(path)])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert "joint 2 must join two different bodies" in said
    assert "joint 3 must name bodies by whole numbers, got 'x'" in said
    assert "joint 4 must be a (body, body) pair" in said
    assert "must be connected to the ground" in said


def test_islands_float_when_requested(tmp_path):
    path = tmp_path / "island.txt"
    path.write_text("1 2\n0 3\n")
    assert "1 free joints added for islands" in run(path, "--floating")
