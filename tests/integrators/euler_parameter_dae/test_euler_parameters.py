"""The Euler-parameter baseline: error control and what keeps its joints together."""

import numpy as np
import pytest

from dovetail.errors import InputError, RunError
from dovetail.examples import double_pendulum
from dovetail.integrators import EulerParameterDAE
from dovetail.integrators.euler_parameter_dae.runge_kutta import CLASSICAL, DORMAND_PRINCE
from dovetail.model import Actuation, Scene
from jointed_scenes import chain, hanging_rod
from rounding import rounding

AT_1_S = (0.37953976, -1.13528321, -0.74567596)  # [m] of rod 2, minimal coordinates at 1e-13


def after_1_s(scheme, step):
    stepper = scheme.start(double_pendulum.build().build(), None)
    iterations = 0
    for k in range(1, round(1.0 / step) + 1):
        report = stepper.step(k * step)
        iterations += report.iterations
    return stepper, report, iterations


@pytest.mark.parametrize(("tolerance", "close"), [(1e-6, 1e-4), (1e-8, 1e-6), (1e-10, 3e-8)])
def test_tolerance_bounds_the_error_whatever_the_step(tolerance, close):
    """Steps of 0.25 s, far too long for one: as many are taken within as the tolerance asks for."""
    stepper, report, _ = after_1_s(EulerParameterDAE(tolerance=tolerance), 0.25)
    assert report.error is not None and report.error <= 1.0
    assert np.abs(stepper.bodies.x[1] - AT_1_S).max() < close
    assert stepper.observe().constraint_position < 1e-12


def test_tighter_tolerance_takes_more_stages():
    """Fifth order: the number of steps grows as the fifth root, 100^(1/5) = 2.5."""
    counts = [after_1_s(EulerParameterDAE(tolerance=tol), 1.0)[2] for tol in (1e-7, 1e-9)]
    assert counts[1] / counts[0] == pytest.approx(100**0.2, rel=0.35)


def test_sharp_change_of_a_motor_is_met_by_short_steps():
    """A torque that sets in at 0.5 s: w = 0 before and the spun-up rod after, J w' = M."""
    motor = Actuation(motor=lambda t: 0.0 if t < 0.5 else 3.0)
    scene = hanging_rod((motor,), gravity=0.0)
    stepper = EulerParameterDAE(tolerance=1e-8).start(scene.build(), None)
    stepper.step(1.0)
    assert abs(stepper.bodies.omega[0, 1]) == pytest.approx(3.0 / 0.7 * 0.5, rel=1e-6)


def test_force_without_finite_value_is_reported_with_the_tolerance():
    scene = Scene()
    scene.add_body("a", mass=1, inertia=(1, 1, 1))
    scene.add_load("wild", lambda t, s: {"a": ((np.sign(np.sin(1 / (t - 0.5 + 1e-300))), 0, 0),
                                               (0, 0, 0))})  # fmt: skip
    stepper = EulerParameterDAE(tolerance=1e-14).start(scene.build(), None)
    with pytest.raises(RunError, match=r"stays above `tolerance` = 1e-14"):
        stepper.step(1.0)


def test_baumgarte_holds_what_drifts_without():
    """A coarse step for 2 s: joints left alone open, decaying errors keep them far closer."""
    opened = {}
    for how in ("none", "baumgarte", "projection"):
        stepper = EulerParameterDAE(stabilisation=how, decay=40.0).start(chain(3).build(), None)
        for k in range(1, 401):
            stepper.step(k * 5e-3)
        opened[how] = stepper.observe().constraint_position
    assert opened["baumgarte"] < 0.2 * opened["none"]
    assert opened["projection"] < 1e-13 < opened["baumgarte"]


def test_run_with_tolerance_continues_from_memory_with_the_same_bits():
    scheme, model = EulerParameterDAE(tolerance=1e-7), double_pendulum.build().build()
    whole, other = scheme.start(model, None), scheme.start(model, None)
    for k in range(1, 4):
        whole.step(0.1 * k)
    other.restore(whole.snapshot())
    whole.step(0.4)
    other.step(0.4)
    assert np.array_equal(whole.bodies.x, other.bodies.x)


@pytest.mark.parametrize("method", [CLASSICAL, DORMAND_PRINCE])
def test_tables_satisfy_the_conditions_of_order_four(method):
    """sum b = 1, b.c = 1/2, b.c^2 = 1/3, b.A.c = 1/6, b.c^3 = 1/4, ... (Hairer, II.2)."""
    b, c, a = method.b[0], method.c, method.a
    sums = [b.sum(), b @ c, b @ c**2, b @ a @ c, b @ c**3, b @ (c * (a @ c)), b @ a @ c**2,
            b @ a @ a @ c]  # fmt: skip
    assert sums == pytest.approx([1, 1 / 2, 1 / 3, 1 / 6, 1 / 4, 1 / 8, 1 / 12, 1 / 24])
    if method.error is not None:
        assert method.error.sum() == pytest.approx(0, abs=rounding(8))


@pytest.mark.parametrize("tolerance", [0.0, -1.0, 2.0, "small"])
def test_tolerance_that_makes_no_sense_is_refused(tolerance):
    with pytest.raises(InputError, match="`tolerance` must be None or from 1e-14 up to 1"):
        EulerParameterDAE(tolerance=tolerance)
