"""Further mistakes of newcomers: names, types, options, files; the message that each gets.

A row is a mistake, what is done, and a part of what is reported, by an error or a warning.
"""

import inspect
import math

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import DovetailError
from dovetail.io import load_scene

DOWN = (0, 0, -9.81)
CUBE = dt.Box((1, 1, 1)).surface()
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def one(shape=None, **options):
    scene = dt.Scene(gravity=DOWN)
    scene.add_body("a", shape or dt.Box((1, 1, 1)), **({"density": 500} | options))
    return scene


def hinged(**acting):
    scene = one()
    entries = [dt.Actuation(**acting)] if acting else []
    scene.add_joint("j", dt.Revolute((0, 0, 0.5), (0, 1, 0), actuation=entries), "ground", "a")
    return scene


def run(scene, duration=0.02, step=0.01, **options):
    return dt.simulate(scene, duration, step, **({"contact": "none", "progress": False} | options))


def after(scene, change):
    change(scene)
    return run(scene)


def assigned(thing, name, value):
    setattr(thing, name, value)
    return "silent"


def simulation():
    return dt.Simulation(hinged(), step=0.01, contact="none")


@pytest.fixture(scope="module")
def result():
    return run(one())


def far_vertex():
    return dt.Mesh(np.concatenate((CUBE.vertices, [[50, 0, 0]])), CUBE.faces)


