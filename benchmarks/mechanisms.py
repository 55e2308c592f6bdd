"""Mechanisms: error, cost and energy of the default beside MuJoCo and Pinocchio, from one run.

python benchmarks/mechanisms.py [most links, default 3000]

Processor time of the steps alone, the least of three runs. The double pendulum is that of Huang et
al. (2022); its error is against minimal coordinates at 1e-13. Chains and trees have ball joints.
"""

import sys
import time

import numpy as np
from pendulum_peers import MUJOCO

import dovetail as dt
from dovetail.examples import double_pendulum
from dovetail.integrators import EulerParameterDAE, JointCoordinates, RATTLie
from dovetail.validation.dae_problems import four_bars

AT_10_S = np.array([-0.14818282, 0.08790666, -1.37799989])  # [m] of rod 2
H = 1e-3
BLOCKS = 40


def least(run, repeats=3):
    """[s] of processor time, the least of several runs after one that compiles."""
    run()
    spent = []
    for _ in range(repeats):
        began = time.process_time()
        run()
        spent.append(time.process_time() - began)
    return min(spent)


def error_of(scheme):
    """[m] after 10 s."""
    result = dt.simulate(
        double_pendulum.build(), 10.0, H, every=10**6, integrator=scheme, progress=False
    )
    return float(np.abs(result.position("rod2")[-1] - AT_10_S).max())


def frame_cost(scheme):
    """[us] of recording a frame."""

    def run(every):
        options = {"every": every, "integrator": scheme, "progress": False}
        return dt.simulate(double_pendulum.build(), 2.0, H, **options)

    return (least(lambda: run(1)) - least(lambda: run(10**6))) / 2000 * 1e6


def _mujoco(integrator):
    """MuJoCo's model and data of the pendulum."""
    import mujoco

    text = MUJOCO.format(step=H, integrator=integrator).replace('energy="enable"', "")
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def mujoco_error(integrator):
    """[m] after 10 s."""
    import mujoco

    model, data = _mujoco(integrator)
    mujoco.mj_step(model, data, 10_000)
    return float(np.abs(data.xipos[2] - AT_10_S).max())


def pendulum():
    """Error after 10 s and cost of 50 000 steps, each scheme through `dt.simulate`."""
    print(f"| double pendulum, h = {H:g} s | error at 10 s [m] | 50 000 steps [s] | us a frame |")
    print("|---|---|---|---|")
    schemes = {
        "default, RATTLie(order=4)": None, "RATTLie()": RATTLie(), "RATTLie(order=6)": RATTLie(6),
        "JointCoordinates()": JointCoordinates(), "EulerParameterDAE()": EulerParameterDAE(),
    }  # fmt: skip
    for name, scheme in schemes.items():
        options = {"step": H, "integrator": scheme, "progress": False}

        def run(options=options):
            return dt.simulate(double_pendulum.build(), 10.0, every=10**6, **options)

        error, alone, frames = error_of(scheme), least(run), frame_cost(scheme)
        print(f"| {name} | {error:.1e} | {5 * alone:.2f} | {frames:.1f} |", flush=True)
    try:
        import mujoco
    except ImportError:
        return
    for integrator in ("Euler", "RK4"):
        model, data = _mujoco(integrator)

        def run(model=model, data=data):
            mujoco.mj_resetData(model, data)
            mujoco.mj_step(model, data, 10_000)

        cost, error = least(run), mujoco_error(integrator)
        print(f"| MuJoCo {integrator} | {error:.1e} | {5 * cost:.2f} | |", flush=True)


