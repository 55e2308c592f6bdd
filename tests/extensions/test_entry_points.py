"""Extensions of an installed package, found by name from scene files and the command.

The package is a folder with one module for each extension and the `entry_points.txt` that an
installer writes; a new process finds it on its path.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "extensions"
ENTRY_POINTS = """
[dovetail.joints]
pin-in-slot = pin_in_slot:PinInSlot
[dovetail.shapes]
rounded-box = rounded_box:RoundedBox
[dovetail.contact_methods]
quadratic-penalty = quadratic_penalty_potential:QuadraticPenalty
pgs = second_impulse_law:ProjectedGaussSeidel
[dovetail.normal_forces]
lankarani-nikravesh = lankarani_nikravesh:LankaraniNikravesh
[dovetail.friction_curves]
stribeck = friction_curve:Stribeck
[dovetail.integrators]
SymplecticEuler = integrator:SymplecticEuler
[dovetail.scene_readers]
toy = toy_reader:read_toy
[dovetail.exporters]
plyseq = ply_sequence_exporter:write_ply_sequence
broken = nowhere:write
"""
BODIES = """
bodies:
  - {name: floor, shape: {half_space: [0, 0, 1]}, motion: static}
  - {name: ball, shape: {sphere: 0.1}, mass: 1, position: [0, 0, 0.1]}
"""
SCENES = {
    "pin-in-slot": """
run: {duration: 0.02, step: 0.01}
bodies:
  - {name: a, shape: {box: [1, 1, 1]}, mass: 1}
joints:
  - {name: pin, type: pin-in-slot, bodies: [ground, a], axis: [0, 0, 1], axis2: [0, 1, 0]}
""",
    "rounded-box": """
run: {duration: 0.02, step: 0.01, contact: {method: lcp}}
bodies:
  - {name: a, shape: {rounded-box: {size: [0.2, 0.2, 0.1], radius: 0.02}, segments: 8}, density: 9}
""",
    "quadratic-penalty": """
run: {duration: 0.02, step: 0.01, contact: {method: quadratic-penalty, stiffness: 1.0e+4}}
""",
    "pgs": "run: {duration: 0.02, step: 0.01, contact: {method: pgs, friction: 0.3}}",
    "lankarani-nikravesh": """
run:
  {duration: 2.0e-3, step: 1.0e-3,
   contact: {method: sdf, normal_force: {lankarani-nikravesh: {K: 1.0e+6, e: 0.8}}}}
""",
    "stribeck": """
run:
  {duration: 0.02, step: 0.01,
   contact: {method: lcp, friction: {stribeck: {mu_s: 0.4, mu_d: 0.2}}}}
""",
    "SymplecticEuler": "run: {duration: 0.02, step: 0.01, integrator: SymplecticEuler}",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The path of the package, as an installer would leave it."""
    folder = tmp_path_factory.mktemp("site")
    for module in EXAMPLES.glob("*.py"):
        # an installed package has no need to register what its entry points name
        text = module.read_text().replace("\ndt.extend.register(", "\n(lambda *given: None)(")
        (folder / module.name).write_text(text)
    info = folder / "my_ext-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_ext\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def command(installed, folder, *arguments):
    """Run `dovetail` in a new process that has the package on its path."""
    path = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "dovetail", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path, "DOVETAIL_QUIET": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.parametrize("name", SCENES)
def test_scene_file_names_an_installed_extension(installed, tmp_path, name):
    text = SCENES[name]
    bodies = "" if "bodies:" in text else BODIES
    (tmp_path / "scene.yaml").write_text(f"version: 1\ngravity: [0, 0, -9.81]\n{text}\n{bodies}")
    done = command(installed, tmp_path, "run", "scene.yaml")
    assert done.returncode == 0, done.stderr
    assert "wrote scene.h5" in done.stdout


def test_installed_reader_and_exporter_are_found_by_the_ending(installed, tmp_path):
    (tmp_path / "scene.toy").write_text("ball a 0.1 1000 0 0 1\nrun 0.02 0.01\n")
    done = command(installed, tmp_path, "run", "scene.toy")
    assert done.returncode == 0, done.stderr
    done = command(installed, tmp_path, "export", "scene.h5", "scene.plyseq")
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "scene.plyseq").iterdir())) == 3
    shutil.rmtree(tmp_path / "scene.plyseq")
    done = command(installed, tmp_path, "export", "scene.h5", "out", "--format", "plyseq")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "000000.ply").exists()
    done = command(installed, tmp_path, "export", "scene.h5", "out.broken")
    assert done.returncode == 2
    assert "exporter 'broken': the entry point 'nowhere:write' cannot be loaded" in done.stderr


def test_schema_has_the_names_of_installed_extensions(installed, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    done = command(installed, tmp_path, "schema")
    assert done.returncode == 0, done.stderr
    schema = json.loads(done.stdout)
    methods = schema["$defs"]["ContactEntry"]["properties"]["method"]["enum"]
    assert methods == ["ipc", "sdf", "lcp", "quadratic-penalty", "pgs", "none"]

    def document(shape):
        return {"version": 1, "bodies": [{"name": "a", "shape": shape}]}

    right = {"rounded-box": {"size": [1, 1, 1], "radius": 0.1}, "segments": 8}
    jsonschema.validate(document(right), schema)
    for wrong in (
        {"rounded-box": {"size": [1, 1], "radius": 0.1}},
        {"rounded-box": {"size": [1, 1, 1], "radius": -0.1}},
        {"rounded-box": {"size": [1, 1, 1]}},
        {"rounded-bax": {"size": [1, 1, 1], "radius": 0.1}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document(wrong), schema)


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ("rounded-bx: {size: [1, 1, 1], radius: 0.1}", "did you mean 'rounded-box'?"),
        ("rounded-box: {size: [1, 1, 1]}", "needs `shape.rounded-box.radius`"),
        ("rounded-box: {size: [1, 1, 1], radius: -1}", "`shape.rounded-box.radius` must be > 0 m"),
        ("rounded-box: {size: [1, 1, 1], radius: 2}", "must be three lengths > 2 `radius`"),
        ("rounded-box: {size: [1, 1, 1], radius: 0.1, r: 1}", "`shape.rounded-box.r` is not a key"),
    ],
)
def test_mistakes_in_an_installed_shape_are_named_in_the_file(installed, tmp_path, shape, sentence):
    (tmp_path / "scene.yaml").write_text(
        f"version: 1\nbodies:\n  - {{name: a, shape: {{{shape}}}, density: 9}}\n"
    )
    done = command(installed, tmp_path, "check", "scene.yaml")
    assert done.returncode == 2
    assert "scene.yaml: bodies[0] 'a'" in done.stderr
    assert sentence in done.stderr


def test_a_scene_file_cannot_name_a_module(installed, tmp_path):
    (tmp_path / "scene.yaml").write_text(
        "version: 1\nrun: {duration: 1, step: 0.1, integrator: 'integrator:SymplecticEuler'}\n"
        + BODIES
    )
    done = command(installed, tmp_path, "run", "scene.yaml")
    assert done.returncode == 2
    assert "integrator 'integrator:SymplecticEuler' is not known" in done.stderr
