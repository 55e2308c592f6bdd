"""Settings of intersection-free contact."""

from typing import Any, ClassVar

import numpy as np

from dovetail.contact.ipc.potential import IpcPotential
from dovetail.contact.laws import LawKind
from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.materials import check_friction
from dovetail.model.values import Mistakes, not_negative, positive, shown


class IPC:
    """A barrier that keeps bodies apart, at every state and on every way between two states.

    Args:
        friction: a coefficient; 0 for now.
        dhat: [m] distance at which contact begins to act; None: a thousandth of the smallest body.
        min_separation: [m] that is kept between bodies at all times.
        eps_v: [m/s] below which friction sticks (without effect at friction 0).
        friction_iterations: how often friction is brought up to date in a step (likewise).
        velocity_tolerance: [m/s] largest speed of a vertex in the last Newton direction; None: a
            hundredth of what gravity, loads and speeds change in a step.
        relative_velocity_tolerance: [1/s] the same over the diagonal of the scene's box.
        max_newton_iterations: per step; a step that needs more is an error.
    """

    name: ClassVar[str] = "ipc"
    kind: ClassVar[LawKind] = "potential"

    def __init__(
        self,
        friction: Any = 0.0,
        dhat: Any = None,
        min_separation: Any = 0.0,
        eps_v: Any = 1e-3,
        friction_iterations: Any = None,
        velocity_tolerance: Any = None,
        relative_velocity_tolerance: Any = None,
        max_newton_iterations: Any = 3000,
    ) -> None:
        found = Mistakes()
        found.take(check_friction, friction, "`friction`")
        found.take(not_negative, min_separation, "`min_separation`", "m")
        found.take(positive, eps_v, "`eps_v`", "m/s")
        if dhat is not None:
            found.take(positive, dhat, "`dhat`", "m")
        if velocity_tolerance is not None:
            found.take(positive, velocity_tolerance, "`velocity_tolerance`", "m/s")
            if relative_velocity_tolerance is not None:
                found.append("give `velocity_tolerance` or `relative_velocity_tolerance`, not both")
        if relative_velocity_tolerance is not None:
            found.take(positive, relative_velocity_tolerance, "`relative_velocity_tolerance`")
        for what, count in (
            ("friction_iterations", friction_iterations),
            ("max_newton_iterations", max_newton_iterations),
        ):
            whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
            if not (whole and count >= 1) and not (count is None and what[0] == "f"):
                found.append(f"`{what}` must be a whole number >= 1, got {shown(count)}")
        found.raise_if_any()
        self.friction, self.dhat, self.min_separation = friction, dhat, float(min_separation)
        self.eps_v, self.friction_iterations = float(eps_v), friction_iterations
        self.velocity_tolerance = velocity_tolerance
        self.relative_velocity_tolerance = relative_velocity_tolerance
        self.max_newton_iterations = int(max_newton_iterations)

    def __repr__(self) -> str:
        return f"IPC({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    def prepare(self, model: Model) -> IpcPotential:
        rubbing = [pair for pair in model.materials if pair.friction]
        if np.any(np.asarray(self.friction)) or rubbing:
            raise InputError(
                "contact method 'ipc' has no friction in this version: `friction` must be 0, got "
                f"{shown(self.friction if np.any(np.asarray(self.friction)) else rubbing[0])}; "
                "use contact method 'sdf' for friction"
            )
        return IpcPotential(model, self)