PYTHON = [
    # names that nothing reads
    ("gravty of a scene", lambda: assigned(one(), "gravty", DOWN), "did you mean 'gravity'?"),
    ("positon of a body", lambda: assigned(one().bodies["a"], "positon", DOWN), "'position'?"),
    ("a mass set later", lambda: assigned(one().bodies["a"], "mass", 1), "cannot be set"),
    ("a target misspelt", lambda: assigned(simulation().joint("j"), "target_postion", 1),
     "did you mean 'target_position'?"),
    ("q assigned", lambda: assigned(simulation(), "q", [1.0]), "set by set_state(q=...)"),
    ("v assigned", lambda: assigned(simulation(), "v", [1.0]), "set by set_state(v=...)"),
    ("an unknown body", lambda: one().bodies["b"], "there is no body 'b'"),
    ("an unknown joint", lambda: hinged().joints["k"], "there is no joint 'k'"),
    ("an unknown joint of a simulation", lambda: simulation().joint("k"), "no joint 'k'"),
    ("a state of an unknown joint", lambda: simulation().set_state(q={"k": 1}), "'k'"),
    # options of what is built
    ("frction of a material", lambda: dt.Material(frction=0.3), "did you mean 'friction'?"),
    ("ordr of RATTLie", lambda: dt.integrators.RATTLie(ordr=4), "did you mean 'order'?"),
    ("an option of DL", lambda: dt.integrators.DL(order=2), "DL() has no option 'order'"),
    ("resolutoin of a field", lambda: dt.sdf.build(CUBE, resolutoin=8), "'resolution'?"),
    ("lcp of one matrix", lambda: dt.lcp.solve(np.eye(2)), "solve() needs `b`"),
    ("weigths of a topology", lambda: dt.topology.analyse([(0, 1)], weigths=[1]), "'weights'?"),
    ("a monitor's option", lambda: dt.stability.Monitor(evry=1), "Monitor() has no option"),
    ("verfy of a result", lambda: dt.load("a.h5", verfy=True), "did you mean 'verify'?"),
    ("sweeps of a proof", lambda: dt.prove(hinged(), sweeps={}), "did you mean 'sweep'?"),
    ("a seed of a grid", lambda: dt.studies.Grid(seed=1), "Grid() has no option 'seed'"),
    # numbers
    ("a mass of inf", lambda: run(one(density=None, mass=math.inf)), "finite number in kg"),
    ("a place of nan", lambda: run(one(position=(0, 0, math.nan))), "3 finite numbers in m"),
    ("a speed as text", lambda: run(one(velocity="fast")), "3 finite numbers in m/s"),
    ("a spin of one number", lambda: run(one(angular_velocity=3)), "numbers in rad/s, got 3"),
    ("a quaternion of zeros", lambda: run(one(rotation=(0, 0, 0, 0))), "its length is 0"),
    ("gravity as texts", lambda: after(one(), lambda s: assigned(s, "gravity", ("0", "0", "-9"))),
     "3 finite numbers in m/s^2"),
    ("a radius of three", lambda: run(one(dt.Sphere([1, 1, 1]))), "`radius` of Sphere must be"),
    ("a ring that meets itself", lambda: run(one(dt.Torus(1, 2))), "smaller than `major`"),
    ("a length of a cylinder", lambda: dt.Cylinder(radius=1, length=2), "no option 'length'"),
    ("a duration of inf", lambda: run(one(), math.inf), "`duration` must be a finite number"),
    ("a step of nan", lambda: run(one(), 1, math.nan), "`step` must be a finite number"),
    ("a method for a step", lambda: dt.simulate(one(), 0.02, "ipc"), "`step` must be a finite"),
    ("a friction as text", lambda: dt.contact.IPC(friction="0.3"), "`friction` must be a number"),
    ("a friction of three", lambda: dt.contact.IPC(friction=(0.1, 0.2, 0.3)), "(mu_s, mu_d, v_s"),
    ("one facet", lambda: dt.contact.LCP(facets=1), "an even number from 4"),
    ("a method in a mapping", lambda: run(one(), contact={"method": "ipc"}), "object such as"),
    ("progress as text", lambda: run(one(), progress="yes"), "`progress` must be None, True"),
    ("steps of a simulation by halves", lambda: simulation().step(2.5), "whole number of steps"),
    ("a target of nan", lambda: assigned(simulation().joint("j"), "target_position", math.nan),
     "must be a finite number"),
    ("efforts of another length", lambda: assigned(simulation(), "efforts", [1, 2]),
     "one for each of `v`"),
    ("an event of nothing", lambda: run(one(), events=[dt.Event("x", lambda t, s: None)]),
     "must return a finite number"),
    # states
    ("a state of nothing", lambda: hinged().set_state(), "set_state() needs `q` or `v`"),
    ("a state in capitals", lambda: hinged().set_state(Q={"j": 1}), "has no option 'Q'"),
    ("two numbers for a hinge", lambda: hinged().set_state(q={"j": (1, 2)}), "1 finite number"),
    ("a state of a body", lambda: hinged().set_state(q={"a": 1}), "`q` names joint 'a'"),
    ("a state in degrees", lambda: after(hinged(), lambda s: s.set_state(q={"j": 90})),
     "90 degrees are 1.571 rad"),
    # joints and loads
    ("a screw without pitch", lambda: after(one(), lambda s: s.add_joint(
        "j", dt.Screw(axis=(0, 0, 1)), "ground", "a")), "a screw that does not advance"),
    ("axes that are parallel", lambda: after(one(), lambda s: s.add_joint(
        "j", dt.Universal((0, 0, 0), (0, 0, 1), (0, 0, 1)), "ground", "a")), "at right angles"),
    ("a motor in a mapping", lambda: after(one(), lambda s: s.add_joint(
        "j", dt.Revolute(actuation=[{"motor": 1}]), "ground", "a")), "must be dt.Actuation"),
    ("a coupling of one joint", lambda: after(hinged(), lambda s: s.add_coupling(
        "c", dt.Coupling({"j": 1}))), "holds that joint still"),
    ("a coupling of nobody", lambda: after(hinged(), lambda s: s.add_coupling(
        "c", dt.Coupling({"k": 1}))), "names joint 'k'"),
    ("a force of nothing", lambda: after(one(), lambda s: s.add_force("f", "a")),
     "`force` [N] and `torque` [N m] are both 0"),
    ("a force on the world", lambda: after(one(), lambda s: s.add_force("f", "ground", (1, 0, 0))),
     "names body 'ground'"),
    ("a force of GN", lambda: after(one(), lambda s: s.add_force("f", "a", force=(1e9, 0, 0))),
     "forces are in N and masses in kg"),
    ("a load that returns a vector", lambda: after(one(), lambda s: s.add_load(
        "f", lambda t, state: (0, 0, 1))), "must return a dict {body: (force, torque)}"),
    # meshes and files
    ("a mesh with a vertex far away", lambda: run(one(far_vertex())),
     "1 vertex that no face uses, up to 49.5 m outside of its faces"),
    ("a mesh of quads", lambda: run(one(dt.Mesh(CUBE.vertices, [[0, 1, 2, 3]]))), "triangles"),
    ("a scale by unit", lambda: run(one(dt.Mesh(CUBE.vertices, CUBE.faces, scale="mm"))),
     "`scale` of Mesh must be a finite number"),
    ("a scene as CSV", lambda: one().save("a.csv"), "with the ending .yaml, .yml, .json"),
    ("a scene to a number", lambda: one().save(3), "must be a file name, got 3"),
    ("a number for a result", lambda: dt.load(3), "the name of a result file, got 3"),
]  # fmt: skip

