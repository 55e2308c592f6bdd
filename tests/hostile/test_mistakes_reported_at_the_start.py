"""Mistakes that nothing refuses, or that were reported as something else, and what is said of them.

A row is a mistake, what is done, and a part of what is reported.
"""

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import DovetailError
from dovetail.io import load_scene

DOWN = (0, 0, -9.81)
CUBE = dt.Box((1, 1, 1)).surface()
HEAD = "version: 1\ngravity: [0, 0, -9.81]\nrun: {duration: 0.02, step: 0.01}\n"
BOX = "bodies: [{name: a, shape: {box: [1, 1, 1]}, density: 500%s}]\n"


def one(shape=None, gravity=DOWN, **options):
    scene = dt.Scene(gravity=gravity)
    scene.add_body("a", shape or dt.Box((1, 1, 1)), **({"density": 500} | options))
    return scene


def pair(floor=None, gravity=DOWN, **options):
    """A floor and a crate above it."""
    scene = dt.Scene(gravity=gravity)
    held = {"motion": "static", "position": (0, 0, -0.5)} | (floor or {})
    scene.add_body("floor", dt.Box((4, 4, 1)), **held)
    placed = {"density": 500, "position": (0, 0, 0.6)} | options
    scene.add_body("crate", placed.pop("shape", dt.Box((1, 1, 1))), **placed)
    return scene


def jointed(joint, scene=None, a="ground", b="a", name="j"):
    scene = scene or one()
    scene.add_joint(name, joint, a, b)
    return scene


def with_force(scene, body):
    scene.add_force("push", body, force=(1, 0, 0))
    return scene


def with_spring(scene, **options):
    scene.add_spring("rope", "ground", "a", (0, 0, 2), (0, 0, 0), **options)
    return scene


def with_wall(scene):
    scene.add_body("wall", dt.Box((1, 1, 1)), motion="static", position=(9, 0, 0))
    return scene


def pieces(shift, size=1.0):
    """Two closed cubes in one mesh."""
    vertices = np.concatenate((CUBE.vertices, size * CUBE.vertices + shift))
    return dt.Mesh(vertices, np.concatenate((CUBE.faces, CUBE.faces + 8)))


def said_at_start(scene, duration=0.02, step=0.01, contact="none", **options):
    return "\n".join(
        dt.simulate(scene, duration, step, contact, progress=False, **options).warnings
    )


PLANE = {"motion": "static"}
WARNED = [
    # what is held, driven or falls
    ("a joint between static bodies",
     lambda: said_at_start(jointed(dt.Fixed(), with_wall(pair()), "floor", "wall")),
     "joint 'j' has no effect: neither 'floor' nor 'wall' is moved by forces"),
    ("a joint of a static body",
     lambda: said_at_start(jointed(dt.Revolute(), pair(), b="floor")), "has no effect"),
    ("all bodies fixed", lambda: said_at_start(jointed(dt.Fixed())), "nothing will move: fixed"),
    ("a force on a static body", lambda: said_at_start(with_force(pair(), "floor")),
     "load 'push' has no effect: forces do not move 'floor'"),
    ("a spring without stiffness", lambda: said_at_start(with_spring(one())),
     "spring 'rope' has no effect: `stiffness` [N/m] and `damping` [N s/m] are both 0"),
    ("gravity upward over a box", lambda: said_at_start(pair(gravity=(0, 0, 9.81)), contact="sdf"),
     "pulls every body past the static ones"),
    ("gravity along y over a floor in z",
     lambda: said_at_start(pair(gravity=(0, -9.81, 0)), contact="sdf"), "check the direction of"),
    ("a crate beside its floor",
     lambda: said_at_start(pair(position=(8, 0, 0.6)), contact="sdf"), "lies where 'crate' falls"),
    ("a floor that is not static",
     lambda: said_at_start(pair({"motion": "dynamic", "density": 500}), contact="sdf"),
     "all bodies fall side by side for ever: none is held"),
    ("a crate in its floor under fields",
     lambda: said_at_start(pair(position=(0, 0, 0.3)), contact="sdf"), "by (0, 0, 0.2"),
    ("a crate in its floor under impulses",
     lambda: said_at_start(pair(position=(0, 0, 0.3)), contact="lcp"), "m, frees them"),
    # rotations
    ("the identity as x, y, z, w", lambda: said_at_start(one(rotation=(0, 0, 0, 1))),
     "if x, y, z, w was meant, give (1.0, 0.0, 0.0, 0.0)"),
    ("a quarter turn as x, y, z, w",
     lambda: said_at_start(one(rotation=(0, 0, 0.5**0.5, 0.5**0.5))), "half turn about"),
    # steps
    ("a step of seconds",
     lambda: said_at_start(pair(position=(0, 0, 2)), 2.0, 1.0, contact="lcp"),
     "in one step of 1 s a body falls 4.91 m, farther than 'crate' is long"),
    ("frames every thousand steps", lambda: said_at_start(one(), every=1000),
     "only its start and its end are recorded"),
    # lengths and masses
    ("a place in mm", lambda: said_at_start(pair(shape=dt.Box((0.1,) * 3), position=(0, 0, 600))),
     "check its `position` and units"),
    ("a part drawn far from its origin",
     lambda: said_at_start(one(dt.Mesh(CUBE.vertices + 4e3, CUBE.faces))),
     "from the origin of its own frame, which `position` places"),
    ("a mass in g with its inertia",
     lambda: said_at_start(one(density=None, mass=9e3, inertia=(40, 40, 40))), "for g (9 kg)"),
    ("a link in mm of few kg",
     lambda: said_at_start(one(dt.Box((80, 40, 50)), density=None, mass=1, inertia=(1, 1, 1))),
     "if its lengths are in mm, give `scale=1e-3` (0.102 m)"),
    ("a density in g/cm^3 with its inertia",
     lambda: said_at_start(one(density=None, mass=7.85, inertia=(7.85 / 6,) * 3)),
     "steel has 7850, not 7.85"),
    # meshes
    ("two pieces that cross", lambda: said_at_start(one(pieces((0.5, 0.3, 0.2)))),
     "volume and mass count overlapping parts twice"),
    ("a piece inside another", lambda: said_at_start(one(pieces((0, 0, 0), 0.5))),
     "which the mass counts twice; turn the faces of a cavity inward"),
    ("a mesh of points", lambda: said_at_start(one(dt.Mesh(CUBE.vertices))),
     "has no faces, so its `density` is in kg per point, and it has 4e+03 kg"),
]  # fmt: skip

