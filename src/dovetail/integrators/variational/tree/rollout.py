"""Steps over a tree with other efforts in each, all in one call, and the motion in some of them."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.integrators.variational.tree import step as tree_step
from dovetail.integrators.variational.tree.forces import show
from dovetail.integrators.variational.tree.positions import DONE
from dovetail.integrators.variational.tree.records import (
    bundle_forces,
    bundled,
    tree_forces,
    tree_holds,
    tree_step_workspace,
)
from dovetail.integrators.variational.tree.steering import steer
from dovetail.linalg.vec3 import load3, load33, store3, store33
from dovetail.multibody.loads.wrenches import NO_LOADS
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray, Int64Array, bundler
from dovetail.runtime.warmup import warm, warm_later


class SteeredSteps(NamedTuple):
    """What s steps are given along k coordinates of n_v, and the motion of n bodies they leave."""

    base: Any  # TreeForces of the scene, as a bundle
    where: Int64Array  # (k,) of v
    efforts: FloatArray  # (s, k) [N or N m], or (0, k) where none are set
    table: FloatArray  # (4, k) scratch
    given: FloatArray  # (n_v,) [N or N m] of the scene's motors
    added: FloatArray  # (n_v,) [N or N m] scratch
    every: Int64Array  # (1,) a frame after so many steps
    x: FloatArray  # (f, n, 3)
    R: FloatArray  # (f, n, 3, 3)
    v: FloatArray  # (f, n, 3)
    omega: FloatArray  # (f, n, 3)


bundle_steered = bundler(SteeredSteps)


@jit
def steered_steps(times, gammas, damped, parts, steps):
    """Steps from times[0] to each of the others; (code, where, residual, steps done)."""
    given, bodies = np.zeros((0, 0, 0)), parts.work.bodies
    x, R, v, omega, every = steps.x, steps.R, steps.v, steps.omega, steps.every[0]
    table, efforts = steps.table, steps.efforts
    for j in range(times.size - 1):
        if efforts.shape[0] > 0:
            for k in range(efforts.shape[1]):
                table[0, k] = efforts[j, k]
            damped = steer(
                parts, steps.base, steps.where, table, steps.given, steps.added, False
            )  # fmt: skip
        code, where, _, residual = tree_step.step(
            times[j + 1] - times[j], gammas, given, 0, damped, parts
        )
        if code != DONE:
            return code, where, residual, j
        if (j + 1) % every == 0:
            show(parts)
            frame = (j + 1) // every - 1
            for i in range(x.shape[1]):
                store3(x[frame], i, load3(bodies.x, i))
                store33(R[frame], i, load33(bodies.R, i))
                store3(v[frame], i, load3(bodies.v, i))
                store3(omega[frame], i, load3(bodies.omega, i))
    show(parts)
    return DONE, -1, 0.0, times.size - 1


def _register() -> None:
    work = tree_step_workspace(np.zeros(0, np.int64), np.zeros((1, 3, 3)), 0, 0, 1)
    spaces = [workspace_for(0, 0), workspace_for(0, 0)]
    parts = bundled(empty_tree(), NO_LOADS, tree_forces(0), tree_holds(0), spaces, work)
    none, some, flat = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 0, 3))
    steps = bundle_steered(
        bundle_forces(*tree_forces(0)), none, np.zeros((0, 0)), np.zeros((4, 0)), some, some,
        np.ones(1, np.int64), flat, np.zeros((0, 0, 3, 3)), flat, flat,
    )  # fmt: skip
    warm(steered_steps, np.zeros(1), np.ones(1), False, parts, steps)


warm_later(_register)
