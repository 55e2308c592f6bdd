"""Bodies of a compiled model as links."""

from dataclasses import dataclass, field

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.link import Link
from dovetail.io.mjcf.actuators import Servo
from dovetail.io.mjcf.compiled import Compiled
from dovetail.io.mjcf.geoms import Geometry
from dovetail.io.mjcf.joints import movements_of
from dovetail.model.shapes import HalfSpace, Placed
from dovetail.model.values import quote


@dataclass(eq=False)
class Links:
    """Links in the order of the model's bodies, with the world's own geoms at the end."""

    links: list[Link] = field(default_factory=list)
    of_body: dict[int, int] = field(default_factory=dict)  # body of the model -> link
    of_geom: dict[int, int] = field(default_factory=dict)  # geom -> link that has its shape
    unseen: list[str] = field(default_factory=list)  # geometry that meets nothing
    renamed: list[str] = field(default_factory=list)
    uneven: list[str] = field(default_factory=list)  # bodies of which geoms differ in friction


def read_links(
    compiled: Compiled, geometry: Geometry, servos: dict[int, Servo], left_out: list[str]
) -> Links:
    """All bodies but the world, parents first, then the geoms of the world."""
    made = Links()
    geoms = _geoms_of_bodies(compiled)
    for body in range(1, compiled.model.nbody):
        _add_body(compiled, body, made, servos, left_out)
        _add_geoms(compiled, body, geoms.get(body, []), geometry, made)
    taken = {link.name for link in made.links}
    for geom in geoms.get(0, []):
        _add_static(compiled, geom, geometry, made, taken)
    return made


def friction_name(mu: float) -> str:
    """The name of the material with this coefficient."""
    return f"friction {mu:g}"


def friction_of(compiled: Compiled, geom: int) -> float:
    """The sliding coefficient; none in contacts without friction."""
    model = compiled.model
    return 0.0 if int(model.geom_condim[geom]) == 1 else float(model.geom_friction[geom, 0])


def _geoms_of_bodies(compiled: Compiled) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for geom, body in enumerate(compiled.model.geom_bodyid.tolist()):
        found.setdefault(body, []).append(geom)
    return found


def _add_body(
    compiled: Compiled, body: int, made: Links, servos: dict[int, Servo], left_out: list[str]
) -> None:
    model = compiled.model
    name = compiled.label("body", body)
    own = compiled.name("body", body)
    if own and own != name:
        made.renamed.append(f"{quote(own[:60])} is {quote(name[:60])}")
    position, rotation = compiled.frame(body)
    parent = int(model.body_parentid[body])
    link = Link(name, position, rotation, parent=made.of_body.get(parent))
    movements, link.free = movements_of(compiled, body, servos, left_out)
    link.movements = tuple(movements)
    moves = int(model.body_weldid[body]) != 0
    if moves:
        link.mass = float(model.body_mass[body])
        link.centre = model.body_ipos[body].copy()
        axes = np.zeros(9)
        compiled.mujoco.mju_quat2Mat(axes, model.body_iquat[body])
        turned = axes.reshape(3, 3)
        link.inertia = turned @ np.diag(model.body_inertia[body]) @ turned.T
        link.angular_velocity, link.velocity = compiled.velocity(body)
    made.of_body[body] = len(made.links)
    made.links.append(link)


def _add_geoms(
    compiled: Compiled, body: int, geoms: list[int], geometry: Geometry, made: Links
) -> None:
    """The shapes of a body; planes are bodies of their own."""
    number = made.of_body[body]
    link = made.links[number]
    frictions = []
    for geom in geoms:
        placed = geometry.placed.get(geom)
        if placed is None:
            continue
        if isinstance(placed.shape, HalfSpace):
            _add_plane(compiled, geom, placed, link, made)
            continue
        link.pieces.append(placed)
        made.of_geom[geom] = number
        frictions.append(friction_of(compiled, geom))
    if frictions:
        link.material = friction_name(max(frictions))
        if min(frictions) < max(frictions):
            made.uneven.append(link.name)
    elif geoms:
        made.unseen.append(link.name)


def _add_plane(compiled: Compiled, geom: int, placed: Placed, link: Link, made: Links) -> None:
    name = _free_name(compiled.label("geom", geom), {one.name for one in made.links})
    if int(compiled.model.body_weldid[int(compiled.model.geom_bodyid[geom])]):
        raise InputError(f"geom {quote(name)} must not be a plane: its body moves")
    rotation, position = placed.pose
    made.of_geom[geom] = len(made.links)
    made.links.append(
        Link(
            name,
            link.position + link.rotation @ position,
            link.rotation @ rotation,
            pieces=[Placed(placed.shape)],
            material=friction_name(friction_of(compiled, geom)),
        )
    )


def _add_static(
    compiled: Compiled, geom: int, geometry: Geometry, made: Links, taken: set[str]
) -> None:
    """A geom of the world as a static body of its own."""
    placed = geometry.placed.get(geom)
    own = compiled.name("geom", geom)
    if placed is None:
        made.unseen.append(own or "world")
        return
    label = compiled.label("geom", geom) if own else f"world-geom-{geom}"
    name = _free_name(label, taken)
    if own and name != own:
        made.renamed.append(f"{quote(own[:60])} is {quote(name[:60])}")
    taken.add(name)
    rotation, position = placed.pose
    made.of_geom[geom] = len(made.links)
    made.links.append(
        Link(
            name,
            position,
            rotation,
            pieces=[Placed(placed.shape)],
            material=friction_name(friction_of(compiled, geom)),
        )
    )


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number where a body has it already."""
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name[:180]}-{count}"
    return found
