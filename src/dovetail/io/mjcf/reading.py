"""MuJoCo models (MJCF) as scenes, at `qpos0` or at a keyframe.

MuJoCo's own compiler reads the file, so defaults, includes, frames, replicate, attach, composites
and masses from geometry are as it means them. How its model is made a scene, and where that differs
from MuJoCo:

- Contact, joints and equality constraints are rigid: their solref, solimp, margin and gap are not
  followed. Limits of joints give as in MuJoCo without contact, and are rigid under contact methods.
- How MuJoCo solves its soft constraints and steps (cone, impratio, solver, iterations, tolerances,
  integrator) is not followed: contact method and integrator are chosen here.
- Meshes collide as their convex hulls, as in MuJoCo. Masks, <exclude> and <pair> decide which
  bodies collide, not which geoms of a body.
- Friction is the sliding coefficient; a pair takes the larger of the two, a body with several
  geoms the largest of them.
- Controls are zero, or those of the keyframe, within their ranges.
- Bodies held by the world are static; their mass does not matter.

What is not followed is listed in one note by name.
"""

from pathlib import Path

import numpy as np

from dovetail.io.link_trees.assembly import Assembly
from dovetail.io.listed import listed
from dovetail.io.loaded_scene import LoadedScene
from dovetail.io.mistakes_in_file import mistakes_in
from dovetail.io.mjcf.actuators import read_actuators
from dovetail.io.mjcf.angles import angles_like_degrees, angles_like_radians, reversed_ranges
from dovetail.io.mjcf.bodies import Links, friction_name, read_links
from dovetail.io.mjcf.collisions import Collisions
from dovetail.io.mjcf.compiled import Compiled, compiled
from dovetail.io.mjcf.equality import add_equalities, held_by
from dovetail.io.mjcf.fluid import add_drag
from dovetail.io.mjcf.geoms import read_geometry
from dovetail.io.mjcf.joints import start_coordinates
from dovetail.io.mjcf.lifting import lift_out_of_planes
from dovetail.io.mjcf.options import left_out_options
from dovetail.io.mjcf.tendons import add_tendons
from dovetail.io.run_settings import Choice, RunSettings
from dovetail.io.safe_paths import MeshFolder
from dovetail.model.scene import Scene
from dovetail.model.values import Mistakes
from dovetail.scene_check.starting_pairs import meeting_at_the_start

MAX_FRICTIONS = 60


def read(path: Path, files: MeshFolder, *, keyframe: str | None = None) -> LoadedScene:
    """Read an MJCF file; included files and meshes must lie inside its folder."""
    with mistakes_in(path):
        return _read(path, files, keyframe)


def _read(path: Path, files: MeshFolder, keyframe: str | None) -> LoadedScene:
    model = compiled(path, files, keyframe)
    left_out = [*model.document.left_out, *left_out_options(model)]
    collisions = Collisions(model)
    geometry = read_geometry(model, collisions.geoms())
    lifted = lift_out_of_planes(model, geometry, collisions)
    servos = read_actuators(model)
    left_out += servos.left_out
    made = read_links(model, geometry, servos.joints, left_out)
    gravity = np.zeros(3) if model.disabled("gravity") else model.model.opt.gravity.copy()
    scene, found = Scene(gravity=gravity), Mistakes()
    assembly = Assembly(scene, found)
    assembly.add(made.links)
    found.raise_if_any()
    scene.count_coordinates(start_coordinates(model, scene))
    add_tendons(model, scene, servos.tendons, left_out, lambda body: held_by(body, made, assembly))
    of_equality = add_equalities(model, scene, made, assembly, left_out)
    _exclude(scene, made, assembly, collisions)
    _compensate_gravity(model, scene, made, assembly)
    add_drag(model, scene, made, assembly, left_out)
    notes = [f"MuJoCo: {sentence}" for sentence in model.warnings]
    notes += [*lifted, *assembly.notes, *of_equality, *_friction_pairs(scene)]
    found.take(scene.build)
    found.raise_if_any()
    meeting = _let_pass(scene)

    for sentence, names in (
        ("geometry that takes no part in contact is left out", made.unseen),
        ("meshes collide as their convex hulls, as in MuJoCo", geometry.hulls),
        ("meshes without volume do not collide", geometry.flat),
        ("names that stand for the world are changed", made.renamed),
        ("bodies that meet at the start do not collide with each other", meeting),
        ("geoms of one body differ in friction, the largest holds", made.uneven),
        ("geoms of one body differ in their masks, all of them collide",
         collisions.partly(_owners(made, assembly))),
        (
            "actuators keep their initial control until an effort or target of their joint is set",
            servos.names(),
        ),
        (
            "angles are in degrees without <compiler angle=\"radian\"/>, but these look like rad",
            angles_like_radians(model.document.text),
        ),
        (
            "angles are in rad by <compiler angle=\"radian\"/>, but these look like degrees",
            angles_like_degrees(model.document.text),
        ),
        (
            "ranges whose first end is the larger do not limit anything, as in MuJoCo",
            reversed_ranges(model.document.text),
        ),
        ("not supported and left out", left_out),
    ):  # fmt: skip
        if names:
            notes.append(f"{sentence}: {listed(names)}")
    contact = Choice("none") if model.disabled("contact") else None
    run = RunSettings(step=float(model.model.opt.timestep), contact=contact)
    return LoadedScene(scene, run, path, notes)


def _owners(made: Links, assembly: Assembly) -> dict[int, str]:
    """The body of the scene that has the shape of each geom."""
    return {geom: assembly.holder(link) for geom, link in made.of_geom.items()}


def _exclude(scene: Scene, made: Links, assembly: Assembly, collisions: Collisions) -> None:
    moving = {name for name, body in scene.bodies.items() if body.given.motion == "dynamic"}
    for a, b in collisions.excluded(_owners(made, assembly), moving):
        scene.exclude_contact(a, b)


def _let_pass(scene: Scene) -> list[str]:
    """Exclude the contact of bodies that start inside one another; their names in pairs."""
    pairs = meeting_at_the_start(scene)
    for a, b in pairs:
        scene.exclude_contact(a, b)
    return [f"{a} and {b}" for a, b in pairs]


def _compensate_gravity(model: Compiled, scene: Scene, made: Links, assembly: Assembly) -> None:
    """A body's `gravcomp` is a force against its weight."""
    gravity = np.asarray(scene.gravity)
    for body, part in enumerate(model.model.body_gravcomp):
        if part and body and gravity.any() and made.links[made.of_body[body]].mass > 0:
            name = assembly.holder(made.of_body[body])
            if name in scene.bodies and scene.bodies[name].given.motion == "dynamic":
                force = -float(part) * float(model.model.body_mass[body]) * gravity
                scene.add_force(f"gravity compensation of {name}"[:200], name, force=force)


def _friction_pairs(scene: Scene) -> list[str]:
    """The larger coefficient of two materials holds for their pair."""
    names = {body.given.material for body in scene.bodies.values()} - {None}
    values = sorted({float(name.split()[1]) for name in names})
    if len(values) > MAX_FRICTIONS:
        return [f"friction is left out: more than {MAX_FRICTIONS} different coefficients"]
    for i, low in enumerate(values):
        for high in values[i:]:
            scene.add_material_pair(friction_name(low), friction_name(high), friction=high)
    return []
