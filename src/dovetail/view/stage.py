"""The bodies of a result on a viser scene: drawn once, then only moved.

Bodies with the same surface are one instanced mesh, so hundreds of equal parts cost one message.
"""

import numpy as np
import viser
from numpy.typing import NDArray

from dovetail.lie import so3
from dovetail.results import Result
from dovetail.view.appearance import body_colours, towards_viewer, up_direction


class Stage:
    """Draws the bodies of `result` and moves them to any frame."""

    def __init__(self, server: viser.ViserServer, result: Result) -> None:
        self.server = server
        self.names = list(result.names)
        self.positions = np.stack([result.position(n) for n in self.names], axis=1)
        rotations = np.stack([result.rotation(n) for n in self.names], axis=1)
        self.quaternions = so3.to_quaternion(rotations)
        self._batches: list[tuple[NDArray[np.intp], viser.BatchedMeshHandle]] = []
        self._single: list[tuple[int, viser.SceneNodeHandle]] = []
        self._draw(result)
        self._aim(result)

    def show(self, frame: int) -> None:
        """Move every body to its pose at `frame`."""
        x, q = self.positions[frame], self.quaternions[frame]
        with self.server.atomic():
            for members, batch in self._batches:
                batch.batched_positions = x[members].astype(np.float32)
                batch.batched_wxyzs = q[members].astype(np.float32)
            for index, node in self._single:
                node.position, node.wxyz = x[index], q[index]

    def _draw(self, result: Result) -> None:
        scene = self.server.scene
        colours = (np.array(body_colours(result)).reshape(-1, 3) * 255).astype(np.uint8)
        groups: dict[bytes, list[int]] = {}
        for index, name in enumerate(self.names):
            body = result.scene.bodies[name]
            if len(body.faces):
                key = body.vertices.tobytes() + body.faces.tobytes()
                groups.setdefault(key, []).append(index)
            elif len(body.edges):
                lines = body.vertices[body.edges].astype(np.float32)
                node = scene.add_line_segments(
                    f"/bodies/{index}", lines, colors=colours[index], thickness=2.0
                )
                self._single.append((index, node))
            elif len(body.vertices):
                cloud = scene.add_point_cloud(
                    f"/bodies/{index}",
                    body.vertices.astype(np.float32),
                    colors=colours[index],
                    point_size=0.01 * float(np.ptp(self.positions)) or 0.01,
                )
                self._single.append((index, cloud))
        for number, members in enumerate(groups.values()):
            body = result.scene.bodies[self.names[members[0]]]
            rows = np.array(members)
            batch = scene.add_batched_meshes_simple(
                f"/bodies/group{number}",
                body.vertices.astype(np.float32),
                body.faces.astype(np.uint32),
                batched_wxyzs=self.quaternions[0, rows].astype(np.float32),
                batched_positions=self.positions[0, rows].astype(np.float32),
                batched_colors=colours[rows],
                flat_shading=True,
                side="double",
                lod="off",
                cast_shadow=False,
                receive_shadow=False,
            )
            self._batches.append((rows, batch))

    def _aim(self, result: Result) -> None:
        """Look at everything that ever moves, from the front right and above."""
        up = up_direction(result)
        reach = [
            float(np.linalg.norm(result.scene.bodies[n].vertices, axis=1).max(initial=0.0))
            for n in self.names
        ]
        moving = [result.scene.bodies[n].motion != "static" for n in self.names]
        rows = np.flatnonzero(moving) if any(moving) else np.arange(len(self.names))
        spread = np.array(reach)[rows][None, :, None]
        low = (self.positions[:, rows] - spread).min(axis=(0, 1))
        high = (self.positions[:, rows] + spread).max(axis=(0, 1))
        centre, size = (low + high) / 2, max(float(np.linalg.norm(high - low)), 1e-6)
        camera = self.server.initial_camera
        self.server.scene.set_up_direction(up)
        camera.look_at = centre
        camera.position = centre + 1.05 * size * towards_viewer(up)
        camera.near, camera.far = size * 1e-3, size * 1e3
