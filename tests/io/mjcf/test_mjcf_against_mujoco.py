"""MJCF: masses, centres, inertias and joint axes as MuJoCo itself compiles them."""

from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.io.mjcf import read
from dovetail.io.safe_paths import MeshFolder

TET = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

GEOMS = """<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="ball" pos="0 0 3"><freejoint/><geom size="0.3" pos="0.1 0 0" density="700"/></body>
    <body name="bar" pos="1 0 3" euler="30 -20 70"><freejoint/>
      <geom type="capsule" size="0.1 0.4" pos="0 0.2 0" axisangle="1 1 0 40"/></body>
    <body name="rod" pos="2 0 3"><freejoint/>
      <geom type="capsule" fromto="0 0 0 0.3 0.4 1.2" size="0.05" mass="3"/></body>
    <body name="tin" pos="3 0 3" quat="1 2 3 4"><freejoint/>
      <geom type="cylinder" size="0.2 0.1" zaxis="1 2 -3"/></body>
    <body name="brick" pos="4 0 3" xyaxes="1 1 0 0 1 1"><freejoint/>
      <geom type="box" size="0.1 0.2 0.3"/>
      <geom type="box" size="0.3 0.1 0.1" pos="0.5 0.1 0" euler="10 20 30" density="2000"/></body>
    <body name="egg" pos="5 0 3"><freejoint/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" euler="0 45 0"/></body>
    <body name="stick" pos="6 0 3"><freejoint/>
      <geom type="box" fromto="0 0 0 0 1 1" size="0.05"/>
      <geom type="sphere" size="0.5" group="3" contype="0" conaffinity="0"/></body>
  </worldbody>
</mujoco>"""

CLASSES = """<mujoco>
  <compiler angle="radian" eulerseq="ZyX" inertiafromgeom="auto"/>
  <default>
    <geom density="500" type="box" size="0.1 0.1 0.1"/>
    <joint damping="0.3"/>
    <default class="heavy"><geom density="5000"/>
      <default class="round"><geom type="sphere" size="0.2"/><joint axis="1 0 0"/></default>
    </default>
  </default>
  <worldbody>
    <body name="a" pos="1 2 3" euler="0.1 0.2 0.3">
      <joint name="ja" axis="0 3 4" pos="0.1 0 0"/><geom/>
      <body name="b" pos="0 0 1" childclass="round" euler="-0.4 0.5 0.6">
        <joint name="jb" pos="0 0 -0.2"/><geom/><geom class="heavy" pos="0.5 0 0"/>
        <frame pos="0 1 0" euler="0.2 0 0">
          <body name="c" pos="0 0 0.5">
            <joint name="jc" type="slide" axis="1 1 1"/><geom pos="0 0.1 0"/>
            <inertial pos="0.1 0.2 0.3" quat="1 1 0 0" mass="2" diaginertia="0.3 0.2 0.25"/>
          </body>
        </frame>
        <body name="d" pos="0 0 -1"><geom class="main"/>
          <body name="f" pos="0 0 -2"><geom class="main"/>
            <frame pos="0 0.3 0" euler="0.7 0.1 -0.2"><joint name="jf" axis="0 1 2" pos="1 0 0"/>
            </frame></body></body>
        <body name="e" pos="1 0 0"><joint name="je" type="ball" pos="0 0 0.1"/>
          <inertial pos="0 0 0.4" mass="1.5" fullinertia="0.4 0.5 0.6 0.01 -0.02 0.03"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>"""

MESHES = """<mujoco>
  <compiler meshdir="parts"/>
  <asset>
    <mesh name="tet" file="tet.obj" scale="0.5 0.5 0.5"/>
    <mesh file="tet2.obj" scale="1 -2 1"/>
    <mesh name="moved" file="tet.obj" refpos="0.1 0.2 0.3" refquat="1 1 0 0" scale="1 2 1"/>
    <mesh name="hull" vertex="0 0 0  1 0 0  0 1 0  0 0 1  0.1 0.1 0.1  1 1 1"/>
    <mesh name="faces" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/>
  </asset>
  <worldbody>
    <body name="a" pos="0 0 1"><freejoint/><geom type="mesh" mesh="tet" euler="10 20 30"/></body>
    <body name="b" pos="1 0 1"><freejoint/><geom type="mesh" mesh="tet2" mass="4"/></body>
    <body name="c" pos="2 0 1"><freejoint/><geom type="mesh" mesh="moved" pos="0 0.1 0"/></body>
    <body name="d" pos="3 0 1"><freejoint/><geom type="mesh" mesh="hull"/></body>
    <body name="e" pos="4 0 1"><freejoint/><geom type="mesh" mesh="faces"/></body>
  </worldbody>
</mujoco>"""

