"""What newcomers do wrong, and the message each of it gets; nothing is silent.

A row is a mistake, what is done, and a part of what is told: by an error, or by a warning of the
run or of the check.
"""

import math

import numpy as np
import pytest

import dovetail as dt
from dovetail.cli import main
from dovetail.errors import DovetailError
from dovetail.model.values import quote
from dovetail.results.result import Result
from dovetail.scene_check import Finding, check_scene

DOWN = (0, 0, -9.81)
CUBE = dt.Box((1, 1, 1)).surface()
FILE_HEAD = "version: 1\ngravity: [0, 0, -9.81]\nrun: {duration: 0.02, step: 0.01}\n"


def body(*arguments, **options):
    """A scene of one body, built."""
    scene = dt.Scene(gravity=DOWN)
    scene.add_body("a", *(arguments or (dt.Box((1, 1, 1)),)), **options)
    return scene.build()


def pair(**options):
    """A floor and a crate above it."""
    scene = dt.Scene(gravity=options.pop("gravity", DOWN))
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("crate", dt.Box((1, 1, 1)), **({"position": (0, 0, 0.6)} | options))
    return scene


def ball(**options):
    """A ball with nothing to meet."""
    scene = dt.Scene(gravity=options.pop("gravity", DOWN))
    scene.add_body("ball", dt.Sphere(0.1), **({"density": 1000} | options))
    return scene


def run(scene, duration=0.02, step=0.01, **options):
    return dt.simulate(scene, duration, step, progress=False, **options)


def jointed(joint, a="ground", b="a", **more):
    scene = dt.Scene(gravity=DOWN)
    scene.add_body("a", dt.Box((1, 1, 1)), density=500)
    scene.add_joint("j", joint, a, b)
    for name, (other, *ends) in more.items():
        scene.add_joint(name, other, *ends)
    return scene.build()


def loaded(add, *arguments, **options):
    scene = ball()
    getattr(scene, add)("l", *arguments, **options)
    return run(scene)


def materials(*arguments, **options):
    scene = pair(material="steel")
    scene.add_material_pair(*arguments, **options)
    return scene.build()


def checked(*placed, gravity=DOWN):
    """Findings about bodies (name, shape, options)."""
    scene = dt.Scene(gravity=gravity)
    for name, shape, options in placed:
        scene.add_body(name, shape, **options)
    return check_scene(scene)


def in_file(text, tmp_path, name="scene.yaml", head=FILE_HEAD):
    path = tmp_path / name
    path.write_text(head + text)
    return dt.Scene.load(path)


def bodies(text, tmp_path):
    return in_file(f"bodies:\n  - {{{text}}}\n", tmp_path)


def diverging(t, state):
    """A damper with the wrong sign."""
    return {"ball": (1e4 * np.asarray(state.velocity("ball")) + (1.0, 0, 0), (0, 0, 0))}


def mm_bracket():
    box = dt.Box((80, 40, 5)).surface()
    return dt.Mesh(box.vertices, box.faces)


def soup():
    return dt.Mesh(CUBE.vertices[CUBE.faces.ravel()], np.arange(36).reshape(-1, 3))


def hinged(**acting):
    """A body on a hinge through its centre."""
    scene = dt.Scene(gravity=DOWN)
    scene.add_body("a", dt.Box((1, 1, 1)), density=500)
    scene.add_joint("j", dt.Revolute((0, 0, 0), actuation=[dt.Actuation(**acting)]), "ground", "a")
    return scene


def to_an_object():
    scene = dt.Scene(gravity=DOWN)
    a = scene.add_body("a", dt.Box((1, 1, 1)), density=500)
    scene.add_joint("j", dt.Fixed(), "ground", a)
    return scene.build()


def excluded(name):
    scene = ball()
    scene.exclude_contact("ball", name + "all")
    return scene.build()


