"""MJCF: joints, loops, limits, what is left out, and what is reported when something is wrong."""

import sys
from contextlib import suppress
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dt
from dovetail.contact.body_pairs import BodyPairs
from dovetail.errors import InputError
from dovetail.io import load_scene
from dovetail.io.mjcf import read
from dovetail.io.safe_paths import MeshFolder
from dovetail.model import joints as j

BALL = '<geom size="0.1"/>'


def load(folder: Path, text: str) -> Any:
    path = folder / "model.xml"
    path.write_text(text)
    return read(path, MeshFolder(folder))


def world(inside: str, outside: str = "") -> str:
    return f"<mujoco>{outside}<worldbody>{inside}</worldbody></mujoco>"


def with_joints(folder: Path, *joints: str) -> list[Any]:
    """The joints of one body in the world, next to the world first."""
    inside = "".join(f"<joint {text}/>" for text in joints)
    scene = load(folder, world(f'<body name="b">{inside}{BALL}</body>')).scene
    entries = list(scene.joints.values())
    assert entries[0][1] == "ground" and entries[-1][2] == "b"
    assert all(first[2] == second[1] for first, second in pairwise(entries))
    return [entry[0] for entry in entries]


def test_several_joints_of_one_body_are_joints_one_after_the_other(tmp_path: Path) -> None:
    slide, hinge = with_joints(
        tmp_path, 'type="slide" axis="0 1 0" range="-1 2"', 'axis="0 1 0" pos="1 0 0" damping="3"'
    )
    assert isinstance(slide, j.Prismatic) and isinstance(hinge, j.Revolute)
    assert (slide.actuation[0].lower, slide.actuation[0].upper) == (-1, 2)
    assert np.allclose(hinge.point, [1, 0, 0]) and hinge.actuation[0].damping == 3


HIPS = """<mujoco><option integrator="RK4" timestep="0.0005"/><worldbody>
  <body name="thigh" pos="0 0 2">
    <joint name="x" axis="1 0 0" damping="0.2"/><joint name="z" axis="0 0.2 1" pos="0.02 0 0"/>
    <joint name="s" type="slide" axis="0 1 1" stiffness="900" springref="0.05"/>
    <joint name="y" axis="0 1 0" armature="0.3" ref="20" pos="0 0.01 -0.02"/>
    <geom type="capsule" fromto="0.2 0 0 0 0.1 -0.5" size="0.06"/>
  </body></worldbody></mujoco>"""


def test_a_body_on_three_hinges_and_a_slide_moves_as_in_mujoco(tmp_path: Path) -> None:
    (tmp_path / "m.xml").write_text(HIPS)
    scene = load(tmp_path, HIPS).scene
    assert list(scene.joints) == ["x", "z", "s", "y"]
    model = mujoco.MjModel.from_xml_string(HIPS)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 400)
    mujoco.mj_kinematics(model, data)
    result = dt.simulate(scene, duration=0.2, step=5e-4)
    assert np.allclose(result.position("thigh")[-1], data.xipos[1], rtol=0, atol=2e-5)


def test_limits_are_counted_from_the_initial_pose(tmp_path: Path) -> None:
    (made,) = with_joints(tmp_path, 'range="-90 180" ref="45" frictionloss="2"')
    (acting,) = made.actuation
    assert acting.lower == pytest.approx(-0.75 * np.pi)
    assert acting.upper == pytest.approx(0.75 * np.pi)
    assert acting.friction == 2
    (free,) = with_joints(tmp_path, 'range="-90 180" limited="false"')
    assert free.actuation == ()


