"""A scene file says what it means: the published example, units, rotations, every section."""

import json

import numpy as np
import pytest
import trimesh
from same_scene import assert_same_scene

from dovetail.io import Choice, load_scene, save_scene
from dovetail.model.joints import Actuation, Cylindrical, Revolute, Screw, Universal
from dovetail.model.shapes.compound import Compound
from rounding import rounding

EXAMPLE = """\
version: 1
gravity: [0, 0, -9.81]
run: {duration: 5, step: 0.01, contact: {method: ipc, friction: 0.1}}
bodies:
  - {name: nut, shape: {mesh: nut.stl, scale: 0.001}, density: 8050, motion: static}
  - {name: bolt, shape: {mesh: bolt.stl, scale: 0.001}, density: 8050, position: [0, 0, 0.02]}
  - {name: crate, shape: {box: [1, 1, 1]}, mass: 3, position: [2, 0, 0]}
joints:
  - {name: hinge, type: revolute, bodies: [ground, crate], point: [2, 0, 1], axis: [0, 1, 0]}
"""


@pytest.fixture
def example(write, tmp_path):
    for name, size in (("nut", (30, 30, 10)), ("bolt", (10, 10, 40))):
        trimesh.creation.box(extents=size).export(tmp_path / f"{name}.stl")
    return load_scene(write(EXAMPLE, "bolt.yaml"))


def test_the_published_example_reads_as_it_says(example):
    scene, run = example.scene, example.run
    assert list(scene.bodies) == ["nut", "bolt", "crate"]
    assert scene.gravity == [0, 0, -9.81]
    assert scene.bodies["nut"].motion == "static"
    assert scene.bodies["bolt"].mass == pytest.approx(8050 * 0.01 * 0.01 * 0.04, rel=1e-12)
    assert scene.bodies["bolt"].position == pytest.approx([0, 0, 0.02], abs=rounding(8))
    assert scene.bodies["crate"].inertia == pytest.approx(np.eye(3) * 0.5, abs=rounding(8))
    joint, body_a, body_b = scene.joints["hinge"]
    assert isinstance(joint, Revolute) and (body_a, body_b) == ("ground", "crate")
    assert (joint.point, joint.axis) == ([2, 0, 1], [0, 1, 0])
    assert (run.duration, run.step, run.every, run.integrator) == (5, 0.01, None, None)
    assert run.contact == Choice("ipc", {"friction": 0.1})
    assert example.source.name == "bolt.yaml"


def test_json_says_the_same_as_yaml(example, write, tmp_path):
    import yaml

    same = load_scene(write(json.dumps(yaml.safe_load(EXAMPLE)), "bolt.json"))
    assert same.run == example.run
    for name, body in example.scene.bodies.items():
        assert np.array_equal(same.scene.bodies[name].position, body.position)
        assert same.scene.bodies[name].mass == body.mass


