"""What went wrong in a step of jointed bodies, in words."""

from dataclasses import dataclass

from dovetail.errors import RunError
from dovetail.integrators.shared.divided_steps import UnsolvedError
from dovetail.integrators.variational.stages import (
    NOT_CONVERGED,
    NOT_FINITE,
    ROTATES_TOO_FAR,
    SINGULAR,
    UNSETTLED,
)

GOOD_ROTATION = 0.2  # [rad] per step, what the advice aims at


@dataclass(frozen=True)
class FailedStep:
    """A step of h [s] to t [s], and the body or joint that it failed at."""

    who: str
    spin: float  # [rad/s] of a body before the step
    h: float
    t: float


def failure(step: FailedStep, code: int, size: float, wanted: float) -> RunError:
    """What a code of `variational.stages` means; `size` is the last correction."""
    who, h, t = step.who, step.h, step.t
    if code == ROTATES_TOO_FAR:
        return _rotates_too_far(step)
    if code == NOT_FINITE:
        return RunError(
            f"{who} has a position or velocity that is no finite number; check its loads, or "
            f"use a smaller step than {h:.3g} s",
            t,
        )
    if code == UNSETTLED:
        return RunError(
            f"dry friction in the joints did not settle; use a smaller step than {h:.3g} s", t
        )
    if code == SINGULAR:
        return UnsolvedError(f"the joints of {who} cannot be solved in this pose", t)
    assert code == NOT_CONVERGED
    return UnsolvedError(
        f"the equations of the joints did not converge: the last correction, at {who}, was "
        f"{size:.3g} of the scene's length (or rad), wanted {wanted:g}; use a smaller step "
        f"than {h:.3g} s",
        t,
    )


def _rotates_too_far(step: FailedStep) -> RunError:
    who, spin, h = step.who, step.spin, step.h
    if spin * h < 1.0:
        return UnsolvedError(
            f"the step asks {who} to rotate by more than pi rad, though it spins at "
            f"{spin:.4g} rad/s only: a force is too strong or the scheme unstable; use a "
            f"smaller step than {h:.3g} s",
            step.t,
        )
    return RunError(
        f"{who} spins at {spin:.4g} rad/s, too fast for a step of {h:.3g} s: it must "
        f"rotate by less than pi rad in a step; use a step of at most {GOOD_ROTATION / spin:.2g} s",
        step.t,
    )
