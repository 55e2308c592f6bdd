"""Bolts and nuts with screw threads, as closed meshes.

The ridge of a thread runs along z = P theta / 2 pi, right-handed. Its section is a trapezoid, half
a pitch wide at the pitch radius: w(r) = P/4 - (r - r_2) tan(a) to each side, with flanks at the
angle a to the radius (ISO 68-1: a = 30 degrees, d_2 = d - 0.6495 P, d_1 = d - 1.0825 P). Each end
of the thread is a flat face in a plane through the axis, beyond it the core goes on.
"""

from dataclasses import dataclass
from math import cos, pi, sqrt, tan

import numpy as np

from dovetail.errors import InputError
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.shapes.thread_wall import band, disc, hexagon, threaded_wall
from dovetail.model.values import Array, Mistakes, not_negative, positive

TO_PITCH, TO_ROOT = 0.32475952641916445, 0.5412658773652741  # of P: (d - d_2) / 2, (d - d_1) / 2


@dataclass(frozen=True)
class Thread:
    """A thread: nominal diameter [m], pitch [m] and the flanks' angle [rad] to the radius."""

    diameter: float
    pitch: float
    flank_angle: float = pi / 6

    def __post_init__(self) -> None:
        found = Mistakes()
        found.take(positive, self.diameter, "`diameter`", "m")
        found.take(positive, self.pitch, "`pitch`", "m")
        found.raise_if_any()
        if not 0 <= self.flank_angle <= 0.6:
            raise InputError(
                f"`flank_angle` must be 0 to 0.6 rad (30 degrees are 0.5236), got "
                f"{self.flank_angle:g}"
            )
        if 4 * self.pitch > self.diameter:
            raise InputError(
                f"`pitch` must be at most a quarter of the diameter {self.diameter:g} m, got "
                f"{self.pitch:g} m"
            )

    @property
    def major_radius(self) -> float:
        return self.diameter / 2

    @property
    def pitch_radius(self) -> float:
        return self.diameter / 2 - TO_PITCH * self.pitch

    @property
    def minor_radius(self) -> float:
        return self.diameter / 2 - TO_ROOT * self.pitch

    @property
    def lead_tangent(self) -> float:
        """tan(lead angle) at the pitch diameter: P / (pi d_2)."""
        return self.pitch / (2 * pi * self.pitch_radius)

    @property
    def self_locking_friction(self) -> float:
        """Least mu that holds a load: tan(l) / cos(l) / sqrt(1 + tan(a)^2 + tan(l)^2).

        Balance of torque about the axis of a normal force and friction up the helix at the pitch
        radius; tan(l) for a square thread of small lead, tan(l) cos(a) for a V-thread.
        """
        t = self.lead_tangent
        return t * sqrt(1 + t * t) / sqrt(1 + tan(self.flank_angle) ** 2 + t * t)

    def half_width(self, radius: float) -> float:
        """[m] of the ridge of a bolt at a radius."""
        return self.pitch / 4 - (radius - self.pitch_radius) * tan(self.flank_angle)


def bolt(
    thread: Thread,
    turns: float,
    *,
    segments: int = 48,
    rows: int = 1,
    plain: float | None = None,
    head: tuple[float, float] | None = None,
) -> Mesh:
    """A bolt along z; its thread begins at theta = 0, z = 0 and climbs for `turns`.

    Args:
        thread: its form.
        turns: of thread.
        segments: per turn.
        rows: of triangles across a flank.
        plain: [m] of bare core beyond each end of the thread; half a pitch where None.
        head: (width across flats, height) [m] of a hexagonal head below.
    """
    low, high = thread.minor_radius, thread.major_radius
    section = _section(thread, low, high, thread.half_width(low), thread.half_width(high), rows)
    wall = threaded_wall(section, thread.pitch, turns, segments, _bare(plain, thread))
    points, faces = [wall.vertices], [wall.faces, disc(wall.top, len(wall.vertices))]
    points.append(np.array([[0.0, 0.0, wall.z_top]]))
    count = len(wall.vertices) + 1
    bottom, z = wall.bottom, wall.z_bottom
    if head is not None:
        across = positive(head[0], "width of the head", "m")
        height = positive(head[1], "height of the head", "m")
        _refuse_thin(across / 2, high, "head")
        for at in (z, z - height):
            points.append(hexagon(across, segments, at))
            ring = np.arange(count, count + segments)
            faces.append(band(ring, bottom))
            bottom, count = ring, count + segments
        z -= height
    faces.append(disc(bottom[::-1], count))
    points.append(np.array([[0.0, 0.0, z]]))
    return Mesh(np.concatenate(points), np.concatenate(faces))


