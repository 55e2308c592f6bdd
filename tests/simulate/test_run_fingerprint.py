"""Settings of a run as text: equal for equal runs, and differences by name."""

import json
import os
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.simulate.fingerprint import (
    DEEPEST,
    canonical,
    described,
    described_scene,
    differences,
)
from dovetail.simulate.step_control import StepFromError


def test_plain_values_are_themselves_and_others_have_text():
    assert described([None, True, 3, "x", 0.5]) == [None, True, 3, "x", 0.5]
    assert described((float("inf"), float("nan"))) == ["inf", "nan"]
    assert described({2: {"b", "a"}}) == {"2": ["a", "b"]}
    assert described(dict) == "dict"
    assert described(json) == "json"


def test_a_dataclass_and_an_object_are_their_open_fields():
    found = described(StepFromError(order=2))
    assert found["type"] == "StepFromError" and found["order"] == 2 and found["largest"] == "inf"
    plain = SimpleNamespace(stiffness=3.0, _cache=object())
    assert described(plain) == {"type": "SimpleNamespace", "stiffness": 3.0}


def test_arrays_differ_by_value_shape_and_type():
    texts = {
        described(array)
        for array in (
            np.zeros(6),
            np.zeros((2, 3)),
            np.zeros(6, np.float32),
            np.array([0, 0, 0, 0, 0, 1e-300]),
        )
    }
    assert len(texts) == 4
    columns = np.arange(6.0).reshape(2, 3)
    assert described(columns.T) == described(columns.T.copy())
    assert described(np.array([{"a": 1}, None], object)) == [{"a": 1}, None]


def test_functions_differ_by_code_constants_names_closure_and_defaults():
    def made(k, start=1.0):
        return lambda t, at=start: k * t + at

    same, other_cell, other_default = (made(2.0), made(3.0), made(2.0, 5.0))
    assert described(made(2.0)) == described(same)
    found = [described(f) for f in (same, other_cell, other_default)]
    found += [described(f) for f in (lambda t: t + 1, lambda t: t + 2, lambda t: abs(t) + 1)]
    texts = {canonical(one["code"]) + canonical(one["uses"]) for one in found}
    assert len(texts) == 6
    assert described(lambda: lambda: 1)["code"] != described(lambda: lambda: 2)["code"]
    assert described(partial(max, 1, key=abs)) != described(partial(max, 2, key=abs))


def test_what_contains_itself_is_described_to_a_depth():
    cycle = SimpleNamespace()
    cycle.self = cycle
    found = described(cycle)
    for _ in range(DEEPEST):
        found = found["self"]
    assert found == {"type": "SimpleNamespace", "self": "SimpleNamespace"}


def scene(**changed):
    made = dt.Scene(gravity=changed.get("gravity", (0, 0, -9.81)))
    made.add_body("a", dt.Box((1, 1, changed.get("height", 1.0))), density=changed.get("density"))
    made.add_body("b", dt.Sphere(1.0), position=(5, 0, 0))
    made.add_joint("j", dt.Spherical(point=changed.get("point", (0, 0, 0))), "ground", "a")
    made.add_force("f", "b", force=changed.get("force", (1, 0, 0)))
    made.add_material_pair("a", "b", friction=changed.get("friction", 0.3))
    return described_scene(made.build())


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"gravity": (0, 0, -1)}, "gravity"),
        ({"height": 2.0}, "body a"),
        ({"density": 7.0}, "body a"),
        ({"point": (0, 0, 1)}, "joints"),
        ({"force": (2, 0, 0)}, "loads"),
        ({"friction": 0.4}, "materials"),
    ],
)
def test_a_difference_of_scenes_is_named_by_its_part(change, part):
    old, new = ({"scene": parts, "step": 0.1} for parts in (scene(), scene(**change)))
    assert differences(canonical(old), canonical(new)) == [f"the scene's {part} is not the same"]
    assert differences(canonical(old), canonical(old)) == []


def test_differences_of_settings_are_written_as_a_user_would():
    old = {"integrator": described(StepFromError(2)), "scene": {}, "events": [], "gone": 1}
    new = {"integrator": None, "scene": {"body a": "1"}, "events": ["x", 2]}
    assert differences(canonical(old), canonical(new)) == [
        "`events` is ['x', 2], was []",
        "`gone` is None, was 1",
        "`integrator` is None, was StepFromError(largest='inf', least=0.2, most=5.0, "
        "order=2, safety=0.9)",
        "the scene's body a is not the same",
    ]


def test_a_box_and_its_mesh_are_different_bodies():
    found = []
    surface = dt.Box((1, 1, 1)).surface()
    for shape in (dt.Box((1, 1, 1)), dt.Mesh(surface.vertices, surface.faces)):
        made = dt.Scene()
        made.add_body("a", shape, mass=1.0, inertia=(1, 1, 1))
        found.append(described_scene(made.build())["body a"])
    assert found[0] != found[1]


def test_the_module_of_a_function_does_not_change_its_description() -> None:
    """A script is `__main__` when it is run and has a name of its own when it is imported."""
    code = "def load(t, state):\n    return {}\n\nclass Law:\n    pass\n"
    descriptions = []
    for module in ("__main__", "script"):
        names: dict = {"__name__": module}
        exec(code, names)
        descriptions.append([described(names["load"]), described(names["Law"])])
    assert descriptions[0] == descriptions[1]


def test_a_set_within_a_function_is_described_the_same_in_every_process() -> None:
    code = (
        "from dovetail.simulate.fingerprint import described, canonical\n"
        "f = lambda t: t in {'red', 'green', 'blue', 'yellow', 'black'}\n"
        "print(canonical(described(f)))"
    )
    written = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(written) == 1


def test_sets_within_functions_differ_by_what_they_contain() -> None:
    assert described(lambda t: t in {"b", "a"}) != described(lambda t: t in {"c", "a"})
