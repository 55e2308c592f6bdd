"""No change to a scene document can do worse than a plain refusal."""

import copy
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damaged_documents import Damage, at
from dovetail.errors import InputError
from dovetail.io import from_document, load_scene
from dovetail.io.scene_file.schema.json_schema import json_schema
from dovetail.io.scene_file.writing.yaml_writer import yaml_text

DOCUMENT = {
    "version": 1,
    "name": "everything",
    "units": {"length": "mm", "mass": "g", "time": "ms", "angle": "deg"},
    "gravity": [0, 0, -9.81],
    "run": {
        "duration": 5,
        "step": 0.01,
        "every": 2,
        "integrator": {"name": "DH", "options": {"order": 2}},
        "contact": {"method": "sdf", "friction": [0.3, 0.2, 0.001, 0.01], "stiffness": 1e5},
    },
    "bodies": [
        {"name": "floor", "shape": {"half_space": [0, 0, 1], "extent": 5}, "motion": "static"},
        {"name": "box", "shape": {"box": [1, 2, 3]}, "density": 8050, "position": [0, 0, 2],
         "rotation": [1, 0, 0, 0], "fixed": [True, False, False, False, False, False],
         "group": "g", "material": "steel"},
        {"name": "tube", "shape": {"cylinder": {"radius": 1, "height": 2}, "segments": 8},
         "mass": 3, "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [1, 0, 0]},
        {"name": "mesh", "mass": 1, "rotation": {"axis": [0, 0, 1], "angle": 90}, "shape":
         {"mesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                   "faces": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "edges": [[0, 1]]},
          "scale": 2}},
        {"name": "parts", "motion": "kinematic", "moves_until": 2, "shape": {"compound": [
            {"shape": {"sphere": 1, "segments": 8}, "position": [0, 0, 1], "weight": 2},
            {"shape": {"torus": {"major": 2, "minor": 1}, "segments": 8},
             "rotation": {"euler": [1, 2, 3], "order": "zyx"}}]}},
        {"name": "led", "motion": "kinematic", "mass": 1, "inertia": [1, 1, 1], "trajectory":
         {"times": [0, 1], "positions": [[0, 0, 0], [1, 0, 0]],
          "rotations": [[1, 0, 0, 0], {"axis": [1, 0, 0], "angle": 30}]}},
        {"name": "point", "mass": 2, "inertia": [[2, 0, 0], [0, 2, 0], [0, 0, 2]],
         "center_of_mass": [0, 0, 0], "angular_velocity": [0, 0, 1]},
    ],
    "joints": [
        {"name": "hinge", "type": "revolute", "bodies": ["ground", "box"], "point": [0, 0, 1],
         "axis": [0, 1, 0], "actuation": {"lower": -1, "upper": 1, "motor": {"velocity": 2}}},
        {"name": "thread", "type": "screw", "bodies": ["ground", "tube"], "pitch": 0.1,
         "actuation": [{"stiffness": 1, "damping": 2, "rest": 0.1, "motor": 4}]},
        {"name": "cardan", "type": "universal", "bodies": ["box", "tube"], "axis": [0, 0, 1],
         "axis2": [0, 1, 0]},
    ],
    "loads": [
        {"name": "push", "type": "force", "body": "box", "force": [1, 0, 0], "frame": "body"},
        {"name": "pull", "type": "spring", "bodies": ["box", "ground"], "point_a": [0, 0, 0],
         "point_b": [0, 0, 1], "stiffness": 10, "damping": 1, "rest_length": 0.5},
    ],
    "materials": [{"pair": ["steel", "floor"], "friction": 0.3, "restitution": 0.5,
                   "stiffness": 1e6, "damping": 3}],
}  # fmt: skip

# Parts of it that are right by themselves: small ones read fast, so that more can be tried.
HEAD = {key: DOCUMENT[key] for key in ("version", "units", "gravity")}
STARTS = [
    DOCUMENT,
    HEAD | {"run": DOCUMENT["run"]},
    HEAD
    | {"bodies": DOCUMENT["bodies"][:3]}
    | {section: DOCUMENT[section] for section in ("joints", "loads", "materials")},
    *(HEAD | {"bodies": [body]} for body in DOCUMENT["bodies"]),
]


def changed(seed: int) -> Any:
    """One of the documents above with some changes."""
    damage = Damage(DOCUMENT, seed)
    return damage.changed(damage.dice.choice(STARTS))


def outcome(read, *arguments, **options):
    """'read', or the sentences of the refusal; any other exception fails the test."""
    try:
        read(*arguments, **options)
    except InputError as error:
        found = error.mistakes
    else:
        return "read"
    assert found
    for sentence in found:
        assert sentence.isprintable() and len(sentence) < 1200, sentence
    return found


def check_changed_document(folder: Path, seed: int) -> None:
    path = folder / "scene.json"
    path.write_text(json.dumps(changed(seed)), encoding="utf-8")
    found = outcome(load_scene, path)
    if found != "read":
        assert all(sentence.startswith("scene.json: ") for sentence in found)


def check_all(check: Callable[[Path, int], None], folder: Path, seeds: Iterable[int]) -> None:
    for seed in seeds:
        try:
            check(folder, seed)
        except BaseException:
            print(f"seed {seed}: {next(folder.iterdir()).read_text(errors='replace')}")
            raise


@pytest.mark.parametrize("start", range(len(STARTS)))
def test_the_documents_themselves_are_right(tmp_path, start):
    (tmp_path / "scene.json").write_text(json.dumps(STARTS[start]))
    load_scene(tmp_path / "scene.json").scene.build()


def test_bad_scenes_are_refused_with_a_sentence(tmp_path):
    check_all(check_changed_document, tmp_path, range(300))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_thousands_of_bad_scenes_are_refused_with_a_sentence(tmp_path, part):
    check_all(check_changed_document, tmp_path, range(300 + part, 8000, 4))


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_bad_documents_in_memory_are_refused_with_a_sentence(seed):
    outcome(from_document, Damage(DOCUMENT, seed).piece())


TEXT = yaml_text(DOCUMENT)
FRAGMENTS = (
    "&a", "*a", "<<: *a", "- ", "? ", ": ", "!!x ",
    "{", "}", "[", "]", "|\n", ">\n", "'", '"', "#",
    "%", "@", "\t", "\n", "---\n", "...\n", "\x85",
    "\u2028", "\ufeff", "\r", "\\", "0x", "1e", "_",
)  # fmt: skip


def check_cut_text(folder: Path, seed: int) -> None:
    text, damage = TEXT, Damage(DOCUMENT, seed)
    dice = damage.dice
    for _ in range(dice.randint(1, 4)):
        start, length = dice.randrange(len(text) + 1), dice.randrange(9)
        fragment = dice.choice(FRAGMENTS) if dice.random() < 0.7 else damage.text(4)
        text = text[:start] + fragment + text[start + length :]
    path = folder / "scene.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    outcome(load_scene, path)


def test_bad_scenes_cut_at_any_character_are_refused_with_a_sentence(tmp_path):
    check_all(check_cut_text, tmp_path, range(60))


@pytest.mark.slow
def test_thousands_of_bad_texts_are_refused_with_a_sentence(tmp_path):
    check_all(check_cut_text, tmp_path, range(60, 2000))


def test_the_published_schema_agrees_with_the_reader():
    validator = jsonschema.Draft202012Validator(json_schema())
    assert not list(validator.iter_errors(DOCUMENT))
    for path, wrong in [
        (("bodies", 1, "mass"), -1),
        (("bodies", 1, "shape"), {"box": [1, 2]}),
        (("bodies", 1, "wrong"), 1),
        (("joints", 0, "type"), "hinge"),
        (("joints", 0, "pitch"), 1),
        (("units", "length"), "mile"),
        (("version",), 2),
        (("gravity",), None),
    ]:
        document = copy.deepcopy(DOCUMENT)
        at(document, path[:-1])[path[-1]] = wrong
        assert list(validator.iter_errors(document)), path
        assert outcome(from_document, document) != "read", path
