"""Cost of a step of ladders and scissor lifts beside MuJoCo and Exudyn, from one run.

python benchmarks/loop_peers.py [most stages, default 300]

The mechanisms are those of `chain_and_loop_cost.py`. Processor time of a step of 0.1 ms, the least
of several blocks of steps, and the largest gap of a joint after 20 ms. MuJoCo (Euler, default
solver) cuts a joint of each loop and keeps it closed by three soft equations, as soft as they are
by default or as stiff as the step allows (solref of two steps, solimp of 0.9999). Exudyn
(generalized-alpha, its sparse solver, modified Newton) has multipliers for all joints; it refuses
implied equations, so a hinge that closes a loop has the two equations in its plane there. Ours has
all five.
"""

import sys
import time

import numpy as np
from chain_and_loop_cost import chain, ladder, scissor_lift

from dovetail.integrators import RATTLie
from dovetail.model import Spherical

STEP, SECONDS = 1e-4, 0.02
SLOW = 0.05  # [s] a step: larger mechanisms are not run


def parts_of(scene):
    """Masses, diagonal inertias, positions, rotations; (a, b, point, axis or None) of joints."""
    model = scene.build()
    bodies = [
        (model.mass[i], np.diag(model.inertia[i]), model.position[i], model.rotation[i])
        for i in range(model.n_bodies)
    ]
    joints = [
        (
            placed.body_a, placed.body_b, np.array(placed.joint.point, float),
            None if isinstance(placed.joint, Spherical) else np.array(placed.joint.axis, float),
        )
        for placed in model.joints
    ]  # fmt: skip
    return bodies, joints


def least(run, count, blocks=5):
    """[s] a step, the least of several blocks."""
    run(count)
    spent = []
    for _ in range(blocks):
        began = time.process_time()
        run(count)
        spent.append((time.process_time() - began) / count)
    return min(spent)


def ours(scene):
    stepper = RATTLie().start(scene.build(), None)

    def run(count):
        for _ in range(count):
            stepper.step(stepper.bodies.t + STEP)

    cost = least(run, max(5, 2000 // len(scene.bodies)))
    while stepper.bodies.t < SECONDS:
        run(1)
    return cost, stepper.observe().constraint_position


def spanning(n, joints):
    """(children by joint number along a tree, joints that close loops)."""
    above, tree, cut = list(range(n + 1)), [], []

    def root(k):
        while above[k] != k:
            k = above[k]
        return k

    for number, (a, b, _, _) in enumerate(joints):
        i, j = root(a if a >= 0 else n), root(b if b >= 0 else n)
        if i == j:
            cut.append(number)
        else:
            tree.append(number)
            above[i] = j
    return tree, cut


def mujoco(scene, stiff=False):
    import mujoco as mj

    bodies, joints = parts_of(scene)
    tree, cut = spanning(len(bodies), joints)
    beside = {}
    for number in tree:
        a, b, *_ = joints[number]
        beside.setdefault(a, []).append((b, number))
        beside.setdefault(b, []).append((a, number))
    spec = mj.MjSpec()
    spec.option.timestep = STEP
    made = {-1: spec.worldbody}
    waiting = [-1]
    while waiting:
        here = waiting.pop(0)
        x0, R0 = (np.zeros(3), np.eye(3)) if here < 0 else bodies[here][2:]
        for there, number in beside.get(here, []):
            if there in made:
                continue
            mass, inertia, x, R = bodies[there]
            quat = np.zeros(4)
            mj.mju_mat2Quat(quat, np.ascontiguousarray(R0.T @ R).ravel())
            body = made[here].add_body(name=f"b{there}", pos=R0.T @ (x - x0), quat=quat)
            body.mass, body.inertia, body.explicitinertial = mass, inertia, True
            point, axis = R.T @ (joints[number][2] - x), joints[number][3]
            kind = mj.mjtJoint.mjJNT_BALL if axis is None else mj.mjtJoint.mjJNT_HINGE
            joint = body.add_joint(type=kind, pos=point)
            if axis is not None:
                joint.axis = R.T @ axis
            made[there] = body
            waiting.append(there)
    for number in cut:
        a, b, point, _ = joints[number]
        equation = spec.add_equality(
            type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_BODY,
            name1=f"b{b}", name2=f"b{a}" if a >= 0 else "world",
        )  # fmt: skip
        equation.data[:3] = bodies[b][3].T @ (point - bodies[b][2])
        if stiff:
            equation.solref, equation.solimp = (2 * STEP, 1), (0.9999, 0.9999, 0.001, 0.5, 2)
    model = spec.compile()
    data = mj.MjData(model)
    cost = least(lambda count: mj.mj_step(model, data, count), max(5, 2000 // len(bodies)))
    while data.time < SECONDS:
        mj.mj_step(model, data)
    mj.mj_forward(model, data)
    return cost, np.abs(data.efc_pos).max() if data.nefc else 0.0


def exudyn(scene):
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    bodies, joints = parts_of(scene)
    system = exu.SystemContainer().AddSystem()
    numbers = [
        system.CreateRigidBody(
            inertia=RigidBodyInertia(mass=mass, inertiaTensor=np.diag(inertia)),
            referencePosition=list(x), referenceRotationMatrix=R, gravity=[0, 0, -9.81],
        )
        for mass, inertia, x, R in bodies
    ]  # fmt: skip
    numbers.append(system.CreateGround())
    _, cut = spanning(len(bodies), joints)
    for number, (a, b, point, axis) in enumerate(joints):
        ends = [numbers[a], numbers[b]]
        if axis is not None and number in cut:  # what is not implied by the plane of the others
            system.CreateGenericJoint(
                bodyNumbers=ends, position=list(point), constrainedAxes=[1, 0, 1, 0, 0, 0]
            )
        elif axis is None:
            system.CreateSphericalJoint(bodyNumbers=ends, position=list(point))
        else:
            system.CreateRevoluteJoint(bodyNumbers=ends, position=list(point), axis=list(axis))
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    spent = []
    for count in (5, 5 + max(10, 3000 // len(bodies))):
        settings.timeIntegration.numberOfSteps = count
        settings.timeIntegration.endTime = count * STEP
        best = np.inf
        for _ in range(3):
            began = time.process_time()
            system.SolveDynamic(settings)
            best = min(best, time.process_time() - began)
        spent.append((count, best))
    cost = (spent[1][1] - spent[0][1]) / (spent[1][0] - spent[0][0])
    return cost, np.nan


PEERS = {
    "RATTLie": ours, "MuJoCo": mujoco, "MuJoCo, stiff": lambda scene: mujoco(scene, True),
    "Exudyn": exudyn,
}  # fmt: skip


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print("| mechanism | " + " | ".join(f"{name} [us] | gap [m]" for name in PEERS) + " |")
    print("|---|" + "---|---|" * len(PEERS))
    for build in (chain, ladder, scissor_lift):
        slow = set()
        for size in (30, 100, 300):
            if size > most:
                continue
            cells = []
            for name, peer in PEERS.items():
                if name in slow:
                    cells.append("not run | ")
                    continue
                try:
                    cost, gap = peer(build(size))
                    cells.append(f"{1e6 * cost:.0f} | {gap:.0e}")
                    if cost > SLOW:
                        slow.add(name)
                except ImportError:
                    cells.append("| ")
                except Exception as error:  # what a peer refuses is a result too
                    cells.append(f"fails: {str(error)[:40]} | ")
            what = f"{build.__name__.replace('_', ' ')} of {size}"
            print(f"| {what} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
