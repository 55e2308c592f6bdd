"""No change to a scene document can do worse than a plain refusal."""

import copy
import json
import math
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


def places(value, path=()):
    """The path of every value inside a document."""
    yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from places(entry, (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from places(entry, (*path, index))


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
PLACES = list(places(DOCUMENT))[1:]
PLACES_OF = [list(places(start))[1:] for start in STARTS]
KEYS = sorted({key for path in PLACES for key in path if isinstance(key, str)})

extreme = st.sampled_from(
    [0, -0.0, 1, -1, 1e-320, 1e-40, 1e39, -1e40, 1e41, 1e308, math.inf, -math.inf, math.nan,
     2**31, 2**63, 10**400, -(10**30), 0.1, True, False, None]
)  # fmt: skip
words = st.sampled_from(
    ["", "ground", "box", "floor", "static", "revolute", "../x.obj", "/dev/zero", "on", "\ud800",
     "\x00", "x" * 300, "ipc", "mm", "body", ".", "a'b\"c"]
) | st.text(max_size=5)  # fmt: skip
scalars = extreme | st.floats() | st.integers() | words
# A part of the document itself in the wrong place, or something made up.
pieces = st.sampled_from(PLACES).map(lambda path: at(DOCUMENT, path)) | st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | words, inner, max_size=4)
    ),
    max_leaves=8,
)


def at(document, path):
    for key in path:
        document = document[key]
    return document


@st.composite
def changed_documents(draw):
    start = draw(st.integers(0, len(STARTS) - 1))
    document = copy.deepcopy(STARTS[start])
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(PLACES_OF[start]))
        try:
            parent = at(document, path[:-1])
            parent[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took this place away
        if isinstance(parent, str):
            continue
        change = draw(st.sampled_from(["delete", "replace", "insert", "rename", "double"]))
        if change == "delete":
            del parent[path[-1]]
        elif change == "replace":
            parent[path[-1]] = copy.deepcopy(draw(pieces))
        elif change == "double" and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[path[-1]]))
        elif isinstance(parent, list):
            parent.insert(path[-1], copy.deepcopy(draw(pieces)))
        elif change == "rename":
            parent[draw(st.sampled_from(KEYS) | words)] = parent.pop(path[-1])
        else:
            parent[draw(st.sampled_from(KEYS) | words)] = copy.deepcopy(draw(pieces))
    return document


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


def check_changed_document(folder: Path, document) -> None:
    path = folder / "scene.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    found = outcome(load_scene, path)
    if found != "read":
        assert all(sentence.startswith("scene.json: ") for sentence in found)


def fuzzed(examples: int):
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )


@pytest.mark.parametrize("start", range(len(STARTS)))
def test_the_documents_themselves_are_right(tmp_path, start):
    (tmp_path / "scene.json").write_text(json.dumps(STARTS[start]))
    load_scene(tmp_path / "scene.json").scene.build()


@fuzzed(300)
@given(document=changed_documents())
def test_bad_scenes_are_refused_with_a_sentence(tmp_path_factory, document):
    check_changed_document(tmp_path_factory.getbasetemp(), document)


@pytest.mark.slow
@fuzzed(8000)
@given(document=changed_documents())
def test_thousands_of_bad_scenes_are_refused_with_a_sentence(tmp_path_factory, document):
    check_changed_document(tmp_path_factory.getbasetemp(), document)


@fuzzed(150)
@given(document=pieces)
def test_bad_documents_in_memory_are_refused_with_a_sentence(document):
    outcome(from_document, document)


TEXT = yaml_text(DOCUMENT)
fragments = st.sampled_from(
    ["&a", "*a", "<<: *a", "- ", "? ", ": ", "!!x ",
     "{", "}", "[", "]", "|\n", ">\n", "'", '"', "#",
     "%", "@", "\t", "\n", "---\n", "...\n", "\x85",
     "\u2028", "\ufeff", "\r", "\\", "0x", "1e", "_"]
) | st.text(max_size=4)  # fmt: skip
cuts = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, 8), fragments), min_size=1, max_size=4
)


def check_cut_text(folder: Path, cuts) -> None:
    text = TEXT
    for start, length, fragment in cuts:
        text = text[:start] + fragment + text[start + length :]
    path = folder / "scene.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    outcome(load_scene, path)


@fuzzed(60)
@given(cuts=cuts)
def test_bad_scenes_cut_at_any_character_are_refused_with_a_sentence(tmp_path_factory, cuts):
    check_cut_text(tmp_path_factory.getbasetemp(), cuts)


@pytest.mark.slow
@fuzzed(2000)
@given(cuts=cuts)
def test_thousands_of_bad_texts_are_refused_with_a_sentence(tmp_path_factory, cuts):
    check_cut_text(tmp_path_factory.getbasetemp(), cuts)


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