SI = """
version: 1
gravity: [0, 0, -9.81]
run: {duration: 2, step: 0.001, contact: {method: sdf, dhat: 0.001, stiffness: 1000, damping: 3,
      friction: [0.3, 0.2, 0.001, 0.01]}}
bodies:
  - {name: a, shape: {box: [0.1, 0.2, 0.3]}, density: 8050, position: [0.0011, 0, 1.7],
     velocity: [0.1, 0, 0], angular_velocity: [0, 0, 3.141592653589793],
     rotation: {axis: [0, 0, 2], angle: 1.5707963267948966}, center_of_mass: [0.01, 0, 0],
     inertia: [1, 1, 1]}
  - {name: sheet, shape: {mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces: [[0, 1, 2]]},
     shell: true}, density: 2, rotation: {euler: [0, 0, 3.141592653589793]}}
  - {name: m, mass: 2, inertia: [0.001, 0.002, 0.002], motion: kinematic,
     trajectory: {times: [0, 2], positions: [[0, 0, 0], [1, 0, 0]]}}
  - {name: rest, shape: {compound: [{shape: {sphere: 0.1}, position: [0, 0, 0.5]},
     {shape: {torus: {major: 0.2, minor: 0.05}}}]}, motion: kinematic, moves_until: 3}
joints:
  - {name: slide, type: cylindrical, bodies: [a, sheet], point: [0.5, 0, 0], actuation: [
     {lower: -3.141592653589793, stiffness: 5, damping: 2, motor: {velocity: 3.141592653589793}},
     {upper: 0.25, stiffness: 40, friction: 7, motor: 3, velocity_limit: 0.5}]}
  - {name: thread, type: screw, bodies: [ground, a], pitch: 0.002}
loads:
  - {name: push, type: force, body: a, force: [0, 0, 8], torque: [1, 0, 0], point: [0, 0, 0.1]}
  - {name: pull, type: spring, bodies: [a, ground], point_a: [0, 0, 0], point_b: [0, 0, 1],
     stiffness: 100, damping: 4, rest_length: 0.7}
materials:
  - {pair: [a, sheet], friction: [0.3, 0.2, 0.001, 0.01], stiffness: 1000, damping: 3}
"""
# The same in millimetres, grams, milliseconds and degrees:
# 1 N = 1 g mm/ms^2, 1 N m = 1000 g mm^2/ms^2, 1 kg/m^3 = 1e-6 g/mm^3, 1 m/s = 1 mm/ms.
SMALL = """
version: 1
units: {length: mm, mass: g, time: ms, angle: deg}
gravity: [0, 0, -0.00981]
run: {duration: 2000, step: 1, contact: {method: sdf, dhat: 1, stiffness: 0.03162277660168379,
      damping: 3, friction: [0.3, 0.2, 0.001, 0.01]}}
bodies:
  - {name: a, shape: {box: [100, 200, 300]}, density: 0.00805, position: [1.1, 0, 1700],
     velocity: [0.1, 0, 0], angular_velocity: [0, 0, 0.18],
     rotation: {axis: [0, 0, 2], angle: 90}, center_of_mass: [10, 0, 0], inertia: [1e9, 1e9, 1e9]}
  - {name: sheet, shape: {mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces: [[0, 1, 2]]},
     scale: 1000, shell: true}, density: 0.002, rotation: {euler: [0, 0, 180]}}
  - {name: m, mass: 2000, inertia: [1e6, 2e6, 2e6], motion: kinematic,
     trajectory: {times: [0, 2000], positions: [[0, 0, 0], [1000, 0, 0]]}}
  - {name: rest, shape: {compound: [{shape: {sphere: 100}, position: [0, 0, 500]},
     {shape: {torus: {major: 200, minor: 50}}}]}, motion: kinematic, moves_until: 3000}
joints:
  - {name: slide, type: cylindrical, bodies: [a, sheet], point: [500, 0, 0], actuation: [
     {lower: -180, stiffness: 87.26646259971648, damping: 34906.58503988659,
      motor: {velocity: 0.18}},
     {upper: 250, stiffness: 0.04, friction: 7, motor: 3, velocity_limit: 0.5}]}
  - {name: thread, type: screw, bodies: [ground, a], pitch: 2}
loads:
  - {name: push, type: force, body: a, force: [0, 0, 8], torque: [1000, 0, 0], point: [0, 0, 100]}
  - {name: pull, type: spring, bodies: [a, ground], point_a: [0, 0, 0], point_b: [0, 0, 1000],
     stiffness: 0.1, damping: 4, rest_length: 700}
materials:
  - {pair: [a, sheet], friction: [0.3, 0.2, 0.001, 0.01], stiffness: 0.03162277660168379,
     damping: 3}
"""


def test_the_same_scene_in_millimetres_grams_and_degrees_is_the_same_scene(load):
    si, small = load(SI), load(SMALL, "small.yaml")
    a, b = si.scene.build(), small.scene.build()
    exact = {"rtol": rounding(4), "atol": 0}
    for name in ("gravity", "mass", "position", "velocity", "angular_velocity"):
        np.testing.assert_allclose(getattr(b, name), getattr(a, name), **exact, err_msg=name)
    np.testing.assert_allclose(b.inertia, a.inertia, rtol=1e-14, atol=1e-18)
    np.testing.assert_allclose(b.rotation, a.rotation, rtol=0, atol=rounding(8))
    for t in (0.5, 2.5):
        for one, other in zip(a.trajectories, b.trajectories):
            if one is not None and other is not None:
                np.testing.assert_allclose(other.pose(t)[0], one.pose(t)[0], **exact)
    for one, other in zip(a.joints, b.joints):
        np.testing.assert_allclose(other.joint.point, one.joint.point, **exact)
        for row_a, row_b in zip(one.joint.actuation, other.joint.actuation):
            assert _numbers(row_b) == pytest.approx(_numbers(row_a), rel=rounding(4))
    assert b.joints[1].joint.pitch == a.joints[1].joint.pitch
    for name in si.scene.loads:
        assert _numbers(small.scene.loads[name]) == pytest.approx(_numbers(si.scene.loads[name]))
    assert _numbers(b.materials[0]) == pytest.approx(_numbers(a.materials[0]), rel=rounding(4))
    assert (small.run.duration, small.run.step) == (2, 0.001)
    options, others = small.run.contact.options, si.run.contact.options
    assert options.keys() == others.keys()
    for key, value in others.items():
        assert options[key] == pytest.approx(value, rel=rounding(4)), key


