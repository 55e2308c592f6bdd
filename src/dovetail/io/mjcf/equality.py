"""Equality constraints of a compiled model: connect and weld as joints that close loops."""

import numpy as np

from dovetail.io.link_trees.assembly import Assembly
from dovetail.io.mjcf.bodies import Links
from dovetail.io.mjcf.compiled import Compiled
from dovetail.io.mjcf.coupled import PULLED, couple
from dovetail.model.joints import Fixed, Spherical
from dovetail.model.scene import Scene
from dovetail.model.values import GROUND_NAME, Array

CONNECT, WELD, JOINT, TENDON = range(4)
"""MuJoCo's numbers for the types of equality constraints (mjtEq)."""
KINDS = ("connect", "weld", "joint", "tendon")
TORQUE_SCALE = 10  # its place in the data of a weld
CLOSE = 1e-6  # [m, rad] a weld that is further off is not at its pose
CLOSED = 1e-6  # [m] ends that are as near are at one point: digits that a file left out


def add_equalities(
    compiled: Compiled, scene: Scene, made: Links, assembly: Assembly, left_out: list[str]
) -> list[str]:
    """Add a Spherical or Fixed joint for each that is active; returns notes."""
    model = compiled.model
    notes: list[str] = []
    if compiled.disabled("equality"):
        return ["equality constraints are disabled by a flag"] if model.neq else []
    for number in range(model.neq):
        kind = int(model.eq_type[number])
        word = KINDS[kind] if kind < len(KINDS) else "flex"
        name = compiled.name("equality", number) or f"{word}-{number + 1}"
        if not model.eq_active0[number]:
            notes.append(f"equality {name} starts inactive and stays so")
        elif kind in (JOINT, TENDON):
            notes += couple(compiled, number, name, scene, left_out)
        elif kind not in (CONNECT, WELD):
            left_out.append(f"equality {word} ({name})")
        else:
            _add(compiled, number, name, scene, made, assembly, left_out, notes)
    return notes


def _add(
    compiled: Compiled,
    number: int,
    name: str,
    scene: Scene,
    made: Links,
    assembly: Assembly,
    left_out: list[str],
    notes: list[str],
) -> None:
    model = compiled.model
    by_site = int(model.eq_objtype[number]) == int(compiled.mujoco.mjtObj.mjOBJ_SITE)
    objects = (int(model.eq_obj1id[number]), int(model.eq_obj2id[number]))
    bodies = tuple(int(model.site_bodyid[i]) if by_site else i for i in objects)
    ends = tuple(held_by(body, made, assembly) for body in bodies)
    if ends[0] == ends[1]:
        left_out.append(f"equality {name} (its ends do not move apart)")
        return
    frames = [_site(compiled, i) if by_site else compiled.frame(i) for i in objects]
    data = model.eq_data[number]
    if int(model.eq_type[number]) == CONNECT:
        anchors = (np.zeros(3), np.zeros(3)) if by_site else (data[0:3], data[3:6])
        first, second = (x + R @ a for (x, R), a in zip(frames, anchors))
        apart = float(np.linalg.norm(first - second))
        if apart > PULLED:
            notes.append(f"equality {name} starts {apart:.3g} m apart and is closed at the start")
        joint = Spherical(second, point_b=first) if apart > CLOSED else Spherical(second)
        scene.add_joint(_free_name(name, scene), joint, ends[1], ends[0])
        return
    if float(data[TORQUE_SCALE]) == 0.0:  # a weld that lets its bodies turn
        x1, x2 = _weld_points(frames, data, by_site)
        joint = Spherical(x1, point_b=x2) if np.linalg.norm(x1 - x2) > CLOSED else Spherical(x1)
        scene.add_joint(_free_name(name, scene), joint, ends[0], ends[1])
        return
    if float(data[TORQUE_SCALE]) != 1.0:
        left_out.append(f"torquescale (equality {name})")
    off = _weld_error(compiled, frames, data, by_site)
    if off > CLOSE:
        left_out.append(f"equality {name} (it starts {off:.2g} m or rad from the pose it welds)")
        return
    scene.add_joint(_free_name(name, scene), Fixed(frames[0][0]), ends[1], ends[0])


def _weld_error(
    compiled: Compiled, frames: list[tuple[Array, Array]], data: Array, by_site: bool
) -> float:
    """How far the second frame is from where the first wants it: R_2 = R_1 R_rel, one point."""
    (_, R1), (_, R2) = frames
    relative = np.eye(3)
    points = _weld_points(frames, data, by_site)
    if not by_site:
        rotation = np.zeros(9)
        compiled.mujoco.mju_quat2Mat(rotation, data[6:10])
        relative = rotation.reshape(3, 3)
    return max(
        float(np.max(np.abs(points[0] - points[1]))), float(np.max(np.abs(R1 @ relative - R2)))
    )


def _weld_points(
    frames: list[tuple[Array, Array]], data: Array, by_site: bool
) -> tuple[Array, Array]:
    """[m] Where the anchor is on the first and on the second end."""
    (x1, R1), (x2, R2) = frames
    return (x1, x2) if by_site else (x1 + R1 @ data[3:6], x2 + R2 @ data[0:3])


def _site(compiled: Compiled, site: int) -> tuple[Array, Array]:
    model = compiled.model
    x, R = compiled.frame(int(model.site_bodyid[site]))
    rotation = np.zeros(9)
    compiled.mujoco.mju_quat2Mat(rotation, model.site_quat[site])
    return x + R @ model.site_pos[site], R @ rotation.reshape(3, 3)


def held_by(body: int, made: Links, assembly: Assembly) -> str:
    """The body of the scene that a body of the model is, or is part of."""
    if body == 0:
        return GROUND_NAME
    return assembly.body_of(made.of_body[body])


def _free_name(name: str, scene: Scene) -> str:
    found, count = name, 1
    while found in scene.joints:
        count += 1
        found = f"{name[:180]}-{count}"
    return found
