"""The paper's double pendulum against MuJoCo and Exudyn, which share no code with us."""

import inspect

import numpy as np
import pytest

from dovetail.examples import double_pendulum
from dovetail.integrators import RATTLie

END = 1.0  # [s]


def ours(step=5e-4):
    stepper = RATTLie().start(double_pendulum.build().build(), None)
    for k in range(1, round(END / step) + 1):
        stepper.step(k * step)
    return stepper.bodies.x.copy()


MUJOCO = """
<mujoco>
  <option timestep="0.0005" integrator="RK4" gravity="0 0 -9.81"/>
  <worldbody>
    <body name="rod1" pos="0 0.5 0">
      <joint type="ball" pos="0 -0.5 0"/>
      <inertial pos="0 0 0" mass="61.6538" diaginertia="5.1763 0.0771 5.1763"/>
      <body name="rod2" pos="-0.5 0.5 0" quat="0.70710678118654757 0 0 0.70710678118654757">
        <joint type="ball" pos="0 -0.5 0"/>
        <inertial pos="0 0 0" mass="61.6538" diaginertia="5.1763 0.0771 5.1763"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def test_mujoco_swings_the_double_pendulum_alike():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MUJOCO)
    data = mujoco.MjData(model)
    for _ in range(round(END / 5e-4)):
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    assert np.abs(ours() - data.xipos[1:]).max() < 2e-6  # (h = 1e-3 is off by 4e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_exudyn_swings_the_double_pendulum_alike():
    exu = pytest.importorskip("exudyn")
    from exudyn.utilities import RigidBodyInertia

    system = exu.SystemContainer().AddSystem()
    inertia = RigidBodyInertia(
        mass=double_pendulum.MASS, inertiaTensor=np.diag(double_pendulum.INERTIA)
    )
    starts = [([0, 0.5, 0], np.eye(3)), ([-0.5, 1, 0], np.array(double_pendulum.QUARTER_TURN))]
    rods = [
        system.CreateRigidBody(
            inertia=inertia, referencePosition=place, referenceRotationMatrix=turn,
            gravity=[0, 0, -9.81],
        )
        for place, turn in starts
    ]  # fmt: skip
    ground = system.CreateGround()
    known = inspect.signature(system.CreateSphericalJoint).parameters
    pair = "itemNumbers" if "itemNumbers" in known else "bodyNumbers"
    system.CreateSphericalJoint(**{pair: [ground, rods[0]]}, position=[0, 0, 0])
    system.CreateSphericalJoint(**{pair: [rods[0], rods[1]]}, position=[0, 1, 0])
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = 4000
    settings.timeIntegration.endTime = END
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    system.SolveDynamic(settings)
    kind = exu.OutputVariableType.Position
    theirs = [system.GetObjectOutputBody(rod, kind, [0, 0, 0]) for rod in rods]
    assert np.abs(ours() - np.array(theirs)).max() < 1e-5