def pinocchio_pendulum():
    """Accelerations of the same pendulum by Pinocchio, four a step as a scheme of order 4 needs.

    Pinocchio has no scheme in time.
    """
    try:
        import pinocchio as pin
    except ImportError:
        return
    model, turned = pin.Model(), np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    inertia = pin.Inertia(61.6538, np.array([0, 0.5, 0]), np.diag([5.1763, 0.0771, 5.1763]))
    first = model.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "1")
    model.appendBodyToJoint(first, inertia, pin.SE3.Identity())
    second = model.addJoint(
        first, pin.JointModelSpherical(), pin.SE3(turned, np.array([0.0, 1, 0])), "2"
    )
    model.appendBodyToJoint(second, inertia, pin.SE3.Identity())
    data, tau = model.createData(), np.zeros(model.nv)
    q, v = pin.neutral(model), np.zeros(model.nv)

    def calls():
        for _ in range(10_000):
            pin.aba(model, data, q, v, tau)

    alone = 20 * least(calls)
    print(f"| Pinocchio, 4 ABA a step | none of its own | {alone:.2f} | |", flush=True)


def best_in_turns():
    """[s] of 50 000 steps by name: blocks of 1000 that alternate, the least of each.

    A busy machine is as busy for one as for the other.
    """
    steppers = {f"RATTLie(order={k})": RATTLie(k).start(double_pendulum.build().build(), None)
                for k in (2, 4, 6)}  # fmt: skip

    def ahead(stepper):
        stepper.advance(stepper.bodies.t + H * np.arange(1001))

    runs = {name: lambda one=one: ahead(one) for name, one in steppers.items()}
    try:
        import mujoco

        model, data = _mujoco("RK4")
        runs["MuJoCo RK4"] = lambda: mujoco.mj_step(model, data, 1000)
    except ImportError:
        pass
    best = dict.fromkeys(runs, np.inf)
    for _ in range(BLOCKS):
        for name, run in runs.items():
            began = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - began)
    return {name: 50 * spent for name, spent in best.items()}


def in_turns():
    """Steps alone beside MuJoCo RK4."""
    print("\n| double pendulum, blocks in turns | 50 000 steps [s] |\n|---|---|")
    for name, spent in best_in_turns().items():
        print(f"| {name} | {spent:.2f} |", flush=True)


def links(n, tree):
    """(parent, start, end) of n links of 0.1 m, in a line or two on each."""
    ends = np.zeros((n + 1, 3))
    for k in range(n):
        parent = -1 if k == 0 else (k - 1) // 2 if tree else k - 1
        start = ends[parent + 1] if parent >= 0 else np.zeros(3)
        aside = 0.1 * (k % 2) - 0.05 if tree else 0.0
        ends[k + 1] = start + np.array([0.1, aside, 0.0])
        yield parent, start, ends[k + 1]


J = (1e-4, 8e-4, 8e-4)


