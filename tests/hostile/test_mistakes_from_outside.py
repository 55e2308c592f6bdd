"""Mistakes that somebody made who did not know the package, and what is said of each.

A row is a mistake, what is done, and a part of what is reported: error, warning or note.
"""

import numpy as np
import pytest

import dovetail as dt
from dovetail.cli import main
from dovetail.errors import DovetailError
from dovetail.io import load_scene

DOWN = (0, 0, -9.81)
CUBE = dt.Box((1, 1, 1)).surface()
MASS = '<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01"/></inertial>'


def one(shape=None, **options):
    scene = dt.Scene(gravity=DOWN)
    scene.add_body("a", shape or dt.Box((1, 1, 1)), **({"density": 500} | options))
    return scene


def pair(**options):
    scene = dt.Scene(gravity=DOWN)
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    placed = {"density": 500, "position": (0, 0, 0.6)} | options
    scene.add_body("crate", dt.Box((1, 1, 1)), **placed)
    return scene


def hinged(*more, **acting):
    """A hinge about y, and further joints of the same two bodies."""
    scene = one()
    entries = [dt.Actuation(**acting)] if acting else []
    scene.add_joint("j", dt.Revolute((0, 0, 0.5), (0, 1, 0), actuation=entries), "ground", "a")
    for number, joint in enumerate(more):
        scene.add_joint(f"k{number}", joint, "ground", "a")
    return scene


def run(scene, duration=0.02, step=0.01, **options):
    return dt.simulate(scene, duration, step, **({"contact": "none", "progress": False} | options))


def loaded(add, *arguments, **options):
    scene = one()
    getattr(scene, add)("l", *arguments, **options)
    return run(scene)


def spring(point_a, point_b, **options):
    return loaded("add_spring", "ground", "a", point_a, point_b, **({"stiffness": 100} | options))


def with_half_space(normal):
    scene = one(position=(0, 0, 2))
    scene.add_body("plane", dt.HalfSpace(normal), motion="static")
    return scene


def driven(trajectory, **options):
    return run(one(motion="kinematic", trajectory=trajectory, **options))


def sheet(**options):
    return dt.Mesh(CUBE.vertices, CUBE.faces[2:], **options)


def scaled(scale):
    return dt.Mesh(CUBE.vertices, CUBE.faces, scale=scale)


