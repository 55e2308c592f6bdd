"""URDF: masses, inertias and joint axes as Pinocchio reads them; what is left out is reported."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dovetail.errors import InputError
from dovetail.io import load_scene
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.urdf import read
from dovetail.linalg.lie import so3
from dovetail.model import joints as j
from dovetail.model.shapes.shape import MassProperties, combined

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base">
    <inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"/><mass value="3"/>
      <inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.25" iyz="0.03" izz="0.2"/></inertial>
    <visual><geometry><box size="9 9 9"/></geometry></visual>
    <collision><origin xyz="0 0 0.5" rpy="0 0 0.3"/><geometry><box size="0.2 0.4 1"/></geometry>
    </collision>
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.25"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.12" iyz="0.01" izz="0.05"/></inertial>
    <visual><origin xyz="0 0 0.25" rpy="1.5707963 0 0"/>
      <geometry><cylinder radius="0.05" length="0.5"/></geometry></visual>
  </link>
  <link name="tool_frame"/>
  <link name="slider">
    <inertial><mass value="0.5"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
  </link>
  <link name="wheel">
    <inertial><mass value="0.7"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial>
  </link>
  <link name="box">
    <inertial><origin xyz="0.01 0 0"/><mass value="0.2"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0.1 0 1" rpy="0.2 0.3 -0.4"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 3 4"/><limit lower="-1" upper="2" effort="50" velocity="3"/>
    <dynamics damping="0.7" friction="0.2"/>
  </joint>
  <joint name="flange" type="fixed">
    <origin xyz="0 0 0.5" rpy="0 1 0"/><parent link="upper"/><child link="tool_frame"/>
  </joint>
  <joint name="rail" type="prismatic">
    <origin xyz="0.2 0 0"/><parent link="tool_frame"/><child link="slider"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="0.4" effort="0" velocity="0"/>
    <mimic joint="shoulder"/>
  </joint>
  <joint name="spin" type="continuous">
    <origin xyz="0 0.3 0"/><parent link="slider"/><child link="wheel"/>
  </joint>
  <joint name="glue" type="fixed">
    <origin xyz="0 -0.3 0" rpy="0 0 0.5"/><parent link="slider"/><child link="box"/>
  </joint>
  <transmission name="t"/>
  <gazebo reference="base"/>
</robot>
"""


def load(folder: Path, text: str, **options: Any) -> Any:
    path = folder / "robot.urdf"
    path.write_text(text)
    return read(path, MeshFolder(folder), **options)


def link(name: str, inside: str = "", mass: float | None = 1.0) -> str:
    heavy = (
        f'<inertial><mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
        'iyz="0"/></inertial>'
    )
    return f'<link name="{name}">{heavy if mass else ""}{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inside}</joint>"
    )


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


@pytest.mark.parametrize("fixed_base", [False, True])
def test_bodies_and_axes_are_where_pinocchio_has_them(tmp_path: Path, fixed_base: bool) -> None:
    pin = pytest.importorskip("pinocchio")
    scene = load(tmp_path, ARM, fixed_base=fixed_base).scene
    model = pin.buildModelFromXML(ARM) if fixed_base else pin.buildModelFromXML(
        ARM, pin.JointModelFreeFlyer()
    )  # fmt: skip
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    assert set(scene.bodies) == {"base", "upper", "slider", "wheel", "box"}
    for number in range(1, model.njoints):  # Pinocchio adds up the links held by one joint
        held = [
            body
            for name, body in scene.bodies.items()
            if model.frames[model.getFrameId(name, pin.FrameType.BODY)].parentJoint == number
        ]
        ours = combined(
            [
                MassProperties(3, b.mass, b.position, b.rotation @ b.inertia @ b.rotation.T)
                for b in held
            ]
        )
        theirs = data.oMi[number].act(model.inertias[number])
        assert ours.measure == pytest.approx(theirs.mass)
        assert np.allclose(ours.centre, theirs.lever, rtol=0, atol=1e-12)
        assert np.allclose(ours.inertia, theirs.inertia, rtol=0, atol=1e-12)
    along = {"shoulder": np.array([0, 0.6, 0.8]), "rail": np.eye(3)[2], "spin": np.eye(3)[0]}
    for name, axis in along.items():
        placed = data.oMi[model.getJointId(name)]
        ours = scene.joints[name][0]
        assert np.allclose(ours.point, placed.translation, rtol=0, atol=1e-12)
        assert np.allclose(ours.axis, placed.rotation @ axis, rtol=0, atol=1e-12)


