"""The paper's double pendulum with MuJoCo and Exudyn beside our schemes: energy and cost.

Times are processor times of the steps alone.

python benchmarks/pendulum_peers.py [seconds of simulated time, default 50]
"""

import inspect
import sys
import time

import numpy as np

from dovetail.examples import double_pendulum as case
from dovetail.integrators import DH, DL, EulerParameterDAE, LieGeneralizedAlpha, RATTLie

STEP = 1e-3
OURS = {
    "RATTLie": RATTLie(),
    "DH": DH(),
    "DH central": DH("central"),
    "DL": DL(),
    "LieGeneralizedAlpha": LieGeneralizedAlpha(),
    "EulerParameterDAE": EulerParameterDAE(),
}
MUJOCO = """
<mujoco>
  <option timestep="{step}" integrator="{integrator}" gravity="0 0 -9.81">
    <flag energy="enable"/>
  </option>
  <worldbody>
    <body pos="0 0.5 0">
      <joint type="ball" pos="0 -0.5 0"/>
      <inertial pos="0 0 0" mass="61.6538" diaginertia="5.1763 0.0771 5.1763"/>
      <body pos="-0.5 0.5 0" quat="0.70710678118654757 0 0 0.70710678118654757">
        <joint type="ball" pos="0 -0.5 0"/>
        <inertial pos="0 0 0" mass="61.6538" diaginertia="5.1763 0.0771 5.1763"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def energy_of(x, v, omega):
    """[J] of both rods; omega in body axes."""
    J = np.array(case.INERTIA)
    kinetic = 0.5 * case.MASS * (v * v).sum() + 0.5 * (J * omega * omega).sum()
    return kinetic + case.MASS * 9.81 * x[:, 2].sum()


def ours(name, count):
    OURS[name].start(case.build().build(), None).step(STEP)  # compiles what is not yet
    stepper = OURS[name].start(case.build().build(), None)
    errors, spent = np.zeros(count), 0.0
    for k in range(1, count + 1):
        began = time.process_time()
        stepper.step(k * STEP)
        spent += time.process_time() - began
        state = stepper.bodies
        errors[k - 1] = energy_of(state.x, state.v, state.omega)
    return errors, spent / count


def mujoco(integrator, count):
    import mujoco as mj

    model = mj.MjModel.from_xml_string(MUJOCO.format(step=STEP, integrator=integrator))
    data = mj.MjData(model)
    errors, spent = np.zeros(count), 0.0
    for k in range(count):
        began = time.process_time()
        mj.mj_step(model, data)
        spent += time.process_time() - began
        mj.mj_forward(model, data)
        errors[k] = data.energy.sum()
    return errors, spent / count


def exudyn(count):
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    system = exu.SystemContainer().AddSystem()
    inertia = RigidBodyInertia(mass=case.MASS, inertiaTensor=np.diag(case.INERTIA))
    starts = [([0, 0.5, 0], np.eye(3)), ([-0.5, 1, 0], np.array(case.QUARTER_TURN))]
    rods = [
        system.CreateRigidBody(
            inertia=inertia, referencePosition=place, referenceRotationMatrix=turn,
            gravity=[0, 0, -9.81],
        )
        for place, turn in starts
    ]  # fmt: skip
    known = inspect.signature(system.CreateSphericalJoint).parameters
    pair = "itemNumbers" if "itemNumbers" in known else "bodyNumbers"
    ground = system.CreateGround()
    system.CreateSphericalJoint(**{pair: [ground, rods[0]]}, position=[0, 0, 0])
    system.CreateSphericalJoint(**{pair: [rods[0], rods[1]]}, position=[0, 1, 0])
    system.Assemble()
    errors = []
    kinds = exu.OutputVariableType
    wanted = (kinds.Position, kinds.Velocity, kinds.AngularVelocityLocal)

    def watch(system, t):
        rows = [
            np.array([system.GetObjectOutputBody(rod, kind, [0, 0, 0]) for rod in rods])
            for kind in wanted
        ]
        errors.append(energy_of(*rows))
        return True

    system.SetPreStepUserFunction(watch)
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = count
    settings.timeIntegration.endTime = count * STEP
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    system.SolveDynamic(settings)
    system.SetPreStepUserFunction(0)
    began = time.process_time()
    system.SolveDynamic(settings)
    return np.array(errors), (time.process_time() - began) / count


def main():
    count = round(float(sys.argv[1] if len(sys.argv) > 1 else 50) / STEP)
    rows = {name: (lambda name=name: ours(name, count)) for name in OURS}
    rows |= {
        "MuJoCo Euler": lambda: mujoco("Euler", count),
        "MuJoCo RK4": lambda: mujoco("RK4", count),
        "Exudyn generalized-alpha 0.9": lambda: exudyn(count),
    }
    print(
        f"| h = {STEP:g} s, {count} steps | largest energy error [J] | at the end | us per step |"
    )
    print("|---|---|---|---|")
    for name, run in rows.items():
        try:
            errors, seconds = run()
        except ImportError as error:
            print(f"| {name} | not installed ({error.name}) | | |")
            continue
        tail = np.abs(errors[-len(errors) // 10 :]).max()
        print(
            f"| {name} | {np.abs(errors).max():.2e} | {tail:.1e} | {seconds * 1e6:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