PYTHON = [
    # bodies
    ("name and shape swapped", lambda: run(named(dt.Box((1, 1, 1)), "a")), "name of a body must"),
    ("a number for a name", lambda: run(named(1, dt.Sphere(1))), "must be a printable text, got 1"),
    ("a box of one length", lambda: run(one(dt.Box(1))), "`size` of Box must be 3 finite"),
    ("a density for a shape", lambda: dt.Box((1, 1, 1), density=5), "no option 'density'"),
    ("a shape class", lambda: run(one(dt.Box)), "must be a shape such as dt.Box"),
    ("a diameter", lambda: dt.Sphere(diameter=1), "Sphere() has no option 'diameter'"),
    ("an axis of a cylinder", lambda: dt.Cylinder(1, 2, axis="x"), "no option 'axis'"),
    ("units of a mesh", lambda: dt.Mesh(CUBE.vertices, CUBE.faces, units="mm"), "option 'units'"),
    ("a mesh scaled up", lambda: run(one(scaled(1000))), "1.73e+03 m long; if its file is in mm"),
    ("a sheet in mm", lambda: run(one(sheet(shell=2.0))), "a thickness of 2 m, but it is only"),
    ("fill as a switch", lambda: run(one(sheet(fill=True))), "one of holes, winding, hull"),
    ("parts in one another", lambda: run(one(dt.Compound([dt.Box((1, 1, 1)), dt.Sphere(0.5)]))),
     "parts 0 and 1 of the compound of body 'a' overlap"),
    ("a part of a pair", lambda: run(one(dt.Compound([(dt.Sphere(1), (0, 0, 1))]))),
     "`shape` of part 1 of Compound must be a shape"),
    ("one angle for a rotation", lambda: run(one(rotation=90)), "`rotation` of body 'a' must be"),
    ("a 4x4 rotation", lambda: run(one(rotation=np.eye(4))), "`rotation` of body 'a' must be"),
    ("a row for a velocity", lambda: run(one(velocity=np.ones((1, 3)))), "3 finite numbers in m/s"),
    ("a centre of mass in mm", lambda: run(one(density=None, mass=1, inertia=(1, 1, 1),
                                               center_of_mass=(80, 0, 0))),
     "the centre of mass of body 'a' is 79.5 m from its shape"),
    ("an inertia of one number", lambda: run(one(density=None, mass=1, inertia=1)), "`inertia`"),
    ("gravity in cm/s^2", lambda: run(gravity(0, 0, -981)), "`gravity` is 981 m/s^2 for parts"),
    ("gravity of two numbers", lambda: run(gravity(0, -9.81)), "3 finite numbers in m/s^2"),
    # joints and loads
    ("a joint without a name", lambda: one().add_joint(dt.Revolute(), "ground", "a"), "`body_b`"),
    ("a joint at the end", lambda: run(joined("j", "ground", "a", dt.Revolute())),
     "joint 'j' must be a joint such as dt.Revolute, got 'ground'"),
    ("hinges that cross", lambda: run(hinged(dt.Revolute((0, 0, 0), (1, 0, 0)))),
     "joints 'j', 'k0' together leave 'a' and 'ground' no motion"),
    ("a hinge and a slide", lambda: run(hinged(dt.Prismatic((0, 0, 0), (0, 1, 0)))),
     "no motion against each other"),
    ("an arm in mm", lambda: run(arm(500)), "joint 'j1' at (500, 0, 0) m is 498 m from what it"),
    ("a motor by its kind", lambda: run(hinged(motor="position")), "`motor` of coordinate 1"),
    ("an effort below zero", lambda: run(hinged(motor=1.0, effort_limit=-1)), "`effort_limit`"),
    ("a damper below zero", lambda: run(hinged(damping=-1)), "`damping` of coordinate 1"),
    ("a direction by word", lambda: loaded("add_force", "a", "down"), "3 finite numbers in N"),
    ("a force on a lever in mm", lambda: loaded("add_force", "a", (0, 0, 1), point=(500, 0, 0)),
     "is 500 m from 'a', which is 1.73 m long"),
    ("a spring in mm", lambda: spring((0, 0, 1), (0, 0, 500)), "`point_b` of load 'l'"),
    ("a spring of no length", lambda: spring((0, 0, 0), (0, 0, 0), rest_length=1),
     "spring 'l' has no direction"),
    ("the weight as a force", lambda: loaded("add_force", "a", (0, 0, -4905)),
     "load 'l' is the weight of 'a', which `gravity` of the scene gives it already"),
    # motion
    ("kinematic without motion", lambda: run(one(motion="kinematic")), "so it stands still"),
    ("a trajectory of a number", lambda: driven(lambda t: t), "must return (position, rot"),
    ("a trajectory that fails", lambda: driven(lambda t: 1 / 0), "ZeroDivisionError"),
    ("a trajectory from elsewhere", lambda: driven(lambda t: ((5 + t, 0, 0), (1, 0, 0, 0)),
                                                   position=(1, 0, 0)), "begins 4 m and 0 degrees"),
    # contact
    ("a material of no pair", lambda: run(pair(material="ice"), contact="sdf"),
     "no pair of materials names 'ice', of which 'crate' is"),
    ("friction of a run", lambda: run(pair(), friction=0.3), "simulate() has no option 'friction'"),
    ("methods in a list", lambda: run(pair(), contact=["ipc"]), "`contact` must be None or an obj"),
    ("a plane that looks down", lambda: run(with_half_space((0, 0, -1))), "fall away from it"),
    ("an integrator class", lambda: run(one(), integrator=dt.integrators.RATTLie), "integrator"),
    # runs
    ("half a step", lambda: run(one(), every=1.5), "whole number of steps >= 1, got 1.5"),
    ("an event of a number", lambda: run(one(), events=[dt.Event("x", 3.0)]), "function"),
    ("an event of no arguments", lambda: run(one(), events=[dt.Event("x", lambda: 1.0)]), "'x'"),
    ("a watcher that is none", lambda: run(one(), on_step=3), "`on_step`"),
    ("a folder for a result", lambda: dt.load("."), "must be a plain file"),
]  # fmt: skip