def nut(
    thread: Thread,
    turns: float,
    across: float,
    *,
    clearance: float = 0.0,
    segments: int = 48,
    rows: int = 1,
    plain: float | None = None,
) -> Mesh:
    """A hexagonal nut about z that fits `bolt`: its groove is the bolt's ridge grown on all sides.

    Its own ridge begins at theta = 0, z = 0, so it stands centred between the bolt's flanks where
    its origin is (k + 1/2) pitches above the bolt's. Chords of arcs take up to (r / 8) (2 pi /
    segments)^2 of the clearance.

    Args:
        thread: the bolt's.
        turns: of thread.
        across: [m] width across flats.
        clearance: [m] normal distance from the bolt's surface when centred.
        segments: per turn; other than the bolt's, so that corners do not all meet at once.
        rows: of triangles across a flank.
        plain: [m] of bare bore beyond each end of the thread; half a pitch where None.
    """
    c = not_negative(clearance, "`clearance`", "m")
    wide = c / cos(thread.flank_angle)
    low, high = thread.minor_radius + c, thread.major_radius + c
    _refuse_thin(positive(across, "`across`", "m") / 2, high, "nut")
    # the ridge of the nut, from its root (outside) to its crest, is what the groove leaves
    at_root = thread.pitch / 2 - thread.half_width(high) - wide
    at_crest = thread.pitch / 2 - thread.half_width(low) - wide
    if at_crest <= 0:
        raise InputError(f"`clearance` of {c:g} m leaves no thread in the nut; use a smaller one")
    section = _section(thread, high, low, at_root, at_crest, rows)
    wall = threaded_wall(section, thread.pitch, turns, segments, _bare(plain, thread))
    count = len(wall.vertices)
    lower, upper = (hexagon(across, segments, z) for z in (wall.z_bottom, wall.z_top))
    below, above = np.arange(count, count + segments), np.arange(segments) + count + segments
    inside = wall.faces[:, ::-1]
    around = [band(wall.bottom, below), band(below, above), band(above, wall.top)]
    return Mesh(np.concatenate([wall.vertices, lower, upper]), np.concatenate([inside, *around]))


def _section(
    thread: Thread, root: float, crest: float, at_root: float, at_crest: float, rows: int
) -> Array:
    """(2 rows + 2, 2): (z, r) of the ridge about z = 0, up one flank and down the other."""
    if at_crest <= 0 or 2 * at_root >= thread.pitch:
        raise InputError(f"a thread of this form has no crest or no root: {thread}")
    if rows < 1:
        raise InputError(f"`rows` must be 1 or more, got {rows!r}")
    s = np.linspace(0, 1, rows + 1)
    z, r = at_root + s * (at_crest - at_root), root + s * (crest - root)
    return np.concatenate([np.column_stack([-z, r]), np.column_stack([z, r])[::-1]])


def _bare(plain: float | None, thread: Thread) -> float:
    return thread.pitch / 2 if plain is None else positive(plain, "`plain`", "m")


def _refuse_thin(half: float, radius: float, what: str) -> None:
    if half <= radius:
        raise InputError(
            f"width across flats of the {what} must be more than {2 * radius:g} m, which the "
            f"thread takes, got {2 * half:g} m"
        )
