"""After `dovetail warmup` nothing is compiled: not by examples, checks, exports or studies."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from dovetail.runtime.jit import is_compiled_kernel, jit

COUNT = """
import json, sys
from pathlib import Path
from numba.core import event
import dovetail as dt
from dovetail.runtime.cache import KernelCache

compiled = []
class Listener(event.Listener):
    def on_start(self, event):
        dispatcher = event.data["dispatcher"]
        if isinstance(dispatcher._cache, KernelCache):
            compiled.append(f"{dispatcher.py_func.__module__}:{dispatcher.py_func.__name__}")
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
"""
EXAMPLES = """
from dovetail.scene_check import check_scene
from dovetail.verifier.certificate import certify

for name in dt.examples.names():
    example = dt.examples.get(name)
    scene, settings = example.build(), dict(example.RUN)
    check_scene(scene)
    settings["duration"] = min(settings["duration"], 8 * settings["step"])
    result = dt.simulate(scene, **settings)
    certify(result)
"""
METHODS = """
def heap():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("plane", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("block", dt.Box((1, 1, 1)), density=500, motion="static", position=(0, 0, 0.5))
    for k, shape in enumerate([dt.Box((0.3, 0.3, 0.3)), dt.Sphere(0.15), dt.Cylinder(0.1, 0.3)]):
        scene.add_body(
            f"part{k}", shape, density=500, position=(0.35 * (k - 1), 0, 1.1502),
            velocity=(0.3, 0, -0.1),
        )
        scene.add_body(f"low{k}", shape, density=500, position=(0.5 * k, 2, 0.1502))
    return scene

for method in (dt.contact.IPC, dt.contact.SDF, dt.contact.LCP):
    step = 1e-5 if method is dt.contact.SDF else 1e-3
    for law in (method(), method(friction=0.3, restitution=0.5)):
        result = dt.simulate(heap(), duration=4e-3, step=step, contact=law, every=4)
        assert len(result.contacts) > 0
example = dt.examples.get("four-bar")
step = example.RUN["step"]
for scheme in dt.integrators.SCHEMES:
    if dt.integrators.SCHEMES.get(scheme).takes_joints:
        dt.simulate(example.build(), duration=4 * step, step=step, integrator=scheme)
dt.simulate(heap(), duration=0.01, step=0.001, contact="ipc", integrator="BarrierVerlet")
"""
OUTPUT = """
from dovetail.cli import main

def command(*arguments):
    try:
        main(list(arguments))
    except SystemExit as end:
        assert not end.code, arguments

example = dt.examples.get("card-house")
scene = example.build()
settings = dict(example.RUN) | {"duration": 10 * example.RUN["step"], "every": 1}
result = dt.simulate(scene, **settings, out="house.h5", monitor=dt.stability.Monitor())
for ending in ("html", "glb", "usda", "vtkhdf", "csv", "gif"):
    result.export(f"house.{ending}")
for what in ("energy", "momentum", "velocity", "contacts", "distance", "motion"):
    result.plot(what, f"{what}.png")
command("check", "house.h5")
command("check", "card-house")
command("report", "house.h5")
command("topology", "four-bar")
thrown = dt.Scene(gravity=(0, 0, -9.81))
thrown.add_body("crate", dt.Box((1, 1, 1)), density=500)
dt.study(
    thrown, {"bodies.crate.velocity[0]": [1.0, 2.0]},
    {"end": lambda result: float(result.position("crate")[-1, 0])},
    out="study", workers=0, duration=0.1, step=0.01, progress=False,
)
"""


PROOFS = """
from math import pi

scene = dt.Scene()
scene.add_body("plate", dt.Box((1, 1, 0.1)), density=500, motion="static")
scene.add_body("pin", dt.Cylinder(0.1, 0.3), density=500, position=(0, 0, 0.25))
scene.add_body("arm", dt.Box((0.4, 0.1, 0.1)), density=500, position=(0.3, 0, 0.3))
scene.add_joint("lift", dt.Prismatic(point=(0, 0, 0), axis=(0, 0, 1)), "plate", "pin")
scene.add_joint("hinge", dt.Revolute(point=(0, 0, 0), axis=(0, 0, 1)), "plate", "arm")
dt.prove(scene, {"lift": (0.0, 0.1), "hinge": (-pi, pi)}, clearance=1e-3)
"""
COPY = """
import shutil, sys
from pathlib import Path
from dovetail.runtime import cache, warmup

assert warmup.warmup().compiled == 0
for file in cache.loaded_files():
    folder = Path(sys.argv[1], file.parent.name)
    folder.mkdir(mode=0o700, exist_ok=True)
    shutil.copy(file, folder)
"""
WHAT = {"examples": EXAMPLES, "methods": METHODS, "output": OUTPUT, "proofs": PROOFS}


def kernels_in(folder):
    return {path.name for path in folder.rglob("*.nb?")}


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A cache with what a warm-up makes ready, and nothing that other tests have compiled."""
    folder = tmp_path_factory.mktemp("warm")
    subprocess.run([sys.executable, "-m", "dovetail", "warmup", "--quiet"], check=True)
    subprocess.run([sys.executable, "-c", COPY, str(folder)], check=True)
    assert len(kernels_in(folder)) > 300
    return folder


@pytest.mark.slow
@pytest.mark.skipif(not is_compiled_kernel(jit(lambda x: x)), reason="Numba is disabled")
@pytest.mark.parametrize("what", WHAT.values(), ids=WHAT)
def test_nothing_is_compiled_after_a_warm_up(what, tmp_path, warm):
    folder = tmp_path / "kernels"
    shutil.copytree(warm, folder)
    done = subprocess.run(
        [sys.executable, "-c", COUNT + what + "\nprint(json.dumps(compiled))"],
        env=os.environ | {"DOVETAIL_QUIET": "1", "DOVETAIL_CACHE_DIR": str(folder)},
        cwd=tmp_path, capture_output=True, text=True, timeout=1200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []
    assert sorted(kernels_in(folder) - kernels_in(warm)) == []  # by other processes
