"""The friction and restitution of two bodies: the method's, unless their materials have their own.

None in an entry of the scene's materials leaves the value of the contact method.
"""

from typing import Any

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.materials import Material
from dovetail.model.values import Mistakes, quote


def add_material(material: Any, given: dict[str, Any], found: Mistakes) -> dict[str, Any]:
    """The values `given` to a method, or those of its `material` where they are 0 or None."""
    if material is None:
        return given
    if not isinstance(material, Material):
        found.append(f"`material` must be a dt.Material, got {quote(material)}")
        return given
    values = dict(given)
    for name, value in given.items():
        own, zero = getattr(material, name), np.ndim(value) == 0 and value in (None, 0)
        if own is not None and not zero:
            found.append(f"give `{name}` or a `material` that has it, not both")
        if own is not None:
            values[name] = own
    return values


def friction_of_pair(model: Model, friction: Any, i: int, j: int) -> Any:
    """The friction of bodies i and j as it was given; `friction` is the method's."""
    material = model.pair_material(i, j)
    if material is None or material.friction is None:
        return friction
    return material.friction


def restitution_of_pair(model: Model, restitution: Any, i: int, j: int) -> Any:
    """The restitution of bodies i and j; `restitution` is the method's."""
    material = model.pair_material(i, j)
    if material is None or material.restitution is None:
        return restitution
    return material.restitution
