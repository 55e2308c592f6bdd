"""The bodies of a rigid-ipc scene."""

from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.listed import listed
from dovetail.io.rigid_ipc.meshes import SceneMeshes, connected_parts, scale_of, scale_to
from dovetail.io.rigid_ipc.poses import pose_table
from dovetail.io.rigid_ipc.section import Section, flag, whole_number
from dovetail.io.written_rotations import from_roll_pitch_yaw
from dovetail.model.scene import Scene
from dovetail.model.shapes import Mesh
from dovetail.model.values import Array, Mistakes, number, positive, quote, vector3

KINDS = ("static", "kinematic", "dynamic")
HARMLESS = ("oriented", "ipc_comparison_enabled")


class BodyReader:
    """Adds the bodies of the file to a scene, collecting what is wrong with each."""

    def __init__(
        self, scene: Scene, meshes: SceneMeshes, duration: float, step: float, found: Mistakes
    ) -> None:
        self.scene, self.meshes, self.found = scene, meshes, found
        self.duration, self.step = duration, step
        self.unread: list[str] = []
        self.turned: list[str] = []  # bodies with a torque
        self.hinged: list[str] = []  # bodies with two fixed rotations
        self.stopped: list[str] = []  # bodies with a velocity along a fixed motion
        self.scripted: list[str] = []

    def read(self, index: int, entry: Any) -> None:
        """Add the body of one entry (several when it is split), unless it is disabled."""
        before = len(self.found)
        given = Section(entry, f"rigid_bodies[{index}]", self.found)
        if given.take("enabled", True, flag) is False:
            return
        split = given.take("split_components", False, flag)
        stem, shape = self._shape(given)
        placed = self._placement(given)
        for key in HARMLESS:
            given.value(key, None)
        given.leave_unread()
        self.unread.extend(given.unread)
        if len(self.found) > before or shape is None:
            return
        if not split:
            self._add(f"{stem}-{index}", shape, placed)
            return
        mistakes = shape.mistakes()
        self.found.extend(f"{given.where}: {sentence}" for sentence in mistakes)
        parts = [] if mistakes else self.found.take(connected_parts, shape.surface(), given.where)
        for number_, part in enumerate(parts or []):
            self._add(f"{stem}-{index}-part-{number_}", part, placed)

    def notes(self) -> list[str]:
        """Where these bodies are read differently from the reference."""
        notes = {
            "torque is in N m as written (the reference applies 2 pi/180 of it) on": self.turned,
            "two fixed rotations keep the true inertia (the reference replaces it) of": self.hinged,
            "velocities along fixed motions are dropped for": self.stopped,
            "scripted poses are turned from the nearest principal frame for": self.scripted,
        }
        return [f"{what} {listed(names, 6)}" for what, names in notes.items() if names]

    def _shape(self, given: Section) -> tuple[str, Mesh | None]:
        """A name's stem and the mesh, from its file or from the entry itself."""
        file = given.value("mesh", "")
        inline = {key: given.value(key, []) for key in ("vertices", "faces", "edges")}
        scale = given.take("scale", 1, scale_of)
        dimensions = given.value("dimensions", None)
        stem = str(given.value("name", "") or PurePosixPath(str(file)).stem or "mesh")
        if file == "":
            written = f"{given.where} itself"
            source: Path | str | None = self.meshes.keep(written, **inline)
        else:
            source = self.found.take(self.meshes.find, file, given.name("mesh"))
        if dimensions is not None and source is not None:
            whole = self.meshes.shape(source, np.ones(3))
            scale = self.found.take(scale_to, dimensions, whole, given.name("dimensions"))
        if source is None or scale is None:
            return stem, None
        return stem, self.meshes.shape(source, scale)

    def _placement(self, given: Section) -> dict[str, Any]:
        """The keywords of `Scene.add_body`, with `force`, `torque` and `poses` beside them."""
        kind = given.value("type", "dynamic")
        if kind not in KINDS:
            self.found.append(
                f"{given.name('type')} must be one of {', '.join(KINDS)}, got {quote(kind)}"
            )
        fixed = given.take("is_dof_fixed", False, _six_flags)
        if fixed is not None and all(fixed):
            kind = "static"
        turn = given.take("rotation", [0, 0, 0], vector3, "degrees")
        spin = given.take("angular_velocity", [0, 0, 0], vector3, "degrees/s")
        density = given.value("density", 1000)
        if kind == "dynamic":
            density = self.found.take(positive, density, given.name("density"), "kg/m^3")
        elif not isinstance(density, int | float) or not density > 0:
            density = None  # no mass is needed
        group = given.take("group_id", -1, whole_number)
        stop = given.take("kinematic_max_time", -1, number, "s")
        return {
            "motion": kind,
            "fixed": fixed,
            "density": density,
            "position": given.take("position", [0, 0, 0], vector3, "m"),
            "rotation": None
            if turn is None or not np.any(turn)
            else from_roll_pitch_yaw(np.deg2rad(turn)),
            "velocity": given.take("linear_velocity", [0, 0, 0], vector3, "m/s"),
            "angular_velocity": None if spin is None else np.deg2rad(spin),
            "group": None if group is None or group < 0 else f"group {group}",
            "force": given.take("force", [0, 0, 0], vector3, "N"),
            "torque": given.take("torque", [0, 0, 0], vector3, "N m"),
            "stop": np.inf if stop is None or stop < 0 else stop,
            "poses": given.take("kinematic_poses", [], _poses),
        }

    def _add(self, name: str, shape: Mesh, placed: dict[str, Any]) -> None:
        kind, fixed = placed["motion"], np.array(placed["fixed"])
        options = {k: v for k, v in placed.items() if k not in ("force", "torque", "stop", "poses")}
        if kind == "static":
            options |= {"velocity": np.zeros(3), "angular_velocity": np.zeros(3), "fixed": None}
        moving = np.concatenate([options["velocity"], options["angular_velocity"]])
        if np.any(moving[fixed]) and kind != "static":
            self.stopped.append(name)
            moving = np.where(fixed, 0.0, moving)
            options |= {"velocity": moving[:3], "angular_velocity": moving[3:]}
        if kind == "dynamic" and np.count_nonzero(fixed[3:]) == 2:
            self.hinged.append(name)
        if kind == "kinematic":
            options["fixed"] = None
            options |= self._script(name, shape, options, placed)
        self.scene.add_body(name, shape, **options)
        if kind == "dynamic" and (np.any(placed["force"]) or np.any(placed["torque"])):
            self.scene.add_force(f"load on {name}", name, placed["force"], placed["torque"])
            if np.any(placed["torque"]):
                self.turned.append(name)

    def _script(
        self, name: str, shape: Mesh, options: dict[str, Any], placed: dict[str, Any]
    ) -> dict[str, Any]:
        """How a kinematic body moves: through its poses, or until a time, or for ever."""
        positions, turns = placed["poses"]
        stop = float(placed["stop"])
        if stop == 0:
            return {"velocity": np.zeros(3), "angular_velocity": np.zeros(3)}
        if len(positions) == 0:
            return {"moves_until": stop} if np.isfinite(stop) else {}
        body = Scene().add_body(name, shape, **options)
        checked = self.found.take(lambda: body.checked)
        if checked is None:
            return {}
        self.scripted.append(name)
        two_fixed = np.count_nonzero(placed["fixed"][3:]) == 2
        table = pose_table(
            positions,
            turns,
            (checked.position, checked.rotation),
            None if two_fixed else checked.inertia,
            (options["velocity"], options["angular_velocity"]),
            self.step,
            min(stop, max(self.duration, self.step * len(positions))),
        )
        return {"trajectory": table}


def _six_flags(value: Any, what: str) -> tuple[bool, ...]:
    if isinstance(value, bool):
        return (value,) * 6
    if (
        not isinstance(value, list)
        or len(value) != 6
        or not all(isinstance(entry, bool) for entry in value)
    ):
        raise InputError(
            f"{what} must be true, false or six of them (x, y, z, rx, ry, rz), got {quote(value)}"
        )
    return tuple(value)


def _poses(value: Any, what: str) -> tuple[Array, Array]:
    """Positions [m] and rotation vectors [rad] of the rows; what a row leaves out is zero."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise InputError(f"{what} must be a list of poses, got {quote(value)}")
    found = Mistakes()
    positions, turns = [], []
    for number_, row in enumerate(value):
        where = f"{what}, entry {number_},"
        positions.append(found.take(vector3, row.get("position", [0, 0, 0]), where, "m"))
        turns.append(found.take(vector3, row.get("rotation", [0, 0, 0]), where, "rad"))
    found.raise_if_any()
    return np.array(positions).reshape(-1, 3), np.array(turns).reshape(-1, 3)
