"""Can a part be put in its place along a path? Where does it catch?

The part keeps its rotation and goes along straight legs to where it is in the assembly; all else
stays. The parameter is the distance from its place along the path [m].
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.joints import Fixed, Prismatic
from dovetail.model.scene import Scene
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array, quote
from dovetail.prove.motion.plan import Plan, plan_of
from dovetail.prove.surfaces.refinement import with_shapes

UP = "up"
BEYOND = 0.01  # of the size of the assembly: "up" ends that far above all other parts


class AssemblyPath(NamedTuple):
    """Of a part, from its place outwards."""

    part: str
    distances: Array  # (n,) [m] along the path
    places: Array  # (n, 3) [m] from its place


def assembling(scene: Scene, assemble: Any) -> tuple[Scene, AssemblyPath]:
    """A scene in which the part has three translations, and the path it takes."""
    if not isinstance(assemble, Mapping) or len(assemble) != 1:
        raise InputError(
            "`assemble` must name one part and its path, such as {'peg': 'up'} or {'peg': "
            f"[(0, 0, 0.04), (0, 0, 0)]}} [m] from its place, got {quote(assemble)}"
        )
    ((part, path),) = assemble.items()
    if part not in scene.bodies:
        known = ", ".join(list(scene.bodies)[:8])
        raise InputError(
            f"`assemble` names part {quote(part)}, which is not there (it has: {known})"
        )
    moving = _carried(scene, part)
    places = _places(scene.build(), part, moving, path)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    places = places[np.concatenate([[True], steps > 0.0])]
    if len(places) < 2:
        raise InputError(f"the path of part {quote(part)} must have a length")
    from_place = places[::-1]
    distances = np.concatenate(
        [[0.0], np.cumsum(np.linalg.norm(np.diff(from_place, axis=0), axis=1))]
    )

    def kept(name: str) -> bool:
        joint, a, b = scene.joints[name]
        return isinstance(joint, Fixed) and (a in moving) == (b in moving)

    made = with_shapes(
        scene, lambda name, shape: shape,
        lambda name: kept(name) or not {*scene.joints[name][1:]} & moving, frozenset({part}),
    )  # fmt: skip
    axes = dict(zip("xyz", np.eye(3).tolist(), strict=True))
    made.add_joint_chain(
        {_name(part, axis): Prismatic(axis=along) for axis, along in axes.items()}, "ground", part
    )
    return made, AssemblyPath(part, distances, from_place)


def assembly_plan(model: Model, assembly: AssemblyPath) -> Plan:
    """The plan of the scene that `assembling` made."""
    part, distances, places = assembly
    path = {_name(part, axis): places[:, k].tolist() for k, axis in enumerate("xyz")}
    plan = plan_of(model, None, path)
    assert plan.driven is not None and plan.course is not None
    from dovetail.prove.motion.course import course_of

    slopes = np.diff(places, axis=0) / np.diff(distances)[:, None]
    cubics = np.zeros((len(slopes), 3, 4))
    cubics[..., 0], cubics[..., 1] = places[:-1], slopes
    parameter = replace(
        plan.parameters[0], name=part, low=0.0, high=float(distances[-1]), quantity="length"
    )
    return Plan(
        [parameter], plan.moving, course_of(distances, cubics, np.zeros(3)),
        replace(plan.driven, corners=distances),
    )  # fmt: skip


def _name(part: str, axis: str) -> str:
    return f"{part} along {axis}"


def _carried(scene: Scene, part: str) -> set[str]:
    """The part and what is fixed to it, as far as it is not part of what stays."""
    moving = {part}
    while True:
        more = set(moving)
        for joint, a, b in scene.joints.values():
            if isinstance(joint, Fixed) and {a, b} & moving:
                more |= {
                    name for name in (a, b)
                    if name in scene.bodies and scene.bodies[name].given.motion == "dynamic"
                }  # fmt: skip
        if more == moving:
            return moving
        moving = more


def _places(model: Model, part: str, moving: set[str], path: Any) -> Array:
    """(n, 3) [m] from its place, which is the last."""
    if isinstance(path, str):
        if path != UP:
            raise InputError(
                f"the path of part {quote(part)} must be 'up' or a list of places [m], got "
                f"{quote(path)}"
            )
        return np.array([_upwards(model, part, moving), np.zeros(3)])
    try:
        places = np.array(path, dtype=float).reshape(-1, 3)
    except (TypeError, ValueError):
        places = np.zeros((0, 3))
    if not len(places) or not np.isfinite(places).all():
        raise InputError(
            f"the path of part {quote(part)} must be a list of places (x, y, z) [m] from where it "
            f"is in the assembly, got {quote(path)}"
        )
    return np.vstack([places, np.zeros((1, 3))])


def _upwards(model: Model, part: str, moving: set[str]) -> Array:
    """The translation against gravity that takes the part beyond all others."""
    g = float(np.linalg.norm(model.gravity))
    up = -model.gravity / g if g > 0.0 else np.array([0.0, 0.0, 1.0])
    own: list[float] = []
    others: list[float] = []
    for x, R, body in zip(model.position, model.rotation, model.bodies, strict=True):
        if len(body.surface.vertices) and not isinstance(body.shape, HalfSpace):
            heights = (body.surface.vertices @ R.T + x) @ up
            (own if body.name in moving else others).extend(heights.tolist())
    if not own or not others:
        raise InputError(f"part {quote(part)} and the others must have surfaces")
    rise = max(others) - min(own) + BEYOND * (max(own + others) - min(own + others))
    if not rise > 0.0:
        raise InputError(f"part {quote(part)} is above all others already; give its path as places")
    return np.asarray(rise * up)
