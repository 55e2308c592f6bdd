"""Assemblies whose size says that their unit is wrong."""

import numpy as np

from dovetail.errors import InputError
from dovetail.io.cad.parts import Part
from dovetail.model.values import quote

LARGEST, SMALLEST = 20.0, 1e-4  # [m] millimetres taken for metres, and the other way round


def refuse_odd_size(parts: list[Part], file: str) -> None:
    """Raises InputError where the largest part is 20 m or more, or less than 0.1 mm."""
    sizes = [float(np.linalg.norm(np.ptp(one.shape.surface().vertices, axis=0))) for one in parts]
    largest = int(np.argmax(sizes))
    size = sizes[largest]
    if SMALLEST <= size < LARGEST:
        return
    raise InputError(
        f"{file}: its largest part, {quote(parts[largest].name)}, is {size:.3g} m across; check the"
        " unit (--unit or `unit` of meshes and objects), or add --any-size or `any_size=True` if "
        "that is right"
    )
