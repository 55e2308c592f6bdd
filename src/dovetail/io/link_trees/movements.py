"""The joint that leaves one movement of a link."""

from dovetail.io.link_trees.link import Movement
from dovetail.model.joints import Joint, Planar, Prismatic, Revolute, Spherical

JOINTS: dict[str, type[Joint]] = {
    "rotation": Revolute,
    "translation": Prismatic,
    "ball": Spherical,
    "plane": Planar,
}


def joint_of(movement: Movement) -> Joint:
    """The joint at the place of the movement, with what acts on it."""
    return JOINTS[movement.kind](movement.point, movement.axis, actuation=movement.actuation)
