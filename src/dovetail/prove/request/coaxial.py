"""Axes of cylindrical faces, and pins in holes: joints that an assembly suggests."""

from dataclasses import dataclass

import numpy as np

from dovetail.io.cad.parts import Part, RoundFace
from dovetail.model.values import Array

PARALLEL = 1e-6  # sine of the angle between two directions that count as one
APART = 1e-5  # of the size: lines closer than this count as one
LOOSE = 0.25  # of the radius: a pin that is smaller than its hole by more does not guide


@dataclass(frozen=True)
class Axis:
    """A line, and the radius of the largest cylindrical face about it."""

    point: tuple[float, float, float]  # [m]
    direction: tuple[float, float, float]
    radius: float  # [m]

    def __str__(self) -> str:
        place = ", ".join(f"{1e3 * x:.4g}" for x in self.point)
        along = ", ".join(f"{x:.3g}" for x in self.direction)
        return f"({along}) through ({place}) mm"


def axes_of(part: Part) -> list[Axis]:
    """The distinct axes of the cylindrical faces of a part, the largest radius first."""
    size = float(np.linalg.norm(np.ptp(part.shape.surface().vertices, axis=0)))
    found: list[Axis] = []
    for face in sorted(part.round_faces, key=lambda face: -face.radius):
        if not any(_same_line(face, axis, size) for axis in found):
            found.append(Axis(face.point, face.axis, face.radius))
    return found


def _same_line(face: RoundFace, axis: Axis, size: float) -> bool:
    a, b = np.array(face.axis), np.array(axis.direction)
    off: Array = np.array(face.point) - np.array(axis.point)
    across = off - (off @ b) * b
    parallel = float(np.linalg.norm(np.cross(a, b))) < PARALLEL
    return parallel and float(np.linalg.norm(across)) < APART * size


def suggestions(parts: list[Part]) -> list[str]:
    """Joints in words for pins in holes: a face of one part about the same line as one of another.

    Of the two the one with the smaller radius is the pin.
    """
    found = []
    for i, a in enumerate(parts):
        for b in parts[i + 1 :]:
            size = float(np.linalg.norm(np.ptp(a.shape.surface().vertices, axis=0)))
            for face in a.round_faces:
                match = [
                    other
                    for other in b.round_faces
                    if _same_line(other, Axis(face.point, face.axis, face.radius), size)
                    and 0.0 < abs(other.radius - face.radius) < LOOSE * face.radius
                ]
                if match:
                    other = min(match, key=lambda one: abs(one.radius - face.radius))
                    pin, hole = (a, b) if face.radius < other.radius else (b, a)
                    gap = abs(face.radius - other.radius)
                    found.append(
                        f'--joint "{hole.name}_on_{pin.name}: revolute {hole.name} about '
                        f'{pin.name}, 0..90 deg" (radial clearance {1e3 * gap:.3g} mm)'
                    )
                    break
    return found
