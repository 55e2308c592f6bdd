"""The body tree of an MJCF model as links."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.assembly import Link
from dovetail.io.link_trees.joint_chains import Movement
from dovetail.io.mjcf.document import Compiler, Defaults
from dovetail.io.mjcf.geoms import READ, Geom, read_geom
from dovetail.io.mjcf.joints import Servos, read_joint
from dovetail.io.mjcf.placement import Pose, composed, origin, pose_of
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import number, numbers
from dovetail.model.shapes import HalfSpace, Mesh, Placed
from dovetail.model.shapes.shape import MassProperties, combined
from dovetail.model.values import Mistakes

BODY_READ = ("name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis")


@dataclass(frozen=True)
class _Place:
    """Where the reading of the tree is: the link above, whether it moves, and its tree."""

    link: int | None
    moves: bool
    tree: str
    pose: Pose


class TreeReader:
    """Collects links, parents first, from the <worldbody>."""

    def __init__(
        self,
        compiler: Compiler,
        defaults: Defaults,
        meshes: dict[str, Mesh],
        servos: dict[str, Servos],
        found: Mistakes,
    ) -> None:
        self.compiler, self.defaults, self.found = compiler, defaults, found
        self.meshes, self.servos = meshes, servos
        self.links: list[Link] = []
        self.numbers: dict[str, int | None] = {"world": None}  # of named bodies
        self.poses: dict[str, Pose] = {"world": origin()}
        self.joint_names: set[str] = set()
        self.unread: list[str] = []
        self.unseen: list[str] = []  # bodies with geometry that takes no part in contact
        self._spare = count()

    def read_world(self, world: Element) -> None:
        ground = _Place(None, False, "", origin())
        for child, place, childclass in self._contents(world, origin(), "main"):
            if child.tag == "geom":
                self._static_geom(child, place, childclass)
            elif child.tag == "body":
                self.read_body(child, place, ground, childclass)
            else:
                self.unread.append(child.tag[:60])

    def read_body(self, element: Element, place: Pose, above: _Place, childclass: str) -> None:
        """One body with all below it; `place` is the frame it is written in, in the parent."""
        name = element.attributes.get("name") or f"body-{next(self._spare)}"
        childclass = element.attributes.get("childclass", childclass)
        own = self.found.take(pose_of, element, self.compiler) or origin()
        pose = composed(above.pose, composed(place, own))
        link = Link(name, pose[0], pose[1], parent=above.link)
        inside = list(self._contents(element, origin(), childclass))
        self.unread.extend(f"body {key}" for key in element.attributes if key not in BODY_READ)

        movements = self._joints(link, inside, above)
        link.movements = tuple(m for m in movements if m is not None)
        link.free = len(link.movements) < len(movements)
        link.joint = "+".join(m.name for m in link.movements)[:200]
        moves = above.moves or bool(movements)
        tree = above.tree or name
        link.group = f"tree {tree}"[:200]

        geoms = [self._geom(c, p, k) for c, p, k in inside if c.tag == "geom"]
        self._fill(link, [g for g in geoms if g is not None], inside, moves)
        number_ = len(self.links)
        if name in self.numbers:
            self.found.append(f'two bodies are named "{name[:60]}"; names must be unique')
        self.numbers[name], self.poses[name] = number_, pose
        self.links.append(link)
        here = _Place(number_, moves, tree, pose)
        for child, inner, inner_class in inside:
            if child.tag == "body":
                self.read_body(child, inner, here, inner_class)
            elif child.tag not in ("geom", "joint", "freejoint", "inertial"):
                self.unread.append(child.tag[:60])

    def _contents(
        self, element: Element, place: Pose, childclass: str
    ) -> Iterator[tuple[Element, Pose, str]]:
        """Children with the frame they are written in; <frame> elements are looked through."""
        for child in element.children:
            if child.tag == "frame":
                own = self.found.take(pose_of, child, self.compiler) or origin()
                inner_class = child.attributes.get("childclass", childclass)
                yield from self._contents(child, composed(place, own), inner_class)
            else:
                yield child, place, childclass

    def _joints(
        self, link: Link, inside: list[tuple[Element, Pose, str]], above: _Place
    ) -> list[Movement | None]:
        """The movements of a body; None stands for a free joint."""
        movements: list[Movement | None] = []
        written = [entry for entry in inside if entry[0].tag in ("joint", "freejoint")]
        for index, (element, place, childclass) in enumerate(written):
            if element.tag == "freejoint":
                given: Element | None = replace(element, attributes={"type": "free"})
            else:
                given = self.found.take(self.defaults.applied, element, childclass)
            if given is None:
                continue
            spare = f"{link.name} joint" + (f" {index + 1}" if len(written) > 1 else "")
            name = given.attributes.get("name") or spare
            self.joint_names.add(name)
            before = len(self.found)
            frame = composed((link.position, link.rotation), place)
            movement = self.found.take(
                read_joint, given, name, frame, self.compiler, self.servos, self.unread
            )
            if len(self.found) == before:
                movements.append(movement)
        if None in movements and (len(movements) > 1 or above.link is not None):
            self.found.append(
                f'body "{link.name[:60]}" must be a child of the world and have no other joint '
                "to have a free joint"
            )
        return movements

    def _geom(self, element: Element, place: Pose, childclass: str) -> Geom | None:
        given = self.found.take(self.defaults.applied, element, childclass)
        if given is None:
            return None
        self.unread.extend(f"geom {key}" for key in given.attributes if key not in READ)
        before = len(self.found)
        geom = self.found.take(read_geom, given, place, self.compiler, self.meshes)
        if geom is None and len(self.found) == before:
            self.unread.append(f"geom type={given.attributes['type']}")
        return geom

    def _fill(
        self, link: Link, geoms: list[Geom], inside: list[tuple[Element, Pose, str]], moves: bool
    ) -> None:
        """Mass and geometry of a body."""
        for geom in geoms:
            if isinstance(geom.shape, HalfSpace):
                if moves:
                    self.found.append(f"{geom.element.who} must not be a plane: its body moves")
                else:
                    pose = composed((link.position, link.rotation), geom.pose)
                    self._add_static(geom, pose)
        solid = [g for g in geoms if g.collides and not isinstance(g.shape, HalfSpace)]
        link.pieces = [Placed(g.shape, g.pose[0], g.pose[1]) for g in solid]
        if geoms and not solid and moves:
            self.unseen.append(link.name)
        if solid:
            link.material = friction_name(max(g.friction for g in solid))
        if not moves:
            return  # the mass of what never moves does not matter
        inertials = [(child, place) for child, place, _ in inside if child.tag == "inertial"]
        by_geometry = self.compiler.inertia_from_geometry
        if inertials and by_geometry != "true":
            amount = self.found.take(_inertial, *inertials[0], self.compiler)
        else:
            parts = [g.mass for g in geoms if g.mass is not None and by_geometry != "false"]
            amount = combined(parts) if parts else None
        if amount is not None:
            link.mass, link.centre, link.inertia = amount.measure, amount.centre, amount.inertia

    def _static_geom(self, element: Element, place: Pose, childclass: str) -> None:
        geom = self._geom(element, place, childclass)
        if geom is not None and geom.collides:
            self._add_static(geom, geom.pose)
        elif geom is not None:
            self.unseen.append("world")

    def _add_static(self, geom: Geom, pose: Pose) -> None:
        """A geom of the world as a static body of its own."""
        name = geom.element.attributes.get("name") or f"world-geom-{next(self._spare)}"
        taken = {link.name for link in self.links}
        name = name if name not in taken else f"{name} geom {next(self._spare)}"
        link = Link(name, *pose, pieces=[Placed(geom.shape)], material=friction_name(geom.friction))
        self.links.append(link)


def friction_name(mu: float) -> str:
    """The name of the material with this coefficient."""
    return f"friction {mu:g}"


def _inertial(element: Element, place: Pose, compiler: Compiler) -> MassProperties:
    """Mass [kg], centre [m], inertia [kg m^2] about it, in the body's frame."""
    mass = number(element, "mass")
    pose = composed(place, pose_of(element, compiler))
    if "fullinertia" in element.attributes:
        xx, yy, zz, xy, xz, yz = numbers(element, "fullinertia", 6)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        inertia = np.diag(numbers(element, "diaginertia", 3))
    if mass < 0:
        raise InputError(f"`mass` of {element.who} must be >= 0 kg, got {mass:g}")
    return MassProperties(3, mass, pose[0], pose[1] @ inertia @ pose[1].T)
