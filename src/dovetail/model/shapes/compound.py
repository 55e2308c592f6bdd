"""Several shapes held together as one."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.model.shapes.shape import DIMENSION_NAMES, MassProperties, Shape, combined
from dovetail.model.surface import Surface, joined
from dovetail.model.values import (
    Array,
    CopiedFields,
    Mistakes,
    not_negative,
    quote,
    rotation_matrix,
    vector3,
)
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True, eq=False)
class Placed(CopiedFields):
    """A shape moved to `position` [m] and turned by `rotation` (3x3 or quaternion w, x, y, z).

    `weight` multiplies the density of the body: with density 1 it is the part's own density in
    kg/m^3 (or kg/m^2, kg/m, kg per point by its dimension); 0 makes a part without mass.
    """

    shape: Any
    position: Any = (0.0, 0.0, 0.0)
    rotation: Any = None
    weight: Any = 1.0

    def mistakes(self, what: str) -> list[str]:
        found = Mistakes()
        found.take(vector3, self.position, f"`position` of {what}", "m")
        if self.rotation is not None:
            found.take(rotation_matrix, self.rotation, f"`rotation` of {what}")
        found.take(not_negative, self.weight, f"`weight` of {what}")
        if isinstance(self.shape, Shape):
            found.extend(f"{what}: {sentence}" for sentence in self.shape.mistakes())
        else:
            found.append(
                f"`shape` of {what} must be a shape such as dt.Box, got {quote(self.shape)}"
            )
        return found

    @property
    def pose(self) -> tuple[Array, Array]:
        """Rotation (3, 3) and translation (3,) of the part in the compound's frame."""
        turn = np.eye(3) if self.rotation is None else rotation_matrix(self.rotation, "rotation")
        return turn, vector3(self.position, "position")


@named_parameters
@dataclass(frozen=True, eq=False)
class Compound(CopiedFields, Shape):
    """`parts` (`Placed` shapes, or bare shapes at the origin) as one rigid shape.

    Masses add up part by part; where parts overlap, both count. Parts that carry weight must
    have one dimension (all solids, or all open surfaces, ...).
    """

    parts: Any

    @property
    def placed(self) -> list[Placed]:
        """The parts, bare shapes placed at the origin."""
        return [part if isinstance(part, Placed) else Placed(part) for part in self.parts]

    def mistakes(self) -> list[str]:
        if not isinstance(self.parts, list | tuple) or not self.parts:
            return [
                "`parts` of Compound must be a list of dt.Placed shapes with at least one entry, "
                f"got {quote(self.parts)}"
            ]
        found = Mistakes()
        for row, part in enumerate(self.placed):
            found.extend(part.mistakes(f"part {row + 1} of Compound"))
        if not found:
            found.extend(self._weight_mistakes())
        return found

    def _weight_mistakes(self) -> list[str]:
        heavy = [part for part in self.placed if float(part.weight) > 0]
        kinds = sorted({part.shape.mass_properties().dimension for part in heavy}, reverse=True)
        if len(kinds) < 2:
            return []
        names = " and ".join(DIMENSION_NAMES[kind] for kind in kinds)
        return [
            f"parts of Compound with a weight must have one dimension, got {names}; "
            "set `weight` to 0 for the parts without mass"
        ]

    def surface(self) -> Surface:
        return joined([part.shape.surface().moved(*part.pose) for part in self.placed])

    def mass_properties(self) -> MassProperties:
        heavy = [part for part in self.placed if float(part.weight) > 0]
        if not heavy:
            return MassProperties(3, 0.0, np.zeros(3), np.zeros((3, 3)))
        return combined(
            [p.shape.mass_properties().weighted(float(p.weight)).moved(*p.pose) for p in heavy]
        )
