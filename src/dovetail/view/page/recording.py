"""A result as the player needs it: surfaces once, poses, contacts and curves over time."""

import io
from functools import cached_property, partial
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model.shapes import HalfSpace
from dovetail.model.surface import Surface
from dovetail.results import Result
from dovetail.results.blocks import frame_blocks
from dovetail.view.appearance import body_colours, towards_viewer, up_direction
from dovetail.view.framing import view_points
from dovetail.view.page.charts import charts_of
from dovetail.view.page.contact_arrows import MAX_CONTACTS, contact_arrays
from dovetail.view.page.joint_marks import joint_marks
from dovetail.view.page.net_forces import net_force_arrays
from dovetail.view.page.packing import Streamed, write_packed
from dovetail.view.page.parents import parents
from dovetail.view.page.stream import FrameStream
from dovetail.view.skeleton import skeletons

XYZW = [1, 2, 3, 0]  # of quaternions w, x, y, z
QUATERNION_UNIT = 32767  # a 16-bit number encodes -1 to 1: angles to 0.003 degrees


class Recording:
    """One result under one title; `every` takes one frame of so many.

    With a `stream` the result is only where the run starts; frames come through the stream.
    """

    def __init__(
        self,
        result: Result,
        title: str = "result",
        every: int = 1,
        stream: FrameStream | None = None,
    ) -> None:
        if len(result.time) == 0:
            raise InputError("the result has no frame to show; was the run stopped at once?")
        if every < 1:
            raise InputError(f"`every` must be a number of frames >= 1, got {every}")
        self.result, self.title, self.every, self.stream = result, title, every, stream
        self.frames = np.arange(0, len(result.time), every)
        self.surfaces: list[Surface] = []  # each once
        self.shape_of: list[int] = []  # number of the surface of each body, -1: none
        known: dict[bytes, int] = {}
        for name in result.names:
            surface = result.scene.bodies[name].checked.surface
            if not len(surface.vertices):
                self.shape_of.append(-1)
                continue
            parts = (surface.vertices, surface.faces, surface.edges)
            key = b"".join(part.tobytes() for part in parts)
            if key not in known:
                known[key] = len(self.surfaces)
                self.surfaces.append(surface)
            self.shape_of.append(known[key])

    def packed(
        self, overlays: list[str], compress: bool = False, most_contacts: int = MAX_CONTACTS
    ) -> bytes:
        """All of it; `overlays` are the kinds that the page can ask for."""
        out = io.BytesIO()
        self.write_packed(out, overlays, compress, most_contacts)
        return out.getvalue()

    def write_packed(
        self,
        out: IO[bytes],
        overlays: list[str],
        compress: bool = False,
        most_contacts: int = MAX_CONTACTS,
    ) -> None:
        """Write what `packed` returns."""
        arrays = self._motion() | self._shapes() | net_force_arrays(self.result, self.frames)
        contacts, forces = contact_arrays(self.result, self.frames, most_contacts)
        charts, curves = charts_of(self.result)
        joints = joint_marks(self.result)
        kinds = ["forces", "contacts"] if len(contacts["contact/points"]) else []
        if self.stream is not None:
            kinds, charts = ["forces"], []
        kinds += ["joints"] if joints else []
        header = {
            "title": self.title,
            "live": self.stream is not None,
            "bodies": self._bodies(),
            "shapes": [
                {"faces": len(s.faces), "wires": len(s.wires), "points": len(s.points)}
                for s in self.surfaces
            ],
            "joints": joints,
            "skeletons": [
                {"body": one.body, "lines": one.lines.ravel().tolist()}
                for one in skeletons(self.result)
            ],
            "charts": charts,
            "forces": forces,
            "overlays": kinds + overlays,
            **self._view,
        }
        write_packed(out, header, arrays | contacts | curves, compress)

    @cached_property
    def _view(self) -> dict[str, Any]:
        up = up_direction(self.result)
        everything, moving = view_points(self.result)
        low, high = everything.min(axis=0), everything.max(axis=0)
        return {
            "up": up.tolist(),
            "towards": towards_viewer(up).tolist(),
            "centre": ((low + high) / 2).tolist(),
            "size": max(float(np.linalg.norm(high - low)), 1e-9),  # [m]
            "ground": float((everything @ up).min()),  # [m] along `up`
            "everything": everything.ravel().tolist(),  # [m] points around all parts
            "parts_that_move": moving.ravel().tolist(),
        }

    def _bodies(self) -> list[dict[str, Any]]:
        scene = self.result.scene
        rows = zip(
            self.result.names, body_colours(self.result), self.shape_of, parents(self.result)
        )
        return [
            {
                "name": name,
                "shape": shape,
                "colour": [round(c, 3) for c in colour],
                "motion": scene.bodies[name].motion,
                "mass": m if np.isfinite(m := float(scene.bodies[name].mass)) else None,
                "parent": parent,  # in the tree of joints; -1: the ground
                "endless": isinstance(scene.bodies[name].checked.shape, HalfSpace),
            }
            for name, colour, shape, parent in rows
        ]

    def _motion(self) -> dict[str, NDArray[Any] | Streamed]:
        stored = self.result.stored
        x0, R0 = np.array(stored.column("position")[0]), np.array(stored.column("rotation")[0])
        moves = np.zeros(len(x0), bool)
        for _, columns in frame_blocks(stored, ("position", "rotation")):
            moves |= (columns["position"] != x0).any(axis=(0, 2))
            moves |= (columns["rotation"] != R0).any(axis=(0, 2, 3))
        moving = np.flatnonzero(moves)
        blocks = partial(frame_blocks, stored, every=self.every)
        position = (columns["position"][:, moving] for _, columns in blocks(["position"]))
        turned = (columns["rotation"][:, moving] for _, columns in blocks(["rotation"]))
        quaternion = (np.rint(QUATERNION_UNIT * so3.to_quaternion(R)[..., XYZW]) for R in turned)
        speed = (
            np.linalg.norm(columns["velocity"][:, moving], axis=2)
            for _, columns in blocks(["velocity"])
        )
        poses = len(self.frames) * len(moving)
        rest = so3.to_quaternion(R0)[..., XYZW]
        return {
            "time": np.array(self.result.time[self.frames]),
            "moving": moving.astype("<i4"),
            "position": Streamed("<f4", 3 * poses, position),
            "quaternion": Streamed("<i2", 4 * poses, quaternion),
            "speed": Streamed("<f4", poses, speed),  # [m/s] of the centre of mass
            "rest_position": x0.astype("<f4"),
            "rest_quaternion": rest.astype("<f4"),
        }

    def _shapes(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {}
        for number, surface in enumerate(self.surfaces):
            arrays[f"shape/{number}/vertices"] = surface.vertices.astype("<f4")
            arrays[f"shape/{number}/faces"] = surface.faces.astype("<u4")
            arrays[f"shape/{number}/wires"] = surface.wires.astype("<u4")
            arrays[f"shape/{number}/points"] = surface.points.astype("<u4")
        return arrays
