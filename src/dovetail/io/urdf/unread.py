"""What stands in a URDF file and nobody reads: names for notes."""

from dovetail.io.xml.elements import Element

READ = {
    "robot": ("link", "joint"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry"),
    "collision": ("origin", "geometry"),
    "geometry": ("box", "cylinder", "sphere", "mesh", "capsule"),
}
ATTRIBUTES = {  # of elements whose attributes are all read or known not to matter
    "robot": ("name", "version"), "link": ("name",), "joint": ("name", "type"),
    "inertial": (), "visual": ("name",), "collision": ("name",), "geometry": (),
    "origin": ("xyz", "rpy", "quat_xyzw"), "axis": ("xyz",), "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "limit": ("lower", "upper", "effort", "velocity"), "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"), "box": ("size",), "sphere": ("radius",),
    "cylinder": ("radius", "length"), "capsule": ("radius", "length"),
    "mesh": ("filename", "scale"), "parent": ("link",), "child": ("link",),
}  # fmt: skip
ONCE = {
    "origin", "axis", "mass", "inertia", "limit", "dynamics", "mimic", "box", "sphere", "cylinder",
    "mesh", "parent", "child", "inertial", "geometry",
}  # fmt: skip


def unread(robot: Element) -> list[str]:
    """Names of the elements and attributes nobody reads; of a repeated element the first counts."""
    names = []
    for element in _described(robot):
        known = ATTRIBUTES.get(element.tag)
        if known is not None:
            more = [key for key in element.attributes if not (key in known or _is_namespace(key))]
            names += [f"`{key[:60]}` of {element.who}" for key in more]
        if element.tag not in READ:
            continue
        seen = set()
        for child in element.children:
            if child.tag not in READ[element.tag]:
                names.append(child.tag[:60])
            elif child.tag in ONCE and child.tag in seen:
                names.append(f"a second {child.who} of {element.who}")
            seen.add(child.tag)
    return names


def texts(robot: Element) -> list[str]:
    """Elements with text between their tags, where URDF has attributes only."""
    return [f"{one.text!r} in {one.who}" for one in _described(robot) if one.text]


def by_visuals(links: dict[str, Element]) -> tuple[list[str], list[str]]:
    """Links that collide with their visual geometry, and those whose visual geometry is unread."""
    only: list[str] = []
    beside: list[str] = []
    for name, link in links.items():
        if link.first("visual") is not None:
            (only if link.first("collision") is None else beside).append(name)
    return only, beside


def _described(robot: Element) -> list[Element]:
    """Elements that are part of the robot by what they are in, outside of what is unread whole."""
    found, waiting = [], [robot]
    while waiting:
        element = waiting.pop()
        found.append(element)
        known = READ.get(element.tag, ())
        waiting.extend(child for child in reversed(element.children) if child.tag in known)
    return found


def _is_namespace(key: str) -> bool:
    return key == "xmlns" or key.startswith(("xmlns:", "xsi:", "xml:"))