def _numbers(thing):
    """All numbers of a dataclass in one flat list."""
    flat = []
    for value in vars(thing).values():
        values = value if isinstance(value, list | tuple) else [value]
        for entry in values:
            flat += entry if isinstance(entry, list) else [entry]
    return [v for v in flat if isinstance(v, int | float)]


def test_a_millimetre_is_the_nearest_double_to_a_thousandth_metre(load):
    scene = load(
        "version: 1\nunits: {length: mm}\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1], "
        "position: [1.1, 20, 3.3]}]"
    ).scene
    assert scene.bodies["a"].position.tolist() == [0.0011, 0.02, 0.0033]


@pytest.mark.parametrize(
    ("kind", "coordinates"),
    [
        ("revolute", "t"), ("prismatic", "s"), ("cylindrical", "ts"), ("universal", "tt"),
        ("spherical", "ttt"), ("planar", "sst"), ("screw", "t"), ("free", "sssttt"),
    ],
)  # fmt: skip
def test_limits_of_a_joint_are_degrees_of_a_turn_and_millimetres_of_a_slide(
    load, kind, coordinates
):
    rows = ", ".join(["{lower: -90}"] * len(coordinates))
    scene = load(
        "version: 1\nunits: {length: mm, angle: deg}\n"
        "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
        f"joints: [{{name: j, type: {kind}, bodies: [ground, a], actuation: [{rows}]}}]"
    ).scene
    lower = [row.lower for row in scene.joints["j"][0].actuation]
    assert lower == [{"t": -np.pi / 2, "s": -0.09}[letter] for letter in coordinates]


def test_pounds_and_inches_follow_their_definition(load):
    scene = load(
        "version: 1\nunits: {length: in, mass: lb}\n"
        "bodies: [{name: a, mass: 2, inertia: [1, 1, 1], position: [1, 2, 3]}]"
    ).scene
    body = scene.bodies["a"]
    assert body.mass == pytest.approx(2 * 0.45359237, rel=rounding(8))
    assert body.position == pytest.approx([0.0254, 0.0508, 0.0762], rel=rounding(8))
    assert body.inertia[0, 0] == pytest.approx(0.45359237 * 0.0254**2, rel=rounding(8))


@pytest.mark.parametrize(
    "written",
    [
        "[[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        "[0.7071067811865476, 0, 0, 0.7071067811865476]",
        "{axis: [0, 0, 3], angle: 90}",
        "{euler: [0, 0, 90]}",
        "{euler: [90, 0, 0], order: zyx}",
        "{euler: [90, 0, 0], order: ZYX}",
    ],
)
def test_a_quarter_turn_about_z_can_be_written_in_many_forms(load, written):
    scene = load(
        f"version: 1\nunits: {{angle: deg}}\n"
        f"bodies: [{{name: a, mass: 1, inertia: [1, 1, 1], rotation: {written}}}]"
    ).scene
    turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert scene.bodies["a"].rotation == pytest.approx(np.array(turn), abs=rounding(8))


def test_small_letters_turn_about_fixed_axes_and_capitals_about_carried_ones(load):
    def rotation(order):
        return (
            load(
                "version: 1\nunits: {angle: deg}\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1], "
                f"rotation: {{euler: [90, 90, 0], order: {order}}}}}]"
            )
            .scene.bodies["a"]
            .rotation
        )

    # x first, then y: fixed axes bring e_z to -e_y, which a turn about y leaves alone;
    # carried axes turn e_z about the second axis first: Ry e_z = e_x, which Rx leaves alone.
    assert rotation("xyz") @ [0, 0, 1] == pytest.approx([0, -1, 0], abs=rounding(8))
    assert rotation("XYZ") @ [0, 0, 1] == pytest.approx([1, 0, 0], abs=rounding(8))


def test_every_kind_of_joint_and_load_and_motor_can_be_written(load):
    scene = load(
        """
version: 1
bodies:
  - {name: a, mass: 1, inertia: [1, 1, 1], fixed: [true, false, false, false, false, true],
     group: g, material: steel}
  - {name: b, mass: 1, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], position: [0, 0, 1]}
joints:
  - {name: u, type: universal, bodies: [a, b], axis: [0, 0, 1], axis2: [0, 1, 0]}
  - {name: s, type: screw, bodies: [ground, b], pitch: 0.002, actuation: {motor: {position: 0.5}}}
  - {name: c, type: cylindrical, bodies: [ground, b], actuation: [{}, {lower: -1, motor: 2}]}
loads:
  - {name: f, type: force, body: a, torque: [0, 0, 1], frame: body}
"""
    ).scene
    assert isinstance(scene.joints["u"][0], Universal) and scene.joints["u"][0].axis2 == [0, 1, 0]
    assert isinstance(scene.joints["s"][0], Screw) and scene.joints["s"][0].pitch == 0.002
    assert scene.joints["s"][0].actuation == (Actuation(motor=("position", 0.5)),)
    assert isinstance(scene.joints["c"][0], Cylindrical)
    assert scene.joints["c"][0].actuation == (Actuation(), Actuation(lower=-1, motor=2))
    assert scene.loads["f"].frame == "body"
    checked = scene.bodies["a"].checked
    assert checked.fixed == (True, False, False, False, False, True)
    assert (checked.group, checked.material) == ("g", "steel")


