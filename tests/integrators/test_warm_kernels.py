"""What `dovetail warmup` compiles for the free step is what a run uses."""

import pytest

from dovetail.integrators import LieVerlet
from dovetail.kernels import body_arrays, free_motion, load_wrenches
from dovetail.kernels.jit import is_compiled_kernel
from dovetail.kernels.warmup import warmup
from dovetail.model.scene import Scene


@pytest.mark.slow  # compiles everything on a fresh clone
@pytest.mark.skipif(
    not is_compiled_kernel(free_motion.step), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)
def test_a_run_compiles_nothing_that_warmup_did_not():
    warmup()
    kernels = [
        free_motion.step, free_motion.drift, free_motion.close, free_motion.commit,
        load_wrenches.wrenches, load_wrenches.potential_energy, body_arrays.relative_change,
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
