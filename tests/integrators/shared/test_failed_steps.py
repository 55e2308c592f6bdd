"""A step that fails says why, of which body, and with which step it would go."""

import pytest

from dovetail.errors import RunError
from dovetail.integrators.shared.divided_steps import UnsolvedError
from dovetail.integrators.shared.failures import FailedStep, failure
from dovetail.integrators.variational.stages import (
    NOT_CONVERGED,
    NOT_FINITE,
    ROTATES_TOO_FAR,
    SINGULAR,
    UNSETTLED,
)


def step(spin=40.0, h=0.02):
    return FailedStep("body 'rod'", spin, h, 1.5)


@pytest.mark.parametrize(
    ("code", "kind", "says"),
    [
        (NOT_FINITE, RunError, "body 'rod' has a position .* use a smaller step than 0.02 s"),
        (UNSETTLED, RunError, "friction in the joints did not settle; .* smaller step than 0.02 s"),
        (SINGULAR, UnsolvedError, "the joints of body 'rod' cannot be solved in this pose"),
        (NOT_CONVERGED, UnsolvedError, "at body 'rod', was 0.003 of .* wanted 1e-12; .* 0.02 s"),
    ],
)
def test_each_kind_of_failure_names_body_step_and_time(code, kind, says):
    found = failure(step(), code, 3e-3, 1e-12)
    assert type(found) is kind and found.time == 1.5
    with pytest.raises(kind, match=says):
        raise found


@pytest.mark.parametrize(
    ("spin", "h", "advice"), [(40.0, 0.2, "0.005 s"), (10.0, 0.1, "0.02 s"), (1.5, 1.0, "0.13 s")]
)
def test_the_step_advised_for_a_spin_is_a_fifth_of_a_radian(spin, h, advice):
    found = failure(step(spin, h), ROTATES_TOO_FAR, 0.0, 0.0)
    assert type(found) is RunError
    assert f"spins at {spin:.4g} rad/s, too fast for a step of {h:.3g} s" in str(found)
    assert f"use a step of at most {advice}" in str(found)


def test_a_slow_body_that_would_rotate_too_far_is_driven_by_something_else():
    """Where the step was divided the pieces may go: it is an error that dividing may mend."""
    found = failure(step(spin=49.0), ROTATES_TOO_FAR, 0.0, 0.0)
    assert type(found) is UnsolvedError
    assert "though it spins at 49 rad/s only" in str(found)
    assert type(failure(step(spin=50.0), ROTATES_TOO_FAR, 0.0, 0.0)) is RunError
