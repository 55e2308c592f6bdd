"""Running the intersection-free step on small scenes, and judging what it did."""

from dataclasses import dataclass

import numpy as np

from dovetail.contact.ipc.bodies import ipc_bodies
from dovetail.contact.ipc.step import IpcStep
from dovetail.dynamics.state import initial_state
from dovetail.geometry.bvh import bvh_of
from dovetail.geometry.intersections import intersecting_pairs
from dovetail.kernels.path_clearance import CLEAR, path_between
from dovetail.results.recorded_motion import BodyMotion


@dataclass
class Run:
    model: object
    states: list
    solved: list

    def motion(self, k, poses):
        """Body k through the poses (x, R)."""
        body = self.model.bodies[k]
        return BodyMotion(
            body.name, body, bvh_of(body.surface), np.arange(len(poses), dtype=float),
            np.array([x[k] for x, _ in poses]), np.array([R[k] for _, R in poses]),
            np.zeros((len(poses), 3)),
        )  # fmt: skip

    def intersections(self, straight=False):
        """States and ways on which two bodies meet, by the judge.

        The way is that of the solver, knot by knot, or straight from state to state.
        """
        poses = [(state.x, state.R) for state in self.states]
        if not straight:
            poses = poses[:1] + [knot for solved in self.solved for knot in solved.knots[1:]]
        found = []
        bodies = [self.motion(k, poses) for k in range(self.model.n_bodies)]
        for j, b in enumerate(bodies):
            for a in bodies[:j]:
                for f in range(len(poses)):
                    if len(intersecting_pairs(a.placed(f), b.placed(f))):
                        found.append((a.name, b.name, f))
                for f in range(len(poses) - 1):
                    code = path_between(
                        arrays(a), arrays(b), tuple(b.x[f] - a.x[f]), tuple(b.v[f] - a.v[f]),
                        rows(a.R[f]), tuple(a.w[f]), rows(b.R[f]), tuple(b.w[f]),
                        a.tree.radius, b.tree.radius, 1e-14, 1_000_000,
                    )[0]  # fmt: skip
                    if code != CLEAR:
                        found.append((a.name, b.name, f, f + 1, code))
        return found


def arrays(body):
    tree = body.tree
    return tree.vertices, tree.simplices, tree.boxes, tree.right


def rows(R):
    return tuple(map(tuple, R.tolist()))


def run(scene, steps, h, dhat, **options):
    model = scene.build()
    stepper = IpcStep(ipc_bodies(model), model.gravity, dhat, **options)
    state, states, solved = initial_state(model), [], []
    states.append(state)
    for _ in range(steps):
        state, how = stepper.step(state, h)
        states.append(state)
        solved.append(how)
    return Run(model, states, solved)