def test_connect_and_weld_close_loops_unless_they_are_inactive(tmp_path: Path) -> None:
    bodies = (
        f'<body name="a" pos="0 0 1"><joint axis="0 1 0"/>{BALL}</body>'
        f'<body name="b" pos="1 0 1" euler="0 0 90"><joint axis="0 1 0"/>{BALL}</body>'
    )
    loops = (
        '<default><equality active="true"/><default class="off"><equality active="false"/>'
        '</default></default><equality><connect name="pin" body1="b" body2="a" anchor="0.5 0 0"/>'
        '<weld name="glue" body1="a"/><weld name="spare" class="off" body1="b"/></equality>'
    )
    loaded = load(tmp_path, world(bodies, loops))
    pin, *ends = loaded.scene.joints["pin"]
    assert isinstance(pin, j.Spherical) and ends == ["a", "b"]
    assert np.allclose(pin.point, [1, 0.5, 1])
    assert isinstance(loaded.scene.joints["glue"][0], j.Fixed)
    assert loaded.scene.joints["glue"][1:] == ("ground", "a")
    assert len(loaded.scene.joints) == 4
    assert "equality spare starts inactive and stays so" in loaded.notes


def test_a_weld_to_another_pose_is_left_out_by_name(tmp_path: Path) -> None:
    bodies = f'<body name="a"><freejoint/>{BALL}</body>'
    weld = '<equality><weld name="w" body1="a" relpose="0 0 1 1 0 0 0"/></equality>'
    loaded = load(tmp_path, world(bodies, weld))
    assert not loaded.scene.joints
    assert any("equality w (it starts 1 m or rad from" in note for note in loaded.notes)


def test_world_geometry_is_static_and_planes_are_half_spaces(tmp_path: Path) -> None:
    inside = (
        '<geom name="floor" type="plane" size="0 0 1" pos="0 0 -2" zaxis="0 1 1"/>'
        '<geom name="wall" type="box" size="1 1 1"/>'
        '<body name="post" pos="5 0 0"><geom type="cylinder" size="0.1 1"/>'
        f'<body name="arm" pos="0 0 1"><joint axis="0 1 0"/>{BALL}</body></body>'
    )
    scene = load(tmp_path, world(inside)).scene
    assert {n: b.motion for n, b in scene.bodies.items()} == {
        "floor": "static", "wall": "static", "post": "static", "arm": "dynamic",
    }  # fmt: skip
    floor = scene.bodies["floor"]
    assert np.allclose(floor.rotation @ floor.shape.unit_normal, np.array([0, 1, 1]) / np.sqrt(2))
    assert next(iter(scene.joints.values()))[1:] == ("ground", "arm")


def test_a_pair_takes_the_larger_friction(tmp_path: Path) -> None:
    inside = (
        '<geom type="plane" size="1 1 1" friction="0.2 0 0"/>'
        '<body name="a" pos="0 0 1"><freejoint/><geom size="0.1" friction="0.7"/></body>'
        '<body name="b" pos="0 0 2"><freejoint/><geom size="0.1" condim="1"/></body>'
    )
    model = load(tmp_path, world(inside)).scene.build()
    pairs = [(0, 1, 0.7), (0, 2, 0.2), (1, 2, 0.7)]
    for a, b, mu in pairs:
        pair = model.pair_material(a, b)
        assert pair is not None and pair.friction == mu


CHAIN = (
    f'<body name="a" pos="0 0 1"><freejoint/>{BALL}'
    f'<body name="b" pos="1 0 0"><joint/>{BALL}<body name="c" pos="1 0 0"><joint/>{BALL}'
    f'<body name="held" pos="0 0 1">{BALL}</body></body></body></body>'
    '<body name="mask" pos="9 0 1"><freejoint/><geom size="0.1" contype="2" conaffinity="2"/>'
    "</body>"
)


def test_masks_excludes_pairs_and_parents_decide_who_collides_as_in_mujoco(tmp_path: Path) -> None:
    outside = '<contact><exclude body1="a" body2="held"/></contact>'
    text = world(f'<geom name="floor" type="plane" size="1 1 1"/>{CHAIN}', outside)
    scene = load(tmp_path, text).scene
    model = scene.build()
    pairs = BodyPairs(model)
    names = ("a", "b", "c", "held", "mask", "floor")
    meet = {
        (a, b) for a, b in combinations(names, 2)
        if pairs.may_collide(model.index(a), model.index(b))
    }  # fmt: skip
    assert meet == {("a", "c"), *((name, "floor") for name in ("a", "b", "c", "held"))}
    paired = '<contact><pair geom1="floor" geom2="m"/></contact>'
    again = text.replace('<geom size="0.1" contype', '<geom name="m" size="0.1" contype')
    model = load(tmp_path, again.replace(outside, paired)).scene.build()
    assert BodyPairs(model).may_collide(model.index("mask"), model.index("floor"))


