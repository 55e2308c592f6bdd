"""MJCF: joints, loops, limits, what is left out, and what is reported when something is wrong."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


def with_joints(folder: Path, *joints: str) -> Any:
    inside = "".join(f"<joint {text}/>" for text in joints)
    scene = load(folder, world(f'<body name="b">{inside}{BALL}</body>')).scene
    (entry,) = scene.joints.values()
    assert entry[1:] == ("ground", "b")
    return entry[0]


def test_a_hinge_and_a_slide_on_one_axis_are_cylindrical(tmp_path: Path) -> None:
    made = with_joints(
        tmp_path, 'type="slide" axis="0 1 0" range="-1 2"', 'axis="0 1 0" pos="1 0 0" damping="3"'
    )
    assert isinstance(made, j.Cylindrical)
    assert np.allclose(made.point, [1, 0, 0]) and np.allclose(made.axis, [0, 1, 0])
    turn, slide = made.actuation  # the turn comes first, whatever the order in the file
    assert turn.damping == 3 and (slide.lower, slide.upper) == (-1, 2)


def test_two_perpendicular_hinges_through_one_point_are_universal(tmp_path: Path) -> None:
    made = with_joints(tmp_path, 'axis="1 0 0" pos="3 0 1"', 'axis="0 1 0" pos="0 4 1"')
    assert isinstance(made, j.Universal)
    assert np.allclose(made.point, [0, 0, 1])
    assert np.allclose(made.axis, [1, 0, 0]) and np.allclose(made.axis2, [0, 1, 0])


def test_three_hinges_are_a_ball_and_two_slides_with_a_hinge_a_plane(tmp_path: Path) -> None:
    hinges = ['axis="1 0 0"', 'axis="0 1 0"', 'axis="0 0 1"']
    assert isinstance(with_joints(tmp_path, *hinges), j.Spherical)
    rails = ['type="slide" axis="1 0 0"', 'type="slide" axis="0 0 1"']
    made = with_joints(tmp_path, *rails, 'axis="0 1 0"')
    assert isinstance(made, j.Planar) and np.allclose(made.axis, [0, 1, 0])


@pytest.mark.parametrize(
    "joints",
    [
        ('axis="1 0 0"', 'axis="1 1 0"'),
        ('axis="1 0 0"', 'axis="0 1 0" pos="0 0 1"'),
        ('type="slide" axis="1 0 0"', 'type="slide" axis="0 1 0"'),
        ('type="slide" axis="1 0 0"', 'axis="0 1 0"'),
        ('axis="1 0 0" damping="1"', 'axis="0 1 0"', 'axis="0 0 1"'),
    ],
)
def test_joints_that_are_no_single_joint_are_refused_with_what_works(
    tmp_path: Path, joints: tuple[str, ...]
) -> None:
    with pytest.raises(InputError, match="what works is"):
        with_joints(tmp_path, *joints)


def test_limits_are_counted_from_the_initial_pose(tmp_path: Path) -> None:
    made = with_joints(tmp_path, 'range="-90 180" ref="45" frictionloss="2"')
    (acting,) = made.actuation
    assert acting.lower == pytest.approx(-0.75 * np.pi)
    assert acting.upper == pytest.approx(0.75 * np.pi)
    assert acting.friction == 2
    free = with_joints(tmp_path, 'range="-90 180" limited="false"')
    assert free.actuation == ()


def test_connect_and_weld_close_loops(tmp_path: Path) -> None:
    bodies = (
        f'<body name="a" pos="0 0 1"><joint axis="0 1 0"/>{BALL}</body>'
        f'<body name="b" pos="1 0 1" euler="0 0 90"><joint axis="0 1 0"/>{BALL}</body>'
    )
    loops = (
        '<equality><connect name="pin" body1="b" body2="a" anchor="0.5 0 0"/>'
        '<weld name="glue" body1="a"/><connect body1="a" anchor="0 0 0" active="false"/>'
        '<joint joint1="x"/></equality>'
    )
    loaded = load(tmp_path, world(bodies, loops))
    pin, *ends = loaded.scene.joints["pin"]
    assert isinstance(pin, j.Spherical) and ends == ["a", "b"]
    assert np.allclose(pin.point, [1, 0.5, 1])
    assert isinstance(loaded.scene.joints["glue"][0], j.Fixed)
    assert loaded.scene.joints["glue"][1:] == ("ground", "a")
    assert len(loaded.scene.joints) == 4
    assert any("equality joint" in note for note in loaded.notes)


def test_a_weld_to_another_pose_is_refused(tmp_path: Path) -> None:
    bodies = f'<body name="a"><freejoint/>{BALL}</body>'
    weld = '<equality><weld body1="a" relpose="0 0 1 1 0 0 0"/></equality>'
    with pytest.raises(InputError, match="relpose"):
        load(tmp_path, world(bodies, weld))


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


def test_bodies_of_one_tree_do_not_collide_but_trees_do(tmp_path: Path) -> None:
    inside = (
        f'<body name="a"><freejoint/>{BALL}<body name="b"><joint/>{BALL}</body></body>'
        f'<body name="c"><freejoint/>{BALL}</body>'
    )
    groups = [body.group for body in load(tmp_path, world(inside)).scene.build().bodies]
    assert groups[0] is not None and groups == [groups[0], groups[0], None]


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
        f'<light/><body name="a"><joint name="q" armature="0.1" solreflimit="0 1"/>{BALL}'
        '<site name="s"/><camera/></body>'
    )
    outside = (
        '<option integrator="RK4"/><tendon/><sensor/><keyframe/><asset><texture/></asset>'
        '<actuator><muscle joint="q"/><position joint="q" forcerange="0 1"/></actuator>'
    )
    notes = [n for n in load(tmp_path, world(inside, outside)).notes if "not supported" in n]
    assert len(notes) == 1
    for name in ("light", "armature (joint q)", "joint solreflimit", "site", "camera", "tendon",
                 "option integrator", "sensor", "keyframe", "texture", "actuator muscle",
                 "position forcerange"):  # fmt: skip
        assert name in notes[0]


@pytest.mark.parametrize("name", ["../secret.xml", "/etc/passwd", "missing.xml", "model.xml", ""])
def test_includes_stay_inside_the_folder_and_come_once(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    with pytest.raises(InputError, match=r"`file`|second time"):
        load(inner, f'<mujoco><include file="{name}"/></mujoco>')


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    inside = (
        '<body name="a" pos="1 2"><joint axis="0 0 0"/><geom size="-1"/></body>'
        '<body name="b"><joint range="2 1"/><geom type="mesh" mesh="none"/></body>'
        '<body name="c" class="x"><freejoint/><joint/><geom class="none"/></body>'
        '<body name="d"><freejoint/><geom type="plane" size="1 1 1"/></body>'
    )
    outside = '<option timestep="0"/><actuator><motor joint="lost"/></actuator>'
    with pytest.raises(InputError) as error:
        load(tmp_path, world(inside, outside))
    reported = "\n".join(error.value.mistakes)
    for part in ("`pos`", "`axis`", "`size`", "`range`", "`mesh`", "default class", "free joint",
                 "plane", "`timestep`", '"lost"'):  # fmt: skip
        assert part in reported


def test_a_moving_body_without_mass_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'a' moves, so it needs a mass"):
        load(tmp_path, world('<body name="a"><freejoint/></body>'))


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
    assert set(load(tmp_path, ROBOT).scene.joints) == {"j1", "j2+j3", "e", "weld-2"}
