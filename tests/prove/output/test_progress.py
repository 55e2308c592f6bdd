"""The progress of a question on stderr."""

import dovetail as dt
from dovetail.prove.output.progress import ProofProgress


def two_boxes():
    scene = dt.Scene()
    scene.add_body("wall", dt.Box((0.1, 0.1, 0.1)), density=1000, motion="static")
    scene.add_body("block", dt.Box((0.1, 0.1, 0.1)), density=1000, position=(0.3, 0, 0))
    scene.add_joint("push", dt.Prismatic(axis=(-1, 0, 0)), "ground", "block")
    return scene


def test_a_bar_names_the_pair_that_is_examined(capsys):
    proof = dt.prove(two_boxes(), {"push": (0, 0.1)}, progress=True)
    said = capsys.readouterr().err
    assert proof.verdict == "proven"
    assert "0 of 1 pairs" in said and "wall, block" in said


def test_nothing_is_shown_where_stderr_is_no_terminal(capsys):
    dt.prove(two_boxes(), {"push": (0, 0.1)})
    assert capsys.readouterr().err == ""


def test_updates_are_seldom(capsys):
    with ProofProgress(True) as shown:
        for k in range(1000):
            shown.show(k, 1000, f"pair {k}")
    assert capsys.readouterr().err.count("pair ") < 20