def test_excluded_contacts_survive_being_saved(tmp_path: Path) -> None:
    scene = load(tmp_path, world(CHAIN)).scene
    scene.save(tmp_path / "model.yaml")
    assert load_scene(tmp_path / "model.yaml").scene.build().excluded == scene.build().excluded


COUPLED = """<mujoco><option timestep="0.0002" integrator="RK4"><flag contact="disable"/></option>
  <default><joint damping="0.02"/><geom type="capsule" size="0.02" density="900"/>
    <equality solref="0.0005 1"/></default>
  <worldbody><body name="a"><joint name="qa" axis="0 1 0"/><geom fromto="0 0 0 0.3 0 0"/>
    <body name="b" pos="0.3 0 0"><joint name="qb" axis="0 1 0" ref="10"/>
      <geom fromto="0 0 0 0.2 0 0"/>
      <body name="c" pos="0.2 0 0"><joint name="qc" axis="0 1 0"/><geom fromto="0 0 0 0.1 0 0"/>
      </body></body></body></worldbody>
  <tendon><fixed name="t" stiffness="30" springlength="0.1" damping="0.3">
    <joint joint="qa" coef="1"/><joint joint="qc" coef="-0.5"/></fixed></tendon>
  <equality>EQUALITY</equality>
  <actuator><position name="p" tendon="t" kp="20"/><motor joint="qb" gear="3"/></actuator>
  <keyframe><key name="bent" qpos="0.1 0.21453292519943295 0.3"/></keyframe>
</mujoco>"""
GEAR = '<joint joint1="qb" joint2="qa" polycoef="0 0.4 0 0 0"/>'


@pytest.mark.parametrize(("equality", "keyframe"), [("", None), (GEAR, None), (GEAR, "bent")])
def test_tendons_and_coupled_joints_move_as_in_mujoco(
    tmp_path: Path, equality: str, keyframe: str | None
) -> None:
    """The constraint of MuJoCo yields; a stiff one comes as near as this."""
    text = COUPLED.replace("EQUALITY", equality)
    (tmp_path / "model.xml").write_text(text)
    loaded = load_scene(tmp_path / "model.xml", keyframe=keyframe)
    left_out = [note for note in loaded.notes if "not supported" in note]
    soft = "not supported and left out: equality solref and solimp (they are rigid)"
    assert left_out in ([], [soft])
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    if keyframe:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, 1000)
    mujoco.mj_kinematics(model, data)
    result = dt.simulate(loaded.scene, duration=0.2, step=5e-4)
    for name in ("a", "b", "c"):
        theirs = data.xipos[model.body(name).id]
        assert np.allclose(result.position(name)[-1], theirs, rtol=0, atol=2e-4)


def test_a_geom_or_body_named_ground_is_renamed_with_a_note(tmp_path: Path) -> None:
    inside = (
        '<geom name="ground" type="plane" size="1 1 1"/>'
        f'<body name="ground" pos="0 0 1"><freejoint/>{BALL}</body>'
    )
    loaded = load(tmp_path, world(inside))
    assert set(loaded.scene.bodies) == {"ground-0", "ground-1"}
    assert any("'ground' is 'ground-1'" in note for note in loaded.notes)


def test_geometry_without_contact_gives_mass_but_no_surface(tmp_path: Path) -> None:
    inside = (
        '<body name="a" pos="0 0 1"><freejoint/>'
        '<geom size="0.1" pos="1 0 0" contype="0" conaffinity="0" mass="2"/></body>'
    )
    loaded = load(tmp_path, world(inside))
    body = loaded.scene.bodies["a"]
    assert body.mass == 2 and len(body.vertices) == 0 and np.allclose(body.position, [1, 0, 1])
    assert any("no part in contact" in note for note in loaded.notes)


def test_option_flags_and_step_are_followed(tmp_path: Path) -> None:
    flags = '<option timestep="0.01"><flag gravity="disable" contact="disable"/></option>'
    loaded = load(tmp_path, world("", flags))
    assert np.allclose(loaded.scene.gravity, 0) and loaded.run.step == 0.01
    assert loaded.run.contact.name == "none"


