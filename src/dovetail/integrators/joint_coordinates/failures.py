"""What went wrong in a step in joint coordinates, in words."""

from typing import Any

import numpy as np

from dovetail.errors import RunError
from dovetail.integrators.joint_coordinates.step import (
    LOCKED,
    MAX_ITERATIONS,
    NO_INERTIA,
    NOT_FINITE,
)
from dovetail.integrators.shared.divided_steps import UnsolvedError
from dovetail.model.values import quote
from dovetail.multibody.mechanism import Mechanism

OPEN = 1e-5  # of the mechanism's size: a closure that may no longer count as closed


def refuse_open(mechanism: Mechanism, work: Any, t: float) -> None:
    """Raise UnsolvedError where a closure is not closed at the end of the step to t [s]."""
    if not mechanism.n_equations:
        return
    e = np.abs(work.e) * mechanism.loops.size
    if not float(e.max()) <= OPEN * mechanism.length:
        worst = mechanism.equation(int(np.argmax(e)), work.q1)
        raise UnsolvedError(
            f"joint {quote(worst.joint)} opens ({worst.keeps} of {abs(worst.residual):.3g}): "
            "the mechanism locks in this motion; check driven joints and lengths, or use a "
            "smaller step",
            t,
        )


def failure(
    mechanism: Mechanism, code: int, where: int, residual: float, h: float, t: float
) -> RunError:
    """What the code of a step of h to t [s] means; `where` is a coordinate."""
    if code == NO_INERTIA:
        return RunError(
            f"{mechanism.joint_at(where)} moves nothing that has inertia; give its body inertia",
            t,
        )
    if code == NOT_FINITE:
        return RunError(
            "a joint has a velocity that is no finite number; check loads and motors, or use "
            f"a smaller step than {h:.3g} s",
            t,
        )
    if code == LOCKED:
        return UnsolvedError(
            "the equations of the loops contradict each other at the end of the step; use a "
            f"smaller step than {h:.3g} s",
            t,
        )
    return UnsolvedError(
        f"the step was not solved in {MAX_ITERATIONS} iterations "
        f"(relative residual {residual:.3g}); use a smaller step than {h:.3g} s",
        t,
    )
