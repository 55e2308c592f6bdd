"""Which steps that failed are not tried again in parts.

A step that does not converge is divided (`substeps`). Where a body turns by more than half a
revolution in the whole step or moves far out of the scene, or is driven so hard that it would,
dividing it means thousands of parts: what drives it diverges, or the step is far too long. Other
schemes refuse such steps at once. A body without joints may turn and move by
ALONE times as much: its motion between contacts is known in closed form, however fast it is. Where
loads do not drive its spin nothing diverges, and it may turn by SPUN times: a thin body that is
struck at its side at u [m/s] spins at u/r [rad/s], r [m] of its section. 14 m/s and 0.4 mm are
3.4e4 rad/s, 110 pi rad in a step of 10 ms, with next to no energy.
"""

from collections.abc import Callable
from math import inf, pi

import numpy as np

from dovetail.errors import RunError
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import Int64Array

STRIDES = 10.0  # lengths of the scene, by which a body moves in a step
DRIVEN = 10.0  # times the rotation or stride, from rest: contact may stop what is driven by less
FAST = 1.0  # [rad] in a step: rotations by less need not be looked at
ALONE = 100.0  # times that far, a body that no joint holds
SPUN = (
    2000.0  # likewise, if loads do not spin it: 2048 parts, of `substeps.MAX_ATTEMPTS` with retries
)
SLOWLY = 0.01  # of its spin: what loads may add in a step to a body that they do not spin


class HopelessSteps:
    """Steps of one run that are given up, and not divided."""

    def __init__(
        self, model: Model, joints: PotentialJoints | None,
        accelerations: Callable[[], Array | None],
    ) -> None:  # fmt: skip
        """`accelerations()` are (n, 6) [m/s^2, rad/s^2] of now, without contact.

        None where they are not known.
        """
        self._model, self._accelerations = model, accelerations
        jointed, length = np.zeros(model.n_bodies, np.bool_), _extent(model)
        if joints is not None:
            jointed, length = joints.jointed, float(joints.arrays.rows.length[0])
        self._jointed, self._length = jointed, length
        self._bodies = np.flatnonzero(model.motion == DYNAMIC)
        held = jointed[self._bodies]
        alone = np.where(held, 1.0, ALONE)
        self._mobility = _most_mobile(model, self._bodies)
        self._turn, self._stride = pi * alone, STRIDES * length * alone
        self._spun = pi * np.where(held, 1.0, SPUN)

    def may_turn(self, torque: Array, h: float) -> bool:
        """Whether torques (n, 3) [N m] could turn a body far in a step of h [s]."""
        return bool(h * h * np.abs(torque).max(initial=0.0) * self._mobility > FAST)

    def refuse_turns(self, state: BodyState, h: float) -> None:
        """Raise RunError where a body would rotate by pi rad or more in a step of h [s].

        Poses at its two ends cannot tell by how much, nor which way.
        """
        bodies = self._bodies
        turned, found = h * state.omega[bodies], self._accelerations()
        if found is not None and np.isfinite(found).all():
            turned = turned + h * h * found[bodies, 3:]
        angles = np.linalg.norm(turned, axis=1)
        first = int(np.argmax(angles))
        if angles[first] < pi:
            return
        spin = float(np.linalg.norm(state.omega[bodies[first]]))
        raise RunError(
            f"body {quote(self._model.names[bodies[first]])} spins at {spin:.4g} rad/s and would "
            f"rotate by {angles[first]:.3g} rad in a step of {h:.3g} s: it must rotate by less "
            "than pi rad in a step; check what drives it, or use a smaller step",
            state.t + h,
        )

    def refuse(self, state: BodyState, h: float, failure: RunError) -> None:
        """Raise RunError for a step of h [s] from `state` that is not to be divided.

        `failure` says how the step failed.
        """
        bodies = self._bodies
        if not len(bodies):
            return
        found, most = self._accelerations(), self._turn
        if found is not None:
            spin = state.omega[bodies]
            gained = h * np.einsum("ni,ni->n", spin, found[bodies, 3:])
            free = gained <= SLOWLY * np.einsum("ni,ni->n", spin, spin)
            most = np.where(free, self._spun, most)
        moved, turned = (h * np.linalg.norm(u[bodies], axis=1) for u in (state.v, state.omega))
        self._refuse_fast(moved, turned, most, h, failure)
        if found is None:
            return
        moved, turned = (h * h * np.linalg.norm(found[bodies, k : k + 3], axis=1) for k in (0, 3))
        self._refuse_driven(moved, turned, h, failure)

    def _refuse_fast(
        self, moved: Array, turned: Array, may_turn: Array, h: float, failure: RunError
    ) -> None:
        """For bodies that move by [m] and turn by [rad] so much in the step."""
        first, spun, shifted = _most(turned / may_turn, moved / self._stride)
        body = self._bodies[first]
        who = f"body {quote(self._model.names[body])}"
        if self._jointed[body]:
            who += ", which joints hold,"
        if spun > 1.0:
            most = may_turn[first]
            raise RunError(
                f"{who} spins at {turned[first] / h:.4g} rad/s, too fast for a step of {h:.3g} s: "
                f"it must rotate by less than {most / pi:.4g} pi rad in a step; check what drives "
                f"it, or use a step of at most {0.5 * h / spun:.2g} s",
                failure.time,
            ) from failure
        if shifted > 1.0:
            raise RunError(
                f"{who} moves at {moved[first] / h:.4g} m/s, {moved[first] / self._length:.3g} "
                f"times the size of the scene in a step of {h:.3g} s that contact or joints make "
                "hard to solve; check what drives it, or use a smaller step",
                failure.time,
            ) from failure

    def _refuse_driven(self, moved: Array, turned: Array, h: float, failure: RunError) -> None:
        """For bodies that loads and joints would move and turn so far in the step, from rest."""
        first, spun, shifted = _most(turned / self._turn, moved / self._stride)
        if max(spun, shifted) <= DRIVEN:
            return
        who = f"body {quote(self._model.names[self._bodies[first]])}"
        how = f"rotate {who} by {turned[first]:.3g} rad"
        if shifted > spun:
            how = f"move {who} by {moved[first]:.3g} m"
        raise RunError(
            f"forces and efforts would {how} in one step of {h:.3g} s from rest, and the step "
            "could not be made: a force or an effort is too strong for it; check what drives it, "
            "or use a smaller step",
            failure.time,
        ) from failure


