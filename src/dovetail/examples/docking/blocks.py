"""Closed meshes from curved blocks: each block is a grid of hexahedra, only their skin is kept."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dovetail.model import Mesh

Array = NDArray[np.float64]
Shaped = Callable[[Array, Array, Array], tuple[Array, Array, Array]]
"""From (u, v, w) in [0, 1]^3 to x, y, z [m]; must not turn left hands into right ones."""

SAME = 1e-9  # [m] corners closer than this are one
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0],
                    [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])  # fmt: skip
SIDES = np.array([[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6],
                  [3, 0, 4, 7]])  # fmt: skip


class Blocks:
    """Hexahedra of several blocks, joined where their corners coincide."""

    def __init__(self) -> None:
        self._corners: list[Array] = []  # (m, 8, 3) each

    def add(self, shaped: Shaped, cells: tuple[int, int, int]) -> None:
        """A block of so many cells along u, v and w."""
        index = np.stack(np.meshgrid(*(np.arange(n) for n in cells), indexing="ij"), -1)
        at = (index.reshape(-1, 1, 3) + CORNERS) / np.array(cells)
        self._corners.append(np.stack(shaped(at[..., 0], at[..., 1], at[..., 2]), axis=-1))

    def skin(self) -> Mesh:
        """The sides that belong to one hexahedron only, as triangles that face outward."""
        corners = np.concatenate(self._corners)
        places, first, number = np.unique(
            np.round(corners.reshape(-1, 3) / SAME), axis=0, return_index=True, return_inverse=True
        )
        sides = number.reshape(-1, 8)[:, SIDES].reshape(-1, 4)
        key = np.sort(sides, axis=1)
        _, which, count = np.unique(key, axis=0, return_index=True, return_counts=True)
        outer = sides[np.sort(which[count == 1])]
        faces = np.concatenate([outer[:, [0, 1, 2]], outer[:, [0, 2, 3]]])
        used, faces = np.unique(faces, return_inverse=True)
        vertices = corners.reshape(-1, 3)[first][used]
        assert len(places) >= len(vertices)
        return Mesh(vertices, faces.reshape(-1, 3))


def sector(x: tuple[float, float], radius: tuple[float, float], angle: tuple[float, float],
           lean: float = 0.0) -> Shaped:  # fmt: skip
    """Part of a tube about the x axis; `lean` [m/m] moves it inward as x grows."""

    def shaped(u: Array, v: Array, w: Array) -> tuple[Array, Array, Array]:
        along = x[0] + u * (x[1] - x[0])
        r = radius[0] + v * (radius[1] - radius[0]) - lean * u * (x[1] - x[0])
        phi = angle[0] + w * (angle[1] - angle[0])
        return along, r * np.cos(phi), r * np.sin(phi)

    return shaped


def plate(quad: list[tuple[float, float]], thick: float) -> Shaped:
    """A quadrangle (x, y), counter-clockwise from its lower left, of that thickness about z = 0."""
    a, b, c, d = (np.array(corner) for corner in quad)

    def shaped(u: Array, v: Array, w: Array) -> tuple[Array, Array, Array]:
        u, v = u[..., None], v[..., None]
        xy = (1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c)
        return xy[..., 0], xy[..., 1], (w - 0.5) * thick

    return shaped
