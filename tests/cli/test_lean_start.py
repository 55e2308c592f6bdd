"""A run imports what its scene needs and no more."""

import subprocess
import sys

import pytest

SCENE = """
version: 1
gravity: [0, 0, -9.81]
run: {{duration: 0.02, step: 0.01{contact}}}
bodies:
  - {{name: crate, shape: {{box: [1, 1, 1]}}, mass: 3, angular_velocity: [1, 2, 3]}}
"""
PROGRAM = """
import sys
from dovetail.cli import main
try:
    main(["run", "scene.yaml", "--quiet"])
except SystemExit as ended:
    assert ended.code == 0, ended.code
print(*sorted(sys.modules))
"""
OUTSIDE = (
    "matplotlib", "PIL", "dask", "distributed", "trimesh", "pandas", "scipy.sparse",
    "scipy.spatial", "scipy.optimize", "scipy.linalg", "IPython",
)  # fmt: skip
FREE = (
    "dovetail.contact.ipc", "dovetail.contact.impulse", "dovetail.contact.penalty",
    "dovetail.collision", "dovetail.linalg.lcp", "dovetail.linalg.kkt", "dovetail.linalg.lie",
    "dovetail.multibody.tree", "dovetail.multibody.loops", "dovetail.multibody.topology",
    "dovetail.multibody.constraints", "dovetail.stability.monitor", "dovetail.studies",
    "dovetail.view", "dovetail.verifier", "dovetail.validation", "dovetail.io.mjcf",
    "dovetail.io.urdf", "dovetail.integrators.rattlie", "dovetail.integrators.variational",
)  # fmt: skip
FORCE = ("dovetail.contact.ipc", "dovetail.multibody.tree")


def modules_after_a_run(folder, contact):
    (folder / "scene.yaml").write_text(SCENE.format(contact=contact))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("contact", "absent"),
    [("", FREE), (", contact: {method: sdf}", FORCE)],
    ids=["free body", "force law"],
)
def test_run_imports_only_what_the_scene_needs(tmp_path, contact, absent):
    loaded = modules_after_a_run(tmp_path, contact)
    assert not {name for name in (*OUTSIDE, *absent) if name in loaded}
    assert "dovetail.integrators.lie_verlet.scheme" in loaded
