"""Hypothesis strategies that build whole scenes of every kind the model knows."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from dovetail.model import joints as kinds
from dovetail.model.joints.registry import BUILT_IN
from dovetail.model.scene import Scene
from dovetail.model.shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    HalfSpace,
    Mesh,
    Placed,
    Sphere,
    Torus,
)
from dovetail.model.trajectories import PoseTable

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
sizes = st.floats(1e-3, 1e3)
vectors = st.tuples(numbers, numbers, numbers)
# Lengths and places of the parts of one body, in units of its size. With longer or more distant
# parts its mass would lie on a line to the last bit: a mistake in a scene, tested elsewhere.
ratios = st.floats(0.1, 10)
places = st.tuples(*[st.floats(-100, 100, allow_subnormal=False)] * 3)
names = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=12
).filter(lambda name: name.strip() and name.isprintable() and name != "ground")
awkward_names = st.sampled_from(["on", "null", "1e3", "~", "a: b", "- x", "#", "'", '"', "\\", "{"])
directions = st.sampled_from([(0, 0, 1), (1, 0, 0), (0.6, 0, 0.8), (-2, 1, 0.5)])

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
OUTWARD = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@st.composite
def rotations(draw):
    q = np.array(draw(st.tuples(*[st.floats(-1, 1)] * 4)))
    length = np.linalg.norm(q)
    q = q / length if length > 1e-3 else np.array([1.0, 0, 0, 0])
    if draw(st.booleans()):
        return q
    w, x, y, z = q
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


@st.composite
def meshes(draw):
    size = draw(sizes)
    corners = TETRAHEDRON * draw(st.tuples(ratios, ratios, ratios)) + draw(places)
    vertices = size * corners
    kind = draw(st.sampled_from(["solid", "sheet", "wire", "cloud", "large"]))
    scale = draw(st.sampled_from([1, 0.001, (1, 2, 3)]))
    if kind == "large":
        ball = Sphere(size, segments=16).surface()
        return Mesh(ball.vertices + vertices[0], ball.faces, scale=scale)
    faces = {"solid": OUTWARD, "sheet": OUTWARD[:1]}.get(kind)
    edges = [[0, 1], [1, 2]] if kind in ("wire", "sheet") else None
    shell = draw(st.sampled_from([True, 0.002])) if kind == "sheet" else None
    return Mesh(vertices, faces, edges, scale=scale, shell=shell)


def primitives(size):
    """Primitives with every length within a factor of ten of `size` [m]."""
    lengths = ratios.map(lambda ratio: size * ratio)
    return st.one_of(
        st.builds(Box, st.tuples(lengths, lengths, lengths)),
        st.builds(Sphere, lengths),
        st.builds(Cylinder, lengths, lengths, segments=st.sampled_from([32, 12])),
        st.builds(Capsule, lengths, lengths),
        st.builds(Cone, lengths, lengths),
        st.builds(lambda length: Torus(3 * length, length), lengths),
    )


@st.composite
def compounds(draw):
    """Parts of one size, near each other."""
    size = draw(sizes)
    position = places.map(lambda place: tuple(size * entry for entry in place))
    part = st.builds(Placed, primitives(size), position, rotations())
    return Compound(draw(st.lists(part, min_size=1, max_size=3)))


shapes = st.one_of(sizes.flatmap(primitives), meshes(), compounds())
actuations = st.builds(
    kinds.Actuation,
    lower=st.none() | st.floats(-10, 0),
    upper=st.none() | st.floats(0, 10),
    stiffness=st.floats(0, 1e5),
    damping=st.floats(0, 1e5),
    rest=numbers,
    friction=st.just(0.0) | sizes,
    motor=st.none() | numbers | st.tuples(st.sampled_from(["position", "velocity"]), numbers),
    effort_limit=st.none() | sizes,
)


def _add_body(draw, scene, name):
    motion = draw(st.sampled_from(["dynamic", "dynamic", "static", "kinematic"]))
    given = {
        "position": draw(vectors),
        "rotation": draw(st.none() | rotations()),
        "velocity": np.array(draw(vectors)),
        "angular_velocity": draw(vectors),
        "motion": motion,
        "group": draw(st.none() | names),
        "material": draw(st.none() | names),
        "fixed": draw(st.none() | st.tuples(*[st.booleans()] * 6)),
    }
    if draw(st.integers(0, 3)) == 0:
        given |= {"mass": draw(sizes), "inertia": (1.0, draw(st.floats(1, 1.5)), 1.5)}
    elif motion == "static" and draw(st.booleans()):
        given["shape"] = HalfSpace(draw(directions))
    else:
        given["shape"] = draw(shapes)
        given[draw(st.sampled_from(["density", "mass"]))] = draw(sizes)
    if motion == "kinematic":
        if draw(st.booleans()):
            given["moves_until"] = draw(sizes)
        else:
            times = np.cumsum(draw(st.lists(sizes, min_size=1, max_size=4)))
            turns = draw(
                st.none() | st.lists(rotations(), min_size=len(times), max_size=len(times))
            )
            given["trajectory"] = PoseTable(times, np.outer(times, (1.0, 2.0, 3.0)), turns)
    scene.add_body(name, **given)


def _add_joint(draw, scene, name, body):
    kind = draw(st.sampled_from(list(BUILT_IN.values())))
    given = {"point": draw(vectors), "axis": draw(directions)}
    if kind is kinds.Universal:
        given |= {"axis": (0, 0, 1), "axis2": (0, 3, 0)}
    if kind is kinds.Screw:
        given["pitch"] = draw(numbers)
    acting = draw(st.lists(actuations, max_size=kind.freedoms))
    if kind is kinds.Free:  # which has no axis for a motor
        acting = [replace(entry, motor=None) for entry in acting]
    scene.add_joint(name, kind(**given, actuation=tuple(acting)), "ground", body)


@st.composite
def scenes(draw):
    scene = Scene(gravity=draw(vectors))
    bodies = draw(st.lists(names | awkward_names, min_size=1, max_size=4, unique=True))
    for name in bodies:
        _add_body(draw, scene, name)
    for name in draw(st.lists(names, max_size=2, unique=True)):
        _add_joint(draw, scene, name, draw(st.sampled_from(bodies)))
    for name in draw(st.lists(names, max_size=2, unique=True)):
        body = draw(st.sampled_from(bodies))
        if draw(st.booleans()):
            frame = draw(st.sampled_from(["world", "body"]))
            point = draw(st.none() | vectors)
            scene.add_force(name, body, draw(vectors), draw(vectors), point, frame)
        else:
            rest = draw(st.none() | sizes)
            stiffness, damping = draw(sizes), draw(sizes)
            scene.add_spring(
                name, body, "ground", draw(vectors), draw(vectors), stiffness, damping, rest
            )
    if len(bodies) > 1 and draw(st.booleans()):
        friction = draw(st.sampled_from([0.3, (0.3, 0.2, 1e-3, 1e-2)]))
        scene.add_material_pair(bodies[0], bodies[-1], friction, 0.5, draw(st.none() | sizes), 0.25)
    return scene
