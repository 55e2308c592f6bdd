"""Settings of intersection-free contact."""

from typing import Any, ClassVar

import numpy as np

from dovetail.contact.ipc.law import IpcPotential
from dovetail.contact.law import LawKind
from dovetail.contact.material import add_material
from dovetail.model.friction_curve import FrictionCurve
from dovetail.model.frozen import Model
from dovetail.model.materials import Material, check_friction
from dovetail.model.values import Mistakes, not_negative, positive, quote
from dovetail.runtime.options import named_options


class IPC:
    """A barrier that keeps bodies apart, at every state and on every path between two states.

    Args:
        friction: a coefficient, or (mu_s, mu_d, v_s, v_d), see `dt.Material`.
        dhat: [m] largest distance at which contact begins to act; None: a thousandth of the
            smallest body. Pairs that begin closer, or pass each other closer, have less.
        min_separation: [m] that is kept between bodies at all times.
        eps_v: [m/s] times the step is how far a sticking contact bends; None: 1e-5 of dhat.
        friction_iterations: how often normal forces are brought up to date in a step; None:
            until nothing moves any more, at most 12 times.
        velocity_tolerance: [m/s] largest speed of a vertex in the last Newton direction; None: a
            hundredth (with friction a thousandth) of what gravity, loads and speeds change in a
            step.
        relative_velocity_tolerance: [1/s] of the diagonal of the largest dynamic body; what is
            derived is used where it is less.
        max_newton_iterations: per step; a step that needs more is an error.
        restitution: 0 to 1, how much of the speed of an impact is left, as under LCP and SDF; None
            leaves that to the barrier, which bounces the more the smaller the step.
        material: a `dt.Material` in place of friction and restitution.

    Materials of pairs in the scene override friction and restitution.
    """

    name: ClassVar[str] = "ipc"
    kind: ClassVar[LawKind] = "potential"

    @named_options
    def __init__(
        self,
        friction: Any = 0.0,
        dhat: Any = None,
        min_separation: Any = 0.0,
        eps_v: Any = None,
        friction_iterations: Any = None,
        velocity_tolerance: Any = None,
        relative_velocity_tolerance: Any = None,
        max_newton_iterations: Any = 3000,
        restitution: Any = 0.0,
        material: Material | None = None,
    ) -> None:
        found = Mistakes()
        given = add_material(material, {"friction": friction, "restitution": restitution}, found)
        friction, restitution = given.values()
        checked = found.take(check_friction, friction, "`friction`")
        friction = checked if isinstance(checked, FrictionCurve) else friction
        found.take(not_negative, min_separation, "`min_separation`", "m")
        if restitution is not None:
            e = found.take(not_negative, restitution, "`restitution`")
            if e is not None and e > 1:
                found.append(f"`restitution` must be 0 to 1, got {e:g}")
        if eps_v is not None:
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
                found.append(f"`{what}` must be a whole number >= 1, got {quote(count)}")
        found.raise_if_any()
        self.friction, self.dhat, self.min_separation = friction, dhat, float(min_separation)
        self.eps_v, self.friction_iterations = eps_v, friction_iterations
        self.velocity_tolerance = velocity_tolerance
        self.relative_velocity_tolerance = relative_velocity_tolerance
        self.max_newton_iterations = int(max_newton_iterations)
        self.restitution = None if restitution is None else float(restitution)

    def __repr__(self) -> str:
        return f"IPC({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    def prepare(self, model: Model) -> IpcPotential:
        return IpcPotential(model, self)