def test_a_compound_of_compounds_keeps_its_nesting(load):
    shape = (
        load(
            "version: 1\nbodies: [{name: a, shape: {compound: [{shape: {compound: "
            "[{shape: {box: [1, 1, 1]}, weight: 2}]}, position: [1, 0, 0]}]}}]"
        )
        .scene.bodies["a"]
        .shape
    )
    assert isinstance(shape, Compound) and isinstance(shape.parts[0].shape, Compound)
    assert shape.mass_properties().centre == pytest.approx([1, 0, 0])
    assert shape.mass_properties().measure == pytest.approx(2)


def test_words_that_old_yaml_takes_for_truth_are_names_here(load):
    scene = load(
        "version: 1\nbodies:\n"
        + "".join(
            f"  - {{name: {name}, mass: 1e0, inertia: [1, 1, 1]}}\n"
            for name in ("on", "off", "yes", "no", "1:30", "2024-01-01", "'5'")
        )
    ).scene
    assert list(scene.bodies) == ["on", "off", "yes", "no", "1:30", "2024-01-01", "5"]


def test_numbers_read_as_in_yaml_1_2(load):
    scene = load(
        "version: 1\nbodies: [{name: a, mass: 1e-3, inertia: [1.5E2, 150, +1.5e+2], "
        "position: [-.5, 010, 0x10]}]"
    ).scene
    assert scene.bodies["a"].mass == 0.001
    assert scene.bodies["a"].position.tolist() == [-0.5, 10, 16]


def test_an_alias_repeats_what_it_names(load):
    scene = load(
        "version: 1\nbodies:\n  - {name: a, shape: &box {box: [1, 1, 1]}}\n"
        "  - {name: b, shape: *box}\n"
    ).scene
    assert scene.bodies["b"].mass == scene.bodies["a"].mass == 1000


def test_contact_none_is_not_the_same_as_contact_left_out(load):
    assert load("version: 1\nrun: {step: 1}").run.contact is None
    assert load("version: 1\nrun: {contact: {method: none}}").run.contact == Choice("none")


def test_options_of_methods_pass_through(load):
    run = load(
        "version: 1\nrun: {every: 10, integrator: {name: DH, options: {order: 2}}, "
        "contact: {method: lcp, facets: 16, detection: exact}}"
    ).run
    assert run.every == 10
    assert run.integrator == Choice("DH", {"order": 2})
    assert run.contact == Choice("lcp", {"facets": 16, "detection": "exact"})


URDF = """<?xml version="1.0"?>
<!-- a pendulum -->
<robot name="pendulum">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.2" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="continuous"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/></joint>
</robot>
"""
MJCF = """<mujoco><worldbody><body name="ball" pos="0 0 1"><freejoint/>
<geom type="sphere" size="0.1" density="1000"/></body></worldbody></mujoco>
"""
RIGID_IPC = """{"scene_type": "distance_barrier_rb_problem", "timestep": 0.01, "max_time": 1.0,
"rigid_body_problem": {"gravity": [0, -9.8, 0], "rigid_bodies": [
{"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
"faces": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "density": 1000}]}}
"""


@pytest.mark.parametrize("name", ["scene.txt", "scene.yaml", "scene"])
@pytest.mark.parametrize(
    ("text", "body", "mass"),
    [(URDF, "arm", 2), (MJCF, "ball", 4000 / 3 * np.pi * 0.001), (RIGID_IPC, None, 1000 / 6)],
    ids=["urdf", "mjcf", "rigid-ipc"],
)
def test_the_content_decides_the_kind_of_file_whatever_its_name(
    load, tmp_path, name, text, body, mass
):
    loaded = load(text, name)
    bodies = loaded.scene.bodies
    chosen = bodies[body] if body else next(iter(bodies.values()))
    assert chosen.mass == pytest.approx(mass, rel=1e-12)
    save_scene(loaded.scene, tmp_path / "again.yaml", loaded.run)
    again = load_scene(tmp_path / "again.yaml")
    assert_same_scene(loaded.scene, again.scene)
    assert again.run == loaded.run
