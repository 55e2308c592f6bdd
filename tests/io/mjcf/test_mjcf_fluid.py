"""Drag of the medium of an MJCF model, against MuJoCo and in closed form."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.io import load_scene

mujoco = pytest.importorskip("mujoco", reason="MJCF is read through the extra `mujoco`")

FALLING = """<mujoco><option timestep="1e-4" %s/><worldbody>
  <body name="brick" pos="0 0 5" euler="20 30 0"><freejoint/>
    <geom type="box" size="0.1 0.2 0.05" density="300" euler="0 0 30"/>
    <geom type="sphere" size="0.06" pos="0.1 0.1 0" density="900"/></body>
</worldbody><keyframe><key name="thrown" qvel="1 2 0 3 -4 5"/></keyframe></mujoco>"""
SWIMMER = """<mujoco><option timestep="1e-4" gravity="0 0 0" %s/><worldbody>
  <body name="head"><freejoint/><geom type="capsule" size="0.03 0.1"/>
    <body name="tail" pos="0 0 -0.15"><joint name="j" axis="0 1 0" pos="0 0 0.03"/>
      <geom type="capsule" size="0.02 0.1" pos="0 0 -0.1"/></body></body>
</worldbody><keyframe><key name="thrown" qvel="0.5 0 0.2 0 1 0 8"/></keyframe></mujoco>"""
WELDED = """<mujoco><option timestep="1e-4" %s/><worldbody>
  <body name="hub" pos="0 0 5"><freejoint/><geom type="box" size="0.05 0.05 0.05" density="300"/>
    <body name="vane" pos="0.2 0 0" euler="0 0 40"><geom type="box" size="0.2 0.1 0.01"/></body>
  </body></worldbody><keyframe><key name="thrown" qvel="1 2 0 3 -4 5"/></keyframe></mujoco>"""
MEDIA = ('density="1000"', 'viscosity="2"', 'density="500" viscosity="0.5" wind="1 -2 0.5"')


def far_from_mujoco(text, tmp_path, duration=0.2):
    """[m] Largest distance of a centre of mass from MuJoCo's, and of how far drag moves one."""
    path = tmp_path / "model.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_path(str(path))
    ends = []
    for _ in range(2):
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_step(model, data, round(duration / model.opt.timestep))
        mujoco.mj_kinematics(model, data)
        ends.append(data.xipos[1:].copy())
        model.opt.density = model.opt.viscosity = 0.0
    scene = load_scene(path, keyframe="thrown").scene
    result = dt.simulate(scene, duration, 1e-3, "none", progress=False)
    names = [model.body(i).name for i in range(1, model.nbody)]
    ours = np.array([result.position(name)[-1] for name in names])
    with_drag, without = ends
    return np.abs(ours - with_drag).max(), np.abs(without - with_drag).max()


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("text", [FALLING, SWIMMER, WELDED], ids=["brick", "swimmer", "welded"])
def test_drag_of_the_medium_is_that_of_mujoco(text, medium, tmp_path):
    off, drag = far_from_mujoco(text % medium, tmp_path)
    assert drag > 5e-3
    assert off < 3e-4  # MuJoCo's Euler falls g h t / 2 = 1e-4 too far


def test_ball_falls_at_the_terminal_speed_of_its_inertia_box(tmp_path):
    """m g = 1/2 rho b^2 v^2 with b = sqrt(6 (2/5)) r, the side of the box of a ball."""
    path = tmp_path / "ball.xml"
    path.write_text(
        '<mujoco><option density="50"/><worldbody><body name="ball"><freejoint/>'
        '<geom size="0.1" mass="1"/></body></worldbody></mujoco>'
    )
    scene = load_scene(path).scene
    result = dt.simulate(scene, 3.0, 1e-2, "none", progress=False)
    speed = -result.velocity("ball")[-1][2]
    assert speed == pytest.approx(np.sqrt(2 * 9.81 / (50 * 6 * 0.4 * 0.1**2)), rel=1e-4)


def test_model_without_a_medium_has_no_load(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text(
        '<mujoco><option wind="1 0 0"/><worldbody><body name="ball"><freejoint/>'
        '<geom size="0.1"/></body></worldbody></mujoco>'
    )
    loaded = load_scene(path)
    assert not loaded.scene.loads
    assert any("option wind (without density" in note for note in loaded.notes)


@pytest.mark.parametrize("text", [FALLING, SWIMMER, WELDED], ids=["brick", "swimmer", "welded"])
@pytest.mark.parametrize("medium", MEDIA)
def test_damping_of_the_medium_is_the_change_of_its_wrenches(text, medium, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(text % medium)
    (load,) = load_scene(path, keyframe="thrown").scene.loads.values()
    drag, rng = load.function, np.random.default_rng(1)
    m = len(drag.names)
    R = np.linalg.qr(rng.normal(size=(m, 3, 3)))[0]
    R *= np.linalg.det(R)[:, None, None]
    twist = rng.normal(size=(m, 6))
    found, step = drag.damping(R, twist[:, :3], twist[:, 3:]), 1e-6
    for k in range(6):
        ends = []
        for sign in (-1.0, 1.0):
            moved = twist.copy()
            moved[:, k] += sign * step
            ends.append(np.hstack(drag.wrenches(R, moved[:, :3], moved[:, 3:])))
        assert found[:, :, k] == pytest.approx(
            -(ends[1] - ends[0]) / (2 * step), rel=1e-6, abs=1e-7
        )


def test_drag_acts_under_ipc_as_without_contact(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(FALLING % MEDIA[2])
    scene = load_scene(path, keyframe="thrown").scene
    ends = [
        dt.simulate(scene, 0.2, 1e-3, method, progress=False).position("brick")[-1]
        for method in ("none", "ipc")
    ]
    assert np.abs(ends[0] - ends[1]).max() < 2e-3  # g h t / 2 = 1e-3 of implicit Euler