INCLUDING = """<mujoco><include file="shared/classes.xml"/>
  <worldbody><body name="x"><include file="shared/body.xml"/></body></worldbody></mujoco>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "parts" / "tet.obj").write_text(TET)
    (tmp_path / "parts" / "tet2.obj").write_text(TET)
    (tmp_path / "shared" / "classes.xml").write_text(
        '<mujocoinclude><default><geom density="321"/></default></mujocoinclude>'
    )
    (tmp_path / "shared" / "body.xml").write_text(
        '<mujocoinclude><joint axis="0 1 0"/><geom size="0.4" pos="1 0 0"/></mujocoinclude>'
    )
    return tmp_path


@pytest.mark.parametrize("text", [GEOMS, CLASSES, MESHES, INCLUDING])
def test_bodies_and_axes_are_as_mujoco_compiles_them(folder: Path, text: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = folder / "model.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    loaded = read(path, MeshFolder(folder))
    assert np.allclose(loaded.scene.gravity, model.opt.gravity)
    assert loaded.run.step == pytest.approx(model.opt.timestep)
    moving = [body for body in loaded.scene.bodies.values() if body.motion == "dynamic"]
    assert len(moving) == model.nbody - 1
    for body in moving:
        number = model.body(body.name).id
        assert body.mass == pytest.approx(model.body_mass[number], rel=1e-6)
        assert np.allclose(body.position, data.xipos[number], rtol=0, atol=1e-6)
        axes = data.ximat[number].reshape(3, 3)
        theirs = axes @ np.diag(model.body_inertia[number]) @ axes.T
        ours = body.rotation @ body.inertia @ body.rotation.T
        assert np.allclose(ours, theirs, rtol=0, atol=1e-5 * np.max(theirs))
    for number in range(model.njnt):
        if model.jnt_type[number] == mujoco.mjtJoint.mjJNT_FREE:
            continue
        held = model.body(model.jnt_bodyid[number]).name
        ours = next(entry[0] for entry in loaded.scene.joints.values() if entry[2] == held)
        assert np.allclose(ours.point, data.xanchor[number], rtol=0, atol=1e-9)
        if model.jnt_type[number] != mujoco.mjtJoint.mjJNT_BALL:
            assert np.allclose(ours.axis, data.xaxis[number], rtol=0, atol=1e-9)


SPRINGS = """<mujoco><compiler angle="degree"/>
  <option gravity="0 0 0"/><default><general gear="2"/></default>
  <worldbody><body name="a"><joint name="j" axis="0 1 0" ref="20" springref="50" stiffness="3"
    damping="0.4" frictionloss="0"/><geom size="0.1" pos="0.5 0 0"/></body></worldbody>
  <actuator><position joint="j" kp="7" kv="0.2"/><velocity joint="j" kv="0.3" gear="3"/>
    <motor joint="j" gear="9"/></actuator></mujoco>"""


def test_springs_and_servos_pull_with_mujocos_force(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    path.write_text(SPRINGS)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    acting = read(path, MeshFolder(tmp_path)).scene.joints["j"][0].actuation[0]
    for turned, speed in ((0.0, 0.0), (0.3, 0.0), (-0.7, 1.1)):
        data.qpos[0], data.qvel[0] = model.qpos0[0] + turned, speed
        mujoco.mj_forward(model, data)
        theirs = data.qfrc_passive[0] + data.qfrc_actuator[0]
        ours = -acting.stiffness * (turned - acting.rest) - acting.damping * speed
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)


STRINGS = """<mujoco><option timestep="1e-4"><flag contact="disable"/></option><worldbody>
  <site name="top" pos="0.1 0 1"/>
  <body name="a" pos="0 0 0.5"><freejoint/><geom type="box" size="0.1 0.06 0.04" mass="0.4"/>
    <site name="edge" pos="0.1 0.02 0.01"/><site name="back" pos="-0.1 0 0"/></body>
  <body name="b" pos="-0.4 0 0.5"><joint name="h" type="hinge" axis="0 1 0" pos="0 0 0.2"/>
    <geom type="box" size="0.05 0.06 0.2" mass="0.7"/>
    <body pos="0 0 -0.2"><geom size="0.05" mass="0.1"/><site name="low" pos="0.01 0 0"/></body>
  </body></worldbody>
  <tendon><spatial name="long" stiffness="30" damping="0.3" springlength="0.3">
      <site site="top"/><site site="edge"/></spatial>
    <spatial name="short" stiffness="12"><site site="back"/><site site="low"/></spatial>
    <spatial name="damper" damping="0.2"><site site="back"/><site site="top"/></spatial>
    {more}</tendon></mujoco>"""


def test_springs_between_two_sites_move_as_in_mujoco(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    path.write_text(STRINGS.format(more=""))
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 3000)
    mujoco.mj_kinematics(model, data)
    loaded = read(path, MeshFolder(tmp_path))
    assert not any("left out" in note for note in loaded.notes)
    rests = [load.rest_length for load in loaded.scene.loads.values()]
    assert rests == [0.3, pytest.approx(float(model.tendon_length0[1])), None]
    result = dt.simulate(loaded.scene, 0.3, 1e-4, contact="none", progress=False)
    for name in ("a", "b"):
        where = result.position(name)[-1]
        start = loaded.scene.bodies[name].position
        assert np.linalg.norm(where - start) > 0.01
        assert np.allclose(where, data.body(name).xipos, rtol=0, atol=1e-6)


def test_what_else_tendons_through_space_have_is_left_out_by_name(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    sites = '<site site="top"/><site site="low"/></spatial>'
    path.write_text(STRINGS.format(more=(
        f'<spatial name="slack" stiffness="3" springlength="0.1 0.9">{sites}'
        f'<spatial name="cut" stiffness="3" range="0 2" limited="true" armature="0.1">{sites}'
        f'<spatial name="rope" range="0 2" limited="true">{sites}'
        f'<spatial name="bent" stiffness="3"><site site="edge"/>{sites}'
    )))  # fmt: skip
    loaded = read(path, MeshFolder(tmp_path))
    assert set(loaded.scene.loads) == {"long", "short", "damper", "cut"}
    notes = "\n".join(loaded.notes)
    for part in ("tendon slack (it is slack from 0.1 to 0.9 m)", "armature (tendon cut)",
                 "range (tendon cut, which goes through space)",
                 "tendon rope (it goes through space)", "tendon bent (it goes"):  # fmt: skip
        assert part in notes
