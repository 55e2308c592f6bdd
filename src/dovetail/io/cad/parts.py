"""A part of an assembly as a CAD file has it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.model.shapes.mesh import Mesh
from dovetail.model.values import Array


@dataclass(frozen=True)
class RoundFace:
    """A cylindrical face: a pin, or the wall of a hole."""

    point: tuple[float, float, float]  # [m] on its axis, in the frame of the assembly
    axis: tuple[float, float, float]
    radius: float  # [m]


class CadMesh(Mesh):
    """Triangles that stand for the true surface of a part.

    `deviation` [m]: how far the triangles may be from it. `finer(factor)` makes the same part with
    `factor` times as many segments; None where the file has nothing finer. `measured`: how many of
    its faces have no formula (splines, lofts, ...): their deviation is measured, not bounded.
    `true_faces`: the number of the face of each triangle, and what the faces are [m], None of those
    without a formula. `placing` [m]: how well the place of the part is known.
    """

    def __init__(
        self, vertices: Any, faces: Any, deviation: float = 0.0, finer: Any = None,
        measured: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(vertices, faces)
        self.deviation, self._finer, self.measured = deviation, finer, measured
        self.true_faces: tuple[Array, list[dict[str, Any] | None]] | None = None
        self.placing = 0.0

    def refined(self, factor: int) -> Mesh:
        """The part with finer triangles, or itself."""
        finer: Mesh = self if self._finer is None else self._finer(factor)
        return finer


@dataclass(frozen=True, eq=False)
class Part:
    """One part in its place."""

    name: str
    shape: Mesh
    position: Array  # (3,) [m]
    rotation: Array  # (3, 3)
    round_faces: tuple[RoundFace, ...] = ()


def unique_names(names: list[str]) -> list[str]:
    """The names with a number added where one appears again."""
    taken: set[str] = set()
    unique = []
    for name in names:
        plain = "".join(c if c.isprintable() else "_" for c in name).strip() or "part"
        chosen, count = plain, 1
        while chosen in taken or chosen == "ground":
            count += 1
            chosen = f"{plain}_{count}"
        taken.add(chosen)
        unique.append(chosen)
    return unique


def welded(vertices: Array, triangles: Any) -> tuple[Array, Any]:
    """Equal vertices as one, without the triangles that this leaves without an area."""
    distinct, rows, kept = welded_rows(vertices, triangles)
    return distinct, rows[kept]


def welded_rows(vertices: Array, triangles: Any) -> tuple[Array, Any, Array]:
    """The same with all triangles, and which of them have three corners."""
    distinct, number = np.unique(vertices, axis=0, return_inverse=True)
    rows = number.reshape(-1)[np.asarray(triangles)]
    a, b, c = rows.T
    return distinct, rows, (a != b) & (b != c) & (c != a)


def rigid(matrix: Array) -> tuple[Array, Array, float] | None:
    """Rotation, translation and scale of a (4, 4) matrix; None where it shears or mirrors."""
    A = matrix[:3, :3]
    scale = float(np.cbrt(abs(np.linalg.det(A))))
    if not (np.isfinite(scale) and scale > 0.0 and np.linalg.det(A) > 0.0):
        return None
    R = A / scale
    if np.max(np.abs(R.T @ R - np.eye(3))) > 1e-6:
        return None
    u, _, vt = np.linalg.svd(R)
    return u @ vt, matrix[:3, 3].copy(), scale
