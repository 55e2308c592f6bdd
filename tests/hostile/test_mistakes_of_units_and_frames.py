"""Mistakes of units, frames, names and files that a newcomer makes; what is said of each.

A row is a mistake, what is done, and a part of what is reported: error, warning or note.
"""

import math

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import DovetailError
from dovetail.io import load_scene
from dovetail.scene_check import check_scene

DOWN = (0, 0, -9.81)
CUBE = dt.Box((1, 1, 1)).surface()
MOMENTS = '<inertial>{origin}<mass value="{m}"/><inertia ixx="{i}" iyy="{i}" izz="{i}"/></inertial>'
BOX = '<collision><geometry><box size="{0} {0} {0}"/></geometry></collision>'


def one(shape=None, gravity=DOWN, **options):
    scene = dt.Scene(gravity=gravity)
    scene.add_body("a", shape or dt.Box((1, 1, 1)), **({"density": 500} | options))
    return scene


def given(**options):
    return one(density=None, mass=1.0, **options)


def pair(floor=None, gravity=DOWN, **options):
    scene = dt.Scene(gravity=gravity)
    place = {"motion": "static", "position": (0, 0, -0.5)}
    scene.add_body("floor", dt.Box((4, 4, 1)), **(place if floor is None else floor))
    scene.add_body(
        "crate", dt.Box((1, 1, 1)), **({"density": 500, "position": (0, 0, 1)} | options)
    )
    return scene


def hinged(axis=(0, 1, 0), point=(0, 0, 0.5), ends=("ground", "a"), scene=None, **acting):
    scene = scene or one()
    entries = [dt.Actuation(**acting)] if acting else []
    scene.add_joint("j", dt.Revolute(point, axis, actuation=entries), *ends)
    return scene


def run(scene, duration=0.02, step=0.01, **options):
    return dt.simulate(scene, duration, step, **({"contact": "none", "progress": False} | options))


def touching(scene, contact="lcp", **options):
    return run(scene, contact=contact, **options)


def two_pieces(shift):
    vertices = np.concatenate((CUBE.vertices, CUBE.vertices + shift))
    return one(dt.Mesh(vertices, np.concatenate((CUBE.faces, CUBE.faces + len(CUBE.vertices)))))


def pulled(**options):
    scene = one(dt.Box((0.01, 0.01, 0.01)))
    scene.add_spring("s", "ground", "a", (0, 0, 0.1), (0, 0, 0), **options)
    return run(scene)


def kinematic(trajectory):
    return run(one(motion="kinematic", trajectory=trajectory))


