"""Triangles with the part of the true surface that each stands for; they are halved onto it.

The corners of a triangle lie on the true surface, and its points go there by a map that is linear
in coordinates of the face: angle and height of a cylinder or cone, two angles of a torus, seen from
the centre of a sphere; planes bend at circular sides only. Neighbours share the map of their side,
so that the images of all triangles are the whole surface, and those of its halves are the image of
a triangle. How far points go, with x = sum l_i v_i in a triangle of corners v_i:
    S linear interpolated   |S(u) - x| <= (M_uu du^2 + 2 M_uv du dv + M_vv dv^2) / 8,
as it is at most half of sum l_i q(u - u_i), q the second derivatives, and the variance of a
coordinate over the corners is at most a quarter of the square of its extent (Filip, Magedson,
Markot 1986);
    sphere                  R - |x - c|,  |x - c|^2 = R^2 - sum l_i |v_i - x|^2 >= R^2 - h^2 / 3;
    circular side           r (1 - cos(theta / 2)).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dovetail.collision.bvh.tree import Bvh, build_bvh
from dovetail.model.values import Array
from dovetail.prove.surfaces.sides import GREAT, NOT_KNOWN, ROUND, STRAIGHT, TUBE, WITHIN
from dovetail.prove.surfaces.true_faces import BALL, PLANE, RING, TURNED, UNKNOWN, Face, Numbers

NEXT = [1, 2, 0]
WIDEST = 0.5 * np.pi  # [rad] of one triangle; wider ones have no bound
ON_AXIS = 1e-9  # of the largest radius of a triangle: a corner as near is on the axis
ROUNDED = 1.0 + 1e-9
UNEVEN = 0.46  # of a side: so that new corners do not fall on planes of symmetry
LONG = 8.0  # times: triangles whose longest side is so much longer than they are high


class Forms(NamedTuple):
    """The faces of a body as arrays; the last row is that of triangles that are themselves."""

    kind: Numbers  # (n + 1,)
    radius: Array
    slope: Array
    major: Array
    point: Array  # (n + 1, 3)
    axis: Array


def forms_of(faces: list[Face]) -> Forms:
    rows = [*faces, Face(PLANE)]
    columns = ("kind", "radius", "slope", "major", "point", "axis")
    return Forms(*(np.array([getattr(face, name) for face in rows]) for name in columns))


@dataclass(frozen=True, eq=False)
class Patches:
    """Triangles and wires (m) with what they stand for."""

    corners: Array  # (m, 3, 3) [m]; of a wire the last two are equal
    face: Numbers  # (m,) row of `forms`
    rule: Numbers  # (m, 3) of the side from corner k to the next
    about: Numbers  # (m, 3) row of `axes`
    wire: Numbers  # (m,)
    forms: Forms
    axes: Array  # (n, 6)

    def taken(self, rows: Numbers) -> "Patches":
        """Some of them."""
        return replace(
            self, corners=self.corners[rows], face=self.face[rows], rule=self.rule[rows],
            about=self.about[rows], wire=self.wire[rows],
        )  # fmt: skip

    @property
    def are_known(self) -> bool:
        """Whether all of them can be refined."""
        return not (np.any(self.rule == NOT_KNOWN) or np.any(self.kind == UNKNOWN))

    @property
    def kind(self) -> Numbers:
        return np.asarray(self.forms.kind[self.face])

    @property
    def exact(self) -> Numbers:
        """Which of them are themselves the true surface."""
        return np.asarray((self.kind == PLANE) & np.all(self.rule == STRAIGHT, axis=1))

    def mean_normal(self) -> Array:
        """(3,) of length 1 where all agree, 0 of wires."""
        v = self.corners
        normal = _unit(np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]))
        return np.asarray(normal.mean(axis=0)) if len(normal) else np.zeros(3)

    @property
    def sides(self) -> Array:
        """(3 m, 3) [m] from corner to corner."""
        return np.asarray((self.corners[:, NEXT] - self.corners).reshape(-1, 3))

    def seen_in(self, R: Array) -> "Patches":
        """Corners in a frame turned by R; for a tree alone, the true surface is not turned."""
        return replace(self, corners=self.corners @ R)

    def tree(self) -> Bvh:
        rows = np.arange(3 * len(self.corners)).reshape(-1, 3)
        rows[self.wire, 2] = rows[self.wire, 1]
        return build_bvh(self.corners.reshape(-1, 3), rows.astype(np.int32))

    def deviations(self) -> Array:
        """(m,) [m] between points of each and their places on the true surface, at most."""
        off = np.zeros(len(self.corners))
        for kind, bound in ((PLANE, _of_planes), (TURNED, _of_turned), (BALL, _of_balls),
                            (RING, _of_rings)):  # fmt: skip
            rows = np.flatnonzero(self.kind == kind)
            if len(rows):
                off[rows] = bound(self.taken(rows))
        off[(self.kind == UNKNOWN) | np.any(self.rule == NOT_KNOWN, axis=1)] = np.inf
        return np.asarray(ROUNDED * off)

    def deviation(self) -> float:
        """[m] of the worst."""
        return float(np.max(self.deviations(), initial=0.0))

    def halved(self, rows: Numbers, share: float = 0.5) -> "Patches":
        """Those of `rows` in two at `share` of the side that is bent most."""
        side = self._most_bent()
        parts = [self.taken(~rows)]
        wires = self.taken(rows & self.wire)
        if len(wires.corners):
            parts += wires._two(share)
        for k in range(3):
            cut = self.taken(rows & ~self.wire & (side == k))
            parts += cut._two_at(k, cut._middle(k, share)) if len(cut.corners) else []
        return self._joined(parts)

    def _most_bent(self) -> Numbers:
        """(m,) which side is farthest off the true surface; the longest of balls and rings."""
        bent = np.column_stack([self.sagitta(k) for k in range(3)])
        long = np.linalg.norm(self.corners - self.corners[:, NEXT], axis=-1)
        both_ways = (self.kind == BALL) | (self.kind == RING)
        return np.asarray(np.where(both_ways[:, None], long, bent).argmax(axis=1))

    def cut_across(self) -> "Patches | None":
        """Long triangles in two at their longest sides; None where there are none."""
        sides = np.linalg.norm(self.corners - self.corners[:, NEXT], axis=-1)
        v = self.corners
        double = np.linalg.norm(np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]), axis=1)
        long = (sides.max(axis=1) ** 2 > LONG * double) & ~self.wire & ~self.exact
        if not long.any():
            return None
        parts = [self.taken(~long)]
        for k in range(3):
            rows = self.taken(long & (sides.argmax(axis=1) == k))
            parts += rows._two_at(k, rows._middle(k, UNEVEN)) if len(rows.corners) else []
        return self._joined(parts)

    def _joined(self, parts: list["Patches"]) -> "Patches":
        return replace(
            self, corners=np.concatenate([one.corners for one in parts]),
            face=np.concatenate([one.face for one in parts]),
            rule=np.concatenate([one.rule for one in parts]),
            about=np.concatenate([one.about for one in parts]),
            wire=np.concatenate([one.wire for one in parts]),
        )  # fmt: skip

    def _two(self, share: float) -> list["Patches"]:
        a, b = self.corners[:, 0], self.corners[:, 1]
        m = self._middle(0, share)
        halves = (np.stack([a, m, m], axis=1), np.stack([m, b, b], axis=1))
        return [replace(self, corners=corners) for corners in halves]

    def _two_at(self, k: int, middle: Array) -> list["Patches"]:
        """Halves, cut from `middle` of the side from corner k to the corner across from it."""
        one, tip = NEXT[k], NEXT[NEXT[k]]
        v = self.corners
        cut, back, along = ((self.rule[:, c], self.about[:, c]) for c in (k, one, tip))
        inner = np.asarray([WITHIN[kind] for kind in range(5)])[self.kind], self.face
        made = []
        for corners, sides in (
            ((v[:, tip], v[:, k], middle), (along, cut, inner)),
            ((v[:, tip], middle, v[:, one]), (inner, cut, back)),
        ):
            rule, about = (np.column_stack([side[i] for side in sides]) for i in range(2))
            made.append(replace(self, corners=np.stack(corners, axis=1), rule=rule, about=about))
        return made

    def _middle(self, k: int, share: float) -> Array:
        """(m, 3) at `share` of the side from corner k, on the true surface."""
        p, q = self.corners[:, k], self.corners[:, NEXT[k]]
        middle = _between(np.stack([p, q], axis=1), share)
        rule, about = self.rule[:, k], self.about[:, k]
        for which, place in ((ROUND, _round_middle), (GREAT, _great_middle), (TUBE, _tube_middle)):
            rows = np.flatnonzero(rule == which)
            if len(rows):
                axis = self.axes[about[rows]]
                form = self.face[rows]
                radii = self.forms.radius[form], self.forms.major[form]
                middle[rows] = place(np.stack([p[rows], q[rows]], axis=1), share, axis, radii)
        return middle

    def sagitta(self, k: int) -> Array:
        """(m,) [m] of the side from corner k: r (1 - cos(theta / 2)) of circles, else 0."""
        off = np.zeros(len(self.corners))
        rows = np.flatnonzero(self.rule[:, k] == ROUND)
        if len(rows):
            axis = self.axes[self.about[rows, k]]
            e, r, _ = _polar(self.corners[rows][:, [k, NEXT[k]]], axis)
            angle = np.arccos(np.clip(np.einsum("ij,ij->i", e[:, 0], e[:, 1]), -1.0, 1.0))
            apart = np.linalg.norm(e[:, 0] - e[:, 1], axis=1)  # sharper for small angles
            angle = np.where(apart < 1.0, 2.0 * np.arcsin(0.5 * np.minimum(apart, 1.0)), angle)
            off[rows] = r.max(axis=1) * 2.0 * np.sin(0.25 * angle) ** 2
        return off


def frame_along(n: Array, sides: Array) -> Array:
    """(3, 3) axes as columns: the last along n, the first along most of the lengths of `sides`.

    `sides` (m, 3) [m] are of both signs. The axes of the world where n is 0.
    """
    size = float(np.linalg.norm(n))
    if not size > 0.0:
        return np.eye(3)
    n = n / size
    flat = sides - (sides @ n)[:, None] * n
    along = np.linalg.eigh(flat.T @ flat)[1][:, -1]
    along = along - (along @ n) * n
    along /= np.linalg.norm(along)
    return np.column_stack([along, np.cross(n, along), n])


def _unit(v: Array) -> Array:
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(np.divide(v, size, out=np.zeros_like(v), where=size > 0.0))


def _polar(x: Array, axis: Array) -> tuple[Array, Array, Array]:
    """Directions (m, k, 3), radii and heights (m, k) of points (m, k, 3) about axes (m, 6).

    A corner on the axis has the direction of another one.
    """
    arm = x - axis[:, None, :3]
    z = np.einsum("mki,mi->mk", arm, axis[:, 3:])
    across = arm - z[..., None] * axis[:, None, 3:]
    r = np.linalg.norm(across, axis=-1)
    e = _unit(across)
    far = np.argmax(r, axis=1)
    on_axis = r <= ON_AXIS * r.max(axis=1, keepdims=True)
    e = np.where(on_axis[..., None], e[np.arange(len(x)), far][:, None], e)
    return e, r, z


def _turned(e: Array, across: Array, to: Array, share: float) -> Array:
    """Unit vectors e turned by `share` of the angle to others, in their plane with `across`."""
    angle = share * np.arctan2(np.einsum("ij,ij->i", across, to), np.einsum("ij,ij->i", e, to))
    return np.asarray(np.cos(angle)[:, None] * e + np.sin(angle)[:, None] * across)


def _between(x: Array, share: float) -> Array:
    return np.asarray((1.0 - share) * x[:, 0] + share * x[:, 1])


def _round_middle(ends: Array, share: float, axis: Array, _: tuple[Array, Array]) -> Array:
    e, r, z = _polar(ends, axis)
    out = _turned(e[:, 0], np.cross(axis[:, 3:], e[:, 0]), e[:, 1], share)
    along = _between(z, share)[:, None] * axis[:, 3:]
    return np.asarray(axis[:, :3] + _between(r, share)[:, None] * out + along)


def _great_middle(ends: Array, share: float, axis: Array, radii: tuple[Array, Array]) -> Array:
    centre = axis[:, :3]
    return np.asarray(centre + radii[0][:, None] * _unit(_between(ends, share) - centre))


def _tube_middle(ends: Array, share: float, axis: Array, radii: tuple[Array, Array]) -> Array:
    minor, major = radii
    e, r, z = _polar(ends, axis)
    out = _turned(e[:, 0], np.cross(axis[:, 3:], e[:, 0]), e[:, 1], share)
    arm = _unit(np.stack([r - major[:, None], z], axis=-1))
    tube = _turned(arm[:, 0], np.column_stack([-arm[:, 0, 1], arm[:, 0, 0]]), arm[:, 1], share)
    off = (major + minor * tube[:, 0])[:, None] * out
    return np.asarray(axis[:, :3] + off + (minor * tube[:, 1])[:, None] * axis[:, 3:])


def _spread(e: Array, axis: Array, where: Numbers) -> Array:
    """(m,) [rad] extent of directions (m, 3, 3) about their axes, of corners `where`."""
    across = np.cross(axis[:, 3:], e[:, 0])
    angle = np.arctan2(
        np.einsum("mki,mi->mk", e, across), np.einsum("mki,mi->mk", e, e[:, 0])
    )  # fmt: skip
    high = np.where(where, angle, -np.inf).max(axis=1)
    extent = high - np.where(where, angle, np.inf).min(axis=1)
    return np.where(extent < WIDEST, extent, np.inf)


def _of_planes(patches: Patches) -> Array:
    return np.asarray(sum(patches.sagitta(k) for k in range(3)))


def _of_turned(patches: Patches) -> Array:
    forms, face = patches.forms, patches.face
    axis = np.concatenate([forms.point[face], forms.axis[face]], axis=1)
    e, r, z = _polar(patches.corners, axis)
    off_axis = r > ON_AXIS * r.max(axis=1, keepdims=True)  # at a tip lines are straight
    turn = _spread(e, axis, off_axis)
    high = np.where(off_axis, z, -np.inf).max(axis=1)
    tall = high - np.where(off_axis, z, np.inf).min(axis=1)
    return np.asarray((r.max(axis=1) * turn + 2.0 * np.abs(forms.slope[face]) * tall) * turn / 8.0)


def _of_balls(patches: Patches) -> Array:
    R = patches.forms.radius[patches.face]
    sides = patches.corners - patches.corners[:, NEXT]
    longest = np.linalg.norm(sides, axis=-1).max(axis=1)
    off = _short_of(R, longest**2 / 3.0)
    for k in range(3):
        is_round = patches.rule[:, k] == ROUND
        beside = patches.sagitta(k) + _short_of(R, longest**2 / 4.0)
        off = off + np.where(is_round, beside, 0.0)
    return np.asarray(off)


def _short_of(R: Array, square: Array) -> Array:
    """R - sqrt(R^2 - square), inf where that is not real."""
    left = np.maximum(R**2 - square, 0.0)
    return np.asarray(np.where(left > 0.0, square / (R + np.sqrt(left)), np.inf))


def _of_rings(patches: Patches) -> Array:
    forms, face = patches.forms, patches.face
    axis = np.concatenate([forms.point[face], forms.axis[face]], axis=1)
    minor, major = forms.radius[face], forms.major[face]
    e, r, z = _polar(patches.corners, axis)
    turn = _spread(e, axis, np.ones(r.shape, bool))
    tube = np.arctan2(z, r - major[:, None])
    tube = np.angle(np.exp(1j * (tube - tube[:, :1])))
    about = np.ptp(tube, axis=1)
    about = np.where(about < WIDEST, about, np.inf)
    bent = (major + minor) * turn**2 + 2.0 * minor * turn * about + minor * about**2
    return np.asarray(bent / 8.0)
