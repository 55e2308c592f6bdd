"""Scenes of rigid-ipc, the reference implementation of 'Intersection-free Rigid Body Dynamics'.

The physics of the file is followed. Where the reference itself departs from it, we differ:

- `torque` is in N m about the centre of mass; the reference multiplies by pi/180 and then by 2.
- A body with two fixed rotations keeps its true inertia; the reference replaces it by a sum of
  the two other moments for unit density.
- An open mesh is a surface [kg/m^2] also where its signed volume happens to be positive.
- Bodies of one `group_id` do not collide with each other; a dynamic body that shares the id of a
  static one still collides with all other static bodies.
- `is_dof_fixed` holds turns about the world axes, not components of the rotation vector, and a
  velocity along a fixed motion is dropped.
- The centre of mass is exact; the reference leaves up to 1e-4 m.
- `kinematic_poses` refer to the principal frame, whose signs the file leaves open: see
  `rigid_ipc.poses`.
- Friction belongs to the normal forces at the end of the step, whatever `iterations` of
  `friction_constraints` says (0 is none): with forces that lag an arch sways.
- An axis along which a mesh is flat keeps its scale when `dimensions` is given.

`newton_solver`, `homotopy_solver` and other keys without effect on this problem are listed in one
note, as are comments (keys that start with '#') and unknown keys.
"""

from pathlib import Path
from typing import Any

from dovetail.errors import InputError
from dovetail.io.json_text import parse_json
from dovetail.io.limits import MAX_ENTRIES
from dovetail.io.loaded_scene import LoadedScene
from dovetail.io.mistakes_in_file import mistakes_in
from dovetail.io.rigid_ipc.bodies import BodyReader
from dovetail.io.rigid_ipc.meshes import SceneMeshes
from dovetail.io.rigid_ipc.section import Section
from dovetail.io.rigid_ipc.settings import duration_and_step, run_settings
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.text_files import read_text
from dovetail.model.scene import Scene
from dovetail.model.values import Mistakes, quote, vector3

SCENE_TYPES = ("distance_barrier_rb_problem", "split_distance_barrier_rb_problem")


def read(path: Path, files: MeshFolder) -> LoadedScene:
    """Read a rigid-ipc scene; meshes come from the nearest `meshes` folder above it."""
    with mistakes_in(path):
        return _read(path, files)


def _read(path: Path, files: MeshFolder) -> LoadedScene:
    document = parse_json(read_text(path), path.name)
    if not isinstance(document, dict) or "rigid_body_problem" not in document:
        raise InputError(f"{path.name} must have a `rigid_body_problem`, got {quote(document)}")
    found = Mistakes()
    top = Section(document, "", found)
    problem = top.section("rigid_body_problem")
    _check_kind(top, found)
    _refuse_planar(document["rigid_body_problem"], path)

    gravity = problem.take("gravity", [0, 0, 0], vector3, "m/s^2")
    scene = Scene(gravity=gravity if gravity is not None else (0, 0, 0))
    notes: list[str] = []
    duration, step = duration_and_step(top)
    run = run_settings(top, problem, duration, step, notes)
    entries = problem.value("rigid_bodies", [])
    if not isinstance(entries, list) or len(entries) > MAX_ENTRIES:
        found.append(f"`rigid_bodies` must be a list of bodies, got {quote(entries)}")
        entries = []
    bodies = BodyReader(scene, SceneMeshes(path, files), duration, step, found)
    for index, entry in enumerate(entries):
        bodies.read(index, entry)
    problem.leave_unread()
    top.leave_unread()
    if not found:
        found.take(scene.build)
    found.raise_if_any()

    notes.extend(bodies.notes())
    unread = dict.fromkeys([*top.unread, *problem.unread, *bodies.unread])
    if unread:
        notes.append(f"keys without effect here: {', '.join(unread)}")
    return LoadedScene(scene, run, path, notes)


def _refuse_planar(problem: Any, path: Path) -> None:
    """Raise InputError for the authors' 2D scenes, whose vectors have two components."""
    if not isinstance(problem, dict):
        return
    bodies = problem.get("rigid_bodies")
    entries = (
        [entry for entry in bodies if isinstance(entry, dict)] if isinstance(bodies, list) else []
    )
    given = [("gravity", problem.get("gravity"))]
    for entry in entries:
        corners = entry.get("vertices")
        if isinstance(corners, list) and corners:
            given.append(("vertices", corners[0]))
    for name, vector in given:
        if isinstance(vector, list) and len(vector) == 2:
            raise InputError(
                f"{path.name} is a 2D scene: its `{name}` has two components, {quote(vector)}. "
                "Only 3D scenes are read; give vectors three components and bodies a thickness"
            )


def _check_kind(top: Section, found: Mistakes) -> None:
    kind = top.value("scene_type", SCENE_TYPES[0])
    if kind not in SCENE_TYPES:
        found.append(f"`scene_type` must be one of {', '.join(SCENE_TYPES)}, got {quote(kind)}")
    top.value("solver", None)
