"""Where the time of a step without intersections goes.

    python benchmarks/ipc_profile.py [SCENE ...] [--steps 40]
SCENE is a file or a built-in example (default: chain and wrecking-ball). The step is one compiled
function, so its parts are timed one by one at the pose reached after the given number of steps,
once for all bodies, the CCD along the path of the whole last step. An iteration of a step costs
less: islands that are settled are passed over, and most search steps are shorter.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from dovetail.cli.scene_argument import find_scene
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.candidates.distances import update_distances
from dovetail.contact.ipc.line_search.step_size import MIN_GAP_FRACTION, collision_free_step_size
from dovetail.contact.ipc.newton.potential import differentiate, energy_at
from dovetail.contact.ipc.records import Poses
from dovetail.integrators import default_for
from dovetail.linalg.block_cholesky.factor import factorise, prepare, solve
from dovetail.simulate.requested import requested_contact


def cpu_time(work: Callable[[], object], least: float = 0.2) -> float:
    """Least CPU time [s] of one call in batches that take `least` seconds together."""
    work()
    best, spent = np.inf, 0.0
    while spent < least:
        began = time.process_time()
        work()
        took = time.process_time() - began
        best, spent = min(best, took), spent + max(took, 1e-6)
    return best


def profile(name: str, steps: int) -> None:
    loaded = find_scene(name)
    model = loaded.scene.build()
    contact = requested_contact(loaded.run, "ipc")
    stepper = default_for(contact, model).start(model, contact)
    h = loaded.run.step
    for k in range(steps):
        x_0, R_0 = stepper.bodies.x.copy(), stepper.bodies.R.copy()
        stepper.step((k + 1) * h)
    solver = stepper._solver.solver  # the arrays the compiled function works on
    refreshes = int(solver._lists.counters[0].refreshes)
    began, iterations, timed = time.process_time(), 0, max(5, steps // 4)
    for k in range(steps, steps + timed):
        x_0, R_0 = stepper.bodies.x.copy(), stepper.bodies.R.copy()
        iterations += stepper.step((k + 1) * h).iterations
    whole, per_step = (time.process_time() - began) / timed, iterations / timed

    made = int(solver._lists.counters[0].refreshes) - refreshes
    bodies, lists, bundle, _ = solver._bundles
    workspace, found, friction = solver._workspace, solver._lists, solver.friction.bundled
    barrier, counters = Barrier(solver._barrier.dhat, solver._barrier.dmin, 1.0), found.counters[0]
    reach, iterate, start = barrier.dmin + barrier.dhat, workspace.iterate, Poses(x_0, R_0)
    workspace.path_length[:] = 0.0
    twist = workspace.twist.copy()  # the path of the last step

    def distances():
        counters.measured_pose = 0  # as if all were somewhere else before
        return update_distances(bodies, lists, bundle, iterate, reach, barrier.dhat)

    def derivatives():
        return differentiate(bodies, lists, bundle, friction, start, barrier, 1.0, True)

    distances()
    _, contacts, n_linked = derivatives()
    unknowns, system, factor = len(solver._bodies.owner), workspace.system, workspace.factor
    right = np.zeros((unknowns, 6))

    def newton():
        prepare(factor, unknowns, system.linked, n_linked)
        factorise(factor, system.diagonal, system.off, n_linked, 0.0, 1e-13)
        solve(factor, right)

    def make():
        found.reach[:] = -1.0
        return distances()

    def ccd():
        return collision_free_step_size(
            bodies, lists, bundle, iterate, twist, barrier.dmin, reach, MIN_GAP_FRACTION
        )

    def energy():
        return energy_at(bodies, lists, bundle, friction, iterate, start, barrier)

    made_at_once = cpu_time(make)
    distances()
    pairs = int(counters.n_pairs)
    listed = int(found.start[counters.active_buffer, pairs])
    parts = {"distances": distances, "derivatives": derivatives, "linear solve": newton, "CCD": ccd,
             "energy": energy}  # fmt: skip
    once = {part: cpu_time(work) for part, work in parts.items()}
    print(
        f"{name}: {model.n_bodies} bodies, {contacts} contacts, {listed} candidates of {pairs} "
        f"pairs, {per_step:.1f} iterations and {1e3 * whole:.3f} ms a step; making all lists takes "
        f"{1e3 * made_at_once:.3f} ms"
        + (f", some were made {made / timed:.1f} times a step" if made >= 0 else "")
    )
    for part, seconds in once.items():
        print(f"  {part:12s} {1e3 * seconds:9.3f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", default=["chain", "wrecking-ball"])
    parser.add_argument("--steps", type=int, default=40)
    arguments = parser.parse_args()
    for name in arguments.scenes:
        profile(name, arguments.steps)


if __name__ == "__main__":
    main()
