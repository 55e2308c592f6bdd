"""Which steps of mechanisms that failed are not tried again in parts.

A step that does not converge is divided (`substeps`). Where a jointed body turns by more than half
a revolution in the whole step or moves far out of the scene, or is driven so hard that it would,
dividing it means thousands of parts: what drives it diverges, or the step is far too long. Other
schemes refuse such steps at once.
"""

from math import pi

import numpy as np

from dovetail.errors import RunError
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState

STRIDES = 10.0  # lengths of the scene, by which a body moves in a step
DRIVEN = 10.0  # times the rotation or stride, from rest: contact may stop what is driven by less


def refuse_hopeless(
    model: Model, state: BodyState, joints: PotentialJoints, loads: tuple[Array, Array], h: float,
    failure: RunError,
) -> None:  # fmt: skip
    """Raise RunError for a step of h [s] from `state` that is not to be divided.

    `loads` are forces and torques (n, 3) on bodies; `failure` says how the step failed.
    """
    bodies = np.flatnonzero(joints.jointed & (model.motion == DYNAMIC))
    if not len(bodies):
        return
    shown, length = model.names, float(joints.arrays.rows.length[0])
    turned, moved = (h * np.linalg.norm(u[bodies], axis=1) for u in (state.omega, state.v))
    first, spun, shifted = _most(turned / pi, moved / (STRIDES * length))
    who = f"body {quote(shown[bodies[first]])}"
    if spun > 1.0:
        raise RunError(
            f"{who}, which joints hold, spins at {pi * spun / h:.4g} rad/s, too fast for a step of "
            f"{h:.3g} s that contact makes hard to solve: it must rotate by less than pi rad in a "
            f"step; use a step of at most {0.5 * h / spun:.2g} s",
            failure.time,
        ) from failure
    if shifted > 1.0:
        raise RunError(
            f"{who}, which joints hold, moves at {moved[first] / h:.4g} m/s, "
            f"{moved[first] / length:.3g} times the size of the scene in a step of {h:.3g} s that "
            "contact makes hard to solve; check what drives it, or use a smaller step",
            failure.time,
        ) from failure
    assert joints.observed is not None
    found = joints.observed.accelerations_now(*loads)
    if found is None:
        return
    moved, turned = (h * h * np.linalg.norm(found[bodies, k : k + 3], axis=1) for k in (0, 3))
    first, spun, shifted = _most(turned / pi, moved / (STRIDES * length))
    if max(spun, shifted) > DRIVEN:
        how = f"rotate body {quote(shown[bodies[first]])} by {turned[first]:.3g} rad"
        if shifted > spun:
            how = f"move body {quote(shown[bodies[first]])} by {moved[first]:.3g} m"
        raise RunError(
            f"forces and efforts would {how} in one step of {h:.3g} s from rest, and the step did "
            "not converge: a force or an effort is too strong for it; check what drives it, or use "
            "a smaller step",
            failure.time,
        ) from failure


def _most(spun: Array, shifted: Array) -> tuple[int, float, float]:
    """Which body has most of either, and how much of both."""
    first = int(np.argmax(np.maximum(spun, shifted)))
    return first, float(spun[first]), float(shifted[first])