def test_what_is_not_supported_is_listed_in_one_note(tmp_path: Path) -> None:
    inside = (
        f'<light/><body name="a" gravcomp="1"><joint name="q" armature="0.1" range="-9 9"/>'
        f'{BALL}<site name="s"/><camera/></body>'
        '<body name="m" mocap="true"/><site name="w"/>'
    )
    outside = (
        '<option integrator="RK4" wind="1 0 0"/><sensor><jointpos joint="q"/></sensor>'
        '<tendon><fixed name="t"><joint joint="q" coef="1"/></fixed>'
        '<spatial name="s"><site site="s"/><site site="w"/></spatial></tendon>'
        '<asset><texture name="x" type="2d" file="missing.png"/><material name="x" texture="x"/>'
        '</asset><actuator><muscle name="flex" joint="q"/><position name="p" joint="q" kp="3" '
        'forcerange="-1 1"/><adhesion name="glue" body="a" ctrlrange="0 1"/></actuator>'
    )
    notes = [n for n in load(tmp_path, world(inside, outside)).notes if "not supported" in n]
    assert len(notes) == 1
    for name in ("sensor jointpos", "option wind", "tendon s", "actuator flex", "actuator glue",
                 "mocap"):  # fmt: skip
        assert name in notes[0]


@pytest.mark.parametrize("name", ["../secret.xml", "/etc/passwd", "missing.xml", "model.xml", ""])
def test_includes_stay_inside_the_folder_and_come_once(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    with pytest.raises(InputError, match=r"`file`|second time"):
        load(inner, f'<mujoco><include file="{name}"/></mujoco>')


def test_a_mistake_is_reported_with_the_line_of_the_file_it_is_in(tmp_path: Path) -> None:
    (tmp_path / "legs.xml").write_text(
        '<mujocoinclude>\n\n<body name="a">\n<joint axis="0 0 0"/></body></mujocoinclude>'
    )
    with pytest.raises(InputError, match=r"line 4 of legs.xml"):
        load(tmp_path, world('\n<include file="legs.xml"/>'))
    with pytest.raises(InputError, match=r"unrecognized attribute: 'sise'.*line 2 of model.xml"):
        load(tmp_path, world('\n<geom sise="1"/>'))


def test_a_moving_body_without_mass_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mass and inertia of moving bodies"):
        load(tmp_path, world('<body name="a"><freejoint/></body>'))


def test_without_mujoco_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(InputError, match=r"pip install 'dovetail\[mujoco\]'"):
        load(tmp_path, world(""))


def test_replicate_attach_and_frames_are_all_there(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.xml").write_text(
        '<mujoco><worldbody><body name="leg"><joint name="knee" axis="0 1 0"/>'
        '<geom size="0.1"/></body></worldbody></mujoco>'
    )
    inside = (
        f'<replicate count="3" offset="1 0 0"><body name="ball"><freejoint/>{BALL}</body>'
        '</replicate><frame pos="0 5 0"><attach model="legs" body="leg" prefix="left-"/></frame>'
    )
    outside = '<asset><model name="legs" file="parts/leg.xml"/></asset>'
    scene = load(tmp_path, world(inside, outside)).scene
    assert len(scene.bodies) == 4 and np.allclose(scene.bodies["left-leg"].position, [0, 5, 0])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('<replicate count="1000000"><geom size="1"/></replicate>', "count"),
        ('<replicate count="1000"><replicate count="1000"><geom size="1"/></replicate></replicate>',
         "elements of the model"),
        ('<flexcomp name="cloth" type="grid" count="5 5 1"/>', "deformable"),
        ('<body><freejoint/><geom type="mesh" mesh="m"/></body>', "MuJoCo cannot compile it"),
    ],
)  # fmt: skip
def test_what_cannot_be_borne_or_read_is_refused_by_name(
    tmp_path: Path, text: str, named: str
) -> None:
    with pytest.raises(InputError, match=named):
        load(tmp_path, world(text))


