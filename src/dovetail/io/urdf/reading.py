"""URDF robots as scenes (http://wiki.ros.org/urdf/XML).

What a file does not say, and how it is read here:

- The base: the root link is held by the ground, as in Pinocchio and MuJoCo, unless no joint of the
  file moves: then it is an object that moves freely. `fixed_base=True` holds it, `False` frees it,
  and a note says which.
- Gravity is (0, 0, -9.81) m/s^2, as z is up by convention.
- Contact uses the collision geometry of a link, or its visual geometry where it has no other.
  Links of one robot do not collide with each other (they overlap at their joints).
- A link without mass is part of what holds it (see `link_trees`).
- A link that moves and has no <inertial> has the mass of its geometry at 1000 kg/m^3, as in MuJoCo.
- Moments of inertia that only rounding keeps from being those of a body are corrected; shapes of
  size zero are left out. Notes name them.
- Transmissions, sensors, materials and the like are listed in one note and left out.
- `effort` and `velocity` limits of 0 or below mean that none is given.
- An <origin> may give `quat_xyzw`, as in version 1.1, in the place of `rpy`.
"""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.assembly import Assembly
from dovetail.io.link_trees.held_masses import with_held_masses
from dovetail.io.link_trees.link import Link
from dovetail.io.listed import listed
from dovetail.io.loaded_scene import LoadedScene
from dovetail.io.mistakes_in_file import mistakes_in
from dovetail.io.run_settings import RunSettings
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.urdf.inertials import (
    DENSITY,
    POINT_RADIUS,
    from_geometry,
    make_physical,
    take_over_moments,
)
from dovetail.io.urdf.joint_notes import (
    idle_mimics,
    many_turns,
    shut,
    unused_by_type,
    weak,
)
from dovetail.io.urdf.joints import connect, couple
from dovetail.io.urdf.links import Remarks, read_link
from dovetail.io.urdf.packages import PackageFolders
from dovetail.io.urdf.placement import origin_of
from dovetail.io.urdf.unread import by_visuals, texts, unread
from dovetail.io.urdf.xacro_files import urdf_text
from dovetail.io.xml.elements import Element, parse_xml
from dovetail.io.xml.values import word
from dovetail.model.scene import Scene
from dovetail.model.values import Mistakes, quote

GRAVITY = (0.0, 0.0, -9.81)
# what xacro makes other elements of; calls of macros that are defined nowhere are left as they are
EXPANDABLE = {
    f"xacro:{what}" for what in (
        "macro", "include", "property", "arg", "if", "unless", "element", "attribute",
        "insert_block",
    )
}  # fmt: skip


def read(
    path: Path,
    files: MeshFolder,
    *,
    fixed_base: bool | None = None,
    package_paths: Iterable[str | PathLike[str]] = (),
) -> LoadedScene:
    """Read a URDF file; `fixed_base` None decides by the joints, see above."""
    with mistakes_in(path):
        return _read(path, PackageFolders(path, files, package_paths), fixed_base)


def _read(path: Path, packages: PackageFolders, fixed_base: bool | None) -> LoadedScene:
    robot = parse_xml(urdf_text(path, packages), path.name)
    found = Mistakes()
    if robot.tag != "robot":
        found.append(f"{path.name} must be a URDF <robot>, got <{robot.tag[:60]}>")
        found.raise_if_any()
    macros = {element.tag for element in robot.everything() if element.tag.startswith("xacro:")}
    if macros & EXPANDABLE:
        raise InputError(
            f"{path.name} holds xacro macros; name it {path.stem}.urdf.xacro, or expand it first: "
            "xacro IN > OUT.urdf"
        )
    links = _named(robot, "link", found)
    joints = _named(robot, "joint", found)
    ends = {name: _ends(joint, links, found) for name, joint in joints.items()}
    order = _parents_first(links, ends, path.name, found)
    found.raise_if_any()

    scene = Scene(gravity=GRAVITY)
    remarks = Remarks()
    tree = _placed(order, links, joints, packages, remarks, found)
    found.raise_if_any()
    notes = ["URDF gives no gravity: (0, 0, -9.81) m/s^2 is used", _base(tree, fixed_base)]
    _weigh(tree, remarks)
    moments_left_out: list[str] = []
    take_over_moments(tree, moments_left_out)
    make_physical(tree, remarks.corrected)
    if sum(link.mass > 0 for link in tree) > 1:
        notes.append("links of one robot do not collide with each other")
        for link in tree:
            link.group = f"robot {robot.attributes.get('name', '')}".strip()[:200]
    assembly = Assembly(scene, found)
    assembly.add(tree)
    found.raise_if_any()
    found.take(_refuse_mimic_rings, joints)
    for name, joint in joints.items():
        found.take(couple, name, joint, scene)
    if not found:
        found.take(scene.build)
    found.raise_if_any()
    if not scene.bodies:
        notes.append("no link has mass or geometry, so the scene has no body")
    notes += assembly.notes
    drawn_only, drawn_otherwise = by_visuals(links)
    for sentence, names in (
        (f"links have the mass of their geometry at {DENSITY:g} kg/m^3", remarks.weighed),
        ("moments of inertia are corrected by what rounding has spoilt", remarks.corrected.rounded),
        (
            "moments of inertia that no body has are shared with the links that carry it, which "
            "changes torques across the axes of joints but no motion",
            remarks.corrected.shared,
        ),
        (
            "links with mass but no moments of inertia have those of their shapes",
            remarks.corrected.shaped,
        ),
        (
            "links with mass but no moments of inertia are balls of "
            f"{POINT_RADIUS * 1e3:g} mm radius",
            remarks.corrected.points,
        ),
        ("names that stand for the world are changed", remarks.renamed),
        ("shapes of size zero are left out", remarks.empty),
        ("limits of joints are both 0, so that they hold still", shut(joints)),
        ("limits of effort or velocity of 0 or below are taken as none", weak(joints)),
        ("moments of inertia without mass are left out", moments_left_out),
        ("joints that do not move along one axis mimic nothing", idle_mimics(joints)),
        ("not used by joints of their type", unused_by_type(joints)),
        ("`rpy` is in rad, but is several turns, as if it were in degrees", many_turns(robot)),
        ("macros of xacro that were not expanded are left out, and links in them", sorted(macros)),
        ("meshes are not where the file says", packages.elsewhere),
        ("links collide with their visual geometry, as they have no <collision>", drawn_only),
        ("links are drawn as they collide, without their <visual>", drawn_otherwise),
        ("text that is not in an attribute is left out", texts(robot)),
        ("not supported and left out", [one for one in unread(robot) if one not in macros]),
    ):
        if names:
            notes.append(f"{sentence}: {listed(names)}")
    return LoadedScene(scene, RunSettings(), path, notes)


