"""Robot descriptions as bodies and joints: links in a tree, some of them without mass.

A link without mass cannot be a body. Held by its parent it is part of the parent, and its
geometry goes along; between two moving joints it only composes them, see `joint_chains`.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from dovetail.io.link_trees.joint_chains import WHAT_WORKS, Movement, combined_joint
from dovetail.model.scene import Scene
from dovetail.model.shapes import Compound, Placed
from dovetail.model.shapes.shape import Shape
from dovetail.model.values import GROUND_NAME, Array, Mistakes, quote


@dataclass(eq=False)
class Link:
    """One link; its frame is at `position`, `rotation` in the world at the start."""

    name: str
    position: Array
    rotation: Array
    parent: int | None = None  # number of a link before this one; None is the ground
    joint: str = ""  # name of the joint to the parent
    movements: tuple[Movement, ...] = ()  # none: held by the parent
    free: bool = False  # moves freely whatever the parent
    mass: float = 0.0  # [kg]
    centre: Array = field(default_factory=lambda: np.zeros(3))  # of mass, in the link's frame
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))  # about it, link's axes
    pieces: list[Placed] = field(default_factory=list)  # geometry in the link's frame
    group: str | None = None
    material: str | None = None


@dataclass(eq=False)
class _Carried:
    """What holds a link: a body (or the ground), and the movements still between them."""

    body: str
    chain: tuple[Movement, ...] = ()
    massless: tuple[int, ...] = ()  # the links between the body and here that are no bodies


class Assembly:
    """Makes links (parents first) into the bodies and joints of a scene."""

    def __init__(self, scene: Scene, found: Mistakes) -> None:
        self.scene, self.found = scene, found
        self.notes: list[str] = []
        self.bodies: dict[str, Link] = {}  # moving and fixed bodies, geometry still growing
        self.carried: list[_Carried] = []
        self.users: dict[int, str] = {}  # massless link -> the body that moves with it

    def add(self, links: list[Link]) -> None:
        joints = []
        for number, link in enumerate(links):
            above = _Carried(GROUND_NAME) if link.parent is None else self.carried[link.parent]
            if link.free:
                above = _Carried(GROUND_NAME)
            chain = above.chain + link.movements
            moves = link.free or bool(chain)
            if link.mass > 0:
                self.bodies[link.name] = replace(link, pieces=list(link.pieces))
                joints.append((link, above, chain, moves))
                self._claim(above, link)
                held = not moves and above.body == GROUND_NAME
                self.carried.append(_Carried(GROUND_NAME if held else link.name))
            elif not moves:
                self.carried.append(_Carried(above.body, (), above.massless))
                self._merge(link, above.body)
            else:
                self.carried.append(_Carried(above.body, chain, (*above.massless, number)))
                if link.free or link.pieces:
                    self.found.append(
                        f"link {quote(link.name)} moves, so it needs a mass > 0 kg and an inertia"
                    )
        self._note_unused(links)
        for link, above, chain, moves in joints:
            self._add_body(self.bodies[link.name], above.body == GROUND_NAME and not moves)
            if not link.free and (moves or above.body != GROUND_NAME):
                self._add_joint(link, above.body, chain)

    def _merge(self, link: Link, body: str) -> None:
        """Geometry of a link without mass goes to what holds it."""
        if not link.pieces:
            return
        if body == GROUND_NAME:
            self._add_static(link)
            return
        holder = self.bodies[body]
        relative = holder.rotation.T @ link.rotation
        shift = holder.rotation.T @ (link.position - holder.position)
        for piece in link.pieces:
            rotation, position = piece.pose
            holder.pieces.append(
                replace(piece, position=shift + relative @ position, rotation=relative @ rotation)
            )

    def _claim(self, above: _Carried, link: Link) -> None:
        """A massless moving link may carry one body only: two would share its coordinate."""
        for number in above.massless:
            other = self.users.setdefault(number, link.name)
            if other != link.name and above.chain:
                self.found.append(
                    f"links {quote(other)} and {quote(link.name)} hang on one moving link without "
                    "mass; give that link a mass > 0 kg and an inertia"
                )

    def _note_unused(self, links: list[Link]) -> None:
        idle = [
            links[number].name
            for number, carried in enumerate(self.carried)
            if carried.chain and number not in self.users
        ]
        if idle:
            self.notes.append(
                f"links without mass at the end of a joint are left out: {', '.join(idle)}"
            )

    def _add_static(self, link: Link) -> None:
        self.scene.add_body(
            link.name,
            shape_of(link.pieces),
            position=link.position,
            rotation=link.rotation,
            motion="static",
            group=link.group,
            material=link.material,
        )

    def _add_body(self, link: Link, held: bool) -> None:
        shape = shape_of(link.pieces)
        if held and shape is not None:
            self._add_static(link)
            return
        origin = link.position
        if shape is None:
            origin = link.position + link.rotation @ link.centre
        self.scene.add_body(
            link.name,
            shape,
            mass=link.mass,
            inertia=link.inertia,
            center_of_mass=None if shape is None else link.centre,
            position=origin,
            rotation=link.rotation,
            motion="static" if held else "dynamic",
            group=link.group,
            material=link.material,
        )

    def _add_joint(self, link: Link, body: str, chain: tuple[Movement, ...]) -> None:
        joint = combined_joint(chain)
        if joint is None:
            names = ", ".join(quote(movement.name) for movement in chain)
            self.found.append(
                f"the joints {names} of link {quote(link.name)} together are no joint we have: "
                f"what works is {WHAT_WORKS}, with limits, springs and motors on the first four "
                "only; or put each on a link of its own with mass and inertia"
            )
            return
        if not chain:
            joint = replace(joint, point=link.position)
        self.scene.add_joint(link.joint or f"{link.name} joint", joint, body, link.name)


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