def test_joints_keep_kinds_limits_and_what_acts_on_them(tmp_path: Path) -> None:
    scene = load(tmp_path, ARM).scene
    kinds = {name: type(entry[0]) for name, entry in scene.joints.items()}
    assert kinds == {
        "shoulder": j.Revolute, "rail": j.Prismatic, "spin": j.Revolute, "glue": j.Fixed,
    }  # fmt: skip
    assert scene.joints["rail"][1:] == ("upper", "slider")  # the frame between is no body
    assert scene.joints["shoulder"][0].actuation == (
        j.Actuation(lower=-1, upper=2, damping=0.7, friction=0.2, effort_limit=50,
                    velocity_limit=3),
    )  # fmt: skip
    assert scene.joints["rail"][0].actuation == (j.Actuation(lower=0, upper=0.4),)
    assert scene.joints["spin"][0].actuation == ()


def test_a_robot_survives_being_saved_as_yaml(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    first = load_scene(tmp_path / "arm.urdf").scene
    first.save(tmp_path / "arm.yaml")
    once, again = first.build(), load_scene(tmp_path / "arm.yaml").scene.build()
    assert once.names == again.names
    for what in ("mass", "inertia", "position", "rotation"):
        assert np.allclose(getattr(once, what), getattr(again, what), rtol=1e-12, atol=1e-14)
    assert [p.joint.actuation for p in once.joints] == [p.joint.actuation for p in again.joints]


def test_what_is_not_supported_is_listed_in_one_note(tmp_path: Path) -> None:
    notes = [n for n in load(tmp_path, ARM).notes if "not supported" in n]
    assert len(notes) == 1
    for name in ("mimic (joint rail", "transmission", "gazebo", "material"):
        assert name in notes[0]


def test_collision_geometry_is_taken_before_visual(tmp_path: Path) -> None:
    scene = load(tmp_path, ARM).scene
    assert np.max(np.abs(scene.bodies["base"].vertices)) < 2
    upper = scene.bodies["upper"]
    world = (upper.vertices @ upper.rotation.T) + upper.position
    local = (world - [0.1, 0, 1]) @ upper.rotation
    assert np.allclose(np.ptp(local, axis=0), [0.1, 0.5, 0.1], rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("root", "held"), [(link("world"), True), (link("a", mass=None), True), (link("a"), False)]
)
def test_the_base_is_the_ground_only_when_called_world_or_without_mass(
    tmp_path: Path, root: str, held: bool
) -> None:
    name = "world" if "world" in root else "a"
    scene = load(tmp_path, robot(root, link("b"), joint("x", "continuous", name, "b"))).scene
    assert scene.joints["x"][1] == ("ground" if held else "a")
    moving = {body.name for body in scene.bodies.values() if body.motion == "dynamic"}
    assert moving == ({"b"} if held else {"a", "b"})


def test_planar_and_floating_joints(tmp_path: Path) -> None:
    scene = load(
        tmp_path,
        robot(
            link("world", mass=None), link("puck"), link("bird"),
            joint("table", "planar", "world", "puck",
                  '<origin xyz="1 2 3"/><axis xyz="0 1 0"/>'),
            joint("air", "floating", "puck", "bird", '<origin xyz="0 0 5"/>'),
        ),
    ).scene  # fmt: skip
    assert isinstance(scene.joints["table"][0], j.Planar)
    assert np.allclose(scene.joints["table"][0].axis, [0, 1, 0])
    assert "air" not in scene.joints and np.allclose(scene.bodies["bird"].position, [1, 2, 8])


def test_massless_links_between_two_turns_make_a_universal_joint(tmp_path: Path) -> None:
    parts = (
        link("world", mass=None), link("cross", mass=None), link("shaft"),
        joint("first", "continuous", "world", "cross", '<axis xyz="1 0 0"/>'),
    )  # fmt: skip
    second = joint("second", "continuous", "cross", "shaft", '<axis xyz="0 0 1"/>')
    scene = load(tmp_path, robot(*parts, second)).scene
    made = scene.joints["second"][0]
    assert isinstance(made, j.Universal)
    assert np.allclose(made.axis, [1, 0, 0]) and np.allclose(made.axis2, [0, 0, 1])
    apart = joint("second", "continuous", "cross", "shaft",
                  '<origin xyz="0 1 0"/><axis xyz="0 0 1"/>')  # fmt: skip
    with pytest.raises(InputError, match="no joint we have"):
        load(tmp_path, robot(*parts, apart))


def test_geometry_of_a_massless_link_goes_to_what_holds_it(tmp_path: Path) -> None:
    ball = (
        '<collision><origin xyz="1 0 0" rpy="0 0 0.3"/><geometry><box size="1 2 3"/></geometry>'
        "</collision>"
    )
    parts = (link("a"), link("tip", ball, mass=None))
    held = joint("x", "fixed", "a", "tip", '<origin xyz="0 0 4" rpy="0 0 0.2"/>')
    body = load(tmp_path, robot(*parts, held)).scene.bodies["a"]
    middle = np.array([np.cos(0.2), np.sin(0.2), 4])
    assert np.allclose(body.vertices.mean(axis=0), middle)
    turned = (body.vertices - middle) @ so3.exp([0, 0, 0.5])
    assert np.allclose(np.abs(turned), [0.5, 1, 1.5])
    assert body.mass == 1 and np.allclose(body.inertia, np.eye(3))
    with pytest.raises(InputError, match="'tip' moves, so it needs a mass"):
        load(tmp_path, robot(*parts, joint("x", "continuous", "a", "tip")))


def test_meshes_are_found_through_package_paths_and_stay_inside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "tet.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    for name in ("package://thing/meshes/tet.obj", "meshes/tet.obj", "package://meshes/tet.obj"):
        mesh = f'<geometry><mesh filename="{name}" scale="2 3 -4"/></geometry>'
        scene = load(tmp_path, robot(link("a", f"<collision>{mesh}</collision>"))).scene
        assert np.allclose(np.ptp(scene.bodies["a"].vertices, axis=0), [2, 3, 4])
    for name in ("../out.obj", "package://thing/../../out.obj", "http://x/y.obj", "/etc/passwd"):
        mesh = f'<geometry><mesh filename="{name}"/></geometry>'
        with pytest.raises(InputError, match="filename"):
            load(tmp_path, robot(link("a", f"<collision>{mesh}</collision>")))


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        load(
            tmp_path,
            robot(
                link("a", '<collision><geometry><box size="1 2"/></geometry></collision>'),
                link("b", '<collision><geometry><cone/></geometry></collision>', mass=-1),
                joint("x", "revolute", "a", "b", '<axis xyz="0 0 0"/>'),
            ),
        )  # fmt: skip
    reported = "\n".join(error.value.mistakes)
    for part in ("`size`", "<cone>", "`value`", "direction", "<limit>"):
        assert part in reported


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (robot(), "at least one <link>"),
        (robot(link("a"), link("b")), "exactly one root"),
        (robot(link("a"), link("a")), "unique"),
        (robot(link("a"), joint("x", "fixed", "a", "z")), "which is not there"),
        (robot(link("a"), link("b"), joint("x", "fixed", "a", "b"), joint("y", "fixed", "b", "a")),
         "ring"),
        (robot(link("a"), link("b"), joint("x", "magnet", "a", "b")), "must be one of fixed"),
        ("<mujoco/>", "URDF <robot>"),
        (robot('<xacro:include filename="x"/>', link("a")), "expand it first"),
        ("<robot>", "well-formed"),
    ],
)  # fmt: skip
def test_a_tree_that_is_none_is_refused(tmp_path: Path, text: str, reported: str) -> None:
    with pytest.raises(InputError, match=reported):
        load(tmp_path, text)


WORDS = [
    "",
    "x",
    "nan",
    "inf",
    "1e400",
    "-1",
    "0",
    "0 0 0",
    "1 2",
    "1_0",
    "world",
    "a" * 300,
    "ground",
]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(at=st.integers(0, 200), value=st.sampled_from(WORDS), cut=st.integers(0, 3000),
       how=st.sampled_from(["value", "cut", "drop"]))  # fmt: skip
def test_damaged_files_are_refused_in_words(
    tmp_path: Path, at: int, value: str, cut: int, how: str
) -> None:
    pieces = ARM.split('"')
    lines = ARM.split("\n")
    if how == "value":
        pieces[(2 * at + 1) % (len(pieces) - 1) | 1] = value
        text = '"'.join(pieces)
    elif how == "cut":
        text = ARM[: cut % len(ARM)]
    else:
        text = "\n".join(line for n, line in enumerate(lines) if n != at % len(lines))
    with suppress(InputError):  # and nothing else
        load(tmp_path, text)
