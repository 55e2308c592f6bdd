"""Robot descriptions as bodies and joints: links in a tree, some of them without mass.

A link without mass that its parent holds is part of the parent, and its geometry goes along. One
that moves passes on what its joints do, and is a body without mass. Several movements of one link
are joints one after the other.
"""

from dataclasses import dataclass, replace

import numpy as np

from dovetail.io.link_trees.held_masses import with_held_masses
from dovetail.io.link_trees.link import Link
from dovetail.io.link_trees.movements import joint_of
from dovetail.io.listed import listed
from dovetail.model.joints import Fixed, Joint
from dovetail.model.scene import Scene
from dovetail.model.shapes import Compound, Placed
from dovetail.model.shapes.shape import Shape
from dovetail.model.values import GROUND_NAME, Mistakes


@dataclass(eq=False)
class _Held:
    """What is known of a link of the tree."""

    body: str  # the body of the scene that it is, or is part of
    has_geometry: bool = True  # whether its geometry is in the scene


class Assembly:
    """Makes links (parents first) into the bodies and joints of a scene."""

    def __init__(self, scene: Scene, found: Mistakes) -> None:
        self.scene, self.found = scene, found
        self.notes: list[str] = []
        self.held: list[_Held] = []
        self._bodies: dict[str, Link] = {}  # with the geometry that they take over
        self._joints: list[tuple[dict[str, Joint], str, str]] = []

    def body_of(self, number: int) -> str:
        """The body of the scene that a link is, or is part of; 'ground' for what never moves."""
        return self.held[number].body

    def holder(self, number: int) -> str:
        """The body of the scene that has the geometry of a link."""
        return self._holders[number]

    def add(self, links: list[Link]) -> None:
        links = with_held_masses(links)
        self._holders = [link.name for link in links]
        carries = _carry_mass(links)
        left_out = []
        for number, link in enumerate(links):
            above = GROUND_NAME if link.parent is None or link.free else self.body_of(link.parent)
            moves = link.free or bool(link.movements)
            if moves and not carries[number]:
                left_out.append(link.name)
                moves = False
                link = replace(link, mass=0.0)
            if moves or (link.mass > 0 and above != GROUND_NAME):
                self._add_moving(link, above)
            elif above == GROUND_NAME:
                self.held.append(_Held(GROUND_NAME))
                self._add_static(link)
            else:
                self.held.append(_Held(above))
                self._holders[number] = above
                self._merge(link, above)
        if left_out:
            self.notes.append(
                "links without mass at the end of a joint do not move by themselves: "
                + listed(left_out)
            )
        for link in self._bodies.values():
            self._add_body(link)
        for joints, parent, child in self._joints:
            self.scene.add_joint_chain(joints, parent, child)

    def _add_moving(self, link: Link, above: str) -> None:
        self.held.append(_Held(link.name))
        self._bodies[link.name] = replace(link, pieces=list(link.pieces))
        joints = {movement.name: joint_of(movement) for movement in link.movements}
        if not joints and not link.free:
            joints = {link.joint or f"{link.name} joint": Fixed(link.position)}
        if joints:
            self._joints.append((joints, above, link.name))

    def _merge(self, link: Link, body: str) -> None:
        """Geometry of a link without mass goes to what holds it."""
        holder = self._bodies[body]
        relative = holder.rotation.T @ link.rotation
        shift = holder.rotation.T @ (link.position - holder.position)
        for piece in link.pieces:
            rotation, position = piece.pose
            holder.pieces.append(
                replace(piece, position=shift + relative @ position, rotation=relative @ rotation)
            )
        if link.pieces and holder.material is None:
            holder.material = link.material

    def _add_static(self, link: Link) -> None:
        shape = shape_of(link.pieces)
        if shape is None and link.mass == 0:
            return
        place = link.position if shape is not None else link.position + link.rotation @ link.centre
        self.scene.add_body(
            link.name,
            shape,
            position=place,
            rotation=link.rotation,
            motion="static",
            group=link.group,
            material=link.material,
        )

    def _add_body(self, link: Link) -> None:
        shape = shape_of(link.pieces)
        origin = link.position
        if shape is None:
            origin = link.position + link.rotation @ link.centre
        self.scene.add_body(
            link.name,
            shape,
            mass=link.mass,
            inertia=link.inertia if link.mass > 0 else None,
            center_of_mass=None if shape is None else link.centre,
            position=origin,
            rotation=link.rotation,
            velocity=link.velocity,
            angular_velocity=link.angular_velocity,
            group=link.group,
            material=link.material,
        )


def _carry_mass(links: list[Link]) -> list[bool]:
    """Whether a link, or one that it carries, has mass or the armature of its joints."""
    found = [link.mass > 0 or _has_armature(link) for link in links]
    for number in reversed(range(len(links))):
        parent = links[number].parent
        if found[number] and parent is not None and not links[number].free:
            found[parent] = True
    return found


def _has_armature(link: Link) -> bool:
    acting = [entry for movement in link.movements for entry in movement.actuation]
    return bool(acting) and all(entry.armature > 0 for entry in acting)


def shape_of(pieces: list[Placed]) -> Shape | None:
    """One shape for all pieces; those of lower dimension than the largest carry no weight."""
    if not pieces:
        return None
    if len(pieces) == 1:
        only = pieces[0]
        rotation, position = only.pose
        if not np.any(position) and np.array_equal(rotation, np.eye(3)):
            return only.shape  # type: ignore[no-any-return]
    usable = [piece for piece in pieces if not piece.shape.mistakes()]
    dimensions = {id(p): p.shape.mass_properties().dimension for p in usable}
    highest = max(dimensions.values(), default=3)
    return Compound(
        [replace(p, weight=float(dimensions.get(id(p), highest) == highest)) for p in pieces]
    )