RESULTS = [
    ("an energy misspelt", lambda r: r.energy["totl"], "did you mean 'total'?"),
    ("a momentum misspelt", lambda r: r.momentum["linaer"], "did you mean 'linear'?"),
    ("a body by number", lambda r: r.position(0), "there is no body 0"),
    ("a result as CSV", lambda r: r.save("a.csv"), "use result.export('a.csv')"),
    ("an export to no folder", lambda r: r.export("nowhere/a.glb"), "a folder that exists"),
    ("a plot misspelt", lambda r: r.plot("enrgy"), "must be one of motion, energy"),
]

FILES = [
    ("packages as a number", {"package_paths": 3}, "must be a list of folders, got 3"),
    ("packages of numbers", {"package_paths": [3]}, "must be a list of folders, got 3 in it"),
    ("a base by word", {"fixed_base": "yes"}, "`fixed_base` must be True, False or None"),
    ("a keyframe of a URDF", {"keyframe": "home"}, "`keyframe` is for MJCF files"),
    ("a packge path", {"packge_paths": ["."]}, "did you mean 'package_paths'?"),
]

URDF = [
    ("a second axis", '<axis xyz="0 0 0"/>', "a second <axis>"),
    ("a misspelt attribute", '<origin xzy="0 0 1"/>', "`xzy` of <origin>"),
    ("numbers with commas", '<origin xyz="0,0,1"/>', "must be 3 finite numbers, got '0,0,1'"),
    ("a misspelt element", "<dynamic/>", "left out: dynamic"),
]


def reported(action):
    """The error, or the warnings of a run."""
    try:
        outcome = action()
    except DovetailError as error:
        return str(error)
    return "\n".join(getattr(outcome, "warnings", ())) or f"nothing: {outcome!r}"


@pytest.fixture(autouse=True)
def quiet(monkeypatch, tmp_path):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("mistake", "action", "message"), PYTHON, ids=[row[0] for row in PYTHON])
def test_mistake_in_python_is_reported(mistake, action, message):
    assert message in reported(action)


@pytest.mark.parametrize(("mistake", "action", "message"), RESULTS, ids=[row[0] for row in RESULTS])
def test_mistake_with_a_result_is_reported(mistake, action, message, result):
    assert message in reported(lambda: action(result))


def robot(joint=""):
    links = "".join(f'<link name="{name}">{MASS}</link>' for name in "ab")
    return (
        f'<robot name="r">{links}<joint name="j" type="continuous"><parent link="a"/>'
        f'<child link="b"/><axis xyz="0 0 1"/>{joint}</joint></robot>'
    )


@pytest.mark.parametrize(("mistake", "options", "message"), FILES, ids=[row[0] for row in FILES])
def test_mistake_in_loading_is_reported(mistake, options, message, tmp_path):
    (tmp_path / "r.urdf").write_text(robot())
    assert message in reported(lambda: dt.Scene.load(tmp_path / "r.urdf", **options))


def test_one_package_path_needs_no_list(tmp_path):
    (tmp_path / "r.urdf").write_text(robot())
    assert len(dt.Scene.load(tmp_path / "r.urdf", package_paths=str(tmp_path)).bodies) == 2


@pytest.mark.parametrize(("mistake", "inside", "message"), URDF, ids=[row[0] for row in URDF])
def test_mistake_in_a_robot_is_reported(mistake, inside, message, tmp_path):
    (tmp_path / "r.urdf").write_text(robot(inside))
    try:
        said = "\n".join(load_scene(tmp_path / "r.urdf").notes)
    except DovetailError as error:
        said = str(error)
    assert message in said


def test_a_joint_that_starts_beyond_its_limit_is_not_said_to_gain_energy():
    with pytest.warns(UserWarning, match="starts 1 m or rad beyond its limit"):
        assert "energy rose" not in reported(lambda: run(hinged(lower=1, upper=2)))


def public():
    """Classes that users build and functions that they call."""
    for module in (dt.contact, dt.integrators, dt.sdf, dt.lcp, dt.stability, dt.topology, dt):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) and "**" not in str(inspect.signature(thing)):
                yield f"{module.__name__}.{name}", thing
    for name in ("DH", "DL", "ImplicitEuler", "LieVerlet", "StewartTrinkle"):
        yield name, getattr(dt.integrators, name)


@pytest.mark.parametrize(("name", "function"), list(public()), ids=[one[0] for one in public()])
def test_an_option_that_does_not_exist_is_named(name, function):
    if name.endswith((".named", ".default_for", ".register")):
        pytest.skip("for authors of methods")
    with pytest.raises(dt.InputError, match="no_such_option"):
        function(no_such_option=1)
