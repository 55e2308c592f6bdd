"""Mistakes of newcomers in units, angles and models of robots; the message that each gets.

A row is a mistake, what is done, and a part of what is reported: error, warning or note.
"""

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import DovetailError
from dovetail.io import load_scene

DOWN = (0, 0, -9.81)
CUBE = dt.Box((1, 1, 1)).surface()
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
LINKS = f'<link name="a">{MASS}</link><link name="b">{MASS}</link>'
ENDS = '<parent link="a"/><child link="b"/>'


def one(shape=None, **options):
    scene = dt.Scene(gravity=DOWN)
    given = {"density": 500, "position": (0, 0, 1)} | options
    scene.add_body("a", shape or dt.Box((1, 1, 1)), **given)
    return scene


def on_floor(**options):
    scene = one(**options)
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    return scene


def joined(joint, *bodies):
    scene = one()
    scene.add_joint("j", joint, *bodies)
    return scene


def hinged(**acting):
    actuation = [dt.Actuation(**acting)]
    return joined(dt.Revolute((0, 0, 0.5), (0, 1, 0), actuation=actuation), "ground", "a")


def run(scene, duration=0.02, step=0.01, **options):
    return dt.simulate(scene, duration, step, **({"contact": "none", "progress": False} | options))


def with_state(scene, **state):
    dt.Simulation(scene, step=0.01, contact="none").set_state(**state)


def pushed(load):
    scene = one()
    scene.add_load("w", load)
    return run(scene)


PYTHON = [
    ("a step in ms", lambda: run(one(), 2000.0, 200.0), "`step` and `duration` are in s"),
    ("a velocity in mm/s", lambda: run(on_floor(velocity=(5000, 0, 0)), contact="lcp"),
     "check its `velocity`, which is in m/s"),
    ("a velocity in mm/s under SDF", lambda: run(on_floor(velocity=(5000, 0, 0)), contact="sdf"),
     "check its `velocity`, which is in m/s"),
    ("a spin in degrees", lambda: run(one(angular_velocity=(0, 0, 3600))), "less than pi rad"),
    ("a quaternion of length 1.4", lambda: with_state(one(), q=[0, 0, 0, 1, 1, 0, 0]),
     "`q` of 'a' must have a unit quaternion"),
    ("angles for a quaternion", lambda: with_state(one(), q={"a": [0, 0, 0, 0, 0, 0, 90]}),
     "its length is 90"),
    ("Euler angles of a body", lambda: run(one(rotation=(0, 0, 90))), "a 3x3 matrix or a quat"),
    ("a velocity as text", lambda: run(one(velocity="1 0 0")), "3 finite numbers in m/s"),
    ("a force of two numbers", lambda: pushed(lambda t, s: {"a": ((1, 2), (0, 0, 0))}),
     "three finite numbers in N"),
    ("a load that is not finite", lambda: pushed(lambda t, s: {"a": ((np.nan, 0, 0), (0, 0, 0))}),
     "three finite numbers in N"),
    ("a load that returns nothing", lambda: pushed(lambda t, s: None), "must return a dict"),
    ("a load on an unknown body", lambda: pushed(lambda t, s: {"b": (DOWN, DOWN)}),
     "names body 'b', which is not in the scene"),
    ("friction in percent", lambda: run(on_floor(), contact=dt.contact.LCP(friction=30)),
     "if it is in percent, give 0.3"),
    ("friction as text", lambda: dt.contact.LCP(friction="30%"), "must be a number >= 0"),
    ("an axis of no direction", lambda: run(joined(dt.Revolute((0, 0, 0), (0, 0, 0)),
                                                   "ground", "a")), "must have a direction"),
    ("a joint of one body", lambda: run(joined(dt.Revolute((0, 0, 0), (0, 0, 1)), "a", "a")),
     "must join two different bodies"),
    ("limits in degrees", lambda: run(hinged(lower=-90, upper=90)), "angles are in rad"),
    ("limits in the wrong order", lambda: run(hinged(lower=1, upper=-1)), "<= its `upper`"),
    ("a motor that returns nothing", lambda: run(hinged(motor=lambda t: None)),
     "the motor of joint 'j' failed"),
    ("faces that count from 1", lambda: run(one(dt.Mesh(CUBE.vertices, CUBE.faces + 1))),
     "must name vertices 0 to 7"),
    ("a method, not an object", lambda: run(on_floor(), contact=dt.contact.LCP),
     "dt.contact.IPC()"),
]  # fmt: skip

