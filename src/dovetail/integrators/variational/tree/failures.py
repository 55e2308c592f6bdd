"""What went wrong in a step in joint coordinates, in words."""

from dovetail.errors import RunError
from dovetail.integrators.shared.failures import GOOD_ROTATION, FailedStep
from dovetail.integrators.variational.tree.positions import (
    NOT_FINITE,
    ROTATES_TOO_FAR,
    SINGULAR,
    UNSETTLED,
)


def failure(step: FailedStep, code: int, residual: float) -> RunError:
    """What a code of `tree.positions` means; `residual` is the last correction, of velocities.

    `step.who` is the body that rotates too far, or the joint that moves nothing.
    """
    h, t = step.h, step.t
    if code == SINGULAR:
        return RunError(f"{step.who} moves nothing that has inertia", t)
    if code == NOT_FINITE:
        return RunError(
            "a body has a position or velocity that is no finite number; check its loads, or "
            f"use a smaller step than {h:.3g} s",
            t,
        )
    if code == ROTATES_TOO_FAR:
        return _rotates_too_far(step)
    if code == UNSETTLED:
        return RunError(
            f"dry friction in the joints did not settle; use a smaller step than {h:.3g} s", t
        )
    return RunError(
        f"the equations of the joints did not converge: the last correction was {residual:.3g} "
        f"of the velocities; use a smaller step than {h:.3g} s",
        t,
    )


def _rotates_too_far(step: FailedStep) -> RunError:
    who, spin, h = step.who, step.spin, step.h
    if spin * h < 1.0:
        return RunError(
            f"the step asks {who} to rotate by more than pi rad, though it spins at "
            f"{spin:.4g} rad/s only: a force or an effort is too strong for it; check "
            f"what drives it, or use a smaller step than {h:.3g} s",
            step.t,
        )
    return RunError(
        f"{who} spins at {spin:.4g} rad/s, too fast for a step of {h:.3g} s: it must "
        f"rotate by less than pi rad in a step; use a step of at most {GOOD_ROTATION / spin:.2g} s",
        step.t,
    )