IN_PYTHON = [
    # masses
    ("a negative mass", lambda: body(mass=-1), "`mass` of body 'a' must be >= 0 kg, got -1"),
    ("a density of zero", lambda: body(density=0), "must be > 0 kg/m^3, got 0"),
    ("mass and density", lambda: body(mass=1, density=1), "`density` or `mass` of body 'a', not"),
    ("a mass as text", lambda: body(mass="3 kg"), "must be a finite number in kg, got '3 kg'"),
    ("a mass that is not a number", lambda: body(mass=math.nan), "must be a finite number in kg"),
    ("density without a shape", lambda: body(None, density=1), "needs a shape"),
    ("nothing to get a mass from", lambda: body(None), "has no shape, so it needs mass and"),
    ("inertia of no body", lambda: body(inertia=(1, 1, 9)), "no body can have one larger than"),
    ("skew inertia", lambda: body(inertia=[[1, 1, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
    ("an inertia in g mm^2", lambda: run(ball(density=None, mass=1, inertia=(4e6, 4e6, 4e6))),
     "check the units of `inertia`"),
    ("a density in g/cm^3", lambda: run(ball(density=7.85)), "steel has 7850, not 7.85"),
    ("a density in kg/mm^3", lambda: run(ball(density=7.85e-6)), "less than air"),
    ("a mass in g", lambda: run(ball(density=None, mass=4200)), "more than any metal"),
    # shapes
    ("a box of two lengths", lambda: body(dt.Box((1, 1))), "`size` of Box must be 3 finite"),
    ("a box of three arguments", lambda: dt.Box(1, 2, 3), "takes 1 values without a name (size)"),
    ("a negative radius", lambda: body(dt.Sphere(-1)), "`radius` of Sphere must be > 0 m"),
    ("a cylinder without height", lambda: dt.Cylinder(1), "Cylinder() needs `height`"),
    ("a shape by name", lambda: body("box"), "must be a shape such as dt.Box, got 'box'"),
    ("a half-space that falls", lambda: body(dt.HalfSpace()), "`motion` must be static or"),
    ("a mesh that is not there", lambda: body(dt.Mesh("no.stl")), "no.stl"),
    ("a mesh of an unknown kind", lambda: body(dt.Mesh("part.step")), "part.step"),
    ("faces counted from 1", lambda: body(dt.Mesh(CUBE.vertices, CUBE.faces + 1)),
     "must name vertices 0 to 7"),
    ("faces of floats", lambda: body(dt.Mesh(CUBE.vertices, CUBE.faces * 1.0)),
     "rows of 3 vertex numbers from 0"),
    ("an open mesh", lambda: body(dt.Mesh(CUBE.vertices, CUBE.faces[2:]), density=1000),
     "choose one: `fill='holes'` caps the holes"),
    ("triangles that share nothing", lambda: body(soup()), "number each of the 8 places once"),
    ("a scale of zero", lambda: body(dt.Mesh(CUBE.vertices, CUBE.faces, scale=0)), "not be 0"),
    ("a misspelt fill", lambda: body(dt.Mesh(CUBE.vertices, CUBE.faces, fill="hul")),
     "did you mean 'hull'?"),
    ("a part in mm read as m", lambda: run(ball_of(mm_bracket(), density=7850)),
     "if its lengths are in mm, give `scale=1e-3` (0.0896 m, 0.126 kg)"),
    ("a part scaled twice", lambda: run(ball_of(dt.Sphere(1e-5), density=1000)), "check `scale`"),
    # places
    ("a place of two numbers", lambda: body(position=(1, 2)), "must be 3 finite numbers in m"),
    ("a place of text", lambda: body(position="origin"), "must be 3 finite numbers in m"),
    ("a quaternion of another length", lambda: body(rotation=(0, 0, 0, 2)), "unit quaternion"),
    ("Euler angles as a rotation", lambda: body(rotation=(0, 0, 90)), "a 3x3 matrix or a quat"),
    ("a sheared rotation", lambda: body(rotation=np.eye(3) + 0.1), "must be orthogonal"),
    ("a mirror", lambda: body(rotation=np.diag([1, 1, -1])), "must turn, not mirror"),
    ("a motion that does not exist", lambda: body(motion="fixed"), "static, kinematic, dynamic"),
    ("a trajectory of a free body", lambda: body(trajectory=lambda t: None), "needs motion 'kin"),
    ("two bodies of one name", lambda: twice_named(), "two bodies are named 'ball'"),
    ("a body named ground", lambda: named("ground"), "that is the world itself"),
    ("a body without a name", lambda: named(""), "must be a printable text"),
    # gravity and motion
    ("gravity as a number", lambda: run(ball(gravity=9.81)), "`gravity` of the scene must be 3"),
    ("gravity in mm/s^2", lambda: run(ball(gravity=(0, 0, -9810))), "9.81 m/s^2 in mm/s^2"),
    ("gravity in km/s^2", lambda: run(ball(gravity=(0, 0, -9.81e-3))), "times less than on"),
    ("gravity upward", lambda: run(on_half_space(gravity=(0, 0, 9.81)), contact="none"),
     "bodies fall away from it"),
    ("no gravity and no motion", lambda: run(ball(gravity=(0, 0, 0))), "nothing will move"),
    ("all bodies static", lambda: run(ball(motion="static")), "nothing will move"),
    ("degrees per second", lambda: checked(("a", dt.Sphere(1), {"angular_velocity": (0, 0, 90)})),
     "if degrees per second were meant"),
    ("mm/s", lambda: run(ball(velocity=(5000, 0, 0))), "velocities are in m/s, check for mm/s"),
    ("revolutions per minute", lambda: run(ball(angular_velocity=(0, 0, 2e5)), step=1e-6),
     "check for degrees or revolutions per minute"),
    # options
    ("densty", lambda: dt.Scene().add_body("a", densty=3), "did you mean 'density'?"),
    ("frction", lambda: dt.contact.IPC(frction=0.1), "did you mean 'friction'?"),
    ("mu for friction", lambda: dt.contact.LCP(mu=0.1), "LCP() has no option 'mu' (options: fric"),
    ("resolutoin", lambda: dt.contact.SDF(resolutoin=64), "did you mean 'resolution'?"),
    ("dt for step", lambda: dt.simulate(ball(), duration=1, dt=0.1), "simulate() has no option"),
    ("no step", lambda: dt.simulate(ball(), 1), "simulate() needs `step`"),
    ("pont", lambda: dt.Revolute(pont=(0, 0, 0)), "did you mean 'point'?"),
    ("gravty", lambda: dt.Scene(gravty=DOWN), "did you mean 'gravity'?"),
    ("stifness", lambda: dt.Actuation(stifness=3), "did you mean 'stiffness'?"),
    ("a friction below zero", lambda: dt.contact.IPC(friction=-0.1), "`friction`"),
    ("a restitution of 2", lambda: dt.contact.IPC(restitution=2), "must be 0 to 1"),
    # joints
    ("a joint to nobody", lambda: jointed(dt.Fixed(), b="b"), "names body 'b', which is not in"),
    ("a joint to itself", lambda: jointed(dt.Fixed(), a="a"), "two different bodies, got 'a' tw"),
    ("an axis without direction", lambda: jointed(dt.Revolute(axis=(0, 0, 0))), "a direction"),
    ("a joint by name", lambda: jointed("revolute"), "a joint such as dt.Revolute, got 'revolute'"),
    ("a joint class", lambda: jointed(dt.Revolute), "must be a joint such as dt.Revolute, got"),
    ("a motor on a free joint", lambda: jointed(dt.Free(actuation=[dt.Actuation(motor=1.0)])),
     "holds no axis that it could turn or push along"),
    ("limits the wrong way round",
     lambda: jointed(dt.Revolute(actuation=[dt.Actuation(lower=1, upper=-1)])), "must be <= its"),
    ("more motors than motions",
     lambda: jointed(dt.Revolute(actuation=[dt.Actuation(motor=1.0)] * 2)), "leaves 1 motions"),
    ("a joint in mm", lambda: run(far_joint(), contact="none"), "`point` is in world coordinates"),
    ("a joint to the world", lambda: jointed(dt.Fixed(), a="world"), "; the world is 'ground'"),
    ("a joint to a body itself", lambda: to_an_object(), "; give its name, 'a'"),
    ("limits in degrees",
     lambda: run(hinged(lower=-90, upper=90), contact="none"), "-90 degrees are -1.571 rad"),
    ("an axis by letter", lambda: jointed(dt.Revolute(axis="z")), "`axis` of joint 'j' must be 3"),
    ("a motor of text", lambda: hinged(motor="5").build(), "`motor` of coordinate 1 of joint 'j'"),
    ("a torque motor", lambda: hinged(motor=("torque", 5)).build(), "one of position, velocity"),
    ("a motor that returns nothing", lambda: run(hinged(motor=lambda t: None), contact="none"),
     "the motor of joint 'j' failed"),
    ("a motor without arguments", lambda: run(hinged(motor=lambda: 1.0), contact="none"),
     "takes 0 positional arguments"),
    ("a motor that starts elsewhere",
     lambda: run(hinged(motor=("position", 1.0)), contact="none"), "must start at the initial"),
    ("coordinates in a list", lambda: hinged().set_state(q=[1.0]), "`q` must be a mapping of join"),
    ("coordinates of nobody", lambda: hinged().set_state(q={"jj": 1.0}), "did you mean 'j'?"),
    ("a limit that only damps", lambda: hinged(limit_damping=1.0).build(), "`limit_stiffness` of"),
    # loads and materials
    ("a force on nobody", lambda: loaded("add_force", "b", (1, 0, 0)), "names body 'b', which is"),
    ("a force of two numbers", lambda: loaded("add_force", "ball", (1, 0)), "must be 3 finite"),
    ("a misspelt frame", lambda: loaded("add_force", "ball", (1, 0, 0), frame="wolrd"), "frame"),
    ("a spring below zero",
     lambda: loaded("add_spring", "ground", "ball", (0, 0, 1), (0, 0, 0), stiffness=-1),
     "must be >= 0"),
    ("a load that is no function", lambda: loaded("add_load", 3), "function"),
    ("a load that fails", lambda: loaded("add_load", lambda t, s: 1 / 0), "ZeroDivisionError"),
    ("a load on nobody", lambda: loaded("add_load", lambda t, s: {"b": ((0, 0, 1), (0, 0, 0))}),
     "'b'"),
    ("a controller with the wrong sign", lambda: diverges(), "check what drives it: load 'l'"),
    ("materials that nothing has", lambda: materials("steel", "wood", friction=0.3),
     "no body is named 'wood' or made of it"),
    ("materials twice", lambda: materials_twice(), "are paired twice; give one entry"),
    # runs
    ("contact left out", lambda: run(pair()), "bodies such as 'crate' and 'floor' apart"),
    ("a contact that does not exist", lambda: run(pair(), contact="icp"), "known: none, ipc, sdf"),
    ("a contact class", lambda: run(pair(), contact=dt.contact.LCP), "an object such as"),
    ("an integrator misspelt", lambda: run(ball(), integrator="RATLie"), "did you mean 'RATTLie'?"),
    ("an integrator that does not fit",
     lambda: run(pair(), contact=dt.contact.LCP(), integrator="RATTLie"), "takes a force law, but"),
    ("joints under a scheme without",
     lambda: run(pendulum(), integrator="LieVerlet"), "moves free bodies only"),
    ("a negative duration", lambda: run(ball(), -1.0), "`duration` must be > 0 s"),
    ("a step of zero", lambda: run(ball(), 1.0, 0.0), "`step` must be > 0 s"),
    ("a step longer than the run", lambda: run(ball(), 0.01, 0.1), "longer than the duration"),
    ("more than half a turn a step", lambda: run(ball(angular_velocity=(0, 0, 400))),
     "use a step of at most 0.0005 s"),
    ("frames every 0 steps", lambda: run(ball(), every=0), "whole number of steps >= 1"),
    ("a result in no folder", lambda: run(ball(), out="/no/such/folder/a.h5"), "does not"),
    ("resuming nothing", lambda: run(ball(), resume=True), "`resume` needs `out`"),
    ("no scene", lambda: run(3), "`scene` must be a dt.Scene, got 3"),
    ("no such scene file", lambda: run("no-such.yaml"), "no-such.yaml"),
    ("an example for a file", lambda: run("bolt"), "dt.examples.get('bolt').build()"),
    ("no step of a simulation", lambda: dt.Simulation(ball()), "Simulation() needs `step`"),
    ("no bodies", lambda: run(dt.Scene()), "at least one body"),
    ("an event that is none", lambda: run(ball(), events=[3]), "must be dt.Event objects, got 3"),
    ("a large step without fields",
     lambda: run(ball(), step_control=dt.LargeAndSmallSteps(0.02)), "dt.contact.SDF"),
    ("a body of a result misspelt", lambda: run(ball(), contact="none").position("bal"), "'bal'"),
    ("a result in CSV", lambda: run(ball(), out="a.csv"), "use result.export('a.csv') after"),
    ("friction in percent", lambda: run(pair(), contact=dt.contact.IPC(friction=30)), "give 0.3"),
    ("a dhat in mm", lambda: run(pair(), contact=dt.contact.IPC(dhat=2.0)), "push each other from"),
    ("a dhat of zero", lambda: dt.contact.IPC(dhat=0), "`dhat` must be > 0 m"),
    ("a static body that moves", lambda: run(pair(motion="static", velocity=(1, 0, 0))),
     "is static, so its velocity has no effect"),
    ("a floor along gravity", lambda: run(on_half_space(gravity=(0, -9.81, 0)), contact="none"),
     "runs along half-space"),
    ("a mass of an array", lambda: body(mass=np.array([2.0])), "must be a finite number in kg"),
    ("a mass that is true", lambda: body(mass=True), "must be a finite number in kg, got True"),
    ("a column for a place", lambda: body(position=np.zeros((3, 1))), "must be 3 finite numbers"),
    ("a set for a place", lambda: body(position={0, 1, 2}), "must be 3 finite numbers in m"),
    ("a duration as text", lambda: run(ball(), "1"), "`duration` must be a finite number in s"),
    ("contact as a switch", lambda: run(pair(), contact=True), "`contact` must be None or an obj"),
    ("an excluded pair of nobody", lambda: excluded("bl"), "did you mean 'ball'?"),
    # the check
    ("bodies in one another", lambda: checked(
        ("a", dt.Box((1, 1, 1)), {}), ("b", dt.Box((1, 1, 1)), {"position": (0.9, 0.2, 0.1)})),
     "moving 'b' by (0.1"),
    ("a body in the floor", lambda: checked(
        ("plane", dt.HalfSpace(), {"motion": "static"}), ("a", dt.Sphere(1), {})),
     "moving it by (0, 0, 1.001) m frees it"),
    ("a body within another", lambda: checked(
        ("a", dt.Box((1, 1, 1)), {}), ("b", dt.Sphere(0.1), {})), "starts inside the solid"),
    ("a body far away", lambda: checked(
        ("a", dt.Box((1, 1, 1)), {}), ("b", dt.Box((1, 1, 1)), {"position": (2, 0, 0)}),
        ("c", dt.Box((1, 1, 1)), {"position": (5000, 0, 0)})), "from everything else"),
    ("a thorough check before the run", lambda: run(pair(position=(0, 0, 0.3)), check=True),
     "overlap at the start"),
]  # fmt: skip

IN_FILES = [
    (
        "a contact by its method",
        "version: 1\nrun: {contact: {ipc: {friction: 0.3}}}\n",
        "must be the name of a method such as ipc, or {method: ipc",
    ),
    (
        "an entry indented less",
        FILE_HEAD + "bodies:\n  - name: a\n   mass: 1\n",
        "line 6, column 4",
    ),
    ("one entry as two", FILE_HEAD + "bodies:\n  - name: a\n  - mass: 3\n", "needs `name`"),
    ("bodies without dashes", FILE_HEAD + "bodies:\n  name: a\n", "`bodies` must be a list"),
    (
        "a decimal comma",
        FILE_HEAD + "bodies: [{name: a, shape: {sphere: 1}, mass: '3,5'}]\n",
        "must be a finite number in kg, got '3,5'",
    ),
    (
        "a number in quotes",
        FILE_HEAD + "bodies: [{name: a, shape: {sphere: 1}, mass: '3'}]\n",
        "must be a finite number in kg, got '3'",
    ),
    ("a key twice", FILE_HEAD + "bodies: [{name: a, mass: 1, mass: 2}]\n", "was given before"),
    ("a name of digits", FILE_HEAD + "bodies: [{name: 12}]\n", "put it in quotes"),
    ("no space after a colon", FILE_HEAD + "bodies: [{name: a, mass:3}]\n", "did you mean `mass`?"),
    ("two documents", FILE_HEAD + "---\nversion: 1\n", "a scene is one document"),
    (
        "a joint called hinge",
        FILE_HEAD + "joints: [{name: j, type: hinge, bodies: [ground, a]}]\n",
        "revolute",
    ),
    (
        "a limit beside the joint",
        FILE_HEAD + "joints: [{name: j, type: revolute, bodies: [ground, a], lower: -1}]\n",
        "actuation",
    ),
    (
        "a joint of one body",
        FILE_HEAD + "joints: [{name: j, type: fixed, bodies: [a]}]\n",
        "`bodies` must have 2 entries",
    ),
    (
        "a joint to the world",
        FILE_HEAD + "bodies: [{name: a, shape: {sphere: 1}, mass: 1}]\n"
        "joints: [{name: j, type: fixed, bodies: [world, a]}]\n",
        "the world is 'ground'",
    ),
    ("no version", "bodies: []", "needs `version: 1`"),
    ("a version to come", "version: 2\n", "must be 1"),
    ("no YAML", "version: 1\nbodies: [", "scene.yaml"),
    ("tabs", "version: 1\nrun:\n\tstep: 1\n", "scene.yaml"),
    ("an empty file", "", "is empty; a scene starts with `version: 1`"),
    ("a list", "- 1\n", "must be a mapping"),
    ("a misspelt section", FILE_HEAD + "bodys: []\n", "did you mean `bodies`?"),
    ("a misspelt unit", "version: 1\nunits: {length: millimeter}\n", "'mm'"),
    ("a contact misspelt", "version: 1\nrun: {contact: {method: icp}}\n", "ipc"),
    (
        "an option misspelt",
        "version: 1\nrun: {contact: {method: ipc, frction: 1}}\n",
        "did you mean `friction`?",
    ),
    ("an integrator misspelt", "version: 1\nrun: {integrator: RATLie}\n", "did you mean 'RATTLie'"),
    ("a number with its unit", FILE_HEAD + "bodies: [{name: a, mass: 3 kg}]\n", "finite number in"),
    (
        "a misspelt shape",
        FILE_HEAD + "bodies: [{name: a, shape: {boxx: [1, 1, 1]}}]\n",
        "(did you mean box?)",
    ),
    (
        "a misspelt key",
        FILE_HEAD + "bodies: [{name: a, shape: {sphere: 1}, densty: 3}]\n",
        "did you mean `density`?",
    ),
    ("an empty value", FILE_HEAD + "bodies: [{name: a, shape: {sphere: 1}, mass: }]\n", "is empty"),
    (
        "a mesh outside",
        FILE_HEAD + "bodies: [{name: a, shape: {mesh: ../../b.stl}}]\n",
        "must stay inside the folder",
    ),
    (
        "a joint misspelt",
        FILE_HEAD + "joints: [{name: j, type: hinge, bodies: [ground, a]}]\n",
        "must be fixed, revolute",
    ),
    ("a friction of text", FILE_HEAD + "materials: [{pair: [a, b], friction: high}]\n", "friction"),
]

COMMANDS = [
    ("a scene that is not there", ["run", "no.yaml"], "no.yaml"),
    ("an example misspelt", ["run", "card-hose"], "is neither a file nor a built-in example"),
    ("a mesh for a scene", ["run", "part.stl"], "is a mesh, not a scene"),
    ("a command misspelt", ["rnu", "scene.yaml"], "did you mean `run`?"),
    ("an option misspelt", ["run", "ball.yaml", "--durtion", "1"], "--duration"),
    ("no duration", ["run", "still.yaml"], "the scene sets no `run.duration`"),
    ("a contact misspelt", ["run", "ball.yaml", "--contact", "icp"], "known: none, ipc"),
    ("an option of another method", ["run", "dhat.yaml"], "has no option 'dhat'"),
    ("a result in CSV", ["run", "ball.yaml", "--out", "ball.csv"], "with the ending .h5"),
    ("a scene for a result", ["plot", "ball.yaml", "energy"], "ball.yaml"),
    ("a plot that does not exist", ["plot", "ball.h5", "enrgy"], "'energy'"),
    ("an ending that does not exist", ["export", "ball.h5", "ball.mov"], ".mov"),
]


def ball_of(shape, **options):
    scene = dt.Scene(gravity=DOWN)
    scene.add_body("a", shape, **options)
    return scene


def named(name):
    scene = dt.Scene()
    scene.add_body(name, dt.Sphere(1))
    return scene.build()


def twice_named():
    scene = ball()
    scene.add_body("ball", dt.Sphere(1))
    return scene.build()


def on_half_space(**options):
    scene = ball(position=(0, 0, 1), **options)
    scene.add_body("plane", dt.HalfSpace(), motion="static")
    return scene


def pendulum():
    scene = ball()
    scene.add_joint("j", dt.Revolute(point=(0, 0, 0.5), axis=(0, 1, 0)), "ground", "ball")
    return scene


def far_joint():
    scene = ball()
    scene.add_joint("j", dt.Revolute(point=(0, 0, 500), axis=(0, 1, 0)), "ground", "ball")
    return scene


def materials_twice():
    scene = pair(material="steel")
    scene.add_material_pair("steel", "floor", friction=0.1)
    scene.add_material_pair("floor", "steel", friction=0.2)
    return scene.build()


def diverges():
    scene = ball()
    scene.add_load("l", diverging)
    return run(scene, 1.0, 1e-3)


def reported(action):
    """What a user is told: the error, or the warnings of a run or a check."""
    try:
        outcome = action()
    except DovetailError as error:
        return str(error)
    if isinstance(outcome, Result):
        return "\n".join(outcome.warnings)
    if isinstance(outcome, list):
        return "\n".join(str(one) for one in outcome if isinstance(one, Finding))
    return f"nothing: {quote(outcome)}"


@pytest.mark.parametrize(("mistake", "action", "message"), IN_PYTHON, ids=[r[0] for r in IN_PYTHON])
def test_mistake_in_python_is_reported(mistake, action, message, monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")
    said = reported(action)
    assert message in said, said
    assert "Traceback" not in said


@pytest.mark.parametrize(("mistake", "text", "message"), IN_FILES, ids=[r[0] for r in IN_FILES])
def test_mistake_in_a_scene_file_is_reported(mistake, text, message, tmp_path):
    said = reported(lambda: in_file(text, tmp_path, head=""))
    assert message in said, said
    assert all(line.startswith("scene.yaml: ") for line in said.splitlines())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("newcomer")
    shape = "bodies: [{name: ball, shape: {sphere: 0.1}, mass: 4}]\n"
    (folder / "ball.yaml").write_text(FILE_HEAD + shape)
    with_contact = FILE_HEAD.replace("0.01}", "0.01, contact: {method: lcp, dhat: 0.1}}")
    (folder / "dhat.yaml").write_text(with_contact + shape)
    (folder / "still.yaml").write_text("version: 1\n" + shape)
    (folder / "part.stl").write_text("solid\nendsolid\n")
    run(ball(), out=folder / "ball.h5", check=False)
    return folder


@pytest.mark.parametrize(
    ("mistake", "arguments", "message"), COMMANDS, ids=[r[0] for r in COMMANDS]
)
def test_mistake_on_the_command_line_is_reported(
    mistake, arguments, message, folder, monkeypatch, capsys
):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert message in said.err + said.out
    assert "Traceback" not in said.err


def test_the_table_has_at_least_eighty_rows_and_no_mistake_twice():
    rows = [("python", row[0]) for row in IN_PYTHON]
    rows += [("file", row[0]) for row in IN_FILES] + [("command", row[0]) for row in COMMANDS]
    assert len(rows) >= 80
    assert len(set(rows)) == len(rows)


def test_all_mistakes_of_a_scene_file_are_reported_at_once(tmp_path):
    """Thirteen mistakes, some in entries that have another one already."""
    text = """version: 1
gravty: [0, 0, -9.81]
run: {duration: -1, step: 0.01, contact: {method: ipc, frction: 0.1}, integrator: RATLie}
bodies:
  - {name: a, shape: {box: [1, 1]}, density: 500}
  - {name: a, shape: {box: [1, 1, 1]}, densty: 500}
  - {name: b, shape: {mesh: nothere.stl}, density: 500}
  - {name: c, shape: {sphere: 1}, mass: -3, rotation: [1, 1, 0, 0]}
joints:
  - {name: j, type: revolute, bodies: [c, c], point: [0, 0]}
loads:
  - {name: f, type: force, body: nobody, force: [1, 2, 3]}
materials:
  - {pair: [steel, a], friction: -0.2}
"""
    said = reported(lambda: in_file(text, tmp_path, head="")).splitlines()
    for part in (
        "`gravty` is not a key", "`run.duration` must be > 0", "`run.contact.frction`",
        "integrator 'RATLie' is not known", "`shape.box` must have 3 entries", "`densty` is not",
        "two bodies are named 'a'", "nothere.stl", "`mass` must be >= 0 kg", "unit quaternion",
        "`point` must have 3", "two different bodies, got 'c' twice", "'nobody'",
        "no body or material 'steel'", "`friction` must be >= 0",
    ):  # fmt: skip
        assert sum(part in line for line in said) == 1, (part, said)
    assert len(said) == 15
