"""Whatever stopped a run, as one sentence with its time."""

import numpy as np

from dovetail.errors import RunError, error_text
from dovetail.model.frozen import Model
from dovetail.model.values import quote
from dovetail.multibody.state import BodyState


def explained(error: Exception, t: float, cause: str = "") -> RunError:
    """The RunError to raise for anything that went wrong at time `t` [s], with its `cause`."""
    if not isinstance(error, RunError) or error.time is None:
        return RunError(f"{error_text(error)}; {cause}" if cause else error_text(error), t)
    if not cause or cause in str(error):
        return error
    made = RunError(f"{error}; {cause}")
    made.time, made.__cause__ = error.time, error.__cause__
    return made


def refuse_not_finite(model: Model, state: BodyState) -> None:
    """Raise RunError naming the first body whose motion is no finite number."""
    for what, array in (
        ("position", state.x),
        ("rotation", state.R),
        ("velocity", state.v),
        ("angular velocity", state.omega),
    ):
        bad = np.flatnonzero(~np.isfinite(array).reshape(len(array), -1).all(axis=1))
        if len(bad):
            value = quote(array[bad[0]])
            raise RunError(
                f"the {what} of body {quote(model.names[bad[0]])} must stay finite, "
                f"became {value}; check its loads, or use a smaller step",
                state.t,
            )


def seems_finite(state: BodyState) -> bool:
    """A quick test: False for anything not finite (and for squares that overflow)."""
    x, v, w, R = state.x, state.v, state.omega, state.R
    total = np.vdot(x, x) + np.vdot(v, v) + np.vdot(w, w) + np.vdot(R, R)
    return bool(total < np.inf)