MJCF = [
    ("a range in rad", '<body><joint range="-1.57 1.57"/><geom size=".1" pos="1 0 0"/></body>',
     'but these look like rad: <joint range="-1.57 1.57">'),
    ("Euler angles in rad", '<body><freejoint/><geom size=".1" euler="0 0 1.5708"/></body>',
     'but these look like rad: <geom euler="0 0 1.5708">'),
    ("an axis angle in rad", '<body><freejoint/><geom size=".1" axisangle="0 0 1 3.14"/></body>',
     'but these look like rad: <geom axisangle="0 0 1 3.14">'),
    ("a negative size", '<body><geom type="box" size="-.1 .1 .1"/></body>', "must be positive"),
    ("a sensor of nothing that moves", '<body><joint name="j"/><geom size=".1"/></body>'
     '</worldbody><sensor><jointpos joint="j"/></sensor><worldbody>', "left out: sensor jointpos"),
    ("limits of a ball", '<body><joint type="ball" range="0 30"/><geom size=".1"/></body>',
     "left out: range (ball joint"),
    ("a motor of no joint", '</worldbody><actuator><motor joint="k"/></actuator><worldbody>',
     "unknown transmission target 'k'"),
    ("adhesion", '<body name="b"><freejoint/><geom size=".1"/></body></worldbody><actuator>'
     '<adhesion body="b" ctrlrange="0 1"/></actuator><worldbody>', "it does not act on a joint"),
    ("a mocap body", '<body mocap="true"><geom size=".1"/></body>', "left out: mocap bodies"),
]  # fmt: skip

URDF = [
    ("two roots", LINKS, "exactly one root link, got a, b"),
    ("a ring", f'{LINKS}<joint name="j" type="fixed">{ENDS}</joint><joint name="k" type="fixed">'
     '<parent link="b"/><child link="a"/></joint>', "the joints form a ring"),
    ("a hinge", f'{LINKS}<joint name="j" type="hinge">{ENDS}</joint>', "one of fixed, revolute"),
    ("no limit", f'{LINKS}<joint name="j" type="revolute">{ENDS}</joint>', "must have a <limit>"),
    ("a joint without a name", f'{LINKS}<joint type="fixed">{ENDS}</joint>', "must be given"),
    ("an unknown parent", f'{LINKS}<joint name="j" type="fixed"><parent link="x"/>'
     '<child link="b"/></joint>', "names the parent link 'x'"),
    ("a mass of nan", f'<link name="a">{MASS.replace("1", "nan", 1)}</link>', "a finite number"),
    ("a xacro variable", f'<link name="a">{MASS.replace("1", "${m}", 1)}</link>', "got '${m}'"),
    ("two links of one name", f'<link name="a">{MASS}</link>' * 2, "two links are named 'a'"),
    ("rpy in degrees", '<link name="a">' + MASS.replace("<mass", '<origin rpy="90 0 0"/><mass')
     + "</link>", "as if it were in degrees"),
    ("a transmission", f'<link name="a">{MASS}</link><transmission name="t"/>',
     "left out: transmission"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def reported(action):
    try:
        outcome = action()
    except DovetailError as error:
        return str(error)
    return "\n".join(getattr(outcome, "warnings", ()) or getattr(outcome, "notes", ()))


@pytest.mark.parametrize(("mistake", "action", "message"), PYTHON, ids=[row[0] for row in PYTHON])
def test_mistake_in_python_is_reported(mistake, action, message):
    assert message in reported(action)


@pytest.mark.parametrize(("mistake", "inside", "message"), MJCF, ids=[row[0] for row in MJCF])
def test_mistake_in_an_mjcf_model_is_reported(mistake, inside, message, tmp_path):
    pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    assert message in reported(lambda: load_scene(path))


@pytest.mark.parametrize(("mistake", "inside", "message"), URDF, ids=[row[0] for row in URDF])
def test_mistake_in_a_urdf_robot_is_reported(mistake, inside, message, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r">{inside}</robot>')
    assert message in reported(lambda: load_scene(path))


@pytest.mark.parametrize("inside", ['<joint range="-90 90"/>', '<joint range="0 1"/>'])
def test_angles_in_degrees_are_not_remarked_on(inside, tmp_path):
    pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")
    path = tmp_path / "m.xml"
    body = f'<body>{inside}<geom size=".1" pos="1 0 0"/></body>'
    path.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert "look like rad" not in "\n".join(load_scene(path).notes)


def test_angles_of_a_model_in_radians_are_not_remarked_on(tmp_path):
    pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")
    path = tmp_path / "m.xml"
    body = '<body><joint range="-1.57 1.57"/><geom size=".1" pos="1 0 0"/></body>'
    path.write_text(f'<mujoco><compiler angle="radian"/><worldbody>{body}</worldbody></mujoco>')
    assert "look like rad" not in "\n".join(load_scene(path).notes)
