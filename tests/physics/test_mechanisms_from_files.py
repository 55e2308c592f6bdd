"""Mechanisms from MJCF, URDF and scene files, with loops, springs, stops and motors."""

import numpy as np
import pytest

from dovetail.integrators import JointCoordinates
from dovetail.integrators.joint_coordinates import step
from dovetail.io import load_scene
from dovetail.model.scene import Scene
from dovetail.multibody.mechanism import Mechanism
from dovetail.runtime.jit import is_compiled_kernel
from mechanism_scenes import FOUR_BAR, coupler_point, four_bar

B, C = coupler_point(*FOUR_BAR, 1.0)
MJCF = f"""
<mujoco>
  <option gravity="0 -9.81 0"/>
  <worldbody>
    <body name="crank"><joint name="A" type="hinge" axis="0 0 1"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 {B[0]} {B[1]} 0"/>
      <body name="coupler" pos="{B[0]} {B[1]} 0"><joint name="B" type="hinge" axis="0 0 1"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 {C[0] - B[0]} {C[1] - B[1]} 0"/>
        <body name="rocker" pos="{C[0] - B[0]} {C[1] - B[1]} 0">
          <joint name="C" type="hinge" axis="0 0 1"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 {FOUR_BAR[3] - C[0]} {-C[1]} 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <connect name="D" body1="rocker" anchor="{FOUR_BAR[3] - C[0]} {-C[1]} 0"/>
  </equality>
</mujoco>
"""
URDF = """
<robot name="arm">
  <link name="world"/>
  <link name="arm"><inertial><mass value="2"/><origin xyz="0.5 0 0"/>
    <inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="elbow" type="revolute"><parent link="world"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-0.2" upper="0.4" effort="9" velocity="3"/>
    <dynamics damping="0.5" friction="0.1"/></joint>
</robot>
"""


def test_loop_that_mjcf_closes_by_an_equality_follows_the_closed_form(tmp_path):
    path = tmp_path / "linkage.xml"
    path.write_text(MJCF)
    model = load_scene(path).scene.build()
    mechanism = Mechanism(model)
    assert [closure.name for closure in mechanism.closures] == ["D"]
    assert mechanism.degrees_of_freedom() == 1
    stepper = JointCoordinates().start(model, None)
    crank, rocker = model.index("crank"), model.index("rocker")
    for k in range(1, 301):
        stepper.step(k * 0.003)
        x = stepper.bodies.x
        _, pin = coupler_point(*FOUR_BAR, np.arctan2(x[crank, 1], x[crank, 0]))
        assert np.abs(x[rocker, :2] - np.mean([pin, (FOUR_BAR[3], 0)], axis=0)).max() < 1e-9
    assert np.abs(stepper.q).max() > 0.5
    assert stepper.observe().constraint_position < 1e-13


def test_arm_from_urdf_falls_against_its_stop_and_stays_there(tmp_path):
    """Positive turns about y lower the arm; it rests at 0.4 rad but for the stop's yielding."""
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    scene = load_scene(path).scene
    scene.gravity = (0, 0, -9.81)
    model = scene.build()
    stepper = JointCoordinates().start(model, None)
    h = 0.002
    for k in range(1, 2001):
        stepper.step(k * h)
    (angle,) = stepper.q[stepper.mechanism.q_of("elbow")]
    about_elbow = 0.1 + 2 * 0.25
    yielding = 16 * h**2 * 2 * 9.81 * 0.5 * np.cos(0.4) / about_elbow
    assert angle == pytest.approx(0.4 + yielding, abs=0.1 * yielding)
    assert np.abs(stepper.v).max() < 1e-6


def test_motor_of_a_scene_file_drives_its_joint(tmp_path):
    path = tmp_path / "driven.yaml"
    path.write_text("""
version: 1
units: {angle: deg}
bodies:
  - {name: wheel, shape: {cylinder: {radius: 0.2, height: 0.1}}, density: 1000}
joints:
  - {name: axle, type: revolute, bodies: [ground, wheel], axis: [0, 0, 1],
     actuation: {motor: {velocity: 90}}}
""")
    stepper = JointCoordinates().start(load_scene(path).scene.build(), None)
    for k in range(1, 201):
        stepper.step(k * 0.01)
    (angle,) = stepper.q
    assert angle == pytest.approx(np.pi, rel=1e-13)  # 90 degrees a second for 2 s


@pytest.mark.skipif(not is_compiled_kernel(step.step), reason="NUMBA_DISABLE_JIT=1")
def test_a_run_compiles_the_step_for_one_set_of_types_only():
    """What `dovetail warmup` compiles is what runs: one signature, whatever the scene."""
    for scene in (four_bar(), scene_of_one_body()):
        JointCoordinates().start(scene.build(), None).step(0.01)
    assert len(step.step.entries) == 1


def scene_of_one_body():
    scene = Scene()
    scene.add_body("alone", mass=1, inertia=(1, 1, 1))
    scene.add_spring("band", "ground", "alone", (1, 0, 0), (0, 0, 0), stiffness=3, damping=1)
    return scene
