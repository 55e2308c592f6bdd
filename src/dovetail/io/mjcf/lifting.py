"""Robots that start with their feet in the floor are moved out of it.

MuJoCo pushes them out with a force; here the start itself must be free of penetration.
"""

import numpy as np

from dovetail.io.mjcf.collisions import Collisions
from dovetail.io.mjcf.compiled import Compiled
from dovetail.io.mjcf.geoms import Geometry
from dovetail.io.mjcf.joints import FREE
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array, quote

GAP = 1e-4  # of the size of the robot: how far above a plane it is put


def lift_out_of_planes(compiled: Compiled, geometry: Geometry, collisions: Collisions) -> list[str]:
    """Move trees on a free joint along the normals of planes they reach into; returns notes."""
    model, notes = compiled.model, list[str]()
    planes = [g for g, piece in geometry.placed.items() if isinstance(piece.shape, HalfSpace)]
    if not planes or compiled.disabled("contact"):
        return notes
    for joint in np.flatnonzero(model.jnt_type == FREE):
        root = int(model.jnt_bodyid[joint])
        inside = np.flatnonzero(model.body_rootid == model.body_rootid[root])
        geoms = [
            geom
            for geom, piece in geometry.placed.items()
            if int(model.geom_bodyid[geom]) in inside and not isinstance(piece.shape, HalfSpace)
        ]
        if model.body_parentid[root] or not geoms:
            continue
        for plane in planes:
            meeting = [
                g for g in geoms if collisions.meet[collisions.kind[g], collisions.kind[plane]]
            ]
            moved = _lifted(compiled, geometry, meeting, plane, int(model.jnt_qposadr[joint]))
            if moved:
                name = quote(compiled.label("body", root))
                floor = quote(compiled.label("geom", plane))
                notes.append(
                    f"{name} starts {moved:.3g} m inside {floor}, or nearer than that; it is moved "
                    "out by as much"
                )
    return notes


def _lifted(compiled: Compiled, geometry: Geometry, geoms: list[int], plane: int, at: int) -> float:
    """How far [m] the tree whose free joint has its position at q[at] had to be moved."""
    if not geoms:
        return 0.0
    points = np.concatenate([_vertices(compiled, geometry, geom) for geom in geoms])
    origin, normal = _plane(compiled, geometry, plane)
    gap = GAP * float(np.linalg.norm(np.ptp(points, axis=0)))
    lowest = float(np.min((points - origin) @ normal))
    if lowest >= 0.5 * gap:
        return 0.0
    compiled.data.qpos[at : at + 3] += (gap - lowest) * normal
    compiled.place()
    return gap - lowest


def _vertices(compiled: Compiled, geometry: Geometry, geom: int) -> Array:
    """(n, 3) [m] in the world."""
    x, R = compiled.frame(int(compiled.model.geom_bodyid[geom]))
    rotation, position = geometry.placed[geom].pose
    surface = geometry.placed[geom].shape.surface()
    return np.asarray((surface.vertices @ rotation.T + position) @ R.T + x)


def _plane(compiled: Compiled, geometry: Geometry, geom: int) -> tuple[Array, Array]:
    x, R = compiled.frame(int(compiled.model.geom_bodyid[geom]))
    rotation, position = geometry.placed[geom].pose
    normal = geometry.placed[geom].shape.unit_normal
    return x + R @ position, R @ rotation @ normal
