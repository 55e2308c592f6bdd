"""The position stage with the matrix of its start: same motion, same bits, fewer factors."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.examples import bennett, four_bar, scissor_lift
from dovetail.integrators import RATTLie
from dovetail.integrators.variational.position_stage import position_stage
from dovetail.integrators.variational.stages import DONE
from dovetail.integrators.variational.velocity_stage import velocity_stage
from dovetail.linalg.kkt.records import AT_NOW, ELSEWHERE
from dovetail.multibody.constraints.bodies import copy_motion
from dovetail.runtime.jit import jit
from dovetail.validation.dae_problems.scenes import bricard
from dovetail.validation.dae_problems.textbook import peaucellier

SCENES = {"four-bar": four_bar, "bennett": bennett, "scissor lift": scissor_lift}


def stepped(scene, count, h=1e-3, order=2, disturb=lambda stepper: None):
    stepper = RATTLie(order).start(scene, None)
    iterations = 0
    for k in range(1, count + 1):
        iterations += stepper.step(k * h).iterations
        disturb(stepper)
    return stepper, iterations


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("name", SCENES)
def test_factors_of_the_step_before_and_new_ones_give_the_same_bits(name, order):
    """A run that is saved and continued, or observed, has no factors of the step before.

    Nor has a step whose factors were no good: the first one of the scissor lift.
    """
    model = SCENES[name].build().build()
    known = []

    def forget(stepper):
        known.append(stepper._constrained.kkt.factors_of[0] == AT_NOW)
        stepper._constrained.kkt.factors_of[0] = ELSEWHERE

    kept, _ = stepped(model, 20, order=order)
    lost, _ = stepped(model, 20, order=order, disturb=forget)
    assert sum(known) >= 19
    for one, other in zip(kept._constrained.now, lost._constrained.now, strict=True):
        np.testing.assert_array_equal(one, other)


@jit
def newton_step(h, rule, parts):
    """A step whose position stage is solved by Newton's method; its code."""
    constants, tree, rows, now, after = (
        parts.constants, parts.tree, parts.rows, parts.now, parts.after,
    )  # fmt: skip
    code, _, _, _ = position_stage(
        h, rule, False, constants, tree, rows, now, after, parts.work, parts.kkt
    )
    if code == DONE:
        code, _ = velocity_stage(
            h, rule, True, constants, tree, parts.loads, rows, now, after, parts.work, parts.kkt
        )
    if code == DONE:
        copy_motion(now, after)
    return code


@pytest.mark.parametrize("build", [four_bar.build, bennett.build, peaucellier])
def test_the_matrix_of_the_start_leads_where_newtons_method_does(build):
    model = build().build()
    found, iterations = stepped(model, 50)
    assert iterations < 6 * 50
    other = RATTLie().start(model, None)
    for _ in range(50):
        assert newton_step(1e-3, other._rule, other._constrained.parts) == DONE
    speed = np.abs(found.bodies.v).max()
    np.testing.assert_allclose(other.bodies.x, found.bodies.x, atol=1e-13)
    np.testing.assert_allclose(other.bodies.v, found.bodies.v, atol=1e-11 * speed)


@pytest.mark.filterwarnings("ignore:.*every")
def test_loops_with_implied_rows_are_solved_to_rounding():
    """Bricard's loop: velocities that missed it by 1e-13 were off by 1e-10 m after 1 s."""
    ends = []
    for h in (2.5e-3, 1.25e-3):
        scheme = RATTLie(order=6)
        result = dt.simulate(bricard(), 1.0, h, integrator=scheme, every=100, progress=False)
        ends.append(result.position("rod2")[-1])
    assert np.abs(ends[0] - ends[1]).max() < 5e-12
