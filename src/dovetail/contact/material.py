"""The friction and restitution of two bodies: the method's, unless their materials have their own.

None in an entry of the scene's materials leaves the value of the contact method.
"""

from typing import Any

from dovetail.model.frozen import Model


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