def named(name, shape):
    scene = dt.Scene()
    scene.add_body(name, shape)
    return scene


def gravity(*given):
    scene = one()
    scene.gravity = given
    return scene


def joined(*arguments):
    scene = one()
    scene.add_joint(*arguments)
    return scene


NAMES = [
    (dt, "Hinge", "Revolute"), (dt, "Cube", "Box"), (dt, "box", "Box"), (dt, "World", "Scene"),
    (dt, "Slider", "Prismatic"), (dt, "Simulate", "simulate"), (dt.contact, "Penalty", "SDF"),
    (dt.contact, "Ipc", "IPC"), (dt.integrators, "RATLie", "RATTLie"),
]  # fmt: skip

HEAD = "version: 1\ngravity: [0, 0, -9.81]\nrun: {duration: 0.02, step: 0.01, contact: none}\n"
BODY = HEAD + "bodies:\n  - {name: a, shape: {box: [1, 1, 1]}, density: 500%s}\n"
JOINT = BODY % "" + "joints:\n  - {name: j, type: revolute, bodies: [ground, a]%s}\n"
SCENES = [
    ("friction of a body", BODY % ", friction: 0.5", "give it for a pair of bodies or materials"),
    ("a static flag", BODY % ", static: true", "give `motion: static`"),
    ("a colour", BODY % ", color: red", "bodies have no colour"),
    ("pos", BODY % ", pos: [1, 0, 0]", "give `position: [x, y, z]`"),
    ("rpy", BODY % ", rpy: [0, 0, 1]", "give `rotation: [w, x, y, z]`"),
    ("a mesh of a body", BODY % ", mesh: a.stl", "it belongs under `shape`"),
    ("units of a body", BODY % ", units: cm", "one `units: {length: mm}` at the top of the file"),
    ("a parent", JOINT % ", parent: ground", "give `bodies: [parent, child]`"),
    ("limits", JOINT % ", limits: [-1, 1]", "give `actuation: [{lower: ..., upper: ...}]`"),
    ("a damper of a joint", JOINT % ", damping: 1", "it belongs under `actuation`"),
    ("numbers in a text", BODY % ", position: 1 2 3", "`position` must be a list, got '1 2 3'"),
    ("a minus of a text program", BODY % ", position: [0, 0, −1]", "must be a finite number"),
    ("a merge key", BODY % ", <<: *x", "merge keys (<<) are not allowed"),
    ("a unit beside a number", BODY % ", angular_velocity: [0, 0, 90deg]", "got '90deg'"),
    (
        "a formula for a motor",
        JOINT % ", actuation: [{motor: sin(t)}]",
        "must be a constant effort",
    ),
]

