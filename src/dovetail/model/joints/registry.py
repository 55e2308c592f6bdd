"""All joint types by name: those of the package, and those that others register."""

from dovetail.errors import InputError
from dovetail.model.joints.cylindrical import Cylindrical
from dovetail.model.joints.fixed import Fixed
from dovetail.model.joints.free import Free
from dovetail.model.joints.joint import Joint
from dovetail.model.joints.planar import Planar
from dovetail.model.joints.prismatic import Prismatic
from dovetail.model.joints.revolute import Revolute
from dovetail.model.joints.screw import Screw
from dovetail.model.joints.spherical import Spherical
from dovetail.model.joints.type_check import joint_type_mistakes
from dovetail.model.joints.universal import Universal
from dovetail.runtime.registry import Registry

BUILT_IN = {
    kind.kind: kind
    for kind in (
        Fixed, Revolute, Prismatic, Cylindrical, Universal, Spherical, Planar, Screw, Free,
    )
}  # fmt: skip
JOINTS = Registry("joint type", "dovetail.joints", BUILT_IN, joint_type_mistakes)


def registered_name(kind: type[Joint]) -> str:
    """The name by which a scene file can say this joint type; InputError where there is none."""
    name = JOINTS.name_of(kind)
    if name is not None:
        return name
    raise InputError(
        f"joint type {kind.__name__} has no name that a file could give; register it with "
        f'dt.extend.register("joints", {kind.kind!r}, {kind.__name__})'
    )
