"""Does it matter which joint of a loop is cut? Joint coordinates with each joint cut in turn.

python benchmarks/cut_joints.py

Of one-loop mechanisms under JointCoordinates: the condition of the closure's equations J M^-1/2
(those that count; largest over the run), the largest energy error and violation of closures,
iterations a step. A joint that is added last is cut, unless another one has fewer equations; "-"
has the joints as given. RATTLie, the default, cuts no joint: all of them are rows.
"""

import warnings

import numpy as np

import dovetail as dt
from dovetail.examples import bennett, four_bar
from dovetail.integrators import JointCoordinates
from dovetail.multibody.tree.equations import mass_matrix
from dovetail.validation.dae_problems.scenes import bricard
from dovetail.validation.dae_problems.textbook import isosceles_slider_crank, slider_crank

SCENES = {
    "four-bar": four_bar.build, "slider-crank": slider_crank,
    "isosceles slider-crank": isosceles_slider_crank, "Bennett": bennett.build, "Bricard": bricard,
}  # fmt: skip
STEP, END, EVERY = 2e-3, 1.0, 25  # [s], [s], steps
COUNTS = 1e-6  # of the largest singular value: what a row that others imply has less of


def with_last(build, name):
    """The scene with this joint added last."""
    scene = dt.Scene(gravity=build().gravity)
    scene._given = build()._given
    joints = scene._given.joints
    joints[name] = joints.pop(name)
    return scene


def condition(stepper):
    """Ratio of singular values of J M^-1/2 at the state."""
    mechanism, q = stepper.mechanism, stepper.q
    J = mechanism.jacobian(q)
    mobility = J @ np.linalg.solve(mass_matrix(mechanism.tree, q), J.T)
    values = np.sqrt(np.abs(np.linalg.eigvalsh(mobility)))
    return float(values.max() / values[values > COUNTS * values.max()].min())


def line(name, cut):
    """One row of the table."""
    build = SCENES[name]
    scene = with_last(build, cut) if cut else build()
    stepper = JointCoordinates().start(scene.build(), None)
    mechanism = stepper.mechanism
    cuts = [mechanism.parts.joint_name(n) for n in mechanism.topology.cut_joints]
    worst, iterations, steps, total = 1.0, 0, round(END / STEP), []
    for k in range(steps):
        if k % EVERY == 0:
            worst = max(worst, condition(stepper))
        iterations += stepper.step((k + 1) * STEP).iterations
        total.append(sum(stepper._energies()[1:]))
    off = stepper.observe().constraint_position
    return (
        f"| {name} | {', '.join(cuts)} | {worst:.1e} | {np.ptp(total):.1e} | {off:.0e} | "
        f"{iterations / steps:.1f} |"
    )


def main():
    warnings.simplefilter("ignore")
    print(
        "| mechanism | cut | condition | energy [J] | closure [m] | iterations |\n"
        "|---|---|---|---|---|---|"
    )
    for name, build in SCENES.items():
        seen = set()
        for cut in ["", *build().joints]:
            row = line(name, cut)
            if row not in seen:
                print(row, flush=True)
            seen.add(row)


if __name__ == "__main__":
    main()