LIMIT = '<axis xyz="0 0 1"/><limit %s effort="1" velocity="1"/>'
ROBOT = (
    f'<robot name="r"><link name="a">{MASS}</link><link name="b">%s</link><joint name="j" '
    'type="%s"><parent link="a"/><child link="b"/>%s</joint></robot>'
)
TURN = LIMIT % 'lower="-1" upper="1"'
TWO = '<collision><geometry><box size="1 1 1"/><sphere radius="1"/></geometry></collision>'
SMALL = '<collision><geometry><box size=".1 .1 .1"/></geometry></collision>'
FAR = ROBOT.replace("</link>", SMALL + "</link>") % (MASS, "revolute", "%s")
CENTRE = MASS.replace("<mass", '<origin xyz="0 0 80"/><mass')
URDF = [
    ("two shapes in a geometry", ROBOT % (MASS + TWO, "revolute", TURN), "one shape, got 2"),
    ("a limit without numbers", ROBOT % (MASS, "revolute", LIMIT % ""), "so that they hold still"),
    ("an effort of zero", ROBOT % (MASS, "revolute", TURN.replace('effort="1"', 'effort="0"')),
     "limits of effort or velocity of 0 or below are taken as none: j"),
    ("a mass without moments", ROBOT % ('<inertial><mass value="1"/></inertial>', "revolute", TURN),
     "links with mass but no moments of inertia are balls of 1 mm radius: b"),
    ("a mass as text", ROBOT % ("<inertial><mass>1</mass></inertial>", "revolute", TURN), "value"),
    ("a scale of one number", ROBOT % (
        f'{MASS}<visual><geometry><mesh filename="a.stl" scale="0.001"/></geometry></visual>',
        "revolute", TURN), "`scale` of <mesh>"),
    ("a joint in mm", FAR % ('<origin xyz="0 0 500"/>' + TURN),
     "is 500 m from everything else"),
    ("a centre of mass in mm", ROBOT % (CENTRE + SMALL, "revolute", TURN),
     "the centre of mass of body 'b' is 80 m from its shape"),
]  # fmt: skip

RADIAN = '<mujoco><compiler angle="radian"/><worldbody>%s</worldbody></mujoco>'
MJCF = [
    ("degrees in rad", RADIAN % '<body euler="0 0 90"><freejoint/><geom size=".1"/></body>',
     'these look like degrees: <body euler="0 0 90">'),
    ("commas", "<mujoco><worldbody><body pos='0, 0, 1'/></worldbody></mujoco>", "bad format in"),
    ("a colour", "<mujoco><worldbody><geom size='1' colour='1 0 0 1'/></worldbody></mujoco>",
     "unrecognized attribute: 'colour'"),
]  # fmt: skip

COMMANDS = [
    ("a scene without a command", ["ok.yaml"], "did you mean `dovetail run ok.yaml`?"),
    ("a folder that is not there", ["run", "ok.yaml", "--allow-path", "no"], "must be folders"),
    ("an export to no folder", ["export", "ok.h5", "no/a.glb"], "'no/a.glb' must be in a folder"),
    ("incidences that are not there", ["topology", "no.txt"], "there is no file no.txt"),
    ("a result for a scene", ["run", "ok.h5"], "is a result, not a scene"),
    ("a scene for an output", ["run", "ok.yaml", "--out", "ok.yaml"], "with the ending .h5"),
    ("a keyframe of YAML", ["run", "ok.yaml", "--keyframe", "home"], "is for MJCF files"),
    ("a unit of a duration", ["run", "ok.yaml", "--duration", "1s"], "'1s' is not a valid float"),
    (
        "options of a method",
        ["run", "ok.yaml", "--contact", "ipc,friction=0.3"],
        "known: none, ipc",
    ),
    ("a sweep of a word", ["prove", "ok.yaml", "--sweep", "j"], 'such as "hinge: 0..90 deg"'),
]


@pytest.fixture(autouse=True)
def quiet(monkeypatch, tmp_path):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")
    monkeypatch.chdir(tmp_path)


def reported(action):
    try:
        outcome = action()
    except DovetailError as error:
        return str(error)
    return "\n".join(getattr(outcome, "warnings", ()))


def of_file(path):
    """What is said when a file is read, and when its scene is run."""
    try:
        loaded = load_scene(path)
        return "\n".join((*loaded.notes, *run(loaded.scene).warnings))
    except DovetailError as error:
        return str(error)