KEYED = f"""<mujoco><worldbody><body name="a" pos="0 0 1">
  <joint name="q" axis="0 1 0" range="-90 90"/>
  {BALL}<geom size="0.1" pos="1 0 0"/></body></worldbody>
  <actuator><position name="servo" joint="q" kp="10" ctrlrange="0.1 1"/></actuator>
  <keyframe><key name="home" qpos="0.5" qvel="2" ctrl="0.7"/></keyframe></mujoco>"""


def test_a_keyframe_gives_pose_velocity_limits_and_controls(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(KEYED)
    plain, home = dt.Scene.load(path), dt.Scene.load(path, keyframe="home")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert np.allclose(home.bodies["a"].position, data.xipos[1])
    assert np.allclose(home.bodies["a"].angular_velocity, [0, 2, 0])
    (acting,) = home.joints["q"][0].actuation
    assert acting.upper == pytest.approx(np.pi / 2 - 0.5)
    assert acting.stiffness * acting.rest == pytest.approx(data.qfrc_actuator[0])
    (idle,) = plain.joints["q"][0].actuation
    assert idle.rest == pytest.approx(0.1)  # a control of zero is not in its range
    with pytest.raises(InputError, match="keyframe 'hme' is not in the model; did you mean 'home'"):
        dt.Scene.load(path, keyframe="hme")


ROBOT = """<mujoco model="m">
  <compiler angle="radian" meshdir="." eulerseq="xyz" autolimits="true"/>
  <option gravity="0 0 -1" timestep="0.01"/>
  <default><geom density="10" size="0.1"/>
    <default class="k"><joint range="-1 1"/></default></default>
  <asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="1 2 3"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 1" zaxis="0 0 1"/>
    <body name="a" pos="0 0 1" euler="0.1 0.2 0.3" childclass="k">
      <joint name="j1" axis="0 1 0" stiffness="1" damping="2" springref="0.1" ref="0.2"/>
      <geom type="capsule" fromto="0 0 0 0 0 1" size="0.1" friction="1 0 0"/>
      <frame axisangle="1 0 0 0.4"><body name="b" xyaxes="1 0 0 0 1 0">
        <joint name="j2" type="slide" axis="1 0 0"/><joint name="j3" axis="1 0 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1" quat="1 0 0 0"/>
        <geom type="mesh" mesh="t" mass="1"/><geom type="ellipsoid" size="1 2 3"/></body></frame>
    </body>
    <body name="c"><freejoint/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/></body>
  </worldbody>
  <equality><connect name="e" body1="a" body2="c" anchor="1 2 3"/>
    <weld body1="b" body2="c" relpose="0 0 0 0 0 0 0"/></equality>
  <actuator><position joint="j1" kp="3" gear="2"/><motor joint="j2" forcerange="-1 1"/></actuator>
</mujoco>
"""
WORDS = [
    "", "x", "nan", "inf", "1e400", "-1", "0", "0 0 0", "1 2", "0 0 0 0", "1e99 1e99 1e99",
    "1e20 1e20 1e20", "1e-20", "1e-20 1e-20 1e-20", "a", "world", "ground", "mesh", "plane",
    "free", "ball", "auto", "k", "\u2603" * 300,
]  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(at=st.integers(0, 200), value=st.sampled_from(WORDS), cut=st.integers(0, 3000),
       how=st.sampled_from(["value", "value", "cut", "drop"]))  # fmt: skip
def test_damaged_files_are_refused_in_words(
    tmp_path: Path, at: int, value: str, cut: int, how: str
) -> None:
    pieces = ROBOT.split('"')
    lines = ROBOT.split("\n")
    if how == "value":
        pieces[(2 * at + 1) % (len(pieces) - 1) | 1] = value
        text = '"'.join(pieces)
    elif how == "cut":
        text = ROBOT[: cut % len(ROBOT)]
    else:
        text = "\n".join(line for n, line in enumerate(lines) if n != at % len(lines))
    with suppress(InputError):  # and nothing else
        load(tmp_path, text)


@pytest.mark.parametrize("tag", ["body", "frame"])
def test_the_deepest_nesting_that_is_read_is_read_to_its_end(tmp_path: Path, tag: str) -> None:
    levels = 195
    leaf = f'<body name="leaf"><freejoint/>{BALL}</body>' if tag == "frame" else BALL
    text = world(f'<{tag} pos="0 0 0.01">' * levels + leaf + f"</{tag}>" * levels)
    (body,) = load(tmp_path, text).scene.bodies.values()
    assert body.position[2] == pytest.approx(0.01 * levels)


def test_a_model_survives_being_saved_as_yaml(tmp_path: Path) -> None:
    (tmp_path / "model.xml").write_text(ROBOT)
    first = load_scene(tmp_path / "model.xml").scene
    first.save(tmp_path / "model.yaml")
    once, again = first.build(), load_scene(tmp_path / "model.yaml").scene.build()
    assert once.names == again.names
    finite = np.isfinite(once.mass)
    for what in ("mass", "inertia", "position", "rotation"):
        ours, theirs = getattr(once, what)[finite], getattr(again, what)[finite]
        assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    assert [p.joint.actuation for p in once.joints] == [p.joint.actuation for p in again.joints]
    assert once.materials == again.materials


def test_the_model_of_the_damage_test_is_itself_sound(tmp_path: Path) -> None:
    assert set(load(tmp_path, ROBOT).scene.joints) == {"j1", "j2", "j3", "e", "weld-2"}


def test_rotor_and_damper_of_an_actuator_are_its_joints_by_the_gear(tmp_path: Path) -> None:
    joint = f'<body name="a"><joint name="q"/>{BALL}</body>'
    motor = '<actuator><motor joint="q" gear="3" armature=".5" damping=".7" group="2"/></actuator>'
    entry = load(tmp_path, world(joint, motor)).scene.joints["q"][0].actuation[0]
    assert entry.armature == pytest.approx(4.5) and entry.damping == pytest.approx(6.3)


def test_actuators_of_a_group_that_is_off_do_nothing(tmp_path: Path) -> None:
    joint = f'<body name="a"><joint name="q" ref="0"/>{BALL}</body>'
    servo = '<actuator><position joint="q" kp="5" group="2"/></actuator>'
    off = '<option actuatorgroupdisable="2"/>' + servo
    assert load(tmp_path, world(joint, servo)).scene.joints["q"][0].actuation[0].stiffness == 5
    assert load(tmp_path, world(joint, off)).scene.joints["q"][0].actuation == ()


@pytest.mark.parametrize(
    ("inside", "outside", "said"),
    [
        ('<geom size="1" condim="6"/>', "", "torsional and rolling friction (condim 4 and 6)"),
        ('<geom size="1" solref=".01 1"/>', "", "geom solref and solimp"),
        ('<joint name="q" frictionloss="1" solreffriction=".1 1"/>', "", "solreffriction"),
        ('<joint name="q" limited="true" range="-9 9" margin=".1"/>', "", "margin (joint q)"),
        (
            '<joint name="q"/><joint name="p" axis="1 0 0"/>',
            '<equality><joint joint1="q" joint2="p" solref=".1 1"/></equality>',
            "equality solref and solimp",
        ),
        (
            '<freejoint/><geom name="u" size=".1"/>',
            '<contact><pair geom1="u" geom2="v" friction=".3"/></contact>',
            "of <pair> (1)",
        ),
    ],
)
def test_soft_constraints_that_are_not_followed_are_listed(
    tmp_path: Path, inside: str, outside: str, said: str
) -> None:
    floor = '<geom name="v" size=".1" pos="0 0 -3"/>'
    loaded = load(tmp_path, world(f'{floor}<body name="a">{inside}{BALL}</body>', outside))
    assert any("not supported" in note and said in note for note in loaded.notes), loaded.notes


def test_python_says_what_a_file_leaves_out(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    path = tmp_path / "windy.xml"
    path.write_text(world(f'<body name="a"><joint/>{BALL}</body>', '<option wind="1 0 0"/>'))
    for _ in range(2):
        dt.Scene.load(path)
    said = capsys.readouterr().err
    assert said.count("dovetail: windy.xml: not supported and left out: option wind") == 1
