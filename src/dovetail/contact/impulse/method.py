"""Settings of contact as a complementarity problem at velocity level."""

from typing import Any, ClassVar

import numpy as np

from dovetail.contact.impact.records import HYPOTHESES
from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.law import LawKind
from dovetail.contact.material import add_material
from dovetail.model.friction_curve import FrictionCurve
from dovetail.model.frozen import Model
from dovetail.model.materials import Material, check_friction
from dovetail.model.values import Mistakes, not_negative, positive, quote
from dovetail.runtime.options import named_options

FACETS = 8
CONES = ("pyramid", "exact")
MIN_FACETS, MAX_FACETS = 4, 256


class LCP:
    """Rigid contact with Coulomb friction, solved for the velocities of every step.

    Args:
        friction: a coefficient, (mu_s, mu_d, v_s, v_d), or a friction curve, see `dt.Material`.
        restitution: 0 to 1, how much of the speed of impact is left.
        cone: "exact", the round cone of Coulomb's law, or "pyramid"; None: "exact", unless
            `facets` are given.
        facets: corners of the pyramid's base, even, one of them along the slip; None: 8.
        impact: "poisson": the impulse of compression is repeated `restitution` times, or "newton":
            the speed of approach is.
        material: a `dt.Material` in place of friction and restitution.
        tolerance: [m/s] by which contacts and joints may miss their laws; None: 1e-8 of the
            largest speed where that is reached soon, else 1e-4. `result.stats["residual"]` has what
            was reached, of the largest speed.
        sleep: whether bodies that rest on each other for long are left out of steps until they
            are touched or their loads change.

    Materials of pairs in the scene override friction and restitution.
    """

    name: ClassVar[str] = "lcp"
    kind: ClassVar[LawKind] = "impulse"

    @named_options
    def __init__(
        self, friction: Any = 0.0, restitution: Any = 0.0, facets: Any = None,
        cone: str | None = None, impact: str = "poisson", material: Material | None = None,
        tolerance: Any = None, sleep: bool = True,
    ) -> None:  # fmt: skip
        found = Mistakes()
        given = add_material(material, {"friction": friction, "restitution": restitution}, found)
        friction, restitution = given.values()
        checked = found.take(check_friction, friction, "`friction`")
        friction = checked if isinstance(checked, FrictionCurve) else friction
        e = found.take(not_negative, restitution, "`restitution`")
        if e is not None and e > 1:
            found.append(f"`restitution` must be 0 to 1, got {e:g}")
        cone = cone if cone is not None else "exact" if facets is None else "pyramid"
        facets = FACETS if facets is None else facets
        whole = isinstance(facets, int | np.integer) and not isinstance(facets, bool)
        if not (whole and MIN_FACETS <= facets <= MAX_FACETS and facets % 2 == 0):
            found.append(
                f"`facets` must be an even number from {MIN_FACETS} to {MAX_FACETS}, got "
                f"{quote(facets)}"
            )
        if not isinstance(cone, str) or cone not in CONES:
            found.append(f"`cone` must be one of {', '.join(CONES)}, got {quote(cone)}")
        if not isinstance(impact, str) or impact not in HYPOTHESES:
            found.append(f"`impact` must be one of {', '.join(HYPOTHESES)}, got {quote(impact)}")
        if tolerance is not None:
            tolerance = found.take(positive, tolerance, "`tolerance`", "m/s")
        found.raise_if_any()
        self.tolerance: float | None = tolerance
        self.sleep = bool(sleep)
        self.friction, self.restitution = friction, float(restitution)
        self.facets, self.cone, self.impact = int(facets), cone, impact

    def __repr__(self) -> str:
        return f"LCP({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    @property
    def corners(self) -> int:
        """Of the pyramid's base; 0 for the round cone."""
        return 0 if self.cone == "exact" else self.facets

    def prepare(self, model: Model) -> LcpLaw:
        return LcpLaw(model, self)
