"""Settings of contact as a complementarity problem at velocity level."""

from typing import Any, ClassVar

import numpy as np

from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.law import LawKind
from dovetail.model.friction_curve import FrictionCurve
from dovetail.model.frozen import Model
from dovetail.model.materials import check_friction
from dovetail.model.values import Mistakes, not_negative, quote
from dovetail.runtime.options import named_options

CONES = ("pyramid", "exact")
MIN_FACETS, MAX_FACETS = 4, 256


class LCP:
    """Rigid contact with Coulomb friction, solved for the velocities of every step.

    Args:
        friction: a coefficient, or (mu_s, mu_d, v_s, v_d): mu_s up to a slip of v_s [m/s], mu_d
            from v_d on, linear between.
        restitution: 0 to 1, how much of the speed of impact is left.
        facets: corners of the friction pyramid's base, even, one of them along the slip.
        cone: "pyramid", or "exact" for the round cone.

    Materials of pairs in the scene override friction and restitution.
    """

    name: ClassVar[str] = "lcp"
    kind: ClassVar[LawKind] = "impulse"

    @named_options
    def __init__(
        self, friction: Any = 0.0, restitution: Any = 0.0, facets: Any = 8, cone: str = "pyramid"
    ) -> None:
        found = Mistakes()
        checked = found.take(check_friction, friction, "`friction`")
        friction = checked if isinstance(checked, FrictionCurve) else friction
        e = found.take(not_negative, restitution, "`restitution`")
        if e is not None and e > 1:
            found.append(f"`restitution` must be 0 to 1, got {e:g}")
        whole = isinstance(facets, int | np.integer) and not isinstance(facets, bool)
        if not (whole and MIN_FACETS <= facets <= MAX_FACETS and facets % 2 == 0):
            found.append(
                f"`facets` must be an even number from {MIN_FACETS} to {MAX_FACETS}, got "
                f"{quote(facets)}"
            )
        if not isinstance(cone, str) or cone not in CONES:
            found.append(f"`cone` must be one of {', '.join(CONES)}, got {quote(cone)}")
        found.raise_if_any()
        self.friction, self.restitution = friction, float(restitution)
        self.facets, self.cone = int(facets), cone

    def __repr__(self) -> str:
        return f"LCP({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    @property
    def corners(self) -> int:
        """Of the pyramid's base; 0 for the round cone."""
        return 0 if self.cone == "exact" else self.facets

    def prepare(self, model: Model) -> LcpLaw:
        return LcpLaw(model, self)
