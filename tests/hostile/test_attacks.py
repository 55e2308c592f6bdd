"""Files made to exhaust or to mislead are refused with a message, quickly and in little memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bounded import HARMLESS, HEAVY, Outcome, attacks

PROGRAM = Path(__file__).with_name("bounded.py")
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
MAX_SECONDS = 30.0  # of CPU time, for any of them
MAX_MEMORY = 1500.0  # [MB]
QUICK = [
    "scene: billion laughs",
    "scene: deep lists",
    "scene: billion segments",
    "scene: most segments in every part",
    "scene: billion steps",
    "scene: path of a device",
    "xml: entity bomb",
    "xml: includes that double",
    "mesh: stl that counts to four billion",
    "mesh: ply of a billion vertices",
    "mesh: ply of nothing a billion times",
    "mesh: off of a billion vertices",
    "mesh: glb of many accessors without data",
    "mesh: glb that moves to nowhere",
    "mesh: obj of one concave polygon",
    "result: columns of a billion rows never written",
    "result: packed zeros",
    "result: column kept in another file",
    "result: a pipe",
    "result: the whole result itself",
]


def outcomes(*names: str) -> list[Outcome]:
    """Of the attacks whose names contain one of these, each in a process of its own."""
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), *names], env=ENVIRONMENT, capture_output=True, text=True,
        check=True, timeout=1500,
    )  # fmt: skip
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    for line in lines:
        del line["wall"]
    return [Outcome(**line) for line in lines]


def assert_bounded(found: list[Outcome]) -> None:
    wrong = [
        outcome
        for outcome in found
        if not (outcome.refused or (outcome.code == 0 and outcome.name in HARMLESS))
        or outcome.seconds > MAX_SECONDS
        or outcome.memory > MAX_MEMORY
    ]
    assert not wrong, "\n".join(map(str, wrong))


def test_an_attack_of_each_kind_is_refused_in_bounded_time_and_memory() -> None:
    found = outcomes(*QUICK)
    assert len(found) >= len(QUICK)
    assert_bounded(found)


@pytest.mark.slow
def test_every_light_attack_is_refused_in_bounded_time_and_memory() -> None:
    names = attacks().keys() - HEAVY
    found = outcomes(*names)
    assert len(found) == len(names) > 100
    assert_bounded(found)


def test_no_attack_leaves_anything_behind(tmp_path: Path) -> None:
    """A tag that would run a command is refused before it could."""
    from scene_attacks import python_object

    from dovetail.errors import InputError
    from dovetail.io import load_scene

    with pytest.raises(InputError, match="is not allowed"):
        load_scene(tmp_path / python_object(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["s.yaml"]