REFUSED = [
    ("a motor on a fixed joint",
     lambda: jointed(dt.Fixed(actuation=[dt.Actuation(motor=1.0)])).build(),
     "leaves 0 motions, so nothing can drive or limit it"),
    ("a crate in its floor", lambda: said_at_start(pair(position=(0, 0, 0.3)), contact="ipc"),
     "moving 'crate' by (0, 0, 0.2"),
    ("IPC in capitals", lambda: said_at_start(pair(), contact="IPC"), "did you mean 'ipc'?"),
    ("a number for a scene file", lambda: dt.Scene.load(3), "must be the name of a scene file"),
]  # fmt: skip

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
STL = "solid a\nfacet normal 0 0 1\nouter loop\n"
MESHES = [
    ("an OBJ file named STL", "a.stl", OBJ * 9, "it is an OBJ file; rename it to .obj"),
    ("an STL file named OBJ", "a.obj", STL, "it is an STL file; rename it to .stl"),
    ("a pointer of Git LFS", "a.stl", LFS, "run `git lfs pull`"),
    ("a pointer named OBJ", "a.obj", LFS, "run `git lfs pull`"),
    ("a web page", "a.obj", "<html>404</html>", "a web page, not the mesh"),
    ("nothing", "a.stl", "", "it is empty"),
    ("a STEP file", "a.stp", "ISO-10303-21;", "give it to `dovetail prove`"),
    ("a vertex that is not there", "a.obj", OBJ + "f 1 2 99\n", "names vertex 99"),
]

LIMIT = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def robot(*joints):
    links = "".join(f'<link name="{name}">{MASS}</link>' for name in "abc"[: len(joints) + 1])
    made = ""
    for number, inside in enumerate(joints):
        parent, child = "abc"[number], "abc"[number + 1]
        made += (
            f'<joint name="j{number}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{child}"/>{LIMIT}{inside}</joint>'
        )
    return f'<robot name="r">{links}{made}</robot>'


def world(body, more=""):
    return f"<mujoco>{more}<worldbody>{body}</worldbody></mujoco>"


