"""Contact properties by pair of materials; a body's own name is also a material."""

from collections.abc import Callable, Mapping
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
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Material:
    """How surfaces meet, under every contact method. None leaves the method's own value.

    Args:
        friction: a coefficient, or (mu_s, mu_d, v_s, v_d): mu_s up to a slip of v_s [m/s], mu_d
            from v_d on, a smooth step between (`model.friction_curve`), or a friction curve.
        restitution: 0 to 1, how much of the speed of an impact is left (`contact.impact`).
        stiffness: [N/m^n] of penalty forces (SDF); contacts of IPC and LCP are rigid.
        damping: [N s/m^(n+1)] of penalty forces instead of `restitution`.

    For `dt.contact.IPC(material=...)` and the other methods, for `scene.add_material_pair`, and for
    a body's own `material`.
    """

    friction: Any = None
    restitution: Any = None
    stiffness: Any = None
    damping: Any = None

    def __post_init__(self) -> None:
        found = Mistakes(property_mistakes(self, ""))
        found.raise_if_any()
        if shape_of(self.friction) == (4,):
            object.__setattr__(self, "friction", tuple(float(part) for part in self.friction))


def met(a: Material, b: Material) -> Material:
    """How bodies of materials a and b meet where no pair of materials says it.

    Friction is the geometric mean of both, restitution the smaller one, stiffnesses act in series,
    the larger damping holds. Where one has no value, that of the other holds.
    """
    friction = _both(a.friction, b.friction, _mean_friction)
    series = _both(a.stiffness, b.stiffness, lambda p, q: 1.0 / (1.0 / p + 1.0 / q))
    if a.stiffness == b.stiffness:
        series = a.stiffness
    return Material(
        friction, _both(a.restitution, b.restitution, min), series, _both(a.damping, b.damping, max)
    )


def _both(a: Any, b: Any, combine: Callable[[Any, Any], Any]) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return combine(a, b)


def _mean_friction(a: Any, b: Any) -> Any:
    """Geometric means of the coefficients and of the speeds where they hold."""
    if a == b:
        return a
    if not all(isinstance(value, int | float | np.number | tuple) for value in (a, b)):
        raise InputError(
            "bodies whose materials have different friction curves meet: say how with "
            f"`scene.add_material_pair`, got {quote(a)} and {quote(b)}"
        )
    plain = [value for value in (a, b) if not isinstance(value, tuple)]
    if len(plain) == 2:
        return float(np.sqrt(a * b))
    if plain:  # the speeds are those of the other
        four = b if isinstance(b, tuple) else a
        return (*(float(np.sqrt(plain[0] * mu)) for mu in four[:2]), *four[2:])
    return tuple(float(np.sqrt(p * q)) for p, q in zip(a, b))


@dataclass(frozen=True)
class PairMaterial(CopiedFields):
    """How two materials, or two bodies by name, meet; see `Material`."""

    a: str
    b: str
    friction: Any = None
    restitution: Any = None
    stiffness: Any = None
    damping: Any = None

    def mistakes(self) -> list[str]:
        found = Mistakes()
        for name in (self.a, self.b):
            found.take(name_of, name, "material or body in a pair")
        found.extend(property_mistakes(self, f" of materials {quote(self.a)} and {quote(self.b)}"))
        return found


def property_mistakes(given: "Material | PairMaterial", who: str) -> list[str]:
    """What is wrong with friction, restitution, stiffness and damping of `who`."""
    found = Mistakes()
    if given.friction is not None:
        found.take(check_friction, given.friction, f"`friction`{who}")
    if given.restitution is not None:
        value = found.take(not_negative, given.restitution, f"`restitution`{who}")
        if value is not None and value > 1:
            found.append(f"`restitution`{who} must be <= 1, got {value:g}")
    if given.stiffness is not None:
        found.take(positive, given.stiffness, f"`stiffness`{who}", "N/m")
    if given.damping is not None:
        found.take(not_negative, given.damping, f"`damping`{who}", "N s/m")
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
