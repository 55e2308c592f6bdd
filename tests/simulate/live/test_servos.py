"""Controllers of actuators that an MJCF file has: what is set takes their place."""

import numpy as np
import pytest

import dovetail as dt

mujoco = pytest.importorskip("mujoco")

ARM = """
<mujoco>
  <option timestep="0.001" integrator="implicitfast"/>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" stiffness="3" springref="0.2" damping="0.4"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" density="1000"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.2"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" density="1000"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="a" joint="shoulder" kp="120" kv="8"/>
    <ELBOW name="b" joint="elbow" GAINS/>
  </actuator>
</mujoco>
"""
SERVO = ARM.replace("ELBOW", "position").replace("GAINS", 'kp="60" kv="4"')
SPEED = ARM.replace("ELBOW", "velocity").replace("GAINS", 'kv="6"')
STEP, STEPS = 1e-3, 400


def simulation(tmp_path, text):
    path = tmp_path / "arm.xml"
    path.write_text(text)
    return dt.Simulation(path, step=STEP, contact="none", check=False)


def followed(text, control):
    """Joint angles of MuJoCo after the control was held for all steps."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = control
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    return data.qpos.copy()


def test_a_target_position_is_the_control_of_a_position_actuator(tmp_path):
    sim = simulation(tmp_path, SERVO)
    sim.joint("shoulder").target_position = -0.6
    sim.joint("elbow").target_position = 0.9
    assert (sim.joint("shoulder").stiffness, sim.joint("elbow").damping) == (120, 4)
    sim.step(STEPS)
    np.testing.assert_allclose(sim.q, followed(SERVO, (-0.6, 0.9)), atol=2e-3)


def test_a_target_velocity_is_the_control_of_a_velocity_actuator(tmp_path):
    sim = simulation(tmp_path, SPEED)
    sim.joint("elbow").target_velocity = 1.5
    sim.step(STEPS)
    np.testing.assert_allclose(sim.q, followed(SPEED, (0.0, 1.5)), atol=2e-3)


def test_a_controller_that_is_not_addressed_stays_as_in_the_file(tmp_path):
    sim = simulation(tmp_path, SERVO)
    sim.joint("elbow").target_position = 0.0  # as the file has it: nothing changes
    free = simulation(tmp_path, SERVO)
    sim.step(STEPS)
    free.step(STEPS)
    np.testing.assert_allclose(sim.q, free.q, atol=1e-4)
    np.testing.assert_allclose(sim.q, followed(SERVO, (0, 0)), atol=2e-3)


def test_an_effort_replaces_the_controller(tmp_path):
    sim = simulation(tmp_path, SERVO)
    motors = ARM.replace("ELBOW", "motor").replace("GAINS", "")
    motors = motors.replace('<position name="a" joint="shoulder" kp="120" kv="8"/>',
                            '<motor name="a" joint="shoulder"/>')  # fmt: skip
    sim.joint("shoulder").effort = -6.0
    sim.joint("elbow").effort = -1.0
    sim.step(STEPS // 2)
    half = motors.replace("0.001", "0.0005")  # as many steps, half the time
    np.testing.assert_allclose(sim.q, followed(half, (-6.0, -1.0)), atol=5e-3)


def test_reset_gives_the_controllers_of_the_file_back(tmp_path):
    sim = simulation(tmp_path, SERVO)
    sim.efforts = [1.0, 0.0]
    sim.step(10)
    snap = sim.snapshot()
    sim.reset()
    sim.step(STEPS)
    np.testing.assert_allclose(sim.q, followed(SERVO, (0, 0)), atol=2e-3)
    sim.restore(snap)
    assert sim.joint("elbow").target_position is None


def test_controllers_survive_a_scene_file(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(SERVO)
    dt.Scene.load(path).save(tmp_path / "arm.yaml")
    joint, _, _ = dt.Scene.load(tmp_path / "arm.yaml").joints["shoulder"]
    (entry,) = joint.actuation
    assert (entry.servo_stiffness, entry.servo_damping, entry.servo_target) == (120, 8, 0)
    assert entry.stiffness == 123 and entry.damping == pytest.approx(8.4)


def test_a_controller_must_be_a_part_of_spring_and_damper():
    def built():
        scene = dt.Scene()
        scene.add_body("a", dt.Box((1, 1, 1)))
        acting = dt.Actuation(stiffness=1.0, servo_stiffness=2.0)
        scene.add_joint("j", dt.Revolute((0, 0, 0), (0, 1, 0), actuation=acting), "ground", "a")
        return scene.build()

    with pytest.raises(dt.InputError, match=r"`servo_stiffness` .* must be <= its `stiffness`"):
        built()


LIMITED = SERVO.replace('kp="120" kv="8"', 'kp="120" kv="8" forcerange="-5 5" ctrlrange="-2 2"')
LIMITED = LIMITED.replace('<joint name="elbow"', '<joint name="elbow" actuatorfrcrange="-0.6 0.6"')


@pytest.mark.parametrize("contact", ["none", "sdf", "lcp", "ipc"])
def test_a_controller_gives_no_more_than_its_force_range(tmp_path, contact):
    """Weights turn the joints against 5 and 0.6 N m: without the ranges they would hardly move."""
    path = tmp_path / "arm.xml"
    path.write_text(LIMITED)
    sim = dt.Simulation(path, step=STEP, contact=contact, check=False)
    sim.step(150)
    model = mujoco.MjModel.from_xml_string(LIMITED)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 150)
    assert data.qpos[0] > 0.05 and data.qpos[1] > 0.05
    np.testing.assert_allclose(sim.q, data.qpos, atol=2e-3)
    scene = dt.Scene.load(path)
    result = dt.simulate(scene, 0.15, STEP, contact=contact, progress=False, check=False)
    np.testing.assert_allclose(result.position("lower")[-1], sim.body("lower").position, atol=1e-12)
    sim.reset()
    sim.step(150)
    np.testing.assert_allclose(sim.q, data.qpos, atol=2e-3)


def test_a_run_with_limited_controllers_continues_to_the_bit(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(LIMITED)
    whole = dt.simulate(path, 0.06, STEP, contact="none", progress=False, check=False)
    out = tmp_path / "part.h5"
    options = {"contact": "none", "progress": False, "check": False, "out": out}
    dt.simulate(path, 0.03, STEP, **options)
    resumed = dt.simulate(path, 0.06, STEP, resume=True, **options)
    np.testing.assert_array_equal(resumed.position("lower"), whole.position("lower"))
