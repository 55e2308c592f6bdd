"""URDF: masses, inertias and joint axes as Pinocchio reads them; what is left out is reported."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dt
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
    for name in ("transmission", "gazebo", "material"):
        assert name in notes[0]


def test_a_mimic_joint_follows_the_other(tmp_path: Path) -> None:
    text = ARM.replace('<mimic joint="shoulder"/>', '<mimic joint="shoulder" multiplier="-2"/>')
    (coupling,) = load(tmp_path, text).scene.couplings.values()
    assert coupling.terms == {"rail": 1.0, "shoulder": 2.0} and coupling.offset == 0
    with pytest.raises(InputError, match="must name a joint that moves, got 'none'"):
        load(tmp_path, ARM.replace('<mimic joint="shoulder"/>', '<mimic joint="none"/>'))


def test_collision_geometry_is_taken_before_visual(tmp_path: Path) -> None:
    scene = load(tmp_path, ARM).scene
    assert np.max(np.abs(scene.bodies["base"].vertices)) < 2
    upper = scene.bodies["upper"]
    world = (upper.vertices @ upper.rotation.T) + upper.position
    local = (world - [0.1, 0, 1]) @ upper.rotation
    assert np.allclose(np.ptp(local, axis=0), [0.1, 0.5, 0.1], rtol=0, atol=1e-3)


@pytest.mark.parametrize("root", [link("world"), link("a", mass=None), link("a")])
def test_the_ground_holds_the_root_of_a_robot_unless_it_is_freed(tmp_path: Path, root: str) -> None:
    name = "world" if "world" in root else "a"
    text = robot(root, link("b"), joint("x", "continuous", name, "b"))
    loaded = load(tmp_path, text)
    assert loaded.scene.joints["x"][1] == "ground"
    assert any(f"'{name}' is held by the ground; fixed_base=False" in n for n in loaded.notes)
    if name == "a" and "inertial" in root:
        scene = load(tmp_path, text, fixed_base=False).scene
        assert scene.joints["x"][1] == "a" and scene.bodies["a"].motion == "dynamic"


def test_a_file_without_moving_joints_is_an_object_that_falls(tmp_path: Path) -> None:
    text = robot(link("cup"), link("handle"), joint("x", "fixed", "cup", "handle"))
    loaded = load(tmp_path, text)
    assert {body.motion for body in loaded.scene.bodies.values()} == {"dynamic"}
    assert any("'cup' moves freely; fixed_base=True" in note for note in loaded.notes)
    assert load(tmp_path, text, fixed_base=True).scene.bodies["cup"].motion == "static"


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


def test_links_without_mass_pass_on_what_their_joints_do(tmp_path: Path) -> None:
    parts = (
        link("world", mass=None), link("cross", mass=None), link("shaft"),
        joint("first", "continuous", "world", "cross", '<axis xyz="1 0 0"/>'),
    )  # fmt: skip
    second = joint("second", "continuous", "cross", "shaft",
                   '<origin xyz="0 1 0"/><axis xyz="0 0 1"/>')  # fmt: skip
    scene = load(tmp_path, robot(*parts, second)).scene
    assert scene.joints["first"][1:] == ("ground", "cross")
    assert scene.joints["second"][1:] == ("cross", "shaft")
    assert scene.bodies["cross"].mass == 0


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
    moving = load(tmp_path, robot(*parts, joint("x", "continuous", "a", "tip")), fixed_base=False)
    assert moving.scene.bodies["tip"].mass == pytest.approx(6000)
    assert any("mass of their geometry at 1000 kg/m^3: tip" in note for note in moving.notes)


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


TET = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize(
    ("name", "folder", "options"),
    [
        ("package://arm_description/meshes/tet.obj", "arm_description", {}),
        ("package://arm_description/meshes/tet.obj", "renamed", {}),  # has a package.xml
        ("../meshes/tet.obj", "arm_description", {}),
        ("model://arm_description/meshes/tet.obj", "arm_description", {}),
        ("package://other/meshes/tet.obj", "src/other", {}),  # beside the package
        ("package://far/tet.obj", "elsewhere/far", {"package_paths": ("elsewhere",)}),
    ],
)
def test_meshes_lie_where_ros_puts_them(
    tmp_path: Path, name: str, folder: str, options: dict[str, Any]
) -> None:
    """urdf/ beside meshes/ in a package, other packages beside it or in a package path."""
    home = "arm_description" if folder.startswith(("src", "elsewhere")) else folder
    package = tmp_path / "src" / home if "arm" in home or "re" in home else tmp_path
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    place = tmp_path / folder if "/" in folder else package
    mesh_folder = place if "far" in folder else place / "meshes"
    mesh_folder.mkdir(parents=True, exist_ok=True)
    (mesh_folder / "tet.obj").write_text(TET)
    file = package / "urdf" / "robot.urdf"
    mesh = f'<collision><geometry><mesh filename="{name}"/></geometry></collision>'
    file.write_text(robot(link("a", mesh)))
    paths = tuple(str(tmp_path / path) for path in options.get("package_paths", ()))
    scene = dt.Scene.load(file, package_paths=paths)
    assert len(scene.bodies["a"].faces) == 4


def test_packages_may_also_be_in_ros_package_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ws" / "far").mkdir(parents=True)
    (tmp_path / "ws" / "far" / "tet.obj").write_text(TET)
    inner = tmp_path / "here"
    inner.mkdir()
    mesh = '<collision><geometry><mesh filename="package://far/tet.obj"/></geometry></collision>'
    with pytest.raises(InputError, match="--package-path"):
        load(inner, robot(link("a", mesh)))
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ws"))
    assert len(load(inner, robot(link("a", mesh))).scene.bodies["a"].faces) == 4


@pytest.mark.parametrize("name", ["collision/tet.obj", "away/arm/collision/tet.obj"])
def test_meshes_elsewhere_in_the_package_are_found_by_the_end_of_their_path(
    tmp_path: Path, name: str
) -> None:
    """Paths are often of the package that a file was in before; what fits twice is refused."""
    inner = tmp_path / "pack" / "urdf"
    places = [tmp_path / "pack" / "meshes" / kind / "collision" for kind in ("one", "two")]
    for folder in (inner, *places):
        folder.mkdir(parents=True)
    (places[0] / "tet.obj").write_text(TET)
    mesh = f'<collision><geometry><mesh filename="package://{name}"/></geometry></collision>'
    loaded = load(inner, robot(link("a", mesh)))
    assert len(loaded.scene.bodies["a"].faces) == 4
    said = f"meshes are not where the file says: package://{name} is meshes/one/collision/tet.obj"
    assert said in loaded.notes
    (places[1] / "tet.obj").write_text(TET)
    with pytest.raises(InputError, match="must name a file of a package"):
        load(inner, robot(link("a", mesh)))


def test_nothing_but_meshes_is_read_through_a_package(tmp_path: Path) -> None:
    inner = tmp_path / "pack" / "urdf"
    inner.mkdir(parents=True)
    (tmp_path / "pack" / "secret.txt").write_text("x")
    for name in ("package://pack/secret.txt", "package://pack/../../secret.obj", "package://pack"):
        mesh = f'<collision><geometry><mesh filename="{name}"/></geometry></collision>'
        with pytest.raises(InputError, match=r"must be a mesh|must name a file"):
            load(inner, robot(link("a", mesh)))


def moments(xx: float, yy: float, zz: float, mass: float = 1.0) -> str:
    return (
        f'<inertial><mass value="{mass}"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" '
        'ixz="0" iyz="0"/></inertial>'
    )


def one_link(inside: str) -> str:
    return robot(
        link("world", mass=None), link("a", inside, mass=None),
        joint("x", "continuous", "world", "a", '<axis xyz="0 1 0"/>'),
    )  # fmt: skip


def test_mass_without_moments_has_those_of_its_shapes(tmp_path: Path) -> None:
    """A ball of 3 kg and radius 0.5 m has 2/5 m r^2 = 0.3 kg m^2; without a shape 1 mm radius."""
    ball = '<collision><geometry><sphere radius="0.5"/></geometry></collision>'
    for inside, radius, said in ((ball, 0.5, "have those of their shapes: a"),
                                 ("", 1e-3, "are balls of 1 mm radius: a")):  # fmt: skip
        loaded = load(tmp_path, one_link(moments(0, 0, 0, mass=3.0) + inside))
        assert np.allclose(loaded.scene.bodies["a"].inertia, 0.4 * 3 * radius**2 * np.eye(3))
        assert any(said in note for note in loaded.notes)


def test_least_moment_that_is_rounding_stays_positive_when_it_is_turned(tmp_path: Path) -> None:
    inertia = (
        '<inertial><mass value="0.16"/><inertia ixx="0.000646243085057801" '
        'ixy="1.76220636996922E-10" ixz="-1.3253471708974E-08" iyy="0.000646128857122526" '
        'iyz="8.59105004609635E-06" izz="1.14228478989141E-07"/></inertial>'
    )
    loaded = load(tmp_path, one_link(inertia))
    assert np.linalg.eigvalsh(loaded.scene.bodies["a"].inertia)[0] > 0


def test_link_named_as_the_world_is_renamed(tmp_path: Path) -> None:
    text = one_link(moments(1, 1, 1)).replace('"a"', '"ground"')
    loaded = load(tmp_path, text)
    assert "ground-link" in loaded.scene.bodies
    assert "names that stand for the world are changed: 'ground' is 'ground-link'" in loaded.notes


def test_moments_that_rounding_has_spoilt_are_corrected_by_name(tmp_path: Path) -> None:
    for spoilt in ((0.1, 0.1, -5.8e-22), (0.1, 0.105, 0.21)):
        loaded = load(tmp_path, one_link(moments(*spoilt)))
        found = np.linalg.eigvalsh(loaded.scene.bodies["a"].inertia)
        assert found[0] > 0 and np.allclose(found, sorted(spoilt), rtol=0.05, atol=1e-3 * 0.1)
        assert any("corrected by what rounding has spoilt: a" in note for note in loaded.notes)
    assert not any("spoilt" in n for n in load(tmp_path, one_link(moments(1, 1, 1))).notes)


@pytest.mark.parametrize("wrong", [(0.1, 0.1, 0.5), (-0.1, 0.3, 0.3)])
def test_moments_that_no_body_has_are_refused_with_the_choices(
    tmp_path: Path, wrong: tuple[float, ...]
) -> None:
    with pytest.raises(InputError, match=r"link 'a' has the moments.*leave <inertial> out"):
        load(tmp_path, one_link(moments(*wrong)))


def test_moments_of_a_link_that_another_holds_only_count_in_their_sum(tmp_path: Path) -> None:
    """Frames of sensors often have such moments; the sum is what Pinocchio has."""
    pin = pytest.importorskip("pinocchio")
    text = robot(
        link("world", mass=None), link("arm", moments(1, 1, 1, 3), mass=None),
        link("imu", moments(0, 0, 3e-6, 0.2), mass=None),
        joint("x", "continuous", "world", "arm", '<axis xyz="0 1 0"/>'),
        joint("y", "fixed", "arm", "imu", '<origin xyz="0 0 0.7"/>'),
    )  # fmt: skip
    body = load(tmp_path, text).scene.bodies["arm"]
    theirs = pin.buildModelFromXML(text).inertias[1]
    assert body.mass == pytest.approx(3.2) and np.allclose(body.position, theirs.lever)
    assert np.allclose(body.inertia, theirs.inertia, rtol=0, atol=1e-12)


def test_shapes_of_size_zero_are_left_out_by_name(tmp_path: Path) -> None:
    shapes = '<collision><geometry><box size="0 0 0"/></geometry></collision>'
    loaded = load(tmp_path, robot(link("a", shapes)))
    assert loaded.scene.bodies["a"].shape is None
    assert any("size zero are left out: box of a" in note for note in loaded.notes)


def test_collada_meshes_are_read_in_metres(tmp_path: Path) -> None:
    pytest.importorskip("collada")
    (tmp_path / "tet.dae").write_text(COLLADA)
    mesh = '<collision><geometry><mesh filename="tet.dae"/></geometry></collision>'
    scene = load(tmp_path, robot(link("a", mesh))).scene
    assert np.allclose(np.ptp(scene.bodies["a"].vertices, axis=0), [0.1, 0.2, 0.3])
    (tmp_path / "tet.dae").write_text(COLLADA.replace("<COLLADA", "<!ENTITY a ''><COLLADA"))
    with pytest.raises(InputError, match="XML entities"):
        load(tmp_path, robot(link("a", mesh)))


COLLADA = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2026-01-01T00:00:00</created><modified>2026-01-01T00:00:00</modified>
<unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g" name="g"><mesh><source id="p"><float_array id="pa" count="12">
0 0 0 10 0 0 0 20 0 0 0 30</float_array><technique_common><accessor source="#pa" count="4"
stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s" name="s"><node id="n" name="n">
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def test_xacro_files_are_expanded_by_their_package(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "parts.xacro").write_text(
        '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro name="ball" params="name m">'
        f"{link('${name}').replace(chr(34) + '1.0' + chr(34), chr(34) + '${2 * m}' + chr(34))}"
        "</xacro:macro></robot>"
    )
    file = tmp_path / "arm" / "robot.urdf.xacro"
    file.write_text(
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">'
        '<xacro:include filename="$(find arm)/parts.xacro"/><xacro:ball name="b" m="3"/></robot>'
    )
    assert dt.Scene.load(file).bodies["b"].mass == 6
    file.write_text(file.read_text().replace("${", "$").replace('m="3"', 'm="${1 +"'))
    with pytest.raises(InputError, match="cannot be expanded by xacro"):
        dt.Scene.load(file)


def test_calls_of_macros_that_are_defined_nowhere_are_named(tmp_path: Path) -> None:
    """What an expansion left over; Pinocchio passes over them."""
    loaded = load(tmp_path, robot(link("a"), '<xacro:imu port="1"/>', '<xacro:imu port="2"/>'))
    assert list(loaded.scene.bodies) == ["a"]
    said = "macros of xacro that were not expanded are left out, and links in them: xacro:imu"
    assert said in loaded.notes
    assert not any("not supported" in note for note in loaded.notes)


def test_a_mimic_of_a_joint_that_is_not_there_names_one_that_is_near(tmp_path: Path) -> None:
    mimic = '<axis xyz="0 0 1"/><mimic joint="finger_l"/>'
    text = robot(
        link("a"), link("b"), link("c"),
        joint("finger_1", "continuous", "a", "b", '<axis xyz="0 0 1"/>'),
        joint("finger_2", "continuous", "a", "c", mimic),
    )  # fmt: skip
    with pytest.raises(InputError, match=r"must name a joint that moves, got 'finger_l'.*finger_1"):
        load(tmp_path, text)


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


def test_moments_of_a_held_link_without_mass_count_with_its_holder(tmp_path: Path) -> None:
    """Turned by a quarter about z, its moment about x is one about y of the arm."""
    foot = link("foot", moments(0.25, 0.0, 0.0, mass=0.0), mass=None)
    parts = (link("base"), link("arm"), foot, joint("turn", "continuous", "base", "arm"))
    glue = joint("glue", "fixed", "arm", "foot", '<origin rpy="0 0 1.5707963267948966"/>')
    with_foot = load(tmp_path, robot(*parts, glue)).scene.bodies["arm"].checked.inertia
    alone = load(tmp_path, robot(*parts[:2], parts[3])).scene.bodies["arm"].checked.inertia
    np.testing.assert_allclose(with_foot - alone, np.diag([0, 0.25, 0]), atol=1e-12)
    loose = joint("loose", "continuous", "arm", "foot")
    tip = link("tip") + joint("tip joint", "continuous", "foot", "tip")
    notes = load(tmp_path, robot(*parts, loose, tip)).notes
    assert "moments of inertia without mass are left out: foot" in notes


def test_a_mimic_of_a_fixed_joint_says_nothing(tmp_path: Path) -> None:
    parts = (link("base"), link("a"), link("b"), joint("turn", "continuous", "base", "a"))
    glue = joint("glue", "fixed", "a", "b", '<mimic joint="turn"/>')
    loaded = load(tmp_path, robot(*parts, glue))
    assert not loaded.scene.couplings
    assert "joints that do not move along one axis mimic nothing: glue" in loaded.notes


def test_a_quaternion_turns_as_the_same_roll_pitch_and_yaw(tmp_path: Path) -> None:
    half = 0.5 * np.array([0.3, -0.5, 0.7])
    (cr, cp, cy), (sr, sp, sy) = np.cos(half), np.sin(half)
    x, y, z = sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy
    w = cr * cp * cy + sr * sp * sy
    turned = []
    for written in (f'quat_xyzw="{x} {y} {z} {w}"', 'rpy="0.3 -0.5 0.7"'):
        inside = f"<origin {written}/>"
        parts = link("base"), link("a"), joint("j", "continuous", "base", "a", inside)
        turned.append(load(tmp_path, robot(*parts)).scene.bodies["a"].rotation)
    assert np.allclose(*turned, rtol=0, atol=1e-14)


def test_angles_and_a_quaternion_are_refused_together(tmp_path: Path) -> None:
    inside = '<origin rpy="0 0 1" quat_xyzw="0 0 0 1"/>'
    with pytest.raises(InputError, match=r"must give `rpy` or `quat_xyzw`, got both"):
        load(
            tmp_path,
            robot(link("base"), link("a"), joint("j", "fixed", "base", "a", inside)),
        )


def test_what_a_joint_has_no_use_for_is_named(tmp_path: Path) -> None:
    limit = '<limit lower="-1" upper="1" effort="2" velocity="3"/>'
    parts = (
        link("base"), link("a"), link("b"), link("c"),
        joint("wheel", "continuous", "base", "a", limit),
        joint("glue", "fixed", "base", "b", '<axis xyz="0 0 0"/><dynamics damping="3"/>'),
        joint("slide", "planar", "base", "c", limit),
    )  # fmt: skip
    note = next(n for n in load(tmp_path, robot(*parts)).notes if "joints of their type" in n)
    assert "<axis>" not in note  # of zeros, as drawing programs write it
    for said in ('<limit> of <joint name="wheel"', '<dynamics> of <joint name="glue"',
                 '<limit> of <joint name="slide"'):  # fmt: skip
        assert said in note


def test_text_between_tags_and_words_on_any_element_are_named(tmp_path: Path) -> None:
    text = robot(link("base"), link("a"), joint("j", "continuous", "base", "a"))
    text = text.replace('<link name="a">', '<link name="a" density="3">about 3 kg')
    notes = " | ".join(load(tmp_path, text).notes)
    assert '`density` of <link name="a"' in notes
    assert "'about 3 kg' in <link name=\"a\"" in notes


def test_a_note_says_which_visual_geometry_collides(tmp_path: Path) -> None:
    box = '<geometry><box size="1 1 1"/></geometry>'
    first = link("base", f"<visual>{box}</visual><collision>{box}</collision>")
    parts = first, link("a", f"<visual>{box}</visual>"), joint("j", "continuous", "base", "a")
    notes = load(tmp_path, robot(*parts)).notes
    assert "links collide with their visual geometry, as they have no <collision>: a" in notes
    assert "links are drawn as they collide, without their <visual>: base" in notes


def test_an_effort_below_zero_is_taken_as_none_and_named(tmp_path: Path) -> None:
    limit = '<limit lower="-1" upper="1" effort="-2" velocity="3"/>'
    parts = link("base"), link("a"), joint("j", "revolute", "base", "a", limit)
    loaded = load(tmp_path, robot(*parts))
    assert loaded.scene.joints["j"][0].actuation[0].effort_limit is None
    assert "limits of effort or velocity of 0 or below are taken as none: j" in loaded.notes
