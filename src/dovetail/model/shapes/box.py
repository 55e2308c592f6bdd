"""A rectangular block."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dovetail.model.shapes.scene_form import Parameter, SceneForm
from dovetail.model.shapes.shape import MassProperties, Shape, length
from dovetail.model.surface import Surface
from dovetail.model.values import CopiedFields, Mistakes, frozen, vector3
from dovetail.runtime.options import named_parameters

# Corner k has x, y, z at the upper end where bits 2, 1, 0 of k are set.
CORNERS = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)]) - 0.5
FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip


@named_parameters
@dataclass(frozen=True, eq=False)
class Box(CopiedFields, Shape):
    """A block with edge lengths `size` = (x, y, z) [m], centred on its origin."""

    size: Any

    scene_form: ClassVar = SceneForm(
        (Parameter("size", "positive vector", "length"),),
        bare=True,
        about="A box with its centre at the origin.",
        example="[x, y, z]",
    )

    def mistakes(self) -> list[str]:
        found = Mistakes()
        size = found.take(vector3, self.size, "`size` of Box", "m")
        for axis, value in zip("xyz", () if size is None else size.tolist()):
            found.take(length, value, f"`size` along {axis} of Box")
        return found

    def surface(self) -> Surface:
        return _block(*np.asarray(self.size, dtype=float).tolist())

    def mass_properties(self) -> MassProperties:
        """V = abc, I_x = V (b^2 + c^2) / 12 and so on."""
        return _filled(*np.asarray(self.size, dtype=float).tolist())


@lru_cache(maxsize=64)  # scenes of many bodies have few different ones
def _block(x: float, y: float, z: float) -> Surface:
    return Surface.of(CORNERS * [x, y, z], FACES)


@lru_cache(maxsize=64)
def _filled(x: float, y: float, z: float) -> MassProperties:
    size = np.array([x, y, z])
    volume = float(np.prod(size))
    squares = size**2
    inertia = np.diag(volume * (squares.sum() - squares) / 12)
    return MassProperties(3, volume, frozen(np.zeros(3)), frozen(inertia))
