"""MuJoCo models (MJCF) as scenes, at their initial configuration `qpos0`.

How a model is read here, and where that differs from MuJoCo:

- Contact, joints and equality constraints are rigid: solref, solimp and armature are listed in a
  note and left out.
- Contact uses the triangles of a mesh itself, not its convex hull. Geoms with contype and
  conaffinity 0 are left out of contact; other masks are not followed.
- Bodies of one kinematic tree do not collide with each other (MuJoCo: parent and child only).
- Friction is the sliding coefficient; a pair takes the larger of the two, a body with several
  geoms the largest of them.
- Several joints of one body become one joint where that is exact, see `link_trees.joint_chains`.
- Controls are zero, see `mjcf.joints`.
- Bodies held by the world are static; their mass does not matter.
- The mass of a mesh is that of the solid it encloses.
"""

from pathlib import Path

import numpy as np

from dovetail.io.link_trees.assembly import Assembly
from dovetail.io.listed import listed
from dovetail.io.loaded_scene import LoadedScene
from dovetail.io.mistakes_in_file import mistakes_in
from dovetail.io.mjcf.bodies import TreeReader, friction_name
from dovetail.io.mjcf.document import Defaults, compiler_of, read_document
from dovetail.io.mjcf.equality import add_loops
from dovetail.io.mjcf.joints import read_actuators
from dovetail.io.mjcf.meshes import read_meshes
from dovetail.io.run_settings import Choice, RunSettings
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import numbers
from dovetail.model.scene import Scene
from dovetail.model.values import Array, Mistakes, positive

SECTIONS = ("compiler", "option", "default", "asset", "worldbody", "equality", "actuator")
STEP = 0.002  # [s] MuJoCo's default
GRAVITY = (0.0, 0.0, -9.81)
MAX_FRICTIONS = 60


def read(path: Path, files: MeshFolder) -> LoadedScene:
    """Read an MJCF file; included files and meshes must lie inside its folder."""
    with mistakes_in(path):
        return _read(path, files)


def _read(path: Path, files: MeshFolder) -> LoadedScene:
    root = read_document(path, files)
    found = Mistakes()
    compiler = compiler_of(root, found)
    defaults = Defaults.of(root, found)
    gravity, run, of_options = _options(root, found)
    meshes, of_assets = read_meshes(root, compiler, defaults, files, found)
    servos, of_actuators = read_actuators(root, defaults, found)
    tree = TreeReader(compiler, defaults, meshes, servos, found)
    for world in root.all("worldbody"):
        tree.read_world(world)
    for name in servos:
        if name not in tree.joint_names:
            found.append(f'an actuator names joint "{name[:60]}", which is not in the model')
    found.raise_if_any()

    scene = Scene(gravity=gravity)
    _group(tree)
    assembly = Assembly(scene, found)
    assembly.add(tree.links)
    of_equality = add_loops(root, scene, tree, assembly, defaults, found)
    notes = [*assembly.notes, *_friction_pairs(scene)]
    if not found:
        found.take(scene.build)
    found.raise_if_any()

    if tree.unseen:
        notes.append(f"geometry that takes no part in contact is left out: {listed(tree.unseen)}")
    if servos:
        notes.append(f"controls are zero for the actuators of joints {listed(servos)}")
    others = [element.tag[:60] for element in root.children if element.tag not in SECTIONS]
    unread = [
        *others, *compiler.unread, *of_options, *of_assets, *tree.unread, *of_actuators,
        *of_equality,
    ]  # fmt: skip
    if unread:
        notes.append(f"not supported and left out: {listed(unread)}")
    return LoadedScene(scene, run, path, notes)


def _options(root: Element, found: Mistakes) -> tuple[Array, RunSettings, list[str]]:
    """Gravity, the step, and the names of what was not read."""
    gravity, step, contact = np.array(GRAVITY), STEP, None
    unread: list[str] = []
    for option in root.all("option"):
        given = found.take(numbers, option, "gravity", 3, gravity)
        gravity = gravity if given is None else given
        steps = found.take(numbers, option, "timestep", 1, [step])
        if steps is not None:
            what = f"`timestep` of {option.who}"
            step = found.take(positive, float(steps[0]), what, "s") or step
        unread.extend(f"option {k}" for k in option.attributes if k not in ("gravity", "timestep"))
        for flags in option.all("flag"):
            if flags.attributes.get("gravity") == "disable":
                gravity = np.zeros(3)
            if flags.attributes.get("contact") == "disable":
                contact = Choice("none")
            unread.extend(f"flag {k}" for k in flags.attributes if k not in ("gravity", "contact"))
    return gravity, RunSettings(step=step, contact=contact), unread


def _group(tree: TreeReader) -> None:
    """Only trees of several bodies are groups."""
    members: dict[str | None, int] = {}
    for link in tree.links:
        if link.mass > 0 or link.pieces:
            members[link.group] = members.get(link.group, 0) + 1
    for link in tree.links:
        if members.get(link.group, 0) < 2:
            link.group = None


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