@pytest.mark.parametrize(("mistake", "action", "message"), PYTHON, ids=[r[0] for r in PYTHON])
def test_mistake_in_python_is_reported(mistake, action, message):
    assert message in reported(action)


@pytest.mark.parametrize(("module", "name", "meant"), NAMES, ids=[r[1] for r in NAMES])
def test_name_of_another_package_is_answered_with_ours(module, name, meant):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'; did you mean '{meant}'"):
        getattr(module, name)


@pytest.mark.parametrize(("mistake", "text", "message"), SCENES, ids=[r[0] for r in SCENES])
def test_mistake_in_a_scene_file_is_reported(mistake, text, message, tmp_path):
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    assert message in of_file(tmp_path / "s.yaml")


@pytest.mark.parametrize(("mistake", "text", "message"), URDF, ids=[r[0] for r in URDF])
def test_mistake_in_a_robot_is_reported(mistake, text, message, tmp_path):
    (tmp_path / "r.urdf").write_text(text)
    assert message in of_file(tmp_path / "r.urdf")


@pytest.mark.parametrize(("mistake", "text", "message"), MJCF, ids=[r[0] for r in MJCF])
def test_mistake_in_a_model_is_reported(mistake, text, message, tmp_path):
    pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")
    (tmp_path / "m.xml").write_text(text)
    assert message in of_file(tmp_path / "m.xml")


@pytest.mark.parametrize(
    ("mistake", "arguments", "message"), COMMANDS, ids=[r[0] for r in COMMANDS]
)
def test_mistake_on_the_command_line_is_reported(mistake, arguments, message, tmp_path, capsys):
    (tmp_path / "ok.yaml").write_text(BODY % "")
    run(one(), out=tmp_path / "ok.h5")
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert message in said.err and "Traceback" not in said.err


def arm(length):
    """Links of 1 m, joined every `length`."""
    scene = dt.Scene(gravity=DOWN)
    for number, parent in enumerate(("ground", "a0", "a1")):
        name, x = f"a{number}", number * length
        scene.add_body(name, dt.Box((1, 1, 1)), density=500, position=(x + 1, 0, 0))
        scene.add_joint(f"j{number}", dt.Revolute((x, 0, 0), (0, 1, 0)), parent, name)
    return scene


RIGHT = [
    ("an arm", lambda: run(arm(2))),
    ("a door on two hinges", lambda: run(hinged(dt.Revolute((0, 1, 0.5), (0, 1, 0))))),
    ("a slide on two rails", lambda: run(rails())),
    ("a hinge and a ball on its axis", lambda: run(hinged(dt.Spherical((0, 1, 0.5))))),
    ("parts that touch", lambda: run(one(dt.Compound(
        [dt.Box((1, 1, 1)), dt.Placed(dt.Box((1, 1, 1)), (1, 0, 0))])))),
    ("a lift against gravity", lambda: loaded("add_force", "a", (0, 0, 4905))),
    ("a thin sheet", lambda: run(one(sheet(shell=0.002), density=7850))),
    ("a tension spring", lambda: spring((0, 0, 2), (0, 0, 0), rest_length=1)),
    ("a material that is paired", lambda: run(paired(), contact="sdf")),
    ("a moving belt", lambda: run(one(motion="kinematic", velocity=(1, 0, 0)))),
]  # fmt: skip


def rails():
    scene = one()
    for name, y in (("left", 0.5), ("right", -0.5)):
        scene.add_joint(name, dt.Prismatic((0, y, 0), (1, 0, 0)), "ground", "a")
    return scene


def paired():
    scene = pair(material="ice")
    scene.add_material_pair("ice", "floor", friction=0.1)
    return scene


@pytest.mark.parametrize(("scene", "action"), RIGHT, ids=[r[0] for r in RIGHT])
def test_scene_that_is_right_is_not_warned_of(scene, action):
    words = ("no motion", "overlap", "the weight", "thickness", "direction", "no pair", "still")
    said = reported(action)
    assert not [word for word in words if word in said], said