def _named(robot: Element, tag: str, found: Mistakes) -> dict[str, Element]:
    """The elements of one kind by their name, each name once."""
    by_name: dict[str, Element] = {}
    for element in robot.all(tag):
        name = found.take(word, element, "name")
        if name is not None and name in by_name:
            found.append(f"two {tag}s are named {quote(name)}; names must be unique")
        elif name is not None:
            by_name[name] = element
    return by_name


def _ends(joint: Element, links: dict[str, Element], found: Mistakes) -> tuple[str, str]:
    """Names of the parent and child link."""
    ends = []
    for tag in ("parent", "child"):
        element = joint.first(tag)
        name = None
        if element is None:
            found.append(f"{joint.who} must have a <{tag} link=...>")
        else:
            name = found.take(word, element, "link")
        if name is not None and name not in links:
            found.append(f"{joint.who} names the {tag} link {quote(name)}, which is not there")
        ends.append(name or "")
    return ends[0], ends[1]


def _parents_first(
    links: dict[str, Element], ends: dict[str, tuple[str, str]], file: str, found: Mistakes
) -> list[tuple[str, str | None, str]]:
    """Each link as (name, parent link, joint to it), every parent before its children."""
    above: dict[str, tuple[str, str]] = {}
    below: dict[str, list[str]] = {name: [] for name in links}
    for joint, (parent, child) in ends.items():
        if child in above:
            found.append(f"link {quote(child)} must have one parent joint, got two: {quote(joint)}")
        elif parent in below and child in below:
            above[child] = (parent, joint)
            below[parent].append(child)
    roots = [name for name in links if name not in above]
    if not links:
        found.append(f"{file} must have at least one <link>")
    elif len(roots) != 1 and not found:
        got = f"got {listed(roots, 8)}" if roots else "but the joints form a ring"
        found.append(f"{file} must have exactly one root link, {got}")
    order: list[tuple[str, str | None, str]] = []
    waiting = roots[::-1]
    while waiting:
        name = waiting.pop()
        order.append((name, *above.get(name, (None, ""))))
        waiting.extend(reversed(below[name]))
    if len(order) < len(links) and not found:
        lost = [name for name in links if name not in {entry[0] for entry in order}]
        found.append(f"links {listed(lost, 8)} form a ring without a root")
    return order


def _placed(
    order: list[tuple[str, str | None, str]],
    links: dict[str, Element],
    joints: dict[str, Element],
    packages: PackageFolders,
    remarks: Remarks,
    found: Mistakes,
) -> list[Link]:
    """All links in the world at joint coordinates zero."""
    numbers_: dict[str, int] = {}
    tree: list[Link] = []
    for name, parent, joint_name in order:
        link = found.take(read_link, links[name], packages, remarks)
        link = link or Link(name, np.zeros(3), np.eye(3))
        if parent is not None:
            above = tree[numbers_[parent]]
            joint = joints[joint_name]
            place = found.take(origin_of, joint) or (np.zeros(3), np.eye(3))
            link.position = above.position + above.rotation @ place[0]
            link.rotation = above.rotation @ place[1]
            link.parent, link.joint = numbers_[parent], joint_name
            found.take(connect, link, joint)
        numbers_[name] = len(tree)
        tree.append(link)
    return tree


def _base(tree: list[Link], fixed_base: bool | None) -> str:
    """Hold or free the root link; returns the note that says which."""
    root = tree[0]
    held = any(link.movements or link.free for link in tree) or root.name == "world"
    held = held if fixed_base is None else fixed_base
    root.free = not held
    who = f"the root link {quote(root.name[:60])}"
    if held:
        return f"{who} is held by the ground; fixed_base=False frees it"
    return f"{who} moves freely; fixed_base=True holds it"


def _weigh(tree: list[Link], remarks: Remarks) -> None:
    """Give links that move, and hold nothing with mass, the mass of their geometry."""
    held = with_held_masses(tree)
    for place, link in enumerate(tree):
        if (link.movements or link.free) and held[place].mass == 0 and link.pieces:
            if from_geometry(link):
                remarks.weighed.append(link.name)


def _refuse_mimic_rings(joints: dict[str, Element]) -> None:
    """Joints that follow each other in a ring, which leaves open what leads them."""
    follows = {}
    for name, joint in joints.items():
        mimic = joint.first("mimic")
        if mimic is not None:
            follows[name] = mimic.attributes.get("joint", "").strip()
    for name in follows:
        passed, at = [name], follows[name]
        while at in follows and at not in passed:
            passed.append(at)
            at = follows[at]
        if at == name and len(passed) > 1:
            raise InputError(
                f"joints {listed(passed, 8)} must not follow each other by <mimic>; let one lead"
            )
