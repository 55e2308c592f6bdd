"""Records without rows, which kernels are compiled with ahead, have the types of those of steps."""

import numpy as np
import pytest
from numba import config, typeof

import dovetail as dt
from dovetail.contact.impulse import detection, joint_kernels, records, step_rows
from dovetail.contact.impulse.newton import minimise
from dovetail.contact.impulse.newton.solver import NewtonSolver
from dovetail.contact.penalty.compliant import workspace
from dovetail.integrators.compliant_euler import kernels as compliant
from dovetail.integrators.pairing import started
from dovetail.integrators.shared import warmup as of_joints
from dovetail.integrators.stewart_trinkle import jointed_kernels, piece_kernels
from dovetail.integrators.variational import step as variational
from dovetail.runtime import warmup
from jointed_scenes import hanging_rod

pytestmark = pytest.mark.skipif(
    bool(config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)


@pytest.fixture(scope="module")
def steppers():
    """Of a rod on a hinge over a floor, under impulses, springs and without contact."""
    scene = hanging_rod()
    scene.add_body("floor", dt.HalfSpace(), motion="static", position=(0, 0, -3))
    model = scene.build()
    return {
        "impulse": started(dt.integrators.StewartTrinkle(), model, dt.contact.LCP()),
        "spring": started(dt.integrators.CompliantEuler(), model, dt.contact.SDF()),
        "none": started(dt.integrators.DH(), model, None),
    }


def newton(stepper):
    problem = stepper._problem
    return NewtonSolver(problem.bodies).prepare(stepper_system(stepper), len(stepper._u))


def stepper_system(stepper):
    return stepper._problem.system(np.zeros(0), np.zeros(0, np.int8), 0)


RECORDS = {
    "search for contacts": (detection.no_detection, "impulse", lambda s: s._law.detection),
    "rows of joints": (joint_kernels.no_joint_arrays, "impulse", lambda s: s._joints.arrays),
    "impulse problem": (records.no_system, "impulse", stepper_system),
    "rows of a step": (step_rows.no_row_arrays, "impulse", lambda s: s._problem.arrays),
    "Newton's method": (minimise.no_newton, "impulse", newton),
    "joints of a step": (jointed_kernels.no_joint_step, "impulse", lambda s: s._jointed.own),
    "piece of a step": (piece_kernels.no_piece, "impulse", lambda s: s._piece),
    "joint impulses": (workspace.no_joints, "spring", lambda s: s._joints.system),
    "compliant step": (compliant.no_parts, "spring", lambda s: s.parts),
    "observed joints": (of_joints.no_observed, "spring", lambda s: s._observed.arrays),
    "constrained bodies": (
        lambda: variational.bundled(variational.no_parts()), "none",
        lambda s: s._constrained.parts,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_what_kernels_are_compiled_with_has_the_types_that_steps_hand_them(
    name, steppers, monkeypatch
):
    make, method, of = RECORDS[name]
    found = typeof(of(steppers[method]))
    monkeypatch.setattr(warmup, "_registered", [])
    monkeypatch.setattr(warmup, "_collecting", True)  # bundles are made by kernels
    assert typeof(make()) == found