def _most(spun: Array, shifted: Array) -> tuple[int, float, float]:
    """Which body has most of either, and how much, as shares of what it may have."""
    first = int(np.argmax(np.maximum(spun, shifted)))
    return first, float(spun[first]), float(shifted[first])


def free_accelerations(model: Model, state: BodyState, force: Array, torque: Array) -> Array:
    """(n, 6) [m/s^2, rad/s^2] of bodies without joints under `force` and `torque` (n, 3).

    Without gyroscopic torques.
    """
    found, moving = np.zeros((model.n_bodies, 6)), np.flatnonzero(model.motion == DYNAMIC)
    found[moving, :3] = force[moving] / model.mass[moving, None]
    inverse = np.linalg.pinv(model.inertia[moving], hermitian=True)
    found[moving, 3:] = np.einsum("nij,nkj,nk->ni", inverse, state.R[moving], torque[moving])
    found[model.fixed] = 0.0
    return found


def _most_mobile(model: Model, bodies: Int64Array) -> float:
    """[1/(kg m^2)] the largest rotation that a torque on one of `bodies` causes."""
    least = np.linalg.eigvalsh(model.inertia[bodies])[:, 0].min(initial=inf)
    return float(1.0 / least) if least > 0.0 else inf


def _extent(model: Model) -> float:
    """[m] the largest body, or distance of two in the scene; 1 m of a point."""
    radii = [body.surface.radius for body in model.bodies]
    apart = np.linalg.norm(np.ptp(model.position, axis=0)) if model.n_bodies else 0.0
    return float(max(np.max(radii, initial=0.0), apart)) or 1.0
