"""Contact properties by pair of materials; a body's own name is also a material."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.friction_curve import FrictionCurve, checked_curve
from dovetail.model.values import (
    CopiedFields,
    Mistakes,
    finite_array,
    name_of,
    not_negative,
    positive,
    quote,
    shape_of,
)


@dataclass(frozen=True)
class PairMaterial(CopiedFields):
    """How two materials meet. None leaves the contact method's own value.

    `friction` is a coefficient, (mu_s, mu_d, v_s, v_d): static and dynamic coefficient and
    the speeds [m/s] at which they hold, or a friction curve; `restitution` 0..1; `stiffness`
    [N/m^n]; `damping` [N s/m].
    """

    a: str
    b: str
    friction: Any = None
    restitution: Any = None
    stiffness: Any = None
    damping: Any = None

    def mistakes(self) -> list[str]:
        who = f"materials {quote(self.a)} and {quote(self.b)}"
        found = Mistakes()
        for name in (self.a, self.b):
            found.take(name_of, name, "material or body in a pair")
        if self.friction is not None:
            found.take(check_friction, self.friction, f"`friction` of {who}")
        if self.restitution is not None:
            value = found.take(not_negative, self.restitution, f"`restitution` of {who}")
            if value is not None and value > 1:
                found.append(f"`restitution` of {who} must be <= 1, got {value:g}")
        if self.stiffness is not None:
            found.take(positive, self.stiffness, f"`stiffness` of {who}", "N/m")
        if self.damping is not None:
            found.take(not_negative, self.damping, f"`damping` of {who}", "N s/m")
        return found


def check_friction(value: Any, what: str) -> float | tuple[float, ...] | FrictionCurve:
    """A coefficient >= 0, (mu_s, mu_d, v_s, v_d) with mu_d <= mu_s and 0 < v_s < v_d, a curve."""
    if isinstance(value, int | float | np.number):
        return not_negative(value, what)
    if isinstance(value, Mapping | FrictionCurve):
        return checked_curve(value, what)
    if shape_of(value) != (4,):
        raise InputError(
            f"{what} must be a number >= 0 or (mu_s, mu_d, v_s, v_d), got {quote(value)}"
        )
    mu_s, mu_d, v_s, v_d = finite_array(value, what, (4,)).tolist()
    if not (0 <= mu_d <= mu_s and 0 < v_s < v_d):
        raise InputError(
            f"{what} must be a number or (mu_s, mu_d, v_s, v_d) with 0 <= mu_d <= mu_s and "
            f"0 < v_s < v_d, got {quote(value)}"
        )
    return mu_s, mu_d, v_s, v_d
