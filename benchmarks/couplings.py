"""Couplings of joints under every scheme: distance from MuJoCo, violation, energy, time of a step.

python benchmarks/couplings.py [SCHEME ...]

Two links in a row and one beside them swing for 0.4 s, two of their hinges geared 1 : 2. MuJoCo
holds its equality as stiff as its step of 0.1 ms allows. Contact methods run without contacts.
"""

import sys
import time

import mujoco
import numpy as np

import dovetail as dt
from dovetail.integrators import SCHEMES

TIME, STEP = 0.4, 1e-3
CONTACT = {"StewartTrinkle": "lcp", "ImplicitEuler": "ipc", "BarrierVerlet": "ipc"}
BOX = '<geom type="box" contype="0" conaffinity="0" '
MODEL = (
    '<mujoco><option timestep="1e-4" integrator="RK4"/><worldbody>'
    '<body pos=".25 0 0"><joint name="u" axis="0 1 0" pos="-.25 0 0"/>'
    f'{BOX} size=".05 .06 .25" mass="3"/>'
    '<body pos="0 0 -.4"><joint name="v" axis="0 1 0" pos="0 0 .15"/>'
    f'{BOX} size=".05 .06 .15" mass="1"/></body></body>'
    '<body pos="2 0 0"><joint name="w" axis="0 1 0" pos="0 0 .25"/>'
    f'{BOX} size=".05 .06 .25" mass="2"/></body></worldbody><equality>'
    '<joint joint1="w" joint2="u" polycoef="0 2 0 0 0" solref="-4e6 -4e3" solimp="1 1 .001"/>'
    "</equality></mujoco>"
)


def pendulums() -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("a", dt.Box((0.1, 0.12, 0.5)), mass=3.0, position=(0.25, 0, 0))
    scene.add_body("b", dt.Box((0.1, 0.12, 0.3)), mass=1.0, position=(0.25, 0, -0.4))
    scene.add_body("c", dt.Box((0.1, 0.12, 0.5)), mass=2.0, position=(2, 0, 0))
    for name, point, first, second in (
        ("u", (0, 0, 0), "ground", "a"),
        ("v", (0.25, 0, -0.25), "a", "b"),
        ("w", (2, 0, 0.25), "ground", "c"),
    ):
        scene.add_joint(name, dt.Revolute(point, (0, 1, 0)), first, second)
    scene.add_coupling("gear", dt.Coupling({"w": 1.0, "u": -2.0}))
    return scene


def main() -> None:
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(TIME / model.opt.timestep))
    expected = data.xpos[1:]
    print("| scheme | from MuJoCo [m] | violation [rad] | change of energy | us a step |")
    print("|---|---|---|---|---|")
    for name in sys.argv[1:] or SCHEMES:
        if not SCHEMES[name].takes_joints:
            continue
        settings = {"contact": CONTACT[name]} if name in CONTACT else {}
        runs = []
        for _ in range(3):
            began = time.process_time()
            result = dt.simulate(
                pendulums(), TIME, step=STEP, integrator=name, progress=False, **settings
            )
            runs.append((time.process_time() - began) / round(TIME / STEP))
        off = max(
            float(np.abs(result.position(body)[-1] - expected[i]).max())
            for i, body in enumerate("abc")
        )
        energy = np.ptp(result.energy["total"]) / np.ptp(result.energy["potential"])
        violation = float(result.constraint_violation["position"].max())
        print(f"| {name} | {off:.1e} | {violation:.0e} | {energy:.0e} | {1e6 * min(runs):.0f} |")


if __name__ == "__main__":
    main()