PYTHON = [
    # lengths and places
    ("a place in mm", lambda: touching(pair(position=(0, 0, 600))), "600 m from everything else"),
    ("a mesh in mm", lambda: run(one(dt.Mesh(80 * CUBE.vertices, CUBE.faces))),
     "give `scale=1e-3`"),
    ("a body below the floor", lambda: touching(pair(position=(0, 0, -3))),
     "pulls every body past"),
    ("a body beside the floor", lambda: touching(pair(position=(9, 0, 1))),
     "pulls every body past"),
    ("a crate in the floor", lambda: touching(pair(position=(0, 0, -0.5))),
     "0, 0, -1.002) m, 1 m, f"),
    ("a hinge in local coordinates", lambda: run(hinged(point=(300, 0, 0))),
     "in world coordinates"),
    # gravity and speeds
    ("gravity upward", lambda: touching(pair(gravity=(0, 0, 9.81))),
     "check the direction of gravity"),
    ("gravity along y", lambda: touching(pair(gravity=(0, -9.81, 0))), "the direction of gravity"),
    ("gravity in g", lambda: run(one(gravity=(0, 0, -1))),
     "as if it were in g; on Earth it is 9.81"),
    ("a number for gravity", lambda: run(one(gravity=9.81)),
     "`gravity` of the scene must be 3 fin"),
    ("a speed in mm/s", lambda: touching(pair(velocity=(5000, 0, 0))), "check for mm/s"),
    ("a spin in rpm", lambda: run(one(angular_velocity=(0, 0, 3000))),
     "must rotate by less than pi"),
    # mass
    ("moments in g mm^2", lambda: run(given(inertia=(1e5, 1e5, 1e5))),
     "check the units of `inertia`"),
    ("moments in t mm^2", lambda: run(given(inertia=(1e-9, 1e-9, 1e-9))), "have about 0.3; check"),
    ("moments of no body", lambda: run(given(inertia=(1, 1, 3))),
     "larger than the sum of the other"),
    ("moments that lean", lambda: run(given(inertia=[[1, 0.2, 0], [0, 1, 0], [0, 0, 1]])),
     "`inertia` of body 'a' must be symmetric"),
    ("moments below zero", lambda: run(given(inertia=(-1, 1, 1))), "must have moments > 0 kg m^2"),
    ("mass and density", lambda: run(one(mass=1)),
     "give `density` or `mass` of body 'a', not both"),
    ("g/cm^3", lambda: run(one(density=7.85)), "steel has 7850, not 7.85"),
    ("density below zero", lambda: run(one(density=-5)), "must be > 0 kg/m^3, got -5"),
    ("grams as kg", lambda: run(one(dt.Box((0.01, 0.01, 0.01)), density=None, mass=5)),
     "any metal"),
    ("a placeholder of a mass", lambda: run(one(density=None, mass=1e-9, inertia=(1e-12,) * 3)),
     "less than a thousandth of the air in it"),
    # rotations
    ("x, y, z, w", lambda: run(one(rotation=(0, 0, 0, 1))),
     "if x, y, z, w was meant, give (1.0, 0"),
    ("a long quaternion", lambda: run(one(rotation=(2, 0, 0, 0))), "its length is 2"),
    ("three angles", lambda: run(one(rotation=(0, 0, 90))), "a 3x3 matrix or a quaternion"),
    ("a mirror", lambda: run(one(rotation=np.diag([1, 1, -1]))), "must turn, not mirror"),
    ("a scaled rotation", lambda: run(one(rotation=2 * np.eye(3))), "must be orthogonal"),
    # joints
    ("limits in degrees", lambda: run(hinged(lower=-90, upper=90)), "-90 degrees are -1.571 rad"),
    ("limits reversed", lambda: run(hinged(lower=1, upper=-1)),
     "must be <= its `upper`, got 1 > -1"),
    ("limits that are one", lambda: run(hinged(lower=0.5, upper=0.5)),
     "its limits must hold at the"),
    ("no axis", lambda: run(hinged(axis=(0, 0, 0))), "`axis` of joint 'j' must have a direction"),
    ("a joint of one body", lambda: run(hinged(ends=("a", "a"))),
     "two different bodies, got 'a' twi"),
    ("a joint of an unknown body", lambda: run(hinged(ends=("ground", "aa"))), "did you mean 'a'?"),
    ("a joint of the floor", lambda: run(hinged(ends=("ground", "floor"), scene=pair())),
     "joint 'j' has no effect"),
    ("friction in another unit", lambda: run(hinged(friction=5e8)),
     "will not move: its `friction`"),
    ("damping in another unit", lambda: run(hinged(damping=1e15)), "will not move: its `damping`"),
    ("a rotor in g mm^2", lambda: run(hinged(armature=1e9)), "will not move: its `armature`"),
    ("a target in degrees", lambda: run(hinged(motor=("position", 90))), "is off by 90 (m or rad)"),
    ("a speed in rpm", lambda: run(hinged(motor=("velocity", 3000))), "3000 rad/s, too fast"),
    ("a torque in N mm", lambda: run(hinged(motor=5e7)), "an effort is too strong for it"),
    ("a mode misspelt", lambda: run(hinged(motor=("postion", 1))), "one of position, velocity"),
    ("a motor of no arguments", lambda: run(hinged(motor=lambda: 1)),
     "the motor of joint 'j' failed"),
    ("a motor that gives nan", lambda: run(hinged(motor=lambda t: math.nan)),
     "a finite number, got"),
    ("a motor that gives None", lambda: run(hinged(motor=lambda t: None)),
     "the motor of joint 'j'"),
    ("a rest in degrees", lambda: run(hinged(stiffness=1, rest=180)), "180 degrees are 3.142 rad"),
    ("a stiff spring", lambda: pulled(stiffness=1e12), "use a step of at most 4.5e-09 s"),
    ("angles for a trajectory", lambda: kinematic(lambda t: ((0, 0, 0), (0, 0, 90 * t))),
     "quaternion"),
    # contact
    ("friction of 5.5", lambda: touching(pair(), dt.contact.LCP(friction=5.5)), "rubber on rubber"),
    ("friction below zero", lambda: dt.contact.IPC(friction=-0.5),
     "`friction` must be >= 0, got -0"),
    ("restitution of 5", lambda: dt.contact.LCP(restitution=5), "`restitution` must be 0 to 1"),
    ("a method misspelt", lambda: touching(pair(), "icp"), "did you mean 'lcp'?"),
    ("contact=True", lambda: touching(pair(), contact=True), "`contact` must be None or an object"),
    ("a floor that falls", lambda: touching(pair({"density": 500, "position": (0, 0, -0.5)})),
     "give the floor motion='static'"),
    ("a floor that could move", lambda: touching(pair({"motion": "kinematic"})),
     "so it stands still"),
    ("two bodies in one place", lambda: touching(pair(position=(0, 0, -0.5)), "ipc"),
     "m, frees them"),
    # meshes and steps
    ("an open mesh", lambda: run(one(dt.Mesh(CUBE.vertices, CUBE.faces[2:]))),
     "`fill='holes'` caps"),
    ("an assembly in one file", lambda: check_scene(two_pieces((5, 0, 0))),
     "is 2 pieces with space"),
    ("parts without a union", lambda: run(two_pieces((0.5, 0.2, 0.1))), "intersects itself"),
    ("faces from one", lambda: run(one(dt.Mesh(CUBE.vertices, CUBE.faces + 1))), "vertices 0 to 7"),
    ("a STEP file", lambda: run(one(dt.Mesh("part.step"))), "export its parts as STL"),
    ("a long step", lambda: touching(pair(), duration=3, step=1),
     "in one step of 1 s a body falls"),
    ("a step longer than the run", lambda: run(one(), 0.01, 0.1), "longer than the duration"),
    ("durration", lambda: dt.simulate(one(), durration=1, step=0.1), "did you mean 'duration'?"),
]  # fmt: skip


