"""What `dovetail warmup` compiles for the free step is what a run uses."""

import pytest

from dovetail.integrators import LieVerlet
from dovetail.integrators.lie_verlet import step
from dovetail.model.scene import Scene
from dovetail.multibody import body_arrays
from dovetail.multibody.loads import wrenches
from dovetail.runtime.jit import is_compiled_kernel
from dovetail.runtime.warmup import warmup


@pytest.mark.slow  # compiles everything on a fresh clone
@pytest.mark.skipif(
    not is_compiled_kernel(step.step), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)
def test_a_run_compiles_nothing_that_warmup_did_not():
    warmup()
    kernels = [
        step.step, step.drift, step.finish, step.commit,
        wrenches.wrenches, wrenches.potential_energy, body_arrays.relative_change,
    ]  # fmt: skip
    before = [len(kernel.signatures) for kernel in kernels]
    for with_function in (False, True):
        scene = Scene(gravity=(0, 0, -1))
        scene.add_body("a", mass=1, inertia=(1, 1, 1), angular_velocity=(1, 2, 3))
        scene.add_spring("s", "ground", "a", (0, 0, 1), (0, 0, 0), stiffness=1, damping=1)
        if with_function:
            scene.add_load("f", lambda t, state: {"a": ((t, 0, 0), (0, 0, 0))})
        stepper = LieVerlet().start(scene.build(), None)
        stepper.step(0.1)
    assert [len(kernel.signatures) for kernel in kernels] == before
    assert min(before) >= 1
