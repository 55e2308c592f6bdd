"""Pictures of a simulation as it is, and which body is at a pixel."""

import struct
import zlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.simulate.live.simulation import Simulation
from dovetail.view.raster import fill_triangles
from dovetail.view.render import Painter, fitting_camera

WIDTH, HEIGHT = 720, 480  # pixels
MARGIN = 2.0  # times what the bodies fill at the start, for them to move in


class LivePictures:
    """Draws the current state of a simulation, from one camera."""

    def __init__(self, simulation: Simulation, view: str = "corner") -> None:
        self._simulation = simulation
        with simulation.recording(None) as first:
            pass
        assert first.result is not None
        result: Result = first.result
        self._painter = Painter(result)
        camera = fitting_camera(result, [0], WIDTH / HEIGHT, view)
        self._camera = replace(camera, half_height=MARGIN * camera.half_height)

    def png(self) -> bytes:
        """The current state."""
        state = self._simulation.state
        self._painter.place(state.x[None], state.R[None])
        return _encoded(self._painter.picture(0, self._camera, WIDTH, HEIGHT))

    def at_pixel(self, column: float, row: float) -> tuple[int, Array] | None:
        """The body seen there and the world point on it; None where nothing is."""
        state, camera = self._simulation.state, self._camera
        depth, ids = np.full((HEIGHT, WIDTH), -np.inf), np.full((HEIGHT, WIDTH, 3), -1.0)
        for number, surface in self._painter.surfaces():
            world = surface.vertices @ state.R[number].T + state.x[number]
            screen = self._screen((world - camera.centre) @ camera.axes.T)
            own = np.full((len(surface.faces), 3), float(number))
            fill_triangles(np.ascontiguousarray(screen[surface.faces]), own, depth, ids)
        x, y = int(column), int(row)
        if not (0 <= x < WIDTH and 0 <= y < HEIGHT) or ids[y, x, 0] < 0:
            return None
        return int(ids[y, x, 0]), self.world_point(column, row, float(depth[y, x]))

    def _screen(self, seen: Array) -> Array:
        per_metre = HEIGHT / (2 * self._camera.half_height)
        return seen * [per_metre, -per_metre, per_metre] + [WIDTH / 2, HEIGHT / 2, 0.0]

    def depth_of(self, point: Array) -> float:
        """Of a world point, as `at_pixel` measures it."""
        seen = (point - self._camera.centre) @ self._camera.axes.T
        return float(self._screen(seen)[2])

    def world_point(self, column: float, row: float, depth: float) -> Array:
        """The world point at a pixel and a depth."""
        per_metre = HEIGHT / (2 * self._camera.half_height)
        seen = np.array([column - WIDTH / 2, HEIGHT / 2 - row, depth]) / per_metre
        return np.asarray(self._camera.centre + seen @ self._camera.axes)


def _encoded(image: NDArray[np.uint8]) -> bytes:
    """PNG of an (h, w, 3) image."""
    height, width, _ = image.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 1)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )
