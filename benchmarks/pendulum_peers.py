"""The paper's double pendulum with MuJoCo and Exudyn beside our schemes: energy, joints and cost.

Times are processor times of the steps alone, the median of all of them (Exudyn: the mean).

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


ARMS = np.array([[0, -0.5, 0], [0, 0.5, 0], [0, -0.5, 0]])  # of joint O, and A on both rods
SEEN = 20  # steps from one look at the joints to the next


def violation(x, R, v, omega):
    """Largest component by which the rods are apart at their joints [m], and its rate [m/s]."""
    at = x[[0, 0, 1]] + np.einsum("nij,nj->ni", R[[0, 0, 1]], ARMS)
    moving = np.cross(omega[[0, 0, 1]], ARMS)
    rate = v[[0, 0, 1]] + np.einsum("nij,nj->ni", R[[0, 0, 1]], moving)
    return [max(np.abs(p[0]).max(), np.abs(p[1] - p[2]).max()) for p in (at, rate)]


def ours(name, count):
    OURS[name].start(case.build().build(), None).step(STEP)  # compiles what is not yet
    stepper = OURS[name].start(case.build().build(), None)
    errors, spent, apart = np.zeros(count), np.zeros(count), []
    for k in range(1, count + 1):
        began = time.process_time()
        stepper.step(k * STEP)
        spent[k - 1] = time.process_time() - began
        state = stepper.bodies
        errors[k - 1] = energy_of(state.x, state.v, state.omega)
        if k % SEEN == 0:
            apart.append(violation(state.x, state.R, state.v, state.omega))
    return errors, apart, np.median(spent)


def mujoco(integrator, count):
    import mujoco as mj

    model = mj.MjModel.from_xml_string(MUJOCO.format(step=STEP, integrator=integrator))
    data = mj.MjData(model)
    errors, spent, apart, twist = np.zeros(count), np.zeros(count), [], np.zeros((2, 6))
    for k in range(count):
        began = time.process_time()
        mj.mj_step(model, data)
        spent[k] = time.process_time() - began
        mj.mj_forward(model, data)
        errors[k] = data.energy.sum()
        if k % SEEN == 0:
            for rod in range(2):
                mj.mj_objectVelocity(model, data, mj.mjtObj.mjOBJ_BODY, rod + 1, twist[rod], 0)
            R = data.xmat[1:].reshape(2, 3, 3)
            omega = np.einsum("nji,nj->ni", R, twist[:, :3])
            apart.append(violation(data.xipos[1:], R, twist[:, 3:], omega))
    return errors, apart, np.median(spent)


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
    errors, apart = [], []
    kinds = exu.OutputVariableType
    wanted = (kinds.Position, kinds.RotationMatrix, kinds.Velocity, kinds.AngularVelocityLocal)

    def watch(system, t):
        rows = [
            np.array([system.GetObjectOutputBody(rod, kind, [0, 0, 0]) for rod in rods])
            for kind in wanted
        ]
        x, R, v, omega = rows
        errors.append(energy_of(x, v, omega))
        if len(errors) % SEEN == 0:
            apart.append(violation(x, R.reshape(2, 3, 3), v, omega))
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
    return np.array(errors), apart, (time.process_time() - began) / count


def main():
    count = round(float(sys.argv[1] if len(sys.argv) > 1 else 50) / STEP)
    rows = {name: (lambda name=name: ours(name, count)) for name in OURS}
    rows |= {
        "MuJoCo Euler": lambda: mujoco("Euler", count),
        "MuJoCo RK4": lambda: mujoco("RK4", count),
        "Exudyn generalized-alpha 0.9": lambda: exudyn(count),
    }
    print(
        f"| h = {STEP:g} s, {count} steps | largest energy error [J] | at the end | joints [m] | "
        "joints [m/s] | us per step |"
    )
    print("|---|---|---|---|---|---|")
    for name, run in rows.items():
        try:
            errors, apart, seconds = run()
        except ImportError as error:
            print(f"| {name} | not installed ({error.name}) | | | | |")
            continue
        tail = np.abs(errors[-len(errors) // 10 :]).max()
        position, velocity = np.max(apart, axis=0)
        print(
            f"| {name} | {np.abs(errors).max():.2e} | {tail:.1e} | {position:.1e} | "
            f"{velocity:.1e} | {seconds * 1e6:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