PLAIN = MOMENTS.format(origin="", m=1, i=0.01)


def robot(b=PLAIN, joint='<axis xyz="0 1 0"/>', more="", kind=""):
    return (
        f'<robot name="r"><link name="a"/><link name="b">{b}</link><joint name="j" '
        f'type="{kind or "continuous"}"><parent link="a"/><child link="b"/>{joint}</joint>{more}'
        "</robot>"
    )


def heavy(m=1, i=0.01, origin="", size=0.1):
    return MOMENTS.format(origin=origin, m=m, i=i) + BOX.format(size)


LIMIT = '<limit lower="{}" upper="{}" effort="1" velocity="1"/>'
FIXED = '<joint name="k" type="fixed"><parent link="{}"/><child link="{}"/></joint>'
URDF = [
    ("a box in mm", robot(heavy(size=100)), "173 m long but has only 1 kg"),
    ("moments in g mm^2", robot(heavy(i=1e4)), "check the units of `inertia`"),
    ("moments that are too small", robot(heavy(i=1e-9)), "check the units of `inertia`"),
    ("moments that stand for none", robot(heavy(i=1, size=0.05)), "have at most 0.00188; check"),
    ("a mass in g", robot(heavy(m=1500)), "check its `mass` for g (1.5 kg)"),
    ("a mass that stands for none", robot(heavy(m=1e-9, i=1e-12)), "a thousandth of the air"),
    ("a centre of mass in mm", robot(heavy(origin='<origin xyz="30 0 0"/>')),
     "29.9 m from its shape"),
    ("friction in another unit", robot(joint='<dynamics friction="1e6"/>'), "will not move"),
    ("limits in degrees", robot(kind="revolute", joint=LIMIT.format(-180, 180)), "-3.142 rad"),
    ("limits reversed", robot(kind="revolute", joint=LIMIT.format(1, -1)), "got 1 > -1"),
    ("a type in capitals", robot(kind="Revolute"), "must be one of fixed, revolute, continuous"),
    ("a ring of links", robot(more=FIXED.format("b", "a")), "the joints form a ring"),
    ("two parents", robot(more='<link name="c"/>' + FIXED.format("c", "b")),
     "one parent joint, got tw"),
    ("links without anything", robot(b=""), "no link has mass or geometry, so"),
    ("words instead of XML", "hello", "must be XML with the root <robot> (URDF)"),
    ("SDFormat", "<sdf><model/></sdf>", "SDFormat is not read, convert it to URDF"),
]  # fmt: skip
MODEL = (
    '<mujoco>{top}<worldbody><body name="a" pos="0 0 1" {body}>{joint}<geom {geom}/></body>'
    "</worldbody>{end}</mujoco>"
)


