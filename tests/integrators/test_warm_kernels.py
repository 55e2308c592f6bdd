"""What `dovetail warmup` compiles is what runs use: every kernel of the package is watched."""

import sys

import numpy as np
import pytest

import dovetail as dt
from dovetail import integrators
from dovetail.integrators.lie_verlet import step
from dovetail.runtime.jit import is_compiled_kernel
from dovetail.runtime.warmup import warmup
from jointed_scenes import JOINTED, hanging_rod


def free_body(with_function):
    scene = dt.Scene(gravity=(0, 0, -1))
    scene.add_body("a", mass=1, inertia=(1, 1, 1), angular_velocity=(1, 2, 3))
    scene.add_spring("s", "ground", "a", (0, 0, 1), (0, 0, 0), stiffness=1, damping=1)
    if with_function:
        scene.add_load("f", lambda t, state: {"a": ((t, 0, 0), (0, 0, 0))})
    return scene


def box_on_floor():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((2, 2, 0.2)), position=(0, 0, -0.1), motion="static")
    scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), position=(0, 0, 0.1005), density=1000)
    return scene


def runs():
    """(scene, contact method, scheme) of runs with and without joints, under every contact law."""
    rod = hanging_rod(angular_velocity=(0, 1, 0), velocity=(-0.5, 0, 0))
    yield free_body(False), None, "LieVerlet"
    yield free_body(True), None, "LieVerlet"
    yield from ((rod, None, name) for name in JOINTED)
    yield box_on_floor(), dt.contact.IPC(friction=0.3), None
    yield box_on_floor(), dt.contact.LCP(friction=0.3), None
    yield box_on_floor(), dt.contact.SDF(friction=0.3, stiffness=1e5, restitution=0.5), None


def compiled():
    """The signatures that each kernel of the loaded modules is compiled for, by its name."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("dovetail."):
            for value in list(vars(module).values()):
                if is_compiled_kernel(value):
                    function = value.py_func
                    found[f"{function.__module__}.{function.__qualname__}"] = set(value.signatures)
    return found


@pytest.mark.slow  # compiles everything on a fresh clone
@pytest.mark.skipif(
    not is_compiled_kernel(step.step), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)
def test_a_run_compiles_nothing_that_warmup_did_not():
    warmup()
    before = compiled()
    assert len(before) > 500
    for scene, contact, name in runs():
        scheme = None if name is None else integrators.named(name, {})
        end = dt.simulate(scene, 0.02, 0.01, contact, scheme, progress=False)
        assert np.isfinite(end.position(end.names[-1])).all()
    new = {name: found - before.get(name, set()) for name, found in compiled().items()}
    assert {name: signatures for name, signatures in new.items() if signatures} == {}