def ours(n, tree, gaps=False):
    """us per step of RATTLie(), and [s] of setting it up: scene, checks, tree.

    With `gaps` also the largest of a joint [m] after the steps.
    """
    began = time.process_time()
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for k, (parent, start, end) in enumerate(links(n, tree)):
        scene.add_body(f"link{k}", mass=1, inertia=J, position=(start + end) / 2)
        above = "ground" if parent < 0 else f"link{parent}"
        scene.add_joint(f"ball{k}", dt.Spherical(point=start), above, f"link{k}")
    stepper = RATTLie().start(scene.build(), None)
    set_up = time.process_time() - began
    count = max(3, 20_000 // n)

    def run():
        stepper.advance(stepper.bodies.t + 1e-4 * np.arange(count + 1))

    spent = least(run) / count * 1e6
    return (spent, set_up, _largest_gap(n, tree, stepper.bodies)) if gaps else (spent, set_up)


def _largest_gap(n, tree, bodies):
    """[m] between the ends of links that a joint holds together."""
    at = list(links(n, tree))
    parent = np.array([p for p, _, _ in at])
    start, end = (np.array([one[k] for one in at]) for k in (1, 2))
    centre = 0.5 * (start + end)
    here = bodies.x + np.einsum("nij,nj->ni", bodies.R, start - centre)
    above = bodies.x[parent] + np.einsum("nij,nj->ni", bodies.R[parent], start - centre[parent])
    above[parent < 0] = start[parent < 0]
    return float(np.abs(here - above).max())


def pinocchio_cost(n, tree):
    """us per step of Pinocchio's articulated-body algorithm with semi-implicit Euler, or nan."""
    try:
        import pinocchio as pin
    except ImportError:
        return np.nan
    if n > 100:  # its data has tensors of (3 n)^3 numbers
        return np.nan
    model, origins, numbers = pin.Model(), {-1: np.zeros(3)}, {-1: 0}
    for k, (parent, start, end) in enumerate(links(n, tree)):
        at = pin.SE3(np.eye(3), start - origins[parent])
        numbers[k] = model.addJoint(numbers[parent], pin.JointModelSpherical(), at, f"ball{k}")
        inertia = pin.Inertia(1.0, (end - start) / 2, np.diag(J))
        model.appendBodyToJoint(numbers[k], inertia, pin.SE3.Identity())
        origins[k] = start
    data, count, h, tau = model.createData(), max(3, 20_000 // n), 1e-4, np.zeros(model.nv)
    q, v = pin.neutral(model), np.zeros(model.nv)

    def run():
        nonlocal q, v
        for _ in range(count):
            v = v + h * pin.aba(model, data, q, v, tau)
            q = pin.integrate(model, q, h * v)

    return least(run) / count * 1e6


def mujoco_cost(n, tree):
    """us per step of MuJoCo's Euler method, or nan."""
    try:
        import mujoco
    except ImportError:
        return np.nan
    children = {}
    at = list(links(n, tree))
    for k, (parent, _, _) in enumerate(at):
        children.setdefault(parent, []).append(k)
    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-4
    waiting = [(k, spec.worldbody, np.zeros(3)) for k in children[-1]]
    while waiting:
        k, above, origin = waiting.pop()
        _, start, end = at[k]
        body = above.add_body(pos=start - origin)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        body.mass, body.inertia, body.ipos = 1.0, J, (end - start) / 2
        body.explicitinertial = True
        waiting += [(child, body, start) for child in children.get(k, [])]
    model = spec.compile()
    data, count = mujoco.MjData(model), max(3, 20_000 // n)
    return least(lambda: mujoco.mj_step(model, data, count)) / count * 1e6


def sizes(most):
    """Cost of a step against the number of links."""
    print(
        "\n| ball-jointed | links | RATTLie [us] | us a link | MuJoCo Euler [us] | "
        "Pinocchio ABA, Euler [us] | set-up of ours [s] |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, tree in (("chain", False), ("tree", True)):
        for n in (30, 100, 300, 1000, 3000, 10_000, 100_000):
            if n <= most:
                cost, set_up = ours(n, tree)
                pinocchio = pinocchio_cost(n, tree)
                peer = mujoco_cost(n, tree) if tree or n <= 300 else np.nan
                print(
                    f"| {name} | {n} | {cost:.0f} | {cost / n:.2f} | {peer:.0f} | "
                    f"{pinocchio:.0f} | {set_up:.2f} |",
                    flush=True,
                )


def loops():
    """Energy of the N-four-bar, which passes through singular positions."""
    print("\n| N-four-bar, 10 s, h = 0.01 s | largest energy error [J] | joints [m] | s |")
    print("|---|---|---|---|")
    for n in (2, 40):
        for name, scheme in (("default, RATTLie(order=4)", None), ("RATTLie()", RATTLie())):
            began = time.process_time()
            result = dt.simulate(four_bars(n), 10.0, 0.01, integrator=scheme, progress=False)
            total, spent = result.energy["total"], time.process_time() - began
            off = result.constraint_violation["position"].max()
            worst = np.abs(total - total[0]).max()
            print(f"| N = {n}, {name} | {worst:.1e} | {off:.0e} | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    in_turns()
    pendulum()
    pinocchio_pendulum()
    sizes(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
    loops()