FILES = [
    ("a contact outside of run", "a.yaml", HEAD + "contact: ipc\n" + BOX % "",
     "it belongs under `run`: `run: {contact: ...}`"),
    ("two shapes", "a.yaml", HEAD + "bodies: [{name: a, shape: {box: [1, 1, 1], sphere: 1}}]\n",
     "`shape.sphere` is a second shape; give one, or both as `compound: [...]`"),
    ("a unit alone", "a.yaml", "version: 1\nunits: mm\n", "such as {length: mm} (keys: length,"),
    ("degrees in rad", "a.yaml", HEAD + BOX % ", rotation: {axis: [0, 0, 1], angle: 90}",
     "`units: {angle: deg}`): a"),
    ("TOML", "a.toml", "version = 1\n", "a scene is YAML or JSON, URDF or MJCF"),
    ("USD", "a.usda", "#usda 1.0\n", "export it as MJCF or URDF"),
    ("a result", "a.h5", "x", "is a result, not a scene; use dt.load"),
    ("Python", "a.py", "import dovetail\n", "is Python"),
    ("SDFormat", "a.sdf", '<sdf version="1.6"/>', "SDFormat is not read"),
    ("rpy in degrees", "a.urdf", robot('<origin rpy="0 0 90"/>'),
     "`rpy` is in rad, but is several turns, as if it were in degrees: j0"),
    ("a joint that follows itself", "a.urdf", robot('<mimic joint="j0"/>'), "another joint"),
    ("joints that follow each other", "a.urdf",
     robot('<mimic joint="j1"/>', '<mimic joint="j0"/>'), "joints j0, j1 must not follow each"),
    ("a body that is nowhere", "a.xml",
     world('<body name="far" pos="0 0 nan"><freejoint/><geom size="1"/></body>'),
     "place of body 'far' must be finite"),
    ("a broken mesh of a model", "a.xml",
     world('<body><freejoint/><geom type="mesh" mesh="m"/></body>',
           '<asset><mesh name="m" file="broken.stl"/></asset>'), "'broken.stl'"),
    ("a pointer for a mesh of a model", "a.xml",
     world('<body><freejoint/><geom type="mesh" mesh="m"/></body>',
           '<asset><mesh name="m" file="lfs.stl"/></asset>'), "lfs.stl is not there"),
]  # fmt: skip


def message_of(action):
    with pytest.raises(DovetailError) as error:
        action()
    return str(error.value)


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


@pytest.mark.filterwarnings("ignore::dovetail.contact.penalty.penetration.PenetrationWarning")
@pytest.mark.parametrize(("mistake", "action", "message"), WARNED, ids=[r[0] for r in WARNED])
def test_mistake_is_reported_at_the_start_of_a_run(mistake, action, message):
    assert message in action()


@pytest.mark.parametrize(("mistake", "action", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_mistake_is_refused(mistake, action, message):
    assert message in message_of(action)


@pytest.mark.parametrize(("mistake", "name", "text", "message"), MESHES, ids=[r[0] for r in MESHES])
def test_file_that_is_no_mesh_is_named_for_what_it_is(mistake, name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    said = message_of(lambda: one(dt.Mesh(tmp_path / name)).build())
    assert message in said
    assert said.count("rename it") <= 1 and f"rename it to {name[1:]}" not in said


@pytest.mark.parametrize(("mistake", "name", "text", "message"), FILES, ids=[r[0] for r in FILES])
def test_mistake_in_a_file_is_reported(mistake, name, text, message, tmp_path):
    if name.endswith(".xml"):
        pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")
    (tmp_path / name).write_text(text)
    (tmp_path / "broken.stl").write_text("x" * 200)
    (tmp_path / "lfs.stl").write_text(LFS)
    try:
        said = "\n".join(load_scene(tmp_path / name).notes)
    except DovetailError as error:
        said = str(error)
    assert message in said


RIGHT = [
    ("a crate on a floor", lambda: said_at_start(pair(), contact="sdf")),
    ("a half turn about x", lambda: said_at_start(one(rotation=(0, 1, 0, 0)))),
    ("a half turn about y", lambda: said_at_start(one(rotation=(0, 0, 1, 0)))),
    ("a throw past a floor", lambda: said_at_start(
        pair(position=(8, 0, 0.6), velocity=(-9, 0, 0)), contact="sdf")),
    ("two bodies far apart", lambda: said_at_start(
        pair({"motion": "dynamic", "density": 1}, gravity=(0, 0, 0), position=(1e4, 0, 0),
             velocity=(1, 0, 0), density=100))),
    ("a cavity", lambda: said_at_start(one(dt.Mesh(
        np.concatenate((CUBE.vertices, 0.5 * CUBE.vertices)),
        np.concatenate((CUBE.faces, CUBE.faces[:, ::-1] + 8)))))),
    ("a damper", lambda: said_at_start(with_spring(one(), damping=1))),
    ("a heavy casting", lambda: said_at_start(
        one(density=None, mass=7800, inertia=(1300, 1300, 1300)))),
]  # fmt: skip


@pytest.mark.parametrize(("scene", "action"), RIGHT, ids=[r[0] for r in RIGHT])
def test_scene_that_is_right_is_not_warned_of(scene, action):
    words = ("no effect", "half turn", "past the static", "side by side", "everything else",
             "twice", "for g (")  # fmt: skip
    assert not [word for word in words if word in action()]