def model(top="", body="", joint='<joint name="j" axis="0 1 0"/>', geom='size=".1"', end=""):
    return MODEL.format(top=top, body=body, joint=joint, geom=geom, end=end)


DEGREES = '<joint name="j" axis="0 1 0" limited="true" range="{}"/>'
MJCF = [
    ("degrees as radians", model('<compiler angle="radian"/>', joint=DEGREES.format("-90 90")),
     "deg"),
    ("radians as degrees", model(joint=DEGREES.format("-1.57 1.57")), "but these look like rad"),
    ("a turn in radians", model(body='euler="0 0 1.57"'), "but these look like rad: <body euler"),
    ("no axis", model(joint='<joint axis="0 0 0"/>'), "axis too small"),
    ("g/cm^3", model(geom='size=".1" density="7.85"'), "steel has 7850, not 7.85"),
    ("a key of another length", model(end='<keyframe><key qpos="0 1"/></keyframe>'),
     "expected 1, got"),
    ("friction in percent", model(geom='size=".1" friction="30"'), "if it is in percent, give 0.3"),
    ("a motor of gear 0", model(end='<actuator><motor joint="j" gear="0"/></actuator>'),
     "gear is 0"),
    ("a gain below zero", model(end='<actuator><position joint="j" kp="-5"/></actuator>'),
     "left out"),
    ("an attribute of URDF", model(body='position="0 0 1"'), "unrecognized attribute: 'position'"),
    ("a long step", model('<option timestep="1"/>', joint="<freejoint/>"), "in one step of 1 s"),
]  # fmt: skip


def reported(action):
    """The error, the warnings of a run, or findings."""
    try:
        outcome = action()
    except DovetailError as error:
        return str(error)
    if isinstance(outcome, list):
        return "\n".join(map(str, outcome))
    return "\n".join(outcome.warnings) or f"nothing: {outcome!r}"


def of_a_file(path):
    """What is said of a file: when it is read, and when it runs."""
    said = []
    try:
        loaded = load_scene(path)
        said += loaded.notes
        step = loaded.run.step or 0.01
        said += run(loaded.scene, 2 * step, step, contact="lcp").warnings
    except DovetailError as error:
        said.append(str(error))
    return "\n".join(said)


@pytest.mark.parametrize(("mistake", "action", "message"), PYTHON, ids=[row[0] for row in PYTHON])
def test_mistake_in_python_is_reported(mistake, action, message):
    assert message in reported(action)


@pytest.mark.parametrize(("mistake", "text", "message"), URDF, ids=[row[0] for row in URDF])
def test_mistake_in_a_robot_is_reported(mistake, text, message, tmp_path):
    (tmp_path / "r.urdf").write_text(text)
    assert message in of_a_file(tmp_path / "r.urdf")


@pytest.mark.parametrize(("mistake", "text", "message"), MJCF, ids=[row[0] for row in MJCF])
def test_mistake_in_a_model_is_reported(mistake, text, message, tmp_path):
    pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")
    (tmp_path / "m.xml").write_text(text)
    assert message in of_a_file(tmp_path / "m.xml")


@pytest.mark.parametrize("acting", [{"friction": 50.0}, {"damping": 1e4}, {"armature": 1e3}])
def test_strong_brakes_and_rotors_are_not_said_to_hold_for_ever(acting):
    assert "will not move" not in reported(lambda: run(hinged(**acting)))


def test_pieces_inside_or_beside_each_other_with_boxes_that_meet_are_no_assembly():
    assert "pieces with space" not in reported(lambda: check_scene(two_pieces((1.0, 0, 0))))


def test_gravity_of_one_is_not_said_to_be_in_g_where_no_density_is_given():
    scene = one(gravity=(0, 0, -1), density=None, mass=1.0)
    assert "in g" not in reported(lambda: run(scene))
